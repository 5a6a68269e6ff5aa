from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.bundle.solve import solve
from calibration.surface import PARAMETERS, Surface
from engine.space.geometry import Pose, wrap_angle
from engine.space.pieces import Piece, TagMount, car_body
from tests.calibration.test_surface import LENS, camera, seen_by, tags
from tests.volume import volume
from vision.frame import Detection
from vision.locate import locate, locate_all, tag_in_image

SEDAN = car_body("sedan", length=2.98, width=1.26, axles=(0.89, -0.89), track=1.08, height=1.03)


def car(at: Pose, *, sd: float = 0.0, sd_turn: float = 0.0, sd_height: float = 0.0) -> Piece:
    return Piece("Red 1", "car", SEDAN, TagMount("tag36h11", 10, 0.9, 1.03, at, sd, sd_turn, sd_height))


def detect(piece: Piece, pose: Pose, surface: Surface, noise: float = 0.0, seed: int = 0) -> Detection:
    corners = tag_in_image(piece, pose, surface)
    corners = corners + np.random.default_rng(seed).normal(0, noise, (4, 2))
    return Detection("tag36h11", 10, corners, np.eye(8) * max(noise, 0.05) ** 2)


@given(
    st.floats(0, 46), st.floats(0, 46), st.floats(-3.1, 3.1),
    st.floats(-1, 1), st.floats(-0.5, 0.5), st.floats(-3.1, 3.1), st.floats(-8, 8),
)  # fmt: skip
def test_a_piece_is_found_where_it_stands_however_its_tag_is_mounted(
    x: float, y: float, heading: float, ahead: float, left: float, turned: float, tilt: float
) -> None:
    surface = camera(tilt=tilt)
    piece = car(Pose(ahead, left, turned))
    truth = Pose(x, y, heading)
    sighting = locate(detect(piece, truth, surface), piece, surface, 1.5)
    assert math.dist((sighting.pose.x, sighting.pose.y), (x, y)) < 1e-3
    assert abs(wrap_angle(sighting.pose.heading - heading)) < 1e-3
    tag = truth.compose(Pose(ahead, left, turned))
    assert math.dist((sighting.tag_pose.x, sighting.tag_pose.y), (tag.x, tag.y)) < 1e-3
    assert sighting.time == 1.5


@pytest.mark.parametrize(("sd", "sd_turn", "sd_height"), [(0, 0, 0), (0.02, 0.02, 0), (0, 0, 0.05)])
def test_covariance_comes_true(sd: float, sd_turn: float, sd_height: float) -> None:
    """Corner noise, a surface solved from noisy corners, and a mount that is not quite as stated."""
    rng = np.random.default_rng(5)
    inside, rounds = 0, volume(80, 300)
    for seed in range(rounds):
        truth_surface = camera(tilt=rng.uniform(-6, 6))
        surface = truth_surface if seed % 2 else solved(truth_surface, seed)
        stated = car(Pose(0.3, 0.1, 0.2), sd=sd, sd_turn=sd_turn, sd_height=sd_height)
        real = Piece(
            "Red 1",
            "car",
            SEDAN,
            TagMount(
                "tag36h11",
                10,
                0.9,
                1.03 + rng.normal(0, sd_height),
                Pose(0.3 + rng.normal(0, sd), 0.1 + rng.normal(0, sd), 0.2 + rng.normal(0, sd_turn)),
            ),
        )
        pose = Pose(*rng.uniform(2, 44, 2), rng.uniform(-3, 3))
        sighting = locate(detect(real, pose, truth_surface, 0.1, seed), stated, surface, 0.0)
        off = np.array(
            [
                sighting.pose.x - pose.x,
                sighting.pose.y - pose.y,
                wrap_angle(sighting.pose.heading - pose.heading),
            ]
        )
        inside += bool(off @ np.linalg.solve(sighting.uncertainty.total, off) <= 7.815)
    assert 0.91 <= inside / rounds <= 0.985


def solved(truth: Surface, seed: int) -> Surface:
    return solve(LENS, seen_by(truth, tags(), 0.1, seed)).surface


def test_neighbours_share_the_surfaces_error() -> None:
    surface = solved(camera(), 3)
    assert surface.loading.shape == (PARAMETERS, PARAMETERS)
    piece = car(Pose(0, 0, 0))
    here, there = (
        locate(detect(piece, Pose(x, 20.0, 0.0), surface), piece, surface, 0.0) for x in (20.0, 21.0)
    )
    covariance = here.uncertainty.shared @ there.uncertainty.shared.T
    own = np.sqrt(np.diag(here.uncertainty.shared @ here.uncertainty.shared.T))
    assert covariance[0, 0] / own[0] ** 2 > 0.9


def test_only_pieces_are_located() -> None:
    surface, piece = camera(), car(Pose(0, 0, 0))
    known = detect(piece, Pose(10, 10, 0), surface)
    corner = Detection("tag36h11", 0, known.corners, known.covariance)
    assert [s.piece.name for s in locate_all([corner, known], [piece], surface, 0.0)] == ["Red 1"]
