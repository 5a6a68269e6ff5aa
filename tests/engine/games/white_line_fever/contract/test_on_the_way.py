"""Tokens act where the car meets them: the rest of the manoeuvre is driven from there."""

from __future__ import annotations

import math

import pytest

from engine.game.contract import Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.measure.sweep import Straight, Turn
from engine.motion.moves import Move
from engine.space.geometry import Pose
from tests.engine.games.white_line_fever.contract.test_guide import guided, moved, seen_of
from tests.engine.games.white_line_fever.drives import AXLE
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import block, car, table

# A sedan's nose is 1.475 ahead of its middle, a token reaches 1.5 back: one at 25 is met after 2 inches.
AT = 20 + 1.475 + 2.0 + 1.5


def laid(speed, *tokens, **more):
    """Red 1, at (20, 20), is to be driven; tokens of these weapons lie at these places."""
    match = begun(sheet("Red 1", "Red", speed=speed, **more), sheet("Blue 1", "Blue"))
    lie = {
        f"{weapon} {k}": {
            "name": f"{weapon} {k}",
            "weapon": weapon,
            "dropped_by": "Blue 1",
            "at": [x, 20.0, 0.0],
        }
        for k, (weapon, x) in enumerate(tokens, start=1)
    }
    match.overrule(["tokens"], lie, "laid earlier")
    do(match, "choose", car="Red 1")
    return match


def take(match, move, **data):
    said = {"car": move.piece, "move": move.id} | data
    return list(match.do(Action("move", None, said), seen_of(move), TypedDice())[1:])


def test_oil_spins_the_car_where_it_meets_it_and_the_rest_goes_the_other_way():
    match = laid(5, ("Oil", AT))
    # The hand pushed it all the way: what lies beyond the token does not count.
    events = take(match, moved(Straight(5.0)))
    assert kinds(events) == ["moved", "triggered", "damaged", "special", "owed", "goes on"]
    (step,) = told(events, "moved")[0]["steps"]
    assert step["ahead"] == pytest.approx(2.0, abs=0.05)
    x, y, heading = match.state.duties[0].target
    assert (x, y) == pytest.approx((22, 20), abs=0.06)
    assert abs(math.remainder(heading - math.pi, math.tau)) < 0.03
    assert "5 in" not in guided_words(match)
    do(match, "placed", table=table(car("Red 1", x, y, 180), car("Blue 1", 40, 40)), car="Red 1")
    assert match.state.round.stage == "move"
    assert match.state.to_drive("Red 1") == pytest.approx(3.0, abs=0.06)
    (awaited,) = GAME.awaits(match.state)
    assert "part 1" in awaited.key
    back = moved(Straight(3.0), start=Pose(22, 20, math.pi), number=2)
    assert guided(match, back).headline == "Legal"
    assert kinds(take(match, back)) == ["moved"]
    assert match.state.round.stage == "free"
    assert not reasons(match, "floor_it")


def guided_words(match):
    return "; ".join(o.words for o in match.options())


def test_the_turn_that_is_made_before_the_token_is_made():
    match = laid(5, ("Oil", AT))
    take(match, moved(Turn(math.radians(12), AXLE), Straight(5.0)))
    assert match.state.round.bent
    x, y, heading = match.state.duties[0].target
    do(match, "placed", table=table(car("Red 1", x, y, math.degrees(heading))), car="Red 1")
    left, start = match.state.to_drive("Red 1"), Pose(x, y, heading)
    bent = moved(Straight(left), Turn(math.radians(40), AXLE), start=start, number=2)
    assert guided(match, bent).headline == "Not legal"
    assert guided(match, moved(Straight(left), start=start, number=3)).headline == "Legal"
    assert guided(match, None, table(car("Red 1", x, y, math.degrees(heading)))).words.endswith("is made.")


def test_whoever_stops_at_the_token_has_done_right():
    match = laid(5, ("Oil", AT))
    move = moved(Straight(2.1))
    assert guided(match, move).headline == "Legal"
    assert "goes on" in kinds(take(match, move))


def test_a_springboard_pushes_from_where_it_is_met():
    match = laid(4, ("Springboard", AT))
    take(match, moved(Straight(4.0)))
    assert match.state.duties[0].target[:2] == pytest.approx((28, 20), abs=0.06)
    assert match.state.round.stage == "move"


def test_a_token_that_is_met_with_the_last_inch_leaves_nothing_to_drive():
    match = laid(2, ("Oil", AT - 0.1))
    assert "goes on" not in kinds(take(match, moved(Straight(2.0))))
    assert match.state.round.stage == "free"


@pytest.mark.parametrize(
    ("driven", "at", "headline"),
    [
        (3.0, AT, "Legal"),  # Speed 6 becomes 3
        (6.0, AT, "Not legal"),
        (4.55, AT + 2.4, "Legal"),  # met after 4.4 inches: it goes no farther
        (6.0, AT + 2.4, "Not legal"),
        (6.0, AT + 8.0, "Legal"),
    ],
)
def test_spikes_shorten_the_manoeuvre_under_way(driven, at, headline):
    match = laid(6, ("Spikes", at))
    move = moved(Straight(driven))
    assert guided(match, move).headline == headline
    if headline == "Legal":
        events = take(match, move)
        assert kinds(events)[0] == "moved"
        assert match.state.car("Red 1").speed == (6 if at > AT + 5 else 3)
    else:
        (goal,) = [guided(match, move).goal]
        assert goal[0] - 20 == pytest.approx(3.0 if at == AT else 4.4, abs=0.06)


def test_what_lies_beyond_a_token_is_not_met():
    match = laid(6, ("Oil", AT), ("Roadmine", AT + 3.5))
    assert [d["token"] for d in told(take(match, moved(Straight(6.0))), "triggered")] == ["Oil 1"]


def test_a_roadmine_is_driven_over_and_the_way_goes_on():
    match = laid(6, ("Roadmine", AT), ("Oil", AT + 2.0))
    events = take(match, moved(Straight(6.0)))
    assert [d["token"] for d in told(events, "triggered")] == ["Roadmine 1", "Oil 2"]
    # Its big box costs Speed at once.
    assert match.state.car("Red 1").speed == 5


def test_without_a_camera_the_steps_say_what_is_left():
    match = laid(5, ("Oil", AT))
    run = [{"kind": "straight", "ahead": 2.0}]
    drive(match, "Red 1", steps=run, triggered=["Oil 1"])
    do(match, "placed", car="Red 1")
    assert match.state.to_drive("Red 1") == 3.0
    assert "0.50 in of 3.00 in" in reasons(
        match, "move", car="Red 1", steps=[{"kind": "straight", "ahead": 0.5}]
    )
    drive(match, "Red 1", steps=[{"kind": "straight", "ahead": 3.0}])
    assert match.state.round.stage == "free"
    match = laid(5, ("Oil", AT))
    assert "at most 5 in" in reasons(match, "move", car="Red 1", triggered=["Oil 1"], left=7)
    drive(match, "Red 1", triggered=["Oil 1"], left=1.5)
    assert match.state.to_drive("Red 1") == 1.5
    match = laid(5, ("Oil", AT))
    drive(match, "Red 1", triggered=["Oil 1"])
    assert match.state.round.stage == "free"


def test_a_collision_after_a_springboard_ends_the_round():
    match = laid(4, ("Springboard", AT))
    take(match, moved(Straight(4.0)))
    do(match, "placed", (3,), car="Red 1", contacts=["Rock"])
    do(match, "placed", car="Red 1")
    assert match.state.round.driver == "Blue"


def test_a_token_beside_the_way_changes_nothing():
    match = laid(5)
    assert kinds(take(match, moved(Straight(5.0)))) == ["moved"]
    assert Seen().moves == {}


def test_the_guide_of_a_turned_car_tells_what_it_swings_into_and_accepts_no_close_call():
    rock_at = {True: 12.0, False: 10 + math.hypot(1.475, 0.6) + 0.45}
    for sure, y in rock_at.items():
        match = begun(sheet("Red 1", "Red", secondary="Disruptor"), sheet("Blue 1", "Blue"))
        drive(match, "Red 1")
        do(match, "shoot", (8,), table=table(car("Red 1", 10, 10), car("Blue 1", 20, 10)),
           weapon="Disruptor", target="Blue 1")  # fmt: skip
        after = car("Blue 1", 20, 10, 90, sd=0.01, sd_degrees=0.2)
        stood = table(car("Red 1", 10, 10), after, block("Rock", 20, y, 3, 1))
        move = Move("move-1", "Blue 1", table(car("Blue 1", 20, 10)), after, 0.0, 1.0)
        guide = guided(match, move, stood)
        if sure:
            assert (guide.headline, guide.facts) == ("In place", ("It touches Rock.",))
        else:
            assert (guide.headline, guide.take, guide.said) == ("Too close to call", "", ())
