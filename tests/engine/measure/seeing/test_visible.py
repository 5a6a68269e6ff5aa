from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Point
from shapely.ops import unary_union

from engine.errors import TableRefError
from engine.measure import distances
from engine.measure.seeing.visible import visible_region, visible_share
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
