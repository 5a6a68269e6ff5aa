"""A check in the table file: written, read back, replaced, and held against what is stated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from calibration.bundle.lengths import Length
from calibration.kept_check import KeptCheck, KeptPlace, with_check
from calibration.lens.model import Lens
from calibration.table_text import with_field
from calibration.tablefile import TableFileError, parse_table
from tests.calibration.test_tablefile import GOOD

PLACE = KeptPlace(
    where="in the middle",
    at_in=(20.0, 21.5),
    short_in=(8.49, 0.03),
    long_in=(11.02, 0.04),
    square_deg=(-0.1, 0.2),
)
CHECK = KeptCheck(
    made="2026-11-23 16:00",
    paper="letter",
    verdict="agrees",
    words='All 3 places agree; [not] a "header" = here',
    scale=(0.001, 0.002),
    stated="0123456789abcdef",
    tags_at=[(0, 0.2, 0.5)],
    places=[PLACE, PLACE],
)
LENS = Lens((1920, 1080), np.array([[1500.0, 0, 960], [0, 1500, 540], [0, 0, 1]]), np.zeros(5))


def test_it_is_read_back_as_it_was_written_and_only_once() -> None:
    text = with_check(GOOD, CHECK)
    assert parse_table(text).check == CHECK
    later = CHECK.model_copy(update={"made": "2026-11-24 09:30", "verdict": "differs"})
    again = with_check(text, later)
    assert parse_table(again).check == later
    assert again.count("[check]") == 1
    assert again.startswith(GOOD.rstrip())


STRIP_PLACE = KeptPlace(where="in the middle", at_in=(20.0, 21.5), length_in=(8.02, 0.05))
STRIP = KeptCheck.model_validate(
    CHECK.model_dump() | {"paper": "strip", "strip_in": (8.0, 0.04), "places": [STRIP_PLACE, STRIP_PLACE]}
)


def test_a_strip_is_kept_with_its_length_and_nothing_of_a_sheet() -> None:
    text = with_check(GOOD, STRIP)
    assert parse_table(text).check == STRIP
    assert "short_in" not in text
    assert (STRIP.laid, CHECK.laid) == ("a strip of 8.00 in", "a sheet of paper")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"strip_in": None}, "expected strip_in"),
        ({"paper": "a4", "strip_in": None}, "expected places of a sheet"),
        ({"places": [PLACE]}, "expected places of a strip"),
        ({"places": [STRIP_PLACE.model_copy(update={"square_deg": (0.0, 0.1)})]}, "or length_in of a strip"),
    ],
)
def test_sheet_and_strip_are_not_mixed(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        KeptCheck.model_validate(STRIP.model_dump() | wrong)


def test_a_table_without_one_has_none() -> None:
    assert parse_table(GOOD).check is None


def test_a_mistake_in_it_is_told_with_its_line() -> None:
    text = with_check(GOOD, CHECK).replace('verdict = "agrees"', 'verdict = "perfect"')
    with pytest.raises(TableFileError, match=r"line \d+: check\.verdict"):
        parse_table(text)


def test_its_mark_changes_with_what_inches_come_from_and_with_nothing_else() -> None:
    table = parse_table(GOOD)
    mark = table.mark(None)
    assert parse_table(with_check(GOOD, CHECK)).mark(None) == mark
    assert parse_table(with_field(GOOD, ("table",), "name", "Another")).mark(None) == mark
    assert (
        replace(table, accuracy=table.accuracy.model_copy(update={"print_scale": 0.003})).mark(None) != mark
    )
    moved = replace(table.corners[0], at=(0.1, 0.0))
    assert replace(table, corners=(moved, *table.corners[1:])).mark(None) != mark
    length = Length((("tag36h11", 0), ("tag36h11", 1)), 46.0, 0.04)
    assert replace(table, lengths=(length,)).mark(None) != mark
    assert table.mark(LENS) != mark
    assert table.mark(replace(LENS, dist=np.array([0.01, 0, 0, 0, 0]))) != table.mark(LENS)
    half = Lens((960, 540), np.array([[750.0, 0, 480], [0, 750, 270], [0, 0, 1]]), np.zeros(5))
    assert table.mark(half) == table.mark(LENS)
