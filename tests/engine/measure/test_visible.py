from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Point
from shapely.ops import unary_union

from engine.errors import TableRefError
from engine.measure import distances, visible
from engine.measure.visible import closest_visible, visible_region, visible_share
from engine.space.geometry import Region
from tests.engine.tables import SURFACE, block, car

MIDDLE = (0.0, 0.0)
spot = st.tuples(st.floats(4, 20), st.floats(4, 20), st.floats(0.5, 4), st.floats(0.5, 4), st.floats(0, 360))


def test_an_empty_surface_is_seen_whole():
    assert visible_region((5, 5), SURFACE, ()).area == pytest.approx(48 * 48)


def test_a_wall_throws_a_shadow():
    seen = visible_region((24, 0), SURFACE, [block("Wall", 24, 23.5, 8, 1)])
    # Sight past the wall's near corners at y = 23: a trapezium of 8 to 8 * 48 / 23 inches is gone.
    shadow = (8 + 8 * 48 / 23) / 2 * 25
    assert seen.area == pytest.approx(48 * 48 - shadow)


def test_nobody_looks_from_beside_the_table():
    with pytest.raises(TableRefError, match="a point on the surface"):
        visible_region((50, 5), SURFACE, ())


def test_a_slanting_surface_and_a_piece_over_its_edge():
    diamond = Region(np.array([(24, 0), (48, 24), (24, 48), (0, 24)]))
    over = block("Over", 36, 36, 8, 3, 20)
    seen = visible_region((20, 20), diamond, [over]).polygon
    free = diamond.polygon.difference(over.region.polygon)
    assert seen.difference(free).area == pytest.approx(0, abs=1e-9)
    rng = np.random.default_rng(1)
    for p in rng.uniform(0, 48, (300, 2)):
        if diamond.polygon.contains(Point(*p)) and seen.exterior.distance(Point(*p)) > 1e-6:
            blocked = LineString([(20, 20), p]).intersection(over.region.polygon).length > 1e-9
            assert seen.contains(Point(*p)) != blocked


@settings(max_examples=60)
@given(st.lists(spot, max_size=5), st.floats(1, 22), st.floats(1, 22), st.integers(0, 10**6))
def test_the_region_holds_exactly_what_has_a_clear_line(spots, x, y, seed):
    blocks = [block(f"T{i}", *s) for i, s in enumerate(spots)]
    everything = unary_union([s.region.polygon for s in blocks])
    if everything.distance(Point(x, y)) < 1e-3:
        return
    seen = visible_region((x, y), SURFACE, blocks).polygon
    for p in np.random.default_rng(seed).uniform(0, 48, (40, 2)):
        inside = LineString([(x, y), p]).intersection(everything).length
        if seen.exterior.distance(Point(*p)) > 1e-6:
            assert seen.contains(Point(*p)) == (inside < 1e-9)


@pytest.mark.parametrize(
    ("blockers", "share"),
    [
        ((), 1.0),
        ((block("A", 15, 10, 1, 6),), 0.0),
        ((block("A", 15, 12, 1, 4),), 0.5),
        ((block("A", 15, 10, 1, 0.2),), 1 - (0.1 / 4.5) / (0.6 / 8.669)),
        ((block("A", 25, 10, 1, 6),), 1.0),
    ],
)
def test_how_much_of_a_car_can_be_seen(blockers, share):
    found = visible_share(car("Red", 10, 10), MIDDLE, car("Blue", 20, 10), blockers)
    assert found.value == pytest.approx(share, abs=0.03)


def test_the_share_knows_its_deviation():
    a, b = car("Red", 10, 10), car("Blue", 20, 10)
    found = visible_share(a, MIDDLE, b, [block("A", 15, 12, 1, 4, sd=0.02)])
    # The crate's edge at 4.5 of the way hides 0.5 x (10 / 4.5) of shift on a target some 1.0 inch wide.
    assert 0.02 < found.sd < 0.06


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


@pytest.mark.slow
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


# Heights ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "heights", "clear"),
    [
        (15, None, False),
        (15, (1.0, 1.0), False),
        (15, (2.5, 2.5), True),
        (15, (2.0, 2.0), True),  # skims the top: touching is clear
        (12, (3.0, 0.5), True),  # over the wall from above, early on the way
        (19, (3.0, 0.5), False),  # too low by then
        (12, (0.5, 3.0), False),
        (19, (0.5, 3.0), True),
    ],
)
def test_a_shot_over_a_wall_two_inches_high(x, heights, clear):
    wall = block("Wall", x, 10, 0.5, 8)
    seen = distances.sight(
        car("Red", 10, 10), [MIDDLE], car("Blue", 22, 10), [MIDDLE], [wall], heights=heights
    )
    assert (seen.value >= 0) == clear
    assert seen.witness.blockers == (() if clear else ("Wall",))


@pytest.mark.parametrize(
    ("heights", "clear"), [(None, False), ((1.0, 1.0), False), ((2.0, 2.5), True), ((3.0, 1.0), False)]
)
def test_any_part_over_a_wall(heights, clear):
    wall = block("Wall", 16, 10, 0.5, 30)
    seen = distances.outline_sight(car("Red", 10, 10), car("Blue", 22, 10), [wall], heights=heights)
    assert (seen.value > 0) == clear


def test_the_directions_about_a_corner_hold_every_line_that_meets_both_outlines():
    rng = np.random.default_rng(7)
    turn = np.linspace(0.0, math.tau, 720, endpoint=False)
    met = 0
    for _ in range(100):
        # Long walls near each other, and corners between them: each is seen over almost half a turn.
        a, b = (block(n, *rng.uniform(19, 21, 2), 6, 0.3, rng.uniform(0, 360)) for n in "AB")
        outlines = [s.pose.to_table(s.piece.body.footprint.outline) for s in (a, b)]
        points = rng.uniform(19, 21, (12, 2))
        low, width = visible._both_ways(points, *outlines)
        for point, first, wide in zip(points, low, width, strict=True):
            behind, ahead = (
                visible._distances(t, o - point)
                for t, o in zip((turn + math.pi, turn), outlines, strict=True)
            )
            both = turn[np.isfinite(behind) & np.isfinite(ahead)]
            met += len(both)
            beyond = np.mod(both - first + 1e-9, math.tau)
            assert (beyond <= wide + 2e-9).all()
    assert met > 1000
