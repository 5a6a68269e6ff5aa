"""The Speed check: cards, dice, which two are kept, and the change of Speed that follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game.events import Action, Reason
from engine.games.frothy_races.acts.cards import Played, picked, play_cards
from engine.games.frothy_races.book.data import cite
from engine.games.frothy_races.book.speeds import (
    Marker,
    accelerated,
    check_pairs,
    decelerated,
    forced_lowest,
)
from engine.games.frothy_races.rules.damage import reroll_task
from engine.games.frothy_races.rules.order import ahead_by, behind_by
from engine.games.frothy_races.state.fold import Play
from engine.games.frothy_races.state.game_state import GameState, Task, Vehicle
from engine.ruling import many

CHECK = cite("Speed Check")
RESULT = cite("Speed Check", "Result of the Speed Check")
CHANGES = cite("Speed Changes")
OVER_WHIPPING = cite("Speed Changes", "Over-Whipping")
GRANDSTANDING = cite("Optional Rules", "Speed Check")

ALTERNATIVE = cite("Alternative Rules", "Speed Check")
TRAITS = cite("Traits")

AGAIN = {True: "Lash", False: "Tight Leash"}
"""The traits with which dice are rolled again, by whether it accelerates."""

STEADY = {True: "Tireless", False: "Anchor"}
"""The traits with which no dice are rolled, by whether it accelerates."""


def tired_reins(state: GameState, v: Vehicle) -> int:
    """The Reins cards that count as played because of its Stamina."""
    return sum(e.amount for e in v.tired if e.sort == "reins") if state.rules.stamina else 0


def way_of(state: GameState, v: Vehicle, said: Mapping[str, Any], played: Played) -> bool:
    """Whether it accelerates; without cards it decelerates, unless it is champing at the bit."""
    if not played.cards:
        return bool(v.trait("Champing at the Bit")) and not held_back(state, v)
    usual = "decelerate" if held_back(state, v) else "accelerate"
    return bool(said.get("way", usual) == "accelerate")


def held_back(state: GameState, v: Vehicle) -> tuple[Reason, ...]:
    """Why a leader may not accelerate: Grandstanding to the Crowd."""
    ahead = ahead_by(state, v)
    if not state.rules.grandstanding or ahead is None or ahead < state.rules.gap:
        return ()
    words = f"{v.name} leads by {many(round(ahead), 'space')} and may not accelerate"
    return (Reason(words, GRANDSTANDING),)


def against(v: Vehicle, said: Mapping[str, Any]) -> list[Reason]:
    """What the book has against a Speed check."""
    played = picked(v, said)
    if not played.cards and said.get("way") == "accelerate" and not v.trait("Champing at the Bit"):
        return [Reason("without Whip or Reins cards it must decelerate", CHECK)]
    return []


def extra_dice(state: GameState, v: Vehicle, *, accelerates: bool) -> int:
    """Dice besides those of cards: for who is last and far behind, and by traits."""
    behind = behind_by(state, v)
    shamed = state.rules.shame and accelerates and behind is not None and behind >= state.rules.gap
    return int(shamed) + v.trait("Long Legs" if accelerates else "Rubber Shoes")


def do_check(play: Play, action: Action) -> None:
    """Cards are played, dice rolled; what is left to choose stays on the agenda."""
    v = play.vehicle(str(action.data["vehicle"]))
    played = picked(v, action.data)
    accelerates = way_of(play.state, v, dict(action.data), played)
    play_cards(play, v.name, played, f"Speed check to {'accelerate' if accelerates else 'decelerate'}")
    whip, reins = played.count("whip"), played.count("reins") + tired_reins(play.state, v)
    bonus = played.bonus("accelerate" if accelerates else "decelerate")
    why = f"Speed check of {v.name}, to {'accelerate' if accelerates else 'decelerate'}"
    data = {"accelerates": accelerates, "bonus": bonus, "cards": whip + reins}
    if v.trait(STEADY[accelerates]):
        _offer(play, v, tuple(range(v.trait(STEADY[accelerates]) + 1)), data)
        return
    adjust = play.state.rules.adjust
    extra = 1 if adjust else 2 + whip + reins + extra_dice(play.state, v, accelerates=accelerates)
    values = play.numbers(v, extra, why, ALTERNATIVE if adjust else CHECK)
    data["forced"] = 0 if v.trait("Beastmaster") else forced_lowest(whip, reins, accelerates=accelerates)
    again = reroll_task(v, values, AGAIN[accelerates], "check", why, check=data)
    if again is not None:
        play.owe(again)
        return
    _rolled(play, v, values, data)


def rolled_again(play: Play, task: Task, dice: list[str]) -> None:
    """The Speed check goes on with these dice."""
    _rolled(play, play.vehicle(task.vehicle), tuple(int(d) for d in dice), dict(task.data["check"]))


def _rolled(play: Play, v: Vehicle, values: tuple[int, ...], data: dict[str, Any]) -> None:
    """The dice lie: what they come to is offered."""
    if play.state.rules.adjust:
        low, high = max(values[0] - data["cards"], 0), values[0] + data["cards"]
        _offer(play, v, tuple(range(low, high + 1)), data)
    else:
        _offer(play, v, tuple(sum(pair) for pair in check_pairs(values, data["forced"])), data)


def _offer(play: Play, v: Vehicle, totals: tuple[int, ...], data: dict[str, Any]) -> None:
    """The values to choose from; one alone applies at once."""
    if len(totals) == 1:
        change(play, v.name, totals[0], data)
        return
    words = f"{v.name} chooses which dice of its Speed check it keeps"
    play.owe(Task("keep", v.name, words, CHECK, {**data, "totals": list(totals)}))


def do_keep(play: Play, action: Action) -> None:
    """The dice that are kept are chosen."""
    task = play.resolve()
    change(play, task.vehicle, int(action.data.get("value", usual_value(task))), dict(task.data))


def usual_value(task: Task) -> int:
    """The value that is meant where none is given: the most when it accelerates, else the least."""
    totals = task.data["totals"]
    return int(max(totals) if task.data["accelerates"] else min(totals))


def spurred(state: GameState, v: Vehicle) -> int:
    """What its Rival adds, while that vehicle is ahead."""
    other = next((o for o in state.racing if o.name == v.rival), None)
    return v.trait("Rival") if other is not None and other.travelled > v.travelled else 0


def modified(v: Vehicle, value: int, bonus: int, *, accelerates: bool) -> int:
    """The Speed check value with what traits, damage effects and special cards add."""
    value += bonus
    if accelerates:
        value += v.amount("accelerating") + v.trait("Hyperactive") - v.trait("Cautious")
    else:
        value += v.amount("decelerating") + v.trait("Lazy") - v.trait("Reckless")
    most = [e.amount for e in v.effects if e.sort == f"most {'ac' if accelerates else 'de'}celeration"]
    return min([value, *most])


def outcome(state: GameState, v: Vehicle, value: int, data: Mapping[str, Any]) -> tuple[Marker, int, str]:
    """Where the Speed marker comes to stand, by how many boxes it over-whips, and that in words."""
    accelerates = bool(data["accelerates"])
    bonus = data["bonus"] + (spurred(state, v) if accelerates else 0)
    total = modified(v, value, bonus, accelerates=accelerates)
    if total < 0 and (v.trait("Cautious") if accelerates else v.trait("Reckless")):
        accelerates, total = not accelerates, -total
    total = max(total, 0)
    many, marker = f"{total} box{'es' * (total != 1)}", Marker(v.speed, v.box, v.brake)
    if not accelerates:
        return decelerated(v.licence, marker, total), 0, f"decelerates by {many}"
    marker, over = accelerated(v.licence, marker, total, v.top)
    words = f"accelerates by {many}" + (f" and over-whips by {over}" if over else "")
    return decelerated(v.licence, marker, over), over, words


def change(play: Play, name: str, value: int, data: dict[str, Any]) -> None:
    """The Speed marker moves; beyond the maximum it is moved back by the difference."""
    marker, over, words = outcome(play.state, play.vehicle(name), value, data)
    play.set_speed(name, marker, words, OVER_WHIPPING if over else CHANGES, always=True)
    play.tell("checked", f"{name} goes at Speed {play.vehicle(name).speed}", RESULT, vehicle=name)
