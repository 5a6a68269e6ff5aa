"""What every source of frames has in common."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from engine.errors import TableRefError
from vision.frame import Frame, Image


class SourceEnded(Exception):
    """A finite source (photo, folder, file) has given its last frame. Not an error."""


class SourceLost(TableRefError):
    """The source has vanished (unplugged, stream down): try again later."""


class SourceRefused(TableRefError):
    """What was asked for can never be a source as it is: trying again does not help."""


def sentence(text: str) -> str:
    """The text with a capital at its start: names of sources begin with small letters."""
    return text[:1].upper() + text[1:]


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


# A living picture has noise in it: when two are the same to the last bit, no new one was taken.
FROZEN_TOLD = 2.0
FROZEN_LOST = 10.0
_EVERY = 8


class FreezeWatch:
    """Notices when a live source sends the very same picture again and again."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last: Image | None = None
        self._since = 0.0
        self.notice: str | None = None

    def see(self, frame: Frame) -> bool:
        """Compares with the picture before; True when it has stood still for too long to be alive."""
        sample = frame.grey[::_EVERY, ::_EVERY]
        if self._last is None or not np.array_equal(sample, self._last):
            self._last = sample.copy()
            self._since = frame.time
            self.notice = None
            return False
        still = frame.time - self._since
        if still >= FROZEN_TOLD:
            self.notice = (
                f"The picture of {self._name} has stood still for {still:.0f} s. "
                "Is its lens covered, or has it hung?"
            )
        return still >= FROZEN_LOST
