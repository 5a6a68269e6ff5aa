"""Tracks of loose hexes beside the same ones with lanes: they agree on the way, on laps and on the inside."""

from __future__ import annotations

import itertools

import pytest

from engine.boards.board import BoardError
from engine.boards.hexes import Hexes, oval
from engine.boards.loose import LooseTrack, track_of
from engine.boards.racing import front_first, on_from
from engine.boards.ring import ring_of
from engine.space.geometry import Pose
from tests.engine.boards.test_racing import TRACKS, each
from tests.engine.boards.test_ring import ragged


def loosened(track: Hexes, way: int | None = None) -> LooseTrack:
    """The same hexes with the same start, and nothing said of lanes."""
    by_side = 1 if track is not TRACKS["clockwise"] else -1
    return LooseTrack.behind([lane[-1] for lane in track.lanes], track.cells, way or by_side)


@each
def test_it_is_the_track_that_its_lanes_say(track: Hexes) -> None:
    loose = loosened(track)
    assert loose.circuit
    assert {frozenset(lane) for lane in loose.lanes} == {frozenset(lane) for lane in track.lanes}
    assert [loose.lane_of(c) for c in track.cells] == [track.lane_of(c) for c in track.cells]
    ways = [(loose.travel(c) - track.travel(c) + 6) % 12 - 6 for c in track.cells]
    assert set(ways) <= {-1, 0, 1}
    assert ways.count(0) > 0.9 * len(ways)
    on = [(loose.progress(c) - track.progress(c) + 0.5) % 1.0 - 0.5 for c in track.cells]
    assert (max(on) - min(on)) * len(track.middle) < 3.5, "in spaces, most of it where bends begin"


@each
def test_it_grows_with_every_hex_of_every_lane(track: Hexes) -> None:
    loose = loosened(track)
    for lane in track.lanes:
        along = [loose.progress(c) for c in lane]
        steps = [(b - a) % 1.0 for a, b in itertools.pairwise([*along, along[0]])]
        assert min(steps) > 1e-3
        assert sum(steps) == pytest.approx(1.0)


@each
def test_laps_are_counted_and_the_front_is_told(track: Hexes) -> None:
    loose = loosened(track)
    gone = begun = loose.progress(track.lanes[0][0])
    for cell in (*track.lanes[0][1:], *track.lanes[0]):
        before, gone = gone, on_from(gone, loose, cell)
        assert gone > before
    assert 1.9 < gone - begun < 2.0
    first, second = track.lanes[0][5], track.lanes[0][2]
    assert front_first(loose, {"one": second, "other": first}) == ("other", "one")


def test_hexes_abreast_on_a_long_straight_are_level_so_that_the_inside_is_in_front() -> None:
    loose = LooseTrack.behind([oval(16, 2, 3)[1][-1]], [c for lane in oval(16, 2, 3) for c in lane], 1)
    lanes = oval(16, 2, 3)
    middle = [min(lane, key=lambda c: abs(c[0] + c[1] / 2 - 8.0) + (c[1] > 0) * 100) for lane in lanes]
    inner, outer = middle[0], middle[2]
    assert loose.progress(inner) == loose.progress(outer)
    assert front_first(loose, {"outer": outer, "inner": inner}) == ("inner", "outer")


def test_driven_the_other_way_everything_is_turned_round() -> None:
    track = TRACKS["oval"]
    one, back = loosened(track), loosened(track, -1)
    assert (one.way, back.way) == (1, -1)
    assert all((one.travel(c) - back.travel(c)) % 12 == 6 for c in track.cells)
    assert [len(lane) for lane in one.lanes] == [len(lane) for lane in back.lanes]


def test_the_edges_are_the_inside_and_the_outside_also_where_it_widens() -> None:
    lanes = oval(6, 2, 3)
    wider = next(c for c in oval(6, 5, 1)[0] if sum((c[0] - a, c[1] - b) == (0, -1) for a, b in lanes[2]))
    loose = LooseTrack.behind([lanes[1][-1]], [*(c for lane in lanes for c in lane), wider], 1)
    assert set(loose.edge(inside=True)) == set(lanes[0])
    assert wider in loose.edge(inside=False)
    assert loose.lanes[3] == (wider,)
    assert loose.name_of(wider) == "4.1"
    for edge in (loose.edge(inside=True), loose.edge(inside=False)):
        along = [loose.progress(c) for c in edge]
        assert along == sorted(along)


def test_it_is_made_again_from_its_lanes_and_its_line_and_lies_where_it_is_laid() -> None:
    one = loosened(TRACKS["bends both ways"])
    again = track_of(one.lanes, one.line, 1.5, Pose(3.0, 4.0, 0.2), 0.4)
    assert isinstance(again, LooseTrack)
    assert again.lanes == one.lanes
    assert [again.progress(c) for c in one.cells] == [one.progress(c) for c in one.cells]
    assert (again.spacing, again.tolerance, again.pose_of((0, 0)).x) == (1.5, 0.4, 3.0)
    plain = track_of(one.lanes[:1])
    assert not isinstance(plain, LooseTrack)


def test_the_start_line_is_drawn_between_what_lies_before_it_and_what_behind() -> None:
    track = loosened(TRACKS["three lanes"])
    line = [s for s in track.drawing() if s.shape == "line" and s.bold and len(s.points) == 2]
    sides = [s for s in line if abs(sum((a - b) ** 2 for a, b in zip(*s.points, strict=True)) - 4 / 3) < 1e-6]
    crossings = [
        (one, other)
        for one in track.cells
        for other in track.neighbours(one)
        if track.progress(one) - track.progress(other) > 0.5
    ]
    assert len(sides) == len(crossings) >= 5


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("way", [1, -1])
def test_the_start_lies_just_behind_the_line_wherever_it_is(seed: int, way: int) -> None:
    ring = ring_of(ragged(seed))
    for last in sorted(ring.cells - ring.aside)[::20]:
        track = LooseTrack.behind([last], ring.cells, way)
        assert (1.0 - track.progress(last)) * len(track.line) < 4.0


def test_without_a_starting_place_no_lap_begins() -> None:
    with pytest.raises(BoardError, match="no starting place"):
        LooseTrack.behind((), TRACKS["oval"].cells, 1)
