"""The Acceleration and Deceleration rows: how a marker moves in one, and which box of the other matches."""

from __future__ import annotations

from typing import NamedTuple

from engine.games.frothy_races.book.data import TOP
from engine.games.frothy_races.book.licences import Licence, Row


class Marker(NamedTuple):
    """Where a Speed marker stands: the Speed rating, its Acceleration box and its Deceleration box."""

    speed: int
    box: int
    brake: int


def matching(index: int, count: int, others: int, *, right: bool) -> int:
    """The right-most or left-most box of a row of `others` that lies beside box `index` of `count`.

    >>> matching(0, 1, 2, right=True), matching(0, 1, 2, right=False), matching(1, 2, 2, right=True)
    (1, 0, 1)
    """
    beside = [
        k for k in range(others) if k * count < (index + 1) * others and (k + 1) * count > index * others
    ]
    return beside[-1] if right else beside[0]


def _along(row: Row, speed: int, box: int, steps: int, top: int) -> tuple[int, int, int]:
    """The Speed and box after so many steps in a row, and the steps that did not fit."""
    step = 1 if steps > 0 else -1
    if step > 0 and speed > top:
        return speed, box, steps
    for done in range(abs(steps)):
        if 0 <= box + step < row[speed]:
            box += step
        elif 0 <= speed + step <= top:
            speed += step
            box = 0 if step > 0 else row[speed] - 1
        else:
            return speed, box, abs(steps) - done
    return speed, box, 0


def accelerated(licence: Licence, marker: Marker, boxes: int, top: int = TOP) -> tuple[Marker, int]:
    """The marker so many Acceleration boxes on, and by how many it went beyond the maximum."""
    speed, box, left = _along(licence.acceleration, marker.speed, marker.box, boxes, top)
    if left == boxes:
        return marker, left
    brake = matching(box, licence.acceleration[speed], licence.deceleration[speed], right=True)
    return Marker(speed, box, brake), left


def decelerated(licence: Licence, marker: Marker, boxes: int) -> Marker:
    """The marker so many Deceleration boxes back; it stops at Speed 0."""
    if boxes <= 0:
        return marker
    speed, brake, left = _along(licence.deceleration, marker.speed, marker.brake, -boxes, TOP)
    if left == boxes:
        return marker
    box = matching(brake, licence.deceleration[speed], licence.acceleration[speed], right=False)
    return Marker(speed, box, brake)


def rated(licence: Licence, marker: Marker, speed: int, top: int = TOP) -> Marker:
    """The marker on another Speed rating: its highest boxes when it is slower, its lowest when faster."""
    speed = min(max(speed, 0), top)
    if speed == marker.speed:
        return marker
    if speed < marker.speed:
        return Marker(speed, licence.acceleration[speed] - 1, licence.deceleration[speed] - 1)
    return Marker(speed, 0, 0)


def check_pairs(values: tuple[int, ...], forced: int) -> tuple[tuple[int, int], ...]:
    """Which two dice of a Speed check may be kept, the lowest sum first; `forced` of them are the lowest.

    >>> check_pairs((3, 2, 1, 0), 1)
    ((0, 1), (0, 2), (0, 3))
    """
    low = sorted(values)
    kept = set()
    for i in range(len(low)):
        for j in range(i + 1, len(low)):
            pair = (low[i], low[j])
            if forced == 0 or (forced == 1 and pair[0] == low[0]) or pair == (low[0], low[1]):
                kept.add(pair)
    best = {sum(pair): pair for pair in sorted(kept)}
    return tuple(best[total] for total in sorted(best))


def forced_lowest(whip: int, reins: int, *, accelerates: bool) -> int:
    """How many of the two dice kept must be the lowest.

    For accelerating the book prints the words for Whip again; its example and its overview limit Reins,
    which is taken.

    >>> forced_lowest(1, 1, accelerates=True), forced_lowest(3, 1, accelerates=True)
    (1, 0)
    """
    against, with_it = (reins, whip) if accelerates else (whip, reins)
    if against == 0 or against < with_it:
        return 0
    return 2 if against >= 2 * with_it else 1
