"""What the camera saw, as points and facings of the board: where a vehicle stands, and which way it came."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engine.boards.board import TOLD, Cell
from engine.boards.points import STEPS, Points
from engine.game.about import house
from engine.motion.moves import Move
from engine.space.table import Standing

SEEN = house("What the camera saw counts")

NEAR = 0.4
"""A reading so near to a point, in spacings, is on it: what lies further off is on the way between two."""


def place_key(cell: Cell, facing: int) -> str:
    """A point and facing as the value of an input."""
    return f"{cell[0]},{cell[1]},{facing}"


def place_of_key(key: str) -> tuple[Cell, int]:
    """The point and facing of such a value."""
    x, y, facing = (int(part) for part in key.split(","))
    return (x, y), facing


def places(board: Points, standing: Standing) -> tuple[tuple[Cell, int, float], ...]:
    """The points and facings on which a vehicle may stand, with their probabilities; one where it is sure."""
    snap = board.snap(standing)
    found = [(snap.cell, snap.facing, snap.probability)]
    if snap.where != "cell":
        found += [(r.cell, r.facing, r.probability) for r in snap.rivals if r.probability >= TOLD]
    return tuple((c, f, p) for c, f, p in found if c is not None and f is not None)


def way_of(board: Points, move: Move, start: Cell) -> tuple[Cell, ...]:
    """The points over which a piece was pushed, from where it stood; readings between points are passed over.

    Between two points on one line those between are filled in; the last reading is where it rests.
    """
    cells = [start]
    for pose in (*move.poses, move.after.pose):
        here = (np.asarray(pose.xy) - board.frame.xy) @ board.frame.rotation / board.spacing
        point = np.rint(here)
        cell = (int(point[0]), int(point[1]))
        if float(np.hypot(*(here - point))) > NEAR or not board.holds(cell) or cell == cells[-1]:
            continue
        cells += [*(board.between(cells[-1], cell) or ()), cell]
    return tuple(cells)


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
