"""Circuits of single hexes are raced on as others; what is ambiguous or against them is said."""

from __future__ import annotations

import pytest

from benchmarks.frothy_races import race
from engine.boards.hexes import oval
from engine.boards.loose import LooseTrack
from engine.games.frothy_races.acts.beginning import track_now
from engine.games.frothy_races.book.circuits import CIRCUITS
from engine.games.frothy_races.book.data import RACES
from engine.games.frothy_races.book.laying import attempt, circuit_of
from engine.games.frothy_races.book.written import runs
from engine.games.frothy_races.maps import LAYING
from engine.space.geometry import Pose
from tests.engine.games.frothy_races.playing import begun, do

OVAL = "Sunday: 2 short straight, 3 left bend, 2 straight, 3 left bend, start grid"
RING = frozenset(c for lane in oval(9, 2, 3) for c in lane)
WIDE = RING | frozenset({(q, -5) for q in range(2, 9)})
SHEET = f"Mine: ; added {runs(WIDE)}; start 3,-3 3,-4 1,-3 1,-4"
ALLEY = f"{OVAL}; added 3..4,-4 4,-5 4,-6 4,-7 4,-8; solid 3,-4; fragile 1.11"
OPEN = "Gap: straight, 3 left bend, 3 straight, 3 left bend, start grid"
"""Of pieces it is left open by two hexes."""


def test_a_sheet_of_single_hexes_is_a_circuit() -> None:
    found = attempt(SHEET)
    assert found.wrong == ()
    assert found.cells == WIDE
    assert isinstance(found.board, LooseTrack)
    assert found.notes[0].endswith("driven counter-clockwise")
    assert "3 hexes side by side" in found.notes[1]
    assert [cell for cell, _ in found.start] == [(3, -3), (3, -4), (1, -3), (1, -4)]
    assert {facing for _, facing in found.start} == {0}
    assert all(found.board.progress(cell) > 0.9 for cell, _ in found.start)


def test_hexes_beside_pieces_fill_what_the_pieces_leave_open() -> None:
    assert any("does not close" in words for words in attempt(OPEN).wrong)
    gap = [(q, r) for r, qs in ((0, (-2, -1)), (-1, (-2, -1)), (-2, (-1, 0)), (-3, (-1, 0))) for q in qs]
    filled = attempt(f"{OPEN}; added {runs(gap)}")
    assert filled.wrong == ()
    assert len(filled.start) == 8, "the places of the start grid"
    assert circuit_of(f"{OPEN}; added {runs(gap)}").line


@pytest.mark.parametrize("circuit", CIRCUITS, ids=lambda c: c.id)
def test_a_circuit_of_pieces_with_a_hex_more_keeps_its_lanes_grid_and_way(circuit) -> None:  # type: ignore[no-untyped-def]
    lanes = circuit.board().lanes
    outside = min((c[1], c[0]) for c in lanes[3])
    text = f"More: {', '.join(circuit.pieces)}; added {outside[1] + 1},{outside[0] - 1}"
    found = attempt(text)
    assert found.wrong == ()
    assert [frozenset(lane) for lane in found.board.lanes[:4]] == [frozenset(lane) for lane in lanes]  # type: ignore[union-attr]
    assert found.start == circuit.start


def test_driven_the_other_way_its_places_are_turned() -> None:
    one, other = attempt(f"{OVAL}; driven counter-clockwise"), attempt(f"{OVAL}; driven clockwise")
    assert one.wrong == other.wrong == ()
    assert other.clockwise
    assert not one.clockwise
    turned = [(cell, (facing + 6) % 12) for cell, facing in one.start]
    assert list(other.start) == turned


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("M: ; start", "nothing lies yet: lay hexes, or begin with a piece"),
        ("M: ; added 0..9,0", "it does not close: the hexes go round nothing yet"),
        (f"M: ; added {runs(RING)} 30,30", "in 2 parts: lay more between them, or take 30,30 away"),
        (f"M: ; added {runs(RING)} 30..32,30", "or take 30,30 and the 2 that hang with it away"),
        (f"M: ; added {runs(RING)}", "no start place lies yet: expected 2 to 12"),
        (f"M: ; added {runs(RING)}; start 3,-3", "1 start place: expected 2 to 12"),
        (f"M: ; added {runs(RING)}; start 3,-3 40,40", "no hex lies at 40,40 for a start place"),
        (f"M: ; added {runs(RING)}; start 3,-3 10,2 -4,2", "is half a lap and more behind the foremost"),
        (f"M: ; added {runs(oval(1, 1, 2)[0])}; start 1,0 0,1", "a lap is 6 spaces: expected 12 or more"),
        (f"M: ; added {runs(RING)} 4..4,-5 4,-6 4,-7; start 5,-3 4,-7", "no direction of travel is clear"),
        (f"{SHEET}; hazard 2,-3 2,-3", "two obstacles lie on"),
        (f"{SHEET}; hazard 3,-3", "an obstacle lies on"),
        (f"{SHEET}; solid 90,-3", "no hex '90,-3' for a solid obstacle"),
        (f"M: ; added {runs(RING)}; start 3,-3 3,-4; solid 6,-2 6,-3 6,-4", "leave no way round"),
        ("M: 6 left bend, start grid; added 9,9", "piece 7, start grid, runs over what lies already"),
        ("M: ; added 0..39,0 0..39,1; added " + " ".join(f"0..39,{r}" for r in range(2, 40)), "1200 at most"),
    ],
)
def test_what_is_against_it_is_said(text: str, words: str) -> None:
    found = attempt(text).wrong
    assert any(words in one for one in found), found


def test_what_is_ambiguous_is_said_and_raced_on_all_the_same() -> None:
    alley = attempt(ALLEY)
    assert alley.wrong == ()
    assert any("the direction of travel is ambiguous" in words for words in alley.notes)
    island = attempt(f"M: ; added {runs(RING - {oval(9, 3, 1)[0][12]})}; start 3,-3 3,-4")
    assert island.wrong == ()
    assert any("the hole of 1 hex beside" in w and "either side" in w for w in island.notes)
    eight = RING | {(q + 14, r) for q, r in RING}
    both = attempt(f"M: ; added {runs(eight)}; start 3,-3 3,-4")
    assert both.wrong == ()
    assert any("the inside is ambiguous, and taken to be the larger hole" in w for w in both.notes)
    narrow = attempt(f"M: ; added {runs(RING - {(6, -4), (6, -3)})}; start 3,-3 3,-4")
    assert any("one hex: nobody can pass there" in words for words in narrow.notes)


@pytest.mark.parametrize("number", range(len(RACES)))
@pytest.mark.parametrize("text", [SHEET, ALLEY], ids=["sheet", "pieces"])
def test_random_races_on_it_come_to_their_end(text: str, number: int) -> None:
    match = race(number, 4, circuit=text, runners=2)
    assert match.state.over
    assert isinstance(match.state.board, LooseTrack)


def test_it_is_raced_on_where_the_table_has_it() -> None:
    match = begun(circuit=SHEET)
    circuit = circuit_of(SHEET)
    lying = circuit.board(1.5, Pose(20.0, 12.0, 0.1))
    assert track_now(match.state, lying).spacing == 1.5
    plain = CIRCUITS[0].board(1.5)
    assert track_now(match.state, plain).spacing == 2.0, "another track lies there"
    do(match, "start", [5, 2])
    assert match.state.board.lanes == circuit.lanes
    red, black = (match.state.vehicle(name) for name in ("Red 1", "Black 1"))
    assert (red.cell, black.cell) == ((3, -3), (3, -4))
    assert -0.1 < red.travelled < 0.0


def test_what_was_laid_by_hand_is_drawn_and_named() -> None:
    found = LAYING.look(SHEET, 1.5)
    assert found.wrong == ()
    assert found.picture is not None
    assert {cell.words for cell in found.cells} == {"", *(f"start place {n}" for n in range(1, 5))}
    laid = {cell.id for cell in found.cells}
    assert not laid & {cell.id for cell in found.free}
    assert len(laid) == len(WIDE)
    words = {shape.words for shape in found.picture.shapes if shape.words}
    assert {cell.name for cell in found.cells} <= words
    open_ = LAYING.look("M: ; added 0..9,0; hazard 3,0", 1.0)
    assert open_.picture is not None
    assert [cell.name for cell in open_.cells if cell.words] == ["3,0"]
    assert len(LAYING.look(LAYING.empty, 1.0).free) == 24 * 13
