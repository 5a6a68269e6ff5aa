"""The move template, where a vehicle may be moved inside it, and whether a move was one.

Directions are the road's: its heading is the way everybody faces, *along* counts that way and *left*
across it. A vehicle is all its bodies, the one that pulls first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry import Point
from shapely.geometry.base import BaseGeometry
from shapely.ops import nearest_points

from engine.boards.board import Board
from engine.boards.road import Road
from engine.errors import TableRefError
from engine.game.contract import Seen
from engine.games.shattered_highways.state import GameState, RoadPlace, Vehicle
from engine.measure.sight import to_table
from engine.measure.sweep import Straight, Touch, first_touch
from engine.measure.uncertainty import believe
from engine.motion.free_space import MOST_CLEARANCE, FreeSpace, in_the_way, swept, walls_of
from engine.ruling import (
    Belief,
    Check,
    Measurement,
    Ruling,
    Verdict,
    Witness,
    in_words,
    make_check,
    plus_minus,
)
from engine.space.geometry import FloatArray, Pose, Region, as_points, wrap_angle
from engine.space.table import Standing, TableState, key_of
from engine.words import listed

# The move template: how it lies on the table, and its six numbered sections.

BOOK = "Shattered Highways 0.3.8"
TEMPLATE = f"{BOOK} · Move Template"

WIDTH = 4.0
"""Inches across: a template width."""

SECTION = 3.0
"""Inches along: a template section length. A template section is so long and a whole width wide."""

ROWS = 3
"""Section lengths of the whole template."""

RIG_ROWS = 2
"""Section lengths of the box that a vehicle with a trailer moves in."""

PLACES = {1: (2, 0), 2: (1, 0), 3: (0, 0), 4: (0, 1), 5: (1, 1), 6: (2, 1)}
"""Row from the rear and column from the right of each section: clockwise from the front right."""

At = Literal["rear", "front"]


def template_rows(vehicle: Sequence[Standing]) -> int:
    """How many section lengths a vehicle may use: two with a trailer, else three."""
    return RIG_ROWS if len(vehicle) > 1 else ROWS


@dataclass(frozen=True, slots=True)
class Template:
    """The template on the table: `rear` is the middle of its rear edge, facing along the road."""

    rear: Pose
    rows: int = ROWS

    @property
    def length(self) -> float:
        """Inches along."""
        return self.rows * SECTION

    @property
    def outline(self) -> Region:
        """What it covers."""
        return self._box(0.0, self.length, -WIDTH / 2, WIDTH / 2)

    def section(self, number: int) -> Region:
        """One of the six numbered boxes, 3 by 2 inches; the whole template alone has them all.

        >>> Template(Pose(0.0, 0.0)).section(1).outline.min(axis=0).tolist()
        [6.0, -2.0]
        """
        row, column = self._place(number)
        return self._box(row * SECTION, (row + 1) * SECTION, (column - 1) * WIDTH / 2, column * WIDTH / 2)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the sections that it has."""
        return tuple(PLACES) if self.rows == ROWS else ()

    def farthest_edge(self, number: int) -> FloatArray:
        """The middle of that edge of a section that lies farthest from the template's middle, shape (2,)."""
        row, column = self._place(number)
        low, side = row * SECTION, (column - 0.5) * WIDTH / 2
        outer = (column - 0.5) * WIDTH
        edges = [(low, side), (low + SECTION, side), (low + SECTION / 2, 0.0), (low + SECTION / 2, outer)]
        middle = self.length / 2
        return np.asarray(self.rear.to_table(max(edges, key=lambda p: (p[0] - middle) ** 2 + p[1] ** 2)))

    def _place(self, number: int) -> tuple[int, int]:
        if number not in self.numbers:
            raise TableRefError(f"expected a section from 1 to 6 of the whole template but got {number}")
        return PLACES[number]

    def _box(self, low: float, high: float, right: float, left: float) -> Region:
        corners = [(low, right), (high, right), (high, left), (low, left)]
        return Region(as_points(self.rear.to_table(corners)))


def laid_at_bumper(vehicle: Sequence[Standing], heading: float, at: At, rows: int | None = None) -> Template:
    """The template over a vehicle with its front bumper in the middle of that edge of the template.

    With the bumper at the rear edge it lies ahead, with the bumper at the front edge behind. That the
    bumper is in the middle is a house default.
    """
    rows = template_rows(vehicle) if rows is None else rows
    x, y = bumper(vehicle[0]).mean(axis=0)
    here = Pose(float(x), float(y), heading)
    return Template(here if at == "rear" else here.compose(Pose(-rows * SECTION, 0.0)), rows)


def centred_over(vehicle: Sequence[Standing], heading: float) -> Template:
    """The whole template with its middle over that of a vehicle and all its bodies."""
    frame = Pose(0.0, 0.0, heading)
    corners = frame.to_body(np.concatenate([s.region.outline for s in vehicle]))
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    x, y = frame.to_table(middle - (ROWS * SECTION / 2, 0.0))
    return Template(Pose(float(x), float(y), heading))


def bumper_of(standing: Standing) -> FloatArray:
    """The front bumper in the body frame, right end and left end, shape (2, 2): as wide as the body."""
    outline = standing.piece.body.footprint.outline
    low, high = outline.min(axis=0), outline.max(axis=0)
    return np.array([(high[0], low[1]), (high[0], high[1])])


def bumper(standing: Standing) -> FloatArray:
    """The front bumper on the table, right end and left end, shape (2, 2), inches."""
    return np.asarray(standing.pose.to_table(bumper_of(standing)))


# Where a vehicle may be moved inside the template, and whether a move that was made was one.

MOVE = f"{BOOK} · Move"

FACING = math.radians(10.0)
"""Radians by which a vehicle may stand turned from the road's direction (house default)."""

EITHER = 0.25
"""Inches along the road up to which a move counts as sideways, so that the template may lie either way."""

OUTSIDE = 0.1
"""Inches by which a hand may put the front bumper down outside the template (house default)."""

STANDS_ON = 0.15
"""Inches by which two outlines may seem to overlap that only touch (house default)."""

SOLID = 0.95
"""How probable it is beforehand that two solid bodies do not stand in one another (house default)."""


@dataclass(frozen=True, eq=False)
class Position:
    """One of the two ways in which the template is held, and where the vehicle may be slid in it."""

    template: Template
    space: FreeSpace

    @cached_property
    def reach(self) -> BaseGeometry:
        """The shifts that can be reached on a clear path, inches in the table frame."""
        return self.space.reach()


@dataclass(frozen=True, eq=False)
class MoveArea:
    """Where a vehicle may be moved: with the template ahead of its front bumper, and behind it.

    `bumper` is its front bumper where it stands, right end and left end, shape (2, 2).
    """

    vehicle: tuple[Standing, ...]
    bumper: FloatArray
    ahead: Position
    behind: Position

    @property
    def name(self) -> str:
        """The vehicle's name."""
        return self.vehicle[0].name

    @property
    def positions(self) -> tuple[Position, Position]:
        """Template ahead, template behind."""
        return self.ahead, self.behind

    @cached_property
    def shifts(self) -> BaseGeometry:
        """Every shift that can be reached with either position."""
        return shapely.union_all([p.reach for p in self.positions])

    @cached_property
    def covered(self) -> BaseGeometry:
        """All that the front bumper may cover at the end, on the table."""
        return swept(self.shifts, self.bumper)

    def positions_for(self, along: float) -> tuple[Position, ...]:
        """The positions in which a way along the road of so many inches may be made; both near nothing."""
        if abs(along) <= EITHER:
            return self.positions
        return (self.ahead,) if along > 0.0 else (self.behind,)


def move_area(table: TableState, name: str, heading: float, rows: int | None = None) -> MoveArea:
    """Where a vehicle may be moved without pushing anything, its facing kept.

    `heading` is the road's. `rows` are the section lengths of the template: by the vehicle's class where
    none are given; a vehicle that was nudged by so many sections has as many.
    """
    vehicle = table.vehicle(name)
    rows = template_rows(vehicle) if rows is None else rows
    return MoveArea(
        vehicle,
        bumper(vehicle[0]),
        _position(table, vehicle, laid_at_bumper(vehicle, heading, "rear", rows), 0.0),
        _position(table, vehicle, laid_at_bumper(vehicle, heading, "front", rows), -rows * SECTION),
    )


def _position(table: TableState, vehicle: Sequence[Standing], template: Template, rear: float) -> Position:
    """The template from `rear` inches along the road, seen from the bumper."""
    road = Pose(0.0, 0.0, template.rear.heading)
    ends = road.to_body(bumper(vehicle[0]))
    side = max(WIDTH / 2 - float(np.ptp(ends[:, 1])) / 2, 0.01)
    corners = [(rear, -side), (rear + template.length, -side), (rear + template.length, side), (rear, side)]
    window = Polygon(road.to_table(corners))
    space = FreeSpace.of(vehicle, window, table.others(*(s.name for s in vehicle)), table.surface)
    return Position(template, space)


# A move that was made


@dataclass(frozen=True, eq=False)
class Moved:
    """A move that was made, ruled.

    `along` and `left` are how far the front bumper's middle went, inches in the road's directions. `should`
    is the nearest place to where the vehicle stands that it may be moved to, facing the road: the pose of
    its first body.
    """

    ruling: Ruling
    template: Template
    along: float
    left: float
    should: Pose

    @property
    def verdict(self) -> Verdict:
        """Legal, not, or too close to call."""
        return self.ruling.verdict


def rule_move(
    before: TableState, name: str, after: Sequence[Standing], heading: float, rows: int | None = None, *,
    citation: str = MOVE,
) -> Moved:  # fmt: skip
    """Whether a vehicle that stood on one table may stand where it stands now.

    `after` are its bodies now, the first alone if the others were not seen. Checks: *Inside the Template*
    by the whole front bumper, *Clear Path* past everything else (no sure yes while terrain was never seen),
    *Facing the Road*, and *Stands Free*.
    """
    area = move_area(before, name, heading, rows)
    start, now = area.vehicle[0], after[0]
    road = Pose(0.0, 0.0, heading)
    gone = bumper(now).mean(axis=0) - area.bumper.mean(axis=0)
    along, left = map(float, road.to_body(gone))
    ways = [(_clear_path(p.space, gone), p) for p in area.positions_for(along)]
    clear, position = max(ways, key=lambda way: way[0].value)
    clear = clear.unless_in_the_way(before.unknown_on(*(s.region for s in (*area.vehicle, *after))))
    inside = _inside(start, now, position.template, heading)
    nearest = min((p.space.nearest(gone) for p in area.positions), key=lambda s: math.dist(s, gone))
    checks = [
        make_check("Inside the Template", inside, citation=TEMPLATE, words=_inside_words(inside)),
        make_check("Clear Path", clear, citation=citation, words=_clear_words(clear)),
        facing(after, heading, citation),
    ]
    others = before.others(*(s.name for s in area.vehicle))
    checks += stands_free(after, others, citation)
    ruling = Ruling(
        question=f"May {start.name} move there?", time=before.time, subject=start.name, target="",
        checks=tuple(checks), deed="move there",
    )  # fmt: skip
    return Moved(ruling, position.template, along, left, _put(area, nearest, heading))


def _inside(start: Standing, now: Standing, template: Template, heading: float) -> Measurement:
    """How far the front bumper stays inside the template, inches; negative by how much it is outside.

    Where it is laid hangs on where the bumper was; the edge at which the bumper began is none, since
    the template may be laid on its other side.
    """
    ends = bumper_of(start)
    cos, sin = math.cos(heading), math.sin(heading)

    def margin(poses: FloatArray) -> FloatArray:
        origin = to_table(poses[..., 0, :], ends).mean(axis=-2)
        away = to_table(poses[..., 1, :], ends) - origin[..., None, :]
        along = np.abs(cos * away[..., 0] + sin * away[..., 1])
        aside = np.abs(cos * away[..., 1] - sin * away[..., 0])
        return np.asarray(np.minimum(template.length - along, WIDTH / 2 - aside).min(axis=-1))

    line = np.stack([bumper(now).mean(axis=0), template.outline.outline.mean(axis=0)])
    return Measurement(believe(margin, (start, now)), "in", Witness(line)).at_least(-OUTSIDE)


def _inside_words(inside: Measurement) -> str:
    where = "inside" if inside.value >= 0.0 else "outside"
    return (
        f"the front bumper is {in_words(abs(inside.value), 'in')} {where} the template{plus_minus(inside.sd)}"
    )


def _clear_path(space: FreeSpace, shift: FloatArray) -> Measurement:
    """How much room the way has on its narrowest stretch; as far as the window where it ends outside."""
    inside, _ = nearest_points(space.window, Point(shift))
    room, sd, names = space.clearance((inside.x, inside.y))
    return Measurement(Belief(room, sd), "in", Witness(None, names)).at_least(0.0)


def _clear_words(clear: Measurement) -> str:
    names = listed(clear.witness.blockers)
    if clear.value >= MOST_CLEARANCE:
        return "nothing is in the way"
    room = f"{in_words(abs(clear.value), 'in')}{plus_minus(clear.sd)}"
    if clear.value >= 0.0:
        return f"the narrowest stretch, past {names}, has {room} to spare" if names else f"{room} to spare"
    if clear.value <= -MOST_CLEARANCE:
        return f"{names or 'something'} is in the way"
    return f"{names or 'something'} is in the way: {room} too narrow"


ROUND = math.radians(170.0)
"""Radians off the road's direction from which a vehicle stands the wrong way round."""


def facing(after: Sequence[Standing], heading: float, citation: str, most: float = FACING) -> Check:
    """Whether no body of a vehicle is turned from the road's direction by more than so many radians."""
    worst = max(after, key=lambda s: abs(wrap_angle(s.pose.heading - heading)))
    askew = wrap_angle(heading - worst.pose.heading)
    sd = math.sqrt(float(worst.uncertainty.total[2, 2]))
    angle = Measurement(Belief(abs(askew), sd), "rad").at_most(most)
    # What stands the wrong way round may be turned either way: which is shorter a hair decides.
    side = "round" if abs(askew) > ROUND else "left" if askew > 0 else "right"
    words = (
        f"{worst.name} stands {in_words(abs(askew), 'rad')} off the road's direction{plus_minus(sd, 'rad')}"
    )
    if angle.value > most / 2:
        words += f", to be turned {side}"
    return make_check("Facing the Road", angle, citation=citation, words=words)


def stands_free(after: Sequence[Standing], others: Sequence[Standing], citation: str) -> list[Check]:
    """What stands where it now stands; two things that touch may seem to overlap a little."""
    walls = walls_of(after, in_the_way(others))
    if not walls:
        return []
    deepest = min(walls, key=lambda w: w.gap())
    gap = deepest.gap()
    if gap > -STANDS_ON / 2:
        return []
    measured = Measurement(Belief(gap, deepest.sd), "in", Witness(None, (deepest.name,))).at_least(-STANDS_ON)
    words = f"it overlaps {deepest.name} by {in_words(-gap, 'in')}{plus_minus(deepest.sd)}"
    return [make_check("Stands Free", measured.expecting(SOLID), citation=citation, words=words)]


def first_of(vehicle: Sequence[Standing], shift: FloatArray, others: Sequence[Standing]) -> Touch | None:
    """What any body of a vehicle touches first on the straight way of a shift (2,), its facing kept."""
    found = []
    for body in vehicle:
        ahead, left = map(float, Pose(0.0, 0.0, body.pose.heading).to_body(shift))
        touch = first_touch(body, [Straight(ahead, left)], others)
        if touch is not None:
            found.append(touch)
    return min(found, key=lambda t: t.share) if found else None


def _put(area: MoveArea, shift: Sequence[float], heading: float) -> Pose:
    """The pose of the first body, facing the road, with its bumper's middle at that shift."""
    first = area.vehicle[0]
    middle = area.bumper.mean(axis=0) + np.asarray(shift)
    reach = Pose(0.0, 0.0, heading).to_table(bumper_of(first).mean(axis=0))
    x, y = middle - reach
    return Pose(float(x), float(y), heading)


# What of the table counts: the road, and the vehicles that are in play on it.


def road_of(state: GameState | None, table: TableState) -> Road:
    """The road as the match has it; before that, the whole surface along its longer way."""
    place = None if state is None else state.road
    if state is None or place is None:
        return Road.over(table.surface)
    return Road(place.length, place.width, frame=Pose(*place.at), scroll=state.scroll)


def place_of(board: Board, table: TableState) -> RoadPlace:
    """How the road lies: the table file's board, or the whole surface where that is none."""
    road = board if isinstance(board, Road) else Road.over(table.surface)
    return RoadPlace((road.frame.x, road.frame.y, road.frame.heading), road.length, road.width)


def class_rows(state: GameState | None, name: str) -> int | None:
    """The section lengths of the template of a vehicle by its class: a Rig has two, also on one toy.

    None where no match says of which class it is.
    """
    known = () if state is None else state.vehicles
    found = next((v for v in known if key_of(v.name) == key_of(name)), None)
    return None if found is None else RIG_ROWS if found.is_rig else ROWS


def in_play(state: GameState, table: TableState, *also: str, trailing: str = "") -> TableState:
    """The table without vehicles that are not in play, and without trailers that were decoupled.

    `also` are names that count although they are not (yet). A decoupled trailer is a wreck on the road until
    it is said who has to veer behind it: who is on it may leap as far as from there. `trailing` names the Rig
    whose trailer is the wreck that is driven round.
    """
    wanted = {key_of(name) for name in also}
    wrecks = {key_of(trailing), *(key_of(duty.vehicle) for duty in state.duties if duty.kind == "wreck")}
    gone: set[str] = set()
    for vehicle in state.vehicles:
        bodies = bodies_of(table, vehicle.name)
        if not vehicle.in_play and key_of(vehicle.name) not in wanted:
            gone |= {s.name for s in bodies}
        elif vehicle.is_rig and vehicle.trailer is None and key_of(vehicle.name) not in wrecks:
            gone |= {s.name for s in bodies[1:]}
    return replace(table, standings=tuple(s for s in table.standings if s.name not in gone))


def bodies_of(table: TableState, name: str) -> tuple[Standing, ...]:
    """The bodies of a vehicle that are seen; none where it is not."""
    return () if table.called(name) is None else table.vehicle(name)


def seen_of(table: TableState, vehicles: Iterable[Vehicle]) -> tuple[str, ...]:
    """The names of those vehicles that are seen on the table."""
    return tuple(v.name for v in vehicles if bodies_of(table, v.name))


def looked_at(state: GameState, seen: Seen, *also: str) -> tuple[TableState, Road] | None:
    """The table that counts and its road; None without a camera."""
    if seen.table is None:
        return None
    return in_play(state, seen.table, *also), road_of(state, seen.table)
