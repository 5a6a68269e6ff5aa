"""Modifiers, hit points, wrecks, and vehicles out of control."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.game.about import house
from engine.game.dice import Want
from engine.games.shattered_highways.book import data as book
from engine.games.shattered_highways.book.data import Part, Side
from engine.games.shattered_highways.state import (
    ROLLED,
    Duty,
    GameState,
    Modifier,
    Play,
    Roller,
    Vehicle,
    Warrior,
    due,
    wreck_words,
)
from engine.ruling import signed

# What adds to a roll or to damage; every modifier has a name and its rule.

CHANGED = Modifier("changed position this round", -1, book.cite("Change"))
TAKEN_OVER = Modifier("took over driving this round", -1, book.cite("Driver Actions"))
CLUNG = Modifier("held on this round", -1, book.cite("All Warrior Actions"))
CHAINS = Modifier("behind Drag Chains", -1, book.cite("Vehicle Add-ons", "Drag Chains"))
LEAP = Modifier("leaps off a wreck", -1, book.cite("Destroyed!"))
AIMED = Modifier("aims at one half of a Rig", -1, book.cite("Shoot"))
HIDDEN = Modifier("leaves a destroyed Rig", -1, book.cite("Rig-only Add-ons", "Hidden Buggy"))
OUT_OF_CONTROL = Modifier("veers into it", -1, book.cite("Lost Control"))
FALLS_BACK = Modifier("meets an unmanned vehicle", -1, book.cite("Driver Actions"))


def rolls_for(
    warrior: Warrior, *more: Modifier, data: Mapping[str, Any] | None = None, driving: bool = False
) -> Roller:
    """A warrior's skill die with what modifies it; `data` may say that the vehicle is in dust."""
    own = []
    if warrior.changed:
        own.append(TAKEN_OVER if driving else CHANGED)
    if warrior.clung:
        own.append(CLUNG)
    if data is not None and data.get("dust"):
        own.append(CHAINS)
    return Roller(warrior.name, warrior.die, warrior.owner, warrior.vehicle, (*own, *more))


def drives(state: GameState, name: str, *more: Modifier, data: Mapping[str, Any] | None = None) -> Roller:
    """Whoever drives a vehicle rolls; for one that nobody drives its player rolls a D6 (house default)."""
    driver = state.driver(name)
    if driver is not None:
        return rolls_for(driver, *more, data=data, driving=True)
    return Roller(name, book.FODDER_DIE, state.vehicle(name).control, name, more)


def defends(state: GameState, name: str) -> Roller:
    """The driver of a vehicle that is nudged or rammed: the die alone, for it is no action of theirs."""
    driver = state.driver(name)
    if driver is None:
        return Roller(name, book.FODDER_DIE, state.vehicle(name).control, name)
    return Roller(driver.name, driver.die, driver.owner, name)


def bonus(attacker: Vehicle, target: Vehicle) -> tuple[Modifier, ...]:
    """What an attacker's class adds to its ram damage against the target's class."""
    if target.kind not in attacker.cls.against:
        return ()
    words = f"a {attacker.kind} rams a {target.kind}"
    return (Modifier(words, attacker.cls.bonus, attacker.cls.citation),)


def armour(vehicle: Vehicle, side: Side | None) -> tuple[Modifier, ...]:
    """What armor on that side takes off the damage of a Nudge or Ram."""
    if side is None or side not in vehicle.armour:
        return ()
    return (Modifier(f"armor on the {side} of {vehicle.name}", -1, book.cite("Vehicle Add-ons", "Armor")),)


def struck_part(vehicle: Vehicle, side: Side, said: Part = "") -> Part:
    """The half of a Rig that is touched: as said, else its front is the tractor and the rest the trailer."""
    if not vehicle.is_rig:
        return ""
    if vehicle.trailer is None:
        return "tractor"
    return said or ("tractor" if side == "front" else "trailer")


# Hit points, and what becomes of a vehicle that has none left.

DESTROYED = book.cite("Destroyed!")
HIDDEN_BUGGY = book.cite("Rig-only Add-ons", "Hidden Buggy")
EDGE = book.cite("Move")


def harm(
    play: Play, name: str, amount: int, cause: str, citation: str, *,
    part: Part = "", modifiers: Iterable[Modifier] = (),
) -> None:  # fmt: skip
    """Damage to a vehicle, with the modifiers that count for it, and what follows.

    Damage to a Rig is split between its halves unless it is to one `part`; the odd point is the trailer's.
    """
    vehicle = play.state.vehicle(name)
    if not vehicle.in_play:
        return
    for modifier in modifiers if amount > 0 else ():
        play.modified(modifier, f"damage to {name}", name)
        amount += modifier.by
    if amount <= 0:
        return
    hits, trailer = _left(vehicle, amount, part)
    left = f"{hits} left" if trailer is None else f"tractor {hits} and trailer {trailer} left"
    play.tell(
        "damaged", f"{name} takes {amount} damage from {cause}, {left}", citation,
        vehicle=name, amount=amount, part=part, hits=hits, trailer=trailer, cause=cause,
    )  # fmt: skip
    if hits == 0:
        destroy(play, name)
    elif trailer == 0 and vehicle.trailer:
        words = f"the trailer of {name} is destroyed: it has to be decoupled"
        play.tell("trailer lost", words, DESTROYED, vehicle=name)


def _left(vehicle: Vehicle, amount: int, part: Part) -> tuple[int, int | None]:
    """The hit points that are left; what one half of a Rig cannot take is lost (house default)."""
    if not vehicle.trailer or part == "tractor":
        return max(0, vehicle.hits - amount), vehicle.trailer
    if part == "trailer":
        return vehicle.hits, max(0, vehicle.trailer - amount)
    return max(0, vehicle.hits - amount // 2), max(0, vehicle.trailer - (amount + 1) // 2)


def destroy(play: Play, name: str) -> None:
    """It is destroyed: who is on it may leap, who drives behind it has to veer."""
    play.tell("gone", f"{name} is destroyed", DESTROYED, vehicle=name, status="destroyed", hits=0)
    _hidden_breaks_out(play, name)
    _abandon(play, name, "", DESTROYED)


def wreck_trailer(play: Play, name: str) -> None:
    """A decoupled trailer falls back as a wreck of its own."""
    on_it = [w.name for w in play.state.aboard(name, "trailer")]
    play.tell("uncoupled", f"the trailer of {name} falls back", DESTROYED, vehicle=name)
    _hidden_breaks_out(play, name, "trailer")
    for who in on_it:
        play.tell(
            "seated", f"{who} clings to the wreck of the trailer", DESTROYED,
            warrior=who, vehicle=name, seat=None, part="trailer", changed=False,
        )  # fmt: skip
    _abandon(play, name, "trailer", DESTROYED)


def _abandon(play: Play, name: str, part: Part, citation: str) -> None:
    """Leaps off a wreck, or a part of it, and the drivers behind it."""
    others = play.state.in_play() if part else play.state.in_play(name)
    for warrior in play.state.aboard(name, part):
        if not others:
            leave(play, warrior.name, f"{warrior.name} is left with the wreck", citation)
            continue
        duty = Duty("leap", name, citation, by=warrior.owner, warrior=warrior.name, part=part)
        play.owe(duty, f"{warrior.name} may leap off {wreck_words(name, part)}")
    if play.state.in_play(name):
        words = f"who is straight behind {wreck_words(name, part)} has to veer"
        play.owe(Duty("wreck", name, citation, part=part), words)


def _hidden_breaks_out(play: Play, rig: str, part: Part = "") -> None:
    """The Buggy in a destroyed Rig leaves it with a Drive roll at −1, or is destroyed with it."""
    for buggy in [v for v in play.state.vehicles if v.hidden_in == rig and v.status == "hidden"]:
        driver = play.state.driver(buggy.name)
        if driver is not None:
            rolled = play.uncontested(rolls_for(driver, HIDDEN), f"Drive, {book.MOVED}+", HIDDEN_BUGGY)
            if rolled.total >= book.MOVED:
                launched(play, buggy.name, rig)
                continue
        words = f"{buggy.name} is destroyed with {wreck_words(rig, part)}"
        drop(play, buggy.name, words, HIDDEN_BUGGY, "destroyed")


def launched(play: Play, name: str, rig: str) -> None:
    """A Hidden Buggy drives out of its trailer."""
    play.tell("launched", f"{name} leaves the trailer of {rig}", HIDDEN_BUGGY, vehicle=name, other=rig)
    duty = Duty("deployed", name, HIDDEN_BUGGY, by=play.state.vehicle(name).control, other=rig)
    play.owe(duty, f"{name} has to be put down behind {rig}")


def drop(play: Play, name: str, words: str, citation: str, status: str = "gone") -> None:
    """A vehicle is out of the fight with everybody on it, and with a Buggy that is hidden in it."""
    hits = 0 if status == "destroyed" else play.state.vehicle(name).hits
    play.tell("gone", words, citation, vehicle=name, status=status, hits=hits)
    for warrior in play.state.aboard(name):
        leave(play, warrior.name, f"{warrior.name} is out of the fight with {name}", citation)
    for buggy in [v for v in play.state.vehicles if v.hidden_in == name and v.status == "hidden"]:
        drop(play, buggy.name, f"{buggy.name} is left behind in {name}", citation, status)


# Warriors

FODDER = book.cite("Cannon Fodder")
HEROES = book.cite("Heroes")


def wound(play: Play, name: str, amount: int, cause: str) -> None:
    """More damage than their Tenacity and they are out; a hero's is 2D6, rolled for each attack."""
    warrior = play.state.warrior(name)
    if warrior.out:
        return
    tenacity, rule = book.TENACITY, FODDER
    if warrior.hero:
        wants = [Want(6, f"Tenacity of {name}", by=warrior.owner)] * 2
        tenacity, rule = sum(roll.value for roll in play.rolls(wants, HEROES, [warrior.vehicle])), HEROES
    words = f"{amount} damage from {cause} against Tenacity {tenacity}"
    if amount > tenacity:
        leave(play, name, f"{name} is too injured to fight: {words}", rule)
        return
    play.tell(
        "shrugged", f"{name} shrugs it off: {words}", rule, warrior=name, amount=amount, tenacity=tenacity
    )


def leave(play: Play, name: str, words: str, citation: str) -> None:
    """A warrior is out of the fight for good."""
    warrior: Warrior = play.state.warrior(name)
    play.tell("out", words, citation, warrior=name, vehicle=warrior.vehicle)


# Vehicles out of control or without a driver, and the edges of the play space.

LOST = book.cite("Lost Control")
UNMANNED = book.cite("Driver Actions")
SHIFT = house("Moving the fleet back")


def lose(play: Play, name: str) -> None:
    """It has Lost Control: once everything else is resolved, a D6 says where it veers.

    A Move of it that is under way ends there (house default).
    """
    if not play.state.vehicle(name).in_play:
        return
    play.owe(Duty("control", name, LOST), f"{name} has Lost Control")
    turn = play.state.turn
    if turn is not None and turn.vehicle == name and turn.stage == "moving":
        play.tell("moved", f"the Move of {name} ends there", LOST, vehicle=name)


def roll_due(play: Play) -> None:
    """The dice that decide by themselves, as long as nothing else has to be done first."""
    while (duty := due(play.state)) is not None and duty.kind in ROLLED:
        if duty.kind == "control":
            _veer(play, duty)
        else:
            _unmanned(play, duty)


def _veer(play: Play, duty: Duty) -> None:
    vehicle = play.state.vehicle(duty.vehicle)
    driver = play.state.driver(vehicle.name)
    by = vehicle.control if driver is None else driver.owner
    section = play.die(f"{vehicle.name} veers into section", LOST, vehicle.name, by)
    words = f"{vehicle.name} veers toward the far edge of section {section}"
    play.tell("veers", words, LOST, vehicle=vehicle.name, duty="control", section=section)
    play.owe(Duty("lost", vehicle.name, LOST, by=by, section=section), f"{vehicle.name} has to be put there")


def _unmanned(play: Play, duty: Duty) -> None:
    name = duty.vehicle
    by = play.state.vehicle(name).control
    driven = play.state.driver(name) is not None
    how = "drags its trailer" if driven else "is unmanned"
    value = play.die(f"{name} {how}, 1 to {book.UNMANNED_LOSES} loses control", UNMANNED, name, by)
    lost = value <= book.UNMANNED_LOSES
    words = f"{name} {'swerves' if lost else 'goes straight on'}" + " without a driver" * (not driven)
    play.tell("checked", words, UNMANNED, vehicle=name, duty="unmanned", value=value)
    if lost:
        lose(play, name)


def reach_edge(play: Play, name: str, edge: str | None) -> None:
    """At the front edge the fleet is moved back; at the back edge the vehicle waits for its last chance."""
    if edge == "front" and not any(d.kind == "shift" for d in play.state.duties):
        words = f"{name} reaches the front edge: all vehicles have to be moved back"
        play.owe(Duty("shift", name, EDGE, inches=play.state.house.shift), words)
    if edge == "back":
        left_against_edge(play, name)


def left_against_edge(play: Play, name: str) -> None:
    """It is left against the back edge."""
    if play.state.vehicle(name).status == "driving":
        words = f"{name} is left against the back edge and has one Move to get back"
        play.tell("behind", words, EDGE, vehicle=name)


# Clinging

CLING = book.cite("Cling")
WITHIN = book.cite("Within a Round")
REINFORCEMENTS = book.cite("Rig-only Add-ons", "Reinforcements")


def clinging(state: GameState, name: str) -> tuple[Warrior, ...]:
    """Those who roll to stay on a vehicle; Reinforcements do not on the Rig on which they began."""
    return tuple(w for w in state.aboard(name) if w.seat is None and w.home != name)


def _then(state: GameState, warrior: Warrior) -> str:
    """What a warrior who stays on may still do in this round, and why nothing more.

    A Cling allows another action; it gives none back that was done before, nor a turn that is over.
    """
    name, turn = warrior.vehicle, state.turn
    if warrior.acted:
        return "and has acted already in this round"
    if turn is None or turn.vehicle != name:
        return "and acts at −1" if name in state.queue else f"and the turn of {name} in this round is over"
    if warrior.owner not in (turn.hands, *turn.later):
        return f"and {warrior.owner}'s warriors have had their turn on {name}"
    return "and against the back edge nobody else acts" if turn.late else "and acts at −1"


def cling(play: Play, name: str, data: Mapping[str, Any] | None = None) -> None:
    """Everybody without a seat rolls: 4+ stays on, 2 to 3 only holds on, 1 falls off.

    To cling is an action as any other: −1 where `data` says that the vehicle is in dust.
    """
    safe = [w for w in play.state.aboard(name) if w.seat is None and w.home == name]
    who = clinging(play.state, name)
    if safe and not who:
        words = f"the Reinforcements on {name} need no Cling rolls"
        play.tell("kept", words, REINFORCEMENTS, vehicle=name)
    if not who:
        return
    dust = CHAINS.by if data is not None and data.get("dust") else 0
    if dust:
        play.modified(CHAINS, f"to cling to {name}", name)
    at = f", at {signed(dust)} ({CHAINS.words})" if dust else ""
    wants = [Want(w.die, f"{w.name} clings to {name}, {book.HELD_ON}+{at}", by=w.owner) for w in who]
    rolls = play.rolls(wants, WITHIN, [name])
    for warrior, roll in zip(who, rolls, strict=True):
        value = max(1, roll.value + dust)
        result = "stays" if value >= book.HELD_ON else "holds" if value >= book.STAYS else "falls"
        words = {
            "stays": f"stays on, {_then(play.state, warrior)}",
            "holds": "stays on, and can do nothing else this round",
            "falls": "falls off",
        }[result]
        play.tell(
            "cling", f"{warrior.name} {words}", CLING,
            warrior=warrior.name, vehicle=name, value=value, result=result,
        )  # fmt: skip
        if result == "falls":
            leave(play, warrior.name, f"{warrior.name} is run over or left behind", CLING)
