"""The numbers, names and weapons of White Line Fever 0.9, and what the book leaves open."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, get_args

from engine.game.about import citing
from engine.game.kit.actions import the
from engine.game.kit.house import House, house_rule
from engine.game.kit.reading import in_book

# The weapons of White Line Fever 0.9 and what they change about a shot, as data. Inches.

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

    @property
    def as_token(self) -> str:
        """What becomes of a car that drives onto a token of it, for people.

        >>> weapon_called("Oil").as_token
        'takes 2 damage and spins out'
        """
        damage = f"takes {self.damage} damage" if self.damage else ""
        return " and ".join(filter(None, (damage, self.special)))


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
    _dropped("Springboard", 0, "is pushed 6 in"),
    _dropped("Spikes", 0, "loses 3 Speed, to no less than 1"),
    _dropped("Roadmine", 5),
    _dropped("Firebomb", 0, "may not Floor It this round"),
    _dropped("Barricade", 0, "suffers a Collision"),
)

WEAPONS: Mapping[str, Weapon] = {weapon.name: weapon for weapon in _ALL}
"""Every weapon by its name, in the book's order."""


def weapon_called(name: str) -> Weapon:
    """The weapon of that name; case, spaces, dashes and underscores do not matter.

    >>> weapon_called("machine-gun").maximum
    20
    """
    return in_book(WEAPONS, name, "weapon")


# The numbers and names of White Line Fever 0.9, and what the book leaves open as named house rules.

TOP_SPEED = 6
"""The highest Speed of the book."""

CHANGE, PULSAR_CHANGE = 3, 5
"""By how much Speed may change after a round: everybody, and a Pulsar."""

MOST_MANOEUVRES = 6
"""Manoeuvres that one round may have."""

MULE_ARMOUR = 4
"""Armour boxes that a Mule has more, at the start of its track."""

HAMMER = 2
"""What a Hammer does more and takes less in collisions with other cars."""

BLAST = 5.0
"""Inches that an exploding car reaches."""

EXCESS = 2
"""Damage beyond the remaining armour with which a car explodes."""

PLASMA_SELF, RAILGUN_NEXT = 3, 5
"""Damage of a Plasma Gun to its own car on a natural 1; of a Railgun to the next car in line."""

BRANDS: Mapping[str, str] = {
    "Essence": "ignores the penalties of lost armour",
    "Hammer": "+2 damage to and -2 damage from (at least 1) other cars in collisions",
    "Mule": "4 more armour boxes at the start of its track",
    "Pulsar": "changes Speed by up to 5, and always",
    "Venus": "+2 in to both ranges of its weapons",
}
"""Every brand and what it does."""

Deployment = Literal["arena", "highway"]

DEPLOYMENTS: Mapping[str, str] = {
    "arena": "each player's cars start along an edge of their own, opposite edges first",
    "highway": "the players place one car after the other in turn, anywhere",
}
"""The two ways to begin (house defaults: the book's table of them is lost)."""

cite = citing(BOOK)
"""Where the book says it."""


def brand_called(name: str) -> str:
    """The brand of that name, in the book's spelling.

    >>> brand_called("hammer")
    'Hammer'
    """
    return in_book({brand: brand for brand in BRANDS}, name, "brand")


def _same(*values: str) -> Mapping[str, str]:
    return {value: value for value in values}


@dataclass(frozen=True, slots=True)
class HouseRules(House):
    """What the book leaves open or what its surviving text lost, each with a default.

    Lengths are inches, angles radians.
    """

    armour_groups: tuple[int, ...] = house_rule(
        (5, 5, 5, 5), "Armour track", "boxes in each group; the last of each but the last group is big",
        low=1, high=20,
    )  # fmt: skip
    big_box_penalty: int = house_rule(1, "A big box costs", "maximum Speed", high=5)
    starting_speed: int = house_rule(3, "Starting Speed", low=1, high=TOP_SPEED)
    tokens: int = house_rule(3, "Tokens of a droppable weapon", "each car", high=99)
    token_size: float = house_rule(3.0, "Side of a token", low=0.25, high=12.0, unit="in")
    deployment_depth: float = house_rule(6.0, "Depth of the deployment strip", high=48.0, unit="in")
    outnumbered: Literal["by one opponent", "by all opponents"] = house_rule(
        "by one opponent", "A last car is outnumbered", known=_same("by one opponent", "by all opponents")
    )
    blast_dice: Literal["one for all", "one each"] = house_rule(
        "one for all", "Dice of an explosion", known=_same("one for all", "one each")
    )
    length_tolerance: float = house_rule(0.25, "A run or drift may miss by", high=3.0, unit="in")
    turn_tolerance: float = house_rule(math.radians(5.0), "A turn may go past 90° by", high=0.7, unit="rad")
    place_tolerance: float = house_rule(
        0.5, "A placed car may miss its ghost by", low=0.1, high=9.0, unit="in"
    )
    place_turn_tolerance: float = house_rule(
        math.radians(10.0), "and its heading by", low=0.05, high=math.pi, unit="rad"
    )

    @property
    def big_boxes(self) -> tuple[int, ...]:
        """Which boxes of the track are big, counted from 1, without a Mule's extra ones.

        >>> HouseRules().big_boxes
        (5, 10, 15)
        """
        return tuple(accumulate(self.armour_groups))[:-1]


def deployment_called(name: str) -> Deployment:
    """The deployment of that name."""
    known: dict[str, Deployment] = {one: one for one in get_args(Deployment)}
    return in_book(known, name, "deployment")
