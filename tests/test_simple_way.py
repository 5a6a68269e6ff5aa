"""Ours against a plain homography from the same reads: the figures that docs/accuracy.md quotes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.surface import diagonal_crossing
from tests.simple_way import BENDS, Tally, between, homography, left_out, photographed, simulated


def test_the_simple_way_is_as_good_as_it_can_be() -> None:
    """With exact places and reads through four corner tags the homography goes through all of them."""
    table = simulated(np.random.default_rng(3), 4, 0.3, BENDS["straight"])
    centres = np.array([diagonal_crossing(c.corners)[0] for c in table.seen])
    stated = np.array([c.corner.at for c in table.seen])
    # OpenCV takes the points in single precision.
    assert homography(table.seen)(centres) == pytest.approx(stated, abs=1e-4)


def test_a_bent_lens_costs_the_simple_way_more_than_ours() -> None:
    rng = np.random.default_rng(5)
    tally = Tally()
    for noise in (0.3, 0.7):
        # What is shared puts all places of a table outside at once: it takes many to tell a share.
        for _ in range(12):
            between(simulated(rng, 8, noise, BENDS["bent"]), tally)
    assert len(tally.ours) == len(tally.simple) == len(tally.chi_squares) == 600
    assert np.median(tally.ours) < 0.6 * np.median(tally.simple)
    assert tally.record()["inside_95"] >= 0.93


def test_a_straight_lens_costs_ours_little_against_the_simple_way() -> None:
    rng = np.random.default_rng(6)
    tally = Tally()
    for _ in range(8):
        between(simulated(rng, 8, 0.7, BENDS["straight"]), tally)
    assert np.median(tally.ours) < 1.25 * np.median(tally.simple)
    assert tally.record()["inside_95"] >= 0.93


def test_places_are_held_against_the_truth_that_is_given() -> None:
    table = simulated(np.random.default_rng(7), 6, 0.3, BENDS["straight"])
    tally, far = Tally(), Tally()
    left_out(table, tally)
    left_out(replace(table, true=table.true + 5.0), far)
    assert max(tally.ours) < 1.0 < 5.0 < min(far.ours)
    assert far.record()["inside_95"] == 0.0


def test_on_the_photograph_the_two_differ_by_less_than_chance_does(shared: Path) -> None:
    """Eight markers laid by hand: the difference scatters by .025 in from table to table."""
    assert (shared / "photos" / "overhead-table-1" / "frame_00.jpg").exists()
    table = photographed(0.7)
    tally = Tally()
    left_out(table, tally, table.seen[0].corner.sd)
    assert len(tally.ours) == 8
    assert np.median(tally.ours) - np.median(tally.simple) < 2 * 0.025
    assert tally.record()["inside_95"] >= 7 / 8


@pytest.mark.parametrize("noise", [None, 0.35])
def test_on_the_photograph_ours_is_no_worse(shared: Path, noise: float | None) -> None:
    """Its centre lies far beside the middle, as that of a picture cut out of a larger one.

    Of eight errors the median hangs on one or two: their mean square is what is compared.
    """
    assert (shared / "photos" / "overhead-table-1" / "frame_00.jpg").exists()
    table, tally = photographed(noise), Tally()
    left_out(table, tally, table.seen[0].corner.sd)
    assert np.mean(np.square(tally.ours)) <= np.mean(np.square(tally.simple))
