"""What was seen of a way over cells: which cells, what of it was hidden, which ways fit."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from engine.boards.hexes import Hexes, distance
from engine.boards.points import Points
from engine.boards.trail import Trail, followed
from engine.motion.moves import Move, Read
from engine.space.catalogue import CARS
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState

BOARD = Points(9, 9, 3.0, Pose(5.0, 4.0, 0.2))
NEAR = 0.4


def steps(one, other):
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def stood(board, at) -> Standing:
    """A car at a place in cells of the board, between them too."""
    pose = board.frame.compose(Pose(board.spacing * at[0], board.spacing * at[1], 0.0))
    return Standing(Piece("Red 1", "car", CARS["sedan"]), pose, PoseUncertainty.isotropic(0.02, 0.01))


def moved(*read, end, start=(1, 1), board=BOARD, until=None) -> Move:
    """A move with readings of a time and a place; it left at 0."""
    reads = tuple(Read(time, stood(board, at).pose, 0.02, 0.01) for time, at in read)
    before = TableState.of(Region.rectangle(-9, -9, 90, 90), [stood(board, start)])
    until = (read[-1][0] if read else 0.0) + 0.1 if until is None else until
    return Move("m1", "Red 1", before, stood(board, end), 0.0, until, reads)


def trail(move, board=BOARD, start=(1, 1)) -> Trail:
    return followed(board, board.spacing, move, start, NEAR)


def smoothly(*places, pace=0.2):
    """Readings every tenth of a cell along places."""
    found, time = [], 0.0
    for one, other in pairwise(places):
        for k in range(1, 11):
            time += pace / 10
            found.append((time, tuple(a + (b - a) * k / 10 for a, b in zip(one, other, strict=True))))
    return found


def test_a_way_that_was_seen_is_its_cells():
    found = trail(moved(*smoothly((1, 1), (2, 1), (3, 2)), end=(3.1, 2.05)))
    assert (found.cells, found.hidden) == (((1, 1), (2, 1), (3, 2)), (False, False))
    assert found.gaps(steps) == ()


def test_a_dropped_frame_hides_nothing_and_a_hand_does():
    quick = trail(moved((0.2, (2, 1)), (0.5, (5, 1)), end=(5, 1)))
    assert quick.cells == ((1, 1), (2, 1), (3, 1), (4, 1), (5, 1))
    assert not any(quick.hidden)
    slow = trail(moved((0.2, (2, 1)), (1.5, (5, 1)), end=(5, 1)))
    assert (slow.cells, slow.hidden) == (((1, 1), (2, 1), (5, 1)), (False, True))
    assert slow.gaps(steps) == (((2, 1), (5, 1)),)


def test_nothing_seen_at_all_is_hidden_from_start_to_end():
    found = trail(moved(end=(3, 2), until=2.0))
    assert (found.cells, found.hidden) == (((1, 1), (3, 2)), (True,))


def test_a_piece_that_waits_under_a_hand_has_gone_nowhere():
    found = trail(moved((0.2, (2, 1)), (6.0, (2.1, 1)), (6.2, (3, 1)), end=(3, 1)))
    assert (found.cells, found.hidden) == (((1, 1), (2, 1), (3, 1)), (False, False))


def test_between_cells_it_is_on_none_and_goes_as_straight_as_can_be():
    found = trail(moved(*smoothly((1, 1), (3, 2)), end=(3, 2)))
    assert (found.cells, found.hidden) == (((1, 1), (3, 2)), (False,))
    assert found.gaps(steps) == (((1, 1), (3, 2)),)
    assert found.fits([(2, 1), (3, 2)], steps)
    assert found.fits([(2, 2), (3, 2)], steps)
    assert not found.fits([(2, 1), (3, 1), (3, 2)], steps), "it was seen to go straight from one to the other"


def test_what_is_hidden_may_go_round_and_what_was_seen_may_not():
    found = Trail(((1, 1), (2, 1), (4, 1), (5, 1)), (False, True, False))
    assert found.fits([(2, 1), (3, 1), (4, 1), (5, 1)], steps)
    assert found.fits([(2, 1), (2, 2), (3, 2), (4, 1), (5, 1)], steps)
    # In the hidden part it may have been where it was seen later.
    assert found.fits([(2, 1), (3, 1), (4, 1), (4, 2), (4, 1), (5, 1)], steps)
    assert not found.fits([(2, 1), (3, 1), (4, 1)], steps)
    assert not found.fits([(2, 2), (3, 1), (4, 1), (5, 1)], steps)
    assert not found.fits([(2, 1), (3, 1), (4, 1), (4, 2), (5, 1)], steps)
    fit = found.onward(found.begun(), (2, 1), steps)
    assert found.left(fit, (2, 1), steps) == 3


def test_it_ends_where_it_is_said_to_rest():
    found = trail(moved(*smoothly((1, 1), (2, 1), (2.5, 1)), end=(2.5, 1)))
    assert found.cells == ((1, 1), (2, 1))
    assert found.ending((3, 1)) == Trail(((1, 1), (2, 1), (3, 1)), (False, False))
    assert found.ending((2, 1)) == found
    dark = trail(moved((0.2, (2, 1)), end=(4.5, 1), until=2.0))
    assert dark.ending((5, 1)).hidden == (False, True)


@pytest.mark.parametrize("turn", [0.0, 1.0])
def test_hexes_are_followed_alike(turn):
    board = Hexes.field(8, 8, 2.25, Pose(3.0, 4.0, turn))
    way = [(1, 1), (2, 1), (2, 2), (3, 2)]
    read = [(0.3 * k, cell) for k, cell in enumerate(way)]
    middles = {cell: board.pose_of(cell) for cell in way}
    reads = tuple(Read(time, middles[cell], 0.02, 0.01) for time, cell in read)
    piece = Piece("Red 1", "car", CARS["compact"])
    doubt = PoseUncertainty.isotropic(0.02, math.radians(1))
    before = TableState.of(Region.rectangle(-90, -90, 90, 90), [Standing(piece, middles[1, 1], doubt)])
    move = Move("m1", "Red 1", before, Standing(piece, middles[3, 2], doubt), 0.0, 0.9, reads)
    assert followed(board, board.spacing, move, (1, 1), 0.6) == Trail(tuple(way), (False,) * 3)
    late = Move("m2", "Red 1", before, Standing(piece, middles[3, 2], doubt), 0.0, 5.0)
    found = followed(board, board.spacing, late, (1, 1), 0.6)
    assert found == Trail(((1, 1), (3, 2)), (True,))
    assert found.fits([(2, 1), (2, 2), (3, 2)], distance)
