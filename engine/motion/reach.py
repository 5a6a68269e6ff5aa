"""Where may it end: the region that a car can reach with a movement budget, to draw on the page.

A picture to plan by, not a ruling: turns and their places are tried in fine steps, and bodies on the
way are looked at every quarter of an inch. What was really driven is ruled by `engine.measure.sweep` and
`engine.motion.recognition`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

from engine.errors import TableRefError
from engine.measure.sight import to_table
from engine.measure.sweep import gaps_along
from engine.measure.uncertainty import poses_of
from engine.space.convex import hull_of
from engine.space.geometry import FloatArray, Region
from engine.space.table import Standing

_EVERY = 0.25
_EVERY_TURN = math.radians(6.0)
_DEEPER = 0.05


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
    drift: float | None = None,
    reverse: bool = False,
    turns: int = 25,
    places: int = 13,
) -> Reach:
    """Where a car may end that runs `budget` inches in all with one turn of up to `most_turn` in it.

    The turn is about the body's point `pivot`, before, between or after straight runs of at least
    `least_run` inches. With `drift` it may run straight instead and come out so many inches aside,
    somewhere over a run of at least `least_run`. `reverse` runs backwards. Ways that touch a blocker or
    leave the surface are left out.
    """
    if not (math.isfinite(budget) and budget > 0.0):
        raise TableRefError(f"expected a movement budget above 0 inches but got {budget}")
    before = np.unique(np.clip(np.linspace(0.0, budget, places), 0.0, budget))
    before = before[
        ((before == 0.0) | (before >= least_run)) & ((before == budget) | (budget - before >= least_run))
    ]
    angle = np.linspace(-most_turn, most_turn, turns)
    first, turned = (g.ravel() for g in np.meshgrid(before, angle, indexing="ij"))
    sign = -1.0 if reverse else 1.0
    free = _Free(car, blockers, surface)
    ends, ways = _ways(car, sign * first, turned, sign * budget, pivot)
    outline = car.piece.body.footprint.outline
    good = free(ways)
    shapes = _fans(to_table(ends, outline), good.reshape(len(before), turns))
    kept = [ends[good]]
    if drift is not None and budget >= least_run:
        for left in (-drift, drift):
            aside = _drifting(car, sign * budget, left, least_run, places)
            if free(aside).any():
                kept.append(aside[:1, -1])
                shapes.append(Polygon(to_table(aside[0, -1], outline)))
    if not shapes:
        return Reach((), (), np.zeros((0, 3)))
    whole = shapely.union_all(shapes)
    return Reach(
        _rings(whole),
        tuple(np.array(r.coords)[:-1] for p in _polygons(whole) for r in p.interiors),
        np.concatenate(kept),
    )


def _polygons(shape: BaseGeometry) -> list[Polygon]:
    return [p for p in getattr(shape, "geoms", [shape]) if isinstance(p, Polygon) and not p.is_empty]


def _rings(shape: BaseGeometry) -> tuple[FloatArray, ...]:
    return tuple(np.array(p.exterior.coords)[:-1] for p in _polygons(shape))


class _Free:
    """Which ways, (w, s, 3), touch no blocker and stay on the surface, (w,)."""

    def __init__(self, car: Standing, blockers: Sequence[Standing], surface: Region | None) -> None:
        self._car = car
        self._outline = car.piece.body.footprint.outline
        here = car.region.polygon
        others = [s for s in blockers if s.name != car.name]
        # What the car already touches cannot keep it from driving off, only from going deeper into it.
        self._touched = [s for s in others if s.region.polygon.intersects(here)]
        walls = [s.region.polygon for s in others if s not in self._touched]
        self._wall = shapely.union_all(walls) if walls else None
        self._floor = None if surface is None else surface.polygon
        for shape in (self._wall, self._floor):
            if shape is not None:
                shapely.prepare(shape)

    def __call__(self, ways: FloatArray) -> NDArray[np.bool_]:
        bodies = shapely.polygons(to_table(ways, self._outline))
        good = np.ones(len(ways), dtype=bool)
        if self._wall is not None:
            good &= ~shapely.intersects(self._wall, bodies).any(axis=1)
        if self._floor is not None:
            good &= shapely.covers(self._floor, bodies).all(axis=1)
        for other in self._touched:
            apart = gaps_along(self._car, ways.reshape(-1, 3), other).reshape(ways.shape[:2])
            stood = gaps_along(self._car, poses_of([self._car]), other)
            good &= (apart > stood - _DEEPER).all(axis=1)
        return good


def _drifting(car: Standing, budget: float, left: float, least_run: float, places: int) -> FloatArray:
    """Poses on the way (w, s, 3) of a straight run that goes aside over `least_run` inches or all of it."""
    run = np.linspace(0.0, budget, max(math.ceil(abs(budget) / _EVERY), 1) + 1)
    begin = np.linspace(0.0, abs(budget) - least_run, places)
    share = np.clip((np.abs(run)[None] - begin[:, None]) / least_run, 0.0, 1.0)
    share = np.concatenate([share, np.abs(run)[None] / abs(budget)])
    ahead, aside = np.broadcast_arrays(run[None], left * share)
    cos, sin = math.cos(car.pose.heading), math.sin(car.pose.heading)
    x = car.pose.x + cos * ahead - sin * aside
    y = car.pose.y + sin * ahead + cos * aside
    return np.stack([x, y, np.full_like(x, car.pose.heading)], axis=-1)


def _ways(
    car: Standing, first: FloatArray, turned: FloatArray, budget: float, pivot: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """End poses (w, 3) and the poses on the way (w, s, 3) of a run, a turn and a run."""
    steps = max(math.ceil(abs(budget) / _EVERY), 1)
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
