"""A named piece measured with the camera on the set-up page, in a real Chromium over a simulated table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from calibration.mounts import EYE_IN, HAND_IN, HAND_TURN_DEG
from calibration.tablefile import load_table
from engine.space.geometry import FloatArray, Pose
from tests.server.fakes import PATIENCE, wait_until
from tests.server.firsttime import RED_1, FirstTime, first_time, kept_first
from tests.server.page.evenings import WIDTHS, photograph
from tests.volume import DEEP, volume
from vision.simulate.live import SimulatedTable


@pytest.fixture
def page(browser: Browser) -> Page:
    return browser.new_context(viewport={"width": 1366, "height": 900}).new_page()


@contextmanager
def set_up(
    folder: Path, page: Page, model: str = "sedan", *more: Mapping[str, object]
) -> Iterator[tuple[FirstTime, SimulatedTable]]:
    """The page of a table that is kept, with one car named and the lens known."""
    with first_time(
        folder / "tables", "sim:first", kept=kept_first(RED_1 | {"model": model}, *more)
    ) as first:
        source = first.live.source
        assert isinstance(source, SimulatedTable)
        page.goto(f"{first.server.address}setup")
        yield first, source


def test_a_car_put_on_the_corner_tags_is_measured(
    tmp_path: Path, page: Page, figure: Callable[[str, object], None]
) -> None:
    rng = np.random.default_rng(4)
    with set_up(tmp_path, page) as (first, table):
        page.get_by_role("button", name="Measure Red 1 with the camera").click()
        card = page.get_by_role("article", name="Measure Red 1")
        keep = card.get_by_role("button", name="Keep it")
        expect(card.get_by_role("status")).to_contain_text("Put Red 1 on a corner tag")
        expect(keep).to_be_disabled()
        eye = rng.normal(0, EYE_IN, 2)
        places = 0
        # Two corners tell how high the tag is, and all four how high surely.
        for corner in (table.scene.corners[n] for n in (0, 2, 1, 3)[: volume(2, 4)]):
            assert corner.turn is not None
            for quarter in (0, 2):
                x, y = np.array(corner.at) + eye + rng.normal(0, HAND_IN, 2)
                askew = rng.normal(0, math.radians(HAND_TURN_DEG))
                table.move("Red 1", Pose(float(x), float(y), corner.turn + quarter * math.pi / 2 + askew))
                places += 1
                words = f"Seen, {places} place{'' if places == 1 else 's'}"
                expect(card.locator("thead")).to_contain_text(words)
        keep.click()
        expect(card).to_have_count(0)
        expect(page.locator("#named")).not_to_contain_text("0.10 in high")
        piece = load_table(first.file).pieces[0]
        truth = table.scene.piece("Red 1").mount
    assert piece.mount is not None
    assert truth is not None
    off = piece.mount.height - truth.height
    sd = piece.mount.sd_height
    figure("height of the tag on a car put on corner tags", f"{off:+.3f} in off, stated ±{sd:.3f}")
    assert abs(off) < 2.5 * sd
    assert math.hypot(piece.mount.body_from_tag.x, piece.mount.body_from_tag.y) < 0.06
    if DEEP:
        assert abs(off) < 0.06
        assert sd < 0.065


class OnPicture:
    """The picture under an outline, and where its pixels are on the screen."""

    def __init__(self, page: Page, first: FirstTime) -> None:
        self._page = page
        self._svg = page.locator("#fitting svg")
        href = self._svg.locator("image").get_attribute("href")
        data = httpx.get(f"{first.server.address}{(href or '').lstrip('/')}", timeout=PATIENCE).content
        colours = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        assert colours is not None
        _, green, red = np.moveaxis(colours.astype(float), 2, 0)
        self.red = red - green
        self.size = colours.shape[1], colours.shape[0]

    def screen(self, pixel: FloatArray) -> tuple[float, float]:
        box = self._svg.bounding_box()
        assert box is not None
        w, h = self.size
        scale = min(box["width"] / w, box["height"] / h)
        left = box["x"] + (box["width"] - w * scale) / 2
        top = box["y"] + (box["height"] - h * scale) / 2
        return left + (pixel[0] + 0.5) * scale, top + (pixel[1] + 0.5) * scale

    def pixel_of(self, handle: str) -> FloatArray:
        words = self._svg.locator(f"[data-handle='{handle}']").get_attribute("transform") or ""
        return np.array([float(v) for v in words.removeprefix("translate(").removesuffix(")").split()])

    def edge(self, start: FloatArray, out: FloatArray, along: FloatArray) -> FloatArray:
        """Where the red car ends on the way outward: the outermost place at which red falls off steeply.

        Averaged over lines beside one another, `along` the edge to either side, as an eye does. A side in the
        shade is less red than the lid above it, and belongs to the car all the same.
        """
        way, step = out / np.hypot(*out), 0.25
        reach = np.arange(0.0, 34.0, step)[:, None] * way
        lines = [(start + share * along + reach).astype(np.float32) for share in np.linspace(-1.0, 1.0, 9)]
        picture = self.red.astype(np.float32)
        red = np.mean(
            [cv2.remap(picture, at[:, 0], at[:, 1], cv2.INTER_LINEAR).ravel() for at in lines], axis=0
        )
        smooth = np.convolve(red, np.hanning(9) / np.hanning(9).sum(), "valid")
        falls = -np.diff(smooth) / step
        peaks = [
            k for k in range(1, len(falls) - 1) if falls[k - 1] < falls[k] >= falls[k + 1] and falls[k] > 6
        ]
        return np.asarray(start + (peaks[-1] + 4.5) * step * way)


def drag(page: Page, handle: Locator, to: tuple[float, float]) -> None:
    """Takes hold of a handle and lets go of it elsewhere."""
    box = handle.locator(".knob").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(*to, steps=4)
    page.mouse.up()


def test_an_outline_is_dragged_onto_the_car_in_the_picture(
    tmp_path: Path, page: Page, figure: Callable[[str, object], None]
) -> None:
    """The car is called a compact and is a sedan: its edges in the picture say how long and wide it is."""
    with set_up(tmp_path, page, "compact") as (first, table):
        page.get_by_role("button", name="Fit the outline of Red 1").click()
        card = page.get_by_role("article", name="Outline of Red 1")
        expect(card.get_by_role("status")).to_contain_text("2.55 in long, 1.12 in wide")
        picture = OnPicture(page, first)
        centre = picture.pixel_of("all")
        for handle in ("front", "rear", "left", "right"):
            # The sides on the bonnet, beside which nothing else is: the tag is nearly as wide as the roof.
            ahead, aside = (picture.pixel_of(h) - centre for h in ("front", "left"))
            if handle in ("front", "rear"):
                true = picture.edge(centre, picture.pixel_of(handle) - centre, 0.35 * aside)
            else:
                start = centre + 0.82 * ahead
                true = picture.edge(start, picture.pixel_of(handle) - centre, 0.04 * ahead)
            drag(page, card.locator(f"[data-handle='{handle}']"), picture.screen(true))
        expect(card.get_by_role("status")).not_to_contain_text("2.55 in long")
        card.get_by_role("button", name="Keep it").click()
        expect(card).to_have_count(0)
        wait_until("it is kept", lambda: "length_in" in first.file.read_text(encoding="utf-8"))
        piece = load_table(first.file).pieces[0]
        truth = table.scene.piece("Red 1")
    assert piece.mount is not None
    place = piece.mount.body_from_tag
    off = {
        "length": piece.body.length - truth.body.length,
        "width": piece.body.width - truth.body.width,
        "ahead": place.x,
        "left": place.y,
    }
    figure("outline dragged", ", ".join(f"{what} {inches:+.3f} in off" for what, inches in off.items()))
    # Of each edge half of what length and width are off, and what the middle is.
    for size, middle in (("length", "ahead"), ("width", "left")):
        assert abs(off[size]) / 2 + abs(off[middle]) < 0.04
    assert piece.body.model == "compact"
    assert piece.mount.sd_at < 0.06


@pytest.mark.parametrize("width", WIDTHS)
def test_the_camera_offers_the_outline_of_a_car_on_the_plain_cloth(
    tmp_path: Path, browser: Browser, figure: Callable[[str, object], None], width: int
) -> None:
    """Called a compact, a sedan is found as long and wide as it is; nothing is written before it is kept."""
    page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
    with set_up(tmp_path, page, "compact") as (first, table):
        page.get_by_role("button", name="Fit the outline of Red 1").click()
        card = page.get_by_role("article", name="Outline of Red 1")
        expect(card.get_by_role("status")).to_contain_text("2.55 in long")
        before = first.file.read_text(encoding="utf-8")
        card.get_by_role("button", name="Find the edges").focus()
        page.keyboard.press("Enter")
        expect(card.get_by_role("status")).to_contain_text("The camera found its edges")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert first.file.read_text(encoding="utf-8") == before
        card.get_by_role("button", name="Keep it").click()
        expect(card).to_have_count(0)
        wait_until("it is kept", lambda: "length_in" in first.file.read_text(encoding="utf-8"))
        piece = load_table(first.file).pieces[0]
        truth = table.scene.piece("Red 1")
    assert piece.mount is not None
    place = piece.mount.body_from_tag
    ends = ((piece.body.length - truth.body.length) / 2, (piece.body.width - truth.body.width) / 2)
    off = [ends[0] - place.x, ends[0] + place.x, ends[1] - place.y, ends[1] + place.y]
    figure("edges that the camera found", ", ".join(f"{v:+.3f}" for v in off) + " in off")
    assert piece.mount.sd_at >= 0.12
    assert max(map(abs, off)) < 1.96 * piece.mount.sd_at


def test_why_a_piece_was_not_added_stays_in_view_on_a_phone_s_screen(
    tmp_path: Path, browser: Browser
) -> None:
    page = browser.new_context(viewport={"width": 390, "height": 780}, has_touch=True).new_page()
    with set_up(tmp_path, page) as (first, _):
        page.locator("#nameless button", has_text="Tag 52").click()
        card = page.get_by_role("article", name="Tag 52")
        card.locator("label:has(input[value='terrain'])").click()
        card.get_by_label("Length, in").fill("3.4")
        card.get_by_label("Width, in").fill("3.4")
        card.get_by_role("button", name="Add").click()
        why = page.locator("#said")
        expect(why).to_contain_text("needs its height")
        expect(why).to_be_in_viewport(ratio=1)
        height = card.get_by_label("Height above the table, in")
        height.fill("two")
        card.get_by_role("button", name="Add").click()
        photograph(page, "height-not-right")
        assert "1 1/2" in height.evaluate("(box) => box.validationMessage")
        assert len(load_table(first.file).pieces) == 1
        height.fill("2 1/5")
        card.get_by_label("Width, in").fill("8.6 cm")
        card.get_by_role("button", name="Add").click()
        expect(why).to_be_hidden()
        wait_until("it is kept", lambda: len(load_table(first.file).pieces) == 2)
    body = load_table(first.file).pieces[1].body
    assert (body.height, body.length, body.width) == (2.2, 3.4, pytest.approx(3.386))


def test_an_editors_mistake_is_told_and_an_outline_fitted_with_the_keyboard_on_a_phone_s_screen(
    tmp_path: Path, browser: Browser
) -> None:
    page = browser.new_context(viewport={"width": 390, "height": 780}, has_touch=True).new_page()
    with set_up(tmp_path, page) as (first, _):
        # What an editor has made of the file is told until it is mended.
        expect(page.locator("#named")).to_contain_text("Red 1")
        good, told = first.file.read_text(encoding="utf-8"), page.locator("#said")
        first.file.write_text(good.replace('model = "sedan"', 'model = "sedam"'), encoding="utf-8")
        first.watch.check()
        expect(told).to_contain_text("did you mean 'sedan'?")
        expect(told).to_contain_text("What was changed in the set-up is not used")
        first.file.write_text(good, encoding="utf-8")
        first.watch.check()
        expect(told).to_be_hidden()
        page.get_by_role("button", name="Fit the outline of Red 1").focus()
        page.keyboard.press("Enter")
        card = page.get_by_role("article", name="Outline of Red 1")
        said = card.get_by_role("status")
        expect(said).to_contain_text("2.95 in long, 1.20 in wide")
        nose = card.get_by_role("slider", name="Nose")
        nose.focus()
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        expect(said).to_contain_text("2.99 in long")
        card.get_by_role("slider", name="Left side").focus()
        page.keyboard.press("Shift+ArrowLeft")
        expect(said).to_contain_text("1.25 in wide")
        card.get_by_role("slider", name="Direction").focus()
        page.keyboard.press("ArrowLeft")
        expect(said).to_contain_text("0.2° right of the nose")
        assert nose.get_attribute("aria-valuetext") == "1.52 inches from the tag"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        card.get_by_role("button", name="Keep it").focus()
        page.keyboard.press("Enter")
        expect(card).to_have_count(0)
        wait_until("it is kept", lambda: "length_in = 2.99" in first.file.read_text(encoding="utf-8"))
        piece = load_table(first.file).pieces[0]
    assert piece.mount is not None
    assert piece.mount.body_from_tag.xy == pytest.approx((-0.02, -0.025))
    assert math.degrees(piece.mount.body_from_tag.heading) == pytest.approx(-0.2)
