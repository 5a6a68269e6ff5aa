"""What the players say instead of the table: proposed by whoever acts, agreed to by those it is about.

The rule stands here once, for every game. The owner of the table gives what is said in the owner's name;
a player proposes it, and it is done when everybody whom it is about has agreed on their own device.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Seen, named
from engine.game.events import ASIDE, DECISION, OWNER, Action, Event, SaidFact, Vouched
from engine.game.log.places import Place, Stray, in_place, place_of, standing_still
from engine.game.match import Match
from engine.game.records import from_json, to_json
from engine.game.showing import Viewer
from engine.space.table import TableState, key_of
from engine.words import listed
from server.play.messages import Act, Stays
from server.web.authentication import Identity

COUNTS = "counts"
"""The field of a decision that names the move which was disputed as it rested, and counts."""

SAME_PHONE = "this phone has proposed it, or agreed to it, in another seat"
"""Why nobody consents on it, for people."""

MOST = 8
"""Proposals that may wait at once; an older one of the same player gives way to a newer one."""


@dataclass(frozen=True)
class Needed:
    """Who has to agree: all of these players, or any one of them where it is about nobody in particular."""

    players: tuple[str, ...]
    all: bool = True

    @property
    def words(self) -> str:
        """Who, for people."""
        if self.players in ((), (OWNER,)):
            return OWNER
        joined = listed(self.players, "and" if self.all else "or")
        return f"{joined}, or {OWNER},"

    def missing(self, agreed: Sequence[str]) -> tuple[str, ...]:
        """Who has not agreed yet, of those that have to; nobody once it is enough."""
        left = tuple(player for player in self.players if player not in agreed)
        enough = self.players and (not left if self.all else len(left) < len(self.players))
        return () if enough else left


def needed(match: Match[Any], facts: Sequence[SaidFact], by: str, owners: Mapping[str, str]) -> Needed:
    """Who has to agree to facts that a player says: those whose pieces they are about, but for that player.

    Where no piece of anybody else is concerned, one of the others: they would gain nothing by it.
    """
    order = match.game.status(match.state, Viewer()).order
    others = [place for place in order if place.player != by]
    playing = [place.player for place in others if not place.out] or [place.player for place in others]
    named = {owners.get(key_of(name)) for fact in facts for name in fact.pieces}
    about = tuple(player for player in playing if player in named)
    return Needed(about) if about else Needed(tuple(playing) or (OWNER,), all=False)


def owed(facts: Sequence[SaidFact], seen: Seen | None) -> tuple[SaidFact, ...]:
    """The facts that a player does not say alone: nothing is overruled where no table is looked at.

    What is against an action is let pass by others in any case.
    """
    looked = seen is not None and seen.table is not None
    return tuple(fact for fact in facts if looked or fact.how == "waived")


def decided(
    match: Match[Any], action: Action, facts: Sequence[SaidFact], seen: Seen | None
) -> Vouched | None:
    """Who settled in a dispute that the very move of an action counts, so that nobody has to agree once more.

    None where nobody did, or the game went on since, and of what is typed of the move besides.
    """
    typed = {one.words for one in match.game.facts.get(action.kind, ())}
    moves = {move.id for move in (() if seen is None else named(action, seen))}
    if action.unmeasured is not None or any(fact.name in typed for fact in facts):
        return None
    given = settled_by(match, moves)
    return Vouched(action.player or OWNER, given) if given else None


def settled_by(match: Match[Any], moves: Collection[str]) -> tuple[str, ...]:
    """Who has just settled in a dispute that one of these moves counts; nobody once the game went on."""
    first = match.counted[-1].events[0]
    if first.kind != DECISION or first.data.get(COUNTS) not in moves:
        return ()
    given = (OWNER if c["as"] == "owner" else c["who"] for c in first.data["decision"]["consents"])
    return tuple(dict.fromkeys(given))


def stays_words(request: Stays) -> str:
    """That pieces stay where they stand, as a deed."""
    one = len(request.pieces) == 1
    return f"{listed(request.pieces)} {'stays where it stands' if one else 'stay where they stand'}"


def staying(strays: Sequence[Stray], pieces: Sequence[str]) -> tuple[SaidFact, ...]:
    """That pieces may stay where they stand, as facts: it is said against where they have to stand."""
    keys = set(map(key_of, pieces))
    return tuple(
        SaidFact(f"{s.piece} stays there", "yes", "said", s.words, (s.piece,))
        for s in strays
        if key_of(s.piece) in keys
    )


@dataclass(frozen=True)
class Proposal:
    """What a player wants to do by facts that they say, until everybody whom it is about has agreed.

    `stood` is where the pieces stand that are to stay there. `devices` are those on which it was proposed or
    agreed to: whoever changes the seat agrees no second time on the same one.
    """

    id: str
    act: Act | Stays
    by: str
    facts: tuple[SaidFact, ...]
    needed: Needed
    what: str
    agreed: tuple[str, ...] = ()
    stood: Mapping[str, Place] = field(default_factory=dict)
    devices: tuple[str, ...] = ()

    @classmethod
    def made(
        cls, act: Act | Stays, by: str, facts: Sequence[SaidFact], need: Needed, what: str, device: str,
        table: TableState | None,
    ) -> Proposal:  # fmt: skip
        """A new one, proposed on a device; of pieces that are to stay, where they stand on this table."""
        stood = places_of(act.pieces, table) if isinstance(act, Stays) else {}
        id, on = secrets.token_hex(8), (device,)
        return cls(id, act, by, tuple(facts), need, what, stood=stood, devices=on)

    @property
    def kind(self) -> str:
        """The kind of the action that it would be."""
        return self.act.kind if isinstance(self.act, Act) else self.act.type

    @property
    def missing(self) -> tuple[str, ...]:
        """Who has not agreed yet."""
        return self.needed.missing(self.agreed)

    @property
    def words(self) -> str:
        """What is proposed, for people."""
        return f"{self.by} proposes: {self.what}"

    def may_agree(self, who: Identity, seat: str | None) -> bool:
        """Whether whoever looks may agree: those whom it is about, on devices of their own, and the owner."""
        asked = who.role == "player" and seat in self.missing and who.device not in self.devices
        return bool(self.missing) and (who.role == "owner" or asked)

    def not_yours(self, seat: str | None) -> str:
        """Why somebody may not agree, for people."""
        if seat in self.missing:
            return f"{SAME_PHONE}: {seat} agrees on another one, or {OWNER} does"
        return f"{self.needed.words} may agree to what {self.by} proposes"

    def means(self, act: Act | Stays, by: str | None, facts: Sequence[SaidFact]) -> bool:
        """Whether it is about the very same deed, by the same facts."""
        said = {"type", "kind", "data", "unmeasured", "pieces"}
        same = self.act.model_dump(include=said) == act.model_dump(include=said)
        return same and self.by == by and self.rests_on(facts)

    def rests_on(self, facts: Sequence[SaidFact]) -> bool:
        """Whether it was proposed by these facts: what counts is what is said, and whether it was open."""
        mine, theirs = ({(f.name, f.value, f.how) for f in some} for some in (self.facts, facts))
        return mine == theirs

    def check(self, facts: Sequence[SaidFact], table: TableState | None) -> None:
        """A clear error where it would rest on other facts by now, or a piece stands elsewhere."""
        lie = [(place, standing_still(name, table)) for name, place in self.stood.items()]
        if not self.rests_on(facts) or any(s is None or not in_place(place, s) for place, s in lie):
            raise TableRefError("the table has changed since that was proposed: propose it again")

    def vouched(self) -> Vouched:
        """Who says it and who agreed."""
        return Vouched(self.by, self.agreed)

    def as_json(self) -> dict[str, Any]:
        """As it is kept in the record, so that a restart does not forget it."""
        return {
            "id": self.id,
            "act": self.act.model_dump(mode="json"),
            "by": self.by,
            "facts": to_json(self.facts),
            "needed": to_json(self.needed),
            "what": self.what,
            "agreed": list(self.agreed),
            "stood": to_json(self.stood),
            "devices": list(self.devices),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Proposal:
        """The proposal that was kept so."""
        act = (Stays if data["act"]["type"] == "stays" else Act).model_validate(data["act"])
        return cls(
            id=str(data["id"]),
            act=act,
            by=str(data["by"]),
            facts=from_json(tuple[SaidFact, ...], data["facts"], "facts"),
            needed=from_json(Needed, data["needed"], "needed"),
            what=str(data["what"]),
            agreed=tuple(data["agreed"]),
            stood=from_json(dict[str, Place], data["stood"], "stood"),
            devices=tuple(data.get("devices", ())),
        )


def places_of(pieces: Sequence[str], table: TableState | None) -> dict[str, Place]:
    """Where these pieces stand, of those that rest where they are seen."""
    return {name: place_of(found) for name in pieces if (found := standing_still(name, table)) is not None}


class Waits(TableRefError):
    """Somebody has said what others have to agree to: it is proposed, and done once they have."""

    def __init__(self, proposal: Proposal) -> None:
        who = listed(proposal.missing, "and" if proposal.needed.all else "or")
        owner = "" if proposal.missing == (OWNER,) else f", or {OWNER},"
        several = proposal.needed.all and len(proposal.missing) > 1
        super().__init__(f"Proposed: {who}{owner} {'have' if several else 'has'} to agree to it.")
        self.proposal = proposal


@dataclass(frozen=True)
class Declined:
    """A proposal of which nothing came, and why: somebody did not agree, or it cannot be done any more."""

    proposal: Proposal
    why: str


@dataclass
class Proposals:
    """What is proposed at a table and waits; all of it is gone once the game goes on.

    `declined` is kept until whoever proposed it does something, or proposes anew.
    """

    waiting: dict[str, Proposal] = field(default_factory=dict)
    declined: dict[str, Declined] = field(default_factory=dict)

    def aside(self) -> Proposals:
        """As it is now, whatever is proposed from now on."""
        return Proposals(dict(self.waiting), dict(self.declined))

    def find(self, id: str) -> Proposal:
        """A proposal; a clear error for one that is gone."""
        if id not in self.waiting:
            raise TableRefError("that proposal is gone: the game went on, or it was taken back")
        return self.waiting[id]

    def of(self, act: Act | Stays, by: str | None, facts: Sequence[SaidFact]) -> Proposal | None:
        """The proposal that a deed carries out, if it was made."""
        return next((one for one in self.waiting.values() if one.means(act, by, facts)), None)

    def stays(self, piece: str) -> bool:
        """Whether it is proposed that a piece stays where it stands."""
        asked = (one.act.pieces for one in self.waiting.values() if isinstance(one.act, Stays))
        return any(key_of(piece) in map(key_of, pieces) for pieces in asked)

    def put(self, proposal: Proposal) -> None:
        """One more, instead of what the same player proposed of the same kind."""
        self.waiting = {
            id: one for id, one in self.waiting.items()
            if (one.by, one.kind) != (proposal.by, proposal.kind)
        }  # fmt: skip
        self._heard(proposal.by)
        self.waiting[proposal.id] = proposal
        while len(self.waiting) > MOST:
            del self.waiting[next(iter(self.waiting))]

    def agree(self, proposal: Proposal, name: str, device: str) -> Proposal:
        """With one more who agrees; the owner's word is enough."""
        needs, devices = Needed(()) if name == OWNER else proposal.needed, (*proposal.devices, device)
        proposal = replace(proposal, agreed=(*proposal.agreed, name), needed=needs, devices=devices)
        self.waiting[proposal.id] = proposal
        return proposal

    def restore(self, data: Mapping[str, Any]) -> None:
        """Goes on with a proposal as the record tells it; None is one that is gone."""
        id, now = str(data["id"]), data["proposal"]
        if now is None:
            self.drop(id, str(data.get("why", "")))
        elif id in self.waiting:
            self.waiting[id] = Proposal.from_json(now)
        else:
            self.put(Proposal.from_json(now))

    def drop(self, id: str, why: str = "") -> None:
        """That one is gone; with `why` for which whoever proposed it has to be told."""
        proposal = self.waiting.pop(id, None)
        if proposal is not None and why:
            self.declined[id] = Declined(proposal, why)

    def went_on(self, events: Sequence[Event], player: str | None) -> None:
        """The game went on by a `player`: what was proposed was proposed of another position."""
        if events and events[0].kind not in ASIDE:
            self.waiting.clear()
            self._heard(player or OWNER)

    def _heard(self, by: str) -> None:
        self.declined = {id: one for id, one in self.declined.items() if one.proposal.by != by}
