"""A tag's place in the picture while nothing moves: the mean of its reads, and the latest ones apart."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.bundle.parts import SeenTag
from calibration.fiducials import TagKey
from calibration.surface import SeenCorner, Surface
from calibration.watching.motion import in_camera
from engine.space.geometry import FloatArray

# The last reads, so many, are held against all before: a drift that no single frame shows.
RECENT = 6
AVERAGED = 60
# The part of a read's variance that stays the same from frame to frame (see vision.polish).
LASTING = 0.4

# The entries of a tag's covariance (8, 8) that belong to two corners along one and the same axis.
_SAME_AXIS = np.tile(np.eye(2), (4, 4)).ravel()


@dataclass
class TagMean:
    """A tag's running mean in the image, and its latest reads, which may lie beside it."""

    seen: SeenCorner | SeenTag
    count: int = 1
    recent: deque[FloatArray] = field(default_factory=lambda: deque(maxlen=RECENT))
    missed: int = 0
    """Frames since its latest read."""
    _points: tuple[Surface, SeenCorner | SeenTag, FloatArray] | None = None
    _per_axis: tuple[SeenCorner | SeenTag, float, float] | None = None

    @property
    def flat(self) -> bool:
        """Whether it lies on the table itself."""
        return self.height <= 0.0

    @property
    def height(self) -> float:
        """Its plane above the table, inches."""
        return self.seen.height if isinstance(self.seen, SeenTag) else 0.0

    @property
    def fresh(self) -> bool:
        """Whether there are as many latest reads as are asked for, up to this frame."""
        return self.missed == 0 and len(self.recent) == RECENT

    def scatter(self, reads: int) -> FloatArray:
        """Covariance (8, 8) of the difference of so many new reads' mean and this one, square pixels."""
        return self.seen.covariance * (1.0 - LASTING) * (1.0 / reads + 1.0 / self.count)

    def noise(self, reads: int) -> float:
        """Deviation of the tag's middle along one axis in that difference, pixels."""
        return math.sqrt((1.0 - LASTING) * (1.0 / reads + 1.0 / self.count) * self._variances[0])

    def corner_noise(self, reads: int) -> float:
        """Deviation of one of its corners along one axis in that difference, pixels."""
        return math.sqrt((1.0 - LASTING) * (1.0 / reads + 1.0 / self.count) * self._variances[1])

    @property
    def _variances(self) -> tuple[float, float]:
        """Of a read's middle and of one of its corners along one axis, square pixels."""
        # Asked for several times a frame, of every tag: worked out once.
        if self._per_axis is None or self._per_axis[0] is not self.seen:
            covariance = self.seen.covariance
            middle = float(_SAME_AXIS @ covariance.ravel()) / 32
            self._per_axis = self.seen, middle, float(covariance.trace()) / 8
        return self._per_axis[1:]

    def points(self, surface: Surface) -> FloatArray:
        """Its corners in the camera's frame under a surface, (4, 3) inches."""
        if self._points is None or self._points[0] is not surface or self._points[1] is not self.seen:
            self._points = surface, self.seen, in_camera(surface, self.seen.corners, self.height)
        return self._points[2]

    def wait(self) -> None:
        """One more frame has come."""
        self.missed += 1
        if self.missed > RECENT:
            self.recent.clear()

    def see(self, seen: SeenCorner | SeenTag) -> None:
        """Takes the frame's read among the latest."""
        self.missed = 0
        self.recent.append(seen.corners)

    def add(self, seen: SeenCorner | SeenTag) -> None:
        """Takes a read into the mean."""
        self.count = min(self.count + 1, AVERAGED)
        share = 1.0 / self.count
        self.seen = replace(
            self.seen,
            corners=self.seen.corners + (seen.corners - self.seen.corners) * share,
            covariance=self.seen.covariance + (seen.covariance - self.seen.covariance) * share,
        )

    @property
    def latest(self) -> FloatArray:
        """The mean (4, 2) of the latest reads, pixels."""
        return np.asarray(np.mean(self.recent, axis=0))

    def afresh(self, corners: FloatArray) -> None:
        """Begins at corners (4, 2) that are as sure as the mean of the latest reads."""
        self.seen = replace(self.seen, corners=corners)
        self.count = len(self.recent)

    @property
    def average(self) -> SeenCorner | SeenTag:
        """The tag as it is seen by all reads together."""
        kept = LASTING + (1.0 - LASTING) / self.count
        return replace(self.seen, covariance=self.seen.covariance * kept)


def key_of(seen: SeenCorner | SeenTag) -> TagKey:
    """Family and id."""
    return (seen.corner.family, seen.corner.tag) if isinstance(seen, SeenCorner) else seen.key
