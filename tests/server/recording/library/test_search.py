"""Games are found by who played what, where and when, a page at a time."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, insert

from benchmarks.library import asked, fill
from server.formats.entries import Entry
from server.recording.library import database, schema
from server.recording.library.games import FILE, Library
from server.recording.library.records import GameRecord
from server.recording.library.search import Wanted
from tests.server.recording.library.test_games import make_version_1


def setup(*players: str) -> Entry:
    draft = {"players": [{"name": name, "colour": "#c8322b"} for name in players], "pieces": []}
    return Entry("play.setup", None, "The game is being set up.", {"draft": draft})


def begun(game: str) -> Entry:
    return Entry("match.begin", None, "The game begins.", {"game": game, "version": "1"})


@pytest.fixture
def club(library: Library, table_text: str) -> Library:
    """Three games: the first two in the kitchen, the last in the attic and without a match."""
    kitchen = table_text.replace('name = "Opening round"', 'name = "Kitchen"')
    attic = table_text.replace('name = "Opening round"', 'name = "Attic"')
    told = (
        ("one", kitchen, 1, [setup("Anna"), setup("Anna Smith", "Jörg"), begun("far_edge")]),
        ("two", kitchen, 2, [setup("Anna Berg", "Anna"), begun("white_line")]),
        ("three", attic, 3, []),
    )
    for name, text, day, entries in told:
        began = datetime(2026, 5, day, 20, tzinfo=UTC)
        id = library.add(GameRecord.new(text, name=name, began=began)).id
        journal = library.journal(id)
        for entry in entries:
            journal.append([entry])
        journal.close()
    return library


MAY = [datetime(2026, 5, day, tzinfo=UTC) for day in range(1, 5)]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        (Wanted(), ["three", "two", "one"]),
        (Wanted("anna"), ["two", "one"]),
        (Wanted("ANN smi"), ["one"]),
        (Wanted(player="jorg"), ["one"]),
        (Wanted(player="Jörg"), ["one"]),
        (Wanted("kitchen anna"), ["two", "one"]),
        (Wanted(player="kitchen"), []),
        (Wanted(place="kitchen"), ["two", "one"]),
        (Wanted(game="far edge"), ["one"]),
        (Wanted(game="white"), ["two"]),
        (Wanted("three"), ["three"]),
        (Wanted(since=MAY[1]), ["three", "two"]),
        (Wanted(since=MAY[1], until=MAY[2]), ["two"]),
        (Wanted("anna", until=MAY[1]), ["one"]),
        (Wanted("red"), ["three"]),
        (Wanted("nobody"), []),
        (Wanted("%"), []),
        (Wanted("_nna"), []),
        (Wanted("'; DROP TABLE game"), []),
    ],
)
def test_what_is_found(club: Library, wanted: Wanted, names: list[str]) -> None:
    found = club.search(wanted)
    assert ([g.name for g in found.games], found.total) == (names, len(names))


def test_who_played_what_is_told(club: Library) -> None:
    three, two, one = club.search().games
    assert (one.players, one.played) == (("Anna Smith", "Jörg"), "far_edge")
    assert (two.players, two.played) == (("Anna Berg", "Anna"), "white_line"), "in their order"
    assert (three.players, three.played) == (("Red", "Blue"), None), "whose the pieces are by the table file"


def test_page_by_page(club: Library) -> None:
    pages = [club.search(first=k, count=2) for k in (0, 2, 4)]
    assert [[g.name for g in p.games] for p in pages] == [["three", "two"], ["one"], []]
    assert [p.total for p in pages] == [3, 3, 3]


def test_another_name_is_found_and_the_old_one_no_more(club: Library) -> None:
    (game,) = club.search(Wanted("three")).games
    club.rename(game.id, "Final")
    assert [g.name for g in club.search(Wanted("final")).games] == ["Final"]
    assert club.search(Wanted("three")).total == 0


def test_a_game_that_is_deleted_is_found_no_more(club: Library) -> None:
    (game,) = club.search(Wanted("smith")).games
    club.delete(game.id)
    assert club.search(Wanted("smith")).total == 0


@pytest.mark.parametrize("version", ["0001", "0002"])
def test_the_games_of_an_older_library_are_found(tmp_path: Path, table_text: str, version: str) -> None:
    game = make_version_1(tmp_path, GameRecord.new(table_text, name="Friday"), 3)
    engine = create_engine(f"sqlite:///{tmp_path / FILE}")
    with engine.begin() as connection:
        database.upgrade(connection, version)
        row = {
            "game": game,
            "at_s": 1.0,
            "source_s": None,
            "wall": "2026-05-01T20:15:00.000000Z",
            "actor": None,
        }
        for number, data in (
            (4, '{"draft":{"players":[{"name":"Anna"}]}}'),
            (5, '{"draft":null}'),
            (6, "{}"),
        ):
            kind = "match.begin" if number == 6 else "play.setup"
            more = {"number": number, "kind": kind, "words": "", "data": data}
            connection.execute(insert(schema.entry).values(row | more))
    engine.dispose()
    with Library.open(tmp_path) as library:
        assert library.search(Wanted("friday")).total == 1
        (found,) = library.search(Wanted(place="opening")).games
        assert found.players == ("Red", "Blue"), "what cannot be read names nobody"
        assert found.played is not None, "a match that names no game is of the time when there was one"
        with library.engine.connect() as connection:
            assert database.version_of(connection) == database.NEWEST


def test_a_page_of_many_games_is_quick(tmp_path: Path) -> None:
    """Generous for a busy machine; `python -m benchmarks.library` measures."""
    with Library.open(tmp_path) as library:
        fill(library, 2000)
        for name, values in asked(2000):
            some = {
                k: datetime.fromisoformat(str(v)) if k in ("since", "until") else v for k, v in values.items()
            }
            first = int(str(some.pop("first", 0)))
            took = []
            for _ in range(5):
                begun_at = time.perf_counter()
                found = library.search(Wanted(**some), first)  # type: ignore[arg-type]
                took.append(time.perf_counter() - begun_at)
            assert len(found.games) <= 50
            assert min(took) < 0.05, name
