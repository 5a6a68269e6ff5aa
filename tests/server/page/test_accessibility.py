"""What every page owes to eyes, keyboards and screen readers, looked at in Chromium."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.space.geometry import Pose
from tests.server.gaming import Player, Table, begun, gaming, let_stand
from tests.server.page.structure import STRUCTURE

STATIC = Path(__file__).parents[3] / "server" / "static"
Open = Callable[..., Page]

CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
"""Every control in use, and how its border or fill contrasts with what lies around it (WCAG 2.2, 1.4.11).

Words too, against what lies behind them (1.4.3), as a share of what is asked of them, times three.
"""


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """A window of its own; whatever the page throws or logs as an error fails the test."""
    contexts, complaints = [], []

    def opened(table: Table, path: str = "play", size: tuple[int, int] = (1440, 900), **more: Any) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{table.url}{path}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def moved(table: Table, owner: Player) -> None:
    """A game is under way: RED1 has moved, and BLUE1 stands in range ahead of it."""
    begun(owner)
    for kind in ("choose", "move"):
        assert owner.act(kind, car="RED1")["accepted"]
    let_stand(table, owner, RED1=Pose(10, 10, 0), BLUE1=Pose(18, 10, 0))


NAMELESS = re.compile(
    r"^ *- '?(?:button|link|textbox|combobox|spinbutton|checkbox|radio|slider|img)(?! \").*$", re.M
)
"""A control or a picture without a name, in a snapshot of the accessibility tree."""


def stand_out(page: Page, least: int) -> None:
    """Every control stands out from what lies around it, in the light and in the dark."""
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
        found = page.evaluate(CONTRAST)
        assert len(found) >= least, "the page shows its controls"
        assert {f["name"]: round(f["ratio"], 2) for f in found if f["ratio"] < 3} == {}, theme


def named(page: Page, least: int) -> None:
    """A screen reader is told what everything is."""
    tree = page.locator("body").aria_snapshot()
    assert tree.count('button "') >= least, "the page shows its controls"
    assert NAMELESS.findall(tree) == []
    assert page.evaluate(STRUCTURE) == []


def test_every_control_has_its_name_and_stands_out_from_what_lies_around_it(open_page: Open) -> None:
    with gaming() as table, table.joined() as owner:
        page = open_page(table, reduced_motion="reduce")
        expect(page.locator("li.carcard")).to_have_count(6)
        expect(page.locator("#alone .small")).to_be_visible()
        stand_out(page, 10)
        moved(table, owner)
        a_sheet_is_read_out(page)
        page.locator(".shot .line").first.click()
        expect(page.locator(".detail .checks li").first).to_be_visible()
        page.get_by_label("Mark BLUE1's sheet by hand").click()
        stand_out(page, 20)
        page.click("#modes-open")
        stand_out(page, 25)
        measuring = open_page(table, "", reduced_motion="reduce")
        expect(measuring.locator("#car-list button")).to_have_count(6)
        named(measuring, 8)
        stand_out(measuring, 12)
        measuring.click('#car-list button[data-name="RED1"]')
        stand_out(measuring, 12)
        screen = open_page(table, "screen")
        expect(screen.locator("#fleet .short")).to_have_count(4)
        assert screen.evaluate(STRUCTURE) == []


def a_sheet_is_read_out(page: Page) -> None:
    sheet = page.locator('[data-sheet="RED1"]')
    expect(sheet.get_by_role("group", name="Speed 3, at most 6")).to_be_visible()
    expect(sheet.get_by_role("img", name="Armour: 20 of 20 left", exact=True)).to_be_visible()
    named(page, 5)
    page.get_by_label("Mark RED1's sheet by hand").click()
    boxes = page.get_by_role("group", name="Armour: 20 of 20 left").get_by_role("button")
    expect(boxes).to_have_count(20)
    for number in (1, 20):
        expect(boxes.nth(number - 1)).to_have_accessible_name(f"Armour {number}")
        expect(boxes.nth(number - 1)).to_have_attribute("aria-pressed", "false")
    boxes.nth(1).click()
    expect(page.get_by_role("group", name="Armour: 18 of 20 left")).to_be_visible()
    named(page, 25)


def test_a_chosen_theme_goes_before_the_systems(open_page: Open) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    with gaming() as table:
        page = open_page(table, "")

        def shown(system: Literal["light", "dark"], chosen: str) -> object:
            page.emulate_media(color_scheme=system)
            if chosen:
                page.evaluate(f"localStorage.setItem('theme', '{chosen}')")
                page.reload()
            return page.evaluate(ground)

        light, dark = shown("light", ""), shown("dark", "")
        assert light != dark
        assert (shown("dark", "light"), shown("light", "dark")) == (light, dark)


def test_each_colour_is_written_once_and_by_day_again_for_older_browsers() -> None:
    sheets = "\n".join(path.read_text(encoding="utf-8") for path in (STATIC / "common").glob("*.css"))
    older = r"@supports not \(color: light-dark\(#000, #fff\)\) {\s*(:root[^}]*)}\s*}"
    roots = "".join(re.findall(r":root[^{]*{([^}]*)}", re.sub(older, "", sheets)))
    names = re.findall(r"--([\w-]+):", roots)
    assert len(names) > 10
    assert sorted(names) == sorted(set(names))
    by_day = re.findall(r"--([\w-]+): light-dark\((#\w+),", roots)
    (known,) = re.findall(older, sheets)
    assert re.findall(r"--([\w-]+): (#\w+);", known) == by_day
