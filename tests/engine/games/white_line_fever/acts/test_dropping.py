from __future__ import annotations

import math

import pytest

from engine.space.table import Status
from tests.engine.games.white_line_fever.playing import begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import car, table

BOOK = "White Line Fever 0.9 · "


def dropped(weapon, *others, house=None):
    """Red 1 has dropped a token; it is Blue's round, and Blue 1 goes at Speed 5."""
    match = begun(
        sheet("Red 1", "Red", secondary=weapon), sheet("Blue 1", "Blue", speed=5), *others, house=house
    )
    drive(match, "Red 1")
    do(match, "drop")
    do(match, "end")
    return match


def run_over(match, token, dice=(), **data):
    return drive(match, "Blue 1", triggered=[token], dice=dice, **data)


def test_a_drop_costs_a_token_and_the_action():
    match = begun(house={"tokens": 2})
    drive(match, "Red 1")
    events = do(match, "drop")
    assert told(events, "dropped") == [
        {"car": "Red 1", "weapon": "Oil", "token": "Oil 1", "left": 1, "at": None}
    ]
    assert reasons(match, "drop") == "this Maneuver's action has been performed"
    do(match, "floor_it", (6,))
    drive(match, "Red 1")
    do(match, "drop", token="Slick")
    assert [t.name for t in match.state.tokens] == ["Oil 1", "Slick"]
    do(match, "floor_it", (6,))
    drive(match, "Red 1")
    assert reasons(match, "drop") == "Red 1 has no tokens left"
    assert "drop" not in {o.kind for o in match.options()}


def test_only_a_droppable_is_dropped_and_under_a_new_name():
    match = begun(sheet("Red 1", "Red", secondary="Railgun"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    assert reasons(match, "drop") == "Red 1's Railgun is shot, not dropped"
    match = dropped("Oil")
    drive(match, "Blue 1")
    assert reasons(match, "drop", token="Oil 1") == "a token called Oil 1 lies on the table already"
    assert reasons(match, "drop", under=["Rock"]) == "Rock is not in play"


def test_the_table_says_where_the_token_lies():
    match = begun()
    drive(match, "Red 1")
    events = do(match, "drop", table=table(car("Red 1", 20, 20, 90)))
    x, y, heading = told(events, "dropped")[0]["at"]
    # The sedan's rear is 1.475 behind its middle, the token 3 inches square.
    assert (x, y, heading) == pytest.approx((20, 20 - 1.475 - 1.5, math.pi / 2))
    assert match.state.tokens[0].at == (x, y, heading)


@pytest.mark.parametrize(
    ("weapon", "damage", "follows"),
    [
        ("Oil", 2, "spin"), ("Springboard", 0, "push"), ("Spikes", 0, "speed"),
        ("Roadmine", 5, None), ("Firebomb", 0, "burning"), ("Barricade", 0, "collision"),
    ],
)  # fmt: skip
def test_every_token_does_what_its_line_says_and_is_gone(weapon, damage, follows):
    match = dropped(weapon)
    dice = (6,) if weapon == "Barricade" else ()
    events = run_over(match, f"{weapon} 1", dice)
    assert match.state.tokens == ()
    assert told(events, "triggered") == [{"token": f"{weapon} 1", "weapon": weapon, "car": "Blue 1"}]
    taken = [d["amount"] for d in told(events, "damaged")]
    assert taken == ([6] if weapon == "Barricade" else [damage] if damage else [])
    cited = {e.citation for e in events}
    assert f"{BOOK}Drop Weapon · Triggering a Droppable" in cited
    if follows in ("spin", "push"):
        assert [d.kind for d in match.state.duties] == [follows]
        assert match.state.duties[0].citation == f"{BOOK}Weapons · {weapon}"
    elif follows is not None:
        assert follows in kinds(events)


def test_spikes_slow_to_no_less_than_one():
    for speed, after in ((5, 2), (4, 1), (2, 1)):
        match = dropped("Spikes")
        match.overrule(["cars", "Blue 1", "speed"], speed, "so it is")
        run_over(match, "Spikes 1")
        assert match.state.car("Blue 1").speed == after


def test_a_springboard_throws_six_inches_ahead():
    match = dropped("Springboard")
    stood = table(car("Blue 1", 20, 20, 90))
    run_over(match, "Springboard 1", table=stood)
    duty = match.state.duties[0]
    assert duty.inches == 6.0
    assert duty.target == pytest.approx((20, 26, math.pi / 2))


def test_a_firebomb_forbids_floor_it_for_this_round_only():
    match = dropped("Firebomb")
    run_over(match, "Firebomb 1")
    assert reasons(match, "floor_it") == "Blue 1 drove over a Firebomb: no Floor It this round"
    assert not reasons(match, "speed", to=4)
    do(match, "end")
    drive(match, "Red 1")
    do(match, "end")
    drive(match, "Blue 1")
    assert not reasons(match, "floor_it")


def test_a_barricade_is_a_collision_that_ends_the_round():
    match = dropped("Barricade")
    events = run_over(match, "Barricade 1", (2,))
    assert told(events, "collision")[0] == {"cars": ["Blue 1"], "obstacles": ["Barricade 1"], "kinds": {}}
    assert told(events, "damaged")[0]["amount"] == 5
    assert match.state.car("Blue 1").speed == 4
    assert kinds(do(match, "placed", car="Blue 1"))[-1] == "round"


def test_oil_does_not_end_the_round():
    match = dropped("Oil")
    run_over(match, "Oil 1")
    do(match, "placed", car="Blue 1")
    assert not reasons(match, "floor_it")
    assert not reasons(match, "speed", to=6)


def test_tokens_come_before_the_contact_at_the_end_of_the_way():
    match = dropped("Roadmine")
    events = run_over(match, "Roadmine 1", (8,), contacts=["Rock"])
    assert [d["cause"] for d in told(events, "damaged")] == ["Roadmine 1", "the Collision"]


def test_a_car_destroyed_by_one_token_triggers_no_other():
    match = dropped("Roadmine", sheet("Blue 2", "Blue"), sheet("Red 2", "Red", secondary="Spikes"))
    drive(match, "Blue 2")
    do(match, "end")
    drive(match, "Red 2")
    do(match, "drop")
    do(match, "end")
    match.overrule(["cars", "Blue 1", "marked"], 16, "shot before")
    events = drive(match, "Blue 1", triggered=["Roadmine 1", "Spikes 2"])
    assert match.state.car("Blue 1").status == "wreck"
    assert kinds(events)[-2:] == ["ended", "round"]
    assert [t.name for t in match.state.tokens] == ["Spikes 2"]


STOPS = [("Barricade", 0, (2,)), ("Roadmine", 15, ()), ("Oil", 18, ())]
"""Tokens that end a driven car's way: weapon, armour boxes marked off before, dice."""


@pytest.mark.parametrize(("weapon", "marked", "dice"), STOPS)
def test_where_a_token_ends_the_way_it_may_end_short_of_its_speed(weapon, marked, dice):
    match = dropped(weapon)
    match.overrule(["cars", "Blue 1", "speed"], 3, "so it is")
    short = {"car": "Blue 1", "steps": [{"kind": "straight", "ahead": 1.5}]}
    assert "too short" in reasons(match, "move", **short)
    over = short | {"triggered": [f"{weapon} 1"]}
    assert ("too short" in reasons(match, "move", **over)) is (weapon == "Roadmine")
    match.overrule(["cars", "Blue 1", "marked"], marked, "shot before")
    match.overrule(["cars", "Blue 1", "speed"], 3, "so it is")
    assert reasons(match, "move", **over) == ""
    assert "too far" in reasons(match, "move", **over | {"steps": [{"kind": "straight", "ahead": 3.5}]})


@pytest.mark.parametrize(("weapon", "marked", "dice"), STOPS)
@pytest.mark.parametrize("beyond", [{"contacts": ["Red 1"]}, {"left_surface": True}])
def test_what_lies_beyond_a_token_that_ends_the_way_is_not_met(weapon, marked, dice, beyond):
    match = dropped(weapon, sheet("Blue 2", "Blue"))
    match.overrule(["cars", "Blue 1", "marked"], marked, "shot before")
    events = run_over(match, f"{weapon} 1", dice, **beyond)
    assert [d["cars"] for d in told(events, "collision")] == ([["Blue 1"]] if dice else [])
    assert not told(events, "left")
    assert (match.state.car("Red 1").marked, match.state.car("Blue 1").driving) == (0, bool(dice))


def test_a_token_laid_under_a_car_is_triggered_at_once():
    match = begun(sheet("Red 1", "Red", secondary="Roadmine"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    events = do(match, "drop", under=["blue 1"])
    assert kinds(events) == ["dropped", "triggered", "damaged", "penalty"]
    assert match.state.tokens == ()


def test_a_pushed_car_triggers_what_it_is_pushed_over():
    match = dropped("Spikes", sheet("Green 1", "Green", secondary="Slammer"))
    drive(match, "Blue 1")
    do(match, "end")
    drive(match, "Green 1")
    do(match, "shoot", (8,), weapon="Slammer", target="Blue 1", band="short")
    events = do(match, "placed", car="Blue 1", triggered=["Spikes 1"])
    assert match.state.car("Blue 1").speed == 2
    assert kinds(events)[:2] == ["placed", "triggered"]


@pytest.mark.parametrize(("x", "triggers"), [(15.2, True), (14.0, False)])
def test_the_table_sees_whom_a_token_is_laid_under(x, triggers):
    match = begun(sheet("Red 1", "Red", secondary="Roadmine"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    # The token lies from x = 15.525 to 18.525.
    stood = table(car("Red 1", 20, 20), car("Blue 1", x, 20))
    events = do(match, "drop", table=stood)
    assert bool(told(events, "triggered")) is triggers
    match.undo()
    assert kinds(do(match, "drop", table=stood, under=[])) == ["dropped"]


@pytest.mark.parametrize(
    ("blue", "open_"),
    [
        (car("Blue 1", 14.06, 20, sd=0.05), True),
        (car("Blue 1", 14.04, 20, sd=0.05), True),
        (car("Blue 1", 14.3, 20, sd=0.05), False),
        (car("Blue 1", 13.8, 20, sd=0.05), False),
        (car("Blue 1", 15.2, 20, status=Status.HELD), True),
    ],
)
def test_whether_a_token_is_laid_under_a_car_may_be_too_close_to_call(blue, open_):
    match = begun(sheet("Red 1", "Red", secondary="Roadmine"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    # The token lies from x = 15.525 on, a sedan's front is 1.475 before its middle.
    stood = table(car("Red 1", 20, 20), blue)
    assert reasons(match, "drop", stood) == ("Blue 1: under the token, too close to call" if open_ else "")
    if not open_:
        return
    for ruled in ("yes", "no"):
        events = do(match, "drop", table=stood, ruled={"Blue 1": ruled})
        assert told(events, "ruled")[0]["verdict"] == ruled
        assert bool(told(events, "triggered")) is (ruled == "yes")
        match.undo()
    assert kinds(do(match, "drop", table=stood, under=[])) == ["dropped"]
