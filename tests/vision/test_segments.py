"""A thing is cut out of its picture by the mean colours of its parts, and of no hairs beside it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from shapely import Polygon, box

from calibration.surface import Surface
from engine.space.geometry import Region
from vision.flat import Flattener, pixels_below, spots
from vision.outlines import FINE, clearest_of, in_one, outlined, without_hairs
from vision.segments import cut, parts
from vision.simulate.scenes import default_scene
from vision.unexplained import look

CLOTH, TOP, SHADE = (110.0, 150.0, 185.0), (60.0, 70.0, 190.0), 0.45


@pytest.mark.parametrize("side", [True, False], ids=["its-dark-side", "its-shadow"])
def test_a_dark_side_belongs_to_a_thing_and_a_shadow_as_grainy_as_that_does_not(side: bool) -> None:
    rng = np.random.default_rng(3)
    picture = np.tile(np.array(CLOTH), (120, 120, 1))
    picture[30:70, 30:80] = TOP
    # A handle that is all edge, of another colour.
    picture[49:51, 80:110] = (200.0, 90.0, 60.0)
    # Below it lies what is as dark as a shadow: of the thing's colour, a little, or of the cloth's.
    picture[70:90, 30:80] = np.array(CLOTH) * SHADE + (np.array([-7.0, -5.0, 9.0]) if side else 0.0)
    grainy = picture + rng.normal(0, 4, picture.shape)
    crop = np.asarray(cv2.GaussianBlur(np.clip(grainy, 0, 255).astype(np.uint8), (0, 0), 0.8), np.uint8)
    one = np.array([[CLOTH, np.array(CLOTH) * SHADE]], np.uint8)
    (lit, dim), *_ = cv2.cvtColor(one, cv2.COLOR_BGR2LAB).astype(np.float64)
    cloth = np.full((120, 120, 3), lit, np.float32)
    dimmed = (dim[0] + 41.0) / (lit[0] + 41.0)
    a, b = (dim - 128.0 - (lit - 128.0) * dimmed)[1:]
    bare, core, never = (np.zeros((120, 120), np.uint8) for _ in range(3))
    bare[:20], core[35:65, 35:75], never[:10] = 1, 1, 1
    never[-10:] = 1
    found = cut(*parts(crop, cloth, np.empty((0, 3)), bare, (dimmed, a, b), core, never), core, never)
    assert found[33:67, 33:77].mean() > 0.95
    below = found[75:86, 35:75].mean()
    assert below > 0.9 if side else below < 0.1
    assert found[49:51, 80:108].mean() > 0.9
    found[26:94, 26:84], found[46:54, 84:114] = 0, 0
    assert not found.any()


def test_a_dark_side_stays_a_things_where_the_lit_one_alone_has_a_little_clearer_an_edge() -> None:
    crop, nothing = np.full((160, 190, 3), 150, np.uint8), np.zeros((160, 190), np.uint8)

    def here(low: tuple[float, float], high: tuple[float, float]) -> tuple[slice, slice]:
        (x, y), (right, top) = (np.rint(np.array(of) * FINE).astype(int) for of in (low, high))
        return slice(y, top), slice(x, right)

    lit, dark = here((2.0, 2.0), (8.0, 5.0)), here((2.0, 5.0), (8.0, 6.5))
    crop[lit], crop[dark] = 220, 60
    # Part of its lit side lies beside something as bright, and part of its dark one is as dark as its shadow.
    crop[here((1.0, 2.0), (2.0, 4.0))], crop[here((2.0, 6.5), (5.0, 8.0))] = 220, 60
    crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), 0.8), np.uint8)
    whole, part = nothing.copy(), nothing.copy()
    whole[lit] = whole[dark] = part[lit] = 1

    def clearest(*pieces: np.ndarray) -> tuple[Polygon, float]:
        rough, low = box(2.0, 2.0, 8.0, 5.0), np.zeros(2)
        found, *_, clear = clearest_of(
            pieces, rough, 1.0, low, crop, lambda _: nothing.astype(np.float32), nothing
        )
        return found, clear

    assert clearest(whole)[1] < clearest(part)[1]
    assert clearest(whole, part)[0].area > 26.0


def test_a_thin_piece_keeps_its_middle_and_a_thick_one_loses_its_hairs() -> None:
    fence, block = (np.zeros((60, 120), np.uint8) for _ in range(2))
    # Posts with a rail between them that is thinner than a hair of something thick may be.
    fence[30:33, 10:110] = 1
    for x in range(10, 110, 20):
        fence[28:36, x : x + 6] = 1
    block[20:50, 20:60] = 1
    block[30:33, 60:110] = 1
    kept = without_hairs(fence)
    assert cv2.connectedComponents(kept)[0] == 2, "it is one piece"
    assert not without_hairs(block)[:, 64:].any()


def test_parts_of_a_fence_are_one_and_what_lies_beside_most_of_a_thing_is_left_there() -> None:
    fence, block = (np.zeros((60, 160), np.uint8) for _ in range(2))
    # A line that a fence lies across hides a little of it.
    fence[28:34, 10:70], fence[28:34, 75:150] = 1, 1
    block[20:50, 20:80], block[20:50, 85:88] = 1, 1
    assert cv2.connectedComponents(in_one(fence))[0] == 2
    assert (in_one(block) == block).all()


def test_where_a_lens_bends_a_picture_every_fourth_place_tells_those_between() -> None:
    camera = default_scene().camera
    surface = Surface(camera.lens, camera.R, camera.t, np.zeros((15, 15)), 0.0)
    low = np.array([-2.0, 1.0])
    told = pixels_below(surface, low, (301, 202), 8)
    places = np.stack(np.meshgrid(np.arange(301) / 8 + low[0], np.arange(202) / 8 + low[1]), axis=-1)
    truly = surface.image_from_table(places.reshape(-1, 2)).reshape(places.shape)
    assert np.abs(told - truly).max() < 0.05


def test_the_dark_foot_around_a_bright_figure_is_within_its_outline() -> None:
    camera, region = default_scene().camera, Region.rectangle(0.0, 0.0, 30.0, 24.0)
    surface = Surface(camera.lens, camera.R, camera.t, np.zeros((15, 15)), 0.0)
    picture = np.full((*camera.lens.size[::-1], 3), 120.0) * (1.03, 1.0, 0.95)
    turns = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    around, middle = np.column_stack([np.cos(turns), np.sin(turns)]), np.array([15.0, 12.0])
    for radius, colour in ((0.68, (28, 27, 27)), (0.45, (50, 45, 205))):
        ring = surface.image_from_table(middle + radius * around)
        cv2.fillPoly(picture, [np.rint(ring * 16).astype(np.int32)], colour, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(picture, (0, 0), 0.8) + np.random.default_rng(2).normal(0, 3, picture.shape)
    image = np.clip(soft, 0, 255).astype(np.uint8)
    seen = look(Flattener().flat(image, surface, region), region, [])
    # Its foot may be as dark as a shadow is, and is not found then.
    blob = np.zeros_like(seen.bare)
    cv2.fillPoly(blob, [spots(seen.flat, middle + 0.4 * around)], 1)
    outline, _ = outlined(image, surface, replace(seen, blobs=(blob,), sure=blob), blob)
    assert outline is not None
    assert 0.6 < np.sqrt(Polygon(outline).area / np.pi) < 0.75
