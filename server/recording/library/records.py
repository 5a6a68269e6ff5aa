"""A game and its entries as they are kept, and as they are used."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeGuard

from sqlalchemy import Connection, Table, func, select

from engine.errors import TableRefError
from server.formats.entries import Entry
from server.recording.blocks import Beside, Block, Calibration, Deviation
from server.recording.chain import link
from server.recording.errors import LibraryDamaged
from server.recording.journal import Recorded, as_json, from_words, in_words, record_of
from server.recording.library import schema

if TYPE_CHECKING:
    from calibration.lens.model import Lens
    from calibration.tablefile import TableFile

IMPORTED = "imported"
"""In `about` of a game that was brought in: when, and when it had ended. Nobody goes on with such a game."""

STOPPED, RESUMED, PLAYED_OUT = "record.stopped", "record.resumed", "record.played_out"
"""Entries of the recorder itself, round the time in which a game waited."""

SET_UP = "camera.set_up"
"""Entries that tell of a set-up that was changed while the game went on: the table file from then on."""

UNSEEN_OPEN = {"unseen": "open"}
"""In `about` of games that were ruled with an eye to terrain that nobody had seen."""

GONE_OPEN = {"gone": "open"}
"""In `about` of games that were ruled with an eye to terrain whose place was seen to be bare."""

RULED_NOW = UNSEEN_OPEN | GONE_OPEN
"""How games are ruled today."""


@dataclass(frozen=True, eq=False)
class GameRecord:
    """What is known of a recorded game without opening it.

    `table_text` is the table file as it was, `lens_data` the lens that it named, as JSON. `about` holds the
    versions that recorded it and where the pictures came from. `duration_s` is the game's own time at
    the end of what is kept. `ended` is None while it goes on, or can go on: `stopped` says that nothing
    has come since tableref was stopped in the middle of it, `played_out` the same of one that had come to its
    end. `players` are who plays, or whose
    the pieces are by the table file; `played` is the id of the game of a match, None while none was begun.
    """

    id: str
    name: str
    table_name: str
    began: datetime
    ended: datetime | None
    table_text: str
    lens_data: Mapping[str, Any] | None
    about: Mapping[str, Any] = field(default_factory=dict)
    entries: int = 0
    duration_s: float = 0.0
    stopped: bool = False
    played_out: bool = False
    players: tuple[str, ...] = ()
    played: str | None = None

    @classmethod
    def new(
        cls,
        table_text: str,
        *,
        name: str | None = None,
        lens: Lens | None = None,
        about: Mapping[str, Any] | None = None,
        began: datetime | None = None,
        id: str | None = None,
    ) -> GameRecord:
        """A game that begins now at the table of this file (TOML), not in any library yet.

        `lens` stands for the lens file that it names. Raises `TableFileError`.
        """
        # Here and below: a list of games needs neither tables nor lenses, and they take long to import.
        from calibration.lens.model import lens_to_dict  # noqa: PLC0415
        from calibration.tablefile import parse_table  # noqa: PLC0415

        began, about = began or datetime.now(UTC), dict(about or {})
        data = None if lens is None else lens_to_dict(lens)
        table = parse_table(table_text, lens=lens, recorded=True).name
        return cls(id or new_id(began), name or table, table, began, None, table_text, data, about)

    def as_json(self) -> dict[str, Any]:
        """What the table `game` keeps of it, as JSON."""
        return {
            "id": self.id,
            "name": self.name,
            "table_name": self.table_name,
            "began": in_words(self.began),
            "ended": None if self.ended is None else in_words(self.ended),
            "table_file": self.table_text,
            "lens": None if self.lens_data is None else as_json(self.lens_data),
            "about": as_json(self.about),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> GameRecord:
        """The game that `as_json` wrote."""
        lens = row["lens"]
        return cls(
            id=row["id"],
            name=row["name"],
            table_name=row["table_name"],
            began=from_words(row["began"]),
            ended=None if row["ended"] is None else from_words(row["ended"]),
            table_text=row["table_file"],
            lens_data=None if lens is None else json.loads(lens),
            about=json.loads(row["about"]),
            entries=row.get("entries") or 0,
            duration_s=max(row.get("entries_end") or 0.0, row.get("tracks_end") or 0.0),
            stopped=row.get("last_kind") == STOPPED,
            played_out=row.get("last_kind") == PLAYED_OUT,
            players=tuple(json.loads(row.get("players") or "[]")),
            played=row.get("played"),
        )

    @property
    def imported(self) -> bool:
        """Whether it was played elsewhere and brought in: its entries are whoever's who wrote the file."""
        return IMPORTED in self.about

    @property
    def lens(self) -> Lens | None:
        """The lens that the table file named."""
        from calibration.lens.model import lens_from_dict  # noqa: PLC0415

        return None if self.lens_data is None else lens_from_dict(self.lens_data, f"game {self.id}")

    @property
    def table(self) -> TableFile:
        """The table file as it was, with the lens that was used."""
        lens = None if self.lens_data is None else json.dumps(self.lens_data)
        return _table_of(self.table_text, lens, f"game {self.id}")


def set_up_entry(table: TableFile, time: float) -> Entry:
    """The table file from this time of the source on, with the lens that it names."""
    from calibration.lens.model import lens_to_dict  # noqa: PLC0415

    lens = None if table.lens is None else lens_to_dict(table.lens)
    words = "The set-up of the table was changed: the game goes on by the new one."
    return Entry(SET_UP, time, words, {"table_file": table.text, "lens": lens})


def set_up_of(data: Mapping[str, Any]) -> TableFile:
    """The table file that such an entry holds; a clear error for anything else."""
    text, lens = data.get("table_file"), data.get("lens")
    if not isinstance(text, str) or not (lens is None or isinstance(lens, Mapping)):
        raise TableRefError(
            "expected the text of a changed set-up, and the lens that it names, "
            f"but got {str(text)[:40]!r} and {str(lens)[:40]!r}"
        )
    return _table_of(text, None if lens is None else json.dumps(lens), "a game")


@lru_cache(maxsize=16)
def _table_of(text: str, lens: str | None, game: str) -> TableFile:
    """Read a table file of a game: it is asked for with every look at it, and never changes."""
    from calibration.lens.model import lens_from_dict  # noqa: PLC0415
    from calibration.tablefile import parse_table  # noqa: PLC0415

    known = None if lens is None else lens_from_dict(json.loads(lens), game)
    return parse_table(text, f"the set-up of {game}", lens=known, recorded=True)


def imported(row: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """What changes in the row of a game that is brought in: it is over, and says so itself."""
    mark = {"at": in_words(now), "ended": row["ended"]}
    about = json.loads(row["about"]) | {IMPORTED: mark}
    return {"ended": row["ended"] or mark["at"], "about": as_json(about)}


def as_exported(row: Mapping[Any, Any]) -> dict[str, Any]:
    """The row of a game as it was before it was brought in, for another library."""
    about = json.loads(row["about"])
    mark = about.pop(IMPORTED, None)
    if not isinstance(mark, dict) or mark.keys() != {"at", "ended"}:
        return dict(row)
    return {**row, "ended": mark["ended"], "about": as_json(about)}


def new_id(began: datetime) -> str:
    """An id that people can read out: the day and hour, and four letters against twins."""
    return f"{began.astimezone(UTC):%Y%m%d-%H%M}-{secrets.token_hex(2)}"


_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,39}")


def is_id(text: object) -> TypeGuard[str]:
    """Whether this may name a game or a dispute: files and folders are called by it.

    >>> is_id("20260501-2015-3f7a"), is_id(".."), is_id("a/b"), is_id("")
    (True, False, False, False)
    """
    return isinstance(text, str) and _ID.fullmatch(text) is not None


@dataclass(frozen=True)
class Newest:
    """The highest numbers in a game, 0 for none, its own time at its end, and the newest link and hour."""

    entry: int = 0
    block: int = 0
    deviation: int = 0
    calibration: int = 0
    at_s: float = 0.0
    link: str = ""
    wall: datetime | None = None


def newest_of(connection: Connection, game: str) -> Newest:
    """How far a game has come."""

    def most(table: Table, column: str = "number") -> Any:
        asked = select(func.max(table.c[column])).where(table.c.game == game)
        return connection.execute(asked).scalar() or 0

    e = schema.entry.c
    last = connection.execute(select(schema.entry).where(e.game == game).order_by(e.number.desc()).limit(1))
    row = last.mappings().first()
    return Newest(
        entry=0 if row is None else row["number"],
        block=int(most(schema.block)),
        deviation=int(most(schema.deviation)),
        calibration=int(most(schema.calibration)),
        at_s=max(0.0, float(most(schema.entry, "at_s")), float(most(schema.block, "ends_s"))),
        link="" if row is None else link(row["before"], dict(row)),
        wall=None if row is None else from_words(row["wall"]),
    )


def rows_of(
    game: str, entries: Sequence[Recorded], beside: Sequence[Beside], kept: Newest
) -> dict[Table, list[dict[str, Any]]]:
    """What is to be written into which table, linked to what is kept; what is kept already is left out."""
    rows: dict[Table, list[dict[str, Any]]] = {}
    before = kept.link
    for entry in entries:
        if entry.number > kept.entry:
            row = {"game": game} | record_of(entry) | {"data": as_json(entry.data), "before": before}
            before = link(before, row)
            rows.setdefault(schema.entry, []).append(row)
    for one in beside:
        match one:
            case Block():
                table, last = schema.block, kept.block
            case Deviation():
                table, last = schema.deviation, kept.deviation
            case Calibration():
                table, last = schema.calibration, kept.calibration
        if one.number > last:
            rows.setdefault(table, []).append({"game": game, **vars(one)})
    return rows


def entry_of(row: Mapping[Any, Any]) -> Recorded:
    """A row of the table `entry` as it is used; a clear error for one that cannot be read."""
    try:
        data = json.loads(row["data"])
        if not isinstance(data, dict):
            raise LibraryDamaged(f"entry {row['number']} holds no object")
        return Recorded(
            number=row["number"],
            kind=row["kind"],
            at_s=row["at_s"],
            source_s=row["source_s"],
            wall=from_words(row["wall"]),
            words=row["words"],
            data=data,
            actor=row["actor"],
        )
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise LibraryDamaged(f"entry {row['number']} cannot be read: {error}") from error
