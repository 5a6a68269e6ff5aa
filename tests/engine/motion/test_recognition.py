"""A tracked way recognised as steps: cut into parts, hypotheses, the fit."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from engine.errors import TableRefError
from engine.measure.sweep import Straight, Turn, poses_along
from engine.motion.fit import OVERSHOOT, Track, cost_of, fitted, misfit, sizes_of, with_sizes
from engine.motion.moves import Move, Read
from engine.motion.recognition import SLIP, SLIP_TURN, fuller, pivots_of, plain, rear_of, recognise, winding
from engine.motion.segmentation import cut, joined
from engine.space.catalogue import CARS
from engine.space.geometry import Pose
from tests.engine.tables import OPENING, car, opening_scene, table
from tests.volume import volume


def move(number: int, start: float, end: float) -> Move:
    """One go of Red 1 straight ahead, seen at every half inch."""
    there = [start + k * 0.5 for k in range(1, round((end - start) * 2) + 1)]
    reads = tuple(Read(10.0 * number + x, Pose(x, 20.0), 0.01, 0.01) for x in there)
    before = table(car("Red 1", start, 20))
    return Move(
        f"move-{number}", "Red 1", before, car("Red 1", end, 20), 10.0 * number, 10.0 * number + 5, reads
    )


def test_what_is_moved_on_is_one_move_from_the_first_rest_to_the_last():
    first, second, third = move(1, 10, 12), move(2, 12, 14), move(3, 14, 15)
    whole = first.and_then(second)
    assert (whole.id, whole.since, whole.until) == ("move-2", 10.0, 25.0)
    assert (whole.start.pose.x, whole.after.pose.x, whole.gone) == (10.0, 14.0, 4.0)
    assert whole.reads == (*first.reads, *second.reads)
    assert round(whole.recognised().length.value, 1) == 4.0
    # It knows the move up to where it rested before.
    earlier = whole.and_then(third).earlier
    assert earlier is not None
    assert (earlier.after.pose.x, earlier.earlier, first.earlier) == (14.0, first, None)


def test_a_move_of_several_goes_keeps_the_rests_between_them():
    """Put back where it has to stand and pushed on in one go more: the move of the game begins there."""
    away, back, on = move(1, 10, 14), move(2, 14, 12), move(3, 12, 15)
    whole = away.and_then(back.and_then(on))
    part = whole.beginning(lambda standing: standing.pose.x == 12.0)
    assert part is not None
    assert (part.start.pose.x, part.after.pose.x, part.since, part.reads) == (12.0, 15.0, 30.0, on.reads)


PIVOT, AXLE = (-0.89, 0.0), (-0.9, 0.0)

SD, SD_TURN = 0.01, math.radians(0.4)


def deg(angle: float) -> float:
    return math.radians(angle)


START = Pose(10, 10, 0.3)


def walked(steps, *, rng=None, start=START, every=0.2):
    """A track of samples along some steps, with still ones before and after, seen with noise."""
    poses = [start] * 6
    at = start
    for step in steps:
        count = max(int((step.size if isinstance(step, Straight) else 2 * step.size) / every), 2)
        poses += [step.part(k / count).after(at) for k in range(1, count + 1)]
        at = step.after(at)
    poses += [at] * 6
    if rng is None:
        return poses
    noise = rng.normal(size=(len(poses), 3)) * (SD, SD, SD_TURN)
    return [Pose(p.x + n[0], p.y + n[1], p.heading + n[2]) for p, n in zip(poses, noise, strict=True)]


PLANS = {
    "straight 4": [Straight(4)],
    "back 2": [Straight(-2)],
    "straight 2, turn 40 left, straight 3": [Straight(2), Turn(deg(40), PIVOT), Straight(3)],
    "turn 90 right, straight 5": [Turn(deg(-90), PIVOT), Straight(5)],
    "straight 6, turn 15 left": [Straight(6), Turn(deg(15), PIVOT)],
    "turn 25 left": [Turn(deg(25), PIVOT)],
    "drift 1 right in 2, straight 1": [Straight(2, -1), Straight(1)],
    "straight 2, drift 1 left in 3": [Straight(2), Straight(3, 1)],
}


@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_a_track_becomes_the_steps_it_was_made_of(name, seed):
    plan = PLANS[name]
    rng = None if seed is None else np.random.default_rng(seed)
    seen = recognise(walked(plan, rng=rng), pivot=PIVOT, sd=SD, sd_heading=SD_TURN)
    assert [type(d.step) for d in seen.runs] == [
        type(p) for k, p in enumerate(plan) if k == 0 or type(p) is not type(plan[k - 1])
    ]
    should = poses_along(Pose(10, 10, 0.3), plan)[-1]
    assert math.dist(seen.end.xy, should.xy) < 0.05
    runs = [d.step for d in seen.runs]
    for size, limit in (
        (lambda s: getattr(s, "ahead", 0.0), 0.1),
        (lambda s: getattr(s, "angle", 0.0), deg(1)),
    ):
        assert sum(map(size, runs)) == pytest.approx(sum(map(size, plan)), abs=limit)


def test_standing_still_is_no_manoeuvre_and_one_pose_no_track():
    seen = recognise(walked([], rng=np.random.default_rng(4)), pivot=PIVOT)
    assert (seen.steps, seen.words) == ((), "stood still")
    with pytest.raises(TableRefError, match="at least two poses but got 1"):
        recognise([Pose(0, 0)])
    assert rear_of(car("Red", 0, 0).piece.body) == pytest.approx((-1.475, 0)), "where a ruler lies"


def test_the_lengths_deviation_comes_true():
    rng = np.random.default_rng(7)
    plan = PLANS["straight 2, turn 40 left, straight 3"]
    seen = [recognise(walked(plan, rng=rng), pivot=PIVOT, sd=SD, sd_heading=SD_TURN) for _ in range(60)]
    lengths = np.array([s.length.value for s in seen])
    stated = np.mean([s.length.sd for s in seen])
    assert abs(lengths.mean() - 5.0) < 0.02
    assert 0.5 * stated < lengths.std() < 1.6 * stated


READ = deg(0.1)

OFFSET = 0.04
"""How far a tag glued on by hand sits from where it is said to sit, inches (standard deviation)."""


def glued(steps, rng, *, mount, told=False):
    """What is recognised of steps of a car whose tag sits askew on it by chance.

    With `told` it sits beside its place too, and the deviations are those that a table tells of each read:
    the read's own and the mount's together.
    """
    offset = OFFSET if told else 0.0
    rest = np.diag([math.hypot(0.004, offset)] * 2 + [math.hypot(READ, mount)]) ** 2
    tag_from_said = Pose(*rng.normal(0.0, offset, 2), rng.normal(0.0, mount))

    def seen(pose, sd_heading):
        x, y, heading = rng.normal(size=3) * (SD / 2, SD / 2, sd_heading)
        at = pose.compose(tag_from_said)
        return Pose(at.x + x, at.y + y, at.heading + heading)

    way = [
        step.part(k / 15).after(at)
        for at, step in zip(poses_along(START, steps), steps, strict=False)
        for k in range(1, 16)
    ]
    track = [seen(START, READ), *(seen(pose, SD_TURN) for pose in way), seen(way[-1], READ)]
    sd, sd_heading = (math.hypot(SD / 2, offset), math.hypot(SD_TURN, mount)) if told else (SD / 2, SD_TURN)
    return recognise(
        track, pivot=PIVOT, sd=sd, sd_heading=sd_heading, rests=(rest, rest), slip=(SLIP, SLIP_TURN)
    )


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("mount", [0.1, 0.5, 1.5])
def test_a_drift_is_as_unsure_as_the_tag_may_sit_askew(mount, told):
    """A drift is seen from the heading: where that is off by the way a tag is glued on, the drift is."""
    rng, off = np.random.default_rng(3), []
    for _ in range(40):
        ahead, left = rng.uniform(3.0, 7.0), rng.choice([-1.0, 1.0]) * rng.uniform(0.4, 1.5)
        done = glued([Straight(ahead, left)], rng, mount=deg(mount), told=told).runs
        if [d.kind for d in done] == ["drift"]:
            off.append((done[0].step.left - left) / done[0].sd_left)
    assert len(off) > 35
    assert np.mean(np.abs(off) < 1.96) > 0.9
    assert np.sqrt(np.mean(np.square(off))) > 0.3, "nor is the deviation much larger than need be"


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("mount", [0.1, 1.5])
def test_a_turn_is_known_however_askew_the_tag_sits(mount, told):
    """How far a car turned is seen all the same, and so stated."""
    rng, off = np.random.default_rng(4), []
    for _ in range(20):
        angle = rng.choice([-1.0, 1.0]) * deg(rng.uniform(20.0, 45.0))
        steps = [Straight(rng.uniform(2.0, 4.0)), Turn(angle, PIVOT), Straight(rng.uniform(2.0, 4.0))]
        turn = glued(steps, rng, mount=deg(mount), told=told).turn
        assert turn.sd < deg(0.6)
        off.append((turn.value - angle) / turn.sd)
    assert np.mean(np.abs(off) < 1.96) > 0.9
    assert np.max(np.abs(off)) < 4.0


def test_the_opening_rounds_moves_are_recognised():
    scene = opening_scene()
    lines = (OPENING.parent / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    for action in scene["actions"][:4]:
        tag = str(action["car"])
        length = next(c for c in scene["cars"] if str(c["tag_id"]) == tag)["length_in"]
        track = [
            Pose(row["cars"][tag]["x"], row["cars"][tag]["y"], deg(row["cars"][tag]["heading_deg"]))
            for row in rows
            if action["start_time_s"] - 0.6 <= row["time_s"] <= action["end_time_s"] + 0.6
        ]
        seen = recognise(track, pivot=(-0.3 * length, 0.0), sd=0.003, sd_heading=0.003)
        straights = [s for s in action["segments"] if s["kind"] == "straight"]
        assert seen.length.value == pytest.approx(sum(s["actual_in"] for s in straights), abs=0.03)
        turns = sum(s.get("actual_deg", 0.0) for s in action["segments"])
        # The hand wobbles by about a degree in its straight runs.
        assert math.degrees(seen.turn.value) == pytest.approx(turns, abs=1.5)
        drift = sum(s.get("drift_actual_in", 0.0) for s in straights)
        lefts = [d.step.left for d in seen.runs if isinstance(d.step, Straight)]
        assert sum(lefts) == pytest.approx(drift, abs=0.03)


def test_of_several_pivots_the_right_one_is_found():
    rear = (-1.475, 0.0)
    steps = [Turn(deg(60), rear), Straight(3)]
    seen = recognise(
        walked(steps, rng=np.random.default_rng(5)), pivot=[PIVOT, rear], sd=SD, sd_heading=SD_TURN
    )
    assert [d.kind for d in seen.steps] == ["turn", "straight"]
    assert seen.steps[0].step.pivot == rear
    assert seen.length.value == pytest.approx(3, abs=0.05)


def test_too_far_and_back_is_where_it_ends():
    steps = [Straight(2), Turn(deg(50), PIVOT), Turn(deg(-10), PIVOT), Straight(3.6), Straight(-0.6)]
    seen = recognise(walked(steps, rng=np.random.default_rng(6)), pivot=PIVOT, sd=SD, sd_heading=SD_TURN)
    assert [d.kind for d in seen.steps] == ["straight", "turn", "straight"]
    assert seen.length.value == pytest.approx(5, abs=0.05)
    assert math.degrees(seen.turn.value) == pytest.approx(40, abs=1)


@pytest.mark.parametrize("angles", [(40,), (-40,), (40, -30), (-20, 30)])
def test_turns_to_the_left_and_to_the_right_add_up(angles):
    steps = [step for angle in angles for step in (Straight(2), Turn(deg(angle), PIVOT))]
    seen = recognise(walked(steps, rng=np.random.default_rng(6)), pivot=PIVOT, sd=SD, sd_heading=SD_TURN)
    assert math.degrees(seen.turned.value) == pytest.approx(sum(map(abs, angles)), abs=1)
    assert 0.0 < seen.turn.sd <= seen.turned.sd < deg(1)


def test_a_car_carried_from_here_to_there_is_told_from_its_rests():
    rest = np.diag([0.005, 0.005, 0.003]) ** 2
    end = poses_along(START, PLANS["straight 2, turn 40 left, straight 3"])[-1]
    seen = recognise([START, end], pivot=PIVOT, rests=(rest, rest))
    assert [d.kind for d in seen.steps] == ["straight", "turn", "straight"]
    assert seen.length.value == pytest.approx(5, abs=0.05)
    assert seen.unseen > 4


def test_a_car_spun_round_on_the_spot_has_turned_about_its_middle():
    steps = [Turn(deg(178))]
    seen = recognise(walked(steps, rng=np.random.default_rng(7)), pivot=PIVOT, sd=SD, sd_heading=SD_TURN)
    assert [d.kind for d in seen.steps] == ["turn"]
    assert seen.steps[0].step.pivot == (0.0, 0.0)
    assert math.degrees(seen.turn.value) == pytest.approx(178, abs=1)
    assert seen.length.value == 0.0


class TestAnotherWay:
    """A turn that nobody saw may have been about the rear axle or about the rear edge."""

    def seen(self, *, hidden):
        body = CARS["sedan"]
        axle, edge = pivots_of(body)
        first, turn = Straight(5.0), Turn(deg(80), axle)
        at = first.after(START)
        onward = turn.after(at)
        track = [Straight(0.5 * k).after(START) for k in range(9)]
        track += [] if hidden else [Turn(deg(8 * k), axle).after(at) for k in range(11)]
        track += [Straight(0.5 * k).after(onward) for k in range(2, 9)]
        return recognise(track, pivot=(axle, edge))

    def test_both_are_told_where_it_was_not_seen(self):
        found = self.seen(hidden=True)
        (other,) = found.elsewhere
        assert (
            [d.kind for d in other.steps] == [d.kind for d in found.steps] == ["straight", "turn", "straight"]
        )
        assert other.length.value == pytest.approx(found.length.value, abs=0.1)
        ends = [poses_along(m.start, [d.step for d in m.steps]) for m in (found, other)]
        assert math.dist(ends[0][-1].xy, ends[1][-1].xy) < 0.05
        assert math.dist(ends[0][1].xy, ends[1][1].xy) == pytest.approx(0.585, abs=0.05)

    def test_one_that_was_seen_is_no_question(self):
        assert self.seen(hidden=False).elsewhere == ()

    def test_its_runs_are_as_unsure_as_the_two_ways_differ_and_both_are_told(self):
        found = self.seen(hidden=True)
        (other,) = found.elsewhere
        for mine, theirs in zip(found.runs, other.runs, strict=True):
            if mine.kind == "straight":
                assert abs(mine.step.ahead - theirs.step.ahead) <= 1.645 * mine.sd_ahead
        assert found.length.sd < 0.05
        assert found.open_words == f"{found.runs_words} or {other.runs_words}"
        seen = self.seen(hidden=False)
        assert max(d.sd_ahead for d in seen.runs) < 0.05
        assert seen.open_words == seen.runs_words

    @pytest.mark.parametrize("pivot", [0, 1])
    @pytest.mark.parametrize("angle", [20, 40, 60])
    @pytest.mark.parametrize("dropped", [(0.5, 2.5), (1.0, 2.0), (0.1, 2.9), (0.0, 3.0)])
    def test_sizes_over_dropped_frames_are_open_and_not_invented(self, pivot, angle, dropped):
        """1.52 + 1.52 inches, with the frames of the turn missing, came out as 2.05 + 0.93."""
        rng = np.random.default_rng(3)
        axle, edge = pivots_of(CARS["sedan"])
        steps = [Straight(1.52), Turn(deg(angle), (axle, edge)[pivot]), Straight(1.52)]
        way = [
            step.part(k / 12).after(pose)
            for pose, step in zip(poses_along(START, steps), steps, strict=False)
            for k in range(1, 13)
        ]
        low, high = (round(12 * share) for share in dropped)
        track = [START] * 4 + way[:low] + way[high:] + [way[-1]] * 4
        noise = rng.normal(0, (0.01, 0.01, 0.007), (len(track), 3))
        track = [Pose(p.x + x, p.y + y, p.heading + t) for p, (x, y, t) in zip(track, noise, strict=True)]
        found = recognise(track, pivot=(axle, edge))
        assert [d.kind for d in found.runs] == ["straight", "turn", "straight"]
        for done in (found.runs[0], found.runs[2]):
            assert abs(done.step.ahead - 1.52) < 2.0 * done.sd_ahead
        assert abs(found.length.value - 3.04) < 4.0 * found.length.sd


STEPS = (Straight(2.0), Turn(math.radians(40), AXLE), Straight(3.0))

EXACT, SLIPS = np.diag([1e-6, 1e-6, 1e-6]), np.diag([0.02, 0.02, 0.01]) ** 2


def track_of(steps=STEPS, every=8):
    start = Pose(10, 10, 0.3)
    rows = [start]
    for pose, step in zip(poses_along(start, steps), steps, strict=False):
        rows += [step.part(k / every).after(pose) for k in range(1, every + 1)]
    if every == 1:
        rows = [rows[0], rows[-1]]
    values = np.array([(p.x, p.y, p.heading) for p in rows])
    values[:, 2] = np.unwrap(values[:, 2])
    return Track(values, EXACT, EXACT, 0.01, 0.005)


def test_wrong_first_sizes_find_the_right_ones_and_a_way_that_nobody_walked_costs():
    track = track_of()
    assert np.abs(misfit(track.start, STEPS, track.rows, 0.01, 0.005)).max() < 1e-6, "samples lie on the way"
    wrong = (Straight(1.5), Turn(math.radians(30), AXLE), Straight(3.8))
    found = fitted(track, wrong, SLIPS, rounds=10)
    assert sizes_of(found.steps) == pytest.approx(sizes_of(STEPS), abs=0.01)
    assert found.cost < 1.0 < cost_of(track, wrong, SLIPS)
    assert found.strays.max() < 0.01
    track = track_of([Straight(4.0)])
    detour = (Straight(-3.0), Straight(7.0))
    assert cost_of(track, detour, SLIPS) > cost_of(track, (Straight(4.0),), SLIPS) + 10
    steps = (Straight(2.0, -1.0), Turn(0.5, AXLE), Straight(1.0))
    assert list(sizes_of(steps)) == [2.0, -1.0, 0.5, 1.0]
    assert with_sizes(steps, sizes_of(steps)) == steps


@pytest.mark.parametrize(("beyond", "off"), [(0.5, False), (OVERSHOOT - 0.1, False), (OVERSHOOT + 1.0, True)])
def test_a_hand_may_overshoot_a_little(beyond, off):
    start = Pose(0, 0, 0)
    rows = np.array([(4.0 + beyond, 0.0, 0.0)])
    assert (np.abs(misfit(start, [Straight(4)], rows, 0.01, 0.005)).max() > 1.0) == off


def holds(rows, steps):
    shape = [type(s) for s in steps]
    return any(
        [type(s) for s in row] == shape
        and len(sizes_of(row)) == len(sizes_of(steps))
        and np.allclose(sizes_of(row), sizes_of(steps), atol=0.4)
        for row in rows
    )


@pytest.mark.parametrize(
    ("steps", "every"),
    [
        # Start and end alone allow every plain manoeuvre, samples suggest the others.
        ([Straight(4)], 1),
        ([Straight(4, 1)], 1),
        ([Turn(0.7, AXLE), Straight(3)], 1),
        ([Straight(3), Turn(-0.7, AXLE)], 1),
        ([Straight(2), Turn(0.7, AXLE), Straight(3)], 1),
        ([Straight(2, 1), Turn(0.7, AXLE), Straight(3)], 10),
        ([Turn(0.7, AXLE), Straight(2), Turn(-0.5, AXLE), Straight(2)], 10),
    ],
)
def test_hypotheses_hold_what_was_driven(steps, every):
    suggest = plain if every == 1 else winding
    assert holds(suggest(track_of(steps, every), [AXLE]), steps)


def test_a_hand_may_have_hidden_one_run_more():
    turn = Turn(math.radians(30), AXLE)
    assert [len(row) for row in fuller([turn, Straight(2)])] == [3]
    assert [len(row) for row in fuller([Straight(2), turn])] == [3]
    assert fuller([Straight(2)]) == []


@pytest.mark.parametrize(
    ("steps", "left"),
    [
        ([Straight(4.5), Straight(-0.5)], [Straight(4.0)]),
        ([Turn(0.9, AXLE), Turn(-0.2, AXLE)], [Turn(0.7, AXLE)]),
        ([Straight(2), Turn(0.01, AXLE), Straight(2)], [Straight(4)]),
        ([Straight(2), Straight(2, -1)], [Straight(2), Straight(2, -1)]),
        ([Straight(3), Straight(-3)], []),
    ],
)
def test_there_and_back_is_taken_off(steps, left):
    found = joined(steps)
    assert [type(s) for s in found] == [type(s) for s in left]
    for a, b in zip(found, left, strict=True):
        assert a.size == pytest.approx(b.size)


def test_a_track_falls_into_its_steps():
    start, steps = Pose(10, 10, 0.3), [Straight(2), Turn(math.radians(40), AXLE), Straight(3)]
    rows = []
    for pose, step in zip(poses_along(start, steps), steps, strict=False):
        rows += [step.part(k / 10).after(pose) for k in range(10)]
    rows.append(poses_along(start, steps)[-1])
    for found in cut(np.array([(p.x, p.y, p.heading) for p in rows]), AXLE, 0.01, 0.005):
        assert [type(s) for s in found] == [Straight, Turn, Straight]
        assert found[1].size == pytest.approx(math.radians(40), abs=0.05)


def coarse(steps, rng, stride):
    """Samples of a quick hand, or of a slow camera: one each `stride` inches, a radian counted as 3.3."""
    at, poses = Pose(10, 10, 2.5), [Pose(10, 10, 2.5)]
    for step in steps:
        count = math.ceil(step.size * (3.3 if isinstance(step, Turn) else 1.0) / stride)
        poses += [step.part(k / count).after(at) for k in range(1, count + 1)]
        at = step.after(at)
    noise = rng.normal(size=(len(poses), 3)) * (0.012, 0.012, 0.01)
    return [Pose(p.x + n[0], p.y + n[1], p.heading + n[2]) for p, n in zip(poses, noise, strict=True)]


def is_read_as_it_was_pushed(kinds, stride, seed):
    """A drawn way of runs and turns, pushed quickly."""
    rng = np.random.default_rng([seed, *kinds.encode(), round(100 * stride)])
    pivots = ((-0.9, 0.0), (-1.475, 0.0))
    pivot, rest = pivots[rng.integers(2)], np.diag([0.006, 0.006, 0.005]) ** 2
    steps = [
        Turn(rng.choice([-1, 1]) * rng.uniform(0.3, 0.79), pivot)
        if kind == "T"
        else Straight(rng.uniform(1, 4))
        for kind in kinds
    ]
    track = coarse(steps, rng, stride)
    seen = recognise(
        track, pivot=pivots, sd=0.012, sd_heading=0.01, rests=(rest, rest), slip=(SLIP, SLIP_TURN)
    )
    assert [type(done.step) for done in seen.steps] == [type(step) for step in steps]
    assert not any(done.left for done in seen.steps), (seed, steps, seen.words)
    assert seen.length.value == pytest.approx(sum(getattr(s, "ahead", 0.0) for s in steps), abs=0.2)
    assert seen.stray.value < 0.1


@pytest.mark.parametrize("stride", [0.25, 0.5, 0.8])
@pytest.mark.parametrize("kinds", ["STST", "TST", "TSTS", "STSTS", "TSTST"])
def test_a_quick_push_through_several_turns_is_no_drift(kinds, stride):
    """The sample between a turn and a run belongs to either: a run may seem too short, or led aside."""
    for seed in range(volume(4, 300)):
        is_read_as_it_was_pushed(kinds, stride, seed)


@pytest.mark.parametrize(
    ("kinds", "stride", "seed"),
    [
        ("TSTS", 0.25, 285), ("STSTS", 0.25, 156), ("TSTST", 0.25, 299), ("STSTS", 0.5, 206),
        ("TSTST", 0.5, 180), ("STSTS", 0.8, 263), ("STSTS", 0.8, 299),
    ],
)  # fmt: skip
def test_a_way_beside_many_samples_is_pulled_to_them(kinds, stride, seed):
    """Samples far off pull the less: a search that began beside them gave them up, and told that as sure."""
    is_read_as_it_was_pushed(kinds, stride, seed)


@pytest.mark.parametrize("inches", [1.5, 2.5, 3.0])
@pytest.mark.parametrize("angle", [-44.0, 30.0, 60.0])
def test_two_turns_seen_at_every_half_inch_are_told_from_a_stray_hand(angle, inches):
    """The sample between a turn and a run belongs to either: a run may seem half an inch too short."""
    steps = [Turn(deg(angle), PIVOT), Straight(inches), Turn(deg(angle), PIVOT), Straight(inches)]
    at, poses, rest = Pose(10, 10, 2.5), [], np.diag([0.01, 0.01, 0.005]) ** 2
    for step in steps:
        count = 5 if isinstance(step, Turn) else round(2 * inches)
        poses += [step.part(k / count).after(at) for k in range(1, count + 1)]
        at = step.after(at)
    seen = recognise([Pose(10, 10, 2.5), *poses], pivot=PIVOT, rests=(rest, rest), slip=(SLIP, SLIP_TURN))
    assert [type(done.step) for done in seen.steps] == [Turn, Straight, Turn, Straight]
    assert seen.length.value == pytest.approx(2 * inches, abs=0.05)
    assert seen.stray.value < 0.05
