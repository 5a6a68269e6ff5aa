"""Where exactly are the corners: a known tag's pattern fitted to the pixels themselves.

A reader finds the outer quad; its corners are good to a third of a pixel, and a camera's tone
curve draws black squares too small. Here every edge of the known pattern speaks: the pattern,
blurred as the lens blurs it, is fitted to the patch by Gauss-Newton over the four corners (the
full homography), the blur, and a brightness curve whose bend takes up what is left of the tone
curve between the tag's own black and white. The fit's own normal equations give the covariance
of the corners.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import FloatArray
from vision.frame import Image

# Samples of the drawn pattern per module, and modules of white kept around the black square.
FINE = 12
MARGIN = 2
# Pixels up to this many modules outside the black square are compared: the printed white border
# is one module wide and what lies beyond it is not ours.
REACH = 0.65
ITERATIONS = 8
# Neighbouring residuals of a JPEG picture are not independent; measured on rendered frames, the
# corners scatter this much more from frame to frame than independent noise would have it.
NOISE_INFLATION = 2.6
# What stays wrong from frame to frame (print, paper, light, the model itself), in pixels: of the
# whole tag, and of each corner by itself.
FLOOR_SHIFT_PX = 0.018
FLOOR_CORNER_PX = 0.015
_FLOOR = np.eye(8) * FLOOR_CORNER_PX**2 + np.tile(np.eye(2), (4, 4)) * FLOOR_SHIFT_PX**2

FAMILIES = {
    "tag36h11": cv2.aruco.DICT_APRILTAG_36h11,
    "tag25h9": cv2.aruco.DICT_APRILTAG_25h9,
    "tag16h5": cv2.aruco.DICT_APRILTAG_16h5,
}


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


@lru_cache(maxsize=4096)
def _blurred(family: str, tag: int, step: int) -> tuple[NDArray[np.float32], ...]:
    """The drawn pattern blurred by `step` / 100 modules: values, d/du, d/dv, Laplacian, per module."""
    modules = pattern(family, tag)
    assert modules is not None
    drawn = np.pad(modules, MARGIN, constant_values=1.0).repeat(FINE, axis=0).repeat(FINE, axis=1)
    sigma = step / 100 * FINE
    value = cv2.GaussianBlur(drawn, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    dv, du = np.gradient(value, 1.0 / FINE)
    laplacian = np.gradient(du, 1.0 / FINE, axis=1) + np.gradient(dv, 1.0 / FINE, axis=0)
    return tuple(np.ascontiguousarray(a, dtype=np.float32) for a in (value, du, dv, laplacian))


@dataclass(frozen=True, eq=False)
class Polished:
    """Corners (4, 2) in pixels with covariance (8, 8), blur in pixels, and how well the tag fits.

    `correlation` is between the fitted pattern and the pixels, 1 for a perfect picture.
    """

    corners: FloatArray
    covariance: FloatArray
    blur: float
    correlation: float


_SRGB = np.arange(256) / 255.0
LINEAR: NDArray[np.float32] = np.where(
    _SRGB <= 0.04045, _SRGB / 12.92, ((_SRGB + 0.055) / 1.055) ** 2.4
).astype(np.float32)
"""Inverse sRGB: 8-bit grey to linear light in 0..1."""


def homography(corners: FloatArray, modules: int) -> FloatArray:
    """`image_from_modules`, (3, 3): module coordinates (0..m along the top, 0..m down) to pixels."""
    square = np.array([(0, 0), (modules, 0), (modules, modules), (0, modules)], dtype=np.float32)
    return np.asarray(cv2.getPerspectiveTransform(square, corners.astype(np.float32)), dtype=np.float64)


def polish(
    grey: Image, family: str, tag: int, corners: FloatArray, blur: float = 0.8, reach: float = REACH
) -> Polished | None:
    """Fit tag `tag` to `grey` (8 bits) near `corners` (4, 2); None if it does not fit there.

    `blur` is a first guess of the Gaussian blur in pixels. Corners as `vision.frame.Detection`.
    """
    modules = pattern(family, tag)
    if modules is None:
        return None
    fit = _Fit.start(grey, family, tag, modules.shape[0], corners, reach, blur)
    return None if fit is None else fit.run()


class _Fit:
    """One fit in progress; parameters are 8 corner coordinates and the blur in modules."""

    def __init__(self, family: str, tag: int, m: int, pixels: FloatArray, values: FloatArray) -> None:
        self.family, self.tag, self.m = family, tag, m
        self.pixels, self.values = pixels, values
        self.corners = np.zeros((4, 2))
        self.sigma = 0.0
        centred = pixels - pixels.mean(axis=0)
        self.shading = centred / np.abs(centred).max()

    @classmethod
    def start(
        cls, grey: Image, family: str, tag: int, m: int, corners: FloatArray, reach: float, blur: float
    ) -> _Fit | None:
        scale = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1).mean() / m
        if not scale > 0.8:
            return None
        spread = (1.0 + reach) * scale
        low = np.floor(corners.min(axis=0) - spread).astype(int)
        high = np.ceil(corners.max(axis=0) + spread).astype(int) + 1
        height, width = grey.shape
        if low[0] < 0 or low[1] < 0 or high[0] > width or high[1] > height:
            low, high = np.maximum(low, 0), np.minimum(high, (width, height))
        if (high - low < 6).any():
            return None
        ys, xs = np.mgrid[low[1] : high[1], low[0] : high[0]]
        pixels = np.stack([xs.ravel(), ys.ravel()], axis=1).astype(np.float64)
        try:
            inverse = _inverse(homography(corners, m))
        except np.linalg.LinAlgError:
            return None
        uv = _apply(inverse, pixels)
        inside = ((uv > -reach) & (uv < m + reach)).all(axis=1)
        if inside.sum() < 4 * m:
            return None
        values = LINEAR[grey[low[1] : high[1], low[0] : high[0]]].ravel()[inside].astype(np.float64)
        fit = cls(family, tag, m, pixels[inside], values)
        fit.corners, fit.sigma = np.array(corners, dtype=np.float64), blur / scale
        return fit

    def model(self) -> tuple[FloatArray, FloatArray] | None:
        """Pattern value and its Jacobian by (8 corner coordinates, sigma) at every pixel."""
        H = homography(self.corners, self.m)
        try:
            inverse = _inverse(H)
        except np.linalg.LinAlgError:
            return None
        uv = _apply(inverse, self.pixels)
        step = int(np.clip(round(self.sigma * 100), 2, 150))
        value, du, dv, laplacian = _blurred(self.family, self.tag, step)
        at = ((uv + MARGIN) * FINE - 0.5).astype(np.float32)
        x, y = np.ascontiguousarray(at[:, 0]), np.ascontiguousarray(at[:, 1])
        t, tu, tv, tl = (
            cv2.remap(a, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).ravel().astype(np.float64)
            for a in (value, du, dv, laplacian)
        )
        # At a fixed pixel a corner's move shifts (u, v) backwards, by its bilinear share.
        denominator = H[2, 0] * uv[:, 0] + H[2, 1] * uv[:, 1] + H[2, 2]
        a = (H[0, 0] - self.pixels[:, 0] * H[2, 0]) / denominator
        b = (H[0, 1] - self.pixels[:, 0] * H[2, 1]) / denominator
        c = (H[1, 0] - self.pixels[:, 1] * H[2, 0]) / denominator
        d = (H[1, 1] - self.pixels[:, 1] * H[2, 1]) / denominator
        determinant = a * d - b * c
        by_x = -(tu * d - tv * c) / determinant
        by_y = -(-tu * b + tv * a) / determinant
        s, r = uv[:, 0] / self.m, uv[:, 1] / self.m
        shares = np.stack([(1 - s) * (1 - r), s * (1 - r), s * r, (1 - s) * r], axis=1)
        jacobian = np.empty((len(t), 9))
        jacobian[:, 0:8:2] = shares * by_x[:, None]
        jacobian[:, 1:8:2] = shares * by_y[:, None]
        jacobian[:, 8] = tl * self.sigma
        return t, jacobian

    def run(self) -> Polished | None:
        weights = np.ones(len(self.values))
        for iteration in range(ITERATIONS):
            modelled = self.model()
            if modelled is None:
                return None
            t, jacobian = modelled
            curve, slope, residual = _brightness(t, self.shading, self.values, weights)
            scale = 1.4826 * float(np.median(np.abs(residual))) + 1e-6
            # Tukey's loss: a finger or a glint on the tag is left out, once the fit is near.
            if iteration >= 2:
                limit = max(4.5 * scale, 0.12 * abs(float(curve[1])))
                weights = np.clip(1.0 - (residual / limit) ** 2, 0.0, None) ** 2
            J = np.hstack([jacobian * slope[:, None], _basis(t, self.shading)])
            JW = J * weights[:, None]
            normal = JW.T @ J + 1e-12 * np.eye(14)
            step = np.linalg.solve(normal, JW.T @ residual)
            moved = np.clip(step[:8], -1.0, 1.0)
            self.corners = self.corners + moved.reshape(4, 2)
            self.sigma = float(np.clip(self.sigma + np.clip(step[8], -0.1, 0.1), 0.02, 1.5))
            if iteration >= 3 and np.abs(moved).max() < 8e-3:
                break
        return self.finish(weights)

    def finish(self, weights: FloatArray) -> Polished | None:
        modelled = self.model()
        if modelled is None:
            return None
        t, jacobian = modelled
        _, slope, residual = _brightness(t, self.shading, self.values, weights)
        J = np.hstack([jacobian * slope[:, None], _basis(t, self.shading)])
        JW = J * weights[:, None]
        freedom = max(float(weights.sum()) - 14.0, 1.0)
        variance = float(weights @ residual**2) / freedom
        try:
            covariance = np.linalg.inv(JW.T @ J)[:8, :8] * variance * NOISE_INFLATION**2
        except np.linalg.LinAlgError:
            return None
        covariance = covariance + _FLOOR
        if not (np.isfinite(covariance).all() and (np.diag(covariance) > 0).all()):
            return None
        correlation = float(np.corrcoef(t, self.values)[0, 1]) if np.ptp(self.values) > 0 else 0.0
        scale = np.linalg.norm(self.corners - np.roll(self.corners, -1, axis=0), axis=1).mean() / self.m
        return Polished(self.corners, covariance, self.sigma * float(scale), correlation)


def _inverse(matrix: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _apply(H: FloatArray, points: FloatArray) -> FloatArray:
    mapped = points @ H[:, :2].T + H[:, 2]
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def _basis(t: FloatArray, shading: FloatArray) -> FloatArray:
    """Black level, contrast, the bend between them, and light falling off across the tag, (n, 5)."""
    return np.column_stack([np.ones_like(t), t, t * (1.0 - t), t[:, None] * shading])


def _brightness(
    t: FloatArray, shading: FloatArray, values: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The brightness curve (5,), its slope by pattern value and the residuals, each (n,)."""
    basis = _basis(t, shading)
    weighted = basis * weights[:, None]
    curve: FloatArray = np.asarray(
        np.linalg.solve(weighted.T @ basis + 1e-9 * np.eye(5), weighted.T @ values), dtype=np.float64
    )
    # A bend that would fold the curve back is noise, not a tone curve.
    bend = float(np.clip(curve[2], -0.8 * abs(curve[1]), 0.8 * abs(curve[1])))
    curve[2] = bend
    slope = np.asarray(curve[1] + bend * (1.0 - 2.0 * t) + shading @ curve[3:])
    return curve, slope, values - basis @ curve
