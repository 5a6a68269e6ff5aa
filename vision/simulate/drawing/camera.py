"""The simulated camera: table inches to pixels, and whole patches of pixels back to inches."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np

from calibration.lens.model import Lens
from engine.errors import ShapeError
from engine.space.geometry import FloatArray

_TILES_KEPT = 64


@dataclass(frozen=True, slots=True)
class Patch:
    """A rectangle of pixels: left column, top row, width, height."""

    x: int
    y: int
    w: int
    h: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns for indexing an image."""
        return slice(self.y, self.y + self.h), slice(self.x, self.x + self.w)

    def grown(self, by: int, size: tuple[int, int]) -> Patch:
        """Larger by `by` pixels on every side, inside a picture of `size` (width, height)."""
        x0, y0 = max(0, self.x - by), max(0, self.y - by)
        x1, y1 = min(size[0], self.x + self.w + by), min(size[1], self.y + self.h + by)
        return Patch(x0, y0, max(0, x1 - x0), max(0, y1 - y0))

    def shared(self, other: Patch) -> Patch | None:
        """The pixels that belong to both; None if there are none."""
        x0, y0 = max(self.x, other.x), max(self.y, other.y)
        x1, y1 = min(self.x + self.w, other.x + other.w), min(self.y + self.h, other.y + other.h)
        return Patch(x0, y0, x1 - x0, y1 - y0) if x1 > x0 and y1 > y0 else None

    def meets(self, other: Patch) -> bool:
        """Whether the two share a pixel."""
        return self.shared(other) is not None

    def snapped(self, step: int, size: tuple[int, int]) -> Patch:
        """Grown to whole multiples of `step` pixels, inside a picture of `size`."""
        x0, y0 = self.x // step * step, self.y // step * step
        x1, y1 = -(-(self.x + self.w) // step) * step, -(-(self.y + self.h) // step) * step
        return Patch(x0, y0, min(x1, size[0]) - x0, min(y1, size[1]) - y0)

    def tiles(self, side: int) -> Iterator[Patch]:
        """The patch cut into tiles of at most `side` pixels."""
        for y in range(self.y, self.y + self.h, side):
            for x in range(self.x, self.x + self.w, side):
                yield Patch(x, y, min(side, self.x + self.w - x), min(side, self.y + self.h - y))

    def joined(self, other: Patch) -> Patch:
        """The smallest patch that holds both."""
        x0, y0 = min(self.x, other.x), min(self.y, other.y)
        x1 = max(self.x + self.w, other.x + other.w)
        y1 = max(self.y + self.h, other.y + other.h)
        return Patch(x0, y0, x1 - x0, y1 - y0)

    @classmethod
    def around(cls, points: FloatArray, size: tuple[int, int], margin: int = 2) -> Patch:
        """The pixels that (n, 2) image points reach, inside a picture of `size`; may be empty."""
        low = np.floor(points.min(axis=0)).astype(int) - margin
        high = np.ceil(points.max(axis=0)).astype(int) + margin + 1
        x0, y0 = np.clip(low, 0, size)
        x1, y1 = np.clip(high, 0, size)
        return cls(int(x0), int(y0), int(x1 - x0), int(y1 - y0))


def _chebyshev(low: float, high: float, at: FloatArray, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Chebyshev nodes in [low, high] and the (len(at), nodes) matrix that interpolates from them."""
    k = np.arange(nodes)
    angles = (2 * k + 1) * math.pi / (2 * nodes)
    unit = np.cos(angles)
    weights = (-1.0) ** k * np.sin(angles)
    x = (2 * at - low - high) / (high - low)
    gaps = x[:, None] - unit[None, :]
    exact = np.abs(gaps) < 1e-14
    gaps[exact] = 1.0
    terms = weights / gaps
    matrix = terms / terms.sum(axis=1, keepdims=True)
    on_node = exact.any(axis=1)
    matrix[on_node] = exact[on_node]
    return (low + high) / 2 + (high - low) / 2 * unit, matrix


def _undistorted(lens: Lens, pixels: FloatArray) -> FloatArray:
    """The rays (x/z, y/z), shape (n, 2), that OpenCV's distortion puts onto these pixels.

    Newton's method to rounding error; of its own, so that the drawing does not share the
    referee's inverse.
    """
    target = np.linalg.solve(lens.K, np.column_stack([pixels, np.ones(len(pixels))]).T).T[:, :2]
    k1, k2, p1, p2, k3 = lens.dist
    x, y = target[:, 0].copy(), target[:, 1].copy()
    for _ in range(30):
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        slope = 2 * (k1 + r2 * (2 * k2 + 3 * k3 * r2))
        off_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x) - target[:, 0]
        off_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y - target[:, 1]
        a = radial + x * x * slope + 2 * p1 * y + 6 * p2 * x
        b = x * y * slope + 2 * p1 * x + 2 * p2 * y
        d = radial + y * y * slope + 6 * p1 * y + 2 * p2 * x
        determinant = a * d - b * b
        step_x = (d * off_x - b * off_y) / determinant
        step_y = (a * off_y - b * off_x) / determinant
        x -= step_x
        y -= step_y
        if max(np.abs(step_x).max(), np.abs(step_y).max()) < 1e-14:
            break
    return np.column_stack([x, y])


@dataclass(frozen=True, eq=False)
class Camera:
    """A lens at a place over the table.

    `R` (3, 3) and `t` (3,) are `camera_from_table`: camera x right, y down, z forward; table
    inches with z up. Pixel (0, 0) is the centre of the top-left pixel.
    """

    lens: Lens
    R: FloatArray
    t: FloatArray

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture."""
        return self.lens.size

    @cached_property
    def position(self) -> FloatArray:
        """Where the camera hangs in the table frame, shape (3,)."""
        return np.asarray(-self.R.T @ self.t)

    def project(self, points: FloatArray) -> FloatArray:
        """Table points (n, 3) in the image, (n, 2) pixels."""
        # Turned here, for OpenCV's rotation vectors lose digits near half a turn: straight down.
        seen = np.asarray(points, dtype=np.float64).reshape(-1, 3) @ self.R.T + self.t
        still = np.zeros(3)
        pixels, _ = cv2.projectPoints(seen.reshape(-1, 1, 3), still, still, self.lens.K, self.lens.dist)
        return np.asarray(pixels, dtype=np.float64).reshape(-1, 2)

    def unproject(self, pixels: FloatArray, height: float) -> FloatArray:
        """Pixels (n, 2) brought down to the plane at `height`, (n, 2) table inches."""
        flat = _undistorted(self.lens, np.asarray(pixels, dtype=np.float64).reshape(-1, 2))
        directions = np.column_stack([flat, np.ones(len(flat))]) @ self.R
        along = (height - self.position[2]) / directions[:, 2]
        return np.asarray(self.position[:2] + along[:, None] * directions[:, :2])

    def samples(
        self, patch: Patch, per_pixel: int, height: float, nodes: int = 7
    ) -> tuple[FloatArray, FloatArray]:
        """Table x and y under each of `per_pixel`² samples of a patch's pixels, at one height.

        Two arrays of shape (h * per_pixel, w * per_pixel). The lens is inverted at a few nodes
        only and interpolated by a polynomial, which for patches of some hundred pixels is exact
        to far below a thousandth of a pixel.
        """
        down_x, down_y, across = self._factors(patch, per_pixel, height, nodes)
        return down_x @ across, down_y @ across

    def _factors(
        self, patch: Patch, per_pixel: int, height: float, nodes: int = 7
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """What `samples` are the products of: the table's x and y down the patch, and the way across."""
        xs = patch.x - 0.5 + (np.arange(patch.w * per_pixel) + 0.5) / per_pixel
        ys = patch.y - 0.5 + (np.arange(patch.h * per_pixel) + 0.5) / per_pixel
        at_x, by_x = _chebyshev(patch.x - 0.5, patch.x + patch.w - 0.5, xs, nodes)
        at_y, by_y = _chebyshev(patch.y - 0.5, patch.y + patch.h - 0.5, ys, nodes)
        grid = np.stack(np.meshgrid(at_x, at_y), axis=-1).reshape(-1, 2)
        table = self.unproject(grid, height).reshape(nodes, nodes, 2)
        return by_y @ table[..., 0], by_y @ table[..., 1], by_x.T

    @cached_property
    def _tiles(self) -> Callable[[Patch, int, float], tuple[FloatArray, FloatArray, FloatArray]]:
        return lru_cache(maxsize=_TILES_KEPT)(self._factors)

    def tile_samples(
        self, patch: Patch, per_pixel: int, height: float, rows: slice, cols: slice
    ) -> tuple[FloatArray, FloatArray]:
        """Some rows and columns of `samples`, for things that move over the same few tiles for a while.

        What is remembered of the latest tiles are the factors: the samples of a tile are a megabyte.
        """
        down_x, down_y, across = self._tiles(patch, per_pixel, height)
        return down_x[rows] @ across[:, cols], down_y[rows] @ across[:, cols]


def overhead(
    lens: Lens,
    *,
    over: tuple[float, float],
    height: float,
    tilt_deg: float = 0.0,
    azimuth_deg: float = 90.0,
    roll_deg: float = 0.0,
) -> Camera:
    """A camera `height` inches above the table that looks at the point `over`.

    Straight down it shows the table's far edge on top. `tilt_deg` swings it about that point:
    it then hangs displaced toward `azimuth_deg` (counter-clockwise from +x); `roll_deg` turns it
    about its own axis.
    """
    if not height > 0.0:
        raise ShapeError(f"expected a camera above the table but got a height of {height} inches")
    tilt, azimuth, roll = (math.radians(a) for a in (tilt_deg, azimuth_deg, roll_deg))
    lean = np.array([math.cos(azimuth), math.sin(azimuth)])
    aside = height * math.tan(tilt) * lean
    position = np.array([over[0] + aside[0], over[1] + aside[1], height])
    forward = np.array([*(-math.sin(tilt) * lean), -math.cos(tilt)])
    right = np.array([1.0, 0.0, 0.0]) - forward[0] * forward
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    cos, sin = math.cos(roll), math.sin(roll)
    R = np.stack([cos * right + sin * down, -sin * right + cos * down, forward])
    return Camera(lens, R, -R @ position)
