from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.hand import Habits, push
from engine.errors import TableRefError
from engine.measure.sweep import Straight, Turn
from engine.space.geometry import Pose
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.moves.segmentation import JOIN_S, DrivingWatch, ruled_at
from tests.engine.tables import SURFACE, car

AXLE = (-0.89, 0.0)
STEADY = Habits(wobble=0.01, wobble_turn=0.005, slip=0.003, slip_turn=0.001, missed=0.0)
FRAME = 0.05


class Table:
    """A table that is seen frame by frame."""

    def __init__(self, **places: Pose) -> None:
        self.watch = DrivingWatch()
        self.time = 0.0
        self.poses = dict(places)
        self.status = dict.fromkeys(places, Status.STILL)
        self.drives: list = []
        self.rest(0.5)

    def frame(self, read: bool = True) -> None:
        sure = PoseUncertainty.isotropic(0.006, 0.003)
        standings = [
            Standing(car(name, 0, 0).piece, pose, sure, self.status[name], 0.0, self.time)
            for name, pose in self.poses.items()
        ]
        seen = [n for n in self.poses if self.status[n] in (Status.STILL, Status.MOVING)] if read else []
        self.drives += self.watch.update(TableState.of(SURFACE, standings, self.time), seen)
        self.time += FRAME

    def rest(self, seconds: float) -> None:
        for _ in range(round(seconds / FRAME)):
            self.frame()

    def push(self, name: str, *steps, seed: int = 1) -> None:
        one = push(steps, np.random.default_rng(seed), model="sedan", start=self.poses[name], habits=STEADY)
        for pose in one.track[1:-1]:
            self.poses[name], self.status[name] = pose, Status.MOVING
            self.frame()
        self.poses[name], self.status[name] = one.track[-1], Status.STILL
        self.frame()

    def hide(self, name: str, status: Status, pose: Pose | None = None, frames: int = 20) -> None:
        self.status[name] = status
        for _ in range(frames):
            self.frame(read=False)
        self.poses[name], self.status[name] = pose or self.poses[name], Status.MOVING
        for _ in range(6):
            self.frame()
        self.status[name] = Status.STILL
        self.frame()


@pytest.fixture
def table() -> Table:
    return Table(Red=Pose(20, 20, 0), Blue=Pose(40, 40, math.pi))


def test_a_push_is_told_when_the_car_has_rested_a_while(table):
    began = table.time
    table.push("Red", Straight(2), Turn(math.radians(40), AXLE), Straight(3))
    ended = table.time
    assert table.drives == []
    table.rest(JOIN_S + 0.2)
    assert [(d.car, d.kind) for d in table.drives] == [("Red", "driven")]
    drive = table.drives[0]
    assert drive.words.startswith("Red: straight 2.")
    assert "turn 40." in drive.words or "turn 39." in drive.words
    assert drive.words.endswith("legal at Speed 5.")
    assert drive.since == pytest.approx(began, abs=0.2)
    assert drive.time == pytest.approx(ended, abs=0.5)
    assert ruled_at(drive, 5).verdict.value == "yes"
    assert ruled_at(drive, 3).verdict.value == "no"


def test_several_pushes_with_short_rests_are_one_manoeuvre(table):
    for step in (Straight(2), Turn(math.radians(40), AXLE), Straight(3)):
        table.push("Red", step)
        table.rest(JOIN_S - 0.8)
        assert set(table.watch.under_way()) == {"Red"}
    table.rest(1.0)
    assert len(table.drives) == 1
    assert [d.kind for d in table.drives[0].seen.runs] == ["straight", "turn", "straight"]
    assert table.watch.under_way() == {}


def test_a_long_rest_or_another_car_ends_it(table):
    table.push("Red", Straight(3))
    table.rest(JOIN_S + 0.2)
    table.push("Red", Straight(2))
    table.push("Blue", Straight(4))
    assert [d.car for d in table.drives] == ["Red", "Red"]
    assert [round(d.seen.length.value) for d in table.drives] == [3, 2]


def test_a_hand_over_a_car_is_no_drive(table):
    table.hide("Red", Status.HELD)
    table.rest(JOIN_S + 0.5)
    assert table.drives == []
    assert table.watch.under_way() == {}


def test_a_car_moved_under_the_hand_is_judged_by_its_rests(table):
    table.hide("Red", Status.HELD, Pose(24, 20, 0))
    table.rest(JOIN_S + 0.2)
    assert [(d.kind, d.seen.unseen > 3) for d in table.drives] == [("driven", True)]
    assert "legal at Speed 4" in table.drives[0].words


def test_a_lifted_car_is_called_out(table):
    table.hide("Red", Status.LOST, Pose(20.5, 22, math.radians(41)))
    assert [d.kind for d in table.drives] == ["lifted"]
    assert table.drives[0].words == "Red was lifted and put down 2.06 in away, turned 41.0° left."
    with pytest.raises(TableRefError, match="lifted and put down: that is no manoeuvre"):
        ruled_at(table.drives[0], 2)


def test_a_spin_ends_the_drive_before_it(table):
    table.push("Red", Straight(3))
    table.rest(0.4)
    there = table.poses["Red"]
    table.hide("Red", Status.HELD, Pose(there.x, there.y, there.heading + math.pi))
    assert [d.kind for d in table.drives] == ["driven", "spun"]
    assert "spun round on the spot by 180" in table.drives[1].words


def test_running_into_a_car_ends_it_at_once():
    table = Table(Red=Pose(20, 20, 0), Blue=Pose(20 + 2.95 + 3.0, 20, 0))
    table.push("Red", Straight(3))
    assert [d.kind for d in table.drives] == ["driven"]
    assert "touches Blue: legal at Speed 3 or more." in table.drives[0].words
    assert [m.other for m in table.drives[0].met] == ["Blue"]


def test_after_the_camera_has_moved_no_way_leads_from_there_to_here(table):
    table.push("Red", Straight(3))
    table.watch.forget()
    table.rest(JOIN_S + 1)
    assert table.drives == []


def test_what_rests_at_the_end_of_a_clip_is_told(table):
    table.push("Red", Straight(3))
    assert [d.car for d in table.watch.finish()] == ["Red"]


def test_a_car_pushed_under_a_hand_that_bares_its_place_may_have_been_driven(table):
    table.hide("Red", Status.LOST, Pose(24, 20, 0))
    table.rest(JOIN_S + 0.2)
    assert [d.kind for d in table.drives] == ["driven"]
    assert "hidden over" in table.drives[0].words
