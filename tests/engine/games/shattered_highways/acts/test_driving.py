"""Move, Nudge and Ram, with the book's numbers."""

from __future__ import annotations

import pytest

from tests.engine.games.shattered_highways.playing import (
    begun,
    do,
    driven,
    new_round,
    offered,
    piece,
    reasons,
    told,
    why,
)


def hits(match, name):
    v = match.state.vehicle(name)
    return v.hits if v.trailer is None else (v.hits, v.trailer)


# Move


@pytest.mark.parametrize(("roll", "stage"), [(3, "moving"), (10, "moving"), (2, "play")])
def test_a_move_needs_three(roll, stage):
    match = begun()
    driven(match, "Red 1", roll)
    assert match.state.turn.stage == stage
    assert match.state.turn.driven
    assert not match.state.duties


def test_a_one_is_lost_control_and_rolls_for_the_section():
    match = begun()
    events = do(match, "move", (1, 4), vehicle="Red 1")
    assert told(events, "veers") == [{"vehicle": "Red 1", "duty": "control", "section": 4}]
    (duty,) = match.state.duties
    assert (duty.kind, duty.section, duty.by) == ("lost", 4, "Red")
    do(match, "placed", vehicle="Red 1", duty="lost")
    assert not match.state.duties


def test_lost_control_rams_what_it_meets_at_minus_one():
    match = begun()
    do(match, "move", (1, 4), vehicle="Red 1")
    # 7 of a hero is 6 against 6: a tie goes to the defender.
    events = do(match, "placed", (7, 6), vehicle="Red 1", duty="lost", into=["Blue 1"], side="left")
    assert why(events) == ["veers into it"]
    (ram,) = told(events, "ram")
    assert (ram["attacker"], ram["defender"], ram["won"], ram["side"], ram["theirs"]) == (
        6, 6, False, "left", "right",
    )  # fmt: skip


def test_a_driver_drives_once_a_turn():
    match = begun()
    driven(match, "Red 1")
    do(match, "moved", vehicle="Red 1")
    assert not offered(match, "move")
    assert "not to be done now" in reasons(match, "move", vehicle="Red 1")


# Ram


def rammed(match, dice, **data):
    driven(match, "Red 1")
    return do(match, "ram", dice, vehicle="Red 1", **({"targets": ["Blue 1"]} | data))


def test_a_ram_does_a_die_and_half_of_it_back():
    match = begun()
    rammed(match, (5, 4, 5))
    assert (hits(match, "Blue 1"), hits(match, "Red 1")) == (20, 23)


def test_a_six_is_rolled_again_once_and_at_most_three_come_back():
    match = begun()
    rammed(match, (5, 4, 6, 6))
    assert (hits(match, "Blue 1"), hits(match, "Red 1")) == (13, 22)


def test_a_tie_goes_to_the_defender():
    match = begun()
    rammed(match, (4, 4))
    assert (hits(match, "Blue 1"), hits(match, "Red 1")) == (25, 25)


def test_the_highest_against_a_one_is_twenty_five_and_three_unmodified():
    armored = [piece("Red 1", "Truck", armor=["front"]), piece("Blue 1", "Truck", armor=["rear"])]
    match = begun(*armored)
    events = rammed(match, (10, 1, 3))
    assert told(events, "ram")[0]["crush"]
    assert (hits(match, "Blue 1"), hits(match, "Red 1")) == (10, 32)
    assert match.state.duties[0].kind == "lost"


@pytest.mark.parametrize(
    ("mine", "theirs", "damage", "name"),
    [
        ("Buggy", "Truck", 2, "a Buggy rams a Truck"),
        ("Buggy", "Rig", 2, "a Buggy rams a Rig"),
        ("Buggy", "Car", 3, None),
        ("Car", "Rig", 3, None),
        ("Truck", "Car", 4, "a Truck rams a Car"),
        ("Rig", "Buggy", 4, "a Rig rams a Buggy"),
        ("Truck", "Rig", 3, None),
    ],
)
def test_classes_add_to_ram_damage_and_not_to_what_comes_back(mine, theirs, damage, name):
    match = begun(piece("Red 1", mine), piece("Blue 1", theirs))
    events = rammed(match, (5, 4, 3))
    done = {d["vehicle"]: d["amount"] for d in told(events, "damaged")}
    assert done == {"Blue 1": damage, "Red 1": 1}
    assert why(events) == ([name] if name else [])


def test_armor_takes_one_off_the_final_numbers_of_its_side():
    match = begun(piece("Red 1", armor=["front"]), piece("Blue 1", armor=["rear", "left"]))
    events = rammed(match, (5, 4, 4))
    assert {d["vehicle"]: d["amount"] for d in told(events, "damaged")} == {"Blue 1": 3, "Red 1": 1}
    assert why(events) == ["armor on the rear of Blue 1", "armor on the front of Red 1"]


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


# Nudge


def nudged(match, dice, **data):
    driven(match, "Red 1")
    return do(match, "nudge", dice, vehicle="Red 1", **({"targets": ["Blue 1"]} | data))


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


# Rigs


def test_a_rigs_side_strikes_several_with_one_roll_and_damage_for_each():
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"), piece("Blue 2", "Truck"))
    driven(match, "Red 1")
    two = {"vehicle": "Red 1", "targets": ["Blue 1", "Blue 2"]}
    assert "side of a Rig only" in reasons(match, "ram", **two, side="front")
    events = do(match, "ram", (5, 4, 2, 3, 6, 1), **two, side="left")
    assert [r["won"] for r in told(events, "ram")] == [True, True]
    # 3 and 1 for a Car; 6 and 1 more for a Truck. 1 and 3 come back to the trailer.
    assert (hits(match, "Blue 1"), hits(match, "Blue 2"), hits(match, "Red 1")) == (21, 28, (25, 21))


def test_a_nudge_of_several_takes_one_roll():
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"), piece("Blue 2"))
    driven(match, "Red 1")
    events = do(match, "nudge", (5, 4, 5), vehicle="Red 1", targets=["Blue 1", "Blue 2"], side="right")
    assert [n["by"] for n in told(events, "nudge")] == [1, 0]
    assert hits(match, "Red 1") == (25, 24)
    assert [d.vehicle for d in match.state.duties] == ["Blue 1"]


def test_only_one_vehicle_is_struck_by_a_car():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    driven(match, "Red 1")
    assert reasons(match, "nudge", vehicle="Red 1", targets=["Blue 1", "Blue 2"], side="left")


def with_destroyed_trailer():
    match = begun(piece("Red 1", "Rig"), piece("Blue 1"), piece("Blue 2"))
    match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
    return match


def test_a_destroyed_trailer_is_decoupled_with_a_roll():
    match = with_destroyed_trailer()
    assert not offered(match, "move")
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


def test_a_rig_that_fails_to_decouple_counts_as_unmanned():
    match = with_destroyed_trailer()
    do(match, "decouple", (3,), vehicle="Red 1")
    assert not offered(match, "decouple")
    events = do(match, "done")
    assert told(events, "unmanned") == [{"vehicle": "Red 1"}]
    do(match, "placed", (4,), vehicle="Red 1", duty="fall back")
    assert match.state.turn.vehicle == "Blue 1"


def test_a_hidden_buggy_drives_out_with_a_roll():
    match = begun(piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    assert match.state.vehicle("Red 2").status == "hidden"
    assert match.state.slots == 2
    do(match, "launch", (3,), vehicle="Red 2", rig="Red 1")
    do(match, "placed", vehicle="Red 2", duty="deployed")
    assert match.state.vehicle("Red 2").in_play
    assert not offered(match, "launch")


# Edges


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
