"""A road that rolls under the table: when a piece reaches the front edge, everything is set back."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.boards import board
from engine.boards.board import BoardError, Cell, Shape, Snap
from engine.space.geometry import FloatArray, Pose, Region, as_points
from engine.space.pieces import ORIGIN
from engine.space.table import Standing

# A middle nearer to the road's end than this counts as past it, inches.
EDGE = 1e-3


@dataclass(frozen=True, slots=True)
class Road:
    """The stretch of a road that lies on the table, `length` by `width` inches.

    `frame` is its rear right corner and the direction of travel. A cell is a `section`, so many inches
    along and across: its number along, counted from where the road began, and its lane from the right.
    `scroll` is how much of the road has gone by, inches. Everybody faces the direction of travel.
    `tolerance` is a house default: how far off its section's middle a piece may stand, inches.

    >>> road = Road(30.0, 8.0)
    >>> road.shifted(6.0).scroll
    6.0
    """

    length: float
    width: float
    section: tuple[float, float] = (3.0, 2.0)
    frame: Pose = ORIGIN
    scroll: float = 0.0
    tolerance: float = board.TOLERANCE
    kind: ClassVar[str] = "road"
    facings: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for words, size in (("length", self.length), ("width", self.width)):
            if not (math.isfinite(size) and size > 0.0):
                raise BoardError(f"expected a {words} of the road above 0 inches but got {size}")
        along, across = self.section
        if not (0.0 < along <= self.length and 0.0 < across <= self.width):
            raise BoardError(
                f"expected sections of at most {self.length:g} x {self.width:g} inches, the road's own "
                f"size, but got {along:g} x {across:g}"
            )
        if not (math.isfinite(self.scroll) and self.scroll >= 0.0):
            raise BoardError(f"expected a scroll of 0 inches or more but got {self.scroll}")

    @property
    def lanes(self) -> int:
        """How many sections lie side by side; a rest of the width belongs to the left one."""
        return int(self.width / self.section[1] + 1e-9)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The sections whose middle lies on the table, lane by lane from the rear."""
        along = self.section[0]
        first = math.floor(self.scroll / along)
        numbers = range(first, first + math.ceil(self.length / along) + 1)
        here = [n for n in numbers if EDGE < (n + 0.5) * along - self.scroll < self.length - EDGE]
        return tuple((n, lane) for lane in range(self.lanes) for n in here)

    def snap(self, standing: Standing, confidence: float = board.CONFIDENCE) -> Snap:
        """On which section a piece stands."""
        return board.snapped(self, standing, confidence)

    def cells_at(self, points: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The sections that hold places (n, 2) in the board's frame, and which places are on the road."""
        there = np.all((points >= 0.0) & (points <= (self.length, self.width)), axis=1)
        cells = np.floor((points + np.array([self.scroll, 0.0])) / self.section)
        cells[:, 1] = np.clip(cells[:, 1], 0, self.lanes - 1)
        return cells, there

    def pose_of(self, cell: Cell, facing: int = 0) -> Pose:
        """Where a piece on that section stands; ahead of or behind the table where it is not there (yet)."""
        self._must_hold(cell)
        if facing:
            raise BoardError(f"everybody on a road faces the direction of travel, 0, but got {facing}")
        along, across = self.section
        return self.frame.compose(Pose((cell[0] + 0.5) * along - self.scroll, (cell[1] + 0.5) * across))

    def name_of(self, cell: Cell) -> str:
        """Its number along the road and its lane from the right, both from 1.

        >>> Road(30.0, 8.0).name_of((4, 1))
        'section 5, lane 2'
        """
        self._must_hold(cell)
        return f"section {cell[0] + 1}, lane {cell[1] + 1}"

    def shifted(self, length: float) -> Road:
        """The road once it has rolled on by that many inches."""
        return replace(self, scroll=self.scroll + length)

    def travelled(self, pose: Pose) -> float:
        """How far along the road a place lies, from where it began, inches."""
        return self.scroll + float(self.frame.to_body(pose.xy)[0])

    def along(self, points: FloatArray) -> FloatArray:
        """How far places (n, 2) on the table lie from its rear edge, inches (n,), along the road."""
        return np.asarray(self.frame.to_body(points)[:, 0])

    @property
    def heading(self) -> float:
        """The direction of travel on the table, radians."""
        return self.frame.heading

    @property
    def region(self) -> Region:
        """What of the table it covers."""
        corners = [(0.0, 0.0), (self.length, 0.0), (self.length, self.width), (0.0, self.width)]
        return Region(as_points(self.frame.to_table(corners)))

    @classmethod
    def over(cls, surface: Region, section: tuple[float, float] = (3.0, 2.0)) -> Road:
        """A road over a whole surface, along the longer way of the box round it: to the right, or up.

        >>> Road.over(Region.rectangle(0, 0, 24, 36)).frame
        Pose(x=24.0, y=0.0, heading=1.5707963267948966)
        """
        (x0, y0), (x1, y1) = surface.outline.min(axis=0), surface.outline.max(axis=0)
        if x1 - x0 >= y1 - y0:
            return cls(float(x1 - x0), float(y1 - y0), section, Pose(float(x0), float(y0)))
        return cls(float(y1 - y0), float(x1 - x0), section, Pose(float(x1), float(y0), math.pi / 2))

    def drawing(self) -> tuple[Shape, ...]:
        """Its edges, its sections with their numbers as far as it has rolled, the direction of travel."""
        along, across = self.section
        length, width = self.length, self.width
        edge = board.on_table(self.frame, [(0.0, 0.0), (length, 0.0), (length, width), (0.0, width)])
        shapes = [Shape("polygon", edge, bold=True)]
        first = math.ceil(self.scroll / along - 1e-9)
        for number in range(first, math.floor((self.scroll + length) / along + 1e-9) + 1):
            x = number * along - self.scroll
            if 1e-6 < x < length - 1e-6:
                shapes.append(Shape("line", board.on_table(self.frame, [(x, 0.0), (x, width)])))
            if x + 0.5 * along < length:
                at = board.on_table(self.frame, [(x + 0.5 * along, 0.15 * across)])
                shapes.append(Shape("label", at, str(number + 1), 0.12 * across))
        for lane in range(1, self.lanes):
            shapes.append(
                Shape("line", board.on_table(self.frame, [(0.0, lane * across), (length, lane * across)]))
            )
        return (*shapes, *board.arrow(self.frame, (0.1 * along, width / 2), 0.0, 0.8 * along))

    def _must_hold(self, cell: Cell) -> None:
        if cell[0] < 0 or not 0 <= cell[1] < self.lanes:
            raise BoardError(
                f"no section {cell} on this road: sections count from 0, lanes from 0 to {self.lanes - 1}"
            )
