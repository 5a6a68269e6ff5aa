"""What lies on the table that nobody has named: found where it is, and nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import av
import cv2
import numpy as np
import pytest
from shapely import unary_union
from shapely.geometry import Point, Polygon

from benchmarks.things import Sights, ask_sights
from calibration.fiducials import TagKey
from engine.space.geometry import Pose, Region
from engine.space.table import UNWATCHED
from tests.vision.untold import UNTOLD, UntoldTable
from tests.volume import volume
from vision import things
from vision.background import BLACK, Background, BackgroundMemory
from vision.flat import PER_INCH, Flat, as_mask, parts_of, rim_of
from vision.frame import Detection, Frame
from vision.outlines import outlined, shadow_of
from vision.simulate.scenes import default_scene
from vision.tags.reading import TagReader
from vision.tags.search import Now, Wanted
from vision.things import STAYS_S, ThingWatch
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
    looks = counted(monkeypatch, "look")
    table = UntoldTable((), off=("Crate",))
    tray = [(28.0, 6.0), (33.0, 7.0), (32.3, 10.5), (27.3, 9.5)]
    table.source.lay({"Dice tray": tray})
    (thing,) = table.watch(STAYS_S + 1.5).table.things
    assert len(looks) <= 3
    rim = thing.region.polygon.exterior
    off = [rim.distance(Polygon(tray).exterior.interpolate(at)) for at in np.arange(0.0, 16.0, 0.1)]
    assert np.quantile(off, 0.95) < min(0.1, 1.96 * thing.sd)
    assert thing.sd < 0.1


def test_what_was_found_in_part_is_outlined_whole_and_what_lies_beside_it_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = counted(monkeypatch, "outlined")
    table = UntoldTable((), off=("Crate",))
    book, card = [(26.0, 6.0), (33.0, 6.0), (33.0, 11.0), (26.0, 11.0)], box((33.5, 6.5), (35.5, 9.0))
    table.source.lay({"Large tray": book, "Small tray": card.tolist()})
    assert len(table.watch(STAYS_S + 1.5).table.things) == 2
    image, surface, seen, *_ = asked[0]
    blobs = {Polygon(seen.flat.places(rim_of(b))).area > 20.0: b for b in seen.blobs}
    part = blobs[True].copy()
    part[:, : round(float(seen.flat.pixels(np.array([(27.5, 0.0)]))[0, 0]))] = 0
    outline, sd = outlined(image, surface, replace(seen, blobs=(part, blobs[False])), part)
    assert outline is not None
    assert overlap(Polygon(outline), np.array(book)) > 0.95
    assert Polygon(outline).intersection(Polygon(card)).area < 0.05
    off = [Polygon(outline).exterior.distance(Polygon(book).exterior.interpolate(a)) for a in range(24)]
    assert np.quantile(off, 0.95) < 1.96 * sd


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Any]:
    """What a function of `vision.things` is asked for from now on."""
    asked, function = list[Any](), getattr(things, name)

    def noted(*what: Any) -> Any:
        asked.append(what)
        return function(*what)

    monkeypatch.setattr(things, name, noted)
    return asked


def test_a_camera_that_is_noisy_shows_the_same_and_what_is_small_is_seen_in_its_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks, noise = counted(monkeypatch, "look"), np.random.default_rng(2)
    table = UntoldTable((), off=("Crate",))
    shown = table.source.read

    def noisy() -> Frame:
        frame = shown()
        off = noise.normal(0.0, 6.0, frame.image.shape)
        return replace(frame, image=np.clip(frame.image + off, 0, 255).astype(np.uint8))

    monkeypatch.setattr(table.source, "read", noisy)
    table.watch(6.0)
    assert len(looks) <= 3, "pieces are found, and nothing else happens"
    die = {"Die": [(30.0, 8.0), (30.6, 8.0), (30.6, 8.6), (30.0, 8.6)]}
    for lying in (die, {}):
        before = len(looks)
        table.source.lay(lying)
        table.watch(1.0)
        assert len(looks) > before


def test_what_rests_is_outlined_once_and_an_arm_never(monkeypatch: pytest.MonkeyPatch) -> None:
    outlines = counted(monkeypatch, "outlined")
    table = UntoldTable((), off=("Crate",))
    table.watch(1.0)
    sleeve = [(30.0, -1.2), (32.5, -1.2), (32.5, 10.0), (30.0, 10.0)]
    table.source.lay({"Sleeve": sleeve})
    assert not table.watch(2.0 * STAYS_S).table.things
    assert not outlines
    tray = [(8.0, 6.0), (13.0, 6.0), (13.0, 9.5), (8.0, 9.5)]
    table.source.lay({"Sleeve": sleeve, "Dice tray": tray})
    assert len(table.watch(2.0 * STAYS_S).table.things) == 1
    assert len(outlines) == 1


def test_what_a_thin_line_joins_to_the_edge_is_no_arm() -> None:
    drawn = Drawn(GREEN)
    mug = drawn.paint(np.array(Point(5.0, 15.0).buffer(1.3).exterior.coords)[:-1], (120, 150, 215))
    drawn.paint(box((-1.0, 15.0), (4.0, 15.1)), (225, 225, 225))
    seen = drawn.look()
    (blob,) = seen.blobs
    assert overlap(Polygon(drawn.flat.places(rim_of(blob))).buffer(0), mug) > 0.6
    assert not things._is_arm(blob, seen)


def test_what_lies_half_an_inch_from_another_thing_or_a_hand_is_a_thing_of_its_own() -> None:
    drawn = Drawn(GREEN)
    card = drawn.paint(box((5.0, 15.0), (7.5, 18.5)), (225, 225, 225))
    can = drawn.paint(box((8.0, 14.0), (10.0, 17.0)), (60, 60, 190))
    drawn.paint(box((20.0, -2.0), (23.0, 12.0)), (120, 150, 215))
    tray = drawn.paint(box((18.0, 12.5), (25.0, 16.5)), (70, 90, 120))
    blobs = drawn.blobs()
    assert len(blobs) == 3
    for thing in (card, can, tray):
        assert max(overlap(blob, thing) for blob in blobs) > 0.8


def test_what_does_not_come_to_rest_is_no_thing_until_it_does() -> None:
    table = UntoldTable((), off=("Crate",))
    table.watch(1.0)
    for k in range(9):
        low = 28.0 + 0.4 * (k % 2)
        table.source.lay({"Dice tray": [(low, 6.0), (low + 5.0, 6.0), (low + 5.0, 9.5), (low, 9.5)]})
        assert not table.watch(0.5).table.things, "somebody holds it"
    assert table.watch(STAYS_S + 0.6).table.things


REGION = Region.rectangle(0.0, 0.0, 40.0, 30.0)
GREEN, ROAD, GREY, SAND = (70, 120, 60), (60, 58, 56), (118, 112, 110), (120, 170, 205)


HOPS = [("Red 2", (8.7, 28.7)), ("Red 2", (5.9, 31.6)), ("Blue 2", (36.3, 10.3)), ("Blue 2", (39.9, 11.9))]
"""Cars that are where they were not a picture ago, inches: read at once, and believed seconds later."""


def test_a_car_that_is_read_where_it_is_not_believed_yet_is_no_thing() -> None:
    table = UntoldTable((), fps=4.0)
    table.watch(2.0)
    believed = []
    for name, at in HOPS:
        table.source.move(name, replace(table.source.poses()[name], x=at[0], y=at[1]))
        for _ in range(10):
            moment = table.watch(0.5)
            believed.append(math.dist(moment.table.find(name).pose.xy, at) < 0.1)
            assert not moment.table.things
    assert not all(believed[5::10]), "each was believed at once: nothing was asked"
    assert all(believed[9::10])


class Late(Now):
    """A search that takes a slow machine so many seconds."""

    asked: Frame | None = None
    takes_s = 6.0

    def __init__(self, reader: TagReader) -> None:
        super().__init__(reader)
        self.wanted = [Wanted(*key, None) for key in reader.keys]

    def start(self, frame: Frame, wanted: Sequence[Wanted], *, thorough: bool) -> bool:
        self.asked = self.asked or frame
        return self.asked is frame

    def finds(self, frame: Frame, found: Mapping[TagKey, Detection]) -> list[Detection]:
        if self.asked is None or frame.time < self.asked.time + self.takes_s:
            return []
        super().start(self.asked, self.wanted, thorough=True)
        self.asked = None
        return super().finds(frame, found)


def test_a_car_that_is_searched_for_where_it_was_put_is_no_thing_meanwhile() -> None:
    table = UntoldTable((), fps=4.0)
    table.watch(2.0)
    watch = table.referee._watch
    watch._search = Late(watch.reader)
    at = (20.0, 16.0)
    table.source.move("Red 2", replace(table.source.poses()["Red 2"], x=at[0], y=at[1]))
    put = table.watch(0.25).time
    seen, held = [], []
    for _ in range(40):
        moment = table.watch(0.5)
        seen.append(math.dist(moment.table.find("Red 2").pose.xy, at) < 0.1)
        assert not moment.table.things
        # What it could change is open from when it would have been a thing until it is read.
        if STAYS_S + 0.75 <= moment.time - put <= 6.0:
            held += [[h.name for h in moment.table.hideouts if h.touches(Point(at))]]
    assert held == [[UNWATCHED]] * len(held) != []
    assert not any(seen[:10]), "it was read at once: nothing was asked"
    assert seen[-1]


def test_each_car_that_is_searched_for_keeps_open_what_it_could_change_whenever_it_came() -> None:
    """The second one was forgotten where nothing in the picture had changed since the first was held back."""
    table = UntoldTable((), fps=4.0)
    table.watch(2.0)
    watch = table.referee._watch
    watch._search = late = Late(watch.reader)
    late.takes_s = 12.0
    places = {"Red 2": (20.0, 16.0), "Blue 2": (30.0, 26.0)}
    for name, at in places.items():
        table.source.move(name, replace(table.source.poses()[name], x=at[0], y=at[1]))
        table.watch(2.0)
    moment = table.watch(3.5)
    assert late.asked is not None, "it was read already: nothing was asked"
    for at in places.values():
        assert [h.name for h in moment.table.hideouts if h.touches(Point(at))] == [UNWATCHED]
    assert not moment.table.things


def test_a_thing_goes_when_it_is_read_as_a_piece() -> None:
    table = UntoldTable(())
    known = table.referee.table
    watch = ThingWatch(known.surface, [corner.corners_at() for corner in known.corners])
    told = []
    for k in range(12):
        moment = table.watch(0.5)
        assert moment.surface is not None
        standings = [s for s in moment.table.standings if s.name != "Red 1" or k >= 8]
        told.append(watch.update(moment.frame, moment.surface, standings))
    (thing,) = told[7]
    assert thing.region.polygon.contains(Point(moment.table.find("Red 1").pose.xy))
    assert not told[-1]


class Drawn:
    """A table seen from straight above, painted; colours are BGR."""

    def __init__(self, cloth: tuple[int, int, int], clouds: float = 0.0) -> None:
        self.rng = np.random.default_rng(1)
        h, w = int(32 * PER_INCH), int(42 * PER_INCH)
        rough = cv2.GaussianBlur(self.rng.normal(0, 1, (h, w)), (0, 0), 1.5 * PER_INCH)
        self.picture = np.array(cloth) + (clouds * rough / rough.std())[..., None]
        self.flat = Flat(np.zeros((1, 1, 3), np.uint8), (-1.0, -1.0))

    def paint(self, outline: np.ndarray, colour: tuple[float, float, float]) -> np.ndarray:
        mask = np.zeros(self.picture.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.rint(self.flat.pixels(outline)).astype(np.int32)], 1)
        self.picture[mask > 0] = colour
        return outline

    def shade(self, outline: np.ndarray, share: float | tuple[float, float, float]) -> None:
        mask = np.zeros(self.picture.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.rint(self.flat.pixels(outline)).astype(np.int32)], 1)
        self.picture[mask > 0] *= share

    def blobs(self, known: Sequence[np.ndarray] = (), before: Background | None = None) -> list[Polygon]:
        """What is found, each as its outline on the table."""
        return [Polygon(self.flat.places(rim_of(b))).buffer(0) for b in self.look(known, before).blobs]

    def look(self, known: Sequence[np.ndarray] = (), before: Background | None = None) -> Look:
        noisy = np.clip(self.picture + self.rng.normal(0, 3, self.picture.shape), 0, 255).astype(np.uint8)
        return look(Flat(noisy, (-1.0, -1.0)), REGION, list(known), before=before)


def background(seen: Look) -> Background:
    """What a look has shown of the bare table."""
    return Background(as_mask(seen.bare & (seen.printed ^ 1)), seen.printed, seen.smooth)


def box(low: tuple[float, float], high: tuple[float, float]) -> np.ndarray:
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])])


def overlap(one: Polygon, other: np.ndarray) -> float:
    there = Polygon(other)
    return float(one.intersection(there).area / one.union(there).area)


def test_a_printed_road_that_goes_on_below_a_piece_is_no_thing_and_what_lies_beside_it_is() -> None:
    table = Drawn(GREEN)
    # Two ends of a road, each shorter than a thing may be, come out from below a book.
    table.paint(box((5.0, 12.0), (31.0, 15.0)), ROAD)
    die = table.paint(box((20.0, 20.0), (22.0, 22.5)), (40, 40, 200))
    book = table.paint(box((15.0, 10.0), (22.0, 17.0)), (150, 60, 90))
    (blob,) = table.blobs([book])
    assert overlap(blob, die) > 0.8


@pytest.mark.parametrize("known", [True, False], ids=["beside-a-known-one", "alone"])
def test_a_book_on_a_printed_road_is_no_part_of_it(known: bool) -> None:
    table = Drawn(GREEN)
    table.paint(box((2.0, 12.0), (38.0, 15.0)), ROAD)
    hill = table.paint(box((6.0, 11.0), (10.0, 16.0)), (60, 180, 90))
    book = table.paint(box((20.0, 13.0), (26.0, 22.0)), (150, 60, 90))
    found = table.blobs([hill] if known else [])
    assert max(overlap(blob, book) for blob in found) > 0.8
    assert len(found) == (1 if known else 2)


@pytest.mark.parametrize("strait", [0.3, 0.0], ids=["but-for-a-strait", "whole"])
def test_a_road_that_a_thing_cuts_is_printed_beyond_it_too(strait: float) -> None:
    """Beyond it the road is no longer than things are; the thing's one side has the cloth's own colour."""
    table = Drawn(GREEN)
    table.paint(box((2.0, 12.0), (38.0, 16.0)), ROAD)
    hill = table.paint(box((22.0, 12.0 + strait), (27.0, 18.0)), (60, 190, 120))
    table.paint(box((21.3, 12.0 + strait), (22.0, 18.0)), GREEN)
    (blob,) = table.blobs()
    assert overlap(blob, hill) > 0.8


def test_a_strait_of_road_between_its_line_and_a_thing_is_road() -> None:
    table = with_road(GREEN)
    van = table.paint(box((18.0, 12.9), (23.0, 15.0)), (230, 232, 235))
    (blob,) = table.blobs()
    assert overlap(blob, van) > 0.8
    for strait in (box((18.0, 12.1), (23.0, 12.9)), box((18.0, 15.0), (23.0, 15.9))):
        assert blob.intersection(Polygon(strait)).area < 0.3 * Polygon(strait).area


@pytest.mark.parametrize("at", [(20.0, 13.5), (20.0, 11.0)], ids=["on-it", "half-on-it"])
def test_what_has_the_colour_of_a_road_is_found_on_it_by_its_edge(at: tuple[float, float]) -> None:
    table = Drawn(GREEN)
    table.paint(box((2.0, 11.0), (38.0, 16.0)), ROAD)
    car = table.paint(box((6.0, 12.5), (8.5, 14.0)), (60, 60, 220))
    table.shade(box((8.5, 12.4), (9.3, 14.0)), 0.5)
    assert not table.blobs([car]), "the shadow of a known one is none"
    x, y = at
    block = table.paint(box((x, y - 1.2), (x + 3.0, y + 1.2)), (22, 22, 22))
    table.paint(box((x + 0.3, y - 0.9), (x + 2.7, y + 0.9)), ROAD)
    (blob,) = table.blobs([car])
    assert overlap(blob, block) > 0.5


def with_road(cloth: tuple[int, int, int]) -> Drawn:
    """A table with a dashed road from edge to edge; but for grey cloth it has white lines on both sides."""
    table = Drawn(cloth)
    table.paint(box((-1.0, 12.0), (41.0, 16.0)), (60, 58, 57))
    for y in () if cloth is GREY else (12.0, 15.9):
        table.paint(box((-1.0, y), (41.0, y + 0.1)), (225, 225, 225))
    for x in range(0, 40, 2):
        table.paint(box((x, 14.0), (x + 1.0, 14.0)), (60, 200, 220))
    return table


def test_no_thing_is_made_of_a_roads_lines_and_the_noise_beside_them() -> None:
    for seed in range(12):
        table = with_road(GREEN)
        table.rng = np.random.default_rng(seed)
        assert not table.blobs(), seed


@pytest.mark.parametrize("cloth", [GREEN, SAND, GREY], ids=["green", "sand", "grey"])
def test_what_lies_across_the_line_of_a_road_is_found_whole_and_the_road_is_none(
    cloth: tuple[int, int, int],
) -> None:
    table = with_road(cloth)
    assert not table.blobs()
    mug = table.paint(np.array(Point(12.0, 12.0).buffer(1.3).exterior.coords)[:-1], (40, 40, 190))
    book = table.paint(box((25.0, 13.2), (26.5, 20.0)), (190, 210, 220))
    found = table.blobs()
    for outline in (mug, book):
        assert max(overlap(blob, outline) for blob in found) > 0.6


@pytest.mark.parametrize("cloth", [GREEN, SAND, GREY], ids=["green", "sand", "grey"])
def test_what_stands_on_a_road_is_found_without_the_shadow_it_casts_there(
    cloth: tuple[int, int, int],
) -> None:
    table = with_road(cloth)
    table.shade(box((21.0, 12.6), (23.5, 15.4)), 0.5)
    tray = table.paint(box((17.0, 12.6), (21.0, 15.4)), (40, 40, 190))
    (blob,) = table.blobs()
    assert overlap(blob, tray) > 0.6


@pytest.mark.parametrize("cloth", [GREEN, SAND], ids=["green", "sand"])
def test_a_fence_that_comes_over_the_line_of_a_road_is_found_to_its_end(cloth: tuple[int, int, int]) -> None:
    table = with_road(cloth)
    table.shade(box((20.0, 14.5), (20.3, 21.0)), 0.45)
    fence = table.paint(box((20.3, 14.5), (20.7, 21.0)), (150, 155, 158))
    (blob,) = table.blobs()
    assert blob.intersection(Polygon(fence)).area > 0.9 * Polygon(fence).area


def test_a_patch_of_light_without_an_edge_is_none() -> None:
    table = Drawn(GREEN)
    spot = np.zeros(table.picture.shape[:2])
    cv2.circle(spot, (150, 120), 3 * PER_INCH, 1.0, cv2.FILLED)
    table.picture *= 1.0 + 0.5 * cv2.GaussianBlur(spot, (0, 0), 1.2 * PER_INCH)[..., None]
    assert not table.blobs()
    die = table.paint(box((30.0, 20.0), (31.0, 21.0)), (40, 40, 200))
    (blob,) = table.blobs()
    assert overlap(blob, die) > 0.6


def test_a_road_is_one_that_an_arm_in_its_colour_cuts() -> None:
    table = Drawn(GREEN)
    table.paint(box((-1.0, 12.0), (41.0, 15.0)), ROAD)
    seen = table.look()
    table.paint(box((9.0, -1.0), (12.5, 12.5)), ROAD)
    hand = table.paint(box((9.5, 12.5), (12.0, 18.0)), (120, 150, 215))
    table.paint(box((12.5, 12.0), (13.0, 15.0)), (200, 40, 40))
    found = unary_union(table.blobs(before=background(seen)))
    assert found.intersection(Polygon(hand)).area > 0.8 * Polygon(hand).area
    road = Polygon(box((0.0, 12.0), (40.0, 15.0))).difference(Polygon(box((8.0, 12.0), (14.0, 15.0))))
    assert found.intersection(road).area < 0.01 * road.area


def test_cloth_that_an_arm_and_a_road_close_in_is_cloth() -> None:
    table = with_road(GREEN)
    table.paint(box((28.0, -1.0), (30.5, 12.0)), (40, 40, 190))
    seen = table.look()
    inside = np.zeros_like(seen.bare)
    cv2.fillPoly(inside, [np.rint(table.flat.pixels(box((32.0, 1.0), (39.0, 10.5)))).astype(np.int32)], 1)
    assert not (inside & seen.printed).any()
    assert seen.bare[inside > 0].mean() > 0.99


def test_no_print_appears_where_the_cloth_was_bare_as_long_and_dark_as_a_sleeve_may_be() -> None:
    table = Drawn(GREEN)
    seen = table.look()
    sleeve = table.paint(box((9.0, -1.0), (12.5, 20.0)), (54, 34, 24))
    table.paint(box((9.5, 20.0), (12.0, 25.0)), (120, 150, 215))
    assert table.look().printed.any(), "nobody knows that it was not there"
    blob = max(table.blobs(before=background(seen)), key=lambda b: b.area)
    assert overlap(blob, sleeve) > 0.6


@pytest.mark.parametrize("light", [0.5, 1.4])
def test_cloth_that_was_bare_is_so_in_any_light_also_where_that_blinds_the_camera(light: float) -> None:
    table = Drawn((176, 196, 204), clouds=8.0)
    seen = table.look()
    die = table.paint(box((20.0, 20.0), (22.0, 22.5)), (40, 40, 200))
    # A lamp from the side, and a shade where it is brightest.
    table.shade(box((30.0, 10.0), (34.0, 12.0)), 0.8)
    table.picture *= light * np.linspace(0.9, 1.1, table.picture.shape[1])[None, :, None]
    (blob,) = table.blobs(before=background(seen))
    assert overlap(blob, die) > 0.8


def test_what_is_remembered_outlasts_a_blinding_lamp_and_the_shadow_of_an_arm_that_rests_in_it() -> None:
    table, memory, seconds = Drawn((186, 206, 212), clouds=4.0), BackgroundMemory(), iter(range(0, 99, 2))

    def shown(light: float) -> Look:
        kept, table.picture = table.picture, table.picture * light
        seen = table.look(before=memory.background)
        table.picture = kept
        masks = as_mask(seen.bare & (seen.printed ^ 1)), seen.printed, np.zeros_like(seen.bare)
        memory.take(float(next(seconds)), seen.smooth, seen.lab, masks, seen.likeness)
        return seen

    for _ in range(3):
        shown(1.0)
    bare = table.picture.copy()
    table.shade(box((12.0, 0.0), (15.0, 20.0)), 0.85)
    for _ in range(4):
        shown(1.3)
    table.picture = bare
    for light in (1.3, 1.0):
        seen = shown(light)
        assert not seen.blobs
        (x, y), (right, top) = table.flat.pixels(np.array([(12.0, 2.0), (15.0, 19.0)])).astype(int)
        assert seen.likeness is not None
        assert seen.likeness.as_before[y:top, x:right].mean() > 0.97


def test_a_picture_that_stays_the_same_teaches_the_bare_table_twice_and_no_more() -> None:
    table, memory = Drawn(GREEN), BackgroundMemory()
    seen, learned = table.look(), list[Background]()
    masks = seen.bare, seen.printed, np.zeros_like(seen.bare)
    memory.take(0.0, seen.smooth, seen.lab, masks)
    assert memory.background is None, "it may be gone in a moment"
    for seconds in range(2, 13, 2):
        memory.take(seconds, seen.smooth, seen.lab, masks)
        assert memory.background is not None
        learned.append(memory.background)
    first, *same, late = learned
    assert first.cloth.mean() > 0.8
    # Only what is printed there takes ten seconds to be learned.
    assert all(one is first for one in same[:3])
    assert (late.cloth == first.cloth).all()
    assert (late.picture == first.picture).all()


def test_what_juts_out_of_a_road_over_its_line_is_found_and_a_road_that_turns_off_is_not() -> None:
    for cloth in (GREEN, SAND):
        table = with_road(cloth)
        turning = table.paint(box((25.0, 5.0), (27.2, 12.4)), (60, 58, 57))
        for x in (25.0, 27.1):
            table.paint(box((x, 5.0), (x + 0.1, 12.0)), (225, 225, 225))
        telephone = table.paint(box((10.0, 7.0), (12.2, 13.4)), (64, 62, 61))
        found = table.blobs()
        assert max(overlap(blob, telephone) for blob in found) > 0.4
        assert not any(blob.intersects(Polygon(turning)) for blob in found)


def test_a_book_as_dark_as_a_road_is_found_over_its_edge_and_beside_it() -> None:
    for low, high in (((10.0, 7.0), (16.5, 13.4)), ((22.0, 5.5), (28.0, 11.3))):
        table = with_road(GREEN)
        book = table.paint(box(low, high), (64, 62, 61))
        assert max((overlap(blob, book) for blob in table.blobs()), default=0.0) > 0.6, low


def test_a_dark_tray_of_another_colour_is_found_though_a_piece_stands_on_it() -> None:
    table = Drawn(SAND)
    tray = table.paint(box((10.0, 8.0), (17.0, 14.0)), (46, 72, 104))
    for corner in ((0.0, 0.0), (4.0, 2.0)):
        piece = box((9.0 + corner[0], 7.0 + corner[1]), (13.0 + corner[0], 12.0 + corner[1]))
        table.paint(piece, (220, 220, 220))
        (blob,) = table.blobs([piece])
        seen = Polygon(tray).difference(Polygon(piece).buffer(0.3))
        assert blob.intersection(seen).area > 0.7 * seen.area
        table.paint(tray, (46, 72, 104))


def test_a_pale_book_is_found_by_its_edge_on_a_cloth_as_cloudy_as_it_is_pale() -> None:
    table = Drawn(GREY, clouds=9.0)
    assert not table.blobs()
    book = table.paint(box((8.0, 8.0), (14.0, 17.0)), (132, 126, 112))
    (blob,) = table.blobs()
    assert overlap(blob, book) > 0.8


@pytest.mark.parametrize("wide", [2.2, 3.0])
def test_a_rock_of_nearly_the_cloths_colour_does_not_pull_the_cloths_to_its_own(wide: float) -> None:
    table = Drawn((90, 150, 190))
    angles = np.linspace(0.0, 2.0 * math.pi, 17)
    rim = np.column_stack([20.0 + wide * np.cos(angles), 14.0 + wide * np.sin(angles)])
    # Each of its sides is too small to be seen alone.
    for k in range(16):
        share = (0.94, 1.08)[k % 2]
        table.paint(np.array([(20.0, 14.0), rim[k], rim[k + 1]]), (96 * share, 148 * share, 194 * share))
    (blob,) = table.blobs()
    assert overlap(blob, rim) > 0.7
    # A lamp that makes as much of the cloth as yellow, and has no edge, is none.
    lit = Drawn((90, 150, 190))
    spot = np.zeros(lit.picture.shape[:2])
    cv2.circle(spot, (21 * PER_INCH, 15 * PER_INCH), int(wide * PER_INCH), 1.0, cv2.FILLED)
    spot = cv2.GaussianBlur(spot, (0, 0), PER_INCH)[..., None]
    lit.picture = lit.picture + spot * (6, -2, 4)
    assert not lit.blobs()


def test_two_things_of_different_colours_that_a_shadow_joins_are_two_and_one_with_a_waist_is_one() -> None:
    table = Drawn(GREY)
    black, left, waist, right = (25, 25, 28), (10.0, 10.0), (12.9, 11.0), (13.6, 10.5)
    mug = table.paint(box(left, (13.0, 13.0)), black)
    car = table.paint(box(right, (16.6, 12.5)), (40, 130, 235))
    # Between them it is as dark as in deep shade.
    table.paint(box(waist, (13.7, 11.4)), black)
    # And one thing of one colour, as narrow in its middle.
    for low, high in ((left, (13.0, 13.0)), (right, (16.6, 12.5)), (waist, (13.7, 11.4))):
        table.paint(np.add(box(low, high), (14.0, 0.0)), black)
    found = table.blobs()
    assert len(found) == 3
    assert max(overlap(blob, mug) for blob in found) > 0.8
    assert max(overlap(blob, car) for blob in found) > 0.8


def test_a_black_block_whose_end_is_beside_a_known_piece_is_not_its_shade() -> None:
    asked = Sights()
    ask_sights(9666, asked)
    assert not asked.wrong
    assert asked.sure


def test_a_dark_rock_of_the_cloths_own_colour_is_found_by_its_edge_and_no_shadow_nor_fold_is() -> None:
    table = Drawn(GREEN, clouds=2.0)
    left, top = box((20.0, 18.0), (22.0, 21.5)), box((22.0, 18.0), (24.5, 21.5))
    table.shade(left, 0.5)
    table.shade(top, 0.7)
    # What a piece that is known casts, and what one casts that is not; and two folds that cross.
    piece = table.paint(box((5.0, 5.0), (8.0, 8.0)), (200, 60, 40))
    table.shade(box((5.3, 8.0), (8.3, 10.0)), 0.6)
    die = table.paint(box((30.0, 5.0), (32.0, 7.0)), (40, 40, 200))
    table.shade(box((30.3, 7.0), (32.3, 9.0)), 0.6)
    for fold in (box((12.0, -1.0), (12.2, 30.0)), box((-1.0, 12.0), (40.0, 12.2))):
        table.shade(fold, 0.8)
    blobs = table.blobs([piece])
    assert len(blobs) == 2
    rock = unary_union([Polygon(left), Polygon(top)]).convex_hull
    assert max(overlap(blob, np.array(rock.exterior.coords)[:-1]) for blob in blobs) > 0.75
    assert max(overlap(blob, die) for blob in blobs) > 0.75


@pytest.mark.parametrize("shares", [(0.62, 0.8), (0.7, 0.85)])
def test_what_is_found_by_its_edge_ends_in_the_middle_of_it(shares: tuple[float, float]) -> None:
    table, rock = Drawn(SAND, clouds=2.0), box((20.0, 18.0), (24.0, 21.5))
    for side, share in zip(
        (box((20.0, 18.0), (22.0, 21.5)), box((22.0, 18.0), (24.0, 21.5))), shares, strict=True
    ):
        table.shade(side, share)
    (blob,) = table.blobs()
    assert overlap(blob, rock) > 0.8


def test_the_dark_sides_of_a_rock_are_no_cloth_to_which_its_lit_one_is_held() -> None:
    table = Drawn(GREEN, clouds=2.0)
    side = np.zeros(table.picture.shape[:2])
    (left, top), (right, low) = np.rint(table.flat.pixels(np.array([(20.0, 18.0), (23.0, 21.0)]))).astype(int)
    side[top - 4 : low + 4, right - 8 : right + 22] = 1.0
    table.picture *= 1.0 - 0.5 * cv2.GaussianBlur(side, (0, 0), 0.4 * PER_INCH)[..., None]
    lit = np.linspace(0.84, 0.7, right - left)[None, :, None]
    table.picture[top:low, left:right] = np.array(GREEN) * lit
    (blob,) = table.blobs()
    assert overlap(blob, box((20.0, 18.0), (23.0, 21.0))) > 0.4


@pytest.mark.parametrize(
    ("cloth", "share"), [(GREEN, 0.6), (GREEN, 0.75), (GREY, 0.45)], ids=["dark", "dim", "black-on-grey"]
)
def test_what_is_dark_has_an_edge_all_around_and_touches_nothing_is_no_shadow(
    cloth: tuple[int, int, int], share: float
) -> None:
    table = Drawn(cloth, clouds=3.0)
    telephone = box((15.0, 18.0), (17.9, 23.6))
    table.shade(telephone, share)
    (blob,) = table.blobs()
    assert overlap(blob, telephone) > 0.8


@pytest.mark.parametrize("cloth", [GREEN, SAND, GREY], ids=["green", "sand", "grey"])
def test_a_dark_figure_over_the_edge_of_a_road_is_found(cloth: tuple[int, int, int]) -> None:
    table = with_road(cloth)
    figure = table.paint(np.array(Point(24.5, 11.6).buffer(0.8).exterior.coords)[:-1], (33, 32, 31))
    (blob,) = table.blobs()
    assert overlap(blob, figure) > 0.7


@pytest.mark.parametrize("share", [0.5, 0.7])
def test_what_has_the_cloths_colour_and_is_dark_is_found_near_a_piece_unless_it_touches_it(
    share: float,
) -> None:
    def blobs(gap: float) -> list[Polygon]:
        table = Drawn(GREEN, clouds=2.0)
        piece = table.paint(box((10.0, 10.0), (13.0, 13.0)), (200, 60, 40))
        table.shade(block(gap), share)
        return table.blobs([piece])

    def block(gap: float) -> np.ndarray:
        return box((13.0 + gap, 10.5), (15.0 + gap, 12.5))

    assert not blobs(0.0), "its shadow begins at it"
    (found,) = blobs(0.75)
    assert overlap(found, block(0.75)) > 0.8


def test_the_black_side_of_a_dark_rock_is_a_part_of_it() -> None:
    table = Drawn(GREEN, clouds=2.0)
    rock = box((15.0, 18.0), (18.0, 21.0))
    table.shade(rock, 0.7)
    table.shade(box((15.0, 18.0), (15.8, 21.0)), 0.4)
    (blob,) = table.blobs()
    assert overlap(blob, rock) > 0.8


@pytest.mark.parametrize("cloth", [GREEN, SAND], ids=["green", "sand"])
@pytest.mark.parametrize("share", [0.45, 0.65])
@pytest.mark.parametrize("wide", [1.2, 2.6])
def test_the_shadow_of_a_piece_that_goes_on_over_the_line_of_a_road_is_a_shadow(
    cloth: tuple[int, int, int], share: float, wide: float
) -> None:
    table = with_road(cloth)
    crate = table.paint(box((5.0, 8.5), (8.0, 10.5)), (60, 90, 200))
    table.shade(box((5.4, 10.5), (5.4 + wide, 14.6)), share)
    assert not table.blobs([crate])


def test_a_shadow_that_folds_of_the_cloth_cut_is_a_shadow() -> None:
    table = Drawn(GREEN, clouds=2.0)
    mug = table.paint(np.array(Point(20.0, 20.0).buffer(1.6).exterior.coords)[:-1], (200, 205, 210))
    table.shade(box((18.8, 21.2), (21.2, 27.0)), 0.55)
    for y in (23.4, 25.6):
        table.shade(box((10.0, y), (30.0, y + 0.2)), 0.75)
    for x in (18.7, 21.1):
        table.shade(box((x, 15.0), (x + 0.2, 28.0)), 0.75)
    (blob,) = table.blobs()
    assert overlap(blob, mug) > 0.5


def test_a_mug_on_cloth_so_bright_that_the_picture_loses_its_colour_is_found() -> None:
    table = Drawn(SAND)
    h, w = table.picture.shape[:2]
    down, across = np.mgrid[:h, :w]
    far = (across / w - 0.85) ** 2 + (down / h - 0.8) ** 2
    table.picture = np.minimum(table.picture * (1.0 + 0.5 * np.exp(-far / 0.05))[..., None], 255.0)
    mug = table.paint(np.array(Point(33.0, 22.0).buffer(1.6).exterior.coords)[:-1], (30, 25, 110))
    (blob,) = table.blobs()
    assert overlap(blob, mug) > 0.8


@pytest.mark.parametrize("shape", [(37, 53), (520, 640)])
def test_parts_are_the_same_however_many_bits_their_labels_have(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(3)
    noise = cv2.GaussianBlur(rng.normal(size=shape), (0, 0), 2.0)
    checked = np.zeros(shape, np.uint8)
    checked[::2, ::2] = 1
    for mask in (as_mask(noise > 0.02), checked, np.zeros_like(checked)):
        count, labels, stats = parts_of(mask)
        of_all = cv2.connectedComponentsWithStats(mask, connectivity=8)
        assert count == of_all[0]
        assert (labels == of_all[1]).all()
        assert (stats == of_all[2]).all()


def test_a_fence_is_found_by_its_shadow() -> None:
    table = Drawn(SAND)
    table.shade(box((10.0, 10.0), (17.0, 10.3)), 0.4)
    assert not table.blobs(), "a shadow alone is none"
    posts = [table.paint(box((10.0 + k, 10.25), (10.3 + k, 10.5)), (120, 125, 128)) for k in range(8)]
    (blob,) = table.blobs()
    assert all(blob.buffer(0.1).contains(Polygon(post).centroid) for post in posts)


def test_shadows_have_the_tint_that_most_of_what_lies_there_casts_and_not_that_of_one_dark_thing() -> None:
    table, share = Drawn(SAND), (0.62, 0.48, 0.40)
    for k, colour in enumerate([(40, 40, 200), (200, 60, 40), (60, 180, 90)]):
        table.paint(box((4.0 + 9.0 * k, 8.0), (7.0 + 9.0 * k, 11.0)), colour)
        table.shade(box((4.2 + 9.0 * k, 11.0), (7.2 + 9.0 * k, 13.0)), share)
    # Four times as dark a place as all the shadows, of a tint of its own.
    table.paint(box((20.0, 18.0), (26.0, 24.0)), (50, 30, 60))
    one = np.array([[SAND, np.array(SAND) * share]], np.uint8)
    (lit, dim), *_ = cv2.cvtColor(one, cv2.COLOR_BGR2LAB).astype(np.float64)
    left = (dim[0] + BLACK) / (lit[0] + BLACK)
    told, *tint = shadow_of(table.look())
    assert told == pytest.approx(left, abs=0.06)
    assert tint == pytest.approx((dim - 128.0 - (lit - 128.0) * left)[1:], abs=1.5)


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


@pytest.mark.parametrize(
    ("codec", "coding"), [("mpeg4", {}), ("libx264", {"crf": "28", "tune": "zerolatency"})]
)
def test_what_the_coding_of_a_video_makes_of_cloth_and_road_is_no_thing(
    codec: str, coding: dict[str, str]
) -> None:
    table = UntoldTable(())
    read = table.source.read
    first = read()
    coder = av.CodecContext.create(codec, "w")
    assert isinstance(coder, av.VideoCodecContext)
    coder.width, coder.height, coder.pix_fmt, coder.time_base = *first.size, "yuv420p", Fraction(1, 5)
    coder.options = coding
    decoder = av.CodecContext.create("h264" if codec == "libx264" else codec, "r")
    assert isinstance(decoder, av.VideoCodecContext)

    def coded() -> Frame:
        frame = read()
        picture = av.VideoFrame.from_ndarray(frame.image, "bgr24")
        shown = [seen for packet in coder.encode(picture) for seen in decoder.decode(packet)]
        return replace(frame, image=shown[-1].to_ndarray(format="bgr24")) if shown else coded()

    table.source.read = coded  # type: ignore[method-assign]
    assert not table.watch(STAYS_S + 1.0).table.things


def test_what_lay_on_a_printed_road_is_gone_when_the_road_shows_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(things, "ARM_STAYS_S", STAYS_S + 2.0)
    table = UntoldTable(())
    table.watch(1.0)
    # A dark sleeve goes on as the road does, so that the hand seems to lie there by itself.
    table.source.cover((21.0, 23.0))
    assert not table.watch(STAYS_S + 1.5).table.things, "a hand that rests is none"
    table.watch(1.5)
    table.source.cover(None)
    assert not table.watch(2.5).table.things
