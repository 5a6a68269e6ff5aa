from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import CORNER_IN, Accuracy
from calibration.bundle.likelihood import FLATTER, unlikelihood
from calibration.bundle.parts import corner_part, tag_part
from calibration.bundle.problem import Problem
from calibration.bundle.starts import start_from_corners
from calibration.lens.model import Lens, guess_lens, usual_covariance
from engine.space.geometry import Pose
from tests.calibration.bundle.test_solve import look
from tests.calibration.test_surface import LENS, camera, seen_by, tags

KNOWN = replace(LENS, covariance=usual_covariance(LENS))


@pytest.mark.parametrize("lens", [KNOWN, guess_lens(LENS.size)], ids=["calibrated", "guessed"])
@pytest.mark.parametrize("off", [0.0, 0.5], ids=["as stated", "a corner tag half an inch off"])
def test_flatter_tags_are_weighed_as_if_they_were_searched_for(lens: Lens, off: float) -> None:
    """The estimate under tags that lean as much as granted is not the best one under flatter tags."""
    granted, rng, truth = Accuracy(), np.random.default_rng(2), camera(tilt=6.0)
    corners = [
        replace(s, corner=replace(s.corner, sd=CORNER_IN, paper=granted.laid))
        for s in seen_by(truth, tags(turn=None), 0.05)
    ]
    x, y = corners[2].corner.at
    corners[2] = replace(corners[2], corner=replace(corners[2].corner, at=(x + off, y)))
    places = [Pose(*rng.uniform(5, 41, 2), rng.uniform(-3, 3)) for _ in range(6)]
    roofs = [look(truth, 10 + k, 0.9, place, rng, height=1.2) for k, place in enumerate(places)]
    glued = [replace(t, paper=granted.glued(0.07), sd_height=0.06) for t in roofs]
    parts = [*map(corner_part, corners), *map(tag_part, glued)]
    problem = Problem(lens, parts, granted.common, None)
    solution = problem.run(start_from_corners(lens, corners))

    flatter = [problem.flatter(share).run(solution.estimate) for share in FLATTER]
    scores = np.array([found.evidence + found.logdet for found in (solution, *flatter)])
    searched = -2.0 * np.logaddexp.reduce(-0.5 * scores)
    # By 0.5 odds change by 28 %.
    assert unlikelihood(problem, solution) == pytest.approx(searched, abs=0.5)
    assert searched < scores[0] - 1.0
