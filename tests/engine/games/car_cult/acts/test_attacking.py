from __future__ import annotations

import pytest

from engine.games.car_cult.book.data import CARDS
from engine.games.car_cult.effects.attacks import needed
from tests.engine.games.car_cult.playing import (
    activated,
    begun,
    car,
    do,
    here,
    offered,
    reasons,
    tokens,
    told,
)


def facing(*parts, target=("Blue 1", "Straight Five", "Cannon"), speed=0, more=None):
    """Red 1 with these components, activated first against one car of Blue's."""
    match = begun(
        car("Red 1", "Big Six", *parts, **(more or {})), car(*target), tokens={"Red 1": 3, target[0]: speed}
    )
    assert match.state.turn.car == "Red 1"
    return match


def test_the_stages_of_an_attack():
    match = facing("Rifle")
    activated(match, "Rifle · 1")
    events = do(match, "declare", weapon="Rifle", target="Blue 1")
    assert [e.kind for e in events] == ["declared", "applied"]
    assert not offered(match, "move")
    assert "say whether" in reasons(match, "fire")
    events = do(match, "fire", (9, 6), reach="yes")
    # Blast 3 against a minimum of 0: 7 or more.
    assert [e.kind for e in events if e.kind in ("hit", "missed")] == ["hit", "missed"]
    assert [d["by"] for d in told(events, "modified")] == [3]


def test_out_of_range_the_token_is_used_and_nothing_rolled():
    match = facing("Rifle")
    activated(match, "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    events = do(match, "fire", reach="no")
    assert not told(events, "rolls")
    assert not offered(match, "declare")


@pytest.mark.parametrize(("value", "hit"), [(20, True), (1, False), (16, True), (15, False)])
def test_the_notes_example_blast_3_at_a_minimum_of_9(value, hit):
    # 6 off: 16 or more; 20 always, 1 never.
    match = facing("Rifle", speed=3)
    target = here(match, "Blue 1")
    assert target.limits == (9, 12)
    assert needed(CARDS["Rifle"], target) == 16
    activated(match, "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    events = do(match, "fire", (value, 1), reach="yes")
    assert bool(told(events, "hit")) == hit


def test_crack_and_crap_shots_against_any_modifier():
    match = facing("Flamethrower", target=("Blue 1", "Straight Five", "Dangerous Driver"))
    assert needed(CARDS["Flamethrower"], here(match, "Blue 1")) == 2
    fast = facing("Machine Gun", target=("Blue 1", "Quick Four", "Dangerous Driver"), speed=2)
    assert here(fast, "Blue 1").limits == (6, 11)
    assert needed(CARDS["Machine Gun"], here(fast, "Blue 1")) == 15


def test_a_name_keeps_its_hyphen_where_a_number_has_a_minus():
    match = facing("Rifle", target=("Blue-1", "Straight Five", "Cannon"), speed=3)
    activated(match, "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue-1")
    events = do(match, "fire", (9, 6), reach="yes")
    words = [e.words for e in events if e.kind == "modified" and e.data["by"] < 0]
    assert [text[: len("attack on Blue-1: −")] for text in words] == ["attack on Blue-1: −"]


def test_a_dangerous_driver_takes_two_off_for_each_token():
    match = begun(car("Red 1", "Big Six", "Rifle"), car("Blue 1", "Straight Five", "Dangerous Driver"),
                  tokens={"Red 1": 2, "Blue 1": 3})  # fmt: skip
    activated(match, "Dangerous Driver · 1", "Dangerous Driver · 2")
    # The engine's last two symbols and the driver's own: two of them on the driver.
    do(match, "move", car="Blue 1", inches=9.0)
    do(match, "done")
    activated(match, "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    events = do(match, "fire", (2, 3), reach="yes")
    assert [d["by"] for d in told(events, "modified")] == [3, -9, -4]


def test_a_gutsy_gunner_rerolls_dice_before_they_count():
    match = facing("Gutsy Gunner", "Rifle")
    activated(match, "Gutsy Gunner · 1", "Gutsy Gunner · 2", "Rifle · 1")
    do(match, "declare", weapon="Rifle", target="Blue 1")
    do(match, "fire", (2, 3), reach="yes")
    assert [o.words for o in offered(match, "reroll")] == ["Reroll the 2", "Reroll the 3"]
    do(match, "reroll", (4,), die=0)
    events = do(match, "reroll", (18,), die=0)
    assert [d["value"] for d in told(events, "hit")] == [18]
    assert match.state.attack is None


def test_the_owner_places_the_first_token_of_a_hit_and_the_attacker_the_rest():
    match = facing("Cannon", target=("Blue 1", "Straight Five", "Cannon", "Rifle"))
    activated(match, "Cannon · 1")
    do(match, "declare", weapon="Cannon", target="Blue 1")
    do(match, "fire", (19,), reach="yes")
    assert {o.player for o in offered(match, "damage")} == {"Blue"}
    do(match, "damage", component="Rifle")
    assert {o.player for o in offered(match, "damage")} == {"Red"}
    do(match, "damage", component="Straight Five")
    assert tokens(match, "Blue 1", "Rifle") == ".D"
    assert tokens(match, "Blue 1", "Straight Five") == "....D"


def test_armour_takes_damage_first():
    match = facing("Cannon", target=("Blue 1", "Straight Five", "Cannon", "Armour 1"))
    activated(match, "Cannon · 1")
    do(match, "declare", weapon="Cannon", target="Blue 1")
    events = do(match, "fire", (19,), reach="yes")
    assert told(events, "damaged")[0]["component"] == "Armour 1"
    assert len(offered(match, "damage")) == 2


def test_a_car_with_damage_everywhere_explodes_as_far_as_its_engine_has_zones():
    match = begun(car("Red 1", "Big Six", "Cannon"), car("Red 2", "Heavy Seven"),
                  car("Blue 1", "Quick Four"), tokens={"Red 1": 4})  # fmt: skip
    match.overrule(
        ("cars", "Blue 1", "components", 0, "zones"), ["Damage", "Damage", "Damage", None], "", "Red"
    )
    activated(match, "Cannon · 1")
    do(match, "declare", weapon="Cannon", target="Blue 1")
    events = do(match, "fire", (19,), reach="yes")
    assert told(events, "exploded") == [{"car": "Blue 1", "inches": 4.0}]
    events = do(match, "blast", cars=["Red 1"])
    assert told(events, "blast")[0]["cars"] == ["Red 1"]
    assert len(offered(match, "damage")) == 2
    events = do(match, "damage", component="Cannon")
    assert match.state.over
    assert match.state.winner == "Red"
