"""Cars that a rule puts elsewhere, and what else the game draws on the table."""

from __future__ import annotations

import math

from engine.game.contract import Seen
from engine.game.events import Action
from engine.game.kit.shown import points
from engine.game.kit.table import seen as seen_on
from engine.game.kit.table import standing_of
from engine.game.showing import Ghost, Mark
from engine.games.white_line_fever.acts.placing import check_placed, duty_of
from engine.games.white_line_fever.rules import displacement_rule
from engine.games.white_line_fever.state.game_state import Duty, GameState
from engine.space.table import TableState


def how_words(duty: Duty) -> str:
    """What is to be done with a car, for people."""
    match duty.kind:
        case "spin":
            return "Turn it round where it stands."
        case "turn":
            return f"Turn it by up to {math.degrees(duty.angle):.0f}°, as {duty.by} chooses."
        case "push" | "pull":
            return f"{duty.kind.capitalize()} it {duty.inches:g} in."
    return ""


def ghosts(state: GameState, seen: Seen) -> tuple[Ghost, ...]:
    """Where cars must be put before the game goes on; one that has to be put somewhere twice, first here."""
    names = dict.fromkeys(duty.car for duty in state.duties if duty.kind != "blast")
    first = [duty for name in names if (duty := duty_of(state, name)) is not None]
    return tuple(
        Ghost(
            duty.car, duty.target, how_words(duty), duty.citation, _right(state, duty, seen.table),
            turn=duty.angle if duty.kind == "spin" else 0.0, free=duty.angle if duty.kind == "turn" else 0.0,
        )
        for duty in first
    )  # fmt: skip


def _right(state: GameState, duty: Duty, table: TableState | None) -> bool | None:
    if duty.target is None or seen_on(table, duty.car) is None:
        return None
    return not check_placed(state, Action("placed", None, {"car": duty.car}), table)


def marks(state: GameState, table: TableState | None) -> tuple[Mark, ...]:
    """The car of the round, and the tokens of which it is known where they lie."""
    laid = [
        Mark("polygon", "token", points(token.region.outline, 3), token.name)
        for token in displacement_rule.tokens(state)
    ]
    car = None if state.round is None or state.round.car is None else state.round.car
    here = None if car is None else standing_of(table, car)
    if here is None:
        return tuple(laid)
    return (*laid, Mark("polygon", "current", points(here.region.outline, 3), piece=here.name))
