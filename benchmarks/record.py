"""`python -m benchmarks.record [--json] [--quick]`: what recording costs, and how quickly it is found again.

- bytes: a night of four hours with 20 pieces at 30 frames a second, without pictures, in a real library;
- durable: entries a second, one after the other, each in database and second journal, and how long each took;
- rate: frames judged a second at 1080p, flat out and from a camera of 30, with and without recording;
- seek: any time of that night, the table and the video's picture.

`--quick` plays twelve minutes of the night and scales its size.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import numpy as np

from benchmarks.command import command
from benchmarks.night import night
from calibration.tablefile import TableFile, parse_table
from engine.errors import TableRefError
from engine.space.table import Status
from server.formats.entries import Entry
from server.pipeline.as_recorded import AsRecorded
from server.pipeline.referee import Moment, Referee
from server.pipeline.runner import Runner
from server.recording.library.games import FILE, Library
from server.recording.library.records import GameRecord
from server.recording.pictures.video import VideoWish, VideoWriter, segments
from server.recording.recorder import Recorder
from server.recording.tracks import BLOCK_S, TrackEncoder
from tests.crowd import crowded_scene, shuttling
from vision.frame import Frame, Image
from vision.simulate.live import ScriptedTable
from vision.source import Source, SourceEnded

HOURS = 4.0
QUICK_HOURS = 0.2
FPS = 30.0
PIECES = 20
SIZE = (1920, 1080)
DRAWN = 60
WISH = VideoWish()


def drawn_table() -> tuple[TableFile, list[Image]]:
    """A simulated table of 20 cars, three of them moving, and two seconds of its pictures at 1080p."""
    scene = crowded_scene(SIZE, cars=PIECES, printed_px=45, foreign=0, seed=3)
    acts = shuttling(scene, ("Car 1", "Car 2", "Car 3"), DRAWN / FPS)
    table = ScriptedTable(scene, acts, fps=FPS, seconds=DRAWN / FPS)
    pictures: list[Image] = []
    try:
        while len(pictures) < DRAWN:
            pictures.append(table.read().image)
    except SourceEnded:
        pass
    return parse_table(scene.to_toml(), "the drawn table"), pictures


# The size of a night


def play_night(library: Library, table: TableFile, hours: float) -> tuple[str, dict[str, Any]]:
    """A night into a library; the game and what it weighs."""
    game = library.add(GameRecord.new(table.text))
    journal = library.journal(game.id)
    encoder, as_recorded = TrackEncoder(table.pieces), AsRecorded()
    packed = entries = 0
    spent = 0.0
    statuses: dict[str, Status] = {}
    for at_s, seen in night(list(table.pieces), hours * 3600, FPS):
        begun = time.perf_counter()
        standings = as_recorded.told(seen)
        encoder.add(at_s, at_s, standings)
        spent += time.perf_counter() - begun
        said = [s.name for s in standings if statuses.get(s.name) is not s.status]
        statuses = {s.name: s.status for s in standings}
        if said or encoder.seconds >= BLOCK_S:
            begun = time.perf_counter()
            block, deviations = encoder.close()
            spent += time.perf_counter() - begun
            journal.clock.see(at_s)
            batch = [Entry(f"camera.{statuses[n]}", at_s, f"{n} is {statuses[n]}.", _data(n)) for n in said]
            journal.append(batch, (*deviations, *(() if block is None else (block,))))
            packed += sum(len(d.data) for d in deviations) + (0 if block is None else len(block.data))
            entries += len(batch)
    block, deviations = encoder.close()
    journal.append([], (*deviations, *(() if block is None else (block,))))
    journal.close()
    library.finish(game.id)
    with library.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    weight = (library.folder / FILE).stat().st_size
    scale = HOURS / hours
    return game.id, {
        "hours_played": hours,
        "pieces": len(table.pieces),
        "entries": entries,
        "library_mb": weight * scale / 1e6,
        "tracks_mb": packed * scale / 1e6,
        "encoding_ms_a_frame": 1000 * spent / (hours * 3600 * FPS),
    }


def _data(name: str) -> dict[str, Any]:
    return {
        "piece": name,
        "x_in": 12.3456,
        "y_in": 23.4567,
        "heading_rad": 1.23456,
        "sd_in": 0.02031,
        "sd_rad": 0.01761,
    }


# Durability


def durable(folder: Path, table: TableFile, count: int) -> dict[str, Any]:
    """Single entries and batches of ten, each in the database and in the second journal before the next."""
    recorder = Recorder(folder, table, video=None)
    recorder.start()
    try:
        singles, tens = _timed(recorder, count, 1), _timed(recorder, count // 4, 10)
        if recorder.notices:
            raise TableRefError(f"the record was in trouble: {'; '.join(recorder.notices)}")
    finally:
        recorder.stop()
    return {
        "events_a_second": len(singles) / sum(singles),
        "p50_ms": 1000 * median(singles),
        "p95_ms": 1000 * float(np.percentile(singles, 95)),
        "batches_of_ten_events_a_second": 10 * len(tens) / sum(tens),
        "sync_p50_ms": 1000 * median(_syncs(folder, 100)),
    }


def _timed(recorder: Recorder, count: int, size: int) -> list[float]:
    took = []
    for _ in range(count):
        batch = [Entry("match.shot", None, "Red 1 fires at Blue 2.", _data("Red 1"))] * size
        begun = time.perf_counter()
        recorder.append(batch)
        took.append(time.perf_counter() - begun)
    return took


def _syncs(folder: Path, count: int) -> list[float]:
    """How long this disk takes for a bare sync of 4 kB: what no database can be faster than."""
    took = []
    with (folder / "sync").open("wb") as file:
        for _ in range(count):
            begun = time.perf_counter()
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - begun)
    return took


# The frame rate


class Pictures(Source):
    """The same pictures to and fro: at a camera's rate, or each when the one before has been judged."""

    name = "pictures"
    live = True
    notice: str | None = None

    def __init__(self, pictures: Sequence[Image], fps: float | None) -> None:
        self._pictures = [*pictures, *pictures[::-1]]
        self._fps = fps
        self._count = 0
        self._began = time.perf_counter()
        self._closed = threading.Event()
        self.judged = threading.Semaphore()

    def read(self) -> Frame:
        """The next picture, when it is time."""
        if self._closed.is_set():
            raise SourceEnded
        self._count += 1
        if self._fps is not None:
            wait = self._began + self._count / self._fps - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
        else:
            # Without this the reading thread would do nothing but hold up the others.
            self.judged.acquire(timeout=0.5)
        image = self._pictures[self._count % len(self._pictures)]
        return Frame(image, self._count / FPS, self._count, self.name)

    def close(self) -> None:
        """Ends it."""
        self._closed.set()


def frame_rate(
    table: TableFile, pictures: Sequence[Image], folder: Path | None, fps: float | None, seconds: float
) -> tuple[float, float]:
    """Frames judged a second while recording into a folder or not, and milliseconds of processor a frame."""
    recorder = None
    if folder is not None:
        recorder = Recorder(folder, table, video=WISH, resume=False)
        recorder.start()
    judged = [0]
    source = Pictures(pictures, fps)
    live = Runner(source, Referee(table, beside=True), keeper=recorder)
    stop = live.watch(partial(count_moments, live, source, judged, [None]))
    with live:
        end = time.perf_counter() + 20
        while live.snapshot.fps == 0 and time.perf_counter() < end:
            time.sleep(0.02)
        time.sleep(1.0)
        begun, worked = time.perf_counter(), time.process_time()
        judged[0] = 0
        time.sleep(seconds)
        took, worked = time.perf_counter() - begun, time.process_time() - worked
        count = judged[0]
        stop()
    if recorder is not None:
        recorder.stop()
    return count / took, 1000 * worked / max(1, count)


def count_moments(live: Runner, source: Pictures, judged: list[int], last: list[Moment | None]) -> None:
    """Counts a moment once, whatever else is told with it."""
    if live.moment is not last[0]:
        last[0] = live.moment
        judged[0] += 1
        source.judged.release()


def cost_on_the_rate(
    table: TableFile, pictures: Sequence[Image], folder: Path, rounds: int
) -> dict[str, Any]:
    """With and without in turns, so that what else this machine does weighs on both."""
    found: dict[str, Any] = {"video": WISH.words}
    for name, fps in (("flat_out", None), ("camera_30", FPS)):
        without, recording = [], []
        for k in range(rounds):
            without.append(frame_rate(table, pictures, None, fps, 4.0))
            recording.append(frame_rate(table, pictures, folder / f"{name}{k}", fps, 4.0))
        rates, pairs = [rate for rate, _ in without], list(zip(recording, without, strict=True))
        found[name] = {
            "without_fps": median(rates),
            "recording_fps": median(rate for rate, _ in recording),
            "cost_percent": 100 * (1 - median(r / w for (r, _), (w, _) in pairs)),
            "spread_percent": 100 * (max(rates) - min(rates)) / median(rates),
            "without_cpu_ms": median(cpu for _, cpu in without),
            "recording_cpu_ms": median(cpu for _, cpu in recording),
        }
    return found


# Finding it again


def seek(library: Library, game: str, pictures: Sequence[Image], hours: float, count: int) -> dict[str, Any]:
    """Random times of the night: the table, and the video's picture, each from a reader that is cold."""
    folder = library.place.pictures_of(game) / "video"
    writer = VideoWriter(folder, WISH)
    for k in range(int(60 * WISH.fps)):
        writer.add(pictures[k % len(pictures)], k / WISH.fps)
    writer.close()
    first = segments(folder)[0]
    for minute in range(1, int(hours * 60)):
        begins = minute * 60_000
        name = f"{begins:010d}-{begins + round(first.ends_s * 1000):010d}.mp4"
        try:
            os.link(first.path, folder / name)
        except OSError:
            shutil.copy(first.path, folder / name)
    rng = np.random.default_rng(7)
    tables, frames = [], []
    for at_s in rng.uniform(0, hours * 3600 - 60, count):
        begun = time.perf_counter()
        reader = library.reader(game)
        assert reader.table_at(float(at_s)).standings
        seen = time.perf_counter()
        assert reader.frame_at(float(at_s)) is not None
        tables.append(seen - begun)
        frames.append(time.perf_counter() - seen)
    both = [t + f for t, f in zip(tables, frames, strict=True)]
    return {
        "times": count,
        "table_p95_ms": 1000 * float(np.percentile(tables, 95)),
        "picture_p95_ms": 1000 * float(np.percentile(frames, 95)),
        "p50_ms": 1000 * median(both),
        "p95_ms": 1000 * float(np.percentile(both, 95)),
        "video_mb_an_hour": 60 * first.path.stat().st_size / 1e6,
    }


def measure(quick: bool, folder: Path) -> dict[str, Any]:
    """All figures."""
    table, pictures = drawn_table()
    hours = QUICK_HOURS if quick else HOURS
    with Library.open(folder / "games") as library:
        game, size = play_night(library, table, hours)
        found = {
            "night": size,
            "durable": durable(folder / "played", table, 200 if quick else 1000),
            "seek": seek(library, game, pictures, hours, 40 if quick else 200),
        }
    return found | {
        "rate": cost_on_the_rate(table, pictures, folder, 3 if quick else 7),
        "machine": {"system": platform.platform(), "cores": os.cpu_count(), "load": _load()},
    }


def _load() -> float | None:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def say(found: dict[str, Any]) -> None:
    """The figures for people."""
    night_, kept, rate, sought = (found[k] for k in ("night", "durable", "rate", "seek"))
    scaled = "" if night_["hours_played"] == HOURS else f" (scaled from {night_['hours_played']:g} h)"
    print(
        f"a night of {HOURS:g} h, {night_['pieces']} pieces at {FPS:g} frames a second{scaled}, no pictures:"
    )
    tracks = f"of it tracks {night_['tracks_mb']:.1f} MB"
    print(f"  {night_['library_mb']:.1f} MB in the library, {tracks} (asked: 60)")
    print(f"  {night_['encoding_ms_a_frame']:.2f} ms a frame to encode the tracks")
    print("durable entries, one after the other:")
    print(
        f"  {kept['events_a_second']:.0f} a second, p50 {kept['p50_ms']:.1f} ms, p95 {kept['p95_ms']:.1f} ms"
    )
    print(f"  in batches of ten {kept['batches_of_ten_events_a_second']:.0f} a second")
    print(f"  a bare sync of this disk: {kept['sync_p50_ms']:.1f} ms")
    print(f"frames judged a second at 1080p, {PIECES} cars, video {rate['video']}:")
    for name, words in (("flat_out", "flat out"), ("camera_30", "a camera of 30")):
        r = rate[name]
        print(
            f"  {words}: {r['without_fps']:.1f} without, {r['recording_fps']:.1f} recording: costs "
            f"{r['cost_percent']:.1f} % (asked: 10; without varies by {r['spread_percent']:.0f} %)"
        )
        cpu = f"{r['without_cpu_ms']:.1f} ms without, {r['recording_cpu_ms']:.1f} ms recording"
        print(f"    processor a frame: {cpu}")
    print(f"seeking, {sought['times']} random times, table and picture:")
    print(f"  p50 {sought['p50_ms']:.0f} ms, p95 {sought['p95_ms']:.0f} ms (asked: 300)")
    print(f"  table p95 {sought['table_p95_ms']:.0f} ms, picture p95 {sought['picture_p95_ms']:.0f} ms")
    print(f"  video of the drawn table: {sought['video_mb_an_hour']:.0f} MB an hour")
    print(f"on {found['machine']['cores']} cores with a load of {found['machine']['load']}")


def recorded(
    *,
    quick: Annotated[bool, "twelve minutes of the night, fewer rounds"] = False,
    folder: Annotated[Path | None, "on which disk; a temporary folder unless said"] = None,
) -> dict[str, Any]:
    """All figures."""
    with tempfile.TemporaryDirectory(dir=folder) as where:
        return measure(quick, Path(where))


if __name__ == "__main__":
    sys.exit(command(recorded, say=say))
