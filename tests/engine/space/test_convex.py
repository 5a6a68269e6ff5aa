from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import MultiPoint, Polygon
from shapely.ops import unary_union

from engine.space.convex import convex_parts, distinct, hull_of, is_convex, stacked

L_SHAPE = np.array([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)], dtype=float)
STAR = np.array(
    [(r * math.cos(a), r * math.sin(a)) for a, r in zip(np.arange(10) * 0.628318, [3, 1] * 5, strict=True)]
)


@st.composite
def stars(draw):
    """Outlines that do not cross themselves, with any number of hollows."""
    n = draw(st.integers(3, 16))
    radii = draw(st.lists(st.floats(0.2, 3.0), min_size=n, max_size=n))
    angles = np.arange(n) * (math.tau / n)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) * np.array(radii)[:, None]


@pytest.mark.parametrize(("outline", "parts"), [(L_SHAPE, 2), (STAR, 8), (L_SHAPE[[0, 1, 4, 5]][:3], 1)])
def test_a_hollow_outline_falls_into_few_parts(outline, parts):
    assert len(convex_parts(outline)) <= parts


@given(stars())
def test_the_parts_are_convex_and_fill_the_outline_without_overlap(outline):
    parts = convex_parts(outline)
    assert all(is_convex(p) for p in parts)
    shapes = [Polygon(p) for p in parts]
    whole = Polygon(outline)
    assert sum(s.area for s in shapes) == pytest.approx(whole.area, abs=1e-9)
    assert unary_union(shapes).symmetric_difference(whole).area == pytest.approx(0, abs=1e-9)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=30, unique=True))
def test_the_hull_is_shapelys(points):
    shape = MultiPoint(points).convex_hull
    if shape.geom_type != "Polygon":
        return
    hull = hull_of(np.array(points, dtype=float))
    assert Polygon(hull).equals(shape)
    assert Polygon(hull).exterior.is_ccw


def test_outlines_of_different_lengths_stand_in_one_array():
    both = stacked([L_SHAPE, STAR])
    assert both.shape == (2, 10, 2)
    assert (distinct(both[0]) == L_SHAPE).all()
    assert stacked([]).shape == (0, 1, 2)
