"""The page on which maps of one's own are laid, in Chromium: pieces and marks by taps, and kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.server.page.evenings import fits, photograph
from tests.server.setup.test_laying import served

pytestmark = pytest.mark.slow

PIECES = (
    *("short straight", "left bend", "left bend", "left bend", "straight", "straight"),
    *("left bend", "left bend", "left bend", "start grid"),
)
"""After the straight that a map begins with: an oval, whose first straights are shorter by two hexes."""


@pytest.mark.parametrize("wide", [390, 1366])
def test_a_circuit_is_laid_and_kept(browser: Browser, tmp_path: Path, wide: int) -> None:
    errors: list[str] = []
    with served(tmp_path) as one:
        page = browser.new_page(viewport={"width": wide, "height": 844})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{one.url}lay")
        expect(page.locator("#wrong")).to_contain_text("It turns by 0°")
        page.locator('[data-laid="0"]').click()
        expect(page.locator("#wrong")).to_contain_text("No piece lies yet")
        for piece in ("short straight", *PIECES):
            page.locator(f'[data-piece="{piece}"]').click()
        expect(page.locator(".laid button")).to_have_count(1 + len(PIECES))
        expect(page.locator("#wrong")).to_have_text("It can be played on.")
        page.locator('[data-mark="hazard"]').click()
        page.locator('[data-cell="1.11"]').click()
        expect(page.locator('[data-cell="1.11"]')).to_have_attribute("aria-label", "1.11, hazard")
        page.locator('[data-mark="solid"]').click()
        page.locator('[data-cell="4.14"]').click()
        expect(page.locator('[data-cell="4.14"]')).to_have_attribute("aria-label", "4.14, solid")
        page.locator('[data-mark=""]').click()
        page.locator('[data-cell="1.11"]').click()
        expect(page.locator('[data-cell="1.11"]')).to_have_attribute("aria-label", "1.11")
        page.locator('[data-mark="hazard"]').click()
        page.locator('[data-cell="2.12"]').click()
        expect(page.locator('[data-cell="2.12"]')).to_have_attribute("aria-label", "2.12, hazard")
        page.locator("#name").fill("Sunday")
        page.locator("#name").press("Tab")
        expect(page.locator("#print")).to_have_attribute("href", re.compile("text=Sunday%3A%20short"))
        page.locator("#keep").click()
        expect(page.locator("#wrong")).to_contain_text("Sunday is kept")
        (text,) = one.maps.texts("frothy_races")
        assert text.endswith("start grid; solid 4.14; hazard 2.12")
        fits(page)
        photograph(page, f"lay-{wide}")
        page.reload()
        page.locator('[data-kept="Sunday"]').click()
        expect(page.locator('[data-cell="2.12"]')).to_have_attribute("aria-label", "2.12, hazard")
        page.close()
    assert errors == []
