"""Manoeuvres with what they lead to, and cars that are placed anew by what hit them."""

from __future__ import annotations

import math

import pytest

from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.game.events import Action, Illegal
from tests.engine.games.white_line_fever.playing import begun, do, drive, kinds, reasons, sheet, told
from tests.engine.tables import block, car, table


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


def shot_at(weapon, at=(20, 10, 0), primary=None, brand="Venus"):
    """Red 1 at (10, 10) has hit Blue 1 with a weapon that moves somebody, seen by the table."""
    match = begun(
        sheet("Red 1", "Red", primary or "Machine Gun", "Oil" if primary else weapon, brand),
        sheet("Blue 1", "Blue"),
    )
    drive(match, "Red 1")
    stood = table(car("Red 1", 10, 10), car("Blue 1", *at))
    do(match, "shoot", (8,), table=stood, weapon=weapon, target="Blue 1")
    return match


@pytest.mark.parametrize(
    ("weapon", "at", "target"),
    [
        ("Long Horn", (20, 10, 30), (20, 10, -150)),
        ("Slammer", (20, 10, 90), (23, 10, 90)),
        ("Slammer", (16, 18, 0), (16 + 1.8, 18 + 2.4, 0)),
        ("Harpoon", (20, 10, 90), (17, 10, 90)),
    ],
)
def test_the_ghost_of_a_displaced_target(weapon, at, target):
    match = shot_at(weapon, at)
    x, y, heading = match.state.duties[0].target
    assert (x, y, math.degrees(heading)) == pytest.approx(target)


def test_a_tank_cannon_turns_and_a_field_cannon_rolls_its_own_car_back():
    for weapon, target in (("Tank Cannon", (10, 10, math.pi)), ("Field Cannon", (8, 10, 0))):
        match = shot_at(weapon, (14.5, 10, 0), primary=weapon)
        assert match.state.duties[0].target == pytest.approx(target)


def test_without_a_table_there_is_no_ghost_and_the_players_vouch():
    match = begun(sheet("Red 1", "Red", secondary="Slammer"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    do(match, "shoot", (8,), weapon="Slammer", target="Blue 1", band="short")
    assert match.state.duties[0].target is None
    assert kinds(do(match, "placed", car="blue 1")) == ["placed"]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((23, 10, 0), ""),
        ((23.3, 10.3, 8), ""),
        ((23.6, 10, 0), "Blue 1 stands 0.60 in and 0° from its place"),
        ((23, 10, 15), "Blue 1 is in place, but facing the wrong way: 15° off"),
    ],
)
def test_the_table_confirms_the_place(place, words):
    match = shot_at("Slammer")
    stood = table(car("Red 1", 10, 10), car("Blue 1", *place))
    assert reasons(match, "placed", stood, car="Blue 1") == words
    if words:
        assert kinds(do(match, "placed", table=stood, car="Blue 1", ruled="yes")) == ["ruled", "placed"]
    else:
        (placed,) = do(match, "placed", table=stood, car="Blue 1")
        assert (placed.words, placed.data["at"][0]) == ("Blue 1 has been pushed", place[0])


def test_what_stopped_the_car_excuses_its_place():
    match = shot_at("Slammer")
    stood = table(car("Red 1", 10, 10), car("Blue 1", 21, 10))
    assert reasons(match, "placed", stood, car="Blue 1")
    assert "nothing is called 'Rock'" in reasons(match, "placed", stood, car="Blue 1", contacts=["Rock"])
    events = do(match, "placed", (4,), table=stood, car="Blue 1", obstacle="Rock")
    assert told(events, "collision")


@pytest.mark.parametrize(
    ("degrees", "lawful"), [(0, True), (90, True), (-90, True), (110, False), (180, False)]
)
def test_a_disruptor_turns_by_up_to_ninety_degrees_on_the_spot(degrees, lawful):
    match = shot_at("Disruptor")
    assert reasons(match, "placed", car="Blue 1", player="Blue") == "it is Red's to do, not Blue's"
    stood = table(car("Red 1", 10, 10), car("Blue 1", 20, 10, degrees))
    assert (reasons(match, "placed", stood, car="Blue 1", player="Red") == "") is lawful
    away = table(car("Red 1", 10, 10), car("Blue 1", 22, 10, degrees))
    assert reasons(match, "placed", away, car="Blue 1") != ""


def test_nothing_else_happens_before_the_car_is_placed_which_may_leave_the_surface():
    match = shot_at("Slammer")
    for kind in ("floor_it", "end", "drop"):
        assert reasons(match, kind) == "first Blue 1 has to be pushed"
    assert {o.kind for o in match.options()} == {"placed"}
    assert reasons(match, "placed", car="Red 1") == "Red 1 does not have to be placed"
    assert kinds(do(match, "placed", car="Blue 1", left_surface=True)) == ["placed", "left", "over"]
    assert match.state.winner == "Red"


def test_a_car_pulled_into_the_driver_ends_the_round():
    match = shot_at("Harpoon")
    do(match, "placed", (2, 2), car="Blue 1", contacts=["Red 1"])
    for name in ("Blue 1", "Red 1"):
        events = do(match, "placed", car=name)
    assert kinds(events) == ["placed", "ended", "round"]


def test_several_placements_of_one_car_come_in_their_order():
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue", secondary="Springboard"))
    drive(match, "Red 1")
    do(match, "end")
    drive(match, "Blue 1")
    do(match, "drop")
    do(match, "end")
    drive(match, "Red 1", triggered=["Springboard 1"], contacts=["Rock"], dice=(1,))
    assert [d.kind for d in match.state.duties] == ["push", "spin"]
    assert told(do(match, "placed", car="Red 1"), "placed")[0]["duty"] == "push"
    assert told(do(match, "placed", car="Red 1"), "placed")[0]["duty"] == "spin"


@pytest.mark.parametrize(
    ("triggered", "obstacle", "targets"),
    [
        (["Oil 1", "Oil 2"], None, [(20, 20, 180), (20, 20, 0)]),
        (["Oil 1", "Board"], None, [(20, 20, 180), (14, 20, 180)]),
        (["Board", "Oil 1"], None, [(26, 20, 0), (26, 20, 180)]),
        (["Oil 1"], "Rock", [(20, 20, 180), (20, 20, 0)]),
    ],
)
def test_each_placement_begins_where_the_one_before_it_leads(triggered, obstacle, targets):
    match = begun(sheet("Red 1", "Red"), sheet("Blue 1", "Blue"))
    weapons = {"Oil 1": "Oil", "Oil 2": "Oil", "Board": "Springboard"}
    laid = {n: {"name": n, "weapon": w, "dropped_by": "Blue 1", "at": None} for n, w in weapons.items()}
    match.overrule(["tokens"], laid, "laid earlier")
    stood = table(car("Red 1", 20, 20))
    drive(match, "Red 1", table=stood, triggered=triggered, obstacle=obstacle, dice=(3,) if obstacle else ())
    assert len(match.state.duties) == len(targets)
    for x, y, degrees in targets:
        assert match.state.duties[0].target == pytest.approx((x, y, math.radians(degrees)))
        assert not reasons(match, "placed", table(car("Red 1", x, y, degrees)), car="Red 1")
        assert reasons(match, "placed", table(car("Red 1", x, y, degrees + 180)), car="Red 1")
        do(match, "placed", table=table(car("Red 1", x, y, degrees)), car="Red 1")


def slammed(*others, tokens=(), weapon="Spikes", marked=0):
    """Blue 1 at (20, 10) is pushed 3 inches along x, among other pieces and tokens of a weapon."""
    match = begun(
        sheet("Red 1", "Red", secondary="Slammer"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue")
    )
    laid = {
        name: {"name": name, "weapon": weapon, "dropped_by": "Blue 2", "at": [x, y, 0.0]}
        for name, x, y in tokens
    }
    match.overrule(["tokens"], laid, "laid earlier")
    if marked:
        match.overrule(["cars", "Blue 1", "marked"], marked, "shot before")
    drive(match, "Red 1")
    stood = table(car("Red 1", 10, 10), car("Blue 1", 20, 10), *others)
    do(match, "shoot", (8,), table=stood, weapon="Slammer", target="Blue 1")
    return match, match.state.duties[0]


# A sedan is 2.95 long: pushed by 3 it reaches x = 24.475.
@pytest.mark.parametrize(
    ("others", "x", "meets"),
    [
        ((), 23.0, ()),
        ((block("Rock", 24, 10, 1, 1),), 22.025, ("Rock",)),
        ((car("Blue 2", 24, 10),), 21.05, ("Blue 2",)),
        ((block("Rock", 24, 12, 1, 1),), 23.0, ()),
        ((block("Rock", 24, 9.3, 1, 1), block("Mug", 24, 10.7, 1, 1)), 22.025, ("Mug", "Rock")),
    ],
)
def test_a_pushed_car_stops_at_what_it_meets(others, x, meets):
    _, duty = slammed(*others)
    assert duty.target == pytest.approx((x, 10, 0))
    assert tuple(sorted(duty.meets)) == meets


def test_what_the_table_foresaw_need_not_be_said_and_what_the_players_say_goes_before_it():
    rock = block("Rock", 24, 10, 1, 1)
    match, _ = slammed(rock)
    stood = table(car("Red 1", 10, 10), car("Blue 1", 22.0, 10), rock)
    events = do(match, "placed", (4,), table=stood, car="Blue 1")
    assert told(events, "placed")[0]["contacts"] == [{"other": "Rock", "kind": None}]
    assert told(events, "collision")[0]["obstacles"] == ["Rock"]
    match, _ = slammed(rock, tokens=[("Spikes 1", 23, 10)])
    (option,) = match.options()
    assert option.data == {"car": "Blue 1", "contacts": ["Rock"], "triggered": ["Spikes 1"]}
    do(match, "placed", (4,), **option.data)
    (option,) = match.options()
    assert option.data == {"car": "Blue 1"}
    assert kinds(do(slammed(rock)[0], "placed", car="Blue 1", contacts=[])) == ["placed"]
    assert kinds(do(slammed(rock)[0], "placed", car="Blue 1", left_surface=True))[:2] == ["placed", "left"]


def test_a_car_pushed_over_the_edge_is_out_without_a_word():
    match = begun(
        sheet("Red 1", "Red", secondary="Slammer"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue")
    )
    drive(match, "Red 1")
    stood = table(car("Red 1", 36, 10), car("Blue 1", 45, 10))
    do(match, "shoot", (8,), table=stood, weapon="Slammer", target="Blue 1")
    assert match.state.duties[0].leaves
    assert kinds(do(match, "placed", table=stood, car="Blue 1")) == ["placed", "left"]


def test_tokens_on_the_way_are_triggered_up_to_the_contact():
    match, duty = slammed(
        block("Rock", 24, 10, 1, 1),
        tokens=[("Spikes 9", 30, 10), ("Spikes 2", 24.4, 10), ("Spikes 1", 23, 10)],
    )
    # The first inch of the way covers tokens that reach back to x = 21.5 and 22.9.
    assert duty.crosses == ("Spikes 1", "Spikes 2")
    events = do(match, "placed", (4,), car="Blue 1")
    assert [d["token"] for d in told(events, "triggered")] == ["Spikes 1", "Spikes 2"]


@pytest.mark.parametrize(
    ("weapon", "marked", "dice", "told_of"),
    [
        ("Barricade", 0, (3,), ["placed", "triggered", "special", "collision"]),
        ("Roadmine", 15, (), ["placed", "triggered", "damaged", "destroyed"]),
        ("Roadmine", 18, (), ["placed", "triggered", "damaged", "destroyed"]),
        ("Oil", 17, (), ["placed", "triggered", "damaged", "destroyed"]),
    ],
)
def test_a_pushed_car_goes_no_farther_than_a_token_that_is_a_collision_or_destroys_it(
    weapon, marked, dice, told_of
):
    """ "immediately suffers the Damage and Special": there it lies, or explodes, and meets nothing beyond."""
    beyond = block("Rock", 24, 10, 1, 1)
    match, duty = slammed(
        beyond, tokens=[("Token", 24.475, 10), ("Next", 25.3, 10)], weapon=weapon, marked=marked
    )
    # The token reaches back to x = 22.975: its nose is there after an inch and a half.
    assert (duty.target[0], duty.meets, duty.crosses) == (pytest.approx(21.5), (), ("Token",))
    (option,) = match.options()
    assert option.heading_more == "Push it onto its shape, up to Token."
    stood = table(car("Red 1", 10, 10), car("Blue 1", 21.5, 10), beyond)
    assert kinds(do(match, "placed", dice, table=stood, car="Blue 1"))[:4] == told_of
    match, _ = slammed(tokens=[("Token", 24.475, 10)], weapon=weapon)
    if weapon != "Barricade":
        assert match.state.duties[0].target[0] == pytest.approx(23.0)


@pytest.mark.parametrize(("x", "reached"), [(29.0, True), (30.3, False)])
def test_a_pushed_car_that_a_token_blows_up_explodes_there(x, reached):
    match, duty = slammed(car("Blue 2", x, 10), tokens=[("Token", 24.475, 10)], weapon="Roadmine", marked=18)
    stood = table(car("Red 1", 2, 10), car("Blue 1", duty.target[0], 10), car("Blue 2", x, 10))
    events = do(match, "placed", (3,) if reached else (), table=stood, car="Blue 1")
    assert [d["cars"] for d in told(events, "blast")] == [["Blue 2"] if reached else []]


def test_wrecks_stop_a_car_and_removed_ones_do_not():
    for status, meets in (("wreck", ("Blue 2",)), ("removed", ())):
        match = begun(
            sheet("Red 1", "Red", secondary="Slammer"), sheet("Blue 1", "Blue"), sheet("Blue 2", "Blue")
        )
        match.overrule(["cars", "Blue 2", "status"], status, "so it is")
        drive(match, "Red 1")
        stood = table(car("Red 1", 10, 10), car("Blue 1", 20, 10), car("Blue 2", 24, 10))
        do(match, "shoot", (8,), table=stood, weapon="Slammer", target="Blue 1")
        assert match.state.duties[0].meets == meets


FELT = {"sd": 0.01, "sd_degrees": 0.2}

NOSE, SIDE = 1.475, 0.6


@pytest.mark.parametrize("known", [{}, FELT])
def test_a_car_pulled_away_from_what_it_touches_does_not_collide(known):
    match = begun(sheet("Red 1", "Red", secondary="Harpoon"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    behind = block("Rock", 20 + NOSE + 0.5 - 0.005, 10, 1, 1)
    stood = table(car("Red 1", 10, 10, **known), car("Blue 1", 20, 10, **known), behind)
    do(match, "shoot", (8,), table=stood, weapon="Harpoon", target="Blue 1")
    duty = match.state.duties[0]
    assert (duty.meets, duty.doubtful, duty.target[0]) == ((), (), pytest.approx(17))
    match = begun(sheet("Red 1", "Red", secondary="Slammer"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    do(match, "shoot", (8,), table=stood, weapon="Slammer", target="Blue 1")
    duty = match.state.duties[0]
    assert (duty.meets, duty.target[0]) == (("Rock",), pytest.approx(20, abs=0.02))


def test_a_car_a_little_over_the_edge_is_pulled_inward_without_leaving():
    match = begun(sheet("Red 1", "Red", secondary="Harpoon"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    stood = table(car("Red 1", 35, 10), car("Blue 1", 48 - NOSE + 0.005, 10))
    do(match, "shoot", (8,), table=stood, weapon="Harpoon", target="Blue 1")
    assert not match.state.duties[0].leaves
    assert kinds(do(match, "placed", car="Blue 1")) == ["placed"]


def grazed(off=0.01):
    """Blue 1, known by a hundredth of an inch, is pushed past a rock so far beside its way."""
    match = begun(sheet("Red 1", "Red", secondary="Slammer"), sheet("Blue 1", "Blue"))
    drive(match, "Red 1")
    rock = block("Rock", 22.8, 10 + SIDE + 0.5 + off, 1, 1)
    stood = table(car("Red 1", 10, 10), car("Blue 1", 20, 10, **FELT), rock)
    do(match, "shoot", (8,), table=stood, weapon="Slammer", target="Blue 1")
    return match, match.state.duties[0]


@pytest.mark.parametrize(
    ("off", "meets", "doubtful"), [(-0.1, ("Rock",), ()), (0.01, (), ("Rock",)), (0.15, (), ())]
)
def test_a_graze_on_the_way_is_too_close_to_call(off, meets, doubtful):
    _, duty = grazed(off)
    assert (duty.meets, duty.doubtful) == (meets, doubtful)


def test_the_players_settle_what_is_too_close_to_call():
    for ruled, events in (("no", ["ruled", "placed"]), ("yes", ["ruled", "placed", "collision"])):
        match, _ = grazed()
        assert reasons(match, "placed", car="Blue 1") == "Blue 1 touches Rock: too close to call"
        dice = (4,) if ruled == "yes" else ()
        assert kinds(do(match, "placed", dice, car="Blue 1", ruled=ruled))[: len(events)] == events
    match, _ = grazed()
    assert kinds(do(match, "placed", car="Blue 1", contacts=[])) == ["placed"]


@pytest.mark.parametrize(("x", "right"), [(0.0, True), (0.2, True), (3.0, False)])
def test_a_car_stands_right_where_it_was_put_whatever_it_may_have_touched(x, right):
    match, duty = grazed()
    stood = table(car("Red 1", 10, 10), car("Blue 1", duty.target[0] - x, 10, **FELT))
    (ghost,) = match.game.ghosts(match.state, Seen(stood))
    assert ghost.right is right
    assert "Blue 1 touches Rock: too close to call" in reasons(match, "placed", stood, car="Blue 1")


# Turned by so much, its front corner reaches 0.27 inch into a block beside it.
@pytest.mark.parametrize(
    ("y", "verdict"),
    [
        (12.0, "hit"),
        (11.41 + 0.49, "hit"),
        (12.3, "free"),
        (10 + math.hypot(NOSE, SIDE) + 0.45, "open"),
    ],
)
def test_what_a_turned_car_swings_into_is_a_collision(y, verdict):
    match = shot_at("Disruptor")
    red = car("Red 1", 10, 10, **({} if verdict == "open" else FELT))
    stood = table(red, car("Blue 1", 20, 10, 90, **FELT), block("Rock", 20, y, 3, 1))
    if verdict == "hit":
        events = do(match, "placed", (3,), table=stood, car="Blue 1")
        assert told(events, "collision")[0]["obstacles"] == ["Rock"]
    elif verdict == "free":
        assert kinds(do(match, "placed", table=stood, car="Blue 1")) == ["placed"]
    else:
        assert reasons(match, "placed", stood, car="Blue 1") == "Blue 1 touches Rock: too close to call"
        assert kinds(do(match, "placed", table=stood, car="Blue 1", ruled="no")) == ["ruled", "placed"]


def test_a_car_that_spins_out_does_not_collide_again_with_what_it_stands_against():
    match = shot_at("Long Horn")
    beside = car("Blue 2", 20, 10 + 2 * SIDE + 0.004, **FELT)
    stood = table(car("Red 1", 10, 10), car("Blue 1", 20, 10, 180, **FELT), beside)
    assert kinds(do(match, "placed", table=stood, car="Blue 1")) == ["placed"]


def test_a_car_that_is_set_down_on_a_token_covers_it():
    match = shot_at("Disruptor")
    laid = {
        "Spikes 1": {"name": "Spikes 1", "weapon": "Spikes", "dropped_by": "Red 1", "at": [20, 12.5, 0.0]}
    }
    match.overrule(["tokens"], laid, "laid earlier")
    for degrees, triggered in ((90, ["Spikes 1"]), (0, [])):
        stood = table(car("Red 1", 10, 10), car("Blue 1", 20, 10, degrees, **FELT))
        events = do(match, "placed", table=stood, car="Blue 1")
        assert [d["token"] for d in told(events, "triggered")] == triggered
        match.undo()


def test_a_place_and_a_close_call_are_asked_each_by_itself():
    match, duty = grazed()
    x, y, heading = duty.target
    said = {"car": "Blue 1", "at": [x + 1.0, y, heading]}
    found = match.check(Action("placed", None, said))
    assert [r.question for r in found] == ["Rock", "Blue 1 stands 1.00 in and 0° from its place"]
    answers = {"Rock": "no", found[1].question: "yes"}
    assert kinds(do(match, "placed", **said, ruled=answers)) == ["ruled", "ruled", "placed"]
