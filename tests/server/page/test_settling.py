"""A corner tag stated an inch off, settled with one tap on the table's page, in a real Chromium."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from calibration.surface import CornerTag
from calibration.tablefile import load_table
from tests.server.fakes import PATIENCE, wait_until
from tests.server.firsttime import FirstTime, first_time
from vision.simulate.scenes import named_scene


@pytest.fixture
def page(browser: Browser) -> Page:
    page = browser.new_context(viewport={"width": 1366, "height": 900}).new_page()
    return page


TRUE = named_scene("first").corners[2].at


@pytest.fixture
def first(tmp_path: Path) -> Iterator[FirstTime]:
    """The simulated table, with the file of a player who read the ruler an inch wrong at one corner."""
    text = re.sub(r"\[accuracy\]\n(\w+ = .*\n)+", "", named_scene("first").to_toml())
    text = re.sub(r"^(sd_in|turn_deg) = .*\n", "", text, flags=re.MULTILINE)
    x, y = TRUE
    assert f"at_in = [{x:.1f}, {y:.1f}]" in text
    text = text.replace(f"at_in = [{x:.1f}, {y:.1f}]", f"at_in = [{x - 0.6:.1f}, {y + 0.8:.1f}]")
    with first_time(tmp_path / "tables", "sim:first", kept=text) as first:
        wait_until("the corner to be doubted", lambda: doubted(first))
        yield first


def doubted(first: FirstTime) -> bool:
    moment = first.live.moment
    return moment is not None and moment.judged is not None and bool(moment.judged.named)


def settled(first: FirstTime) -> bool:
    moment = first.live.moment
    return (
        moment is not None
        and moment.judged is not None
        and moment.judged.consistent
        and not moment.judged.doubts
    )


def settle(first: FirstTime, page: Page, taps: Callable[[Locator], None]) -> CornerTag:
    """The corner as it is kept once these taps on its card have settled it."""
    taps(page.locator("#settle article", has_text="corner tag 2"))
    expect(page.locator("#settle")).to_be_hidden()
    wait_until("the table to be consistent", lambda: settled(first))
    return next(c for c in load_table(first.file).corners if c.tag == 2)


def test_a_corner_is_measured_again_in_place_or_taken_with_one_tap_by_this_machine_alone(
    first: FirstTime, page: Page
) -> None:
    wrong, (x, y) = first.file.read_text(encoding="utf-8"), TRUE
    page.goto(first.server.address)

    def typed(card: Locator) -> None:
        card.get_by_role("button", name="Measure again").click()
        card.get_by_label("from the left (x)").first.fill(f"{x:.1f}")
        card.get_by_label("from the near side (y)").first.fill(f"{y:.1f}")
        card.get_by_role("button", name="Keep").click()

    assert settle(first, page, typed).at == (x, y)
    # The ruler is read wrong again, and the camera's place is taken.
    first.file.write_text(wrong, encoding="utf-8")
    first.watch.check()
    wait_until("the corner to be doubted again", lambda: doubted(first))
    address = first.server.address
    told = httpx.get(f"{address}api/doubts", timeout=PATIENCE).json()
    assert told["may_change"]
    foreign = httpx.post(
        f"{address}api/doubts/take",
        json={"key": told["doubts"][0]["key"]},
        headers={"origin": "http://elsewhere.example"},
        timeout=PATIENCE,
    )
    assert foreign.status_code == 403
    unknown = httpx.post(f"{address}api/doubts/take", json={"key": "corner-99"}, timeout=PATIENCE)
    assert unknown.status_code == 409
    assert first.file.read_text(encoding="utf-8") == wrong
    corner = settle(first, page, lambda card: card.get_by_role("button", name="Take ours").click())
    assert corner.at == (pytest.approx(x, abs=3 * corner.sd), pytest.approx(y, abs=3 * corner.sd))
    assert corner.sd < 0.2
