"""The dice, race types and switches of Frothy Races, and what the book leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from engine.game import records
from engine.game.about import house

BOOK = "Frothy Races 3.6"


def cite(*places: str) -> str:
    """Where the book says it.

    >>> cite("Speed Check")
    'Frothy Races 3.6 · Speed Check'
    """
    return " · ".join((BOOK, *places))


def many_dice(count: int) -> str:
    """So many dice in words.

    >>> many_dice(1), many_dice(3)
    ('1 die', '3 dice')
    """
    return "1 die" if count == 1 else f"{count} dice"


SLIDE, HASTE, SLOW = "Slide", "Haste", "Slow"
LEFT, RIGHT, DAMAGE = "Left Spin", "Right Spin", "Damage"

ICONS = (SLIDE, HASTE, SLOW, LEFT, RIGHT, DAMAGE)
"""What a die shows for a Control roll: each icon once."""

NUMBERS = ("0", "1", "2", "2", "3", "3")
"""What a die shows for every other roll, as "Speed Check" lists it.

"Control Roll" pairs Haste and Slow as the value 1 and the two Spins as 2, which this list does not allow
(it has one 1). House default: the icons pair as "Control Roll" says, and the numbers are those of the list.
"""

PAIRS: tuple[tuple[str, str], ...] = ((LEFT, RIGHT), (SLOW, HASTE))
"""The icons that cancel one another, in the order in which they are discarded."""

TOP = 6
"""The highest Speed rating."""

PHASES = 4
"""Movement phases in a round."""

REMINDER = 10
"""So many Control Loss points fill the track; a second marker counts on."""

RaceType = Literal["Fastest", "Furthest", "Toughest", "Pursuit", "Fox and Hounds", "Scoring"]

RACES: tuple[RaceType, ...] = ("Fastest", "Furthest", "Toughest", "Pursuit", "Fox and Hounds", "Scoring")
"""The race types; Tag Team is any of them with teams."""

APART: tuple[RaceType, ...] = ("Toughest", "Pursuit", "Fox and Hounds")
"""Those in which vehicles start apart: nobody leads the others from the start line."""

LEADERS = ("grandstanding", "shame")
"""The rules about who leads and who is last."""

ControlDamage = Literal["roll", "ignored", "control"]

START = 3
"""The Speed rating with which a rolling start usually begins."""

START_SPACES = 6
"""The spaces a round with which a rolling start of the same number of spaces usually begins."""

FOR_PLACES = (5, 3, 1)
"""Points for the first, the second and the third in a Scoring race."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The race, its optional and alternative rules, and what the book leaves open, each with a default."""

    race: RaceType = "Fastest"
    """Which race type."""
    circuit: str = ""
    """The track by its name; empty is the first there is."""
    laps: int = 1
    """Laps of a race to the finish line."""
    rounds: int = 20
    """Rounds after which every race is over, and a Furthest race is decided."""
    stamina: bool = True
    """Stamina checks."""
    truce: bool = True
    """First Round Truce."""
    friendly: bool = False
    """Friendly Race: no attacks."""
    grandstanding: bool = True
    """Grandstanding: a leader who is far ahead may not accelerate. Off where vehicles start apart."""
    shame: bool = True
    """The Whips of Shame: who is last and far behind rolls one more die to accelerate. Off likewise."""
    gap: int = 4
    """How many spaces are far, for these two."""
    rolling: bool = False
    """Rolling start."""
    start_by: Literal["speed", "spaces"] = "speed"
    """Rolling start at Speed 3, or at the Speed that allows 6 spaces a round."""
    adjust: bool = False
    """Alternative Speed check: one die, and each card adds or takes 1."""
    pairs_first: bool = False
    """Alternative Control roll: pairs are discarded before cards discard dice."""
    control_damage: ControlDamage = "roll"
    """What Damage icons of a Control roll do."""
    deliberate: bool = False
    """Deliberate collisions are allowed."""
    instant: int = 0
    """Instant Wipe-Out from so many Damage icons; 0 is without it."""
    corner_drift: bool = False
    """Facing a corner, it may move twice to the same side once a phase."""
    more_drifts: Literal["one", "control", "any"] = "one"
    """Drifts in a phase: one, more with a Control roll each, or any number."""
    for_obstacle: int = 2
    """Points for the first to enter a Fragile Obstacle, in a Scoring race."""
    for_damage: int = 0
    """Points for each point of damage inflicted, in a Scoring race."""
    worths: tuple[int, ...] = ()
    """Points of each Fragile Obstacle by hand, in their order; the others as said."""
    runners: int = 0
    """Runners of a Scoring race, one more each round."""
    for_runner: int = 3
    """Points for running over a runner, in a Scoring race."""
    jumps: bool = False
    """Jumps over hazards and low obstacles."""

    def __post_init__(self) -> None:
        records.within(self, LIMITS)

    @classmethod
    def of(cls, given: Mapping[str, object]) -> Rules:
        """The defaults with what was given; an error names a field that is wrong.

        Where vehicles start apart nobody leads and nobody is last, unless it was asked for (house default).

        >>> Rules.of({"race": "Pursuit"}).shame, Rules.of({"race": "Pursuit", "shame": True}).shame
        (False, True)
        """
        led = {} if given.get("race") not in APART else dict.fromkeys(LEADERS, False)
        return records.with_defaults(cls, {**led, **given}, "rules")


LIMITS = (
    ("laps", 1, 9), ("rounds", 1, 60), ("gap", 1, 30), ("instant", 0, 6), ("for_obstacle", 0, 9),
    ("for_damage", 0, 9), ("runners", 0, 6), ("for_runner", 0, 9),
)  # fmt: skip
"""What the numbers among the rules may be."""

SWITCHES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "stamina": ("Stamina", "optional rule"),
        "truce": ("First Round Truce", "optional rule, recommended"),
        "friendly": ("Friendly Race", "no attacks"),
        "grandstanding": ("Grandstanding to the Crowd", "optional rule, recommended"),
        "shame": ("The Whips of Shame", "optional rule, recommended"),
        "rolling": ("Rolling start", "the vehicles begin moving"),
        "jumps": ("Jumps", "optional rule"),
        "adjust": ("Speed check with one die", "each card adds or takes 1"),
        "pairs_first": ("Pairs go before cards", "in a Control roll"),
        "deliberate": ("Deliberate collisions", "vehicles may be hit on purpose"),
        "corner_drift": ("Drift facing a corner", "twice to the same side, once a phase"),
    }
)
"""Each rule that is on or off, in words."""

VEHICLES = house("Vehicles")
"""What the lost driving licences are replaced by."""
