"""What the table's page says of a camera that is not to be trusted, in a real Chromium at both widths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from shapely import Polygon

from engine.space.geometry import Pose
from server.formats.entries import Entry
from server.recording.outlined import OUTLINED
from server.setup.settling.going_on import PATH, SAID
from server.setup.settling.named_things import SAID as THING_SAID
from server.setup.settling.same_camera import PATH as SAME_PATH
from tests.server.fakes import PATIENCE, wait_until
from tests.server.firsttime import FirstTime, first_time
from tests.server.page.evenings import fits, photograph
from tests.server.setup.settling.test_same_camera import comes_back, suspects
from tests.volume import deep
from vision.frame import Frame
from vision.simulate.drawing.render import Renderer
from vision.simulate.live import SimulatedTable

SIZES = [pytest.param((1366, 900), id="wide", marks=deep), pytest.param((390, 844), id="phone")]


def table_page(browser: Browser, first: FirstTime, size: tuple[int, int], to: str = "") -> Page:
    """The table's page or another one, once the table is found."""
    page = browser.new_context(viewport={"width": size[0], "height": size[1]}).new_page()
    page.goto(f"{first.server.address}{to}")
    wait_until("the table to be found", lambda: bool(first.live.moment and first.live.moment.surface))
    return page


def seen_as(first: FirstTime, change: Callable[[Frame], Frame]) -> None:
    """From now on the source's pictures are changed like this."""
    source = first.live.source
    read = source.read
    source.read = lambda: change(read())  # type: ignore[method-assign]


def shown(page: Page, words: str, name: str) -> None:
    """The notice, in view and within the page's width, and its picture."""
    photograph(page, f"{name}-top")
    notice = page.locator("#notices li", has_text=words)
    expect(notice).to_be_visible()
    notice.scroll_into_view_if_needed()
    fits(page)
    photograph(page, name)


@contextmanager
def things_asked_about(
    folder: Path, browser: Browser, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch, to: str = ""
) -> Iterator[tuple[FirstTime, Page, SimulatedTable, list[Entry]]]:
    """A simulated table on which things are looked for, a page of it, and what is kept of what is said."""
    kept: list[Entry] = []
    with first_time(folder / "tables", "sim", things=True) as first:
        monkeypatch.setattr(first.live, "note", kept.append)
        source = first.live.source
        assert isinstance(source, SimulatedTable)
        yield first, table_page(browser, first, size, to), source, kept


TRAY = [(27.0, 3.0), (31.0, 3.0), (31.0, 6.0), (27.0, 6.0)]


def lies(source: SimulatedTable, box: Locator, **outlines: Sequence[tuple[float, float]]) -> str:
    """These things lie on the table; the name of the one that is asked about."""
    source.lay(outlines)
    source.move("Red 1", source.poses()["Red 1"])
    expect(box).to_contain_text(re.compile(r"Thing \d lies there"), timeout=PATIENCE * 1000)
    return re.findall(r"Thing \d", box.inner_text())[0]


def answered(page: Page, box: Locator, button: str, picture: str) -> None:
    """The question fits the window, and is gone once its button is tapped."""
    box.scroll_into_view_if_needed()
    fits(page)
    photograph(page, picture)
    # What is looked at anew may have got another number since.
    box.get_by_role("button", name=re.compile(re.sub(r"\d+", r"\\d+", button))).click()
    expect(box).to_be_hidden()


@pytest.mark.parametrize("size", SIZES)
def test_what_nobody_named_is_kept_as_terrain_or_flat_in_one_tap(
    tmp_path: Path, browser: Browser, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    with things_asked_about(tmp_path, browser, size, monkeypatch) as (first, page, source, kept):
        expect(page.locator("#things")).to_be_hidden()
        is_kept_moved_and_taken_off(first, page, source, size)
        terrain, kept[:] = list(kept), []
        is_flat(first, page, source, size)
        (flat,) = kept
    assert [(e.kind, e.actor, e.data["piece"]) for e in terrain] == [(OUTLINED, "the owner", "Rock 1")] * 3
    for entry, aside in zip(terrain, (0.0, -7.0), strict=False):
        assert (entry.data["height_in"], entry.data["said"]) == (0.5, ["piece", "height_in"])
        outline = np.array(entry.data["footprint_in"]) + entry.data["at_in"]
        true = Polygon([(x + aside, y) for x, y in TRAY])
        rim = Polygon(outline).exterior
        off = [rim.distance(true.exterior.interpolate(at)) for at in np.arange(0.0, 14.0, 0.1)]
        assert np.quantile(off, 0.95) <= 1.96 * entry.data["edge_sd_in"] < 0.5
    assert terrain[-1].data["off"]
    assert (flat.kind, flat.actor, flat.data["what"]) == (THING_SAID, "the owner", "flat")
    assert Polygon(flat.data["outline_in"]).symmetric_difference(Polygon(TRAY)).area < 2.0


def is_kept_moved_and_taken_off(
    first: FirstTime, page: Page, source: SimulatedTable, size: tuple[int, int]
) -> None:
    """A thing without a tag is terrain from one tap on, is moved in one, and taken off in one."""
    box = page.locator("#things")
    name = lies(source, box, Wall=TRAY)
    assert name == "Thing 1"
    box.get_by_role("button", name=f"{name}: Terrain").click()
    expect(box.get_by_label(f"Name of {name}")).to_have_value("Rock 1")
    box.get_by_label(f"Height of {name}, in").fill("0.5")
    answered(page, box, f"Keep {name}", f"thing-kept-{size[0]}")
    expect(page.locator('.terrain [data-key="Rock 1"]')).to_have_count(1)
    # A name that is in use is refused, and so is what is not there any more.
    again = {"name": name, "called": "rock-1", "height_in": 1.0}
    assert httpx.post(f"{first.server.address}api/things/keep", json=again).status_code == 409
    source.lay({"Wall": [(x - 7.0, y) for x, y in TRAY]})
    source.move("Red 1", source.poses()["Red 1"])
    expect(box).to_contain_text("Rock 1 does not stand where it was outlined", timeout=PATIENCE * 1000)
    box.get_by_role("button", name="It is Rock 1, moved").click(timeout=PATIENCE * 1000)
    expect(box).to_be_hidden()
    source.lay({})
    source.move("Red 1", source.poses()["Red 1"])
    box.get_by_role("button", name="Rock 1 is off the table").click(timeout=PATIENCE * 1000)
    expect(box).to_be_hidden()
    expect(page.locator('.terrain [data-key="Rock 1"]')).to_have_count(0)


def is_flat(first: FirstTime, page: Page, source: SimulatedTable, size: tuple[int, int]) -> None:
    """A tray of dice is drawn until somebody says that it is nothing that stands there."""
    box = page.locator("#things")
    source.move("Red 1", Pose(8.0, 9.0, 1.4))
    name = lies(source, box, **{"Dice tray": TRAY})
    expect(page.locator(".things polygon")).to_have_count(1)
    answered(page, box, f"{name}: Flat: dice or paper", f"thing-{size[0]}")
    expect(page.locator(".things polygon")).to_have_count(0)
    said = {"name": name, "what": "nothing"}
    assert httpx.post(f"{first.server.address}api/things", json=said).status_code == 409


def laid_elsewhere(first: FirstTime) -> None:
    """From now on three corner tags lie elsewhere than the table file says, each its way."""
    source = first.live.source
    assert isinstance(source, SimulatedTable)
    astray = {0: (0.9, 0.0), 1: (0.0, -1.1), 3: (-0.8, 0.6)}
    corners = [
        replace(c, at=(c.at[0] + dx, c.at[1] + dy))
        for c in source.scene.corners
        for dx, dy in [astray.get(c.tag, (0.0, 0.0))]
    ]
    after = replace(source.scene, corners=tuple(corners))
    source.scene, source._renderer = after, Renderer(after)
    source.move("Red 1", source.poses()["Red 1"])


@pytest.mark.parametrize("size", SIZES)
def test_the_owner_goes_on_with_what_cannot_all_be_true(
    tmp_path: Path, browser: Browser, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Entry] = []
    with first_time(tmp_path / "tables", "sim") as first:
        monkeypatch.setattr(first.live, "note", kept.append)
        page = table_page(browser, first, size)
        box = page.locator("#going-on")
        expect(box).to_be_hidden()
        assert httpx.post(f"{first.server.address}{PATH.lstrip('/')}").status_code == 409
        laid_elsewhere(first)
        expect(box).to_contain_text("times as far off as it may be", timeout=PATIENCE * 1000)
        # By the clock on the wall: *since 0.8 s* said nothing to whoever looked later.
        expect(box).to_contain_text(re.compile(r"since \d\d:\d\d:\d\d"))
        expect(page.locator("#trouble")).to_be_visible()
        box.scroll_into_view_if_needed()
        fits(page)
        photograph(page, f"contradiction-{size[0]}")
        box.get_by_role("button", name="Go on, less surely").click()
        expect(box).to_contain_text("Gone on, less surely")
        expect(page.locator("#trouble")).to_be_hidden()
        expect(page.locator("#notices")).to_contain_text("Gone on although what is stated cannot all be true")
        photograph(page, f"contradiction-gone-on-{size[0]}")
        (entry,) = kept
        assert (entry.kind, entry.actor) == (SAID, "the owner")
        assert entry.data["times"] > 2.0
        assert any(e.event.words == entry.words for e in first.live.snapshot.events)
        table = first.live.moment.table if first.live.moment else None
        assert table is not None
        assert np.sqrt(table.find("Red 1").uncertainty.total[0, 0]) > 0.05


PHONE, LAPTOP = (390, 844), (1366, 768)
TO_THE_TOP = (
    'for (const one of [document.scrollingElement, document.querySelector("aside")]) one.scrollTo(0, 0)'
)


@pytest.mark.parametrize(("size", "playing"), [(LAPTOP, False), (LAPTOP, True), (PHONE, True)])
def test_on_the_page_of_the_game_too_the_owner_goes_on_with_what_cannot_all_be_true(
    tmp_path: Path, browser: Browser, size: tuple[int, int], playing: bool
) -> None:
    """Before a game and in it: what holds everything is told where it is seen, with its way out."""
    with first_time(tmp_path / "tables", "sim") as first:
        page = table_page(browser, first, size, "play")
        box = page.locator("#going-on")
        if playing:
            page.get_by_role("button", name="Play against tableref").click()
            expect(page.locator("body")).to_have_attribute("data-phase", "match", timeout=PATIENCE * 1000)
        expect(page.locator("#now")).not_to_be_empty(timeout=PATIENCE * 1000)
        expect(box).to_be_hidden()
        page.locator("aside").evaluate("aside => aside.scrollTo(0, 500)")
        laid_elsewhere(first)
        expect(box).to_contain_text("times as far off as it may be", timeout=PATIENCE * 1000)
        go_on = box.get_by_role("button", name="Go on, less surely")
        expect(go_on).to_be_in_viewport(ratio=1.0)
        fits(page)
        photograph(page, f"play-contradiction-{size[0]}-{playing}")
        go_on.click()
        expect(box).to_contain_text("Gone on, less surely")
        expect(page.locator("#trouble")).to_be_hidden()


def test_before_a_game_the_top_of_the_page_leads_to_the_question_about_a_thing(
    tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with things_asked_about(tmp_path, browser, PHONE, monkeypatch, "play") as (_, page, source, _):
        box, told = page.locator("#things"), page.locator("#things-told")
        expect(page.locator("#now")).not_to_be_empty(timeout=PATIENCE * 1000)
        expect(told).to_be_hidden()
        name = lies(source, box, Wall=TRAY)
        flat = box.get_by_role("button", name=f"{name}: Flat: dice or paper")
        for size in (PHONE, LAPTOP):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.evaluate(TO_THE_TOP)
            expect(told).to_be_in_viewport(ratio=1.0)
            fits(page)
            photograph(page, f"play-thing-told-{size[0]}")
            told.get_by_role("button", name=f"Nobody has said what {name} is").click()
            expect(flat).to_be_in_viewport(ratio=1.0)
            photograph(page, f"play-thing-{size[0]}")
        flat.click()
        expect(told).to_be_hidden()


@pytest.mark.parametrize("size", SIZES)
def test_old_mirrored_and_another_cameras_pictures_are_told_with_what_to_do_and_nothing_is_ruled(
    tmp_path: Path, browser: Browser, size: tuple[int, int]
) -> None:
    with first_time(tmp_path / "tables", "sim") as first:
        page = table_page(browser, first, size)
        expect(page.locator("#same-camera")).to_be_hidden()
        source = first.live.source
        read = source.read
        old_and_mirrored(first, page, size)
        source.read = read  # type: ignore[method-assign]
        source.move("Red 1", source.poses()["Red 1"])  # type: ignore[attr-defined]
        expect(page.locator("#trouble")).to_be_hidden()
        it_is_the_same_camera(first, page, size)


def old_and_mirrored(first: FirstTime, page: Page, size: tuple[int, int]) -> None:
    trouble, moment, source = page.locator("#trouble"), first.live.moment, first.live.source
    assert moment is not None
    hung, read = moment.frame, source.read
    seen_as(
        first, lambda f: hung.restamped(f.index, f.time).aged(max(0.0, f.time - hung.time), repeated=True)
    )
    expect(trouble).to_contain_text("What the camera shows is old")
    expect(trouble).to_be_in_viewport()
    shown(page, "What the camera shows is old", f"notice-old-{size[0]}")
    expect(page.locator("#s-cars")).to_contain_text("held")
    page.evaluate("scrollTo(0, 0)")
    source.read = read  # type: ignore[method-assign]
    seen_as(first, lambda f: replace(f, image=np.ascontiguousarray(f.image[:, ::-1])))
    expect(trouble).to_contain_text("The picture is mirrored")
    expect(trouble).to_be_in_viewport()
    shown(page, "The picture is mirrored, so no tag can be read", f"notice-mirrored-{size[0]}")


def it_is_the_same_camera(first: FirstTime, page: Page, size: tuple[int, int]) -> None:
    """Whether the tags agree, and what is said of it, is proved by `setup.settling.test_same_camera`."""
    same = page.locator("#same-camera")
    comes_back(first)
    wait_until("another camera to be suspected", lambda: suspects(first))
    shown(page, "so another camera may answer", f"notice-another-{size[0]}")
    button = same.get_by_role("button", name="It is the same camera")
    # On a phone it comes right below the table, before all else.
    box, ruling = same.bounding_box(), page.locator("#ruling").bounding_box()
    assert box is not None
    assert ruling is not None
    assert box["y"] + box["height"] <= ruling["y"]
    words = "The corner tags do not agree with the kept calibration. Calibrate this camera."

    def refuse(route: Route) -> None:
        if route.request.method == "POST":
            route.fulfill(status=409, json={"error": words})
        else:
            route.continue_()

    page.route(f"**{SAME_PATH}", refuse)
    button.click()
    expect(same.get_by_role("alert")).to_contain_text(words)
    expect(button).to_be_enabled()
    button.scroll_into_view_if_needed()
    fits(page)
    photograph(page, f"notice-another-refused-{size[0]}")
    # The camera itself was put back: it is seen from elsewhere, and the tags agree.
    page.unroute_all(behavior="wait")
    button.click()
    expect(same).to_be_hidden()
    expect(page.locator("#notices")).not_to_contain_text("another camera")
    told = page.locator(
        "#feed li", has_text="The owner said that it is the same camera. The corner tags agree"
    )
    expect(told).to_have_count(1)
