"""Which pictures of a board are taken while it is moved in front of a camera."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lens.guidance import ASK_AFTER, Collector, edge_blur
from calibration.lens.intrinsics import calibrate
from calibration.lens.target import Grey, Target, look, read_grey
from engine.space.geometry import FloatArray

BOARD = Target(squares=(7, 5), square=1.0, marker=0.7)
SIZE = (640, 480)


def picture(
    board: Target = BOARD, shift: tuple[float, float] = (0, 0), blur: float = 0.6, tilt: float = 0.0
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
    seen = cv2.warpPerspective(soft, H, SIZE, flags=cv2.INTER_AREA, borderValue=120)
    return np.asarray(cv2.GaussianBlur(seen, (0, 0), blur), dtype=np.uint8)


@pytest.mark.parametrize("blur", [0.8, 1.2, 1.8])
def test_blur_is_measured_in_pixels(blur: float) -> None:
    image = picture(blur=blur)
    view = look(image, BOARD)
    assert view is not None
    assert edge_blur(image, view) == pytest.approx(blur, rel=0.25)


def test_a_steady_sharp_new_view_is_taken_once() -> None:
    collector = Collector(BOARD)
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
    collector = Collector(BOARD)
    collector.offer(picture(), 0.0)
    found = collector.offer(image, 0.1)
    assert not found.taken
    assert says in found.words


@pytest.mark.parametrize(("shift", "tilt"), [((70, 0), 0.0), ((0, 60), 0.0), ((0, 0), 40.0)])
def test_a_board_moved_or_tilted_is_new(shift: tuple[float, float], tilt: float) -> None:
    collector = Collector(BOARD)
    collector.offer(picture(), 0.0)
    assert collector.offer(picture(), 0.1).taken
    collector.offer(picture(shift=shift, tilt=tilt), 0.2)
    assert collector.offer(picture(shift=shift, tilt=tilt), 0.3).taken


def test_a_photograph_needs_no_neighbour_but_an_old_picture_is_none() -> None:
    assert Collector(BOARD).offer(picture(), 0.0, alone=True).taken
    collector = Collector(BOARD)
    collector.offer(picture(), 0.0)
    assert not collector.offer(picture(), 9.0).taken


def test_the_older_pattern_is_recognised() -> None:
    older = Target(squares=(7, 6), square=1.0, marker=0.7, legacy=True)
    collector = Collector(Target(squares=(7, 6), square=1.0, marker=0.7))
    assert collector.offer(picture(older), 0.0, alone=True).taken
    assert collector.board.legacy


def test_another_board_is_named_after_a_while() -> None:
    collector = Collector(BOARD)
    other = picture(Target(squares=(7, 5), square=1.0, marker=0.7, dictionary="DICT_4X4_50"))
    said = [collector.offer(other, float(k)).words for k in range(ASK_AFTER)]
    assert said[0] == "The board is not seen: hold it in view."
    assert "DICT_4X4_50" in said[-1]


def test_another_resolution_starts_afresh() -> None:
    collector = Collector(BOARD)
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
