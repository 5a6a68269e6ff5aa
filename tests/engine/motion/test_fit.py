from __future__ import annotations

import math

import numpy as np
import pytest

from engine.measure.sweep import Straight, Turn, poses_along
from engine.motion.fit import OVERSHOOT, Track, cost_of, fitted, misfit, sizes_of, with_sizes
from engine.space.geometry import Pose

PIVOT = (-0.9, 0.0)
STEPS = (Straight(2.0), Turn(math.radians(40), PIVOT), Straight(3.0))
EXACT, SLIP = np.diag([1e-6, 1e-6, 1e-6]), np.diag([0.02, 0.02, 0.01]) ** 2


def track_of(steps=STEPS, every=8):
    start = Pose(10, 10, 0.3)
    rows = [start]
    for pose, step in zip(poses_along(start, steps), steps, strict=False):
        rows += [step.part(k / every).after(pose) for k in range(1, every + 1)]
    values = np.array([(p.x, p.y, p.heading) for p in rows])
    values[:, 2] = np.unwrap(values[:, 2])
    return Track(values, EXACT, EXACT, 0.01, 0.005)


def test_samples_of_the_way_lie_on_it():
    track = track_of()
    assert np.abs(misfit(track.start, STEPS, track.rows, 0.01, 0.005)).max() < 1e-6


@pytest.mark.parametrize(("beyond", "off"), [(0.5, False), (OVERSHOOT - 0.1, False), (OVERSHOOT + 1.0, True)])
def test_a_hand_may_overshoot_a_little(beyond, off):
    start = Pose(0, 0, 0)
    rows = np.array([(4.0 + beyond, 0.0, 0.0)])
    assert (np.abs(misfit(start, [Straight(4)], rows, 0.01, 0.005)).max() > 1.0) == off


def test_wrong_first_sizes_find_the_right_ones():
    track = track_of()
    wrong = (Straight(1.5), Turn(math.radians(30), PIVOT), Straight(3.8))
    found = fitted(track, wrong, SLIP, rounds=10)
    assert sizes_of(found.steps) == pytest.approx(sizes_of(STEPS), abs=0.01)
    assert found.cost < 1.0 < cost_of(track, wrong, SLIP)
    assert found.strays.max() < 0.01


def test_a_way_that_nobody_walked_costs():
    track = track_of([Straight(4.0)])
    detour = (Straight(-3.0), Straight(7.0))
    assert cost_of(track, detour, SLIP) > cost_of(track, (Straight(4.0),), SLIP) + 10


def test_sizes_go_out_and_in():
    steps = (Straight(2.0, -1.0), Turn(0.5, PIVOT), Straight(1.0))
    assert list(sizes_of(steps)) == [2.0, -1.0, 0.5, 1.0]
    assert with_sizes(steps, sizes_of(steps)) == steps
