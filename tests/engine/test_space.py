"""Outlines, poses, pieces and tables; the catalogue; tractors and trailers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import MultiPoint, Polygon
from shapely.ops import unary_union

from engine.errors import ShapeError, TableRefError
from engine.space.catalogue import CARS, box, car, cylinder, polygon, table_of
from engine.space.convex import convex_parts, distinct, hull_of, is_convex, stacked
from engine.space.geometry import Footprint, Pose, Region, as_points, wrap_angle
from engine.space.pieces import HITCH_SD, KINDS, Hitch, Look, Piece, PieceKind, TagMount, car_body
from engine.space.table import (
    PoseUncertainty,
    Standing,
    Status,
    TableState,
    following,
    key_of,
    never_placed,
    with_followers,
)
from tests.engine.tables import block, table
from tests.engine.tables import car as car_table

angle = st.floats(-20, 20)

poses = st.builds(Pose, st.floats(-50, 50), st.floats(-50, 50), angle)


@given(angle)
def test_a_wrapped_angle_is_the_same_direction(a):
    wrapped = wrap_angle(a)
    assert -math.pi < wrapped <= math.pi
    assert math.cos(wrapped - a) == pytest.approx(1.0)


@given(poses, poses)
def test_poses_compose_and_invert(p, q):
    point = np.array([0.7, -1.3])
    assert p.compose(q).to_table(point) == pytest.approx(p.to_table(q.to_table(point)), abs=1e-9)
    assert p.inverse().to_table(p.to_table(point)) == pytest.approx(point, abs=1e-9)
    assert p.to_body(p.to_table(point)) == pytest.approx(point, abs=1e-9)


@given(poses)
def test_the_jacobian_is_how_a_point_moves(p):
    point, step = np.array([1.5, 0.4]), 1e-6
    for k in range(3):
        shift = np.eye(3)[k] * step
        moved = Pose(p.x + shift[0], p.y + shift[1], p.heading + shift[2]).to_table(point)
        assert (moved - p.to_table(point)) / step == pytest.approx(p.jacobian(point)[:, k], abs=1e-4)


@pytest.mark.parametrize(
    ("outline", "message"),
    [
        ([(0, 0), (1, 0)], "at least 3 corners but got 2"),
        ([(0, 0), (1, 1), (1, 0), (0, 1)], "must not cross itself"),
        ([(0, 0), (1, 1), (2, 2)], "must enclose an area"),
        ([(0, 0), (1, 0), (math.nan, 1)], "finite coordinates"),
        ([0, 1, 2], r"expected an \(n, 2\) array of inches but got shape \(3,\)"),
    ],
)
def test_an_outline_that_is_none_is_refused(outline, message):
    with pytest.raises(ShapeError, match=message):
        Region(outline)


def test_an_outline_is_turned_counter_clockwise_and_read_only_and_a_pose_needs_numbers():
    region = Region(as_points([(0, 0), (0, 1), (2, 1), (2, 0)]))
    assert region.area == 2.0
    assert Polygon(region.outline).exterior.is_ccw
    with pytest.raises(ValueError, match="read-only"):
        region.outline[0, 0] = 5.0
    disc = Footprint.disc(3.0)
    assert Region(disc.outline).area == pytest.approx(math.pi * 2.25)
    assert disc.parts[0] is disc.outline
    for values in ((math.nan, 0, 0), (0, math.inf, 0)):
        with pytest.raises(ShapeError, match="finite numbers"):
            Pose(*values)


@given(poses)
def test_a_footprint_covers_what_a_region_of_its_corners_covers(pose):
    footprint = CARS["sedan"].footprint
    placed, region = footprint.at(pose), Region(pose.to_table(footprint.outline))
    assert (placed.outline == region.outline).all()
    assert not placed.outline.flags.writeable
    places = np.array([pose.place(x, y) for x, y in footprint.outline.tolist()])
    assert places == pytest.approx(placed.outline)


@pytest.mark.parametrize(
    "footprint",
    [
        Footprint.box(3, 1, corner=0.2),
        Footprint(as_points([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)])),
        Footprint(as_points([(-4, -4), (0, -2), (4, -4), (0, 5)])),
    ],
)
def test_the_radius_reaches_to_the_farthest_corner(footprint):
    assert footprint.radius == pytest.approx(np.hypot(*footprint.outline.T).max())


L_SHAPE = np.array([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)], dtype=float)

STAR = np.array(
    [(r * math.cos(a), r * math.sin(a)) for a, r in zip(np.arange(10) * 0.628318, [3, 1] * 5, strict=True)]
)


@st.composite
def stars(draw):
    """Outlines that do not cross themselves, with any number of hollows."""
    n = draw(st.integers(3, 16))
    radii = draw(st.lists(st.floats(0.2, 3.0), min_size=n, max_size=n))
    angles = np.arange(n) * (math.tau / n)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) * np.array(radii)[:, None]


@pytest.mark.parametrize(("outline", "parts"), [(L_SHAPE, 2), (STAR, 8), (L_SHAPE[[0, 1, 4, 5]][:3], 1)])
def test_a_hollow_outline_falls_into_few_parts(outline, parts):
    assert len(convex_parts(outline)) <= parts


@given(stars())
def test_the_parts_are_convex_and_fill_the_outline_without_overlap(outline):
    parts = convex_parts(outline)
    assert all(is_convex(p) for p in parts)
    shapes = [Polygon(p) for p in parts]
    whole = Polygon(outline)
    assert sum(s.area for s in shapes) == pytest.approx(whole.area, abs=1e-9)
    assert unary_union(shapes).symmetric_difference(whole).area == pytest.approx(0, abs=1e-9)


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=30, unique=True))
def test_the_hull_is_shapelys(points):
    shape = MultiPoint(points).convex_hull
    if shape.geom_type != "Polygon":
        return
    hull = hull_of(np.array(points, dtype=float))
    assert Polygon(hull).equals(shape)
    assert Polygon(hull).exterior.is_ccw


def test_outlines_of_different_lengths_stand_in_one_array():
    both = stacked([L_SHAPE, STAR])
    assert both.shape == (2, 10, 2)
    assert (distinct(both[0]) == L_SHAPE).all()
    assert stacked([]).shape == (0, 1, 2)


def test_every_kind_has_its_traits() -> None:
    assert set(KINDS) == set(get_args(PieceKind))
    assert {k.look for k in KINDS.values()} == set(get_args(Look))


@pytest.mark.parametrize(
    ("kind", "traits"),
    [
        ("car", {"driven", "moves", "solid", "blocks sight"}),
        ("truck", {"driven", "moves", "solid", "blocks sight"}),
        ("trailer", {"moves", "solid", "blocks sight"}),
        ("terrain", {"solid", "blocks sight"}),
        ("pedestrian", {"moves"}),
        ("token", set()),
        ("marker", set()),
    ],
)
def test_a_piece_is_as_its_kind(kind: PieceKind, traits: set[str]) -> None:
    it = Piece("It", kind, car("sedan"))
    said = {"driven": it.driven, "moves": it.moves, "solid": it.solid, "blocks sight": it.blocks_sight}
    assert {name for name, true in said.items() if true} == traits


def test_no_other_kind_is_taken() -> None:
    with pytest.raises(ShapeError, match=r"Hill: expected a car, truck, .*, but got 'hill'"):
        Piece("Hill", "hill", box(1.0, 1.0, 1.0))  # type: ignore[arg-type]


@pytest.mark.parametrize("typed", ["Red 1", "red-1", "RED_1", "red1"])
def test_a_piece_is_found_as_people_type_it(typed):
    assert table(car_table("Red 1", 1, 1), car_table("Red 2", 5, 5)).find(typed).name == "Red 1"
    assert key_of(typed) == "red1"


def test_an_unknown_piece_is_refused_with_what_there_is():
    with pytest.raises(TableRefError, match="no piece called 'Blue 9' is on the table; seen: Red 1, Crate"):
        table(car_table("Red 1", 1, 1), block("Crate", 5, 5, 1, 1)).find("Blue 9")
    with pytest.raises(TableRefError, match="seen: nothing"):
        table().find("Blue 9")


def test_the_others_are_everything_else():
    state = table(car_table("Red 1", 1, 1), car_table("Red 2", 5, 5), block("Crate", 9, 9, 1, 1))
    assert [s.name for s in state.others("red 2")] == ["Red 1", "Crate"]


def test_what_nobody_has_seen_is_named_alike_however_the_set_up_lists_it():
    rocks = [block(name, 6.0, 6.0, 1.0, 1.0).piece for name in ("Rock", "Rock 2", "Rock 3")]
    for listed in (rocks, rocks[::-1], [rocks[1], rocks[0], rocks[2]]):
        assert [p.name for p in never_placed(listed, ())] == ["Rock", "Rock 2", "Rock 3"]


def test_an_uncertainty_adds_what_is_shared_and_one_of_another_shape_is_refused():
    known = PoseUncertainty(np.diag([1.0, 1.0, 0.0]), np.array([[2.0], [0.0], [0.0]]))
    assert known.total == pytest.approx(np.diag([5.0, 1.0, 0.0]))
    assert PoseUncertainty.exact().total.any() == np.False_
    for own, shared in ((np.eye(2), np.zeros((3, 0))), (np.eye(3), np.zeros((2, 1)))):
        with pytest.raises(ShapeError, match=r"expected a \(3, 3\) covariance"):
            PoseUncertainty(own, shared)


def test_a_car_knows_its_axles_and_terrain_has_none():
    sedan = CARS["sedan"]
    assert sedan.front_axle == pytest.approx((0.89, 0))
    assert sedan.rear_axle == pytest.approx((-0.89, 0))
    for axle in ("front_axle", "rear_axle"):
        with pytest.raises(ShapeError, match="has no tyres"):
            getattr(box(1, 1, 1), axle)
    with pytest.raises(ShapeError, match="must lie ahead of the rear axle"):
        car_body("odd", length=3, width=1.2, axles=(-0.9, 0.9), track=1, height=1)


def test_every_piece_is_its_players_and_others_keep_their_owner():
    before = table(car_table("Red 1", 1, 1), car_table("Red 2", 5, 5), block("Crate", 9, 9, 1, 1))
    state = before.owned({"red-1": "Ann", "Red 2": "Ann"}).owned({"RED1": "Ben", "nobody": "Ann"})
    assert [s.piece.owner for s in state.standings] == ["Ben", "Ann", None]
    assert (state.time, state.find("Red 1").pose) == (before.time, before.find("Red 1").pose)
    # What was measured on the one table need not be measured again on the other.
    assert state.owned({"Red 1": "Ben"}).facts == state.facts != before.facts


MODELS = (
    "compact", "sedan", "muscle", "suv", "pickup", "van", "truck", "buggy", "rig-tractor", "rig-trailer",
)  # fmt: skip


def test_a_model_is_found_as_people_type_it_and_an_unknown_one_refused_with_what_there_is():
    assert tuple(CARS) == MODELS
    for typed in ("Sedan", "SEDAN", " sed an"):
        assert car(typed) is CARS["sedan"]
    with pytest.raises(TableRefError, match="no car model called 'tank'; expected one of compact, sedan"):
        car("tank")


@pytest.mark.parametrize("model", MODELS)
def test_a_car_has_the_size_of_a_matchbox_car(model):
    body = CARS[model]
    assert body.model == model
    assert 2.4 <= body.length <= 6.2
    assert 1.0 <= body.width <= 1.4
    assert 0.9 <= body.height <= 1.8
    half_length, half_width = body.length / 2, body.width / 2
    assert (abs(body.tyres) < (half_length, half_width)).all()
    assert body.tyres[:2, 0].min() > body.tyres[2:, 0].max()
    assert body.tyres[0, 1] > 0 > body.tyres[1, 1]


def test_terrain_is_built_from_boxes_cylinders_and_outlines():
    book, mug = box(9, 6, 1.2), cylinder(3.2, 3.7)
    assert (book.length, book.width, book.height, book.tyres) == (9, 6, 1.2, None)
    assert mug.footprint.at is not None
    assert mug.length == pytest.approx(3.2, abs=0.01)
    hollow = polygon([(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)], 2.0)
    assert len(hollow.footprint.parts) > 1


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: box(0, 6, 1), "length above 0"),
        (lambda: cylinder(-1, 1), "diameter above 0"),
        (lambda: cylinder(float("nan"), 1), "diameter above 0"),
        (lambda: box(1, 1, -1), "height of 0 inches or more"),
        (lambda: polygon([(0, 0), (1, 0)], 1), "at least 3 corners"),
        (lambda: polygon([(0, 0), (1, 1), (1, 0), (0, 1)], 1), "must not cross itself"),
    ],
)
def test_impossible_terrain_is_refused(build, message):
    with pytest.raises(ShapeError, match=message):
        build()


def test_a_table_is_made_in_a_line():
    pieces = {"Red 1": ("Sedan", 10, 24), "Rock": (box(2, 2, 1), 20, 24, 90)}
    table = table_of(pieces, size=(36, 36), owners={"Red 1": "Red"})
    red, rock = table.standings
    assert (red.piece.kind, red.piece.owner, rock.piece.kind) == ("car", "Red", "terrain")
    assert (rock.pose.x, rock.pose.heading) == (20, math.pi / 2)
    assert table.surface.area == 36 * 36
    for place, words in ((("sedan", 1), "Red: expected a model"), (("ufo", 1, 1), "no car model")):
        with pytest.raises(TableRefError, match=words):
            table_of({"Red": place})


TRACTOR = Piece("Rig 1", "truck", car("rig-tractor"), TagMount("tag36h11", 10, 0.9, 1.6))

HITCH = Hitch("Rig 1", at=(2.5, 0.0), on=(-1.2, 0.0))

BARE = Piece("Trailer 1", "trailer", car("rig-trailer"), hitch=HITCH)

TAGGED = replace(BARE, mount=TagMount("tag36h11", 11, 0.9, 1.7))

CAR = Piece("Red 1", "car", car("sedan"), TagMount("tag36h11", 12, 0.9, 1.0))

SURFACE = Region.rectangle(0.0, 0.0, 48.0, 36.0)

SHARED = np.array([[0.01, 0.0], [0.0, 0.02], [0.001, 0.0]])

KNOWN = PoseUncertainty(np.array([[4e-4, 1e-4, 0.0], [1e-4, 9e-4, 1e-5], [0.0, 1e-5, 4e-4]]), SHARED)


def rig(pose: Pose, how: PoseUncertainty = KNOWN, status: Status = Status.STILL) -> Standing:
    return Standing(TRACTOR, pose, how, status, 3.0, 5.0)


@pytest.mark.parametrize("pose", [Pose(10.0, 10.0), Pose(20.0, 8.0, 2.1), Pose(3.0, 30.0, -1.4)])
def test_a_trailer_without_a_tag_hangs_straight_behind(pose: Pose) -> None:
    _, trailer = with_followers([rig(pose)], [TRACTOR, BARE])
    assert trailer.pose.heading == pytest.approx(pose.heading)
    assert trailer.pose.to_table(HITCH.at) == pytest.approx(pose.to_table(HITCH.on))
    assert pose.to_body(trailer.pose.xy) == pytest.approx((-3.7, 0.0))


def test_it_is_lost_with_what_pulls_it_and_with_a_tag_stands_where_it_was_seen() -> None:
    trailer = following(BARE, HITCH, rig(Pose(9.0, 9.0), status=Status.LOST))
    assert (trailer.status, trailer.since, trailer.seen_at) == (Status.LOST, 3.0, 5.0)
    seen = Standing(TAGGED, Pose(12.0, 5.0, 1.0), KNOWN)
    assert with_followers([rig(Pose(12.0, 9.0, 1.5)), seen], [TRACTOR, TAGGED])[1] is seen
    assert with_followers([rig(Pose(12.0, 9.0, 1.5))], [TRACTOR, TAGGED])[1:] == ()
    assert with_followers([], [TRACTOR, BARE]) == ()


def test_its_deviation_is_the_tractors_carried_back_and_the_angle_at_the_pin() -> None:
    pose = Pose(20.0, 15.0, 0.7)
    trailer = following(BARE, replace(HITCH, sd_turn=0.05), rig(pose))
    rng = np.random.default_rng(2)
    n = 40_000
    draws = rng.multivariate_normal([pose.x, pose.y, pose.heading], KNOWN.total, n)
    angle = rng.normal(0.0, 0.05, n)
    pin = draws[:, :2] + turned(np.array(HITCH.on), draws[:, 2])
    heading = draws[:, 2] + angle
    middle = pin - turned(np.array(HITCH.at), heading)
    drawn = np.cov(np.column_stack([middle, heading]).T)
    scale = np.sqrt(np.outer(np.diag(drawn), np.diag(drawn)))
    assert np.abs((trailer.uncertainty.total - drawn) / scale).max() < 0.03


def turned(point: np.ndarray, headings: np.ndarray) -> np.ndarray:
    cos, sin = np.cos(headings), np.sin(headings)
    return np.stack([cos * point[0] - sin * point[1], sin * point[0] + cos * point[1]], axis=1)


def test_what_is_assumed_is_never_surer_than_what_was_seen() -> None:
    exact = rig(Pose(20.0, 15.0, 0.7), PoseUncertainty.exact())
    trailer = following(BARE, HITCH, exact)
    assert math.sqrt(trailer.uncertainty.total[2, 2]) == pytest.approx(HITCH_SD)
    across = trailer.pose.rotation[:, 1]
    sideways = math.sqrt(across @ trailer.uncertainty.total[:2, :2] @ across)
    assert sideways == pytest.approx(2.5 * HITCH_SD)


def test_a_second_trailer_hangs_on_the_first_in_any_order() -> None:
    second = replace(BARE, name="Trailer 2", hitch=Hitch("Trailer 1", at=(2.5, 0.0), on=(-3.0, 0.0)))
    found = with_followers([rig(Pose(20.0, 10.0))], [second, BARE, TRACTOR])
    assert [s.name for s in found] == ["Trailer 2", "Trailer 1", "Rig 1"]
    assert [s.pose.x for s in found] == pytest.approx([10.8, 16.3, 20.0])
    assert found[0].uncertainty.total[1, 1] > found[1].uncertainty.total[1, 1]


@pytest.mark.parametrize("trailer", [BARE, TAGGED])
def test_the_bodies_of_a_vehicle_together(trailer: Piece) -> None:
    stand = (
        Standing(trailer, Pose(16.3, 10.0), KNOWN),
        Standing(CAR, Pose(30.0, 30.0), KNOWN),
        rig(Pose(20.0, 10.0)),
    )
    table = TableState.of(SURFACE, stand)
    for name in ("Rig 1", "trailer-1"):
        assert [s.name for s in table.vehicle(name)] == ["Rig 1", "Trailer 1"]
    assert [s.name for s in table.vehicle("red 1")] == ["Red 1"]
    alone = TableState.of(SURFACE, stand[:2])
    assert [s.name for s in alone.vehicle("Trailer 1")] == ["Trailer 1"]
