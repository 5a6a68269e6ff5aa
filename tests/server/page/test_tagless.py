"""Terrain without a tag, on the pages: from an empty folder to a ruling past it, and moved in play."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from shapely.geometry import LineString, Polygon

from calibration.tablefile import load_table
from engine.space.geometry import Footprint, Pose
from engine.space.pieces import Body, Piece
from tests.server.fakes import PATIENCE
from tests.server.firsttime import first_time
from tests.server.page.evenings import fits, photograph
from tests.server.page.test_first_ruling import (
    Hands,
    choose_camera,
    keep_table,
    name_the_car,
)
from tests.volume import deep
from vision.simulate import scenes
from vision.simulate.scene import Scene

MOST_CLICKS = 30
CARS = [
    (41, "Red", "sedan", Pose(11.0, 12.0, 0.6)), (42, "Red", "pickup", Pose(7.0, 27.0, -0.2)),
    (43, "Blue", "van", Pose(27.0, 20.5, 3.5)), (44, "Blue", "muscle", Pose(33.5, 31.0, -2.1)),
    (45, "Red", "buggy", Pose(18.0, 6.0, 0.2)), (46, "Blue", "sedan", Pose(36.0, 24.0, 2.8)),
]  # fmt: skip
ROCKS = [
    (Footprint.disc(3.0), 1.6, Pose(19.0, 16.5), "#c9b184"),
    (Footprint.box(3.4, 2.6), 2.2, Pose(21.0, 30.5, 0.3), "#a3763f"),
    (Footprint.box(5.0, 1.6), 1.0, Pose(10.0, 36.0, 0.9), "#c8322b"),
    (Footprint.disc(2.4), 2.0, Pose(31.0, 8.0), "#d8d2c4"),
    (Footprint.box(2.8, 2.8), 1.4, Pose(29.0, 37.0, 0.7), "#b5482f"),
]  # fmt: skip


def newcomers_table(size: tuple[int, int] = (1920, 1080)) -> Scene:
    """Six cars with tags and five rocks without, that nobody has set up."""
    first = scenes.first_scene(size)
    cars = [
        scenes._catalogue_car(f"Car {tag}", model, owner, "#c8322b", tag) for tag, owner, model, _ in CARS
    ]
    rocks = [
        Piece(f"Stone {k}", "terrain", Body("stone", outline, height), None, None, colour)
        for k, (outline, height, _, colour) in enumerate(ROCKS)
    ]
    start = {c.name: pose for c, (*_, pose) in zip(cars, CARS, strict=True)}
    start |= {r.name: pose for r, (_, _, pose, _) in zip(rocks, ROCKS, strict=True)}
    return replace(first, pieces=(*cars, *rocks), start=start)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scenes.SCENES, "first", newcomers_table)


def keep_rock(page: Page, hands: Hands, height: float) -> str:
    """Keeps the first thing that is asked about as terrain of this height, by the name that is proposed."""
    card = page.locator("#things article:has(button[aria-label$='Terrain'])").first
    name = card.get_attribute("aria-label")
    hands.click(page.get_by_role("button", name=f"{name}: Terrain"))
    # The height has the cursor already: it is typed without another tap.
    page.keyboard.type(f"{height}")
    hands.typed += len(f"{height}")
    hands.click(page.get_by_role("button", name=f"Keep {name}"))
    expect(page.get_by_role("article", name=f"{name}", exact=True)).to_have_count(0)
    return name or ""


@deep
@pytest.mark.usefixtures("table")
def test_six_cars_and_five_rocks_without_tags_come_to_a_ruling_in_thirty_clicks(
    tmp_path: Path, browser: Browser, figure: Callable[[str, object], None]
) -> None:
    page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    hands = Hands()
    with first_time(tmp_path / "tables", things=True) as first:
        page.goto(f"{first.server.address}setup")
        choose_camera(page, hands)
        keep_table(page, hands)
        for tag, owner, model, _ in CARS:
            name_the_car(page, hands, tag, owner, model)
        expect(page.locator("#things article")).to_have_count(len(ROCKS), timeout=40_000)
        fits(page)
        photograph(page, "tagless-setup")
        for _ in ROCKS:
            keep_rock(page, hands, 1.5)
        hands.click(page.get_by_role("link", name="Ask for a ruling"))
        for name in ("Red 1", "Blue 1"):
            hands.click(page.locator("#car-list button", has_text=name))
        expect(page.locator("#checks li").first).to_be_visible()
        photograph(page, "tagless-ruling")
        figure("six cars and five rocks without tags to a first ruling", hands.said)
        kept = load_table(first.file)
        asked = [("piece", "Red 1"), ("piece", "Blue 1")]
        answer = httpx.get(f"{first.server.address}api/ruling", params=asked, timeout=PATIENCE).json()
    assert complaints == []
    assert hands.clicks <= MOST_CLICKS
    rocks = [p for p in kept.pieces if p.spot is not None]
    assert len(rocks) == len(ROCKS)
    for rock in rocks:
        assert rock.spot is not None
        outline = Polygon(rock.spot.pose.to_table(rock.body.footprint.outline))
        true = min(
            (Polygon(pose.to_table(shape.outline)) for shape, _, pose, _ in ROCKS),
            key=lambda t: t.centroid.distance(outline.centroid),
        )
        off = [
            outline.exterior.distance(true.exterior.interpolate(at)) for at in np.arange(0, true.length, 0.1)
        ]
        assert float(np.mean(np.array(off) <= 1.96 * rock.spot.sd)) > 0.9
    # The first rock lies between the two: they do not see one another from middle to middle.
    line = LineString([CARS[0][3].xy, CARS[2][3].xy])
    assert line.intersects(Polygon(ROCKS[0][2].to_table(ROCKS[0][0].outline)))
    assert "Rock" in str(answer)
