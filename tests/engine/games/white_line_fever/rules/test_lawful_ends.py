from __future__ import annotations

import math

import pytest

from engine.games.white_line_fever.rules.lawful_ends import placed_as_told, reach_of, underway
from engine.measure.sweep import Straight, Turn
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import TableState
from tests.engine.games.white_line_fever.drives import AXLE, seen_of
from tests.engine.tables import SURFACE, block, car

SPIN = "White Line Fever 0.9 · Collisions · Spin Out"


def on_table(*others):
    red = car("Red 1", 20, 20)
    return TableState.of(SURFACE, [red, *others]), red


def test_a_hand_that_still_pushes_is_told_what_is_left():
    table, red = on_table()
    found = underway(table, red, seen_of([Straight(2)]), 5)
    assert (found.used, found.left) == (pytest.approx(2, abs=0.1), pytest.approx(3, abs=0.1))
    assert (found.ghost.x, found.ghost.y) == pytest.approx((25, 20), abs=0.1)
    assert found.touch is None
    assert "to go" in found.words
    after_turn = underway(table, red, seen_of([Straight(2), Turn(math.radians(40), AXLE), Straight(1)]), 5)
    assert after_turn.left == pytest.approx(2, abs=0.1)
    assert math.degrees(after_turn.ghost.heading) == pytest.approx(40, abs=1.5)
    too_far = underway(table, red, seen_of([Straight(4.5)]), 4)
    assert "too far" in too_far.words
    assert too_far.ghost.x == pytest.approx(24, abs=0.1)


def test_it_is_told_what_it_would_meet():
    table, red = on_table(block("Mug", 26, 20, 1, 4))
    found = underway(table, red, seen_of([Straight(1)]), 6)
    assert found.touch is not None
    assert found.touch.other == "Mug"
    assert found.touch.travelled == pytest.approx(26 - 0.5 - 21 - 1.475, abs=0.1)
    assert "would meet Mug after 3.0" in found.words
    near = TableState.of(SURFACE, [car("Red 1", 44, 20)])
    edge = underway(near, near.standings[0], seen_of([Straight(1)], start=Pose(44, 20)), 6)
    assert edge.touch is not None
    assert edge.touch.other == "the edge"


def test_every_lawful_end_is_within_reach():
    table, red = on_table(block("Mug", 40, 40, 3, 3))
    reach = reach_of(table, red, 4)
    ends = {(round(x, 1), round(y, 1)) for x, y, _ in reach.ends}
    assert {(24.0, 20.0), (24.0, 21.0), (24.0, 19.0)} <= ends
    back = reach_of(table, red, 2, reverse=True)
    assert {(18.0, 20.0), (18.0, 21.0)} <= {(round(x, 1), round(y, 1)) for x, y, _ in back.ends}
    assert not (back.ends[:, 0] > 20.0).any()


def test_a_car_is_placed_as_told_or_not_or_nobody_can_say():
    ghost = Pose(20, 20, math.radians(-90))

    def check(x, y, degrees, **more):
        return placed_as_told(
            car("Red 1", x, y, degrees, sd=0.01, sd_degrees=0.3), ghost, citation=SPIN, **more
        )

    assert check(20.1, 20, -88).verdict is Verdict.YES
    assert check(20.6, 20, -90).verdict is Verdict.NO
    assert check(20.25, 20, -90).verdict is Verdict.TOO_CLOSE
    wrong = check(20, 20, -70)
    assert wrong.verdict is Verdict.NO
    assert "20.0° to turn right" in wrong.words
    assert wrong.citation == SPIN
    assert check(20, 20, -70, turn=None).verdict is Verdict.YES
