"""Where does one step end and the next begin: a track cut into straight runs and turns.

In a straight run the heading stays and the body goes along a line; in a turn one point of the body, the
pivot, stays in place. The track is cut where that explains it best, with a price for every further step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.measure.sight import IntArray
from engine.measure.sweep import Step, Straight, Turn
from engine.space.geometry import FloatArray

LEAST_RUN = 0.15
"""Inches below which a run is no run but a hand's trembling."""

LEAST_TURN = math.radians(3.0)
"""Radians below which a turn is no turn but a hand's trembling."""

_WOBBLE, _WOBBLE_TURN = 0.03, math.radians(0.6)
_PRICE = 14.0


def cut(rows: FloatArray, pivot: tuple[float, float], sd: float, sd_heading: float) -> list[list[Step]]:
    """The steps of a track (n, 3) of (x, y, heading), with first sizes; what cancels out is put together.

    The sample between a run and a turn belongs to either: runs are given without their neighbours' samples
    and with them, as these lie, and with what leads aside left out: a neighbour may have turned far already.
    """
    kinds = _cut(rows, pivot, sd, sd_heading)
    found = [_first_sizes(rows, kinds, pivot, more) for more in (0, 1)]
    ahead = [Straight(s.ahead) if isinstance(s, Straight) else s for s in found[-1]]
    return [joined(steps) for steps in (*found, ahead)]


def joined(steps: Sequence[Step]) -> list[Step]:
    """Runs on end are one, there and back taken off each other; turns too; what is nothing is left out.

    A player who pushes too far and comes back has measured to where the car then stands.
    """
    out: list[Step] = []
    for step in steps:
        last = out[-1] if out else None
        if isinstance(step, Turn) and isinstance(last, Turn):
            out[-1] = Turn(last.angle + step.angle, step.pivot)
        elif (
            isinstance(step, Straight)
            and isinstance(last, Straight)
            and (step.left == 0.0) == (last.left == 0.0)
        ):
            out[-1] = Straight(last.ahead + step.ahead, last.left + step.left)
        else:
            out.append(step)
    kept = [s for s in out if s.size >= (LEAST_TURN if isinstance(s, Turn) else LEAST_RUN)]
    return kept if len(kept) == len(steps) else joined(kept)


def _cut(
    rows: FloatArray, pivot: tuple[float, float], sd: float, sd_heading: float
) -> list[tuple[str, int, int]]:
    """The track as (kind, first sample, last sample), the cheapest way to cut it."""
    n = len(rows)
    cos, sin = np.cos(rows[:, 2]), np.sin(rows[:, 2])
    held = rows[:, :2] + np.stack([cos * pivot[0] - sin * pivot[1], sin * pivot[0] + cos * pivot[1]], axis=1)
    error, error_turn = math.hypot(sd, _WOBBLE), math.hypot(sd_heading, _WOBBLE_TURN)
    size, spread_xy = _scatter(rows[:, :2])
    _, spread_held = _scatter(held)
    _, spread_turn = _scatter(rows[:, 2:])
    xx, yy, xy = spread_xy[..., 0, 0], spread_xy[..., 1, 1], spread_xy[..., 0, 1]
    across = (xx + yy) / 2 - np.sqrt(((xx - yy) / 2) ** 2 + xy**2)
    straight = np.maximum(across, 0.0) / error**2 + spread_turn[..., 0, 0] / error_turn**2
    lever = math.hypot(*pivot) * sd_heading
    turn = (spread_held[..., 0, 0] + spread_held[..., 1, 1]) / (error**2 + lever**2)
    cost = np.stack([straight, turn])
    cost[:, size < 2] = np.inf
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    back: list[tuple[str, int]] = [("", 0)] * (n + 1)
    for j in range(2, n + 1):
        total = best[None, : j - 1] + cost[:, : j - 1, j - 1] + _PRICE
        kind, i = np.unravel_index(total.argmin(), total.shape)
        best[j] = total[kind, i]
        back[j] = (("straight", "turn")[kind], int(i))
    found: list[tuple[str, int, int]] = []
    last = n
    while last > 0:
        name, first = back[last]
        found.append((name, first, last - 1))
        last = first
    return found[::-1]


def _scatter(values: FloatArray) -> tuple[IntArray, FloatArray]:
    """For samples i..j: how many, and their scatter about their mean, (n, n) and (n, n, d, d)."""
    n, d = values.shape
    values = values - values.mean(axis=0)
    first = np.concatenate([np.zeros((1, d)), np.cumsum(values, axis=0)])
    second = np.concatenate([np.zeros((1, d, d)), np.cumsum(values[:, :, None] * values[:, None], axis=0)])
    size = np.arange(1, n + 1)[None] - np.arange(n)[:, None]
    total = first[None, 1:] - first[:-1, None]
    square = second[None, 1:] - second[:-1, None]
    mean = total / np.maximum(size, 1)[..., None]
    return np.asarray(size), square - total[..., :, None] * mean[..., None, :]


def _first_sizes(
    rows: FloatArray, kinds: list[tuple[str, int, int]], pivot: tuple[float, float], more: int
) -> list[Step]:
    """First sizes of the steps, from the samples; runs with so many more before and after theirs."""
    steps: list[Step] = []
    for k, (kind, i, j) in enumerate(kinds):
        # A step began after the sample before it and ended before the one after it.
        first = rows[max(i - 1, 0)] if k else rows[i]
        if kind == "turn":
            last = rows[min(j + 1, len(rows) - 1)]
            steps.append(Turn(float(last[2] - first[2]), pivot))
            continue
        heading = float(rows[i : j + 1, 2].mean())
        way = rows[min(j + more, len(rows) - 1), :2] - rows[max(i - more, 0), :2]
        ahead = float(way @ (math.cos(heading), math.sin(heading)))
        left = float(way @ (-math.sin(heading), math.cos(heading)))
        sideways = abs(left) >= max(LEAST_RUN, 0.06 * abs(ahead))
        steps.append(Straight(ahead, left if sideways else 0.0))
    return steps
