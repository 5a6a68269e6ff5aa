from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.bundle.doubts import judge
from calibration.bundle.solve import solve
from calibration.heights import _size_of
from calibration.lens.model import Lens, guess_lens
from calibration.surface import (
    PARAMETERS,
    CornerTag,
    SeenCorner,
    Surface,
    SurfaceError,
    apart,
    diagonal_crossing,
    rotation_vector,
)
from engine.space.geometry import FloatArray
from tests.volume import DEEP, Figure, volume

LENS = Lens(
    (1920, 1080),
    np.array([[1181.0, 0.0, 966.8], [0.0, 1182.0, 534.4], [0.0, 0.0, 1.0]]),
    np.array([-0.085, 0.022, 0.0006, -0.0004, 0.0]),
)
PLACES = [(0.0, 0.0), (46.0, 0.0), (46.0, 46.0), (0.0, 46.0)]


def camera(lens: Lens = LENS, tilt: float = 3.0, roll: float = 1.0, height: float = 57.0) -> Surface:
    """A camera about above the middle, looking down."""
    down = np.diag([1.0, -1.0, -1.0])
    turned = cv2.Rodrigues(np.radians([tilt, 0.5 * tilt, roll]))[0] @ down
    position = np.array([23.0, 22.0, height])
    return Surface(lens, turned, -turned @ position, np.zeros((PARAMETERS, PARAMETERS)), 0.0)


def tags(turn: float | None = math.pi / 2, sd: float = 0.0) -> list[CornerTag]:
    return [CornerTag("tag36h11", i, 2.4, at, turn, sd) for i, at in enumerate(PLACES)]


def seen_by(truth: Surface, corners: list[CornerTag], noise: float = 0.0, seed: int = 0) -> list[SeenCorner]:
    rng = np.random.default_rng(seed)
    covariance = np.eye(8) * max(noise, 0.02) ** 2
    return [
        SeenCorner(c, truth.image_from_table(c.corners_at()) + rng.normal(0, noise, (4, 2)), covariance)
        for c in corners
    ]


@pytest.mark.parametrize("turn", [math.pi / 2, None])
@pytest.mark.parametrize("tilt", [0.0, 3.0, 12.0])
def test_exact_corners_give_the_exact_camera(turn: float | None, tilt: float) -> None:
    truth = camera(tilt=tilt)
    found = solve(LENS, seen_by(truth, tags(turn))).surface
    # A bent lens draws a square's diagonals a little bent: centres alone are good to a hundredth.
    assert np.abs(found.camera_position - truth.camera_position).max() < (1e-4 if turn else 0.05)
    assert found.residual < (1e-6 if turn else 1e-3)


@pytest.mark.parametrize(
    "angle", [0.0, 1e-9, 0.3, 2.0, math.pi - 1e-3, math.pi - 8e-6, math.pi - 1e-9, math.pi]
)
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (0.6, -0.48, 0.64)])
def test_a_rotation_vector_gives_its_matrix_back(axis: tuple[float, float, float], angle: float) -> None:
    rotation = np.asarray(cv2.Rodrigues(np.array(axis) * angle)[0])
    found = rotation_vector(rotation)
    assert np.linalg.norm(found) <= math.pi + 1e-12
    assert np.abs(np.asarray(cv2.Rodrigues(found)[0]) - rotation).max() < 1e-12


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3), st.floats(-1e-3, 1e-3))
def test_rotations_that_are_near_are_little_apart(x: float, y: float, z: float, by: float) -> None:
    axis = np.array([x, y, z])
    if np.linalg.norm(axis) < 0.1:
        axis = np.array([0.0, 0.0, 1.0])
    axis *= math.pi / np.linalg.norm(axis)
    centre, there = (
        rotation_vector(np.asarray(cv2.Rodrigues(axis * (1 + side * by))[0])) for side in (1, -1)
    )
    covariance = np.diag([1e-8, 4e-8, 9e-8])
    off, own = apart(there, covariance, centre)
    assert np.linalg.norm(off) <= 2 * math.pi * abs(by) + 1e-7
    rotated = np.asarray(cv2.Rodrigues(there)[0])
    assert np.abs(np.asarray(cv2.Rodrigues(centre + off)[0]) - rotated).max() < 1e-9
    # A small step of the one vector and the same step as the other one's: the same rotation.
    step = np.array([1e-6, 0.0, 0.0])
    stepped = apart(there + step, covariance, centre)[0] - off
    assert step @ np.linalg.solve(covariance, step) == pytest.approx(
        stepped @ np.linalg.solve(own, stepped), rel=1e-3
    )


@given(st.floats(-5, 50), st.floats(-5, 50), st.floats(0, 5), st.floats(-10, 10), st.floats(-30, 30))
def test_image_and_table_are_each_others_inverse(
    x: float, y: float, height: float, tilt: float, roll: float
) -> None:
    surface = camera(tilt=tilt, roll=roll)
    place = np.array([[x, y]])
    back = surface.table_from_image(surface.image_from_table(place, height), height)
    assert np.abs(back - place).max() < 1e-5


def test_ignoring_height_is_half_an_inch_out() -> None:
    # From 57 in above, a tag 1.2 in up and 23 in off the axis: 23 * 1.2 / (57 - 1.2) = 0.49 in.
    surface = camera(tilt=0.0)
    pixel = surface.image_from_table(np.array([[46.0, 22.0]]), 1.2)
    flat = surface.table_from_image(pixel, 0.0)
    assert flat[0, 0] - 46.0 == pytest.approx(23 * 1.2 / 55.8, abs=0.03)


def test_jacobians_agree_with_differences() -> None:
    surface = camera()
    place, height, step = np.array([[40.0, 5.0]]), 1.1, 1e-5
    pixel = surface.image_from_table(place, height)
    by_pixel, by_parameters, by_height = surface.jacobians(place, height)
    tag = surface.image_from_table(CornerTag("tag36h11", 0, 2.4, (40.0, 5.0), 0.3).corners_at())
    side, by_lens = _size_of(surface, tag)
    assert side == pytest.approx(2.4)
    for k in range(2):
        moved = surface.table_from_image(pixel + np.eye(2)[k] * step, height)
        assert (moved - place)[0] / step == pytest.approx(by_pixel[0][:, k], rel=1e-3, abs=1e-6)
    higher = surface.table_from_image(pixel, height + step)
    assert (higher - place)[0] / step == pytest.approx(by_height[0], rel=1e-3)
    for k in range(PARAMETERS):
        change = np.zeros(PARAMETERS)
        change[k] = 1e-6
        other = Surface(
            surface.lens.adjusted(change[6:]),
            np.asarray(cv2.Rodrigues(cv2.Rodrigues(surface.rotation)[0].ravel() + change[:3])[0]),
            surface.translation + change[3:6],
            surface.covariance,
            0.0,
        )
        moved = other.table_from_image(pixel, height)
        assert (moved - place)[0] / 1e-6 == pytest.approx(by_parameters[0][:, k], rel=2e-2, abs=2e-3)
        larger = math.log(_size_of(other, tag)[0] / side)
        assert larger / 1e-6 == pytest.approx(by_lens[k], rel=2e-2, abs=1e-4)


@pytest.mark.parametrize("guessed", [False, True])
def test_stated_deviations_come_true(guessed: bool, figure: Figure) -> None:
    """Over many noisy pictures the truth lies in the 95 % ellipse about 95 % of the time."""
    squares, rounds = [], volume(60, 400)
    rng = np.random.default_rng(7)
    for seed in range(rounds):
        lens = LENS
        if guessed:
            start = guess_lens(LENS.size, 78.0)
            lens = start.adjusted(rng.multivariate_normal(np.zeros(9), start.covariance))
            start_lens = start
        else:
            start_lens = LENS
        truth = camera(lens, tilt=rng.uniform(-8, 8), roll=rng.uniform(-5, 5))
        surface = solve(start_lens, seen_by(truth, tags(), 0.1, seed)).surface
        place = np.array([rng.uniform(4, 42, 2)])
        height = 1.1
        found = surface.table_from_image(truth.image_from_table(place, height), height)
        _, by_parameters, _ = surface.jacobians(found, height)
        covariance = by_parameters[0] @ surface.covariance @ by_parameters[0].T
        off = (found - place)[0]
        squares.append(off @ np.linalg.solve(covariance, off))
    share = np.mean(np.array(squares) <= 5.991)
    lens_is = "guessed" if guessed else "known"
    figure(f"share of places within the stated 95 %, lens {lens_is}", share)
    # A guess is granted more doubt than these drawn corners give cause for.
    if DEEP:
        assert 0.92 <= share <= (0.995 if guessed else 0.98)
    # Of a few draws their mean square tells more than their share: 2 is expected, and scatters by 0.26.
    assert share >= 0.9
    assert (0.6 if guessed else 1.3) < np.mean(squares) < 2.7


def test_a_guessed_lens_grows_the_deviation() -> None:
    truth = camera()
    middle = np.array([[23.0, 23.0]])

    def deviation(lens: Lens) -> float:
        surface = solve(lens, seen_by(truth, tags(), 0.1)).surface
        by_parameters = surface.jacobians(middle, 1.2)[1][0]
        return float(np.sqrt(np.trace(by_parameters @ surface.covariance @ by_parameters.T)))

    assert deviation(guess_lens(LENS.size)) > 3 * deviation(LENS)
    # The centre of a lens that nobody measured lies within a few hundredths of the width of the picture's.
    aside = np.sqrt(np.diag(guess_lens(LENS.size).covariance)[2:4]) / LENS.size[0]
    assert np.all((aside > 0.02) & (aside < 0.06))


def test_one_corner_under_a_hand_is_enough_to_go_on() -> None:
    truth = camera()
    found = solve(LENS, seen_by(truth, tags())[:3]).surface
    assert np.abs(found.camera_position - truth.camera_position).max() < 1e-3


def test_a_misplaced_corner_is_named_and_does_not_drag_the_rest() -> None:
    truth = camera()
    corners = [CornerTag(c.family, c.tag, c.size, c.at, c.turn, 0.01) for c in tags()]
    seen = seen_by(truth, corners, 0.05)
    moved = CornerTag("tag36h11", 4, 2.4, (23.5, 46.0), math.pi / 2, 0.01)
    right = CornerTag("tag36h11", 4, 2.4, (23.0, 46.0), math.pi / 2, 0.01)
    seen.append(SeenCorner(moved, truth.image_from_table(right.corners_at()), seen[0].covariance))
    found = judge(LENS, seen)
    assert found.doubts[0].tags == (4,)
    worst = max(found.surface.misfits, key=lambda m: m[1])
    assert worst[0].tag == 4
    assert worst[1] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("seen", "says"),
    [
        ([], "corner tags seen: none"),
        (seen_by(camera(), tags(None))[:2], "at least three are needed"),
        (
            [
                SeenCorner(CornerTag("x", i, 1.0, (x, y), None, 0.0), s.corners, s.covariance)
                for i, (s, (x, y)) in enumerate(
                    zip(seen_by(camera(), tags(None)), [PLACES[k] for k in (1, 0, 3, 2)], strict=True)
                )
            ],
            "mirrored or swapped",
        ),
    ],
)
def test_what_cannot_be_solved_says_why(seen: list[SeenCorner], says: str) -> None:
    with pytest.raises(SurfaceError, match=says):
        solve(LENS, seen)


@given(st.lists(st.floats(-3, 3), min_size=8, max_size=8))
def test_the_crossing_of_diagonals_and_its_jacobian(shift: list[float]) -> None:
    square = np.array([(0.0, 0.0), (20.0, 0.0), (20.0, 20.0), (0.0, 20.0)])
    corners: FloatArray = square + np.array(shift).reshape(4, 2)
    centre, jacobian = diagonal_crossing(corners)
    for k in range(8):
        change = np.zeros(8)
        change[k] = 1e-6
        moved, _ = diagonal_crossing(corners + change.reshape(4, 2))
        assert (moved - centre) / 1e-6 == pytest.approx(jacobian[:, k], abs=1e-4)
