"""The whole way from picture to inches, on frames with exact truth: the figures that README quotes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.renders import Mode, calibrated, main, score
from engine.errors import TableRefError


def test_rendered_frames_are_read_to_thousandths_of_an_inch(shared: Path) -> None:
    figures = score(shared / "renders")
    assert figures["n"] > 400
    assert figures["hand_made"] <= 2
    centre = figures["tag_center_in"]
    assert centre["median"] <= 0.006
    assert centre["p95"] <= 0.015
    assert centre["max"] <= 0.03
    assert figures["tyre_in"]["p95"] <= 0.04
    assert figures["heading_deg"]["p95"] <= 1.5
    assert figures["recall"] >= figures["recall_stock"]
    assert figures["recall"] >= 0.99
    assert figures["wrong_ids"] == 0
    assert 0.93 <= figures["coverage_95"] <= 0.98
    # What ignoring heights costs, on the very same reads.
    assert figures["plain_homography_in"]["median"] > 0.2


def test_with_the_lens_calibrated_from_board_pictures(shared: Path) -> None:
    mode = Mode(calibrated(shared / "renders" / "boards"))
    figures = score(shared / "renders", mode)
    # No board was photographed with the lenses of two of the frames.
    assert (figures["frames"], figures["left_out"]) == (44, 2)
    centre = figures["tag_center_in"]
    assert centre["median"] <= 0.006
    assert centre["p95"] <= 0.015
    assert centre["max"] <= 0.03
    assert figures["tyre_in"]["p95"] <= 0.04
    assert 0.93 <= figures["coverage_95"] <= 0.98


def test_without_a_ruler(shared: Path) -> None:
    figures = score(shared / "renders", Mode(ruler=False))
    assert figures["tag_center_in"]["p95"] <= 0.04
    assert figures["scale_error"] <= 0.001
    assert 0.93 <= figures["coverage_95"] <= 0.98


def test_without_any_lens(shared: Path) -> None:
    figures = score(shared / "renders", Mode(lens=False))
    assert figures["tag_center_in"]["p95"] <= 0.12
    assert 0.93 <= figures["coverage_95"] <= 0.98


def test_with_neither_ruler_nor_lens(shared: Path) -> None:
    figures = score(shared / "renders" / "stills-1080p", Mode(ruler=False, lens=False))
    assert figures["wrong_ids"] == 0
    assert figures["tag_center_in"]["p95"] <= 0.12
    assert figures["coverage_95"] >= 0.93


@pytest.mark.parametrize("mode", [Mode(ruler=r, lens=k) for r in (True, False) for k in (True, False)])
def test_what_hands_made_and_measured_lies_within_what_is_stated(shared: Path, mode: Mode) -> None:
    figures = score(shared / "renders" / "reality", mode, hand_made=True)
    assert figures["frames"] == 2
    assert figures["coverage_95"] >= 0.93


def test_one_json_object_with_the_promised_fields(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(shared / "renders" / "stills-4k"), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    promised = {"tag_center_in", "tyre_in", "heading_deg", "recall", "recall_stock", "wrong_ids"}
    assert promised | {"coverage_95", "n"} <= set(figures)
    assert figures["n"] == 15


def test_a_folder_without_truth_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableRefError, match="no picture with a truth file"):
        score(tmp_path)
    with pytest.raises(TableRefError, match="expected a folder"):
        score(tmp_path / "none")
    assert main([str(tmp_path)]) == 2
