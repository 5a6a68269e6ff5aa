from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.games.white_line_fever.rules.contact_rule import what_it_met
from engine.measure.sweep import Straight, Turn
from engine.motion.recognition import Done
from engine.ruling import Verdict
from engine.space.geometry import Region
from engine.space.table import PoseUncertainty, Status, TableState
from tests.engine.games.white_line_fever.drives import AXLE, REAR, STEADY, driven, seen_of
from tests.engine.tables import SURFACE, block, car, token


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        (car("Blue 1", 26, 20.4, 90), "car"),
        (block("Crate", 24.5, 20, 1, 1), "obstacle"),
        (token("Oil", 23, 21.5), "token"),
    ],
)
def test_what_lies_in_the_way_is_met(other, kind):
    found = driven([Straight(5)], 5, other)
    assert [(m.other, m.kind, m.verdict) for m in found.met] == [(other.name, kind, Verdict.YES)]
    told = found.as_action()
    assert told["contacts"] == ([] if kind == "token" else [{"other": other.name}])
    assert told["triggered"] == ([other.name] if kind == "token" else [])


def test_what_lies_beside_it_is_not():
    assert driven([Straight(5)], 5, car("Blue 1", 24, 21.5), block("Crate", 24, 18.6, 1, 1)).met == ()


def test_two_things_are_met_in_the_order_of_the_way():
    found = driven([Straight(6)], 6, block("Far", 27.3, 20.9, 1, 1), token("Oil", 22.5, 20))
    assert [m.other for m in found.met] == ["Oil", "Far"]


def test_a_car_that_swings_its_tail_against_another_has_touched_it():
    found = driven([Turn(math.radians(80), AXLE)], 1, car("Blue 1", 20.4, 21.9, 0))
    assert [m.other for m in found.met] == ["Blue 1"]


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
    assert not found.collision
    assert "may have touched Blue 1 (too close to call)" in found.words
    assert found.as_action()["contacts"] == []


def test_what_it_touched_before_it_set_out_does_not_hold_it():
    behind = car("Blue 1", 20 - 2.95, 20)
    assert driven([Straight(4)], 4, behind).met == ()


def test_what_was_taken_off_the_table_is_not_met():
    assert driven([Straight(5)], 5, car("Blue 1", 26, 20, status=Status.LOST)).met == ()


def test_a_push_too_far_that_touches_counts_although_the_hand_comes_back():
    hand = replace(STEADY, overshoot=0.7)
    ahead = car("Blue 1", 20 + 2.95 + 4.4, 20)
    assert [m.other for m in driven([Straight(4)], 4, ahead, habits=hand).met] == ["Blue 1"]
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
