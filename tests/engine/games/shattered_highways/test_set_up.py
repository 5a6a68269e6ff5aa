"""What is asked before a game begins, classes and creation points, stat cards."""

from __future__ import annotations

import random

import pytest

from engine.errors import TableRefError
from engine.game.dice import SeededDice
from engine.game.match import Match
from engine.game.players import random_setup, step
from engine.game.showing import Counter, Viewer
from engine.games.shattered_highways.book.data import CLASSES, Build, Mount, checked, seats
from engine.games.shattered_highways.page.sheets import set_up
from tests.engine.games.shattered_highways.playing import GAME, piece


def form(*pieces, **more):
    return GAME.setup({"players": ["Red", "Blue"], "pieces": list(pieces)} | more)


def test_a_class_brings_its_own_questions_and_shows_the_points_that_are_left():
    asked = form(piece("Red 1", "Rig", reinforcements=True), piece("Blue 1", "Buggy"))
    for name, costs in (("Red 1", "costs 54; Red has 46"), ("Blue 1", "costs 15; Blue has 85")):
        assert asked.pieces[name].note == f"{costs} of 100 creation points left"
    assert asked.not_yet == ()
    rig = form(piece("Red 1", "Rig", weapons=3)).pieces["Red 1"].fields
    assert {"weapon_3", "arc_3", "reinforcements"} <= set(rig)
    assert [c.value for c in rig["arc_1"].candidates] == ["fore", "aft", "left", "right"]
    car = form(piece("Red 1", "Car")).pieces["Red 1"].fields
    assert {"weapons", "weapon_2", "reinforcements", "hidden_in"}.isdisjoint(car)
    assert [c.value for c in car["arc_1"].candidates] == ["fore", "aft"]
    buggy = form(piece("Red 1", "Rig"), piece("Red 2", "Buggy")).pieces["Red 2"].fields
    assert [c.value for c in buggy["hidden_in"].candidates] == ["Red 1"]


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ([piece("Red 1", "Rig"), piece("Red 2", "Rig"), piece("Red 3", "Buggy")], "15 too many"),
        ([piece("Red 1", hero="D"), piece("Red 2", hero="D")], "has one hero"),
        ([piece("Red 1"), piece("Red 2", "Buggy", hidden_in="Red 1")], "no Rig of the same fleet"),
        ([], "Red has no vehicle"),
    ],
)
def test_a_fleet_that_cannot_play(pieces, words):
    given = [*pieces, piece("Blue 1")]
    assert any(words in r.words for r in form(*given).not_yet)
    with pytest.raises(TableRefError, match=words):
        Match.begin(GAME, {"players": ["Red", "Blue"], "pieces": given})


def test_a_warrior_sits_in_every_seat_and_one_is_the_hero():
    pieces = [piece("Red 1"), piece("Red 2", "Rig", reinforcements=True, hero="P1"), piece("Blue 1")]
    state = Match.begin(GAME, {"players": ["Red", "Blue"], "pieces": pieces}).state
    red = [w for w in state.warriors if w.owner == "Red"]
    assert len(red) == 3 + 6 + 4
    assert [(w.vehicle, w.seat, w.part) for w in red if w.hero] == [("Red 2", "P1", "tractor")]
    assert [w.home for w in red if w.seat is None] == ["Red 2"] * 4
    assert [(w.vehicle, w.seat) for w in state.warriors if w.owner == "Blue" and w.hero] == [("Blue 1", "D")]


def test_what_is_overruled_must_be_possible():
    match = Match.begin(GAME, {"players": ["Red", "Blue"], "pieces": [piece("Red 1"), piece("Blue 1")]})
    match.overrule(("vehicles", "Red 1", "hits"), 12, "it was marked off wrong")
    assert match.state.vehicle("Red 1").hits == 12
    with pytest.raises(TableRefError, match="expected 0 to 25"):
        match.overrule(("vehicles", "Red 1", "hits"), 26, "too many")
    with pytest.raises(TableRefError, match="somebody else sits"):
        match.overrule(("warriors", "Red's fodder 1", "seat"), "D", "two drivers")


def test_every_number_that_a_card_offers_may_be_set() -> None:
    chance, dice = random.Random(3), SeededDice(3)
    match = Match.begin(GAME, random_setup(GAME, chance))
    lowest: set[int] = set()
    while not match.state.over:
        step(match, chance, dice)
        if len(match.log) % 8:
            continue
        for sheet in GAME.sheets(match.state, Viewer()):
            for one in sheet.widgets:
                if isinstance(one, Counter) and one.path and not sheet.out:
                    lowest.add(one.low)
                    for value in (one.low, one.high):
                        assert match.overruling(one.path, value, "by hand")
    assert 1 in lowest, "vehicles on the road have at least one hit point"


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
        (Build("x", "Red", "Car", (GUN, GUN)), "a Car has 1 weapon, got 2"),
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


def test_the_builder_says_which_add_on_comes_with_a_truck():
    """ "Mounted Weapons 1 (upgradable to 2 weapons) + 1 addon"."""
    form = set_up({"players": ["Red"], "pieces": [{"name": "Red 1", "owner": "Red"}]}).pieces["Red 1"]
    told = {c.value: c.more for c in form.fields["class"].candidates}
    free = "; a point of armor or Drag Chains is free"
    assert [name for name, more in told.items() if more.endswith(free)] == ["Truck"]
