"""Who moves next, where a vehicle may go and what a collision does in Frothy Races 3.6, from the book alone.

Small, slow and plain: it knows hexes as places on a plane and shares no code with the game.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Hex = tuple[int, int]


@dataclass(frozen=True)
class Racer:
    """A vehicle: its hex, its facing in degrees, its Speed rating, and whether it has a Reins card."""

    name: str
    place: Hex
    degrees: int
    speed: int
    reins: bool = False


@dataclass(frozen=True)
class Course:
    """The hexes of the track, each with how far along it lies and its lane from the inside; what is solid."""

    along: Mapping[Hex, float]
    lane: Mapping[Hex, int]
    solid: frozenset[Hex] = frozenset()


Path = tuple[tuple[Hex, ...], Hex | None]
"""The hexes that a vehicle moves into, and the one that it would move into but cannot."""


def middle(place: Hex) -> tuple[float, float]:
    """Where a hex lies on the plane, one unit from its neighbours."""
    q, r = place
    return q + 0.5 * r, math.sqrt(0.75) * r


def bearing(one: Hex, other: Hex) -> int:
    """In which direction another hex lies, in degrees."""
    (x, y), (u, v) = middle(one), middle(other)
    return round(math.degrees(math.atan2(v - y, u - x))) % 360


def off(degrees: int, other: int) -> int:
    """The angle between two directions, 0 to 180."""
    return abs((other - degrees + 180) % 360 - 180)


def around(place: Hex) -> list[Hex]:
    """The six hexes beside one."""
    near = [(place[0] + q, place[1] + r) for q in (-1, 0, 1) for r in (-1, 0, 1)]
    here = middle(place)
    return [one for one in near if abs(math.dist(here, middle(one)) - 1.0) < 0.01]


def order(course: Course, racers: Sequence[Racer]) -> list[str]:
    """Movement & Initiative: the highest Speed, then who is in front, then who is nearest to the inside."""
    waiting, told = list(racers), []
    while waiting:
        fastest = max(one.speed for one in waiting)
        left = [one for one in waiting if one.speed == fastest]
        front = max(course.along[one.place] for one in left)
        left = [one for one in left if front - course.along[one.place] < 1e-6]
        first = min(left, key=lambda one: course.lane[one.place])
        told.append(first.name)
        waiting.remove(first)
    return told


def next_hexes(place: Hex, degrees: int, drifted: bool, before: Hex | None) -> list[tuple[Hex, bool]]:
    """Straight and Drift Movement: the hexes that the next space may be, and whether that is a drift.

    `before` is the hex that it came from in this phase.
    """
    found = []
    for one in around(place):
        turn = off(degrees, bearing(place, one))
        if degrees % 60 == 0:
            if turn == 0 or (turn == 60 and not drifted):
                found.append((one, turn == 60))
        elif turn == 30:
            # At a corner each space goes to the other side than the one before.
            again = before is not None and bearing(before, place) == bearing(place, one)
            if not again:
                found.append((one, False))
    return found


def paths(course: Course, taken: set[Hex], racer: Racer, spaces: int) -> set[Path]:
    """Every path of so many spaces; one that would enter an occupied hex ends before it."""
    found: set[Path] = set()

    def on(way: tuple[Hex, ...], drifted: bool) -> None:
        if len(way) - 1 == spaces:
            found.add((way[1:], None))
            return
        before = way[-2] if len(way) > 1 else None
        for one, drift in next_hexes(way[-1], racer.degrees, drifted, before):
            if one in taken or one in course.solid or one not in course.along:
                found.add((way[1:], one))
            else:
                on((*way, one), drifted or drift)

    on((racer.place,), False)
    return found


def legal(course: Course, racers: Sequence[Racer], name: str, spaces: int) -> tuple[str, set[Path]]:
    """Movement & Collisions: "free" paths; else with "reins" one space less; else "forced", any of them."""
    (racer,) = (one for one in racers if one.name == name)
    taken = {one.place for one in racers if one.name != name}
    every = paths(course, taken, racer, spaces)
    free = {path for path in every if path[1] is None}
    if free:
        return "free", free
    if racer.reins and spaces:
        less = {path for path in paths(course, taken, racer, spaces - 1) if path[1] is None}
        if less:
            return "reins", less
    return "forced", every


def facings_after(degrees: int, spaces: int) -> set[int]:
    """Changing Direction: by 30 degrees, once it has moved a space."""
    return {degrees} | ({(degrees + 30) % 360, (degrees - 30) % 360} if spaces else set())


def collision(moving: Racer, hit: Racer | None) -> tuple[str, tuple[int, int], tuple[int, int]]:
    """Solid Obstacles and Vehicles: the kind, the Damage dice of both, and both Speeds afterwards.

    The book leaves open where the front ends and the side begins; here the hexes straight ahead and 30
    degrees beside that are the front, the same behind are the rear.
    """
    if hit is None:
        return "Solid Obstacle", (moving.speed, 0), (moving.speed // 2, 0)
    struck = off(hit.degrees, bearing(hit.place, moving.place))
    a, b = moving.speed, hit.speed
    if struck < 45:
        return "Head-On", (a + b, a + b), (a // 2, b // 2)
    if struck <= 135:
        return "T-collision", (a, a), (a // 2, b)
    if a > b:
        share = math.ceil((a - b) / 2)
        return "Rear-End", (a - b, a - b), (a - share, b + share)
    return "Rear-End", (1, 1), (max(a - 1, 0), b)
