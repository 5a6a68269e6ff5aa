"""Keeps the surface while the camera hangs still: averages corner tags, notices a bump."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from calibration.bundle import solve_surface
from calibration.lens import Lens
from calibration.surface import CornerTag, SeenCorner, Surface, SurfaceError
from engine.geometry import FloatArray

# Corner tags that all appear this far from where they were, for so many frames, mean that the
# camera (or the table) has moved; a single one means a hand or a nudged print.
MOVED_PX = 1.2
MOVED_FRAMES = 3
AVERAGED = 60
# The part of a read's variance that stays the same from frame to frame (see vision.polish).
LASTING = 0.4

Key = tuple[str, int]


@dataclass
class _Mean:
    """A corner tag's running mean in the image."""

    corner: CornerTag
    corners: FloatArray
    covariance: FloatArray
    count: int = 1

    def offset(self, seen: SeenCorner) -> float:
        """Pixels between where the tag is seen and where it was."""
        return float(np.linalg.norm((seen.corners - self.corners).mean(axis=0)))

    def add(self, seen: SeenCorner) -> None:
        self.count = min(self.count + 1, AVERAGED)
        self.corners = self.corners + (seen.corners - self.corners) / self.count
        self.covariance = self.covariance + (seen.covariance - self.covariance) / self.count

    def seen(self) -> SeenCorner:
        kept = LASTING + (1.0 - LASTING) / self.count
        return SeenCorner(self.corner, self.corners, self.covariance * kept)


class SurfaceKeeper:
    """The surface of one table under one camera through time."""

    def __init__(self, lens: Lens) -> None:
        self.lens = lens
        self.surface: Surface | None = None
        self.problem: str | None = None
        self.moved_at: float | None = None
        self._means: dict[Key, _Mean] = {}
        self._suspicious = 0
        self._solved_with = 0

    def update(self, time: float, seen: Iterable[SeenCorner]) -> bool:
        """Takes one frame's corner tags; True if the camera has been found to have moved."""
        seen = list(seen)
        known = [s for s in seen if (s.corner.family, s.corner.tag) in self._means]
        off = [s for s in known if self._mean(s).offset(s) > MOVED_PX]
        if len(off) >= 2 and 2 * len(off) > len(known):
            self._suspicious += 1
            if self._suspicious < MOVED_FRAMES:
                return False
            self._means.clear()
            self._suspicious, self._solved_with, self.moved_at = 0, 0, time
            self._take(seen)
            return True
        self._suspicious = 0
        self._take([s for s in seen if s not in off])
        return False

    def _mean(self, seen: SeenCorner) -> _Mean:
        return self._means[seen.corner.family, seen.corner.tag]

    def _take(self, seen: list[SeenCorner]) -> None:
        for s in seen:
            key = (s.corner.family, s.corner.tag)
            if key in self._means:
                self._means[key].add(s)
            else:
                self._means[key] = _Mean(s.corner, s.corners, s.covariance)
        # Solving again is worth it as long as the averages still gain much: at 1, 2, 4, 8 … reads.
        worth = sum(m.count.bit_length() for m in self._means.values())
        if worth == self._solved_with:
            return
        self._solved_with = worth
        try:
            self.surface = solve_surface(self.lens, [m.seen() for m in self._means.values()])
            self.problem = None
        except SurfaceError as error:
            self.problem = str(error)
