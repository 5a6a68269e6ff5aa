"""Where a duty puts vehicles, worked out on the table as it is when the duty arises, and kept with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.boards.road import Road
from engine.errors import TableRefError
from engine.game.events import Reason
from engine.game.kit.table import Off, off_goal
from engine.games.shattered_highways.book.data import SECTION, SIDES, Part, Side
from engine.games.shattered_highways.rules import displacing
from engine.games.shattered_highways.rules.damage import FALLS_BACK, OUT_OF_CONTROL
from engine.games.shattered_highways.rules.displacing import Displaced
from engine.games.shattered_highways.rules.moves import bodies_of, in_play, road_of, seen_of
from engine.games.shattered_highways.state import Duty, DutyKind, GameState, Placement
from engine.ruling import Verdict, in_words, signed
from engine.space.geometry import Pose
from engine.space.table import Standing, Status, TableState, key_of


def with_places(state: GameState, duty: Duty, table: TableState | None) -> Duty:
    """The duty with the place of every body that it moves, whom it meets, and who reaches the back edge.

    As it is where nothing is seen, and where the players choose the place.
    """
    work_out = _WAYS.get(duty.kind)
    if table is None or work_out is None:
        return duty
    # Behind a Rig that drives on the wreck is its trailer.
    drives_on = duty.kind == "veer" and state.vehicle(duty.other).in_play
    trailing = duty.other if drives_on else ""
    clear = in_play(state, table, duty.vehicle, duty.other, trailing=trailing)
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
    inches = displacing.centring_shift(table, names, road)
    moved = displacing.shifted_fleet(table, names, road, inches)
    back = tuple(m.name for m in moved if m.at_edge)
    return replace(duty, inches=inches, ways=(_places(table, moved),), back=back)


def _veer(state: GameState, duty: Duty, table: TableState, road: Road) -> Duty:
    part: Part = "trailer" if state.vehicle(duty.other).in_play else ""
    behind = {t.name: t for t in displacing.behind_wreck(table, duty.other, road, part)}
    if duty.vehicle not in behind:
        return duty
    outs = sorted(behind[duty.vehicle].veers, key=lambda out: (out.met is not None, out.full))
    # Where something stands beside it, or the road ends there, it does not get past the wreck that way.
    clear = [out for out in outs if out.met is None and not out.at_edge]
    return replace(duty, ways=tuple(_places(table, (out,)) for out in clear or outs))


def _lost(state: GameState, duty: Duty, table: TableState, road: Road) -> Duty:
    return _gone(state, duty, table, displacing.lost_control(table, duty.vehicle, road, duty.section))


def _fall_back(state: GameState, duty: Duty, table: TableState, road: Road) -> Duty:
    gone = displacing.fall_back(table, duty.vehicle, road)
    return replace(_gone(state, duty, table, gone), back=(gone.name,) if gone.at_edge else ())


def _gone(state: GameState, duty: Duty, table: TableState, gone: Displaced) -> Duty:
    """A vehicle that goes straight until something stops it: what nobody plays does, and is not rammed."""
    playing = {key_of(v.name) for v in state.in_play()}
    meets = () if gone.met is None or key_of(gone.met.other) not in playing else (gone.met.other,)
    return replace(duty, ways=(_places(table, (gone,)),), meets=meets, side=_side(gone))


_WAYS: Mapping[DutyKind, Callable[[GameState, Duty, TableState, Road], Duty]] = {
    "shift": _shift,
    "veer": _veer,
    "lost": _lost,
    "fall back": _fall_back,
}
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


def off_place(state: GameState, standing: Standing, place: Placement) -> Off:
    """How far a piece stands from where it was to be put."""
    return off_goal(standing, Pose(*place.at), state.house.place_tolerance, state.house.facing_tolerance)


CHOSEN = ("nudged", "struck")
"""Duties whose place a player chooses within the template."""


def unknown_place(duty: Duty) -> bool:
    """Whether nobody saw where a vehicle stood that a rule puts elsewhere: its place is not measured."""
    return not duty.ways and duty.kind not in (*CHOSEN, "deployed")


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


def edge_at(duty: Duty, table: TableState, road: Road) -> str | None:
    """The edge of the play space that a vehicle reaches where a duty puts it: front, back, or None."""
    place = next((p for p in best_way(duty, table) if p.piece == duty.vehicle), None)
    if place is None or duty.kind == "shift":
        return None
    bodies = table.vehicle(duty.vehicle)
    x, y = np.array(place.at[:2]) - bodies[0].pose.xy
    there = {s.name: replace(s, pose=Pose(s.pose.x + x, s.pose.y + y, s.pose.heading)) for s in bodies}
    moved = replace(table, standings=tuple(there.get(s.name, s) for s in table.standings))
    # Where it has to stand is known exactly, whatever is known of where it stands now.
    if displacing.to_front_edge(moved, duty.vehicle, road).value <= displacing.AT_EDGE:
        return "front"
    return "back" if displacing.to_back_edge(moved, duty.vehicle, road).value <= displacing.AT_EDGE else None


def misplaced(state: GameState, duty: Duty, table: TableState) -> list[Reason]:
    """What does not stand where the duty puts it; the players may accept each of them."""
    found = []
    for place in best_way(duty, table):
        here = standing_at(table, place)
        if here is None or here.status is Status.LOST:
            found.append(Reason(f"{place.piece} is not seen", duty.citation, open=True, fact=True))
            continue
        off = off_place(state, here, place)
        if off.verdict is Verdict.YES:
            continue
        words = f"{place.piece} stands {in_words(off.away.value, 'in')} from its place"
        if off.angle.value > state.house.facing_tolerance / 2:
            words += f", turned {in_words(off.angle.value, 'rad')}"
        close = off.verdict is Verdict.TOO_CLOSE
        words += ": too close to call" * close
        found.append(Reason(words, duty.citation, open=True, close=close))
    return found


def how_words(duty: Duty) -> str:
    """What is to be done with a vehicle, for people."""
    count = "1 section" if duty.sections == 1 else f"{duty.sections} sections"
    within = f"{duty.by} moves it within {count} of the template, facing along the road."
    return {
        "nudged": within,
        "struck": within,
        "veer": "Move it left or right just enough to clear the wreck.",
        "fall back": f"Move it {SECTION:g} in straight back.",
        "deployed": f"Put it down behind {duty.other}, within {SECTION:g} in of it, facing along the road.",
        "lost": f"Move it to the farthest edge of section {duty.section} of the template over it.",
        "shift": f"Move every vehicle {duty.inches:g} in back.",
        "wreck": "Say who is on the line straight behind it; then take it off the road.",
    }.get(duty.kind, "")


def ram_words(duty: Duty) -> str:
    """At what a vehicle out of control, or without a driver, is rammed where it meets another; else none.

    >>> ram_words(Duty("lost", "Red 1", ""))
    'a Ram at −1'
    """
    less = {"lost": OUT_OF_CONTROL, "fall back": FALLS_BACK}.get(duty.kind)
    return "" if less is None else f"a Ram at {signed(less.by)}"
