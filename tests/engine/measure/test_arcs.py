from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Point, Polygon

from engine.errors import ShapeError
from engine.measure import distances
from engine.measure.arcs import Arc, ArcPlacement, deepest, depth_in_arc, place_of, shallowest
from engine.ruling import Verdict
from engine.space.catalogue import CARS
from tests.engine.tables import block, car

FAR = 1000.0


@pytest.mark.parametrize(
    ("degrees", "point", "depth"),
    [
        (180, (2, 5), 2), (180, (-2, 5), -2), (180, (0, 5), 0),
        (90, (5, 0), 5 / math.sqrt(2)), (90, (0, 3), -3 / math.sqrt(2)), (90, (-3, 0), -3), (90, (4, 4), 0),
        (270, (0, 2), math.sqrt(2)), (270, (-2, 0), -math.sqrt(2)), (270, (1, 0), 1),
        (360, (-5, 0), math.inf),
    ],
)  # fmt: skip
def test_depth_in_an_arc(degrees, point, depth):
    assert depth_in_arc(np.array(point, dtype=float), math.radians(degrees)) == pytest.approx(depth)


@given(
    st.floats(0.3, 6.2),
    st.floats(-9, 9), st.floats(-9, 9), st.floats(0.3, 3), st.floats(0.3, 3), st.floats(0, 6.3),
)  # fmt: skip
def test_outlines_reach_as_deep_as_shapely_says(width, x, y, a, b, turn):
    steps = np.linspace(-width / 2, width / 2, 721)
    wedge = Polygon([(0, 0), *(FAR * np.stack([np.cos(steps), np.sin(steps)], axis=1))])
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    box = np.array([(-a, -b), (a, -b), (a, b), (-a, b)]) @ rotation.T + (x, y)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 15), np.linspace(-1, 1, 15)), axis=-1).reshape(-1, 2)
    inside = depth_in_arc(grid * (a, b) @ rotation.T + (x, y), width)
    most, least = float(deepest(box, width)), float(shallowest(box, width))
    assert least <= inside.min() + 1e-9
    assert inside.max() <= most + 1e-9
    step = math.hypot(a, b) / 7
    assert most <= inside.max() + step
    assert inside.min() - step <= least
    shape = Polygon(box)
    if abs(most) > 1e-6:
        assert shape.intersects(wedge) == (most > 0)
    if abs(least) > 1e-6:
        assert wedge.covers(shape) == (least > 0)
    if most < -1e-6:
        assert shape.distance(wedge) == pytest.approx(-most, abs=1e-3)


@pytest.mark.parametrize(
    ("place", "at"),
    [("nose", (1.475, 0)), ("tail", (-1.475, 0)), ("left", (0, 0.6)), ("right", (0, -0.6)),
     ("front axle", (0.89, 0)), ("rear axle", (-0.89, 0)), ("middle", (0, 0))],
)  # fmt: skip
def test_arcs_hang_on_places_of_the_body(place, at):
    assert place_of(CARS["sedan"], place) == pytest.approx(at)


def test_an_unknown_place_or_width_is_refused():
    with pytest.raises(ShapeError, match="no place called 'wing'; expected one of middle, nose"):
        Arc.at(CARS["sedan"], "wing")
    with pytest.raises(ShapeError, match="width above 0"):
        Arc(width=0.0)


# The owner stands at (10, 10) looking up; its nose is at y = 11.475.
@pytest.mark.parametrize(
    ("other", "by", "placement", "depth"),
    [
        ((10, 16, 0), "tyres", ArcPlacement.IN, 16.51 - 11.475),
        ((10, 6, 0), "tyres", ArcPlacement.OUT, 6.51 - 11.475),
        ((10, 11.5, 0), "tyres", ArcPlacement.STRADDLING, 0.535),
        ((10, 11.0, 0), "footprint", ArcPlacement.STRADDLING, 0.125),
        ((10, 11.0, 0), "tyres", ArcPlacement.STRADDLING, 0.035),
    ],
)
def test_a_half_plane_ahead_of_the_nose(other, by, placement, depth):
    owner, target = car("Red", 10, 10, 90), car("Blue", *other)
    found = distances.arc(owner, Arc.at(owner.piece.body, "nose"), target, by)
    assert found.placement is placement
    assert found.value == pytest.approx(depth)


def test_the_deviation_of_an_arc_grows_with_the_distance_sideways():
    owner, near, far = (
        car("Red", 10, 10, sd_degrees=1),
        block("A", 11, 11, 0.1, 0.1),
        block("B", 11, 30, 0.1, 0.1),
    )
    field = Arc.at(owner.piece.body, "front axle")
    sds = [distances.arc(owner, field, other, "footprint").sd for other in (near, far)]
    assert sds[1] == pytest.approx(math.radians(1) * 20, rel=0.1)
    assert sds[0] < sds[1] / 8


def test_a_boundary_case_is_too_close_to_call():
    owner, other = car("Red", 10, 10, sd=0.01), car("Blue", 10, 20, -90, sd=0.01)
    other = car("Blue", 10.89 - 0.51, 20, 90, sd=0.01)
    found = distances.arc(owner, Arc.at(owner.piece.body, "front axle"), other).at_least(0.0)
    assert found.value == pytest.approx(0.0, abs=1e-9)
    assert found.verdict() is Verdict.TOO_CLOSE
    assert Point(found.witness.line[0]).distance(Point(10.89, 10)) == pytest.approx(0, abs=1e-9)
