"""Where a duty puts vehicles, worked out on the table as it is when the duty arises, and kept with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from engine.boards.road import Road
from engine.errors import TableRefError
from engine.game.events import Reason
from engine.games.shattered_highways.book.data import SIDES, Side
from engine.games.shattered_highways.rules.displacing import (
    Displaced,
    behind_wreck,
    centring_shift,
    fall_back,
    lost_control,
    shifted_fleet,
)
from engine.games.shattered_highways.rules.on_table import bodies_of, in_play, road_of, seen_of
from engine.games.shattered_highways.state.game_state import Duty, DutyKind, GameState, Placement
from engine.ruling import Belief, Measurement, Verdict, in_words
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, Status, TableState


def with_places(state: GameState, duty: Duty, table: TableState | None) -> Duty:
    """The duty with the place of every body that it moves, whom it meets, and who reaches the back edge.

    As it is where nothing is seen, and where the players choose the place.
    """
    work_out = _WAYS.get(duty.kind)
    if table is None or work_out is None:
        return duty
    clear = in_play(state, table, duty.vehicle, duty.other)
    if any(body.status is Status.LOST for body in bodies_of(clear, duty.vehicle)) and duty.kind != "shift":
        return duty  # it is not where it was last seen
    try:
        return work_out(state, duty, clear, road_of(state, table))
    except TableRefError:
        # It is not on the table: the players put it there and say what it met.
        return duty


def _shift(state: GameState, duty: Duty, table: TableState, road: Road) -> Duty:
    names = seen_of(table, state.in_play())
    if not names:
        return duty
    inches = centring_shift(table, names, road)
    moved = shifted_fleet(table, names, road, inches)
    back = tuple(m.name for m in moved if m.at_edge)
    return replace(duty, inches=inches, ways=(_places(table, moved),), back=back)


def _veer(_state: GameState, duty: Duty, table: TableState, road: Road) -> Duty:
    behind = {t.name: t for t in behind_wreck(table, duty.other, road)}
    if duty.vehicle not in behind:
        return duty
    outs = sorted(behind[duty.vehicle].veers, key=lambda out: (out.met is not None, out.full))
    return replace(duty, ways=tuple(_places(table, (out,)) for out in outs))


def _lost(_state: GameState, duty: Duty, table: TableState, road: Road) -> Duty:
    return _gone(duty, table, lost_control(table, duty.vehicle, road, duty.section))


def _fall_back(_state: GameState, duty: Duty, table: TableState, road: Road) -> Duty:
    gone = fall_back(table, duty.vehicle, road)
    return replace(_gone(duty, table, gone), back=(gone.name,) if gone.at_edge else ())


def _gone(duty: Duty, table: TableState, gone: Displaced) -> Duty:
    """A vehicle that goes straight until something stops it."""
    meets = () if gone.met is None else (gone.met.other,)
    return replace(duty, ways=(_places(table, (gone,)),), meets=meets, side=_side(gone))


_WAYS: Mapping[DutyKind, Callable[[GameState, Duty, TableState, Road], Duty]] = MappingProxyType(
    {"shift": _shift, "veer": _veer, "lost": _lost, "fall back": _fall_back}
)
"""The duties that put vehicles where nobody chooses."""


def _side(gone: Displaced) -> Side:
    """The side with which a vehicle meets another one."""
    if gone.met is None:
        return "front"
    return next(side for side in SIDES if side == gone.met.side.value)


def _places(table: TableState, moved: Iterable[Displaced]) -> tuple[Placement, ...]:
    """The place of every body that has a tag of its own; others follow."""
    return tuple(
        Placement(name, (pose.x, pose.y, pose.heading))
        for one in moved
        for name, pose in one.poses
        if not table.find(name).piece.follows
    )


# Whether they stand there


def standing_at(table: TableState, place: Placement) -> Standing | None:
    """The piece as it stands, if it is seen."""
    return next((s for s in bodies_of(table, place.piece) if s.name == place.piece), None)


def stands_right(
    standing: Standing, place: Placement, tolerance: float, facing: float
) -> tuple[Verdict, float, float]:
    """Whether a piece stands where it was to be put: the verdict, inches and radians that it is off."""
    goal = Pose(*place.at)
    away = math.dist(standing.pose.xy, goal.xy)
    askew = abs(wrap_angle(goal.heading - standing.pose.heading))
    own = standing.uncertainty.own
    sd = math.sqrt(float(max(own[0, 0], own[1, 1])))
    near = Measurement(Belief(away, sd)).at_most(tolerance).verdict()
    turn = Measurement(Belief(askew, math.sqrt(float(own[2, 2]))), "rad").at_most(facing).verdict()
    for verdict in (Verdict.NO, Verdict.TOO_CLOSE):
        if verdict in (near, turn):
            return verdict, away, askew
    return Verdict.YES, away, askew


CHOSEN = ("nudged", "struck")
"""Duties whose place a player chooses within the template."""


def unknown_place(duty: Duty) -> bool:
    """Whether nobody saw where a vehicle stood that a rule puts elsewhere: its place is not measured."""
    return not duty.ways and duty.kind not in CHOSEN


def best_way(duty: Duty, table: TableState) -> tuple[Placement, ...]:
    """Of the ways in which a duty may be done, that which the pieces stand nearest to."""
    if not duty.ways:
        return ()
    return min(duty.ways, key=lambda way: _off(way, table))


def _off(way: Sequence[Placement], table: TableState) -> float:
    found = 0.0
    for place in way:
        here = standing_at(table, place)
        if here is not None:
            found += math.dist(here.pose.xy, place.at[:2])
    return found


def misplaced(state: GameState, duty: Duty, table: TableState) -> list[Reason]:
    """What does not stand where the duty puts it; the players may accept each of them."""
    found = []
    house = state.house
    for place in best_way(duty, table):
        here = standing_at(table, place)
        if here is None or here.status is Status.LOST:
            found.append(Reason(f"{place.piece} is not seen", duty.citation, open=True))
            continue
        verdict, away, askew = stands_right(here, place, house.place_tolerance, house.facing_tolerance)
        if verdict is Verdict.YES:
            continue
        words = f"{place.piece} stands {in_words(away, 'in')} from its place"
        if askew > house.facing_tolerance / 2:
            words += f", turned {in_words(askew, 'rad')}"
        if verdict is Verdict.TOO_CLOSE:
            words += ": too close to call"
        found.append(Reason(words, duty.citation, open=True))
    return found
