"""A few pushes of a simulated hand; `benchmarks.cult_pushes` makes more."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.cult_pushes import Tally


@pytest.mark.slow
def test_pushes_are_ruled_right_beyond_their_deviation():
    tally = Tally(Counter(), Counter(), Counter(), [])
    for seed in range(4):
        tally.add(seed)
    assert sum(tally.callable.values()) > 12
    assert tally.wrong == []
    assert sum(tally.right.values()) == sum(tally.callable.values())
