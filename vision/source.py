"""Where frames come from: photo, folder, video file, webcam, stream, simulated table."""

from __future__ import annotations

from typing import Protocol

from engine.errors import TableRefError
from vision.frame import Frame


class SourceEnded(Exception):
    """A finite source (photo, folder, file) has given its last frame. Not an error."""


class SourceLost(TableRefError):
    """The source has vanished (unplugged, stream down): try again later."""


class Source(Protocol):
    """Anything that gives frames, one after the other."""

    name: str
    live: bool
    """Live sources set the pace themselves and drop what is not fetched; others can be paced."""

    def read(self) -> Frame:
        """The next frame; raises `SourceEnded` or `SourceLost`."""
        ...

    def close(self) -> None:
        """Lets the device or file go. May be called twice."""
        ...
