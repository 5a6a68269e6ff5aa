"""Pushes, nudges and rams by a simulated hand; `python -m benchmarks.shoves` does a thousand."""

from __future__ import annotations

from benchmarks.shoves import Tally, shove


def test_pushes_nudges_and_rams_are_ruled_right_and_never_confidently_wrong() -> None:
    tally = Tally()
    for seed in range(30):
        tally.add(shove(seed))
    found = tally.record()
    assert found["confidently_wrong"] == 0, tally.wrong
    assert found["answers_beyond_deviation"] > 150
    assert found["right_of_those"] >= 0.99
    assert found["moves_beyond_deviation"] > 15
    assert found["ruled_right_of_those"] >= 0.95
    assert 0 < found["truly_legal"] < 30
