"""The page on which maps of one's own are laid, in Chromium: pieces and marks by taps, and kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.server.page.evenings import WIDTHS, fits, into_view, photograph
from tests.server.setup.test_laying import GAME, OVAL, served
from tests.volume import deep

PIECES = (
    *("short straight", "left bend", "left bend", "left bend", "straight", "straight"),
    *("left bend", "left bend", "left bend", "start grid"),
)
"""After the straight that a map begins with: an oval, whose first straights are shorter by two hexes."""


@pytest.mark.parametrize("wide", WIDTHS)
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
        expect(page.locator("#print")).to_have_attribute("href", re.compile("text=Sunday%3A%202%20short"))
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


def tap(page: Page, cell: str, *, finger: bool) -> None:
    """A finger or the mouse on a cell, by its place on the sheet."""
    there = page.locator(f'[data-id="{cell}"]')
    into_view(there)
    there.tap() if finger else there.click()


@pytest.mark.parametrize(("wide", "finger"), [(390, True), pytest.param(1366, False, marks=deep)])
def test_single_cells_are_laid_and_taken_away(
    browser: Browser, tmp_path: Path, wide: int, finger: bool
) -> None:
    errors: list[str] = []
    with served(tmp_path) as one:
        one.maps.keep(GAME, OVAL)
        context = browser.new_context(viewport={"width": wide, "height": 844}, has_touch=finger)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{one.url}lay")
        page.locator('[data-kept="Sunday"]').click()
        expect(page.locator("#wrong")).to_have_text("It can be played on.")
        tap(page, "3,-4", finger=finger)
        expect(page.locator("#wrong")).to_contain_text("A lap is 35 spaces along the middle")
        expect(page.locator('[data-id="3,-4"]')).to_have_attribute("aria-label", "5.1")
        tap(page, "4,-4", finger=finger)
        tap(page, "0,-3", finger=finger)
        page.locator('[data-mark="fragile"]').click()
        tap(page, "3,-4", finger=finger)
        expect(page.locator('[data-id="3,-4"]')).to_have_attribute("aria-label", "5.1, fragile")
        expect(page.locator("polygon.free")).to_have_count(0)
        page.locator('[data-mark="start place"]').click()
        tap(page, "-8,0", finger=finger)
        expect(page.locator('[data-id="-8,0"]')).to_have_attribute("aria-label", "2.26, start place 9")
        page.locator("[data-deed]").click()
        expect(page.locator("#wrong")).to_contain_text("driven clockwise")
        page.locator("#undo").click()
        expect(page.locator("#wrong")).to_contain_text("driven counter-clockwise")
        page.reload()
        expect(page.locator('[data-id="3,-4"]')).to_have_attribute("aria-label", "5.1, fragile")
        expect(page.locator('[data-id="-8,0"]')).to_have_attribute("aria-label", "2.26, start place 9")
        page.locator("#redo").click()
        expect(page.locator("#wrong")).to_contain_text("driven clockwise")
        for _ in range(2):
            page.locator("#undo").click()
        expect(page.locator('[data-id="-8,0"]')).to_have_attribute("aria-label", "2.26")
        fits(page)
        photograph(page, f"lay-hexes-{wide}")
        page.locator("#keep").click()
        expect(page.locator("#wrong")).to_contain_text("Sunday is kept")
        (text,) = one.maps.texts(GAME)
        assert text == f"{OVAL}; fragile 3,-4; added 3..4,-4; taken 0,-3"
        context.close()
    assert errors == []


def test_the_keyboard_reaches_every_cell_and_what_is_ambiguous_or_wrong_is_said(
    browser: Browser, tmp_path: Path
) -> None:
    with served(tmp_path) as one:
        page = browser.new_page(viewport={"width": 1366, "height": 844})
        page.goto(f"{one.url}lay")
        page.locator("#empty").click()
        expect(page.locator("#wrong")).to_contain_text("No piece lies yet")
        assert page.locator('#map [tabindex="0"]').count() == 1, "one stop of the tab key"
        page.locator('#map [tabindex="0"]').focus()
        keys = page.keyboard
        keys.press("Enter")
        for key in ("ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowLeft", "ArrowDown"):
            keys.press(key)
            keys.press("Enter")
            # The drawing comes anew, and the keyboard stays where it was.
            expect(page.locator("#map polygon:focus:not(.free)")).to_have_count(1)
        expect(page.locator("#map polygon:not(.free)")).to_have_count(7)
        keys.press("Enter")
        expect(page.locator("#map polygon:not(.free)")).to_have_count(6)
        expect(page.locator("#wrong")).to_contain_text("the hexes go round nothing yet")
        keys.press("Control+z")
        expect(page.locator("#map polygon:not(.free)")).to_have_count(7)
        keys.press("Control+Shift+z")
        expect(page.locator("#map polygon:not(.free)")).to_have_count(6)
        assert page.locator("#keep").is_disabled()
        page.close()


def test_what_the_server_refuses_loses_nothing(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path) as one:
        page = browser.new_page(viewport={"width": 1366, "height": 844})
        page.goto(f"{one.url}lay")
        page.locator('[data-id="1,-4"]').click()
        expect(page.locator('[data-id="1,-4"]')).to_have_attribute("aria-label", "1,-4")
        page.route("**/api/lay/look**", lambda route: route.abort())
        page.locator('[data-id="2,-4"]').click()
        expect(page.locator("#error")).to_contain_text("nothing is lost, try again")
        page.unroute("**/api/lay/look**")
        page.locator('[data-id="2,-4"]').click()
        expect(page.locator("#error")).to_be_hidden()
        expect(page.locator("#map polygon:not(.free)")).to_have_count(18)
        page.close()
