from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.space.geometry import FloatArray
from tests.vision.tags.test_polish import draw, square
from vision.frame import Frame
from vision.tags import reading
from vision.tags.reader import ReaderError, read_tags
from vision.tags.reading import Expected, TagReader


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


@pytest.mark.parametrize("way", ["all", "near", "region"])
def test_tags_come_back_with_id_order_and_half_pixel_right(way: str) -> None:
    frame = scene(TAGS)
    reader = TagReader.of(KEYS)
    if way == "all":
        found = reader.read_all(frame)
    else:
        shift = 0.8 if way == "near" else 14.0
        expected = [Expected("tag36h11", t, c + shift) for t, c in TAGS.items()]
        found = reader.read_near(frame, expected)
        # Only some regions are looked through in one frame.
        for _ in TAGS if way == "region" else ():
            have = {d.tag for d in found}
            found += reader.read_near(frame, [e for e in expected if e.tag not in have])
    assert sorted(d.tag for d in found) == sorted(TAGS)
    for d in found:
        # Corner by corner: a wrong order or a missed half pixel would show at once.
        assert np.abs(d.corners - TAGS[d.tag]).max() < 0.2
        assert np.abs(d.centre - TAGS[d.tag].mean(axis=0)).max() < 0.1


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
    by_all = [lasting_error(base, corners, seed) for seed in range(6)]
    monkeypatch.setattr(reading, "AT_REST_FRAMES", 1_000_000)
    by_some = [lasting_error(base, corners, seed) for seed in range(6)]
    assert np.mean(by_all) < 0.8 * np.mean(by_some)
