"""Inputs that several actions ask for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from engine.boards.board import Cell
from engine.boards.points import Points
from engine.boards.spots import Spot, name_of, places, spots_of, sure
from engine.game.contract import Seen
from engine.game.forms import Candidate, Input, PathOnTable, Pick
from engine.games.battlecars.acts.recognised import open_ways
from engine.games.battlecars.rules.ways import offered
from engine.games.battlecars.state.game_state import GameState, Vehicle
from engine.space.table import key_of


def path(seen: Seen, name: str) -> PathOnTable:
    """How a piece was moved, where the camera saw it."""
    ids = [move.id for move in seen.moves.values() if key_of(move.piece) == key_of(name)]
    usual = ids[-1] if ids else None
    return PathOnTable(words="As the camera saw it", piece=name, usual=usual, optional=True)


def ends(state: GameState, vehicle: Vehicle, seen: Seen) -> dict[str, Input]:
    """Which of several ways a vehicle went, or on which of several points and facings it stands.

    Asked where the camera cannot tell; a way says where it ends, too.
    """
    moves = [m for m in seen.moves.values() if key_of(m.piece) == key_of(vehicle.name)]
    if not moves:
        return {}
    ways = open_ways(state, vehicle.name, moves[-1])
    if ways:
        found_ways = tuple(offered(state, vehicle, way) for way in ways)
        return {"way": Pick(words="It went over", candidates=found_ways, optional=True)}
    found = places(state.board.snap(moves[-1].after))
    return {} if not found or sure(found) else {"ends": which_of("It stands on", state.board, found)}


def which_of(words: str, board: Points, spots: Iterable[Spot]) -> Pick:
    """Which of several places is meant, each with its odds."""
    found = tuple(
        Candidate(spot.key, name_of(board, spot), f"{100 * spot.probability:.0f} %")
        for spot in spots
        if spot.cell is not None
    )
    return Pick(words=words, candidates=found, optional=True)


@lru_cache(maxsize=4096)
def candidate_at(board: Points, cell: Cell) -> Candidate:
    """A point by its number, to be picked by name or tapped where it lies; the same ones for every state."""
    pose = board.pose_of(cell)
    return Candidate(
        cell[1] * board.columns + cell[0], board.name_of(cell), at=(round(pose.x, 3), round(pose.y, 3))
    )


def walk_fields(state: GameState, piece: str, points: tuple[Candidate, ...], seen: Seen) -> dict[str, Input]:
    """Where a driver walks whose figure is on the table: as it was moved, else a point that is typed."""
    way = path(seen, piece)
    fields: dict[str, Input] = {"move": way}
    moves = [m for m in seen.moves.values() if key_of(m.piece) == key_of(piece)]
    spots = spots_of(state.board, moves[-1].after) if moves else ()
    if moves and not sure(spots):
        fields["ends"] = which_of("It stands on", state.board, spots)
    fields["point"] = Pick(words="To", candidates=points, optional=True, folded=way.usual is not None)
    return fields
