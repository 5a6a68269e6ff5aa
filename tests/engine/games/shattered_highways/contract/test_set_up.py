"""The fleet builder: each answer changes what is asked and what is left."""

from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.match import Match
from tests.engine.games.shattered_highways.playing import GAME, piece


def form(*pieces, **more):
    return GAME.setup({"players": ["Red", "Blue"], "pieces": list(pieces)} | more)


def test_it_shows_the_points_that_are_left():
    asked = form(piece("Red 1", "Rig", reinforcements=True), piece("Blue 1", "Buggy"))
    assert asked.pieces["Red 1"].fields["class"].more == "costs 54; Red has 46 of 100 creation points left"
    assert asked.pieces["Blue 1"].fields["class"].more == "costs 15; Blue has 85 of 100 creation points left"
    assert asked.not_yet == ()


def test_a_class_brings_its_own_questions():
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
