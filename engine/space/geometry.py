"""What is a pose, a footprint, a region; which units.

Units are inches and radians throughout. The *table frame* has x to the right, y away from the
near-left corner; headings run counter-clockwise from +x. The *body frame* of a piece has its
origin at the piece's reference point, x toward its nose, y to its left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from shapely.geometry import Polygon

from engine.errors import ShapeError
from engine.space.convex import FloatArray, convex_parts

__all__ = ["FloatArray", "Footprint", "Pose", "Region", "as_points", "wrap_angle"]


def wrap_angle(angle: float) -> float:
    """The same direction in (-pi, pi] radians.

    >>> wrap_angle(-math.pi) == math.pi
    True
    """
    wrapped = math.remainder(angle, math.tau)
    return math.pi if wrapped <= -math.pi else wrapped


def as_points(points: ArrayLike, what: str = "points") -> FloatArray:
    """Points as a read-only (n, 2) array of inches; a clear error for anything else."""
    array = np.array(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ShapeError(f"{what}: expected an (n, 2) array of inches but got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ShapeError(f"{what}: expected finite coordinates but got {array[~np.isfinite(array)]}")
    array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a piece stands: `table_from_body`, as x and y in inches and heading in radians."""

    x: float
    y: float
    heading: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y) and math.isfinite(self.heading)):
            raise ShapeError(f"a pose needs finite numbers but got {self.x}, {self.y}, {self.heading}")
        if not -math.pi < self.heading <= math.pi:
            object.__setattr__(self, "heading", wrap_angle(self.heading))

    @property
    def xy(self) -> FloatArray:
        """The reference point in the table frame, shape (2,)."""
        return np.array([self.x, self.y])

    @property
    def rotation(self) -> FloatArray:
        """The (2, 2) rotation that turns body directions into table directions."""
        cos, sin = math.cos(self.heading), math.sin(self.heading)
        return np.array([[cos, -sin], [sin, cos]])

    def to_table(self, points_in_body: ArrayLike) -> FloatArray:
        """Body-frame points, shape (n, 2) or (2,), in the table frame."""
        return np.asarray(points_in_body, dtype=np.float64) @ self.rotation.T + self.xy

    def place(self, x: float, y: float) -> tuple[float, float]:
        """The same of one point in plain numbers: a pair is too little for an array to be worth making."""
        cos, sin = math.cos(self.heading), math.sin(self.heading)
        return self.x + cos * x - sin * y, self.y + sin * x + cos * y

    def to_body(self, points_in_table: ArrayLike) -> FloatArray:
        """Table-frame points, shape (n, 2) or (2,), in the body frame."""
        return (np.asarray(points_in_table, dtype=np.float64) - self.xy) @ self.rotation

    def compose(self, inner: Pose) -> Pose:
        """`table_from_body.compose(body_from_part)` is `table_from_part`."""
        return Pose(*self.place(inner.x, inner.y), self.heading + inner.heading)

    def inverse(self) -> Pose:
        """`body_from_table`."""
        cos, sin = math.cos(self.heading), math.sin(self.heading)
        return Pose(-cos * self.x - sin * self.y, sin * self.x - cos * self.y, -self.heading)

    def jacobian(self, point_in_body: ArrayLike) -> FloatArray:
        """How a body point moves on the table with (x, y, heading), shape (2, 3)."""
        dx, dy = self.rotation @ np.asarray(point_in_body, dtype=np.float64)
        return np.array([[1.0, 0.0, -dy], [0.0, 1.0, dx]])


@dataclass(frozen=True, eq=False)
class Region:
    """A simple polygon on the table, convex or not, counter-clockwise, inches."""

    outline: FloatArray

    def __post_init__(self) -> None:
        outline = as_points(self.outline, "outline")
        if len(outline) < 3:
            raise ShapeError(f"an outline needs at least 3 corners but got {len(outline)}")
        polygon = Polygon(outline)
        if not polygon.is_valid or polygon.area <= 0.0:
            raise ShapeError(
                "an outline must not cross itself and must enclose an area; "
                "list its corners in order round the shape"
            )
        if not polygon.exterior.is_ccw:
            outline = as_points(outline[::-1], "outline")
        object.__setattr__(self, "outline", outline)

    @cached_property
    def polygon(self) -> Polygon:
        """The same as a shapely polygon."""
        return Polygon(self.outline)

    @property
    def area(self) -> float:
        """Square inches."""
        return float(self.polygon.area)

    @classmethod
    def placed(cls, outline: FloatArray) -> Region:
        """The region of a sound outline, as one that was only turned and shifted is; it is made read-only."""
        region = object.__new__(cls)
        outline.flags.writeable = False
        object.__setattr__(region, "outline", outline)
        return region

    @classmethod
    def rectangle(cls, x: float, y: float, width: float, height: float) -> Region:
        """The axis-parallel rectangle with its near-left corner at (x, y)."""
        return cls(as_points([(x, y), (x + width, y), (x + width, y + height), (x, y + height)]))


@dataclass(frozen=True, eq=False)
class Footprint:
    """What a piece covers of the table, seen from above, as an outline in its body frame."""

    outline: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "outline", Region(self.outline).outline)

    @cached_property
    def parts(self) -> tuple[FloatArray, ...]:
        """Convex outlines that fill the footprint, in the body frame; itself when it has no hollow."""
        return convex_parts(self.outline)

    @cached_property
    def radius(self) -> float:
        """The farthest that the outline reaches from the body's origin, inches."""
        return max(math.hypot(x, y) for x, y in self.outline.tolist())

    @cached_property
    def extent(self) -> tuple[float, float]:
        """How far the outline reaches along x and along y of the body frame, inches."""
        along, across = np.ptp(self.outline, axis=0)
        return float(along), float(across)

    def at(self, pose: Pose) -> Region:
        """The region that the piece covers when it stands at `pose`."""
        return Region.placed(pose.to_table(self.outline))

    @classmethod
    def box(cls, length: float, width: float, corner: float = 0.0) -> Footprint:
        """A rectangle about the origin, `length` along x; `corner` cuts its corners off (inches)."""
        a, b = length / 2, width / 2
        if corner <= 0.0:
            return cls(as_points([(-a, -b), (a, -b), (a, b), (-a, b)]))
        c = min(corner, a / 2, b / 2)
        return cls(
            as_points(
                [
                    (-a + c, -b), (a - c, -b), (a, -b + c), (a, b - c),
                    (a - c, b), (-a + c, b), (-a, b - c), (-a, -b + c),
                ]
            )
        )  # fmt: skip

    @classmethod
    def disc(cls, diameter: float, sides: int = 48) -> Footprint:
        """A regular polygon of the same area as the disc, so that no side is favoured."""
        angles = np.arange(sides) * (math.tau / sides)
        radius = diameter / 2 * math.sqrt(math.tau / (sides * math.sin(math.tau / sides)))
        return cls(as_points(np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius))
