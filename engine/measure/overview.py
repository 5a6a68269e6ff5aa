"""Who sees whom on the whole table at once: every car to every other, tyre to tyre.

The same answers as `engine.measure.distances.sight`, many at a time. Circles inside and round each piece
bound what it can take from a line, so that only the few pieces that may decide a line are measured exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.measure.distances import PLENTY, tyres
from engine.measure.sight import TOUCH, IntArray, clearances_from_origin, depth_inside, to_table
from engine.measure.uncertainty import poses_of
from engine.space.convex import stacked
from engine.space.geometry import FloatArray
from engine.space.table import Standing, key_of

BoolArray = NDArray[np.bool_]

# A tyre-to-tyre line is numbered 4 x tyre of the first + tyre of the second car. Lines between two rear
# tyres are nobody's: both cars measure from a front tyre.
_LINES = np.array([4 * p + q for p in range(4) for q in range(4) if p < 2 or q < 2])
_OUT = np.flatnonzero(_LINES // 4 < 2)
_BACK = np.flatnonzero(_LINES % 4 < 2)


@dataclass(frozen=True, eq=False)
class SightTable:
    """Every car's best line of sight to every other.

    `clearance` is (n, n), inches, row sees column: positive is the room beside the best line (at most
    `PLENTY`), negative how deep it is blocked, nan on the diagonal. `lines` is (n, n, 2, 2), from a
    front tyre of the row's car. `blocked` is (n, n, pieces): which piece is on the best line.
    """

    cars: tuple[str, ...]
    pieces: tuple[str, ...]
    clearance: FloatArray
    lines: FloatArray
    blocked: BoolArray

    def blockers(self, shooter: str, target: str) -> tuple[str, ...]:
        """The names of the pieces on the best line between two cars, in the table's order."""
        keys = [key_of(name) for name in self.cars]
        row = self.blocked[keys.index(key_of(shooter)), keys.index(key_of(target))]
        return tuple(self.pieces[k] for k in np.flatnonzero(row))


@dataclass(frozen=True, eq=False)
class _Ground:
    """All pieces as arrays in the table frame: cars first."""

    centre: FloatArray
    inner: FloatArray
    outer: FloatArray
    start: IntArray
    count: IntArray
    small: FloatArray
    large: FloatArray
    slot: IntArray
    hollow: IntArray
    wholes: FloatArray


_FEW, _BLOCK = 10, 12_000


def _ground(pieces: Sequence[Standing]) -> _Ground:
    prints = [s.piece.body.footprint for s in pieces]
    poses = poses_of(pieces)
    cores = [f.core for f in prints]
    centre = to_table(poses, np.array([c for c, _, _ in cores])[:, None])[:, 0]
    parts = [part for f in prints for part in f.parts]
    owner = np.repeat(np.arange(len(prints)), [len(f.parts) for f in prints])
    count = np.array([len(f.parts) for f in prints])
    few = np.array([len(p) <= _FEW for p in parts])
    slot = np.where(few, np.cumsum(few) - 1, np.cumsum(~few) - 1)
    slot = np.where(few, slot, -1 - slot)
    tables = []
    for kind in (few, ~few):
        chosen = np.flatnonzero(kind)
        outlines = stacked([parts[k] for k in chosen])
        # Corners first, then parts: x and y, shape (2, v, k).
        tables.append(
            np.ascontiguousarray(np.moveaxis(to_table(poses[owner[chosen]], outlines), 0, -1).swapaxes(0, 1))
        )
    hollow = np.flatnonzero(count > 1)
    wholes = to_table(poses[hollow], stacked([prints[k].outline for k in hollow]))
    return _Ground(
        centre,
        np.array([r for _, r, _ in cores]),
        np.array([r for _, _, r in cores]),
        np.concatenate([[0], np.cumsum(count)[:-1]]),
        count,
        tables[0],
        tables[1],
        slot,
        hollow,
        wholes,
    )


def _away(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Distances of points from segments, broadcast."""
    along = end - start
    x, y = points[..., 0] - start[..., 0], points[..., 1] - start[..., 1]
    u, v = along[..., 0], along[..., 1]
    t = (x * u + y * v) / np.maximum(u * u + v * v, 1e-300)
    t = np.minimum(np.maximum(t, 0.0), 1.0)
    x, y = x - t * u, y - t * v
    return np.asarray(np.sqrt(x * x + y * y))


def all_sights(cars: Sequence[Standing], terrain: Sequence[Standing] = ()) -> SightTable:
    """Every car's line of sight to every other, past all other cars and the terrain.

    Lines run from a front tyre to any tyre, as in `engine.measure.distances.sight`.
    """
    n = len(cars)
    pieces = (*cars, *terrain)
    clearance = np.full((n, n), np.nan)
    lines = np.full((n, n, 2, 2), np.nan)
    blocked = np.zeros((n, n, len(pieces)), dtype=bool)
    table = SightTable(tuple(s.name for s in cars), tuple(s.name for s in pieces), clearance, lines, blocked)
    if n < 2:
        return table
    ground = _ground(pieces)
    wheels = to_table(poses_of(cars), np.array([tyres(s) for s in cars]).reshape(n, 4, 2))
    i, j = np.triu_indices(n, 1)
    start, end = wheels[i][:, _LINES // 4], wheels[j][:, _LINES % 4]
    pair, piece = _candidates(cars, ground, i, j)
    value, known = _evaluate(start, end, pair, piece, ground)
    lengths = np.hypot(end[..., 0] - start[..., 0], end[..., 1] - start[..., 1])
    rows = np.arange(len(i))
    for chosen, a, b, first, second in ((_OUT, i, j, start, end), (_BACK, j, i, end, start)):
        best = chosen[_first_best(value[:, chosen], lengths[:, chosen])]
        clearance[a, b] = value[rows, best]
        lines[a, b] = np.stack([first[rows, best], second[rows, best]], axis=1)
        measured = known[np.arange(len(pair)), best[pair]]
        on = _on_lines(first[rows, best], second[rows, best], measured, pair, piece, ground)
        blocked[a[pair[on]], b[pair[on]], piece[on]] = True
    return table


def _first_best(value: FloatArray, lengths: FloatArray) -> IntArray:
    """The column of the largest value in each row; among equals the shortest line."""
    top = value.max(axis=1, keepdims=True)
    return np.asarray(np.where(value >= top, lengths, np.inf).argmin(axis=1))


def _candidates(
    cars: Sequence[Standing], ground: _Ground, i: IntArray, j: IntArray
) -> tuple[IntArray, IntArray]:
    """The pieces that may decide a line between each pair of cars: indices of pair and piece, sorted."""
    origin = poses_of(cars)[:, :2]
    spread = np.array([float(np.hypot(*tyres(s).T).max()) for s in cars])
    away = _away(ground.centre[None], origin[i][:, None], origin[j][:, None])
    rows = np.arange(len(i))
    away[rows, i] = away[rows, j] = np.inf
    room = np.maximum(spread[i], spread[j])[:, None]
    ceiling = np.minimum((away + (room - ground.inner)).min(axis=1), PLENTY)
    pair, piece = np.nonzero(away - (room + ground.outer) < np.maximum(ceiling, 0.0)[:, None])
    return pair, piece


def _evaluate(
    start: FloatArray, end: FloatArray, pair: IntArray, piece: IntArray, ground: _Ground
) -> tuple[FloatArray, FloatArray]:
    """The clearance of every line that may be the best of its direction (pairs, lines), -inf elsewhere.

    And what was measured on the way: the clearance of lines from candidates (candidates, lines), or nan.
    """
    m, lines = start.shape[:2]
    away = _away(ground.centre[piece][:, None], start[pair], end[pair])
    floor, ceiling = np.full((m, lines), PLENTY), np.full((m, lines), PLENTY)
    if len(pair):
        first = np.flatnonzero(np.diff(pair, prepend=-1))
        held = pair[first]
        floor[held] = np.minimum(
            np.minimum.reduceat(away - ground.outer[piece][:, None], first, axis=0), PLENTY
        )
        ceiling[held] = np.minimum(
            np.minimum.reduceat(away - ground.inner[piece][:, None], first, axis=0), PLENTY
        )
    reach = away - ground.outer[piece][:, None]
    value = np.full((m, lines), -np.inf)
    known = np.full(away.shape, np.nan)

    def measured(needed: BoolArray) -> tuple[IntArray, IntArray, FloatArray]:
        """The value of some lines, from the pieces that may lie deeper than what is known of each."""
        q, line = np.nonzero(needed[pair] & (reach < ceiling[pair]))
        p, k = pair[q], piece[q]
        exact = known[q, line] = _whole(start[p, line], end[p, line], k, ground)
        value[needed] = ceiling[needed]
        np.minimum.at(value, (p, line), exact)
        return p, k, exact

    # First the line of each direction that promises most.
    first_lines = np.zeros((m, lines), dtype=bool)
    for chosen in (_OUT, _BACK):
        first_lines[np.arange(m), chosen[(floor + ceiling)[:, chosen].argmax(axis=1)]] = True
    p, k, exact = measured(first_lines)
    # Then, for those that may beat it, the one piece that lay deepest in the way; then the rest.
    order = np.argsort(-exact, kind="stable")
    deepest = np.full(m, -1)
    deepest[p[order]] = k[order]
    bar = np.full((m, lines), np.inf)
    for chosen in (_OUT, _BACK):
        bar[:, chosen] = np.minimum(bar[:, chosen], value[:, chosen].max(axis=1, keepdims=True))
    live = (ceiling >= bar) & ~first_lines
    q, line = np.nonzero(live[pair] & (piece == deepest[pair])[:, None])
    p = pair[q]
    exact = known[q, line] = _whole(start[p, line], end[p, line], piece[q], ground)
    ceiling[p, line] = np.minimum(ceiling[p, line], exact)
    reach[q, line] = np.inf
    measured(live & (ceiling >= bar))
    return value, known


def _on_lines(
    start: FloatArray, end: FloatArray, known: FloatArray, pair: IntArray, piece: IntArray, ground: _Ground
) -> BoolArray:
    """Which candidates are on the chosen line (pairs, 2) of their pair; `known` clearances or nan."""
    inside = known < 0.0
    near = np.flatnonzero(np.isnan(known))
    away = _away(ground.centre[piece[near]], start[pair[near]], end[pair[near]])
    near = near[away < ground.outer[piece[near]]]
    inside[near] = _whole(start[pair[near]], end[pair[near]], piece[near], ground) < 0.0
    return np.asarray(inside)


def _whole(start: FloatArray, end: FloatArray, piece: IntArray, ground: _Ground) -> FloatArray:
    """The signed clearance of segments (s, 2) from pieces (s,), hollow pieces without their seams."""
    found = _exact(start, end, piece, ground)
    at = np.flatnonzero((ground.count[piece] > 1) & (found <= TOUCH))
    if len(at):
        wholes = ground.wholes[np.searchsorted(ground.hollow, piece[at])]
        depth = depth_inside(start[at], end[at], wholes)
        found[at] = np.minimum(found[at], np.where(depth > TOUCH, -depth, np.inf))
    return found


def _exact(start: FloatArray, end: FloatArray, piece: IntArray, ground: _Ground) -> FloatArray:
    """The signed clearance of segments (s, 2) from the parts of pieces (s,)."""
    count = ground.count[piece]
    first = np.cumsum(count) - count
    entry = np.repeat(np.arange(len(piece)), count)
    slot = ground.slot[ground.start[piece][entry] + np.arange(len(entry)) - first[entry]]
    each = np.empty(len(entry))
    few = slot >= 0
    for outlines, chosen, index in ((ground.small, few, slot[few]), (ground.large, ~few, -1 - slot[~few])):
        mine, at = entry[chosen], np.flatnonzero(chosen)
        # In blocks that stay small: see `engine.measure.sight`.
        block = max(_BLOCK // outlines.shape[1], 1)
        for cut in range(0, len(mine), block):
            few_of, parts = mine[cut : cut + block], index[cut : cut + block]
            x, y = start[few_of].T
            u, v = (end[few_of] - start[few_of]).T
            found = clearances_from_origin(outlines[0][:, parts] - x, outlines[1][:, parts] - y, u, v)
            each[at[cut : cut + block]] = found
    return np.minimum.reduceat(each, first) if len(each) else each
