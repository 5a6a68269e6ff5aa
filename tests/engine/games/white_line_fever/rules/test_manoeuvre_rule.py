from __future__ import annotations

import json
import math

import pytest

from benchmarks.hand import Habits
from benchmarks.manoeuvres import case
from engine.errors import TableRefError
from engine.games.white_line_fever.acts.manoeuvring import off_the_rule
from engine.games.white_line_fever.rules.manoeuvre_rule import rule_manoeuvre
from engine.games.white_line_fever.state.game_state import Car, GameState, Round
from engine.measure.sweep import Straight, Turn, poses_along
from engine.ruling import Verdict
from engine.space.geometry import Pose, Region
from engine.space.table import TableState
from tests.engine.games.white_line_fever.drives import AXLE, REAR, START, STEADY, driven, seen_of
from tests.engine.tables import SURFACE, block, car, token

YES, NO, OPEN = Verdict.YES, Verdict.NO, Verdict.TOO_CLOSE


def deg(angle: float) -> float:
    return math.radians(angle)


LAWFUL = {
    "the whole Speed ahead": (4, [Straight(4)]),
    "the book's example": (5, [Straight(2), Turn(deg(40), AXLE), Straight(3)]),
    "turned before it moves": (3, [Turn(deg(-70), REAR), Straight(3)]),
    "turned when it has moved": (6, [Straight(6), Turn(deg(85), AXLE)]),
    "an inch before and an inch after, on the rear edge": (
        2,
        [Straight(1), Turn(deg(50), REAR), Straight(1)],
    ),
    "an inch before and an inch after, on the axle": (2, [Straight(1), Turn(deg(50), AXLE), Straight(1)]),
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


UNLAWFUL = {
    "too far": (4, [Straight(4.8)], "Speed", "0.8"),
    "too short": (4, [Straight(3.2)], "Speed", "too short"),
    "turned too far": (4, [Straight(4), Turn(deg(110), AXLE)], "Turn", "of 90°"),
    "two turns": (
        4,
        [Turn(deg(40), AXLE), Straight(2), Turn(deg(-40), AXLE), Straight(2)],
        "One Turn or Drift",
        "turn 4",
    ),
    "a turn and a drift": (
        4,
        [Straight(2, 1), Turn(deg(50), AXLE), Straight(2)],
        "One Turn or Drift",
        "drift of",
    ),
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
    """A drift after a straight run, the drift unseen: as it looks, a drift first, the rest was far off it."""
    found = case(4070)
    assert min(found.margins.values()) > 0.0
    assert found.driven.seen.unseen > 2.0
    straight = found.driven.ruling.check("Straight Line")
    assert (straight.verdict, found.driven.verdict) == (OPEN, OPEN)
    assert "hidden over 2.1 in" in straight.words


def test_a_run_that_ends_a_little_aside_is_no_drift():
    found = driven([Straight(4, 0.18)], 4)
    assert found.seen.runs[0].kind == "drift"
    assert found.verdict is YES, found.words
    assert (found.should.x, found.should.y) == pytest.approx((24, 20), abs=0.05)
    assert [s["kind"] for s in found.as_action()["steps"]] == ["straight"]
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
    assert found.collision
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
    assert found.collision
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
