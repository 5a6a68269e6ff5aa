"""A table held against a strip or a sheet of paper."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from calibration.accuracy import EXACT, Accuracy
from calibration.proofs.proof import Proof, ProofError, StripPlacement, placement, write_figure
from calibration.proofs.sheet_proof import SeenSheet, SheetProof, measures, proof_of
from calibration.tablefile import parse_table
from engine.space.geometry import FloatArray, Region
from tests.calibration.proofs.laid_sheets import LETTER, drawn_table
from tests.calibration.test_tablefile import GOOD
from tests.server.setup.printing.drawn_sheet import true_surface
from tests.volume import volume

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


MEASURED = Accuracy(print_scale=0.0015)
# Sizes that are known less well hold less against wrong places, and leave more of them in the table to tell.
UNEVEN = Accuracy(print_scale=0.0015, print_size=0.003)
"""A table whose printed sizes somebody has measured."""

SEEDS, DRAWS = 100, volume(8, 20)


def laid(at: tuple[float, float], turn: float, sides: FloatArray = LETTER) -> FloatArray:
    half = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * sides / 2
    cos, sin = math.cos(turn), math.sin(turn)
    return half @ np.array([[cos, sin], [-sin, cos]]) + at


def exactly(*corners: FloatArray) -> SheetProof:
    """Sheets seen without an error on a table that is known exactly."""
    surface = true_surface()
    seen = [SeenSheet(surface.image_from_table(c), np.zeros(2), np.zeros(2), 0.0) for c in corners]
    return proof_of(surface, seen, LETTER)


@pytest.mark.parametrize("turn", [0.0, 0.4, 2.0, -1.2])
def test_a_sheet_measures_what_it_is_wherever_it_lies(turn: float) -> None:
    proof = exactly(laid((8.0, 8.0), turn), laid((21.0, 20.0), turn + 1.0), laid((34.0, 31.0), turn))
    assert np.abs(proof.errors).max() < 1e-6
    assert proof.agrees
    assert proof.chance == 1.0


def test_a_leaning_sheet_shows_in_its_angle_and_not_in_its_sides() -> None:
    leaning = laid((20.0, 20.0), 0.0) @ np.array([[1.0, 0.0], [0.01, 1.0]])
    short, long, angle = measures(leaning)
    assert (short, long) == pytest.approx((8.5, 11.0), abs=1e-3)
    # Leaning to the right, the angle at its first corner is the smaller one.
    assert angle == pytest.approx(-0.01, abs=1e-4)


def test_good_tables_agree_as_often_as_is_stated() -> None:
    """At most the stated 5 % of good tables are called wrong, three places together; single figures too."""
    for accuracy, stated in ((Accuracy(), False), (MEASURED, True)):
        blamed, inside = 0, []
        for seed in range(SEEDS):
            table, rng = drawn_table(seed, accuracy, stated=stated)
            proof = table.check(rng)
            blamed += not proof.agrees
            inside.append(np.abs(proof.errors) <= 1.96 * proof.sds)
        # Of 100 draws at 5 %, 5 are called wrong; more than 9 would be a chance of 3 %.
        assert blamed <= 9, (accuracy, stated)
        assert 0.92 < np.mean(inside) < 0.985, (accuracy, stated)


@pytest.mark.parametrize(
    ("wrong", "accuracy", "least"),
    [
        ({"scale": 0.02}, MEASURED, 1.0),
        ({"scale": -0.02}, MEASURED, 1.0),
        ({"scale": 0.04}, Accuracy(), 0.9),
        ({"stated": True, "trusting": True, "stretch_x": 0.02}, UNEVEN, 1.0),
        ({"stated": True, "trusting": True, "stretch_x": -0.02}, UNEVEN, 1.0),
    ],
)
def test_a_wrong_scale_or_width_is_told(wrong: dict[str, float], accuracy: Accuracy, least: float) -> None:
    told: Counter[str] = Counter()
    for seed in range(DRAWS):
        table, rng = drawn_table(seed, accuracy, **wrong)  # type: ignore[arg-type]
        proof = table.check(rng)
        told[proof.blame[0]] += 1
        ratio, sd = proof.scale
        if "scale" in wrong and table.accuracy is MEASURED:
            # Prints that are larger than stated make every length come out too short.
            assert abs(ratio + wrong["scale"]) < 3 * math.hypot(sd, 0.004)
    assert DRAWS - told["none"] >= least * DRAWS
    if "scale" in wrong:
        assert told["scale"] >= least * DRAWS - 1


@pytest.mark.parametrize("corner", [0, 1, 2, 3])
def test_a_corner_tag_an_inch_beside_its_stated_place_is_told(corner: int) -> None:
    """Even if nothing else looks for mistakes: most of them by the paper alone."""
    told = 0
    for seed in range(DRAWS):
        wrong, rng = drawn_table(seed, UNEVEN, stated=True, trusting=True, moved=(corner, 1.0))
        told += not wrong.check(rng).agrees
    assert told >= 0.75 * DRAWS


def test_one_place_that_is_wrong_is_named() -> None:
    good = [laid((8.0, 8.0), 0.1), laid((21.0, 20.0), 1.2)]
    proof = exactly(*good, laid((34.0, 31.0), -0.3, LETTER * 1.02))
    assert proof.blame == ("place", 2)
    everywhere = [laid(at, t, LETTER * 1.02) for at, t in (((8.0, 8.0), 0.1), ((21.0, 20.0), 1.2))]
    assert exactly(*everywhere).blame[0] == "scale"
    for wrong in ([(1.02, 0.0), (0.0, 1.0)], [(1.0, 0.0), (0.0, 1.02)], [(1.0, 0.0), (0.02, 1.0)]):
        wide = [laid(at, t) @ np.array(wrong) for at, t in (((8.0, 8.0), 0.1), ((21.0, 20.0), 1.2))]
        assert exactly(*wide).blame[0] == "stretch", wrong


def test_edges_that_are_seen_badly_are_said_to_be() -> None:
    surface = true_surface()
    clear = SeenSheet(surface.image_from_table(laid((20.0, 20.0), 0.2)), np.full(2, 0.01), np.zeros(2), 0.001)
    proof = proof_of(surface, [clear, replace(clear, curve=np.full(2, 0.12))], LETTER, EXACT.cloth_in)
    assert proof.blurred == (False, True)


def test_what_a_ruler_found_of_the_surface_is_counted_in() -> None:
    surface = true_surface()
    seen = [SeenSheet(surface.image_from_table(laid((20.0, 20.0), 0.2)), np.zeros(2), np.zeros(2), 0.0)]
    before, after = (proof_of(surface, seen, LETTER, checked=c).sds[0, 0] for c in (0.0, 0.05))
    assert after == pytest.approx(math.hypot(before, 0.05 * math.sqrt(2)))
