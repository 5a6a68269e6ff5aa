"""Cards to play from: shown while pieces are set up, anew with every answer, and printed as they stand."""

from __future__ import annotations

import io
from dataclasses import asdict
from typing import Any

import httpx
import pypdfium2
import pytest
from playwright.sync_api import Browser, Page, expect

from engine.game.contract import NOTHING_SEEN
from engine.game.match import Match
from engine.game.records import to_json
from engine.game.showing import Viewer
from server.play.view import option_view
from tests.engine.games.car_cult.playing import begun, car, do, tokens
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
  const panel = new SheetsPanel(node, {});
  panel.draw(play);
  const small = node.innerText;
  panel.opened = new Set(sheets.map((sheet) => sheet.title));
  panel.draw(play);
  const wide = [];
  for (const sheet of node.querySelectorAll(".sheet")) {
    const edge = sheet.getBoundingClientRect().right;
    for (const part of sheet.querySelectorAll(".widget *")) {
      const over = Math.max(part.getBoundingClientRect().right - edge, part.scrollWidth - part.clientWidth);
      if (part.clientWidth && over > 1) wide.push(`${part.className} ${part.textContent}: ${over}`);
    }
  }
  return [wide, small, node.innerText];
}"""
"""Draws sheets as narrow as a card of the page gets: what sticks out of them, and all that can be read."""


def test_a_sheet_is_as_wide_as_its_card_and_says_what_its_boxes_cost(scripts: Page) -> None:
    scripts.set_viewport_size({"width": 390, "height": 844})
    for suite in suites():
        log = max(suite.golden.logs.values(), key=len)
        match = Match.replay(suite.game, log[: len(log) // 2])
        sheets = suite.game.sheets(match.state, Viewer())
        wide, small, said = scripts.evaluate(SHEETS, [asdict(sheet) for sheet in sheets])
        assert wide == [], suite.id
        for sheet in sheets:
            assert all(part in small for part in (sheet.title, sheet.owner, sheet.summary)), small
        assert len(small) < len(said) / 3
        boxes = [b for s in sheets for w in s.widgets for b in getattr(w, "boxes", ())]
        told = {words for s in sheets for w in s.widgets for words in (getattr(w, "more", ""),) if words}
        costs = {b.words for b in boxes if b.words}
        unsaid = {words for words in costs if words not in said}
        assert unsaid == set()
        assert costs or told or "Armour" in said
        photograph(scripts, f"sheets-{suite.id}")


TAPPED = """async ({ options, sheets, piece, taps }) => {
  const { OptionsPanel } = await import("/static/play/options.js");
  const { SheetsPanel } = await import("/static/play/sheets.js");
  const [now, pin, node] = ["now", "pin", "cards"].map(() => document.createElement("section"));
  node.style.width = "330px";
  document.body.replaceChildren(now, pin, node);
  document.body.style.overflow = "auto";
  const match = { options, sheets, strays: [], ghosts: [], proposals: [], chosen: [], reveals: null,
    status: { over: false, piece } };
  const play = { match, me: { acts: true, owner: true, role: "owner" }, seats: [], machines: [], game: {},
    modes: { dice: "roll" }, trouble: null, guide: null, draft: { players: [], pieces: [] } };
  const asked = [];
  const asker = { option: async (o, said) => (asked.push([o.kind, { ...o.data, ...said }]), true) };
  const does = { option: asker.option, point() {}, spots: () => panel.spots(play),
    offer: () => cards.again() };
  const cards = new SheetsPanel(node, does);
  const panel = new OptionsPanel(now, pin, does, asker);
  cards.draw(play);
  panel.draw(play, null);
  const all = (what, from = node) => [...from.querySelectorAll(what)];
  const sheet = all(".sheet")[0];
  const small = all(".spot").filter((n) => n.offsetWidth < 40 || n.offsetHeight < 40);
  const wide = all(".widget *").filter((n) => n.clientWidth && n.scrollWidth > n.clientWidth + 1);
  const told = { first: sheet.dataset.sheet, says: sheet.innerText.split(/\\s+/).join(" "),
    spots: all(".spot").length, small: small.length, wide: wide.map((n) => n.textContent) };
  const pressed = [];
  for (const label of taps) {
    all(".spot").find((n) => n.getAttribute("aria-label").startsWith(label)).click();
    await new Promise(requestAnimationFrame);
    pressed.push([all(".spot[aria-pressed=true]").length, all(".pick[aria-pressed=true]", now).length]);
  }
  return { ...told, asked, pressed };
}"""
"""Taps on the cards of a game, with the lines of its options beside them; what is asked of the server."""


def tapped(page: Page, match: Match[Any], *taps: str) -> Any:
    """What comes of taps on places of the cards, by how they are read out."""
    return page.evaluate(
        TAPPED,
        {
            "options": [option_view(o, mine=True) for o in match.options(NOTHING_SEEN)],
            "sheets": to_json(match.game.sheets(match.state, Viewer())),
            "piece": match.game.status(match.state, Viewer()).piece,
            "taps": taps,
        },
    )


def test_tokens_are_put_swapped_and_lost_by_taps_on_the_card(scripts: Page) -> None:
    """As by the lines, which show what was tapped; each place says what it leads to."""
    match = begun(
        car("Red 1", "Straight Five", "Fanatical Fixer", "Rifle"), car("Blue 1"), tokens={"Red 1": 3}
    )
    scripts.set_viewport_size({"width": 390, "height": 844})
    shift = tapped(scripts, match, "Straight Five, 9 in +ST: Speed")
    assert (shift["first"], shift["spots"], shift["small"], shift["wide"]) == ("Red 1", 3, 0, [])
    assert shift["asked"] == [["shift", {"tokens": 2}]]
    assert "2 0 to 5″, 4 turns, drift 0″; 1 D20: 10 or more" in shift["says"]
    assert "10 or more each" not in shift["says"].partition("1 D20: ")[2].partition(" D20")[0]
    do(match, "shift", (2,), tokens=2)
    assert tokens(match, "Red 1", "Straight Five") == "S...D"
    places = ["Fanatical Fixer, +ST", "Straight Five, 9 in +ST", "Straight Five, 12 in"]
    put = tapped(scripts, match, *["Rifle, 1: empty"] * 3, *places)
    assert (put["spots"], put["small"], put["wide"]) == (6, 0, [])
    assert put["pressed"][:4] == [[1, 1], [0, 0], [1, 1], [2, 2]], "the line and the place are one"
    zones = ["Rifle · 1", "Fanatical Fixer · 1", "Straight Five · 2", "Straight Five · 3"]
    assert put["asked"] == [["allocate", {"zones": zones}]], "as soon as all are put"
    assert "Range 18 in" in put["says"] or "Range 18″" in put["says"]
    photograph(scripts, "card-tapped-390")
    do(match, "allocate", zones=zones[:2])
    swap = tapped(scripts, match, "Straight Five, 16 in", "Rifle, 1: Speed")
    assert swap["asked"] == [["exchange", {"one": "Straight Five · 5", "other": "Rifle · 1"}]]


def test_what_was_picked_waits_while_another_decides_what_comes_first(scripts: Page) -> None:
    """Cards for a Speed check were unpicked by the dice of another's; what was played is picked no more."""
    told = scripts.evaluate(
        """async () => {
          const { OptionsPanel } = await import("/static/play/options.js");
          const [now, pin] = [document.createElement("section"), document.createElement("section")];
          const one = (value) => ({ value, words: value, more: "", facts: [], at: null, group: "",
            leads: "", not_now: [], own: false });
          const option = (player, ...cards) => ({ kind: "check", player, words: "Check", more: "",
            heading: player, heading_more: "", data: {}, citation: "", piece: player, facts: [],
            reckoning: [], question: null, not_now: [], sealed: null, main: false, ends: false,
            button: "", mine: player === "A", measuring: null,
            form: { fields: cards.length ? { cards: { type: "pick", words: "Cards", more: "",
              usual: null, optional: true, folded: false, least: 0, most: 3,
              candidates: cards.map(one) } } : {} } });
          const panel = new OptionsPanel(now, pin, { point() {} }, {});
          const draw = (what, ...options) => panel.draw({ me: { acts: true, owner: false, role: "player",
            player: "A" }, seats: [], machines: [], modes: { dice: "roll" }, trouble: null, guide: null,
            draft: { players: [], pieces: [] }, match: { options, strays: [], ghosts: [],
            proposals: [], chosen: [], reveals: null, status: { what, over: false } } }, null);
          const mine = option("A", "whip 1", "whip 2");
          const picked = (o) => panel.said(o).cards ?? null;
          const pick = () => panel.answer(mine, "cards", ["whip 1", "whip 2"]);
          const told = {};
          draw("Round 1", mine, option("B"));
          pick();
          draw("Round 1", option("B"));
          draw("Round 1", mine);
          told.back = picked(mine);
          told.fewer = picked(option("A", "whip 2"));
          draw("Round 1", { ...option("A"), kind: "roll" });
          draw("Round 1", mine);
          told.did_another_thing = picked(mine);
          pick();
          draw("Round 1", option("B"));
          draw("Round 2", option("B"));
          draw("Round 2", mine);
          told.next_round = picked(mine);
          return told;
        }"""
    )
    assert told == {
        "back": ["whip 1", "whip 2"], "fewer": ["whip 2"], "did_another_thing": None, "next_round": None,
    }  # fmt: skip
