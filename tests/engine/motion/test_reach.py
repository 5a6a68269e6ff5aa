from __future__ import annotations

import math

import numpy as np
import pytest
from shapely.geometry import Point, Polygon
from shapely.ops import unary_union

from engine.errors import TableRefError
from engine.measure.sweep import Straight, Turn, poses_along
from engine.motion.reach import reachable
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


def test_a_drift_ends_beside_the_straight_run():
    red = car("Red", 20, 20)
    plain = reachable(red, 4.0, pivot=REAR)
    drifting = reachable(red, 4.0, pivot=REAR, drift=1.0)
    ends = {(round(x, 3), round(y, 3), round(h, 3)) for x, y, h in drifting.ends}
    assert {(24.0, 21.0, 0.0), (24.0, 19.0, 0.0)} <= ends
    assert len(drifting.ends) == len(plain.ends) + 2
    # A wall that leaves no room on the left until late leaves room to drift behind it.
    wall = block("Wall", 20.0, 21.6, 5.0, 1.0)
    assert len(reachable(red, 4.0, pivot=REAR, drift=1.0, blockers=[wall]).ends) < len(drifting.ends)
    assert (24.0, 21.0, 0.0) in {
        (round(x, 3), round(y, 3), round(h, 3))
        for x, y, h in reachable(
            red, 4.0, pivot=REAR, drift=1.0, blockers=[block("Low", 20.5, 21.2, 1.0, 1.0)]
        ).ends
    }


def test_its_rim_is_as_unsure_as_the_car():
    red = car("Red", 20, 20)
    reach = reachable(red, 4.0, pivot=REAR, sd=0.1)
    areas = [
        unary_union([Polygon(o) for o in rings]).area for rings in (reach.sure, reach.outlines, reach.perhaps)
    ]
    assert areas == sorted(areas)
    assert areas[0] < areas[1] < areas[2]
    assert reachable(red, 4.0, pivot=REAR).sure == ()


def test_backwards_it_reaches_what_lies_behind():
    red = car("Red", 20, 20)
    back = reachable(red, 4.0, pivot=REAR, reverse=True)
    assert (16.0, 20.0, 0.0) in {(round(x, 3), round(y, 3), round(h, 3)) for x, y, h in back.ends}
    assert not (back.ends[:, 0] > 20.0).any()


@pytest.mark.parametrize("gap", [0.0, -0.01, -0.03])
def test_a_wall_at_its_nose_keeps_it_from_going_on_and_not_from_going_back(gap):
    red = car("Red", 20, 20)
    wall = block("Wall", 20 + 1.475 + gap + 0.5, 20, 1, 30)
    ahead = reachable(red, 3.0, pivot=REAR, blockers=[wall], drift=1.0, most_turn=0.0)
    assert ahead.ends.size == 0
    back = reachable(red, 3.0, pivot=REAR, blockers=[wall], reverse=True, most_turn=0.0)
    assert (17.0, 20.0) in [tuple(end[:2]) for end in np.round(back.ends, 6)]


def test_along_a_wall_that_it_touches_it_may_slide():
    red = car("Red", 20, 20)
    wall = block("Wall", 20, 20 + 0.6 + 0.5, 40, 1)
    ends = reachable(red, 3.0, pivot=REAR, blockers=[wall], turns=3).ends
    assert (23.0, 20.0) in [tuple(end[:2]) for end in np.round(ends, 6)]
    assert ends[:, 1].max() <= 20.0 + 1e-6
