"""Tracks laid from straights and bends: lanes beside one another, closed where their pieces lead back."""

from __future__ import annotations

import itertools

import pytest

from engine.boards.board import BoardError
from engine.boards.hexes import Hexes, distance, oval
from engine.boards.laying import lay

SHAPES = {
    "stadium": ("straight 3", "left", "left", "left") * 2,
    "chicane": ("straight 2", "right", "left", "straight 1", "left", "right", "straight 2"),
    "bends": ("right", "straight 2", "right", "right", "straight 2", "left", "straight 1", "left"),
}


@pytest.mark.parametrize("lanes", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("shape", SHAPES)
def test_lanes_are_whole_and_lie_beside_one_another(shape: str, lanes: int) -> None:
    laid = lay(SHAPES[shape], lanes)
    track = Hexes.track(laid.lanes)  # refuses gaps, and hexes that are named twice
    for one, other in itertools.pairwise(track.lanes):
        assert all(min(distance(cell, c) for c in other) == 1 for cell in one)
        assert all(min(distance(cell, c) for c in one) == 1 for cell in other)
    assert laid.closed == (shape == "stadium") == track.circuit


@pytest.mark.parametrize("lanes", [2, 3, 4])
def test_lanes_count_from_the_left(lanes: int) -> None:
    for heading in range(6):
        laid = lay(("straight 3",), lanes, (4, -7), heading)
        track = Hexes.track(laid.lanes)
        here = track.pose_of(laid.lanes[0][1], 2 * heading)
        across = [here.to_body(track.pose_of(lane[1]).xy)[1] for lane in track.lanes]
        assert across == sorted(across, reverse=True)
        assert len(set(across)) == lanes


def test_a_stadium_is_the_oval_that_hexes_know() -> None:
    ours = lay(("straight 4", "left", "left", "left") * 2, 3)
    theirs = oval(5, 2, 3)
    assert [len(lane) for lane in ours.lanes] == [len(lane) for lane in theirs]


def test_rungs_are_where_the_pieces_begin() -> None:
    laid = lay(("straight 2", "left", "right", "straight 1"), 4)
    assert laid.rungs == ((0, 0, 0, 0), (2, 2, 2, 2), (4, 5, 6, 7), (10, 10, 10, 10))
    assert [side for _, side in laid.starts] == [0, 0, 1, 0]
    assert laid.at(1, 0, 0) == laid.starts[1]
    assert laid.at(-1, 2, 0) == (laid.lanes[2][10], 0)


@pytest.mark.parametrize(
    ("pieces", "lanes", "words"),
    [
        ((), 4, "expected pieces"),
        (("left",), 0, "1 to 20 lanes"),
        (("straight",), 4, "expected a piece such as"),
        (("straight 0",), 4, "expected a piece such as"),
        (("bend",), 4, "but got 'bend'"),
        (("left",) * 7, 4, "runs over itself"),
    ],
)
def test_what_is_refused(pieces: tuple[str, ...], lanes: int, words: str) -> None:
    with pytest.raises(BoardError, match=words):
        lay(pieces, lanes)
