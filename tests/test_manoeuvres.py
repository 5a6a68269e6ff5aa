"""A few hundred pushes of a simulated hand against their truth (all of them: benchmarks.manoeuvres)."""

from __future__ import annotations

from benchmarks.manoeuvres import Tally, cases


def test_pushed_manoeuvres_are_recognised_and_none_is_ruled_wrong() -> None:
    tally = Tally()
    for one in cases(250):
        tally.add(one)
    found = tally.record()
    assert tally.wrong == []
    assert found["beyond_deviation"] > 230
    assert found["right_of_those"] >= 0.99, tally.missed
    assert found["length_error_in"]["95%"] < 0.1
