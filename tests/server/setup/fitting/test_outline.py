"""Outlines over the picture: where they are drawn, and what is written of them."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from calibration.surface import CornerTag
from calibration.tablefile import TableFile, parse_table
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece
from server.setup.fitting.fit_messages import KeepOutline, OutlineView
from server.setup.fitting.outline import CAR_WIDEST, OutlineFits
from server.setup.printing.last_look import LastLook
from server.setup.table_changes import SetupError
from tests.calibration.test_surface import camera
from tests.server.setup.fitting.test_on_marks import FILE
from vision.frame import Detection, Frame

SURFACE = camera(tilt=4.0)
MORE = """[[piece]]
name = "Own"
kind = "car"
height_in = 1.1
footprint_in = [[1.5, 0.5], [-1.5, 0.5], [-1.5, -0.5], [1.5, -0.5]]
tyres_in = [[1.0, 0.4], [1.0, -0.4], [-1.0, -0.4], [-1.0, 0.4]]
tag = 42
tag_size_in = 0.9
[[piece]]
name = "Crate"
kind = "terrain"
shape = "box"
size_in = [3.4, 3.4]
height_in = 2.2
tag = 52
tag_size_in = 1.6
tag_at_in = [0.3, 0.0]
tag_turn_deg = 90.0
[[piece]]
name = "Tin"
kind = "terrain"
shape = "cylinder"
diameter_in = 2.6
height_in = 2.8
tag = 53
tag_size_in = 1.6
[[piece]]
name = "Hill"
kind = "terrain"
shape = "polygon"
footprint_in = [[2.0, 0.0], [0.0, 1.0], [-2.0, 0.0], [0.0, -1.0]]
height_in = 1.6
tag = 54
tag_size_in = 1.6
"""
TABLE = parse_table(FILE + MORE)
BODY = Pose(20.0, 14.0, 0.6)


def piece_of(table: TableFile, name: str) -> Piece:
    return next(p for p in table.pieces if p.name == name)


def last_look(name: str | None) -> LastLook:
    """A picture in which the tag of this piece alone was read."""
    seen = []
    if name is not None:
        mount = piece_of(TABLE, name).mount
        assert mount is not None
        at = BODY.compose(mount.body_from_tag)
        tag = CornerTag("tag36h11", mount.tag, mount.size, (at.x, at.y), at.heading, 0.0)
        corners = SURFACE.image_from_table(tag.corners_at(), mount.height)
        seen.append(Detection("tag36h11", mount.tag, corners, np.eye(8) * 0.05**2))
    frame = Frame(np.full((1080, 1920, 3), 90, np.uint8), 0.0, 0, "a picture")
    return LastLook(frame, tuple(seen), TABLE, (SURFACE, TABLE.surface.outline))


def kept(view: OutlineView, **changed: float) -> KeepOutline:
    edges = {
        "front_in": view.front_in, "rear_in": view.rear_in, "left_in": view.left_in,
        "right_in": view.right_in, "turn_deg": view.turn_deg,
    }  # fmt: skip
    return KeepOutline(name=view.name, **(edges | changed))


def mapped(plane: list[float], at: FloatArray) -> FloatArray:
    x, y, w = np.array(plane).reshape(3, 3) @ [*at, 1.0]
    return np.array([x / w, y / w])


@pytest.mark.parametrize("name", ["Red 1", "Crate", "Hill"])
def test_the_outline_is_drawn_where_the_piece_is_seen(name: str) -> None:
    view = OutlineFits().begin(name, last_look(name))
    piece = piece_of(TABLE, name)
    assert piece.mount is not None
    heights = (0.0, piece.body.height)
    if name == "Red 1":
        heights = (CAR_WIDEST[0] * piece.body.height, CAR_WIDEST[1] * piece.body.height)
    turn = math.radians(view.turn_deg)
    corner = np.array([view.front_in, view.left_in])
    about_tag = Pose(0.0, 0.0, -turn).to_table(corner[None, :])[0]
    outline = piece.body.footprint.outline
    true = BODY.to_table(outline.max(axis=0)[None, :])
    low, high = (SURFACE.image_from_table(true, z)[0] for z in heights)
    shift = low - mapped(view.low, about_tag)
    # The crop begins at a whole pixel; both heights are drawn in it, to a few hundredths of a pixel.
    assert np.abs(shift - np.round(shift)).max() < 0.05
    assert np.abs(high - mapped(view.high, about_tag) - shift).max() < 0.1
    assert 0.02 < view.sure_in < 0.1


def test_what_is_seen_but_not_dragged_stays_as_it_is() -> None:
    fits = OutlineFits()
    for name in ("Red 1", "Own", "Crate", "Hill"):
        view = fits.begin(name, last_look(name))
        before = piece_of(TABLE, name)
        after = piece_of(parse_table(fits.text(kept(view), TABLE)), name)
        assert after.mount is not None
        assert before.mount is not None
        assert np.abs(after.body.footprint.outline - before.body.footprint.outline).max() < 0.002
        assert after.body.height == before.body.height
        assert after.mount.body_from_tag.xy == pytest.approx(before.mount.body_from_tag.xy, abs=1e-3)
        assert after.mount.body_from_tag.heading == before.mount.body_from_tag.heading
        assert after.mount.sd_turn == before.mount.sd_turn


def test_a_car_of_the_catalogue_becomes_one_of_its_own_size() -> None:
    fits = OutlineFits()
    view = fits.begin("red-1", last_look("Red 1"))
    asked = kept(view, front_in=1.575, left_in=0.7, turn_deg=-2.0)
    table = parse_table(fits.text(asked, TABLE))
    before, after = piece_of(TABLE, "Red 1"), piece_of(table, "Red 1")
    assert (after.body.model, after.body.height) == ("sedan", before.body.height)
    assert after.body.length == pytest.approx(3.05)
    assert after.body.width == pytest.approx(1.3)
    assert before.body.tyres is not None
    assert after.body.tyres is not None
    assert np.allclose(after.body.tyres, before.body.tyres * [3.05 / 2.95, 1.3 / 1.2], atol=2e-3)
    assert after.mount is not None
    # The body's middle is the outline's: the tag is behind it and to the right now.
    assert after.mount.body_from_tag.xy == pytest.approx((-0.05, -0.05), abs=1e-3)
    assert math.degrees(after.mount.body_from_tag.heading) == pytest.approx(-2.0)
    assert after.mount.sd_at < 0.06
    assert math.degrees(after.mount.sd_turn) < 1.5
    assert "fitted over the picture" in table.text


def test_own_outlines_and_terrain_are_stretched() -> None:
    fits = OutlineFits()
    for name, field in (
        ("Own", "footprint_in"),
        ("Crate", "size_in"),
        ("Tin", "diameter_in"),
        ("Hill", "footprint_in"),
    ):
        view = fits.begin(name, last_look(name))
        long = view.front_in - view.rear_in
        text = fits.text(kept(view, front_in=view.front_in + 0.1), TABLE)
        after = piece_of(parse_table(text), name)
        # What is round stays round: its diameter is the mean of both.
        longer = 0.05 if name == "Tin" else 0.1
        assert after.body.length == pytest.approx(long + longer, abs=0.002)
        entry = text[text.index(f'name = "{name}"') :]
        assert re.search(rf"^{field} = .*fitted over the picture$", entry, re.MULTILINE)


def test_what_cannot_be_fitted_is_said() -> None:
    fits = OutlineFits()
    with pytest.raises(SetupError, match="not seen now"):
        fits.begin("Red 1", last_look(None))
    with pytest.raises(SetupError, match="no piece"):
        fits.begin("Blue 1", last_look(None))
    with pytest.raises(SetupError, match="keep the table first"):
        fits.begin("Red 1", LastLook(None, (), None, None))
    some = KeepOutline(name="Red 1", front_in=1, rear_in=-1, left_in=0.5, right_in=-0.5, turn_deg=0)
    with pytest.raises(SetupError, match="begin to fit"):
        fits.text(some, TABLE)
    view = fits.begin("Red 1", last_look("Red 1"))
    with pytest.raises(SetupError, match="long and wide"):
        fits.text(kept(view, front_in=view.rear_in), TABLE)
    assert fits.picture(view.look) is not None
    assert fits.picture(view.look + 1) is None
