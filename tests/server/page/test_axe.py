"""axe-core finds nothing on any page: as a program is set up, as it plays, and as it is looked at again."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.server.firsttime import first_time
from tests.server.gaming import Player
from tests.server.page.axe import AXE, axe_finds
from tests.server.page.evenings import LAPTOP, PHONE, SCREEN, Evening, opened, set_up

PLAYERS = (("Anna", "#c8322b"), ("Ben", "#1f6fd0"))
CARS = (("Red 1", "Anna", {}), ("Red 2", "Anna", {}), ("Blue 1", "Ben", {}))
SETTING_UP = {"setup": "main button", "calibrate": "main button", "lay": "main"}
PLAYING = {"": "#car-list button", "play": "#now h2", "replay": "#games li", "camera": "main", "join": "main"}
"""Pages, with what stands on them once they are drawn."""


def looked_through(page: Page, drawn: str, where: str, found: dict[str, list[str]]) -> None:
    expect(page.locator(drawn).first).to_be_attached()
    if wrong := axe_finds(page):
        found[where] = wrong


def in_play(evening: Evening, found: dict[str, list[str]]) -> None:
    """A game under way: on a player's phone, the owner's page, the television and the table's page."""
    with evening.joined() as wire:
        owner = Player(wire)
        set_up(owner, "White Line Fever", PLAYERS, CARS, deployment="highway")
        owner.done(type="begin")
    page = evening.page(LAPTOP)
    for car in ("Red 1", "Blue 1", "Red 2"):
        page.locator('.deed.car[data-kind="deploy"]', has_text=car).click()
    expect(page.locator("#turn")).to_contain_text("Anna drives")
    looked_through(page, ".deed.car", "the owner's page", found)
    phone = evening.page(PHONE, "player")
    looked_through(phone, "#now .deed", "a phone without a seat", found)
    phone.locator(".deed", has_text="Anna").click()
    looked_through(phone, "#now .deed.car", "a phone", found)
    page.click("#modes-open")
    looked_through(page, "dialog[open]", "the options", found)
    screen = evening.page(SCREEN, "spectator", "/screen")
    looked_through(screen, "#fleet .short", "/screen", found)


@pytest.mark.skipif(not AXE.exists(), reason="needs axe-core: run 'make axe', which asks npm for it")
def test_axe_finds_nothing_on_any_page(browser: Browser, tmp_path: Path) -> None:
    found: dict[str, list[str]] = {}
    with first_time(tmp_path / "tables") as first, browser.new_context() as context:
        page = context.new_page()
        page.set_content("<html lang=en><title>x</title><main><h1>x</h1><img src=x><ul><p></ul></main>")
        assert {one.split(":")[0] for one in axe_finds(page)} >= {"image-alt", "list"}, "it sees"
        for path, drawn in SETTING_UP.items():
            page.goto(f"{first.server.address}{path}")
            looked_through(page, drawn, f"/{path}", found)
    with opened(browser, tmp_path / "library") as evening:
        page = evening.page(LAPTOP, to="/")
        for path, drawn in PLAYING.items():
            page.goto(f"{evening.server.address}{path}")
            looked_through(page, drawn, f"/{path}", found)
        in_play(evening, found)
    assert found == {}
