"""The record survives real play: undo, redo, restart, and whoever looks at the game while it is on."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.game.records import to_json
from engine.game.showing import Viewer
from server.replay.match_history import MatchHistory
from server.replay.routes import match_then
from server.replay.shelf import OpenGame, Shelf
from server.table.questions.rulings import Rulings
from tests.server.seams.evening import GAMES, Evening, evening
from tests.volume import volume

ACTS = volume(24, 200)


def looks_on(one: Evening) -> OpenGame:
    """The game as the replay's page has it open."""
    return Shelf(one.library, Rulings.by_book(None)).game(one.game)


def shows_the_same(one: Evening, page: OpenGame) -> None:
    """What the replay shows of now is how the match stands."""
    page.refresh()
    found, until = page.history.at(one.now)
    assert until is None
    assert found.state == one.state
    then = match_then(page, one.now)
    assert then.status is not None
    if not page.timeline.hides:
        assert then.status == to_json(one.host.game.status(one.state, Viewer()))


@pytest.mark.parametrize("name", GAMES)
def test_the_replay_follows_undo_redo_and_a_restart(name: str, tmp_path: Path) -> None:
    with evening(tmp_path, name) as one:
        page = looks_on(one)
        for number in range(ACTS):
            if one.over:
                break
            one.step()
            shows_the_same(one, page)
            if number % 3 == 2:
                one.undo()
                shows_the_same(one, page)
            if number % 6 == 5:
                one.redo()
                shows_the_same(one, page)
            if number == ACTS // 2:
                one.restart()
                one.undo()
                shows_the_same(one, page)
        # Who comes later reads all of it at once, and each earlier time is as it was then.
        later = MatchHistory(one.library.reader(one.game))
        for at_s, state in one.passed:
            assert later.at(at_s)[0].state == state, f"the match at {at_s} s"
        assert len(one.passed) > ACTS // 2
