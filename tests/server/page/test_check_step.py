"""The step Check on the set-up page, in a real Chromium: a sheet of paper, or a strip, laid three times."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from calibration.tablefile import load_table
from engine.space.geometry import FloatArray, Pose
from server.setup.checking import strip
from tests.server.fakes import PATIENCE
from tests.server.firsttime import FirstTime, first_time, kept_first
from tests.server.page.evenings import WIDTHS, fits, photograph
from tests.server.setup.printing.drawn_sheet import true_surface
from vision.simulate.live import SimulatedTable
from vision.simulate.scenes import SCENES, first_scene

LETTER = (8.5, 11.0)


ENDS = strip("50,51", 1.4, 0.0)


def where_asked(first: FirstTime, n: int) -> tuple[SimulatedTable, FloatArray]:
    """The middle of the n-th marked area on the table, inches."""
    spots = httpx.get(f"{first.server.address}api/setup/check", timeout=PATIENCE).json()["spots"]
    table = first.live.source
    assert isinstance(table, SimulatedTable)
    return table, true_surface().table_from_image(np.mean(spots[n]["outline"], axis=0)[None])[0]


def lay_strip_where_asked(first: FirstTime, n: int, length: float = 8.0) -> None:
    """Lays the strip in the n-th marked area, each time turned by a quarter."""
    table, there = where_asked(first, n)
    for end, way in zip(ENDS, (-0.5, 0.5), strict=True):
        middle = Pose(float(there[0]) - 0.4, float(there[1]) + 0.3, 0.2 + 1.5 * n)
        table.put(end.name, middle.compose(Pose(way * length, 0.0)))


def lay_where_asked(page: Page, first: FirstTime, n: int, turn: float = 0.2) -> None:
    """Lays a sheet in the n-th marked area, a little beside its middle, as the camera shows it."""
    table, there = where_asked(first, n)
    table.lay_paper(LETTER, Pose(float(there[0]) - 0.8, float(there[1]) + 0.5, turn))


@pytest.mark.parametrize("width", WIDTHS)
def test_a_sheet_laid_in_three_places_proves_the_table(tmp_path: Path, browser: Browser, width: int) -> None:
    with first_time(tmp_path / "tables", "sim:first") as first:
        page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
        page.goto(f"{first.server.address}setup")
        expect(page.locator("#check")).to_contain_text("Once the table is kept")
        page.get_by_role("button", name="Use this table").click()
        page.get_by_role("button", name="Begin the check").click()
        marks = page.locator("#check-marks polygon")
        asked = page.locator('#check-marks polygon[data-state="asked"]')
        expect(asked).to_have_count(1)
        for n, where in enumerate(("near left corner", "middle", "far right corner")):
            expect(page.locator("#next")).to_contain_text(where)
            expect(page.locator("#next")).to_be_in_viewport()
            if n == 1:
                photograph(page, f"setup-check-asked-{width}")
            lay_where_asked(page, first, n, 0.2 + 0.4 * n)
            if n < 2:
                done = page.locator('#check .spots li[data-done="true"]')
                expect(done).to_have_count(n + 1)
                expect(page.locator("#check tbody")).to_have_count(n + 1)
        verdict = page.locator("#check .verdict")
        expect(verdict).to_have_text("Agrees")
        expect(marks).to_have_count(0)
        expect(page.locator("#check")).to_contain_text("All 3 places agree with the table")
        expect(page.locator("#check")).to_contain_text("with US Letter; kept with the table")
        expect(page.locator("#next")).to_contain_text("Say what carries the tags")
        page.get_by_text("What was measured").click()
        expect(page.locator("#check tbody tr")).to_have_count(12)
        expect(page.locator("#check-part")).to_be_in_viewport()
        fits(page)
        photograph(page, f"setup-check-{width}")
        kept = load_table(first.file).check
        assert kept is not None
        assert (kept.verdict, kept.paper, len(kept.places)) == ("agrees", "letter", 3)
        # Opened again it is still there; other sizes of the tags put it out of date.
        page.reload()
        expect(verdict).to_have_text("Agrees")
        text = first.file.read_text(encoding="utf-8")
        first.file.write_text(re.sub(r"size_in = 2\.4\b", "size_in = 2.45", text), encoding="utf-8")
        first.watch.check()
        expect(verdict).to_have_text("Out of date")
        expect(page.locator("#check")).to_contain_text("Since then the table's sizes")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_strip_of_known_length_proves_the_table_in_place_of_a_sheet(
    tmp_path: Path, browser: Browser, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = first_scene()
    with_strip = replace(scene, pieces=(*scene.pieces, *ENDS))
    monkeypatch.setitem(SCENES, "first", lambda size: with_strip)
    with first_time(tmp_path / "tables", "sim:first", kept=kept_first(lens=False)) as first:
        page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
        page.goto(f"{first.server.address}setup")
        # What a strip is, and where to print it.
        page.locator("#check summary").click()
        expect(page.locator("#check details")).to_contain_text("it is known by its tags 50 and 51")
        expect(page.locator("#check details")).to_contain_text("tableref print strip")
        address = page.locator("#check details a").first.get_attribute("href")
        pdf = httpx.get(f"{first.server.address.rstrip('/')}{address}", timeout=PATIENCE)
        assert pdf.content.startswith(b"%PDF")
        photograph(page, f"setup-strip-help-{width}")
        page.get_by_role("button", name="Begin the check").click()
        expect(page.locator("#next")).to_contain_text("or a check strip")
        expect(page.get_by_label("The strip measures")).to_have_count(0)
        lay_strip_where_asked(first, 0)
        expect(page.locator("#next")).to_contain_text("A check strip is in view")
        expect(page.locator('#check .spots li[data-done="true"]')).to_have_count(0)
        photograph(page, f"setup-strip-asked-{width}")
        page.get_by_label("The strip measures").fill("8")
        page.get_by_role("button", name="Use this length").click()
        for n in range(1, 3):
            done = page.locator('#check .spots li[data-done="true"]')
            expect(done).to_have_count(n)
            expect(page.locator("#next")).to_contain_text("Now lay the same strip")
            lay_strip_where_asked(first, n)
        expect(page.locator("#check .verdict")).to_have_text("Agrees")
        expect(page.locator("#check")).to_contain_text("with a strip of 8.00 in; kept with the table")
        page.get_by_text("What was measured").click()
        # Three places, each with its name and one length.
        expect(page.locator("#check tbody tr")).to_have_count(6)
        expect(page.locator("#check tbody tr").nth(1)).to_contain_text("8.00 in")
        fits(page)
        photograph(page, f"setup-strip-{width}")
        kept = load_table(first.file).check
        assert kept is not None
        assert (kept.verdict, kept.paper, kept.strip_in, len(kept.places)) == (
            "agrees",
            "strip",
            (8.0, 0.04),
            3,
        )


def test_a_table_printed_too_small_does_not_agree(tmp_path: Path, browser: Browser) -> None:
    """The file says 2.6 inches where 2.4 were printed, and that it was measured well."""
    with first_time(tmp_path / "tables", "sim:first") as first:
        page = browser.new_context(viewport={"width": 1366, "height": 900}).new_page()
        page.goto(f"{first.server.address}setup")
        expect(page.get_by_role("button", name="Use this table")).to_be_enabled()
        size = {"corner_size_in": 2.6}
        asks = httpx.post(f"{first.server.address}api/setup/surface", json=size, timeout=PATIENCE)
        asks.raise_for_status()
        page.get_by_role("button", name="Begin the check").click()
        for n in range(3):
            expect(page.locator('#check .spots li[data-done="true"]')).to_have_count(n)
            lay_where_asked(page, first, n)
        expect(page.locator("#check .verdict")).to_have_text("Does not agree")
        expect(page.locator("#check")).to_contain_text("All lengths come out too long alike")
        expect(page.locator("#check")).to_contain_text("Look first at the printed size of the corner tags")
        # Nothing is in the way of the first ruling.
        expect(page.locator("#next")).to_contain_text("Say what carries the tags")
        page.get_by_role("button", name="Check again").click()
        expect(page.locator("#check .spots li")).to_have_count(3)
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#check .verdict")).to_have_text("Does not agree")
