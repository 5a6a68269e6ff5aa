"""Dice that are rolled again before they count, and what goes on with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.errors import TableRefError
from engine.game.events import Action, JsonObject
from engine.games.frothy_races.acts import attacking, checking
from engine.games.frothy_races.acts.cards import special_played
from engine.games.frothy_races.rules.control import rolled_again
from engine.games.frothy_races.rules.damage import counted_again
from engine.games.frothy_races.rules.rerolls import LUCKY, REROLLS, by_card
from engine.games.frothy_races.state.game_state import Task, Vehicle
from engine.games.frothy_races.state.play import Play

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
