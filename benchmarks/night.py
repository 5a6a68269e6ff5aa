"""A night of play without a camera: what a tracker says of 20 pieces, frame by frame, for hours.

Reads carry the noise that the simulated table's do; a still piece stands at the mean of its last 60
reads, as in `vision.track`. Cars take turns: each is pushed for two to four seconds, sometimes
covered by a hand, and stands for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, Status

READ_IN, READ_RAD = 0.003, 0.004
"""The noise of one read that is new in every frame, inches and radians."""

AVERAGED = 60
LASTING = 0.4
SHARED = 15
"""So many errors of the calibration are common to all poses."""

TURN_S = 8.0
"""Somebody moves a car every so many seconds, for four hours: 1800 moves."""

COVERED = 0.3
"""Of moves in which a hand covers the car for a second first."""


def night(
    pieces: list[Piece], seconds: float, fps: float, seed: int = 1, table_in: float = 46.0
) -> Iterator[tuple[float, tuple[Standing, ...]]]:
    """Time and standings of every frame. The first half of the pieces are cars that move."""
    rng = np.random.default_rng(seed)
    cars = max(1, len(pieces) // 2)
    at = np.column_stack([rng.uniform(1, table_in, (len(pieces), 2)), rng.uniform(-3, 3, len(pieces))])
    state = [_Still(piece, at[k], rng) for k, piece in enumerate(pieces)]
    mover, began, lasts, steps = 0, TURN_S, 0.0, np.zeros((1, 3))
    per_frame = 1.0 / fps
    for frame in range(int(seconds * fps)):
        time = frame * per_frame
        if time >= began + TURN_S:
            began, mover = time, int(rng.integers(cars))
            covered = 1.0 if rng.random() < COVERED else 0.0
            lasts = covered + rng.uniform(2, 4)
            steps = _way(state[mover].place, int((lasts - covered) * fps), table_in, rng)
        gone = int((time - began - (lasts - len(steps) * per_frame)) * fps)
        for k, one in enumerate(state):
            if k != mover or time - began > lasts or time < TURN_S:
                one.stand(time)
            elif gone < 0:
                one.cover()
            else:
                one.move(time, steps[min(gone, len(steps) - 1)])
        yield time, tuple(one.standing for one in state)


def _way(place: FloatArray, count: int, table_in: float, rng: np.random.Generator) -> FloatArray:
    """Poses on a push with an easy start and stop, (count, 3)."""
    to = np.append(np.clip(place[:2] + rng.normal(0, 5, 2), 1, table_in), place[2] + rng.normal(0, 0.6))
    share = (1 - np.cos(np.linspace(0, math.pi, max(2, count))))[:, None] / 2
    return np.asarray(place + share * (to - place))


class _Still:
    """One piece as the tracker sees it."""

    def __init__(self, piece: Piece, place: FloatArray, rng: np.random.Generator) -> None:
        self.piece = piece
        self.place = place
        self._rng = rng
        self._reads: list[FloatArray] = []
        self._noise: list[FloatArray] = []
        self._since = 0.0
        self._status = Status.MOVING
        self._known(rng)
        self.standing = self._now(0.0, place, Status.MOVING, 1)

    def _known(self, rng: np.random.Generator) -> None:
        self._shared = rng.normal(0, 0.0015, (3, SHARED)) * np.array([[1.0], [1.0], [0.02]])

    def _read(self) -> FloatArray:
        if not self._noise:
            many = self._rng.normal(0, 1, (256, 3)) * (READ_IN, READ_IN, READ_RAD)
            self._noise = list(many)
        return np.asarray(self.place + self._noise.pop())

    def stand(self, time: float) -> None:
        """Reads a still piece once more."""
        if self._status is not Status.STILL:
            self._reads, self._since = [], time
        self._reads = [*self._reads[-(AVERAGED - 1) :], self._read()]
        mean = np.sum(self._reads, axis=0) / len(self._reads)
        self.standing = self._now(time, mean, Status.STILL, len(self._reads))

    def cover(self) -> None:
        """A hand is over it."""
        s = self.standing
        self.standing = Standing(s.piece, s.pose, s.uncertainty, Status.HELD, self._since, s.seen_at)
        self._status = Status.HELD

    def move(self, time: float, place: FloatArray) -> None:
        """It is under way."""
        if self._status is not Status.MOVING:
            self._since = time
            self._known(self._rng)
        self.place = place
        self.standing = self._now(time, self._read(), Status.MOVING, 1)

    def _now(self, time: float, seen: FloatArray, status: Status, reads: int) -> Standing:
        self._status = status
        kept = LASTING + (1 - LASTING) / reads
        own = np.diag(
            [0.02**2 + kept * READ_IN**2, 0.02**2 + kept * READ_IN**2, 0.0175**2 + kept * READ_RAD**2]
        )
        x, y, heading = (float(v) for v in seen)
        known = PoseUncertainty(own, self._shared)
        return Standing(self.piece, Pose(x, y, heading), known, status, self._since, time)
