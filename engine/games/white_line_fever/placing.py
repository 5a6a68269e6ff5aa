"""Placing a car that a rule displaced: does it stand right, and what did it meet on the way."""

from __future__ import annotations

import math

from engine.game import Action, Reason
from engine.games.white_line_fever import lawful, met, reading
from engine.games.white_line_fever.data import house
from engine.games.white_line_fever.displacing import as_pose_json
from engine.games.white_line_fever.play import Play, seen
from engine.games.white_line_fever.state import Duty, GameState, PoseJson
from engine.geometry import wrap_angle
from engine.table import TableState

STANDS = house("Where a displaced car stands")


def duty_of(state: GameState, name: str) -> Duty | None:
    """How a car has to be placed first."""
    return next((d for d in state.duties if d.car == name and d.kind != "blast"), None)


def check_placed(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """Whether the car was to be placed, by this player, and stands where it must."""
    name = state.car(reading.text(action.data, "car")).name
    duty = duty_of(state, name)
    if duty is None:
        return [Reason(f"{name} does not have to be placed", STANDS)]
    reasons = lawful.whose(action, duty.by, duty.citation)
    reasons += met.check_met(state, name, action.data)
    stopped = met.contacts_of(action.data) or reading.flag(action.data, "left_surface")
    at = _stands(action, table, name)
    if duty.target is not None and at is not None and not stopped:
        reasons += _misplaced(state, duty, at)
    return reasons


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
    words = (
        f"{duty.car} stands {away:.2f} in and {math.degrees(max(turned - free, 0.0)):.0f}° from where it must"
    )
    return [Reason(words, STANDS, open=True)]


def do_placed(play: Play, action: Action) -> None:
    """The car stands where the rule put it; what it met on the way follows."""
    name = play.state.car(reading.text(action.data, "car")).name
    duty = duty_of(play.state, name)
    assert duty is not None
    at = _stands(action, play.table, name)
    play.tell(
        "placed", f"{name} has been placed ({duty.kind})", duty.citation,
        car=name, duty=duty.kind, at=None if at is None else list(at),
    )  # fmt: skip
    met.meet(play, name, action.data)
