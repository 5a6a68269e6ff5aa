"""Who sees whom past what: the plane geometry under it, on arrays.

Lines are segments, outlines are convex parts that fill the pieces. The *clearance* of a segment from
a part is signed: the distance between them when they are apart, and minus the smallest shift that
would part them when they overlap. It never changes by more than the pieces move, which makes it a
margin that can be trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.space.convex import stacked
from engine.space.geometry import FloatArray
from engine.space.pieces import Body

IntArray = NDArray[np.intp]

# Numbers in one array at a time: larger ones (128 KiB) are fetched anew from the system at every step.
_BLOCK = 12_000

TOUCH = 1e-9
"""Inches within which a line counts as only touching an outline: rounding, not measuring."""


def to_table(poses: FloatArray, points: FloatArray) -> FloatArray:
    """Body points (..., p, 2) at poses (..., 3), inches and radians, in the table frame (..., p, 2)."""
    cos, sin = np.cos(poses[..., 2, None]), np.sin(poses[..., 2, None])
    x, y = points[..., 0], points[..., 1]
    return np.stack(
        [poses[..., 0, None] + cos * x - sin * y, poses[..., 1, None] + sin * x + cos * y], axis=-1
    )


@dataclass(frozen=True, eq=False)
class Parts:
    """The convex parts of several pieces, in their body frames.

    `outlines` has shape (k, v, 2), counter-clockwise, each filled up by repeating its last corner;
    `owner` says which piece each belongs to, shape (k,); `tops` how high it stands above the table,
    inches, shape (k,). `hollow` are the pieces that have several parts, by index, with their whole
    outlines (n, 2).
    """

    outlines: FloatArray
    owner: IntArray
    tops: FloatArray
    hollow: tuple[tuple[int, FloatArray], ...] = ()

    @classmethod
    def of(cls, bodies: Sequence[Body]) -> Parts:
        """All parts of all bodies, in order."""
        outlines = [part for body in bodies for part in body.footprint.parts]
        owner = [i for i, body in enumerate(bodies) for _ in body.footprint.parts]
        prints = [body.footprint for body in bodies]
        hollow = tuple((i, f.outline) for i, f in enumerate(prints) if len(f.parts) > 1)
        tops = np.array([body.height for body in bodies for _ in body.footprint.parts])
        return cls(stacked(outlines), np.array(owner, dtype=np.intp), tops, hollow)

    def chosen(self, index: IntArray) -> Parts:
        """Only those parts; the pieces they belong to are numbered anew, in order."""
        owners = np.unique(self.owner[index])
        hollow = tuple((int(np.searchsorted(owners, i)), o) for i, o in self.hollow if i in owners)
        owner = np.searchsorted(owners, self.owner[index])
        return Parts(self.outlines[index], owner, self.tops[index], hollow)

    def at(self, poses: FloatArray) -> FloatArray:
        """In the table frame for poses (..., pieces, 3): shape (..., k, v, 2)."""
        return to_table(poses[..., self.owner, :], self.outlines)


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1])


def point_segment(points: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Distances between points and segments, broadcast over leading axes."""
    along = end - start
    square = _dot(along, along)
    t = np.clip(
        np.divide(
            _dot(points - start, along),
            square,
            out=np.zeros(np.broadcast_shapes(points.shape[:-1], square.shape)),
            where=square > 0.0,
        ),
        0.0,
        1.0,
    )
    away = points - start - t[..., None] * along
    return np.asarray(np.hypot(away[..., 0], away[..., 1]))


def inside_outline(start: FloatArray, end: FloatArray, outline: FloatArray) -> tuple[float, float] | None:
    """Between which shares of a segment it runs inside a convex outline (v, 2); None if it only touches it.

    The outline runs counter-clockwise and may repeat corners.
    """
    low, high = 0.0, 1.0
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        if (a == b).all():
            continue
        out = np.array([b[1] - a[1], a[0] - b[0]])
        here, along = float(out @ (start - a)), float(out @ (end - start))
        if along == 0.0:
            if here >= 0.0:
                return None
            continue
        at = -here / along
        low, high = (max(low, at), high) if along < 0.0 else (low, min(high, at))
    return (low, high) if high - low > TOUCH else None


def clearances(start: FloatArray, end: FloatArray, outlines: FloatArray) -> FloatArray:
    """The signed clearance in inches of segments from convex outlines.

    `start` and `end` are (..., 2), `outlines` (..., v, 2) counter-clockwise; leading axes broadcast.
    """
    shape = np.broadcast_shapes(start.shape[:-1], end.shape[:-1], outlines.shape[:-2])
    corners = outlines.shape[-2]
    first, last = (np.broadcast_to(e, (*shape, 2)) for e in (start, end))
    away = np.broadcast_to(outlines, (*shape, corners, 2)) - first[..., None, :]
    x, y = np.moveaxis(away, (-1, -2), (0, 1)).reshape(2, corners, -1)
    u, v = np.moveaxis(last - first, -1, 0).reshape(2, -1)
    return clearances_from_origin(x, y, u, v).reshape(shape)


def clearances_from_origin(x: FloatArray, y: FloatArray, u: FloatArray, v: FloatArray) -> FloatArray:
    """Clearances of segments from the origin to (u, v), (n,) each, from outlines x and y, (v, n) each.

    Corners come first, so that every step runs over long rows.
    """
    block = max(_BLOCK // len(x), 1)
    if len(u) > block:
        cuts = [slice(i, i + block) for i in range(0, len(u), block)]
        return np.concatenate([clearances_from_origin(x[:, c], y[:, c], u[c], v[c]) for c in cuts])
    length = np.sqrt(u * u + v * v)
    scale = 1.0 / np.where(length > 0.0, length, 1.0)
    a, b = u * scale, v * scale
    side = a * y - b * x
    out = np.maximum(side.min(axis=0), -side.max(axis=0))
    # A convex outline wholly to one side, whose nearest corner lies beside the segment: that is all.
    apart = np.flatnonzero(out > 0.0)
    nearest = np.abs(side[:, apart]).argmin(axis=0)
    along = a[apart] * x[nearest, apart] + b[apart] * y[nearest, apart]
    hard = np.ones(len(out), dtype=bool)
    hard[apart] = (along < 0.0) | (along > length[apart])
    rest = np.flatnonzero(hard)
    if len(rest):
        sideways = np.where(length[rest] > 0.0, out[rest], -np.inf)
        out[rest] = _past_an_end(x[:, rest], y[:, rest], u[rest], v[rest], sideways)
    return np.asarray(out)


def _past_an_end(
    x: FloatArray, y: FloatArray, u: FloatArray, v: FloatArray, sideways: FloatArray
) -> FloatArray:
    """The same where no corner decides alone; `sideways` is how far each lies to one side of the line."""
    p, q = np.empty_like(x), np.empty_like(y)
    np.subtract(x[1:], x[:-1], out=p[:-1])
    np.subtract(x[0], x[-1], out=p[-1])
    np.subtract(y[1:], y[:-1], out=q[:-1])
    np.subtract(y[0], y[-1], out=q[-1])
    length = np.sqrt(p * p + q * q)
    real = length > 0.0
    scale = 1.0 / np.where(real, length, 1.0)
    p *= scale
    q *= scale
    beyond = p * y - q * x
    beyond += np.minimum(q * u - p * v, 0.0)
    beyond[~real] = -np.inf
    apart = np.maximum(beyond.max(axis=0), sideways)
    out = np.flatnonzero(apart > 0.0)
    if len(out):
        p, q, length = p[:, out], q[:, out], length[:, out]

        def square(a: FloatArray, b: FloatArray) -> FloatArray:
            t = np.minimum(np.maximum(-(a * p + b * q), 0.0), length)
            c, d = a + t * p, b + t * q
            return np.asarray((c * c + d * d).min(axis=0))

        a, b = x[:, out], y[:, out]
        apart[out] = np.sqrt(np.minimum(square(a, b), square(a - u[out], b - v[out])))
    return np.asarray(apart)


Heights = tuple[float, float]
"""How high above the table a line of sight starts (the muzzle) and ends (the target), inches."""


def past(
    start: FloatArray, end: FloatArray, parts: Parts, poses: FloatArray, heights: Heights | None = None
) -> FloatArray:
    """The signed clearance of segments (..., m, 2) from parts at poses (..., pieces, 3): (..., m, k).

    The parts of a hollow piece meet in seams that are not there: a line along one is as deep inside
    as it is inside the whole outline. With `heights` a part only counts where the line runs below its
    top; one that it clears altogether is infinitely far away.
    """
    first, last = start[..., :, None, :], end[..., :, None, :]
    below = np.ones(len(parts.tops), dtype=bool)
    if heights is not None:
        low, high, below = _below_tops(parts.tops, heights)
        way = last - first
        first, last = first + low[:, None] * way, first + high[:, None] * way
    each = clearances(first, last, parts.at(poses)[..., None, :, :, :])
    each = np.where(below, each, np.inf)
    for piece, outline in parts.hollow:
        mine = np.flatnonzero(parts.owner == piece)
        if not len(mine):
            continue
        at = np.nonzero(each[..., mine].min(axis=-1) <= TOUCH)
        if not len(at[0]):
            continue
        there = to_table(poses[..., piece, :], outline)[at[:-1]]
        ends = [np.broadcast_to(e, (*each.shape, 2))[..., mine[0], :][at] for e in (first, last)]
        depth = depth_inside(ends[0], ends[1], np.broadcast_to(there, (len(at[0]), *outline.shape)))
        here = (*at, np.full(len(at[0]), mine[0]))
        each[here] = np.minimum(each[here], np.where(depth > TOUCH, -depth, np.inf))
    return each


def _below_tops(tops: FloatArray, heights: Heights) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """The stretch of a line (shares 0 to 1) that runs below each top, and whether there is one."""
    muzzle, target = heights
    rise = target - muzzle
    crossing = np.clip((tops - muzzle) / rise, 0.0, 1.0) if rise else np.zeros(len(tops))
    low = np.where((muzzle >= tops) & (rise < 0.0), crossing, 0.0)
    high = np.where((target >= tops) & (rise > 0.0), crossing, 1.0)
    return low, high, np.minimum(muzzle, target) < tops


def depth_inside(start: FloatArray, end: FloatArray, outlines: FloatArray) -> FloatArray:
    """How deep segments (m, 2) reach into outlines (m, v, 2), hollow or not, inches; 0 if they do not.

    Taken at the middle of each stretch between two crossings: a little less than the deepest point,
    never more, and above 0 exactly when a stretch lies inside.
    """
    block = max(_BLOCK // (4 * outlines.shape[1]), 1)
    if len(start) > block:
        cuts = [slice(i, i + block) for i in range(0, len(start), block)]
        return np.concatenate([depth_inside(start[c], end[c], outlines[c]) for c in cuts])
    x, y = outlines[..., 0] - start[:, None, 0], outlines[..., 1] - start[:, None, 1]
    p, q = np.roll(x, -1, axis=1) - x, np.roll(y, -1, axis=1) - y
    u, v = (end - start).T[..., None]
    cross = u * q - v * p
    t = (x * q - y * p) / np.where(cross == 0.0, np.inf, cross)
    t = np.concatenate([np.zeros_like(u), np.ones_like(u), t], axis=1)
    t = np.sort(np.minimum(np.maximum(t, 0.0), 1.0), axis=1)
    row, stretch = np.nonzero(t[:, 1:] - t[:, :-1] > 1e-12)
    middle = (t[row, stretch] + t[row, stretch + 1]) / 2
    a, b = (x[row] - (middle * u[row, 0])[:, None]), (y[row] - (middle * v[row, 0])[:, None])
    p, q = p[row], q[row]
    # A ray to the right crosses the outline an odd number of times from inside.
    crosses = (b <= 0.0) != (b + q <= 0.0)
    right = a * q - b * p
    odd = ((crosses & (np.where(q > 0.0, right, -right) > 0.0)).sum(axis=1) % 2).astype(bool)
    row, a, b, p, q = row[odd], a[odd], b[odd], p[odd], q[odd]
    along = -(a * p + b * q) / np.maximum(p * p + q * q, 1e-300)
    along = np.minimum(np.maximum(along, 0.0), 1.0)
    c, d = a + along * p, b + along * q
    depth = np.zeros(len(start))
    np.maximum.at(depth, row, np.sqrt((c * c + d * d).min(axis=1, initial=np.inf)))
    return depth


def following(corners: FloatArray) -> FloatArray:
    """Of every corner of outlines (..., v, 2) the next one."""
    return np.concatenate([corners[..., 1:, :], corners[..., :1, :]], axis=-2)


def ray_distances(turn: FloatArray, outline: FloatArray) -> FloatArray:
    """How far rays from the origin (n,) go until they meet each edge, (n, v).

    Infinite where they do not; `turn` in radians. One outline (v, 2), or one for each ray (n, v, 2).
    """
    ray_x, ray_y = np.cos(turn)[:, None], np.sin(turn)[:, None]
    step = following(outline) - outline
    x, y, step_x, step_y = outline[..., 0], outline[..., 1], step[..., 0], step[..., 1]
    across = ray_x * step_y - ray_y * step_x
    safe = np.where(across == 0.0, 1.0, across)
    far = (x * step_y - y * step_x) / safe
    at = (x * ray_y - y * ray_x) / safe
    good = (across != 0.0) & (at >= 0.0) & (at <= 1.0) & (far > 0.0)
    return np.asarray(np.where(good, far, np.inf))


def gaps(outlines_a: FloatArray, outlines_b: FloatArray) -> FloatArray:
    """The signed gap in inches between convex outlines (..., v, 2) and (..., w, 2), counter-clockwise.

    Positive is the distance, negative minus the overlap's depth: the shortest shift that parts them.
    """
    shape = np.broadcast_shapes(outlines_a.shape[:-2], outlines_b.shape[:-2])
    # Corners come first, so that every step runs over long rows; about a corner, where rounding is least.
    origin = np.broadcast_to(outlines_a[..., :1, :], (*shape, 1, 2))
    a, b = (
        np.ascontiguousarray(np.moveaxis(o - origin, (-1, -2), (0, 1)).reshape(2, o.shape[-2], -1))
        for o in (outlines_a, outlines_b)
    )
    block = max(_BLOCK // (a.shape[1] * b.shape[1]), 1)
    cuts = [slice(i, i + block) for i in range(0, a.shape[2], block)]
    found = [_gaps(a[..., c], b[..., c]) for c in cuts]
    return np.concatenate(found).reshape(shape) if found else np.zeros(shape)


def _gaps(a: FloatArray, b: FloatArray) -> FloatArray:
    """The same for outlines (2, v, n) and (2, w, n)."""
    steps = [np.concatenate([o[:, 1:], o[:, :1]], axis=1) - o for o in (a, b)]
    found = np.maximum(_apart(a, steps[0], b), _apart(b, steps[1], a))
    rest = np.flatnonzero(found > 0.0)
    if len(rest):
        if len(rest) < len(found):
            a, b, steps = a[..., rest], b[..., rest], [step[..., rest] for step in steps]
        found[rest] = np.sqrt(np.minimum(_squared(a, steps[0], b), _squared(b, steps[1], a)))
    return found


def _apart(start: FloatArray, step: FloatArray, others: FloatArray) -> FloatArray:
    """How far corners (2, w, n) all lie beyond an edge (2, v, n), of the edge where it is most: (n,)."""
    (x, y), (u, v) = start, step
    length = np.sqrt(u * u + v * v)
    away = v[:, None] * others[0]
    away -= u[:, None] * others[1]
    beyond = away.min(axis=1) - (v * x - u * y)
    # Edges of no length fill an outline up.
    beyond = np.divide(beyond, length, out=np.full_like(beyond, -np.inf), where=length > 0.0)
    return np.asarray(beyond.max(axis=0))


def _squared(start: FloatArray, step: FloatArray, corners: FloatArray) -> FloatArray:
    """The least square of a distance from corners (2, w, n) to edges (2, v, n): (n,)."""
    u, v = step[:, :, None]
    x, y = corners[:, None] - start[:, :, None]
    along = (x * u + y * v) / np.maximum(u * u + v * v, np.finfo(float).tiny)
    along = np.minimum(np.maximum(along, 0.0), 1.0)
    x -= along * u
    y -= along * v
    return np.asarray((x * x + y * y).min(axis=(0, 1)))
