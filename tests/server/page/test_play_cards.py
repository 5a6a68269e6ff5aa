"""Cards to play from: shown while pieces are set up, anew with every answer, and printed as they stand."""

from __future__ import annotations

import io
from dataclasses import asdict
from typing import Any

import httpx
import pypdfium2
import pytest
from playwright.sync_api import Browser, expect

from engine.game.match import Match
from engine.game.showing import Viewer
from tests.engine.games.suite import suites
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


SHEETS = """async (sheets) => {
  const { SheetsPanel } = await import("/static/play/sheets.js");
  const node = document.createElement("section");
  node.style.width = "292px";
  document.body.replaceChildren(node);
  document.body.style.overflow = "auto";
  const play = { match: { sheets, status: { piece: null } }, seats: [], me: { owner: false }, game: {} };
  new SheetsPanel(node, {}).draw(play);
  const wide = [];
  for (const sheet of node.querySelectorAll(".sheet")) {
    const edge = sheet.getBoundingClientRect().right;
    for (const part of sheet.querySelectorAll(".widget *")) {
      const over = Math.max(part.getBoundingClientRect().right - edge, part.scrollWidth - part.clientWidth);
      if (part.clientWidth && over > 1) wide.push(`${part.className} ${part.textContent}: ${over}`);
    }
  }
  return [wide, node.innerText];
}"""
"""Draws sheets as narrow as a card of the page gets: what sticks out of them, and all that can be read."""


def test_a_sheet_is_as_wide_as_its_card_and_says_what_its_boxes_cost(browser: Browser) -> None:
    with gaming() as table:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(f"{table.url}play")
        for suite in suites():
            log = max(suite.golden.logs.values(), key=len)
            match = Match.replay(suite.game, log[: len(log) // 2])
            sheets = suite.game.sheets(match.state, Viewer())
            wide, said = page.evaluate(SHEETS, [asdict(sheet) for sheet in sheets])
            assert wide == [], suite.id
            boxes = [b for s in sheets for w in s.widgets for b in getattr(w, "boxes", ())]
            told = {words for s in sheets for w in s.widgets for words in (getattr(w, "more", ""),) if words}
            costs = {b.words for b in boxes if b.words}
            unsaid = {words for words in costs if words not in said}
            assert unsaid == set()
            assert costs or told or "Armour" in said
            photograph(page, f"sheets-{suite.id}")
        page.close()
