"""Power cuts, and what is kept of what was acknowledged.

The files of a recorder as they may lie there when power fails while its last event is written: write-ahead
log and second journal end anywhere in it, or go on with zeros or rubbish; all before it are acknowledged.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from calibration.tablefile import TableFile
from engine.errors import TableRefError
from server.formats.entries import Entry
from server.recording.library.games import FILE, LibraryPlace
from server.recording.recorder import Recorder

CUTS, CUTS_EACH, DISKS = 20, 60, 10
EVENTS = 12
WAL = f"{FILE}-wal"


# Power cuts


def cut(where: Path, table: TableFile, chance: random.Random, places: int) -> Iterator[tuple[int, int]]:
    """For each place: how many acknowledged events are lost and how many are there."""
    home = where / "games"
    files: dict[Path, bytes] = {}
    written: dict[Path, tuple[int, int]] = {}
    recorder = Recorder(home, table, video=None)
    recorder.start()
    try:
        for k in range(EVENTS):
            sizes = {path: path.stat().st_size for path in _files(home, recorder)}
            recorder.append([Entry("match.begin" if not k else "match.shot", None, f"{k}", {"k": k})])
            files = {path: path.read_bytes() for path in _files(home, recorder)}
            written = {path: (sizes.get(path, 0), len(data)) for path, data in files.items()}
    finally:
        recorder.stop()
    grown = [path.name for path, (before, after) in written.items() if path.name != FILE and before < after]
    if len(grown) != 2:
        raise TableRefError(f"expected the last event in the log and in the journal, found it in {grown}")
    for _ in range(places):
        yield _after(where, table, files, written, chance)


def _files(home: Path, recorder: Recorder) -> list[Path]:
    game = recorder.game
    journal = [LibraryPlace.of(home).journal_of(game.id)] if game is not None else []
    return [path for path in (home / FILE, home / WAL, *journal) if path.exists()]


def _after(
    where: Path,
    table: TableFile,
    files: dict[Path, bytes],
    written: dict[Path, tuple[int, int]],
    chance: random.Random,
) -> tuple[int, int]:
    """How many of the acknowledged events are lost and kept once the power failed during the last one."""
    home = where / "games"
    shutil.rmtree(home)
    for path, data in files.items():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        before, after = written[path]
        at, tail = len(data), b""
        if path.name != FILE and before < after:
            at = chance.randrange(before, after)
            tail = chance.choice((b"", bytes(after - at), chance.randbytes(after - at)))
        path.write_bytes(data[:at] + tail)
    recorder = Recorder(home, table, video=None)
    recorder.start()
    try:
        there = {e.data.get("k") for e in recorder.entries(("match.",))}
    finally:
        recorder.stop()
    lost = sum(1 for k in range(EVENTS - 1) if k not in there)
    return lost, EVENTS - 1 - lost


# Full disks
