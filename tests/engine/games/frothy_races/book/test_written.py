"""The line of text of a circuit: read and written it is the same."""

from __future__ import annotations

import pytest

from engine.games.frothy_races.book.written import Written, cells_in, read, runs

WHOLE = (
    "Sunday: 2 straight, left bend; hazard 2.14 3,1; added 3..6,-2 7,1; taken 4,0; start 5,0 5,1; "
    "driven clockwise"
)


def test_what_is_read_is_written_again() -> None:
    wrong: list[str] = []
    found = read(WHOLE, wrong)
    assert wrong == []
    assert found == Written(
        "Sunday", ("straight", "straight", "left bend"), (("hazard", "2.14"), ("hazard", "3,1")),
        frozenset({(3, -2), (4, -2), (5, -2), (6, -2), (7, 1)}), frozenset({(4, 0)}),
        ((5, 0), (5, 1)), "clockwise",
    )  # fmt: skip
    assert found.text == WHOLE
    assert found.by_hand
    assert not read("Sunday: 2 straight; hazard 2.14", wrong).by_hand
    assert read("Sunday: ; start", wrong).start == ()
    assert read("Sunday:", wrong).text == "Sunday:"


def test_rows_of_hexes_are_one_word_each() -> None:
    cells = {(q, r) for r in (-3, 4) for q in (-2, -1, 0, 5)}
    assert runs(cells) == "-2..0,-3 5,-3 -2..0,4 5,4"
    wrong: list[str] = []
    assert set(cells_in(runs(cells).split(), wrong)) == cells
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("S: ; added 3;1", "no hex '3': expected its place on the sheet"),
        ("S: ; added x,1", "no hex 'x,1'"),
        ("S: ; taken 9..3,1", "the lower first"),
        ("S: ; added 3,900", "expected places from -200 to 200"),
        ("S: ; start 1.4", "no hex '1.4': expected its place on the sheet, as 3,-2"),
        ("S: ; driven upwards", "expected it to be driven counter-clockwise or clockwise but got 'upwards'"),
        ("S: ; tree 1.4", "no obstacle 'tree'"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, words: str) -> None:
    wrong: list[str] = []
    read(text, wrong)
    assert any(words in one for one in wrong), wrong
