"""The source in a real Chromium: the dialog that chooses it, and a phone as the camera."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from calibration.tablefile import load_table
from server.pipeline.opening import Choice, Opener
from server.pipeline.runner import Runner
from server.serving.run import PageServer, listen
from server.setup.cameras.sourcing import Chooser, sources_router
from server.table.questions.rulings import Rulings
from tests.server.fakes import wait_until
from tests.server.firsttime import first_time
from tests.server.page.evenings import WIDTHS
from tests.server.setup.cameras.test_sourcing import Table, tables

Look = Callable[..., Page]


@pytest.fixture
def table() -> Iterator[Table]:
    """Both cameras show a picture: a browser logs one that is missing as an error."""
    done, data = cv2.imencode(".jpg", np.full((135, 240, 3), 120, np.uint8))
    assert done
    with tables(lambda _: data.tobytes()) as one:
        yield one


def opened(page: Page) -> Page:
    page.click("#source-open")
    expect(page.locator("#source-list label").first).to_be_visible()
    return page


def test_it_shows_what_there_is_and_what_runs_fits_and_keeps_nothing_of_before(
    table: Table, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.chooser.choose(Choice("0"))
    page = opened(look(table.server.address))
    names = page.locator("#source-list .said").all_inner_texts()
    assert names == [
        "HD Webcam",
        "Bench camera",
        "Simulated table",
        "A phone's browser",
        "A file or an address",
    ]
    expect(page.locator("#source-list label", has_text="HD Webcam").locator(".now")).to_have_text("now")
    # The running camera shows its newest frame, which is a whole picture.
    running = page.locator("img[data-now]")
    wait_until("the picture", lambda: running.evaluate("(img) => img.naturalWidth > 1000"))
    first = running.get_attribute("src")
    expect(running).not_to_have_attribute("src", first or "")
    expect(page.locator("#source-camera")).to_be_visible()
    page.check("input[value='0']")
    for width, height in ((390, 844), (820, 1180), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        box = page.locator("#sources").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
        assert page.evaluate("(d => d.scrollWidth <= d.clientWidth)(document.querySelector('#sources'))")
        button = page.get_by_role("button", name="Watch this")
        button.scroll_into_view_if_needed()
        expect(button).to_be_in_viewport()
    # Opened again it shows nothing of before: a choice made there would be put back by the answer.
    page.keyboard.press("Escape")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/sources", hold)
    page.click("#source-open")
    expect(page.locator("#source-now")).to_have_text("Looking for what there is…")
    expect(page.locator("#source-list label")).to_have_count(0)
    expect(page.get_by_role("button", name="Watch this")).to_be_disabled()
    wait_until("the question", lambda: page.evaluate("() => true") and held)
    held[0].continue_()
    expect(page.locator("input[value='0']")).to_be_checked()
    expect(page.get_by_role("button", name="Watch this")).to_be_enabled()
    # Elsewhere it is greyed with the reason; what is still asked for from here comes before.
    shown = "() => [...document.querySelectorAll('#source-list img')].every((img) => img.complete)"
    wait_until("the pictures of the cameras", lambda: page.evaluate(shown))
    page.keyboard.press("Escape")
    page.unroute_all(behavior="wait")
    monkeypatch.setattr("server.setup.cameras.sourcing.owner_is_here", lambda request: False)
    opened(page)
    expect(page.locator("#source-why")).to_contain_text("Only the owner of the table may choose the source")
    expect(page.locator("input[value='phone']")).to_be_disabled()
    expect(page.get_by_role("button", name="Watch this")).to_be_disabled()
    # Where there is no choice at all, it is said.
    page.keyboard.press("Escape")
    page.route("**/api/sources", lambda route: route.fulfill(status=200, body="none"))
    page.click("#source-open")
    expect(page.locator("#source-why")).to_have_text("The source of this page cannot be changed.")


def test_a_camera_is_set_and_chosen_by_keyboard(table: Table, look: Look) -> None:
    page = look(table.server.address)
    page.focus("#source-open")
    page.keyboard.press("Enter")
    expect(page.locator("input[value='sim']")).to_be_checked()
    page.focus("input[value='sim']")
    page.keyboard.press("ArrowUp")
    expect(page.locator("input[value='2']")).to_be_checked()
    page.get_by_label("Picture size").select_option("1280x720")
    page.get_by_label("Pictures a second").select_option("60")
    page.get_by_label("Lock the focus").press("Space")
    page.keyboard.press("Enter")
    expect(page.locator("#sources")).to_be_hidden()
    expect(page.locator("#s-source")).to_have_text("Watching camera 2.")
    expect(page.locator("#feed")).to_contain_text("Now watching camera 2 instead of the simulated table.")
    wish = table.player.begun[-1].wish
    assert (wish.size, wish.fps, wish.focus, wish.exposure) == ((1280, 720), 60.0, "lock", "auto")
    # What is set stays set when it is looked at again.
    opened(page)
    expect(page.get_by_label("Picture size")).to_have_value("1280x720")
    expect(page.get_by_label("Lock the focus")).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.locator("#sources")).to_be_hidden()


def test_what_cannot_be_opened_is_said_in_the_dialog(table: Table, browser: Browser) -> None:
    # The browser logs a refused request by itself, so this page is not held to a silent console.
    page = browser.new_page()
    page.goto(table.server.address)
    opened(page)
    page.check("input[value='other']")
    page.click("text=Watch this")
    expect(page.locator("#source-said")).to_have_text("Say which file, folder or address.")
    page.fill("input[name='text']", "nowhere.mp4")
    page.click("text=Watch this")
    expect(page.locator("#source-said")).to_contain_text("there is no file nowhere.mp4")
    expect(page.locator("#sources")).to_be_visible()
    assert len(table.player.begun) == 1
    page.close()


def test_from_the_clip_to_the_simulated_table_and_back(samples: Path, look: Look) -> None:
    clip = samples / "opening-round" / "opening-round.mp4"
    player = Opener(load_table(clip.with_name("table.toml")))
    choice = Choice(str(clip), loop=True)
    live = Runner(*player.begin(choice), again=partial(player.begin, choice))
    router = sources_router(Chooser(live, player, choice, webcams=tuple))
    with PageServer(live, Rulings.by_book(None), listen(port=0), routers=[router]) as server:
        page = look(server.address)
        expect(page.locator('#car-list button[data-name="Red 1"]')).to_be_visible()
        opened(page)
        expect(page.locator("input[name='text']")).to_have_value(str(clip))
        page.check("input[value='sim']")
        page.click("text=Watch this")
        expect(page.locator("#s-source")).to_have_text("Watching the simulated table.")
        expect(page.locator("#feed")).to_contain_text(
            "Now watching the simulated table instead of opening-round.mp4."
        )
        expect(page.locator("#move-hint")).to_be_visible()
        expect(page.locator("#car-list button").first).to_be_visible()
        opened(page)
        page.check("input[value='other']")
        page.fill("input[name='text']", str(clip))
        page.check("input[name='loop']")
        page.click("text=Watch this")
        expect(page.locator("#s-source")).to_have_text("Watching opening-round.mp4.")
        expect(page.locator('#car-list button[data-name="Red 1"]')).to_be_visible()
        expect(page.locator("#move-hint")).to_be_hidden()


def test_alone_it_says_how_phones_may_join(tmp_path: Path, browser: Browser) -> None:
    with first_time(tmp_path / "tables") as first:
        page = browser.new_context().new_page()
        page.goto(f"{first.server.address}setup")
        page.get_by_role("button", name="A phone's browser").click()
        expect(page.locator("#phone")).to_contain_text("Start tableref with --lan")


@pytest.mark.parametrize("width", WIDTHS)
def test_in_a_network_its_link_is_a_square_to_scan(tmp_path: Path, browser: Browser, width: int) -> None:
    with first_time(tmp_path / "tables", host="0.0.0.0") as first:
        page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
        page.goto(f"http://127.0.0.1:{urlsplit(first.server.address).port}/setup")
        page.get_by_role("button", name="A phone's browser").click()
        square = page.get_by_role("img", name="Square to scan")
        expect(square).to_be_visible()
        expect(page.locator("#phone")).to_contain_text("--lan --tls")
        expect(square).to_have_js_property("complete", True)
        # What a phone would see: the link by which a device becomes the camera.
        shot = cv2.imdecode(np.frombuffer(square.screenshot(scale="css"), np.uint8), cv2.IMREAD_COLOR)
        # OpenCV's other reader misses two in a hundred squares, and every link is another one.
        read, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(cv2.resize(shot, None, fx=3, fy=3))
        links = page.request.get(page.url.replace("/setup", "/api/links")).json()["links"]
        assert read == next(one["link"] for one in links if one["role"] == "camera")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
