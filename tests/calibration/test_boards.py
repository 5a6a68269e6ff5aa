"""Boards as a table file describes them."""

from __future__ import annotations

import math

import pytest
from pydantic import TypeAdapter

from calibration.boards import BoardFields, board_on, fields_of
from engine.boards.board import Board, BoardError
from engine.boards.free import Free
from engine.boards.hexes import Hexes, oval
from engine.boards.loose import LooseTrack
from engine.boards.points import Points
from engine.boards.road import Road
from engine.space.geometry import Pose, Region

SURFACE = Region.rectangle(0.0, 0.0, 60.0, 60.0)
AT = Pose(14.25, 20.5, math.radians(12.5))
LANES = oval(4, 2, 3)
TRACK = LooseTrack.of(LANES[1], (c for lane in LANES for c in lane), 1.5, AT)


@pytest.mark.parametrize(
    "board",
    [
        Points(9, 5, 3.0, AT),
        Points(9, 5, 3.0, Pose(4.0, 3.0, 0.0), 0.3),
        Hexes.field(7, 4, 2.0, AT),
        Hexes.track(LANES, 1.75, AT),
        TRACK,
        Road(30.0, 8.0, (3.0, 2.0), AT),
    ],
    ids=["points", "a tolerance", "field", "track", "loose", "road"],
)
def test_what_is_written_of_a_board_is_that_board(board: Board) -> None:
    fields = TypeAdapter[object](BoardFields).validate_python(fields_of(board))
    again = board_on(fields, SURFACE)  # type: ignore[arg-type]
    assert again == board
    assert type(again) is type(board)


def test_a_table_without_cells_has_none() -> None:
    assert fields_of(Free()) is None


def test_hexes_that_no_file_can_describe_are_refused() -> None:
    with pytest.raises(BoardError, match="neither a track nor a field"):
        fields_of(Hexes(((0, 0), (1, 0), (5, 0), (0, 1))))
