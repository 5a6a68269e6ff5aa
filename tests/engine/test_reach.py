from __future__ import annotations

import math

import numpy as np
import pytest
from shapely.geometry import Point, Polygon
from shapely.ops import unary_union

from engine.errors import TableRefError
from engine.reach import reachable
from engine.sweep import Straight, Turn, poses_along
from tests.engine.tables import SURFACE, block, car

REAR = (-1.475, 0.0)


def covered(reach) -> Polygon:
    holes = unary_union([Polygon(h) for h in reach.holes])
    return unary_union([Polygon(o) for o in reach.outlines]).difference(holes)


@pytest.mark.parametrize(
    "steps",
    [
        [Straight(6)],
        [Turn(math.pi / 2, REAR), Straight(6)],
        [Straight(3), Turn(-1.0, REAR), Straight(3)],
        [Straight(6), Turn(-math.pi / 2, REAR)],
    ],
)
def test_every_lawful_end_lies_in_the_region(steps):
    red = car("Red", 20, 20, 30)
    region = covered(reachable(red, 6.0, pivot=REAR))
    end = poses_along(red.pose, steps)[-1]
    body = Polygon(end.to_table(red.piece.body.footprint.outline))
    assert body.difference(region).area < 0.01


def test_the_budget_is_spent_whole():
    red = car("Red", 20, 20)
    reach = reachable(red, 6.0, pivot=REAR)
    region = covered(reach)
    assert not region.contains(Point(30, 20))
    assert not region.contains(Point(12, 20))
    assert region.contains(Point(26, 20))
    away = np.hypot(*(reach.ends[:, :2] - red.pose.xy).T)
    assert away.max() == pytest.approx(6.0 + 0.0, abs=2.1)


def test_walls_and_edges_take_their_part():
    red = car("Red", 20, 20)
    free = covered(reachable(red, 6.0, pivot=REAR))
    walled = covered(reachable(red, 6.0, pivot=REAR, blockers=[block("Wall", 24, 20, 0.5, 4)]))
    assert walled.area < free.area
    assert not walled.contains(Point(26, 20))
    edge = car("Red", 46, 20)
    assert reachable(edge, 6.0, pivot=REAR, surface=SURFACE).ends[:, 0].max() < 48
    assert (
        reachable(car("Red", 20, 20), 6.0, pivot=REAR, blockers=[block("Ring", 30, 20, 17, 40)]).ends.size
        == 0
    )


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(TableRefError, match="budget above 0"):
        reachable(car("Red", 20, 20), 0.0, pivot=REAR)
