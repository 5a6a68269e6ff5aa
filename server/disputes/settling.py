"""Who settles a dispute: the party that acts, what it proposes, and who has consented to it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.game.dice import Dice, Roll, SeededDice, TypedDice
from engine.game.events import OWNER
from engine.words import listed
from server.disputes.dispute import ROLL_SIDES, ROLL_YES, Consent, Dispute, Outcome
from server.play.subjects import Remedy
from server.table.records import question_record
from server.web.authentication import Identity

UNSEATED = "a player without a seat"
LOOKS_ON = "somebody who looks on"


@dataclass(frozen=True, slots=True)
class Party:
    """Whoever acts in a dispute, as the server knows them; nobody says for themselves who they are.

    `seat` is the player whose device it is.
    """

    who: Identity
    seat: str | None = None

    @property
    def owner(self) -> bool:
        """Whether it is the owner of the table, who may decide alone and is named as such."""
        return self.who.role == "owner"

    @property
    def acts(self) -> bool:
        """Whether it may do anything but look on."""
        return self.who.role in ("owner", "player")

    @property
    def name(self) -> str:
        """How it is told of."""
        if self.owner:
            return OWNER
        return self.seat or (UNSEATED if self.who.role == "player" else LOOKS_ON)

    def may_decide(self, concerned: Sequence[str]) -> bool:
        """Whether it may propose a decision that concerns these players: without any, whoever acts."""
        return self.owner or (self.acts and (not concerned or self.seat in concerned))


@dataclass(frozen=True)
class Proposal:
    """How a dispute shall be settled, until everybody whom it concerns has consented.

    `number` tells it from those before it. `outcome` None is to roll for it: with the die that was `rolled`
    on the table, or one that falls here once all have consented. `notes` are the reasons, each with whose it
    is. `count` is how many batches the match had.
    `devices` are those of players who have consented: a change of the seat gives no second consent.
    """

    number: int
    by: Party
    outcome: Outcome | None
    needed: tuple[str, ...]
    consents: tuple[Consent, ...]
    notes: tuple[tuple[str, str], ...] = ()
    rolled: int | None = None
    count: int | None = None
    devices: frozenset[str] = frozenset()

    @property
    def note(self) -> str:
        """The reasons in words: whose each is, where that is not the proposer alone.

        >>> anna, ben = Party(Identity("player", "a"), "Anna"), ("Ben", "too far")
        >>> Proposal(1, anna, "no", (), (), (("Anna", "it was bumped"),)).note
        'it was bumped'
        >>> Proposal(1, anna, "no", (), (), (("Anna", "it was bumped"), ben)).note
        'Anna: it was bumped; Ben: too far'
        """
        if [name for name, _ in self.notes] == [self.by.name]:
            return self.notes[0][1]
        return "; ".join(f"{name}: {note}" for name, note in self.notes)

    @property
    def missing(self) -> tuple[str, ...]:
        """The players who have not consented yet."""
        given = {consent.player for consent in self.consents}
        if any(consent.owner for consent in self.consents):
            return ()
        return tuple(player for player in self.needed if player not in given)

    def asks(self, party: Party) -> bool:
        """Whether a player is asked on this device."""
        return party.seat in self.missing and not device_of(party) & self.devices


def device_of(party: Party) -> frozenset[str]:
    """The device on which a party consents; none of the owner's, whose word is enough."""
    return frozenset() if party.owner or not party.who.device else frozenset({party.who.device})


def consent_of(party: Party, at: datetime) -> Consent:
    """That a party consents: a player by their own device, or the owner."""
    return Consent(party.name if party.seat is None else party.seat, party.owner, at)


def concerned(dispute: Dispute) -> tuple[str, ...]:
    """The players whose consent a decision of this dispute needs; none without a match."""
    return () if dispute.subject is None else dispute.subject.concerned


def rolled_for(value: int | None) -> Roll:
    """The die of *roll for it*: as the players typed it, or rolled here from a new seed."""
    dice: Dice = SeededDice(secrets.token_hex(8)) if value is None else TypedDice([value])
    return dice.roll(ROLL_SIDES, f"{ROLL_YES} or more is yes")


NAMED = 4
"""So many of the things that go with what is taken back are named in a decision; of the rest how many."""


def follows_of(remedy: Remedy | None) -> str:
    """What follows from a decision, and what went with it.

    >>> follows_of(Remedy("back", "“fire” is taken back", ("return fire",), 7))
    '“fire” is taken back; with it goes “return fire”'
    >>> follows_of(Remedy("back", "“fire” is taken back", tuple("abcdef"), 7))
    '“fire” is taken back; with it go “a”, “b”, “c”, “d” and 2 more'
    """
    if remedy is None or not remedy.goes:
        return "" if remedy is None else remedy.words
    told = [f"“{words}”" for words in remedy.goes[:NAMED]]
    more = len(remedy.goes) - NAMED
    told += [f"{more} more"] if more > 0 else []
    return f"{remedy.words}; with it {'goes' if len(told) == 1 else 'go'} {listed(told)}"


def capital(party: Party) -> str:
    """Who acts, at the beginning of a sentence."""
    return party.name[:1].upper() + party.name[1:]


def who_may(dispute: Dispute) -> str:
    """Who settles a dispute, for whoever may not."""
    names = listed(concerned(dispute)) or "the players"
    return (
        f"this dispute concerns {names}: they settle it on their own devices, or the owner of the table does"
    )


def gist(dispute: Dispute) -> dict[str, Any]:
    """What the record needs to find the dispute again: who, about what, and the ruling."""
    evidence, ruling = dispute.evidence, dispute.ruling
    return {
        "id": dispute.id,
        "at_s": evidence.at,
        "asked": question_record(evidence.question),
        "question": ruling.question,
        "verdict": ruling.verdict.value,
        "by": dispute.by,
        "subject": None if dispute.subject is None else dispute.subject.told,
        "reopens": dispute.reopens,
    }
