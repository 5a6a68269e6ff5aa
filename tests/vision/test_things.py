"""What lies on the table that nobody has named: found where it is, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from engine.space.geometry import Pose, Region
from tests.vision.untold import UNTOLD, UntoldTable
from tests.volume import volume
from vision import things
from vision.flat import PER_INCH, Flat
from vision.simulate.scenes import default_scene
from vision.things import STAYS_S
from vision.unexplained import Look, look


def test_what_nobody_named_is_found_outlined_and_gone_when_it_is_taken_away() -> None:
    table = UntoldTable(UNTOLD, off=("Crate",))
    assert not table.watch(STAYS_S - 0.5).table.things
    (mug,) = table.watch(1.5).table.things
    pose = default_scene().start["Mug"]
    # What the camera sees of a high thing is what it stands on, and what its top hides of the table.
    assert mug.region.polygon.buffer(2 * mug.sd).contains(Point(pose.xy).buffer(1.6))
    assert mug.region.area < 3 * math.pi * 1.6**2
    # A second one is put down.
    table.source.put("Crate", Pose(30.0, 8.0, 0.3))
    moment = table.watch(STAYS_S + 1.5)
    assert [t.name for t in moment.table.things] == ["Thing 1", "Thing 2"]
    assert moment.table.things[0] is mug
    # Under a hand it stays: nobody sees the cloth there.
    table.source.show_hand(Pose(pose.x, pose.y, math.radians(75)), 4.5)
    assert mug in table.watch(2.0).table.things
    table.source.show_hand(None)
    assert mug in table.watch(1.0).table.things
    # Somebody says that one is nothing, and takes the other away.
    assert table.referee.name_thing("Thing 1")
    assert not table.referee.name_thing("Thing 9")
    assert [t.name for t in table.watch(1.0).table.things] == ["Thing 2"]
    table.source.lift("Crate")
    assert not table.watch(2.5).table.things


def test_nothing_is_found_on_a_table_that_is_known() -> None:
    table = UntoldTable(())
    for k in range(volume(2, 20)):
        table.source.move("Red 1", Pose(8.0 + 2 * k % 20, 12.0, 0.4 * k), "push")
        assert not table.watch(2.0).table.things
    table.source.show_hand(Pose(31.0, 32.0, math.radians(-105)))
    assert not table.watch(volume(4, 20)).table.things


def test_an_outline_is_as_sharp_as_it_says_and_a_picture_that_shows_the_same_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks: list[object] = []

    def counted(*asked: Any) -> Look:
        looks.append(asked)
        return look(*asked)

    monkeypatch.setattr(things, "look", counted)
    table = UntoldTable((), off=("Crate",))
    tray = [(28.0, 6.0), (33.0, 7.0), (32.3, 10.5), (27.3, 9.5)]
    table.source.lay({"Dice tray": tray})
    (thing,) = table.watch(STAYS_S + 1.5).table.things
    assert len(looks) <= 3
    rim = thing.region.polygon.exterior
    off = [rim.distance(Polygon(tray).exterior.interpolate(at)) for at in np.arange(0.0, 16.0, 0.1)]
    assert np.quantile(off, 0.95) < min(0.1, 1.96 * thing.sd)
    assert thing.sd < 0.1


def test_a_printed_road_that_goes_on_below_a_piece_is_no_thing_and_what_lies_beside_it_is() -> None:
    region = Region.rectangle(0.0, 0.0, 40.0, 30.0)
    w, h = int(42 * PER_INCH), int(32 * PER_INCH)
    rng = np.random.default_rng(1)
    picture = np.full((h, w, 3), (70, 120, 60), np.float64)
    flat = Flat(np.zeros((1, 1, 3), np.uint8), (-1.0, -1.0))

    def box(low: tuple[float, float], high: tuple[float, float]) -> np.ndarray:
        return np.array([low, (high[0], low[1]), high, (low[0], high[1])])

    def paint(outline: np.ndarray, colour: tuple[int, int, int]) -> None:
        (x0, y0), (x1, y1) = np.rint(flat.pixels(outline)).astype(int)[[0, 2]]
        picture[y0:y1, x0:x1] = colour

    # Two ends of a road, each shorter than a thing may be, come out from below a book.
    paint(box((5.0, 12.0), (31.0, 15.0)), (60, 58, 56))
    paint(box((20.0, 20.0), (22.0, 22.5)), (40, 40, 200))
    book = box((15.0, 10.0), (22.0, 17.0))
    paint(book, (150, 60, 90))
    noisy = np.clip(picture + rng.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)
    (blob,) = look(Flat(noisy, (-1.0, -1.0)), region, [book]).blobs
    middle = flat.places(np.argwhere(blob > 0)[:, ::-1].mean(axis=0))
    assert np.abs(middle - (21.0, 21.25)).max() < 0.2


@pytest.mark.parametrize("light", [0.6, 1.25])
def test_a_lamp_that_is_switched_makes_no_thing(light: float) -> None:
    table = UntoldTable(())
    table.watch(2.0)
    read = table.source.read

    def lit() -> object:
        frame = read()
        return replace(frame, image=np.clip(frame.image * light, 0, 255).astype(np.uint8))

    table.source.read = lit  # type: ignore[method-assign, assignment]
    assert not table.watch(STAYS_S + 1.0).table.things


def test_what_lay_on_a_printed_road_is_gone_when_the_road_shows_again() -> None:
    table = UntoldTable(())
    table.watch(1.0)
    # A dark sleeve goes on as the road does, so that the hand seems to lie there by itself.
    table.source.cover((21.0, 23.0))
    table.watch(STAYS_S + 1.5)
    table.source.cover(None)
    assert not table.watch(2.5).table.things
