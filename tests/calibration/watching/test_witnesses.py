from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.bundle.seen import SeenTag
from calibration.watching.witnesses import CELL_PX, Witnesses
from engine.space.geometry import Pose
from tests.calibration.bundle.test_solve import NOISE_PX, look
from tests.calibration.test_surface import camera


def read(x: float, seed: int, tag: int = 10) -> SeenTag:
    return look(camera(), tag, 0.9, Pose(x, 20.0, 0.3), np.random.default_rng(seed), height=1.0)


def middle(tag: SeenTag) -> float:
    return float(tag.corners[:, 0].mean())


def test_reads_of_a_piece_that_stands_are_averaged() -> None:
    seen = Witnesses()
    for seed in range(40):
        seen.add([read(20.0, seed)], 16)
    (mean,) = seen.tags
    assert middle(mean) == pytest.approx(np.mean([middle(read(20.0, s)) for s in range(40)]))
    # What is off in one read of so small a tag is mostly off in all of them.
    assert mean.covariance == pytest.approx(read(20.0, 0).covariance)


def test_a_piece_that_moved_on_within_a_part_of_the_picture_is_no_mean_of_two_places() -> None:
    seen = Witnesses()
    for seed in range(3):
        seen.add([read(20.0, seed)], 16)
    before = middle(seen.tags[0])
    seen.add([read(20.3, 9)], 16)
    assert [middle(t) for t in seen.tags] == [before]


def test_a_piece_on_its_way_leaves_only_where_it_was_last() -> None:
    seen = Witnesses()
    for step in range(3):
        seen.add([read(20.0 + 0.2 * step, step)], 16)
    assert [middle(t) for t in seen.tags] == [middle(read(20.4, 2))]


def test_no_more_places_than_asked_and_each_tag_has_its_own() -> None:
    seen = Witnesses()
    seen.add([read(4.0, 1), read(4.0, 2, tag=11), read(30.0, 3)], 2)
    assert [t.tag for t in seen.tags] == [10, 11]
    assert math.dist(*[t.corners.mean(axis=0) for t in seen.tags]) < CELL_PX
    worth = seen.worth
    seen.add([read(4.0, 4), read(4.0, 5, tag=11)], 2)
    assert seen.worth == worth
    seen.add([read(30.0, 6), read(30.0, 7, tag=11)], 4)
    assert seen.worth > worth


def test_a_camera_that_moved_takes_them_along() -> None:
    seen = Witnesses()
    seen.add([read(20.0, 1)], 16)
    seen.move(lambda tag: tag.corners + 3.0)
    assert middle(seen.tags[0]) == pytest.approx(middle(read(20.0, 1)) + 3.0, abs=4 * NOISE_PX)
    seen.clear()
    assert seen.tags == []
