"""Edges on the table: of the mat, and of a sheet of paper."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from engine.space.geometry import FloatArray
from tests.calibration.test_surface import camera
from tests.volume import volume
from vision import paper_edges
from vision.frame import Image
from vision.mat_edges import SIDES, MatEdge, find_mat_edges
from vision.paper_edges import find_sheets

SURFACE = camera(height=78.0)
LOW, HIGH = np.array([-1.2, -1.2]), np.array([47.2, 47.2])
"""The rectangle of the corner tags."""
WOOD, CLOTH, ROAD = (70, 110, 150), (70, 120, 60), (60, 60, 60)
FINE = 2


def painted(image: Image, outline: FloatArray, colour: tuple[int, int, int]) -> None:
    """Fills a polygon of the table, its sides bent as the lens bends them."""
    after = np.roll(outline, -1, axis=0)
    shares = np.linspace(0.0, 1.0, 40, endpoint=False)[:, None]
    dense = np.concatenate([a + shares * (b - a) for a, b in zip(outline, after, strict=True)])
    pixels = (SURFACE.image_from_table(dense) + 0.5) * FINE - 0.5
    cv2.fillPoly(image, [np.rint(pixels * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)


def rectangle(low: tuple[float, float], high: tuple[float, float], turn_deg: float = 0.0) -> FloatArray:
    (a, b), (c, d) = low, high
    corners = np.array([(a, b), (c, b), (c, d), (a, d)])
    cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    middle = corners.mean(axis=0)
    turned: FloatArray = (corners - middle) @ np.array([[cos, sin], [-sin, cos]]) + middle
    return turned


def photographed(
    mat: FloatArray,
    *things: tuple[FloatArray, tuple[int, int, int]],
    ground: tuple[int, int, int] = WOOD,
    seed: int = 1,
) -> Image:
    """The mat on its table with things on it, one after the other, a little blurred and noisy."""
    rng = np.random.default_rng(seed)
    fine = np.full((1080 * FINE, 1920 * FINE, 3), ground, np.uint8)
    for outline, colour in ((mat, CLOTH), *things):
        painted(fine, outline, colour)
    seen = cv2.resize(fine, (1920, 1080), interpolation=cv2.INTER_AREA).astype(np.float32)
    # Light from one side, felt, and the camera's own noise.
    seen *= np.linspace(0.8, 1.1, 1920, dtype=np.float32)[None, :, None]
    felt = cv2.GaussianBlur(rng.normal(0, 30, seen.shape[:2]).astype(np.float32), (0, 0), 3)
    seen = cv2.GaussianBlur(seen + felt[..., None], (0, 0), 0.8) + rng.normal(0, 3, seen.shape)
    return np.clip(seen, 0, 255).astype(np.uint8)


def edges(image: Image) -> list[MatEdge]:
    found = find_mat_edges(image, SURFACE, LOW, HIGH)
    assert all(isinstance(e, MatEdge) for e in found), found
    return [e for e in found if isinstance(e, MatEdge)]


def test_edges_are_true_within_their_deviation() -> None:
    off, inside = [], []
    for seed in range(volume(4, 12)):
        rng = np.random.default_rng(seed)
        low, high = LOW - rng.uniform(0.4, 3.0, 2), HIGH + rng.uniform(0.4, 3.0, 2)
        found = edges(photographed(rectangle((low[0], low[1]), (high[0], high[1])), seed=seed))
        for edge, true in zip(found, (low[1], high[0], high[1], low[0]), strict=True):
            off.append(abs(edge.at - true))
            inside.append(off[-1] < 1.96 * edge.sd)
            assert edge.sd < 0.05
    assert max(off) < 0.08
    assert np.mean(inside) > 0.9


def test_a_line_a_stripe_and_a_road_on_the_mat_and_the_rim_of_the_table_are_no_edge() -> None:
    mat = rectangle((-4.0, -4.0), (50.0, 50.0))
    line = rectangle((-2.6, -2.6), (-2.4, 48.0)), (235, 235, 235)
    stripe = rectangle((-3.0, 48.0), (49.0, 48.6)), (235, 235, 235)
    road = rectangle((44.0, -4.0), (49.0, 20.0)), ROAD
    rim = rectangle((-6.5, -6.5), (52.5, 52.5))
    plain = photographed(rim, (mat, (150, 90, 60)), line, stripe, road, ground=(30, 30, 40))
    for edge, true in zip(edges(plain), (-4.0, 50.0, 50.0, -4.0), strict=True):
        assert edge.at == pytest.approx(true, abs=0.1)


def test_a_hand_over_a_part_of_a_side_is_passed_over() -> None:
    hand = rectangle((8.0, -9.0), (15.0, 6.0)), (150, 170, 215)
    near = edges(photographed(rectangle((-3.0, -3.0), (49.0, 49.0)), hand))[0]
    assert near.at == pytest.approx(-3.0, abs=0.08)


@pytest.mark.parametrize("turn", [-2.5, 1.5, 3.5])
def test_a_mat_askew_is_told_with_its_angle_and_less_surely(turn: float) -> None:
    found = edges(photographed(rectangle((-4.5, -4.5), (50.5, 50.5), turn)))
    for edge, true in zip(found, (-4.5, 50.5, 50.5, -4.5), strict=True):
        assert math.degrees(edge.turn) == pytest.approx(turn, abs=0.15)
        assert abs(edge.at - true) < 1.96 * edge.sd
        assert edge.sd > 0.2


def test_what_cannot_be_seen_is_said() -> None:
    # A mat that goes on beyond the picture at two sides.
    found = find_mat_edges(photographed(rectangle((-3.0, -3.0), (90.0, 90.0))), SURFACE, LOW, HIGH)
    assert isinstance(found[0], MatEdge)
    assert isinstance(found[3], MatEdge)
    assert str(found[1]).startswith("no clear edge")
    assert str(found[2]).startswith("no clear edge")
    bare = find_mat_edges(photographed(rectangle((-60.0, -60.0), (110.0, 110.0))), SURFACE, LOW, HIGH)
    assert all(str(e).startswith("no clear edge") for e in bare)
    outside = find_mat_edges(
        photographed(rectangle((-3.0, -3.0), (90.0, 90.0))), SURFACE, LOW, np.array([47.2, 90.0])
    )
    assert outside[SIDES.index("far")] == "not in the picture"


def test_a_grey_picture_will_do() -> None:
    colour = photographed(rectangle((-3.0, -3.0), (49.0, 49.0)), ground=(200, 200, 200))
    found = find_mat_edges(cv2.cvtColor(colour, cv2.COLOR_BGR2GRAY), SURFACE, LOW, HIGH)
    assert isinstance(found[1], MatEdge)
    assert found[1].at == pytest.approx(49.0, abs=0.08)


PAPER_FINE = 8


def picture(corners: FloatArray, paper: float = 220.0, ground: float = 80.0, seed: int = 1) -> Image:
    """A bright four-cornered sheet, corners (4, 2) pixels, a little blurred and noisy."""
    fine = np.full((480 * PAPER_FINE, 640 * PAPER_FINE), ground, np.float32)
    cv2.fillConvexPoly(fine, np.round((corners + 0.5) * PAPER_FINE - 0.5).astype(np.int32), (paper,))
    seen = cv2.GaussianBlur(cv2.resize(fine, (640, 480), interpolation=cv2.INTER_AREA), (0, 0), 0.8)
    noise = np.random.default_rng(seed).normal(0, 3, seen.shape)
    return np.clip(seen + noise, 0, 255).astype(np.uint8)


def turned(degrees: float, short: float = 170.0, long: float = 220.0) -> FloatArray:
    """A sheet in the picture's middle, its first side a short one."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    half = np.array([(-short, -long), (short, -long), (short, long), (-short, long)]) / 2
    return half @ np.array([[cos, sin], [-sin, cos]]) + [320.0, 240.0]


@pytest.mark.parametrize("degrees", [0.0, 17.0, 45.0, 80.0])
def test_sides_are_true_within_their_deviation(degrees: float) -> None:
    (sheet,) = find_sheets(picture(turned(degrees)), lambda pixels: pixels)
    (short, short_sd), (long, long_sd) = sorted(sheet.across(n) for n in (0, 1))
    assert abs(short - 170) < 2.5 * short_sd
    assert abs(long - 220) < 2.5 * long_sd
    # What a tone curve may do to the edges is in it: tenths of a pixel, and not more.
    assert 0.05 < short_sd < 0.5


def test_a_mirrored_order_of_corners_changes_nothing() -> None:
    seen = picture(turned(17.0))
    (sheet,) = find_sheets(seen, lambda pixels: pixels)
    (mirrored,) = find_sheets(np.ascontiguousarray(seen[:, ::-1]), lambda pixels: pixels)
    for one, other in zip(*(sorted(s.across(n)[0] for n in (0, 1)) for s in (sheet, mirrored)), strict=True):
        assert one == pytest.approx(other, abs=0.05)


def test_a_sheet_in_the_middle_of_a_brighter_table_is_found_beside_the_table() -> None:
    seen = picture(turned(17.0), paper=240.0, ground=130.0).copy()
    table = turned(5.0, 380.0, 440.0).astype(np.int32)
    outside = np.ones_like(seen)
    cv2.fillConvexPoly(outside, table, (0,))
    seen[outside > 0] //= 4
    areas = sorted(s.across(0)[0] * s.across(1)[0] for s in find_sheets(seen, lambda pixels: pixels))
    assert areas == pytest.approx([170 * 220, 380 * 440], rel=0.02)


def test_what_is_covered_at_an_edge_or_leaves_the_picture_is_not_measured() -> None:
    hand = picture(turned(10.0))
    cv2.circle(hand, (320, 130), 70, (80,), -1)
    assert find_sheets(hand, lambda pixels: pixels) == []
    cut = picture(turned(10.0) + np.array([270.0, 0.0]))
    assert find_sheets(cut, lambda pixels: pixels) == []


def test_paper_on_paper_has_no_edge() -> None:
    assert find_sheets(picture(turned(10.0), ground=212.0), lambda pixels: pixels) == []


def test_a_round_plate_and_a_narrow_strip_are_no_sheets() -> None:
    plate = picture(turned(0.0, 1.0, 1.0))
    cv2.circle(plate, (320, 240), 100, (220,), -1)
    assert find_sheets(plate, lambda pixels: pixels) == []
    assert find_sheets(picture(turned(20.0, 70.0, 220.0)), lambda pixels: pixels) == []


def test_a_shape_that_lacks_an_edge_is_measured_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, asked = picture(turned(17.0)), []
    monkeypatch.setattr(paper_edges, "_edge", lambda *about: asked.append(about))
    assert find_sheets(seen, lambda pixels: pixels) == []
    assert len(asked) == len(list(paper_edges._quads(seen))) > 1
