"""What is told: chances with all that modifies them, dice with who rolls them, wrecks and failed Moves."""

from __future__ import annotations

import pytest

from engine.game.contract import Seen
from engine.game.dice import NeedDice, TypedDice
from engine.game.showing import Viewer
from engine.games.shattered_highways.acts.rounds import AGAIN
from engine.games.shattered_highways.state import EVENTS, Play
from server.reports.account import outcome
from tests.engine.games.shattered_highways.playing import (
    begun,
    board,
    do,
    driven,
    nudged,
    offered,
    piece,
    seat,
    wrecked,
)


def figures(option):
    return [(fact.words, fact.more) for fact in option.facts]


def test_every_chance_is_told_behind_drag_chains_too():
    """ "puts any vehicle that overlaps a 1 template section directly behind them at a -1 for actions"."""
    match = begun(piece("Red 1", hero="P1"), piece("Blue 1", "Rig", chains=True))
    gunner, mate = (seat(match, "Red 1", name) for name in ("W1", "P1"))
    (move,) = offered(match, "move")
    assert figures(move) == [
        ("67 %", "3+ on a D6"),
        ("50 %", "3+ on a D6 −1 behind Drag Chains, 3 stays, 1 to 2 is Lost Control"),
    ]
    (shot,) = [o for o in offered(match, "shoot") if o.data["aim"] == "vehicle"]
    assert figures(shot) == [
        ("50 %", "4+ on a D6"), ("33 %", "4+ on a D6 −1 behind Drag Chains, 1 to 2 jams")
    ]  # fmt: skip
    # At one half of a Rig there is one less again.
    for half in shot.form.fields["part"].candidates:
        assert figures(half) == [
            ("33 %", "4+ on a D6 −1"), ("17 %", "4+ on a D6 −2 behind Drag Chains, 1 to 3 jams")
        ]  # fmt: skip
    boards = {o.data["warrior"]: figures(o) for o in offered(match, "board")}
    assert boards[gunner][1] == ("33 %", "4+ on a D6 −1 behind Drag Chains, on 1 to 2 they fall")
    assert boards[mate][1][0] == "60 %"
    match = begun(piece("Red 1", "Rig"), piece("Blue 1", chains=True))
    match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
    (decouple,) = offered(match, "decouple")
    assert [chance for chance, _ in figures(decouple)] == ["70 %", "60 %"]
    # Where nobody has any there is one chance.
    assert figures(offered(begun(), "move")[0]) == [("80 %", "3+ on a D10")]


def whys(match, kind, **data):
    """What the dice are asked for."""
    with pytest.raises(NeedDice) as asked:
        do(match, kind, **data)
    return [want.why for want in asked.value.wanted]


def test_the_dice_are_asked_for_with_what_modifies_them():
    match = begun(piece("Red 1"), piece("Blue 1", chains=True))
    move = "Red's hero: Move of Red 1, 3+"
    assert whys(match, "move", vehicle="Red 1") == [move]
    assert whys(match, "move", vehicle="Red 1", dust=True) == [f"{move}, at −1 (behind Drag Chains)"]
    # Of a contested roll the die that is modified, and no other.
    do(match, "move", (1, 4), vehicle="Red 1")
    ram = "Ram: the rear of Blue 1 with the front of Red 1"
    lost = {"vehicle": "Red 1", "duty": "lost", "into": ["Blue 1"], "side": "front"}
    assert whys(match, "placed", **lost) == [f"{ram}, at −1 (veers into it)", ram]
    (stands,) = offered(match, "placed")
    assert stands.form.fields["into"].more == "a Ram at −1"
    events = do(match, "placed", (7, 6), **lost)
    (rolled,) = (e.words for e in events if e.kind == "rolls")
    assert rolled == f"{ram}: Red rolls 7 at −1 (veers into it), Blue rolls 6"


def test_dice_are_told_as_rolled_by_players_and_not_as_vehicles():
    """ "Red 2" is a vehicle."""
    match = begun(piece("Red 1"), piece("Blue 1"))
    told_dice = [e.words for e in match.log if e.kind == "rolls"]
    assert told_dice == ["who goes first: Red rolls 6, Blue rolls 5", "play order: Red rolls 6, Blue rolls 5"]
    for clinger in match.state.aboard("Red 1")[1:]:
        match.overrule(("warriors", clinger.name, "seat"), None, "holds on")
    events = do(match, "move", (6, 5, 4), vehicle="Red 1")
    (clung,) = (e.words for e in events if e.kind == "rolls")
    first, second = (w.name for w in match.state.aboard("Red 1")[1:])
    assert clung == (f"{first} clings to Red 1, 4+: Red rolls 5; {second} clings to Red 1, 4+: Red rolls 4")


def test_dice_that_tie_again_are_asked_for_once_more_and_say_after_what():
    """They were for the *play order, again, again*."""
    state = begun(piece("Red 1"), piece("Blue 1")).state
    play = Play(EVENTS, state, Seen(), TypedDice((4, 4, 6, 6, 2, 5)))
    assert play.roll_off(("Red", "Blue"), "play order", "", tied=AGAIN) == ["Blue", "Red"]
    assert [event.words for event in play.events] == [
        "play order: Red rolls 4, Blue rolls 4",
        "play order, again after 4 each: Red rolls 6, Blue rolls 6",
        "play order, again after 6 each: Red rolls 2, Blue rolls 5",
    ]


@pytest.mark.parametrize(("damage", "done"), [(4, False), (5, True)])
def test_an_attack_that_is_shrugged_off_is_no_success_in_the_report(damage, done):
    """ "they either take damage equal to or less than their Tenacity … and continue fighting"."""
    match = begun()
    name, target = board(match), seat(match, "Blue 1", "W1")
    do(match, "done")
    match.overrule(("warriors", name, "acted"), False, "it may act again")
    events = do(match, "attack", (5, 4, damage), warrior=name, target=target)
    place = next(k for k, e in enumerate(events) if e.kind == "attack")
    after = events[place + 1 :]
    assert outcome(lambda event: event, "Blue 1", after) is done


def test_where_a_trailer_alone_is_the_wreck_the_trailer_is_named():
    """ "the tractor continues on and the trailer falls back": the Rig is not destroyed."""
    pieces = (piece("Red 1", "Rig"), piece("Red 2", "Buggy", hidden_in="Red 1"), piece("Blue 1"))
    match = begun(*pieces)
    before = len(match.log)
    match.overrule(("vehicles", "Red 1", "trailer"), 0, "shot to pieces")
    do(match, "decouple", (4, 1), vehicle="Red 1")
    (leap,) = offered(match, "leap")
    assert leap.heading.endswith("is on the wreck of the trailer of Red 1")
    words = {c.value: c.words for c in leap.form.fields["to"].candidates}
    assert words == {"Red 1": "the tractor of Red 1", "Blue 1": "Blue 1"}
    do(match, "leap", (6,), warrior=match.state.duties[0].warrior, to=["Red 1"])
    while any(d.kind == "leap" for d in match.state.duties):
        do(match, "stay", warrior=match.state.duties[0].warrior)
    status = match.game.status(match.state, Viewer())
    assert status.who == "The trailer of Red 1 is destroyed"
    (wreck,) = offered(match, "wreck")
    assert wreck.heading == "Who is straight behind the wreck of the trailer of Red 1?"
    do(match, "wreck", (2, 3), behind=["Blue 1"])
    told_of = [e.words for e in match.log[before:] if "Red 1" in e.words]
    wrong = ("with Red 1", "wreck of Red 1", "off Red 1", "behind Red 1", "Red 1 is destroyed")
    assert not [words for words in told_of if any(part in words for part in wrong)], told_of
    assert "Red 2 is destroyed with the trailer of Red 1" in told_of
    assert any("goes down with the trailer of Red 1" in words for words in told_of)
    assert any("leaps for the tractor of Red 1" in words for words in told_of)


@pytest.mark.parametrize(
    ("dice", "into", "words"),
    [
        ((), [], "Red 1 has veered toward section 4 and regains control"),
        ((4, 6), ["Blue 1"], "Red 1 veers toward section 4 and meets Blue 1"),
    ],
)
def test_what_has_to_be_done_is_not_told_as_done_nor_what_was_met_as_passed(dice, into, words):
    """ "the car moves to the furthest edge … before regaining control. If it encounters another vehicle"."""
    match = begun()
    events = do(match, "move", (1, 4), vehicle="Red 1")
    assert events[-1].words == "Red 1 has to be put there"
    events = do(match, "placed", dice, vehicle="Red 1", duty="lost", into=into)
    assert events[0].words == words
    nudges = begun()
    assert any(e.words == "Red has to put Blue 1 within 1 section of the template"
               for e in nudged(nudges, (5, 4)))  # fmt: skip
    owed = [e.words for game in (match, nudges) for e in game.log if e.kind == "owed"]
    assert all("has to" in said or "has Lost Control" in said for said in owed), owed


def test_what_came_of_a_move_is_told_as_the_dice_have_it():
    """ "On 2 they fail and stay where they were. On a 1 they have Lost Control"."""
    told_of = {}
    for roll in (1, 2, 3):
        match = begun()
        events = do(match, "move", (roll, 4)[: 2 if roll == 1 else 1], vehicle="Red 1")
        told_of[roll] = next(e.words for e in events if e.kind == "drove")
    assert told_of == {
        1: "Red 1 goes out of control", 2: "Red 1 stays where it is", 3: "Red 1 moves",
    }  # fmt: skip
    match = begun(piece("Red 1"), piece("Red 2"), piece("Blue 1"))
    match.overrule(("turn", "late"), True, "at the back edge")
    events = do(match, "move", (2,), vehicle="Red 1")
    assert "Red 1 does not get back onto the road" in [e.words for e in events]


def test_dice_say_who_deals_damage_and_who_takes_it():
    match = begun()
    name, target = board(match), seat(match, "Blue 1", "W1")
    do(match, "done")
    match.overrule(("warriors", name, "acted"), False, "it may act again")
    events = do(match, "attack", (5, 4, 3), warrior=name, target=target)
    assert any(e.words == f"damage that {name} deals: D6 shows 3" for e in events)
    match, _ = wrecked()
    for owed in match.state.duties[:3]:
        do(match, "stay", warrior=owed.warrior)
    events = do(match, "wreck", (2, 3), behind=["Blue 2"])
    assert any(e.words == "damage to Blue 2 at the wreck: D6 shows 3" for e in events)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, "and acts at −1"),
        ({("warriors", "CLINGER", "acted"): True}, "and has acted already in this round"),
        ({("turn", "late"): True}, "and against the back edge nobody else acts"),
    ],
)
def test_whoever_stays_on_is_told_whether_they_still_act(wrong, words):
    """ "Change & a successful Cling are the only actions where a second action is allowed the same round"."""
    match = begun(piece("Red 1"), piece("Blue 1"))
    clinger = seat(match, "Red 1", "P1")
    match.overrule(("warriors", clinger, "seat"), None, "holds on")
    for (first, *rest), value in wrong.items():
        path = (first, *(clinger if one == "CLINGER" else one for one in rest))
        match.overrule(path, value, "before")
    events = do(match, "move", (6, 5), vehicle="Red 1")
    assert f"{clinger} stays on, {words}" in [e.words for e in events]
    do(match, "moved", vehicle="Red 1")
    acts = [o for o in match.options() if o.data.get("warrior") == clinger and o.kind != "change"]
    assert bool(acts) is (not wrong)


def test_on_anothers_vehicle_whoever_stays_on_is_told_that_their_turn_is_over():
    """ "the player with less markers on the vehicle goes first when it is that vehicle's turn"."""
    match = begun()
    name = board(match)
    do(match, "done")
    match.overrule(("warriors", name, "acted"), False, "it may act again")
    do(match, "done")
    assert match.state.turn.hands == "Blue"
    events = do(match, "move", (3, 5), vehicle="Blue 1")
    assert f"{name} stays on, and Red's warriors have had their turn on Blue 1" in [e.words for e in events]
    # Struck in the turn of another one: before its own turn, and after it.
    for order, words in (("Blue", "the turn of Red 1 in this round is over"), ("Red", "acts at −1")):
        match = begun(piece("Blue 1"), piece("Red 1")) if order == "Red" else begun()
        clinger = seat(match, "Red 1", "P1")
        match.overrule(("warriors", clinger, "seat"), None, "holds on")
        if order == "Blue":
            do(match, "done")
        driven(match, "Blue 1")
        events = do(match, "ram", (6, 2, 3, 5), vehicle="Blue 1", targets=["Red 1"], side="front")
        assert f"{clinger} stays on, and {words}" in [e.words for e in events]


@pytest.mark.parametrize("trailer", [25, 0])
def test_a_destroyed_trailer_is_no_half_to_aim_at(trailer):
    """ "To target the tractor or trailer of a rig specifically … at a -1": all hits its tractor by then."""
    match = begun(piece("Red 1"), piece("Blue 1", "Rig"))
    match.overrule(("vehicles", "Blue 1", "trailer"), trailer, "shot at")
    shoot = next(o for o in offered(match, "shoot") if o.data["aim"] == "vehicle")
    assert ("part" in shoot.form.fields) is bool(trailer)
    # Nor one that is struck.
    driven(match, "Red 1")
    assert ["part" in o.form.fields for k in ("nudge", "ram") for o in offered(match, k)] == [
        bool(trailer)
    ] * 2


def test_the_card_of_a_taken_vehicle_says_who_writes_its_play_order():
    """ "The original owner continues to chose its play order", while they are in the fight."""
    match = begun(piece("Red 1"), piece("Blue 1"), piece("Gold 1"))
    boarder = seat(match, "Red 1", "P1")
    state = match.state.with_warriors([boarder], vehicle="Blue 1", seat=None)
    state = state.with_vehicle("Blue 1", control="Red")
    for there, writer in ((True, "Blue"), (False, "Red")):
        if not there:
            state = state.with_warriors(
                [w.name for w in state.warriors if w.owner == "Blue"], out=True, seat=None
            )
        assert "Blue 1" in state.to_number[writer]
        sheet = next(s for s in match.game.sheets(state, Viewer()) if s.piece == "Blue 1")
        assert sheet.more.endswith(f"fielded by Blue; {writer} writes its play order")


def test_who_took_over_driving_and_boards_then_is_told_the_change():
    """ "Change seating position … & perform another action at a -1": what is driven has its own rule."""
    told_of = {}
    for kind, said in (("board", {"to": ["Blue 1"]}), ("move", {})):
        match = begun()
        driver, mate = seat(match, "Red 1", "D"), seat(match, "Red 1", "P1")
        match.overrule(("warriors", driver, "out"), True, "shot")
        do(match, "change", warrior=mate, seat="D")
        who = {"warrior": mate} if kind == "board" else {"vehicle": "Red 1"}
        events = do(match, kind, (4,), **who, **said)
        (told_of[kind],) = [
            (e.data["why"], e.citation.split(" · ")[1]) for e in events if e.kind == "modified"
        ]
    assert told_of == {
        "board": ("changed position this round", "Change"),
        "move": ("took over driving this round", "Driver Actions"),
    }
