"""Other corner tags on the set-up page, in a real Chromium: ticked by keyboard, or tapped in the picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from calibration.tablefile import load_table
from tests.server.page.evenings import WIDTHS
from tests.server.setup.test_corner_choice import watched, with_corners


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
