"""Pictures packed as JPEG, to be kept or sent."""

from __future__ import annotations

import cv2
import numpy as np

from engine.errors import TableRefError
from vision.frame import Frame, Image, JpegFrame


def jpeg(image: Image, quality: int, width: int | None = None) -> bytes:
    """A picture as JPEG of a quality up to 100, no wider than so many pixels."""
    if width is not None and image.shape[1] > width:
        image = _shrunk(image, width)
    done, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise TableRefError("a picture could not be packed as a JPEG")
    return bytes(data)


def whole_jpeg(frame: Frame, quality: int) -> bytes:
    """A frame in its full size; one that came as JPEG just as it came."""
    return bytes(frame.coded) if isinstance(frame, JpegFrame) else jpeg(frame.image, quality)


def _shrunk(image: Image, width: int) -> Image:
    # Halved first, then the rest between neighbours: averaging over odd areas takes five times as long.
    while image.shape[1] >= 2 * width:
        image = np.asarray(cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    size = (width, round(image.shape[0] * width / image.shape[1]))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_LINEAR), np.uint8)
