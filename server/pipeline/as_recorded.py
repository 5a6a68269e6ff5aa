"""How a record will tell where a piece stands, before anything is ruled on it.

What is ruled on is what is recorded, to the last digit: ruled again, it comes out as it did.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status

PER_INCH = 1000
PER_RADIAN = 10_000
"""Quanta of a place: 0.001 inch, 0.0001 radian."""

MOST_TURNED = math.floor(math.pi * PER_RADIAN)
"""Quanta of the largest heading: one more leads past half a turn, and is read as one the other way."""

NOTICED = 0.1
"""Variances, and what poses have in common, are told anew when they have changed by this share."""


def single(uncertainty: PoseUncertainty) -> PoseUncertainty:
    """The same uncertainty in 32 bits a number, as it is kept; its own part by the upper triangle."""
    own = np.triu(uncertainty.own.astype("<f4").astype(np.float64))
    own = own + np.triu(own, 1).T
    return PoseUncertainty(own, uncertainty.shared.astype("<f4"))


def in_quanta(pose: Pose) -> Pose:
    """The nearest place in whole quanta; in quanta it is itself."""
    x, y = (round(v * PER_INCH) / PER_INCH for v in (pose.x, pose.y))
    turned = max(-MOST_TURNED, min(MOST_TURNED, round(pose.heading * PER_RADIAN)))
    return Pose(x, y, turned / PER_RADIAN)


class _Noticed:
    """An uncertainty as it was told, and how far from it another one may be that is told by it still."""

    def __init__(self, uncertainty: PoseUncertainty) -> None:
        self.uncertainty = uncertainty
        self._own = np.asarray(uncertainty.own).diagonal()
        self._room = NOTICED * np.maximum(self._own, 1e-12)
        most = np.abs(uncertainty.shared).max(axis=1, initial=0.0)
        self._room_shared = NOTICED * np.maximum(most, 1e-9)[:, None]

    def holds(self, new: PoseUncertainty) -> bool:
        """Whether this one still says it: the same size, and common to poses in the same way.

        Loadings of one calibration stay together: another one may count its errors otherwise.
        """
        shared = self.uncertainty.shared
        if new.shared.shape != shared.shape:
            return False
        own = np.abs(new.own.diagonal() - self._own) <= self._room
        return bool(own.all() and (np.abs(new.shared - shared) <= self._room_shared).all())


class _Last(NamedTuple):
    """A piece as it was seen, and as it was told."""

    seen: Standing
    told: Standing
    noticed: _Noticed


class AsRecorded:
    """Tells every piece of a table as its record will, frame by frame."""

    def __init__(self) -> None:
        self._last: dict[str, _Last] = {}

    def told(self, standings: Sequence[Standing]) -> tuple[Standing, ...]:
        """These pieces at places in whole quanta, as surely as they were told before where that holds."""
        return tuple(map(self._one, standings))

    def _one(self, s: Standing) -> Standing:
        last = self._last.get(s.name)
        pose = in_quanta(s.pose) if last is None or last.seen.pose is not s.pose else last.told.pose
        noticed = self._noticed(last, s)
        told = Standing(s.piece, pose, noticed.uncertainty, s.status, s.since, s.seen_at)
        self._last[s.name] = _Last(s, told, noticed)
        return told

    def _noticed(self, last: _Last | None, s: Standing) -> _Noticed:
        """How sure the place at which a piece comes to rest is told anew; else what says it still."""
        if last is not None and (last.seen.status is s.status or s.status is not Status.STILL):
            known = last.noticed
            if last.seen.uncertainty is s.uncertainty or known.holds(single(s.uncertainty)):
                return known
        return _Noticed(single(s.uncertainty))
