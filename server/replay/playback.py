"""A recorded game as a viewer watches it: played at any speed, stopped, searched.

It stands where a live table stands for `server.table.viewer.Subscriber`: whoever looks at it asks the same
questions, and they are answered from where everything stood then. All times are the game's own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import cv2
import numpy as np

from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.space.geometry import Pose
from engine.space.table import TableState
from server.formats import units
from server.pipeline.referee import Moment, TableEvent
from server.pipeline.runner import NumberedEvent, PlaybackInfo, Snapshot
from server.replay.timeline import Timeline
from server.table.state import EVENTS_SHOWN
from server.table.viewer import jpeg_of
from vision.frame import Frame, Image

FRAMES_A_SECOND = 30
"""How finely time is cut while a game is played: no screen shows more."""

RATES = (0.25, 16.0)
"""The slowest and the fastest that a game is played."""

MEASURED_EVERY = 1.0
"""Seconds between two looks at how long the game has become."""

NO_PICTURE = (1280, 720)
NOT_KEPT = "No picture was kept of this moment."


class Recording(Protocol):
    """What gives the moments of a game: `server.recording.reader.Reader`."""

    @property
    def duration(self) -> float:
        """Seconds from the game's beginning to its last entry."""
        ...

    @property
    def table(self) -> TableFile:
        """The table file as it was."""
        ...

    def table_at(self, at_s: float) -> TableState:
        """Where everything stood."""
        ...

    def surface_at(self, at_s: float) -> Surface | None:
        """Where the table lay under the camera."""
        ...


@dataclass(frozen=True)
class RecordedSource:
    """Where the pictures of a recorded game come from."""

    name: str


class RecordedFrame(Frame):
    """A picture of the record, fetched only when somebody looks at it."""

    def __init__(
        self, fetch: Callable[[], Frame | None], size: tuple[int, int], time: float, index: int
    ) -> None:
        self._set("fetch", fetch)
        self._set("taken", size)
        self._set("time", time)
        self._set("index", index)
        self._set("source", "record")

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    fetch: Callable[[], Frame | None]
    taken: tuple[int, int]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels as it was taken; it may be kept smaller."""
        return self.taken

    def packed(self) -> bytes:
        """As JPEG; the picture itself is let go of, for many pages may stand still, each somewhere else."""
        try:
            return jpeg_of(self)
        finally:
            self.__dict__.pop("image", None)

    @cached_property
    def image(self) -> Image:
        """The picture; where none was kept, darkness that says so."""
        found = self.fetch()
        if found is not None:
            return found.image
        dark = np.zeros((self.taken[1], self.taken[0], 3), np.uint8)
        # Small and in the middle: of a picture behind the drawn table the sides lie outside the page.
        size = self.taken[0] / 2000
        (wide, _), _ = cv2.getTextSize(NOT_KEPT, cv2.FONT_HERSHEY_SIMPLEX, size, 2)
        place = ((self.taken[0] - wide) // 2, round(self.taken[1] - 32 * size))
        cv2.putText(dark, NOT_KEPT, place, cv2.FONT_HERSHEY_SIMPLEX, size, (150, 150, 150), 2, cv2.LINE_AA)
        return dark


class Playback:
    """One viewer's way through a recorded game. May be used from any thread.

    `frame_at` gives the camera's picture of a time, None where none was kept.
    """

    can_move = False
    film = False
    began = 0.0

    def __init__(
        self,
        name: str,
        recording: Recording,
        timeline: Timeline,
        frame_at: Callable[[float], Frame | None],
        clock: Callable[[], float],
        refresh: Callable[[], None] | None = None,
    ) -> None:
        self._refresh = timeline.refresh if refresh is None else refresh
        self.source = RecordedSource(name)
        self.clock = clock
        self._recording = recording
        self._timeline = timeline
        self._frame_at = frame_at
        self._lock = threading.Lock()
        self._duration = recording.duration
        self._measured_at = clock()
        self._at_s = 0.0
        self._rate = 0.0
        self._since = clock()
        self._shown = Snapshot()
        self._wake: Callable[[], None] = lambda: None

    # Where it is and where it goes

    @property
    def duration(self) -> float:
        """How long the game is, seconds, as it was measured last."""
        return self._duration

    def _measure(self) -> None:
        """How far a game has come that is being recorded. Reads the disk, which the event loop must not."""
        now = self.clock()
        if now - self._measured_at >= MEASURED_EVERY:
            self._duration, self._measured_at = self._recording.duration, now
            self._refresh()

    @property
    def playing(self) -> bool:
        """Whether it runs."""
        return self._rate > 0.0 and self.at_s < self.duration

    @property
    def at_s(self) -> float:
        """The game's time that is shown now."""
        at_s = self._at_s + self._rate * (self.clock() - self._since)
        if self._rate:
            at_s = round(at_s * FRAMES_A_SECOND) / FRAMES_A_SECOND
        return min(max(at_s, 0.0), self.duration)

    @property
    def playback(self) -> PlaybackInfo:
        """How it is being played, for the page."""
        rate = self._rate if self.playing else 0.0
        at_s = self._at_s if rate else self.at_s
        return PlaybackInfo(at_s=units.moment(at_s), rate=rate, duration_s=units.moment(self.duration))

    def seek(self, at_s: float) -> None:
        """Goes there, and plays on if it was playing."""
        with self._lock:
            self._at_s, self._since = min(max(at_s, 0.0), self.duration), self.clock()
        self._wake()

    def play(self, rate: float) -> None:
        """Plays from here on at so many times the game's speed; 0 stands still.

        At the end it begins again.
        """
        if rate:
            rate = min(max(rate, RATES[0]), RATES[1])
        with self._lock:
            at_s = self.at_s
            self._at_s = 0.0 if rate and at_s >= self.duration else at_s
            self._rate, self._since = rate, self.clock()
        self._wake()

    def step(self, by: str, forward: bool) -> None:
        """Stands still at the next or last picture, or entry."""
        at_s = self.at_s
        if by == "event":
            tick = self._timeline.beside(at_s, forward)
            to = at_s if tick is None else tick.at_s
        else:
            to = at_s + (1 if forward else -1) / FRAMES_A_SECOND
        with self._lock:
            self._rate = 0.0
        self.seek(to)

    # What a viewer asks

    @property
    def snapshot(self) -> Snapshot:
        """What is known at the time that is shown; the same object while that stays."""
        self._measure()
        with self._lock:
            at_s, playback, last = self.at_s, self.playback, self._shown
            if last.moment is None or last.moment.time != at_s or last.playback != playback:
                self._shown = self._snapshot(at_s, playback, last.number + 1)
            return self._shown

    def _snapshot(self, at_s: float, playback: PlaybackInfo, number: int) -> Snapshot:
        recording = self._recording
        told = self._timeline.until(at_s, EVENTS_SHOWN)
        surface = recording.surface_at(at_s)
        size = NO_PICTURE if surface is None else surface.lens.size
        moment = Moment(
            index=number,
            time=at_s,
            frame=RecordedFrame(lambda: self._frame_at(at_s), size, at_s, number),
            table=recording.table_at(at_s),
            surface=surface,
            board=recording.table.board,
        )
        return Snapshot(
            number=number,
            moment=moment,
            arrived=self.clock(),
            state="ended",
            words=f"This is {self.source.name}.",
            playback=playback,
            events=tuple(
                NumberedEvent(t.number, TableEvent(t.at_s, t.kind, None, t.told), t.at_s, undone=t.undone)
                for t in told
            ),
        )

    def move(self, name: str, pose: Pose) -> None:
        """Nothing moves in a record."""
        del pose
        raise TableRefError(f"{self.source.name} is a record: {name} stands where it stood")

    def lift(self, name: str) -> None:
        """Nothing is lifted in a record."""
        self.move(name, Pose(0.0, 0.0))

    def lay_hand(self, at: tuple[float, float] | None) -> None:
        """No hand is laid over a record."""
        del at
        raise TableRefError(f"{self.source.name} is a record: no hand reaches into it")

    def watch(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Calls `wake` when somebody goes elsewhere; returns how to stop that."""
        self._wake = wake

        def stop() -> None:
            self._wake = lambda: None

        return stop
