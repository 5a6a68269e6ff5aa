"""Clearances and corridors against truths that share nothing with them."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import sight as benchmark
from benchmarks.sight_truth import (
    any_part_disagrees,
    calibration,
    crosses_exactly,
    segment_disagreements,
    small_scene,
    whole_number_scenes,
)
from engine.measure import distances
from engine.measure.corridor import widest
from engine.measure.sight import clearances, depth_inside, gaps
from engine.space.geometry import Pose
from engine.space.table import Standing

SQUARE = np.array([(0, 0), (2, 0), (2, 2), (0, 2)], dtype=float)


@pytest.mark.parametrize(
    ("start", "end", "clearance"),
    [
        ((-1, 3), (3, 3), 1.0),
        ((-1, 2), (3, 2), 0.0),  # along an edge
        ((-1, 1), (1, 3), 0.0),  # through a corner
        ((-1, 1.5), (3, 1.5), -0.5),
        ((-1, 1), (3, 1), -1.0),
        ((3, 3), (5, 5), math.sqrt(2)),
        ((-3, 1), (-1, 1), 1.0),  # ends before it
        ((-3, 1), (0, 1), 0.0),  # ends at it
        ((-3, 1), (0.25, 1), -0.25),
        ((1, 1), (1, 1), -1.0),  # a point inside
        ((3, 1), (3, 1), 1.0),  # a point outside
    ],
)
def test_clearance_past_a_square(start, end, clearance):
    found = clearances(np.array(start, dtype=float), np.array(end, dtype=float), SQUARE)
    assert float(found) == pytest.approx(clearance, abs=1e-12)


def test_twenty_thousand_scenes_on_whole_numbers():
    assert segment_disagreements(np.random.default_rng(1), 20_000) == 0


def test_the_whole_number_truth_is_not_always_the_same():
    segments, outlines = whole_number_scenes(np.random.default_rng(2), 2000)
    crossed = crosses_exactly(segments, outlines)
    assert 0.1 < crossed.mean() < 0.9
    lines = segments.astype(float)
    touching = np.abs(clearances(lines[:, 0], lines[:, 1], outlines.astype(float))) < 1e-9
    assert touching.sum() > 20
    assert not crossed[touching].any()


whole = st.tuples(st.integers(-6, 6), st.integers(-6, 6))


def runs_inside(a, b, outline) -> bool:
    """Whether a segment has a stretch inside a simple outline: exact, with fractions."""
    steps = {Fraction(0), Fraction(1)}
    (ax, ay), (bx, by) = a, b
    ux, uy = bx - ax, by - ay
    edges = list(zip(outline, [*outline[1:], outline[0]], strict=True))
    for (px, py), (qx, qy) in edges:
        vx, vy = qx - px, qy - py
        cross = ux * vy - uy * vx
        if cross:
            steps.add(Fraction((px - ax) * vy - (py - ay) * vx, cross))
    along = sorted(t for t in steps if 0 <= t <= 1)
    for low, high in itertools.pairwise(along):
        t = (low + high) / 2
        x, y = ax + t * ux, ay + t * uy
        on_rim, odd = False, False
        for (px, py), (qx, qy) in edges:
            side = (qx - px) * (y - py) - (qy - py) * (x - px)
            if side == 0 and min(px, qx) <= x <= max(px, qx) and min(py, qy) <= y <= max(py, qy):
                on_rim = True
            if (py <= y) != (qy <= y):
                at = px + (y - py) * (qx - px) / Fraction(qy - py)
                odd ^= at > x
        if odd and not on_rim:
            return True
    return False


L_SHAPE = [(-3, -3), (3, -3), (3, -1), (-1, -1), (-1, 3), (-3, 3)]
ARROW = [(-4, -4), (0, -2), (4, -4), (0, 5)]
COMB = [
    (-5, -3),
    (5, -3),
    (5, 3),
    (3, 3),
    (3, -1),
    (1, -1),
    (1, 3),
    (-1, 3),
    (-1, -1),
    (-3, -1),
    (-3, 3),
    (-5, 3),
]


@settings(max_examples=300)
@given(whole, whole, st.sampled_from([L_SHAPE, ARROW, COMB]))
def test_hollow_outlines_agree_with_fractions(a, b, outline):
    if a == b:
        return
    line = np.array([a, b], dtype=float)
    depth = depth_inside(line[:1], line[1:], np.array([outline], dtype=float))[0]
    assert (depth > 1e-9) == runs_inside(a, b, outline)


def test_any_part_to_any_part_agrees_with_sampling():
    rng = np.random.default_rng(3)
    scenes = [small_scene(rng) for _ in range(60)]
    values = [distances.outline_sight(*scene).value for scene in scenes]
    assert sum(v > 0 for v in values) > 10
    assert sum(v < 0 for v in values) > 10
    assert not any(any_part_disagrees(*scene) for scene in scenes)


def strip_width(a, b, outlines, turn) -> float:
    """The widest strip at one direction, written out plainly."""
    n, u = np.array([-math.sin(turn), math.cos(turn)]), np.array([math.cos(turn), math.sin(turn)])
    low, high = max((a @ n).min(), (b @ n).min()), min((a @ n).max(), (b @ n).max())
    shadows = [
        ((o @ n).min(), (o @ n).max())
        for o in outlines
        if (o @ u).min() > (a @ u).min() and (o @ u).max() < (b @ u).max()
    ]
    best = -math.inf
    for _, floor in [(0, -math.inf), *shadows]:
        above = [s[0] for s in shadows if s[1] > floor]
        best = max(best, min([high, *above]) - max(low, floor))
    return best


@pytest.mark.parametrize("seed", range(12))
def test_no_direction_has_a_wider_strip(seed):
    rng = np.random.default_rng(seed)
    a, b = SQUARE - (4, 1), SQUARE + np.array([5, rng.uniform(-1, 1)])
    outlines = np.stack(
        [SQUARE * rng.uniform(0.1, 0.6) + (rng.uniform(-0.5, 3), rng.uniform(-2, 2)) for _ in range(5)]
    )
    found = widest(a, b, outlines)
    assert found is not None
    turns = np.linspace(-0.6, 0.6, 4001)
    sampled = max(strip_width(a, b, outlines, t) for t in turns)
    assert sampled <= found.width + 1e-9
    assert sampled >= found.width - 0.01


def test_moving_anything_by_less_than_the_margin_flips_no_verdict():
    rng = np.random.default_rng(5)
    tried = 0
    for _ in range(10):
        a, b, blockers = small_scene(rng)
        for ask in (
            lambda p, q, r: distances.outline_sight(p, q, r).value,
            lambda p, q, r: distances.sight(p, distances.front_tyres(p), q, distances.tyres(q), r).value,
        ):
            before = ask(a, b, blockers)
            everything = [a, b, *blockers]
            for k in range(len(everything)):
                angle, share = rng.uniform(0, math.tau), 0.98
                step = min(abs(before), 0.5) * share
                moved = list(everything)
                s = moved[k]
                pose = Pose(
                    s.pose.x + step * math.cos(angle), s.pose.y + step * math.sin(angle), s.pose.heading
                )
                moved[k] = Standing(s.piece, pose, s.uncertainty)
                if any(
                    gap_of(moved[k], other) < 1e-3 or step > gap_of(s, other)
                    for j, other in enumerate(moved)
                    if j != k
                ):
                    continue  # pieces do not pass through each other
                tried += 1
                assert (ask(moved[0], moved[1], moved[2:]) >= 0) == (before >= 0)
    assert tried > 60


def gap_of(a: Standing, b: Standing) -> float:
    return float(
        min(
            gaps(a.pose.to_table(p), b.pose.to_table(q))
            for p in a.piece.body.footprint.parts
            for q in b.piece.body.footprint.parts
        )
    )


def test_verdicts_are_calibrated_and_no_more_is_left_open_than_must_be():
    found = calibration(np.random.default_rng(22), 40, draws=60)
    assert found.unavoidable > 0.1
    assert found.right >= 0.95
    assert found.ratio <= 1.5


def test_the_benchmark_prints_what_it_promises(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(
        benchmark,
        "growth",
        lambda: [{"blockers": n, "any_part_ms": 1.0, "tyres_ms": 1.0} for n in (10, 20, 40)],
    )
    plot = tmp_path / "growth.svg"
    assert benchmark.main(["--json", "--scenes", "2000", "--tables", "4", "--plot", str(plot)]) == 0
    printed = json.loads(capsys.readouterr().out)
    promised = {
        "all_pairs_ms", "any_part_ms", "ratio_shapely_loop", "disagreements", "scenes", "confident_right",
        "too_close_ratio", "peers",
    }  # fmt: skip
    assert promised <= set(printed)
    assert printed["disagreements"] == 0
    assert {p["name"] for p in printed["peers"]} == {"pyvisgraph", "extremitypathfinder", "visilibity"}
    assert plot.read_text(encoding="utf-8").startswith("<svg")
