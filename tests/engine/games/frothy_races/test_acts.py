"""Traits, jumps and runners; jams against an oracle written from the book alone; old records; cards."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from engine.errors import TableRefError
from engine.game.dice import NeedDice, TypedDice, rolls_of
from engine.game.events import Action, Illegal
from engine.game.match import Match
from engine.game.showing import Edge, PlayCard
from engine.games.frothy_races.acts.attacking import sneaks
from engine.games.frothy_races.acts.beginning import RUNNERS, across, start_speed, track_now
from engine.games.frothy_races.acts.moving import may_whip
from engine.games.frothy_races.book.building import OWN, PLAIN, TRAITS, build
from engine.games.frothy_races.book.circuits import CIRCUITS, Circuit
from engine.games.frothy_races.book.data import (
    CHARIOT,
    LICENCES,
    RANDOM,
    Effect,
    Marker,
    accelerated,
    cite,
    decelerated,
)
from engine.games.frothy_races.game import GAME
from engine.games.frothy_races.page.sheets import cards, previews
from engine.games.frothy_races.rules.damage import damage_task
from engine.games.frothy_races.rules.moves import beside as beside_runners
from engine.games.frothy_races.rules.moves import control_task, jumps
from engine.games.frothy_races.state import EVENTS, Card, Obstacle
from tests.engine.games.frothy_races import oracle
from tests.engine.games.frothy_races.builds import builds
from tests.engine.games.frothy_races.jams import disagreements, jam
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
    do(match, "attack", vehicle="Red 1", target="Black 1", sort=sort)
    clashed(match, "000", ("Red", ["Reins 1" if sort == "vehicle" else "Whip 1"]), ("Black", []))
    damage = "00000" if sort == "vehicle" else ""
    events = do(match, "reroll", f"3{damage}", vehicle="Red 1", again=[1])
    assert "Attack Values: Red 1 has 3, Black 1 0" in words(events)


# A Chariot has a Cat O' Nine, a die more in a personal attack, and Blades in one of vehicles.
@pytest.mark.parametrize(
    ("trait", "sort", "card", "dice", "damage", "blades"),
    [("Evasive", "vehicle", "Reins 1", "000", "000", 1), ("Guarded", "personal", "Whip 1", "0000", "", 0)],
)
def test_a_target_rolls_again(trait, sort, card, dice, damage, blades):
    match = standing(("Black 1", cell(2, 2), 0, 3), ("Red 1", cell(1, 2), 0, 3), turn=2)
    match = match_at(match.state.with_vehicle("Red 1", traits=((trait, 1),)))
    do(match, "attack", vehicle="Black 1", target="Red 1", sort=sort)
    clashed(match, dice, ("Black", [card]), ("Red", []))
    assert match.state.agenda[0].vehicle == "Red 1"
    events = do(match, "reroll", f"2{damage}", vehicle="Red 1", again=[1])
    assert f"Attack Values: Black 1 has {blades}, Red 1 2" in words(events)


def test_lucky_rolls_two_dice_of_any_roll_again_and_is_discarded():
    state = replace(beside(specials=("Lucky",)), agenda=(damage_task("Red 1", 3, "a test"),))
    match = match_at(state)
    do(match, "go on", "333")
    events = do(match, "reroll", "00", vehicle="Red 1", again=[1, 2])
    assert "sustains 1 damage" in words(events)
    assert next(c.where for c in match.state.vehicle("Red 1").cards if c.name == "Lucky") == "gone"


def test_a_damage_roll_is_typed_by_what_counts_and_tells_no_face_that_nobody_said():
    state = replace(beside(specials=("Lucky",)), agenda=(damage_task("Red 1", 4, "a test"),))
    match = match_at(state.with_vehicle("Red 1", speed=0))
    with pytest.raises(NeedDice) as need:
        do(match, "go on")
    assert {want.counts for want in need.value.wanted} == {("0 or 1",) * 2 + ("2 or 3",) * 4}
    do(match, "go on", ["2 or 3", "0 or 1", "3", "2 OR 3"])
    assert match.state.agenda[0].data["dice"] == ["2 or 3", "0 or 1", "3", "2 or 3"]
    events = do(match, "reroll", ["0 or 1", "1"], vehicle="Red 1", again=[1, 4])
    assert "sustains 1 damage" in words(events)
    rolls = rolls_of(match.log)
    assert [(roll.value, roll.face) for roll in rolls][:3] == [(0, "2 or 3"), (0, "0 or 1"), (5, "3")]
    assert Match.again(GAME, match.log).state == match.state, "the same dice, ruled again"
    with pytest.raises(TableRefError, match="shows 0, 1, 2, 2, 3, 3, but '1 or 2' was typed"):
        do(match_at(state), "go on", ["1 or 2"] * 4)


def test_a_slide_of_several_spaces_is_headed_by_where_it_ends():
    state = standing(("Red 1", cell(1, 2), 0, 4), ("Black 1", cell(3, 9), 0, 3), turn=1).state
    state = state.with_vehicle("Red 1", cards=(), traits=(("Slippery", 1),))
    match = match_at(replace(state, agenda=(control_task("Red 1", "a test", heading=0),)))
    events = do(match, "control", ["Slide", "Slide"], vehicle="Red 1")
    slid = [e for e in events if e.kind == "slid"]
    assert [e.tone for e in slid] == ["plain", "bad"]
    assert tuple(slid[-1].data["cell"]) == match.state.vehicle("Red 1").cell


def test_who_ties_for_a_place_hears_why_it_is_rolled_again():
    match = begun(*(vehicle(f"{name} 1") for name in ("Red", "Blue", "Gold")))
    do(match, "start", [5, 5, 2, 6, 1])
    whys = [roll.why for roll in rolls_of(match.log)]
    assert whys == ["place on the starting grid"] * 3 + ["place on the starting grid again, 5 each"] * 2


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


@pytest.mark.parametrize("moved", [False, True])
def test_a_sneaky_attacker_who_loses_control_loses_the_movement_of_the_phase(moved):
    """ "As a consequence of any attack you initiated, then you lose any further movement"."""
    match = standing(("Black 1", cell(2, 2), 0, 3), ("Red 1", cell(1, 2), 0, 3), turn=2)
    state = match.state.with_vehicle("Red 1", traits=(("Sneaky", 1),), moved=moved)
    match = match_at(state.with_vehicle("Black 1", cards=()))
    do(match, "attack", vehicle="Red 1", target="Black 1", sort="personal")
    match.seal(Action("clash", "Red", {"cards": ["Whip 1"]}), "one", None, TypedDice(("0", "0", "3")))
    events = do(match, "control", ["Haste"] * 4, vehicle="Red 1")
    events = [*events, *do(match, "discard", vehicle="Red 1")] if match.state.agenda else events
    assert ("Red 1 loses its movement" in words(events)) is not moved
    do(match, "move", vehicle="Black 1", way="FF", turn="straight")
    assert match.state.step == 3, "the phase is over"


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
    assert f"Attack Values: Red 1 has {values[0]}, Black 1 {values[1]}" in words(events)


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


def test_a_rolling_start_at_the_same_number_of_spaces_and_points_by_hand():
    pieces = [vehicle("Red 1"), vehicle("Black 1", "War Beast", slower=1)]
    state = begun(*pieces, rolling=True, start_by="spaces").state
    assert [start_speed(state, v) for v in state.vehicles] == [3, 1]
    assert CHARIOT.totals[3] == 6
    state = begun(race="Scoring", circuit="oval", worths=[4]).state
    assert [o.worth for o in state.obstacles if o.sort == "fragile"] == [4, 2]
    assert replace(state.rules, worths=()).for_obstacle == 2


def test_the_guide_refuses_with_every_reason():
    wrong = {
        "whip": 0, "reins": 1, "dual": 0, "specials": [], "traits": list(PLAIN[:5]),
        "move_1": [1, 9, 0, 0, 0, 0, 9], "control": [1, 0, 0, 0, 0, 0, 0], "effects": ["Haste"],
        "levels": [9],
    }  # fmt: skip
    said = "; ".join(build(wrong)[1])
    assert "levels 1 to 5" in said
    for part in ("1 card: expected 4", "5 traits", "at Speed 0", "in a movement phase", "Safe Speed"):
        assert part in said, part
    with pytest.raises(TableRefError, match="5 traits"):
        begun({**vehicle("Red 1", OWN), "traits": list(PLAIN[:5])}, vehicle("Black 1"))


def test_builds_have_every_trait_and_are_raced_with():
    assert {t for one in builds() for t in one["traits"]} == set(TRAITS)
    assert all(build(one)[1] == () for one in builds())
    v = begun({**vehicle("Red 1", OWN), **builds()[0]}, vehicle("Black 1")).state.vehicle("Red 1")
    assert v.licence.damage == 8
    assert dict(v.traits) == dict.fromkeys(builds()[0]["traits"], 1)


HAZARD = Obstacle("Hazard 1", "hazard", cell(1, 3))


def jumping(*obstacles, speed=3, turn=3, traits=(), **rules):
    """Red 1 before obstacles, with `turn` spaces straight on."""
    there = (("Red 1", cell(1, 2), 0, speed), ("Black 1", cell(3, 9), 0, 1))
    match = standing(*there, turn=turn, obstacles=obstacles, **{"jumps": True} | rules)
    return match_at(match.state.with_vehicle("Red 1", traits=tuple((t, 1) for t in traits)))


def kinds(match):
    return {o.kind for o in match.options()}


def test_a_jump_clears_a_hazard_for_a_card_then_rolls_for_control_and_damage():
    match = jumping(HAZARD)
    events = do(match, "jump", vehicle="Red 1", cards="Reins 1")
    assert events[-1].citation == cite("Movement", "Jumps")
    assert {w.sides for w in jumps(match.state, match.state.vehicle("Red 1"), 1, 3)} == {"JFF"}
    do(match, "move", vehicle="Red 1", way="JFF")
    landed = match.state
    assert "a jump" in landed.agenda[0].words
    assert landed.vehicle("Red 1").cell == cell(1, 4), "it stops where it lands"
    assert landed.vehicle("Red 1").control == 0, "the hazard costs nothing"
    # Speed 3: one die for control; half of it, rounded up, for damage.
    events = do(match, "control", ["Slow", "0", "3"], vehicle="Red 1")
    assert "2 dice (a jump)" in words(events)
    assert match.state.vehicle("Red 1").damage == 1
    assert match.state.turn.left == 1
    assert "jump" not in kinds(match), "once in a turn"
    # Damage icons and the jump are one roll; at a safe Speed without points only damage is rolled.
    events = do(match_at(landed), "control", ["Damage", "0", "0", "0"], vehicle="Red 1")
    assert "3 dice (Control roll and jump)" in words(events)
    match = jumping(HAZARD, speed=2, turn=2)
    do(match, "jump", vehicle="Red 1", cards="Whip 1")
    assert "1 die (a jump)" in words(do(match, "move", ["0"], vehicle="Red 1", way="JF"))


def test_only_what_is_low_and_not_the_last_space_is_jumped():
    wall = Obstacle("Solid Obstacle 1", "solid", cell(1, 3))
    debris = Obstacle("Debris 1", "fragile", cell(1, 5))
    assert "jump" not in kinds(jumping(wall))
    assert "jump" not in kinds(jumping(debris, turn=3)), "the last space is not jumped"
    assert "jump" in kinds(jumping(debris, turn=4))
    assert "jump" not in kinds(jumping(HAZARD, jumps=False))
    assert "jump" not in kinds(jumping())
    wreck = jumping().state.with_vehicle("Black 1", cell=cell(1, 3), wreck=True)
    assert "jump" in kinds(match_at(wreck))
    assert "jump" not in kinds(match_at(wreck.with_vehicle("Black 1", wreck=False)))


def test_leap_clears_two_spaces_and_whitey_none():
    two = (HAZARD, Obstacle("Hazard 2", "hazard", cell(1, 4)))
    match = jumping(*two, traits=("Leap",))
    do(match, "jump", vehicle="Red 1", cards="Reins 1")
    ways = {w.sides for w in jumps(match.state, match.state.vehicle("Red 1"), 2, 3)}
    assert ways == {"JFF", "FJF", "JJF"}
    match = jumping(*two, traits=("Whitey",))
    assert "jump" not in kinds(match)
    with pytest.raises(Illegal):
        do(match, "jump", vehicle="Red 1", cards="Reins 1")


def test_a_runner_starts_at_the_side_crosses_and_scores():
    match = begun(
        vehicle("Red 1"), vehicle("Black 1"), race="Scoring", circuit="oval", runners=1, for_runner=4
    )
    events = do(match, "start", (5, 2, 4, 1))
    (one,) = [o for o in match.state.obstacles if o.heading is not None]
    assert next(e for e in events if e.kind == "laid").citation == RUNNERS
    board = match.state.board
    assert board.lane_of(one.cell) == 0
    assert one.worth == 4
    for name in ("Red 1", "Black 1"):
        do(match, "check", "00", vehicle=name)
    lanes = [e.data["cell"] for e in match.log if e.kind == "ran"]
    assert [board.lane_of(tuple(c)) for c in lanes] == [1], "a space a movement phase"


def test_a_runner_waits_for_a_vehicle_and_is_run_over_for_points():
    runner = Obstacle("Runner 1", "fragile", cell(1, 3), 1, 4, 2)
    match = jumping(runner, turn=1, race="Scoring", jumps=False)
    events = do(match, "move", ["0", "0"], vehicle="Red 1", way="F")
    assert "scores 4 for Runner 1" in words(events)
    assert match.state.obstacles == ()


@pytest.mark.parametrize("circuit", CIRCUITS, ids=lambda c: c.id)
def test_a_runner_finds_the_next_lane_from_every_hex(circuit: Circuit) -> None:
    state = begun(circuit=circuit.id).state
    state = replace(state, track=track_now(state, None))
    board = state.board
    found = 0
    for inside, step in ((True, 1), (False, -1)):
        for at in board.cells:
            lane = board.lane_of(at) + step
            if 0 <= lane < len(board.lanes):
                way = across(state, at, inside=inside)
                assert board.lane_of(beside_runners(at, way)) == lane, (at, inside)
                found += 1
    assert found == 2 * len(board.cells) - len(board.lanes[0]) - len(board.lanes[-1])


ROW = {(q, 0): float(q) for q in range(9)}


def test_game_and_oracle_agree_on_random_jams():
    met = Counter()
    for seed in range(400):
        one = jam(seed)
        met[oracle.legal(one.course, one.racers, one.mover, one.spaces)[0]] += 1
        assert list(disagreements(one)) == []
    assert all(met[kind] > 20 for kind in ("free", "reins", "forced"))


def test_who_is_lapped_but_in_the_way_moves_first():
    for seed in range(100):
        one = jam(seed)
        laps = {v.name: int(v.travelled) for v in one.state.vehicles}
        order = oracle.order(one.course, one.racers)
        speeds = {r.name: r.speed for r in one.racers}
        if any(speeds[a] == speeds[b] and laps[a] < laps[b] for a, b in pairwise(order)):
            assert list(disagreements(one)) == []
            return
    pytest.fail("no jam has one that is lapped in front")


@pytest.mark.parametrize(
    ("degrees", "at", "speeds", "kind", "dice", "after"),
    [
        (180, (1, 0), (5, 3), "Head-On", (8, 8), (2, 1)),
        (60, (1, 0), (5, 1), "T-collision", (5, 5), (2, 1)),
        (0, (1, 0), (6, 1), "Rear-End", (5, 5), (3, 4)),
        (0, (1, 0), (2, 4), "Rear-End", (1, 1), (1, 4)),
    ],
)
def test_the_oracle_knows_the_examples_of_the_book(degrees, at, speeds, kind, dice, after):
    moving = oracle.Racer("White", (0, 0), 0, speeds[0])
    assert oracle.collision(moving, oracle.Racer("Red", at, degrees, speeds[1])) == (kind, dice, after)
    assert oracle.collision(moving, None)[0] == "Solid Obstacle"


def test_the_oracle_knows_where_a_vehicle_may_go():
    course = oracle.Course(ROW | {(q, 1): q + 0.5 for q in range(9)}, dict.fromkeys(ROW, 1))
    yellow = oracle.Racer("Yellow", (0, 0), 0, 3)
    black = oracle.Racer("Black", (3, 0), 0, 3)
    how, paths = oracle.legal(course, [yellow, black], "Yellow", 3)
    assert how == "free"
    assert {cells for cells, _ in paths} == {
        ((0, 1), (1, 1), (2, 1)), ((1, 0), (1, 1), (2, 1)), ((1, 0), (2, 0), (2, 1)),
    }  # fmt: skip
    corner = oracle.Racer("Red", (0, 0), 30, 3)
    (path,) = (
        cells
        for cells, into in oracle.paths(course, set(), corner, 2)
        if into is None and len(cells) == 2 and cells[0] == (1, 0)
    )
    assert path == ((1, 0), (1, 1))
    assert oracle.facings_after(0, 1) == {0, 30, 330}
    assert oracle.facings_after(0, 0) == {0}


def test_a_move_from_before_there_were_jumps_is_folded_as_one_without() -> None:
    match = standing(("Red 1", cell(0, 20), 0, 2), ("Black 1", cell(3, 5), 0, 1), turn=1)
    state = match.state
    moved = next(e for e in do(match, "move", vehicle="Red 1") if e.kind == "moved")
    assert moved.data["jumped"] is False
    older = replace(moved, data={k: v for k, v in moved.data.items() if k != "jumped"})
    assert EVENTS.apply(state, older) == EVENTS.apply(state, moved)


def edge(card: PlayCard, side: str) -> Edge:
    (found,) = (one for one in card.edges if one.side == side)
    return found


def card_at(name: str, **fields: int) -> PlayCard:
    state = begun(vehicle("Red 1", name), vehicle("Black 1")).state
    (found, _) = cards(state.with_vehicle("Red 1", **fields))
    return found


def test_the_table_has_every_row_of_the_licence() -> None:
    table = card_at("Steamer").table
    assert table is not None
    assert table.columns == tuple("0123456")
    rows = {row.words: row.cells or row.boxes for row in table.rows}
    lic = LICENCES["Steamer"]
    assert rows["Acceleration"] == lic.acceleration
    assert rows["Deceleration"] == lic.deceleration
    assert rows["Move 2"] == ("0", "1", "1", "2", "1", "3", "6")
    assert rows["Total"] == ("0", "2", "4", "6", "8", "10", "12")
    assert rows["Control dice"] == ("Safe", "Safe", "Safe", "1", "2", "3", "5")
    assert rows["Stamina"] == ("+3", "+2", "+1", "+1", "0", "−2", "−4")


@pytest.mark.parametrize("name", LICENCES)
def test_one_clip_marks_both_boxes_wherever_the_marker_comes_to_stand(name: str) -> None:
    lic = LICENCES[name]
    markers, new = {Marker(0, 0, 0)}, [Marker(0, 0, 0)]
    while new:
        one = new.pop()
        for boxes in range(1, 7):
            for after in (accelerated(lic, one, boxes)[0], decelerated(lic, one, boxes)):
                if after not in markers:
                    markers.add(after)
                    new.append(after)
    assert len(markers) > sum(lic.acceleration) - 1
    for speed, box, brake in markers:
        table = card_at(name, speed=speed, box=box, brake=brake).table
        assert table is not None
        assert table.at is not None
        inside = table.at - speed
        assert box / lic.acceleration[speed] < inside < (box + 1) / lic.acceleration[speed]
        assert brake / lic.deceleration[speed] < inside < (brake + 1) / lic.deceleration[speed]


def test_the_tracks_are_marked_where_the_race_stands() -> None:
    card = card_at("War Beast", damage=3, stamina=8, control=12)
    damage, stamina, control = (edge(card, side) for side in ("left", "right", "bottom"))
    assert damage.steps == tuple("012345")
    assert damage.steps[damage.at] == "3"
    assert damage.notes[2] == "+1 Control / Round"
    assert damage.notes[-1] == "Wipe-Out"
    assert stamina.steps[stamina.at] == "8"
    assert stamina.notes[stamina.at] == "+1 Reins / Speed Check"
    assert control.steps[control.at] == "2"
    assert card.lines[0].text == "2"


def test_what_lies_open_stands_on_the_card_and_no_hand() -> None:
    match = begun()
    v = match.state.vehicle("Red 1")
    spent = (replace(v.cards[0], where="spent"), *v.cards[1:])
    (card, _) = cards(match.state.with_vehicle("Red 1", cards=spent))
    lines = {line.words: line.text for line in card.lines}
    assert (lines["Spent"], lines["Recovery"]) == ("Whip 1", "none")
    assert not any("Whip 2" in text for text in lines.values())
    # What is dealt is shown, and an unknown answer is not.
    pieces = [{"name": "Red 1"}, {"name": "Black 1", "type": OWN, "traits": ["Wings"]}, {"name": "Blue 1"}]
    shown = [(card.piece, card.more) for card in previews({"pieces": pieces})]
    assert shown == [("Red 1", "Chariot"), ("Blue 1", "Steamer")]


def test_a_build_shows_what_it_uses_and_what_is_against_it() -> None:
    said = {"name": "Red 1", "type": OWN, "base": "Racer", "whip": 9, "move_1": [0, 1, 1, 2, 2, 2, 6]}
    (card,) = previews({"pieces": [said]})
    assert [fact.words for fact in card.facts] == ["16 of 12", "3 of 4", "15 of 12", "6 of 6"]
    assert card.wrong[0] == "16 cards: expected 4 to 12"
    assert card.table is not None
    assert {row.words: row.cells for row in card.table.rows}["Move 1"][6] == "6"
    assert edge(card, "bottom").at == 1
