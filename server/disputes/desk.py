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
from engine.game.dice import Dice, SeededDice, TypedDice
from engine.ruling import Ruling
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
from server.disputes.evidence import Evidence, Question, collect, completed, rule_of
from server.disputes.frame_buffer import FrameBuffer, KeptFrame
from server.formats.entries import Entry, EntryLog, MemoryLog
from server.pipeline.referee import TableEvent
from server.pipeline.runner import Runner
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

    def freeze(
        self, shooter: str | None, target: str | None, weapon: str | None, by: str, back_s: float = 0.0
    ) -> Open:
        """Opens a dispute, `back_s` seconds before now, on every screen.

        Without a question it is about the first two cars of different players, until another is asked.
        """
        with self._lock:
            if self._open is not None:
                raise TableRefError("a dispute is open already: settle that one first")
            shots = self.ring.shots
            if not shots:
                raise TableRefError("no frame is kept yet: wait until the camera has seen the table")
            evidence = self._evidence(shots, shots[-1].time - back_s, shooter, target, weapon)
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

    def ask(self, shooter: str, target: str, weapon: str | None, by: str) -> Open:
        """Asks another question of the frozen table."""
        with self._lock:
            now = self._undecided()
            if len(now.dispute.asked) >= MOST_ASKED:
                raise TableRefError(f"{MOST_ASKED} questions have been asked: settle this dispute first")
            question, ruling = self._ruled(now.dispute.evidence.shot, shooter, target, weapon)
            asked = (*now.dispute.asked, AnsweredQuestion(question, ruling, by))
            data = {"id": now.dispute.id, "question": ruling.question, "verdict": ruling.verdict.value}
            said = f"{by} asks of the frozen table: {ruling.question} {ruling.verdict}."
            new = replace(now, dispute=replace(now.dispute, asked=asked))
            return self._show(new, "dispute.asked", said, by, data)

    def turn_to(
        self,
        by: str,
        at: float | None = None,
        shooter: str | None = None,
        target: str | None = None,
        weapon: str | None = None,
    ) -> Open:
        """Puts another instant (on the source's clock) or question in the place of what is disputed."""
        with self._lock:
            now = self._undecided()
            old = now.dispute.evidence
            q = old.question
            shots = self._with_after(now)
            evidence = self._evidence(
                shots,
                old.at if at is None else at,
                shooter or q.shooter,
                target or q.target,
                weapon or q.weapon,
            )
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

    def _ruled(
        self, shot: KeptFrame, shooter: str, target: str, weapon: str | None
    ) -> tuple[Question, Ruling]:
        asked, ruling = self.rulings.answer(shot.table, (shooter, target), weapon)
        return Question(asked.pieces[0], asked.pieces[1], asked.label), ruling

    def _evidence(
        self,
        shots: Sequence[KeptFrame],
        at: float,
        shooter: str | None,
        target: str | None,
        weapon: str | None,
    ) -> Evidence:
        at = min(max(at, shots[0].time), shots[-1].time)
        nearest = min(shots, key=lambda s: abs(s.time - at))
        if shooter is None or target is None:
            pair = next(self.rulings.opponents(nearest.table), None)
            if pair is None:
                raise TableRefError("there are no two cars of different players to dispute about")
            shooter, target = pair[0].name, pair[1].name
        question, _ = self._ruled(nearest, shooter, target, weapon)
        events = [e.event for e in self.live.snapshot.events]
        return collect(shots, at, question, rule_of(self.rulings), events)

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


def _gist(dispute: Dispute) -> dict[str, Any]:
    """What the record needs to find the dispute again: who, about what, and the ruling."""
    question, ruling = dispute.evidence.question, dispute.ruling
    return {
        "id": dispute.id,
        "at_s": dispute.evidence.at,
        "from": question.shooter,
        "to": question.target,
        "weapon": question.weapon,
        "verdict": ruling.verdict.value,
        "by": dispute.by,
    }
