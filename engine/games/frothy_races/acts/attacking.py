"""Attacks: whom, with which cards, and what follows from what was rolled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from engine.errors import TableRefError
from engine.game.about import house
from engine.game.dice import Want, icons
from engine.game.events import Action, JsonObject
from engine.games.frothy_races.acts.moving import Played, picked, play_cards, special_played
from engine.games.frothy_races.acts.moving import rolled_again as checking_rolled_again
from engine.games.frothy_races.book.data import ICONS, NUMBERS, cite, rated
from engine.games.frothy_races.rules import control, damage
from engine.games.frothy_races.rules.control import Outcome
from engine.games.frothy_races.rules.moves import control_task, half, neighbours
from engine.games.frothy_races.state import Attack, GameState, Play, Task, Vehicle
from engine.ruling import many

# Attacks: who may be attacked, cards chosen in secret, dice, and what the loser suffers.

ATTACKS = cite("Attacks")
PERFORMING = cite("Attacks", "Performing the Attack")
OUTCOME = cite("Attacks", "Attack Outcome")
BEST = house("An attack keeps the two highest dice")

Sort = Literal["personal", "vehicle"]
SORTS: tuple[Sort, ...] = ("personal", "vehicle")
FACE = {"personal": "whip", "vehicle": "reins"}

DICE = {"personal": ("Cat O' Nine", "Shield"), "vehicle": ("Tank", "Armoured")}
"""The traits that add dice: of the attacker, of the target."""

AGAIN = {"personal": ("Frenzied", "Guarded"), "vehicle": ("Persistent", "Evasive")}
"""The traits with which dice are rolled again: of the attacker, of the target."""

PLUS = {"personal": ("Whiplash", ""), "vehicle": ("Blades", "")}
MINUS = {"personal": "Thin Skin", "vehicle": "Flimsy"}
LUCK = {"personal": ("Lady Luck", "Ill Fate"), "vehicle": ("Fortune Smiles", "Unlucky Charm")}
"""The traits that win and lose a tie by 1."""


def counts_as(v: Vehicle, sort: str, *, begins: bool) -> tuple[str, ...]:
    """The sides of cards that may be used."""
    if sort == "vehicle" and begins and v.trait("Snapper"):
        return ("reins", "whip")
    return (FACE[sort],)


def targets(state: GameState, v: Vehicle, sort: str) -> tuple[Vehicle, ...]:
    """Who may be attacked: in a space to the side, for a Savage also in front; never of one's own team."""
    rules = state.rules
    if rules.friendly or (rules.truce and state.round == 1):
        return ()
    if not any(v.hand(face) for face in counts_as(v, sort, begins=True)):
        return ()
    arcs = ("side", "front") if sort == "vehicle" and v.trait("Savage") else ("side",)
    return tuple(o for o, arc in neighbours(state, v) if arc in arcs and not state.allied(v, o))


def sneaks(state: GameState) -> tuple[tuple[Vehicle, Vehicle], ...]:
    """Who may attack the vehicle whose turn it is, with that vehicle: the Sneaky ones beside it."""
    turn = state.turn
    if turn is None or turn.lost or not state.vehicle(turn.vehicle).races:
        return ()
    mover = state.vehicle(turn.vehicle)
    rules = state.rules
    if rules.friendly or (rules.truce and state.round == 1):
        return ()
    return tuple(
        (o, mover)
        for o, _ in neighbours(state, mover)
        if o.trait("Sneaky") and o.hand("whip") and not state.allied(o, mover)
    )


def do_attack(play: Play, action: Action) -> None:
    """An attack is declared; cards are chosen next."""
    name, target, sort = (str(action.data[k]) for k in ("vehicle", "target", "sort"))
    words = f"{name} attacks {target}: a {sort} attack"
    play.tell("attacked", words, ATTACKS, vehicle=name, target=target, sort=sort)
    attack = play.state.attack
    assert attack is not None


def chooses(state: GameState, attack: Attack) -> tuple[Vehicle, ...]:
    """Who chooses cards: the attacker, and a target that has any."""
    target = state.vehicle(attack.target)
    return (state.vehicle(attack.attacker), *([target] if target.hand(FACE[attack.sort]) else []))


def do_clash(play: Play, action: Action) -> None:
    """The cards are revealed, dice are rolled, the loser suffers."""
    attack = play.state.attack
    assert attack is not None
    said: Mapping[str, Any] = action.data["choices"]
    one, other = play.vehicle(attack.attacker), play.vehicle(attack.target)
    played = {}
    for v in (one, other):
        faces = counts_as(v, attack.sort, begins=v is one)
        played[v.name] = picked(v, said.get(v.owner, {}), faces)
        play_cards(play, v.name, played[v.name], f"{attack.sort} attack")
    rolls = _rolls(play, attack, played)
    uses = {one.name: "attack", other.name: "defence"}
    bonus = {n: played[n].bonus(f"{attack.sort} {use}") for n, use in uses.items()}  # type: ignore[arg-type]
    _compare(play, attack, {"rolls": rolls, "bonus": bonus, "asked": []})


def attack_rolled_again(play: Play, task: Task, dice: list[str]) -> None:
    """The attack goes on with these dice of one of the two; it is off where one of them is out by now."""
    attack = play.state.attack
    if attack is not None:
        data = task.data["attack"]
        rolls = {**data["rolls"], task.vehicle: [int(d) for d in dice]}
        _compare(play, attack, {**data, "rolls": rolls})


def _compare(play: Play, attack: Attack, data: Mapping[str, Any]) -> None:
    """Each may roll dice again; then the Attack Values are compared."""
    one, other = play.vehicle(attack.attacker), play.vehicle(attack.target)
    for v, trait in zip((one, other), AGAIN[attack.sort], strict=True):
        if v.name not in data["asked"]:
            data = {**data, "asked": [*data["asked"], v.name]}
            what = f"{attack.sort} attack of {attack.attacker}"
            again = damage.reroll_task(v, data["rolls"][v.name], trait, "attack", what, attack=data)
            if again is not None:
                play.owe(again)
                return
    values = _values(play, attack, data)
    words = f"{one.name} has {values[0]}, {other.name} {values[1]}"
    play.tell(
        "clashed", f"Attack Values: {words}", cite("Attacks", "Attack Result"), vehicle=one.name,
        target=other.name, values=list(values),
    )  # fmt: skip
    _outcome(play, attack, values)


def _rolls(play: Play, attack: Attack, played: Mapping[str, Played]) -> dict[str, list[int]]:
    """What the dice of attacker and target show, by vehicle."""
    names, sort = (attack.attacker, attack.target), attack.sort
    wants: list[Want] = []
    for k, name in enumerate(names):
        v = play.vehicle(name)
        count = 1 + len(played[name].cards) + v.trait(DICE[sort][k])
        wants += [icons(NUMBERS, f"{sort} attack of {attack.attacker}", v.owner)] * count
    faces = [int(r.face) for r in play.rolls(wants, BEST, names)]
    first = 1 + len(played[names[0]].cards) + play.vehicle(names[0]).trait(DICE[sort][0])
    return {names[0]: faces[:first], names[1]: faces[first:]}


def _values(play: Play, attack: Attack, data: Mapping[str, Any]) -> tuple[int, int]:
    """The Attack Values of attacker and target."""
    found = []
    for k, name in enumerate((attack.attacker, attack.target)):
        v = play.vehicle(name)
        plus = v.trait(PLUS[attack.sort][k]) if PLUS[attack.sort][k] else 0
        minus = v.trait(MINUS[attack.sort]) if k else 0
        best = sum(sorted(data["rolls"][name])[-2:])
        found.append(max(best + data["bonus"][name] + plus - minus, 0))
    return found[0], found[1]


def _outcome(play: Play, attack: Attack, values: tuple[int, int]) -> None:
    """The loser, or both where the values tie, suffer what the sort of attack says."""
    one, other = play.vehicle(attack.attacker), play.vehicle(attack.target)
    by = abs(values[0] - values[1])
    losers = [other] if values[0] > values[1] else [one] if values[0] < values[1] else [one, other]
    if len(losers) == 2:
        by = values[0]
        lucky = _lucky(one, other, attack.sort)
        if lucky is not None:
            losers, by = [lucky], 1
    for loser in losers:
        winner = other if loser is one else one
        _suffers(play, attack, loser, winner, by)


def _lucky(one: Vehicle, other: Vehicle, sort: str) -> Vehicle | None:
    """Who loses a tie by a trait of either; None where none or both have one."""
    wins, loses = LUCK[sort]
    luck = {v.name: v.trait(wins) - v.trait(loses) for v in (one, other)}
    if luck[one.name] == luck[other.name]:
        return None
    return other if luck[one.name] > luck[other.name] else one


def _suffers(play: Play, attack: Attack, loser: Vehicle, winner: Vehicle, by: int) -> None:
    mover = play.vehicle(attack.attacker)
    initiated = loser.name == attack.attacker
    if attack.sort == "vehicle":
        dice = by + half(winner.speed)
        if dice <= 0:
            return
        slide: dict[str, Any] = {"heading": mover.facing, "side": mover.side, "initiated": initiated}
        play.owe(
            damage.damage_task(loser.name, dice, "vehicle attack", OUTCOME, settles=True, by=winner.name),
            control_task(loser.name, "vehicle attack", hurt=True, **slide),
        )
        return
    play.add_control(loser.name, by, "personal attack")
    heading: dict[str, Any] = {"heading": loser.facing, "side": loser.side, "initiated": initiated}
    play.owe(control_task(loser.name, "personal attack", **heading))


# What players choose of what is owed: cards and discards of a Control roll, facings, special cards.

SPECIALS = cite("Whip & Reins")
RECOVERY = cite("Maintenance Checks", "Card Recovery")
NOTHING = "nothing"


def do_control(play: Play, action: Action) -> None:
    """Cards are played, then the dice of a Control roll are rolled."""
    task = play.state.agenda[0]
    v = play.vehicle(task.vehicle)
    played = picked(v, action.data)
    play_cards(play, v.name, played, "Control roll")
    control.roll_control(play, len(played.cards), played.bonus("control"))


def discard_value(outcome: Outcome) -> str:
    """What is discarded, as the value of an input."""
    return ", ".join(outcome.discarded) or NOTHING


def do_discard(play: Play, action: Action) -> None:
    """The dice that are discarded are chosen; the rest takes effect."""
    found = control.choices(play.state, play.state.agenda[0])
    out = next(o for o in found if discard_value(o) == action.data.get("discard", discard_value(found[0])))
    control.suffer(play, play.resolve(), out)


def do_special(play: Play, action: Action) -> None:
    """A special card is played once the dice of a Control roll lie."""
    task, special = play.state.agenda[0], str(action.data["card"])
    icons = list(task.data["icons"])
    if special == "Cool":
        icons = [i for i in icons if i != action.data["icon"]]
    else:
        icons = control.swapped(icons, control.TURNED[special])
    special_played(play, task.vehicle, special)
    control.lie(play, icons)
    control.chosen(play)


def icons_there(icons: list[str]) -> tuple[str, ...]:
    """The icons that show, in the book's order."""
    return tuple(i for i in ICONS if i in icons)


def do_face(play: Play, action: Action) -> None:
    """It is turned so that it may pass; where 30° are too little, its Speed becomes 0."""
    task = play.resolve()
    v = play.vehicle(task.vehicle)
    found, stops = control.facings(play.state, v)
    facing = int(action.data.get("facing", found[0]))
    if facing != v.facing:
        words = f"{v.name} is turned so as to pass {task.data['into']}"
        play.tell("turned", words, control.PASSING, vehicle=v.name, facing=facing, ends=False)
    if stops:
        play.set_speed(v.name, rated(v.licence, play.marker(v.name), 0), "stopped", control.PASSING)


def do_survive(play: Play, action: Action) -> None:
    """Survivor rolls the Damage roll again, or what was rolled counts."""
    task = play.resolve()
    if not action.data.get("play", True):
        damage.sustain(play, task, task.data["points"])
        return
    special_played(play, task.vehicle, "Survivor")
    again = {k: value for k, value in task.data.items() if k != "points"}
    why = f"{again['why']}, again"
    damage.do_damage(
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

THEN: Mapping[str, Callable[[Play, Task, list[str]], None]] = {
    "check": checking_rolled_again,
    "control": control.rolled_again,
    "attack": attack_rolled_again,
    "damage": damage.counted_again,
}
"""What goes on once the dice lie, by the roll that they are of."""


def most(task: Task, v: Vehicle) -> int:
    """How many dice may be rolled again: by a trait, and by a card."""
    return min(len(task.data["dice"]), int(task.data["free"]) + damage.by_card(v))


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
        special_played(play, v.name, damage.LUCKY)
    for k, face in zip(again, _faces(play, task, v, len(again)), strict=True):
        dice[k - 1] = str(face)
    THEN[task.data["then"]](play, task, dice)


def _faces(play: Play, task: Task, v: Vehicle, count: int) -> tuple[str | int, ...]:
    """What so many dice show now, as the roll asks."""
    what = f"{task.data['what']}, again"
    if task.data["then"] == "damage":
        return play.counted(v, count, what, damage.REROLLS, damage.hurting(v.resilience))
    roll = play.icons if task.data["then"] == "control" else play.numbers
    return tuple(roll(v, count, what, damage.REROLLS))
