"""What is drawn of a table: pieces, boards, in inches, centimetres and in the picture."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry import Polygon

from calibration.tablefile import parse_table
from engine.boards.board import Free
from engine.boards.hexes import Hexes, oval
from engine.boards.points import Points
from engine.space.geometry import Pose, Region
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.pipeline.referee import Moment, Referee
from server.table.projection import (
    PictureSpace,
    TableSpace,
    band,
    board_view,
    bounds_of,
    car_details,
    colour_of,
    densified,
    ellipse,
    piece_views,
    point_covariance,
    shape_of,
    space_for,
    table_view,
)
from tests.server.fakes import CAMERA, SEDAN, STANDINGS, SURFACE, VAN, HandMoved, KnowsAll
from vision.frame import Frame
from vision.simulate.drawing.render import Renderer
from vision.simulate.scenes import named_scene

TABLE, PICTURE = TableSpace(), PictureSpace(CAMERA)
SURE = PoseUncertainty.isotropic(0.01, 0.01)

angles = st.floats(-math.pi, math.pi)
places = st.floats(2, 46)


def standing(name: str, uncertainty: PoseUncertainty = SURE) -> Standing:
    piece, pose = STANDINGS[name]
    return Standing(piece, pose, uncertainty)


def everything() -> TableState:
    return TableState.of(SURFACE, [standing(name) for name in STANDINGS], 10.0)


class TestShapes:
    @given(places, places, angles)
    def test_a_car_is_drawn_where_it_stands(self, x: float, y: float, turn: float) -> None:
        car = replace(standing("RED1"), pose=Pose(x, y, turn))
        shape = shape_of(car, TABLE)
        assert Polygon(shape.base).equals_exact(Polygon(car.region.outline), 0.002)
        assert shape.middle == pytest.approx((x, y), abs=0.002)
        ahead = np.subtract(shape.handle, shape.middle)
        assert math.remainder(math.atan2(ahead[1], ahead[0]) - turn, math.tau) == pytest.approx(0, abs=0.002)

    @pytest.mark.parametrize("body", [SEDAN, VAN], ids=lambda b: b.model)
    def test_tyres_are_drawn_where_they_are_measured(self, body) -> None:  # type: ignore[no-untyped-def]
        drawn = [points.mean(axis=0) for part, points, _ in car_details(body) if part == "tyre"]
        assert np.allclose(drawn, body.tyres)

    @pytest.mark.parametrize("body", [SEDAN, VAN], ids=lambda b: b.model)
    def test_a_car_has_a_nose_ahead_and_all_its_parts_on_it(self, body) -> None:  # type: ignore[no-untyped-def]
        outline = Polygon(body.footprint.outline).buffer(0.15)
        for part, points, raised in car_details(body):
            assert outline.covers(Polygon(points)), part
            assert raised is (part != "tyre")
            if part == "nose":
                assert points[:, 0].min() > 0.2 * body.length

    def test_terrain_has_no_tyres(self) -> None:
        assert shape_of(standing("mug"), TABLE).details == []

    def test_seen_from_above_height_makes_no_difference(self) -> None:
        assert shape_of(standing("mug"), TABLE).top is None

    def test_in_the_picture_a_high_top_stands_away_from_its_foot(self) -> None:
        shape = shape_of(standing("mug"), PICTURE)
        assert shape.top is not None
        foot, top = Polygon(shape.base), Polygon(shape.top)
        centre = CAMERA.image_from_table(np.array([[24.0, 24.0]]))[0]
        away = [math.dist(p.centroid.coords[0], centre) for p in (foot, top)]
        assert away[1] > away[0] + 5
        assert top.area > foot.area


class TestUncertainty:
    @given(st.floats(0.01, 1), st.floats(0.01, 1), st.floats(-0.9, 0.9))
    def test_the_ellipse_holds_95_percent(self, sx: float, sy: float, r: float) -> None:
        cov = np.array([[sx**2, r * sx * sy], [r * sx * sy, sy**2]])
        points = ellipse(np.zeros(2), cov)
        squared = np.einsum("ni,ij,nj->n", points, np.linalg.inv(cov), points)
        assert np.allclose(squared, 5.991, rtol=1e-6)

    def test_a_point_far_from_the_middle_is_less_sure(self) -> None:
        car = standing("RED1", PoseUncertainty.isotropic(0.01, 0.05))
        tyre = car.pose.to_table(np.array([1.0, 0.5]))
        assert np.trace(point_covariance(car, tyre)) > np.trace(point_covariance(car, car.pose.xy))

    def test_a_band_reaches_round_both_ends(self) -> None:
        cov = np.eye(2) * 0.1**2
        hull = band([(np.array([0.0, 0.0]), cov), (np.array([10.0, 0.0]), cov)])
        assert hull is not None
        assert np.ptp(hull[:, 1]) == pytest.approx(2 * 0.1 * math.sqrt(5.991), rel=0.02)
        assert np.ptp(hull[:, 0]) == pytest.approx(10 + 2 * 0.1 * math.sqrt(5.991), rel=0.02)

    def test_what_is_known_exactly_has_no_band(self) -> None:
        assert band([(np.zeros(2), np.zeros((2, 2))), (np.ones(2), np.zeros((2, 2)))]) is None


class TestLines:
    @given(st.lists(st.tuples(places, places), min_size=2, max_size=6, unique=True), st.booleans())
    def test_are_cut_into_short_pieces_and_keep_their_corners(
        self, corners: list[tuple[float, float]], closed: bool
    ) -> None:
        points = np.array(corners)
        fine = densified(points, closed)
        steps = np.diff(np.vstack([fine, fine[:1]]) if closed else fine, axis=0)
        assert np.hypot(*steps.T).max() <= 1.0 + 1e-9
        assert all((np.abs(fine - p).sum(axis=1) < 1e-9).any() for p in points)


class TestPieces:
    def test_owners_get_letters_and_patterns_in_order(self) -> None:
        views = {v.name: v for v in piece_views(everything(), TABLE, "in")}
        assert [views[n].sign for n in ("RED1", "RED3", "BLUE2", "mug")] == ["A", "A", "B", ""]
        assert views["RED1"].pattern != views["BLUE1"].pattern
        assert views["RED1"].colour != views["BLUE1"].colour

    @pytest.mark.parametrize("colour", ["#abc", "#d93a2b", "teal"])
    def test_own_colours_are_kept(self, colour: str) -> None:
        car = replace(standing("RED1"), piece=replace(STANDINGS["RED1"][0], colour=colour))
        assert colour_of(car, ["Anna"]) == colour

    @pytest.mark.parametrize("colour", ["url(#x)", "#12345", "red;x:y", '"><script>', ""])
    def test_what_is_no_colour_is_not_passed_on(self, colour: str) -> None:
        car = replace(standing("RED1"), piece=replace(STANDINGS["RED1"][0], colour=colour))
        assert colour_of(car, ["Anna"]).startswith("#")

    @pytest.mark.parametrize(
        ("status", "words"),
        [
            (Status.STILL, "still"),
            (Status.MOVING, "moving"),
            (Status.HELD, "covered, held in place, seen 2.5 s ago"),
            (Status.LOST, "lost from sight, seen 2.5 s ago"),
        ],
    )
    def test_status_in_words(self, status: Status, words: str) -> None:
        car = replace(standing("RED1"), status=status, seen_at=7.5)
        (view,) = piece_views(TableState.of(SURFACE, [car], 10.0), TABLE, "in")
        assert view.status_words == words
        assert view.age == 2.5

    def test_a_piece_in_view_that_is_held_is_not_called_covered(self) -> None:
        car = replace(standing("RED1"), status=Status.HELD, seen_at=9.9)
        (view,) = piece_views(TableState.of(SURFACE, [car], 10.0), TABLE, "in")
        assert view.status_words == "in view, and held: nothing is ruled now"

    def test_without_a_surface_there_is_no_shape(self) -> None:
        assert [v.shape for v in piece_views(everything(), None, "in")] == [None] * len(STANDINGS)

    def test_what_rests_is_not_drawn_again_and_what_changes_is(self) -> None:
        before = everything()
        moved = replace(before.standings[0], pose=Pose(11.0, 12.0, 0.5))
        unsure = replace(before.standings[1], uncertainty=PoseUncertainty.isotropic(0.1, 0.1))
        after = replace(before, standings=(moved, unsure, *before.standings[2:]))
        first, second = piece_views(before, TABLE, "in"), piece_views(after, TABLE, "in")
        assert [a is b for a, b in zip(first, second, strict=True)] == [False, False] + [True] * (
            len(first) - 2
        )
        assert (second[0].x, second[0].y) == (11.0, 12.0)
        assert second[1].deviation_words.startswith("±0.100″")
        later = piece_views(replace(before, time=before.time + 1.2), TABLE, "in")
        assert [b.age - a.age for a, b in zip(first, later, strict=True)] == pytest.approx([1.2] * len(first))
        in_cm = piece_views(before, TABLE, "cm")
        assert all(a.place_words != b.place_words for a, b in zip(first, in_cm, strict=True))


def moment() -> Moment:
    source = HandMoved()
    return KnowsAll(source).step(source.read())


class TestViews:
    def test_bounds_hold_the_table(self) -> None:
        bounds = bounds_of(moment(), "table")
        assert bounds.x < 0
        assert bounds.y < 0
        assert bounds.x + bounds.width > 48
        assert bounds.y + bounds.height > 48

    def test_bounds_in_the_picture_hold_the_table_and_stay_in_it(self) -> None:
        now = moment()
        bounds, (width, height) = bounds_of(now, "picture"), now.frame.size
        edge = CAMERA.image_from_table(SURFACE.outline)
        assert (edge.min(axis=0) >= (bounds.x, bounds.y)).all()
        assert (edge.max(axis=0) <= (bounds.x + bounds.width, bounds.y + bounds.height)).all()
        assert bounds.x >= -0.5
        assert bounds.x + bounds.width <= width
        assert bounds.height <= height

    def test_without_a_surface_the_whole_picture_is_shown(self) -> None:
        lost = replace(moment(), surface=None)
        bounds = bounds_of(lost, "picture")
        assert (bounds.x, bounds.y, bounds.width, bounds.height) == (-0.5, -0.5, *lost.frame.size)
        assert space_for(lost, "picture") is None
        assert space_for(lost, "table") is not None

    @pytest.mark.parametrize(("unit", "said"), [("in", "6″"), ("cm", "20 cm")])
    def test_the_scale_is_as_long_as_it_says(self, unit, said: str) -> None:  # type: ignore[no-untyped-def]
        scale = table_view(SURFACE, TABLE, unit).scale
        assert scale is not None
        assert scale.words == said
        inches = 6 if unit == "in" else 20 / 2.54
        assert math.dist(scale.line[0], scale.line[-1]) == pytest.approx(inches, abs=0.002)

    def test_the_grid_lies_on_round_numbers(self) -> None:
        grid = table_view(Region.rectangle(-1.57, -1.57, 49.15, 49.15), TABLE, "in").grid
        upright = sorted({line[0][0] for line in grid if line[0][0] == line[-1][0]})
        assert upright == [0, 6, 12, 18, 24, 30, 36, 42]


class TestBoards:
    def test_a_board_takes_the_place_of_the_grid(self) -> None:
        view = table_view(SURFACE, TABLE, "in", Points(4, 3, 2.0, Pose(5.0, 6.0)))
        assert view.grid == []
        assert view.board is not None
        assert [(5.0, 6.0), (11.0, 6.0)] in view.board.lines
        middles = [tuple(np.mean(dot, axis=0).round(3)) for dot in view.board.dots]
        assert middles == [(5.0 + 2 * c, 6.0 + 2 * r) for r in range(3) for c in range(4)]
        assert {n.words for n in view.board.names} == set("ABCD123")
        free = table_view(SURFACE, TABLE, "in", Free())
        assert free.board is None
        assert free.grid

    def test_a_track_has_its_direction_in_bold_and_its_hexes_closed(self) -> None:
        board = Hexes.track(oval(3, 1, 2), frame=Pose(10.0, 10.0))
        view = board_view(board, TABLE)
        assert view is not None
        assert len(view.lines) == len(board.cells)
        assert all(line[0] == line[-1] for line in view.lines)
        assert view.bold

    def test_over_the_picture_it_lies_where_the_camera_sees_it(self) -> None:
        view = board_view(Points(4, 3, 2.0, Pose(5.0, 6.0)), PICTURE)
        assert view is not None
        ends = CAMERA.image_from_table(np.array([(5.0, 6.0), (11.0, 6.0)]))
        assert any(np.allclose([line[0], line[-1]], ends, atol=0.1) for line in view.lines)
        name = view.names[0]
        an_inch = np.diff(CAMERA.image_from_table(np.array([(5.0, 5.4), (5.0, 6.4)])), axis=0)
        assert name.height == pytest.approx(0.24 * np.linalg.norm(an_inch), rel=0.05)

    def test_the_place_of_what_is_driven_begins_with_its_cell(self) -> None:
        board = Points(13, 13, 3.0, Pose(6.0, 6.0))
        on = replace(standing("RED1"), pose=board.pose_of((2, 3), 0))
        between = replace(standing("BLUE1"), pose=Pose(12.0, 16.5, 0.0))
        table = TableState.of(SURFACE, [on, between, standing("mug")], 10.0)
        said = {v.name: v.place_words for v in piece_views(table, TABLE, "in", board)}
        assert said["RED1"] == "on C4 facing right · 12.00″, 15.00″, 0°"
        assert said["BLUE1"].startswith("between C4 and C5 facing right · ")
        plain = {v.name: v.place_words for v in piece_views(table, TABLE, "in")}
        assert said["mug"] == plain["mug"]
        assert said["RED1"].endswith(plain["RED1"])


# From the picture to the words


def test_cars_on_printed_points_are_read_through_the_print_and_told_by_cell() -> None:
    scene = named_scene("points")
    picture = Renderer(scene).picture([scene.snapshot], 0)
    moment = Referee(parse_table(scene.to_toml())).step(Frame(picture, 0.0, 0, "sim"))
    assert moment.board == scene.board
    views = piece_views(moment.table, TableSpace(), "in", moment.board)
    said = {v.name: v.place_words.partition(" · ")[0] for v in views}
    assert said["Red 1"] == "on C4 facing right"
    assert said["Red 2"] == "on E9 facing up and right"
    assert said["Blue 1"] == "on J5 facing left"
    assert said["Blue 2"] in ("between I11 and I10 facing down", "between I10 and I11 facing down")
