"""Lost Control, falling back, nudged vehicles, wrecks, edges and the shift of the whole fleet."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.shattered_highways.table.displacing import (
    behind_wreck,
    centring_shift,
    fall_back,
    in_road_frame,
    lost_control,
    nudge_area,
    shifted_fleet,
    to_back_edge,
    to_front_edge,
    travelled,
)
from engine.measure.sweep import Side
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import TableState
from tests.engine.games.shattered_highways.table.highway import ROAD, car, highway, rig

RED = car("Red", 20.0, 12.0)


@pytest.mark.parametrize(
    ("section", "x", "y"),
    [(1, 24.5, 11.0), (2, 20.0, 10.0), (3, 15.5, 11.0), (4, 15.5, 13.0), (5, 20.0, 14.0), (6, 24.5, 13.0)],
)
def test_lost_control_goes_to_the_farthest_edge_of_the_section(section: int, x: float, y: float) -> None:
    gone = lost_control(highway(RED), "Red", ROAD, section)
    assert gone.pose == Pose(x, y)
    assert (gone.gone, gone.met) == (gone.full, None)


def test_lost_control_is_stopped_by_what_it_meets_first() -> None:
    table = highway(RED, car("Blue", 24.0, 11.5), car("Green", 27.0, 11.0))
    gone = lost_control(table, "Red", ROAD, 1)
    assert gone.met is not None
    assert (gone.met.other, gone.met.side, gone.met.other_side) == ("Blue", Side.FRONT, Side.REAR)
    there = highway(replace(RED, pose=gone.pose), car("Blue", 24.0, 11.5))
    gap = there.find("Red").region.polygon.distance(there.find("Blue").region.polygon)
    assert gap == pytest.approx(0.0, abs=1e-6)


def test_falling_back_a_section_or_to_the_first_contact() -> None:
    assert fall_back(highway(RED), "Red", ROAD).pose == Pose(17.0, 12.0)
    gone = fall_back(highway(RED, car("Blue", 16.0, 12.4)), "Red", ROAD)
    assert gone.gone == pytest.approx(20.0 - 16.0 - 2.95)
    assert gone.met is not None
    assert (gone.met.other, gone.met.side, gone.met.other_side) == ("Blue", Side.REAR, Side.FRONT)
    edge = fall_back(highway(car("Red", 3.0, 12.0)), "Red", ROAD)
    assert edge.at_edge
    assert edge.pose.x == pytest.approx(2.95 / 2)


def test_a_rig_falls_back_with_its_trailer_which_meets_first() -> None:
    gone = fall_back(highway(rig("Hauler", 24.0, 12.0), car("Blue", 14.0, 12.0)), "Hauler", ROAD)
    assert [name for name, _ in gone.poses] == ["Hauler", "Hauler trailer"]
    assert gone.met is not None
    assert (gone.met.other, gone.met.body) == ("Blue", "Hauler trailer")


@pytest.mark.parametrize(("sections", "length"), [(1, 3.0), (2, 6.0), (3, 9.0)])
def test_how_far_a_nudge_may_move_the_other(sections: int, length: float) -> None:
    area = nudge_area(highway(RED), "Red", ROAD, sections)
    assert area.shifts.bounds[::2] == pytest.approx((-length, length))


def test_a_nudged_rig_stays_within_its_own_box() -> None:
    assert nudge_area(highway(rig("Hauler", 24, 12)), "Hauler", ROAD, 3).shifts.bounds[2] == pytest.approx(
        6.0
    )


def test_who_is_on_the_line_behind_a_wreck() -> None:
    table = highway(
        car("Wreck", 30.0, 12.0), car("Red", 24.0, 12.4), car("Blue", 12.0, 11.5), car("Aside", 20.0, 14.0),
        car("Ahead", 40.0, 12.0), car("Close", 16.0, 13.2, sd=0.05),
    )  # fmt: skip
    found = {t.name: t for t in behind_wreck(table, "Wreck", ROAD)}
    assert list(found) == ["Red", "Close", "Blue"]
    assert found["Red"].overlap.value == pytest.approx(0.8)
    assert found["Close"].overlap.verdict() is Verdict.TOO_CLOSE
    left, right = found["Red"].veers
    assert left.pose.y - 0.6 == pytest.approx(12.6 + 0.02)
    assert right.pose.y + 0.6 == pytest.approx(11.4 - 0.02)


def test_edges_are_reached_or_too_close_to_call() -> None:
    front = car("Red", 48.0 - 2.95 / 2, 12.0, sd=0.02)
    assert to_front_edge(highway(front), "Red", ROAD).verdict() is Verdict.YES
    assert to_front_edge(highway(RED), "Red", ROAD).verdict() is Verdict.NO
    assert to_back_edge(highway(rig("Hauler", 7.4, 12.0)), "Hauler", ROAD).verdict() is Verdict.NO
    assert to_back_edge(highway(car("Red", 1.5, 12.0)), "Red", ROAD).verdict() is Verdict.YES


def test_the_fleet_goes_back_by_one_length_and_about_the_middle() -> None:
    table = highway(car("Red", 46.0, 12.0), car("Blue", 34.0, 8.0), rig("Hauler", 36.0, 16.0))
    names = ("Red", "Blue", "Hauler")
    length = centring_shift(table, names, ROAD)
    new = shifted_fleet(table, names, ROAD, length)
    for gone in new:
        for name, pose in gone.poses:
            assert pose.x == pytest.approx(table.find(name).pose.x - length)
    ends = [
        x
        for g in new
        for n, p in g.poses
        for x in p.to_table(table.find(n).piece.body.footprint.outline)[:, 0]
    ]
    assert (min(ends) + max(ends)) / 2 == pytest.approx(24.0, abs=0.01)


def test_who_would_go_over_the_back_edge_is_left_against_it_and_holds_up_whoever_follows() -> None:
    table = highway(car("Red", 46.0, 12.0), car("Blue", 3.0, 12.0), car("Green", 6.5, 12.0))
    red, blue, green = shifted_fleet(table, ("Red", "Blue", "Green"), ROAD, 6.0)
    assert (red.pose.x, red.at_edge) == (40.0, False)
    assert blue.at_edge
    assert blue.pose.x == pytest.approx(2.95 / 2)
    assert green.pose.x == pytest.approx(2.95 * 1.5)
    assert green.met is not None


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(3, 45), st.floats(2, 22)), min_size=2, max_size=8), st.floats(3, 40))
def test_after_a_shift_nobody_stands_on_another(places: list[tuple[float, float]], length: float) -> None:
    cars = []
    for k, (x, y) in enumerate(places):
        new = car(f"C{k}", x, y)
        if all(new.region.polygon.distance(c.region.polygon) > 0.01 for c in cars):
            cars.append(new)
    table = highway(*cars)
    new = shifted_fleet(table, [c.name for c in cars], ROAD, length)
    there = [replace(c, pose=g.pose) for c, g in zip(cars, new, strict=True)]
    for k, one in enumerate(there):
        assert ROAD.along(one.region.outline).min() > -1e-6
        for other in there[k + 1 :]:
            assert one.region.polygon.intersection(other.region.polygon).area < 1e-6


def test_the_roads_frame_lies_still_while_the_table_rolls_over_it() -> None:
    table = highway(car("Red", 40.0, 12.0), car("Blue", 30.0, 9.0))
    before = [in_road_frame(table.find(n).pose, ROAD) for n in ("Red", "Blue")]
    gone = shifted_fleet(table, ("Red", "Blue"), ROAD, 10.0)
    rolled = ROAD.shifted(10.0)
    assert [in_road_frame(g.pose, rolled) for g in gone] == before
    there = TableState.of(table.surface, (replace(table.find(g.name), pose=g.pose) for g in gone))
    assert travelled(there, "Red", rolled) == pytest.approx(travelled(table, "Red", ROAD))
