"""Reads one recorded game: its entries, where everything stood at any time, how the camera hung.

All times are the game's own, seconds since it began (`Recorded.at_s`).
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, Row, Select, or_, select

from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.space.table import PoseUncertainty, Standing, TableState, never_placed, without_gone
from server.recording.calibrations import unpack_surface
from server.recording.chain import Checked, check
from server.recording.errors import NoSuchPart, database_errors
from server.recording.journal import Recorded
from server.recording.library import schema
from server.recording.library.records import (
    GONE_OPEN,
    SET_UP,
    UNSEEN_OPEN,
    GameRecord,
    Newest,
    entry_of,
    newest_of,
)
from server.recording.outlined import OUTLINED, THINGS, Numbered, Unknown, unknown_of
from server.recording.pictures.stills import NEAR_S, Stills
from server.recording.pictures.video import Segment, picture_at, segments
from server.recording.tracks import (
    PER_SECOND,
    Fix,
    Tracks,
    quanta,
    standing_of,
    unpack,
    unpack_uncertainty,
)
from vision.frame import Image

SECRET = "secret.choice"
"""The kind of entries that hold what a player chose in secret."""

AT_ONCE = 1000
"""Rows fetched at a time: a game of 100,000 entries is never in memory as a whole."""

NUMBERS_KEPT = 3_000_000
"""Numbers in the blocks of a game that are kept unpacked, 24 MB: a short game's stay as a whole."""

BLOCKS_AT_ONCE = 64
DEVIATIONS_KEPT = 4096

HALF = 0.5 / PER_SECOND
"""Seconds by which the time of a frame may be rounded down: half a quantum."""


class Reader:
    """One game, recorded or still being recorded. May be used from any thread.

    `game` is what was known of it when it was opened.
    """

    def __init__(self, engine: Engine, where: str, game: GameRecord, pictures: Path) -> None:
        self.game = game
        self._stills = Stills(pictures / "stills")
        self._video = pictures / "video"
        self._table_of: tuple[int, TableFile] = (-1, game.table)
        # What nobody knew of the table from which time on, as far as entries were read: to which number and
        # time.
        self._unnamed: list[tuple[float, Unknown]] = []
        self._unnamed_read: tuple[int, float] = (0, -1.0)
        self._reading = threading.Lock()
        self._engine = engine
        self._where = where
        self._kept = _Kept()
        self._uncertainty = lru_cache(DEVIATIONS_KEPT)(self._deviation)

    @property
    def table(self) -> TableFile:
        """The table file as it was at last, with what was outlined during the game."""
        known = len(self._numbered.pieces)
        if self._table_of[0] != known:
            self._table_of = known, replace(self.file_at(float("inf")), pieces=self._numbered.newest)
        return self._table_of[1]

    def file_at(self, at_s: float) -> TableFile:
        """The table file by which the game was refereed at this time."""
        return self._numbered.file_at(at_s + HALF) or self.game.table

    @cached_property
    def _numbered(self) -> Numbered:
        numbered = Numbered(self.game.table.pieces)
        numbered.read(self.entries((OUTLINED, SET_UP)))
        return numbered

    def _knowing(self, tracks: Tracks) -> Numbered:
        """The pieces that tracks name; what a game that goes on has outlined meanwhile is read anew."""
        if any(k >= len(self._numbered.pieces) for k in tracks.frames):
            self.__dict__.pop("_numbered", None)
        return self._numbered

    def _unknown_at(self, now_s: float) -> Unknown:
        """What nobody knew of the table; of a game that goes on, what came meanwhile is read as well."""
        with self._reading:
            last, until = self._unnamed_read
            if now_s > until:
                until = max(now_s, self.duration)
                for entry in self.entries((THINGS, SET_UP), after=last):
                    if entry.kind == THINGS:
                        self._unnamed.append((entry.at_s, unknown_of(entry.data)))
                    else:
                        self.__dict__.pop("_numbered", None)
                    last = entry.number
                self._unnamed_read = last, until
            found = bisect_right(self._unnamed, now_s + HALF, key=itemgetter(0))
            return self._unnamed[found - 1][1] if found else Unknown()

    @property
    def newest(self) -> Newest:
        """How far the game has come by now."""
        with database_errors(self._where), self._engine.connect() as connection:
            return newest_of(connection, self.game.id)

    @property
    def duration(self) -> float:
        """Seconds of the game's own time from its beginning to the last that is kept of it."""
        return self.newest.at_s

    # What happened

    def entries(
        self, kinds: Collection[str] = (), *, after: int = 0, until: int | None = None
    ) -> Iterator[Recorded]:
        """The entries in their order, from the number `after` (without it) to `until` (with it).

        `kinds` chooses: "camera.settled" that kind, "camera." all that begin so. What was chosen in secret
        (`SECRET`) is told only to who asks for it by its kind: to go on with the game.
        """
        e = schema.entry.c
        asked = select(schema.entry).where(e.game == self.game.id)
        if SECRET not in kinds:
            asked = asked.where(e.kind != SECRET)
        if kinds:
            asked = asked.where(or_(*(_of_kind(k) for k in kinds)))
        if until is not None:
            asked = asked.where(e.number <= until)
        while True:
            found = [
                entry_of(row._mapping)
                for row in self._rows(asked.where(e.number > after).order_by(e.number), AT_ONCE)
            ]
            yield from found
            if len(found) < AT_ONCE:
                return
            after = found[-1].number

    def checked(self, at: int | None = None) -> Checked:
        """Whether all entries, or those up to the number `at`, are as they were when they were written."""
        e = schema.entry.c
        asked = select(schema.entry).where(e.game == self.game.id).order_by(e.number)
        with database_errors(self._where), self._engine.connect() as connection:
            return check((r._asdict() for r in connection.execute(asked).yield_per(AT_ONCE)), at)

    def entry(self, number: int) -> Recorded:
        """One entry by its number; a clear error if there is none."""
        found = next(self.entries(after=number - 1, until=number), None)
        if found is None:
            raise NoSuchPart(f"game {self.game.id} has {self.newest.entry} entries, and no number {number}")
        return found

    # Where everything stood

    def table_at(self, at_s: float) -> TableState:
        """The table as the referee saw it last at this time, to 0.001 inch and 0.0001 radian.

        `TableState.time` is that of the frame; it, `since` and `seen_at` are the game's own time.
        Always the same, on every machine. Before anything was seen the table is empty.
        """
        b = schema.block.c
        asked = (
            select(b.number)
            .where(b.game == self.game.id, b.begins_s <= quanta(at_s, PER_SECOND) / PER_SECOND)
            .order_by(b.begins_s.desc(), b.number.desc())
        )
        found = self._rows(asked, 1)
        if not found:
            return TableState(0.0, self.table.surface, ())
        tracks = self._tracks(found[0].number)
        return self._table(tracks, tracks.frame_at(at_s))

    def tables(self, begins_s: float = 0.0, ends_s: float = float("inf")) -> Iterator[TableState]:
        """The table at every frame in this time, in order: what a replay goes through."""
        for tracks in self._blocks(begins_s, ends_s):
            for frame, at in enumerate(tracks.times.tolist()):
                if begins_s <= at / PER_SECOND <= ends_s:
                    yield self._table(tracks, frame)

    def times(self, begins_s: float = 0.0, ends_s: float = float("inf")) -> Iterator[float]:
        """The times of all frames in this time, in order."""
        for tracks in self._blocks(begins_s, ends_s):
            for at in tracks.times.tolist():
                if begins_s <= at / PER_SECOND <= ends_s:
                    yield at / PER_SECOND

    def track(
        self, name: str, begins_s: float = 0.0, ends_s: float = float("inf")
    ) -> Iterator[tuple[float, Standing]]:
        """One piece through time: each time at which something of it changed, and how it stood then."""
        last: list[int] = []
        known = self._numbered.pieces
        if all(p.name != name for p in known):
            names = ", ".join(piece.name for piece in self.table.pieces)
            raise NoSuchPart(f"no piece called {name!r} is in game {self.game.id}; there are: {names}")
        for tracks in self._blocks(begins_s, ends_s):
            for index, piece in enumerate(self._knowing(tracks).pieces):
                if piece.name != name or index not in tracks.frames:
                    continue
                times = tracks.times[tracks.frames[index]].tolist()
                for now, row in zip(times, tracks.rows[index].tolist(), strict=True):
                    if row != last and begins_s <= now / PER_SECOND <= ends_s:
                        last, fix = row, Fix(*row)
                        yield now / PER_SECOND, standing_of(fix, piece, self._uncertainty(fix.deviation), now)

    def surface_at(self, at_s: float) -> Surface | None:
        """How the camera hung over the table at this time, with its lens; None before it was known."""
        c = schema.calibration.c
        asked = select(c.data).where(c.game == self.game.id).order_by(c.at_s.desc(), c.number.desc())
        found = self._rows(asked.where(c.at_s <= at_s), 1)
        return unpack_surface(found[0].data) if found else None

    # What it looked like

    def still_at(self, number: int) -> bytes | None:
        """The still of an entry, JPEG; None if none was kept."""
        return self.still_near(self.entry(number).at_s)

    def still_near(self, at_s: float) -> bytes | None:
        """The still that shows this time best, JPEG; None if none does."""
        path = self._stills.nearest(at_s)
        # One that a power cut has left without contents shows nothing.
        return None if path is None else path.read_bytes() or None

    def stills(self) -> list[float]:
        """The times of all stills, in order."""
        return self._stills.times()

    def segments(self) -> tuple[Segment, ...]:
        """The video, in order: each a file that a browser plays."""
        return segments(self._video)

    def frame_at(self, at_s: float) -> Image | None:
        """The video's picture at this time, BGR, shape (h, w, 3); None where there is no video."""
        for segment in reversed(self.segments()):
            if segment.begins_s <= at_s <= segment.ends_s + NEAR_S:
                return picture_at(segment, at_s)
        return None

    def _table(self, tracks: Tracks, frame: int) -> TableState:
        now = int(tracks.times[frame])
        fixes = tracks.at(frame)
        unknown = self._unknown_at(now / PER_SECOND)
        numbered, file = self._knowing(tracks), self.file_at(now / PER_SECOND)
        standings, pieces = numbered.told(
            {
                k: standing_of(fixes[k], piece, self._uncertainty(fixes[k].deviation), now)
                for k, piece in enumerate(numbered.pieces)
                if k in fixes
            },
            now / PER_SECOND + HALF,
        )
        # Older games were ruled as if what nobody had seen were not there, and are ruled again like that.
        counts = UNSEEN_OPEN.items() <= self.game.about.items()
        standings = without_gone(standings) if GONE_OPEN.items() <= self.game.about.items() else standings
        unplaced = never_placed(pieces, standings, unknown.twice, unknown.hideouts) if counts else ()
        return TableState(now / PER_SECOND, file.surface, standings, unplaced, *unknown)

    def _blocks(self, begins_s: float, ends_s: float) -> Iterator[Tracks]:
        b = schema.block.c
        asked = select(b.number).where(b.game == self.game.id, b.ends_s >= begins_s)
        if ends_s != float("inf"):
            asked = asked.where(b.begins_s <= ends_s)
        numbers = [row.number for row in self._rows(asked.order_by(b.number))]
        for k in range(0, len(numbers), BLOCKS_AT_ONCE):
            some = numbers[k : k + BLOCKS_AT_ONCE]
            packed = self._packed([number for number in some if number not in self._kept])
            for number in some:
                yield self._tracks(number, packed.get(number))

    def _tracks(self, number: int, packed: bytes | None = None) -> Tracks:
        """A block unpacked: what is kept of a game never changes, and is unpacked once."""
        found = self._kept.get(number)
        if found is None:
            packed = self._packed([number]).get(number, b"") if packed is None else packed
            found = self._kept.put(number, unpack(packed))
        return found

    def _packed(self, numbers: list[int]) -> dict[int, bytes]:
        """Read blocks as they are kept, by number."""
        b = schema.block.c
        if not numbers:
            return {}
        asked = select(b.number, b.data).where(b.game == self.game.id, b.number.in_(numbers))
        return {row.number: row.data for row in self._rows(asked)}

    def _deviation(self, number: int) -> PoseUncertainty:
        d = schema.deviation.c
        found = self._rows(select(d.data).where(d.game == self.game.id, d.number == number), 1)
        # A block may name one that is not there.
        return unpack_uncertainty(found[0].data if found else b"")

    def _rows(self, asked: Select[Any], limit: int | None = None) -> list[Row[Any]]:
        with database_errors(self._where), self._engine.connect() as connection:
            return list(connection.execute(asked.limit(limit)))


def _of_kind(kind: str) -> Any:
    column = schema.entry.c.kind
    return column.startswith(kind, autoescape=True) if kind.endswith(".") else column == kind


class _Kept:
    """Blocks that were unpacked, those that were asked for last; may be used from any thread."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, Tracks] = OrderedDict()
        self._numbers = 0
        self._lock = threading.Lock()

    def __contains__(self, number: int) -> bool:
        """Whether a block is at hand."""
        return number in self._blocks

    def get(self, number: int) -> Tracks | None:
        """Give a block; None where it is not at hand."""
        with self._lock:
            found = self._blocks.get(number)
            if found is not None:
                self._blocks.move_to_end(number)
            return found

    def put(self, number: int, tracks: Tracks) -> Tracks:
        """Keep a block, and let those go that were asked for least lately."""
        with self._lock:
            if number not in self._blocks:
                self._blocks[number] = tracks
                self._numbers += tracks.size
            while self._numbers > NUMBERS_KEPT and len(self._blocks) > 1:
                self._numbers -= self._blocks.popitem(last=False)[1].size
        return tracks
