"""Whom a vehicle touches, whom it could be moved against, and which sides meet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry import Point
from shapely.geometry.base import BaseGeometry

from engine.games.shattered_highways.rules.moves import MoveArea, move_area
from engine.measure.distances import contact
from engine.measure.sweep import Side
from engine.measure.uncertainty import SEED
from engine.motion.free_space import FreeSpace, Wall, in_the_way, walls_of
from engine.ruling import Measurement, Verdict
from engine.space.geometry import FloatArray, wrap_angle
from engine.space.table import Standing, TableState

AGAINST = 0.12
"""Inches within which two vehicles that a hand put side by side count as touching (house default)."""

SIDESWIPE = 0.15
"""Inches within which a long vehicle touches several that do not stand quite in line (house default)."""

_DRAWS = 400
_SURE = 1.645
_SHORTEST = 0.05
_CORNER = math.radians(20.0)

Sides = tuple[Side, Side]
"""Which side of the one meets which side of the other."""


@dataclass(frozen=True, eq=False)
class Contact:
    """Two vehicles that touch.

    `body` and `other_body` are the names of the bodies that meet, `other` that of the vehicle. `gap` is held
    against `AGAINST`. `side` and `other_side` are the sides that meet most probably; `p_sides` is how
    probable that is, and `sides_sure` says whether it is sure enough to be told.
    """

    body: str
    other: str
    other_body: str
    gap: Measurement
    side: Side
    other_side: Side
    p_sides: float

    @property
    def verdict(self) -> Verdict:
        """Whether they touch."""
        return self.gap.verdict()

    @property
    def sides_sure(self) -> Verdict:
        """Whether those sides meet: yes, or too close to call at a corner."""
        return Verdict.YES if self.p_sides >= 0.95 else Verdict.TOO_CLOSE


def contacts(table: TableState, name: str, most: float = AGAINST) -> tuple[Contact, ...]:
    """Whom a vehicle touches as it stands, and whom it may touch; surest first, sure noes left out."""
    vehicle = table.vehicle(name)
    found = []
    for body in vehicle:
        for other in in_the_way(table.others(*(s.name for s in vehicle))):
            rough = math.dist(body.pose.xy, other.pose.xy)
            if rough > body.piece.body.footprint.radius + other.piece.body.footprint.radius + 2 * most + 1.0:
                continue
            gap = contact(body, other).at_most(most)
            if gap.verdict() is Verdict.NO:
                continue
            side, other_side, p = sides_of(body, other)
            found.append(Contact(body.name, _head(table, other), other.name, gap, side, other_side, p))
    return tuple(sorted(found, key=lambda c: c.gap.value))


def _head(table: TableState, body: Standing) -> str:
    return table.vehicle(body.name)[0].name


def sides_of(body: Standing, other: Standing) -> tuple[Side, Side, float]:
    """Which side of a body is turned to which side of another, and how probable that is.

    By the direction in which the two would have to be parted, or meet; drawn from what is known of where
    they stand. Near a corner two answers share the probability.
    """
    walls = walls_of([body], [other])
    wall = min(walls, key=lambda w: w.gap())
    half = np.random.default_rng(SEED).standard_normal((_DRAWS // 2, 3))
    units = np.concatenate([np.zeros((1, 3)), half, -half])
    turn = math.hypot(*(math.sqrt(float(s.uncertainty.own[2, 2])) for s in (body, other)))
    angles = _outward(wall.polygon, units[:, :2] * wall.sd) + units[:, 2] * turn
    pairs = [_sides(angle, body, other) for angle in angles]
    best = max(dict.fromkeys(pairs), key=pairs.count)
    return (*best, pairs.count(best) / len(pairs))


def _outward(wall: Polygon, shifts: FloatArray) -> FloatArray:
    """The direction out of a wall at the place of its edge that is nearest to each shift, radians (n,)."""
    corners = np.array(shapely.get_coordinates(wall.normalize().exterior))[:-1]
    if not wall.normalize().exterior.is_ccw:
        corners = corners[::-1]
    edge = np.roll(corners, -1, axis=0) - corners
    normals = np.stack([edge[:, 1], -edge[:, 0]], axis=1) / np.hypot(*edge.T)[:, None]
    depth = ((shifts[:, None] - corners) * normals).sum(axis=-1)
    out = normals[depth.argmax(axis=1)]
    return np.asarray(np.arctan2(out[:, 1], out[:, 0]))


def _sides(outward: float, body: Standing, other: Standing) -> Sides:
    """The sides that meet where the way from the other to the body is in that direction, radians."""
    return _side(outward + math.pi - body.pose.heading), _side(outward - other.pose.heading)


def _side(angle: float) -> Side:
    """The side of a body that faces in a direction of its own frame."""
    angle = wrap_angle(angle)
    if abs(angle) <= math.pi / 4:
        return Side.FRONT
    if abs(angle) >= 3 * math.pi / 4:
        return Side.REAR
    return Side.LEFT if angle > 0.0 else Side.RIGHT


# Before the hand moves


@dataclass(frozen=True, eq=False)
class Target:
    """A vehicle that another can be moved against.

    `sides` are the ways in which sides can meet, each with a shift of the mover at which they do (inches
    in the table frame). `verdict`: surely reached, or too close to call.
    """

    name: str
    sides: tuple[tuple[Sides, tuple[float, float]], ...]
    verdict: Verdict


def targets(table: TableState, name: str, heading: float, rows: int | None = None) -> tuple[Target, ...]:
    """Whom a vehicle can be moved against in the template, and with which sides: to nudge or ram."""
    return targets_in(table, move_area(table, name, heading, rows))


def targets_in(table: TableState, area: MoveArea) -> tuple[Target, ...]:
    """The same in an area that is known already."""
    found: dict[str, dict[Sides, tuple[float, tuple[float, float]]]] = {}
    sure: set[str] = set()
    for position in area.positions:
        loose, tight = position.space.reach(-_SURE), position.space.reach(_SURE)
        for wall in position.space.walls:
            other = table.find(wall.name)
            if not other.piece.driven and other.piece.hitch is None:
                continue
            name = _head(table, other)
            if loose.distance(wall.polygon) > _SURE * wall.sd + 1e-6:
                continue
            if _surely(position.space, tight, wall):
                sure.add(name)
            ways = found.setdefault(name, {})
            for sides, size, shift in _ways(area, wall, other, loose):
                if size > ways.get(sides, (0.0, shift))[0]:
                    ways[sides] = (size, shift)
    return tuple(
        Target(
            name,
            tuple((sides, shift) for sides, (_, shift) in sorted(ways.items(), key=lambda w: -w[1][0])),
            Verdict.YES if name in sure else Verdict.TOO_CLOSE,
        )
        for name, ways in found.items()
        if ways
    )


def _surely(space: FreeSpace, tight: BaseGeometry, wall: Wall) -> bool:
    """Whether a wall is touched even if it stands farther off by what is not known of it."""
    if tight.is_empty:
        return wall.gap() <= _SURE * wall.sd
    farther = wall.polygon.buffer(-_SURE * wall.sd, join_style="mitre")
    near = tight.distance(wall.polygon) <= _SURE * wall.sd * 1.05 + 1e-6
    return bool(near and farther.intersects(space.window))


def _ways(
    area: MoveArea, wall: Wall, other: Standing, reach: BaseGeometry, most: float = 1e-6
) -> Iterable[tuple[Sides, float, tuple[float, float]]]:
    """The straight stretches of a wall that can be stood against: which sides meet, how long, where.

    Up to `most` inches between the two are none.
    """
    near = reach.buffer(max(_SURE * wall.sd, most))
    corners = shapely.get_coordinates(wall.polygon.exterior)
    for start, end in pairwise(corners):
        stretch = shapely.LineString([start, end]).intersection(near)
        if stretch.length < _SHORTEST:
            continue
        middle = stretch.interpolate(0.5, normalized=True) if stretch.geom_type == "LineString" else None
        at = middle if middle is not None else stretch.representative_point()
        angle = float(_outward(wall.polygon, np.array([[at.x, at.y]]))[0])
        body = area.vehicle[0]
        off = abs(wrap_angle(2 * (angle - body.pose.heading) - math.pi / 2))
        if min(off, math.pi - off) < _CORNER:
            continue  # corner against corner: neither side meets the other
        yield _sides(angle, body, other), float(stretch.length), (float(at.x), float(at.y))


@dataclass(frozen=True, slots=True)
class Sideswipe:
    """Several vehicles that a long one touches with one side at once."""

    side: Side
    names: tuple[str, ...]


def sideswipes_in(table: TableState, area: MoveArea) -> tuple[Sideswipe, ...]:
    """The same in an area that is known already, of a vehicle that is a Rig."""
    found: list[Sideswipe] = []
    for side in (Side.LEFT, Side.RIGHT):
        places = _beside(table, area, side)
        for count in range(len(places), 1, -1):
            for names in combinations(sorted(places), count):
                if any(s.side is side and set(names) <= set(s.names) for s in found):
                    continue
                if not shapely.intersection_all([places[n] for n in names]).is_empty:
                    found.append(Sideswipe(side, names))
    return tuple(found)


def _beside(table: TableState, area: MoveArea, side: Side) -> dict[str, BaseGeometry]:
    """For each vehicle the shifts at which that side of the mover is against it."""
    places: dict[str, list[BaseGeometry]] = {}
    for position in area.positions:
        for wall in position.space.walls:
            other = table.find(wall.name)
            # Who stands back a little from the others is never met alone.
            for sides, _, at in _ways(area, wall, other, position.reach, SIDESWIPE):
                if sides[0] is side and other.piece.moves:
                    strip = _edge_at(wall.polygon, at).buffer(SIDESWIPE).intersection(position.reach)
                    places.setdefault(_head(table, other), []).append(strip)
    return {name: shapely.union_all(shapes) for name, shapes in places.items()}


def _edge_at(wall: Polygon, at: Sequence[float]) -> BaseGeometry:
    """The edge of a wall that a shift lies on."""
    corners = shapely.get_coordinates(wall.exterior)
    edges = [shapely.LineString(pair) for pair in pairwise(corners)]
    return min(edges, key=lambda e: e.distance(Point(at)))


def swiped(table: TableState, name: str) -> dict[Side, tuple[Contact, ...]]:
    """Whom a vehicle touches now with its left and with its right side."""
    found = contacts(table, name, SIDESWIPE)
    return {side: tuple(c for c in found if c.side is side) for side in (Side.LEFT, Side.RIGHT)}


def stands_against(table: TableState, name: str, *, rig: bool) -> tuple[Contact, ...]:
    """Whom a vehicle stands against or may; with the sides of a Rig also who stands back a little."""
    found = contacts(table, name)
    if not rig:
        return found
    beside = swiped(table, name)
    rest = (c for c in found if c.side not in beside)
    return tuple(sorted((*rest, *(c for side in beside.values() for c in side)), key=lambda c: c.gap.value))
