"""Where a rule puts a vehicle: Lost Control, falling back, veering off, and the shift of the whole fleet.

Whoever is put somewhere keeps facing as it does and goes straight there; what it meets first on the way, or
the edge of the play space, stops it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely

from engine.boards.road import Road
from engine.games.shattered_highways.book.data import Part
from engine.games.shattered_highways.rules import moves
from engine.games.shattered_highways.rules.contacts import AGAINST, sides_of
from engine.games.shattered_highways.rules.moves import Template
from engine.measure.sweep import Side, Straight, Touch, gaps_along, way_of
from engine.measure.uncertainty import gap_sd
from engine.motion.free_space import in_the_way, kept_on
from engine.ruling import Belief, Measurement
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, TableState

AT_EDGE = 0.1
"""Inches from an edge of the play space within which a vehicle has reached it (house default)."""

LEAST_SHIFT = moves.SECTION
"""Inches by which the fleet is set back at least, so that the one in front has room again (house default)."""

_MARGIN = 0.02


@dataclass(frozen=True, eq=False)
class Met:
    """Whom a displaced vehicle meets: the vehicle, the bodies, and the sides that meet."""

    other: str
    body: str
    other_body: str
    side: Side
    other_side: Side
    p_sides: float


@dataclass(frozen=True, eq=False)
class Displaced:
    """Where a rule puts a vehicle.

    `poses` are those of its bodies by name, facing as they do now. `full` is how far it would go with
    nothing in the way and `gone` how far it goes, inches. `met` stopped it; `at_edge`: the edge did.
    """

    name: str
    poses: tuple[tuple[str, Pose], ...]
    full: float
    gone: float
    met: Met | None = None
    at_edge: bool = False

    @property
    def pose(self) -> Pose:
        """Of its first body."""
        return self.poses[0][1]


def _slid(table: TableState, name: str, shift: FloatArray, road: Road | None = None) -> Displaced:
    """A vehicle that goes straight by a shift (2,), inches in the table frame, until something stops it."""
    vehicle = table.vehicle(name)
    others = in_the_way(table.others(*(s.name for s in vehicle)))
    full = float(np.hypot(*shift))
    share, at_edge = 1.0, False
    if road is not None:
        room = _room_on(vehicle, road, shift)
        share, at_edge = room, room < 1.0
    touch = _first_in_the_way(vehicle, shift, others) if full > 0.0 else None
    met = None
    if touch is not None and touch.share <= share:
        share, at_edge = touch.share, False
    poses = tuple((s.name, _moved(s.pose, shift * share)) for s in vehicle)
    if touch is not None and not at_edge and share < 1.0 + 1e-12 and touch.share <= share:
        met = _met(table, vehicle, dict(poses), touch.other)
    return Displaced(vehicle[0].name, poses, full, full * share, met, at_edge)


def _first_in_the_way(
    vehicle: Sequence[Standing], shift: FloatArray, others: Sequence[Standing]
) -> Touch | None:
    """What stops a vehicle on its way: not what it stands against and slides along."""
    ahead = [other for other in others if not _slides_along(vehicle, shift, other)]
    return moves.first_of(vehicle, shift, ahead)


def _slides_along(vehicle: Sequence[Standing], shift: FloatArray, other: Standing) -> bool:
    """Whether a vehicle stands against another, as after a Ram, and goes into it nowhere on its way.

    As two outlines may seem to overlap that only touch, so much on the way is an error of the places, too.
    """
    way = way_of(Straight(float(np.hypot(*shift))))[:, None] * (*shift, 0.0)
    starts = [np.array([(body.pose.x, body.pose.y, body.pose.heading)]) for body in vehicle]
    gaps = np.min(
        [gaps_along(b, start + way, other) for b, start in zip(vehicle, starts, strict=True)], axis=0
    )
    return bool(gaps[0] <= AGAINST and gaps.min() >= -moves.STANDS_ON)


def _moved(pose: Pose, shift: FloatArray) -> Pose:
    return Pose(pose.x + float(shift[0]), pose.y + float(shift[1]), pose.heading)


def _met(table: TableState, vehicle: Sequence[Standing], poses: dict[str, Pose], other: str) -> Met:
    theirs = table.find(other)
    there = [replace(s, pose=poses[s.name]) for s in vehicle]
    body = min(there, key=lambda s: s.region.polygon.distance(theirs.region.polygon))
    side, other_side, p = sides_of(body, theirs)
    return Met(table.vehicle(other)[0].name, body.name, other, side, other_side, p)


def _room_on(vehicle: Sequence[Standing], road: Road, shift: FloatArray) -> float:
    """The share of a shift for which a vehicle stays on the road's stretch of table, 0 to 1."""
    way = shapely.LineString([(0.0, 0.0), tuple(shift)])
    kept = kept_on(vehicle, road.region).buffer(1e-9).intersection(way)
    return min(float(kept.length / way.length), 1.0) if way.length > 0.0 else 1.0


def _along(road: Road, ahead: float, left: float) -> FloatArray:
    return np.asarray(road.frame.rotation @ np.array([ahead, left]))


def lost_control(table: TableState, name: str, road: Road, section: int) -> Displaced:
    """A vehicle that goes to the farthest edge of a section of the template, which is centred over it.

    Its middle goes to the middle of that edge (house default: the book says the edge alone).
    """
    vehicle = table.vehicle(name)
    template = moves.centred_over(vehicle, road.heading)
    middle = template.rear.to_table((moves.ROWS * moves.SECTION / 2, 0.0))
    return _slid(table, name, template.farthest_edge(section) - middle, road)


def lost_control_template(table: TableState, name: str, road: Road) -> Template:
    """The template as it lies for Lost Control."""
    return moves.centred_over(table.vehicle(name), road.heading)


def fall_back(table: TableState, name: str, road: Road) -> Displaced:
    """A vehicle that drops back straight along the road, by a template section length."""
    return _slid(table, name, _along(road, -moves.SECTION, 0.0), road)


# A wreck ahead


@dataclass(frozen=True, eq=False)
class Threatened:
    """A vehicle on the line straight behind a wreck.

    `overlap` is by how much it reaches into the line, inches across the road, held against 0. `veers` are
    the two ways out, left then right, each just enough to clear the wreck.
    """

    name: str
    distance: float
    overlap: Measurement
    veers: tuple[Displaced, Displaced]


def behind_wreck(table: TableState, wreck: str, road: Road, part: Part = "") -> tuple[Threatened, ...]:
    """Who stands on the line straight behind a vehicle, as wide as it is, to the rear edge; nearest first.

    Sure noes are left out. Where the trailer alone is the wreck, it is behind that `part`.
    """
    bodies = table.vehicle(wreck)
    if part == "trailer":
        bodies = bodies[1:] or bodies
    rear, right, left = _span(road, bodies)
    found = []
    for name in _vehicles(table, wreck):
        vehicle = table.vehicle(name)
        low, r, lf, front = *_span(road, vehicle), _front(road, vehicle)
        if (front + low) / 2 >= rear:
            continue
        overlap = min(left - r, lf - right)
        sd = max(gap_sd(b, s) for b in bodies for s in vehicle)
        measured = Measurement(Belief(overlap, sd)).at_least(0.0)
        if measured.p_yes is not None and measured.p_yes <= 0.05:
            continue
        out = tuple(
            _slid(table, name, _along(road, 0.0, gone), road)
            for gone in (left - r + _MARGIN, right - lf - _MARGIN)
        )
        found.append(Threatened(name, max(rear - front, 0.0), measured, (out[0], out[1])))
    return tuple(sorted(found, key=lambda t: t.distance))


def _span(road: Road, bodies: Iterable[Standing]) -> tuple[float, float, float]:
    """Rear end along the road, right and left edge across it, inches from the road's corner."""
    corners = road.frame.to_body(np.concatenate([s.region.outline for s in bodies]))
    return float(corners[:, 0].min()), float(corners[:, 1].min()), float(corners[:, 1].max())


def _front(road: Road, bodies: Iterable[Standing]) -> float:
    return float(road.along(np.concatenate([s.region.outline for s in bodies])).max())


def gap_ahead(table: TableState, ahead: str, behind: str, road: Road) -> Measurement:
    """How far the tail of a vehicle is ahead of another's nose along the road, inches; below 0 behind it."""
    mine, theirs = table.vehicle(ahead), table.vehicle(behind)
    gap = _span(road, mine)[0] - _front(road, theirs)
    return Measurement(Belief(gap, max(gap_sd(one, other) for one in mine for other in theirs)))


def _vehicles(table: TableState, *without: str) -> tuple[str, ...]:
    """The first bodies of all vehicles on the table but these."""
    gone = {s.name for name in without for s in table.vehicle(name)}
    heads = dict.fromkeys(table.vehicle(s.name)[0].name for s in table.standings if s.piece.driven)
    return tuple(name for name in heads if name not in gone)


# The edges, and the fleet


def to_front_edge(table: TableState, name: str, road: Road) -> Measurement:
    """How far a vehicle's front bumper is from the front edge, inches: reached at most `AT_EDGE` from it."""
    first = table.vehicle(name)[0]
    gap = road.length - float(road.along(moves.bumper(first)).max())
    return Measurement(Belief(gap, gap_sd(first))).at_most(AT_EDGE)


def to_back_edge(table: TableState, name: str, road: Road) -> Measurement:
    """How far a vehicle's tail is from the back edge, inches: reached at most `AT_EDGE` from it."""
    vehicle = table.vehicle(name)
    gap = _span(road, vehicle)[0]
    return Measurement(Belief(gap, max(gap_sd(s) for s in vehicle))).at_most(AT_EDGE)


def centring_shift(table: TableState, names: Sequence[str], road: Road) -> float:
    """By how much the fleet is set back so that it is about the middle of the play space again, inches."""
    bodies = [s for name in names for s in table.vehicle(name)]
    middle = (_front(road, bodies) + _span(road, bodies)[0]) / 2
    return round(max(middle - road.length / 2, LEAST_SHIFT), 2)


def shifted_fleet(
    table: TableState, names: Sequence[str], road: Road, length: float
) -> tuple[Displaced, ...]:
    """Every vehicle set back by that length, in the order of the names.

    One that would go over the back edge is left against it, and what would then run into it stays ahead.
    """
    shift = _along(road, -length, 0.0)
    vehicles = {name: table.vehicle(name) for name in names}
    shares = {name: _room_on(vehicle, road, shift) for name, vehicle in vehicles.items()}
    holds: dict[str, str] = {}
    left = list(shares)
    while left and min(shares[name] for name in left) < 1.0:
        # Whoever goes least is where it goes; the others go back beside it, or up to it.
        stops = min(left, key=lambda name: shares[name])
        left.remove(stops)
        there = in_the_way(vehicles[stops])
        for name in left if there else ():
            touch = _first_in_the_way(vehicles[name], shift, there)
            if touch is not None and touch.share + shares[stops] < shares[name]:
                shares[name], holds[name] = touch.share + shares[stops], stops
    poses = {
        name: {s.name: _moved(s.pose, shift * shares[name]) for s in vehicle}
        for name, vehicle in vehicles.items()
    }
    now = {k: pose for moved in poses.values() for k, pose in moved.items()}
    stand = TableState.of(
        table.surface, (replace(s, pose=now[s.name]) for v in vehicles.values() for s in v), table.time
    )
    return tuple(
        Displaced(
            vehicles[name][0].name, tuple(poses[name].items()), length, length * shares[name],
            _met(stand, vehicles[name], poses[name], holds[name]) if name in holds else None,
            shares[name] < 1.0 and name not in holds,
        )
        for name in names
    )  # fmt: skip
