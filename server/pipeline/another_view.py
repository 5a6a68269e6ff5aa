"""Whether another camera may answer after an interruption: the table is seen from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from calibration.fiducials import TagKey
from engine.space.geometry import FloatArray
from vision.frame import Detection, Frame

AWAY_S = 2.0
"""Seconds without a picture in which a cable may have been put into another camera."""

ELSEWHERE = 0.05
"""What flat tags must have moved by in the picture to be seen from elsewhere, as a share of its width.

A camera that only was touched when it was plugged in again moves by less.
"""

ANOTHER_WORDS = (
    "After an interruption the table is seen from elsewhere, so another camera may answer: the lens "
    "calibration that was kept is not used. Calibrate this camera (page Calibrate), or have the owner say on "
    "the table's page that it is the same one."
)


class ViewWatch:
    """Holds the flat tags after each interruption against those before it."""

    def __init__(self, flat: Iterable[TagKey]) -> None:
        self._flat = frozenset(flat)
        self._places: Mapping[TagKey, FloatArray] = {}
        self._size: tuple[int, int] | None = None
        self._time: float | None = None
        self._back = False

    def resized(self, frame: Frame) -> bool:
        """Whether the first picture after an interruption has another size."""
        away = self._back or (self._time is not None and frame.time - self._time >= AWAY_S)
        return away and self._size not in (None, frame.size)

    def update(self, frame: Frame, detections: Iterable[Detection]) -> bool:
        """True with the first picture after an interruption that shows the table from elsewhere."""
        resized = self.resized(frame)
        self._back = self._back or (self._time is not None and frame.time - self._time >= AWAY_S)
        self._time = frame.time
        seen = {k: d.centre for d in detections if (k := (d.family, d.tag)) in self._flat}
        if resized:
            elsewhere = True
        elif self._back:
            both = seen.keys() & self._places.keys()
            if len(both) < 2:
                return False
            gone = [float(np.linalg.norm(seen[k] - self._places[k])) for k in both]
            elsewhere = float(np.median(gone)) > ELSEWHERE * frame.size[0]
        else:
            elsewhere = False
        if seen or elsewhere:
            self._places, self._size, self._back = seen, frame.size, False
        return elsewhere
