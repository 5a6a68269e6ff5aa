"""The page of the game takes a move as it was measured, or without, by name and with the reason."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Page, expect

from engine.space.geometry import Pose
from tests.server.gaming import begun, gaming
from tests.server.page.test_play_page import Open, open_page
from tests.server.play.moving.test_measuring import WHY, chosen, logged, shove

__all__ = ["open_page"]


PATIENCE_MS = 120_000


def photograph(page: Page, name: str) -> None:
    if folder := os.environ.get("TABLEREF_SCREENSHOTS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def test_one_measured_button_and_another_that_says_that_nothing_is_measured(open_page: Open) -> None:
    with gaming(screen=True) as table, table.joined() as owner:
        chosen(owner)
        page = open_page(table)
        # Before the car has moved there is nothing to take as measured.
        expect(page.locator("#now")).to_contain_text("The camera has not measured RED1 yet.")
        expect(page.locator(".deed", has_text="Maneuver 1 is done")).to_have_count(0)
        shove(table, "RED1", -19.5)
        expect(page.locator("#guide .headline")).to_have_text("Not legal", timeout=PATIENCE_MS)
        expect(page.locator("button[data-takes]")).to_have_count(1)
        expect(page.locator(".deed", has_text="Maneuver 1 is done")).to_have_count(0)
        page.locator("summary", has_text="Accept without measuring").click()
        accept = page.locator(".unmeasured > .deed")
        expect(accept).to_have_text("Accept without measuring")
        accept.click()
        expect(page.locator("#ask")).to_contain_text("Still to be said")
        page.locator("#ask button").click()
        assert logged(table, "moved") == []
        page.get_by_label("Why it was not measured of RED1, without measuring").fill(WHY)
        photograph(page, "unmeasured")
        page.set_viewport_size({"width": 390, "height": 844})
        photograph(page, "unmeasured-phone")
        accept.click()
        expect(page.locator("#log .not-measured")).to_have_text("not measured", timeout=PATIENCE_MS)
        expect(page.locator("#log")).to_contain_text(f"without measuring: {WHY}")
        photograph(page, "unmeasured-log")
        assert logged(table, "moved")[-1].measured is False


def test_what_was_asked_in_a_turn_is_cleared_with_it_on_every_screen(open_page: Open) -> None:
    """The measuring page shows the shot of the turn, and after it nothing that is no longer asked."""
    with gaming(follows=True) as table, table.joined() as owner:
        begun(owner)
        for kind in ("choose", "move"):
            assert owner.act(kind, car="RED1")["accepted"]
        table.source.move("RED1", Pose(10, 10, 0))
        table.source.move("BLUE1", Pose(18, 10, 0))
        page = open_page(table)
        page.goto(table.url)
        chosen = page.locator('#car-list button[aria-pressed="true"]')
        for car in ("RED1", "BLUE1"):
            page.click(f'#car-list button[data-name="{car}"]')
        expect(chosen).to_have_count(2)
        expect(page.locator("#sentence")).to_contain_text("RED1 may fire the Machine Gun at BLUE1")
        assert owner.act("end")["accepted"]
        expect(chosen).to_have_count(0)
        expect(page.locator("#headline")).to_have_text("Which pieces?")
