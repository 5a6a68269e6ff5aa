"""Where a dispute is settled: frozen for everybody, looked at, asked about, decided, and let go."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.game.dice import Dice, SeededDice, TypedDice
from engine.ruling import Ruling
from engine.space.table import TableState
from server.disputes.dispute import (
    ROLL_SIDES,
    ROLL_YES,
    AnsweredQuestion,
    Decision,
    Dispute,
    Outcome,
    Way,
    default_outcome,
    new_id,
)
from server.disputes.evidence import Evidence, collect, completed, nearest_shot
from server.disputes.frame_buffer import FrameBuffer, KeptFrame
from server.formats.entries import Entry, EntryLog, MemoryLog
from server.pipeline.referee import TableEvent
from server.pipeline.runner import Runner
from server.table.records import question_record
from server.table.rulings import Rulings

AFTER_S = 2.0
"""Seconds for which frames are still taken up after a dispute has been opened."""

MOST_ASKED = 40
"""Questions that may be asked of one frozen table."""

KEPT = 20
"""Decided disputes that can be looked at again without the record."""


class NoDispute(TableRefError):
    """Something was asked of a dispute that is not open."""


@dataclass(frozen=True, eq=False)
class Open:
    """The dispute that is open, with all shots that it may look at; `version` grows with every change.

    Frames are taken up until the time `until` of the source's clock.
    """

    dispute: Dispute
    shots: tuple[KeptFrame, ...]
    until: float
    version: int = 1
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class DisputeContext:
    """At which table, and in which recorded game."""

    table_name: str
    game: str | None = None


class Desk:
    """The disputes of one table. May be used from any thread; one is open at a time.

    Every step is kept (`keep`) before anybody sees it. `about` says at what table, and in which recorded
    game. `put_away` writes a decided dispute as a file; without it they are only kept in memory.
    """

    def __init__(
        self,
        live: Runner,
        rulings: Rulings,
        ring: FrameBuffer,
        keep: EntryLog | None = None,
        *,
        about: Callable[[], DisputeContext] = lambda: DisputeContext(""),
        versions: Mapping[str, str] | None = None,
        put_away: Callable[[Dispute], Path] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.live, self.rulings, self.ring = live, rulings, ring
        self.keep: EntryLog = keep or MemoryLog()
        self.decided: list[Dispute] = []
        self.moves: Callable[[str], tuple[Question, Ruling]] = _no_moves
        self._about, self._versions, self._now = about, dict(versions or {}), now
        self._write = put_away
        self._open: Open | None = None
        self._changes = 0
        self._lock = threading.RLock()

    @property
    def open(self) -> Open | None:
        """What is frozen now."""
        return self._open

    def find(self, id: str) -> Dispute:
        """The open or a decided dispute of that id."""
        opened = self._open
        for dispute in ([opened.dispute] if opened else []) + self.decided:
            if dispute.id == id:
                return dispute
        raise NoDispute(f"no dispute {id!r} is at hand")

    def freeze(self, pieces: Sequence[str], which: str | None, by: str, back_s: float = 0.0) -> Open:
        """Opens a dispute about pieces, `back_s` seconds before now, on every screen.

        `which` is the question's key or label, else the usual one. Without pieces it is about the first two
        of different players, until another question is asked.
        """
        with self._lock:
            shots = self._shots()
            at = max(shots[-1].time - back_s, shots[0].time)
            return self._opened(self._evidence(shots, at, pieces, which), shots, by)

    def freeze_ruling(self, question: Question, ruling: Ruling, by: str) -> Open:
        """Opens a dispute about what was ruled from more than one frame, such as a move."""
        with self._lock:
            shots = self._shots()
            evidence = collect(shots, ruling.time, question, self.rulings.ask, self._events(), ruling)
            return self._opened(evidence, shots, by)

    def freeze_move(self, move: str, by: str) -> Open:
        """Opens a dispute about a move that has not been taken yet, by its id."""
        return self.freeze_ruling(*self.moves(move), by)

    def questions(self, id: str, pieces: Sequence[str]) -> tuple[Question, ...]:
        """What may be asked of the frozen table of a dispute with these pieces picked."""
        table = self.find(id).evidence.table
        return self.rulings.questions([table.find(name).name for name in pieces])

    def ask(self, pieces: Sequence[str], which: str | None, by: str) -> Open:
        """Asks another question of the frozen table."""
        with self._lock:
            now = self._undecided()
            if len(now.dispute.asked) >= MOST_ASKED:
                raise TableRefError(f"{MOST_ASKED} questions have been asked: settle this dispute first")
            question, ruling = self.rulings.answer(now.dispute.evidence.table, pieces, which)
            asked = (*now.dispute.asked, AnsweredQuestion(question, ruling, by))
            data = {"id": now.dispute.id, "question": ruling.question, "verdict": ruling.verdict.value}
            said = f"{by} asks of the frozen table: {ruling.question} {ruling.verdict}."
            new = replace(now, dispute=replace(now.dispute, asked=asked))
            return self._show(new, "dispute.asked", said, by, data)

    def turn_to(
        self,
        by: str,
        at: float | None = None,
        pieces: Sequence[str] = (),
        which: str | None = None,
    ) -> Open:
        """Puts another instant (on the source's clock) or question in the place of what is disputed."""
        with self._lock:
            now = self._undecided()
            old, shots = now.dispute.evidence, self._with_after(now)
            evidence = self._turned(old, shots, old.at if at is None else at, pieces, which)
            new = replace(now, dispute=replace(now.dispute, evidence=evidence, asked=()), shots=shots)
            said = f"{by} looks {evidence.at - old.at:+.1f} s away: {evidence.ruling.question}"
            if evidence.at == old.at:
                said = f"{by} disputes instead: {evidence.ruling.question}"
            said += f" {evidence.ruling.verdict}."
            return self._show(new, "dispute.turned", said, by, _gist(new.dispute))

    def decide(
        self, way: Way, by: str, outcome: Outcome | None = None, note: str = "", rolled: int | None = None
    ) -> Open:
        """Settles it: agreed, overruled, or rolled for (typed, or here unless `rolled` is given)."""
        with self._lock:
            now = self._undecided()
            ruled, roll = default_outcome(now.dispute.ruling.verdict), None
            if way == "rolled":
                dice: Dice = SeededDice(secrets.token_hex(8)) if rolled is None else TypedDice([rolled])
                roll = dice.roll(ROLL_SIDES, f"{ROLL_YES} or more is yes")
                outcome = "yes" if roll.value >= ROLL_YES else "no"
            elif way == "agreed":
                outcome = outcome or ruled
            if outcome is None:
                raise TableRefError("say what counts: yes or no")
            if way == "overruled" and outcome == ruled:
                raise TableRefError(f"the ruling was {outcome} already: agree to it, or overrule it")
            if way == "agreed" and ruled not in (None, outcome):
                raise TableRefError(f"the ruling was {ruled}: to let {outcome} count is to overrule it")
            decision = Decision(way, outcome, by, self._now(), note, roll)
            dispute = self._completed(now)
            # The record may have begun with this very dispute.
            dispute = replace(dispute, decision=decision, game=dispute.game or self._about().game)
            data = _gist(dispute) | {"decision": decision.as_json(), "seal": dispute.seal}
            new = replace(now, dispute=dispute)
            shown = self._show(new, "dispute.decided", decision.words, by, data)
            self.decided = [dispute, *self.decided][:KEPT]
            return self._put_away(shown)

    def release(self, by: str) -> None:
        """Lets the table go on; a dispute that nobody decided is withdrawn."""
        with self._lock:
            now = self._open
            if now is None:
                raise NoDispute("no dispute is open")
            if now.dispute.decision is None:
                said = f"{by} withdrew the dispute: the ruling stands."
                self._keep_entry("dispute.withdrawn", said, by, _gist(now.dispute))
            self._open = None
            self.live.announce()

    # Steps

    def _undecided(self) -> Open:
        if self._open is None:
            raise NoDispute("no dispute is open")
        if self._open.dispute.decision is not None:
            raise TableRefError("this dispute has been decided: open another one")
        return self._open

    def _shots(self) -> tuple[KeptFrame, ...]:
        """The frames of a dispute that is about to be opened."""
        if self._open is not None:
            raise TableRefError("a dispute is open already: settle that one first")
        if not self.ring.shots:
            raise TableRefError("no frame is kept yet: wait until the camera has seen the table")
        return self.ring.shots

    def _opened(self, evidence: Evidence, shots: tuple[KeptFrame, ...], by: str) -> Open:
        opened, about = self._now(), self._about()
        dispute = Dispute(
            new_id(opened),
            opened,
            by,
            about.table_name,
            self.rulings.book,
            evidence,
            self._versions,
            game=about.game,
        )
        said = f"{by} disputes: {evidence.ruling.question} The ruling was {evidence.ruling.verdict}."
        new = Open(dispute, shots, shots[-1].time + AFTER_S)
        return self._show(new, "dispute.opened", said, by, _gist(dispute))

    def _evidence(
        self, shots: Sequence[KeptFrame], at: float, pieces: Sequence[str], which: str | None
    ) -> Evidence:
        table = nearest_shot(shots, at).table
        question = self._usual(table)
        if pieces or which is not None:
            question = self.rulings.find([table.find(name).name for name in pieces], which)
        return collect(shots, at, question, self.rulings.ask, self._events())

    def _turned(
        self, old: Evidence, shots: Sequence[KeptFrame], at: float, pieces: Sequence[str], which: str | None
    ) -> Evidence:
        """Another instant, or another question about the same or other pieces."""
        at = min(max(at, shots[0].time), shots[-1].time)
        if pieces or which is not None:
            return self._evidence(shots, at, pieces or old.question.pieces, which)
        ruling = old.ruling if old.handed_in else None
        return collect(shots, at, old.question, self.rulings.ask, self._events(), ruling)

    def _usual(self, table: TableState) -> Question:
        """What a dispute is about that was opened without a question."""
        pair = next(self.rulings.opponents(table), ())
        for picked in ([s.name for s in pair], []):
            for question in self.rulings.questions(picked):
                if not question.missing:
                    return question
        raise TableRefError("pick first what the dispute is about: pieces of the table, and a question")

    def _events(self) -> list[TableEvent]:
        return [e.event for e in self.live.snapshot.events]

    def _with_after(self, now: Open) -> tuple[KeptFrame, ...]:
        """The shots of a dispute with those that came right after it was opened."""
        last = now.shots[-1].time
        return (*now.shots, *(s for s in self.ring.shots if last < s.time <= now.until))

    def _completed(self, now: Open) -> Dispute:
        """The dispute with the frames that came after its opening, where that adds any."""
        shots = self._with_after(now)
        if len(shots) == len(now.shots):
            return now.dispute
        return replace(now.dispute, evidence=completed(now.dispute.evidence, shots))

    def _show(self, new: Open, kind: str, said: str, by: str, data: Mapping[str, Any]) -> Open:
        """EntryLog what has happened, and then lets everybody see it."""
        self._keep_entry(kind, said, by, data)
        self._changes += 1
        self._open = replace(new, version=self._changes)
        self.live.announce(TableEvent(self._time(), "dispute", None, said))
        return self._open

    def _keep_entry(self, kind: str, said: str, by: str, data: Mapping[str, Any]) -> None:
        self.keep.append([Entry(kind, self._time(), said, dict(data), by)])

    def _time(self) -> float:
        moment = self.live.moment
        return 0.0 if moment is None else moment.time

    def _put_away(self, shown: Open) -> Open:
        """Writes the decided dispute as a file; what goes wrong is told, and it stays in memory."""
        if self._write is None:
            return shown
        try:
            self._write(shown.dispute)
        except (TableRefError, OSError) as error:
            self._changes += 1
            said = f"The dispute could not be put away: {error}. Save it from here."
            self._open = replace(shown, version=self._changes, trouble=said)
            self.live.announce()
        return self._open or shown


def _no_moves(move: str) -> tuple[Question, Ruling]:
    """Where no game is played there are none; a game's guide takes the place of this."""
    raise TableRefError(f"no move {move!r} waits to be taken: no game is played here")


def _gist(dispute: Dispute) -> dict[str, Any]:
    """What the record needs to find the dispute again: who, about what, and the ruling."""
    evidence, ruling = dispute.evidence, dispute.ruling
    return {
        "id": dispute.id,
        "at_s": evidence.at,
        "asked": question_record(evidence.question),
        "question": ruling.question,
        "verdict": ruling.verdict.value,
        "by": dispute.by,
    }
