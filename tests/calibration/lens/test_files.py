"""The lens: its model, and the files that it is read from."""

from __future__ import annotations

import errno
import json
import os
import re
import time
from pathlib import Path
from typing import IO, Any

import cv2
import numpy as np
import pytest
import yaml

from calibration.lens.files import LensForm, lens_doubts, lens_path, read_lens, saved_lens, write_lens
from calibration.lens.model import (
    Lens,
    LensError,
    guess_lens,
    lens_from_dict,
    lens_to_dict,
    load_lens,
    usual_covariance,
)
from calibration.tablefile import load_table

K = np.array([[1181.25, 0.0, 966.8], [0.0, 1182.5, 534.4], [0.0, 0.0, 1.0]])
LENS = Lens((1920, 1080), K, np.array([-0.085, 0.022, 0.0006, -0.0004, 0.003]))
NO_K3 = Lens((1920, 1080), K, np.array([-0.085, 0.022, 0.0006, -0.0004, 0.0]))


@pytest.mark.parametrize(
    ("lens", "form", "name"),
    [
        (LENS, "tableref", "lens.json"),
        (LENS, "opencv", "lens.yml"),
        (LENS, "ros", "camera_info.yaml"),
        (NO_K3, "kalibr", "camchain.yaml"),
    ],
)
def test_a_lens_comes_back_exactly(lens: Lens, form: LensForm, name: str, tmp_path: Path) -> None:
    path = tmp_path / "new folder" / name
    write_lens(lens, path, form, camera="HD Webcam")
    again = read_lens(path)
    assert again.size == lens.size
    assert np.array_equal(again.K, lens.K)
    assert np.array_equal(again.dist, lens.dist)


def test_opencv_reads_what_was_written(tmp_path: Path) -> None:
    write_lens(LENS, tmp_path / "lens.yml", "opencv", camera="HD Webcam")
    storage = cv2.FileStorage(str(tmp_path / "lens.yml"), cv2.FILE_STORAGE_READ)
    assert storage.getNode("image_width").real() == 1920
    assert storage.getNode("camera_name").string() == "HD Webcam"
    assert np.array_equal(storage.getNode("camera_matrix").mat(), LENS.K)
    assert np.array_equal(storage.getNode("distortion_coefficients").mat(), LENS.dist[None])
    storage.release()


def test_a_ros_camera_info_has_every_field(tmp_path: Path) -> None:
    write_lens(LENS, tmp_path / "c.yaml", "ros", camera="cam")
    data = yaml.safe_load((tmp_path / "c.yaml").read_text())
    assert data["distortion_model"] == "plumb_bob"
    assert data["projection_matrix"]["data"] == [1181.25, 0, 966.8, 0, 0, 1182.5, 534.4, 0, 0, 0, 1, 0]
    assert (data["projection_matrix"]["rows"], data["projection_matrix"]["cols"]) == (3, 4)


def test_kalibr_takes_a_small_k3_into_the_others(tmp_path: Path) -> None:
    write_lens(LENS, tmp_path / "camchain.yaml", "kalibr")
    again = read_lens(tmp_path / "camchain.yaml")
    places = np.stack(np.meshgrid(np.linspace(0, 1919, 9), np.linspace(0, 1079, 9)), -1).reshape(-1, 2)
    assert again.dist[4] == 0
    assert np.abs((again.rays(places) - LENS.rays(places)) * 1181).max() < 0.5


def test_kalibr_refuses_a_lens_that_it_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(LensError, match="no k3, and without it this lens is"):
        write_lens(Lens((1280, 720), K, np.array([0.14, -1.17, 0, 0, 2.27])), tmp_path / "c.yaml", "kalibr")
    assert not (tmp_path / "c.yaml").exists()


KALIBR = {
    "camera_model": "pinhole",
    "intrinsics": [700.0, 701.0, 320.0, 240.0],
    "distortion_model": "radtan",
    "distortion_coeffs": [0.1, -0.2, 0.001, 0.002],
    "resolution": [640, 480],
}


def test_one_of_several_cameras(tmp_path: Path) -> None:
    path = tmp_path / "camchain.yaml"
    path.write_text(yaml.safe_dump({"cam0": KALIBR, "cam1": KALIBR | {"resolution": [800, 600]}}))
    assert read_lens(path, "cam1").size == (800, 600)
    for camera in ("", "cam2"):
        with pytest.raises(LensError, match="holds the cameras cam0, cam1: say which one"):
            read_lens(path, camera)


@pytest.mark.parametrize("form", ["opencv", "ros", "kalibr"])
def test_a_file_that_states_no_deviation_is_not_taken_as_exact(form: LensForm, tmp_path: Path) -> None:
    path = tmp_path / "lens.yaml"
    write_lens(NO_K3, path, form)
    lens = read_lens(path)
    assert np.array_equal(lens.covariance, usual_covariance(lens))
    assert lens.sd[0] == pytest.approx(0.005 * 1181.25)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"distortion_model": "equidistant"}, "but got pinhole with equidistant"),
        ({"camera_model": "omni"}, "but got omni with radtan: calibrate it again"),
        ({"camera_model": None}, "but got no camera_model with radtan: calibrate it again"),
        (
            {"distortion_model": None},
            "radtan.* got pinhole with no distortion_model: write `distortion_model: radtan`",
        ),
        ({"distortion_model": "plumb_bob"}, "got pinhole with plumb_bob: write `distortion_model: radtan`"),
        ({"intrinsics": [700.0]}, r"expected intrinsics \[fx, fy, cx, cy\]"),
        ({"resolution": None}, r"resolution \[width, height\]"),
    ],
)
def test_what_kalibr_has_and_we_have_not_is_refused(
    change: dict[str, object], says: str, tmp_path: Path
) -> None:
    path = tmp_path / "camchain.yaml"
    path.write_text(yaml.safe_dump({"cam0": KALIBR | change}))
    with pytest.raises(LensError, match=says):
        read_lens(path)


def test_a_ros_lens_of_another_model_is_refused(tmp_path: Path) -> None:
    write_lens(LENS, tmp_path / "c.yaml", "ros")
    text = (tmp_path / "c.yaml").read_text().replace("plumb_bob", "equidistant")
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(LensError, match="the distortion model is 'equidistant'"):
        read_lens(tmp_path / "c.yaml")


def test_an_unknown_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LensError, match="expected one of tableref, opencv, ros, kalibr but got 'matlab'"):
        write_lens(LENS, tmp_path / "c", "matlab")  # type: ignore[arg-type]


def test_a_lens_that_cannot_be_written_whole_leaves_the_one_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk, or at a power cut, half a file stood in its place, and no table found its lens."""
    path = tmp_path / "lens.json"
    write_lens(LENS, path)
    before, opened = path.read_bytes(), Path.open

    class Full:
        """A disk that is full after a few bytes."""

        def __init__(self, stream: IO[Any]) -> None:
            self._stream = stream

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            self._stream.close()

        def write(self, content: Any) -> int:
            self._stream.write(content[:20])
            raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(Path, "open", lambda self, *how, **more: Full(opened(self, *how, **more)))
        with pytest.raises(LensError, match="No space left"):
            write_lens(NO_K3, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_lens_is_kept_for_its_camera_and_resolution(tmp_path: Path) -> None:
    assert saved_lens(tmp_path, "HD Webcam", (1920, 1080)) is None
    path = lens_path(tmp_path, "HD Webcam", (1920, 1080))
    write_lens(LENS, path, camera="HD Webcam")
    kept = saved_lens(tmp_path, "HD Webcam", (1920, 1080))
    assert kept is not None
    assert np.array_equal(kept.K, K)
    assert saved_lens(tmp_path, "HD Webcam", (1280, 720)) is None
    assert saved_lens(tmp_path, "Other", (1920, 1080)) is None
    with pytest.raises(LensError, match="calibrated for the camera 'HD Webcam', not for 'hd webcam'"):
        saved_lens(tmp_path, "hd webcam", (1920, 1080))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"size_px": [1280, 720]}))
    with pytest.raises(LensError, match="calibrated at 1280x720 pixels"):
        saved_lens(tmp_path, "HD Webcam", (1920, 1080))


PLAIN_K = np.array([[1181.0, 0.0, 966.8], [0.0, 1182.0, 534.4], [0.0, 0.0, 1.0]])
DIST = np.array([-0.085, 0.022, 0.0006, -0.0004, 0.0])


def test_rays_undo_projection_over_the_whole_picture() -> None:
    lens = Lens((1920, 1080), PLAIN_K, DIST)
    grid = np.stack(np.meshgrid(np.linspace(0, 1919, 9), np.linspace(0, 1079, 9)), -1).reshape(-1, 2)
    rays = lens.rays(grid)
    world = np.column_stack([rays, np.ones(len(rays))]).reshape(-1, 1, 3)
    back, _ = cv2.projectPoints(world, np.zeros(3), np.zeros(3), lens.K, lens.dist)
    assert np.abs(back.reshape(-1, 2) - grid).max() < 1e-6


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ours.json", json.dumps({"size_px": [1920, 1080], "k": PLAIN_K.tolist(), "dist": DIST.tolist()})),
        (
            "plain.yaml",
            f"image_width: 1920\nimage_height: 1080\nK: {PLAIN_K.tolist()}\ndist: {DIST.tolist()}\n",
        ),
        (
            "opencv.yml",
            "%YAML:1.0\n---\nimage_width: 1920\nimage_height: 1080\n"
            "camera_matrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
            f"   data: {PLAIN_K.ravel().tolist()}\n"
            "distortion_coefficients: !!opencv-matrix\n   rows: 1\n   cols: 5\n   dt: d\n"
            f"   data: {DIST.tolist()}\n",
        ),
    ],
)
def test_reads_the_usual_files(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    lens = load_lens(path)
    assert lens.size == (1920, 1080)
    assert np.array_equal(lens.K, PLAIN_K)
    assert np.array_equal(lens.dist, DIST)
    assert lens.origin == "file"


def test_reads_a_file_that_opencv_wrote(tmp_path: Path) -> None:
    path = tmp_path / "written.yml"
    storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
    storage.write("image_width", 1920)
    storage.write("image_height", 1080)
    storage.write("camera_matrix", PLAIN_K)
    storage.write("distortion_coefficients", DIST.reshape(1, 5))
    storage.release()
    assert np.array_equal(load_lens(path).K, PLAIN_K)


def test_our_own_form_comes_back_exactly() -> None:
    lens = Lens((640, 480), PLAIN_K, DIST, "board", np.diag(np.linspace(1e-6, 1.0, 9)))
    again = lens_from_dict(json.loads(json.dumps(lens_to_dict(lens))), "here")
    assert (again.size, again.origin) == (lens.size, lens.origin)
    assert np.array_equal(again.K, lens.K)
    assert np.array_equal(again.covariance, lens.covariance)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "expected the fields size_px, k and dist of a lens file .* but got a list"),
        (None, "but got nothing"),
        ({"k": PLAIN_K.tolist()}, "missing: dist, size_px"),
        ({"size_px": [1, 2], "k": [[1, 2], [3, 4]], "dist": [0] * 5}, "3x3 camera matrix"),
        ({"size_px": [1, 2], "k": PLAIN_K.tolist(), "dist": [0, 0]}, "5 distortion coefficients"),
        ({"size_px": "big", "k": PLAIN_K.tolist(), "dist": [0] * 5}, "size_px = \\[width, height\\]"),
        (
            {"size_px": [float("inf"), 2], "k": PLAIN_K.tolist(), "dist": [0] * 5},
            "size_px = \\[width, height\\]",
        ),
        ({"size_px": [1, 2], "k": "x", "dist": [0] * 5}, "numbers for k"),
        ({"size_px": [1, 2], "k": {"data": "x"}, "dist": [0] * 5}, "numbers for k"),
        ({"size_px": [1, 2], "k": {"data": [1, 2], "rows": 3}, "dist": [0] * 5}, "numbers for k"),
    ],
)
def test_bad_lens_files_say_what_is_wrong(data: object, says: str) -> None:
    with pytest.raises(LensError, match=says):
        lens_from_dict(data, "lens.json")


@pytest.mark.parametrize(("name", "text"), [("a.json", "{"), ("a.yaml", "a: [")])
def test_broken_files_are_refused_by_name(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LensError, match=name):
        load_lens(path)
    with pytest.raises(LensError, match="cannot read"):
        load_lens(tmp_path / "none.json")


def test_a_guess_says_so_and_is_unsure() -> None:
    lens = guess_lens((1920, 1080))
    assert lens.guessed
    assert "guessed" in lens.note
    assert lens.sd[0] >= 0.15 * lens.K[0, 0]
    assert guess_lens((1920, 1080), 78.0).sd[0] < lens.sd[0]
    with pytest.raises(LensError, match="10 to 150"):
        guess_lens((1920, 1080), 5.0)


def test_a_lens_for_another_resolution_is_caught() -> None:
    with pytest.raises(LensError, match="1920x1080 pixels but the picture has 1280x720"):
        Lens((1920, 1080), PLAIN_K, DIST).for_size((1280, 720))


GOOD = "size_px: [10, 10]\nk: [[9, 0, 5], [0, 9, 5], [0, 0, 1]]\ndist: [0, 0, 0, 0, 0]\n"
LAUGHS = "".join(
    f"{a}: &{a} [{', '.join([f'*{b}'] * 9)}]\n" for a, b in zip("bcdefghij", "abcdefghi", strict=True)
)
HOSTILE = {
    "billion laughs": f"a: &a [x, x]\n{LAUGHS}",
    "itself": "a: &a [*a]",
    "a name anew": "a: &a [x]\n" + "b: &a [*a, *a, *a, *a]\n" * 30,
    "deep": "[" * 100_000,
    "deep in steps": "\n".join(" " * k + "- " for k in range(700)),
    "sixties": "a: " + ":".join(["1"] * 100_000),
    "digits": "a: " + "9" * 900,
    "month": "a: 2001-99-99",
    "time": "a: !!timestamp noon",
    "truth": "a: !!bool x",
    "nothing": "a: !!int ''",
    "program": "a: !!python/object/apply:os.system [ls]",
    "large": "x" * 600_000,
    "nul": "\0",
    "endless size": GOOD.replace("[10, 10]", "[.inf, 4]"),
    "negative size": GOOD.replace("[10, 10]", "[-1, 4]"),
    "not to be squared": GOOD.replace("[9, 0", "[1.0e+200, 0"),
    "many numbers": GOOD.replace("[0, 0, 0, 0, 0]", f"[{'1.5, ' * 80_000}1]"),
    "rows": GOOD.replace("[0, 0, 0, 0, 0]", "{rows: 1000000000, cols: 100000, data: [1, 2]}"),
    "camchain": "cam0:\n  camera_model: pinhole\n  distortion_model: radtan\n"
    "  intrinsics: [1, 1, 1, 1]\n  resolution: [.inf, 3]\n",
}


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
@pytest.mark.parametrize("how", HOSTILE)
def test_a_file_from_anybody_is_refused_in_one_line(tmp_path: Path, how: str, suffix: str) -> None:
    path = tmp_path / f"lens{suffix}"
    path.write_text(HOSTILE[how], encoding="utf-8")
    began = time.process_time()
    with pytest.raises(LensError) as told:
        read_lens(path)
    assert len(str(told.value)) < 600
    assert "\n" not in str(told.value)
    assert time.process_time() - began < 4.0


@pytest.mark.parametrize("name", ["/dev/zero", "pipe"])
def test_what_does_not_end_is_no_lens_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "pipe":
        os.mkfifo(path)
    with pytest.raises(LensError, match="it is no file"):
        read_lens(path)


# Files of other people, as they come.
MATRIX = "rows: 3\n   cols: 3\n   dt: d\n   data: [ 500., 0., 320., 0., 510., 240., 0., 0., 1. ]"
OPENCV = f"""%YAML:1.0
---
image_width: 640
image_height: 480
camera_matrix: !!opencv-matrix
   {MATRIX}
distortion_coefficients: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ 0.1, -0.2, 0.001, 0.002, 0.03 ]
"""
LONG = OPENCV.replace("cols: 5", "cols: 14").replace("0.03 ]", "0.03" + ", 0." * 9 + " ]")
XML = """<?xml version="1.0"?>
<opencv_storage>
<calibration_time>"Thu 26 Nov"</calibration_time>
<image_Width>640</image_Width><image_Height>480</image_Height>
<Camera_Matrix type_id="opencv-matrix"><rows>3</rows><cols>3</cols><dt>d</dt>
  <data>500. 0. 320. 0. 510. 240. 0. 0. 1.</data></Camera_Matrix>
<Distortion_Coefficients type_id="opencv-matrix"><rows>5</rows><cols>1</cols><dt>d</dt>
  <data>.1 -.2 1e-3 2e-3 .03</data></Distortion_Coefficients>
</opencv_storage>
"""
ROS1 = """header:
  seq: 3
  frame_id: "camera"
height: 480
width: 640
distortion_model: "plumb_bob"
D: [0.1, -0.2, 0.001, 0.002, 0.03]
K: [500.0, 0.0, 320.0, 0.0, 510.0, 240.0, 0.0, 0.0, 1.0]
R: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
P: [500.0, 0.0, 320.0, 0.0, 0.0, 510.0, 240.0, 0.0, 0.0, 0.0, 1.0, 0.0]
binning_x: 0
---
height: 480
"""
PHOTONVISION = """{"resolution": {"width": 640.0, "height": 480.0},
"cameraIntrinsics": {"rows": 3, "cols": 3, "type": 6, "data": [500, 0, 320, 0, 510, 240, 0, 0, 1]},
"distCoeffs": {"rows": 1, "cols": 5, "type": 6, "data": [0.1, -0.2, 0.001, 0.002, 0.03]}, "more": [0, 0]}
"""
TUTORIAL = """{"camera_matrix": [[500, 0, 320], [0, 510, 240], [0, 0, 1]], "size_px": [640, 480],
"dist_coeff": [[0.1, -0.2, 0.001, 0.002, 0.03]]}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.yml", OPENCV),
        ("photonvision.json", PHOTONVISION),
        ("tutorial.json", TUTORIAL),
        ("tutorial.yaml", TUTORIAL.replace("camera_matrix", "mtx")),
        ("b.yaml", LONG.replace("%YAML:1.0", "%YAML 1.2")),
        ("c.xml", XML),
        ("d.yaml", ROS1),
        ("ros2.yaml", ROS1.replace("D: [0", "d: [0").replace("K: [5", "k: [5")),
        ("long.yaml", LONG + "distortion_model: rational_polynomial\n"),
    ],
)
def test_lens_files_of_other_programs_are_read(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    lens = read_lens(path)
    assert lens.size == (640, 480)
    assert np.array_equal(lens.K, [[500, 0, 320], [0, 510, 240], [0, 0, 1]])
    assert np.allclose(lens.dist, [0.1, -0.2, 0.001, 0.002, 0.03])
    assert lens_doubts(path, lens) == ()


def test_a_ros_lens_without_distortion_is_read_as_one_that_bends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "info.yaml"
    path.write_text(ROS1.replace("D: [0.1, -0.2, 0.001, 0.002, 0.03]", "D: []").replace("plumb_bob", ""))
    assert read_lens(path).dist.tolist() == [0.0] * 5


@pytest.mark.parametrize("line", ["max_reprojection_error: 2.6", "rms_mm: 2.6", "error_threshold: 3"])
def test_another_error_than_the_means_in_pixels_is_no_doubt(line: str, tmp_path: Path) -> None:
    path = tmp_path / "lens.yml"
    path.write_text(f"{OPENCV}{line}\n")
    assert lens_doubts(path, read_lens(path)) == ()


def test_a_camchain_with_opencvs_first_line_is_read_alone_and_by_a_table_file(
    tmp_path: Path, samples: Path
) -> None:
    path = tmp_path / "camchain.yaml"
    path.write_text("%YAML:1.0\n" + yaml.safe_dump({"cam0": KALIBR}))
    assert read_lens(path).dist[:2].tolist() == [0.1, -0.2]
    text = (samples / "overhead-table-1" / "table.toml").read_text("utf-8")
    (tmp_path / "table.toml").write_text(text + '\n[camera]\nlens = "camchain.yaml"\n')
    table = load_table(tmp_path / "table.toml")
    assert table.lens_for((640, 480)).K[0, 0] == 700.0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("fisheye_model: 1", "its fisheye_model is 1"),
        ("camera_model: fisheye", "its camera_model is 'fisheye'"),
        ("camera_model: equidistant", "its camera_model is 'equidistant'"),
        ("camera_model: omni", "its camera_model is 'omni'"),
        ("model_type: KANNALA_BRANDT", "its model_type is 'KANNALA_BRANDT'"),
        ("distortion_type: fisheye", "its distortion_type is 'fisheye'"),
        ('calibration_type: "FISHEYE"', "its calibration_type is 'FISHEYE'"),
        ("calibration: {method: opencv_fisheye}", "its method is 'opencv_fisheye'"),
        ("flag_fisheye: 1", "its flag_fisheye is 1"),
        ("xi: 0.9", "it has xi"),
        ("distortion_model: equidistant", "the distortion model is 'equidistant'"),
    ],
)
def test_a_fisheye_lens_is_never_taken_for_a_pinhole(line: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "lens.yml"
    path.write_text(f"{OPENCV}{line}\n")
    with pytest.raises(LensError, match=f"{says}.*: calibrate the lens with `tableref calibrate lens`"):
        read_lens(path)


def test_opencvs_xml_of_a_fisheye_lens_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lens.xml"
    path.write_text(XML.replace("<image_Width>", "<flag_fisheye>1</flag_fisheye><image_Width>"))
    with pytest.raises(LensError, match="its flag_fisheye is"):
        read_lens(path)


@pytest.mark.parametrize(
    "line",
    [
        "fisheye_model: 0",
        "flag_fisheye: false",
        "camera_model: pinhole",
        "camera_model: Logi C920",
        "camera_name: ELP Fisheye 170",
        "image_path: fisheye/01.jpg",
        "calibrated_by: equipe",
    ],
)
def test_a_pinhole_lens_that_says_so_is_read(line: str, tmp_path: Path) -> None:
    path = tmp_path / "lens.yml"
    path.write_text(f"{OPENCV}{line}\n")
    assert read_lens(path).size == (640, 480)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (OPENCV.replace("cols: 5", "cols: 4"), "numbers for dist, 1 rows of 4 as it states, but got 5"),
        (OPENCV.replace("0., 1. ]", "0., 2. ]"), "camera matrix whose last row is 0, 0, 1 but got 0, 0, 2"),
        (LONG.replace(", 0. ]", ", 0.1 ]"), "but got 14, and those after the fifth are not zero: calibrate"),
        ("fps: 30\nexposure: 12\n", "missing: k, dist, size_px. This file holds fps, exposure"),
        ("<a><b>", "expected a lens file .of tableref, OpenCV, .* but it is not valid XML"),
        (" \n", "but got nothing"),
        ("1 OPENCV 640 480 500 510 320 240", "but got text or a number alone"),
        (
            "mtx: [[500, 0, 320], [0, 510, 240], [0, 0, 1]]\ndist: [[0.1, -0.2, 0, 0, 0]]",
            "how large the pictures were",
        ),
    ],
)
def test_what_is_no_lens_of_ours_is_told_for_what_it_is(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "lens.yml"
    path.write_text(text)
    with pytest.raises(LensError, match=says):
        read_lens(path)


@pytest.mark.parametrize(
    ("was", "now", "says"),
    [
        ("image_width", "avg_reprojection_error: 2.6\nimage_width", "states an error of 2.6 px"),
        ("510.", "155.", r"fy/fx is 0\.31"),
        ("500., 0., 320., 0., 510.", "14755., 0., 320., 0., 14755.", r"14,755 px sees 2°"),
        ("320.", "620.", "far from the middle"),
        ("0.1, -0.2", "-0.9, 0.0", "folds inside the picture"),
        ("image_width", "RMS_reprojection_error: 2.6\nimage_width", "states an error of 2.6 px"),
        ("0.1, -0.2", "-3.5, 120.0", r"edge sees 0\.\d\d times as far aside as without"),
        ("500., 0.,", "500., 25.,", "skew of 25 px"),
    ],
)
def test_a_lens_that_is_hard_to_believe_is_told(was: str, now: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "lens.yml"
    path.write_text(OPENCV.replace(was, now, 1))
    doubts = lens_doubts(path, read_lens(path))
    assert [words for words in doubts if re.search(says, words)], doubts


def test_the_shared_lens_files_are_read_or_refused_for_what_they_are(shared: Path) -> None:
    folder = shared / "cases" / "lens-files"
    for name in ("cvyaml.yaml", "kalibr_radtan_header.yaml", "oc.xml", "rp8zero.yaml"):
        assert read_lens(folder / name).size[0] >= 640
    with pytest.raises(LensError, match="fisheye_model"):
        read_lens(folder / "fisheye_flag.yml")
    assert load_table(shared / "cases" / "kalibr-lens" / "table.toml").lens_for((1280, 720)).K[0, 0] > 863
