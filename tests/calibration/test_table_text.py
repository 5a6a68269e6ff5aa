"""Changing a table file leaves the rest of it as people wrote it."""

from __future__ import annotations

import tomllib

import pytest

from calibration.lens.model import guess_lens, lens_to_dict
from calibration.table_text import (
    as_toml,
    block,
    lines_of,
    with_block,
    with_field,
    with_lens_inside,
    without_block,
    without_field,
)

TEXT = """# Ours
format = 1

[surface]
size_in = [48.0, 48.0]  # with the rim

# near the window
[[corner]]
tag = 0

[[piece]]
name = "Red 1"  # Anna's

# a gift
[[piece]]
name = "Blue 1"
tag = 7
"""


def test_a_field_is_changed_in_its_own_line() -> None:
    changed = with_field(TEXT, ("piece", 1), "tag", 8, "glued anew")
    assert changed == TEXT.replace("tag = 7", "tag = 8  # glued anew")
    assert tomllib.loads(with_field(TEXT, ("piece", 0), "tag", 9))["piece"][0] == {"name": "Red 1", "tag": 9}
    assert tomllib.loads(with_field(TEXT, ("camera",), "fov_deg", 70.0))["camera"] == {"fov_deg": 70.0}


def test_a_field_goes_with_all_its_lines() -> None:
    long = (
        TEXT + "footprint_in = [\n  [1.0, 0.0],  # the tip\n  [0.0, 1.0],\n  [-1.0, 0.0],\n]\nowner = 'Ben'\n"
    )
    assert without_field(long, ("piece", 1), "footprint_in") == TEXT + "owner = 'Ben'\n"
    assert without_field(TEXT, ("piece", 1), "footprint_in") == TEXT
    short = with_field(long, ("piece", 1), "footprint_in", [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    assert tomllib.loads(short)["piece"][1]["footprint_in"] == [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    assert tomllib.loads(short)["piece"][1]["owner"] == "Ben"


def test_a_table_goes_with_its_own_comments_and_no_others() -> None:
    gone = without_block(TEXT, ("piece", 1))
    assert gone == TEXT[: TEXT.index("\n# a gift")]
    assert "# a gift" in without_block(TEXT, ("piece", 0))
    assert "Anna" not in without_block(TEXT, ("piece", 0))
    assert tomllib.loads(without_block(TEXT, ("piece", 0)))["piece"] == [{"name": "Blue 1", "tag": 7}]


def test_a_table_is_added_at_the_end() -> None:
    added = with_block(TEXT, block("[[piece]]", {"name": 'The "Beast"', "tag": 3, "owner": None}))
    assert added.startswith(TEXT)
    assert tomllib.loads(added)["piece"][2] == {"name": 'The "Beast"', "tag": 3}
    assert lines_of(added)[("piece", 2, "tag")] == len(added.splitlines())


@pytest.mark.parametrize("value", [1, 0.9, 'a\\b\n"ü"', True, [1.5, [2]], {"k": [[1.0, 0.0]], "s": "x"}])
def test_values_are_read_back(value: object) -> None:
    assert tomllib.loads(f"v = {as_toml(value)}")["v"] == value


def test_a_lens_file_becomes_the_lens_itself() -> None:
    lens = lens_to_dict(guess_lens((640, 480)))
    text = with_lens_inside(f'{TEXT}\n[camera]\nlens = "lens.json"\n', lens)
    assert tomllib.loads(text)["camera"]["lens"] == lens
