"""`python -m benchmarks.crowd [--quick] [--json]`: from the camera to the page, for one viewer and for many.

The real server with a camera of 1080p at 30 frames a second, and its viewers in a process of their own, which
come by the spectators' link, take every message, and acknowledge it as the page does. What else runs on the
machine is in these figures, so that they are to be read as ratios to the single viewer of the same run.
`delay` is from the frame's arrival to its message (to the picture, where one follows) having come, in ms.
`--telling` leaves the reading of tags out: the frames were read before, and what is measured is the telling.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from benchmarks.paging import PATIENCE_S, ROOT, WARM_S, Camera, drawn, port_of, serving
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from server.pipeline.referee import Moment, Referee, Refereeing
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from vision.frame import Frame, JpegFrame

FPS = 30.0
SIZE, PRINTED_PX, FRAMES = (1920, 1080), 18.0, 60
AUDIENCES = (
    ("nobody", 0, "table"), ("table", 1, "table"), ("table", 16, "table"), ("table", 32, "table"),
    ("table", 60, "table"), ("picture", 1, "picture"), ("picture", 8, "picture"), ("picture", 30, "picture"),
)  # fmt: skip
TEXT, BINARY = 1, 2
_HEAD = re.compile(rb'"number":(\d+),"time":([\d.]+)')


class Read(Camera, Refereeing):
    """A camera whose frames have been read before: they come again and again, each with its moment."""

    def __init__(self, moments: Sequence[Moment], fps: float) -> None:
        super().__init__([b""] * len(moments), fps)
        self._moments = [*moments, *moments[-2:0:-1]]
        self.seen = 0

    def _frame(self, at: float) -> Frame:
        return self._moments[self._index % len(self._moments)].frame.restamped(self._index, at)

    def step(self, frame: Frame) -> Moment:
        """What was read of a frame, as of now."""
        self.seen += 1
        moment = self._moments[frame.index % len(self._moments)]
        table = replace(moment.table, time=frame.time)
        return replace(moment, frame=frame, table=table, time=frame.time, under_way={})


@contextmanager
def telling(table: TableFile, moments: Sequence[Moment]) -> Iterator[tuple[Read, PageServer]]:
    """What has been read being told, and the server of its page."""
    opened, camera = listen(port=0), Read(moments, FPS)
    with PageServer(Runner(camera, camera), Rulings.by_book(table.game), opened) as server:
        yield camera, server


class Page:
    """The connection of one page.

    Frames of a WebSocket are read by hand: 60 clients of the websockets library in one thread take four
    times the processor and were themselves what was waited for.
    """

    def __init__(self, port: int, view: str, headers: str = "") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {'A' * 22}==\r\nSec-WebSocket-Version: 13\r\n{headers}\r\n".encode()
        )
        self._got = bytearray()
        while b"\r\n\r\n" not in self._got:
            self._got += self.socket.recv(65536) or b"\r\n\r\n"
        head, _, rest = bytes(self._got).partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise TableRefError(f"expected a WebSocket, got {head.split(chr(13).encode())[0]!r}")
        self._got = bytearray(rest)
        self._pictures = view == "picture"
        self._owed: tuple[int, float] | None = None
        self._last = -1.0
        self.say({"type": "show", "view": view, "unit": "in"})

    def say(self, message: dict[str, Any]) -> None:
        """Sends a short message, masked with zeros."""
        text = json.dumps(message).encode()
        assert len(text) < 126
        self.socket.sendall(bytes((0x81, 0x80 | len(text), 0, 0, 0, 0)) + text)

    def heard(self) -> list[float]:
        """Reads what has come, acknowledges it, and tells how old each new frame is by then."""
        data = self.socket.recv(1 << 20)
        if not data:
            raise TableRefError("the server closed a page's connection")
        self._got += data
        delays = []
        for kind, body in self._messages():
            if kind == TEXT and (found := _HEAD.search(body[:200])):
                number, at = int(found[1]), float(found[2])
                if self._pictures and b'"follows":true' in body:
                    self._owed = number, at
                    continue
            elif kind == BINARY and self._owed is not None:
                (number, at), self._owed = self._owed, None
            else:
                continue
            if at != self._last:
                self._last = at
                delays.append(time.monotonic() - at)
            self.say({"type": "drawn", "number": number})
        return delays

    def _messages(self) -> list[tuple[int, bytes]]:
        found = []
        while len(self._got) >= 2:
            size, begin = self._got[1], 2
            if size >= 126:
                begin = 4 if size == 126 else 10
                if len(self._got) < begin:
                    break
                size = int.from_bytes(self._got[2:begin], "big")
            if len(self._got) < begin + size:
                break
            found.append((self._got[0] & 0x0F, bytes(self._got[begin : begin + size])))
            del self._got[: begin + size]
        return found


def watch(port: int, secret: str, pages: int, view: str, seconds: float) -> list[float]:
    """So many pages in this thread, of spectators by their link; says "begun" once they are warm."""
    # Others in the network: on the machine itself each would be the owner, and one address opens only some.
    who = f"X-Forwarded-For: 192.0.2.{{}}\r\nAuthorization: Bearer {secret}\r\n"
    chosen = selectors.DefaultSelector()
    for k in range(pages):
        page = Page(port, view, who.format(k + 1))
        chosen.register(page.socket, selectors.EVENT_READ, page)
    delays: list[float] = []
    warm: float | None = time.monotonic() + WARM_S
    end = time.monotonic() + WARM_S + seconds
    while (now := time.monotonic()) < end:
        if warm is not None and now >= warm:
            print("begun", flush=True)
            warm, delays = None, []
        for key, _ in chosen.select(0.1):
            delays += key.data.heard()
    return delays


def memory_mb() -> float | None:
    """What this process holds in memory now."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text())
    return None if found is None else round(int(found[1]) / 1024, 1)


Served = Callable[[], AbstractContextManager[tuple[Any, PageServer]]]


def measure(served: Served, pages: int, view: str, seconds: float) -> dict[str, Any]:
    """One audience: frames a second seen, processor time a frame, and the pages' delays."""
    with served() as (referee, server):
        secret = server.authenticator.secret("spectator")
        asked = [str(port_of(server)), secret, str(pages), view, str(seconds)]
        viewers = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.crowd", "watch", *asked],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert viewers.stdout is not None
        viewers.stdout.readline()
        before = memory_mb()
        began, seen, spent = time.monotonic(), referee.seen, time.process_time()
        said = viewers.stdout.read()
        took = time.monotonic() - began
        count, cpu, after = referee.seen - seen, time.process_time() - spent, memory_mb()
        complaint = viewers.stderr.read() if viewers.stderr is not None else ""
        if viewers.wait() != 0:
            raise TableRefError(f"a page's connection broke: {complaint.strip()[-400:]}")
    delays = json.loads(said)
    found: dict[str, Any] = {
        "messages": len(delays),
        "seen_fps": round(count / took, 1),
        "cpu_ms_a_frame": round(1e3 * cpu / max(count, 1), 1),
        "memory_mb": after,
        "memory_grew_mb": None if before is None or after is None else round(after - before, 1),
    }
    if delays:
        found |= {
            "frames_a_second_each": round(len(delays) / took / pages, 1),
            "delay_min_ms": round(1e3 * min(delays), 1),
            "delay_median_ms": round(1e3 * float(np.median(delays)), 1),
            "delay_p95_ms": round(1e3 * float(np.quantile(delays, 0.95)), 1),
        }
    return found


def run(seconds: float, most: int, *, read_before: bool = False) -> dict[str, Any]:
    """Every audience of at most so many pages, with its ratios to the one page of the same view."""
    table, coded = drawn(SIZE, PRINTED_PX, FRAMES)
    served: Served = partial(serving, table, coded, FPS)
    if read_before:
        referee = Referee(table)
        frames = [JpegFrame(data, k / FPS, k) for k, data in enumerate(coded)]
        served = partial(telling, table, [referee.step(frame) for frame in frames])
    found: dict[str, Any] = {}
    alone: dict[str, dict[str, Any]] = {}
    for name, pages, view in AUDIENCES:
        if pages > most:
            continue
        one = found[f"{pages} {name}" if pages else name] = measure(served, pages, view, seconds)
        first = alone.setdefault(name, one)
        if pages:
            one["p95_to_one"] = round(one["delay_p95_ms"] / first["delay_p95_ms"], 2)
            one["p95_over_min_ms"] = round(one["delay_p95_ms"] - first["delay_min_ms"], 1)
            extra = (one["cpu_ms_a_frame"] - found["nobody"]["cpu_ms_a_frame"]) * one["seen_fps"]
            one["cpu_ms_a_message"] = round(extra / (one["messages"] / seconds), 2)
            one["fps_to_nobody"] = round(one["seen_fps"] / found["nobody"]["seen_fps"], 3)
    found["load"] = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return found


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["watch"]:
        port, secret, pages, view, seconds = arguments[1:]
        print(json.dumps(watch(int(port), secret, int(pages), view, float(seconds))), flush=True)
        return 0
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crowd", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--quick", action="store_true", help="5 seconds for each audience, instead of 20")
    parser.add_argument("--telling", action="store_true", help="of frames that were read before")
    parser.add_argument("--most", type=int, default=60, help="leave out audiences of more pages")
    asked = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    found = run(5.0 if asked.quick else 20.0, asked.most, read_before=asked.telling)
    if asked.json:
        print(json.dumps(found))
        return 0
    for what, figures in found.items():
        print(what, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
