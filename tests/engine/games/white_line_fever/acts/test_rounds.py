from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.events import Illegal
from engine.game.match import Match
from engine.games.white_line_fever.state.game_state import as_json
from engine.space.table import Status
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import block, car, table


def three(green=1):
    greens = [sheet(f"Green {k + 1}", "Green") for k in range(green)]
    return begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"), *greens)


def test_the_next_driver_sits_to_the_right_and_may_choose_any_of_his_cars():
    match = three(green=2)
    drivers = []
    for name in ("Red 1", "Blue 1", "Green 2", "Red 1", "Blue 1", "Green 2"):
        drivers.append(match.state.round.driver)
        drive(match, name)
        do(match, "end")
    assert drivers == ["Red", "Blue", "Green", "Red", "Blue", "Green"]
    assert match.state.round.number == 7


def test_a_player_without_cars_is_passed_over():
    match = three()
    drive(match, "Red 1", left_surface=True)
    assert match.state.round.driver == "Blue"
    drive(match, "Blue 1")
    do(match, "end")
    drive(match, "Green 1")
    do(match, "end")
    assert match.state.round.driver == "Blue"


def test_a_driver_takes_a_car_of_his_own_that_drives():
    match = three()
    assert reasons(match, "choose", car="Blue 1") == "Blue 1 is Blue's car, Red drives"
    assert reasons(match, "move", car="Blue 1") == "Blue 1 is Blue's car, Red drives"
    assert reasons(match, "choose", car="Red 1", player="Blue") == "it is Red's to do, not Blue's"
    do(match, "choose", car="red-1", player="Red")
    assert reasons(match, "move", car="Green 1") == "Red 1 is the car of this round, not Green 1"
    assert reasons(match, "choose", car="Red 1") == "Red 1 is the car of this round already"
    assert "no car called 'Gold 1'" in reasons(match, "move", car="Gold 1")
    with pytest.raises(TableRefError, match="no car called 'Gold 1'"):
        do(match, "move", car="Gold 1")


def test_another_car_may_be_chosen_until_the_first_has_moved():
    match = begun(sheet("Red 1", "Red"), sheet("Red 2", "Red"), sheet("Blue 1", "Blue"))
    do(match, "choose", car="Red 1")
    offered = [(o.kind, o.data.get("car")) for o in match.options()]
    assert ("choose", "Red 2") in offered
    assert ("choose", "Red 1") not in offered
    do(match, "reverse", because="surface")
    do(match, "choose", car="Red 2")
    # The direction was determined for the other one.
    assert (match.state.round.car, match.state.round.reverse) == ("Red 2", False)
    assert reasons(match, "choose", car="Blue 1") == "Blue 1 is Blue's car, Red drives"
    drive(match, "Red 2")
    assert reasons(match, "choose", car="Red 1") == "the Maneuver has been performed"
    do(match, "floor_it", (6,))
    assert reasons(match, "choose", car="Red 1") == "Red 2 has moved: it is the car of this round"
    assert "choose" not in [o.kind for o in match.options()]


def test_the_round_goes_in_order_direction_manoeuvre_speed():
    match = begun()
    for kind in ("floor_it", "end"):
        assert reasons(match, kind) == "the driver chooses a car first"
    do(match, "choose", car="Red 1")
    assert reasons(match, "speed", to=4) == "a Maneuver has to be performed first"
    drive(match, "Red 1")
    assert reasons(match, "move", car="Red 1") == "the Maneuver has been performed"
    do(match, "speed", to=6)
    assert (match.state.car("Red 1").speed, match.state.round.driver) == (6, "Blue")


@pytest.mark.parametrize(
    ("brand", "speed", "lawful"),
    [
        ("Venus", 3, {1, 2, 3, 4, 5, 6}),
        ("Venus", 1, {1, 2, 3, 4}),
        ("Venus", 6, {3, 4, 5, 6}),
        ("Pulsar", 1, {1, 2, 3, 4, 5, 6}),
        ("Pulsar", 6, {1, 2, 3, 4, 5, 6}),
    ],
)
def test_speed_changes_by_up_to_three_within_one_and_six(brand, speed, lawful):
    match = begun(sheet("Red 1", "Red", brand=brand, speed=speed), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    assert {to for to in range(-1, 9) if not reasons(match, "speed", to=to)} == lawful
    offered = {o.data["to"] for o in match.options() if o.kind == "speed"}
    assert offered == lawful - {speed}


def test_speed_stays_within_the_maximum_that_lost_armour_leaves():
    match = begun()
    match.overrule(["cars", "Red 1", "marked"], 10, "two big boxes")
    drive(match, "Red 1")
    assert reasons(match, "speed", to=5) == "Red 1's Speed is 1 to 4"
    assert not reasons(match, "speed", to=4)


def test_each_further_manoeuvre_needs_one_more_up_to_the_sixth():
    match = begun()
    for needed in (2, 3, 4, 5, 6):
        drive(match, "Red 1")
        events = do(match, "floor_it", (needed,))
        assert kinds(events) == ["roll", "floored"]
        assert match.state.round.manoeuvre == needed
    drive(match, "Red 1")
    assert reasons(match, "floor_it") == "a round has at most 6 Maneuvers"
    assert "floor_it" not in {o.kind for o in match.options()}


@pytest.mark.parametrize("safe", [0, 1, 2, 3, 4])
def test_a_failed_check_gives_the_wheel_to_the_opponent_to_the_right(safe):
    match = three()
    for needed in range(2, 2 + safe):
        drive(match, "Red 1")
        do(match, "floor_it", (needed,))
    drive(match, "Red 1")
    events = do(match, "floor_it", (1 + safe,))
    assert told(events, "lost control") == [
        {"car": "Red 1", "manoeuvre": 2 + safe, "hands": "Blue", "rolled": 1 + safe}
    ]
    assert reasons(match, "move", car="Red 1", player="Red") == "it is Blue's to do, not Red's"
    assert {o.kind for o in match.options()} == {"move"}
    assert reasons(match, "move", car="Red 1", player="Blue", left_surface=True).startswith(
        "Blue may not leave"
    )
    assert not reasons(match, "move", car="Red 1", player="Blue", left_surface=True, unavoidable=True)
    events = drive(match, "Red 1", player="Blue")
    assert kinds(events) == ["moved", "ended", "round"]
    assert told(events, "moved")[0]["by"] == "Blue"
    assert match.state.round.driver == "Blue"


def test_the_opponent_to_the_right_is_one_who_still_plays():
    match = three()
    drive(match, "Red 1")
    do(match, "end")
    drive(match, "Blue 1", left_surface=True)
    drive(match, "Green 1")
    do(match, "end")
    drive(match, "Red 1")
    do(match, "floor_it", (1,))
    assert match.state.round.hands == "Green"


@pytest.mark.parametrize(
    ("house", "mine", "theirs", "free"),
    [
        ({}, 1, (2,), True),
        ({}, 1, (1,), False),
        ({}, 2, (3,), False),
        ({}, 1, (1, 1), False),
        ({}, 1, (1, 2), True),
        ({"outnumbered": "by all opponents"}, 1, (1, 1), True),
        ({"outnumbered": "by all opponents"}, 1, (1,), False),
    ],
)
def test_an_outnumbered_last_car_has_a_second_manoeuvre_for_free(house, mine, theirs, free):
    cars = [sheet(f"Red {k + 1}", "Red") for k in range(mine)]
    for owner, count in zip(("Blue", "Green"), theirs, strict=False):
        cars += [sheet(f"{owner} {k + 1}", owner) for k in range(count)]
    match = begun(*cars, house=house)
    drive(match, "Red 1")
    events = do(match, "floor_it", () if free else (2,))
    assert kinds(events) == (["floored"] if free else ["roll", "floored"])
    drive(match, "Red 1")
    assert kinds(do(match, "floor_it", (3,))) == ["roll", "floored"]


def test_reverse_is_for_the_whole_round_and_chosen_before_its_first_manoeuvre():
    match = begun()
    do(match, "choose", car="Red 1")
    back = [{"kind": "straight", "ahead": -3.0}]
    assert reasons(match, "move", car="Red 1", steps=back) == "a run of 3.00 in goes backwards"
    do(match, "reverse", because="surface")
    assert reasons(match, "reverse", because="surface") == "Red 1 is in reverse already"
    assert "forward in reverse" in reasons(
        match, "move", car="Red 1", steps=[{"kind": "straight", "ahead": 3.0}]
    )
    drive(match, "Red 1", steps=back)
    do(match, "floor_it", (2,))
    assert not reasons(match, "move", car="Red 1", steps=back)
    assert "before the first Maneuver" in reasons(match, "reverse", because="surface")
    drive(match, "Red 1", steps=back)
    do(match, "end")
    assert not match.state.round.reverse


@pytest.mark.parametrize(
    ("x", "degrees", "free"), [(24, 0, True), (44, 0, False), (44, 180, True), (46.4, 0, False)]
)
def test_the_table_knows_whether_there_is_a_way_forward(x, degrees, free):
    match = begun()
    do(match, "choose", car="Red 1")
    # A lane just wider than a car ends at a wall an inch ahead of it, or at the edge.
    lane = (block("Left wall", 44, 25, 8, 0.5), block("Right wall", 44, 23, 8, 0.5))
    end = (block("End", 47, 24, 1, 4),) if x < 46 else ()
    stood = table(car("Red 1", x, 24, degrees), *lane, *end)
    words = reasons(match, "reverse", stood, because="collision")
    assert words == ("Red 1 has a free way forward" if free else "")
    if free:
        events = do(match, "reverse", table=stood, because="collision", ruled="yes")
        assert kinds(events) == ["ruled", "reversed"]


@pytest.mark.parametrize(("x", "free"), [(26.0, False), (25.97, False), (25.95, False), (29.2, True)])
def test_a_car_with_its_nose_at_a_wall_has_no_way_forward(x, free):
    match = begun()
    do(match, "choose", car="Red 1")
    lane = (block("Left wall", 24, 25, 12, 0.5), block("Right wall", 24, 23, 12, 0.5))
    stood = table(car("Red 1", 24, 24), *lane, block("End", x, 24, 1.05, 4))
    assert bool(reasons(match, "reverse", stood, because="collision")) is free


def test_a_hand_on_the_car_leaves_the_way_forward_to_the_players():
    match = begun()
    do(match, "choose", car="Red 1")
    assert not reasons(match, "reverse", table(car("Red 1", 24, 24, status=Status.HELD)), because="surface")


def test_a_drift_is_a_way_forward_too():
    # Nose to a post that stands just inside the left flank, walls that keep it from turning.
    match = begun()
    do(match, "choose", car="Red 1")
    walls = (block("Left wall", 24, 25, 12, 0.5), block("Right wall", 24, 22, 12, 0.5))
    post = block("Post", 26.6, 24.5, 0.4, 0.4)
    stood = table(car("Red 1", 24, 24), *walls, post)
    assert reasons(match, "reverse", stood, because="collision") == "Red 1 has a free way forward"
    closed = table(car("Red 1", 24, 24), *walls, post, block("Bollard", 26.6, 22.9, 0.4, 0.4))
    assert not reasons(match, "reverse", closed, because="collision")


def test_the_last_player_alive_wins():
    match = begun()
    events = drive(match, "Red 1", left_surface=True)
    assert kinds(events)[-1] == "over"
    assert (match.state.winner, match.options()) == ("Blue", ())
    assert reasons(match, "move", car="Blue 1") == "the game is over"


def test_nobody_wins_when_the_last_cars_go_together():
    match = begun()
    for name in ("Red 1", "Blue 1"):
        match.overrule(["cars", name, "marked"], 19, "one box left")
    match.overrule(["cars", "Red 1", "speed"], 2, "slow enough for the armour that is left")
    events = drive(match, "Red 1", contacts=[{"other": "Blue 1"}], dice=(2, 2))
    assert match.state.over
    assert match.state.winner is None
    assert events[-1].words == "nobody is left: nobody wins"


def test_what_an_overruling_leads_to_follows_at_once():
    match = three()
    match.overrule(["cars", "Red 1", "status"], "removed", "it fell off the table")
    assert match.state.round.driver == "Blue"
    drive(match, "Blue 1")
    match.overrule(["cars", "Blue 1", "status"], "wreck", "we forgot the fire")
    assert match.state.winner == "Green"
    log = match.log
    assert Match.replay(GAME, log).state == Match.again(GAME, log).state == match.state
    match.undo()
    assert match.state.round.car == "Blue 1"


def test_an_unknown_action_and_missing_fields_are_said_plainly():
    match = begun()
    with pytest.raises(TableRefError, match="car: expected a text but got None"):
        do(match, "choose")
    drive(match, "Red 1")
    with pytest.raises(TableRefError, match="to: expected a whole number but got '5'"):
        do(match, "speed", to="5")
    with pytest.raises(Illegal, match=r"Speed is 1 to 6 \(White Line Fever 0.9 · Rounds · Change Speed\)"):
        do(match, "speed", to=7)
    assert as_json(match.state)["round"]["stage"] == "free"
