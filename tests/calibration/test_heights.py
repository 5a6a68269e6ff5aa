from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.bundle.seen import SeenTag
from calibration.heights import HeightWatch, TagHeight, measure_heights
from engine.space.geometry import Pose
from tests.calibration.bundle.test_solve import look
from tests.calibration.test_surface import LENS, PLACES, camera


def reads(height: float, *, stretch: float = 1.0, seed: int = 0, count: int = 8) -> list[SeenTag]:
    """A 0.9 inch roof tag at several places; `stretch` is what the printer really did."""
    truth, rng = camera(tilt=5.0), np.random.default_rng(seed)
    out = []
    for _ in range(count):
        pose = Pose(*rng.uniform(4, 42, 2), rng.uniform(-3, 3))
        seen = look(truth, 10, 0.9 * stretch, pose, rng, height=height, stated=0.9)
        # What the table file states is what an impostor would be read at.
        out.append(SeenTag(seen.family, seen.tag, 0.9, 1.0, seen.corners, seen.covariance))
    return out


def flat(stretch: float = 1.0) -> list[SeenTag]:
    truth, rng = camera(tilt=5.0), np.random.default_rng(9)
    return [
        look(truth, i, 2.4 * stretch, Pose(*at, math.pi / 2), rng, stated=2.4) for i, at in enumerate(PLACES)
    ]


@pytest.mark.parametrize("height", [0.6, 1.0, 1.4, 3.0])
@pytest.mark.parametrize("stretch", [1.0, 0.97])
def test_a_roofs_height_is_seen_whatever_the_printer_did(height: float, stretch: float) -> None:
    surface = camera(LENS, tilt=5.0)
    found = measure_heights(surface, flat(stretch), {"Red 1": reads(height, stretch=stretch)})["Red 1"]
    assert abs(found.height - height) < 3 * found.sd
    assert found.sd < 0.2
    assert found.reads == 8


def test_stated_deviations_come_true() -> None:
    surface, inside = camera(LENS, tilt=5.0), 0
    for seed in range(60):
        found = measure_heights(surface, flat(), {"a": reads(1.2, seed=seed, count=4)})["a"]
        inside += abs(found.height - 1.2) < 1.96 * found.sd
    assert inside >= 54


def test_a_wrong_height_in_the_file_is_contradicted_and_a_right_one_is_not() -> None:
    surface = camera(LENS, tilt=5.0)
    found = measure_heights(surface, flat(), {"low": reads(1.02), "high": reads(1.8)})
    assert not found["low"].contradicts(1.0, 0.02)
    assert found["high"].contradicts(1.0, 0.02)
    assert not TagHeight(1.1, 0.02, 9).contradicts(1.0, 0.02), "a tenth of an inch is not worth a word"


def test_without_flat_tags_sizes_are_taken_at_their_word_with_doubt() -> None:
    surface = camera(LENS, tilt=5.0)
    sure = measure_heights(surface, flat(), {"a": reads(1.2)})["a"]
    doubtful = measure_heights(surface, [], {"a": reads(1.2)})["a"]
    assert doubtful.sd > 1.5 * sure.sd
    assert measure_heights(surface, [], {"a": []}) == {}


def test_a_watch_over_the_evening_doubts_only_what_is_wrong() -> None:
    surface, watch = camera(LENS, tilt=5.0), HeightWatch()
    for read in reads(1.02):
        watch.add("Red 1", read)
    for read in reads(1.8, seed=1):
        watch.add("Blue 1", read)
    doubts = watch.doubts(surface, flat())
    assert list(doubts) == ["Blue 1"]
    assert doubts["Blue 1"].height == pytest.approx(1.8, abs=3 * doubts["Blue 1"].sd)
