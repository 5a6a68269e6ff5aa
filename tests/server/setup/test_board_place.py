"""A board put on the table in the picture, and what is written of it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.tablefile import TableFile, parse_table
from engine.boards.board import Board, Free
from engine.boards.points import Points
from engine.errors import TableRefError
from engine.game.registry import games, maps_of
from engine.space.geometry import FloatArray, Pose
from server.setup.board_place import BoardPlace, BoardSetupView, ChooseBoard, MoveBoard, without_board
from server.setup.laying import LaidMaps
from server.setup.printing.last_look import LastLook
from tests.server.setup.fitting.test_mat import TABLE, looked
from tests.vision.test_edges import SURFACE, photographed, rectangle

TRUTH = Points(9, 6, 4.0, Pose(8.0, 12.0, math.radians(7.0)))


@pytest.fixture
def place(tmp_path: Path) -> BoardPlace:
    return BoardPlace(LaidMaps(tmp_path))


@pytest.fixture(scope="module")
def last() -> LastLook:
    return looked(photographed(rectangle((-3.0, -2.0), (50.0, 48.5))))


def pixels(*points: tuple[float, float]) -> FloatArray:
    return SURFACE.image_from_table(np.array(points))


def px(at: FloatArray) -> tuple[float, float]:
    return float(at[0]), float(at[1])


def written(place: BoardPlace, table: TableFile = TABLE) -> Board:
    return parse_table(place.text(table)).board


def dragged(place: BoardPlace, last: LastLook, truth: Points, *, stretch: bool = False) -> BoardSetupView:
    """Both rings on the corners of the true board."""
    far = (truth.columns - 1) * truth.spacing
    first, second = pixels(*truth.frame.to_table(np.array([(0.0, 0.0), (far, 0.0)])).tolist())
    place.move(MoveBoard(ring=0, to=px(first)), last)
    return place.move(MoveBoard(ring=1, to=px(second), stretch=stretch), last)


def test_two_rings_on_its_corners_say_where_the_board_lies(place: BoardPlace, last: LastLook) -> None:
    begun = place.choose(ChooseBoard(id="points", size=(9, 6), spacing_in=4.0), last).draft
    assert begun is not None
    middle = np.mean([p for line in begun.lines for p in (line[0], line[-1])], axis=0)
    assert np.hypot(*(SURFACE.table_from_image(middle[None])[0] - 23.0)) < 1.0
    view = dragged(place, last, TRUTH)
    assert view.draft is not None
    assert view.draft.words == "9 × 6 points, 4 in apart: 32 × 20 in."
    assert view.kept == ""
    board = written(place)
    assert isinstance(board, Points)
    assert (board.columns, board.rows, board.spacing) == (9, 6, 4.0)
    assert board.frame.xy == pytest.approx(TRUTH.frame.xy, abs=0.01)
    assert math.degrees(board.frame.heading) == pytest.approx(7.0, abs=0.02)


def test_the_lines_lie_in_the_picture_where_the_board_does(place: BoardPlace, last: LastLook) -> None:
    place.choose(ChooseBoard(id="points", size=(9, 6), spacing_in=4.0), last)
    draft = dragged(place, last, TRUTH).draft
    assert draft is not None
    ends = {tuple(np.round(p)) for line in draft.lines for p in (line[0], line[-1])}
    corners = pixels(*TRUTH.frame.to_table(np.array([(0, 0), (32, 0), (32, 20), (0, 20)])).tolist())
    assert all(min(math.dist(c, e) for e in ends) < 2.0 for c in corners)


def test_of_a_board_that_was_drawn_by_hand_the_second_ring_tells_the_spacing(
    place: BoardPlace, last: LastLook
) -> None:
    drawn = replace(TRUTH, spacing=3.7)
    place.choose(ChooseBoard(id="points", size=(9, 6), spacing_in=3.0), last)
    dragged(place, last, drawn, stretch=True)
    board = written(place)
    assert isinstance(board, Points)
    assert board.spacing == pytest.approx(3.7, abs=0.003)
    assert board.frame.xy == pytest.approx(drawn.frame.xy, abs=0.01)
    # Nobody can mean cells that are a foot apart.
    place.choose(ChooseBoard(id="points", size=(2, 2), spacing_in=3.0), last)
    place.move(MoveBoard(ring=0, by_in=(-18.0, 0.0)), last)
    place.move(MoveBoard(ring=1, by_in=(20.0, 0.0), stretch=True), last)
    board = written(place)
    assert isinstance(board, Points)
    assert board.spacing == 6.0


def test_it_is_drawn_anew_only_where_something_has_moved(place: BoardPlace, last: LastLook) -> None:
    first = place.choose(ChooseBoard(id="points"), last).draft
    assert place.view(last).draft is first
    assert last.found is not None
    elsewhere = replace(last, found=(replace(SURFACE, translation=SURFACE.translation + 1.0), last.found[1]))
    seen = place.view(elsewhere).draft
    assert seen is not None
    assert first is not None
    assert math.dist(seen.rings[0], first.rings[0]) > 5.0
    moved = place.move(MoveBoard(by_in=(1.0, 0.0)), last).draft
    assert moved is not None
    assert moved.rings != first.rings


def test_arrow_keys_move_it_by_inches_and_a_quarter_turns_it(place: BoardPlace, last: LastLook) -> None:
    place.choose(ChooseBoard(id="points", size=(9, 6), spacing_in=4.0), last)
    before = written(place).frame
    place.move(MoveBoard(ring=0, by_in=(0.25, -0.5)), last)
    assert written(place).frame.xy - before.xy == pytest.approx([0.25, -0.5], abs=0.002)
    middle = before.to_table(np.array([(16.0, 10.0)]))[0] + (0.25, -0.5)
    place.move(MoveBoard(quarter=True), last)
    turned = written(place).frame
    assert math.degrees(turned.heading) == pytest.approx(90.0)
    assert turned.to_table(np.array([(16.0, 10.0)]))[0] == pytest.approx(middle, abs=0.002)


def test_a_board_that_is_kept_can_be_moved_and_taken_out(place: BoardPlace, last: LastLook) -> None:
    place.choose(ChooseBoard(id="road", size=(36, 8)), last)
    kept = parse_table(place.text(TABLE))
    place.forget()
    on = replace(last, table=kept)
    assert place.view(on).kept == "A road: 36 × 8 in."
    assert place.view(on).draft is None
    place.choose(ChooseBoard(id="kept"), on)
    place.move(MoveBoard(ring=0, by_in=(2.0, 0.0)), on)
    moved = parse_table(place.text(kept))
    assert moved.board.frame.xy - kept.board.frame.xy == pytest.approx([2.0, 0.0], abs=0.002)
    assert moved.text.count("[board]") == 1
    assert isinstance(parse_table(without_board(moved.text)).board, Free)
    assert without_board(TABLE.text) == TABLE.text


def test_every_map_of_a_game_that_is_a_board_can_be_put_on_the_table(
    place: BoardPlace, last: LastLook
) -> None:
    offers = {o.id for o in place.view(last).offers}
    boards = {
        f"{found.about.id}/{one.id}": one
        for found in games()
        if found.about is not None
        for one in maps_of(found.about.id)
        if one.board is not None
    }
    assert boards
    assert set(boards) < offers
    for id, one in boards.items():
        assert one.board is not None
        draft = place.choose(ChooseBoard(id=id, spacing_in=0.5), last).draft
        assert draft is not None
        assert draft.may_keep, draft.words
        board, brought = written(place), one.board(0.5)
        assert board.cells == brought.cells
        # What is printed is what is played on: the drawing begins with the board's own.
        assert set(brought.drawing()) <= set(one.drawn(0.5).drawing())


def test_a_board_that_reaches_past_the_table_is_told_and_not_kept(place: BoardPlace, last: LastLook) -> None:
    draft = place.choose(ChooseBoard(id="points", size=(20, 20), spacing_in=4.0), last).draft
    assert draft is not None
    assert not draft.may_keep
    assert "make it smaller or put it elsewhere" in draft.words
    with pytest.raises(TableRefError, match="make it smaller"):
        place.text(TABLE)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (ChooseBoard(id="nobody/board"), "there is no board 'nobody/board' any more"),
        (ChooseBoard(id="kept"), "this table has no board"),
        (ChooseBoard(id="points", size=(300, 300), spacing_in=0.5), "expected 1 to 200 columns and rows"),
        (ChooseBoard(id="road", size=(2, 1)), "sections of at most 2 x 1 inches"),
    ],
)
def test_what_cannot_be_is_refused_in_words(
    place: BoardPlace, last: LastLook, asked: ChooseBoard, words: str
) -> None:
    with pytest.raises(TableRefError, match=words):
        place.choose(asked, last)


def test_without_a_table_a_draft_or_a_place_there_is_nothing_to_move(
    place: BoardPlace, last: LastLook
) -> None:
    with pytest.raises(TableRefError, match="choose one first"):
        place.move(MoveBoard(quarter=True), last)
    with pytest.raises(TableRefError, match="keep the table first"):
        place.choose(ChooseBoard(id="points"), replace(last, table=None))
    with pytest.raises(TableRefError, match="not found now"):
        place.choose(ChooseBoard(id="points"), replace(last, found=None))
    place.choose(ChooseBoard(id="points"), last)
    with pytest.raises(TableRefError, match="a place in the picture"):
        place.move(MoveBoard(to=(-40.0, 9.0)), last)
    # A draft belongs to the table that it was begun on.
    other = parse_table(TABLE.text.replace("Club", "Garage"))
    assert place.view(replace(last, table=other)).draft is None
    with pytest.raises(TableRefError, match="choose one first"):
        place.text(other)
