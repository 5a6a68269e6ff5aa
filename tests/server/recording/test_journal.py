"""The journal: entries in order whatever the disk does, linked to one another, and brought back."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.errors import TableRefError
from server.formats.entries import Entry
from server.recording.blocks import Beside
from server.recording.chain import Head
from server.recording.errors import StorageTrouble
from server.recording.journal import GameClock, Journal, Recorded
from server.recording.library.games import Library
from server.recording.library.records import GameRecord
from server.recording.matches import ends_of_batches, standing
from server.recording.spool import ENDING, Spool, recover
from tests.server.playback import BEGAN


class Disk:
    """EntryLog what is written; fills up when told."""

    def __init__(self) -> None:
        self.written: list[Recorded] = []
        self.full = False
        self.closed = False

    def write(self, entries: Sequence[Recorded], beside: Sequence[Beside] = ()) -> None:
        if self.full:
            raise StorageTrouble("the disk is full: make room on it")
        self.written += entries

    def close(self) -> None:
        self.closed = True


class Elsewhere:
    def __init__(self) -> None:
        self.kept: list[int] = []

    def add(self, entries: Sequence[Recorded]) -> bool:
        self.kept += [e.number for e in entries]
        return True

    def clear(self, through: int) -> None:
        self.kept = [e for e in self.kept if e > through]

    def leave(self) -> None:
        pass


def entry(words: str, time_s: float | None = None) -> Entry:
    return Entry("camera.settled", time_s, words, {"piece": words})


class TestNumbers:
    def test_go_on_without_gaps_from_batch_to_batch(self) -> None:
        disk = Disk()
        journal = Journal(disk, last=7)
        assert journal.append([entry("a"), entry("b")]) == (8, 9)
        assert journal.append([]) == ()
        assert journal.append([entry("c")]) == (10,)
        assert [(e.number, e.words) for e in disk.written] == [(8, "a"), (9, "b"), (10, "c")]

    def test_of_many_threads_are_each_given_once(self) -> None:
        disk = Disk()
        journal = Journal(disk)
        threads = [
            threading.Thread(target=lambda: [journal.append([entry("x"), entry("y")]) for _ in range(50)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [e.number for e in disk.written] == list(range(1, 401))

    def test_are_not_used_up_by_what_is_refused(self) -> None:
        journal = Journal(Disk())
        with pytest.raises(TableRefError, match="plain JSON"):
            journal.append([Entry("match.shot", 0.0, "?", {"at": float("nan")})])
        with pytest.raises(TableRefError, match="plain JSON"):
            journal.append([Entry("match.shot", 0.0, "?", {"at": object()})])
        assert journal.append([entry("a")]) == (1,)


class TestWhenTheDiskCannot:
    def test_entries_wait_in_order_and_are_told(self) -> None:
        disk, elsewhere = Disk(), Elsewhere()
        journal = Journal(disk, spill=elsewhere, real=lambda: 0.0)
        disk.full = True
        assert journal.append([entry("a")]) == (1,)
        assert journal.append([entry("b"), entry("c")]) == (2, 3)
        assert (journal.waiting, elsewhere.kept) == (3, [1, 2, 3])
        assert journal.trouble is not None
        assert "the disk is full" in journal.trouble
        assert not journal.retry()
        disk.full = False
        assert journal.retry()
        assert [e.words for e in disk.written] == ["a", "b", "c"]
        assert (journal.waiting, journal.trouble, elsewhere.kept) == (0, None, [])

    def test_the_next_entry_tries_again_after_a_while(self) -> None:
        now, disk = 0.0, Disk()
        journal = Journal(disk, real=lambda: now)
        disk.full = True
        journal.append([entry("a")])
        disk.full = False
        journal.append([entry("b")])
        assert disk.written == []
        now = 3.0
        journal.append([entry("c")])
        assert [e.number for e in disk.written] == [1, 2, 3]

    def test_even_a_mistake_in_writing_leaves_no_number_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now, disk = 0.0, Disk()
        journal = Journal(disk, real=lambda: now)
        with monkeypatch.context() as broken:
            broken.setattr(disk, "write", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                journal.append([entry("a")])
        now = 3.0
        assert journal.append([entry("b")]) == (2,)
        assert [e.number for e in disk.written] == [1, 2]

    def test_closing_tries_once_more(self) -> None:
        disk = Disk()
        journal = Journal(disk)
        disk.full = True
        journal.append([entry("a")])
        disk.full = False
        journal.close()
        assert [e.number for e in disk.written] == [1]
        assert disk.closed


def test_a_wall_clock_set_back_changes_no_order() -> None:
    wall = datetime(2026, 5, 1, 20, 0, tzinfo=UTC)
    disk = Disk()
    journal = Journal(disk, wall=lambda: wall)
    journal.append([entry("before", 10.0)])
    wall -= timedelta(hours=2)
    journal.append([entry("after", 11.0)])
    assert [e.words for e in sorted(disk.written, key=lambda e: e.number)] == ["before", "after"]
    assert disk.written[1].wall == disk.written[0].wall


def test_times_never_step_back() -> None:
    """Also where what was seen earlier is told later; the offset of the source's clock stays."""
    disk, clock = Disk(), GameClock(real=lambda: 0.0)
    journal = Journal(disk, clock=clock)
    clock.see(100.0)
    for now in (101.0, 102.0, 103.0):
        clock.see(now)
        journal.append([entry("now", None), entry("settled half a second ago", now - 0.5)])
    times = [e.at_s for e in disk.written]
    assert times == sorted(times)
    assert {round(e.at_s - e.source_s, 9) for e in disk.written if e.source_s is not None} == {-100.0}
    resumed = Journal(disk, last=6, since=disk.written[-1].wall + timedelta(hours=1), clock=GameClock(9.0))
    resumed.append([entry("on", None)])
    assert disk.written[-1].at_s == 9.0
    assert disk.written[-1].wall > disk.written[-2].wall


class TestGameClock:
    def test_begins_at_nought_wherever_the_source_begins(self) -> None:
        clock = GameClock(real=lambda: 0.0)
        assert clock.see(5000.0) == 0.0
        assert clock.see(5000.1) == pytest.approx(0.1)
        assert clock.at(5000.05) == pytest.approx(0.05)
        assert clock.at(None) == pytest.approx(0.1)

    def test_goes_on_when_the_source_begins_anew(self) -> None:
        real = 0.0
        clock = GameClock(real=lambda: real)
        clock.see(0.0)
        real = 20.0
        assert clock.see(20.0) == 20.0
        real = 20.5
        assert clock.see(0.0) == pytest.approx(20.5)
        real = 21.5
        assert clock.see(1.0) == pytest.approx(21.5)

    def test_takes_a_leap_for_another_source(self) -> None:
        real = 0.0
        clock = GameClock(real=lambda: real)
        clock.see(10.0)
        real = 1.0
        assert clock.see(345_000.0) == pytest.approx(1.0)

    def test_lets_a_recording_run_faster_than_life_and_a_silence_last(self) -> None:
        real = 0.0
        clock = GameClock(real=lambda: real)
        clock.see(0.0)
        assert clock.see(0.5) == 0.5
        real = 300.0
        assert clock.see(300.0) == 300.0

    def test_goes_on_after_a_restart(self) -> None:
        clock = GameClock(93.5, real=lambda: 0.0)
        assert clock.now == 93.5
        assert clock.see(3.0) == 93.5
        assert clock.see(4.0) == 94.5


# Links


CHANGES = {
    "another word": "UPDATE entry SET words = 'Ben shot.' WHERE number = 3",
    "another player": "UPDATE entry SET actor = 'Ben' WHERE number = 3",
    "another figure": "UPDATE entry SET data = '{\"n\":9}' WHERE number = 3",
    "another hour": "UPDATE entry SET wall = '2026-05-01T20:15:00.000000Z' WHERE number = 3",
    "taken out": "DELETE FROM entry WHERE number = 3",
    "taken out and closed up": "DELETE FROM entry WHERE number = 6",
}


def filled(library: Library, game: GameRecord, count: int) -> Head:
    """The game with so many entries more, written in two batches and across a restart."""
    for part in (count // 2, count - count // 2):
        journal = library.journal(game.id)
        journal.append([Entry("match.shot", None, "Anna shot.", {"n": n}, "Anna") for n in range(part)])
        journal.close()
    return library.reader(game.id).checked().head


def test_a_record_as_it_was_written_is_whole(library: Library, game: GameRecord) -> None:
    first = filled(library, game, 3)
    now = filled(library, game, 4)
    assert (first.entries, now.entries) == (3, 7)
    checked = library.reader(game.id).checked(3)
    assert (checked.head, checked.broken, checked.missing) == (first, None, 0)
    assert library.writer(game.id).head == now


@pytest.mark.parametrize("change", CHANGES)
def test_a_later_change_is_found(library: Library, game: GameRecord, change: str) -> None:
    before = filled(library, game, 6)
    with library.writing() as connection, connection.begin():
        connection.exec_driver_sql(CHANGES[change])
    found = library.reader(game.id).checked()
    assert found.broken == 3 or found.missing == 1 or found.head != before


def test_who_links_it_anew_cannot_meet_a_link_that_others_hold(library: Library, game: GameRecord) -> None:
    before = filled(library, game, 6)
    reader = library.reader(game.id)
    entries = list(reader.entries())
    other = library.add(GameRecord.new(game.table_text))
    writer = library.writer(other.id)
    entries[2].data["n"] = 9  # type: ignore[index]
    writer.write(entries)
    assert library.reader(other.id).checked().broken is None
    assert writer.head.entries == before.entries
    assert writer.head != before


# The emergency file


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


# What is left of a match


def batches(kinds: str) -> list[Recorded]:
    """Entries of these kinds, in words too; a slash in a kind is no match's."""
    return [
        Recorded(n, k.replace("/", ".") if "/" in k else f"match.{k}", 0.0, 0.0, BEGAN, k, {}, None)
        for n, k in enumerate(kinds.split(), 1)
    ]


@pytest.mark.parametrize(
    ("kinds", "left"),
    [
        ("begin action shot undo", "begin"),
        ("begin action shot undo redo", "begin action shot"),
        ("begin action shot undo action moved", "begin action moved"),
        ("begin action shot action moved undo undo", "begin"),
        ("begin action shot action moved undo undo redo", "begin action shot"),
    ],
)
def test_undo_and_redo(kinds: str, left: str) -> None:
    entries = batches(kinds)
    assert [e.words for e in standing(entries)] == left.split()


def test_what_was_seen_and_said_meanwhile_stays() -> None:
    entries = batches("begin action camera/moved shot dispute/opened undo")
    assert [e.words for e in standing(entries)] == ["begin", "camera/moved", "dispute/opened"]


def test_where_batches_end() -> None:
    entries = batches("camera/moved begin sheet action camera/moved shot action moved camera/settled")
    assert sorted(ends_of_batches(entries)) == [3, 6, 8]
