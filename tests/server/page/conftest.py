"""What tests of the pages share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from server.web.authentication import COOKIE, Role
from tests.server.gaming import Table

OpenPlay = Callable[..., Page]
"""Opens the page of the game at a table, in a window of a size and by a role's pass."""


@pytest.fixture
def open_play(browser: Browser) -> Iterator[OpenPlay]:
    """A window of its own each time; whatever a page throws fails the test."""
    contexts, complaints = [], []

    def opened(
        table: Table,
        size: tuple[int, int] = (1440, 900),
        role: Role = "owner",
        before: Callable[[Page], None] = lambda _: None,
    ) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        contexts.append(context)
        if role != "owner":
            issued = table.server.authenticator.issue(role)
            context.add_cookies([{"name": COOKIE, "value": issued, "url": table.url}])
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        before(page)
        page.goto(f"{table.url}play")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
