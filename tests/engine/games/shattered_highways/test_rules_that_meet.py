"""Two rules at the same time: a Ram out of control, a wreck in a Move, a shot that destroys, the last one."""

from __future__ import annotations

from tests.engine.games.shattered_highways.playing import (
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
    wrecked,
)


def stay(match):
    """Everybody who may leap stays on the wreck."""
    for duty in match.state.duties:
        if duty.kind == "leap":
            do(match, "stay", warrior=duty.warrior)


def test_what_rams_after_its_turn_begins_no_turn_again():
    """ "any unused warriors actions are lost"; the vehicle of an unmanned turn loses control at its end."""
    match = begun()
    match.overrule(("warriors", match.state.driver("Red 1").name, "out"), True, "shot")
    do(match, "done")
    do(match, "placed", (3, 2), vehicle="Red 1", duty="fall back")
    events = do(match, "placed", (2, 6), vehicle="Red 1", duty="lost", into=["Blue 1"])
    assert told(events, "ram")[0]["vehicle"] == "Red 1"
    assert (match.state.turn.vehicle, match.state.turn.hands) == ("Blue 1", "Blue")
    assert match.state.locked == (("Blue 1", "Red 1"),), "they stand against one another all the same"


def test_who_veers_into_another_in_its_turn_may_still_be_driven():
    """ "The Board & Move rolls are allowed regardless of if the warriors have acted this round"."""
    match, _ = wrecked()
    stay(match)
    # A 1 behind the wreck, its damage, and the section; then a Ram in vain.
    do(match, "wreck", (1, 2, 4), behind=["Red 1"])
    do(match, "placed", (2, 6), vehicle="Red 1", duty="lost", into=["Blue 2"])
    assert offered(match, "move")
    driven(match, "Red 1")


def test_a_move_ends_where_its_vehicle_loses_control_behind_whom_it_has_wrecked():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    match.overrule(("vehicles", "Blue 1", "hits"), 1, "almost gone")
    nudged(match, (5, 4))
    stay(match)
    do(match, "wreck", (1, 2, 4), behind=["Red 1"])
    do(match, "placed", vehicle="Red 1", duty="lost")
    assert match.state.turn.stage == "play"
    assert not offered(match, "moved")


def test_nobody_is_called_to_act_on_a_vehicle_whose_last_warrior_there_has_fallen():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    name = board(match)
    do(match, "done")
    assert (match.state.turn.hands, match.state.turn.later) == ("Red", ("Blue",))
    match.overrule(("warriors", name, "acted"), False, "it may act again")
    for w in match.state.aboard("Blue 1"):
        if w.owner == "Blue":
            match.overrule(("warriors", w.name, "out"), True, "knifed")
    (done,) = offered(match, "done")
    assert "Blue's warriors act" not in done.more
    events = do(match, "done")
    assert told(events, "hands") == []
    assert told(events, "captured")[0]["player"] == "Red"


def test_against_the_back_edge_a_move_becomes_no_nudge_and_no_ram():
    """ "The only action it can take on its next turn is to roll a Move to try and get back on the board"."""
    match = begun(piece("Red 1"), piece("Blue 1"))
    match.overrule(("vehicles", "Red 1", "status"), "behind", "it fell back")
    do(match, "done")
    do(match, "done")
    new_round(match)
    driven(match, "Red 1")
    (moved,) = match.options()
    assert moved.heading_more.endswith("Away from the back edge it can neither nudge nor ram.")
    for kind in ("nudge", "ram"):
        assert reasons(match, kind, vehicle="Red 1", targets=["Blue 1"], side="front")
    do(match, "moved", vehicle="Red 1")
    assert match.state.vehicle("Red 1").status == "driving"


def test_the_highest_roll_hits_somebody_inside_also_what_it_destroys():
    """ "They can choose to do a bonus 1d6 damage to one warrior inside (defender chooses who)"."""
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    match.overrule(("vehicles", "Blue 1", "hits"), 3, "almost gone")
    gunner, victim = seat(match, "Red 1", "W1"), seat(match, "Blue 1", "P1")
    do(match, "shoot", (6, 4, 5), warrior=gunner, mount=1, aim="vehicle", to=["Blue 1"])
    assert match.state.vehicle("Blue 1").status == "destroyed"
    (hurt,) = offered(match, "hurt")
    assert (hurt.player, len(hurt.form.fields["warrior"].candidates)) == ("Blue", 3)
    do(match, "hurt", warrior=victim)
    assert match.state.warrior(victim).out
    assert [d.kind for d in match.state.duties] == ["leap", "leap", "wreck"]


def test_a_rig_that_drags_its_trailer_is_not_told_as_driven_by_nobody():
    """ "If they fail the Rig is treated as Unmanned and played that way": its driver is there."""
    for gone in (False, True):
        match = begun(piece("Red 1", "Rig"), piece("Blue 1"))
        match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
        if gone:
            match.overrule(("warriors", seat(match, "Red 1", "D"), "out"), True, "shot")
        do(match, "decouple", (3,), vehicle="Red 1")
        (done,) = offered(match, "done")
        events = [*do(match, "done"), *do(match, "placed", (4,), vehicle="Red 1", duty="fall back")]
        told_of = " / ".join((done.more, *(e.words for e in events)))
        assert ("nobody drives" in told_of) is gone
        assert ("without a driver" in told_of) is gone
        assert ("as if unmanned" in told_of) is not gone
        assert ("Red 1 is unmanned" in told_of) is gone
