"""Pictures that somebody sends: a phone's browser as the camera."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from engine.errors import ShapeError
from vision.frame import Frame, JpegFrame
from vision.sources.base import (
    LATE_TOLD,
    DamageWatch,
    FreezeWatch,
    SizeWatch,
    Source,
    SourceEnded,
    late_words,
    sentence,
)
from vision.sources.files import decode_picture

_JPEG_START, _JPEG_END = b"\xff\xd8", b"\xff\xd9"

# So long without a picture and the notice says so, seconds.
SILENT = 2.0

# How often a waiting reader looks up whether it has been closed, seconds.
_LOOK = 0.25


class PushedFrames(Source):
    """A source that is fed encoded pictures (JPEG) from another thread; the newest wins.

    `push` takes a picture as it arrives, `read` waits for one that has not been read yet. Times
    are the clock's when a picture arrived, less the delay that the sender states.
    """

    live = True

    def __init__(self, name: str = "the phone", *, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self.dropped = 0
        self.damaged = 0
        self._clock = clock
        self._news = threading.Condition()
        self._waiting: tuple[bytes, float, float] | None = None
        self._arrived_at: float | None = None
        self._damaged_in_a_row = 0
        self._index = 0
        self._last_time = float("-inf")
        self._size = SizeWatch(name)
        self._freeze = FreezeWatch(name)
        self._damage = DamageWatch()
        self._late = 0.0
        self._closed = False

    @property
    def notice(self) -> str | None:
        """Whether pictures arrive, whole and at one size."""
        if self._arrived_at is None:
            return (
                f"Waiting for the first picture from {self.name}. Open its camera page and allow the camera."
            )
        silent = self._clock() - self._arrived_at
        if silent > SILENT:
            return sentence(
                f"{self.name} has sent no picture for {silent:.0f} s. "
                "Keep its camera page open and its screen on."
            )
        if self._damaged_in_a_row:
            return f"{self._damaged_in_a_row} damaged pictures came from {self.name}; waiting for a good one."
        late = late_words(self.name, self._late) if self._late else None
        return self._freeze.notice or late or self._size.notice

    @property
    def fed(self) -> PushedFrames:
        """Itself."""
        return self

    def push(self, data: bytes, delay: float = 0.0) -> bool:
        """Takes one encoded picture, `delay` seconds old; False if it is cut off or no JPEG or PNG.

        A picture that has not been read yet is replaced: nothing ever queues up.
        """
        now = self._clock()
        with self._news:
            self._arrived_at = now
            if not _whole(data):
                self.damaged += 1
                self._damaged_in_a_row += 1
                return False
            if self._waiting is not None:
                self.dropped += 1
            self._waiting = (data, now - max(0.0, delay), delay)
            self._news.notify()
        return True

    def read(self) -> Frame:
        """The newest picture that has not been read; waits for one; `SourceEnded` after `close`."""
        while True:
            data, taken, delay = self._take()
            late = self._late = delay if delay >= LATE_TOLD else 0.0
            self._last_time = max(self._last_time, taken)
            frame = self._decoded(data)
            if frame is not None:
                frame = self._damage.see(frame)
                frame = self._freeze.see(frame.aged(late) if late else frame)
            if frame is None:
                self.damaged += 1
                self._damaged_in_a_row += 1
                continue
            self._damaged_in_a_row = 0
            self._index += 1
            self._size.see(frame)
            return frame

    def _decoded(self, data: bytes) -> Frame | None:
        """The picture as a frame, a JPEG only as far as it is needed; None if it is damaged."""
        try:
            if data[:2] == _JPEG_START:
                return JpegFrame(data, self._last_time, self._index, self.name)
            image = decode_picture(data)
        except ShapeError:
            return None
        return None if image is None else Frame(image, self._last_time, self._index, self.name)

    def _take(self) -> tuple[bytes, float, float]:
        with self._news:
            while self._waiting is None:
                if self._closed:
                    raise SourceEnded
                self._news.wait(_LOOK)
            taken, self._waiting = self._waiting, None
            return taken

    def close(self) -> None:
        """Ends the source; a waiting reader is let go."""
        with self._news:
            self._closed = True
            self._waiting = None
            self._news.notify_all()


def _whole(data: bytes) -> bool:
    """Whether the bytes look like one complete picture."""
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return data[-8:-4] == b"IEND"
    return data[:2] == _JPEG_START and data.rstrip(b"\0")[-2:] == _JPEG_END
