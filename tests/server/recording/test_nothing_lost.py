"""What was acknowledged is kept, or people are told before the next acknowledgement."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from calibration.tablefile import TableFile, parse_table
from server.formats.entries import Entry
from server.recording import spool
from server.recording.errors import StorageTrouble
from server.recording.library import games
from server.recording.library.games import FILE, GameWriter, Library, LibraryPlace
from server.recording.recorder import Recorder
from server.recording.spool import kept_after, last_number

Restart = Callable[[], Recorder]


@pytest.fixture
def table(table_text: str) -> TableFile:
    return parse_table(table_text)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where emergency files go."""
    folder = tmp_path / "elsewhere"
    monkeypatch.setattr(spool, "spool_folders", lambda: (folder,))
    return folder


@pytest.fixture
def where(tmp_path: Path, elsewhere: Path) -> Path:
    return tmp_path / "games"


@pytest.fixture
def started(where: Path, table: TableFile) -> Iterator[Restart]:
    """Starts a recorder at the table, as often as it is called; the one before was killed."""
    running: list[Recorder] = []

    def start() -> Recorder:
        if running:
            killed(running.pop())
        recorder = Recorder(where, table, video=None)
        recorder.start()
        running.append(recorder)
        return recorder

    yield start
    for recorder in running:
        recorder.stop()


def killed(recorder: Recorder) -> None:
    """Lets go of what the system lets go of when a process is killed; nothing is written any more."""
    session = recorder._session
    with recorder._news:
        recorder._stopping = True
        recorder._news.notify_all()
    recorder._thread.join(10)
    recorder._filming.stop()
    if session is not None:
        session.spool.leave()
        session.journal._writer.close()
    if recorder._library is not None:
        recorder._library.close()


def play(recorder: Recorder, count: int, begun: int = 0) -> list[int]:
    """So many acknowledged shots."""
    kinds = ["match.begin" if not begun and not k else "match.shot" for k in range(count)]
    return [
        n
        for k, kind in enumerate(kinds)
        for n in recorder.append([Entry(kind, None, f"{begun + k}", {"k": begun + k})])
    ]


def told(recorder: Recorder) -> list[int]:
    """The shots that whoever goes on with the game reads."""
    return [e.data["k"] for e in recorder.entries(("match.",))]


def full(monkeypatch: pytest.MonkeyPatch, *, journal: bool = True) -> None:
    """A disk without room: for the library, and for the journal beside it."""

    def no_room(*_: object, **__: object) -> None:
        raise StorageTrouble("the disk is full")

    monkeypatch.setattr(GameWriter, "write", no_room)
    if journal:
        monkeypatch.setattr(spool.JournalFile, "add", lambda *_: False)


def test_a_game_that_was_put_away_while_the_disk_was_full_is_over(
    started: Restart, monkeypatch: pytest.MonkeyPatch, where: Path
) -> None:
    """It was taken up again at the next start, and the next game was written into its record."""
    recorder = started()
    play(recorder, 3)
    assert recorder.game is not None
    first = recorder.game.id
    with monkeypatch.context() as no_room:
        full(no_room, journal=False)
        recorder.append([Entry("play.end", None, "The game is put away.")])
        assert recorder.game is None
        play(recorder, 2)
    second = recorder.game.id
    recorder = started()
    assert recorder.game is not None
    assert recorder.game.id == second, "the newer one goes on"
    recorder.append([Entry("play.end", None, "The game is put away.")])
    recorder = started()
    assert recorder.game is None
    with Library.open(where) as library:
        assert {game.id: library.state(game) for game in library.games()} == {first: "over", second: "over"}
        assert library.lengths()[first] == 4


def test_a_restart_while_the_disk_is_full_overwrites_nothing(
    started: Restart, monkeypatch: pytest.MonkeyPatch, where: Path
) -> None:
    recorder, acknowledged = started(), 0
    play(recorder, 3)
    acknowledged += 3
    with monkeypatch.context() as no_room:
        full(no_room)
        for count in (5, 4, 6):
            numbers = play(recorder, count, acknowledged)
            acknowledged += count
            assert len(set(numbers)) == count
            assert "The record waits" in " ".join(recorder.notices)
            assert "in memory alone" not in " ".join(recorder.notices)
            recorder = started()
            assert told(recorder) == list(range(acknowledged)), "the game goes on where it was"
    recorder = started()
    assert told(recorder) == list(range(acknowledged))
    (game,) = Library.open(where).games()
    assert Library.open(where).reader(game.id).checked().broken is None


def test_what_no_disk_takes_is_told(
    started: Restart, monkeypatch: pytest.MonkeyPatch, elsewhere: Path
) -> None:
    recorder = started()
    play(recorder, 2)
    elsewhere.write_text("in the way")
    with monkeypatch.context() as no_room:
        full(no_room)
        play(recorder, 1, 2)
        assert "in memory alone: do not stop tableref now" in " ".join(recorder.notices)
    monkeypatch.setattr("server.recording.journal.RETRY_S", 0.0)
    play(recorder, 1, 3)
    assert recorder.notices == ()
    assert told(recorder) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "how", ["deleted", "the whole folder", "replaced by an empty one", "by an older one"]
)
def test_a_library_that_is_lost_while_it_is_written_is_written_again(
    started: Restart, where: Path, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.recording.journal.RETRY_S", 0.0)
    recorder = started()
    play(recorder, 4)
    if how == "by an older one":
        Library.open(where).close()
        shutil.copytree(where, tmp_path / "copy")
    play(recorder, 4, 4)
    if how == "the whole folder":
        shutil.rmtree(where)
    else:
        for file in where.glob(f"{FILE}*"):
            file.unlink()
    if how == "replaced by an empty one":
        (where / FILE).write_bytes(b"")
    if how == "by an older one":
        for file in (tmp_path / "copy").glob(f"{FILE}*"):
            shutil.copy(file, where / file.name)
    play(recorder, 2, 8)
    play(recorder, 2, 10)
    assert told(recorder) == list(range(12))
    assert "was deleted or replaced during the game" in " ".join(recorder.notices)
    recorder = started()
    assert told(recorder) == list(range(12))


@pytest.mark.parametrize("keep", [0.0, 0.3, 0.5, 0.9])
def test_a_write_ahead_log_that_is_cut_is_made_up_for(started: Restart, where: Path, keep: float) -> None:
    recorder = started()
    play(recorder, 12)
    copies = {f.name: f.read_bytes() for f in where.glob(f"{FILE}*")}
    killed(recorder)
    for file in where.glob(f"{FILE}*"):
        file.unlink()
    wal = copies[f"{FILE}-wal"]
    (where / FILE).write_bytes(copies[FILE])
    (where / f"{FILE}-wal").write_bytes(wal[: int(len(wal) * keep)])
    recorder._session, recorder._library = None, None
    again = started()
    assert told(again) == list(range(12))
    assert "brought back" in " ".join(again.said)


def test_a_journal_cut_at_any_byte_of_its_last_entry_costs_nothing(started: Restart, where: Path) -> None:
    """What was acknowledged is in the library too; and a torn line spoils none that comes after it."""
    recorder = started()
    play(recorder, 3)
    game = recorder.game
    assert game is not None
    path = LibraryPlace.of(where).journal_of(game.id)
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for cut in range(last, len(whole), 7):
        path.write_bytes(whole[:cut])
        recorder = started()
        play(recorder, 1, len(told(recorder)))
        numbers = [
            json.loads(line).get("number") for line in path.read_bytes().splitlines() if line.endswith(b"}")
        ]
        assert [n for n in numbers if n] == sorted({n for n in numbers if n})
        assert last_number(path) == recorder._session.journal.last  # type: ignore[union-attr]
        whole = path.read_bytes()
    assert told(recorder) == list(range(len(told(recorder))))


def test_an_unfinished_game_in_a_library_that_may_only_be_read_goes_on(
    started: Restart, monkeypatch: pytest.MonkeyPatch, where: Path
) -> None:
    recorder = started()
    play(recorder, 3)
    with monkeypatch.context() as read_only:

        def refused(*_: object) -> None:
            raise StorageTrouble("it may not be written into")

        read_only.setattr(games.Library, "writer", refused)
        full(read_only)
        recorder = started()
        assert told(recorder) == [0, 1, 2]
        play(recorder, 2, 3)
        assert "The record waits" in " ".join(recorder.notices)
    recorder = started()
    assert told(recorder) == [0, 1, 2, 3, 4]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a person's own folders from others by itself")
class TestNobodyElse:
    def test_reads_what_is_kept(self, started: Restart, where: Path) -> None:
        play(started(), 2)
        assert where.stat().st_mode & 0o77 == 0
        assert (where / "journal").stat().st_mode & 0o77 == 0
        assert {f.stat().st_mode & 0o77 for f in (where / "journal").iterdir()} == {0}

    def test_puts_events_into_a_game(
        self, started: Restart, where: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An emergency file of another user of the machine, in a folder that is open to all."""
        recorder = started()
        play(recorder, 2)
        game = recorder.game
        assert game is not None
        elsewhere.mkdir(exist_ok=True)
        lines = LibraryPlace.of(where).journal_of(game.id).read_text().splitlines()
        forged = json.loads(lines[-1]) | {"number": len(lines), "words": "Eve wins."}
        (elsewhere / f"{game.id}.spool.jsonl").write_text(f"{lines[0]}\n{json.dumps(forged)}\n")
        assert kept_after(LibraryPlace.of(where), game.id, len(lines) - 1), "it would fit"
        real = os.stat_result

        def theirs(found: os.stat_result) -> bool:
            return isinstance(found, real) and found.st_ino not in {
                p.stat().st_ino for p in elsewhere.iterdir()
            }

        monkeypatch.setattr(spool, "_ours", theirs)
        assert told(started()) == [0, 1]
