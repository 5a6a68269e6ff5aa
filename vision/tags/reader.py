"""One adapter over the tag readers that are installed: libapriltag and OpenCV's aruco.

libapriltag comes as `pupil-apriltags` (most machines) or `pyapriltags` (where the former has no
wheel). Two detector objects in one process crash the former at exit and two packages corrupt the
heap, so there is one object for the process's life, behind a lock.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import FloatArray
from vision.frame import Image
from vision.tags.code_table import add_family
from vision.tags.pattern import aruco_dictionary

LIBAPRILTAG_FAMILIES = frozenset(
    {
        "tag36h11", "tag25h9", "tag16h5", "tagCircle21h7", "tagCircle49h12",
        "tagCustom48h12", "tagStandard41h12", "tagStandard52h13",
    }
)  # fmt: skip

# A detector cannot be made without a family; this one's table of codes is the smallest.
_SMALL = "tag16h5"

# libapriltag's corners start at the upright picture's bottom left when OpenCV's start at the top
# left of a picture turned by 180 degrees: this puts them into OpenCV's order.
_TO_OPENCV_ORDER = [1, 0, 3, 2]

# A reader's corner noise where nothing better is known, pixels.
STOCK_SD = 0.35

# The fewest pixels a side of a picture in which a tag can be: libapriltag crashes on one or two.
LEAST_PX = 8
# The smallest black square that OpenCV's reader looks for, pixels.
SMALLEST_PX = 12.0


class ReaderError(TableRefError):
    """A tag family that nothing installed here can read."""


@dataclass(frozen=True, eq=False)
class TagRead:
    """One raw read: corners (4, 2) in `vision.frame.Detection` order; `flaws` are corrected bits."""

    family: str
    tag: int
    corners: FloatArray
    flaws: int = 0


class _LibAprilTag:
    """The process's one libapriltag detector."""

    def __init__(self, families: Sequence[str]) -> None:
        try:
            import pupil_apriltags as package  # noqa: PLC0415 - one of two packages is installed
        except ImportError:
            import pyapriltags as package  # noqa: PLC0415
        self.families = frozenset(families)
        self.lock = threading.Lock()
        threads = min(4, os.cpu_count() or 1)
        self.detector: Any = package.Detector(
            families=_SMALL, nthreads=threads, quad_decimate=1.0, quad_sigma=0.0, refine_edges=1
        )
        self._set_families(families)
        # Both packages cast this through int() on construction, and 0 costs a sixth of the recall.
        self.detector.tag_detector_ptr.contents.decode_sharpening = 0.25
        # Taken apart while the interpreter shuts down it can crash: the process's end frees it as well.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.detector))

    def _set_families(self, families: Sequence[str]) -> None:
        """These in the place of the one that it was made with; the packages take no more than one."""
        library, pointer = self.detector.libc, self.detector.tag_detector_ptr
        # Kept where the packages keep their own, so that they live as long as the detector.
        made = self.detector.tag_families
        library.apriltag_detector_remove_family(pointer, made[_SMALL])
        for family in families:
            if family not in made:
                create = getattr(library, f"{family}_create")
                create.restype = ctypes.POINTER(type(made[_SMALL].contents))
                made[family] = create()
            add_family(library, pointer, made[family])

    def read(self, grey: Image) -> list[TagRead]:
        with self.lock:
            found = self.detector.detect(np.ascontiguousarray(grey))
        return [
            # libapriltag counts (0.5, 0.5) as the first pixel's centre, OpenCV (0, 0).
            TagRead(
                d.tag_family.decode(),
                int(d.tag_id),
                np.array(d.corners, dtype=np.float64)[_TO_OPENCV_ORDER] - 0.5,
                int(d.hamming),
            )
            for d in found
        ]


_instance: _LibAprilTag | None = None
_instance_lock = threading.Lock()


def _libapriltag(families: Sequence[str]) -> _LibAprilTag | None:
    """The one detector, made for the families first asked for; None if it reads none of these."""
    global _instance  # noqa: PLW0603 - one detector object for the process's life is the point
    with _instance_lock:
        known = [f for f in families if f in LIBAPRILTAG_FAMILIES]
        if _instance is None and known:
            _instance = _LibAprilTag(known)
        return _instance if _instance is not None and _instance.families & set(families) else None


def _read_aruco(grey: Image, family: str) -> list[TagRead]:
    dictionary = aruco_dictionary(family)
    if dictionary is None:
        raise ReaderError(
            f"tag family {family!r} cannot be read here: expected one of "
            f"{', '.join(sorted(LIBAPRILTAG_FAMILIES))} (all of one table together, from the start) or an "
            "OpenCV dictionary such as DICT_4X4_50"
        )
    parameters = cv2.aruco.DetectorParameters()
    # The default scales with the picture's width and misses 30 px tags at 4K.
    parameters.minMarkerPerimeterRate = max(4.0 * SMALLEST_PX / max(grey.shape), 0.005)
    # Six-bit-distance dictionaries take scraps for markers when they may correct bits.
    parameters.errorCorrectionRate = 0.3
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(grey)
    if not len(corners):
        return []
    return [
        TagRead(family, int(i), np.asarray(c, dtype=np.float64).reshape(4, 2))
        for i, c in zip(np.asarray(ids).ravel(), corners, strict=True)
    ]


def read_tags(grey: Image, families: Sequence[str]) -> list[TagRead]:
    """Every tag of these families that a general reader finds in `grey`.

    Raises `ReaderError` for a family nobody here can read.
    """
    if min(grey.shape) < LEAST_PX:
        return []
    library = _libapriltag(families)
    found = [r for r in library.read(grey) if r.family in families] if library else []
    for family in dict.fromkeys(families):
        if library is None or family not in library.families:
            found += _read_aruco(grey, family)
    return found
