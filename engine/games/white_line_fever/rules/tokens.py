"""Tokens that a car drives over or that are laid under it, and what they do to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.games.white_line_fever.book.data import cite
from engine.games.white_line_fever.book.weapons import weapon_called
from engine.games.white_line_fever.rules import displacing
from engine.games.white_line_fever.rules.collisions import collide
from engine.games.white_line_fever.rules.damage import harm, set_speed
from engine.games.white_line_fever.rules.specials import tell_special
from engine.games.white_line_fever.state.fold import Play
from engine.games.white_line_fever.state.game_state import Car, GameState

TRIGGER = cite("Drop Weapon", "Triggering a Droppable")

SPRINGBOARD = 6.0
"""Inches that a Springboard pushes a car ahead."""

SPIKED = 3
"""Speed that Spikes cost, to no less than 1."""


DISPLACING = ("Oil", "Springboard")
"""The droppable weapons that put a car elsewhere: the manoeuvre under way goes on from there."""


def displacer(state: GameState, triggered: Sequence[str]) -> str | None:
    """The first of these tokens that puts the car elsewhere."""
    laid = {token.name: token.weapon for token in state.tokens}
    return next((name for name in triggered if laid.get(name) in DISPLACING), None)


def after_tokens(state: GameState, car: Car, triggered: Sequence[str]) -> Car:
    """The car as these tokens leave it: armour marked off, and its Speed."""
    laid = {token.name: weapon_called(token.weapon) for token in state.tokens}
    for weapon in (laid[name] for name in triggered if name in laid):
        marked = min(car.marked + weapon.damage, state.boxes(car))
        speed = min(car.speed, state.top_speed(car, marked))
        if weapon.name == "Spikes":
            speed = max(speed - SPIKED, 1)
        car = replace(car, marked=marked, speed=speed)
    return car


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
            set_speed(play, name, max(car.speed - SPIKED, 1), weapon.citation)
        case "Firebomb":
            words = f"{name} is on fire: no Floor It this round"
            play.tell("burning", words, weapon.citation, car=name)
        case "Barricade":
            collide(play, [name], [token.name], citation=weapon.citation)
