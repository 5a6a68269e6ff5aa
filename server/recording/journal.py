"""What happened in one game, in order, each on the disk before anybody is told.

An `Entry` is what is to be kept; `Recorded` is the same with its number (1, 2, 3 … without
gaps, game by game) and its times. Order is by number, whatever a clock does.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from queue import SimpleQueue
from typing import Any, Protocol

from calibration.table_text import in_short
from engine.errors import TableRefError
from server.formats.entries import Entry
from server.recording.blocks import Beside
from server.recording.errors import LibraryError

RETRY_S = 2.0
"""Seconds after which what could not be written is tried again."""

LEAP_S = 5.0
"""A source's clock that leaps ahead of real time by more than this has become another one."""


@dataclass(frozen=True)
class Recorded:
    """An entry as it is kept.

    `at_s` is the game's own time: seconds since the game began, going on where it was after a
    restart. `source_s` is the source's clock then; `wall` the date and hour. None of them steps back, so what
    was seen earlier than what was told before it has the time of that.
    """

    number: int
    kind: str
    at_s: float
    source_s: float | None
    wall: datetime
    words: str
    data: Mapping[str, Any]
    actor: str | None


class Writes(Protocol):
    """What puts entries on the disk: `server.recording.library.games.GameWriter`."""

    def write(self, entries: Sequence[Recorded], beside: Sequence[Beside] = ()) -> None:
        """All of them or none, durable on return; `StorageTrouble` if that cannot be now."""
        ...

    def close(self) -> None:
        """Lets the game go."""
        ...


class GameClock:
    """The game's own time from the source's: it begins at 0, never runs back, and goes on after a restart.

    A source's clock may begin anywhere, begin anew (a clip that goes round) or be another
    source's: then the game's time goes on by the real time that has passed.
    """

    def __init__(self, begins_s: float = 0.0, real: Callable[[], float] = time.monotonic) -> None:
        self._real = real
        self._now = begins_s
        self._offset: float | None = None
        self._source = 0.0
        self._real_at = 0.0

    @property
    def now(self) -> float:
        """The game's time at the newest moment."""
        return self._now

    def see(self, source_s: float) -> float:
        """The game's time of a moment, in seconds; moments come in order."""
        real = self._real()
        passed = real - self._real_at
        gone = source_s - self._source
        if self._offset is None:
            self._offset = self._now - source_s
        elif gone < 0.0 or gone > passed + LEAP_S:
            self._offset = self._now + min(max(passed, 0.0), 3600.0) - source_s
        self._source, self._real_at = source_s, real
        self._now = max(self._now, source_s + self._offset)
        return self._now

    def at(self, source_s: float | None) -> float:
        """The game's time of a time of the source's clock; of None the newest."""
        if source_s is None or self._offset is None:
            return self._now
        return max(0.0, source_s + self._offset)


class Beneath:
    """A thread that does one thing after the other, beside whoever asks. The process ends without it."""

    def __init__(self, name: str) -> None:
        self._todo: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def do(self, what: Callable[[], bool]) -> Callable[[], bool]:
        """Begins it; what it returns waits, and gives what came of it or raises what it raised."""
        found: Future[bool] = Future()

        def done() -> None:
            try:
                found.set_result(what())
            except BaseException as error:
                # It is whoever waits who has to hear of it.
                found.set_exception(error)

        self._todo.put(done)
        return found.result

    def end(self) -> None:
        """Nothing more comes."""
        self._todo.put(None)

    def _run(self) -> None:
        while (what := self._todo.get()) is not None:
            what()


class Journal:
    """Keeps the entries of one game. May be used from any thread.

    `append` returns when its batch is on the disk: in `copy`, a file beside the library, and in the library.
    When nothing can be written there, the batch is held (and in `spill`, a file elsewhere) and written as
    soon as that is possible again; `trouble` says so to people, also where it is in memory alone. `waiting`
    are entries of before that are not in the library yet. `last` is the number of the newest entry, `since`
    its date and hour: times never step back, whatever a clock does.
    """

    def __init__(
        self,
        writer: Writes,
        *,
        last: int = 0,
        since: datetime | None = None,
        clock: GameClock | None = None,
        spill: Spill | None = None,
        copy: Copy | None = None,
        waiting: Sequence[Recorded] = (),
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
        real: Callable[[], float] = time.monotonic,
    ) -> None:
        self.clock = clock or GameClock()
        self._written = last
        self.last = waiting[-1].number if waiting else last
        self._writer = writer
        self._spill = spill
        self._wall = wall
        self._real = real
        self._copy = copy
        self._at_s, self._since = self.clock.now if self.last else 0.0, since
        self._copier: Beneath | None = None
        self._lock = threading.Lock()
        self._order = threading.Lock()
        self._numbering = threading.Lock()
        self._waiting: list[Recorded] = list(waiting)
        self._unsafe = False
        self._beside: list[Beside] = []
        self._tried_at = -math.inf
        self._trouble: str | None = None

    @property
    def trouble(self) -> str | None:
        """Why entries wait to be written, in words for people; None while all are on the disk."""
        if self._trouble is not None and self._unsafe:
            return f"{self._trouble} What has happened since is in memory alone: do not stop tableref now."
        return self._trouble

    @property
    def waiting(self) -> int:
        """How many entries are not in the library yet."""
        return len(self._waiting)

    @property
    def held(self) -> tuple[Recorded, ...]:
        """The entries that are not in the library yet, in order."""
        with self._lock:
            return tuple(self._waiting)

    def append(self, batch: Sequence[Entry], beside: Sequence[Beside] = ()) -> tuple[int, ...]:
        """Keeps a batch, all of it or none, and returns its numbers."""
        with self._order:
            new = self.stamp(batch)
            self.write(new, beside)
        return tuple(r.number for r in new)

    def stamp(self, batch: Sequence[Entry]) -> list[Recorded]:
        """Gives a batch its numbers and times; it is to be written next. For whoever orders by itself."""
        for entry in batch:
            as_json(entry.data)
        with self._numbering:
            wall, first = self._wall(), self.last + 1
            # Neither a clock that was set back nor what was seen earlier and told later turns times round.
            self._since = wall = max(wall, self._since or wall)
            new = []
            for n, e in enumerate(batch, start=first):
                at_s = self.clock.at(e.time_s)
                later = max(0.0, self._at_s - at_s)
                self._at_s = at_s = at_s + later
                # Both alike: their difference says what the source's clock showed when the game began.
                source_s = None if e.time_s is None else e.time_s + later
                new.append(Recorded(n, e.kind, at_s, source_s, wall, e.words, dict(e.data), e.actor))
            self.last += len(batch)
        return new

    def write(self, new: Sequence[Recorded], beside: Sequence[Beside] = ()) -> None:
        """Writes what was stamped, in its order, or holds it until that is possible again."""
        with self._lock:
            # Both files at the same time: a slow disk is waited for once.
            copied = self._copying(new)
            if self._held and self._real() - self._tried_at < RETRY_S:
                self._waiting += new
                self._beside += beside
                written = False
            else:
                written = self._try(new, beside)
            if not copied() and new and not written:
                # All that waits: what was in memory alone may find room now.
                lost = self._waiting if self._unsafe else new
                self._unsafe = self._spill is not None and not self._spill.add(lost)

    def _copying(self, new: Sequence[Recorded]) -> Callable[[], bool]:
        """Begins to keep entries in the copy; what it returns waits for that, and says whether it is done."""
        copy = self._copy
        if copy is None or not new:
            kept = copy is not None and copy.add(new)
            return lambda: kept
        if self._copier is None:
            self._copier = Beneath("tableref-copies")
        return self._copier.do(lambda: copy.add(new))

    def retry(self) -> bool:
        """Tries to write what waits; True if nothing waits any more."""
        with self._lock:
            if self._held:
                self._try([], ())
            return not self._held

    def close(self) -> None:
        """Tries once more to write what waits, and lets the game go."""
        self.retry()
        self._writer.close()
        if self._copier is not None:
            self._copier.end()
        if self._copy is not None:
            self._copy.close()
        if self._spill is not None:
            self._spill.leave()

    @property
    def _held(self) -> bool:
        return bool(self._waiting or self._beside)

    def _try(self, new: Sequence[Recorded], beside: Sequence[Beside]) -> bool:
        """Writes what waits and what is new, or lets all of it wait."""
        # Held before it is tried: whatever goes wrong, no number is left out.
        self._waiting, self._beside = [*self._waiting, *new], [*self._beside, *beside]
        self._tried_at = self._real()
        try:
            self._writer.write(self._waiting, self._beside)
        except LibraryError as error:
            self._trouble = (
                f"The record waits: {error}. The game goes on, and all of it is written as soon as it can be."
            )
            return False
        if self._waiting:
            self._written = self._waiting[-1].number
        self._waiting, self._beside, self._unsafe = [], [], False
        if self._spill is not None:
            # Others may have put later ones there, which are still on their way to here.
            self._spill.clear(self._written)
        self._trouble = None
        return True


class Copy(Protocol):
    """A second journal beside the library."""

    def add(self, entries: Sequence[Recorded]) -> bool:
        """Keeps them, on the disk; False if that cannot be now."""
        ...

    def close(self) -> None:
        """Nothing more comes."""
        ...


class Spill(Protocol):
    """Where entries go for safety while the library cannot take them."""

    def add(self, entries: Sequence[Recorded]) -> bool:
        """Keeps them as well as it can; False if that is in memory alone. Never raises."""
        ...

    def clear(self, through: int) -> None:
        """All entries up to this number are in the library now."""
        ...

    def leave(self) -> None:
        """Nothing more comes; what is in it is brought back at the next start."""
        ...


def as_json(data: Mapping[str, Any]) -> str:
    """Plain JSON, small; a clear error for what is none.

    >>> as_json({"x": 1.5, "name": "Red 1"})
    '{"x":1.5,"name":"Red 1"}'
    """
    try:
        return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        got = in_short(repr(data))
        raise TableRefError(f"expected plain JSON values to be recorded but got {got}: {error}") from error


def in_words(wall: datetime) -> str:
    """A time of the wall clock as it is kept: UTC, to the microsecond.

    >>> in_words(datetime(2026, 5, 1, 20, 15, tzinfo=UTC))
    '2026-05-01T20:15:00.000000Z'
    """
    return wall.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_words(text: str) -> datetime:
    """The time that `in_words` wrote."""
    return datetime.fromisoformat(text).astimezone(UTC)


def record_of(entry: Recorded) -> dict[str, Any]:
    """An entry as JSON; `entry_from` reads it back exactly."""
    return {
        "number": entry.number,
        "kind": entry.kind,
        "at_s": entry.at_s,
        "source_s": entry.source_s,
        "wall": in_words(entry.wall),
        "words": entry.words,
        "data": dict(entry.data),
        "actor": entry.actor,
    }


def entry_from(record: Mapping[str, Any]) -> Recorded:
    """The entry that `record_of` wrote."""
    return Recorded(**{**record, "wall": from_words(record["wall"])})
