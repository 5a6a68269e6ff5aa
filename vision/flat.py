"""The table laid flat: the picture as seen from straight above, in which everything counts in inches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.surface import Surface
from engine.space.geometry import FloatArray, Region
from vision.frame import Image

Mask = NDArray[np.uint8]
Lab = NDArray[np.float32]

# Pixels an inch of the picture laid flat, and how far it reaches beyond the table's edge, inches.
PER_INCH, BEYOND_IN = 8, 1.0
# Of so many pixels laid flat, across and down, one is worked out.
APART = 4
# So many parts have labels of 16 bits; each takes four pixels at the least.
MOST_PARTS = 65535


@dataclass(frozen=True, eq=False)
class Flat:
    """The table laid flat: `picture` (h, w, 3) BGR; pixel (0, 0) lies at `origin`, inches, rows go up."""

    picture: Image
    origin: tuple[float, float]

    def pixels(self, places: FloatArray) -> FloatArray:
        """Table points (n, 2), inches, as pixels (n, 2)."""
        return np.asarray((places - np.array(self.origin)) * PER_INCH)

    def places(self, pixels: FloatArray) -> FloatArray:
        """Pixels (n, 2) as table points (n, 2), inches."""
        return np.asarray(pixels / PER_INCH + np.array(self.origin))


class Flattener:
    """Lays pictures flat on the table; the way from pixel to pixel is worked out once for a surface."""

    def __init__(self) -> None:
        self._for: tuple[Surface, Region] | None = None
        self._maps: tuple[NDArray[np.int16], NDArray[np.uint16]] | None = None
        self._origin = (0.0, 0.0)

    def flat(self, image: Image, surface: Surface, region: Region) -> Flat:
        """A picture (h, w, 3) under a surface, as far as a region and a little beyond."""
        if (
            self._maps is None
            or self._for is None
            or self._for[1] is not region
            or not same_places(self._for[0], surface)
        ):
            low, high = region.outline.min(axis=0) - BEYOND_IN, region.outline.max(axis=0) + BEYOND_IN
            w, h = np.ceil((high - low) * PER_INCH).astype(int) + 1
            maps = cv2.convertMaps(pixels_below(surface, low, (int(w), int(h)), PER_INCH), None, cv2.CV_16SC2)  # type: ignore[call-overload]
            self._for = surface, region
            self._maps = np.asarray(maps[0], np.int16), np.asarray(maps[1], np.uint16)
            self._origin = float(low[0]), float(low[1])
        flat = cv2.remap(image, *self._maps, cv2.INTER_LINEAR)
        return Flat(np.asarray(flat, np.uint8), self._origin)


def pixels_below(surface: Surface, low: FloatArray, size: tuple[int, int], per_inch: int) -> Lab:
    """Where a picture shows the places of one laid flat, (h, w, 2) pixels: from `low` on, inches.

    Every fourth one is worked out. A lens bends so little over half an inch that those between lie straight.
    """
    w, h = size
    xs, ys = (np.arange(-(-n // APART) + 1) * APART / per_inch + at for n, at in zip(size, low, strict=True))
    places = np.stack(np.meshgrid(xs, ys), axis=-1)
    few = surface.image_from_table(places.reshape(-1, 2)).reshape(places.shape).astype(np.float32)
    between = np.array([[1.0 / APART, 0.0, 0.0], [0.0, 1.0 / APART, 0.0]])
    how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(few, between, (w, h), flags=how), np.float32)


def same_places(one: Surface, other: Surface) -> bool:
    """Whether two surfaces put the table at the same pixels, to a fraction of one."""
    if one is other:
        return True
    places = np.array([[0.0, 0.0], [30.0, 0.0], [0.0, 30.0]])
    return float(np.abs(one.image_from_table(places) - other.image_from_table(places)).max()) < 0.3


def filled(contour: NDArray[np.int32], shape: tuple[int, ...]) -> Mask:
    """What a contour encloses, as a mask."""
    blob = np.zeros(shape[:2], np.uint8)
    cv2.drawContours(blob, [np.ascontiguousarray(contour, np.int32)], -1, 1, cv2.FILLED)
    return blob


def box_of(mask: Mask) -> tuple[slice, slice]:
    """The rows and columns of a mask (h, w) that hold all of it."""
    x, y, w, h = cv2.boundingRect(mask)
    return slice(y, y + h), slice(x, x + w)


def as_mask(image: Any) -> Mask:
    """What OpenCV or NumPy made, as a mask."""
    return np.asarray(image, np.uint8)


def disk(radius: float) -> Mask:
    """A disk of so many inches for OpenCV's morphology."""
    size = 2 * max(1, round(radius * PER_INCH)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def touching(mask: Mask, other: Mask) -> Mask:
    """Keep what of a mask is connected and touches another one."""
    both = as_mask(mask & other)
    if not both.any():
        return both
    count, labels = labelled(mask)
    keep = np.zeros(count, np.uint8)
    keep[labels[both > 0]] = 1
    return chosen(keep, labels)


def chosen(keep: Mask, labels: NDArray[np.integer[Any]]) -> Mask:
    """Where the labels (h, w) are whose number is 1 in `keep`, as a mask."""
    # To take takes half the time of an index.
    return as_mask(np.take(keep, labels))


def colours_of(picture: NDArray[Any], mask: Mask) -> NDArray[Any]:
    """The colours (n, 3) of a picture (h, w, 3) in a mask (h, w) of ones."""
    # To compress takes a fifth of the time of an index.
    return np.compress(mask.ravel() > 0, picture.reshape(-1, picture.shape[-1]), axis=0)


def middle_of(values: NDArray[Any]) -> float:
    """The median of values (n,), of which there is one at the least."""
    # NumPy's own looks for what is no number, and takes twice the time.
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    parted = np.partition(values, (half - 1, half))
    return (float(parted[half - 1]) + float(parted[half])) / 2.0


def middle_colour(picture: NDArray[Any], mask: Mask) -> FloatArray:
    """The colour (3,) of a picture (h, w, 3) in a mask that is not empty: the median of each plane."""
    return np.array([middle_of(of) for of in colours_of(picture, mask).T])


def middle_level(levels: NDArray[np.uint8], mask: Mask) -> float:
    """The median of whole levels (h, w) in a mask of ones that is not empty."""
    counts = np.cumsum(cv2.calcHist([levels], [0], mask, [256], [0, 256]).ravel().astype(np.int64))
    low, high = np.searchsorted(counts, ((counts[-1] + 1) // 2, counts[-1] // 2 + 1)).tolist()
    return float(low + high) / 2.0


def brightest(picture: Image) -> NDArray[np.uint8]:
    """The brightest of blue, green and red at each pixel, (h, w)."""
    # By planes it takes a fiftieth of the time.
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def _numbers(mask: Mask, joined_by: int) -> int:
    """Choose OpenCV's type of labels: with small numbers it takes a third of the time."""
    return cv2.CV_16U if mask.size < joined_by // 2 * MOST_PARTS else cv2.CV_32S


def labelled(mask: Mask) -> tuple[int, NDArray[np.integer[Any]]]:
    """Tell how many connected parts a mask has and its ground, and which is where (h, w)."""
    count, labels = cv2.connectedComponentsWithAlgorithm(mask, 8, _numbers(mask, 8), cv2.CCL_DEFAULT)
    return count, np.asarray(labels)


def parts_of(
    mask: Mask, joined_by: Literal[4, 8] = 8
) -> tuple[int, NDArray[np.integer[Any]], NDArray[np.int32]]:
    """Tell how many parts a mask has and its ground, which is where (h, w), and stats (n, 5).

    What is `joined_by` an edge of a pixel alone, 4, or by a corner, 8, is one part.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStatsWithAlgorithm(
        mask, joined_by, _numbers(mask, joined_by), cv2.CCL_DEFAULT
    )
    return count, np.asarray(labels), np.asarray(stats, np.int32)


def no_smaller(mask: Mask, area: float) -> Mask:
    """Keep what of a mask is connected and no smaller than so many square inches."""
    if cv2.countNonZero(mask) < area * PER_INCH**2:
        return np.zeros_like(mask)
    count, labels = labelled(mask)
    # To count them takes half the time of all that OpenCV tells of parts.
    keep = as_mask(np.bincount(labels.ravel(), minlength=count) >= area * PER_INCH**2)
    keep[0] = 0
    return chosen(keep, labels)


def spots(flat: Flat, places: FloatArray) -> NDArray[np.int32]:
    """Table points (n, 2), inches, as whole pixels (n, 1, 2)."""
    return np.rint(flat.pixels(places)).astype(np.int32).reshape(-1, 1, 2)


def rim_of(blob: Mask) -> FloatArray:
    """The contour of a blob's largest part, (n, 2) pixels: through the middles of its outermost pixels."""
    contours, _ = cv2.findContours(blob, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return max(contours, key=cv2.contourArea)[:, 0].astype(np.float64)
