"""What a way means for the race, in which order ways are offered, and how one is told."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise

from engine.boards.board import Cell
from engine.game.forms import Candidate
from engine.games.frothy_races.rules.entering import meets
from engine.games.frothy_races.rules.moves import Way
from engine.games.frothy_races.state.game_state import GameState, Turn, Vehicle
from engine.ruling import many

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
    found, drifts = [], turn.drifts
    for cell, side in zip(way.cells, way.sides, strict=False):
        drifts += v.facing % 2 == 0 and side in "LR"
        if side == "J":
            found.append((cell, "jump"))
        elif meets(state, v, cell):
            found.append((cell, "meets"))
        if state.rules.more_drifts == "control" and v.facing % 2 == 0 and side in "LR" and drifts > 1:
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
    told += [f"meets {' and '.join(met)}"] if met else []
    told += [f"runs into {way.into}"] if way.into else []
    left = turn.left - len(way.sides)
    told += [f"{many(left, 'space')} left"] if left else []
    told += [f"turns {gone.turn}"] if gone.turn != "straight" else []
    return Candidate(gone.key, hexes(state, way), "; ".join(told))


def way_words(v: Vehicle, way: Way) -> str:
    """A way in words.

    >>> from engine.games.frothy_races.state.game_state import Vehicle
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
