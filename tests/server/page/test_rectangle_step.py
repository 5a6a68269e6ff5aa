"""Dragging the table's outline on the camera picture, in a real Chromium: by mouse and by arrow keys."""

from __future__ import annotations

from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from calibration.tablefile import load_table
from engine.space.geometry import FloatArray
from tests.server.fakes import wait_until
from tests.server.firsttime import FirstTime
from tests.server.page.evenings import WIDTHS, photograph
from tests.server.setup.test_corner_choice import watched
from vision.simulate.scenes import named_scene


def box(first: FirstTime) -> FloatArray:
    """Low and high corner of the kept table, inches."""
    outline = load_table(first.file).surface.outline
    return np.array([outline.min(axis=0), outline.max(axis=0)])


@pytest.mark.parametrize("width", WIDTHS)
def test_a_corner_is_dragged_and_two_sides_move(tmp_path: Path, browser: Browser, width: int) -> None:
    with watched(named_scene("first"), tmp_path) as (first, client):
        client.get("/api/setup").raise_for_status()
        client.post("/api/setup/surface", json={}).raise_for_status()
        before = box(first)
        page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
        page.goto(f"{first.server.address}setup")
        page.get_by_text("Drag the outline").click()
        corner = page.get_by_role("button", name="Far right corner of the table")
        expect(page.locator("#handles .corner")).to_have_count(4)
        expect(page.locator("#mat-offer")).to_have_text("Find the edge of the mat")
        expect(corner).to_be_in_viewport()
        # By keys: a quarter of an inch each, one side at a time.
        page.get_by_role("button", name="Near left corner of the table").focus()
        page.keyboard.press("ArrowLeft")
        wait_until("the left side moves", lambda: box(first)[0, 0] < before[0, 0] - 0.1)
        assert box(first) == pytest.approx(before - [[0.25, 0.0], [0.0, 0.0]], abs=0.011)
        # By the mouse: a tenth of the picture's height up is some inches away from the players.
        page.evaluate("scrollTo(0, 0)")
        at, sight = corner.bounding_box(), page.locator("#sight").bounding_box()
        assert at is not None
        assert sight is not None
        x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 0.05 * sight["width"], y + 0.1 * sight["height"], steps=4)
        page.mouse.up()
        wait_until("both far sides move", lambda: bool((box(first)[1] < before[1] - 1.0).all()))
        assert box(first)[0] == pytest.approx(before[0] - [0.25, 0.0], abs=0.011)
        # The corner is drawn where it was let go, read back through inches.
        expect(page.locator("#surface")).to_contain_text(f"{round(np.ptp(box(first), axis=0)[0], 1):g} ×")
        now = corner.bounding_box()
        assert now is not None
        there = np.array([now["x"] + now["width"] / 2, now["y"] + now["height"] / 2])
        gone = np.array([x - 0.05 * sight["width"], y + 0.1 * sight["height"]])
        assert np.hypot(*(there - gone)) < 3.0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        photograph(page, f"setup-outline-{width}")


def test_what_would_leave_no_table_is_refused(tmp_path: Path) -> None:
    with watched(named_scene("first"), tmp_path) as (first, client):
        client.get("/api/setup").raise_for_status()

        def refused(body: dict[str, object]) -> str:
            answer: httpx.Response = client.post("/api/setup/rectangle", json=body)
            assert answer.status_code == 409
            return str(answer.json()["error"])

        assert "keep the table first" in refused({"corner": 0, "by_in": [1, 0]})
        client.post("/api/setup/surface", json={}).raise_for_status()
        before = box(first)
        assert "at least 6 in" in refused({"corner": 0, "by_in": [44, 0]})
        assert "at least 6 in" in refused({"corner": 2, "by_in": [-80, -80]})
        assert "at most 400 in" in refused({"corner": 2, "by_in": [500, 0]})
        assert "a place in the picture" in refused({"corner": 2, "to": [40_000.0, -40_000.0]})
        assert (box(first) == before).all()
        assert client.post("/api/setup/rectangle", json={"corner": 4, "by_in": [1, 0]}).status_code == 422


@pytest.mark.parametrize("width", WIDTHS)
def test_the_edge_of_the_mat_is_found_and_taken(tmp_path: Path, browser: Browser, width: int) -> None:
    scene = named_scene("first")
    cloth = np.array([scene.near_left, np.add(scene.near_left, scene.size)])
    with watched(scene, tmp_path) as (first, client):
        client.get("/api/setup").raise_for_status()
        client.post("/api/setup/surface", json={}).raise_for_status()
        before = box(first)
        page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
        page.goto(f"{first.server.address}setup")
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
