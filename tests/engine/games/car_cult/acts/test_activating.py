from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.match import Match
from tests.engine.games.car_cult.playing import (
    GAME,
    activated,
    begun,
    car,
    do,
    here,
    offered,
    reasons,
    rest,
    tokens,
    told,
)


def test_who_has_most_speed_tokens_activates_first():
    match = begun(tokens={"Red 1": 1, "Blue 1": 2})
    assert match.state.turn.car == "Blue 1"
    activated(match)
    do(match, "move", car="Blue 1", inches=6.0)
    do(match, "done")
    assert match.state.turn.car == "Red 1"


def test_ties_are_settled_by_a_d20_and_rolled_again():
    match = begun(tokens={"Red 1": 1, "Blue 1": 2})
    rest(match)
    activated(match, "Straight Five · 2")
    do(match, "move", car="Red 1", inches=5.0)
    events = do(match, "done", (7, 7, 3, 12))
    assert [d["rolls"] for d in told(events, "order")] == [
        {"Red 1": 7, "Blue 1": 7},
        {"Red 1": 3, "Blue 1": 12},
    ]
    assert match.state.turn.car == "Blue 1"


def test_tokens_on_the_engine_cover_its_symbols():
    # Straight Five has +ST on zones 2, 4 and 5.
    match = begun(tokens={"Red 1": 2, "Blue 1": 0})
    assert told(do(match, "shift", tokens=0), "generated") == [{"car": "Red 1", "tokens": 2}]


def test_one_token_leaves_the_engine_free_and_each_further_one_takes_a_roll():
    match = begun(tokens={"Red 1": 3, "Blue 1": 0})
    events = do(match, "shift", (10, 9), tokens=3)
    assert tokens(match, "Red 1", "Straight Five") == "....D"
    assert len(told(events, "damaged")) == 1
    assert told(events, "generated")[0]["tokens"] == 2


def test_acceleration_limits_what_goes_onto_the_engine():
    match = begun(car("Red 1", "Big Six", "Fanatical Fixer"), car("Blue 1"))
    if match.state.turn.car != "Red 1":
        rest(match)
    do(match, "shift", tokens=0)
    zones = [c.value for c in match.options()[0].form.fields["zones"].candidates]
    assert [z for z in zones if z.startswith("Big Six")] == ["Big Six · 1", "Big Six · 2"]


def test_limits_come_from_the_two_right_most_filled_zones():
    match = begun(tokens={"Red 1": 3, "Blue 1": 0})
    activated(match, "Straight Five · 4")
    # Four tokens: the speeds above the third and fourth zones.
    assert match.state.range_of_move() == (12, 14)
    assert here(match, "Red 1").turns == 1


def test_a_car_that_cannot_move_need_not():
    match = begun(tokens={"Red 1": 1, "Blue 1": 0})
    rest(match)
    do(match, "shift", tokens=0)
    do(match, "allocate", zones=[])
    assert not offered(match, "move")
    assert offered(match, "done")


def test_what_is_left_over_is_wasted_and_all_but_the_engine_is_cleared():
    match = begun(tokens={"Red 1": 1, "Blue 1": 0})
    do(match, "shift", tokens=0)
    events = do(match, "allocate", zones=["Rifle · 1"])
    assert told(events, "allocated")[0] == {"car": "Red 1", "tokens": {"Rifle": 1}, "wasted": 2}
    rest(match)
    assert tokens(match, "Red 1", "Rifle") == "S."
    rest(match)
    do(match, "shift", tokens=0)
    assert tokens(match, "Red 1", "Rifle") == ".."


def test_the_fixer_swaps_two_tokens_not_on_itself():
    match = begun(
        car("Red 1", "Straight Five", "Fanatical Fixer", "Rifle"), car("Blue 1"), tokens={"Red 1": 3}
    )
    do(match, "shift", (2,), tokens=2)
    assert tokens(match, "Red 1", "Straight Five") == "S...D"
    do(match, "allocate", zones=["Fanatical Fixer · 1", "Rifle · 1"])
    assert "need not be swapped" in reasons(match, "exchange", one="Straight Five · 1", other="Rifle · 1")
    do(match, "exchange", one="Straight Five · 5", other="Rifle · 1")
    assert tokens(match, "Red 1", "Straight Five") == "S...S"
    assert tokens(match, "Red 1", "Rifle") == "D."
    assert match.state.range_of_move() == (5, 16)
    assert not offered(match, "exchange")


def test_the_builder_refuses_with_reasons():
    given = {
        "players": ["Red", "Blue"],
        "pieces": [car("Red 1", "Big Six", "Harpoon", armour=4), car("Blue 1")],
    }
    form = GAME.setup(given)
    assert "from the comments, switched off" in form.not_yet[0].words
    assert "zones left" in form.pieces["Red 1"].fields["engine"].more
    many = [car(f"Red {k}", "Heavy Seven", "Mines") for k in (1, 2, 3)]
    (reason,) = GAME.setup({"players": ["Red", "Blue"], "pieces": [*many, car("Blue 1")]}).not_yet
    assert reason.words == "Red's cult has 33 zones, 3 over 30"
    with pytest.raises(TableRefError, match="33 zones"):
        Match.begin(GAME, {"players": ["Red", "Blue"], "pieces": [*many, car("Blue 1")]})


def test_wishes_are_off_unless_they_are_chosen():
    given = {"players": ["Red", "Blue"], "pieces": [car("Red 1"), car("Blue 1")]}
    assert "harpoon" not in GAME.setup(given).pieces["Red 1"].fields
    assert "harpoon" in GAME.setup(given | {"wishes": True}).pieces["Red 1"].fields
    match = begun(
        car("Red 1", "Straight Five", "Turbo Booster"), car("Blue 1"), tokens={"Red 1": 2}, wishes=True
    )
    activated(match)
    do(match, "boost", component="Turbo Booster")
    assert match.state.range_of_move() == (5, 15)
    assert tokens(match, "Red 1", "Turbo Booster") == ".D"


def test_damage_is_kept_from_the_game_before():
    match = begun(car("Red 1", "Straight Five", "Rifle", armour=1, damage=2), car("Blue 1"), wishes=True)
    assert here(match, "Red 1").undamaged == 6
    assert tokens(match, "Red 1", "Armour 1") == "D"
