"""What a car is built of, how many zones that is, and why it may not be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.games.car_cult.book.data import CARDS, card_called


@dataclass(frozen=True, slots=True)
class Build:
    """A car as it is built: its engine, and the other components by name, each as often as it is there."""

    name: str
    owner: str
    engine: str
    parts: tuple[str, ...] = ()
    damage: int = 0

    @property
    def zones(self) -> int:
        """What it counts against the Build Limit."""
        return zones_of((self.engine, *self.parts))


def zones_of(names: Iterable[str]) -> int:
    """The zones of components.

    >>> zones_of(["Big Six", "Cannon", "Armour 3"])
    11
    """
    return sum(CARDS[name].zones for name in names)


def spent(builds: Iterable[Build], owner: str) -> int:
    """The zones of all cars of a player."""
    return sum(b.zones for b in builds if b.owner == owner)


def amiss(build: Build, *, wishes: bool) -> list[str]:
    """Why a car may not be built so; empty when it may."""
    wrong = []
    if card_called(build.engine).sort != "engine":
        wrong.append(f"{build.name}: {build.engine} is no engine")
    if any(CARDS[p].sort == "engine" for p in build.parts):
        wrong.append(f"{build.name} has one engine, not more")
    armour = [p for p in build.parts if CARDS[p].sort == "armour"]
    if len(armour) > 1:
        wrong.append(f"{build.name}: Armour has 1 to 4 zones in all, but there are {' and '.join(armour)}")
    crew = [p for p in build.parts if CARDS[p].sort == "crew"]
    twice = sorted({p for p in crew if crew.count(p) > 1})
    if twice:
        wrong.append(f"{build.name} has {' and '.join(twice)} twice (house default: each crew member once)")
    wished = [p for p in build.parts if CARDS[p].wish]
    if wished and not wishes:
        words = ", ".join(dict.fromkeys(wished))
        wrong.append(
            f"{build.name}: {words} {'are' if len(wished) > 1 else 'is'} from the comments, switched off"
        )
    if build.damage and not wishes:
        wrong.append(f"{build.name}: damage of the game before is from the comments, switched off")
    if not 0 <= build.damage < build.zones:
        wrong.append(f"{build.name}: expected 0 to {build.zones - 1} Damage tokens but got {build.damage}")
    return wrong


def over_limit(builds: Sequence[Build], players: Iterable[str], limit: int) -> list[str]:
    """The players whose cult has more zones than the Build Limit."""
    return [
        f"{player}'s cult has {spent(builds, player)} zones, {spent(builds, player) - limit} over {limit}"
        for player in players
        if spent(builds, player) > limit
    ]


def numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Names with a number where one is there several times.

    >>> numbered(["Rifle", "Cannon", "Rifle"])
    ('Rifle', 'Cannon', 'Rifle 2')
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(found)
