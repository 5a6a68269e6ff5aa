"""Droppable weapons: tokens laid behind a car."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.game.kit.reading import PoseJson
from engine.game.kit.table import seen
from engine.games.white_line_fever.acts import lawful
from engine.games.white_line_fever.book.data import cite
from engine.games.white_line_fever.book.weapons import weapon_called
from engine.games.white_line_fever.rules import displacement_rule, displacing
from engine.games.white_line_fever.rules.tokens import TRIGGER, trigger
from engine.games.white_line_fever.state.fold import Play
from engine.games.white_line_fever.state.game_state import Car, GameState
from engine.motion.recognition import rear_of
from engine.space.geometry import Pose
from engine.space.table import TableState

DROP = cite("Drop Weapon")
ACTION = cite("Maneuvers", "Action")


def check_drop(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """A droppable weapon with a token left, after the manoeuvre's movement, as its one action.

    Data: `token`, its name; `at`, its pose, else where it is seen, else behind the car; `under`, the cars
    under which it is laid, else as the table has it. `ruled` settles by car's name where that is too close to
    call.
    """
    turn, reasons = lawful.in_round(state, action, ("free",), ACTION)
    if turn is None or turn.car is None:
        return reasons
    car = state.car(turn.car)
    if turn.acted:
        reasons.append(Reason("this Maneuver's action has been performed", ACTION))
    if not weapon_called(car.secondary).droppable:
        reasons.append(Reason(f"{car.name}'s {car.secondary} is shot, not dropped", DROP))
    elif car.tokens == 0:
        reasons.append(Reason(f"{car.name} has no tokens left", DROP))
    name = reading.maybe_text(action.data, "token")
    if name is not None and any(t.name == name for t in state.tokens):
        reasons.append(Reason(f"a token called {name} lies on the table already", DROP))
    reasons += [
        Reason(f"{under} is not in play", TRIGGER)
        for under in reading.names(action.data, "under")
        if not state.is_car(under)
    ]
    doubtful = _laid(state, table, action, car.name)[2]
    reasons += _misplaced(state, table, action, car)
    return reasons + [
        Reason(f"{name}: under the token, too close to call", TRIGGER, open=True, question=name)
        for name in doubtful
        if reading.ruled(action.data, name) is None
    ]


def do_drop(play: Play, action: Action) -> None:
    """The token lies directly behind the car; a car that already stands there triggers it."""
    car = play.state.car(play.round.car or "")
    name = _name_of(play.state, action, car)
    at, below, doubtful = _laid(play.state, play.table, action, car.name)
    answers = {other: reading.ruled(action.data, other) or "no" for other in doubtful}
    for other, answer in answers.items():
        lawful.tell_answer(play, action, f"whether {other} is under the token", answer, TRIGGER)
    play.tell(
        "dropped", f"{car.name} drops {name}, {car.tokens - 1} left", DROP,
        car=car.name, weapon=car.secondary, token=name, left=car.tokens - 1,
        at=None if at is None else list(at),
    )  # fmt: skip
    for other in (*below, *(n for n, answer in answers.items() if answer == "yes")):
        if any(t.name == name for t in play.state.tokens):
            trigger(play, name, play.state.car(other).name)


def _misplaced(state: GameState, table: TableState | None, action: Action, car: Car) -> list[Reason]:
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
    return at, *displacement_rule.under(state, table, name, Pose(*at))


def table_says(state: GameState, action: Action, table: TableState | None) -> dict[str, Any]:
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
