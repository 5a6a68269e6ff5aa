"""The weapons of White Line Fever 0.9 and what they change about a shot, as data. Inches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from engine.game.kit.actions import the
from engine.game.kit.reading import in_book

BOOK = "White Line Fever 0.9"


@dataclass(frozen=True, slots=True)
class Weapon:
    """One line of the weapon list.

    `short` and `maximum` are ranges in inches, both None for a weapon that is dropped and not
    aimed. `special` says in plain words what a hit does beyond its damage; the flags are what
    the table has to know.
    """

    name: str
    hardpoint: Literal["primary", "secondary"]
    short: float | None
    damage: int
    maximum: float | None
    special: str = ""
    ignores_obstacles: bool = False
    all_round: bool = False
    pierces: bool = False
    blast_radius: float | None = None

    @property
    def the(self) -> str:
        """Its name in a sentence: "the Machine Gun", "The Big Scary"."""
        return the(self.name)

    @property
    def droppable(self) -> bool:
        """Whether it is laid as a token behind the car."""
        return self.maximum is None

    @property
    def citation(self) -> str:
        """Where the book lists it."""
        return f"{BOOK} · Weapons · {self.name}"


def _primary(name: str, short: float, damage: int, maximum: float, special: str = "") -> Weapon:
    return Weapon(name, "primary", short, damage, maximum, special)


def _dropped(name: str, damage: int, special: str = "") -> Weapon:
    return Weapon(name, "secondary", None, damage, None, special)


_ALL = (
    _primary("Mark 9 Javelin", 4, 9, 12, "once per game"),
    _primary("Tank Cannon", 2, 6, 8, "the shooter spins out afterwards"),
    _primary("Field Cannon", 2, 5, 6, "the shooter is pushed 2 in back afterwards"),
    _primary("The Big Scary", 2, 4, 6),
    _primary("Gatling Gun", 5, 3, 8),
    _primary("Shock Gun", 8, 3, 16, "first Maneuver of the round only"),
    _primary("Autocannon", 8, 2, 12),
    _primary("Streetsweeper", 3, 2, 10, "+2 Accuracy at Short Range, otherwise -1"),
    _primary("Plasma Gun", 10, 2, 16, "a natural 1 does 3 Damage to the shooter"),
    _primary("Machine Gun", 10, 1, 20),
    _primary("Dirtnap", 8, 1, 18, "+1 Damage when tailgating"),
    _primary("Plinker", 30, 1, 30, "-1 Accuracy"),
    Weapon("Nail Blaster", "secondary", 6, 1, 16, "target loses 1 Speed, to no less than 2"),
    Weapon("Long Horn", "secondary", 6, 1, 16, "target spins out"),
    Weapon("Disruptor", "secondary", 6, 1, 16, "target is turned by up to 90°"),
    Weapon("Slammer", "secondary", 6, 1, 16, "target is pushed 3 in"),
    Weapon("Harpoon", "secondary", 6, 1, 16, "target is pulled 3 in"),
    Weapon("Shadowblaster", "secondary", 6, 1, 16, "shoots past obstacles", ignores_obstacles=True),
    Weapon("Creaky Turret", "secondary", 6, 1, 16, "shoots all round", all_round=True),
    Weapon("Railgun", "secondary", 6, 1, 16, "goes on to the next car in line for 5 Damage", pierces=True),
    Weapon("Grenade Launcher", "secondary", 6, 1, 16, "bursts over a radius of 5 in", blast_radius=5.0),
    _dropped("Oil", 2, "spins out"),
    _dropped("Springboard", 0, "pushed 6 in"),
    _dropped("Spikes", 0, "loses 3 Speed, to no less than 1"),
    _dropped("Roadmine", 5),
    _dropped("Firebomb", 0, "no Floor It this round"),
    _dropped("Barricade", 0, "a Collision"),
)

WEAPONS: Mapping[str, Weapon] = MappingProxyType({weapon.name: weapon for weapon in _ALL})
"""Every weapon by its name, in the book's order."""


def weapon_called(name: str) -> Weapon:
    """The weapon of that name; case, spaces, dashes and underscores do not matter.

    >>> weapon_called("machine-gun").maximum
    20
    """
    return in_book(WEAPONS, name, "weapon")
