"""Where cars must be put, and what else is drawn."""

from __future__ import annotations

import math

import pytest
from shapely.geometry import Polygon

from engine.game.contract import Seen
from engine.game.showing import Viewer
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, sheet
from tests.engine.tables import block, car, table

ANYBODY = Viewer()


def test_the_car_of_the_round_and_the_tokens_are_marked():
    match = begun()
    on = table(car("Red 1", 20, 20), car("Blue 1", 30, 20))
    assert GAME.marks(match.state, on, ANYBODY) == ()
    drive(match, "Red 1")
    do(match, "drop", table=on)
    token, current = GAME.marks(match.state, on, ANYBODY)
    assert (token.role, token.words, current.role, current.piece) == ("token", "Oil 1", "current", "Red 1")
    assert Polygon(token.points).area == pytest.approx(9.0)
    # Its edge lies at the rear of the car.
    assert max(x for x, _ in token.points) == pytest.approx(min(x for x, _ in current.points), abs=0.01)
    assert [m.role for m in GAME.marks(match.state, None, ANYBODY)] == ["token"]


def test_every_duty_has_a_ghost_that_accepts_the_car_that_stands_on_it():
    match = begun(sheet("Red 1", "Red", "Plinker", "Harpoon"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    on = table(car("Red 1", 10, 10), car("Blue 1", 20, 16, 30))
    do(match, "shoot", (8,), weapon="Harpoon", target="Blue 1", table=on)
    (ghost,) = GAME.ghosts(match.state, Seen(on))
    assert (ghost.piece, ghost.words, ghost.right) == ("Blue 1", "Pull it 3 in.", False)
    assert ghost.pose is not None
    x, y, heading = ghost.pose
    assert math.dist((x, y), (20, 16)) == pytest.approx(3.0)
    there = table(car("Red 1", 10, 10), car("Blue 1", x, y, math.degrees(heading)))
    assert GAME.ghosts(match.state, Seen(there))[0].right is True
    assert GAME.ghosts(match.state, Seen(table(block("Rock", 1, 1, 1, 1))))[0].right is None
