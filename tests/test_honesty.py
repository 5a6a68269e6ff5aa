"""The benchmarks of honesty and of manoeuvres in short: what they print, and how they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import honesty
from benchmarks.firsttime import main as first_time
from benchmarks.firsttime_pictures import by_camera
from benchmarks.honesty import main
from benchmarks.manoeuvres import Tally, cases
from tests.honesty_scene import Score
from tests.volume import DEEP, Figure, deep, volume
from vision.simulate.clip import write_clip
from vision.simulate.play import Act
from vision.simulate.scenes import default_scene

PROMISED = {
    "coverage_95", "coverage_95_positions", "coverage_95_headings", "coverage_95_ranges", "confident_wrong",
    "checks", "too_close_share", "named_right", "accused_wrong", "withheld", "cases",
}  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("opening-round", marks=deep),
        "opening-round/opening-round.mp4",
        pytest.param("stills-1080p", marks=deep),
    ],
)
def test_one_json_object_of_a_clip_or_a_folder(
    shared: Path, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    asked = [str(shared / "renders" / source), "--json", "--draws", "2", "--most", "2", "--no-mistakes"]
    assert main(asked) == 0
    figures = json.loads(capsys.readouterr().out)
    assert set(figures) >= PROMISED
    assert figures["checks"] > 100
    assert len(figures["cases"]) == 2


def test_mistakes_about_a_clip_are_named(
    shared: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, figure: Figure
) -> None:
    """In the gate one mistake of each row, the largest."""
    every = honesty.cases
    if not DEEP:
        monkeypatch.setattr(honesty, "cases", lambda scene: {one.row: one for one in every(scene)}.values())
    clip = shared / "renders" / "opening-round" / "opening-round.mp4"
    assert main([str(clip), "--json", "--draws", "0", "--most", "1"]) == 0
    figures = json.loads(capsys.readouterr().out)
    for what in ("named_right", "accused_wrong", "confident_wrong"):
        figure(f"mistakes about a clip: {what}", figures[what])
    assert len(figures["cases"]) >= volume(9, 60)
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


SPREAD = {"median", "p95", "max"}


def figures_of(source: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What is printed for this folder or clip, which is one JSON object and nothing else."""
    assert first_time([str(source), "--json"]) == 0
    figures: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert set(figures) >= {"tag_center_in", "height_in", "outline_in", "coverage_95", "n"}
    assert set(figures["tag_center_in"]) == SPREAD
    assert set(figures["height_in"]) >= SPREAD | {"within_0.06", "coverage_95", "sd_median", "n"}
    assert set(figures["outline_in"]) >= SPREAD | {"n", "offered", "asked"}
    return figures


def test_a_picture_as_a_camera(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = figures_of(shared / "renders" / "stills-4k", capsys)
    assert (figures["n"], figures["pictures"], figures["height_in"]["n"]) == (15, 1, 15)
    # The cars are higher than the catalogue's sedan that they are called: that is within what is stated.
    assert figures["tag_center_in"]["p95"] < 0.2
    assert figures["error_to_stated"] < 1.0
    assert figures["coverage_95"] >= 0.93
    assert figures["height_in"]["coverage_95"] >= 0.93
    assert figures["height_in"]["median"] < 0.15
    assert figures["heights by a ruler"]["n"] == 15


def test_a_clip_as_a_camera(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A video, with a hand that pushes a car: each height is found once, from all its pictures."""
    start = default_scene().start["Red 1"]
    acts = [Act(0.2, 0.4, "Red 1", (start, type(start)(start.x, start.y + 3.0, start.heading)))]
    write_clip(tmp_path, default_scene(), acts, fps=volume(3, 5), seconds=0.8, kind="mp4")
    figures = figures_of(tmp_path / "clip.mp4", capsys)
    assert figures["cameras"] == 1
    assert figures["pictures"] >= 2
    assert figures["height_in"]["n"] == 11 < figures["n"]
    assert figures["height_in"]["coverage_95"] >= 0.8
    assert figures["coverage_95"] >= 0.93


def test_pictures_of_one_camera_over_one_table_belong_together(tmp_path: Path) -> None:
    for name, seconds in (("a", 0.3), ("b", 0.1)):
        write_clip(tmp_path / name, default_scene((320, 180)), fps=10.0, seconds=seconds, kind="png")
    together = [[truth.picture.parent.name for truth in frames] for frames in by_camera(tmp_path)]
    assert together == [["a", "a", "a"], ["b"]]


def test_what_has_no_truth_is_no_first_table_either(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for asked in (tmp_path, tmp_path / "none"):
        assert first_time([str(asked), "--json"]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(("expected", "no picture and no clip"))


def test_pushed_manoeuvres_are_recognised_and_none_is_ruled_wrong(figure: Figure) -> None:
    tally, count = Tally(), volume(60, 600)
    for one in cases(count):
        tally.add(one)
    found = tally.record()
    assert tally.wrong == []
    figure(f"share of {found['beyond_deviation']} answers that are right", found["right_of_those"])
    assert found["beyond_deviation"] > 0.92 * count
    assert found["right_of_those"] >= 0.99, tally.missed
    assert found["length_error_in"]["95%"] < 0.1
