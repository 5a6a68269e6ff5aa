"""Lines along the grid: what obstructs a step, what stands on a line of fire, what may be aimed at.

Terrain covers points; its corners lie where diagonals cross, half a step beside its outermost points. So a
diagonal step runs through a corner exactly where its middle is one, and only from outside to outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.boards.board import Cell
from engine.boards.points import STEPS, Points
from engine.games.battlecars.book.data import MG, PASSIVES, SIDES, SMOKE, WEAPONS, Weapon
from engine.games.battlecars.state import Component, GameState, Person, Terrain, Turn, Vehicle

# Lines along the grid: what obstructs a step, what stands on a line of fire. Whole numbers, no tolerance.

Sort = Literal["vehicle", "wreck", "terrain", "driver"]


def corners(terrain: Terrain) -> frozenset[Cell]:
    """Its corners in half steps: twice the columns and rows, so that they are whole numbers."""
    (x, y), (w, h) = terrain.cell, terrain.size
    return frozenset((2 * a - 1, 2 * b - 1) for a in (x, x + w) for b in (y, y + h))


def cornered(state: GameState, one: Cell, other: Cell) -> tuple[Terrain, ...]:
    """The terrain whose corners a step from one point to a neighbour runs through."""
    return _cornered(_ground(state.terrain), one, other)


def _cornered(ground: _Ground, one: Cell, other: Cell) -> tuple[Terrain, ...]:
    if one[0] == other[0] or one[1] == other[1]:
        return ()
    middle = (one[0] + other[0], one[1] + other[1])
    found = ground.corners.get(middle, ())
    return tuple(t for t in found if not t.holds(one) and not t.holds(other))


@dataclass(frozen=True, eq=False)
class _Ground:
    """Terrain by the points that it covers, and by its corners in half steps."""

    covered: Mapping[Cell, Terrain]
    corners: Mapping[Cell, tuple[Terrain, ...]]


@lru_cache(maxsize=256)
def _ground(terrain: tuple[Terrain, ...]) -> _Ground:
    """The terrain of a board, found by points; where two cover one, the first counts."""
    covered: dict[Cell, Terrain] = {}
    at_corners: dict[Cell, tuple[Terrain, ...]] = {}
    for one in terrain:
        for cell in one.cells:
            covered.setdefault(cell, one)
        for corner in corners(one):
            at_corners[corner] = (*at_corners.get(corner, ()), one)
    return _Ground(covered, at_corners)


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
    return _line(state.board, _lying(state), start, facing, bike)


@dataclass(frozen=True, slots=True)
class _Lying:
    """All that a line may meet: terrain, points in smoke; vehicles, wreck or not, and drivers on foot."""

    ground: _Ground
    smoke: frozenset[Cell]
    vehicles: tuple[tuple[Cell, str, bool], ...]
    walkers: tuple[tuple[Cell, str], ...]


def _lying(state: GameState) -> _Lying:
    """Everything that lines of fire may meet now."""
    return _Lying(
        _ground(state.terrain),
        frozenset(t.cell for t in state.tokens if t.kind == SMOKE),
        tuple((v.cell, v.name, v.wreck) for v in state.vehicles if v.cell is not None and v.here),
        tuple((p.cell, p.name) for p in state.walkers() if p.cell is not None),
    )


@lru_cache(maxsize=4096)
def _line(board: Points, lying: _Lying, start: Cell, facing: int, bike: bool) -> Line:
    """Kept for as long as everything lies as it lay: most that happens moves nothing."""
    own = lying.ground.covered.get(start)
    targets: list[Target] = []
    smoked, before = start in lying.smoke, start
    way = board.line(start, facing)
    for k, cell in enumerate(way):
        if corner := _cornered(lying.ground, before, cell):
            return Line(facing, way[:k], tuple(targets), f"the corner of {corner[0].name}")
        smoked = smoked or cell in lying.smoke
        inside = own is not None and own == lying.ground.covered.get(cell)
        for name, sort in _on(lying, cell, inside=inside):
            targets.append(Target(name, sort, cell, k, smoked))
            if sort in ("terrain", "wreck"):
                return Line(facing, way[: k + 1], tuple(targets), name)
        if bike and inside and own is not None:
            return Line(facing, way[: k + 1], tuple(targets), own.name)
        before = cell
    return Line(facing, way, tuple(targets), "the edge of the board")


def _on(lying: _Lying, cell: Cell, *, inside: bool) -> Iterator[tuple[str, Sort]]:
    """What may be hit on a point: cover alone while it stands, unless the firer is in it, too.

    Terrain and a wreck come last: nothing on their point is hit besides. Of two vehicles the first counts.
    """
    terrain = lying.ground.covered.get(cell)
    if terrain is not None and not inside:
        yield terrain.name, "terrain"
        return
    name, wreck = next(((name, wreck) for at, name, wreck in lying.vehicles if at == cell), ("", False))
    if name:
        yield name, "wreck" if wreck else "vehicle"
    if not wreck:
        yield from ((walker, "driver") for at, walker in lying.walkers if at == cell)


def ways(vehicle: Vehicle, mount: str) -> tuple[int, ...]:
    """The facings on the board along which a Pod or Turret of a vehicle may fire."""
    return tuple((vehicle.facing + way) % SIDES for way in vehicle.mount(mount).ways)


def lines_of(state: GameState, vehicle: Vehicle, mount: str) -> tuple[Line, ...]:
    """The lines of fire of a Pod or Turret."""
    assert vehicle.cell is not None
    lying = _lying(state)
    return tuple(_line(state.board, lying, vehicle.cell, way, vehicle.bike) for way in ways(vehicle, mount))


def lines_on_foot(state: GameState, person: Person) -> tuple[Line, ...]:
    """The lines of fire of a driver on foot: every way."""
    assert person.cell is not None
    lying = _lying(state)
    return tuple(_line(state.board, lying, person.cell, way, False) for way in range(len(STEPS)))


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


# What may be fired at: for each Pod, Turret or hand weapon the nearest target on each of its lines.

HAND = "hand weapon"
"""What a driver on foot fires: Machine-gun rounds (house default)."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A round that may be fired: from what, along which line, at what."""

    mount: str
    weapon: Weapon
    line: Line
    target: Target


def aims(state: GameState, vehicle: Vehicle) -> tuple[Aim, ...]:
    """Everything that the Pods and Turrets of a vehicle may fire at."""
    loaded = [(mount, ways(vehicle, mount.name)) for mount in vehicle.mounts if mount.missiles]
    if not loaded:
        return ()
    assert vehicle.cell is not None
    every = dict.fromkeys(way for _, some in loaded for way in some)
    lying = _lying(state)
    lines = {way: _line(state.board, lying, vehicle.cell, way, vehicle.bike) for way in every}
    return tuple(
        Aim(mount.name, WEAPONS[mount.missiles[0]], lines[way], target)
        for mount, some in loaded
        for way in some
        if (target := lines[way].nearest) is not None
    )


def aims_on_foot(state: GameState, person: Person) -> tuple[Aim, ...]:
    """Everything that a driver on foot may fire at."""
    if not person.rounds:
        return ()
    lines = lines_on_foot(state, person)
    return tuple(Aim(HAND, WEAPONS[MG], line, line.nearest) for line in lines if line.nearest is not None)


def wreck_of(state: GameState, person: Person) -> Vehicle | None:
    """The wreck whose occupant a driver on foot is: the one on whose point they stand (house default)."""
    found = None if person.cell is None else state.at(person.cell)
    return found if found is not None and found.wreck else None


def whose(state: GameState, target: Target) -> str | None:
    """The player of whoever sits in a target, or of a driver on foot; None where nobody does."""
    if target.sort == "driver":
        return state.person(target.name).owner
    if target.sort == "vehicle":
        driver = state.vehicle(target.name).driver
        return None if driver is None else state.person(driver).owner
    return None


def once_own(state: GameState, target: Target, player: str) -> str:
    """What a target is that is a player's own and still may be fired at, for people; empty for any other.

    Their drivers and what they drive are no targets (house default). What stands empty, or is a wreck, is
    anybody's: the book names vehicles and wrecks among the targets, and lets anybody take over the former.
    """
    if target.sort not in ("vehicle", "wreck") or state.vehicle(target.name).owner != player:
        return ""
    return "own wreck" if target.sort == "wreck" else "own, empty"


TARGETS, COMPUTED_TARGETS = 2, 3
"""Different targets in a turn, and with a Gunnery Computer."""


def may_fire(state: GameState) -> tuple[tuple[Aim, Vehicle | None], ...]:
    """What the driver whose turn it is may fire, each with what it is fired from; at their own come last.

    From None is the hand weapon, which fires once, besides what the occupant of a wreck fires. Each target
    once, as many as the occupant of a vehicle or wreck may fire at.
    """
    turn = state.turn
    if turn is None or state.person(turn.person).dead:
        return ()
    person, found = state.person(turn.person), list[tuple[Aim, Vehicle | None]]()
    vehicle = state.driven(person)
    if vehicle is None:
        vehicle = wreck_of(state, person)
        found += [(aim, None) for aim in aims_on_foot(state, person) if not turn.by_hand]
    if vehicle is not None and not vehicle.slid and fired_at(turn) < most_targets(vehicle):
        found += [(aim, vehicle) for aim in aims(state, vehicle)]
    found = [one for one in found if one[0].target.name not in turn.targets]
    may = [one for one in found if whose(state, one[0].target) != turn.player]
    return tuple(sorted(may, key=lambda one: bool(once_own(state, one[0].target, turn.player))))


def fired_at(turn: Turn) -> int:
    """At how many targets a vehicle or wreck has fired in a turn; the hand weapon's is none of them."""
    return len(set(turn.targets)) - turn.by_hand


def most_targets(vehicle: Vehicle) -> int:
    """At how many targets the occupant of a vehicle or wreck may fire with it."""
    return COMPUTED_TARGETS if vehicle.computed else TARGETS


def no_fire(state: GameState) -> str:
    """Why the driver whose turn it is may not fire, where that is not for want of a target; else empty."""
    turn = state.turn
    if turn is None:
        return ""
    person = state.person(turn.person)
    vehicle = state.driven(person) or wreck_of(state, person)
    if vehicle is None:
        return "" if person.rounds else "no round of the hand weapon is left"
    if vehicle.slid:
        return "it has slid over until the next turn"
    if fired_at(turn) >= (most := most_targets(vehicle)):
        return f"it has fired at {most} targets, the most"
    return "" if any(mount.missiles for mount in vehicle.mounts) else "it has no round left to fire"


def areas(state: GameState, aim: Aim) -> tuple[str, ...]:
    """What may be aimed at of a target; nothing to choose of one that is no vehicle."""
    if aim.target.sort != "vehicle":
        return ()
    return AREAS[incoming(state.vehicle(aim.target.name), aim.line.facing)]


def usual_area(found: tuple[str, ...]) -> str | None:
    """What is aimed at where nothing is said: the end, of a side its centre."""
    if not found:
        return None
    return found[0] if found[0] in ("front", "rear") else found[1]


# Where passive weapons may be dropped


def may_drop(state: GameState) -> tuple[tuple[Component, tuple[str, ...], tuple[Cell, ...]], ...]:
    """The Pods out of which the driver whose turn it is may drop, each with what, and on which points."""
    turn = state.turn
    vehicle = None if turn is None else state.driven(state.person(turn.person))
    if turn is None or vehicle is None or vehicle.slid:
        return ()
    found = []
    for mount in vehicle.mounts:
        kinds = tuple(kind for kind in PASSIVES if kind in mount.rounds)
        free = free_points(state, vehicle, mount.name)
        if kinds and free and mount.name not in turn.dropped:
            found.append((mount, kinds, free))
    return tuple(found)


def free_points(state: GameState, vehicle: Vehicle, mount: str) -> tuple[Cell, ...]:
    """The first points along a Pod's lines that nothing occupies; a corner in the way blocks none of them."""
    assert vehicle.cell is not None
    found = []
    for way in ways(vehicle, mount):
        there = state.board.step(vehicle.cell, way)
        if there is not None and not occupied(state, there):
            found.append(there)
    return tuple(found)


def occupied(state: GameState, cell: Cell) -> bool:
    """Whether anything is on a point: a vehicle, terrain, a driver or a counter."""
    return (
        state.at(cell) is not None
        or state.terrain_at(cell) is not None
        or bool(state.walkers(cell))
        or bool(state.tokens_at(cell))
    )
