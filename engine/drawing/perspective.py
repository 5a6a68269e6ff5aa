"""What an eye near the table sees: pieces as upright prisms in one-point perspective.

An eye looks level along a heading. In *eye space* a point is (right, up, ahead), inches; in the *picture
plane* it is (right / ahead, up / ahead), so that 1 is 45 degrees off the axis and verticals stay upright.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from shapely import unary_union
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

from engine.space.convex import distinct
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing

NEAR = 0.05
"""Inches ahead of the eye at which the picture begins: what is nearer has no place in a picture."""


@dataclass(frozen=True, eq=False)
class Eye:
    """Where one looks from, and which way: `height` inches above the table, `pose.heading` level ahead."""

    pose: Pose
    height: float

    def to_eye(self, points: FloatArray) -> FloatArray:
        """Points (n, 3) of the table, their height last, in eye space (n, 3)."""
        ahead, left = self.pose.to_body(points[:, :2]).T
        return np.column_stack([-left, points[:, 2] - self.height, ahead])

    def picture(self, points: FloatArray) -> FloatArray:
        """A flat polygon (n, 3) of the table in the picture plane, cut off at `NEAR`, (m, 2)."""
        ahead = beyond_near(self.to_eye(points))
        return ahead[:, :2] / ahead[:, 2:] if len(ahead) else np.zeros((0, 2))


def beyond_near(polygon: FloatArray) -> FloatArray:
    """What of a flat polygon (n, 3) in eye space lies at least `NEAR` ahead, in order, (m, 3).

    >>> beyond_near(np.array([(0, 0, 1.0), (0, 1, 1), (0, 0, -1)])).shape
    (4, 3)
    """
    out = []
    for here, there in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if here[2] >= NEAR:
            out.append(here)
        if (here[2] >= NEAR) != (there[2] >= NEAR):
            out.append(here + (there - here) * ((NEAR - here[2]) / (there[2] - here[2])))
    return np.array(out).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class Face:
    """One visible side of a prism in the picture plane, (n, 2).

    `turn` is the direction that it faces on the table, radians; None for a top.
    """

    polygon: FloatArray
    turn: float | None


@dataclass(frozen=True, eq=False)
class Prism:
    """A convex part of a piece, upright on the table, as one eye sees it.

    `outline` (n, 2) is counter-clockwise in the table frame, `height` inches above the table.
    """

    name: str
    outline: FloatArray
    height: float
    eye: Eye

    @cached_property
    def around_eye(self) -> bool:
        """Whether the eye is inside, so that it sees nothing else."""
        step = np.roll(self.outline, -1, axis=0) - self.outline
        away = self.eye.pose.xy - self.outline
        inside = (step[:, 0] * away[:, 1] - step[:, 1] * away[:, 0] > 0.0).all()
        return bool(inside) and self.eye.height < self.height

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """The sides that face the eye, and the top if it is seen from above."""
        found = []
        for a, b in zip(self.outline, np.roll(self.outline, -1, axis=0), strict=True):
            out = np.array([b[1] - a[1], a[0] - b[0]])
            if out @ (self.eye.pose.xy - a) > 0.0:
                wall = np.array([(*a, 0.0), (*b, 0.0), (*b, self.height), (*a, self.height)])
                found.append((wall, math.atan2(out[1], out[0])))
        top = np.column_stack([self.outline, np.full(len(self.outline), self.height)])
        seen = [Face(self.eye.picture(wall), turn) for wall, turn in found]
        if self.eye.height > self.height:
            seen.append(Face(self.eye.picture(top), None))
        return tuple(face for face in seen if len(face.polygon) >= 3)

    @cached_property
    def silhouette(self) -> BaseGeometry:
        """All that it covers of the picture plane."""
        return unary_union([sound(face.polygon) for face in self.faces])

    @cached_property
    def bearings(self) -> tuple[float, float] | None:
        """From which bearing to which it lies ahead of the eye, radians to the right; None if it does not."""
        flat = np.column_stack([self.outline, np.zeros(len(self.outline))])
        ahead = beyond_near(self.eye.to_eye(flat))
        if not len(ahead):
            return None
        angles = np.arctan2(ahead[:, 0], ahead[:, 2])
        return float(angles.min()), float(angles.max())

    def distance(self, bearing: float) -> float:
        """How far along a bearing it begins, inches; infinite if it is not met."""
        corners = self.eye.to_eye(np.column_stack([self.outline, np.zeros(len(self.outline))]))[:, (0, 2)]
        step = np.roll(corners, -1, axis=0) - corners
        ray = np.array([math.sin(bearing), math.cos(bearing)])
        across = ray[0] * step[:, 1] - ray[1] * step[:, 0]
        safe = np.where(across == 0.0, np.inf, across)
        far = (corners[:, 0] * step[:, 1] - corners[:, 1] * step[:, 0]) / safe
        at = (corners[:, 0] * ray[1] - corners[:, 1] * ray[0]) / safe
        met = (across != 0.0) & (at >= -1e-9) & (at <= 1.0 + 1e-9)
        return float(np.where(met, far, np.inf).min())

    def before(self, other: Prism) -> bool:
        """Whether it may hide a part of the other: on a bearing that both have it begins earlier.

        Convex parts that stand apart are in one order on all the bearings that they share.
        """
        if self.bearings is None or other.bearings is None:
            return False
        low = max(self.bearings[0], other.bearings[0])
        high = min(self.bearings[1], other.bearings[1])
        if high - low <= 1e-9:
            return False
        middle = (low + high) / 2
        return self.distance(middle) < other.distance(middle)


def sound(polygon: FloatArray) -> BaseGeometry:
    """A polygon (n, 2) as a shape that may be cut and joined; empty where it has no area."""
    shape = Polygon(polygon) if len(polygon) >= 3 else Polygon()
    return shape if shape.is_valid else shape.buffer(0)


def prisms_of(standing: Standing, eye: Eye) -> tuple[Prism, ...]:
    """The convex parts of a piece as it stands."""
    body = standing.piece.body
    return tuple(
        Prism(standing.name, standing.pose.to_table(distinct(part)), body.height, eye)
        for part in body.footprint.parts
    )


def painters_order(prisms: Sequence[Prism]) -> tuple[Prism, ...]:
    """The prisms that are seen, so that each comes after everything that it may hide.

    Prisms that overlap by the error of a place may lie in a ring; the farthest of it then comes first.
    """
    rest = [p for p in prisms if p.bearings is not None]
    hides = {id(p): [q for q in rest if q is not p and p.before(q)] for p in rest}
    far = {id(p): float(np.hypot(*(p.outline - p.eye.pose.xy).T).max()) for p in rest}
    out: list[Prism] = []
    while rest:
        left = {id(p) for p in rest}
        free = [p for p in rest if not any(id(q) in left for q in hides[id(p)])]
        farthest = max(free or rest, key=lambda p: far[id(p)])
        out.append(farthest)
        rest.remove(farthest)
    return tuple(out)
