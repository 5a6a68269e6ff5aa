"""The timeline of a recorded game: its entries in order, and the marks that people look for."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from engine.errors import TableRefError
from engine.game.contract import Game
from engine.game.events import Tone
from server.recording.journal import Recorded
from server.recording.library.records import GameRecord
from server.recording.matches import BEGIN, event_of, game_or_unknown_of, is_match

MarkKind = Literal["turn", "ruling", "dispute", "gap"]

MARKS: dict[str, MarkKind] = {
    "ruling": "ruling",
    "dispute.opened": "dispute",
    "camera.gap": "gap",
    "camera.source": "gap",
}
"""By the kind of an entry."""

TONES: dict[Tone, MarkKind] = {"turn": "turn", "ruling": "ruling", "attack": "ruling"}
"""By the tone of a match's event."""


class Entries(Protocol):
    """What reads a game's entries: `server.recording.reader.Reader`."""

    @property
    def game(self) -> GameRecord:
        """What was known of it when it was opened."""
        ...

    def entries(
        self, kinds: Collection[str] = (), *, after: int = 0, until: int | None = None
    ) -> Iterable[Recorded]:
        """The entries in their order, after the number `after`."""
        ...


@dataclass(frozen=True, slots=True)
class Tick:
    """An entry without its data. `at_s` never runs back along the line."""

    number: int
    at_s: float
    kind: str
    words: str
    actor: str | None
    verdict: str | None = None
    tone: Tone = "plain"

    @property
    def mark(self) -> MarkKind | None:
        """What it is to people who look for a place in the game; None for the rest."""
        return MARKS.get(self.kind) or TONES.get(self.tone)


class Timeline:
    """All entries of a game, read once and then only what was added since. May be used from any thread.

    Their data are not kept: a game of 100,000 entries takes some twenty megabytes.
    """

    def __init__(self, reader: Entries) -> None:
        self._reader = reader
        self._ticks: list[Tick] = []
        self._times: list[float] = []
        self._lock = threading.Lock()
        self._game: Game[Any] | None = None
        self.refresh()

    def refresh(self) -> None:
        """Reads what was recorded since."""
        with self._lock:
            for entry in self._reader.entries(after=self._ticks[-1].number if self._ticks else 0):
                at_s = max(entry.at_s, self._times[-1] if self._times else 0.0)
                verdict = entry.data.get("verdict")
                if entry.kind == BEGIN:
                    self._game = game_or_unknown_of(entry)
                self._ticks.append(
                    Tick(
                        entry.number, at_s, entry.kind, entry.words, entry.actor,
                        verdict if isinstance(verdict, str) else None,
                        self._tone(entry),
                    )
                )  # fmt: skip
                self._times.append(at_s)

    def _tone(self, entry: Recorded) -> Tone:
        """What an entry is to people; one that cannot be read is still told by its words."""
        try:
            return event_of(entry, self._game).tone if is_match(entry) else "plain"
        except TableRefError:
            return "plain"

    def __len__(self) -> int:
        return len(self._ticks)

    @property
    def marks(self) -> tuple[Tick, ...]:
        """Those that people look for."""
        return tuple(t for t in self._ticks if t.mark is not None)

    def until(self, at_s: float, count: int) -> tuple[Tick, ...]:
        """The last `count` entries that had happened at a time."""
        end = bisect_right(self._times, at_s)
        return tuple(self._ticks[max(0, end - count) : end])

    def after(self, number: int) -> tuple[Tick, ...]:
        """The entries with higher numbers."""
        return tuple(self._ticks[bisect_right(self._ticks, number, key=lambda t: t.number) :])

    def beside(self, at_s: float, forward: bool) -> Tick | None:
        """The next entry at a later time, or the last at an earlier one; None if there is none."""
        k = bisect_right(self._times, at_s) if forward else bisect_left(self._times, at_s) - 1
        return self._ticks[k] if 0 <= k < len(self._ticks) else None
