"""A served table at which a game can be played, and its connections."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from websockets.sync.client import ClientConnection, connect

from engine.space.geometry import Pose
from server.disputes.desk import Desk
from server.disputes.frame_buffer import FrameBuffer
from server.formats.entries import EntryLog
from server.pipeline.runner import Runner
from server.play.host import MatchHost
from server.play.moving.move_guide import MoveGuide
from server.play.routes import play_router
from server.play.subjects import Subjects
from server.play.view import Guides, SharedView
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from server.web.authentication import COOKIE, Role
from tests.server.fakes import PATIENCE, STANDINGS, HandMoved, KnowsAll, wait_until

CARS = ("RED1", "RED2", "BLUE1", "BLUE2")
DRAFT: dict[str, Any] = {
    "players": [{"name": "Anna", "colour": "#c8322b"}, {"name": "Ben", "colour": "#1f6fd0"}],
    "pieces": [
        {"name": n, "owner": o, "answers": {"brand": b, "primary": p, "secondary": s}}
        for n, o, b, p, s in (
            ("RED1", "Anna", "Venus", "Machine Gun", "Harpoon"),
            ("RED2", "Anna", "Mule", "Autocannon", "Oil"),
            ("BLUE1", "Ben", "Hammer", "Tank Cannon", "Long Horn"),
            ("BLUE2", "Ben", "Pulsar", "Plinker", "Railgun"),
        )
    ],
    "answers": {"deployment": "highway"},
}

_keys = itertools.count()


@dataclass
class Table:
    """A served game, with its parts in reach."""

    source: HandMoved
    live: Runner
    host: MatchHost
    server: PageServer

    @property
    def url(self) -> str:
        return self.server.address

    def shown(self, role: Role) -> dict[str, str]:
        """The headers of a phone with a pass of this role."""
        return {"cookie": f"{COOKIE}={self.server.authenticator.issue(role)}"}

    @contextmanager
    def joined(self, role: Role = "owner", headers: dict[str, str] | None = None) -> Iterator[Player]:
        """A connection of the game; on this machine one is the owner unless a pass says otherwise."""
        more = headers if headers is not None else ({} if role == "owner" else self.shown(role))
        where = self.url.replace("http", "ws") + "ws/play"
        with connect(where, additional_headers=more, open_timeout=PATIENCE) as connection:
            yield Player(connection)


class Player:
    """A page of the game as a program uses it."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self._kept: list[dict[str, Any]] = []
        self.state: dict[str, Any] = {}
        """The newest whole state that was told."""
        self.hear()

    def hear(self) -> dict[str, Any]:
        """The next message: what came while an answer was awaited comes first."""
        return self._kept.pop(0) if self._kept else self._receive(PATIENCE)

    def hear_until(self, fits: Any) -> dict[str, Any]:
        """The next message that fits."""
        end = time.monotonic() + PATIENCE
        while not fits(message := self.hear()):
            assert time.monotonic() < end, "waited in vain for a message that fits"
        return message

    def shows(self, fits: Any) -> dict[str, Any]:
        """The state that the page shows once it fits, be it told already: it may not change any more."""
        end = time.monotonic() + PATIENCE
        while not fits(self.state):
            assert time.monotonic() < end, "waited in vain for a state that fits"
            self.hear()
        return self.state

    def ask(self, key: str | None = None, **request: Any) -> dict[str, Any]:
        """The answer to a request."""
        key = key or f"key-{next(_keys):08}"
        self._forget()
        self.connection.send(json.dumps(request | {"key": key}))
        while (message := self._receive(PATIENCE))["type"] != "answer" or message["key"] != key:
            self._kept.append(message)
        return message

    def _forget(self) -> None:
        """What was told before a request says nothing about what follows from it."""
        self._kept.clear()
        with suppress(TimeoutError):
            while True:
                self._receive(0.0)

    def _receive(self, seconds: float) -> dict[str, Any]:
        message = json.loads(self.connection.recv(timeout=seconds))
        assert isinstance(message, dict)
        if message["type"] == "play":
            self.state = message
        elif message["type"] == "guide":
            self.state = self.state | {"guide": message["guide"]}
        return message

    def done(self, **request: Any) -> None:
        answer = self.ask(**request)
        assert answer["accepted"], answer

    def act(self, kind: str, **data: Any) -> dict[str, Any]:
        return self.ask(type="act", kind=kind, data=data)


@contextmanager
def gaming(
    keeps: EntryLog | None = None,
    guide: Guides | None = None,
    *,
    screen: bool = False,
    follows: bool = False,
    sd: float = 0.012,
) -> Iterator[Table]:
    source = HandMoved()
    live = Runner(source, KnowsAll(source, sd))
    host = MatchHost(keeps, lambda: None if live.moment is None else live.moment.table)
    moves = MoveGuide(live, host) if screen else None
    scene = SharedView(host, live, moves or guide)
    playing = Rulings(lambda: (host.game, host.match and host.match.state), turn=lambda: host.turn)
    rulings = playing if follows else Rulings.by_book(None)
    desk = Desk(live, playing, FrameBuffer(), host.keeping.journal, subjects=Subjects(host, moves))
    with PageServer(live, rulings, listen(port=0), routers=[play_router(scene)], desk=desk) as server:
        wait_until("the first moment", lambda: live.moment is not None)
        yield Table(source, live, host, server)


def put_away(table: Table, owner: Player) -> None:
    """The table is as it was when it was opened: no game, nobody named, and everything where it stood."""
    table.source.poses = {name: pose for name, (_, pose) in STANDINGS.items()}
    table.source.statuses.clear()
    owner.done(type="anew")
    owner.done(type="setup", draft={"game": "white_line_fever"})
    owner.done(type="modes", modes={})
    number = table.live.snapshot.number
    wait_until("it to be seen", lambda: table.live.snapshot.number > number + 1)


def begun(owner: Player) -> None:
    """Set up, begun and deployed."""
    owner.done(type="setup", draft=DRAFT)
    owner.done(type="begin")
    for car in ("RED1", "BLUE1", "RED2", "BLUE2"):
        assert owner.act("deploy", car=car)["accepted"]


def let_stand(table: Table, owner: Player, **at: Pose) -> None:
    """Pieces are put somewhere, and the players let them stay."""
    for name, pose in at.items():
        table.source.move(name, pose)
    owner.shows(lambda s: {stray["piece"] for stray in (s["match"] or {}).get("strays", ())} >= set(at))
    owner.done(type="stays", pieces=list(at))
    # What was told before that says nothing of where they are put next.
    owner.shows(lambda s: not {stray["piece"] for stray in (s["match"] or {}).get("strays", ())} & set(at))
