"""What people look at: record sheets with what follows from them, whose turn it is, what is waited for."""

from __future__ import annotations

from typing import Any

from engine.games.white_line_fever.data import BRANDS
from engine.games.white_line_fever.rounds import is_last_car
from engine.games.white_line_fever.shooting import VENUS_RANGE
from engine.games.white_line_fever.state import Car, GameState, as_json
from engine.games.white_line_fever.weapons import weapon_called


def view(state: GameState) -> dict[str, Any]:
    """The state with everything worked out, as a JSON object: `state`, `sheets`, `waits_for`, `words`."""
    player, words = waits_for(state)
    return {
        "state": as_json(state),
        "sheets": [record_sheet(state, car) for car in state.cars],
        "waits_for": player,
        "words": words,
    }


def record_sheet(state: GameState, car: Car) -> dict[str, Any]:
    """A car's record sheet. Boxes are counted from 1; ranges are inches, a Venus's with its bonus."""
    return {
        "name": car.name,
        "owner": car.owner,
        "brand": car.brand,
        "bonus": BRANDS[car.brand],
        "status": car.status,
        "speed": car.speed,
        "top_speed": state.top_speed(car),
        "boxes": state.boxes(car),
        "big_boxes": list(state.big_boxes(car)),
        "groups": _groups(state, car),
        "marked": car.marked,
        "armour": state.armour(car),
        "weapons": [_weapon(car, car.primary), _weapon(car, car.secondary)],
        "last_car": car.driving and is_last_car(state, car.owner),
    }


def _groups(state: GameState, car: Car) -> list[int]:
    """The boxes of each group in order, a Mule's extra ones first."""
    groups = list(state.house.armour_groups)
    extra = state.boxes(car) - sum(groups)
    return [extra, *groups] if extra else groups


def _weapon(car: Car, name: str) -> dict[str, Any]:
    weapon = weapon_called(name)
    bonus = VENUS_RANGE if car.brand == "Venus" else 0.0
    return {
        "name": weapon.name,
        "hardpoint": weapon.hardpoint,
        "damage": weapon.damage,
        "short": None if weapon.short is None else weapon.short + bonus,
        "maximum": None if weapon.maximum is None else weapon.maximum + bonus,
        "special": weapon.special,
        "droppable": weapon.droppable,
        "tokens": car.tokens if weapon.droppable else None,
        "spent": weapon.name in car.spent,
        "citation": weapon.citation,
    }


def waits_for(state: GameState) -> tuple[str | None, str]:
    """Which player has to do something (None: anybody, or nobody any more), and what, in words."""
    if state.over:
        return None, f"{state.winner} has won" if state.winner else "nobody is left"
    if state.duties:
        duty = next((d for d in state.duties if d.kind == "blast"), state.duties[0])
        if duty.kind == "blast":
            return None, f'which cars are within {duty.inches:g}" of {duty.car}?'
        return duty.by, f"place {duty.car} ({duty.kind})"
    if state.deployment is None:
        return None, "decide the deployment"
    turn = state.round
    if turn is None:
        return None, "deploy the cars"
    words = {
        "car": "choose a car",
        "move": f"perform Maneuver {turn.manoeuvre} with {turn.car}",
        "free": f"act, Floor It or change the Speed of {turn.car}",
        "speed": f"change the Speed of {turn.car}",
        "done": "the round is over",
    }
    return turn.hands, words[turn.stage]
