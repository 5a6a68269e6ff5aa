"""In which order vehicles move, which spaces they may enter, and which ways fit what was seen."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from engine.boards.board import Cell
from engine.boards.hexes import STEPS, front_first
from engine.game.forms import Candidate
from engine.games.frothy_races.book.data import APART, cite
from engine.games.frothy_races.rules.damage import SCORING, damage_task
from engine.games.frothy_races.state import GameState, Play, Task, Turn, Vehicle
from engine.ruling import many
from engine.words import listed

# Who is in front, who is on the inside, and who moves next; how far each came and who leads.


def wrapped(laps: float) -> float:
    """A difference along a circuit, from -0.5 to 0.5."""
    return (laps + 0.5) % 1.0 - 0.5


def gained(state: GameState, before: Cell, after: Cell) -> float:
    """How far a step leads along the track, in laps."""
    return wrapped(state.board.progress(after) - state.board.progress(before))


def spaces(state: GameState, laps: float) -> float:
    """A distance along the track in spaces of its middle lane."""
    return laps * len(state.board.middle)


def standing_key(state: GameState, v: Vehicle) -> tuple[float, int]:
    """What orders vehicles along the track: further on first, then nearer to the inside."""
    lane = 0 if v.cell is None else state.board.lane_of(v.cell)
    return (-round(v.travelled, 6), lane)


def initiative(state: GameState) -> tuple[Vehicle, ...]:
    """Those that have still to move this phase, in order: the highest Speed, in front, on the inside.

    In front is who stands so on the track, however many laps they have behind them: whoever is in the way
    moves first.
    """
    return tuple(v for v in in_order(state, state.racing) if not v.moved)


def in_order(state: GameState, some: Iterable[Vehicle]) -> tuple[Vehicle, ...]:
    """Vehicles, or wrecks, on the track in the order in which they move."""
    there = {v.name: v.cell for v in some if v.cell is not None}
    front = front_first(state.board, there)
    return tuple(sorted(map(state.vehicle, there), key=lambda v: (-v.speed, front.index(v.name))))


def placings(state: GameState) -> tuple[Vehicle, ...]:
    """The vehicles by how far they came, those in the race before wrecks."""
    there = [v for v in state.vehicles if not v.gone]
    return tuple(sorted(there, key=lambda v: (v.wreck, *standing_key(state, v))))


LEVEL = 1e-6
"""Laps: what is less apart is level."""


def ahead_by(state: GameState, v: Vehicle) -> float | None:
    """By how many spaces a leader is in front of the closest that follows; None for one who does not lead.

    Who is level with a leader leads, too; where all are level, it is by none.
    """
    here, others = _led(state, v), [_led(state, o) for o in state.racing if o.name != v.name]
    if not others or max(others) > here + LEVEL:
        return None
    return spaces(state, here - max((there for there in others if there < here - LEVEL), default=here))


def behind_by(state: GameState, v: Vehicle) -> float | None:
    """By how many spaces the last are behind the closest in front; None for one who is not last."""
    here, others = _led(state, v), [_led(state, o) for o in state.racing if o.name != v.name]
    if not others or min(others) < here - LEVEL:
        return None
    return spaces(state, min((there for there in others if there > here + LEVEL), default=here) - here)


def far(state: GameState, apart: float | None) -> bool:
    """Whether so many spaces are as many as Grandstanding and the Whips of Shame ask for."""
    return apart is not None and apart >= state.rules.gap - spaces(state, LEVEL)


def _led(state: GameState, v: Vehicle) -> float:
    """How far it came, in laps; where vehicles start apart, what they were apart is no lead."""
    return v.travelled - (v.start if state.rules.race in APART else 0.0)


# Where a vehicle may go: hexes in front, ways of a whole movement, and what stands in them.

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
    again = state.rules.more_drifts != "one"
    if v.facing % 2:
        other = {"L": "R", "R": "L"}.get(side, "LR")
        return "LR" if state.rules.corner_drift and (again or not doubled) else other
    return "FLR" if drifts == 0 or again else "F"


def is_drift(v: Vehicle, side: str, last: str) -> bool:
    """Whether a step is a drift: facing a corner one to the front side that was entered `last`."""
    return side == last if v.facing % 2 else side in ("L", "R")


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
            drift = is_drift(v, one, side)
            cells = way.cells if into else (*way.cells, there)
            go(
                Way(way.sides + one, cells, (*way.steps, towards), into, way.drifts + drift),
                one if v.facing % 2 else "",
                doubled or (drift and v.facing % 2 == 1),
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


# What a vehicle meets on a hex that it moves into: hazards, fragile obstacles, points for them.

HAZARDS = cite("Collisions", "Hazards and Fragile Obstacles")
CONTROL = cite("Damage", "Damage Roll")


def control_task(name: str, why: str, citation: str = CONTROL, **data: Any) -> Task:
    """A Control roll that is owed.

    `heading` and `side` are the way of a slide, `against` what it may slide into again, `way` where a wreck
    would go that did not go as it faces. With `hurt` it is owed only once damage is sustained; `initiated`: a
    failure ends the movement.
    """
    usual = {"side": "", "against": "", "hurt": False, "initiated": False}
    return Task(
        "control", name, f"{name} makes a Control roll ({why})", citation, usual | {"why": why} | data
    )


def stepped(state: GameState, v: Vehicle, there: Cell) -> float:
    """How far a vehicle has travelled once it is on a hex beside it."""
    assert v.cell is not None
    return v.travelled + gained(state, v.cell, there)


def half(speed: int) -> int:
    """Half a Speed, rounded up."""
    return (speed + 1) // 2


def meets(state: GameState, v: Vehicle, cell: Cell) -> bool:
    """Whether something happens to a vehicle that moves into a hex."""
    if v.trait("Flyer"):
        return False
    return bool(state.things(cell, "hazard") or state.things(cell, "fragile"))


def enter(play: Play, name: str, way: int | None = None) -> None:
    """It has moved into its hex: a hazard costs control, fragile obstacles may damage it.

    `way` is where its wreck would go: None is as it faces.
    """
    v, state = play.vehicle(name), play.state
    assert v.cell is not None
    if not meets(state, v, v.cell):
        return
    hazards, fragile = state.things(v.cell, "hazard"), state.things(v.cell, "fragile")
    tasks: list[Task] = []
    heading: dict[str, Any] = {"heading": v.facing, "side": v.side}
    if fragile:
        one = fragile[0]
        play.tell("removed", f"{name} runs over {one.name}", HAZARDS, obstacle=one.name, vehicle=name)
        if state.rules.race == "Scoring" and one.worth:
            words = f"{name} scores {one.worth} for {one.name}"
            play.tell("scored", words, SCORING, vehicle=name, points=one.worth)
        dice = half(v.speed) + len(fragile) - 1 - v.trait("B.S.H.")
        if dice > 0:
            tasks.append(damage_task(name, dice, one.name, HAZARDS, settles=True, heading=way))
            tasks.append(control_task(name, one.name, hurt=not hazards, **heading))
    if hazards:
        play.add_control(name, half(v.speed), hazards[0].name)
        if not tasks:
            tasks.append(control_task(name, hazards[0].name, HAZARDS, **heading))
    play.owe(*tasks)


# What a way means for the race, in which order ways are offered, and how one is told.

SIDES = {"F": "straight on", "J": "a jump", "L": "left", "R": "right"}

LISTED = 8
"""So many ways are offered; where more fit, the way is typed instead (house default)."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A way with the turn at its end."""

    way: Way
    turn: str

    @property
    def key(self) -> str:
        """As the value of an input: the sides, then the turn where there is one."""
        return self.way.sides if self.turn == "straight" else f"{self.way.sides} {self.turn}"


def bends(way: Way) -> int:
    """How often a way changes its direction.

    >>> bends(Way("FFL", (), (0, 0, 2))), bends(Way("FLF", (), (0, 2, 0)))
    (1, 2)
    """
    return sum(one != other for one, other in pairwise(way.steps))


def meaning(state: GameState, v: Vehicle, turn: Turn, way: Way) -> Hashable:
    """What tells a way to a hex from others to it: with the same of it they come to the same.

    That is its spaces, the hexes on which something is met, jumped or rolled for, what it runs into and from
    where; facing a corner the side entered last, where a slide goes, and whether one was entered twice.
    """
    into = (way.into, way.steps[-1]) if way.into else None
    return (len(way.sides), _events(state, v, turn, way), into, _slips(v, turn, way))


def _events(state: GameState, v: Vehicle, turn: Turn, way: Way) -> tuple[tuple[Cell, str], ...]:
    """The hexes of a way where something happens, and what."""
    found, drifts, last = [], turn.drifts, turn.side
    for cell, side in zip(way.cells, way.sides, strict=False):
        drifted = is_drift(v, side, last)
        drifts, last = drifts + drifted, side
        if side == "J":
            found.append((cell, "jump"))
        elif meets(state, v, cell):
            found.append((cell, "meets"))
        if state.rules.more_drifts == "control" and drifted and drifts > 1:
            found.append((cell, "drift"))
    return tuple(found)


def _slips(v: Vehicle, turn: Turn, way: Way) -> tuple[str, bool]:
    """Facing a corner: the side that was entered last, and whether one was entered twice."""
    if v.facing % 2 == 0:
        return "", False
    sides = turn.side + way.sides[: len(way.cells)]
    return sides[-1:], any(one == other for one, other in pairwise(sides))


def hexes(state: GameState, way: Way) -> str:
    """The hexes of a way by name, and what it runs into."""
    found = [state.board.name_of(cell) for cell in way.cells]
    return ", ".join([*found, *([f"into {way.into}"] if way.into else [])])


def offered(state: GameState, v: Vehicle, turn: Turn, gone: Gone) -> Candidate:
    """A way to be picked: over which hexes, and what it means."""
    way = gone.way
    told = [way_words(v, way)]
    met = dict.fromkeys(
        o.name
        for cell, side in zip(way.cells, way.sides, strict=False)
        if side != "J" and meets(state, v, cell)
        for o in state.obstacles
        if o.cell == cell and o.sort != "solid"
    )
    told += [f"meets {listed(met)}"] if met else []
    told += [f"runs into {way.into}"] if way.into else []
    left = turn.left - len(way.sides)
    told += [f"{many(left, 'space')} left"] if left else []
    told += [f"turns {gone.turn}"] if gone.turn != "straight" else []
    return Candidate(gone.key, hexes(state, way), "; ".join(told))


def way_words(v: Vehicle, way: Way) -> str:
    """A way in words.

    >>> from engine.games.frothy_races.state import Vehicle
    >>> way_words(Vehicle("Red", "Ann", "Chariot"), Way("FFL", (), ()))
    '2 straight on, drift left'
    """
    if v.facing % 2:
        return ", ".join(SIDES[s] for s in way.sides)
    found: list[str] = []
    run = 0
    for s in (*way.sides, ""):
        if s == "F":
            run += 1
            continue
        if run:
            found.append(f"{run} straight on")
            run = 0
        if s:
            found.append(f"drift {SIDES[s]}" if s in "LR" else SIDES[s])
    return ", ".join(found)


def met_words(state: GameState, v: Vehicle, way: Way) -> str:
    """Where a way ends, and what it meets."""
    found = [state.board.name_of(way.cells[-1])] if way.cells else []
    for cell in way.cells:
        if meets(state, v, cell):
            found += [o.name for o in state.obstacles if o.cell == cell and o.sort != "solid"]
    if way.into:
        found.append(f"into {way.into}")
    return ", ".join(found)
