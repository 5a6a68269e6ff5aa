"""The rolling road: everything is set back by what the road has rolled, and no section changes its number."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.boards.board import BoardError
from engine.boards.road import Road
from engine.space.geometry import Pose, Region
from tests.engine.boards.test_board import standing

ROAD = Road(36.0, 8.0, (3.0, 2.0), Pose(10.0, 2.0, 1.2))


@given(x=st.floats(10, 36), y=st.floats(0, 8), length=st.floats(0, 10))
def test_what_is_set_back_keeps_its_section_and_its_way(x: float, y: float, length: float) -> None:
    pose = ROAD.frame.compose(Pose(x, y, 0.1))
    rolled, set_back = ROAD.shifted(length), ROAD.carried(pose, length)
    assert rolled.travelled(set_back) == pytest.approx(ROAD.travelled(pose))
    assert rolled.to_front(set_back) == pytest.approx(ROAD.to_front(pose) + length)
    assert set_back.heading == pose.heading
    one, other = ROAD.snap(standing(pose)), rolled.snap(standing(set_back))
    if one.where == other.where == "cell":
        assert (one.cell, one.offset) == (other.cell, pytest.approx(other.offset, abs=1e-9))


def test_a_road_over_a_surface_runs_along_its_longer_way() -> None:
    wide = Road.over(Region.rectangle(1, 2, 36, 24))
    assert (wide.frame, wide.length, wide.width) == (Pose(1.0, 2.0), 36.0, 24.0)
    tall = Road.over(Region.rectangle(1, 2, 24, 36))
    assert (tall.heading, tall.length, tall.width) == (pytest.approx(math.pi / 2), 36.0, 24.0)
    for road, surface in ((wide, Region.rectangle(1, 2, 36, 24)), (tall, Region.rectangle(1, 2, 24, 36))):
        assert road.region.polygon.symmetric_difference(surface.polygon).area < 1e-9
        assert road.along(road.region.outline).tolist() == pytest.approx([0, road.length, road.length, 0])


def test_two_shifts_are_one() -> None:
    assert ROAD.shifted(2.5).shifted(4.0) == ROAD.shifted(6.5)


def test_sections_count_on_while_the_road_rolls() -> None:
    numbers = [s.words for s in Road(9.0, 4.0).shifted(6.0).drawing() if s.words]
    assert numbers == ["3", "4", "5"]
    assert Road(9.0, 4.0).shifted(6.0).pose_of((2, 0)).x == pytest.approx(1.5)


def test_a_rest_of_the_width_belongs_to_the_left_lane() -> None:
    road = Road(30.0, 7.0)
    assert road.lanes == 3
    snap = road.snap(standing(Pose(4.0, 6.7)))
    assert snap.cell == (1, 2)
    assert snap.astray


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Road(0.0, 8.0), "length of the road above 0"),
        (lambda: Road(10.0, 8.0, (12.0, 2.0)), "at most 10 x 8 inches"),
        (lambda: Road(10.0, 8.0, scroll=-1.0), "scroll of 0 inches or more"),
        (lambda: ROAD.pose_of((3, 4)), "lanes from 0 to 3"),
        (lambda: ROAD.pose_of((3, 1), 1), "direction of travel"),
    ],
)
def test_what_is_refused(make: object, words: str) -> None:
    with pytest.raises(BoardError, match=words):
        make()  # type: ignore[operator]


def test_the_cells_are_the_sections_whose_middle_lies_on_the_table() -> None:
    road = Road(31.0, 8.0, (3.0, 2.0), scroll=7.3)
    assert {section for section, _ in road.cells} == set(range(2, 13))
    assert {lane for _, lane in road.cells} == {0, 1, 2, 3}
    # A middle right on the road's end is on neither side of it.
    assert [section for section, _ in Road(4.5, 2.0).cells] == [0]
