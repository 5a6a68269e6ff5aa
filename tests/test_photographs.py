"""Real photographs: what their folders' README states about them, at the tolerance that it states."""

from __future__ import annotations

import math
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from engine.space.geometry import FloatArray, wrap_angle
from vision.frame import Frame
from vision.tags.reader import read_tags
from vision.tags.reading import TagReader


def picture(path: Path) -> Frame:
    image = cv2.imread(str(path))
    assert image is not None
    return Frame(np.asarray(image, dtype=np.uint8), 0.0, 0)


def read(path: Path, tags: range) -> dict[int, FloatArray]:
    found = TagReader.of([("tag36h11", tag) for tag in tags]).read_all(picture(path))
    return {d.tag: d.corners for d in found}


def yaw(corners: FloatArray, K: FloatArray, size: float) -> float:
    """How far a standing tag is turned about the upright, radians."""
    h = size / 2
    square = np.array([(-h, h, 0), (h, h, 0), (h, -h, 0), (-h, -h, 0)])
    _, rvec, _ = cv2.solvePnP(square, corners, K, np.zeros(4), flags=cv2.SOLVEPNP_ITERATIVE)
    normal = cv2.Rodrigues(rvec)[0][:, 2]
    return math.atan2(normal[0], -normal[2])


def test_a_tag_that_was_turned_by_the_degrees_in_its_files_name(shared: Path) -> None:
    folder = shared / "photos" / "duckietown"
    info = yaml.safe_load((folder / "test_info.yaml").read_text(encoding="utf-8"))["rotation_test"]
    K = np.array(info["K"]).reshape(3, 3)
    turned = {
        int(re.findall(r"-?\d+", name)[-1]): yaw(read(folder / name, range(587))[76], K, info["tag_size"])
        for name in info["files"]
    }
    assert len(turned) == 15
    sense = math.copysign(1.0, wrap_angle(turned[50] - turned[-50]))
    off = {d: wrap_angle(sense * angle - math.radians(d)) for d, angle in turned.items()}
    # The camera itself did not look quite straight at the tag.
    aside = float(np.median(list(off.values())))
    for degrees, angle in off.items():
        assert abs(math.degrees(angle - aside)) <= 4.0, degrees


def test_every_tag_of_a_dark_view_from_above_is_read(shared: Path) -> None:
    found = read(shared / "photos" / "duckietown" / "test_image.png", range(587))
    assert set(found) == {60, 82, 318, 328, 387}


def test_a_robotics_field_gives_the_stock_readers_tags_and_no_other(shared: Path) -> None:
    files = sorted((shared / "photos" / "field").glob("*.jpg"))
    assert len(files) == 15
    count = 0
    for path in files:
        frame = picture(path)
        stock = {r.tag for r in read_tags(frame.grey, ["tag36h11"]) if r.flaws == 0}
        # The field's tags are numbered 1 to 16; all 587 are in play, and no other may be made up.
        found = set(read(path, range(587)))
        assert stock <= found <= set(range(1, 17)), path.name
        count += len(found)
    assert count >= 28


@pytest.mark.parametrize(
    "name", ["33369213973_9d9bb4cc96_c", "34085369442_304b6bafd9_c", "34139872896_defdb2f8d9_c"]
)
def test_corners_are_those_of_the_librarys_own_test(shared: Path, name: str) -> None:
    """All tags are id 0; corners agree within a pixel once the half pixel is taken off.

    The expectation comes from another version of the library than the one installed, which here and
    there misses one tag of a dozen pixels or puts a corner two pixels off: one a picture may differ.
    """
    folder = shared / "photos" / "outdoor-three"
    text = (folder / f"{name}.txt").read_text(encoding="utf-8")
    expected = [
        np.array([float(v) for v in re.findall(r"-?\d+\.\d+", line)]).reshape(4, 2) - 0.5
        for line in text.splitlines()
        if line.strip()
    ]
    reads = [r for r in read_tags(picture(folder / f"{name}.jpg").grey, ["tag36h11"]) if r.tag == 0]
    agreed = sum(
        any(np.abs(np.sort(r.corners, axis=0) - np.sort(square, axis=0)).max() < 1.0 for r in reads)
        for square in expected
    )
    assert len(expected) >= 10
    assert agreed >= len(expected) - 1
