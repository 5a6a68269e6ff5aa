"""What stands close by: within so many inches, straight behind, next in line along a shot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.measure.distances import edge_range
from engine.ruling import Measurement
from engine.space.geometry import Pose
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
