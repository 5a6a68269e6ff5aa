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
from calibration.lens import Lens
from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.geometry import FloatArray
from engine.table import Status, TableState
from vision.evidence import sort_out
from vision.frame import Detection, Frame, Sighting
from vision.locate import locate_all
from vision.tags import Expected, Key, TagReader
from vision.track import Change, Tracker

# Seconds between readings of the whole picture while a tag in play is missing, and how long a
# known tag may be unread before the whole picture is searched for it.
SEARCH_EVERY_S = 0.5
SEARCH_AFTER_S = 0.4
# A tag that has never been seen (its piece is still in the box) is looked for less and less often.
PATIENT_EVERY_S = 3.0
PATIENT_AFTER_S = 10.0


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
    """One table under one camera. `step` takes frames in order of time.

    `kept` finds the lens kept for the camera at a size in pixels, for a table file that names none.
    """

    def __init__(
        self,
        table: TableFile,
        stopwatch: Callable[[], float] | None = None,
        kept: Callable[[tuple[int, int]], Lens | None] | None = None,
    ) -> None:
        self.table = table
        self._kept = kept
        self._new_lens: Lens | None = None
        self._clock = stopwatch
        self._pieces = {(p.mount.family, p.mount.tag): p for p in table.pieces if p.mount is not None}
        self._reader = TagReader.of(table.keys)
        self._keeper: SurfaceKeeper | None = None
        self._tracker = Tracker()
        self._last: dict[Key, _LastRead] = {}
        self._searched_at: float | None = None
        self._searches = 0
        self._began: float | None = None

    def step(self, frame: Frame) -> Moment:
        """One frame through the whole pipeline."""
        watch = Stopwatch(self._clock)
        keeper = self._keeper_for(frame)
        detections = self._read(frame)
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

    def use_lens(self, lens: Lens) -> None:
        """From the next frame on, pictures of the lens's size are seen through it. From any thread."""
        self._new_lens = lens

    def _keeper_for(self, frame: Frame) -> SurfaceKeeper:
        if self._keeper is None or self._keeper.lens.size != frame.size:
            self._keeper = SurfaceKeeper(self._lens_for(frame.size), self.table.frame)
            self._last.clear()
            self._began = frame.time
        new = self._new_lens
        if new is not None and new.size == frame.size and self._keeper.lens is not new:
            self._keeper = SurfaceKeeper(new, self.table.frame)
        return self._keeper

    def _lens_for(self, size: tuple[int, int]) -> Lens:
        kept = self._kept(size) if self._kept is not None and self.table.lens is None else None
        return kept or self.table.lens_for(size)

    def _read(self, frame: Frame) -> list[Detection]:
        """The tags in play: near where they are expected, and everywhere when some are missing."""
        found: dict[Key, Detection] = {}
        expected = [last.expect(frame.time) for last in self._last.values()]
        for d in self._reader.read_near(frame, expected):
            found[d.family, d.tag] = d
        if self._search_due(frame.time, found):
            first, self._searched_at = self._searched_at is None, frame.time
            self._searches += 1
            for d in self._reader.read_all(frame, thorough=first or self._searches % 4 == 0):
                found.setdefault((d.family, d.tag), d)
        for key, d in found.items():
            before = self._last.get(key)
            self._last[key] = _LastRead(d, frame.time) if before is None else before.then(d, frame.time)
        return list(found.values())

    def _search_due(self, time: float, found: dict[Key, Detection]) -> bool:
        if self._searched_at is None:
            return True
        waited = time - self._searched_at
        late = any(
            key not in found and time - last.time >= SEARCH_AFTER_S for key, last in self._last.items()
        )
        unknown = any(key not in self._last for key in self._reader.keys)
        patient = time - (self._began or 0.0) > PATIENT_AFTER_S
        every = SEARCH_EVERY_S if late or not patient else PATIENT_EVERY_S
        return (late or unknown) and waited >= every - 1e-9

    def _notices(self, keeper: SurfaceKeeper, surface: Surface | None) -> tuple[str, ...]:
        notices = []
        if keeper.problem is not None:
            notices.append(keeper.problem[0].upper() + keeper.problem[1:] + ".")
        if keeper.misplaced is not None:
            notices.append(keeper.misplaced[0].upper() + keeper.misplaced[1:] + ".")
        if surface is not None and surface.lens.guessed:
            notices.append("The lens is not calibrated: distances are less sure than they could be.")
        never = [p.name for k, p in self._pieces.items() if k not in self._last]
        if surface is not None and never:
            notices.append(f"Not seen yet: {', '.join(never)}.")
        return tuple(notices)


@dataclass(frozen=True, eq=False)
class _LastRead:
    """A tag's last read and how it moved in the picture, pixels a second."""

    detection: Detection
    time: float
    velocity: tuple[float, float] = (0.0, 0.0)

    def then(self, detection: Detection, time: float) -> _LastRead:
        span = time - self.time
        if not 0.0 < span < 0.5:
            return _LastRead(detection, time)
        dx, dy = (detection.corners - self.detection.corners).mean(axis=0) / span
        return _LastRead(detection, time, (float(dx), float(dy)))

    def expect(self, time: float) -> Expected:
        span = time - self.time
        corners = self.detection.corners
        if span < 0.5:
            corners = corners + np.array(self.velocity) * span
        return Expected(self.detection.family, self.detection.tag, corners)


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
