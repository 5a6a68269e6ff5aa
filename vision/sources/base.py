"""What every source of frames has in common."""

from __future__ import annotations

from typing import Protocol

from engine.errors import TableRefError
from vision.frame import Frame


class SourceEnded(Exception):
    """A finite source (photo, folder, file) has given its last frame. Not an error."""


class SourceLost(TableRefError):
    """The source has vanished (unplugged, stream down): try again later."""


class SourceRefused(TableRefError):
    """What was asked for can never be a source as it is: trying again does not help."""


class Source(Protocol):
    """Anything that gives frames, one after the other, 8-bit BGR.

    Frame times are seconds: of the stream's own presentation times for files, of the clock
    handed in for live sources. They never run backwards.
    """

    name: str
    live: bool
    """Live sources set the pace themselves and drop what is not fetched; others can be paced."""

    @property
    def notice(self) -> str | None:
        """A sentence for people about what is wrong or odd right now; None when all is well."""
        ...

    def read(self) -> Frame:
        """The next frame; raises `SourceEnded` or `SourceLost`."""
        ...

    def close(self) -> None:
        """Lets the device or file go. May be called twice."""
        ...


class SizeWatch:
    """Notices when the picture's size changes while a source runs."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._size: tuple[int, int] | None = None
        self.notice: str | None = None

    def see(self, frame: Frame) -> None:
        """Compares a frame's size with the first one's and words the difference."""
        if self._size is None:
            self._size = frame.size
        if frame.size == self._size:
            self.notice = None
            return
        self.notice = (
            f"The picture of {self._name} changed from {self._size[0]}x{self._size[1]} to "
            f"{frame.size[0]}x{frame.size[1]} pixels. Set it back, or calibrate for the new size."
        )
