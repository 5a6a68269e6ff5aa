"""Armour marked off, its penalties, destruction, and an explosion that is owed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from engine.game.dice import Want
from engine.game.kit.table import standing_of
from engine.games.white_line_fever.book.data import BLAST, EXCESS, cite
from engine.games.white_line_fever.state import Duty, GameState, Play, near

DAMAGE = cite("Shoot Weapon", "Damage")
DESTROYED = cite("Destroying a Car")
EXPLODING = cite("Destroying a Car", "Exploding")


def harm(play: Play, name: str, amount: int, cause: str, citation: str) -> None:
    """Mark off armour and apply what follows: penalties, destruction, an explosion that is owed."""
    car = play.state.car(name)
    if amount <= 0 or not car.driving:
        return
    armour = play.state.armour(car)
    taken = min(amount, armour)
    marked = car.marked + taken
    play.tell(
        "damaged", f"{name} takes {amount} damage from {cause}, {armour - taken} armour left", citation,
        car=name, amount=amount, marked=marked, left=armour - taken, cause=cause,
    )  # fmt: skip
    if taken == armour:
        _destroy(play, name, amount - armour)
        return
    _big_boxes(play, name, car.marked, marked)


def _big_boxes(play: Play, name: str, before: int, after: int) -> None:
    """Each big box that was reached costs maximum Speed, and Speed with it; an Essence does not mind."""
    state, car = play.state, play.state.car(name)
    if not any(before < box <= after for box in state.big_boxes(car)):
        return
    was, top = state.top_speed(car, before), state.top_speed(car, after)
    words = f"{name} reaches a big box: maximum Speed {top}"
    if car.brand == "Essence":
        words = f"{name} reaches a big box, an Essence does not mind"
    citation = cite("Brands", "Essence") if car.brand == "Essence" else DAMAGE
    play.tell("penalty", words, citation, car=name, top=top, was=was)
    set_speed(play, name, min(car.speed, top), DAMAGE)


def set_speed(play: Play, name: str, speed: int, citation: str) -> None:
    """Another Speed, if it is another."""
    was = play.state.car(name).speed
    if speed != was:
        words = f"{name} goes from Speed {was} to {speed}"
        play.tell("speed", words, citation, car=name, speed=speed, was=was)


def _destroy(play: Play, name: str, excess: int) -> None:
    explodes = excess >= EXCESS
    words = f"{name} is destroyed" + (
        " and explodes: take it off the table"
        if explodes
        else f": {_back(play, name)}, it is an obstacle now"
    )
    play.tell(
        "destroyed", words, EXPLODING if explodes else DESTROYED,
        car=name, excess=excess, status="removed" if explodes else "wreck",
    )  # fmt: skip
    if explodes:
        sure, doubtful = near(play.state, play.table, name, BLAST, play.standing(name))
        play.owe(
            Duty("blast", name, EXPLODING, inches=BLAST, sure=sure, doubtful=doubtful),
            f"{name} does D8 damage to all cars within {BLAST:g} in",
        )


def _back(play: Play, name: str) -> str:
    """What to do with a wreck: what a token has stopped lies there, however far a hand has pushed it on."""
    stopped, here = play.stopped.get(name), standing_of(play.table, name)
    off = 0.0 if stopped is None or here is None else math.dist(stopped.xy, here.pose.xy)
    if off <= play.state.house.place_tolerance:
        return "flip it over"
    return f"put it back {off:.1f} in, to where the token met it, and flip it over"


# Explosions


def blast(play: Play, duty: Duty, names: Sequence[str]) -> None:
    """An explosion reaches these cars: its dice first, then all their damage."""
    reached = [n for n in names if play.state.car(n).driving]
    each = play.state.house.blast_dice == "one each"
    wants = [(Want(8, f"explosion of {duty.car}" + (f" against {n}" if each else "")), n) for n in reached]
    rolls = play.together(wants if each else wants[:1], EXPLODING)
    whom = f"reaches {', '.join(reached)}" if reached else "reaches nobody"
    play.tell("blast", f"the explosion of {duty.car} {whom}", EXPLODING, car=duty.car, cars=reached)
    for k, name in enumerate(reached):
        harm(play, name, rolls[k if each else 0].value, f"the explosion of {duty.car}", EXPLODING)


def known_blasts(play: Play) -> None:
    """Explosions of which it is known whom they reach, and those that they set off."""
    while True:
        duty = next((d for d in play.state.duties if d.kind == "blast" and not doubts(play.state, d)), None)
        if duty is None:
            return
        blast(play, duty, duty.sure)


def doubts(state: GameState, duty: Duty) -> tuple[str, ...]:
    """The cars of which only the players can say whether the explosion reaches them."""
    return tuple(n for n in duty.doubtful if state.car(n).driving)


def blast_due(state: GameState) -> Duty | None:
    """The explosion whose reach the players have to tell."""
    return next((d for d in state.duties if d.kind == "blast"), None)
