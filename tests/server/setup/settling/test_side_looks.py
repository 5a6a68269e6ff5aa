"""A photograph from the side counts for the thing that it is of, where that stood, and for no other."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import cv2
import numpy as np
import pytest

from calibration.surface import Surface
from engine.errors import TableRefError
from engine.space.geometry import Region
from engine.space.table import Thing, ThingName
from server.setup.settling import side_looks
from server.setup.settling.side_looks import SideLooks, Tap
from tests.side_photo import camera_at, nearest

SIZE = (1800, 1350)
FOOT = np.array([(20.0, 20.0), (23.0, 20.0), (23.0, 22.0), (20.0, 22.0)])
HIGH = 1.8
JPEG = cv2.imencode(".jpg", np.zeros((SIZE[1], SIZE[0], 3), np.uint8))[1].tobytes()
CAMERA = camera_at((21.5, -12.0, 10.0), FOOT.mean(axis=0), SIZE)


def surface(at: tuple[float, float, float]) -> Surface:
    camera = camera_at(at, FOOT.mean(axis=0), SIZE)
    return Surface(camera.lens, camera.R, camera.t, np.zeros((15, 15)), 0.0)


class Table:
    """What stands there now, seen from above."""

    def __init__(self) -> None:
        self.thing = Thing(ThingName("Thing 1"), Region(FOOT), 0.05)
        self.there = {"Thing 1"}

    def found(self, name: str) -> Any:
        if name not in self.there:
            raise TableRefError(f"{name} is not on the table any more")
        return SimpleNamespace(surface=surface((21.5, 20.0, 60.0))), self.thing


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> tuple[SideLooks, Table]:
    monkeypatch.setattr(side_looks, "seen_from_side", lambda *_: surface((21.5, -12.0, 10.0)))
    table = Table()
    return SideLooks(lambda: cast("Any", None), table.found), table


def tap(lower: float = 0.0) -> Tap:
    x, y = CAMERA.project(np.array([[*nearest(FOOT, CAMERA), HIGH]]))[0]
    return Tap(name="Thing 1", x=float(x), y=float(y) + lower)


def test_the_last_tap_tells_the_height(looks: tuple[SideLooks, Table]) -> None:
    one, _ = looks
    left, top, width, high = one.look("Thing 1", JPEG).box
    assert left < tap().x < left + width
    assert top < tap().y < top + high
    with pytest.raises(TableRefError, match="tap its top in the photograph, or type it"):
        one.height_of("Thing 1")
    told = one.tap(tap())
    assert abs(told.height_in - HIGH) < 1.96 * told.sd_in < 0.6
    assert one.height_of("Thing 1").height == told.height_in
    assert one.height_of("Thing 1").height > one.tap(tap(lower=20.0)).height_in
    assert one.height_of("Thing 1").height < told.height_in


def test_what_was_moved_has_gone_or_was_never_photographed_has_no_height(
    looks: tuple[SideLooks, Table],
) -> None:
    one, table = looks
    with pytest.raises(TableRefError, match="there is no photograph of Thing 1"):
        one.tap(tap())
    one.look("Thing 1", JPEG)
    one.tap(tap())
    table.thing = replace(table.thing, region=Region(FOOT + np.array([0.6, 0.0])))
    with pytest.raises(TableRefError, match="moved since it was photographed"):
        one.tap(tap())
    with pytest.raises(TableRefError, match="moved since it was photographed"):
        one.height_of("Thing 1")
    table.there.clear()
    with pytest.raises(TableRefError, match="not on the table"):
        one.height_of("Thing 1")


@pytest.mark.parametrize("picture", [b"", b"no picture"])
def test_what_is_no_photograph_says_so(looks: tuple[SideLooks, Table], picture: bytes) -> None:
    with pytest.raises(TableRefError, match="expected a JPEG of at most 16 megapixels"):
        looks[0].look("Thing 1", picture)
