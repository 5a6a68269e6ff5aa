"""What could it have been: steps that could lead from where a piece stood to where it stands.

The plain ones follow from start and end alone, so that a hand may hide the whole way. The others look
at the samples too: where the heading began to change and where it rested, how far it swung out, where
the body went aside.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from engine.measure.sweep import Step, Straight, Turn
from engine.motion.fit import Track
from engine.motion.segmentation import LEAST_RUN, LEAST_TURN, cut, joined
from engine.space.geometry import FloatArray, Pose

LEAST_DRIFT = 0.15
"""Inches below which a run that ends aside of its line is no drift but a hand's trembling."""

_MIDDLE = (0.0, 0.0)
_SWING = math.radians(6.0)

Pivot = tuple[float, float]


def plain(track: Track, pivots: Sequence[Pivot]) -> list[list[Step]]:
    """What start and end alone allow: one run, one drift, one turn with its runs."""
    move = track.start.inverse().compose(track.end)
    found: list[list[Step]] = [[], [Straight(move.x)]]
    if abs(move.y) >= LEAST_DRIFT:
        found += _drifts(track, move)
    if abs(track.turned) >= LEAST_TURN:
        found.append([Turn(track.turned, _MIDDLE)])
        for pivot in pivots:
            found += _turns(move, track.turned, pivot)
    return [joined(steps) for steps in found]


def winding(track: Track, pivots: Sequence[Pivot]) -> list[list[Step]]:
    """What the samples suggest: a drift and a turn, two turns, the steps into which the track falls."""
    found: list[list[Step]] = []
    for pivot in pivots:
        found += _drift_and_turn(track, pivot)
        found += _two_turns(track, pivot)
        found += cut(track.rows, pivot, track.sd, track.sd_heading)
    return [joined(steps) for steps in found]


def fuller(steps: Sequence[Step]) -> list[list[Step]]:
    """The same steps with one more run before or after a turn: what a hand may have hidden."""
    found: list[list[Step]] = []
    if steps and isinstance(steps[-1], Turn):
        found.append([*steps, Straight(0.5)])
    if steps and isinstance(steps[0], Turn):
        found.append([Straight(0.5), *steps])
    return found


def _turns(move: Pose, angle: float, pivot: Pivot) -> list[list[Step]]:
    """A turn with runs before and after it; `move` is the end in the start's frame."""
    way = move.to_table(np.array(pivot)) - pivot
    turn, sin, cos = Turn(angle, pivot), math.sin(angle), math.cos(angle)
    found: list[list[Step]] = [
        [turn],
        [Straight(float(way[0])), turn],
        [turn, Straight(float(way @ (cos, sin)))],
    ]
    if abs(sin) >= math.sin(LEAST_TURN):
        after = float(way[1]) / sin
        found.append([Straight(float(way[0]) - after * cos), turn, Straight(after)])
    return found


def _drifts(track: Track, move: Pose) -> list[list[Step]]:
    """A drift with straight runs before and after it, by where the samples begin and end to go aside."""
    body = np.array([track.start.to_body(row) for row in track.rows[:, :2]])
    aside = body[:, 1] / move.y
    early, late = body[aside < 0.15, 0], body[aside > 0.85, 0]
    ahead = move.x
    # The ends of a gently begun drift, from where it is at a seventh and at six sevenths.
    a = float(early.max(initial=0.0)) if ahead > 0 else float(early.min(initial=0.0))
    b = float(late.min(initial=ahead)) if ahead > 0 else float(late.max(initial=ahead))
    a, b = a - 0.15 * (b - a) / 0.7, b + 0.15 * (b - a) / 0.7
    a, b = (min(max(v / ahead, 0.0), 1.0) * ahead if abs(ahead) > LEAST_RUN else 0.0 for v in (a, b))
    inch = math.copysign(min(1.0, abs(ahead)), ahead)
    places: list[list[Step]] = [
        [Straight(k * (ahead - inch)), Straight(inch, move.y), Straight((1.0 - k) * (ahead - inch))]
        for k in (0.0, 0.5, 1.0)
    ]
    return [
        *places,
        [Straight(ahead, move.y)],
        [Straight(a), Straight(ahead - a, move.y)],
        [Straight(b, move.y), Straight(ahead - b)],
        [Straight(a), Straight(b - a, move.y), Straight(ahead - b)],
    ]


def _drift_and_turn(track: Track, pivot: Pivot) -> list[list[Step]]:
    """A turn between runs of which one goes aside, by the samples at the first and at the last heading."""
    if abs(track.turned) < LEAST_TURN:
        return []
    near = max(2.0 * track.sd_heading, math.radians(2.0))
    first = np.flatnonzero(np.abs(track.rows[:, 2] - track.rows[0, 2]) < near)
    last = np.flatnonzero(np.abs(track.rows[:, 2] - track.rows[-1, 2]) < near)
    begun, ended = _pose(track.rows[first[-1]]), _pose(track.rows[last[0]])
    before = Straight(*track.start.to_body(begun.xy).tolist())
    after = Straight(*ended.to_body(track.end.xy).tolist())
    turn = Turn(track.turned, pivot)
    found: list[list[Step]] = []
    if abs(before.left) >= LEAST_DRIFT:
        found.append([before, turn, Straight(after.ahead)])
    if abs(after.left) >= LEAST_DRIFT:
        found.append([Straight(before.ahead), turn, after])
    # Where the drift was hidden: an inch aside before the turn, or after it.
    move = track.start.inverse().compose(track.end)
    sin, cos = math.sin(track.turned), math.cos(track.turned)
    for left, before_turn in itertools.product((-1.0, 1.0), (True, False)):
        x, y = (0.0, left) if before_turn else (-left * sin, left * cos)
        for steps in _turns(Pose(move.x - x, move.y - y, move.heading), track.turned, pivot)[3:]:
            k = 0 if before_turn else 2
            run = steps[k]
            assert isinstance(run, Straight)
            steps[k] = Straight(run.ahead, left)
            found.append(steps)
    return found


def _two_turns(track: Track, pivot: Pivot) -> list[list[Step]]:
    """Two turns against each other, by where the heading swung out farthest."""
    low, high = sorted((float(track.rows[0, 2]), float(track.rows[-1, 2])))
    swing = track.rows[:, 2] - np.clip(track.rows[:, 2], low, high)
    out = int(np.abs(swing).argmax())
    if abs(swing[out]) < _SWING:
        return []
    resting = np.flatnonzero(np.abs(swing - swing[out]) < max(2.0 * track.sd_heading, math.radians(2.0)))
    found: list[list[Step]] = []
    for k in {int(resting[0]), int(resting[-1])}:
        there = _pose(track.rows[k])
        angle = float(track.rows[k, 2] - track.rows[0, 2])
        firsts = _turns(track.start.inverse().compose(there), angle, pivot)
        seconds = _turns(there.inverse().compose(track.end), track.turned - angle, pivot)
        found += [[*a, *b] for a, b in itertools.product(firsts[2:], seconds[2:])]
    return found


def _pose(row: FloatArray) -> Pose:
    return Pose(*map(float, row))
