"""The circuits, and circuits of one's own: written, tapped, of single hexes; what is wrong is said."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from engine.boards.hexes import Hexes, distance, oval
from engine.boards.laying import Laid
from engine.boards.ring import LooseTrack
from engine.errors import TableRefError
from engine.games.frothy_races.acts.beginning import track_now
from engine.games.frothy_races.book.building import OWN, build
from engine.games.frothy_races.book.circuits import (
    CIRCUITS,
    LANES,
    Circuit,
    Written,
    cells_in,
    laid,
    read,
    runs,
)
from engine.games.frothy_races.book.data import RACES
from engine.games.frothy_races.book.laying import HEX, PLACE, TURN, _touching, attempt, changed, circuit_of
from engine.games.frothy_races.maps import LAYING
from engine.games.frothy_races.page.sheets import set_up
from engine.space.geometry import Pose
from tests.engine.games.frothy_races.playing import begun, do
from tests.engine.games.frothy_races.races import race
from vision.simulate.scenes import named_scene

each = pytest.mark.parametrize("circuit", CIRCUITS, ids=lambda c: c.id)

UNKNOWN: tuple[tuple[dict[str, Any], str], ...] = (
    ({"base": "Tricycle"}, "base: expected one of Chariot, .* but got 'Tricycle'; choose one"),
    ({"effects": ["Hiccups"]}, r"effects: expected one of \+1 Control .* but got 'Hiccups'; choose one"),
    ({"effects": "Haste"}, "effects: expected a list of names but got 'Haste'"),
    ({"traits": ["Blades", "Wings"]}, "traits: expected one of Stamina, .* but got 'Wings'; choose one"),
    ({"traits": [["Blades"]]}, "traits: expected one of"),
    ({"specials": ["Ace"]}, "specials: expected one of Berserker, .* but got 'Ace'; choose one"),
    ({"resilience": "high"}, "resilience: expected one of as the base, blank, 0, 1, 2 but got 'high'"),
    ({"effects": ["Haste", "Slow"], "levels": [1]}, "levels: expected one for each of 2 .* but got 1; give"),
    ({"effects": ["Haste"], "levels": [1, 2]}, "levels: expected one for each of 1 .* but got 2"),
    ({"damage": "lots"}, "damage: expected a whole number but got 'lots'; give"),
    ({"whip": True}, "whip: expected a whole number but got True"),
    ({"move_1": [0, 1, "two", 0, 0, 0, 0]}, "move_1: expected a whole number but got 'two'"),
    ({"move_1": 7}, "move_1: expected a row of whole numbers but got 7"),
    ({"stamina": "3210"}, "stamina: expected a row of whole numbers but got '3210'"),
)  # fmt: skip


@pytest.mark.parametrize(("said", "words"), UNKNOWN)
def test_what_the_guide_does_not_know_is_refused_in_words(said: dict[str, Any], words: str) -> None:
    with pytest.raises(TableRefError, match=words):
        build(said)


@pytest.mark.parametrize(("said", "words"), UNKNOWN)
def test_the_set_up_tells_it_of_the_vehicle_and_goes_on_asking(said: dict[str, Any], words: str) -> None:
    pieces = [
        {"name": "Red 1", "owner": "Red", "type": OWN, **said},
        {"name": "Black 1", "owner": "Black", "type": OWN, "whip": 0, "reins": 1},
    ]
    form = set_up({"players": ["Red", "Black"], "pieces": pieces})
    assert {"base", "levels", "traits"} <= set(form.pieces["Red 1"].fields)
    first, second = (reason.words for reason in form.not_yet)
    assert first.startswith(f"Red 1: {next(iter(set(said) & {'levels'}), next(iter(said)))}: expected")
    assert second == "Black 1: 1 card: expected 4 to 12"


def test_levels_go_with_their_effects_and_a_row_of_another_length_is_refused() -> None:
    one = build({"effects": ["Haste", "Slow"], "levels": [2, 4]})[0]
    assert [(level, effect.words) for level, effect in one.effects] == [(2, "Haste"), (4, "Slow")]
    assert [level for level, _ in build({"effects": ["Haste", "Slow"]})[0].effects] == [2, 4]
    assert build({"stamina": [1, 2]})[1] == ("stamina: expected 7 figures",)
    for slower, words in (("slow", "expected a whole number"), (9, "Speed of 0 to 6")):
        pieces = [{"name": "Red 1", "owner": "Red", "slower": slower}, {"name": "Black 1", "owner": "Black"}]
        form = set_up({"players": ["Red", "Black"], "pieces": pieces})
        assert [words in reason.words for reason in form.not_yet] == [True]


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


@each
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
        (": straight", "expected a name of 1 to 40 letters"),
        ("Sunday:", "no piece lies yet"),
        ("Sunday: short straight", "one row of hexes is no track yet"),
        ("Sunday: hairpin, start grid", "no piece 'hairpin': expected one of straight, short straight"),
        ("Sunday: 61 straight", "61 pieces: expected 60 at most"),
        ("Sunday: 3 left bend, 2 straight", "expected one start grid, as the last piece"),
        ("Sunday: straight, 3 left bend, start grid", "it turns by 180° to the left in all"),
        ("Sunday: straight, right bend, start grid", "it turns by −60° to the left in all"),
        (
            "Sunday: 3 right bend, 2 straight, 2 short straight, 3 right bend, 2 straight",
            "it runs clockwise, its first lane outside",
        ),
        (
            "Sunday: straight, 3 left bend, 3 straight, 3 left bend, start grid",
            "it does not close: its end is 2 hexes from its beginning, which lies 2 to the right",
        ),
        (f"{OVAL}; swamp 1.2", "no obstacle 'swamp': expected one of hazard, fragile, solid"),
        (f"{OVAL}; hazard 9.9", "no hex '9.9' for a hazard obstacle: expected lane and place"),
        (f"{OVAL}; hazard 1.2; solid 1.2", "two obstacles lie on 1.2"),
        (f"{OVAL}; solid 1.28", "an obstacle lies on 1.28, on the start grid"),
        (f"{OVAL}; solid 1.2 2.2 3.2 4.2", "solid obstacles leave no way round"),
    ],
)
def test_what_is_against_it_is_said(text: str, words: str) -> None:
    found = attempt(text).wrong
    assert any(words in one for one in found), found
    with pytest.raises(TableRefError):
        circuit_of(text)


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


GAP, TEN = f"{OVAL}; added 3,-4", "M: ; added 0..9,0"


@pytest.mark.parametrize(
    ("text", "tap", "cells", "after"),
    [
        # A hex is laid beside the pieces and taken away again, one of a piece with what lies on it.
        (OVAL, HEX, ["3,-4"], GAP),
        (GAP, HEX, ["3,-4"], OVAL),
        (f"{OVAL}; hazard 1.2; solid 1.5", HEX, ["1,0"], f"{OVAL}; solid 3,1; taken 1,0"),
        (f"{OVAL}; solid 3,1; taken 1,0", HEX, ["1,0"], f"{OVAL}; solid 1.5"),
        # Several at once are laid or taken away as the first of them.
        (OVAL, HEX, ["3,-4", "4,-4", "0,0"], f"{OVAL}; added 3..4,-4"),
        (f"{OVAL}; added 3..4,-4", HEX, ["3,-4", "4,-4", "9,-4"], OVAL),
        # Obstacles are put, replaced and taken away; where no hex lies, nothing can.
        (OVAL, "hazard", ["1,0"], f"{OVAL}; hazard 1.2"),
        (f"{OVAL}; hazard 1.2", "solid", ["1,0"], f"{OVAL}; solid 1.2"),
        (f"{OVAL}; hazard 1.2", "hazard", ["1,0"], OVAL),
        (f"{OVAL}; hazard 1.2", "", ["1,0", "2,0"], OVAL),
        (OVAL, "hazard", ["50,0"], OVAL),
        (f"{OVAL}; hazard 1.2", HEX, ["3,-4"], f"{OVAL}; hazard 1,0; added 3,-4"),
        # Start places are set in their order and taken away, with their hex too.
        (TEN, PLACE, ["4,0"], f"{TEN}; start 4,0"),
        (f"{TEN}; start 4,0", PLACE, ["3,0"], f"{TEN}; start 4,0 3,0"),
        (f"{TEN}; start 4,0 3,0", PLACE, ["4,0"], f"{TEN}; start 3,0"),
        (f"{TEN}; start 4,0 3,0", HEX, ["4,0"], "M: ; added 0..3,0 5..9,0; start 3,0"),
    ],
)
def test_a_tap_changes_the_text_and_the_same_tap_takes_it_back(text, tap, cells, after) -> None:  # type: ignore[no-untyped-def]
    assert changed(text, tap, cells) == after


def test_a_hex_fits_beside_the_pieces_and_a_start_place_is_one_more() -> None:
    assert attempt(GAP).wrong == ()
    assert len(attempt(changed(OVAL, PLACE, ["0,0"])).start) == 9, "those of the start grid, and one more"
    assert changed(TEN, PLACE, ["20,0"]).endswith("start")
    assert attempt(f"{OVAL}; solid 1.2 2.2 3.2").wrong == (), "three of four lanes may be closed"


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


TABLES = {2.0: (60.0, 36.0), 1.5: (48.0, 24.0)}
"""The table that every circuit fits on, inches, by the spacing of its hexes."""


@each
def test_a_circuit_is_closed_fits_on_the_table_and_its_lanes_lie_beside_one_another(circuit: Circuit) -> None:
    board = circuit.board()  # refuses gaps, and hexes that are named twice
    assert laid(circuit.pieces).closed
    assert board.circuit
    assert len(board.lanes) == LANES
    for one, other in itertools.pairwise(board.lanes):
        assert all(min(distance(cell, c) for c in other) == 1 for cell in one)
    for spacing, (length, width) in TABLES.items():
        shapes = circuit.board(spacing).drawing()
        wide, deep = np.ptp(np.concatenate([s.points for s in shapes if s.shape == "polygon"]), axis=0)
        assert wide <= length
        assert deep <= width


@each
def test_vehicles_start_on_the_track_along_it_behind_the_line(circuit: Circuit) -> None:
    board = circuit.board()
    cells = [cell for cell, _ in circuit.start]
    assert len(set(cells)) == len(cells) >= 8
    for cell, facing in circuit.start:
        lane = board.lanes[board.lane_of(cell)]
        assert board.travel(cell) == facing
        assert len(lane) - 4 <= lane.index(cell) < len(lane)
    assert circuit.finish == 0
    assert [board.lane_of(cell) for cell in cells] == [0, 1, 2, 3] * 2


@each
def test_obstacles_lie_on_the_track_and_leave_a_way_past(circuit: Circuit) -> None:
    board = circuit.board()
    lying = [*circuit.hazards, *circuit.solid, *circuit.fragile]
    assert len(set(lying)) == len(lying) >= 4
    assert all(board.holds(cell) for cell in lying)
    assert not set(lying) & {cell for cell, _ in circuit.start}
    for cell in circuit.solid:
        assert any(board.lane_of(c) != board.lane_of(cell) and c not in lying for c in board.neighbours(cell))


def test_there_is_an_oval_a_chicane_and_a_longer_one_with_bends_both_ways() -> None:
    oval, chicane, longer = CIRCUITS
    assert "right bend" not in oval.pieces
    assert "chicane" not in oval.pieces
    assert "chicane" in chicane.pieces
    assert {"left bend", "right bend"} <= set(longer.pieces)
    assert len(longer.lanes[0]) > len(chicane.lanes[0]) > len(oval.lanes[0])
    assert circuit_of("chicane") is chicane


def test_the_simulated_table_has_a_circuit_of_the_game() -> None:
    board = named_scene("hexes").board
    assert isinstance(board, Hexes)
    assert board.lanes == circuit_of("oval").lanes


def written(circuit: Circuit) -> str:
    board = circuit.board()
    lying = (("hazard", circuit.hazards), ("solid", circuit.solid), ("fragile", circuit.fragile))
    parts = [f"{sort} {' '.join(map(board.name_of, cells))}" for sort, cells in lying if cells]
    return "; ".join([f"Copy: {', '.join(circuit.pieces)}", *parts])


@each
def test_the_written_form_of_a_circuit_is_that_circuit(circuit: Circuit) -> None:
    again = circuit_of(written(circuit))
    for field in ("pieces", "lanes", "start", "finish", "hazards", "solid", "fragile"):
        assert getattr(again, field) == getattr(circuit, field), field
    assert again.words == "Copy"


def test_two_parts_that_lie_side_by_side_are_told() -> None:
    there = [(q, 0) for q in range(9)]
    back = [(8, 1), *((q, 2) for q in range(7, 4, -1)), *((q, 2) for q in range(4, -2, -1)), (-1, 1)]
    apart, dent = (*there, *back), (*there, *back[:4], (5, 1), *back[4:])
    for lane, touches in ((apart, False), (dent, True)):
        found = _touching(Laid((lane,), (), (), (0, 0), 0))
        assert bool(found) is touches, found
    assert "two parts of the track touch at 1." in found[0]


def test_an_unknown_circuit_names_those_there_are() -> None:
    with pytest.raises(TableRefError, match="no circuit 'moon'; expected one of oval, chicane, long, or one"):
        circuit_of("moon")


def test_it_is_offered_in_the_set_up_and_raced_on() -> None:
    people = {
        "players": ["Red", "Black"],
        "pieces": [{"name": "R", "owner": "Red"}, {"name": "B", "owner": "Black"}],
    }
    broken = "Monday: straight"
    picks = set_up({**people, "laid": [OVAL, broken]}).game.fields["circuit"].candidates  # type: ignore[union-attr]
    assert [c.words for c in picks] == ["Oval", "Chicane", "Long circuit", "Sunday"]
    chosen = set_up({**people, "circuit": OVAL})
    assert chosen.not_yet == ()
    assert chosen.game.fields["circuit"].candidates[-1].value == OVAL  # type: ignore[union-attr]
    assert "it turns by 0°" in set_up({**people, "circuit": broken}).not_yet[0].words
    match = begun(circuit=f"{OVAL}; hazard 1.5")
    do(match, "start", [5, 2])
    assert match.state.board.lanes == circuit_of(OVAL).lanes
    assert [o.name for o in match.state.obstacles] == ["Hazard 1"]
    assert "on Sunday" in match.log[0].words


def test_what_lies_is_shown_while_it_is_laid() -> None:
    found = LAYING.look("Sunday: 3 left bend, straight; solid 1.2", 1.5)
    assert found.pieces == ("left bend",) * 3 + ("straight",)
    assert [(cell.name, cell.words) for cell in found.cells if cell.words] == [("1.2", "solid")]
    assert found.picture is not None
    assert len({cell.name for cell in found.cells}) == len(found.cells) > 30
    assert found.wrong
    assert LAYING.look(LAYING.beginning, 1.0).picture is not None
    assert LAYING.look("Sunday:", 1.0).picture is None


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
