"""The page promises what will be read: printed sheets are seen at those sizes, and read."""

from __future__ import annotations

import math
from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from calibration.prints.paper import Sheet
from calibration.prints.sheets import RoofPrint, tag_sheets
from calibration.surface import Surface
from server.setup.printing.advice import (
    FOUND_PX,
    SizeOutlook,
    View,
    measured_view,
    offered,
    outlooks,
    proposed,
    reckoned_view,
    too_small,
)
from tests.calibration.prints.test_sheets import pages, tags
from vision.frame import Frame
from vision.health import SMALL_PX
from vision.simulate.scenes import named_scene
from vision.tags.unnamed import USUAL_FAMILY, reader_of_all
from vision.tags.watch import Watch

IDS = range(10, 30)
FINE = 4


def seen_at(module: float, blur: float, looks: int, seed: int) -> Iterator[Frame]:
    """Twenty printed tags, cut out and laid on a grey table, with so many pixels a module."""
    rng = np.random.default_rng(seed)
    (sheet,) = pages(tag_sheets([RoofPrint("Car", i, 0.8) for i in IDS], "Tags", Sheet("letter")))
    drawn = np.full((400 * FINE, 520 * FINE), 95.0, np.float32)
    for n, corners in enumerate(tags(sheet).values()):
        side = 8 * module * FINE
        at = np.array([80 + 90 * (n % 5), 80 + 80 * (n // 5)]) + rng.uniform(-8, 8, 2)
        turn = rng.uniform(0, 2 * math.pi)
        across = np.array([math.cos(turn), math.sin(turn)]) * side / 2
        down = np.array([-across[1], across[0]])
        there = np.array([-across - down, across - down, across + down, -across + down]) + FINE * at
        about = cv2.getPerspectiveTransform(corners.astype(np.float32), there.astype(np.float32))
        flat = cv2.warpPerspective(sheet, about, drawn.shape[::-1], flags=cv2.INTER_LINEAR)
        # Cut along the inner line: a module of white is left round the black square.
        cut = np.zeros(drawn.shape, np.uint8)
        cv2.fillConvexPoly(cut, np.round((there - FINE * at) * 1.25 + FINE * at).astype(np.int32), (1,))
        drawn = np.where(cut > 0, 25 + flat * np.float32(200 / 255), drawn)
    small = cv2.resize(drawn, None, fx=1 / FINE, fy=1 / FINE, interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), blur)
    for n in range(looks):
        noisy = np.clip(small + rng.normal(0, 3, small.shape), 0, 255).astype(np.uint8)
        _, coded = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 85])
        yield Frame(np.asarray(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE), np.uint8), n / 10, n)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_the_promised_size_a_tag_is_found_that_nobody_has_named(seed: int) -> None:
    (frame,) = seen_at(FOUND_PX, blur=0.9, looks=1, seed=seed)
    found = {d.tag for d in reader_of_all(()).read_all(frame, thorough=False)}
    assert found == set(IDS)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_smaller_ones_are_read_once_they_are_named(seed: int) -> None:
    watch = Watch((USUAL_FAMILY, i) for i in IDS)
    side = 8 * SMALL_PX
    for frame in seen_at(SMALL_PX, blur=0.9, looks=16, seed=seed):
        found = {d.tag for d in watch.read(frame, lambda _: side)}
    assert found == set(IDS)


def test_the_smallest_that_is_read_everywhere_is_proposed() -> None:
    found = outlooks(View(24.0, 22.0, True))
    assert [(round(o.corner, 2), o.verdict) for o in found] == [
        (2.06, "once named"), (2.48, "everywhere"), (3.03, "everywhere"),
    ]  # fmt: skip
    assert proposed(found).size == 0.9
    assert proposed(outlooks(View(12.0, 8.0, False))).size == 1.1


@pytest.mark.parametrize(
    ("view", "picture", "sizes", "best", "said"),
    [
        (View(20.0, 18.0, True), (1920, 1080), 3, 0.9 + 0.2, None),
        (View(11.6, 11.2, True), (1280, 720), 3, 1.1, "hold each car nearer to the camera until it is named"),
        (View(6.1, 5.9, True), (640, 480), 4, 3.2, "Choose 2560 × 1440 pixels"),
        (View(6.1, 5.9, True), (640, 480), 4, 3.2, "print tags of 3.2 in, each on a card on its car"),
        (View(2.0, 1.9, True), (640, 480), 3, 1.1, "more pixels if the camera offers them"),
    ],
)  # fmt: skip
def test_where_no_roof_tag_is_found_it_says_what_to_do(
    view: View, picture: tuple[int, int], sizes: int, best: float, said: str | None
) -> None:
    found = offered(view)
    assert len(found) == sizes
    assert proposed(found).size == pytest.approx(best)
    words = too_small(view, picture)
    assert (words is None) == (said is None)
    if words is not None and said is not None:
        assert said in words
        assert "bring the camera closer" in words


@pytest.mark.parametrize(
    ("view", "verdict"),
    [
        (View(20.0, 19.6, True), "everywhere"),
        (View(20.0, 15.0, True), "once named"),
        (View(20.0, 12.0, True), "middle"),
        (View(12.0, 12.0, True), "nowhere"),
    ],
)
def test_a_corner_that_is_farther_off_decides(view: View, verdict: str) -> None:
    (found,) = outlooks(view, [0.9])
    assert found.verdict == verdict
    assert isinstance(found, SizeOutlook)


def test_the_view_of_a_known_camera() -> None:
    """The simulated camera's own: pixels an inch are its focal length over the way to the roof."""
    scene = named_scene("first")
    camera = scene.camera
    surface = Surface(camera.lens, camera.R, camera.t, np.zeros((15, 15)), 0.0)
    outline = scene.surface.outline
    view = measured_view(surface, outline)
    ends = surface.image_from_table(
        outline.mean(axis=0) + np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, -0.5], [0.0, 0.5]]), 1.0
    )
    along, across = np.linalg.norm(ends[1] - ends[0]), np.linalg.norm(ends[3] - ends[2])
    assert view.middle == pytest.approx(min(along, across), rel=0.02)
    assert view.corner < view.middle
    assert view.measured


def test_without_a_table_it_is_reckoned_from_the_pictures_size() -> None:
    view = reckoned_view((1280, 720), (72.0, 48.0))
    assert view.middle == pytest.approx(min(1280 / 72, 720 / 48) / 1.125)
    assert not view.measured
    assert reckoned_view((720, 1280), (48.0, 72.0)) == view
