"""Taps on the drawing of a circuit: each is a change of its text, and the same tap takes it back."""

from __future__ import annotations

import pytest

from engine.errors import TableRefError
from engine.games.frothy_races.book.changing import HEX, PLACE, TURN, changed
from engine.games.frothy_races.book.laying import attempt
from engine.games.frothy_races.maps import LAYING
from tests.engine.games.frothy_races.book.test_by_hand import OVAL, SHEET


def test_a_hex_is_laid_beside_the_pieces_and_taken_away_again() -> None:
    more = changed(OVAL, HEX, ["3,-4"])
    assert more == f"{OVAL}; added 3,-4"
    assert attempt(more).wrong == ()
    assert changed(more, HEX, ["3,-4"]) == OVAL


def test_a_hex_of_a_piece_is_taken_away_with_what_lies_on_it_and_laid_again() -> None:
    less = changed(f"{OVAL}; hazard 1.2; solid 1.5", HEX, ["1,0"])
    assert less == f"{OVAL}; solid 3,1; taken 1,0"
    assert changed(less, HEX, ["1,0"]) == f"{OVAL}; solid 1.5"


def test_several_are_laid_at_once_as_the_first_of_them() -> None:
    assert changed(OVAL, HEX, ["3,-4", "4,-4", "0,0"]) == f"{OVAL}; added 3..4,-4"
    assert changed(f"{OVAL}; added 3..4,-4", HEX, ["3,-4", "4,-4", "9,-4"]) == OVAL


def test_obstacles_are_put_replaced_and_taken_away() -> None:
    one = changed(OVAL, "hazard", ["1,0"])
    assert one == f"{OVAL}; hazard 1.2"
    assert changed(one, "solid", ["1,0"]) == f"{OVAL}; solid 1.2"
    assert changed(one, "hazard", ["1,0"]) == OVAL
    assert changed(one, "", ["1,0", "2,0"]) == OVAL
    assert changed(OVAL, "hazard", ["50,0"]) == OVAL, "where no hex lies, nothing can"
    by_hand = changed(f"{OVAL}; hazard 1.2", HEX, ["3,-4"])
    assert by_hand == f"{OVAL}; hazard 1,0; added 3,-4"


def test_start_places_are_set_in_their_order_and_taken_away() -> None:
    first = changed(changed("M: ; added 0..9,0", PLACE, ["4,0"]), PLACE, ["3,0"])
    assert first == "M: ; added 0..9,0; start 4,0 3,0"
    assert changed(first, PLACE, ["4,0"]) == "M: ; added 0..9,0; start 3,0"
    assert changed(first, HEX, ["4,0"]).endswith("taken 4,0; start 3,0") is False
    assert changed(first, HEX, ["4,0"]) == "M: ; added 0..3,0 5..9,0; start 3,0"
    grid = changed(OVAL, PLACE, ["0,0"])
    assert len(attempt(grid).start) == 9, "those of the start grid, and one more"
    assert changed("M: ; added 0..9,0", PLACE, ["20,0"]).endswith("start")


def test_it_is_driven_the_other_way_round_and_back() -> None:
    there = changed(SHEET, TURN, [])
    assert there.endswith("start 1,-4 1,-3 3,-4 3,-3; driven clockwise")
    assert attempt(there).wrong == ()
    back = changed(there, TURN, [])
    assert attempt(back).start == attempt(SHEET).start


def test_every_tap_that_is_offered_is_known_and_others_are_refused() -> None:
    for tap in LAYING.taps:
        changed(SHEET, tap.id, ["4,-3"])
    for deed in LAYING.deeds:
        changed(SHEET, deed.id, [])
    with pytest.raises(TableRefError, match="expected one of hex, start place, the other way round"):
        changed(SHEET, "tree", ["1,1"])
    with pytest.raises(TableRefError, match=r"no hex '1\.4'"):
        changed(SHEET, HEX, ["1.4"])
