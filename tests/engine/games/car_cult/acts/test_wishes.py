"""What the commenters wished for: each is there, does what it should, and is off unless it is chosen."""

from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.game.match import Match
from engine.games.car_cult.book.data import CARDS
from engine.games.car_cult.game import GAME
from engine.games.car_cult.table.recognised import judged
from engine.measure.sweep import Straight
from tests.engine.games.car_cult.playing import activated, begun, car, do, here, offered, rest, tokens, told
from tests.engine.games.car_cult.table.hands import mine, pushed, put, seen, table

WISHES = (
    "Harpoon",
    "Missile Launcher",
    "Hand Grenade",
    "Wheel Spikes",
    "Oil Slick",
    "Caltrops",
    "Turbo Booster",
)


def test_these_are_the_wishes():
    assert tuple(c.name for c in CARDS.values() if c.wish) == WISHES


@pytest.mark.parametrize("name", WISHES)
def test_each_is_refused_unless_it_is_chosen(name):
    given = {"players": ["Red", "Blue"], "pieces": [car("Red 1", "Big Six", name), car("Blue 1")]}
    with pytest.raises(TableRefError, match=f"{name} is from the comments, switched off"):
        Match.begin(GAME, given)
    assert GAME.setup(given | {"wishes": True}).not_yet == ()
    match = Match.begin(GAME, given | {"wishes": True})
    assert any(c.card == name for c in match.state.car("Red 1").components)


def test_damage_of_the_game_before_is_refused_unless_it_is_chosen():
    given = {"players": ["Red", "Blue"], "pieces": [car("Red 1", damage=1), car("Blue 1")]}
    with pytest.raises(TableRefError, match="damage of the game before is from the comments, switched off"):
        Match.begin(GAME, given)
    assert here(Match.begin(GAME, given | {"wishes": True}), "Red 1").damage == 1


@pytest.mark.parametrize(
    ("weapon", "reach", "blast", "damage"),
    [("Harpoon", 8, 4, 1), ("Missile Launcher", 30, 8, 3), ("Hand Grenade", 5, 5, 2)],
)
def test_weapons_attack_with_their_numbers(weapon, reach, blast, damage):
    match = begun(car("Red 1", "Straight Five", weapon), car("Blue 1", "Heavy Seven", "Cannon"),
                  tokens={"Red 1": 1}, wishes=True)  # fmt: skip
    activated(match, f"{weapon} · 1")
    do(match, "declare", weapon=weapon, target="Blue 1")
    assert match.options()[0].question.data == {"weapon": weapon}
    assert f"{reach} in" in match.options()[0].question.words
    # Blue 1 stands still: 10 less the Blast.
    missed = do(match, "fire", (10 - blast - 1,), reach="yes")
    assert told(missed, "missed")
    again = begun(car("Red 1", "Straight Five", weapon), car("Blue 1", "Heavy Seven", "Cannon"),
                  tokens={"Red 1": 1}, wishes=True)  # fmt: skip
    activated(again, f"{weapon} · 1")
    do(again, "declare", weapon=weapon, target="Blue 1")
    do(again, "fire", (10 - blast,), reach="yes")
    assert len(again.state.duties) == damage
    owners = ["Blue", *["Red"] * (damage - 1)]
    assert [duty.by for duty in again.state.duties] == owners


def test_wheel_spikes_hurt_whom_the_car_touches():
    match = begun(car("Red 1", "Straight Five", "Wheel Spikes"), car("Blue 1", "Straight Five", "Cannon"),
                  tokens={"Red 1": 2}, wishes=True)  # fmt: skip
    activated(match)
    low, _ = match.state.range_of_move()
    do(match, "move", car="Red 1", inches=float(low), into="Blue 1")
    (duty,) = match.state.duties
    assert (duty.car, duty.cause) == ("Blue 1", "the Wheel Spikes of Red 1")


def laid(card: str, field: str):
    """Blue has laid a token, and Red 1 is about to move 9 to 12 in."""
    match = begun(car("Blue 1", "Straight Five", card), car("Red 1", "Straight Five"),
                  tokens={"Blue 1": 3, "Red 1": 2}, wishes=True)  # fmt: skip
    activated(match, f"{card} · 1")
    do(match, "move", car="Blue 1", inches=9.0, **{field: 1})
    assert tokens(match, "Blue 1", card) == "D."
    do(match, "done")
    activated(match, "Straight Five · 3")
    return match


def test_oil_is_rough_ground_where_its_token_lies():
    match = laid("Oil Slick", "oil")
    before = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Oil Slick 1", 14, 24))
    move = pushed(before, "Red 1", [Straight(9.5)])
    (one,) = judged(match.state, move).ground
    assert one.terrain == "Oil Slick 1"
    assert one.inches.value == pytest.approx(1.0, abs=0.1)
    aside = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Oil Slick 1", 14, 30))
    assert judged(match.state, pushed(aside, "Red 1", [Straight(9.5)])).ground == ()


def test_caltrops_end_a_move_where_their_token_lies():
    match = laid("Caltrops", "caltrops")
    before = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Caltrops 1", 16.4, 24))
    move = pushed(before, "Red 1", [Straight(6.7)])
    assert judged(match.state, move).driven.touched.other == "Caltrops 1"
    action = Action("move", None, {"car": "Red 1", "move": move.id})
    events = match.do(action, seen(move), TypedDice(()))
    (moved,) = told(list(events), "moved")
    assert moved["into"] == "Caltrops 1"
    assert told(list(events), "stopped")


def test_a_turbo_booster_gives_six_inches_for_each_damage_token_on_it():
    match = begun(car("Red 1", "Straight Five", "Turbo Booster"), car("Blue 1"), tokens={"Red 1": 2},
                  wishes=True)  # fmt: skip
    activated(match)
    for high, zones in ((15, ".D"), (21, "DD")):
        do(match, "boost", component="Turbo Booster")
        assert match.state.range_of_move() == (5, high)
        assert tokens(match, "Red 1", "Turbo Booster") == zones
    assert not offered(match, "boost")


@pytest.mark.parametrize("wishes", [True, False])
def test_what_stays_for_the_next_game_is_told_at_the_end(wishes):
    match = begun(car("Red 1", "Heavy Seven", "Rifle"), car("Blue 1", "Quick Four"), wishes=wishes, quiet=1,
                  tokens={"Red 1": 1})  # fmt: skip
    for name, place in (("Red 1", 0), ("Blue 1", 0)):
        zones = [None] * (len(here(match, name).engine.zones) - 2) + ["Damage", "Damage"]
        match.overrule(("cars", name, "components", place, "zones"), zones, "hit", "Blue")
    rest(match)
    rest(match)
    assert match.state.over
    kept = told(list(match.log), "kept")
    # As many as the Acceleration at most: 1 of the Heavy Seven, 3 of the Quick Four.
    assert kept == ([{"tokens": {"Red 1": 1, "Blue 1": 2}}] if wishes else [])
