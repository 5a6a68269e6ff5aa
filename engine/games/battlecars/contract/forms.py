"""Inputs that several actions ask for."""

from __future__ import annotations

from engine.boards.board import facing_words
from engine.game.contract import Seen
from engine.game.forms import Candidate, Input, PathOnTable, Pick
from engine.games.battlecars.rules.seen import place_key, places
from engine.games.battlecars.state.game_state import GameState, Vehicle
from engine.space.table import key_of


def path(seen: Seen, name: str) -> PathOnTable:
    """How a piece was moved, where the camera saw it."""
    ids = [move.id for move in seen.moves.values() if key_of(move.piece) == key_of(name)]
    usual = ids[-1] if ids else None
    return PathOnTable(words="As the camera saw it", piece=name, usual=usual, optional=True)


def ends(state: GameState, vehicle: Vehicle, seen: Seen) -> dict[str, Input]:
    """Which of several points and facings a vehicle stands on, where the camera cannot tell."""
    moves = [m for m in seen.moves.values() if key_of(m.piece) == key_of(vehicle.name)]
    if not moves:
        return {}
    found = places(state.board, moves[-1].after)
    if len(found) < 2:
        return {}
    board = state.board
    candidates = tuple(
        Candidate(
            place_key(cell, facing), f"{board.name_of(cell)} facing {facing_words(board, facing)}", f"{p:.0%}"
        )
        for cell, facing, p in found
    )
    return {"ends": Pick(words="It stands on", candidates=candidates, optional=True)}
