"""Roof tags at different places of the picture: what they say of camera, heights and sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from calibration.bundle.parts import SeenTag
from calibration.fiducials import TagKey
from calibration.watching.averages import TagMean
from engine.space.geometry import FloatArray

# At most one place a tag in each square of the picture of this side, pixels.
CELL_PX = 80
# A piece stands where it stood while its corners' mean is within so many deviations of where it was read.
STILL_SDS = 4.0


class Witnesses:
    """One mean of reads for each tag and part of the picture, as long as the piece stands still there."""

    def __init__(self) -> None:
        self._means: dict[tuple[TagKey, int, int], TagMean] = {}

    def add(self, reads: Iterable[SeenTag], most: int) -> None:
        """Takes one frame's roof tags; further places only up to `most`."""
        tags = list(reads)
        middles = np.array([tag.corners for tag in tags]).reshape(-1, 4, 2).mean(axis=1)
        for tag, (x, y) in zip(tags, (middles // CELL_PX).astype(int).tolist(), strict=True):
            where = tag.key, x, y
            mean = self._means.get(where)
            if mean is None:
                if len(self._means) < most:
                    self._means[where] = TagMean(tag)
            elif _still(mean, tag):
                mean.add(tag)
            elif mean.count == 1:
                # It was on its way when it was read there.
                self._means[where] = TagMean(tag)

    def move(self, moved: Callable[[SeenTag], FloatArray]) -> None:
        """The camera is elsewhere: where each tag's corners (4, 2) would be seen now, pixels."""
        for mean in self._means.values():
            assert isinstance(mean.seen, SeenTag)
            mean.seen = replace(mean.seen, corners=moved(mean.seen))

    def clear(self) -> None:
        """Forgets them all."""
        self._means.clear()

    @property
    def tags(self) -> list[SeenTag]:
        """The means, each as sure as one read: of so small a tag most of an error stays from read to read."""
        return [mean.seen for mean in self._means.values() if isinstance(mean.seen, SeenTag)]

    @property
    def worth(self) -> int:
        """Grows by one where there are about twice as many places to go by."""
        return len(self._means).bit_length()


def _still(mean: TagMean, tag: SeenTag) -> bool:
    """Whether every corner is where it was: a piece that comes back turned has its middle there, too."""
    off = float(np.hypot(*(tag.corners - mean.seen.corners).T).max())
    return off <= STILL_SDS * math.sqrt(2.0) * mean.corner_noise(1)
