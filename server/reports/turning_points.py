"""The turning points of a game: where what a player could expect of it changed most."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.driver.characters import TEMPERAMENTS
from engine.game.match import Match
from engine.game.registry import STUMBLES
from engine.game.showing import Viewer
from engine.space.table import TableState

log = logging.getLogger("tableref.reports")

MOST = 3
"""Turning points that are told."""

LEAST = 0.1
"""What makes one, of the 1 that a whole vehicle is worth."""


@dataclass(frozen=True)
class Swing:
    """How much better or worse a player stood after a batch, in whole vehicles.

    `number` is that of its first entry; it happened between `since_s` and `at_s`, the game's own time.
    """

    number: int
    since_s: float
    at_s: float
    player: str
    by: float

    @property
    def words(self) -> str:
        """For people.

        >>> Swing(7, 1.0, 2.0, "Ann", -0.5).words
        'Ann is worse off by about half a vehicle'
        >>> Swing(9, 3.0, 4.0, "Ben", 1.6).words
        'Ben is better off by more than a whole vehicle'
        """
        return f"{self.player} is {'better' if self.by > 0 else 'worse'} off by {_vehicles(abs(self.by))}"


def _vehicles(worth: float) -> str:
    """So much of what a vehicle is worth: nobody knows it closer than to a quarter."""
    quarters = round(4 * worth)
    parts = {
        0: "a little", 1: "about a quarter of a vehicle", 2: "about half a vehicle",
        3: "about three quarters of a vehicle", 4: "about a whole vehicle",
    }  # fmt: skip
    return parts.get(quarters) or "more than a whole vehicle"


class Swings:
    """Holds the worth of a match before each batch against that after it; `table_at` has what stood where."""

    def __init__(self, table_at: Callable[[float], TableState]) -> None:
        self._table_at = table_at
        self._found: list[Swing] = []
        self._known: Mapping[str, float] = {}
        self._last_s = 0.0
        self._fails = self._plays = False
        self.over = False
        """Whether the match has come to its end."""

    def begin(self) -> None:
        """Another match begins."""
        self._found, self._known, self.over, self._plays = [], {}, False, False

    def turns(self) -> None:
        """A turn begins. Before the first one nobody plays: what is put down has won nothing by it."""
        if not self._plays:
            self._found, self._plays = [], True

    def take(self, number: int, at_s: float, match: Match[Any]) -> None:
        """The match after a batch that was kept at a time, from its first entry on."""
        if self._fails:
            return
        before, since_s, self._last_s = self._known, self._last_s, at_s
        try:
            status = match.game.status(match.state, Viewer())
            self.over, self._known = status.over, {}
            if status.over:
                return  # the result says it
            table = self._table_at(at_s)
            players = [place.player for place in status.order]
            worths = {p: match.game.worth(match.state, table, p) for p in players}
        except STUMBLES:
            # Rules that fail in thought leave the report to be told.
            log.exception("the worth of a position of %s is not known", match.game.about.title)
            self._fails = True
            return
        total = TEMPERAMENTS["even"].total
        self._known = {p: total(worth) for p, worth in worths.items() if worth is not None}
        changes = {p: now - before[p] for p, now in self._known.items() if p in before}
        if changes:
            player = max(changes, key=lambda p: abs(changes[p]))
            self._found.append(Swing(number, since_s, at_s, player, changes[player]))

    @property
    def greatest(self) -> Sequence[Swing]:
        """The greatest, in the order in which they happened; none where the worth is not known."""
        worth_telling = [s for s in self._found if abs(s.by) >= LEAST and not self._fails]
        best = sorted(worth_telling, key=lambda s: -abs(s.by))[:MOST]
        return sorted(best, key=lambda s: s.number)
