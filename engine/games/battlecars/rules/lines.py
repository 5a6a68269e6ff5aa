"""Lines along the grid: what obstructs a step, what stands on a line of fire. Whole numbers, no tolerance.

Terrain covers points; its corners lie where diagonals cross, half a step beside its outermost points. So a
diagonal step runs through a corner exactly where its middle is one, and only from outside to outside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from engine.boards.board import Cell
from engine.boards.points import STEPS
from engine.games.battlecars.book.data import SIDES, SMOKE
from engine.games.battlecars.state.game_state import GameState, Person, Terrain, Vehicle

Sort = Literal["vehicle", "wreck", "terrain", "driver"]


def corners(terrain: Terrain) -> frozenset[Cell]:
    """Its corners in half steps: twice the columns and rows, so that they are whole numbers."""
    (x, y), (w, h) = terrain.cell, terrain.size
    return frozenset((2 * a - 1, 2 * b - 1) for a in (x, x + w) for b in (y, y + h))


def cornered(state: GameState, one: Cell, other: Cell) -> tuple[Terrain, ...]:
    """The terrain whose corners a step from one point to a neighbour runs through."""
    if one[0] == other[0] or one[1] == other[1]:
        return ()
    middle = (one[0] + other[0], one[1] + other[1])
    return tuple(t for t in state.terrain if middle in corners(t) and not t.holds(one) and not t.holds(other))


@dataclass(frozen=True, slots=True)
class Target:
    """Something on a line of fire: `range` is the number of points between, `smoked`: through smoke."""

    name: str
    sort: Sort
    cell: Cell
    range: int
    smoked: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of fire from a point: the points that it crosses, what stands on it, and what ends it."""

    facing: int
    cells: tuple[Cell, ...]
    targets: tuple[Target, ...]
    ends: str

    @property
    def nearest(self) -> Target | None:
        """The only one that may be fired at."""
        return self.targets[0] if self.targets else None


def along(state: GameState, start: Cell, facing: int, *, bike: bool = False) -> Line:
    """The line of fire from a point that way, up to where something solid or a corner ends it.

    The terrain in which the firer is does not end it, but a `bike` fires no further than the next point in
    its own trees.
    """
    own = state.terrain_at(start)
    cells: list[Cell] = []
    targets: list[Target] = []
    smoked, before = smoke_at(state, start), start
    for k, cell in enumerate(state.board.line(start, facing)):
        if corner := cornered(state, before, cell):
            return Line(facing, tuple(cells), tuple(targets), f"the corner of {corner[0].name}")
        smoked = smoked or smoke_at(state, cell)
        cells.append(cell)
        terrain = state.terrain_at(cell)
        found = list(_on(state, cell, inside=own is not None and own == terrain))
        targets += [Target(name, sort, cell, k, smoked) for name, sort in found]
        solid = [name for name, sort in found if sort in ("terrain", "wreck")]
        if solid:
            return Line(facing, tuple(cells), tuple(targets), solid[0])
        if bike and own is not None and own == terrain:
            return Line(facing, tuple(cells), tuple(targets), own.name)
        before = cell
    return Line(facing, tuple(cells), tuple(targets), "the edge of the board")


def smoke_at(state: GameState, cell: Cell) -> bool:
    """Whether a Smoke Marker lies on a point."""
    return any(t.kind == SMOKE for t in state.tokens_at(cell))


def _on(state: GameState, cell: Cell, *, inside: bool) -> Iterator[tuple[str, Sort]]:
    """What may be hit on a point: cover alone while it stands, unless the firer is in it, too."""
    terrain = state.terrain_at(cell)
    if terrain is not None and not inside:
        yield terrain.name, "terrain"
        return
    vehicle = state.at(cell)
    if vehicle is not None:
        yield vehicle.name, "wreck" if vehicle.wreck else "vehicle"
        if vehicle.wreck:
            return
    for person in state.walkers(cell):
        yield person.name, "driver"


def ways(vehicle: Vehicle, mount: str) -> tuple[int, ...]:
    """The facings on the board along which a Pod or Turret of a vehicle may fire."""
    return tuple((vehicle.facing + way) % SIDES for way in vehicle.mount(mount).ways)


def lines_of(state: GameState, vehicle: Vehicle, mount: str) -> tuple[Line, ...]:
    """The lines of fire of a Pod or Turret."""
    assert vehicle.cell is not None
    return tuple(along(state, vehicle.cell, way, bike=vehicle.bike) for way in ways(vehicle, mount))


def lines_on_foot(state: GameState, person: Person) -> tuple[Line, ...]:
    """The lines of fire of a driver on foot: every way."""
    assert person.cell is not None
    return tuple(along(state, person.cell, way) for way in range(len(STEPS)))


# Where a shot comes from


def incoming(vehicle: Vehicle, line: int) -> int:
    """From where a line meets a vehicle: eighths counter-clockwise from its front.

    A line against its facing comes from the front, 0.
    """
    return (line + SIDES // 2 - vehicle.facing) % SIDES


AREAS: dict[int, tuple[str, ...]] = {
    0: ("front",),
    1: ("front", "left front", "left centre"),
    2: ("left front", "left centre", "left rear"),
    3: ("rear", "left rear", "left centre"),
    4: ("rear",),
    5: ("rear", "right rear", "right centre"),
    6: ("right front", "right centre", "right rear"),
    7: ("front", "right front", "right centre"),
}
"""What may be aimed at, by where the line comes from: a side's three areas, an end, or at 45° the end and the
two nearest areas of the side."""
