"""Killed at any moment, cut off from power in the middle of a write: what was acknowledged is there."""

from __future__ import annotations

import multiprocessing
import random
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from calibration.tablefile import load_table, parse_table
from server.formats.entries import Entry
from server.recording.errors import LibraryDamaged
from server.recording.library.games import FILE, Library
from server.recording.library.records import GameRecord
from server.recording.pictures.video import VideoWish
from server.recording.recorder import Recorder
from tests.server.recording.made import drawn_moment
from tests.server.recording.power_cuts import EVENTS, cut
from tests.volume import volume

KILLED = volume(12, 200 if sys.platform != "win32" else 20)
"""Where a process takes a second to begin, fewer must do."""

WORKED_S = 0.08
"""Seconds of the processor after which, at the latest, a child is dead."""


def dies_after(seconds: float) -> None:
    """Has the system end this process once it has worked for so long: as by `kill -9`, nothing is tidied up.

    By its work and not by the clock, a child on a busy machine dies at a moment as unlooked-for as any.
    """
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def record_on(folder: str, table_file: str, seed: int, acknowledged: Connection) -> None:
    """A table that is refereed as fast as it goes; tells each entry's number and token once it is safe.

    Of ten, eight die while they play and the others while they open the library.
    """
    table, rng = load_table(Path(table_file)), random.Random(seed)
    lives, plays = rng.random() * WORKED_S, rng.random() < 0.8
    if not plays:
        dies_after(lives)
    recorder = Recorder(folder, table, video=VideoWish(90, 10))
    recorder.start()
    recorder.append([Entry("match.begin", None, "It goes on.", {"token": seed})])
    if plays:
        dies_after(lives)
    frame = 0
    while True:
        moment = drawn_moment(table, frame, frame / 15)
        recorder.keep(
            moment, table, moment.events, lambda numbers: acknowledged.send([(n, None) for n in numbers])
        )
        frame += 1
        if rng.random() < 0.4:
            tokens = [rng.random() for _ in range(rng.choice((1, 1, 3)))]
            numbers = recorder.append([Entry("match.shot", None, "Bang.", {"token": t}) for t in tokens])
            acknowledged.send(list(zip(numbers, tokens, strict=True)))


def test_killed_at_any_moment_nothing_acknowledged_is_lost(
    tmp_path: Path, samples: Path, figure: Callable[[str, object], None]
) -> None:
    table_file = samples / "opening-round" / "table.toml"
    context = multiprocessing.get_context("forkserver" if sys.platform != "win32" else "spawn")
    if sys.platform != "win32":
        context.set_forkserver_preload([__name__, "tests.server.recording.warm"])
    heard: dict[int, float | None] = {}
    checked = 0
    for round_ in range(KILLED):
        here, there = context.Pipe(duplex=False)
        child = context.Process(
            target=record_on, args=(str(tmp_path), str(table_file), round_, there), daemon=True
        )
        child.start()
        there.close()
        if sys.platform == "win32":
            assert here.poll(60), "the child says nothing"
            child.kill()
        child.join()
        assert sys.platform == "win32" or child.exitcode == -signal.SIGPROF, "it died of something else"
        heard |= all_that_was_said(here)
        here.close()
        with Library.open(tmp_path) as library:
            if not library.games():
                assert not heard
                continue
            (game,) = library.games()
            assert game.ended is None
            for entry in library.reader(game.id).entries(after=checked):
                checked += 1
                assert entry.number == checked
                if heard.get(entry.number) is not None:
                    assert entry.data == {"token": heard[entry.number]}
            assert set(range(1, max(heard, default=0) + 1)) <= set(range(1, checked + 1))
    assert len(heard) > 2 * KILLED
    with Library.open(tmp_path) as library:
        unfinished = library.unfinished("Opening round")
        assert unfinished is not None, "and the game can go on"
        reader = library.reader(unfinished.id)
        begun = [e.data["token"] for e in reader.entries(["match.begin"])]
        assert begun == sorted(begun)
        assert len(begun) > KILLED / 2
        times = list(reader.times())
        assert times == sorted(times)
        assert reader.table_at(reader.duration).standings
    figure("recorders killed, entries acknowledged before, of those lost", f"{KILLED}, {len(heard)}, 0")


def all_that_was_said(pipe: Connection) -> dict[int, float | None]:
    said: dict[int, float | None] = {}
    try:
        while pipe.poll():
            said |= dict(pipe.recv())
    except (EOFError, OSError):
        # The last message was cut off in the middle: it acknowledged nothing.
        pass
    return said


def written(folder: Path, table_text: str, count: int) -> tuple[str, list[int]]:
    """A game of single entries, and how long the write-ahead log was after each was acknowledged."""
    library = Library.open(folder)
    game = library.add(GameRecord.new(table_text))
    journal = library.journal(game.id)
    sizes = []
    for k in range(count):
        journal.append([Entry("match.shot", float(k), f"entry {k + 1}", {"k": k, "filling": "x" * 300})])
        sizes.append((folder / f"{FILE}-wal").stat().st_size)
    copy = folder.with_name("cut")
    copy.mkdir()
    for name in (FILE, f"{FILE}-wal"):
        shutil.copy(folder / name, copy / name)
    journal.close()
    library.close()
    return game.id, sizes


@pytest.mark.parametrize("torn", ["cut off", "with zeros", "with rubbish", "half a page of the next"])
def test_power_cut_in_the_middle_of_a_write(tmp_path: Path, table_text: str, torn: str) -> None:
    """The log ends anywhere after what was synced; what was acknowledged by then is there."""
    game, sizes = written(tmp_path / "games", table_text, 60)
    rng = random.Random(torn)
    whole = (tmp_path / "cut" / f"{FILE}-wal").read_bytes()
    database = (tmp_path / "cut" / FILE).read_bytes()
    for k in [0, 1, 58, *(rng.randrange(60) for _ in range(12))]:
        folder = tmp_path / f"power {k} {rng.random()}"
        folder.mkdir()
        (folder / FILE).write_bytes(database)
        lost = rng.randrange(1, max(2, sizes[min(k + 1, 59)] - sizes[k]))
        tail = {
            "cut off": b"",
            "with zeros": bytes(lost),
            "with rubbish": rng.randbytes(lost),
            "half a page of the next": whole[sizes[k] : sizes[k] + lost],
        }[torn]
        (folder / f"{FILE}-wal").write_bytes(whole[: sizes[k]] + tail)
        with Library.open(folder) as library:
            found = [e.number for e in library.reader(game).entries()]
            assert found[: k + 1] == list(range(1, k + 2))
            assert found == list(range(1, len(found) + 1))
            journal = library.journal(game)
            assert journal.append([Entry("match.shot", None, "on")]) == (len(found) + 1,)
            journal.close()


def test_power_cut_before_the_first_page_is_written(tmp_path: Path, table_text: str) -> None:
    """A database file of no length, and a log that ends nowhere, are a library without games."""
    (tmp_path / FILE).write_bytes(b"")
    (tmp_path / f"{FILE}-wal").write_bytes(b"\x37\x7f\x06\x82")
    with Library.open(tmp_path) as library:
        assert library.games() == ()
        library.add(GameRecord.new(table_text))


def test_a_library_whose_pages_are_destroyed_says_so(tmp_path: Path, table_text: str) -> None:
    with Library.open(tmp_path) as library:
        library.add(GameRecord.new(table_text))
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray((tmp_path / FILE).read_bytes())
    data[200:4096] = bytes(3896)
    data[4096 : 4096 * 6] = b"\xff" * (4096 * 5)
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(LibraryDamaged, match="put a copy in its place"), Library.open(tmp_path) as library:
        library.games()


# Power cuts


def test_what_was_acknowledged_before_a_power_cut_is_there(tmp_path: Path, table_text: str) -> None:
    found = list(cut(tmp_path, parse_table(table_text), random.Random(5), 6))
    assert found == [(0, EVENTS - 1)] * 6
