from __future__ import annotations

import math

import numpy as np
import pytest

from engine.measure.uncertainty import believe, draw_poses, exact, factor, gradient, loadings, poses_of, sd_of
from engine.ruling import Belief
from engine.space.table import PoseUncertainty, Standing
from tests.engine.tables import car

OWN = np.array([[4e-4, 1e-4, 0.0], [1e-4, 9e-4, 2e-5], [0.0, 2e-5, 1e-4]])


def seen(name: str, x: float, shared: np.ndarray) -> Standing:
    s = car(name, x, 5.0)
    return Standing(s.piece, s.pose, PoseUncertainty(OWN, shared))


def joint_truth(a: Standing, b: Standing) -> np.ndarray:
    cross = a.uncertainty.shared @ b.uncertainty.shared.T
    return np.block([[a.uncertainty.total, cross], [cross.T, b.uncertainty.total]])


@pytest.fixture
def pair():
    rng = np.random.default_rng(1)
    return seen("A", 3.0, rng.normal(size=(3, 2)) * 0.02), seen("B", 9.0, rng.normal(size=(3, 2)) * 0.02)


def test_pieces_covary_through_what_they_share(pair):
    load = loadings(pair).reshape(6, -1)
    assert load @ load.T == pytest.approx(joint_truth(*pair))


def test_draws_have_the_joint_covariance_and_the_poses_as_mean(pair):
    drawn = draw_poses(pair, 20_000, seed=3)
    assert drawn.mean(axis=0) == pytest.approx(poses_of(pair), abs=1e-12)
    found = np.cov(drawn.reshape(len(drawn), 6).T)
    assert np.abs(found - joint_truth(*pair)).max() < 5e-5


def test_the_same_seed_draws_the_same(pair):
    assert (draw_poses(pair, 50, seed=7) == draw_poses(pair, 50, seed=7)).all()
    assert (draw_poses(pair, 50, seed=7) != draw_poses(pair, 50, seed=8)).any()


def test_pieces_that_share_nothing_may_stand_beside_those_that_do(pair):
    alone = car("C", 20, 20, sd=0.1)
    load = loadings([pair[0], alone])
    assert (load[1, :, :2] == 0).all()


@pytest.mark.parametrize("covariance", [np.zeros((3, 3)), np.diag([1.0, 0.0, 4.0]), OWN])
def test_a_covariance_has_a_root_also_when_singular(covariance):
    root = factor(covariance)
    assert root @ root.T == pytest.approx(covariance)


def test_first_order_is_exact_for_a_linear_number(pair):
    slope = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, 0.0]])

    def number(poses: np.ndarray) -> np.ndarray:
        return np.einsum("kc,nkc->n", slope, poses)

    flat = slope.ravel()
    assert gradient(number, poses_of(pair)) == pytest.approx(slope, abs=1e-6)
    truth = math.sqrt(flat @ joint_truth(*pair) @ flat)
    assert sd_of(slope, pair) == pytest.approx(truth)
    assert believe(number, pair, smooth=True).sd == pytest.approx(truth, rel=1e-6)
    assert believe(number, pair).sd == pytest.approx(truth, rel=0.05)


def test_exact_poses_have_no_deviation():
    known = [car("A", 1, 1)]
    assert exact(known)
    assert not exact([car("A", 1, 1, sd=0.01)])
    assert believe(lambda poses: poses[:, 0, 0], known).sd == 0.0


@pytest.mark.parametrize(
    ("belief", "at_least_2"),
    [
        (Belief(2.0, 0.0), 1.0),
        (Belief(1.9, 0.0), 0.0),
        (Belief(2.0, 1.0), 0.5),
        (Belief(3.645, 1.0), 0.95),
        (Belief(2.0, 1.0, np.array([1.0, 3.0, 3.0, 3.0])), 0.75),
    ],
)
def test_a_belief_gives_probabilities(belief, at_least_2):
    assert belief.at_least(2.0) == pytest.approx(at_least_2, abs=1e-3)
    if belief.sd > 0.0:
        assert belief.at_most(2.0) == pytest.approx(1.0 - at_least_2, abs=1e-3)
