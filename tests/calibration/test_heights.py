from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.honesty_scene import scenes
from benchmarks.stated import judged
from calibration.accuracy import MOUNT_TILT_DEG, Accuracy
from calibration.bundle.seen import SeenTag
from calibration.heights import HeightWatch, TagHeight, measure_heights
from calibration.surface import PARAMETERS, CornerTag, SeenCorner, Surface
from engine.space.geometry import Pose
from tests.calibration.bundle.test_solve import NOISE_PX, look
from tests.calibration.test_surface import LENS, PLACES, camera
from vision.evidence import as_flat

HANDS = Accuracy()
GLUED = HANDS.glued(math.radians(MOUNT_TILT_DEG))


def reads(height: float, *, stretch: float = 1.0, seed: int = 0, count: int = 8) -> list[SeenTag]:
    """A 0.9 inch roof tag at several places; `stretch` is what the printer really did."""
    truth, rng = camera(tilt=5.0), np.random.default_rng(seed)
    out = []
    for _ in range(count):
        pose = Pose(*rng.uniform(4, 42, 2), rng.uniform(-3, 3))
        seen = look(truth, 10, 0.9 * stretch, pose, rng, height=height, stated=0.9)
        # What the table file states is what an impostor would be read at.
        out.append(SeenTag(seen.family, seen.tag, 0.9, 1.0, seen.corners, seen.covariance))
    return out


def flat(stretch: float = 1.0) -> list[SeenTag]:
    truth, rng = camera(tilt=5.0), np.random.default_rng(9)
    return [
        look(truth, i, 2.4 * stretch, Pose(*at, math.pi / 2), rng, stated=2.4) for i, at in enumerate(PLACES)
    ]


@pytest.mark.parametrize("height", [0.6, 1.0, 1.4, 3.0])
@pytest.mark.parametrize("stretch", [1.0, 0.97])
def test_a_roofs_height_is_seen_whatever_the_printer_did(height: float, stretch: float) -> None:
    surface = camera(LENS, tilt=5.0)
    found = measure_heights(surface, flat(stretch), {"Red 1": reads(height, stretch=stretch)})["Red 1"]
    assert abs(found.height - height) < 3 * found.sd
    assert found.sd < 0.2
    assert found.reads == 8


def test_stated_deviations_come_true() -> None:
    surface, inside = camera(LENS, tilt=5.0), 0
    for seed in range(60):
        found = measure_heights(surface, flat(), {"a": reads(1.2, seed=seed, count=4)})["a"]
        inside += abs(found.height - 1.2) < 1.96 * found.sd
    assert inside >= 54


def askew(rng: np.random.Generator, count: int) -> list[SeenTag]:
    """A tag 1.2 inches up as hands print and glue it, at several places."""
    truth, print_size = camera(tilt=5.0), 0.9 * (1 + rng.normal(0, HANDS.print_size))
    print_size += rng.normal(0, HANDS.common.ink)
    tilt, bow = rng.normal(0, GLUED.tilt, 2), rng.normal(0, GLUED.bow)
    out = []
    for _ in range(count):
        pose = Pose(*rng.uniform(4, 42, 2), rng.uniform(-3, 3))
        square = CornerTag("tag36h11", 10, print_size, (pose.x, pose.y), pose.heading).corners_at()
        # In the tag's own frame: it leans the same way on its car wherever that stands.
        rise = pose.to_body(square) @ tilt + bow * np.array([1, -1, 1, -1])
        corners = truth.project(np.column_stack([square, 1.2 + rise])) + rng.normal(0, NOISE_PX, (4, 2))
        out.append(SeenTag("tag36h11", 10, 0.9, 1.0, corners, np.eye(8) * NOISE_PX**2, paper=GLUED))
    return out


@pytest.mark.parametrize("count", [1, 4])
def test_stated_deviations_come_true_of_tags_that_lean_and_bend(count: int) -> None:
    surface, rng = camera(LENS, tilt=5.0), np.random.default_rng(4)
    found = [measure_heights(surface, flat(), {"a": askew(rng, count)})["a"] for _ in range(100)]
    off = np.array([(h.height - 1.2) / h.sd for h in found])
    assert 0.92 <= (np.abs(off) < 1.96).mean() <= 1.0
    assert 0.7 <= np.sqrt(np.mean(off**2)) <= 1.2
    assert sum(h.contradicts(1.2, 0.02) for h in found) <= 1


def test_no_right_height_of_a_tag_glued_by_hand_is_doubted(shared: Path) -> None:
    """Paper and cloth as on a real table, calibrated lens; `pytest -s` prints the figures."""
    found, off, told = [], [], 0
    for scene in scenes(shared / "renders" / "reality"):
        stated, tags = scene.stated, scene.truth.raw["tags"]
        seen = [d for d in scene.detections if d.tag in stated.corners]
        laid = [as_flat(SeenCorner(stated.corners[d.tag], d.corners, d.covariance)) for d in seen]
        surface = judged(stated, scene.detections).surface
        for d in (d for d in scene.detections if d.tag in stated.pieces):
            mount = stated.pieces[d.tag].mount
            assert mount is not None
            read = SeenTag(d.family, d.tag, mount.size, mount.height, d.corners, d.covariance, paper=GLUED)
            height = measure_heights(surface, laid, {"a": [read]})["a"]
            found.append(height)
            off.append(abs(height.height - tags[str(d.tag)]["true_height_in"]))
            told += height.contradicts(mount.height, mount.sd_height)
    inside = np.mean([o < 1.96 * h.sd for o, h in zip(off, found, strict=True)])
    sd = np.median([h.sd for h in found])
    print(
        f"\n{len(off)} tags: off by {np.median(off):.2f} in (median), {np.percentile(off, 95):.2f} in (p95), "
        f"stated {sd:.2f} in, inside {inside:.0%}, told to be wrong {told}"
    )
    assert len(off) == 23
    assert inside >= 0.93
    assert told == 0


def test_what_is_not_known_of_the_camera_is_in_the_deviation() -> None:
    """From straight above, a focal length that is open by a tenth leaves a height open by a tenth of it."""
    exact = camera(replace(LENS, dist=np.zeros(5)), tilt=0.0, roll=0.0)
    by_focal = np.zeros(PARAMETERS)
    # A longer lens that hangs higher shows the table alike.
    by_focal[5], by_focal[6:8] = exact.translation[2], np.diag(LENS.K)[:2]
    unsure = replace(exact, covariance=0.1**2 * np.outer(by_focal, by_focal))
    flat_tags = [look(exact, i, 2.4, Pose(*at), np.random.default_rng(9)) for i, at in enumerate(PLACES)]

    def sd(surface: Surface, height: float) -> float:
        read = look(exact, 10, 0.9, Pose(30.0, 12.0), np.random.default_rng(1), height=height)
        glued = replace(read, paper=GLUED)
        return measure_heights(surface, flat_tags, {"a": [glued]})["a"].sd

    for height in (0.5, 4.0):
        assert sd(unsure, height) == pytest.approx(math.hypot(sd(exact, height), 0.1 * height), rel=0.1)


def test_a_wrong_height_in_the_file_is_contradicted_and_a_right_one_is_not() -> None:
    surface = camera(LENS, tilt=5.0)
    found = measure_heights(surface, flat(), {"low": reads(1.02), "high": reads(1.8)})
    assert not found["low"].contradicts(1.0, 0.02)
    assert found["high"].contradicts(1.0, 0.02)
    assert not TagHeight(1.1, 0.02, 9).contradicts(1.0, 0.02), "a tenth of an inch is not worth a word"


def test_without_flat_tags_sizes_are_taken_at_their_word_with_doubt() -> None:
    surface = camera(LENS, tilt=5.0)
    sure = measure_heights(surface, flat(), {"a": reads(1.2)})["a"]
    doubtful = measure_heights(surface, [], {"a": reads(1.2)})["a"]
    assert doubtful.sd > 1.5 * sure.sd
    assert measure_heights(surface, [], {"a": []}) == {}


def test_a_watch_over_the_evening_doubts_only_what_is_wrong() -> None:
    surface, watch = camera(LENS, tilt=5.0), HeightWatch()
    for read in reads(1.02):
        watch.add("Red 1", read)
    for read in reads(1.8, seed=1):
        watch.add("Blue 1", read)
    doubts = watch.doubts(surface, flat())
    assert list(doubts) == ["Blue 1"]
    assert doubts["Blue 1"].height == pytest.approx(1.8, abs=3 * doubts["Blue 1"].sd)
