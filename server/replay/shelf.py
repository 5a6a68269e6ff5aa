"""The games of the library that are being looked at, and how any of them is shown in a list."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from calibration.surface import Surface
from calibration.tablefile import TableFile
from engine.game.contract import Game, Question
from engine.game.events import Reason
from engine.game.log.unknown import UnknownGame as UnknownRules
from engine.game.registry import INSTALL, game_or_unknown, games
from engine.space.table import Standing, Status, TableState
from server.formats import units
from server.play.moving.seeing import owned
from server.recording.errors import read_from
from server.recording.library.games import GameState, Library, UnknownGame
from server.recording.library.records import GameRecord
from server.recording.matches import game_of
from server.recording.reader import Reader
from server.replay.match_history import MatchHistory
from server.replay.timeline import Timeline
from server.table.questions.rulings import Forbids, Rulings
from server.web.messages import Model

OPEN_AT_ONCE = 4
"""Games whose timelines are kept in memory."""


FIRST_LOOK_S = 1.0
"""Seconds in which the camera makes sure that what stood there from the beginning stands still."""

MOVED_IN = 0.1
"""Inches by which what stood there is not where it came to rest."""


def as_it_stood(table: TableState, later: TableState) -> TableState:
    """The first look at a table, with what turned out to be standing there told so."""
    still = {s.name: s.pose.xy for s in later.standings if s.status is Status.STILL}

    def known(one: Standing) -> Standing:
        stood = one.name in still and math.dist(one.pose.xy, still[one.name]) < MOVED_IN
        return replace(one, status=Status.STILL) if stood and one.status is Status.MOVING else one

    return replace(table, standings=tuple(map(known, table.standings)))


class ShelfView(Model):
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
    history: MatchHistory
    game: Game[Any]
    """By whose rules it is asked where no match is on."""
    forbids: Forbids
    hides: Callable[[], bool] = lambda: False
    """Whether it is being played now by a book that hides distances."""
    running: Callable[[], bool] = lambda: False
    """Whether it goes on, or can go on."""

    def rulings(self, at_s: Callable[[], float]) -> Rulings:
        """What may be asked at a time of it: while a match was on, of its state of then."""
        return Rulings(lambda: self.history.played(at_s(), self.game), self.forbids, hides=self.hides)

    def table_at(self, at_s: float) -> TableState:
        """Where everything stood, each its player's."""
        table = self.reader.table_at(at_s)
        if at_s < FIRST_LOOK_S:
            table = as_it_stood(table, self.reader.table_at(FIRST_LOOK_S))
        return owned(table, self.history.at(at_s)[0].owners) or table

    def surface_at(self, at_s: float) -> Surface | None:
        """Where the table lay under the camera."""
        return self.reader.surface_at(at_s)

    @property
    def duration(self) -> float:
        """Seconds of the game's own time."""
        return self.reader.duration

    @property
    def table(self) -> TableFile:
        """The table file as it was."""
        return self.reader.table

    def refresh(self) -> None:
        """Reads what was recorded since."""
        self.timeline.refresh()
        self.history.refresh()


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
                with read_from(id):
                    one = self._opened(id)
                self._open[id] = one
                while len(self._open) > OPEN_AT_ONCE:
                    self._open.popitem(last=False)
            self._open.move_to_end(id)
        with read_from(id):
            one.refresh()
        return one

    def _opened(self, id: str) -> OpenGame:
        reader = self.library.reader(id)
        timeline = Timeline(reader, lambda: self._running(id), lambda: self._over(id))
        history, forbids = MatchHistory(reader), self._forbids(id)
        return OpenGame(
            reader, timeline, history, game_of(reader), forbids, lambda: self.hides(id),
            lambda: self._running(id),
        )  # fmt: skip

    def _running(self, id: str) -> bool:
        """Whether the game goes on, or can go on. One that was deleted meanwhile does not."""
        try:
            return self.library.game(id).ended is None
        except UnknownGame:
            return False

    def _over(self, id: str) -> bool:
        """Whether a game that is recorded now is over: its book hides nothing then; undone it does again."""
        return self._live.opened and self.library.recorded_now(id)

    def hides(self, id: str) -> bool:
        """Whether a game is being played now whose book hides distances."""
        return self._live.hides and self.library.recorded_now(id)

    def _forbids(self, id: str) -> Forbids:
        """What may not be measured at the table now stays hidden in its replay."""

        def forbidden(question: Question) -> Reason | None:
            running = self.library.recorded_now(id)
            return self._live.forbidden(question) if running else None

        return forbidden

    def opened(self, id: str) -> OpenGame:
        """The same for whoever asks over HTTP."""
        return self.game(id)

    def forget(self, id: str) -> None:
        """Lets a game go that is there no more."""
        with self._lock:
            self._open.pop(id, None)

    def view(self, game: GameRecord) -> ShelfView:
        """A game for the page."""
        title, missing = (None, None) if game.played is None else self._title(game.played)
        return ShelfView(
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
            missing = None
            if isinstance(rules, UnknownRules):
                broken = any(found.id == played for found in games())
                what = "tableref rulebooks says why" if broken else INSTALL
                missing = f"the rules of {played} are not at hand; {what}"
            found = self._titles[played] = (rules.about.title, missing)
        return found
