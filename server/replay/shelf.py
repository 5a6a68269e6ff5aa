"""The games of the library that are being looked at, and how any of them is shown in a list."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from fastapi import HTTPException

from engine.game.contract import Question
from engine.game.events import Reason
from engine.game.registry import game_or_unknown
from engine.game.unknown import UnknownGame as UnknownRules
from server.formats import units
from server.recording.library.games import GameState, Library, UnknownGame
from server.recording.library.records import GameRecord
from server.recording.matches import game_of
from server.recording.reader import Reader
from server.replay.timeline import Timeline
from server.table.rulings import Rulings
from server.web.messages import Model

OPEN_AT_ONCE = 4
"""Games whose timelines are kept in memory."""


class GameView(Model):
    """A game of the library."""

    id: str
    name: str
    table: str
    players: list[str]
    """Who played; without a match whose the pieces are by the table file."""
    game: str | None
    """What was played, null while no match was begun."""
    missing: str | None
    """Why the rules of that game are not at hand; null when they are."""
    began: str
    """Date and hour, UTC, ISO 8601."""
    ended: str | None
    state: GameState
    entries: int
    duration_s: float
    duration_words: str


@dataclass
class OpenGame:
    """A game of the library, open to be read and to be asked about."""

    reader: Reader
    timeline: Timeline
    rulings: Rulings


class Shelf:
    """The games that are being looked at; the others stay on the disk."""

    def __init__(self, library: Library, live: Rulings) -> None:
        self.library = library
        self._live = live
        self._open: OrderedDict[str, OpenGame] = OrderedDict()
        self._lock = threading.Lock()
        self._titles: dict[str, tuple[str, str | None]] = {}

    def game(self, id: str) -> OpenGame:
        """A game as far as it is recorded now; `UnknownGame` for others."""
        id = self.library.game(id).id
        with self._lock:
            one = self._open.get(id)
            if one is None:
                reader = self.library.reader(id)
                one = self._open[id] = OpenGame(reader, Timeline(reader), self._rulings(reader))
                while len(self._open) > OPEN_AT_ONCE:
                    self._open.popitem(last=False)
            self._open.move_to_end(id)
        one.timeline.refresh()
        return one

    def _rulings(self, reader: Reader) -> Rulings:
        """By the book of that game; what may not be measured at the table now stays hidden in its replay."""

        def forbidden(question: Question) -> Reason | None:
            running = self.library.state(self.library.game(reader.game.id)) == "being recorded"
            return self._live.forbidden(question) if running else None

        return Rulings.of(game_of(reader), forbidden)

    def opened(self, id: str) -> OpenGame:
        """The same for whoever asks over HTTP."""
        try:
            return self.game(id)
        except UnknownGame as error:
            raise HTTPException(404, str(error)) from error

    def forget(self, id: str) -> None:
        """Lets a game go that is there no more."""
        with self._lock:
            self._open.pop(id, None)

    def view(self, game: GameRecord) -> GameView:
        """A game for the page."""
        title, missing = (None, None) if game.played is None else self._title(game.played)
        return GameView(
            id=game.id,
            name=game.name,
            table=game.table_name,
            players=list(game.players),
            game=title,
            missing=missing,
            began=game.began.isoformat(timespec="seconds"),
            ended=None if game.ended is None else game.ended.isoformat(timespec="seconds"),
            state=self.library.state(game),
            entries=game.entries,
            duration_s=round(game.duration_s, 3),
            duration_words=units.clock(game.duration_s),
        )

    def _title(self, played: str) -> tuple[str, str | None]:
        """How a game is called, and why its rules are missing: looked up once a process."""
        found = self._titles.get(played)
        if found is None:
            rules = game_or_unknown(played)
            # Where it was looked for is the owner's own: no path leaves by this way.
            absent = isinstance(rules, UnknownRules)
            missing = (
                f"the rules of {played} are not at hand; tableref rulebooks says why" if absent else None
            )
            found = self._titles[played] = (rules.about.title, missing)
        return found
