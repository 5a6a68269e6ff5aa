"""`python -m benchmarks.disks [--json]`: power cuts, full disks, and what is kept of what was acknowledged.

Power cuts: the files of a recorder as they may lie there when power fails while its last event is written:
write-ahead log and second journal end anywhere in it, or go on with zeros or rubbish; all events before it
are acknowledged. Full disks: a server whose library lies on a small disk of its own, which is filled in the
middle of a player's events; the server is killed and started again while it is full, and once more when
there is room. That disk is a `tmpfs`: it needs Linux and the right to mount one; elsewhere that is said.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.siege import PATIENCE_S, SAMPLE, Player, kept_of, started
from calibration.tablefile import TableFile, parse_table
from engine.errors import TableRefError
from server.formats.entries import Entry
from server.recording.library.games import FILE, Place
from server.recording.recorder import Recorder

CUTS, CUTS_EACH, DISKS = 20, 60, 10
EVENTS = 12
DISK_MB = 8
WAL = f"{FILE}-wal"


# Power cuts


def power_cuts(count: int, each: int, seed: int = 0) -> dict[str, Any]:
    """So many recorders cut off from power, each at so many places of what it wrote last."""
    table = parse_table((SAMPLE / "table.toml").read_text(encoding="utf-8"))
    found = {"power cuts": count, "places": 0, "acknowledged": 0, "lost": 0}
    for number in range(seed, seed + count):
        with tempfile.TemporaryDirectory() as where:
            for lost, kept in cut(Path(where), table, random.Random(number), each):
                found["places"] += 1
                found["acknowledged"] += kept + lost
                found["lost"] += lost
    return found


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
    journal = [Place.of(home).journal_of(game.id)] if game is not None else []
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


@contextmanager
def small_disk(where: Path) -> Iterator[Path]:
    """A folder on a disk of `DISK_MB` megabytes."""
    where.mkdir(mode=0o700)
    asked = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=0700", "tmpfs", str(where)]
    try:
        subprocess.run(asked, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise TableRefError(
            f"a small disk cannot be mounted here ({error}); run this as root on Linux"
        ) from None
    try:
        yield where
    finally:
        subprocess.run(["umount", "--lazy", str(where)], check=False, capture_output=True)


def full_disks(count: int) -> dict[str, Any]:
    """So many servers whose disk fills up, that are killed and start again while it is full."""
    found = {"full disks": count, "acknowledged": 0, "kept": 0, "lost": 0, "acknowledged while full": 0}
    for _ in range(count):
        with tempfile.TemporaryDirectory() as where, small_disk(Path(where) / "library") as disk:
            kept: set[str] = set()
            filler = disk / "filler"
            _played(Path(where), kept, filler)
            before = len(kept)
            _played(Path(where), kept)
            found["acknowledged while full"] += len(kept) - before
            filler.unlink()
            _played(Path(where), kept)
            for what, number in kept_of(Path(where), kept).items():
                found[what] += number
    return found


def _played(folder: Path, kept: set[str], filler: Path | None = None) -> None:
    """A player at a server, which is killed in the middle; the disk is filled halfway if one is given."""
    with started(folder) as server:
        player = Player(server, kept)
        player.start()
        _answered(player, 4)
        if filler is not None:
            _fill(filler)
            _answered(player, len(player.answers) + 4)
        server.process.kill()
        player.join(PATIENCE_S)


def _answered(player: Player, count: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while len(player.answers) < count:
        if time.monotonic() > until:
            raise TableRefError(f"a player was answered {len(player.answers)} times of {count}")
        time.sleep(0.01)


def _fill(filler: Path) -> None:
    """Until not one more byte has room."""
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 16, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                continue


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.disks", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--cuts", type=int, default=CUTS, help="power cuts")
    parser.add_argument("--disks", type=int, default=DISKS, help="full disks")
    asked = parser.parse_args(argv)
    found = {"power": power_cuts(asked.cuts, CUTS_EACH)}
    try:
        found["disks"] = full_disks(asked.disks)
    except TableRefError as error:
        found["disks"] = {"not run": str(error)}
    found["load"] = {"now": os.getloadavg()[0]} if hasattr(os, "getloadavg") else {}
    print(json.dumps(found) if asked.json else "\n".join(f"{k}: {v}" for k, v in found.items()))
    return int(any(part.get("lost", 0) for part in found.values()))


if __name__ == "__main__":
    sys.exit(main())
