"""Lines of sight: clear segments, closest points, what is visible."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Point
from shapely.ops import unary_union

from benchmarks import sight as benchmark
from benchmarks.sight_truth import (
    any_part_disagrees,
    calibration,
    crosses_exactly,
    segment_disagreements,
    small_scene,
    whole_number_scenes,
)
from engine.errors import TableRefError
from engine.measure import distances
from engine.measure.corridor import separator, widest
from engine.measure.seeing import closest
from engine.measure.seeing.closest import (
    Between,
    Placements,
    Segments,
    clear,
    closest_visible,
    shortest_hinged,
)
from engine.measure.seeing.visible import visible_region
from engine.measure.sight import clearances, depth_inside, gaps, ray_distances
from engine.measure.uncertainty import draw_poses
from engine.ruling import Verdict
from engine.space.geometry import Footprint, Pose, Region
from engine.space.table import PoseUncertainty, Standing
from tests.engine.measure.visible_segment import disagreement, scene
from tests.engine.tables import SURFACE, block, car
from tests.volume import volume

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
    (-5, -3), (5, -3), (5, 3), (3, 3), (3, -1), (1, -1),
    (1, 3), (-1, 3), (-1, -1), (-3, -1), (-3, 3), (-5, 3),
]  # fmt: skip


@settings(max_examples=volume(100, 3000))
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
                x, y = s.pose.xy + step * np.array([math.cos(angle), math.sin(angle)])
                moved[k] = Standing(s.piece, Pose(x, y, s.pose.heading), s.uncertainty)
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
    found = calibration(np.random.default_rng(22), volume(14, 40), draws=60)
    assert found.unavoidable > 0.1
    assert found.right >= 0.95
    assert found.ratio <= 1.5


def test_the_benchmark_prints_what_it_promises(capsys, monkeypatch, tmp_path):
    grown = [{"blockers": n, "any_part_ms": 1.0, "tyres_ms": 1.0} for n in (10, 20, 40)]
    monkeypatch.setattr(benchmark, "growth", lambda: grown)
    plot = tmp_path / "growth.svg"
    assert benchmark.main(["--json", "--scenes", "2000", "--tables", "4", "--plot", str(plot)]) == 0
    printed = json.loads(capsys.readouterr().out)
    promised = {
        "tyres_ms", "any_part_ms", "shapely_pair_ms", "disagreements", "scenes", "confident_right",
        "too_close_ratio", "peers",
    }  # fmt: skip
    assert promised <= set(printed)
    assert printed["disagreements"] == 0
    assert {p["name"] for p in printed["peers"]} == {"pyvisgraph", "extremitypathfinder", "visilibity"}
    assert plot.read_text(encoding="utf-8").startswith("<svg")


UNIT = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])


def placements(*heights: float) -> Placements:
    """Two squares eight inches apart, and a wall between them that reaches from y = -9 up to each height."""
    walls = np.array([[[(4.0, -9.0), (5.0, -9.0), (5.0, h), (4.0, h)]] for h in heights])
    ends = (np.broadcast_to(np.add(UNIT, (x, 0.0)), (len(heights), 4, 2)) for x in (0.0, 8.0))
    return Placements(*ends, walls, walls[:, 0])


def test_each_placement_has_a_segment_of_its_own():
    found = shortest_hinged(placements(0.5, 0.75, 2.0))
    # Over a wall of two inches no line falls steeply enough to meet both squares.
    assert found.length.tolist() == pytest.approx([7.0, 7.0, math.inf])
    assert found.line[:2, :, 1] == pytest.approx(np.array([[0.5, 0.5], [0.75, 0.75]]))
    assert found.hinge[:2, 1] == pytest.approx([0.5, 0.75])


def test_the_shorter_of_two_is_kept_for_each():
    one, other = shortest_hinged(placements(0.5, 2.0)), shortest_hinged(placements(2.0, 0.25))
    both = one.or_shorter(other)
    assert both.length == pytest.approx([7.0, 7.0])
    assert both.line[:, :, 1] == pytest.approx(np.array([[0.5, 0.5], [0.25, 0.25]]))
    assert np.isinf(Segments.none(2).or_shorter(Segments.none(2)).length).all()


def test_touching_is_clear_and_nothing_blocks_nothing():
    lines = np.array([[(0.0, 1.0), (9.0, 1.0)], [(0.0, 0.9), (9.0, 0.9)]])
    walls = np.broadcast_to(np.add(UNIT, (4.0, 0.0)), (2, 1, 4, 2))
    assert clear(lines, walls).tolist() == [True, False]
    assert clear(lines, np.zeros((2, 0, 1, 2))).all()


def test_the_directions_about_a_corner_hold_every_line_that_meets_both_outlines():
    rng = np.random.default_rng(7)
    turn = np.linspace(0.0, math.tau, 720, endpoint=False)
    met = 0
    for _ in range(100):
        # Long walls near each other, and corners between them: each is seen over almost half a turn.
        a, b = (block(n, *rng.uniform(19, 21, 2), 6, 0.3, rng.uniform(0, 360)) for n in "AB")
        outlines = [s.pose.to_table(s.piece.body.footprint.outline) for s in (a, b)]
        points = rng.uniform(19, 21, (12, 2))
        low, width = (x[0] for x in closest._both_ways(points[None], *(o[None] for o in outlines)))
        for point, first, wide in zip(points, low, width, strict=True):
            behind, ahead = (
                ray_distances(t, o - point).min(axis=1)
                for t, o in zip((turn + math.pi, turn), outlines, strict=True)
            )
            both = turn[np.isfinite(behind) & np.isfinite(ahead)]
            met += len(both)
            beyond = np.mod(both - first + 1e-9, math.tau)
            assert (beyond <= wide + 2e-9).all()
    assert met > 1000


spot = st.tuples(st.floats(4, 20), st.floats(4, 20), st.floats(0.5, 4), st.floats(0.5, 4), st.floats(0, 360))


def test_past_a_wall_the_shortest_segment_bends_round_its_corner():
    a, b = car("Red", 10, 10, 90), car("Blue", 20, 10, 90)
    found = closest_visible(a, b, [block("Wall", 15, 9.5, 0.5, 3, sd=0.01)])
    assert found is not None
    direct = 10 - 1.2
    assert found.value == pytest.approx(direct, abs=0.02)
    line = LineString(found.witness.line)
    assert line.length == pytest.approx(found.value)
    # When nothing is between the closest parts are the closest; behind a long wall none is visible.
    a, b = car("Red", 10, 10), car("Blue", 20, 13, 40)
    found = closest_visible(a, b, [block("Far", 30, 30, 2, 2)])
    assert found is not None
    assert found.value == distances.edge_range(a, b).value
    assert closest_visible(a, car("Blue", 20, 10), [block("Wall", 15, 10, 1, 40)]) is None


@given(
    st.lists(spot, min_size=1, max_size=3),
    st.tuples(st.floats(4, 8), st.floats(6, 18), st.floats(0, 360)),
    st.tuples(st.floats(14, 20), st.floats(6, 18), st.floats(0, 360)),
)
def test_no_clear_segment_is_shorter(spots, red, blue):
    a, b = car("Red", *red), car("Blue", *blue)
    blocks = [block(f"T{i}", *s) for i, s in enumerate(spots)]
    everything = unary_union([s.region.polygon for s in blocks])
    if min(everything.distance(c.region.polygon) for c in (a, b)) < 0.01:
        return
    if a.region.polygon.distance(b.region.polygon) < 0.01:
        return
    found = closest_visible(a, b, blocks)
    rims = [s.region.polygon.exterior for s in (a, b)]
    at = [[rim.interpolate(t, normalized=True).coords[0] for t in np.linspace(0, 1, 41)[:-1]] for rim in rims]
    shortest = math.inf
    for p in at[0]:
        for q in at[1]:
            line = LineString([p, q])
            if line.length < shortest and line.intersection(everything).length < 1e-9:
                shortest = line.length
    if found is None:
        assert math.isinf(shortest)
        return
    line = LineString(found.witness.line)
    # A line may run along an edge: only what lies inside blocks it.
    assert line.intersection(everything.buffer(-1e-6)).length == 0.0
    assert max(rim.distance(Point(p)) for rim, p in zip(rims, line.coords, strict=True)) < 1e-6
    assert found.value <= shortest + 1e-6
    if math.isfinite(shortest):
        assert found.value >= shortest - 0.6


def test_the_deviation_of_a_bent_line_is_what_draws_give():
    rng = np.random.default_rng(2)
    a, b = car("Red", 8, 10, 20, sd=0.02), car("Blue", 20, 10, 70, sd=0.02)
    walls = [block("T", 14, 8.2, 1, 5, 5, sd=0.02), block("U", 11, 12.8, 1, 3.5, 0, sd=0.02)]
    found = closest_visible(a, b, walls)
    assert found is not None

    def shaken(s):
        x, y = rng.normal(size=2) * 0.02
        return type(s)(s.piece, type(s.pose)(s.pose.x + x, s.pose.y + y, s.pose.heading), s.uncertainty)

    drawn = [closest_visible(shaken(a), shaken(b), [shaken(w) for w in walls]) for _ in range(80)]
    values = [d.value for d in drawn if d is not None]
    assert len(values) == 80
    assert found.sd == pytest.approx(np.std(values), rel=0.3)


def test_many_placements_at_once_are_each_what_it_is_alone():
    hidden = bent = 0
    shaken = PoseUncertainty.isotropic(0.3, math.radians(8.0))
    for seed in range(volume(25, 200)):
        a, b, walls = scene(seed, 8)
        everyone = tuple(replace(s, uncertainty=shaken) for s in (a, b, *walls))
        poses = draw_poses(everyone, 12, seed)
        together = Between.of(everyone).lengths(poses)
        for row, length in zip(poses, together, strict=True):
            stood = [
                replace(s, pose=Pose(*map(float, p)), uncertainty=PoseUncertainty.exact())
                for s, p in zip(everyone, row, strict=True)
            ]
            alone = closest_visible(stood[0], stood[1], stood[2:])
            if alone is None:
                assert math.isinf(length)
                hidden += 1
            else:
                assert length == pytest.approx(alone.value, abs=1e-12)
                bent += alone.value > distances.edge_range(stood[0], stood[1]).value + 1e-6
    assert hidden > volume(4, 33)
    assert bent > volume(20, 160)


def test_the_shortest_segment_reaches_into_a_hollow_obstacle_and_to_a_hollow_end():
    angle = Footprint(np.array([(0, 0), (6, 0), (6, 1), (1, 1), (1, 6), (0, 6)]) - 3.0)
    plain = block("L", 16, 10, 1, 1)
    hollow = replace(plain, piece=replace(plain.piece, body=replace(plain.piece.body, footprint=angle)))
    # Blue stands in the angle, Red behind its upright arm, which reaches to y = 13.
    red, blue = car("Red", 10, 15), car("Blue", 16, 10, 90)
    for ends, walls in (((red, blue), [hollow]), ((red, hollow), [block("Stop", 12, 13.7, 1.8, 0.1)])):
        found = closest_visible(*ends, walls)
        assert found is not None
        assert found.value > distances.edge_range(*ends).value + 0.01
        assert disagreement(*ends, walls) == ""


MIDDLE = (0.0, 0.0)


def test_a_wall_throws_a_shadow_on_a_surface_that_is_else_seen_whole():
    assert visible_region((5, 5), SURFACE, ()).area == pytest.approx(48 * 48)
    seen = visible_region((24, 0), SURFACE, [block("Wall", 24, 23.5, 8, 1)])
    # Sight past the wall's near corners at y = 23: a trapezium of 8 to 8 * 48 / 23 inches is gone.
    shadow = (8 + 8 * 48 / 23) / 2 * 25
    assert seen.area == pytest.approx(48 * 48 - shadow)
    with pytest.raises(TableRefError, match="a point on the surface"):
        visible_region((50, 5), SURFACE, ())


def test_a_slanting_surface_and_a_piece_over_its_edge():
    diamond = Region(np.array([(24, 0), (48, 24), (24, 48), (0, 24)]))
    over = block("Over", 36, 36, 8, 3, 20)
    seen = visible_region((20, 20), diamond, [over]).polygon
    free = diamond.polygon.difference(over.region.polygon)
    assert seen.difference(free).area == pytest.approx(0, abs=1e-9)
    rng = np.random.default_rng(1)
    for p in rng.uniform(0, 48, (300, 2)):
        if diamond.polygon.contains(Point(*p)) and seen.exterior.distance(Point(*p)) > 1e-6:
            blocked = LineString([(20, 20), p]).intersection(over.region.polygon).length > 1e-9
            assert seen.contains(Point(*p)) != blocked


@given(st.lists(spot, max_size=5), st.floats(1, 22), st.floats(1, 22), st.integers(0, 10**6))
def test_the_region_holds_exactly_what_has_a_clear_line(spots, x, y, seed):
    blocks = [block(f"T{i}", *s) for i, s in enumerate(spots)]
    everything = unary_union([s.region.polygon for s in blocks])
    if everything.distance(Point(x, y)) < 1e-3:
        return
    seen = visible_region((x, y), SURFACE, blocks).polygon
    for p in np.random.default_rng(seed).uniform(0, 48, (40, 2)):
        inside = LineString([(x, y), p]).intersection(everything).length
        if seen.exterior.distance(Point(*p)) > 1e-6:
            assert seen.contains(Point(*p)) == (inside < 1e-9)


@pytest.mark.parametrize(
    ("x", "heights", "clear"),
    [
        (15, None, False),
        (15, (1.0, 1.0), False),
        (15, (2.5, 2.5), True),
        (15, (2.0, 2.0), True),  # skims the top: touching is clear
        (12, (3.0, 0.5), True),  # over the wall from above, early on the way
        (19, (3.0, 0.5), False),  # too low by then
        (12, (0.5, 3.0), False),
        (19, (0.5, 3.0), True),
    ],
)
def test_a_shot_over_a_wall_two_inches_high(x, heights, clear):
    wall = block("Wall", x, 10, 0.5, 8)
    seen = distances.sight(
        car("Red", 10, 10), [MIDDLE], car("Blue", 22, 10), [MIDDLE], [wall], heights=heights
    )
    assert (seen.value >= 0) == clear
    assert seen.witness.blockers == (() if clear else ("Wall",))


@pytest.mark.parametrize(
    ("heights", "clear"), [(None, False), ((1.0, 1.0), False), ((2.0, 2.5), True), ((3.0, 1.0), False)]
)
def test_any_part_over_a_wall(heights, clear):
    wall = block("Wall", 16, 10, 0.5, 30)
    seen = distances.outline_sight(car("Red", 10, 10), car("Blue", 22, 10), [wall], heights=heights)
    assert (seen.value > 0) == clear


@pytest.mark.parametrize("shift", [0.0, 1e-6, -1e-6])
def test_two_blocks_corner_to_corner_are_too_close_to_call(shift: float) -> None:
    """Each has an error of its own, also where both their corners lie on one spot."""
    ends = block("A", 0, 0, 1, 1), block("B", 20, 0, 1, 1)
    blocks = block("L", 10, -2, 2, 4, sd=0.01), block("R", 12, 2 + shift, 2, 4, sd=0.01)
    seen = distances.outline_sight(*ends, blocks).at_least(0.0)
    assert seen.sd == pytest.approx(math.hypot(0.01, 0.01), rel=1e-6)
    assert seen.p_yes == pytest.approx(0.5, abs=0.001)
    assert seen.verdict() is Verdict.TOO_CLOSE


def test_what_stands_wholly_inside_a_blocker_is_not_seen() -> None:
    one, other = block("A", 0, 0, 1, 1), block("B", 20, 0, 1, 1, sd=0.02)
    around = block("Around", 20, 0, 4, 4)
    for ends in ((one, other), (other, one)):
        seen = distances.outline_sight(*ends, [around]).at_least(0.0)
        assert seen.value == pytest.approx(-1.5)
        assert seen.sd == pytest.approx(0.02)
        assert seen.verdict() is Verdict.NO
        assert seen.witness.blockers == ("Around",)
    peeks_out = distances.outline_sight(one, other, [block("Around", 21, 0, 2.8, 4)])
    assert peeks_out.value > 0.0


@pytest.mark.parametrize("turn", np.linspace(0.1, 3.0, 7))
def test_of_two_outlines_the_edge_that_parts_them_widest_says_which_way_they_lie(turn: float) -> None:
    bend = np.array([(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))])
    triangle = np.array([(3.0, 0.7), (6.0, -1.5), (6.0, 3.0)])
    one, others = (
        (SQUARE - 0.3) @ bend,
        np.stack([triangle + np.array((0.0, y)) for y in (-2.5, 0.3, 2.5)]) @ bend,
    )
    for normal, other in zip(separator(one, others), others, strict=True):
        edges = [*(np.roll(one, -1, axis=0) - one), *(other - np.roll(other, -1, axis=0))]
        across = [np.array((y, -x)) / math.hypot(x, y) for x, y in edges]
        best = max((other @ n).min() - (one @ n).max() for n in across)
        assert (other @ normal).min() - (one @ normal).max() == pytest.approx(best)


def test_a_box_loses_no_more_of_a_corner_than_half_of_what_is_there() -> None:
    for length, width, corners in ((4, 2, {(2.0, 0.5), (1.5, 1.0)}), (2, 4, {(1.0, 1.5), (0.5, 2.0)})):
        outline = Footprint.box(length, width, corner=9.0).outline
        assert {(abs(x), abs(y)) for x, y in outline} == corners
