"""Recorded games to try readers, replays and exports on.

    game = recorded_round(tmp_path / "games", samples)     # the opening round's first 6.5 seconds
    with Library.open(game.folder) as library:
        reader = library.reader(game.id)
        reader.table_at(3.0); reader.still_at(1); reader.frame_at(3.0); list(reader.entries())

`record_round` referees the sample clip through `Recorder`, as `tableref demo` does, without a page and as
fast as it goes (about 4 s for 8 s of the clip): camera entries, tracks, calibration, stills and video.
`recorded_round` gives a copy of one that was made once.
`record_drawn` is quicker (no camera at all): cars driven by arithmetic, with entries of a match between them.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from calibration.tablefile import TableFile, load_table
from engine.game.events import Event, event_to_json
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.formats.entries import Entry
from server.pipeline.referee import Moment, Referee, TableEvent
from server.recording.pictures.video import VideoWish
from server.recording.recorder import Recorder
from tests.made import made
from vision.frame import Frame
from vision.source import SourceEnded, open_source


@dataclass(frozen=True)
class MadeGame:
    """Where a recorded game lies: the library's folder, and its id."""

    folder: Path
    id: str


SMALL = VideoWish(360, 10)


def record_round(
    folder: Path, samples: Path, seconds: float = 8.0, video: VideoWish | None = SMALL
) -> MadeGame:
    """The first seconds of the sample round, refereed and recorded."""
    table = load_table(samples / "opening-round" / "table.toml")
    referee, source = Referee(table), open_source(str(samples / "opening-round" / "opening-round.mp4"))
    moments = []
    try:
        while not moments or moments[-1].time < seconds:
            moments.append(referee.step(source.read()))
    except SourceEnded:
        pass
    finally:
        source.close()
    return record(folder, table, moments, video=video)


def recorded_round(folder: Path, samples: Path) -> MadeGame:
    """The first seconds of the sample round, refereed once for all workers; a copy of one's own.

    In its 6.5 seconds Red 1 drives four inches.
    """
    packages = ("engine", "calibration", "vision", "server")
    kept = made(
        "round", lambda into: _keep_round(into, samples), by=packages, of=Path(__file__).read_text("utf-8")
    )
    shutil.copytree(kept, folder, dirs_exist_ok=True)
    return MadeGame(folder, (folder / "id").read_text())


def _keep_round(folder: Path, samples: Path) -> None:
    (folder / "id").write_text(record_round(folder, samples, 6.5).id)


def record(
    folder: Path,
    table: TableFile,
    moments: Sequence[Moment],
    *,
    said: Sequence[tuple[float, Sequence[Entry]]] = (),
    video: VideoWish | None = None,
) -> MadeGame:
    """Any moments, with what a match says at which time between them (sorted by time)."""
    recorder = Recorder(folder, table, video=video, resume=False, about={"made": "by a test"})
    recorder.start()
    waiting = list(said)
    game = None
    for moment in moments:
        recorder.keep(moment, table, moment.events, lambda _: None)
        recorder.flush()
        while waiting and waiting[0][0] <= moment.time:
            recorder.append(waiting.pop(0)[1])
        game = recorder.game or game
    recorder.stop()
    assert game is not None, "nothing happened: a game begins with the first event"
    return MadeGame(folder, game.id)


def _turn(number: int) -> dict[str, Any]:
    event = Event("turn", {}, f"Turn {number} begins.", "", tone="turn")
    return {"turn": number, "event": event_to_json(event)}


def record_drawn(folder: Path, samples: Path, seconds: float = 20.0, fps: float = 15.0) -> MadeGame:
    """Cars that drive in turns, and a match that says so: no camera, no video, a still at every event."""
    table = load_table(samples / "opening-round" / "table.toml")
    moments = [drawn_moment(table, k, k / fps) for k in range(int(seconds * fps))]
    said = [
        (float(t), [Entry("match.turn", float(t), f"Turn {n} begins.", _turn(n), "Anna")])
        for n, t in enumerate(range(1, int(seconds), 5), start=1)
    ]
    return record(folder, table, moments, said=said)


PICTURE = np.full((90, 160, 3), 90, np.uint8)
SURE = PoseUncertainty.isotropic(0.012, 0.01)


def drawn_moment(table: TableFile, index: int, time: float) -> Moment:
    """Each piece in its turn drives for two seconds and stands for the rest."""
    standings, events = [], []
    cars = len(table.pieces)
    for k, piece in enumerate(table.pieces):
        turn = time % (3.0 * cars) - 3.0 * k
        gone = min(max(turn, 0.0), 2.0)
        status = Status.MOVING if 0.0 < turn < 2.0 else Status.STILL
        angle = 0.7 * k + 0.4 * gone
        pose = Pose(12 + 8 * math.cos(angle) + k, 14 + 8 * math.sin(angle) + k, angle)
        standings.append(Standing(piece, pose, SURE, status, 0.0, time))
        if index == 0:
            events.append(TableEvent(time, "appeared", piece.name, f"{piece.name} is on the table."))
        elif drawn_status(time - 1 / 15, k, cars) is not status:
            kind = "moving" if status is Status.MOVING else "settled"
            words = f"{piece.name} {'is moving' if kind == 'moving' else 'stands still'}."
            events.append(TableEvent(time, kind, piece.name, words))
    frame = Frame(PICTURE, time, index, "drawn")
    return Moment(index, time, frame, TableState(time, table.surface, tuple(standings)), None, tuple(events))


def drawn_status(time: float, k: int, cars: int) -> Status:
    turn = time % (3.0 * cars) - 3.0 * k
    return Status.MOVING if 0.0 < turn < 2.0 else Status.STILL
