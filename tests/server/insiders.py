"""What those who were let in can do to a table, besides `tests.server.siege`: what they say, send and play.

`Watch` tells meanwhile how the owner's acts are answered, how long `/healthz` takes, and how many frames the
referee sees.
"""

from __future__ import annotations

import json
import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection

from engine.errors import TableRefError
from server.play.keeping import MODES
from server.web.authentication import Role

if TYPE_CHECKING:
    from tests.server.siege import Attack, Server

PATIENCE_S = 120.0
CUT_OFF_S = 5.0
GONE = (OSError, WebSocketException, TimeoutError, httpx.HTTPError)

HANGING = '''
import threading
from dataclasses import dataclass

from engine.game.kit.actions import Rule
from engine.game.contract import About, Game, Option
from engine.game.events import Event
from engine.game.kit.events import Events
from engine.game.kit.states import States
from engine.game.showing import Status


@dataclass(frozen=True)
class Nothing:
    """The state of a game in which nothing is."""


GO, HUNG = threading.Event(), threading.Event()


def hang(play, action):
    HUNG.set()
    while True:
        pass


def wait(play, action):
    HUNG.set()
    GO.wait()


EVENTS = Events("Hangs 1")


@EVENTS.on("begin")
def begins(state, data):
    return state


GAME = Game(
    about=About("hangs", "Hangs", "Hangs 1", "1", players=(1, 8)),
    states=States(Nothing),
    events=EVENTS,
    begin=lambda setup: (Event("begin", {}, "It begins", "Hangs 1"),),
    offers=lambda state, seen: (Option("hang", None, "Hang"), Option("wait", None, "Wait")),
    rules={"hang": Rule(hang, "hang", "Hangs 1"), "wait": Rule(wait, "wait", "Hangs 1")},
    status=lambda state, viewer: Status("It goes on", "Everybody"),
)
'''
"""A plug-in that does not answer when it acts: by working for ever, or by waiting."""

SLOW = """
import os, time
from server.recording.library.games import GameWriter
sync, write = os.fsync, GameWriter.write
os.fsync = lambda fd: (time.sleep({seconds}), sync(fd))[1]
GameWriter.write = lambda *said: (write(*said), time.sleep({seconds}))[0]
"""
"""What makes every sync of a server slow, of its second journal and of its database, before it is started."""


class Watch:
    """Somebody at the table who acts for the owner, and asks how the server is; until it is ended."""

    def __init__(self, server: Server, kept: set[str]) -> None:
        self._server, self._kept = server, kept
        self._ending = threading.Event()
        self.acts: list[float] = []
        self.healths: list[float] = []
        self.frames: list[float] = []
        self.failed = 0
        self._threads = [
            threading.Thread(target=self._until_ended, args=(one,), daemon=True)
            for one in (self._act, self._ask)
        ]

    def __enter__(self) -> Watch:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join(PATIENCE_S)

    def _until_ended(self, what: Callable[[], None]) -> None:
        while not self._ending.is_set():
            try:
                what()
            except GONE:
                self.failed += 1
                self._ending.wait(0.2)

    def _act(self) -> None:
        with self._server.socket("/ws/play", None) as owner:
            for k in range(10**9):
                if self._ending.is_set():
                    return
                key, began = secrets.token_hex(8), time.monotonic()
                modes = {"dice": ("roll", "type")[k % 2]}
                told = ask(owner, key, type="modes", modes=modes)
                if told["accepted"]:
                    self.acts.append(time.monotonic() - began)
                    self._kept.add(key)
                else:
                    self.failed += 1
                self._ending.wait(0.15)

    def _ask(self) -> None:
        with httpx.Client(base_url=self._server.address, timeout=PATIENCE_S) as owner:
            while not self._ending.is_set():
                began = time.monotonic()
                health = owner.get("/healthz").json()
                self.healths.append(time.monotonic() - began)
                self.frames.append(float(health["fps"]))
                self._ending.wait(0.05)

    def figures(self) -> dict[str, Any]:
        """What was seen."""

        def ms(share: float, of: list[float]) -> float | None:
            return round(1e3 * float(np.quantile(of, share)), 1) if of else None

        late = self.frames[len(self.frames) // 3 :]  # frames a second are counted over two
        return {
            "owners_acts": len(self.acts),
            "owners_act_p95_ms": ms(0.95, self.acts),
            "owners_act_failed": self.failed,
            "healthz_p99_ms": ms(0.99, self.healths),
            "healthz_max_ms": ms(1.0, self.healths),
            "frames_a_second": round(float(np.mean(late)), 1) if late else None,
        }


def ask(connection: ClientConnection, key: str, **request: Any) -> dict[str, Any]:
    """The answer to a request to the game."""
    connection.send(json.dumps(request | {"key": key}))
    while True:
        told: dict[str, Any] = json.loads(connection.recv(timeout=PATIENCE_S))
        if told.get("key") == key:
            return told


# Who was let in


@contextmanager
def crowd(attack: Attack, count: int, what: Callable[[int], None]) -> Iterator[None]:
    """So many at a time, each again and again until the attack ends."""

    def again(number: int) -> None:
        while not attack.ending.is_set():
            try:
                what(number)
            except GONE:
                attack.became["turned away"] += 1
                attack.ending.wait(0.1)

    threads = [threading.Thread(target=again, args=(k,), daemon=True) for k in range(count)]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(PATIENCE_S)


def disputes(attack: Attack) -> None:
    """A player's eight connections that open and withdraw disputes as fast as they are answered."""
    cars, headers = attack.cars()[:2], attack.server.joined("player")

    def settle(_: int) -> None:
        with httpx.Client(base_url=attack.server.address, headers=headers, timeout=PATIENCE_S) as who:
            while not attack.ending.is_set():
                for step, body in (("", {"pieces": cars}), ("/now/release", {})):
                    attack.became[str(who.post(f"/api/disputes{step}", json=body).status_code)] += 1

    with crowd(attack, 8, settle):
        pass


def selects(attack: Attack, role: Role) -> None:
    """Ten sockets of one device on which something else is picked sixty times a second."""
    cars, headers = attack.cars(), attack.server.joined(role)

    def pick(number: int) -> None:
        with attack.server.socket("/ws", headers) as page:
            reading = threading.Thread(target=_draw, args=(page,), daemon=True)
            reading.start()
            for k in range(number, 10**9):
                if attack.ending.is_set():
                    return
                pair = [cars[k % len(cars)], cars[(k // len(cars) + k + 1) % len(cars)]]
                page.send(json.dumps({"type": "select", "pieces": pair}))
                attack.became["selects"] += 1
                attack.ending.wait(1 / 60)

    with crowd(attack, 10, pick):
        pass


def _draw(page: ClientConnection) -> None:
    """Draws at once whatever is told: as fast as a page can be told at all."""
    with suppress(*GONE):
        while True:
            told = page.recv(timeout=PATIENCE_S)
            if isinstance(told, str):
                page.send(json.dumps({"type": "drawn", "number": json.loads(told)["number"]}))


def players_select(attack: Attack) -> None:
    """A player who picks."""
    selects(attack, "player")


def spectators_select(attack: Attack) -> None:
    """A spectator who picks."""
    selects(attack, "spectator")


def papers(attack: Attack) -> None:
    """Sixteen connections of spectators on sheets, drawings and whole states."""
    cars = "&".join(f"piece={name}" for name in attack.cars()[:2])
    paths = ["/api/play/sheets.pdf", f"/api/gunner.svg?{cars}&width={{width}}", "/api/state"]
    attack.asking(paths)


def pages(attack: Attack) -> None:
    """Pages of the game that are opened and left."""

    def look(_: int) -> None:
        with attack.server.socket("/ws/play", "spectator") as page:
            page.recv(timeout=PATIENCE_S)
            attack.became["pages"] += 1

    with crowd(attack, 3, look):
        pass


def replays(attack: Attack) -> None:
    """Ten pages of one spectator that each go elsewhere in a recorded game sixty times a second."""
    headers, dice = attack.server.joined("spectator"), random.Random(10)
    found = httpx.get(f"{attack.server.address}/api/games", headers=headers, timeout=PATIENCE_S).json()
    where = f"/ws/replay?game={found['games'][-1]['id']}"

    def seek(_: int) -> None:
        with attack.server.socket(where, headers) as page:
            threading.Thread(target=_draw, args=(page,), daemon=True).start()
            while not attack.ending.is_set():
                page.send(json.dumps({"type": "seek", "at_s": round(60 * dice.random(), 2)}))
                attack.became["seeks"] += 1
                attack.ending.wait(1 / 60)

    with crowd(attack, 10, seek):
        pass


def pings(attack: Attack) -> None:
    """A spectator's four connections that send pings as fast as they are taken."""
    thousand = 1000 * b"\x89\x80\0\0\0\0"

    def ping(_: int) -> None:
        with attack.server.socket("/ws/play", "spectator") as page:
            # Cut off in the middle of it, this library may not notice that nothing comes any more.
            page.recv(timeout=CUT_OFF_S)
            while not attack.ending.is_set():
                page.socket.sendall(thousand)
                attack.became["thousands"] += 1

    with crowd(attack, 4, ping):
        pass


def friends_files(attack: Attack, made: Callable[[random.Random], bytes]) -> None:
    """Files of a friend that are imported into the library that is being recorded into."""
    from server.commands.records.games import import_game  # noqa: PLC0415 - only here

    file, dice = attack.server.folder / "friend.jsonl", random.Random(26)
    while not attack.ending.is_set():
        file.write_bytes(made(dice))
        try:
            import_game(file, str(attack.server.folder / "library"))
            attack.became["taken"] += 1
        except TableRefError:
            attack.became["refused"] += 1


def mutated(file: Path) -> Callable[[random.Random], bytes]:
    """A game with a few bytes of a line, or a number in it, made others."""
    lines = file.read_bytes().splitlines()

    def made(dice: random.Random) -> bytes:
        k = dice.randrange(len(lines))
        line = bytearray(lines[k])
        for _ in range(dice.choice((1, 3))):
            line[dice.randrange(len(line))] = dice.randrange(32, 127)
        return b"\n".join([*lines[:k], bytes(line), *lines[k + 1 :]]) + b"\n"

    return made


def crowded(attack: Attack) -> None:
    """Three more pages of the owner on which something is switched as fast as it is answered."""

    def switch(number: int) -> None:
        with attack.server.socket("/ws/play", None) as page:
            for k in range(number, 10**9):
                if attack.ending.is_set():
                    return
                told = ask(page, secrets.token_hex(8), type="modes", modes={"coach": bool(k % 2)})
                attack.became["switched"] += told["accepted"]
                attack.ending.wait(0.1)

    with crowd(attack, 3, switch):
        pass


def hang(server: Server, became: dict[str, int], how: str) -> tuple[float, float]:
    """A game that does not answer is begun, acts twice, and is ended; seconds until each was told."""
    with server.socket("/ws/play", None) as owner:

        def done(**request: Any) -> dict[str, Any]:
            return ask(owner, secrets.token_hex(8), **request)

        players = [{"name": "Anna", "colour": "#c8322b"}]
        draft = {"game": "hangs", "players": players, "pieces": [], "answers": {}}
        done(type="setup", draft=draft)
        begun = done(type="begin")
        took = []
        for _ in range(2):
            began = time.monotonic()
            told = done(type="act", kind=how, data={})
            took.append(time.monotonic() - began)
        ended = done(type="anew")
    became["begun"] = became.get("begun", 0) + begun["accepted"]
    became["told"] = became.get("told", 0) + ("does not answer" in str(told))
    became["ended"] = became.get("ended", 0) + ended["accepted"]
    return took[0], took[1]


def hang_alone(server: Server) -> None:
    """The same, while the server is told to end: nobody hears of it."""
    with suppress(*GONE):
        hang(server, {}, "hang")


KEPT = MODES
"""The kind of entry of what `Watch` does."""
