"""What adds to a roll or to damage; every modifier has a name and its rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.game.about import house
from engine.games.shattered_highways.book.building import DRIVER
from engine.games.shattered_highways.book.data import FODDER_DIE, Part, Side, cite
from engine.games.shattered_highways.state.fold import Modifier, Roller
from engine.games.shattered_highways.state.game_state import GameState, Vehicle, Warrior

CHANGED = Modifier("changed position this round", -1, cite("Change"))
TAKEN_OVER = Modifier("took over driving this round", -1, cite("Driver Actions"))
CLUNG = Modifier("held on this round", -1, cite("All Warrior Actions"))
CHAINS = Modifier("behind Drag Chains", -1, cite("Vehicle Add-ons", "Drag Chains"))
LEAP = Modifier("leaps off a wreck", -1, cite("Destroyed!"))
AIMED = Modifier("aims at one half of a Rig", -1, cite("Shoot"))
HIDDEN = Modifier("leaves a destroyed Rig", -1, cite("Rig-only Add-ons", "Hidden Buggy"))
OUT_OF_CONTROL = Modifier("veers into it", -1, cite("Lost Control"))
FALLS_BACK = Modifier("meets an unmanned vehicle", -1, cite("Driver Actions"))

NOBODY = house("Unmanned vehicles")


def rolls_for(warrior: Warrior, *more: Modifier, data: Mapping[str, Any] | None = None) -> Roller:
    """A warrior's skill die with what modifies it; `data` may say that the vehicle is in dust."""
    own = []
    if warrior.changed:
        own.append(TAKEN_OVER if warrior.seat == DRIVER else CHANGED)
    if warrior.clung:
        own.append(CLUNG)
    if data is not None and data.get("dust"):
        own.append(CHAINS)
    return Roller(warrior.name, warrior.die, warrior.owner, warrior.vehicle, (*own, *more))


def drives(state: GameState, name: str, *more: Modifier, data: Mapping[str, Any] | None = None) -> Roller:
    """Whoever drives a vehicle rolls; for one that nobody drives its player rolls a D6 (house default)."""
    driver = state.driver(name)
    if driver is not None:
        return rolls_for(driver, *more, data=data)
    return Roller(name, FODDER_DIE, state.vehicle(name).control, name, more)


def defends(state: GameState, name: str) -> Roller:
    """The driver of a vehicle that is nudged or rammed: the die alone, for it is no action of theirs."""
    driver = state.driver(name)
    if driver is None:
        return Roller(name, FODDER_DIE, state.vehicle(name).control, name)
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
    return (Modifier(f"armor on the {side} of {vehicle.name}", -1, cite("Vehicle Add-ons", "Armor")),)


def struck_part(vehicle: Vehicle, side: Side, said: Part = "") -> Part:
    """The half of a Rig that is touched: as said, else its front is the tractor and the rest the trailer."""
    if not vehicle.is_rig:
        return ""
    if vehicle.trailer is None:
        return "tractor"
    return said or ("tractor" if side == "front" else "trailer")
