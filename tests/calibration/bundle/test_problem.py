from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import Accuracy
from calibration.bundle.common import Common
from calibration.bundle.parts import tag_part
from calibration.bundle.problem import Problem, _inverted
from calibration.bundle.solve import solve
from calibration.lens.model import guess_lens
from calibration.surface import POSE_PARAMETERS, SurfaceError
from tests.calibration.bundle.test_solve import FRAME, NOISE_PX, loose
from tests.calibration.test_surface import LENS, camera


@pytest.mark.parametrize("seed", range(8))
def test_no_variance_is_negative_whatever_the_units(seed: int) -> None:
    """Camera height against focal length: all but one and the same, in inches and in pixels."""
    rng = np.random.default_rng(seed)
    tied = np.eye(6)
    tied[0, 1] = tied[1, 0] = 1.0 - 1e-12
    units = 10.0 ** rng.uniform(-7, 7, 6)
    covariance, logdet = _inverted(tied * np.outer(units, units))
    assert (np.diag(covariance) > 0.0).all()
    assert np.abs(covariance * np.outer(units, units))[2:, 2:] == pytest.approx(np.eye(4))
    assert covariance[0, 0] * units[0] ** 2 == pytest.approx(0.5e12, rel=1e-3)
    assert logdet == pytest.approx(2.0 * np.log(units).sum() + np.log(2e-12), rel=1e-3)


@pytest.mark.parametrize("open_", [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]])
def test_what_leaves_an_unknown_open_is_said(open_: list[list[float]]) -> None:
    with pytest.raises(SurfaceError, match="leaves the camera open: clear more of them"):
        _inverted(np.array(open_))


def test_numbers_of_all_sizes_are_inverted_without_a_warning() -> None:
    covariance, _ = _inverted(np.diag([1e-300, 1.0, 1e300]))
    assert np.diag(covariance) == pytest.approx([1e300, 1.0, 1e-300])


@pytest.mark.parametrize("unknown", [2, 5])
@pytest.mark.parametrize("information", [1e-12, 1e-320])
def test_a_camera_that_nothing_holds_is_none(unknown: int, information: float) -> None:
    """Its evidence would be that of all that it may be: it would count as the likeliest of all."""
    seen = loose(camera(), 1)
    problem = Problem(LENS, [tag_part(s) for s in seen], Common(), FRAME)
    estimate = solve(LENS, (), seen, FRAME).estimate
    equations = problem._equations(estimate)
    assert problem._solution(estimate, equations).freedom > 0
    equations.information[unknown, :] = equations.information[:, unknown] = 0.0
    equations.information[unknown, unknown] = information
    with pytest.raises(SurfaceError, match="leaves the camera open"):
        problem._solution(estimate, equations)


def test_what_pixels_make_of_a_solution_is_what_it_scatters_by_where_they_alone_are_drawn_anew() -> None:
    rng = np.random.default_rng(2)
    truth, guess, common = camera(tilt=9.0), guess_lens(LENS.size), Common(scale=0.01)
    seen = [replace(tag, paper=Accuracy().laid) for tag in loose(truth, 1)]
    first = Problem(guess, [tag_part(tag) for tag in seen], common, FRAME).run(
        solve(LENS, (), seen, FRAME).estimate
    )
    poses = []
    for _ in range(60):
        again = [
            tag_part(replace(tag, corners=tag.corners + rng.normal(0, NOISE_PX, (4, 2)))) for tag in seen
        ]
        problem = Problem(guess, again, common, FRAME)
        poses.append(problem.unknowns(problem.run(first.estimate).estimate)[:POSE_PARAMETERS])
    told = np.sqrt(np.diag(first.by_reads)[:POSE_PARAMETERS])
    assert np.std(poses, axis=0, ddof=1) / told == pytest.approx(1.0, abs=0.35)
    # What is granted to tags that lie there as before is in the covariance besides.
    assert (told < 0.8 * np.sqrt(np.diag(first.covariance)[:POSE_PARAMETERS])).all()
