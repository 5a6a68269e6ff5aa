"""What every source of frames has in common."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import Pose
from vision.frame import Frame, JpegFrame

if TYPE_CHECKING:
    from vision.sources.live import CameraWish


class SourceEnded(Exception):
    """A finite source (photo, folder, file) has given its last frame. Not an error."""


class SourceLost(TableRefError):
    """The source has vanished (unplugged, stream down): try again later."""


class SourceRefused(TableRefError):
    """What was asked for can never be a source as it is: trying again does not help."""


def sentence(text: str) -> str:
    """The text with a capital at its start: names of sources begin with small letters."""
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch of time without pictures: from the last frame's time to the next one's, and why."""

    start: float
    end: float
    why: str

    @property
    def words(self) -> str:
        """The gap in a sentence.

        >>> Gap(2.0, 5.2, "No picture comes from camera 0. Check its cable.").words
        'Nothing was seen for 3.2 s (no picture comes from camera 0).'
        """
        first = self.why.split(". ")[0].rstrip(".")
        return f"Nothing was seen for {self.end - self.start:.1f} s ({first[:1].lower()}{first[1:]})."


class Movable(Protocol):
    """A table on which calls do what elsewhere a hand does: `vision.simulate.live.SimulatedTable`."""

    def move(self, name: str, pose: Pose) -> None:
        """Puts a piece there."""
        ...

    def lift(self, name: str) -> None:
        """Takes a piece off until it is moved or put again."""
        ...

    def put(self, name: str) -> None:
        """Puts a piece back where it stood last."""
        ...

    def cover(self, at: tuple[float, float] | None) -> None:
        """Lays a hand over a place, inches; None takes it away."""
        ...

    def lay(self, outlines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        """Lays a game's flat tokens, by name, corners in inches; the others go."""
        ...


class Fed(Protocol):
    """A source that is handed its pictures: `vision.sources.pushed.PushedFrames`."""

    def push(self, data: bytes, delay: float = 0.0) -> bool:
        """Takes one encoded picture, `delay` seconds old; False if it is damaged."""
        ...


class Tunable(Protocol):
    """A camera that is set as it runs: `vision.sources.live.Webcam`."""

    def ask_for(self, wish: CameraWish) -> None:
        """Asks for another focus, exposure, size or rate from now on."""
        ...


class Source(Protocol):
    """Anything that gives frames, one after the other, 8-bit BGR.

    Frame times are seconds: of the stream's own presentation times for files, of the clock
    handed in for live sources. They never run backwards. Kinds derive from it: what a kind can do
    beside giving frames it says below, and what it does not say it cannot.
    """

    name: str
    live: bool
    """Live sources set the pace themselves and drop what is not fetched; others can be paced."""
    film: bool = False
    """Whether its pictures were taken before: nobody can do anything on that table."""
    gaps: tuple[Gap, ...] | None = None
    """The latest stretches that nobody has seen; None of a source that does not know them."""

    @property
    def movable(self) -> Movable | None:
        """Where its pieces can be moved by calls; None where people move them."""
        return None

    @property
    def fed(self) -> Fed | None:
        """Where it takes pictures; None where it has a camera of its own."""
        return None

    @property
    def tunable(self) -> Tunable | None:
        """The camera that can be set as it runs; None if there is none (now)."""
        return None

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


# A living picture has noise in it: when two are the same to the last bit, no new one was taken. Seconds after
# which that is told, and after which the camera is opened anew.
FROZEN_TOLD = 1.0
FROZEN_LOST = 10.0
_EVERY = 8

# Pictures that come so many seconds after they were taken are told, and nothing is ruled from them.
LATE_TOLD = 1.0


class FreezeWatch:
    """Notices when a live source sends the very same picture again and again.

    `dead` says that it has stood still for too long to be alive.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._last: Frame | None = None
        self.notice: str | None = None
        self.dead = False

    def see(self, frame: Frame) -> Frame:
        """Compares with the picture before; the frame, marked where it is the same again."""
        first = self._last
        if first is None or not _same(frame, first):
            self._last = frame
            self.notice, self.dead = None, False
            return frame
        still = frame.time - first.time
        if still >= FROZEN_TOLD:
            self.notice = (
                f"The picture of {self._name} has stood still for {still:.0f} s. "
                "Is its lens covered, or has it hung?"
            )
        self.dead = still >= FROZEN_LOST
        return frame.aged(max(still, frame.old), repeated=True)


MANNER, MANNERLY = 60, 0.9
"""Of so many pictures of one camera such a share is coded amiss by the camera itself."""


class DamageWatch:
    """Believes that a JPEG is damaged, unless the camera codes nearly every one like that.

    Pictures of a video are drawn one after the other: after a loss each is damaged, for as long as it takes.
    """

    def __init__(self) -> None:
        self._damaged: deque[bool] = deque(maxlen=MANNER)

    def see(self, frame: Frame) -> Frame:
        """The frame, as a whole one where what is amiss says nothing."""
        if not isinstance(frame, JpegFrame):
            return frame
        self._damaged.append(frame.damaged)
        manner = len(self._damaged) == MANNER and sum(self._damaged) >= MANNERLY * MANNER
        return frame.believed() if frame.damaged and manner else frame


def _same(a: Frame, b: Frame) -> bool:
    """Whether two frames show the same picture to the last bit; different ones are told apart soon."""
    if a.size != b.size:
        return False
    rough = np.array_equal(a.grey[::_EVERY, ::_EVERY], b.grey[::_EVERY, ::_EVERY])
    return rough and np.array_equal(a.grey, b.grey)


def late_words(name: str, late: float) -> str:
    """That pictures come late, and what to do."""
    return sentence(
        f"{name}'s pictures come {late:.1f} s late: close what else uses the camera or this computer, or "
        "choose a smaller picture size. Nothing is ruled from old pictures."
    )


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
