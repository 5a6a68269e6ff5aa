"""Shooting a weapon: target, declared modifiers, Accuracy, damage, and every weapon's special."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.game.events import Action, Reason
from engine.game.kit import reading
from engine.games.white_line_fever.acts.rounds import in_round, tell_answer
from engine.games.white_line_fever.book.data import BLAST, Weapon, cite, weapon_called
from engine.games.white_line_fever.rules import shots
from engine.games.white_line_fever.rules.contacts import on_hit, on_self
from engine.games.white_line_fever.rules.damage import EXPLODING, blast, blast_due, doubts, harm
from engine.games.white_line_fever.rules.shots import Facts
from engine.games.white_line_fever.state import Car, GameState, Play, Round
from engine.space.table import TableState

ACTION = cite("Maneuvers", "Action")
TO_HIT = cite("Shoot Weapon", "To Hit")


def mounted(car: Car, name: str) -> Weapon | None:
    """A car's weapon of that name, if it carries it."""
    weapon = weapon_called(name)
    return weapon if weapon.name in (car.primary, car.secondary) else None


def unusable(turn: Round, car: Car, weapon: Weapon) -> list[Reason]:
    """Why a mounted weapon cannot be shot now, whoever the target is."""
    reasons = []
    if turn.acted:
        reasons.append(Reason("this Maneuver's action has been performed", ACTION))
    if weapon.droppable:
        reasons.append(Reason(f"{weapon.name} is dropped, not shot", cite("Drop Weapon")))
    if weapon.name in car.spent:
        reasons.append(Reason(f"{car.name}'s {weapon.name} is spent: once per game", weapon.citation))
    if weapon.name == "Shock Gun" and turn.manoeuvre > 1:
        reasons.append(Reason("the Shock Gun shoots on the first Maneuver only", weapon.citation))
    return reasons


def check_shoot(state: GameState, action: Action, table: TableState | None) -> list[Reason]:
    """A mounted weapon against an enemy car in play that the table, or the players, say is a lawful target.

    Data: `weapon`, `target`, `apply` ("accuracy" or "damage": where the modifiers go). What the table does
    not know is typed: `band` ("short", "maximum" or "out"), `tailgate`, `sight`, `arc`, and for some weapons
    `reached`, the other cars within a Grenade's burst or the next in a Railgun's line. Whatever is typed
    counts instead of what the table says of it. `ruled` settles what is too close to call: "yes" or "no" for
    all of it, or an object of check names, which also overrides sure measurements. A condition that is ruled
    "no" is recorded, and the shot is not taken.
    """
    turn, reasons = in_round(state, action, ("free",), ACTION)
    if turn is None or turn.car is None:
        return reasons
    car, target = state.car(turn.car), state.car(reading.text(action.data, "target"))
    reading.one_of(action.data, "apply", shots.APPLY, "accuracy", "Modifiers go to")
    name = reading.text(action.data, "weapon")
    weapon = mounted(car, name)
    if weapon is None:
        return [*reasons, Reason(f"{car.name} carries no {weapon_called(name).name}", cite("Weapons"))]
    reasons += unusable(turn, car, weapon)
    if target.owner == car.owner:
        return [*reasons, Reason(f"{target.name} is {target.owner}'s own car", shots.TARGET)]
    if not target.driving:
        return [*reasons, Reason(f"{target.name} is destroyed", cite("Destroying a Car"))]
    if weapon.droppable:
        return reasons
    return [*reasons, *shots.facts(state, action, table, car, target, weapon).doubts]


def table_says(state: GameState, action: Action, table: TableState | None) -> dict[str, Any]:
    """What the table surely answers of how the cars of a shot stand, of what may be typed."""
    turn = state.round
    if turn is None or turn.car is None:
        return {}
    car, target = state.car(turn.car), state.car(reading.text(action.data, "target"))
    return shots.answered(
        state, action, table, car, target, weapon_called(reading.text(action.data, "weapon"))
    )


@dataclass(frozen=True)
class Modifier:
    """What changes a shot: by how much, and whether its Accuracy or its damage."""

    name: str
    amount: int
    to: str
    citation: str

    @property
    def words(self) -> str:
        """For people: `Short Range +1 Accuracy`."""
        return f"{self.name} {self.amount:+d} {'Accuracy' if self.to == 'accuracy' else self.to}"


def modifiers(weapon: Weapon, short: bool, tailgate: bool, apply_to: str) -> tuple[Modifier, ...]:
    """The modifiers of a shot, declared to go to accuracy or to damage.

    A weapon's own "always" modifiers stay where its line puts them.

    >>> [m.words for m in modifiers(weapon_called("Streetsweeper"), True, False, "damage")]
    ['Short Range +1 damage', 'Streetsweeper +2 Accuracy']
    """
    found = []
    if short:
        found.append(Modifier("Short Range", 1, apply_to, f"{shots.MODIFIERS} · Short Range"))
    if tailgate:
        found.append(Modifier("Tailgate", 1, apply_to, f"{shots.MODIFIERS} · Tailgate"))
    if weapon.name == "Streetsweeper":
        found.append(Modifier(weapon.name, 2 if short else -1, "accuracy", weapon.citation))
    if weapon.name == "Plinker":
        found.append(Modifier(weapon.name, -1, "accuracy", weapon.citation))
    if weapon.name == "Dirtnap" and tailgate:
        found.append(Modifier(weapon.name, 1, "damage", weapon.citation))
    return tuple(found)


def added(mods: Sequence[Modifier], to: str) -> int:
    """What the modifiers add to accuracy or to damage."""
    return sum(m.amount for m in mods if m.to == to)


def do_shoot(play: Play, action: Action) -> None:
    """Declare, roll, hit or miss, damage, special."""
    car = play.state.car(play.round.car or "")
    target = play.state.car(reading.text(action.data, "target"))
    weapon = weapon_called(reading.text(action.data, "weapon"))
    found = shots.facts(play.state, action, play.table, car, target, weapon)
    for question, answer, rule in found.rulings:
        tell_answer(play, action, question, answer, rule)
    if found.refused:
        return
    mods = _declare(play, action, car, target, weapon, found)
    damage = weapon.damage + added(mods, "damage")
    accuracy = added(mods, "accuracy")
    roll = play.roll(8, f"to hit {target.name} at Speed {target.speed}", TO_HIT, car.name)
    hit = roll.value + accuracy >= target.speed
    against = f"{roll.value}{f' {accuracy:+d}' if accuracy else ''} against Speed {target.speed}"
    play.tell(
        "hit" if hit else "missed",
        f"{car.name} {'hits' if hit else 'misses'} {target.name}: {against}",
        TO_HIT, car=car.name, target=target.name, rolled=roll.value, accuracy=accuracy,
    )  # fmt: skip
    if hit:
        harm(play, target.name, damage, weapon.the, cite("Shoot Weapon", "Damage"))
        on_hit(play, car, target.name, weapon, damage, found.reached)
    on_self(play, car.name, weapon, roll.value)


def _declare(
    play: Play, action: Action, car: Car, target: Car, weapon: Weapon, found: Facts
) -> tuple[Modifier, ...]:
    """The target with what makes it lawful, the weapon, and every modifier, before any die."""
    words = f"{target.name} is a legal target"
    if found.typed:
        seen = ", ".join(name for name in found.typed if name != "Short Range")
        words += f" ({seen}: players' ruling)" if found.checks else " (players' ruling)"
    play.tell(
        "target", words, shots.TARGET,
        car=car.name, target=target.name, typed=bool(found.typed), short=found.short, tailgate=found.tailgate,
        checks=list(found.checks),
    )  # fmt: skip
    spent = [*car.spent, weapon.name] if weapon.name == "Mark 9 Javelin" else list(car.spent)
    play.tell(
        "shot", f"{car.name} shoots at {target.name} with {weapon.the}", weapon.citation,
        car=car.name, target=target.name, weapon=weapon.name, reached=list(found.reached), spent=spent,
    )  # fmt: skip
    apply_to = reading.one_of(action.data, "apply", shots.APPLY, "accuracy", "Modifiers go to")
    mods = modifiers(weapon, found.short, found.tailgate, apply_to)
    if car.brand == "Venus" and found.checks:
        words = f"{car.name} is a Venus: +{shots.VENUS_RANGE:g} in to both ranges"
        play.tell(
            "modified", words, cite("Brands", "Venus"), car=car.name, amount=shots.VENUS_RANGE, to="range"
        )
    for mod in mods:
        play.tell("modified", mod.words, mod.citation, car=car.name, amount=mod.amount, to=mod.to)
    return mods


def check_blast(state: GameState, action: Action, _table: TableState | None) -> list[Reason]:
    """Those surely reached must be among the named, those surely not reached must not."""
    duty = blast_due(state)
    if duty is None:
        return [Reason("no explosion is to be settled", EXPLODING)]
    named = {state.car(n).name for n in reading.names(action.data, "cars")}
    sure = {n for n in duty.sure if state.car(n).driving}
    maybe = sure | set(doubts(state, duty))
    reasons = [
        Reason(f"{n} is within {BLAST:g} in of {duty.car}", EXPLODING, open=True)
        for n in sorted(sure - named)
    ]
    for name in sorted(named - maybe):
        in_play = state.car(name).driving
        words = f"{name} is not within {BLAST:g} in of {duty.car}" if in_play else f"{name} is not in play"
        reasons.append(Reason(words, EXPLODING, open=in_play and name != duty.car))
    return reasons


def do_blast(play: Play, action: Action) -> None:
    """The players say whom the explosion reaches."""
    duty = blast_due(play.state)
    assert duty is not None
    blast(play, duty, [play.state.car(n).name for n in reading.names(action.data, "cars")])
