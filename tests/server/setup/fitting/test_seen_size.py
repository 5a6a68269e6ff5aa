"""How large a piece is seen to be before it has a name, and which models that fits, in drawn pictures."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.surface import CornerTag
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray, Pose
from server.setup.fitting import seen_size
from server.setup.fitting.fit_messages import LookAtTag, TryModel
from server.setup.fitting.outline import CAR_WIDEST
from server.setup.fitting.seen_size import FirstSights, top_by_size
from server.setup.printing.last_look import LastLook
from server.setup.table_changes import SetupError
from tests.server.setup.fitting.test_outline import BODY, SURFACE, TABLE, last_look
from tests.server.setup.fitting.test_silhouette import RED, WOOD, cloth, look_at, prism
from vision.frame import Detection, Frame, Image

TAG, SIZE = 77, 0.9
CROSSWISE = math.pi / 2


def laid(
    image: Image, outline: FloatArray, top: float, *, car: bool = True, at: Pose = BODY, turn: float = 0.0,
    size: float = SIZE,
) -> LastLook:  # fmt: skip
    """A piece of this outline about its tag, which lies at `top` inches, its printed top turned."""
    low, high = (CAR_WIDEST[0] * top, CAR_WIDEST[1] * top) if car else (0.0, top)
    prism(image, at.to_table(outline), (low, high), RED if car else WOOD)
    tag = CornerTag("tag36h11", TAG, size, (at.x, at.y), at.heading + turn, 0.0)
    corners = SURFACE.image_from_table(tag.corners_at(), top)
    middle = corners.mean(axis=0)
    for grow, grey in ((1.2, 235), (1.0, 30)):
        square = np.rint(middle + (corners - middle) * grow).astype(np.int32)
        cv2.fillConvexPoly(image, square, (grey, grey, grey), cv2.LINE_AA)
    seen = Detection("tag36h11", TAG, corners, np.eye(8) * 0.05**2)
    return replace(last_look("Red 1"), frame=Frame(image, 0.0, 0, "a picture"), detections=(seen,))


def box(length: float, width: float) -> FloatArray:
    x, y = length / 2, width / 2
    return np.array([(x, y), (-x, y), (-x, -y), (x, -y)])


def asked(height: float | None = None, size: float = SIZE) -> LookAtTag:
    return LookAtTag(tag=TAG, printed_in=size, height_in=height)


@pytest.mark.parametrize("model", list(CARS))
def test_a_car_of_the_catalogue_is_seen_in_its_size_and_marked(model: str) -> None:
    body = CARS[model]
    view = FirstSights().look(asked(), laid(cloth(), body.footprint.outline, body.height))
    assert view.car is not None
    assert view.car.length_in == pytest.approx(body.length, abs=min(0.15, view.car.to_in[0]))
    assert view.car.width_in == pytest.approx(body.width, abs=min(0.15, view.car.to_in[1]))
    assert model in view.fits
    assert "each to ±" in view.car.words
    assert "Looks like" in view.car.words
    # What is found lies in the picture that is shown, on the piece.
    outline = np.array(view.car.outline)
    assert outline.min() > 0
    assert (outline.max(axis=0) < view.size).all()
    assert ("rig-trailer" in view.fits) is (model == "rig-trailer")


@pytest.mark.parametrize("most_px", [120, 90])
def test_a_part_that_is_looked_at_in_fewer_pixels_is_as_large(
    most_px: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = CARS["sedan"]
    shown = laid(cloth(), body.footprint.outline, body.height)
    whole = FirstSights().look(asked(), shown).car
    monkeypatch.setattr(seen_size, "MOST_PX", most_px)
    small = FirstSights().look(asked(), shown).car
    assert whole is not None
    assert small is not None
    assert small.length_in == pytest.approx(whole.length_in, abs=0.15)
    assert small.width_in == pytest.approx(whole.width_in, abs=0.15)
    assert np.array(small.outline) == pytest.approx(np.array(whole.outline), abs=2.0)


def test_a_tag_that_sits_crosswise_is_told() -> None:
    body = CARS["sedan"]
    sights = FirstSights()
    view = sights.look(asked(), laid(cloth(), body.footprint.outline, body.height, turn=CROSSWISE))
    assert view.car is not None
    assert view.car.length_in < view.car.width_in
    assert "sits crosswise" in view.car.words
    assert "sedan" in view.fits
    nose, side = (
        sights.tried(TryModel(tag=TAG, look=view.look, model="sedan", top=top)) for top in ("nose", "left")
    )
    assert nose.contradicts
    assert "does the tag's top point elsewhere?" in nose.words
    assert not side.contradicts
    seen, drawn = np.array(view.car.outline), np.array(side.outline)
    assert np.ptp(drawn, axis=0) == pytest.approx(np.ptp(seen, axis=0), abs=6)


def test_a_model_is_laid_over_the_picture_and_held_against_what_is_seen() -> None:
    sights, body = FirstSights(), CARS["sedan"]
    view = sights.look(asked(), laid(cloth(), body.footprint.outline, body.height))
    assert view.car is not None
    fits, long = (sights.tried(TryModel(tag=TAG, look=view.look, model=m)) for m in ("sedan", "rig-trailer"))
    assert (fits.words, fits.contradicts) == ("sedan, 2.95 × 1.20 in: fits what is seen.", False)
    assert np.array(fits.outline).mean(axis=0) == pytest.approx(
        np.array(view.car.outline).mean(axis=0), abs=4
    )
    assert long.contradicts
    assert "longer than what is seen (" in long.words
    shown = sights.picture(view.look)
    assert shown is not None
    image = cv2.imdecode(np.frombuffer(shown, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    assert image.shape[:2] == (view.size[1], view.size[0])


def test_a_box_is_offered_and_a_typed_height_makes_it_surer() -> None:
    # Beside the camera's foot what is seen of the top depends on how high that is.
    aside = Pose(BODY.x + 12.0, BODY.y + 6.0, BODY.heading)
    last = laid(cloth(), box(3.8, 2.4), 2.2, car=False, at=aside, size=1.6)
    sights = FirstSights()
    guessed, typed = (sights.look(asked(height, 1.6), last) for height in (None, 2.2))
    for view in (guessed, typed):
        assert (view.car, view.fits) == (None, [])
        assert "No car is of that size" in view.no_car
        assert view.other is not None
        assert view.other.length_in == pytest.approx(3.8, abs=view.other.to_in[0])
        assert view.other.width_in == pytest.approx(2.4, abs=view.other.to_in[1])
        assert "Offered as length and width" in view.other.words
    assert typed.other is not None
    assert guessed.other is not None
    assert typed.look != guessed.look
    assert max(typed.other.to_in) < max(guessed.other.to_in)
    assert typed.other.length_in == pytest.approx(3.8, abs=0.1)
    assert typed.other.width_in == pytest.approx(2.4, abs=0.1)
    tried = sights.tried(TryModel(tag=TAG, look=typed.look, model="sedan"))
    assert tried.contradicts


def test_a_piece_larger_than_any_car_is_seen_whole() -> None:
    view = FirstSights().look(asked(size=1.6), laid(cloth(), box(9.0, 6.0), 1.2, car=False, size=1.6))
    assert view.other is not None
    assert (view.other.length_in, view.other.width_in) == pytest.approx((9.0, 6.0), abs=0.25)


def _alone(image: Image) -> LastLook:
    return look_at("Red 1", image)


def _on_a_road(image: Image) -> LastLook:
    for k in range(-30, 30, 2):
        stripe = np.array([(k, -60), (k + 1, -60), (k + 1, 60), (k, 60)]) * 0.5
        prism(image, BODY.to_table(stripe), (0.0, 0.0), (40, 40, 45))
    return laid(image, CARS["sedan"].footprint.outline, 1.0)


def _beside(image: Image) -> LastLook:
    body = CARS["sedan"]
    prism(image, BODY.to_table(body.footprint.outline + np.array([0.0, 1.15])), (0.1, 0.5), (180, 60, 40))
    at = BODY.compose(Pose(0.0, 1.15))
    square = CornerTag("tag36h11", 78, 0.9, (at.x, at.y), at.heading, 0.0).corners_at()
    other = Detection("tag36h11", 78, SURFACE.image_from_table(square, 1.0), np.eye(8) * 0.05**2)
    last = laid(image, body.footprint.outline, 1.0)
    return replace(last, detections=(*last.detections, other))


def _round(image: Image) -> LastLook:
    angles = np.linspace(0, math.tau, 40, endpoint=False)
    return laid(image, np.column_stack([np.cos(angles), np.sin(angles)]) * 1.4, 1.0)


def _by_the_edge(image: Image) -> LastLook:
    at = SURFACE.table_from_image(np.array([[14.0, 40.0]]), 1.0)[0]
    return laid(image, CARS["sedan"].footprint.outline, 1.0, at=Pose(float(at[0]), float(at[1]), 0.0))


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        (_alone, "only its tag stands out"),
        (_beside, "another piece touches it"),
        (_on_a_road, "is not"),
        (_round, "another shape"),
        (_by_the_edge, "is not told from what lies round it"),
    ],
)
def test_without_a_clear_edge_nothing_is_offered_and_one_sentence_says_why(drawn: object, words: str) -> None:
    assert callable(drawn)
    last = drawn(cloth())
    (tag, *_) = last.detections
    sights = FirstSights()
    view = sights.look(LookAtTag(tag=tag.tag, printed_in=0.9), last)
    assert (view.car, view.other, view.fits) == (None, None, [])
    for told in (view.no_car, view.no_other):
        assert told.startswith("No clear edge: ")
        assert words in told
    # A model is drawn for the eye all the same; nothing is said of it.
    tried = sights.tried(TryModel(tag=tag.tag, look=view.look, model="sedan"))
    assert (len(tried.outline) > 3, tried.words, tried.contradicts) == (True, "", False)


def test_the_same_picture_is_looked_at_once_and_another_anew() -> None:
    sights, body = FirstSights(), CARS["sedan"]
    first = sights.look(asked(), laid(cloth(2), body.footprint.outline, body.height))
    again = sights.look(asked(), laid(cloth(3), body.footprint.outline, body.height))
    assert again.look == first.look
    moved = sights.look(
        asked(), laid(cloth(2), body.footprint.outline, body.height, at=BODY.compose(Pose(2.0, 0.0)))
    )
    assert moved.look != first.look
    assert sights.picture(first.look) is None
    with pytest.raises(SetupError, match="looked at anew"):
        sights.tried(TryModel(tag=TAG, look=first.look, model="sedan"))
    with pytest.raises(SetupError, match="no model is called 'spaceship'"):
        sights.tried(TryModel(tag=TAG, look=moved.look, model="spaceship"))


def test_what_is_not_seen_is_refused_with_what_to_do() -> None:
    last = look_at("Red 1", cloth())
    with pytest.raises(SetupError, match="tag 99 is not seen now"):
        FirstSights().look(LookAtTag(tag=99, printed_in=0.9), last)
    with pytest.raises(SetupError, match="keep the table first"):
        FirstSights().look(asked(), replace(last, found=None))


@pytest.mark.parametrize("top", [0.0, 1.0, 4.4])
def test_how_high_a_tag_sits_is_roughly_told_by_its_size(top: float) -> None:
    square = CornerTag("tag36h11", TAG, 1.6, (BODY.x, BODY.y), 0.3, 0.0).corners_at()
    assert top_by_size(SURFACE, SURFACE.image_from_table(square, top), 1.6) == pytest.approx(top, abs=0.05)
    assert TABLE.pieces
