"""A corner tag stated an inch off, settled with one tap on the table's page, in a real Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from calibration.tablefile import load_table
from tests.server.fakes import wait_until
from tests.server.firsttime import FirstTime, first_time
from vision.simulate.live import SimulatedTable


@pytest.fixture
def page(browser: Browser) -> Page:
    return browser.new_context(viewport={"width": 1366, "height": 900}).new_page()


@pytest.fixture
def first(tmp_path: Path) -> Iterator[FirstTime]:
    """The simulated table, with the file of a player who read the ruler an inch wrong at one corner."""
    with first_time(tmp_path / "tables", "sim:first") as first:
        source = first.live.source
        assert isinstance(source, SimulatedTable)
        text = re.sub(r"\[accuracy\]\n(\w+ = .*\n)+", "", source.scene.to_toml())
        text = re.sub(r"^(sd_in|turn_deg) = .*\n", "", text, flags=re.MULTILINE)
        x, y = source.scene.corners[2].at
        assert f"at_in = [{x:.1f}, {y:.1f}]" in text
        text = text.replace(f"at_in = [{x:.1f}, {y:.1f}]", f"at_in = [{x - 0.6:.1f}, {y + 0.8:.1f}]")
        file = file_of(first)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        first.watch.take_over()
        yield first


def file_of(first: FirstTime) -> Path:
    assert first.watch.file is not None
    return first.watch.file


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


def test_one_tap_takes_the_cameras_place_of_a_corner_and_all_is_consistent(
    first: FirstTime, page: Page
) -> None:
    wait_until("the corner to be doubted", lambda: doubted(first))
    page.goto(first.server.address)
    tap = page.locator("#settle article", has_text="corner tag 2").get_by_role("button", name="Take ours")
    tap.click(timeout=60_000)
    expect(page.locator("#settle")).to_be_hidden(timeout=60_000)
    wait_until("the table to be consistent", lambda: settled(first))
    source = first.live.source
    assert isinstance(source, SimulatedTable)
    corner = next(c for c in load_table(file_of(first)).corners if c.tag == 2)
    x, y = source.scene.corners[2].at
    assert corner.at == (pytest.approx(x, abs=3 * corner.sd), pytest.approx(y, abs=3 * corner.sd))
    assert corner.sd < 0.2


def test_a_corner_that_was_measured_again_is_typed_in_place(first: FirstTime, page: Page) -> None:
    wait_until("the corner to be doubted", lambda: doubted(first))
    page.goto(first.server.address)
    card = page.locator("#settle article", has_text="corner tag 2")
    source = first.live.source
    assert isinstance(source, SimulatedTable)
    x, y = source.scene.corners[2].at
    card.get_by_role("button", name="Measure again").click(timeout=60_000)
    card.get_by_label("from the left (x)").first.fill(f"{x:.1f}")
    card.get_by_label("from the near side (y)").first.fill(f"{y:.1f}")
    card.get_by_role("button", name="Keep").click()
    expect(page.locator("#settle")).to_be_hidden(timeout=60_000)
    wait_until("the table to be consistent", lambda: settled(first))
    assert next(c.at for c in load_table(file_of(first)).corners if c.tag == 2) == (x, y)


def test_only_this_machine_may_settle_and_only_what_is_doubted(first: FirstTime) -> None:
    wait_until("the corner to be doubted", lambda: doubted(first))
    address = first.server.address
    told = httpx.get(f"{address}api/doubts").json()
    assert told["may_change"]
    foreign = httpx.post(
        f"{address}api/doubts/take",
        json={"key": told["doubts"][0]["key"]},
        headers={"origin": "http://elsewhere.example"},
    )
    assert foreign.status_code == 403
    unknown = httpx.post(f"{address}api/doubts/take", json={"key": "corner-99"})
    assert unknown.status_code == 409
    assert load_table(file_of(first)).corners[2].at != (0.0, 0.0)
