"""Distances, arcs, contacts and what is near."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shapely.geometry import LineString, Point, Polygon
from shapely.ops import unary_union

from engine.errors import ShapeError, TableRefError
from engine.measure import contacts as measured
from engine.measure import distances
from engine.measure.arcs import Arc, ArcPlacement, deepest, depth_in_arc, place_of, shallowest
from engine.measure.contacts import at_rest, contacts
from engine.measure.distances import contact
from engine.measure.nearby import next_in_line, within
from engine.measure.sweep import THE_EDGE, Straight, Turn, first_touch, leaves
from engine.ruling import Verdict
from engine.space.catalogue import CARS, polygon
from engine.space.geometry import Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing
from tests.engine.tables import SURFACE, block, car, opening_scene, true_table
from tests.volume import volume

MIDDLE = [(0.0, 0.0)]


def moved(standing: Standing, *, turn=0.0, x=0.0, y=0.0) -> Standing:
    """The piece after the whole table was turned about the origin and shifted."""
    frame = Pose(x, y, turn)
    return Standing(standing.piece, frame.compose(standing.pose), standing.uncertainty, standing.status)


def tyre_sight(a: Standing, b: Standing, blockers) -> distances.Measurement:
    return distances.sight(a, distances.front_tyres(a), b, distances.tyres(b), blockers)


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
    with pytest.raises(TableRefError, match="Crate has no tyres"):
        distances.tyre_range(a, block("Crate", 20, 10, 2, 2))
    assert distances.outline_sight(a, car("Blue", 12.9, 10), ()).value == distances.PLENTY, "they touch"


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


place = st.tuples(st.floats(4, 20), st.floats(4, 20), st.floats(0, 360))

spot = st.tuples(st.floats(4, 20), st.floats(4, 20), st.floats(0.5, 4), st.floats(0.5, 4), st.floats(0, 360))

scenes = st.tuples(place, place, st.lists(spot, max_size=4))

BLOCKED = example(((6.0, 10.0, 0.0), (18.0, 10.0, 0.0), [(12.0, 10.0, 1.0, 4.0, 0.0)]))
"""Few drawn blocks hide a whole car."""


def built(scene):
    (a, b, blocks) = scene
    one, other = car("Red", *a), car("Blue", *b)
    return one, other, [block(f"T{i}", *s) for i, s in enumerate(blocks)]


def answers(a, b, blockers):
    ranges = [distances.tyre_range(a, b), distances.contact(a, b)]
    sights = [tyre_sight(a, b, blockers), distances.outline_sight(a, b, blockers)]
    return np.array([one.value for one in ranges + sights])


def the_same(x, y):
    assert np.allclose(x, y, atol=1e-7)


INSIDE = (4.0, 4.0, 1.0, 1.0, 0.0)
"""A block in the middle of a car at 4, 4: it could be shifted out to either side."""


@given(scenes, st.floats(0, 6.28), st.floats(-30, 30))
@example(((4.0, 4.0, 0.0), (4.0, 6.0, 0.0), [INSIDE]), 0.0, 1.0)
@example(((4.0, 4.0, 0.0), (9.0, 4.0, 0.0), [INSIDE, (6.0, 4.5, 1.0, 1.0, 0.0)]), 1.3, 7.0)
def test_turned_mirrored_in_another_order_or_with_a_far_piece_the_table_is_the_same(scene, turn, shift):
    a, b, blockers = built(scene)
    here = answers(a, b, blockers)
    there = [moved(s, turn=turn, x=shift, y=-shift) for s in (a, b, *blockers)]
    the_same(here, answers(there[0], there[1], there[2:]))
    # Cars and blocks are the same left and right, so the mirror image is a table of the same pieces.
    there = [replace(s, pose=Pose(s.pose.x, -s.pose.y, -s.pose.heading)) for s in (a, b, *blockers)]
    the_same(here, answers(there[0], there[1], there[2:]))
    the_same(here, answers(a, b, blockers[::-1]))
    the_same(here, answers(a, b, [*blockers, block("Far", 400, 400, 2, 2)]))


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


@settings(max_examples=volume(60, 1000))
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


@settings(max_examples=volume(60, 1000))
@given(scenes)
@BLOCKED
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
    for _ in range(volume(120, 1000)):
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
    assert near > volume(15, 160)
    assert given_ > volume(280, 2400)
    assert right / given_ >= 0.95
    assert plain > volume(190, 1600)
    assert plain_open == 0


FAR = 1000.0


@pytest.mark.parametrize(
    ("degrees", "point", "depth"),
    [
        (180, (2, 5), 2), (180, (-2, 5), -2), (180, (0, 5), 0),
        (90, (5, 0), 5 / math.sqrt(2)), (90, (0, 3), -3 / math.sqrt(2)), (90, (-3, 0), -3), (90, (4, 4), 0),
        (270, (0, 2), math.sqrt(2)), (270, (-2, 0), -math.sqrt(2)), (270, (1, 0), 1),
        (360, (-5, 0), math.inf),
    ],
)  # fmt: skip
def test_depth_in_an_arc(degrees, point, depth):
    assert depth_in_arc(np.array(point, dtype=float), math.radians(degrees)) == pytest.approx(depth)


@given(
    st.floats(0.3, 6.2),
    st.floats(-9, 9), st.floats(-9, 9), st.floats(0.3, 3), st.floats(0.3, 3), st.floats(0, 6.3),
)  # fmt: skip
def test_outlines_reach_as_deep_as_shapely_says(width, x, y, a, b, turn):
    steps = np.linspace(-width / 2, width / 2, 721)
    wedge = Polygon([(0, 0), *(FAR * np.stack([np.cos(steps), np.sin(steps)], axis=1))])
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    box = np.array([(-a, -b), (a, -b), (a, b), (-a, b)]) @ rotation.T + (x, y)
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 15), np.linspace(-1, 1, 15)), axis=-1).reshape(-1, 2)
    inside = depth_in_arc(grid * (a, b) @ rotation.T + (x, y), width)
    most, least = float(deepest(box, width)), float(shallowest(box, width))
    assert least <= inside.min() + 1e-9
    assert inside.max() <= most + 1e-9
    step = math.hypot(a, b) / 7
    assert most <= inside.max() + step
    assert inside.min() - step <= least
    shape = Polygon(box)
    if abs(most) > 1e-6:
        assert shape.intersects(wedge) == (most > 0)
    if abs(least) > 1e-6:
        assert wedge.covers(shape) == (least > 0)
    if most < -1e-6:
        assert shape.distance(wedge) == pytest.approx(-most, abs=1e-3)


@pytest.mark.parametrize(
    ("place", "at"),
    [("nose", (1.475, 0)), ("tail", (-1.475, 0)), ("left", (0, 0.6)), ("right", (0, -0.6)),
     ("front axle", (0.89, 0)), ("rear axle", (-0.89, 0)), ("middle", (0, 0))],
)  # fmt: skip
def test_arcs_hang_on_places_of_the_body(place, at):
    assert place_of(CARS["sedan"], place) == pytest.approx(at)


def test_an_unknown_place_or_width_is_refused():
    with pytest.raises(ShapeError, match="no place called 'wing'; expected one of middle, nose"):
        Arc.at(CARS["sedan"], "wing")
    with pytest.raises(ShapeError, match="width above 0"):
        Arc(width=0.0)


# The owner stands at (10, 10) looking up; its nose is at y = 11.475.
@pytest.mark.parametrize(
    ("other", "by", "placement", "depth"),
    [
        ((10, 16, 0), "tyres", ArcPlacement.IN, 16.51 - 11.475),
        ((10, 6, 0), "tyres", ArcPlacement.OUT, 6.51 - 11.475),
        ((10, 11.5, 0), "tyres", ArcPlacement.STRADDLING, 0.535),
        ((10, 11.0, 0), "footprint", ArcPlacement.STRADDLING, 0.125),
        ((10, 11.0, 0), "tyres", ArcPlacement.STRADDLING, 0.035),
    ],
)
def test_a_half_plane_ahead_of_the_nose(other, by, placement, depth):
    owner, target = car("Red", 10, 10, 90), car("Blue", *other)
    found = distances.arc(owner, Arc.at(owner.piece.body, "nose"), target, by)
    assert found.placement is placement
    assert found.value == pytest.approx(depth)


def test_the_deviation_of_an_arc_grows_with_the_distance_sideways():
    owner = car("Red", 10, 10, sd_degrees=1)
    field = Arc.at(owner.piece.body, "front axle")
    near, far = block("A", 11, 11, 0.1, 0.1), block("B", 11, 30, 0.1, 0.1)
    sds = [distances.arc(owner, field, other, "footprint").sd for other in (near, far)]
    assert sds[1] == pytest.approx(math.radians(1) * 20, rel=0.1)
    assert sds[0] < sds[1] / 8


def test_a_boundary_case_is_too_close_to_call():
    owner, other = car("Red", 10, 10, sd=0.01), car("Blue", 10, 20, -90, sd=0.01)
    other = car("Blue", 10.89 - 0.51, 20, 90, sd=0.01)
    found = distances.arc(owner, Arc.at(owner.piece.body, "front axle"), other).at_least(0.0)
    assert found.value == pytest.approx(0.0, abs=1e-9)
    assert found.verdict() is Verdict.TOO_CLOSE
    assert Point(found.witness.line[0]).distance(Point(10.89, 10)) == pytest.approx(0, abs=1e-9)


YES, OPEN = Verdict.YES, Verdict.TOO_CLOSE

NOSE, SIDE = 1.475, 0.6

HERE = {"sd": 0.01, "sd_degrees": 0.2}


def rock(ahead: float, aside: float = 0.0):
    """A block of one inch whose near side lies so far ahead of the nose of a car at (10, 10)."""
    return block("Rock", 10 + NOSE + 0.5 + ahead, 10 + aside, 1, 1)


def met(mover, steps, *others, surface=None):
    return {c.other: c.verdict for c in contacts(mover, steps, others, surface)}


@pytest.mark.parametrize("known", [{}, HERE])
@pytest.mark.parametrize("deep", [0.0, 0.005, 0.02])
def test_what_it_stands_against_is_not_touched_by_going_away(deep, known):
    red = car("Red", 10, 10, **known)
    assert first_touch(red, [Straight(-3)], [rock(-deep)]) is None
    assert met(red, [Straight(-3)], rock(-deep)) == {}
    assert met(red, [Straight(3)], rock(-deep)) == {"Rock": YES}
    (found,) = contacts(red, [Straight(3)], [rock(-deep)])
    assert found.share < 0.02


@pytest.mark.parametrize("known", [{}, HERE])
def test_a_car_a_little_over_the_edge_leaves_it_only_outwards(known):
    red = car("Red", NOSE - 0.005, 10, **known)
    assert leaves(red, [Straight(3)], SURFACE) is None
    assert met(red, [Straight(3)], surface=SURFACE) == {}
    assert met(red, [Straight(-3)], surface=SURFACE) == {THE_EDGE: YES}
    out = leaves(red, [Straight(-3)], SURFACE)
    assert out is not None
    assert out.share < 0.01


@pytest.mark.parametrize(
    ("ahead", "known", "verdict"),
    [
        (2.0, {}, YES),
        (3.0, {}, OPEN),  # exactly on the limit
        (3.01, {}, None),
        (2.9, HERE, YES),
        (2.99, HERE, OPEN),
        (3.01, HERE, OPEN),
        (3.1, HERE, None),
    ],
)
def test_the_nearer_it_comes_to_the_limit_the_less_is_sure(ahead, known, verdict):
    found = met(car("Red", 10, 10, **known), [Straight(3)], rock(ahead))
    assert found == ({} if verdict is None else {"Rock": verdict})


@pytest.mark.parametrize(("aside", "verdict"), [(0.0, YES), (0.01, OPEN), (-0.01, OPEN), (0.15, None)])
def test_passing_close_by_is_measured_at_the_nearest_place(aside, verdict):
    found = met(car("Red", 10, 10, **HERE), [Straight(6)], rock(2.0, SIDE + 0.5 + aside if aside else 0.0))
    assert found == ({} if verdict is None else {"Rock": verdict})


def test_what_stands_far_away_is_not_measured_and_what_may_reach_is(monkeypatch):
    asked = []

    def measured(one, other):
        asked.append(other.name)
        return contact(one, other)

    monkeypatch.setattr("engine.measure.contacts.contact", measured)
    here, far = car("Red 1", 10, 10), car("Far", 20, 10)
    near, doubtful = car("Near", 12.5, 10), car("Doubtful", 14.5, 10, sd=1.5)
    found = at_rest(here, [near, far, doubtful])
    assert asked == ["Near", "Doubtful"]
    assert [(c.other, c.verdict) for c in found] == [("Near", YES), ("Doubtful", OPEN)]


def test_a_turn_swings_its_nose_into_what_stands_beside_and_sliding_along_is_no_contact():
    red, blue = car("Red", 20, 20, **HERE), car("Blue", 21, 22)
    (found,) = contacts(red, [Turn(1.0)], [blue])
    assert (found.verdict, 0.5 < found.share < 1.0) == (YES, True)
    assert met(red, [Turn(0.2)], blue) == {}
    assert met(car("Red", 10, 10), [Straight(6)], block("Wall", 14, 10 + SIDE + 0.5, 12, 1)) == {}
    # Contacts come in the order of the way.
    far, near = block("Far", 16, 10, 1, 1), block("Near", 14, 10, 1, 1)
    found = contacts(car("Red", 10, 10, **HERE), [Straight(8)], [far, near])
    assert [c.other for c in found] == ["Near", "Far"]


@pytest.mark.parametrize(("x", "verdict"), [(12.68, YES), (12.95, OPEN), (12.94, OPEN), (13.2, None)])
def test_where_a_piece_rests(x, verdict):
    found = at_rest(car("Red", 10, 10, **HERE), [car("Blue", x, 10)])
    assert [c.verdict for c in found] == ([] if verdict is None else [verdict])


way = st.tuples(
    st.floats(-4, 4), st.floats(-2, 2), st.floats(9, 15), st.floats(6, 14), st.floats(0, 360),
)  # fmt: skip


@given(way, st.floats(0, 6), st.floats(-10, 10))
@example((1.5, -1.0889021093434896, 14.0, 7.68359375, 0.0), 1.0, 0.0)
def test_the_same_picture_elsewhere_has_the_same_contacts(one, turn, shift):
    """Rotated, shifted and with a far piece added, the answer stays."""
    ahead, left, x, y, degrees = one
    steps = [Straight(ahead, left)]
    red, blue = car("Red", 10, 10, **HERE), car("Blue", x, y, degrees, sd=0.01)
    frame = Pose(shift, -shift, turn)

    def moved(s):
        return replace(s, pose=frame.compose(s.pose))

    before = contacts(red, steps, [blue])
    after = contacts(moved(red), steps, [moved(blue), block("Far", 200, 200, 1, 1)])
    # What is kept is possible at 5 %, as far as the draws can tell.
    kept, again = ([c for c in found if c.gap.p_yes >= 0.05 + 0.06] for found in (before, after))
    assert {c.other for c in kept} <= {c.other for c in after}
    assert {c.other for c in again} <= {c.other for c in before}
    same = {c.other for c in before} & {c.other for c in after}
    assert [c.other for c in before if c.other in same] == [c.other for c in after if c.other in same]
    for a, b in ((a, b) for a in before for b in after if a.other == b.other):
        assert a.gap.value == pytest.approx(b.gap.value, abs=1e-4)
        assert a.gap.p_yes == pytest.approx(b.gap.p_yes, abs=0.06)


@given(way, st.floats(-90, 90), st.floats(0, 0.2))
def test_what_is_left_out_unmeasured_would_not_have_been_kept(one, angle, sd):
    """The circles about two bodies only spare work: with each pair measured the contacts are the same."""
    ahead, left, x, y, degrees = one
    steps = [Straight(ahead, left), Turn(math.radians(angle)), Straight(3.0)]
    red, others = car("Red", 10, 10, **HERE), [car("Blue", x, y, degrees, sd=sd), block("Far", x, 0, 3, 1)]
    spared = contacts(red, steps, others)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measured._Way, "passes", lambda *_: False)
        told = contacts(red, steps, others)
    assert [(c.other, c.gap.value, c.gap.p_yes) for c in spared] == [
        (c.other, c.gap.value, c.gap.p_yes) for c in told
    ]


@given(st.floats(0.1, 4), st.floats(0, 0.03), st.floats(-90, 90), st.booleans())
def test_going_straight_away_never_collides(inches, deep, degrees, known):
    """Whatever it stands against, however it is turned: the other way is free."""
    direction = math.radians(degrees)
    red = car("Red", 20, 20, **(HERE if known else {}))
    # A long wall across the way, whose face touches the car's outline or lies a little inside it.
    corners = red.region.outline - red.pose.xy
    reach = float((corners @ (math.cos(direction), math.sin(direction))).max()) - deep
    middle = red.pose.xy + (reach + 0.5) * _unit(direction)
    wall = block("Wall", *map(float, middle), 1, 20, degrees)
    away = Straight(-inches * math.cos(direction), -inches * math.sin(direction))
    assert contacts(red, [away], [wall]) == ()


def _unit(angle: float):
    return np.array([math.cos(angle), math.sin(angle)])


RED = car("Red", 20, 20, sd=0.01)


def test_what_comes_within_five_inches_nearest_first():
    others = [
        car("far", 35, 20), car("near", 24, 20), car("edge", 20, 26.2, sd=0.01),
        block("Book", 20, 16, 3, 3), RED,
    ]  # fmt: skip
    found = within(RED, 5, others)
    assert [n.name for n in found] == ["near", "Book", "edge"]
    assert [n.distance.verdict() for n in found] == [Verdict.YES, Verdict.YES, Verdict.TOO_CLOSE]
    assert found[0].distance.value == pytest.approx(4 - 2.95)


def test_what_a_piercing_shot_meets_next():
    target = car("Blue", 30, 20)
    others = [car("between", 25, 20), car("next", 35, 20.2), car("then", 40, 19.8), car("aside", 35, 24)]
    others.append(target)
    assert next_in_line(RED, (0.0, 0.0), target, others) == ("next", "then")
    assert next_in_line(RED, (0.0, 0.0), car("Blue", 20, 20), others) == ()
