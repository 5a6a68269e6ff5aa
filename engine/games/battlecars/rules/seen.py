"""What the camera saw, as points and facings of the board: where a vehicle stands, and which way it came."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engine.boards.board import Cell
from engine.boards.points import STEPS, Points
from engine.game.about import house
from engine.motion.moves import Move

SEEN = house("What the camera saw counts")

NEAR = 0.4
"""A reading so near to a point, in spacings, is on it: what lies further off is on the way between two."""


def seen_on(board: Points, move: Move, start: Cell) -> tuple[Cell, ...]:
    """The points on which a piece was seen, from where it stood; readings between points are passed over.

    The last reading is where it rests.
    """
    cells = [start]
    for pose in (*move.poses, move.after.pose):
        here = (np.asarray(pose.xy) - board.frame.xy) @ board.frame.rotation / board.spacing
        point = np.rint(here)
        cell = (int(point[0]), int(point[1]))
        if float(np.hypot(*(here - point))) > NEAR or not board.holds(cell) or cell == cells[-1]:
            continue
        cells.append(cell)
    return tuple(cells)


def way_of(board: Points, move: Move, start: Cell) -> tuple[Cell, ...]:
    """The points over which a piece was pushed; between two on one line those between are filled in."""
    seen = seen_on(board, move, start)
    steps = ((*(board.between(one, other) or ()), other) for one, other in pairwise(seen))
    return (start, *(cell for step in steps for cell in step))


def steps_between(one: Cell, other: Cell) -> int:
    """How many steps lead from one point to another, turning as one likes."""
    return max(abs(other[0] - one[0]), abs(other[1] - one[1]))


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
