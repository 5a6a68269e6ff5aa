"""How a record will tell where a piece stands, before anything is ruled on it.

What is ruled on is what is recorded, to the last digit: ruled again, it comes out as it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status

PER_INCH = 1000
PER_RADIAN = 10_000
"""Quanta of a place: 0.001 inch, 0.0001 radian."""

NOTICED = 0.1
"""Variances, and what poses have in common, are told anew when they have changed by this share."""


def single(uncertainty: PoseUncertainty) -> PoseUncertainty:
    """The same uncertainty in 32 bits a number, as it is kept; its own part by the upper triangle."""
    own = np.triu(uncertainty.own.astype("<f4").astype(np.float64))
    own = own + np.triu(own, 1).T
    return PoseUncertainty(own, uncertainty.shared.astype("<f4"))


class _Told:
    """How surely a piece was told to stand where it does, and how far from that it may be told so still."""

    def __init__(self, standing: Standing, uncertainty: PoseUncertainty) -> None:
        self.status, self.of, self.uncertainty = standing.status, standing.uncertainty, uncertainty
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


class AsRecorded:
    """Tells every piece of a table as its record will, frame by frame."""

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}

    def told(self, standings: Sequence[Standing]) -> tuple[Standing, ...]:
        """These pieces at places in whole quanta, as surely as they were told before where that holds."""
        return tuple(map(self._one, standings))

    def _one(self, s: Standing) -> Standing:
        x, y = (round(v * PER_INCH) / PER_INCH for v in s.pose.xy)
        pose = Pose(x, y, round(s.pose.heading * PER_RADIAN) / PER_RADIAN)
        return replace(s, pose=pose, uncertainty=self._sure(s))

    def _sure(self, s: Standing) -> PoseUncertainty:
        last = self._told.get(s.name)
        # How sure the place is at which a piece comes to rest is told anew.
        rests = last is not None and last.status is not s.status and s.status is Status.STILL
        if last is None or rests or (last.of is not s.uncertainty and not last.holds(single(s.uncertainty))):
            last = self._told[s.name] = _Told(s, single(s.uncertainty))
        last.status, last.of = s.status, s.uncertainty
        return last.uncertainty
