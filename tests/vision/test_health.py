"""Good pictures are found healthy, and each thing that spoils one is named."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.tablefile import load_table
from engine.space.geometry import FloatArray
from vision.frame import Detection, Frame, Image
from vision.health import HealthWatch, TagHealth, covered_or_shining, findings, inspect, names_of
from vision.simulate.live import SimulatedTable
from vision.simulate.scenes import named_scene
from vision.tags.pattern import pattern
from vision.tags.reading import TagReader

KEYS = [("tag36h11", i) for i in range(40)]
CENTRES = {0: (90.0, 90.0), 5: (230.3, 88.6), 9: (90.7, 230.2), 23: (230.0, 229.5)}


def drawn(module: float = 5.0, turn: float = 0.3, white: float = 0.75) -> FloatArray:
    """Four tags on grey, in linear light, drawn eight times too large and shrunk."""
    big = np.full((320 * 8, 320 * 8), 0.3, np.float32)
    for tag, (x, y) in CENTRES.items():
        modules = pattern("tag36h11", tag)
        assert modules is not None
        square = np.pad(modules, 1, constant_values=1.0) * (white - 0.03) + 0.03
        rotation = (
            np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]) * module * 8
        )
        place = np.array([x, y]) * 8 + 3.5 - rotation @ np.array([4.5, 4.5])
        cv2.warpAffine(
            square, np.column_stack([rotation, place]), big.shape[::-1], big,
            flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_TRANSPARENT,
        )  # fmt: skip
    return cv2.resize(big, (320, 320), interpolation=cv2.INTER_AREA).astype(np.float64)


def picture(light: FloatArray, blur: float = 0.6, noise: float = 2.0) -> Image:
    """What a camera makes of linear light: blurred, with its tone curve, noise of seed 3."""
    soft = np.clip(cv2.GaussianBlur(light, (0, 0), blur), 0, 1)
    curve = np.where(soft <= 0.0031308, soft * 12.92, 1.055 * soft ** (1 / 2.4) - 0.055)
    noisy = 255 * curve + np.random.default_rng(3).normal(0, noise, light.shape)
    return np.asarray(np.clip(np.round(noisy), 0, 255), dtype=np.uint8)


def read(image: Image) -> list[Detection]:
    reader = TagReader.of(KEYS)
    found = reader.read_all(Frame(image, 0.0, 0))
    if found:
        return found
    # What no general reader reads is found by its place, as in play.
    return [d for at in CENTRES.values() for d in reader.guess_at(image, np.array(at), 12.0)]


def healths(image: Image) -> list[TagHealth]:
    return [h for d in read(image) if (h := inspect(image, d)) is not None]


def troubles(image: Image) -> set[str]:
    return {f.trouble for f in findings(healths(image), {})}


def smeared(light: FloatArray, length: int, across: bool) -> FloatArray:
    kernel = np.ones((1, length) if across else (length, 1)) / length
    return cv2.filter2D(light, -1, kernel)


def with_glint(light: FloatArray) -> FloatArray:
    shining = light.copy()
    x, y = CENTRES[5]
    cv2.circle(shining, (round(x + 8), round(y - 8)), 6, 1.5, -1)
    return shining


SPOILT: dict[str, Callable[[], Image]] = {
    "dark": lambda: picture(drawn() * 0.06),
    "washed": lambda: picture(drawn() * 0.3 + 0.4),
    "bright": lambda: picture(drawn() * 1.7),
    "soft": lambda: picture(drawn(), blur=2.2),
    "smeared": lambda: picture(smeared(drawn(), 8, across=True)),
    "glare": lambda: picture(with_glint(drawn())),
    "small": lambda: picture(drawn(module=1.4), blur=0.45, noise=1.0),
}


@pytest.mark.parametrize("trouble", SPOILT)
def test_what_spoils_a_picture_is_named_and_nothing_else(trouble: str) -> None:
    assert troubles(SPOILT[trouble]()) == {trouble}


def test_tags_that_are_read_reliably_are_not_called_small() -> None:
    image = picture(drawn(module=1.6), blur=0.6, noise=1.0)
    assert len(read(image)) == len(CENTRES)
    assert troubles(image) == set()


@pytest.mark.parametrize("module", [2.2, 3.0, 5.0, 7.0])
@pytest.mark.parametrize("turn", [0.0, 0.5])
def test_a_good_picture_is_healthy(module: float, turn: float) -> None:
    image = picture(drawn(module, turn))
    assert len(healths(image)) == 4
    assert troubles(image) == set()


@pytest.mark.parametrize(("blur", "turn"), [(0.5, 0.2), (0.8, 0.0), (1.2, 0.6), (2.0, 0.3)])
def test_blur_is_measured_in_pixels(blur: float, turn: float) -> None:
    for health in healths(picture(drawn(6.0, turn), blur)):
        assert health.blur == pytest.approx(blur, abs=0.2)
        assert health.smear < 2.0


@pytest.mark.parametrize("length", [4, 7, 10])
@pytest.mark.parametrize("across", [True, False])
def test_a_smear_is_measured_with_its_direction(length: int, across: bool) -> None:
    found = healths(picture(smeared(drawn(7.0), length, across)))
    assert len(found) >= 3
    for health in found:
        assert health.smear == pytest.approx(length, rel=0.2)
        along = abs(math.cos(health.smear_at)) if across else abs(math.sin(health.smear_at))
        assert along > 0.98


def test_sentences_name_what_carries_the_tag(samples: Path) -> None:
    names = names_of(load_table(samples / "opening-round" / "table.toml"))
    assert names["tag36h11", 0] == "corner tag 0"
    assert names["tag36h11", 10] == "Red 1"
    image = picture(with_glint(drawn()))
    said = findings(healths(image), {("tag36h11", 5): "Red 9"})
    assert [f.words.split(":")[0] for f in said] == ["Red 9"]
    assert said[0].tags == (("tag36h11", 5),)
    assert "lamp" in said[0].words


def test_a_tag_sharper_than_any_lens_is_still_measured() -> None:
    light = drawn(6.0, 0.0)
    hard = np.where(light > 0.35, 0.78, np.where(light < 0.2, 0.03, light))
    found = healths(picture(hard, blur=0.05, noise=0.5))
    assert len(found) == 4
    assert all(h.blur < 0.5 for h in found)


def test_without_tags_nothing_is_said() -> None:
    assert findings([], {}) == ()


def test_an_unread_place_shines_is_covered_or_lies_outside() -> None:
    square = np.array([(50.0, 50), (90, 50), (90, 90), (50, 90)])
    dull, shining = np.full((200, 200), 140, np.uint8), np.full((200, 200), 140, np.uint8)
    cv2.circle(shining, (65, 65), 20, 255, -1)
    assert "covered" in covered_or_shining(dull, square)
    assert "glare" in covered_or_shining(shining, square)
    assert "outside" in covered_or_shining(dull, square + 500)


def test_the_watch_looks_now_and_then_and_at_other_tags_each_time() -> None:
    good, bad = picture(drawn()), picture(drawn() * 0.3 + 0.4)
    detections = read(good)
    watch = HealthWatch({}, every=1.0, most=2)
    assert watch.update(Frame(good, 10.0, 0), detections) == ()
    assert watch.update(Frame(bad, 10.9, 1), read(bad)) == ()
    assert {f.trouble for f in watch.update(Frame(bad, 11.1, 2), read(bad))} == {"washed"}
    first = set(watch.findings[0].tags)
    assert len(first) == 2
    assert set(watch.update(Frame(bad, 12.2, 3), read(bad))[0].tags) > first
    assert watch.update(Frame(good, 13.3, 4), read(good))[0].tags
    assert watch.update(Frame(good, 14.4, 5), read(good)) == ()


def test_a_focus_that_hunts_is_noticed_and_a_steady_one_is_not() -> None:
    for blurs, told in [((0.6, 1.4, 0.7, 1.5), {"breathing"}), ((0.6, 0.65, 0.6, 0.7), set())]:
        watch = HealthWatch({}, every=1.0, most=4)
        for second, blur in enumerate(blurs):
            image = picture(drawn(), blur)
            watch.update(Frame(image, float(second) * 1.5, second), read(image))
        assert {f.trouble for f in watch.findings} == told


@pytest.mark.parametrize("name", ["hd01", "hd02", "hd03", "hd05", "hd09"])
def test_rendered_tables_are_healthy(name: str, shared: Path) -> None:
    image = cv2.imread(str(shared / "renders" / "stills-1080p" / f"{name}.jpg"), cv2.IMREAD_GRAYSCALE)
    assert image is not None
    found = healths(np.asarray(image, dtype=np.uint8))
    assert len(found) >= 13
    assert findings(found, {}) == ()


def test_the_simulated_table_is_healthy() -> None:
    source = SimulatedTable(named_scene("default"), fps=15.0, clock=lambda: 0.0, sleep=lambda _: None)
    frame = source.read()
    source.close()
    assert len(healths(frame.grey)) >= 12
    assert findings(healths(frame.grey), {}) == ()
