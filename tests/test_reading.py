"""The benchmark of reading, on a few small frames: it looks at what it says it looks at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.peers import PEERS
from benchmarks.reading import draw_clip, load, measure_ours, summary, trials


@pytest.mark.slow
def test_the_small_tags_of_a_drawn_clip_are_read_while_they_run(tmp_path: Path) -> None:
    path = draw_clip(tmp_path / "clip", (1280, 720), 18.0, 1.0, 60)
    clip, frames = load(path)
    assert len(frames) == 60
    assert len(clip["keys"]) == 24
    first, last = frames[0][2], frames[-8][2]
    assert first["10"]["centre"] != last["10"]["centre"]
    assert first["20"]["centre"] == last["20"]["centre"]
    figures = measure_ours(path)
    assert figures["recall"] >= 0.995
    assert figures["wrong_ids"] == 0
    assert figures["reads"] > 1200


@pytest.mark.slow
def test_foreign_tags_are_never_taken_for_ones_in_play() -> None:
    tried = trials(1_500)
    assert tried["reads"] >= 1_500
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
    figures = summary(rows, {"1080p 18 px": 60.0, "4K 36 px": 25.0}, {"reads": 10, "wrong": 0})
    assert json.loads(json.dumps(figures)) == figures
    assert figures["ratio_1080p"] == pytest.approx(1 / 12, abs=1e-4)
    assert (figures["recall_18px"], figures["recall_15px"]) == (1.0, 0.9)
    assert figures["wrong_ids"] == 0
    assert figures["reads"] == 30
    assert figures["peers"] == rows
