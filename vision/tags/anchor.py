"""A tag that lies still, read again at its very place by one linear step.

Where a tag was fitted a moment ago, its pixels can hardly differ by more than noise, a little
light and a few hundredths of a pixel; for these the finished fit's own equations hold, so that
one product of a matrix with the pixels gives corners, blur and brightness anew. It is a
measurement of its own, as good as a full fit of that frame, and costs some microseconds. What the
linear step does not explain (a finger, a nudge, another tag) is refused and left to the fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.fiducials import TagKey
from engine.space.geometry import FloatArray
from vision.frame import Detection, Image
from vision.tags.pattern import LINEAR
from vision.tags.polish import FLOOR, NOISE_INFLATION, PARAMETERS, Linearised, Polished, Values

# Beyond this the pixels no longer change in proportion to the move, pixels.
FAR_PX = 0.3
# How much worse than when it was fitted the pixels may be explained: noise differs from frame to
# frame, most of all in compressed video, and a fit spared itself its own worst pixels (twice the
# variance is usual; another tag or a finger has a hundred times).
WORSE = 4.0
# Part of the tag's contrast by which the light may change.
LIGHT = 0.3


@dataclass(frozen=True, eq=False)
class Anchor:
    """One tag's finished fit, ready to be read again."""

    key: TagKey
    corners: FloatArray
    fit: Linearised
    solver: Values
    freedom: float
    contrast: float

    @classmethod
    def of(cls, key: TagKey, polished: Polished, fit: Linearised) -> Anchor:
        """From a fit that has been believed."""
        solver = (fit.inverse @ (fit.jacobian * fit.weights)).astype(np.float32)
        freedom = max(float(fit.weights.sum()) - PARAMETERS, 1.0)
        return cls(key, polished.corners, fit, solver, freedom, float(np.ptp(fit.predicted)))

    def read(self, off: Values) -> Detection | None:
        """The tag from how far the pixels are `off` what was predicted, None if it is not so there."""
        fit = self.fit
        step = self.solver @ off
        moves = step.tolist()
        if max(moves[:8]) > FAR_PX or min(moves[:8]) < -FAR_PX:
            return None
        if abs(moves[9]) + abs(moves[10]) > LIGHT * self.contrast:
            return None
        rest = off - step @ fit.jacobian
        variance = float(fit.weights @ (rest * rest)) / self.freedom
        if variance > WORSE * fit.variance + 1e-6:
            return None
        covariance = fit.inverse[:8, :8] * (variance * NOISE_INFLATION**2) + FLOOR
        corners = self.corners + step[:8].reshape(4, 2)
        return Detection(*self.key, corners, covariance, "place")


class Anchors:
    """The anchors of one picture size."""

    def __init__(self) -> None:
        self._anchors: dict[TagKey, Anchor] = {}
        self._shape: tuple[int, ...] = ()
        self._index: NDArray[np.intp] | None = None
        self._predicted: Values = np.zeros(0, dtype=np.float32)
        self._parts: dict[TagKey, slice] = {}

    def put(self, grey: Image, key: TagKey, polished: Polished) -> None:
        """Remembers a fit to `grey`."""
        if grey.shape != self._shape:
            self._anchors.clear()
            self._shape = grey.shape
        if polished.fit is None:
            self._anchors.pop(key, None)
        else:
            self._anchors[key] = Anchor.of(key, polished, polished.fit)
        self._index = None

    def drop(self, key: TagKey) -> None:
        """Forgets a tag's place."""
        if self._anchors.pop(key, None) is not None:
            self._index = None

    def read(self, grey: Image, keys: Iterable[TagKey]) -> dict[TagKey, Detection]:
        """Those of `keys` that lie where they were."""
        if grey.shape != self._shape or not self._anchors:
            return {}
        index = self._lay_out() if self._index is None else self._index
        off = LINEAR[grey.ravel()[index]] - self._predicted
        found: dict[TagKey, Detection] = {}
        for key in keys:
            anchor = self._anchors.get(key)
            if anchor is not None and (detection := anchor.read(off[self._parts[key]])) is not None:
                found[key] = detection
        return found

    def _lay_out(self) -> NDArray[np.intp]:
        """All anchors' pixels in one row."""
        width = self._shape[1]
        anchors = self._anchors.values()
        ends = np.cumsum([len(a.fit.rows) for a in anchors]).tolist()
        self._parts = {a.key: slice(b, e) for a, b, e in zip(anchors, [0, *ends], ends, strict=False)}
        self._predicted = np.concatenate([a.fit.predicted for a in anchors])
        self._index = np.concatenate([a.fit.rows * width + a.fit.columns for a in anchors])
        return self._index
