"""How high a thing is by a photograph from the side: boxes, cones, wrong taps, photographs from above."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.surface import Surface
from engine.errors import TableRefError
from engine.space.geometry import FloatArray
from tests.side_photo import camera_at, nearest
from tests.volume import volume
from vision.side import height_from_side
from vision.simulate.drawing.camera import Camera

FOOT = np.array([(20.0, 20.0), (23.0, 20.0), (23.0, 22.0), (20.0, 22.0)])
SIZE = (2400, 1800)
TAP = 4.0


def surface_of(camera: Camera, covariance: FloatArray) -> Surface:
    return Surface(camera.lens, camera.R, camera.t, covariance, 0.0)


def taken(rng: np.random.Generator, height: float) -> tuple[Surface, tuple[float, float]]:
    """The table as a photograph shows it, and a tap on a thing between box and cone, a little off."""
    angle, away = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(25.0, 45.0)
    at = FOOT.mean(axis=0) + away * np.array([np.cos(angle), np.sin(angle)])
    true = camera_at((*at, rng.uniform(0.25, 0.6) * away), FOOT.mean(axis=0), SIZE)
    shape = rng.uniform()
    top = shape * FOOT.mean(axis=0) + (1.0 - shape) * nearest(FOOT, true)
    pixel = true.project(np.array([[*top, height]]))[0] + rng.normal(0.0, TAP, 2)
    covariance = np.zeros((15, 15))
    covariance[3:6, 3:6] = 0.1**2 * np.eye(3)
    off = Camera(true.lens, true.R, true.t + rng.normal(0.0, 0.1, 3))
    return surface_of(off, covariance), (float(pixel[0]), float(pixel[1]))


def test_its_stated_deviation_comes_true_for_boxes_cones_and_what_is_between(figure) -> None:
    rng, off = np.random.default_rng(4), []
    for _ in range(volume(300, 5000)):
        height = rng.uniform(0.8, 5.0)
        side, tap = taken(rng, height)
        try:
            found = height_from_side(side, tap, lambda _: FOOT + rng.normal(0.0, 0.05, 2), 0.05, TAP)
        except TableRefError:
            continue
        off.append((found.height - height) / found.sd)
    assert len(off) > volume(200, 3300)
    within = float(np.mean(np.abs(off) < 1.96))
    figure("heights from the side within their stated 95 %", f"{within:.1%} of {len(off)}")
    assert within >= 0.93


def test_a_tap_beside_it_and_a_photograph_from_above_say_what_to_do() -> None:
    low = camera_at((21.5, -10.0, 12.0), FOOT.mean(axis=0), SIZE)
    side = surface_of(low, np.zeros((15, 15)))
    beside = low.project(np.array([[30.0, 21.0, 1.0]]))[0]
    with pytest.raises(TableRefError, match="tap its top, where it is nearest to you"):
        height_from_side(side, tuple(beside), lambda _: FOOT, 0.05, TAP)
    above = camera_at((21.5, 15.0, 40.0), FOOT.mean(axis=0), SIZE)
    top = above.project(np.array([[*nearest(FOOT, above), 2.0]]))[0]
    with pytest.raises(TableRefError, match="from lower down and further to the side"):
        height_from_side(surface_of(above, np.zeros((15, 15))), tuple(top), lambda _: FOOT, 0.05, TAP)


def test_what_is_higher_than_the_camera_is_told_too() -> None:
    low = camera_at((21.5, -8.0, 3.0), FOOT.mean(axis=0), SIZE)
    top = low.project(np.array([[*nearest(FOOT, low), 4.2]]))[0]
    found = height_from_side(surface_of(low, np.zeros((15, 15))), tuple(top), lambda _: FOOT, 0.05, TAP)
    assert abs(found.height - 4.2) < 1.96 * found.sd < 0.4
