"""What may be asked of a table, and the book's answers: the one place that measures for people."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from engine.boards.board import Board
from engine.errors import NotThere, NotUsable, TableRefError
from engine.game.contract import Game, Question
from engine.game.events import Reason
from engine.game.log.places import taken_off
from engine.game.registry import STUMBLES, game_of_table
from engine.game.showing import Mark
from engine.ruling import Ruling
from engine.space.table import Standing, Status, TableState, key_of
from engine.words import listed
from server.table import gate

log = logging.getLogger("tableref.rulings")

Played = tuple[Game[Any], Any | None]
"""A game, and the state of its match; None while none runs."""

Forbids = Callable[[Question], Reason | None]
"""Why something may not be measured now."""


class Hidden(TableRefError):
    """Something that the book forbids to measure now; says why, with the rule."""


class Rulings:
    """The questions of one table. May be used from any thread.

    `played` tells which game is played and how its match stands, so that what is asked is asked of this very
    piece; `forbids` is the gate of hidden distances, unless told otherwise that of the game itself. `turn`
    numbers the turns of the match: what was asked in one is not asked in the next. `hides` tells whether
    distances are hidden now, unless told otherwise as the game has it.
    """

    def __init__(
        self,
        played: Callable[[], Played],
        forbids: Forbids | None = None,
        turn: Callable[[], int | None] = lambda: None,
        hides: Callable[[], bool] | None = None,
    ) -> None:
        self._played = played
        self._hides = hides
        self.turn = turn
        self._forbids = forbids or self.forbidden

    @classmethod
    def of(cls, game: Game[Any], forbids: Forbids | None = None) -> Rulings:
        """Of a game without a match: everything that its book knows may be asked."""
        return cls(lambda: (game, None), forbids)

    @classmethod
    def by_book(cls, name: str | None) -> Rulings:
        """Of the game that a table file names."""
        return cls.of(game_of_table(name))

    @property
    def played(self) -> Played:
        """The game that is played and how its match stands, read at once."""
        return self._played()

    @property
    def game(self) -> Game[Any]:
        """The game that is played."""
        return self._played()[0]

    @property
    def state(self) -> Any | None:
        """How the match stands; None while none runs."""
        return self._played()[1]

    @property
    def book(self) -> str:
        """The rule book's name for people."""
        return self.game.about.book

    @property
    def hides(self) -> bool:
        """Whether distances are hidden now: a match is on, and its book tells none before a declaration."""
        return gate.hides(*self._played()) if self._hides is None else self._hides()

    @property
    def opened(self) -> bool:
        """Whether a match is there of which nothing is hidden, as it is over or its book hides nothing."""
        return self._played()[1] is not None and not self.hides

    def board(self, table_board: Board) -> Board:
        """The board that is played on, given the table file's; without a match, that one."""
        game, state = self._played()
        if state is None:
            return table_board
        try:
            return game.board(state, table_board)
        except STUMBLES:
            # A plug-in that breaks here must not take the table from every page.
            log.exception("%s does not say on which board it is played", game.about.title)
            return table_board

    def there(self, table: TableState, but: Sequence[str] = ()) -> TableState:
        """The table without what the match has taken off it and nobody sees there; what is asked `but` stays.

        What was carried off as told has left no place: the camera's last one is none.
        """
        game, state = self._played()
        if state is None:
            return table
        try:
            gone = taken_off(game, state, table) - set(map(key_of, but))
        except STUMBLES:
            log.exception("%s does not say what is off the table", game.about.title)
            return table
        kept = tuple(
            s for s in table.standings
            # What has no tag of its own is seen wherever that stands which once pulled it.
            if key_of(s.name) not in gone or not (s.status is Status.LOST or s.piece.follows)
        )  # fmt: skip
        unplaced = tuple(p for p in table.unplaced if key_of(p.name) not in gone)
        if (len(kept), len(unplaced)) == (len(table.standings), len(table.unplaced)):
            return table
        return replace(table, standings=kept, unplaced=unplaced)

    def questions(self, picked: Sequence[str]) -> tuple[Question, ...]:
        """What may be asked with these pieces picked, the usual question first."""
        game, state = self._played()
        return game.questions(state, tuple(picked))

    def find(self, picked: Sequence[str], which: str | None = None) -> Question:
        """The question of that key or label, or the usual one; a clear error names what there is."""
        offered = self.questions(picked)
        about = listed(picked) or "nothing in particular"
        if not offered:
            raise NotThere(f"{self.book} measures nothing about {about} now: pick other pieces, or ask later")
        for question in offered:
            if which is None or which == key_of_question(question) or _same(which, question.label):
                return question
        known = ", ".join(q.label or key_of_question(q) for q in offered)
        raise NotThere(f"no question called {which!r} about {about}; there are: {known}")

    def ask(self, question: Question, table: TableState) -> Ruling:
        """The book's answer; `Hidden` where the book forbids to measure it now."""
        self.verify_open(question)
        if question.missing:
            raise NotUsable(f"{question.words} Still to be picked: {question.missing}")
        game, state = self._played()
        return game.rule(state, question, table)

    def answer(
        self, table: TableState, pieces: Sequence[str], which: str | None = None
    ) -> tuple[Question, Ruling]:
        """The question about pieces, named as people type them, and its answer."""
        question = self.find([table.find(name).name for name in pieces], which)
        return question, self.ask(question, table)

    def reach(self, question: Question, table: TableState) -> tuple[Mark, ...]:
        """What the question is about, drawn on the table; `Hidden` like an answer."""
        self.verify_open(question)
        game, state = self._played()
        return game.reach(state, question, table)

    def forbidden(self, question: Question) -> Reason | None:
        """Why the game that is played forbids to measure this now."""
        game, state = self._played()
        return game.forbidden(state, question)

    def opponents(self, table: TableState) -> Iterator[tuple[Standing, Standing]]:
        """Ordered pairs of pieces that do not belong to the same player."""
        for one, other in permutations((s for s in table.standings if s.piece.driven), 2):
            if one.piece.owner is None or one.piece.owner != other.piece.owner:
                yield one, other

    def at_rest(self, table: TableState) -> bool:
        """Whether every piece that players drive stands still in plain view."""
        driven = [s for s in table.standings if s.piece.driven]
        return bool(driven) and all(s.status is Status.STILL for s in driven)

    def verify_open(self, question: Question) -> None:
        """Raises `Hidden` where the book forbids to measure this now."""
        reason = self._forbids(question)
        if reason is not None:
            raise Hidden(f"{reason.words} ({reason.citation})")


def verify_whole(question: Question, picked: Sequence[str]) -> None:
    """Raises `NotUsable` where a question leaves out pieces that somebody named for it."""
    asked = set(map(key_of, question.pieces))
    left = [name for name in picked if key_of(name) not in asked]
    if left:
        about, more = listed(question.pieces), listed(left)
        raise NotUsable(
            f"{question.words} That is about {about} alone: ask about {more} in a question of its own"
        )


def key_of_question(question: Question) -> str:
    """What a question is called by programs, among those about the same pieces.

    >>> key_of_question(Question("height", "How high?", ("Tower",), {"storey": 2, "part": "wall"}))
    'height:part=wall:storey=2'
    """
    said = {k: v if isinstance(v, str) else json.dumps(v, sort_keys=True) for k, v in question.data.items()}
    return ":".join([question.kind, *(f"{k}={said[k]}" for k in sorted(said))])


def gist(ruling: Ruling) -> tuple[Any, ...]:
    """What must change for a ruling to be worth telling again: verdicts and blockers."""
    return tuple((c.name, c.verdict, c.witness.blockers) for c in ruling.checks)


def _same(which: str, label: str) -> bool:
    return bool(label) and key_of(which) == key_of(label)
