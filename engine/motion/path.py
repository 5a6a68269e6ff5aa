"""How long is a way, and how much of it lies inside a region."""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike
from shapely.geometry import LineString

from engine.ruling import Belief, Measurement, Witness
from engine.space.geometry import FloatArray, Region, as_points


def path_length(points: ArrayLike, sd: float = 0.0) -> Measurement:
    """The length of a way through points (n, 2), inches.

    `sd` is each point's own deviation along x and y. Measure the corners of a way, as the
    manoeuvre's recognition gives them: the noise of many samples makes a way longer than it was.

    >>> path_length([(0, 0), (3, 4), (3, 10)]).value
    11.0
    >>> path_length([(1, 1)]).value
    0.0
    """
    way = as_points(points, "path")
    length = float(np.hypot(*np.diff(way, axis=0).T).sum())
    return Measurement(Belief(length, sd * float(np.linalg.norm(_stretch(way)))), "in", Witness(_ends(way)))


def length_inside(points: ArrayLike, region: Region, sd: float = 0.0) -> Measurement:
    """How many inches of a way lie inside a region (rough ground); its rim counts as inside.

    First order in the points' deviation `sd`, inches.

    >>> rough = Region.rectangle(2, -1, 3, 2)
    >>> length_inside([(0, 0), (10, 0)], rough).value
    3.0
    >>> length_inside([(0, 1), (10, 1)], rough).value
    3.0
    """
    way = as_points(points, "path")
    inside = _inside(way, region)
    if sd <= 0.0:
        return Measurement(Belief(inside, 0.0), "in", Witness(_ends(way)))
    slope = np.zeros_like(way)
    for index in np.ndindex(*way.shape):
        change = 0.0
        for step in (1e-5, -1e-5):
            moved = way.copy()
            moved[index] += step
            change += math.copysign(_inside(moved, region), step)
        slope[index] = change / 2e-5
    return Measurement(Belief(inside, sd * float(np.linalg.norm(slope))), "in", Witness(_ends(way)))


def _inside(way: FloatArray, region: Region) -> float:
    if len(way) < 2:
        return 0.0
    return float(
        sum(LineString(pair).intersection(region.polygon).length for pair in itertools.pairwise(way))
    )


def _stretch(way: FloatArray) -> FloatArray:
    """How the length grows with each point, shape (n, 2)."""
    step = np.diff(way, axis=0)
    length = np.hypot(*step.T)[:, None]
    unit = np.divide(step, length, out=np.zeros_like(step), where=length > 0.0)
    slope = np.zeros_like(way)
    slope[1:] += unit
    slope[:-1] -= unit
    return slope


def _ends(way: FloatArray) -> FloatArray | None:
    return None if len(way) < 2 else np.stack([way[0], way[-1]])
