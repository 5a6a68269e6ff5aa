"""Zones of a component: where a Speed token goes, where damage, and what an engine's tokens come to."""

from __future__ import annotations

from collections.abc import Sequence

from engine.games.car_cult.book.data import DAMAGE, DRIFT_SHARE, SPEED, Token

Zones = tuple[Token | None, ...]
"""The zones of a component from the left, each with its token."""


def with_speed(zones: Zones) -> Zones:
    """One Speed token more, in the empty zone farthest to the left.

    >>> with_speed(("Speed", None, None))
    ('Speed', 'Speed', None)
    """
    return _with(zones, zones.index(None), SPEED)


def without_speed(zones: Zones, count: int) -> Zones:
    """So many Speed tokens less, from the right.

    >>> without_speed(("Speed", "Speed", "Damage"), 1)
    ('Speed', None, 'Damage')
    """
    for k in range(len(zones) - 1, -1, -1):
        if count and zones[k] == SPEED:
            zones, count = _with(zones, k, None), count - 1
    return zones


def with_damage(zones: Zones) -> Zones:
    """One Damage token more, in the zone farthest to the right that has none; a Speed token there is lost.

    >>> with_damage(("Speed", "Speed", "Damage"))
    ('Speed', 'Damage', 'Damage')
    """
    place = max(k for k, token in enumerate(zones) if token != DAMAGE)
    return _with(zones, place, DAMAGE)


def speed_into_damage(zones: Zones, count: int) -> Zones:
    """So many Speed tokens replaced by Damage tokens, from the right.

    >>> speed_into_damage(("Speed", "Speed", None, None), 1)
    ('Speed', 'Damage', None, None)
    """
    for k in range(len(zones) - 1, -1, -1):
        if count and zones[k] == SPEED:
            zones, count = _with(zones, k, DAMAGE), count - 1
    return zones


def _with(zones: Zones, place: int, token: Token | None) -> Zones:
    return (*zones[:place], token, *zones[place + 1 :])


def count(zones: Zones, token: Token | None) -> int:
    """How many zones hold that token, or none."""
    return sum(held == token for held in zones)


def symbols(zones: Zones, places: Sequence[int]) -> int:
    """The +ST symbols, counted from 1, that no token covers.

    >>> symbols(("Speed", None, "Damage"), (1, 2, 3))
    1
    """
    return sum(zones[place - 1] is None for place in places)


def limits(zones: Zones, speeds: Sequence[int]) -> tuple[int, int]:
    """The minimum and the maximum in inches: the speeds above the two filled zones farthest to the right.

    With one filled zone the minimum is 0, with none both are (house default).

    >>> limits(("Speed", "Speed", None, None), (6, 11, 15, 18))
    (6, 11)
    """
    filled = [speeds[k] for k, token in enumerate(zones) if token == SPEED]
    low, high = [0, 0, *filled][-2:]
    return (low, high)


def most_drift(minimum: int) -> int:
    """Inches of drift: a quarter of the minimum, rounded down.

    >>> most_drift(11)
    2
    """
    return minimum // DRIFT_SHARE
