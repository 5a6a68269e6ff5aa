"""A length that somebody measured between two tags, with tags as they lay and laid anew."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import RULED_IN, Accuracy
from calibration.bundle.common import Common
from calibration.bundle.doubts import judge
from calibration.bundle.lengths import SAME_IN, Length
from calibration.bundle.seen import SeenTag
from engine.space.geometry import Pose
from tests.calibration.bundle.test_solve import FRAME, look, table_error
from tests.calibration.test_surface import LENS, PLACES, camera

POSES = {("tag36h11", i): Pose(*at, math.pi / 2) for i, at in enumerate(PLACES)}
APART = math.dist(PLACES[0], PLACES[1])
BETWEEN = (("tag36h11", 0), ("tag36h11", 1))
MEASURED = Length(BETWEEN, APART, RULED_IN, tuple(POSES.items()))
HANDS = Accuracy()


def laid(print_scale: float, seed: int = 1, aside: float = 0.0) -> list[SeenTag]:
    """The corner tags, printed so much too large; the last one lies so many inches aside."""
    rng, out = np.random.default_rng(seed), []
    for i, at in enumerate(PLACES):
        pose = Pose(at[0] + aside * (i == 3), at[1], math.pi / 2)
        tag = look(camera(tilt=4.0), i, 3.0 * (1 + print_scale), pose, rng, stated=3.0)
        out.append(replace(tag, paper=HANDS.laid))
    return out


def common(*lengths: Length) -> Common:
    return replace(HANDS.common, lengths=lengths)


def apart(tags: list[SeenTag], given: Common) -> tuple[float, float]:
    """How far tags 0 and 1 are apart by the estimate, and the mean error over the table."""
    judged = judge(LENS, (), tags, FRAME, given)
    one, other = (judged.solved.places[key][0] for key in BETWEEN)
    off = table_error(judged.surface, camera(tilt=4.0))
    return math.dist(one.xy, other.xy), float(np.hypot(*(off - off.mean(axis=0)).T).mean())


@pytest.mark.parametrize("print_scale", [-0.02, 0.0, 0.015])
def test_a_measured_length_sets_the_scale_whatever_the_printer_did(print_scale: float) -> None:
    tags = laid(print_scale)
    by_print, wrong = apart(tags, common())
    by_length, right = apart(tags, common(MEASURED))
    assert by_print == pytest.approx(APART / (1 + print_scale), abs=0.1)
    # Print and ruler are weighed: 1.5 % of a print are 0.7 inch, a ruler is 0.04 off.
    assert by_length == pytest.approx(APART, abs=0.02)
    assert right < 0.02
    assert print_scale == 0.0 or wrong > 10 * right


def test_tags_that_were_laid_anew_have_no_measured_length() -> None:
    tags = laid(0.01, aside=0.6)
    judged = judge(LENS, (), tags, FRAME, common(MEASURED))
    assert judged.unheld == (MEASURED,)
    assert apart(tags, common(MEASURED)) == pytest.approx(apart(tags, common()))
    assert "0 and 1 were measured 46 in apart" in MEASURED.words_of_old
    assert judge(LENS, (), laid(0.01), FRAME, common(MEASURED)).unheld == ()


def test_as_they_lay_is_whatever_the_scale_and_however_the_table_is_turned() -> None:
    about, grown = Pose(3.0, -2.0, 0.7), 1.012
    elsewhere = {
        key: about.compose(Pose(grown * pose.x, grown * pose.y, pose.heading)) for key, pose in POSES.items()
    }
    now = MEASURED.now(elsewhere)
    assert now is not None
    assert now.sd == pytest.approx(RULED_IN, abs=1e-6)
    assert now.inches == MEASURED.inches


@pytest.mark.parametrize(
    ("x", "turn_deg", "holds"), [(0.05, 0.5, True), (0.3, 0.0, False), (0.0, 3.0, False)]
)
def test_a_tag_pushed_or_turned_ends_it_and_a_little_makes_it_less_sure(
    x: float, turn_deg: float, holds: bool
) -> None:
    key = ("tag36h11", 2)
    pushed = replace(POSES[key], x=POSES[key].x + x, heading=POSES[key].heading + math.radians(turn_deg))
    now = MEASURED.now(POSES | {key: pushed})
    assert (now is not None) == holds
    if now is not None:
        assert RULED_IN < now.sd < math.hypot(RULED_IN, SAME_IN)


def test_a_scale_that_a_length_told_counts_only_where_the_length_does_not() -> None:
    given = replace(common(MEASURED), scale=0.0009, scale_beside=0.01)
    assert given.by_lengths((MEASURED,)).scale == 0.01
    assert given.by_lengths(()).scale == 0.0009
    # The sizes were taken for 2 % too small by a ruler read on other tags: here the length speaks alone.
    assert apart(laid(-0.02), given)[0] == pytest.approx(APART, abs=0.02)


def test_tags_that_are_said_to_have_lain_on_one_another_hold_no_length() -> None:
    heap = Length(BETWEEN, APART, RULED_IN, tuple((key, Pose(1.0, 1.0, math.pi / 2)) for key in POSES))
    assert heap.now(POSES) is None
