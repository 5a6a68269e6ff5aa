"""No alarm is false: pieces pushed about on a table of which every stated number is exact."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.alarms import LATE_S, RATES, SCENES, Evening
from tests.volume import DEEP, volume

SHORT = [("default", 5.0, 5.0, 1), ("road", 15.0, 0.0, 1)]
LONG = [(scene, fps, late, 5) for scene in SCENES for fps in RATES for late in LATE_S]


@pytest.mark.parametrize(("scene", "fps", "late", "seed"), LONG if DEEP else SHORT)
def test_nothing_is_told_of_a_table_that_is_right(scene: str, fps: float, late: float, seed: int) -> None:
    told = Evening(scene, fps, late, seed, drawn=False).play(volume(30, 600))
    assert told.words == Counter()
    assert told.held == 0
    assert told.pushes > 5
