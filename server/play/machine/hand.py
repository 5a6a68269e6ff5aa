"""The machine's hand on a simulated table: it pushes its own pieces, as fast as people do."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from engine.driver.pushing import straight_to
from engine.space.geometry import Pose
from engine.space.table import TableState, key_of
from server.pipeline.runner import Runner

INCHES_A_SECOND = 5.0
"""How fast it pushes; a turn counts as the way of a point an inch off."""

EVERY_S = 0.06
"""Seconds between two places on the way."""


class Hand:
    """Pushes pieces where they are simulated; elsewhere people do."""

    def __init__(self, live: Runner, sleep: Callable[[float], None] = time.sleep) -> None:
        self._live, self._sleep = live, sleep

    @property
    def there(self) -> bool:
        """Whether the table is one on which it can push anything."""
        return self._live.can_move

    def push(self, piece: str, way: Sequence[Pose], table: TableState) -> None:
        """Push a piece from where it stands through the poses of a way; returns once it lies there."""
        here = next((s.pose for s in table.standings if key_of(s.name) == key_of(piece)), None)
        every = INCHES_A_SECOND * EVERY_S
        for pose in way:
            for place in (pose,) if here is None else straight_to(here, pose, every, every):
                self._live.move(piece, place)
                self._sleep(EVERY_S)
            here = pose
