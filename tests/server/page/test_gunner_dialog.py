"""The dialog that shows what a gunner sees."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.server.conftest import Served
from tests.server.page.test_table_page import choose, verdict

Look = Callable[..., Page]


class TestGunner:
    def test_looks_from_the_seat_that_was_chosen(self, served: Served, look: Look) -> None:
        page = look(served.url)
        expect(page.locator("#look-open")).to_be_disabled()
        choose(page, "RED1", "BLUE1")
        page.click("#look-open")
        said = page.locator("#look-said")
        expect(said).to_contain_text(
            re.compile(r"From RED1's front \w+ tyre, 0\.20″ above the table\. Nothing of BLUE1 is seen")
        )
        page.click("#look-turret")
        expect(said).to_contain_text("From RED1's turret")
        assert page.evaluate("document.getElementById('look-view').naturalWidth") > 700
        page.keyboard.press("Escape")
        expect(page.locator("#look")).to_be_hidden()
        # Escape closed the dialog and left the question.
        verdict(page, "no")

    def test_fits_a_phone(self, served: Served, look: Look) -> None:
        page = look(served.url, 390, 844)
        choose(page, "RED1", "BLUE1")
        page.click("#look-open")
        expect(page.locator("#look-said")).to_contain_text("From RED1")
        box = page.locator("#look").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
