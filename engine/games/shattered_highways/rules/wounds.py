"""Damage to warriors against their Tenacity, and those who fall off."""

from __future__ import annotations

from engine.game.dice import Want
from engine.games.shattered_highways.book.data import TENACITY, cite
from engine.games.shattered_highways.state.game_state import Warrior
from engine.games.shattered_highways.state.play import Play

WARRIORS = cite("Warriors")
FODDER = cite("Cannon Fodder")
HEROES = cite("Heroes")


def wound(play: Play, name: str, amount: int, cause: str) -> None:
    """More damage than their Tenacity and they are out; a hero's is 2D6, rolled for each attack."""
    warrior = play.state.warrior(name)
    if warrior.out:
        return
    tenacity, rule = TENACITY, FODDER
    if warrior.hero:
        wants = [Want(6, f"Tenacity of {name}", by=warrior.owner)] * 2
        tenacity, rule = sum(roll.value for roll in play.rolls(wants, HEROES, [warrior.vehicle])), HEROES
    words = f"{amount} damage from {cause} against Tenacity {tenacity}"
    if amount > tenacity:
        leave(play, name, f"{name} is too injured to fight: {words}", rule)
        return
    play.tell(
        "shrugged", f"{name} shrugs it off: {words}", rule,
        warrior=name, amount=amount, tenacity=tenacity,
    )  # fmt: skip


def leave(play: Play, name: str, words: str, citation: str) -> None:
    """A warrior is out of the fight for good."""
    warrior: Warrior = play.state.warrior(name)
    play.tell("out", words, citation, warrior=name, vehicle=warrior.vehicle)
