"""Fiducials as printed, sampled exactly: a white margin of one module around the black square."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import FloatArray, Pose

# What printed paper and toner send back, linear.
PAPER = 0.80
INK = 0.035

_FAMILIES = {
    "tag36h11": (cv2.aruco.DICT_APRILTAG_36h11, 8),
    "tag25h9": (cv2.aruco.DICT_APRILTAG_25h9, 7),
    "tag16h5": (cv2.aruco.DICT_APRILTAG_16h5, 6),
    "tag36h10": (cv2.aruco.DICT_APRILTAG_36h10, 8),
}


def _dictionary(family: str) -> tuple[int, int]:
    """OpenCV's dictionary of a family and the modules along its black square."""
    if family in _FAMILIES:
        return _FAMILIES[family]
    number = getattr(cv2.aruco, family, None) if family.startswith("DICT_") else None
    if number is None:
        raise TableRefError(
            f"cannot draw tags of the family {family!r}; expected {', '.join(_FAMILIES)} "
            "or an OpenCV dictionary such as DICT_4X4_50"
        )
    return int(number), int(cv2.aruco.getPredefinedDictionary(number).markerSize) + 2


@lru_cache(maxsize=1024)
def modules(family: str, tag: int) -> FloatArray:
    """The black square with its white margin, one cell a module, 1 = white, shape (m + 2, m + 2).

    Row 0 is the printed top, as OpenCV draws it.
    """
    number, side = _dictionary(family)
    dictionary = cv2.aruco.getPredefinedDictionary(number)
    count = len(dictionary.bytesList)
    if not 0 <= tag < count:
        raise TableRefError(f"family {family} has the tags 0 to {count - 1}, but {tag} was asked for")
    image = cv2.aruco.generateImageMarker(dictionary, tag, side)
    cells = np.ones((side + 2, side + 2))
    cells[1:-1, 1:-1] = np.asarray(image) > 127
    cells.flags.writeable = False
    return cells


@dataclass(frozen=True, slots=True)
class PlacedTag:
    """A tag somewhere over the table: `pose` is its centre and the direction of its printed top."""

    family: str
    tag: int
    size: float
    pose: Pose
    height: float

    @property
    def printed(self) -> float:
        """Side of the paper, inches: the black square and one module of white on either side."""
        m = len(modules(self.family, self.tag)) - 2
        return self.size * (m + 2) / m

    def square(self, side: float) -> FloatArray:
        """A square of `side` inches about the centre, (4, 3), in the order of `corners`."""
        a = side / 2
        flat = self.pose.to_table([(a, a), (a, -a), (-a, -a), (-a, a)])
        return np.column_stack([flat, np.full(4, self.height)])

    @property
    def corners(self) -> FloatArray:
        """The black square's corners, (4, 3) inches, in the order of `Detection.corners`."""
        return self.square(self.size)

    def paint(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Reflectance and coverage of the paper under samples at table points (x, y).

        Every sample is averaged over its own extent, so that edges lie where they are and not at
        the nearest sample. Both arrays have the samples' shape; coverage is 0 beside the paper.
        """
        cells = modules(self.family, self.tag)
        n = len(cells)
        pitch = self.size / (n - 2)
        (c, s) = self.pose.rotation[:, 0]
        dx, dy = x - self.pose.x, y - self.pose.y
        # Columns run to the right of the printed top, rows downward from it.
        column = n / 2 + (s * dx - c * dy) / pitch
        row = n / 2 - (c * dx + s * dy) / pitch
        # Inches between neighbouring samples, in modules: what one sample stands for.
        wide = float(np.hypot(x[0, 1] - x[0, 0], y[0, 1] - y[0, 0])) / pitch
        tall = float(np.hypot(x[1, 0] - x[0, 0], y[1, 0] - y[0, 0])) / pitch
        extent = min((wide + tall) / 2, 1.0)
        cover = (
            _ramp(column, extent) * _ramp(n - column, extent) * _ramp(row, extent) * _ramp(n - row, extent)
        )
        i0, i1, u = _neighbours(column, extent, n)
        j0, j1, v = _neighbours(row, extent, n)
        white = (1 - v) * ((1 - u) * cells[j0, i0] + u * cells[j0, i1]) + v * (
            (1 - u) * cells[j1, i0] + u * cells[j1, i1]
        )
        return INK + (PAPER - INK) * white, cover


def _ramp(inside: FloatArray, extent: float) -> FloatArray:
    """How much of a sample of width `extent` lies inside an edge `inside` away."""
    return np.minimum(np.maximum(inside / extent + 0.5, 0.0), 1.0)


def _neighbours(
    at: FloatArray, extent: float, n: int
) -> tuple[
    np.ndarray[tuple[int, ...], np.dtype[np.intp]], np.ndarray[tuple[int, ...], np.dtype[np.intp]], FloatArray
]:
    """The two cells that a sample may touch along one axis, and the share of the second."""
    low = np.floor(at - 0.5)
    share = np.minimum(np.maximum((at - low - 1.0) / extent + 0.5, 0.0), 1.0)
    cell = low.astype(np.intp)
    first = np.minimum(np.maximum(cell, 0), n - 1)
    second = np.minimum(np.maximum(cell + 1, 0), n - 1)
    return first, second, share
