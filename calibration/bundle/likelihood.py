"""How likely what is seen is under a camera: the evidence, with tags as flat as they may lie.

Leaning and bent tags scatter more under a camera that hangs further aside, or lower. That they scatter little
speaks for flat tags, then, and not for another camera: tags may all lie flatter than they are granted to.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from calibration.bundle.problem import Problem, Solution
from calibration.surface import SurfaceError

# Tags may all lean by these shares of what they are granted, in place of all of it.
FLATTER = (0.5, 0.25, 0.125)

# What flatter tags say is searched for until no more than this is to be gained, by which odds change by 5 %,
# or for so many rounds: a camera to which nothing fits gains for ever.
ENOUGH, ROUNDS = 0.1, 10


def unlikelihood(problem: Problem, solution: Solution) -> float:
    """Minus twice the logarithm of how likely all that was seen and stated is, but for a constant.

    The constant is the same for the same reads of the same tags, whatever is supposed of camera, lens and
    places.
    """
    scores = [solution.evidence + solution.logdet]
    for share in FLATTER:
        # A camera that flatter tags leave open explains nothing.
        with suppress(SurfaceError):
            found = problem.flatter(share).run(solution.estimate, enough=ENOUGH, rounds=ROUNDS)
            scores.append(found.evidence + found.logdet)
    return float(-2.0 * np.logaddexp.reduce(-0.5 * np.array(scores)))
