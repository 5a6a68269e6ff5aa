"""Tagged pieces that stand for terrain, dropped counters and drivers on foot: on which points they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from engine.boards.board import Cell
from engine.boards.points import STEPS, Points
from engine.boards.spots import Spot, by_cell, odds_of, places, spots_of, sure
from engine.boards.trail import Trail, followed
from engine.game.contract import Seen
from engine.game.log.places import standing_still
from engine.games.battlecars.book.data import PASSIVES
from engine.games.battlecars.state import GameState, Person, StandIn, Vehicle
from engine.motion.moves import Move
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, Status, key_of

TREES = ("tree", "wood", "forest", "hedge", "bush")
"""Terrain with one of these in its name or model is taken for trees, any other for a building."""

ROUND = 0.05
"""Terrain whose outline is a circle to this share has no edges to lay along the rows (house default)."""


@dataclass(frozen=True, slots=True)
class Lie:
    """How terrain lies: columns and rows that it covers, where, and how probably it lies askew."""

    size: tuple[int, int]
    spots: tuple[Spot, ...]
    askew: float

    @property
    def sure(self) -> bool:
        """Whether there is one place for it."""
        return sure(self.spots)


def lie_of(board: Points, standing: Standing) -> Lie:
    """What terrain covers: as many points as its sides are spacings long, its corners between points.

    Its sides are counted to the nearest whole number, and one at least.
    """
    body, pitch = standing.piece.body, board.spacing
    outline = body.footprint.outline
    heading = board.frame.inverse().compose(standing.pose).heading
    long, wide = (max(1, round(side / pitch)) for side in (body.length, body.width))
    size = (wide, long) if round(heading / (math.pi / 2)) % 2 else (long, wide)
    middle = standing.pose.to_table((outline.min(axis=0) + outline.max(axis=0)) / 2)
    lowest = middle - board.frame.rotation @ ((np.array(size) - 1) / 2 * pitch)
    moved = replace(standing, pose=Pose(float(lowest[0]), float(lowest[1]), standing.pose.heading))
    odds = odds_of(board.snap(moved))
    askew = 0.0 if _is_round(outline) else sum(o.probability for o in odds if (o.facing or 0) % 2)
    return Lie(size, by_cell(odds), askew)


def _is_round(outline: FloatArray) -> bool:
    far = np.hypot(*(outline - outline.mean(axis=0)).T)
    return len(outline) >= 12 and float(np.ptp(far)) <= ROUND * float(far.mean())


# Which piece stands for what


def in_play(state: GameState, one: StandIn) -> bool:
    """Whether what a piece stands for is on the board."""
    lying = (*(t.name for t in state.terrain), *(t.name for t in state.tokens))
    return one.what in lying or any(p.name == one.what for p in state.walkers())


def piece_for(state: GameState, what: str) -> str | None:
    """The piece that stands for something on the board; None where it has none."""
    return next((one.piece for one in state.pieces if one.what == what and in_play(state, one)), None)


def resting(state: GameState, seen: Seen, board: Points) -> Iterator[Standing]:
    """The pieces that rest where they can be seen and stand for nothing yet.

    One of something that is gone stands for nothing new while it still lies where that was.
    """
    used = {key_of(one.piece): one for one in state.pieces}
    for standing in () if seen.table is None else seen.table.standings:
        one = used.get(key_of(standing.name))
        if standing.status is not Status.STILL or (one is not None and in_play(state, one)):
            continue
        if one is None or spots_of(board, standing)[0].cell != one.cell:
            yield standing


def standing_for_nothing(state: GameState, seen: Seen) -> tuple[str, ...]:
    """The figures and counters that stand for nothing yet; terrain too, before the first turn."""
    loose = ("pedestrian", "token", "marker", *(("terrain",) if state.first is None else ()))
    used = {key_of(one.piece) for one in state.pieces if in_play(state, one)}
    standings = () if seen.table is None else seen.table.standings
    return tuple(s.name for s in standings if s.piece.kind in loose and key_of(s.name) not in used)


def terrain_seen(state: GameState, seen: Seen, board: Points) -> tuple[Standing, ...]:
    """The terrain pieces on the table that are not placed yet."""
    return tuple(s for s in resting(state, seen, board) if s.piece.kind == "terrain")


def usual_kind(standing: Standing) -> str:
    """Whether a terrain piece looks like a building or like trees, by its name and model."""
    told = f"{standing.name} {standing.piece.body.model}".casefold()
    return "trees" if any(word in told for word in TREES) else "building"


def counters_seen(state: GameState, seen: Seen, kind: str) -> tuple[tuple[str, tuple[Spot, ...]], ...]:
    """The counters of a kind that lie on the board and stand for nothing yet, each with its points.

    A counter is a piece of the kind *token* or *marker* with the kind's word in its name or model.
    """
    found = []
    for standing in resting(state, seen, state.board):
        if standing.piece.kind in ("token", "marker") and _sort(standing) == kind:
            found.append((standing.name, spots_of(state.board, standing)))
    return tuple(found)


def _sort(standing: Standing) -> str | None:
    told = key_of(f"{standing.name} {standing.piece.body.model}")
    return next((kind for kind in PASSIVES if key_of(kind).removesuffix("s") in told), None)


def figure_seen(state: GameState, person: Person, seen: Seen) -> Standing | None:
    """The figure for a driver who has none yet: of that name, else the owner's first one, else nobody's."""
    found = [
        s
        for s in resting(state, seen, state.board)
        if s.piece.kind == "pedestrian"
        and (s.piece.owner == person.owner or s.piece.owner not in state.players)
    ]
    named = [s for s in found if key_of(person.name).endswith(key_of(s.name))]
    owned = sorted(found, key=lambda s: s.piece.owner != person.owner)
    return next(iter((*named, *owned)), None)


# Seen


def faces_seen(state: GameState, vehicle: Vehicle, seen: Seen) -> tuple[Spot, ...]:
    """The ways that a vehicle which rests on its own point may face, the most probable first.

    None where it is not seen to rest, or may stand on another point.
    """
    standing = standing_still(vehicle.name, seen.table)
    spots = () if standing is None else places(state.board.snap(standing))
    return spots if all(spot.cell == vehicle.cell for spot in spots) else ()


def trail_of(board: Points, move: Move, start: Cell) -> Trail:
    """The points on which a piece was seen, from where it stood; readings between points are passed over."""
    return followed(board, board.spacing, move, start)


def filled(board: Points, cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Points with those between two on one line."""
    steps = ((*(board.between(one, other) or ()), other) for one, other in pairwise(cells))
    return (cells[0], *(cell for step in steps for cell in step))


def taken_back(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """Points without the steps that were taken back at once.

    >>> taken_back(((2, 5), (3, 5), (4, 5), (3, 5), (4, 6)))
    ((2, 5), (3, 5), (4, 6))
    """
    kept = [cells[0]]
    for cell in cells[1:]:
        if len(kept) > 1 and cell == kept[-2]:
            kept.pop()
        else:
            kept.append(cell)
    return tuple(kept)


def steps_between(one: Cell, other: Cell) -> int:
    """How many steps lead from one point to another, turning as one likes."""
    return max(abs(other[0] - one[0]), abs(other[1] - one[1]))


def gone_over(cells: Sequence[Cell]) -> int:
    """How many points a way is long at the least."""
    return sum(steps_between(one, other) for one, other in pairwise(cells))


def directions(cells: tuple[Cell, ...]) -> tuple[int, ...] | None:
    """The facing of each step; None where two points are no neighbours."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(cells)]
    if any(step not in STEPS for step in steps):
        return None
    return tuple(STEPS.index(step) for step in steps)


def corners_of(ways: tuple[int, ...], last: int) -> tuple[int, ...]:
    """The corner after each step, eighths from −3 to 4, the last one into the facing in which it rests.

    >>> corners_of((0, 0, 1), 1), corners_of((0, 7), 6)
    ((0, 1, 0), (-1, -1))
    """
    after = (*ways[1:], last)
    return tuple((there - here + 3) % 8 - 3 for here, there in zip(ways, after, strict=True))
