"""The numbers and names of Shattered Highways 0.3.8, house rules, and what a vehicle costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.errors import TableRefError
from engine.game.about import citing, house
from engine.game.kit.house import House, house_rule
from engine.game.kit.reading import in_book
from engine.ruling import many

# The numbers and names of Shattered Highways 0.3.8, and what the book leaves open as named house rules.

BOOK = "Shattered Highways 0.3.8"

cite = citing(BOOK)
"""Where the book says it."""

# The template, inches

WIDTH, LENGTH = 4.0, 9.0
"""The move template: its width and its length."""

SECTION = 3.0
"""One of the three sections of the template's length, two of which lie side by side."""

HERO_RANGE = 3.0
"""Inches from the edge of the hero's vehicle that the hero's own weapon reaches."""

# Dice

MOVED, HELD_ON, HIT, UNCOUPLED = 3, 4, 4, 4
"""What a Move, a Board or Cling, a shot at a vehicle, and a decoupling need on the die at least."""

STAYS = 2
"""From here up to one less than is needed nothing happens; below it goes wrong."""

TENACITY = 4
"""What Cannon Fodder shrug off."""

FODDER_DIE, HERO_DIE = 6, 10
"""The skill dice."""

NUDGE_DAMAGE, CHAIN_DAMAGE = 1, 1
"""Damage to both vehicles of a Nudge, and to one that is struck by a nudged vehicle and loses control."""

MOST_BACK = 3
"""The most damage that a vehicle takes for ramming."""

CRUSH, CRUSH_BACK = 25, 3
"""Damage of the highest roll against a 1, and what it costs the attacker."""

UNMANNED_LOSES = 3
"""Up to this on a D6 an unmanned vehicle has Lost Control."""

Side = Literal["front", "rear", "left", "right"]

SIDES: tuple[Side, ...] = ("front", "rear", "left", "right")

OPPOSITE: Mapping[Side, Side] = {"front": "rear", "rear": "front", "left": "right", "right": "left"}
"""Which side of another vehicle a side touches: all face the same way."""

Arc = Literal["fore", "aft", "left", "right"]

ARCS: Mapping[Arc, str] = {
    "fore": "forward",
    "aft": "backward",
    "left": "to the left",
    "right": "to the right",
}
"""Where a mounted weapon may point; to a side only on a Rig."""

Part = Literal["", "tractor", "trailer"]
"""A half of a Rig; other vehicles are of one piece, which has no name."""


# Vehicles

ClassName = Literal["Buggy", "Car", "Truck", "Rig"]


@dataclass(frozen=True, slots=True)
class VehicleClass:
    """A class of vehicles. `trailer` are the hit points of a second body.

    `against` are the classes against which its ram damage changes by `bonus`. `free` creation points of
    add-ons come with it.
    """

    name: ClassName
    points: int
    hits: int
    seats: int
    weapons: int
    most_weapons: int
    bonus: int = 0
    against: tuple[ClassName, ...] = ()
    trailer: int | None = None
    free: int = 0

    @property
    def citation(self) -> str:
        """Its paragraph."""
        return cite("Vehicles", self.name)


CLASSES: Mapping[ClassName, VehicleClass] = {
    c.name: c
    for c in (
        VehicleClass("Buggy", 15, 15, 2, 0, 1, bonus=-1, against=("Truck", "Rig")),
        VehicleClass("Car", 25, 25, 3, 1, 1),
        VehicleClass("Truck", 35, 35, 4, 1, 2, bonus=+1, against=("Car", "Buggy"), free=1),
        VehicleClass("Rig", 50, 25, 6, 2, 4, bonus=+1, against=("Car", "Buggy"), trailer=25),
    )
}
"""The four classes, the cheapest first."""

TRACTOR_SEATS = 2
"""Seats on a Rig's tractor; the others are on its trailer."""


# Weapons


@dataclass(frozen=True, slots=True)
class Weapon:
    """A mounted weapon: inches that it reaches, and what is added to the D6 of its damage."""

    name: str
    points: int
    reach: float
    bonus: int
    citation: str


_FURTHER = house("Further weapons")

WEAPONS: Mapping[str, Weapon] = {
    w.name: w
    for w in (
        Weapon("Machine Gun", 5, 6.0, 2, cite("Vehicle Weapons")),
        Weapon("Flame Spray", 5, 3.0, 3, _FURTHER),
        Weapon("Rocket Rack", 8, 9.0, 3, _FURTHER),
    )
}
"""The book's weapon, and two further ones of ours where the book says that more will come."""

STANDARD = "Machine Gun"
"""What every mount carries unless it is changed."""

# Add-ons

ARMOUR_POINTS, CHAINS_POINTS, REINFORCEMENTS_POINTS = 1, 1, 4
"""Creation points: armour for each side, Drag Chains, Reinforcements."""

REINFORCEMENTS = 4
"""Spare Cannon Fodder along for the ride."""

# What the book leaves open

DEPLOYMENTS: Mapping[str, str] = {
    "anywhere": "each vehicle where its player chooses on the road",
    "chase": "every vehicle of whoever goes first starts wholly ahead of all of the others'",
}
"""Ways to begin (house defaults: the book leaves it to the scenario)."""

UNDECIDED = "decide at the table"


@dataclass(frozen=True, slots=True)
class HouseRules(House):
    """What the book leaves open, each with a default; inches and radians."""

    points: int = house_rule(100, "Creation points of each fleet", low=15, high=1000, first=True)
    rounds: int = house_rule(8, "Rounds", "0 plays until one player is left", high=100)
    front_room: float = house_rule(LENGTH, "Room to the front edge at the start", high=48.0, unit="in")
    shift: float = house_rule(
        LENGTH, "The fleet is moved back by", "where no camera says better", low=1.0, high=96.0, unit="in"
    )
    place_tolerance: float = house_rule(
        0.5, "A placed vehicle may miss its place by", low=0.1, high=9.0, unit="in"
    )
    facing_tolerance: float = house_rule(
        0.175, "A vehicle may be turned from the road by", low=0.05, high=3.2, unit="rad"
    )


def weapon_called(name: str) -> Weapon:
    """The weapon of that name, in any spelling.

    >>> weapon_called("machine-gun").name
    'Machine Gun'
    """
    return in_book(WEAPONS, name, "weapon")


def class_called(name: str) -> VehicleClass:
    """The class of that name, in any spelling.

    >>> class_called("RIG").trailer
    25
    """
    return in_book(CLASSES, name, "class of vehicle")


# What a vehicle is built of, what it costs in creation points, and which seats it has.

DRIVER = "D"
"""The driver's seat, as the vehicle card has it; W1, W2 … are the gunners' and P1, P2 … the others."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted weapon and where it points; `jammed` until somebody spends a round on it."""

    weapon: str
    arc: Arc = "fore"
    jammed: bool = False


@dataclass(frozen=True, slots=True)
class Build:
    """A vehicle as a player builds it.

    `hidden_in` names the Rig in whose trailer a Buggy waits. `hero` is the seat of the player's hero, if it
    rides in this one.
    """

    name: str
    owner: str
    kind: ClassName
    mounts: tuple[Mount, ...] = ()
    armour: tuple[Side, ...] = ()
    chains: bool = False
    reinforcements: bool = False
    hidden_in: str | None = None
    hero: str | None = None

    @property
    def points(self) -> int:
        """The creation points that it costs.

        >>> Build("Red 1", "Ann", "Car", (Mount("Machine Gun"),), armour=("front", "rear")).points
        27
        """
        kind = CLASSES[self.kind]
        # A further mount costs its weapon, another weapon in place of the standard one the difference.
        standard = WEAPONS["Machine Gun"].points
        costs = [WEAPONS[mount.weapon].points for mount in self.mounts]
        weapons = sum(costs) - standard * min(kind.weapons, len(costs))
        addons = ARMOUR_POINTS * len(self.armour) + CHAINS_POINTS * self.chains
        addons = max(0, addons - kind.free) + REINFORCEMENTS_POINTS * self.reinforcements
        return kind.points + weapons + addons


def checked(build: Build) -> Build:
    """A build that the book allows; an error says what it does not."""
    kind = CLASSES[build.kind]
    if not kind.weapons <= len(build.mounts) <= kind.most_weapons:
        least = f"{kind.weapons} to " if kind.weapons < kind.most_weapons else ""
        expected = least + many(kind.most_weapons, "weapon")
        raise TableRefError(f"{build.name}: a {kind.name} has {expected}, got {len(build.mounts)}")
    if kind.trailer is None and any(m.arc in ("left", "right") for m in build.mounts):
        raise TableRefError(f"{build.name}: only a Rig's weapons point to a side; expected fore or aft")
    if kind.trailer is None and build.reinforcements:
        raise TableRefError(f"{build.name}: Reinforcements ride on Rigs only")
    if build.hidden_in is not None and build.kind != "Buggy":
        raise TableRefError(f"{build.name}: only a Buggy can be hidden in a Rig's trailer")
    if build.hidden_in is not None and build.hero is not None:
        raise TableRefError(f"{build.name}: Cannon Fodder ride in a Hidden Buggy, the hero elsewhere")
    if build.hero is not None and build.hero not in [name for name, _ in seats(build.kind, build.mounts)]:
        raise TableRefError(f"{build.name}: there is no seat {build.hero} for the hero")
    if len(set(build.armour)) < len(build.armour):
        raise TableRefError(f"{build.name}: each side is armoured once, got {', '.join(build.armour)}")
    return build


def seats(kind: ClassName, mounts: Sequence[Mount], trailer: bool = True) -> tuple[tuple[str, Part], ...]:
    """The seats of a vehicle with the half of a Rig that they are on; without its trailer only the tractor's.

    >>> [seat for seat, _ in seats("Car", (Mount("Machine Gun"),))]
    ['D', 'W1', 'P1']
    """
    total = CLASSES[kind].seats
    if CLASSES[kind].trailer is None:
        gunners = [f"W{k + 1}" for k in range(len(mounts))]
        others = [f"P{k + 1}" for k in range(total - 1 - len(gunners))]
        return tuple((name, "") for name in (DRIVER, *gunners, *others))
    ahead = [DRIVER, *(f"P{k + 1}" for k in range(TRACTOR_SEATS - 1))]
    gunners = [f"W{k + 1}" for k in range(len(mounts))]
    behind = [*gunners, *(f"P{k + TRACTOR_SEATS}" for k in range(total - TRACTOR_SEATS - len(gunners)))]
    found: list[tuple[str, Part]] = [(name, "tractor") for name in ahead]
    return tuple(found + [(name, "trailer") for name in behind if trailer])


def seat_words(seat: str | None) -> str:
    """A seat for people.

    >>> seat_words("W2"), seat_words(None)
    ('gunner 2', 'clinging')
    """
    if seat is None:
        return "clinging"
    return "driver" if seat == DRIVER else f"{'gunner' if seat[0] == 'W' else 'passenger'} {seat[1:]}"


def points_of(builds: Iterable[Build], owner: str) -> int:
    """What a player's fleet costs."""
    return sum(build.points for build in builds if build.owner == owner)
