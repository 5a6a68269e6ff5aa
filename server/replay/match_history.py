"""The match of a recorded game as it stood at any time of it."""

from __future__ import annotations

import logging
import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.game.contract import Game
from engine.game.events import STARTS
from engine.game.log.unknown import unknown_game
from engine.game.match import Match
from engine.game.registry import STUMBLES
from engine.space.table import key_of
from server.play.drafts import Draft, draft_of
from server.play.keeping import END, SETUP
from server.recording.journal import Recorded
from server.recording.matches import BEGIN, MATCH, event_of, game_or_unknown_of, is_match
from server.recording.reader import Reader
from server.table.questions.rulings import Played

log = logging.getLogger("tableref.replay")


@dataclass(frozen=True)
class MatchMoment:
    """A match from `at_s` on, the game's own time. `game` is None while none is on.

    `owners` says whose the pieces are, by `key_of` their names; `colours` are the players'. `number` is that
    of the last entry by which it stands so.
    """

    at_s: float = 0.0
    game: Game[Any] | None = None
    state: Any = None
    owners: Mapping[str, str] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)
    number: int = 0


def in_batches(entries: Iterable[Recorded]) -> Iterator[list[Recorded]]:
    """The entries of a match in the batches in which it happened, whatever is no event of it alone."""
    together: list[Recorded] = []
    for entry in entries:
        begins = not is_match(entry) or entry.kind.removeprefix(MATCH) in STARTS
        if together and (begins or not is_match(together[0])):
            yield together
            together = []
        together.append(entry)
    if together:
        yield together


class MatchHistory:
    """Every state of a game's match, folded once and then only what was added since.

    May be used from any thread.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._moments = [MatchMoment()]
        self._begun: MatchMoment | None = None
        self._match: Match[Any] | None = None
        self._draft: Draft | None = None
        self._lost = False
        self._last = 0
        self.refresh()

    def refresh(self) -> None:
        """Reads what was recorded since."""
        with self._lock:
            # A batch is written all at once, so that none is ever read by halves.
            for together in in_batches(self._reader.entries((MATCH, SETUP, END), after=self._last)):
                self._last = together[-1].number
                self._take(together)

    def _take(self, together: Sequence[Recorded]) -> None:
        entry = together[0]
        if entry.kind == SETUP:
            self._draft = draft_of(entry.data["draft"])
        elif entry.kind == END:
            self._match = None
        elif entry.kind == BEGIN:
            self._match, self._lost = Match(game_or_unknown_of(entry)), False
        if self._match is not None and is_match(entry) and not self._lost:
            try:
                self._match.commit([event_of(one, self._match.game) for one in together])
            except STUMBLES as error:
                # Rules of another version, or another's: the record is still there to be looked at.
                log.exception("entry %d cannot be folded", entry.number)
                about = self._match.game.about
                self._match, self._lost = Match(unknown_game(about.id, about.version, str(error))), True
        match, draft = self._match, self._draft
        self._moments.append(
            MatchMoment(
                max(entry.at_s, self._moments[-1].at_s),
                None if match is None else match.game,
                None if match is None else match.state,
                {} if draft is None else {key_of(p.name): p.owner for p in draft.pieces},
                {} if draft is None else {p.name: p.colour for p in draft.players},
                together[-1].number,
            )
        )
        if self._begun is None and entry.kind == BEGIN:
            self._begun = self._moments[-1]

    def at(self, at_s: float) -> tuple[MatchMoment, float | None]:
        """The match at a time, and until when it stays so; None: to the end of what is recorded.

        Before the first one the pieces are already those of the players who then played.
        """
        moments, begun = self._moments, self._begun
        k = bisect_right(moments, at_s, key=lambda m: m.at_s)
        found = moments[max(0, k - 1)]
        if begun is not None and found.number < begun.number:
            found = replace(found, owners=begun.owners, colours=begun.colours)
        return found, moments[k].at_s if k < len(moments) else None

    def played(self, at_s: float, otherwise: Game[Any]) -> Played:
        """The game and its state at a time; without a match the game that is asked otherwise."""
        found, _ = self.at(at_s)
        return (otherwise, None) if found.game is None else (found.game, found.state)
