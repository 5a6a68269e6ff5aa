"""Every board: snapping is the inverse of placing, moves with the board, and says how sure it is."""

from __future__ import annotations

import doctest
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.boards.board import Board, Cell, Celled, Rival, Snap, in_words, place_words
from engine.boards.free import Free
from engine.boards.hexes import Hexes, oval
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
    assert in_words(board, snap) == ("between C3 facing right (50%) and C3 facing up and right (50%)")


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
            Snap("between", (2, 3), 0, 0.6, (Rival((2, 4), 0, 0.39), Rival((1, 1), 0, 0.01))),
            "between C4 and C5 facing right",
        ),
        (
            Points(5, 5),
            Snap("between", (2, 3), 0, 0.6, (Rival((2, 3), 1, 0.4),)),
            "on C4 facing right or up and right",
        ),
        (
            Points(5, 5),
            Snap("between", (0, 0), 4, 0.6, (Rival(None, None, 0.4),)),
            "between A1 and off the board facing left",
        ),
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


def test_a_free_table_has_no_cells() -> None:
    board: Board = Free()
    assert board.snap(standing(Pose(3.0, 4.0))) == Snap("free")
    assert board.kind == "free"
    with pytest.raises(Exception, match="no cells"):
        board.pose_of((0, 0))


def test_the_same_pose_always_gives_the_same_answer() -> None:
    board = Hexes.field(5, 5)
    how = PoseUncertainty.isotropic(0.4, 0.2)
    assert board.snap(standing(Pose(3.0, 2.0, 1.0), how)) == board.snap(standing(Pose(3.0, 2.0, 1.0), how))


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
