from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.measure.contacts import at_rest, contacts
from engine.measure.distances import contact
from engine.measure.sweep import THE_EDGE, Straight, Turn, first_touch, leaves
from engine.ruling import Verdict
from engine.space.geometry import Pose
from tests.engine.tables import SURFACE, block, car

YES, OPEN = Verdict.YES, Verdict.TOO_CLOSE
NOSE, SIDE = 1.475, 0.6
HERE = {"sd": 0.01, "sd_degrees": 0.2}


def rock(ahead: float, aside: float = 0.0):
    """A block of one inch whose near side lies so far ahead of the nose of a car at (10, 10)."""
    return block("Rock", 10 + NOSE + 0.5 + ahead, 10 + aside, 1, 1)


def met(mover, steps, *others, surface=None):
    return {c.other: c.verdict for c in contacts(mover, steps, others, surface)}


@pytest.mark.parametrize("known", [{}, HERE])
@pytest.mark.parametrize("deep", [0.0, 0.005, 0.02])
def test_what_it_stands_against_is_not_touched_by_going_away(deep, known):
    red = car("Red", 10, 10, **known)
    assert first_touch(red, [Straight(-3)], [rock(-deep)]) is None
    assert met(red, [Straight(-3)], rock(-deep)) == {}
    assert met(red, [Straight(3)], rock(-deep)) == {"Rock": YES}
    (found,) = contacts(red, [Straight(3)], [rock(-deep)])
    assert found.share < 0.02


@pytest.mark.parametrize("known", [{}, HERE])
def test_a_car_a_little_over_the_edge_leaves_it_only_outwards(known):
    red = car("Red", NOSE - 0.005, 10, **known)
    assert leaves(red, [Straight(3)], SURFACE) is None
    assert met(red, [Straight(3)], surface=SURFACE) == {}
    assert met(red, [Straight(-3)], surface=SURFACE) == {THE_EDGE: YES}
    out = leaves(red, [Straight(-3)], SURFACE)
    assert out is not None
    assert out.share < 0.01


@pytest.mark.parametrize(
    ("ahead", "known", "verdict"),
    [
        (2.0, {}, YES),
        (3.0, {}, OPEN),  # exactly on the limit
        (3.01, {}, None),
        (2.9, HERE, YES),
        (2.99, HERE, OPEN),
        (3.01, HERE, OPEN),
        (3.1, HERE, None),
    ],
)
def test_the_nearer_it_comes_to_the_limit_the_less_is_sure(ahead, known, verdict):
    found = met(car("Red", 10, 10, **known), [Straight(3)], rock(ahead))
    assert found == ({} if verdict is None else {"Rock": verdict})


@pytest.mark.parametrize(("aside", "verdict"), [(0.0, YES), (0.01, OPEN), (-0.01, OPEN), (0.15, None)])
def test_passing_close_by_is_measured_at_the_nearest_place(aside, verdict):
    found = met(car("Red", 10, 10, **HERE), [Straight(6)], rock(2.0, SIDE + 0.5 + aside if aside else 0.0))
    assert found == ({} if verdict is None else {"Rock": verdict})


def test_what_stands_far_away_is_not_measured_and_what_may_reach_is(monkeypatch):
    asked = []

    def measured(one, other):
        asked.append(other.name)
        return contact(one, other)

    monkeypatch.setattr("engine.measure.contacts.contact", measured)
    here, far = car("Red 1", 10, 10), car("Far", 20, 10)
    near, doubtful = car("Near", 12.5, 10), car("Doubtful", 14.5, 10, sd=1.5)
    found = at_rest(here, [near, far, doubtful])
    assert asked == ["Near", "Doubtful"]
    assert [(c.other, c.verdict) for c in found] == [("Near", YES), ("Doubtful", OPEN)]


def test_sliding_along_is_no_contact():
    assert met(car("Red", 10, 10), [Straight(6)], block("Wall", 14, 10 + SIDE + 0.5, 12, 1)) == {}


def test_a_turn_swings_its_nose_into_what_stands_beside():
    red, blue = car("Red", 20, 20, **HERE), car("Blue", 21, 22)
    (found,) = contacts(red, [Turn(1.0)], [blue])
    assert (found.verdict, 0.5 < found.share < 1.0) == (YES, True)
    assert met(red, [Turn(0.2)], blue) == {}


def test_contacts_come_in_the_order_of_the_way():
    red = car("Red", 10, 10, **HERE)
    far, near = block("Far", 16, 10, 1, 1), block("Near", 14, 10, 1, 1)
    found = contacts(red, [Straight(8)], [far, near])
    assert [c.other for c in found] == ["Near", "Far"]


@pytest.mark.parametrize(("x", "verdict"), [(12.68, YES), (12.95, OPEN), (12.94, OPEN), (13.2, None)])
def test_where_a_piece_rests(x, verdict):
    found = at_rest(car("Red", 10, 10, **HERE), [car("Blue", x, 10)])
    assert [c.verdict for c in found] == ([] if verdict is None else [verdict])


way = st.tuples(
    st.floats(-4, 4), st.floats(-2, 2), st.floats(9, 15), st.floats(6, 14), st.floats(0, 360),
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(way, st.floats(0, 6), st.floats(-10, 10))
def test_the_same_picture_elsewhere_has_the_same_contacts(one, turn, shift):
    """Rotated, shifted and with a far piece added, the answer stays."""
    ahead, left, x, y, degrees = one
    steps = [Straight(ahead, left)]
    red, blue = car("Red", 10, 10, **HERE), car("Blue", x, y, degrees, sd=0.01)
    frame = Pose(shift, -shift, turn)

    def moved(s):
        return replace(s, pose=frame.compose(s.pose))

    before = contacts(red, steps, [blue])
    after = contacts(moved(red), steps, [moved(blue), block("Far", 200, 200, 1, 1)])
    assert [c.other for c in before] == [c.other for c in after]
    for a, b in zip(before, after, strict=True):
        assert a.gap.value == pytest.approx(b.gap.value, abs=1e-4)
        assert a.gap.p_yes == pytest.approx(b.gap.p_yes, abs=0.06)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.1, 4), st.floats(0, 0.03), st.floats(-90, 90), st.booleans())
def test_going_straight_away_never_collides(inches, deep, degrees, known):
    """Whatever it stands against, however it is turned: the other way is free."""
    direction = math.radians(degrees)
    red = car("Red", 20, 20, **(HERE if known else {}))
    # A long wall across the way, whose face touches the car's outline or lies a little inside it.
    corners = red.region.outline - red.pose.xy
    reach = float((corners @ (math.cos(direction), math.sin(direction))).max()) - deep
    middle = red.pose.xy + (reach + 0.5) * _unit(direction)
    wall = block("Wall", *map(float, middle), 1, 20, degrees)
    away = Straight(-inches * math.cos(direction), -inches * math.sin(direction))
    assert contacts(red, [away], [wall]) == ()


def _unit(angle: float):
    return np.array([math.cos(angle), math.sin(angle)])
