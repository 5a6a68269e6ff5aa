"""Tables of a game, and hands that push its cars: moves as the camera has them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from engine.game.contract import Seen
from engine.measure.sweep import Step
from engine.motion.moves import Move, Read
from engine.space.catalogue import CARS, box
from engine.space.geometry import Footprint, Pose, Region
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, TableState
from tests.hand import Habits, push

SURFACE = Region.rectangle(0, 0, 48, 48)
STEADY = Habits(wobble=0.01, wobble_turn=math.radians(0.2), slip=0.0, slip_turn=0.0, missed=0.0)


def put(
    name: str, x: float, y: float, degrees: float = 0.0, sd: float = 0.01, model: str = "sedan"
) -> Standing:
    """A car."""
    return Standing(
        Piece(name, "car", CARS[model]), Pose(x, y, math.radians(degrees)),
        PoseUncertainty.isotropic(sd, math.radians(0.2)),
    )  # fmt: skip


def wall(name: str, x: float, y: float, length: float, width: float, sd: float = 0.01) -> Standing:
    """Blocking terrain."""
    body = box(length, width, height=2.0)
    return Standing(Piece(name, "terrain", body), Pose(x, y), PoseUncertainty.isotropic(sd))


def mud(name: str, x: float, y: float, length: float, width: float, sd: float = 0.01) -> Standing:
    """Rough terrain."""
    body = Body("mud", Footprint.box(length, width), 0.0)
    return Standing(Piece(name, "marker", body), Pose(x, y), PoseUncertainty.isotropic(sd))


def mine(name: str, x: float, y: float, sd: float = 0.01) -> Standing:
    """A Mine, a token of an inch."""
    body = Body("mine", Footprint.box(1.0, 1.0), 0.0)
    return Standing(Piece(name, "token", body), Pose(x, y), PoseUncertainty.isotropic(sd))


def table(*standings: Standing) -> TableState:
    return TableState.of(SURFACE, standings)


def pushed(before: TableState, name: str, steps: list[Step], seed: int = 1, habits: Habits = STEADY) -> Move:
    """A hand pushes a car through these steps; what the camera saw of it."""
    rng = np.random.default_rng(seed)
    start = before.find(name)
    done = push(steps, rng, model=start.piece.body.model, start=start.pose, habits=habits)
    after = replace(start, pose=done.track[-1])
    reads = tuple(
        Read(t, pose, done.sd, done.sd_heading)
        for t, pose in zip(done.times[1:-1], done.track[1:-1], strict=True)
    )
    return Move("m1", name, before, after, done.times[0], done.times[-1], reads)


def seen(move: Move) -> Seen:
    """What the camera knows after a move."""
    now = TableState.of(
        move.before.surface, [move.after if s.name == move.piece else s for s in move.before.standings]
    )
    return Seen(now, {move.id: move})
