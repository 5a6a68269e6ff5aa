"""From an empty folder to the first ruling, in a real Chromium over a simulated table that nobody set up."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from engine.space.table import PoseUncertainty, Standing, TableState
from server.table.rulings import Rulings
from tests.server.firsttime import FirstTime, first_time
from vision.simulate.scenes import named_scene

MOST_CLICKS, MOST_TYPED = 25, 120


class Hands:
    """A newcomer's: counts what they click and type."""

    def __init__(self) -> None:
        self.clicks = self.typed = 0

    def click(self, what: Locator) -> None:
        what.click()
        self.clicks += 1

    def type(self, where: Locator, words: str) -> None:
        where.fill(words)
        self.typed += len(words)
        self.clicks += 1


def name_the_car(page: Page, hands: Hands, tag: int, owner: str, model: str) -> None:
    card = page.get_by_role("article", name=f"Tag {tag}")
    if not card.is_visible():
        hands.click(page.locator("#nameless button", has_text=f"Tag {tag}"))
    if owner != "Red":
        hands.click(card.locator(f"label:has(input[value='{owner}'])"))
    hands.click(card.locator(f"label:has(input[value='{model}'])"))
    hands.click(card.get_by_role("button", name="Add"))
    expect(card).to_have_count(0)


def choose_camera(page: Page, hands: Hands) -> None:
    expect(page.locator("#next")).to_have_text("Choose the camera that looks down on the table.")
    hands.click(page.get_by_role("button", name="Simulated table, not set up"))
    expect(page.get_by_role("button", name="Use this table")).to_be_enabled()
    expect(page.locator("#outline polygon")).to_have_count(1)


def keep_table(page: Page, hands: Hands) -> None:
    hands.click(page.get_by_role("button", name="Use this table"))
    expect(page.get_by_role("article", name="Tag 41")).to_be_visible()


def name_pieces(page: Page, hands: Hands) -> None:
    """Two cars, and a piece of terrain with its measures."""
    name_the_car(page, hands, 41, "Red", "sedan")
    name_the_car(page, hands, 43, "Blue", "van")
    crate = page.get_by_role("article", name="Tag 52")
    hands.click(page.locator("#nameless button", has_text="Tag 52"))
    hands.click(crate.locator("label:has(input[value='terrain'])"))
    hands.type(crate.get_by_label("Length, in"), "3.4")
    hands.type(crate.get_by_label("Width, in"), "3.4")
    hands.type(crate.get_by_label("Height above the table, in"), "2.2")
    hands.click(crate.get_by_role("button", name="Add"))
    expect(crate).to_have_count(0)
    expect(page.locator("#next")).to_contain_text("Ready")


def ask_for_a_ruling(page: Page, hands: Hands) -> None:
    hands.click(page.get_by_role("link", name="Ask for a ruling"))
    for name in ("Red 1", "Blue 1"):
        hands.click(page.locator("#car-list button", has_text=name))
    expect(page.locator("#checks li").first).to_be_visible()


def truth() -> TableState:
    """What the simulator drew, known exactly."""
    scene = named_scene("first")
    sure = PoseUncertainty.isotropic(1e-6, 1e-6)
    return TableState.of(
        scene.surface, [Standing(scene.piece(n), at, sure) for n, at in scene.start.items()], 0.0
    )


def errors_of(first: FirstTime) -> dict[str, tuple[float, float]]:
    """By car: how far it is from the simulator's truth in inches, and in stated deviations."""
    moment = first.live.moment
    assert moment is not None
    found = {}
    for standing in moment.table.standings:
        if standing.piece.driven:
            off = standing.pose.xy - truth().find(standing.name).pose.xy
            loading = standing.uncertainty.shared[:2]
            covariance = standing.uncertainty.own[:2, :2] + loading @ loading.T
            found[standing.name] = (
                float(np.hypot(*off)),
                float(np.sqrt(off @ np.linalg.solve(covariance, off))),
            )
    return found


@pytest.fixture
def page(browser: Browser) -> Page:
    context = browser.new_context(viewport={"width": 1366, "height": 900})
    return context.new_page()


@pytest.mark.slow
def test_a_newcomer_comes_to_a_ruling_without_a_file(
    tmp_path: Path, page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    hands = Hands()
    with first_time(tmp_path / "tables") as first:
        page.goto(f"{first.server.address}setup")
        choose_camera(page, hands)
        keep_table(page, hands)
        name_pieces(page, hands)
        text = first.file.read_text(encoding="utf-8")
        assert re.findall(r'^name = "(.+)"', text, re.MULTILINE) == [
            "My table",
            "Red 1",
            "Blue 1",
            "Terrain 1",
        ]
        ask_for_a_ruling(page, hands)
        asked = [("piece", "Red 1"), ("piece", "Blue 1")]
        answer = httpx.get(f"{first.server.address}api/ruling", params=asked, timeout=120).json()
        errors = errors_of(first)
    assert complaints == []
    by_book = Rulings.by_book(None)
    true = by_book.ask(by_book.find(["Red 1", "Blue 1"], None), truth())
    checks = {c["name"]: c for c in answer["checks"]}
    reach = checks["Maximum Range"]
    off = reach["number"] - next(c.number for c in true.checks if c.name == "Maximum Range")
    with capsys.disabled():
        print(
            f"\n{hands.clicks} clicks and {hands.typed} characters to the first ruling: {reach['words']}; "
            f"{off:+.3f} in off the truth; cars off by "
            + ", ".join(f"{name} {inches:.3f} in ({sds:.1f} sd)" for name, (inches, sds) in errors.items())
        )
    assert hands.clicks <= MOST_CLICKS
    assert hands.typed <= MOST_TYPED
    assert set(errors) == {"Red 1", "Blue 1"}
    # Nobody measured anything: the stated deviation is large, and the truth is well within it. How far off it
    # is depends on how many pictures the guessed lens has been solved from so far.
    assert all(inches < 0.3 and sds < 2.0 for inches, sds in errors.values())
    assert abs(off) < min(0.3, 2.0 * reach["sd"])
    assert 0.05 < reach["sd"] < 0.5
    for check in true.checks:
        assert checks[check.name]["verdict"] in (check.verdict.value, "too close to call")
    assert checks["Line of Sight"]["verdict"] == "yes"
