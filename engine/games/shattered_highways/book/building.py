"""What a vehicle is built of, what it costs in creation points, and which seats it has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.errors import TableRefError
from engine.games.shattered_highways.book.data import (
    ARMOUR_POINTS,
    CHAINS_POINTS,
    CLASSES,
    REINFORCEMENTS_POINTS,
    TRACTOR_SEATS,
    WEAPONS,
    Arc,
    ClassName,
    Part,
    Side,
)

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
        expected = f"{kind.weapons} to {kind.most_weapons} weapons" if kind.most_weapons else "no weapon"
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
