"""Tags in a picture: searched for, told apart, read, and their corners found to hundredths of a pixel."""

from __future__ import annotations

import math
import subprocess
import sys
from concurrent.futures import wait
from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.space.geometry import FloatArray
from tests.crowd import crowded_scene
from tests.volume import volume
from vision.frame import Detection, Frame, Image
from vision.simulate.live import ScriptedTable
from vision.simulate.scene import Scene
from vision.tags import reading
from vision.tags.anchor import FAR_PX, Anchors
from vision.tags.code_table import table_of
from vision.tags.codebook import Codebook, TagLike, tag_like
from vision.tags.pattern import LINEAR, aruco_dictionary, homography, pattern
from vision.tags.polish import polish
from vision.tags.reader import ReaderError, read_tags
from vision.tags.reading import INNER_UNDECODED, LEAD, TURNS, UNIQUE, Expected, TagReader
from vision.tags.search import AVERAGED, SAME, Beside, Search, StillPicture
from vision.tags.seek import seek
from vision.tags.watch import Watch


def draw(
    corners: FloatArray,
    tag: int = 7,
    *,
    size: int = 80,
    blur: float = 0.7,
    noise: float = 0.0,
    dark: float = 0.08,
    light: float = 0.75,
    around: float = 0.45,
    seed: int = 0,
    factor: int = 8,
) -> Image:
    """A tag drawn in linear light at exact corners (pixel centres at integers), then sRGB, 8 bits.

    It has a white margin of one module; `around` (0 black, 1 white) is what lies beyond that.
    """
    modules = pattern("tag36h11", tag)
    assert modules is not None
    padded = np.pad(modules, 1, constant_values=1.0)
    ys, xs = np.mgrid[0 : size * factor, 0 : size * factor]
    at = np.stack([(xs + 0.5) / factor - 0.5, (ys + 0.5) / factor - 0.5], -1).reshape(-1, 2)
    inverse = np.linalg.inv(homography(corners, 8))
    mapped = at @ inverse[:, :2].T + inverse[:, 2]
    uv = np.floor(mapped[:, :2] / mapped[:, 2:] + 1).astype(int)
    inside = ((uv >= 0) & (uv < 10)).all(axis=1)
    value = np.full(len(at), around)
    value[inside] = padded[uv[inside, 1], uv[inside, 0]]
    fine = value.reshape(size * factor, size * factor)
    fine = cv2.GaussianBlur(fine, (0, 0), blur * factor)
    linear = dark + (light - dark) * cv2.resize(fine, (size, size), interpolation=cv2.INTER_AREA)
    encoded = np.searchsorted(LINEAR, linear).astype(np.float64)
    encoded += np.random.default_rng(seed).normal(0, noise, encoded.shape) if noise else 0.0
    return np.asarray(np.clip(np.round(encoded), 0, 255), dtype=np.uint8)


def square(side: float, turn_deg: float, at: tuple[float, float] = (40.2, 39.7)) -> FloatArray:
    a = np.radians(turn_deg)
    rotation = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    unit = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * side / 2
    return np.asarray(unit @ rotation.T + at)


@pytest.mark.parametrize("side", [15.0, 18.0, 24.0, 44.0])
# (Not 0 or 45 degrees: there the drawing, eight samples a pixel, is itself out by a sixteenth.)
@pytest.mark.parametrize("turn", [3.0, 17.0, 41.0, 131.0])
def test_corners_are_found_to_hundredths_of_a_pixel(side: float, turn: float) -> None:
    truth = square(side, turn)
    start = truth + np.random.default_rng(1).normal(0, 0.3, (4, 2))
    fit = polish(draw(truth), "tag36h11", 7, start)
    assert fit is not None
    assert fit.correlation > 0.98
    assert np.abs(fit.corners - truth).max() < 0.05
    assert fit.blur == pytest.approx(0.7, abs=0.2)


@pytest.mark.parametrize("side", [135.0, 158.0, 166.0, 240.0, 460.0])
def test_a_large_tag_is_read_and_its_corners_are_as_sure_as_stated(side: float) -> None:
    """A tag of 156 pixels and more had more pixels than OpenCV looks up at once, and ended the search."""
    size = int(1.7 * side)
    truth = square(side, 17.0, (size / 2 + 0.3, size / 2 - 0.2))
    (found,) = TagReader.of([("tag36h11", 7)]).read_all(
        Frame(draw(truth, size=size, noise=2.0, factor=3), 0.0, 0)
    )
    assert np.abs(found.corners - truth).max() < max(0.1, 0.0012 * side)
    off = (found.corners - truth).ravel()
    assert float(off @ np.linalg.solve(found.covariance, off)) < 26.1, "the 99.9th percentile of eight"


@pytest.mark.parametrize("around", [0.0, 0.3, 1.0])
def test_what_lies_around_a_tag_does_not_pull_at_its_corners(around: float) -> None:
    truth = square(14.4, 17.0)
    fit = polish(draw(truth, blur=0.9, around=around), "tag36h11", 7, truth, 0.9)
    assert fit is not None
    assert np.abs(fit.corners - truth).max() < 0.03


def test_a_tone_curve_does_not_shrink_black_squares() -> None:
    """The picture is sRGB and the outer quad alone would come out a third of a pixel small."""
    truth = square(20.0, 10.0)
    fit = polish(draw(truth, blur=1.0), "tag36h11", 7, truth)
    assert fit is not None
    side = np.linalg.norm(fit.corners - np.roll(fit.corners, -1, axis=0), axis=1).mean()
    assert side == pytest.approx(20.0, abs=0.04)


def test_heading_has_no_floor_under_a_tilted_view() -> None:
    truth = square(20.0, 30.0) + np.array([(0.0, 0.0), (0.6, 0.2), (-0.3, 0.5), (0.2, -0.6)])
    fit = polish(draw(truth), "tag36h11", 7, truth + 0.2)
    assert fit is not None
    assert np.abs(fit.corners - truth).max() < 0.05


def test_stated_covariance_admits_the_noise() -> None:
    truth = square(19.0, 25.0)
    distances = []
    for seed in range(volume(20, 60)):
        fit = polish(draw(truth, noise=4.0, seed=seed), "tag36h11", 7, truth)
        assert fit is not None
        off = (fit.corners - truth).ravel()
        distances.append(off @ np.linalg.solve(fit.covariance, off))
    # Eight degrees of freedom; white noise is milder than what the inflation was measured on.
    assert 0.5 < np.mean(distances) < 8.0


@pytest.mark.parametrize("other", [0, 3, 200])
def test_another_tag_does_not_fit(other: int) -> None:
    truth = square(22.0, 12.0)
    fit = polish(draw(truth, tag=7), "tag36h11", other, truth)
    assert fit is None or fit.correlation < 0.8


def test_at_the_edge_of_the_picture_and_beyond() -> None:
    picture = draw(square(20.0, 0.0, (8.0, 40.0)))
    fit = polish(picture, "tag36h11", 7, square(20.0, 0.0, (8.0, 40.0)))
    assert fit is None or np.isfinite(fit.corners).all()
    for at in ((-60.0, 40.0), (-11.0, 40.0), (40.0, -11.0), (90.5, 40.0), (40.0, 90.5)):
        assert polish(picture, "tag36h11", 7, square(20.0, 0.0, at)) is None, "less than six pixels of it"
    assert polish(picture, "tag36h11", 7, np.zeros((4, 2))) is None


def test_families_that_cannot_be_drawn_are_none() -> None:
    assert pattern("tagStandard41h12", 0) is None
    assert pattern("tag36h11", 587) is None
    assert aruco_dictionary("DICT_4X4_50") is not None
    assert aruco_dictionary("DICT_NONSENSE") is None


KEY = ("tag36h11", 7)
TRUTH = square(17.0, 20.0)


def seen(corners: FloatArray = TRUTH, seed: int = 0, tag: int = 7, light: float = 0.75) -> Image:
    return draw(corners, tag, noise=3.0, seed=seed, light=light)


def anchored() -> Anchors:
    anchors, grey = Anchors(), seen()
    fit = polish(grey, *KEY, TRUTH)
    assert fit is not None
    anchors.put(grey, KEY, fit)
    return anchors


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_linear_step_is_as_good_as_a_whole_fit(seed: int) -> None:
    grey = seen(seed=seed)
    fit = polish(grey, *KEY, TRUTH)
    read = anchored().read(grey, [KEY])[KEY]
    assert fit is not None
    assert read.how == "place"
    assert np.abs(read.corners - fit.corners).max() < 0.05
    assert np.diag(read.covariance) == pytest.approx(np.diag(fit.covariance), rel=0.5)


def test_a_small_move_is_measured() -> None:
    move = np.array([0.08, -0.05])
    offs = [anchored().read(seen(TRUTH + move, s), [KEY])[KEY].corners - TRUTH for s in range(1, 9)]
    assert np.mean(offs, axis=(0, 1)) == pytest.approx(move, abs=0.02)


@pytest.mark.parametrize(
    "grey",
    [
        seen(TRUTH + np.array((0.5 + FAR_PX, 0.0)), 1),
        seen(seed=1, tag=8),
        seen(seed=1, light=0.3),
        np.full((80, 80), 128, np.uint8),
    ],
    ids=["moved", "another tag", "darker by half", "gone"],
)
def test_what_is_not_the_same_is_left_to_others(grey: Image) -> None:
    assert anchored().read(grey, [KEY]) == {}


def test_a_finger_over_a_corner_is_refused() -> None:
    grey = seen(seed=1).copy()
    grey[30:40, 30:38] = 150
    assert anchored().read(grey, [KEY]) == {}


def test_another_picture_size_and_a_dropped_key_have_no_anchors() -> None:
    anchors = anchored()
    assert anchors.read(np.zeros((90, 90), np.uint8), [KEY]) == {}
    anchors.drop(KEY)
    assert anchors.read(seen(), [KEY]) == {}


@pytest.mark.parametrize("side", [15.0, 20.0, 34.0])
@pytest.mark.parametrize("move", [(0.0, 0.0), (4.6, -3.3), (-6.2, 5.1)])
def test_a_moved_tag_is_met_within_a_pixel(side: float, move: tuple[float, float]) -> None:
    truth = square(side, 25.0)
    found = seek(draw(truth, noise=3.0), "tag36h11", 7, truth - move, 8.0)
    assert found is not None
    score, corners = found
    assert score > 0.7
    assert np.abs(corners - truth).max() < 1.0


@pytest.mark.parametrize("turn", [12.0, -21.0])
def test_a_turned_one_with_some_turns_tried(turn: float) -> None:
    truth = square(20.0, 25.0)
    grey, before = draw(truth, noise=3.0), square(20.0, 25.0 - turn)
    found = seek(grey, "tag36h11", 7, before, 5.0, TURNS)
    assert found is not None
    edge = found[1][1] - found[1][0]
    assert math.degrees(math.atan2(edge[1], edge[0])) == pytest.approx(25.0, abs=5.0)


def test_nothing_beyond_the_edge_of_the_picture() -> None:
    grey = draw(square(20.0, 0.0))
    assert seek(grey, "tag36h11", 7, square(20.0, 0.0, (-40.0, 40.0)), 5.0) is None


def scene(tags: dict[int, FloatArray], *, noise: float = 3.0) -> Frame:
    """Tags on grey cloth, 400 x 300."""
    picture = np.full((300, 400), 120, dtype=np.uint8)
    for tag, corners in tags.items():
        low = np.floor(corners.mean(axis=0)).astype(int) - 40
        tile = draw(corners - low, tag)
        reach = int(np.ceil(np.abs(corners - low - 40).max() * 1.2))
        x0, y0 = low + 40 - reach
        picture[y0 : y0 + 2 * reach, x0 : x0 + 2 * reach] = tile[
            40 - reach : 40 + reach, 40 - reach : 40 + reach
        ]
    noisy = picture + np.random.default_rng(3).normal(0, noise, picture.shape)
    return Frame(np.clip(noisy, 0, 255).astype(np.uint8), 0.0, 0)


TAGS = {
    10: square(24.0, 20.0, (80.3, 90.6)),
    11: square(24.0, 100.0, (200.1, 120.2)),
    30: square(34.0, -140.0, (300.5, 200.4)),
}
KEYS = [("tag36h11", t) for t in TAGS]


@pytest.mark.parametrize("way", ["all", "near", "region", "undrawn"])
def test_tags_come_back_with_id_order_and_half_pixel_right(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = scene(TAGS)
    if way == "undrawn":
        # As a family that can be read but not drawn: the general reader's word in a region is all there is.
        monkeypatch.setattr(reading, "pattern", lambda _family, _tag: None)
    reader = TagReader.of(KEYS)
    if way == "all":
        found = reader.read_all(frame)
    else:
        shift = 0.8 if way == "near" else 14.0
        expected = [Expected("tag36h11", t, c + shift) for t, c in TAGS.items()]
        found = reader.read_near(frame, expected)
        # Only some regions are looked through in one frame.
        for _ in TAGS if way in ("region", "undrawn") else ():
            have = {d.tag for d in found}
            found += reader.read_near(frame, [e for e in expected if e.tag not in have])
    assert sorted(d.tag for d in found) == sorted(TAGS)
    sd = reading.STOCK_SD if way == "undrawn" else 0.1
    for d in found:
        # Corner by corner: a wrong order or a missed half pixel would show at once.
        assert np.abs(d.corners - TAGS[d.tag]).max() < 2 * sd
        assert np.abs(d.centre - TAGS[d.tag].mean(axis=0)).max() < sd


def test_opencv_and_libapriltag_agree_on_what_is_up() -> None:
    frame = scene(TAGS)
    library = {r.tag: r.corners for r in read_tags(frame.grey, ["tag36h11"])}
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(frame.grey)
    assert len(corners) >= 2
    for tag, quad in zip(np.asarray(ids).ravel(), corners, strict=True):
        assert np.abs(library[int(tag)] - np.asarray(quad).reshape(4, 2)).max() < 1.5


def test_a_tag_that_is_not_in_play_is_never_reported() -> None:
    frame = scene(TAGS)
    reader = TagReader.of([("tag36h11", 10), ("tag36h11", 12)])
    assert [d.tag for d in reader.read_all(frame)] == [10]
    # Looked for exactly where a foreign tag lies, it is still not taken for one in play.
    found = reader.read_near(frame, [Expected("tag36h11", 12, TAGS[11]), Expected("tag36h11", 10, TAGS[30])])
    assert found == []


def test_two_cars_that_changed_places_are_told_apart() -> None:
    frame = scene({10: TAGS[11], 11: TAGS[10]})
    reader = TagReader.of(KEYS)
    expected = [Expected("tag36h11", 10, TAGS[10]), Expected("tag36h11", 11, TAGS[11])]
    for d in reader.read_near(frame, expected):
        assert np.abs(d.corners - TAGS[21 - d.tag]).max() < 0.2


def test_bare_cloth_gives_nothing() -> None:
    frame = scene({})
    reader = TagReader.of(KEYS)
    assert reader.read_all(frame) == []
    assert reader.read_near(frame, [Expected("tag36h11", t, c) for t, c in TAGS.items()]) == []


def test_a_border_of_another_family() -> None:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    frame = scene(TAGS)
    picture = frame.image.copy()
    picture[210:280, 30:100] = 230
    picture[220:268, 40:88] = cv2.aruco.generateImageMarker(dictionary, 5, 48)
    picture[200:290, 20:110] = cv2.GaussianBlur(picture[200:290, 20:110], (0, 0), 0.8)
    reader = TagReader.of([*KEYS, ("DICT_4X4_50", 5)])
    found = {(d.family, d.tag): d for d in reader.read_all(Frame(picture, 0.0, 0))}
    assert set(found) == {*KEYS, ("DICT_4X4_50", 5)}
    # OpenCV fills pixels 40..87: edges at 39.5 and 87.5.
    assert found["DICT_4X4_50", 5].corners[0] == pytest.approx([39.5, 219.5], abs=0.15)


def test_an_unknown_family_is_refused_with_what_there_is() -> None:
    with pytest.raises(ReaderError, match=r"'tag99h9' cannot be read here.*DICT_4X4_50"):
        read_tags(scene({}).grey, ["tag99h9"])


def lasting_error(base: FloatArray, corners: FloatArray, seed: int) -> float:
    """What the mean of many reads of a still tag is off by, root mean square over its corners, pixels."""
    rng, reader, reads = np.random.default_rng(seed), TagReader.of(KEYS), []
    at = corners + 0.2
    for n in range(30):
        image = np.clip(base + rng.normal(0, 6.0, base.shape), 0, 255).astype(np.uint8)
        found = reader.read_near(Frame(image, n / 30, n), [Expected("tag36h11", 30, at, still=True)])
        at = found[0].corners
        reads.append(at)
    return float(np.sqrt(np.mean((np.mean(reads[10:], axis=0) - corners) ** 2)))


def test_a_large_tag_that_lies_still_is_read_by_all_its_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the quick fit by a part of them was off by would stay for as long as it lies there."""
    corners = square(42.0, -140.0, (200.5, 150.4))
    base = scene({30: corners}, noise=0.0).grey.astype(np.float64)
    by_all = [lasting_error(base, corners, seed) for seed in range(volume(4, 6))]
    monkeypatch.setattr(reading, "AT_REST_FRAMES", 1_000_000)
    by_some = [lasting_error(base, corners, seed) for seed in range(volume(4, 6))]
    assert np.mean(by_all) < 0.8 * np.mean(by_some)


def test_the_average_is_still_where_nothing_changes_and_new_where_it_does() -> None:
    rng = np.random.default_rng(0)
    still, scene = StillPicture(), np.full((60, 60), 100.0)
    for _ in range(AVERAGED):
        average = still.add(np.clip(scene + rng.normal(0, 3, scene.shape), 0, 255).astype(np.uint8))
    assert average.std() < 2.0
    scene[20:40, 20:40] = 180.0
    average = still.add(scene.astype(np.uint8))
    assert average[30, 30] == 180
    assert abs(int(average[5, 5]) - 100) <= 3


@pytest.mark.parametrize(("by", "shown"), [(SAME, SAME // 2), (-SAME, -SAME // 2), (SAME + 1, SAME + 1)])
def test_what_is_off_by_no_more_than_noise_is_averaged(by: int, shown: int) -> None:
    still, scene = StillPicture(), np.full((9, 9), 100, np.uint8)
    still.add(scene)
    assert (still.add((scene.astype(int) + by).astype(np.uint8)).astype(int) == 100 + shown).all()


def table(printed_px: float, seed: int) -> Scene:
    scene = crowded_scene(cars=12, printed_px=printed_px, foreign=6, seed=seed)
    return replace(scene, sensor=replace(scene.sensor, blur=1.1, noise=3.0, jpeg=80))


@pytest.mark.parametrize(("printed_px", "within"), [(22.0, 1.0), (18.0, 3.0), (15.0, 10.0)])
def test_new_tags_are_found_in_time_and_foreign_ones_never(printed_px: float, within: float) -> None:
    scene = table(printed_px, seed=11)
    source = ScriptedTable(scene, fps=5.0, seconds=within + 0.5)
    keys = {(c.family, c.tag) for c in scene.corners}
    keys |= {(p.mount.family, p.mount.tag) for p in scene.pieces if p.mount is not None}
    watch = Watch(keys)
    truth: dict[int, FloatArray] = {}
    stock: set[int] = set()
    while watch.unseen or not truth:
        frame = source.read()
        assert frame.time <= within, f"not found: {sorted(watch.unseen)}"
        if not truth:
            truth = {int(i): np.array(t["corners_px"]) for i, t in source.truth()["tags"].items()}
            stock = {r.tag for r in read_tags(frame.grey, ["tag36h11"])}
        for d in watch.read(frame, lambda _: 0.8 * printed_px):
            assert np.hypot(*(d.centre - truth[d.tag].mean(axis=0))) < 1.0
    # Worth the effort: the general reader sees only some of them.
    assert len(stock & {tag for _, tag in keys}) < len(keys)


def test_a_search_that_goes_wrong_is_told_once_and_the_next_one_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    beside = Beside(TagReader.of([("tag36h11", 7)]))
    frame = Frame(np.full((60, 80), 120, np.uint8), 0.0, 0)
    looked = []

    def look(_search: Search, frame: Frame, _wanted: object, *, thorough: bool) -> list[Detection]:
        looked.append(frame)
        if len(looked) == 1:
            raise ValueError("odd pixels")
        return []

    monkeypatch.setattr(Search, "look", look)
    try:
        assert beside.start(frame, (), thorough=False)
        with pytest.raises(ValueError, match="odd pixels"):
            until_told(beside, frame)
        assert beside.finds(frame, {}) == []
        assert beside.start(frame, (), thorough=False)
        until_told(beside, frame)
        assert len(looked) == 2
    finally:
        beside.close()


def until_told(beside: Beside, frame: Frame) -> None:
    """Asks what was found until the search has ended: then another may begin."""
    assert beside._running is not None
    wait([beside._running])
    beside.finds(frame, {})


def sheet(family: str, tag: int, at: tuple[int, int], canvas: Image, module: int = 5) -> None:
    dictionary = aruco_dictionary(family)
    assert dictionary is not None
    side = (dictionary.markerSize + 2) * module
    x, y = at
    canvas[y - 2 * module : y + side + 2 * module, x - 2 * module : x + side + 2 * module] = 235
    canvas[y : y + side, x : x + side] = cv2.aruco.generateImageMarker(dictionary, tag, side)


def picture(*tags: tuple[str, int, tuple[int, int]]) -> Frame:
    canvas = np.full((300, 400), 120, dtype=np.uint8)
    for family, tag, at in tags:
        sheet(family, tag, at, canvas)
    soft = cv2.GaussianBlur(canvas, (0, 0), 0.8)
    noise = np.random.default_rng(2).normal(0, 2, soft.shape)
    return Frame(np.clip(soft + noise, 0, 255).astype(np.uint8), 0.0, 0)


@pytest.mark.parametrize("family", ["tag36h11", "tag25h9", "tag16h5", "DICT_4X4_50", "DICT_6X6_250"])
def test_families_on_request_are_found_and_followed(family: str) -> None:
    """Roof tags of one family between border markers of another."""
    border = "DICT_5X5_100"
    frame = picture((family, 3, (60, 60)), (family, 7, (200, 120)), (border, 1, (300, 220)))
    watch = Watch([(family, 3), (family, 7), (border, 1)])
    for k in range(3):
        found = watch.read(Frame(frame.image, k / 10, k))
        assert {(d.family, d.tag) for d in found} == watch.reader.keys
    corners = next(d.corners for d in found if d.tag == 3)
    # The first black pixel is 60: its edge lies at 59.5 (blurred after the tone curve, so not quite).
    assert corners.min(axis=0) == pytest.approx((59.5, 59.5), abs=0.25)


def test_a_family_of_another_table_is_never_reported() -> None:
    frame = picture(("tag25h9", 3, (60, 60)), ("DICT_4X4_50", 7, (200, 120)))
    assert TagReader.of([("tag36h11", 3), ("tag36h11", 7)]).read_all(frame) == []


def test_families_that_only_one_library_knows_are_read_beside_the_usual() -> None:
    """In a process of its own: the detector is made once, for the families first asked for."""
    program = """
import numpy as np
from vision.tags.reader import read_tags
from vision.tags.pattern import aruco_dictionary
import cv2
grey = np.full((200, 200), 220, np.uint8)
grey[60:100, 20:60] = cv2.aruco.generateImageMarker(aruco_dictionary("tag36h11"), 4, 40)
grey[60:100, 80:120] = cv2.aruco.generateImageMarker(aruco_dictionary("tag25h9"), 6, 40)
grey[60:100, 140:180] = cv2.aruco.generateImageMarker(aruco_dictionary("tag16h5"), 2, 40)
soft = cv2.GaussianBlur(grey, (0, 0), 0.7)
reads = read_tags(soft, ["tag36h11", "tag25h9", "tag16h5", "tagStandard41h12"])
print(sorted((r.family, r.tag) for r in reads if r.flaws == 0), flush=True)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[('tag16h5', 2), ('tag25h9', 6), ('tag36h11', 4)]"


@pytest.mark.parametrize(("bits", "count"), [(16, 30), (25, 35), (36, 40)])
def test_a_code_with_up_to_two_wrong_bits_is_in_the_table_once_and_no_other_is(bits: int, count: int) -> None:
    """As the library searches: from a code's own place on, until it stands there or the place is free."""
    dictionary = aruco_dictionary({16: "tag16h5", 25: "tag25h9", 36: "tag36h11"}[bits])
    assert dictionary is not None
    rows = [
        dictionary.getBitsFromByteList(dictionary.bytesList[k : k + 1], round(bits**0.5))
        for k in range(count)
    ]
    codes = np.array([int("".join(map(str, row.ravel())), 2) for row in rows], np.uint64)
    table = table_of(codes, bits)
    free = table["code"] == 2**64 - 1

    def found(code: int) -> tuple[int, int] | None:
        place = code % len(table)
        while not free[place]:
            if table["code"][place] == code:
                return int(table["tag"][place]), int(table["flaws"][place])
            place = (place + 1) % len(table)
        return None

    rng = np.random.default_rng(bits)
    for tag, code in enumerate(codes.tolist()):
        for flaws in range(4):
            wrong = code ^ sum(1 << int(b) for b in rng.permutation(bits)[:flaws])
            assert found(wrong) == (tag, flaws) if flaws <= 2 else found(wrong) != (tag, flaws)
    assert (~free).sum() == count * (1 + bits + bits * (bits - 1) // 2)
    assert free.sum() >= len(table) // 4


def test_a_tag_with_two_wrong_modules_is_read_as_that() -> None:
    grey = np.full((120, 120), 220, np.uint8)
    modules = cv2.aruco.generateImageMarker(aruco_dictionary("tag36h11"), 4, 8)
    for row, column in ((2, 3), (5, 6)):
        modules[row, column] = 255 - modules[row, column]
    grey[28:92, 28:92] = cv2.resize(modules, (64, 64), interpolation=cv2.INTER_NEAREST)
    reads = read_tags(cv2.GaussianBlur(grey, (0, 0), 0.7), ["tag36h11"])
    assert [(r.tag, r.flaws) for r in reads] == [(4, 2)]


@pytest.mark.parametrize("shape", [(1, 1), (1, 3000), (2, 50), (3000, 1), (3, 3)])
def test_a_picture_too_small_for_a_tag_shows_none(shape: tuple[int, int]) -> None:
    """The library crashes on one or two rows."""
    assert read_tags(np.zeros(shape, np.uint8), ["tag36h11", "DICT_4X4_50"]) == []


BOOK = Codebook("tag36h11", tuple(range(7, 31)))


@pytest.mark.parametrize("side", [12.0, 15.0, 20.0, 36.0])
@pytest.mark.parametrize("turn", [3.0, 40.0, 130.0, 200.0, -75.0])
def test_a_tag_is_guessed_whichever_way_round_and_somewhat_aside(side: float, turn: float) -> None:
    truth = square(side, turn)
    grey = draw(truth, 9, blur=1.0, noise=3.0)
    place = TagLike(
        *(truth.mean(axis=0) + np.array((0.2 * side, -0.15 * side))), math.radians(turn % 90 + 2.0), 1.0
    )
    best = BOOK.guesses(grey, place, side * 1.04, 1.0)[0]
    assert best.tag == 9
    assert best.score > 0.7
    # Near enough for the fit to go on from.
    assert np.abs(best.corners - truth).max() < 0.15 * side
    fit = polish(grey, "tag36h11", 9, best.corners, 1.0)
    assert fit is not None
    assert np.abs(fit.corners - truth).max() < 0.5


def test_the_tag_itself_leads_by_far_and_a_foreign_one_by_nothing() -> None:
    truth = square(13.0, 25.0)
    grey = draw(truth, 9, blur=1.1, noise=3.0)
    inner, lead, unique = BOOK.agreement(grey, 9, truth, 1.1)
    assert inner > 0.95
    assert lead >= unique > 0.15
    assert BOOK.agreement(grey, 10, truth, 1.1).lead < 0.0
    foreign = draw(truth, 400, blur=1.1, noise=3.0)
    spoken = [BOOK.agreement(foreign, t, truth, 1.1) for t in BOOK.tags]
    assert max(s.lead for s in spoken) < 0.12
    # A foreign tag shares the border with those in play, and nothing else.
    assert max(s.inner for s in spoken) < 0.9
    # It is most like itself, which nobody in play can be.
    assert max(s.unique for s in spoken) < -0.1


def test_a_foreign_tag_that_leads_all_in_play_is_still_most_like_itself() -> None:
    # Under a wide blur 188 held upside down looks so much like 24 that none in play comes near.
    truth = square(12.9, 25.0)
    foreign = draw(np.roll(truth, 2, axis=0), 188, blur=1.46)
    agreed = BOOK.agreement(foreign, 24, truth, 1.46)
    assert agreed.inner > INNER_UNDECODED
    assert agreed.lead > LEAD
    assert agreed.unique < 0.0
    itself = BOOK.agreement(draw(truth, 24, blur=1.46), 24, truth, 1.46)
    assert itself.unique > UNIQUE


def test_tag_like_places_are_where_the_tags_are_and_turned_as_they_are() -> None:
    frame = scene(TAGS)
    places = tag_like(frame.grey, 26.0, 12)
    for corners in TAGS.values():
        near = min(places, key=lambda p: math.dist((p.x, p.y), corners.mean(axis=0)))
        assert math.dist((near.x, near.y), corners.mean(axis=0)) < 16.0
        edge = corners[1] - corners[0]
        turned = (math.atan2(edge[1], edge[0]) - near.angle) % (math.pi / 2)
        assert min(turned, math.pi / 2 - turned) < math.radians(9.0)


def test_bare_cloth_has_no_strong_places() -> None:
    tags = tag_like(scene(TAGS).grey, 26.0, 1)[0].strength
    assert all(p.strength < 0.02 * tags for p in tag_like(scene({}).grey, 26.0, 20))
