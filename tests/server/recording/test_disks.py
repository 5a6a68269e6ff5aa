"""A short form of `python -m benchmarks.disks`: power fails while the last event is written."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks.disks import EVENTS, cut
from calibration.tablefile import parse_table


def test_what_was_acknowledged_before_a_power_cut_is_there(tmp_path: Path, table_text: str) -> None:
    found = list(cut(tmp_path, parse_table(table_text), random.Random(5), 6))
    assert found == [(0, EVENTS - 1)] * 6
