"""The timeline of a recorded game: its entries in order, and the marks that people look for."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from engine.errors import TableRefError
from engine.game.contract import Game, hidden
from engine.game.events import QUIET, STARTS, Event, Tone, standing_batches
from engine.game.viewing import without_distances
from server.play.keeping import END
from server.recording.journal import Recorded
from server.recording.library.records import GameRecord
from server.recording.matches import BEGIN, MATCH, data_of, event_of, game_or_unknown_of, is_match

MarkKind = Literal["turn", "attack", "ruling", "decision", "dispute", "gap"]
"""A *ruling* is measured and has a verdict; a *decision* is what people ruled."""

PAGES = "play."
"""Kinds of entries of the pages of a game: who sits where, how it is set up."""

MARKS: dict[str, MarkKind] = {
    "ruling": "ruling",
    "dispute.opened": "dispute",
    "camera.gap": "gap",
    "camera.source": "gap",
}
"""By the kind of an entry."""

COUNTED = ("back_to", "choices", "group", "player", "salts")
"""The data of a match's events that say which of them count: all that is kept of them."""

TONES: dict[Tone, MarkKind] = {"turn": "turn", "ruling": "decision", "attack": "attack"}
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
    public: str | None = None
    """Its words for those who may not read it all while the match is on; None: everybody may."""
    again: bool = False
    """Whether it only says once more what was said last of its kind."""
    measured: bool | None = None
    """Whether the event was measured on the table; None where nothing had to be."""
    batch: int | None = None
    """The batch of a match's events that it belongs to, counted from the first; None for the rest."""
    undone: bool = False
    """Whether it had been taken back by the time that is looked at."""

    @property
    def told(self) -> str:
        """Its words as a sentence begins, and that it was not measured."""
        words = self.words[:1].upper() + self.words[1:]
        return f"{words} (not measured)" if self.measured is False else words

    @property
    def mark(self) -> MarkKind | None:
        """What it is to people who look for a place in the game; None for the rest."""
        return MARKS.get(self.kind) or TONES.get(self.tone)


class Timeline:
    """All entries of a game, read once and then only what was added since. May be used from any thread.

    Their data are not kept: a game of 100,000 entries takes some twenty megabytes. While the match is on
    (`running`) nothing is told but what everybody may read, and no distance where the book hides them and the
    match is not `over` yet.
    """

    def __init__(
        self,
        reader: Entries,
        running: Callable[[], bool] = lambda: False,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._reader = reader
        self._still = running
        self._over = over
        self._running = False
        self._last_words: dict[str, str] = {}
        self._ticks: list[Tick] = []
        self._times: list[float] = []
        self._lock = threading.Lock()
        self._batches: list[list[Event]] = []
        """What of the match's events says which of them count."""
        self._kept: tuple[int, frozenset[int]] = (0, frozenset())
        """Of so many batches those that count, as they were looked up last."""
        self._game: Game[Any] | None = None
        self.refresh()

    def refresh(self) -> None:
        """Reads what was recorded since."""
        with self._lock:
            self._running = self._still()
            for entry in self._reader.entries(after=self._ticks[-1].number if self._ticks else 0):
                at_s = max(entry.at_s, self._times[-1] if self._times else 0.0)
                verdict = entry.data.get("verdict")
                if entry.kind == BEGIN:
                    self._game = game_or_unknown_of(entry)
                elif entry.kind == END:
                    self._game = None
                tone, public, measured = self._of_event(entry)
                again = entry.kind.startswith(PAGES) and self._last_words.get(entry.kind) == entry.words
                self._last_words[entry.kind] = entry.words
                self._ticks.append(
                    Tick(
                        entry.number, at_s, entry.kind, entry.words, entry.actor,
                        verdict if isinstance(verdict, str) else None, tone, public, again,
                        measured, self._batch(entry),
                    )
                )  # fmt: skip
                self._times.append(at_s)

    def _batch(self, entry: Recorded) -> int | None:
        """The number of the batch of an entry that comes next."""
        if not is_match(entry):
            return None
        kind = entry.kind.removeprefix(MATCH)
        if kind in STARTS or not self._batches:
            self._batches.append([])
        if kind in (*STARTS, "withdrawn") or not self._batches[-1]:
            data = data_of(entry)
            kept = {name: data[name] for name in COUNTED if name in data}
            self._batches[-1].append(Event(kind, kept, "", ""))
        return len(self._batches) - 1

    def _taken_back(self, tick: Tick, count: int) -> bool:
        """Whether an entry did not count any more after so many batches."""
        if tick.batch is None or tick.kind.removeprefix(MATCH) in QUIET:
            return False
        if self._kept[0] != count:
            self._kept = count, standing_batches(self._batches[:count])
        return tick.batch not in self._kept[1]

    def _of_event(self, entry: Recorded) -> tuple[Tone, str | None, bool | None]:
        """What an entry is to people, its public words, and whether it was measured; never raises."""
        try:
            event = event_of(entry, self._game) if is_match(entry) else None
        except TableRefError:
            event = None
        if event is None:
            return "plain", None, None
        return event.tone, None if event.audience is None else event.public, event.measured

    def __len__(self) -> int:
        return len(self._ticks)

    @property
    def hides(self) -> bool:
        """Whether a match is on whose book hides distances now."""
        if not self._running or self._game is None or hidden(self._game.about) is None:
            return False
        return not self._over()

    def _told(self, ticks: Iterable[Tick]) -> tuple[Tick, ...]:
        """Entries as anybody may read them."""
        if not self._running:
            return tuple(ticks)
        hides, found = self.hides, []
        for tick in ticks:
            words = tick.words if tick.public is None else tick.public
            if words or tick.public is None:
                found.append(replace(tick, words=without_distances(words) if hides else words))
        return tuple(found)

    @property
    def marks(self) -> tuple[Tick, ...]:
        """Those that people look for."""
        return self._told(t for t in self._ticks if t.mark is not None)

    def until(self, at_s: float, count: int) -> tuple[Tick, ...]:
        """The last `count` entries that had happened at a time, without what was only said again."""
        found: list[Tick] = []
        with self._lock:
            newest = bisect_right(self._times, at_s) - 1
            numbers = (self._ticks[k].batch for k in range(newest, -1, -1))
            batches = next((number + 1 for number in numbers if number is not None), 0)
            for k in range(newest, -1, -1):
                if len(found) == count:
                    break
                tick = self._ticks[k]
                if not tick.again:
                    found.append(replace(tick, undone=self._taken_back(tick, batches)))
        return self._told(reversed(found))

    def after(self, number: int) -> tuple[Tick, ...]:
        """The entries with higher numbers."""
        return self._told(self._ticks[bisect_right(self._ticks, number, key=lambda t: t.number) :])

    def beside(self, at_s: float, forward: bool) -> Tick | None:
        """The next entry at a later time, or the last at an earlier one; None if there is none.

        What was only said again is passed over.
        """
        k = bisect_right(self._times, at_s) if forward else bisect_left(self._times, at_s) - 1
        while 0 <= k < len(self._ticks):
            if not self._ticks[k].again:
                return self._ticks[k]
            k += 1 if forward else -1
        return None
