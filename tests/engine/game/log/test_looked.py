"""A piece that was hidden when it was put down is held against its place when it is seen again."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.game.events import PLAYERS, Event
from engine.game.log.places import Place, with_stands
from engine.game.match import Match
from engine.space.table import Status
from tests.engine.game.grid_game import GAME, SETUP
from tests.engine.tables import car, table


def hidden_when_placed() -> Match[object]:
    match = Match.begin(GAME, SETUP)
    placed = Event("stays", {"by": None}, "Red 1 is put down out of sight", PLAYERS, ("Red 1",))
    match.append((with_stands(placed, {"Red 1": Place(10.0, 10.0, 0.0, seen=False)}),))
    return match


@pytest.mark.parametrize(
    ("at", "right", "words"),
    [((10.0, 10.0), True, "where it has to"), ((13.0, 10.0), False, "3.0 in from where it has to")],
)
def test_it_is_told_once_whether_it_stands_right(at, right, words):
    match = hidden_when_placed()
    seen = table(car("Red 1", *at))
    (told,) = match.looked_events(seen)
    assert (told.data["right"], told.tone) == (right, "plain" if right else "bad")
    assert told.words == f"Red 1 is seen again: it stands {words}"
    match.append((told,))
    assert match.looked_events(seen) == ()
    assert match.places["Red 1"].seen
    assert match.places["Red 1"].x == pytest.approx(10.0), "where it has to stand has not changed"


def test_nothing_is_told_while_it_is_hidden():
    match = hidden_when_placed()
    there = table(car("Red 1", 10.0, 10.0))
    lost = replace(there, standings=tuple(replace(s, status=Status.LOST) for s in there.standings))
    assert match.looked_events(lost) == ()
    assert math.isclose(match.places["Red 1"].x, 10.0)
