"""The dice, race types, special cards and switches of Frothy Races, and what the book leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from engine.game import records
from engine.game.about import citing, house
from engine.game.kit.house import House, house_rule
from engine.games.frothy_races.book.silent import SILENT

BOOK = "Frothy Races 3.6"

cite = citing(BOOK)
"""Where the book says it."""


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
class Rules(House):
    """The race, its optional and alternative rules, and what the book leaves open, each with a default."""

    silent = SILENT

    kept_as = "rules"

    race: RaceType = house_rule(
        "Fastest", "Race", known={race: race for race in RACES}, first=True,
        means="Which race type",
    )  # fmt: skip
    circuit: str = house_rule(
        "", "Track", first=True,
        means="The track by its name; empty is the first there is",
    )  # fmt: skip
    laps: int = house_rule(
        1, "Laps", "of a race to the finish line", low=1, high=9, first=True,
        means="Laps of a race to the finish line",
    )  # fmt: skip
    rounds: int = house_rule(
        20, "Rounds at most", "a Furthest race is decided then", low=1, high=60,
        means="Rounds after which every race is over, and a Furthest race is decided",
    )  # fmt: skip
    stamina: bool = house_rule(
        True, "Stamina", "optional rule",
        means="Stamina checks",
    )  # fmt: skip
    truce: bool = house_rule(
        True, "First Round Truce", "optional rule, recommended",
        means="First Round Truce",
    )  # fmt: skip
    friendly: bool = house_rule(
        False, "Friendly Race", "no attacks",
        means="Friendly Race: no attacks",
    )  # fmt: skip
    grandstanding: bool = house_rule(
        True, "Grandstanding to the Crowd", "optional rule, recommended",
        means="Grandstanding: a leader who is far ahead may not accelerate. Off where vehicles start apart",
    )  # fmt: skip
    shame: bool = house_rule(
        True, "The Whips of Shame", "optional rule, recommended",
        means="The Whips of Shame: who is last and far behind rolls one more die to accelerate. Off likewise",
    )  # fmt: skip
    gap: int = house_rule(
        4, "Spaces that are far", "for Grandstanding and the Whips of Shame", low=1, high=30,
        means="How many spaces are far, for these two",
    )  # fmt: skip
    rolling: bool = house_rule(
        False, "Rolling start", "the vehicles begin moving",
        means="Rolling start",
    )  # fmt: skip
    start_by: Literal["speed", "spaces"] = house_rule(
        "speed", "A rolling start begins at", known={"speed": f"Speed {START}",
        "spaces": f"the Speed of {START_SPACES} spaces a round"},
        means="Rolling start at Speed 3, or at the Speed that allows 6 spaces a round",
    )  # fmt: skip
    adjust: bool = house_rule(
        False, "Speed check with one die", "each card adds or takes 1",
        means="Alternative Speed check: one die, and each card adds or takes 1",
    )  # fmt: skip
    pairs_first: bool = house_rule(
        False, "Pairs go before cards", "in a Control roll",
        means="Alternative Control roll: pairs are discarded before cards discard dice",
    )  # fmt: skip
    control_damage: ControlDamage = house_rule(
        "roll", "Damage icons of a Control roll", known={"roll": "a Damage roll", "ignored": "ignored",
        "control": "a Control Loss point each"},
        means="What Damage icons of a Control roll do",
    )  # fmt: skip
    deliberate: bool = house_rule(
        False, "Deliberate collisions", "vehicles may be hit on purpose",
        means="Deliberate collisions are allowed",
    )  # fmt: skip
    instant: int = house_rule(
        0, "Instant Wipe-Out from Damage icons", "0 is without it", low=0, high=6,
        means="Instant Wipe-Out from so many Damage icons; 0 is without it",
    )  # fmt: skip
    corner_drift: bool = house_rule(
        False, "Drift facing a corner", "twice to the same side, once a phase",
        means="Facing a corner, it may move twice to the same side once a phase",
    )  # fmt: skip
    more_drifts: Literal["one", "control", "any"] = house_rule(
        "one", "Drifts in a phase", known={"one": "one", "control": "more, each with a Control roll",
        "any": "any number"},
        means="Drifts in a phase: one, more with a Control roll each, or any number",
    )  # fmt: skip
    for_obstacle: int = house_rule(
        2, "Points for a Fragile Obstacle", "in a Scoring race", low=0, high=9,
        means="Points for the first to enter a Fragile Obstacle, in a Scoring race",
    )  # fmt: skip
    for_damage: int = house_rule(
        0, "Points for a point of damage inflicted", "in a Scoring race", low=0, high=9,
        means="Points for each point of damage inflicted, in a Scoring race",
    )  # fmt: skip
    worths: tuple[int, ...] = house_rule(
        (), "Points of each Fragile Obstacle", "by hand, in their order", high=9, most=12,
        means="Points of each Fragile Obstacle by hand, in their order; the others as said",
    )  # fmt: skip
    runners: int = house_rule(
        0, "Runners", "in a Scoring race, one more each round", low=0, high=6,
        means="Runners of a Scoring race, one more each round",
    )  # fmt: skip
    for_runner: int = house_rule(
        3, "Points for a runner", "in a Scoring race", low=0, high=9,
        means="Points for running over a runner, in a Scoring race",
    )  # fmt: skip
    jumps: bool = house_rule(
        False, "Jumps", "optional rule",
        means="Jumps over hazards and low obstacles",
    )  # fmt: skip

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Rules:
        """The defaults with what was given; an error names a field that is wrong.

        Where vehicles start apart nobody leads and nobody is last, unless it was asked for (house default).

        >>> Rules.of({"race": "Pursuit"}).shame, Rules.of({"race": "Pursuit", "shame": True}).shame
        (False, True)
        """
        led = {} if given.get("race") not in APART else dict.fromkeys(LEADERS, False)
        return records.with_defaults(cls, {**led, **given}, cls.kept_as)


VEHICLES = house("Vehicles")
"""What the lost driving licences are replaced by."""


Face = Literal["whip", "reins"]
Use = Literal[
    "personal attack", "personal defence", "vehicle attack", "vehicle defence", "accelerate", "decelerate",
    "control", "after control", "after damage", "any roll", "move", "round",
]  # fmt: skip

FACES: tuple[Face, ...] = ("whip", "reins")


@dataclass(frozen=True, slots=True)
class Special:
    """A special card: the side that it has besides, when it is played, how much, whether it is discarded.

    The book leaves the amounts and most of the discarding open: those here are house defaults.
    """

    face: Face
    use: Use
    amount: int
    discarded: bool
    words: str


SPECIALS: Mapping[str, Special] = MappingProxyType(
    {
        "Berserker": Special("whip", "personal attack", 1, False, "+1 to a personal attack"),
        "Shield": Special("whip", "personal defence", 1, False, "+1 against a personal attack"),
        "Lash": Special("whip", "accelerate", 2, False, "+2 to an acceleration"),
        "Yah!": Special("whip", "after control", 0, False, "Slow icons count as Haste"),
        "Ramming Speed": Special("whip", "move", 1, True, "1 more space, and it may hit a vehicle"),
        "Kamikaze": Special("reins", "vehicle attack", 1, False, "+1 to a vehicle attack"),
        "Swerve": Special("reins", "vehicle defence", 1, False, "+1 against a vehicle attack"),
        "Whoah!": Special("reins", "decelerate", 2, False, "+2 to a deceleration"),
        "Brake": Special("reins", "after control", 0, False, "Haste icons count as Slow"),
        "Emergency Stop": Special("reins", "move", 0, True, "any number of spaces less, 1 Speed for each"),
        "Control": Special("reins", "control", 2, False, "2 more dice, and 2 more discarded"),
        "Survivor": Special("reins", "after damage", 0, True, "a Damage roll again"),
        "Lucky": Special("whip", "any roll", 2, True, "2 dice of a roll again"),
        "Cool": Special("reins", "after control", 0, True, "all dice of one icon discarded"),
        "Determination": Special("whip", "round", 0, True, "all spent cards are recovered"),
    }
)
"""The special cards. Brake: the book prints the words of Yah! again, which would make it go faster; what its
name says is taken. The side of Control, Survivor, Lucky, Cool and Determination is a house default."""
