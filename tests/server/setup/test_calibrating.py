"""The page's lens calibration, asked as a program and used in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import server.pipeline.opening
from calibration.tablefile import load_table
from server.pipeline.opening import kept_lens
from server.pipeline.referee import Referee
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from tests.server.fakes import wait_until
from vision.source import Paced, open_source

RENDERED = {"columns": 7, "rows": 5, "square_mm": 38.1, "marker_mm": 26.67}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(server.pipeline.opening, "lenses_folder", lambda: tmp_path / "lenses")
    return tmp_path / "lenses"


@pytest.fixture
def boards(shared: Path, samples: Path, kept: Path) -> Iterator[PageServer]:
    """A server whose camera sees the rendered boards, one after the other, round and round."""
    folder = shared / "renders" / "boards" / "charuco_lens_A"
    source = Paced(open_source(str(folder), loop=True, fps=2.5))
    referee = Referee(load_table(samples / "opening-round" / "table.toml"))
    live = Runner(source, referee, camera="HD Webcam C920")
    with PageServer(live, Rulings.by_book(None), listen(port=0)) as server:
        wait_until("the first moment", lambda: live.moment is not None)
        yield server


def ask(server: PageServer, what: str, **body: object) -> httpx.Response:
    return httpx.post(f"{server.address}api/calibrate/{what}", json=body or None, timeout=120)


def test_another_camera_starts_afresh(boards: PageServer) -> None:
    ask(boards, "begin", **RENDERED)
    wait_until("two views", lambda: ask(boards, "look").json()["views"] >= 2)
    boards.live.camera = "Another"
    progress = ask(boards, "look").json()
    assert progress["views"] <= 1
    assert "7x5" in progress["board"]


def test_each_look_shows_its_own_picture(boards: PageServer) -> None:
    ask(boards, "begin", **RENDERED)
    progress = ask(boards, "look").json()
    data = httpx.get(f"{boards.address}api/calibrate/picture.jpg", timeout=120).content
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert image.shape == (720, 1280)
    assert len(progress["corners"]) == 24
    for x, y in progress["corners"]:
        # A corner of the board: bright and dark meet there.
        u, v = round(x / 1.5), round(y / 1.5)
        assert np.ptp(image[v - 3 : v + 4, u - 3 : u + 4]) > 60


def test_what_is_no_board_is_refused_and_another_sites_page_may_not_ask(boards: PageServer) -> None:
    rows: tuple[tuple[dict[str, object], str], ...] = (
        ({"columns": 2}, "columns"),
        ({"square_mm": 20, "marker_mm": 30}, "smaller than its square"),
        ({"dictionary": "DICT_9X9"}, "expected a tag family"),
        ({"columns": 20, "rows": 20}, "200 markers"),
        ({"colour": "red"}, "colour"),
    )
    for body, says in rows:
        refused = ask(boards, "begin", **body)
        assert refused.status_code in (409, 422)
        assert says in refused.json()["error"]
    for what in ("begin", "look", "solve"):
        url = f"{boards.address}api/calibrate/{what}"
        foreign = httpx.post(url, headers={"origin": "http://evil.example"}, json={})
        assert foreign.status_code == 403
        own = httpx.post(url, headers={"origin": boards.address.rstrip("/")}, json={}, timeout=120)
        assert own.status_code != 403


@pytest.fixture
def page_of(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens the calibration in a window of its own; what the page logs as an error fails the test."""
    contexts, complaints = [], []

    def open_page(server: PageServer, width: int = 1440, height: int = 900) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{server.address}calibrate")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def test_a_person_collects_views_until_the_lens_is_found_and_used(
    boards: PageServer, page_of: Callable[..., Page], kept: Path
) -> None:
    page = page_of(boards)
    expect(page.locator("#words")).to_contain_text("not seen")
    expect(page.locator("#solve")).to_be_disabled()
    page.locator("#board-part summary").click()
    for name, value in RENDERED.items():
        page.locator(f"[name={name}]").fill(str(value))
    page.get_by_role("button", name="Use this board").click()
    expect(page.locator("#board")).to_contain_text("7x5 squares")
    refused = ask(boards, "solve")
    assert refused.status_code == 409
    assert "at least 6 are needed" in refused.json()["error"]
    expect(page.locator("#corners circle")).to_have_count(24, timeout=120_000)
    expect(page.locator("#hints li").first).to_be_visible()
    width = "image => image.naturalWidth"
    wait_until("the picture", lambda: page.locator("#seen").evaluate(width) == 1280)
    expect(page.locator("#enough")).to_be_visible(timeout=120_000)
    assert page.locator("#count").inner_text() == "12"
    assert page.locator("#tilts .view").count() == 12
    assert sum(int(t) for t in page.locator("#map text").all_text_contents()) == 288
    page.get_by_role("button", name="Calibrate").click()
    expect(page.locator("#kept")).to_contain_text("Kept for HD Webcam C920 at 1920x1080", timeout=120_000)
    expect(page.locator("#kept")).to_contain_text("in use now")
    lens = kept_lens("HD Webcam C920", (1920, 1080))
    assert lens is not None
    assert lens.K[0, 0] == pytest.approx(1181.2, abs=1.0)
    expect(page.locator("#report")).to_contain_text("px rms")
    page.get_by_text("Picture by picture").click()
    assert page.locator("#rows tr").count() == 12
    assert [p.name for p in kept.iterdir()] == ["hd-webcam-c920-1920x1080.json"]
    page.get_by_role("button", name="Start again").click()
    expect(page.locator("#result")).to_be_hidden()


def test_the_corners_lie_on_the_picture_nothing_sticks_out_and_the_way_leads_back(
    boards: PageServer, page_of: Callable[..., Page]
) -> None:
    ask(boards, "begin", **RENDERED)
    page = page_of(boards)
    expect(page.locator("#corners circle")).to_have_count(24, timeout=120_000)
    image, overlay = (page.locator(s).bounding_box() for s in ("#seen", "#overlay"))
    assert image == overlay
    assert image is not None
    # All at one moment: the next picture puts other circles in their place.
    middles = page.wait_for_function(
        """() => {
            const all = [...document.querySelectorAll("#corners circle")].map(c => c.getBoundingClientRect());
            return all.length === 24 && all.map(b => [b.x + b.width / 2, b.y + b.height / 2]);
        }"""
    ).json_value()
    for x, y in middles:
        assert image["x"] < x < image["x"] + image["width"]
        assert image["y"] < y < image["y"] + image["height"]
    for width in (390, 768, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#board-part summary").click()
    page.locator("[name=marker_mm]").fill("60")
    page.get_by_role("button", name="Use this board").click()
    expect(page.locator("#kept")).to_contain_text("smaller than its square")
    page.get_by_role("link", name="To the table").click()
    page.get_by_role("link", name="calibrate").click()
    expect(page.get_by_role("heading", name="Calibrate the lens")).to_be_visible()


def test_the_page_says_so_while_nothing_comes(samples: Path, tmp_path: Path) -> None:
    picture = tmp_path / "grey.png"
    cv2.imwrite(str(picture), np.full((240, 320), 100, np.uint8))
    live = Runner(open_source(str(picture)), Referee(load_table(samples / "overhead-table-1" / "table.toml")))
    with PageServer(live, Rulings.by_book(None), listen(port=0)) as server:
        first = httpx.get(f"{server.address}api/calibrate/picture.jpg", timeout=120)
        assert first.status_code == 404
        wait_until("the picture", lambda: live.moment is not None)
        progress = ask(server, "look").json()
        assert progress["corners"] == []
        assert "not seen" in progress["words"]
