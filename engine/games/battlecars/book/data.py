"""The numbers and names of Battlecars, as its tables have them, and what the book leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.boards.points import Points
from engine.game.about import citing, house
from engine.game.kit.house import House, house_rule
from engine.ruling import signed

BOOK = "Battlecars"

cite = citing(BOOK)
"""Where the book says it."""

SIDES = 8
"""All dice are D8."""

DRIVER_HITS = 3
"""Points of damage after which a driver is dead."""

WALK = 2
"""The maximum speed of a Pedestrian, points."""

SMOKED = -4
"""What firing through smoke adds to the roll to hit."""

AT_PEDESTRIAN = -2
WITHIN = -2
COMPUTED = 1

CLEARS = 5
"""A Smoke Marker is removed on this or more."""

DETONATES = 7
"""Ammunition detonates and a tank explodes on this or more."""

SHELLED_TANK = -2
"""What is added to the roll for a tank that a Rocket or Shell hits."""

STUNNED = 14
"""The relative velocity from which a driver is stunned."""

SHIELDING = (2, 4, 8, 16)
"""Damage markers that cover terrain."""

COMPUTER, EXTINGUISHER = "Gunnery Computer", "Fire Extinguisher"

Section = Literal["front", "centre", "rear"]
SECTIONS: tuple[Section, ...] = ("front", "centre", "rear")


# Dice


@dataclass(frozen=True, slots=True)
class Formula:
    """`dice` D8 and so much more; no dice: the number itself.

    >>> str(Formula(2, -1)), str(Formula(0, 3))
    ('2d8−1', '3')
    """

    dice: int
    more: int = 0

    def of(self, values: tuple[int, ...]) -> int:
        """The sum for what the dice show."""
        return sum(values) + self.more

    @property
    def most(self) -> int:
        """The most that it can come to."""
        return self.dice * SIDES + self.more

    def at_least(self, least: int) -> float:
        """The probability of so much or more."""
        ways = {0: 1}
        for _ in range(self.dice):
            sums: dict[int, int] = {}
            for total, count in ways.items():
                for face in range(1, SIDES + 1):
                    sums[total + face] = sums.get(total + face, 0) + count
            ways = sums
        good = sum(count for total, count in ways.items() if total + self.more >= least)
        return float(good / SIDES**self.dice)

    def __str__(self) -> str:
        head = f"{self.dice if self.dice > 1 else ''}d8" if self.dice else ""
        tail = signed(self.more) if self.more or not head else ""
        return head + tail if head else tail.removeprefix("+")


# Weapons


@dataclass(frozen=True, slots=True)
class Weapon:
    """A missile weapon: dice to reach a range, and dice of damage that lose the range."""

    name: str
    reach: Formula
    damage: Formula

    @property
    def citation(self) -> str:
        """Where the book has it."""
        return cite("Weapons", self.name)

    @property
    def explosive(self) -> bool:
        """Whether it detonates ammunition that it hits."""
        return self.name in ("Rocket", "Shell")


MG, FLAME, SHELL, ROCKET = "Machine-gun", "Flame", "Shell", "Rocket"

WEAPONS: Mapping[str, Weapon] = {
    w.name: w
    for w in (
        Weapon(MG, Formula(1), Formula(1, -2)),
        Weapon(FLAME, Formula(0, 3), Formula(1, 3)),
        Weapon(SHELL, Formula(1, 3), Formula(1)),
        Weapon(ROCKET, Formula(2), Formula(2)),
    )
}
"""Missile weapons: range dice and damage dice, less the range."""

SMOKE, OIL, SPIKES, MINES = "Smoke", "Oil", "Spikes", "Mines"
PASSIVES = (SMOKE, OIL, SPIKES, MINES)
LEAST_DIFFERENCE: Mapping[str, int] = {OIL: 5, SMOKE: 3, SPIKES: 2}
"""The Speed Difference of driving onto a point with it; the Speed where that is greater."""

MINE_DAMAGE = Formula(1, -2)
TYRE_SPIKED = Formula(1, -3)


# Skidding


@dataclass(frozen=True, slots=True)
class Drift:
    """A row of the Drift Table: points drifted, and damage to each tyre."""

    distance: Formula
    tyres: int


DRIFTS: Mapping[int, Drift] = {
    1: Drift(Formula(0), 0),
    2: Drift(Formula(1, -7), 0),
    3: Drift(Formula(1, -6), 0),
    4: Drift(Formula(1, -5), 0),
    5: Drift(Formula(1, -4), 1),
    6: Drift(Formula(1, -3), 1),
    7: Drift(Formula(1, -2), 2),
    8: Drift(Formula(1, -1), 2),
    9: Drift(Formula(1), 3),
}
"""The Drift Table by Speed Difference; 9 is 9 or more."""


def drift_of(difference: int) -> Drift:
    """The row of a Speed Difference."""
    return DRIFTS[min(max(difference, 1), max(DRIFTS))]


def facing_modifier(speed: int) -> int:
    """What the Speed adds to the roll for the Final Facing.

    >>> [facing_modifier(n) for n in (3, 4, 6, 7, 10)]
    [0, 1, 2, 3, 3]
    """
    return 0 if speed < 4 else 1 if speed == 4 else 2 if speed < 7 else 3


KEEPS = 4
"""A Final Facing of this or less: facing as before, and the move goes on."""


def final_facing(total: int) -> int:
    """Eighths counter-clockwise from the facing before the skid, by the roll with its modifier.

    The ring of the book's figure runs clockwise from 5 to 11.

    >>> [final_facing(n) for n in (4, 5, 6, 8, 11)]
    [0, 7, 6, 4, 1]
    """
    return 0 if total <= KEEPS else (KEEPS - total) % SIDES


SIDE_PARTS: tuple[Section, ...] = ("front", "front", "centre", "centre", "centre", "centre", "rear", "rear")
"""Side Damage, and the section of a mine: by the face of a D8 from 1."""


# Crashing and Ramming

CRASHES: Mapping[int, Formula] = {
    1: Formula(1, -2), 2: Formula(1, -1), 3: Formula(1), 4: Formula(1, 1), 5: Formula(1, 2),
    6: Formula(1, 3), 7: Formula(1, 4), 8: Formula(2), 9: Formula(2, 1), 10: Formula(2, 2),
    11: Formula(2, 3), 12: Formula(2, 4), 13: Formula(3), 14: Formula(3, 1), 15: Formula(3, 2),
    16: Formula(3, 3), 17: Formula(3, 4), 18: Formula(4),
}  # fmt: skip
"""Crash and ram damage by relative velocity; 18 is 18 or more."""


def crash_of(velocity: int) -> Formula | None:
    """The damage of a relative velocity; none below 1."""
    return None if velocity < 1 else CRASHES[min(velocity, max(CRASHES))]


# What the book leaves open

OWN = Points(13, 13, 3.0)
"""One playing board (house default): a 1:64 car fits a point, with its neighbours."""

BOARDS = {2: 1, 3: 1, 4: 2}
"""Playing boards by number of players."""


def own_board(players: int) -> Points:
    """The board where the table has none: two of them side by side for four players."""
    return Points(OWN.columns * BOARDS.get(players, 2), OWN.rows, OWN.spacing)


@dataclass(frozen=True, slots=True)
class HouseRules(House):
    """What the book leaves open, each with a default."""

    rounds: int = house_rule(30, "Game turns at most", "then the least damaged vehicles win", low=1, high=200)
    quiet: int = house_rule(8, "Game turns without damage that end the game", low=1, high=50)
    hand: int = house_rule(3, "Rounds of a driver's hand weapon", high=9)
    on_the_way: bool = house_rule(
        False, "Fire on the way", "a move may halt to fire; else fire comes after all of it"
    )


VEHICLES = house("Vehicles")
"""What the lost record sheets are replaced by."""
