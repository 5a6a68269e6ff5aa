"""Racing tracks: the way round, rings of loose hexes, the rolling road, what was seen of a way over cells."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.boards.board import BoardError, Cell
from engine.boards.hexes import Hexes, distance, front_first, oval
from engine.boards.laying import lay
from engine.boards.points import Points
from engine.boards.ring import (
    LooseTrack,
    beside,
    firsts_after,
    holes,
    laps_of,
    middle_of,
    parts,
    ring_of,
    track_of,
    way_of,
)
from engine.boards.road import Road
from engine.boards.trail import Trail, followed
from engine.motion.moves import Move, Read
from engine.space.catalogue import CARS
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.boards.test_boards import standing

BENDS = (*("left",) * 3, "straight 1", "right", "straight 1", "left", "left", "straight 5", "left", "left")

TRACKS = {
    "bends both ways": Hexes.track(lay((*BENDS, "straight 10")).lanes),
    "three lanes": Hexes.track(lay(("straight 4", "left", "left", "left") * 2, 3).lanes),
    "oval": Hexes.track(oval(6, 2, 3)),
    "clockwise": Hexes.track(oval(6, 3, 4, clockwise=True)),
}

each = pytest.mark.parametrize("track", TRACKS.values(), ids=TRACKS.keys())


def loosened(track: Hexes, way: int | None = None) -> LooseTrack:
    """The same hexes with the same start, and nothing said of lanes."""
    by_side = 1 if track is not TRACKS["clockwise"] else -1
    return LooseTrack.behind([lane[-1] for lane in track.lanes], track.cells, way or by_side)


@each
def test_progress_grows_with_every_hex_of_every_lane_and_is_one_lap_round(track: Hexes) -> None:
    assert track.circuit
    for board in (track, loosened(track)):
        for lane in track.lanes:
            along = [board.progress(c) for c in lane]
            steps = [(b - a) % 1.0 for a, b in pairwise([*along, along[0]])]
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


OVAL = frozenset(c for lane in oval(8, 2, 4) for c in lane)


def turned(cell: Cell) -> Cell:
    """A hex turned by 60 degrees about (0, 0)."""
    return -cell[1], cell[0] + cell[1]


def mirrored(cell: Cell) -> Cell:
    return cell[0] + cell[1], -cell[1]


def ragged(seed: int) -> frozenset[Cell]:
    """A ring with hexes laid at its edges and taken away anywhere, that still hangs together."""
    rng = np.random.default_rng(seed)
    cells = set(OVAL)
    for _ in range(60):
        near = sorted({o for c in cells for o in beside(c)} - cells)
        cells.add(near[rng.integers(len(near))])
        gone = sorted(cells)[rng.integers(len(cells))]
        if len(parts(cells - {gone})) == 1 and len(holes(cells - {gone})[0]) > 8:
            cells.remove(gone)
    return frozenset(cells)


def test_what_hangs_together_and_what_is_enclosed() -> None:
    assert [len(p) for p in parts([(0, 0), (0, 1), (7, 7)])] == [2, 1]
    assert holes([(0, 0), (1, 0)]) == ()
    (hole,) = holes(OVAL)
    assert len(hole) == len(oval(8, 1, 1)[0]) + 8
    small = OVAL - {oval(8, 3, 1)[0][0]}
    assert [len(h) for h in holes(small)] == [len(hole), 1]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (frozenset({(0, 0), (1, 0)}), "expected 6 to"),
        (frozenset((q, 0) for q in range(9)), "enclose nothing"),
        (OVAL | {(50, 50)}, "lie in 2 parts"),
        (frozenset((q, r) for q in range(50) for r in range(50)), "expected 6 to 1200 hexes"),
    ],
)
def test_what_makes_no_ring_is_refused(cells: frozenset[Cell], words: str) -> None:
    with pytest.raises(BoardError, match=words):
        ring_of(cells)


@pytest.mark.parametrize("seed", range(12))
def test_as_much_flows_into_every_hex_as_out_of_it_and_one_lap_goes_round(seed: int) -> None:
    cells = ragged(seed)
    assert cells != OVAL
    ring = ring_of(cells)
    for cell, flows in ring.flow.items():
        assert sum(flows.values()) == pytest.approx(0.0, abs=1e-9)
        ahead = max(flows.values())
        # Of a hex on which the way is clear one neighbour lies ahead and one behind.
        assert cell in ring.aside or (ahead > 1e-4 and min(flows.values()) < -1e-4)
        for other, amount in flows.items():
            gone = (ring.along[other] - ring.along[cell] + 0.5) % 1.0 - 0.5
            assert amount == pytest.approx(gone, abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("way", [1, -1])
def test_the_middle_line_leads_once_round_and_on_with_every_hex(seed: int, way: int) -> None:
    ring = ring_of(ragged(seed))
    last = min(ring.cells - ring.aside)
    line = middle_of(ring, firsts_after(ring, last, way)[0], way)
    assert way_of(ring, line) == way
    laps = laps_of(ring, line)
    assert set(laps) == ring.cells
    assert all(0.0 <= lap < 1.0 for lap in laps.values())
    assert [laps[c] for c in line] == pytest.approx([k / len(line) for k in range(len(line))], abs=0.06 / 20)
    for cell in ring.cells:
        for other, amount in ring.flow[cell].items():
            on = (laps[other] - laps[cell] + 0.5) % 1.0 - 0.5
            # What the current says is further on lies no further back; as good as level hexes are level.
            assert on * way * amount >= -1e-9


def test_turned_and_mirrored_it_is_the_same_track() -> None:
    ring = ring_of(ragged(3))
    last = min(ring.cells - ring.aside)
    first = firsts_after(ring, last, 1)[0]
    laps = laps_of(ring, middle_of(ring, first, 1))
    for change, way in ((turned, 1), (mirrored, -1)):
        other = ring_of(frozenset(map(change, ring.cells)))
        again = laps_of(other, middle_of(other, change(first), way))
        apart = [(again[change(c)] - lap + 0.5) % 1.0 - 0.5 for c, lap in laps.items()]
        # Of middle lines that are as good either may be taken, which shifts it by a fraction of a space.
        assert max(map(abs, apart)) * len(ring.cells) ** 0.5 < 0.5
        assert {change(c) for c in ring.aside} == other.aside


def test_a_blind_alley_is_aside_and_an_island_is_passed_on_both_sides() -> None:
    outer = oval(8, 2, 4)[3]
    edge = next(c for c in outer if any(o not in OVAL for o in beside(c)))
    q, r = next((o[0] - edge[0], o[1] - edge[1]) for o in beside(edge) if o not in OVAL)
    alley = [(edge[0] + n * q, edge[1] + n * r) for n in range(1, 5)]
    ring = ring_of(OVAL | set(alley))
    assert set(alley[1:]) <= ring.aside
    assert ring_of(OVAL).aside == frozenset()
    assert set(ring.facing) == ring.cells
    gap = oval(8, 3, 1)[0][4]
    with_island = ring_of(OVAL - {gap})
    assert with_island.islands == (frozenset({gap}),)
    assert with_island.aside == frozenset()
    assert with_island.narrowest[0] == 4


def test_a_line_that_is_none_is_refused() -> None:
    ring = ring_of(OVAL)
    lane = oval(8, 2, 4)[1]
    for line, words in (
        (lane[:5], "not side by side"),
        (oval(1, 1, 1)[0], "not side by side"),
        ((lane[0], lane[1]), "go round its hole once"),
        ((*lane[:4], lane[2], *lane[3:]), "lead on with every hex"),
    ):
        with pytest.raises(BoardError, match=words):
            laps_of(ring, tuple(line))
    with pytest.raises(BoardError, match="no starting place"):
        LooseTrack.behind((), TRACKS["oval"].cells, 1)
    assert ring.narrowest[0] == 4
    assert ring_of(OVAL - set(oval(8, 2, 1)[0][3:6])).narrowest[0] == 3


ROAD = Road(36.0, 8.0, (3.0, 2.0), Pose(10.0, 2.0, 1.2))


@given(x=st.floats(10, 36), y=st.floats(0, 8), length=st.floats(0, 10))
def test_what_is_set_back_keeps_its_section_and_its_way(x: float, y: float, length: float) -> None:
    pose = ROAD.frame.compose(Pose(x, y, 0.1))
    x, y = pose.xy - length * ROAD.frame.rotation[:, 0]
    rolled, set_back = ROAD.shifted(length), Pose(float(x), float(y), pose.heading)
    assert rolled.travelled(set_back) == pytest.approx(ROAD.travelled(pose))
    one, other = ROAD.snap(standing(pose)), rolled.snap(standing(set_back))
    if one.where == other.where == "cell":
        assert (one.cell, one.offset) == (other.cell, pytest.approx(other.offset, abs=1e-9))


def test_a_road_over_a_surface_runs_along_its_longer_way() -> None:
    wide = Road.over(Region.rectangle(1, 2, 36, 24))
    assert (wide.frame, wide.length, wide.width) == (Pose(1.0, 2.0), 36.0, 24.0)
    tall = Road.over(Region.rectangle(1, 2, 24, 36))
    assert (tall.heading, tall.length, tall.width) == (pytest.approx(math.pi / 2), 36.0, 24.0)
    for road, surface in ((wide, Region.rectangle(1, 2, 36, 24)), (tall, Region.rectangle(1, 2, 24, 36))):
        assert road.region.polygon.symmetric_difference(surface.polygon).area < 1e-9
        assert road.along(road.region.outline).tolist() == pytest.approx([0, road.length, road.length, 0])


def test_sections_count_on_while_the_road_rolls_and_the_left_lane_has_the_rest_of_the_width() -> None:
    assert ROAD.shifted(2.5).shifted(4.0) == ROAD.shifted(6.5)
    rolled = Road(9.0, 4.0).shifted(6.0)
    assert [s.words for s in rolled.drawing() if s.words] == ["3", "4", "5"]
    assert rolled.pose_of((2, 0)).x == pytest.approx(1.5)
    road = Road(30.0, 7.0)
    snap = road.snap(standing(Pose(4.0, 6.7)))
    assert (road.lanes, snap.cell, snap.astray) == (3, (1, 2), True)
    # The cells are the sections whose middle lies on the table; right on the end it is on neither side.
    cells = Road(31.0, 8.0, (3.0, 2.0), scroll=7.3).cells
    assert {section for section, _ in cells} == set(range(2, 13))
    assert {lane for _, lane in cells} == {0, 1, 2, 3}
    assert [section for section, _ in Road(4.5, 2.0).cells] == [0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Road(0.0, 8.0), "length of the road above 0"),
        (lambda: Road(10.0, 8.0, (12.0, 2.0)), "at most 10 x 8 inches"),
        (lambda: Road(10.0, 8.0, scroll=-1.0), "scroll of 0 inches or more"),
        (lambda: ROAD.pose_of((3, 4)), "lanes from 0 to 3"),
        (lambda: ROAD.pose_of((3, 1), 1), "direction of travel"),
    ],
)
def test_what_is_refused(make: object, words: str) -> None:
    with pytest.raises(BoardError, match=words):
        make()  # type: ignore[operator]


BOARD = Points(9, 9, 3.0, Pose(5.0, 4.0, 0.2))

NEAR = 0.4


def steps(one, other):
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def stood(board, at) -> Standing:
    """A car at a place in cells of the board, between them too."""
    pose = board.frame.compose(Pose(board.spacing * at[0], board.spacing * at[1], 0.0))
    return Standing(Piece("Red 1", "car", CARS["sedan"]), pose, PoseUncertainty.isotropic(0.02, 0.01))


def moved(*read, end, start=(1, 1), board=BOARD, until=None) -> Move:
    """A move with readings of a time and a place; it left at 0."""
    reads = tuple(Read(time, stood(board, at).pose, 0.02, 0.01) for time, at in read)
    before = TableState.of(Region.rectangle(-9, -9, 90, 90), [stood(board, start)])
    until = (read[-1][0] if read else 0.0) + 0.1 if until is None else until
    return Move("m1", "Red 1", before, stood(board, end), 0.0, until, reads)


def trail(move, board=BOARD, start=(1, 1)) -> Trail:
    return followed(board, board.spacing, move, start, NEAR)


def smoothly(*places, pace=0.2):
    """Readings every tenth of a cell along places."""
    found, time = [], 0.0
    for one, other in pairwise(places):
        for k in range(1, 11):
            time += pace / 10
            found.append((time, tuple(a + (b - a) * k / 10 for a, b in zip(one, other, strict=True))))
    return found


DROPPED, HIDDEN = ((0.2, (2, 1)), (0.5, (5, 1))), ((0.2, (2, 1)), (1.5, (5, 1)))
WAITS = ((0.2, (2, 1)), (6.0, (2.1, 1)), (6.2, (3, 1)))


@pytest.mark.parametrize(
    ("move", "cells", "hidden"),
    [
        (moved(*smoothly((1, 1), (2, 1), (3, 2)), end=(3.1, 2.05)), ((1, 1), (2, 1), (3, 2)), (False, False)),
        # A dropped frame hides nothing, and a hand does.
        (moved(*DROPPED, end=(5, 1)), tuple((x, 1) for x in range(1, 6)), (False,) * 4),
        (moved(*HIDDEN, end=(5, 1)), ((1, 1), (2, 1), (5, 1)), (False, True)),
        (moved(end=(3, 2), until=2.0), ((1, 1), (3, 2)), (True,)),
        # A piece that waits under a hand has gone nowhere.
        (moved(*WAITS, end=(3, 1)), ((1, 1), (2, 1), (3, 1)), (False, False)),
        # Between cells it is on none, and goes as straight as can be.
        (moved(*smoothly((1, 1), (3, 2)), end=(3, 2)), ((1, 1), (3, 2)), (False,)),
    ],
)
def test_what_was_seen_of_a_way_is_its_cells(move, cells, hidden):
    found = trail(move)
    assert (found.cells, found.hidden) == (cells, hidden)
    far = tuple((a, b) for a, b in pairwise(cells) if steps(a, b) > 1)
    assert found.gaps(steps) == far
    if cells == ((1, 1), (3, 2)) and not any(hidden):
        assert found.fits([(2, 1), (3, 2)], steps)
        assert found.fits([(2, 2), (3, 2)], steps)
        assert not found.fits([(2, 1), (3, 1), (3, 2)], steps), "it was seen to go straight to the other"


def test_what_is_hidden_may_go_round_and_what_was_seen_may_not():
    found = Trail(((1, 1), (2, 1), (4, 1), (5, 1)), (False, True, False))
    assert found.fits([(2, 1), (3, 1), (4, 1), (5, 1)], steps)
    assert found.fits([(2, 1), (2, 2), (3, 2), (4, 1), (5, 1)], steps)
    # In the hidden part it may have been where it was seen later.
    assert found.fits([(2, 1), (3, 1), (4, 1), (4, 2), (4, 1), (5, 1)], steps)
    assert not found.fits([(2, 1), (3, 1), (4, 1)], steps)
    assert not found.fits([(2, 2), (3, 1), (4, 1), (5, 1)], steps)
    assert not found.fits([(2, 1), (3, 1), (4, 1), (4, 2), (5, 1)], steps)
    fit = found.onward(found.begun(), (2, 1), steps)
    assert found.left(fit, (2, 1), steps) == 3


def test_it_ends_where_it_is_said_to_rest():
    found = trail(moved(*smoothly((1, 1), (2, 1), (2.5, 1)), end=(2.5, 1)))
    assert found.cells == ((1, 1), (2, 1))
    assert found.ending((3, 1)) == Trail(((1, 1), (2, 1), (3, 1)), (False, False))
    assert found.ending((2, 1)) == found
    dark = trail(moved((0.2, (2, 1)), end=(4.5, 1), until=2.0))
    assert dark.ending((5, 1)).hidden == (False, True)


@pytest.mark.parametrize("turn", [0.0, 1.0])
def test_hexes_are_followed_alike(turn):
    board = Hexes.field(8, 8, 2.25, Pose(3.0, 4.0, turn))
    way = [(1, 1), (2, 1), (2, 2), (3, 2)]
    read = [(0.3 * k, cell) for k, cell in enumerate(way)]
    middles = {cell: board.pose_of(cell) for cell in way}
    reads = tuple(Read(time, middles[cell], 0.02, 0.01) for time, cell in read)
    piece = Piece("Red 1", "car", CARS["compact"])
    doubt = PoseUncertainty.isotropic(0.02, math.radians(1))
    before = TableState.of(Region.rectangle(-90, -90, 90, 90), [Standing(piece, middles[1, 1], doubt)])
    move = Move("m1", "Red 1", before, Standing(piece, middles[3, 2], doubt), 0.0, 0.9, reads)
    assert followed(board, board.spacing, move, (1, 1), 0.6) == Trail(tuple(way), (False,) * 3)
    late = Move("m2", "Red 1", before, Standing(piece, middles[3, 2], doubt), 0.0, 5.0)
    found = followed(board, board.spacing, late, (1, 1), 0.6)
    assert found == Trail(((1, 1), (3, 2)), (True,))
    assert found.fits([(2, 1), (2, 2), (3, 2)], distance)


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
def test_the_front_is_told(track: Hexes) -> None:
    loose = loosened(track)
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
