"""How sure a share is that was counted in so many games."""

from __future__ import annotations

import math

SURE = 1.96
"""Standard deviations on either side that hold 95 of 100."""


def interval_of(won: int, games: int) -> tuple[float, float]:
    """The share that lies behind `won` of `games`, with 95 % (Wilson's interval).

    >>> [round(end, 2) for end in interval_of(7, 12)]
    [0.32, 0.81]
    >>> interval_of(0, 0)
    (0.0, 1.0)
    """
    if games == 0:
        return 0.0, 1.0
    share, square = won / games, SURE**2 / games
    middle = (share + square / 2.0) / (1.0 + square)
    half = math.sqrt(share * (1.0 - share) * square + square**2 / 4.0) / (1.0 + square)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def games_to_be_sure(share: float, against: float) -> int | None:
    """How many games it takes until so big a difference from another share is sure; None where there is none.

    >>> games_to_be_sure(0.6, 0.5)
    97
    """
    apart = abs(share - against)
    if apart < 1e-3:
        return None
    spread = max(against * (1.0 - against), share * (1.0 - share))
    return math.ceil(spread * (SURE / apart) ** 2)
