"""A library of many games, and what the page asks of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from server.recording.journal import Recorded
from server.recording.library import schema
from server.recording.library.games import Library
from server.recording.library.records import GameRecord, Newest, rows_of
from server.recording.library.search import BEGIN, SETUP, index_game

TABLE = Path(__file__).parents[2] / "samples" / "opening-round" / "table.toml"
PLAYERS = ("Anna", "Ben", "Chloé", "Dmitri", "Erin", "Farid", "Greta", "Hugo", "Ines", "Jörg")
TABLES = ("Kitchen", "Club room", "Attic", "Sports hall")
ENTRIES = 12


def fill(library: Library, count: int) -> None:
    """So many games of two players each, at four tables, in ten years."""
    text = TABLE.read_text(encoding="utf-8")
    chance = random.Random(1)
    began = datetime(2016, 1, 1, 20, tzinfo=UTC)
    with library.writing() as connection, connection.begin():
        for k in range(count):
            at = began + timedelta(days=3650) * k / count
            table = chance.choice(TABLES)
            record = GameRecord(f"g{k:06d}", f"Game {k}", table, at, at, text, None)
            connection.execute(insert(schema.game).values(record.as_json()))
            players = [{"name": name, "colour": "#c8322b"} for name in chance.sample(PLAYERS, 2)]
            told: list[dict[str, Any]] = [{"draft": {"players": players}}, {"game": "white_line_fever"}]
            entries = [
                Recorded(n + 1, kind, float(n), None, at, "", data, None)
                for n, (kind, data) in enumerate(
                    [(SETUP, told[0]), (BEGIN, told[1]), *[("camera.settled", {})] * (ENTRIES - 2)]
                )
            ]
            for into, rows in rows_of(record.id, entries, (), Newest()).items():
                connection.execute(insert(into), rows)
            index_game(connection, record.id)


def asked(count: int) -> Iterator[tuple[str, dict[str, str | int]]]:
    """What is asked, and as which parameters."""
    yield "first page", {}
    yield "middle page", {"first": count // 2}
    yield "last page", {"first": max(0, count - 50)}
    yield "player", {"player": "chloe"}
    yield "two players", {"words": "anna jorg"}
    yield "game", {"game": "white line"}
    yield "place", {"place": "attic"}
    yield "month", {"since": "2020-05-01T00:00:00Z", "until": "2020-06-01T00:00:00Z"}
    yield "player, place and year", {"words": "ben kitchen", "since": "2021-01-01T00:00:00Z"}
    yield "last page of a player", {"player": "greta", "first": count // 5 - 50 if count > 500 else 0}
    yield "nobody", {"words": "nobody"}
