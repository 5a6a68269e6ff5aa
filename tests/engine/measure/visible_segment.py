"""The shortest visible segment against brute force.

Random scenes of two outlines and up to five obstacles. What `closest_visible` finds is held against two
things that share no code with it. Its own segment must be clear, end on both outlines, and be as long as it
says: shapely tells. And no clear segment may be shorter by more than a millionth of an inch: all pairs of
points along both outlines and of their corners are tried, and the three shortest clear pairs are pulled
tighter step by step. Where nothing is found, no pair may be clear.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import shapely
from shapely.geometry import LineString, MultiPolygon, Point
from shapely.ops import unary_union

from engine.measure.seeing.closest import closest_visible
from engine.space.catalogue import CARS, box
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing

TOLERANCE = 1e-6
"""Inches by which the two may differ."""

DENSE = 24
"""Points along each outline, besides its corners."""

OBSTACLES, RUNS = 30, 60
"""On the tables on which the time is taken, and how many of them."""

ROUNDS = 12
"""How often the best pairs of brute force are pulled tighter."""

MODELS = tuple(CARS)


def scene(seed: int, most: int = 5, size: float = 14.0) -> tuple[Standing, Standing, list[Standing]]:
    """Two cars and obstacles that touch neither of them nor one another."""
    rng = np.random.default_rng(seed)
    placed: list[Standing] = []
    covered: list[shapely.Polygon] = []

    def put(name: str, kind: Any, body: Any) -> None:
        for _ in range(60):
            x, y, heading = rng.uniform((0, 0, -math.pi), (size, size, math.pi))
            at = Pose(float(x), float(y), float(heading))
            one = Standing(Piece(name, kind, body), at, PoseUncertainty.exact())
            polygon = one.region.polygon
            if (shapely.distance(covered, polygon) > 0.02).all():
                placed.append(one)
                covered.append(polygon)
                return

    for name in ("Red", "Blue"):
        put(name, "car", CARS[MODELS[int(rng.integers(len(MODELS)))]])
    for k in range(int(rng.integers(0, most + 1))):
        length, width = (float(v) for v in rng.uniform(0.3, 5.0, 2))
        put(f"Wall {k}", "terrain", box(length, width, 1.0))
    return placed[0], placed[1], placed[2:]


def _block(rng: np.random.Generator) -> Body:
    """A box of half an inch to three."""
    length, width = (float(v) for v in rng.uniform(0.5, 3.0, 2))
    return box(length, width, 1.0)


def disagreement(a: Standing, b: Standing, walls: list[Standing]) -> str:
    """What is wrong with the answer of a scene; empty when brute force agrees."""
    found = closest_visible(a, b, walls)
    best = brute(a, b, walls, math.inf if found is None else found.value)
    if found is None:
        return "" if best is None else f"nothing found, but {best:.6f} in are clear"
    assert found.witness.line is not None
    line = LineString(found.witness.line)
    inside = unary_union([s.region.polygon for s in walls]).buffer(-1e-7) if walls else MultiPolygon()
    off = max(s.region.polygon.exterior.distance(Point(p)) for s, p in zip((a, b), line.coords, strict=True))
    if line.intersection(inside).length > TOLERANCE:
        return "its segment runs through an obstacle"
    if off > TOLERANCE or abs(line.length - found.value) > TOLERANCE:
        return f"its segment ends {off:.2g} in off an outline or has another length"
    if best is not None and best < found.value - TOLERANCE:
        return f"{found.value:.6f} in found, but {best:.6f} in are clear"
    return ""


def brute(a: Standing, b: Standing, walls: list[Standing], known: float) -> float | None:
    """The shortest clear segment among dense points, pulled tighter; None where none is clear.

    Only pairs that could be shorter than what is `known` are looked at, and of none known all.
    """
    solid = _solid(walls)
    rings = [s.region.polygon.exterior for s in (a, b)]
    p, q = (_points(ring) for ring in rings)
    lengths = np.hypot(*np.moveaxis(p[:, None] - q[None], -1, 0))
    i, j = np.nonzero(lengths < known - TOLERANCE)
    if not len(i):
        # Nothing dense is shorter: the pair nearest to it may still be pulled below it.
        i, j = (n.ravel()[np.argsort(lengths.ravel())[:40]] for n in np.indices(lengths.shape))
    clear = _clear(p[i], q[j], solid)
    if not clear.any():
        return None
    order = np.argsort(lengths[i, j][clear])[:3]
    return _tighter(rings, np.stack([p[i][clear][order], q[j][clear][order]], axis=1), solid)


def _solid(walls: list[Standing]) -> list[tuple[shapely.Polygon, shapely.Polygon]]:
    """Each obstacle, made ready to be asked often, and what lies inside it by more than rounding."""
    polygons = [s.region.polygon for s in walls]
    shapely.prepare(polygons)
    return [(polygon, polygon.buffer(-1e-9)) for polygon in polygons]


def _along(ring: shapely.LinearRing, at: FloatArray) -> FloatArray:
    """The points so far along a ring, inches, (n, 2)."""
    return np.asarray(shapely.get_coordinates(shapely.line_interpolate_point(ring, at % ring.length)))


def _points(ring: shapely.LinearRing) -> FloatArray:
    even = np.arange(DENSE) * (ring.length / DENSE)
    return np.concatenate([shapely.get_coordinates(ring)[:-1], _along(ring, even)])


def _clear(
    starts: FloatArray, ends: FloatArray, solid: list[tuple[shapely.Polygon, shapely.Polygon]]
) -> np.ndarray[Any, Any]:
    """Which segments run through the inside of no obstacle."""
    lines = shapely.linestrings(np.stack([starts, ends], axis=1))
    free = np.ones(len(lines), dtype=bool)
    for polygon, inner in solid:
        crossing = np.flatnonzero(free)[shapely.intersects(polygon, lines[free])]
        if len(crossing):
            free[crossing] = shapely.length(shapely.intersection(lines[crossing], inner)) <= 1e-9
    return free


def _tighter(
    rings: list[shapely.LinearRing],
    pairs: FloatArray,
    solid: list[tuple[shapely.Polygon, shapely.Polygon]],
) -> float:
    """Clear pairs (n, 2, 2) pulled along both outlines, each as long as it stays clear and gets shorter."""
    at = np.stack([shapely.line_locate_point(r, shapely.points(pairs[:, k])) for k, r in enumerate(rings)], 1)
    ways = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)], dtype=np.float64)
    each, best = np.arange(len(pairs)), np.hypot(*(pairs[:, 0] - pairs[:, 1]).T)
    step = np.full(len(pairs), 0.5)
    for _ in range(ROUNDS):
        moved = at[:, None] + ways * step[:, None, None]
        ends = [_along(ring, moved[..., k].ravel()) for k, ring in enumerate(rings)]
        lengths = np.hypot(*(ends[0] - ends[1]).T)
        good = np.where(_clear(ends[0], ends[1], solid), lengths, np.inf).reshape(-1, len(ways))
        k = good.argmin(axis=1)
        shorter = good[each, k] < best - 1e-12
        best = np.where(shorter, good[each, k], best)
        at = np.where(shorter[:, None], moved[each, k], at)
        step = np.where(shorter, step, step / 2.0)
    return float(best.min())
