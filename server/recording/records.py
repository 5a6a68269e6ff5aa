"""A game and its entries as they are kept, and as they are used."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row

from calibration.lens import Lens, lens_from_dict
from calibration.tablefile import TableFile, parse_table
from server.recording.journal import Recorded, as_json, from_words, in_words


@dataclass(frozen=True, eq=False)
class GameRecord:
    """What is known of a recorded game without opening it.

    `table_text` is the table file as it was, `lens` the lens that it named. `about` holds the
    versions that recorded it and where the pictures came from. `duration_s` is the game's own time at
    its last entry. `ended` is None while it goes on, or was cut off and can go on.
    """

    id: str
    name: str
    table_name: str
    began: datetime
    ended: datetime | None
    table_text: str
    lens: Lens | None
    about: Mapping[str, Any] = field(default_factory=dict)
    entries: int = 0
    duration_s: float = 0.0

    @property
    def table(self) -> TableFile:
        """The table file as it was, with the lens that was used."""
        return parse_table(self.table_text, f"the table file of game {self.id}", lens=self.lens)


def new_id(began: datetime) -> str:
    """An id that people can read out: the day and hour, and four letters against twins."""
    return f"{began.astimezone(UTC):%Y%m%d-%H%M}-{secrets.token_hex(2)}"


def row_of(game: str, entry: Recorded) -> dict[str, Any]:
    """An entry as a row of the table `entry`."""
    return {
        "game": game,
        "number": entry.number,
        "kind": entry.kind,
        "at_s": entry.at_s,
        "source_s": entry.source_s,
        "wall": in_words(entry.wall),
        "actor": entry.actor,
        "words": entry.words,
        "data": as_json(entry.data),
    }


def entry_of(row: Row[Any]) -> Recorded:
    """A row of the table `entry` as it is used."""
    return Recorded(
        number=row.number,
        kind=row.kind,
        at_s=row.at_s,
        source_s=row.source_s,
        wall=from_words(row.wall),
        words=row.words,
        data=json.loads(row.data),
        actor=row.actor,
    )


def record_of(row: Row[Any]) -> GameRecord:
    """A row of the table `game`, with its entries counted, as it is used."""
    return GameRecord(
        id=row.id,
        name=row.name,
        table_name=row.table_name,
        began=from_words(row.began),
        ended=None if row.ended is None else from_words(row.ended),
        table_text=row.table_file,
        lens=None if row.lens is None else lens_from_dict(json.loads(row.lens), f"game {row.id}"),
        about=json.loads(row.about),
        entries=row.entries or 0,
        duration_s=row.duration or 0.0,
    )
