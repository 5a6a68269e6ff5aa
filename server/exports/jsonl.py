"""A whole game as JSON Lines, exactly: what is written here and read again is the same game.

The first line is the game itself, then come its rows, table by table as the library keeps them
(entries with their data, packed tracks, calibrations), then its pictures and video in pieces. Bytes
are base64.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Column, Connection, Integer, LargeBinary, String, Table, Text, insert, select
from sqlalchemy.exc import DataError, IntegrityError, InterfaceError, ProgrammingError

from calibration.table_text import in_short
from calibration.tablefile import parse_table
from engine.errors import TableRefError
from server.recording.calibrations import unpack_surface
from server.recording.errors import LibraryError, StorageTrouble, database_errors
from server.recording.journal import as_json
from server.recording.library import schema
from server.recording.library.database import NEWEST, OLDER, link_entries
from server.recording.library.games import Library
from server.recording.library.records import GameRecord, as_exported, entry_of, imported, is_id
from server.recording.library.search import index_game
from server.recording.reader import SECRET
from server.recording.tracks import unpack, unpack_uncertainty

FORM = 1
ROWS_AT_ONCE = 500
PIECE = 384 * 1024
"""Bytes of a picture or video in one line, before base64."""

LONGEST_LINE = 4 * 1024 * 1024
"""Characters of a line that is read; a piece of a picture has half a million."""

MOST_LINES = 10_000_000
AT_ONCE = 8 * 1024 * 1024
"""Characters of rows that wait to be written."""

FARTHEST = 1e15
"""Seconds to which a time is still told apart from the next."""

_PICTURE = re.compile(r"(?:[0-9A-Za-z_][0-9A-Za-z_.-]{0,99}/){0,3}[0-9A-Za-z_][0-9A-Za-z_.-]{0,99}")
"""The names of stills and segments of video."""

Line = dict[str, Any]


class NotAnExport(LibraryError):
    """A file that is no exported game, or a damaged one."""


def tables() -> tuple[Table, ...]:
    """What a game consists of beside its own row, in an order in which it can be put in again.

    The words by which it is found are made from these.
    """
    return tuple(t for t in schema.metadata.sorted_tables if t not in (schema.game, schema.search))


# Out


def lines(library: Library, id: str, pictures: bool = True) -> Iterator[str]:
    """The lines of a game, without their ends; with its pictures and video unless not wanted.

    What players have chosen in secret stays here.
    """
    game = library.game(id)
    count = 1
    with database_errors(library.words), library.engine.connect() as connection:
        for line in _rows(connection, game.id):
            count += 1
            yield as_json(line)
    for piece in _pieces(library.place.pictures_of(game.id)) if pictures else ():
        count += 1
        yield as_json(piece)
    yield as_json({"end": count})


def _rows(connection: Connection, id: str) -> Iterator[Line]:
    row = connection.execute(select(schema.game).where(schema.game.c.id == id)).one()
    head = {"record": "tableref", "form": FORM, "library": NEWEST, "version": version("tableref")}
    yield head | {"game": _to_json(schema.game, as_exported(row._mapping))}
    for table in tables():
        last = 0
        while True:
            page = (
                select(table)
                .where(*([table.c.kind != SECRET] if table is schema.entry else ()))
                .where(table.c.game == id, table.c.number > last)
                .order_by(table.c.number)
                .limit(ROWS_AT_ONCE)
            )
            found = connection.execute(page).all()
            for one in found:
                yield {table.name: _to_json(table, one._mapping)}
            if len(found) < ROWS_AT_ONCE:
                break
            last = found[-1].number


def _to_json(table: Table, row: Mapping[Any, Any]) -> Line:
    return {c.name: _value_out(c.type, row[c.name]) for c in table.columns if c.name != "game"}


def _value_out(kind: Any, value: Any) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(kind, Text) and isinstance(value, str) and value[:1] == "{":
        # Readable where that is exact: other texts that begin so stay as they are.
        try:
            data = json.loads(value)
            if as_json(data) == value:
                return data
        except (ValueError, LibraryError):
            pass
    return value


def _pieces(folder: Path) -> Iterator[Line]:
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder).as_posix()
        with path.open("rb") as stream:
            at = 0
            while (data := stream.read(PIECE)) or at == 0:
                yield {"file": {"name": name, "at": at, "data": base64.b64encode(data).decode("ascii")}}
                at += len(data)
                if len(data) < PIECE:
                    break


# In


def bounded(stream: IO[str]) -> Iterator[str]:
    """The lines of a file, none read further than it may be long."""
    while text := stream.readline(LONGEST_LINE + 1):
        yield text


def bring_in(library: Library, given: Iterable[str], now: datetime | None = None) -> str:
    """Puts an exported game into a library, all of it or nothing, and returns its id.

    It is as it was, but over, and marked as imported: nobody goes on with it here, whoever's dice it has.

    A game from a library of an older version is brought up to date on its way. `NotAnExport` names
    the line that is wrong; a game that is there already is refused.
    """
    numbered = _parsed(given)
    head = next(numbered, None)
    if head is None or head[1].get("record") != "tableref":
        raise NotAnExport("this is no game that tableref exported as jsonl: its first line does not say so")
    if head[1].get("form") != FORM:
        theirs = in_short(repr(head[1].get("form")), 60)
        raise NotAnExport(
            f"this game was exported in form {theirs}, this tableref knows {FORM}: update tableref"
        )
    if head[1].get("library") not in (*OLDER, NEWEST):
        theirs = in_short(str(head[1].get("library")), 60)
        raise NotAnExport(
            f"this game was exported from a library of version {theirs}, this tableref knows {NEWEST}: "
            "update tableref"
        )
    return _bring_in(library, head[1], numbered, now or datetime.now(UTC))


def _bring_in(library: Library, head: Line, numbered: Iterator[tuple[int, Line]], now: datetime) -> str:
    older = head["library"] in OLDER
    row = _game_row(head)
    row |= imported(row, now)
    id = str(row["id"])
    if library.has(id):
        raise LibraryError(
            f"game {id} is in {library.words} already; delete it first with tableref games delete {id}"
        )
    draft = library.place.pictures_of(id).with_name(f"{id}.part")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        with database_errors(library.words), library.writing() as connection, connection.begin():
            connection.execute(insert(schema.game), [row])
            _put_in(connection, id, numbered, draft, ("game", "before") if older else ("game",))
            if older:
                link_entries(connection, id)
            index_game(connection, id)
            if draft.is_dir():
                draft.rename(library.place.pictures_of(id))
    except OSError as error:
        raise StorageTrouble(
            f"the pictures of game {id} cannot be kept in {draft.parent}: {error.strerror or error}"
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return id


def _game_row(head: Line) -> dict[str, Any]:
    """The game itself; a folder will be called by its id."""
    row = _from_json(schema.game, head.get("game"), 1)
    if not is_id(row["id"]):
        got = in_short(repr(row["id"]), 60)
        raise NotAnExport(f"line 1: expected an id of letters, digits and dashes but got {got}")
    _refuse_unreadable(row)
    return row


def _refuse_unreadable(row: Mapping[str, Any]) -> None:
    """A game whose own row cannot be read would spoil the list of all games."""
    try:
        game = GameRecord.from_json(row)
        parse_table(game.table_text, "the game's set-up", lens=game.lens, recorded=True)
        dict(**game.about)
    except (
        TableRefError,
        LookupError,
        OverflowError,
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
    ) as error:
        said = in_short(" ".join(str(error).split()))
        raise NotAnExport(f"line 1: the game cannot be read: {said}") from error


def _parsed(given: Iterable[str]) -> Iterator[tuple[int, Line]]:
    for number, text in enumerate(given, start=1):
        if len(text) > LONGEST_LINE or number > MOST_LINES:
            raise NotAnExport(
                f"line {number}: expected at most {MOST_LINES:,} lines of {LONGEST_LINE:,} characters; "
                "tableref exports no such file"
            )
        try:
            line = json.loads(text, parse_constant=_no_number)
        except RecursionError as error:
            raise NotAnExport(f"line {number}: expected plain values but got a deeply nested one") from error
        except ValueError as error:
            what = (
                "the file is damaged or cut off" if number > 1 else "expected what tableref exports as jsonl"
            )
            raise NotAnExport(f"line {number} is no JSON ({error}): {what}") from error
        if not isinstance(line, dict):
            raise NotAnExport(f"line {number}: expected an object but got {text[:40]!r}")
        yield number, line


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _put_in(
    connection: Connection,
    id: str,
    numbered: Iterator[tuple[int, Line]],
    draft: Path,
    untold: tuple[str, ...],
) -> None:
    """The rows of a game and its pictures; no line tells of the columns that are `untold`."""
    known = {t.name: t for t in tables()}
    waiting: dict[str, list[dict[str, Any]]] = {}
    size = 0

    def write(name: str) -> None:
        if rows := waiting.pop(name, None):
            try:
                connection.execute(insert(known[name]), rows)
            except (InterfaceError, ProgrammingError, IntegrityError, DataError, OverflowError) as error:
                raise NotAnExport(
                    f"up to line {number}: expected values of {name} as tableref exports them but one does "
                    "not fit its column, or is there twice"
                ) from error

    number = 1
    for number, line in numbered:
        if len(line) != 1:
            raise NotAnExport(f"line {number}: expected one of {', '.join(known)}, file, end but got more")
        (name, value), *_ = line.items()
        if name == "file":
            _put_piece(draft, value, number)
        elif name in known:
            rows = waiting.setdefault(name, [])
            rows.append({"game": id} | _from_json(known[name], value, number, untold))
            _refuse_unreadable_row(known[name], rows[-1], number)
            size += sum(len(v) for v in rows[-1].values() if isinstance(v, str | bytes))
            if len(rows) >= ROWS_AT_ONCE or size > AT_ONCE:
                for each in list(waiting):
                    write(each)
                size = 0
        elif name == "end" and value == number:
            break
        else:
            raise NotAnExport(
                f"line {number}: expected one of {', '.join(known)}, file, end but got "
                f"{in_short(repr(name), 60)}"
            )
    else:
        raise NotAnExport("the file ends too early: its last line is missing, so it was cut off on its way")
    for name in list(waiting):
        write(name)


def _from_json(table: Table, value: Any, number: int, untold: tuple[str, ...] = ("game",)) -> dict[str, Any]:
    wanted = {c.name for c in table.columns}.difference(untold)
    if not isinstance(value, dict) or value.keys() != wanted:
        raise NotAnExport(f"line {number}: expected {table.name} with {', '.join(sorted(wanted))}")
    return {c.name: _value_in(c, value[c.name], number) for c in table.columns if c.name in wanted}


def _value_in(column: Column[Any], value: Any, number: int) -> Any:
    """A value that the column takes in every database, of its own type: SQLite alone would take any."""
    kind = column.type
    if value is None and column.nullable:
        return None
    if isinstance(kind, LargeBinary):
        return _bytes(value, number)
    if isinstance(kind, String):
        text: Any = _written(value) if isinstance(value, dict) else value
        fits = isinstance(text, str) and "\0" not in text and len(text) <= (kind.length or LONGEST_LINE)
        if fits and not any("\ud800" <= c <= "\udfff" for c in text):
            return text
    elif isinstance(kind, Integer):
        if type(value) is int and 0 <= value < 2**31:
            return value
    elif type(value) in (int, float) and abs(value) < FARTHEST:
        return float(value)
    raise NotAnExport(
        f"line {number}: expected values of {column.table.name} as tableref exports them but {column.name} "
        f"is {in_short(repr(value), 60)}, which does not fit its column"
    )


def _written(value: Line) -> str | None:
    """An object as it is kept; None for one with a number that JSON has none for, such as 1e999."""
    try:
        return as_json(value)
    except (TableRefError, RecursionError):
        return None


def _refuse_unreadable_row(table: Table, row: dict[str, Any], number: int) -> None:
    """A row that cannot be read again would spoil the replay of its game."""
    try:
        match table.name:
            case "entry":
                entry_of(row)
            case "block":
                unpack(row["data"])
            case "deviation":
                unpack_uncertainty(row["data"])
            case "calibration":
                unpack_surface(row["data"])
    except TableRefError as error:
        raise NotAnExport(in_short(f"line {number}: {error}")) from error


def _bytes(text: Any, number: int) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise NotAnExport(f"line {number}: expected base64 but got {str(text)[:40]!r}") from error


def _put_piece(draft: Path, value: Any, number: int) -> None:
    try:
        name, at = value["name"], int(value["at"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise NotAnExport(f"line {number}: expected a file with name, at and data") from error
    if not isinstance(name, str) or _PICTURE.fullmatch(name) is None:
        raise NotAnExport(f"line {number}: {in_short(repr(name), 60)} is no name of a picture inside a game")
    parts = name.split("/")
    path = draft.joinpath(*parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as stream:
        if stream.tell() != at:
            raise NotAnExport(f"line {number}: a piece of {name} is missing before this one")
        stream.write(_bytes(value.get("data"), number))
