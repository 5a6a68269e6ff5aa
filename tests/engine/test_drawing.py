"""The gunner's view against rays cast one by one and the book's line of sight; its SVG, and names in it."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shapely.geometry import Point

from engine.drawing.gunner import (
    HUB,
    NEAR,
    SEATS,
    Eye,
    Prism,
    beyond_near,
    eye_of,
    gunner_view,
    painters_order,
    prisms_of,
    seat_of,
    tyres_hidden,
)
from engine.drawing.gunner_svg import SIZE, caption_of, gunner_drawing
from engine.drawing.svg import BLOCKED, CLEAR, PALE, PAPER, Drawing
from engine.errors import TableRefError
from engine.measure import distances
from engine.space.catalogue import box
from engine.space.geometry import FloatArray, Footprint, Pose, Region, as_points
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.engine.tables import SURFACE, block, car, opening_scene, table, true_table
from tests.pictures.figures import tell
from tests.volume import volume


def low_block(name: str, x: float, y: float, height: float) -> Standing:
    piece = Piece(name, "terrain", box(4.0, 6.0, height))
    return Standing(piece, Pose(x, y), PoseUncertainty.exact())


def hollow(name: str, x: float, y: float, degrees: float) -> Standing:
    """An L of terrain, whose hollow can be looked into."""
    outline = as_points([(0, 0), (5, 0), (5, 2), (2, 2), (2, 5), (0, 5)])
    piece = Piece(name, "terrain", Body("L", Footprint(outline), 2.0))
    return Standing(piece, Pose(x, y, math.radians(degrees)), PoseUncertainty.exact())


def meets(eye: Eye, direction: FloatArray, standing: Standing) -> float:
    """How far a ray goes until it meets a piece, by stepping through the heights of its outline's edges."""
    origin = np.array([*eye.pose.xy, eye.height])
    outline, top = standing.region.outline, standing.piece.body.height
    best = math.inf
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        matrix = np.array([[direction[0], a[0] - b[0]], [direction[1], a[1] - b[1]]])
        if abs(np.linalg.det(matrix)) < 1e-12:
            continue
        t, s = np.linalg.solve(matrix, a - origin[:2])
        if t > 0 and 0 <= s <= 1 and 0 <= origin[2] + t * direction[2] <= top:
            best = min(best, t)
    if abs(direction[2]) > 1e-9:
        t = (top - origin[2]) / direction[2]
        if t > 0 and standing.region.polygon.contains(Point(*(origin + t * direction)[:2])):
            best = min(best, t)
    return best


def cast(eye: Eye, at: tuple[float, float], standings: tuple[Standing, ...]) -> str | None:
    """The name of what a ray through a point of the picture plane meets first."""
    right = np.array([math.sin(eye.pose.heading), -math.cos(eye.pose.heading), 0.0])
    ahead = np.array([math.cos(eye.pose.heading), math.sin(eye.pose.heading), 0.0])
    direction = ahead + at[0] * right + at[1] * np.array([0.0, 0.0, 1.0])
    met = [(meets(eye, direction, s), s.name) for s in standings]
    nearest = min(met, default=(math.inf, ""))
    return nearest[1] if nearest[0] < math.inf else None


@st.composite
def scenes(draw: st.DrawFn) -> TableState:
    """Two cars with three pieces of terrain strewn between them, none on another."""
    turn = st.floats(0, 360)
    found = [car("Red", 8, 8, draw(st.floats(20, 70))), car("Blue", 36, 36, draw(turn))]
    for k in range(3):
        x, y = draw(st.floats(12, 32)), draw(st.floats(12, 32))
        new = (
            hollow(f"L{k}", x, y, draw(turn))
            if draw(st.booleans())
            else block(f"B{k}", x, y, draw(st.floats(0.5, 8)), draw(st.floats(0.5, 5)), draw(turn))
        )
        if all(s.region.polygon.distance(new.region.polygon) > 0.01 for s in found):
            found.append(new)
    return table(*found)


@settings(max_examples=volume(30, 1000))
@given(scenes(), st.sampled_from(SEATS), st.randoms(use_true_random=False))
def test_what_is_seen_is_what_rays_meet_first(scene, seat, random):
    view = gunner_view(scene, "Red", "Blue", seat)
    others = scene.others("Red")
    x0, y0, x1, y1 = view.whole.bounds
    checked = 0
    for _ in range(60):
        at = random.uniform(x0, x1), random.uniform(y0, y1)
        point = Point(*at)
        # A point on the rim of two shapes belongs to either.
        if any(not s.is_empty and s.boundary.distance(point) < 1e-6 for s in (view.whole, view.seen)):
            continue
        first = cast(view.eye, at, others)
        assert view.seen.contains(point) == (first == "Blue"), (at, first)
        checked += 1
    assert checked > 20
    assert 0.0 <= view.share <= 1.0


def grazing(heading: float, turn: float, near: tuple[float, ...], deep: tuple[float, ...]) -> TableState:
    """The line from Red's left tyre to one of Blue's runs along a side of a block, and through another."""
    ends = car("Red", 8, 8, heading), car("Blue", 36, 36, turn)
    return table(*ends, block("Near", *near), block("Deep", *deep, 1, 1))


# By rounding alone the one says that the line runs through what it grazes, and the other not.
@example(
    grazing(20, 90, (15.904689122815142, 18.543969655713155, 1, 3, 46.332959296286205), (25.2331, 26.1444)),
    "left tyre",
)
@example(
    grazing(60, 45, (16.31946796385855, 18.659988471194882, 3, 2, 44.693105216496136), (25.0645, 25.9052)),
    "left tyre",
)
@settings(max_examples=volume(40, 1000))
@given(scenes(), st.sampled_from(["left tyre", "right tyre"]))
def test_a_line_that_the_book_calls_blocked_ends_behind_something(scene, seat):
    """From a tyre's hub everything higher hides a point of the table exactly where it blocks the line."""
    view = gunner_view(scene, "Red", "Blue", seat)
    red, blue = scene.find("Red"), scene.find("Blue")
    start, others = distances.front_tyres(red)[[0 if seat == "left tyre" else 1]], scene.others("Red", "Blue")
    for tyre, hidden in zip(distances.tyres(blue), tyres_hidden(scene, view), strict=True):
        ends = red, start, blue, tyre[None]
        seen = distances.sight(*ends, others)
        sure = {s.name for s in others if abs(distances.sight(*ends, [s]).value) > 1e-6}
        surely_hidden = [name for name in hidden if name in sure]
        assert surely_hidden == [name for name in seen.witness.blockers if name in sure]
        if abs(seen.value) > 1e-6:
            assert (seen.value < 0.0) == bool(surely_hidden)


# The eye looks at the corner at (30, 30) that both halves of the second L share.
@example(
    table(car("Red", 8, 8, 20), hollow("L0", 12, 12, 0), hollow("L1", 30, 30, 0), car("Blue", 36, 36, 0))
)
@settings(max_examples=volume(40, 1000))
@given(scenes())
def test_painters_order_puts_nothing_over_what_stands_before_it(scene):
    eye = eye_of(scene.find("Red"), "left tyre", np.array([30.0, 30.0]))
    prisms = painters_order([p for s in scene.others("Red") for p in prisms_of(s, eye)])
    place = {id(p): k for k, p in enumerate(prisms)}
    for bearing in np.radians(np.linspace(-60, 60, 61)):
        met = [(far, place[id(p)]) for p in prisms if 0.0 < (far := p.distance(bearing)) < math.inf]
        # Halves of one piece may share the corner that a ray meets: there neither stands before the other.
        assert all(k > later for far, k in met for farther, later in met if far < farther - 1e-9), bearing


def test_is_to_scale():
    red, blue = car("Red", 5, 24, 0), block("Wall", 25, 24, 2, 4)
    view = gunner_view(table(red, blue), "Red", "Wall", "left tyre")
    eye, away = view.eye, 24.0 - view.eye.pose.x
    # Looked at nearly square on: two inches high and four wide at this distance, over a table HUB below.
    _, low, _, high = view.whole.bounds
    turn = view.eye.pose.heading
    assert away == pytest.approx(24 - red.pose.to_table(distances.front_tyres(red)[0])[0])
    near = min(eye.to_eye(np.column_stack([blue.region.outline, np.zeros(4)]))[:, 2])
    assert low == pytest.approx(-HUB / near, rel=1e-9)
    assert high == pytest.approx((2.0 - HUB) / near, rel=1e-9)
    assert view.distance == pytest.approx(away / math.cos(turn), rel=1e-3)
    assert view.share == 1.0
    assert view.words == "Wall is in full view."
    unsure = replace(view, unplaced=("Mug",))
    assert unsure.words == "Wall is in full view. But Mug is not seen and may be in the way."


def test_a_higher_eye_sees_over_what_is_low():
    scene = table(car("Red", 8, 24, 0), low_block("Book", 20, 24, 0.35), car("Blue", 34, 24, 90))
    shares = {seat: gunner_view(scene, "Red", "Blue", seat) for seat in SEATS}
    assert shares["left tyre"].hiders == shares["right tyre"].hiders == ("Book",)
    assert 0.2 < shares["left tyre"].share < 0.6
    assert shares["turret"].share == 1.0
    assert "% of Blue is seen, the rest is hidden by Book." in shares["left tyre"].words


def test_the_view_of_a_mirrored_table_is_mirrored():
    def scene(sign: float) -> TableState:
        return table(
            car("Red", 8, 24 + sign * 1, sign * 10),
            block("Wall", 20, 24 + sign * 2.8, 2, 3, sign * 30),
            car("Blue", 36, 24, sign * 70),
        )

    one = gunner_view(scene(1.0), "Red", "Blue", "left tyre")
    other = gunner_view(scene(-1.0), "Red", "Blue", "right tyre")
    assert 0.05 < one.share < 0.95
    assert one.share == pytest.approx(other.share, abs=1e-9)
    assert one.seen.bounds[0] == pytest.approx(-other.seen.bounds[2], abs=1e-9)


def test_a_far_piece_changes_nothing():
    near = table(car("Red", 8, 24), block("Wall", 20, 25, 2, 3), car("Blue", 36, 24, 90))
    far = table(*near.standings, block("Behind", 44, 24, 2, 20), block("Aside", 8, 40, 3, 3))
    assert gunner_view(near, "Red", "Blue").share == gunner_view(far, "Red", "Blue").share


def test_what_lies_behind_the_eye_is_cut_off():
    polygon = np.array([(0.0, 0.0, -3.0), (1.0, 0.0, -3.0), (1.0, 0.0, 5.0), (0.0, 0.0, 5.0)])
    cut = beyond_near(polygon)
    assert cut[:, 2].min() == pytest.approx(NEAR)
    assert len(beyond_near(polygon - (0, 0, 9))) == 0
    # A wall that runs past the eye's elbow, and the far side of the table behind it.
    scene = table(car("Red", 20, 20), block("Fence", 20, 23, 30, 1), car("Blue", 40, 20, 90))
    view = gunner_view(scene, "Red", "Blue", "left tyre")
    assert view.share == 1.0
    fence = next(p for p in view.prisms if p.name == "Fence")
    assert np.isfinite(fence.silhouette.bounds).all()


def test_an_eye_inside_another_piece_sees_nothing():
    scene = table(car("Red", 20, 20), block("Fog", 21, 20, 3, 3), car("Blue", 40, 20, 90))
    view = gunner_view(scene, "Red", "Blue")
    assert (view.share, view.hiders) == (0.0, ("Fog",))
    assert view.words == "Nothing of Blue is seen: it is hidden by Fog."


def test_looks_from_the_tyre_where_the_line_begins():
    red = car("Red", 20, 20, 30)
    left, right = red.pose.to_table(distances.front_tyres(red))
    far = np.array([40.0, 40.0])
    assert seat_of(red, np.stack([left, far])) == "left tyre"
    assert seat_of(red, np.stack([right, far])) == "right tyre"
    assert seat_of(red, None) == "left tyre"


def test_refuses_what_cannot_be_looked_at():
    red = car("Red", 20, 20)
    with pytest.raises(TableRefError, match="cannot look at itself"):
        gunner_view(table(red), "Red", "Red")
    with pytest.raises(TableRefError, match="stands where Red looks from"):
        gunner_view(table(red, block("Fog", 21, 20, 3, 3)), "Red", "Fog")
    with pytest.raises(TableRefError, match="no tyres"):
        gunner_view(table(red, block("Wall", 30, 20, 3, 3)), "Wall", "Red")


def test_the_opening_round_as_its_truth_has_it():
    """Every blocked line of sight of the true table ends behind the piece that blocks it."""
    scene = true_table(opening_scene())
    cars = [s for s in scene.standings if s.piece.kind == "car"]
    blocked = 0
    for one in cars:
        for other in cars:
            if one is other:
                continue
            ends = one, distances.front_tyres(one), other, distances.tyres(other)
            seen = distances.sight(*ends, scene.others(one.name, other.name))
            if seen.value >= 0.0 or distances.edge_range(one, other).value < 1.0:
                continue
            line = seen.witness.line
            view = gunner_view(scene, one.name, other.name, seat_of(one, line))
            assert all(tyres_hidden(scene, view)), (one.name, other.name)
            assert set(view.hiders) >= set(seen.witness.blockers[:1])
            blocked += 1
    assert blocked > 5


def test_parts_that_overlap_are_drawn_all_the_same():
    eye = Eye(Pose(0, 0, 0), 0.2)
    square = np.array([(5.0, -1.0), (7.0, -1.0), (7.0, 1.0), (5.0, 1.0)])
    parts = [Prism(n, square + s, 1.0, eye) for n, s in (("a", 0.0), ("b", 0.4), ("c", 0.0))]
    assert sorted(p.name for p in painters_order(parts)) == ["a", "b", "c"]
    assert replace(parts[0], outline=square - (20, 0)).bearings is None


NAME = "{http://www.w3.org/2000/svg}"


def scene(name: str = "Wall"):
    return table(
        car("Red", 8, 24), block(name, 20, 26, 2, 3), car("Blue", 36, 24, 90), block("Off", 8, 40, 2, 2)
    )


def drawn(state, **more):
    return ET.fromstring(gunner_drawing(state, gunner_view(state, "Red", "Blue"), **more).text())


def test_names_what_is_seen_and_nothing_else_and_stays_in_the_picture():
    root = drawn(scene())
    words = [e.text for e in root.iter(f"{NAME}text")]
    assert {"Wall", "Blue"} <= set(words)
    assert "Off" not in words
    assert any(w.startswith("From Red's front left tyre, 0.20 in above the table.") for w in words)
    metric = drawn(scene(), say=lambda words: words.replace("0.20 in", "0.5 cm"))
    assert any("0.5 cm above the table" in (e.text or "") for e in metric.iter(f"{NAME}text"))
    lines = [e.attrib for e in root.iter(f"{NAME}polygon")]
    # The hidden is dashed, what hides is red and what is seen is green.
    assert any(e["stroke"] == BLOCKED and e["fill"] == "none" for e in lines)
    assert any(e["stroke"] == CLEAR for e in lines)
    assert any("stroke-dasharray" in e for e in lines)
    for x, y in (map(float, pair.split(",")) for e in lines for pair in e["points"].split()):
        assert -0.01 <= x <= SIZE[0] + 0.01
        assert -0.01 <= y <= SIZE[1] + 0.01


@pytest.mark.parametrize("name", ["<script>", "a & b", 'quote " here'])
def test_names_are_only_ever_text(name):
    for root in (drawn(scene(name)), ET.fromstring(table_drawing([car(name, 10, 10)]).text())):
        assert name in [e.text for e in root.iter(f"{NAME}text")]
        assert not list(root.iter(f"{NAME}script"))


def test_says_where_the_book_counts_what_the_eye_overlooks():
    state = table(car("Red", 8, 24), low_block("Puddle", 20, 24, 0.05), car("Blue", 36, 24, 90))
    view = gunner_view(state, "Red", "Blue", "turret")
    assert view.hiders == ()
    assert caption_of(view, ("Puddle",))[1] == "By the book, Puddle blocks the line, however high it is."


def test_a_narrow_picture_has_its_caption_outside():
    state = scene()
    drawing = gunner_drawing(state, gunner_view(state, "Red", "Blue"), size=(390.0, 312.0))
    root = ET.fromstring(drawing.text())
    title = root.find(f"{NAME}title")
    assert title is not None
    assert title.text == drawing.title
    assert str(title.text).startswith("From Red's front left tyre")
    assert not any("front left tyre" in (e.text or "") for e in root.iter(f"{NAME}text"))
    assert root.attrib["width"] == "390"


def test_the_targets_tyres_are_green_where_they_are_seen_and_red_where_not():
    state = scene()
    view = gunner_view(state, "Red", "Blue")
    hidden = tyres_hidden(state, view)
    assert 0 < sum(map(bool, hidden)) < 4
    dots = [e.attrib["fill"] for e in drawn(state).iter(f"{NAME}circle")]
    assert dots == [BLOCKED if h else CLEAR for h in hidden]


def table_drawing(standings: Sequence[Standing], scale: float = 24.0) -> Drawing:
    """A drawing with the surface's edge and all pieces on it."""
    drawing = Drawing(SURFACE, scale)
    drawing.polygon(SURFACE.outline, fill=PAPER, line=PALE)
    for standing in standings:
        drawing.piece(standing)
    return drawing


def test_a_table_is_drawn_to_scale_the_right_way_up():
    red, crate = car("Red", 10, 40), block("Crate", 20, 20, 2, 4)
    drawing = table_drawing([red, crate], scale=10)
    tell(drawing, distances.edge_range(red, crate), "gap")
    root = ET.fromstring(drawing.text())
    assert root.attrib["viewBox"] == "0 0 480 480"
    names = [e.text for e in root.iter(f"{NAME}title")]
    assert names == ["Red", "Crate"]
    square = next(
        e for e in root.iter(f"{NAME}polygon") if e.find(f"{NAME}title") is not None and e[0].text == "Crate"
    )
    corners = {tuple(map(float, p.split(","))) for p in square.attrib["points"].split()}
    assert corners == {(190, 260), (210, 260), (210, 300), (190, 300)}
    assert len(list(root.iter(f"{NAME}circle"))) == 4 + 2


def test_the_same_shapes_give_the_same_text_and_a_measurement_without_a_line_draws_nothing():
    assert len({table_drawing([car("Red", 10, 10, 33)]).text() for _ in range(2)}) == 1
    drawing = Drawing(Region.rectangle(0, 0, 1, 1))
    tell(drawing, distances.Measurement(distances.Belief(1.0, 0.0)), "words")
    assert drawing.shapes == []
