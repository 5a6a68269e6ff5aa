"""What players asked last on any page, and the answers that go into the record."""

from __future__ import annotations

import logging
import threading
from typing import Protocol

from engine.errors import TableRefError
from engine.ruling import Ruling
from engine.space.table import TableState
from server.formats.entries import Entry
from server.pipeline.json_records import ruling_record
from server.table.batch import gist
from server.table.messages import Select
from server.table.rulebook import Rulebook
from server.table.rulings import HEADLINES, weapon_called

log = logging.getLogger("tableref.asked")

RULING = "ruling"
"""The kind of entry of an answer."""


class KeepsNotes(Protocol):
    """Where answers are kept: `server.pipeline.runner.Live`."""

    def note(self, entry: Entry) -> None:
        """Keeps it, where anything is kept."""
        ...


class QuestionLog:
    """What a player asked last: shooter, target and weapon. May be used from any thread."""

    def __init__(self, book: Rulebook | None = None, notes: KeepsNotes | None = None) -> None:
        self.newest = Select(type="select")
        self._book = book
        self._notes = notes
        self._lock = threading.Lock()
        self._last: object = None

    def ask(self, asked: Select, table: TableState | None, actor: str) -> None:
        """Somebody chose two cars: what the book says of them now is kept, once while it stays the same."""
        if not (asked.shooter and asked.target):
            return
        self.newest = asked
        if table is None or self._book is None or self._notes is None:
            return
        try:
            weapon = weapon_called(self._book, asked.weapon).name
            ruling = self._book.rule(table, asked.shooter, asked.target, weapon)
            with self._lock:
                now = (ruling.subject, ruling.target, weapon, gist(ruling))
                if now == self._last:
                    return
                self._last = now
            self._notes.note(ruling_entry(ruling, weapon, actor))
        except TableRefError as error:
            # Whoever asked is told by the answer itself; the record's own troubles are told elsewhere.
            log.info("not recorded: %s", error)


def ruling_entry(ruling: Ruling, weapon: str, actor: str | None = None) -> Entry:
    """An answer as it goes into the record."""
    words = f"{ruling.question} {HEADLINES[ruling.verdict]}."
    return Entry(RULING, ruling.time, words, ruling_record(ruling, weapon), actor)
