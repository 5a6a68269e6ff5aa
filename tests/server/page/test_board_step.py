"""A board put on the camera picture, in a real Chromium: by mouse, finger and arrow keys."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from calibration.boards import PointsFields
from calibration.tablefile import load_table
from engine.boards.free import Free
from engine.boards.points import Points
from engine.space.geometry import FloatArray
from tests.server.fakes import wait_until
from tests.server.firsttime import FirstTime
from tests.server.page.evenings import PATIENCE_MS, WIDTHS, photograph
from tests.server.setup.test_corner_choice import watched
from vision.simulate.scene import Scene
from vision.simulate.scenes import named_scene

PRINTED = PointsFields(kind="points", size=(9, 7), spacing_in=4.0, origin_in=(5.0, 6.0), direction_deg=4.0)


def on_screen(page: Page, scene: Scene, at: FloatArray) -> tuple[float, float]:
    """Where a place of the true table lies on the screen."""
    x, y = scene.camera.project(np.array([[*at, 0.0]]))[0]
    sight = page.locator("#sight").bounding_box()
    assert sight is not None
    return sight["x"] + x / 1920 * sight["width"], sight["y"] + y / 1080 * sight["height"]


def drag(page: Page, scene: Scene, ring: Locator, at: FloatArray) -> None:
    ring.scroll_into_view_if_needed()
    box = ring.bounding_box()
    assert box is not None
    x, y = on_screen(page, scene, at)
    with page.expect_response("**/api/setup/board/move", timeout=PATIENCE_MS):
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(x, y, steps=5)
        page.mouse.up()


def misplaced(first: FirstTime, true: Points) -> float:
    """By how much the corners of the written board are off, inches."""
    board = load_table(first.file).board
    assert isinstance(board, Points)
    assert (board.columns, board.rows, board.spacing) == (true.columns, true.rows, true.spacing)
    ends = [(0, 0), (true.columns - 1, 0), (0, true.rows - 1), (true.columns - 1, true.rows - 1)]
    return max(math.dist(board.pose_of(c).xy, true.pose_of(c).xy) for c in ends)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_printed_board_is_put_on_the_picture(tmp_path: Path, browser: Browser, width: int) -> None:
    scene = replace(named_scene("first"), board_fields=PRINTED)
    true = scene.board
    assert isinstance(true, Points)
    with watched(scene, tmp_path) as (first, client):
        client.get("/api/setup").raise_for_status()
        client.post("/api/setup/surface", json={}).raise_for_status()
        page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{first.server.address}setup")
        page.get_by_text("A board or map to play on").click()
        page.locator("#board-drag select").select_option(label="Points of a square grid, drawn or printed")
        page.get_by_label("Columns", exact=True).fill("9")
        page.get_by_label("Rows", exact=True).fill("7")
        page.get_by_label("Cells apart, in", exact=True).fill("4")
        page.get_by_role("button", name="Put it on the picture").click()
        part = page.locator("#board-drag")
        expect(part).to_contain_text("9 × 7 points, 4 in apart: 32 × 24 in.")
        rings = page.locator("#board-rings .corner")
        expect(rings).to_have_count(2)
        assert isinstance(load_table(first.file).board, Free), "nothing is written before it is kept"
        drag(page, scene, rings.nth(0), true.pose_of((0, 0)).xy)
        drag(page, scene, rings.nth(1), true.pose_of((8, 0)).xy)
        # By keys, there and back again.
        rings.nth(0).focus()
        for key in ("ArrowLeft", "Shift+ArrowUp", "ArrowRight", "Shift+ArrowDown"):
            with page.expect_response("**/api/setup/board/move", timeout=PATIENCE_MS):
                page.keyboard.press(key)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        photograph(page, f"setup-board-{width}")
        page.get_by_role("button", name="Keep it here").click()
        expect(part).to_contain_text("This table has: 9 × 7 points")
        expect(rings).to_have_count(0)
        # The rings were put exactly on their corners: a hand adds what a pixel of the screen is worth.
        off = misplaced(first, true)
        print(f"\nthe corners of the board, put on the picture at {width} px: at most {off:.3f} in off")
        assert off < 0.05
        wait_until("the table is refereed by it", lambda: isinstance(first.live.table.board, Points))  # type: ignore[union-attr]
        page.get_by_role("button", name="Move it").click()
        expect(rings).to_have_count(2)
        page.get_by_role("button", name="Stop").click()
        expect(rings).to_have_count(0)
        page.get_by_role("button", name="Take it out").click()
        expect(part).not_to_contain_text("This table has")
        assert isinstance(load_table(first.file).board, Free)
        assert complaints == []


def test_a_board_that_is_too_large_is_told_and_cannot_be_kept(tmp_path: Path, browser: Browser) -> None:
    with watched(named_scene("first"), tmp_path) as (first, client):
        client.get("/api/setup").raise_for_status()
        client.post("/api/setup/surface", json={}).raise_for_status()
        page = browser.new_context(viewport={"width": 1366, "height": 900}).new_page()
        page.goto(f"{first.server.address}setup")
        page.get_by_text("A board or map to play on").click()
        page.locator("#board-drag select").select_option(label="A road that rolls on under the table")
        expect(page.get_by_label("Cells apart, in", exact=True)).to_be_hidden()
        page.locator("#board-drag").get_by_label("Length, in").fill("90")
        page.get_by_role("button", name="Put it on the picture").click()
        expect(page.locator("#board-drag")).to_contain_text("make it smaller or put it elsewhere")
        expect(page.get_by_role("button", name="Keep it here")).to_be_disabled()
        # Two folds that show rings in the picture are not open at once.
        page.get_by_text("Drag the outline").click()
        expect(page.locator("#handles .corner")).to_have_count(4)
        expect(page.locator("#board-rings .corner")).to_have_count(0)
