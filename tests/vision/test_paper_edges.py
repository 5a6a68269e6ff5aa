"""Edges of paper to parts of a pixel, in pictures whose edges are known exactly."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from engine.space.geometry import FloatArray
from vision.frame import Image
from vision.paper_edges import find_sheets

FINE = 8


def picture(corners: FloatArray, paper: float = 220.0, ground: float = 80.0, seed: int = 1) -> Image:
    """A bright four-cornered sheet, corners (4, 2) pixels, a little blurred and noisy."""
    fine = np.full((480 * FINE, 640 * FINE), ground, np.float32)
    cv2.fillConvexPoly(fine, np.round((corners + 0.5) * FINE - 0.5).astype(np.int32), (paper,))
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
