from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.lens.intrinsics import advice, calibrate, calibrate_folder, coverage
from calibration.lens.model import Lens, LensError
from calibration.lens.target import Target, TargetView, read_grey
from engine.space.geometry import FloatArray

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


@pytest.mark.parametrize("name", ["A", "B"])
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
