"""How well do steps explain a track, and which sizes of the steps explain it best.

A row of steps is a way through poses (x, y, heading). A sample is held against the nearest place of
that way, whenever it was there: hands stop, go back a little and go on. The sizes are those that
lead from where the piece stood to where it stands, which the camera knows best, and pass by the
samples in between.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.measure.sweep import Step, Straight, Turn, poses_after, poses_along
from engine.space.geometry import FloatArray, Pose, wrap_angle

WOBBLE = 0.05
"""Inches by which a hand strays from a straight line or lets a pivot slip on its way (house default)."""

WOBBLE_TURN = math.radians(1.2)
"""Radians by which a hand lets the heading stray on its way (house default)."""

OVERSHOOT = 1.5
"""Inches by which a hand may push too far and come back (house default)."""

OVERSHOOT_TURN = math.radians(25.0)
"""Radians by which a hand may turn too far and come back (house default)."""

_FAR = 16.0  # a sample this many squared deviations off counts no more than that
_WORTH = 25.0  # samples of one hand hang together: all of them count like so many that do not
_LOOSE, _LOOSE_TURN = 2.0, math.radians(30.0)
_LITTLE = 1e-6
_PHANTOM, _STRIDE = 20.0, 0.25


@dataclass(frozen=True, eq=False)
class Fit:
    """Steps with the sizes that explain a track best, from `start`.

    `start` is where the piece stood as the whole track has it: the first sample, its heading as much better
    as the way tells how the tag sits on the piece. `cost` is half a log-likelihood's double: squared
    deviations of the samples and of the end. `covariance` is that of the sizes, in the order of `sizes_of`.
    `strays` are the samples' distances from the way in inches, shape (n,).
    """

    start: Pose
    steps: tuple[Step, ...]
    covariance: FloatArray
    cost: float
    strays: FloatArray


@dataclass(frozen=True, eq=False)
class Track:
    """What was seen: `rows` (n, 3) as (x, y, heading), inches and radians, headings unwound.

    The first row is where the piece stood and the last where it stands, known with the
    covariances `start_spread` and `end_spread` (3, 3); `sd` and `sd_heading` are those of the others.
    """

    rows: FloatArray
    start_spread: FloatArray
    end_spread: FloatArray
    sd: float
    sd_heading: float

    @property
    def start(self) -> Pose:
        """Where it stood."""
        return Pose(*map(float, self.rows[0]))

    @property
    def end(self) -> Pose:
        """Where it stands."""
        return Pose(*map(float, self.rows[-1]))

    @property
    def turned(self) -> float:
        """By how much the heading changed in all, radians, whole turns kept."""
        return float(self.rows[-1, 2] - self.rows[0, 2])

    def turned_back(self, askew: float) -> Track:
        """The same where every heading was read too large by `askew` radians."""
        return replace(self, rows=self.rows - (0.0, 0.0, askew))

    @property
    def longest_gap(self) -> float:
        """The longest stretch between two samples in inches, a turn counted at the way of a point 1" off."""
        gaps = np.abs(np.diff(self.rows, axis=0))
        return float((np.hypot(gaps[:, 0], gaps[:, 1]) + gaps[:, 2]).max(initial=0.0))


def sizes_of(steps: Sequence[Step]) -> FloatArray:
    """The free sizes of steps in a row: ahead, ahead and left, or angle."""
    sizes: list[float] = []
    for step in steps:
        if isinstance(step, Turn):
            sizes.append(step.angle)
        else:
            sizes += [step.ahead] if step.left == 0.0 else [step.ahead, step.left]
    return np.array(sizes)


def with_sizes(steps: Sequence[Step], sizes: FloatArray) -> tuple[Step, ...]:
    """The same steps with other sizes."""
    values = iter(float(v) for v in sizes)
    out: list[Step] = []
    for step in steps:
        if isinstance(step, Turn):
            out.append(Turn(next(values), step.pivot))
        else:
            out.append(Straight(next(values), next(values) if step.left != 0.0 else 0.0))
    return tuple(out)


def count_of(step: Step) -> int:
    """How many free sizes a step has."""
    return 1 if isinstance(step, Turn) or step.left == 0.0 else 2


def misfit(start: Pose, steps: Sequence[Step], rows: FloatArray, sd: float, sd_heading: float) -> FloatArray:
    """How far samples (n, 3) are off the way, in deviations: (n, 3) as (x, y, heading).

    The nearest step counts; a hand may overshoot it a little at either end.
    """
    starts = np.array([(start.x, start.y, start.heading)])
    off, _ = _walked(starts, steps, sizes_of(steps)[None], rows[None])
    return np.asarray(_nearest(off, sd, sd_heading)[0])


def _nearest(off: FloatArray, sd: float, sd_heading: float) -> FloatArray:
    """What samples are off the nearest of the steps (k, m, n, 3), in deviations: (m, n, 3)."""
    error, error_turn = math.hypot(sd, WOBBLE), math.hypot(sd_heading, WOBBLE_TURN)
    off = off / (error, error, error_turn)
    nearest = (off**2).sum(axis=3).argmin(axis=0)
    return np.asarray(np.take_along_axis(off, nearest[None, ..., None], axis=0)[0])


def _walked(
    starts: FloatArray, steps: Sequence[Step], sizes: FloatArray, rows: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What samples (m, n, 3) are off each of k steps, (k, m, n, 3), and where these end, (m, 3).

    They are walked in `m` ways at once: each from a start of its own (m, 3) and with sizes of its own, a row
    of (m, sizes). Without any step the samples are held against the start.
    """
    here, columns, off = starts, iter(sizes.T), []
    for step in steps:
        if isinstance(step, Turn):
            found, here = _turned(here, step.pivot, next(columns), rows)
        else:
            ahead = next(columns)
            left = next(columns) if step.left != 0.0 else np.zeros_like(ahead)
            found, here = _run(here, ahead, left, rows)
        off.append(found)
    return np.stack(off) if off else (rows - starts[:, None])[None], here


def _run(
    here: FloatArray, ahead: FloatArray, left: FloatArray, rows: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What samples are off runs from poses (m, 3), and where these end."""
    nose = np.stack([np.cos(here[:, 2]), np.sin(here[:, 2])], axis=1)
    way = ahead[:, None] * nose + left[:, None] * nose[:, ::-1] * (-1.0, 1.0)
    length = np.hypot(way[:, 0], way[:, 1])[:, None]
    unit = np.where(length > _LITTLE, way / np.maximum(length, _LITTLE), nose)[:, None]
    off = rows - here[:, None]
    along = np.clip((off[..., :2] * unit).sum(axis=2), -OVERSHOOT, length + OVERSHOOT)
    off[..., :2] -= along[..., None] * unit
    off[..., 2] = _wrapped(off[..., 2])
    return off, here + np.column_stack([way, np.zeros(len(way))])


def _turned(
    here: FloatArray, pivot: tuple[float, float], angle: FloatArray, rows: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What samples are off turns from poses (m, 3), and where these end."""
    fixed = here[:, None, :2] + _arm(here[:, None, 2], pivot)
    low = np.minimum(angle, 0.0)[:, None] - OVERSHOOT_TURN
    high = np.maximum(angle, 0.0)[:, None] + OVERSHOOT_TURN
    # Large turns pass the half circle: take the angle that lies nearest to the turn's own middle.
    middle = angle[:, None] / 2
    turned = middle + _wrapped(rows[..., 2] - here[:, None, 2] - middle)
    share = np.clip(turned, low, high)
    off = rows - here[:, None]
    off[..., :2] = rows[..., :2] - (fixed - _arm(here[:, None, 2] + share, pivot))
    off[..., 2] = turned - share
    heading = here[:, 2] + angle
    return off, np.column_stack([fixed[:, 0] - _arm(heading, pivot), heading])


def _arm(headings: FloatArray, pivot: tuple[float, float]) -> FloatArray:
    """What leads from a body's origin to its pivot at these headings (...), inches: (..., 2)."""
    cos, sin, (x, y) = np.cos(headings), np.sin(headings), pivot
    return np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)


def _wrapped(angles: FloatArray) -> FloatArray:
    """The same directions in [-pi, pi) radians."""
    return np.asarray(np.remainder(angles + math.pi, math.tau) - math.pi)


def cost_of(track: Track, steps: Sequence[Step], slip: FloatArray) -> float:
    """Squared deviations of samples and end, each sample capped, samples counted as hanging together."""
    off = misfit(track.start, steps, track.rows, track.sd, track.sd_heading)
    samples = np.minimum((off**2).sum(axis=1), _FAR)
    short = _short(track, steps)
    ends = short @ np.linalg.solve(_end_error(track, slip), short)
    return float(samples.mean() * min(len(samples), _WORTH) + ends + _PHANTOM * _unwalked(track, steps))


def _unwalked(track: Track, steps: Sequence[Step]) -> float:
    """How many inches of the way were walked by nobody: no sample near, and no gap to hide them in."""
    places = [track.rows[:1]]
    for pose, step in zip(poses_along(track.start, steps), steps, strict=False):
        count = max(math.ceil(step.size / _STRIDE), 1)
        places.append(poses_after(step, pose, np.arange(1, count + 1) / count))
    way = np.concatenate(places)
    apart = way[:, None] - track.rows[None]
    lonely = (np.hypot(apart[..., 0], apart[..., 1]) + np.abs(_wrapped(apart[..., 2]))).min(
        axis=1
    ) > 2.0 * _STRIDE
    return max(_STRIDE * float(lonely.sum()) - 1.2 * track.longest_gap, 0.0)


def _end_error(track: Track, slip: FloatArray) -> FloatArray:
    """The covariance of where the steps' end is missed: both rests, and what a hand lets slip.

    A rest is read no worse than a sample: by what more its heading is unsure, the other one's is, too.
    """
    lever = np.eye(3)
    lever[:2, 2] = [track.start.y - track.end.y, track.end.x - track.start.x]
    start, end = (_read(spread, track.sd_heading) for spread in (track.start_spread, track.end_spread))
    both = end + lever @ start @ lever.T
    return np.asarray(both + slip + np.diag([1e-10] * 3))


def _read(spread: FloatArray, sd_heading: float) -> FloatArray:
    alone = np.diag([1.0, 1.0, min(sd_heading / max(math.sqrt(spread[2, 2]), _LITTLE), 1.0)])
    return np.asarray(alone @ spread @ alone)


def _short(track: Track, steps: Sequence[Step]) -> FloatArray:
    pose = poses_along(track.start, steps)[-1]
    end = track.end
    return np.array([end.x - pose.x, end.y - pose.y, wrap_angle(end.heading - pose.heading)])


def fitted(
    track: Track, steps: Sequence[Step], slip: FloatArray, rounds: int = 5, *, every: bool = False
) -> Fit:
    """The steps with the sizes that explain the track best (Gauss-Newton from the given sizes).

    Samples far off pull the less, unless `every` one is to pull at them.

    By how much the first heading is off is found with them: how a tag sits on a piece is the same in every
    sample, so that it shows in a way along the heading, and in a drift is as unsure as it is before.
    """
    guess = np.append(sizes_of(steps), 0.0)
    values = guess
    loose = np.array(
        [_LOOSE_TURN if isinstance(s, Turn) else _LOOSE for s in steps for _ in range(count_of(s))]
        + [math.sqrt(track.start_spread[2, 2]) + _LITTLE]
    )
    root = np.linalg.cholesky(np.linalg.inv(_end_error(track, slip))).T
    share = min(1.0, _WORTH / len(track.rows))

    def off(values: FloatArray) -> FloatArray:
        """What is off with each row of values (m, sizes + 1), in deviations."""
        rows = track.rows - values[:, -1, None, None] * (0.0, 0.0, 1.0)
        off_steps, ends = _walked(rows[:, 0], steps, values[:, :-1], rows)
        samples = _nearest(off_steps, track.sd, track.sd_heading)
        squared = (samples**2).sum(axis=2)
        # Samples far off are no part of this way and must not pull at it.
        near = np.where(every | (squared < _FAR), 1.0, (_FAR / np.maximum(squared, _FAR)) ** 2)
        samples = samples * np.sqrt(share * near)[..., None]
        short = rows[:, -1] - ends
        short[:, 2] = _wrapped(short[:, 2])
        return np.column_stack([samples.reshape(len(values), -1), short @ root.T, (values - guess) / loose])

    covariance = np.diag(loose**2)
    nudges = np.vstack([np.zeros(len(values)), np.eye(len(values)) * _LITTLE])
    for _ in range(rounds if len(steps) else 0):
        here, *nudged = off(values + nudges)
        slope = (np.stack(nudged, axis=1) - here[:, None]) / _LITTLE
        covariance = np.linalg.inv(slope.T @ slope)
        change = -covariance @ (slope.T @ here)
        values = values + np.clip(change, -0.5, 0.5)
        if float(np.abs(change).max()) < 1e-5:
            break
    done, seen = with_sizes(steps, values[:-1]), track.turned_back(float(values[-1]))
    cost = cost_of(seen, done, slip) + float(values[-1] / loose[-1]) ** 2
    off_way = misfit(seen.start, done, seen.rows, track.sd, track.sd_heading)
    strays = np.hypot(off_way[:, 0], off_way[:, 1]) * math.hypot(track.sd, WOBBLE)
    return Fit(seen.start, done, covariance[:-1, :-1], cost, np.asarray(strays))
