from __future__ import annotations

import pytest

from engine.game.events import Action
from tests.engine.games.white_line_fever.playing import begun, do, drive, kinds, reasons, sheet, told


def crash(*cars, contacts, dice, house=None):
    match = begun(*cars, house=house)
    return match, drive(match, cars[0]["name"], contacts=[{"other": c} for c in contacts], dice=dice)


def damage(events):
    return {d["car"]: d["amount"] for d in told(events, "damaged")}


RED, BLUE = sheet("Red 1", "Red", speed=5), sheet("Blue 1", "Blue", speed=2)


def test_all_involved_roll_take_damage_spin_out_and_slow_down():
    match, events = crash(RED, BLUE, contacts=["Blue 1"], dice=(6, 4))
    assert kinds(events)[:6] == ["chosen", "moved", "collision", "roll", "roll", "damaged"]
    assert damage(events) == {"Red 1": 6, "Blue 1": 4}
    assert [(d["duty"]["kind"], d["duty"]["car"]) for d in told(events, "owed")] == [
        ("spin", "Red 1"), ("spin", "Blue 1"),
    ]  # fmt: skip
    assert (match.state.car("Red 1").speed, match.state.car("Blue 1").speed) == (4, 1)


@pytest.mark.parametrize(
    ("dice", "taken"), [((1, 1), (5, 2)), ((5, 2), (5, 2)), ((8, 8), (8, 8)), ((4, 3), (5, 3))]
)
def test_the_speed_is_the_least_damage(dice, taken):
    _, events = crash(RED, BLUE, contacts=["Blue 1"], dice=dice)
    assert tuple(damage(events).values()) == taken


@pytest.mark.parametrize(
    ("red", "blue", "contacts", "dice", "taken"),
    [
        ("Hammer", "Venus", ["Blue 1"], (6, 4), {"Red 1": 4, "Blue 1": 6}),
        ("Venus", "Hammer", ["Blue 1"], (6, 4), {"Red 1": 8, "Blue 1": 2}),
        ("Hammer", "Hammer", ["Blue 1"], (6, 4), {"Red 1": 6, "Blue 1": 4}),
        ("Venus", "Hammer", ["Blue 1"], (6, 1), {"Red 1": 8, "Blue 1": 1}),
        ("Hammer", "Venus", ["Rock"], (6,), {"Red 1": 6}),
        ("Hammer", "Venus", ["Rock", "Blue 1"], (6, 4), {"Red 1": 4, "Blue 1": 6}),
    ],
)
def test_a_hammer_counts_after_the_minimum_and_against_cars_only(red, blue, contacts, dice, taken):
    cars = (sheet("Red 1", "Red", brand=red, speed=5), sheet("Blue 1", "Blue", brand=blue, speed=2))
    _, events = crash(*cars, contacts=contacts, dice=dice)
    assert damage(events) == taken


def test_a_car_that_is_named_in_two_spellings_is_in_the_collision_once():
    _, events = crash(RED, BLUE, contacts=["Blue 1", "blue-1"], dice=(6, 4))
    assert told(events, "collision")[0]["cars"] == ["Red 1", "Blue 1"]


def test_two_hammers_do_more_than_one():
    hammers = (sheet(f"Blue {k}", "Blue", brand="Hammer") for k in (1, 2))
    _, events = crash(sheet("Red 1", "Red"), *hammers, contacts=["Blue 1", "Blue 2"], dice=(3, 3, 3))
    assert damage(events) == {"Red 1": 7, "Blue 1": 3, "Blue 2": 3}


@pytest.mark.parametrize(
    ("contacts", "dice"),
    [(["Blue 1"], (1, 1)), (["Rock"], (1,)), (["Red 2"], (1, 1)), (["Rock", "Mug"], (1,))],
)
def test_the_drivers_round_ends_without_a_change_of_speed(contacts, dice):
    match, _ = crash(RED, sheet("Red 2", "Red"), BLUE, contacts=contacts, dice=dice)
    assert reasons(match, "speed", to=5) == "first Red 1 has to be settled (spin): place it"
    for duty in match.state.duties:
        events = do(match, "placed", car=duty.car)
    assert kinds(events) == ["placed", "ended", "round"]
    assert match.state.round.driver == "Blue"


def test_a_pulsar_may_change_speed_even_then():
    match, _ = crash(sheet("Red 1", "Red", brand="Pulsar", speed=1), BLUE, contacts=["Rock"], dice=(1,))
    assert kinds(do(match, "placed", car="Red 1")) == ["placed", "may change speed"]
    assert {o.kind for o in match.options()} == {"speed", "end"}
    assert "only the Speed" in reasons(match, "floor_it")
    assert "only the Speed" in reasons(match, "drop")
    do(match, "speed", to=6)
    assert (match.state.car("Red 1").speed, match.state.round.driver) == (6, "Blue")


def test_a_pulsar_gets_the_wheel_back_to_change_speed_after_losing_control():
    match = begun(sheet("Red 1", "Red", brand="Pulsar"), BLUE)
    drive(match, "Red 1")
    do(match, "floor_it", (1,))
    assert kinds(drive(match, "Red 1", player="Blue")) == ["moved", "may change speed"]
    assert reasons(match, "speed", to=6, player="Blue") == "it is Red's to do, not Blue's"
    do(match, "speed", to=6, player="Red")


def test_a_round_goes_on_when_others_collide():
    match = begun(sheet("Red 1", "Red", secondary="Slammer"), BLUE)
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Slammer", target="Blue 1", band="short")
    events = do(match, "placed", (3,), car="Blue 1", contacts=["Rock"])
    assert told(events, "collision")[0]["obstacles"] == ["Rock"]
    do(match, "placed", car="Blue 1")
    assert not reasons(match, "floor_it")
    assert not reasons(match, "speed", to=4)


def test_a_speed_of_one_stays():
    match, events = crash(sheet("Red 1", "Red", speed=1), BLUE, contacts=["Rock"], dice=(2,))
    assert told(events, "speed") == []
    assert match.state.car("Red 1").speed == 1


def test_a_wreck_is_an_obstacle():
    cars = (RED, BLUE, sheet("Blue 2", "Blue"))
    match = begun(*cars)
    match.overrule(["cars", "Blue 1", "marked"], 20, "flipped") if False else None
    match.overrule(["cars", "Blue 1", "status"], "wreck", "flipped")
    events = drive(match, "Red 1", contacts=["Blue 1"], dice=(3,))
    assert told(events, "collision")[0] == {
        "cars": ["Red 1"], "obstacles": ["Blue 1"], "kinds": {},
    }  # fmt: skip


def test_how_they_met_is_kept():
    match = begun(RED, BLUE)
    events = drive(match, "Red 1", contacts=[{"other": "blue-1", "kind": "T-bone"}], dice=(3, 3))
    assert told(events, "collision")[0]["cars"] == ["Red 1", "Blue 1"]
    assert told(events, "collision")[0]["kinds"] == {"Blue 1": "T-bone"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"contacts": ["Red 1"]}, "Red 1 cannot touch itself"),
        ({"contacts": ["Blue 2"]}, "Blue 2 is not on the table"),
        ({"contacts": ["Rock"], "left_surface": True}, "stops at what it touches"),
        ({"triggered": ["Oil 4"]}, "no token called Oil 4 lies on the table; there: none"),
    ],
)
def test_nobody_meets_what_is_not_there(data, words):
    match = begun(RED, BLUE, sheet("Blue 2", "Blue"))
    match.overrule(["cars", "Blue 2", "status"], "removed", "exploded earlier")
    assert words in reasons(match, "move", car="Red 1", **data)


def test_what_a_camera_sees_too_much_of_is_for_the_players():
    match = begun(RED, BLUE, sheet("Red 2", "Red"))
    both = {"car": "Red 1", "contacts": ["Rock"], "left_surface": True, "triggered": ["Oil 4"]}
    found = match.check(Action("move", "Red", both))
    assert len(found) == 2
    assert all(r.open for r in found)
    events = do(match, "move", **both, ruled="yes")
    assert kinds(events)[:5] == ["ruled", "ruled", "chosen", "moved", "left"]


def test_a_placed_car_may_collide_again():
    match, _ = crash(RED, BLUE, contacts=["Blue 1"], dice=(1, 1))
    events = do(match, "placed", (2, 2), car="Red 1", contacts=["Blue 1"])
    assert len(match.state.duties) == 3
    assert kinds(events)[:2] == ["placed", "collision"]
