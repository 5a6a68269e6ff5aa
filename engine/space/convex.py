"""Into which convex parts does an outline fall, and how are many of them held in one array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.errors import ShapeError

FloatArray = NDArray[np.float64]

_FLAT = 1e-12

_Point = FloatArray | list[float]


def _cross(o: _Point, a: _Point, b: _Point) -> float:
    return float((a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]))


def is_convex(outline: FloatArray) -> bool:
    """Whether a counter-clockwise outline, shape (n, 2), has no hollow."""
    before, after = np.roll(outline, 1, axis=0), np.roll(outline, -1, axis=0)
    u, v = outline - before, after - outline
    return bool((u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] >= -_FLAT).all())


def _ear(points: FloatArray, ring: list[int]) -> int | None:
    """The position in `ring` of a corner that can be cut off, the fullest first."""
    best, fullest = None, _FLAT
    for i, corner in enumerate(ring):
        before, after = ring[i - 1], ring[(i + 1) % len(ring)]
        a, b, c = points[before], points[corner], points[after]
        area = _cross(a, b, c)
        if area <= fullest:
            continue
        others = [points[k] for k in ring if k not in (before, corner, after)]
        if any(
            _cross(a, b, p) >= -_FLAT and _cross(b, c, p) >= -_FLAT and _cross(c, a, p) >= -_FLAT
            for p in others
        ):
            continue
        best, fullest = i, area
    return best


def _triangles(points: FloatArray) -> list[list[int]]:
    ring = list(range(len(points)))
    triangles = []
    while len(ring) > 3:
        i = _ear(points, ring)
        if i is None:
            # What is left is flat, or pinched to within rounding: drop the flattest corner.
            areas = [
                abs(_cross(points[ring[k - 1]], points[ring[k]], points[ring[(k + 1) % len(ring)]]))
                for k in range(len(ring))
            ]
            ring.pop(int(np.argmin(areas)))
            continue
        triangles.append([ring[i - 1], ring[i], ring[(i + 1) % len(ring)]])
        ring.pop(i)
    if _cross(*points[ring]) > _FLAT:
        triangles.append(ring)
    return triangles


def _joined(points: FloatArray, a: list[int], b: list[int]) -> list[int] | None:
    """The union of two counter-clockwise rings over an edge they share, if it is convex."""
    for i, start in enumerate(a):
        end = a[(i + 1) % len(a)]
        for j, other in enumerate(b):
            if other == end and b[(j + 1) % len(b)] == start:
                rest = [b[(j + 2 + k) % len(b)] for k in range(len(b) - 2)]
                ring = a[i + 1 :] + a[: i + 1] + rest
                return ring if is_convex(points[ring]) else None
    return None


def convex_parts(outline: FloatArray) -> tuple[FloatArray, ...]:
    """The outline, shape (n, 2), counter-clockwise, as convex outlines that fill it without overlap."""
    if is_convex(outline):
        return (outline,)
    rings = _triangles(outline)
    if not rings:
        raise ShapeError("an outline must enclose an area; list its corners in order round the shape")
    merged = True
    while merged:
        merged = False
        for i in range(len(rings)):
            for j in range(i + 1, len(rings)):
                ring = _joined(outline, rings[i], rings[j])
                if ring is not None:
                    rings[i] = ring
                    rings.pop(j)
                    merged = True
                    break
            if merged:
                break
    return tuple(outline[ring] for ring in rings)


def stacked(outlines: Sequence[FloatArray]) -> FloatArray:
    """Outlines of different lengths as one (k, v, 2) array, each filled up by repeating its last corner."""
    if not outlines:
        return np.zeros((0, 1, 2))
    most = max(len(o) for o in outlines)
    return np.stack([np.concatenate([o, np.repeat(o[-1:], most - len(o), axis=0)]) for o in outlines])


def distinct(outline: FloatArray) -> FloatArray:
    """An outline without the corners that were repeated to fill it up."""
    return np.asarray(outline[(outline != np.roll(outline, 1, axis=0)).any(axis=1)])


def hull_of(points: FloatArray) -> FloatArray:
    """The convex hull of points (n, 2), counter-clockwise, without corners in a straight line."""
    ring: list[list[float]] = []
    ordered: list[list[float]] = sorted(points.tolist())
    for half in (ordered, ordered[::-1]):
        kept = len(ring)
        for point in half:
            while len(ring) - kept >= 2 and _cross(ring[-2], ring[-1], point) <= 0.0:
                ring.pop()
            ring.append(point)
        ring.pop()
    return np.array(ring)
