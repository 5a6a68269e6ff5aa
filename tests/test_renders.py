"""The whole way from picture to inches, on frames with exact truth and on photographs: what README quotes."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from benchmarks.renders import Mode, calibrated, made_by_hand, main, score
from benchmarks.truth import true_frames
from engine.errors import TableRefError
from engine.space.geometry import FloatArray, wrap_angle
from tests.volume import DEEP, Figure, volume
from vision.frame import Frame
from vision.tags.reader import read_tags
from vision.tags.reading import TagReader


def test_rendered_frames_are_read_to_thousandths_of_an_inch(shared: Path, figure: Figure) -> None:
    figures = score(shared / "renders")
    figure("rendered frames, lens and places known", figures)
    assert figures["n"] > 400
    left_out = [truth for truth in true_frames(shared / "renders") if made_by_hand(truth)]
    assert figures["hand_made"] == len(left_out)
    assert {truth.picture.parent.name for truth in left_out} <= {"reality", "things"}
    centre = figures["tag_center_in"]
    assert centre["median"] <= 0.006
    assert centre["p95"] <= 0.015
    assert centre["max"] <= 0.03
    assert figures["tyre_in"]["p95"] <= 0.04
    assert figures["heading_deg"]["p95"] <= 1.5
    assert figures["recall"] >= figures["recall_stock"]
    assert figures["recall"] >= 0.99
    assert figures["wrong_ids"] == 0
    assert 0.93 <= figures["coverage_95"] <= 0.98
    # What ignoring heights costs, on the very same reads.
    assert figures["plain_homography_in"]["median"] > 0.2


def test_with_the_lens_calibrated_from_board_pictures(shared: Path, figure: Figure) -> None:
    mode = Mode(calibrated(shared / "renders" / "boards"))
    figures = score(shared / "renders", mode)
    figure("rendered frames, lens calibrated", figures)
    # No board was photographed with the lenses of two of the frames.
    assert (figures["frames"], figures["left_out"]) == (44, 2)
    centre = figures["tag_center_in"]
    assert centre["median"] <= 0.006
    assert centre["p95"] <= 0.015
    assert centre["max"] <= 0.03
    assert figures["tyre_in"]["p95"] <= 0.04
    assert 0.93 <= figures["coverage_95"] <= 0.98


def test_without_a_ruler(shared: Path, figure: Figure) -> None:
    figures = score(shared / "renders", Mode(ruler=False))
    figure("rendered frames, no place measured", figures)
    assert figures["tag_center_in"]["p95"] <= 0.04
    assert figures["scale_error"] <= 0.001
    assert 0.93 <= figures["coverage_95"] <= 0.98


def test_without_any_lens(shared: Path, figure: Figure) -> None:
    figures = score(shared / "renders", Mode(lens=False))
    figure("rendered frames, lens guessed", figures)
    assert figures["tag_center_in"]["p95"] <= 0.12
    assert 0.93 <= figures["coverage_95"] <= 0.98


def test_with_neither_ruler_nor_lens(shared: Path) -> None:
    figures = score(shared / "renders" / "stills-1080p", Mode(ruler=False, lens=False))
    assert figures["wrong_ids"] == 0
    assert figures["tag_center_in"]["p95"] <= 0.12
    assert figures["coverage_95"] >= 0.93


@pytest.mark.parametrize("mode", [Mode(ruler=r, lens=k) for r in (True, False) for k in (True, False)])
def test_what_hands_made_and_measured_lies_within_what_is_stated(shared: Path, mode: Mode) -> None:
    figures = score(shared / "renders" / "reality", mode, hand_made=True)
    assert figures["frames"] == 2
    assert figures["coverage_95"] >= 0.93


def test_one_json_object_with_the_promised_fields(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(shared / "renders" / "stills-4k"), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    promised = {"tag_center_in", "tyre_in", "heading_deg", "recall", "recall_stock", "wrong_ids"}
    assert promised | {"coverage_95", "n"} <= set(figures)
    assert figures["n"] == 15


def test_a_folder_without_truth_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableRefError, match="no picture with a truth file"):
        score(tmp_path)
    with pytest.raises(TableRefError, match="expected a folder"):
        score(tmp_path / "none")
    assert main([str(tmp_path)]) == 2


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
        if DEEP or name.endswith(("_0.png", "_20.png", "_50.png", "-50.png"))
    }
    assert len(turned) == volume(4, 15)
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
    for path in files[:: volume(5, 1)]:
        frame = picture(path)
        stock = {r.tag for r in read_tags(frame.grey, ["tag36h11"]) if r.flaws == 0}
        # The field's tags are numbered 1 to 16; all 587 are in play, and no other may be made up.
        found = set(read(path, range(587)))
        assert stock <= found <= set(range(1, 17)), path.name
        count += len(found)
    assert count >= volume(3, 28)


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
