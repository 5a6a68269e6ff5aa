"""What may be fired at: for each Pod, Turret or hand weapon the nearest target on each of its lines."""

from __future__ import annotations

from dataclasses import dataclass

from engine.games.battlecars.book.data import MG, WEAPONS, Weapon
from engine.games.battlecars.rules.lines import AREAS, Line, Target, incoming, lines_of, lines_on_foot
from engine.games.battlecars.state.game_state import GameState, Person, Vehicle

HAND = "hand weapon"
"""What a driver on foot fires: Machine-gun rounds (house default)."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A round that may be fired: from what, along which line, at what."""

    mount: str
    weapon: Weapon
    line: Line
    target: Target


def aims(state: GameState, vehicle: Vehicle) -> tuple[Aim, ...]:
    """Everything that the Pods and Turrets of a vehicle may fire at."""
    return tuple(
        Aim(mount.name, WEAPONS[mount.missiles[0]], line, line.nearest)
        for mount in vehicle.mounts
        if mount.missiles
        for line in lines_of(state, vehicle, mount.name)
        if line.nearest is not None
    )


def aims_on_foot(state: GameState, person: Person) -> tuple[Aim, ...]:
    """Everything that a driver on foot may fire at."""
    if not person.rounds:
        return ()
    lines = lines_on_foot(state, person)
    return tuple(Aim(HAND, WEAPONS[MG], line, line.nearest) for line in lines if line.nearest is not None)


def wreck_of(state: GameState, person: Person) -> Vehicle | None:
    """The wreck whose occupant a driver on foot is: the one on whose point they stand (house default)."""
    found = None if person.cell is None else state.at(person.cell)
    return found if found is not None and found.wreck else None


def whose(state: GameState, target: Target) -> str | None:
    """The player of whoever sits in a target, or of a driver on foot; None where nobody does."""
    if target.sort == "driver":
        return state.person(target.name).owner
    if target.sort == "vehicle":
        driver = state.vehicle(target.name).driver
        return None if driver is None else state.person(driver).owner
    return None


def areas(state: GameState, aim: Aim) -> tuple[str, ...]:
    """What may be aimed at of a target; nothing to choose of one that is no vehicle."""
    if aim.target.sort != "vehicle":
        return ()
    return AREAS[incoming(state.vehicle(aim.target.name), aim.line.facing)]


def usual_area(found: tuple[str, ...]) -> str | None:
    """What is aimed at where nothing is said: the end, of a side its centre."""
    if not found:
        return None
    return found[0] if found[0] in ("front", "rear") else found[1]
