"""Set-up, deployment, rounds and their order, giving up."""

from __future__ import annotations

import dataclasses

import pytest

from engine.errors import TableRefError
from engine.game.events import Illegal
from engine.game.forms import Number, Numbers, Pick, check_answers
from engine.game.match import Match
from engine.game.records import to_json
from engine.games.white_line_fever.book.data import HouseRules
from engine.games.white_line_fever.state import STATES
from engine.space.table import Status
from tests.engine.games.white_line_fever.playing import GAME, begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import block, car, table, token

RED, BLUE = sheet("Red 1", "Red"), sheet("Blue 1", "Blue")


def setup(**changes):
    return {"players": ["Red", "Blue"], "cars": [RED, BLUE]} | changes


def test_a_game_begins_with_its_record_sheets():
    match = Match.begin(GAME, setup(house={"tokens": 5}, first="Blue"))
    assert kinds(match.log) == ["begin", "sheet", "sheet"]
    state = match.state
    assert (state.players, state.first, state.house.tokens) == (("Red", "Blue"), "Blue", 5)
    assert {c.status for c in state.cars} == {"waiting"}
    assert (state.cars[0].speed, state.cars[0].tokens) == (3, 5)


def test_any_number_of_cars_whose_weapons_and_brands_are_known_by_any_spelling():
    players = [f"Player {k}" for k in range(9)]
    match = begun(*(sheet(f"Car {k}", players[k % 9]) for k in range(30)), players=players)
    assert len(match.state.driving()) == 30
    assert match.state.round.driver == "Player 0"
    match = Match.begin(GAME, setup(cars=[RED | {"brand": "mule", "primary": "machine-gun"}, BLUE]))
    car = match.state.cars[0]
    assert (car.brand, car.primary) == ("Mule", "Machine Gun")
    match = Match.begin(GAME, setup(cars=[RED | {"secondary": "Railgun", "tokens": 4}, BLUE]))
    assert match.state.cars[0].tokens == 0, "a car without a droppable has none"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"players": ["Red"]}, "players: expected two or more but got 1"),
        ({"players": ["Red", "red"]}, "players: expected different names but got Red, red"),
        ({"players": ["Red", "Blue", "Green"]}, "at least one for every player, Green has none"),
        ({"players": "Red"}, "players: expected a list of names"),
        ({"cars": [RED, RED, BLUE]}, "cars: expected different names"),
        ({"cars": [RED | {"owner": "Green"}, BLUE]}, "owner: expected 'Red' or 'Blue' but got 'Green'"),
        ({"cars": [RED | {"brand": "Ford"}, BLUE]}, "no brand called 'Ford'; expected one of Essence"),
        ({"cars": [RED | {"primary": "Oil"}, BLUE]}, "Oil is no primary weapon; mount it as secondary"),
        ({"cars": [RED | {"primary": "Laser"}, BLUE]}, "no weapon called 'Laser'"),
        ({"cars": [RED | {"speed": 7}, BLUE]}, "expected a speed of 1 to 6"),
        ({"cars": [RED | {"colour": "red"}, BLUE]}, "Red 1 has no field 'colour'"),
        ({"first": "Green"}, "first: expected 'Red' or 'Blue' but got 'Green'"),
        ({"deployment": "parade"}, "no deployment called 'parade'; expected one of arena, highway"),
        ({"house": {"tokens": -1}}, "tokens: expected 0 to 99 but got -1"),
        ({"house": {"armour_groups": []}}, "armour_groups: expected numbers from 1 on"),
        ({"house": {"blast_dice": "two"}}, "blast_dice: expected one of one for all, one each but got 'two'"),
        ({"house": {"token_size": "big"}}, "token_size: expected a number but got 'big'"),
        ({"house": {"place_tolerance": 0.0}}, "place_tolerance: expected 0.1 to 9 but got 0"),
        ({"house": {"length_tolerance": 885.0}}, "length_tolerance: expected 0 to 3 but got 885"),
        ({"house": {"gravity": 1}}, "gravity"),
        ({"rounds": 3}, "the setup has no field 'rounds'"),
    ],
)
def test_a_mistake_in_the_setup_is_named(changes, message):
    with pytest.raises(TableRefError, match=message):
        Match.begin(GAME, setup(**changes))


def test_house_rules_through_json():
    rules = HouseRules(armour_groups=(3, 4), blast_dice="one each")
    assert HouseRules.of(to_json(rules)) == rules
    assert HouseRules.of({}) == HouseRules()


@pytest.mark.parametrize(
    ("said", "dice", "kind"),
    [
        ("arena", (), "arena"), ("highway", (), "highway"), ("roll", (1,), "arena"),
        ("roll", (3,), "arena"), ("roll", (4,), "highway"), ("roll", (6,), "highway"),
    ],
)  # fmt: skip
def test_the_players_agree_on_a_deployment_or_roll_for_it(said, dice, kind):
    match = Match.begin(GAME, setup())
    assert "has to be decided" in reasons(match, "deploy", car="Red 1")
    assert {o.kind for o in match.options()} == {"deployment"}
    do(match, "deployment", dice, deployment=said)
    assert match.state.deployment == kind
    assert "is decided" in reasons(match, "deployment", deployment="arena")


def test_the_last_car_deployed_begins_the_first_round():
    match = Match.begin(GAME, setup(deployment="arena", first="Blue"))
    assert reasons(match, "choose", car="Red 1") == "the cars are not deployed yet"
    assert kinds(do(match, "deploy", car="Red 1")) == ["deployed"]
    assert reasons(match, "deploy", car="Red 1") == "Red 1 is deployed already"
    assert reasons(match, "deploy", car="Blue 1", player="Red") == "it is Blue's to do, not Red's"
    events = do(match, "deploy", car="Blue 1", at=[24.0, 45.0, -1.5])
    assert kinds(events) == ["deployed", "round"]
    assert told(events, "deployed")[0]["at"] == [24.0, 45.0, -1.5]
    assert match.state.round.driver == "Blue"


def test_on_the_highway_the_players_alternate_from_the_first_driver_on():
    cars = [sheet(f"{p} {k}", p) for p in ("Red", "Blue", "Green") for k in (1, 2)]
    match = Match.begin(
        GAME, {"players": ["Red", "Blue", "Green"], "cars": cars, "deployment": "highway", "first": "Blue"}
    )
    order = []
    while match.state.round is None:
        option = match.options()[0]
        assert {o.player for o in match.options()} == {option.player}
        order.append(option.player)
        do(match, "deploy", player=option.player, **option.data)
    assert order == ["Blue", "Green", "Red", "Blue", "Green", "Red"]
    match = Match.begin(GAME, setup(deployment="highway"))
    assert reasons(match, "deploy", car="Blue 1") == "Red places the next car"


@pytest.mark.parametrize(
    ("deployment", "name", "place", "words"),
    [
        ("arena", "Red 1", (24, 3, 90), ""),
        ("arena", "Red 1", (24, 1.475, 90), ""),
        ("arena", "Red 1", (24, 5, 90), "Red 1 is not within 6 in of the near edge"),
        ("arena", "Blue 1", (24, 45, -90), ""),
        ("arena", "Blue 1", (24, 3, 90), "Blue 1 is not within 6 in of the far edge"),
        ("arena", "Red 1", (24, 1, 90), "Red 1 does not stand wholly on the surface"),
        ("arena", "Red 1", (30, 3, 90), "Red 1 touches Rock"),
        ("highway", "Red 1", (24, 24, 0), ""),
        ("highway", "Red 1", (30, 3, 0), "Red 1 touches Rock"),
    ],
)
def test_where_a_car_may_be_deployed(deployment, name, place, words):
    match = Match.begin(GAME, setup(deployment=deployment))
    stood = table(car(name, *place), block("Rock", 30, 3, 2, 2))
    found = reasons(match, "deploy", stood, car=name)
    assert found.startswith(words) if words else not found
    if words:
        assert kinds(do(match, "deploy", table=stood, car=name, ruled="yes"))[-1] == "deployed"
    else:
        assert told(do(match, "deploy", table=stood, car=name), "deployed")[0]["at"] is not None


@pytest.mark.parametrize(("x", "y", "sure"), [(24, 1.46, False), (24, 1.3, True), (30, 24.01, False)])
def test_a_place_that_is_too_close_to_call_is_as_good_as_the_players_say(x, y, sure):
    """Flush with the edge, or nose to a rock, and known to a fiftieth of an inch."""
    match = Match.begin(GAME, setup(deployment="highway"))
    stood = table(car("Red 1", x, y, 90, sd=0.02), block("Rock", 30, 24 + 1.475 + 1, 2, 2))
    assert bool(reasons(match, "deploy", stood, car="Red 1")) is sure
    match = Match.begin(GAME, setup(deployment="arena", house={"deployment_depth": 0}))
    words = reasons(match, "deploy", table(car("Red 1", 24, 3, 90)), car="Red 1")
    assert words == "Red 1 is not within 0 in of the near edge"


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
    for name in ("Blue 1", "Green 1"):
        drive(match, name)
        do(match, "end")
    assert match.state.round.driver == "Blue"
    match = three()
    drive(match, "Red 1")
    do(match, "end")
    drive(match, "Blue 1", left_surface=True)
    drive(match, "Green 1")
    do(match, "end")
    drive(match, "Red 1")
    do(match, "floor_it", (1,))
    assert match.state.round.hands == "Green", "the opponent to the right is one who still plays"


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


HERE = car("Red 1", 24, 24)
LANE = (block("Left wall", 44, 25, 8, 0.5), block("Right wall", 44, 23, 8, 0.5))
WALLS = (block("Left wall", 24, 25, 12, 0.5), block("Right wall", 24, 23, 12, 0.5))
FLANK = (block("Left wall", 24, 25, 12, 0.5), block("Right wall", 24, 22, 12, 0.5))
POST = block("Post", 26.6, 24.5, 0.4, 0.4)


@pytest.mark.parametrize(
    ("pieces", "free"),
    [
        # A lane just wider than a car ends at a wall an inch ahead of it, or at the edge.
        ((HERE, *LANE, block("End", 47, 24, 1, 4)), True),
        ((car("Red 1", 44, 24), *LANE, block("End", 47, 24, 1, 4)), False),
        ((car("Red 1", 44, 24, 180), *LANE, block("End", 47, 24, 1, 4)), True),
        ((car("Red 1", 46.4, 24), *LANE), False),
        # With its nose at a wall it has none.
        ((HERE, *WALLS, block("End", 26.0, 24, 1.05, 4)), False),
        ((HERE, *WALLS, block("End", 25.97, 24, 1.05, 4)), False),
        ((HERE, *WALLS, block("End", 25.95, 24, 1.05, 4)), False),
        ((HERE, *WALLS, block("End", 29.2, 24, 1.05, 4)), True),
        # A drift is a way forward too, past a post inside the left flank where walls keep it from turning.
        ((HERE, *FLANK, POST), True),
        ((HERE, *FLANK, POST, block("Bollard", 26.6, 22.9, 0.4, 0.4)), False),
        # A hand on the car leaves it to the players.
        ((car("Red 1", 24, 24, status=Status.HELD),), False),
    ],
)
def test_the_table_knows_whether_there_is_a_way_forward(pieces, free):
    match = begun()
    do(match, "choose", car="Red 1")
    stood = table(*pieces)
    words = reasons(match, "reverse", stood, because="collision")
    assert words == ("Red 1 has a free way forward" if free else "")
    if free:
        events = do(match, "reverse", table=stood, because="collision", ruled="yes")
        assert kinds(events) == ["ruled", "reversed"]


@pytest.mark.parametrize(("weapon", "free"), [("Barricade", False), ("Roadmine", True)])
@pytest.mark.parametrize("tagged", [True, False])
def test_a_barricade_across_the_only_way_forward_is_an_unavoidable_collision(weapon, free, tagged):
    """ "get into an unavoidable Collision they can go in Reverse": the line of a Barricade says Collision."""
    match = begun()
    at = None if tagged else [27.5, 24.0, 0.0]
    laid = {"name": "Token", "weapon": weapon, "dropped_by": "Blue 1", "at": at}
    match.overrule(["tokens"], {"Token": laid}, "laid earlier")
    do(match, "choose", car="Red 1")
    seen = (token("Token", 27.5, 24.0),) if tagged else ()
    words = reasons(match, "reverse", table(HERE, *WALLS, *seen), because="collision")
    assert words == ("Red 1 has a free way forward" if free else "")


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
    assert STATES.as_json(match.state)["round"]["stage"] == "free"


def test_the_others_play_on_and_nobody_gives_up_twice():
    match = three()
    told = match.concede("Red", "the owner of the table")
    assert told[0].words == "Red gives up, as the owner of the table says"
    assert match.state.round.driver == "Blue"
    for name in ("Red", "Mallory"):
        with pytest.raises(Illegal, match=f"{name} cannot give up now"):
            match.concede(name)
    # Before the cars are down.
    cars = [sheet(f"{p} 1", p) for p in ("Red", "Blue", "Gold")]
    match = Match.begin(GAME, {"players": ["Red", "Blue", "Gold"], "cars": cars, "deployment": "highway"})
    for name in ("Red 1", "Blue 1"):
        do(match, "deploy", car=name)
    match.concede("Gold")
    assert match.state.round.driver == "Red"
    # Whoever was to drive first and has given up drives no round.
    match = Match.begin(GAME, {"players": ["Red", "Blue", "Gold"], "cars": cars, "deployment": "arena"})
    match.concede("Red")
    do(match, "deploy", car="Gold 1")
    events = do(match, "deploy", car="Blue 1")
    assert [(e.data["number"], e.data["driver"]) for e in events if e.kind == "round"] == [(1, "Blue")]
    # What they had in hand is handed on.
    match = three()
    drive(match, "Red 1")
    do(match, "floor_it", (1,))
    assert match.state.round.hands == "Blue"
    match.concede("Blue")
    assert match.state.round.hands == "Green"
    assert reasons(match, "move", player="Green", car="Red 1") == ""


def test_the_last_one_left_has_won_and_undo_brings_the_game_back():
    match = begun()
    before = match.state
    told = match.concede("Red")
    assert kinds(list(told)) == ["conceded", "left", "over"]
    assert told[0].words == "Red gives up"
    assert (match.state.winner, match.may_concede, match.options()) == ("Blue", (), ())
    match.undo("Red")
    assert match.state == before
    assert match.may_concede == ("Red", "Blue")


PIECES = [{"name": "Red 1", "owner": "Red"}, {"name": "Blue 1", "owner": "Blue"}]


def test_every_car_is_dealt_something_else_and_the_game_may_begin_at_once():
    so_far = {"players": ["Red", "Blue"], "pieces": PIECES}
    form = GAME.setup(so_far)
    assert form.not_yet == ()
    usual = {
        name: [f.fields[slot].usual for slot in ("brand", "primary", "secondary")]
        for name, f in form.pieces.items()
    }
    assert usual == {
        "Red 1": ["Hammer", "Shock Gun", "Harpoon"],
        "Blue 1": ["Mule", "Dirtnap", "Grenade Launcher"],
    }
    match = Match.begin(GAME, so_far)
    assert {c.name: [c.brand, c.primary, c.secondary] for c in match.state.cars} == usual
    assert match.state.deployment is None


def test_what_the_forms_ask_for_begins_the_game():
    pieces = [
        PIECES[0] | {"brand": "Venus", "primary": "Plinker", "secondary": "Oil", "speed": 5, "tokens": 1},
        PIECES[1],
    ]
    answers = {"deployment": "arena", "first": "Blue", "armour_groups": [3, 3], "blast_dice": "one each"}
    so_far = {"players": ["Red", "Blue"], "pieces": pieces, **answers}
    form = GAME.setup(so_far)
    assert not check_answers(form.game, answers, "")
    given = {key: value for key, value in pieces[0].items() if key not in ("name", "owner")}
    assert not check_answers(form.pieces["Red 1"], given, "")
    state = Match.begin(GAME, so_far).state
    red = state.car("Red 1")
    assert (red.speed, red.tokens, state.first, state.deployment) == (5, 1, "Blue", "arena")
    assert state.house == HouseRules(armour_groups=(3, 3), blast_dice="one each")


def test_tokens_are_asked_for_where_they_are_dropped():
    pieces = [PIECES[0] | {"secondary": "Oil"}, PIECES[1] | {"secondary": "Railgun"}]
    forms = GAME.setup({"players": ["Red", "Blue"], "pieces": pieces}).pieces
    assert "tokens" in forms["Red 1"].fields
    assert "tokens" not in forms["Blue 1"].fields


def test_every_house_rule_is_asked_for_with_its_usual_value():
    fields = GAME.setup({}).game.fields
    for rule in dataclasses.fields(HouseRules):
        one = fields[rule.name]
        assert one.folded
        usual = to_json(HouseRules())[rule.name]
        assert one.usual == usual
        assert not check_answers(GAME.setup({}).game, {rule.name: usual}, "")
    assert isinstance(fields["armour_groups"], Numbers)
    assert isinstance(fields["outnumbered"], Pick)
    assert isinstance(fields["turn_tolerance"], Number)
    assert (fields["turn_tolerance"].unit, fields["token_size"].unit) == ("rad", "in")


@pytest.mark.parametrize(
    ("so_far", "words"),
    [
        ({"players": ["Red"], "pieces": PIECES}, "A game needs two players or more."),
        ({"players": ["Red", "Blue", "Gold"], "pieces": PIECES[:1]}, "Blue and Gold have no car yet."),
        (
            {"players": ["Red", "Blue", "Gold", "Grey"], "pieces": PIECES[:1]},
            "Blue, Gold and Grey have no car yet.",
        ),
        (
            {"players": ["Red", "Blue"], "pieces": [*PIECES, PIECES[0]]},
            "Another car is called 'Red 1' already: give one of them another name.",
        ),
    ],
)
def test_it_says_why_it_cannot_begin_yet(so_far, words):
    (reason,) = GAME.setup(so_far).not_yet
    assert words in reason.words
    with pytest.raises(TableRefError):
        Match.begin(GAME, so_far)
