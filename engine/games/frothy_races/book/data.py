"""The numbers and names of Frothy Races 3.6, house rules, driving licences, and Speeds.

The book prints one, for a basic chariot, and its text keeps the Move and Control rows, the Stamina of
Speeds 5 and 6 and the first effects. What is lost is a house default that agrees with every worked example.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from engine.errors import TableRefError
from engine.game import records
from engine.game.about import citing, house
from engine.game.kit.house import House, house_rule

# The dice, race types, special cards and switches of Frothy Races, and what the book leaves open.

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

    kept_as = "rules"

    race: RaceType = house_rule("Fastest", "Race", known={race: race for race in RACES}, first=True)
    circuit: str = house_rule("", "Track", first=True)
    laps: int = house_rule(1, "Laps", "of a race to the finish line", low=1, high=9, first=True)
    rounds: int = house_rule(20, "Rounds at most", "a Furthest race is decided then", low=1, high=60)
    stamina: bool = house_rule(True, "Stamina", "optional rule")
    truce: bool = house_rule(True, "First Round Truce", "optional rule, recommended")
    friendly: bool = house_rule(False, "Friendly Race", "no attacks")
    grandstanding: bool = house_rule(True, "Grandstanding to the Crowd", "optional rule, recommended")
    shame: bool = house_rule(True, "The Whips of Shame", "optional rule, recommended")
    gap: int = house_rule(
        4, "Spaces that are far", "for Grandstanding and the Whips of Shame", low=1, high=30
    )
    rolling: bool = house_rule(False, "Rolling start", "the vehicles begin moving")
    start_by: Literal["speed", "spaces"] = house_rule(
        "speed", "A rolling start begins at", known={"speed": f"Speed {START}",
        "spaces": f"the Speed of {START_SPACES} spaces a round"},
    )  # fmt: skip
    adjust: bool = house_rule(False, "Speed check with one die", "each card adds or takes 1")
    pairs_first: bool = house_rule(False, "Pairs go before cards", "in a Control roll")
    control_damage: ControlDamage = house_rule(
        "roll", "Damage icons of a Control roll", known={"roll": "a Damage roll", "ignored": "ignored",
        "control": "a Control Loss point each"},
    )  # fmt: skip
    deliberate: bool = house_rule(False, "Deliberate collisions", "vehicles may be hit on purpose")
    instant: int = house_rule(0, "Instant Wipe-Out from Damage icons", "0 is without it", low=0, high=6)
    corner_drift: bool = house_rule(False, "Drift facing a corner", "twice to the same side is a drift")
    more_drifts: Literal["one", "control", "any"] = house_rule(
        "one", "Drifts in a phase", known={"one": "one", "control": "more, each with a Control roll",
        "any": "any number"},
    )  # fmt: skip
    for_obstacle: int = house_rule(2, "Points for a Fragile Obstacle", "in a Scoring race", low=0, high=9)
    for_damage: int = house_rule(
        0, "Points for a point of damage inflicted", "in a Scoring race", low=0, high=9
    )
    worths: tuple[int, ...] = house_rule(
        (), "Points of each Fragile Obstacle", "by hand, in their order", high=9, most=12
    )
    runners: int = house_rule(0, "Runners", "in a Scoring race, one more each round", low=0, high=6)
    for_runner: int = house_rule(3, "Points for a runner", "in a Scoring race", low=0, high=9)
    jumps: bool = house_rule(False, "Jumps", "optional rule")

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

    @property
    def told(self) -> str:
        """What it does, and that it is discarded, for whoever may play it."""
        return f"{self.words}; discarded when it is played" if self.discarded else self.words


SPECIALS: Mapping[str, Special] = {
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
"""The special cards. Brake: the book prints the words of Yah! again, which would make it go faster; what its
name says is taken. The side of Control, Survivor, Lucky, Cool and Determination is a house default."""


# Driving licences: the movement table, damage, stamina, cards and traits of each vehicle.

Row = tuple[int, int, int, int, int, int, int]
"""A figure for each Speed rating from 0 to 6."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What comes into play at a level of a track: its sort, how much, and what it names."""

    sort: str
    amount: int = 0
    names: str = ""

    @property
    def words(self) -> str:
        """As the licence prints it."""
        return EFFECTS[self.sort].format(n=self.amount, names=self.names)


EFFECTS: Mapping[str, str] = {
    "control": "+{n} Control Loss Point",
    "control a round": "+{n} Control / Round",
    "resilience": "-{n} Resilience",
    "damage": "{n} Damage",
    "damage a round": "{n} Damage / Round",
    "lose trait": "Lose {names}",
    "most acceleration": "{n} Maximum Acceleration",
    "most deceleration": "{n} Maximum Deceleration",
    "top": "Maximum Speed {n}",
    "safe": "-1 Safe Speed",
    "accelerating": "{n:+d} Speed Check Acceleration Modifier",
    "decelerating": "{n:+d} Speed Check Deceleration Modifier",
    "haste": "Haste",
    "slow": "Slow",
    "lose card": "-1 {names} card",
    "random": "Random",
    "speed": "-{n} Speed",
    "reins": "+{n} Reins / Speed Check",
}
"""The permanent damage effects in the book's words, and those of Stamina (the last two).

Random is one of `RANDOM`, Wipe-out is the end of every track. "control" stands in its examples alone: one
die more in every Control roll.
"""

RANDOM: Mapping[str, Effect] = {
    "Slide": Effect("control", 1),
    "Haste": Effect("haste"),
    "Slow": Effect("slow"),
    "Left Spin": Effect("decelerating", -1),
    "Right Spin": Effect("accelerating", -1),
    "Damage": Effect("damage", 1),
}
"""What a Random damage effect is, by the icon of one die: a list of our own, the book asks for any."""

Track = tuple[tuple[int, Effect], ...]
"""The levels of a track at which something comes into play."""


@dataclass(frozen=True, slots=True)
class Licence:
    """A vehicle as it is built. `move` has a row for each movement phase; `control` 0 is a Safe Speed.

    `resilience` None is blank. `damage` is the level at which it wipes out.
    """

    acceleration: Row
    deceleration: Row
    move: tuple[Row, Row, Row, Row]
    control: Row
    stamina: Row
    resilience: int | None
    damage: int
    effects: Track
    tiring: Track
    whip: int
    reins: int
    dual: int = 0
    specials: tuple[str, ...] = ()
    traits: tuple[tuple[str, int], ...] = ()
    least_control: int = 0
    endurance: int = 10

    def spaces(self, phase: int, speed: int) -> int:
        """How many spaces it moves in a phase, counted from 1."""
        return self.move[phase - 1][speed]

    @property
    def totals(self) -> tuple[int, ...]:
        """The spaces of a round at each Speed rating."""
        return tuple(sum(row[s] for row in self.move) for s in range(TOP + 1))


BASIC_MOVE: tuple[Row, Row, Row, Row] = (
    (0, 1, 1, 1, 0, 0, 0),
    (0, 0, 1, 2, 3, 4, 6),
    (0, 1, 1, 1, 3, 3, 0),
    (0, 0, 1, 2, 2, 3, 6),
)
"""As the Movement Example prints it. Its text tells of phase 2, its moves are those of row 3."""

TIRING: Track = (
    (9, Effect("speed", 1)),
    (8, Effect("reins", 1)),
    (6, Effect("speed", 1)),
    (5, Effect("reins", 1)),
    (3, Effect("speed", 1)),
    (2, Effect("reins", 1)),
)
"""The Stamina Check Example prints the levels 9, 8, 6 and 5, and names 5 and 9 for Speed and 6 and 9 for
Reins: the printed track is taken; at 5 both come to the same. Below 5 it goes on (house default)."""

CHARIOT = Licence(
    acceleration=(1, 2, 2, 2, 2, 2, 2),
    deceleration=(1, 1, 1, 2, 1, 2, 1),
    move=BASIC_MOVE,
    control=(0, 0, 0, 1, 2, 3, 4),
    stamina=(3, 2, 1, 0, 0, -1, -3),
    resilience=1,
    damage=6,
    effects=((1, Effect("control", 1)), (3, Effect("accelerating", -1)), (5, Effect("safe"))),
    tiring=TIRING,
    whip=4,
    reins=4,
    traits=(("Blades", 1), ("Cat O' Nine", 1)),
)

WAR_BEAST = Licence(
    acceleration=(1, 2, 2, 3, 3, 3, 2),
    deceleration=(1, 1, 1, 1, 1, 1, 1),
    move=((0, 1, 1, 1, 2, 0, 0), (0, 0, 1, 1, 2, 3, 5), (0, 1, 0, 1, 2, 3, 0), (0, 0, 1, 2, 1, 3, 5)),
    control=(0, 0, 0, 1, 1, 2, 3),
    stamina=(2, 2, 1, 0, -1, -2, -3),
    resilience=2,
    damage=5,
    effects=((2, Effect("control a round", 1)), (3, Effect("resilience", 1)), (4, Effect("top", 4))),
    tiring=TIRING,
    whip=3,
    reins=3,
    dual=1,
    specials=("Kamikaze", "Yah!", "Ramming Speed"),
    traits=(("Tank", 1), ("Spiked", 1), ("Lazy", 1)),
)

STEAMER = Licence(
    acceleration=(1, 2, 3, 2, 2, 1, 2),
    deceleration=(1, 2, 2, 2, 2, 2, 1),
    move=((0, 0, 1, 1, 3, 3, 0), (0, 1, 1, 2, 1, 3, 6), (0, 0, 1, 1, 3, 0, 0), (0, 1, 1, 2, 1, 4, 6)),
    control=(0, 0, 0, 1, 2, 3, 5),
    stamina=(3, 2, 1, 1, 0, -2, -4),
    resilience=0,
    damage=9,
    effects=(
        (2, Effect("damage", 1)), (4, Effect("most deceleration", 3)), (5, Effect("haste")),
        (6, Effect("damage a round", 1)), (7, Effect("lose card", 1, "Reins")),
    ),
    tiring=TIRING,
    whip=3,
    reins=2,
    dual=2,
    specials=("Whoah!", "Survivor", "Emergency Stop"),
    traits=(("Champing at the Bit", 1), ("Failsafes", 1), ("Slippery", 1)),
)  # fmt: skip

RACER = Licence(
    acceleration=(1, 1, 2, 2, 2, 2, 1),
    deceleration=(1, 1, 2, 2, 2, 2, 1),
    move=((0, 1, 1, 2, 2, 2, 3), (0, 0, 1, 1, 2, 3, 3), (0, 1, 1, 2, 2, 2, 3), (0, 0, 1, 1, 2, 3, 3)),
    control=(0, 0, 0, 1, 2, 2, 3),
    stamina=(3, 2, 1, 0, -1, -2, -3),
    resilience=None,
    damage=10,
    effects=(
        (2, Effect("decelerating", -1)), (4, Effect("slow")), (5, Effect("most acceleration", 3)),
        (7, Effect("lose trait", 0, "Driver")), (8, Effect("control", 1)),
    ),
    tiring=TIRING,
    whip=2,
    reins=3,
    dual=1,
    specials=("Lash", "Cool", "Determination"),
    traits=(("Driver", 1), ("Evasive", 1), ("Flimsy", 1)),
    least_control=1,
)  # fmt: skip

LICENCES: Mapping[str, Licence] = {
    "Chariot": CHARIOT,
    "War Beast": WAR_BEAST,
    "Steamer": STEAMER,
    "Racer": RACER,
}
"""The vehicles to choose from; all but the Chariot are house defaults, made by the Vehicle Creation Guide."""


def licence_called(name: str) -> Licence:
    """A licence by the vehicle's name; a clear error names those there are."""
    if name not in LICENCES:
        raise TableRefError(f"no vehicle {name!r}; expected one of {', '.join(LICENCES)}")
    return LICENCES[name]


# The Acceleration and Deceleration rows: how a marker moves in one, and which box of the other matches.


class Marker(NamedTuple):
    """Where a Speed marker stands: the Speed rating, its Acceleration box and its Deceleration box."""

    speed: int
    box: int
    brake: int


def matching(index: int, count: int, others: int, *, right: bool) -> int:
    """The right-most or left-most box of a row of `others` that lies beside box `index` of `count`.

    >>> matching(0, 1, 2, right=True), matching(0, 1, 2, right=False), matching(1, 2, 2, right=True)
    (1, 0, 1)
    """
    beside = [
        k for k in range(others) if k * count < (index + 1) * others and (k + 1) * count > index * others
    ]
    return beside[-1] if right else beside[0]


def _along(row: Row, speed: int, box: int, steps: int, top: int) -> tuple[int, int, int]:
    """The Speed and box after so many steps in a row, and the steps that did not fit."""
    step = 1 if steps > 0 else -1
    if step > 0 and speed > top:
        return speed, box, steps
    for done in range(abs(steps)):
        if 0 <= box + step < row[speed]:
            box += step
        elif 0 <= speed + step <= top:
            speed += step
            box = 0 if step > 0 else row[speed] - 1
        else:
            return speed, box, abs(steps) - done
    return speed, box, 0


def accelerated(licence: Licence, marker: Marker, boxes: int, top: int = TOP) -> tuple[Marker, int]:
    """The marker so many Acceleration boxes on, and by how many it went beyond the maximum."""
    speed, box, left = _along(licence.acceleration, marker.speed, marker.box, boxes, top)
    if left == boxes:
        return marker, left
    brake = matching(box, licence.acceleration[speed], licence.deceleration[speed], right=True)
    return Marker(speed, box, brake), left


def decelerated(licence: Licence, marker: Marker, boxes: int) -> Marker:
    """The marker so many Deceleration boxes back; it stops at Speed 0."""
    if boxes <= 0:
        return marker
    speed, brake, left = _along(licence.deceleration, marker.speed, marker.brake, -boxes, TOP)
    if left == boxes:
        return marker
    box = matching(brake, licence.deceleration[speed], licence.acceleration[speed], right=False)
    return Marker(speed, box, brake)


def rated(licence: Licence, marker: Marker, speed: int, top: int = TOP) -> Marker:
    """The marker on another Speed rating: its highest boxes when it is slower, its lowest when faster."""
    speed = min(max(speed, 0), top)
    if speed == marker.speed:
        return marker
    if speed < marker.speed:
        return Marker(speed, licence.acceleration[speed] - 1, licence.deceleration[speed] - 1)
    return Marker(speed, 0, 0)


def check_pairs(values: tuple[int, ...], forced: int) -> tuple[tuple[int, int], ...]:
    """Which two dice of a Speed check may be kept, the lowest sum first; `forced` of them are the lowest.

    >>> check_pairs((3, 2, 1, 0), 1)
    ((0, 1), (0, 2), (0, 3))
    """
    low = sorted(values)
    kept = set()
    for i in range(len(low)):
        for j in range(i + 1, len(low)):
            pair = (low[i], low[j])
            if forced == 0 or (forced == 1 and pair[0] == low[0]) or pair == (low[0], low[1]):
                kept.add(pair)
    best = {sum(pair): pair for pair in sorted(kept)}
    return tuple(best[total] for total in sorted(best))


def forced_lowest(whip: int, reins: int, *, accelerates: bool) -> int:
    """How many of the two dice kept must be the lowest.

    For accelerating the book prints the words for Whip again; its example and its overview limit Reins,
    which is taken.

    >>> forced_lowest(1, 1, accelerates=True), forced_lowest(3, 1, accelerates=True)
    (1, 0)
    """
    against, with_it = (reins, whip) if accelerates else (whip, reins)
    if against == 0 or against < with_it:
        return 0
    return 2 if against >= 2 * with_it else 1
