"""Where a piece that is awaited may be pushed, in a game that does not say itself: tried ways, any board."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, repeat
from random import Random
from typing import Any

import numpy as np

from engine.driver.pushing import along, straight_to
from engine.errors import TableRefError
from engine.game.contract import Game, Seen, State
from engine.game.kit.table import standing_of
from engine.game.showing import Awaited
from engine.measure.sweep import Step, Straight, Turn
from engine.motion.recognition import pivots_of
from engine.space.geometry import Pose, wrap_angle
from engine.space.table import Standing, TableState, key_of

Way = tuple[Pose, ...]
"""Where a piece is pushed, to its last pose; empty where it stays as it stands."""

THERE_IN, THERE_TURN = 0.1, math.radians(2.0)
"""Inches and radians within which a piece need not be pushed."""

FAR_IN = 8.0
"""Inches that a car is pushed at the most where nobody says how far it may go (house default)."""


def usual_ways(
    game: Game[State], state: State, seen: Seen, awaited: Awaited, chance: Random
) -> Iterator[Way]:
    """Ways that may be lawful for a piece that is awaited, without end where they are drawn.

    Onto its ghost where a rule says where it has to stand; anywhere where it is put down; else from cell to
    cell, or by runs and a turn.
    """
    here = standing_of(seen.table, awaited.piece)
    if seen.table is None or here is None:
        return iter(())
    goals = list(_goals(game, state, seen, awaited.piece, chance))
    if goals:
        return (() if _there(here.pose, goal) else straight_to(here.pose, goal) for goal in goals)
    board = game.board(state, seen.board)
    if awaited.anywhere:
        return chain([()], (straight_to(here.pose, at) for at in _anywhere(seen.table, here, chance)))
    if board.cells:
        return (straight_to(here.pose, at) for at in _cells(board, here, chance))
    return (along(here.pose, steps) for steps in _steps(here, chance))


def _there(here: Pose, goal: Pose) -> bool:
    """Whether a piece stands where it is to go."""
    return (
        math.dist(here.xy, goal.xy) < THERE_IN and abs(wrap_angle(here.heading - goal.heading)) < THERE_TURN
    )


def _goals(game: Game[State], state: State, seen: Seen, piece: str, chance: Random) -> Iterator[Pose]:
    """Where a rule has put the piece, turned as it may be turned."""
    for ghost in game.ghosts(state, seen):
        if key_of(ghost.piece) != key_of(piece) or ghost.pose is None:
            continue
        x, y, heading = ghost.pose
        turns = [0.0] if not ghost.free else [0.0, ghost.free, -ghost.free]
        turns += [chance.uniform(-ghost.free, ghost.free) for _ in range(4 if ghost.free else 0)]
        yield from (Pose(x, y, heading + turn) for turn in turns)


def _anywhere(table: TableState, here: Standing, chance: Random) -> Iterator[Pose]:
    (left, low), (right, high) = table.surface.outline.min(axis=0), table.surface.outline.max(axis=0)
    room = here.piece.body.length / 2 + 0.3
    for _ in repeat(None):
        x, y = chance.uniform(left + room, right - room), chance.uniform(low + room, high - room)
        side = chance.randrange(6)
        if side < 4:  # at an edge, facing inward, as most books want it
            x = (left + room, right - room, x, x)[side]
            y = (y, y, low + room, high - room)[side]
            yield Pose(x, y, (0.0, math.pi, math.pi / 2, -math.pi / 2)[side])
        else:
            yield Pose(x, y, chance.randrange(8) * math.pi / 4)


def _cells(board: Any, here: Standing, chance: Random) -> Iterator[Pose]:
    """Cells round about with every facing, the nearer the likelier."""
    places = np.array([board.pose_of(cell).xy for cell in board.cells])
    apart = np.hypot(*(places - here.pose.xy).T)
    order = np.argsort(apart)
    for _ in repeat(None):
        nth = int(abs(chance.gauss(0.0, 25.0)))
        if nth < len(order):
            try:
                yield board.pose_of(board.cells[int(order[nth])], chance.randrange(max(board.facings, 1)))
            except TableRefError:
                continue


def _steps(here: Standing, chance: Random) -> Iterator[tuple[Step, ...]]:
    pivot = pivots_of(here.piece.body)[0]
    for _ in repeat(None):
        far = float(chance.randint(1, int(FAR_IN)))
        before = chance.choice([0.0, far, float(chance.randint(0, int(far)))])
        turn = Turn(math.radians(chance.choice([-90, -60, -45, -30, -15, 15, 30, 45, 60, 90])), pivot)
        if chance.random() < 0.3:
            yield (Straight(far),)
        else:
            runs: list[Step] = [Straight(before), turn, Straight(far - before)]
            yield tuple(one for one in runs if one.size > 0.0)
