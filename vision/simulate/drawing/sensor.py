"""From light to a picture: the tone curve, noise and compression of a camera."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.simulate.scene import Sensor, Tone

_STEPS = 8192

# Noise is drawn once, larger than the picture by this, and laid under each frame somewhere else.
_SLACK = 192


def tone_table(tone: Tone) -> NDArray[np.uint8]:
    """Grey level (0 to 255) for light 0 to 1 in equal steps."""
    light = np.linspace(0.0, 1.0, _STEPS)
    if tone == "linear":
        level = light
    else:
        level = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    if tone == "contrast":
        level = level + 0.09 * np.sin(2 * np.pi * (level - 0.5)) * 1.0
    return np.asarray(np.rint(np.clip(level, 0.0, 1.0) * 255), dtype=np.uint8)


def develop(light: NDArray[np.float32], table: NDArray[np.uint8]) -> Image:
    """Linear light, any shape, 1 = full scale, as grey levels."""
    steps = np.clip(light * (_STEPS - 1) + 0.5, 0, _STEPS - 1).astype(np.uint16)
    return np.asarray(table[steps], dtype=np.uint8)


@lru_cache(maxsize=2)
def _speckle(size: tuple[int, int], sigma: float, seed: int) -> tuple[Image, Image]:
    """What noise of deviation `sigma` grey levels adds and takes away; remembered, for it takes a while."""
    rng = np.random.default_rng(seed)
    shape = (size[1] + _SLACK, size[0] + _SLACK)
    # Mostly in brightness, some in colour, as demosaicing leaves it; `sigma` in all.
    grey = rng.standard_normal(shape, dtype=np.float32)
    field = np.empty((*shape, 3), dtype=np.float32)
    for channel in range(3):
        field[..., channel] = 0.85 * grey + 0.527 * rng.standard_normal(shape, dtype=np.float32)
    field *= sigma
    np.rint(field, out=field)
    return np.clip(field, 0, 255).astype(np.uint8), np.clip(-field, 0, 255).astype(np.uint8)


class Noise:
    """Sensor noise, the same for the same frame number and seed."""

    def __init__(self, size: tuple[int, int], sigma: float, seed: int) -> None:
        self._seed = seed
        self._size = size
        self._up: Image | None = None
        self._down: Image | None = None
        if sigma > 0.0:
            self._up, self._down = _speckle(size, sigma, seed)

    def on(self, image: Image, index: int) -> Image:
        """The picture with the noise of frame `index`, clipped at black and white."""
        if self._up is None or self._down is None:
            return image.copy()
        w, h = self._size
        x, y = np.random.default_rng([self._seed, index]).integers(0, _SLACK, 2)
        window = (slice(y, y + h), slice(x, x + w))
        brighter = cv2.add(image, self._up[window])
        return np.asarray(cv2.subtract(brighter, self._down[window]), dtype=np.uint8)


def compressed(image: Image, sensor: Sensor) -> Image:
    """The picture after JPEG at the sensor's quality, or as it is."""
    if sensor.jpeg is None:
        return image
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, sensor.jpeg])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)
