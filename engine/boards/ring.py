"""Loose hexes as a ring: what they enclose, which way the track runs at each of them, how far along it lies.

A current flows once round the hole, as in a sheet of metal: along the edges, evenly across, past an island on
both sides of it. How far it has come by a hex is how far along the track that lies, and where it flows to is
the direction of travel. On straights and in bends of one width that is what lanes with rows across them say.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.boards.board import TOLERANCE, BoardError, Cell, Shape, arrow, on_table
from engine.boards.hexes import STEPS, Hexes, Lanes
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import ORIGIN

LEVEL = 0.05
"""Hexes that lie less than so many spaces apart along the track are level: house default."""

ASIDE = 0.05
"""With less than this share of the usual current the direction of travel is not clear: house default."""

UNEVEN = 0.5
"""What it costs the middle line, in spaces, to lie a hex nearer to one edge than to the other."""

MOST = 1200
"""Hexes of a ring: the current is solved over all of them."""

NONE = 1e-9
"""Laps that are none but for rounding."""

ENOUGH = 1e-13
"""Laps by which what flows into the hexes may differ from what flows out, all together."""


def beside(cell: Cell) -> tuple[Cell, ...]:
    """The six hexes round one, on the board or not."""
    q, r = cell
    return tuple((q + dq, r + dr) for dq, dr in STEPS)


def parts(cells: Collection[Cell]) -> tuple[frozenset[Cell], ...]:
    """The hexes as far as they hang together, the largest part first.

    >>> [len(part) for part in parts([(0, 0), (1, 0), (5, 5)])]
    [2, 1]
    """
    left, found = set(cells), []
    while left:
        new = [min(left)]
        part = set(new)
        while new:
            more = {c for c in beside(new.pop()) if c in left} - part
            part |= more
            new += more
        left -= part
        found.append(frozenset(part))
    return tuple(sorted(found, key=lambda p: (-len(p), min(p))))


def holes(cells: Collection[Cell]) -> tuple[frozenset[Cell], ...]:
    """What the hexes enclose: each hole as its hexes, the largest first.

    >>> [sorted(hole) for hole in holes(beside((0, 0)))]
    [[(0, 0)]]
    """
    there = set(cells)
    return tuple(part for part in parts(_round(there) - there) if not part & _outmost(there))


def _round(cells: Collection[Cell]) -> set[Cell]:
    """Every hex of the rectangle about some, and one more on each side."""
    (low_q, low_r), (high_q, high_r) = np.min(list(cells), axis=0), np.max(list(cells), axis=0)
    return {(q, r) for q in range(low_q - 1, high_q + 2) for r in range(low_r - 1, high_r + 2)}


def _outmost(cells: Collection[Cell]) -> set[Cell]:
    """One hex that lies outside of them all."""
    return {(min(q for q, _ in cells) - 1, min(r for _, r in cells) - 1)}


def _steps_from(beginning: Iterable[Cell], cells: Collection[Cell]) -> dict[Cell, int]:
    """How many hexes each lies behind those that touch the beginning, which have 0."""
    found = {c: 0 for b in beginning for c in beside(b) if c in cells}
    new = sorted(found)
    while new:
        after = []
        for cell in new:
            for other in beside(cell):
                if other in cells and other not in found:
                    found[other] = found[cell] + 1
                    after.append(other)
        new = after
    return found


@dataclass(frozen=True)
class Ring:
    """Hexes that hang together and enclose something; the largest `hole` is what the track goes round.

    `flow` is the current from each hex to its neighbours, in laps counter-clockwise; `along` what it adds up
    to, modulo 1. `inside` and `outside` are how many hexes lie between each and the hole, and the world.
    """

    cells: frozenset[Cell]
    hole: frozenset[Cell]
    islands: tuple[frozenset[Cell], ...]
    flow: Mapping[Cell, Mapping[Cell, float]]
    along: Mapping[Cell, float]
    inside: Mapping[Cell, int]
    outside: Mapping[Cell, int]

    @cached_property
    def current(self) -> Mapping[Cell, tuple[float, float]]:
        """By hex how strongly the track runs counter-clockwise, to the right and upwards."""
        found = {}
        for cell, flows in self.flow.items():
            ways = [(_at((o[0] - cell[0], o[1] - cell[1])), f) for o, f in flows.items()]
            found[cell] = sum(x * f for (x, _), f in ways), sum(y * f for (_, y), f in ways)
        return found

    @cached_property
    def aside(self) -> frozenset[Cell]:
        """The hexes on which the direction of travel is not clear: the track does not pass there."""
        strengths = {cell: math.hypot(*way) for cell, way in self.current.items()}
        usual = float(np.median(list(strengths.values())))
        return frozenset(cell for cell, one in strengths.items() if one < ASIDE * usual)

    @cached_property
    def facing(self) -> Mapping[Cell, int]:
        """The facing that runs counter-clockwise at each hex; where that is not clear, as nearest to it."""
        found = {
            cell: round(math.atan2(y, x) / (math.pi / 6)) % 12
            for cell, (x, y) in self.current.items()
            if cell not in self.aside
        }
        new = sorted(found)
        while new:
            after = []
            for cell in new:
                for other in beside(cell):
                    if other in self.cells and other not in found:
                        found[other] = found[cell]
                        after.append(other)
            new = after
        return found

    @property
    def narrowest(self) -> tuple[int, Cell]:
        """The fewest hexes side by side, and one of them."""
        return min((self.inside[c] + self.outside[c] + 1, c) for c in self.cells)

    def forward(self, one: Cell, other: Cell, way: int) -> float:
        """How far the second lies on from the first, in laps from 0 to 1; `way` is 1, or -1 for clockwise."""
        return (way * (self.along[other] - self.along[one])) % 1.0


@lru_cache(maxsize=64)
def ring_of(cells: frozenset[Cell]) -> Ring:
    """The ring that the hexes make. Raises `BoardError` where they make none."""
    if not 6 <= len(cells) <= MOST:
        raise BoardError(f"expected 6 to {MOST} hexes for a ring but got {len(cells)}")
    if len(parts(cells)) > 1:
        raise BoardError(f"the hexes lie in {len(parts(cells))} parts: a ring hangs together")
    if not (found := holes(cells)):
        raise BoardError("the hexes enclose nothing: a ring goes round a hole")
    flow, along = _current(cells, min(found[0], key=lambda c: (_far(c, found[0]), c)))
    world = _round(cells) - cells - frozenset().union(*found)
    return Ring(
        cells, found[0], found[1:], flow, along, _steps_from(found[0], cells), _steps_from(world, cells)
    )


def _far(cell: Cell, others: Collection[Cell]) -> float:
    """How far a hex lies from the middle of some."""
    middle = np.mean([_at(c) for c in others], axis=0)
    return round(math.dist(_at(cell), middle), 6)


def _at(cell: Cell) -> tuple[float, float]:
    return cell[0] + cell[1] / 2, math.sqrt(3) / 2 * cell[1]


def _current(cells: frozenset[Cell], about: Cell) -> tuple[dict[Cell, dict[Cell, float]], dict[Cell, float]]:
    """The current of one lap about a hex that is not among them: as much flows into each hex as out of it."""
    order = sorted(cells)
    number = {cell: n for n, cell in enumerate(order)}
    x, y = np.subtract([_at(c) for c in order], _at(about)).T
    angles = np.arctan2(y, x) / math.tau
    pairs = np.array([(number[c], number[o]) for c in order for o in beside(c) if o in cells])
    one, other = pairs.T
    turned = (angles[other] - angles[one] + 0.5) % 1.0 - 0.5
    more = _balanced(one, other, turned, len(order))
    flows = turned + more[other] - more[one]
    flow: dict[Cell, dict[Cell, float]] = {cell: {} for cell in order}
    for (a, b), amount in zip(pairs.tolist(), flows.tolist(), strict=True):
        flow[order[a]][order[b]] = amount
    return flow, dict(zip(order, ((angles + more) % 1.0).tolist(), strict=True))


def _balanced(one: NDArray[np.int64], other: NDArray[np.int64], turned: FloatArray, count: int) -> FloatArray:
    """What to add at each hex so that as much flows in as out, by conjugate gradients."""

    def spread(values: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(one, values[one] - values[other], count), dtype=np.float64)

    left = np.asarray(np.bincount(one, turned, count), dtype=np.float64)
    found, along, size = np.zeros(count), left, float(left @ left)
    for _ in range(20 * count):
        if size <= ENOUGH**2:
            break
        step = spread(along)
        share = size / float(along @ step)
        found, left = found + share * along, left - share * step
        before, size = size, float(left @ left)
        along = left + size / before * along
    return found


def middle_of(ring: Ring, first: Cell, way: int) -> tuple[Cell, ...]:
    """A closed line of hexes from `first` once round, as far in the middle of the track as may be.

    Every hex of it lies further on than the one before. Raises `BoardError` where none leads back.
    """
    order = sorted(ring.cells - {first}, key=lambda c: (ring.forward(first, c, way), c))
    cost, before = {first: 0.0}, dict[Cell, Cell]()
    ends: list[tuple[float, Cell]] = []
    for cell in (first, *order):
        if cell not in cost:
            continue
        gone = ring.forward(first, cell, way)
        for other, amount in ring.flow[cell].items():
            if way * amount <= NONE or gone + way * amount > 1.0 + NONE:
                continue
            if other == first:
                ends.append((cost[cell], cell))
                continue
            there = cost[cell] + 1.0 + UNEVEN * abs(ring.inside[other] - ring.outside[other])
            if there < cost.get(other, math.inf) - NONE:
                cost[other], before[other] = there, cell
    if not ends:
        raise BoardError(f"no way leads from hex {first} once round and back to it")
    line = [min(ends)[1]]
    while line[-1] != first:
        line.append(before[line[-1]])
    return tuple(reversed(line))


def firsts_after(ring: Ring, last: Cell, way: int) -> tuple[Cell, ...]:
    """With which hexes a lap may begin whose line lies just ahead of a hex, the most central one first."""
    reach = max(way * amount for amount in ring.flow[last].values())
    if reach <= NONE:
        raise BoardError(f"no hex lies ahead of hex {last}")
    near = [c for c in ring.cells if 0.4 * reach <= ring.forward(last, c, way) <= reach + NONE]

    def central(cell: Cell) -> tuple[int, float, Cell]:
        return abs(ring.inside[cell] - ring.outside[cell]), ring.forward(last, cell, way), cell

    return tuple(sorted(near, key=central))


def laps_of(ring: Ring, middle: tuple[Cell, ...]) -> dict[Cell, float]:
    """How far along the track each hex lies, 0 to 1 from the first of the middle line, by its hexes.

    Raises `BoardError` where that line does not lead once round, on with every hex.
    """
    way = way_of(ring, middle)
    count = len(middle)
    reached = [ring.forward(middle[0], c, way) for c in middle]
    if any(b <= a for a, b in zip(reached, [*reached[1:], 1.0], strict=True)):
        raise BoardError("the middle line of a ring has to lead on with every hex, once round")
    every = sorted(ring.cells, key=lambda c: (ring.forward(middle[0], c, way), c))
    spaces = np.interp([ring.forward(middle[0], c, way) for c in every], [*reached, 1.0], range(count + 1))
    found, level = {}, 0.0
    for cell, space in zip(every, spaces.tolist(), strict=True):
        if space - level >= LEVEL:
            level = space
        # What lies as good as on the line of the start is on it.
        found[cell] = round(level / count, 9) if count - space >= LEVEL else 0.0
    return found


def way_of(ring: Ring, middle: tuple[Cell, ...]) -> int:
    """Whether a closed line of hexes runs counter-clockwise, 1, or clockwise, -1. Raises `BoardError`."""
    total = 0.0
    for one, other in zip(middle, (*middle[1:], *middle[:1]), strict=True):
        amount = ring.flow.get(one, {}).get(other)
        if amount is None:
            raise BoardError(f"the middle line of a ring leads from hex {one} to {other}, not side by side")
        total += amount
    if abs(abs(total) - 1.0) > 1e-6:
        raise BoardError("the middle line of a ring has to go round its hole once")
    return 1 if total > 0.0 else -1


def lanes_of(ring: Ring, laps: Mapping[Cell, float]) -> Lanes:
    """The hexes by how many lie between them and the hole, each of these lanes from the start line on."""
    lanes: list[list[Cell]] = [[] for _ in range(max(ring.inside.values()) + 1)]
    for cell in sorted(ring.cells, key=lambda c: (laps[c], c)):
        lanes[ring.inside[cell]].append(cell)
    return tuple(tuple(lane) for lane in lanes)


# A track of loose hexes, of any width: lanes counted from what it goes round, laps told by a middle line

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
