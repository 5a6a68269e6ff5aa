from __future__ import annotations

import math

import numpy as np
import pytest

from engine.measure.sweep import Straight, Turn, poses_along
from engine.motion.segmentation import cut, joined
from engine.space.geometry import Pose

PIVOT = (-0.9, 0.0)


@pytest.mark.parametrize(
    ("steps", "left"),
    [
        ([Straight(4.5), Straight(-0.5)], [Straight(4.0)]),
        ([Turn(0.9, PIVOT), Turn(-0.2, PIVOT)], [Turn(0.7, PIVOT)]),
        ([Straight(2), Turn(0.01, PIVOT), Straight(2)], [Straight(4)]),
        ([Straight(2), Straight(2, -1)], [Straight(2), Straight(2, -1)]),
        ([Straight(3), Straight(-3)], []),
    ],
)
def test_there_and_back_is_taken_off(steps, left):
    found = joined(steps)
    assert [type(s) for s in found] == [type(s) for s in left]
    for a, b in zip(found, left, strict=True):
        assert a.size == pytest.approx(b.size)


def test_a_track_falls_into_its_steps():
    start, steps = Pose(10, 10, 0.3), [Straight(2), Turn(math.radians(40), PIVOT), Straight(3)]
    rows = []
    for pose, step in zip(poses_along(start, steps), steps, strict=False):
        rows += [step.part(k / 10).after(pose) for k in range(10)]
    rows.append(poses_along(start, steps)[-1])
    found = cut(np.array([(p.x, p.y, p.heading) for p in rows]), PIVOT, 0.01, 0.005)
    assert [type(s) for s in found] == [Straight, Turn, Straight]
    assert found[1].size == pytest.approx(math.radians(40), abs=0.05)
