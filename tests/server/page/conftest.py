"""A table, its owner and the owner's page, opened once for all tests of a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.server.gaming import Player, Table, gaming, put_away

WINDOW = {"width": 1440, "height": 900}


@dataclass
class AtTable:
    """As new for each test: on the page nobody is named yet."""

    table: Table
    page: Page
    stack: ExitStack

    @cached_property
    def owner(self) -> Player:
        """A connection of the owner's, once a test asks for it."""
        return self.stack.enter_context(self.table.joined())


@pytest.fixture(scope="module")
def opened_once(browser: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Table, Page, list[str]]]:
    """A table with its page, and what the page complains of; `SERVED` in a module says how it is served."""
    complaints: list[str] = []
    with ExitStack() as stack:
        table = stack.enter_context(gaming(**getattr(request.module, "SERVED", {})))
        context = stack.enter_context(browser.new_context(viewport=WINDOW))  # type: ignore[arg-type]
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{table.url}play")
        yield table, page, complaints


@pytest.fixture
def at_table(opened_once: tuple[Table, Page, list[str]]) -> Iterator[AtTable]:
    """The page as it is once a game was put away; whatever it throws fails the test."""
    table, page, complaints = opened_once
    with table.joined() as owner:
        put_away(table, owner)
    page.set_viewport_size(WINDOW)  # type: ignore[arg-type]
    page.mouse.move(0, 0)
    if page.locator("dialog[open]").count():
        page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("body")).to_have_attribute("data-phase", "setup")
    expect(page.locator("li.player")).to_have_count(0)
    # What is drawn anew for another size is drawn before the next picture of the screen.
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    with ExitStack() as stack:
        yield AtTable(table, page, stack)
    told, complaints[:] = list(complaints), []
    assert told == []


@pytest.fixture(scope="module")
def scripts(browser: Browser) -> Iterator[Page]:
    """A page of which only the scripts are tried: it is opened once for all of them."""
    with gaming() as table, browser.new_context(viewport=WINDOW) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(f"{table.url}play")
        yield page
