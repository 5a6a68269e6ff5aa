"""How often whoever looks at a table is told."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from engine.space.geometry import Pose
from server.pipeline.runner import Runner
from server.table import connection
from server.table.connection import PICTURE, TOLD_A_SECOND, Audience
from server.table.questions.rulings import Rulings
from server.table.state import Wish
from server.table.viewer import Viewer
from server.web.authentication import Role
from server.web.websockets import News
from tests.server.conftest import joined, serving
from tests.server.fakes import HandMoved, KnowsAll
from tests.server.web.test_authentication import shown

SOURCE = HandMoved()
LIVE, BOOK = Runner(SOURCE, KnowsAll(SOURCE)), Rulings.by_book(None)


@pytest.fixture
def audience(monkeypatch: pytest.MonkeyPatch) -> Audience:
    monkeypatch.setattr(connection.os, "cpu_count", lambda: 2)
    return Audience(LIVE, BOOK)


def viewers(count: int, view: Any = "table") -> list[Viewer]:
    made = [Viewer(LIVE, BOOK) for _ in range(count)]
    for one in made:
        one.wish = Wish(view=view)
    return made


class TestPause:
    def looking(
        self, audience: Audience, here: ExitStack, some: list[Viewer], role: Role = "spectator"
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
