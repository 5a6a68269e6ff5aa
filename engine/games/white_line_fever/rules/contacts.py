"""What a car met on its way, and what weapons and tokens do to a car beyond their damage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.errors import TableRefError
from engine.game.events import Reason
from engine.game.kit import reading
from engine.game.kit.free_moves import inches_to
from engine.games.white_line_fever.book.data import PLASMA_SELF, RAILGUN_NEXT, Weapon, cite, weapon_called
from engine.games.white_line_fever.rules import displacing
from engine.games.white_line_fever.rules.damage import harm, set_speed
from engine.games.white_line_fever.rules.displacing import COLLISION, collide, leave, stopper
from engine.games.white_line_fever.state import Car, GameState, Play, Token
from engine.measure.contacts import Contact, contacts
from engine.measure.sweep import gaps_along
from engine.motion.recognition import Manoeuvre
from engine.ruling import Verdict
from engine.space.geometry import Pose
from engine.space.table import Standing, TableState, key_of

# What weapons do beyond their damage: to the target on a hit, to their own car hit or miss.

SPECIAL = cite("Shoot Weapon", "Special")
SLAM, PULL, RECOIL = 3.0, 3.0, 2.0
"""Inches that a Slammer pushes, a Harpoon pulls, and a Field Cannon rolls back."""


ON_HIT = ("Nail Blaster", "Long Horn", "Disruptor", "Slammer", "Harpoon", "Railgun", "Grenade Launcher")
"""The weapons whose special happens on a hit."""

ON_SELF = ("Tank Cannon", "Field Cannon")
"""Those whose special happens to their own car, on a miss as well; of the others their line says when."""


def special_words(weapon: Weapon) -> str:
    """What a weapon does besides its damage, and when.

    >>> from engine.games.white_line_fever.book.data import weapon_called
    >>> special_words(weapon_called("Tank Cannon")), special_words(weapon_called("Harpoon"))
    ('hit or miss, the shooter spins out afterwards', 'on a hit, target is pulled 3 in')
    """
    when = "on a hit, " if weapon.name in ON_HIT else "hit or miss, " if weapon.name in ON_SELF else ""
    return f"{when}{weapon.special}"


def on_hit(play: Play, car: Car, target: str, weapon: Weapon, damage: int, reached: Sequence[str]) -> None:
    """A Railgun and a Grenade reach other cars; five weapons do something to a target that still drives."""
    for name in reached:
        amount = RAILGUN_NEXT if weapon.pierces else damage
        harm(play, name, amount, weapon.the, weapon.citation)
    if not play.state.car(target).driving:
        return
    if weapon.name in ("Nail Blaster", "Long Horn", "Disruptor", "Slammer", "Harpoon"):
        tell_special(play, target, weapon)
    match weapon.name:
        case "Nail Blaster":
            speed = play.state.car(target).speed
            set_speed(play, target, max(speed - 1, min(speed, 2)), weapon.citation)
        case "Long Horn":
            displacing.owe_spin(play, target, weapon.citation)
        case "Disruptor":
            displacing.owe_turn(play, target, car.owner, weapon.citation)
        case "Slammer":
            displacing.owe_push(play, target, SLAM, weapon.citation, car.name)
        case "Harpoon":
            displacing.owe_pull(play, target, PULL, weapon.citation, car.name)


def on_self(play: Play, name: str, weapon: Weapon, natural: int) -> None:
    """Three primary weapons do something to their own car."""
    if not play.state.car(name).driving:
        return
    if weapon.name in ("Tank Cannon", "Field Cannon") or (weapon.name == "Plasma Gun" and natural == 1):
        tell_special(play, name, weapon)
    match weapon.name:
        case "Tank Cannon":
            displacing.owe_spin(play, name, weapon.citation)
        case "Field Cannon":
            displacing.owe_shove(play, name, -RECOIL, weapon.citation)
        case "Plasma Gun" if natural == 1:
            harm(play, name, PLASMA_SELF, "its own Plasma Gun", weapon.citation)


def tell_special(play: Play, name: str, weapon: Weapon) -> None:
    """What the weapon's line says, before it happens."""
    what = f"{name} {weapon.special}" if weapon.droppable else weapon.special
    play.tell("special", f"{weapon.name}: {what}", SPECIAL, car=name, weapon=weapon.name)


# Tokens that a car drives over or that are laid under it, and what they do to it.

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


def trigger(play: Play, token_name: str, *names: str) -> None:
    """Cars pass through or cover a token: each suffers its damage and special at once, and it is gone."""
    token = next(t for t in play.state.tokens if t.name == token_name)
    for name in names:
        _suffer(play, token, name)


def _suffer(play: Play, token: Token, name: str) -> None:
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


# Tokens on the way of a manoeuvre: one that ends it or puts the car elsewhere, and those that cost Speed.


@dataclass(frozen=True, eq=False)
class OnTheWay:
    """What tokens make of a manoeuvre.

    `inches` is how far it has to go in all: less where a token cost Speed, but not less than to that token.
    `broken` is the contact with a token at which it is broken off; `beyond` are tokens that lie farther than
    it goes by the book, whatever the hand did. Where it is too close to call whether it met some, `doubtful`
    are their names, and `perhaps` is how far it has to go if it did.
    """

    inches: float
    broken: Contact | None = None
    beyond: tuple[str, ...] = ()
    perhaps: float | None = None
    doubtful: tuple[str, ...] = ()


def on_the_way(
    state: GameState, car: Standing, seen: Manoeuvre, laid: Sequence[Standing],
    said: Mapping[str, bool] = MappingProxyType({}),
) -> OnTheWay:  # fmt: skip
    """The tokens that a car meets on its way, carried out one after the other; `said` settles by name."""
    met = contacts(car, [d.step for d in seen.steps], laid)
    found = [c for c in met if c.verdict is Verdict.YES or said.get(c.other, True)]
    sure = [c for c in found if c.verdict is Verdict.YES or c.other in said]
    plan = _carried_out(state, car, seen, sure)
    doubtful = tuple(c.other for c in found if c not in sure)
    perhaps = _carried_out(state, car, seen, found).inches if doubtful else plan.inches
    return plan if perhaps == plan.inches else replace(plan, perhaps=perhaps, doubtful=doubtful)


def _carried_out(state: GameState, car: Standing, seen: Manoeuvre, found: Sequence[Contact]) -> OnTheWay:
    """What contacts with tokens, in their order, make of a manoeuvre."""
    sheet, inches = state.car(car.name), state.to_drive(car.name)
    met: list[str] = []
    broken: Contact | None = None
    beyond = []
    for contact in found:
        at = inches_to(seen, contact)
        if broken is not None or at > inches + state.house.length_tolerance:
            beyond.append(contact.other)
            continue
        met.append(contact.other)
        if displacer(state, met) or stopper(state, car.name, met):
            broken = contact
            continue
        after = after_tokens(state, sheet, [contact.other])
        if after.speed < sheet.speed:
            inches = max(inches - (sheet.speed - after.speed), at)
        sheet = after
    return OnTheWay(inches, broken, tuple(beyond))


def way_until(way: Sequence[Pose], car: Standing, token: Standing) -> tuple[Pose, ...]:
    """The seen poses of a way before it first reaches a token."""
    if not way:
        return ()
    rows = np.array([(p.x, p.y, p.heading) for p in way])
    there = gaps_along(car, rows, token) <= 0.0
    return tuple(way[: int(there.argmax())] if there.any() else way)


# What a moved or displaced car met: tokens passed over, the edge, contact with cars and obstacles.


def contacts_of(data: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of what a car touched: objects with `other`, or plain names; an `obstacle` without a tag."""
    raw = data.get("contacts") or []
    if not isinstance(raw, list | tuple):
        raise TableRefError(f"contacts: expected a list but got {raw!r}")
    names = [
        c if isinstance(c, str) else reading.text(c, "other") for c in raw if isinstance(c, str | Mapping)
    ]
    if len(names) < len(raw):
        raise TableRefError(f"contacts: expected names or objects with `other` but got {raw!r}")
    untagged = reading.maybe_text(data, "obstacle")
    return tuple(dict.fromkeys([*names, *([untagged] if untagged else [])]))


def called(state: GameState, name: str) -> str:
    """A name as the game spells it, if it is a car's."""
    return next((c.name for c in state.cars if key_of(c.name) == key_of(name)), name)


def kinds_of(data: Mapping[str, Any]) -> dict[str, str]:
    """By name, how a contact was (head-on, T-bone, shunt, sideswipe), where that was said."""
    raw = [c for c in data.get("contacts") or [] if isinstance(c, Mapping)]
    return {reading.text(c, "other"): reading.text(c, "kind") for c in raw if c.get("kind")}


def contacts_json(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The contacts as an event keeps them."""
    kinds = kinds_of(data)
    return [{"other": name, "kind": kinds.get(name)} for name in contacts_of(data)]


def check_met(
    state: GameState, name: str, data: Mapping[str, Any], table: TableState | None = None
) -> list[Reason]:
    """Whether what a car is said to have met can be."""
    reasons = []
    contacts = [called(state, other) for other in contacts_of(data)]
    if name in contacts:
        reasons.append(Reason(f"{name} cannot touch itself", COLLISION))
    for other in contacts:
        car = next((c for c in state.cars if c.name == other), None)
        if car is not None and car.status in ("removed", "waiting"):
            reasons.append(Reason(f"{other} is not on the table", COLLISION))
    for contact in data.get("contacts") or []:
        if isinstance(contact, Mapping):
            reading.only(contact, ("other", "kind"), "a contact")
    reasons += _unknown(state, data, table)
    if contacts and reading.flag(data, "left_surface"):
        words = f"{name} stops at what it touches and cannot leave the surface too"
        reasons.append(Reason(words, COLLISION, open=True))
    on_table = {t.name for t in state.tokens}
    for token in reading.names(data, "triggered"):
        if token not in on_table:
            there = ", ".join(sorted(on_table)) or "none"
            words = f"no token called {token} lies on the table; there: {there}"
            reasons.append(Reason(words, TRIGGER, open=True))
    return reasons


def _unknown(state: GameState, data: Mapping[str, Any], table: TableState | None) -> list[Reason]:
    """Names of contacts that nothing on the table has: misspelt, or an obstacle without a tag."""
    if table is None:
        return []
    known = list(dict.fromkeys([*(c.name for c in state.cars), *(s.name for s in table.standings)]))
    reasons = []
    for name in contacts_of({"contacts": data.get("contacts")}):
        try:
            reading.known_name(name, known, "contacts")
        except TableRefError as error:
            words = f"{error}; an obstacle without a tag is named as `obstacle`"
            reasons.append(Reason(words, COLLISION, open=True))
    return reasons


def meet(play: Play, name: str, data: Mapping[str, Any], *, under_way: bool) -> None:
    """Carry out what a car met on its way: tokens, then the edge or the contact at which it stopped.

    A destroyed car goes no farther, nor does one `under_way`, driven or pushed, that a token has stopped.
    """
    triggered = reading.names(data, "triggered")
    last = stopper(play.state, name, triggered) if under_way else None
    for token in triggered:
        # A token that nobody laid is one that the players have let pass.
        if any(t.name == token for t in play.state.tokens):
            trigger(play, token, name)
        if token == last or not play.state.car(name).driving:
            return
    if reading.flag(data, "left_surface"):
        leave(play, name)
    elif contacts := dict.fromkeys(called(play.state, other) for other in contacts_of(data)):
        cars = [n for n in contacts if play.state.is_car(n)]
        obstacles = [n for n in contacts if not play.state.is_car(n)]
        kinds = {called(play.state, other): kind for other, kind in kinds_of(data).items()}
        collide(play, [name, *cars], obstacles, kinds)
