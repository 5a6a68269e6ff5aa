"""Where a dispute is settled: frozen for everybody, looked at, asked about, decided, and let go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.errors import NotThere, TableRefError
from engine.game.contract import Question
from engine.game.events import DECISION, OWNER
from engine.ruling import Verdict
from engine.space.table import key_of
from engine.words import listed
from server.disputes import settling
from server.disputes.dispute import (
    ROLL_YES,
    AnsweredQuestion,
    Decision,
    Dispute,
    Outcome,
    Sealing,
    Way,
    default_outcome,
    new_id,
)
from server.disputes.evidence import Evidence, completed
from server.disputes.frame_buffer import FrameBuffer, KeptFrame
from server.disputes.gathering import Gatherer
from server.disputes.sealed.seal import MOST_ASKED
from server.disputes.settling import Party, Proposal
from server.formats.entries import Entry, EntryLog, MemoryLog
from server.formats.signing import SigningKey
from server.pipeline.referee import TableEvent
from server.pipeline.runner import Runner
from server.play.consent import SAME_PHONE
from server.play.keeping import Told
from server.play.seats import NotYours
from server.play.subjects import Remedy, Subject, Subjects
from server.recording.chain import Head
from server.table.questions.rulings import Rulings
from server.web.authentication import Identity

AFTER_S = 2.0
"""Seconds for which frames are still taken up after a dispute has been opened."""

KEPT = 20
"""Decided disputes that can be looked at again without the record."""


ENDED, LOST = ("dispute.decided", "dispute.withdrawn"), "dispute.lost"
"""Kinds of entries after which a dispute is open no more."""

GONE_ON = "The game has gone on: what was proposed has to be proposed again."


class NoDispute(NotThere):
    """Something was asked of a dispute that is not open."""


@dataclass(frozen=True, eq=False)
class Open:
    """The dispute that is open, with all shots that it may look at; `version` grows with every change.

    Frames are taken up until the time `until` of the source's clock. `opener` may withdraw it. `declined`
    says who did not consent to what was proposed last.
    """

    dispute: Dispute
    shots: tuple[KeptFrame, ...]
    until: float
    opener: Party
    version: int = 1
    trouble: str | None = None
    proposal: Proposal | None = None
    declined: str = ""


@dataclass(frozen=True, slots=True)
class Lost:
    """A dispute that was open as tableref stopped or its game was ended: by whom, and what was asked."""

    id: str
    by: str
    about: str

    @property
    def words(self) -> str:
        """What it was, for people."""
        return f"{self.by} disputed “{self.about}”"

    def sentence(self, why: str) -> str:
        """What the record says of it: that it is open no more, and why."""
        words = f"{self.words}, and {why}: nobody has decided it."
        return f"{words[0].upper()}{words[1:]}"


@dataclass(frozen=True, slots=True)
class DisputeContext:
    """At which table, and in which recorded game, of which so much is written."""

    table_name: str
    game: str | None = None
    head: Head = field(default_factory=Head)


class Desk(Gatherer):
    """The disputes of one table. May be used from any thread; one is open at a time.

    Every step is kept (`keep`) before anybody sees it. `about` says at what table, and in which recorded
    game; `subjects` knows the match that is played. `put_away` writes a decided dispute as a file; without it
    they are only kept in memory. `signing` signs each seal.
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
        subjects: Subjects | None = None,
        signing: SigningKey | None = None,
    ) -> None:
        super().__init__(live, rulings, ring, subjects)
        self.keep: EntryLog = keep or MemoryLog()
        self.decided: list[Dispute] = []
        self._about, self._versions, self._now = about, dict(versions or {}), now
        self._write, self._signing = put_away, signing
        self._open: Open | None = None
        self.lost: Lost | None = None
        """What a restart has closed, until another one is opened."""
        self._changes = self._proposals = 0
        self._pinned: tuple[Any, int] = (None, 0)
        self._settling = False
        self._lock = threading.RLock()
        if subjects is not None:
            subjects.host.watch(self._pin_done, asks=True)
            subjects.host.watch(self._note)
            subjects.host.at_end(self._open_at_end)
            live.watch(self._pin_moves)

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

    def party(self, who: Identity) -> Party:
        """Who acts: the owner, or the player whose seat this device has."""
        return Party(who, None if self.subjects is None else self.subjects.seat(who))

    def seated(self) -> frozenset[str]:
        """The players whose own device is here."""
        return frozenset() if self.subjects is None else self.subjects.host.seats.taken

    def reopenable(self, dispute: Dispute) -> bool:
        """Whether a decided dispute may be had again: as long as its game goes on."""
        match = None if self.subjects is None else self.subjects.match
        subject = dispute.subject
        return subject is None or (match is not None and subject.match.played is match.played)

    def stands(self, dispute: Dispute) -> bool:
        """Whether a decision is in force: neither undone nor taken back by a later one."""
        subject, match = dispute.subject, None if self.subjects is None else self.subjects.match
        if subject is None:
            return True
        # Of a game that has ended its own log says it.
        log = match if match is not None and match.played is subject.match.played else subject.match
        first = (batch.events[0] for batch in log.counted)
        return any(e.kind == DECISION and e.data.get("dispute") == dispute.id for e in first)

    def _open_at_end(self) -> list[Entry]:
        """What the record of a game that is put away says of a dispute in it that nobody has decided."""
        # Without the lock: whoever settles holds it, and waits for the host that asks here.
        now = self._open
        if now is None or self._settling or now.dispute.decision or now.dispute.subject is None:
            return []
        lost = Lost(now.dispute.id, now.dispute.by, now.dispute.ruling.question)
        return [Entry(LOST, self._time(), lost.sentence("the game was ended"), {"id": lost.id})]

    def restore(self, kept: Iterable[Told]) -> None:
        """Keeps that a dispute is open no more which was when this record of disputes ended."""
        kind, told = "", dict[str, Any]()
        for entry in kept:
            kind = entry.kind
            # What is only asked or answered meanwhile does not say what the dispute is about.
            told = dict(entry.data) if "at_s" in entry.data else told
        if not told or kind in ENDED:
            return
        id, by, about = (str(told.get(name, "")) for name in ("id", "by", "question"))
        self.lost = Lost(id, by, about)
        if kind != LOST:
            said = self.lost.sentence("tableref was started again")
            self.keep.append([Entry(LOST, None, said, {"id": self.lost.id})])

    # Freezing

    def freeze(
        self,
        party: Party,
        key: str | None = None,
        *,
        pieces: Sequence[str] = (),
        which: str | None = None,
        back_s: float = 0.0,
    ) -> Open:
        """Opens a dispute on every screen: about what is offered under a key, or about a question.

        Of a question, `which` is its key or label, else it is the usual one about the pieces, `back_s`
        seconds before now. Without any it is about what is offered first, if there is anything.
        """
        with self._lock:
            self._free()
            if key is None and not pieces and which is None:
                offered = self.offered()
                if not offered:
                    raise TableRefError(
                        "say what is disputed: nothing that was done rests on the table. "
                        "Pick the pieces that it is about, and a question"
                    )
                return self._opened(party, offered[0])
            if key is not None:
                return self._opened(party, self.subject(key))
            shots = self.shots()
            at = max(shots[-1].time - back_s, shots[0].time)
            evidence, subject = self.asked_about(shots, at, pieces, which)
            return self._show_opened(party, self._new(party, evidence, subject), shots)

    def reopen(self, party: Party, id: str) -> Open:
        """Has a decided dispute again, as long as its game goes on: the same evidence under a new id."""
        with self._lock:
            self._free()
            old = next((dispute for dispute in self.decided if dispute.id == id), None)
            if old is None:
                raise NoDispute(f"no decided dispute {id!r} is at hand")
            if not self.reopenable(old):
                raise TableRefError("that game has ended: its disputes stay decided")
            if not party.may_decide(settling.concerned(old)):
                raise NotYours(settling.who_may(old))
            new = replace(self._new(party, old.evidence, old.subject), asked=old.asked, reopens=old.id)
            return self._show_opened(party, new, (old.evidence.shot,), after_s=0.0)

    def questions(self, id: str, pieces: Sequence[str]) -> tuple[Question, ...]:
        """What may be asked of the frozen table of a dispute with these pieces picked."""
        dispute = self.find(id)
        table = dispute.evidence.table
        return self.rulings_of(dispute.subject).questions([table.find(name).name for name in pieces])

    def ask(self, party: Party, pieces: Sequence[str], which: str | None, id: str | None = None) -> Open:
        """Asks another question of the frozen table; with an `id`, of that of this dispute alone."""
        with self._lock:
            now = self._undecided(id)
            if len(now.dispute.asked) >= MOST_ASKED:
                raise TableRefError(f"{MOST_ASKED} questions have been asked: settle this dispute first")
            rulings = self.rulings_of(now.dispute.subject)
            question, ruling = rulings.answer(self.owned(now.dispute.evidence.table), pieces, which)
            asked = (*now.dispute.asked, AnsweredQuestion(question, ruling, party.name))
            data = {"id": now.dispute.id, "question": ruling.question, "verdict": ruling.verdict.value}
            said = f"{settling.capital(party)} asks of the frozen table: {ruling.question} {ruling.verdict}."
            new = replace(now, dispute=replace(now.dispute, asked=asked))
            return self._show(new, "dispute.asked", said, party, data)

    def turn_to(
        self,
        party: Party,
        *,
        key: str | None = None,
        at: float | None = None,
        pieces: Sequence[str] = (),
        which: str | None = None,
        id: str | None = None,
    ) -> Open:
        """Puts something else that was done, another question or another instant in the disputed one's place.

        A proposal was about the old one and is gone. With an `id`, in that of this dispute alone.
        """
        with self._lock:
            now = self._undecided(id)
            old = now.dispute.evidence
            if key is not None:
                subject: Subject | None
                evidence, shots = self.of_subject(subject := self.subject(key))
            else:
                shots = self._with_after(now)
                at = min(max(old.at if at is None else at, shots[0].time), shots[-1].time)
                evidence, subject = self.turned(now.dispute, shots, at, pieces, which)
            dispute = replace(now.dispute, evidence=evidence, subject=subject, asked=())
            new = replace(now, dispute=dispute, shots=shots, proposal=None)
            said = f"{settling.capital(party)} disputes instead: {evidence.ruling.question}"
            if evidence.at != old.at and key is None:
                away = f"{evidence.at - old.at:+.1f} s away"
                said = f"{settling.capital(party)} looks {away}: {evidence.ruling.question}"
            said += f" {evidence.ruling.verdict}."
            return self._show(new, "dispute.turned", said, party, settling.gist(dispute))

    # Settling

    def remedies(self, dispute: Dispute) -> tuple[Remedy, ...]:
        """What follows from either answer, in the match as it stands."""
        if self.subjects is None or dispute.subject is None:
            return ()
        return self.subjects.remedies(dispute.subject)

    def propose(
        self,
        party: Party,
        outcome: Outcome | None,
        note: str = "",
        rolled: int | None = None,
        count: int | None = None,
        *,
        id: str | None = None,
    ) -> Open:
        """Proposes what counts; without an `outcome`, to roll for it: `rolled` on the table, or else here.

        The owner decides with that, and so does a player whom alone it concerns; who says what is proposed
        already agrees to it. `count` is how many batches the match had where that was seen; a decision that
        takes back more than was seen is refused. With an `id` it is about that dispute alone.
        """
        with self._lock:
            now = self._undecided(id)
            needed = settling.concerned(now.dispute)
            if not party.may_decide(needed):
                raise NotYours(settling.who_may(now.dispute))
            left = {"yes" if r.key == "keep" else "no" for r in self.remedies(now.dispute)}
            if left and (len(left) == 1 if outcome is None else outcome not in left):
                raise TableRefError(f"only {left.pop()} can count here: it has been undone")
            if count is not None and count != self._count(now.dispute):
                raise TableRefError("the game has gone on: look again what would be taken back")
            said, reason = None if self._stale(now) else now.proposal, ((party.name, note),) if note else ()
            if said is not None and said.asks(party) and (said.outcome, said.rolled) == (outcome, rolled):
                return self._agreed(now, replace(said, notes=(*said.notes, *reason)), party)
            self._proposals += 1
            proposal = Proposal(
                self._proposals, party, outcome, needed, (settling.consent_of(party, self._now()),),
                reason, rolled, self._count(now.dispute), settling.device_of(party),
            )  # fmt: skip
            return self._settle(replace(now, proposal=proposal, declined=""), "dispute.proposed", party)

    def consent(self, party: Party, number: int) -> Open:
        """Consents to the proposal of that number, for the player whose device this is."""
        with self._lock:
            now, proposal = self._proposed(party, number)
            given = settling.consent_of(party, self._now())
            if any((c.player, c.owner) == (given.player, given.owner) for c in proposal.consents):
                raise TableRefError(f"{given.player} has agreed already")
            if settling.device_of(party) & proposal.devices:
                raise NotYours(f"{SAME_PHONE}: {given.player} agrees on another one, or {OWNER} does")
            return self._agreed(now, proposal, party)

    def decline(self, party: Party, number: int) -> Open:
        """Does not consent: the proposal is gone, and another one may be made."""
        with self._lock:
            now, _ = self._proposed(party, number)
            said = f"{settling.capital(party)} does not agree: it is not settled."
            new = replace(now, proposal=None, declined=said)
            return self._show(new, "dispute.declined", said, party, {"id": now.dispute.id})

    def release(self, party: Party, id: str | None = None) -> None:
        """Lets the table go on; a dispute that is not decided is withdrawn, by who opened it or the owner.

        With an `id` it is about that dispute alone.
        """
        with self._lock:
            now = self._shown(id)
            if now.dispute.decision is None:
                if not self.may_withdraw(party):
                    raise NotYours(
                        f"only {now.opener.name}, who opened this dispute, or the owner withdraws it"
                    )
                said = f"{settling.capital(party)} withdrew the dispute: the ruling stands."
                self._keep_entry("dispute.withdrawn", said, party, settling.gist(now.dispute))
            self._open = None
            self.live.announce()

    def may_withdraw(self, party: Party) -> bool:
        """Whether a party may withdraw the dispute that is open."""
        opener = None if self._open is None else self._open.opener
        same_seat = opener is not None and party.seat is not None and party.seat == opener.seat
        return party.owner or same_seat or (opener is not None and party.who == opener.who)

    # Steps of settling

    def _proposed(self, party: Party, number: int) -> tuple[Open, Proposal]:
        now = self._undecided()
        proposal = now.proposal
        if proposal is None or proposal.number != number or self._stale(now):
            raise TableRefError("that proposal is gone: look at what is proposed now")
        if not party.may_decide(settling.concerned(now.dispute)):
            raise NotYours(settling.who_may(now.dispute))
        return now, proposal

    def _agreed(self, now: Open, proposal: Proposal, party: Party) -> Open:
        given, devices = settling.consent_of(party, self._now()), settling.device_of(party)
        consents = (*proposal.consents, given)
        new = replace(proposal, consents=consents, devices=proposal.devices | devices)
        return self._settle(replace(now, proposal=new), "dispute.consented", party)

    def _settle(self, new: Open, kind: str, party: Party) -> Open:
        """Decides where everybody whom it concerns has consented; else tells who is waited for."""
        proposal = new.proposal
        assert proposal is not None
        if not proposal.missing:
            return self._decided(new, proposal)
        count = " to roll for it" if proposal.outcome is None else f": {proposal.outcome}"
        verb = "proposes" if kind == "dispute.proposed" else "agrees"
        said = f"{settling.capital(party)} {verb}{count}. Waiting for {listed(proposal.missing)}."
        data = {"id": new.dispute.id, "outcome": proposal.outcome, "needed": list(proposal.needed)}
        return self._show(new, kind, said, party, data)

    def _decided(self, now: Open, proposal: Proposal) -> Open:
        dispute, roll, outcome = self._completed(now), None, proposal.outcome
        if outcome is None:
            roll = settling.rolled_for(proposal.rolled)
            outcome = "yes" if roll.value >= ROLL_YES else "no"
        remedy = next((r for r in self.remedies(dispute) if (r.key == "keep") == (outcome == "yes")), None)
        ruled = default_outcome(dispute.ruling.verdict)
        way: Way = "rolled" if roll is not None else "agreed" if ruled in (None, outcome) else "overruled"
        follows = settling.follows_of(remedy)
        decision = Decision(way, outcome, proposal.consents, self._now(), proposal.note, roll, follows)
        # The record may have begun with this very dispute.
        dispute = self._sealed(replace(dispute, decision=decision))
        sealing = dispute.sealing
        told = {"decision": decision.as_json(), "seal": dispute.seal} | (
            {"key": sealing.key, "signature": dispute.signature} if dispute.signature else {}
        )
        data, new = settling.gist(dispute) | told, replace(now, dispute=dispute, proposal=None)
        if self.subjects is not None and dispute.subject is not None:
            said = f"Dispute {dispute.id} is settled, its evidence sealed."
            entry = self._entry("dispute.decided", said, proposal.by, data)
            self._settling = True
            try:
                about = {"dispute": dispute.id} | told
                self.subjects.settle(dispute.subject, remedy, decision, about, entry)
            finally:
                self._settling = False
            shown = self._told(new, decision.words)
        else:
            shown = self._show(new, "dispute.decided", decision.words, proposal.by, data)
        self.decided = [dispute, *self.decided][:KEPT]
        return self._put_away(shown)

    def _sealed(self, dispute: Dispute) -> Dispute:
        """A decided dispute with the record that it is sealed upon, signed."""
        about, key = self._about(), self._signing
        head = about.head if dispute.game in (None, about.game) else Head()
        sealing = Sealing("" if key is None else key.public, head.entries, head.link)
        dispute = replace(dispute, game=dispute.game or about.game, sealing=sealing)
        return dispute if key is None else replace(dispute, signature=key.sign(dispute.seal))

    def _stale(self, now: Open) -> bool:
        """Whether the game has gone on since the proposal; it may be asked before that is heard of."""
        return now.proposal is not None and now.proposal.count != self._count(now.dispute)

    def _count(self, dispute: Dispute) -> int | None:
        return None if dispute.subject is None else dispute.subject.match.count

    def _pin_done(self) -> None:
        """The frames about what was done since the last look stay at hand, where it may be disputed."""
        assert self.subjects is not None
        match = self.subjects.match
        if match is None:
            return
        played, first = self._pinned
        self._pinned = (match.played, match.count)
        for batch in match.counted:
            fresh = played is not match.played or batch.number >= first
            subject = self.subjects.done(match, batch) if fresh else None
            if subject is not None and subject.at is not None:
                self.ring.pin(subject.key, subject.at)

    def _pin_moves(self) -> None:
        """The frames about the last move of each piece stay at hand: it may rest long before it is taken."""
        moment = self.live.moment
        for move in () if moment is None else moment.moves:
            self.ring.pin(f"move of {key_of(move.piece)}", move.until)

    def _note(self) -> None:
        """The match has changed: a proposal may mean more."""
        if self._open is None:
            return
        # Whoever has changed the match does not wait for a step of the dispute that is being written down.
        if self._lock.acquire(blocking=False):
            try:
                self._went_on()
            finally:
                self._lock.release()
        else:
            threading.Thread(target=self._went_on, name="tableref-disputes", daemon=True).start()

    def _went_on(self) -> None:
        """The match has gone on while a dispute is open."""
        with self._lock:
            now = self._open
            if now is None or self._settling or now.dispute.decision or now.dispute.subject is None:
                return
            if not self.reopenable(now.dispute):
                # Nothing could follow from it any more, and the record of its game is closed.
                self._open = None
                self.live.announce()
                return
            stale = self._stale(now)
            self._changes += 1
            self._open = replace(
                now, version=self._changes, proposal=None if stale else now.proposal,
                trouble=GONE_ON if stale else None,
            )  # fmt: skip
        self.live.announce()

    # Steps

    def _shown(self, id: str | None) -> Open:
        """The dispute that is open, where a page means that one: it may not have heard of the newest yet."""
        if self._open is None:
            raise NoDispute("no dispute is open")
        if id not in (None, self._open.dispute.id):
            raise TableRefError("another dispute is open by now: look what it is about")
        return self._open

    def _undecided(self, id: str | None = None) -> Open:
        self._shown(id)
        assert self._open is not None
        if self._open.dispute.decision is not None:
            raise TableRefError("this dispute has been decided: open it again, or another one")
        return self._open

    def _free(self) -> None:
        if self._open is not None:
            raise TableRefError("a dispute is open already: settle that one first")

    def _opened(self, party: Party, subject: Subject) -> Open:
        evidence, shots = self.of_subject(subject)
        return self._show_opened(party, self._new(party, evidence, subject), shots)

    def _new(self, party: Party, evidence: Evidence, subject: Subject | None) -> Dispute:
        opened, about = self._now(), self._about()
        return Dispute(
            new_id(opened), opened, party.name, about.table_name, self.rulings.book, evidence, self._versions,
            game=about.game, subject=subject,
        )  # fmt: skip

    def _show_opened(
        self, party: Party, dispute: Dispute, shots: tuple[KeptFrame, ...], after_s: float = AFTER_S
    ) -> Open:
        ruling = dispute.ruling
        verb = "disputes again" if dispute.reopens else "disputes"
        said = f"{settling.capital(party)} {verb}: {ruling.question} The ruling was {ruling.verdict}."
        new = Open(dispute, shots, shots[-1].time + after_s, party)
        self.lost = None
        return self._show(new, "dispute.opened", said, party, settling.gist(dispute))

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

    # Keeping and telling

    def _show(self, new: Open, kind: str, said: str, party: Party, data: Mapping[str, Any]) -> Open:
        """Keeps what has happened, and then lets everybody see it."""
        self._keep_entry(kind, said, party, data)
        return self._told(new, said)

    def _told(self, new: Open, said: str) -> Open:
        self._changes += 1
        self._open = replace(new, version=self._changes, trouble=None)
        self.live.announce(TableEvent(self._time(), "dispute", None, said))
        return self._open

    def _keep_entry(self, kind: str, said: str, party: Party, data: Mapping[str, Any]) -> None:
        self.keep.append([self._entry(kind, said, party, data)])

    def _entry(self, kind: str, said: str, party: Party, data: Mapping[str, Any]) -> Entry:
        acted = {"seat": party.seat, "role": party.who.role, "device": party.who.device}
        return Entry(kind, self._time(), said, {**data, "acted": acted}, party.name)

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


def reply(desk: Desk, player: str, who: Identity) -> bool:
    """Answer what is proposed in the dispute that is open, where that waits for this machine.

    Says whether one is open: as long as people look at it, nothing else is done.
    """
    now = desk.open
    if now is None:
        return False
    proposal = now.proposal
    if proposal is None or player not in proposal.missing:
        return True
    party = desk.party(who)
    if agreeable(now.dispute.ruling.verdict, proposal.outcome):
        desk.consent(party, proposal.number)
    else:
        desk.decline(party, proposal.number)
    return True


def agreeable(verdict: Verdict, outcome: Outcome | None) -> bool:
    """Whether a machine consents to an outcome: the one that was measured; to roll where it is too close.

    >>> agreeable(Verdict.YES, "yes"), agreeable(Verdict.YES, "no"), agreeable(Verdict.TOO_CLOSE, None)
    (True, False, True)
    """
    return outcome is None if verdict is Verdict.TOO_CLOSE else outcome == verdict.value
