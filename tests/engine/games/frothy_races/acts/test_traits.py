"""Traits, special cards and damage effects, each as its heading has it, with dice typed in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.errors import TableRefError
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.games.frothy_races.acts.attacking import sneaks
from engine.games.frothy_races.acts.beginning import start_speed
from engine.games.frothy_races.acts.moving import may_whip
from engine.games.frothy_races.book.building import OWN, PLAIN, TRAITS, build
from engine.games.frothy_races.book.data import cite
from engine.games.frothy_races.book.licences import CHARIOT, RANDOM, Effect
from engine.games.frothy_races.effects.damage import damage_task
from engine.games.frothy_races.effects.entering import control_task
from engine.games.frothy_races.state.game_state import Card
from tests.engine.games.frothy_races.builds import builds
from tests.engine.games.frothy_races.playing import begun, cell, do, match_at, standing, vehicle


def beside(*traits, specials=(), turn=None, speed=3, phase="move"):
    """Red 1, with these traits and special cards, beside Black 1 on the inside of it."""
    match = standing(("Red 1", cell(1, 2), 0, speed), ("Black 1", cell(2, 2), 0, speed), turn=turn)
    v = match.state.vehicle("Red 1")
    cards = (*v.cards, *(Card(name, ("whip",), name) for name in specials))
    state = match.state.with_vehicle(
        "Red 1", traits=tuple((t, 1) for t in traits), cards=cards, checked=phase != "check"
    )
    return replace(state, phase=phase)


def clashed(match, dice, first, then):
    """The cards of an attack: who chooses first, then the other, with whom all is revealed."""
    (one, cards), (other, answer) = first, then
    match.seal(Action("clash", one, {"cards": cards}), "one")
    if not any(o.kind == "clash" and o.player == other for o in match.options()):
        return ()
    typed = TypedDice(tuple(dice))
    events, _ = match.seal(Action("clash", other, {"cards": answer} if answer else {}), "other", None, typed)
    assert typed.used == len(typed.values)
    return events


def words(events):
    return "\n".join(e.words for e in events)


@pytest.mark.parametrize(
    ("trait", "way", "dice", "again", "rolled", "total"),
    [("Lash", "accelerate", "001", [1], "3", 4), ("Tight Leash", "decelerate", "331", [1], "0", 3)],
)
def test_dice_of_a_speed_check_are_rolled_again(trait, way, dice, again, rolled, total):
    match = match_at(beside(trait, phase="check"))
    card = "Whip 1" if way == "accelerate" else "Reins 1"
    do(match, "check", dice, vehicle="Red 1", cards=[card], way=way)
    (task,) = match.state.agenda
    assert (task.kind, task.citation) == ("reroll", cite("Dice Re-rolls"))
    with pytest.raises(TableRefError, match="up to 1"):
        do(match, "reroll", "00", vehicle="Red 1", again=[1, 2])
    do(match, "reroll", rolled, vehicle="Red 1", again=again)
    assert total in match.state.agenda[0].data["totals"]


def test_without_a_reroll_the_dice_count_as_they_lie():
    match = match_at(beside("Lash", phase="check"))
    do(match, "check", "001", vehicle="Red 1", cards=["Whip 1"], way="accelerate")
    do(match, "reroll", vehicle="Red 1")
    assert match.state.agenda[0].data["totals"] == [0, 1]


def test_handling_rolls_icons_again():
    state = replace(beside("Handling"), agenda=(control_task("Red 1", "a test", heading=0),))
    match = match_at(state)
    do(match, "control", ["Damage"], vehicle="Red 1")
    events = do(match, "reroll", ["Slow"], vehicle="Red 1", again=[1])
    assert "Slow" in words(events)
    assert "Damage roll" not in words(events)


@pytest.mark.parametrize(("trait", "sort"), [("Persistent", "vehicle"), ("Frenzied", "personal")])
def test_an_attacker_rolls_again(trait, sort):
    match = match_at(beside(trait, turn=2))
    card = "Reins 1" if sort == "vehicle" else "Whip 1"
    do(match, "attack", vehicle="Red 1", target="Black 1", sort=sort)
    clashed(match, "000", ("Red", [card]), ("Black", []))
    damage = "00000" if sort == "vehicle" else ""
    events = do(match, "reroll", f"3{damage}", vehicle="Red 1", again=[1])
    assert "Attack Values: Red 1 3, Black 1 0" in words(events)


@pytest.mark.parametrize(("trait", "sort"), [("Evasive", "vehicle"), ("Guarded", "personal")])
def test_a_target_rolls_again(trait, sort):
    state = replace(beside(trait), turn=None)
    match = standing(("Black 1", cell(2, 2), 0, 3), ("Red 1", cell(1, 2), 0, 3), turn=2)
    match = match_at(match.state.with_vehicle("Red 1", traits=state.vehicle("Red 1").traits))
    card = "Reins 1" if sort == "vehicle" else "Whip 1"
    extra = 1 if sort == "personal" else 0  # Cat O' Nine of a Chariot
    do(match, "attack", vehicle="Black 1", target="Red 1", sort=sort)
    dice = ["0"] * (2 + extra) + ["0"]
    clashed(match, dice, ("Black", [card]), ("Red", []))
    assert match.state.agenda[0].vehicle == "Red 1"
    damage = "000" if sort == "vehicle" else ""
    events = do(match, "reroll", f"2{damage}", vehicle="Red 1", again=[1])
    blades = 1 if sort == "vehicle" else 0
    assert f"Attack Values: Black 1 {blades}, Red 1 2" in words(events)


def test_lucky_rolls_two_dice_of_any_roll_again_and_is_discarded():
    state = replace(beside(specials=("Lucky",)), agenda=(damage_task("Red 1", 3, "a test"),))
    match = match_at(state)
    do(match, "go on", "333")
    events = do(match, "reroll", "00", vehicle="Red 1", again=[1, 2])
    assert "sustains 1 damage" in words(events)
    assert next(c.where for c in match.state.vehicle("Red 1").cards if c.name == "Lucky") == "gone"


def test_adaptive_swaps_a_card_of_the_hand_for_a_spent_one_of_the_other_type():
    state = beside("Adaptive")
    v = state.vehicle("Red 1")
    cards = tuple(replace(c, where="spent") if c.name == "Reins 1" else c for c in v.cards)
    state = replace(state.with_vehicle("Red 1", cards=cards, moved=True), phase="maintenance", step=0)
    match = match_at(state.with_vehicle("Black 1", moved=True))
    do(match, "go on")
    do(match, "adapt", vehicle="Red 1", swap=["Whip 1 for Reins 1"])
    where = {c.name: c.where for c in match.state.vehicle("Red 1").cards}
    assert (where["Whip 1"], where["Reins 1"]) == ("spent", "hand")


def test_encouragement_lends_reins_to_a_speed_check_and_a_space_more():
    state = beside("Encouragement", turn=1)
    cards = tuple(c for c in state.vehicle("Red 1").cards if "reins" in c.faces)
    state = state.with_vehicle("Red 1", cards=cards)
    v, turn = state.vehicle("Red 1"), state.turn
    assert may_whip(state, v, turn)
    assert not may_whip(state.with_vehicle("Red 1", traits=()), replace(v, traits=()), turn)
    match = match_at(state)
    do(match, "pace", vehicle="Red 1", face="whip", cards="Reins 1 as whip")
    assert match.state.turn.left == 2


def test_a_rival_ahead_adds_to_the_check():
    for ahead, boxes in ((0.02, 2), (-0.02, 1)):
        state = beside("Rival", phase="check").with_vehicle("Red 1", rival="Black 1")
        match = match_at(state.with_vehicle("Black 1", travelled=ahead))
        do(match, "check", "001", vehicle="Red 1", cards=["Whip 1"], way="accelerate")
        events = do(match, "keep", vehicle="Red 1", value=1)
        assert f"accelerates by {boxes} box" in words(events), ahead


def test_sneaky_attacks_in_the_turn_of_another():
    match = standing(("Black 1", cell(2, 2), 0, 3), ("Red 1", cell(1, 2), 0, 3), turn=2)
    state = match.state
    assert sneaks(state) == ()
    match = match_at(state.with_vehicle("Red 1", traits=(("Sneaky", 1),)))
    do(match, "attack", vehicle="Red 1", target="Black 1", sort="personal")
    clashed(match, "330", ("Red", ["Whip 1"]), ("Black", []))
    assert match.state.vehicle("Black 1").control == 6


def test_a_random_damage_effect_is_drawn_by_an_icon():
    own = replace(CHARIOT, effects=((1, Effect("random")),))
    for icon, effect in RANDOM.items():
        state = beside().with_vehicle("Red 1", built=own)
        match = match_at(replace(state, agenda=(damage_task("Red 1", 1, "a test"),)))
        dice = ["3", icon, *(["0"] if effect.sort == "damage" else [])]
        events = do(match, "go on", dice)
        assert effect in match.state.vehicle("Red 1").effects
        assert effect.words in words(events)


@pytest.mark.parametrize(
    ("special", "sort", "whose", "values"),
    [
        ("Berserker", "personal", "Red", (1, 0)), ("Shield", "personal", "Black", (0, 1)),
        ("Kamikaze", "vehicle", "Red", (1, 0)), ("Swerve", "vehicle", "Black", (0, 1)),
    ],
)  # fmt: skip
def test_special_cards_of_attacks_add_to_the_attack_value(special, sort, whose, values):
    face = "whip" if sort == "personal" else "reins"
    state = beside(turn=2)
    for name in ("Red 1", "Black 1"):
        cards = (*state.vehicle(name).cards, Card(special, (face,), special))
        state = state.with_vehicle(name, cards=cards, traits=())
    match = match_at(state)
    do(match, "attack", vehicle="Red 1", target="Black 1", sort=sort)
    other = "Whip 1" if sort == "personal" else "Reins 1"
    said = {"Red": [other], "Black": []} | {whose: [f"{special} as {special}"]}
    dice = "0" * (3 + (whose == "Black") + 3 * (sort == "vehicle"))
    events = clashed(match, dice, ("Red", said["Red"]), ("Black", said["Black"]))
    assert f"Attack Values: Red 1 {values[0]}, Black 1 {values[1]}" in words(events)


def test_brake_makes_slow_of_haste_and_control_discards_two_more():
    state = beside(specials=("Brake",))
    match = match_at(replace(state, agenda=(control_task("Red 1", "a test", heading=0),)))
    do(match, "control", ["Haste"], vehicle="Red 1")
    do(match, "special", vehicle="Red 1", card="Brake")
    assert match.state.agenda == ()
    assert match.state.vehicle("Red 1").speed == 2
    state = beside(specials=("Control",))
    match = match_at(replace(state, agenda=(control_task("Red 1", "a test", heading=0),)))
    do(match, "control", ["Slide", "Slow", "Damage", "Haste"], vehicle="Red 1", cards=["Control as Control"])
    assert match.state.agenda[0].data["discards"] == 3


def test_a_rolling_start_at_the_same_number_of_spaces():
    pieces = [vehicle("Red 1"), vehicle("Black 1", "War Beast", slower=1)]
    state = begun(*pieces, rolling=True, start_by="spaces").state
    assert [start_speed(state, v) for v in state.vehicles] == [3, 1]
    assert CHARIOT.totals[3] == 6


def test_the_guide_refuses_with_every_reason():
    wrong = {
        "whip": 0, "reins": 1, "dual": 0, "specials": [], "traits": list(PLAIN[:5]),
        "move_1": [1, 9, 0, 0, 0, 0, 9], "control": [1, 0, 0, 0, 0, 0, 0], "effects": ["Haste"],
        "levels": [9],
    }  # fmt: skip
    said = "; ".join(build(wrong)[1])
    for part in (
        "1 card: expected 4",
        "5 traits",
        "at Speed 0",
        "in a movement phase",
        "Safe Speed",
        "levels 1 to 5",
    ):
        assert part in said, part
    with pytest.raises(TableRefError, match="5 traits"):
        begun({**vehicle("Red 1", OWN), "traits": list(PLAIN[:5])}, vehicle("Black 1"))


def test_builds_have_every_trait_and_are_raced_with():
    assert {t for one in builds() for t in one["traits"]} == set(TRAITS)
    assert all(build(one)[1] == () for one in builds())
    v = begun({**vehicle("Red 1", OWN), **builds()[0]}, vehicle("Black 1")).state.vehicle("Red 1")
    assert v.licence.damage == 8
    assert dict(v.traits) == dict.fromkeys(builds()[0]["traits"], 1)
