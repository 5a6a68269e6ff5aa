"""Classes, seats and creation points, with the book's numbers."""

from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.games.shattered_highways.book.building import Build, Mount, checked, seats
from engine.games.shattered_highways.book.data import CLASSES

GUN = Mount("Machine Gun")


@pytest.mark.parametrize(
    ("name", "points", "hits", "trailer", "count", "weapons", "most"),
    [
        ("Buggy", 15, 15, None, 2, 0, 1),
        ("Car", 25, 25, None, 3, 1, 1),
        ("Truck", 35, 35, None, 4, 1, 2),
        ("Rig", 50, 25, 25, 6, 2, 4),
    ],
)
def test_classes(name, points, hits, trailer, count, weapons, most):
    c = CLASSES[name]
    assert (c.points, c.hits, c.trailer, c.seats, c.weapons, c.most_weapons) == (
        points, hits, trailer, count, weapons, most,
    )  # fmt: skip
    for mounted in range(weapons, most + 1):
        assert len(seats(name, (GUN,) * mounted)) == count


def test_a_rig_has_two_seats_on_its_tractor_and_four_on_its_trailer():
    found = seats("Rig", (GUN, GUN))
    assert [p for _, p in found] == ["tractor"] * 2 + ["trailer"] * 4
    assert [s for s, _ in found] == ["D", "P1", "W1", "W2", "P2", "P3"]
    assert seats("Rig", (), trailer=False) == (("D", "tractor"), ("P1", "tractor"))


@pytest.mark.parametrize(
    ("build", "points"),
    [
        (Build("x", "Red", "Buggy"), 15),
        (Build("x", "Red", "Buggy", (GUN,)), 20),
        (Build("x", "Red", "Car", (GUN,), armour=("front", "rear", "left", "right")), 29),
        (Build("x", "Red", "Car", (GUN,), chains=True), 26),
        # A truck comes with one add-on.
        (Build("x", "Red", "Truck", (GUN,), chains=True), 35),
        (Build("x", "Red", "Truck", (GUN, GUN), armour=("front", "rear")), 41),
        (Build("x", "Red", "Rig", (GUN, GUN), reinforcements=True), 54),
        (Build("x", "Red", "Rig", (GUN,) * 4), 60),
        (Build("x", "Red", "Car", (Mount("Rocket Rack"),)), 28),
        # The Hidden Buggy costs what a Buggy does.
        (Build("x", "Red", "Buggy", hidden_in="Red 1"), 15),
    ],
)
def test_creation_points(build, points):
    assert checked(build).points == points


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (Build("x", "Red", "Car", (GUN, GUN)), "1 to 1 weapons"),
        (Build("x", "Red", "Rig", (GUN,)), "2 to 4 weapons"),
        (Build("x", "Red", "Car", (Mount("Machine Gun", "left"),)), "only a Rig"),
        (Build("x", "Red", "Truck", (GUN,), reinforcements=True), "Rigs only"),
        (Build("x", "Red", "Car", (GUN,), hidden_in="Red 1"), "only a Buggy"),
        (Build("x", "Red", "Buggy", hidden_in="Red 1", hero="D"), "hero elsewhere"),
        (Build("x", "Red", "Car", (GUN,), hero="W2"), "no seat W2"),
    ],
)
def test_what_the_book_does_not_allow(build, words):
    with pytest.raises(TableRefError, match=words):
        checked(build)
