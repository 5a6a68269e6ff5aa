"""Independent truths for sight: whole-number arithmetic, shapely, dense sampling, brute-force draws.

Nothing here calls the code that it judges, except to ask for its answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon

from engine.measure import distances
from engine.measure.arcs import Arc
from engine.measure.sight import clearances
from engine.ruling import Verdict
from engine.space.catalogue import CARS, box, cylinder, polygon
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece
from engine.space.table import PoseUncertainty, Standing

IntArray = NDArray[np.int64]

NEAR = 1e-9


# Random tables ----------------------------------------------------------------------------


def crowded_table(
    rng: np.random.Generator, cars: int = 24, terrain: int = 30, size: float = 48.0, gap: float = 0.05
) -> tuple[list[Standing], list[Standing]]:
    """Cars and terrain that do not overlap on a square table: boxes, tins, and hollow hills."""
    angles = np.arange(9) * (math.tau / 9)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    pieces: list[Piece] = []
    for i in range(terrain):
        bodies = (
            box(float(rng.uniform(0.8, 5.0)), float(rng.uniform(0.8, 5.0)), 2.0),
            cylinder(float(rng.uniform(1.0, 4.0)), 3.0),
            polygon(ring * rng.uniform(0.6, 2.0, 9)[:, None], 2.0),
        )
        pieces.append(Piece(f"T{i}", "terrain", bodies[i % 3]))
    models = [m for m in CARS.values() if m.model != "rig-trailer"]
    pieces += [Piece(f"C{i}", "car", models[i % len(models)]) for i in range(cars)]
    stood: list[Standing] = []
    for piece in pieces:
        for _ in range(5000):
            x, y, turn = rng.uniform((2, 2, -3.1), (size - 2, size - 2, 3.1))
            one = Standing(piece, Pose(float(x), float(y), float(turn)), PoseUncertainty.exact())
            if all(one.region.polygon.distance(o.region.polygon) > gap for o in stood):
                stood.append(one)
                break
    return [s for s in stood if s.piece.driven], [s for s in stood if s.piece.kind == "terrain"]


# Segments past outlines, on whole numbers ---------------------------------------------------


def whole_number_scenes(rng: np.random.Generator, count: int) -> tuple[IntArray, IntArray]:
    """Segments (n, 2, 2) and convex counter-clockwise outlines (n, 8, 2) with whole coordinates.

    Small numbers, so that touching, shared corners and lines along edges are common.
    """
    segments = rng.integers(-12, 13, (count, 2, 2))
    low = rng.integers(-8, 6, (count, 2))
    size = rng.integers(1, 8, (count, 2))
    cut = np.minimum(rng.integers(0, 3, count), (size.min(axis=1) - 1) // 2)
    x0, y0 = low.T
    x1, y1 = (low + size).T
    octagon = np.stack(
        [
            np.stack([x0 + cut, y0], 1), np.stack([x1 - cut, y0], 1),
            np.stack([x1, y0 + cut], 1), np.stack([x1, y1 - cut], 1),
            np.stack([x1 - cut, y1], 1), np.stack([x0 + cut, y1], 1),
            np.stack([x0, y1 - cut], 1), np.stack([x0, y0 + cut], 1),
        ],
        axis=1,
    )  # fmt: skip
    # A whole-number turn: the outline grows with it, so the segment does too.
    p, q = rng.integers(1, 4, count), rng.integers(-3, 4, count)
    matrix = np.stack([np.stack([p, -q], 1), np.stack([q, p], 1)], axis=1)
    turned = np.einsum("nij,nvj->nvi", matrix, octagon)
    stretch = np.maximum(np.abs(p), np.abs(q))
    triangle = rng.integers(-10, 11, (count, 3, 2))
    a, b, c = (triangle[:, k] for k in range(3))
    area = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    triangle = np.where((area < 0)[:, None, None], triangle[:, ::-1], triangle)
    padded = np.concatenate([triangle, np.repeat(triangle[:, 2:], 5, axis=1)], axis=1)
    use = (rng.random(count) < 0.5) & (area != 0)
    outlines = np.where(use[:, None, None], padded, turned)
    return segments * np.where(use, 1, stretch)[:, None, None], outlines


def crosses_exactly(segments: IntArray, outlines: IntArray) -> NDArray[np.bool_]:
    """Whether segments pass through the inside of convex outlines: whole numbers only, no rounding."""
    a, b = segments[:, 0], segments[:, 1]
    edge = np.roll(outlines, -1, axis=1) - outlines
    out = np.stack([edge[..., 1], -edge[..., 0]], axis=-1)
    beyond = np.minimum(
        (out * (a[:, None] - outlines)).sum(axis=-1), (out * (b[:, None] - outlines)).sum(axis=-1)
    )
    real = (edge != 0).any(axis=-1)
    apart = (real & (beyond >= 0)).any(axis=1)
    way = b - a
    side = (
        way[:, None, 0] * (outlines - a[:, None])[..., 1] - way[:, None, 1] * (outlines - a[:, None])[..., 0]
    )
    point = (way == 0).all(axis=1)
    apart |= ~point & ((side >= 0).all(axis=1) | (side <= 0).all(axis=1))
    return np.asarray(~apart)


def segment_disagreements(rng: np.random.Generator, count: int, batch: int = 50_000) -> int:
    """Scenes in which clearance, whole-number arithmetic and shapely do not agree outside 1e-9."""
    wrong = 0
    for start in range(0, count, batch):
        segments, outlines = whole_number_scenes(rng, min(batch, count - start))
        lines, shapes = segments.astype(float), outlines.astype(float)
        found = clearances(lines[:, 0], lines[:, 1], shapes)
        crossed = crosses_exactly(segments, outlines)
        bad = (found < -NEAR) != crossed
        # On whole numbers a line that does cross does so by far more than rounding.
        closed = shapely.polygons(shapes)
        drawn = shapely.linestrings(lines)
        distance = shapely.distance(drawn, closed)
        bad |= np.abs(np.maximum(found, 0.0) - distance) > NEAR
        bad |= ~crossed & (found < -NEAR)
        wrong += int(bad.sum())
    return wrong


# Any part to any part -----------------------------------------------------------------------


def small_scene(rng: np.random.Generator) -> tuple[Standing, Standing, list[Standing]]:
    """Two cars with up to sixteen outlines between and about them, nothing touching."""
    everything: list[Standing] = []

    def put(piece: Piece, low: tuple[float, float], high: tuple[float, float]) -> None:
        for _ in range(50):
            x, y = rng.uniform(low, high)
            one = Standing(
                piece, Pose(float(x), float(y), float(rng.uniform(-3, 3))), PoseUncertainty.exact()
            )
            if all(one.region.polygon.distance(o.region.polygon) > 1e-3 for o in everything):
                everything.append(one)
                return

    models = list(CARS.values())
    put(Piece("A", "car", models[rng.integers(8)]), (2, 2), (4, 8))
    put(Piece("B", "car", models[rng.integers(8)]), (10, 2), (14, 8))
    angles = np.sort(rng.uniform(0, math.tau, 7))
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    for i in range(int(rng.integers(2, 17))):
        bodies = [
            box(float(rng.uniform(0.2, 4.0)), float(rng.uniform(0.2, 4.0)), 1.0),
            cylinder(float(rng.uniform(0.3, 2.0)), 1.0),
        ]
        hill = ring * rng.uniform(0.4, 1.6, 7)[:, None]
        if Polygon(hill).is_valid and np.diff(angles).max() < 3.0:
            bodies.append(polygon(hill, 1.0))
        put(Piece(f"T{i}", "terrain", bodies[rng.integers(len(bodies))]), (4, -1), (11, 11))
    return everything[0], everything[1], everything[2:]


def any_part_disagrees(a: Standing, b: Standing, blockers: Sequence[Standing], samples: int = 70) -> bool:
    """Whether dense sampling or shapely contradict the corridor.

    A clear answer is proved by its own line; a blocked one would be refuted by any clear sample.
    """
    seen = distances.outline_sight(a, b, blockers)
    if abs(seen.value) <= 1e-6:
        return False
    walls = shapely.union_all([s.region.polygon for s in blockers])
    if seen.value > 0.0:
        line = shapely.linestrings(seen.witness.line)
        return bool(shapely.distance(line, walls) < seen.value / 2.0 - 1e-6)
    shares = np.linspace(0, 1, samples)
    rims = [
        shapely.line_interpolate_point(s.region.polygon.exterior, shares, normalized=True) for s in (a, b)
    ]
    p, q = (shapely.get_coordinates(r) for r in rims)
    lines = np.stack(np.broadcast_arrays(p[:, None], q[None]), axis=2).reshape(-1, 2, 2)
    shapely.prepare(walls)
    return bool((~shapely.intersects(walls, shapely.linestrings(lines))).any())


# Calibration --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Calibration:
    """How verdicts at 95 % fared: the share of right ones, and too close against the unavoidable."""

    verdicts: int
    right: float
    too_close: float
    unavoidable: float

    @property
    def ratio(self) -> float:
        """Too close to call, over the share that a judge who knows every probability must leave open."""
        return self.too_close / max(self.unavoidable, 1e-12)


def _noisy(
    rng: np.random.Generator, truth: Sequence[Standing], own: FloatArray, shared: FloatArray
) -> list[Standing]:
    root = np.linalg.cholesky(own)
    common = shared @ rng.normal(size=shared.shape[1])
    out = []
    for s in truth:
        e = root @ rng.normal(size=3) + common
        pose = Pose(s.pose.x + float(e[0]), s.pose.y + float(e[1]), s.pose.heading + float(e[2]))
        out.append(Standing(s.piece, pose, PoseUncertainty(own, shared)))
    return out


def _exactly(s: Standing) -> Standing:
    return Standing(s.piece, s.pose, PoseUncertainty.exact())


def calibration(rng: np.random.Generator, tables: int = 200, draws: int = 120) -> Calibration:
    """Verdicts on tables near their limits, with places drawn from their covariances.

    The unavoidable share comes from brute force: the places are drawn again about what was seen, and
    every drawn table is ruled as an exact one; between 5 % and 95 % yes nobody can say.
    """
    given = right = close = due = asked = 0
    for _ in range(tables):
        sd, turn = rng.uniform(0.01, 0.08), rng.uniform(0.002, 0.02)
        own = np.diag([sd**2, sd**2, turn**2])
        shared = rng.normal(size=(3, 2)) * [[0.03], [0.03], [0.002]]
        truth = _near_a_limit(rng)
        seen = _noisy(rng, truth, own, shared)
        limit = distances.tyre_range(truth[0], truth[1]).value + float(rng.normal() * 2 * sd)

        def judge(t: Sequence[Standing], limit: float = limit) -> list[distances.Measurement]:
            a, b = t[0], t[1]
            return [
                distances.tyre_range(a, b).at_most(limit),
                distances.sight(a, distances.front_tyres(a), b, distances.tyres(b), t[2:]).at_least(0.0),
                distances.arc(a, Arc.at(a.piece.body, "front axle"), b).at_least(0.0),
                distances.outline_sight(a, b, t[2:]).at_least(0.0),
            ]

        true, found = judge([_exactly(s) for s in truth]), judge(seen)
        again = np.array(
            [
                [m.p_yes == 1.0 for m in judge([_exactly(s) for s in _noisy(rng, seen, own, shared)])]
                for _ in range(draws)
            ]
        ).mean(axis=0)
        for k, (t, f) in enumerate(zip(true, found, strict=True)):
            verdict = f.verdict(0.95)
            asked += 1
            due += 0.05 < again[k] < 0.95
            if verdict is Verdict.TOO_CLOSE:
                close += 1
            else:
                given += 1
                right += (verdict is Verdict.YES) == (t.p_yes == 1.0)
    return Calibration(given, right / given, close / asked, due / asked)


def _near_a_limit(rng: np.random.Generator) -> list[Standing]:
    exact = PoseUncertainty.exact()

    def at(piece: Piece, x: float, y: float, turn: float) -> Standing:
        return Standing(piece, Pose(x, y, turn), exact)

    a = at(Piece("A", "car", CARS["sedan"]), float(rng.uniform(4, 8)), 12.0, float(rng.uniform(-0.5, 0.5)))
    b = at(
        Piece("B", "car", CARS["van"]),
        float(rng.uniform(18, 22)),
        float(rng.uniform(10, 14)),
        float(rng.uniform(0, 6.2)),
    )
    # Two crates that leave just about room between them, and one far off.
    middle = (a.pose.y + b.pose.y) / 2
    half = float(rng.normal(1.2, 0.35))
    crates = [
        at(Piece("P", "terrain", box(1.5, 4, 1)), 13.0, middle + half / 2 + 2, 0.05),
        at(Piece("Q", "terrain", box(1.5, 4, 1)), 13.5, middle - half / 2 - 2, -0.1),
        at(Piece("R", "terrain", box(2, 2, 1)), 30.0, 30.0, 0.3),
    ]
    return [a, b, *crates]
