"""Driving licences: the movement table, damage, stamina, cards and traits of each vehicle.

The book prints one, for a basic chariot, and its text keeps the Move and Control rows, the Stamina of
Speeds 5 and 6 and the first effects. What is lost is a house default that agrees with every worked example.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.errors import TableRefError
from engine.games.frothy_races.book.data import TOP

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


EFFECTS: Mapping[str, str] = MappingProxyType(
    {
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
)
"""The permanent damage effects in the book's words, and those of Stamina (the last two).

Random is one of `RANDOM`, Wipe-out is the end of every track. "control" stands in its examples alone: one
die more in every Control roll.
"""

RANDOM: Mapping[str, Effect] = MappingProxyType(
    {
        "Slide": Effect("control", 1),
        "Haste": Effect("haste"),
        "Slow": Effect("slow"),
        "Left Spin": Effect("decelerating", -1),
        "Right Spin": Effect("accelerating", -1),
        "Damage": Effect("damage", 1),
    }
)
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

LICENCES: Mapping[str, Licence] = MappingProxyType(
    {"Chariot": CHARIOT, "War Beast": WAR_BEAST, "Steamer": STEAMER, "Racer": RACER}
)
"""The vehicles to choose from; all but the Chariot are house defaults, made by the Vehicle Creation Guide."""


def licence_called(name: str) -> Licence:
    """A licence by the vehicle's name; a clear error names those there are."""
    if name not in LICENCES:
        raise TableRefError(f"no vehicle {name!r}; expected one of {', '.join(LICENCES)}")
    return LICENCES[name]
