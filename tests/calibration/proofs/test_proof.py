from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.proofs.proof import Proof, ProofError, StripPlacement, placement, write_figure
from calibration.tablefile import parse_table
from engine.space.geometry import Region
from tests.calibration.test_tablefile import GOOD

TABLE = Region.rectangle(-1.0, -1.0, 48.0, 48.0)


def proof(errors: list[float], sd: float = 0.005) -> Proof:
    rng = np.random.default_rng(1)
    placed = [StripPlacement(rng.uniform(5, 41, 2), 12.0 + e, sd, 0.003) for e in errors]
    return Proof(12.0, TABLE, tuple(placed))


def test_what_the_deviations_explain_is_not_counted_twice() -> None:
    rng = np.random.default_rng(2)
    assert proof(list(rng.normal(0, 0.005, 40))).figure < 0.003
    # 0.02 along each axis at both ends shows as 0.028 in the length.
    found = proof(list(rng.normal(0, math.hypot(0.02 * math.sqrt(2), 0.005), 400)))
    assert found.figure == pytest.approx(0.02, rel=0.1)


def test_a_wrong_scale_is_told() -> None:
    found = proof([0.12] * 6)
    assert found.scale == pytest.approx(0.01)
    assert found.figure == pytest.approx(0.12 / math.sqrt(2), rel=0.01)
    assert found.repeatability == pytest.approx(0.003)


def test_too_few_places_give_no_figure() -> None:
    with pytest.raises(ProofError, match="5 places or more but got 3"):
        _ = proof([0.0] * 3).figure


def test_the_map_has_the_far_edge_on_top() -> None:
    placed = [
        StripPlacement(np.array([2.0, 45.0]), 12.1, 0.0, 0.0),
        StripPlacement(np.array([45.0, 2.0]), 11.7, 0.0, 0.0),
        StripPlacement(np.array([46.0, 1.0]), 11.9, 0.0, 0.0),
    ]
    cells = Proof(12.0, TABLE, tuple(placed)).cells
    assert cells[0, 0] == pytest.approx(0.1)
    assert cells[2, 2] == pytest.approx(math.sqrt((0.09 + 0.01) / 2))
    assert np.isnan(cells).sum() == 7


def test_a_placements_deviation_knows_what_its_ends_share() -> None:
    ends = np.array([[0.0, 0.0], [12.0, 0.0]])
    apart = placement(ends, np.eye(4) * 0.01**2, [12.0, 12.02, 11.98])
    assert apart.sd == pytest.approx(0.01 * math.sqrt(2))
    assert apart.scatter == pytest.approx(0.02)
    shared = np.tile(np.eye(2), (2, 2)) * 0.01**2
    assert placement(ends, shared, [12.0]).sd == pytest.approx(0.0, abs=1e-9)


def test_the_figure_goes_into_the_table_file_and_nothing_else_changes() -> None:
    once = write_figure(GOOD, 0.0123)
    assert parse_table(once).checked == pytest.approx(0.0123)
    assert [line for line in once.splitlines() if line not in GOOD.splitlines()] == ["checked_in = 0.0123"]
    twice = write_figure(once, 0.02)
    assert parse_table(twice).checked == pytest.approx(0.02)
    assert len(twice.splitlines()) == len(once.splitlines())
    with pytest.raises(ProofError, match=r"write checked_in = 0\.0100 there by hand"):
        write_figure("format = 1\nsurface = {size_in = [1, 1]}\n", 0.01)
