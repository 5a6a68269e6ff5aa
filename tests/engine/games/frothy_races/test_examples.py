"""Every worked example of the book, with its numbers; where the book contradicts itself, the side taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.games.frothy_races.book.data import CHARIOT, NUMBERS, Marker, accelerated, decelerated, rated
from engine.games.frothy_races.rules.control import dice_of, outcome, shares, speed_changes
from engine.games.frothy_races.rules.moves import control_task, initiative
from engine.games.frothy_races.state import Obstacle
from tests.engine.games.frothy_races.playing import GAME, cell, do, match_at, standing


def words(events) -> str:
    return "\n".join(e.words for e in events)


def spend(state, name, keep):
    """A vehicle whose hand holds these cards alone; the others are spent."""
    v = state.vehicle(name)
    cards = tuple(replace(c, where="hand" if c.name in keep else "spent") for c in v.cards)
    return state.with_vehicle(name, cards=cards)


def checking(**changes):
    match = standing(("Red 1", cell(1, 2), 0, 0), ("Black 1", cell(2, 2), 0, 0))
    state = replace(match.state, phase="check", step=0)
    state = state.with_vehicle("Red 1", checked=False, **changes)
    return match_at(state)


def test_speed_check_example():
    match = checking()
    events = do(match, "check", "3210", vehicle="Red 1", cards=["Whip 1", "Reins 1"], way="accelerate")
    (task,) = match.state.agenda
    assert task.data["totals"] == [1, 2, 3], "the 0 stays, with any other"
    for choice in match.options()[0].form.fields["value"].candidates:
        other = match_at(match.state)
        do(other, "keep", value=choice.value, vehicle="Red 1")
        v = other.state.vehicle("Red 1")
        spaces = sum(v.licence.spaces(phase, v.speed) for phase in (1, 2, 3, 4))
        assert choice.leads.startswith(f"Speed {v.speed}, {spaces} space"), "what it says comes true"
        assert choice.leads.endswith("safe") is v.safe
    events = do(match, "keep", value=3, vehicle="Red 1")
    assert "accelerates by 3 boxes, Speed 0 to 2" in words(events)
    assert {c.name for c in match.state.vehicle("Red 1").cards if c.where == "spent"} == {"Whip 1", "Reins 1"}
    assert tuple("012233") == NUMBERS


def test_what_a_speed_check_leads_to_counts_every_die_of_a_turn():
    """ "1 extra dice for every Control Loss point": the choice told the dice of the Speed alone."""
    match = checking(control=2, traits=(("Driver", 1),))
    do(match, "check", "3332", vehicle="Red 1", cards=["Whip 1", "Whip 2"], way="accelerate")
    choice = match.options()[0].form.fields["value"].candidates[-1]
    do(match, "keep", value=choice.value, vehicle="Red 1")
    v = match.state.vehicle("Red 1")
    assert (v.safe, v.control) == (False, 2)
    assert choice.leads.endswith(f"turns take a Control roll with {v.control_dice(v.speed) + 3} dice")
    assert choice.leads.endswith(f"{dice_of(v)} dice"), "as the move says it then"


def test_acceleration_example():
    marker, over = accelerated(CHARIOT, Marker(0, 0, 0), 3)
    assert (marker.speed, over) == (2, 0)
    assert marker.brake == CHARIOT.deceleration[2] - 1, "the right-most box that corresponds"


def test_deceleration_example():
    marker = decelerated(CHARIOT, Marker(4, 1, 0), 3)
    assert (marker.speed, marker.box) == (2, 0), "the left-most box that corresponds"


def test_over_whipping_example():
    marker, over = accelerated(CHARIOT, Marker(5, 1, 1), 4)
    assert (marker.speed, over) == (6, 2)
    back = decelerated(CHARIOT, marker, over)
    assert (back.speed, back.box) == (5, 0)


def test_speed_rating_changes_example():
    assert rated(CHARIOT, Marker(2, 0, 0), 1) == Marker(1, 1, 0)
    assert rated(CHARIOT, Marker(1, 0, 0), 2) == Marker(2, 0, 0)


def jam():
    """Black ahead at Speed 6; Yellow in front of Red, on the inside, and White, all at Speed 5.

    The text tells of phase 2; its moves (none at Speed 6, three at Speed 5) are those of row 3.
    """
    match = standing(
        ("Black 1", cell(1, 6), 0, 6), ("Yellow 1", cell(1, 5), 0, 5), ("Red 1", cell(0, 4), 0, 5),
        ("White 1", cell(1, 4), 0, 5), step=3,
    )  # fmt: skip
    state = match.state
    for name, travelled in (("Black 1", 0.06), ("Yellow 1", 0.04), ("Red 1", 0.02), ("White 1", 0.02)):
        state = state.with_vehicle(name, travelled=travelled)
    return state


def test_movement_example():
    state = jam()
    assert [v.name for v in initiative(state)] == ["Black 1", "Yellow 1", "Red 1", "White 1"]
    assert CHARIOT.spaces(3, 6) == 0
    assert CHARIOT.spaces(3, 5) == 3
    match = match_at(state)
    do(match, "go on")
    assert match.state.turn.vehicle == "Black 1"
    events = do(match, "pace", vehicle="Black 1", face="whip", cards="Whip 1")
    assert "has 1 space to move" in words(events)
    do(match, "move", vehicle="Black 1", way="F")
    do(match, "steer", vehicle="Black 1", turn="straight")
    assert (match.state.turn.vehicle, match.state.turn.left) == ("Yellow 1", 3)
    ways = {o.kind: o for o in match.options()}["move"].form.fields["way"].candidates
    assert all("into" not in c.more for c in ways), "a collision that can be avoided is no way"
    assert "LFF" in {c.value for c in ways}
    assert not {c.value for c in ways} & {"FFF"}, "Black stands in it"


def test_a_reins_card_must_be_played_where_it_alone_avoids_a_collision():
    places = [("White 1", cell(1, 2), 0, 5), *((f"B{k} 1", cell(k, 5), 0, 5) for k in range(3))]
    match = standing(*places, turn=3, step=3)
    kinds = {o.kind: o for o in match.options()}
    assert "move" not in kinds
    assert kinds["pace"].data["face"] == "reins"
    do(match, "pace", vehicle="White 1", face="reins", cards="Reins 1")
    assert match.state.turn.left == 2
    match = match_at(spend(standing(*places, turn=3, step=3).state, "White 1", ()))
    ways = {o.kind: o for o in match.options()}["move"].form.fields["way"].candidates
    assert all("into" in c.more for c in ways), "without one it chooses what it collides with"


@pytest.mark.parametrize(
    ("icons", "effects"),
    [
        (["Left Spin"] * 2 + ["Slow", "Slide"], {"Left Spin": 2}),
        (["Left Spin"] * 2 + ["Slow"] + ["Slide"] * 2, {"Left Spin": 2, "Slide": 2}),
    ],
)
def test_which_icons_take_effect(icons, effects):
    assert dict(outcome(icons).effects) == effects


def turning(speed, control, way):
    match = standing(("Black 1", cell(1, 3), 0, speed), ("Red 1", cell(3, 20), 6, 0), turn=1, step=3)
    match = match_at(match.state.with_vehicle("Black 1", control=control))
    do(match, "move", vehicle="Black 1", way="F", turn=way)
    return match


def test_control_loss_example_1():
    match = turning(4, 1, "left")
    icons = ["Slide", "Slow", "Left Spin", "Right Spin", "Right Spin"]
    do(match, "control", icons, vehicle="Black 1", cards=["Whip 1", "Reins 1"])
    form = {o.kind: o for o in match.options()}["discard"].form.fields["discard"]
    told = {c.value: c.leads for c in form.candidates}
    assert told["Slow, Right Spin"] == "Slide, 1 pair of Spins"
    assert told["Right Spin, Right Spin"] == "Slide, Slow, Left Spin"
    before = match.state.vehicle("Black 1")
    do(match, "discard", vehicle="Black 1", discard="Right Spin, Right Spin")
    after = match.state.vehicle("Black 1")
    assert after.control == 1 + 3
    assert after.facing == (before.facing + 1) % 12, "sharper by 30°"
    assert after.cell != before.cell, "and a space on"
    assert (after.speed, after.brake) == (3, 1), "decelerated by 1 box"


def test_control_loss_example_2():
    match = turning(3, 4, "right")
    state = match.state.with_vehicle("Black 1", brake=0)
    match = match_at(state)
    icons = ["Slide", "Damage", "Left Spin", "Haste", "Slow", "Slow"]
    do(match, "control", icons, vehicle="Black 1", cards=["Whip 1"])
    do(match, "discard", vehicle="Black 1", discard="Damage")
    after = match.state.vehicle("Black 1")
    assert after.stamina == 9, "the pair of Slow and Haste"
    assert after.facing == 0, "the Left Spin undoes the turn to the right"
    assert (after.speed, after.control) == (2, 0), "a Safe Speed takes all points away"


def test_attack_example():
    match = standing(("Red 1", cell(1, 4), 0, 5), ("Black 1", cell(2, 5), 0, 4), turn=1, step=3)
    state = spend(match.state.with_turn(moved=2), "Red 1", ("Reins 1", "Reins 2", "Reins 3", "Whip 1"))
    state = state.with_vehicle("Red 1", traits=()).with_vehicle("Black 1", traits=())
    match = match_at(spend(state, "Black 1", ("Reins 1",)))
    do(match, "attack", vehicle="Red 1", target="Black 1", sort="vehicle")
    match.seal(Action("clash", "Red", {"cards": ["Reins 1", "Reins 2", "Reins 3"]}), "red")
    # The book's dice show three 1s, which the list of numbers has once.
    dice = [*"0111", "3", *"123"]
    events, _ = match.seal(Action("clash", "Black", {}), "black", None, TypedDice(dice))
    told = words(events)
    assert "Attack Values: Red 1 has 2, Black 1 3" in told
    assert "3 dice (vehicle attack)" in told, "1, and half of Black's Speed 4"
    red = match.state.vehicle("Red 1")
    assert (red.damage, red.control, red.applied) == (2, 2, (1,))
    option = {o.kind: o for o in match.options()}["control"]
    assert option.facts[0].words == "6", "3 for Speed 5, 2 points, 1 for the damage effect"
    icons = ["Slide", "Right Spin", "Slow", "Left Spin", "Left Spin", "Damage", "Damage"]
    do(match, "control", icons, vehicle="Red 1", cards=["Whip 1"])
    before = match.state.vehicle("Red 1")
    do(match, "discard", "3", vehicle="Red 1", discard="Damage")
    red = match.state.vehicle("Red 1")
    assert red.control == 2 + 1 + 4 + 1, "a pair, four icons, a point of damage"
    assert red.damage == 3
    assert red.facing == (before.facing + 1) % 12
    assert red.speed == 5 - (before.brake == 0)
    assert match.state.turn is None or match.state.turn.vehicle != "Red 1", "the rest of the movement is lost"


def test_collision_example():
    """The book's White rolls five 0s and sustains two damage: the rule is taken, and two dice above 1."""
    match = standing(
        ("White 1", cell(1, 2), 0, 5), ("Red 1", cell(1, 5), 4, 1), ("Black 1", cell(2, 7), 0, 1), turn=4,
    )  # fmt: skip
    state = spend(spend(match.state, "White 1", ("Whip 1", "Whip 2")), "Red 1", ("Reins 1",))
    state = state.with_vehicle("White 1", traits=())
    rocks = [Obstacle(f"Rock {k}.{lane}", "solid", cell(lane, k)) for k in (3, 4, 5, 6) for lane in (0, 2)]
    match = match_at(replace(state, obstacles=tuple(rocks)))
    ways = {o.kind: o for o in match.options()}["move"].form.fields["way"].candidates
    assert "FFF" in {c.value for c in ways}, "it cannot be avoided"
    with_resilience = [*"23000", *"00113"]
    events = do(match, "move", with_resilience, vehicle="White 1", way="FFF")
    told = words(events)
    assert "White 1 collides with Red 1: T-collision" in told
    white, red = match.state.vehicle("White 1"), match.state.vehicle("Red 1")
    assert (white.damage, white.control, white.applied) == (2, 2, (1,))
    assert (red.damage, red.control) == (1, 1), (
        "of 0, 0, 1, 1, 3 one beats a Chariot's 1; three beat the book's Red, with 0"
    )
    option = {o.kind: o for o in match.options()}["control"]
    assert option.facts[0].words == "6", "3 for Speed 5, 2 points, 1 for the damage effect: 8 with two cards"
    icons = ["Slide"] * 3 + ["Damage", "Haste", "Slow", "Left Spin", "Right Spin"]
    do(match, "control", icons, vehicle="White 1", cards=["Whip 1", "Whip 2"])
    form = {o.kind: o for o in match.options()}["discard"].form.fields["discard"]
    wanted = next(c.value for c in form.candidates if c.value == "Slide")
    events = do(match, "discard", vehicle="White 1", discard=wanted)
    assert "slides into Red 1 again" in words(events)
    assert "with 2 dice" in words(events), "one for each Slide icon"
    white = match.state.vehicle("White 1")
    assert (white.control, white.stamina) == (2 + 1 + 1, 9), "a pair of Spins, the Slide; Slow and Haste"
    option = {o.kind: o for o in match.options()}["control"]
    assert (option.data["vehicle"], option.facts[0].words) == ("Red 1", "2"), "a point, and the damage effect"
    # "This does not affect the Control rolls either vehicle made when resolving the initial collision."
    do(match, "control", ["Left Spin", "Right Spin", *"3333"], vehicle="Red 1")
    white, red = match.state.vehicle("White 1"), match.state.vehicle("Red 1")
    assert (white.damage, red.damage, red.facing) == (4, 3, 4)
    assert white.speed == 2, "halved after all this"


def test_control_of_the_vehicle_that_was_hit():
    """Red at a Safe Speed: 3 points, the damage effect and a card are 5 dice."""
    match = standing(("Red 1", cell(1, 5), 4, 1), ("White 1", cell(1, 4), 0, 5), step=2)
    state = match.state.with_vehicle("Red 1", control=3, damage=3, applied=(1,))
    state = replace(state, agenda=(control_task("Red 1", "T-collision", heading=0, against="White 1"),))
    match = match_at(spend(state, "Red 1", ("Reins 1",)))
    do(match, "control", ["Left Spin"] * 3 + ["Slide", "Right Spin"], vehicle="Red 1", cards=["Reins 1"])
    form = {o.kind: o for o in match.options()}["discard"].form.fields["discard"]
    told = {c.value: c.leads for c in form.candidates}
    assert told["nothing"] == "Left Spin × 2, 1 pair of Spins"
    assert told["Left Spin"] == "Slide, Left Spin, 1 pair of Spins"
    do(match, "discard", vehicle="Red 1", discard="nothing")
    red = match.state.vehicle("Red 1")
    assert (red.control, red.facing) == (3 + 1 + 1, 5)


def test_shares_of_the_collision_rules():
    assert shares("Rear-End", 6, 1) == (5, 5)
    assert speed_changes("Rear-End", 6, 1) == (-3, 3), "6 becomes 3, 1 becomes 4"
    assert rated(CHARIOT, Marker(5, 0, 0), 5 // 2).speed == 2
    assert shares("T-collision", 5, 1) == (5, 5)
    assert shares("Head-On", 5, 1) == (6, 6)


def at_the_end_of_a_round(**changes):
    match = standing(("Red 1", cell(1, 2), 0, 6), ("Black 1", cell(2, 2), 0, 0), step=4)
    state = match.state
    for name in ("Red 1", "Black 1"):
        state = state.with_vehicle(name, moved=True)
    return match_at(state.with_vehicle("Red 1", **changes))


def test_stamina_check_example():
    match = at_the_end_of_a_round(stamina=8)
    do(match, "go on")
    red = match.state.vehicle("Red 1")
    assert (red.stamina, red.speed) == (5, 4), "-3 at Speed 6, and two levels of -1 Speed"
    events = do(match, "check", "3210", vehicle="Red 1")
    assert "to decelerate" in words(events), "two Reins count as played: four dice"


def test_card_recovery_example():
    match = at_the_end_of_a_round()
    v = match.state.vehicle("Red 1")
    where = {
        "Whip 1": "recovery",
        "Whip 2": "recovery",
        "Reins 1": "spent",
        "Reins 2": "spent",
        "Whip 3": "spent",
    }
    cards = tuple(replace(c, where=where.get(c.name, "hand")) for c in v.cards)
    match = match_at(match.state.with_vehicle("Red 1", cards=cards))
    do(match, "go on")
    after = {c.name: c.where for c in match.state.vehicle("Red 1").cards}
    assert [after[n] for n in ("Whip 1", "Whip 2")] == ["hand", "hand"]
    assert [after[n] for n in ("Reins 1", "Reins 2", "Whip 3")] == ["recovery"] * 3
    assert GAME.about.id == "frothy_races"


def test_head_on_both_roll_for_both_speeds_and_halve_theirs():
    match = standing(
        ("Red 1", cell(1, 2), 0, 5), ("Black 1", cell(1, 4), 6, 2), turn=2, step=3, deliberate=True
    )
    events = do(match, "move", [*"0000000", *"0000000"], vehicle="Red 1", way="FF")
    assert "Red 1 collides with Black 1: Head-On" in words(events)
    assert [match.state.vehicle(n).speed for n in ("Red 1", "Black 1")] == [2, 1]
    assert match.state.turn.vehicle == "Black 1", "it may drift past, and its movement is over"


def test_emergency_stop_costs_a_speed_rating_for_each_space():
    match = standing(
        ("Red 1", cell(1, 2), 0, 5), ("Black 1", cell(3, 8), 6, 0), turn=4, types={"Red 1": "Steamer"}
    )
    card = "Emergency Stop as Emergency Stop"
    do(match, "pace", vehicle="Red 1", face="reins", cards=card, fewer=3)
    assert match.state.turn.left == 1
    red = match.state.vehicle("Red 1")
    assert red.speed == 2
    assert [c.where for c in red.cards if c.special == "Emergency Stop"] == ["gone"]
