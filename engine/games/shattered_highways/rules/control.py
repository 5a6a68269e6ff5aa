"""Vehicles out of control or without a driver, and the edges of the play space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game.about import house
from engine.game.dice import Want
from engine.games.shattered_highways.book.data import HELD_ON, STAYS, UNMANNED_LOSES, cite
from engine.games.shattered_highways.rules.damage import leave
from engine.games.shattered_highways.rules.modifiers import CHAINS
from engine.games.shattered_highways.state.fold import Play
from engine.games.shattered_highways.state.game_state import ROLLED, Duty, GameState, Warrior, due

LOST = cite("Lost Control")
UNMANNED = cite("Driver Actions")
EDGE = cite("Move")
SHIFT = house("Moving the fleet back")


def lose(play: Play, name: str) -> None:
    """It has Lost Control: once everything else is resolved, a D6 says where it veers."""
    if play.state.vehicle(name).in_play:
        play.owe(Duty("control", name, LOST), f"{name} has Lost Control")


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
    words = f"{vehicle.name} veers to the far edge of section {section}"
    play.tell("veers", words, LOST, vehicle=vehicle.name, duty="control", section=section)
    play.owe(Duty("lost", vehicle.name, LOST, by=by, section=section), f"{vehicle.name} is put there")


def _unmanned(play: Play, duty: Duty) -> None:
    name = duty.vehicle
    by = play.state.vehicle(name).control
    value = play.die(f"{name} is unmanned, 1 to {UNMANNED_LOSES} loses control", UNMANNED, name, by)
    lost = value <= UNMANNED_LOSES
    words = f"{name} {'swerves' if lost else 'goes straight on'} without a driver"
    play.tell("checked", words, UNMANNED, vehicle=name, duty="unmanned", value=value)
    if lost:
        lose(play, name)


def reach_edge(play: Play, name: str, edge: str | None, inches: float | None = None) -> None:
    """At the front edge the fleet is moved back; at the back edge the vehicle waits for its last chance."""
    if edge == "front" and not any(d.kind == "shift" for d in play.state.duties):
        by = play.state.house.shift if inches is None else inches
        words = f"{name} reaches the front edge: all vehicles are moved back"
        play.owe(Duty("shift", name, EDGE, inches=by), words)
    if edge == "back":
        left_against_edge(play, name)


def left_against_edge(play: Play, name: str) -> None:
    """It is left against the back edge."""
    if play.state.vehicle(name).status == "driving":
        words = f"{name} is left against the back edge and has one Move to get back"
        play.tell("behind", words, EDGE, vehicle=name)


# Clinging

CLING = cite("Cling")
WITHIN = cite("Within a Round")
REINFORCEMENTS = cite("Rig-only Add-ons", "Reinforcements")


def clinging(state: GameState, name: str) -> tuple[Warrior, ...]:
    """Those who roll to stay on a vehicle; Reinforcements do not on the Rig on which they began."""
    return tuple(w for w in state.aboard(name) if w.seat is None and w.home != name)


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
    wants = [Want(w.die, f"{w.name} clings to {name}", by=w.owner) for w in who]
    rolls = play.rolls(wants, WITHIN, [name])
    for warrior, roll in zip(who, rolls, strict=True):
        value = max(1, roll.value + dust)
        result = "stays" if value >= HELD_ON else "holds" if value >= STAYS else "falls"
        words = {
            "stays": "stays on, and acts at −1",
            "holds": "stays on, and can do nothing else this round",
            "falls": "falls off",
        }[result]
        play.tell(
            "cling", f"{warrior.name} {words}", CLING,
            warrior=warrior.name, vehicle=name, value=value, result=result,
        )  # fmt: skip
        if result == "falls":
            leave(play, warrior.name, f"{warrior.name} is run over or left behind", CLING)
