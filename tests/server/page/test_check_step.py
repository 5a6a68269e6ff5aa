"""The step Check on the set-up page, in a real Chromium: a sheet of paper laid in three places."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from calibration.tablefile import load_table
from engine.space.geometry import Pose
from tests.server.firsttime import FirstTime, first_time
from tests.server.page.evenings import PATIENCE_MS, fits, photograph
from tests.server.setup.printing.drawn_sheet import true_surface
from vision.simulate.live import SimulatedTable

LETTER = (8.5, 11.0)


def lay_where_asked(page: Page, first: FirstTime, n: int, turn: float = 0.2) -> None:
    """Lays a sheet in the n-th marked area, a little beside its middle, as the camera shows it."""
    spots = httpx.get(f"{first.server.address}api/setup/check", timeout=120).json()["spots"]
    table = first.live.source
    assert isinstance(table, SimulatedTable)
    there = true_surface().table_from_image(np.mean(spots[n]["outline"], axis=0)[None])[0]
    table.lay_paper(LETTER, Pose(float(there[0]) - 0.8, float(there[1]) + 0.5, turn))


@pytest.mark.parametrize("width", [1366, 390])
def test_a_sheet_laid_in_three_places_proves_the_table(tmp_path: Path, browser: Browser, width: int) -> None:
    with first_time(tmp_path / "tables", "sim:first") as first:
        page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{first.server.address}setup")
        expect(page.locator("#check")).to_contain_text("Once the table is kept", timeout=PATIENCE_MS)
        page.get_by_role("button", name="Use this table").click()
        page.get_by_role("button", name="Begin the check").click()
        marks = page.locator("#check-marks polygon")
        asked = page.locator('#check-marks polygon[data-state="asked"]')
        expect(asked).to_have_count(1, timeout=PATIENCE_MS)
        for n, where in enumerate(("near left corner", "middle", "far right corner")):
            expect(page.locator("#next")).to_contain_text(where, timeout=PATIENCE_MS)
            expect(page.locator("#next")).to_be_in_viewport()
            if n == 1:
                photograph(page, f"setup-check-asked-{width}")
            lay_where_asked(page, first, n, 0.2 + 0.4 * n)
            if n < 2:
                done = page.locator('#check .spots li[data-done="true"]')
                expect(done).to_have_count(n + 1, timeout=PATIENCE_MS)
                expect(page.locator("#check tbody")).to_have_count(n + 1)
        verdict = page.locator("#check .verdict")
        expect(verdict).to_have_text("Agrees", timeout=PATIENCE_MS)
        expect(marks).to_have_count(0)
        expect(page.locator("#check")).to_contain_text("All 3 places agree with the table")
        expect(page.locator("#check")).to_contain_text("with US Letter; kept with the table")
        expect(page.locator("#next")).to_contain_text("Say what carries the tags")
        page.locator("#check summary").click()
        expect(page.locator("#check tbody tr")).to_have_count(12)
        expect(page.locator("#check-part")).to_be_in_viewport()
        fits(page)
        photograph(page, f"setup-check-{width}")
        kept = load_table(first.file).check
        assert kept is not None
        assert (kept.verdict, kept.paper, len(kept.places)) == ("agrees", "letter", 3)
        # Opened again it is still there; other sizes of the tags put it out of date.
        page.reload()
        expect(verdict).to_have_text("Agrees", timeout=PATIENCE_MS)
        text = first.file.read_text(encoding="utf-8")
        first.file.write_text(re.sub(r"size_in = 2\.4\b", "size_in = 2.45", text), encoding="utf-8")
        first.watch.check()
        expect(verdict).to_have_text("Out of date", timeout=PATIENCE_MS)
        expect(page.locator("#check")).to_contain_text("Since then the table's sizes")


def test_a_table_printed_too_small_does_not_agree(tmp_path: Path, browser: Browser) -> None:
    """The file says 2.6 inches where 2.4 were printed, and that it was measured well."""
    with first_time(tmp_path / "tables", "sim:first") as first:
        page = browser.new_context(viewport={"width": 1366, "height": 900}).new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{first.server.address}setup")
        expect(page.get_by_role("button", name="Use this table")).to_be_enabled(timeout=PATIENCE_MS)
        size = {"corner_size_in": 2.6}
        asks = httpx.post(f"{first.server.address}api/setup/surface", json=size, timeout=120)
        asks.raise_for_status()
        page.get_by_role("button", name="Begin the check").click()
        for n in range(3):
            expect(page.locator('#check .spots li[data-done="true"]')).to_have_count(n, timeout=PATIENCE_MS)
            lay_where_asked(page, first, n)
        expect(page.locator("#check .verdict")).to_have_text("Does not agree", timeout=PATIENCE_MS)
        expect(page.locator("#check")).to_contain_text("All lengths come out too long alike")
        expect(page.locator("#check")).to_contain_text("Look first at the printed size of the corner tags")
        # Nothing is in the way of the first ruling.
        expect(page.locator("#next")).to_contain_text("Say what carries the tags")
        page.get_by_role("button", name="Check again").click()
        expect(page.locator("#check .spots li")).to_have_count(3, timeout=PATIENCE_MS)
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#check .verdict")).to_have_text("Does not agree", timeout=PATIENCE_MS)
