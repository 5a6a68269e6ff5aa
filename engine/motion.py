"""Which way did it go: a track becomes straight runs, drifts and turns, and is held against a plan.

A hand pushes a car through a few simple steps. In a straight run the heading stays and the body goes
along a line; in a turn one point of the body, the pivot, stays in place. The track is cut where that
explains it best, with a price for every further step; then the steps' sizes are fitted so that they
lead from where the car stood to where it stands, which the camera knows best.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.errors import TableRefError
from engine.geometry import FloatArray, Pose, wrap_angle
from engine.pieces import Body
from engine.ruling import Belief, Measurement
from engine.sight import IntArray
from engine.sweep import Step, Straight, Turn, poses_along

WOBBLE = 0.03
"""Inches by which a hand strays from a straight line or lets a pivot slip (house default)."""

WOBBLE_TURN = math.radians(0.6)
"""Radians by which a hand lets the heading stray in a straight run (house default)."""

_STEP_PRICE = 14.0
_MOST = 90
_LEAST_RUN = 0.15
_LEAST_TURN = math.radians(3.0)
_GUESS, _GUESS_TURN = 0.3, math.radians(4.0)


@dataclass(frozen=True, slots=True)
class Done:
    """One recognised step with the deviations of its sizes: inches and radians."""

    step: Step
    sd_ahead: float = 0.0
    sd_left: float = 0.0
    sd_angle: float = 0.0

    @property
    def kind(self) -> Literal["straight", "drift", "turn"]:
        """What people call it."""
        if isinstance(self.step, Turn):
            return "turn"
        return "drift" if self.step.left != 0.0 else "straight"

    @property
    def words(self) -> str:
        """For people: `turn 35.3° left`, `straight 2.00 in`."""
        return step_words(self.step)


@dataclass(frozen=True, eq=False)
class Manoeuvre:
    """What a track was: from `start` to `end`, through `steps`.

    `runs` are the same with straight steps that follow each other put together, their drifts added.
    `length` is the sum of the straight runs along the heading in inches, as a ruler held at the
    front measures it, and `turn` the sum of the turns in radians, both with deviation.
    """

    start: Pose
    end: Pose
    steps: tuple[Done, ...]
    runs: tuple[Done, ...]
    length: Measurement
    turn: Measurement

    @property
    def words(self) -> str:
        """For people: the steps in order."""
        return ", ".join(done.words for done in self.steps) or "stood still"


def step_words(step: Step) -> str:
    """A step as players say it.

    >>> step_words(Turn(math.radians(-40)))
    'turn 40.0° right'
    >>> step_words(Straight(2, -1))
    'straight 2.00 in with a drift of 1.00 in right'
    """
    if isinstance(step, Turn):
        return f"turn {math.degrees(abs(step.angle)):.1f}° {'left' if step.angle >= 0 else 'right'}"
    way = f"straight {step.ahead:.2f} in" if step.ahead >= 0 else f"back {-step.ahead:.2f} in"
    if step.left == 0.0:
        return way
    return f"{way} with a drift of {abs(step.left):.2f} in {'left' if step.left > 0 else 'right'}"


def rear_of(body: Body) -> tuple[float, float]:
    """The middle of the body's rear edge: where a ruler lies when a car is turned on its rear."""
    outline = body.footprint.outline
    return float(outline[:, 0].min()), float((outline[:, 1].min() + outline[:, 1].max()) / 2)


def recognise(
    track: Sequence[Pose],
    *,
    pivot: tuple[float, float] = (0.0, 0.0),
    sd: float = 0.01,
    sd_heading: float = math.radians(0.4),
) -> Manoeuvre:
    """The straight runs, drifts and turns of a track of at least two poses, in order of time.

    `pivot` is the body point that stays in place in a turn (inches), `sd` and `sd_heading` the
    deviations of one sample. Samples at rest before and after are averaged, so hand over a few.
    """
    if len(track) < 2:
        raise TableRefError(f"a track needs at least two poses but got {len(track)}; keep the car in view")
    rows = _unwound(track)
    start, rest_at_start = _rest(rows, sd, sd_heading)
    end, rest_at_end = _rest(rows[::-1], sd, sd_heading)
    moving = rows[max(rest_at_start - 1, 0) : len(rows) - max(rest_at_end - 1, 0)]
    moving = _thinned(np.concatenate([[start], moving, [end]]))
    kinds = _cut(moving, pivot, sd, sd_heading)
    guesses = _guesses(moving, kinds, pivot)
    spread = (
        np.diag([sd, sd, sd_heading]) ** 2 / rest_at_start,
        np.diag([sd, sd, sd_heading]) ** 2 / rest_at_end,
    )
    return _fitted(Pose(*start), end, guesses, spread)


def _unwound(track: Sequence[Pose]) -> FloatArray:
    rows = np.array([(p.x, p.y, p.heading) for p in track])
    rows[:, 2] = np.unwrap(rows[:, 2])
    return rows


def _rest(rows: FloatArray, sd: float, sd_heading: float) -> tuple[FloatArray, int]:
    """The mean of the leading samples that stand still, and how many they are."""
    away = np.hypot(*(rows[:, :2] - rows[0, :2]).T) > 5.0 * sd
    away |= np.abs(rows[:, 2] - rows[0, 2]) > 5.0 * sd_heading
    still = int(away.argmax()) if away.any() else len(rows)
    # The last of them may have begun to move.
    still = max(still - 1, 1) if away.any() else still
    return rows[:still].mean(axis=0), still


def _thinned(rows: FloatArray) -> FloatArray:
    if len(rows) <= _MOST:
        return rows
    effort = np.abs(np.diff(rows, axis=0)) @ (1.0, 1.0, 1.5)
    place = np.concatenate([[0.0], np.cumsum(effort)])
    chosen = np.unique(np.searchsorted(place, np.linspace(0.0, place[-1], _MOST)))
    return rows[np.clip(chosen, 0, len(rows) - 1)]


def _cut(
    rows: FloatArray, pivot: tuple[float, float], sd: float, sd_heading: float
) -> list[tuple[str, int, int]]:
    """The track as (kind, first sample, last sample), the cheapest way to cut it."""
    n = len(rows)
    cos, sin = np.cos(rows[:, 2]), np.sin(rows[:, 2])
    held = rows[:, :2] + np.stack([cos * pivot[0] - sin * pivot[1], sin * pivot[0] + cos * pivot[1]], axis=1)
    error, error_turn = math.hypot(sd, WOBBLE), math.hypot(sd_heading, WOBBLE_TURN)
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
        total = best[None, : j - 1] + cost[:, : j - 1, j - 1] + _STEP_PRICE
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


def _guesses(rows: FloatArray, kinds: list[tuple[str, int, int]], pivot: tuple[float, float]) -> list[Step]:
    """First sizes of the steps, from the samples; steps that are nothing are left out."""
    steps: list[Step] = []
    for k, (kind, i, j) in enumerate(kinds):
        # A step began after the sample before it and ended before the one after it.
        first = rows[max(i - 1, 0)] if k else rows[i]
        if kind == "turn":
            after = rows[min(j + 1, len(rows) - 1)]
            angle = float(after[2] - first[2])
            if abs(angle) >= _LEAST_TURN:
                steps.append(Turn(angle, pivot))
            continue
        heading = float(rows[i : j + 1, 2].mean())
        way = rows[j, :2] - rows[i, :2]
        ahead = float(way @ (math.cos(heading), math.sin(heading)))
        left = float(way @ (-math.sin(heading), math.cos(heading)))
        if math.hypot(ahead, left) >= _LEAST_RUN:
            sideways = abs(left) >= max(_LEAST_RUN, 4.0 * WOBBLE, 0.06 * abs(ahead))
            steps.append(Straight(ahead, left if sideways else 0.0))
    return _joined(steps)


def _joined(steps: Sequence[Step]) -> list[Step]:
    """Two straight runs in one direction, or two turns on end, are one."""
    out: list[Step] = []
    for step in steps:
        last = out[-1] if out else None
        if isinstance(step, Turn) and isinstance(last, Turn):
            out[-1] = Turn(last.angle + step.angle, step.pivot)
        elif (
            isinstance(step, Straight)
            and isinstance(last, Straight)
            and (step.left == 0.0) == (last.left == 0.0)
            and step.ahead * last.ahead > 0.0
        ):
            out[-1] = Straight(last.ahead + step.ahead, last.left + step.left)
        else:
            out.append(step)
    return out


def _sizes(steps: Sequence[Step]) -> FloatArray:
    sizes: list[float] = []
    for step in steps:
        if isinstance(step, Turn):
            sizes.append(step.angle)
        else:
            sizes += [step.ahead] if step.left == 0.0 else [step.ahead, step.left]
    return np.array(sizes)


def _with_sizes(steps: Sequence[Step], sizes: FloatArray) -> list[Step]:
    values = iter(float(v) for v in sizes)
    out: list[Step] = []
    for step in steps:
        if isinstance(step, Turn):
            out.append(Turn(next(values), step.pivot))
        else:
            out.append(Straight(next(values), next(values) if step.left != 0.0 else 0.0))
    return out


def _fitted(
    start: Pose, end: FloatArray, steps: list[Step], spread: tuple[FloatArray, FloatArray]
) -> Manoeuvre:
    """Sizes that lead from start to end, as near to the first guesses as may be (Gauss-Newton)."""
    sizes, guess = _sizes(steps), _sizes(steps)
    prior = np.array(
        [_GUESS_TURN if isinstance(s, Turn) else _GUESS for s in steps for _ in range(_count(s))]
    )

    def arrives(sizes: FloatArray, begin: Pose) -> FloatArray:
        pose = poses_along(begin, _with_sizes(steps, sizes))[-1]
        return np.array([pose.x, pose.y, pose.heading])

    def slope(at: FloatArray, call: Callable[[FloatArray], FloatArray]) -> FloatArray:
        columns = []
        for unit in np.eye(len(at)) * 1e-6:
            change = call(at + unit) - call(at - unit)
            change[2] = wrap_angle(float(change[2]))
            columns.append(change / 2e-6)
        return np.array(columns).T if columns else np.zeros((3, 0))

    begin = np.array([start.x, start.y, start.heading])
    covariance = np.diag(prior**2)
    for _ in range(8):
        from_start = slope(begin, functools.partial(_arrives_from, arrives, sizes))
        by_size = slope(sizes, lambda v: arrives(v, start))
        error = spread[1] + from_start @ spread[0] @ from_start.T + np.diag([1e-12] * 3)
        weight = np.linalg.inv(error)
        short = end - arrives(sizes, start)
        short[2] = wrap_angle(float(short[2]))
        normal = by_size.T @ weight @ by_size + np.diag(1.0 / prior**2)
        covariance = np.linalg.inv(normal)
        step = covariance @ (by_size.T @ weight @ short + (guess - sizes) / prior**2)
        sizes = sizes + step
        if not len(step) or float(np.abs(step).max()) < 1e-10:
            break
    return _manoeuvre(start, Pose(*end), _with_sizes(steps, sizes), covariance)


def _arrives_from(
    arrives: Callable[[FloatArray, Pose], FloatArray], sizes: FloatArray, begin: FloatArray
) -> FloatArray:
    return arrives(sizes, Pose(*map(float, begin)))


def _count(step: Step) -> int:
    return 1 if isinstance(step, Turn) or step.left == 0.0 else 2


def _manoeuvre(start: Pose, end: Pose, steps: list[Step], covariance: FloatArray) -> Manoeuvre:
    count = len(covariance)
    # Which sizes make up the ahead, left and angle of each step, and of each run of straight steps.
    rows: list[FloatArray] = []
    k = 0
    for step in steps:
        row = np.zeros((3, count))
        if isinstance(step, Turn):
            row[2, k] = 1.0
        else:
            row[0, k] = 1.0
            if step.left != 0.0:
                row[1, k + 1] = 1.0
        rows.append(row)
        k += _count(step)
    runs: list[tuple[Step, FloatArray]] = []
    for step, row in zip(steps, rows, strict=True):
        last = runs[-1][0] if runs else None
        if isinstance(step, Straight) and isinstance(last, Straight):
            runs[-1] = (Straight(last.ahead + step.ahead, last.left + step.left), runs[-1][1] + row)
        else:
            runs.append((step, row))
    length = sum(abs(s.ahead) for s in steps if isinstance(s, Straight))
    angle = sum(s.angle for s in steps if isinstance(s, Turn))
    total = np.sum(rows, axis=0) if rows else np.zeros((3, count))
    sds = np.sqrt(np.einsum("rk,kl,rl->r", total, covariance, total))
    return Manoeuvre(
        start,
        end,
        tuple(_done(step, row, covariance) for step, row in zip(steps, rows, strict=True)),
        tuple(_done(step, row, covariance) for step, row in runs),
        Measurement(Belief(float(length), float(sds[0]))),
        Measurement(Belief(float(angle), float(sds[2])), "rad"),
    )


def _done(step: Step, row: FloatArray, covariance: FloatArray) -> Done:
    ahead, left, angle = np.sqrt(np.einsum("rk,kl,rl->r", row, covariance, row))
    return Done(step, float(ahead), float(left), float(angle))
