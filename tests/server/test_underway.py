from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from engine.geometry import Pose
from engine.table import Status
from server.drawing import space_for
from server.underway import way_views
from tests.server.conftest import Served
from tests.server.fakes import wait_until


def push(served: Served, car: str, inches: float) -> None:
    """A hand pushes a car straight ahead, a frame at a time, and has not let go of it."""
    start = served.source.poses[car]
    served.source.statuses[car] = Status.MOVING
    for k in range(1, 11):
        served.source.move(car, start.compose(Pose(inches * k / 10, 0.0)))
        number = served.live.snapshot.number
        wait_until("a frame", lambda n=number: served.live.snapshot.number > n + 1, 30.0)


def test_a_car_on_its_way_has_a_path_and_a_manoeuvre_so_far(served):
    assert served.live.moment is not None
    assert way_views(served.live.moment, space_for(served.live.moment, "table"), "in") == []
    push(served, "RED2", 3.0)
    moment = served.live.moment
    for view in ("table", "picture"):
        ways = way_views(moment, space_for(moment, view), "cm" if view == "picture" else "in")
        assert [w.car for w in ways] == ["RED2"]
        assert len(ways[0].path) > 5
        assert len(ways[0].steps) == 1
    assert ways[0].steps[0].startswith("straight 7.")
    assert ways[0].length_words.endswith("cm")
    assert way_views(moment, None, "in") == []


@pytest.mark.slow
@pytest.mark.browser
def test_the_page_draws_the_way_while_it_grows(served: Served, look: Callable[..., Page]) -> None:
    page = look(served.url)
    panel = page.locator("#driving")
    expect(panel).to_be_hidden()
    push(served, "RED2", 3.0)
    expect(panel).to_contain_text("straight 3.", timeout=30_000)
    expect(page.locator(".driving .path")).to_be_visible()
    folder = os.environ.get("TABLEREF_SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / "underway.png"))
    served.source.statuses["RED2"] = Status.STILL
    expect(panel).to_be_hidden(timeout=30_000)
