"""Points and lines: neighbours, what lies between two, names."""

from __future__ import annotations

import pytest

from engine.boards.board import BoardError
from engine.boards.points import Points
from engine.space.geometry import Pose

BOARD = Points(12, 9)


@pytest.mark.parametrize(
    ("cell", "neighbours"),
    [
        ((0, 0), {(1, 0), (1, 1), (0, 1)}),
        ((11, 4), {(11, 5), (10, 5), (10, 4), (10, 3), (11, 3)}),
        ((5, 5), {(6, 5), (6, 6), (5, 6), (4, 6), (4, 5), (4, 4), (5, 4), (6, 4)}),
    ],
)
def test_neighbours(cell: tuple[int, int], neighbours: set[tuple[int, int]]) -> None:
    assert set(BOARD.neighbours(cell)) == neighbours


@pytest.mark.parametrize(
    ("one", "other", "between"),
    [
        ((0, 0), (4, 0), ((1, 0), (2, 0), (3, 0))),
        ((4, 4), (2, 6), ((3, 5),)),
        ((4, 4), (5, 5), ()),
        ((4, 4), (6, 5), None),
        ((4, 4), (4, 4), None),
    ],
)
def test_between(one: tuple[int, int], other: tuple[int, int], between: object) -> None:
    assert BOARD.between(one, other) == between
    back = BOARD.between(other, one)
    assert back == (None if between is None else tuple(reversed(between)))  # type: ignore[call-overload]


def test_a_facing_leads_where_its_pose_looks() -> None:
    board = Points(5, 5, 1.5, Pose(3.0, 4.0, 0.6))
    for facing in range(8):
        there = board.step((2, 2), facing)
        assert there is not None
        ahead = board.pose_of((2, 2), facing).to_body(board.pose_of(there).xy)
        assert ahead[0] == pytest.approx(1.5 * (2**0.5 if facing % 2 else 1))
        assert ahead[1] == pytest.approx(0)
        assert board.facing_to((2, 2), there) == facing


def test_lines_end_at_the_edge() -> None:
    assert BOARD.line((9, 3), 1) == ((10, 4), (11, 5))
    assert BOARD.line((0, 3), 4) == ()


def test_every_pair_of_neighbours_lies_on_a_drawn_line() -> None:
    lines = [s for s in Points(4, 3).drawing() if s.shape == "line"]
    assert len(lines) == 4 + 3 + 2 * 4  # columns, rows, and the diagonals longer than a point each way


@pytest.mark.parametrize("make", [lambda: Points(0, 3), lambda: Points(3, 3, 0.0), lambda: Points(3, 900)])
def test_boards_that_cannot_be(make: object) -> None:
    with pytest.raises(BoardError, match="expected"):
        make()  # type: ignore[operator]


def test_a_point_that_is_not_there() -> None:
    with pytest.raises(BoardError, match="columns run from 0 to 11, rows from 0 to 8"):
        BOARD.pose_of((12, 0))
