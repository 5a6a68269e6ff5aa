"""`python -m benchmarks.siege [--quick] [--json]`: what an invited player sees while the table is attacked.

Starts `tableref serve` in a process of its own, on this machine's loopback alone, with a new library. A
player who was invited sits down and stands up again, over and over; each answer is an event that is on the
disk. After some quiet, each attack runs for some seconds; told are the p95 of the player's answers and how
many there were, what became of the attack, and the server's memory. Then the server is killed with signal 9
in the middle of it and started again, as often as asked for, and what the record holds is compared with what
was acknowledged. Meanwhile the owner acts, `/healthz` is asked twenty times a second, and the frames that the
referee sees are counted. Those who were let in attack as well (`tests.server.insiders`): with disputes,
questions, papers, pages and files. A second server has slow syncs and a plug-in that does not answer; SIGTERM
and SIGINT come while it hangs. What the tests do to the files of a record (kills at any moment, cut logs,
full disks) is done by them and counted here, unless `--quick`. Other programs on the machine are in the
times: read them as ratios to the quiet.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from engine.errors import TableRefError
from server.play.keeping import SEAT
from server.recording.library.games import Library
from server.web.authentication import Authenticator, Role, key_file
from tests.server import insiders, plain  # noqa: F401 - no certificate is read for what is not encrypted

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "samples" / "opening-round"
PATIENCE_S = 120.0

SWITCH_S = 2e-4
"""Seconds for which an attacker's thread holds up the one who looks on, here in the same process."""
RECORD_TESTS = ("tests/server/recording/test_crash.py", "tests/server/recording/test_nothing_lost.py")

HOMES = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
SEATED = "Anna"

# One that a proxy speaks for is nobody on this machine: it comes in by its link alone, and is counted.
ELSEWHERE = {"x-forwarded-for": "192.0.2.1"}


@dataclass
class Server:
    """`tableref serve` at work."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]
    links: Authenticator

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def headers(self, role: Role) -> dict[str, str]:
        """Of somebody elsewhere in the network who has the link of a role."""
        return ELSEWHERE | {"authorization": f"Bearer {self.links.secret(role)}"}

    def joined(self, role: Role) -> dict[str, str]:
        """The headers of a device of its own that came in by the link of a role."""
        asked = {"secret": self.links.secret(role)}
        answer = httpx.post(f"{self.address}/api/join", json=asked, headers=ELSEWHERE, timeout=PATIENCE_S)
        return ELSEWHERE | {"cookie": "; ".join(f"{k}={v}" for k, v in answer.cookies.items())}

    def socket(
        self, path: str, role: Role | dict[str, str] | None, source: str = "127.0.0.1"
    ) -> ClientConnection:
        """A WebSocket of theirs, from an address; without a role, of the owner at this machine.

        Instead of the role there may be the headers of a device.
        """
        dialled = socket.create_connection(("127.0.0.1", self.port), PATIENCE_S, (source, 0))
        try:
            return connect(
                f"ws://127.0.0.1:{self.port}{path}",
                sock=dialled,
                additional_headers=self.headers(role) if isinstance(role, str) else role,
                max_size=None,
                open_timeout=PATIENCE_S,
            )
        except BaseException:
            dialled.close()
            raise

    def memory_mb(self) -> float | None:
        """What its process holds in memory."""
        status = Path(f"/proc/{self.process.pid}/status")
        found = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
        return None if found is None else round(int(found[1]) / 1024, 1)


@contextmanager
def served(folder: Path, *source: str, shim: str = "") -> Iterator[Server]:
    """The server of a source with its library in a folder, until it is killed; `shim` is run before it."""
    data = folder / "data"
    key = data / "tableref" / key_file().name
    if not key.exists():
        key.parent.mkdir(parents=True)
        key.write_text(secrets.token_hex(32))
        key.chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    asked = [
        "serve", *source, "--host", "127.0.0.1", "--port", str(port),
        "--library", str(folder / "library"), "--video", "off", "--no-browser",
    ]  # fmt: skip
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", f"{shim}\nfrom server.commands.cli import main; main()", *asked],
            env={**os.environ, "PYTHONPATH": str(ROOT), **{home: str(data) for home in HOMES}},
            cwd=folder, stdout=log, stderr=log,
        )  # fmt: skip
    links = Authenticator(bytes.fromhex(key.read_text()))
    server = Server(folder, port, process, links)
    try:
        until = time.monotonic() + PATIENCE_S
        while True:
            with suppress(httpx.HTTPError):
                if httpx.get(f"{server.address}/healthz", timeout=10).json()["state"] == "running":
                    break
            if process.poll() is not None or time.monotonic() > until:
                raise TableRefError(f"the server did not start; see {folder / 'server.log'}")
            time.sleep(0.1)
        yield server
    finally:
        process.kill()
        process.wait()


@contextmanager
def started(folder: Path, *more: str, shim: str = "") -> Iterator[Server]:
    """The server of the sample clip, with a seat for the player."""
    clip, table = SAMPLE / "opening-round.mp4", SAMPLE / "table.toml"
    source = ("--table", str(table), "--loop", "--source", str(clip))
    with served(folder, *source, *more, shim=shim) as server:
        with server.socket("/ws/play", None) as owner:
            draft = {"players": [{"name": SEATED, "colour": "#c8322b"}], "pieces": [], "answers": {}}
            owner.send(json.dumps({"type": "setup", "key": "the-seats", "draft": draft}))
            while json.loads(owner.recv(timeout=PATIENCE_S)).get("key") != "the-seats":
                pass
        yield server


class Player(threading.Thread):
    """An invited player who sits down and stands up; counts what was acknowledged, and how soon."""

    def __init__(self, server: Server, kept: set[str]) -> None:
        super().__init__(daemon=True)
        self._server, self._kept = server, kept
        self._ending = threading.Event()
        self.answers: list[float] = []
        self.refused = 0

    def run(self) -> None:
        """Until it is ended, or the server is gone."""
        while not self._ending.is_set():
            try:
                with self._server.socket("/ws/play", "player") as connection:
                    self._play(connection)
            except (OSError, WebSocketException, TimeoutError):
                if self._server.process.poll() is not None:
                    return
                self.refused += 1
                self._ending.wait(0.2)

    def end(self) -> None:
        """Sits no more."""
        self._ending.set()
        self.join(PATIENCE_S)

    def _play(self, connection: ClientConnection) -> None:
        state = json.loads(connection.recv(timeout=PATIENCE_S))
        sits = state["me"]["player"] is not None
        while not self._ending.is_set():
            key = secrets.token_hex(8)
            began = time.monotonic()
            connection.send(json.dumps({"type": "sit", "key": key, "player": None if sits else SEATED}))
            while (told := json.loads(connection.recv(timeout=PATIENCE_S))).get("key") != key:
                pass
            if told["accepted"]:
                self.answers.append(time.monotonic() - began)
                self._kept.add(key)
                sits = not sits
            else:
                self.refused += 1
            # A player's messages are bounded to 15 a second.
            self._ending.wait(0.08)


@dataclass
class Attack:
    """Something that somebody does for some seconds, counting what became of it."""

    server: Server
    ending: threading.Event = field(default_factory=threading.Event)
    became: Counter[str] = field(default_factory=Counter)

    def _sockets(self, first: bytes, more: bytes, count: int) -> None:
        with ExitStack() as opened:
            held = []
            with suppress(OSError):
                for _ in range(count):
                    one = socket.create_connection(("127.0.0.1", self.server.port), timeout=5)
                    held.append(opened.enter_context(one))
                    one.settimeout(0.5)
                    one.sendall(first)
            self.became["connections"] += len(held)
            while held and not self.ending.is_set():
                for one in list(held):
                    try:
                        if more:
                            one.sendall(more)
                        elif not one.recv(1):
                            raise ConnectionError
                    except TimeoutError:
                        pass
                    except OSError:
                        self.became["cut off"] += 1
                        held.remove(one)

    def headers(self) -> None:
        """Three connections whose headers have no end."""
        while not self.ending.is_set():
            self._sockets(b"GET / HTTP/1.1\r\n", b"x: y\r\n" * 10_000, 3)

    def address(self) -> None:
        """An address without an end."""
        while not self.ending.is_set():
            self._sockets(b"GET /", b"a" * 60_000, 3)

    def idle(self) -> None:
        """300 connections that say nothing."""
        self._sockets(b"", b"", 300)

    def asking(self, paths: Sequence[str], role: Role = "spectator") -> None:
        """Sixteen who ask, as fast as they are answered, for what takes long."""

        def ask() -> None:
            with httpx.Client(
                base_url=self.server.address, headers=self.server.headers(role), timeout=PATIENCE_S
            ) as who:
                for k in range(10**9):
                    if self.ending.is_set():
                        return
                    with suppress(httpx.HTTPError):
                        path = paths[k % len(paths)].format(width=240 + secrets.randbelow(1600))
                        self.became[str(who.get(path).status_code)] += 1

        crowd = [threading.Thread(target=ask, daemon=True) for _ in range(16)]
        for one in crowd:
            one.start()
        for one in crowd:
            one.join()

    def costly(self) -> None:
        """The gunner's view, whole states and pictures."""
        cars = "&".join(f"piece={name}" for name in self.cars()[:2])
        self.asking(
            [
                f"/api/gunner.svg?{cars}&width={{width}}",
                f"/api/ruling?{cars}",
                "/api/state",
                "/api/picture.jpg",
            ]
        )

    def cars(self) -> list[str]:
        """The names of the cars on the table."""
        answer = httpx.get(f"{self.server.address}/api/state", timeout=PATIENCE_S).json()
        return [p["name"] for p in answer["pieces"] if p["driven"]]

    def files(self) -> None:
        """Games of a friend that were tampered with."""
        insiders.friends_files(self, insiders.mutated(SAMPLE / "game.jsonl"))

    def strangers(self) -> None:
        """Uninvited ones, and pages of other sites."""

        def ask(headers: dict[str, str]) -> None:
            with suppress(httpx.HTTPError):
                answer = httpx.get(f"{self.server.address}/api/state", headers=headers, timeout=PATIENCE_S)
                self.became[str(answer.status_code)] += 1

        while not self.ending.is_set():
            for headers in (ELSEWHERE, {"host": "evil.local"}, {"sec-fetch-site": "cross-site"}):
                ask(headers)

    def places(self) -> None:
        """Spectators who take every place at the table; the owner's and a player's are tried meanwhile."""
        with ExitStack() as held:
            for k in range(100):
                # From ten addresses, of which each may hold twelve.
                with suppress(OSError, WebSocketException, TimeoutError):
                    held.enter_context(self.server.socket("/ws", "spectator", f"127.0.0.{2 + k % 10}"))
                    self.became["connections"] += 1
            for name, role in (("owner", None), ("player", "player")):
                try:
                    with self.server.socket("/ws", role) as one:  # type: ignore[arg-type]
                        one.recv(timeout=PATIENCE_S)
                    self.became[f"{name} let in"] += 1
                except (OSError, WebSocketException, TimeoutError):
                    self.became[f"{name} refused"] += 1
            self.ending.wait()


ATTACKS: dict[str, Callable[[Attack], None] | None] = {
    "quiet": None,
    "endless headers": Attack.headers,
    "an endless address": Attack.address,
    "300 idle connections": Attack.idle,
    "strangers": Attack.strangers,
    "16 who ask for what takes long": Attack.costly,
    "spectators in every place": Attack.places,
    "a player who opens and withdraws disputes": insiders.disputes,
    "a player who picks 600 times a second": insiders.players_select,
    "a spectator who picks 600 times a second": insiders.spectators_select,
    "a spectator who pings without end": insiders.pings,
    "16 spectators on papers and drawings": insiders.papers,
    "a spectator who seeks 600 times a second in a replay": insiders.replays,
    "pages that are opened and left": insiders.pages,
    "a friend's files": Attack.files,
    "quiet again": None,
}


def attacked(
    server: Server, kept: set[str], how: Callable[[Attack], None] | None, seconds: float
) -> dict[str, Any]:
    """What a player saw during an attack."""
    player, attack = Player(server, kept), Attack(server)
    player.start()
    watch = insiders.Watch(server, kept)
    watch.__enter__()
    attacker = None if how is None else threading.Thread(target=how, args=(attack,), daemon=True)
    if attacker is not None:
        attacker.start()
    most = server.memory_mb()
    began = time.monotonic()
    # At least one answer, however busy the machine is.
    while (took := time.monotonic() - began) < seconds or (not player.answers and took < PATIENCE_S):
        time.sleep(0.1)
        now = server.memory_mb()
        most = now if most is None or now is None else max(most, now)
    attack.ending.set()
    if attacker is not None:
        attacker.join(PATIENCE_S)
    watch.__exit__(None, None, None)
    player.end()
    p95 = 1e3 * float(np.quantile(player.answers, 0.95)) if player.answers else None
    return {
        "answers": len(player.answers),
        "refused": player.refused,
        "p95_ms": None if p95 is None else round(p95, 1),
        "most_memory_mb": most,
        **watch.figures(),
        "became": dict(sorted(attack.became.items())),
    }


def kept_of(folder: Path, acknowledged: set[str]) -> dict[str, int]:
    """What the record holds of what was acknowledged, by the keys of the requests."""
    with Library.open(folder / "library") as library:
        kinds = [SEAT, insiders.KEPT]
        entries = [e for game in library.games() for e in library.reader(game.id).entries(kinds)]
    found = {str(entry.data["request"]).rpartition(" ")[2] for entry in entries}
    lost = len(acknowledged - found)
    return {"acknowledged": len(acknowledged), "kept": len(acknowledged & found), "lost": lost}


SLOW_S = 0.5
"""Seconds that a sync of the second server takes."""

HAMPERED: dict[str, Callable[[Attack], None]] = {
    "pages opened and left": insiders.pages,
    "three more who act": insiders.crowded,
    "disputes": insiders.disputes,
}
"""What is done while syncs are slow."""


def hampered(
    folder: Path,
    kept: set[str],
    seconds: float,
    signs: Sequence[signal.Signals] = (signal.SIGTERM, signal.SIGINT),
    names: Sequence[str] = tuple(HAMPERED),
) -> dict[str, Any]:
    """A server whose syncs are slow, and whose game does not answer; and how soon it ends when it is told."""
    games = folder / "games"
    games.mkdir()
    (games / "hangs.py").write_text(insiders.HANGING, encoding="utf-8")
    found: dict[str, Any] = {}
    shim = insiders.SLOW.format(seconds=SLOW_S)
    for sign in signs:
        with started(folder, "--games", str(games), shim=shim) as server:
            if not found:
                found["slow syncs"] = attacked(server, kept, None, seconds)
                for name in names:
                    found[f"slow syncs, {name}"] = attacked(server, kept, HAMPERED[name], seconds)
                became: dict[str, int] = {}
                with insiders.Watch(server, kept) as watch:
                    took, again = insiders.hang(server, became, "hang")
                told: dict[str, Any] = {"told_after_s": round(took, 1), "told_again_after_s": round(again, 1)}
                told |= {"became": became}
                found["a game that does not answer"] = told | watch.figures()
            hangs = threading.Thread(target=insiders.hang_alone, args=(server,), daemon=True)
            hangs.start()
            time.sleep(1.0)
            began = time.monotonic()
            server.process.send_signal(sign)
            try:
                server.process.wait(60)
                ended: float | None = round(time.monotonic() - began, 1)
            except subprocess.TimeoutExpired:
                ended = None
            found[f"ended after {sign.name}, s"] = ended
    return found


def killed(folder: Path, kept: set[str], kills: int) -> None:
    """Kills the server with signal 9 in the middle of a player's events, and starts it again."""
    for _ in range(kills):
        with started(folder) as server:
            player = Player(server, kept)
            player.start()
            until = time.monotonic() + PATIENCE_S
            while not player.answers and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(0.3 * secrets.randbelow(100) / 100)
            server.process.kill()
            player.join(PATIENCE_S)


def of_the_tests() -> dict[str, Any]:
    """What the tests of the record do to its files: kills, cut logs and journals, full disks."""
    asked = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *RECORD_TESTS]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TABLEREF_DEEP": "1"}
    done = subprocess.run(asked, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    said = Counter({what: int(n) for n, what in re.findall(r"(\d+) (passed|failed|error)", done.stdout)})
    return {
        "command": f"pytest {' '.join(RECORD_TESTS)}",
        "passed": said["passed"],
        "failed": said["failed"] + said["error"],
    }


def run(
    seconds: float, kills: int, names: Sequence[str] = tuple(ATTACKS), *, hamper: bool = True
) -> dict[str, Any]:
    """Every attack on one server, then what hampers another one, then the kills."""
    found: dict[str, Any] = {}
    kept: set[str] = set()
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        with started(folder) as server:
            for name in names:
                one = found[name] = attacked(server, kept, ATTACKS[name], seconds)
                first = found[names[0]]["p95_ms"]
                one["p95_to_quiet"] = round(one["p95_ms"] / first, 2) if first and one["p95_ms"] else None
        if hamper:
            found |= hampered(folder, kept, seconds)
        killed(folder, kept, kills)
        found["record"] = {"kills": kills + 1, **kept_of(folder, kept)}
    found["load"] = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return found


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.siege", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--quick", action="store_true", help="3 s an attack, 3 kills, without the record's tests"
    )
    parser.add_argument(
        "--kills", type=int, default=None, help="how often the server is killed (default: 60)"
    )
    asked = parser.parse_args(argv)
    sys.setswitchinterval(SWITCH_S)
    kills = asked.kills if asked.kills is not None else 3 if asked.quick else 60
    # Who is cut off while they send is an error to the library of whoever attacks.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    with redirect_stdout(sys.stderr):  # what is imported is told
        found = run(3.0 if asked.quick else 20.0, kills)
    if not asked.quick:
        found["tests of the record"] = of_the_tests()
    if asked.json:
        print(json.dumps(found))
        return 0
    for what, figures in found.items():
        print(what, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
