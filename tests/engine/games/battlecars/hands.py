"""Vehicles and other pieces on points, and hands that push them: moves as the camera has them."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from engine.boards.board import Cell
from engine.boards.points import Points
from engine.game.contract import Option, Seen
from engine.game.dice import TypedDice
from engine.game.events import Action
from engine.game.showing import Ghost
from engine.games.battlecars.game import GAME
from engine.games.battlecars.state import EVENTS, GameState
from engine.motion.moves import Move, Read
from engine.space.catalogue import CARS
from engine.space.geometry import Pose, Region
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, TableState, key_of

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


def thing(
    name: str, kind: str, body: Body, x: float, y: float, turn: float = 0.0, sd: float = 0.03
) -> Standing:
    """A piece that is no vehicle, so many spacings along the board and turned by so many degrees."""
    piece = Piece(name, kind, body)  # type: ignore[arg-type]
    doubt = PoseUncertainty.isotropic(sd, math.radians(1.0))
    return Standing(piece, Pose(3.0 * x, 3.0 * y, math.radians(turn)), doubt)


def looked(state: GameState, *things: Standing, moves: tuple[Move, ...] = ()) -> Seen:
    """What the camera knows: every vehicle on its point, and those."""
    cars = [put(state.board, v.name, v.cell, v.facing) for v in state.vehicles if v.cell]
    return Seen(TableState.of(SURFACE, [*cars, *things]), {m.id: m for m in moves}, state.board)


def after(state: GameState, seen: Seen, kind: str, /, **data) -> tuple[GameState, list]:
    """An action with what was seen, without dice: the state after it, and its events."""
    events = list(GAME.act(state, Action(kind, None, data), seen, TypedDice()))
    for event in events:
        state = EVENTS.apply(state, event)
    assert GAME.from_json(GAME.as_json(state)) == state
    return state, events


def option(state: GameState, seen: Seen, kind: str, /, **data) -> Option:
    """The option of that kind which says at least those data."""
    (found,) = (o for o in GAME.options(state, seen) if o.kind == kind and data.items() <= o.data.items())
    return found


def words(state: GameState, seen: Seen, kind: str, /, **data) -> list[tuple[str, bool]]:
    """What is against an action, each with whether the players may settle it."""
    return [(r.words, r.open) for r in GAME.check(state, Action(kind, None, data), seen)]


def ghost(state: GameState, seen: Seen, piece: str) -> Ghost:
    """Where a piece has to stand."""
    (found,) = (g for g in GAME.ghosts(state, seen) if key_of(g.piece) == key_of(piece))
    return found
