"""Move, Ram, Nudge, Board, Cling, Attack, Shoot with the book's numbers; wrecks; giving up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import TableRefError
from engine.game.events import Event
from engine.game.match import Match
from engine.games.shattered_highways.acts.rounds import strength
from tests.engine.games.shattered_highways import endings
from tests.engine.games.shattered_highways.playing import (
    GAME,
    begun,
    board,
    do,
    driven,
    new_round,
    nudged,
    offered,
    piece,
    reasons,
    seat,
    told,
    why,
    wrecked,
)
from tests.volume import volume


def hits(match, name):
    v = match.state.vehicle(name)
    return v.hits if v.trailer is None else (v.hits, v.trailer)


@pytest.mark.parametrize(("roll", "stage"), [(3, "moving"), (10, "moving"), (2, "play")])
def test_a_move_needs_three_once_a_turn(roll, stage):
    match = begun()
    driven(match, "Red 1", roll)
    assert (match.state.turn.stage, match.state.turn.driven, match.state.duties) == (stage, True, ())
    if roll == 3:
        do(match, "moved", vehicle="Red 1")
        assert not offered(match, "move")
        assert "not to be done now" in reasons(match, "move", vehicle="Red 1")


def test_a_one_is_lost_control_and_rams_what_it_meets_at_minus_one():
    match = begun()
    events = do(match, "move", (1, 4), vehicle="Red 1")
    assert told(events, "veers") == [{"vehicle": "Red 1", "duty": "control", "section": 4}]
    (duty,) = match.state.duties
    assert (duty.kind, duty.section, duty.by) == ("lost", 4, "Red")
    do(match, "placed", vehicle="Red 1", duty="lost")
    assert not match.state.duties
    match.undo()
    # 7 of a hero is 6 against 6: a tie goes to the defender.
    events = do(match, "placed", (7, 6), vehicle="Red 1", duty="lost", into=["Blue 1"], side="left")
    assert why(events) == ["veers into it"]
    (ram,) = told(events, "ram")
    assert (ram["attacker"], ram["defender"], ram["won"]) == (6, 6, False)
    assert (ram["side"], ram["theirs"]) == ("left", "right")


def rammed(match, dice, **data):
    driven(match, "Red 1")
    return do(match, "ram", dice, vehicle="Red 1", **({"targets": ["Blue 1"]} | data))


@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "done", "counted"),
    [
        ({}, {}, (5, 4, 5), (5, 2), []),  # a die, and half of it back
        ({}, {}, (5, 4, 6, 6), (12, 3), []),  # a six is rolled again once, and at most three come back
        ({}, {}, (4, 4), (0, 0), []),  # a tie goes to the defender
        # Classes add to the damage, and not to what comes back.
        ({"kind": "Buggy"}, {"kind": "Truck"}, (5, 4, 3), (2, 1), ["a Buggy rams a Truck"]),
        ({"kind": "Buggy"}, {"kind": "Rig"}, (5, 4, 3), (2, 1), ["a Buggy rams a Rig"]),
        ({"kind": "Buggy"}, {}, (5, 4, 3), (3, 1), []),
        ({}, {"kind": "Rig"}, (5, 4, 3), (3, 1), []),
        ({"kind": "Truck"}, {}, (5, 4, 3), (4, 1), ["a Truck rams a Car"]),
        ({"kind": "Rig"}, {"kind": "Buggy"}, (5, 4, 3), (4, 1), ["a Rig rams a Buggy"]),
        ({"kind": "Truck"}, {"kind": "Rig"}, (5, 4, 3), (3, 1), []),
        # Armor takes one off the final numbers of its side.
        (
            {"armor": ["front"]}, {"armor": ["rear", "left"]}, (5, 4, 4), (3, 1),
            ["armor on the rear of Blue 1", "armor on the front of Red 1"],
        ),
    ],
)  # fmt: skip
def test_what_a_ram_does_to_both(mine, theirs, dice, done, counted):
    match = begun(piece("Red 1", **mine), piece("Blue 1", **theirs))
    both = ("Blue 1", "Red 1")
    before = [np.sum(hits(match, name)) for name in both]
    events = rammed(match, dice)
    damaged = {d["vehicle"]: d["amount"] for d in told(events, "damaged")}
    assert damaged == {name: amount for name, amount in zip(both, done, strict=True) if amount}
    assert [was - np.sum(hits(match, name)) for was, name in zip(before, both, strict=True)] == [*done]
    assert why(events) == counted


def test_the_highest_against_a_one_is_twenty_five_and_three_unmodified():
    armored = [piece("Red 1", "Truck", armor=["front"]), piece("Blue 1", "Truck", armor=["rear"])]
    match = begun(*armored)
    events = rammed(match, (10, 1, 3))
    assert told(events, "ram")[0]["crush"]
    assert (hits(match, "Blue 1"), hits(match, "Red 1")) == (10, 32)
    assert match.state.duties[0].kind == "lost"


def test_rams_go_on_without_a_move_until_one_moves():
    match = begun()
    rammed(match, (5, 4, 1))
    assert match.state.locked == (("Blue 1", "Red 1"),)
    do(match, "done")
    driver = match.state.driver("Blue 1").name
    events = do(match, "ram", (6, 2, 2), vehicle="Blue 1", warrior=driver, targets=["Red 1"])
    assert told(events, "ram")[0]["won"]
    assert not offered(match, "move")
    do(match, "done")
    new_round(match)
    driven(match, "Red 1")
    assert match.state.locked == ()


def test_a_one_of_either_is_lost_control_after_the_ram():
    match = begun()
    events = rammed(match, (1, 3, 5))
    assert [d["section"] for d in told(events, "veers")] == [5]
    assert match.state.duties[0].vehicle == "Red 1"


@pytest.mark.parametrize(("dice", "sections"), [((5, 4), 1), ((6, 4), 2), ((7, 4), 3), ((10, 2), 3)])
def test_the_degree_of_success_is_the_sections(dice, sections):
    match = begun()
    nudged(match, dice)
    (duty,) = match.state.duties
    assert (duty.kind, duty.sections, duty.by) == ("nudged", sections, "Red")
    assert (hits(match, "Red 1"), hits(match, "Blue 1")) == (24, 24)
    do(match, "placed", vehicle="Blue 1", duty="nudged")
    assert match.state.turn.stage == "moving", "the attacker goes on with the Move"
    assert not offered(match, "nudge")
    do(match, "moved", vehicle="Red 1")


def test_a_nudge_in_vain_costs_both_a_point_less_armor():
    match = begun(piece("Red 1", armor=["left"]), piece("Blue 1"))
    nudged(match, (4, 4), side="left")
    assert not match.state.duties
    assert (hits(match, "Red 1"), hits(match, "Blue 1")) == (25, 24)


def test_a_vehicle_nudged_into_another_makes_it_roll_to_keep_control():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"), piece("Red 2"))
    nudged(match, (7, 4))
    events = do(match, "placed", (3, 2), vehicle="Blue 1", duty="nudged", into=["Blue 2", "Red 2"])
    assert told(events, "kept")[0]["vehicle"] == "Blue 2"
    assert hits(match, "Red 2") == 24
    (duty,) = match.state.duties
    # The player of the vehicle that struck it moves it: a section, and so on.
    assert (duty.kind, duty.vehicle, duty.sections, duty.by) == ("struck", "Red 2", 1, "Blue")
    do(match, "placed", (1,), vehicle="Red 2", duty="struck", into=["Blue 2"])
    assert (match.state.duties[0].vehicle, match.state.duties[0].by) == ("Blue 2", "Red")


def test_lost_control_ends_the_move_of_whoever_nudges():
    match = begun()
    nudged(match, (1, 4, 6))
    assert (match.state.duties[0].kind, match.state.duties[0].section) == ("lost", 6)
    do(match, "placed", vehicle="Red 1", duty="lost")
    assert match.state.turn.stage == "play"


def test_a_rigs_side_strikes_several_with_one_roll_and_damage_for_each():
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"), piece("Blue 2", "Truck"))
    driven(match, "Red 1")
    two = {"vehicle": "Red 1", "targets": ["Blue 1", "Blue 2"]}
    assert "side of a Rig only" in reasons(match, "ram", **two, side="front")
    events = do(match, "ram", (5, 4, 2, 3, 6, 1), **two, side="left")
    assert [r["won"] for r in told(events, "ram")] == [True, True]
    # 3 and 1 for a Car; 6 and 1 more for a Truck. 1 and 3 come back to the trailer.
    assert (hits(match, "Blue 1"), hits(match, "Blue 2"), hits(match, "Red 1")) == (21, 28, (25, 21))


def test_a_nudge_of_several_takes_one_roll_and_is_a_rigs_alone():
    for kind in ("Rig", "Car"):
        match = begun(piece("Red 1", kind), piece("Blue 1"), piece("Blue 2"))
        driven(match, "Red 1")
        both = {"vehicle": "Red 1", "targets": ["Blue 1", "Blue 2"], "side": "right"}
        assert bool(reasons(match, "nudge", **both)) == (kind == "Car")
        if kind == "Rig":
            assert [n["by"] for n in told(do(match, "nudge", (5, 4, 5), **both), "nudge")] == [1, 0]
            assert hits(match, "Red 1") == (25, 24)
            assert [d.vehicle for d in match.state.duties] == ["Blue 1"]


def test_a_destroyed_trailer_is_decoupled_with_a_roll_or_the_rig_counts_as_unmanned():
    def shot_to_pieces():
        match = begun(piece("Red 1", "Rig"), piece("Blue 1"), piece("Blue 2"))
        match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
        assert not offered(match, "move")
        return match

    match = shot_to_pieces()
    do(match, "decouple", (3,), vehicle="Red 1")
    assert not offered(match, "decouple")
    assert told(do(match, "done"), "unmanned") == [{"vehicle": "Red 1"}]
    do(match, "placed", (4,), vehicle="Red 1", duty="fall back")
    assert match.state.turn.vehicle == "Blue 1"
    match = shot_to_pieces()
    do(match, "decouple", (4,), vehicle="Red 1")
    rig = match.state.vehicle("Red 1")
    assert (rig.hits, rig.trailer, rig.mounts, rig.in_play) == (25, None, (), True)
    assert [d.kind for d in match.state.duties] == ["leap"] * 4 + ["wreck"]
    for duty in match.state.duties[:4]:
        do(match, "stay", warrior=duty.warrior)
    do(match, "wreck", (3,), behind=["Blue 1"])
    do(match, "placed", vehicle="Blue 1", duty="veer")
    assert len(match.state.aboard("Red 1")) == 2
    assert offered(match, "move")


def test_who_only_boarded_a_rig_does_not_decouple_its_trailer():
    """ "On the rig's turn, the player can roll a uncontested skill roll to decouple the trailer"."""
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"))
    match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
    boarder = seat(match, "Blue 1", "P1")
    state = match.state.with_warriors([boarder], vehicle="Red 1", seat=None, part="tractor")
    match = Match.at(GAME, replace(state, turn=replace(state.turn, hands="Blue", later=("Red",))))
    assert not offered(match, "decouple")
    do(match, "done")
    assert [o.player for o in offered(match, "decouple")] == ["Red"]


def test_a_hidden_buggy_drives_out_with_a_roll():
    match = begun(piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    assert match.state.vehicle("Red 2").status == "hidden"
    assert match.state.slots == 2
    do(match, "launch", (3,), vehicle="Red 2", rig="Red 1")
    do(match, "placed", vehicle="Red 2", duty="deployed")
    assert match.state.vehicle("Red 2").in_play
    assert not offered(match, "launch")


@pytest.mark.parametrize("boarded", [True, False])
def test_a_hidden_buggy_drives_out_of_a_rig_on_which_nobody_of_its_own_is_left(boarded):
    """ "This can be deployed … at any time", also where others have the Rig by now, or nobody has."""
    match = begun(piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    state = match.state.with_warriors([w.name for w in match.state.aboard("Red 1")], out=True, seat=None)
    if boarded:
        there = {"vehicle": "Red 1", "seat": "D", "part": "tractor"}
        state = state.with_warriors([seat(match, "Blue 1", "P1")], **there)
    match = Match.at(GAME, replace(state, turn=None, queue=("Red 1", "Blue 1")))
    do(match, "go on")
    assert [o.player for o in offered(match, "launch")] == ["Red"]
    do(match, "launch", (2,), vehicle="Red 2", rig="Red 1")
    # In vain: its driver has acted, and whoever else is there goes on.
    assert (match.state.turn.hands == "Blue") is boarded
    match = Match.at(GAME, replace(state, turn=None, queue=("Red 1", "Blue 1")))
    do(match, "go on")
    do(match, "launch", (3,), vehicle="Red 2", rig="Red 1")
    do(match, "placed", vehicle="Red 2", duty="deployed")
    assert match.state.vehicle("Red 2").in_play


def test_at_the_front_edge_everybody_is_moved_back():
    match = begun()
    driven(match, "Red 1")
    do(match, "moved", vehicle="Red 1", edge="front")
    assert match.state.duties[0].kind == "shift"
    do(match, "shifted", inches=12.5, back=["Blue 1"])
    assert match.state.scroll == 12.5
    assert match.state.vehicle("Blue 1").status == "behind"


@pytest.mark.parametrize(("roll", "status"), [(3, "driving"), (2, "gone"), (1, "gone")])
def test_at_the_back_edge_one_move_is_left(roll, status):
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    driven(match, "Red 1")
    do(match, "moved", vehicle="Red 1", edge="back")
    for _ in range(3):
        do(match, "done")
    new_round(match)
    assert {o.kind for o in match.options()} == {"move", "done"}
    do(match, "move", (roll,), vehicle="Red 1")
    assert match.state.vehicle("Red 1").status == status
    if status == "gone":
        assert match.state.over
        assert match.state.winner == "Blue"


def test_who_does_not_even_try_is_left_behind():
    match = begun(piece("Red 1"), piece("Red 2"), piece("Blue 1"))
    match.overrule(("vehicles", "Red 1", "status"), "behind", "it was pushed off")
    do(match, "done")
    assert match.state.vehicle("Red 1").status == "behind", "its turn had begun before"
    for _ in range(2):
        do(match, "done")
    new_round(match)
    do(match, "done")
    assert match.state.vehicle("Red 1").status == "gone"
    assert not match.state.aboard("Red 1")


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


def test_a_change_of_seats_costs_one_on_what_they_do_then():
    match = begun()
    gunner, driver, passenger = (seat(match, "Red 1", name) for name in ("W1", "D", "P1"))
    match.overrule(("warriors", gunner, "out"), True, "shot")
    do(match, "change", warrior=passenger, seat="W1")
    assert not [o for o in offered(match, "change") if o.data["warrior"] == passenger]
    # 4 less 1 misses.
    events = do(match, "shoot", (4,), warrior=passenger, mount=1, aim="vehicle", to=["Blue 1"])
    assert why(events) == ["changed position this round"]
    assert not told(events, "damaged")
    match = begun()
    match.overrule(("warriors", driver, "out"), True, "shot")
    do(match, "change", warrior=passenger, seat="D")
    assert why(driven(match, "Red 1", 3)) == ["took over driving this round"]
    assert match.state.turn.stage == "play", "3 less 1 stays"


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


@pytest.mark.parametrize(
    ("dice", "out"), [((5, 4, 5), True), ((5, 5), False), ((6, 2, 4), False), ((6, 2, 5), True)]
)
def test_cannon_fodder_attack_on_the_same_vehicle_and_ties_go_to_the_defender(dice, out):
    match = begun()
    name, target = board(match), seat(match, "Blue 1", "W1")
    do(match, "done")
    match.overrule(("warriors", name, "acted"), False, "it may act again")
    events = do(match, "attack", dice, warrior=name, target=target)
    assert match.state.warrior(target).out is out, "more than the other, and more than a tenacity of 4"
    assert events[0].citation.endswith("Attack")


def test_the_one_with_fewer_warriors_on_it_goes_first():
    match = begun()
    board(match)
    do(match, "done")
    assert (match.state.turn.vehicle, match.state.turn.hands, match.state.turn.later) == (
        "Blue 1", "Red", ("Blue",),
    )  # fmt: skip


def test_a_heros_weapon_reaches_other_vehicles_and_jams_on_a_one():
    match = begun()
    target = seat(match, "Blue 1", "W1")
    events = do(match, "attack", (7, 6, 4), warrior="Red's hero", target=target)
    assert match.state.warrior(target).out, "4 and one more"
    assert told(events, "attack")[0]["ranged"]
    match = begun()
    do(match, "attack", (1, 4), warrior="Red's hero", target=target)
    assert match.state.warrior("Red's hero").jammed
    match.overrule(("warriors", "Red's hero", "acted"), False, "the next round")
    assert not offered(match, "attack"), "jammed it is a melee weapon"
    do(match, "unjam", warrior="Red's hero")
    assert not match.state.warrior("Red's hero").jammed
    assert match.state.warrior("Red's hero").acted


def test_a_heros_tenacity_is_rolled_for_each_attack():
    match = begun()
    do(match, "attack", (7, 6, 6, 3, 4), warrior="Red's hero", target="Blue's hero")
    assert not match.state.warrior("Blue's hero").out, "7 damage against 7"
    do(match, "done")
    do(match, "attack", (7, 6, 6, 3, 3), warrior="Blue's hero", target="Red's hero")
    assert match.state.warrior("Red's hero").out


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


def test_a_one_jams_and_the_highest_roll_hits_somebody_inside_whom_the_defender_names():
    match = begun()
    shot(match, (1,))
    assert match.state.vehicle("Red 1").mounts[0].jammed
    do(match, "unjam", warrior=seat(match, "Red 1", "P1"), mount=1)
    assert not match.state.vehicle("Red 1").mounts[0].jammed
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


def test_a_boarded_vehicle_is_taken_and_numbered_by_its_new_player():
    match = begun(piece("Red 1", "Truck"), piece("Blue 1"), piece("Gold 1"), rounds=3)
    gunner = seat(match, "Red 1", "W1")
    do(match, "board", (4,), warrior=gunner, to=["Blue 1"])
    before = match.state
    events: list[Event] = list(match.concede("Blue"))
    assert told(events, "captured") == [{"vehicle": "Blue 1", "player": "Red", "was": "Blue"}]
    assert match.may_concede == ("Red", "Gold")
    assert match.state.to_number == {"Red": ("Red 1", "Blue 1"), "Gold": ("Gold 1",)}
    match.undo()
    assert match.state == before


def test_without_anybody_on_it_a_vehicle_leaves_the_road():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Gold 1"), rounds=3)
    match.concede("Red")
    assert match.state.vehicle("Red 1").status == "gone"
    assert match.state.turn is not None
    assert match.state.turn.vehicle == "Blue 1"
    match.concede("Gold")
    assert match.state.winner == "Blue"


def test_who_is_on_it_leaps_at_minus_one():
    match, events = wrecked()
    assert told(events, "gone")[0]["status"] == "destroyed"
    assert [d.kind for d in match.state.duties] == ["leap", "leap", "leap", "wreck"]
    first, second, third = (d.warrior for d in match.state.duties[:3])
    events = do(match, "leap", (5,), warrior=first, to=["Blue 2"])
    assert why(events) == ["leaps off a wreck"]
    assert match.state.warrior(first).vehicle == "Blue 2"
    do(match, "leap", (4,), warrior=second, to=["Blue 2"])
    assert match.state.warrior(second).out, "4 less 1 does not do, and the wreck is no place to stay"
    do(match, "stay", warrior=third)
    assert match.state.warrior(third).out


@pytest.mark.parametrize(
    ("dice", "left", "duty"), [((3,), 25, "veer"), ((2, 4), 21, "veer"), ((1, 4, 5), 21, "lost")]
)
def test_drivers_behind_it_veer_or_take_a_die(dice, left, duty):
    match, _ = wrecked()
    for owed in match.state.duties[:3]:
        do(match, "stay", warrior=owed.warrior)
    do(match, "wreck", dice, behind=["Blue 2"])
    assert match.state.vehicle("Blue 2").hits == left
    assert match.state.duties[0].kind == duty


def test_whoever_clings_rolls_also_as_their_vehicle_veers_round_a_wreck():
    """ "Whenever the vehicle Moves"; "a quick Move roll to veer left or right"."""
    for roll, clings in ((3, True), (2, False)):
        match, _ = wrecked()
        clinger = seat(match, "Blue 2", "P1")
        match.overrule(("warriors", clinger, "seat"), None, "holds on")
        for owed in match.state.duties[:3]:
            do(match, "stay", warrior=owed.warrior)
        events = do(match, "wreck", (roll, 1), behind=["Blue 2"])
        # What is rolled second is the Cling, or the damage of the wreck that it clips.
        assert [one["warrior"] for one in told(events, "cling")] == [clinger] * clings
        assert match.state.warrior(clinger).out is clings


def test_a_hidden_buggy_leaves_a_destroyed_rig_at_minus_one():
    pieces = (
        piece("Red 1"), piece("Blue 1", "Rig"), piece("Blue 2", "Buggy", hidden_in="Blue 1"), piece("Blue 3"),
    )  # fmt: skip
    for roll, status in ((4, "hidden"), (3, "destroyed")):
        match = begun(*pieces)
        match.overrule(("vehicles", "Blue 1", "hits"), 1, "almost gone")
        gunner = seat(match, "Red 1", "W1")
        events = do(match, "shoot", (5, 6, roll), warrior=gunner, mount=1, aim="vehicle", to=["Blue 1"])
        assert "leaves a destroyed Rig" in why(events)
        assert match.state.vehicle("Blue 2").status == status
        assert any(d.kind == "deployed" for d in match.state.duties) == (status == "hidden")


def test_an_unmanned_vehicle_falls_back_and_is_rammed_at_minus_one():
    def unmanned():
        match = begun()
        match.overrule(("warriors", match.state.driver("Red 1").name, "out"), True, "shot")
        assert told(do(match, "done"), "unmanned")
        return match

    match = unmanned()
    do(match, "placed", (3, 2), vehicle="Red 1", duty="fall back")
    assert (match.state.duties[0].kind, match.state.duties[0].section) == ("lost", 2), "on one to three"
    match = unmanned()
    assert [d.kind for d in match.state.duties] == ["fall back", "unmanned"]
    # 9 less 1 against a D6 for the unmanned one; 4 damage, 2 back; a 4 on the last die keeps straight on.
    events = do(match, "placed", (9, 5, 4, 4), vehicle="Red 1", duty="fall back", into=["Blue 1"])
    assert why(events) == ["meets an unmanned vehicle"]
    assert (match.state.vehicle("Red 1").hits, match.state.vehicle("Blue 1").hits) == (21, 23)
    assert match.state.turn.vehicle == "Blue 1"


def test_a_boarded_vehicle_without_its_own_is_taken_over():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    name = seat(match, "Red 1", "W1")
    do(match, "board", (4,), warrior=name, to=["Blue 1"])
    for warrior in match.state.aboard("Blue 1"):
        if warrior.owner == "Blue" and warrior.seat != "D":
            match.overrule(("warriors", warrior.name, "out"), True, "shot")
    do(match, "done")
    assert match.state.turn.hands == "Blue", "as many warriors each: whose vehicle it is goes first"
    do(match, "done")
    match.overrule(("warriors", "Blue's hero", "out"), True, "shot")
    events = do(match, "done")
    assert told(events, "captured") == [{"vehicle": "Blue 1", "player": "Red", "was": "Blue"}]
    blue = match.state.vehicle("Blue 1")
    assert (blue.owner, blue.control) == ("Blue", "Red"), "Blue still writes its play order"


def test_the_last_on_the_road_wins_or_after_the_agreed_rounds_the_stronger_fleet():
    match, _ = wrecked(piece("Red 1"), piece("Blue 1"))
    for owed in match.state.duties[:3]:
        do(match, "stay", warrior=owed.warrior)
    do(match, "wreck")
    assert (match.state.over, match.state.winner) == (True, "Red")
    match = begun(piece("Red 1", "Truck"), piece("Blue 1"), rounds=1)
    do(match, "done")
    do(match, "done")
    assert (match.state.over, match.state.winner) == (True, "Red")


def test_slots_are_as_many_as_the_largest_fleet_and_the_smaller_may_skip():
    match = begun(piece("Red 1"), piece("Red 2"), piece("Red 3"), piece("Blue 1"))
    assert match.state.slots == 3
    for _ in range(4):
        do(match, "done")
    blue = next(o for o in match.options() if o.player == "Blue")
    assert [c.value for c in blue.form.fields["numbers"].candidates] == [1, 2, 3]
    new_round(match, first="Blue")
    assert (match.state.turn.vehicle, match.state.queue) == ("Blue 1", ("Red 1", "Red 2", "Red 3"))


def test_a_weapon_that_is_un_jammed_takes_the_round_for_it():
    """ "requiring someone on the vehicle to spend one round un-jamming it before it can be used again"."""
    match = begun()
    vehicle = match.state.vehicle("Red 1")
    match.overrule(("vehicles", "Red 1", "mounts", 0, "jammed"), True, "jammed before")
    (gunner,) = (w.name for w in match.state.aboard("Red 1") if w.seat == "W1")
    other = next(w.name for w in match.state.aboard("Red 1") if w.seat not in ("W1", "D"))
    do(match, "unjam", warrior=other, mount=1)
    assert not match.state.vehicle("Red 1").mounts[0].jammed
    assert not [o for o in offered(match, "shoot") if o.data["warrior"] == gunner]
    do(match, "done")
    do(match, "done")
    new_round(match)
    assert [o for o in offered(match, "shoot") if o.data["warrior"] == gunner]
    assert vehicle.mounts


def test_a_hero_who_clears_their_own_weapon_does_nothing_else_before():
    """ "if they spend a turn doing nothing but unjamming it"; a Change and a Cling are actions."""
    match = begun(piece("Red 1"), piece("Blue 1"))
    hero = next(w.name for w in match.state.aboard("Red 1") if w.hero)
    match.overrule(("warriors", hero, "jammed"), True, "jammed before")
    match.overrule(("vehicles", "Red 1", "mounts", 0, "jammed"), True, "jammed before")

    def clears() -> list[int | None]:
        return [o.data.get("mount") for o in offered(match, "unjam") if o.data["warrior"] == hero]

    assert clears() == [1, None]
    for done in ("changed", "clung"):
        match.overrule(("warriors", hero, done), True, "before")
        # "Anyone in the vehicle who has not yet acted" clears a mounted one: as their second action, too.
        assert clears() == [1]
        match.overrule(("warriors", hero, done), False, "as before")
    assert clears() == [1, None]


def test_a_hero_who_has_cleared_their_own_weapon_and_then_clings_has_cleared_it():
    match = begun(piece("Red 1"), piece("Blue 1"))
    hero = next(w.name for w in match.state.aboard("Red 1") if w.hero)
    driver = next(w.name for w in match.state.aboard("Red 1") if not w.hero)
    match.overrule(("warriors", hero, "seat"), None, "holds on")
    match.overrule(("warriors", driver, "seat"), "D", "drives")
    match.overrule(("warriors", hero, "jammed"), True, "jammed before")
    do(match, "unjam", warrior=hero)
    events = do(match, "move", (6, 10), vehicle="Red 1")
    assert told(events, "cling")[0]["warrior"] == hero
    assert not match.state.warrior(hero).jammed


def test_a_vehicle_that_is_nudged_into_is_nudged_itself():
    """ "makes an uncontested Move roll to keep from losing control", whoever "gets successfully Nudged"."""
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    clinger = match.state.aboard("Blue 2")[-1].name
    match.overrule(("warriors", clinger, "seat"), None, "holds on")
    nudged(match, (7, 4))
    # A 1 on the Move, 4 to hold on.
    events = do(match, "placed", (1, 4), vehicle="Blue 1", duty="nudged", into=["Blue 2"])
    assert told(events, "cling")[0]["warrior"] == clinger
    do(match, "placed", (6,), vehicle="Blue 2", duty="struck")
    assert [(d.kind, d.vehicle) for d in match.state.duties] == [("lost", "Blue 2")]


@pytest.mark.parametrize(("edge", "status"), [("none", "driving"), ("back", "behind")])
def test_a_vehicle_that_is_nudged_off_the_back_edge_is_on_the_road_again(edge, status):
    """ "the only action it can take on its next turn is to roll a Move to try and get back on the board"."""
    match = begun(piece("Red 1"), piece("Blue 1"))
    match.overrule(("vehicles", "Blue 1", "status"), "behind", "it fell back")
    nudged(match, (7, 4))
    do(match, "placed", vehicle="Blue 1", duty="nudged", edge=edge)
    assert match.state.vehicle("Blue 1").status == status


def test_a_veer_does_not_bring_a_vehicle_away_from_the_back_edge():
    """ "move left or right just enough to clear the wreck"; "roll a Move to try and get back"."""
    match, _ = wrecked()
    match.overrule(("vehicles", "Blue 2", "status"), "behind", "it fell back")
    for owed in match.state.duties[:3]:
        do(match, "stay", warrior=owed.warrior)
    do(match, "wreck", (3,), behind=["Blue 2"])
    do(match, "placed", vehicle="Blue 2", duty="veer")
    assert match.state.vehicle("Blue 2").status == "behind"


def test_a_hidden_buggy_leaves_a_trailer_that_is_decoupled_as_a_wreck_at_minus_one():
    """ "the buggy driver can attempt to deploy it at a -1, otherwise it is destroyed with the rig"."""
    for roll, status in ((4, "hidden"), (3, "destroyed")):
        match = begun(piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
        match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
        do(match, "decouple", (4, roll), vehicle="Red 1")
        assert match.state.vehicle("Red 2").status == status
        assert any(d.kind == "deployed" for d in match.state.duties) == (status == "hidden")


def test_behind_drag_chains_whoever_clings_and_decouples_is_at_minus_one():
    """ "a -1 for actions due to not being able to see properly"."""
    match = begun(piece("Red 1"), piece("Blue 1", chains=True))
    clinger = match.state.aboard("Red 1")[-1].name
    match.overrule(("warriors", clinger, "seat"), None, "holds on")
    events = do(match, "move", (4, 4), vehicle="Red 1", dust=True)
    assert told(events, "cling") == [
        {"warrior": clinger, "vehicle": "Red 1", "value": 3, "result": "holds"}
    ]  # fmt: skip
    for dust, done in ((True, False), (False, True)):
        match = begun(piece("Red 1", "Rig"), piece("Blue 1", chains=True))
        match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
        events = do(match, "decouple", (4,), vehicle="Red 1", dust=dust)
        assert told(events, "decouple")[0]["success"] is done


def test_the_button_of_a_move_says_which_die_stays_with_its_modifiers():
    """ "On 2 they failed and stay where they were. On a 1 they have Lost Control"."""
    match = begun()
    (move,) = offered(match, "move")
    assert move.more == "2 stays, 1 is Lost Control"
    driver = match.state.driver("Red 1")
    match.overrule(("warriors", driver.name, "changed"), True, "took over")
    (move,) = offered(match, "move")
    assert move.more == "3 stays, 1 to 2 is Lost Control"
    # "On 1 they fall between the vehicles": likewise of whoever boards at one less.
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"))
    mate = seat(match, "Red 1", "P1")
    for changed, dice in ((False, "a 1"), (True, "1 to 2")):
        match.overrule(("warriors", mate, "changed"), changed, "took a seat")
        words = {o.kind: o.more for o in match.options() if o.data.get("warrior") == mate}
        assert words["board"] == f"within 1 in; on {dice} they fall"
        assert words["climb"] == f"on {dice} they fall"


@pytest.mark.parametrize(
    ("aim", "at", "less", "dice"),
    [("vehicle", "Blue 1", 0, "a 1"), ("vehicle", "Blue 1", 1, "1 to 2"), ("warrior", None, 1, "a 1")],
)
def test_the_button_of_a_shot_says_which_dice_jam_with_its_modifiers(aim, at, less, dice):
    """ "On 1 their weapon jams"; in a contested roll the die itself counts (house default)."""
    for roll in (1, 2, 3):
        match = begun(piece("Red 1"), piece("Blue 1"))
        gunner = seat(match, "Red 1", "W1")
        match.overrule(("warriors", gunner, "changed"), bool(less), "took a seat")
        (shot,) = [o for o in offered(match, "shoot") if o.data["aim"] == aim]
        assert shot.more == f"forward, 6 in, D6+2; {dice} jams"
        target = {"to": ["Blue 1"]} if at else {"at": seat(match, "Blue 1", "D")}
        rolls = (roll,) if at else (roll, 6)
        events = do(match, "shoot", rolls, warrior=gunner, mount=1, aim=aim, **target)
        assert bool(told(events, "jammed")) is (roll <= int(dice[-1]))


def test_after_the_agreed_rounds_hit_points_then_warriors_decide():
    match = begun(piece("Red 1"), piece("Blue 1"), rounds=1)
    match.overrule(("vehicles", "Blue 1", "hits"), 24, "a scratch")
    do(match, "done")
    events = do(match, "done")
    assert match.state.winner == "Red"
    assert "Red 25, 25, 3, Blue 25, 24, 3" in events[-1].words


def test_equal_fleets_end_with_a_winner_after_the_agreed_rounds():
    """With creation points alone, one game in seven between equal fleets would be drawn."""
    drawn = 0
    for number in range(volume(3, 200)):
        rounds = endings.Rounds()
        assert endings.typed(number, rounds.see, points=100, rounds=8, equal=True) == ""
        end = rounds.at(8)
        assert end.over
        if end.winner is None:
            left = [strength(end, player) for player in end.alive]
            assert left.count(max(left)) > 1
            drawn += 1
    assert drawn <= volume(0, 4)


def test_shrapnel_hits_nobody_of_the_shooters_own():
    """ "they can choose to do a bonus 1d6 damage to one warrior inside (defender chooses who)"."""
    match = begun()
    boarder = seat(match, "Red 1", "P1")
    do(match, "board", (4,), warrior=boarder, to=["Blue 1"])
    crew = [seat(match, "Blue 1", name) for name in ("D", "W1", "P1")]
    shot(match, (6, 1, 5))
    (hurt,) = offered(match, "hurt")
    assert [c.value for c in hurt.form.fields["warrior"].candidates] == crew
    assert reasons(match, "hurt", player="Blue", warrior=boarder)
    # With nobody else inside there is none.
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    boarder = seat(match, "Red 1", "P1")
    do(match, "board", (4,), warrior=boarder, to=["Blue 1"])
    for name in ("D", "W1", "P1"):
        match.overrule(("warriors", seat(match, "Blue 1", name), "out"), True, "shot")
    shot(match, (6, 1))
    assert not [d for d in match.state.duties if d.kind == "shrapnel"]


def test_a_leap_has_its_minus_one_whatever_they_did_that_round():
    """ "desperately flee the wreck … at a -1, regardless of if they have acted that round"."""
    match = begun(piece("Red 1"), piece("Red 2"), piece("Blue 1"))
    driver, passenger = (seat(match, "Red 1", name) for name in ("D", "P1"))
    match.overrule(("vehicles", "Red 1", "hits"), 1, "almost gone")
    match.overrule(("warriors", driver, "out"), True, "shot")
    do(match, "change", warrior=passenger, seat="D")
    driven(match, "Red 1", 4)
    do(match, "nudge", (6, 5), vehicle="Red 1", targets=["Blue 1"], side="front")
    leaps = [d for d in match.state.duties if d.kind == "leap"]
    assert passenger in {d.warrior for d in leaps}
    for duty in leaps:
        events = do(match, "leap", (5,), warrior=duty.warrior, to=["Red 2"])
        assert why(events) == ["leaps off a wreck"]


def test_in_a_full_vehicle_two_change_places_and_both_have_changed():
    """ "A warrior can Change seating position within a vehicle … & perform another action at a -1"."""
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"))
    driver, mate = (seat(match, "Red 1", name) for name in ("D", "P1"))
    (change,) = [o for o in offered(match, "change") if o.data["warrior"] == mate]
    # Between tractor and trailer warriors Board.
    assert [c.value for c in change.form.fields["seat"].candidates] == ["D"]
    assert driver in change.form.fields["seat"].candidates[0].more
    do(match, "change", warrior=mate, seat="D")
    assert match.state.driver("Red 1").name == mate
    assert match.state.warrior(driver).seat == "P1"
    assert not [o for o in offered(match, "change") if o.data["warrior"] in (driver, mate)]
    events = do(match, "move", (5,), vehicle="Red 1")
    assert why(events) == ["took over driving this round"]


def test_nobody_changes_places_with_whoever_has_acted_or_is_an_enemy():
    """ "Change & a successful Cling are the only actions where a second action is allowed the same round"."""
    match = begun()
    driver, gunner, mate = (seat(match, "Red 1", name) for name in ("D", "W1", "P1"))
    match.overrule(("warriors", driver, "acted"), True, "drove")
    (change,) = [o for o in offered(match, "change") if o.data["warrior"] == mate]
    assert [c.value for c in change.form.fields["seat"].candidates] == ["W1"]
    assert reasons(match, "change", warrior=mate, seat="D")
    # Who clings takes the seat, and the other one clings.
    match.overrule(("warriors", mate, "seat"), None, "holds on")
    match.overrule(("warriors", driver, "out"), True, "shot")
    do(match, "change", warrior=mate, seat="W1")
    assert match.state.warrior(gunner).seat is None
    assert seat(match, "Red 1", "W1") == mate
    # "It can attempt to Move" is all that whoever stands against the back edge may do.
    match = begun()
    mate = seat(match, "Red 1", "P1")
    match.overrule(("turn", "late"), True, "at the back edge")
    assert not [o for o in offered(match, "change") if o.data["warrior"] == mate]


def test_hit_points_by_hand_are_gone_once_the_vehicle_is():
    match = begun()
    with pytest.raises(TableRefError, match=r"without hit points is destroyed; change 'It is' first"):
        match.overrule(("vehicles", "Red 1", "hits"), 0, "marked by hand")
    match.overrule(("vehicles", "Red 1", "status"), "destroyed", "marked by hand")
    match.overrule(("vehicles", "Red 1", "hits"), 0, "marked by hand")
    assert hits(match, "Red 1") == 0
