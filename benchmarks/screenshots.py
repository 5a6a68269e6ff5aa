"""Takes the screenshots of the documentation anew, of the simulated table in Chromium.

`python -m benchmarks.screenshots --out docs` plays a few moves there and photographs each page.
"""

from __future__ import annotations

import argparse
import io
import math
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pypdfium2  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect, sync_playwright
from websockets.sync.client import connect

from engine.space.geometry import Pose
from tests.server.conftest import CHROMIUMS, FLAGS
from tests.server.firsttime import first_time
from tests.server.gaming import Player
from tests.server.page.evenings import DESKTOP, PATIENCE_MS, PHONE, SCREEN, Evening, opened
from tests.server.page.test_first_ruling import (
    Hands,
    ask_for_a_ruling,
    choose_camera,
    keep_table,
    name_pieces,
)

DISPUTE = (1080, 675)
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

    def push(self, car: str, inches: float) -> None:
        """A hand pushes a car straight ahead, slowly enough for the camera."""
        moment = self.evening.live.moment
        assert moment is not None
        start = next(s.pose for s in moment.table.standings if s.name == car)
        for k in range(1, PUSHES + 1):
            pose = start.compose(Pose(inches * k / PUSHES, 0.0))
            self.evening.put(car, pose.x, pose.y, math.degrees(pose.heading))

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
        self.keep(page, "page")
        page.close()

    def shot(self) -> None:
        """Red 1 drives and aims at Blue 1."""
        page = self.evening.page(DESKTOP)
        page.locator(".deed.car", has_text="Red 1").click()
        self.push("Red 1", 3.0)
        page.locator('[data-takes="move"]').click(timeout=PATIENCE_MS)
        shot = page.locator('.shot[data-piece="Blue 1"][data-label="Machine Gun"]')
        expect(shot).to_have_attribute("data-state", "yes", timeout=PATIENCE_MS)
        shot.locator(".line").click()
        expect(page.locator('[data-check="Line of Sight"].line')).to_be_visible(timeout=PATIENCE_MS)
        self.keep(page, "play")
        page.locator('[data-typed="shoot"]').click()
        page.locator('#ask .die[data-value="8"]').click()
        expect(page.locator("#result")).to_contain_text("Red 1 hits Blue 1", timeout=PATIENCE_MS)
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
        self.push("Blue 1", 3.0)
        page.locator('[data-takes="move"]').click(timeout=PATIENCE_MS)
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
        with opened(browser, Path(library)) as evening:
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
        keep_table(page, newcomer)
        page.locator("article.card").scroll_into_view_if_needed()
        keep("setup")
        name_pieces(page, newcomer)
        ask_for_a_ruling(page, newcomer)
        keep("setup-ruling")
        page.close()


def main() -> None:
    """Takes every picture of the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs"), help="the folder for the pictures")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    set_up(options.out)
    with photographing(options.out) as photographer:
        photographer.begin()
        photographer.table()
        photographer.shot()
        photographer.screen()
        photographer.dispute()
        photographer.phone()


if __name__ == "__main__":
    main()
