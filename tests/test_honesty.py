"""`python -m benchmarks.honesty` on folders and clips with truth: what it prints, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.honesty import main
from benchmarks.honesty_scene import Score

PROMISED = {
    "coverage_95", "coverage_95_positions", "coverage_95_headings", "coverage_95_ranges", "confident_wrong",
    "checks", "too_close_share", "named_right", "accused_wrong", "withheld", "cases",
}  # fmt: skip


@pytest.mark.parametrize("source", ["opening-round", "opening-round/opening-round.mp4", "stills-1080p"])
def test_one_json_object_of_a_clip_or_a_folder(
    shared: Path, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    asked = [str(shared / "renders" / source), "--json", "--draws", "2", "--most", "2", "--no-mistakes"]
    assert main(asked) == 0
    figures = json.loads(capsys.readouterr().out)
    assert set(figures) >= PROMISED
    assert figures["checks"] > 100
    assert len(figures["cases"]) == 2


def test_mistakes_about_a_clip_are_named(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip = shared / "renders" / "opening-round" / "opening-round.mp4"
    assert main([str(clip), "--json", "--draws", "0", "--most", "1"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["named_right"] > 0.9
    assert figures["accused_wrong"] == 0.0
    assert figures["confident_wrong"] <= 0.01 * figures["checks"]


def test_what_has_no_truth_is_refused_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "clip.mp4").write_bytes(b"no video")
    for asked in (tmp_path, tmp_path / "none", tmp_path / "clip.mp4"):
        assert main([str(asked), "--json"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(("expected", "no picture and no clip"))


def test_headings_and_places_are_counted_apart() -> None:
    score = Score(inside=[True, False], positions_inside=[True, True], headings_inside=[False, False])
    score.add(Score(inside=[True], positions_inside=[False], headings_inside=[True]))
    figures = score.figures()
    assert figures["coverage_95"] == figures["coverage_95_positions"] == 0.6667
    assert figures["coverage_95_headings"] == 0.3333
