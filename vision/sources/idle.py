"""The source while no camera has been chosen: no picture comes."""

from __future__ import annotations

import threading

from vision.frame import Frame
from vision.sources.base import Source, SourceEnded


class NoCamera(Source):
    """Waits until it is closed."""

    live = True
    name = "no camera"
    notice: str | None = "No camera is chosen yet: choose one under Set up."

    def __init__(self) -> None:
        self._closed = threading.Event()

    def read(self) -> Frame:
        """Raises `SourceEnded` once it is closed."""
        self._closed.wait()
        raise SourceEnded

    def close(self) -> None:
        """Lets whoever waits go."""
        self._closed.set()
