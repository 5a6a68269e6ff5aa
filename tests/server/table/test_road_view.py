"""A road that rolls under the table, told as it lies on the ground."""

from __future__ import annotations

import pytest

from engine.boards.board import Free
from engine.boards.road import Road
from engine.space.geometry import Pose
from engine.space.table import TableState
from server.table.projection import road_view
from tests.engine.games.shattered_highways.highway import SURFACE, car, rig


def test_where_the_fleet_was_set_back_everybody_is_as_far_on_the_ground_as_before() -> None:
    road = Road(48.0, 24.0)
    before = TableState.of(SURFACE, (car("Red 1", 44.0, 10.0), *rig("Blue Rig", 20.0, 6.0)))
    back = TableState.of(SURFACE, (car("Red 1", 32.0, 10.0), *rig("Blue Rig", 8.0, 6.0)))
    one, other = road_view(before, road, "in"), road_view(back, road.shifted(12.0), "in")
    assert one is not None
    assert other is not None
    assert one.pieces == other.pieces
    assert [(p.name, p.covered, p.words) for p in one.pieces] == [
        ("Red 1", 44.0, "44.0″"), ("Blue Rig", 20.0, "20.0″"), ("Blue Rig trailer", None, ""),
    ]  # fmt: skip
    assert (one.since, one.until, other.since, other.until) == (0.0, 48.0, 12.0, 60.0)
    assert other.words == "12.0″ of the road have rolled by"


def test_in_the_direction_of_the_road_and_in_the_viewers_unit() -> None:
    up = Road(24.0, 48.0, frame=Pose(48.0, 0.0, 1.5707963267948966), scroll=10.0)
    view = road_view(TableState.of(SURFACE, (car("Red 1", 40.0, 15.0, 90.0),)), up, "cm")
    assert view is not None
    (red,) = view.pieces
    assert red.covered == pytest.approx(25.0)
    assert red.words == "63.5 cm"
    xs, ys = zip(*red.outline, strict=True)
    assert (min(xs) + max(xs)) / 2 == pytest.approx(25.0, abs=0.2)
    assert (min(ys) + max(ys)) / 2 == pytest.approx(8.0, abs=0.1)


def test_a_board_that_does_not_roll_has_none() -> None:
    assert road_view(TableState.of(SURFACE, (car("Red 1", 1.0, 1.0),)), Free(), "in") is None
