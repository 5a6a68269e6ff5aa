"""What a sixteenth of an inch costs: against plain geometry, and as docs/accuracy.md tells it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.budget import CHART, OFF_IN, ROOF, SIDE, SOURCES, UP, grid, placed
from engine.space.geometry import FloatArray

DOC = Path(__file__).resolve().parents[3] / "docs" / "accuracy.md"


@pytest.fixture(scope="module")
def found() -> dict[str, FloatArray]:
    return {source: errors() for source, errors in SOURCES.items()}


def test_where_nothing_is_off_no_car_is() -> None:
    assert np.abs(placed({})).max() < 0.002


def test_a_height_moves_a_car_along_its_ray() -> None:
    """By the share of the camera's height, from under it: similar triangles."""
    under = np.array([SIDE / 2, SIDE / 2 - 1])
    expected = -OFF_IN * (grid() - under) / (UP - ROOF)
    assert placed({}, height=OFF_IN) == pytest.approx(expected, abs=0.003)


def test_a_width_moves_cars_along_it_and_a_tag_those_near_it_most(found: dict[str, FloatArray]) -> None:
    wide, tag = found["the table stated too wide"], found["one corner tag stated beside its place"]
    left, right = grid()[:, 0] < 10.0, grid()[:, 0] > SIDE - 10.0
    assert wide[right, 0].min() > wide[left, 0].max() > 0.0
    nearest = int(np.argmin(np.hypot(*(grid() - (SIDE, SIDE)).T)))
    assert np.hypot(*tag[nearest]) > 0.8 * np.hypot(*tag.T).max()


def test_docs_and_chart_tell_what_is_printed(found: dict[str, FloatArray]) -> None:
    text, chart = DOC.read_text(encoding="utf-8"), CHART.read_text(encoding="utf-8")
    for source, errors in found.items():
        sizes = np.hypot(*errors.T)
        middle, mean, worst = sizes[len(sizes) // 2], sizes.mean(), sizes.max()
        row = re.search(rf"^\| {source} \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
        assert row is not None, source
        assert [float(told) for told in row.groups()] == pytest.approx([middle, mean, worst], abs=0.0006)
        drawn = re.search(rf">{source}</text>\n.*>middle ([\d.]+) in, worst ([\d.]+) in<", chart)
        assert drawn is not None, source
        assert [float(told) for told in drawn.groups()] == pytest.approx([middle, worst], abs=0.0006)
