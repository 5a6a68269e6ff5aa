from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lens.target import Grey, Target, TargetError, look, pictures_in, read_grey, recognise

PIXELS = 60
MARGIN = 50

LIFECAM = Target(squares=(8, 8), square=1.0, marker=0.75, dictionary="DICT_4X4_1000")
RENDERED = Target(squares=(7, 5), square=1.5, marker=1.05)


def drawn(board: Target) -> Grey:
    """The board straight on, `PIXELS` a square, with its frame's origin at (MARGIN, MARGIN) pixel corners."""
    columns, rows = board.squares
    if board.kind == "charuco":
        size = (columns * PIXELS + 2 * MARGIN, rows * PIXELS + 2 * MARGIN)
        return np.asarray(board.charuco().generateImage(size, marginSize=MARGIN), dtype=np.uint8)
    y, x = np.mgrid[:rows, :columns]
    squares = np.kron(((x + y) % 2) * 255, np.ones((PIXELS, PIXELS))).astype(np.uint8)
    return np.pad(squares, MARGIN, constant_values=255)


@pytest.mark.parametrize(
    "board",
    [
        Target(),
        RENDERED,
        LIFECAM,
        Target(squares=(6, 8), legacy=True),
        Target("chessboard", (9, 7)),
    ],
    ids=lambda b: b.words,
)
def test_corners_lie_where_they_were_drawn(board: Target) -> None:
    # Also that the installed OpenCV does not add the half pixel that 4.x did.
    view = look(np.asarray(cv2.GaussianBlur(drawn(board), (0, 0), 1.0), np.uint8), board, "drawn")
    assert view is not None
    assert len(view.in_image) == (board.squares[0] - 1) * (board.squares[1] - 1)
    truth = view.on_board / board.square * PIXELS + MARGIN - 0.5
    if board.kind == "chessboard" and np.abs(truth - view.in_image).max() > PIXELS:
        truth = truth[::-1]  # its two ends look alike
    assert np.abs(truth - view.in_image).max() < 0.05


@pytest.mark.parametrize("lens", ["A", "B"])
def test_rendered_corners_lie_at_their_truth(shared: Path, lens: str) -> None:
    folder = shared / "renders" / "boards" / f"charuco_lens_{lens}"
    frames = json.loads((folder / "truth.json").read_text())["frames"]
    offs = []
    for frame in frames:
        view = look(read_grey(folder / frame["file"]), RENDERED)
        assert view is not None
        offs.append(view.in_image - np.array(frame["corners_px"]))
    off = np.concatenate(offs)
    assert len(off) == 24 * len(frames)
    assert np.abs(off.mean(axis=0)).max() < 0.01
    assert np.percentile(np.linalg.norm(off, axis=1), 95) < 0.1


def test_a_blank_picture_shows_no_board() -> None:
    assert look(np.full((200, 200), 200, np.uint8), Target()) is None
    assert look(np.full((200, 200), 200, np.uint8), Target("chessboard", (8, 8))) is None


@pytest.mark.parametrize("stated_legacy", [False, True])
@pytest.mark.parametrize("printed_legacy", [False, True])
def test_the_older_pattern_is_told_from_the_newer(stated_legacy: bool, printed_legacy: bool) -> None:
    printed = Target(squares=(6, 8), legacy=printed_legacy)
    assert recognise([drawn(printed)], replace(printed, legacy=stated_legacy)) == printed


def test_with_an_odd_number_of_rows_the_patterns_are_one() -> None:
    stated = Target(legacy=True)
    assert recognise([drawn(Target())], stated) == stated


@pytest.mark.parametrize(
    ("printed", "stated", "says"),
    [
        (Target(), RENDERED, "they fit a ChArUco board of 5x7 squares with DICT_5X5_100"),
        (LIFECAM, Target(), "they show markers of DICT_4X4_50: state"),
        (LIFECAM, Target("chessboard", (8, 8)), "they show markers of DICT_4X4_50: state"),
        (Target("chessboard", (9, 7)), Target(), r"a chessboard with 8x6 inner corners \(9x7 squares\)"),
        (Target("chessboard", (9, 7)), Target("chessboard", (11, 8)), "a chessboard with 8x6 inner corners"),
    ],
    ids=lambda p: p.words if isinstance(p, Target) else "",
)
def test_another_board_is_named(printed: Target, stated: Target, says: str) -> None:
    with pytest.raises(TargetError, match=says):
        recognise([drawn(printed)], stated)


def test_no_board_at_all_says_what_to_do() -> None:
    with pytest.raises(TargetError, match="no board is seen at all: bring it closer"):
        recognise([np.full((300, 400), 128, np.uint8)], Target())


@pytest.mark.parametrize(
    ("stated", "says"),
    [
        (replace(LIFECAM, dictionary="DICT_5X5_100"), "they show markers of DICT_4X4_50"),
        (replace(LIFECAM, squares=(7, 9)), "they fit a ChArUco board of 8x8 squares"),
    ],
    ids=["dictionary", "squares"],
)
def test_real_photographs_of_another_board_are_named(shared: Path, stated: Target, says: str) -> None:
    images = [read_grey(p) for p in pictures_in(shared / "photos" / "boards" / "charuco-1280")[:4]]
    assert recognise(images, LIFECAM) == LIFECAM
    with pytest.raises(TargetError, match=says):
        recognise(images, stated)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Target(squares=(2, 7)), "3x3 to 40x40 squares"),
        (lambda: Target(marker=2.0), "smaller than its square"),
        (lambda: pictures_in(Path("nowhere")), "expected a folder"),
        (lambda: read_grey(Path("nowhere.jpg")), "cannot read the picture nowhere.jpg"),
    ],
)
def test_mistakes_are_explained(make: object, says: str) -> None:
    assert callable(make)
    with pytest.raises(TargetError, match=says):
        make()


def test_pictures_are_read_whatever_their_name(tmp_path: Path) -> None:
    folder = tmp_path / "Brett für später"
    folder.mkdir()
    with pytest.raises(TargetError, match="holds no pictures"):
        pictures_in(folder)
    (folder / "b.PNG").write_bytes(cv2.imencode(".png", np.full((4, 6), 7, np.uint8))[1].tobytes())
    (folder / "a.jpg").write_bytes(b"")
    (folder / "notes.txt").write_text("no picture")
    assert [p.name for p in pictures_in(folder)] == ["a.jpg", "b.PNG"]
    assert read_grey(folder / "b.PNG").shape == (4, 6)
    with pytest.raises(TargetError, match="not a picture"):
        read_grey(folder / "a.jpg")


@pytest.mark.parametrize("squares", [(3, 8), (8, 3), (3, 3)])
def test_a_chessboard_too_small_to_be_found_is_refused(squares: tuple[int, int]) -> None:
    with pytest.raises(TargetError, match="fewer than 4x4 squares"):
        Target("chessboard", squares)
    assert Target("chessboard", (4, 4)).corners.shape == (9, 2)
