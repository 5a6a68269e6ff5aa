"""The page of the game where moves are seen: what the driver reads and taps."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from playwright.sync_api import Page, WebSocketRoute, expect

from engine.measure.sweep import Straight, Turn
from tests.server.conftest import OpenPlay
from tests.server.gaming import Table
from tests.server.page.conftest import AtTable
from tests.server.page.evenings import photograph
from tests.server.play.moving.test_measuring import WHY, chosen, logged, shove
from tests.server.play.moving.test_move_guide import choosing, drive

SERVED = {"screen": True}


def guide_alone(page: Page) -> None:
    """What is seen of the move reaches the page by itself, never with the game."""

    def apart(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def told(message: str | bytes) -> None:
            said = json.loads(message)
            if said["type"] != "play" or said["guide"] is None:
                return route.send(message)
            route.send(json.dumps({**said, "guide": None}))
            route.send(json.dumps({"type": "guide", "guide": said["guide"]}))

        server.on_message(told)

    page.route_web_socket("**/ws/play", apart)


def at_both_sizes(page: Page, name: str) -> Iterator[str]:
    """The page on a desktop and on a phone, with a picture of each once it was looked at."""
    for where, (width, height) in (("desktop", (1440, 900)), ("phone", (390, 844))):
        page.set_viewport_size({"width": width, "height": height})
        yield where
        photograph(page, f"driver-{where}-{name}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def disputed(table: Table, page: Page) -> None:
    """What is disputed is the move that lies on the table."""
    page.click("#dispute-open")
    page.click("#choose-subjects li:first-child button")
    expect(page.locator("#dispute")).to_be_visible()
    expect(page.locator("#dispute-title")).to_contain_text("RED2")
    opened = table.server.desk.open
    assert opened is not None
    assert opened.dispute.evidence.question.pieces == ("RED2",)
    page.click("#dispute-release")
    expect(page.locator("#dispute")).to_be_hidden()


def test_the_driver_follows_the_move_on_desktop_and_phone_and_all_on_the_big_screen(
    at_table: AtTable, open_play: OpenPlay
) -> None:
    table, owner, page = at_table.table, at_table.owner, at_table.page
    screen = open_play(table, (1920, 1080), before=guide_alone, to="screen")
    choosing(table, owner, "RED2", 5)
    panel, take = page.locator("#guide"), page.locator("#pin [data-takes]")
    expect(screen.locator(".guided .reach")).to_have_count(1)
    for _ in at_both_sizes(page, "ready"):
        expect(page.locator(".guided .reach")).to_have_count(1)
        expect(panel).to_be_hidden()
    drive(table, "RED2", Straight(2), Turn(math.radians(40)), Straight(3), rests=False, share=0.7)
    for _ in at_both_sizes(page, "pushing"):
        expect(panel).to_contain_text("to go")
        for one in (page, screen):
            expect(one.locator(".guided .path")).to_be_visible()
            expect(one.locator(".guided .goal")).to_be_visible()
    drive(table, "RED2", Straight(2.2))
    for _ in at_both_sizes(page, "off"):
        expect(panel).to_have_attribute("data-verdict", "no")
        expect(take).to_have_text("Accept it as it stands")
        take.click(trial=True)
        disputed(table, page)
    take.click()
    for _ in at_both_sizes(page, "taken"):
        expect(panel).to_be_hidden()
        # What is usually done is the game's own button again.
        expect(page.locator("body")).to_have_attribute("data-takes", "")
    assert logged(table, "moved")


def test_one_measured_button_and_another_that_says_that_nothing_is_measured(at_table: AtTable) -> None:
    table, owner, page = at_table.table, at_table.owner, at_table.page
    chosen(owner)
    # Before the car has moved there is nothing to take as measured.
    expect(page.locator("#now")).to_contain_text("RED1 has not moved yet.")
    expect(page.locator(".deed", has_text="Maneuver 1 is done")).to_have_count(0)
    shove(table, "RED1", -19.5)
    expect(page.locator("#guide .headline")).to_have_text("Not legal")
    expect(page.locator("button[data-takes]")).to_have_count(1)
    expect(page.locator(".deed", has_text="Maneuver 1 is done")).to_have_count(0)
    page.locator("summary", has_text="Accept without measuring").click()
    accept = page.locator(".unmeasured > .deed")
    expect(accept).to_have_text("Accept without measuring")
    accept.click()
    expect(page.locator("#ask")).to_contain_text("Say why it was not measured")
    page.locator("#ask button").click()
    assert logged(table, "moved") == []
    page.get_by_label("Why it was not measured of RED1, without measuring").fill(WHY)
    photograph(page, "unmeasured")
    page.set_viewport_size({"width": 390, "height": 844})
    photograph(page, "unmeasured-phone")
    accept.click()
    expect(page.locator("#log .not-measured")).to_have_text("not measured")
    expect(page.locator("#log")).to_contain_text(f"without measuring: {WHY}")
    photograph(page, "unmeasured-log")
    assert logged(table, "moved")[-1].measured is False
