"""Clocks, captures and sources that do what a test says, and small files to play."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from vision.frame import Frame
from vision.source import Source, SourceEnded


def picture(width: int = 64, height: int = 48, value: int = 90) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.full((height, width, 3), value, dtype=np.uint8)


def write(path: Path, width: int = 64, height: int = 48, value: int = 90) -> Path:
    assert cv2.imwrite(str(path), picture(width, height, value))
    return path


def write_video(path: Path, frames: int = 12, fps: float = 10.0) -> Path:
    """A small video whose frame n has the grey value 20 n."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), fps, (64, 48))
    assert writer.isOpened()
    for n in range(frames):
        writer.write(picture(value=20 * n % 256))
    writer.release()
    return path


EVERY = 10
"""Frames of a film from one whole picture, a key frame, to the next."""


def write_film(path: Path, between: int = 0, pixels: str = "yuv420p", further: str = "") -> Path:
    """Three seconds of a square that wanders over a mottled cloth, with pictures between pictures or none."""
    cloth = cv2.GaussianBlur(np.random.default_rng(3).integers(0, 256, (240, 320, 3), np.uint8), (0, 0), 4)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 320, 240, pixels
        coding = f"keyint={EVERY}:min-keyint={EVERY}:bframes={between}:scenecut=0{further}"
        stream.options = {"x264-params": coding}
        for k in range(3 * EVERY):
            shown = cloth.copy()
            shown[60:120, 10 + 8 * k : 50 + 8 * k] = (30, 60, 220)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(shown, "bgr24")))
        out.mux(stream.encode())
    return path


class Hands:
    """A clock that only moves when somebody sleeps or `passes` is called."""

    def __init__(self) -> None:
        self.now = 100.0
        self.naps: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)
        self.now += seconds


class FakeCapture:
    """Answers like OpenCV's VideoCapture from a list of pictures (None is a failed read)."""

    def __init__(self, answers: list[Any], opened: bool = True) -> None:
        self.answers = list(answers)
        self.opened = opened
        self.released = 0
        self.asked: dict[int, float] = {}

    def isOpened(self) -> bool:
        return self.opened

    def read(self) -> tuple[bool, Any]:
        answer = self.answers.pop(0) if self.answers else None
        return answer is not None, answer

    def set(self, prop: int, value: float) -> bool:
        self.asked[prop] = value
        return True

    def get(self, prop: int) -> float:
        return self.asked.get(prop, 0.0)

    def release(self) -> None:
        self.released += 1


class Listed(Source):
    """A source that plays a list: numbers are frame times, exceptions are raised."""

    notice = None

    def __init__(
        self, items: list[float | Exception], live: bool = False, cost: Callable[[], None] | None = None
    ):
        self.name = "clip"
        self.live = live
        self.items = list(items)
        self.index = 0
        self.closed = 0
        self.cost = cost

    def read(self) -> Frame:
        if not self.items:
            raise SourceEnded
        item = self.items.pop(0)
        if isinstance(item, Exception):
            raise item
        if self.cost is not None:
            self.cost()
        self.index += 1
        return Frame(picture(), item, self.index - 1, self.name)

    def close(self) -> None:
        self.closed += 1


def drain(source: Source) -> list[Frame]:
    frames = []
    while True:
        try:
            frames.append(source.read())
        except SourceEnded:
            return frames
