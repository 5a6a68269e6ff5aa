"""What flows through vision: frames, detections, sightings. Pixels are OpenCV's (see below)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.jpeg import MOST_PIXELS, Picture, decode
from engine.errors import ShapeError
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty

Image = NDArray[np.uint8]

# Markers of a JPEG's segments: Huffman tables, and where the picture itself begins.
_TABLES, _SCAN = 0xC4, 0xDA


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of the table.

    `image` is BGR, shape (h, w, 3), or grey, shape (h, w), 8 bits. `time` is seconds of the
    source's own clock, at mid-exposure where it is known; nothing downstream asks another clock.
    `repeated` says that a camera has sent the very same picture before: nothing new is seen in it. `old` is
    for how many seconds the camera had shown what it shows, or kept it back, when the picture came.
    `damaged`: parts of it were lost on the way, and what is seen there may be made up.
    """

    image: Image
    time: float
    index: int
    source: str = ""
    repeated: bool = False
    old: float = 0.0
    damaged: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.grey.shape[1], self.grey.shape[0]

    def restamped(self, index: int, time: float) -> Frame:
        """The same picture with another number and time."""
        return replace(self, index=index, time=time)

    def aged(self, old: float, *, repeated: bool = False) -> Frame:
        """The same picture, known to be old when it came."""
        return replace(self, old=old, repeated=repeated)

    def believed(self) -> Frame:
        """The same picture, taken for a whole one."""
        return replace(self, damaged=False)

    @cached_property
    def grey(self) -> Image:
        """The picture in grey, shape (h, w)."""
        if self.image.ndim == 2:
            return self.image
        return np.asarray(cv2.cvtColor(self.image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


class JpegFrame(Frame):
    """A picture as a camera sends it: decoded straight to grey, and to colour only if asked.

    `coded` are the bytes of one JPEG; it is `damaged` where the decoder could make nothing of some of them.
    Raises `ShapeError` if they are none.
    """

    def __init__(self, coded: bytes | Image, time: float, index: int, source: str = "") -> None:
        data = coded if isinstance(coded, bytes) else coded.tobytes()
        for name, value in (("coded", data), ("time", time), ("index", index), ("source", source)):
            object.__setattr__(self, name, value)
        seen = self._decoded("GRAY")
        object.__setattr__(self, "grey", seen.pixels)
        object.__setattr__(self, "damaged", seen.damaged)

    coded: bytes

    @cached_property
    def image(self) -> Image:
        """The picture in colour, BGR, shape (h, w, 3)."""
        return self._decoded("BGR").pixels

    def restamped(self, index: int, time: float) -> Frame:
        """The same picture with another number and time; nothing is decoded again."""
        return self._with(index=index, time=time)

    def aged(self, old: float, *, repeated: bool = False) -> Frame:
        """The same picture, known to be old when it came; nothing is decoded again."""
        return self._with(old=old, repeated=repeated)

    def believed(self) -> Frame:
        """The same picture, taken for a whole one; nothing is decoded again."""
        return self._with(damaged=False)

    def _with(self, **others: object) -> Frame:
        other = object.__new__(JpegFrame)
        vars(other).update(vars(self), **others)
        return other

    def _decoded(self, colours: Literal["GRAY", "BGR"]) -> Picture:
        picture = decode(self.coded, colours, MOST_PIXELS)
        if picture is None:
            raise ShapeError(
                f"expected the bytes of a JPEG picture but got {len(self.coded)} bytes of something"
            )
        return picture


def with_tables(coded: bytes) -> bytes:
    """A JPEG that can be shown anywhere: with the usual Huffman tables if it has none of its own.

    Webcams leave them out of their motion JPEG, for they are always the same. What is no JPEG is given
    back as it is.
    """
    at = 2
    while at + 4 <= len(coded) and coded[at] == 0xFF and coded[at + 1] != _SCAN:
        if coded[at + 1] == _TABLES:
            return coded
        at += 2 + int.from_bytes(coded[at + 2 : at + 4], "big")
    is_jpeg = coded[:2] == b"\xff\xd8" and coded[at : at + 2] == bytes((0xFF, _SCAN))
    return coded[:at] + _usual_tables() + coded[at:] if is_jpeg else coded


@cache
def _usual_tables() -> bytes:
    """The segments with the tables that OpenCV, like everybody, writes unless told to optimise them."""
    coded = cv2.imencode(".jpg", np.zeros((8, 8, 3), np.uint8))[1].tobytes()
    found, at = b"", 2
    while coded[at + 1] != _SCAN:
        end = at + 2 + int.from_bytes(coded[at + 2 : at + 4], "big")
        if coded[at + 1] == _TABLES:
            found += coded[at:end]
        at = end
    return found


@dataclass(frozen=True, eq=False)
class Detection:
    """One fiducial as read in a frame.

    `corners` are the black square's corners in the image, shape (4, 2), in the order top-left,
    top-right, bottom-right, bottom-left of the tag held upright *as OpenCV draws it* (the
    AprilTag library's own pictures of tag36h11 are turned by 180 degrees against that). Pixel
    (0, 0) is the centre of the top-left pixel. `covariance` is of the flattened corners
    (x0, y0, x1, ...), shape (8, 8), square pixels. `how` it was read: in the whole picture, in the
    region where it was expected, or at the very place of an earlier read (by one linear step, but
    from this frame's own pixels: a measurement of its own).
    """

    family: str
    tag: int
    corners: FloatArray
    covariance: FloatArray
    how: Literal["full", "region", "place"] = "full"

    @property
    def centre(self) -> FloatArray:
        """Where the square's diagonals cross in the image, shape (2,): the tag's true centre."""
        a, b, c, d = self.corners
        matrix = np.stack([c - a, b - d], axis=1)
        s = np.linalg.solve(matrix, b - a)[0]
        return np.asarray(a + s * (c - a))

    @cached_property
    def side(self) -> float:
        """The mean side of the black square in pixels."""
        a, b, c, d = self.corners.tolist()
        return (math.dist(a, b) + math.dist(b, c) + math.dist(c, d) + math.dist(d, a)) / 4


@dataclass(frozen=True, eq=False)
class Sighting:
    """A detection of a known piece brought down to the table, in inches.

    `tag_pose` is the tag's own pose seen from above (its heading is that of its printed top);
    `pose` the piece's, after its mount. `uncertainty` belongs to `pose`, `tag_uncertainty` to
    `tag_pose`. `noise` (3, 3) is the part of `uncertainty.own` that is read anew in every frame.
    """

    piece: Piece
    time: float
    tag_pose: Pose
    pose: Pose
    tag_uncertainty: PoseUncertainty
    uncertainty: PoseUncertainty
    noise: FloatArray
    detection: Detection = field(repr=False)
