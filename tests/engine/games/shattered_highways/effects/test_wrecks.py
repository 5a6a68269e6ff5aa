"""Destroyed vehicles, unmanned ones, captured ones, and the end of the game."""

from __future__ import annotations

import pytest

from tests.engine.games.shattered_highways.playing import begun, do, new_round, piece, told, why


def wrecked(*pieces, **more):
    """Blue 1 is destroyed by a shot of Red 1 in its first turn."""
    match = begun(*(pieces or (piece("Red 1"), piece("Blue 1"), piece("Blue 2"))), **more)
    name = "hits"
    match.overrule(("vehicles", "Blue 1", name), 3, "almost gone")
    gunner = next(w.name for w in match.state.aboard("Red 1") if w.seat == "W1")
    return match, do(match, "shoot", (5, 6), warrior=gunner, mount=1, aim="vehicle", to=["Blue 1"])


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


def test_a_hidden_buggy_leaves_a_destroyed_rig_at_minus_one():
    pieces = (
        piece("Red 1"), piece("Blue 1", "Rig"), piece("Blue 2", "Buggy", hidden_in="Blue 1"), piece("Blue 3"),
    )  # fmt: skip
    for roll, status in ((4, "hidden"), (3, "destroyed")):
        match = begun(*pieces)
        match.overrule(("vehicles", "Blue 1", "hits"), 1, "almost gone")
        gunner = next(w.name for w in match.state.aboard("Red 1") if w.seat == "W1")
        events = do(match, "shoot", (5, 6, roll), warrior=gunner, mount=1, aim="vehicle", to=["Blue 1"])
        assert "leaves a destroyed Rig" in why(events)
        assert match.state.vehicle("Blue 2").status == status
        assert any(d.kind == "deployed" for d in match.state.duties) == (status == "hidden")


def unmanned(match, name):
    driver = match.state.driver(name).name
    match.overrule(("warriors", driver, "out"), True, "shot")
    return do(match, "done")


def test_an_unmanned_vehicle_falls_back_and_is_rammed_at_minus_one():
    match = begun()
    events = unmanned(match, "Red 1")
    assert told(events, "unmanned")
    assert [d.kind for d in match.state.duties] == ["fall back", "unmanned"]
    # 9 less 1 against a D6 for the unmanned one; 4 damage, 2 back; a 4 on the last die keeps straight on.
    events = do(match, "placed", (9, 5, 4, 4), vehicle="Red 1", duty="fall back", into=["Blue 1"])
    assert why(events) == ["meets an unmanned vehicle"]
    assert (match.state.vehicle("Red 1").hits, match.state.vehicle("Blue 1").hits) == (21, 23)
    assert match.state.turn.vehicle == "Blue 1"


def test_one_to_three_and_it_has_lost_control():
    match = begun()
    unmanned(match, "Red 1")
    do(match, "placed", (3, 2), vehicle="Red 1", duty="fall back")
    assert (match.state.duties[0].kind, match.state.duties[0].section) == ("lost", 2)


def test_a_boarded_vehicle_without_its_own_is_taken_over():
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Blue 2"))
    name = next(w.name for w in match.state.aboard("Red 1") if w.seat == "W1")
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


def test_the_last_with_a_warrior_on_the_road_wins():
    match, _ = wrecked(piece("Red 1"), piece("Blue 1"))
    for owed in match.state.duties[:3]:
        do(match, "stay", warrior=owed.warrior)
    do(match, "wreck")
    assert (match.state.over, match.state.winner) == (True, "Red")


def test_after_the_agreed_rounds_the_stronger_fleet_wins():
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
