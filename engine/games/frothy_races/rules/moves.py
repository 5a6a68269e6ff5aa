"""Where a vehicle may go: hexes in front, ways of a whole movement, and what stands in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.boards.board import Cell
from engine.boards.hexes import STEPS
from engine.games.frothy_races.state.game_state import GameState, Turn, Vehicle

Arc = Literal["front", "side", "rear"]


@dataclass(frozen=True, slots=True)
class Way:
    """A way by its `sides`: F straight on, L and R the front sides, J straight on in a jump.

    `into` is what it would move into with its last step; then `cells` end before it.
    """

    sides: str
    cells: tuple[Cell, ...]
    steps: tuple[int, ...]
    into: str = ""
    drifts: int = 0


def step_to(facing: int, side: str) -> int:
    """The absolute facing, 0 to 10, of a step to the front, the left front or the right front.

    >>> step_to(0, "L"), step_to(1, "L"), step_to(1, "R")
    (2, 2, 0)
    """
    if facing % 2:
        return (facing + (1 if side == "L" else -1)) % 12
    return (facing + {"F": 0, "J": 0, "L": 2, "R": -2}[side]) % 12


def beside(cell: Cell, way: int) -> Cell:
    """The hex across the side that faces that way."""
    q, r = STEPS[way // 2 % 6]
    return cell[0] + q, cell[1] + r


def stands(state: GameState, cell: Cell, name: str) -> str:
    """What nobody may move into there: the edge of the track, a solid obstacle, another vehicle."""
    if not state.board.holds(cell):
        return "the edge of the track"
    other = state.at(cell)
    if other is not None and other.name != name:
        return other.name
    solid = state.things(cell, "solid")
    return solid[0].name if solid else ""


def arc_of(facing: int, towards: int) -> Arc:
    """In which arc of a vehicle a neighbour lies: house default, straight on and 30° beside it are front.

    >>> arc_of(0, 0), arc_of(0, 2), arc_of(1, 0), arc_of(0, 6)
    ('front', 'side', 'front', 'rear')
    """
    turn = abs((towards - facing + 6) % 12 - 6)
    return "front" if turn <= 1 else "rear" if turn >= 5 else "side"


def neighbours(state: GameState, v: Vehicle) -> tuple[tuple[Vehicle, Arc], ...]:
    """The vehicles in the race beside one, with the arc in which each lies."""
    assert v.cell is not None
    found = []
    for way in range(0, 12, 2):
        other = state.at(beside(v.cell, way))
        if other is not None and other.races:
            found.append((other, arc_of(v.facing, way)))
    return tuple(found)


def _next_sides(state: GameState, v: Vehicle, side: str, drifts: int, doubled: bool) -> str:
    """The sides that the next step may go to, by the rules for drifts."""
    if v.facing % 2:
        other = {"L": "R", "R": "L"}.get(side, "LR")
        return "LR" if state.rules.corner_drift and not doubled else other
    return "FLR" if drifts == 0 or state.rules.more_drifts != "one" else "F"


def ways(state: GameState, v: Vehicle, turn: Turn, count: int) -> tuple[Way, ...]:
    """Every way of so many spaces; one that would move into something ends before it.

    Once a jump was announced, the ways are those of jumps, while there are any.
    """
    if turn.jump > 0 and (leaps := jumps(state, v, turn.jump, count)):
        return leaps
    found: list[Way] = []

    def go(way: Way, side: str, doubled: bool) -> None:
        if len(way.sides) == count or way.into:
            found.append(way)
            return
        cell = way.cells[-1] if way.cells else v.cell
        assert cell is not None
        for one in _next_sides(state, v, side, turn.drifts + way.drifts, doubled):
            towards = step_to(v.facing, one)
            there = beside(cell, towards)
            into = stands(state, there, v.name)
            if into and len(way.sides) + 1 < count and _flown_over(state, v, there, one):
                into = ""
            twice = v.facing % 2 == 1 and one == side
            drift = int(v.facing % 2 == 0 and one != "F")
            cells = way.cells if into else (*way.cells, there)
            go(
                Way(way.sides + one, cells, (*way.steps, towards), into, way.drifts + drift),
                one if v.facing % 2 else "",
                doubled or twice,
            )

    go(Way("", (), ()), turn.side, turn.doubled)
    return tuple(found)


def _flown_over(state: GameState, v: Vehicle, cell: Cell, side: str) -> bool:
    """Whether a Flyer passes over a wreck there, which is low; it never ends on one (house default)."""
    other = state.at(cell)
    costly = state.rules.more_drifts == "control" and v.facing % 2 == 0 and side != "F"
    return other is not None and other.wreck and not costly and bool(v.trait("Flyer"))


def low(state: GameState, cell: Cell) -> str:
    """What a jump may clear there: a hazard, a Fragile Obstacle or a wreck (house default)."""
    for thing in (*state.things(cell, "hazard"), *state.things(cell, "fragile")):
        return thing.name
    other = state.at(cell)
    return f"the wreck of {other.name}" if other is not None and other.wreck else ""


def jumps(state: GameState, v: Vehicle, clears: int, count: int) -> tuple[Way, ...]:
    """The ways straight on that clear up to so many spaces with something low, never the last one.

    Only facing a side of its hex (house default: straight forward).
    """
    if v.facing % 2 or v.cell is None:
        return ()
    cells = [v.cell]
    for _ in range(count):
        cells.append(beside(cells[-1], v.facing))
    way = tuple(cells[1:])
    found = []
    for over in range(1, clears + 1):
        for at in range(count - over):
            sides = "F" * at + "J" * over + "F" * (count - at - over)
            free = all(
                not stands(state, cell, v.name) or (side == "J" and bool(low(state, cell)))
                for cell, side in zip(way, sides, strict=True)
            )
            if free and any(low(state, cell) for cell in way[at : at + over]):
                found.append(Way(sides, way, (v.facing,) * count))
    return tuple(found)


def free_ways(state: GameState, v: Vehicle, turn: Turn, count: int) -> tuple[Way, ...]:
    """The ways of so many spaces that move into nothing."""
    return tuple(w for w in ways(state, v, turn, count) if not w.into)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a vehicle may do with the spaces that it has left.

    `reins`: the only way past a collision is a Reins card. `forced`: no way past one is left, and the player
    chooses among those there are.
    """

    ways: tuple[Way, ...]
    reins: bool = False
    forced: bool = False


def choice(state: GameState, v: Vehicle, turn: Turn) -> Choice:
    """The ways that the book allows."""
    every = ways(state, v, turn, turn.left)
    free = tuple(w for w in every if not w.into)
    names = {o.name for o in state.racing} if state.rules.deliberate or turn.ramming else set()
    meant = tuple(w for w in every if w.into in names)
    if free:
        return Choice((*free, *meant))
    if turn.left and not turn.card and v.hand("reins"):
        fewer = free_ways(state, v, turn, turn.left - 1)
        if fewer or turn.left == 1:
            return Choice(meant) if meant else Choice(fewer, reins=True)
    return Choice(every, forced=True)


def can_pass(state: GameState, v: Vehicle, facing: int) -> bool:
    """Whether, facing so, its next movement has a first space to go to."""
    assert v.cell is not None
    sides = "LR" if facing % 2 else "FLR"
    return any(not stands(state, beside(v.cell, step_to(facing, s)), v.name) for s in sides)
