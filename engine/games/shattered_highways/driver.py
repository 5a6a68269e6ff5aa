"""Shattered Highways for a machine: where a vehicle is slid within its template, and how good a fleet is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from random import Random

from engine.driver.pushing import clear, straight_to
from engine.game.contract import Proposal, Seen, Worth
from engine.game.kit.table import standing_of
from engine.games.shattered_highways.rules.on_table import class_rows
from engine.games.shattered_highways.rules.template import ROWS, SECTION, WIDTH, bumper_of
from engine.games.shattered_highways.state.game_state import GameState, Vehicle
from engine.space.geometry import Pose
from engine.space.table import TableState, key_of

FIGHTER = 0.15
"""What a warrior who can fight counts for beside vehicles."""

DRIVEN, MANNED = 0.35, 0.06
"""What a driver at the wheel is worth, and somebody at a weapon: a vehicle without a driver falls back."""


def proposals(state: GameState, seen: Seen, player: str, chance: Random) -> Iterable[Proposal]:
    """Places within the template that are reached on a straight, clear way; ahead, beside and back."""
    turn = state.turn
    if state.over or turn is None or turn.hands != player or turn.stage != "moving" or state.duties:
        return
    table = seen.table
    here = None if table is None else standing_of(table, turn.vehicle)
    if table is None or here is None:
        return
    bodies = table.vehicle(turn.vehicle)
    long = (class_rows(state, turn.vehicle) or ROWS) * SECTION - 0.15
    ends = bumper_of(here)
    side = max(WIDTH / 2 - abs(float(ends[1, 1] - ends[0, 1])) / 2 - 0.1, 0.0)
    shifts = [(f, s) for f in (long, 0.75 * long, 0.5 * long, 0.25 * long, -3.0) for s in (-side, 0.0, side)]
    shifts += [(chance.uniform(0.0, long), chance.uniform(-side, side)) for _ in range(8)]
    heading = here.pose.heading
    road = Pose(here.pose.x, here.pose.y, heading)
    ways = [straight_to(here.pose, road.compose(Pose(ahead, left))) for ahead, left in shifts]
    others = [s for s in table.others(*(b.name for b in bodies)) if s.piece.solid]
    for (ahead, left), way, good in zip(shifts, ways, clear(here, ways, others, table.surface), strict=True):
        if good:
            yield Proposal("moved", turn.vehicle, {"vehicle": turn.vehicle}, way, words=_words(ahead, left))


def _words(ahead: float, left: float) -> str:
    told = f"moves {abs(ahead):.0f} in {'ahead' if ahead >= 0 else 'back'}"
    return told + (
        f" and {abs(left):.1f} in to the {'left' if left > 0 else 'right'}" if abs(left) > 0.2 else ""
    )


def worth(state: GameState, table: TableState | None, player: str) -> Worth | None:
    """Vehicles under control, their hits, warriors who can fight, and how near the fighting is."""
    if state.over:
        return Worth.at_the_end(state.winner, player)
    own = others = 0.0
    for v in state.vehicles:
        value = _whole(v)
        own, others = (own + value, others) if v.control == player else (own, others + value)
    for w in state.warriors:
        value = 0.0 if w.out else FIGHTER * (2.0 if w.hero else 1.0)
        own, others = (own + value, others) if w.owner == player else (own, others + value)
    own += sum(_manned(state, v) for v in state.vehicles if v.control == player and v.in_play)
    others += sum(_manned(state, v) for v in state.vehicles if v.control != player and v.in_play)
    if table is None:
        return Worth(own, others)
    places = {key_of(s.name): s.pose for s in table.standings}
    mine = [p for v in state.vehicles if v.control == player and (p := places.get(key_of(v.name)))]
    theirs = [
        p for v in state.vehicles if v.control != player and v.in_play and (p := places.get(key_of(v.name)))
    ]
    near = sum(max(0.0, 1.0 - min(math.dist(a.xy, b.xy) for b in theirs) / 24.0) for a in mine if theirs)
    return Worth(own, others, chance=0.1 * near)


def _manned(state: GameState, v: Vehicle) -> float:
    """What the seats of a vehicle are worth as they are taken by those who control it."""
    seats = [
        w.seat or "" for w in state.warriors if w.vehicle == v.name and not w.out and w.owner == v.control
    ]
    return DRIVEN * ("D" in seats) + MANNED * sum(seat.startswith("W") for seat in seats)


def _whole(v: Vehicle) -> float:
    if not (v.in_play or v.status in ("waiting", "hidden")):
        return 0.0
    return 0.5 + 0.05 * (v.hits + (v.trailer or 0))
