"""Whip and Reins cards, and what each special card does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

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
