"""The colours of a ground, as cloth or what is printed on it, under a light that changes slowly over it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.background import BLACK
from vision.flat import PER_INCH, Lab

# A colour is not a ground's that is so far from it in Lab's a and b, or lighter by so much, in the ground's
# own scatter and at the least.
SCATTERS, LEAST_CHROMA, LEAST_LIGHTER = 4.5, 7.0, 16.0
# What is darker by so much a share is in a shade, and may be off in a and b by so many times as much.
IN_SHADE, SHADES = 0.7, 2.0
# The light on a ground changes over so many inches, and its colour with it. What it looks like is found out
# on every fourth pixel.
LIGHT_IN, EVERY = 3.0, 4


def smoothed(lab: Lab, cloth: NDArray[np.bool_]) -> Lab:
    """Tell a ground's colour as the light on it has it: its mean about each pixel (h, w, 3).

    `lab` is every fourth pixel, `cloth` where it shows the ground.
    """
    weights, step = cloth.astype(np.float32), 2
    h, w = weights.shape
    small = (w // step, h // step)
    share = cv2.resize(weights, small, interpolation=cv2.INTER_AREA)
    sums = cv2.resize(lab * weights[..., None], small, interpolation=cv2.INTER_AREA)
    sigma = LIGHT_IN * PER_INCH / EVERY / step
    share, sums = cv2.GaussianBlur(share, (0, 0), sigma), cv2.GaussianBlur(sums, (0, 0), sigma)
    whole = sums.sum(axis=(0, 1)) / max(float(share.sum()), 1e-6)
    mixed = (sums + 1e-3 * whole) / (share + 1e-3)[..., None]
    return np.asarray(cv2.resize(mixed, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def in_full(few: Lab, shape: tuple[int, ...]) -> Lab:
    """Spread what every fourth pixel tells over all (h, w, 3)."""
    return np.asarray(cv2.resize(few, shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def off_ground(lab: Lab, local: Lab, broad: float) -> tuple[Lab, Lab, Lab]:
    """Tell how far colours are from a ground's in a and b, how much lighter, and how far all about: (h, w).

    In a shadow its a and b shrink with its light. What is off in the mean of `broad` pixels shows
    colours that its own grain hides.
    """
    # Planes by themselves are gone through in half the time.
    (now, *colours), (then, *there) = cv2.split(lab), cv2.split(local)
    light, dimmed = now - then, np.minimum((now + BLACK) / (then + BLACK), 1.0)
    a, b = (of - 128.0 - (was - 128.0) * dimmed for of, was in zip(colours, there, strict=True))
    about = (cv2.GaussianBlur(v, (0, 0), broad) for v in (a, b)) if broad else (a, b)
    return np.asarray(cv2.magnitude(a, b), np.float32), light, np.asarray(cv2.magnitude(*about), np.float32)
