"""How far along a circuit, who is in front: every hex of every circuit, and jams drawn at random."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from engine.boards.board import Cell
from engine.boards.hexes import Hexes, oval
from engine.boards.laying import lay
from engine.boards.racing import front_first, on_from

BENDS = (*("left",) * 3, "straight 1", "right", "straight 1", "left", "left", "straight 5", "left", "left")
TRACKS = {
    "bends both ways": Hexes.track(lay((*BENDS, "straight 10")).lanes),
    "three lanes": Hexes.track(lay(("straight 4", "left", "left", "left") * 2, 3).lanes),
    "oval": Hexes.track(oval(6, 2, 3)),
    "clockwise": Hexes.track(oval(6, 3, 4, clockwise=True)),
}

each = pytest.mark.parametrize("track", TRACKS.values(), ids=TRACKS.keys())


@each
def test_progress_grows_with_every_hex_of_every_lane_and_is_one_lap_round(track: Hexes) -> None:
    assert track.circuit
    for lane in track.lanes:
        along = [track.progress(c) for c in lane]
        steps = [(b - a) % 1.0 for a, b in itertools.pairwise([*along, along[0]])]
        assert min(steps) > 1e-3
        assert sum(steps) == pytest.approx(1.0)


@each
def test_rows_across_a_straight_are_level_and_neighbours_nearly_so(track: Hexes) -> None:
    longest = 1.0 / min(len(lane) for lane in track.lanes)
    for cell in track.cells:
        for other in track.neighbours(cell):
            apart = (track.progress(other) - track.progress(cell) + 0.5) % 1.0 - 0.5
            assert abs(apart) < 2.5 * longest
    rows: dict[float, list[int]] = {}
    for cell in track.cells:
        rows.setdefault(round(track.progress(cell), 9), []).append(track.lane_of(cell))
    whole = [row for row in rows.values() if len(row) == len(track.lanes)]
    assert len(whole) >= 12
    assert all(sorted(row) == list(range(len(track.lanes))) for row in whole)


@each
def test_what_is_level_is_square_to_the_way_on_straights(track: Hexes) -> None:
    rows: dict[float, list[Cell]] = {}
    for cell in track.cells:
        rows.setdefault(round(track.progress(cell), 9), []).append(cell)
    for row in (row for row in rows.values() if len({track.travel(c) for c in row}) == 1 and len(row) > 2):
        here = track.pose_of(row[0], track.travel(row[0]))
        ahead = [here.to_body(track.pose_of(c).xy)[0] for c in row]
        assert max(ahead) - min(ahead) <= track.spacing / 2 + 1e-9


def test_laps_are_counted_over_the_line_and_back() -> None:
    track = TRACKS["oval"]
    lane = track.lanes[0]
    far = -0.1
    for lap in range(3):
        for cell in lane:
            far = on_from(far, track, cell)
            assert math.floor(far) == lap
        assert far < lap + 1
    assert on_from(far, track, lane[0]) == 3.0
    assert math.floor(on_from(3.0, track, lane[-1])) == 2
    assert on_from(0.0, track, lane[-2]) < 0.0


def test_whoever_is_pushed_from_lane_to_lane_has_come_as_far_as_its_hex() -> None:
    track, rng = TRACKS["bends both ways"], np.random.default_rng(3)
    cell = track.lanes[1][0]
    far = 0.0
    for _ in range(400):
        near = track.neighbours(cell)
        cell = near[int(rng.integers(len(near)))]
        far = on_from(far, track, cell)
        assert far % 1.0 == pytest.approx(track.progress(cell), abs=1e-9)


@each
def test_in_front_is_further_on_then_further_inside(track: Hexes) -> None:
    rng = np.random.default_rng(7)
    for _ in range(60):
        # A jam: pieces within a third of a lap, wherever on the track.
        begin = rng.uniform()
        near = [c for c in track.cells if (track.progress(c) - begin) % 1.0 < 0.33]
        picked = rng.permutation(len(near))[:5]
        cells = {f"P{n}": near[int(k)] for n, k in enumerate(picked)}
        told = [cells[name] for name in front_first(track, cells)]
        asked = sorted(
            cells.values(), key=lambda c: (-round((track.progress(c) - begin) % 1.0, 9), track.lane_of(c))
        )
        assert told == asked
        turned = dict(reversed(cells.items()))
        assert front_first(track, turned) == front_first(track, cells)


def test_one_that_is_a_lap_behind_but_just_ahead_is_in_front() -> None:
    track = TRACKS["oval"]
    lane = track.lanes[0]
    assert front_first(track, {"leader": lane[-2], "lapped": lane[1]}) == ("lapped", "leader")
    assert front_first(track, {"leader": lane[4], "second": lane[2], "last": lane[-3]})[-1] == "last"
    assert front_first(track, {"outer": track.lanes[1][0], "inner": lane[0]}) == ("inner", "outer")
    assert front_first(track, {}) == ()
    assert front_first(track, {"alone": lane[5]}) == ("alone",)
