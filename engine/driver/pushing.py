"""Ways along which a piece could be pushed: how far they are clear, and what is told of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from random import Random
from typing import Any

import numpy as np
import shapely

from engine.errors import TableRefError
from engine.game.contract import Game, Seen, State
from engine.game.kit.shown import points, polygon
from engine.game.kit.table import standing_of
from engine.game.log.places import taken_off
from engine.game.pushing import along, put, straight_to
from engine.game.showing import Awaited, Leg, Mark
from engine.measure.sight import to_table
from engine.measure.sweep import Step, Straight, Turn, first_touch, leaves
from engine.motion.recognition import pivots_of
from engine.space.geometry import Footprint, Pose, Region, wrap_angle
from engine.space.table import Standing, TableState, key_of

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


# Where a piece that is awaited may be pushed, in a game that does not say itself; any way in its parts

Way = tuple[Pose, ...]
"""Where a piece is pushed, to its last pose; empty where it stays as it stands."""

THERE_IN, THERE_TURN = 0.1, math.radians(2.0)
"""Inches and radians within which a piece need not be pushed."""

FAR_IN = 8.0
"""Inches that a car is pushed at the most where nobody says how far it may go (house default)."""


def usual_ways(
    game: Game[State], state: State, seen: Seen, awaited: Awaited, chance: Random
) -> Iterator[Way]:
    """Ways that may be lawful for a piece that is awaited, without end where they are drawn.

    Onto its ghost where a rule says where it has to stand; anywhere where it is put down; else from cell to
    cell, or by runs and a turn.
    """
    here = standing_of(seen.table, awaited.piece)
    if seen.table is None or here is None:
        return iter(())
    goals = list(_goals(game, state, seen, awaited.piece, chance))
    if goals:
        return (() if _there(here.pose, goal) else _slid(here.pose, goal) for goal in goals)
    board = game.board(state, seen.board)
    if awaited.anywhere:
        return chain([()], (_slid(here.pose, at) for at in _anywhere(seen.table, here, chance)))
    if board.cells:
        return (_slid(here.pose, at) for at in _cells(board, here, chance))
    return (along(here.pose, steps) for steps in _steps(here, chance))


def _slid(here: Pose, goal: Pose) -> Way:
    """To where it is to stand, and turned there."""
    return through(here, (Pose(goal.x, goal.y, here.heading), goal))


def _there(here: Pose, goal: Pose) -> bool:
    """Whether a piece stands where it is to go."""
    return (
        math.dist(here.xy, goal.xy) < THERE_IN and abs(wrap_angle(here.heading - goal.heading)) < THERE_TURN
    )


def _goals(game: Game[State], state: State, seen: Seen, piece: str, chance: Random) -> Iterator[Pose]:
    """Where a rule has put the piece, turned as it may be turned."""
    for ghost in game.ghosts(state, seen):
        if key_of(ghost.piece) != key_of(piece) or ghost.pose is None:
            continue
        x, y, heading = ghost.pose
        turns = [0.0] if not ghost.free else [0.0, ghost.free, -ghost.free]
        turns += [chance.uniform(-ghost.free, ghost.free) for _ in range(4 if ghost.free else 0)]
        yield from (Pose(x, y, heading + turn) for turn in turns)


def _anywhere(table: TableState, here: Standing, chance: Random) -> Iterator[Pose]:
    (left, low), (right, high) = table.surface.outline.min(axis=0), table.surface.outline.max(axis=0)
    room = here.piece.body.length / 2 + 0.3
    for _ in repeat(None):
        x, y = chance.uniform(left + room, right - room), chance.uniform(low + room, high - room)
        side = chance.randrange(6)
        if side < 4:  # at an edge, facing inward, as most books want it
            x = (left + room, right - room, x, x)[side]
            y = (y, y, low + room, high - room)[side]
            yield Pose(x, y, (0.0, math.pi, math.pi / 2, -math.pi / 2)[side])
        else:
            yield Pose(x, y, chance.randrange(8) * math.pi / 4)


def _cells(board: Any, here: Standing, chance: Random) -> Iterator[Pose]:
    """Cells round about with every facing, the nearer the likelier."""
    places = np.array([board.pose_of(cell).xy for cell in board.cells])
    apart = np.hypot(*(places - here.pose.xy).T)
    order = np.argsort(apart)
    for _ in repeat(None):
        nth = int(abs(chance.gauss(0.0, 25.0)))
        if nth < len(order):
            try:
                yield board.pose_of(board.cells[int(order[nth])], chance.randrange(max(board.facings, 1)))
            except TableRefError:
                continue


def _steps(here: Standing, chance: Random) -> Iterator[tuple[Step, ...]]:
    pivot = pivots_of(here.piece.body)[0]
    for _ in repeat(None):
        far = float(chance.randint(1, int(FAR_IN)))
        before = chance.choice([0.0, far, float(chance.randint(0, int(far)))])
        turn = Turn(math.radians(chance.choice([-90, -60, -45, -30, -15, 15, 30, 45, 60, 90])), pivot)
        if chance.random() < 0.3:
            yield (Straight(far),)
        else:
            runs: list[Step] = [Straight(before), turn, Straight(far - before)]
            yield tuple(one for one in runs if one.size > 0.0)


# A way in its parts


def legs(start: Pose, way: Sequence[Pose], *, told: bool = True) -> tuple[Leg, ...]:
    """The runs and turns of which a way is made; without inches where those are not `told`.

    >>> [leg.words for leg in legs(Pose(0, 0, 0), along(Pose(0, 0, 0), (Straight(3), Turn(0.5, (0, 0)))))]
    ['drive 3 in', 'turn left by 29°']
    """
    found: list[Leg] = []
    begun, last = start, start
    for here, after in zip(way, (*way[1:], None), strict=True):
        if after is None or any(
            abs(a - b) > CORNER for a, b in zip(_going(last, here), _going(here, after), strict=True)
        ):
            found.append(_leg(begun, here, told))
            begun = here
        last = here
    return tuple(leg for leg in found if leg.words)


def drawn(start: Pose, way: Sequence[Pose], parts: Sequence[Leg], body: Footprint, piece: str) -> list[Mark]:
    """The way of the middle of its front, where the ruler is held, and the piece at each corner.

    Each says how far it is up to there; the line does so of the end.
    """
    ring = body.outline
    front = np.array([float(ring[:, 0].max()), float((ring[:, 1].min() + ring[:, 1].max()) / 2)])
    fronts = np.array([pose.to_table(front) for pose in (start, *way)]).reshape(-1, 2)
    told = [f"{k}: {leg.short}" for k, leg in enumerate(parts, start=1)]
    corners = [
        polygon("start", Pose(*leg.pose).to_table(ring), piece, words)
        for leg, words in zip(parts[:-1], told, strict=False)
    ]
    return [Mark("line", "path", points(fronts), told[-1], piece=piece), *corners]


CORNER = 0.05
"""By how much the way of one step differs from that of the next where another part begins."""

PIVOT_IN = 3.0
"""Inches from a piece's middle of the points that it turns about: about one farther off it is slid askew."""


def _going(a: Pose, b: Pose) -> tuple[float, float, float]:
    """Which way a step goes, in the frame of the piece, and whether it turns."""
    x, y = (float(v) for v in a.to_body(b.xy))
    far, turn = math.hypot(x, y), wrap_angle(b.heading - a.heading)
    if abs(turn) > 1e-3 and far <= PIVOT_IN * abs(turn):
        return 0.0, 0.0, math.copysign(1.0, turn)
    return (x / far, y / far, 0.0) if far > 1e-6 else (0.0, 0.0, 0.0)


def _leg(a: Pose, b: Pose, told: bool) -> Leg:
    """One part of a way: a run, also to a side, or a turn; without words where nothing is moved."""
    # It comes right on its way where it stood askew in its cell.
    ahead, left = (float(v) for v in Pose(a.x, a.y, b.heading).to_body(b.xy))
    far, turn = math.hypot(ahead, left), wrap_angle(b.heading - a.heading)
    end = (b.x, b.y, b.heading)
    if abs(turn) >= THERE_TURN / 2 and far <= PIVOT_IN * abs(turn):
        by = f"{math.degrees(abs(turn)):.0f}°"
        side = "left" if turn > 0 else "right"
        return Leg(f"turn {side} by {by}", f"{side} {by}", end)
    if far < THERE_IN / 2:
        return Leg("", "", end)
    straight = abs(left) < THERE_IN
    onward = "back" if ahead < 0 else "" if straight else "ahead"
    sides = ((ahead, onward), (left, f"to its {'left' if left > 0 else 'right'}"))
    parts = [f"{inches(by) if told else ''} {where}".strip() for by, where in sides if abs(by) >= THERE_IN]
    deed = f"{'drive' if straight else 'slide'} {' and '.join(parts)}".strip()
    return Leg(deed, inches(far) if told else deed, end)
