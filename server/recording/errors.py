"""What can go wrong with a library of games, each with what to do about it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from engine.errors import NotThere, TableRefError

log = logging.getLogger("tableref.recording")


class LibraryError(TableRefError):
    """The library, or a game in it, that was asked for cannot be had."""


class NoSuchPart(LibraryError):
    """An entry or a piece that the game which was asked for does not have."""

    status = NotThere.status


class LibraryTooNew(LibraryError):
    """A library that a newer tableref has written."""


class LibraryDamaged(LibraryError):
    """A file that is no library, or one whose contents do not fit together."""


class GameTaken(LibraryError):
    """A game that another tableref is recording at this moment."""


class StorageTrouble(LibraryError):
    """Nothing can be written now: a full disk, a folder that may not be written into, a lost connection.

    What was to be written is not lost by that: whoever catches this keeps it and tries again.
    """


class LibraryGone(StorageTrouble):
    """The library's file was deleted, or another was put in its place, while it was open."""


@contextmanager
def read_from(game: str) -> Iterator[None]:
    """Turns what comes of entries that do not hold what their kind promises into an error that says so.

    Records come from elsewhere, too; whoever opens a game reads all that its entries say within this.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        log.info("the record of game %s cannot be read", game, exc_info=error)
        raise LibraryDamaged(
            f"the record of game {game} cannot be read ({type(error).__name__}): an entry of it is not as "
            "tableref writes it"
        ) from error


_REASONS = (
    (("disk is full", "no space left"), "the disk is full: make room on it"),
    (("readonly", "read-only", "permission denied"), "it may not be written into: allow that"),
    (("unable to open",), "it cannot be opened: check that the folder is there and may be written into"),
    (("is locked", "is busy"), "another program holds it: close that"),
    # What SQLite says, too, where a full disk has no room for what it needs to read alone.
    (("disk i/o", "input/output"), "the disk is full or does not work: make room on it, or check it"),
    (("connection refused",), "no database listens there: start it, or name another one with --library"),
)


@contextmanager
def database_errors(where: str) -> Iterator[None]:
    """Turns what the database says of `where` into errors that say what to do."""
    try:
        yield
    except IntegrityError as error:
        raise LibraryError(f"{where} refuses what does not fit together: {error.orig}") from error
    except SQLAlchemyError as error:
        said = str(error.orig if isinstance(error, DBAPIError) else error).strip()
        low = said.casefold()
        if "malformed" in low or "not a database" in low:
            raise LibraryDamaged(
                f"{where} is damaged or no library of games ({said}): put a copy in its place, "
                "or name another one with --library"
            ) from error
        reason = next((why for marks, why in _REASONS if any(m in low for m in marks)), None)
        raise StorageTrouble(f"{where} does not answer: {reason or ' '.join(said.split())}") from error
