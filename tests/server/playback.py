"""A small recorded game at the table of the sample round: Red 1 drives, turns are told, rulings are made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import numpy as np

from calibration.surface import Surface
from calibration.tablefile import TableFile, parse_table
from engine.game.events import Event, event_to_json
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.formats.entries import Entry
from server.recording.calibrations import CalibrationWatch
from server.recording.journal import GameClock
from server.recording.library.games import Library
from server.recording.library.records import GameRecord
from server.recording.tracks import TrackEncoder
from server.table.questions.rulings import Rulings
from server.table.records import ruling_record

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "opening-round"
BEGAN = datetime(2026, 5, 1, 20, 15, tzinfo=UTC)
FPS = 10
SECONDS = 12

PLACES = {
    "Red 1": Pose(8.0, 10.0, 0.0),
    "Red 2": Pose(10.0, 30.0, 0.0),
    "Blue 1": Pose(34.0, 12.0, math.pi),
    "Blue 2": Pose(36.0, 34.0, math.pi),
    "Hill": Pose(24.0, 20.0, 0.0),
}


@cache
def table_file() -> TableFile:
    return parse_table((SAMPLE / "table.toml").read_text(encoding="utf-8"), "the sample table")


def table_at(file: TableFile, at_s: float, pace: float = 3.0) -> TableState:
    """Red 1 drives `pace` inches a second from the 4th to the 8th; Blue 2 is covered in the 9th."""
    gone = pace * min(max(at_s - 4.0, 0.0), 4.0)
    standings = []
    for piece in file.pieces:
        if piece.name not in PLACES:
            continue
        pose, status, seen = PLACES[piece.name], Status.STILL, at_s
        if piece.name == "Red 1":
            pose = Pose(pose.x + gone, pose.y, 0.0)
            status = Status.MOVING if 4.0 <= at_s < 8.0 else Status.STILL
        if piece.name == "Blue 2" and 9.0 <= at_s < 10.0:
            status, seen = Status.HELD, 9.0
        sure = PoseUncertainty.isotropic(0.01, 0.005)
        standings.append(Standing(piece, pose, sure, status, 0.0, seen))
    return TableState.of(file.surface, standings, at_s)


def surface_of(file: TableFile) -> Surface:
    """A camera 60 inches straight above the table's middle."""
    lens = file.lens_for((1920, 1080))
    turned = np.diag([1.0, -1.0, -1.0])
    middle = file.surface.outline.mean(axis=0)
    return Surface(lens, turned, -turned @ np.array([*middle, 60.0]), np.eye(6) * 1e-8, 0.004)


@dataclass(frozen=True)
class Happening:
    """What is told at a time."""

    at_s: float
    entry: Entry


@cache
def happenings(file: TableFile, pace: float = 3.0) -> list[Happening]:
    """What is told in the game: ruled once, however often it is recorded."""

    def told(at_s: float, kind: str, words: str, **data: object) -> Happening:
        return Happening(at_s, Entry(kind, at_s, words, data))

    def turn(at_s: float, number: int, driver: str) -> Happening:
        words = f"Round {number}: {driver} drives."
        event = Event(
            "round", {"number": number, "driver": driver}, words, "White Line Fever 0.9 · Rounds", tone="turn"
        )
        return told(at_s, "match.round", words, event=event_to_json(event))

    def ruled(at_s: float) -> list[Happening]:
        table, book = table_at(file, at_s, pace), Rulings.by_book(None)
        found = []
        for one, other in book.opponents(table):
            question, ruling = book.answer(table, (one.name, other.name))
            words = f"{ruling.question} {ruling.verdict.value}"
            found.append(told(at_s, "ruling", words, **ruling_record(ruling, question)))
        return found

    return [
        told(0.0, "camera.appeared", "Red 1 is on the table.", piece="Red 1"),
        turn(1.0, 1, "Red"),
        *ruled(3.0),
        told(4.0, "camera.moving", "Red 1 is moving.", piece="Red 1"),
        told(
            8.0,
            "camera.settled",
            f"Red 1 stands still, {4 * pace:.2f} in from where it stood.",
            piece="Red 1",
        ),
        told(8.0, "camera.moved", f"Red 1 has moved {4 * pace:g} in.", car="Red 1"),
        *ruled(8.5),
        told(9.0, "camera.held", "Blue 2 is covered.", piece="Blue 2"),
        told(9.5, "dispute.opened", "Ben disputes the shot of Red 1 at Blue 1.", by="Ben"),
        told(10.0, "camera.gap", "Nothing was seen for 0.4 s."),
        turn(11.0, 2, "Blue"),
    ]


def record_game(
    library: Library, name: str = "Thursday", pace: float = 3.0, about: dict[str, str] | None = None
) -> str:
    """Writes the game into a library, over and done; returns its id."""
    text = (SAMPLE / "table.toml").read_text(encoding="utf-8")
    file = table_file()
    id = library.add(GameRecord.new(text, name=name, began=BEGAN, about=about)).id
    now = 0.0
    journal = library.journal(id, wall=lambda: BEGAN)
    journal.clock = GameClock(real=lambda: now)
    encoder, watch = TrackEncoder(file.pieces), CalibrationWatch()
    waiting = happenings(file, pace)
    surface = surface_of(file)
    for frame in range(FPS * SECONDS + 1):
        now = frame / FPS
        at_s = journal.clock.see(now)
        encoder.add(at_s, now, table_at(file, now, pace).standings)
        due = [h.entry for h in waiting if h.at_s <= now]
        waiting = [h for h in waiting if h.at_s > now]
        kept = watch.look(at_s, surface)
        beside = [] if kept is None else [kept]
        if encoder.seconds >= 2.0 or frame == FPS * SECONDS:
            block, deviations = encoder.close()
            assert block is not None
            journal.append(due, [*beside, *deviations, block])
        else:
            journal.append(due, beside)
    journal.close()
    library.finish(id, BEGAN)
    return id
