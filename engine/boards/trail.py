"""The cells over which a piece was seen to go, where its way was hidden, and which ways fit what was seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.boards.board import Board, Cell, Celled
from engine.motion.moves import Move
from engine.space.geometry import FloatArray

APART = 0.75
"""Readings further apart than this, in spacings, leave out a part of the way."""

BLINK_S = 0.5
"""Seconds in which a piece goes nowhere but straight from one reading to the next: a frame that was dropped,
a finger across the tag (house default)."""

CLOSE = 0.1
"""Between two readings of a way that was seen, the cells are looked up so often, in spacings."""

NEAR = 0.4
"""A reading so near to a cell, in spacings, is on it: what lies further off is on the way between two."""

Fit = frozenset[tuple[int, int]]
"""How far a way fits a trail: the seen cell that it has come to, by its number, and the cells gone since."""


@dataclass(frozen=True, slots=True)
class Trail:
    """The cells on which a piece was seen, in order; the first is where it stood.

    `hidden` says of each cell after the first whether a part of the way to it was not seen: there it may have
    gone over any others. Where none was hidden but two cells are no neighbours, it was seen between cells and
    went from one to the other in as few steps as can be. `open_end`: what came after the last one was hidden.
    """

    cells: tuple[Cell, ...]
    hidden: tuple[bool, ...]
    open_end: bool = False

    def ending(self, cell: Cell) -> Trail:
        """The trail of a piece that rests on a cell."""
        if self.cells[-1] == cell:
            return self
        return Trail((*self.cells, cell), (*self.hidden, self.open_end))

    def settled(self) -> Trail:
        """Without its loops: each is cut at the cell to which the piece came back.

        For a piece that by its rules never comes to a cell twice: it was pulled back, and went on from there.

        >>> Trail(((0, 0), (1, 0), (2, 0), (1, 0)), (False, False, False)).settled().cells
        ((0, 0), (1, 0))
        >>> Trail(((0, 0), (1, 0), (0, 0), (0, 1)), (False, False, True)).settled()
        Trail(cells=((0, 0), (0, 1)), hidden=(True,), open_end=False)
        """
        cells, hidden = [self.cells[0]], list[bool]()
        for cell, dark in zip(self.cells[1:], self.hidden, strict=True):
            if cell in cells:
                k = cells.index(cell)
                cells, hidden = cells[: k + 1], hidden[:k]
            else:
                cells.append(cell)
                hidden.append(dark)
        return Trail(tuple(cells), tuple(hidden), self.open_end)

    def gaps(self, steps: Callable[[Cell, Cell], int]) -> tuple[tuple[Cell, Cell], ...]:
        """From where to where cells were left out, else where a part was hidden; `steps` lie between two."""
        ends = tuple(pairwise(self.cells))
        wide = tuple(pair for pair in ends if steps(*pair) > 1)
        return wide or tuple(pair for pair, hidden in zip(ends, self.hidden, strict=True) if hidden)

    def begun(self) -> Fit:
        """How a way fits before its first step."""
        return frozenset({(0, 0)})

    def onward(self, fit: Fit, cell: Cell, steps: Callable[[Cell, Cell], int]) -> Fit:
        """How a way fits that goes on to a cell; nothing where it does not fit."""
        found = set()
        for number, extra in fit:
            if number + 1 == len(self.cells):
                continue
            here, there = self.cells[number], self.cells[number + 1]
            if cell == there:
                found.add((number + 1, 0))
            if self.hidden[number] or extra + 1 < steps(here, there):
                found.add((number, extra + 1))
        return frozenset(found)

    def left(self, fit: Fit, cell: Cell, steps: Callable[[Cell, Cell], int]) -> int:
        """How many steps a way that fits so far has to go on at the least."""
        return min(
            sum(steps(one, other) for one, other in pairwise((cell, *self.cells[number + 1 :])))
            for number, _ in fit
        )

    def done(self, fit: Fit) -> bool:
        """Whether a way may end here: it has been on every cell that was seen."""
        return (len(self.cells) - 1, 0) in fit

    def fits(self, way: Iterable[Cell], steps: Callable[[Cell, Cell], int]) -> bool:
        """Whether a way, without its first cell, leads over what was seen, and over nothing else.

        >>> from engine.boards.hexes import distance
        >>> seen = Trail(((0, 0), (2, 0), (3, 0)), (True, False))
        >>> seen.fits([(0, 1), (1, 1), (2, 0), (3, 0)], distance)
        True
        >>> seen.fits([(1, 0), (2, 0), (2, 1), (3, 0)], distance)
        False
        """
        fit = self.begun()
        for cell in way:
            fit = self.onward(fit, cell, steps)
        return self.done(fit)


def gap_words(board: Board, gaps: Sequence[tuple[Cell, Cell]]) -> str:
    """Between which cells a piece was not seen: "from C6 to E7"."""
    return " and ".join(f"from {board.name_of(one)} to {board.name_of(other)}" for one, other in gaps)


def followed(board: Celled, pitch: float, move: Move, start: Cell, near: float = NEAR) -> Trail:
    """The trail of a piece from the cell on which it stood; `pitch` inches lie between two cells.

    It is on a cell nearer to its middle than `near`, in spacings; between cells it is passed over.
    """
    places, hidden = _way(pitch, move)
    on = _cells(board, pitch, places, near)
    cells, found, unseen = [start], [], False
    for cell, dark in zip(on, hidden, strict=True):
        unseen = unseen or dark
        if cell is None or cell == cells[-1]:
            continue
        cells.append(cell)
        found.append(unseen)
        unseen = False
    return Trail(tuple(cells), tuple(found), unseen)


def _way(pitch: float, move: Move) -> tuple[FloatArray, list[bool]]:
    """Places (n, 2) on the way of a piece, inches on the table; before which of them it was hidden."""
    read = np.array([move.start.pose.xy, *(pose.xy for pose in move.poses), move.after.pose.xy])
    times = [move.since, *(one.time for one in move.reads), move.until]
    places, hidden = [], []
    for k, (one, other) in enumerate(pairwise(read)):
        far = float(np.hypot(*(other - one))) / pitch
        dark = far > APART and times[k + 1] - times[k] > BLINK_S
        count = 1 if dark else max(1, int(np.ceil(far / CLOSE)))
        places += [one + (other - one) * share for share in np.arange(1, count + 1) / count]
        hidden += [dark] + [False] * (count - 1)
    return np.array(places), hidden


def _cells(board: Celled, pitch: float, places: FloatArray, near: float) -> list[Cell | None]:
    """The cell on which each place is; None between cells and beside the board."""
    cells, there = board.cells_at((places - board.frame.xy) @ board.frame.rotation)
    named = [(int(q), int(r)) if held else None for (q, r), held in zip(cells, there, strict=True)]
    middles = {cell: board.pose_of(cell).xy for cell in set(named) if cell is not None}
    close = near * pitch
    return [
        cell if cell is not None and float(np.hypot(*(middles[cell] - place))) <= close else None
        for cell, place in zip(named, places, strict=True)
    ]
