"""Runners: wherever one may stand on any circuit there is a way to the next lane."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games.frothy_races.acts.beginning import track_now
from engine.games.frothy_races.acts.runners import across
from engine.games.frothy_races.book.circuits import CIRCUITS, Circuit
from engine.games.frothy_races.rules.ways import beside
from tests.engine.games.frothy_races.playing import begun


@pytest.mark.parametrize("circuit", CIRCUITS, ids=lambda c: c.id)
def test_a_runner_finds_the_next_lane_from_every_hex(circuit: Circuit) -> None:
    state = begun(circuit=circuit.id).state
    state = replace(state, track=track_now(state, None))
    board = state.board
    found = 0
    for inside, step in ((True, 1), (False, -1)):
        for cell in board.cells:
            lane = board.lane_of(cell) + step
            if 0 <= lane < len(board.lanes):
                way = across(state, cell, inside=inside)
                assert board.lane_of(beside(cell, way)) == lane, (cell, inside)
                found += 1
    assert found == 2 * len(board.cells) - len(board.lanes[0]) - len(board.lanes[-1])
