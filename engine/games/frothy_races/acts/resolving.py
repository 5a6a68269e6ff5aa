"""What players choose of what is owed: cards and discards of a Control roll, facings, special cards."""

from __future__ import annotations

from engine.game.events import Action
from engine.games.frothy_races.acts.cards import picked, play_cards, special_played
from engine.games.frothy_races.book.data import HASTE, ICONS, SLOW, cite
from engine.games.frothy_races.book.speeds import rated
from engine.games.frothy_races.effects.collisions import PASSING, facings
from engine.games.frothy_races.effects.control import choices, chosen, roll_control, suffer, swapped
from engine.games.frothy_races.effects.damage import do_damage, sustain
from engine.games.frothy_races.rules.icons import Outcome
from engine.games.frothy_races.state.play import Play

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
        words = f"{v.name} recovers {len(hand)} cards"
        play.tell("recovered", words, SPECIALS, vehicle=v.name, hand=hand, recovery=[])
