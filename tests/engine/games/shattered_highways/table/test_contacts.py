"""Contacts: who touches whom with which side, whom one can be moved against, sideswipes."""

from __future__ import annotations

import pytest

from engine.games.shattered_highways.table.contacts import contacts, sideswipes, swiped, targets
from engine.measure.sweep import Side
from engine.ruling import Verdict
from tests.engine.games.shattered_highways.table.highway import car, highway, rig

FRONT, REAR, LEFT, RIGHT = Side.FRONT, Side.REAR, Side.LEFT, Side.RIGHT


@pytest.mark.parametrize(
    ("x", "y", "sides"),
    [
        (22.95, 12.0, (FRONT, REAR)), (17.05, 12.3, (REAR, FRONT)),
        (20.0, 13.2, (LEFT, RIGHT)), (21.5, 10.8, (RIGHT, LEFT)), (18.2, 13.25, (LEFT, RIGHT)),
    ],
)  # fmt: skip
def test_which_side_touches_which(x: float, y: float, sides: tuple[Side, Side]) -> None:
    table = highway(car("Red", 20.0, 12.0, sd=0.02), car("Blue", x, y, sd=0.02))
    (touch,) = contacts(table, "Red")
    assert (touch.other, touch.verdict, touch.sides_sure) == ("Blue", Verdict.YES, Verdict.YES)
    assert (touch.side, touch.other_side) == sides
    (back,) = contacts(table, "Blue")
    assert (back.side, back.other_side) == sides[::-1]


def test_a_hands_breadth_away_is_no_contact_and_in_between_is_too_close() -> None:
    red = car("Red", 20.0, 12.0, sd=0.02)
    assert contacts(highway(red, car("Blue", 23.3, 12.0, sd=0.02)), "Red") == ()
    (maybe,) = contacts(highway(red, car("Blue", 20 + 2.95 + 0.12, 12.0, sd=0.02)), "Red")
    assert maybe.verdict is Verdict.TOO_CLOSE


def test_corner_to_corner_the_sides_are_too_close_to_call() -> None:
    # Both outlines have their corners cut off: they meet there, neither side against side.
    table = highway(car("Red", 20.0, 12.0, sd=0.02), car("Blue", 22.88, 13.13, sd=0.02))
    (touch,) = contacts(table, "Red")
    assert touch.sides_sure is Verdict.TOO_CLOSE


def test_whom_one_can_nudge_or_ram_and_how() -> None:
    table = highway(
        car("Red", 20.0, 12.0), car("Blue", 26.0, 12.0), car("Green", 21.0, 14.0), car("Far", 40.0, 12.0)
    )
    found = {t.name: t for t in targets(table, "Red", 0.0)}
    assert set(found) == {"Blue", "Green"}
    assert found["Blue"].verdict is Verdict.YES
    ways = {name: {sides for sides, _ in t.sides} for name, t in found.items()}
    assert (FRONT, REAR) in ways["Blue"]
    assert (LEFT, RIGHT) in ways["Green"]
    # Blue can be passed, and then struck from beside or from ahead with the tail.
    assert (LEFT, RIGHT) in ways["Blue"]


def test_at_the_shift_that_is_told_the_sides_do_meet() -> None:
    table = highway(car("Red", 20.0, 12.0), car("Blue", 26.0, 12.5), car("Green", 21.0, 14.0, 3.0))
    for target in targets(table, "Red", 0.0):
        other = table.find(target.name)
        for sides, (x, y) in target.sides:
            there = highway(car("Red", 20.0 + x, 12.0 + y), other)
            touch = next(c for c in contacts(there, "Red"))
            assert touch.gap.value == pytest.approx(0.0, abs=1e-6)
            assert (touch.side, touch.other_side) == sides


def test_who_is_shut_off_cannot_be_struck() -> None:
    row = [car(f"C{k}", 25.0, 12.0 + 1.3 * (k - 2)) for k in range(5)]
    names = {
        t.name for t in targets(highway(car("Red", 20.0, 12.0), *row, car("Blue", 29.0, 12.0)), "Red", 0.0)
    }
    assert "C2" in names
    assert "Blue" not in names


def test_at_the_edge_of_what_can_be_reached_it_is_too_close_to_call() -> None:
    # The sedan goes 9 inches; the other's tail begins 9.00 ahead of its nose.
    table = highway(car("Red", 10.0, 12.0, sd=0.03), car("Blue", 10.0 + 2.95 + 9.0, 12.0, sd=0.03))
    (target,) = targets(table, "Red", 0.0)
    assert target.verdict is Verdict.TOO_CLOSE


def test_a_long_vehicle_sideswipes_several_at_once() -> None:
    table = highway(
        rig("Hauler", 24.0, 12.0), car("Blue", 16.0, 14.0), car("Green", 20.5, 14.05), car("Grey", 25.0, 9.9)
    )
    found = {(s.side, s.names) for s in sideswipes(table, "Hauler", 0.0)}
    assert (LEFT, ("Blue", "Green")) in found
    assert not any("Grey" in names and len(names) > 1 for _, names in found)
    assert sideswipes(highway(car("Red", 20, 12), car("A", 18, 14), car("B", 22, 14)), "Red", 0.0) == ()


def test_whom_it_touches_when_it_has_been_pushed_there() -> None:
    table = highway(rig("Hauler", 24.0, 12.75), car("Blue", 18.0, 14.0), car("Green", 25.2, 14.05))
    touching = swiped(table, "Hauler")
    assert {c.other for c in touching[LEFT]} == {"Blue", "Green"}
    assert touching[RIGHT] == ()
    # Blue beside the trailer, Green beside the tractor: the body that meets is told.
    assert {c.other: c.body for c in touching[LEFT]} == {"Blue": "Hauler trailer", "Green": "Hauler"}
