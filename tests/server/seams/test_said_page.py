"""Two phones and an owner's page in Chromium: what one says instead of the table, another agrees to."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.server.conftest import OpenPlay
from tests.server.gaming import Table, gaming
from tests.server.play.moving.test_measuring import chosen, logged, shove

PATIENCE_MS = 120_000


def phone(open_play: OpenPlay, table: Table, name: str) -> Page:
    """That player's own page."""
    page = open_play(table, (390, 844), "player")
    page.locator("#now").get_by_role("button", name=name).click()
    expect(page.locator("#me")).to_contain_text(name, timeout=PATIENCE_MS)
    return page


def test_who_moves_proposes_and_who_loses_by_it_agrees(open_play: OpenPlay) -> None:
    with gaming(screen=True) as table, table.joined() as owner:
        chosen(owner)
        anna, ben = phone(open_play, table, "Anna"), phone(open_play, table, "Ben")
        # Before anything has happened nobody is offered to accept anything.
        expect(anna.locator("#now")).to_contain_text("RED1 has not moved yet.")
        for page in (anna, ben):
            expect(page.locator(".unmeasured")).to_have_count(0)
        shove(table, "RED1", -2.4)
        expect(anna.locator("#guide .headline")).to_have_text("Not legal", timeout=PATIENCE_MS)
        expect(anna.locator("#guide")).to_contain_text(
            "It is proposed: Ben, or the owner of the table, has to agree."
        )
        expect(anna.locator(".unmeasured > summary")).to_have_text("Accept without measuring: RED1")
        # What belongs to Anna's move is not on Ben's page.
        expect(ben.locator("button[data-takes]")).to_have_count(0)
        expect(ben.locator(".unmeasured")).to_have_count(0)
        anna.locator("button[data-takes]").click()
        expect(anna.locator("#ask")).to_contain_text("Ben, or the owner of the table, has to agree to it.")
        anna.locator("#ask button").click()
        expect(anna.locator(".proposals")).to_contain_text("Waiting for Ben.")
        expect(anna.locator(".proposals button", has_text="Agree")).to_have_count(0)
        assert logged(table, "moved") == []
        expect(ben.locator(".proposals")).to_contain_text("Anna proposes: ", timeout=PATIENCE_MS)
        expect(ben.locator(".proposals")).to_contain_text("Waiting for you.")
        ben.locator(".proposals button", has_text="No").click()
        expect(anna.locator(".proposals")).to_have_count(0, timeout=PATIENCE_MS)
        # Whoever proposed it is told.
        expect(anna.locator("#ask")).to_contain_text("Nothing came of it", timeout=PATIENCE_MS)
        expect(anna.locator("#ask")).to_contain_text("Ben does not agree.")
        # A page that is drawn anew before she has read it tells it again, and then no more.
        anna.reload()
        expect(anna.locator("#ask")).to_contain_text("Ben does not agree.", timeout=PATIENCE_MS)
        anna.locator("#ask button").click()
        anna.reload()
        expect(anna.locator("button[data-takes]")).to_be_visible()
        expect(anna.locator("#ask")).to_be_hidden()
        anna.locator("button[data-takes]").click()
        anna.locator("#ask button").click()
        ben.locator(".proposals button", has_text="Agree").click()
        expect(ben.locator("#log")).to_contain_text("Anna lets pass: ", timeout=PATIENCE_MS)
        expect(ben.locator("#log")).to_contain_text("; and says, not measured: Direction: ")
        expect(ben.locator("#log")).to_contain_text(": yes (too close to call); Ben agrees")
        expect(ben.locator(".proposals")).to_have_count(0)
        assert len(logged(table, "moved")) == 1
