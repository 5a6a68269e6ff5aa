"""Is there room to see any part of one outline from any part of another, and how much.

Between two convex outlines A and B every straight line has a direction and a sideways place. At one
direction each outline is an interval: its shadow sideways. A line runs from A to B if it lies in both
their shadows, and an obstacle between them takes its own shadow away. What is left in one piece is a
*corridor*: a strip of parallel clear lines. The widest one over all directions is the answer; below
zero it is how far two shadows that close the last gap overlap.

As the direction turns, every end of a shadow is one corner of an outline, until an edge comes into
line (another corner takes over) or two ends pass each other (a line through two corners that touches
both outlines). Between these critical lines the width of a strip is the least of four sinusoids, whose
largest value is found in closed form. So nothing is sampled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.measure.sight import TOUCH
from engine.space.geometry import FloatArray

IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Hold:
    """A corner that holds a strip, and how the strip's width grows as it moves.

    `outline` is -2 for A, -1 for B and k for the obstacle parts; `corner` and `gradient` are (2,),
    inches and inches per inch.
    """

    outline: int
    corner: FloatArray
    gradient: FloatArray


@dataclass(frozen=True, eq=False)
class Corridor:
    """The widest strip of clear lines from A to B, or how much is lacking.

    `width` in inches, negative when blocked. `line` is the strip's middle from where it leaves A to
    where it enters B, shape (2, 2). `blockers` are the indices of obstacle parts on that line, nearest
    first. `strips` are the widest one and its rivals, by their widths and what holds them.
    """

    width: float
    line: FloatArray
    blockers: tuple[int, ...]
    strips: tuple[tuple[float, tuple[Hold, ...]], ...] = ()


@dataclass(frozen=True, eq=False)
class _Shadows:
    """The shadows of k outlines at t directions: the corners that bound them and where they lie.

    `upper` and `lower` are corners, shape (t, k, 2).
    """

    upper: FloatArray
    lower: FloatArray

    def ends(self, normal: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Upper and lower ends at normals (t, 2): two (t, k) arrays of inches."""
        return _along(self.upper, normal), _along(self.lower, normal)

    def at(self, index: IntArray) -> _Shadows:
        return _Shadows(self.upper[index], self.lower[index])


def _along(corners: FloatArray, normal: FloatArray) -> FloatArray:
    # Written out, so that a corner that two parts share gives the same number to the last bit.
    return np.asarray(corners[..., 0] * normal[:, None, 0] + corners[..., 1] * normal[:, None, 1])


def _normals(turn: FloatArray) -> FloatArray:
    return np.stack([-np.sin(turn), np.cos(turn)], axis=-1)


def separator(a: FloatArray, others: FloatArray) -> FloatArray:
    """Normals (k, 2) from a convex outline (v, 2) toward others (k, w, 2) that part them best.

    Where several part them alike it is their mean, so that no last digit decides: shorter than 1 then,
    and nothing at all for one that could be shifted out of `a` to either of two opposite sides.
    """
    out, length = _outward(a)
    out, base = out[length > _SAME] / length[length > _SAME, None], a[length > _SAME]
    gap_a = (np.einsum("ec,kwc->kew", out, others).min(axis=-1)) - (out * base).sum(axis=-1)
    back, length = _outward(others)
    back = np.divide(back, length[..., None], out=np.zeros_like(back), where=length[..., None] > _SAME)
    reach = np.einsum("kwc,vc->kwv", back, a).min(axis=-1) - (back * others).sum(axis=-1)
    gap_b = np.where(length > _SAME, reach, -np.inf)
    gap = np.concatenate([gap_a, gap_b], axis=1)
    normals = np.concatenate([np.broadcast_to(out, (len(others), *out.shape)), -back], axis=1)
    best = (gap >= gap.max(axis=1, keepdims=True) - TOUCH)[..., None]
    mean = (normals * best).sum(axis=1) / best.sum(axis=1)
    return np.asarray(np.where(np.abs(mean) > TOUCH, mean, 0.0))


def _outward(outlines: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of every edge of outlines (..., v, 2) a vector outward as long as it, and its length in inches."""
    step = np.roll(outlines, -1, axis=-2) - outlines
    out = np.stack([step[..., 1], -step[..., 0]], axis=-1)
    return out, np.hypot(out[..., 0], out[..., 1])


def _edge_turns(outlines: FloatArray, start: float, span: float) -> FloatArray:
    """The directions of all edges, either way, that lie inside (start, start + span), relative to start."""
    step = (np.roll(outlines, -1, axis=-2) - outlines).reshape(-1, 2)
    step = step[np.hypot(step[:, 0], step[:, 1]) > _SAME]
    turn = np.arctan2(step[:, 1], step[:, 0])
    turn = np.concatenate([turn, turn + math.pi])
    turn = np.mod(turn - start, math.tau)
    return np.asarray(turn[(turn > 0.0) & (turn < span)])


def _view(a: FloatArray, b: FloatArray) -> tuple[float, float] | None:
    """The directions in which lines run from A to B: start and span, between the inner tangents."""
    step = (b[None] - a[:, None]).reshape(-1, 2)
    normal = separator(a, b[None])[0]
    if ((b @ normal).min() - (a @ normal).max()) <= _SAME:
        return None
    middle = math.atan2(normal[1], normal[0])
    # All directions from A to B lie within a quarter turn of a normal that parts them.
    turn = np.arctan2(step[:, 1], step[:, 0]) - middle
    turn = np.mod(turn + math.pi, math.tau) - math.pi
    return middle + float(turn.min()), float(turn.max() - turn.min())


def _shadows(outlines: FloatArray, normal: FloatArray) -> _Shadows:
    place = (
        outlines[None, ..., 0] * normal[:, None, None, 0] + outlines[None, ..., 1] * normal[:, None, None, 1]
    )
    rows = np.arange(len(outlines))[None]
    return _Shadows(outlines[rows, place.argmax(axis=-1)], outlines[rows, place.argmin(axis=-1)])


def _crossings(
    corners: FloatArray, others: FloatArray, start: FloatArray, stop: FloatArray
) -> tuple[FloatArray, IntArray]:
    """Where ends of shadows pass each other inside intervals (t,), and in which interval.

    An end at a corner (t, k, 2) rises past another (t, m, 2). Each is one corner throughout an
    interval of less than half a turn, so they pass at most once.
    """
    low, high = _normals(start), _normals(stop)
    before = _along(corners, low)[:, :, None] - _along(others, low)[:, None]
    after = _along(corners, high)[:, :, None] - _along(others, high)[:, None]
    t, i, j = np.nonzero((before < 0.0) & (after > 0.0))
    d = corners[t, i] - others[t, j]
    turn = start[t] + np.mod(np.arctan2(d[:, 1], d[:, 0]) - start[t], math.pi)
    inside = turn < stop[t]
    return turn[inside], t[inside]


def _elementary(
    pair: _Shadows, rest: _Shadows, start: FloatArray, stop: FloatArray, siblings: Sequence[IntArray]
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Intervals cut at all critical lines: their starts, stops, and which interval each was part of."""
    rows = np.arange(len(start))
    found = [(start, rows), (stop, rows)]
    for corners in (pair.upper, pair.lower, rest.upper, rest.lower):
        found.append(_crossings(corners, corners, start, stop))
    for group in siblings:
        up, down = rest.upper[:, group], rest.lower[:, group]
        found += [_crossings(up, down, start, stop), _crossings(down, up, start, stop)]
    turn, base = (np.concatenate([f[k] for f in found]) for k in range(2))
    order = np.lexsort((turn, base))
    turn, base = turn[order], base[order]
    real = (base[1:] == base[:-1]) & (turn[1:] > turn[:-1])
    return turn[:-1][real], turn[1:][real], base[:-1][real]


def _merged(
    up: FloatArray, down: FloatArray, shadows: _Shadows, active: BoolArray, siblings: Sequence[IntArray]
) -> tuple[FloatArray, FloatArray, _Shadows]:
    """Shadows of parts of one piece that meet count as one."""
    if not siblings:
        return up, down, shadows
    up, down = up.copy(), down.copy()
    upper, lower = shadows.upper.copy(), shadows.lower.copy()
    for group in siblings:
        on = active[:, group]
        for _ in range(len(group) - 1):
            high, low = up[:, group], down[:, group]
            meet = (low[:, :, None] <= high[:, None] + 1e-9) & (low[:, None] <= high[:, :, None] + 1e-9)
            meet &= on[:, :, None] & on[:, None]
            meet |= np.eye(len(group), dtype=bool)
            top = np.where(meet, high[:, None], -np.inf).argmax(axis=-1)
            bottom = np.where(meet, low[:, None], np.inf).argmin(axis=-1)
            rows = np.arange(len(up))[:, None]
            up[:, group], down[:, group] = high[rows, top], low[rows, bottom]
            upper[:, group] = upper[:, group][rows, top]
            lower[:, group] = lower[:, group][rows, bottom]
    return up, down, _Shadows(upper, lower)


def _strips(up: FloatArray, down: FloatArray, active: BoolArray) -> tuple[IntArray, IntArray]:
    """For each direction the k + 1 ways to pass the obstacles: which is the last below and above.

    -1 stands for none. With the obstacles below a strip in the order of their upper ends, the ones
    above it are all the rest.
    """
    t, k = up.shape
    order = np.where(active, up, -np.inf).argsort(axis=1)
    rows = np.arange(t)[:, None]
    below = np.concatenate([np.full((t, 1), -1), order], axis=1)
    below[:, 1:][~active[rows, order]] = -1
    sorted_down = np.where(active, down, np.inf)[rows, order]
    least = np.minimum.accumulate(sorted_down[:, ::-1], axis=1)[:, ::-1]
    # The place of the running minimum: the nearest place at or after here that attains it.
    hit = np.where(sorted_down <= least, np.arange(k)[None], k)
    place = np.minimum.accumulate(hit[:, ::-1], axis=1)[:, ::-1]
    above = np.concatenate([order[rows, np.minimum(place, k - 1)], np.full((t, 1), -1)], axis=1)
    above[:, :-1][~np.isfinite(least)] = -1
    return below, above


def widest(
    a: FloatArray,
    b: FloatArray,
    outlines: FloatArray,
    siblings: Sequence[IntArray] = (),
    slack: float = 0.0,
) -> Corridor | None:
    """The widest corridor from a convex outline (v, 2) to another (w, 2) past obstacles (k, u, 2).

    All counter-clockwise, in inches. `siblings` are the indices of parts that are one piece: between
    two of them that meet there is no seam to see through. Rivals that are at most `slack` inches
    narrower are reported too. None when A and B touch: then there is nothing between them.
    """
    view = _view(a, b)
    if view is None:
        return None
    start, span = view
    lead = separator(a, outlines) if len(outlines) else np.zeros((0, 2))
    trail = -separator(b, outlines) if len(outlines) else np.zeros((0, 2))
    most = max(len(a), len(b))
    ends = np.stack([_filled(a, most), _filled(b, most)])
    turns = [np.array([0.0, span]), _edge_turns(ends, start, span)]
    if len(outlines):
        turns.append(_edge_turns(outlines, start, span))
        for m in (lead, trail):
            flip = np.mod(
                np.arctan2(m[:, 1], m[:, 0])[None] + [[math.pi / 2], [-math.pi / 2]] - start, math.tau
            )
            turns.append(flip[(flip > 0.0) & (flip < span)])
    turn = np.unique(np.concatenate(turns)) + start
    first, last = turn[:-1], turn[1:]
    normal = _normals((first + last) / 2)
    pair, rest = _shadows(ends, normal), _shadows(outlines, normal)
    parting = (lead, trail)
    # No width changes faster with direction than the scene is wide, so most intervals are out at once.
    here = _passages(pair, rest, normal, parting, siblings).width.max(axis=1)
    corners = np.concatenate([a, b, outlines.reshape(-1, 2)])
    extent = float(np.hypot(*np.ptp(corners, axis=0)))
    kept = np.flatnonzero(here + extent * (last - first) / 2 >= here.max() - slack)
    pair, rest = pair.at(kept), rest.at(kept)
    first, last, base = _elementary(pair, rest, first[kept], last[kept], siblings)
    normal = _normals((first + last) / 2)
    passages = _passages(pair.at(base), rest.at(base), normal, parting, siblings)
    return _closed_form((a, b, outlines), passages, (first, last), parting, slack)


def _filled(outline: FloatArray, most: int) -> FloatArray:
    return np.concatenate([outline, np.repeat(outline[-1:], most - len(outline), axis=0)])


@dataclass(frozen=True, eq=False)
class _Passages:
    """All ways past the obstacles at t directions, s each.

    `width` (t, s) is what each leaves there, in inches. The allowed lines lie between the corners `low`
    and `high` (t, 2); `below` and `above` (t, s) are the obstacles that bound a strip, -1 for none, and
    `shadows` their corners, which stay the same throughout an elementary interval.
    """

    width: FloatArray
    low: FloatArray
    high: FloatArray
    below: IntArray
    above: IntArray
    shadows: _Shadows

    def bounds(self, t: IntArray, s: IntArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The corners that bound strips: floor, roof, lowest and highest allowed line; (m, 2) each."""
        low, high = self.low[t], self.high[t]
        if not self.shadows.upper.shape[1]:
            return low, high, low, high
        below, above = self.below[t, s], self.above[t, s]
        floor = np.where((below < 0)[:, None], low, self.shadows.upper[t, below])
        roof = np.where((above < 0)[:, None], high, self.shadows.lower[t, above])
        return floor, roof, low, high


def _passages(
    pair: _Shadows,
    rest: _Shadows,
    normal: FloatArray,
    parting: tuple[FloatArray, FloatArray],
    siblings: Sequence[IntArray],
) -> _Passages:
    rows = np.arange(len(normal))
    top, bottom = pair.ends(normal)
    high, low = pair.upper[rows, top.argmin(axis=1)], pair.lower[rows, bottom.argmax(axis=1)]
    highest, lowest = top.min(axis=1)[:, None], bottom.max(axis=1)[:, None]
    up, down = rest.ends(normal)
    if not up.shape[1]:
        none = np.full((len(rows), 1), -1)
        return _Passages(highest - lowest, low, high, none, none, rest)
    ahead = np.stack([normal[:, 1], -normal[:, 0]], axis=-1)
    active = (ahead @ parting[0].T > 0.0) & (ahead @ parting[1].T > 0.0)
    up, down, met = _merged(up, down, rest, active, siblings)
    below, above = _strips(up, down, active)
    t = rows[:, None]
    floor = np.where(below < 0, lowest, np.maximum(up[t, below], lowest))
    roof = np.where(above < 0, highest, np.minimum(down[t, above], highest))
    return _Passages(roof - floor, low, high, below, above, met)


def _peak(spans: FloatArray, start: FloatArray, stop: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The largest value of the least of four n(turn) . d over intervals, and the turn where.

    `spans` is (m, 4, 2); `start` and `stop` (m,).
    """
    rising = np.arctan2(-spans[..., 0], spans[..., 1])
    i, j = np.triu_indices(4, 1)
    between = spans[:, i] - spans[:, j]
    crossing = np.arctan2(between[..., 1], between[..., 0])
    low = start[:, None]
    candidates = np.concatenate(
        [
            low,
            stop[:, None],
            low + np.mod(rising - low, math.tau),
            low + np.mod(crossing - low, math.pi),
        ],
        axis=1,
    )
    candidates = np.where(candidates <= stop[:, None], candidates, low)
    normal = _normals(candidates)
    value = np.einsum("mcx,mdx->mcd", normal, spans).min(axis=-1)
    best = value.argmax(axis=1)
    rows = np.arange(len(spans))
    return value[rows, best], candidates[rows, best]


def _closed_form(
    scene: tuple[FloatArray, FloatArray, FloatArray],
    ways: _Passages,
    between: tuple[FloatArray, FloatArray],
    parting: tuple[FloatArray, FloatArray],
    slack: float,
) -> Corridor:
    a, b, outlines = scene
    first, last = between
    normal = _normals((first + last) / 2)
    half = (last - first) / 2
    here = ways.width
    best = here.max() - slack
    corners = np.concatenate([a, b, outlines.reshape(-1, 2)])
    extent = float(np.hypot(*np.ptp(corners, axis=0)))
    t, s = np.nonzero(here + extent * half[:, None] >= best)
    floor, roof, low, high = ways.bounds(t, s)
    # The four differences of corners whose least height is a strip's width.
    spans = np.stack([roof - floor, roof - low, high - floor, high - low], axis=1)
    rising = (
        np.einsum("mdx,mx->md", spans, normal[t]) + np.hypot(spans[..., 0], spans[..., 1]) * half[t, None]
    )
    able = rising.min(axis=1) >= best
    t, s, spans = t[able], s[able], spans[able]
    value, at = _peak(spans, first[t], last[t])
    strips: dict[tuple[int, int], tuple[float, tuple[Hold, ...]]] = {}
    chosen = None
    for m in np.argsort(-value, kind="stable"):
        if value[m] < value.max() - slack:
            break
        t0, s0 = int(t[m]), int(s[m])
        sides = (int(ways.below[t0, s0]), int(ways.above[t0, s0]))
        if chosen is not None and sides in strips:
            continue
        bounds = tuple(corner[0] for corner in ways.bounds(t[m : m + 1], s[m : m + 1]))
        n = _normals(at[m : m + 1])[0]
        chosen = chosen or (bounds, n)
        strips[sides] = (float(value[m]), _holds(a, bounds, n, sides))
    assert chosen is not None
    line, place = _middle_line(a, b, *chosen)
    blockers = _on_line(outlines, chosen[1], place, parting)
    return Corridor(float(value.max()), line, blockers, tuple(strips.values()))


def _middle_line(
    a: FloatArray, b: FloatArray, bounds: tuple[FloatArray, ...], n: FloatArray
) -> tuple[FloatArray, float]:
    floor, roof, low, high = (float(p @ n) for p in bounds)
    place = (max(floor, low) + min(roof, high)) / 2
    place = min(max(place, low), high)
    u = np.array([n[1], -n[0]])
    return np.stack(
        [place * n + _reach(a, n, u, place, last=True) * u, place * n + _reach(b, n, u, place) * u]
    ), place


def _reach(outline: FloatArray, n: FloatArray, u: FloatArray, place: float, *, last: bool = False) -> float:
    """Where a line enters (or leaves) an outline, along it."""
    start, end = outline, np.roll(outline, -1, axis=0)
    p, q = start @ n - place, end @ n - place
    along_p, along_q = start @ u, end @ u
    met = ((p <= 0.0) & (q > 0.0)) | ((p > 0.0) & (q <= 0.0))
    if not met.any():
        nearest = int(np.abs(p).argmin())
        return float(along_p[nearest])
    t = p[met] / (p[met] - q[met])
    along = along_p[met] + t * (along_q[met] - along_p[met])
    return float(along.max() if last else along.min())


def _on_line(
    outlines: FloatArray,
    n: FloatArray,
    place: float,
    parting: tuple[FloatArray, FloatArray],
) -> tuple[int, ...]:
    if not len(outlines):
        return ()
    u = np.array([n[1], -n[0]])
    side = outlines @ n - place
    between = (parting[0] @ u > 0.0) & (parting[1] @ u > 0.0)
    hit = np.flatnonzero((side.min(axis=1) < -_SAME) & (side.max(axis=1) > _SAME) & between)
    entry = [_reach(outlines[k], n, u, place) for k in hit]
    return tuple(int(hit[i]) for i in np.argsort(entry, kind="stable"))


def _holds(
    a: FloatArray,
    bounds: tuple[FloatArray, ...],
    n: FloatArray,
    owners: tuple[int, int],
) -> tuple[Hold, ...]:
    """How the width follows the corners that hold the strip."""
    floor, roof, low, high = bounds
    u = np.array([n[1], -n[0]])
    pairs = [(roof, floor), (roof, low), (high, floor), (high, low)]
    value = np.array([float((p - q) @ n) for p, q in pairs])
    slope = np.array([float(-(p - q) @ u) for p, q in pairs])
    tight = np.flatnonzero(value <= value.min() + 1e-9)
    weights = np.zeros(4)
    down, up = tight[slope[tight].argmin()], tight[slope[tight].argmax()]
    if slope[down] < 0.0 < slope[up]:
        weights[up] = -slope[down] / (slope[up] - slope[down])
        weights[down] = 1.0 - weights[up]
    else:
        weights[tight[np.abs(slope[tight]).argmin()]] = 1.0
    found = []
    for (p, q), weight in zip(pairs, weights, strict=True):
        if weight > 0.0:
            # By the side, not by the place: corners of two pieces may lie on one spot.
            found.append(Hold(owners[1] if p is roof and owners[1] >= 0 else _end_of(a, p), p, weight * n))
            found.append(Hold(owners[0] if q is floor and owners[0] >= 0 else _end_of(a, q), q, -weight * n))
    return tuple(found)


def _end_of(a: FloatArray, corner: FloatArray) -> int:
    """Whose corner that is of the two that look at each other: -2 for A, -1 for B."""
    return -2 if (a == corner).all(axis=1).any() else -1
