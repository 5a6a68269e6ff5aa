"""Records of earlier versions are folded as they were meant."""

from __future__ import annotations

from dataclasses import replace

from engine.games.frothy_races.state.fold import apply
from tests.engine.games.frothy_races.playing import cell, do, standing


def test_a_move_from_before_there_were_jumps_is_folded_as_one_without() -> None:
    match = standing(("Red 1", cell(0, 20), 0, 2), ("Black 1", cell(3, 5), 0, 1), turn=1)
    state = match.state
    moved = next(e for e in do(match, "move", vehicle="Red 1") if e.kind == "moved")
    assert moved.data["jumped"] is False
    older = replace(moved, data={k: v for k, v in moved.data.items() if k != "jumped"})
    assert apply(state, older) == apply(state, moved)
