"""Shots and dropped weapons, with dice typed in."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.errors import TableRefError
from engine.games.white_line_fever.book.data import WEAPONS
from engine.games.white_line_fever.rules.displacing import with_tokens
from engine.games.white_line_fever.rules.moves import rule_manoeuvre
from engine.measure.sweep import Straight
from engine.space.geometry import Pose
from engine.space.table import Status
from tests.engine.games.white_line_fever.drives import seen_of
from tests.engine.games.white_line_fever.playing import begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import block, car, table, token

BOOK = "White Line Fever 0.9 · "

AIMED = [w for w in WEAPONS.values() if not w.droppable]


def ready(weapon, *others, speed=4, brand="Venus"):
    """Red 1 with the weapon has moved; Blue 1 waits to be shot at."""
    slot = WEAPONS[weapon].hardpoint
    match = begun(
        sheet("Red 1", "Red", **{slot: weapon}), sheet("Blue 1", "Blue", speed=speed, brand=brand), *others
    )
    drive(match, "Red 1")
    return match


def shoot(match, weapon, dice, band="maximum", **data):
    return do(match, "shoot", dice, weapon=weapon, target="Blue 1", band=band, **data)


@pytest.mark.parametrize("weapon", AIMED, ids=lambda w: w.name)
def test_every_weapon_does_its_damage_on_a_hit_and_none_on_a_miss(weapon):
    events = shoot(ready(weapon.name), weapon.name, (8,))
    assert told(events, "hit")
    assert told(events, "damaged")[0]["amount"] == weapon.damage
    assert [e.citation for e in events if e.kind == "shot"] == [f"{BOOK}Weapons · {weapon.name}"]
    events = shoot(ready(weapon.name, speed=6), weapon.name, (2,))
    assert told(events, "missed")
    assert told(events, "damaged") == []


@pytest.mark.parametrize(("roll", "speed", "hit"), [(4, 4, True), (3, 4, False), (1, 1, True), (5, 6, False)])
def test_the_roll_has_to_reach_the_targets_speed(roll, speed, hit):
    events = shoot(ready("Autocannon", speed=speed), "Autocannon", (roll,))
    assert kinds(events)[2:4] == ["roll", "hit" if hit else "missed"]


@pytest.mark.parametrize(
    ("weapon", "band", "tailgate", "apply", "accuracy", "damage"),
    [
        ("Autocannon", "maximum", False, "accuracy", 0, 2),
        ("Autocannon", "short", False, "accuracy", 1, 2),
        ("Autocannon", "short", True, "accuracy", 2, 2),
        ("Autocannon", "short", True, "damage", 0, 4),
        ("Autocannon", "maximum", True, "damage", 0, 3),
        ("Streetsweeper", "short", False, "accuracy", 3, 2),
        ("Streetsweeper", "short", False, "damage", 2, 3),
        ("Streetsweeper", "maximum", False, "accuracy", -1, 2),
        ("Streetsweeper", "maximum", True, "damage", -1, 3),
        ("Plinker", "short", False, "accuracy", 0, 1),
        ("Plinker", "short", True, "damage", -1, 3),
        ("Dirtnap", "maximum", True, "accuracy", 1, 2),
        ("Dirtnap", "maximum", True, "damage", 0, 3),
        ("Dirtnap", "short", False, "accuracy", 1, 1),
    ],
)
def test_modifiers_go_where_they_were_declared(weapon, band, tailgate, apply, accuracy, damage):
    events = shoot(ready(weapon), weapon, (8,), band, tailgate=tailgate, apply=apply)
    assert told(events, "hit")[0]["accuracy"] == accuracy
    assert told(events, "damaged")[0]["amount"] == damage
    # Declared before the die.
    assert all(k != "modified" for k in kinds(events)[kinds(events).index("roll") :])


def test_a_weapon_that_brings_its_article_keeps_it():
    match = begun(sheet("Red 1", "Red", primary="The Big Scary"), sheet("Blue 1", "Blue", brand="Essence"))
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="The Big Scary", target="Blue 1", band="short")
    told = [event.words for event in match.log]
    assert "Red 1 shoots at Blue 1 with The Big Scary" in told
    assert "the owner of the table: shoot at Blue 1 with The Big Scary" in told
    assert not [words for words in told if "the The" in words or " a Essence" in words]
    assert any("an Essence" in words for words in told)


def test_undeclared_modifiers_go_to_accuracy_and_each_is_told_by_its_rule():
    events = shoot(ready("Autocannon", speed=5), "Autocannon", (4,), "short")
    assert told(events, "hit")
    assert told(events, "damaged")[0]["amount"] == 2
    events = shoot(ready("Dirtnap"), "Dirtnap", (8,), "short", tailgate=True)
    assert [(e.words, e.citation) for e in events if e.kind == "modified"] == [
        ("Short Range +1 Accuracy", f"{BOOK}Shoot Weapon · Modifiers · Short Range"),
        ("Tailgate +1 Accuracy", f"{BOOK}Shoot Weapon · Modifiers · Tailgate"),
        ("Dirtnap +1 damage", f"{BOOK}Weapons · Dirtnap"),
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"band": "out"}, "Blue 1 is beyond the Machine Gun's Maximum Range"),
        ({"sight": False}, "Blue 1 cannot be seen"),
        ({"arc": False}, "Blue 1 is not in the forward arc"),
        ({"band": "out", "arc": False}, "Maximum Range; Blue 1 is not in the forward arc"),
        ({"band": None}, "nobody saw the shot: say the range band"),
        ({"target": "Red 2"}, "Red 2 is Red's own car"),
        ({"target": "Red 1"}, "Red 1 is Red's own car"),
        ({"weapon": "Plinker"}, "Red 1 carries no Plinker"),
        ({"weapon": "Oil"}, "Oil is dropped, not shot"),
        ({"band": "out", "player": "Blue"}, "not Blue's; Blue 1 is beyond"),
        ({"reached": ["Red 2"]}, "the Machine Gun reaches nobody but its target"),
        ({"player": "Blue"}, "it is Red's to do, not Blue's"),
    ],
)
def test_a_shot_that_may_not_be_taken(data, words):
    match = ready("Machine Gun", sheet("Red 2", "Red"))
    assert words in reasons(
        match, "shoot", **{"weapon": "Machine Gun", "target": "Blue 1", "band": "short"} | data
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"weapon": "Catapult"}, "no weapon called 'Catapult'"),
        ({"target": "Blue 7"}, "no car called 'Blue 7'"),
        ({"band": "near"}, "Range: expected Short Range or Maximum Range or out of range but got near"),
        ({"apply": "both"}, "Modifiers go to: expected accuracy or damage but got both"),
        ({"tailgate": 1}, "tailgate: expected true or false"),
    ],
)
def test_a_shot_that_makes_no_sense(data, message):
    match = ready("Machine Gun")
    shot = {"weapon": "Machine Gun", "target": "Blue 1", "band": "short"} | data
    with pytest.raises(TableRefError, match=message):
        do(match, "shoot", (8,), **shot)


def test_a_javelin_flies_once_a_game():
    match = ready("Mark 9 Javelin", speed=6)
    shoot(match, "Mark 9 Javelin", (1,))
    do(match, "floor_it", (6,))
    drive(match, "Red 1")
    assert reasons(match, "shoot", weapon="Mark 9 Javelin", target="Blue 1", band="short") == (
        "Red 1's Mark 9 Javelin is spent: once per game"
    )
    (offered,) = [o for o in match.options() if o.data.get("weapon") == "Mark 9 Javelin"]
    assert [r.words for r in offered.not_now] == ["Red 1's Mark 9 Javelin is spent: once per game"]
    for _ in range(3):
        match.undo()
    assert not reasons(match, "shoot", weapon="Mark 9 Javelin", target="Blue 1", band="short")


def test_a_shock_gun_shoots_on_the_first_manoeuvre_only():
    match = ready("Shock Gun")
    assert not reasons(match, "shoot", weapon="Shock Gun", target="Blue 1", band="short")
    do(match, "floor_it", (6,))
    drive(match, "Red 1")
    assert reasons(match, "shoot", weapon="Shock Gun", target="Blue 1", band="short") == (
        "the Shock Gun shoots on the first Maneuver only"
    )


@pytest.mark.parametrize("roll", [1, 8])
@pytest.mark.parametrize(
    ("weapon", "kind", "inches"), [("Tank Cannon", "spin", 0.0), ("Field Cannon", "push", 2.0)]
)
def test_two_cannons_move_their_own_car_hit_or_miss(weapon, kind, inches, roll):
    match = ready(weapon)
    shoot(match, weapon, (roll,))
    duty = match.state.duties[0]
    cited = f"{BOOK}Weapons · {weapon}"
    assert (duty.kind, duty.car, duty.inches, duty.citation) == (kind, "Red 1", inches, cited)
    do(match, "placed", car="Red 1")
    assert not reasons(match, "speed", to=4)


@pytest.mark.parametrize(("roll", "speed", "own"), [(1, 4, 3), (1, 1, 3), (2, 4, 0), (8, 4, 0)])
def test_a_plasma_gun_hurts_its_own_car_on_a_natural_one(roll, speed, own):
    match = ready("Plasma Gun", sheet("Red 2", "Red"), speed=speed)
    shoot(match, "Plasma Gun", (roll,), "short", tailgate=True)
    assert match.state.car("Red 1").marked == own
    match = ready("Plasma Gun", sheet("Red 2", "Red"))
    match.overrule(["cars", "Red 1", "marked"], 19, "hit before")
    shoot(match, "Plasma Gun", (1,))
    assert match.state.car("Red 1").status == "removed"
    do(match, "blast", (), cars=[])
    assert match.state.round.driver == "Blue"


@pytest.mark.parametrize(("speed", "after"), [(6, 5), (3, 2), (2, 2), (1, 1)])
def test_a_nail_blaster_slows_to_no_less_than_two(speed, after):
    match = ready("Nail Blaster", speed=speed)
    shoot(match, "Nail Blaster", (8,))
    assert match.state.car("Blue 1").speed == after


@pytest.mark.parametrize(
    ("weapon", "kind", "inches", "by"),
    [
        ("Long Horn", "spin", 0.0, None),
        ("Disruptor", "turn", 0.0, "Red"),
        ("Slammer", "push", 3.0, None),
        ("Harpoon", "pull", 3.0, None),
    ],
)
def test_four_secondaries_move_the_target_on_a_hit_only(weapon, kind, inches, by):
    match = ready(weapon, speed=6)
    shoot(match, weapon, (8,))
    duty = match.state.duties[0]
    assert (duty.kind, duty.car, duty.inches, duty.by) == (kind, "Blue 1", inches, by)
    match = ready(weapon, speed=6)
    shoot(match, weapon, (2,))
    assert match.state.duties == ()


@pytest.mark.parametrize("weapon", ["Long Horn", "Slammer", "Nail Blaster"])
def test_a_destroyed_target_is_not_moved(weapon):
    match = ready(weapon, sheet("Blue 2", "Blue"))
    match.overrule(["cars", "Blue 1", "marked"], 19, "hit before")
    events = shoot(match, weapon, (8,))
    assert match.state.car("Blue 1").status == "wreck"
    assert match.state.duties == ()
    assert told(events, "special") == []


def test_a_railgun_does_five_to_the_next_in_line():
    match = ready("Railgun", sheet("Red 2", "Red"), sheet("Blue 2", "Blue"))
    events = shoot(match, "Railgun", (8,), "short", apply="damage", reached=["Red 2"])
    assert {d["car"]: d["amount"] for d in told(events, "damaged")} == {"Blue 1": 2, "Red 2": 5}
    match = ready("Railgun", sheet("Red 2", "Red"), speed=6)
    assert told(shoot(match, "Railgun", (2,), reached=["Red 2"]), "damaged") == []


@pytest.mark.parametrize(
    ("weapon", "reached", "words"),
    [
        ("Railgun", ["Red 2", "Blue 2"], "a Railgun goes on to one car"),
        ("Railgun", ["Blue 1"], "is the target itself or not in play"),
        ("Grenade Launcher", ["Blue 1"], "is the target itself or not in play"),
    ],
)
def test_who_cannot_be_reached_besides(weapon, reached, words):
    match = ready(weapon, sheet("Red 2", "Red"), sheet("Blue 2", "Blue"))
    data = {"weapon": weapon, "target": "Blue 1", "band": "short", "reached": reached}
    assert words in reasons(match, "shoot", **data)


def test_a_grenade_bursts_over_all_that_stand_near():
    match = ready("Grenade Launcher", sheet("Red 2", "Red"), sheet("Blue 2", "Blue"))
    data = {"apply": "damage", "reached": ["Red 2", "Blue 2", "Red 1"]}
    events = shoot(match, "Grenade Launcher", (8,), "short", **data)
    assert {d["car"]: d["amount"] for d in told(events, "damaged")} == dict.fromkeys(
        ["Blue 1", "Red 2", "Blue 2", "Red 1"], 2
    )


def test_a_turret_needs_no_forward_arc_and_a_shot_with_typed_facts_says_so():
    match = ready("Creaky Turret")
    assert not reasons(match, "shoot", weapon="Creaky Turret", target="Blue 1", band="short", arc=False)
    events = shoot(ready("Machine Gun"), "Machine Gun", (8,))
    assert told(events, "target")[0]["typed"]
    assert events[0].words == "Blue 1 is a legal target (players' ruling)"


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


@pytest.mark.parametrize(
    ("weapon", "words", "log"),
    [
        ("Oil", "takes 2 damage and spins out", "Oil: Blue 1 spins out"),
        ("Springboard", "is pushed 6 in", "Springboard: Blue 1 is pushed 6 in"),
        ("Roadmine", "takes 5 damage", None),
    ],
)
def test_what_a_token_does_is_said_in_sentences_before_and_after(weapon, words, log):
    match = begun(sheet("Red 1", "Red", secondary=weapon), sheet("Blue 1", "Blue", speed=5))
    drive(match, "Red 1")
    (drop,) = (option for option in match.options() if option.kind == "drop")
    assert drop.more == f"Whoever drives onto it {words}."
    events = run_over(dropped(weapon), f"{weapon} 1")
    assert [e.words for e in events if e.kind == "special"] == ([] if log is None else [log])


def test_only_a_droppable_is_dropped_and_under_a_new_name():
    match = begun(sheet("Red 1", "Red", secondary="Railgun"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    assert reasons(match, "drop") == "Red 1's Railgun is shot, not dropped"
    match = dropped("Oil")
    drive(match, "Blue 1")
    for name in ("Oil 1", "oil 1"):
        assert reasons(match, "drop", token=name) == "a token called Oil 1 lies on the table already"
    stood = table(car("Blue 1", 20, 20), block("Rock", 30, 30, 2, 2))
    for name in ("Red 1", "red 1"):
        assert reasons(match, "drop", stood, token=name) == "Red 1 is no token: give it another name"
    assert reasons(match, "drop", stood, token="Rock").startswith("Rock is no token: give it another name")
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
    ("x", "y", "off"),
    [
        (20, 20 - 1.475 - 1.5, None), (20.5, 20 - 1.475 - 1.2, None), (20, 20 - 1.475 - 1.9, None),
        (20, 20 - 1.475 - 2.5, "1.00"), (20, 20 - 1.475 - 0.5, "1.00"), (22, 20 - 1.475 - 1.5, "1.40"),
        (20, 20 + 1.475 + 1.5, "5.95"), (40, 40.005, "22.98"),
    ],
)  # fmt: skip
def test_a_token_is_laid_directly_behind_the_car(x, y, off):
    """ "Place the appropriate token directly behind the Driver's car"."""
    match = begun()
    drive(match, "Red 1")
    red = car("Red 1", 20, 20, 90)
    words = f"Oil 1 lies {off} in from directly behind Red 1" if off else ""
    stood = table(red, token("Oil 1", x, y))
    assert reasons(match, "drop", stood) == words
    # The players may let it pass; it acts where it lies.
    events = do(match, "drop", table=stood, **({"ruled": "yes"} if off else {}))
    assert told(events, "dropped")[0]["at"][:2] == pytest.approx((x, y))


@pytest.mark.parametrize("block_", [None, block("Crate", 20.0, 1.0, 4.0, 2.0)])
def test_a_token_off_the_surface_or_on_an_obstacle_lies_there_and_is_met_there(block_):
    """ "Any car that passes through or covers any part": what of it a car can reach, it can meet."""
    match = begun(sheet("Red 1", "Red", speed=4, secondary="Roadmine"), sheet("Blue 1", "Blue", speed=4))
    drive(match, "Red 1")
    # Its rear an inch from the edge: two of the token's three inches hang over it, or lie on the crate.
    y, more = (1.0, ()) if block_ is None else (2.5, (block_,))
    red = car("Red 1", 20, y + 1.475, 90)
    assert reasons(match, "drop", table(red, *more)) == ""
    (laid,) = told(do(match, "drop", table=table(red, *more)), "dropped")
    assert laid["at"][1] == pytest.approx(y - 1.5)
    do(match, "end")
    for aside, met in ((0.3, ["Roadmine 1"]), (-0.3, [])):
        # Past it with a side that reaches so far over what is left free of it.
        lane = y - aside + 0.6
        seen = seen_of([Straight(4)], start=Pose(16.0, lane, 0.0))
        on = with_tokens(match.state, table(replace(car("Blue 1", 0, 0), pose=seen.start), *more))
        found = rule_manoeuvre(on, "Blue 1", seen, 4.0)
        assert [m.other for m in found.met] == met
        assert found.as_action()["triggered"] == met


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


def test_spikes_slow_to_no_less_than_one_a_springboard_throws_six_inches_and_oil_ends_no_round():
    for speed, after in ((5, 2), (4, 1), (2, 1)):
        match = dropped("Spikes")
        match.overrule(["cars", "Blue 1", "speed"], speed, "so it is")
        run_over(match, "Spikes 1")
        assert match.state.car("Blue 1").speed == after
    match = dropped("Springboard")
    run_over(match, "Springboard 1", table=table(car("Blue 1", 20, 20, 90)))
    assert match.state.duties[0].inches == 6.0
    assert match.state.duties[0].target == pytest.approx((20, 26, math.pi / 2))
    match = dropped("Oil")
    run_over(match, "Oil 1")
    do(match, "placed", car="Blue 1")
    assert not reasons(match, "floor_it")
    assert not reasons(match, "speed", to=6)
    # Tokens come before the contact at the end of the way.
    events = run_over(dropped("Roadmine"), "Roadmine 1", (8,), contacts=["Rock"])
    assert [d["cause"] for d in told(events, "damaged")] == ["Roadmine 1", "the Collision"]


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


@pytest.mark.parametrize(
    ("blue", "under"),
    [
        # The token lies from x = 15.525 to 18.525, a sedan's front is 1.475 before its middle.
        (car("Blue 1", 15.2, 20), "yes"),
        (car("Blue 1", 14.0, 20), "no"),
        (car("Blue 1", 14.06, 20, sd=0.05), "open"),
        (car("Blue 1", 14.04, 20, sd=0.05), "open"),
        (car("Blue 1", 14.3, 20, sd=0.05), "yes"),
        (car("Blue 1", 13.8, 20, sd=0.05), "no"),
        (car("Blue 1", 15.2, 20, status=Status.HELD), "open"),
    ],
)
def test_the_table_sees_whom_a_token_is_laid_under_and_triggers_it_at_once(blue, under):
    match = begun(sheet("Red 1", "Red", secondary="Roadmine"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    stood = table(car("Red 1", 20, 20), blue)
    words = reasons(match, "drop", stood)
    assert words == ("Blue 1: under the token, too close to call" if under == "open" else "")
    for ruled in ("yes", "no") if under == "open" else (None,):
        events = do(match, "drop", table=stood, **({"ruled": {"Blue 1": ruled}} if ruled else {}))
        assert [d["verdict"] for d in told(events, "ruled")] == ([ruled] if ruled else [])
        assert bool(told(events, "triggered")) is ((ruled or under) == "yes")
        match.undo()
    assert kinds(do(match, "drop", table=stood, under=[])) == ["dropped"]
    match.undo()
    assert kinds(do(match, "drop", under=["blue 1"])) == ["dropped", "triggered", "damaged", "penalty"]
    assert match.state.tokens == ()


def test_a_token_that_is_laid_under_two_cars_acts_on_both():
    """ "Any car that … covers any part of a Droppable token immediately suffers … Then remove"."""
    match = begun(sheet("Red 1", "Red", secondary="Oil"), sheet("Blue 1", "Blue"), sheet("Green 1", "Green"))
    drive(match, "Red 1")
    stood = table(car("Red 1", 20, 20), car("Blue 1", 15.2, 19.3), car("Green 1", 15.2, 20.7))
    events = do(match, "drop", table=stood)
    assert [d["car"] for d in told(events, "triggered")] == ["Blue 1", "Green 1"]
    assert [d["amount"] for d in told(events, "damaged")] == [2, 2]
    assert [(d.kind, d.car) for d in match.state.duties] == [("spin", "Blue 1"), ("spin", "Green 1")]
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
