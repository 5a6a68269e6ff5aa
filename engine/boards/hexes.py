"""Hexes: pieces face a side or a corner, twelve ways; a track is lanes of hexes from inside to outside."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from shapely import LineString, Point

from engine.boards import board
from engine.boards.board import BoardError, Cell, Shape, Snap
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import ORIGIN
from engine.space.table import Standing

STEPS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""The step to the neighbour across each side; side s is facing 2 * s."""

Lanes = tuple[tuple[Cell, ...], ...]
"""A track: its lanes from the inside out, each hex by hex in the direction of travel."""

Rungs = tuple[tuple[int, ...], ...]
"""Lines across a track, in its direction from the start: at which place of each lane they lie, from 0."""


@dataclass(frozen=True)
class Hexes:
    """Hexes in axial coordinates (q, r), `spacing` inches from middle to middle across a side.

    `frame` is where hex (0, 0) lies and where q runs: across a side. Facing f is f * 30 degrees
    counter-clockwise from there: even ones face a side, odd ones a corner. With `lanes` the hexes are a
    track. `tolerance` is a house default: how far off its hex's middle a piece may stand, inches.

    >>> board = Hexes.field(5, 4)
    >>> board.ahead((1, 1), 2), board.ahead((1, 1), 1)
    (((1, 2),), ((1, 2), (2, 1)))
    >>> distance((0, 0), (2, 1))
    3
    """

    cells: tuple[Cell, ...]
    spacing: float = 2.0
    frame: Pose = ORIGIN
    lanes: Lanes = ()
    tolerance: float = board.TOLERANCE
    kind: ClassVar[str] = "hexes"
    facings: ClassVar[int] = 12

    def __post_init__(self) -> None:
        if not self.cells or len(self.cells) > 20_000:
            raise BoardError(f"expected 1 to 20000 hexes but got {len(self.cells)}")
        if not (math.isfinite(self.spacing) and self.spacing > 0.0):
            raise BoardError(f"expected a spacing above 0 inches but got {self.spacing}")
        twins = [cell for cell, n in Counter(self.cells).items() if n > 1]
        if twins:
            raise BoardError(f"hex {twins[0]} is named twice: each may be in one place of one lane")

    @classmethod
    def field(
        cls,
        columns: int,
        rows: int,
        spacing: float = 2.0,
        frame: Pose = ORIGIN,
        tolerance: float = board.TOLERANCE,
    ) -> Hexes:
        """A rectangle of hexes, every second row half a hex to the right."""
        cells = tuple((c - r // 2, r) for r in range(rows) for c in range(columns))
        return cls(cells, spacing, frame, tolerance=tolerance)

    @classmethod
    def track(
        cls,
        lanes: Iterable[Iterable[Cell]],
        spacing: float = 2.0,
        frame: Pose = ORIGIN,
        tolerance: float = board.TOLERANCE,
    ) -> Hexes:
        """A track from its lanes, inside first, each in the direction of travel; a lane has no gaps."""
        whole = tuple(tuple(lane) for lane in lanes)
        for number, lane in enumerate(whole, start=1):
            if len(lane) < 2:
                raise BoardError(f"lane {number} needs at least two hexes but has {len(lane)}")
            for one, other in pairwise(lane):
                if distance(one, other) != 1:
                    raise BoardError(
                        f"lane {number} jumps from hex {one} to {other}: name every hex on the way"
                    )
        return cls(tuple(c for lane in whole for c in lane), spacing, frame, whole, tolerance)

    @property
    def circuit(self) -> bool:
        """Whether the track leads back to its start."""
        return bool(self.lanes) and all(distance(lane[-1], lane[0]) == 1 for lane in self.lanes)

    @property
    def middle(self) -> tuple[Cell, ...]:
        """The lane in the middle of the track, by whose hexes distances are told."""
        return self.lanes[len(self.lanes) // 2]

    def edge(self, *, inside: bool) -> tuple[Cell, ...]:
        """The hexes at one edge of the track, in the direction of travel."""
        return self.lanes[0 if inside else -1]

    def holds(self, cell: Cell) -> bool:
        """Whether the board has that hex."""
        return cell in self._places

    @cached_property
    def _places(self) -> dict[Cell, tuple[int, int]]:
        """Lane and place in it of every hex; without lanes, 0 and its number."""
        if not self.lanes:
            return {cell: (0, i) for i, cell in enumerate(self.cells)}
        return {cell: (k, i) for k, lane in enumerate(self.lanes) for i, cell in enumerate(lane)}

    @cached_property
    def _grid(self) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The least q and r, and which hexes there are from there on, for looking up many at once."""
        cells = np.array(self.cells)
        low = cells.min(axis=0)
        there = np.zeros(tuple(cells.max(axis=0) - low + 1), dtype=bool)
        there[tuple((cells - low).T)] = True
        return low, there

    def snap(self, standing: Standing, confidence: float = board.CONFIDENCE) -> Snap:
        """On which hex a piece stands and which side or corner it faces."""
        return board.snapped(self, standing, confidence)

    def cells_at(self, points: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The hexes that hold places (n, 2) in the board's frame, and which of them the board has."""
        r = points[:, 1] / (self.spacing * math.sqrt(3) / 2)
        q = points[:, 0] / self.spacing - r / 2
        cells = _rounded(q, r)
        low, known = self._grid
        at = (cells - low).astype(np.int64)
        inside = np.all((at >= 0) & (at < known.shape), axis=1)
        there = np.array(inside)
        there[inside] = known[tuple(at[inside].T)]
        return cells, there

    def pose_of(self, cell: Cell, facing: int = 0) -> Pose:
        """Where a piece on that hex stands. Raises `BoardError`."""
        self._must_hold(cell)
        return self.frame.compose(Pose(*self._at(cell), facing * math.pi / 6))

    def name_of(self, cell: Cell) -> str:
        """On a track its lane from the inside and its place in it, as "2.14"; else q and r, as "3,-1"."""
        self._must_hold(cell)
        lane, place = self._places[cell]
        return f"{lane + 1}.{place + 1}" if self.lanes else f"{cell[0]},{cell[1]}"

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        """The hexes across its sides, by facing."""
        return tuple(c for q, r in STEPS if self.holds(c := (cell[0] + q, cell[1] + r)))

    def ahead(self, cell: Cell, facing: int) -> tuple[Cell, ...]:
        """The hexes in front: one across a side, at a corner up to two, the left one first."""
        sides = (facing // 2,) if facing % 2 == 0 else (facing // 2 + 1, facing // 2)
        steps = (STEPS[s % 6] for s in sides)
        return tuple(c for q, r in steps if self.holds(c := (cell[0] + q, cell[1] + r)))

    def lane_of(self, cell: Cell) -> int:
        """Which lane of the track, 0 being the innermost. Raises `BoardError`."""
        return self._on_track(cell)[0]

    def travel(self, cell: Cell) -> int:
        """The facing that follows the track there: from the hex before to the one after in its lane."""
        number, place = self._on_track(cell)
        lane = self.lanes[number]
        last = len(lane) - 1
        before = lane[place - 1 if place or self.circuit else 0]
        after = lane[(place + 1) % len(lane) if place < last or self.circuit else last]
        way = np.subtract(self._at(after), self._at(before))
        return round(math.atan2(way[1], way[0]) / (math.pi / 6)) % 12

    def progress(self, cell: Cell) -> float:
        """How far along the track a hex lies, 0 to 1 from the first hex of the middle lane: for who is ahead.

        On a circuit it grows with every hex of a lane, and hexes of one row across a straight have the same;
        in a bend the hexes of each lane are spread evenly. On other tracks it is square to the middle lane.
        """
        self._on_track(cell)
        if cell in self._laps:
            return self._laps[cell]
        return float(self._middle.project(Point(self._at(cell)), normalized=True)) % 1.0

    @cached_property
    def _laps(self) -> dict[Cell, float]:
        """The progress of every hex of a circuit that has rows across all its lanes."""
        if not self._rungs:
            return {}
        lengths, found = self._lengths, dict[Cell, float]()
        for number, lane in enumerate(self.lanes):
            begins = {rung[number]: n for n, rung in enumerate(self._rungs)}
            first = self._rungs[0][number]
            section = start = 0
            for place in (*range(first, len(lane)), *range(first)):
                if place in begins:
                    section, start = begins[place], place
                    ends = self._rungs[(section + 1) % len(begins)][number]
                share = (place - start) % len(lane) / _places_between(start, ends, len(lane))
                found[lane[place]] = (sum(lengths[:section]) + lengths[section] * share) / sum(lengths)
        begin = found[self.lanes[len(self.lanes) // 2][0]]
        return {cell: (at - begin) % 1.0 for cell, at in found.items()}

    @cached_property
    def _rungs(self) -> Rungs:
        return rungs_of(self.lanes) if self.circuit else ()

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        """How many hexes of the middle lane lie between each rung and the next."""
        middle = len(self.lanes) // 2
        starts = [rung[middle] for rung in self._rungs]
        return tuple(
            _places_between(a, b, len(self.lanes[middle])) for a, b in pairwise((*starts, starts[0]))
        )

    @cached_property
    def _middle(self) -> LineString:
        lane = self.lanes[len(self.lanes) // 2]
        return LineString([self._at(c) for c in (*lane, *(lane[:1] if self.circuit else ()))])

    def corners_of(self, cell: Cell) -> tuple[tuple[float, float], ...]:
        """The corners of a hex on the table, counter-clockwise."""
        return board.on_table(self.frame, np.array(self._at(cell)) + self._corners())

    def drawing(self) -> tuple[Shape, ...]:
        """Every hex with its name; on a track its start and the direction of travel."""
        shapes: list[Shape] = []
        for cell in self.cells:
            middle = np.array(self._at(cell))
            shapes.append(Shape("polygon", self.corners_of(cell)))
            name = board.on_table(self.frame, (middle - (0.0, 0.32 * self.spacing))[None])
            shapes.append(Shape("label", name, self.name_of(cell), 0.1 * self.spacing))
        return (*shapes, *self._directions())

    def _corners(self) -> FloatArray:
        """A hex's corners about its middle, counter-clockwise from 30 degrees, shape (6, 2)."""
        angles = math.pi / 6 + np.arange(6) * math.pi / 3
        return np.asarray(np.stack([np.cos(angles), np.sin(angles)], axis=1) * self.spacing / math.sqrt(3))

    def _directions(self) -> list[Shape]:
        """The start line behind each lane's first hex, and an arrow on it."""
        shapes: list[Shape] = []
        for lane in self.lanes:
            ahead = self.travel(lane[0]) * math.pi / 6
            middle = Pose(*self._at(lane[0]), ahead)
            half = self.spacing / 2
            line = middle.to_table([(-half, -half / math.sqrt(3)), (-half, half / math.sqrt(3))])
            shapes.append(Shape("line", board.on_table(self.frame, line), bold=True))
            x, y = (float(v) for v in middle.to_table((-0.4 * half, 0.0)))
            shapes += board.arrow(self.frame, (x, y), ahead, 0.8 * half)
        return shapes

    def _at(self, cell: Cell) -> tuple[float, float]:
        """The middle of a hex in the board's frame."""
        q, r = cell
        return self.spacing * (q + r / 2), self.spacing * math.sqrt(3) / 2 * r

    def _on_track(self, cell: Cell) -> tuple[int, int]:
        if not self.lanes:
            raise BoardError("this board has hexes but no track: give it lanes")
        self._must_hold(cell)
        return self._places[cell]

    def _must_hold(self, cell: Cell) -> None:
        if not self.holds(cell):
            raise BoardError(f"no hex {cell} on this board of {len(self.cells)} hexes")


def distance(one: Cell, other: Cell) -> int:
    """How many steps from hex to hex."""
    q, r = other[0] - one[0], other[1] - one[1]
    return max(abs(q), abs(r), abs(q + r))


def rungs_of(lanes: Lanes) -> Rungs:
    """The rows across a circuit where every lane runs straight on in the same direction.

    A row has one hex of each lane, every second one half a hex further on or back: whichever finds more rows,
    and the first of all lanes in one.
    """
    places = [{cell: i for i, cell in enumerate(lane)} for lane in lanes]
    found = [_rows(lanes, places, turns) for turns in ((-1, -2), (-2, -1), (1, 2), (2, 1))]
    best = max(found, key=lambda rows: (len(rows), (0,) * len(lanes) in rows))
    for number, lane in enumerate(zip(*best, strict=True)):
        whole = sum(_places_between(a, b, len(lanes[number])) for a, b in pairwise((*lane, lane[0])))
        if whole != len(lanes[number]):
            return ()  # lanes that cross one another have no rows in common
    return best


def _places_between(one: int, other: int, count: int) -> int:
    """How far it is on from place to place of a closed lane: all the way round to the same place."""
    return (other - one - 1) % count + 1


def _rows(lanes: Lanes, places: Sequence[dict[Cell, int]], turns: tuple[int, int]) -> Rungs:
    """The rows whose hexes lie from lane to lane across the sides that are turned so from the way ahead."""
    rows = []
    for i, first in enumerate(lanes[0]):
        side = _straight(lanes[0], i)
        row, cell = [i], first
        for k in range(1, len(lanes)):
            if side is None:
                break
            q, r = STEPS[(side + turns[(k - 1) % 2]) % 6]
            cell = cell[0] + q, cell[1] + r
            place = places[k].get(cell)
            if place is None or _straight(lanes[k], place) != side:
                break
            row.append(place)
        if side is not None and len(row) == len(lanes):
            rows.append(tuple(row))
    return tuple(rows)


def _straight(lane: Sequence[Cell], i: int) -> int | None:
    """The side across which a closed lane both comes to a hex and leaves it; None in a bend."""
    before, here, after = lane[i - 1], lane[i], lane[(i + 1) % len(lane)]
    step = after[0] - here[0], after[1] - here[1]
    if step not in STEPS or step != (here[0] - before[0], here[1] - before[1]):
        return None
    return STEPS.index(step)


def oval(straight: int, inner: int, lanes: int, *, clockwise: bool = False) -> Lanes:
    """The lanes of a circuit round a row of `straight` hexes from (0, 0), the first `inner` steps away.

    Each begins in the middle of the near straight.

    >>> [len(lane) for lane in oval(4, 2, 3)]
    [18, 24, 30]
    """
    if straight < 1 or inner < 1 or lanes < 1 or straight + inner + lanes > 100:
        raise BoardError(
            f"expected an oval of 1 or more straight hexes, 1 or more inside, 1 or more lanes, at most 100 "
            f"together, but got {straight}, {inner} and {lanes}"
        )
    core = [(q, 0) for q in range(straight)]
    reach = range(-inner - lanes - straight, straight + inner + lanes + 1)
    rings: list[list[Cell]] = [[] for _ in range(lanes)]
    for cell in ((q, r) for q in reach for r in reach):
        away = min(distance(cell, c) for c in core) - inner
        if 0 <= away < lanes:
            rings[away].append(cell)
    middle = (straight - 1) / 2

    def angle(cell: Cell) -> float:
        """From straight down, in the direction of travel."""
        turned = math.atan2(cell[1] * math.sqrt(3) / 2, cell[0] + cell[1] / 2 - middle) + math.pi / 2
        return round((-turned if clockwise else turned) % math.tau, 9)

    return tuple(tuple(sorted(ring, key=angle)) for ring in rings)


def _rounded(q: FloatArray, r: FloatArray) -> FloatArray:
    """The hexes (n, 2) that hold places in fractional axial coordinates."""
    cube = np.stack([q, r, -q - r], axis=1)
    near = np.rint(cube)
    # Of three coordinates that sum to nothing the one rounded most is put right.
    worst = np.abs(cube - near).argmax(axis=1)
    rows = np.arange(len(near))
    near[rows, worst] -= near.sum(axis=1)
    return np.asarray(near[:, :2])


def as_lanes(lanes: Sequence[Sequence[Sequence[int]]]) -> Lanes:
    """Lanes as a file lists them, `[[[q, r], ...], ...]`."""
    return tuple(tuple((q, r) for q, r in lane) for lane in lanes)


SAME = 1e-9
"""Laps within which two are level: rounding, no more."""


def front_first(track: Hexes, cells: Mapping[str, Cell]) -> tuple[str, ...]:
    """The names of pieces as they stand on a circuit: the one in front first, of level ones the inmost.

    In front is who has the longest empty stretch of track ahead: a piece that is a lap behind but stands just
    ahead of another is in front of it. Of equally long stretches the one that ends nearest the end of the lap
    counts.
    """
    if not cells:
        return ()
    along = {name: track.progress(cell) for name, cell in cells.items()}
    order = sorted(cells, key=lambda name: (-round(along[name], 9), track.lane_of(cells[name])))
    gaps = [(along[ahead] - along[name]) % 1.0 for ahead, name in pairwise((order[-1], *order))]
    gaps = [gap if gap > SAME and gap < 1.0 - SAME else 0.0 for gap in gaps]
    leader = max(range(len(order)), key=lambda n: (round(gaps[n], 9), -n))
    return (*order[leader:], *order[:leader])
