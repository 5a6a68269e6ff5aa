"""The printer's scale on the set-up page, in a real Chromium: a sheet laid down, one tap."""

from __future__ import annotations

from pathlib import Path

import cv2
import httpx
import pytest
from playwright.sync_api import Browser, expect

from calibration.tablefile import load_table
from tests.server.firsttime import first_time
from tests.server.page.evenings import WIDTHS
from tests.server.setup.printing.drawn_sheet import Laid, drawn
from tests.server.setup.printing.test_sheet_scale import bare_table


@pytest.mark.parametrize("width", WIDTHS)
def test_the_uncut_sheet_gives_the_scale_before_the_table_is_laid_out(
    tmp_path: Path, browser: Browser, width: int
) -> None:
    sheet, table = tmp_path / "sheet.png", tmp_path / "table.png"
    cv2.imwrite(str(sheet), drawn(Laid(scale=0.97)).grey)
    cv2.imwrite(str(table), bare_table().image)
    with first_time(tmp_path / "tables", str(sheet)) as first:
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        page.goto(f"{first.server.address}setup")
        expect(page.locator("#next")).to_contain_text("still lie on the sheet")
        expect(page.locator("#surface")).to_contain_text("a sheet of US Letter: printed at 97.")
        expect(page.locator("#sheet polygon")).to_have_count(1)
        # Nothing that was said wrongly is believed: this is no A4.
        wrong = httpx.post(f"{first.server.address}api/setup/sheet", json={"paper": "a4"}, timeout=60)
        assert wrong.status_code == 409
        assert "not the paper that was said" in wrong.json()["error"]
        page.get_by_role("button", name="Use this scale").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#next")).to_contain_text("Its scale is taken.")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # They are cut out and laid on the table.
        chosen = httpx.post(f"{first.server.address}api/source", json={"spec": str(table)}, timeout=60)
        chosen.raise_for_status()
        expect(page.get_by_role("button", name="Use this table")).to_be_enabled()
        expect(page.locator("#surface")).to_contain_text("Scale by a sheet of US Letter")
        page.get_by_role("button", name="Use this table").click()
        expect(page.locator("#surface")).to_contain_text("Make it surer")
        kept = load_table(first.file)
        # 2.4 inches at 97 %, as sure as paper is cut and edges are seen.
        assert kept.loose[0].size == pytest.approx(2.328, abs=0.012)
        assert 0.002 < kept.accuracy.print_scale < 0.004
        assert kept.accuracy.scale_by == "sheet"
        assert "printed at 97." in kept.text


def test_a_sheet_on_a_table_that_is_kept_is_offered_with_one_tap(tmp_path: Path, browser: Browser) -> None:
    table, laid = tmp_path / "table.png", tmp_path / "laid.png"
    cv2.imwrite(str(table), bare_table().grey)
    cv2.imwrite(
        str(laid), drawn(Laid("a4", at=(20.0, 12.0), turn_deg=30.0, blank=True), bare_table().grey).grey
    )
    with first_time(tmp_path / "tables", str(table)) as first:
        asks = httpx.Client(base_url=first.server.address, timeout=60)
        page = browser.new_context(viewport={"width": 1366, "height": 800}).new_page()
        page.goto(f"{first.server.address}setup")
        expect(page.get_by_role("button", name="Use this table")).to_be_enabled()
        # The file says 2.5 inches where 2.4 were printed: at 96 %.
        asks.post("/api/setup/surface", json={"corner_size_in": 2.5}).raise_for_status()
        page.get_by_text("Make it surer with a known length").click()
        expect(page.locator("#surface")).to_contain_text("No sheet of paper is found")
        asks.post("/api/source", json={"spec": str(laid)}).raise_for_status()
        expect(page.locator("#surface")).to_contain_text("Seen: a sheet of A4: printed at 96.")
        page.get_by_role("button", name="Use this scale").click()
        expect(page.get_by_role("button", name="Use this scale")).to_have_count(0)
        kept = load_table(first.file)
        assert kept.loose[0].size == pytest.approx(2.4, abs=0.02)
        assert kept.accuracy.print_scale < 0.005
        assert kept.accuracy.scale_by == "sheet"
        # The printed bar would be taken twice.
        again = asks.post("/api/setup/length", json={"bar_mm": 96.0})
        assert "measured already" in again.json()["error"]
        asks.close()
