"""The newest that is known of a table, as its viewers get it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from server.pipeline.referee import Moment, TableEvent

SourceState = Literal["starting", "running", "lost", "ended", "stopped"]


@dataclass(frozen=True)
class PlaybackInfo:
    """How a recorded game is played: from `at_s` on at `rate` (0 stands still), seconds of its own time."""

    at_s: float
    rate: float
    duration_s: float


@dataclass(frozen=True)
class NumberedEvent:
    """An event with its place in the row, so that a viewer can ask for what came since.

    `after` is how long the source had been running, seconds: its own clock may begin anywhere.
    `entry` is its number in the record, None without one.
    """

    number: int
    event: TableEvent
    after: float
    entry: int | None = None


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The newest that is known, for people. Clock times are seconds of the process's clock.

    `number` grows with every snapshot. `moment` is None until the first frame has been seen;
    `arrived` is when its frame came from the source. `fps` counts moments seen a second,
    `seeing` the seconds from the frame's arrival to the moment.
    """

    number: int = 0
    moment: Moment | None = None
    arrived: float = 0.0
    state: SourceState = "starting"
    words: str = ""
    fps: float = 0.0
    seeing: float = 0.0
    notices: tuple[str, ...] = ()
    events: tuple[NumberedEvent, ...] = ()
    playback: PlaybackInfo | None = None
    """How a recorded game is being played; None where the table is live."""
