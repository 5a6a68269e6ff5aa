"""An irregular piece of terrain whose outline is tapped on the set-up page, in a real Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from calibration.tablefile import load_table
from engine.space.geometry import FloatArray, Footprint, Pose, as_points
from tests.server.fakes import wait_until
from tests.server.firsttime import FirstTime
from tests.server.page.test_setup_pieces import set_up
from tests.volume import deep
from vision.simulate.live import SimulatedTable
from vision.simulate.scene import Scene
from vision.simulate.scenes import SCENES, first_scene

# An L with a slanted side.
TRUE = as_points([(-2.3, -1.7), (2.1, -1.7), (2.5, 0.1), (0.6, 0.5), (0.4, 2.0), (-2.1, 1.6)])
AT = Pose(21.0, 27.0, 0.35)
HEIGHT = 1.4
ROCKS = {
    "tag": 52, "name": "Rocks", "kind": "terrain",
    "length_in": 5.4, "width_in": 4.4, "height_in": HEIGHT, "tag_size_in": 1.6,
}  # fmt: skip


def with_rocks(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """The table that nobody has set up, with rocks in place of its crate."""
    scene = first_scene(size)
    crate = scene.piece("Crate")
    assert crate.mount is not None
    body = replace(crate.body, model="rocks", footprint=Footprint(TRUE), height=HEIGHT)
    mount = replace(crate.mount, height=HEIGHT, body_from_tag=Pose(-0.8, -0.4, 0.2))
    rocks = replace(crate, name="Rocks", body=body, mount=mount, colour="#8b8378")
    pieces = tuple(rocks if p.name == "Crate" else p for p in scene.pieces)
    start = {name: pose for name, pose in scene.start.items() if name != "Crate"} | {"Rocks": AT}
    return replace(scene, pieces=pieces, start=start)


@dataclass
class Tapping:
    """The card in which the rocks' outline is tapped, and where the picture's pixels are on the screen."""

    page: Page
    first: FirstTime
    table: SimulatedTable
    view: dict[str, Any]

    @property
    def card(self) -> Any:
        return self.page.get_by_role("article", name="Tap the outline of Rocks")

    def corners(self, height: float) -> FloatArray:
        """Where the true corners are in the picture of the card."""
        on_table = AT.to_table(TRUE)
        at = self.table.scene.camera.project(np.column_stack([on_table, np.full(len(on_table), height)]))
        return np.asarray(at - self.view["begins"])

    def screen(self, pixel: FloatArray) -> tuple[int, int]:
        """The whole pixel of the screen that shows a pixel of the picture: a browser cuts off the rest."""
        left, top, scale = self._shown()
        return round(left + pixel[0] * scale), round(top + pixel[1] * scale)

    def tapped(self, screen: tuple[int, int], height: float) -> FloatArray:
        """What lies at a height under a pixel of the screen, inches on the table."""
        left, top, scale = self._shown()
        pixel = (np.array(screen) - [left, top]) / scale + self.view["begins"]
        return self.table.scene.camera.unproject(pixel[None], height)[0]

    def _shown(self) -> tuple[float, float, float]:
        """Where the picture's pixel (0, 0) is on the screen, and how large a pixel is there."""
        svg = self.page.locator("#fitting svg")
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        assert box is not None
        # A pixel's centre is where its number says.
        x, y, w, h = (float(v) for v in (svg.get_attribute("viewBox") or "").split())
        scale = min(box["width"] / w, box["height"] / h)
        left = box["x"] + (box["width"] - w * scale) / 2
        top = box["y"] + (box["height"] - h * scale) / 2
        return left - x * scale, top - y * scale, scale


@contextmanager
def tapping(tmp_path: Path, page: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tapping]:
    """The table kept, the rocks named as a box that is too large, and the card opened."""
    monkeypatch.setitem(SCENES, "first", with_rocks)
    with set_up(tmp_path, page, "sedan", ROCKS) as (first, table):
        page.get_by_role("button", name="Fit the outline of Rocks").click()
        with page.expect_response("**/api/setup/tapped") as answer:
            page.get_by_role("button", name="Tap it instead").click()
        made = Tapping(page, first, table, answer.value.json())
        expect(made.card).to_be_visible()
        yield made


def edges_off(file: Path, true: FloatArray) -> FloatArray:
    """By how much each side of an outline is off at its ends, where the piece stands by its tag, inches."""
    piece = next(p for p in load_table(file).pieces if p.name == "Rocks")
    mount = with_rocks().piece("Rocks").mount
    assert piece.mount is not None
    assert mount is not None
    stands = AT.compose(mount.body_from_tag).compose(piece.mount.body_from_tag.inverse())
    found = stands.to_table(piece.body.footprint.outline)
    assert len(found) == len(true)
    found = np.roll(found, -int(np.hypot(*(found - true[0]).T).argmin()), axis=0)
    along = np.roll(true, -1, axis=0) - true
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / np.hypot(*along.T)[:, None]
    ends = np.stack([found - true, np.roll(found - true, -1, axis=0)])
    return np.asarray(np.abs((ends * normal).sum(axis=2)).max(axis=0))


@pytest.mark.parametrize("level", [pytest.param("table", marks=deep), "top"])
def test_an_irregular_piece_is_tapped_round_in_the_picture(
    tmp_path: Path,
    browser: Browser,
    monkeypatch: pytest.MonkeyPatch,
    figure: Callable[[str, object], None],
    level: str,
) -> None:
    page = browser.new_context(viewport={"width": 1366, "height": 900}).new_page()
    with tapping(tmp_path, page, monkeypatch) as rocks:
        card, said = rocks.card, rocks.card.get_by_role("status")
        keep = card.get_by_role("button", name="Keep it")
        expect(said).to_contain_text("No corner is tapped so far")
        expect(keep).to_be_disabled()
        before = rocks.first.file.read_text(encoding="utf-8")
        if level == "top":
            card.get_by_text("Its top edge").click()
        # What the simulated camera shows at these pixels are the corners, which a player sees.
        height, taps = 0.0 if level == "table" else HEIGHT, []
        for corner in rocks.corners(height):
            at = rocks.screen(corner)
            page.mouse.click(*at)
            taps.append(rocks.tapped(at, height))
        expect(said).to_contain_text("6 corners, ")
        assert rocks.first.file.read_text(encoding="utf-8") == before
        keep.click()
        expect(card).to_have_count(0)
        wait_until("it is kept", lambda: "tapped" in rocks.first.file.read_text(encoding="utf-8"))
        off, by_taps = (edges_off(rocks.first.file, true) for true in (AT.to_table(TRUE), np.array(taps)))
    edges, taken = (", ".join(f"{v:.3f}" for v in each) for each in (off, by_taps))
    figure(f"outline tapped at the {level}", f"edges off by {edges} in; of what was tapped {taken}")
    assert by_taps.max() < 0.04
    # A whole pixel of the screen may lie half a one beside a corner, along both axes.
    assert (off < by_taps + 0.022).all()


def test_corners_are_dragged_taken_away_and_put_into_sides_on_a_phone(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
    with tapping(tmp_path, page, monkeypatch) as rocks:
        card, said = rocks.card, rocks.card.get_by_role("status")
        corners = rocks.corners(0.0)
        before = rocks.screen(corners[0])
        card.get_by_role("button", name="Nearer").tap()
        assert rocks.screen(corners[0]) != before
        # Corners in the wrong order: refused in words, put right with Undo.
        for n in (0, 2, 1, 5):
            page.touchscreen.tap(*rocks.screen(corners[n]))
        expect(said).to_contain_text("meets the side from corner")
        expect(card.get_by_role("button", name="Keep it")).to_be_disabled()
        for _ in range(3):
            card.get_by_role("button", name="Undo").tap()
        for n in (1, 2, 5):
            page.touchscreen.tap(*rocks.screen(corners[n]))
        expect(said).to_contain_text("4 corners, ")
        # A tap on a side puts a corner into it, which is dragged into the hollow.
        page.touchscreen.tap(*rocks.screen((corners[2] + corners[5]) / 2))
        expect(said).to_contain_text("5 corners, ")
        # It was on the side from the third corner to the fourth: so it comes between them.
        expect(card.locator("[data-chosen='true']")).to_have_attribute("data-corner", "3")
        page.mouse.move(*rocks.screen((corners[2] + corners[5]) / 2))
        page.mouse.down()
        page.mouse.move(*rocks.screen(corners[3]), steps=3)
        page.mouse.up()
        # The one that is missing comes with the keyboard, and a needless one goes with it.
        card.locator("[data-corner='3']").focus()
        card.get_by_role("button", name="Add a corner").focus()
        page.keyboard.press("Enter")
        expect(said).to_contain_text("6 corners, ")
        expect(card.locator("[data-corner='4']")).to_be_focused()
        was = card.locator("[data-corner='4']").get_attribute("transform")
        for _ in range(4):
            page.keyboard.press("Shift+ArrowUp")
        page.keyboard.press("ArrowLeft")
        assert card.locator("[data-corner='4']").get_attribute("transform") != was
        card.get_by_role("button", name="Add a corner").click()
        expect(said).to_contain_text("7 corners, ")
        page.keyboard.press("Delete")
        expect(said).to_contain_text("6 corners, ")
        page.keyboard.press("Control+z")
        expect(said).to_contain_text("7 corners, ")
        page.keyboard.press("Control+z")
        expect(said).to_contain_text("6 corners, ")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        card.get_by_role("button", name="Keep it").tap()
        expect(card).to_have_count(0)
        wait_until("it is kept", lambda: "tapped" in rocks.first.file.read_text(encoding="utf-8"))
        piece = next(p for p in load_table(rocks.first.file).pieces if p.name == "Rocks")
    assert len(piece.body.footprint.outline) == 6
    assert len(piece.body.footprint.parts) > 1
    assert piece.mount is not None
    # Fingers: less sure than a mouse.
    assert piece.mount.sd_at > 0.03
