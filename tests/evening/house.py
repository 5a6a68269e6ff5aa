"""The application of an evening in one process, and everybody who looks at it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
from pydantic_core import from_json
from websockets.sync.client import ClientConnection, connect

from calibration.tablefile import TableFile, parse_table
from engine.game import answering
from server.commands.recording import RecordingOptions, recording
from server.pipeline.opening import Choice, Opener
from server.pipeline.runner import Runner
from server.play.machine import Machines
from server.play.standing import Ceased
from server.recording.library.games import Library
from server.recording.recorder import Recorder
from server.serving.assembly import Assembled, assemble
from server.serving.run import listen
from server.setup.cameras.sourcing import Chooser
from server.web.authentication import COOKIE, Identity
from tests.evening.table import STEP_S, Eyes, Hands
from tests.server import once  # noqa: F401 - begins to serve in a third less
from vision.simulate.scene import Scene

PATIENCE_S = 60.0

SOURCES = "/api/sources"
"""Looks for cameras."""

READ: list[str] = []
"""The documented paths that are read, once they were asked for."""


class Violation(AssertionError):
    """Something that may not be: a rule of the evening by its name, and what was found."""

    def __init__(self, rule: str, words: str) -> None:
        super().__init__(f"{rule}: {words}")
        self.rule = rule


class Complaints(logging.Handler):
    """Every warning and error that the product logs."""

    def __init__(self, kept: list[str]) -> None:
        super().__init__(logging.WARNING)
        self._kept = kept

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self._kept.append(self.format(record))


@dataclass
class House:
    """The application over a table, and everybody who looks at it."""

    hands: Hands
    live: Runner
    served: Assembled
    client: httpx.Client
    recorder: Recorder
    library: Library
    phones: dict[str, Identity]
    """By player, the device that has the seat."""
    held: dict[str, object] = field(default_factory=dict)
    """What each outlet told when it was held last, and of which table."""
    _read: tuple[str, dict[str, Any]] = ("", {})
    """The last page that was read, as bytes and as what stands in them."""

    owner = Identity("owner")
    spectator = Identity("spectator", "5" * 16)
    stranger = Identity("player", "f" * 16)
    """A phone that came in by a player's link and has no seat."""

    @property
    def game_id(self) -> str:
        """The record of this evening."""
        assert self.recorder.game is not None
        return str(self.recorder.game.id)

    @property
    def viewers(self) -> dict[str, Identity]:
        """Everybody who looks, by name."""
        return {"the owner": self.owner, "a spectator": self.spectator, **self.phones}

    @property
    def read_by_anybody(self) -> list[str]:
        """Every documented path that is read, with no more in it than the game; cameras are not opened."""
        if not READ:  # the same in every evening, whatever is played
            paths = self.served.server.app.openapi()["paths"].items()
            READ.extend(
                p
                for p, how in paths
                if "get" in how and "{" not in p.replace("{id}", "") and not _printed(how["get"])
            )
            READ.remove(SOURCES)
        return READ

    def tick(self, pictures: int = 1) -> None:
        """Have so many pictures taken and judged."""
        for _ in range(pictures):
            number = self.hands.want()
            seen = threading.Event()
            stop = self.live.watch(seen.set)
            try:
                while self.live.moment is None or self.live.moment.index < number:
                    if not seen.wait(PATIENCE_S):
                        raise Violation("the table stops", f"picture {number} was never judged")
                    seen.clear()
            finally:
                stop()
        since, _ = self.hands.past.runs.pop()
        self.hands.past.runs.append((since, self.hands.time - self.recorder.now_s))

    def headers(self, who: Identity) -> dict[str, str]:
        """Show a door who somebody is."""
        passed = self.served.server.authenticator.pass_for(who)
        return {} if who.role == "owner" else {"cookie": f"{COOKIE}={passed}"}

    def get(self, who: Identity, path: str, **query: Any) -> Any:
        """Ask for a page or an answer over HTTP, as somebody."""
        return self.client.get(path, params=query, headers=self.headers(who))

    def disputable(self) -> list[Any]:
        """Give what may be disputed now, as the owner's page offers it."""
        return self.get(House.owner, "/api/disputes/offer").json().get("subjects") or []

    def post(self, who: Identity, path: str, body: Any) -> Any:
        """Send something over HTTP, as somebody."""
        return self.client.post(path, json=body, headers=self.headers(who))

    @contextmanager
    def socket(self, who: Identity, path: str) -> Iterator[ClientConnection]:
        """Open a websocket as somebody."""
        where = self.served.server.address.replace("http", "ws", 1).rstrip("/")
        with connect(
            f"{where}{path}", additional_headers=self.headers(who), open_timeout=PATIENCE_S, max_size=None
        ) as one:
            yield one

    def shown(self, who: Identity) -> dict[str, Any]:
        """Give what a page of the game shows to somebody, as it went over the wire."""
        return self.read(self.wire(who))

    def read(self, wire: str) -> dict[str, Any]:
        """Give what stands in the bytes of a page; those that were read last are not read again."""
        if self._read[0] != wire:
            self._read = wire, from_json(wire)
        return self._read[1]

    def wire(self, who: Identity) -> str:
        """Give the bytes that a page of the game is told."""
        return self.served.scene.sent(who)[0]


def _printed(how: Mapping[str, Any]) -> bool:
    """Whether a path gives paper alone, in which nothing is read."""
    return set(how["responses"]["200"].get("content", ())) == {"application/pdf"}


@cache
def _table(text: str) -> TableFile:
    return parse_table(text, "the table of the evening")


@contextmanager
def house(folder: Path, scene: Scene, hands: Hands, phones: dict[str, Identity]) -> Iterator[House]:
    """Open the application over a table, its record in `folder`; a game that was cut off there goes on."""
    made: House
    table = _table(hands.text)
    choice = Choice("sim")
    # A game of one's own is not given up because the machine has much to do.
    patient = replace(answering.usual, limit_s=PATIENCE_S)
    with ExitStack() as stack, mock.patch.object(answering, "usual", patient):
        recorder = stack.enter_context(
            recording(RecordingOptions(str(folder), video=None), table, choice.spec)
        )
        assert recorder is not None
        library = stack.enter_context(Library.open(folder))
        # The clock goes with the pictures: what is shown is never older than the newest of them.
        live = Runner(hands, Eyes(hands, table), keeper=recorder, clock=lambda: hands.time)
        live.watch(lambda: hands.close() if live.stopping else None)
        chooser = Chooser(live, Opener(table, drawn=True), choice)
        # Machines look when they are told to, and time goes by for them as pictures are taken.
        thinking = partial(Machines, clock=lambda: hands.time, sleep=lambda _: made.tick(), by_itself=False)
        with (
            mock.patch("server.serving.assembly.Machines", lambda host, live, thinker: thinking(host, live)),
            mock.patch("server.play.host.Ceased", return_value=Ceased(lambda: hands.time)),
        ):
            served = assemble(
                chooser, listen(port=0), table, recorder, library, write=partial(setattr, hands, "text")
            )
        stack.enter_context(served.server)
        address = served.server.address
        client = stack.enter_context(httpx.Client(base_url=address, timeout=PATIENCE_S, verify=False))
        made = House(hands, live, served, client, recorder, library, phones)
        hands.past.runs.append((hands.time + STEP_S, 0.0))
        made.tick()
        yield made
