"""The overlay for a stream."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from engine.space.table import Status
from server.pipeline.runner import Runner
from server.play.messages import Overrule
from server.play.routes import play_router
from server.play.view import SharedView
from server.serving.run import PageServer, listen
from server.table.questions.rulings import Rulings
from tests.server.conftest import Served, joined
from tests.server.fakes import HandMoved, KnowsAll, wait_until
from tests.server.play.test_host import OWNER, begun, key


@pytest.fixture
def over(browser: Browser, served: Served) -> Iterator[Callable[..., Page]]:
    """Opens the overlay as a streaming program does, 1920 by 1080."""
    contexts = []

    def open_page(query: str = "", before: Callable[[Page], None] | None = None) -> Page:
        context = browser.new_context(viewport={"width": 1920, "height": 1080})
        contexts.append(context)
        page = context.new_page()
        if before is not None:
            before(page)
        page.goto(f"{served.url}overlay{query}")
        return page

    yield open_page
    for context in contexts:
        context.close()


@contextmanager
def asking(served: Served, shooter: str, target: str) -> Iterator[None]:
    """Another page that asks."""
    with joined(served.url) as socket:
        socket.hear()
        socket.send(type="select", pieces=[shooter, target], question="Plinker")
        yield


def test_what_any_page_asks_is_shown_over_the_stream_and_follows_the_table(
    served: Served, over: Callable[..., Page]
) -> None:
    page = over()
    expect(page.locator("#o-map polygon.edge")).to_be_visible()
    expect(page.locator("#o-ruling")).to_be_hidden()
    with asking(served, "RED1", "BLUE2"):
        expect(page.locator("#o-headline")).to_have_text("Yes")
        expect(page.locator("#o-pair")).to_contain_text("RED1 → BLUE2")
        expect(page.locator("#o-rule")).to_contain_text("White Line Fever")
        nothing_is_painted_behind(page)
        served.source.set_status("BLUE2", Status.HELD, "BLUE2 is covered.")
        expect(page.locator("#o-headline")).to_have_text("Too close to call")
    with asking(served, "BLUE2", "RED1"):
        expect(page.locator("#o-pair")).to_contain_text("BLUE2 → RED1")


def nothing_is_painted_behind(page: Page) -> None:
    picture = Image.open(io.BytesIO(page.screenshot(omit_background=True)))
    alpha = picture.getchannel("A")
    assert alpha.getpixel((960, 400)) == 0
    seen = sum(alpha.histogram()[1:]) / (1920 * 1080)
    assert 0.05 < seen < 0.4


def test_a_ruling_goes_after_a_while(served: Served, over: Callable[..., Page]) -> None:
    page = over("?show=ruling&hold=20", lambda page: page.clock.install())
    with asking(served, "RED1", "BLUE2"):
        expect(page.locator("#o-ruling")).to_be_visible()
        page.clock.fast_forward(21_000)
        expect(page.locator("#o-ruling")).to_be_hidden()


def test_only_what_was_chosen_is_there_as_large_as_wished_and_the_clock_runs(
    over: Callable[..., Page],
) -> None:
    pages = {
        "map": over("?show=map"),
        "clock": over("?show=clock", lambda page: page.clock.install()),
    }
    for part, page in pages.items():
        expect(page.locator(f"#o-{part}")).to_be_visible()
        for other in {"ruling", "score", "clock", "map"} - {part}:
            expect(page.locator(f"#o-{other}")).to_be_hidden()
    clock = pages["clock"].locator("#o-clock")
    expect(clock).to_have_text(re.compile(r"^0:\d\d:\d\d$"))
    first = clock.inner_text()
    pages["clock"].clock.fast_forward(2_000)
    wait_until("the clock goes on", lambda: clock.inner_text() > first)
    large = over("?show=clock&size=2").locator("#o-clock")
    expect(large).to_be_visible()
    heights = [one.bounding_box()["height"] for one in (clock, large)]  # type: ignore[index]
    assert heights[1] == pytest.approx(2 * heights[0], rel=0.1)


def apart(page: Page) -> bool:
    """Whether the parts lie beside one another."""
    boxes = [page.locator(f"#o-{part}").bounding_box() for part in ("score", "clock", "map")]
    x = [(box["x"], box["x"] + box["width"]) for box in boxes if box]
    y = [(box["y"], box["y"] + box["height"]) for box in boxes if box]
    assert len(x) == 3
    return all(
        any(along[i][1] <= along[k][0] or along[k][1] <= along[i][0] for along in (x, y))
        for i, k in ((0, 1), (0, 2), (1, 2))
    )


def test_the_score_of_a_game(browser: Browser) -> None:
    source = HandMoved()
    live, host = Runner(source, KnowsAll(source)), begun()
    with PageServer(
        live, Rulings.by_book(None), listen(port=0), routers=[play_router(SharedView(host, live))]
    ) as server:
        page = browser.new_page(viewport={"width": 1920, "height": 1080})
        page.goto(f"{server.address}overlay")
        sides = page.locator("#o-sides li")
        expect(sides).to_have_count(2)
        expect(page.locator("#o-turn")).to_contain_text("Anna drives")
        expect(sides.first).to_have_attribute("data-turn", "true")
        expect(sides.first).to_contain_text("of 2, 44 armour")
        path = ["cars", "Red 1", "status"]
        asked = Overrule(type="overrule", key=key(), path=path, value="wreck", words="agreed")
        assert host.ask(OWNER, asked).accepted
        expect(sides.first.locator(".count")).to_have_text("1")
        page.wait_for_selector("#o-map polygon.edge")
        assert apart(page)
        page.set_viewport_size({"width": 720, "height": 1280})
        wait_until("the parts to lie beside one another", lambda: apart(page))
        page.close()
