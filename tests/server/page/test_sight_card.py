"""The card of a tag without a name shows what the camera takes the piece for, in a real Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from calibration.tablefile import load_table
from engine.space.geometry import Pose
from tests.server.fakes import wait_until
from tests.server.firsttime import FirstTime, first_time, kept_first
from tests.server.page.evenings import fits
from tests.volume import deep
from vision.simulate.live import SimulatedTable


@pytest.fixture
def first(tmp_path: Path) -> Iterator[FirstTime]:
    """The simulated table that nobody set up, already chosen as the camera."""
    with first_time(tmp_path / "tables", "sim:first", kept=kept_first(lens=False)) as one:
        wait_until("the first picture", lambda: one.live.moment is not None)
        yield one


def opened(browser: Browser, first: FirstTime, width: int, scale: float = 1.0) -> tuple[Page, list[str]]:
    viewport = {"width": round(width / scale), "height": round(900 / scale)}
    page = browser.new_context(viewport=viewport, device_scale_factor=scale).new_page()  # type: ignore[arg-type]
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{first.server.address}setup")
    return page, complaints


def card_of(page: Page, tag: int) -> Locator:
    page.locator("#nameless button", has_text=f"Tag {tag}").click()
    return page.get_by_role("article", name=f"Tag {tag}")


def inside(card: Locator, outline: str) -> bool:
    """Whether an outline is drawn over the middle of the card's picture, where the tag is."""
    at = card.locator(f".sight .{outline}").bounding_box()
    around = card.locator(".sight").bounding_box()
    assert at is not None
    assert around is not None
    x, y = around["x"] + around["width"] / 2, around["y"] + around["height"] / 2
    return at["x"] < x < at["x"] + at["width"] and at["y"] < y < at["y"] + at["height"]


@pytest.mark.parametrize(
    ("width", "scale"), [(390, 1.0), pytest.param(1366, 1.0, marks=deep), pytest.param(1366, 2.0, marks=deep)]
)
def test_a_card_shows_what_the_camera_sees_of_a_car_and_of_terrain(
    browser: Browser, first: FirstTime, width: int, scale: float
) -> None:
    page, complaints = opened(browser, first, width, scale)
    card = card_of(page, 41)
    a_car_is_outlined_and_the_models_that_fit_are_marked(page, card)
    it_is_looked_at_anew_where_it_is_moved_to_and_nothing_typed_is_lost(first, card)
    terrain_is_offered_its_size_and_what_is_typed_wins(first, page)
    assert complaints == []


def a_car_is_outlined_and_the_models_that_fit_are_marked(page: Page, card: Locator) -> None:
    seen, verdict = card.locator(".seen"), card.locator(".verdict")
    expect(seen).to_contain_text(re.compile(r"Seen: 2\.\d\d × 1\.\d\d in, each to ±0\.\d\d .*Looks like"))
    assert inside(card, "found")
    expect(card.locator("label:has(input[value='sedan']) span")).to_have_attribute("data-fits", "true")
    expect(card.locator("label:has(input[value='rig-trailer']) span")).to_have_attribute("data-fits", "false")
    # Nothing is chosen for anybody.
    expect(card.locator("input[name$='-model']:checked")).to_have_count(0)
    expect(card.get_by_role("button", name="Add")).to_be_disabled()
    card.locator("label:has(input[value='rig-trailer'])").click()
    expect(verdict).to_contain_text("longer than what is seen")
    expect(verdict).to_have_attribute("data-wrong", "true")
    # By keyboard to one that fits.
    card.get_by_role("radio", name="rig-trailer").focus()
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    expect(card.get_by_role("radio", name="sedan")).to_be_checked()
    expect(verdict).to_have_text("sedan, 2.95 × 1.20 in: fits what is seen.")
    expect(verdict).to_have_attribute("data-wrong", "false")
    assert inside(card, "model")
    fits(page)


def it_is_looked_at_anew_where_it_is_moved_to_and_nothing_typed_is_lost(
    first: FirstTime, card: Locator
) -> None:
    card.get_by_label("Name").fill("Hearse")
    expect(card.locator(".verdict")).to_contain_text("fits what is seen")
    shown = card.locator(".sight image").get_attribute("href")
    table = first.live.source
    assert isinstance(table, SimulatedTable)
    table.move("Red 1", Pose(24.0, 18.0, 0.4))
    expect(card.locator(".sight image")).not_to_have_attribute("href", shown or "")
    expect(card.locator(".verdict")).to_contain_text("fits what is seen")
    assert inside(card, "model")
    assert card.get_by_label("Name").input_value() == "Hearse"
    expect(card.get_by_role("radio", name="sedan")).to_be_checked()


def terrain_is_offered_its_size_and_what_is_typed_wins(first: FirstTime, page: Page) -> None:
    card = card_of(page, 52)
    expect(card.locator(".seen")).to_contain_text("No car is of that size")
    card.locator("label:has(input[value='terrain'])").click()
    long, wide = card.get_by_label("Length, in"), card.get_by_label("Width, in")
    expect(card.get_by_text("by the camera, ±")).to_have_count(2)
    assert float(long.input_value()) == pytest.approx(3.4, abs=0.2)
    assert float(wide.input_value()) == pytest.approx(3.4, abs=0.2)
    # The height makes it surer, and the offer is made anew.
    before = card.locator(".seen").inner_text()
    card.get_by_label("Height above the table, in").fill("2.2")
    expect(card.locator(".seen")).not_to_have_text(before)
    card.get_by_label("Name").fill("Big crate")
    card.get_by_role("button", name="Add").click()
    expect(page.locator("#named")).to_contain_text("Big crate")
    assert "as the camera saw it, ±" in first.file.read_text("utf-8")
    page.get_by_role("button", name="Take Big crate out").click()
    card = card_of(page, 52)
    card.locator("label:has(input[value='terrain'])").click()
    expect(card.get_by_text("by the camera, ±")).to_have_count(2)
    long.fill("3.5")
    expect(card.get_by_text("by the camera, ±")).to_have_count(0)
    typed = wide.input_value()
    card.get_by_label("Height above the table, in").fill("2.2")
    # Looks that come meanwhile leave alone what stands there.
    looked = first.setup.look(here=True).looked
    wait_until("two more looks", lambda: first.setup.look(here=False).looked >= looked + 2)
    assert (long.input_value(), wide.input_value()) == ("3.5", typed)
    card.get_by_role("button", name="Add").click()
    expect(page.locator("#named")).to_contain_text("Terrain 1")
    assert "as the camera saw it" not in first.file.read_text("utf-8")
    body = load_table(first.file).pieces[0].body
    assert (body.length, body.width) == pytest.approx((3.5, float(typed)))
