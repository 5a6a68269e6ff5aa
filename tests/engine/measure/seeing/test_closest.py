from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Point
from shapely.ops import unary_union

from benchmarks.visible_segment import disagreement, scene
from engine.measure import distances
from engine.measure.seeing.closest import Between, closest_visible
from engine.measure.uncertainty import draw_poses
from engine.space.geometry import Footprint, Pose
from engine.space.table import PoseUncertainty
from tests.engine.tables import block, car

spot = st.tuples(st.floats(4, 20), st.floats(4, 20), st.floats(0.5, 4), st.floats(0.5, 4), st.floats(0, 360))


def test_the_closest_parts_are_the_closest_when_nothing_is_between():
    a, b = car("Red", 10, 10), car("Blue", 20, 13, 40)
    found = closest_visible(a, b, [block("Far", 30, 30, 2, 2)])
    assert found is not None
    assert found.value == distances.edge_range(a, b).value


def test_no_part_is_visible_behind_a_long_wall():
    assert closest_visible(car("Red", 10, 10), car("Blue", 20, 10), [block("Wall", 15, 10, 1, 40)]) is None


def test_past_a_wall_the_shortest_segment_bends_round_its_corner():
    a, b = car("Red", 10, 10, 90), car("Blue", 20, 10, 90)
    found = closest_visible(a, b, [block("Wall", 15, 9.5, 0.5, 3, sd=0.01)])
    assert found is not None
    direct = 10 - 1.2
    assert found.value == pytest.approx(direct, abs=0.02)
    line = LineString(found.witness.line)
    assert line.length == pytest.approx(found.value)


@settings(max_examples=40)
@given(
    st.lists(spot, min_size=1, max_size=3),
    st.tuples(st.floats(4, 8), st.floats(6, 18), st.floats(0, 360)),
    st.tuples(st.floats(14, 20), st.floats(6, 18), st.floats(0, 360)),
)
def test_no_clear_segment_is_shorter(spots, red, blue):
    a, b = car("Red", *red), car("Blue", *blue)
    blocks = [block(f"T{i}", *s) for i, s in enumerate(spots)]
    everything = unary_union([s.region.polygon for s in blocks])
    if min(everything.distance(c.region.polygon) for c in (a, b)) < 0.01:
        return
    if a.region.polygon.distance(b.region.polygon) < 0.01:
        return
    found = closest_visible(a, b, blocks)
    rims = [s.region.polygon.exterior for s in (a, b)]
    at = [[rim.interpolate(t, normalized=True).coords[0] for t in np.linspace(0, 1, 41)[:-1]] for rim in rims]
    shortest = math.inf
    for p in at[0]:
        for q in at[1]:
            line = LineString([p, q])
            if line.length < shortest and line.intersection(everything).length < 1e-9:
                shortest = line.length
    if found is None:
        assert math.isinf(shortest)
        return
    line = LineString(found.witness.line)
    # A line may run along an edge: only what lies inside blocks it.
    assert line.intersection(everything.buffer(-1e-6)).length == 0.0
    assert max(rim.distance(Point(p)) for rim, p in zip(rims, line.coords, strict=True)) < 1e-6
    assert found.value <= shortest + 1e-6
    if math.isfinite(shortest):
        assert found.value >= shortest - 0.6


def test_the_deviation_of_a_bent_line_is_what_draws_give():
    rng = np.random.default_rng(2)
    a, b = car("Red", 8, 10, 20, sd=0.02), car("Blue", 20, 10, 70, sd=0.02)
    walls = [block("T", 14, 8.2, 1, 5, 5, sd=0.02), block("U", 11, 12.8, 1, 3.5, 0, sd=0.02)]
    found = closest_visible(a, b, walls)
    assert found is not None

    def shaken(s):
        x, y = rng.normal(size=2) * 0.02
        return type(s)(s.piece, type(s.pose)(s.pose.x + x, s.pose.y + y, s.pose.heading), s.uncertainty)

    drawn = [closest_visible(shaken(a), shaken(b), [shaken(w) for w in walls]) for _ in range(80)]
    values = [d.value for d in drawn if d is not None]
    assert len(values) == 80
    assert found.sd == pytest.approx(np.std(values), rel=0.3)


def test_many_placements_at_once_are_each_what_it_is_alone():
    hidden = bent = 0
    shaken = PoseUncertainty.isotropic(0.3, math.radians(8.0))
    for seed in range(60):
        a, b, walls = scene(seed, 8)
        everyone = tuple(replace(s, uncertainty=shaken) for s in (a, b, *walls))
        poses = draw_poses(everyone, 12, seed)
        together = Between.of(everyone).lengths(poses)
        for row, length in zip(poses, together, strict=True):
            stood = [
                replace(s, pose=Pose(*map(float, p)), uncertainty=PoseUncertainty.exact())
                for s, p in zip(everyone, row, strict=True)
            ]
            alone = closest_visible(stood[0], stood[1], stood[2:])
            if alone is None:
                assert math.isinf(length)
                hidden += 1
            else:
                assert length == pytest.approx(alone.value, abs=1e-12)
                bent += alone.value > distances.edge_range(stood[0], stood[1]).value + 1e-6
    assert hidden > 10
    assert bent > 50


def test_the_shortest_segment_reaches_into_a_hollow_obstacle_and_to_a_hollow_end():
    angle = Footprint(np.array([(0, 0), (6, 0), (6, 1), (1, 1), (1, 6), (0, 6)]) - 3.0)
    plain = block("L", 16, 10, 1, 1)
    hollow = replace(plain, piece=replace(plain.piece, body=replace(plain.piece.body, footprint=angle)))
    # Blue stands in the angle, Red behind its upright arm, which reaches to y = 13.
    red, blue = car("Red", 10, 15), car("Blue", 16, 10, 90)
    for ends, walls in (((red, blue), [hollow]), ((red, hollow), [block("Stop", 12, 13.7, 1.8, 0.1)])):
        found = closest_visible(*ends, walls)
        assert found is not None
        assert found.value > distances.edge_range(*ends).value + 0.01
        assert disagreement(*ends, walls) == ""
