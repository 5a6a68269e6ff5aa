"""Inputs that several actions ask for."""

from __future__ import annotations

from engine.boards.board import Cell, facing_words
from engine.boards.points import Points
from engine.game.contract import Seen
from engine.game.forms import Candidate, Input, PathOnTable, Pick
from engine.games.battlecars.rules.pieces import cell_key, spots_of, sure
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


def candidate_at(board: Points, cell: Cell) -> Candidate:
    """A point by its number, to be picked by name or tapped where it lies."""
    pose = board.pose_of(cell)
    return Candidate(board.cells.index(cell), board.name_of(cell), at=(round(pose.x, 3), round(pose.y, 3)))


def walk_fields(state: GameState, piece: str, points: tuple[Candidate, ...], seen: Seen) -> dict[str, Input]:
    """Where a driver walks whose figure is on the table: as it was moved, else a point that is typed."""
    way = path(seen, piece)
    fields: dict[str, Input] = {"move": way}
    moves = [m for m in seen.moves.values() if key_of(m.piece) == key_of(piece)]
    spots = spots_of(state.board, moves[-1].after) if moves else ()
    if moves and not sure(spots):
        likely = tuple(
            Candidate(cell_key(s.cell), state.board.name_of(s.cell), f"{s.probability:.0%}")
            for s in spots
            if s.cell is not None
        )
        fields["ends"] = Pick(words="It stands on", candidates=likely, optional=True)
    fields["point"] = Pick(words="To", candidates=points, optional=True, folded=way.usual is not None)
    return fields
