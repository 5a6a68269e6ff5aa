"""The way of the data, composed: frame -> detections -> sightings -> tracks -> table.

`Referee.step` lists the steps in order. Time comes in with the frame; no step asks a clock, so a
recording plays at any speed to the same answers. (Each step's own duration is measured by a
stopwatch that is handed in, for the status line alone.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from calibration.keeper import SurfaceKeeper
from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.geometry import FloatArray
from engine.table import Status, TableState
from vision.evidence import sort_out
from vision.frame import Frame, Sighting
from vision.locate import locate_all
from vision.tags import Key
from vision.track import Change, Tracker
from vision.watch import Watch


class SurfaceView(Protocol):
    """What the page needs to know of the surface calibration."""

    @property
    def residual(self) -> float:
        """Root mean square misfit of the corner tags on the table, inches."""
        ...

    @property
    def note(self) -> str:
        """A sentence for people: where lens and surface come from, and what is only guessed."""
        ...

    def image_from_table(self, points: FloatArray, height: float = 0.0) -> FloatArray:
        """Table points (n, 2), inches, at one height above the table, in the image, (n, 2) pixels."""
        ...


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened at the table, as the camera saw it.

    `kind` is one of appeared, moving, settled, held, lost, found, camera. Times are the source's.
    """

    time: float
    kind: str
    piece: str | None
    words: str


@dataclass(frozen=True, eq=False)
class Moment:
    """What the referee knows after one frame.

    `surface` is None until the corner tags have been found. `timings` are seconds a step.
    `read` names the pieces whose tags were read in this very frame. `notices` are sentences for
    people about the picture or the source.
    """

    index: int
    time: float
    frame: Frame
    table: TableState
    surface: SurfaceView | None
    timings: Mapping[str, float]
    events: tuple[Event, ...] = ()
    notices: tuple[str, ...] = ()
    read: frozenset[str] = frozenset()


class Stopwatch:
    """Durations of named steps, by a clock handed in."""

    def __init__(self, clock: Callable[[], float] | None) -> None:
        self._clock = clock
        self._last = clock() if clock else 0.0
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Ends the step `name`."""
        if self._clock:
            now = self._clock()
            self.laps[name] = now - self._last
            self._last = now


class Referee:
    """One table under one camera. `step` takes frames in order of time."""

    def __init__(
        self,
        table: TableFile,
        stopwatch: Callable[[], float] | None = None,
        *,
        beside: bool = False,
    ) -> None:
        """With `beside`, missing tags are searched for in a thread of their own (live play)."""
        self.table = table
        self._clock = stopwatch
        self._pieces = {(p.mount.family, p.mount.tag): p for p in table.pieces if p.mount is not None}
        self._watch = Watch(table.keys, beside=beside)
        self._keeper: SurfaceKeeper | None = None
        self._tracker = Tracker()

    def step(self, frame: Frame) -> Moment:
        """One frame through the whole pipeline."""
        watch = Stopwatch(self._clock)
        keeper = self._keeper_for(frame)
        detections = self._watch.read(frame, self._side_of)
        watch.lap("read")
        seen = sort_out(detections, self.table)
        moved = keeper.update(frame.time, seen.corners, seen.loose, seen.raised)
        watch.lap("surface")
        surface = keeper.surface
        events: list[Event] = []
        if moved:
            self._tracker.forget()
            events.append(
                Event(frame.time, "camera", None, "The camera has moved; the table was found again.")
            )
        sightings: list[Sighting] = []
        if surface is not None:
            sightings = locate_all(detections, self.table.pieces, surface, frame.time)
            watch.lap("locate")
            changes = self._tracker.update(frame, surface, sightings)
            events += [told for change in changes if (told := tell(change)) is not None]
            watch.lap("track")
        standings = self._tracker.standings(self.table.pieces)
        return Moment(
            index=frame.index,
            time=frame.time,
            frame=frame,
            table=TableState(frame.time, self.table.surface, standings),
            surface=surface,
            timings=watch.laps,
            events=tuple(events),
            notices=self._notices(keeper, surface),
            read=frozenset(s.piece.name for s in sightings),
        )

    def _keeper_for(self, frame: Frame) -> SurfaceKeeper:
        if self._keeper is None or self._keeper.lens.size != frame.size:
            self._keeper = SurfaceKeeper(self.table.lens_for(frame.size), self.table.frame)
            self._watch.restart()
        return self._keeper

    def _side_of(self, key: Key) -> float | None:
        """The side in pixels that a piece's tag has in the middle of the table."""
        mount, keeper = self._pieces[key].mount if key in self._pieces else None, self._keeper
        if mount is None or keeper is None or keeper.surface is None:
            return None
        middle = self.table.surface.outline.mean(axis=0)
        square = middle + np.array([(0.0, 0.0), (mount.size, 0.0)])
        a, b = keeper.surface.image_from_table(square, mount.height)
        return float(np.hypot(*(b - a)))

    def _notices(self, keeper: SurfaceKeeper, surface: Surface | None) -> tuple[str, ...]:
        notices = []
        if keeper.problem is not None:
            notices.append(keeper.problem[0].upper() + keeper.problem[1:] + ".")
        if keeper.misplaced is not None:
            notices.append(keeper.misplaced[0].upper() + keeper.misplaced[1:] + ".")
        if surface is not None and surface.lens.guessed:
            notices.append("The lens is not calibrated: distances are less sure than they could be.")
        never = [p.name for k, p in self._pieces.items() if k in self._watch.unseen]
        if surface is not None and never:
            notices.append(f"Not seen yet: {', '.join(never)}.")
        return tuple(notices)


def tell(change: Change) -> Event | None:
    """A track's change in words, None for what nobody needs to hear."""
    name = change.piece.name
    match change.before, change.after:
        case None, _:
            kind, words = "appeared", f"{name} is on the table."
        case Status.LOST, _:
            kind, words = "found", f"{name} is seen again."
        case _, Status.MOVING:
            kind, words = "moving", f"{name} is moving."
        case _, Status.HELD:
            kind, words = "held", f"{name} is covered."
        case _, Status.LOST:
            kind, words = "lost", f"{name} is gone from its place."
        case Status.HELD, Status.STILL:
            kind, words = "settled", f"{name} is uncovered and has not moved."
        case _:
            kind, words = "settled", f"{name} stands still, {change.moved:.2f} in from where it stood."
    return Event(change.time, kind, change.piece.name, words)
