"""Whether the table itself is seen where a piece stood.

A piece that is not read may be under a hand or gone. While it stood there in plain view, the
cloth close round it was remembered; when its place shows that cloth, the piece has been lifted.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from engine.space.geometry import FloatArray
from vision.frame import Frame, Image

# A pixel counts as cloth if its colour's direction is this near to the cloth's (both of length 1)
# and it is not darker or brighter than a shadow or a lamp would make it.
CHROMA = 0.07
DARKEST, BRIGHTEST = 0.55, 1.35
SHARE = 0.75

# An outline that reaches further, pixels, comes of a table file with wrong numbers; to draw it takes minutes.
FARTHEST_PX = 1e5


@dataclass(frozen=True, eq=False)
class Cloth:
    """The table close round a piece: mean colour (3,) and brightness, 8-bit counts."""

    colour: FloatArray
    brightness: float
    evenness: float

    @property
    def telling(self) -> bool:
        """Whether the cloth is even enough to be told from other things."""
        return self.evenness >= SHARE


def _outline_mask(shape: tuple[int, ...], outline: FloatArray, low: FloatArray) -> Image:
    mask = np.zeros(shape[:2], dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(outline - low).astype(np.int32)], 255)
    return mask


def _window(frame: Frame, outline: FloatArray, margin: float) -> tuple[Image, FloatArray] | None:
    if not (np.abs(outline) < FARTHEST_PX).all():
        return None
    image = frame.image if frame.image.ndim == 3 else cv2.cvtColor(frame.image, cv2.COLOR_GRAY2BGR)
    low = np.maximum(np.floor(outline.min(axis=0) - margin), 0).astype(int)
    high = np.minimum(np.ceil(outline.max(axis=0) + margin) + 1, frame.size).astype(int)
    if (high - low < 4).any():
        return None
    return np.asarray(image[low[1] : high[1], low[0] : high[0]]), low.astype(np.float64)


def _is_cloth(pixels: FloatArray, colour: FloatArray, brightness: float) -> FloatArray:
    level = np.maximum(pixels.mean(axis=1), 1.0)
    direction = pixels / np.linalg.norm(np.maximum(pixels, 1.0), axis=1)[:, None]
    near = np.linalg.norm(direction - colour / np.linalg.norm(colour), axis=1) < CHROMA
    ratio = level / brightness
    return np.asarray(near & (ratio > DARKEST) & (ratio < BRIGHTEST), dtype=np.float64)


def remember_cloth(frame: Frame, outline: FloatArray, width: float) -> Cloth | None:
    """The cloth in a ring of `width` pixels round an outline (n, 2) in the image."""
    window = _window(frame, outline, width)
    if window is None:
        return None
    image, low = window
    body = _outline_mask(image.shape, outline, low)
    size = 2 * int(width) + 1
    near = cv2.dilate(body, np.ones((size // 3 | 1, size // 3 | 1), np.uint8))
    far = cv2.dilate(body, np.ones((size, size), np.uint8))
    pixels = image[(np.asarray(far) > 0) & (np.asarray(near) == 0)].astype(np.float64)
    if len(pixels) < 50:
        return None
    colour = np.median(pixels, axis=0) + 1.0
    brightness = float(np.median(pixels.mean(axis=1))) + 1.0
    return Cloth(colour, brightness, float(_is_cloth(pixels, colour, brightness).mean()))


def is_bare(frame: Frame, outline: FloatArray, cloth: Cloth) -> bool:
    """Whether the inside of an outline (n, 2) in the image shows that cloth."""
    window = _window(frame, outline, 1.0)
    if window is None or not cloth.telling:
        return False
    image, low = window
    # A little blur first: noise is no colour.
    smooth = cv2.GaussianBlur(image, (0, 0), 1.0)
    pixels = smooth[_outline_mask(image.shape, outline, low) > 0].astype(np.float64)
    return bool(len(pixels) > 0 and _is_cloth(pixels, cloth.colour, cloth.brightness).mean() >= SHARE)
