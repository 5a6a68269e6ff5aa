"""The recorder: told when it is safe, and the game goes on whatever the disk does."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from calibration.tablefile import TableFile, load_table, parse_table
from engine.space.table import Status
from server.formats.entries import Entry
from server.pipeline.runner import Runner
from server.recording import session as sessions
from server.recording import spool
from server.recording.blocks import Beside
from server.recording.errors import StorageTrouble
from server.recording.journal import Recorded
from server.recording.library.games import GameWriter, Library
from server.recording.recorder import GOES_ON, PATIENCE_S, WAITS, Recorder
from server.recording.spool import EntryFile, JournalFile
from tests.server.fakes import PATIENCE, HandMoved, KnowsAll, wait_until
from tests.server.recording.made import drawn_moment


@pytest.fixture
def table(samples: Path) -> TableFile:
    return load_table(samples / "opening-round" / "table.toml")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "elsewhere"
    monkeypatch.setattr(spool, "spool_folders", lambda: (folder,))
    # What cannot be written is tried again soon.
    monkeypatch.setattr("server.recording.recorder.LOOK_EVERY_S", 0.01)
    return folder


class Evening:
    """A recorder and the moments that it is given."""

    def __init__(self, folder: Path, table: TableFile, **more: object) -> None:
        self.table = table
        self.told: list[int] = []
        self.recorder = Recorder(folder, table, video=None, **more)  # type: ignore[arg-type]
        self.recorder.start()
        self.frame = 0

    def play(self, frames: int, flush: bool = True) -> None:
        for _ in range(frames):
            moment = drawn_moment(self.table, self.frame, self.frame / 15)
            self.recorder.keep(moment, self.table, moment.events, self.told.extend)
            self.frame += 1
        if flush:
            self.recorder.flush()


@pytest.fixture
def evening(tmp_path: Path, table: TableFile) -> Iterator[Evening]:
    one = Evening(tmp_path / "games", table)
    yield one
    one.recorder.stop()


def test_events_are_told_with_their_numbers_once_they_are_on_the_disk(
    evening: Evening, tmp_path: Path
) -> None:
    evening.play(40)
    assert evening.told == list(range(1, len(evening.told) + 1))
    assert len(evening.told) > 10
    game = evening.recorder.game
    assert game is not None
    with Library.open(tmp_path / "games") as other:
        assert [e.number for e in other.reader(game.id).entries()] == evening.told


def test_nothing_is_begun_before_something_happens(tmp_path: Path, table: TableFile) -> None:
    evening = Evening(tmp_path / "games", table)
    moment = replace(drawn_moment(table, 0, 0.0), events=())
    evening.recorder.keep(moment, table, (), evening.told.extend)
    evening.recorder.flush()
    evening.recorder.stop()
    with Library.open(tmp_path / "games") as library:
        assert library.games() == ()


def test_a_match_and_the_camera_share_one_order(evening: Evening) -> None:
    evening.play(5)
    before = len(evening.told)
    said = [Entry("match.shot", None, "Bang."), Entry("match.hit", None, "Hit.")]
    assert evening.recorder.append(said) == (before + 1, before + 2)
    evening.play(60)
    assert evening.told[before] == before + 3
    assert [e.kind for e in evening.recorder.entries(["match."])] == ["match.shot", "match.hit"]


class TestEnding:
    def test_a_stop_ends_the_game(self, tmp_path: Path, table: TableFile) -> None:
        evening = Evening(tmp_path / "games", table)
        evening.play(40)
        evening.recorder.stop()
        with Library.open(tmp_path / "games") as library:
            (game,) = library.games()
            assert game.ended is not None
            assert library.reader(game.id).duration == pytest.approx(39 / 15, abs=0.01)

    def test_but_not_a_match_that_is_being_played(self, tmp_path: Path, table: TableFile) -> None:
        evening = Evening(tmp_path / "games", table)
        evening.play(10)
        evening.recorder.append([Entry("match.begin", None, "It begins.", {"seed": 7})])
        evening.recorder.stop()
        again = Evening(tmp_path / "games", table)
        assert again.recorder.said == [f"Game {evening_id(again)} goes on where it was stopped."]
        assert [e.data for e in again.recorder.entries(["match."])] == [{"seed": 7}]
        again.play(30)
        # Between them: the match, the stop, and that it goes on.
        assert again.told[0] == evening.told[-1] + 4
        again.recorder.append([Entry("play.end", None, "It is put away.")])
        assert again.recorder.game is None
        again.play(60)
        again.recorder.stop()
        with Library.open(tmp_path / "games") as library:
            assert [g.ended is not None for g in library.games()] == [True, True]

    def test_a_stop_is_told_from_a_crash(self, tmp_path: Path, table: TableFile) -> None:
        folder = tmp_path / "games"

        def crashed(name: str) -> str:
            """What a library says of its game whose tableref ends at this very moment."""
            # Without the lock, which nobody holds any more.
            # A picture that is being written is not there yet, and may be done while the folder is copied.
            leave = shutil.ignore_patterns("locks", "*.part")
            shutil.copytree(folder, tmp_path / name, ignore=leave)
            with Library.open(tmp_path / name) as library:
                return state_in(library)

        evening = Evening(folder, table)
        evening.play(10)
        evening.recorder.append([Entry("match.begin", None, "It begins.")])
        assert crashed("in the middle") == "cut off"
        with Library.open(folder) as library:
            assert state_in(library) == "being recorded"
        evening.recorder.stop()
        with Library.open(folder) as library:
            assert state_in(library) == "stopped"
        again = Evening(folder, table)
        again.recorder.flush()
        assert crashed("before anything happens again") == "cut off"
        assert [e.words for e in again.recorder.entries(["record."])] == [WAITS, GOES_ON]
        again.recorder.append([Entry("play.end", None, "It is put away.")])
        again.recorder.stop()
        with Library.open(folder) as library:
            assert state_in(library) == "over"

    def test_one_that_had_come_to_its_end_was_stopped_in_the_middle_of_nothing(
        self, tmp_path: Path, table: TableFile
    ) -> None:
        """Whoever stops tableref after the last blow, without *Set up another game*."""
        folder = tmp_path / "games"
        for over, stands in ((True, "over"), (False, "stopped")):
            evening = Evening(folder, table)
            assert not any("cut off" in said for said in evening.recorder.said)
            evening.recorder.over = lambda over=over: over  # type: ignore[misc]
            evening.play(10)
            if over:
                evening.recorder.append([Entry("match.begin", None, "It begins.")])
            evening.recorder.stop()
            with Library.open(folder) as library:
                assert state_in(library) == stands

    def test_times_go_on_after_what_a_crash_may_have_cost(self, tmp_path: Path, table: TableFile) -> None:
        evening = Evening(tmp_path / "games", table)
        evening.play(40)
        evening.recorder.append([Entry("match.begin", None, "It begins.")])
        evening.recorder.stop()
        again = Evening(tmp_path / "games", table)
        again.play(40)
        again.recorder.stop()
        with Library.open(tmp_path / "games") as library:
            (game,) = library.games()
            times = list(library.reader(game.id).times())
        assert times == sorted(times)
        assert times[40] - times[39] == pytest.approx(2.0, abs=0.1)
        assert len(times) == 80

    def test_one_of_yesterday_or_of_another_table_file_is_over(
        self, tmp_path: Path, table: TableFile
    ) -> None:
        edited = parse_table(table.text + "# moved the hill\n", lens=table.lens)
        for later, other in ((timedelta(hours=20), table), (timedelta(0), edited)):
            folder = tmp_path / f"games {later}"
            evening = Evening(folder, table)
            evening.play(5)
            evening.recorder.append([Entry("match.begin", None, "It begins.")])
            evening.recorder.stop()
            again = Evening(folder, other, wall=lambda later=later: datetime.now(UTC) + later)
            assert again.recorder.game is None
            again.play(5)
            again.recorder.stop()
            with Library.open(folder) as library:
                assert [g.ended is not None for g in library.games()] == [True, True]

    def test_a_table_that_is_set_up_piece_by_piece_leaves_one_game(
        self, evening: Evening, table: TableFile, tmp_path: Path
    ) -> None:
        """With every car that is named it is another table: what was watched for seconds is no game."""
        for number in range(3):
            evening.table = parse_table(f"{table.text}# {number}\n", lens=table.lens)
            evening.frame = 0
            evening.play(5)
        evening.recorder.stop()
        with Library.open(tmp_path / "games") as library:
            wait_until("two to be gone", lambda: len(library.games()) == 1)
            (game,) = library.games()
            assert library.reader(game.id).table.text.endswith("# 2\n")

    def test_another_table_is_another_game(self, evening: Evening, table: TableFile, tmp_path: Path) -> None:
        evening.play(5)
        evening.recorder.append([Entry("dispute.opened", None, "Bang.")])
        evening.table = changed(table)
        evening.frame = 0
        evening.play(5)
        evening.recorder.stop()
        with Library.open(tmp_path / "games") as library:
            assert sorted(g.table_name for g in library.games()) == ["Kitchen", "Opening round"]
            assert all(g.ended is not None for g in library.games())


def evening_id(evening: Evening) -> str:
    assert evening.recorder.game is not None
    return evening.recorder.game.id


def state_in(library: Library) -> str:
    (game,) = library.games()
    return library.state(game)


def changed(table: TableFile) -> TableFile:
    return parse_table(table.text.replace('name = "Opening round"', 'name = "Kitchen"'), lens=table.lens)


Write = Callable[[GameWriter, Sequence[object], Sequence[object]], None]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the disk does: full, or hanging until an event is set."""
    does: dict[str, object] = {"full": False, "hangs": None}
    write = GameWriter.write

    def slow(self: GameWriter, entries: Sequence[object], beside: Sequence[object] = ()) -> None:
        if isinstance(does["hangs"], threading.Event):
            does["hanging"] = True
            does["hangs"].wait(PATIENCE)
        if does["full"]:
            raise StorageTrouble("the library does not answer: the disk is full: make room on it")
        write(self, entries, beside)  # type: ignore[arg-type]

    monkeypatch.setattr(GameWriter, "write", slow)
    add = JournalFile.add
    monkeypatch.setattr(JournalFile, "add", lambda self, entries: not does["full"] and add(self, entries))
    return does


class TestSlowDisk:
    def test_what_comes_while_it_is_at_work_goes_there_in_one_write(
        self, evening: Evening, disk: dict[str, object], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        appended, writes = EntryFile.append, list[int]()

        def noted(self: EntryFile, lines: bytes) -> None:
            appended(self, lines)
            writes.append(lines.count(b"\n"))

        synced, syncs = os.fsync, list[int]()
        monkeypatch.setattr(EntryFile, "append", noted)
        monkeypatch.setattr(os, "fsync", lambda fd: (syncs.append(fd), synced(fd)))
        hangs = disk["hangs"] = threading.Event()
        waits = [evening.recorder.begin([Entry("match.shot", None, "Bang.")])]
        wait_until("the disk to be asked", lambda: "hanging" in disk)
        waits += [evening.recorder.begin([Entry("match.hit", None, f"{k}") for k in "ab"]) for _ in range(5)]
        told: list[tuple[int, ...]] = []
        asking = [threading.Thread(target=lambda w=w: told.append(w())) for w in waits]
        for one in asking:
            one.start()
        assert not told
        disk["hangs"] = None
        hangs.set()
        for one in asking:
            one.join(PATIENCE)
        assert sorted(told) == [(1,), *((k, k + 1) for k in range(2, 12, 2))]
        assert writes == [1, 10], "the one under way, and one for all that waited"
        assert len(syncs) == 3, "one for each, and one for the folder of a new file"

    def test_both_files_are_written_at_the_same_time(
        self, evening: Evening, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        both = threading.Barrier(2)
        write, add = GameWriter.write, JournalFile.add

        def writing(self: GameWriter, entries: Sequence[Recorded], beside: Sequence[Beside] = ()) -> None:
            if any(e.kind == "match.shot" for e in entries):
                both.wait(PATIENCE)
            write(self, entries, beside)

        def adding(self: JournalFile, entries: Sequence[Recorded]) -> bool:
            if any(e.kind == "match.shot" for e in entries):
                both.wait(PATIENCE)
            return add(self, entries)

        monkeypatch.setattr(GameWriter, "write", writing)
        monkeypatch.setattr(JournalFile, "add", adding)
        assert evening.recorder.append([Entry("match.shot", None, "Bang.")]) == (1,)
        assert not both.broken


class TestTrouble:
    def test_a_full_disk_is_told_and_the_game_goes_on(
        self, evening: Evening, disk: dict[str, object], elsewhere: Path, tmp_path: Path
    ) -> None:
        evening.play(5)
        disk["full"] = True
        evening.play(60)
        assert evening.told == list(range(1, len(evening.told) + 1))
        assert "the disk is full" in evening.recorder.notices[0]
        assert evening.recorder.append([Entry("match.shot", None, "Bang.")])
        assert len(list(elsewhere.glob("*.jsonl"))) == 1
        disk["full"] = False
        wait_until("the disk to be tried again", lambda: not evening.recorder.notices)
        evening.recorder.flush()
        assert list(elsewhere.iterdir()) == []
        evening.recorder.stop()
        with Library.open(tmp_path / "games") as library:
            reader = library.reader(library.games()[0].id)
            kinds = ["match.shot", "record.stopped"]
            assert [e.kind for e in reader.entries(after=len(evening.told))] == kinds
            numbers = list(range(1, len(evening.told) + 1 + len(kinds)))
            assert [e.number for e in reader.entries()] == numbers
            assert len(list(reader.times())) == 65, "tracks are not lost either"

    def test_a_disk_that_stays_full_leaves_everything_for_the_next_start(
        self, tmp_path: Path, table: TableFile, disk: dict[str, object]
    ) -> None:
        evening = Evening(tmp_path / "games", table)
        evening.play(5)
        disk["full"] = True
        evening.play(60)
        evening.recorder.stop()
        assert "could not be written and lie in" in evening.recorder.said[-1]
        disk["full"] = False
        again = Evening(tmp_path / "games", table)
        assert "entries were brought back" in again.recorder.said[0]
        assert [e.number for e in again.recorder.entries(["camera."])] == evening.told
        again.recorder.stop()

    def test_a_disk_that_hangs_holds_nobody_up(
        self, tmp_path: Path, table: TableFile, disk: dict[str, object], elsewhere: Path
    ) -> None:
        real = 0.0
        evening = Evening(tmp_path / "games", table, real=lambda: real)
        evening.play(1)
        hanging = disk["hangs"] = threading.Event()
        evening.play(40, flush=False)
        wait_until("the disk to be asked", lambda: "hanging" in disk)
        assert len(evening.told) < evening.frame
        waiting = len(evening.told)
        real = 2 * PATIENCE_S
        evening.play(1, flush=False)
        assert len(evening.told) > waiting, "told all the same"
        assert "has not answered" in evening.recorder.notices[0]
        assert len(list(elsewhere.glob("*.jsonl"))) == 1, "and safe elsewhere"
        hanging.set()
        evening.recorder.flush()
        assert evening.told == list(range(1, len(evening.told) + 1))
        evening.recorder.stop()
        with Library.open(tmp_path / "games") as library:
            reader = library.reader(library.games()[0].id)
            assert [e.number for e in reader.entries()] == evening.told

    def test_what_was_told_is_safe_until_it_is_in_the_library_itself(
        self, tmp_path: Path, table: TableFile, disk: dict[str, object], elsewhere: Path
    ) -> None:
        """The disk takes what it hung over, and hangs again before the rest."""
        real = 0.0
        evening = Evening(tmp_path / "games", table, real=lambda: real)
        evening.play(1)
        first = disk["hangs"] = threading.Event()
        evening.play(20, flush=False)
        wait_until("the disk to be asked", lambda: "hanging" in disk)
        evening.play(40, flush=False)
        real = 2 * PATIENCE_S
        evening.play(1, flush=False)
        told = list(evening.told)
        second = disk["hangs"] = threading.Event()
        del disk["hanging"]
        first.set()
        wait_until("the disk to be asked again", lambda: "hanging" in disk)
        with Library.open(tmp_path / "games") as library:
            safe = [e.number for e in library.reader(library.games()[0].id).entries()]
            assert safe != told, "the rest hangs"
        for file in elsewhere.glob("*.jsonl"):
            safe += [json.loads(line)["number"] for line in file.read_text().splitlines()[1:]]
        assert set(safe) >= set(told)
        second.set()
        evening.recorder.flush()
        assert list(elsewhere.iterdir()) == []
        evening.recorder.stop()

    def test_a_library_that_cannot_be_made_yet_is_made_when_it_can(
        self, tmp_path: Path, table: TableFile, elsewhere: Path
    ) -> None:
        (tmp_path / "file").write_text("in the way")
        evening = Evening(tmp_path / "file" / "games", table)
        assert "cannot be recorded yet" in evening.recorder.said[0]
        evening.play(30)
        assert evening.told
        assert "cannot be made" in evening.recorder.notices[0]
        (tmp_path / "file").unlink()
        waits = "The record waits"
        wait_until("the library", lambda: not any(waits in n for n in evening.recorder.notices))
        evening.play(5)
        evening.recorder.stop()
        with Library.open(tmp_path / "file" / "games") as library:
            (game,) = library.games()
            assert [e.number for e in library.reader(game.id).entries()] == evening.told

    def test_pictures_stop_before_the_disk_is_full(
        self, evening: Evening, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sessions, "free_bytes", lambda _: 1_000_000)
        evening.play(10)
        assert "No pictures are being kept: only 1 MB are free" in evening.recorder.notices[0]
        game = evening.recorder.game
        assert game is not None
        library = evening.recorder.library
        assert library is not None
        assert library.reader(game.id).stills() == []
        assert evening.told


class TestWithLive:
    def test_the_page_is_told_of_an_event_only_when_it_is_safe(
        self, tmp_path: Path, table: TableFile, disk: dict[str, object]
    ) -> None:
        source = HandMoved(fps=100)
        referee = KnowsAll(source)
        referee.table = table  # type: ignore[attr-defined]
        recorder = Recorder(tmp_path / "games", table, video=None)
        recorder.start()
        holding = disk["hangs"] = threading.Event()
        with Runner(source, referee, keeper=recorder) as live:
            wait_until("a moment", lambda: live.moment is not None)
            source.set_status("RED1", Status.HELD, "RED1 is covered.")
            number = live.snapshot.number
            wait_until("more moments", lambda: live.snapshot.number > number + 10)
            assert live.snapshot.events == ()
            holding.set()
            wait_until("the event", lambda: bool(live.snapshot.events))
            event = live.snapshot.events[0]
            assert (event.event.words, event.entry, event.number) == ("RED1 is covered.", 1, 1)
        recorder.stop()
