"""What the library could not take comes back from the emergency file, once and whole."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from server.recording.journal import Recorded
from server.recording.library.games import Library
from server.recording.library.records import GameRecord
from server.recording.spool import ENDING, Spool, recover


def recorded(*numbers: int) -> list[Recorded]:
    wall = datetime(2026, 5, 1, 20, 15, tzinfo=UTC)
    return [Recorded(n, "match.shot", n / 7, None, wall, f"entry {n} »ä«", {"n": n}, "Anna") for n in numbers]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "elsewhere"


def spooled(library: Library, game: GameRecord, folder: Path) -> Spool:
    return Spool(library.words, game, [folder])


def test_entries_come_back_exactly(library: Library, game: GameRecord, folder: Path) -> None:
    spool = spooled(library, game, folder)
    spool.add(recorded(1, 2))
    spool.add(recorded(3))
    spool.leave()
    said = recover(library, [folder])
    assert len(said) == 1
    assert "3 entries were brought back" in said[0]
    assert list(library.reader(game.id).entries()) == recorded(1, 2, 3)
    assert list(folder.glob(f"*{ENDING}")) == []
    assert recover(library, [folder]) == []


def test_a_game_that_never_reached_the_library_comes_with_its_table(
    library: Library, table_text: str, folder: Path
) -> None:
    game = GameRecord.new(table_text, name="Friday")
    spool = spooled(library, game, folder)
    spool.add(recorded(1))
    spool.leave()
    recover(library, [folder])
    assert library.game(game.id).name == "Friday"
    assert library.game(game.id).table_text == table_text


def test_what_is_there_already_is_not_brought_twice(library: Library, game: GameRecord, folder: Path) -> None:
    writer = library.writer(game.id)
    writer.write(recorded(1, 2))
    writer.close()
    spool = spooled(library, game, folder)
    spool.add(recorded(2, 3))
    spool.leave()
    recover(library, [folder])
    assert [e.number for e in library.reader(game.id).entries()] == [1, 2, 3]


def test_a_line_cut_off_in_the_middle_costs_that_line_alone(
    library: Library, game: GameRecord, folder: Path
) -> None:
    spool = spooled(library, game, folder)
    spool.add(recorded(1, 2))
    path = spool.path
    assert path is not None
    spool.leave()
    path.write_bytes(path.read_bytes()[:-20])
    recover(library, [folder])
    assert [e.number for e in library.reader(game.id).entries()] == [1]


def test_one_that_is_in_use_or_of_another_library_stays(
    library: Library, game: GameRecord, folder: Path
) -> None:
    used = spooled(library, game, folder)
    used.add(recorded(1))
    other = Spool("the library of somebody else", GameRecord.new(game.table_text), [folder])
    other.add(recorded(1))
    other.leave()
    assert recover(library, [folder]) == []
    assert len(list(folder.glob(f"*{ENDING}"))) == 2
    used.clear(1)
    assert len(list(folder.glob(f"*{ENDING}"))) == 1


def test_it_stays_until_all_that_is_in_it_is_in_the_library(
    library: Library, game: GameRecord, folder: Path
) -> None:
    spool = spooled(library, game, folder)
    spool.add(recorded(1, 2, 3))
    spool.clear(2)
    assert len(list(folder.glob(f"*{ENDING}"))) == 1
    spool.clear(3)
    assert list(folder.iterdir()) == []


def test_the_next_folder_is_taken_when_one_cannot_be(
    library: Library, game: GameRecord, tmp_path: Path, folder: Path
) -> None:
    (tmp_path / "file").write_text("x")
    spool = Spool(library.words, game, [tmp_path / "file" / "no", folder])
    spool.add(recorded(1))
    assert spool.path is not None
    assert spool.path.parent == folder
    spool.clear(1)
    nowhere = Spool(library.words, game, [tmp_path / "file" / "no"])
    nowhere.add(recorded(1))
    assert nowhere.path is None
