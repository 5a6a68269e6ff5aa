from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import Accuracy
from calibration.bundle.guessed import straightened
from calibration.bundle.solve import solve
from calibration.lens.model import Lens, guess_lens
from calibration.surface import CornerTag, SeenCorner, Surface
from engine.space.geometry import FloatArray, Pose
from tests.calibration.bundle.test_solve import FRAME, look, loose, table_error
from tests.calibration.test_surface import LENS, PLACES, camera, seen_by

STRAIGHT = replace(LENS, dist=np.zeros(5))
BENT = replace(LENS, dist=np.array([-0.15, 0.04, 0.0, 0.0, 0.0]))
ROUND = [*PLACES, (23.0, 0.0), (46.0, 23.0), (23.0, 46.0), (0.0, 23.0)]
SD_IN = 1 / 16
NOISE_PX = 0.3


def laid(truth: Surface, seed: int, count: int = 8) -> list[SeenCorner]:
    """Corner tags of 2.4 inches, each a sixteenth of an inch beside its stated place along each axis."""
    rng = np.random.default_rng(seed)
    stated = [CornerTag("tag36h11", i, 2.4, at, None, SD_IN) for i, at in enumerate(ROUND[:count])]
    there = [
        replace(c, at=tuple(np.add(c.at, rng.normal(0, SD_IN, 2))), turn=rng.uniform(-3, 3)) for c in stated
    ]
    seen = seen_by(truth, there, NOISE_PX, seed)
    return [SeenCorner(c, s.corners, s.covariance) for c, s in zip(stated, seen, strict=True)]


def bend(lens: Lens) -> float:
    """By how much the lens shifts what lies half-way to the picture's corner, a share of its distance."""
    r2 = (0.5 * lens.size[0] / lens.K[0, 0]) ** 2 / 2
    return float(lens.dist[0] * r2 + lens.dist[1] * r2**2)


def test_eight_tags_tell_a_straight_lens_from_one_that_bends() -> None:
    guess = guess_lens(LENS.size)
    straight = [solve(guess, laid(camera(STRAIGHT, tilt=8.0), seed)).surface.lens for seed in range(6)]
    bent = [solve(guess, laid(camera(BENT, tilt=8.0), seed)).surface.lens for seed in range(6)]
    assert np.median([abs(bend(lens)) for lens in straight]) < 0.15 * abs(bend(BENT))
    assert all(bend(lens) == pytest.approx(bend(BENT), rel=0.4) for lens in bent)


def test_a_lens_that_surely_bends_is_solved_as_if_no_lens_were_straight() -> None:
    truth = camera(BENT, tilt=8.0)
    seen, guess = laid(truth, 4), guess_lens(LENS.size)
    found = solve(guess, seen).surface
    # Not guessed, so that nothing is weighed.
    alone = solve(replace(guess, origin="file"), seen).surface
    assert np.abs(table_error(found, truth) - table_error(alone, truth)).max() < 0.002


def test_what_cannot_be_told_apart_is_in_the_deviation() -> None:
    """A straight lens is no more than likely: what is known of the bend if it is one would be too sure."""
    seen, guess = laid(camera(STRAIGHT, tilt=8.0), 5, count=4), guess_lens(LENS.size)
    found = solve(guess, seen).surface
    straight = solve(replace(straightened(guess), origin="file"), seen).surface
    bent = solve(replace(guess, origin="file"), seen).surface

    def sd(surface: Surface) -> float:
        return float(np.sqrt(surface.covariance[10, 10]))

    assert 1.5 * sd(straight) < sd(found) < 1.3 * sd(bent)
    assert abs(bend(straight.lens)) < abs(bend(found.lens)) < abs(bend(bent.lens))


@pytest.mark.parametrize("lens", [STRAIGHT, BENT], ids=["straight", "bent"])
def test_stated_deviations_come_true_under_both_kinds_of_lens(lens: Lens) -> None:
    inside, off = [], []
    rng = np.random.default_rng(4)
    for seed in range(60):
        truth = camera(lens, tilt=rng.uniform(-15, 15), roll=rng.uniform(-90, 90))
        surface = solve(guess_lens(LENS.size), laid(truth, seed, count=int(rng.choice([4, 6, 8])))).surface
        place = np.array([rng.uniform(4, 42, 2)])
        found = surface.table_from_image(truth.image_from_table(place))
        J: FloatArray = surface.jacobians(found, 0.0)[1][0]
        d = (found - place)[0]
        inside.append(bool(d @ np.linalg.solve(J @ surface.covariance @ J.T, d) <= 5.991))
        off.append(np.linalg.norm(table_error(surface, truth, 0.0), axis=1).mean())
    assert np.mean(inside) >= 0.93
    assert np.median(off) < 0.1


def test_tags_that_lie_flatter_than_granted_speak_for_no_other_camera() -> None:
    """A picture cut out of a larger one, seen of tags that lie flat.

    A camera above the middle explains it too if they all lean alike, as far as they are granted to, and they
    would scatter less under it than they might under the true one.
    """
    aside = np.array([[0, 0, 430.0], [0, 0, 450.0], [0, 0, 0]])
    granted, chi_squares = Accuracy(print_scale=0.001), list[float]()
    for seed in range(6):
        truth = over_the_middle(replace(STRAIGHT, K=STRAIGHT.K + aside))
        rng = np.random.default_rng(seed)
        roofs = [
            look(truth, 10 + k, 0.9, Pose(*rng.uniform(5, 41, 2), rng.uniform(-3, 3)), rng, height=1.2)
            for k in range(6)
        ]
        leaning = granted.glued(math.radians(4.0))
        seen = [
            *(replace(tag, paper=granted.laid) for tag in loose(truth, seed, extra=False)),
            *(replace(tag, paper=leaning, sd_height=0.1) for tag in roofs),
        ]
        surface = solve(guess_lens(LENS.size), (), seen, FRAME, granted.common).surface
        places = np.array([[8.0, 38.0], [23.0, 22.0], [40.0, 40.0]])
        found = surface.table_from_image(truth.image_from_table(places))
        for J, off in zip(surface.jacobians(found, 0.0)[1], found - places, strict=True):
            chi_squares.append(float(off @ np.linalg.solve(J @ surface.covariance @ J.T, off)))
    # Two are expected.
    assert np.mean(chi_squares) < 2.5


def over_the_middle(lens: Lens) -> Surface:
    """A camera that shows the middle of the table in the middle of its picture."""
    down = camera(lens, tilt=2.0, height=66.0)
    shown = down.table_from_image(np.array([lens.size]) / 2.0)[0]
    position = down.camera_position + np.array([23.0 - shown[0], 22.0 - shown[1], 0.0])
    return replace(down, translation=-down.rotation @ position)
