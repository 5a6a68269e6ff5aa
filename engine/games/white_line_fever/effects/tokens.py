"""Tokens that a car drives over or that are laid under it, and what they do to it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.white_line_fever.book.data import cite
from engine.games.white_line_fever.book.weapons import weapon_called
from engine.games.white_line_fever.effects import displacing
from engine.games.white_line_fever.effects.collisions import collide
from engine.games.white_line_fever.effects.damage import harm, set_speed
from engine.games.white_line_fever.effects.specials import tell_special
from engine.games.white_line_fever.state.game_state import GameState
from engine.games.white_line_fever.state.play import Play

TRIGGER = cite("Drop Weapon", "Triggering a Droppable")

SPRINGBOARD = 6.0
"""Inches that a Springboard pushes a car ahead."""


def stopper(state: GameState, name: str, triggered: Sequence[str]) -> str | None:
    """The token at which a driven car's way ends: one that is a Collision, or that destroys it."""
    left = state.armour(state.car(name))
    laid = {token.name: weapon_called(token.weapon) for token in state.tokens}
    for token in triggered:
        if token in laid:
            left -= laid[token].damage
            if left <= 0 or laid[token].name == "Barricade":
                return token
    return None


def trigger(play: Play, token_name: str, name: str) -> None:
    """A car passes through or covers a token: its damage and special at once, and it is gone."""
    token = next(t for t in play.state.tokens if t.name == token_name)
    weapon = weapon_called(token.weapon)
    play.tell(
        "triggered", f"{name} triggers {token.name} ({weapon.name})", TRIGGER,
        token=token.name, weapon=weapon.name, car=name,
    )  # fmt: skip
    harm(play, name, weapon.damage, token.name, weapon.citation)
    car = play.state.car(name)
    if not car.driving or not weapon.special:
        return
    tell_special(play, name, weapon)
    match weapon.name:
        case "Oil":
            displacing.owe_spin(play, name, weapon.citation)
        case "Springboard":
            displacing.owe_shove(play, name, SPRINGBOARD, weapon.citation)
        case "Spikes":
            set_speed(play, name, max(car.speed - 3, 1), weapon.citation)
        case "Firebomb":
            words = f"{name} is on fire: no Floor It this round"
            play.tell("burning", words, weapon.citation, car=name)
        case "Barricade":
            collide(play, [name], [token.name], citation=weapon.citation)
