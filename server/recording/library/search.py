"""Finds games in a library by who played what, where and when, a page of them at a time.

The table `search` holds the words by which each game is found; it is made from the game's row and entries,
and can always be made again.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, delete, false, func, insert, select

from calibration.table_text import toml_of
from server.recording.journal import Recorded, in_words
from server.recording.library import schema
from server.recording.library.records import GameRecord

PLAYER, GAME, PLACE, NAME = "player", "game", "place", "name"
"""What a word of a game is about."""

SETUP, BEGIN = "play.setup", "match.begin"
"""Entries that say who plays, and by which rules."""

LONGEST = 60
"""Letters of a word that count."""

AT_ONCE = 50
"""Games on a page unless told otherwise."""


@dataclass(frozen=True)
class Wanted:
    """Which games. Every word must be the beginning of a word of the game, whatever its case or accents.

    `words` may be about anything, `player`, `game` and `place` (the table's name) about that alone.
    `since` is the earliest beginning, `until` the first that is too late.
    """

    words: str = ""
    player: str = ""
    game: str = ""
    place: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True)
class GamesPage:
    """Some of the games that were wanted, the newest first; `total` counts all of them."""

    games: tuple[GameRecord, ...]
    total: int
    first: int


def words_of(text: str) -> list[str]:
    """The words of a text as they are compared.

    >>> words_of("Zoë & Jörg, club_room 2")
    ['zoe', 'jorg', 'club', 'room', '2']
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(c for c in plain if not unicodedata.combining(c))
    return [word[:LONGEST] for word in re.findall(r"[^\W_]+", bare)]


# Asked


def page_of(connection: Connection, wanted: Wanted, first: int, count: int | None) -> GamesPage:
    """The games from the number `first` on (0 is the newest), `count` of them or all."""
    s = schema.search.c
    fits = list(_conditions(wanted))
    total = connection.scalar(select(func.count()).select_from(schema.search).where(*fits)) or 0
    # Along an index; what is told of a game is looked up for the page alone.
    asked = select(s.game).where(*fits).order_by(s.began.desc(), s.game.desc()).offset(first)
    return GamesPage(records(connection, connection.scalars(asked.limit(count)).all()), total, first)


def records(connection: Connection, ids: Sequence[str]) -> tuple[GameRecord, ...]:
    """What is known of these games, in their order."""
    found: dict[str, GameRecord] = {}
    for k in range(0, len(ids), 500):
        rows = connection.execute(_told_of().where(schema.game.c.id.in_(ids[k : k + 500])))
        found |= {row.id: GameRecord.from_json(row._asdict()) for row in rows}
    return tuple(found[id] for id in ids if id in found)


def _told_of() -> Select[Any]:
    g, e, b, s = schema.game.c, schema.entry.c, schema.block.c, schema.search.c
    newest = select(e.kind).where(e.game == g.id).order_by(e.number.desc()).limit(1)
    block = select(b.ends_s).where(b.game == g.id).order_by(b.number.desc()).limit(1)
    return select(
        schema.game,
        s.players,
        s.played,
        select(func.max(e.number)).where(e.game == g.id).scalar_subquery().label("entries"),
        select(func.max(e.at_s)).where(e.game == g.id).scalar_subquery().label("entries_end"),
        block.scalar_subquery().label("tracks_end"),
        newest.scalar_subquery().label("last_kind"),
    ).join(schema.search, s.game == g.id)


def _conditions(wanted: Wanted) -> Iterator[ColumnElement[bool]]:
    s = schema.search.c
    if wanted.since is not None:
        yield s.began >= in_words(wanted.since)
    if wanted.until is not None:
        yield s.began < in_words(wanted.until)
    fields = (("", wanted.words), (PLAYER, wanted.player), (GAME, wanted.game), (PLACE, wanted.place))
    for field, text in fields:
        for word in words_of(text):
            yield s.words.contains(f" {field}:{word}" if field else f":{word}", autoescape=True)
        if text.strip() and not words_of(text):
            # Signs alone are no word of any game.
            yield false()


# Kept


def index_game(connection: Connection, id: str) -> None:
    """Makes anew, from what is kept of a game, what it is found by."""
    g, e, s = schema.game.c, schema.entry.c, schema.search.c
    row = connection.execute(select(g.name, g.table_name, g.table_file, g.began).where(g.id == id)).one()
    asked = select(e.kind, e.data).where(e.game == id, e.kind.in_((SETUP, BEGIN))).order_by(e.number)
    told = [(kind, _object(data)) for kind, data in connection.execute(asked)]
    drafts = [data.get("draft") for kind, data in told if kind == SETUP]
    begun = [data.get("game") for kind, data in told if kind == BEGIN]
    players = (_players(drafts[-1]) if drafts else []) or _owners(row.table_file)
    played = str(begun[-1] or _first_game()) if begun else None
    names = ((PLAYER, players), (GAME, [played or ""]), (PLACE, [row.table_name]), (NAME, [row.name]))
    words = [f" {field}:{word}" for field, some in names for name in some for word in words_of(name)]
    connection.execute(delete(schema.search).where(s.game == id))
    connection.execute(
        insert(schema.search).values(
            game=id,
            began=row.began,
            players=json.dumps(players, ensure_ascii=False),
            played=played,
            words="".join(dict.fromkeys(words)),
        )
    )


def says_who(entries: Iterable[Recorded]) -> bool:
    """Whether one of these entries changes by which words their game is found."""
    return any(entry.kind in (SETUP, BEGIN) for entry in entries)


def _players(draft: Any) -> list[str]:
    players = draft.get("players") if isinstance(draft, dict) else None
    found = players if isinstance(players, list) else ()
    return [str(p["name"]) for p in found if isinstance(p, dict) and p.get("name")]


def _owners(table_file: str) -> list[str]:
    """Whose the pieces are by the table file; one that cannot be read names nobody."""
    try:
        data = toml_of(table_file)
    except ValueError:
        return []
    pieces = [p for kind in data.values() if isinstance(kind, list) for p in kind if isinstance(p, dict)]
    return list(dict.fromkeys(p["owner"] for p in pieces if isinstance(p.get("owner"), str) and p["owner"]))


def _first_game() -> str:
    """Whose rules a match was played by that names none: it is of the time when there was one game."""
    from engine.game.registry import game_of_table  # noqa: PLC0415 - old records alone need it

    return game_of_table(None).about.id


def _object(text: str) -> Mapping[str, Any]:
    found = json.loads(text)
    return found if isinstance(found, dict) else {}
