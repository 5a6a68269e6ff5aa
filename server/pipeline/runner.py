"""The pipeline runner: one thread reads frames, one sees, and every viewer gets the newest snapshot."""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, Literal, Protocol, TypeVar

from calibration.lens.model import Lens
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.space.geometry import Pose
from server.formats.entries import Entry
from server.pipeline.referee import Moment, Refereeing, TableEvent, unseen
from vision.frame import Frame
from vision.source import Gap, Movable, Source, SourceEnded, SourceLost

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
    `entry` is its number in the record, None without one. `undone`: it was taken back since.
    """

    number: int
    event: TableEvent
    after: float
    entry: int | None = None
    undone: bool = False


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


T = TypeVar("T")


class LatestValue(Generic[T]):
    """Holds the newest item; putting another forgets the one that nobody took.

    >>> slot: LatestValue[str] = LatestValue()
    >>> slot.put("old"); slot.put("new")
    >>> slot.take(timeout=0.0), slot.take(timeout=0.0), slot.dropped
    ('new', None, 1)
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._item: T | None = None
        self._closed = False
        self.dropped = 0

    @property
    def closed(self) -> bool:
        """Whether nothing will come any more."""
        return self._closed

    def put(self, item: T) -> None:
        """Makes this the newest item."""
        with self._condition:
            if self._item is not None:
                self.dropped += 1
            self._item = item
            self._condition.notify_all()

    def take(self, timeout: float | None = None) -> T | None:
        """Waits for an item and takes it out; None after `timeout` seconds or when closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._item is not None or self._closed, timeout)
            item, self._item = self._item, None
            return item

    def close(self) -> None:
        """Wakes everybody who waits; what was put last can still be taken."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()


log = logging.getLogger("tableref.live")

RATE_WINDOW = 2.0
"""Seconds over which frames a second are counted."""

EVENTS_KEPT = 200

LOOK_EVERY = 0.25
"""Seconds after which the seeing thread looks up when no frame comes."""

SILENCE = 2.0
"""Seconds without a frame after which people are told."""


# Seconds over which both are counted; a notice stands for as long, so that its numbers can be read.
SPAN = 3.0
# A share of pictures seen below which people are told. One now and then is let fall on any machine.
KEEPS_UP = 0.85


class Throughput:
    """Counts from two threads: one calls `came`, the other one `seen`. Times are seconds of one clock.

    >>> pace = Throughput()
    >>> for n in range(91):
    ...     pace.came()
    ...     if n % 2 == 0:
    ...         pace.seen(n / 30)
    >>> pace.words
    'This machine sees 15 of 30 pictures a second. Choose a smaller picture or close other programs.'
    """

    def __init__(self) -> None:
        self.words: str | None = None
        self._came = self._seen = 0
        self._began: float | None = None
        self._came_before = 0

    def came(self) -> None:
        """A picture has come from the source."""
        self._came += 1

    def seen(self, now: float) -> None:
        """A picture has been seen, whichever of those that came; the others were let fall."""
        if self._began is None or now < self._began:
            self._begin(now)
            return
        self._seen += 1
        span = now - self._began
        if span >= SPAN:
            came, seen = self._came - self._came_before, self._seen
            self.words = None if seen >= KEEPS_UP * came else _words(seen / span, came / span)
            self._begin(now)

    def restart(self) -> None:
        """Another source: what was counted says nothing of it."""
        self.words, self._began = None, None

    def _begin(self, now: float) -> None:
        self._began, self._seen, self._came_before = now, 0, self._came


def _words(seen: float, came: float) -> str:
    return (
        f"This machine sees {seen:.0f} of {came:.0f} pictures a second. "
        "Choose a smaller picture or close other programs."
    )


class Keeper(Protocol):
    """What keeps what was seen: `server.recording.recorder.Recorder`."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What people should know of the keeping."""
        ...

    def append(self, batch: Sequence[Entry]) -> Sequence[int]:
        """Keeps what people did; returns when it is safe."""
        ...

    def keep(
        self,
        moment: Moment,
        table: TableFile | None,
        events: Sequence[TableEvent],
        told: Callable[[Sequence[int]], None],
    ) -> None:
        """Takes a moment and returns at once; `told` is called when its events are safe."""
        ...


@dataclass(frozen=True)
class _Seen:
    """One frame on its way from the reading to the seeing thread."""

    frame: Frame
    arrived: float
    referee: Refereeing = field(repr=False)
    turn: int


class Runner:
    """A source and a referee at work.

    `again` opens source and referee anew when a finite source has ended (a clip that goes round
    and round); without it the last moment stays. A lost source is asked again every
    `retry_after` seconds. The source sets the pace (a file wants `vision.source.Paced` around
    it); `switch` puts another in its place. `clock` gives seconds and never jumps. `camera` is
    the name under which its lens is kept, the source's own unless given. With a `keeper`, events
    are told when they are safe there.
    """

    def __init__(
        self,
        source: Source,
        referee: Refereeing,
        *,
        again: Callable[[], tuple[Source, Refereeing]] | None = None,
        retry_after: float = 2.0,
        clock: Callable[[], float] = time.perf_counter,
        camera: str | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        self.source = source
        self._keeper = keeper
        self.camera = source.name if camera is None else camera
        self.clock = clock
        self._referee = self._began_with = referee
        self._in_play: frozenset[str] = frozenset()
        self._again = again
        self._retry_after = retry_after
        self._frames: LatestValue[_Seen] = LatestValue()
        self._pace = Throughput()
        self._lock = threading.Lock()
        self._snapshot = Snapshot(words=f"Waiting for the first picture from {source.name}.")
        self._events: deque[NumberedEvent] = deque(maxlen=EVENTS_KEPT)
        self._event_number = 0
        self._began: float | None = None
        self._seen_at: deque[float] = deque()
        self._watchers: list[Callable[[], None]] = []
        self._started_at = clock()
        self._last_frame_at: float | None = None
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        # Counts the switches: whatever still comes of an earlier turn is let fall.
        self._turn = 0
        self._switching = threading.Lock()
        self._instead: tuple[str, float | None] | None = None
        self._gaps: deque[str] = deque()
        self._dismissed: list[Refereeing] = []
        # What people should know of the table beside what the camera sees; told with every moment.
        self.remark = ""

    # What others ask

    @property
    def snapshot(self) -> Snapshot:
        """The newest that is known."""
        return self._snapshot

    @property
    def moment(self) -> Moment | None:
        """The newest moment, or None before the first frame."""
        return self._snapshot.moment

    @property
    def began(self) -> float | None:
        """When the source's first picture was taken, on its own clock; None before that."""
        return self._began

    @property
    def film(self) -> bool:
        """Whether what is watched was taken before: nobody can do anything on that table."""
        return self.source.film

    @property
    def can_move(self) -> bool:
        """Whether pieces can be moved from the page."""
        return self.source.movable is not None

    def move(self, name: str, pose: Pose) -> None:
        """Moves a piece of a simulated table; a clear error elsewhere."""
        self._movable(f"move {name} by hand and the camera will follow").move(name, pose)

    def lift(self, name: str) -> None:
        """Takes a piece off a simulated table until it is moved again; a clear error elsewhere."""
        self._movable(f"lift {name} by hand and the camera will follow").lift(name)

    def put(self, name: str) -> None:
        """Puts a piece of a simulated table back where it stood last; a clear error elsewhere."""
        self._movable(f"put {name} down by hand and the camera will follow").put(name)

    def lay_hand(self, at: tuple[float, float] | None) -> None:
        """Lays a hand over a simulated table, or takes it away; a clear error elsewhere."""
        self._movable("lay your own hand over it").cover(at)

    def _movable(self, instead: str) -> Movable:
        """The table whose pieces calls can move; elsewhere an error says what to do instead."""
        movable = self.source.movable
        if movable is None:
            raise TableRefError(f"{self.source.name} shows a real table: {instead}")
        return movable

    def lay(self, outlines: Mapping[str, Sequence[tuple[float, float]]]) -> None:
        """Lays a game's flat tokens on a simulated table; on a real one people do."""
        if self.source.movable is not None:
            self.source.movable.lay(outlines)
        self._referee.laid(outlines)

    def plays(self, names: frozenset[str]) -> None:
        """Says which pieces are played with (see `Referee.plays`)."""
        self._in_play = names
        self._referee.plays(names)

    def note(self, entry: Entry) -> None:
        """Keeps what somebody asked or did, where anything is kept; returns when it is safe."""
        if self._keeper is not None:
            self._keeper.append((entry,))

    def use_lens(self, lens: Lens, *, resumed: bool = False) -> bool:
        """Sees through this lens from now on (see `Referee.use_lens`); False if the referee cannot."""
        return self._referee.use_lens(lens, resumed=resumed)

    def name_thing(self, name: str) -> bool:
        """Says that a thing is in nobody's way (see `Referee.name_thing`); False if there is none."""
        return self._referee.name_thing(name)

    def adopt(self, table: TableFile, *, outlined: str = "", thing: str = "") -> bool:
        """Goes by a table that differs in pieces without tags alone (see `Referee.adopt`)."""
        time = 0.0 if self.moment is None else self.moment.time
        return self._referee.adopt(table, outlined=outlined, thing=thing, time=time)

    @property
    def away(self) -> tuple[str, ...]:
        """Names of the pieces without tags that do not stand where they were outlined."""
        return self._referee.away

    def go_on(self) -> bool:
        """Rules on with a contradiction (see `Referee.go_on`); False if the referee cannot."""
        return self._referee.go_on()

    def watch(self, wake: Callable[[], None]) -> Callable[[], None]:
        """Calls `wake` (from another thread) whenever there is news; returns how to stop that."""
        with self._lock:
            self._watchers.append(wake)

        def stop() -> None:
            with self._lock:
                if wake in self._watchers:
                    self._watchers.remove(wake)

        return stop

    def announce(self, event: TableEvent | None = None) -> None:
        """Tells everybody that something else has changed; an event joins those of the camera."""
        if event is None:
            self._tell()
            return
        began = event.time if self._began is None else self._began
        self._tell(new_events=(NumberedEvent(0, event, max(0.0, event.time - began)),))

    # Start and stop

    @property
    def stopping(self) -> bool:
        """Whether it has been told to stop; watchers are woken then, also those that give the pictures."""
        return self._stopping.is_set()

    def refer(self, referee: Refereeing) -> None:
        """The source goes on, seen by another referee from its next frame on. From any thread.

        One that has ended has no next frame: its last one is seen once more.
        """
        with self._lock:
            self._dismissed.append(self._referee)
            self._referee = self._began_with = referee
            last, turn = self._snapshot, self._turn
        if last.state == "ended" and last.moment is not None:
            self._frames.put(_Seen(last.moment.frame, self.clock(), referee, turn))

    @property
    def table(self) -> TableFile | None:
        """The table file that the referee at work goes by; None before there is one."""
        return self._referee.table

    def start(self) -> None:
        """Starts the reading and the seeing thread. A Runner runs once."""
        if self._threads:
            raise TableRefError("this table is being watched already; make a new Runner to start again")
        self._threads = [
            self._reader(),
            threading.Thread(target=self._see, name="tableref-sees", daemon=True),
        ]
        # Whoever forgets to stop it: no thread may still be at work in a library while the process ends.
        atexit.register(self.stop)
        for thread in self._threads:
            thread.start()

    def _reader(self) -> threading.Thread:
        return threading.Thread(target=self._read, args=(self._turn,), name="tableref-reads", daemon=True)

    def switch(
        self,
        source: Source,
        referee: Refereeing,
        *,
        again: Callable[[], tuple[Source, Refereeing]] | None = None,
        camera: str | None = None,
    ) -> None:
        """Watches another source from now on; may be called from any thread.

        What was known stays until the new source's first picture, which tells of the change.
        """
        with self._switching:
            with self._lock:
                before, self.source = self.source, source
                self._referee, self._again = referee, again
                self.camera = source.name if camera is None else camera
                self._turn += 1
                # A source that gave no picture is none that was watched.
                self._instead = self._instead or (before.name, self._last_frame_at)
                self._last_frame_at, self._started_at = None, self.clock()
                self._pace.restart()
            self._tell(
                state="starting", words=f"Waiting for the first picture from {source.name}.", notices=()
            )
            before.close()
            if self._stopping.is_set():
                source.close()
            elif self._threads:
                # A device that is just being read is let go after that; it may be wanted again.
                self._threads[0].join(timeout=1.0)
                self._threads[0] = self._reader()
                self._threads[0].start()

    def stop(self) -> None:
        """Stops both threads and closes the source. May be called twice."""
        self._stopping.set()
        self.announce()
        self._frames.close()
        # A source is closed between two reads where possible; one that waits in vain all the same.
        for thread in self._threads:
            thread.join(timeout=0.5)
        self.source.close()
        # A picture that is being judged ends: left alone in a library, its thread would abort the process.
        for thread, patience in zip(self._threads, (2.0, 15.0), strict=False):
            thread.join(timeout=patience)
        for referee in (self._referee, *self._dismissed):
            referee.close()
        atexit.unregister(self.stop)
        if self._snapshot.state != "stopped":
            self._tell(state="stopped", words="The referee has been stopped.")

    def __enter__(self) -> Runner:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # The reading thread

    def _work(self, turn: int) -> tuple[Source, Refereeing] | None:
        """What the reading thread of a turn is to read; None when that is over."""
        with self._lock:
            over = turn != self._turn or self._stopping.is_set()
            return None if over else (self.source, self._referee)

    def _read(self, turn: int) -> None:
        arrived: float | None = None
        gaps: tuple[Gap, ...] = ()
        while (work := self._work(turn)) is not None:
            source, referee = work
            try:
                frame = source.read()
            except SourceEnded:
                if not self._reopen(turn):
                    return
                arrived, gaps = None, ()
            except SourceLost as lost:
                self._tell(turn, state="lost", words=f"{lost} Trying again.")
                self._stopping.wait(self._retry_after)
            except TableRefError as error:
                self._tell(turn, state="ended", words=str(error))
                return
            except Exception:
                log.exception("reading from %s failed", source.name)
                self._tell(turn, state="ended", words=f"Reading from {source.name} failed; see the log.")
                return
            else:
                before, arrived = arrived, self.clock()
                gaps = self._note_gaps(source, gaps, 0.0 if before is None else arrived - before)
                self._pace.came()
                self._frames.put(_Seen(frame, arrived, referee, turn))

    def _note_gaps(self, source: Source, known: tuple[Gap, ...], silent: float) -> tuple[Gap, ...]:
        """Keeps in words what the source has not seen lately; returns the gaps known now."""
        gaps = source.gaps
        if gaps is not None:
            self._gaps.extend(gap.words for gap in gaps if gap not in known)
        elif silent >= SILENCE:
            self._gaps.append(f"Nothing was seen for {silent:.1f} s.")
        return gaps or ()

    def _reopen(self, turn: int) -> bool:
        """After the end of a finite source: round again, or stay with what was seen last."""
        source, again = self.source, self._again
        if again is None or self._work(turn) is None:
            self._tell(
                turn, state="ended", words=f"{source.name} has come to its end; this is its last picture."
            )
            return False
        source.close()
        try:
            opened, referee = again()
        except TableRefError as error:
            self._tell(turn, state="ended", words=f"{source.name} cannot be played again: {error}")
            return False
        with self._lock:
            if turn == self._turn:
                self.source, self._referee = opened, referee
                return True
        opened.close()
        return False

    # The seeing thread

    def _see(self) -> None:
        while not self._stopping.is_set():
            seen = self._frames.take(timeout=LOOK_EVERY)
            if seen is None:
                self._mind_silence()
                continue
            try:
                if self._in_play:
                    # It may be a new one.
                    seen.referee.plays(self._in_play)
                moment = seen.referee.step(seen.frame)
            except TableRefError as error:
                self._tell(seen.turn, moment=unseen(self.moment), notices=(str(error),))
            except Exception:
                log.exception("frame %s could not be judged", seen.frame.index)
                said = "A picture could not be judged; see the log. The next one is tried."
                self._tell(seen.turn, moment=unseen(self.moment), notices=(said,))
            else:
                self._publish(seen, moment)
            self._close_dismissed(seen.referee)

    def _close_dismissed(self, at_work: Refereeing) -> None:
        """Those that no frame goes to any more let go of what they run beside."""
        with self._lock:
            over = [r for r in self._dismissed if r is not at_work] if at_work is self._referee else []
            self._dismissed = [r for r in self._dismissed if r not in over]
        for referee in over:
            referee.close()

    def _mind_silence(self) -> None:
        """Says so when no pictures come although the source has not ended."""
        last = self._snapshot
        silent = self.clock() - (self._last_frame_at or self._started_at)
        if last.state not in ("running", "lost") or silent < SILENCE:
            if last.state == "starting" and self.source.notice and self.source.notice != last.words:
                self._tell(words=self.source.notice)
            elif last.state == "running" and self.source.notice and self.source.notice not in last.notices:
                self._tell(notices=(self.source.notice, *last.notices))
            return
        said = self.source.notice or f"No picture from {self.source.name} for a while; waiting for it."
        # A drawn table does not move by itself: it is only drawn slowly.
        moment = last.moment if self.can_move else unseen(last.moment)
        if (last.state, last.words) != ("lost", said) or moment is not last.moment:
            self._tell(state="lost", words=said, moment=moment)

    def _publish(self, seen: _Seen, moment: Moment) -> None:
        if seen.turn != self._turn:
            return
        now = self.clock()
        if self._began is None or moment.time < self._began or seen.referee is not self._began_with:
            self._began, self._began_with = moment.time, seen.referee
        self._last_frame_at = now
        self._seen_at.append(now)
        self._pace.seen(now)
        while self._seen_at and self._seen_at[0] < now - RATE_WINDOW:
            self._seen_at.popleft()
        span = now - self._seen_at[0]
        fps = (len(self._seen_at) - 1) / span if span > 0 else 0.0
        began = self._began
        events = tuple(self._breaks(seen, moment.time)) + moment.events
        fresh = tuple(NumberedEvent(0, e, max(0.0, e.time - began)) for e in events)
        keeper = self._keeper
        self._tell(
            seen.turn,
            moment=moment,
            arrived=seen.arrived,
            state="running",
            words=f"Watching {self.source.name}.",
            fps=fps,
            seeing=now - seen.arrived,
            notices=(
                *(n for n in (self.remark, self.source.notice, self._pace.words) if n),
                *(() if keeper is None else keeper.notices),
                *moment.notices,
            ),
            new_events=fresh if keeper is None else (),
        )
        if keeper is not None:
            keeper.keep(moment, seen.referee.table, events, partial(self._tell_kept, fresh))

    def _tell_kept(self, fresh: Sequence[NumberedEvent], numbers: Sequence[int]) -> None:
        """Tells events that are safe now, with their numbers in the record."""
        entries: Sequence[int | None] = numbers or [None] * len(fresh)
        self._tell(new_events=[replace(e, entry=n) for e, n in zip(fresh, entries, strict=True)])

    def _breaks(self, seen: _Seen, at: float) -> Iterator[TableEvent]:
        """What was not seen since the last moment: a change of source, gaps in one."""
        if self._instead is not None:
            (before, last), self._instead = self._instead, None
            blind = "" if last is None else f" Nothing was seen for {max(0.0, seen.arrived - last):.1f} s."
            yield TableEvent(
                at, "source", None, f"Now watching {self.source.name} instead of {before}.{blind}"
            )
        while self._gaps:
            yield TableEvent(at, "gap", None, self._gaps.popleft())

    # Telling

    def _tell(
        self,
        turn: int | None = None,
        *,
        moment: Moment | None = None,
        arrived: float | None = None,
        state: SourceState | None = None,
        words: str | None = None,
        fps: float | None = None,
        seeing: float | None = None,
        notices: tuple[str, ...] | None = None,
        new_events: Iterable[NumberedEvent] = (),
    ) -> None:
        """Makes a new snapshot of the last one and what is new, and wakes the watchers.

        What comes of a `turn` that is over is not told.
        """
        with self._lock:
            if turn not in (None, self._turn):
                return
            last = self._snapshot
            if moment is not None and last.state in ("ended", "stopped"):
                # A frame that was under way when the source ended does not bring it back to life.
                state, words, fps = last.state, last.words, 0.0
            for event in new_events:
                self._event_number += 1
                self._events.append(replace(event, number=self._event_number))
            idle = state is not None and state != "running"
            self._snapshot = Snapshot(
                number=last.number + 1,
                moment=last.moment if moment is None else moment,
                arrived=last.arrived if arrived is None else arrived,
                state=last.state if state is None else state,
                words=last.words if words is None else words,
                fps=(0.0 if idle else last.fps) if fps is None else fps,
                seeing=last.seeing if seeing is None else seeing,
                notices=last.notices if notices is None else notices,
                events=tuple(self._events),
            )
            watchers = tuple(self._watchers)
        for wake in watchers:
            wake()
