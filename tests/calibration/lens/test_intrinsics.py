"""The lens from pictures of a board: what is seen of it, the lens that comes out, and what to do next."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import pytest

from calibration.fiducials import dictionary_of
from calibration.lens.guidance import ASK_AFTER, Collector, _spacing, edge_blur
from calibration.lens.intrinsics import advice, calibrate, calibrate_folder, coverage
from calibration.lens.model import Lens, LensError
from calibration.lens.target import (
    Grey,
    Target,
    TargetError,
    TargetView,
    look,
    pictures_in,
    read_grey,
    recognise,
)
from engine.space.geometry import FloatArray
from tests.volume import deep, volume

SIZE = (1280, 720)
BOARD = Target(squares=(9, 7), square=1.0, marker=0.7)
TRUE = Lens(
    SIZE, np.array([[950.0, 0, 655], [0, 948, 352], [0, 0, 1]]), np.array([-0.12, 0.04, 0.0008, -0.0005, 0.0])
)

LIFECAM = Target(squares=(8, 8), square=1.0, marker=0.75, dictionary="DICT_4X4_1000")
RENDERED = Target(squares=(7, 5), square=1.5, marker=1.05)


def view(name: str, sideways: float, back: float, at: tuple[float, float], noise: float = 0.1) -> TargetView:
    """The board turned by degrees about its upright and its level axis, its middle at a place of the
    picture in half pictures from the centre, with seeded noise in pixels.
    """
    turn, _ = cv2.Rodrigues(np.array([math.radians(back), math.radians(sideways), 0.05]))
    middle = BOARD.corners.mean(axis=0)
    points = np.column_stack([BOARD.corners - middle, np.zeros(len(BOARD.corners))])
    place = np.array([at[0] * 640 / 950, at[1] * 360 / 950, 1.0]) * 15.0
    pixels, _ = cv2.projectPoints(points, cv2.Rodrigues(turn)[0], place, TRUE.K, TRUE.dist)
    in_image = pixels.reshape(-1, 2) + np.random.default_rng(len(name) + 7).normal(0, noise, (len(points), 2))
    inside = ((in_image > 0) & (in_image < np.array(SIZE) - 1)).all(axis=1)
    return TargetView(name, SIZE, BOARD.corners[inside], in_image[inside])


def good_views(noise: float = 0.1) -> list[TargetView]:
    """Nine places all over the picture, tilted each way."""
    tilts = [(0, 0), (30, 0), (-30, 0), (0, 30), (0, -30), (20, 25), (-20, 25), (25, -20), (-25, -20)]
    places = [(x, y) for y in (-0.6, 0, 0.6) for x in (-0.7, 0, 0.7)]
    return [
        view("v" * (i + 1), *tilt, at, noise) for i, (tilt, at) in enumerate(zip(tilts, places, strict=True))
    ]


def test_the_lens_comes_back_with_deviations_that_admit_its_errors() -> None:
    found = calibrate(good_views(), BOARD)
    errors = found.lens.parameters - TRUE.parameters
    assert found.lens.origin == "board"
    assert found.lens.size == SIZE
    assert np.abs(errors[:2] / TRUE.parameters[:2]).max() < 0.002
    assert (np.abs(errors) < 3 * found.lens.sd).all()
    focal = TRUE.K[0, 0]
    assert (found.lens.sd[:6] < [0.003 * focal, 0.003 * focal, 2, 2, 0.01, 0.05]).all()
    assert found.rms == pytest.approx(0.1 * math.sqrt(2), rel=0.1)
    assert all(v.used and v.rms for v in found.views)
    assert [round(math.degrees(v.tilt or 0)) for v in found.views[:3]] == pytest.approx([0, 30, 30], abs=1)


def test_more_noise_is_less_sure() -> None:
    quiet, loud = calibrate(good_views(0.05), BOARD), calibrate(good_views(0.3), BOARD)
    assert (loud.lens.sd > 2 * quiet.lens.sd).all()


def test_a_bad_view_is_dropped_and_named() -> None:
    views = good_views()
    bent = views[4].in_image.copy()
    bent[: len(bent) // 2] += (4.0, -3.0)
    views[4] = replace(views[4], name="shaken.jpg", in_image=bent)
    found = calibrate(views, BOARD)
    assert [v.name for v in found.views if not v.used] == ["shaken.jpg"]
    assert "moved, blurred or misread" in next(v.why for v in found.views if not v.used)
    assert any(line.startswith("dropped shaken.jpg") for line in found.words)
    assert found.rms < 0.2
    assert found.lens.K[0, 0] == pytest.approx(950, rel=0.003)


def test_views_with_too_little_of_the_board_take_no_part() -> None:
    few = view("few", 20, 0, (0, 0))
    few = replace(few, on_board=few.on_board[:5], in_image=few.in_image[:5])
    line = view("line", 20, 0, (0, 0))
    line = replace(line, on_board=line.on_board[:8], in_image=line.in_image[:8])
    found = calibrate([*good_views(), few, line], BOARD)
    why = {v.name: v.why for v in found.views if not v.used}
    assert why == {
        "few": "only 5 corners seen, at least 8 are needed",
        "line": "the corners seen lie in one line",
    }


FLAT = [view("f" * (i + 1), 0, 0, (x, y)) for i, (x, y) in enumerate([(-1, -1), (1, 1), (0, 0)] * 3)]


@pytest.mark.parametrize(
    ("views", "says"),
    [
        (good_views()[:4], "4 pictures show enough of the board and at least 6 are needed"),
        (FLAT, "no picture has the board's left or right edge well closer"),
        (FLAT, "no picture has the board's top or bottom edge well closer"),
        (
            [view("s" * (i + 1), t, 0, (0, 0)) for i, t in enumerate((-30, -20, -10, 10, 20, 30))],
            "top or bottom",
        ),
        ([view("c" * (i + 1), t, t, (-0.7, 0)) for i, t in enumerate((-30, -20, -10, 10, 20, 30))], "right"),
        ([], "no picture shows enough of the board"),
        (
            [*good_views(), replace(good_views()[0], size=(640, 480))],
            "one resolution but got 640x480, 1280x720",
        ),
    ],
    ids=["few", "flat sideways", "flat back", "one way only", "left half only", "none", "two sizes"],
)
def test_what_is_missing_is_said(views: list[TargetView], says: str) -> None:
    with pytest.raises(LensError, match=says):
        calibrate(views, BOARD)


def test_advice_ends_when_the_pictures_will_do() -> None:
    views = good_views()
    assert len(advice(views[:1], SIZE)) > 1
    assert advice(views, SIZE) == ()


def test_coverage_counts_corners_by_place() -> None:
    corner = TargetView("v", SIZE, np.zeros((3, 2)), np.array([[10.0, 10.0], [1270.0, 15.0], [640.0, 700.0]]))
    assert coverage([corner], SIZE).tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0]]


def truth_of(folder: Path) -> tuple[FloatArray, FloatArray]:
    truth = json.loads((folder / "truth.json").read_text())
    return np.array(truth["K"]), np.array(truth["dist_k1k2p1p2k3"])


@pytest.mark.parametrize("name", ["A", pytest.param("B", marks=deep)])
def test_rendered_lenses_come_back(shared: Path, name: str) -> None:
    folder = shared / "renders" / "boards" / f"charuco_lens_{name}"
    K, dist = truth_of(folder)
    lens = calibrate_folder(folder, RENDERED).lens
    assert lens.K[[0, 1], [0, 1]] == pytest.approx(K[[0, 1], [0, 1]], rel=0.0005)
    assert lens.K[:2, 2] == pytest.approx(K[:2, 2], abs=0.8)
    assert np.abs(lens.dist[:2] - dist[:2]) == pytest.approx([0, 0], abs=0.004)
    errors = lens.parameters - Lens(lens.size, K, dist).parameters
    assert (np.abs(errors) < 3 * lens.sd).all()
    # Over the square picture that a table fills, as directions in pixels of the true lens.
    places = np.stack(np.meshgrid(np.linspace(450, 1470, 30), np.linspace(20, 1060, 30)), axis=-1).reshape(
        -1, 2
    )
    off = (lens.rays(places) - Lens(lens.size, K, dist).rays(places)) * K[0, 0]
    off -= off.mean(axis=0)
    assert np.linalg.norm(off, axis=1).max() < 0.6


# Focal lengths of the folder's README: what OpenCV's calibrateCamera gave from all usable views.
@deep
@pytest.mark.parametrize(
    ("folder", "board", "focal"),
    [
        ("charuco-1280", LIFECAM, 1127.5),
        ("charuco-480", LIFECAM, 679.4),
        ("chessboard-480", Target("chessboard", (11, 11)), 705.2),
        ("chessboard-picam", Target("chessboard", (8, 8)), 647.6),
    ],
)
def test_real_boards_agree_with_their_recorded_focal_length(
    shared: Path, folder: str, board: Target, focal: float
) -> None:
    found = calibrate_folder(shared / "photos" / "boards" / folder, board)
    assert found.lens.K[0, 0] == pytest.approx(focal, rel=0.01)
    assert found.rms < 0.5
    assert abs(found.lens.K[0, 0] - focal) < 2 * found.lens.sd[0]


def test_a_folder_that_shows_the_board_in_some_pictures(shared: Path, tmp_path: Path) -> None:
    folder = shared / "renders" / "boards" / "charuco_lens_A"
    for path in sorted(folder.glob("*.jpg"))[:8]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    blank = np.full(read_grey(tmp_path / "charuco_00.jpg").shape, 90, np.uint8)
    (tmp_path / "charuco_01a.jpg").write_bytes(cv2.imencode(".jpg", blank)[1].tobytes())
    found = calibrate_folder(tmp_path, RENDERED)
    assert [v.name for v in found.views][:3] == ["charuco_00.jpg", "charuco_01.jpg", "charuco_01a.jpg"]
    assert [(v.name, v.why) for v in found.views if not v.used] == [
        ("charuco_01a.jpg", "the board is not seen")
    ]


PIXELS = 60
MARGIN = 50


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
    images = [
        read_grey(p) for p in pictures_in(shared / "photos" / "boards" / "charuco-1280")[: volume(2, 4)]
    ]
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


SHOWN = Target(squares=(7, 5), square=1.0, marker=0.7)
SMALL = (640, 480)


def picture(
    board: Target = SHOWN, shift: tuple[float, float] = (0, 0), blur: float = 0.6, tilt: float = 0.0
) -> Grey:
    """The board drawn large and seen through a homography; `tilt` makes its right edge shorter."""
    columns, rows = board.squares
    drawn = np.full((rows * 80 + 160, columns * 80 + 160), 255, np.uint8)
    if board.kind == "charuco":
        drawn[80:-80, 80:-80] = board.charuco().generateImage((columns * 80, rows * 80))
    else:
        squares = (np.add.outer(np.arange(rows), np.arange(columns)) % 2 * 255).astype(np.uint8)
        drawn[80:-80, 80:-80] = squares.repeat(80, axis=0).repeat(80, axis=1)
    h, w = drawn.shape
    x, y = shift
    quad = np.array([(120, 110), (520, 110 + tilt), (520, 370 - tilt), (120, 370)]) + np.array([x, y])
    corners: FloatArray = np.array([(0, 0), (w, 0), (w, h), (0, h)], dtype=np.float64)
    H = cv2.getPerspectiveTransform(corners.astype(np.float32), quad.astype(np.float32))
    soft = cv2.GaussianBlur(drawn, (0, 0), 0.8)
    seen = cv2.warpPerspective(soft, H, SMALL, flags=cv2.INTER_AREA, borderValue=120)
    return np.asarray(cv2.GaussianBlur(seen, (0, 0), blur), dtype=np.uint8)


@pytest.mark.parametrize("blur", [0.8, 1.2, 1.8])
def test_blur_is_measured_in_pixels(blur: float) -> None:
    image = picture(blur=blur)
    view = look(image, SHOWN)
    assert view is not None
    assert edge_blur(image, view) == pytest.approx(blur, rel=0.25)


def test_neighbours_are_as_far_apart_as_most_of_them() -> None:
    on_board, in_image = (np.column_stack([x, np.zeros(4)]) for x in ([0.0, 1, 2, 3], [0.0, 10, 30, 60]))
    assert _spacing(TargetView("v", SIZE, on_board, in_image)) == 20.0


def test_a_steady_sharp_new_view_is_taken_once() -> None:
    collector = Collector(SHOWN)
    first = collector.offer(picture(), 10.0)
    assert (first.taken, first.words) == (False, "Hold the board still for a moment.")
    assert first.view is not None
    assert collector.offer(picture(), 10.1).taken
    again = collector.offer(picture(), 10.2)
    assert (again.taken, again.words) == (False, "Taken already: move or tilt the board.")
    assert len(collector.views) == 1


@pytest.mark.parametrize(
    ("image", "says"),
    [
        (picture(blur=1.9), "Blurred"),
        (picture(shift=(12, 0)), "still"),
        (np.full((480, 640), 90, np.uint8), "not seen"),
        (picture(shift=(-355, 0)), "Too little of the board"),
    ],
    ids=["blurred", "moving", "none", "half out"],
)
def test_what_is_not_taken_is_told_why(image: Grey, says: str) -> None:
    collector = Collector(SHOWN)
    collector.offer(picture(), 0.0)
    found = collector.offer(image, 0.1)
    assert not found.taken
    assert says in found.words


@pytest.mark.parametrize(("shift", "tilt"), [((70, 0), 0.0), ((0, 60), 0.0), ((0, 0), 40.0)])
def test_a_board_moved_or_tilted_is_new(shift: tuple[float, float], tilt: float) -> None:
    collector = Collector(SHOWN)
    collector.offer(picture(), 0.0)
    assert collector.offer(picture(), 0.1).taken
    collector.offer(picture(shift=shift, tilt=tilt), 0.2)
    assert collector.offer(picture(shift=shift, tilt=tilt), 0.3).taken


def test_a_photograph_needs_no_neighbour_but_an_old_picture_is_none() -> None:
    assert Collector(SHOWN).offer(picture(), 0.0, alone=True).taken
    collector = Collector(SHOWN)
    collector.offer(picture(), 0.0)
    assert not collector.offer(picture(), 9.0).taken


def test_the_older_pattern_is_recognised() -> None:
    older = Target(squares=(7, 6), square=1.0, marker=0.7, legacy=True)
    collector = Collector(Target(squares=(7, 6), square=1.0, marker=0.7))
    assert collector.offer(picture(older), 0.0, alone=True).taken
    assert collector.board.legacy


def test_another_board_is_named_after_a_while() -> None:
    collector = Collector(SHOWN)
    other = picture(Target(squares=(7, 5), square=1.0, marker=0.7, dictionary="DICT_4X4_50"))
    said = [collector.offer(other, float(k)).words for k in range(ASK_AFTER)]
    assert said[0] == "The board is not seen: hold it in view."
    assert "DICT_4X4_50" in said[-1]


def test_another_resolution_starts_afresh() -> None:
    collector = Collector(SHOWN)
    collector.offer(picture(), 0.0, alone=True)
    larger = np.asarray(cv2.resize(picture(), None, fx=1.5, fy=1.5), dtype=np.uint8)
    collector.offer(larger, 1.0, alone=True)
    assert [v.size for v in collector.views] == [(960, 720)]


def test_a_folder_of_good_views_is_enough_and_gives_the_lens(shared: Path) -> None:
    folder = shared / "renders" / "boards" / "charuco_lens_A"
    collector = Collector(Target(squares=(7, 5), square=1.5, marker=1.05))
    assert collector.missing
    assert collector.cells.sum() == 0
    for n, path in enumerate(sorted(folder.glob("*.jpg"))):
        assert collector.offer(read_grey(path), float(n), alone=True).taken, path.name
        assert collector.enough == (n == 11)
    assert collector.will_do
    assert collector.missing == ()
    assert len(collector.tilts) == 12
    assert collector.cells.sum() == 288
    assert calibrate(collector.views, collector.board).lens.K[0, 0] == pytest.approx(1181.2, abs=1.0)


def april_grid(border: int, family: str = "tag36h11") -> Grey:
    """Six by six tags as Kalibr prints them: .3 of a side apart, black squares where their corners meet.

    Of a family that has not so many ids the last rows are left out.
    """
    side, gap = 60, 18
    step = side + gap
    image = np.full((6 * step + gap + 80, 6 * step + gap + 80), 255, np.uint8)
    dictionary = dictionary_of(family)
    for tag in range(min(36, len(dictionary.bytesList))):
        y, x = (40 + gap + step * k for k in divmod(tag, 6))
        drawn_tag = cv2.aruco.generateImageMarker(dictionary, tag, side, borderBits=border)
        image[y : y + side, x : x + side] = drawn_tag
    for j in range(7):
        for i in range(7):
            image[40 + step * j : 40 + step * j + gap, 40 + step * i : 40 + step * i + gap] = 0
    corners = np.array([(0, 0), (566, 0), (566, 566), (0, 566)], np.float32)
    seen = np.array([(30, 20), (600, 50), (580, 600), (60, 560)], np.float32)
    warp = cv2.getPerspectiveTransform(corners, seen)
    return np.asarray(cv2.warpPerspective(image, warp, (640, 640), borderValue=(200.0,)))


@pytest.mark.parametrize("border", [1, 2])
@pytest.mark.parametrize("kind", ["charuco", "chessboard"])
def test_an_april_grid_is_called_by_its_name(border: int, kind: Literal["charuco", "chessboard"]) -> None:
    with pytest.raises(TargetError, match="they show an AprilGrid, which is not read here: print a board"):
        recognise([april_grid(border)], Target(kind=kind))


@pytest.mark.parametrize("family", ["tag25h9", "tag16h5"])
def test_an_april_grid_of_another_family_is_called_by_its_name(family: str) -> None:
    for border in (1, 2):
        with pytest.raises(TargetError, match="they show an AprilGrid"):
            recognise([april_grid(border, family)], Target(kind="chessboard"))


def test_a_charuco_board_of_april_tags_is_no_april_grid() -> None:
    board = Target(squares=(6, 8), square=1.0, marker=0.7, dictionary="tag36h11")
    image = np.asarray(board.charuco().generateImage((600, 800), marginSize=20), dtype=np.uint8)
    with pytest.raises(TargetError, match="they show markers of tag36h11"):
        recognise([image], Target())
