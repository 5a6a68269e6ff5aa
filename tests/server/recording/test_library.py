"""A library keeps its games, lets one writer into each, moves with the times, and finds what is wanted."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Connection, create_engine, event, insert, inspect
from sqlalchemy.exc import OperationalError

from calibration.lens.model import guess_lens
from server.formats.entries import Entry
from server.recording.errors import (
    GameTaken,
    LibraryDamaged,
    LibraryError,
    LibraryTooNew,
    StorageTrouble,
    database_errors,
)
from server.recording.library import database, schema
from server.recording.library.games import FILE, Library, UnknownGame
from server.recording.library.records import GameRecord
from server.recording.library.search import Wanted, index_game
from tests.server.filled_library import asked, fill
from tests.volume import volume


def entries(count: int, first: int = 0) -> list[Entry]:
    return [Entry("camera.settled", float(k), f"entry {k}", {"k": k}) for k in range(first, first + count)]


_OF_GAME = """game VARCHAR(40) NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (game, number),
    FOREIGN KEY(game) REFERENCES game (id) ON DELETE CASCADE"""

VERSIONS = {
    "0001": f"""
    CREATE TABLE alembic_version (
        version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
    CREATE TABLE game (id VARCHAR(40) NOT NULL PRIMARY KEY, name TEXT NOT NULL, table_name TEXT NOT NULL,
        began VARCHAR(32) NOT NULL, ended VARCHAR(32), table_file TEXT NOT NULL, lens TEXT,
        about TEXT NOT NULL);
    CREATE TABLE entry (kind VARCHAR(80) NOT NULL, at_s DOUBLE NOT NULL, source_s DOUBLE,
        wall VARCHAR(32) NOT NULL, actor TEXT, words TEXT NOT NULL, data TEXT NOT NULL, {_OF_GAME});
    CREATE INDEX entry_at ON entry (game, at_s);
    INSERT INTO alembic_version VALUES ('0001');
    """,
    "0002": f"""
    CREATE TABLE block (
        begins_s DOUBLE NOT NULL, ends_s DOUBLE NOT NULL, data BLOB NOT NULL, {_OF_GAME});
    CREATE INDEX block_at ON block (game, begins_s);
    CREATE TABLE deviation (data BLOB NOT NULL, {_OF_GAME});
    CREATE TABLE calibration (at_s DOUBLE NOT NULL, data TEXT NOT NULL, {_OF_GAME});
    UPDATE alembic_version SET version_num = '0002';
    """,
    "0003": """
    CREATE TABLE search (game VARCHAR(40) NOT NULL PRIMARY KEY, began VARCHAR(32) NOT NULL,
        players TEXT NOT NULL, played TEXT, words TEXT NOT NULL,
        FOREIGN KEY(game) REFERENCES game (id) ON DELETE CASCADE);
    CREATE INDEX search_order ON search (began, game, words);
    UPDATE alembic_version SET version_num = '0003';
    """,
}
"""What each version of tableref brought, from the first on."""


def make_older(folder: Path, game: GameRecord, count: int, version: str = "0001") -> str:
    """A library as an older version of tableref made it; the game's id."""
    with closing(sqlite3.connect(folder / FILE)) as older:
        for name, brought in VERSIONS.items():
            if name <= version:
                older.executescript(brought)
    engine = create_engine(f"sqlite:///{folder / FILE}")
    with engine.begin() as connection:
        connection.execute(insert(schema.game).values(game.as_json()))
        for number in range(1, count + 1):
            connection.execute(insert(schema.entry).values(
                game=game.id, number=number, kind="camera.settled", at_s=number / 10, source_s=None,
                wall="2026-05-01T20:15:00.000000Z", actor=None, words=f"entry {number}", data="{}",
            ))  # fmt: skip
        if version == "0003":
            index_game(connection, game.id)
    engine.dispose()
    return game.id


class TestGames:
    def test_come_back_as_they_were_made(self, library: Library, table_text: str) -> None:
        lens, began = guess_lens((1920, 1080)), datetime(2026, 5, 1, 20, 15, tzinfo=UTC)
        made = library.add(
            GameRecord.new(table_text, name="Friday", lens=lens, about={"version": "1"}, began=began)
        )
        assert [g.id for g in library.games()] == [made.id]
        game = library.game(made.id)
        assert (game.name, game.table_name, game.began, game.ended) == (
            "Friday",
            "Opening round",
            began,
            None,
        )
        assert game.table_text == table_text
        assert len(game.table.pieces) > 5
        assert game.lens is not None
        assert np.array_equal(game.lens.K, lens.K)
        assert game.about == {"version": "1"}

    def test_are_found_by_a_part_of_their_id(self, library: Library, table_text: str) -> None:
        one = library.add(GameRecord.new(table_text, id="20260501-2015-aaaa"))
        library.add(GameRecord.new(table_text, id="20260501-2015-bbbb"))
        assert library.game("aaaa").id == one.id
        with pytest.raises(UnknownGame, match=r"may mean .*bbbb.*aaaa"):
            library.game("20260501")
        with pytest.raises(UnknownGame, match="no game 'x'"):
            library.game("x")

    def test_tell_how_much_is_in_them(self, library: Library, game: GameRecord) -> None:
        journal = library.journal(game.id)
        journal.clock.see(0.0)
        journal.append(entries(5))
        journal.close()
        assert (library.game(game.id).entries, library.game(game.id).duration_s) == (5, 4.0)

    def test_are_deleted_with_all_that_belongs_to_them(self, library: Library, game: GameRecord) -> None:
        journal = library.journal(game.id)
        journal.append(entries(3))
        with pytest.raises(GameTaken, match="being recorded now"):
            library.delete(game.id)
        journal.close()
        pictures = library.place.pictures_of(game.id)
        pictures.mkdir(parents=True)
        (pictures / "a.jpg").write_bytes(b"x")
        library.delete(game.id)
        assert library.games() == ()
        assert not pictures.exists()
        with closing(sqlite3.connect(library.folder / FILE)) as connection:
            assert connection.execute("SELECT count(*) FROM entry").fetchone() == (0,)

    def test_a_table_file_with_a_mistake_makes_none(self, library: Library) -> None:
        with pytest.raises(Exception, match="format"):
            library.add(GameRecord.new("[table]\nname = 'x'\n"))
        assert library.games() == ()

    @pytest.mark.parametrize("id", ["..", "", "../x", "/tmp/x", "a b", "x" * 41])
    def test_an_id_that_is_no_name_for_a_folder_makes_none(
        self, library: Library, table_text: str, id: str
    ) -> None:
        with pytest.raises(LibraryError, match="expected an id of letters"):
            library.add(replace(GameRecord.new(table_text), id=id))
        assert library.games() == ()


class TestOneWriter:
    def test_a_second_one_is_refused_until_the_first_has_gone(
        self, library: Library, game: GameRecord
    ) -> None:
        first = library.journal(game.id)
        first.append(entries(2))
        with Library.open(library.folder) as other:
            assert other.recorded_now(game.id)
            with pytest.raises(GameTaken, match="recorded by another tableref"):
                other.journal(game.id)
            first.close()
            second = other.journal(game.id)
            assert second.append(entries(1)) == (3,)
            second.close()

    def test_one_that_is_killed_lets_go(self, library: Library, game: GameRecord) -> None:
        child = subprocess.Popen(
            [sys.executable, "-c",
             "import sys; from server.recording.library.games import Library; "
             "kept = Library.open(sys.argv[1]).journal(sys.argv[2]); "
             "print('ready', flush=True); sys.stdin.read()",
             str(library.folder), game.id],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert child.stdin is not None
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            with pytest.raises(GameTaken):
                library.journal(game.id)
        finally:
            child.kill()
            child.wait()
            child.stdout.close()
            child.stdin.close()
        library.journal(game.id).close()

    def test_two_libraries_write_two_games_at_once(self, library: Library, table_text: str) -> None:
        games = [library.add(GameRecord.new(table_text)) for _ in range(2)]
        with Library.open(library.folder) as other:
            journals = [library.journal(games[0].id), other.journal(games[1].id)]
            for _ in range(30):
                for journal in journals:
                    journal.append(entries(2))
            for journal, game in zip(journals, games, strict=True):
                journal.close()
                assert [e.number for e in library.reader(game.id).entries()] == list(range(1, 61))


class TestUnfinished:
    def test_is_the_newest_that_was_cut_off_at_this_table(self, library: Library, table_text: str) -> None:
        old, new, done = (
            library.add(GameRecord.new(table_text, began=datetime(2026, 5, day, tzinfo=UTC)))
            for day in (1, 2, 3)
        )
        library.finish(done.id)
        other = library.add(GameRecord.new(table_text.replace('name = "Opening round"', 'name = "Kitchen"')))
        found = library.unfinished("Opening round")
        assert found is not None
        assert found.id == new.id
        journal = library.journal(new.id)
        found = library.unfinished("Opening round")
        assert found is not None
        assert found.id == old.id
        journal.close()
        library.finish(other.id)
        assert library.unfinished("Kitchen") is None


class TestReading:
    def test_in_order_by_kind_and_from_a_number_on(self, library: Library, game: GameRecord) -> None:
        journal = library.journal(game.id)
        journal.append([
            Entry("camera.settled", 1.0, "one"), Entry("match.shot", 1.5, "two", {"dice": [6, 2]}, "Anna"),
            Entry("ruling", 2.0, "three"), Entry("camera.moving", None, "four"),
        ])  # fmt: skip
        reader = library.reader(game.id)
        assert [e.words for e in reader.entries()] == ["one", "two", "three", "four"]
        assert [e.words for e in reader.entries(["camera."])] == ["one", "four"]
        assert [e.words for e in reader.entries(["ruling", "match."])] == ["two", "three"]
        assert [e.words for e in reader.entries(["camera"])] == []
        assert [e.words for e in reader.entries(after=1, until=3)] == ["two", "three"]
        shot = next(reader.entries(["match.shot"]))
        assert (shot.data, shot.actor, shot.source_s) == ({"dice": [6, 2]}, "Anna", 1.5)
        journal.close()

    def test_a_game_of_a_hundred_thousand_entries(self, library: Library, game: GameRecord) -> None:
        most, journal = volume(5_000, 100_000), library.journal(game.id)
        for first in range(0, most, 500):
            journal.append(entries(500, first))
        journal.close()
        count = 0
        for count, entry in enumerate(library.reader(game.id).entries(), start=1):
            assert (entry.number, entry.data["k"]) == (count, count - 1)
        assert count == library.game(game.id).entries == most
        assert [e.number for e in library.reader(game.id).entries(after=most - 3)] == [
            most - 2,
            most - 1,
            most,
        ]
        journal = library.journal(game.id)
        assert journal.append(entries(1)) == (most + 1,)
        journal.close()


class TestADiskThatRefuses:
    @pytest.mark.parametrize(
        ("pragma", "words"),
        [("max_page_count = 1", "the disk is full"), ("query_only = ON", "may not be written into")],
    )
    def test_is_told_in_words_and_nothing_is_lost(
        self, library: Library, game: GameRecord, pragma: str, words: str
    ) -> None:
        """What SQLite itself says when a disk is full or may only be read."""
        journal = library.journal(game.id)
        journal.append(entries(1))
        refuse = [True]

        @event.listens_for(library.engine, "begin")
        def _refuse(connection: Connection) -> None:
            usual = "max_page_count = 1000000" if "max" in pragma else "query_only = OFF"
            connection.exec_driver_sql(f"PRAGMA {pragma if refuse[0] else usual}")

        large = [Entry("match.shot", None, "x" * 50_000)]
        assert journal.append(large) == (2,)
        assert journal.trouble is not None
        assert words in journal.trouble
        refuse[0] = False
        assert journal.retry()
        assert journal.trouble is None
        journal.close()
        assert [e.number for e in library.reader(game.id).entries()] == [1, 2]

    def test_is_full_where_nothing_can_be_read_either(self) -> None:
        """SQLite says only that the disk does not work where there is no room for its shared memory."""
        with pytest.raises(StorageTrouble, match="the disk is full or does not work"), database_errors("it"):
            raise OperationalError("", {}, sqlite3.OperationalError("disk I/O error"))


class TestVersions:
    def test_a_newer_library_is_refused_and_stays_as_it_is(self, library: Library) -> None:
        with closing(sqlite3.connect(library.folder / FILE)) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
            connection.commit()
        with pytest.raises(LibraryTooNew, match="written by a newer tableref"):
            Library.open(library.folder)

    def test_an_older_library_is_brought_up_to_date_and_a_copy_kept(
        self, tmp_path: Path, table_text: str
    ) -> None:
        game = make_older(tmp_path, GameRecord.new(table_text), 50)
        with Library.open(tmp_path) as library:
            assert [e.words for e in library.reader(game).entries()] == [f"entry {k}" for k in range(1, 51)]
            journal = library.journal(game)
            assert journal.append(entries(1)) == (51,)
            journal.close()
            assert library.reader(game).table_at(1.0).standings == ()
        with closing(sqlite3.connect(tmp_path / f"{FILE}.0001")) as copy:
            assert copy.execute("SELECT count(*) FROM entry").fetchone() == (50,)
            assert copy.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)

    def test_an_older_library_of_which_no_copy_can_be_kept_stays_as_it_is(
        self, tmp_path: Path, table_text: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_older(tmp_path, GameRecord.new(table_text), 3)
        monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
        with pytest.raises(LibraryError, match="no copy of it can be kept"):
            Library.open(tmp_path)
        with closing(sqlite3.connect(tmp_path / FILE)) as connection:
            assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)

    @pytest.mark.parametrize("version", database.OLDER)
    def test_what_became_of_an_older_library_is_like_one_of_today(
        self, library: Library, tmp_path: Path, table_text: str, version: str
    ) -> None:
        """The same tables, columns and indices, and the entries linked."""
        game = make_older(tmp_path, GameRecord.new(table_text), 1100, version)
        with Library.open(tmp_path) as older:
            assert tables_of(older) == tables_of(library)
            checked = older.reader(game).checked()
            assert (checked.head.entries, checked.broken, checked.missing) == (1100, None, 0)


def tables_of(library: Library) -> dict[str, object]:
    """Every table with what its columns are, in whichever order, and its indices."""
    found = inspect(library.engine)
    return {
        name: (
            sorted((c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(name)),
            sorted(found.get_pk_constraint(name)["constrained_columns"]),
            [(key["referred_table"], key["options"]) for key in found.get_foreign_keys(name)],
            [(index["name"], index["column_names"]) for index in found.get_indexes(name)],
        )
        for name in found.get_table_names()
    }


class TestWhatCannotBeOpened:
    def test_a_database_of_something_else(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / FILE)) as connection:
            connection.execute("CREATE TABLE recipes (name)")
        with pytest.raises(LibraryDamaged, match="recipes"):
            Library.open(tmp_path)

    def test_a_file_that_is_no_database(self, tmp_path: Path) -> None:
        (tmp_path / FILE).write_bytes(b"nothing of the kind" * 100)
        with pytest.raises(LibraryDamaged, match="no library of games"):
            Library.open(tmp_path)

    def test_a_file_in_the_place_of_the_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(StorageTrouble, match="cannot be made"):
            Library.open(tmp_path / "file" / "games")

    @pytest.mark.parametrize("address", ["mysql://host/db", "://", "ftp://x"])
    def test_an_address_of_another_kind(self, address: str) -> None:
        with pytest.raises(LibraryError, match=r"PostgreSQL|no address"):
            Library.open(address)

    def test_a_password_is_not_told(self) -> None:
        assert "secret" not in database.shown(database.url_of("postgresql://me:secret@host/club"))


# Search


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
    game = make_older(tmp_path, GameRecord.new(table_text, name="Friday"), 3, version)
    engine = create_engine(f"sqlite:///{tmp_path / FILE}")
    with engine.begin() as connection:
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


def work(folder: Path, games: int) -> dict[str, tuple[int, int]]:
    """Of each question about so many games: statements, and hundreds of steps of the database."""
    done, statements, steps = {}, 0, 0

    def hundred() -> int:
        nonlocal steps
        steps += 1
        return 0

    with Library.open(folder) as library:
        fill(library, games)

        @event.listens_for(library.engine, "before_cursor_execute")
        def _count(connection: Connection, *_: object) -> None:
            nonlocal statements
            statements += 1
            connection.connection.driver_connection.set_progress_handler(hundred, 100)

        for name, values in asked(games):
            some = {
                k: datetime.fromisoformat(str(v)) if k in ("since", "until") else v for k, v in values.items()
            }
            first = int(str(some.pop("first", 0)))
            statements, steps = 0, 0
            assert len(library.search(Wanted(**some), first).games) <= 50  # type: ignore[arg-type]
            done[name] = statements, steps
    return done


def test_four_times_as_many_games_are_no_more_than_four_times_the_work(tmp_path: Path) -> None:
    """`python -m tests.server.filled_library` measures how long that takes."""
    few, many = work(tmp_path / "few", 100), work(tmp_path / "many", 400)
    # What a whole page takes to tell; of few games a page may not be full.
    page = few["first page"][1]
    for name, (statements, steps) in many.items():
        assert statements == few[name][0], name
        assert 0 < steps <= 4 * few[name][1] + page, name
