from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Polygon
from shapely.ops import unary_union

from engine.errors import TableRefError
from engine.measure import distances
from engine.ruling import Verdict
from engine.space.catalogue import polygon
from engine.space.geometry import Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing
from tests.engine.tables import block, car, opening_scene, true_table

MIDDLE = [(0.0, 0.0)]


def moved(standing: Standing, *, turn=0.0, x=0.0, y=0.0) -> Standing:
    """The piece after the whole table was turned about the origin and shifted."""
    frame = Pose(x, y, turn)
    return Standing(standing.piece, frame.compose(standing.pose), standing.uncertainty, standing.status)


def tyre_sight(a: Standing, b: Standing, blockers) -> distances.Measurement:
    return distances.sight(a, distances.front_tyres(a), b, distances.tyres(b), blockers)


# Against the truth of the opening round ---------------------------------------------------


def test_gaps_and_sight_lines_agree_with_the_true_table():
    scene = opening_scene()
    table = true_table(scene)
    at_rest = scene["line_of_sight_at_rest"][0]["pairs"]
    assert len(scene["pairs"]) == 15
    for pair in scene["pairs"]:
        a, b = table.find(str(pair["a"])), table.find(str(pair["b"]))
        # The file rounds corners to 1e-4 inch.
        assert distances.edge_range(a, b).value == pytest.approx(pair["gap_in"], abs=2e-4)
        between = distances.point_range(a, MIDDLE, b, MIDDLE)
        assert between.value == pytest.approx(pair["centre_in"], abs=2e-4)
        seen = distances.sight(a, MIDDLE, b, MIDDLE, table.others())
        blockers = pair["los2d_blockers"] + pair["los2d_car_blockers"]
        assert (seen.value < 0) == bool(blockers)
        assert sorted(seen.witness.blockers) == sorted(map(str, blockers))
        share = at_rest[f"{pair['a']}-{pair['b']}"]["outline_free_share"]
        if share > 0.0:
            assert distances.outline_sight(a, b, table.others()).value > 0


# Plain cases ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measured", "value"),
    [
        (distances.tyre_range, 10 - 2 * 0.89),
        (lambda a, b: distances.tyre_range(b, a), 10.0),
        (lambda a, b: distances.tyre_range(b, a, front=False), 10 - 2 * 0.89),
        (distances.edge_range, 10 - 2.95),
        (distances.contact, 10 - 2.95),
        (lambda a, b: distances.point_range(a, MIDDLE, b, MIDDLE), 10.0),
    ],
)
def test_ranges_between_two_cars_in_line(measured, value):
    found = measured(car("Red", 10, 10), car("Blue", 20, 10))
    assert found.value == pytest.approx(value)
    assert found.sd == 0.0
    length = math.dist(*found.witness.line)
    assert length == pytest.approx(value)


@pytest.mark.parametrize(("y", "depth"), [(11.0, -0.2), (11.2, 0.0), (10.5, -0.7)])
def test_an_overlap_is_a_negative_gap(y, depth):
    a, b = car("Red", 10, 10), car("Blue", 10, y)
    assert distances.contact(a, b).value == pytest.approx(depth)
    assert distances.edge_range(a, b).value == 0.0


@settings(max_examples=60)
@given(st.floats(0.0, 9.0), st.floats(0, 360), st.floats(0.0, 0.2))
def test_what_is_surely_apart_is_so_by_its_outlines(apart, heading, sd):
    doubt = PoseUncertainty(np.diag([sd**2, sd**2, (sd / 3) ** 2]))
    exact = car("Red", 10, 10), car("Blue", 10 + apart, 10, heading)
    a, b = (Standing(s.piece, s.pose, doubt) for s in exact)
    if distances.surely_apart(a, b):
        gap = distances.contact(a, b)
        assert gap.value > 0.0
        assert gap.at_least(0.0).verdict() is Verdict.YES


def test_cars_a_foot_apart_are_surely_apart_and_a_lost_one_is_not():
    a, b = car("Red", 10, 10), car("Blue", 22, 10)
    assert distances.surely_apart(a, b)
    lost = Standing(b.piece, b.pose, PoseUncertainty(np.diag([9.0, 9.0, 1.0])))
    assert not distances.surely_apart(a, lost)


def test_terrain_has_no_tyres():
    with pytest.raises(TableRefError, match="Crate has no tyres"):
        distances.tyre_range(car("Red", 10, 10), block("Crate", 20, 10, 2, 2))


def test_what_pieces_share_does_not_blur_their_range():
    shared = np.array([[0.3], [0.1], [0.0]])
    drift = PoseUncertainty(np.diag([1e-4, 1e-4, 0.0]), shared)
    a, b = car("Red", 10, 10), car("Blue", 20, 10)
    together = distances.tyre_range(Standing(a.piece, a.pose, drift), Standing(b.piece, b.pose, drift))
    alone = distances.tyre_range(Standing(a.piece, a.pose, drift), b)
    assert together.sd == pytest.approx(math.sqrt(2e-4), rel=0.05)
    assert alone.sd == pytest.approx(math.hypot(0.3, 0.01), rel=0.05)


def test_a_tie_between_tyres_is_drawn_and_a_clear_winner_is_not():
    tied = distances.tyre_range(car("Red", 10, 10, sd=0.05), car("Blue", 20, 10, 0, sd=0.05))
    won = distances.tyre_range(car("Red", 10, 10, sd=0.01), car("Blue", 20, 14, 50, sd=0.01))
    assert tied.belief.draws is not None
    assert won.belief.draws is None
    assert won.sd == pytest.approx(0.01 * math.sqrt(2), rel=1e-3)


def test_blockers_are_named_by_where_the_line_meets_them():
    """The wall reaches back beside the line to before the post, but the line meets it behind the post."""
    wall = block("Wall", 18, 14, 12, 1, 135)
    post = block("Post", 15, 10, 0.5, 0.5)
    red, blue = car("Red", 10, 10), car("Blue", 30, 10)
    for order in ([wall, post], [post, wall]):
        assert distances.sight(red, MIDDLE, blue, MIDDLE, order).witness.blockers == ("Post", "Wall")


# Whole outlines ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blockers", "width", "names"),
    [
        ((), 1.2, ()),
        ((block("A", 15, 10, 1, 0.4),), 0.4, ()),
        ((block("A", 15, 11, 1, 2.1), block("B", 15, 8.95, 1, 1.9)), 0.05, ()),
        ((block("A", 15, 11, 1, 2.0), block("B", 15, 9, 1, 2.0)), -1e-9, ("A", "B")),
        ((block("A", 15, 10, 1, 6),), -1.7, ("A",)),
        ((block("A", 5, 10, 1, 6), block("B", 25, 10, 1, 6)), 1.2, ()),
    ],
)
def test_the_widest_corridor_between_two_cars_in_line(blockers, width, names):
    seen = distances.outline_sight(car("Red", 10, 10), car("Blue", 20, 10), blockers)
    if width < 0:
        assert seen.value <= width
        assert set(seen.witness.blockers) <= set(names)
    else:
        # Slanting lines may find a little more room than straight ones.
        assert width - 1e-9 <= seen.value <= width + 0.1
        assert seen.witness.blockers == names


def test_cars_that_touch_see_each_other():
    assert distances.outline_sight(car("Red", 10, 10), car("Blue", 12.9, 10), ()).value == distances.PLENTY


def test_nobody_sees_through_the_seam_of_a_hollow_piece():
    angle = np.array([(0, 0), (4, 0), (4, 1), (1, 1), (1, 4), (0, 4)], dtype=float) - (0.5, 0.5)
    for turn in np.linspace(0, math.tau, 41):
        wall = Standing(
            Piece("L", "terrain", polygon(angle * 3, 1)), Pose(15, 10, turn), PoseUncertainty.exact()
        )
        a, b = car("Red", 13, 10), car("Blue", 17, 10)
        wall_shape, line = wall.region.polygon, LineString([(13, 10), (17, 10)])
        seen = distances.sight(a, MIDDLE, b, MIDDLE, [wall])
        crossed = line.intersection(wall_shape).length
        if crossed > 1e-6:
            assert seen.value < 0


# Metamorphic ------------------------------------------------------------------------------

place = st.tuples(st.floats(4, 20), st.floats(4, 20), st.floats(0, 360))
spot = st.tuples(st.floats(4, 20), st.floats(4, 20), st.floats(0.5, 4), st.floats(0.5, 4), st.floats(0, 360))
scenes = st.tuples(place, place, st.lists(spot, max_size=4))


def built(scene):
    (a, b, blocks) = scene
    one, other = car("Red", *a), car("Blue", *b)
    return one, other, [block(f"T{i}", *s) for i, s in enumerate(blocks)]


def answers(a, b, blockers):
    return np.array(
        [
            distances.tyre_range(a, b).value,
            distances.contact(a, b).value,
            tyre_sight(a, b, blockers).value,
            distances.outline_sight(a, b, blockers).value,
        ]
    )


def the_same(x, y):
    assert np.allclose(x, y, atol=1e-7)


@settings(max_examples=60)
@given(scenes, st.floats(0, 6.28), st.floats(-30, 30))
def test_turning_and_shifting_the_table_changes_nothing(scene, turn, shift):
    a, b, blockers = built(scene)
    there = [moved(s, turn=turn, x=shift, y=-shift) for s in (a, b, *blockers)]
    the_same(answers(a, b, blockers), answers(there[0], there[1], there[2:]))


@settings(max_examples=60)
@given(scenes)
def test_mirroring_the_table_changes_nothing(scene):
    a, b, blockers = built(scene)
    # Cars and blocks are the same left and right, so the mirror image is a table of the same pieces.
    there = [
        Standing(s.piece, Pose(s.pose.x, -s.pose.y, -s.pose.heading), s.uncertainty)
        for s in (a, b, *blockers)
    ]
    the_same(answers(a, b, blockers), answers(there[0], there[1], there[2:]))


@settings(max_examples=60)
@given(scenes)
def test_order_does_not_matter_and_neither_does_a_far_piece(scene):
    a, b, blockers = built(scene)
    here = answers(a, b, blockers)
    the_same(here, answers(a, b, blockers[::-1]))
    the_same(here, answers(a, b, [*blockers, block("Far", 400, 400, 2, 2)]))


@settings(max_examples=60)
@given(scenes)
def test_swapping_the_two_changes_nothing_where_both_sides_are_alike(scene):
    a, b, blockers = built(scene)
    for question in (distances.contact, lambda p, q: distances.tyre_range(p, q, front=False)):
        assert question(a, b).value == pytest.approx(question(b, a).value, abs=1e-9)
    assert distances.outline_sight(a, b, blockers).value == pytest.approx(
        distances.outline_sight(b, a, blockers).value, abs=1e-7
    )
    points = distances.tyres(a)
    assert distances.sight(a, points, b, points, blockers).value == pytest.approx(
        distances.sight(b, points, a, points, blockers).value, abs=1e-9
    )


@settings(max_examples=60)
@given(scenes, st.floats(0.1, 0.9))
def test_splitting_a_blocker_in_two_changes_no_verdict(scene, at):
    a, b, blockers = built(scene)
    for whole in blockers[:1]:
        if min(whole.region.polygon.distance(c.region.polygon) for c in (a, b)) == 0.0:
            return
        length, width = whole.piece.body.length, whole.piece.body.width
        halves = []
        for name, low, high in (("P", -0.5, at - 0.5), ("Q", at - 0.5, 0.5)):
            x, y = whole.pose.to_table(((low + high) / 2 * length, 0))
            halves.append(block(name, x, y, (high - low) * length, width, math.degrees(whole.pose.heading)))
        before, after = answers(a, b, blockers), answers(a, b, [*halves, *blockers[1:]])
        clear = before[2:] > 1e-7
        blocked = before[2:] < -1e-7
        assert (after[2:][blocked] < 1e-7).all()
        assert np.allclose(after[2:][clear], before[2:][clear], atol=1e-7)


# Against shapely --------------------------------------------------------------------------


@settings(max_examples=150)
@given(scenes)
def test_sight_lines_between_tyres_agree_with_shapely(scene):
    a, b, blockers = built(scene)
    shapes = [s.region.polygon for s in blockers]
    clearest = -math.inf
    for p in a.pose.to_table(distances.front_tyres(a)):
        for q in b.pose.to_table(distances.tyres(b)):
            line = LineString([p, q])
            free = min((line.distance(s) for s in shapes), default=distances.PLENTY)
            inside = max((line.intersection(s).length for s in shapes), default=0.0)
            clearest = max(clearest, -inside if inside > 0 else free)
    seen = tyre_sight(a, b, blockers)
    if abs(clearest) > 1e-6 and abs(seen.value) > 1e-9:
        assert (seen.value > 0) == (clearest > 0)
    if clearest > 0:
        assert seen.value == pytest.approx(min(clearest, distances.PLENTY), abs=1e-9)


@settings(max_examples=150)
@given(scenes)
def test_a_clear_corridor_is_clear_and_its_blockers_block(scene):
    a, b, blockers = built(scene)
    if a.region.polygon.distance(b.region.polygon) < 1e-6:
        return
    seen = distances.outline_sight(a, b, blockers)
    line = LineString(seen.witness.line)
    everything = unary_union([s.region.polygon for s in blockers]) if blockers else Polygon()
    apart = all(s.region.polygon.distance(c.region.polygon) > 0 for s in blockers for c in (a, b))
    if seen.value > 1e-6 and apart:
        assert not seen.witness.blockers
        assert line.intersection(everything).length < 1e-9
    if seen.value < -1e-6 and apart:
        assert {s.name for s in blockers if line.intersects(s.region.polygon)} >= set(seen.witness.blockers)
        assert seen.witness.blockers
    # Any clear line between two corners would be a corridor.
    if apart and seen.value < -1e-9:
        for p in a.region.outline:
            for q in b.region.outline:
                assert LineString([p, q]).intersects(everything.buffer(1e-9))


# Calibrated -------------------------------------------------------------------------------


def drawn_table(rng: np.random.Generator):
    """A true table, and the same as a camera would report it."""
    sd, sd_turn = rng.uniform(0.01, 0.08), rng.uniform(0.002, 0.02)
    shared = rng.normal(size=(3, 2)) * [[0.03], [0.03], [0.002]]
    own = np.diag([sd**2, sd**2, sd_turn**2])
    truth = [
        car("Red", rng.uniform(4, 8), rng.uniform(8, 16), rng.uniform(-60, 60)),
        car("Blue", rng.uniform(16, 22), rng.uniform(8, 16), rng.uniform(0, 360)),
        *(block(f"T{i}", *rng.uniform((9, 7), (15, 17)), *rng.uniform(0.5, 3, 2), 0) for i in range(3)),
    ]
    common = rng.normal(size=2)
    seen = []
    for s in truth:
        error = np.linalg.cholesky(own) @ rng.normal(size=3) + shared @ common
        pose = Pose(s.pose.x + error[0], s.pose.y + error[1], s.pose.heading + error[2])
        seen.append(Standing(s.piece, pose, PoseUncertainty(own, shared)))
    return truth, seen


def test_of_the_verdicts_at_95_percent_at_least_95_percent_are_right():
    rng = np.random.default_rng(5)
    right, given_, plain_open, plain, near = 0, 0, 0, 0, 0
    for _ in range(250):
        truth, seen = drawn_table(rng)
        limit = distances.tyre_range(truth[0], truth[1]).value + rng.normal() * 0.1
        for judged in (
            lambda t, limit=limit: distances.tyre_range(t[0], t[1]).at_most(limit),
            lambda t: tyre_sight(t[0], t[1], t[2:]).at_least(0.0),
            lambda t: distances.outline_sight(t[0], t[1], t[2:]).at_least(0.0),
            lambda t: distances.arc(t[0], distances.Arc(), t[1]).at_least(0.0),
        ):
            true, found = judged(truth), judged(seen)
            verdict = found.verdict(0.95)
            far = abs(true.margin) > 6 * found.sd
            plain += far
            plain_open += far and verdict is Verdict.TOO_CLOSE
            near += abs(true.margin) < 2 * found.sd
            if verdict is not Verdict.TOO_CLOSE:
                given_ += 1
                right += (verdict is Verdict.YES) == (true.margin >= 0)
    assert near > 40
    assert given_ > 600
    assert right / given_ >= 0.95
    assert plain > 400
    assert plain_open == 0
