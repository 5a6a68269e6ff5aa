"""Outlines tapped in the picture: where corners come to lie, how surely, and what is refused in words."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from calibration.surface import PARAMETERS, CornerTag, Surface
from calibration.tablefile import TableFile, parse_table
from engine.space.geometry import FloatArray, Pose
from server.setup.fitting.fit_messages import Level, Tap, TapOutline, TapView
from server.setup.fitting.tapped import TAP_PX, TappedOutlines
from server.setup.printing.last_look import LastLook
from server.setup.table_changes import SetupError
from tests.calibration.test_surface import camera
from tests.server.setup.fitting.test_on_marks import FILE
from tests.server.setup.fitting.test_outline import piece_of
from tests.volume import volume
from vision.frame import Detection, Frame

SURFACE = camera(tilt=4.0)
# What really lies there: an L with a slanted side, its tag askew and not in its middle.
TRUE = np.array([(-2.0, -1.6), (2.2, -1.6), (2.4, 0.2), (0.5, 0.6), (0.3, 1.9), (-2.0, 1.5)])
HEIGHT, AT = 1.8, Pose(31.0, 13.0, 0.7)
TAG = Pose(-0.7, -0.4, math.radians(11.0))
TEXT = (
    FILE
    + """[[piece]]
name = "Rocks"
kind = "terrain"
shape = "box"
size_in = [4.0, 3.0]  # about
height_in = 1.8
tag = 52
tag_size_in = 1.6
"""
)
TABLE = parse_table(TEXT)
LEVELS: tuple[Level, Level] = ("table", "top")


def look(surface: Surface = SURFACE, seen_by: Surface = SURFACE, table: TableFile = TABLE) -> LastLook:
    """A picture of the rocks taken by the one camera, under a table as the other takes it to be."""
    tag = AT.compose(TAG)
    square = CornerTag("tag36h11", 52, 1.6, (tag.x, tag.y), tag.heading, 0.0).corners_at()
    seen = Detection("tag36h11", 52, seen_by.image_from_table(square, HEIGHT), np.eye(8) * 0.05**2)
    frame = Frame(np.full((1080, 1920, 3), 90, np.uint8), 0.0, 0, "a picture")
    return LastLook(frame, (seen,), table, (surface, table.surface.outline))


def pixels(view: TapView, outline: FloatArray, height: float, seen_by: Surface = SURFACE) -> FloatArray:
    """Where corners of the body show in the picture of a look."""
    return seen_by.image_from_table(AT.to_table(outline), height) - view.begins


def taps(view: TapView, at: FloatArray, level: Level, by: str = "keys", height: float = HEIGHT) -> TapOutline:
    made = [Tap(at=(float(x), float(y)), by=by, zoom=2.0) for x, y in at]  # type: ignore[arg-type]
    return TapOutline(name=view.name, look=view.look, level=level, height_in=height, taps=made)


def edges_off(table: TableFile) -> FloatArray:
    """By how much each true side is off at its ends, once the piece stands where its tag is seen, inches."""
    piece = piece_of(table, "Rocks")
    assert piece.mount is not None
    stands = AT.compose(TAG).compose(piece.mount.body_from_tag.inverse())
    found, true = piece.body.footprint.at(stands).outline, AT.to_table(TRUE)
    first = int(np.hypot(*(found - true[0]).T).argmin())
    found = np.roll(found, -first, axis=0)
    along = np.roll(true, -1, axis=0) - true
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / np.hypot(*along.T)[:, None]
    ends = np.stack([found - true, np.roll(found - true, -1, axis=0)])
    return np.asarray(np.abs((ends * normal).sum(axis=2)).max(axis=0))


@pytest.mark.parametrize("level", LEVELS)
def test_taps_at_either_height_give_the_true_outline(level: Level) -> None:
    fits = TappedOutlines()
    view = fits.begin("rocks", look())
    x, y, wide, tall = view.shown
    assert min(x, y) >= 0
    assert x + wide <= view.size[0]
    assert y + tall <= view.size[1]
    inside = np.array(view.stated["table"]) - (x, y)
    assert ((inside > 0) & (inside < (wide, tall))).all(), "all of it is shown at first"
    # A picture that is shown as large as it is can be tapped on whole pixels.
    at = np.round(pixels(view, TRUE, 0.0 if level == "table" else HEIGHT))
    asked = taps(view, at, level)
    made = fits.check(asked)
    assert made.refused is None
    assert made.words.startswith("6 corners, ")
    table = parse_table(fits.text(asked, TABLE))
    assert edges_off(table).max() < 0.04
    piece = piece_of(table, "Rocks")
    # The hollow of the L stays.
    assert len(piece.body.footprint.parts) > 1
    assert piece.body.height == HEIGHT
    assert piece.mount is not None
    assert 0.0 < piece.mount.sd_at < 0.12
    assert "size_in = [4.0" not in table.text
    assert table.text.count("tapped in the picture") >= 4


def test_the_outline_at_the_other_height_is_shown_with_it() -> None:
    fits = TappedOutlines()
    view = fits.begin("Rocks", look())
    low, high = (pixels(view, TRUE, z) for z in (0.0, HEIGHT))
    assert np.abs(np.array(fits.check(taps(view, low, "table")).other) - high).max() < 0.05
    assert np.abs(np.array(fits.check(taps(view, high, "top")).other) - low).max() < 0.05


def test_a_height_that_is_typed_is_that_of_the_taps_and_of_the_tag_on_top() -> None:
    fits = TappedOutlines()
    wrong = TABLE.text.replace("height_in = 1.8", "height_in = 1.2")
    table = parse_table(wrong)
    view = fits.begin("Rocks", look(table=table))
    assert view.height_in == 1.2
    at = pixels(view, TRUE, HEIGHT)
    kept = parse_table(fits.text(taps(view, at, "top"), table))
    piece = piece_of(kept, "Rocks")
    assert piece.mount is not None
    assert (piece.body.height, piece.mount.height) == (HEIGHT, HEIGHT)
    assert edges_off(kept).max() < 0.01


@pytest.mark.parametrize("level", LEVELS)
def test_corners_are_off_as_much_as_is_stated(level: Level) -> None:
    """Cameras, heights and hands drawn as they are stated: the errors against the tag are as large."""
    rng = np.random.default_rng(5)
    spread = np.zeros((PARAMETERS, PARAMETERS))
    spread[range(6), range(6)] = np.array([0.003, 0.003, 0.003, 0.08, 0.08, 0.3]) ** 2
    believed = replace(SURFACE, covariance=spread)
    sd_height = piece_of(TABLE, "Rocks").mount.sd_height  # type: ignore[union-attr]
    shares = []
    for _ in range(volume(25, 120)):
        fits = TappedOutlines()
        drawn = rng.normal(0, 1, PARAMETERS) * np.sqrt(np.diag(spread))
        turn = _rotation(drawn[:3])
        true = replace(
            SURFACE, rotation=turn @ SURFACE.rotation, translation=SURFACE.translation + drawn[3:6]
        )
        off = float(rng.normal(0, sd_height))
        tag = AT.compose(TAG)
        square = CornerTag("tag36h11", 52, 1.6, (tag.x, tag.y), tag.heading, 0.0).corners_at()
        corners = true.image_from_table(square, HEIGHT + off) + rng.normal(0, 0.05, (4, 2))
        base = look(believed)
        seen = Detection("tag36h11", 52, corners, np.eye(8) * 0.05**2)
        view = fits.begin("Rocks", LastLook(base.frame, (seen,), TABLE, base.found))
        whole = true.image_from_table(AT.to_table(TRUE), 0.0 if level == "table" else HEIGHT + off)
        hand = rng.normal(0, math.hypot(0.5, TAP_PX["mouse"] / 2), TRUE.shape)
        asked = taps(view, whole - view.begins + hand, level, "mouse")
        made = fits.check(asked)
        assert made.refused is None
        piece = piece_of(parse_table(fits.text(asked, TABLE)), "Rocks")
        assert piece.mount is not None
        stands = AT.compose(TAG).compose(piece.mount.body_from_tag.inverse())
        found = stands.to_table(piece.body.footprint.outline)
        true_at = AT.to_table(TRUE)
        found = np.roll(found, -int(np.hypot(*(found - true_at[0]).T).argmin()), axis=0)
        shares.append((found - true_at) / np.array(made.sure_in)[:, None])
    spread_of = float(np.sqrt(np.mean(np.square(shares))))
    # A reading of the direction is stated with half a degree and drawn with less.
    assert 0.75 < spread_of < 1.05


def _rotation(vector: FloatArray) -> FloatArray:
    x, y, z = vector
    return np.array([[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]])


def test_a_finger_is_less_sure_than_the_arrow_keys() -> None:
    fits = TappedOutlines()
    view = fits.begin("Rocks", look())
    at = pixels(view, TRUE, 0.0)
    sure = {by: fits.check(taps(view, at, "table", by)).sure_in for by in ("finger", "drag", "mouse", "keys")}
    assert sure["finger"][0] > 1.5 * sure["drag"][0] > 1.5 * sure["keys"][0] * 0.8
    assert sure["drag"][0] > sure["mouse"][0] > sure["keys"][0]


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        ([], "no corner is tapped so far"),
        ([(-1.0, -1.0)], "one corner is tapped"),
        ([(-1.0, -1.0), (1.0, -1.0)], "two corners are tapped"),
        (
            [(-1, -1), (1, 1), (1, -1), (-1, 1)],
            "the side from corner 1 to 2 meets the side from corner 3 to 4",
        ),
        ([(-1, -1), (1, -1), (1, -1), (0, 1)], "corners 2 and 3 are in one place"),
        ([(-1, -1), (1, -1), (0, -1)], "must not cross itself|meets the side|at least 0.2 in"),
        ([(-1, 0), (1, 0), (1, 0.05), (-1, 0.05)], "at least 0.2 in long and wide"),
        ([(-1, -1), (1, -1), (40, 1)], "corner 3 is outside the picture"),
    ],
)
def test_what_is_no_outline_is_refused_in_words(corners: list[tuple[float, float]], words: str) -> None:
    fits = TappedOutlines()
    view = fits.begin("Rocks", look())
    at = pixels(view, np.array(corners, dtype=float), 0.0) if corners else np.empty((0, 2))
    asked = taps(view, at, "table")
    made = fits.check(asked)
    assert made.refused is not None
    assert any(part in made.refused for part in words.split("|"))
    assert made.size_in is None
    with pytest.raises(SetupError):
        fits.text(asked, TABLE)


def test_corners_beside_the_table_and_tops_without_a_height_are_refused() -> None:
    fits = TappedOutlines()
    small = parse_table(TEXT.replace("size_in = [49.0, 49.0]", "size_in = [32.0, 49.0]"))
    view = fits.begin("Rocks", look(table=small))
    at = pixels(view, TRUE, 0.0)
    assert "is not on the table" in (fits.check(taps(view, at, "table")).refused or "")
    view = fits.begin("Rocks", look())
    assert "needs its height" in (fits.check(taps(view, at, "top", height=0.0)).refused or "")
    many = taps(view, np.tile(at, (11, 1)), "table")
    assert "at most 60 corners" in (fits.check(many).refused or "")


def test_a_car_and_an_old_picture_are_refused_in_words() -> None:
    fits = TappedOutlines()
    view = fits.begin("Rocks", look())
    old = taps(view, pixels(view, TRUE, 0.0), "table")
    newer = fits.begin("Rocks", look())
    with pytest.raises(SetupError, match="look again"):
        fits.check(old)
    assert fits.picture(newer.look) is not None
    assert fits.picture(view.look) is None
    with pytest.raises(SetupError, match="no piece"):
        fits.begin("Hill", look())
    base = look()
    with pytest.raises(SetupError, match="not seen now"):
        fits.begin("Red 1", base)
    tag = Detection("tag36h11", 41, base.detections[0].corners, np.eye(8))
    with pytest.raises(SetupError, match="stretched, not tapped"):
        fits.begin("Red 1", LastLook(base.frame, (tag,), TABLE, base.found))
