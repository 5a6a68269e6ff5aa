from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.space.geometry import FloatArray
from vision.frame import Frame, Image
from vision.tags.pattern import LINEAR, aruco_dictionary, homography, pattern
from vision.tags.polish import polish
from vision.tags.reading import TagReader


def draw(
    corners: FloatArray,
    tag: int = 7,
    *,
    size: int = 80,
    blur: float = 0.7,
    noise: float = 0.0,
    dark: float = 0.08,
    light: float = 0.75,
    around: float = 0.45,
    seed: int = 0,
    factor: int = 8,
) -> Image:
    """A tag drawn in linear light at exact corners (pixel centres at integers), then sRGB, 8 bits.

    It has a white margin of one module; `around` (0 black, 1 white) is what lies beyond that.
    """
    modules = pattern("tag36h11", tag)
    assert modules is not None
    padded = np.pad(modules, 1, constant_values=1.0)
    ys, xs = np.mgrid[0 : size * factor, 0 : size * factor]
    at = np.stack([(xs + 0.5) / factor - 0.5, (ys + 0.5) / factor - 0.5], -1).reshape(-1, 2)
    inverse = np.linalg.inv(homography(corners, 8))
    mapped = at @ inverse[:, :2].T + inverse[:, 2]
    uv = np.floor(mapped[:, :2] / mapped[:, 2:] + 1).astype(int)
    inside = ((uv >= 0) & (uv < 10)).all(axis=1)
    value = np.full(len(at), around)
    value[inside] = padded[uv[inside, 1], uv[inside, 0]]
    fine = value.reshape(size * factor, size * factor)
    fine = cv2.GaussianBlur(fine, (0, 0), blur * factor)
    linear = dark + (light - dark) * cv2.resize(fine, (size, size), interpolation=cv2.INTER_AREA)
    encoded = np.searchsorted(LINEAR, linear).astype(np.float64)
    encoded += np.random.default_rng(seed).normal(0, noise, encoded.shape) if noise else 0.0
    return np.asarray(np.clip(np.round(encoded), 0, 255), dtype=np.uint8)


def square(side: float, turn_deg: float, at: tuple[float, float] = (40.2, 39.7)) -> FloatArray:
    a = np.radians(turn_deg)
    rotation = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    unit = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * side / 2
    return np.asarray(unit @ rotation.T + at)


@pytest.mark.parametrize("side", [15.0, 18.0, 24.0, 44.0])
# (Not 0 or 45 degrees: there the drawing, eight samples a pixel, is itself out by a sixteenth.)
@pytest.mark.parametrize("turn", [3.0, 17.0, 41.0, 131.0])
def test_corners_are_found_to_hundredths_of_a_pixel(side: float, turn: float) -> None:
    truth = square(side, turn)
    start = truth + np.random.default_rng(1).normal(0, 0.3, (4, 2))
    fit = polish(draw(truth), "tag36h11", 7, start)
    assert fit is not None
    assert fit.correlation > 0.98
    assert np.abs(fit.corners - truth).max() < 0.05
    assert fit.blur == pytest.approx(0.7, abs=0.2)


@pytest.mark.parametrize("side", [135.0, 158.0, 166.0, 240.0, 460.0])
def test_a_large_tag_is_read_and_its_corners_are_as_sure_as_stated(side: float) -> None:
    """A tag of 156 pixels and more had more pixels than OpenCV looks up at once, and ended the search."""
    size = int(1.7 * side)
    truth = square(side, 17.0, (size / 2 + 0.3, size / 2 - 0.2))
    (found,) = TagReader.of([("tag36h11", 7)]).read_all(
        Frame(draw(truth, size=size, noise=2.0, factor=3), 0.0, 0)
    )
    assert np.abs(found.corners - truth).max() < max(0.1, 0.0012 * side)
    off = (found.corners - truth).ravel()
    assert float(off @ np.linalg.solve(found.covariance, off)) < 26.1, "the 99.9th percentile of eight"


@pytest.mark.parametrize("around", [0.0, 0.3, 1.0])
def test_what_lies_around_a_tag_does_not_pull_at_its_corners(around: float) -> None:
    truth = square(14.4, 17.0)
    fit = polish(draw(truth, blur=0.9, around=around), "tag36h11", 7, truth, 0.9)
    assert fit is not None
    assert np.abs(fit.corners - truth).max() < 0.03


def test_a_tone_curve_does_not_shrink_black_squares() -> None:
    """The picture is sRGB and the outer quad alone would come out a third of a pixel small."""
    truth = square(20.0, 10.0)
    fit = polish(draw(truth, blur=1.0), "tag36h11", 7, truth)
    assert fit is not None
    side = np.linalg.norm(fit.corners - np.roll(fit.corners, -1, axis=0), axis=1).mean()
    assert side == pytest.approx(20.0, abs=0.04)


def test_heading_has_no_floor_under_a_tilted_view() -> None:
    truth = square(20.0, 30.0) + np.array([(0.0, 0.0), (0.6, 0.2), (-0.3, 0.5), (0.2, -0.6)])
    fit = polish(draw(truth), "tag36h11", 7, truth + 0.2)
    assert fit is not None
    assert np.abs(fit.corners - truth).max() < 0.05


def test_stated_covariance_admits_the_noise() -> None:
    truth = square(19.0, 25.0)
    distances = []
    for seed in range(60):
        fit = polish(draw(truth, noise=4.0, seed=seed), "tag36h11", 7, truth)
        assert fit is not None
        off = (fit.corners - truth).ravel()
        distances.append(off @ np.linalg.solve(fit.covariance, off))
    # Eight degrees of freedom; white noise is milder than what the inflation was measured on.
    assert 0.5 < np.mean(distances) < 8.0


@pytest.mark.parametrize("other", [0, 3, 200])
def test_another_tag_does_not_fit(other: int) -> None:
    truth = square(22.0, 12.0)
    fit = polish(draw(truth, tag=7), "tag36h11", other, truth)
    assert fit is None or fit.correlation < 0.8


def test_at_the_edge_of_the_picture_and_beyond() -> None:
    picture = draw(square(20.0, 0.0, (8.0, 40.0)))
    fit = polish(picture, "tag36h11", 7, square(20.0, 0.0, (8.0, 40.0)))
    assert fit is None or np.isfinite(fit.corners).all()
    assert polish(picture, "tag36h11", 7, square(20.0, 0.0, (-60.0, 40.0))) is None
    assert polish(picture, "tag36h11", 7, np.zeros((4, 2))) is None


def test_families_that_cannot_be_drawn_are_none() -> None:
    assert pattern("tagStandard41h12", 0) is None
    assert pattern("tag36h11", 587) is None
    assert aruco_dictionary("DICT_4X4_50") is not None
    assert aruco_dictionary("DICT_NONSENSE") is None
