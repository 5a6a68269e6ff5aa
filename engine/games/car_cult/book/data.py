"""The numbers and names of Car Cult (notes of 2016), house rules, and what a car is built of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.game.about import citing, house
from engine.game.kit.house import House, house_rule
from engine.game.kit.reading import in_book
from engine.ruling import many
from engine.words import listed

# The numbers and names of Car Cult (notes of 2016), and what the notes leave open as named house rules.

BOOK = "Car Cult 2016"

cite = citing(BOOK)
"""Where the notes say it."""

NEEDED = 10
"""What a D20 shows at least where nothing else is said."""

SIDES = 20

TURN = math.radians(45.0)
"""The most that one turn may be, radians."""

DRIFT_SHARE = 4
"""The minimum speed divided by this, rounded down, is the most drift in inches."""

CRACK, CRAP = 20, 1
"""Unmodified rolls that hit and miss whatever the modifiers."""

MINE_RANGE = 4.0
"""Inches within which a Mine triggers."""

Token = Literal["Speed", "Damage"]

SPEED: Token = "Speed"
DAMAGE: Token = "Damage"


# Components

Sort = Literal["engine", "crew", "armour", "weapon", "gear"]


@dataclass(frozen=True, slots=True)
class Card:
    """A component as its card has it.

    `symbols` are the zones with a +ST symbol, counted from 1 at the left. `speeds` are the inches above each
    zone of an engine. A weapon has range and blast, damage and shots for each Speed token on it; the Damage
    of a Reinforced Ram is that of the engine's Speed tokens (0 here). `wish` marks what the commenters
    wished for.
    """

    name: str
    sort: Sort
    zones: int
    citation: str
    symbols: tuple[int, ...] = ()
    acceleration: int = 0
    speeds: tuple[int, ...] = ()
    reach: float = 0.0
    blast: int = 0
    damage: int = 0
    shots: int = 0
    words: str = ""
    wish: bool = False


def _building(name: str) -> str:
    return cite("Building a Car Cult", name)


ENGINE = house("Engines")

DRIVER, GUNNER, FIXER = "Dangerous Driver", "Gutsy Gunner", "Fanatical Fixer"
ARMOUR, MINES, RAM = "Armour", "Mines", "Reinforced Ram"
OIL, CALTROPS, TURBO, SPIKES = "Oil Slick", "Caltrops", "Turbo Booster", "Wheel Spikes"

_WISH = cite("Comments")

CARDS: Mapping[str, Card] = {
    c.name: c
    for c in (
        Card("Quick Four", "engine", 4, ENGINE, (2, 4), 3, (6, 11, 15, 18)),
        Card("Straight Five", "engine", 5, ENGINE, (2, 4, 5), 2, (5, 9, 12, 14, 16)),
        Card("Big Six", "engine", 6, ENGINE, (2, 3, 5, 6), 2, (4, 7, 9, 11, 12, 13)),
        Card("Heavy Seven", "engine", 7, ENGINE, (2, 3, 5, 6, 7), 1, (3, 5, 7, 8, 9, 10, 11)),
        Card(DRIVER, "crew", 2, _building(DRIVER), (2,), words="−2 to attacks against it for each token"),
        Card(GUNNER, "crew", 2, _building(GUNNER), (2,), words="one attack die again for each token"),
        Card(FIXER, "crew", 2, _building(FIXER), (1, 2), words="two tokens swapped for each token"),
        *(
            Card(f"{ARMOUR} {n}", "armour", n, _building(ARMOUR), words="takes Damage tokens first")
            for n in (1, 2, 3, 4)
        ),
        Card("Machine Gun", "weapon", 2, _building("Machine Gun"), reach=12, blast=1, damage=1, shots=3),
        Card("Cannon", "weapon", 2, _building("Cannon"), reach=24, blast=6, damage=2, shots=1),
        Card("Flamethrower", "weapon", 3, _building("Flamethrower"), reach=6, blast=8, damage=1, shots=1),
        Card("Rifle", "weapon", 2, _building("Rifle"), reach=18, blast=3, damage=1, shots=2),
        Card(
            MINES, "gear", 4, _building(MINES), reach=MINE_RANGE, blast=10, damage=2, shots=1,
            words="a Mine along the route for each token",
        ),
        Card(RAM, "gear", 2, _building(RAM), blast=10, shots=1, words="damage as the engine has tokens"),
        Card("Harpoon", "weapon", 2, _WISH, reach=8, blast=4, damage=1, shots=1, wish=True),
        Card("Missile Launcher", "weapon", 4, _WISH, reach=30, blast=8, damage=3, shots=1, wish=True),
        Card("Hand Grenade", "weapon", 1, _WISH, reach=5, blast=5, damage=2, shots=1, wish=True),
        Card(
            SPIKES, "gear", 2, _WISH, damage=1, wish=True,
            words="1 Damage token to whom it touches while moving",
        ),
        Card(OIL, "gear", 2, _WISH, words="a 40 mm token of Rough ground for each token", wish=True),
        Card(CALTROPS, "gear", 2, _WISH, words="a 40 mm Blocking token for each token", wish=True),
        Card(TURBO, "gear", 2, _WISH, words="6 in more for one Damage token on it", wish=True),
    )
}  # fmt: skip
"""Every component. Engines, +ST symbols and all numbers of the wishes are house defaults."""

ENGINES = tuple(c.name for c in CARDS.values() if c.sort == "engine")

LAYERS = (MINES, OIL, CALTROPS)
"""Components whose Speed tokens become tokens along the route."""

TURBO_INCHES = 6
"""Inches more for one Damage token on the Turbo Booster."""


def card_called(name: str) -> Card:
    """The component of that name, in any spelling.

    >>> card_called("machine-gun").shots
    3
    """
    return in_book(CARDS, name, "component")


def card_words(card: Card) -> str:
    """A component's numbers in a few words.

    >>> card_words(CARDS["Rifle"])
    '2 zones, Range 18 in, Blast 3, Damage 1, Shots 2'
    """
    parts = [many(card.zones, "zone")]
    if card.sort == "engine":
        parts.append(f"Acceleration {card.acceleration}")
        parts.append(f"speeds {', '.join(map(str, card.speeds))} in")
    if card.shots and card.sort == "weapon":
        numbers = f"Range {card.reach:g} in, Blast {card.blast}, Damage {card.damage}, Shots {card.shots}"
        parts.append(numbers)
    parts += [card.words] if card.words else []
    parts += [f"{len(card.symbols)} +ST"] if card.symbols else []
    return ", ".join(parts)


# What the notes leave open


@dataclass(frozen=True, slots=True)
class HouseRules(House):
    """What the notes leave open, each with a default; inches and radians."""

    limit: int = house_rule(
        30, "Build Limit of each cult", "zones; 30 for a table of 4 by 4 feet", low=6, high=100, first=True
    )
    quiet: int = house_rule(6, "Rounds without damage that end the game", low=1, high=12)
    bonus: int = house_rule(
        0, "Bonus Speed tokens of each car", "of a scenario, each time it is activated", high=6
    )
    terrain: int = house_rule(
        0, "Damage tokens that destroy a piece of Blocking terrain", "of a scenario; with 0 it is no target",
        high=20,
    )  # fmt: skip
    wishes: bool = house_rule(
        False, "What the commenters wished for", "Harpoon, Missile Launcher, Turbo Booster and more"
    )
    length_tolerance: float = house_rule(0.25, "A move may miss its length by", high=3.0, unit="in")
    drift_tolerance: float = house_rule(0.2, "A drift may be too wide by", high=3.0, unit="in")
    turn_tolerance: float = house_rule(math.radians(5.0), "A turn may go past 45° by", high=0.7, unit="rad")


# Zones of a component: where a Speed token goes, where damage, and what an engine's tokens come to.

Zones = tuple[Token | None, ...]
"""The zones of a component from the left, each with its token."""


def with_speed(zones: Zones) -> Zones:
    """One Speed token more, in the empty zone farthest to the left.

    >>> with_speed(("Speed", None, None))
    ('Speed', 'Speed', None)
    """
    return _with(zones, zones.index(None), SPEED)


def without_speed(zones: Zones, count: int) -> Zones:
    """So many Speed tokens less, from the right.

    >>> without_speed(("Speed", "Speed", "Damage"), 1)
    ('Speed', None, 'Damage')
    """
    for k in range(len(zones) - 1, -1, -1):
        if count and zones[k] == SPEED:
            zones, count = _with(zones, k, None), count - 1
    return zones


def with_damage(zones: Zones) -> Zones:
    """One Damage token more, in the zone farthest to the right that has none; a Speed token there is lost.

    >>> with_damage(("Speed", "Speed", "Damage"))
    ('Speed', 'Damage', 'Damage')
    """
    return _with(zones, damaged(zones), DAMAGE)


def damaged(zones: Zones) -> int:
    """The zone that takes the next Damage token, from 0.

    >>> damaged(("Speed", "Speed", "Damage"))
    1
    """
    return max(k for k, token in enumerate(zones) if token != DAMAGE)


def speed_into_damage(zones: Zones) -> Zones:
    """The last Speed token replaced by a Damage token.

    >>> speed_into_damage(("Speed", "Speed", None, None))
    ('Speed', 'Damage', None, None)
    """
    held = [k for k, token in enumerate(zones) if token == SPEED]
    return _with(zones, held[-1], DAMAGE) if held else zones


def _with(zones: Zones, place: int, token: Token | None) -> Zones:
    return (*zones[:place], token, *zones[place + 1 :])


def count(zones: Zones, token: Token | None) -> int:
    """How many zones hold that token, or none."""
    return sum(held == token for held in zones)


def symbols(zones: Zones, places: Sequence[int]) -> int:
    """The +ST symbols, counted from 1, that no token covers.

    >>> symbols(("Speed", None, "Damage"), (1, 2, 3))
    1
    """
    return sum(zones[place - 1] is None for place in places)


def limits(zones: Zones, speeds: Sequence[int]) -> tuple[int, int]:
    """The minimum and the maximum in inches: the speeds above the two filled zones farthest to the right.

    With one filled zone the minimum is 0, with none both are (house default).

    >>> limits(("Speed", "Speed", None, None), (6, 11, 15, 18))
    (6, 11)
    """
    filled = [speeds[k] for k, token in enumerate(zones) if token == SPEED]
    low, high = [0, 0, *filled][-2:]
    return (low, high)


def most_drift(minimum: int) -> int:
    """Inches of drift: a quarter of the minimum, rounded down.

    >>> most_drift(11)
    2
    """
    return minimum // DRIFT_SHARE


# What a car is built of, how many zones that is, and why it may not be.


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
        wrong.append(f"{build.name}: Armour has 1 to 4 zones in all, but there are {listed(armour)}")
    crew = [p for p in build.parts if CARDS[p].sort == "crew"]
    twice = sorted({p for p in crew if crew.count(p) > 1})
    if twice:
        wrong.append(f"{build.name} has {listed(twice)} twice (house default: each crew member once)")
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
