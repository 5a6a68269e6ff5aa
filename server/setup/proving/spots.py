"""Where on the table a sheet of paper is asked for: by one corner, in the middle, by the opposite corner."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from calibration.surface import Surface
from engine.space.geometry import FloatArray

# Half a sheet's diagonal; half of what is marked, a little more than a sheet; and how far a corner tag's
# paper reaches from its centre. Inches.
RADIUS_IN, HALF_IN, TAG_IN = 7.2, (4.75, 6.0), 2.2

# The sheet's middle may be so far from that of the marked area, inches, or so large a share of the way to
# the next one.
REACH_IN, APART = 4.5, 0.45

# How far along the diagonal the outer places are tried, as shares of it, the outermost first.
SHARES = np.linspace(0.2, 0.4, 11)


@dataclass(frozen=True, eq=False)
class Spot:
    """A place that is asked for: how it is called, and its middle on the table, (2,) inches."""

    where: str
    at: FloatArray

    def outline(self, surface: Surface) -> FloatArray:
        """The marked area in the picture, (4, 2) pixels."""
        half = np.array(HALF_IN)
        corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * half + self.at
        return surface.image_from_table(corners)


def spots_on(
    surface: Surface, outline: FloatArray, tags: Sequence[FloatArray], picture: tuple[int, int]
) -> tuple[Spot, Spot, Spot]:
    """Three places that a sheet fits on, within the picture and beside the corner tags (each (2,) inches)."""
    low, high = outline.min(axis=0), outline.max(axis=0)

    def free(at: FloatArray) -> bool:
        round_it = np.linspace(0, math.tau, 24, endpoint=False)
        rim = surface.image_from_table(at + RADIUS_IN * np.column_stack([np.cos(round_it), np.sin(round_it)]))
        inside = bool((rim > 3).all() and (rim < np.array(picture) - 4).all())
        return inside and all(math.dist(at, tag) > RADIUS_IN + TAG_IN for tag in tags)

    def outermost(start: FloatArray, end: FloatArray) -> FloatArray:
        tried = [start + share * (end - start) for share in SHARES]
        return next((at for at in tried if free(at)), tried[len(tried) // 2])

    return (
        Spot("by the near left corner", outermost(low, high)),
        Spot("in the middle", (low + high) / 2),
        Spot("by the far right corner", outermost(high, low)),
    )


def reach(spots: Sequence[Spot]) -> float:
    """How far from a spot's middle a sheet's middle may lie, inches."""
    apart = min(math.dist(a.at, b.at) for a, b in pairwise(spots))
    return min(REACH_IN, APART * apart)
