"""What a dispute is about, and the evidence of it: from the frames that are kept, and from the match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import TableRefError
from engine.game.contract import Question
from engine.space.table import TableState
from server.disputes.dispute import Dispute
from server.disputes.evidence import Evidence, alike, collect, nearest_shot
from server.disputes.frame_buffer import FrameBuffer, KeptFrame
from server.pipeline.runner import Runner
from server.play.subjects import Subject, Subjects
from server.table import gate
from server.table.questions.rulings import Rulings

OTHER_MOMENT = "No frame of that very moment is kept: the picture shows the table a little earlier or later."


class Gatherer:
    """Gathers evidence at one table; `subjects` knows the match that is played there."""

    def __init__(
        self, live: Runner, rulings: Rulings, ring: FrameBuffer, subjects: Subjects | None = None
    ) -> None:
        self.live, self.rulings, self.ring, self.subjects = live, rulings, ring, subjects

    @property
    def hides(self) -> bool:
        """Whether the match that is played hides distances now."""
        match = None if self.subjects is None else self.subjects.match
        return match is not None and gate.hides(match.game, match.state)

    def withholds(self, dispute: Dispute) -> bool:
        """Whether what was measured is its mover's to read: of a move that the game has not taken."""
        subject = dispute.subject
        return subject is not None and subject.move is not None and subject.batch is None and self.hides

    def offered(self) -> tuple[Subject, ...]:
        """What of the match may be disputed, the usual first; nothing without a match."""
        found = () if self.subjects is None else self.subjects.offered()
        return tuple(s for s in found if s.at is None or self.ring.around(s.at))

    def shots(self) -> tuple[KeptFrame, ...]:
        """The frames of a dispute that is about to be opened."""
        if not self.ring.shots:
            raise TableRefError("no frame is kept yet: wait until the camera has seen the table")
        return self.ring.shots

    def subject(self, key: str) -> Subject:
        """What is offered under a key."""
        if self.subjects is None:
            raise TableRefError(f"nothing can be disputed as {key!r}: no game is played here")
        return self.subjects.find(key)

    def of_subject(self, subject: Subject) -> tuple[Evidence, tuple[KeptFrame, ...]]:
        """The evidence of something that was done, with the frames of then."""
        shots = self.shots() if subject.at is None else self.ring.around(subject.at)
        if not shots:
            raise TableRefError("no frame of that moment is kept any more: the record of the game has it")
        shots, at, note = _of_then(shots, subject)
        return replace(self.evidence(shots, at, subject.question, subject), note=note), shots

    def rulings_of(self, subject: Subject | None) -> Rulings:
        """Who answers about the frozen table: the game as it stood before what is disputed."""
        if self.subjects is None or subject is None:
            return self.rulings
        return self.subjects.rulings(subject, self.rulings)

    def owned(self, table: TableState) -> TableState:
        """A table whose pieces are those of the players of the match that is played."""
        match = None if self.subjects is None else self.subjects.match
        return table if self.subjects is None or match is None else self.subjects.owned(table)

    def asked_about(
        self, shots: tuple[KeptFrame, ...], at: float, pieces: Sequence[str], which: str | None
    ) -> tuple[Evidence, Subject | None]:
        """The evidence of a question that was picked."""
        table = min(shots, key=lambda s: abs(s.time - at)).table
        question = self.rulings.find([table.find(name).name for name in pieces], which)
        subject = None if self.subjects is None else self.subjects.asked(question)
        return self.evidence(shots, at, question, subject), subject

    def turned(
        self,
        now: Dispute,
        shots: tuple[KeptFrame, ...],
        at: float,
        pieces: Sequence[str],
        which: str | None,
    ) -> tuple[Evidence, Subject | None]:
        """Another instant, or another question about the same or other pieces."""
        if pieces or which is not None:
            return self.asked_about(shots, at, pieces or now.evidence.question.pieces, which)
        return self.evidence(shots, at, now.evidence.question, now.subject), now.subject

    def evidence(
        self, shots: Sequence[KeptFrame], at: float, question: Question, subject: Subject | None
    ) -> Evidence:
        """The evidence of a question at an instant; of a move that is disputed it is ruled from its way."""
        rulings = self.rulings_of(subject)
        known = self.subjects if subject is not None else None
        ruling = None if known is None or subject is None else known.ruling(subject)
        shots = [replace(shot, table=rulings.there(shot.table, question.pieces)) for shot in shots]
        return collect(
            shots, at, question, lambda asked, table: rulings.ask(asked, self.owned(table)),
            [e.event for e in self.live.snapshot.events], ruling, board=self.rulings.board,
            basis=None if known is None or subject is None else known.basis(subject),
            move=None if subject is None else subject.move,
        )  # fmt: skip


def _of_then(shots: tuple[KeptFrame, ...], subject: Subject) -> tuple[tuple[KeptFrame, ...], float, str]:
    """The frames, the instant of the one that shows what is disputed as it stood then, and a note on it.

    The nearest frame may show the table before a hand was through; where none shows it as it was, the nearest
    one bears the table on which it was done.
    """
    if subject.at is None:
        return shots, shots[-1].time, ""
    near = nearest_shot(shots, subject.at)
    same = [shot for shot in shots if alike(shot, subject.stood)]
    if same or not subject.stood:
        return shots, nearest_shot(same, subject.at).time if same else near.time, ""
    if subject.table is None:
        return shots, near.time, OTHER_MOMENT
    borne = replace(near, table=subject.table)
    return tuple(borne if shot is near else shot for shot in shots), near.time, OTHER_MOMENT
