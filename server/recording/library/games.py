"""The library of games: which there are, and who may write into one.

A library is a folder with a SQLite database, or a PostgreSQL database; pictures and video of each
game lie in a folder of their own. Any number of tables may record into one library, but only one
tableref into one game.
"""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from platformdirs import user_data_path
from sqlalchemy import URL, Connection, Engine, delete, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from engine.errors import NotThere
from server.recording.blocks import Beside
from server.recording.chain import Head, link
from server.recording.errors import GameTaken, LibraryError, LibraryGone, StorageTrouble, database_errors
from server.recording.journal import GameClock, Journal, Recorded, Spill, in_words
from server.recording.library import schema
from server.recording.library.database import FileLock, is_sqlite, open_database, shown, url_of
from server.recording.library.records import GameRecord, Newest, entry_of, is_id, newest_of, rows_of
from server.recording.library.search import (
    AT_ONCE,
    GamesPage,
    Wanted,
    index_game,
    page_of,
    records,
    says_who,
)

if TYPE_CHECKING:
    from server.recording.reader import Reader

FILE = "library.sqlite"
JOURNAL_ENDING = ".jsonl"
VARIABLE = "TABLEREF_LIBRARY"
"""Names a library where no option does."""


ALL = Wanted()

MOST_NAMED = 10
"""So many games are named where a part of an id may mean several."""

GameState = Literal["over", "imported", "being recorded", "stopped", "cut off"]


class UnknownGame(LibraryError):
    """A game by a name that no game of the library has."""

    status = NotThere.status


@dataclass(frozen=True)
class LibraryPlace:
    """Where a library is: its database, and the folder of its pictures."""

    url: URL
    folder: Path

    @classmethod
    def of(cls, where: str | Path | None = None) -> LibraryPlace:
        """A folder or a PostgreSQL address as typed.

        Without either, what the environment variable `TABLEREF_LIBRARY` names, or the folder in
        this person's data. Raises `LibraryError` for what can be none.
        """
        where = where or os.environ.get(VARIABLE) or library_folder()
        if isinstance(where, str) and "://" in where:
            return cls(url_of(where), library_folder())
        folder = Path(where).expanduser().absolute()
        return cls(URL.create("sqlite", database=str(folder / FILE)), folder)

    @property
    def words(self) -> str:
        """How to call it in a sentence."""
        return shown(self.url)

    @property
    def is_there(self) -> bool:
        """Whether anything was ever kept there, as far as that shows without opening it."""
        return not is_sqlite(self.url) or (self.folder / FILE).is_file() or self.journals.is_dir()

    def pictures_of(self, id: str) -> Path:
        """The folder of a game's stills and video."""
        return self.folder / "pictures" / id

    @property
    def journals(self) -> Path:
        """The folder of the games' second journals."""
        return self.folder / "journal"

    def journal_of(self, id: str) -> Path:
        """The second journal of a game."""
        return self.journals / f"{id}{JOURNAL_ENDING}"


def file_id(place: LibraryPlace) -> tuple[int, int] | None:
    """Which file the database is now; None while there is none."""
    try:
        found = Path(place.url.database or "").stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def library_folder() -> Path:
    """Where games are kept on this computer unless told otherwise."""
    return user_data_path("tableref", appauthor=False) / "games"


class Library:
    """A library of games, open."""

    def __init__(self, engine: Engine, place: LibraryPlace) -> None:
        self.engine = engine
        self.place = place
        self._file = file_id(place)

    @classmethod
    def open(cls, where: str | Path | LibraryPlace | None = None) -> Library:
        """The library at a place (see `LibraryPlace.of`); made if there is none. Raises `LibraryError`."""
        place = where if isinstance(where, LibraryPlace) else LibraryPlace.of(where)
        if is_sqlite(place.url):
            try:
                # Who may enter is for the owner to widen.
                place.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            except OSError as error:
                raise StorageTrouble(
                    f"the library {place.folder} cannot be made: {error.strerror or error}"
                ) from error
        return cls(open_database(place.url), place)

    @classmethod
    def looked_at(cls, where: str | Path | None = None) -> Library:
        """The library at a place, for whoever makes none: `LibraryError` for one that is named and not there.

        Where nothing is named, on this computer nothing may have been recorded yet.
        """
        place = LibraryPlace.of(where)
        if (where or os.environ.get(VARIABLE)) and not place.is_there:
            raise LibraryError(
                f"there is no library in {place.folder}: expected the folder of recorded games, "
                f"but no {FILE} lies there"
            )
        return cls.open(place)

    @property
    def folder(self) -> Path:
        """Where pictures and video lie, each game in its own folder."""
        return self.place.folder

    @property
    def words(self) -> str:
        """How to call it in a sentence."""
        return self.place.words

    def close(self) -> None:
        """Lets the database go."""
        self.engine.dispose()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Which games there are

    def games(self) -> tuple[GameRecord, ...]:
        """All games, the newest first."""
        return self.search(count=None).games

    def search(self, wanted: Wanted = ALL, first: int = 0, count: int | None = AT_ONCE) -> GamesPage:
        """The games that are wanted, the newest first: `count` of them, or all, from number `first` on."""
        with database_errors(self.words), self.engine.connect() as connection:
            return page_of(connection, wanted, first, count)

    def game(self, id: str) -> GameRecord:
        """The game of this id; any part of it will do that no other game has."""
        known = schema.game.c.id
        with database_errors(self.words), self.engine.connect() as connection:
            found = records(connection, [id])
            if not found and id:
                like = select(known).where(known.contains(id, autoescape=True)).order_by(known.desc())
                found = records(connection, connection.scalars(like.limit(MOST_NAMED)).all())
        # A database may not mind the case of letters, but names of files do.
        found = tuple(g for g in found if id in g.id)
        if len(found) > 1:
            raise UnknownGame(f"{id!r} may mean {', '.join(g.id for g in found)}: name one of them")
        if not found:
            raise UnknownGame(f"no game {id!r} is in {self.words}; see tableref games list")
        return found[0]

    def has(self, id: str) -> bool:
        """Whether there is a game of exactly this id."""
        asked = select(schema.game.c.id).where(schema.game.c.id == id)
        with database_errors(self.words), self.engine.connect() as connection:
            return connection.execute(asked).first() is not None

    def unfinished(self, table_name: str) -> GameRecord | None:
        """The newest game at this table that is not over, and that nobody else is recording."""
        g = schema.game.c
        asked = select(g.id).where(g.ended.is_(None), g.table_name == table_name)
        with database_errors(self.words), self.engine.connect() as connection:
            ids = connection.scalars(asked.order_by(g.began.desc(), g.id.desc())).all()
        found = (self.game(id) for id in ids if not self.recorded_now(id))
        return next((game for game in found if not game.imported), None)

    def state(self, game: GameRecord) -> GameState:
        """How a game stands; what was cut off had no time to stop: killed, or without power."""
        if game.imported:
            return "imported"
        if game.ended is not None:
            return "over"
        if self.recorded_now(game.id):
            return "being recorded"
        if game.played_out:
            return "over"
        return "stopped" if game.stopped else "cut off"

    def lengths(self) -> dict[str, int]:
        """How many entries each game has."""
        e = schema.entry.c
        with database_errors(self.words), self.engine.connect() as connection:
            games = connection.scalars(select(schema.game.c.id)).all()
            rows = connection.execute(select(e.game, func.max(e.number)).group_by(e.game)).all()
        return dict.fromkeys(games, 0) | {row[0]: int(row[1]) for row in rows}

    @property
    def gone(self) -> bool:
        """Whether the file that was opened was deleted since, or another one put in its place."""
        return is_sqlite(self.place.url) and self._file != file_id(self.place)

    # Making and ending games

    def add(self, game: GameRecord) -> GameRecord:
        """Takes a game in, without entries."""
        if not is_id(game.id):
            raise LibraryError(f"expected an id of letters, digits and dashes but got {game.id!r}")
        with database_errors(self.words), self.writing() as connection, connection.begin():
            connection.execute(insert(schema.game).values(game.as_json()))
            index_game(connection, game.id)
        return self.game(game.id)

    def finish(self, id: str, ended: datetime | None = None) -> None:
        """Marks a game as over."""
        self._set(id, ended=in_words(ended or datetime.now(UTC)))

    def rename(self, id: str, name: str) -> None:
        """Gives a game another name."""
        self._set(id, name=name)

    def _set(self, id: str, **values: str) -> None:
        with database_errors(self.words), self.writing() as connection, connection.begin():
            connection.execute(update(schema.game).where(schema.game.c.id == id).values(values))
            if "name" in values:
                index_game(connection, id)

    def delete(self, id: str) -> None:
        """Takes a game away with all that belongs to it; refused while it is being recorded."""
        game = self.game(id)
        lock = self.lock_of(game.id)
        if not lock.take():
            raise GameTaken(f"game {game.id} is being recorded now: end that first")
        try:
            with database_errors(self.words), self.writing() as connection, connection.begin():
                connection.execute(delete(schema.game).where(schema.game.c.id == game.id))
            shutil.rmtree(self.place.pictures_of(game.id), ignore_errors=True)
            self.place.journal_of(game.id).unlink(missing_ok=True)
        finally:
            lock.free()

    # Writing and reading one game

    def recorded_now(self, id: str) -> bool:
        """Whether somebody is recording this game at this moment."""
        lock = self.lock_of(id)
        try:
            with database_errors(self.words):
                return not lock.take()
        except OSError:
            # Where no lock can be made nobody records either.
            return False
        finally:
            lock.free()

    def writer(self, id: str) -> GameWriter:
        """The only writer of a game; `GameTaken` if there is one already."""
        return GameWriter(self, self.game(id).id)

    def journal(
        self,
        id: str,
        *,
        spill: Spill | None = None,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> Journal:
        """The journal of a game, going on after its last entry; its only one until it is closed."""
        writer = self.writer(id)
        return Journal(
            writer, last=writer.newest.entry, since=writer.newest.wall, clock=GameClock(writer.newest.at_s),
            spill=spill, wall=wall,
        )  # fmt: skip

    def reader(self, id: str) -> Reader:
        """Reads a game, also one that is being recorded."""
        game = self.game(id)
        # With video and pictures, which a list of games is made without.
        from server.recording.reader import Reader  # noqa: PLC0415

        return Reader(self.engine, self.words, game, self.place.pictures_of(game.id))

    def writing(self) -> Connection:
        """A connection whose transactions are meant to write from their beginning."""
        return self.engine.connect().execution_options(writes=True)

    def lock_of(self, id: str) -> GameLock:
        """What keeps a game to one writer, not taken yet."""
        if is_sqlite(self.place.url):
            return FileLock(self.folder / "locks" / f"{id}.lock")
        return DatabaseLock(self.engine, id)


class GameLock(Protocol):
    """What keeps a game to one writer."""

    def take(self) -> bool:
        """Whether it is ours now."""
        ...

    def renew(self) -> bool:
        """Whether it is ours still, or again."""
        ...

    def free(self) -> None:
        """Lets go."""
        ...


class DatabaseLock:
    """A lock that PostgreSQL holds as long as the connection lives."""

    def __init__(self, engine: Engine, id: str) -> None:
        self._engine = engine
        self._key = zlib.crc32(id.encode())
        self._connection: Connection | None = None

    def take(self) -> bool:
        """Whether it is ours now."""
        if self._connection is None:
            connection = self._engine.connect()
            asked = text("SELECT pg_try_advisory_lock(:key)").bindparams(key=self._key)
            with connection.begin():
                ours = bool(connection.execute(asked).scalar())
            if not ours:
                connection.close()
                return False
            self._connection = connection
        return True

    def renew(self) -> bool:
        """Whether it is ours still, or again: a server that was away has forgotten it."""
        if self._connection is not None:
            try:
                with self._connection.begin():
                    self._connection.execute(text("SELECT 1"))
            except DBAPIError:
                self.free()
        return self.take()

    def free(self) -> None:
        """Lets go. Said as well as done: a server takes its time to notice that a connection has ended."""
        if self._connection is not None:
            unlock = text("SELECT pg_advisory_unlock(:key)").bindparams(key=self._key)
            with suppress(DBAPIError), self._connection.begin():
                self._connection.execute(unlock)
            self._connection.invalidate()
            self._connection.close()
            self._connection = None


class GameWriter:
    """Writes into one game, alone. `newest` is what it held at the beginning, `head` its newest link.

    Raises `GameTaken` if somebody else writes into it.
    """

    def __init__(self, library: Library, id: str) -> None:
        self.id = id
        self._library = library
        self._lock = library.lock_of(id)
        self._connection: Connection | None = None
        self._unsure = False
        with database_errors(library.words):
            try:
                ours = self._lock.take()
            except OSError as error:
                raise StorageTrouble(
                    f"{library.words} may not be written into: {error.strerror or error}"
                ) from error
            if not ours:
                raise GameTaken(
                    f"game {id} is being recorded by another tableref now: stop that one, or begin a new game"
                )
            with library.engine.connect() as connection:
                self.newest = newest_of(connection, id)
        self.head = Head(self.newest.entry, self.newest.link)

    def write(self, entries: Sequence[Recorded], beside: Sequence[Beside] = ()) -> None:
        """All of them or none, durable on return; `StorageTrouble` if that cannot be now."""
        try:
            with database_errors(self._library.words):
                connection = self._connected()
                with connection.begin():
                    # Whether a commit that failed has come through is only known by asking.
                    kept = newest_of(connection, self.id) if self._unsure else Newest(link=self.head.link)
                    head = Head(kept.entry, kept.link) if self._unsure else self.head
                    for table, rows in rows_of(self.id, entries, beside, kept).items():
                        connection.execute(insert(table), rows)
                        if table is schema.entry:
                            head = Head(rows[-1]["number"], link(rows[-1]["before"], rows[-1]))
                    if says_who(entries):
                        index_game(connection, self.id)
        except StorageTrouble:
            self._let_go()
            raise
        self._unsure, self.head = False, head

    def entries(self, after: int) -> list[Recorded]:
        """All entries after this number, what was chosen in secret too."""
        e = schema.entry.c
        asked = select(schema.entry).where(e.game == self.id, e.number > after).order_by(e.number)
        with database_errors(self._library.words), self._library.engine.connect() as connection:
            return [entry_of(row._mapping) for row in connection.execute(asked)]

    def _connected(self) -> Connection:
        if self._library.gone:
            raise LibraryGone(f"{self._library.words} was deleted or replaced while it was open")
        if self._unsure and not self._lock.renew():
            raise StorageTrouble(f"game {self.id} has been taken up by another tableref meanwhile")
        if self._connection is None:
            self._connection = self._library.writing()
        return self._connection

    def _let_go(self) -> None:
        self._unsure = True
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
            self._connection = None

    def close(self) -> None:
        """Lets the game go; somebody else may go on with it."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._lock.free()
