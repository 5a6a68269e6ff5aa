"""Moves: the reachable area, and legal, too close or off, each with its number."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.shattered_highways.table.moving import Moved, move_area, rule_move
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import Standing, TableState
from tests.engine.games.shattered_highways.table.highway import car, highway, rig

SIDE = 2.0 - 1.20 / 2  # how far a sedan's bumper can go aside


def put(table: TableState, name: str, along: float, left: float, degrees: float = 0.0) -> Moved:
    """A move of a vehicle whose bodies all went so far."""
    after = [
        replace(s, pose=Pose(s.pose.x + along, s.pose.y + left, s.pose.heading + math.radians(degrees)))
        for s in table.vehicle(name)
    ]
    return rule_move(table, name, after, 0.0)


def verdicts(moved: Moved) -> dict[str, Verdict]:
    return {c.name: c.verdict for c in moved.ruling.checks}


def test_with_nothing_about_the_whole_bumper_covers_both_templates() -> None:
    area = move_area(highway(car("Red", 20.0, 12.0)), "Red", 0.0)
    nose = 20.0 + 2.95 / 2
    assert area.shifts.bounds == pytest.approx((-9.0, -SIDE, 9.0, SIDE))
    assert area.covered.bounds == pytest.approx((nose - 9.0, 10.0, nose + 9.0, 14.0))


@pytest.mark.parametrize(
    ("along", "left", "verdict"),
    [
        (8.9, 0.0, Verdict.YES), (-8.9, 1.3, Verdict.YES), (0.0, 1.25, Verdict.YES), (0.0, 0.0, Verdict.YES),
        (9.3, 0.0, Verdict.NO), (-9.3, 0.0, Verdict.NO), (3.0, 1.6, Verdict.NO), (0.0, -1.6, Verdict.NO),
        (9.02, 0.0, Verdict.YES), (0.0, 1.4, Verdict.YES),
    ],
)  # fmt: skip
def test_inside_the_template_by_the_whole_bumper(along: float, left: float, verdict: Verdict) -> None:
    moved = put(highway(car("Red", 20.0, 12.0, sd=0.02)), "Red", along, left)
    assert moved.ruling.check("Inside the Template").verdict is verdict
    assert moved.verdict is verdict
    assert (moved.along, moved.left) == pytest.approx((along, left))


def test_by_how_much_it_is_outside_and_where_it_should_stand() -> None:
    moved = put(highway(car("Red", 20.0, 12.0)), "Red", 9.4, 0.5)
    check = moved.ruling.check("Inside the Template")
    assert check.number == pytest.approx(-0.4)
    assert check.words == "the front bumper is 0.40 in outside the template"
    assert moved.should == Pose(29.0, 12.5, 0.0)


def test_a_tenth_of_an_inch_over_the_edge_is_too_close_to_call() -> None:
    moved = put(highway(car("Red", 20.0, 12.0, sd=0.03)), "Red", 9.1, 0.0)
    assert moved.verdict is Verdict.TOO_CLOSE
    assert "too close to call" in moved.ruling.check("Inside the Template").words


@pytest.mark.parametrize("over", [0.0, 0.03, 0.5])
@pytest.mark.parametrize("x", [2.95 / 2, 48.0 - 2.95 / 2])
def test_at_the_very_edge_and_a_little_over_it_the_way_back_is_open(x: float, over: float) -> None:
    at = x - over if x < 24.0 else x + over
    back = 1.0 if x < 24.0 else -1.0
    table = highway(car("Red", at, 12.0))
    low, _, high, _ = move_area(table, "Red", 0.0).shifts.bounds
    far, none = (high, low) if back > 0.0 else (-low, -high)
    assert far == pytest.approx(9.0, abs=0.01)
    assert none == pytest.approx(0.0, abs=0.01)
    assert verdicts(put(table, "Red", 5.0 * back, 0.0))["Clear Path"] is Verdict.YES


def test_a_vehicle_with_a_trailer_goes_six_inches() -> None:
    table = highway(rig("Hauler", 20.0, 12.0))
    assert put(table, "Hauler", 5.9, 0.0).verdict is Verdict.YES
    assert put(table, "Hauler", -6.2, 0.0).verdict is Verdict.NO


def test_no_way_through_a_row_of_cars_even_to_a_free_place() -> None:
    row = [car(f"C{k}", 26.0, 12.0 + 1.3 * (k - 2)) for k in range(5)]
    moved = put(highway(car("Red", 20.0, 12.0), *row), "Red", 9.0, 0.0)
    assert verdicts(moved) == {
        "Inside the Template": Verdict.YES, "Clear Path": Verdict.NO, "Facing the Road": Verdict.YES,
    }  # fmt: skip
    assert moved.touch is not None
    assert moved.touch.other == "C2"
    assert moved.touch.pose.x == pytest.approx(26.0 - 2.95)
    # The nearest lawful place is short of the row, facing the road.
    assert moved.should.x < 26.0 - 2.95 + 0.3


def test_round_one_car_and_past_it() -> None:
    table = highway(car("Red", 20.0, 12.0), car("Blue", 25.0, 12.0))
    assert put(table, "Red", 9.0, 0.0).verdict is Verdict.YES  # round it: 1.40 aside is enough for 1.20
    two = highway(
        car("Red", 20.0, 12.0), car("Blue", 25.0, 12.1), car("Green", 25.0, 13.4), car("Grey", 25.0, 10.8)
    )
    moved = put(two, "Red", 9.0, 0.0)
    assert moved.ruling.check("Clear Path").verdict is Verdict.NO


def test_a_gap_of_about_its_own_width_is_too_close_to_call() -> None:
    table = highway(
        car("Red", 20.0, 12.0, sd=0.02),
        car("Left", 25.0, 12.0 + 1.21, sd=0.02), car("Right", 25.0, 12.0 - 1.21, sd=0.02),
    )  # fmt: skip
    moved = put(table, "Red", 9.0, 0.0)
    assert moved.ruling.check("Clear Path").verdict is Verdict.TOO_CLOSE
    assert moved.ruling.check("Clear Path").margin == pytest.approx(0.01, abs=5e-3)


def test_it_may_stop_against_another_and_leave_from_there() -> None:
    blue = car("Blue", 26.0, 12.0, sd=0.02)
    table = highway(car("Red", 20.0, 12.0, sd=0.02), blue)
    against = put(table, "Red", 6.0 - 2.95, 0.0)
    assert against.verdict is Verdict.YES
    there = highway(car("Red", 26.0 - 2.95, 12.0, sd=0.02), blue)
    assert put(there, "Red", -5.0, 0.5).verdict is Verdict.YES


def test_facing_within_ten_degrees_of_the_road() -> None:
    table = highway(car("Red", 20.0, 12.0, sd=0.01))
    assert put(table, "Red", 4.0, 0.0, degrees=7.0).verdict is Verdict.YES
    moved = put(table, "Red", 4.0, 0.0, degrees=-14.0)
    assert moved.ruling.check("Facing the Road").verdict is Verdict.NO
    assert moved.ruling.check("Facing the Road").words.endswith("to be turned left")
    assert moved.should.heading == 0.0


def test_it_cannot_stand_where_another_stands() -> None:
    moved = put(highway(car("Red", 20.0, 12.0), car("Blue", 25.0, 12.0)), "Red", 4.5, 0.0)
    assert moved.verdict is Verdict.NO
    assert moved.ruling.check("Stands Free").verdict is Verdict.NO


@settings(max_examples=25)
@given(
    along=st.floats(-10, 10), left=st.floats(-2, 2),
    places=st.lists(st.tuples(st.floats(10, 32), st.floats(8, 16)), max_size=5),
)  # fmt: skip
def test_what_is_put_right_is_legal(along: float, left: float, places: list[tuple[float, float]]) -> None:
    red = car("Red", 20.0, 12.0)
    others = [car(f"C{k}", x, y) for k, (x, y) in enumerate(places)]
    if any(o.region.polygon.distance(red.region.polygon) < 0.01 for o in others):
        return
    table = highway(red, *others)
    should = put(table, "Red", along, left).should
    there: list[Standing] = [replace(red, pose=should)]
    again = rule_move(table, "Red", there, 0.0)
    assert all(c.margin > -2e-3 for c in again.ruling.checks), again.ruling.checks


@settings(max_examples=25)
@given(along=st.floats(-8, 8), left=st.floats(-1.3, 1.3), places=st.lists(
    st.tuples(st.floats(8, 32), st.floats(8, 16), st.floats(-5, 5)), max_size=5))  # fmt: skip
def test_a_mirrored_road_gives_the_same_answer(
    along: float, left: float, places: list[tuple[float, float, float]]
) -> None:
    def road(sign: float) -> TableState:
        others = [car(f"C{k}", x, 12 + sign * (y - 12), sign * a) for k, (x, y, a) in enumerate(places)]
        return highway(car("Red", 20.0, 12.0), *others)

    one, other = put(road(1.0), "Red", along, left), put(road(-1.0), "Red", along, -left)
    for a, b in zip(one.ruling.checks, other.ruling.checks, strict=True):
        assert (a.name, a.margin) == (b.name, pytest.approx(b.margin, abs=5e-3))
