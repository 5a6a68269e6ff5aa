"""The circuits: closed, whole, on the table, with a starting grid that faces along the track."""

from __future__ import annotations

import itertools

import pytest

from engine.boards.hexes import Hexes, distance
from engine.games.frothy_races.book.circuits import CIRCUITS, LANES, Circuit, laid
from engine.games.frothy_races.book.laying import circuit_of
from vision.simulate.scenes import named_scene

TABLES = {2.0: (60.0, 36.0), 1.5: (48.0, 24.0)}
"""The table that every circuit fits on, inches, by the spacing of its hexes."""

each = pytest.mark.parametrize("circuit", CIRCUITS, ids=lambda c: c.id)


@each
def test_a_circuit_is_closed_and_its_lanes_lie_beside_one_another(circuit: Circuit) -> None:
    board = circuit.board()  # refuses gaps, and hexes that are named twice
    assert laid(circuit.pieces).closed
    assert board.circuit
    assert len(board.lanes) == LANES
    for one, other in itertools.pairwise(board.lanes):
        assert all(min(distance(cell, c) for c in other) == 1 for cell in one)


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


@each
@pytest.mark.parametrize("spacing", TABLES)
def test_every_circuit_fits_on_the_table(circuit: Circuit, spacing: float) -> None:
    wide, deep = circuit.size(spacing)
    assert wide <= TABLES[spacing][0]
    assert deep <= TABLES[spacing][1]


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
