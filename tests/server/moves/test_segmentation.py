from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from engine.measure.sweep import Straight, Turn
from engine.space.catalogue import CARS
from engine.space.geometry import Pose
from engine.space.pieces import Hitch, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState, with_followers
from server.moves.segmentation import JOIN_S, MoveWatch, kind_of, move_words
from server.play.moving.seeing import range_of
from server.replay.moves import move_of
from tests.engine.tables import SURFACE, car
from tests.hand import Habits, push

AXLE = (-0.89, 0.0)
STEADY = Habits(wobble=0.01, wobble_turn=0.005, slip=0.003, slip_turn=0.001, missed=0.0)
FRAME = 0.05


class Table:
    """A table that is seen frame by frame."""

    def __init__(self, **places: Pose) -> None:
        self.watch = MoveWatch()
        self.time = 0.0
        self.poses = dict(places)
        self.status = dict.fromkeys(places, Status.STILL)
        self.moves: list = []
        self.followers: tuple[Piece, ...] = ()
        self.rest(0.5)

    def frame(self, read: bool = True) -> None:
        sure = PoseUncertainty.isotropic(0.006, 0.003)
        standings = [
            Standing(car(name, 0, 0).piece, pose, sure, self.status[name], 0.0, self.time)
            for name, pose in self.poses.items()
        ]
        standings = with_followers(standings, [*(s.piece for s in standings), *self.followers])
        seen = [n for n in self.poses if self.status[n] in (Status.STILL, Status.MOVING)] if read else []
        self.moves += self.watch.update(TableState.of(SURFACE, standings, self.time), seen)
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
    assert table.moves == []
    table.rest(JOIN_S + 0.2)
    assert [(m.piece, kind_of(m)) for m in table.moves] == [("Red", "pushed")]
    move = table.moves[0]
    assert re.fullmatch(
        r"Red: straight [12]\.\d+ in, turn (39|40)\.\d° left, straight [23]\.\d+ in \((4\.9|5\.0)\d in\)\.",
        move_words(move),
    )
    assert move.since == pytest.approx(began, abs=0.2)
    assert move.until == pytest.approx(ended, abs=0.5)


def test_several_pushes_with_short_rests_are_one_manoeuvre(table):
    for step in (Straight(2), Turn(math.radians(40), AXLE), Straight(3)):
        table.push("Red", step)
        table.rest(JOIN_S - 0.8)
        assert set(table.watch.under_way()) == {"Red"}
    table.rest(1.0)
    assert len(table.moves) == 1
    assert [d.kind for d in table.moves[0].recognised().runs] == ["straight", "turn", "straight"]
    assert table.watch.under_way() == {}


def test_a_long_rest_or_another_car_ends_it(table):
    table.push("Red", Straight(3))
    table.rest(JOIN_S + 0.2)
    table.push("Red", Straight(2))
    table.push("Blue", Straight(4))
    assert [m.piece for m in table.moves] == ["Red", "Red"]
    assert [round(m.recognised().length.value) for m in table.moves] == [3, 2]


def test_a_hand_over_a_car_is_no_move(table):
    table.hide("Red", Status.HELD)
    table.rest(JOIN_S + 0.5)
    assert table.moves == []
    assert table.watch.under_way() == {}


def test_a_car_moved_under_the_hand_is_judged_by_its_rests(table):
    table.hide("Red", Status.HELD, Pose(24, 20, 0))
    table.rest(JOIN_S + 0.2)
    assert [(kind_of(m), m.recognised().unseen > 3) for m in table.moves] == [("pushed", True)]
    assert move_words(table.moves[0]) == "Red: straight 4.00 in (4.00 in, hidden over 4.0 in)."


def test_others_stand_where_they_stood_when_a_car_came_out_from_under_a_hand(table):
    """It had lain there for long, and ran into what had been driven on meanwhile."""
    began = table.time
    table.status["Red"] = Status.HELD
    table.rest(1.0)
    table.push("Blue", Straight(4))
    table.rest(JOIN_S + 0.2)
    table.moves.clear()
    table.push("Red", Straight(3))
    table.rest(JOIN_S + 0.2)
    (move,) = table.moves
    assert move.since == pytest.approx(began, abs=0.2), "it may have been moved under the hand"
    assert move.before.find("Blue").pose == table.poses["Blue"]
    assert move.start.pose == Pose(20, 20, 0)
    others = range_of(move)["others_s"]
    assert others == move.before.time > began + 3.0

    class Record:
        """What a record has of it."""

        def table_at(self, time: float) -> TableState:
            return move.before if time == others else replace(move.before, standings=(move.start,))

        def track(self, *_: object) -> tuple[()]:
            return ()

    again = move_of(Record(), range_of(move), 0.0, others)
    assert again.before.find("Blue").pose == table.poses["Blue"]


def test_others_stand_where_they_stood_when_a_car_left_its_last_rest(table):
    table.push("Red", Straight(2))
    table.rest(JOIN_S + 0.2)
    there = table.poses["Red"]
    table.push("Blue", Straight(4))
    table.rest(JOIN_S + 0.2)
    table.push("Red", Straight(3))
    table.rest(JOIN_S + 0.2)
    first, _, second = table.moves
    whole = first.and_then(second)
    assert whole.before.find("Blue").pose == Pose(40, 40, math.pi)
    part = whole.beginning(lambda standing: standing.pose == there)
    assert part is not None
    assert (part.start.pose, part.since) == (there, second.since)
    assert part.before.find("Blue").pose == table.poses["Blue"]


def test_a_lifted_car_is_called_out(table):
    table.hide("Red", Status.LOST, Pose(20.5, 22, math.radians(41)))
    assert [kind_of(m) for m in table.moves] == ["lifted"]
    assert move_words(table.moves[0]) == "Red was lifted and put down 2.06 in away, turned 41.0° left."


def test_a_spin_ends_the_move_before_it(table):
    table.push("Red", Straight(3))
    table.rest(0.4)
    there = table.poses["Red"]
    table.hide("Red", Status.HELD, Pose(there.x, there.y, there.heading + math.pi))
    assert [kind_of(m) for m in table.moves] == ["pushed", "spun"]
    assert "spun round on the spot by 180" in move_words(table.moves[1])


def test_running_into_a_car_ends_it_at_once():
    table = Table(Red=Pose(20, 20, 0), Blue=Pose(20 + 2.95 + 3.0, 20, 0))
    table.push("Red", Straight(3))
    assert [(m.piece, kind_of(m)) for m in table.moves] == [("Red", "pushed")]


def test_a_trailer_that_follows_is_told_with_its_tractor_and_never_in_its_way():
    table = Table(Red=Pose(20, 20, 0))
    table.followers = (
        Piece("Trailer", "trailer", CARS["rig-trailer"], hitch=Hitch("Red", at=(3.0, 0.0), on=(-3.5, 0.0))),
    )
    table.rest(0.5)
    table.push("Red", Straight(-3))
    assert table.moves == []
    table.rest(JOIN_S + 0.2)
    assert [m.piece for m in table.moves] == ["Red"]
    assert [s.name for s in table.moves[0].before.vehicle("Red")] == ["Red", "Trailer"]


def test_going_over_the_edge_ends_it_at_once():
    table = Table(Red=Pose(SURFACE.outline[:, 0].max() - 3.0, 20, 0))
    table.push("Red", Straight(3))
    assert [kind_of(m) for m in table.moves] == ["pushed"]


def test_a_move_that_rests_on_its_way_keeps_its_name_until_it_goes_on(table):
    table.push("Red", Straight(3))
    names = set()
    for _ in range(5):
        table.frame()
        names.add(table.watch.under_way()["Red"].id)
    assert len(names) == 1
    table.push("Red", Straight(1))
    names.add(table.watch.under_way()["Red"].id)
    assert len(names) == 2
    table.rest(JOIN_S + 0.2)
    assert table.moves[0].id in names


def test_after_the_camera_has_moved_no_way_leads_from_there_to_here(table):
    table.push("Red", Straight(3))
    (ended,) = table.watch.forget()
    assert (ended.piece, kind_of(ended)) == ("Red", "pushed"), "it had come to rest before that"
    table.rest(JOIN_S + 1)
    assert table.moves == []
    table.status["Red"] = Status.MOVING
    table.frame()
    assert table.watch.forget() == ()


def test_what_rests_at_the_end_of_a_clip_is_told(table):
    table.push("Red", Straight(3))
    assert [m.piece for m in table.watch.finish()] == ["Red"]


def test_a_car_pushed_under_a_hand_that_bares_its_place_may_have_been_pushed(table):
    table.hide("Red", Status.LOST, Pose(24, 20, 0))
    table.rest(JOIN_S + 0.2)
    assert [kind_of(m) for m in table.moves] == ["pushed"]
    assert "hidden over" in move_words(table.moves[0])
