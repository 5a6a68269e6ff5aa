from __future__ import annotations

import math

import numpy as np
import pytest

from engine.measure.sweep import Straight, Turn, poses_along
from engine.motion.fit import Track, sizes_of
from engine.motion.hypotheses import fuller, plain, winding
from engine.space.geometry import Pose

PIVOT = (-0.9, 0.0)
NONE = np.diag([1e-6] * 3)


def track_of(steps, every):
    start = Pose(10, 10, 0.3)
    rows = [start]
    for pose, step in zip(poses_along(start, steps), steps, strict=False):
        rows += [step.part(k / every).after(pose) for k in range(1, every + 1)]
    if every == 1:
        rows = [rows[0], rows[-1]]
    values = np.array([(p.x, p.y, p.heading) for p in rows])
    values[:, 2] = np.unwrap(values[:, 2])
    return Track(values, NONE, NONE, 0.01, 0.005)


def holds(rows, steps):
    shape = [type(s) for s in steps]
    return any(
        [type(s) for s in row] == shape
        and len(sizes_of(row)) == len(sizes_of(steps))
        and np.allclose(sizes_of(row), sizes_of(steps), atol=0.4)
        for row in rows
    )


@pytest.mark.parametrize(
    "steps",
    [
        [Straight(4)],
        [Straight(4, 1)],
        [Turn(0.7, PIVOT), Straight(3)],
        [Straight(3), Turn(-0.7, PIVOT)],
        [Straight(2), Turn(0.7, PIVOT), Straight(3)],
    ],
)
def test_start_and_end_alone_allow_every_plain_manoeuvre(steps):
    assert holds(plain(track_of(steps, every=1), [PIVOT]), steps)


@pytest.mark.parametrize(
    "steps",
    [
        [Straight(2, 1), Turn(0.7, PIVOT), Straight(3)],
        [Turn(0.7, PIVOT), Straight(2), Turn(-0.5, PIVOT), Straight(2)],
    ],
)
def test_samples_suggest_the_others(steps):
    assert holds(winding(track_of(steps, every=10), [PIVOT]), steps)


def test_a_hand_may_have_hidden_one_run_more():
    turn = Turn(math.radians(30), PIVOT)
    assert [len(row) for row in fuller([turn, Straight(2)])] == [3]
    assert [len(row) for row in fuller([Straight(2), turn])] == [3]
    assert fuller([Straight(2)]) == []
