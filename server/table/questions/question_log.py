"""What players asked last on any page, and the answers that go into the record."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Protocol

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.ruling import Ruling
from engine.space.table import TableState
from server.formats.entries import Entry
from server.table.messages import Select
from server.table.questions.ruling_view import HEADLINES
from server.table.questions.rulings import Rulings, gist, key_of_question
from server.table.records import ruling_record
from server.web.authentication import Identity

log = logging.getLogger("tableref.asked")

STANDS_S = 1.0
"""Seconds that a question has to stand on a page before it is one that was asked."""

DEVICES_KNOWN, ANSWERS_KNOWN = 200, 200

RULING = "ruling"
"""The kind of entry of an answer."""


class KeepsNotes(Protocol):
    """Where answers are kept: `server.pipeline.runner.Live`."""

    def note(self, entry: Entry) -> None:
        """Keeps it, where anything is kept."""
        ...


class QuestionLog:
    """What a player asked last. May be used from any thread."""

    def __init__(self, rulings: Rulings | None = None, notes: KeepsNotes | None = None) -> None:
        self._newest = Select(type="select")
        self._turn: int | None = None
        self._rulings = rulings
        self._notes = notes
        self._lock = threading.Lock()
        self._told: OrderedDict[Hashable, Hashable] = OrderedDict()
        self._standing: OrderedDict[Identity, tuple[Select, float]] = OrderedDict()

    @property
    def newest(self) -> Select:
        """What was asked last in this turn of the match."""
        over = self._rulings is not None and self._rulings.turn() != self._turn
        return Select(type="select") if over else self._newest

    def pick(self, asked: Select, table: TableState | None, who: Identity, now: float) -> None:
        """Somebody picked pieces, `now` by the clock: other pages follow; it is kept once it has stood."""
        try:
            if self._question(asked, table) is not None and self._rulings is not None:
                self._newest, self._turn = asked, self._rulings.turn()
        except TableRefError as error:
            log.info("no question: %s", error)
        with self._lock:
            self._standing[who] = asked, now
            self._standing.move_to_end(who)
            while len(self._standing) > DEVICES_KNOWN:
                self._standing.popitem(last=False)

    def stood(self, who: Identity, now: float) -> Select | None:
        """What a device has left picked for a while, told once: a question passed over is no entry."""
        with self._lock:
            asked, since = self._standing.get(who, (None, now))
            if asked is None or now - since < STANDS_S:
                return None
            del self._standing[who]
            return asked

    def ask(self, asked: Select, table: TableState | None, actor: str) -> None:
        """What the book says of picked pieces now is kept, once while it stays the same."""
        try:
            question = self._question(asked, table)
            if question is None or self._rulings is None or table is None:
                return
            self._newest, self._turn = asked, self._rulings.turn()
            ruling = self._rulings.ask(question, table)
            about, told = (question.pieces, key_of_question(question)), gist(ruling)
            with self._lock:
                if self._told.get(about) == told:
                    return
                self._told[about] = told
                self._told.move_to_end(about)
                while len(self._told) > ANSWERS_KNOWN:
                    self._told.popitem(last=False)
            if self._notes is not None:
                self._notes.note(ruling_entry(ruling, question, actor))
        except TableRefError as error:
            # Whoever asked is told by the answer itself; the record's own troubles are told elsewhere.
            log.info("not recorded: %s", error)

    def _question(self, asked: Select, table: TableState | None) -> Question | None:
        if self._rulings is None or table is None:
            return None
        question = self._rulings.find([table.find(p).name for p in asked.pieces], asked.question)
        return None if question.missing else question


def ruling_entry(ruling: Ruling, question: Question, actor: str | None = None) -> Entry:
    """An answer as it goes into the record."""
    words = f"{ruling.question} {HEADLINES[ruling.verdict]}."
    return Entry(RULING, ruling.time, words, ruling_record(ruling, question), actor)
