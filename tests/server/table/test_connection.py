"""How often pages are told, and what follows the turn."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from engine.space.geometry import Pose
from server.pipeline.runner import Runner
from server.table import connection
from server.table.connection import PICTURE, TOLD_A_SECOND, WATCHED_A_SECOND, Audience
from server.table.questions.rulings import Rulings
from server.table.state import Wish
from server.table.viewer import Subscriber
from server.web.authentication import Identity, Role
from server.web.websockets import News
from tests.server.conftest import joined, serving
from tests.server.fakes import PATIENCE, STANDINGS, HandMoved, KnowsAll
from tests.server.gaming import begun, gaming
from tests.server.web.test_authentication import shown

SOURCE = HandMoved()
LIVE, BOOK = Runner(SOURCE, KnowsAll(SOURCE)), Rulings.by_book(None)


@pytest.fixture
def audience(monkeypatch: pytest.MonkeyPatch) -> Audience:
    monkeypatch.setattr(connection.os, "cpu_count", lambda: 2)
    return Audience(LIVE, BOOK)


def viewers(count: int, view: Any = "table") -> list[Subscriber]:
    made = [Subscriber(LIVE, BOOK) for _ in range(count)]
    for one in made:
        one.wish = Wish(view=view)
    return made


class TestPause:
    def looking(
        self, audience: Audience, here: ExitStack, some: list[Subscriber], role: Role = "spectator"
    ) -> None:
        for one in some:
            here.enter_context(audience.woken(one, News(), role))

    def test_grows_with_the_spectators_and_is_none_for_few(self, audience: Audience) -> None:
        async def told() -> tuple[float, float, float]:
            with ExitStack() as here:
                self.looking(audience, here, viewers(8))
                few = audience.pause()
                self.looking(audience, here, viewers(52))
                many = audience.pause()
            return few, many, audience.pause()

        assert asyncio.run(told()) == (0.0, pytest.approx(60 / (2 * TOLD_A_SECOND)), 0.0)

    def test_a_picture_counts_more(self, audience: Audience) -> None:
        async def told() -> float:
            with ExitStack() as here:
                self.looking(audience, here, viewers(30, "picture"))
                return audience.pause()

        assert asyncio.run(told()) == pytest.approx(PICTURE * 30 / (2 * TOLD_A_SECOND))

    def test_owner_and_players_are_not_counted(self, audience: Audience) -> None:
        async def told() -> float:
            with ExitStack() as here:
                self.looking(audience, here, viewers(40), "player")
                self.looking(audience, here, viewers(40), "owner")
                return audience.pause()

        assert asyncio.run(told()) == 0.0


def test_what_is_wished_is_bounded_by_device_and_for_all_spectators_together() -> None:
    now = [0.0]
    audience = Audience(Runner(SOURCE, KnowsAll(SOURCE), clock=lambda: now[0]), BOOK)

    def wishes(who: Identity) -> int:
        pages = [audience.bucket(who) for _ in range(10)]
        return sum(audience.may_wish(who, one) for one in pages for _ in range(60))

    watching = [wishes(Identity("spectator", str(k))) for k in range(20)]
    assert watching[0] == 8, "ten pages of one device count as one"
    assert sum(watching) == 4 * WATCHED_A_SECOND
    assert wishes(Identity("player", "phone")) == 24, "players are not held up by them"
    now[0] = 1.0
    assert wishes(Identity("player", "phone")) == 6
    assert wishes(Identity("spectator", "0")) == 2


def test_the_owner_is_told_of_more_than_a_spectator_of_a_full_house(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FEW", 0.0)
    monkeypatch.setattr(connection, "TOLD_A_SECOND", 0.05)
    with (
        serving() as one,
        joined(one.url) as owner,
        joined(one.url, additional_headers=shown(one, "spectator")) as spectator,
    ):
        heard: list[dict[str, Any]] = []

        def listen() -> None:
            with suppress(ConnectionClosed):
                while True:
                    heard.append(spectator.hear())

        listening = threading.Thread(target=listen)
        listening.start()
        for k in range(40):
            one.source.move("RED1", Pose(20.0 + k / 4, 24.0, 0.0))
            owner.hear()
        spectator.connection.close()
        listening.join()
    assert heard[0]["type"] == "state", "told at once what stands there"
    assert len(heard) < 20


# What follows the turn


class TablePage:
    """A page of the table as a program uses it: the state, with every change put in."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.state: dict[str, Any] = {}
        self.pieces: dict[str, dict[str, Any]] = {}

    def until(self, fits: Any) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while not (self.state and fits(self.state)):
            assert time.monotonic() < end, "waited in vain for a state that fits"
            heard = json.loads(self.connection.recv(timeout=PATIENCE))
            self.pieces |= {piece["name"]: piece for piece in heard.get("pieces", ())}
            self.state |= {k: v for k, v in heard.items() if k not in ("pieces", "type")}
            self.connection.send(json.dumps({"type": "drawn", "number": heard["number"]}))
        return self.state

    def select(self, *pieces: str, question: str | None = None) -> dict[str, Any]:
        said = {"type": "select", "pieces": list(pieces), "question": question}
        self.connection.send(json.dumps(said))
        wanted = (list(pieces), question)
        return self.until(
            lambda s: (s["selection"]["pieces"], s["selection"]["question"]) == wanted and s["reach"]
        )


def ahead(state: dict[str, Any], role: str, car: str, at: Pose) -> float:
    """Inches that a mark of this role reaches ahead of the front tyres of a car that heads along x."""
    tyres = at.to_table(STANDINGS[car][0].body.tyres[:2])
    points = [p for mark in state["reach"] if mark["role"] == role for p in mark["points"]]
    return float(max(x for x, _ in points) - max(x for x, _ in tyres))


def test_ranges_weapons_and_rings_are_those_of_the_car_on_its_sheet_in_this_turn() -> None:
    with gaming(follows=True) as table, table.joined() as owner:
        begun(owner)
        for kind in ("choose", "move"):
            assert owner.act(kind, car="RED1")["accepted"]
        at = Pose(24, 24, 0)
        table.source.move("RED1", at)
        with connect(table.url.replace("http", "ws") + "ws") as connection:
            page = TablePage(connection)
            page.until(lambda _: abs(page.pieces["RED1"]["x"] - at.x) < 0.05)
            state = page.select("RED1")
            # A Venus: two inches more than the weapon's line says, on every ring and in every word.
            assert [q["label"] for q in state["questions"]] == ["Machine Gun", "Harpoon"]
            state = page.select("RED1", question="Harpoon")
            assert "Short 8″, Maximum 18″" in state["questions"][1]["more"]
            assert abs(ahead(state, "far reach", "RED1", at) - 18.0) < 0.3
            assert abs(ahead(state, "reach", "RED1", at) - 8.0) < 0.3
            # Another car's are its own: a Hammer with a Tank Cannon has no two inches.
            assert [q["label"] for q in page.select("BLUE1")["questions"]] == ["Tank Cannon", "Long Horn"]
            assert owner.act("end")["accepted"]
            state = page.until(lambda s: s["turn"] == 2)
            assert state["selection"]["pieces"] == []
            assert state["reach"] == []
