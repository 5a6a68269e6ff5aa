from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.fiducials import FiducialError, black_modules, dictionary_of


@pytest.mark.parametrize(
    ("family", "tag", "modules"),
    [("tag36h11", 0, 8), ("tag25h9", 34, 7), ("DICT_4X4_50", 49, 6), ("DICT_5X5_100", 7, 7)],
)
def test_modules_are_what_the_reader_reads(family: str, tag: int, modules: int) -> None:
    black = black_modules(family, tag)
    assert black.shape == (modules, modules)
    drawn = np.kron(np.pad(~black, 2, constant_values=True), np.ones((12, 12))).astype(np.uint8) * 255
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary_of(family)).detectMarkers(drawn)
    assert np.ravel(ids).tolist() == [tag]
    assert np.round(np.ravel(corners)[:2]) == pytest.approx([24, 24], abs=1)


@pytest.mark.parametrize(
    ("family", "tag", "says"),
    [
        ("tag36h12", 0, "expected a tag family"),
        ("DICT_9X9_50", 0, "DICT_9X9_50"),
        ("ArucoDetector", 0, "expected a tag family"),
        ("tag25h9", 35, "ids 0 to 34 but got 35"),
        ("tag36h11", -1, "got -1"),
    ],
)
def test_unknown_tags_are_refused(family: str, tag: int, says: str) -> None:
    with pytest.raises(FiducialError, match=says):
        black_modules(family, tag)
