"""What players asked last on any page, and the answers that go into the record."""

from __future__ import annotations

import logging
import threading
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

log = logging.getLogger("tableref.asked")

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
        self._last: object = None

    @property
    def newest(self) -> Select:
        """What was asked last in this turn of the match."""
        over = self._rulings is not None and self._rulings.turn() != self._turn
        return Select(type="select") if over else self._newest

    def ask(self, asked: Select, table: TableState | None, actor: str) -> None:
        """Somebody picked pieces: what the book says of them now is kept, once while it stays the same."""
        if self._rulings is None or table is None:
            return
        try:
            question = self._rulings.find([table.find(p).name for p in asked.pieces], asked.question)
            if question.missing:
                return
            self._newest, self._turn = asked, self._rulings.turn()
            ruling = self._rulings.ask(question, table)
            with self._lock:
                now = (question.pieces, key_of_question(question), gist(ruling))
                if now == self._last:
                    return
                self._last = now
            if self._notes is not None:
                self._notes.note(ruling_entry(ruling, question, actor))
        except TableRefError as error:
            # Whoever asked is told by the answer itself; the record's own troubles are told elsewhere.
            log.info("not recorded: %s", error)


def ruling_entry(ruling: Ruling, question: Question, actor: str | None = None) -> Entry:
    """An answer as it goes into the record."""
    words = f"{ruling.question} {HEADLINES[ruling.verdict]}."
    return Entry(RULING, ruling.time, words, ruling_record(ruling, question), actor)
