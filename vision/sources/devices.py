"""Which webcams there are: number, name, a small picture, and the sizes that they offer."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.sources.live import DeviceCapture, backend_for, open_webcam

SYSFS = Path("/sys/class/video4linux")

# Webcams are numbered without large gaps; nobody has more than a few.
_PROBED = 8
_GAP = 2
_WARMING_UP = 6

COMMON_SIZES = ((640, 480), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))


@dataclass(frozen=True, slots=True)
class Device:
    """A webcam that can be chosen. `spec` is what `open_source` understands."""

    index: int
    name: str

    @property
    def spec(self) -> str:
        """How to ask for it."""
        return str(self.index)


def list_webcams(
    *,
    platform: str = sys.platform,
    sysfs: Path = SYSFS,
    opener: Callable[[int], DeviceCapture] = open_webcam,
) -> tuple[Device, ...]:
    """The webcams of this computer, by number.

    Linux names them without opening any; on Windows (and on a Mac, if it is installed there) the
    package `cv2-enumerate-cameras` does. Without names each number is tried, which briefly
    switches the cameras on.
    """
    named = name_webcams(platform=platform, sysfs=sysfs)
    return _by_trying(opener) if named is None else named


def name_webcams(*, platform: str = sys.platform, sysfs: Path = SYSFS) -> tuple[Device, ...] | None:
    """The webcams with their names, without opening any; None where nobody can tell."""
    if platform.startswith("linux") and sysfs.is_dir():
        return _from_sysfs(sysfs)
    named = _from_package(platform)
    return None if named is None else tuple(named)


class SameWebcam:
    """Finds a webcam again that was unplugged: by its name, for its number may have changed."""

    def __init__(self, index: int, names: Callable[[], tuple[Device, ...] | None] = name_webcams) -> None:
        self._index = index
        self._names = names
        self._name: str | None = None

    def find(self) -> int:
        """The number under which it is there now; the last known one if it is not (or not surely)."""
        named = {device.index: device.name for device in self._names() or ()}
        if self._name is None:
            self._name = named.get(self._index)
        elif named.get(self._index) != self._name:
            alike = [index for index, name in named.items() if name == self._name]
            if len(alike) == 1:
                self._index = alike[0]
        return self._index


def _from_sysfs(sysfs: Path) -> tuple[Device, ...]:
    found = []
    for folder in sysfs.glob("video*"):
        number = folder.name.removeprefix("video")
        # A webcam registers further nodes for its metadata; the pictures come from the first.
        if number.isdigit() and _text(folder / "index") in ("", "0"):
            found.append(Device(int(number), _text(folder / "name") or f"Camera {number}"))
    return tuple(sorted(found, key=lambda device: device.index))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _from_package(platform: str) -> list[Device] | None:
    """Names from `cv2-enumerate-cameras`; None if it is missing or cannot tell."""
    try:
        package = importlib.import_module("cv2_enumerate_cameras")
        cameras = package.enumerate_cameras(backend_for(platform))
        return [Device(int(camera.index), str(camera.name)) for camera in cameras]
    except (ImportError, OSError, RuntimeError, ValueError):
        return None


def _by_trying(opener: Callable[[int], DeviceCapture]) -> tuple[Device, ...]:
    found: list[Device] = []
    missed = 0
    for index in range(_PROBED):
        capture = opener(index)
        opened = capture.isOpened()
        capture.release()
        missed = 0 if opened else missed + 1
        if opened:
            found.append(Device(index, f"Camera {index}"))
        elif missed >= _GAP:
            break
    return tuple(found)


def thumbnail(
    index: int, *, width: int = 240, opener: Callable[[int], DeviceCapture] = open_webcam
) -> bytes | None:
    """A small JPEG of what a webcam sees now; None if it shows nothing (or another program has it)."""
    capture = opener(index)
    try:
        picture = None
        # The first pictures are dark while the exposure is being found.
        for _ in range(_WARMING_UP if capture.isOpened() else 0):
            ok, image = capture.read()
            if ok and isinstance(image, np.ndarray) and image.size > 0:
                picture = image
        if picture is None:
            return None
        height = max(1, round(picture.shape[0] * width / picture.shape[1]))
        small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
        ok, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 80])
        return data.tobytes() if ok else None
    finally:
        capture.release()


def offered_sizes(
    index: int,
    *,
    wanted: Iterable[tuple[int, int]] = COMMON_SIZES,
    opener: Callable[[int], DeviceCapture] = open_webcam,
) -> tuple[tuple[int, int], ...]:
    """Which of the wanted picture sizes a webcam takes, smallest first, found by asking it for each."""
    capture = opener(index)
    try:
        if not capture.isOpened():
            return ()
        capture.set(cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG")))
        taken = set()
        for width, height in wanted:
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, float(width))
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, float(height))
            taken.add(
                (int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)))
            )
        return tuple(sorted(size for size in taken if min(size) > 0))
    finally:
        capture.release()
