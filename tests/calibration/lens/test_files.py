from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from calibration.lens.files import LensForm, lens_path, read_lens, saved_lens, write_lens
from calibration.lens.model import Lens, LensError

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


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"distortion_model": "equidistant"}, "but got pinhole with equidistant"),
        ({"camera_model": "omni"}, "but got omni with radtan"),
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
