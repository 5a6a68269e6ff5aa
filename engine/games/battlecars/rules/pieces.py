"""Tagged pieces that stand for terrain, dropped counters and drivers on foot: on which points they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from engine.boards.board import CONFIDENCE, TOLD, Cell, Rival
from engine.boards.points import Points
from engine.game.contract import Seen
from engine.games.battlecars.book.data import PASSIVES
from engine.games.battlecars.state.game_state import GameState, Person, StandIn
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, Status, key_of

TREES = ("tree", "wood", "forest", "hedge", "bush")
"""Terrain with one of these in its name or model is taken for trees, any other for a building."""

ROUND = 0.05
"""Terrain whose outline is a circle to this share has no edges to lay along the rows (house default)."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a piece may lie: the lowest point that it covers, None beside the board, and how surely."""

    cell: Cell | None
    probability: float


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


def sure(spots: tuple[Spot, ...]) -> bool:
    """Whether one place is sure enough to be taken."""
    return bool(spots) and spots[0].probability >= CONFIDENCE


def spots_of(board: Points, standing: Standing) -> tuple[Spot, ...]:
    """The points on which a piece may stand, whichever way it faces, the most probable first."""
    return _by_cell(_odds(board, standing))


def _odds(board: Points, standing: Standing) -> list[Rival]:
    snap = board.snap(standing)
    return [Rival(snap.cell, snap.facing, snap.probability), *snap.rivals]


def _by_cell(odds: Iterable[Rival]) -> tuple[Spot, ...]:
    shares: dict[Cell | None, float] = {}
    for one in odds:
        shares[one.cell] = shares.get(one.cell, 0.0) + one.probability
    likely = sorted(shares.items(), key=lambda pair: -pair[1])
    return tuple(Spot(cell, share) for k, (cell, share) in enumerate(likely) if share >= TOLD or not k)


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
    odds = _odds(board, moved)
    askew = 0.0 if _is_round(outline) else sum(o.probability for o in odds if (o.facing or 0) % 2)
    return Lie(size, _by_cell(odds), askew)


def _is_round(outline: FloatArray) -> bool:
    far = np.hypot(*(outline - outline.mean(axis=0)).T)
    return len(outline) >= 12 and float(np.ptp(far)) <= ROUND * float(far.mean())


def cell_key(cell: Cell) -> str:
    """A point as the value of an input."""
    return f"{cell[0]},{cell[1]}"


def at_key(spots: tuple[Spot, ...], key: object) -> Cell | None:
    """The point of such a value among several; the most probable one where nothing is said."""
    cells = [spot.cell for spot in spots]
    said = [cell for cell in cells if cell is not None and cell_key(cell) == key]
    return said[0] if said else cells[0]


def spot_words(board: Points, spots: tuple[Spot, ...]) -> str:
    """Where a piece lies, with the odds where that is open: "on F3", "between F3 (60%) and G3 (40%)"."""
    names = ["off the board" if s.cell is None else board.name_of(s.cell) for s in spots]
    if sure(spots):
        return names[0] if spots[0].cell is None else f"on {names[0]}"
    share = [f"{name} ({s.probability:.0%})" for name, s in zip(names, spots, strict=True)]
    return f"between {', '.join(share[:-1])} and {share[-1]}" if len(share) > 1 else f"probably {share[0]}"


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
