from __future__ import annotations

import pytest

from engine.measure.nearby import next_in_line, straight_behind, within
from engine.ruling import Verdict
from tests.engine.tables import block, car

RED = car("Red", 20, 20, sd=0.01)


def test_what_comes_within_five_inches_nearest_first():
    others = [
        car("far", 35, 20), car("near", 24, 20), car("edge", 20, 26.2, sd=0.01),
        block("Book", 20, 16, 3, 3), RED,
    ]  # fmt: skip
    found = within(RED, 5, others)
    assert [n.name for n in found] == ["near", "Book", "edge"]
    assert [n.distance.verdict() for n in found] == [Verdict.YES, Verdict.YES, Verdict.TOO_CLOSE]
    assert found[0].distance.value == pytest.approx(4 - 2.95)


def test_what_stands_straight_behind():
    others = [car("ahead", 26, 20), car("first", 15, 20.5), car("second", 10, 19.5), car("aside", 15, 22)]
    found = straight_behind(RED, others)
    assert [n.name for n in found] == ["first", "second"]
    assert found[0].distance.value == pytest.approx(5 - 2.95, abs=0.05)
    assert found[0].distance.sd == pytest.approx(0.01, rel=0.2)
    assert straight_behind(RED, others, inches=3)[0].name == "first"
    assert len(straight_behind(RED, others, inches=3)) == 1


def test_what_a_piercing_shot_meets_next():
    target = car("Blue", 30, 20)
    others = [
        car("between", 25, 20),
        car("next", 35, 20.2),
        car("then", 40, 19.8),
        car("aside", 35, 24),
        target,
    ]
    assert next_in_line(RED, (0.0, 0.0), target, others) == ("next", "then")
    assert next_in_line(RED, (0.0, 0.0), car("Blue", 20, 20), others) == ()
