"""Frothy Races for a machine: the ways of a vehicle over the hexes, and how good its race is."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from random import Random

from engine.boards.board import Cell
from engine.driver.pushing import through
from engine.game.contract import Proposal, Seen, Worth
from engine.game.kit.table import standing_of
from engine.games.frothy_races.rules.control import basic_dice
from engine.games.frothy_races.rules.moves import can_pass, choice, free_ways, gained, way_words
from engine.games.frothy_races.state import GameState, Turn, Vehicle
from engine.space.table import TableState

TURNS = {"straight": 0, "left": 1, "right": -1}
"""How a vehicle may turn at the end of its way, in twelfths to the left."""

LAP = 6.0
"""What a lap is worth."""

PHASES = 4
"""Movement phases in a round: so far ahead it looks."""

KEPT = 10
"""Places that are looked on from after each phase, the best."""

ROLL, ROLLS = 0.04, 0.012
"""What a Control roll costs, in the mean: by its dice, and by the square of them, as icons come together."""

HURT, HALTED = 0.5, 0.15
"""Damage that each Speed of a collision does, in the mean, and what the lost Speed costs besides."""

BARRED = 0.5
"""What it costs to face what it cannot pass: without a card it goes nowhere but into that."""

LAME, WRECK = 1.5, 2.5
"""What a vehicle loses with its damage: by its share, and by the cube of it, as a wreck has lost the race."""

LOOSE = 0.5
"""What Control Loss points cost, of what a Control roll with so many dice does."""


def proposals(state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
    """Every way of the vehicle whose turn it is, with every turn at its end that it can go on from."""
    turn = state.turn
    if state.over or turn is None or state.agenda or state.attack is not None:
        return
    v = state.vehicle(turn.vehicle)
    if v.owner != player or not v.races or turn.lost or not turn.left or v.cell is None:
        return
    here = None if seen.table is None else standing_of(seen.table, v.name)
    found = choice(state, v, turn)
    # The best first, by where they lead; of those that run into something none is better than another.
    ways = list(found.ways)
    chance.shuffle(ways)
    ends = [(way, side) for way in ways for side in TURNS]
    after = [
        replace(v, cell=w.cells[-1] if w.cells else v.cell, facing=(v.facing + TURNS[s]) % 12)
        for w, s in ends
    ]
    good = [
        LAP * _gain(state, v.cell, w.cells) + _ahead(state, one, _spaces(state, one, moved=True))
        - _roll(_dice(v)) * bool(TURNS[s]) - 5.0 * bool(w.into)
        for (w, s), one in zip(ends, after, strict=True)
    ]  # fmt: skip
    order = sorted(range(len(ends)), key=lambda k: -good[k])
    for k in order[:36]:
        (way, side), facing = ends[k], after[k].facing
        words = f"goes {way_words(v, way)}" + (f", then turns {side}" if TURNS[side] else "")
        data = {"vehicle": v.name}
        if here is None:
            yield Proposal("move", v.name, {**data, "way": way.sides, "turn": side}, words=words)
            continue
        poses = [state.board.pose_of(cell, v.facing) for cell in way.cells]
        end = way.cells[-1] if way.cells else v.cell
        poses.append(state.board.pose_of(end, facing))
        yield Proposal("move", v.name, data, through(here.pose, poses), words=words)


def worth(state: GameState, _table: TableState | None, player: str) -> Worth | None:
    """How far the race has been driven against the others, how it goes on, cards, control and damage."""
    if state.over:
        return Worth.at_the_end(state.winner, player)
    mine = [v for v in state.vehicles if v.owner == player and v.races]
    theirs = [v for v in state.vehicles if v.owner != player and v.races]
    lead = max((v.travelled for v in mine), default=-1.0) - max((v.travelled for v in theirs), default=-1.0)
    own = sum(_left(v) + _to_come(state, v) for v in mine)
    others = sum(map(_left, theirs)) / max(len(theirs), 1)
    # The last one in the race is the winner there, however far it came.
    return Worth(own, 0.3 * others, progress=(LAP if state.rules.race != "Toughest" else 0.0) * lead)


def _left(v: Vehicle) -> float:
    """What is left of a vehicle."""
    return 1.0 - _lame(v, v.damage) - LOOSE * _roll(v.control) + 0.02 * len(v.hand())


def _lame(v: Vehicle, damage: float) -> float:
    """What it has lost with so much damage."""
    share = min(damage / max(v.licence.damage, 1), 1.0)
    return LAME * share + WRECK * share**3


def _roll(dice: int) -> float:
    """What a Control roll with so many dice costs."""
    return ROLL * dice + ROLLS * dice**2


# The way ahead


def _dice(v: Vehicle) -> int:
    """The dice of a Control roll when it turns; 0 at a Safe Speed."""
    return 0 if v.safe else basic_dice(v)


def _gain(state: GameState, start: Cell, cells: Iterable[Cell]) -> float:
    """How far a way leads, in laps."""
    return sum(gained(state, one, other) for one, other in pairwise((start, *cells)))


def _spaces(state: GameState, v: Vehicle, *, moved: bool) -> tuple[int, ...]:
    """The spaces of its next movements, a round of them; `moved`: it has had its turn this phase."""
    first = state.step + moved if state.phase == "move" else 1
    turn = state.turn
    if not moved and turn is not None and turn.vehicle == v.name:
        begun: tuple[int, ...] = (turn.left,)
        first += 1
    else:
        begun = ()
    phases = [(first + k - 1) % PHASES + 1 for k in range(PHASES)]
    spaces = (*begun, *(v.licence.spaces(phase, v.speed) for phase in phases))
    return tuple(n for n in spaces if n)[:PHASES]


def _to_come(state: GameState, v: Vehicle) -> float:
    """What the next round of movement is worth to it."""
    turn = state.turn
    on = turn is not None and turn.vehicle == v.name
    lost = on and turn is not None and (turn.lost or not turn.left)
    moved = v.moved or lost
    return _ahead(state, v, _spaces(state, v, moved=moved))


def _ahead(state: GameState, v: Vehicle, spaces: tuple[int, ...]) -> float:
    """How far it gets in its next movements, less what turns cost, and running into something."""
    if v.cell is None or state.track is None:
        return 0.0
    others = tuple(o.cell for o in state.vehicles if o.name != v.name and o.here)
    crash = _lame(v, v.damage + HURT * v.speed) - _lame(v, v.damage) + HALTED
    there = (state.track, state.obstacles, state.rules, others, v.trait("Flyer"))
    return _looked(_Way(v.name, v.cell, v.facing, spaces, there, _roll(_dice(v)), crash, state, v))


@dataclass(frozen=True)
class _Way:
    """A way ahead and all that it hangs on: the state is compared by what is read of it, as `there`."""

    vehicle: str
    cell: Cell
    facing: int
    spaces: tuple[int, ...]
    there: Hashable
    turning: float
    crash: float
    state: GameState = field(compare=False)
    v: Vehicle = field(compare=False)


@lru_cache(maxsize=2048)
def _looked(way: _Way) -> float:
    places: dict[tuple[Cell, int], float] = {(way.cell, way.facing): 0.0}
    for nth, count in enumerate(way.spaces):
        found: dict[tuple[Cell, int], float] = {}
        for (cell, facing), value in places.items():
            v = replace(way.v, cell=cell, facing=facing)
            for one in free_ways(way.state, v, Turn(way.vehicle, count), count):
                there = value + LAP * _gain(way.state, cell, one.cells)
                for by in TURNS.values():
                    key = (one.cells[-1], (facing + by) % 12)
                    cost = way.turning if by else 0.0
                    found[key] = max(found.get(key, -99.0), there - cost)
        if not found:
            # The later it comes the likelier something else does before.
            return max(places.values()) - way.crash * 0.8**nth
        places = dict(sorted(found.items(), key=lambda item: -item[1])[:KEPT])
    best, (cell, facing) = max((value, place) for place, value in places.items())
    return best - BARRED * (not can_pass(way.state, replace(way.v, cell=cell), facing))
