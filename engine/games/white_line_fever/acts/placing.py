"""Cars that a rule displaced are placed, and tokens are dropped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.game.about import house
from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.game.kit.reading import PoseJson
from engine.game.kit.table import seen
from engine.games.white_line_fever.acts.rounds import in_round, tell_answer, whose
from engine.games.white_line_fever.book.data import cite, weapon_called
from engine.games.white_line_fever.rules import contacts, displacing
from engine.games.white_line_fever.rules.contacts import TRIGGER, trigger
from engine.games.white_line_fever.rules.displacing import COLLISION, LEAVING, as_pose_json, set_down, turned
from engine.games.white_line_fever.rules.displacing import under as displacement_rule_under
from engine.games.white_line_fever.state import Car, Duty, GameState, Play
from engine.measure.sweep import THE_EDGE
from engine.motion.recognition import rear_of
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import TableState, key_of

# Droppable weapons: tokens laid behind a car.

DROP = cite("Drop Weapon")
NAMES = house("Names")
ACTION = cite("Maneuvers", "Action")


def check_drop(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """A droppable weapon with a token left, after the manoeuvre's movement, as its one action.

    Data: `token`, its name; `at`, its pose, else where it is seen, else behind the car; `under`, the cars
    under which it is laid, else as the table has it. `ruled` settles by car's name where that is too close to
    call.
    """
    turn, reasons = in_round(state, action, ("free",), ACTION)
    if turn is None or turn.car is None:
        return reasons
    car = state.car(turn.car)
    if turn.acted:
        reasons.append(Reason("this Maneuver's action has been performed", ACTION))
    if not weapon_called(car.secondary).droppable:
        reasons.append(Reason(f"{car.name}'s {car.secondary} is shot, not dropped", DROP))
    elif car.tokens == 0:
        reasons.append(Reason(f"{car.name} has no tokens left", DROP))
    reasons += _called_so_already(state, table, reading.maybe_text(action.data, "token"))
    reasons += [
        Reason(f"{under} is not in play", TRIGGER)
        for under in reading.names(action.data, "under")
        if not state.is_car(under)
    ]
    doubtful = _laid(state, table, action, car.name)[2]
    reasons += _dropped_elsewhere(state, table, action, car)
    return reasons + [
        Reason(f"{name}: under the token, too close to call", TRIGGER, open=True, question=name)
        for name in doubtful
        if reading.ruled(action.data, name) is None
    ]


def _called_so_already(state: GameState, table: TableState | None, name: str | None) -> list[Reason]:
    """What is against the name of a token: another one of that name, a car, or what stands on the table."""
    key = None if name is None else key_of(name)
    if token := next((t.name for t in state.tokens if key_of(t.name) == key), None):
        return [Reason(f"a token called {token} lies on the table already", DROP)]
    solid = () if table is None else (s.name for s in table.standings if s.piece.solid)
    other = next((n for n in (*(c.name for c in state.cars), *solid) if key_of(n) == key), None)
    return [] if other is None else [Reason(f"{other} is no token: give it another name", NAMES)]


def do_drop(play: Play, action: Action) -> None:
    """The token lies directly behind the car; every car that already stands there triggers it."""
    car = play.state.car(play.round.car or "")
    name = _name_of(play.state, action, car)
    at, below, doubtful = _laid(play.state, play.table, action, car.name)
    answers = {other: reading.ruled(action.data, other) or "no" for other in doubtful}
    for other, answer in answers.items():
        tell_answer(play, action, f"whether {other} is under the token", answer, TRIGGER)
    play.tell(
        "dropped", f"{car.name} drops {name}, {car.tokens - 1} left", DROP,
        car=car.name, weapon=car.secondary, token=name, left=car.tokens - 1,
        at=None if at is None else list(at),
    )  # fmt: skip
    under = (*below, *(n for n, answer in answers.items() if answer == "yes"))
    trigger(play, name, *dict.fromkeys(play.state.car(other).name for other in under))


def _dropped_elsewhere(state: GameState, table: TableState | None, action: Action, car: Car) -> list[Reason]:
    """Whether a token that is seen lies "directly behind the Driver's car".

    Where one is said to lie is for the other players to agree to.
    """
    name = _name_of(state, action, car)
    token, standing = seen(table, name), seen(table, car.name)
    if token is None or standing is None or reading.pose(action.data, "at") is not None:
        return []
    x, y = rear_of(standing.piece.body)
    half = float(np.ptp(standing.piece.body.footprint.outline[:, 1])) / 2
    corners = standing.pose.to_body(token.region.outline)
    beside = abs(float(corners[:, 1].mean()) - y) - half
    off = max(abs(x - float(corners[:, 0].max())), beside)
    if off <= state.house.place_tolerance:
        return []
    return [Reason(f"{name} lies {off:.2f} in from directly behind {car.name}", DROP, open=True)]


def _name_of(state: GameState, action: Action, car: Car) -> str:
    return reading.maybe_text(action.data, "token") or _free_name(state, car.secondary)


def _laid(
    state: GameState, table: TableState | None, action: Action, name: str
) -> tuple[PoseJson | None, tuple[str, ...], tuple[str, ...]]:
    """The token's pose and the cars under which it is laid, surely and perhaps: as said, else as seen."""
    here = seen(table, _name_of(state, action, state.car(name)))
    at = reading.pose(action.data, "at") or (None if here is None else displacing.as_pose_json(here.pose))
    at = at or _behind(state, table, name)
    if "under" in action.data or table is None or at is None:
        return at, reading.names(action.data, "under"), ()
    return at, *displacement_rule_under(state, table, name, Pose(*at))


def table_says_of_drop(state: GameState, action: Action, table: TableState | None) -> dict[str, Any]:
    """Where a token would surely lie, and under which cars."""
    if table is None or state.round is None or state.round.car is None:
        return {}
    at, under, doubtful = _laid(state, table, action, state.round.car)
    return {} if at is None else {"at": list(at)} | ({} if doubtful else {"under": list(under)})


def _free_name(state: GameState, weapon: str) -> str:
    taken = {t.name for t in state.tokens}
    number = state.dropped + 1
    while f"{weapon} {number}" in taken:
        number += 1
    return f"{weapon} {number}"


def _behind(state: GameState, table: TableState | None, name: str) -> PoseJson | None:
    """A token's pose with its edge at the rear of the car."""
    standing = seen(table, name)
    if standing is None:
        return None
    x, y = rear_of(standing.piece.body)
    return displacing.as_pose_json(standing.pose.compose(Pose(x - state.house.token_size / 2, y)))


# Placing a car that a rule displaced: does it stand right, and what did it meet on the way.

STANDS = house("Where a displaced car stands")


def duty_of(state: GameState, name: str) -> Duty | None:
    """How a car has to be placed first."""
    return next((d for d in state.duties if d.car == name and d.kind != "blast"), None)


def unknown_place(state: GameState, name: str) -> bool:
    """Whether a car has to be placed of which nobody saw where it stood: where it belongs is not measured."""
    duty = duty_of(state, state.car(name).name)
    return duty is not None and duty.target is None


def check_placed(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """Whether the car was to be placed, by this player, and stands where it must.

    Data: `car`; `at`, its pose, else the table's; `contacts`, `left_surface` and `triggered` as in a
    manoeuvre, else what the table foresaw.
    """
    name = state.car(reading.text(action.data, "car")).name
    duty = duty_of(state, name)
    if duty is None:
        return [Reason(f"{name} does not have to be placed", STANDS)]
    reasons = whose(action, duty.by, duty.citation)
    met = _met(state, duty, action, table)
    reasons += contacts.check_met(state, name, met.said, table)
    reasons += met.open
    reasons += _misplaced(state, duty, _stands(action, table, name), met)
    if met.open:
        # One yes to its place is none to what it may have touched: each is asked by itself.
        return [replace(r, question=r.question or r.words) if r.open else r for r in reasons]
    return reasons


def in_its_place(state: GameState, duty: Duty, table: TableState | None) -> bool:
    """Whether the car stands where the rule put it. What it may have touched on the way is asked besides."""
    action = Action("placed", None, {"car": duty.car})
    return not _misplaced(state, duty, _stands(action, table, duty.car), _met(state, duty, action, table))


def foreseen(state: GameState, duty: Duty) -> dict[str, Any]:
    """What the car surely meets as the table foresaw it, of what is still there."""
    return _said(state, duty, {})


@dataclass(frozen=True)
class _Met:
    """What a placed car met, what of it is open, and how the players settled what was: by name."""

    said: dict[str, Any]
    open: tuple[Reason, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)


def _met(state: GameState, duty: Duty, action: Action, table: TableState | None) -> _Met:
    """What the car met: as the action says it, else as the table foresaw it or has it now."""
    duty = _measured(state, duty, action, table)
    told = {key: action.data[key] for key in MET if action.data.get(key) is not None}
    asked = [name for name in duty.doubtful if _still_there(state, name) and not _told_of(state, name, told)]
    answers = {name: said for name in asked if (said := reading.ruled(action.data, name)) is not None}
    usual = _said(state, duty, answers)
    if told.get("left_surface"):
        usual["contacts"] = []
    if told.get("contacts") or told.get("obstacle"):
        usual["left_surface"] = False
    laid = {t.name for t in state.tokens}
    reasons = tuple(
        doubt(duty.car, name, "token" if name in laid else "") for name in asked if name not in answers
    )
    return _Met(usual | told, reasons, answers)


def met_words(state: GameState, duty: Duty, action: Action, table: TableState | None) -> tuple[str, ...]:
    """What the car surely meets where it is put, for people."""
    said = _met(state, duty, action, table).said
    over = [f"It passes over {name}." for name in reading.names(said, "triggered")]
    touched = [f"It touches {name}." for name in contacts.contacts_of(said)]
    return (*over, *touched, *(["It leaves the surface."] if reading.flag(said, "left_surface") else []))


def table_says(state: GameState, action: Action, table: TableState | None) -> dict[str, Any]:
    """What a car that is to be placed surely meets by the table, and where it stands."""
    name = state.car(reading.text(action.data, "car")).name
    duty = duty_of(state, name)
    if duty is None:
        return {}
    met, at = _met(state, duty, action, table), _stands(action, table, name)
    found: dict[str, Any] = {"obstacle": None} | met.said if not met.open else {}
    return found if at is None else found | {"at": list(at)}


MET = ("contacts", "obstacle", "triggered", "left_surface")
"""The fields that say what a car met."""


def _told_of(state: GameState, name: str, told: Mapping[str, Any]) -> bool:
    """Whether the action itself says if that was met."""
    if any(t.name == name for t in state.tokens):
        return "triggered" in told
    return not told.keys().isdisjoint(("contacts", "obstacle", "left_surface"))


def _still_there(state: GameState, name: str) -> bool:
    return not any(c.name == name and c.status in ("removed", "waiting") for c in state.cars)


def doubt(car: str, name: str, kind: str) -> Reason:
    """The question whether a car meets a piece of that kind, which is too close to call."""
    if kind == "token":
        words, rule = f"{car} passes over {name}", TRIGGER
    elif name == THE_EDGE:
        words, rule = f"{car} leaves the surface", LEAVING
    else:
        words, rule = f"{car} touches {name}", COLLISION
    return Reason(f"{words}: too close to call", rule, open=True, question=name)


def _measured(state: GameState, duty: Duty, action: Action, table: TableState | None) -> Duty:
    """The duty with what a car that is turned where it stands touches there, as the table has it now."""
    at, standing = _stands(action, table, duty.car), seen(table, duty.car)
    if duty.kind not in ("spin", "turn") or table is None or at is None or standing is None:
        return duty
    x, y, heading = duty.target or at
    here = replace(standing, pose=Pose(*at))
    if duty.kind == "spin":
        # It is lifted and set down: only where it stands then counts.
        ghost = set_down(state, table, here, Pose(x, y, heading - math.pi))
    else:
        start = Pose(x, y, heading)
        ghost = turned(state, table, replace(standing, pose=start), wrap_angle(at[2] - heading))
        if not ghost.meets and not ghost.leaves:
            there = set_down(state, table, here, start)
            doubtful = tuple(dict.fromkeys((*ghost.doubtful, *there.doubtful)))
            doubtful = tuple(name for name in doubtful if name not in there.meets)
            way = tuple(dict.fromkeys((*ghost.way, *there.way)))
            crosses = tuple(dict.fromkeys((*ghost.crosses, *there.crosses)))
            doubtful = tuple(name for name in doubtful if name not in crosses)
            ghost = replace(there, crosses=crosses, doubtful=doubtful, way=way)
    return replace(
        duty, meets=ghost.meets, crosses=ghost.crosses, leaves=ghost.leaves,
        doubtful=ghost.doubtful, way=ghost.way,
    )  # fmt: skip


def _said(state: GameState, duty: Duty, answers: Mapping[str, str]) -> dict[str, Any]:
    """What the car meets in the order of its way, of what is still there, with the players' answers."""
    on_table = {t.name for t in state.tokens}
    said: dict[str, Any] = {"contacts": [], "triggered": [], "left_surface": False}
    stops = (*duty.meets, *((THE_EDGE,) if duty.leaves else ()))
    for name in duty.way or (*duty.crosses, *stops):
        if name in duty.doubtful and answers.get(name) != "yes":
            continue
        if name in on_table:
            said["triggered"].append(name)
        elif name == THE_EDGE:
            said["left_surface"] = True
            break
        elif name in duty.crosses or not _still_there(state, name):
            continue  # a token or a car that is gone by now
        elif not said["contacts"] or name in duty.meets:
            said["contacts"].append(name)
    return said


def _differs(duty: Duty, said: Mapping[str, Any]) -> bool:
    """Whether the players say that the car was stopped where the table did not foresee it."""
    if reading.flag(said, "left_surface"):
        return True
    return bool(set(contacts.contacts_of(said)) - set(duty.meets))


def _stands(action: Action, table: TableState | None, name: str) -> PoseJson | None:
    told = reading.pose(action.data, "at")
    standing = seen(table, name)
    if told is not None or standing is None:
        return told
    return as_pose_json(standing.pose)


def _misplaced(state: GameState, duty: Duty, at: PoseJson | None, met: _Met) -> list[Reason]:
    if duty.target is None or at is None or _differs(duty, met.said):
        return []
    (x, y, heading), rules = duty.target, state.house
    away, turned = math.hypot(at[0] - x, at[1] - y), abs(wrap_angle(at[2] - heading))
    # A turn starts from the target's heading and may end up to its angle away from it.
    free = duty.angle if duty.kind == "turn" else 0.0
    if away <= rules.place_tolerance and turned <= free + rules.place_turn_tolerance:
        return []
    degrees = math.degrees(max(turned - free, 0.0))
    words = f"{duty.car} stands {away:.2f} in and {degrees:.0f}° from its place"
    if away <= rules.place_tolerance:
        words = f"{duty.car} is in place, but facing the wrong way: {degrees:.0f}° off"
    return [Reason(words, STANDS, open=True)]


def do_placed(play: Play, action: Action) -> None:
    """The car stands where the rule put it; what it met on the way follows."""
    name = play.state.car(reading.text(action.data, "car")).name
    duty = duty_of(play.state, name)
    assert duty is not None
    met = _met(play.state, duty, action, play.table)
    at, said = _stands(action, play.table, name), met.said
    for other, answer in met.answers.items():
        tell_answer(play, action, f"whether {name} meets {other}", answer, duty.citation)
    play.tell(
        "placed", f"{name} has been {duty.done}", duty.citation,
        car=name, duty=duty.kind, at=None if at is None else list(at), contacts=contacts.contacts_json(said),
        left_surface=reading.flag(said, "left_surface"), triggered=list(reading.names(said, "triggered")),
    )  # fmt: skip
    contacts.meet(play, name, said, under_way=duty.kind in ("push", "pull"))
