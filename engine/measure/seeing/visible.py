"""How much of it can be seen: the visible region, the visible share."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from shapely.geometry import Point, Polygon

from engine.errors import ShapeError, TableRefError
from engine.measure.sight import IntArray
from engine.space.geometry import FloatArray, Region
from engine.space.table import Standing

BoolArray = NDArray[np.bool_]


def visible_region(point: ArrayLike, surface: Region, blockers: Sequence[Standing]) -> Region:
    """Everything on the surface that can be seen from a point (2,), past the blockers, as a polygon.

    Blockers that cover the point itself do not count: nobody is blinded by the own body. Raises
    `TableRefError` for a point off the surface.
    """
    eye = np.asarray(point, dtype=np.float64)
    rim = surface.outline - eye
    if not (_holds_origin(rim) or surface.polygon.covers(Point(*eye))):
        raise TableRefError(f"expected a point on the surface but got ({eye[0]:.2f}, {eye[1]:.2f})")
    outlines: list[FloatArray] = [s.pose.to_table(s.piece.body.footprint.outline) - eye for s in blockers]
    outlines = [o for o in outlines if not _holds_origin(o)]
    start = np.concatenate([*outlines, rim])
    end = np.concatenate([np.roll(o, -1, axis=0) for o in (*outlines, rim)])
    # An outline is met first at an edge that faces the eye; the rim is seen from inside.
    turning = start[:, 0] * end[:, 1] - start[:, 1] * end[:, 0]
    turning[: -len(rim)] *= -1.0
    facing = turning > 1e-12
    start, end = start[facing], end[facing]
    crossings = _crossings(outlines, rim)
    first, last = (np.arctan2(e[:, 1], e[:, 0]) for e in (start, end))
    turn = np.unique(np.concatenate([first, last, np.arctan2(crossings[:, 1], crossings[:, 0])]))
    wall, open_ = _first_wall(turn, np.minimum(first, last), np.maximum(first, last), start, end)
    following = np.append(turn[1:], turn[0] + math.tau)
    corners = np.stack([_on_wall(t, start[wall], end[wall]) for t in (turn, following)], axis=1)
    # From the very edge there is nothing to see outward: the outline comes back to the eye.
    corners[open_] = 0.0
    # Along one edge only the first and the last corner count.
    changes = (wall != np.roll(wall, 1)) | (open_ != np.roll(open_, 1))
    outline = corners[np.stack([changes, np.roll(changes, -1)], axis=1)] + eye
    keep = np.hypot(*(outline - np.roll(outline, 1, axis=0)).T) > 1e-9
    try:
        return Region(outline[keep])
    except ShapeError:
        # Rounding may fold a spike of no width; what is left is the same region.
        seen = Polygon(outline[keep]).buffer(0)
        largest = max(getattr(seen, "geoms", [seen]), key=lambda p: p.area)
        return Region(np.array(largest.exterior.coords)[:-1])


def _holds_origin(outline: FloatArray) -> bool:
    """Whether an outline goes round the origin: a ray to the right crosses it an odd number of times."""
    x, y = outline[:, 0], outline[:, 1]
    p, q = np.roll(x, -1), np.roll(y, -1)
    crosses = (y <= 0.0) != (q <= 0.0)
    right = (x * q - y * p) * np.where(q > y, 1.0, -1.0) > 0.0
    return bool((crosses & right).sum() % 2)


def _crossings(outlines: Sequence[FloatArray], rim: FloatArray) -> FloatArray:
    """Where outlines that overlap, or reach over the rim, cross each other, (n, 2)."""
    found = [np.zeros((0, 2))]
    if outlines:
        low = np.array([o.min(axis=0) for o in outlines])
        high = np.array([o.max(axis=0) for o in outlines])
        meet = (low[:, None] <= high[None]).all(axis=-1) & (low[None] <= high[:, None]).all(axis=-1)
        first, second = np.nonzero(np.triu(meet, 1))
        found += [
            _meetings(outlines[i], outlines[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]
        # A rim that is a box holds whatever lies between its corners; any other is looked at for each piece.
        near, far = rim.min(axis=0), rim.max(axis=0)
        box = len(rim) == 4 and bool(((rim == near) | (rim == far)).all())
        over = (low <= near).any(axis=1) | (high >= far).any(axis=1) | (not box)
        found += [_meetings(outlines[i], rim) for i in np.flatnonzero(over).tolist()]
    return np.concatenate(found)


def _meetings(a: FloatArray, b: FloatArray) -> FloatArray:
    """The points at which the edges of two outlines cross, (n, 2)."""
    u, v = np.roll(a, -1, axis=0) - a, np.roll(b, -1, axis=0) - b
    cross = u[:, None, 0] * v[:, 1] - u[:, None, 1] * v[:, 0]
    safe = np.where(cross == 0.0, np.inf, cross)
    away = b - a[:, None]
    t = (away[..., 0] * v[:, 1] - away[..., 1] * v[:, 0]) / safe
    s = (away[..., 0] * u[:, None, 1] - away[..., 1] * u[:, None, 0]) / safe
    i, j = np.nonzero((cross != 0.0) & (t >= 0.0) & (t <= 1.0) & (s >= 0.0) & (s <= 1.0))
    return np.asarray(a[i] + t[i, j, None] * u[i])


def _first_wall(
    turn: FloatArray, low: FloatArray, high: FloatArray, start: FloatArray, end: FloatArray
) -> tuple[IntArray, BoolArray]:
    """Which edge is met first between each direction and the next, and whether none is.

    `turn` holds every edge's ends, `low` and `high` (e,), so each edge spans whole steps of it.
    """
    n = len(turn)
    middle = turn + np.diff(turn, append=turn[0] + math.tau) / 2
    i, j = np.searchsorted(turn, low), np.searchsorted(turn, high)
    # An edge spans less than half a turn: the other way round if its ends lie further apart.
    wraps = high - low > math.pi
    i, j = np.where(wraps, j, i), np.where(wraps, i + n, j)
    edge = np.repeat(np.arange(len(i)), j - i)
    step_of = np.arange(len(edge)) - np.repeat(np.cumsum(j - i) - (j - i), j - i) + i[edge]
    ray = np.mod(step_of, n)
    u = np.stack([np.cos(middle), np.sin(middle)], axis=-1)[ray]
    p, way = start[edge], end[edge] - start[edge]
    far = (p[:, 0] * way[:, 1] - p[:, 1] * way[:, 0]) / (u[:, 0] * way[:, 1] - u[:, 1] * way[:, 0])
    order = np.lexsort((far, ray))
    rays, place = np.unique(ray[order], return_index=True)
    wall, none = np.zeros(n, dtype=np.intp), np.ones(n, dtype=bool)
    wall[rays], none[rays] = edge[order][place], False
    return wall, none


def _on_wall(turn: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Where rays from the origin meet the lines of segments, one each."""
    ray = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    step = end - start
    across = ray[:, 0] * step[:, 1] - ray[:, 1] * step[:, 0]
    far = (start[:, 0] * step[:, 1] - start[:, 1] * step[:, 0]) / np.where(across == 0.0, 1.0, across)
    return np.asarray(far[:, None] * ray)
