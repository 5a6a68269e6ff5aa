"""How far a printed tag is from a flat square of its stated size: paper, print, and the cloth under it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from engine.space.geometry import FloatArray

# How well a printed size is known at best, as a share of it: paper, ink, and the reader's own bias.
SIZE_SD = 0.0003


@dataclass(frozen=True, slots=True)
class Paper:
    """How far a printed tag is from a flat square of its stated size, standard deviations.

    `size` is the share by which this tag differs from all others of its print run, `tilt` radians about
    either axis, `bow` inches by which its corners rise or sink, `height` inches by which what it lies on
    is higher or lower than the table's plane. `ink` inches make every square of the print run wider alike,
    which is no part of what this tag scatters by.
    """

    size: float = SIZE_SD
    tilt: float = 0.0
    bow: float = 0.0
    height: float = 0.0
    ink: float = 0.0

    def flatter(self, share: float) -> Paper:
        """Paper that leans and bows by this share of it."""
        return replace(self, tilt=share * self.tilt, bow=share * self.bow)

    def rise(self, height_sd: float = 0.0) -> float:
        """By how many inches the whole tag may be higher or lower than stated."""
        return math.hypot(height_sd, self.height)

    def spread(self, square: FloatArray, height_sd: float = 0.0) -> FloatArray:
        """Covariance (12, 12) of the corners (x, y, z) of a square (4, 2) centred on its place."""
        columns = scattered(square, self.size, self.tilt, self.bow, self.rise(height_sd)).reshape(12, 6)
        return np.asarray(columns @ columns.T)


# Bent so, opposite corners rise together and their neighbours sink.
_ABOUT_A_DIAGONAL = np.array([1.0, -1.0, 1.0, -1.0])


def scattered(
    square: FloatArray,
    size: float | FloatArray,
    tilt: float | FloatArray,
    bow: float | FloatArray,
    rise: float | FloatArray,
) -> FloatArray:
    """What corners (x, y, z) of squares (..., 4, 2) lie aside by: (..., 4, 3, 6), six errors of deviation 1.

    What is granted is one number or one a square.
    """
    columns = np.zeros((*square.shape[:-1], 3, 6))
    columns[..., :2, 0] = square * np.asarray(size)[..., None, None]
    columns[..., 2, 1:3] = square * np.asarray(tilt)[..., None, None]
    # Bent about a diagonal or about a side: opposite corners rise together, or all four do.
    bent = np.asarray(bow)[..., None]
    columns[..., 2, 3] = bent
    columns[..., 2, 4] = _ABOUT_A_DIAGONAL * bent
    columns[..., 2, 5] = np.asarray(rise)[..., None]
    return columns


FLAT = Paper()
"""A tag as exact as print can be."""
