"""How sure is a number, and how probable a verdict, when the places are only known so well.

Poses are taken as jointly normal: each piece has its own covariance and a loading on errors that all
pieces share. Where an answer is smooth in the poses its deviation is carried over to first order;
where a smallest or largest of several candidates decides, the poses are drawn (seeded, all at once).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from engine.ruling import Belief
from engine.space.geometry import FloatArray
from engine.space.table import Standing

DRAWS = 2000
SEED = 20


def factor(covariance: FloatArray) -> FloatArray:
    """A (3, 3) root of a covariance, also of one that is singular: `root @ root.T` is the covariance."""
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray(vectors * np.sqrt(np.clip(values, 0.0, None)))


def loadings(standings: Sequence[Standing]) -> FloatArray:
    """How k poses hang on m independent unit errors, shape (k, 3, m), inches and radians.

    The first columns are the errors that the pieces share, then three of its own for each piece.
    The joint covariance of the flattened poses is `L @ L.T` with `L = loadings.reshape(3 k, m)`.
    """
    k = len(standings)
    common = max((s.uncertainty.shared.shape[1] for s in standings), default=0)
    out = np.zeros((k, 3, common + 3 * k))
    for i, standing in enumerate(standings):
        shared = standing.uncertainty.shared
        out[i, :, : shared.shape[1]] = shared
        out[i, :, common + 3 * i : common + 3 * i + 3] = factor(standing.uncertainty.own)
    return out


def poses_of(standings: Sequence[Standing]) -> FloatArray:
    """The poses as an array of (x, y, heading), shape (k, 3), inches and radians."""
    return np.array([(s.pose.x, s.pose.y, s.pose.heading) for s in standings]).reshape(-1, 3)


def draw_poses(standings: Sequence[Standing], draws: int = DRAWS, seed: int = SEED) -> FloatArray:
    """Poses drawn from what is known of them, jointly, shape (draws, k, 3), inches and radians.

    Draws come in pairs of opposite sign, so that their mean is the pose itself.
    """
    load = loadings(standings)
    half = np.random.default_rng(seed).standard_normal(((draws + 1) // 2, load.shape[2]))
    units = np.concatenate([half, -half])[:draws]
    return np.asarray(poses_of(standings) + np.einsum("kcm,nm->nkc", load, units))


def sd_of(gradient: FloatArray, standings: Sequence[Standing]) -> float:
    """The first-order deviation of a number with that gradient by the poses, shape (k, 3)."""
    return float(np.linalg.norm(np.einsum("kc,kcm->m", gradient, loadings(standings))))


def exact(standings: Sequence[Standing]) -> bool:
    """Whether all the poses are known without error."""
    return not any(s.uncertainty.own.any() or s.uncertainty.shared.any() for s in standings)


def gradient(number: Callable[[FloatArray], FloatArray], poses: FloatArray) -> FloatArray:
    """How a number changes with each pose, shape (k, 3), by central differences.

    `number` takes poses of shape (n, k, 3) and gives (n,).
    """
    step = 1e-6
    shifts = np.eye(poses.size).reshape(poses.size, *poses.shape) * step
    change = number(poses + shifts) - number(poses - shifts)
    return np.asarray(change.reshape(poses.shape) / (2.0 * step))


def believe(
    number: Callable[[FloatArray], FloatArray],
    standings: Sequence[Standing],
    *,
    smooth: bool = False,
    draws: int = DRAWS,
) -> Belief:
    """What is known of a number that hangs on the poses of those pieces.

    `number` takes poses of shape (n, k, 3) and gives (n,). A `smooth` number is carried over to
    first order; any other is drawn.
    """
    poses = poses_of(standings)
    value = float(number(poses[None])[0])
    if exact(standings):
        return Belief(value, 0.0)
    if smooth:
        return Belief(value, sd_of(gradient(number, poses), standings))
    return Belief.drawn(value, number(draw_poses(standings, draws)))


def farthest_shift(standings: Sequence[Standing]) -> float:
    """A shift in inches that no clearance will exceed: eight deviations of the least known piece."""
    most = 0.0
    for s in standings:
        radius = s.piece.body.footprint.radius
        total = s.uncertainty.total
        most = max(most, float(np.sqrt(total[0, 0] + total[1, 1]) + radius * np.sqrt(total[2, 2])))
    return 8.0 * most


def gap_sd(one: Standing, other: Standing | None = None) -> float:
    """The deviation of the gap between two pieces, inches: the place of each, and its heading at its end.

    What all pieces share cancels between two of them, and not between one and the table's edge (None).
    """
    if other is None:
        return math.sqrt(_variance(one, one.uncertainty.total))
    return math.sqrt(sum(_variance(s, s.uncertainty.own) for s in (one, other)))


def _variance(standing: Standing, covariance: FloatArray) -> float:
    reach = standing.piece.body.footprint.radius
    return float(max(covariance[0, 0], covariance[1, 1]) + 0.25 * reach**2 * covariance[2, 2])
