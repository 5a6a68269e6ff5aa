"""An evening at the simulated table as `serve` serves it, in Chromium: owner, player, spectator.

`TABLEREF_SCREENSHOTS` names a folder to keep pictures of it in.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.game.match import Match
from server.play.host import MatchHost
from server.play.keeping import KINDS
from server.play.messages import Overrule
from server.recording.library.games import Library
from server.replay.rerule import rule_again
from server.table.questions.rulings import Rulings
from server.web.authentication import Identity
from tests.server.fakes import wait_until
from tests.server.gaming import Player, gaming
from tests.server.page import evenings as played
from tests.server.page.evenings import (
    DESKTOP,
    LAPTOP,
    PHONE,
    SCREEN,
    Evening,
    Figure,
    accept,
    counted,
    deed,
    fits,
    opened,
    photograph,
    roll,
    says,
    take,
    tap,
    tells_all,
)
from vision.simulate.live import SimulatedTable


def set_up(owner: Page) -> None:
    """Players, cars, weapons, house rules: by tapping alone."""
    for name in ("Anna", "Ben"):
        owner.fill('input[name="name"]', name)
        owner.click("text=Add player")
        expect(owner.get_by_label(f"Colour of {name}")).to_be_visible()
    for car, player in (("Red 1", "Anna"), ("Red 2", "Anna"), ("Blue 1", "Ben")):
        card = owner.locator(f'li.carcard[data-piece="{car}"]')
        card.locator(".pick", has_text=player).click()
        expect(card).to_have_attribute("data-owned", "true")
    armed = {
        "Primary weapon of Red 1": "Machine Gun",
        "Secondary weapon of Red 1": "Harpoon",
        "Brand of Red 1": "Essence",
        "Brand of Blue 1": "Venus",
        "Primary weapon of Blue 1": "Plinker",
    }
    for label, choice in armed.items():
        owner.get_by_label(label, exact=True).select_option(choice)
        expect(owner.get_by_label(label, exact=True)).to_have_value(choice)
        says_server = owner.locator(".carcard .words", has_text="damage").first
        expect(says_server).to_be_visible()
    weapon = owner.get_by_label("Primary weapon of Red 1", exact=True)
    gun = weapon.locator('option[value="Machine Gun"]')
    weapon.dispatch_event("pointerdown")
    expect(gun).to_have_attribute("label", re.compile("damage"))
    weapon.dispatch_event("blur")
    expect(gun).to_have_attribute("label", "Machine Gun")
    owner.locator('[data-value="highway"]').click()
    owner.locator(".rules summary").click()
    track = owner.locator(".rules .field", has_text="Armour track").locator("input")
    track.fill("4 4")
    track.press("Enter")
    expect(owner.locator(".rules .field", has_text="Armour track")).to_have_attribute("data-changed", "true")


def test_an_evening(browser: Browser, tmp_path: Path, figure: Figure) -> None:
    with opened(browser, tmp_path) as evening:
        owner = evening.page(LAPTOP)
        expect(owner.locator("li.carcard")).to_have_count(6)
        ben = evening.page(PHONE, "player")
        says(ben, "#now", "The owner is naming the players")
        set_up(owner)
        photograph(owner, "play-setup")
        ben.locator(".deed", has_text="Ben").click()
        says(ben, "#me", "Ben")
        arms_their_own(owner, ben)
        assert "#" not in ben.url
        guest = evening.page(DESKTOP, "spectator")
        screen = evening.page(SCREEN, "spectator", "/screen")
        owner.click("#begin")
        deploy(owner, ben, guest)
        with counted(owner, "White Line Fever, a turn with a shot", 6, figure):
            first_round(evening, owner, ben, guest, screen)
        tells_all(screen)
        second_round(evening, owner, ben, figure)
        last_round(evening, owner, ben, guest, screen)
        guest.locator("#now a", has_text="see it again").click()
        guest.wait_for_url("**/replay?game=*")
        guest.locator("a", has_text="All games").click()
        says(guest, "#games li", "being recorded")
    assert evening.host.match is not None
    is_in_the_library(tmp_path, evening.host.match)


def test_a_page_of_the_game_is_told_which_record_it_is(tmp_path: Path, browser: Browser) -> None:
    with opened(browser, tmp_path) as evening:
        wait_until("the first picture", lambda: evening.live.moment is not None)
        with evening.joined() as wire, Library.open(tmp_path) as games:
            owner = Player(wire)
            players = [("Ann", "#c8322b"), ("Ben", "#1f6fd0")]
            played.set_up(owner, "White Line Fever", players, [("Red 1", "Ann", {}), ("Blue 1", "Ben", {})])
            owner.done(type="begin")
            told = owner.shows(lambda state: state["phase"] == "match")["record"]
            assert [told] == [game.id for game in games.games()]


def arms_their_own(owner: Page, ben: Page) -> None:
    """A player arms their own cars on the phone, and changes their mind."""
    expect(ben.locator("li.carcard")).to_have_count(1)
    for brand in ("Mule", "Venus"):
        ben.get_by_label("Brand of Blue 1").select_option(brand)
        expect(owner.get_by_label("Brand of Blue 1")).to_have_value(brand)
    expect(ben.locator("#begin, .players")).to_have_count(0)
    fits(ben)


def is_in_the_library(folder: Path, played: Match[Any]) -> None:
    """The record alone brings the game back, and today's engine rules all of it as it was ruled."""
    with Library.open(folder) as library:
        (game,) = library.games()
        reader = library.reader(game.id)
        again = MatchHost()
        again.restore(reader.entries(KINDS))
        assert again.match is not None
        assert again.match.state == played.state
        ruled = list(rule_again(reader, Rulings.by_book(None)))
        assert [one for one in ruled if one.changes] == []
        assert len(ruled) >= sum(event.kind == "action" for event in played.log) > 10


def deploy(owner: Page, ben: Page, guest: Page) -> None:
    """Each on their own page; a spectator has no button."""
    owner.locator(".deed.car", has_text="Red 1").click()
    ben.locator(".deed.car", has_text="Blue 1").click()
    owner.locator(".deed.car", has_text="Red 2").click()
    says(guest, "#turn", "Anna drives")
    expect(guest.locator("#now button, #guide button, #pin button, #undo")).to_have_count(0)
    says(guest, "#now", "You are a spectator")
    says(ben, "#now", "Anna is to act")
    expect(ben.locator("#now button, #pin button")).to_have_count(0)


def first_round(evening: Evening, owner: Page, ben: Page, guest: Page, screen: Page) -> None:
    """Anna drives three inches and shoots; taken back, done again, and seen by everybody."""
    evening.put("Blue 1", 17.0, 12.0, 90)
    # Out of turn: told, and let stay by the owner.
    owner.get_by_role("button", name="Blue 1: It stays there").click()
    expect(owner.locator(".strays")).to_have_count(0)
    tap(owner.locator(".deed.car", has_text="Red 1"))
    evening.put("Red 1", 6.5, 11.0, 10)
    take(owner)
    shot = owner.locator('.shot[data-piece="Blue 1"][data-label="Machine Gun"]')
    expect(shot).to_have_attribute("data-state", "yes")
    says(owner, '.shot[data-piece="Blue 1"][data-label="Machine Gun"] .odds', "%")
    tap(shot.locator(".line"))
    says(owner, ".shot .detail", "Line of Sight clear")
    expect(owner.locator('[data-check="Line of Sight"].line')).to_be_visible()
    photograph(owner, "play")
    tap(owner.locator('[data-typed="shoot"]'))
    roll(owner, 8)
    for page in (owner, ben, guest, screen):
        says(page, "#result", "Red 1 hits Blue 1")
    # The car that acts stands large; another one says how it stands, and is opened by a tap.
    says(ben, '[data-sheet="Blue 1"] .summary', "5 armour")
    for page in (owner, ben):
        page.locator('[data-sheet="Blue 1"] .opens').click()
    says(ben, '[data-sheet="Blue 1"] .left', "5")
    owner.click("#undo")
    says(ben, '[data-sheet="Blue 1"] .left', "8")
    owner.click("#redo")
    says(ben, '[data-sheet="Blue 1"] .left', "5")
    photograph(screen, "play-screen")
    tap(deed(owner, "speed").filter(has_text="4"))
    says(ben, "#turn", "Ben drives")


def second_round(evening: Evening, owner: Page, ben: Page, figure: Figure) -> None:
    """Ben's phone: into the mug, spun out, put right, with the table's own dice.

    The mug carries no tag, so his stop short of 3 inches is for somebody else to accept.
    """
    owner.click("#modes-open")
    owner.locator("#modes button", has_text="typed").click()
    expect(owner.locator("#modes button", has_text="typed")).to_have_attribute("aria-pressed", "true")
    owner.locator("#modes").get_by_label("Close").click()
    ben.locator(".deed.car", has_text="Blue 1").click()
    evening.put("Blue 1", 17.0, 14.6, 90)
    says(ben, "#guide", "It is proposed: Anna, or the owner of the table, has to agree.")
    photograph(ben, "play-phone")
    says(owner, "#guide", "Not legal")
    with counted(owner, "White Line Fever, a collision", 3, figure):
        tap(owner.locator("#now summary:visible", has_text="More details"))
        tap(owner.locator(".pick:visible", has_text="Mug"))
        take(owner)
    # It is Ben's car, and so his die.
    with counted(ben, "White Line Fever, a typed die of a collision", 1, figure):
        roll(ben, 3)
    says(ben, "#turn", "Blue 1 spins out")
    expect(ben.locator(".marked .place")).to_have_count(1)
    fits(ben)
    evening.put("Blue 1", 17.0, 14.6, 270)
    # It turns green, and so it has been placed.
    says(owner, "#turn", "Anna drives")
    says(owner, '[data-sheet="Blue 1"] .left', "2")


def last_round(evening: Evening, owner: Page, ben: Page, guest: Page, screen: Page) -> None:
    """A token is laid, a sheet is marked by hand, and the last shot decides."""
    laid = {"Oil 1": {"name": "Oil 1", "weapon": "Oil", "dropped_by": "Red 2", "at": [40.0, 42.0, 0.5]}}
    lay = Overrule(type="overrule", key="lay-the-token", path=["tokens"], value=laid, words="laid earlier")
    assert evening.host.ask(Identity("owner"), lay).accepted
    source = evening.live.source
    assert isinstance(source, SimulatedTable)
    assert source.poses()["Oil 1"].x == pytest.approx(40.0)
    card = owner.locator('[data-sheet="Blue 1"]')
    expect(card.locator("select")).to_have_count(0)
    owner.get_by_label("Mark Blue 1's sheet by hand").click()
    # What has become of it, and whether each weapon is spent.
    expect(card.locator("select")).to_have_count(3)
    owner.locator('[data-sheet="Blue 1"]').get_by_label("Armour 7", exact=True).click()
    says(guest, "#log", "marked by hand")
    says(owner, '[data-sheet="Blue 1"] .left', "1")
    owner.locator(".deed.car", has_text="Red 1").click()
    expect(owner.locator(".deed", has_text="Maneuver")).to_have_count(0)
    expect(owner.locator(".unmeasured")).to_have_count(0)
    evening.put("Red 1", 7.0, 11.1, 10)
    accept(owner, "it stays where it is")
    says(guest, "#log", "not measured")
    says(guest, "#log", "it stays where it is")
    shot = owner.locator('.shot[data-piece="Blue 1"][data-label="Machine Gun"]')
    expect(shot).to_have_attribute("data-state", "yes")
    shot.locator(".line").click()
    deed(owner, "shoot").click()
    roll(owner, 1)
    # A die typed wrong is put right where it lies.
    says(guest, "#result", "misses")
    owner.locator("[data-retype]").click()
    roll(owner, 7)
    for page in (owner, ben, guest, screen):
        says(page, "#turn", "Anna wins")
    expect(ben.locator("#order .chip[data-out='true']")).to_have_text("Ben0 cars")
    for page in (owner, ben, guest, screen):
        fits(page)
    photograph(owner, "play-victory")


def test_who_was_not_invited(browser: Browser) -> None:
    with gaming() as table:
        context = browser.new_context(extra_http_headers={"x-forwarded-for": "192.168.1.9"})
        for to, words in (("play", ""), ("join#wrong-secret-wrong-secret", "not or no longer good")):
            page = context.new_page()
            page.goto(f"{table.url}{to}")
            says(page, "h2", "You need an invitation")
            says(page, "#why", words)
            assert table.url.rstrip("/") in page.url
            assert "#" not in page.url
        context.close()


def test_numbers_that_are_spoken(browser: Browser) -> None:
    said = {
        "five": 5, "it shows a 7": 7, "Two.": 2, "to": 2, "ate": 8, "twelve": None, "nine": None, "": None,
    }  # fmt: skip
    with gaming() as table:
        page = browser.new_page()
        page.goto(f"{table.url}play")
        spoken = "async (said) => said.map((await import('/static/common/speech.js')).numberIn)"
        assert page.evaluate(spoken, list(said)) == list(said.values())
        page.click("#modes-open")
        for box in page.locator('#modes input[type="checkbox"]').all():
            expect(box).not_to_be_checked()
        page.close()
