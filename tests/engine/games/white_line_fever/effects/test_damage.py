from __future__ import annotations

import pytest

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
    ("brand", "boxes", "big"),
    [("Venus", 20, (5, 10, 15)), ("Mule", 24, (9, 14, 19)), ("Essence", 20, (5, 10, 15))],
)
def test_the_armour_track(brand, boxes, big):
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue", brand=brand))
    blue = match.state.car("Blue 1")
    assert (match.state.boxes(blue), match.state.big_boxes(blue)) == (boxes, big)


@pytest.mark.parametrize(
    ("brand", "tops"),
    [
        ("Venus", {0: 6, 4: 6, 5: 5, 9: 5, 10: 4, 15: 3, 19: 3}),
        ("Mule", {5: 6, 8: 6, 9: 5, 14: 4, 19: 3, 23: 3}),
        ("Essence", {5: 6, 19: 6}),
    ],
)
def test_each_big_box_costs_one_maximum_speed(brand, tops):
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue", brand=brand))
    assert {marked: blue_of(match, marked) for marked in tops} == tops


def test_house_rules_change_the_track():
    match = begun(house={"armour_groups": [3, 4, 5], "big_box_penalty": 2})
    blue = match.state.car("Blue 1")
    assert (match.state.boxes(blue), match.state.big_boxes(blue)) == (12, (3, 7))
    assert [blue_of(match, m) for m in (2, 3, 7, 11)] == [6, 4, 2, 2]


def test_speed_falls_with_the_maximum():
    match = armed(marked={"Blue 1": 2})
    match.overrule(["cars", "Blue 1", "speed"], 6, "fast")
    events = javelin(match)
    assert told(events, "penalty") == [{"car": "Blue 1", "top": 4, "was": 6}]
    assert match.state.car("Blue 1").speed == 4


def test_an_essence_does_not_mind_lost_armour():
    match = armed(marked={"Blue 1": 2}, brand="Essence")
    match.overrule(["cars", "Blue 1", "speed"], 6, "fast")
    events = javelin(match)
    assert told(events, "penalty") == [{"car": "Blue 1", "top": 6, "was": 6}]
    assert [e.citation for e in events if e.kind == "penalty"] == ["White Line Fever 0.9 · Brands · Essence"]
    assert match.state.car("Blue 1").speed == 6


@pytest.mark.parametrize(
    ("armour", "status"),
    [(10, "driving"), (9, "wreck"), (8, "wreck"), (7, "removed"), (1, "removed")],
)
def test_a_car_is_destroyed_at_nothing_left_and_explodes_at_two_beyond(armour, status):
    match = armed(sheet("Blue 2", "Blue"), marked={"Blue 1": 20 - armour})
    javelin(match)
    assert match.state.car("Blue 1").status == status
    assert [d.kind for d in match.state.duties] == (["blast"] if status == "removed" else [])


def test_an_explosion_reaches_those_that_the_players_name():
    match = armed(sheet("Blue 2", "Blue"), sheet("Red 2", "Red"), marked={"Blue 1": 15})
    events = javelin(match)
    assert told(events, "destroyed") == [{"car": "Blue 1", "excess": 4, "status": "removed"}]
    assert reasons(match, "end") == "first Blue 1 has to be settled (blast): say which cars it reaches"
    assert reasons(match, "blast", cars=["Blue 1"]) == "Blue 1 is not in play"
    events = do(match, "blast", (5,), cars=["Blue 2", "red 1"])
    assert kinds(events) == ["roll", "blast", "damaged", "penalty", "damaged", "penalty"]
    assert [d["amount"] for d in told(events, "damaged")] == [5, 5]
    assert match.state.car("Red 2").marked == 0


def test_an_explosion_that_reaches_nobody_needs_no_die():
    match = armed(sheet("Blue 2", "Blue"), marked={"Blue 1": 15})
    javelin(match)
    assert kinds(do(match, "blast", (), cars=[])) == ["blast"]


def test_by_house_rule_each_car_has_its_own_die():
    match = armed(sheet("Blue 2", "Blue"), marked={"Blue 1": 15}, house={"blast_dice": "one each"})
    javelin(match)
    events = do(match, "blast", (2, 7), cars=["Red 1", "Blue 2"])
    assert {d["car"]: d["amount"] for d in told(events, "damaged")} == {"Red 1": 2, "Blue 2": 7}


def test_explosions_set_off_others():
    match = armed(
        sheet("Blue 2", "Blue"), sheet("Green 1", "Green"), marked={"Blue 1": 15, "Blue 2": 18, "Green 1": 19}
    )
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


def test_the_last_explosion_may_take_the_winner_along():
    match = armed(marked={"Blue 1": 15, "Red 1": 13})
    javelin(match)
    do(match, "blast", (7,), cars=["Red 1"])
    assert match.state.over
    assert match.state.winner is None


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
