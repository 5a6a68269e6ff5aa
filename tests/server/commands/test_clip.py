"""The sample round and the simulated table through the whole referee, watched on the page."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import cv2
import httpx
import pytest
from playwright.sync_api import Page, expect

from calibration.tablefile import load_table, parse_table
from server.pipeline.referee import Referee
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from tests.server.fakes import EveryOther, wait_until
from tests.server.page.test_table_page import choose, on_screen, place
from vision.simulate.scenes import named_scene
from vision.source import open_source, play_source

PATIENCE_MS = 120_000


def test_a_sight_line_closes_while_the_clip_plays(samples: Path, look: Callable[..., Page]) -> None:
    folder = samples / "opening-round"
    source = EveryOther(play_source(str(folder / "opening-round.mp4")))
    referee = Referee(load_table(folder / "table.toml"))
    with PageServer(Runner(source, referee), Rulings.by_book(None), listen(port=0)) as server:
        page = look(server.address)
        expect(page.locator('#car-list button[data-name="Red 2"]')).to_be_visible(timeout=PATIENCE_MS)
        page.click("#view-table")
        expect(page.locator("#picture")).to_be_hidden(timeout=PATIENCE_MS)
        choose(page, "Red 1", "Blue 3")
        before = place(page, "Red 2")
        # Red 1 drives into range, then Red 2 drives into the line.
        expect(page.locator("#headline")).to_have_text("Yes", timeout=PATIENCE_MS)
        assert place(page, "Red 2") == pytest.approx(before, abs=0.1)
        expect(page.locator("#sentence")).to_contain_text("blocked by Red 2", timeout=PATIENCE_MS)
        expect(page.locator("#headline")).to_have_text("No")
        expect(page.locator('[data-piece="Red 2"]')).to_have_class(
            "piece car still  blocker", timeout=PATIENCE_MS
        )
        assert math.dist(place(page, "Red 2"), before) == pytest.approx(3.16, abs=0.1)


def test_a_car_dragged_on_the_simulated_table_is_seen_where_it_was_put(look: Callable[..., Page]) -> None:
    table = parse_table(named_scene("default").to_toml(), "the simulated table")
    live = Runner(open_source("sim"), Referee(table))
    with PageServer(live, Rulings.by_book(None), listen(port=0)) as server:
        page = look(server.address)
        expect(page.locator('[data-piece="Red 2"]')).to_have_class("piece car still  ", timeout=PATIENCE_MS)
        x, y = on_screen(page, "Red 2")
        # The camera sees where the car stands; the drawing knows it in inches.
        before = place(page, "Red 2")
        scale = page.evaluate("document.getElementById('drawing').getScreenCTM().a")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 5 * scale, y - 2 * scale, steps=8)
        page.mouse.up()
        there = pytest.approx((before[0] + 5, before[1] - 2), abs=0.15)
        wait_until("the car to be seen there", lambda: place(page, "Red 2") == there)
        expect(page.locator('[data-piece="Red 2"]')).to_have_class("piece car still  ", timeout=PATIENCE_MS)
        assert place(page, "Red 2") == there


def test_a_single_photograph_is_served_with_everything_on_it(samples: Path, tmp_path: Path) -> None:
    folder = samples / "opening-round"
    good, image = cv2.VideoCapture(str(folder / "opening-round.mp4")).read()
    assert good
    photo = tmp_path / "table.png"
    cv2.imwrite(str(photo), image)
    asked = ["serve", "--source", photo, "--table", folder / "table.toml", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        [sys.executable, "-m", "server.commands.cli", *map(str, asked)],
        cwd=Path(__file__).resolve().parents[3],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            said = next(line for line in process.stdout if line.startswith("The page:"))
            with httpx.Client(base_url=said.split()[2], timeout=120) as client:
                wait_until("the judgement", lambda: client.get("/api/state").json()["surface"])
                ruling = client.get("/api/ruling", params={"piece": ["red1", "blue3"]}).json()
        finally:
            process.terminate()
            process.stdout.read()
    assert ruling["verdict"] == "no"
    assert [c["verdict"] for c in ruling["checks"] if c["name"] == "Line of Sight"] == ["yes"]
