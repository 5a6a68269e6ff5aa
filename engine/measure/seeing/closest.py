"""The closest parts of two pieces that see each other: the shortest unobstructed segment between outlines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.measure.distances import closest_line, closest_points, edge_range, outline_gaps, reaching_between
from engine.measure.seeing.clear_segment import Placements, Segments, clear, shortest_hinged
from engine.measure.sight import IntArray, Parts, to_table
from engine.measure.uncertainty import exact, gradient, poses_of, sd_of
from engine.ruling import Belief, Measurement, Witness
from engine.space.geometry import FloatArray
from engine.space.table import Standing


def closest_visible(a: Standing, b: Standing, blockers: Sequence[Standing]) -> Measurement | None:
    """The shortest unobstructed segment between the outlines of `a` and `b`, inches; None if there is none.

    If the closest points do not see each other, the shortest clear segment passes an obstacle's corner.
    """
    names = (a.name, b.name)
    others = reaching_between(a, b, [s for s in blockers if s.name not in names])
    everyone = (a, b, *others)
    between, poses = Between.of(everyone), poses_of(everyone)
    if clear(closest_line(a, b)[None], between.walls(poses[None]))[0]:
        return edge_range(a, b)
    found = between.hinged(poses[None])
    length, line = float(found.length[0]), found.line[0]
    if math.isinf(length):
        return None
    belief = Belief(length, 0.0)
    if not exact(everyone):
        belief = Belief(length, _deviation(everyone, between, line, found.hinge[0]))
    return Measurement(belief, "in", Witness(line))


@dataclass(frozen=True, eq=False)
class Between:
    """Two pieces, first of `everyone`, and what may stand between them, wherever they may be placed.

    `corners` (c, 2) are those of all outlines in the body frames, `owner` (c,) whose they are. Poses are
    (m, pieces, 3), inches and radians, in the order of `everyone`.
    """

    everyone: tuple[Standing, ...]
    parts: Parts
    corners: FloatArray
    owner: IntArray

    @classmethod
    def of(cls, everyone: tuple[Standing, ...]) -> Between:
        """The two whose segment is asked for, then all others that could be in the way."""
        outlines = [s.piece.body.footprint.outline for s in everyone]
        owner = np.repeat(np.arange(len(everyone)), [len(o) for o in outlines])
        parts = Parts.of([s.piece.body for s in everyone[2:]])
        return cls(everyone, parts, np.concatenate(outlines), owner)

    def walls(self, poses: FloatArray) -> FloatArray:
        """The convex parts of all others on the table, (m, k, v, 2)."""
        return self.parts.at(poses[:, 2:])

    def corners_at(self, poses: FloatArray) -> FloatArray:
        """All corners on the table, (m, c, 2)."""
        return to_table(poses[:, self.owner], self.corners[:, None])[..., 0, :]

    def hinged(self, poses: FloatArray) -> Segments:
        """The shortest clear segment that passes a corner of the others."""
        walls, corners = self.walls(poses), self.corners_at(poses)[:, self.owner >= 2]
        best = Segments.none(len(poses))
        for p in self.everyone[0].piece.body.footprint.parts:
            for q in self.everyone[1].piece.body.footprint.parts:
                ends = to_table(poses[:, 0], p), to_table(poses[:, 1], q)
                best = best.or_shorter(shortest_hinged(Placements(*ends, walls, corners)))
        return best

    def lengths(self, poses: FloatArray) -> FloatArray:
        """How long the shortest clear segment is, (m,); infinite where there is none."""
        a, b = self.everyone[:2]
        found = np.maximum(outline_gaps(a, b, poses[:, :2]), 0.0)
        ends = [to_table(poses[:, k], s.piece.body.footprint.outline) for k, s in enumerate((a, b))]
        bent = np.flatnonzero(~clear(closest_points(ends[0], ends[1]), self.walls(poses)))
        if len(bent):
            found[bent] = self.hinged(poses[bent]).length
        return found


def _deviation(everyone: Sequence[Standing], between: Between, line: FloatArray, hinge: FloatArray) -> float:
    """First order: the segment turns with the corners it hangs on, or keeps its best direction."""
    u = (line[1] - line[0]) / math.dist(*line)
    held = _corners_on(between, line[0], u, hinge)
    involved = sorted({0, 1, *(int(between.owner[k]) for k in held)})
    on = [(involved.index(int(between.owner[k])), between.corners[k, None]) for k in held]

    def length(poses: FloatArray) -> FloatArray:
        corners = [to_table(poses[:, k], corner)[:, 0] for k, corner in on]
        way = corners[-1] - corners[0] if len(held) > 1 else np.broadcast_to(u, corners[0].shape)
        way = way * np.sign(way @ u)[:, None]
        ends = [
            to_table(poses[:, k], everyone[k].piece.body.footprint.outline) - corners[0][:, None]
            for k in (0, 1)
        ]
        return _first_met(way, ends[1]) + _first_met(-way, ends[0])

    standings = [everyone[k] for k in involved]
    return sd_of(gradient(length, poses_of(standings)), standings)


def _corners_on(between: Between, start: FloatArray, u: FloatArray, hinge: FloatArray) -> list[int]:
    """The first and the last corner on a line through a point; only the hinge where there is but one."""
    corners = between.corners_at(poses_of(between.everyone)[None])[0]
    side = np.abs((corners - start) @ (-u[1], u[0]))
    # Corners of the others come first, and those from left to right.
    order = np.lexsort((corners[:, 1], corners[:, 0], between.owner < 2))
    found = [int(k) for k in order if side[k] < 1e-7]
    if len(found) > 1:
        return [found[0], found[-1]]
    return [int(np.hypot(*(corners - hinge).T).argmin())]


def _first_met(way: FloatArray, outline: FloatArray) -> FloatArray:
    """How far it is from the origin to outlines (n, v, 2) ahead, in directions (n, 2)."""
    u = way / np.hypot(*way.T)[:, None]
    side = outline[..., 1] * u[:, None, 0] - outline[..., 0] * u[:, None, 1]
    along = outline[..., 0] * u[:, None, 0] + outline[..., 1] * u[:, None, 1]
    following, onward = np.roll(side, -1, axis=1), np.roll(along, -1, axis=1)
    met = (side <= 0.0) != (following <= 0.0)
    t = side / np.where(met, side - following, 1.0)
    at = np.where(met, along + t * (onward - along), np.inf).min(axis=1)
    # A line that only just misses, by rounding, ends at the corner nearest to it.
    nearest = np.take_along_axis(along, np.abs(side).argmin(axis=1)[:, None], axis=1)[:, 0]
    return np.where(met.any(axis=1), at, nearest)
