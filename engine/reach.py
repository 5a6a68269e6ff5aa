"""Where may it end: the region that a car can reach with a movement budget, to draw on the page.

A picture to plan by, not a ruling: turns and their places are tried in fine steps, and bodies on the
way are looked at every quarter of an inch. What was really driven is ruled by `engine.sweep` and
`engine.motion`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon

from engine.convex import hull_of
from engine.errors import TableRefError
from engine.geometry import FloatArray, Region
from engine.sight import to_table
from engine.table import Standing

_EVERY = 0.25
_EVERY_TURN = math.radians(6.0)


@dataclass(frozen=True, eq=False)
class Reach:
    """What the car's footprint may cover at the end of its move.

    `outlines` and `holes` are rings (n, 2), inches; `ends` the tried end poses that are free, as
    (x, y, heading), shape (k, 3), inches and radians.
    """

    outlines: tuple[FloatArray, ...]
    holes: tuple[FloatArray, ...]
    ends: FloatArray


def reachable(
    car: Standing,
    budget: float,
    *,
    pivot: tuple[float, float],
    most_turn: float = math.pi / 2,
    least_run: float = 1.0,
    surface: Region | None = None,
    blockers: Sequence[Standing] = (),
    turns: int = 25,
    places: int = 13,
) -> Reach:
    """Where a car may end that runs `budget` inches in all with one turn of up to `most_turn` in it.

    The turn is about the body's point `pivot`, before, between or after straight runs of at least
    `least_run` inches. Ways that touch a blocker or leave the surface are left out.
    """
    if not (math.isfinite(budget) and budget > 0.0):
        raise TableRefError(f"expected a movement budget above 0 inches but got {budget}")
    before = np.unique(np.clip(np.linspace(0.0, budget, places), 0.0, budget))
    before = before[
        ((before == 0.0) | (before >= least_run)) & ((before == budget) | (budget - before >= least_run))
    ]
    angle = np.linspace(-most_turn, most_turn, turns)
    first, turned = (g.ravel() for g in np.meshgrid(before, angle, indexing="ij"))
    ends, ways = _ways(car, first, turned, budget, pivot)
    outline = car.piece.body.footprint.outline
    good = np.ones(len(ends), dtype=bool)
    others = [s.region.polygon for s in blockers if s.name != car.name]
    here = car.region.polygon
    # What the car already touches cannot keep it from driving off.
    others = [p for p in others if not p.intersects(here)]
    bodies = shapely.polygons(to_table(ways, outline))
    if others:
        wall = shapely.union_all(others)
        shapely.prepare(wall)
        good &= ~shapely.intersects(wall, bodies).any(axis=1)
    if surface is not None:
        floor = surface.polygon
        shapely.prepare(floor)
        good &= shapely.covers(floor, bodies).all(axis=1)
    if not good.any():
        return Reach((), (), np.zeros((0, 3)))
    whole = shapely.union_all(_fans(to_table(ends, outline), good.reshape(len(before), turns)))
    shapes = list(getattr(whole, "geoms", [whole]))
    return Reach(
        tuple(np.array(p.exterior.coords)[:-1] for p in shapes),
        tuple(np.array(r.coords)[:-1] for p in shapes for r in p.interiors),
        ends[good],
    )


def _ways(
    car: Standing, first: FloatArray, turned: FloatArray, budget: float, pivot: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """End poses (w, 3) and the poses on the way (w, s, 3) of a run, a turn and a run."""
    steps = max(math.ceil(budget / _EVERY), 1)
    spins = max(math.ceil(float(np.abs(turned).max(initial=0.0)) / _EVERY_TURN), 1)
    run = np.linspace(0.0, 1.0, steps + 1)
    x, y, heading = car.pose.x, car.pose.y, car.pose.heading
    u = np.array([math.cos(heading), math.sin(heading)])

    def posed(run_before: FloatArray, angle: FloatArray, run_after: FloatArray) -> FloatArray:
        lever = np.array(pivot)
        base = np.array([x, y]) + run_before[..., None] * u + car.pose.rotation @ lever
        now = heading + angle
        cos, sin = np.cos(now), np.sin(now)
        px = base[..., 0] - (cos * lever[0] - sin * lever[1]) + run_after * cos
        py = base[..., 1] - (sin * lever[0] + cos * lever[1]) + run_after * sin
        return np.stack(np.broadcast_arrays(px, py, now), axis=-1)

    none = np.zeros((len(first), 1))
    rest = (budget - first)[:, None]
    way = np.concatenate(
        [
            posed(first[:, None] * run, none * run, none * run),
            posed(first[:, None] + none, turned[:, None] * np.linspace(0, 1, spins + 1), none),
            posed(first[:, None] + none, turned[:, None] + none, rest * run),
        ],
        axis=1,
    )
    return way[:, -1], way


def _fans(outlines: FloatArray, good: NDArray[np.bool_]) -> list[Polygon]:
    """End footprints joined with those of the next turn and place, so that the region has no teeth."""
    rows, columns = good.shape
    grid = outlines.reshape(rows, columns, *outlines.shape[1:])
    shapes = [Polygon(grid[i, j]) for i, j in np.argwhere(good)]
    for i, j in np.argwhere(good[:, :-1] & good[:, 1:]):
        shapes.append(Polygon(hull_of(np.concatenate([grid[i, j], grid[i, j + 1]]))))
    for i, j in np.argwhere(good[:-1] & good[1:]):
        shapes.append(Polygon(hull_of(np.concatenate([grid[i, j], grid[i + 1, j]]))))
    return shapes
