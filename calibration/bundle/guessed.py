"""A lens that nobody measured: whether it bends at all is weighed by what is seen.

Many cameras straighten their own picture, phones among them; webcams mostly do not; and some pictures are cut
out of larger ones, which puts the lens's centre beside the middle. A lens that is open everywhere absorbs
errors that a straight one would show, and a straight one is wrong by inches where the picture bends. So all
kinds are solved, Bayes' rule says how likely each is, and the lens is their mean, as unsure as they are and
as they disagree. Where nothing tells them apart, that is in the deviation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from calibration.bundle.problem import Problem, Solution, unlikelihood
from calibration.lens.model import PARAMETERS, Lens
from calibration.surface import POSE_PARAMETERS, SurfaceError, apart
from engine.space.geometry import FloatArray

# Solving the lens from a table's tags leans on small differences in their sizes, where the reader's
# errors are not independent from tag to tag. Measured on rendered frames, what they make of the solution
# scatters this much more than stated; what is granted to prints and tags scatters as it says.
GUESSED_INFLATION = 1.3
MORE_BY_READS = GUESSED_INFLATION**2 - 1.0

# How many lenses bend, how many cameras straighten their picture, and how many pictures are cut out besides
# (house defaults); what is left of the bend in a straight one, and how far its centre may lie aside.
SHARES = (0.4, 0.3, 0.3)
LEFT, ANYWHERE = 0.1, 0.15
BENDS = [PARAMETERS.index(name) for name in ("k1", "k2", "k3")]
CENTRES = [PARAMETERS.index(name) for name in ("cx", "cy")]

# A possibility less likely than this changes nothing.
NEGLIGIBLE = 1e-3

SURFACE = POSE_PARAMETERS + len(PARAMETERS)


@dataclass(frozen=True, eq=False)
class Guessed:
    """What was solved under a guessed lens.

    `covariance` is that of all unknowns with the lens's nine parameters (`Problem.unknowns`), `surface`
    (15, 15) that of pose and lens with what a reader's errors add. `likelier` is the search that
    explains best what was seen, in its `problem`; `evidence` is what `unlikelihood` says of all kinds
    together.
    """

    problem: Problem
    solution: Solution
    covariance: FloatArray
    surface: FloatArray
    likelier: tuple[Problem, Solution]
    evidence: float


def straightened(lens: Lens) -> Lens:
    """The guessed lens of a camera that straightens its own picture."""
    share = np.ones(len(PARAMETERS))
    share[BENDS] = LEFT
    return replace(lens, covariance=lens.covariance * np.outer(share, share))


def cut_out(lens: Lens) -> Lens:
    """The guessed lens of a straightened picture that was cut out of a larger one, anywhere."""
    straight = straightened(lens)
    covariance = straight.covariance.copy()
    covariance[CENTRES, CENTRES] = (ANYWHERE * lens.size[0]) ** 2
    return replace(straight, covariance=covariance)


def weighed(problem: Problem, solution: Solution) -> Guessed:
    """All kinds of lens for what was solved with the bend open. Raises `SurfaceError`."""
    kinds, shares = [(problem, solution)], [SHARES[0]]
    for lens, share in zip((straightened, cut_out), SHARES[1:], strict=True):
        other = problem.through(lens(problem.prior))
        # A kind of lens that leaves the camera open explains nothing.
        with suppress(SurfaceError):
            kinds.append((other, other.run(solution.estimate)))
            shares.append(share)
    scores = np.array([unlikelihood(*kind) for kind in kinds])
    # Errors that are not independent make differences of the evidence look larger than they are.
    odds = np.exp(-(scores - scores.min()) / (2.0 * GUESSED_INFLATION**2))
    weights = odds * shares
    weights = np.where(weights < NEGLIGIBLE * weights.sum(), 0.0, weights)
    weights /= weights.sum()
    likelier = int(weights.argmax())
    chosen = kinds[likelier] if weights[likelier] == 1.0 else _between(kinds, weights)
    covariance, surface = _spread(chosen, kinds, weights)
    together = float(scores.min()) - 2.0 * math.log(float(odds @ np.array(shares)))
    return Guessed(*chosen, covariance, surface, kinds[likelier], together)


def _between(kinds: Sequence[tuple[Problem, Solution]], weights: FloatArray) -> tuple[Problem, Solution]:
    """The camera and the places under the mean of the lenses."""
    problem, solution = kinds[0]
    lenses = np.array([s.estimate.lens.parameters for _, s in kinds])
    mean = problem.prior.adjusted(weights @ lenses - problem.prior.parameters)
    held = problem.through(replace(mean, covariance=np.zeros_like(mean.covariance)))
    found = held.run(solution.estimate)
    lens = replace(found.estimate.lens, covariance=problem.prior.covariance)
    return held, replace(found, estimate=replace(found.estimate, lens=lens))


def _spread(
    chosen: tuple[Problem, Solution], kinds: Sequence[tuple[Problem, Solution]], weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The covariances of `Guessed`: each kind's own, and how far it is from what was chosen."""
    problem, solution = chosen
    centre = problem.unknowns(solution.estimate)
    covariance = np.zeros((len(centre), len(centre)))
    surface = np.zeros((SURFACE, SURFACE))
    for (kind, found), weight in zip(kinds, weights, strict=True):
        if weight == 0.0:
            continue
        there, loading = kind.unknowns(found.estimate), kind.loading_of_all()
        off, own = apart(there, loading @ found.covariance @ loading.T, centre)
        covariance += weight * (own + np.outer(off, off))
        inflated = loading @ (found.covariance + MORE_BY_READS * found.by_reads) @ loading.T
        off, own = apart(there[:SURFACE], inflated[:SURFACE, :SURFACE], centre[:SURFACE])
        surface += weight * (own + np.outer(off, off))
    return covariance, surface
