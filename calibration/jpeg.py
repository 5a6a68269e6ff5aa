"""Coded pictures as pixels; what a decoder has to say of a damaged one goes to nobody's terminal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Colours = Literal["GRAY", "BGR"]

MOST_PIXELS = 100_000_000
"""Pixels of a camera's picture that is decoded: more than any has, and 300 MB in colours."""

MOST_PHOTO_PIXELS = 400_000_000
"""Pixels of a photo that is decoded: phones take some of 200 million."""

JPEG = b"\xff\xd8"
"""How every JPEG begins."""

BREAKS_OFF = "Premature end of JPEG file"
"""What libjpeg-turbo says of a file that was cut."""

PADDED, PADDING = re.compile(r"(\d+) extraneous bytes before marker"), 8
"""What it says of bytes too many: a few are padding, more are what it could make nothing of."""


@dataclass(frozen=True)
class Picture:
    """Pixels, grey (h, w) or BGR (h, w, 3); `damaged`: some of them may be made up."""

    pixels: Image
    damaged: bool = False


def decode(data: bytes, colours: Colours, most: int = MOST_PHOTO_PIXELS) -> Picture | None:
    """A picture in the sensor's own orientation; None for one that breaks off, is none or too large.

    A JPEG by libjpeg-turbo with its vector instructions, which OpenCV's wheels leave out; OpenCV would write
    to the terminal what is wrong with one.
    """
    if data[:2] != JPEG:
        return _by_opencv(data, colours)
    try:
        height, width, *_ = simplejpeg.decode_jpeg_header(data)
        if height * width > most:
            return None
    except ValueError:
        # A head that cannot be read may claim any size.
        return None
    return _jpeg(data, colours)


def _jpeg(data: bytes, colours: Colours) -> Picture | None:
    """A JPEG of a head that can be read; None for one that breaks off."""
    try:
        return Picture(_pixels(data, colours))
    except ValueError as error:
        if str(error) == BREAKS_OFF:
            return None
        padded = PADDED.search(str(error))
    whole = padded is not None and int(padded[1]) <= PADDING
    try:
        return Picture(_pixels(data, colours, strict=False), damaged=not whole)
    except ValueError:
        # In colours that only OpenCV turns into these.
        return _by_opencv(data, colours)


def _pixels(data: bytes, colours: Colours, *, strict: bool = True) -> Image:
    picture = simplejpeg.decode_jpeg(data, colours, strict=strict)
    return np.asarray(picture[..., 0] if colours == "GRAY" else picture, dtype=np.uint8)


def _by_opencv(data: bytes, colours: Colours) -> Picture | None:
    kind = cv2.IMREAD_GRAYSCALE if colours == "GRAY" else cv2.IMREAD_COLOR
    # OpenCV takes an empty array for a mistake of the program's.
    whole = np.frombuffer(data or b"0", np.uint8)
    try:
        decoded = cv2.imdecode(whole, kind | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        # One that claims to be larger than any.
        return None
    return None if decoded is None else Picture(np.asarray(decoded, dtype=np.uint8))


def decode_jpeg(data: bytes, colours: Colours) -> Image | None:
    """A camera's picture, as `decode` has it."""
    found = decode(data, colours, MOST_PIXELS)
    return None if found is None else found.pixels
