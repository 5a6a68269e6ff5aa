"""Sentences of the book that are easily passed over, each with what it comes to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.game.showing import Viewer
from engine.games.frothy_races.acts.moving import extra_dice, held_back
from engine.games.frothy_races.acts.rounds import end_by_rounds, victory
from engine.games.frothy_races.book.circuits import CIRCUITS
from engine.games.frothy_races.book.data import APART, CHARIOT, RACES, Effect, Marker, Rules, accelerated
from engine.games.frothy_races.page.sheets import set_up
from engine.games.frothy_races.rules.control import PASSING, dice_of
from engine.games.frothy_races.rules.damage import damage_task
from engine.games.frothy_races.rules.moves import ahead_by, behind_by, control_task, stepped, ways, wrapped
from engine.games.frothy_races.state import EVENTS, Card, Obstacle, Task, Turn
from tests.engine.games.frothy_races.playing import GAME, begun, cell, do, match_at, standing, vehicle


def words(events):
    return "\n".join(e.words for e in events)


def options(match, kind):
    return [o for o in match.options() if o.kind == kind]


@pytest.mark.parametrize("race", APART)
def test_nobody_leads_where_vehicles_start_apart(race):
    """ "each vehicle starts on the opposite sides"; "the leading vehicle may not choose to Accelerate"."""
    assert (Rules.of({"race": race}).grandstanding, Rules.of({"race": race}).shame) == (False, False)
    fields = set_up({"race": race}).game.fields
    assert (fields["grandstanding"].usual, fields["shame"].usual) == (False, False)
    match = begun(race=race, grandstanding=True, shame=True)
    do(match, "start", (5, 2))
    state = match.state
    for v in state.vehicles:
        assert held_back(state, v) == ()
        assert (ahead_by(state, v), behind_by(state, v)) == (0.0, 0.0)
    first = state.vehicles[0]
    state = state.with_vehicle(first.name, travelled=first.travelled + 5.5 / len(state.board.middle))
    assert "leads by" in held_back(state, state.vehicle(first.name))[0].words


def test_two_who_lead_level_and_two_who_are_last_level_are_far_from_the_third():
    """ "The leading vehicle or vehicles … the closest following vehicle", and so for those in last place."""
    state = begun(*({"name": f"{who} 1", "owner": who} for who in ("Red", "Black", "Gold"))).state
    state = match_at(state)
    do(state, "start", (5, 2, 1))
    state = state.state
    lane = len(state.board.middle)
    for one, two in ((5.5, 5.5 + 1e-12), (0.0, 1e-12)):
        there = state.with_vehicle("Red 1", travelled=one / lane).with_vehicle(
            "Black 1", travelled=two / lane
        )
        there = there.with_vehicle("Gold 1", travelled=(5.5 - one) / lane)
        pair = ("Red 1", "Black 1")
        barred = [bool(held_back(there, there.vehicle(name))) for name in pair]
        more = [extra_dice(there, there.vehicle(name), accelerates=True) for name in pair]
        assert (barred, more) == (([True, True], [0, 0]) if one else ([False, False], [1, 1]))


def test_in_the_other_races_the_place_on_the_track_is_the_lead():
    assert all(Rules.of({"race": r}).grandstanding for r in RACES if r not in APART)
    state = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(2, 2), 0, 3)).state
    state = state.with_vehicle("Red 1", travelled=0.5, start=0.5)
    assert held_back(state, state.vehicle("Red 1")) != ()


def with_top(top: int, level: int = 1):
    return replace(CHARIOT, effects=((level, Effect("top", top)),))


def test_any_change_above_a_maximum_that_was_reduced_is_over_whipping():
    """ "any change that would take the vehicle's Speed above this value is treated as 'Over-Whipping'"."""
    own = with_top(4)
    assert accelerated(own, Marker(5, 0, 0), 1, 4) == (Marker(5, 0, 0), 1)
    state = standing(("Red 1", cell(1, 2), 0, 5), ("Black 1", cell(2, 2), 0, 3)).state
    state = state.with_vehicle("Red 1", built=own, traits=())
    match = match_at(replace(state, agenda=(damage_task("Red 1", 1, "a test"),)))
    events = do(match, "go on", "3")
    assert "Maximum Speed 4" in words(events)
    v = match.state.vehicle("Red 1")
    # "A vehicle needing to reduce its Speed rating moves the Speed marker into the highest box".
    assert (v.speed, v.box) == (4, own.acceleration[4] - 1)
    checks = match.state.with_vehicle("Red 1", checked=False)
    match = match_at(replace(checks, phase="check"))
    do(match, "check", "330", vehicle="Red 1", cards=["Whip 1"], way="accelerate")
    events = do(match, "keep", vehicle="Red 1", value=3)
    assert "over-whips by 3" in words(events)
    assert match.state.vehicle("Red 1").speed < 4


def drifting_into_a_rock():
    """Red drifts left into a rock, everything else being blocked."""
    at = cell(1, 2)
    ahead, left, right = ((at[0] + q, at[1] + r) for q, r in ((1, 0), (0, 1), (1, -1)))
    rocks = [Obstacle(f"Rock {k}", "solid", c) for k, c in enumerate((ahead, left, right), start=1)]
    match = standing(("Red 1", at, 0, 3), ("Black 1", cell(3, 9), 6, 0), turn=1, obstacles=rocks)
    cards = tuple(c for c in match.state.vehicle("Red 1").cards if "reins" not in c.faces)
    return match_at(match.state.with_vehicle("Red 1", cards=cards, traits=()))


def test_after_a_solid_obstacle_it_slides_the_way_it_was_moving_when_it_hit():
    """ "it will be in the direction the vehicle was originally moving when it hit the obstacle"."""
    match = drifting_into_a_rock()
    do(match, "move", "333", vehicle="Red 1", way="L")
    (task, *_) = match.state.agenda
    assert (task.kind, task.data["heading"], task.data["side"]) == ("control", 2, "")
    dice = dice_of(match.state.vehicle("Red 1"))
    events = do(match, "control", ["Slide"] * dice + ["0"] * dice, vehicle="Red 1")
    # Into the same rock again: a Damage roll with as many dice as Slide icons, and it stays.
    assert "slides into Rock 2 again" in words(events)
    assert match.state.vehicle("Red 1").cell == cell(1, 2)


def wreck_ahead(*traits, spaces=2, **rules):
    match = standing(
        ("Red 1", cell(1, 2), 0, 3),
        ("Black 1", cell(1, 3), 0, 0),
        ("Blue 1", cell(3, 9), 0, 0),
        turn=spaces,
        **rules,
    )
    state = match.state.with_vehicle("Black 1", wreck=True)
    return state.with_vehicle("Red 1", traits=tuple((t, 1) for t in traits))


def sides(state, count):
    return {w.sides: w.into for w in ways(state, state.vehicle("Red 1"), state.turn, count)}


def test_a_flyer_ignores_a_low_obstacle_wrecks_included_and_ends_on_none():
    """ "you ignore any Hazard or low Obstacle"."""
    assert sides(wreck_ahead("Flyer"), 2)["FF"] == ""
    assert sides(wreck_ahead("Flyer"), 1)["F"] == "Black 1"
    assert sides(wreck_ahead(), 2)["F"] == "Black 1"
    match = match_at(wreck_ahead("Flyer"))
    do(match, "move", vehicle="Red 1", way="FF")
    assert match.state.vehicle("Red 1").cell == cell(1, 4)


def boxed_in(spaces):
    """Solid all round, Black straight ahead."""
    at = cell(1, 2)
    rocks = [
        Obstacle(f"Rock {k}", "solid", (at[0] + q, at[1] + r)) for k, (q, r) in enumerate(((0, 1), (1, -1)))
    ]
    match = standing(("Red 1", at, 0, 3), ("Black 1", cell(1, 3), 0, 1), turn=spaces, obstacles=rocks)
    v = match.state.vehicle("Red 1")
    ram = Card("Ramming Speed", ("whip",), "Ramming Speed")
    return match_at(match.state.with_vehicle("Red 1", cards=(*v.cards, ram), traits=()))


@pytest.mark.parametrize("spaces", [0, 1])
def test_ramming_speed_is_offered_when_boxed_in_with_the_target_ahead(spaces):
    """ "the vehicle may deliberately collide with another vehicle"."""
    match = boxed_in(spaces)
    (whip,) = (o for o in options(match, "pace") if o.data["face"] == "whip")
    assert [c.value for c in whip.form.fields["cards"].candidates] == ["Ramming Speed as Ramming Speed"]
    do(match, "pace", vehicle="Red 1", face="whip", cards="Ramming Speed as Ramming Speed")
    assert match.state.turn.left == spaces + 1
    events = do(match, "move", "0" * 4, vehicle="Red 1", way="F")
    assert "collides with Black 1: Rear-End" in words(events)


def test_a_collision_on_purpose_needs_no_reins_card_to_be_played():
    """ "players can directly collide their vehicles with other vehicles"."""
    match = boxed_in(1)
    assert options(match, "move") == []
    match = match_at(replace(match.state, rules=replace(match.state.rules, deliberate=True)))
    (move,) = options(match, "move")
    assert [c.value for c in move.form.fields["way"].candidates] == ["F"]


def test_a_driver_is_told_all_the_dice_that_are_rolled():
    """ "you may always roll and discard # extra dice for any Control Roll"."""
    match = standing(("Red 1", cell(1, 2), 0, 4), ("Black 1", cell(2, 2), 0, 3))
    state = match.state.with_vehicle("Red 1", traits=(("Driver", 1),))
    match = match_at(replace(state, agenda=(control_task("Red 1", "a test", heading=0),)))
    (option,) = options(match, "control")
    assert (option.more, option.facts[0].words) == ("3 dice and one for each card", "3")
    do(match, "control", ["Slide", "Slow", "Haste"], vehicle="Red 1")


def test_each_further_fragile_marker_is_a_die_more_at_speed_0_too():
    """ "the number of dice used for the Damage roll is increased by 1 for each additional marker"."""
    there = cell(1, 3)
    markers = [Obstacle(f"Crate {k}", "fragile", there) for k in range(3)]
    for count, dice in ((1, ""), (3, "00")):
        match = standing(
            ("Red 1", cell(1, 2), 0, 0), ("Black 1", cell(3, 9), 0, 0), turn=1, obstacles=markers[:count]
        )
        events = do(match, "move", dice, vehicle="Red 1", way="F")
        assert "runs over Crate 0" in words(events)


def test_who_is_wiped_out_in_a_collision_still_halves_its_speed():
    """ "The colliding vehicle must then reduce its Speed rating by half (round down)"."""
    at = cell(1, 2)
    match = standing(
        ("Red 1", at, 0, 5),
        ("Black 1", cell(1, 3), 6, 0),
        turn=1,
        obstacles=[
            Obstacle("Rock 1", "solid", (at[0], at[1] + 1)),
            Obstacle("Rock 2", "solid", (at[0] + 1, at[1] - 1)),
        ],
    )
    state = match.state.with_vehicle("Red 1", cards=(), traits=(), damage=CHARIOT.damage - 1)
    match = match_at(state)
    events = do(match, "move", "3333300000", vehicle="Red 1", way="F")
    assert "Red 1 is wiped out" in words(events)
    red = match.state.vehicle("Red 1")
    assert (red.wreck, red.speed) == (True, 2)


def test_the_big_button_of_a_special_card_plays_it():
    """ "the player may play this card to ignore the outcome of the initial Damage roll and re-roll it"."""
    state = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(2, 2), 0, 3)).state
    card = Card("Survivor", ("whip",), "Survivor")
    state = state.with_vehicle("Red 1", cards=(*state.vehicle("Red 1").cards, card))
    for said, dice, damage in (({}, "0", 0), ({"play": True}, "0", 0), ({"play": False}, "", 1)):
        match = match_at(replace(state, agenda=(damage_task("Red 1", 1, "a test"),)))
        do(match, "go on", "3")
        (option,) = options(match, "survive")
        assert option.form.fields["play"].usual is True
        do(match, "survive", dice, vehicle="Red 1", **said)
        assert match.state.vehicle("Red 1").damage == damage


def test_sliding_into_it_again_is_a_collision_with_the_dice_of_its_traits():
    """ "You roll # less Damage dice for any collision"; "any vehicle involved in a collision with you"."""
    match = standing(("Red 1", cell(1, 2), 0, 4), ("Black 1", cell(1, 3), 0, 3), turn=1)
    state = match.state.with_vehicle("Red 1", cards=(), traits=(("B.S.H.", 1),))
    state = state.with_vehicle("Black 1", cards=(), traits=(("Spiked", 1), ("B.S.H.", 2)))
    task = control_task("Red 1", "Rear-End", heading=0, against="Black 1")
    match = match_at(replace(state, agenda=(task,)))
    # Two Slide icons: two dice each, of Red one less and one more, of Black two less, which is none.
    events = do(match, "control", ["Slide", "Slide", "0", "0"], vehicle="Red 1")
    assert "slides into Black 1 again" in words(events)
    assert [e.data["vehicle"] for e in events if e.kind == "damaged"] == ["Red 1"]


def test_what_is_inflicted_by_sliding_again_scores_as_well():
    """ "points for inflicting damage on opposing vehicles"."""
    match = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(1, 3), 0, 3), turn=1)
    state = replace(match.state, rules=replace(match.state.rules, race="Scoring", for_damage=2))
    state = state.with_vehicle("Red 1", cards=(), traits=()).with_vehicle("Black 1", cards=(), traits=())
    task = control_task("Red 1", "Rear-End", heading=0, against="Black 1")
    for team, points in (("", 2), ("Reds", 0)):
        for name in ("Red 1", "Black 1"):
            state = state.with_vehicle(name, team=team)
        match = match_at(replace(state, agenda=(task,)))
        do(match, "control", ["Slide", "0", "3"], vehicle="Red 1")
        red, black = match.state.vehicle("Red 1"), match.state.vehicle("Black 1")
        assert (red.points, black.points) == (points, 0), team


def test_a_wreck_that_hits_a_vehicle_is_a_collision_too():
    """ "You roll # less Damage dice for any collision"."""
    match = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(1, 3), 0, 3), ("Blue 1", cell(3, 9), 0, 0))
    state = match.state.with_vehicle("Red 1", wreck=True, rolling=True, checked=False)
    state = state.with_vehicle("Black 1", cards=(), traits=(("B.S.H.", 2),), checked=False)
    match = match_at(replace(state, phase="check", rolled=False))
    events = do(match, "check", "00", vehicle="Black 1")
    assert "the wreck of Red 1 comes to rest before Black 1" in words(events)
    assert [e for e in events if e.kind == "damaged"] == []


def test_a_wreck_rolls_on_from_the_round_after_the_one_in_which_it_was_wiped_out():
    """ "At the start of each round after the one when your vehicle was wiped-out"."""
    match = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(3, 9), 0, 0), ("Blue 1", cell(2, 9), 0, 0))
    state = match.state.with_vehicle("Red 1", cards=(), traits=(), damage=CHARIOT.damage - 1)
    state = state.with_vehicle("Black 1", cards=(), traits=(), checked=False)
    state = replace(state, phase="check", rolled=False, agenda=(damage_task("Red 1", 1, "Damage / Round"),))
    match = match_at(state)
    assert "Red 1 is wiped out" in words(do(match, "go on", "3"))
    events = do(match, "check", "00", vehicle="Black 1")
    assert "no wreck rolls on" in words(events)
    assert match.state.vehicle("Red 1").rolling


def test_whoever_learns_by_playing_is_told_who_may_choose_in_a_speed_check():
    hint = dict(GAME.about.hints)["check"]
    assert hint == "Play a card and choose: accelerate or decelerate. Without a card most decelerate."


def test_that_a_direction_takes_a_card_is_true_also_once_one_is_picked():
    """ "If you do not use any Whip or Reins cards then you must Decelerate"."""
    match = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(3, 9), 0, 0))
    state = replace(match.state.with_vehicle("Red 1", checked=False, traits=()), phase="check", rolled=False)
    (option,) = options(match_at(state), "check")
    told = {c.value: c.more for c in option.form.fields["way"].candidates}
    assert told == {"accelerate": "with a card", "decelerate": ""}


@pytest.mark.parametrize(("type_", "must"), [("Chariot", "decelerate"), ("Steamer", "accelerate")])
def test_without_cards_nobody_says_the_other_way(type_, must):
    """ "You Accelerate instead of Decelerate if you do not use any Whip/Reins cards": whatever was said."""
    match = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(3, 9), 0, 0), types={"Red 1": type_})
    match = match_at(replace(match.state.with_vehicle("Red 1", checked=False), phase="check", rolled=False))
    for way in ("accelerate", "decelerate"):
        said = Action("check", None, {"vehicle": "Red 1", "cards": [], "way": way})
        refused = [reason.words for reason in match.check(said)]
        assert refused == ([] if way == must else [f"without Whip or Reins cards it must {must}"])
    assert f"to {must}" in words(do(match, "check", ("1", "1"), vehicle="Red 1", cards=[], way=must))


def test_without_dice_to_keep_a_value_is_chosen():
    """ "Roll a single dice and … add or subtract 1"; "you do not make a Speed Check roll"."""
    cases = (({"adjust": True}, ()), ({}, (("Tireless", 2),)), ({}, ()))
    found = []
    for rules, traits in cases:
        match = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(3, 9), 0, 0), **rules)
        state = match.state.with_vehicle("Red 1", checked=False, traits=traits)
        match = match_at(replace(state, phase="check", rolled=False))
        dice = () if traits else ("1",) if rules else ("0", "1", "2")
        do(match, "check", dice, vehicle="Red 1", cards=["Whip 1"], way="accelerate")
        (option,) = options(match, "keep")
        found.append(option.words)
    value, kept = "Take this value to accelerate", "Keep these dice to accelerate"
    assert found == [value, value, kept]


def test_twice_to_the_same_side_facing_a_corner_is_told_as_a_drift():
    """ "May move twice in the same direction … once per Movement phase as a Drift movement"."""
    for way, told in (("LR", ""), ("LL", " with a drift")):
        places = (("Red 1", cell(1, 3), 11, 3), ("Black 1", cell(3, 20), 0, 0))
        match = standing(*places, turn=2, corner_drift=True)
        moved = next(e for e in do(match, "move", vehicle="Red 1", way=way) if e.kind == "moved")
        where = match.state.board.name_of(match.state.vehicle("Red 1").cell)
        assert moved.words == f"Red 1 moves 2 spaces to {where}{told}"
        assert ("Drift Moves" in moved.citation) is bool(told)


def test_each_control_loss_point_is_told_with_what_it_came_from():
    """ "each pair": the last step is for the icons that are left alone, and one point is no *points*."""
    match = standing(("Red 1", cell(1, 2), 0, 4), ("Black 1", cell(3, 9), 0, 0), turn=1)
    state = match.state.with_vehicle("Red 1", cards=(), traits=(), control=1)
    match = match_at(replace(state, agenda=(control_task("Red 1", "a test", heading=0),)))
    dice = dice_of(match.state.vehicle("Red 1"))
    events = do(match, "control", ["Left Spin", "Right Spin", "Slide"][:dice], vehicle="Red 1")
    assert [e.words for e in events if e.kind == "control loss"] == [
        "Red 1: 1 Control Loss point becomes 2 (pairs of Spins)",
        "Red 1: 2 Control Loss points become 3 (Slide)",
    ]


def test_a_control_roll_has_its_line_once_and_one_of_what_the_dice_count_as():
    match = standing(("Red 1", cell(1, 2), 0, 4), ("Black 1", cell(3, 9), 0, 0), turn=1)
    state = match.state.with_vehicle("Red 1", cards=(), traits=())
    match = match_at(replace(state, agenda=(control_task("Red 1", "a test", heading=0),)))
    count = dice_of(match.state.vehicle("Red 1"))
    told = words(do(match, "control", ["Slide", "Left Spin"][:count], vehicle="Red 1")).splitlines()
    assert told.count("Red 1 makes a Control roll (a test)") == 1
    assert f"the dice of Red 1 count as {', '.join(['Slide', 'Left Spin'][:count])}" in told


def test_who_can_pass_after_a_collision_is_told_to_be_not_turned():
    """ "Since the White chariot cannot move past": only then it may change its facing."""
    match = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(1, 3), 0, 0), turn=1)
    task = Task("reface", "Red 1", "Red 1 may be turned past Black 1", PASSING, {"into": "Black 1"})
    events = do(match_at(replace(match.state, agenda=(task,))), "go on")
    assert "Red 1 is not turned past Black 1: its way is free" in words(events)
    assert task.words not in words(events)


def test_a_special_card_that_is_discarded_says_so_where_it_is_offered_and_in_the_log():
    """ "these cards are sometimes discarded and cannot be re-used"."""
    match = standing(("Red 1", cell(1, 2), 0, 4), ("Black 1", cell(3, 9), 0, 0), turn=1)
    card = Card("Ramming Speed", ("whip",), "Ramming Speed")
    match = match_at(match.state.with_vehicle("Red 1", cards=(card,), traits=()))
    (whip,) = (o for o in options(match, "pace") if o.data["face"] == "whip")
    told = {c.value: c.more for c in whip.form.fields["cards"].candidates}
    ramming = "Ramming Speed as Ramming Speed"
    assert told[ramming] == "1 more space, and it may hit a vehicle; discarded when it is played"
    said = words(do(match, "pace", vehicle="Red 1", face="whip", cards=ramming))
    assert "Red 1 plays Ramming Speed: +1 space; Ramming Speed is discarded" in said


@pytest.mark.parametrize(
    ("special", "icons", "told", "vain"),
    [
        ("Yah!", "Slow Slide", "the dice count as Haste, Slide", False),
        ("Yah!", "Haste Slide", "it changes nothing: there is no Slow", True),
        ("Brake", "Slow Slide", "it changes nothing: there is no Haste", True),
    ],
)
def test_a_special_card_after_a_control_roll_says_what_it_makes_of_the_dice(special, icons, told, vain):
    """ "play after any control roll": it may be played where it changes nothing, too."""
    match = standing(("Red 1", cell(1, 2), 0, 4), ("Black 1", cell(3, 9), 0, 0), turn=1)
    card = Card(special, ("whip",), special)
    state = match.state.with_vehicle("Red 1", cards=(card,), traits=())
    task = control_task("Red 1", "a test", heading=0)
    task = replace(task, data={**task.data, "icons": icons.split(), "discards": 0})
    (option,) = options(match_at(replace(state, agenda=(task,))), "special")
    assert (option.more, option.vain) == (told, vain)


@pytest.mark.parametrize("holds", [True, False])
def test_who_is_hit_before_it_moved_moves_as_far_as_its_new_speed_says(holds):
    """ "A vehicle must move the set number of spaces … by its current Speed rating": with no card, too."""
    places = (("Red 1", cell(1, 3), 0, 6), ("Black 1", cell(1, 5), 0, 0), ("Blue 1", cell(3, 20), 6, 0))
    state = standing(*places, deliberate=True).state
    for name in ("Black 1", "Blue 1"):
        state = state if holds else state.with_vehicle(name, cards=())
    match = match_at(state)
    do(match, "go on")
    events = do(match, "move", "0" * 12, vehicle="Red 1", way="FF")
    assert "Black 1 changes its Speed by +3" in words(events)
    turn = match.state.turn
    assert (turn.vehicle, turn.left) == ("Black 1", CHARIOT.spaces(2, 3))


def turned_behind(damage):
    """Red has turned left and owes its Control roll; Black stands where it would slide."""
    places = (("Red 1", cell(1, 3), 0, 4), ("Black 1", cell(1, 5), 0, 4), ("Blue 1", cell(3, 20), 6, 0))
    state = standing(*places, turn=1).state.with_vehicle("Red 1", cards=(), traits=(), damage=damage)
    match = match_at(state.with_vehicle("Black 1", cards=(), traits=()))
    do(match, "move", vehicle="Red 1", way="F", turn="left")
    return match


def test_who_is_wiped_out_by_a_slide_after_a_turn_rolls_on_the_way_it_went_before_the_turn():
    """ "use the direction it was travelling before any change of direction causing the Control roll"."""
    match = turned_behind(CHARIOT.damage - 1)
    dice = dice_of(match.state.vehicle("Red 1"))
    events = do(match, "control", ["Slide"] * dice + ["3", "0"], vehicle="Red 1")
    assert "Red 1 collides with Black 1: Rear-End" in words(events)
    assert "Red 1 is wiped out" in words(events)
    red = match.state.vehicle("Red 1")
    assert (red.facing, red.heading) == (1, 0)


def test_who_is_wiped_out_by_what_the_damage_of_a_turn_does_rolls_on_the_way_it_went_before_it():
    """ "As a consequence of a Control roll": also where a Damage effect makes the last roll of it."""
    own = replace(CHARIOT, damage=2, effects=((1, Effect("damage", 1)),), control=(0, 0, 0, 1, 1, 1, 1))
    state = turned_behind(0).state.with_vehicle("Red 1", built=own)
    events = do(match_at(state), "control", ["Damage", "3", "3"], vehicle="Red 1")
    assert "Red 1 makes a Damage roll with 1 die (1 Damage)" in words(events)
    (wiped,) = (e.data for e in events if e.kind == "wiped out")
    assert wiped["heading"] == 0


def test_whoever_is_hit_rolls_on_as_it_was_heading_not_as_whoever_hit_it():
    """ "move it one space in the direction it was heading when it was destroyed"."""
    places = (("Red 1", cell(1, 3), 0, 4), ("Black 1", cell(1, 4), 4, 1), ("Blue 1", cell(3, 20), 6, 0))
    state = standing(*places).state.with_vehicle("Black 1", cards=(), traits=(), damage=CHARIOT.damage - 1)
    task = control_task("Black 1", "T-collision", heading=0, against="Red 1")
    match = match_at(replace(state.with_vehicle("Black 1", control=1), agenda=(task,)))
    events = do(match, "control", ["Damage", "3"], vehicle="Black 1")
    assert "Black 1 is wiped out" in words(events)
    assert match.state.vehicle("Black 1").heading == 4


def test_the_first_across_the_line_has_won_whatever_it_runs_into_then():
    """ "The first to cross a predesignated finish line … is declared the winner"."""
    crate = Obstacle("Crate 1", "fragile", cell(1, 4))
    places = (("Red 1", cell(1, 2), 0, 4), ("Black 1", cell(1, 5), 0, 4))
    state = standing(*places, turn=3, obstacles=[crate], deliberate=True).state
    state = state.with_vehicle("Red 1", damage=CHARIOT.damage - 1, travelled=0.99, cards=())
    match = match_at(state.with_vehicle("Black 1", travelled=0.999))
    events = do(match, "move", vehicle="Red 1", way="FFF")
    assert "Red wins: first across the finish line" in words(events)
    assert (match.state.over, match.state.winner) == (True, "Red")
    # Whoever it pushes across in front of it comes second.
    match = match_at(replace(state.with_vehicle("Black 1", travelled=0.999, cards=()), obstacles=()))
    assert "Red wins" in words(do(match, "move", vehicle="Red 1", way="FFF"))


def test_wrecks_roll_on_in_the_order_in_which_vehicles_move():
    """ "The vehicle in front moves before others": as they were seated it was in the way of the other."""
    places = (("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(1, 3), 0, 3), ("Blue 1", cell(3, 9), 0, 0))
    state = standing(*places, ("Gold 1", cell(2, 9), 0, 0)).state
    for name in ("Red 1", "Black 1"):
        state = state.with_vehicle(name, wreck=True, rolling=True, checked=False)
    state = state.with_vehicle("Blue 1", cards=(), traits=(), checked=False)
    match = match_at(replace(state, phase="check", rolled=False))
    do(match, "check", "00", vehicle="Blue 1")
    red, black = match.state.vehicle("Red 1"), match.state.vehicle("Black 1")
    assert (red.cell, black.cell) == (cell(1, 3), cell(1, 4))
    assert red.rolling


def test_debris_on_the_way_takes_the_point_that_straight_movement_gives_back():
    """ "Become involved in a collision": with a Fragile Obstacle, too, also where it does no damage."""
    for there, control in (((), 2), ((Obstacle("Crate 1", "fragile", cell(1, 4)),), 3)):
        match = standing(("Red 1", cell(1, 3), 0, 1), ("Black 1", cell(3, 9), 0, 0), turn=1, obstacles=there)
        match = match_at(match.state.with_vehicle("Red 1", control=3))
        do(match, "move", "0" * len(there), vehicle="Red 1", way="F")
        do(match, "steer", vehicle="Red 1", turn="straight")
        assert match.state.vehicle("Red 1").control == control


def test_a_runner_starts_also_where_whose_dice_it_is_are_wiped_out_as_the_round_begins():
    """ "'Runners' as moving 'obstacles'": one more each round, whatever becomes of a vehicle."""
    own = replace(CHARIOT, effects=((1, Effect("damage a round", 1)),))
    places = (("Red 1", cell(1, 3), 0, 0), ("Black 1", cell(1, 6), 0, 0), ("Gold 1", cell(2, 8), 0, 0))
    state = standing(*places, step=4, race="Scoring", runners=1).state
    for name in ("Red 1", "Black 1", "Gold 1"):
        state = state.with_vehicle(name, moved=True, cards=())
    state = state.with_vehicle("Red 1", built=own, damage=own.damage - 1, applied=(1,))
    match = match_at(state)
    events = do(match, "go on", (3, 1, "3"))
    assert "Red 1 is wiped out" in words(events)
    assert match.state.runners == 1


@pytest.mark.parametrize(("where", "asked"), [("spent", True), ("gone", False)])
def test_determination_is_asked_for_where_there_is_a_card_to_recover(where, asked):
    """ "Play at the end of the Round to recover all cards in your Spent box"."""
    state = standing(("Red 1", cell(1, 3), 0, 0), ("Black 1", cell(1, 6), 0, 0), step=4).state
    cards = (Card("Determination", ("whip",), "Determination"), Card("Cool", ("reins",), "Cool", where))
    state = state.with_vehicle("Red 1", moved=True, cards=cards).with_vehicle("Black 1", moved=True, cards=())
    match = match_at(state)
    do(match, "go on")
    assert bool(options(match, "recover")) is asked


def test_who_gave_up_with_the_most_points_wins_no_scoring_race():
    """ "The vehicle that has scored the most points at the end of the race"."""
    places = (("Red 1", cell(1, 3), 0, 0), ("Black 1", cell(1, 6), 0, 0), ("Gold 1", cell(2, 8), 0, 0))
    state = standing(*places, step=4, race="Scoring", rounds=2).state.with_vehicle("Red 1", points=20)
    for name in ("Red 1", "Black 1", "Gold 1"):
        state = state.with_vehicle(name, moved=True, cards=())
    match = match_at(state)
    match.concede("Red")
    assert (match.state.over, match.state.winner) == (True, "Black")
    assert match.log[-1].words == "Black wins: after 2 rounds (Black 5, Gold 3)"


def hunting(red, *, damage=0, obstacles=()):
    """Red and Gold hunt Black, who is the Fox; Red is so far behind it on the lap."""
    places = (("Red 1", cell(1, 3), 0, 4), ("Black 1", cell(1, 6), 0, 0), ("Gold 1", cell(3, 20), 6, 0))
    state = standing(*places, turn=2, obstacles=obstacles, race="Fox and Hounds").state
    state = state.with_vehicle("Black 1", travelled=1.2, start=0.25, cards=(), damage=damage)
    state = state.with_vehicle("Red 1", travelled=red).with_vehicle("Gold 1", travelled=0.9)
    return match_at(replace(state, fox="Black 1"))


def test_the_first_hound_to_catch_up_has_won_whatever_it_meets_there():
    """ "The first 'Hound' to catch up with … the 'Fox' is declared the winner"."""
    mud = Obstacle("Hazard 1", "hazard", cell(1, 5))
    events = do(hunting(1.15, obstacles=[mud]), "move", vehicle="Red 1", way="FF")
    assert events[-1].words == "Red wins: Red 1 has caught up with Black 1"


def test_the_hound_that_destroys_the_fox_has_won_also_where_another_is_nearer():
    """ "Or alternatively, destroy, the 'Fox'": a Fox that has all but lapped a Hound stands beside it."""
    match = hunting(0.2, damage=CHARIOT.damage - 1)
    match = match_at(match.state.with_vehicle("Black 1", cell=cell(2, 3)))
    do(match, "attack", vehicle="Red 1", target="Black 1", sort="vehicle")
    sealed = Action("clash", "Red", {"cards": ["Reins 1"]})
    events, _ = match.seal(sealed, "one", None, TypedDice(("3", "3", "0", *"3" * 9)))
    assert events[-1].words == "Red wins: Red 1 has destroyed Black 1"
    # Where no Hound has, it is the nearest one, which is a choice of ours.
    match = hunting(0.2, damage=CHARIOT.damage - 1)
    match = match_at(replace(match.state, agenda=(damage_task("Black 1", 1, "Damage / Round"),)))
    last = do(match, "go on", "3")[-1]
    assert last.words == "Gold wins: Black 1 is out of the race, and Gold 1 was the nearest Hound"
    assert last.citation.startswith("house default")


def round_to_the_line(circuit, laps):
    """Red 1 has come round along the middle lane, to the hex before the finish line, and moves a space."""
    match = begun(circuit=circuit, laps=laps)
    do(match, "start", (5, 2))
    state, board = match.state, match.state.board
    lane, line = board.middle, match.state.track.finish
    begins = lane[line - 5]
    red = replace(
        state.vehicle("Red 1"),
        cell=begins,
        travelled=wrapped(board.progress(begins) - board.progress(lane[line])),
    )
    for k in range(line - 4, line + len(lane) * laps):
        there = lane[k % len(lane)]
        red = replace(red, travelled=stepped(state, red, there), cell=there)
    state = state.with_vehicle(
        "Red 1", cell=red.cell, travelled=red.travelled, facing=board.travel(red.cell), speed=3, checked=True
    )
    state = state.with_vehicle("Black 1", checked=True)
    state = replace(state, round=2, phase="move", step=2, rolled=True, obstacles=(), turn=Turn("Red 1", 1))
    return match_at(state), lane[line]


@pytest.mark.parametrize("circuit", [c.id for c in CIRCUITS])
@pytest.mark.parametrize("laps", [1, 2, 3])
def test_who_comes_to_the_finish_line_exactly_is_across_it(circuit, laps):
    """ "The first to cross … after completing a pre-determined number of laps", to the very hex."""
    match, line = round_to_the_line(circuit, laps)
    assert not match.state.over
    (move,) = options(match, "move")
    name = match.state.board.name_of(line)
    way = next(c.value for c in move.form.fields["way"].candidates if c.more == name)
    do(match, "move", vehicle="Red 1", way=way)
    assert abs(match.state.vehicle("Red 1").travelled - laps) < 1e-6
    assert (match.state.over, match.state.winner) == (True, "Red")


@pytest.mark.parametrize("circuit", [c.id for c in CIRCUITS])
def test_four_spaces_are_four_spaces_wherever_on_the_track(circuit):
    """ "If they are 4 or more spaces in front of the closest following vehicle", and so behind."""
    match = begun(circuit=circuit)
    do(match, "start", (5, 2))
    state, board = match.state, match.state.board
    lane = board.middle
    for apart, held in ((4, True), (3, False)):
        for k in range(len(lane)):
            there = state.with_vehicle("Black 1", cell=lane[k], travelled=board.progress(lane[k]))
            red, travelled = there.vehicle("Black 1"), board.progress(lane[k])
            for step in range(1, apart + 1):
                cell = lane[(k + step) % len(lane)]
                travelled = stepped(there, red, cell)
                red = replace(red, cell=cell, travelled=travelled)
            there = there.with_vehicle("Red 1", cell=red.cell, travelled=travelled)
            assert bool(held_back(there, there.vehicle("Red 1"))) is held, k
            assert extra_dice(there, there.vehicle("Black 1"), accelerates=True) == int(held), k


def test_who_comes_level_on_the_other_side_of_the_track_has_caught_up():
    """ "The first vehicle to catch up with the other"; to come level is that (house default)."""
    match = begun(race="Pursuit", circuit="oval")
    do(match, "start", (5, 2))
    state, board = match.state, match.state.board
    inner, outer = board.lanes[0], board.lanes[-1]
    pairs = [
        (i, o) for i in inner for o in outer if abs(wrapped(board.progress(i) - board.progress(o))) < 1e-9
    ]
    for one, other in pairs:
        there = state
        for name, at in (("Red 1", one), ("Black 1", other)):
            v = there.vehicle(name)
            on = (board.progress(at) - board.progress(v.cell)) % 1.0 + (name == "Red 1")
            there = there.with_vehicle(name, cell=at, travelled=v.travelled + on)
        red, black = there.vehicle("Red 1"), there.vehicle("Black 1")
        ahead = (black.start - red.start) % 1.0 - (red.travelled - red.start - black.travelled + black.start)
        there = there.with_vehicle("Red 1", travelled=red.travelled + round(ahead))
        assert victory(GAME.play(EVENTS, there, Seen(), TypedDice(())))


@pytest.mark.parametrize(("traits", "shame", "dice"), [((), True, "03"), ((("Long Legs", 2),), False, "032")])
def test_with_the_alternative_speed_check_further_dice_are_rolled_and_one_is_kept(traits, shame, dice):
    """ "Roll a single dice" in place of one for each card; who is far behind rolls "an additional dice"."""
    match = standing(("Red 1", cell(1, 2), 0, 2), ("Black 1", cell(1, 9), 0, 2), adjust=True, shame=shame)
    state = match.state.with_vehicle("Red 1", checked=False, traits=traits, travelled=-0.2)
    match = match_at(replace(state, phase="check", step=0))
    do(match, "check", dice, vehicle="Red 1", cards=["Whip 1"], way="accelerate")
    (option,) = options(match, "keep")
    values = {min(max(int(die) + by, 0), 9) for die in dice for by in (-1, 0, 1)}
    assert [c.value for c in option.form.fields["value"].candidates] == sorted(values)


def test_the_licence_shows_what_damage_has_done_to_it():
    """ "Lose 'Named' Trait", "Maximum Speed #", "Random"; and "possible to have multiple affects at once"."""
    effects = (
        (1, Effect("lose trait", 0, "Driver")), (1, Effect("top", 3)), (2, Effect("random")),
        (3, Effect("control", 1)), (3, Effect("safe")),
    )  # fmt: skip
    state = standing(("Red 1", cell(1, 2), 0, 2), ("Black 1", cell(1, 9), 0, 2)).state
    built = replace(CHARIOT, effects=effects)
    state = state.with_vehicle("Red 1", built=built, traits=(("Driver", 1), ("Blades", 2)), box=1)
    state = replace(state, agenda=(damage_task("Red 1", 2, "a test"),))
    match = match_at(state)
    do(match, "go on", ("3", "3", "Slow"))
    sheet = next(s for s in GAME.sheets(match.state, Viewer()) if s.piece == "Red 1")
    said = {w.words: w for w in sheet.widgets if hasattr(w, "words")}
    assert said["Traits"].text == "Driver 1 (lost), Blades 2"
    assert said["Speed"].more.startswith(f"{built.acceleration[3]} boxes below the maximum")
    (damage,) = (w for w in sheet.widgets if getattr(w, "words", "").startswith("Damage, "))
    told = [box.words for box in damage.boxes[:3]]
    assert told == ["Lose Driver, Maximum Speed 3", "Slow", "+1 Control Loss Point, −1 Safe Speed"]
    (card,) = (c for c in GAME.cards(match.state) if c.piece == "Red 1")
    assert {line.words: line.text for line in card.lines}["Traits"] == "Driver 1 (lost), Blades 2"
    assert card.edges[0].notes[2] == "Slow"


@pytest.mark.parametrize(("top", "haste", "speed"), [(4, 2, 3), (4, 1, 4), (6, 2, 6)])
def test_haste_beyond_a_maximum_that_damage_has_lowered_over_whips(top, haste, speed):
    """ "Any change that would take the vehicle's Speed above this value is treated as 'Over-Whipping'"."""
    state = standing(("Red 1", cell(1, 2), 0, top), ("Black 1", cell(1, 9), 0, 2)).state
    state = state.with_vehicle("Red 1", built=with_top(top), applied=(1,))
    pace = Task("pace", "Red 1", "Red 1 changes its Speed", "", {"haste": haste, "slow": 0})
    match = match_at(replace(state, agenda=(pace,)))
    events = do(match, "go on")
    assert match.state.vehicle("Red 1").speed == speed
    over = [e.citation.endswith("Over-Whipping") for e in events if "over-whips by 1" in e.words]
    assert over == [True] * (speed < top)


@pytest.mark.parametrize(
    ("more", "may", "rolls"), [("one", False, 0), ("any", True, 0), ("control", True, 1)]
)
def test_facing_a_corner_it_may_drift_as_often_as_facing_a_side(more, may, rolls):
    """ "There are several alternatives, any / all of which may be applied to Drift movement"."""
    places = (("Red 1", cell(1, 3), 11, 4), ("Black 1", cell(3, 20), 0, 0))
    match = standing(*places, turn=3, corner_drift=True, more_drifts=more)
    (move,) = options(match, "move")
    assert ("LLL" in {c.value for c in move.form.fields["way"].candidates}) is may
    events = do(match, "move", vehicle="Red 1", way="LLL" if may else "LLR")
    assert [t.data["heading"] for t in match.state.agenda] == [0] * rolls, "a slide goes the way of the drift"
    assert match.state.turn.drifts == (2 if may else 1)
    moved = [e.words for e in events if e.kind == "moved"]
    assert moved[-1].endswith(" with a drift" if more == "control" else " with 2 drifts") is may


def test_a_control_roll_without_a_die_is_not_told_as_made():
    """ "At a 'Safe' Speed rating then only roll a number of Control dice equal to the … Control points"."""
    match = standing(
        ("Red 1", cell(1, 3), 0, 1), ("Black 1", cell(3, 20), 0, 0), turn=2, more_drifts="control"
    )
    events = do(match, "move", vehicle="Red 1", way="LR")
    told = [e.words for e in events if e.kind == "resolved"]
    assert told == ["Red 1 has no die to roll for control (a further drift)"]


@pytest.mark.parametrize("race", ["Toughest", "Pursuit"])
def test_of_level_ones_nobody_can_take_the_most_nor_has_gained_most(race):
    """After the last round (house default): who started in front of the other is no better for it."""
    match = begun(race=race, rounds=3)
    do(match, "start", (5, 2))
    for gained, winner in ((0.0, None), (0.1, "Black")):
        state = match.state
        for name in ("Red 1", "Black 1"):
            v, more = state.vehicle(name), gained if name == "Black 1" else 0.0
            hurt = 1 if race == "Toughest" and gained and name == "Red 1" else 0
            state = state.with_vehicle(name, travelled=v.start + 0.3 + more, damage=hurt)
        play = GAME.play(EVENTS, state, Seen(), TypedDice(()))
        end_by_rounds(play)
        assert (play.state.over, play.state.winner) == (True, winner)
        assert play.events[-1].words.startswith("Black wins: it " if winner else "Nobody wins: ")


@pytest.mark.parametrize(
    ("race", "words"), [("Furthest", "left alone"), ("Toughest", "the last one in the race")]
)
def test_a_team_that_is_left_alone_wins_as_a_team(race, words):
    """ "Two or more players are on the same 'Team'; the overall winners then being the team"."""
    teams = {"Red": "Oxen", "Black": "Oxen", "Gold": "Elks"}
    match = begun(*(vehicle(f"{who} 1", team=team) for who, team in teams.items()), race=race)
    do(match, "start", (5, 4, 2))
    events = match.concede("Gold")
    assert events[-1].words == f"team Oxen wins: {words}"
    assert match.game.status(match.state, Viewer()).who == "Team Oxen wins"


def test_a_team_is_one_however_each_of_it_spells_it():
    teams = {"Red": "Oxen", "Black": "oxen ", "Gold": "Elks"}
    pieces = [vehicle(f"{who} 1", team=team) for who, team in teams.items()]
    state = begun(*pieces).state
    assert [v.team for v in state.vehicles] == ["Oxen", "Oxen", "Elks"]
    assert state.allied(*state.vehicles[:2])
    (wrong,) = set_up({"players": ["Red", "Black"], "pieces": pieces[:2]}).not_yet
    assert wrong.words == "all vehicles are of one team"


@pytest.mark.parametrize(("trait", "way"), [("Tireless", "accelerate"), ("Anchor", "decelerate")])
def test_what_adds_to_a_roll_adds_nothing_where_none_is_made(trait, way):
    """ "You do not make a Speed Check roll"; "added … to all Speed Check values rolled"."""
    state = standing(("Red 1", cell(1, 2), 0, 3), ("Black 1", cell(1, 9), 0, 3)).state
    effects = ((1, Effect("accelerating", -1)), (2, Effect("decelerating", -1)))
    state = state.with_vehicle(
        "Red 1", built=replace(CHARIOT, effects=effects), applied=(1, 2), checked=False
    )
    state = state.with_vehicle("Red 1", traits=((trait, 2), ("Hyperactive", 2), ("Lazy", 2)))
    match = match_at(replace(state, phase="check", step=0))
    do(match, "check", vehicle="Red 1", cards=["Whip 1"], way=way)
    for value in (0, 1, 2):
        other = match_at(match.state)
        events = do(other, "keep", vehicle="Red 1", value=value)
        assert (f"{way}s by {value} box" in words(events)) is bool(value)
        assert events[0].words == "Red 1 chooses the value of its Speed check"
