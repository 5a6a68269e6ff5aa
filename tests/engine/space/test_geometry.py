from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Point, Polygon

from engine.errors import ShapeError
from engine.space.geometry import Footprint, Pose, Region, as_points, wrap_angle

angle = st.floats(-20, 20)
poses = st.builds(Pose, st.floats(-50, 50), st.floats(-50, 50), angle)


@given(angle)
def test_a_wrapped_angle_is_the_same_direction(a):
    wrapped = wrap_angle(a)
    assert -math.pi < wrapped <= math.pi
    assert math.cos(wrapped - a) == pytest.approx(1.0)


@given(poses, poses)
def test_poses_compose_and_invert(p, q):
    point = np.array([0.7, -1.3])
    assert p.compose(q).to_table(point) == pytest.approx(p.to_table(q.to_table(point)), abs=1e-9)
    assert p.inverse().to_table(p.to_table(point)) == pytest.approx(point, abs=1e-9)
    assert p.to_body(p.to_table(point)) == pytest.approx(point, abs=1e-9)


@given(poses)
def test_the_jacobian_is_how_a_point_moves(p):
    point, step = np.array([1.5, 0.4]), 1e-6
    for k in range(3):
        shift = np.eye(3)[k] * step
        moved = Pose(p.x + shift[0], p.y + shift[1], p.heading + shift[2]).to_table(point)
        assert (moved - p.to_table(point)) / step == pytest.approx(p.jacobian(point)[:, k], abs=1e-4)


@pytest.mark.parametrize(
    ("outline", "message"),
    [
        ([(0, 0), (1, 0)], "at least 3 corners but got 2"),
        ([(0, 0), (1, 1), (1, 0), (0, 1)], "must not cross itself"),
        ([(0, 0), (1, 1), (2, 2)], "must enclose an area"),
        ([(0, 0), (1, 0), (math.nan, 1)], "finite coordinates"),
        ([0, 1, 2], r"expected an \(n, 2\) array of inches but got shape \(3,\)"),
    ],
)
def test_an_outline_that_is_none_is_refused(outline, message):
    with pytest.raises(ShapeError, match=message):
        Region(outline)


def test_an_outline_is_turned_counter_clockwise_and_read_only():
    region = Region(as_points([(0, 0), (0, 1), (2, 1), (2, 0)]))
    assert region.area == 2.0
    assert Polygon(region.outline).exterior.is_ccw
    with pytest.raises(ValueError, match="read-only"):
        region.outline[0, 0] = 5.0


def test_a_disc_has_a_discs_area():
    disc = Footprint.disc(3.0)
    assert Region(disc.outline).area == pytest.approx(math.pi * 2.25)
    assert disc.parts[0] is disc.outline


@pytest.mark.parametrize(
    "footprint",
    [
        Footprint.box(3, 1, corner=0.2),
        Footprint(as_points([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)])),
        Footprint(as_points([(-4, -4), (0, -2), (4, -4), (0, 5)])),
    ],
)
def test_the_core_lies_inside_and_its_outer_circle_holds_all(footprint):
    centre, inner, outer = footprint.core
    shape = Polygon(footprint.outline)
    assert inner > 0
    assert shape.buffer(1e-9).covers(Point(*centre).buffer(inner))
    assert np.hypot(*(footprint.outline - centre).T).max() == pytest.approx(outer)
    assert footprint.radius == pytest.approx(np.hypot(*footprint.outline.T).max())


@pytest.mark.parametrize("values", [(math.nan, 0, 0), (0, math.inf, 0)])
def test_a_pose_needs_numbers(values):
    with pytest.raises(ShapeError, match="finite numbers"):
        Pose(*values)
