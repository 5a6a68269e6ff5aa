from __future__ import annotations

import pytest

from engine.errors import ShapeError, TableRefError
from engine.space.catalogue import CARS, box, car, cylinder, polygon

MODELS = (
    "compact", "sedan", "muscle", "suv", "pickup", "van", "truck", "buggy", "rig-tractor", "rig-trailer",
)  # fmt: skip


def test_the_catalogue_lists_its_models():
    assert tuple(CARS) == MODELS


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


@pytest.mark.parametrize("typed", ["Sedan", "SEDAN", " sed an"])
def test_a_model_is_found_as_people_type_it(typed):
    assert car(typed) is CARS["sedan"]


def test_an_unknown_model_is_refused_with_what_there_is():
    with pytest.raises(TableRefError, match="no car model called 'tank'; expected one of compact, sedan"):
        car("tank")


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
