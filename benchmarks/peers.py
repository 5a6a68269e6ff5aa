"""General tag readers to compare with, as far as they are installed. Never two in one process."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import cv2
import numpy as np

FRAMES = 12
"""Frames that each peer reads, evenly spread: it has no memory, so more say nothing new."""
FULL_VIEW = 0.99

ReadIds = Callable[[Any], set[int]]


def _pupil(decimate: float) -> Callable[[], ReadIds]:
    def make() -> ReadIds:
        package = import_module("pupil_apriltags")
        detector = package.Detector(families="tag36h11", nthreads=1, quad_decimate=decimate)
        # Cast through int() on construction.
        detector.tag_detector_ptr.contents.decode_sharpening = 0.25
        return lambda grey: {int(d.tag_id) for d in detector.detect(grey)}

    return make


def _aruco() -> ReadIds:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    detector = cv2.aruco.ArucoDetector(dictionary)

    def read(grey: Any) -> set[int]:
        ids = detector.detectMarkers(grey)[1]
        return set() if ids is None else {int(i) for i in np.asarray(ids).ravel()}

    return read


def _apriltag_python() -> ReadIds:
    package = import_module("apriltag")
    detector = package.apriltag("tag36h11", threads=1, decimate=1.0)
    return lambda grey: {int(d["id"]) for d in detector.detect(grey)}


def _locus() -> ReadIds:
    package = import_module("locus")
    detector = package.Detector(families=[package.TagFamily.AprilTag36h11], threads=1)
    return lambda grey: {int(i) for i in detector.detect(grey).ids}


PEERS: dict[str, Callable[[], ReadIds]] = {
    "pupil-apriltags d1": _pupil(1.0),
    "pupil-apriltags d2": _pupil(2.0),
    "cv2.aruco": _aruco,
    "apriltag-python d1": _apriltag_python,
    "locus-tag": _locus,
}


# Some readers crash when their detector is taken apart: none ever is.
_kept: list[ReadIds] = []


def reader_of(name: str) -> ReadIds:
    """One peer, ready to read. Raises `ImportError` if it is not installed."""
    read_ids = PEERS[name]()
    _kept.append(read_ids)
    return read_ids


def measure_peer(
    name: str, clip: dict[str, Any], frames: list[tuple[Any, float, dict[str, Any]]]
) -> dict[str, Any] | None:
    """One peer's time a frame on one core, decoding included, and recall; None if not installed."""
    try:
        read_ids = reader_of(name)
    except ImportError:
        return None
    in_play = {int(i) for _, i in clip["keys"]}
    times: list[float] = []
    seen = read = 0
    for coded, _, truth in frames[:: max(len(frames) // FRAMES, 1)]:
        began = time.process_time()
        found = read_ids(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE))
        times.append(time.process_time() - began)
        visible = {i for i in in_play if str(i) in truth and truth[str(i)]["visible"] >= FULL_VIEW}
        seen += len(visible)
        read += len(visible & found)
    ms = round(1e3 * float(np.mean(times[1:] or times)), 2)
    return {"name": name, "ms": ms, "recall": round(read / max(seen, 1), 4)}
