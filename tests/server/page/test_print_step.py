"""The step *Print* of the set-up page and the printer's scale, in a real Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import cv2
import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from calibration.tablefile import load_table
from engine.game.registry import maps_of
from server.setup.printing.game_prints import games_to_print, needs_board
from tests.calibration.prints.test_sheets import pages, tags
from tests.server.fakes import PATIENCE, wait_until
from tests.server.firsttime import FirstTime, first_time
from tests.server.page.evenings import WIDTHS
from tests.server.setup.printing.drawn_sheet import Laid, drawn
from tests.server.setup.printing.test_sheet_scale import bare_table


@pytest.fixture
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FirstTime]:
    """The simulated table that nobody set up, already chosen as the camera, where printers hold US Letter."""
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    with first_time(tmp_path / "tables", "sim:first", fps=1.0) as one:
        wait_until("the first picture", lambda: one.live.moment is not None)
        yield one


def opened(browser: Browser, first: FirstTime, width: int) -> tuple[Page, list[str]]:
    page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{first.server.address}setup")
    # All corner tags are in view: nobody needs paper, and the step steps back until it is opened.
    expect(page.locator("#outline polygon")).to_have_count(1)
    expect(page.locator("#print-part details")).not_to_have_attribute("open", "")
    page.get_by_text("One sheet for what you have").click()
    expect(page.get_by_text("Measured in the picture")).to_be_visible()
    return page, complaints


def asked_of(page: Page) -> dict[str, str]:
    link = page.locator("#print-sheet").get_attribute("href") or ""
    return {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}


@pytest.mark.parametrize("width", WIDTHS)
def test_a_sheet_of_tags_is_asked_for_with_the_map_of_a_game_and_by_keyboard_alone(
    browser: Browser, first: FirstTime, width: int
) -> None:
    page, complaints = opened(browser, first, width)
    the_map_of_a_game_is_printed_with_its_tags_and_is_no_other_games(first, page, width)
    page.get_by_label("Game to be played").select_option(index=0)
    a_bad_number_is_mended_by_keyboard_and_the_link_delivers_what_the_form_says(first, page, width)
    assert complaints == []


def the_map_of_a_game_is_printed_with_its_tags_and_is_no_other_games(
    first: FirstTime, page: Page, width: int
) -> None:
    game = next(one for one in games_to_print() if needs_board(one) and one.cutouts)
    bare = next(one for one in games_to_print() if not needs_board(one))
    expect(page.get_by_label("Map")).to_be_hidden()
    paper = page.locator("#print-form [aria-live]")
    page.get_by_label("Game to be played").select_option(label=game.title)
    # The first map is proposed, as far apart as the game has it; what it costs in paper is told before.
    expect(page.get_by_label("Map")).to_have_value(maps_of(game.id)[0].id)
    expect(page.get_by_label("Its cells apart")).to_have_attribute(
        "placeholder", f"{maps_of(game.id)[0].spacing:g}"
    )
    # One to read, for those who have no table yet.
    expect(paper).to_have_text(re.compile(r"^\d+ sheets of paper: (1 to read, )?1 of tags, 28 of the map\.$"))
    page.get_by_label("Its cells apart").fill("1.5")
    expect(paper).to_contain_text("8 of the map")
    page.get_by_label("Its counters too").check()
    expect(paper).to_contain_text("of counters")
    expect(page.get_by_role("link", name=re.compile("record sheets"))).to_have_attribute(
        "href", re.compile("fill-in")
    )
    wait_until("the link", lambda: asked_of(page).get("counters") == "true")
    asked = asked_of(page)
    assert (asked["game"], asked["map"], asked["spacing_in"]) == (game.id, maps_of(game.id)[0].id, "1.5")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    answer = httpx.get(f"{first.server.address}api/setup/print.pdf", params=asked, timeout=PATIENCE)
    assert paper.inner_text().startswith(f"{len(pages(answer.content))} sheets of paper")
    # We have a map: "none" stays, and another game has no map at all.
    page.get_by_label("Map").select_option("")
    expect(page.get_by_text("choose one, or draw it yourself")).to_be_visible()
    expect(page.get_by_label("Its cells apart")).to_be_hidden()
    page.get_by_label("Game to be played").select_option(label=bare.title)
    expect(page.get_by_text("it is played on the bare table")).to_be_visible()
    expect(page.get_by_label("Map")).to_be_hidden()
    wait_until("the link", lambda: (asked_of(page).get("game"), asked_of(page).get("map")) == (bare.id, None))
    # An answer that comes late is not taken for another game's.
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(re.compile(rf"/api/setup/print\?.*game={game.id}"), hold)
    page.get_by_label("Game to be played").select_option(label=game.title)
    wait_until("the question to be on its way", lambda: page.title() and held)
    page.get_by_label("Game to be played").select_option(label=bare.title)
    for route in held:
        route.continue_()
    expect(page.get_by_text("it is played on the bare table")).to_be_visible()
    expect(page.get_by_label("Map")).to_be_hidden()
    expect(page.locator("#print-form [role=alert]")).to_be_hidden()
    page.unroute_all(behavior="wait")


def a_bad_number_is_mended_by_keyboard_and_the_link_delivers_what_the_form_says(
    first: FirstTime, page: Page, width: int
) -> None:
    # Corner tags are there, and ids follow those in view.
    expect(page.get_by_label("Corner tags too")).not_to_be_checked()
    expect(page.get_by_text("Ids: cars 53–58")).to_be_visible()
    cars, link, told = (
        page.get_by_label("Cars", exact=True),
        page.locator("#print-sheet"),
        page.locator("#print-form [role=alert]"),
    )
    cars.fill("99")
    expect(told).to_contain_text("Cars: ")
    expect(link).to_have_attribute("aria-disabled", "true")
    assert link.get_attribute("href") is None
    cars.fill("1")
    page.get_by_label("Without flat roof").fill("2")
    expect(told).to_contain_text("more holders than cars")
    cars.focus()
    page.keyboard.press("ArrowUp")
    expect(told).to_be_hidden()
    expect(link).to_have_attribute("aria-disabled", "false")
    # The sizes are radio buttons: arrows change them, and the page says what that means.
    page.get_by_role("radio", name="1.1 inch").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("radio", name="0.9 inch")).to_be_checked()
    wait_until("the link", lambda: asked_of(page).get("size_in") == "0.9")
    assert asked_of(page)["cars"] == "2"
    page.get_by_label("Pieces of terrain").fill("0")
    page.get_by_label("Spare tags").fill("1")
    page.get_by_label("Without flat roof").fill("1")
    expect(page.get_by_label("Paper")).to_have_value("letter")
    assert "paper" not in asked_of(page), "the system that prints says which"
    page.get_by_label("Paper").select_option("a4")
    page.locator("label:has(input[value='0.75'])").click()
    expect(page.get_by_text("Ids: cars 53–54, spares 55.")).to_be_visible()
    expect(page.locator("#print-form [role=status]")).to_contain_text("pixels a module in the middle")
    wait_until("the link", lambda: asked_of(page).get("size_in") == "0.75")
    asked = asked_of(page)
    assert (asked["cars"], asked["holders"], asked["paper"], asked["corners"]) == ("2", "1", "a4", "false")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    pdf = httpx.get(f"{first.server.address}api/setup/print.pdf", params=asked, timeout=PATIENCE).content
    assert {tag for image in pages(pdf) for tag in tags(image)} == {53, 54, 55}


@pytest.mark.parametrize("width", WIDTHS)
def test_the_uncut_sheet_gives_the_scale_before_the_table_is_laid_out(
    tmp_path: Path, browser: Browser, width: int
) -> None:
    sheet, table = tmp_path / "sheet.png", tmp_path / "table.png"
    cv2.imwrite(str(sheet), drawn(Laid(scale=0.97)).grey)
    cv2.imwrite(str(table), bare_table().image)
    with first_time(tmp_path / "tables", str(sheet)) as first:
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        page.goto(f"{first.server.address}setup")
        expect(page.locator("#next")).to_contain_text("still lie on the sheet")
        expect(page.locator("#surface")).to_contain_text("a sheet of US Letter: printed at 97.")
        expect(page.locator("#sheet polygon")).to_have_count(1)
        # Nothing that was said wrongly is believed: this is no A4.
        wrong = httpx.post(f"{first.server.address}api/setup/sheet", json={"paper": "a4"}, timeout=PATIENCE)
        assert wrong.status_code == 409
        assert "not the paper that was said" in wrong.json()["error"]
        page.get_by_role("button", name="Use this scale").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#next")).to_contain_text("Its scale is taken.")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # They are cut out and laid on the table.
        chosen = httpx.post(f"{first.server.address}api/source", json={"spec": str(table)}, timeout=PATIENCE)
        chosen.raise_for_status()
        expect(page.get_by_role("button", name="Use this table")).to_be_enabled()
        expect(page.locator("#surface")).to_contain_text("Scale by a sheet of US Letter")
        page.get_by_role("button", name="Use this table").click()
        expect(page.locator("#surface")).to_contain_text("Make it surer")
        kept = load_table(first.file)
        # 2.4 inches at 97 %, as sure as paper is cut and edges are seen.
        assert kept.loose[0].size == pytest.approx(2.328, abs=0.012)
        assert 0.002 < kept.accuracy.print_scale < 0.004
        assert kept.accuracy.scale_by == "sheet"
        assert "printed at 97." in kept.text


def test_a_sheet_on_a_table_that_is_kept_is_offered_with_one_tap(tmp_path: Path, browser: Browser) -> None:
    table, laid = tmp_path / "table.png", tmp_path / "laid.png"
    cv2.imwrite(str(table), bare_table().grey)
    cv2.imwrite(
        str(laid), drawn(Laid("a4", at=(20.0, 12.0), turn_deg=30.0, blank=True), bare_table().grey).grey
    )
    with first_time(tmp_path / "tables", str(table)) as first:
        asks = httpx.Client(base_url=first.server.address, timeout=PATIENCE)
        page = browser.new_context(viewport={"width": 1366, "height": 800}).new_page()
        page.goto(f"{first.server.address}setup")
        expect(page.get_by_role("button", name="Use this table")).to_be_enabled()
        # The file says 2.5 inches where 2.4 were printed: at 96 %.
        asks.post("/api/setup/surface", json={"corner_size_in": 2.5}).raise_for_status()
        page.get_by_text("Make it surer with a known length").click()
        expect(page.locator("#surface")).to_contain_text("No sheet of paper is found")
        asks.post("/api/source", json={"spec": str(laid)}).raise_for_status()
        expect(page.locator("#surface")).to_contain_text("Seen: a sheet of A4: printed at 96.")
        page.get_by_role("button", name="Use this scale").click()
        expect(page.get_by_role("button", name="Use this scale")).to_have_count(0)
        kept = load_table(first.file)
        assert kept.loose[0].size == pytest.approx(2.4, abs=0.02)
        assert kept.accuracy.print_scale < 0.005
        assert kept.accuracy.scale_by == "sheet"
        # The printed bar would be taken twice.
        again = asks.post("/api/setup/length", json={"bar_mm": 96.0})
        assert "measured already" in again.json()["error"]
        asks.close()
