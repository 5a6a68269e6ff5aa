"""The benchmark of reading, on a few small frames: it looks at what it says it looks at."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.exactness import Errors, settled
from benchmarks.paging import Camera
from benchmarks.peers import PEERS
from benchmarks.reading import draw_clip, load, measure_ours, summary, trials
from tests.volume import Figure, volume


def test_the_small_tags_of_a_drawn_clip_are_read_while_they_run(tmp_path: Path) -> None:
    count = volume(45, 60)
    path = draw_clip(tmp_path / "clip", (1280, 720), 18.0, 1.0, count)
    clip, frames = load(path)
    assert len(frames) == count
    assert len(clip["keys"]) == 24
    first, last = frames[0][2], frames[-8][2]
    assert first["10"]["centre"] != last["10"]["centre"]
    assert first["20"]["centre"] == last["20"]["centre"]
    figures = measure_ours(path)
    assert figures["recall"] >= 0.995
    assert figures["wrong_ids"] == 0
    assert figures["reads"] > 20 * count


def test_foreign_tags_are_never_taken_for_ones_in_play(figure: Figure) -> None:
    count = volume(300, 20_000)
    tried = trials(count)
    figure("foreign tags read as one in play", f"{tried['wrong']} of {tried['reads']}")
    assert tried["reads"] >= count
    assert tried["wrong"] == 0


def test_the_summary_has_the_promised_fields_and_the_worst_recall() -> None:
    rows = [
        {"clip": clip, "name": name, "ms": ms, "recall": recall, "wrong_ids": 0, "reads": 5}
        for clip in ("1080p 18 px", "4K 36 px", "1080p 15 px", "1080p 15 px, blur 1.2")
        for name, ms, recall in (
            ("tableref", 8.0, 0.9 if "blur" in clip else 1.0),
            (next(iter(PEERS)), 96.0, 0.2),
        )
    ]
    paged = {"page at full speed, 1080p": {"seen_fps": 61.0}, "page at full speed, 4k": {"seen_fps": 26.0}}
    figures = summary(rows, paged, {"reads": 10, "wrong": 0})
    assert json.loads(json.dumps(figures)) == figures
    assert figures["ratio_1080p"] == pytest.approx(1 / 12, abs=1e-4)
    assert (figures["recall_18px"], figures["recall_15px"]) == (1.0, 0.9)
    assert figures["wrong_ids"] == 0
    assert figures["reads"] == 30
    assert (figures["fps_1080p"], figures["fps_4k"]) == (61.0, 26.0)
    assert figures["peers"] == rows


def test_headings_and_centres_are_told_by_who_has_read_them() -> None:
    errors = Errors()
    for degrees in (0.1, -0.3, 359.8):
        errors.add("ours", math.radians(degrees), 0.02)
    errors.add("stock", 0.01)
    figures = errors.figures()
    assert figures["ours"]["heading_p95_deg"] == pytest.approx(0.29, abs=0.001)
    assert figures["ours"]["centre_median_px"] == 0.02
    assert (figures["ours"]["reads"], figures["stock"]["reads"]) == (3, 1)
    assert figures["stock"]["centre_median_px"] is None


def test_settled_tags_are_truer_than_single_frames_and_both_than_the_stock_reader() -> None:
    figures = settled(24.0, 1).figures()
    ours, stock, ten = figures["one frame"], figures["stock, one frame"], figures["settled"]
    assert ours["reads"] == ten["reads"] == 20
    assert ten["heading_p95_deg"] < ours["heading_p95_deg"] < stock["heading_p95_deg"]
    assert 0.0 < ten["centre_median_px"] < 0.03


def test_the_benchmarks_camera_goes_to_and_fro_at_its_own_pace() -> None:
    picture = [cv2.imencode(".jpg", np.full((16, 16), 40 * n, np.uint8))[1].tobytes() for n in range(3)]
    now = [5.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    camera = Camera(picture, 10.0, clock=lambda: now[0], sleep=sleep)
    frames = [camera.read() for _ in range(6)]
    assert [int(f.grey[8, 8]) for f in frames] == [0, 40, 80, 40, 0, 40]
    assert [f.time for f in frames] == pytest.approx([5.0, 5.1, 5.2, 5.3, 5.4, 5.5])
    now[0] += 1.0
    # Late, it does not hurry.
    assert [camera.read().time for _ in range(2)] == pytest.approx([6.5, 6.6])
