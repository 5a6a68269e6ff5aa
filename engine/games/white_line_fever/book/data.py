"""The numbers and names of White Line Fever 0.9, and what the book leaves open as named house rules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Literal, get_args

from engine.errors import TableRefError
from engine.games.white_line_fever.book.weapons import BOOK
from engine.space.table import key_of

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

BRANDS: Mapping[str, str] = MappingProxyType(
    {
        "Essence": "ignores the penalties of lost armour",
        "Hammer": "+2 damage to and -2 damage from (at least 1) other cars in collisions",
        "Mule": "4 more armour boxes at the start of its track",
        "Pulsar": "changes Speed by up to 5, and always",
        "Venus": "+2 in to both ranges of its weapons",
    }
)
"""Every brand and what it does."""

Deployment = Literal["arena", "highway"]

DEPLOYMENTS: Mapping[str, str] = MappingProxyType(
    {
        "arena": "each player's cars start along an edge of their own, opposite edges first",
        "highway": "the players place one car after the other in turn, anywhere",
    }
)
"""The two ways to begin (house defaults: the book's table of them is lost)."""


def cite(*places: str) -> str:
    """Where the book says it.

    >>> cite("Floor It", "Hazard Check")
    'White Line Fever 0.9 · Floor It · Hazard Check'
    """
    return " · ".join((BOOK, *places))


def brand_called(name: str) -> str:
    """The brand of that name, in the book's spelling.

    >>> brand_called("hammer")
    'Hammer'
    """
    for brand in BRANDS:
        if key_of(brand) == key_of(name):
            return brand
    raise TableRefError(f"no brand called {name!r}; expected one of {', '.join(BRANDS)}")


@dataclass(frozen=True, slots=True)
class HouseRules:
    """What the book leaves open or what its surviving text lost, each with a default.

    Lengths are inches, angles radians.
    """

    armour_groups: tuple[int, ...] = (5, 5, 5, 5)
    """Boxes of the armour track by group; the last box of each group but the last is a big box."""

    big_box_penalty: int = 1
    """Maximum Speed that each big box costs when it is marked off."""

    starting_speed: int = 3
    """Speed of every car when the game begins."""

    tokens: int = 3
    """Tokens of a car with a droppable weapon."""

    token_size: float = 3.0
    """Side of a token."""

    deployment_depth: float = 6.0
    """How deep the strip along a player's edge is in an arena deployment."""

    outnumbered: Literal["by one opponent", "by all opponents"] = "by one opponent"
    """Whether a player's last car counts as outnumbered by any single opponent or by all of them together."""

    blast_dice: Literal["one for all", "one each"] = "one for all"
    """Whether an explosion's D8 is rolled once or for every car."""

    length_tolerance: float = 0.25
    """How far a run or drift may miss what it should be."""

    turn_tolerance: float = math.radians(5.0)
    """How far a turn may go past 90 degrees."""

    place_tolerance: float = 0.5
    """How far from its ghost a car may stand that was placed by a rule."""

    place_turn_tolerance: float = math.radians(10.0)
    """How far from its ghost's heading it may point."""

    @property
    def big_boxes(self) -> tuple[int, ...]:
        """Which boxes of the track are big, counted from 1, without a Mule's extra ones.

        >>> HouseRules().big_boxes
        (5, 10, 15)
        """
        return tuple(accumulate(self.armour_groups))[:-1]

    def as_json(self) -> dict[str, Any]:
        """The rules as a JSON object."""
        rules = {f.name: getattr(self, f.name) for f in fields(self)}
        return rules | {"armour_groups": list(self.armour_groups)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> HouseRules:
        """The defaults with what a JSON object says instead; a clear error names the field."""
        known = {f.name for f in fields(cls)}
        if unknown := set(data) - known:
            raise TableRefError(
                f"no house rule called {min(unknown)!r}; expected one of {', '.join(sorted(known))}"
            )
        return cls(**{name: _as_rule(name, value) for name, value in data.items()})


_CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "outnumbered": ("by one opponent", "by all opponents"),
        "blast_dice": ("one for all", "one each"),
    }
)

_WHOLE: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"big_box_penalty": (0, 5), "starting_speed": (1, TOP_SPEED), "tokens": (0, 99)}
)


def _as_rule(name: str, value: Any) -> Any:
    """The value of a house rule as the dataclass holds it, or an error that says what would be right."""
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise TableRefError(
                f"{name}: expected {' or '.join(map(repr, _CHOICES[name]))} but got {value!r}"
            )
        return value
    if name == "armour_groups":
        if not (isinstance(value, list | tuple) and value and all(_whole(v, 1, 99) for v in value)):
            raise TableRefError(
                f"{name}: expected the boxes of each group, such as [5, 5, 5, 5], got {value!r}"
            )
        return tuple(value)
    if name in _WHOLE:
        low, high = _WHOLE[name]
        if not _whole(value, low, high):
            raise TableRefError(f"{name}: expected a whole number from {low} to {high} but got {value!r}")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < 1000.0:
        raise TableRefError(f"{name}: expected a number of 0 or more but got {value!r}")
    return float(value)


def _whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def deployment_called(name: str) -> Deployment:
    """The deployment of that name."""
    for known in get_args(Deployment):
        if key_of(known) == key_of(name):
            return known  # type: ignore[no-any-return]
    raise TableRefError(f"no deployment called {name!r}; expected one of {', '.join(DEPLOYMENTS)}")
