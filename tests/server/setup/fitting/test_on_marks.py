"""A piece that is put on the corner tags, as the looks of the set-up page see it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.surface import CornerTag
from calibration.tablefile import parse_table
from engine.space.geometry import Pose
from server.setup.fitting.on_marks import MarksWatch, stated_mount, surer, with_mount
from server.setup.table_changes import SetupError
from tests.calibration.test_surface import PLACES, camera
from vision.frame import Detection

FILE = """format = 1
[surface]
size_in = [49.0, 49.0]
[[corner]]
tag = 0
size_in = 2.4
[[corner]]
tag = 1
size_in = 2.4
[[corner]]
tag = 2
size_in = 2.4
[[corner]]
tag = 3
size_in = 2.4
[[piece]]
name = "Red 1"
kind = "car"
model = "sedan"
tag = 41
tag_size_in = 0.9
tag_height_in = 1.0
tag_sd_height_in = 0.1  # nobody measured it
[[piece]]
name = "Tree"
kind = "terrain"
size_in = [2.0, 2.0]
height_in = 3.0
"""
TABLE = parse_table(FILE)
TRUE_HEIGHT, TRUE_AT = 1.18, Pose(0.06, -0.02, math.radians(-2.0))
SURFACE = camera(tilt=4.0)


def seen(tag: int, size: float, pose: Pose, height: float = 0.0) -> Detection:
    square = CornerTag("tag36h11", tag, size, (pose.x, pose.y), pose.heading, 0.0).corners_at()
    corners = SURFACE.image_from_table(square, height)
    return Detection("tag36h11", tag, corners, np.eye(8) * 0.05**2)


def corners(*, without: int | None = None) -> list[Detection]:
    return [seen(n, 2.4, Pose(*at, math.pi / 2)) for n, at in enumerate(PLACES) if n != without]


class Watched:
    """A watch with somebody who puts the car about."""

    def __init__(self) -> None:
        self.watch = MarksWatch()
        self.look(None)
        self.watch.begin("red 1")

    def look(self, body: Pose | None, on: int | None = None) -> None:
        found = corners(without=on)
        if body is not None:
            found.append(seen(41, 0.9, body.compose(TRUE_AT), TRUE_HEIGHT))
        self.watch.look(found, TABLE, SURFACE)

    def put(self, mark: int, quarter: int, looks: int = 2) -> None:
        """On the mark, the nose turned by quarters of a turn against the tag's printed top."""
        for _ in range(looks):
            self.look(Pose(*PLACES[mark], math.pi / 2 * (1 + quarter)), on=mark)

    @property
    def places(self) -> int:
        view = self.watch.view(TABLE, SURFACE)
        assert view is not None
        return view.places

    @property
    def words(self) -> str:
        view = self.watch.view(TABLE, SURFACE)
        assert view is not None
        return view.words


def test_it_leads_from_tag_to_tag_and_finds_how_the_tag_sits() -> None:
    it = Watched()
    assert it.words.startswith("Put Red 1 on a corner tag")
    for mark, (here, next_) in enumerate(
        [("tag 0", "tag 2"), ("tag 2", "tag"), ("tag 1", "tag"), ("tag 3", "")]
    ):
        number = int(here[-1])
        it.put(number, 0)
        assert it.words.startswith(f"Seen on {here}. Turn it about there")
        it.put(number, 2)
        assert it.places == 2 * (mark + 1)
        assert f"put it on {next_}" in it.words if next_ else it.words.startswith("Keep it, or")
    found = it.watch.found(TABLE, SURFACE)
    assert found is not None
    assert found.height == pytest.approx(TRUE_HEIGHT, abs=0.01)
    assert found.at == pytest.approx((TRUE_AT.x, TRUE_AT.y), abs=0.005)
    assert math.degrees(found.turn) == pytest.approx(-2.0, abs=0.1)


def test_a_place_counts_when_the_car_rests_and_once() -> None:
    it = Watched()
    it.put(0, 0, looks=1)
    assert it.places == 0
    it.put(0, 0, looks=3)
    assert it.places == 1
    # Under a hand and put straight a little: the same place, better.
    it.look(None, on=0)
    for _ in range(2):
        it.look(Pose(PLACES[0][0] + 0.05, PLACES[0][1], math.pi / 2), on=0)
    assert it.places == 1
    # Away and back again: another one.
    it.look(Pose(20.0, 20.0, 0.0))
    it.put(0, 0)
    assert it.places == 2
    for _ in range(3):
        it.look(Pose(20.0, 20.0, 0.0))
    assert it.places == 2


def test_a_tag_that_was_never_seen_is_no_mark() -> None:
    watch = MarksWatch()
    watch.begin("Red 1")
    view = watch.view(TABLE, SURFACE)
    assert view is not None
    assert view.words.startswith("Uncover the corner tags")
    assert watch.view(TABLE, None) is not None
    watch.stop()
    assert watch.view(TABLE, SURFACE) is None
    watch.begin("Tree")
    assert watch.view(TABLE, SURFACE) is None


def test_places_are_forgotten_when_the_camera_moves() -> None:
    it = Watched()
    it.put(0, 0)
    assert it.places == 1
    moved = [Detection(d.family, d.tag, d.corners + 5.0, d.covariance) for d in corners()]
    it.watch.look(moved, TABLE, SURFACE)
    assert it.places == 0


def test_what_is_surer_is_written_and_nothing_else() -> None:
    it = Watched()
    for mark in (0, 2):
        for quarter in (0, 2):
            it.put(mark, quarter)
    found = it.watch.found(TABLE, SURFACE)
    assert found is not None
    text = with_mount(TABLE, "red-1", found)
    (piece,) = (p for p in parse_table(text).pieces if p.name == "Red 1")
    assert piece.mount is not None
    assert piece.mount.height == pytest.approx(TRUE_HEIGHT, abs=0.02)
    assert piece.mount.sd_at < 0.04
    kept = stated_mount(piece.mount, parse_table(text))
    assert kept.sd_height == pytest.approx(found.sd_height, abs=0.001)
    assert "nobody measured it" not in text
    assert text.count("measured by the camera, on 4 places") == 6
    assert text.count("on 4 places; the 1.00 in stated before counts too") == 1
    # Kept once, the same again is no surer than what the file says.
    again = parse_table(text.replace(f"{round(found.sd_height, 3)}", "0.001"))
    assert "height" not in surer(found, stated_mount(again.pieces[0].mount, again))  # type: ignore[arg-type]
    one = Watched()
    one.put(0, 0)
    little = one.watch.found(TABLE, SURFACE)
    assert little is not None
    with pytest.raises(SetupError, match="more corner tags"):
        with_mount(TABLE, "Red 1", little)
