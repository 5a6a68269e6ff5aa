"""Placing a car that a rule displaced: does it stand right, and what did it meet on the way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from engine.game.acting import reading
from engine.game.acting.reading import PoseJson
from engine.game.events import Action, Reason
from engine.games.white_line_fever.acts import lawful
from engine.games.white_line_fever.book.data import house
from engine.games.white_line_fever.effects import contacts
from engine.games.white_line_fever.effects.displacing import as_pose_json
from engine.games.white_line_fever.state.game_state import Duty, GameState
from engine.games.white_line_fever.state.play import Play
from engine.games.white_line_fever.state.table_facts import seen
from engine.space.geometry import wrap_angle
from engine.space.table import TableState

STANDS = house("Where a displaced car stands")


def duty_of(state: GameState, name: str) -> Duty | None:
    """How a car has to be placed first."""
    return next((d for d in state.duties if d.car == name and d.kind != "blast"), None)


def check_placed(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """Whether the car was to be placed, by this player, and stands where it must.

    Data: `car`; `at`, its pose, else the table's; `contacts`, `left_surface` and `triggered` as in a
    manoeuvre, else what the table foresaw.
    """
    name = state.car(reading.text(action.data, "car")).name
    duty = duty_of(state, name)
    if duty is None:
        return [Reason(f"{name} does not have to be placed", STANDS)]
    reasons = lawful.whose(action, duty.by, duty.citation)
    said = _said(state, duty, action)
    reasons += contacts.check_met(state, name, said)
    stopped = _differs(duty, said)
    at = _stands(action, table, name)
    if duty.target is not None and at is not None and not stopped:
        reasons += _misplaced(state, duty, at)
    return reasons


def foreseen(state: GameState, duty: Duty) -> dict[str, Any]:
    """What the car meets as the table foresaw it, of what is still there."""
    on_table = {t.name for t in state.tokens}
    gone = {c.name for c in state.cars if c.status in ("removed", "waiting")}
    return {
        "contacts": [name for name in duty.meets if name not in gone],
        "triggered": [name for name in duty.crosses if name in on_table],
        "left_surface": duty.leaves,
    }


def _said(state: GameState, duty: Duty, action: Action) -> dict[str, Any]:
    """What the car met: as the action says it, else as the table foresaw it."""
    usual = foreseen(state, duty)
    told = {key: action.data[key] for key in usual if action.data.get(key) is not None}
    if told.get("left_surface"):
        usual["contacts"] = []
    if told.get("contacts"):
        usual["left_surface"] = False
    return usual | told


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


def _misplaced(state: GameState, duty: Duty, at: PoseJson) -> list[Reason]:
    assert duty.target is not None
    (x, y, heading), rules = duty.target, state.house
    away, turned = math.hypot(at[0] - x, at[1] - y), abs(wrap_angle(at[2] - heading))
    # A turn starts from the target's heading and may end up to its angle away from it.
    free = duty.angle if duty.kind == "turn" else 0.0
    if away <= rules.place_tolerance and turned <= free + rules.place_turn_tolerance:
        return []
    degrees = math.degrees(max(turned - free, 0.0))
    words = f"{duty.car} stands {away:.2f} in and {degrees:.0f}° from where it must"
    return [Reason(words, STANDS, open=True)]


def do_placed(play: Play, action: Action) -> None:
    """The car stands where the rule put it; what it met on the way follows."""
    name = play.state.car(reading.text(action.data, "car")).name
    duty = duty_of(play.state, name)
    assert duty is not None
    at, said = _stands(action, play.table, name), _said(play.state, duty, action)
    play.tell(
        "placed", f"{name} has been placed ({duty.kind})", duty.citation,
        car=name, duty=duty.kind, at=None if at is None else list(at), contacts=contacts.contacts_json(said),
        left_surface=reading.flag(said, "left_surface"), triggered=list(reading.names(said, "triggered")),
    )  # fmt: skip
    contacts.meet(play, name, said)
