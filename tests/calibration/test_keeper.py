from __future__ import annotations

import numpy as np

from calibration.keeper import SurfaceKeeper
from calibration.surface import SeenCorner
from tests.calibration.test_surface import LENS, camera, seen_by, tags


def feed(keeper: SurfaceKeeper, frames: int, *, roll: float = 1.0, start: int = 0) -> list[bool]:
    truth = camera(roll=roll)
    return [keeper.update(k / 10, seen_by(truth, tags(), 0.1, seed=k)) for k in range(start, start + frames)]


def test_averaging_makes_the_surface_surer() -> None:
    keeper = SurfaceKeeper(LENS)
    feed(keeper, 1)
    assert keeper.surface is not None
    first = np.trace(keeper.surface.covariance[3:6, 3:6])
    feed(keeper, 40, start=1)
    assert np.trace(keeper.surface.covariance[3:6, 3:6]) < 0.6 * first
    assert np.abs(keeper.surface.camera_position - camera().camera_position).max() < 0.1


def test_a_bumped_camera_is_noticed_within_a_few_frames_and_solved_again() -> None:
    keeper = SurfaceKeeper(LENS)
    assert not any(feed(keeper, 20))
    moved = feed(keeper, 5, roll=1.6, start=20)
    assert moved.index(True) <= 3
    assert keeper.surface is not None
    place = np.array([[40.0, 40.0]])
    off = keeper.surface.table_from_image(camera(roll=1.6).image_from_table(place)) - place
    assert np.abs(off).max() < 0.02


def test_a_hand_on_one_corner_tag_is_no_bump() -> None:
    keeper = SurfaceKeeper(LENS)
    feed(keeper, 20)
    truth = camera()
    for k in range(20, 40):
        seen = seen_by(truth, tags(), 0.05, seed=k)
        shifted = SeenCorner(seen[0].corner, seen[0].corners + 4.0, seen[0].covariance)
        assert not keeper.update(k / 10, [shifted, *seen[1:]])
    assert keeper.surface is not None
    assert keeper.surface.residual < 0.02


def test_too_few_corners_is_a_problem_told_not_raised() -> None:
    keeper = SurfaceKeeper(LENS)
    keeper.update(0.0, seen_by(camera(), tags(None))[:2])
    assert keeper.surface is None
    assert keeper.problem is not None
    assert "at least four" in keeper.problem
