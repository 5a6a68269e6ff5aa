from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest

from vision.sources.devices import Device, SameWebcam, list_webcams, offered_sizes, thumbnail
from vision.sources.files import decode_picture


class Camera:
    """A webcam that offers some sizes, snaps to the nearest one, and shows one grey."""

    def __init__(
        self, there: bool = True, sizes: tuple[tuple[int, int], ...] = ((640, 480), (1280, 720))
    ) -> None:
        self.there = there
        self.sizes = sizes
        self.size = sizes[0]
        self.width = sizes[0][0]
        self.released = 0

    def isOpened(self) -> bool:
        return self.there

    def read(self) -> tuple[bool, Any]:
        return True, np.full((self.size[1], self.size[0], 3), 120, np.uint8)

    def set(self, prop: int, value: float) -> bool:
        if prop == cv2.CAP_PROP_FRAME_WIDTH:
            self.size = min(self.sizes, key=lambda size: abs(size[0] - value))
        return True

    def get(self, prop: int) -> float:
        return float(self.size[0] if prop == cv2.CAP_PROP_FRAME_WIDTH else self.size[1])

    def release(self) -> None:
        self.released += 1


def node(sysfs: Path, number: int, name: str, index: str | None) -> None:
    folder = sysfs / f"video{number}"
    folder.mkdir(parents=True)
    (folder / "name").write_text(name + "\n", encoding="utf-8")
    if index is not None:
        (folder / "index").write_text(index + "\n", encoding="utf-8")


class TestList:
    def test_linux_names_cameras_and_leaves_out_metadata_nodes(self, tmp_path: Path) -> None:
        node(tmp_path, 10, "USB Microscope", "0")
        node(tmp_path, 0, "HD Pro Webcam C920", "0")
        node(tmp_path, 1, "HD Pro Webcam C920", "1")
        node(tmp_path, 2, "", None)
        (tmp_path / "v4l-subdev0").mkdir()
        assert list_webcams(platform="linux", sysfs=tmp_path) == (
            Device(0, "HD Pro Webcam C920"),
            Device(2, "Camera 2"),
            Device(10, "USB Microscope"),
        )

    def test_elsewhere_the_package_names_them(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        asked: list[int] = []

        def enumerate_cameras(backend: int) -> list[SimpleNamespace]:
            asked.append(backend)
            return [SimpleNamespace(index=0, name="FaceTime HD"), SimpleNamespace(index=1, name="iPhone")]

        package = SimpleNamespace(enumerate_cameras=enumerate_cameras)
        monkeypatch.setitem(sys.modules, "cv2_enumerate_cameras", package)
        assert list_webcams(platform="darwin") == (Device(0, "FaceTime HD"), Device(1, "iPhone"))
        assert asked == [cv2.CAP_AVFOUNDATION]

    def test_without_names_every_number_is_tried(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "cv2_enumerate_cameras", None)
        cameras = {0: Camera(), 2: Camera()}
        tried: list[int] = []

        def opener(index: int) -> Camera:
            tried.append(index)
            return cameras.get(index, Camera(there=False))

        found = list_webcams(platform="win32", opener=opener)
        assert found == (Device(0, "Camera 0"), Device(2, "Camera 2"))
        assert tried == [0, 1, 2, 3, 4]
        assert all(camera.released == 1 for camera in cameras.values())
        assert found[1].spec == "2"


class TestThumbnail:
    def test_is_a_small_picture_in_the_cameras_shape(self) -> None:
        camera = Camera(sizes=((1280, 720),))
        data = thumbnail(0, width=160, opener=lambda index: camera)
        assert data is not None
        picture = decode_picture(data)
        assert picture is not None
        assert picture.shape == (90, 160, 3)
        assert abs(int(picture[40, 80, 0]) - 120) < 4
        assert camera.released == 1

    def test_a_camera_in_use_has_none(self) -> None:
        camera = Camera(there=False)
        assert thumbnail(0, opener=lambda index: camera) is None
        assert camera.released == 1


class TestSizes:
    def test_only_what_the_camera_takes_is_offered(self) -> None:
        camera = Camera(sizes=((640, 480), (1280, 720), (1920, 1080)))
        assert offered_sizes(0, opener=lambda index: camera) == ((640, 480), (1280, 720), (1920, 1080))
        assert camera.released == 1

    def test_a_missing_camera_offers_nothing(self) -> None:
        assert offered_sizes(0, opener=lambda index: Camera(there=False)) == ()


class TestSameWebcam:
    def test_a_replugged_camera_is_found_under_its_new_number(self) -> None:
        there = [
            (Device(0, "Laptop"), Device(2, "C920")),
            (Device(0, "Laptop"),),
            (Device(0, "Laptop"), Device(3, "C920")),
            (Device(0, "Laptop"), Device(3, "C920")),
        ]
        same = SameWebcam(2, lambda: there.pop(0))
        assert [same.find() for _ in range(4)] == [2, 2, 3, 3]

    def test_another_camera_in_its_place_is_not_taken_for_it(self) -> None:
        there = [(Device(0, "C920"), Device(1, "Laptop")), (Device(0, "Laptop"), Device(1, "C920"))]
        same = SameWebcam(0, lambda: there.pop(0))
        assert [same.find(), same.find()] == [0, 1]

    def test_of_two_alike_neither_is_guessed(self) -> None:
        there = [(Device(0, "C920"),), (Device(1, "C920"), Device(2, "C920"))]
        same = SameWebcam(0, lambda: there.pop(0))
        assert [same.find(), same.find()] == [0, 0]

    def test_without_names_the_number_stays(self) -> None:
        same = SameWebcam(1, lambda: None)
        assert [same.find(), same.find()] == [1, 1]
