"""A few pushes of a simulated hand; `benchmarks.cult_pushes` makes more."""

from __future__ import annotations

from collections import Counter

from benchmarks.cult_pushes import Tally

HARD = (38, 330, 383, 432)
"""A drift along a heading that is off, turns that nobody saw, and a move that another car ended."""


def test_pushes_are_ruled_right_beyond_their_deviation():
    tally = Tally(Counter(), Counter(), Counter(), [])
    for seed in (*range(3), *HARD):
        tally.add(seed)
    assert set(tally.callable) == {"Maximum", "Drift", "Way is free", "Inches inside", "Mine"}
    assert sum(tally.callable.values()) > 22
    assert tally.wrong == []
    assert tally.left == []
