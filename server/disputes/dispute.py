"""A dispute: who opened it about what, what else was asked, and what the players decided."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from engine.game.contract import Question
from engine.game.dice import Roll
from engine.ruling import Ruling, Verdict
from engine.words import listed
from server.disputes.evidence import Evidence
from server.disputes.sealed.seal import FORMAT, VERSION, canonical, seal_of
from server.play.subjects import Subject
from server.table.records import ruling_record

Way = Literal["agreed", "overruled", "rolled"]
Outcome = Literal["yes", "no"]

ROLL_SIDES, ROLL_YES = 6, 4
"""Roll for it: a D6, and what it must show at least for *yes* (house default)."""


@dataclass(frozen=True, eq=False)
class AnsweredQuestion:
    """Another question of the frozen table, with its answer."""

    question: Question
    ruling: Ruling
    by: str


@dataclass(frozen=True, slots=True)
class Consent:
    """That somebody consented: a player by the device of that seat, or the owner of the table."""

    player: str
    owner: bool
    at: datetime

    def as_json(self) -> dict[str, Any]:
        """Plain JSON."""
        return {"who": self.player, "as": "owner" if self.owner else "player", "at": stamp(self.at)}


@dataclass(frozen=True)
class Decision:
    """How the players settled it: the `outcome` counts, whatever was ruled.

    `consents` are those of everybody whom it concerns, or the owner's; `note` holds their reasons.
    `roll` is the die of *roll for it*. `follows` says what follows from it in the match.
    """

    way: Way
    outcome: Outcome
    consents: tuple[Consent, ...]
    at: datetime
    note: str = ""
    roll: Roll | None = None
    follows: str = ""

    @property
    def by(self) -> str:
        """Who decided, for people."""
        return listed([consent.player for consent in self.consents])

    @property
    def words(self) -> str:
        """One sentence for people, and what follows."""
        by = self.by[:1].upper() + self.by[1:]
        said = {
            "agreed": f"{by} agreed: {self.outcome}.",
            "overruled": f"{by} overruled it: {self.outcome}.",
            "rolled": f"{by} rolled for it: {self.outcome}.",
        }[self.way]
        if self.roll is not None:
            said += f" The D{self.roll.sides} showed {self.roll.value} ({self.roll.source})."
        said += f" {self.follows}." if self.follows else ""
        if not self.note:
            return said
        return f"{said} Reason: {self.note}{'' if self.note.endswith(('.', '!', '?')) else '.'}"

    def as_json(self) -> dict[str, Any]:
        """Plain JSON."""
        roll = self.roll
        return {
            "way": self.way,
            "outcome": self.outcome,
            "by": self.by,
            "consents": [consent.as_json() for consent in self.consents],
            "at": stamp(self.at),
            "note": self.note,
            "follows": self.follows,
            "words": self.words,
            "roll": None
            if roll is None
            else {"sides": roll.sides, "value": roll.value, "why": roll.why, "source": roll.source},
        }


@dataclass(frozen=True, slots=True)
class Sealing:
    """By whom a dispute is sealed, and upon which record.

    `key` is the public half of the installation's signing key, `link` that of the first `entries` entries of
    the game's record; both empty where there is none.
    """

    key: str = ""
    entries: int = 0
    link: str = ""


@dataclass(frozen=True, eq=False)
class Dispute:
    """One dispute as it stands."""

    id: str
    opened: datetime
    by: str
    table_name: str
    book: str
    evidence: Evidence
    versions: Mapping[str, str] = field(default_factory=dict)
    asked: tuple[AnsweredQuestion, ...] = ()
    decision: Decision | None = None
    game: str | None = None
    """The recorded game that it belongs to."""
    clock: Literal["source", "game"] = "source"
    """Whose clock all times of the evidence are of."""
    subject: Subject | None = None
    """What of the match it is about; None without a match."""
    reopens: str | None = None
    """The dispute that was decided before and is had again."""
    sealing: Sealing = Sealing()
    signature: str = ""
    """Of the seal, by the key that `sealing` names; empty where there is none."""

    @property
    def ruling(self) -> Ruling:
        """What was ruled on the question in dispute."""
        return self.evidence.ruling

    def contents(self) -> dict[str, Any]:
        """All that the seal is taken over: plain JSON, the pictures by their digests."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "id": self.id,
            "opened": {"at": stamp(self.opened), "by": self.by},
            "game": self.game,
            "clock": self.clock,
            "table_name": self.table_name,
            "book": self.book,
            "subject": None if self.subject is None else self.subject.told,
            "reopens": self.reopens,
            "versions": dict(self.versions),
            "evidence": self.evidence.as_json(),
            "asked": [
                {"by": a.by, "ruling": ruling_record(a.ruling, a.question, exactly=True)} for a in self.asked
            ],
            "decision": None if self.decision is None else self.decision.as_json(),
            "key": self.sealing.key or None,
            "record": {"entries": self.sealing.entries, "link": self.sealing.link or None},
        }

    @property
    def seal(self) -> str:
        """SHA-256 over the contents."""
        return seal_of(canonical(self.contents()))


def stamp(at: datetime) -> str:
    """An instant in UTC, to the second.

    >>> stamp(datetime(2026, 5, 1, 20, 15, tzinfo=UTC))
    '2026-05-01T20:15:00Z'
    """
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_id(opened: datetime) -> str:
    """An id that people can read out: the day and hour, and four letters against twins."""
    return f"{opened.astimezone(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def default_outcome(verdict: Verdict) -> Outcome | None:
    """What the ruling says; None when it was too close to call."""
    return {Verdict.YES: "yes", Verdict.NO: "no"}.get(verdict)  # type: ignore[return-value]
