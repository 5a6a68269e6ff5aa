"""The tables of a library of games, as they are today; `database` brings older ones up to date.

Times of the wall clock are texts in UTC (ISO 8601), for people and never for order. `at_s` is
the game's own time: seconds since it began, whatever any clock did.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()


game = Table(
    "game",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", Text, nullable=False),
    Column("table_name", Text, nullable=False),
    Column("began", String(32), nullable=False),
    Column("ended", String(32)),
    Column("table_file", Text, nullable=False),
    Column("lens", Text),
    Column("about", Text, nullable=False),
)


def _of_game(name: str, *more: Column[Any] | Index) -> Table:
    """A table of what belongs to a game, numbered in it."""
    return Table(
        name,
        metadata,
        Column("game", String(40), ForeignKey("game.id", ondelete="CASCADE"), primary_key=True),
        Column("number", Integer, primary_key=True, autoincrement=False),
        *more,
    )


entry = _of_game(
    "entry",
    Column("kind", String(80), nullable=False),
    Column("at_s", Double, nullable=False),
    Column("source_s", Double),
    Column("wall", String(32), nullable=False),
    Column("actor", Text),
    Column("words", Text, nullable=False),
    Column("data", Text, nullable=False),
    # The link of all entries before this one, see `server.recording.chain`.
    Column("before", String(64), nullable=False, server_default=""),
    Index("entry_at", "game", "at_s"),
)

block = _of_game(
    "block",
    Column("begins_s", Double, nullable=False),
    Column("ends_s", Double, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Index("block_at", "game", "begins_s"),
)

deviation = _of_game("deviation", Column("data", LargeBinary, nullable=False))

calibration = _of_game(
    "calibration", Column("at_s", Double, nullable=False), Column("data", Text, nullable=False)
)

search = Table(
    "search",
    metadata,
    Column("game", String(40), ForeignKey("game.id", ondelete="CASCADE"), primary_key=True),
    Column("began", String(32), nullable=False),
    Column("players", Text, nullable=False),
    Column("played", Text),
    Column("words", Text, nullable=False),
    Index("search_order", "began", "game", "words"),
)
"""What a list of games is made of: who played, what, and the words by which one is found (see `search`)."""
