"""Ways along which a piece could be pushed: how far they are clear, and what is told of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import shapely

from engine.game.contract import Game, Seen, State
from engine.game.kit.table import standing_of
from engine.game.log.places import taken_off
from engine.game.pushing import put, straight_to
from engine.measure.sight import to_table
from engine.measure.sweep import Step, Straight, Turn, first_touch, leaves
from engine.space.geometry import Pose, Region, wrap_angle
from engine.space.table import Standing, key_of

ASKEW = math.radians(12.0)
"""Radians by which a piece stands askew at the most that comes right while it is slid."""


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
