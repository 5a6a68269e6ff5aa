"""Where may it be slid to: the free space of a body that keeps its heading, exact.

Everything is told as *shifts*, inches in the table frame, from where the body stands: (0, 0) is there. A
piece in the way forbids the shifts at which the two overlap, the Minkowski sum of the piece with the body
mirrored. What is left of the window, and hangs together with (0, 0), can be reached.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import Polygon
from shapely.affinity import translate
from shapely.geometry import MultiPolygon, Point
from shapely.geometry.base import BaseGeometry
from shapely.ops import nearest_points

from engine.errors import TableRefError
from engine.measure.uncertainty import gap_sd
from engine.space.convex import stacked
from engine.space.geometry import FloatArray, Region
from engine.space.table import Standing, Status

MOST_CLEARANCE = 1.0
"""Inches beyond which the room on the narrowest stretch of a way is not measured any further."""

AT_EDGE = 1e-3
"""Inches over the edge that count as on the surface."""

_AT = 1e-7
_STEPS = 10
_FAR = 1e3


@dataclass(frozen=True, eq=False)
class Wall:
    """The shifts at which a body would overlap a piece, or a part of one: convex, open.

    `sd` is the deviation of the gap between the two, inches.
    """

    name: str
    polygon: Polygon
    sd: float

    def gap(self, shift: Sequence[float] = (0.0, 0.0)) -> float:
        """Inches between the two at that shift; minus the depth where they overlap."""
        point = Point(shift)
        apart = float(self.polygon.distance(point))
        return apart if apart > 0.0 else -float(self.polygon.exterior.distance(point))


def in_the_way(others: Iterable[Standing]) -> tuple[Standing, ...]:
    """Those of the pieces that nothing can be slid through, as far as it is known where they are."""
    return tuple(s for s in others if s.piece.solid and s.status is not Status.LOST)


def walls_of(bodies: Sequence[Standing], others: Iterable[Standing]) -> tuple[Wall, ...]:
    """What each piece forbids to a vehicle of these bodies; its own bodies forbid nothing."""
    own = {s.name for s in bodies}
    pairs = [
        (body, other, mine, theirs)
        for other in others
        if other.name not in own
        for body in bodies
        for mine in body.piece.body.footprint.parts
        for theirs in other.piece.body.footprint.parts
    ]
    if not pairs:
        return ()
    mine = stacked([body.pose.to_table(part) for body, _, part, _ in pairs])
    theirs = stacked([other.pose.to_table(part) for _, other, _, part in pairs])
    sums = (theirs[:, :, None] - mine[:, None]).reshape(len(pairs), -1, 2)
    hulls = shapely.convex_hull(shapely.multipoints(sums))
    return tuple(
        Wall(other.name, hull, gap_sd(body, other))
        for (body, other, _, _), hull in zip(pairs, hulls, strict=True)
    )


@dataclass(frozen=True, eq=False)
class FreeSpace:
    """The shifts of a vehicle inside a window past walls.

    `window` holds the shifts that are looked at, (0, 0) in it or on its edge.
    """

    window: Polygon
    walls: tuple[Wall, ...]

    @classmethod
    def of(
        cls,
        bodies: Sequence[Standing],
        window: BaseGeometry,
        others: Iterable[Standing],
        surface: Region | None = None,
    ) -> FreeSpace:
        """Past everything solid among the others; on the surface, where one is given, with every body."""
        if surface is not None:
            kept = kept_on(bodies, surface)
            on = window.intersection(kept)
            # At the very edge the window is a line: then so little over it counts as on it.
            window = on if on.area > 0.0 else window.intersection(kept.buffer(AT_EDGE, join_style="mitre"))
        if not isinstance(window, Polygon) or window.is_empty:
            raise TableRefError("expected a window of shifts that encloses an area")
        walls = walls_of(bodies, in_the_way(others))
        near = shapely.intersects([w.polygon for w in walls], window.buffer(MOST_CLEARANCE)) if walls else []
        return cls(window, tuple(w for w, is_near in zip(walls, near, strict=True) if is_near))

    def reach(self, grown: float = 0.0) -> BaseGeometry:
        """The shifts that can be reached from (0, 0) on a way inside the window that overlaps nothing.

        Sliding along a wall is no overlap. What the body overlaps where it stands (by the error of a place)
        cannot keep it from leaving, only from going deeper. `grown` is how many deviations the walls are
        grown by, or with a minus drawn in: what is reached surely, or perhaps.
        """
        return self._reach([_limited(w, grown * w.sd, [(0.0, 0.0)]) for w in self.walls])

    def clearance(self, shift: Sequence[float]) -> tuple[float, float, tuple[str, ...]]:
        """How much room the best way to a shift has on its narrowest stretch.

        Inches, at most `MOST_CLEARANCE`, negative by how much everything would have to be narrower; the
        deviation of that; and the names of the pieces that make it narrow. What the body stands against
        at either end counts as touching and no more.
        """
        ends = [(0.0, 0.0), (float(shift[0]), float(shift[1]))]
        goal = Point(ends[1])

        def open_at(grow: float) -> bool:
            reach = self._reach([_limited(w, grow, ends) for w in self.walls])
            return bool(reach.distance(goal) <= _AT) if not reach.is_empty else math.hypot(*ends[1]) <= _AT

        low, high = -MOST_CLEARANCE, MOST_CLEARANCE
        if open_at(high):
            return high, 0.0, ()
        if not open_at(low):
            return low, 0.0, self._blocking(low, ends)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if open_at(middle) else (low, middle)
        names = self._blocking(high, ends)
        sds = [w.sd for w in self.walls if w.name in names] or [w.sd for w in self.walls]
        return (low + high) / 2, max(sds), names

    def nearest(self, shift: Sequence[float]) -> tuple[float, float]:
        """The shift that can be reached and lies nearest to a given one."""
        reach = self.reach()
        if reach.is_empty:
            return (0.0, 0.0)
        there, _ = nearest_points(reach, Point(shift))
        return (float(there.x), float(there.y))

    def _blocking(self, grow: float, ends: Sequence[tuple[float, float]]) -> tuple[str, ...]:
        """Those whose leaving alone would open the way, else all that the straight way meets."""
        walls = [(w, _limited(w, grow, ends)) for w in self.walls]
        goal = Point(ends[1])
        names = dict.fromkeys(w.name for w in self.walls)
        keys = []
        for name in names:
            reach = self._reach([p for w, p in walls if w.name != name])
            if not reach.is_empty and reach.distance(goal) <= _AT:
                keys.append(name)
        if keys:
            return tuple(keys)
        way = shapely.LineString(ends)
        met = [(w.polygon.intersection(way), w.name) for w in self.walls]
        near = sorted((part.distance(Point(ends[0])), name) for part, name in met if not part.is_empty)
        return tuple(dict.fromkeys(name for _, name in near))

    def _reach(self, walls: Sequence[Polygon]) -> BaseGeometry:
        """What hangs together with (0, 0) of the window without these walls."""
        free: BaseGeometry = self.window
        if walls:
            free = self.window.difference(shapely.union_all(walls))
        here = Point(0.0, 0.0)
        parts = [p for p in polygons_of(free) if p.distance(here) <= _AT]
        return parts[0] if len(parts) == 1 else MultiPolygon(parts)


def polygons_of(shape: BaseGeometry) -> list[Polygon]:
    """The polygons of a shape, without the lines and points that may lie beside them."""
    return [p for p in getattr(shape, "geoms", [shape]) if isinstance(p, Polygon) and not p.is_empty]


def _limited(wall: Wall, grow: float, ends: Iterable[tuple[float, float]]) -> Polygon:
    """A wall grown by so much, but no farther than to the ends, which lie outside it or on its edge."""
    most = min([grow, *(wall.gap(end) for end in ends)])
    if most == 0.0:
        return wall.polygon
    if most < 0.0:
        return wall.polygon.buffer(most, join_style="mitre")
    return wall.polygon.buffer(most, quad_segs=4)


def kept_on(bodies: Sequence[Standing], surface: Region) -> Polygon:
    """The shifts at which bodies stay on a convex surface; what is over its edge must not go farther."""
    corners = np.concatenate([body.region.outline for body in bodies])
    start = surface.outline
    edge = np.roll(start, -1, axis=0) - start
    inward = np.stack([-edge[:, 1], edge[:, 0]], axis=1) / np.hypot(*edge.T)[:, None]
    spare = ((corners[:, None] - start) * inward).sum(axis=-1).min(axis=0)
    shifts: BaseGeometry = shapely.box(-_FAR, -_FAR, _FAR, _FAR)
    for normal, room in zip(inward, np.maximum(spare, 0.0), strict=True):
        shifts = shifts.intersection(_half_plane(normal, float(room)))
    assert isinstance(shifts, Polygon)
    return shifts


def _half_plane(inward: FloatArray, room: float) -> Polygon:
    """All shifts that go no farther against `inward` than so many inches."""
    along = np.array([inward[1], -inward[0]]) * 4 * _FAR
    foot, far = -inward * room, inward * 4 * _FAR
    return Polygon([foot - along, foot + along, foot + along + far, foot - along + far])


def swept(shape: BaseGeometry, line: FloatArray) -> BaseGeometry:
    """What a line (2, 2) covers when its origin is slid over a shape: their Minkowski sum."""
    a, b = (tuple(map(float, end)) for end in line)
    rings = [r for p in polygons_of(shape) for r in (p.exterior, *p.interiors)]
    strips = []
    for ring in rings:
        corners = np.array(ring.coords)
        quads = np.stack([corners[:-1] + a, corners[1:] + a, corners[1:] + b, corners[:-1] + b], axis=1)
        strips += list(shapely.convex_hull(shapely.multipoints(quads)))
    ends = [translate(shape, *end) for end in (a, b)]
    return shapely.union_all([*ends, *strips])
