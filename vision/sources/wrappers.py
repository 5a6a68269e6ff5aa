"""Sources around sources: one that plays a file at its own speed, one that tries again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from vision.frame import Frame
from vision.sources.base import Gap, SizeWatch, Source, SourceEnded, SourceLost, Tunable, sentence

Clock = Callable[[], float]
Sleep = Callable[[float], None]

BACKOFF = (0.5, 1.0, 2.0, 4.0, 8.0)

_GAPS_KEPT = 100

# Waiting happens in slices, so that closing a source from another thread is noticed soon.
_SLICE = 0.25

# A reader that is further behind than this gets the clip slowed down instead of a jump.
_MOST_BEHIND = 1.0


class Paced(Source):
    """Plays a finite source at its own speed: waits when early, drops frames when late.

    The newest frame that is due wins. If even reading is slower than the clip, the clip is
    slowed down and `notice` says so. `speed` 2.0 plays twice as fast.
    """

    live = True
    film = True

    def __init__(
        self,
        inner: Source,
        *,
        speed: float = 1.0,
        clock: Clock = time.monotonic,
        sleep: Sleep = time.sleep,
    ) -> None:
        self.name = inner.name
        self.dropped = 0
        self._inner = inner
        self._speed = speed
        self._clock = clock
        self._sleep = sleep
        self._zero: float | None = None
        self._slow: str | None = None
        self._ahead: Frame | None = None
        self._ended = False

    @property
    def notice(self) -> str | None:
        """The inner source's notice, or that the clip had to be slowed down."""
        return self._inner.notice or self._slow

    def _due(self, frame: Frame) -> float:
        """When a frame should be shown, on the clock handed in."""
        if self._zero is None:
            self._zero = self._clock() - frame.time / self._speed
        return self._zero + frame.time / self._speed

    def _next(self) -> Frame:
        frame, self._ahead = self._ahead, None
        if frame is None:
            if self._ended:
                raise SourceEnded
            frame = self._inner.read()
        return frame

    def read(self) -> Frame:
        """The newest frame that is due; waits for the next one if none is."""
        frame = self._next()
        due = self._due(frame)
        now = self._clock()
        if now <= due:
            self._slow = None
            self._sleep(due - now)
            return frame
        return self._newest_due(frame)

    def _newest_due(self, frame: Frame) -> Frame:
        """Skips forward over frames whose successor is due as well."""
        started = self._clock()
        while True:
            try:
                following = self._inner.read()
            except SourceEnded:
                self._ended = True
                return frame
            behind = self._clock() - self._due(following)
            if behind < 0:
                self._ahead = following
                return frame
            self.dropped += 1
            frame = following
            if self._clock() - started > _MOST_BEHIND:
                assert self._zero is not None
                self._zero += behind
                self._slow = (
                    f"This machine reads {self.name} more slowly than it was filmed; it plays slowed down."
                )
                return frame

    def close(self) -> None:
        """Closes the inner source."""
        self._ended = True
        self._ahead = None
        self._inner.close()


class Retrying(Source):
    """Keeps a source alive: when it is lost it is opened again, after growing pauses.

    `opener` opens the source anew. `read` returns the next frame, however long that takes;
    meanwhile `notice` says in a sentence what is being done, and `tell`, if given, is called
    with each new sentence. Indices and times of frames run on over a loss.
    `gaps` keeps the latest stretches that nobody has seen, `film` says that its pictures were taken before.
    """

    def __init__(
        self,
        opener: Callable[[], Source],
        name: str,
        *,
        live: bool = True,
        film: bool = False,
        clock: Clock = time.monotonic,
        sleep: Sleep = time.sleep,
        backoff: tuple[float, ...] = BACKOFF,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.name = name
        self.live = live
        self.film = film
        self.losses = 0
        self.gaps: tuple[Gap, ...] = ()
        self._opener = opener
        self._clock = clock
        self._sleep = sleep
        self._backoff = backoff
        self._tell = tell
        self._inner: Source | None = None
        self._trouble: str | None = None
        self._lost_at: float | None = None
        self._why = ""
        self._tries = 0
        self._index = 0
        self._onward = 0
        self._later = 0.0
        self._last_time = self._last_new = float("-inf")
        self._closed = False
        # Held while the inner source is in use: a capture must not be let go in mid-read.
        self._busy = threading.Lock()
        self._size = SizeWatch(name)

    @property
    def tunable(self) -> Tunable | None:
        """The webcam as it is open now; None while it is lost, and of other kinds."""
        inner = self._inner
        return None if inner is None else inner.tunable

    @property
    def notice(self) -> str | None:
        """What is being tried right now, else what the source itself has to say."""
        if self._trouble is not None:
            return self._trouble
        inner = self._inner
        return (inner.notice if inner is not None else None) or self._size.notice

    def read(self) -> Frame:
        """The next frame, after as many attempts as it takes; `SourceEnded` after `close`."""
        while not self._closed:
            try:
                with self._busy:
                    frame = self._read_inner()
            except SourceLost as lost:
                self._wait_after(lost)
                continue
            if not self._closed:
                return self._good(frame)
        self._drop()
        raise SourceEnded

    def _read_inner(self) -> Frame:
        if self._inner is None:
            self._inner = self._opener()
        return self._inner.read()

    def _good(self, frame: Frame) -> Frame:
        """A frame has come: tell that all is well again and let index and time run on."""
        if self._lost_at is not None:
            self._back(frame, self._clock() - self._lost_at)
            self._lost_at = None
        self._trouble = None
        self._tries = 0
        time = max(frame.time + self._later, self._last_time)
        frame = frame.restamped(frame.index + self._onward, time)
        self._index = frame.index + 1
        self._last_time = frame.time
        if not frame.repeated:
            self._last_new = frame.time
        self._size.see(frame)
        return frame

    def _back(self, frame: Frame, gone: float) -> None:
        """The first frame after a loss: index and time go on where they were."""
        self._say(sentence(f"{self.name} is back after {gone:.0f} s."))
        if self._index == 0:
            return
        self._onward = self._index - frame.index
        # A live source's clock has run on by itself; a file begins anew.
        self._later = 0.0 if frame.time > self._last_time else self._last_time + gone - frame.time
        gap = Gap(self._last_new, frame.time + self._later, self._why)
        self.gaps = (*self.gaps[1 - _GAPS_KEPT :], gap)

    def _wait_after(self, lost: SourceLost) -> None:
        """Lets the dead source go, says so, and pauses."""
        self._drop()
        if self._closed:
            return
        if self._lost_at is None:
            self._lost_at = self._clock()
            self._why = str(lost)
            self.losses += 1
        pause = self._backoff[min(self._tries, len(self._backoff) - 1)]
        self._tries += 1
        self._trouble = f"{lost} Trying again in {pause:g} s (attempt {self._tries})."
        self._say(self._trouble)
        until = self._clock() + pause
        while not self._closed and (left := until - self._clock()) > 0:
            self._sleep(min(left, _SLICE))
        self._trouble = f"{lost} Trying again now (attempt {self._tries})."

    def _say(self, words: str) -> None:
        if self._tell is not None:
            self._tell(words)

    def _drop(self) -> None:
        inner, self._inner = self._inner, None
        if inner is not None:
            inner.close()

    def close(self) -> None:
        """Ends any waiting within a quarter second and lets the source go.

        If another thread is just reading, the source is let go when that read returns.
        """
        self._closed = True
        if self._busy.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._busy.release()
