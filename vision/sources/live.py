"""Webcams and network streams as sources."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

import cv2
import numpy as np

from vision.frame import Frame
from vision.sources.base import SizeWatch, SourceEnded, SourceLost

Clock = Callable[[], float]

# A webcam may drop a picture now and then; this many in a row mean that it is gone.
MISSES_ALLOWED = 15
STREAM_MISSES_ALLOWED = 3
STREAM_TIMEOUT_MS = 5000


class Capture(Protocol):
    """What is used of OpenCV's VideoCapture."""

    def isOpened(self) -> bool: ...  # noqa: N802, D102
    def read(self) -> tuple[bool, Any]: ...  # noqa: D102
    def set(self, prop: int, value: float) -> bool: ...  # noqa: D102
    def get(self, prop: int) -> float: ...  # noqa: D102
    def release(self) -> None: ...  # noqa: D102


def backend_for(platform: str = sys.platform) -> int:
    """OpenCV's capture backend that knows the platform's webcams best."""
    if platform.startswith("linux"):
        return cv2.CAP_V4L2
    if platform == "darwin":
        return cv2.CAP_AVFOUNDATION
    if platform == "win32":
        return cv2.CAP_DSHOW
    return cv2.CAP_ANY


def open_webcam(index: int) -> Capture:
    """The webcam through its platform's backend, or through whichever takes it."""
    capture = cv2.VideoCapture(index, backend_for())
    if not capture.isOpened():
        capture.release()
        capture = cv2.VideoCapture(index, cv2.CAP_ANY)
    return capture


def open_url(url: str) -> Capture:
    """A stream through FFmpeg, giving up after a few silent seconds."""
    limits = [
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, STREAM_TIMEOUT_MS,
        cv2.CAP_PROP_READ_TIMEOUT_MSEC, STREAM_TIMEOUT_MS,
    ]  # fmt: skip
    return cv2.VideoCapture(url, cv2.CAP_FFMPEG, limits)


class _Running:
    """A capture that runs by itself: counts misses, watches the size, stamps the time."""

    live = True

    def __init__(self, name: str, capture: Capture, clock: Clock, misses_allowed: int, lost: str) -> None:
        self.name = name
        self._capture: Capture | None = capture
        self._clock = clock
        self._misses_allowed = misses_allowed
        self._lost = lost
        self._index = 0
        self._misses = 0
        self._size = SizeWatch(name)
        if not capture.isOpened():
            self.close()
            raise SourceLost(lost)

    @property
    def notice(self) -> str | None:
        """What is odd about the picture."""
        if self._misses:
            return f"{self.name} sent {self._misses} damaged pictures; waiting for a good one."
        return self._size.notice

    def read(self) -> Frame:
        """The next good frame; its time is the clock's when it arrived."""
        while True:
            capture = self._capture
            if capture is None:
                raise SourceEnded
            ok, image = capture.read()
            now = self._clock()
            if ok and _is_picture(image):
                break
            self._misses += 1
            if self._misses >= self._misses_allowed:
                self.close()
                raise SourceLost(self._lost)
        self._misses = 0
        if image.ndim == 2:
            image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
        frame = Frame(image, now, self._index, self.name)
        self._index += 1
        self._size.see(frame)
        return frame

    def close(self) -> None:
        """Lets the device go."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


def _is_picture(image: Any) -> bool:
    """Whether a capture's answer is a whole 8-bit picture."""
    return (
        isinstance(image, np.ndarray)
        and image.dtype == np.uint8
        and image.size > 0
        and (image.ndim == 2 or (image.ndim == 3 and image.shape[2] == 3))
    )


class Webcam(_Running):
    """A webcam by its number, as motion JPEG where it can: raw pictures rarely reach full speed over USB."""

    def __init__(
        self,
        index: int,
        *,
        size: tuple[int, int] | None = (1920, 1080),
        fps: float | None = 30.0,
        clock: Clock = time.monotonic,
        opener: Callable[[int], Capture] = open_webcam,
    ) -> None:
        name = f"camera {index}"
        capture = opener(index)
        lost = (
            f"No picture comes from camera {index}. Check its cable, close other programs that use it, "
            "or choose another camera."
        )
        super().__init__(name, capture, clock, MISSES_ALLOWED, lost)
        capture.set(cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*"MJPG")))
        if size is not None:
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, float(size[0]))
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, float(size[1]))
        if fps is not None:
            capture.set(cv2.CAP_PROP_FPS, fps)
        # One picture waiting at most: a referee wants the newest.
        capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)


class Stream(_Running):
    """A network stream (RTSP, HTTP motion JPEG, ...), such as a phone's camera app gives."""

    def __init__(
        self,
        url: str,
        *,
        clock: Clock = time.monotonic,
        opener: Callable[[str], Capture] = open_url,
    ) -> None:
        lost = (
            f"No picture comes from {url}. Check that the phone or camera is on, in the same network, "
            "and that the address opens in a browser or player."
        )
        super().__init__(url, opener(url), clock, STREAM_MISSES_ALLOWED, lost)
