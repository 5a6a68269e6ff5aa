"""Takes the screenshots of the documentation anew, of the simulated table in Chromium.

`python -m tests.pictures.screenshots --out docs` plays a few moves there and photographs each page.
"""

from __future__ import annotations

import argparse
import io
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import httpx
import pypdfium2  # type: ignore[import-untyped]
import pytest
from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright
from websockets.sync.client import connect

from engine.space.geometry import Pose
from tests.server.conftest import CHROMIUMS, FLAGS
from tests.server.fakes import wait_until
from tests.server.firsttime import FirstTime, first_time
from tests.server.gaming import Player
from tests.server.page.evenings import DESKTOP, PATIENCE_MS, PHONE, SCREEN, Evening, opened
from tests.server.page.test_check_step import lay_where_asked
from tests.server.page.test_first_ruling import (
    Hands,
    ask_for_a_ruling,
    choose_camera,
    keep_table,
    name_pieces,
)
from tests.server.page.test_setup_tapped import HEIGHT, tapping
from tests.server.setup.printing.drawn_sheet import Laid, drawn
from vision.simulate.live import SimulatedTable

DISPUTE = (1080, 800)
PUSHES = 6

PAPER = 762
"""Pixels across a page of the dispute's file."""

DRAFT: dict[str, Any] = {
    "game": "white_line_fever",
    "players": [{"name": "Anna", "colour": "#c8322b"}, {"name": "Ben", "colour": "#1f6fd0"}],
    "pieces": [
        {"name": n, "owner": o, "answers": {"brand": b, "primary": p, "secondary": s}}
        for n, o, b, p, s in (
            ("Red 1", "Anna", "Essence", "Machine Gun", "Harpoon"),
            ("Red 2", "Anna", "Mule", "Autocannon", "Oil"),
            ("Blue 1", "Ben", "Venus", "Plinker", "Long Horn"),
            ("Blue 2", "Ben", "Pulsar", "Tank Cannon", "Railgun"),
        )
    ],
    "answers": {"deployment": "highway"},
}


GAMES = {
    "battlecars": "battlecars",
    "battlecars-between": "battlecars-between",
    "battlecars-chosen": "battlecars-chosen",
    "battlecars-sheets": "battlecars-sheets",
    "car-cult": "car-cult",
    "car-cult-builder": "car-cult-builder",
    "car-cult-crash": "car-cult-crash",
    "car-cult-damage": "car-cult-damage",
    "car-cult-move": "car-cult-move",
    "car-cult-screen": "car-cult-screen",
    "race-between": "frothy-races",
    "race-icons": "frothy-races-icons",
    "race-outcome": "frothy-races-phone",
    "race-screen": "frothy-races-screen",
    "road-template": "shattered-highways-template",
    "road-lost-control": "shattered-highways-ghost",
    "road-screen": "shattered-highways-screen",
    "playing-alone-way-1366": "playing-alone",
    "playing-alone-setup-390": "playing-alone-setup",
}
"""Pictures that the tests of whole evenings keep, and the documentation's names of them."""

TURNS = {
    "battlecars": ("battlecars-speed", "battlecars-push", "battlecars-dice", "battlecars-result"),
    "car-cult": ("car-cult-tokens", "car-cult-move", "car-cult-dice", "car-cult-hit"),
    "frothy-races": ("race-check", "race-turn", "race-icons", "race-outcome"),
    "shattered-highways": ("road-order", "road-template", "road-dice", "road-lost-control"),
    "white-line-fever": ("turn-decide", "turn-push", "turn-roll", "turn-result"),
}
"""What a turn of each game looks like on a phone: the pictures that are kept, in the order of `MOMENTS`."""

MOMENTS = ("decide", "push", "roll", "result")

SMALL = 60_000
"""Bytes that a picture of a turn takes at most."""

EVENINGS = (
    "test_points_evening.py",
    "test_ground_evening.py",
    "test_hexes_evening.py",
    "test_road_evening.py::test_a_race",
    "test_playing_alone.py",
)


def games(folder: Path) -> None:
    """The games that are not played here: their pictures are kept by the tests that play them."""
    with played(EVENINGS) as kept:
        for name, called in GAMES.items():
            shutil.copyfile(kept / f"{name}.png", folder / f"{called}.png")
            print(folder / f"{called}.png", flush=True)


def turns(folder: Path) -> None:
    """The four moments of a turn on a phone, small, for each game's page."""
    with played(EVENINGS[:-1]) as kept:
        with photographing(kept) as photographer:
            photographer.begin()
            photographer.turn()
        for game, names in TURNS.items():
            for moment, name in zip(MOMENTS, names, strict=True):
                shrunk(kept / f"{name}.png", folder / f"turn-{game}-{moment}.webp")


def shrunk(picture: Path, small: Path) -> None:
    """Writes a picture as it is shown beside three others, in no more than `SMALL` bytes."""
    with Image.open(picture) as whole:
        whole.convert("RGB").save(small, quality=70, method=6)
    assert small.stat().st_size <= SMALL, f"{small}: {small.stat().st_size} bytes"
    print(small, flush=True)


@contextmanager
def played(evenings: Sequence[str]) -> Iterator[Path]:
    """The folder with the pictures that the tests of these evenings keep."""
    pages = Path(__file__).parents[2] / "tests" / "server" / "page"
    with tempfile.TemporaryDirectory() as kept:
        told = os.environ | {"TABLEREF_SCREENSHOTS": kept, "TABLEREF_DEEP": "1"}
        run = [sys.executable, "-m", "pytest", "-q", *(str(pages / name) for name in evenings)]
        subprocess.run(run, env=told, cwd=pages.parents[2], check=True)
        yield Path(kept)


class Photographer:
    """An evening at the simulated table, and the folder that its pictures are kept in."""

    def __init__(self, evening: Evening, owner: Player, folder: Path) -> None:
        self.evening = evening
        self.owner = owner
        self.folder = folder

    def keep(self, page: Page, name: str) -> None:
        """A picture of a page, once everything on it is drawn."""
        page.evaluate("() => document.fonts.ready")
        page.wait_for_timeout(1500)
        page.screenshot(path=str(self.folder / f"{name}.png"))
        print(self.folder / f"{name}.png", flush=True)

    def keep_both(self, page: Page, name: str) -> None:
        """A picture by day, and one by night."""
        self.keep(page, name)
        page.emulate_media(color_scheme="dark")
        self.keep(page, f"{name}-dark")

    def drive(self, page: Page, car: str, inches: float, name: str = "") -> None:
        """A hand pushes a car straight ahead without a rest; the move is taken once it is legal.

        `name` is that of a picture of it.
        """
        expect(page.locator(f'.handle[data-turn="{car}"]')).to_be_visible(timeout=PATIENCE_MS)
        live = self.evening.live
        assert live.moment is not None
        start = next(s.pose for s in live.moment.table.standings if s.name == car)
        for k in range(1, PUSHES + 1):
            seen = live.moment.index
            live.move(car, start.compose(Pose(inches * k / PUSHES, 0.0)))
            wait_until("the next picture", lambda n=seen: live.moment is not None and live.moment.index > n)
        expect(page.locator("#guide .headline")).to_have_text("Legal", timeout=PATIENCE_MS)
        if name:
            self.keep(page, name)
        page.locator('[data-takes="move"]').click(timeout=PATIENCE_MS)

    def act(self, kind: str, dice: list[int] | None = None, **data: Any) -> None:
        """Something is done in the game."""
        answer = self.owner.ask(type="act", kind=kind, data=data, dice=dice)
        assert answer["accepted"], answer

    def begin(self) -> None:
        """Set up, deployed, and the cars put where the pictures want them."""
        self.evening.put("Blue 1", 11.0, 20.5, 75)
        self.owner.done(type="setup", draft=DRAFT)
        self.owner.done(type="begin")
        page = self.evening.page(DESKTOP)
        for car in ("Red 1", "Blue 1", "Red 2", "Blue 2"):
            page.locator('.deed.car[data-kind="deploy"]', has_text=car).click()
        expect(page.locator("#turn")).to_contain_text("Anna drives", timeout=PATIENCE_MS)
        page.close()

    def table(self) -> None:
        """The table's page with a question between two cars."""
        page = self.evening.page(DESKTOP, to="/")
        for car in ("Red 1", "Blue 1"):
            page.click(f'#car-list button[data-name="{car}"]')
        expect(page.locator("#verdict")).not_to_have_attribute("data-verdict", "none", timeout=PATIENCE_MS)
        self.keep_both(page, "page")
        page.close()

    def shot(self) -> None:
        """Red 1 drives and aims at Blue 1."""
        page = self.evening.page(DESKTOP)
        page.locator(".deed.car", has_text="Red 1").click()
        self.drive(page, "Red 1", 3.0)
        shot = page.locator('.shot[data-piece="Blue 1"][data-label="Machine Gun"]')
        expect(shot).to_have_attribute("data-state", "yes", timeout=PATIENCE_MS)
        shot.locator(".line").click()
        expect(page.locator('[data-check="Line of Sight"].line')).to_be_visible(timeout=PATIENCE_MS)
        self.keep_both(page, "play")
        page.locator('[data-typed="shoot"]').click()
        page.locator('#ask .die[data-value="8"]').click()
        expect(page.locator("#result")).to_contain_text("Red 1 hits Blue 1", timeout=PATIENCE_MS)
        page.close()

    def turn(self) -> None:
        """Anna's turn on her phone, from the choice of a car to what her shot led to; her die is typed."""
        self.owner.done(type="modes", modes={"dice": "type"})
        page = self.evening.page(PHONE, "player")
        page.locator(".deed", has_text="Anna").click()
        expect(page.locator(".deed.car").first).to_be_visible(timeout=PATIENCE_MS)
        self.keep(page, "turn-decide")
        page.locator(".deed.car", has_text="Red 1").click()
        self.drive(page, "Red 1", 3.0, "turn-push")
        page.locator('.shot[data-piece="Blue 1"][data-label="Machine Gun"] .line').click()
        page.locator('#pin [data-kind="shoot"]').click(timeout=PATIENCE_MS)
        expect(page.locator("#ask .die").first).to_be_visible(timeout=PATIENCE_MS)
        self.keep(page, "turn-roll")
        page.locator('#ask .die[data-value="8"]').click()
        expect(page.locator("#result")).to_contain_text("Red 1 hits Blue 1", timeout=PATIENCE_MS)
        self.keep(page, "turn-result")
        page.close()

    def screen(self) -> None:
        """What a television beside the table shows."""
        page = self.evening.page(SCREEN, "spectator", "/screen")
        expect(page.locator("#result")).to_contain_text("Red 1 hits Blue 1", timeout=PATIENCE_MS)
        self.keep(page, "play-screen")
        page.close()

    def dispute(self) -> None:
        """The shot is disputed, decided, and its file printed."""
        page = self.evening.page(DISPUTE)
        page.click("#dispute-open")
        page.locator("#choose-subjects li button").first.click()
        expect(page.locator("#dispute-verdict")).to_have_attribute("data-verdict", "yes", timeout=PATIENCE_MS)
        self.keep(page, "dispute")
        page.locator("#ways button").first.click()
        expect(page.locator("#decided-words")).to_be_visible(timeout=PATIENCE_MS)
        (dispute,) = self.evening.server.desk.decided
        answer = httpx.get(f"{self.evening.server.address}api/disputes/{dispute.id}/dispute.pdf", timeout=120)
        answer.raise_for_status()
        first = pypdfium2.PdfDocument(io.BytesIO(answer.content))[0]
        first.render(scale=PAPER / first.get_width()).to_pil().save(self.folder / "dispute-file.png")
        page.click("#dispute-release")
        page.close()

    def phone(self) -> None:
        """Ben's phone asks for a die of the table."""
        self.act("end")
        self.owner.done(type="modes", modes={"dice": "type"})
        page = self.evening.page(PHONE, "player")
        page.locator(".deed", has_text="Ben").click()
        page.locator(".deed.car", has_text="Blue 1").click()
        self.drive(page, "Blue 1", 3.0)
        page.locator('[data-kind="floor_it"]').click(timeout=PATIENCE_MS)
        expect(page.locator("#ask .die").first).to_be_visible(timeout=PATIENCE_MS)
        self.keep(page, "play-phone")
        page.close()


@contextmanager
def photographing(folder: Path) -> Iterator[Photographer]:
    """The served table, and a browser to look at it with."""
    installed = next((path for name in CHROMIUMS if (path := shutil.which(name))), None)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as library:
        browser = playwright.chromium.launch(executable_path=installed, args=list(FLAGS))
        with opened(browser, Path(library), size=(1920, 1080)) as evening:
            where = evening.server.address.replace("http", "ws") + "ws/play"
            with connect(where) as connection:
                yield Photographer(evening, Player(connection), folder)
        browser.close()


def set_up(folder: Path) -> None:
    """A newcomer sets a table up, and asks for the first ruling."""
    installed = next((path for name in CHROMIUMS if (path := shutil.which(name))), None)
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory() as home,
        first_time(Path(home) / "tables") as first,
    ):
        page = playwright.chromium.launch(executable_path=installed, args=list(FLAGS)).new_page(
            viewport={"width": DESKTOP[0], "height": DESKTOP[1]}
        )

        def keep(name: str) -> None:
            page.wait_for_timeout(4000)
            page.screenshot(path=str(folder / f"{name}.png"))
            print(folder / f"{name}.png", flush=True)

        newcomer = Hands()
        page.goto(f"{first.server.address}setup")
        choose_camera(page, newcomer)
        keep("setup-table")
        page.get_by_text("One sheet for what you have").click()
        page.get_by_label("Game to be played").select_option(index=1)
        expect(page.locator("#print-form")).to_contain_text("of the map")
        page.locator("#print-part").scroll_into_view_if_needed()
        keep("setup-print")
        page.get_by_text("One sheet for what you have").click()
        page.evaluate("scrollTo(0, 0)")
        keep_table(page, newcomer)
        page.locator("article.card").scroll_into_view_if_needed()
        keep("setup")
        name_pieces(page, newcomer)
        table = put_about(page, first)
        keep("setup-measure")
        table.reset()
        page.get_by_role("button", name="Stop").click()
        # Off the corner tag again, in a picture that the page has looked at.
        expect(page.locator("#tags text", has_text="corner 2")).to_have_count(1, timeout=60_000)
        page.wait_for_timeout(4000)
        page.get_by_role("button", name="Fit the outline of Red 1").click()
        card = page.get_by_role("article", name="Outline of Red 1")
        card.get_by_role("button", name="Find the edges").click()
        expect(card.get_by_role("status")).to_contain_text("The camera found", timeout=PATIENCE_MS)
        card.scroll_into_view_if_needed()
        keep("setup-outline")
        page.get_by_role("button", name="Stop").click()
        board_put(page)
        keep("setup-board")
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("A board or map to play on").click()
        ask_for_a_ruling(page, newcomer)
        keep("setup-ruling")
        page.close()


def board_put(page: Page) -> None:
    """The first map of a game that is a board, turned a little, as it would lie on the table."""
    page.get_by_text("A board or map to play on").click()
    page.locator("#board-drag select").select_option(index=0)
    page.get_by_role("button", name="Put it on the picture").click()
    rings = page.locator("#board-rings .corner")
    expect(rings).to_have_count(2)
    rings.nth(1).focus()
    page.keyboard.press("ArrowUp")
    page.locator("#board-part").scroll_into_view_if_needed()


def put_about(page: Page, first: FirstTime) -> SimulatedTable:
    """A car on two corner tags, both ways, while it is measured."""
    table = first.live.source
    assert isinstance(table, SimulatedTable)
    page.get_by_role("button", name="Measure Red 1 with the camera").click()
    card = page.get_by_role("article", name="Measure Red 1")
    places = 0
    for corner in (table.scene.corners[0], table.scene.corners[2]):
        for quarter in (0, 2):
            off = 0.03 if quarter else -0.02
            turn = (corner.turn or 0.0) + quarter * math.pi / 2
            table.move("Red 1", Pose(corner.at[0] + off, corner.at[1] - off, turn))
            places += 1
            expect(card.locator("thead")).to_contain_text(f"Seen, {places} place", timeout=60_000)
    card.scroll_into_view_if_needed()
    return table


def tapped(folder: Path) -> None:
    """The outline of irregular rocks, tapped round in the picture."""
    installed = next((path for name in CHROMIUMS if (path := shutil.which(name))), None)
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory() as home,
        pytest.MonkeyPatch.context() as patch,
    ):
        page = playwright.chromium.launch(executable_path=installed, args=list(FLAGS)).new_page(
            viewport={"width": DESKTOP[0], "height": DESKTOP[1]}
        )
        with tapping(Path(home), page, patch) as rocks:
            rocks.card.get_by_text("Its top edge").click()
            rocks.card.get_by_role("button", name="Nearer").click()
            for corner in rocks.corners(HEIGHT):
                page.mouse.click(*rocks.screen(corner))
            expect(rocks.card.get_by_role("status")).to_contain_text("6 corners", timeout=PATIENCE_MS)
            rocks.card.locator("[data-corner='3']").focus()
            rocks.card.locator("h3").evaluate("(node) => node.scrollIntoView({ block: 'start' })")
            page.screenshot(path=str(folder / "setup-tapped.png"))
            print(folder / "setup-tapped.png", flush=True)


def check_step(folder: Path) -> None:
    """A sheet of paper that was measured by one corner of the table, and is asked for in the middle."""
    installed = next((path for name in CHROMIUMS if (path := shutil.which(name))), None)
    with (
        sync_playwright() as playwright,
        tempfile.TemporaryDirectory() as home,
        first_time(Path(home) / "tables", "sim:first") as first,
    ):
        page = playwright.chromium.launch(executable_path=installed, args=list(FLAGS)).new_page(
            viewport={"width": DESKTOP[0], "height": DESKTOP[1]}
        )
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{first.server.address}setup")
        page.get_by_role("button", name="Use this table").click()
        page.get_by_role("button", name="Begin the check").click()
        expect(page.locator('#check-marks polygon[data-state="asked"]')).to_have_count(1, timeout=PATIENCE_MS)
        lay_where_asked(first, 0, 0.2)
        expect(page.locator('#check .spots li[data-done="true"]')).to_have_count(1, timeout=PATIENCE_MS)
        page.locator("#check-part").scroll_into_view_if_needed()
        page.wait_for_timeout(4000)
        page.screenshot(path=str(folder / "setup-check.png"))
        print(folder / "setup-check.png", flush=True)
        page.close()


def uncut_sheet(folder: Path) -> None:
    """The sheet with the corner tags, printed at 97 %, lies under the camera before it is cut."""
    installed = next((path for name in CHROMIUMS if (path := shutil.which(name))), None)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as home:
        picture = Path(home) / "sheet.png"
        cv2.imwrite(str(picture), drawn(Laid(scale=0.97)).grey)
        with first_time(Path(home) / "tables", str(picture)) as first:
            page = playwright.chromium.launch(executable_path=installed, args=list(FLAGS)).new_page(
                viewport={"width": DESKTOP[0], "height": DESKTOP[1]}
            )
            page.goto(f"{first.server.address}setup")
            expect(page.get_by_role("button", name="Use this scale")).to_be_enabled()
            page.locator("#surface-part").scroll_into_view_if_needed()
            page.screenshot(path=str(folder / "setup-sheet.png"))
            print(folder / "setup-sheet.png", flush=True)
            page.close()


def play(folder: Path) -> None:
    """A table, a shot, a dispute, a phone and the big screen, in one game."""
    with photographing(folder) as photographer:
        photographer.begin()
        photographer.table()
        photographer.shot()
        photographer.screen()
        photographer.dispute()
        photographer.phone()


def main() -> None:
    """Takes every picture of the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = {
        "set-up": (set_up, tapped, uncut_sheet, check_step), "play": (play,), "games": (games,),
        "turns": (turns,),
    }  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("docs"), help="the folder for the pictures")
    parser.add_argument("--only", choices=parts, nargs="+", default=list(parts), help="not all of them")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for part in options.only:
        for take in parts[part]:
            take(options.out)


if __name__ == "__main__":
    main()
