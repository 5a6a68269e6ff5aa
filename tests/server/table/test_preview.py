from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from engine.motion.moves import Move
from engine.space.geometry import Pose
from engine.space.table import Status
from server.formats.helper_process import HelperEnded
from server.formats.units import LengthUnit
from server.moves.recognising import Recognised, recognise
from server.pipeline.referee import Moment
from server.table.messages import View, WayView
from server.table.preview import Recogniser, way_views
from server.table.projection import space_for
from tests.server.conftest import Served
from tests.server.fakes import PATIENCE, wait_until


def push(served: Served, car: str, inches: float) -> None:
    """A hand pushes a car straight ahead, a frame at a time, and has not let go of it."""
    start = served.source.poses[car]
    served.source.statuses[car] = Status.MOVING
    for k in range(1, 11):
        served.source.move(car, start.compose(Pose(inches * k / 10, 0.0)))
        number = served.live.snapshot.number
        wait_until("a frame", lambda n=number: served.live.snapshot.number > n + 1)


def test_a_car_on_its_way_has_a_path_and_a_manoeuvre_so_far(served: Served) -> None:
    assert served.live.moment is not None
    assert way_views(served.live.moment, space_for(served.live.moment, "table"), "in") == []
    push(served, "RED2", 3.0)
    moment = served.live.moment
    wait_until("the words", lambda: told(moment, "table", "in").steps != [])
    assert told(moment, "table", "in").steps[0].startswith("straight ")
    (way,) = moment.under_way.values()
    nose = way.start.pose.to_table(np.array([[way.start.piece.body.footprint.outline[:, 0].max(), 0.0]]))
    assert told(moment, "table", "in").path[0] == pytest.approx(tuple(nose[0]), abs=0.006)
    assert told(moment, "picture", "cm").length_words.endswith("cm")
    assert way_views(moment, None, "in") == []


def told(moment: Moment, view: View, unit: LengthUnit, recogniser: Recogniser | None = None) -> WayView:
    """The one way of a moment."""
    more = {} if recogniser is None else {"recogniser": recogniser}
    (way,) = way_views(moment, space_for(moment, view), unit, **more)
    assert way.car == "RED2"
    assert len(way.path) > 5
    return way


def test_a_page_does_not_wait_for_the_recognition(served: Served) -> None:
    push(served, "RED2", 3.0)
    moment = served.live.moment
    assert moment is not None
    may, rested, now = threading.Event(), [], 0.0

    def slowly(way: Move) -> Recognised:
        nonlocal now
        assert may.wait(PATIENCE)
        now += 0.25
        return recognise(way)

    recogniser = Recogniser(slowly, 2.0, lambda: now, rested.append)
    try:
        first = told(moment, "table", "in", recogniser)
        # Until then it is as long as its path was.
        assert first.steps == []
        assert abs(float(first.length_words.rstrip("″")) - 3.0) < 0.2
    finally:
        may.set()
    wait_until("the words", lambda: told(moment, "table", "in", recogniser).steps != [])
    assert told(moment, "table", "in", recogniser).steps[0].startswith("straight 3.0")
    wait_until("its rest", lambda: rested)
    assert rested[0] == 0.5, "twice as long as it worked"


def test_a_way_that_cannot_be_recognised_is_told_by_its_path(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    push(served, "RED2", 3.0)
    moment = served.live.moment
    assert moment is not None

    def fails(way: Move) -> Recognised:
        raise HelperEnded(way.piece)

    recogniser = Recogniser(fails)
    told(moment, "table", "in", recogniser)
    wait_until("the failure", lambda: "the way of RED2 was not recognised" in caplog.text)
    way = told(moment, "table", "in", recogniser)
    assert way.steps == []
    assert abs(float(way.length_words.rstrip("″")) - 3.0) < 0.2


def test_the_page_draws_the_way_while_it_grows(served: Served, look: Callable[..., Page]) -> None:
    page = look(served.url)
    panel = page.locator("#driving")
    expect(panel).to_be_hidden()
    push(served, "RED2", 3.0)
    expect(panel).to_contain_text("straight 3.", timeout=120_000)
    expect(page.locator(".driving .path")).to_be_visible()
    folder = os.environ.get("TABLEREF_SCREENSHOTS")
    if folder:
        page.screenshot(path=str(Path(folder) / "underway.png"))
    served.source.statuses["RED2"] = Status.STILL
    expect(panel).to_be_hidden(timeout=120_000)
