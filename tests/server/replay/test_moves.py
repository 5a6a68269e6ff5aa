"""A move that is read from the record is the very one that was ruled on when it was pushed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.tablefile import load_table
from engine.measure.sweep import Straight, Turn
from engine.motion.moves import Move
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.moves.segmentation import JOIN_S, MoveWatch
from server.pipeline.as_recorded import AsRecorded
from server.pipeline.referee import Moment, TableEvent
from server.play.moving.seeing import range_of
from server.recording.library.games import Library
from server.replay.moves import HALF_A_QUANTUM, move_of
from tests.hand import push
from tests.server.recording import made
from tests.volume import volume

FRAME = 1 / 15


class Evening:
    """Three cars that hands push, cover, carry and let rest, frame by frame, recorded as they are watched."""

    def __init__(self, samples: Path, seed: int) -> None:
        self.table = load_table(samples / "opening-round" / "table.toml")
        self.rng = np.random.default_rng(seed)
        self.watch, self.as_recorded = MoveWatch(), AsRecorded()
        pieces = self.table.pieces[:3]
        self.cars = {p.name: p for p in pieces}
        self.poses = {p.name: Pose(10 + 9 * k, 8 + 7 * k, k) for k, p in enumerate(pieces)}
        self.status = dict.fromkeys(self.poses, Status.STILL)
        self.sure = {name: PoseUncertainty.isotropic(0.01, 0.005) for name in self.poses}
        self.time = 0.0
        self.moments: list[Moment] = []
        self.taken: list[tuple[float, Move]] = []
        self.rest(1.0)

    def frame(self, covered: str = "") -> None:
        standings = [
            Standing(piece, self.poses[name], self.sure[name], self.status[name], 0.0, self.time)
            for name, piece in self.cars.items()
        ]
        state = TableState(self.time, self.table.surface, self.as_recorded.told(standings))
        moves = self.watch.update(state, self.poses.keys() - {covered})
        told = () if self.moments else (TableEvent(self.time, "appeared", "Red 1", "Red 1 is on the table."),)
        frame = made.Frame(made.PICTURE, self.time, len(self.moments), "drawn")
        seen = Moment(len(self.moments), self.time, frame, state, None, told, moves=moves)
        self.moments.append(seen)
        for move in (*moves, *self.watch.under_way().values()):
            self.taken.append((self.time, move))
        self.time += FRAME * self.rng.uniform(0.8, 1.2)

    def rest(self, seconds: float) -> None:
        for _ in range(round(seconds / FRAME)):
            self.frame()

    def read(self, name: str, pose: Pose, status: Status) -> None:
        """One frame in which a car is read, as surely as ever."""
        off, turn, share = *self.rng.normal(0.0, 0.004, 2), self.rng.uniform(0.8, 1.2)
        self.poses[name] = Pose(pose.x + off, pose.y - off, pose.heading + turn)
        self.status[name] = status
        self.sure[name] = PoseUncertainty.isotropic(0.01 * share, 0.005 * share)
        self.frame()

    def pushed(self, name: str) -> None:
        """Drives a car on; it is read where it rests for a while before it counts as still."""
        steps = (Straight(float(self.rng.uniform(1, 3))), Turn(float(self.rng.uniform(-1, 1)), (-0.89, 0.0)))
        one = push(steps, self.rng, model="sedan", start=self.poses[name])
        for pose in (*one.track[1:], *[one.track[-1]] * 5):
            self.read(name, pose, Status.MOVING)
        self.read(name, one.track[-1], Status.STILL)

    def touched(self, name: str) -> None:
        """A sleeve nudges a car by less than a move."""
        there = self.poses[name].compose(Pose(0.05, 0.02, 0.03))
        for status in (*[Status.MOVING] * 5, Status.STILL):
            self.read(name, there, status)

    def hidden(self, name: str, status: Status) -> None:
        """A hand lies over a car, or carries it off and puts it down beside."""
        self.status[name] = status
        for _ in range(int(self.rng.integers(4, 30))):
            self.frame(covered=name)
        x, y, turned = self.poses[name].x + 1.0, self.poses[name].y, self.poses[name].heading
        for _ in range(5):
            self.read(name, Pose(x, y, turned), Status.MOVING)
        self.read(name, Pose(x, y, turned), Status.STILL)

    def goes_on(self) -> None:
        name = str(self.rng.choice(list(self.cars)))
        done = self.rng.random()
        if done < 0.6:
            self.pushed(name)
        elif done < 0.75:
            self.touched(name)
        else:
            self.hidden(name, Status.HELD if done < 0.85 else Status.LOST)
        self.rest(float(self.rng.choice([0.2, 0.8, JOIN_S + 0.5])))

    def joined(self) -> Iterator[tuple[float, Move]]:
        """All moves of each car in one, as where the game took none before: not every rest in it is told.

        A car that was nudged meanwhile has driven to where it lay then, as `MoveGuide` has it.
        """
        for name in self.cars:
            whole: Move | None = None
            for moment in self.moments:
                for move in (one for one in moment.moves if one.piece == name):
                    whole = move if whole is None else replace(whole, after=move.start).and_then(move)
                    yield moment.time, whole


def sds(standing: Standing) -> list[float]:
    return [float(v) for v in np.sqrt(np.diag(standing.uncertainty.own))]


def ruled_on(move: Move) -> Iterator[object]:
    """What a move is recognised by, part by part, and where everything stood before."""
    yield [(read.pose, read.sd, read.sd_heading) for read in move.reads]
    yield move.after.pose, sds(move.after), move.lifted
    yield [(s.name, s.pose, sds(s)) for s in move.before.standings]
    if move.earlier is not None:
        yield from ruled_on(move.earlier)


@pytest.mark.parametrize("seed", range(volume(gate=4, deep=100)))
def test_a_move_comes_back_as_it_was_ruled_on(seed: int, samples: Path, tmp_path: Path) -> None:
    evening = Evening(samples, seed)
    evening.pushed("Red 1")
    evening.rest(0.8)
    evening.pushed("Red 1")
    # One that is spun round, which is a move by itself, and goes on in the frame after it came to rest.
    evening.rest(JOIN_S + 0.5)
    spun = evening.poses["Red 1"].compose(Pose(0.0, 0.0, 3.0))
    evening.read("Red 1", spun, Status.MOVING)
    evening.read("Red 1", spun, Status.STILL)
    evening.pushed("Red 1")
    for _ in range(8):
        evening.goes_on()
    assert any(move.earlier for _, move in evening.taken)
    game = made.record(tmp_path, evening.table, evening.moments)
    with Library.open(tmp_path) as library:
        reader = library.reader(game.id)
        for time, move in [*evening.taken, *evening.joined()]:
            back = move_of(reader, range_of(move), 0.0, time)
            assert [*ruled_on(back)] == [*ruled_on(move)], (time, move.id)
            # How long nobody saw it before its first read is asked, too.
            assert back.since == pytest.approx(move.since, abs=2 * HALF_A_QUANTUM)
