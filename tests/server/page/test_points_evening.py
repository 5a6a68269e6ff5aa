"""Battlecars on printed points in Chromium: three phones and the big screen, from sealed speeds to a shot.

`TABLEREF_SCREENSHOTS` names a folder to keep pictures of it in.
"""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pypdfium2
from playwright.sync_api import Browser, Page, expect

from engine.space.geometry import Pose
from tests.server.fakes import PATIENCE, wait_until
from tests.server.gaming import Player
from tests.server.page.evenings import (
    LAPTOP,
    PHONE,
    SCREEN,
    Evening,
    Figure,
    counted,
    deed,
    fits,
    opened,
    photograph,
    roll,
    says,
    set_up,
    take,
    tap,
    tells_all,
)

PIECES = (
    ("Red 1", "Anna", {"type": "Saloon", "front_pod": "Rocket"}),
    ("Blue 1", "Ben", {"type": "Van"}),
    ("Red 2", "Cleo", {"type": "Bike"}),
)
PLAYERS = (("Anna", "#c8322b"), ("Ben", "#1f6fd0"), ("Cleo", "#2e8b57"))


def begin(evening: Evening, owner: Player) -> None:
    """Set up with a building, Anna has the first move, and the vehicles are put on their points."""
    wait_until("the first picture", lambda: evening.live.moment is not None)
    set_up(owner, "Battlecars", PLAYERS, PIECES)
    owner.done(type="begin")
    building = {"kind": "building", "column": 8, "row": 4, "columns": 2, "rows": 2}
    owner.done(type="act", kind="build", data=building)
    owner.done(type="act", kind="start", data={}, dice=[8, 3, 1])
    state = evening.host.match.state  # type: ignore[union-attr]
    evening.put_all({v.name: state.board.pose_of(v.cell, v.facing) for v in state.vehicles})


def place(page: Page, speed: int) -> None:
    """A Speed Counter is placed on this phone."""
    tap(page.locator(f'#now .leading .pick[data-value="{speed}"]').first)
    tap(deed(page, "speed").first)


def push(evening: Evening, name: str, *columns: int, off: float = 0.0) -> None:
    """A hand pushes a vehicle along the middle row from point to point."""
    board = evening.host.match.state.board  # type: ignore[union-attr]
    for column in columns:
        pose = board.pose_of((column, 6), 0)
        last = column == columns[-1]
        evening.put_all({name: pose.compose(Pose(off if last else 0.0, 0.0))})


def shoots(anna: Page) -> None:
    """The Rocket, at what is in front of it, with dice that are typed: it misses."""
    shot = anna.locator(".shot", has_text="Rocket at Blue 1").first
    if shot.locator(".line").get_attribute("aria-expanded") != "true":
        tap(shot.locator(".line"))
    says(anna, ".shot .checks", "Nearest Target on a Line")
    tap(anna.locator('#pin [data-kind="fire"]'))
    expect(anna.locator("#ask .die").first).to_be_visible()
    photograph(anna, "battlecars-dice")
    roll(anna, 1, 1)
    expect(anna.locator("#result")).to_be_visible()
    photograph(anna, "battlecars-result")


def test_from_sealed_speeds_to_a_shot(browser: Browser, tmp_path: Path, figure: Figure) -> None:
    with (
        opened(browser, tmp_path, "points") as evening,
        evening.joined() as connection,
    ):
        begin(evening, Player(connection))
        heard: dict[str, list[str]] = {"Anna": [], "Ben": [], "Cleo": [], "screen": []}
        phones = [evening.page(PHONE, "player", heard=heard[name]) for name, _ in PLAYERS]
        for phone, (name, _) in zip(phones, PLAYERS, strict=True):
            phone.locator(".deed", has_text=name).click()
        anna, ben, cleo = phones
        screen = evening.page(SCREEN, "spectator", "/screen", heard["screen"])
        expect(screen.locator("#turn")).to_contain_text("Speed Counter")
        expect(anna.locator("#now .leading .pick").first).to_be_visible()
        photograph(anna, "battlecars-speed")
        with counted(anna, "Battlecars, a Speed Counter", 2, figure):
            place(anna, 2)
        says(ben, "#now", "Anna has chosen")
        says(cleo, "#now", "Anna has chosen")
        place(cleo, 3)
        says(ben, "#now", "Cleo has chosen")
        fits(cleo)
        photograph(cleo, "battlecars-chosen")
        secrets = {secret.player: secret for secret in evening.host.match.secrets}  # type: ignore[union-attr]
        assert set(secrets) == {"Anna", "Cleo"}
        for who, told in heard.items():
            assert told
            for secret in secrets.values():
                chosen = json.dumps(secret.data["speed_1"])
                kept = [secret.salt, f'"speed_1":{chosen}'] if secret.player != who else []
                assert not any(one in text.replace(" ", "") for one in kept for text in told)
        place(ben, 1)
        expect(screen.locator("#turn")).to_contain_text("Red 1")
        tells_all(screen)
        page = evening.page(LAPTOP)
        push(evening, "Red 1", 1, 2, off=1.5)
        expect(page.locator("body")).to_contain_text("Between two places")
        photograph(page, "battlecars-between")
        push(evening, "Red 1", 2)
        says(anna, "#guide", "Legal")
        photograph(anna, "battlecars-push")
        with counted(page, "Battlecars, a move", 1, figure):
            take(page)
        expect(page.locator("#now")).to_contain_text("Rocket at Blue 1")
        fits(page)
        # A point is picked by a tap on the drawing as well as by its name.
        page.locator("summary", has_text="drop Mines").click()
        page.locator('[data-place="B7"]').dispatch_event("click")
        expect(page.locator('[data-place="B7"]')).to_have_attribute("aria-pressed", "true")
        expect(page.locator('details[open] [data-field="point"]')).to_be_visible()
        expect(deed(page, "drop").last).to_be_visible()
        # Both at once: the page may draw its options anew between two questions.
        apart = page.evaluate(
            """() => {
              const points = document.querySelector('details[open] [data-field="point"]');
              const button = [...document.querySelectorAll('[data-kind="drop"]')].at(-1);
              return button.getBoundingClientRect().top - points.getBoundingClientRect().bottom;
            }"""
        )
        assert apart >= 8, "the button keeps its distance from the points"
        photograph(page, "battlecars")
        sheet = page.locator('[data-sheet="Red 1"]').first
        sheet.evaluate("node => { node.style.scrollMarginTop = '10rem'; node.scrollIntoView(); }")
        photograph(page, "battlecars-sheets")
        pdf = httpx.get(f"{evening.server.address}api/play/counters.pdf", timeout=PATIENCE).content
        assert len(pypdfium2.PdfDocument(pdf)) > 5
        deed(page, "drop").last.click()
        expect(page.locator("#log")).to_contain_text("drops Mines 1 on B7")
        with counted(anna, "Battlecars, a shot", 3, figure):
            shoots(anna)
