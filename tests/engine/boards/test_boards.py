"""Boards: cells and what lies between them, points and lines, hexes and their tracks, laid tracks."""

from __future__ import annotations

import doctest
import itertools
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.boards.board import Board, BoardError, Cell, Celled, Free, Rival, Snap, in_words, place_words
from engine.boards.hexes import Hexes, as_lanes, distance, oval
from engine.boards.laying import lay
from engine.boards.points import Points
from engine.boards.road import Road
from engine.ruling import normal_cdf
from engine.space.catalogue import car
from engine.space.geometry import Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing

EXACT = PoseUncertainty.exact()

CAR = Piece("Red 1", "car", car("sedan"))


def standing(pose: Pose, how: PoseUncertainty = EXACT) -> Standing:
    return Standing(CAR, pose, how)


def boards(frame: Pose) -> dict[str, tuple[Celled, list[Cell]]]:
    points = Points(7, 5, 1.7, frame)
    field = Hexes.field(6, 5, 1.9, frame)
    track = Hexes.track(oval(3, 1, 3), 2.1, frame)
    road = Road(31.0, 8.0, (3.0, 2.0), frame, scroll=7.3)
    return {
        "points": (points, list(points.cells)),
        "field": (field, list(field.cells)),
        "track": (track, list(track.cells)),
        "road": (road, [(section, lane) for section in range(3, 12) for lane in range(road.lanes)]),
    }


NAMES = tuple(boards(Pose(0.0, 0.0)))

FRAMES = (Pose(0.0, 0.0), Pose(13.2, -4.7, 0.7), Pose(-300.0, 250.0, -2.9))

frames = st.builds(Pose, st.floats(-50, 50), st.floats(-50, 50), st.floats(-4, 4))


def in_frame(frame: Pose, how: PoseUncertainty) -> PoseUncertainty:
    """The same uncertainty once the table is turned by the frame."""
    turn = np.eye(3)
    turn[:2, :2] = frame.rotation
    return PoseUncertainty(turn @ how.total @ turn.T)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("frame", FRAMES)
def test_snapping_is_the_inverse_of_placing(name: str, frame: Pose) -> None:
    board, cells = boards(frame)[name]
    for cell in cells:
        for facing in range(board.facings):
            snap = board.snap(standing(board.pose_of(cell, facing)))
            assert (snap.where, snap.cell, snap.facing, snap.probability) == ("cell", cell, facing, 1.0)
            assert snap.rivals == ()
            assert snap.offset == pytest.approx((0, 0), abs=1e-9)
            assert snap.turn == pytest.approx(0, abs=1e-9)
            assert not snap.astray


@pytest.mark.parametrize("name", NAMES)
@given(frame=frames, aside=st.tuples(st.floats(-0.4, 0.4), st.floats(-0.4, 0.4)), turned=st.floats(-0.2, 0.2))
def test_a_piece_a_little_off_is_on_the_same_cell(
    name: str, frame: Pose, aside: tuple[float, float], turned: float
) -> None:
    board, cells = boards(frame)[name]
    cell, facing = cells[len(cells) // 2], board.facings // 3
    pose = board.pose_of(cell, facing).compose(Pose(*aside, turned))
    snap = board.snap(standing(pose))
    assert (snap.where, snap.cell, snap.facing) == ("cell", cell, facing)
    assert snap.offset == pytest.approx(aside, abs=1e-9)
    assert snap.turn == pytest.approx(turned, abs=1e-9)
    assert snap.astray == (math.hypot(*snap.offset) > board.tolerance)


@pytest.mark.parametrize("name", NAMES)
@given(frame=frames, x=st.floats(-4, 15), y=st.floats(-4, 12), heading=st.floats(-3, 3))
def test_board_and_piece_turned_together_give_the_same_answer(
    name: str, frame: Pose, x: float, y: float, heading: float
) -> None:
    how = PoseUncertainty(np.array([[0.09, 0.02, 0.01], [0.02, 0.04, 0.0], [0.01, 0.0, 0.02]]))
    here, _ = boards(Pose(0.0, 0.0))[name]
    there, _ = boards(frame)[name]
    one = odds(here.snap(standing(Pose(x, y, heading), how)))
    other = odds(there.snap(standing(frame.compose(Pose(x, y, heading)), in_frame(frame, how))))
    assert all(abs(one[k] - other[k]) < 0.02 for k in one | other)


def odds(snap: Snap) -> Counter[tuple[Cell | None, int | None]]:
    found: Counter[tuple[Cell | None, int | None]] = Counter({(snap.cell, snap.facing): snap.probability})
    found.update({(r.cell, r.facing): r.probability for r in snap.rivals})
    return found


@pytest.mark.parametrize("sd", [0.0, 0.02, 0.3])
@pytest.mark.parametrize(
    ("board", "one", "other"),
    [
        (Points(5, 5), (1, 1), (2, 1)),
        (Points(5, 5), (1, 1), (1, 2)),
        (Hexes.field(5, 5), (1, 1), (2, 1)),
        (Hexes.field(5, 5), (1, 1), (0, 2)),
        (Road(30.0, 8.0), (4, 1), (5, 1)),
        (Road(30.0, 8.0), (4, 1), (4, 2)),
    ],
)
def test_on_an_edge_the_odds_are_even(board: Celled, one: Cell, other: Cell, sd: float) -> None:
    a, b = board.pose_of(one), board.pose_of(other)
    middle = Pose((a.x + b.x) / 2, (a.y + b.y) / 2, a.heading)
    snap = board.snap(standing(middle, PoseUncertainty.isotropic(sd)))
    assert snap.where == "between"
    found = odds(snap)
    assert found[one, 0] == pytest.approx(found[other, 0], abs=0.001)
    assert found[one, 0] > (0.48 if sd > 0.1 else 0.4999)  # a wide one also reaches past the edge's ends


def test_between_two_facings() -> None:
    board = Points(5, 5)
    snap = board.snap(standing(Pose(4.0, 4.0, math.pi / 8), PoseUncertainty.isotropic(0.01, 0.01)))
    assert (snap.where, snap.cell) == ("between", (2, 2))
    assert odds(snap) == {((2, 2), 0): 0.5, ((2, 2), 1): 0.5}
    assert in_words(board, snap) == ("between C3 facing right (50 %) and C3 facing up and right (50 %)")


A1 = ((0, 0), 4)


def open_at(*rivals: Rival, at: tuple[Cell, int] = ((2, 3), 0)) -> Snap:
    return Snap("between", *at, 0.6, rivals)


@pytest.mark.parametrize(
    ("board", "snap", "words"),
    [
        (Points(5, 5), Snap("cell", (2, 3), 0), "on C4 facing right"),
        (Points(5, 5, frame=Pose(0, 0, math.pi / 2)), Snap("cell", (2, 3), 1), "on C4 facing up and left"),
        (Points(5, 5, frame=Pose(0, 0, 0.3)), Snap("cell", (2, 3), 1), "on C4 facing 45°"),
        (Hexes.field(5, 5), Snap("cell", (1, 1), 3), "on 1,1 facing 90°"),
        (Road(30.0, 8.0), Snap("cell", (4, 1), 0), "on section 5, lane 2"),
        (
            Points(5, 5),
            open_at(Rival((2, 4), 0, 0.39), Rival((1, 1), 0, 0.01)),
            "between C4 and C5 facing right",
        ),
        (Points(5, 5), open_at(Rival((2, 3), 1, 0.4)), "on C4 facing right or up and right"),
        # The likelier one is no earlier.
        (Points(5, 5), open_at(Rival((2, 3), 0, 0.4), at=((2, 4), 0)), "between C4 and C5 facing right"),
        (Points(5, 5), open_at(Rival((2, 3), 0, 0.4), at=((2, 3), 1)), "on C4 facing right or up and right"),
        (Points(5, 5), open_at(Rival(None, None, 0.4), at=A1), "between A1 and off the board facing left"),
        (Points(5, 5), Snap("off", rivals=(Rival((0, 0), 4, 0.03),)), "off the board"),
        (Free(), Snap("free"), ""),
    ],
)
def test_a_place_in_words_without_odds(board: Board, snap: Snap, words: str) -> None:
    assert place_words(board, snap) == words


@pytest.mark.parametrize("off", [0.05, 0.2, 0.33, 0.4, 0.7])
def test_the_probability_is_that_of_the_normal_distribution(off: float) -> None:
    """One edge near: the share beyond it is the normal's; correlated and turned, too."""
    sd = 0.2
    for heading in (0.0, 0.4):
        board = Points(9, 9, 2.0, Pose(0.0, 0.0, heading))
        spread = in_frame(board.frame, PoseUncertainty(np.diag([sd**2, 0.3**2, 0.0])))
        pose = board.frame.compose(Pose(8.0 + 1.0 - off, 8.0, 0.0))
        found = odds(board.snap(standing(pose, spread)))
        beyond = sum(p for (cell, _), p in found.items() if cell is not None and cell[0] == 5)
        assert beyond == pytest.approx(normal_cdf(-off / sd), abs=0.003)


def test_what_is_called_at_95_percent_is_right() -> None:
    """Pieces put anywhere and seen with a known error: as many are right as the odds say."""
    rng = np.random.default_rng(4)
    board = Hexes.field(12, 12)
    how = PoseUncertainty(np.diag([0.15**2, 0.25**2, 0.08**2]))
    said = right = called = called_right = 0.0
    for _ in range(1500):
        true = Pose(*rng.uniform(4, 14, 2), rng.uniform(-3, 3))
        seen = np.array([true.x, true.y, true.heading]) + rng.multivariate_normal(np.zeros(3), how.total)
        snap = board.snap(standing(Pose(*seen), how))
        truth = board.snap(standing(true))
        hit = (snap.cell, snap.facing) == (truth.cell, truth.facing)
        said, right = said + snap.probability, right + hit
        called, called_right = called + (snap.where == "cell"), called_right + (hit and snap.where == "cell")
    assert right / 1500 == pytest.approx(said / 1500, abs=0.03)
    assert called > 100
    assert called_right / called >= 0.97


def test_beside_the_board() -> None:
    for board, _ in boards(Pose(0.0, 0.0)).values():
        snap = board.snap(standing(Pose(-80.0, 40.0)))
        assert (snap.where, snap.cell, snap.facing) == ("off", None, None)
        assert in_words(board, snap) == "off the board"
    half = Points(5, 5).snap(standing(Pose(-1.0, 4.0)))
    assert half.where == "between"
    assert odds(half) == {((0, 2), 0): 0.5, (None, None): 0.5}


def test_lines_end_at_the_edge_and_every_pair_of_neighbours_lies_on_a_drawn_one() -> None:
    assert BOARD.line((9, 3), 1) == ((10, 4), (11, 5))
    assert BOARD.line((0, 3), 4) == ()
    lines = [s for s in Points(4, 3).drawing() if s.shape == "line"]
    assert len(lines) == 4 + 3 + 2 * 4  # columns, rows, and the diagonals longer than a point each way


def test_a_free_table_has_no_cells_and_the_same_pose_always_gives_the_same_answer() -> None:
    board: Board = Free()
    assert board.snap(standing(Pose(3.0, 4.0))) == Snap("free")
    assert board.kind == "free"
    with pytest.raises(Exception, match="no cells"):
        board.pose_of((0, 0))
    field, how = Hexes.field(5, 5), PoseUncertainty.isotropic(0.4, 0.2)
    assert field.snap(standing(Pose(3.0, 2.0, 1.0), how)) == field.snap(standing(Pose(3.0, 2.0, 1.0), how))


@pytest.mark.parametrize("name", NAMES)
def test_the_drawing_moves_with_the_board(name: str) -> None:
    frame = Pose(5.0, -3.0, 1.1)
    (here, _), (there, _) = boards(Pose(0.0, 0.0))[name], boards(frame)[name]
    for one, other in zip(here.drawing(), there.drawing(), strict=True):
        assert (one.shape, one.words, one.radius) == (other.shape, other.words, other.radius)
        assert np.asarray(other.points) == pytest.approx(frame.to_table(one.points))


def test_the_page_on_boards_is_true() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "boards.md"
    ran = doctest.testfile(str(page), module_relative=False)
    assert ran.attempted > 5
    assert ran.failed == 0


BOARD = Points(12, 9)


@pytest.mark.parametrize(
    ("cell", "neighbours"),
    [
        ((0, 0), {(1, 0), (1, 1), (0, 1)}),
        ((11, 4), {(11, 5), (10, 5), (10, 4), (10, 3), (11, 3)}),
        ((5, 5), {(6, 5), (6, 6), (5, 6), (4, 6), (4, 5), (4, 4), (5, 4), (6, 4)}),
    ],
)
def test_neighbours(cell: tuple[int, int], neighbours: set[tuple[int, int]]) -> None:
    assert set(BOARD.neighbours(cell)) == neighbours


@pytest.mark.parametrize(
    ("one", "other", "between"),
    [
        ((0, 0), (4, 0), ((1, 0), (2, 0), (3, 0))),
        ((4, 4), (2, 6), ((3, 5),)),
        ((4, 4), (5, 5), ()),
        ((4, 4), (6, 5), None),
        ((4, 4), (4, 4), None),
    ],
)
def test_between(one: tuple[int, int], other: tuple[int, int], between: object) -> None:
    assert BOARD.between(one, other) == between
    back = BOARD.between(other, one)
    assert back == (None if between is None else tuple(reversed(between)))  # type: ignore[call-overload]


def test_a_facing_leads_where_its_pose_looks() -> None:
    board = Points(5, 5, 1.5, Pose(3.0, 4.0, 0.6))
    for facing in range(8):
        there = board.step((2, 2), facing)
        assert there is not None
        ahead = board.pose_of((2, 2), facing).to_body(board.pose_of(there).xy)
        assert ahead[0] == pytest.approx(1.5 * (2**0.5 if facing % 2 else 1))
        assert ahead[1] == pytest.approx(0)
        assert board.facing_to((2, 2), there) == facing


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Points(0, 3), "expected"),
        (lambda: Points(3, 3, 0.0), "expected"),
        (lambda: Points(3, 900), "expected"),
        (lambda: BOARD.pose_of((12, 0)), "columns run from 0 to 11, rows from 0 to 8"),
        (lambda: Hexes(()), "1 to 20000 hexes"),
        (lambda: Hexes.field(3, 3, -1.0), "spacing above 0"),
        (lambda: Hexes.track([[(0, 0), (2, 0)]]), r"lane 1 jumps from hex \(0, 0\) to \(2, 0\)"),
        (lambda: Hexes.track([[(0, 0)]]), "at least two"),
        (lambda: Hexes.track([[(0, 0), (1, 0)], [(1, 0), (2, 0)]]), r"hex \(1, 0\) is named twice"),
        (lambda: oval(4, 0, 2), "1 or more inside"),
        (lambda: FIELD.pose_of((99, 0)), "no hex"),
        (lambda: FIELD.lane_of((1, 1)), "no track"),
        (lambda: lay((), 4), "expected pieces"),
        (lambda: lay(("left",), 0), "1 to 20 lanes"),
        (lambda: lay(("straight",), 4), "expected a piece such as"),
        (lambda: lay(("straight 0",), 4), "expected a piece such as"),
        (lambda: lay(("bend",), 4), "but got 'bend'"),
        (lambda: lay(("left",) * 7, 4), "runs over itself"),
    ],
)
def test_what_is_refused(make: object, words: str) -> None:
    with pytest.raises(BoardError, match=words):
        make()  # type: ignore[operator]


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


def test_travel_faces_corners_where_the_lane_bends_and_progress_compares_lanes() -> None:
    lane = TRACK.lanes[0]
    assert len([c for c in lane if TRACK.travel(c) % 2]) == 6
    assert all(TRACK.travel(c) in range(12) for c in lane)
    for lane in TRACK.lanes:
        along = [TRACK.progress(c) for c in lane]
        steps = [(b - a + 0.5) % 1.0 - 0.5 for a, b in itertools.pairwise(along)]
        assert all(step >= 0 for step in steps)
        assert sum(steps) > 0.9
    assert TRACK.progress(TRACK.lanes[0][4]) > TRACK.progress(TRACK.lanes[2][2])


def test_a_track_from_a_file_need_not_lead_back() -> None:
    track = Hexes.track(as_lanes([[[0, 0], [1, 0], [2, 0]], [[0, -1], [1, -1], [2, -1], [3, -1]]]))
    assert not track.circuit
    assert [track.travel(c) for c in track.lanes[0]] == [0, 0, 0]
    assert track.progress((0, -1)) == 0.0
    assert track.name_of((3, -1)) == "2.4"
    assert track.neighbours((0, 0)) == ((1, 0), (0, -1), (1, -1))


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


SHAPES = {
    "stadium": ("straight 3", "left", "left", "left") * 2,
    "chicane": ("straight 2", "right", "left", "straight 1", "left", "right", "straight 2"),
    "bends": ("right", "straight 2", "right", "right", "straight 2", "left", "straight 1", "left"),
}


@pytest.mark.parametrize("lanes", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("shape", SHAPES)
def test_lanes_are_whole_and_lie_beside_one_another(shape: str, lanes: int) -> None:
    laid = lay(SHAPES[shape], lanes)
    track = Hexes.track(laid.lanes)  # refuses gaps, and hexes that are named twice
    for one, other in itertools.pairwise(track.lanes):
        assert all(min(distance(cell, c) for c in other) == 1 for cell in one)
        assert all(min(distance(cell, c) for c in one) == 1 for cell in other)
    assert laid.closed == (shape == "stadium") == track.circuit


@pytest.mark.parametrize("lanes", [2, 3, 4])
def test_lanes_count_from_the_left(lanes: int) -> None:
    for heading in range(6):
        laid = lay(("straight 3",), lanes, (4, -7), heading)
        track = Hexes.track(laid.lanes)
        here = track.pose_of(laid.lanes[0][1], 2 * heading)
        across = [here.to_body(track.pose_of(lane[1]).xy)[1] for lane in track.lanes]
        assert across == sorted(across, reverse=True)
        assert len(set(across)) == lanes


def test_a_stadium_is_the_oval_that_hexes_know() -> None:
    ours = lay(("straight 4", "left", "left", "left") * 2, 3)
    theirs = oval(5, 2, 3)
    assert [len(lane) for lane in ours.lanes] == [len(lane) for lane in theirs]


def test_rungs_are_where_the_pieces_begin() -> None:
    laid = lay(("straight 2", "left", "right", "straight 1"), 4)
    assert laid.rungs == ((0, 0, 0, 0), (2, 2, 2, 2), (4, 5, 6, 7), (10, 10, 10, 10))
    assert [side for _, side in laid.starts] == [0, 0, 1, 0]
    assert laid.at(1, 0, 0) == laid.starts[1]
    assert laid.at(-1, 2, 0) == (laid.lanes[2][10], 0)
