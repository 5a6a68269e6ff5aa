"""Inputs that several actions ask for."""

from __future__ import annotations

from functools import lru_cache

from engine.boards.board import Cell
from engine.boards.points import Points
from engine.boards.spots import spots_of, sure
from engine.game.contract import Seen
from engine.game.forms import Candidate, Input, Pick
from engine.game.kit.cells import which_of
from engine.game.kit.table import path
from engine.games.battlecars.acts.recognised import judge
from engine.games.battlecars.rules.ways import offered
from engine.games.battlecars.state.game_state import GameState, Vehicle


def ends(state: GameState, vehicle: Vehicle, seen: Seen) -> dict[str, Input]:
    """Which of several ways a vehicle went, or on which of several points and facings it stands.

    Asked where the camera cannot tell; a way says where it ends, too.
    """
    move = seen.newest(vehicle.name)
    if move is None:
        return {}
    one = judge(state, vehicle.name, move)
    if one.ways:
        found = tuple(offered(state, vehicle, way) for way in one.ways)
        return {"way": Pick(words="It went over", candidates=found, optional=True)}
    if not one.spots or sure(one.spots):
        return {}
    return {"ends": which_of("It stands on", state.board, one.spots)}


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
    move = seen.newest(piece)
    spots = () if move is None else spots_of(state.board, move.after)
    if spots and not sure(spots):
        fields["ends"] = which_of("It stands on", state.board, spots)
    fields["point"] = Pick(words="To", candidates=points, optional=True, folded=way.usual is not None)
    return fields
