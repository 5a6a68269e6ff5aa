"""A piece that is pushed along a way: as the camera would see it, in thought or on a drawn table."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import shapely

from engine.game.contract import Game, Seen, State
from engine.game.kit.table import standing_of
from engine.game.log.places import taken_off
from engine.measure.sight import to_table
from engine.measure.sweep import Step, Straight, Turn, first_touch, leaves
from engine.motion.moves import Move, Read
from engine.motion.recognition import Done, Manoeuvre, up_to
from engine.ruling import Belief, Measurement
from engine.space.geometry import Pose, Region, wrap_angle
from engine.space.table import Standing, Status, TableState, key_of

PUSH_SPEED = 6.0
"""Inches a second, of a hand that pushes a car."""

EVERY_IN, EVERY_TURN = 0.5, math.radians(10.0)
"""How far apart the poses of a way lie, inches and radians."""

ASKEW = math.radians(12.0)
"""Radians by which a piece stands askew at the most that comes right while it is slid."""

THOUGHT = "thought"
"""The id of a move that nobody has made."""

REST_S = 1.0
"""Seconds that a piece rests before and after it is pushed."""


def along(start: Pose, steps: Sequence[Step]) -> tuple[Pose, ...]:
    """The poses of a way from `start` through these steps, close enough to be pushed along."""
    found: list[Pose] = []
    here = start
    for step in steps:
        turn = abs(getattr(step, "angle", 0.0))
        parts = max(1, math.ceil(max(step.size / EVERY_IN, turn / EVERY_TURN)))
        found += [step.part(k / parts).after(here) for k in range(1, parts + 1)]
        here = found[-1]
    return tuple(found)


def straight_to(
    start: Pose, end: Pose, every: float = EVERY_IN, every_turn: float = EVERY_TURN
) -> tuple[Pose, ...]:
    """The poses of a piece that is slid from one place to another, turning on its way.

    They lie `every` inches and `every_turn` radians apart at the most.
    """
    far, turn = math.dist(start.xy, end.xy), wrap_angle(end.heading - start.heading)
    parts = max(1, math.ceil(max(far / every, abs(turn) / every_turn)))
    return tuple(
        Pose(
            start.x + (end.x - start.x) * k / parts, start.y + (end.y - start.y) * k / parts,
            start.heading + turn * k / parts,
        )
        for k in range(1, parts + 1)
    )  # fmt: skip


def told(steps: tuple[Step, ...]) -> str:
    """The deed for people: "drives 2 in, turns right by 45°, drives 1 in"."""
    words: list[str] = []
    for step in steps:
        if isinstance(step, Turn):
            words.append(
                f"turns {'left' if step.angle > 0 else 'right'} by {abs(math.degrees(step.angle)):.0f}°"
            )
        else:
            assert isinstance(step, Straight)
            back = " back" if step.ahead < 0 else ""
            words.append(f"drives{back} {inches(step.ahead)}")
            if step.left:
                words[-1] += f" and drifts {'left' if step.left > 0 else 'right'} by {inches(step.left)}"
    return ", ".join(words)


def inches(value: float) -> str:
    """A length for people, whichever way it goes.

    >>> inches(-3.0), inches(1.185)
    ('3 in', '1.19 in')
    """
    return f"{round(abs(value), 2):g} in"


def through(start: Pose, places: Sequence[Pose]) -> tuple[Pose, ...]:
    """The poses of a piece that is slid from place to place.

    One that stands far askew is turned first: slid and turned at once, nobody could tell how to push it.
    """
    found: list[Pose] = []
    if places and abs(wrap_angle(places[0].heading - start.heading)) > ASKEW:
        found += straight_to(start, Pose(start.x, start.y, places[0].heading))
    for place in places:
        found += straight_to(found[-1] if found else start, place)
    return tuple(found)


def until_touch(
    car: Standing,
    steps: Sequence[Step],
    others: Sequence[Standing],
    surface: Region | None = None,
    past: float = 0.0,
) -> tuple[Step, ...]:
    """The steps up to where the piece first touches one of the others, or the edge of a surface.

    All of them where it touches nothing. `past` inches farther it is sure that it touches.
    """
    touched = [first_touch(car, steps, others), leaves(car, steps, surface) if surface is not None else None]
    touch = min((t for t in touched if t is not None), key=lambda t: (t.step, t.share), default=None)
    if touch is None:
        return tuple(steps)
    last = steps[touch.step]
    # A turn goes past by a tenth of that in radians: a corner ten inches off would go so far.
    farther = past / 10.0 if isinstance(last, Turn) else past
    cut = (*steps[: touch.step], last.part(touch.share + farther / last.size))
    return tuple(step for step in cut if step.size > 1e-6)


def length_of(start: Pose, way: Sequence[Pose]) -> float:
    """Inches along a way, a turn counted as the way of a point an inch off."""
    poses = [start, *way]
    return sum(
        math.dist(a.xy, b.xy) + abs(wrap_angle(b.heading - a.heading)) for a, b in itertools.pairwise(poses)
    )


def clear(
    car: Standing,
    ways: Sequence[Sequence[Pose]],
    others: Iterable[Standing],
    surface: Region | None = None,
) -> list[bool]:
    """Which ways touch nothing and stay on a surface, looked at pose by pose: to choose by, not to rule."""
    met = first_met(car, ways, others, surface)
    return [first == len(way) for first, way in zip(met, ways, strict=True)]


def first_met(
    car: Standing,
    ways: Sequence[Sequence[Pose]],
    others: Iterable[Standing],
    surface: Region | None = None,
) -> list[int]:
    """At which pose each way first touches one of the others or leaves the surface; how many it has if never.

    Looked at pose by pose: to choose by, not to rule.
    """
    walls = [s.region.polygon for s in others if key_of(s.name) != key_of(car.name)]
    wall = shapely.union_all(walls).buffer(0.1) if walls else None
    floor = None if surface is None else surface.polygon
    for shape in (wall, floor):
        if shape is not None:
            shapely.prepare(shape)
    rows = np.array([(pose.x, pose.y, pose.heading) for way in ways for pose in way]).reshape(-1, 3)
    bodies = shapely.polygons(to_table(rows, car.piece.body.footprint.outline))
    bad = np.zeros(len(rows), bool) if floor is None else ~shapely.covers(floor, bodies)
    if wall is not None:
        bad |= shapely.intersects(wall, bodies)
    of_each = np.split(bad, np.cumsum([len(way) for way in ways])[:-1]) if ways else []
    return [int(np.argmax(one)) if one.any() else len(one) for one in of_each]


def put(table: TableState, piece: str, pose: Pose) -> TableState:
    """The table with one piece elsewhere; what hangs on it goes along."""
    here = table.find(piece)
    shift = pose.compose(here.pose.inverse())
    moved = {key_of(s.name) for s in (table.vehicle(piece) if here.piece.hitch is None else (here,))}

    def placed(standing: Standing) -> Standing:
        if key_of(standing.name) == key_of(here.name):
            return replace(standing, pose=pose, status=Status.STILL)
        return (
            replace(standing, pose=shift.compose(standing.pose))
            if key_of(standing.name) in moved
            else standing
        )

    return replace(table, standings=tuple(placed(s) for s in table.standings))


def known(start: Pose, steps: Sequence[Step]) -> Manoeuvre:
    """The manoeuvre that is made of these steps, one at least."""
    none = Manoeuvre(
        start, start, tuple(Done(step) for step in steps), (),
        Measurement(Belief(0.0, 0.01)), Measurement(Belief(0.0, 0.005), "rad"),
    )  # fmt: skip
    return up_to(none, len(steps) - 1, 1.0)


@dataclass(frozen=True, eq=False)
class Thought(Move):
    """A move in thought, of which is known what it is made of: nothing has to be recognised."""

    steps: tuple[Step, ...] = ()

    def recognised(self) -> Manoeuvre:
        """The very steps."""
        return self._known

    @cached_property
    def _known(self) -> Manoeuvre:
        return known(self.start.pose, self.steps)


def pushed(
    seen: Seen, piece: str, way: Sequence[Pose], id: str = THOUGHT, steps: tuple[Step, ...] = ()
) -> Seen:
    """What the camera would know once a piece was pushed along a way and rests at its end.

    With its `steps` it is a thought, which is quick to judge; without them it is recognised as any move.
    """
    table = seen.table
    if table is None or not way:
        return seen
    start = table.find(piece)
    began = table.time + REST_S
    took = length_of(start.pose, way) / PUSH_SPEED
    sure = start.uncertainty.own
    sd, turn_sd = math.sqrt(max(sure[0, 0], sure[1, 1])), math.sqrt(sure[2, 2])
    reads = tuple(
        Read(began + took * k / len(way), pose, max(sd, 0.005), max(turn_sd, 0.003))
        for k, pose in enumerate(way, start=1)
    )
    ended = began + took
    after = put(table, piece, way[-1])
    after = replace(after, time=ended + REST_S)
    rest = replace(after.find(piece), since=ended, seen_at=after.time)
    move = Move(id, start.name, table, rest, began, ended, reads)
    if steps:
        move = Thought(id, start.name, table, rest, began, ended, reads, steps=steps)
    others = {name: one for name, one in seen.moves.items() if key_of(one.piece) != key_of(piece)}
    return replace(seen, table=after, moves={**others, id: move})


def laid(game: Game[State], state: State, seen: Seen) -> Seen:
    """What is seen once hands have put pieces where the game has them, and taken off what it has taken off.

    That is what stands on cells, and what a rule moves that nobody is asked to push, as a whole fleet.
    """
    table = seen.table
    if table is None:
        return seen
    asked = {key_of(one.piece) for one in game.awaits(state)}
    moved = [g for g in game.ghosts(state, seen) if key_of(g.piece) not in asked]
    for ghost in (*game.on_board(state, seen), *moved):
        if ghost.pose is not None and ghost.right is False and standing_of(table, ghost.piece) is not None:
            table = put(table, ghost.piece, Pose(*ghost.pose))
    gone = taken_off(game, state, table)
    left = tuple(s for s in table.standings if key_of(s.name) not in gone)
    return replace(seen, table=replace(table, standings=left), moves={})


def feet_to_nearest(piece: str, others: Iterable[str], places: Mapping[str, Standing]) -> float:
    """How far it is to the nearest of some pieces, in feet; `places` are by the key of their names."""
    here = places.get(key_of(piece))
    there = [places[key_of(name)] for name in others if key_of(name) in places]
    apart = [math.dist(here.pose.xy, one.pose.xy) for one in there] if here is not None else []
    return min(apart, default=0.0) / 12.0
