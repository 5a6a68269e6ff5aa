"""The set-up of a table that is changed while a match is played: it goes on in the same record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from calibration.table_text import with_field, without_block
from calibration.tablefile import TableFile, load_table, parse_table
from engine.errors import TableRefError
from server.formats.entries import Entry
from server.recording.library.games import Library
from server.recording.library.records import SET_UP, set_up_of
from server.recording.recorder import Recorder
from tests.server.fakes import wait_until
from tests.server.recording.made import drawn_moment

FRAMES = 30
"""Pictures by each of the tables, fifteen a second."""


@pytest.fixture
def table(samples: Path) -> TableFile:
    return load_table(samples / "opening-round" / "table.toml")


@pytest.fixture
def tables(table: TableFile) -> tuple[TableFile, ...]:
    """As it was; with the roof of the first piece higher; without that piece."""
    higher = with_field(table.text, ("piece", 0), "height_in", 2.5)
    texts = table.text, higher, without_block(higher, ("piece", 0))
    return tuple(parse_table(text, "changed", lens=table.lens) for text in texts)


@pytest.fixture
def recorder(tmp_path: Path, table: TableFile) -> Iterator[Recorder]:
    one = Recorder(tmp_path, table, video=None)
    one.start()
    yield one
    one.stop()


def watch(recorder: Recorder, table: TableFile, part: int) -> None:
    for step in range(part * FRAMES, (part + 1) * FRAMES):
        moment = drawn_moment(table, step, step / 15)
        recorder.keep(moment, table, moment.events, lambda _: None)


def test_a_match_stays_in_its_record_and_everything_is_told_as_it_was_then(
    tmp_path: Path, recorder: Recorder, tables: tuple[TableFile, ...]
) -> None:
    recorder.append((Entry("match.begin", 0.0, "begun"),))
    for part, table in enumerate(tables):
        watch(recorder, table, part)
        recorder.append((Entry("match.action", (part + 1) * FRAMES / 15, f"done {part}"),))
    recorder.flush()
    name = tables[0].pieces[0].name
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        reader = library.reader(game.id)
        assert [e.words for e in reader.entries(("match.",))] == ["begun", "done 0", "done 1", "done 2"]
        assert [set_up_of(e.data).text for e in reader.entries((SET_UP,))] == [t.text for t in tables[1:]]
        told = []
        for part, table in enumerate(tables):
            at_s = (part + 0.5) * FRAMES / 15
            then = reader.table_at(at_s)
            names = [s.name for s in then.standings]
            assert sorted(names) == sorted(p.name for p in table.pieces)
            told.append([s.piece.body.height for s in then.standings if s.name == name])
            assert reader.file_at(at_s).text == table.text
            assert {p.name for p in then.unplaced} <= set(names)
        assert told == [[tables[0].pieces[0].body.height], [2.5], []]
        # From picture to picture: the very first one by a new table is told by it.
        heights = {
            (then.time, s.piece.body.height)
            for then in reader.tables()
            for s in then.standings
            if s.name == name
        }
        changed = min(at for at, high in heights if high == 2.5)
        assert all((high == 2.5) is (at >= changed) for at, high in heights)
        assert reader.table.text == tables[2].text


def test_the_game_goes_on_after_a_restart_by_the_table_as_it_was_changed(
    tmp_path: Path, recorder: Recorder, tables: tuple[TableFile, ...]
) -> None:
    recorder.append((Entry("match.begin", 0.0, "begun"),))
    watch(recorder, tables[0], 0)
    watch(recorder, tables[1], 1)
    assert recorder.game is not None
    recorder.stop()
    again = Recorder(tmp_path, tables[1], video=None)
    again.start()
    watch(again, tables[1], 0)
    again.flush()
    assert again.game is not None
    assert again.game.id == recorder_game(tmp_path)
    again.stop()
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        reader = library.reader(game.id)
        assert len(list(reader.entries((SET_UP,)))) == 1
        now = reader.table_at(1e6).find(tables[0].pieces[0].name)
        assert now.piece.body.height == 2.5


def test_what_was_done_at_the_first_moment_of_a_game_is_told_by_it_after_a_restart(
    tmp_path: Path, recorder: Recorder, table: TableFile
) -> None:
    """Nothing was seen between the deed and the end, and pieces were moved before the next start."""
    moments = [drawn_moment(table, 0, time) for time in (0.0, 7.0)]
    recorder.append((Entry("match.begin", 0.0, "begun"),))
    another = Recorder(tmp_path, table, video=None)
    for one, moment in zip((recorder, another), moments, strict=True):
        if one is another:
            one.start()
        one.keep(moment, table, (), lambda _: None)
        one.append((Entry("match.action", moment.time, "done"),))
        one.stop()
    with Library.open(tmp_path) as library:
        (game,) = library.games()
        reader = library.reader(game.id)
        told = [reader.table_at(entry.at_s) for entry in reader.entries(("match.action",))]
    places = [
        [[s.pose for s in table.standings] for table in tables]
        for tables in (told, [m.table for m in moments])
    ]
    assert places[0][0] != places[0][1]
    for found, was in zip(*places, strict=True):
        assert [p.xy for p in found] == [pytest.approx(p.xy, abs=1e-3) for p in was]


def recorder_game(folder: Path) -> str:
    with Library.open(folder) as library:
        (game,) = library.games()
        return game.id


def test_without_a_match_another_table_is_another_game(
    tmp_path: Path, recorder: Recorder, tables: tuple[TableFile, ...]
) -> None:
    recorder.append((Entry("dispute.opened", 0.0, "a question"),))
    watch(recorder, tables[0], 0)
    watch(recorder, tables[1], 1)
    recorder.append((Entry("dispute.opened", 0.0, "another question"),))
    recorder.flush()
    with Library.open(tmp_path) as library:
        assert [game.table_text for game in library.games()] == [t.text for t in reversed(tables[:2])]


def test_a_game_that_is_set_up_goes_along_into_the_record_of_another_table(
    tmp_path: Path, recorder: Recorder, tables: tuple[TableFile, ...]
) -> None:
    """A car was named in between, and after a restart draft and seats were forgotten."""
    for player, device in (("Anna", "a"), ("Ben", "b"), ("Anna", "c")):
        seat = {"player": player, "device": device}
        recorder.append((Entry("play.seat", None, "Somebody has sat down.", seat, player),))
    recorder.append((Entry("play.setup", 0.0, "It is set up.", {"draft": {}}),))
    watch(recorder, tables[0], 0)
    watch(recorder, tables[1], 1)
    recorder.append((Entry("ruling", 1.0, "a question"),))
    recorder.stop()
    again = Recorder(tmp_path, tables[1], video=None)
    again.start()
    kept = list(again.entries(("play.",)))
    assert [(e.kind, e.data.get("device")) for e in kept] == [
        ("play.seat", "c"), ("play.seat", "b"), ("play.setup", None),
    ]  # fmt: skip
    again.append((Entry("play.end", None, "It is put away."),))
    again.stop()


def test_each_piece_that_is_named_while_a_game_is_set_up_leaves_no_record(
    tmp_path: Path, recorder: Recorder, tables: tuple[TableFile, ...]
) -> None:
    recorder.append((Entry("play.setup", 0.0, "It is set up.", {"draft": {}}),))
    for part, table in enumerate((*tables, tables[1])):
        watch(recorder, table, part)
        # What is chosen meanwhile keeps none of the records between.
        recorder.flush()
    recorder.append((Entry("ruling", 1.0, "a question"),))
    recorder.flush()

    def kept() -> list[str]:
        with Library.open(tmp_path) as library:
            return [game.table_text for game in library.games()]

    wait_until("the brief ones to go", lambda: len(kept()) == 2)
    assert kept() == [tables[1].text, tables[0].text]


@pytest.mark.parametrize(
    "data", [{}, {"table_file": 3}, {"table_file": "", "lens": []}, {"table_file": "[[piece"}]
)
def test_what_is_no_set_up_is_told(data: dict[str, object]) -> None:
    with pytest.raises(TableRefError):
        set_up_of(data)
