from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.game.match import Match
from engine.games.white_line_fever.book.data import HouseRules
from tests.engine.games.white_line_fever.playing import GAME, begun, do, kinds, reasons, sheet, told
from tests.engine.tables import block, car, table

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


def test_any_number_of_players_and_cars():
    players = [f"Player {k}" for k in range(9)]
    cars = [sheet(f"Car {k}", players[k % 9]) for k in range(30)]
    match = begun(*cars, players=players)
    assert len(match.state.driving()) == 30
    assert match.state.round.driver == "Player 0"


def test_weapons_and_brands_are_known_by_any_spelling():
    match = Match.begin(GAME, setup(cars=[RED | {"brand": "mule", "primary": "machine-gun"}, BLUE]))
    car = match.state.cars[0]
    assert (car.brand, car.primary) == ("Mule", "Machine Gun")


def test_a_car_without_a_droppable_has_no_tokens():
    match = Match.begin(GAME, setup(cars=[RED | {"secondary": "Railgun", "tokens": 4}, BLUE]))
    assert match.state.cars[0].tokens == 0


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
        ({"house": {"tokens": -1}}, "tokens: expected a whole number from 0 to 99 but got -1"),
        ({"house": {"armour_groups": []}}, "armour_groups: expected the boxes of each group"),
        ({"house": {"blast_dice": "two"}}, "blast_dice: expected 'one for all' or 'one each' but got 'two'"),
        ({"house": {"token_size": "big"}}, "token_size: expected a number of 0 or more but got 'big'"),
        ({"house": {"gravity": 1}}, "no house rule called 'gravity'; expected one of armour_groups"),
        ({"rounds": 3}, "the setup has no field 'rounds'"),
    ],
)
def test_a_mistake_in_the_setup_is_named(changes, message):
    with pytest.raises(TableRefError, match=message):
        Match.begin(GAME, setup(**changes))


def test_house_rules_through_json():
    rules = HouseRules(armour_groups=(3, 4), blast_dice="one each")
    assert HouseRules.from_json(rules.as_json()) == rules
    assert HouseRules.from_json({}) == HouseRules()


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


def test_nobody_stands_in_a_strip_of_no_depth():
    match = Match.begin(GAME, setup(deployment="arena", house={"deployment_depth": 0}))
    words = reasons(match, "deploy", table(car("Red 1", 24, 3, 90)), car="Red 1")
    assert words == "Red 1 is not within 0 in of the near edge"
