"""The ways by the book that fit what was seen of a vehicle's move, the straightest first; what each means."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from engine.boards.board import Cell, facing_words
from engine.boards.points import STEPS
from engine.boards.trail import Fit, Trail
from engine.game.forms import Candidate
from engine.games.battlecars.book.data import SIDES
from engine.games.battlecars.rules.moves import Obstacle, ahead, heading, trees_ahead
from engine.games.battlecars.rules.pieces import directions, steps_between
from engine.games.battlecars.state.game_state import GameState, Vehicle
from engine.ruling import many

LISTED = 8
"""So many ways are offered; where more fit, its corners are typed instead (house default)."""


@dataclass(frozen=True, slots=True)
class Way:
    """Points from where a vehicle stood, the corner after each, its facing at the end, what it runs into."""

    cells: tuple[Cell, ...]
    corners: tuple[int, ...]
    facing: int
    into: str = ""

    @property
    def key(self) -> str:
        """The way as the value of an input: its points, then the facing."""
        return " ".join([*(f"{column},{row}" for column, row in self.cells[1:]), str(self.facing)])


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways that fit, the straightest first; `more` where there are others besides."""

    found: tuple[Way, ...]
    more: bool = False


class _At(NamedTuple):
    """Where a way has come to: its last point and direction, its length, how it fits what was seen."""

    cell: Cell
    way: int
    gone: int
    fit: Fit


class _Begun(NamedTuple):
    """A way as far as it is laid, the one before others that has to turn least on the whole."""

    turns: int
    length: int
    number: int
    cells: tuple[Cell, ...]
    corners: tuple[int, ...]
    at: _At | None


NOWHERE = 1_000
"""More eighths than any way turns."""


class _Search:
    """Lays ways point by point, always going on with the one that has to turn least on the whole."""

    def __init__(self, state: GameState, vehicle: Vehicle, trail: Trail, facing: int) -> None:
        self._state, self._vehicle, self._trail, self._facing = state, vehicle, trail, facing
        self._speed, self._sharpest = state.to_go(vehicle), vehicle.layout.sharpest
        self._after = replace(vehicle, facing=facing)
        self._met: dict[tuple[Cell, int], Obstacle | None] = {}
        self._further: dict[_At, tuple[tuple[int, _At], ...]] = {}
        self._least: dict[_At, int] = {}

    def ways(self) -> Ways:
        start = _At(self._trail.cells[0], heading(self._vehicle), 0, self._trail.begun())
        number = count(1)
        laid = [_Begun(self._togo(start), 1, 0, (start.cell,), (), start)]
        found: list[Way] = []
        while laid and len(found) <= LISTED:
            begun = heapq.heappop(laid)
            if begun.turns >= NOWHERE:
                break
            if begun.at is None:
                found.append(self._way(begun))
                continue
            for further in self._laid_on(begun, begun.at):
                heapq.heappush(laid, further._replace(number=next(number)))
        return Ways(tuple(found[:LISTED]), more=len(found) > LISTED)

    def _laid_on(self, begun: _Begun, at: _At) -> Iterator[_Begun]:
        """The way with one point more, in every direction, and as it ends here."""
        before = sum(map(abs, begun.corners))
        last = self._last(at)
        if last is not None:
            corners = (*begun.corners, *([last] if at.gone else []), *[0] * (self._speed - at.gone))
            yield _Begun(before + abs(last), begun.length, 0, begun.cells, corners, None)
        for corner, there in self._onward(at):
            corners = (*begun.corners, corner) if at.gone else ()
            turns = before + abs(corner) + self._togo(there)
            yield _Begun(turns, begun.length + 1, 0, (*begun.cells, there.cell), corners, there)

    def _way(self, begun: _Begun) -> Way:
        met = None
        if len(begun.cells) <= self._speed:
            met = self._ahead(begun.cells[-1], heading(self._after))
        return Way(begun.cells, begun.corners, self._facing, "" if met is None else met.name)

    def _last(self, at: _At) -> int | None:
        """The corner with which a way ends here, with its whole Speed or before what it would run into."""
        last = _corner(at.way, heading(self._after))
        if not self._trail.done(at.fit) or abs(last) > (self._sharpest if at.gone else 0):
            return None
        ends = at.gone == self._speed or self._ahead(at.cell, heading(self._after)) is not None
        return last if ends else None

    def _onward(self, at: _At) -> tuple[tuple[int, _At], ...]:
        """Where a way may go on to, every direction with its corner: free, and over what was seen."""
        if at not in self._further:
            self._further[at] = tuple(self._steps(at))
        return self._further[at]

    def _steps(self, at: _At) -> Iterator[tuple[int, _At]]:
        for way in range(SIDES):
            corner = _corner(at.way, way)
            if abs(corner) > (self._sharpest if at.gone else 0) or self._ahead(at.cell, way) is not None:
                continue
            there = (at.cell[0] + STEPS[way][0], at.cell[1] + STEPS[way][1])
            fit = self._trail.onward(at.fit, there, steps_between)
            if fit and at.gone + 1 + self._trail.left(fit, there, steps_between) <= self._speed:
                yield corner, _At(there, way, at.gone + 1, fit)

    def _togo(self, at: _At) -> int:
        """How many eighths a way has to turn from here on at the least."""
        if at not in self._least:
            last = self._last(at)
            on = [abs(corner) + self._togo(there) for corner, there in self._onward(at)]
            self._least[at] = min([NOWHERE if last is None else abs(last), *on])
        return self._least[at]

    def _ahead(self, cell: Cell, way: int) -> Obstacle | None:
        if (cell, way) not in self._met:
            self._met[cell, way] = ahead(self._state, self._vehicle, cell, way)
        return self._met[cell, way]


def _corner(way: int, other: int) -> int:
    """The corner from one direction into another, eighths from −3 to 4, left above 0."""
    return (other - way + 3) % SIDES - 3


def ways_over(state: GameState, vehicle: Vehicle, trail: Trail, facing: int) -> Ways:
    """The ways by the book over what was seen of a vehicle, to where it rests with that facing."""
    return _Search(state, vehicle, trail, facing).ways()


# What a way means


def steps_words(state: GameState, cells: tuple[Cell, ...]) -> tuple[str, ...]:
    """A way in words: its points by name, with the corners between them; nothing where points are missing."""
    ways = directions(cells)
    if ways is None:
        return ()
    board, found = state.board, []
    for k, (cell, way) in enumerate(zip(cells[1:], ways, strict=True)):
        turn = _corner(ways[k - 1], way) if k else 0
        if turn:
            found.append(f"{45 * abs(turn)}° {'left' if turn > 0 else 'right'}")
        found.append(board.name_of(cell))
    return tuple(found)


def skids(vehicle: Vehicle, corners: tuple[int, ...]) -> Iterator[str]:
    """The corners of a way that are too fast."""
    for k, corner in enumerate(corners, start=1):
        if corner and abs(vehicle.speed) > vehicle.safe(corner):
            yield f"skids after point {k}: {45 * abs(corner)}° is safe at {vehicle.safe(corner)}"


def offered(state: GameState, vehicle: Vehicle, way: Way) -> Candidate:
    """A way to be picked: over which points with which corners, how many, and what it costs."""
    gone = len(way.cells) - 1
    words = ", ".join(steps_words(state, way.cells)) or "it stays"
    told = [many(gone, "point"), f"rests facing {facing_words(state.board, way.facing)}"]
    return Candidate(way.key, words, "; ".join([*told, *_costs(state, vehicle, way)]))


def _costs(state: GameState, vehicle: Vehicle, way: Way) -> Iterator[str]:
    """What comes of a way besides: skids, what lies or walks on it, what it runs into."""
    yield from skids(vehicle, way.corners)
    for cell in way.cells[1:]:
        met = [*(t.name for t in state.tokens_at(cell)), *(f"the {p.name}" for p in state.walkers(cell))]
        if met:
            yield f"over {' and '.join(met)} on {state.board.name_of(cell)}"
    if vehicle.bike:
        steps = zip(way.cells, directions(way.cells) or (), strict=False)
        yield from (f"through {trees}" for cell, d in steps for trees in trees_ahead(state, cell, d))
    if way.into:
        yield f"runs into {way.into}"
