"""How sure a share is that was counted in so many games."""

from __future__ import annotations

import math
from statistics import NormalDist

SURE = 1.96
"""Standard deviations on either side that hold 95 of 100."""


def deviations(looks: int) -> float:
    """Standard deviations that hold 95 of 100 where so many shares are looked at at once (Bonferroni).

    >>> round(deviations(1), 2), round(deviations(10), 2)
    (1.96, 2.81)
    """
    return NormalDist().inv_cdf(1.0 - 0.025 / max(looks, 1))


def interval_of(won: int, games: int, sure: float = SURE) -> tuple[float, float]:
    """The share that lies behind `won` of `games` (Wilson's interval), 95 % unless `sure` says otherwise.

    >>> [round(end, 2) for end in interval_of(7, 12)]
    [0.32, 0.81]
    >>> interval_of(0, 0)
    (0.0, 1.0)
    """
    if games == 0:
        return 0.0, 1.0
    share, square = won / games, sure**2 / games
    middle = (share + square / 2.0) / (1.0 + square)
    half = math.sqrt(share * (1.0 - share) * square + square**2 / 4.0) / (1.0 + square)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def games_to_be_sure(share: float, against: float, sure: float = SURE) -> int | None:
    """How many games it takes until so big a difference from another share is sure; None where there is none.

    >>> games_to_be_sure(0.6, 0.5)
    97
    """
    apart = abs(share - against)
    if apart < 1e-3:
        return None
    spread = max(against * (1.0 - against), share * (1.0 - share))
    return math.ceil(spread * (sure / apart) ** 2)
