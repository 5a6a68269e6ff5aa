"""Reads one recorded game: its entries, where everything stood at any time, its pictures."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlalchemy import Engine, or_, select

from server.recording import schema
from server.recording.errors import told
from server.recording.journal import Recorded
from server.recording.records import GameRecord, entry_of

AT_ONCE = 1000
"""Rows fetched at a time: a game of 100,000 entries is never in memory as a whole."""


class Reader:
    """One game, recorded or still being recorded. All times are the game's own, `at_s`.

    `game` is what was known of it when it was opened.
    """

    def __init__(self, engine: Engine, where: str, game: GameRecord) -> None:
        self.game = game
        self._engine = engine
        self._where = where

    @property
    def duration(self) -> float:
        """Seconds of the game's own time from its beginning to its last entry."""
        return self.game.duration_s

    def entries(
        self, kinds: Collection[str] = (), *, after: int = 0, until: int | None = None
    ) -> Iterator[Recorded]:
        """The entries in their order, from the number `after` (without it) to `until` (with it).

        `kinds` chooses: "camera.settled" that kind, "camera." all that begin so.
        """
        e = schema.entry.c
        asked = select(schema.entry).where(e.game == self.game.id)
        if kinds:
            asked = asked.where(
                or_(
                    *(
                        e.kind.startswith(k, autoescape=True) if k.endswith(".") else e.kind == k
                        for k in kinds
                    )
                )
            )
        if until is not None:
            asked = asked.where(e.number <= until)
        while True:
            page = asked.where(e.number > after).order_by(e.number).limit(AT_ONCE)
            with told(self._where), self._engine.connect() as connection:
                found = [entry_of(row) for row in connection.execute(page)]
            yield from found
            if len(found) < AT_ONCE:
                return
            after = found[-1].number
