"""What is asked before a game begins."""

from __future__ import annotations

import dataclasses

import pytest

from engine.errors import TableRefError
from engine.game.forms import Number, Numbers, Pick, check_answers
from engine.game.match import Match
from engine.games.white_line_fever.book.data import HouseRules
from tests.engine.games.white_line_fever.playing import GAME

PIECES = [{"name": "Red 1", "owner": "Red"}, {"name": "Blue 1", "owner": "Blue"}]


def test_every_car_is_dealt_something_else_and_the_game_may_begin_at_once():
    so_far = {"players": ["Red", "Blue"], "pieces": PIECES}
    form = GAME.setup(so_far)
    assert form.not_yet == ()
    usual = {
        name: [f.fields[slot].usual for slot in ("brand", "primary", "secondary")]
        for name, f in form.pieces.items()
    }
    assert usual == {
        "Red 1": ["Hammer", "Shock Gun", "Harpoon"],
        "Blue 1": ["Mule", "Dirtnap", "Grenade Launcher"],
    }
    match = Match.begin(GAME, so_far)
    assert {c.name: [c.brand, c.primary, c.secondary] for c in match.state.cars} == usual
    assert match.state.deployment is None


def test_what_the_forms_ask_for_begins_the_game():
    pieces = [
        PIECES[0] | {"brand": "Venus", "primary": "Plinker", "secondary": "Oil", "speed": 5, "tokens": 1},
        PIECES[1],
    ]
    answers = {"deployment": "arena", "first": "Blue", "armour_groups": [3, 3], "blast_dice": "one each"}
    so_far = {"players": ["Red", "Blue"], "pieces": pieces, **answers}
    form = GAME.setup(so_far)
    assert not check_answers(form.game, answers, "")
    given = {key: value for key, value in pieces[0].items() if key not in ("name", "owner")}
    assert not check_answers(form.pieces["Red 1"], given, "")
    state = Match.begin(GAME, so_far).state
    red = state.car("Red 1")
    assert (red.speed, red.tokens, state.first, state.deployment) == (5, 1, "Blue", "arena")
    assert state.house == HouseRules(armour_groups=(3, 3), blast_dice="one each")


def test_tokens_are_asked_for_where_they_are_dropped():
    pieces = [PIECES[0] | {"secondary": "Oil"}, PIECES[1] | {"secondary": "Railgun"}]
    forms = GAME.setup({"players": ["Red", "Blue"], "pieces": pieces}).pieces
    assert "tokens" in forms["Red 1"].fields
    assert "tokens" not in forms["Blue 1"].fields


def test_every_house_rule_is_asked_for_with_its_usual_value():
    fields = GAME.setup({}).game.fields
    for rule in dataclasses.fields(HouseRules):
        one = fields[rule.name]
        assert one.folded
        usual = HouseRules().as_json()[rule.name]
        assert one.usual == usual
        assert not check_answers(GAME.setup({}).game, {rule.name: usual}, "")
    assert isinstance(fields["armour_groups"], Numbers)
    assert isinstance(fields["outnumbered"], Pick)
    assert isinstance(fields["turn_tolerance"], Number)
    assert (fields["turn_tolerance"].unit, fields["token_size"].unit) == ("rad", "in")


@pytest.mark.parametrize(
    ("so_far", "words"),
    [
        ({"players": ["Red"], "pieces": PIECES}, "A game needs two players or more."),
        ({"players": ["Red", "Blue", "Gold"], "pieces": PIECES[:1]}, "Blue and Gold have no car yet."),
        ({"players": ["Red", "Blue"], "pieces": [*PIECES, PIECES[0]]}, "'Red 1' is there twice or empty"),
    ],
)
def test_it_says_why_it_cannot_begin_yet(so_far, words):
    (reason,) = GAME.setup(so_far).not_yet
    assert words in reason.words
    with pytest.raises(TableRefError):
        Match.begin(GAME, so_far)
