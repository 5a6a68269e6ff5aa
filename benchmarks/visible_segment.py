"""`python -m benchmarks.visible_segment [--scenes N]`: the shortest visible segment against brute force.

Random scenes of two outlines and up to five obstacles. What `closest_visible` finds is held against two
things that share no code with it. Its own segment must be clear, end on both outlines, and be as long as it
says: shapely tells. And no clear segment may be shorter by more than a millionth of an inch: all pairs of
points along both outlines, their corners and the shadows of all obstacles' corners on them are tried, and the
shortest clear pair is pulled tighter point by point. Where nothing is found, no pair may be clear. One core.

Then the time for one pair past 30 obstacles, and how often what is called at 95 % comes true when all places
are only known so well.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import time
from dataclasses import replace
from typing import Any

import numpy as np
import shapely
from shapely.geometry import LineString, MultiPolygon, Point
from shapely.ops import unary_union

from engine.measure.visible import closest_visible
from engine.measure.visible_range import visible_range
from engine.ruling import Verdict
from engine.space.catalogue import CARS, box
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing

SCENES = 200_000
TOLERANCE = 1e-6
"""Inches by which the two may differ."""

DENSE = 24
"""Points along each outline, besides corners and shadows."""

ROUNDS = 12
"""How often the best pair of brute force is pulled tighter."""

MODELS = tuple(CARS)


def scene(seed: int, most: int = 5, size: float = 14.0) -> tuple[Standing, Standing, list[Standing]]:
    """Two cars and obstacles that touch neither of them nor one another."""
    rng = np.random.default_rng(seed)
    placed: list[Standing] = []

    def put(name: str, kind: Any, body: Any) -> None:
        for _ in range(60):
            x, y, heading = rng.uniform((0, 0, -math.pi), (size, size, math.pi))
            at = Pose(float(x), float(y), float(heading))
            one = Standing(Piece(name, kind, body), at, PoseUncertainty.exact())
            if all(one.region.polygon.distance(s.region.polygon) > 0.02 for s in placed):
                placed.append(one)
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
    solid = [s.region.polygon for s in walls]
    p, q = _points(a), _points(b)
    lengths = np.hypot(*np.moveaxis(p[:, None] - q[None], -1, 0))
    i, j = np.nonzero(lengths < known - TOLERANCE)
    if not len(i):
        # Nothing dense is shorter: the pair nearest to it may still be pulled below it.
        i, j = (n.ravel()[np.argsort(lengths.ravel())[:40]] for n in np.indices(lengths.shape))
    clear = _clear(p[i], q[j], solid)
    if not clear.any():
        return None
    order = np.argsort(lengths[i, j][clear])[:3]
    pairs = [(p[i][clear][k], q[j][clear][k]) for k in order]
    return min(_tighter(a, b, one, other, solid) for one, other in pairs)


def _points(standing: Standing) -> FloatArray:
    outline = standing.region.outline
    ring = standing.region.polygon.exterior
    even = [ring.interpolate(t, normalized=True).coords[0] for t in np.linspace(0, 1, DENSE, endpoint=False)]
    return np.concatenate([outline, np.array(even)])


def _clear(starts: FloatArray, ends: FloatArray, solid: list[Any]) -> np.ndarray[Any, Any]:
    """Which segments run through the inside of no obstacle."""
    lines = shapely.linestrings(np.stack([starts, ends], axis=1))
    free = np.ones(len(lines), dtype=bool)
    for polygon in solid:
        crossing = free & shapely.intersects(lines, polygon)
        if crossing.any():
            inside = shapely.length(shapely.intersection(lines[crossing], polygon.buffer(-1e-9)))
            free[crossing] = inside <= 1e-9
    return free


def _tighter(a: Standing, b: Standing, p: FloatArray, q: FloatArray, solid: list[Any]) -> float:
    """A clear pair pulled along both outlines as long as it stays clear and gets shorter."""
    rings = [s.region.polygon.exterior for s in (a, b)]
    at = [ring.project(Point(*e)) for ring, e in zip(rings, (p, q), strict=True)]
    step, best = 0.5, math.dist(p, q)
    for _ in range(ROUNDS):
        shifts = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]) * step
        ends = [
            np.array([ring.interpolate((t + s) % ring.length).coords[0] for s in shifts[:, k]])
            for k, (ring, t) in enumerate(zip(rings, at, strict=True))
        ]
        lengths = np.hypot(*(ends[0] - ends[1]).T)
        good = np.where(_clear(ends[0], ends[1], solid), lengths, np.inf)
        k = int(good.argmin())
        if good[k] < best - 1e-12:
            best = float(good[k])
            at = [t + shifts[k, n] for n, t in enumerate(at)]
        else:
            step /= 2.0
    return best


def timing(obstacles: int = 30, runs: int = 60) -> float:
    """Milliseconds of one core for one pair past so many obstacles on a table: the median."""
    found = []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        walls = [
            Standing(
                Piece(f"W{k}", "terrain", _block(rng)),
                Pose(*map(float, rng.uniform((6, 2, -3), (42, 46, 3)))), PoseUncertainty.exact(),
            )
            for k in range(obstacles)
        ]  # fmt: skip
        ends = [
            Standing(Piece(n, "car", CARS["sedan"]), Pose(x, 24.0, 0.3), PoseUncertainty.exact())
            for n, x in (("Red", 3.0), ("Blue", 45.0))
        ]
        start = time.process_time()
        closest_visible(ends[0], ends[1], walls)
        found.append((time.process_time() - start) * 1e3)
    return statistics.median(found)


def calibration(count: int) -> dict[str, float]:
    """Of attacks whose range and sight are called at 95 %, how many come true; and how many are called."""
    called = right = callable_ = answered = 0
    for seed in range(count):
        rng = np.random.default_rng(10_000_000 + seed)
        true = scene(20_000_000 + seed, 4)
        everyone = [true[0], true[1], *true[2]]
        exact = visible_range(true[0], true[1], true[2])
        limit = exact.direct.value * float(rng.uniform(0.9, 1.15))
        truth = exact.distance is not None and exact.distance.value <= limit
        sd, turn = float(rng.uniform(0.01, 0.05)), math.radians(float(rng.uniform(0.2, 1.5)))
        seen = [_shaken(s, sd, turn, rng) for s in everyone]
        verdict = visible_range(seen[0], seen[1], seen[2:]).at_most(limit).verdict()
        called += verdict is not Verdict.TOO_CLOSE
        right += verdict is (Verdict.YES if truth else Verdict.NO)
        clear = exact.distance is None or abs(exact.distance.value - limit) > 6 * sd
        callable_ += clear
        answered += clear and verdict is not Verdict.TOO_CLOSE
    return {
        "scenes": count, "called": called, "right_of_called": round(right / max(called, 1), 4),
        "answered_of_clear": round(answered / max(callable_, 1), 4),
    }  # fmt: skip


def _shaken(standing: Standing, sd: float, turn: float, rng: np.random.Generator) -> Standing:
    x, y, heading = rng.normal(size=3) * (sd, sd, turn)
    pose = standing.pose
    moved = Pose(pose.x + float(x), pose.y + float(y), pose.heading + float(heading))
    return replace(standing, pose=moved, uncertainty=PoseUncertainty.isotropic(sd, turn))


def main() -> None:
    """Runs and prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.visible_segment", description=__doc__)
    parser.add_argument("--scenes", type=int, default=SCENES)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--calibrated", type=int, default=500, help="scenes with uncertain places")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    wrong, hidden, bent = [], 0, 0
    for seed in range(asked.first, asked.first + asked.scenes):
        a, b, walls = scene(seed)
        if told := disagreement(a, b, walls):
            wrong.append(f"{seed}: {told}")
        found = visible_range(a, b, walls)
        hidden += found.distance is None
        bent += found.distance is not None and found.distance.value > found.direct.value + TOLERANCE
    record = {
        "scenes": asked.scenes,
        "disagreements": len(wrong),
        "nothing_visible": hidden,
        "past_a_corner": bent,
        "ms_past_30_obstacles": round(timing(), 2),
        "calibration": calibration(asked.calibrated),
    }
    print(json.dumps(record, indent=None if asked.json else 2))
    for line in wrong[:50]:
        print("WRONG", line)


if __name__ == "__main__":
    main()
