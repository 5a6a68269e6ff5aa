from __future__ import annotations

import numpy as np
import pytest

from engine.space.geometry import FloatArray
from tests.vision.tags.test_polish import draw, square
from vision.frame import Image
from vision.tags.anchor import FAR_PX, Anchors
from vision.tags.polish import polish

KEY = ("tag36h11", 7)
TRUTH = square(17.0, 20.0)


def seen(corners: FloatArray = TRUTH, seed: int = 0, tag: int = 7, light: float = 0.75) -> Image:
    return draw(corners, tag, noise=3.0, seed=seed, light=light)


def anchored() -> Anchors:
    anchors, grey = Anchors(), seen()
    fit = polish(grey, *KEY, TRUTH)
    assert fit is not None
    anchors.put(grey, KEY, fit)
    return anchors


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_linear_step_is_as_good_as_a_whole_fit(seed: int) -> None:
    grey = seen(seed=seed)
    fit = polish(grey, *KEY, TRUTH)
    read = anchored().read(grey, [KEY])[KEY]
    assert fit is not None
    assert read.how == "place"
    assert np.abs(read.corners - fit.corners).max() < 0.05
    assert np.diag(read.covariance) == pytest.approx(np.diag(fit.covariance), rel=0.5)


def test_a_small_move_is_measured() -> None:
    move = np.array([0.08, -0.05])
    offs = [anchored().read(seen(TRUTH + move, s), [KEY])[KEY].corners - TRUTH for s in range(1, 9)]
    assert np.mean(offs, axis=(0, 1)) == pytest.approx(move, abs=0.02)


@pytest.mark.parametrize(
    "grey",
    [
        seen(TRUTH + np.array((0.5 + FAR_PX, 0.0)), 1),
        seen(seed=1, tag=8),
        seen(seed=1, light=0.3),
        np.full((80, 80), 128, np.uint8),
    ],
    ids=["moved", "another tag", "darker by half", "gone"],
)
def test_what_is_not_the_same_is_left_to_others(grey: Image) -> None:
    assert anchored().read(grey, [KEY]) == {}


def test_a_finger_over_a_corner_is_refused() -> None:
    grey = seen(seed=1).copy()
    grey[30:40, 30:38] = 150
    assert anchored().read(grey, [KEY]) == {}


def test_another_picture_size_and_a_dropped_key_have_no_anchors() -> None:
    anchors = anchored()
    assert anchors.read(np.zeros((90, 90), np.uint8), [KEY]) == {}
    anchors.drop(KEY)
    assert anchors.read(seen(), [KEY]) == {}
