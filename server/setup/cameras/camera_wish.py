"""What a webcam is asked for: picture size, rate, focus and exposure, from text."""

from __future__ import annotations

import math
import re

from engine.errors import TableRefError
from vision.source import CameraWish
from vision.sources.live import Control


class WishError(TableRefError):
    """An option that no camera could be asked for."""


def size_of(text: str) -> tuple[int, int] | None:
    """Width and height in pixels; None leaves a camera its own.

    >>> size_of("1920x1080"), size_of("own")
    ((1920, 1080), None)
    """
    if text.strip().casefold() == "own":
        return None
    match = re.fullmatch(r"\s*(\d{2,5})\s*[xX×]\s*(\d{2,5})\s*", text)
    if match is None:
        raise WishError(f"expected a size such as 1920x1080, or own, but got {text!r}")
    return int(match[1]), int(match[2])


def control_of(text: str, what: str) -> Control:
    """How focus or exposure is to be held.

    >>> control_of("lock", "focus"), control_of("-6", "exposure")
    ('lock', -6.0)
    """
    asked = text.strip().casefold()
    if asked == "auto":
        return "auto"
    if asked == "lock":
        return "lock"
    try:
        value = float(asked)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise WishError(f"expected auto, lock or a number for {what} but got {text!r}")
    return value


def wish_of(size: str, fps: float | None, focus: str, exposure: str) -> CameraWish:
    """What a webcam is asked for, from the options."""
    return CameraWish(size_of(size), fps, control_of(focus, "focus"), control_of(exposure, "exposure"))
