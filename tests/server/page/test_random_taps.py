"""Whatever the pages of a game offer is tapped, typed and dragged as it comes, on a laptop and two phones."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Locator, Page, Response, expect

from tests.server.page.evenings import LAPTOP, PATIENCE_MS, PHONE, Evening, opened
from tests.volume import deep

TAPS, TRAIL = 400, 12
"""How often something is tried, and how many of the last are told where something broke."""

AT_ONCE_MS = 3000
"""What cannot be tapped by then lies behind something else, or is gone."""

SCENES = {
    "white_line_fever": "duel",
    "battlecars": "points",
    "car_cult": "ground",
    "frothy_races": "hexes",
    "shattered_highways": "road",
}

ASKED = "#now button:enabled, #now label, #pin button:enabled"
OFFERED = "button:enabled, summary, label, select:enabled, a[href^='/']"
FIELDS = "input:enabled, textarea:enabled"
TYPED = ("Anna", "3", "-1", "12.5", "99999", "x y", "")
KEYS = ("Escape", "Enter", "Tab", "Delete", "ArrowLeft")
NO_WORDS = re.compile(r"\b(undefined|NaN|null)\b|\[object ")


class Hand:
    """Does one thing after the other at pages; keeps what it tried, did and looked at, and what broke."""

    def __init__(self, evening: Evening, pages: list[Page], drawn: random.Random) -> None:
        self.pages = pages
        self.drawn = drawn
        self.did: list[str] = []
        self.done = 0
        self.wrong: list[str] = evening.complaints
        for page in pages:
            page.set_default_timeout(AT_ONCE_MS)
            page.on("response", self.answered)

    def answered(self, response: Response) -> None:
        if response.status >= 500:
            self.wrong.append(f"{response.status} of {response.url}")

    def act(self) -> None:
        """One thing at one of the pages; what is gone before it is reached is let be."""
        page = self.drawn.choice(self.pages)
        way = self.drawn.choices(
            (self.tap, self.type, self.drag, self.press, self.load), (12, 2, 4, 1, 0.3)
        )[0]  # fmt: skip
        tried = len(self.did)
        with suppress(Error):
            way(page)
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            told = NO_WORDS.search(page.inner_text("body"))
            if told:
                self.wrong.append(f"{told[0]!r} is to be read")
            self.done += len(self.did) - tried

    def one_of(self, page: Page, what: str) -> Locator | None:
        inside = "dialog[open] " if page.locator("dialog[open]").count() else ""
        found = page.locator(", ".join(f"{inside}{one}" for one in what.split(", "))).filter(visible=True)
        return found.nth(self.drawn.randrange(number)) if (number := found.count()) else None

    def tap(self, page: Page) -> None:
        asked = None if page.locator("dialog[open]").count() else self.one_of(page, ASKED)
        one = asked if asked and self.drawn.random() < 0.7 else self.one_of(page, OFFERED)
        if one is None:
            return
        self.did.append(f"taps {one.inner_text()[:30]!r}")
        if one.evaluate("(node) => node.tagName") == "SELECT":
            one.select_option(self.drawn.choice(one.locator("option").all_inner_texts() or [""]))
        else:
            one.click()

    def type(self, page: Page) -> None:
        if (field := self.one_of(page, FIELDS)) is not None:
            said = self.drawn.choice(TYPED)
            self.did.append(f"types {said!r} into {field.get_attribute('aria-label')!r}")
            field.fill(said)
            field.press("Enter")

    def drag(self, page: Page) -> None:
        if (piece := self.one_of(page, ".piece")) is not None and (box := piece.bounding_box()):
            self.did.append("drags")
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            page.mouse.down()
            page.mouse.move(self.drawn.uniform(0, 800), self.drawn.uniform(60, 700), steps=4)
            page.mouse.up()

    def press(self, page: Page) -> None:
        self.did.append("presses a key")
        page.keyboard.press(self.drawn.choice(KEYS))

    def load(self, page: Page) -> None:
        to = self.drawn.choice(("play", "play", "", "replay", "screen"))
        self.did.append(f"opens /{to}")
        page.goto(f"{page.url.split('/', 3)[0]}//{page.url.split('/', 3)[2]}/{to}")


@deep
@pytest.mark.parametrize("game", SCENES)
def test_nothing_that_is_tapped_breaks_a_page(
    browser: Browser, tmp_path: Path, game: str, figure: Callable[[str, object], None]
) -> None:
    seed = random.randrange(10_000)
    with opened(browser, tmp_path, SCENES[game], fps=5.0) as evening:
        pages = [evening.page(LAPTOP), *(evening.page(PHONE, "player") for _ in range(2))]
        hand = Hand(evening, pages, random.Random(seed))
        owner = pages[0]
        owner.set_default_timeout(PATIENCE_MS)
        for chosen in (f'[data-game="{game}"]', "#as-filed", "#begin"):
            owner.locator(chosen).click()
        expect(owner.locator("body")).to_have_attribute("data-phase", "match")
        owner.set_default_timeout(AT_ONCE_MS)
        for _ in range(TAPS):
            hand.act()
            assert hand.wrong == [], f"seed {seed}, after {hand.did[-TRAIL:]}"
        assert hand.done > TAPS // 5
        figure(f"random taps on the pages of {game} that broke nothing", hand.done)
