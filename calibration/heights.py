"""How high a tag sits, from how large it looks.

A tag of known size looks larger the nearer it is to the camera: at 57 inches by 1.8 % an inch. The
flat tags of the table tell how true the printer was; what is left of a roof tag's apparent size is
its height.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.bundle.seen import SeenTag
from calibration.surface import Surface
from calibration.tag_shape import SIZE_SD
from engine.space.geometry import FloatArray

# A reader's error in a tag's size stays the same from place to place to this share of itself.
LASTING = 0.5
# Never surer than this: paper bends, roofs slope. Inches.
FLOOR_IN = 0.04
# Reads of a piece are kept from so many squares of the picture, of this side in pixels.
PLACES, CELL_PX = 30, 60


@dataclass(frozen=True, slots=True)
class TagHeight:
    """A tag's plane above the table with its deviation, inches, from so many `reads`."""

    height: float
    sd: float
    reads: int

    def contradicts(self, stated: float, sd: float) -> bool:
        """Whether a stated height is wrong beyond doubt, and by enough to matter.

        >>> TagHeight(1.5, 0.1, 8).contradicts(1.0, 0.02), TagHeight(1.1, 0.1, 8).contradicts(1.0, 0.02)
        (True, False)
        """
        off = abs(self.height - stated)
        return off > 0.15 and off > 3.0 * math.hypot(self.sd, sd)


def measure_heights(
    surface: Surface, flat: Sequence[SeenTag], raised: Mapping[str, Sequence[SeenTag]]
) -> dict[str, TagHeight]:
    """Heights of named tags from their reads, each read anywhere on the table.

    `flat` are tags on the table itself, of the same printer; without any, sizes are taken at
    their word to half a percent. Heights are solved by Newton's method on the apparent size.
    """
    print_scale, print_sd = _print_scale(surface, flat)
    found: dict[str, TagHeight] = {}
    for name, reads in raised.items():
        if not reads:
            continue
        each = [_height(surface, read, print_scale) for read in reads]
        heights, sds = np.array([h for h, _ in each]), np.array([s for _, s in each])
        kept = LASTING + (1.0 - LASTING) / len(reads)
        # How much one percent of size is in height, here: the printer's doubt is common to all reads.
        per_size = float(np.median([_inches_per_size(surface, r) for r in reads]))
        sd = math.sqrt(float(np.median(sds)) ** 2 * kept + (per_size * print_sd) ** 2 + FLOOR_IN**2)
        found[name] = TagHeight(float(np.median(heights)), sd, len(reads))
    return found


class HeightWatch:
    """Collects reads of roof tags over an evening and tells which stated heights cannot be."""

    def __init__(self) -> None:
        self._reads: dict[str, dict[tuple[int, int], SeenTag]] = {}

    def add(self, name: str, read: SeenTag) -> None:
        """One read of a piece's tag; one is kept for each part of the picture, so that errors differ."""
        x, y = (read.corners.mean(axis=0) // CELL_PX).astype(int)
        places = self._reads.setdefault(name, {})
        if len(places) < PLACES:
            places.setdefault((int(x), int(y)), read)

    def doubts(self, surface: Surface, flat: Sequence[SeenTag]) -> dict[str, TagHeight]:
        """Measured heights that contradict the stated ones beyond doubt, by name."""
        reads = {name: list(places.values()) for name, places in self._reads.items()}
        found = measure_heights(surface, flat, reads)
        return {n: h for n, h in found.items() if h.contradicts(reads[n][0].height, reads[n][0].sd_height)}


def _size_at(surface: Surface, corners: FloatArray, height: float) -> float:
    """The side of a square with these corners (4, 2) pixels if it lies at `height`, inches."""
    on_plane = surface.table_from_image(corners, height)
    a, b, c, d = on_plane
    (px, py), (qx, qy) = c - a, d - b
    return math.sqrt(0.5 * abs(float(px * qy - py * qx)))


def _print_scale(surface: Surface, flat: Sequence[SeenTag]) -> tuple[float, float]:
    """How much larger than stated the printer prints, and how surely that is known."""
    if not flat:
        return 1.0, 0.005
    ratios = [_size_at(surface, t.corners, 0.0) / t.size for t in flat]
    return float(np.median(ratios)), math.hypot(SIZE_SD, 0.0006 / math.sqrt(len(flat)))


def _inches_per_size(surface: Surface, read: SeenTag) -> float:
    """How many inches of height one unit of relative size stands for, about the distance to the camera."""
    return float(surface.camera_position[2]) - read.height


def _height(surface: Surface, read: SeenTag, print_scale: float) -> tuple[float, float]:
    """One read's height and its deviation from corner noise, inches."""
    size, height = read.size * print_scale, read.height
    for _ in range(4):
        ratio = _size_at(surface, read.corners, height) / size
        # The size of the shadow on a plane shrinks in proportion to its distance from the camera.
        height += (1.0 - 1.0 / ratio) * (float(surface.camera_position[2]) - height)
    side_px = math.sqrt(float(np.linalg.norm(read.corners[0] - read.corners[2]) ** 2) / 2)
    size_sd = math.sqrt(float(np.trace(read.covariance)) / 8) / side_px
    return height, size_sd * (float(surface.camera_position[2]) - height)
