"""Board, Change, Cling, Attack, Shoot, with the book's numbers."""

from __future__ import annotations

import pytest

from tests.engine.games.shattered_highways.playing import begun, do, driven, offered, piece, told, why


def seat(match, vehicle, name):
    return next(w.name for w in match.state.aboard(vehicle) if w.seat == name)


def board(match, dice=(4,), seat="cling"):
    """Red's gunner boards Blue 1."""
    name = next(w.name for w in match.state.aboard("Red 1") if w.seat == "W1")
    do(match, "board", dice, warrior=name, to=["Blue 1"])
    if match.state.duties:
        do(match, "sit", warrior=name, seat=seat)
    return name


# Board


@pytest.mark.parametrize(
    ("roll", "where", "out"), [(4, "Blue 1", False), (2, "Red 1", False), (1, "Red 1", True)]
)
def test_boarding(roll, where, out):
    match = begun()
    name = board(match, (roll,))
    warrior = match.state.warrior(name)
    assert (warrior.vehicle, warrior.out) == (where, out)
    assert warrior.acted or out


def test_who_boards_may_sit_down_where_nobody_does():
    match = begun()
    match.overrule(("warriors", seat(match, "Blue 1", "D"), "out"), True, "shot")
    name = seat(match, "Red 1", "W1")
    do(match, "board", (4,), warrior=name, to=["Blue 1"])
    assert [c.value for c in offered(match, "sit")[0].form.fields["seat"].candidates] == ["D", "cling"]
    do(match, "sit", warrior=name, seat="D")
    assert match.state.driver("Blue 1").name == name
    assert not match.state.warrior(name).changed, "without a penalty"


def test_between_tractor_and_trailer_warriors_board():
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"))
    name = seat(match, "Red 1", "P1")
    (climb,) = [o for o in offered(match, "climb") if o.data["warrior"] == name]
    assert climb.data["part"] == "trailer"
    do(match, "climb", (4,), **climb.data)
    assert match.state.warrior(name).part == "trailer"


# Change


def test_a_change_costs_one_on_what_they_do_then():
    match = begun()
    gunner, passenger = seat(match, "Red 1", "W1"), seat(match, "Red 1", "P1")
    match.overrule(("warriors", gunner, "out"), True, "shot")
    do(match, "change", warrior=passenger, seat="W1")
    assert not [o for o in offered(match, "change") if o.data["warrior"] == passenger]
    # 4 less 1 misses.
    events = do(match, "shoot", (4,), warrior=passenger, mount=1, aim="vehicle", to=["Blue 1"])
    assert why(events) == ["changed position this round"]
    assert not told(events, "damaged")


def test_who_takes_over_the_wheel_drives_at_minus_one():
    match = begun()
    match.overrule(("warriors", seat(match, "Red 1", "D"), "out"), True, "shot")
    passenger = seat(match, "Red 1", "P1")
    do(match, "change", warrior=passenger, seat="D")
    events = driven(match, "Red 1", 3)
    assert why(events) == ["took over driving this round"]
    assert match.state.turn.stage == "play", "3 less 1 stays"


# Cling


@pytest.mark.parametrize(("roll", "state"), [(4, "clung"), (3, "acted"), (1, "out")])
def test_whoever_clings_rolls_when_the_vehicle_moves(roll, state):
    match = begun()
    name = board(match)
    do(match, "done")
    do(match, "done")
    assert match.state.turn.hands == "Blue"
    do(match, "move", (3, roll), vehicle="Blue 1")
    warrior = match.state.warrior(name)
    assert (warrior.clung, warrior.out) == (state == "clung", state == "out")


def test_reinforcements_do_not_roll_on_the_rig_they_began_on():
    match = begun(piece("Red 1", "Rig", reinforcements=True), piece("Blue 1"))
    assert sum(w.seat is None for w in match.state.aboard("Red 1")) == 4
    events = driven(match, "Red 1")
    assert not told(events, "cling")
    assert told(events, "kept")


# Attack


def test_cannon_fodder_attack_on_the_same_vehicle():
    match = begun()
    name = board(match)
    do(match, "done")
    target = seat(match, "Blue 1", "W1")
    match.overrule(("warriors", name, "acted"), False, "it may act again")
    # 5 beats 4; 5 damage is more than 4.
    events = do(match, "attack", (5, 4, 5), warrior=name, target=target)
    assert match.state.warrior(target).out
    assert events[0].citation.endswith("Attack")


@pytest.mark.parametrize(("dice", "out"), [((5, 5), False), ((6, 2, 4), False), ((6, 2, 5), True)])
def test_ties_go_to_the_defender_in_the_roll_and_against_tenacity(dice, out):
    match = begun()
    name = board(match)
    do(match, "done")
    match.overrule(("warriors", name, "acted"), False, "it may act again")
    target = seat(match, "Blue 1", "W1")
    do(match, "attack", dice, warrior=name, target=target)
    assert match.state.warrior(target).out is out


def test_the_one_with_fewer_warriors_on_it_goes_first():
    match = begun()
    board(match)
    do(match, "done")
    assert (match.state.turn.vehicle, match.state.turn.hands, match.state.turn.later) == (
        "Blue 1", "Red", ("Blue",),
    )  # fmt: skip


def test_a_heros_weapon_reaches_other_vehicles_and_does_one_more():
    match = begun()
    target = seat(match, "Blue 1", "W1")
    events = do(match, "attack", (7, 6, 4), warrior="Red's hero", target=target)
    assert match.state.warrior(target).out
    assert told(events, "attack")[0]["ranged"]


def test_a_heros_tenacity_is_rolled_for_each_attack():
    match = begun()
    do(match, "attack", (7, 6, 6, 3, 4), warrior="Red's hero", target="Blue's hero")
    assert not match.state.warrior("Blue's hero").out, "7 damage against 7"
    do(match, "done")
    do(match, "attack", (7, 6, 6, 3, 3), warrior="Blue's hero", target="Red's hero")
    assert match.state.warrior("Red's hero").out


def test_a_heros_weapon_jams_on_a_one_and_is_cleared_in_a_turn():
    match = begun()
    target = seat(match, "Blue 1", "W1")
    do(match, "attack", (1, 4), warrior="Red's hero", target=target)
    assert match.state.warrior("Red's hero").jammed
    match.overrule(("warriors", "Red's hero", "acted"), False, "the next round")
    assert not offered(match, "attack"), "jammed it is a melee weapon"
    do(match, "unjam", warrior="Red's hero")
    assert not match.state.warrior("Red's hero").jammed
    assert match.state.warrior("Red's hero").acted


# Shoot


def shot(match, dice, **data):
    gunner = seat(match, "Red 1", "W1")
    said = {"warrior": gunner, "mount": 1, "aim": "vehicle", "to": ["Blue 1"]} | data
    said = {name: value for name, value in said.items() if value is not None}
    return do(match, "shoot", dice, **said)


@pytest.mark.parametrize(("dice", "left"), [((4, 3), 20), ((3,), 25), ((2,), 25)])
def test_a_shot_at_a_vehicle_hits_on_four(dice, left):
    match = begun()
    shot(match, dice)
    assert match.state.vehicle("Blue 1").hits == left


def test_a_one_jams_and_anybody_on_the_vehicle_clears_it():
    match = begun()
    shot(match, (1,))
    assert match.state.vehicle("Red 1").mounts[0].jammed
    passenger = seat(match, "Red 1", "P1")
    do(match, "unjam", warrior=passenger, mount=1)
    assert not match.state.vehicle("Red 1").mounts[0].jammed


def test_the_highest_roll_hits_somebody_inside_whom_the_defender_names():
    match = begun()
    shot(match, (6, 1, 5))
    (duty,) = match.state.duties
    assert (duty.kind, duty.by, duty.amount) == ("shrapnel", "Blue", 5)
    victim = seat(match, "Blue 1", "P1")
    do(match, "hurt", warrior=victim)
    assert match.state.warrior(victim).out


def test_a_rigs_damage_is_split_and_one_half_is_aimed_at_at_minus_one():
    match = begun(piece("Red 1"), piece("Blue 1", "Rig"))
    shot(match, (5, 5))
    rig = match.state.vehicle("Blue 1")
    assert (rig.hits, rig.trailer) == (22, 21)
    match = begun(piece("Red 1"), piece("Blue 1", "Rig"))
    events = shot(match, (5, 5), part="tractor")
    rig = match.state.vehicle("Blue 1")
    assert (rig.hits, rig.trailer) == (18, 25)
    assert why(events) == ["aims at one half of a Rig"]
    match = begun(piece("Red 1"), piece("Blue 1", "Rig"))
    assert not told(shot(match, (4,), part="trailer"), "damaged")


def test_a_shot_at_a_warrior_is_contested():
    match = begun()
    target = seat(match, "Blue 1", "W1")
    events = shot(match, (5, 4, 3), aim="warrior", to=None, at=target)
    assert match.state.warrior(target).out, "5 damage against 4"
    assert told(events, "shot")[0]["hit"]
    match = begun()
    shot(match, (6, 2, 1, 4), aim="warrior", to=None, at=target)
    assert not match.state.warrior(target).out, "3 damage against 4"
    assert match.state.vehicle("Blue 1").hits == 22, "and D6-1 to the vehicle"


def test_drag_chains_cost_one_and_are_named():
    match = begun(piece("Red 1"), piece("Blue 1", chains=True))
    events = shot(match, (4,), dust=True)
    assert why(events) == ["behind Drag Chains"]
    assert not told(events, "damaged")
    match = begun()
    assert "dust" not in offered(match, "shoot")[0].form.fields
