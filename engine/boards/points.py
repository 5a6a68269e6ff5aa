"""Points of a square grid, joined by orthogonals and diagonals; pieces face one of eight ways along them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.boards import board
from engine.boards.board import BoardError, Cell, Shape, Snap
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import ORIGIN
from engine.space.table import Standing

STEPS: tuple[Cell, ...] = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
"""The step from a point to its neighbour, by facing."""


@dataclass(frozen=True, slots=True)
class Points:
    """`columns` by `rows` points, `spacing` inches apart; a cell is its column and row from (0, 0).

    `frame` is where point (0, 0) lies and where the columns run. A piece stands on the point whose square
    of `spacing` round it holds the piece's reference point. Facing f is f * 45 degrees counter-clockwise
    from the board's x. `tolerance` is a house default: how far off its point a piece may stand, inches.

    >>> board = Points(4, 4)
    >>> board.between((0, 0), (3, 3))
    ((1, 1), (2, 2))
    >>> board.between((0, 0), (1, 2)) is None
    True
    """

    columns: int
    rows: int
    spacing: float = 2.0
    frame: Pose = ORIGIN
    tolerance: float = board.TOLERANCE
    kind: ClassVar[str] = "points"
    facings: ClassVar[int] = 8

    def __post_init__(self) -> None:
        if not (1 <= self.columns <= 200 and 1 <= self.rows <= 200):
            raise BoardError(f"expected 1 to 200 columns and rows but got {self.columns} and {self.rows}")
        if not (math.isfinite(self.spacing) and self.spacing > 0.0):
            raise BoardError(f"expected a spacing above 0 inches but got {self.spacing}")

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every point, row by row."""
        return _cells(self.columns, self.rows)

    def holds(self, cell: Cell) -> bool:
        """Whether the board has that point."""
        return 0 <= cell[0] < self.columns and 0 <= cell[1] < self.rows

    def snap(self, standing: Standing, confidence: float = board.CONFIDENCE) -> Snap:
        """On which point a piece stands and which way it faces."""
        return board.snapped(self, standing, confidence)

    def cells_at(self, points: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The nearest points to places (n, 2) in the board's frame, and which of them the board has."""
        cells = np.rint(points / self.spacing)
        return cells, np.all((cells >= 0) & (cells < (self.columns, self.rows)), axis=1)

    def pose_of(self, cell: Cell, facing: int = 0) -> Pose:
        """Where a piece on that point stands. Raises `BoardError`."""
        self._must_hold(cell)
        column, row = cell
        return self.frame.compose(Pose(column * self.spacing, row * self.spacing, facing * math.pi / 4))

    def name_of(self, cell: Cell) -> str:
        """Its column as letters and its row from 1.

        >>> Points(40, 3).name_of((1, 2)), Points(40, 3).name_of((27, 0))
        ('B3', 'AB1')
        """
        self._must_hold(cell)
        return f"{_letters(cell[0])}{cell[1] + 1}"

    def step(self, cell: Cell, facing: int) -> Cell | None:
        """The next point that way, None past the board's edge."""
        dx, dy = STEPS[facing % 8]
        there = cell[0] + dx, cell[1] + dy
        return there if self.holds(there) else None

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        """The points one step away, by facing."""
        return tuple(there for f in range(8) if (there := self.step(cell, f)) is not None)

    def line(self, cell: Cell, facing: int) -> tuple[Cell, ...]:
        """The points from a point's neighbour that way to the edge, nearest first."""
        return _line(self.columns, self.rows, cell, facing % 8)

    def facing_to(self, one: Cell, other: Cell) -> int | None:
        """The facing from one point along a line to another, None where no line joins them."""
        dx, dy = other[0] - one[0], other[1] - one[1]
        if (dx, dy) == (0, 0) or (dx and dy and abs(dx) != abs(dy)):
            return None
        return STEPS.index((int(np.sign(dx)), int(np.sign(dy))))

    def between(self, one: Cell, other: Cell) -> tuple[Cell, ...] | None:
        """The points between two on a line, from the first; None where no line joins them."""
        facing = self.facing_to(one, other)
        if facing is None:
            return None
        line = self.line(one, facing)
        return line[: line.index(other)]

    def drawing(self) -> tuple[Shape, ...]:
        """The lines, the points, and the names of columns and rows."""
        return (*self._lines(), *self._dots(), *self._names())

    def _lines(self) -> list[Shape]:
        """One line for each row, column and diagonal, from edge to edge."""
        lines = []
        for facing in range(4):
            dx, dy = STEPS[facing]
            for cell in self.cells:
                before = cell[0] - dx, cell[1] - dy
                run = self.line(cell, facing)
                if run and not self.holds(before):
                    ends = board.on_table(self.frame, [self._at(cell), self._at(run[-1])])
                    lines.append(Shape("line", ends))
        return lines

    def _dots(self) -> list[Shape]:
        radius = 0.04 * self.spacing
        return [Shape("disc", board.on_table(self.frame, [self._at(c)]), radius=radius) for c in self.cells]

    def _names(self) -> list[Shape]:
        letters, away = 0.12 * self.spacing, -0.3
        below = [(_letters(c), (c, away)) for c in range(self.columns)]
        beside = [(str(r + 1), (away, r)) for r in range(self.rows)]
        return [
            Shape("label", board.on_table(self.frame, [self._at(at)]), words, letters)
            for words, at in (*below, *beside)
        ]

    def _at(self, cell: tuple[float, float]) -> tuple[float, float]:
        return cell[0] * self.spacing, cell[1] * self.spacing

    def _must_hold(self, cell: Cell) -> None:
        if not self.holds(cell):
            raise BoardError(
                f"no point {cell} on this board: columns run from 0 to {self.columns - 1}, "
                f"rows from 0 to {self.rows - 1}"
            )


@lru_cache(maxsize=64)
def _cells(columns: int, rows: int) -> tuple[Cell, ...]:
    """Every point of so many columns and rows, row by row."""
    return tuple((c, r) for r in range(rows) for c in range(columns))


@lru_cache(maxsize=8192)
def _line(columns: int, rows: int, cell: Cell, facing: int) -> tuple[Cell, ...]:
    """The points from a point's neighbour to the edge; games ask for the same lines again and again."""
    dx, dy = STEPS[facing]
    found = []
    x, y = cell[0] + dx, cell[1] + dy
    while 0 <= x < columns and 0 <= y < rows:
        found.append((x, y))
        x, y = x + dx, y + dy
    return tuple(found)


def _letters(column: int) -> str:
    """A column as a spreadsheet names it."""
    head, last = divmod(column, 26)
    return (_letters(head - 1) if head else "") + chr(ord("A") + last)
