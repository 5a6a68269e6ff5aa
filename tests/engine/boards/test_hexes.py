"""Hexes: neighbours and distances, sides and corners, tracks with lanes and a direction of travel."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.boards.board import BoardError
from engine.boards.hexes import Hexes, as_lanes, distance, oval
from engine.space.catalogue import car
from engine.space.geometry import Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing

FIELD = Hexes.field(7, 6, 2.0)
TRACK = Hexes.track(oval(6, 2, 3), 2.0)


def test_distance_is_that_of_walking() -> None:
    steps = {FIELD.cells[0]: 0}
    for cell in steps_from(steps):
        assert distance(FIELD.cells[0], cell) == steps[cell]
    assert set(steps) == set(FIELD.cells)


def steps_from(steps: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    queue = list(steps)
    for cell in queue:
        for there in FIELD.neighbours(cell):
            if there not in steps:
                steps[there] = steps[cell] + 1
                queue.append(there)
    return queue


def test_a_field_is_a_rectangle() -> None:
    at = np.array([FIELD.pose_of(c).xy for c in FIELD.cells])
    assert np.ptp(at, axis=0) == pytest.approx((2.0 * 6 + 1.0, 5 * math.sqrt(3)))


def test_facing_a_side_or_a_corner() -> None:
    cell = (2, 2)
    for facing in range(12):
        ahead = FIELD.ahead(cell, facing)
        look = FIELD.pose_of(cell, facing)
        where = [look.to_body(FIELD.pose_of(c).xy) for c in ahead]
        angles = [math.degrees(math.atan2(y, x)) for x, y in where]
        assert angles == pytest.approx([0] if facing % 2 == 0 else [30, -30])
        assert all(math.hypot(*w) == pytest.approx(2.0) for w in where)


@pytest.mark.parametrize("clockwise", [False, True])
def test_a_circuit_runs_round_in_its_direction(clockwise: bool) -> None:
    track = Hexes.track(oval(5, 2, 3, clockwise=clockwise))
    assert track.circuit
    for number, lane in enumerate(track.lanes):
        assert {track.lane_of(c) for c in lane} == {number}
        area = np.array([track.pose_of(c).xy for c in lane])
        twice = float(np.sum(area[:, 0] * np.roll(area[:, 1], -1) - area[:, 1] * np.roll(area[:, 0], -1)))
        assert (twice < 0) == clockwise
        turns = [track.travel(c) for c in lane]
        assert sum((b - a + 6) % 12 - 6 for a, b in itertools.pairwise([*turns, turns[0]])) == (
            -12 if clockwise else 12
        )
    inner, outer = track.lanes[0], track.lanes[-1]
    assert len(outer) - len(inner) == 12


def test_travel_faces_sides_on_the_straight_and_corners_where_the_lane_bends() -> None:
    lane = TRACK.lanes[0]
    bends = [c for c in lane if TRACK.travel(c) % 2]
    assert len(bends) == 6
    assert all(TRACK.travel(c) in range(12) for c in lane)


def test_progress_grows_along_every_lane_and_compares_lanes() -> None:
    for lane in TRACK.lanes:
        along = [TRACK.progress(c) for c in lane]
        steps = [(b - a + 0.5) % 1.0 - 0.5 for a, b in itertools.pairwise(along)]
        assert all(step >= 0 for step in steps)
        assert sum(steps) > 0.9
    ahead, behind = TRACK.lanes[0][4], TRACK.lanes[2][2]
    assert TRACK.progress(ahead) > TRACK.progress(behind)


def test_a_track_from_a_file_need_not_lead_back() -> None:
    track = Hexes.track(as_lanes([[[0, 0], [1, 0], [2, 0]], [[0, -1], [1, -1], [2, -1], [3, -1]]]))
    assert not track.circuit
    assert [track.travel(c) for c in track.lanes[0]] == [0, 0, 0]
    assert track.progress((0, -1)) == 0.0
    assert track.name_of((3, -1)) == "2.4"
    assert track.neighbours((0, 0)) == ((1, 0), (0, -1), (1, -1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Hexes(()), "1 to 20000 hexes"),
        (lambda: Hexes.field(3, 3, -1.0), "spacing above 0"),
        (lambda: Hexes.track([[(0, 0), (2, 0)]]), r"lane 1 jumps from hex \(0, 0\) to \(2, 0\)"),
        (lambda: Hexes.track([[(0, 0)]]), "at least two"),
        (lambda: Hexes.track([[(0, 0), (1, 0)], [(1, 0), (2, 0)]]), r"hex \(1, 0\) is named twice"),
        (lambda: oval(4, 0, 2), "1 or more inside"),
        (lambda: FIELD.pose_of((99, 0)), "no hex"),
        (lambda: FIELD.lane_of((1, 1)), "no track"),
    ],
)
def test_what_is_refused(make: object, words: str) -> None:
    with pytest.raises(BoardError, match=words):
        make()  # type: ignore[operator]


def test_hexes_are_drawn_without_gaps() -> None:
    field = Hexes.field(3, 3, 2.0, Pose(1.0, 2.0, 0.3))
    corners = np.concatenate([s.points for s in field.drawing() if s.shape == "polygon"])
    apart = np.linalg.norm(corners[:, None] - corners[None], axis=2)
    assert len(corners) == 54
    assert not ((apart > 1e-9) & (apart < 2.0 / math.sqrt(3) - 1e-9)).any()


@pytest.mark.parametrize("spacing", [1.5, 2.0])
def test_facings_within_ten_degrees_are_named_and_those_half_way_are_between(spacing: float) -> None:
    board, rng = Hexes.field(6, 6, spacing), np.random.default_rng(5)
    body = Piece("Red 1", "car", car("sedan"))
    seen = PoseUncertainty.isotropic(0.03, math.radians(1.0))
    inner = [c for c in board.cells if len(board.neighbours(c)) == 6]
    for n in range(240):
        cell, facing = inner[int(rng.integers(len(inner)))], int(rng.integers(12))
        turn = math.radians(15.0 if n % 4 == 0 else rng.uniform(-10.0, 10.0))
        off, way = rng.uniform(0.0, 0.35) * spacing, rng.uniform(0.0, math.tau)
        at = board.pose_of(cell, facing)
        pose = Pose(at.x + off * math.cos(way), at.y + off * math.sin(way), at.heading + turn)
        snap = board.snap(Standing(body, pose, seen))
        if n % 4 == 0:
            assert snap.where == "between"
        else:
            assert (snap.where, snap.cell, snap.facing) == ("cell", cell, facing)
