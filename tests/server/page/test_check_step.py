"""The step Check on the set-up page, in a real Chromium: a sheet of paper laid three times, and then a strip.

What is measured, and said of it, is proved by `tests.server.setup.proving.test_check_watch`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from calibration.tablefile import load_table
from engine.space.geometry import FloatArray, Pose
from server.setup.checking import strip
from server.setup.proving.check_messages import ProofView
from tests.server.fakes import PATIENCE
from tests.server.firsttime import FirstTime, first_time
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


def lay_strip_where_asked(first: FirstTime) -> None:
    """Lays the strip of 8 inches in the first marked area."""
    table, there = where_asked(first, 0)
    for end, way in zip(ENDS, (-4.0, 4.0), strict=True):
        middle = Pose(float(there[0]) - 0.4, float(there[1]) + 0.3, 0.2)
        table.put(end.name, middle.compose(Pose(way, 0.0)))


def lay_where_asked(first: FirstTime, n: int, turn: float) -> None:
    """Lays a sheet in the n-th marked area, a little beside its middle, as the camera shows it."""
    table, there = where_asked(first, n)
    table.lay_paper(LETTER, Pose(float(there[0]) - 0.8, float(there[1]) + 0.5, turn))


def by_a_strip(told: dict[str, Any]) -> dict[str, Any]:
    """What the server would tell, had the same places been measured with a strip, and not agreed."""
    told["kept"] |= {"strip_in": 8.0, "verdict": "differs", "words": "Look first at the printed size."}
    for place in told["places"]:
        (length, *_) = place["lengths"]
        place["lengths"] = [length | {"what": "length", "true_in": 8.0}]
        place.update(dict.fromkeys(("square_deg", "square_sure_deg", "square_inside")))
    return ProofView.model_validate(told).model_dump()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_sheet_and_then_a_strip_prove_the_table(
    tmp_path: Path, browser: Browser, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = first_scene()
    with_strip = replace(scene, pieces=(*scene.pieces, *ENDS))
    monkeypatch.setitem(SCENES, "first", lambda size: with_strip)
    with first_time(tmp_path / "tables", "sim:first") as first:
        page = browser.new_context(viewport={"width": width, "height": 844}).new_page()
        page.goto(f"{first.server.address}setup")
        check, then = page.locator("#check"), page.locator("#next")
        expect(check).to_contain_text("Once the table is kept")
        page.get_by_role("button", name="Use this table").click()
        # What a strip is, and where to print it.
        check.locator("summary").click()
        expect(check.locator("details")).to_contain_text("it is known by its tags 50 and 51")
        expect(check.locator("details")).to_contain_text("tableref print strip")
        address = check.locator("details a").first.get_attribute("href")
        pdf = httpx.get(f"{first.server.address.rstrip('/')}{address}", timeout=PATIENCE)
        assert pdf.content.startswith(b"%PDF")
        page.get_by_role("button", name="Begin the check").click()
        expect(page.locator('#check-marks polygon[data-state="asked"]')).to_have_count(1)
        done = check.locator('.spots li[data-done="true"]')
        for n, where in enumerate(("near left corner", "middle", "far right corner")):
            expect(then).to_contain_text(where)
            expect(then).to_be_in_viewport()
            if n == 1:
                photograph(page, f"setup-check-asked-{width}")
            lay_where_asked(first, n, 0.2 + 0.4 * n)
            if n < 2:
                expect(done).to_have_count(n + 1)
                expect(check.locator("tbody")).to_have_count(n + 1)
        verdict = check.locator(".verdict")
        expect(verdict).to_have_text("Agrees")
        expect(page.locator("#check-marks polygon")).to_have_count(0)
        expect(check).to_contain_text("All 3 places agree with the table")
        expect(check).to_contain_text("with US Letter; kept with the table")
        # Nothing is in the way of the first ruling.
        expect(then).to_contain_text("Say what carries the tags")
        page.get_by_text("What was measured").click()
        expect(check.locator("tbody tr")).to_have_count(12)
        expect(page.locator("#check-part")).to_be_in_viewport()
        fits(page)
        photograph(page, f"setup-check-{width}")
        kept = load_table(first.file).check
        assert kept is not None
        assert (kept.verdict, kept.paper, len(kept.places)) == ("agrees", "letter", 3)
        # Again, with a strip: it is known by its tags, and asked for its length.
        source = first.live.source
        assert isinstance(source, SimulatedTable)
        source.lay_paper(None, Pose(0.0, 0.0, 0.0))
        page.get_by_role("button", name="Check again").click()
        expect(then).to_contain_text("or a check strip")
        length = page.get_by_label("The strip measures")
        expect(length).to_have_count(0)
        lay_strip_where_asked(first)
        expect(then).to_contain_text("A check strip is in view")
        expect(done).to_have_count(0)
        photograph(page, f"setup-strip-asked-{width}")
        length.fill("8")
        page.get_by_role("button", name="Use this length").click()
        expect(done).to_have_count(1)
        expect(then).to_contain_text("Now lay the same strip")
        expect(check.locator("tbody tr")).to_have_count(2)
        expect(check.locator("tbody tr").nth(1)).to_contain_text("8.00 in")
        fits(page)
        page.get_by_role("button", name="Stop").click()
        expect(verdict).to_have_text("Agrees")
        # Opened again it is still there; other sizes of the tags put it out of date.
        page.reload()
        expect(verdict).to_have_text("Agrees")
        text = first.file.read_text(encoding="utf-8")
        first.file.write_text(re.sub(r"size_in = 2\.4\b", "size_in = 2.45", text), encoding="utf-8")
        first.watch.check()
        expect(verdict).to_have_text("Out of date")
        expect(check).to_contain_text("Since then the table's sizes")
        first.file.write_text(text, encoding="utf-8")
        first.watch.check()
        expect(verdict).to_have_text("Agrees")
        # A strip's three places, each with its name and one length, and what does not agree.
        page.route("**/api/setup/check", lambda route: route.fulfill(json=by_a_strip(route.fetch().json())))
        expect(verdict).to_have_text("Does not agree")
        expect(check).to_contain_text("Look first at the printed size.")
        expect(check).to_contain_text("with a strip of 8.00 in; kept with the table")
        expect(check.locator("tbody tr")).to_have_count(6)
        expect(check.locator("tbody tr").nth(1)).to_be_visible()
        photograph(page, f"setup-strip-{width}")
        page.unroute_all(behavior="wait")
