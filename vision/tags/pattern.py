"""What the tags look like: their modules, drawn and blurred, and the light in a pixel's count."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import ShapeError
from engine.space.geometry import FloatArray

# Samples of the drawn pattern per module, and modules of white kept around the black square.
FINE = 12
MARGIN = 2
STEP = 0.04
"""Drawings are kept for blurs that are multiples of this, in modules."""

FAMILIES = {
    "tag36h11": cv2.aruco.DICT_APRILTAG_36h11,
    "tag36h10": cv2.aruco.DICT_APRILTAG_36h10,
    "tag25h9": cv2.aruco.DICT_APRILTAG_25h9,
    "tag16h5": cv2.aruco.DICT_APRILTAG_16h5,
}

_SRGB = np.arange(256) / 255.0
LINEAR: NDArray[np.float32] = np.where(
    _SRGB <= 0.04045, _SRGB / 12.92, ((_SRGB + 0.055) / 1.055) ** 2.4
).astype(np.float32)
"""Inverse sRGB: 8-bit grey to linear light in 0..1."""


def aruco_dictionary(family: str) -> cv2.aruco.Dictionary | None:
    """OpenCV's dictionary of a family (`tag36h11`, `DICT_4X4_50`, …), None if it has none."""
    number = FAMILIES.get(family)
    if number is None and family.startswith("DICT_"):
        number = getattr(cv2.aruco, family, None)
    return None if number is None else cv2.aruco.getPredefinedDictionary(number)


@lru_cache(maxsize=512)
def pattern(family: str, tag: int) -> NDArray[np.float32] | None:
    """A tag's modules as OpenCV draws them upright, black border included, 0 black and 1 white.

    Shape (m, m), m = 8 for tag36h11; None where OpenCV cannot draw the family or the id.
    """
    dictionary = aruco_dictionary(family)
    if dictionary is None or not 0 <= tag < len(dictionary.bytesList):
        return None
    modules = dictionary.markerSize + 2
    return (cv2.aruco.generateImageMarker(dictionary, tag, modules) > 0).astype(np.float32)


@lru_cache(maxsize=4)
def family_patterns(family: str) -> NDArray[np.float32]:
    """The modules of every tag of a family that OpenCV can draw, by id, (n, m, m)."""
    dictionary = aruco_dictionary(family)
    if dictionary is None:
        raise ShapeError(f"expected a tag family that OpenCV can draw but got {family!r}")
    modules = dictionary.markerSize + 2
    count = len(dictionary.bytesList)
    drawn = [cv2.aruco.generateImageMarker(dictionary, tag, modules) > 0 for tag in range(count)]
    return np.stack(drawn).astype(np.float32)


@lru_cache(maxsize=64)
def blurred(family: str, tag: int, step: int) -> NDArray[np.float32]:
    """The drawn pattern blurred by `step` * STEP modules, (h, w, 4).

    Channels: value, its derivatives to the right and down per module, its Laplacian.
    """
    modules = pattern(family, tag)
    assert modules is not None
    drawn = np.pad(modules, MARGIN, constant_values=1.0).repeat(FINE, axis=0).repeat(FINE, axis=1)
    value = cv2.GaussianBlur(drawn, (0, 0), step * STEP * FINE, borderType=cv2.BORDER_REPLICATE)
    dv, du = np.gradient(value, 1.0 / FINE)
    laplacian = np.gradient(du, 1.0 / FINE, axis=1) + np.gradient(dv, 1.0 / FINE, axis=0)
    return np.ascontiguousarray(np.stack([value, du, dv, laplacian], axis=-1), dtype=np.float32)


def homographies(corners: FloatArray) -> FloatArray:
    """`image_from_square` of quads (k, 4, 2), shape (k, 3, 3): the unit square, right then down."""
    if len(corners) == 1:
        return _one_homography(*corners[0].tolist())
    x, y = corners[..., 0].T, corners[..., 1].T
    dx1, dx2, sx = x[1] - x[2], x[3] - x[2], x[0] - x[1] + x[2] - x[3]
    dy1, dy2, sy = y[1] - y[2], y[3] - y[2], y[0] - y[1] + y[2] - y[3]
    den = dx1 * dy2 - dy1 * dx2
    den = np.where(np.abs(den) < 1e-9, 1e-9, den)
    g, h = (sx * dy2 - dx2 * sy) / den, (dx1 * sy - sx * dy1) / den
    rows = (
        x[1] - x[0] + g * x[1], x[3] - x[0] + h * x[3], x[0],
        y[1] - y[0] + g * y[1], y[3] - y[0] + h * y[3], y[0],
        g, h, np.ones_like(g),
    )  # fmt: skip
    return np.asarray(np.stack(rows, axis=-1).reshape(-1, 3, 3), dtype=np.float64)


def _one_homography(a: list[float], b: list[float], c: list[float], d: list[float]) -> FloatArray:
    """The same of one quad in plain numbers: a tenth of the time."""
    dx1, dx2, sx = b[0] - c[0], d[0] - c[0], a[0] - b[0] + c[0] - d[0]
    dy1, dy2, sy = b[1] - c[1], d[1] - c[1], a[1] - b[1] + c[1] - d[1]
    den = dx1 * dy2 - dy1 * dx2
    den = 1e-9 if abs(den) < 1e-9 else den
    g, h = (sx * dy2 - dx2 * sy) / den, (dx1 * sy - sx * dy1) / den
    return np.array(
        [
            [
                [b[0] - a[0] + g * b[0], d[0] - a[0] + h * d[0], a[0]],
                [b[1] - a[1] + g * b[1], d[1] - a[1] + h * d[1], a[1]],
                [g, h, 1.0],
            ]
        ]
    )


def homography(corners: FloatArray, modules: int) -> FloatArray:
    """`image_from_modules`, (3, 3): module coordinates (0..m along the top, 0..m down) to pixels."""
    return np.asarray(homographies(corners[None])[0] / np.array([modules, modules, 1.0]))
