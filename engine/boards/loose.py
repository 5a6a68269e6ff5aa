"""A track of loose hexes, of any width: lanes counted from what it goes round, laps told by a middle line."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from engine.boards.board import TOLERANCE, BoardError, Cell, Shape, arrow, on_table
from engine.boards.hexes import STEPS, Hexes, Lanes
from engine.boards.ring import Ring, firsts_after, lanes_of, laps_of, middle_of, ring_of, way_of
from engine.space.geometry import Pose
from engine.space.pieces import ORIGIN

SHOWN = 8
"""Hexes of the middle line from one arrow that shows the direction of travel to the next."""


@dataclass(frozen=True)
class LooseTrack(Hexes):
    """Hexes that make a ring. `line` is the middle one: closed, in the direction of travel.

    A lap begins with its first hex. `lanes` are the hexes by how many lie between them and the hole, so that
    an outer lane may have gaps.
    """

    line: tuple[Cell, ...] = ()

    @classmethod
    def of(
        cls,
        line: Iterable[Cell],
        cells: Iterable[Cell],
        spacing: float = 2.0,
        frame: Pose = ORIGIN,
        tolerance: float = TOLERANCE,
    ) -> LooseTrack:
        """The track of these hexes. Raises `BoardError` where they make no ring, or the line is not round it.

        >>> from engine.boards.hexes import oval
        >>> lanes = oval(4, 2, 3)
        >>> track = LooseTrack.of(lanes[1], (c for lane in lanes for c in lane))
        >>> [len(lane) for lane in track.lanes], track.progress(lanes[1][12])
        ([18, 24, 30], 0.5)
        """
        whole, middle = tuple(cells), tuple(line)
        ring = ring_of(frozenset(whole))
        lanes = lanes_of(ring, laps_of(ring, middle))
        return cls(tuple(c for lane in lanes for c in lane), spacing, frame, lanes, tolerance, middle)

    @classmethod
    def behind(cls, start: Iterable[Cell], cells: Iterable[Cell], way: int) -> LooseTrack:
        """The track of these hexes whose lap begins just ahead of the foremost of the starting places."""
        whole, places = frozenset(cells), tuple(start)
        ring = ring_of(whole)
        if not places:
            raise BoardError("no starting place says where a lap begins")
        foremost = max(places, key=lambda c: (_ahead(ring, places[0], c, way), c))
        for first in firsts_after(ring, foremost, way):
            track = cls.of(middle_of(ring, first, way), whole)
            if track.progress(foremost) > 0.5:
                return track
        raise BoardError(f"no line can be drawn ahead of hex {foremost}")

    @property
    def circuit(self) -> bool:
        """It always leads back to its start."""
        return True

    @property
    def middle(self) -> tuple[Cell, ...]:
        """The line along which distances are told."""
        return self.line

    def edge(self, *, inside: bool) -> tuple[Cell, ...]:
        """The hexes at one edge of the track, in the direction of travel."""
        away = self.ring.inside if inside else self.ring.outside
        return tuple(sorted((c for c in self.cells if not away[c]), key=lambda c: (self.progress(c), c)))

    @cached_property
    def ring(self) -> Ring:
        """What the hexes enclose, and which way they run round it."""
        return ring_of(frozenset(self.cells))

    @cached_property
    def way(self) -> int:
        """1 where the track is driven counter-clockwise, else -1."""
        return way_of(self.ring, self.line)

    def travel(self, cell: Cell) -> int:
        """The facing that follows the track there."""
        self._on_track(cell)
        return (self.ring.facing[cell] + (0 if self.way > 0 else 6)) % 12

    def side(self, cell: Cell) -> int:
        """The facing across a side of the hex that follows the track best: a starting place faces so."""
        travel = self.travel(cell)
        if travel % 2 == 0:
            return travel
        x, y = self.ring.current[cell]
        beside = (travel + 1) % 12, (travel - 1) % 12
        return max(
            beside, key=lambda f: self.way * (x * math.cos(f * math.pi / 6) + y * math.sin(f * math.pi / 6))
        )

    @cached_property
    def _laps(self) -> dict[Cell, float]:
        return laps_of(self.ring, self.line)

    def _directions(self) -> list[Shape]:
        """The start line along the sides of the hexes behind it, and arrows along the middle line."""
        shapes: list[Shape] = []
        radius = self.spacing / math.sqrt(3)
        for cell in self.cells:
            for side, (q, r) in enumerate(STEPS):
                other = cell[0] + q, cell[1] + r
                if self.holds(other) and self._crosses(cell, other):
                    at = self.spacing * (cell[0] + cell[1] / 2), self.spacing * math.sqrt(3) / 2 * cell[1]
                    ends = [math.pi / 3 * side + turn for turn in (-math.pi / 6, math.pi / 6)]
                    points = [(at[0] + radius * math.cos(a), at[1] + radius * math.sin(a)) for a in ends]
                    shapes.append(Shape("line", on_table(self.frame, points), bold=True))
        for cell in self.line[::SHOWN]:
            ahead = self.travel(cell) * math.pi / 6
            # Above whatever else is printed in the middle of the hex.
            x, y = self._at(cell)[0], self._at(cell)[1] + 0.34 * self.spacing
            tail = x - 0.14 * self.spacing * math.cos(ahead), y - 0.14 * self.spacing * math.sin(ahead)
            shapes += arrow(self.frame, tail, ahead, 0.28 * self.spacing)
        return shapes

    def _crosses(self, one: Cell, other: Cell) -> bool:
        """Whether a step from the first leads over the start line."""
        return self.progress(one) - self.progress(other) > 0.5


def _ahead(ring: Ring, one: Cell, other: Cell, way: int) -> float:
    """How far the second lies on from the first, from -0.5 to 0.5 laps."""
    return (ring.forward(one, other, way) + 0.5) % 1.0 - 0.5


def track_of(
    lanes: Lanes,
    line: tuple[Cell, ...] = (),
    spacing: float = 2.0,
    frame: Pose = ORIGIN,
    tolerance: float = TOLERANCE,
) -> Hexes:
    """A track from its lanes; of loose hexes where it has a middle line. Raises `BoardError`."""
    if not line:
        return Hexes.track(lanes, spacing, frame, tolerance)
    return LooseTrack.of(line, (c for lane in lanes for c in lane), spacing, frame, tolerance)
