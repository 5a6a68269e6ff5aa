"""How well a machine drives and what it cares for, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from engine.game.contract import Worth

LevelName = Literal["learner", "fair", "hard"]
TemperName = Literal["even", "reckless", "careful", "vengeful"]

LEVELS: tuple[LevelName, ...] = get_args(LevelName)


@dataclass(frozen=True, slots=True)
class Level:
    """How far it looks. `tried` proposals are tried out, each with all falls of the dice up to `falls`.

    `noise` is the deviation by which it misjudges each of them, in the units of `Worth` and times the `doubt`
    of the game; of all that it could try it leaves out a share `missed`.
    Of the best `beam` of them it thinks on: up to `plies` deeds more of its own as long as nobody else acts,
    and, with `reply`, what another does then.
    """

    words: str
    tried: int
    falls: int
    noise: float
    missed: float = 0.0
    beam: int = 0
    plies: int = 0
    reply: bool = False


IN_THOUGHT = Level("what follows a deed, in thought", 4, 3, 0.0)
"""How far each next deed is looked at."""


@dataclass(frozen=True, slots=True)
class Temper:
    """What each part of a `Worth` counts for it."""

    words: str
    own: float = 1.0
    others: float = 1.0
    chance: float = 0.6
    danger: float = 0.6
    progress: float = 1.0

    def total(self, worth: Worth) -> float:
        """One number of a worth: the more the better.

        >>> TEMPERAMENTS["even"].total(Worth(own=2.0, others=1.5, won=0.0))
        0.5
        """
        found = self.own * worth.own - self.others * worth.others + self.progress * worth.progress
        return found + self.chance * worth.chance - self.danger * worth.danger + 10.0 * worth.won


LEVEL: Mapping[LevelName, Level] = MappingProxyType(
    {
        "learner": Level("misses much, and misjudges what it sees", 3, 2, 0.25, 0.75),
        "fair": Level("plays soundly, and errs now and then", 6, 6, 0.05, 0.4),
        "hard": Level("tries all it has time for", 24, 40, 0.0, beam=3, plies=2, reply=True),
    }
)
"""Every level by its name."""

TEMPERAMENTS: Mapping[TemperName, Temper] = MappingProxyType(
    {
        "even": Temper("weighs harm done and harm taken alike"),
        "reckless": Temper("goes for the shot, whatever it costs", chance=0.9, danger=0.25),
        "careful": Temper("stays out of the others' sights", chance=0.45, danger=1.0),
        "vengeful": Temper("would rather see others wrecked than be whole", own=0.7, others=1.4, chance=0.8),
    }
)
"""Every temperament by its name."""
