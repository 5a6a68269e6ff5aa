"""Pushed cars held against the rules: moves, attacks measured on the table, a simulated hand."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from engine.errors import TableRefError
from engine.game.contract import Question, Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.game.facts import said_facts
from engine.game.kit.table import ACCEPT
from engine.game.log.settled import SETTLED, settled_no
from engine.game.showing import Awaited
from engine.game.viewing import permitted
from engine.games.car_cult.acts.recognised import judged
from engine.games.car_cult.driver import _stuck
from engine.games.car_cult.game import GAME
from engine.games.car_cult.rules.attacks import rule_range
from engine.measure.seeing.visible_range import visible_range
from engine.measure.sweep import Straight, Turn
from engine.ruling import Verdict
from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Status, Thing, ThingName
from tests.engine.games.car_cult.hands import STEADY, mine, mud, pushed, put, seen, table, wall
from tests.engine.games.car_cult.playing import activated, begun, car, do
from tests.engine.games.car_cult.pushes import Tally

REAR = (-1.4, 0.0)

LEFT = Turn(math.radians(40), REAR)


def moving(*parts: str, speed: int = 3, **more: int):
    """Red 1 about to move 9 to 12 in, with two turns and 2 in of drift."""
    match = begun(car("Red 1", "Straight Five", *parts), car("Blue 1", "Straight Five", "Rifle"),
                  tokens={"Red 1": speed} | more)  # fmt: skip
    activated(match)
    return match


def taken(match, move, dice=(), **data):
    """The move is taken as it was seen."""
    action = Action("move", None, {"car": "Red 1", "move": move.id} | data)
    return match.do(action, seen(move), TypedDice(dice))[1:]


def start(*others):
    return table(put("Red 1", 8, 24), put("Blue 1", 40, 40), *others)


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        ([Straight(10.5)], Verdict.YES),
        ([Straight(5), Turn(math.radians(40), REAR), Straight(5.5)], Verdict.YES),
        ([Straight(4), Turn(math.radians(85), REAR), Straight(6.5)], Verdict.YES),
        (
            [Straight(3), LEFT, Straight(4), Turn(-LEFT.angle, REAR), Straight(4)],
            Verdict.YES,
        ),
        ([Straight(10, 1.8)], Verdict.YES),
        ([Straight(13.5)], Verdict.NO),
        ([Straight(4), Turn(math.radians(120), REAR), Straight(6)], Verdict.NO),
        ([Straight(10, 3.2)], Verdict.NO),
    ],
)  # fmt: skip
def test_straight_turns_and_drift_are_ruled(steps, verdict):
    match = moving("Rifle")
    ruled = judged(match.state, pushed(start(), "Red 1", steps))
    assert ruled.driven.ruling.verdict is verdict, [c.words for c in ruled.driven.ruling.checks]


def test_a_move_is_taken_with_what_was_measured():
    match = moving("Rifle")
    events = taken(match, pushed(start(), "Red 1", [Straight(10.5)]))
    (moved,) = [e for e in events if e.kind == "moved"]
    assert moved.data["inches"] == pytest.approx(10.5, abs=0.05)
    assert moved.data["sd"] > 0
    assert moved.measured is True
    assert match.state.turn.moved
    assert not match.state.duties
    # Short of the minimum it brakes by whole inches.
    events = taken(moving("Rifle"), pushed(start(), "Red 1", [Straight(6.5)]), (12,))
    assert [e.data["total"] for e in events if e.kind == "checked"] == [12 - 2]
    # "less than the minimum distance": by less than an inch it brakes, too.
    events = taken(moving("Rifle"), pushed(start(), "Red 1", [Straight(8.35)]), (9,))
    assert [(e.data["total"], e.data["safe"]) for e in events if e.kind == "checked"] == [(9, False)]
    # From its front at about 9.4 to 19.9: inside the mud from 12 to 15.5.
    rough = pushed(start(mud("Mud", 13.75, 24, 3.5, 4)), "Red 1", [Straight(10.5)])
    events = taken(moving("Rifle"), rough, (13,))
    ((inside,),) = [e.data["ground"] for e in events if e.kind == "moved"]
    assert inside["inches"] == pytest.approx(3.5, abs=0.05)
    assert inside["counts"] == 3
    assert [e.data["total"] for e in events if e.kind == "checked"] == [10]


def test_a_move_that_is_known_no_more_or_is_another_cars_is_refused():
    match, move = moving(), pushed(start(), "Blue 1", [Straight(2.0)])
    for named, words in (
        (move.id, "that was a move of Blue 1, not of Red 1"),
        (
            "m9",
            "that move of Red 1 is not known any more: it was moved on, put back, or taken already. "
            "Look again, and take it as it stands now",
        ),
    ):
        against = GAME.check(match.state, Action("move", None, {"car": "Red 1", "move": named}), seen(move))
        assert [(r.words, r.open) for r in against] == [(words, False)]


def test_whole_inches_that_are_too_close_to_call_are_asked():
    match = moving("Rifle")
    move = pushed(start(mud("Mud", 13.5, 24, 3.0, 4, sd=0.05)), "Red 1", [Straight(10.5)])
    action = Action("move", None, {"car": "Red 1", "move": move.id})
    (reason,) = GAME.check(match.state, action, seen(move))
    assert reason.open
    assert reason.question == "3 in or more inside Mud"
    events = taken(match, move, (12,), ruled={reason.question: "no"})
    assert [e.data["total"] for e in events if e.kind == "checked"] == [10]


def test_the_question_whether_it_brakes_says_how_much_is_let_pass():
    """Its figures alone looked short beyond doubt."""
    match = moving("Rifle")
    low, slack = match.state.range_of_move()[0], match.state.house.length_tolerance
    move = pushed(start(), "Red 1", [Straight(low - slack)])
    action = Action("move", None, {"car": "Red 1", "move": move.id})
    (reason,) = GAME.check(match.state, action, seen(move))
    assert reason.open
    assert reason.question.startswith("it is short of its minimum and brakes (8.")
    assert reason.words == (
        f"{reason.question}: too close to call, as up to 0.25 in short is let pass"
    )  # fmt: skip
    (fact,) = match.said(Action("move", None, {**action.data, "ruled": {reason.question: "no"}}), seen(move))
    assert fact.words == f"{reason.question}: no (too close to call)"


def test_blocking_terrain_or_another_car_ends_the_move_where_it_touches():
    match = moving("Rifle")
    before = start(wall("Rocks", 16, 24, 2, 4))
    ruled = judged(match.state, pushed(before, "Red 1", [Straight(5.6)]))
    assert ruled.driven.touched is not None
    assert ruled.driven.seen.length.value == pytest.approx(5.5, abs=0.25)
    through = table(put("Red 1", 8, 24), put("Blue 1", 15, 24, 90))
    driven = judged(match.state, pushed(through, "Red 1", [Straight(10.5)])).driven
    assert (driven.ruling.verdict, driven.touched.other) == (Verdict.NO, "Blue 1")
    assert driven.should.x < 15
    # Let stand where it did not halt, it is told to have gone as far as it went.
    past = begun_through(through)
    assert past.data["into"] == "Blue 1"
    assert past.data["inches"] == pytest.approx(10.5, abs=0.1)
    assert past.data["to"][0] == pytest.approx(18.5, abs=0.1)
    events = taken(match, pushed(before, "Red 1", [Straight(5.8)]))
    (moved,) = [e for e in events if e.kind == "moved"]
    assert moved.data["into"] == "Rocks"
    # 9 less what it went, rounded down.
    assert len(match.state.duties) == math.floor(9 - moved.data["inches"])


def test_what_lies_beyond_what_it_may_have_touched_is_not_met_once_that_is_said():
    """ "Cars must halt their movement when they touch Blocking terrain"."""
    match, _ = mined()
    graze = wall("Rock", 12, 24 + 0.6 + 1, 1, 2)
    before = table(
        put("Red 1", 8, 24), put("Blue 1", 40, 40), graze, mud("Mud", 16, 24, 1.5, 6), mine("Mine 1", 21, 24)
    )
    move = pushed(before, "Red 1", [Straight(8.0)])
    asked = GAME.check(match.state, Action("move", None, {"car": "Red 1", "move": move.id}), seen(move))
    assert [reason.question for reason in asked] == ["it touches Rock"]
    (moved,) = [e for e in taken(match, move, ruled={"it touches Rock": "yes"}) if e.kind == "moved"]
    assert (moved.data["into"], moved.data["ground"], moved.data["triggered"]) == ("Rock", [], [])
    assert moved.data["to"][0] - 8 == pytest.approx(moved.data["inches"], abs=0.05)
    match.undo()
    (moved,) = [e for e in taken(match, move, (20, 1), ruled={"it touches Rock": "no"}) if e.kind == "moved"]
    assert (moved.data["into"], moved.data["triggered"]) == (None, ["Mine 1"])
    assert [one["terrain"] for one in moved.data["ground"]] == ["Mud"]


def begun_through(before):
    """What is told of a move through another car that the players let pass."""
    match = moving("Rifle")
    events = taken(match, pushed(before, "Red 1", [Straight(10.5)]), ruled={"": "yes"})
    return next(e for e in events if e.kind == "moved")


@pytest.mark.parametrize("parts", [("Reinforced Ram",), ()])
def test_of_a_car_that_rams_another_it_is_not_asked_how_short_of_its_minimum_it_is(parts):
    """ "Does not suffer DT when moving into other models"."""
    match = moving(*parts)
    before = table(put("Red 1", 8, 24), put("Blue 1", 8 + 2.95 + 6.98, 24))
    move = pushed(before, "Red 1", [Straight(7.2)])
    action = Action("move", None, {"car": "Red 1", "move": move.id})
    asked = [reason.question for reason in GAME.check(match.state, action, seen(move))]
    assert asked == ([] if parts else ["2 in or more short of its minimum"])
    facts = GAME.guide(match.state, GAME.awaits(match.state)[0], move, before).facts
    close = "1 or 2 in short of its minimum, too close to call."
    assert facts == (("It rams Blue 1.",) if parts else ("It runs into Blue 1.", close))
    if parts:
        assert [e.kind for e in taken(match, move, (1,))][-2:] == ["modified", "missed"]
        return
    # One that has gone its minimum is not short of it.
    behind = table(put("Red 1", 8, 24), put("Blue 1", 8 + 2.95 + 10.0, 24))
    facts = GAME.guide(
        match.state, GAME.awaits(match.state)[0], pushed(behind, "Red 1", [Straight(10.1)]), behind
    )
    assert facts.facts == ("It runs into Blue 1.",)


def mined():
    """Red 1 about to move, past two Mines that Blue 1 has laid."""
    match = begun(car("Blue 1", "Straight Five", "Mines", "Rifle"), car("Red 1", "Straight Five", "Rifle"),
                  tokens={"Blue 1": 3, "Red 1": 2})  # fmt: skip
    activated(match, "Mines · 1", "Mines · 2")
    do(match, "move", car="Blue 1", inches=9.0, mines=2)
    do(match, "done")
    activated(match)
    before = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Mine 1", 20, 27), mine("Mine 2", 14, 21))
    return match, before


def test_mines_are_triggered_in_the_order_in_which_it_comes_near_them():
    match, before = mined()
    ruled = judged(match.state, pushed(before, "Red 1", [Straight(8.5)]))
    assert [m.mine for m in ruled.mines] == ["Mine 2", "Mine 1"]
    assert ruled.mines[0].at.x < ruled.mines[1].at.x
    far = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), mine("Mine 1", 20, 35))
    assert not judged(match.state, pushed(far, "Red 1", [Straight(8.5)])).mines


@pytest.mark.parametrize(("x", "reached"), [(2.0, True), (20.0, False)])
@pytest.mark.parametrize("what", ["Mine 1", "Mud"])
def test_a_car_that_is_blown_up_on_its_way_explodes_there_and_not_where_the_hand_left_it(what, x, reached):
    """ "Each time a car moves through a piece of Rough terrain"; "each model within a number of inches"."""
    match = begun(car("Blue 1", "Straight Five", "Mines", "Rifle"), car("Red 1", "Straight Five"),
                  car("Gold 1"), tokens={"Blue 1": 3, "Red 1": 1})  # fmt: skip
    activated(match, "Mines · 1")
    do(match, "move", car="Blue 1", inches=9.0, mines=1)
    do(match, "done")
    activated(match)
    zones = ["Speed", *["Damage"] * 4]
    match.overrule(("cars", "Red 1", "components", 0, "zones"), zones, "hit before", "Red")
    # Within half an inch to an inch and a bit it is blown up; the hand goes on to 5 in.
    on_way = mine("Mine 1", 14.5, 24.0) if what == "Mine 1" else mud("Mud", 10.3, 24.0, 1.4, 4.0)
    before = table(put("Red 1", 8, 24), put("Blue 1", 40, 40), put("Gold 1", x, 24), on_way)
    events = taken(match, pushed(before, "Red 1", [Straight(5.0)]), (20,) if what == "Mine 1" else (1,))
    (blast,) = (d for e in events if e.kind == "owed" for d in e.data["duties"] if d["kind"] == "blast")
    assert (blast["sure"] == ["Gold 1"]) is reached
    assert blast["doubtful"] == []


def test_the_guide_tells_the_move_and_nothing_of_others():
    match = moving("Rifle")
    awaited = GAME.awaits(match.state)[0]
    assert awaited == Awaited("Red 1", "move", "Red", "round 1, Red 1")
    before = start(mud("Mud", 13.75, 24, 3.5, 4), wall("Rocks", 20, 24, 1, 4))
    ready = GAME.guide(match.state, awaited, None, before)
    assert ready.words == "Minimum 9 in, maximum 12 in, drift up to 2 in, 2 turns of up to 45°."
    assert not ready.marks
    rested = GAME.guide(match.state, awaited, pushed(before, "Red 1", [Straight(9.8)]), before)
    assert any("inside Mud" in fact for fact in rested.facts)
    assert not any("Blue" in fact for fact in rested.facts)


def test_the_panel_leaves_open_what_is_asked_as_the_move_is_taken():
    match, before = moving("Rifle"), start()
    awaited = GAME.awaits(match.state)[0]
    move = pushed(before, "Red 1", [Straight(6.0)])
    action = Action("move", None, {"car": "Red 1", "move": move.id})
    against = GAME.check(match.state, action, seen(move))
    assert [r.question for r in against] == ["3 in or more short of its minimum"]
    told = GAME.guide(match.state, awaited, move, before)
    roll = "to brake here, a D20 has to show 12 or 13 or more, too close to call"
    assert told.facts == (f"2 or 3 in short of its minimum: {roll}.",)
    assert told.headline == "Legal; the rest is too close to call"
    (way,) = [fact for fact in under_way(match, before, Straight(6.0)).facts if "short" in fact]
    assert way.endswith(roll)
    # What is sure is told plainly, and nothing is asked of it.
    sure = pushed(before, "Red 1", [Straight(6.5)])
    assert not GAME.check(match.state, Action("move", None, {"car": "Red 1", "move": sure.id}), seen(sure))
    told = GAME.guide(match.state, awaited, sure, before)
    assert told.headline == "Legal"
    assert told.facts == ("2 in short of its minimum: to brake here, a D20 has to show 12 or more.",)
    assert told.take == "The move is done"


def test_what_is_sure_to_be_against_the_book_may_be_accepted_on_the_panel():
    match, before = moving("Rifle"), start()
    told = GAME.guide(
        match.state, GAME.awaits(match.state)[0], pushed(before, "Red 1", [Straight(14.0)]), before
    )
    assert (told.take, told.said) == (ACCEPT, (("ruled", "yes"),))


def test_the_panel_tells_that_braking_itself_is_too_close_to_call():
    match, before = moving("Rifle"), start()
    slack = match.state.house.length_tolerance
    move = pushed(before, "Red 1", [Straight(9.0 - slack)])
    action = Action("move", None, {"car": "Red 1", "move": move.id})
    (reason,) = GAME.check(match.state, action, seen(move))
    (fact,) = GAME.guide(match.state, GAME.awaits(match.state)[0], move, before).facts
    assert fact == f"I{reason.words[1:]}."
    assert fact.endswith("too close to call, as up to 0.25 in short is let pass.")


@pytest.mark.parametrize(
    ("speed", "braking", "dice"), [(1, "", ()), (3, "braking: a D20 has to show 19 or more", (19,))]
)
def test_a_car_may_stay_where_it_is_and_nothing_of_that_has_to_be_seen(speed, braking, dice):
    """Only *Accept without measuring* did it, with somebody else's leave."""
    match = moving("Rifle", speed=speed)
    still = Seen(start())
    (found,) = (o for o in match.options(still) if o.words == "Red 1 stays where it is")
    assert found.more == braking
    action = Action(found.kind, found.player, found.data)
    assert GAME.measured(match.state, action, still) is None
    assert said_facts(GAME, match.state, action, still) == ()
    first = match.do(action, still, TypedDice(dice))[1]
    assert first.words == f"Red 1 stays where it is: minimum {9 if braking else 0} in"
    assert not GAME.awaits(match.state)
    assert match.state.turn.moved
    assert not match.state.turn.drove  # no route, along which anything could be laid


@pytest.mark.parametrize("more", [{"inches": 3.0}, {"into": "Blue 1"}, {"mines": 1}])
def test_of_a_car_that_stays_nothing_else_is_said(more):
    match = moving("Rifle", speed=1)
    action = Action("move", None, {"car": "Red 1", "stays": True} | more)
    (reason,) = match.check(action, Seen(start()))
    assert "nobody asked for it" in reason.words


def test_what_was_moved_or_is_not_seen_does_not_stay_where_it_is():
    match = moving("Rifle", speed=1)
    action = Action("move", None, {"car": "Red 1", "stays": True})
    move = pushed(start(), "Red 1", [Straight(3.0)])
    assert not [o for o in match.options(seen(move)) if "stays" in o.words]
    assert match.check(action, seen(move))
    unseen = Seen(table(put("Blue 1", 40, 40)))
    (reason,) = match.check(action, unseen)
    assert reason.words == "Red 1 is not seen to stand still"
    (offered,) = (o for o in match.options(unseen) if "stays" in o.words)
    assert offered.not_now == (reason,)


def under_way(match, before, *steps):
    """What the screen shows while the hand still pushes."""
    move = pushed(before, "Red 1", list(steps))
    after = replace(move.after, status=Status.MOVING)
    now = table(*(after if s.name == "Red 1" else s for s in before.standings))
    return GAME.guide(match.state, GAME.awaits(match.state)[0], replace(move, after=after), now)


def test_on_the_way_it_tells_what_is_left_what_it_went_through_and_what_lies_ahead():
    match = moving("Rifle")
    before = start(mud("Mud", 13.75, 24, 3.5, 4), wall("Rocks", 20, 24, 1, 4))
    told = under_way(match, before, Straight(3), LEFT, Straight(1))
    assert told.phase == "moving"
    assert told.progress.words.endswith("in of 9 to 12 in")
    assert "1 of 2 turns left, turned 40° so far" in told.facts
    assert "2.0 of 2 in of drift left" in told.facts
    assert any("short of its minimum: to brake here, a D20 has to show" in fact for fact in told.facts)
    straight = under_way(match, before, Straight(6))
    assert "Rocks lies ahead" in straight.facts
    (inside,) = [fact for fact in straight.facts if "inside Mud" in fact]
    assert "±" in inside
    assert "a D20 has to show 13 or more" in inside
    assert any(mark.role == "path" for mark in straight.marks)
    assert not any("Blue" in fact for fact in told.facts + straight.facts)
    past = under_way(match, start(), Straight(10))
    assert not any("minimum" in fact for fact in past.facts)


def test_mines_are_told_in_order_with_their_places_while_the_car_passes():
    match, before = mined()
    passing = under_way(match, before, Straight(4))
    assert "It triggers Mine 2: where, is outlined." in passing.facts
    whole = under_way(match, before, Straight(8.5))
    assert "It triggers Mine 2, then Mine 1: where, is outlined." in whole.facts
    places = [mark for mark in whole.marks if mark.role == "touch"]
    assert [mark.words for mark in places] == ["Mine 2", "Mine 1"]
    assert max(x for x, _ in places[0].points) < max(x for x, _ in places[1].points)


UNSEEN_TURN = (Straight(5), Turn(math.radians(80), (-0.89, 0.0)), Straight(5))
"""It may have been about the rear axle or the rear edge, half an inch farther on."""


@pytest.mark.parametrize("seed", [1, 4])
def test_what_only_one_of_the_ways_that_nobody_saw_meets_is_left_open(seed):
    # Of these two seeds the one is read as about the axle, the other as about the edge.
    def seen_of(match, before):
        hidden = replace(STEADY, covered=(0.25, 0.75))
        move = pushed(before, "Red 1", list(UNSEEN_TURN), seed=seed, habits=hidden)
        return judged(match.state, move), move

    match = moving("Rifle")
    ruled, move = seen_of(match, start(wall("Rocks", 15.3, 24, 1, 2)))
    assert ruled.driven.touched is None
    assert [c.other for c in ruled.driven.perhaps] == ["Rocks"]
    action = Action("move", None, {"car": "Red 1", "move": move.id})
    assert any(r.question == "it touches Rocks" for r in GAME.check(match.state, action, seen(move)))
    (through,) = seen_of(match, start(mud("Mud", 15, 24, 0.8, 2)))[0].ground
    assert through.inches.value == pytest.approx(0.23, abs=0.1)
    assert through.inches.sd > 0.2
    match, _ = mined()
    (near,) = seen_of(match, start(mine("Mine 1", 19.35, 24)))[0].mines
    assert near.verdict is Verdict.TOO_CLOSE


def test_what_nobody_has_seen_or_named_may_have_stopped_a_car_that_is_short_of_its_minimum():
    match, mug = moving("Rifle"), wall("Mug", 0, 0, 2, 2).piece
    low = judged(match.state, pushed(start(), "Red 1", [Straight(1)])).driven.limits.low

    def asked(inches, **more):
        move = pushed(replace(start(), **more), "Red 1", [Straight(inches)])
        action = Action("move", None, {"car": "Red 1", "move": move.id})
        return {r.question for r in GAME.check(match.state, action, seen(move)) if r.question}

    ahead = Thing(ThingName("Thing 1"), Region.rectangle(8.0 + low / 2, 23.0, 1.0, 2.0), 0.05)
    beside = replace(ahead, region=Region.rectangle(8.0, 40.0, 1.0, 1.0))
    assert "it touches Mug" in asked(low - 2, unplaced=(mug,))
    assert "it touches Thing 1" in asked(low - 2, things=(ahead,))
    assert "it touches Thing 1" not in asked(low - 2, things=(beside,))
    assert not any("touches" in q for q in asked(low + 0.5, unplaced=(mug,), things=(ahead,)))


def test_a_drift_is_known_no_better_than_the_heading_that_it_begins_with():
    match = moving("Rifle")
    sure, unsure = (
        judged(match.state, pushed(table(car_, put("Blue 1", 40, 40)), "Red 1", [Straight(10, 2.0)]))
        for car_ in (put("Red 1", 8, 24), askew("Red 1", 8, 24, math.radians(1.0)))
    )
    assert sure.driven.ruling.check("Drift").verdict is Verdict.YES
    drift = unsure.driven.ruling.check("Drift")
    assert drift.sd == pytest.approx(10 * math.radians(1.0), rel=0.1)
    assert drift.verdict is Verdict.TOO_CLOSE


def askew(name, x, y, sd):
    """A car whose heading is known no better than that."""
    return replace(put(name, x, y), uncertainty=PoseUncertainty.isotropic(0.01, sd))


def test_a_move_that_was_put_right_is_corrected():
    match = moving("Rifle")
    before = start()
    wrong = pushed(before, "Red 1", [Straight(14.0)])
    ruled = judged(match.state, wrong)
    assert not ruled.legal
    goal = ruled.driven.should
    now = replace(wrong.after, pose=goal)
    righted = wrong.and_then(replace(wrong, id="m2", after=now, reads=()))
    again = judged(match.state, righted)
    assert again.righted
    assert again.length.value == pytest.approx(12.0)
    # Touched once more it stands right as before; pushed on from there it does not.
    for by, still in ((0.05, True), (3.0, False)):
        there = replace(now, pose=goal.compose(Pose(by, 0.0)))
        later = judged(match.state, righted.and_then(replace(wrong, id="m3", after=there, reads=())))
        assert (later.righted, later.legal) == (still, still)


def test_touched_a_move_may_be_too_long_by_no_more_than_untouched():
    match = moving("Rifle")
    long = pushed(start(), "Red 1", [Straight(12.5)])
    nearer = replace(long.after, pose=long.after.pose.compose(Pose(-0.2, 0.0)))
    touched = judged(match.state, long.and_then(replace(long, id="m2", after=nearer, reads=())))
    assert (touched.righted, touched.legal) == (False, False)


def test_without_a_move_and_without_inches_it_is_refused():
    match = moving("Rifle")
    (reason,) = GAME.check(match.state, Action("move", None, {"car": "Red 1"}), Seen())
    assert "how far" in reason.words


def declared():
    """Red 1 has declared Blue 1 as the target; the match and the state before."""
    match = begun(car("Red 1", "Big Six", "Rifle"), car("Blue 1", "Straight Five", "Cannon"),
                  car("Blue 2", "Quick Four"), tokens={"Red 1": 3})  # fmt: skip
    activated(match, "Rifle · 1")
    before = match.state
    do(match, "declare", weapon="Rifle", target="Blue 1")
    return match, before


def shot(target: str = "Blue 1", weapon: str = "Rifle", shooter: str = "Red 1") -> Question:
    return Question("shot", "", (shooter, target), {"weapon": weapon})


NEAR = table(put("Red 1", 8, 24), put("Blue 1", 20, 24), put("Blue 2", 8, 30))


def test_nothing_may_be_measured_before_the_target_is_declared_and_only_that_attack_after():
    match, before = declared()
    assert permitted(GAME, before, shot()) is not None
    assert GAME.questions(before, ("Red 1", "Blue 1")) == ()
    assert permitted(GAME, match.state, shot()) is None
    for other in (shot("Blue 2"), shot(weapon="Cannon"), shot("Red 1", shooter="Blue 1"), None):
        assert permitted(GAME, match.state, other) is not None


@pytest.mark.parametrize(
    ("stood", "dice"),
    [
        (NEAR, [12, 3]),
        (table(put("Red 1", 4, 24), put("Blue 1", 30, 24), put("Blue 2", 8, 40)), []),  # too far
        (table(put("Red 1", 8, 24), put("Blue 1", 20, 24), wall("Wall", 14, 24, 1, 44)), []),  # out of sight
    ],
)
def test_within_range_and_in_sight_the_dice_are_rolled_as_measured(stood, dice):
    events = declared()[0].do(Action("fire"), Seen(stood), TypedDice(dice))
    (ranged,) = [e for e in events if e.kind == "ranged"]
    assert ranged.data["reached"] is bool(dice)
    if dice:
        assert ranged.measured is True
        gap = NEAR.find("Red 1").region.polygon.distance(NEAR.find("Blue 1").region.polygon)
        assert ranged.data["distance"] == pytest.approx(gap, abs=1e-3)
        assert ranged.data["sd"] > 0


def test_too_close_to_call_is_asked_and_the_answer_kept():
    match, _ = declared()
    gap = 18.0
    close = table(put("Red 1", 8, 24, sd=0.05), put("Blue 1", 8 + gap + 2.93, 24, sd=0.05))
    exact = visible_range(close.find("Red 1"), close.find("Blue 1"), ()).direct.value
    close = table(put("Red 1", 8, 24, sd=0.05), put("Blue 1", 8 + gap + 2.93 + 18.0 - exact, 24, sd=0.05))
    (reason,) = GAME.check(match.state, Action("fire"), Seen(close))
    assert reason.open
    ruled = Action("fire", None, {"ruled": {reason.question: "no"}})
    events = match.do(ruled, Seen(close), TypedDice())
    assert [e.data["verdict"] for e in events if e.kind == "ruled"] == ["no"]
    assert [e.data["reached"] for e in events if e.kind == "ranged"] == [False]


@pytest.mark.parametrize("gap", [12.0, 26.0], ids=["near", "too far"])
def test_an_attack_that_was_settled_with_no_is_none_until_a_car_has_moved(gap):
    match, _ = declared()
    stood = table(put("Red 1", 4, 24), put("Blue 1", 4 + gap, 24), put("Blue 2", 8, 40))
    (fire,) = (o for o in match.options(Seen(stood)) if o.kind == "fire")
    settled = settled_no(GAME, match.state, fire.question, stood, "Anna and Ben")
    match.append(match.deciding("No counts", None, ("Red 1", "Blue 1"), {SETTLED: settled}))
    (fire,) = (o for o in match.options(Seen(stood)) if o.kind == "fire")
    # It is offered as what it comes to, and asks the table nothing.
    assert (fire.words, fire.question, fire.facts, fire.reckoning) == ("No attack", None, (), ())
    assert fire.more.startswith("settled by Anna and Ben: no")
    assert fire.form.fields["reach"].usual == "no"
    # It is *no* by itself, whatever is measured, and nobody says it anew; *yes* is refused.
    for said in ({}, {"reach": "no"}):
        action = match.spelled_out(Action("fire", None, said), Seen(stood))
        assert action.data["reach"] == "no"
        assert (match.check(action, Seen(stood)), match.said(action, Seen(stood))) == ((), ())
    yes = Action("fire", None, {"reach": "yes"})
    assert match.spelled_out(yes, Seen(stood)) == yes
    (against,) = match.check(yes, Seen(stood))
    assert against.words.startswith("settled by Anna and Ben: no")
    moved = table(put("Red 1", 4, 24), put("Blue 1", 4 + gap - 3, 24), put("Blue 2", 8, 40))
    assert not match.check(Action("fire"), Seen(moved))
    events = match.do(Action("fire"), Seen(stood), TypedDice())
    assert [e.kind for e in events][-1] == "attack over"
    assert "said" not in [e.kind for e in events]


def test_the_segment_and_the_visible_part_are_drawn():
    match, _ = declared()
    behind = table(put("Red 1", 8, 24), put("Blue 1", 20, 24, 90), wall("Wall", 14, 22.6, 1, 3))
    marks = GAME.reach(match.state, shot(), behind)
    (line,) = [m for m in marks if m.shape == "line"]
    assert len(line.points) == 2
    assert [m for m in marks if m.shape == "polygon" and m.piece == "Blue 1"]


def test_a_part_that_may_or_may_not_be_seen_is_too_close_to_call():
    one, other = put("Red 1", 8, 24, sd=0.05), put("Blue 1", 20, 24, 90, sd=0.05)
    verdicts = set()
    for half in (1.0, 4.0, 1.45, 1.5, 1.55, 1.6, 1.65, 1.7, 1.75, 1.8, 20.0):
        block = wall("Wall", 18.7, 24, 0.4, 2 * half, sd=0.05)
        verdicts.add(visible_range(one, other, [block]).at_most(14.0).verdict())
    assert verdicts >= {Verdict.YES, Verdict.NO}


def test_a_question_about_one_car_or_of_another_kind_is_refused():
    with pytest.raises(TableRefError, match="two cars"):
        GAME.rule(None, Question("shot", "", ("Red 1",), {"weapon": "Rifle"}), NEAR)
    with pytest.raises(TableRefError, match="of the kind"):
        GAME.rule(None, Question("distance", "", ("Red 1", "Blue 1")), NEAR)


def test_without_a_match_every_weapon_may_be_asked():
    assert len(GAME.questions(None, ("Red 1", "Blue 1"))) == 4
    assert GAME.forbidden(None, shot()) is None
    assert GAME.rule(None, shot(), NEAR).verdict is Verdict.YES
    assert GAME.questions(None, ())[0].missing


HARD = (38, 330, 383, 432)
"""A drift along a heading that is off, turns that nobody saw, and a move that another car ended."""


def test_pushes_are_ruled_right_beyond_their_deviation():
    tally = Tally(Counter(), Counter(), Counter(), [])
    for seed in (*range(3), *HARD):
        tally.add(seed)
    assert set(tally.callable) == {"Maximum", "Drift", "Way is free", "Inches inside", "Mine"}
    assert sum(tally.callable.values()) > 22
    assert tally.wrong == []
    assert tally.left == []


def test_terrain_that_was_never_seen_leaves_sight_and_range_open():
    mug = wall("Mug", 0, 0, 2, 2).piece
    ruling = GAME.rule(None, shot(), replace(NEAR, unplaced=(mug,)))
    assert {c.verdict for c in ruling.checks if c.name in ("Line of Sight", "Range")} == {Verdict.TOO_CLOSE}
    assert all("Mug is not seen" in c.words for c in ruling.checks if c.name == "Range")
    assert GAME.rule(None, shot(), NEAR).verdict is Verdict.YES
    far = table(put("Red 1", 8, 24), put("Blue 1", 44, 24))
    beyond = GAME.rule(None, shot(), replace(far, unplaced=(mug,)))
    assert beyond.check("Range").verdict is Verdict.NO, "nothing between makes it nearer"


@pytest.mark.parametrize("degrees", [-44.0, -20.0, 20.0, 44.0])
def test_a_car_that_halted_at_the_touch_may_turn_away_from_it(degrees):
    """ "Cars must halt their movement when they touch Blocking terrain", and this one has."""
    match = moving("Rifle")
    car_ = put("Red 1", 8, 24)
    nose = car_.region.outline[:, 0].max()
    # Nose against the rocks: a corner of its front sweeps some hundredths of an inch deeper as it turns.
    before = table(
        car_, put("Blue 1", 40, 40), wall("Rocks", nose + 1.0, 24 - math.copysign(0.6, degrees), 2, 1.5)
    )
    away = [Turn(math.radians(degrees), REAR), Straight(9.5)]
    ruled = judged(match.state, pushed(before, "Red 1", away))
    assert ruled.driven.touched is None, ruled.driven.touched
    assert not ruled.driven.perhaps
    # Straight on it goes into them.
    straight = judged(match.state, pushed(before, "Red 1", [Straight(9.5)]))
    assert straight.driven.touched is not None


@pytest.mark.parametrize(("degrees", "beside"), [(44, False), (-44, False), (20, False), (44, True)])
def test_a_car_may_turn_away_from_what_stands_behind_or_beside_it(degrees, beside):
    """ "Turns ... may be performed at any point"; about which point of its rear, a solid body tells."""
    match, car_ = moving("Rifle"), put("Red 1", 8, 24)
    low = car_.region.outline.min(axis=0)
    rocks = wall("Rocks", 8, low[1] - 1.03, 4, 2) if beside else wall("Rocks", low[0] - 1.03, 24, 2, 4)
    before = table(car_, put("Blue 1", 40, 40), rocks)
    for pivot in ((-0.89, 0.0), REAR):
        away = judged(
            match.state, pushed(before, "Red 1", [Turn(math.radians(degrees), pivot), Straight(9.5)])
        )
        assert away.driven.touched is None, away.driven.touched
        assert not away.driven.perhaps
    if beside:
        into = [Turn(math.radians(-degrees), REAR), Straight(9.5)]
        assert judged(match.state, pushed(before, "Red 1", into)).driven.touched is not None


def test_a_car_that_halted_at_the_edge_may_turn_away_from_it():
    match = moving("Rifle")
    car_ = put("Red 1", 8, 24)
    at = 48.0 - (car_.region.outline[:, 0].max() - 8)
    before = table(put("Red 1", at, 24), put("Blue 1", 30, 40))
    steps = [Turn(math.radians(88), REAR), Straight(9.5)]
    assert judged(match.state, pushed(before, "Red 1", steps)).driven.touched is None


def test_the_visible_part_that_is_drawn_names_what_nobody_has_seen():
    mug = wall("Mug", 0, 0, 2, 2).piece
    for table_, unsure in ((NEAR, False), (replace(NEAR, unplaced=(mug,)), True)):
        words = [m.words for m in GAME.reach(None, shot(), table_) if m.shape == "polygon"]
        assert words
        assert all(("Mug is not seen" in w) is unsure for w in words)


def test_a_line_of_sight_says_whether_a_part_of_the_target_is_in_sight():
    one, other = (s.pose.xy for s in NEAR.standings[:2])
    across = wall("Rocks", *((one + other) / 2), 1, 20)
    for on, words in (
        (NEAR, "a part of"),
        (replace(NEAR, standings=(*NEAR.standings, across)), "no part of"),
    ):
        assert GAME.rule(None, shot(), on).check("Line of Sight").words.startswith(words)


def test_what_nobody_named_leaves_open_what_it_lies_between():
    one, other = (s.pose.xy for s in NEAR.standings[:2])
    for at, verdict in (((one + other) / 2, Verdict.TOO_CLOSE), ((one + other) / 2 + [0, 9], Verdict.YES)):
        thing = Thing(ThingName("Thing 1"), Region.rectangle(at[0] - 0.5, at[1] - 0.5, 1.0, 1.0), 0.05)
        assert GAME.rule(None, shot(), replace(NEAR, things=(thing,))).verdict is verdict


def test_what_may_hide_parts_of_them_makes_two_cars_no_nearer():
    """It was told as sure to .03 inch that stood 1.5 inches farther from what could be seen of it."""
    one, other = (s.pose.xy for s in NEAR.standings[:2])
    middle = (one + other) / 2
    thing = Thing(ThingName("Thing 1"), Region.rectangle(middle[0] - 0.5, middle[1] - 0.5, 1.0, 1.0), 0.05)
    names = [s.name for s in NEAR.standings[:2]]
    for things, least in (((), False), ((thing,), True)):
        words = rule_range(replace(NEAR, things=things), *names, 1.0, "").check("Range").words
        assert words.startswith("at least ") is least


@pytest.mark.parametrize(
    ("turns", "room", "leads_over"),
    [(0, 7.5, 0.0), (0, 6.0, 0.49), (0, 1.0, 1.0), (1, 5.8, 0.0), (1, 5.0, 0.24), (2, 2.0, 0.0)],
)
@pytest.mark.parametrize("quarter", range(4))
def test_a_machine_minds_the_edge_over_which_even_a_cars_least_move_leads(turns, room, leads_over, quarter):
    """Of a car that moves 6 to 12 in, with so much room ahead of its middle; where it may turn it can."""
    on = replace(table(), surface=Region.rectangle(-40, -40, 80, 80))
    x, y = ((40 - room, 0), (0, 40 - room), (room - 40, 0), (0, room - 40))[quarter]
    here, one = put("Red 1", x, y), SimpleNamespace(limits=(6, 12), turns=turns)
    here = replace(here, pose=replace(here.pose, heading=quarter * math.pi / 2))
    assert _stuck(one, here, on) == pytest.approx(leads_over, abs=0.02)
    assert _stuck(one, None, on) == 0.0
