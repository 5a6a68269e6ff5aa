"""Records a table while it is watched: hands on what happened once it is on the disk, never waits for it.

The seeing thread hands in moments (`Recorder.keep`) and goes on at once. One thread writes: entries
and tracks first, then stills; another, at a low priority, encodes the video. The queue between them
may thin out pictures, never events. Whatever the disk does, the game goes on: see `Journal`.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from calibration.table_text import same_but_outlined
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.space.table import TableState
from server.formats.entries import Entry
from server.pipeline.referee import Moment, TableEvent
from server.pipeline.runner import LatestValue
from server.recording.blocks import Beside
from server.recording.chain import Head
from server.recording.errors import LibraryError, StorageTrouble
from server.recording.journal import Recorded
from server.recording.library.games import Library, LibraryPlace
from server.recording.library.records import (
    PLAYED_OUT,
    RESUMED,
    RULED_NOW,
    SET_UP,
    STOPPED,
    GameRecord,
)
from server.recording.outlined import OUTLINED, THINGS
from server.recording.pictures.video import VideoWish
from server.recording.session import Session
from server.recording.spool import recover
from vision.frame import Frame

log = logging.getLogger("tableref.recording")

NICE = 10
"""By how much the system prefers everybody else, where it can."""


class Filming:
    """Takes the newest picture when the next one is due, and lets fall what comes too fast."""

    def __init__(self) -> None:
        self._slot: LatestValue[tuple[Session, Frame, float]] = LatestValue()
        self._one = threading.Lock()
        self._news = threading.Condition()
        self._offered = self._done = 0
        self._thread = threading.Thread(target=self._run, name="tableref-films", daemon=True)

    def start(self) -> None:
        """Begins to encode."""
        self._thread.start()

    def stop(self) -> None:
        """Ends after the picture under way."""
        self._slot.close()
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)

    def offer(self, session: Session, frame: Frame, at_s: float) -> None:
        """A picture for the video, if the next one is due; returns at once."""
        if session.film is not None and session.film.due(at_s):
            self._offered += 1
            self._slot.put((session, frame, at_s))

    def flush(self) -> None:
        """Waits until no picture that was offered is still on its way."""
        with self._news:
            self._news.wait_for(lambda: self._offered <= self._done + self._slot.dropped)

    def end(self, session: Session) -> None:
        """Makes a session's last segment whole."""
        with self._one:
            session.end_film()

    def _run(self) -> None:
        if sys.platform == "linux":
            # A thread's own priority; elsewhere this would be the whole process's.
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while not self._slot.closed:
            taken = self._slot.take()
            if taken is None:
                continue
            session, frame, at_s = taken
            try:
                with self._one:
                    session.keep_picture(frame, at_s)
            except Exception:
                log.exception("a picture could not be put into the video")
            finally:
                with self._news:
                    self._done += 1
                    self._news.notify_all()


# The recorder

PATIENCE_S = 5.0
"""How long an event waits for a disk that does not answer before it is told all the same."""

STILLS_WAITING = 6
"""So many pictures may wait to be written; of further events the still is left out."""

RESUMED_WITHIN = timedelta(hours=12)
"""A game that was stopped or cut off longer ago is over."""

LOOK_EVERY_S = 0.5

USUAL = VideoWish()

BEGINS, ENDS, SETS_UP = "match.", "play.end", "play.setup"
"""Entries of this kind say that a game is being played; that one, that it has been put away; or is set up."""

STANDS = (SETS_UP, "play.modes", "play.seat")
"""Kinds of what stands until it is said anew, and goes along into the next record."""

BRIEF_S = 60.0
"""Seconds: what was watched for less, while nobody asked anything, before the table was another: no game."""

WAITS = "tableref was stopped; the game can go on."
PLAYED = "tableref was stopped; the game was over."
GOES_ON = "tableref goes on with this game."

Told = Callable[[Sequence[int]], None]


@dataclass(eq=False)
class _Job:
    """What is to be written, and who is told then."""

    session: Session
    entries: Sequence[Recorded]
    beside: Sequence[Beside]
    told: Told | None = None
    frame: Frame | None = None
    at_s: float = 0.0
    since: float = 0.0
    done: threading.Event = field(default_factory=threading.Event)

    def tell(self) -> None:
        """Tells once."""
        told, self.told = self.told, None
        self.done.set()
        if told is not None:
            told([e.number for e in self.entries])


class Recorder:
    """Records whatever is played at one table, game after game, into a library.

    `where` is the library as typed (see `Library.open`); `table` the table file at the beginning;
    `about` what is to be known of this machine and source. A game begins with the first thing that
    happens. With `resume` a game that was stopped or cut off at this table goes on. `said` tells people at
    the start what was found.
    """

    def __init__(
        self,
        where: str | Path | None,
        table: TableFile | None = None,
        *,
        video: VideoWish | None = USUAL,
        about: Mapping[str, Any] | None = None,
        resume: bool = True,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
        real: Callable[[], float] = time.monotonic,
    ) -> None:
        self.place = LibraryPlace.of(where)
        self._table = table
        self._wish = video
        self._about = dict(about or {})
        self._resume = resume
        self._wall = wall
        self._real = real
        self._library: Library | None = None
        self._session: Session | None = None
        self._stands: dict[tuple[str, Any], Entry] = {}
        self._lock = threading.RLock()
        self._queue: deque[_Job] = deque()
        self._news = threading.Condition()
        self._busy_since: float | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="tableref-records", daemon=True)
        self._filming = Filming()
        self.said: list[str] = []
        self.over: Callable[[], bool] = lambda: False
        """Whether the match that is played has come to its end: it may still be taken back."""

    # Beginning and ending

    def start(self) -> None:
        """Opens the library, goes on with a game that is not over, and begins to write.

        Raises `LibraryError` for a library that can never be written into (of a newer version,
        damaged); one that merely cannot be now is tried again.
        """
        try:
            library = self._opened()
        except StorageTrouble as error:
            self.said.append(f"The games cannot be recorded yet: {error}.")
        else:
            self.said += recover(library)
            if self._resume and self._table is not None:
                try:
                    self._go_on(library, self._table)
                except StorageTrouble as error:
                    self.said.append(f"A game that was not over cannot go on: {error}. A new one begins.")
        self._thread.start()
        self._filming.start()

    def _opened(self) -> Library:
        if self._library is not None and self._library.gone:
            self._library.close()
            self._library = None
        if self._library is None:
            self._library = Library.open(self.place)
        return self._library

    def _go_on(self, library: Library, table: TableFile) -> None:
        """Takes up the game that is not over at this table; one that is too old or unlike is."""
        game = _not_put_away(library, table.name)
        if game is None:
            return
        last = next(library.reader(game.id).entries(after=max(0, game.entries - 1)), None)
        since = self._wall() - (game.began if last is None else last.wall)
        texts = [str(e.data.get("table_file")) for e in library.reader(game.id).entries((SET_UP,))]
        known = any(same_but_outlined(text, table.text) for text in (game.table_text, *texts))
        if since > RESUMED_WITHIN or not known:
            library.finish(game.id, game.began if last is None else last.wall)
            return
        self._session = Session.resumed(
            library, game, self._wish, opened=self._opened, wall=self._wall, real=self._real
        )
        self._session.read(self.entries((OUTLINED, THINGS, SET_UP)))
        self._session.under_way = self._played()
        for e in self.entries(STANDS):
            self._stand(Entry(e.kind, None, e.words, e.data, e.actor))
        # Whatever comes now, this game has not been stopped any more.
        self._put(self._session, self._session.journal.stamp([Entry(RESUMED, None, GOES_ON)]), ())
        how = "stopped" if game.stopped or game.played_out else "cut off"
        self.said.append(f"Game {game.id} goes on where it was {how}.")

    def _stand(self, entry: Entry) -> None:
        """Keeps in mind what stands from now on: a seat for each player."""
        if entry.kind in STANDS:
            self._stands[entry.kind, entry.data.get("player")] = entry

    def _waits(self, session: Session) -> bool:
        """Whether a record goes on once tableref is started again: a match is played, or set up."""
        return session.under_way or any(kind == SETS_UP for kind, _ in self._stands)

    def _played(self) -> bool:
        under_way = False
        for entry in self.entries((BEGINS, ENDS)):
            under_way = entry.kind != ENDS
        return under_way

    def stop(self) -> None:
        """Writes what is left, and ends the game unless one is being played or set up."""
        with self._lock:
            session, self._session = self._session, None
            if session is not None:
                done = session.under_way and self.over()
                how = Entry(PLAYED_OUT, None, PLAYED) if done else Entry(STOPPED, None, WAITS)
                waits = [how] if self._waits(session) else []
                self._put(session, session.journal.stamp(waits), session.block())
        with self._news:
            self._stopping = True
            self._news.notify_all()
        self._filming.stop()
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)
        if session is not None:
            self._close(session, not self._waits(session))
        if self._library is not None:
            self._library.close()

    def _close(self, session: Session, over: bool, last: _Job | None = None, brief: bool = False) -> None:
        """Ends a game's recording, after the last that is to be written of it; a `brief` one is not kept."""
        if last is not None:
            last.done.wait(2 * PATIENCE_S)
        self._filming.end(session)
        left = session.close(over)
        if left:
            self.said.append(left)
        elif brief and self._library is not None:
            try:
                self._library.delete(session.game.id)
            except LibraryError as error:
                log.warning("a game of %.0f s stays: %s", session.journal.clock.now, error)

    # What others ask

    @property
    def game(self) -> GameRecord | None:
        """The game that is being recorded, None between games."""
        session = self._session
        return None if session is None else session.game

    @property
    def library(self) -> Library | None:
        """The library, None while it cannot be opened."""
        return self._library

    @property
    def now_s(self) -> float:
        """The game's own time now."""
        session = self._session
        return 0.0 if session is None else session.journal.clock.now

    @property
    def head(self) -> Head:
        """The newest link of the game's record, as far as it is in the library."""
        session = self._session
        return Head() if session is None else session.head

    @property
    def notices(self) -> tuple[str, ...]:
        """What people should know of the recording: sentences, none while all is well."""
        session, busy = self._session, self._busy_since
        said = []
        if busy is not None and self._real() - busy > PATIENCE_S:
            said.append(
                f"The disk has not answered for {self._real() - busy:.0f} s. The game goes on, and what "
                "happens is kept until it does."
            )
        if session is not None:
            said += [n for n in (session.journal.trouble, session.rebuilt, session.trouble) if n]
        return tuple(said)

    def entries(self, kinds: Sequence[str] = ()) -> Iterator[Recorded]:
        """What the game that goes on holds already, in order: for whoever takes it up."""
        session, library = self._session, self._library
        if session is not None and library is not None and session.journal.last:
            held = session.journal.held
            yield from library.reader(session.game.id).entries(
                kinds, until=held[0].number - 1 if held else None
            )
            yield from (e for e in held if not kinds or any(map(e.kind.startswith, kinds)))

    # What is handed in

    def keep(
        self,
        moment: Moment,
        table: TableFile | None,
        events: Sequence[TableEvent],
        told: Told,
    ) -> None:
        """Takes a moment from the seeing thread and returns at once.

        `told` is called once the events are safe, with their numbers; from another thread. Without
        events it is never called.
        """
        self._mind_the_disk()
        with self._lock:
            session = self._for(table or self._table, bool(events))
            if session is None:
                if events:
                    told(())
                return
            at_s = session.journal.clock.see(moment.time)
            set_up = session.set_up(table, moment.time)
            session.read(set_up)
            untagged = set_up + session.unknown(moment.table, moment.time)
            beside = session.see(moment, at_s, cut=bool(events or untagged))
            if untagged:
                self._put(session, session.journal.stamp(untagged), ())
            if events:
                batch = [as_entry(event, moment.table) for event in events]
                frame = moment.frame if len(self._queue) < STILLS_WAITING else None
                self._put(session, session.journal.stamp(batch), beside, told, frame, at_s)
            elif beside:
                self._put(session, [], beside)
        self._filming.offer(session, moment.frame, at_s)

    def append(self, batch: Sequence[Entry]) -> tuple[int, ...]:
        """Keeps what a match, a ruling or a dispute says; returns when it is safe."""
        return self.begin(batch)()

    def begin(self, batch: Sequence[Entry]) -> Callable[[], tuple[int, ...]]:
        """Takes a batch in its order and returns at once; what it returns waits until it is safe.

        Batches that were begun while the disk was at work go there together, in the next write.
        """
        if not batch:
            return tuple
        with self._lock:
            session = self._for(self._table, begin=True)
            if session is None:
                raise TableRefError("nothing can be recorded before a table is known: set one up")
            session.read(batch)
            new = session.journal.stamp(batch)
            frame, at_s = session.newest if len(self._queue) < STILLS_WAITING else (None, 0.0)
            job = self._put(session, new, session.block(), None, frame, at_s)
            session.told = True
            for entry in batch:
                session.under_way = entry.kind.startswith(BEGINS) or (
                    session.under_way and entry.kind != ENDS
                )
                self._stand(entry)
            over = any(entry.kind == ENDS for entry in batch)
            if over:
                self._session = None
                self._stands.clear()
        return partial(self._safe, job, over)

    def _safe(self, job: _Job, over: bool) -> tuple[int, ...]:
        """Waits until a batch is on the disk, or elsewhere where that does not answer; ends what is over."""
        if not job.done.wait(PATIENCE_S):
            job.session.spool.add(job.entries)
        if over:
            self._close(job.session, True, job)
        return tuple(e.number for e in job.entries)

    def flush(self) -> None:
        """Waits until all that was handed in so far has been written and filmed."""
        with self._news:
            self._news.wait_for(lambda: not self._queue)
        self._filming.flush()

    def _for(self, table: TableFile | None, begin: bool) -> Session | None:
        """The session of this table; another one's ends, and a new one begins if it is to.

        A match that is played goes on in its record, whatever is said anew of the table meanwhile.
        """
        session, ended, last = self._session, None, None
        if session is not None and table is not None and not (session.under_way or session.is_of(table)):
            ended, session, self._session = session, None, None
            last = self._put(ended, [], ended.block())
        if session is None and begin and table is not None and table.text:
            game = GameRecord.new(
                table.text, lens=table.lens, about=self._about | RULED_NOW, began=self._wall()
            )
            session = Session.new(
                self._opened, game, self.place, self._wish, wall=self._wall, real=self._real
            )
            self._session = session
            if self._stands:
                last = self._put(session, session.journal.stamp(list(self._stands.values())), ())
        if ended is not None:
            # While a table is set up it is another one with each piece that is named: that is no game. What
            # goes along from it is written first.
            brief = not ended.told and ended.journal.clock.now < BRIEF_S
            threading.Thread(target=self._close, args=(ended, True, last, brief), daemon=True).start()
        self._table = table or self._table
        return session

    # Writing

    def _put(
        self,
        session: Session,
        entries: Sequence[Recorded],
        beside: Sequence[Beside],
        told: Told | None = None,
        frame: Frame | None = None,
        at_s: float = 0.0,
    ) -> _Job:
        job = _Job(session, entries, beside, told, frame, at_s, self._real())
        with self._news:
            self._queue.append(job)
            self._news.notify_all()
        return job

    def _mind_the_disk(self) -> None:
        """What has waited too long for the disk is kept elsewhere and told."""
        busy = self._busy_since
        if busy is None or self._real() - busy < PATIENCE_S:
            return
        for job in tuple(self._queue):
            if job.told is not None and self._real() - job.since > PATIENCE_S:
                job.session.spool.add(job.entries)
                job.tell()

    def _run(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._queue or self._stopping, LOOK_EVERY_S)
                jobs = list(self._queue)
                if not jobs and self._stopping:
                    return
            try:
                self._write(jobs)
            except Exception:
                # A mistake here must not end the recording of everything after it.
                log.exception("%d entries could not be recorded", sum(len(j.entries) for j in jobs))
                for job in jobs:
                    job.tell()
            with self._news:
                for _ in jobs:
                    self._queue.popleft()
                self._news.notify_all()

    def _write(self, jobs: Sequence[_Job]) -> None:
        self._busy_since = self._real()
        try:
            for session in dict.fromkeys(job.session for job in jobs):
                mine = [job for job in jobs if job.session is session]
                session.journal.write(
                    [e for job in mine for e in job.entries], [b for job in mine for b in job.beside]
                )
        finally:
            self._busy_since = None
        for job in jobs:
            job.tell()
        for job in jobs:
            if job.frame is not None:
                job.session.keep_still(job.frame, job.at_s)
                job.frame = None
        session_now = self._session
        if not jobs and session_now is not None:
            session_now.look_after()


def _not_put_away(library: Library, table_name: str) -> GameRecord | None:
    """The game at a table that is not over; one that was put away is, though nothing could be marked then."""
    while (game := library.unfinished(table_name)) is not None:
        end = next(library.reader(game.id).entries((ENDS,)), None)
        if end is None:
            return game
        library.finish(game.id, end.wall)
    return None


def as_entry(event: TableEvent, table: TableState) -> Entry:
    """What the camera saw as an entry, with where the piece stands: inches and radians."""
    data: dict[str, Any] = {}
    if event.piece is not None:
        data["piece"] = event.piece
        standing = next((s for s in table.standings if s.name == event.piece), None)
        if standing is not None:
            sd = np.sqrt(np.maximum(np.diag(standing.uncertainty.total), 0.0))
            data |= {
                "x_in": round(standing.pose.x, 4),
                "y_in": round(standing.pose.y, 4),
                "heading_rad": round(standing.pose.heading, 5),
                "sd_in": round(float(sd[:2].max()), 5),
                "sd_rad": round(float(sd[2]), 5),
            }
    return Entry(f"camera.{event.kind}", event.time, event.words, data)
