from __future__ import annotations

from pathlib import Path

import pytest

from calibration.bundle.doubts import Doubt
from calibration.tablefile import TableFile, parse_table
from server.setup.settling.taking import measurable, measured, offered, taken
from server.setup.table_changes import SetupError

TEXT = """format = 1
[table]
name = "t"
[surface]
size_in = [48.0, 48.0]
[[corner]]
tag = 0
size_in = 2.4
at_in = [0.0, 0.0]
[[corner]]
tag = 1
size_in = 2.4
at_in = [47.0, 0.0]  # by tape
[[corner]]
tag = 2
size_in = 2.0
at_in = [47.0, 46.0]
sd_in = 0.2
[[corner]]
tag = 3
size_in = 2.4
at_in = [0.0, 46.0]
"""
CORNER = Doubt("corner", (1,), 1.0, 0.08, 0.0, 0.97, "corner tag 1 lies off", (46.03, 0.04))
WIDTH = Doubt("width", (), 46.0, 0.1, 47.0, 0.9, "it is narrower")
SWAP = Doubt("swap", (1, 2), 0.0, 0.0, 0.0, 1.0, "swapped")
LENS = Doubt("lens", (), 1181.0, 20.0, 1100.0, 0.9, "another lens")


def table() -> TableFile:
    return read(TEXT)


def read(text: str) -> TableFile:
    return parse_table(text, "t", Path())


def places(text: str) -> dict[int, tuple[tuple[float, float], float]]:
    return {c.tag: (c.at, c.sd) for c in read(text).corners}


def test_a_corner_is_written_where_it_is_seen_with_the_deviation_of_that_alone() -> None:
    text = taken(table(), CORNER)
    assert places(text) == places(TEXT) | {1: ((46.03, 0.04), 0.08)}
    assert "stated before: 47, 0" in text
    assert offered(table(), CORNER) == "corner tag 1 at 46.03, 0.04 ± 0.08 in, not 47, 0"


def test_a_width_moves_all_corners_that_are_not_at_the_left() -> None:
    after = places(taken(table(), WIDTH))
    assert after[0] == places(TEXT)[0]
    assert after[1] == ((46.0, 0.0), 0.1)
    assert after[2] == ((46.0, 46.0), 0.2)
    assert offered(table(), WIDTH) == "46.00 ± 0.10 in from left to right, not 47.00"


def test_swapped_tags_get_each_others_place_and_keep_their_own_size() -> None:
    corners = {c.tag: c for c in read(taken(table(), SWAP)).corners}
    assert (corners[1].at, corners[1].size) == ((47.0, 46.0), 2.4)
    assert (corners[2].at, corners[2].size) == ((47.0, 0.0), 2.0)


def test_what_is_measured_again_is_as_exact_as_a_ruler() -> None:
    assert places(measured(table(), CORNER, [46.1, 0.0]))[1] == ((46.1, 0.0), 0.0625)
    assert places(measured(table(), WIDTH, [46.5]))[1][0] == (46.5, 0.0)
    assert len(measurable(CORNER)) == 2
    assert measurable(SWAP) == ()


def test_what_cannot_be_taken_is_refused() -> None:
    assert offered(table(), LENS) is None
    with pytest.raises(SetupError):
        taken(table(), LENS)
    with pytest.raises(SetupError, match="expected 2 lengths"):
        measured(table(), CORNER, [1.0])
    with pytest.raises(SetupError, match="expected about 47"):
        measured(table(), WIDTH, [4.6])
