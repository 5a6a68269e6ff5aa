"""`python -m benchmarks.watched [--pages 4] [--minutes 60] [--json]`: what watching a match at rest costs.

`tableref serve --source sim` in a process of its own with a new library, a match of White Line Fever that is
deployed and waits, and pages that watch it: each with the connection of the table, which shows the answer to
a shot, and the one of the game. Told are the share of one core that the server takes with nobody watching (it
draws the table itself, sees and records it) and with the pages, the processor time of a frame, and how many
messages of each kind come a second. With `--minutes` it goes on for so long; the server's memory is noted
each minute.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
from websockets.exceptions import WebSocketException

from benchmarks.siege import PATIENCE_S, Server, served
from engine.errors import TableRefError

WEAPONS = ("Machine Gun", "Autocannon", "Plinker")
OTHER = ("Harpoon", "Oil", "Long Horn")
CARS = {f"{owner} {n}": owner for owner in ("Red", "Blue") for n in (1, 2, 3)}
WARM_S = 6.0


def processor_s(server: Server) -> float:
    """Processor time that the server's process has taken, seconds."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def begin(server: Server) -> None:
    """A match that is set up and deployed."""
    pieces = [
        {"name": n, "owner": o, "answers": {"brand": "Venus", "primary": p, "secondary": s}}
        for (n, o), p, s in zip(CARS.items(), 2 * WEAPONS, 2 * OTHER, strict=True)
    ]
    players = [{"name": "Red", "colour": "#c8322b"}, {"name": "Blue", "colour": "#1f6fd0"}]
    draft = {"players": players, "pieces": pieces, "answers": {"deployment": "highway"}}
    asked: list[dict[str, Any]] = [{"type": "setup", "draft": draft}, {"type": "begin"}]
    for car in (f"{owner} {n}" for n in (1, 2, 3) for owner in ("Red", "Blue")):
        # Where a simulated car stands is where it is deployed.
        asked.append({"type": "act", "kind": "deploy", "data": {"car": car}, "unmeasured": "it stands there"})
    with server.socket("/ws/play", None) as owner:
        for k, request in enumerate(asked):
            owner.send(json.dumps(request | {"key": f"set-up-{k:04}"}))
            while (told := json.loads(owner.recv(timeout=PATIENCE_S))).get("key") != f"set-up-{k:04}":
                pass
            if not told["accepted"]:
                raise TableRefError(f"the server refused {request}: {told}")


class Page(threading.Thread):
    """One connection of a page: takes every message, acknowledges it, and counts them by their type."""

    def __init__(self, server: Server, path: str, first: dict[str, Any] | None = None) -> None:
        super().__init__(daemon=True)
        self.heard: Counter[str] = Counter()
        self._server, self._path, self._first = server, path, first
        self.start()

    def run(self) -> None:
        """Until the server is gone."""
        try:
            with self._server.socket(self._path, None) as connection:
                if self._first is not None:
                    connection.send(json.dumps(self._first))
                for raw in connection:
                    message = json.loads(raw)
                    self.heard[message["type"]] += 1
                    if message["type"] in ("state", "change"):
                        connection.send(json.dumps({"type": "drawn", "number": message["number"]}))
        except (OSError, WebSocketException):
            return


def spent(server: Server, seconds: float) -> dict[str, float]:
    """The share of one core that the server takes for so long, and its processor time a frame."""

    def seen() -> tuple[float, float, int]:
        state = httpx.get(f"{server.address}/api/state", timeout=PATIENCE_S).json()
        return time.monotonic(), processor_s(server), int(state["number"])

    began, before, first = seen()
    time.sleep(seconds)
    ended, after, last = seen()
    frames = max(last - first, 1)
    return {
        "share_of_a_core": round((after - before) / (ended - began), 3),
        "frames_a_second": round(frames / (ended - began), 1),
        "cpu_ms_a_frame": round(1e3 * (after - before) / frames, 1),
    }


def run(pages: int, seconds: float, minutes: float, fps: float) -> dict[str, Any]:
    """Nobody, then the pages; the memory each minute."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as where,
        served(Path(where), "--source", "sim", "--fps", f"{fps:g}") as server,
    ):
        begin(server)
        time.sleep(WARM_S)
        found: dict[str, Any] = {"pages": pages, "fps": fps, "nobody": spent(server, seconds)}
        asks = {"type": "select", "pieces": ["Red 1", "Blue 1"], "question": None}
        both = (("/ws", asks), ("/ws/play", None))
        opened = [Page(server, path, first) for _ in range(pages) for path, first in both]
        time.sleep(WARM_S)
        before = heard(opened)
        found["watched"] = spent(server, seconds)
        after = heard(opened)
        found["messages_a_second"] = {k: round((after[k] - before[k]) / seconds, 1) for k in after}
        memory = [server.memory_mb()]
        until = time.monotonic() + 60.0 * minutes
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(60.0, left))
            memory.append(server.memory_mb())
            print(f"{len(memory) - 1:4} min {memory[-1]} MB", file=sys.stderr, flush=True)
        found["memory_mb"] = memory
    found["load"] = os.getloadavg()[0]
    return found


def heard(pages: Sequence[Page]) -> Counter[str]:
    """How many messages of each kind have come."""
    return sum((page.heard for page in pages), Counter[str]())


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.watched", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--pages", type=int, default=4, help="pages that watch (default: 4)")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long each share is taken")
    parser.add_argument("--minutes", type=float, default=0.0, help="how long memory is noted after that")
    parser.add_argument("--fps", type=float, default=30.0, help="pictures a second of the simulated table")
    asked = parser.parse_args(argv)
    found = run(asked.pages, asked.seconds, asked.minutes, asked.fps)
    if asked.json:
        print(json.dumps(found))
        return 0
    for what, figures in found.items():
        print(what, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
