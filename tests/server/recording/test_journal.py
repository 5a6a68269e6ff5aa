"""Entries are numbered without gaps, written before they are answered, and never lost."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from engine.errors import TableRefError
from server.formats.entries import Entry
from server.recording.blocks import Beside
from server.recording.errors import StorageTrouble
from server.recording.journal import GameClock, Journal, Recorded


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
