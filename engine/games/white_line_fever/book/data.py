"""The numbers and names of White Line Fever 0.9, and what the book leaves open as named house rules."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Literal, get_args

from engine.game.about import citing
from engine.game.kit.house import House, house_rule
from engine.game.kit.reading import in_book
from engine.games.white_line_fever.book.silent import SILENT
from engine.games.white_line_fever.book.weapons import BOOK

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

    silent = SILENT

    armour_groups: tuple[int, ...] = house_rule(
        (5, 5, 5, 5), "Armour track", "boxes in each group; the last of each but the last group is big",
        low=1, high=20,
        means="boxes of the armour track; the last of each group but the last is a big box",
    )  # fmt: skip
    big_box_penalty: int = house_rule(
        1, "A big box costs", "maximum Speed", high=5,
        means="maximum Speed that a big box costs; a Speed above the new maximum falls with it",
    )  # fmt: skip
    starting_speed: int = house_rule(
        3, "Starting Speed", low=1, high=TOP_SPEED,
        means="Speed of every car when the game begins",
    )  # fmt: skip
    tokens: int = house_rule(
        3, "Tokens of a droppable weapon", "each car", high=99,
        means="tokens of a car with a droppable weapon",
    )  # fmt: skip
    token_size: float = house_rule(
        3.0, "Side of a token", unit="in",
        means="side of a token",
    )  # fmt: skip
    deployment_depth: float = house_rule(
        6.0, "Depth of the deployment strip", unit="in",
        means="how deep the strip along a player's edge is",
    )  # fmt: skip
    outnumbered: Literal["by one opponent", "by all opponents"] = house_rule(
        "by one opponent", "A last car is outnumbered", known=_same("by one opponent", "by all opponents"),
        means="a player's last car is outnumbered if any one opponent has more cars; or `by all "
        "opponents` together",
    )  # fmt: skip
    blast_dice: Literal["one for all", "one each"] = house_rule(
        "one for all", "Dice of an explosion", known=_same("one for all", "one each"),
        means="one D8 for all cars in an explosion; or `one each`",
    )  # fmt: skip
    length_tolerance: float = house_rule(
        0.25, "A run or drift may miss by", unit="in",
        means="how far a run or drift may miss",
    )  # fmt: skip
    turn_tolerance: float = house_rule(
        math.radians(5.0), "A turn may go past 90° by", high=math.pi, unit="rad",
        means="how far a turn may go past 90°",
    )  # fmt: skip
    place_tolerance: float = house_rule(
        0.5, "A placed car may miss its ghost by", unit="in",
        means="how far from its ghost a placed car may stand",
    )  # fmt: skip
    place_turn_tolerance: float = house_rule(
        math.radians(10.0), "and its heading by", high=math.pi, unit="rad",
        means="and how far it may be turned from it",
    )  # fmt: skip

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
