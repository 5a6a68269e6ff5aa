"""Frothy Races for a machine: the ways of a vehicle over the hexes, and how good its race is."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from engine.driver.pushing import through
from engine.game.contract import Proposal, Seen, Worth
from engine.game.kit.table import standing_of
from engine.games.frothy_races.rules.moves import can_pass, choice
from engine.games.frothy_races.rules.ways import way_words
from engine.games.frothy_races.state.game_state import GameState, Vehicle
from engine.space.table import TableState

TURNS = {"straight": 0, "left": 1, "right": -1}
"""How a vehicle may turn at the end of its way, in twelfths to the left."""


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
    ways = list(found.ways)
    chance.shuffle(ways)
    for way in ways[:24]:
        for side, by in TURNS.items():
            facing = (v.facing + by) % 12
            end = way.cells[-1] if way.cells else v.cell
            words = f"goes {way_words(v, way)}" + (f", then turns {side}" if by else "")
            data = {"vehicle": v.name}
            if here is None:
                yield Proposal("move", v.name, {**data, "way": way.sides, "turn": side}, words=words)
                continue
            poses = [state.board.pose_of(cell, v.facing) for cell in way.cells]
            poses.append(state.board.pose_of(end, facing))
            yield Proposal("move", v.name, data, through(here.pose, poses), words=words)


def worth(state: GameState, _table: TableState | None, player: str) -> Worth | None:
    """How far the race has been driven against the others, Speed, cards, control and damage."""
    if state.over:
        return Worth.at_the_end(state.winner, player)
    mine = [_race(state, v) for v in state.vehicles if v.owner == player]
    theirs = [_race(state, v) for v in state.vehicles if v.owner != player]
    best = max((way for way, _ in mine), default=0.0) - max((way for way, _ in theirs), default=0.0)
    own = sum(left for _, left in mine)
    others = sum(left for _, left in theirs) / max(len(theirs), 1)
    return Worth(own, 0.3 * others, progress=6.0 * best)


def _race(state: GameState, v: Vehicle) -> tuple[float, float]:
    """How far a vehicle has come, in laps, and what is left of it."""
    if not v.races:
        return -1.0, 0.0
    on = 0.0
    if v.cell is not None and state.track is not None and not can_pass(state, v, v.facing):
        on = -0.3
    lame = v.damage / max(v.licence.damage, 1)
    cards = 0.02 * len(v.hand())
    return v.travelled, 1.0 - 0.6 * lame - 0.05 * v.control + 0.05 * v.speed + cards + on
