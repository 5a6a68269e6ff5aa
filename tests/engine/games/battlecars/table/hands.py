"""Vehicles on points, and hands that push them: moves as the camera has them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from engine.boards.board import Cell
from engine.boards.points import Points
from engine.game.contract import Seen
from engine.games.battlecars.state.game_state import GameState
from engine.motion.moves import Move, Read
from engine.space.catalogue import CARS
from engine.space.geometry import Pose, Region
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing, TableState

ON = Pose(0.0, 0.0)
"""Right on its point."""

SURFACE = Region.rectangle(-3, -3, 90, 48)


def put(board: Points, name: str, cell: Cell, facing: int, off: Pose = ON, sd: float = 0.02) -> Standing:
    """A vehicle on a point, or off it by so much."""
    pose = board.pose_of(cell, facing).compose(off)
    return Standing(Piece(name, "car", CARS["sedan"]), pose, PoseUncertainty.isotropic(sd, math.radians(0.5)))


def table(state: GameState, **off: Pose) -> TableState:
    """Every vehicle on its point, or off it by so much."""
    return TableState.of(
        SURFACE,
        [put(state.board, v.name, v.cell, v.facing, off.get(v.name, ON)) for v in state.vehicles if v.cell],
    )


def pushed(state: GameState, name: str, *places: tuple[Cell, int], off: Pose = ON, seed: int = 1) -> Move:
    """A hand pushes a vehicle from point to point, not quite over them; `off`: how it rests off the last."""
    rng = np.random.default_rng(seed)
    before = table(state)
    poses = [before.find(name).pose, *(state.board.pose_of(cell, facing) for cell, facing in places)]
    reads = []
    for one, other in pairwise(poses):
        for share in np.linspace(0.0, 1.0, 9):
            x, y = (1 - share) * one.xy + share * other.xy + rng.normal(0.0, 0.12, 2)
            reads.append(Read(float(len(reads)), Pose(float(x), float(y), other.heading), 0.02, 0.01))
    cell, facing = places[-1]
    after = put(state.board, name, cell, facing, off)
    return Move("m1", name, before, after, 0.0, float(len(reads)), tuple(reads))


def seen(state: GameState, move: Move) -> Seen:
    """What the camera knows after a move."""
    now = [move.after if s.name == move.piece else s for s in move.before.standings]
    return Seen(TableState.of(SURFACE, now), {move.id: move}, state.board)
