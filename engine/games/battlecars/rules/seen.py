"""What the camera saw, as points and facings of the board: where a vehicle stands, and which way it came."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.boards.board import Cell
from engine.boards.points import STEPS, Points
from engine.boards.trail import Trail, followed
from engine.motion.moves import Move


def trail_of(board: Points, move: Move, start: Cell) -> Trail:
    """The points on which a piece was seen, from where it stood; readings between points are passed over."""
    return followed(board, board.spacing, move, start)


def filled(board: Points, cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Points with those between two on one line."""
    steps = ((*(board.between(one, other) or ()), other) for one, other in pairwise(cells))
    return (cells[0], *(cell for step in steps for cell in step))


def steps_between(one: Cell, other: Cell) -> int:
    """How many steps lead from one point to another, turning as one likes."""
    return max(abs(other[0] - one[0]), abs(other[1] - one[1]))


def gone_over(cells: Sequence[Cell]) -> int:
    """How many points a way is long at the least."""
    return sum(steps_between(one, other) for one, other in pairwise(cells))


def directions(cells: tuple[Cell, ...]) -> tuple[int, ...] | None:
    """The facing of each step; None where two points are no neighbours."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(cells)]
    if any(step not in STEPS for step in steps):
        return None
    return tuple(STEPS.index(step) for step in steps)


def corners_of(ways: tuple[int, ...], last: int) -> tuple[int, ...]:
    """The corner after each step, eighths from −3 to 4, the last one into the facing in which it rests.

    >>> corners_of((0, 0, 1), 1), corners_of((0, 7), 6)
    ((0, 1, 0), (-1, -1))
    """
    after = (*ways[1:], last)
    return tuple((there - here + 3) % 8 - 3 for here, there in zip(ways, after, strict=True))
