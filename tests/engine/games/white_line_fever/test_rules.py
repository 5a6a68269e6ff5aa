"""Manoeuvres by the book: which are lawful, what they touch, where they may end, which ways fit."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.manoeuvres import case
from engine.errors import TableRefError
from engine.game.kit.free_moves import straight_line
from engine.games.white_line_fever.acts.moving import off_the_rule
from engine.games.white_line_fever.rules.moves import (
    Driven,
    Tolerance,
    reach_of,
    rule_manoeuvre,
    underway,
    what_it_met,
)
from engine.games.white_line_fever.state import Car, GameState, Round
from engine.measure.sweep import Straight, Turn, poses_along
from engine.motion.recognition import Done
from engine.ruling import Belief, Measurement, Verdict
from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Status, TableState, Thing, ThingName
from tests.engine.games.white_line_fever.drives import AXLE, REAR, START, STEADY, driven, seen_of
from tests.engine.games.white_line_fever.playing import begun, do, kinds, reasons, sheet, told
from tests.engine.tables import SURFACE, block, car, table, token
from tests.hand import Habits

YES, NO, OPEN = Verdict.YES, Verdict.NO, Verdict.TOO_CLOSE


def collides(driven: Driven) -> bool:
    """Whether it surely touched a car or an obstacle."""
    return any(m.kind in ("car", "obstacle") and m.verdict is YES for m in driven.met)


def deg(angle: float) -> float:
    return math.radians(angle)


LAWFUL = {
    "the whole Speed ahead": (4, [Straight(4)]),
    "the book's example": (5, [Straight(2), Turn(deg(40), AXLE), Straight(3)]),
    "turned before it moves": (3, [Turn(deg(-70), REAR), Straight(3)]),
    "turned when it has moved": (6, [Straight(6), Turn(deg(85), AXLE)]),
    "an inch before and after, on the rear edge": (2, [Straight(1), Turn(deg(50), REAR), Straight(1)]),
    "an inch before and after, on the axle": (2, [Straight(1), Turn(deg(50), AXLE), Straight(1)]),
    "a drift on its way": (4, [Straight(1), Straight(2, -1), Straight(1)]),
    "a drift all the way": (1, [Straight(1, 1)]),
}


@pytest.mark.parametrize("name", LAWFUL)
def test_what_the_book_allows_is_legal(name):
    speed, steps = LAWFUL[name]
    found = driven(steps, speed)
    assert found.verdict is YES, found.words
    assert found.words.endswith(": legal")
    assert found.away < 0.15
    assert abs(math.degrees(found.askew)) < 2
    assert all(c.citation.startswith("White Line Fever 0.9 · ") for c in found.ruling.checks)


ONE = "One Turn or Drift"

UNLAWFUL = {
    "too far": (4, [Straight(4.8)], "Speed", "0.8"),
    "too short": (4, [Straight(3.2)], "Speed", "too short"),
    "turned too far": (4, [Straight(4), Turn(deg(110), AXLE)], "Turn", "of 90°"),
    "two turns": (4, [Turn(deg(40), AXLE), Straight(2), Turn(deg(-40), AXLE), Straight(2)], ONE, "turn 4"),
    "a turn and a drift": (4, [Straight(2, 1), Turn(deg(50), AXLE), Straight(2)], ONE, "drift of"),
    "too wide a drift": (4, [Straight(4, 1.7)], "Drift", "1.7"),
    "half a drift": (4, [Straight(4, 0.5)], "Drift", "in left; limit 1 in"),
    "backwards": (3, [Straight(-3)], "Direction", "in reverse"),
}


@pytest.mark.parametrize("name", UNLAWFUL)
def test_what_it_forbids_is_not_and_the_check_says_why(name):
    speed, steps, check, words = UNLAWFUL[name]
    found = driven(steps, speed)
    assert found.verdict is NO, found.words
    assert found.ruling.check(check).verdict is NO
    assert words in found.ruling.check(check).words
    assert check == "Direction" or found.ruling.check("Direction").verdict is YES
    assert "not legal" in found.words


def test_near_the_tolerance_it_is_too_close_to_call():
    found = driven([Straight(4.25)], 4)
    assert found.verdict is OPEN
    assert "too close to call" in found.words
    assert found.ruling.check("Speed").p_yes == pytest.approx(0.5, abs=0.4)


def test_backwards_is_legal_when_the_driver_may_go_in_reverse():
    assert driven([Straight(-3)], 3, reverse=True).verdict is YES
    ahead = driven([Straight(3)], 3, reverse=True)
    assert ahead.ruling.check("Direction").words.endswith("in forward, ±0.04") or (
        ahead.ruling.check("Direction").verdict is NO
    )


def test_the_car_should_stand_at_the_nearest_lawful_end():
    found = driven([Straight(2), Turn(deg(40), AXLE), Straight(4)], 5)
    should = poses_along(START, [Straight(2.5), Turn(deg(40), AXLE), Straight(2.5)])[-1]
    assert found.away < 1.01
    # Of all lawful ends on that heading, no other lies nearer; the runs still sum to its Speed.
    assert sum(s.ahead for s in found.lawful if isinstance(s, Straight)) == pytest.approx(5)
    assert math.dist((found.should.x, found.should.y), (should.x, should.y)) < 0.8
    drifted = driven([Straight(3.5, 0.5)], 4)
    assert (drifted.should.x, drifted.should.y) == pytest.approx((24, 21), abs=0.05)


@pytest.mark.parametrize(
    "habits",
    [
        Habits(overshoot=0.8),
        Habits(overshoot_turn=deg(12)),
        Habits(goes=3),
        Habits(covered=(0.3, 0.7)),
        Habits(lifts=True),
        Habits(wobble=0.05, wobble_turn=deg(1.2), missed=0.3),
    ],
)
def test_what_hands_do_besides_is_no_part_of_the_manoeuvre(habits):
    for seed in range(4):
        found = driven([Straight(2), Turn(deg(40), AXLE), Straight(3)], 5, habits=habits, seed=seed)
        assert [d.kind for d in found.seen.runs] == ["straight", "turn", "straight"]
        assert found.verdict is YES, found.words


def test_a_car_that_was_hidden_all_the_way_is_judged_by_where_it_stood_and_stands():
    hidden = Habits(slip=0.003, slip_turn=0.001, covered=(0.0, 1.01))
    assert driven([Straight(4), Turn(deg(30), AXLE)], 4, habits=hidden).verdict is YES
    found = driven([Straight(3, 1), Turn(deg(50), AXLE), Straight(3)], 5, habits=hidden)
    # It looks like one turn, but not of that Speed: so it was something else, or too far.
    assert found.ruling.check("One Turn or Drift").verdict is OPEN
    assert "hidden over" in found.ruling.check("One Turn or Drift").words


def test_a_way_that_was_partly_hidden_is_not_surely_crooked():
    """What was seen lies far beside the way that explains it best: where it was hidden it went another."""
    crooked = replace(driven([Straight(4)], 4).seen, stray=Measurement(Belief(0.5, 0.01)))
    assert straight_line("Red 1", crooked, 0.2, "").verdict is NO
    hidden = straight_line("Red 1", replace(crooked, unseen=2.1), 0.2, "")
    assert hidden.verdict is OPEN
    assert "hidden over 2.1 in" in hidden.words


def test_a_drift_that_was_hidden_after_a_run_that_was_seen_is_found() -> None:
    found = case(4070)
    assert min(found.margins.values()) > 0.0
    assert found.driven.seen.unseen > 2.0
    assert found.driven.verdict is YES


def test_a_run_that_ends_a_little_aside_is_no_drift():
    found = driven([Straight(4, 0.18)], 4)
    assert found.seen.runs[0].kind == "drift"
    assert found.verdict is YES, found.words
    assert (found.should.x, found.should.y) == pytest.approx((24, 20), abs=0.05)
    (told,) = found.as_action()["steps"]
    assert told["kind"] == "straight"
    assert told["left"] == pytest.approx(0.18, abs=0.02), "what was measured aside is told"
    assert driven([Straight(4, 0.25)], 4).ruling.check("Drift").verdict is OPEN
    assert driven([Straight(4, 0.35)], 4).ruling.check("Drift").verdict is NO


def test_back_and_ahead_about_a_hidden_turn_may_have_been_a_turn_on_the_rear():
    found = case(6050)
    assert min(found.margins.values()) > 0.0
    assert found.driven.seen.steps[0].words.startswith("back")
    assert found.driven.verdict is OPEN


def test_a_contact_ends_the_manoeuvre_short_of_its_speed():
    blue = car("Blue 1", 20 + 2.95 + 3.0, 20)
    found = driven([Straight(3)], 5, blue)
    assert found.verdict is YES
    assert [(m.other, m.kind) for m in found.met] == [("Blue 1", "car")]
    assert collides(found)
    assert "touches Blue 1" in found.words
    assert "stopped by what it met" in found.ruling.check("Speed").words
    free = driven([Straight(3)], 5, car("Blue 1", 20 + 2.95 + 3.4, 20))
    assert not free.met
    assert free.verdict is NO


def test_what_the_game_is_told_is_plain_json():
    found = driven([Straight(2), Turn(deg(40), AXLE), Straight(3)], 5, block("Mug", 40, 40, 3, 3))
    told = found.as_action()
    assert json.loads(json.dumps(told)) == told
    assert set(told) == {"car", "steps", "from", "to", "contacts", "left_surface", "triggered"}
    assert [s["kind"] for s in told["steps"]] == ["straight", "turn", "straight"]
    assert told["to"] == pytest.approx([found.seen.end.x, found.seen.end.y, found.seen.end.heading], abs=1e-3)
    assert (told["contacts"], told["left_surface"], told["triggered"]) == ([], False, [])


def test_only_cars_are_driven_and_only_at_some_speed():
    table = TableState.of(SURFACE, [car("Red 1", 20, 20), block("Mug", 40, 40, 3, 3)])
    seen = seen_of([Straight(3)])
    with pytest.raises(TableRefError, match="Speed above 0 but got 0"):
        rule_manoeuvre(table, "Red 1", seen, 0)
    with pytest.raises(TableRefError, match="Mug is no car"):
        rule_manoeuvre(table, "Mug", seen, 3)


def test_a_mirrored_table_rules_the_same():
    left = driven([Straight(2), Turn(deg(40), AXLE), Straight(3.5)], 5, start=Pose(20, 20, 0.7))
    right = driven([Straight(2), Turn(deg(-40), AXLE), Straight(3.5)], 5, start=Pose(20, 20, -0.7))
    assert left.verdict is right.verdict
    assert left.seen.length.value == pytest.approx(right.seen.length.value, abs=0.05)
    assert STEADY.overshoot == 0.0


def test_the_game_is_told_the_runs_as_they_are_best_for_the_driver():
    """Turned on the rear edge after an inch, seen as turned on the axle after less: the game takes it."""
    for pivot in (AXLE, REAR):
        found = driven([Straight(1), Turn(deg(50), pivot), Straight(2)], 3)
        runs = [s["ahead"] for s in found.as_action()["steps"] if s["kind"] == "straight"]
        assert sum(runs) == pytest.approx(3, abs=0.1)
        assert min(runs) > 0.75


WIDE = Tolerance(length=2.0, run=2.0, drift=2.0)
"""Players who let a run or a drift miss by two inches."""

ANY = Tolerance(length=12.0, run=12.0, drift=2.0)
"""Those who let a run miss by more than any car goes: it went so far all the same."""


@pytest.mark.parametrize("tolerance", [None, WIDE, ANY], ids=["the house's tolerance", "wide", "any"])
def test_the_way_that_is_told_leads_to_where_the_car_stands(tolerance):
    ways = [*LAWFUL.values(), *(way[:2] for way in UNLAWFUL.values()), (5, [Straight(1.48, 1.19)])]
    for speed, steps in ways:
        found = driven(steps, speed, tolerance=tolerance)
        told = [
            Turn(s["angle"], tuple(s["pivot"])) if s["kind"] == "turn" else Straight(s["ahead"], s["left"])
            for s in found.as_action()["steps"]
        ]
        end = poses_along(found.seen.start, told)[-1]
        assert end.xy == pytest.approx(found.seen.end.xy, abs=0.15), found.words


def test_a_slide_over_the_edge_is_told_as_it_went():
    """However much aside the players take for a hand's trembling."""
    found = driven(
        [Straight(1.48, 1.19)], 5, surface=Region.rectangle(0, 0, 22.5, 48), tolerance=WIDE
    )  # fmt: skip
    assert found.as_action()["left_surface"] is True
    assert found.verdict is YES
    (told,) = found.as_action()["steps"]
    assert (told["ahead"], told["left"]) == pytest.approx((1.48, 1.19), abs=0.03)


def test_what_it_says_to_the_game_the_game_allows():
    """The engine's own check of the same move agrees with the ruling."""
    for speed, steps in LAWFUL.values():
        state = GameState(cars=(Car("Red 1", "Anna", "Mule", "Machine Gun", "Oil", speed),))
        assert off_the_rule(state, "Red 1", driven(steps, speed).as_action(), Round(1, "Anna", "Anna")) == []
    for speed, steps, check, _ in UNLAWFUL.values():
        state = GameState(cars=(Car("Red 1", "Anna", "Mule", "Machine Gun", "Oil", speed),))
        assert off_the_rule(state, "Red 1", driven(steps, speed).as_action(), Round(1, "Anna", "Anna")), check


def test_a_token_that_ends_the_way_ends_it_short_of_its_speed():
    laid = token("Barricade 1", 24.5, 20)
    assert driven([Straight(3)], 5, laid).verdict is NO
    found = driven([Straight(3)], 5, laid, stops=["Barricade 1"])
    assert found.verdict is YES, found.words
    assert "stopped by what it met" in found.ruling.check("Speed").words
    assert found.should.x == pytest.approx(23 - 1.475, abs=0.15)
    # What it surely did not reach has not stopped it.
    assert driven([Straight(3)], 5, token("Barricade 1", 30, 20), stops=["Barricade 1"]).verdict is NO


def test_a_drift_that_a_contact_ended_may_be_less_than_an_inch():
    rock = block("Rock", 20 + 1.475 + 2 + 0.5, 20.4, 1, 1)
    found = driven([Straight(2, 0.4)], 5, rock)
    assert collides(found)
    assert found.verdict is YES, found.words
    assert (
        driven([Straight(2, 1.6)], 5, block("Rock", 23.975, 21.6, 1, 1)).ruling.check("Drift").verdict is NO
    )


def test_what_may_have_stopped_it_leaves_its_speed_open():
    found = driven([Straight(3)], 5, surface=Region.rectangle(0, 0, 24.485, 48))
    assert [(m.kind, m.verdict) for m in found.met] == [("edge", OPEN)]
    assert found.verdict is OPEN
    assert "may have left the surface" in found.ruling.check("Speed").words
    # Whatever it met, too far is too far.
    assert driven([Straight(3)], 2, surface=Region.rectangle(0, 0, 24.485, 48)).verdict is NO


def test_an_obstacle_that_was_never_seen_may_have_stopped_it():
    mug = block("Mug", 0, 0, 2, 2).piece
    short, whole, far = (
        rule_manoeuvre(
            replace(table(car("Red 1", 20, 20)), unplaced=(mug,)), "Red 1", seen_of([Straight(n)]), 5
        )
        for n in (3, 5, 7)
    )
    assert short.ruling.check("Speed").verdict is OPEN
    assert "Mug is not seen and may be in the way" in short.ruling.check("Speed").words
    assert (whole.verdict, far.verdict) == (YES, NO)
    assert driven([Straight(3)], 5).verdict is NO


def test_what_nobody_named_may_have_stopped_it_where_it_lies_on_its_way():
    def short(x, y):
        there = Thing(ThingName("Thing 1"), Region.rectangle(x, y, 1.0, 1.0), 0.05)
        seen = replace(table(car("Red 1", 20, 20)), things=(there,))
        return rule_manoeuvre(seen, "Red 1", seen_of([Straight(3)]), 5).ruling.check("Speed")

    assert short(24.0, 19.5).verdict is OPEN
    assert "Thing 1 is there, and nobody has said what it is" in short(24.0, 19.5).words
    assert short(24.0, 30.0).verdict is NO


@pytest.mark.parametrize(
    ("steps", "speed", "others", "met"),
    [
        ([Straight(5)], 5, [car("Blue 1", 26, 20.4, 90)], {"Blue 1": "car"}),
        ([Straight(5)], 5, [block("Crate", 24.5, 20, 1, 1)], {"Crate": "obstacle"}),
        ([Straight(5)], 5, [token("Oil", 23, 21.5)], {"Oil": "token"}),
        ([Straight(5)], 5, [car("Blue 1", 24, 21.5), block("Crate", 24, 18.6, 1, 1)], {}),  # beside it
        # In the order of the way.
        (
            [Straight(6)], 6, [block("Far", 27.3, 20.9, 1, 1), token("Oil", 22.5, 20)],
            {"Oil": "token", "Far": "obstacle"},
        ),
        ([Turn(deg(80), AXLE)], 1, [car("Blue 1", 20.4, 21.9, 0)], {"Blue 1": "car"}),  # swings its tail
        ([Straight(4)], 4, [car("Blue 1", 20 - 2.95, 20)], {}),  # touched before it set out
        ([Straight(5)], 5, [car("Blue 1", 26, 20, status=Status.LOST)], {}),  # taken off the table
    ],
)  # fmt: skip
def test_what_lies_in_the_way_is_met(steps, speed, others, met):
    found = driven(steps, speed, *others)
    assert [(m.other, m.kind, m.verdict) for m in found.met] == [(*one, Verdict.YES) for one in met.items()]
    told = found.as_action()
    assert told["contacts"] == [{"other": name} for name, kind in met.items() if kind != "token"]
    assert told["triggered"] == [name for name, kind in met.items() if kind == "token"]


BEHIND, BESIDE = car("Blue 1", 20 - 2.95 - 0.03, 20), car("Blue 1", 20, 20 - 1.2 - 0.03)


@pytest.mark.parametrize(
    ("degrees", "pivot", "blue", "more", "met"),
    [
        # "Place the ruler against the rear of the car and turn": away from what it stands against.
        *((angle, pivot, BEHIND, [], []) for angle in (-85, -30, 15, 60) for pivot in (AXLE, REAR)),
        *((angle, AXLE, BESIDE, [], []) for angle in (30, 60, 85)),
        (40, AXLE, block("Crate", 20 - 1.475 - 1, 20, 2, 3), [], []),
        (40, AXLE, token("Oil", 20 - 1.475 - 1, 20), [], ["Oil"]),  # nothing keeps a corner off a token
        (40, AXLE, car("Blue 1", 20 - 2.95 - 0.2, 20), [], ["Blue 1"]),  # it stood clear of it
        (-30, AXLE, BESIDE, [], ["Blue 1"]),  # towards it
        (40, AXLE, BEHIND, [Straight(-3.5)], ["Blue 1"]),  # and back again
    ],
)
def test_a_car_may_turn_away_at_once_from_what_it_stands_against(degrees, pivot, blue, more, met):
    """ "A car making contact with another car": this one had it before, and swings no corner into it."""
    steps = more or [Straight(4)]
    found = driven([Turn(deg(degrees), pivot), *steps], 4, blue, reverse=bool(more))
    assert [m.other for m in found.met] == met
    assert found.verdict is YES or met


def test_over_the_edge_it_has_left_the_surface():
    found = driven([Straight(5)], 5, surface=Region.rectangle(0, 0, 25, 48))
    assert [m.kind for m in found.met] == ["edge"]
    assert found.as_action()["left_surface"] is True
    assert found.met[0].words == "leaves the surface"


def test_a_grazing_pass_is_too_close_to_call():
    width = 1.2
    unsure = car("Blue 1", 24, 20 + width + 0.02, sd=0.03)
    found = driven([Straight(5)], 5, unsure)
    assert [m.verdict for m in found.met] == [Verdict.TOO_CLOSE]
    assert not collides(found)
    assert "may have touched Blue 1 (too close to call)" in found.words
    assert found.as_action()["contacts"] == []


def test_a_push_too_far_that_touches_counts_although_the_hand_comes_back():
    hand = replace(STEADY, overshoot=0.7)
    ahead = car("Blue 1", 20 + 2.95 + 4.4, 20)
    touched = driven([Straight(4)], 4, ahead, habits=hand)
    assert ([m.other for m in touched.met], touched.verdict) == (["Blue 1"], YES)
    # However far the hand went too far, the car has halted where its Speed says.
    far = car("Blue 1", 20 + 2.95 + 4.9, 20)
    touched = driven([Straight(4)], 4, far, habits=replace(STEADY, overshoot=1.3))
    assert ([m.other for m in touched.met], touched.verdict) == (["Blue 1"], YES)
    assert driven([Straight(4)], 4, ahead).met == ()


def test_what_all_pieces_share_counts_at_the_edge_but_not_between_two():
    """The camera may look at the whole table 0.05 inch aside: that moves the edge under the car, not Blue."""
    shared = np.array([[0.05], [0.0], [0.0]])
    unsure = PoseUncertainty(np.diag([0.005, 0.005, 0.0]) ** 2, shared)
    seen = seen_of([Straight(3)])
    red = replace(car("Red 1", 20, 20), uncertainty=unsure, pose=seen.start)
    blue = replace(car("Blue 1", 23 + 2.95 - 0.04, 20), uncertainty=unsure)
    narrow = TableState.of(Region.rectangle(0, 0, 23 + 1.475 - 0.04, 48), [red, blue])
    verdicts = {m.kind: m.verdict for m in what_it_met(narrow, red, seen)}
    assert verdicts == {"car": Verdict.YES, "edge": Verdict.TOO_CLOSE}


def test_what_it_met_on_only_one_of_the_ways_it_may_have_gone_is_left_open():
    """A turn that nobody saw may have been about the axle or about the rear edge."""
    steps = [Straight(2), Turn(math.radians(60), AXLE), Straight(2)]
    one = replace(seen_of(steps), elsewhere=(), doubts=())
    about_the_edge = [Done(replace(d.step, pivot=REAR)) if d.kind == "turn" else d for d in one.steps]
    other = replace(one, steps=tuple(about_the_edge))
    assert [d.kind for d in other.steps] == ["straight", "turn", "straight"]
    found = Counter()
    for x, y in itertools.product(np.arange(20.0, 27.0, 0.5), np.arange(18.0, 25.0, 0.5)):
        lying = TableState.of(SURFACE, [car("Red 1", 20, 20), token("Oil", x, y)])
        alone = [{m.verdict for m in what_it_met(lying, lying.find("Red 1"), way)} for way in (one, other)]
        for whole in (replace(one, elsewhere=(other,)), replace(other, elsewhere=(one,))):
            met = what_it_met(lying, lying.find("Red 1"), whole)
            asked = {m.verdict for m in met}
            if alone[0] == alone[1]:
                assert asked == alone[0], (x, y)
            else:
                assert asked == {Verdict.TOO_CLOSE}, (x, y)
                assert 0.0 < met[0].gap.p_yes < 1.0
        found["alike" if alone[0] == alone[1] else "asked"] += 1
    assert found["asked"] > 5
    assert found["alike"] > 50


SPIN = "White Line Fever 0.9 · Collisions · Spin Out"


def on_table(*others):
    red = car("Red 1", 20, 20)
    return TableState.of(SURFACE, [red, *others]), red


def test_a_hand_that_still_pushes_is_told_what_is_left():
    table, red = on_table()
    found = underway(table, red, seen_of([Straight(2)]), 5)
    assert (found.used, found.left) == (pytest.approx(2, abs=0.1), pytest.approx(3, abs=0.1))
    assert (found.ghost.x, found.ghost.y) == pytest.approx((25, 20), abs=0.1)
    assert found.touch is None
    assert "to go" in found.words
    after_turn = underway(table, red, seen_of([Straight(2), Turn(math.radians(40), AXLE), Straight(1)]), 5)
    assert after_turn.left == pytest.approx(2, abs=0.1)
    assert math.degrees(after_turn.ghost.heading) == pytest.approx(40, abs=1.5)
    too_far = underway(table, red, seen_of([Straight(4.5)]), 4)
    assert "too far" in too_far.words
    assert too_far.ghost.x == pytest.approx(24, abs=0.1)


def test_it_is_told_what_it_would_meet():
    table, red = on_table(block("Mug", 26, 20, 1, 4))
    found = underway(table, red, seen_of([Straight(1)]), 6)
    assert found.touch is not None
    assert found.touch.other == "Mug"
    assert found.touch.travelled == pytest.approx(26 - 0.5 - 21 - 1.475, abs=0.1)
    assert "would meet Mug after 3.0" in found.words
    near = TableState.of(SURFACE, [car("Red 1", 44, 20)])
    edge = underway(near, near.standings[0], seen_of([Straight(1)], start=Pose(44, 20)), 6)
    assert edge.touch is not None
    assert edge.touch.other == "the edge"


def test_every_lawful_end_is_within_reach():
    table, red = on_table(block("Mug", 40, 40, 3, 3))
    reach = reach_of(table, red, 4)
    ends = {(round(x, 1), round(y, 1)) for x, y, _ in reach.ends}
    assert {(24.0, 20.0), (24.0, 21.0), (24.0, 19.0)} <= ends
    back = reach_of(table, red, 2, reverse=True)
    assert {(18.0, 20.0), (18.0, 21.0)} <= {(round(x, 1), round(y, 1)) for x, y, _ in back.ends}
    assert not (back.ends[:, 0] > 20.0).any()


RUN = [{"kind": "straight", "ahead": 6.0}]

TURNED = [
    {"kind": "straight", "ahead": 3.0},
    {"kind": "turn", "angle": 0.5},
    {"kind": "straight", "ahead": 3.0},
]


def why(stood, **data):
    match = begun(sheet("Red 1", "Red", speed=6), sheet("Blue 1", "Blue"))
    return reasons(match, "move", stood, car="Red 1", **data)


HIT = (car("Red 1", 16, 20, sd=0.01), block("Rock", 13, 20, 1, 1))
AHEAD = (car("Red 1", 16, 20), block("Rock", 19, 20, 1, 1))
AT_EDGE, THERE = (car("Red 1", 47, 20),), (car("Red 1", 20, 20),)


def turned(pivot):
    """Where a turn on a pivot between two runs of three inches leads from (10, 20)."""
    c, s = math.cos(0.5), math.sin(0.5)
    return (car("Red 1", 13 + pivot - pivot * c + 3 * c, 20 - pivot * s + 3 * s, math.degrees(0.5)),)


@pytest.mark.parametrize(
    ("stood", "said", "words"),
    [
        # Steps through a rock are refused, unless it is said what stopped them.
        *(
            (HIT, {"steps": RUN, **where, **more}, "these steps go through Rock" if not more else "")
            for where in ({"from": [10, 20, 0]}, {"to": [16, 20, 0]}, {})
            for more in ({}, {"contacts": ["Rock"]}, {"ruled": "yes"})
        ),
        # A car that stands where it began may be meant.
        (AHEAD, {"steps": RUN}, "these steps go through Rock from where Red 1 stands"),
        (AHEAD, {"steps": RUN, "from": [10, 20, 0]}, ""),
        (AT_EDGE, {"steps": RUN, "to": [47, 20, 0]}, "these steps leave the surface"),
        (AT_EDGE, {"steps": RUN, "to": [47, 20, 0], "left_surface": True}, ""),
        # Steps have to lead where the car went, and it has to stand there.
        (
            THERE,
            {"steps": RUN, "from": [10, 20, 0], "to": [20, 20, 0]},
            "these steps lead 4.00 in and 0° from where Red 1 went",
        ),
        (THERE, {"steps": RUN, "from": [10, 20, 0]}, "these steps lead 4.00 in"),
        (THERE, {"steps": RUN, "from": [14, 20, 0], "to": [20, 20, 0]}, ""),
        (THERE, {"to": [25, 20, 0]}, "Red 1 stands 5.00 in from where it is said to have gone"),
        (THERE, {"to": [20.2, 20, 0]}, ""),
        (None, {"to": [25, 20, 0], "steps": RUN, "from": [0, 0, 0]}, ""),
        # A turn may be on the rear axle or the rear edge.
        (turned(-0.89), {"steps": TURNED, "from": [10, 20, 0]}, ""),
        (turned(-1.475), {"steps": TURNED, "from": [10, 20, 0]}, ""),
    ],
)
def test_what_is_said_of_a_way_is_held_against_the_table(stood, said, words):
    found = why(None if stood is None else table(*stood), **said)
    assert found.startswith(words) if words else found == ""


@pytest.mark.parametrize(("clear", "words"), [(0.03, ""), (0.1, "these steps go through Rock")])
def test_typed_steps_that_turn_at_once_away_from_what_the_car_stood_against_go_not_through_it(clear, words):
    steps = [{"kind": "turn", "angle": 0.5}, {"kind": "straight", "ahead": 6.0}]
    (*_, end) = poses_along(Pose(10, 20, 0.0), [Turn(0.5, AXLE), Straight(6.0)])
    rock = block("Rock", 10 - 1.475 - 0.5 - clear, 20, 1, 2)
    stood = table(car("Red 1", end.x, end.y, math.degrees(end.heading)), rock)
    assert why(stood, steps=steps, **{"from": [10, 20, 0]}) == words


def test_an_obstacle_without_a_tag_can_be_named_and_a_misspelt_one_is_refused():
    stood = table(car("Red 1", 16, 20), block("Rock", 30, 20, 1, 1))
    assert "nothing is called 'Rok'" in why(stood, contacts=["Rok"])
    assert "did you mean 'Rock'?" in why(stood, contacts=["Rok"])
    match = begun(sheet("Red 1", "Red", speed=6), sheet("Blue 1", "Blue"))
    do(match, "choose", car="Red 1")
    (move,) = [o for o in match.options(stood) if o.kind == "move"]
    assert "obstacle" in move.form.fields
    events = do(match, "move", (3,), table=stood, car="Red 1", obstacle="the blue mug")
    assert kinds(events)[:3] == ["moved", "collision", "roll"]
    assert told(events, "collision")[0]["obstacles"] == ["the blue mug"]


@pytest.mark.parametrize("degrees", [12.0, 15.0, 30.0])
def test_a_run_of_exactly_an_inch_before_a_turn_is_one(degrees):
    """ "(minimum 1" at a time)": which point of the rear it turned about makes the run no less sure."""
    found = driven([Straight(1.0), Turn(math.radians(degrees), REAR), Straight(3.0)], 4.0)
    check = found.ruling.check("Straight Runs")
    assert (check.verdict, found.verdict) == (Verdict.YES, Verdict.YES)
    assert check.sd < 0.12
