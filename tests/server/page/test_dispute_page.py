"""The dispute in a real Chromium, on two screens at once."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.space.geometry import Pose
from server.disputes.frame_buffer import FrameBuffer
from server.play.messages import Undo
from server.web.authentication import Identity
from tests.server.conftest import Served
from tests.server.fakes import wait_until
from tests.server.gaming import begun, gaming, let_stand
from tests.server.page.evenings import IN_REACH

Look = Callable[..., Page]

TOLD_FIRST = """() => {
  const asked = window.fetch;
  window.fetch = async (...what) => {
    const answer = await asked(...what);
    const rows = document.getElementById("dispute-asked").children;
    while (rows.length < 2) await new Promise(requestAnimationFrame);
    return answer;
  };
}"""
"""The answer to a question comes after all screens have been told of it."""


@pytest.fixture
def table(served: Served) -> Served:
    wait_until("some frames", lambda: len(served.server.desk.ring.shots) > 5)
    return served


def choose(page: Page, *cars: str) -> None:
    for car in cars:
        page.click(f'#car-list button[data-name="{car}"]')
    # What is measured on the page is what is disputed: it has to be there.
    expect(page.locator("#verdict")).not_to_have_attribute("data-verdict", "none")


def frozen(page: Page, verdict: str) -> None:
    expect(page.locator("#dispute")).to_be_visible()
    expect(page.locator("#dispute-verdict")).to_have_attribute("data-verdict", verdict)


def test_one_key_freezes_every_screen_and_one_decision_frees_them(table: Served, look: Look) -> None:
    one, phone = look(table.url), look(table.url, 390, 844)
    choose(one, "RED1", "BLUE1")
    one.keyboard.press("d")
    for page in (one, phone):
        frozen(page, "no")
        expect(page.locator("#dispute-title")).to_have_text("RED1 → BLUE1, Machine Gun")
    # What moves now moves on the table behind, not in the dispute.
    table.source.move("RED1", Pose(40, 40, 0))
    phone.click("#ways button:has-text('Yes counts, which overrules the referee')")
    for page in (one, phone):
        expect(page.locator("#decided-words")).to_have_text("The owner of the table overruled it: yes.")
        settled = table.server.desk.open
        assert settled is not None
        expect(page.locator("#decided-seal")).to_have_text(
            " ".join(settled.dispute.seal[k : k + 4] for k in range(0, 64, 4))
        )
    one.click("#dispute-release")
    for page in (one, phone):
        expect(page.locator("#dispute")).to_be_hidden()
        expect(page.locator("#feed")).to_contain_text("The owner of the table overruled it: yes.")


def test_without_a_question_it_asks_and_with_one_it_is_looked_at_closely(table: Served, look: Look) -> None:
    page = look(table.url)
    dispute = page.locator("#dispute")
    page.keyboard.press("d")
    expect(page.locator("#dispute-choose")).to_be_visible()
    assert table.server.desk.open is None
    page.select_option("#choose-pieces label:nth-child(1) select", "RED1")
    page.select_option("#choose-pieces label:nth-child(2) select", "BLUE2")
    page.select_option("#choose-form select[name=question]", label="Plinker")
    page.click("#choose-form button[type=submit]")
    frozen(page, "yes")
    expect(page.locator("#dispute-title")).to_have_text("RED1 → BLUE2, Plinker")
    expect(page.locator("#dispute-choose")).to_be_hidden()
    expect(page.locator("#strip li")).not_to_have_count(0)
    # Nothing sticks out.
    for width in (390, 820, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        wide = page.evaluate(
            "[document.documentElement.scrollWidth, document.getElementById('dispute').scrollWidth]"
        )
        box = dispute.bounding_box()
        assert box is not None
        assert wide[0] <= width
        assert wide[1] <= box["width"]
    # Hidden here it stays open elsewhere.
    page.keyboard.press("Escape")
    expect(dispute).to_be_hidden()
    assert table.server.desk.open is not None
    expect(page.locator("#dispute-open")).to_have_attribute("data-open", "true")
    page.click("#dispute-open")
    expect(dispute).to_be_visible()
    page.click("#dispute-release")
    expect(dispute).to_be_hidden()
    choose(page, "RED1", "BLUE1")
    it_reaches_back_in_time(table, page)
    page.click("#dispute-release")
    expect(dispute).to_be_hidden()
    looks_closely_and_asks_more(page)


def it_reaches_back_in_time(table: Served, page: Page) -> None:
    table.source.move("RED1", Pose(20, 8.5, 1.5))
    wait_until("a frame of it", lambda: table.server.desk.ring.shots[-1].table.find("RED1").pose.x == 20)
    page.click("#dispute-open")
    frozen(page, "no")
    expect(page.locator("#dispute-facts")).to_contain_text("RED1 (still) at 20.00″")
    page.evaluate(
        "const r = document.getElementById('when-at'); r.value = 0; r.dispatchEvent(new Event('change'))"
    )
    expect(page.locator("#dispute-facts")).to_contain_text("RED1 (still) at 9.60″")


def looks_closely_and_asks_more(page: Page) -> None:
    page.click("#dispute-open")
    frozen(page, "no")
    wide = "document.getElementById('pane-picture').naturalWidth"
    wait_until("the frame", lambda: page.evaluate(wide) == 1280)
    page.click("#pane-in")
    page.click("#pane-in")
    assert "scale(2.56)" in (page.locator("#pane-inside").get_attribute("style") or "")
    page.click("#pane-fit")
    page.click("#strip button:has-text('Turret')")
    expect(page.locator("#pane-words")).to_contain_text("From RED1's turret")
    page.select_option("#ask-pieces label:nth-child(2) select", "BLUE2")
    page.select_option("#ask-form select[name=question]", label="Plinker")
    page.evaluate(TOLD_FIRST)
    page.click("#ask-form button[type=submit]")
    frozen(page, "yes")
    expect(page.locator("#dispute-asked li")).to_have_count(2)
    page.click("#dispute-asked li:first-child button")
    frozen(page, "no")
    page.select_option("#ask-pieces label:nth-child(2) select", "BLUE2")
    page.select_option("#ask-form select[name=question]", label="Plinker")
    page.click("#ask-instead")
    expect(page.locator("#dispute-title")).to_have_text("RED1 → BLUE2, Plinker")
    page.click("#die .dice button:has-text('5')")
    expect(page.locator("#decided-words")).to_have_text(
        "The owner of the table rolled for it: yes. The D6 showed 5 (typed)."
    )


def test_what_is_refused_is_said(browser: Browser, table: Served) -> None:
    # Not by `look`: a browser logs every refusal as an error.
    page = browser.new_page()
    page.goto(table.url)
    page.wait_for_selector("#car-list button")
    choose(page, "RED1", "BLUE1")
    table.server.desk.ring = FrameBuffer()
    page.keyboard.press("d")
    expect(page.locator("#lost")).to_contain_text("no frame is kept yet")
    page.close()


def test_a_spectator_sees_it_and_has_no_buttons(table: Served, look: Look) -> None:
    page = look(table.url)
    pass_ = table.server.authenticator.pass_for(Identity("spectator", "0" * 16))
    page.context.add_cookies([{"name": "tableref", "value": pass_, "url": table.url}])
    page.reload()
    page.wait_for_selector("#car-list button")
    desk = table.server.desk
    desk.freeze(desk.party(Identity("owner")), pieces=["RED1", "BLUE1"])
    frozen(page, "no")
    for id in ("#decide-form", "#ask-form", "#dispute-release", "#when"):
        expect(page.locator(id)).to_be_hidden()


def keep(page: Page, name: str) -> None:
    folder = os.environ.get("TABLEREF_SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def show(what: Locator) -> None:
    """Scrolls to it at once: waiting for it to stand still, a page that draws it anew loses it."""
    what.evaluate("node => node.scrollIntoView({ block: 'nearest' })")


def test_two_phones_and_the_big_screen_settle_a_shot(browser: Browser) -> None:
    complaints: list[str] = []
    with gaming() as table, table.joined() as owner:
        begun(owner)
        let_stand(table, owner, RED1=Pose(10, 44, 0.0), BLUE1=Pose(21, 44, math.pi))
        owner.done(type="act", kind="choose", data={"car": "RED1"})
        owner.done(type="overrule", path=["round", "stage"], value="free", words="for the test")
        ring = table.server.desk.ring
        wait_until("frames of it", lambda: ring.shots and ring.shots[-1].table.find("BLUE1").pose.y == 44)
        shot = {"weapon": "Machine Gun", "target": "BLUE1"}
        owner.done(type="act", kind="shoot", data=shot, dice=[8])
        match = table.host.match
        assert match is not None
        hurt = match.state.car("BLUE1").marked
        pages = {}
        for name in ("Anna", "Ben"):
            shown = table.shown("player")
            with table.joined("player", shown) as player:
                player.done(type="sit", player=name)
            context = browser.new_context(viewport={"width": 390, "height": 844})
            token = shown["cookie"].split("=", 1)[1]
            context.add_cookies([{"name": "tableref", "value": token, "url": table.url}])
            pages[name] = context.new_page()
        pages["screen"] = browser.new_page(viewport={"width": 1920, "height": 1080})
        for name, page in pages.items():
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.goto(f"{table.url}{'screen' if name == 'screen' else 'play'}")
            expect(page.locator("#waiting")).to_be_hidden()
        anna, ben, screen = pages["Anna"], pages["Ben"], pages["screen"]
        # Ben is asked; nobody's screen is frozen until he has said what it is about.
        ben.click("#dispute-open")
        expect(ben.locator("#dispute-choose")).to_be_visible()
        keep(ben, "dispute-choose-phone")
        assert table.server.desk.open is None
        ben.click("#choose-subjects li:first-child button")
        for page in pages.values():
            expect(page.locator("#dispute")).to_be_visible()
            expect(page.locator("#dispute-title")).to_have_text("RED1 → BLUE1, Machine Gun")
        # The big screen only shows; Anna may not withdraw what Ben opened.
        expect(screen.locator("#dispute-subject")).to_contain_text("shoot at BLUE1 with the Machine Gun")
        expect(anna.locator("#dispute-release")).to_be_hidden()
        keep(ben, "dispute-open-phone")
        # As *Open again* has it: to the minute.
        expect(ben.locator("#dispute-about")).to_have_text(
            re.compile(r"^Frozen by Ben, \d{1,2}:\d\d\s[AP]M$")
        )
        ben.fill("#decide-form input[name=note]", "The mug stood there.")
        show(ben.locator("#ways button:has-text('No counts')"))
        keep(ben, "dispute-ways-phone")
        ben.click("#ways button:has-text('No counts')")
        expect(ben.locator("#proposal-words")).to_contain_text("Waiting for Anna.")
        expect(ben.locator("#proposal-mine")).to_be_hidden()
        assert match.state.car("BLUE1").marked == hurt
        expect(anna.locator("#proposal-words")).to_contain_text("is taken back")
        # What was proposed is not agreed to once more would be taken back with it, and both are told.
        owner.done(type="overrule", path=["round", "stage"], value="free", words="once more")
        for page in (ben, anna):
            expect(page.locator("#declined")).to_contain_text("has to be proposed again")
        expect(ben.locator("#ways")).to_contain_text("once more")
        # Whoever has to agree reads all that goes with it.
        ben.click("#ways button:has-text('No counts')")
        expect(anna.locator("#proposal-words")).to_contain_text("is taken back, with it goes “round")
        owner.done(type="undo")
        expect(ben.locator("#ways")).not_to_contain_text("once more")
        ben.click("#ways button:has-text('No counts')")
        expect(anna.locator("#proposal-words")).to_contain_text("is taken back")
        show(anna.locator("#proposal-mine"))
        keep(anna, "dispute-proposal-phone")
        # Whoever proposed it is told that it was declined, where they look.
        anna.click("#proposal-mine button:has-text('I do not agree')")
        expect(ben.locator("#declined")).to_have_text("Anna does not agree: it is not settled.")
        assert ben.locator("#declined").evaluate(IN_REACH)
        ben.click("#ways button:has-text('No counts')")
        expect(ben.locator("#declined")).to_be_hidden()
        ben.locator("#dispute-title").scroll_into_view_if_needed()
        anna.click("#proposal-mine button:has-text('I agree')")
        for page in pages.values():
            expect(page.locator("#decided-words")).to_contain_text("Ben and Anna overruled it: no.")
            # What counts now is in view, and not the ruling alone that was overruled.
            expect(page.locator("#decided-words")).to_be_in_viewport(ratio=1)
            # The ruling does not look as if it still counted.
            expect(page.locator("#dispute-counts")).to_have_text("Decided: No")
            expect(page.locator("#dispute-verdict")).to_contain_text("The ruling was: Yes")
            expect(page.locator("#dispute-verdict")).to_have_attribute("data-overruled", "true")
        keep(screen, "dispute-decided-screen")
        keep(ben, "dispute-decided-phone")
        assert match.state.car("BLUE1").marked == 0
        wide = anna.evaluate("document.getElementById('dispute').scrollWidth")
        assert wide <= 390
        anna.click("#dispute-release")
        for page in pages.values():
            expect(page.locator("#dispute")).to_be_hidden()
        expect(anna.locator(".log")).to_contain_text("is taken back")
        anna.click("#dispute-open")
        overruled = "Ben and Anna overruled it: no."
        expect(anna.locator("#choose-decided")).to_contain_text(f"in force. {overruled}")
        table.host.ask(Identity("owner"), Undo(type="undo", key="undo-the-decision"))
        anna.click("#choose-close")
        anna.click("#dispute-open")
        expect(anna.locator("#choose-decided")).to_contain_text(
            "taken back since. Ben and Anna overruled it: no."
        )
        keep(anna, "dispute-decided-before-phone")
        for page in pages.values():
            page.close()
    assert complaints == []
