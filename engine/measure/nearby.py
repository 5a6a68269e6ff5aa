"""What stands close by: within so many inches, straight behind, next in line along a shot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.measure.distances import edge_range, point_range
from engine.measure.sweep import Straight, touches
from engine.ruling import Measurement
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A piece and its measured distance in inches."""

    standing: Standing
    distance: Measurement

    @property
    def name(self) -> str:
        """The piece's name."""
        return self.standing.name


def within(centre: Standing, inches: float, others: Sequence[Standing]) -> tuple[Neighbour, ...]:
    """Which pieces come within so many inches of a piece, edge to edge, and those that may; nearest first.

    Each distance is held against the limit, so that its verdict says yes or too close to call; sure
    noes are left out.
    """
    found = []
    for other in others:
        if other.name == centre.name:
            continue
        distance = edge_range(centre, other).at_most(inches)
        if distance.p_yes is not None and distance.p_yes > 0.05:
            found.append(Neighbour(other, distance))
    return tuple(sorted(found, key=lambda n: n.distance.value))


def straight_behind(
    car: Standing, others: Sequence[Standing], inches: float = 100.0
) -> tuple[Neighbour, ...]:
    """Which pieces a car would back into on a straight way of so many inches, nearest first.

    The distance is how far it would go until it touches, between the outlines straight behind.
    """
    met = touches(car, [Straight(-inches)], others)
    by_name = {s.name: s for s in others}
    return tuple(Neighbour(by_name[t.other], _gap(car, by_name[t.other], t.point)) for t in met)


def _gap(car: Standing, other: Standing, point: FloatArray) -> Measurement:
    """From the car's own edge, along its axis, to a point of the other's outline."""
    at = car.pose.to_body(point)
    outline = car.piece.body.footprint.outline
    start, end = outline, np.roll(outline, -1, axis=0)
    crosses = (start[:, 1] <= at[1]) != (end[:, 1] <= at[1])
    t = (at[1] - start[crosses, 1]) / (end[crosses, 1] - start[crosses, 1])
    along = start[crosses, 0] + t * (end[crosses, 0] - start[crosses, 0])
    tail = (float(along.min()) if len(along) else float(outline[:, 0].min()), float(at[1]))
    return point_range(car, [tail], other, [other.pose.to_body(point)])


def next_in_line(
    shooter: Standing, muzzle: tuple[float, float], target: Standing, others: Sequence[Standing]
) -> tuple[str, ...]:
    """Which pieces the line from a body point of the shooter through the target's middle meets beyond it.

    In the order in which the line enters them.
    """
    start = shooter.pose.to_table(np.array(muzzle))
    way = target.pose.xy - start
    if not way.any():
        return ()
    frame = Pose(float(start[0]), float(start[1]), math.atan2(way[1], way[0]))
    beyond = _enters(frame, target)
    found = []
    for other in others:
        if other.name in (shooter.name, target.name):
            continue
        at = _enters(frame, other)
        if at is not None and beyond is not None and at > beyond:
            found.append((at, other.name))
    return tuple(name for _, name in sorted(found))


def _enters(frame: Pose, other: Standing) -> float | None:
    """How far along the frame's x axis its ray enters an outline, inches; None if it does not."""
    outline = frame.to_body(other.region.outline)
    start, end = outline, np.roll(outline, -1, axis=0)
    crosses = (start[:, 1] < 0.0) != (end[:, 1] < 0.0)
    if not crosses.any():
        return None
    p, q = start[crosses], end[crosses]
    along = p[:, 0] + p[:, 1] / (p[:, 1] - q[:, 1]) * (q[:, 0] - p[:, 0])
    return float(along.min()) if along.max() > 0.0 else None
