"""Where a hand may have put a piece: free space and reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Point, Polygon, box
from shapely.ops import unary_union

from engine.errors import TableRefError
from engine.measure.sweep import Straight, Turn, poses_along
from engine.motion.free_space import FreeSpace, kept_on, swept
from engine.motion.reach import reachable
from engine.space.geometry import Region
from tests.engine.tables import SURFACE, block, car, token

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


def test_the_budget_is_spent_whole_ahead_or_behind():
    red = car("Red", 20, 20)
    reach = reachable(red, 6.0, pivot=REAR)
    region = covered(reach)
    assert [region.contains(Point(x, 20)) for x in (30, 12, 26)] == [False, False, True]
    away = np.hypot(*(reach.ends[:, :2] - red.pose.xy).T)
    assert away.max() == pytest.approx(6.0 + 0.0, abs=2.1)
    back = reachable(red, 4.0, pivot=REAR, reverse=True)
    assert (16.0, 20.0, 0.0) in {(round(x, 3), round(y, 3), round(h, 3)) for x, y, h in back.ends}
    assert not (back.ends[:, 0] > 20.0).any()
    with pytest.raises(TableRefError, match="budget above 0"):
        reachable(red, 0.0, pivot=REAR)


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


WINDOW = box(-9.0, -1.5, 9.0, 1.5)

RED = car("Red", 20.0, 20.0)


def test_nothing_in_the_way_is_the_whole_window() -> None:
    space = FreeSpace.of([RED], WINDOW, [RED, token("Oil", 23.0, 20.0), car("Far", 40.0, 40.0)])
    assert space.reach().equals(WINDOW)
    assert space.walls == ()
    assert space.clearance((5.0, 1.0)) == (1.0, 0.0, ())


def test_a_wall_across_shuts_off_what_lies_beyond_by_the_sum_of_both_outlines() -> None:
    # The sedan is 2.95 long; a block from x = 24 across the whole window.
    space = FreeSpace.of([RED], WINDOW, [block("Wall", 25.0, 20.0, 2.0, 20.0)])
    assert space.reach().bounds == pytest.approx((-9.0, -1.5, 24.0 - 20.0 - 2.95 / 2, 1.5))
    room, _, names = space.clearance((8.0, 0.0))
    assert (room, names) == (-1.0, ("Wall",))
    assert space.nearest((8.0, 0.5)) == pytest.approx((2.525, 0.5))


def test_a_car_that_touches_may_leave_and_slide_along() -> None:
    beside = car("Blue", 20.0, 21.2)  # side against side: both are 1.20 wide
    reach = FreeSpace.of([RED], WINDOW, [beside]).reach()
    assert reach.covers(Point(0.0, -1.0))
    assert reach.covers(Point(8.0, 0.0))
    assert not reach.covers(Point(0.0, 0.1))
    deeper = car("Blue", 20.0, 21.15)
    reach = FreeSpace.of([RED], WINDOW, [deeper]).reach()
    assert reach.covers(Point(1.0, 0.0))
    assert not reach.covers(Point(1.0, 0.05))


def test_the_way_must_be_wide_enough_and_is_told_by_how_much() -> None:
    # A sedan 1.20 wide between two blocks 1.40 apart: a tenth of an inch on each side.
    walls = [block("Left", 24.0, 22.7, 2.0, 4.0), block("Right", 24.0, 17.3, 2.0, 4.0)]
    space = FreeSpace.of([RED], WINDOW, walls)
    room, _, names = space.clearance((8.0, 0.0))
    assert room == pytest.approx(0.1, abs=2e-3)
    assert set(names) == {"Left", "Right"}
    closer = [block("Left", 24.0, 22.5, 2.0, 4.0), block("Right", 24.0, 17.5, 2.0, 4.0)]
    room, _, names = FreeSpace.of([RED], WINDOW, closer).clearance((8.0, 0.0))
    assert room == pytest.approx(-0.1, abs=2e-3)
    assert set(names) == {"Left", "Right"}


def test_what_it_can_be_slid_against_leaves_the_way_there_open() -> None:
    blue = car("Blue", 26.0, 20.0)
    room, _, _ = FreeSpace.of([RED], WINDOW, [blue]).clearance((6.0 - 2.95, 0.0))
    assert room > 0.5
    with pytest.raises(Exception, match="encloses an area"):
        FreeSpace.of([RED], box(0, 0, 0, 0), [], Region.rectangle(0, 0, 48, 48))


def test_a_vehicle_of_two_bodies_is_stopped_by_either() -> None:
    trailer = car("Trailer", 15.0, 20.0, model="rig-trailer")
    behind = car("Blue", 9.0, 20.0)
    window = box(-6.0, -0.5, 0.0, 0.5)
    both = FreeSpace.of([RED, trailer], window, [behind, RED, trailer]).reach()
    # From the trailer's tail at 12.0 to Blue's nose at 10.475.
    assert both.bounds[0] == pytest.approx(-1.525)
    assert FreeSpace.of([RED], window, [behind]).reach().bounds[0] == -6.0


def test_the_surface_keeps_every_corner_on_it_and_nothing_over_it_from_coming_back() -> None:
    near = car("Red", 46.0, 20.0)
    reach = FreeSpace.of([near], WINDOW, [], SURFACE).reach()
    assert reach.bounds[2] == pytest.approx(48.0 - 46.0 - 2.95 / 2)
    over = kept_on([car("Red", 47.0, 20.0)], SURFACE)
    assert over.covers(Point(-3.0, 0.0))
    assert not over.covers(Point(0.1, 0.0))


def test_what_is_reached_surely_and_perhaps() -> None:
    red, blue = car("Red", 20.0, 20.0, sd=0.05), car("Blue", 26.0, 20.0, sd=0.05)
    space = FreeSpace.of([red], box(0.0, -0.2, 9.0, 0.2), [blue])
    sure, plain, perhaps = (space.reach(k).bounds[2] for k in (2.0, 0.0, -2.0))
    assert plain == pytest.approx(3.05)
    assert plain - sure == pytest.approx(2 * math.hypot(0.05, 0.05), rel=1e-3)
    assert perhaps - plain == pytest.approx(2 * math.hypot(0.05, 0.05), rel=1e-3)


def test_a_swept_line_is_the_sum_of_a_shape_and_a_line() -> None:
    line = np.array([(0.0, -0.5), (0.0, 0.5)])
    ring = box(0, 0, 4, 4).difference(box(1, 0.6, 3, 3.4))
    assert swept(box(0, 0, 1, 1), line).equals(box(0, -0.5, 1, 1.5))
    assert swept(ring, line).area == pytest.approx(box(0, -0.5, 4, 4.5).area - 2 * 1.8)


@given(
    turn=st.floats(-3.0, 3.0), x=st.floats(-5, 5), y=st.floats(-5, 5),
    places=st.lists(st.tuples(st.floats(14, 28), st.floats(16, 24), st.floats(0, 360)), max_size=4),
)  # fmt: skip
def test_turning_and_moving_the_whole_table_turns_the_answer(
    turn: float, x: float, y: float, places: list[tuple[float, float, float]]
) -> None:
    others = [car(f"C{k}", *place) for k, place in enumerate(places)]
    if any(o.region.polygon.distance(RED.region.polygon) < 1e-3 for o in others):
        return

    def moved(px: float, py: float) -> tuple[float, float]:
        cos, sin = math.cos(turn), math.sin(turn)
        return x + cos * px - sin * py, y + sin * px + cos * py

    there = [
        car(s.name, *moved(s.pose.x, s.pose.y), math.degrees(s.pose.heading + turn)) for s in (RED, *others)
    ]
    window = shapely.affinity.rotate(WINDOW, turn, origin=(0, 0), use_radians=True)
    one = FreeSpace.of([RED], WINDOW, others).reach()
    other = FreeSpace.of(there[:1], window, there[1:]).reach()
    back = shapely.affinity.rotate(other, -turn, origin=(0, 0), use_radians=True)
    assert one.symmetric_difference(back).area < 1e-6
