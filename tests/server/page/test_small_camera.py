"""The first time under a camera of 640 by 480 pixels, in a real Chromium: what to do, and then a ruling."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from tests.server.fakes import PATIENCE
from tests.server.firsttime import first_time
from tests.server.page.test_first_ruling import Hands, name_the_car
from vision.simulate.scene import Scene
from vision.simulate.scenes import SCENES, first_scene

SMALL = (640, 480)


def small_scene(tag_in: float) -> Scene:
    """Every car and the crate carry a tag with a black square of so many inches."""
    scene = first_scene(SMALL)
    pieces = tuple(
        p if p.mount is None else replace(p, mount=replace(p.mount, size=tag_in)) for p in scene.pieces
    )
    return replace(scene, pieces=pieces)


def test_a_newcomer_with_few_pixels_is_led_to_larger_tags_and_to_a_ruling(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SCENES, "roofs", lambda _: small_scene(0.9))
    monkeypatch.setitem(SCENES, "cards", lambda _: small_scene(4.0))
    page = browser.new_context(viewport={"width": 640, "height": 480}).new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    said = page.locator("#next")
    with (
        first_time(tmp_path / "tables", "sim:roofs", fps=1.0) as first,
        httpx.Client(base_url=first.server.address, timeout=PATIENCE) as client,
    ):
        page.goto(f"{first.server.address}setup")
        keep = page.get_by_role("button", name="Use this table")
        expect(keep).to_be_enabled()
        keep.click()
        # The corner tags are large enough, roof tags are not: waiting for one would be waiting for ever.
        expect(said).to_contain_text(
            "Roof tags are too small to be found in this picture of 640 × 480 pixels"
        )
        for way in ("pixels if the camera offers them", "bring the camera closer", "tags of 4 in"):
            expect(said).to_contain_text(way, ignore_case=True)
        page.get_by_text("One sheet for what you have").click()
        large = page.get_by_role("radio", name="4 inch")
        expect(large).to_be_checked()
        expect(page.get_by_text("No tag that fits on a roof is read in this picture")).to_be_visible()
        expect(page.locator("#print-form [role=status]")).to_contain_text("read everywhere on this table")
        assert page.evaluate("document.documentElement.scrollWidth") <= 640
        page.screenshot(path=tmp_path / "told.png", full_page=True)

        client.post("/api/source", json={"spec": "sim:cards"}).raise_for_status()
        hands = Hands()
        card = page.get_by_role("article", name="Tag 41")
        expect(card).to_be_visible()
        expect(card.get_by_label("Tag's black square, in")).to_have_value("4")
        name_the_car(page, hands, 41, "Red", "sedan")
        name_the_car(page, hands, 43, "Blue", "van")
        expect(said).to_contain_text("Ready")
        page.get_by_role("link", name="Ask for a ruling").click()
        for name in ("Red 1", "Blue 1"):
            page.locator("#car-list button", has_text=name).click()
        expect(page.locator("#checks li").first).to_be_visible()
        moment = first.live.moment
        assert moment is not None
        truth = small_scene(4.0).start
        for standing in moment.table.standings:
            off = standing.pose.xy - truth[standing.name].xy
            loading = standing.uncertainty.shared[:2]
            covariance = standing.uncertainty.own[:2, :2] + loading @ loading.T
            # Nobody measured anything: the stated deviation is large, and the truth is well within it.
            assert np.hypot(*off) < 1.0
            assert np.sqrt(off @ np.linalg.solve(covariance, off)) < 2.5
    assert complaints == []
