"""Cards to play from: shown while pieces are set up, anew with every answer, and printed as they stand."""

from __future__ import annotations

import io
from typing import Any

import httpx
import pypdfium2
import pytest
from playwright.sync_api import Browser, expect

from tests.server.fakes import PATIENCE
from tests.server.gaming import DRAFT, Table, gaming
from tests.server.page.evenings import WIDTHS, fits, into_view, photograph

PIECES = (("Red 1", "Anna", "Own build"), ("Blue 1", "Ben", "Steamer"))


def drafted(**answers: Any) -> dict[str, Any]:
    pieces = [{"name": n, "owner": o, "answers": {"type": t}} for n, o, t in PIECES]
    pieces[0]["answers"] |= answers  # type: ignore[operator]
    return {"game": "frothy_races", "players": DRAFT["players"], "pieces": pieces, "answers": {}}


def printed(table: Table) -> list[str]:
    """The text of each page of what the page's link prints."""
    pdf = httpx.get(f"{table.url}api/play/sheets.pdf", timeout=PATIENCE).content
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(io.BytesIO(pdf))]


def test_they_are_printed_as_set_up_and_as_they_stand() -> None:
    with gaming() as table, table.joined() as owner:
        owner.done(type="setup", draft=drafted(damage=11, traits=["Blades", "Tank"]))
        before = printed(table)
        assert ["Own build" in before[0], "Steamer" in before[1]] == [True, True]
        assert "Traits: Blades 1, Tank 1" in before[0]
        owner.done(type="begin")
        assert table.host.match is not None
        after = printed(table)
        assert len(after) == 2
        assert "Spent: none" in after[0]


@pytest.mark.parametrize("wide", WIDTHS)
def test_the_card_changes_with_every_answer(browser: Browser, wide: int) -> None:
    with gaming() as table, table.joined() as owner:
        owner.done(type="setup", draft=drafted())
        page = browser.new_page(viewport={"width": wide, "height": 900})
        page.goto(f"{table.url}play")
        card = page.locator('[data-card="Red 1"]')
        expect(card.locator(".limits")).to_contain_text("8 of 12")
        expect(page.locator('[data-card="Blue 1"] table')).to_be_hidden()
        row = card.locator("tr", has_text="Move 1")
        expect(row.locator("td").nth(6)).to_have_text("0")
        page.get_by_label("Whip cards of Red 1").fill("9")
        page.get_by_label("Whip cards of Red 1").press("Tab")
        expect(card.locator(".limits")).to_contain_text("13 of 12")
        expect(card.locator(".wrong")).to_have_text("13 cards: expected 4 to 12")
        owner.done(type="setup", draft=drafted(move_1=[0, 1, 1, 1, 0, 0, 3]))
        expect(row.locator("td").nth(6)).to_have_text("3")
        expect(card.locator(".limits")).to_contain_text("15 of 12 spaces in a round")
        fits(page)
        into_view(card)
        photograph(page, f"card-{wide}")
        page.close()
