"""Opens the database of a library: SQLite on this machine, or PostgreSQL for a club.

Every commit is on the disk when it returns: SQLite runs with a write-ahead log and a full sync.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import filelock
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from server.recording.chain import FIELDS, link
from server.recording.errors import LibraryDamaged, LibraryError, LibraryTooNew, database_errors
from server.recording.library import schema
from server.recording.library.search import index_game

NEWEST = "0004"
"""The version of today's tables."""

OLDER = ("0001", "0002", "0003")
"""The versions before it: games and entries; then tracks and calibrations, then words to find a game by. Only
today's has the hash chain of the entries."""

_VERSIONS = "alembic_version"

BUSY_S = 10.0
"""How long a writer waits for another one of the same SQLite library."""

_PRAGMAS = (
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    # A Mac's own fsync stops at the disk's cache; elsewhere these say nothing.
    "PRAGMA fullfsync=ON",
    "PRAGMA checkpoint_fullfsync=ON",
)


def open_database(url: URL) -> Engine:
    """The database with today's tables: made if new, migrated if older, refused if newer."""
    where = shown(url)
    engine = _sqlite(url) if is_sqlite(url) else _postgres(url)
    try:
        with database_errors(where):
            migrate(engine, url)
    except Exception:
        engine.dispose()
        raise
    return engine


def url_of(text: str) -> URL:
    """A database's address as typed; clear errors for what is none."""
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise LibraryError(
            f"{text!r} is no address of a library: expected a folder, or postgresql://user@host/name"
        ) from error
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if not is_sqlite(url) and url.drivername != "postgresql+psycopg":
        raise LibraryError(
            f"a library may be a folder or a PostgreSQL database (postgresql://…), not {url.drivername}"
        )
    return url


def shown(url: URL) -> str:
    """How to call a library in a sentence: its file, or its address without the password."""
    if is_sqlite(url):
        return f"the library {url.database}"
    return f"the library {url.render_as_string(hide_password=True)}"


def is_sqlite(url: URL) -> bool:
    """Whether this is a file on this machine."""
    return url.get_backend_name() == "sqlite"


def _sqlite(url: URL) -> Engine:
    engine = create_engine(url, connect_args={"timeout": BUSY_S})

    @event.listens_for(engine, "connect")
    def _connected(connection: sqlite3.Connection, _: object) -> None:
        # The driver's own idea of when a transaction begins is switched off: see _begin.
        connection.isolation_level = None
        for pragma in _PRAGMAS:
            try:
                connection.execute(pragma).close()
            except sqlite3.OperationalError as error:
                # One that may only be read is read as it is.
                if "readonly" not in str(error):
                    raise

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A writer that begins as a reader could be refused in the middle.
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgres(url: URL) -> Engine:
    try:
        return create_engine(url, pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise LibraryError(
            'a library in PostgreSQL needs a driver: install it with python -m pip install "psycopg[binary]"'
        ) from error


# Older and newer libraries


def version_of(connection: Connection) -> str | None:
    """The version of a library's tables, None for an empty database."""
    if not inspect(connection).has_table(_VERSIONS):
        return None
    found: str | None = connection.scalar(text(f"SELECT version_num FROM {_VERSIONS}"))
    return found


def migrate(engine: Engine, url: URL) -> None:
    """Brings the tables to today's; of an older SQLite library a copy is kept beside it."""
    with engine.connect() as connection:
        found, tables = version_of(connection), inspect(connection).get_table_names()
    if found == NEWEST:
        return
    where = shown(url)
    if found is None and tables:
        raise LibraryDamaged(
            f"{where} holds other tables ({', '.join(sorted(tables)[:3])}) and no games: name another one"
        )
    if found is not None:
        if found not in OLDER:
            raise LibraryTooNew(
                f"{where} was written by a newer tableref (its version is {found}, this one knows {NEWEST}): "
                "update tableref, or name another library with --library"
            )
        if is_sqlite(url):
            keep_copy(Path(url.database or ""), found)
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        # Two servers may come here at the same time: the second finds the work done.
        found = version_of(connection)
        if found != NEWEST:
            _upgrade(connection, found)


def _upgrade(connection: Connection, found: str | None) -> None:
    """Makes the tables that are not there, and completes the games of an older version."""
    schema.metadata.create_all(connection)
    if found is None:
        connection.execute(text(f"CREATE TABLE {_VERSIONS} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
        connection.execute(text(f"INSERT INTO {_VERSIONS} VALUES ('{NEWEST}')"))
        return
    connection.execute(text("ALTER TABLE entry ADD COLUMN before VARCHAR(64) DEFAULT '' NOT NULL"))
    for id in connection.scalars(text("SELECT id FROM game")).all():
        link_entries(connection, id)
        if found < "0003":
            index_game(connection, id)
    connection.execute(text(f"UPDATE {_VERSIONS} SET version_num = '{NEWEST}'"))


def link_entries(connection: Connection, game: str) -> None:
    """Links the entries of a game that was kept without the chain: an earlier change cannot be found."""
    fields = ", ".join(FIELDS)
    asked = text(
        f"SELECT {fields} FROM entry WHERE game = :game AND number > :after ORDER BY number LIMIT 1000"
    )
    put = text("UPDATE entry SET before = :before WHERE game = :game AND number = :number")
    before, after = "", 0
    while rows := connection.execute(asked, {"game": game, "after": after}).mappings().all():
        links = []
        for row in rows:
            links.append({"game": game, "number": row["number"], "before": before})
            before, after = link(before, dict(row)), row["number"]
        connection.execute(put, links)


def keep_copy(path: Path, version: str) -> Path:
    """A copy of a SQLite library as it is, beside it: `library.sqlite.0001`."""
    copy = path.with_name(f"{path.name}.{version}")
    draft = copy.with_name(f"{copy.name}.part")
    try:
        draft.unlink(missing_ok=True)
        source, target = sqlite3.connect(path), sqlite3.connect(draft)
        try:
            source.backup(target)
        finally:
            source.close()
            target.close()
        draft.replace(copy)
    except (OSError, sqlite3.Error, SQLAlchemyError) as error:
        raise LibraryError(
            f"the library {path} is of an older version, and no copy of it can be kept before it is "
            f"brought to today's ({error}): make room, or allow to write beside it"
        ) from error
    return copy


class FileLock:
    """Held from `take` until `free`, or until the process ends; any thread may do either."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Without the fallback: a marker file, unlike a lock of the system, outlives a process that is killed.
        self._lock = filelock.FileLock(path, thread_local=False, fallback_to_soft=False)

    def take(self) -> bool:
        """Whether the lock is ours now; False if somebody else holds it. Raises `OSError`."""
        if not self._lock.is_locked:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(blocking=False)
            except filelock.Timeout:
                return False
        return True

    renew = take
    """Nobody takes it away."""

    def free(self) -> None:
        """Lets go. May be called twice."""
        self._lock.release()
