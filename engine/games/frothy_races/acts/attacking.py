"""Attacks: who may be attacked, cards chosen in secret, dice, and what the loser suffers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from engine.game.about import house
from engine.game.dice import Want, icons
from engine.game.events import Action
from engine.games.frothy_races.acts.cards import Played, picked, play_cards
from engine.games.frothy_races.book.data import NUMBERS, cite
from engine.games.frothy_races.rules.damage import damage_task, reroll_task
from engine.games.frothy_races.rules.entering import control_task, half
from engine.games.frothy_races.rules.moves import neighbours
from engine.games.frothy_races.state.fold import Play
from engine.games.frothy_races.state.game_state import Attack, GameState, Task, Vehicle

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


def rolled_again(play: Play, task: Task, dice: list[str]) -> None:
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
            again = reroll_task(v, data["rolls"][v.name], trait, "attack", what, attack=data)
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
            damage_task(loser.name, dice, "vehicle attack", OUTCOME, settles=True, by=winner.name),
            control_task(loser.name, "vehicle attack", hurt=True, **slide),
        )
        return
    play.add_control(loser.name, by, "personal attack")
    heading: dict[str, Any] = {"heading": loser.facing, "side": loser.side, "initiated": initiated}
    play.owe(control_task(loser.name, "personal attack", **heading))
