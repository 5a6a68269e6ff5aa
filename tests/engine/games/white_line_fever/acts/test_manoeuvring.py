from __future__ import annotations

import math

import pytest

from engine.errors import TableRefError
from engine.game.events import Illegal
from tests.engine.games.white_line_fever.playing import begun, do, drive, kinds, reasons, sheet, told


def run(*aheads):
    return [{"kind": "straight", "ahead": a} for a in aheads]


def turn(degrees):
    return [{"kind": "turn", "angle": math.radians(degrees)}]


def drift(ahead, left=1.0):
    return [{"kind": "drift", "ahead": ahead, "left": left}]


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (run(5), ""),
        (run(2) + turn(30) + run(3), ""),
        (turn(90) + run(5), ""),
        (run(5) + turn(-90), ""),
        (drift(5), ""),
        (drift(2, -1) + run(3), ""),
        (run(1, 1, 1, 1, 1), ""),
        (run(5.2), ""),
        (run(4.8), ""),
        (run(5.4), "Red 1 went 5.40 in at Speed 5: 0.40 in too far"),
        (run(4.6), "Red 1 went 4.60 in at Speed 5: 0.40 in too short"),
        (turn(96) + run(5), "a turn of 96° is more than 90°"),
        (turn(94) + run(5), ""),
        (turn(20) + run(5) + turn(20), "one turn or one drift, not more"),
        (turn(20) + drift(5), "one turn or one drift, not more"),
        (drift(2) + drift(3), "one turn or one drift, not more"),
        (drift(5, 1.5), "drifted 1.50 in; limit 1 in"),
        (drift(5, 0.5), "drifted 0.50 in; limit 1 in"),
        (run(0.5, 4.5), "a run of 0.50 in is less than 1 in"),
        (turn(90), "Red 1 went 0.00 in at Speed 5: 5.00 in too short"),
    ],
)
def test_a_manoeuvre_is_runs_of_its_speed_with_one_turn_or_drift(steps, words):
    match = begun(sheet("Red 1", "Red", speed=5), sheet("Blue 1", "Blue"))
    assert reasons(match, "move", car="Red 1", steps=steps) == words
    if not words:
        assert kinds(drive(match, "Red 1", steps=steps)) == ["chosen", "moved"]


def test_a_contact_or_the_edge_cuts_a_manoeuvre_short():
    match = begun()
    assert "too short" in reasons(match, "move", car="Red 1", steps=run(0.4))
    assert not reasons(match, "move", car="Red 1", steps=run(0.4), contacts=[{"other": "Rock"}])
    assert not reasons(match, "move", car="Red 1", steps=drift(0.8, 0.3), left_surface=True)
    assert "too far" in reasons(match, "move", car="Red 1", steps=run(3.5), contacts=[{"other": "Rock"}])


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (run(1.5) + turn(30) + run(0.4), ""),
        (run(0.4) + turn(30) + run(0.4), "a run of 0.40 in is less than 1 in"),
        (run(0.4) + turn(30), "a run of 0.40 in is less than 1 in"),
        (drift(1, 0.4), ""),
        (drift(1, 0.4) + run(1), "drifted 0.40 in; limit 1 in"),
    ],
)
def test_only_what_the_car_was_doing_when_it_met_something_is_cut_short(steps, words):
    assert reasons(begun(), "move", car="Red 1", steps=steps, contacts=["Rock"]) == words


def test_the_players_may_accept_what_is_off_and_that_is_recorded():
    match = begun()
    steps = run(3.4)
    with pytest.raises(Illegal, match="in too far") as refused:
        drive(match, "Red 1", steps=steps)
    assert all(r.open for r in refused.value.reasons)
    events = drive(match, "Red 1", steps=steps, ruled="yes")
    assert kinds(events) == ["ruled", "chosen", "moved"]
    ruled = told(events, "ruled")[0]
    assert (ruled["verdict"], ruled["rule"]) == ("yes", "White Line Fever 0.9 · Maneuvers")


def test_whose_turn_it_is_cannot_be_accepted_away():
    match = begun()
    assert reasons(match, "move", car="Blue 1", ruled="yes") == "Blue 1 is Blue's car, Red drives"


def test_house_rules_say_how_far_off_is_still_right():
    match = begun(house={"length_tolerance": 0.5, "turn_tolerance": 0.0})
    assert not reasons(match, "move", car="Red 1", steps=run(3.4))
    assert "more than 90°" in reasons(match, "move", car="Red 1", steps=turn(91) + run(3))


def test_what_was_driven_is_kept():
    match = begun()
    seen = {"from": [10.0, 10.0, 0.0], "to": [13.0, 10.0, 0.0], "steps": run(3)}
    moved = told(drive(match, "Red 1", **seen), "moved")[0]
    assert {k: moved[k] for k in seen} == seen
    assert (moved["car"], moved["by"], moved["manoeuvre"], moved["speed"]) == ("Red 1", "Red", 1, 3)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"steps": [{"kind": "jump"}]}, "kind: expected 'straight' or 'drift' or 'turn' but got 'jump'"),
        ({"steps": [{"kind": "straight", "ahead": "far"}]}, "ahead: expected a number but got 'far'"),
        ({"steps": [{"kind": "straight", "ahead": math.nan}]}, "ahead: expected a number but got nan"),
        ({"steps": "3 inches"}, "steps: expected a list of objects"),
        ({"contacts": "Rock"}, "contacts: expected a list"),
        ({"contacts": [3]}, "contacts: expected names or objects"),
        ({"contacts": [{"kind": "shunt"}]}, "other: expected a text but got None"),
        ({"from": [1, 2]}, r"from: expected \[x, y, heading\]"),
        ({"triggered": ["Oil 1", "Oil 1"]}, "triggered: expected every name once"),
        ({"left_surface": "yes"}, "left_surface: expected true or false"),
        ({"ruled": "maybe", "steps": run(9)}, "ruled: expected 'yes' or 'no' but got 'maybe'"),
    ],
)
def test_what_makes_no_sense_is_refused_by_field(data, message):
    match = begun()
    before = match.state
    with pytest.raises(TableRefError, match=message):
        drive(match, "Red 1", **data)
    assert match.state == before


def test_an_action_is_performed_once_a_manoeuvre_after_all_movement():
    match = begun()
    do(match, "choose", car="Red 1")
    shot = {"weapon": "Machine Gun", "target": "Blue 1", "band": "short"}
    assert reasons(match, "shoot", **shot) == "a Maneuver has to be performed first"
    assert reasons(match, "drop") == "a Maneuver has to be performed first"
    drive(match, "Red 1")
    do(match, "shoot", (1,), **shot)
    assert reasons(match, "shoot", **shot) == "this Maneuver's action has been performed"
    assert reasons(match, "drop") == "this Maneuver's action has been performed"
    do(match, "floor_it", (6,))
    drive(match, "Red 1")
    assert not reasons(match, "shoot", **shot)
    do(match, "drop")


def test_a_car_that_leaves_the_surface_is_out_at_once():
    match = begun(sheet("Red 1", "Red"), sheet("Red 2", "Red"), sheet("Blue 1", "Blue"))
    events = drive(match, "Red 1", left_surface=True)
    assert kinds(events) == ["chosen", "moved", "left", "ended", "round"]
    assert match.state.car("Red 1").status == "removed"
    assert told(events, "left")[0]["car"] == "Red 1"
