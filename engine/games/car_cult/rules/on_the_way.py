"""What a move goes through: inches inside Rough terrain, and Mines that it comes within range of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from shapely.affinity import rotate, translate
from shapely.geometry import LineString, MultiLineString, Point, Polygon

from engine.game.kit.table import standing_of
from engine.games.car_cult.book.data import MINE_RANGE, MINES
from engine.games.car_cult.state.game_state import GameState
from engine.measure.sweep import Step, Straight, poses_along, way_through
from engine.measure.uncertainty import SEED, gap_sd
from engine.motion.recognition import Manoeuvre
from engine.ruling import Belief, Measurement, Verdict
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, TableState

_DRAWS = 64


@dataclass(frozen=True, eq=False)
class Ground:
    """Inches of a move inside a piece of Rough terrain, measured where the ruler lies: at the front.

    `order` is the place on the way, as of the Mines, at which it comes there; `at` is where the car was as it
    had come through.
    """

    terrain: str
    inches: Measurement
    order: int = 0
    at: Pose | None = None


@dataclass(frozen=True, eq=False)
class Triggered:
    """A Mine that the car comes, or may come, within range of: the least distance, and where first."""

    mine: str
    distance: Measurement
    at: Pose
    order: int

    @property
    def verdict(self) -> Verdict:
        """Whether it is triggered."""
        return self.distance.verdict()


def front_way(car: Standing, start: Pose, steps: Sequence[Step]) -> MultiLineString:
    """The straight runs of the middle of the car's front, inches on the table."""
    front, poses = _front(car), poses_along(start, steps)
    lines = [
        LineString([poses[k].to_table(front), poses[k + 1].to_table(front)])
        for k, step in enumerate(steps)
        if isinstance(step, Straight) and step.size > 1e-6
    ]
    return MultiLineString(lines)


def ground(car: Standing, seen: Manoeuvre, terrain: Sequence[Standing]) -> tuple[Ground, ...]:
    """The inches inside each piece of Rough terrain, with deviation; none where it does not lead through.

    Where what was seen can be read as several ways, their mean, with how far they are apart.
    """
    ways = [front_way(car, one.start, [d.step for d in one.steps]) for one in _readings(seen)]
    found = []
    for piece in terrain:
        inside = np.array([_inside(way, piece.region.polygon) for way in ways])
        if inside.any():
            one = _belief(ways[0], car, piece, float(inside[0]), seen.length.sd)
            order, at = _comes_to(car, seen, piece)
            found.append(Ground(piece.name, Measurement(_over(inside, one.sd)), order, at))
    return tuple(found)


def _comes_to(car: Standing, seen: Manoeuvre, piece: Standing) -> tuple[int, Pose]:
    """At which place on its way the middle of a car's front comes to a piece, and where it leaves it."""
    rows = way_through(seen.start, [d.step for d in seen.steps])
    front, polygon = _front(car), piece.region.polygon
    away = np.array([polygon.distance(Point(*Pose(*map(float, row)).to_table(front))) for row in rows])
    there = away <= max(float(away.min()), 1e-9)
    return int(there.argmax()), Pose(*map(float, rows[int(np.flatnonzero(there)[-1])]))


def _front(car: Standing) -> FloatArray:
    """The middle of a car's front, in its own frame."""
    outline = car.piece.body.footprint.outline
    return np.array([outline[:, 0].max(), (outline[:, 1].min() + outline[:, 1].max()) / 2])


def _readings(seen: Manoeuvre) -> tuple[Manoeuvre, ...]:
    """The ways that what was seen can be read as, the likeliest first."""
    return (seen, *seen.elsewhere, *seen.doubts)


def _over(values: FloatArray, sd: float) -> Belief:
    """What several readings say together, each with that deviation."""
    return Belief(float(values.mean()), math.hypot(sd, float(values.std())))


def _inside(way: MultiLineString, polygon: Polygon) -> float:
    return float(way.intersection(polygon).length)


def _belief(way: MultiLineString, car: Standing, piece: Standing, inside: float, sd_length: float) -> Belief:
    """The way shifted and turned against the terrain; an end by the deviation of the length."""
    sds = (gap_sd(car, piece), gap_sd(car, piece), math.sqrt(float(car.uncertainty.total[2, 2])))
    shifts = np.random.default_rng(SEED).standard_normal((_DRAWS // 2, 3)) * sds
    polygon, start = piece.region.polygon, Point(*car.pose.xy)
    drawn = np.array(
        [
            _inside(translate(rotate(way, turn, start, use_radians=True), x, y), polygon)
            for x, y, turn in np.concatenate([shifts, -shifts]).tolist()
        ]
    )
    spread = float(np.sqrt(np.mean((drawn - inside) ** 2)))
    return Belief(inside, float(np.hypot(spread, sd_length)))


def mines(state: GameState, table: TableState, car: Standing, seen: Manoeuvre) -> tuple[Triggered, ...]:
    """The Mines within whose range the car moves, in the order in which it comes there."""
    known = [(one, standing_of(table, one.name)) for one in state.laid if one.card == MINES]
    there = [(laid, here) for laid, here in known if here is not None]
    if not there:
        return ()
    body = car.piece.body.footprint
    ways = [way_through(one.start, [d.step for d in one.steps]) for one in _readings(seen)]
    shapes = [[body.at(Pose(*map(float, row))).polygon for row in rows] for rows in ways]
    found = []
    for laid, here in there:
        polygon = here.region.polygon
        away = [np.array([shape.distance(polygon) for shape in one]) for one in shapes]
        sd = math.hypot(gap_sd(car, here), _at_its_end(away[0], seen))
        held = Measurement(_over(np.array([one.min() for one in away]), sd)).at_most(MINE_RANGE)
        if held.verdict() is Verdict.NO:
            continue
        near = away[0] <= MINE_RANGE
        first = int(near.argmax()) if near.any() else int(away[0].argmin())
        found.append(Triggered(laid.name, held, Pose(*map(float, ways[0][first])), first))
    return tuple(sorted(found, key=lambda one: one.order))


def off_route(car: Standing, start: Pose, steps: Sequence[Step], sd: float, token: Standing) -> Measurement:
    """How far a token lies from the route over which a car went, inches; `sd` is that of its length."""
    body, polygon = car.piece.body.footprint, token.region.polygon
    rows = way_through(start, steps)
    away = min(body.at(Pose(*map(float, row))).polygon.distance(polygon) for row in rows)
    return Measurement(Belief(float(away), math.hypot(gap_sd(car, token), sd)))


def _at_its_end(away: FloatArray, seen: Manoeuvre) -> float:
    """How surely the nearest place is known: one at the end of a way as surely as how long it is."""
    return seen.length.sd if int(away.argmin()) == len(away) - 1 else 0.0
