"""The surface on the set-up page, in a real Chromium: its corner tags, its outline, a board printed on it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Response, expect

from calibration.boards import PointsFields
from calibration.tablefile import load_table
from engine.boards.board import Free
from engine.boards.points import Points
from engine.space.geometry import FloatArray
from tests.server.fakes import wait_until
from tests.server.firsttime import FirstTime
from tests.server.page.evenings import WIDTHS, photograph
from tests.server.setup.test_corner_choice import watched, with_corners
from vision.simulate.scene import Scene
from vision.simulate.scenes import named_scene


def box(first: FirstTime) -> FloatArray:
    """Low and high corner of the kept table, inches."""
    outline = load_table(first.file).surface.outline
    return np.array([outline.min(axis=0), outline.max(axis=0)])


@pytest.mark.parametrize("width", WIDTHS)
def test_the_outline_is_that_of_the_mat_or_dragged_and_what_would_leave_no_table_is_refused(
    tmp_path: Path, browser: Browser, width: int
) -> None:
    scene = named_scene("first")
    cloth = np.array([scene.near_left, np.add(scene.near_left, scene.size)])
    with watched(scene, tmp_path) as (first, client):
        client.get("/api/setup").raise_for_status()

        def refused(body: dict[str, object]) -> str:
            answer: httpx.Response = client.post("/api/setup/rectangle", json=body)
            assert answer.status_code == 409
            return str(answer.json()["error"])

        assert "keep the table first" in refused({"corner": 0, "by_in": [1, 0]})
        client.post("/api/setup/surface", json={}).raise_for_status()
        before = box(first)
        page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
        page.goto(f"{first.server.address}setup")
        # Until the first look is drawn what stands below it moves down, away from under the mouse.
        expect(page.locator("#next")).not_to_be_empty()
        page.get_by_text("find the mat's edge").click()
        page.get_by_role("button", name="Find the edge of the mat").click()
        expect(page.locator("#mat-offer")).to_contain_text("on all four sides")
        expect(page.locator("#mat polygon")).to_have_count(1)
        assert (box(first) == before).all()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        photograph(page, f"setup-mat-{width}")
        page.get_by_role("button", name="Use this edge").click()
        wait_until("the outline is written", lambda: bool((box(first) != before).any()))
        # The tags' printed size is all that the scale comes from: 1 % of 49 inches.
        assert box(first) == pytest.approx(cloth, abs=0.2)
        expect(page.locator("#mat polygon")).to_have_count(0)
        expect(page.get_by_role("button", name="Use this edge")).to_have_count(0)
        before = box(first)
        corner = page.get_by_role("button", name="Far right corner of the table")
        expect(page.locator("#handles .corner")).to_have_count(4)
        expect(page.locator("#mat-offer")).to_have_text("Find the edge of the mat")
        # By keys: a quarter of an inch each, one side at a time.
        page.get_by_role("button", name="Near left corner of the table").focus()
        page.keyboard.press("ArrowRight")
        wait_until("the left side moves", lambda: box(first)[0, 0] > before[0, 0] + 0.1)
        assert box(first) == pytest.approx(np.add(before, [[0.25, 0.0], [0.0, 0.0]]), abs=0.011)
        # By the mouse: a tenth of the picture's height down is some inches towards the players.
        page.evaluate("scrollTo(0, 0)")
        expect(corner).to_be_in_viewport()
        at, sight = corner.bounding_box(), page.locator("#sight").bounding_box()
        assert at is not None
        assert sight is not None
        x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 0.05 * sight["width"], y + 0.1 * sight["height"], steps=4)
        page.mouse.up()
        wait_until("both far sides move", lambda: bool((box(first)[1] < before[1] - 1.0).all()))
        assert box(first)[0] == pytest.approx(np.add(before[0], [0.25, 0.0]), abs=0.011)
        # The corner is drawn where it was let go, read back through inches.
        expect(page.locator("#surface")).to_contain_text(f"{round(np.ptp(box(first), axis=0)[0], 1):g} ×")
        now = corner.bounding_box()
        assert now is not None
        there = np.array([now["x"] + now["width"] / 2, now["y"] + now["height"] / 2])
        gone = np.array([x - 0.05 * sight["width"], y + 0.1 * sight["height"]])
        assert np.hypot(*(there - gone)) < 3.0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        photograph(page, f"setup-outline-{width}")
        before = box(first)
        assert "at least 6 in" in refused({"corner": 0, "by_in": [44, 0]})
        assert "at least 6 in" in refused({"corner": 2, "by_in": [-80, -80]})
        assert "at most 400 in" in refused({"corner": 2, "by_in": [500, 0]})
        assert "a place in the picture" in refused({"corner": 2, "to": [40_000.0, -40_000.0]})
        assert (box(first) == before).all()
        assert client.post("/api/setup/rectangle", json={"corner": 4, "by_in": [1, 0]}).status_code == 422
        # A board that is too large is told, and cannot be kept.
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


@pytest.mark.parametrize("width", WIDTHS)
def test_corners_are_ticked_or_tapped(tmp_path: Path, browser: Browser, width: int) -> None:
    with watched(with_corners((60, 61, 62, 63)), tmp_path) as (first, _):
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        page.goto(f"{first.server.address}setup")
        expect(page.locator("#next")).to_contain_text("No corner tag is seen")
        page.get_by_text("Other corner tags").click()
        for tag in (60, 61):
            page.get_by_role("checkbox", name=f"Tag {tag} is a corner").focus()
            page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Choose 2 more")).to_be_disabled()
        page.evaluate("scrollTo(0, 0)")
        for tag in (62, 63):
            page.locator(f"#tags polygon[data-tag='{tag}']").click()
            expect(page.get_by_role("checkbox", name=f"Tag {tag} is a corner")).to_be_checked()
        page.get_by_role("button", name="Use these four as corners").click()
        expect(page.locator("#outline polygon")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.get_by_role("button", name="Use this table").click()
        expect(page.locator("#surface")).to_contain_text("Make it surer")
        assert {t.tag for t in load_table(first.file).loose} == {60, 61, 62, 63}


PRINTED = PointsFields(kind="points", size=(9, 7), spacing_in=4.0, origin_in=(5.0, 6.0), direction_deg=4.0)


def on_screen(page: Page, scene: Scene, at: FloatArray) -> tuple[float, float]:
    """Where a place of the true table lies on the screen."""
    x, y = scene.camera.project(np.array([[*at, 0.0]]))[0]
    sight = page.locator("#sight").bounding_box()
    assert sight is not None
    return sight["x"] + x / 1920 * sight["width"], sight["y"] + y / 1080 * sight["height"]


def drag(page: Page, scene: Scene, ring: int, at: FloatArray) -> None:
    """Drags a ring there, until the page has drawn what the server made of its last place."""
    rings = page.locator("#board-rings .corner")
    rings.nth(ring).scroll_into_view_if_needed()
    box = rings.nth(ring).bounding_box()
    assert box is not None
    x, y = on_screen(page, scene, at)
    goal = scene.camera.project(np.array([[*at, 0.0]]))[0]

    def last(response: Response) -> bool:
        if not response.url.endswith("/api/setup/board/move"):
            return False
        return math.dist(response.json()["draft"]["rings"][ring], goal) < 3.0

    with page.expect_response(last) as answered:
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(x, y, steps=5)
        page.mouse.up()
    page.wait_for_function(
        """rings => [...document.querySelectorAll("#board-rings .corner")].every(({ style }, n) => Math.hypot(
          parseFloat(style.left) * 19.2 - rings[n][0], parseFloat(style.top) * 10.8 - rings[n][1]) < 3)""",
        arg=answered.value.json()["draft"]["rings"],
    )


def misplaced(first: FirstTime, true: Points) -> float:
    """By how much the corners of the written board are off, inches."""
    board = load_table(first.file).board
    assert isinstance(board, Points)
    assert (board.columns, board.rows, board.spacing) == (true.columns, true.rows, true.spacing)
    ends = [(0, 0), (true.columns - 1, 0), (0, true.rows - 1), (true.columns - 1, true.rows - 1)]
    return max(math.dist(board.pose_of(c).xy, true.pose_of(c).xy) for c in ends)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_printed_board_is_put_on_the_picture(
    tmp_path: Path, browser: Browser, width: int, figure: Callable[[str, object], None]
) -> None:
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
        expect(page.locator("#next")).not_to_be_empty()
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
        drag(page, scene, 0, true.pose_of((0, 0)).xy)
        drag(page, scene, 1, true.pose_of((8, 0)).xy)
        # By keys, there and back again.
        rings.nth(0).focus()
        for key in ("ArrowLeft", "Shift+ArrowUp", "ArrowRight", "Shift+ArrowDown"):
            with page.expect_response("**/api/setup/board/move"):
                page.keyboard.press(key)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        photograph(page, f"setup-board-{width}")
        page.get_by_role("button", name="Keep it here").click()
        expect(part).to_contain_text("This table has: 9 × 7 points")
        expect(rings).to_have_count(0)
        # The rings were put exactly on their corners: a hand adds what a pixel of the screen is worth.
        off = misplaced(first, true)
        figure(f"a board's corners put on the picture at {width} px", f"at most {off:.3f} in off")
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
