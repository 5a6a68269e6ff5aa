"""What a printed tag looks like: families by name, and a tag's modules as OpenCV draws them."""

from __future__ import annotations

import re

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.errors import TableRefError

TagKey = tuple[str, int]
"""A tag by its family and its id."""

APRILTAG_FAMILIES = {
    "tag36h11": cv2.aruco.DICT_APRILTAG_36h11,
    "tag36h10": cv2.aruco.DICT_APRILTAG_36h10,
    "tag25h9": cv2.aruco.DICT_APRILTAG_25h9,
    "tag16h5": cv2.aruco.DICT_APRILTAG_16h5,
}

READ_ONLY_FAMILIES = {
    "tagCircle21h7": 38,
    "tagCircle49h12": 65535,
    "tagCustom48h12": 42211,
    "tagStandard41h12": 2115,
    "tagStandard52h13": 48714,
}
"""Families that are read but not drawn here, and how many tags each has."""


class FiducialError(TableRefError):
    """A tag family or id that does not exist."""


def dictionary_of(family: str) -> cv2.aruco.Dictionary:
    """OpenCV's dictionary of an AprilTag family or an ArUco dictionary such as DICT_5X5_100.

    >>> dictionary_of("tag36h11").markerSize
    6
    """
    number = APRILTAG_FAMILIES.get(family)
    if number is None and re.fullmatch(r"DICT_\w+", family):
        number = getattr(cv2.aruco, family, None)
    if number is None:
        raise FiducialError(
            f"expected a tag family ({', '.join(APRILTAG_FAMILIES)}) or an ArUco dictionary "
            f"(DICT_4X4_50, DICT_5X5_100, ...) but got {family!r}"
        )
    return cv2.aruco.getPredefinedDictionary(number)


def check_fiducial(family: str, tag: int) -> None:
    """Refuses a family that nothing here can read, and an id that its family does not have.

    >>> check_fiducial("tag36h11", 587)
    Traceback (most recent call last):
    ...
    calibration.fiducials.FiducialError: tag36h11 has the ids 0 to 586 but got 587
    """
    count = READ_ONLY_FAMILIES.get(family) or len(dictionary_of(family).bytesList)
    if not 0 <= tag < count:
        raise FiducialError(f"{family} has the ids 0 to {count - 1} but got {tag}")


def black_modules(family: str, tag: int) -> NDArray[np.bool_]:
    """Which modules of a tag are black, shape (n, n) with its black border, row 0 at its top.

    Upright is as OpenCV draws the tag; the AprilTag library's own pictures of tag36h11 are turned
    by 180 degrees against that.
    """
    dictionary = dictionary_of(family)
    check_fiducial(family, tag)
    modules = dictionary.markerSize + 2
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, tag, modules) == 0)
