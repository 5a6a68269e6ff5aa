"""What a host keeps: entries of a journal with who asked for them, and answers, each given once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from server.formats.entries import Entry, EntryLog, GroupLog, MemoryLog
from server.play.consent import Proposal
from server.play.drafts import Draft
from server.play.messages import Answer, Modes, Request
from server.recording.reader import SECRET

KEYS_KEPT = 500
"""Requests that are remembered, so that one told twice is done once."""

USED = "something else was asked by that key: each thing that somebody does has a key of its own"
"""Why a request is not done that has the key of another one, for people."""

MATCH, SETUP, SEAT, MODES, END = "match.", "play.setup", "play.seat", "play.modes", "play.end"
PROPOSAL = "play.proposal"
"""Kinds of entries: `match.` and the kind of the engine's event, and the page's own."""

REQUEST = "request"
"""The field of an entry's data that holds who asked for it, and with which key."""

KINDS = (MATCH, "play.", SECRET)
"""The kinds of entries with which a game goes on."""


class Told(Protocol):
    """An entry that was kept: enough of `server.recording.journal.Recorded` to go on."""

    @property
    def kind(self) -> str:
        """Who spoke, and of what."""
        ...

    @property
    def data(self) -> Mapping[str, Any]:
        """Plain JSON values."""
        ...

    @property
    def actor(self) -> str | None:
        """Who did it."""
        ...


def draft_entry(time: float | None, draft: Draft) -> Entry:
    """The set-up as it is now."""
    return Entry(SETUP, time, "The game is being set up.", {"draft": draft.model_dump()})


def modes_entry(time: float | None, modes: Modes) -> Entry:
    """What is done by itself from now on."""
    return Entry(MODES, time, _modes_words(modes), {"modes": modes.model_dump()})


def seat_entry(time: float | None, player: str, device: str | None, why: str = "") -> Entry:
    """A player's seat is a device's from now on, or nobody's, and why."""
    words = f"{player}'s seat is free." if device is None else f"{player} has sat down."
    words = f"{words} {why}".strip()
    return Entry(SEAT, time, words, {"player": player, "device": device}, player)


def proposal_entry(time: float | None, now: Proposal, words: str, who: str) -> Entry:
    """What is proposed and waits, as it is now."""
    return Entry(PROPOSAL, time, words, {"id": now.id, "proposal": now.as_json()}, who)


def dropped_entry(time: float | None, gone: Proposal, how: str, why: str) -> Entry:
    """`how` a proposal is gone, with `why` for which whoever proposed it has to be told."""
    data = {"id": gone.id, "proposal": None, "why": why}
    return Entry(PROPOSAL, time, f"{gone.words}: {how}", data, gone.by)


def _modes_words(modes: Modes) -> str:
    dice = "rolled here" if modes.dice == "roll" else "typed from the table"
    measured = {
        ("see", "see"): "the table is measured for everything",
        ("ask", "see"): "moves are entered by hand, all else is measured",
        ("see", "ask"): "moves are measured, all else is entered by hand",
        ("ask", "ask"): "moves and all else are entered by hand",
    }[modes.moves, modes.questions]
    coach = "; the coach may be asked what can be done" if modes.coach else ""
    return f"Dice are {dice}; {measured}{coach}."


class Keeping:
    """The journal behind a host. `asked` says who asks now in this thread, and by which key."""

    def __init__(self, keeps: EntryLog | None) -> None:
        self.journal: EntryLog = keeps if keeps is not None else MemoryLog()
        self._here = threading.local()
        # The answers, and what was asked: of what a record tells only that it was asked. What is chosen in
        # secret stands here alone.
        self._answers: OrderedDict[str, tuple[Answer, Request | None]] = OrderedDict()

    @property
    def asked(self) -> str:
        """Who asks now in this thread, and by which key."""
        return getattr(self._here, "asked", "")

    @asked.setter
    def asked(self, asked: str) -> None:
        self._here.asked = asked

    def known(self, asked: str, request: Request) -> Answer | None:
        """The answer to a request that was made before; a refusal where only its key is the same."""
        answer, before = self._answers.get(asked, (None, None))
        if answer is None or before in (None, request):
            return answer
        return Answer(key=request.key, accepted=False, error=USED)

    def remember(self, answer: Answer, request: Request | None = None, asked: str | None = None) -> None:
        """An answer, so that the same request told again is not done again."""
        self._answers[self.asked if asked is None else asked] = answer, request
        while len(self._answers) > KEYS_KEPT:
            self._answers.popitem(last=False)

    def begin(self, *entries: Entry) -> Callable[[], object]:
        """Hands entries to the journal; what it returns waits until they are safe.

        With who asked and the key of it: told again after a restart, it is still done once.
        """
        for entry in entries:
            assert REQUEST not in entry.data, f"{entry.kind} has a field of that name of its own"
        batch = [replace(e, data={**e.data, REQUEST: self.asked}) for e in entries]
        if isinstance(self.journal, GroupLog):
            return self.journal.begin(batch)
        self.journal.append(batch)
        return lambda: None

    def recall(self, entry: Told) -> None:
        """Remembers from an old entry what was asked and done; what was proposed is not done yet."""
        if entry.kind == PROPOSAL:
            return
        # Older records hold it in "asked", which in a dispute is the question.
        asked = entry.data.get(REQUEST) or entry.data.get("asked")
        if asked and isinstance(asked, str):
            self.remember(Answer(key=asked.rpartition(" ")[2], accepted=True), asked=asked)
