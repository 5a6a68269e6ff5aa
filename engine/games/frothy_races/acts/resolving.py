"""What players choose of what is owed: cards and discards of a Control roll, facings, special cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.errors import TableRefError
from engine.game.events import Action, JsonObject
from engine.games.frothy_races.acts import attacking, checking
from engine.games.frothy_races.acts.cards import picked, play_cards, special_played
from engine.games.frothy_races.book.data import HASTE, ICONS, SLOW, cite
from engine.games.frothy_races.book.speeds import rated
from engine.games.frothy_races.rules.collisions import PASSING, facings
from engine.games.frothy_races.rules.control import (
    choices,
    chosen,
    roll_control,
    rolled_again,
    suffer,
    swapped,
)
from engine.games.frothy_races.rules.damage import LUCKY, REROLLS, by_card, counted_again, do_damage, sustain
from engine.games.frothy_races.rules.icons import Outcome
from engine.games.frothy_races.state.fold import Play
from engine.games.frothy_races.state.game_state import Task, Vehicle
from engine.ruling import many

SPECIALS = cite("Whip & Reins")
RECOVERY = cite("Maintenance Checks", "Card Recovery")
NOTHING = "nothing"


def do_control(play: Play, action: Action) -> None:
    """Cards are played, then the dice of a Control roll are rolled."""
    task = play.state.agenda[0]
    v = play.vehicle(task.vehicle)
    played = picked(v, action.data)
    play_cards(play, v.name, played, "Control roll")
    roll_control(play, len(played.cards), played.bonus("control"))


def discard_value(outcome: Outcome) -> str:
    """What is discarded, as the value of an input."""
    return ", ".join(outcome.discarded) or NOTHING


def do_discard(play: Play, action: Action) -> None:
    """The dice that are discarded are chosen; the rest takes effect."""
    found = choices(play.state, play.state.agenda[0])
    out = next(o for o in found if discard_value(o) == action.data.get("discard", discard_value(found[0])))
    suffer(play, play.resolve(), out)


def do_special(play: Play, action: Action) -> None:
    """A special card is played once the dice of a Control roll lie."""
    task, special = play.state.agenda[0], str(action.data["card"])
    icons = list(task.data["icons"])
    if special == "Cool":
        icons = [i for i in icons if i != action.data["icon"]]
    else:
        icons = swapped(icons, SLOW if special == "Yah!" else HASTE)
    special_played(play, task.vehicle, special)
    play.ask({"icons": icons})
    chosen(play)


def icons_there(icons: list[str]) -> tuple[str, ...]:
    """The icons that show, in the book's order."""
    return tuple(i for i in ICONS if i in icons)


def do_face(play: Play, action: Action) -> None:
    """It is turned so that it may pass; where 30° are too little, its Speed becomes 0."""
    task = play.resolve()
    v = play.vehicle(task.vehicle)
    found, stops = facings(play.state, v)
    facing = int(action.data.get("facing", found[0]))
    if facing != v.facing:
        words = f"{v.name} is turned so as to pass {task.data['into']}"
        play.tell("turned", words, PASSING, vehicle=v.name, facing=facing, ends=False)
    if stops:
        play.set_speed(v.name, rated(v.licence, play.marker(v.name), 0), "stopped", PASSING)


def do_survive(play: Play, action: Action) -> None:
    """Survivor rolls the Damage roll again, or what was rolled counts."""
    task = play.resolve()
    if not action.data.get("play", True):
        sustain(play, task, task.data["points"])
        return
    special_played(play, task.vehicle, "Survivor")
    again = {k: value for k, value in task.data.items() if k != "points"}
    why = f"{again['why']}, again"
    do_damage(
        play,
        type(task)(task.kind, task.vehicle, task.words, task.citation, {**again, "why": why, "again": True}),
    )


def do_recover(play: Play, action: Action) -> None:
    """Determination brings all spent cards back, or is kept."""
    task = play.resolve()
    if action.data.get("play", True):
        special_played(play, task.vehicle, "Determination")
        v = play.vehicle(task.vehicle)
        hand = [c.name for c in v.cards if c.where in ("spent", "recovery")]
        words = f"{v.name} recovers {many(len(hand), 'card')}"
        play.tell("recovered", words, SPECIALS, vehicle=v.name, hand=hand, recovery=[])


# Dice again

THEN: Mapping[str, Callable[[Play, Task, list[str]], None]] = MappingProxyType(
    {
        "check": checking.rolled_again,
        "control": rolled_again,
        "attack": attacking.rolled_again,
        "damage": counted_again,
    }
)
"""What goes on once the dice lie, by the roll that they are of."""


def most(task: Task, v: Vehicle) -> int:
    """How many dice may be rolled again: by a trait, and by a card."""
    return min(len(task.data["dice"]), int(task.data["free"]) + by_card(v))


def picked_again(task: Task, v: Vehicle, said: JsonObject) -> list[int]:
    """The dice that are rolled again, counted from 1; an error where those may not be."""
    again = sorted({int(k) for k in said.get("again") or ()})
    if again and (again[0] < 1 or again[-1] > len(task.data["dice"]) or len(again) > most(task, v)):
        raise TableRefError(f"expected up to {most(task, v)} of dice 1 to {len(task.data['dice'])}")
    return again


def do_reroll(play: Play, action: Action) -> None:
    """The dice that were picked are rolled again, all together; beyond a trait's number by playing Lucky."""
    task = play.resolve()
    v = play.vehicle(task.vehicle)
    again = picked_again(task, v, action.data)
    dice = list(task.data["dice"])
    if len(again) > task.data["free"]:
        special_played(play, v.name, LUCKY)
    for k, face in zip(again, _faces(play, task, v, len(again)), strict=True):
        dice[k - 1] = str(face)
    THEN[task.data["then"]](play, task, dice)


def _faces(play: Play, task: Task, v: Vehicle, count: int) -> tuple[str | int, ...]:
    """What so many dice show now, as the roll asks."""
    roll = play.icons if task.data["then"] == "control" else play.numbers
    return tuple(roll(v, count, f"{task.data['what']}, again", REROLLS))
