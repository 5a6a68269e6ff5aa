from __future__ import annotations

import subprocess
import sys

import cv2
import numpy as np
import pytest

from vision.frame import Frame, Image
from vision.tags.pattern import aruco_dictionary
from vision.tags.reader import read_tags
from vision.tags.reading import TagReader
from vision.tags.watch import Watch


def sheet(family: str, tag: int, at: tuple[int, int], canvas: Image, module: int = 5) -> None:
    dictionary = aruco_dictionary(family)
    assert dictionary is not None
    side = (dictionary.markerSize + 2) * module
    x, y = at
    canvas[y - 2 * module : y + side + 2 * module, x - 2 * module : x + side + 2 * module] = 235
    canvas[y : y + side, x : x + side] = cv2.aruco.generateImageMarker(dictionary, tag, side)


def picture(*tags: tuple[str, int, tuple[int, int]]) -> Frame:
    canvas = np.full((300, 400), 120, dtype=np.uint8)
    for family, tag, at in tags:
        sheet(family, tag, at, canvas)
    soft = cv2.GaussianBlur(canvas, (0, 0), 0.8)
    noise = np.random.default_rng(2).normal(0, 2, soft.shape)
    return Frame(np.clip(soft + noise, 0, 255).astype(np.uint8), 0.0, 0)


@pytest.mark.parametrize("family", ["tag36h11", "tag25h9", "tag16h5", "DICT_4X4_50", "DICT_6X6_250"])
def test_families_on_request_are_found_and_followed(family: str) -> None:
    """Roof tags of one family between border markers of another."""
    border = "DICT_5X5_100"
    frame = picture((family, 3, (60, 60)), (family, 7, (200, 120)), (border, 1, (300, 220)))
    watch = Watch([(family, 3), (family, 7), (border, 1)])
    for k in range(3):
        found = watch.read(Frame(frame.image, k / 10, k))
        assert {(d.family, d.tag) for d in found} == watch.reader.keys
    corners = next(d.corners for d in found if d.tag == 3)
    # The first black pixel is 60: its edge lies at 59.5 (blurred after the tone curve, so not quite).
    assert corners.min(axis=0) == pytest.approx((59.5, 59.5), abs=0.25)


def test_a_family_of_another_table_is_never_reported() -> None:
    frame = picture(("tag25h9", 3, (60, 60)), ("DICT_4X4_50", 7, (200, 120)))
    assert TagReader.of([("tag36h11", 3), ("tag36h11", 7)]).read_all(frame) == []


def test_families_that_only_one_library_knows_are_read_beside_the_usual() -> None:
    """In a process of its own: the detector is made once, for the families first asked for."""
    program = """
import numpy as np
from vision.tags.reader import read_tags
from vision.tags.pattern import aruco_dictionary
import cv2
grey = np.full((200, 200), 220, np.uint8)
grey[60:100, 20:60] = cv2.aruco.generateImageMarker(aruco_dictionary("tag36h11"), 4, 40)
grey[60:100, 80:120] = cv2.aruco.generateImageMarker(aruco_dictionary("tag25h9"), 6, 40)
grey[60:100, 140:180] = cv2.aruco.generateImageMarker(aruco_dictionary("tag16h5"), 2, 40)
soft = cv2.GaussianBlur(grey, (0, 0), 0.7)
reads = read_tags(soft, ["tag36h11", "tag25h9", "tag16h5", "tagStandard41h12"])
print(sorted((r.family, r.tag) for r in reads if r.flaws == 0), flush=True)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[('tag16h5', 2), ('tag25h9', 6), ('tag36h11', 4)]"


@pytest.mark.parametrize("shape", [(1, 1), (1, 3000), (2, 50), (3000, 1), (3, 3)])
def test_a_picture_too_small_for_a_tag_shows_none(shape: tuple[int, int]) -> None:
    """The library crashes on one or two rows."""
    assert read_tags(np.zeros(shape, np.uint8), ["tag36h11", "DICT_4X4_50"]) == []
