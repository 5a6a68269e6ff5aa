from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lens.model import Lens, LensError, guess_lens, lens_from_dict, lens_to_dict, load_lens

K = np.array([[1181.0, 0.0, 966.8], [0.0, 1182.0, 534.4], [0.0, 0.0, 1.0]])
DIST = np.array([-0.085, 0.022, 0.0006, -0.0004, 0.0])


def test_rays_undo_projection_over_the_whole_picture() -> None:
    lens = Lens((1920, 1080), K, DIST)
    grid = np.stack(np.meshgrid(np.linspace(0, 1919, 9), np.linspace(0, 1079, 9)), -1).reshape(-1, 2)
    rays = lens.rays(grid)
    world = np.column_stack([rays, np.ones(len(rays))]).reshape(-1, 1, 3)
    back, _ = cv2.projectPoints(world, np.zeros(3), np.zeros(3), lens.K, lens.dist)
    assert np.abs(back.reshape(-1, 2) - grid).max() < 1e-6


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ours.json", json.dumps({"size_px": [1920, 1080], "k": K.tolist(), "dist": DIST.tolist()})),
        ("plain.yaml", f"image_width: 1920\nimage_height: 1080\nK: {K.tolist()}\ndist: {DIST.tolist()}\n"),
        (
            "opencv.yml",
            "%YAML:1.0\n---\nimage_width: 1920\nimage_height: 1080\n"
            "camera_matrix: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
            f"   data: {K.ravel().tolist()}\n"
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
    assert np.array_equal(lens.K, K)
    assert np.array_equal(lens.dist, DIST)
    assert lens.origin == "file"


def test_reads_a_file_that_opencv_wrote(tmp_path: Path) -> None:
    path = tmp_path / "written.yml"
    storage = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
    storage.write("image_width", 1920)
    storage.write("image_height", 1080)
    storage.write("camera_matrix", K)
    storage.write("distortion_coefficients", DIST.reshape(1, 5))
    storage.release()
    assert np.array_equal(load_lens(path).K, K)


def test_our_own_form_comes_back_exactly() -> None:
    lens = Lens((640, 480), K, DIST, "board", np.diag(np.linspace(1e-6, 1.0, 9)))
    again = lens_from_dict(json.loads(json.dumps(lens_to_dict(lens))), "here")
    assert (again.size, again.origin) == (lens.size, lens.origin)
    assert np.array_equal(again.K, lens.K)
    assert np.array_equal(again.covariance, lens.covariance)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ([], "expected an object"),
        ({"k": K.tolist()}, "missing: dist, size_px"),
        ({"size_px": [1, 2], "k": [[1, 2], [3, 4]], "dist": [0] * 5}, "3x3 camera matrix"),
        ({"size_px": [1, 2], "k": K.tolist(), "dist": [0, 0]}, "5 distortion coefficients"),
        ({"size_px": "big", "k": K.tolist(), "dist": [0] * 5}, "size_px = \\[width, height\\]"),
        ({"size_px": [float("inf"), 2], "k": K.tolist(), "dist": [0] * 5}, "size_px = \\[width, height\\]"),
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
        Lens((1920, 1080), K, DIST).for_size((1280, 720))
