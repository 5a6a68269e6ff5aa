"""One game while it is recorded: its journal, its tracks, its pictures."""

from __future__ import annotations

import logging
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from calibration.table_text import same_but_outlined
from calibration.tablefile import TableFile
from engine.space.table import TableState
from server.formats.entries import Entry
from server.pipeline.referee import Moment
from server.recording.blocks import Beside
from server.recording.calibrations import CalibrationWatch
from server.recording.chain import Head
from server.recording.errors import LibraryError, LibraryGone, StorageTrouble
from server.recording.journal import GameClock, Journal, Recorded
from server.recording.library.games import GameWriter, Library, LibraryPlace
from server.recording.library.records import SET_UP, GameRecord, Newest, set_up_entry, set_up_of
from server.recording.outlined import THINGS, Unknown, unknown_entry, unknown_of
from server.recording.pictures.stills import Stills
from server.recording.pictures.video import VideoWish, VideoWriter, repair
from server.recording.spool import JournalFile, Spool, kept_after
from server.recording.tracks import BLOCK_S, TrackEncoder
from vision.frame import Frame

log = logging.getLogger("tableref.recording")

PICTURES_NEED = 500_000_000
"""Bytes that stay free on the disk: pictures stop there, so that events can go on."""

PICTURES_AGAIN_S = 10.0
"""Seconds after which pictures are tried again."""


class LateWriter:
    """Opens library and game when something is to be written, as often as it takes."""

    def __init__(
        self, opened: Callable[[], Library], game: GameRecord, writer: GameWriter | None = None
    ) -> None:
        self.library: Library | None = None if writer is None else opened()
        self._opened = opened
        self._game = game
        self._writer = writer
        self._was_gone = False
        self.rebuilt: str | None = None
        """What people should know of a library that was lost during the game."""

    def write(self, entries: Sequence[Recorded], beside: Sequence[Beside] = ()) -> None:
        """See `GameWriter.write`."""
        if self._writer is None:
            self._open(entries)
        assert self._writer is not None
        try:
            self._writer.write(entries, beside)
        except LibraryGone:
            self._writer.close()
            self._writer, self._was_gone = None, True
            raise

    def _open(self, entries: Sequence[Recorded]) -> None:
        library = self._opened()
        if not library.has(self._game.id):
            library.add(self._game)
        writer = library.writer(self._game.id)
        try:
            first = entries[0].number if entries else sys.maxsize
            older = kept_after(library.place, self._game.id, writer.newest.entry)
            writer.write([e for e in older if e.number < first])
        except LibraryError:
            writer.close()
            raise
        self._writer, self.library = writer, library
        if self._was_gone:
            self.rebuilt = (
                f"{library.words.capitalize()} was deleted or replaced during the game. All that "
                "happened is in it again; where pieces stood until then, and pictures, are not."
            )

    @property
    def head(self) -> Head:
        """The newest link of what is in the library."""
        return Head() if self._writer is None else self._writer.head

    def close(self) -> None:
        """Lets the game go."""
        if self._writer is not None:
            self._writer.close()


class Session:
    """A game under way. Whoever has it sees to it that `see` and `block` are not called at once.

    `newest` is the last picture with its time, `trouble` what keeps pictures from being kept,
    `under_way` whether a match is being played, `told` whether people have said or asked anything.
    """

    def __init__(
        self,
        game: GameRecord,
        writer: LateWriter,
        where: LibraryPlace,
        newest: Newest,
        wish: VideoWish | None,
        *,
        wall: Callable[[], datetime],
        real: Callable[[], float],
        copy: JournalFile | None = None,
    ) -> None:
        self.game = game
        self.under_way = False
        self.told = False
        self.newest: tuple[Frame | None, float] = (None, 0.0)
        self.trouble: str | None = None
        self.spool = Spool(where.words, game)
        self.copy = copy or JournalFile(where, game)
        waiting = kept_after(where, game.id, newest.entry)
        # What a crash may have cost lies between: nothing of it is written over.
        at_s = max([newest.at_s, *(e.at_s for e in waiting)])
        begins = at_s + BLOCK_S if newest.entry or waiting else 0.0
        self.journal = Journal(
            writer,
            last=newest.entry,
            since=waiting[-1].wall if waiting else newest.wall,
            waiting=waiting,
            copy=self.copy,
            clock=GameClock(begins, real),
            spill=self.spool,
            wall=wall,
            real=real,
        )
        self.pictures = where.pictures_of(game.id)
        self.film = None if wish is None else VideoWriter(self.pictures / "video", wish)
        self._stills = Stills(self.pictures / "stills")
        self._writer = writer
        self._real = real
        self._table = game.table
        self._encoder = TrackEncoder(self._table.pieces, newest.block, newest.deviation)
        self._unknown = Unknown()
        self._calibrations = CalibrationWatch(newest.calibration)
        self._again_at = float("-inf")

    @classmethod
    def new(
        cls,
        opened: Callable[[], Library],
        game: GameRecord,
        where: LibraryPlace,
        wish: VideoWish | None,
        *,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
        real: Callable[[], float] = time.monotonic,
    ) -> Session:
        """A game that begins: it comes into the library with its first entry."""
        return cls(game, LateWriter(opened, game), where, Newest(), wish, wall=wall, real=real)

    @classmethod
    def resumed(
        cls,
        library: Library,
        game: GameRecord,
        wish: VideoWish | None,
        *,
        opened: Callable[[], Library] | None = None,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
        real: Callable[[], float] = time.monotonic,
    ) -> Session:
        """A game that goes on; `GameTaken` if somebody else is recording it."""
        copy = JournalFile(library.place, game)
        try:
            writer: GameWriter | None = library.writer(game.id)
        except StorageTrouble:
            # It may only be read now: the game goes on, and what happens is kept elsewhere until then.
            writer, newest = None, library.reader(game.id).newest
        else:
            assert writer is not None
            newest = writer.newest
            copy.add(writer.entries(copy.last))
        with suppress(OSError, LibraryError):
            mended = repair(library.place.pictures_of(game.id) / "video")
            log.info("game %s goes on; %d segments of video mended", game.id, mended)
        late = LateWriter(opened or (lambda: library), game, writer)
        return cls(game, late, library.place, newest, wish, wall=wall, real=real, copy=copy)

    @property
    def head(self) -> Head:
        """The newest link of what is in the library."""
        return self._writer.head

    @property
    def rebuilt(self) -> str | None:
        """What people should know of a library that was lost during the game."""
        return self._writer.rebuilt

    # Tracks

    def is_of(self, table: TableFile) -> bool:
        """Whether a table is the one of this game by now, whatever pieces without tags stand on it."""
        return same_but_outlined(self._table.text, table.text)

    def set_up(self, table: TableFile | None, time: float) -> list[Entry]:
        """What is new to this game of a table: its file, and pieces without tags."""
        if table is None:
            return []
        changed = [] if self.is_of(table) else [set_up_entry(table, time)]
        return changed + self._encoder.numbered.news(table.pieces, time)

    def unknown(self, table: TableState, time: float) -> list[Entry]:
        """What nobody knows of the table, where it is something else than before."""
        before, self._unknown = self._unknown, Unknown.of(table)
        return [] if self._unknown.is_as(before) else [unknown_entry(self._unknown, time)]

    def read(self, entries: Iterable[Entry | Recorded]) -> None:
        """Takes in what entries tell of the table, and of what carries no tag, before tracks are written."""
        for entry in entries:
            if entry.kind == THINGS:
                self._unknown = unknown_of(entry.data)
                continue
            if entry.kind == SET_UP:
                self._table = set_up_of(entry.data)
            self._encoder.numbered.read((entry,))

    def see(self, moment: Moment, at_s: float, *, cut: bool) -> tuple[Beside, ...]:
        """A moment; what is to be written of it now. `cut` ends the block, to be as durable as an event."""
        self.newest = (moment.frame, at_s)
        self._encoder.add(at_s, moment.time, moment.table.standings)
        found = self._calibrations.look(at_s, moment.surface)
        calibrations = () if found is None else (found,)
        if cut or self._encoder.seconds >= BLOCK_S:
            return (*calibrations, *self.block())
        return calibrations

    def block(self) -> tuple[Beside, ...]:
        """What there is of tracks and not yet written."""
        block, deviations = self._encoder.close()
        return deviations if block is None else (*deviations, block)

    # Pictures

    def keep_still(self, frame: Frame, at_s: float) -> None:
        """Keeps a still, if there is room."""
        if self._room():
            try:
                self._stills.keep(frame, at_s)
            except LibraryError as error:
                self._no_pictures(str(error))

    def keep_picture(self, frame: Frame, at_s: float) -> None:
        """One more picture of the video, if there is room."""
        if self.film is not None and self._room():
            try:
                self.film.add(frame.image, at_s)
            except StorageTrouble as error:
                self._no_pictures(str(error))

    def end_film(self) -> None:
        """Makes the last segment whole."""
        if self.film is not None:
            with suppress(StorageTrouble):
                self.film.close()

    def _room(self) -> bool:
        if self._real() < self._again_at:
            return False
        free = free_bytes(self.pictures)
        if free is not None and free < PICTURES_NEED:
            self._no_pictures(f"only {free / 1e6:.0f} MB are free where the games are kept")
            return False
        self.trouble = None
        return True

    def _no_pictures(self, why: str) -> None:
        self._again_at = self._real() + PICTURES_AGAIN_S
        self.trouble = f"No pictures are being kept: {why}. Everything else is recorded."

    # The end

    def look_after(self) -> None:
        """Tries again what could not be written."""
        if self.journal.trouble is not None:
            self.journal.retry()

    def close(self, over: bool) -> str | None:
        """Ends the recording, and the game if it is over; what could not be written, in words."""
        library = self._writer.library
        if self.journal.last or self.journal.waiting:
            self.journal.retry()
        left, kept = self.journal.waiting, self.spool.path
        if kept is None and self.copy.last >= self.journal.last:
            kept = self.copy.path
        if over and library is not None and not left:
            with suppress(LibraryError):
                library.finish(self.game.id)
        self.journal.close()
        if not left:
            return None
        where = "are lost" if kept is None else f"lie in {kept} until the library can be written into again"
        return f"{left} entries of game {self.game.id} could not be written and {where}."


def free_bytes(folder: Path) -> int | None:
    """How much is free on the disk of a folder that may not be there yet; None if nobody knows."""
    for place in (folder, *folder.parents):
        try:
            return shutil.disk_usage(place).free
        except OSError:
            continue
    return None
