"""Damage and collisions, with dice typed in."""

from __future__ import annotations

import pytest

from engine.game.dice import NeedDice, rolls_of
from engine.game.events import Action
from engine.space.table import Status
from tests.engine.games.white_line_fever.playing import begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import car, table


def armed(*others, marked=None, primary="Mark 9 Javelin", brand="Venus", house=None):
    """Red 1 stands ready to shoot Blue 1."""
    match = begun(sheet("Red 1", "Red", primary), sheet("Blue 1", "Blue", brand=brand), *others, house=house)
    for name, boxes in (marked or {}).items():
        match.overrule(["cars", name, "marked"], boxes, "shot before")
    drive(match, "Red 1")
    return match


def javelin(match, dice=(8,), **data):
    return do(match, "shoot", dice, weapon="Mark 9 Javelin", target="Blue 1", band="maximum", **data)


def blue_of(match, marked):
    """What follows for Blue 1 when it has so many boxes marked off."""
    car = match.state.car("Blue 1")
    return match.state.top_speed(car, marked)


@pytest.mark.parametrize(
    ("brand", "boxes", "big", "tops"),
    [
        ("Venus", 20, (5, 10, 15), {0: 6, 4: 6, 5: 5, 9: 5, 10: 4, 15: 3, 19: 3}),
        ("Mule", 24, (9, 14, 19), {5: 6, 8: 6, 9: 5, 14: 4, 19: 3, 23: 3}),
        ("Essence", 20, (5, 10, 15), {5: 6, 19: 6}),
    ],
)
def test_each_big_box_of_the_armour_track_costs_one_maximum_speed(brand, boxes, big, tops):
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue", brand=brand))
    blue = match.state.car("Blue 1")
    assert (match.state.boxes(blue), match.state.big_boxes(blue)) == (boxes, big)
    assert {marked: blue_of(match, marked) for marked in tops} == tops
    # House rules change the track.
    match = begun(house={"armour_groups": [3, 4, 5], "big_box_penalty": 2})
    blue = match.state.car("Blue 1")
    assert (match.state.boxes(blue), match.state.big_boxes(blue)) == (12, (3, 7))
    assert [blue_of(match, m) for m in (2, 3, 7, 11)] == [6, 4, 2, 2]


@pytest.mark.parametrize(("brand", "top"), [("Venus", 4), ("Essence", 6)])
def test_speed_falls_with_the_maximum_and_an_essence_does_not_mind_lost_armour(brand, top):
    match = armed(marked={"Blue 1": 2}, brand=brand)
    match.overrule(["cars", "Blue 1", "speed"], 6, "fast")
    events = javelin(match)
    assert told(events, "penalty") == [{"car": "Blue 1", "top": top, "was": 6}]
    cited = [e.citation for e in events if e.kind == "penalty"]
    assert brand != "Essence" or cited == ["White Line Fever 0.9 · Brands · Essence"]
    assert match.state.car("Blue 1").speed == top


@pytest.mark.parametrize(
    ("armour", "status"),
    [(10, "driving"), (9, "wreck"), (8, "wreck"), (7, "removed"), (1, "removed")],
)
def test_a_car_is_destroyed_at_nothing_left_and_explodes_at_two_beyond(armour, status):
    match = armed(sheet("Blue 2", "Blue"), marked={"Blue 1": 20 - armour})
    events = javelin(match)
    assert match.state.car("Blue 1").status == status
    # "If the car does not explode then flip it upside down and treat it like an obstacle."
    words = {"wreck": "flip it over, it is an obstacle now", "removed": "take it off the table"}
    assert [words[status] in e.words for e in events if e.kind == "destroyed"] == [True] * (status in words)
    assert [d.kind for d in match.state.duties] == (["blast"] if status == "removed" else [])


def test_an_explosion_reaches_those_that_the_players_name():
    match = armed(sheet("Blue 2", "Blue"), sheet("Red 2", "Red"), marked={"Blue 1": 15})
    events = javelin(match)
    assert told(events, "destroyed") == [{"car": "Blue 1", "excess": 4, "status": "removed"}]
    assert reasons(match, "end") == "first say which cars the explosion of Blue 1 reaches"
    assert reasons(match, "blast", cars=["Blue 1"]) == "Blue 1 is not in play"
    assert kinds(do(match, "blast", (), cars=[])) == ["blast"], "one that reaches nobody needs no die"
    match.undo()
    events = do(match, "blast", (5,), cars=["Blue 2", "red 1"])
    assert kinds(events) == ["roll", "blast", "damaged", "penalty", "damaged", "penalty"]
    assert [d["amount"] for d in told(events, "damaged")] == [5, 5]
    assert match.state.car("Red 2").marked == 0
    # By house rule each car has its own die.
    match = armed(sheet("Blue 2", "Blue"), marked={"Blue 1": 15}, house={"blast_dice": "one each"})
    javelin(match)
    events = do(match, "blast", (2, 7), cars=["Red 1", "Blue 2"])
    assert {d["car"]: d["amount"] for d in told(events, "damaged")} == {"Red 1": 2, "Blue 2": 7}


def test_explosions_set_off_others_and_the_last_may_take_the_winner_along():
    boxes = {"Blue 1": 15, "Blue 2": 18, "Green 1": 19}
    match = armed(sheet("Blue 2", "Blue"), sheet("Green 1", "Green"), marked=boxes)
    javelin(match)
    do(match, "blast", (4,), cars=["Blue 2"])
    assert match.state.car("Blue 2").status == "removed"
    events = do(match, "blast", (3,), cars=["Green 1", "Red 1"])
    assert match.state.car("Green 1").status == "removed"
    # The game waits for the last explosion before it says who has won.
    assert not match.state.over
    assert told(events, "owed")[0]["duty"]["car"] == "Green 1"
    events = do(match, "blast", (8,), cars=["Red 1"])
    assert match.state.winner == "Red"
    match = armed(marked={"Blue 1": 15, "Red 1": 13})
    javelin(match)
    do(match, "blast", (7,), cars=["Red 1"])
    assert (match.state.over, match.state.winner) == (True, None)


def placed(*others):
    return table(car("Red 1", 10, 10), car("Blue 1", 20, 10), *others)


def test_the_table_knows_whom_an_explosion_reaches():
    stood = placed(car("Blue 2", 24.5, 10, 90), car("Red 2", 20, 17.2))
    match = armed(sheet("Blue 2", "Blue"), sheet("Red 2", "Red"), marked={"Blue 1": 15})
    events = do(match, "shoot", (8, 6), table=stood, weapon="Mark 9 Javelin", target="Blue 1")
    assert told(events, "blast") == [{"car": "Blue 1", "cars": ["Blue 2"]}]
    assert match.state.car("Blue 2").marked == 6


@pytest.mark.parametrize(
    ("other", "sure", "doubtful"),
    [
        (car("Blue 2", 20, 16.2 - 0.02, sd=0.002), ("Blue 2",), ()),
        (car("Blue 2", 20, 16.2, sd=0.05), (), ("Blue 2",)),
        (car("Blue 2", 20, 12, status=Status.HELD), (), ("Blue 2",)),
        (car("Blue 2", 30, 12, sd=0.05), (), ()),
        (None, (), ("Blue 2",)),
    ],
)
def test_where_the_table_is_not_sure_the_players_are_asked(other, sure, doubtful):
    match = armed(sheet("Blue 2", "Blue"), sheet("Red 2", "Red"), marked={"Blue 1": 15})
    stood = placed(car("Red 2", 40, 40), *([other] if other else []))
    dice = (8,) if doubtful or not sure else (8, 1)
    do(match, "shoot", dice, table=stood, weapon="Mark 9 Javelin", target="Blue 1", ruled="yes")
    if not doubtful:
        assert match.state.duties == ()
        assert match.state.car("Blue 2").marked == len(sure)
        return
    duty = match.state.duties[0]
    assert (duty.sure, duty.doubtful) == (sure, doubtful)
    assert reasons(match, "blast", cars=["Red 2"]) == "Red 2 is not within 5 in of Blue 1"
    do(match, "blast", (2,), cars=["Blue 2"])


def test_the_players_may_still_say_otherwise():
    match = armed(sheet("Blue 2", "Blue"), sheet("Red 2", "Red"), marked={"Blue 1": 15})
    stood = placed(car("Red 2", 20, 12), car("Blue 2", 20, 12, status=Status.LOST))
    do(match, "shoot", (8,), table=stood, weapon="Mark 9 Javelin", target="Blue 1", ruled="yes")
    assert reasons(match, "blast", cars=[]) == "Red 2 is within 5 in of Blue 1"
    events = do(match, "blast", (), cars=[], ruled="yes")
    assert kinds(events) == ["ruled", "blast"]


def test_a_destroyed_car_does_nothing_more():
    match = begun(sheet("Red 1", "Red"), sheet("Red 2", "Red"), sheet("Blue 1", "Blue"))
    match.overrule(["cars", "Red 1", "status"], "wreck", "flipped")
    assert reasons(match, "choose", car="Red 1") == "Red 1 is destroyed"
    drive(match, "Red 2")
    do(match, "end")
    drive(match, "Blue 1")
    assert reasons(match, "shoot", weapon="Machine Gun", target="Red 1", band="short") == "Red 1 is destroyed"


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


def test_each_player_rolls_for_their_own_cars():
    """ "All involved cars roll a D8"; a car that is out of control is its owner's still."""
    match = begun(RED, sheet("Red 2", "Red"), BLUE)
    drive(match, "Red 1")
    do(match, "floor_it", (1,))
    with pytest.raises(NeedDice) as need:
        drive(match, "Red 1", contacts=["Blue 1", "Red 2"])
    assert [die.by for die in need.value.wanted] == ["Red", "Blue", "Red"]
    events = drive(match, "Red 1", contacts=["Blue 1", "Red 2"], dice=(5, 2, 3))
    # A die that fell for somebody stays fallen for them.
    assert [roll.get("by") for roll in told(events, "roll")] == ["Red", "Blue", "Red"]
    assert [die.by for die in rolls_of(events)] == ["Red", "Blue", "Red"]


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
        ("Venus", "Venus", ["Blue 1", "blue-1"], (6, 4), {"Red 1": 6, "Blue 1": 4}),  # there once
        # "Collisions with other cars" are "contact with another car": the two did not touch one another.
        ("Venus", "Hammer", ["Blue 1", "Blue 2"], (5, 3, 3), {"Red 1": 9, "Blue 1": 1, "Blue 2": 1}),
        ("Hammer", "Venus", ["Blue 1", "Blue 2"], (5, 3, 3), {"Red 1": 3, "Blue 1": 5, "Blue 2": 5}),
    ],
)
def test_a_hammer_counts_after_the_minimum_and_against_cars_only(red, blue, contacts, dice, taken):
    blues = (sheet(f"Blue {k}", "Blue", brand=blue, speed=2) for k in (1, 2))
    _, events = crash(sheet("Red 1", "Red", brand=red, speed=5), *blues, contacts=contacts, dice=dice)
    assert damage(events) == taken
    assert told(events, "collision")[0]["cars"] == list(taken)


@pytest.mark.parametrize(
    ("contacts", "dice"),
    [(["Blue 1"], (1, 1)), (["Rock"], (1,)), (["Red 2"], (1, 1)), (["Rock", "Mug"], (1,))],
)
def test_the_drivers_round_ends_without_a_change_of_speed(contacts, dice):
    match, _ = crash(RED, sheet("Red 2", "Red"), BLUE, contacts=contacts, dice=dice)
    assert reasons(match, "speed", to=5) == "first Red 1 has to be turned round"
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


def test_a_speed_of_one_stays_a_wreck_is_an_obstacle_and_how_they_met_is_kept():
    match, events = crash(sheet("Red 1", "Red", speed=1), BLUE, contacts=["Rock"], dice=(2,))
    assert told(events, "speed") == []
    assert match.state.car("Red 1").speed == 1
    match = begun(RED, BLUE, sheet("Blue 2", "Blue"))
    match.overrule(["cars", "Blue 1", "status"], "wreck", "flipped")
    events = drive(match, "Red 1", contacts=["Blue 1"], dice=(3,))
    assert told(events, "collision")[0] == {"cars": ["Red 1"], "obstacles": ["Blue 1"], "kinds": {}}
    events = drive(begun(RED, BLUE), "Red 1", contacts=[{"other": "blue-1", "kind": "T-bone"}], dice=(3, 3))
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
