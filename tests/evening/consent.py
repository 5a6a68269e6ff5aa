"""Nothing sure is changed and no open question answered without those whom it is about.

What a phone may bring about, told again without the product's own rule: its own player's deeds, resting on
what was seen. An accepted deed without anybody's consent is done again without a single fact that was typed:
the same has to come of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import Option, Seen
from engine.game.dice import LoggedDice, rolls_of
from engine.game.events import RULED, RULED_BY, SAID, UNMEASURED, Action, Event, batches
from engine.game.forms import Pick
from engine.game.log.settled import NO, YES
from engine.game.match import Match
from engine.game.showing import Viewer
from engine.space.table import key_of
from server.play.moving.seeing import ranges_in
from server.web.authentication import Identity
from tests.evening.house import House, Violation

OWNERS = ("overrule", "begin", "anew", "free", "modes")
"""Messages that are the owner's alone."""


@dataclass(frozen=True)
class Before:
    """What stood before somebody asked for something."""

    match: Match[Any] | None
    count: int
    seen: Seen
    options: tuple[Option, ...]
    seat: str | None
    proposals: Mapping[str, Any]
    throws: Mapping[str, Any]
    seats: frozenset[str]

    @classmethod
    def of(cls, at: House, who: Identity) -> Before:
        """Note it."""
        host = at.served.match
        count = 0 if host.match is None else host.match.count
        # Of what the owner does nothing is held.
        options = () if who.role == "owner" else host.options()
        return cls(
            host.match, count, host.seeing.now(host.owners), options, host.player_of(who),
            dict(host.proposals.waiting), dict(host.throws.waiting), frozenset(host.seats.taken),
        )  # fmt: skip


def consented(
    at: House, who: Identity, message: Mapping[str, Any], before: Before, answer: Mapping[str, Any]
) -> None:
    """Hold what came of a request against who asked for it."""
    match, kind = before.match, str(message["type"])
    if who.role == "owner":
        return
    if who.role != "player" and (answer["accepted"] or answer["proposed"]):
        raise Violation("a spectator acts", f"{kind}: {message}")
    if kind == "act" and answer["throw"]:
        _lie_as_they_fell(at, before, answer["throw"])
    if not answer["accepted"]:
        return
    if before.seat is None and kind != "sit":
        raise Violation("somebody without a seat acts", f"{kind}: {message}")
    if kind in OWNERS:
        raise Violation("a phone does what is the owner's", f"{before.seat}: {message}")
    if kind == "sit" and message["player"] in before.seats and message["player"] != before.seat:
        raise Violation("a seat is taken from somebody", f"{before.seat} takes that of {message['player']}")
    if kind == "rolled":
        _typed_own(before, message)
    fallen = [one for one in before.throws.values() if one.by == before.seat and one.fell]
    if kind == "act" and any(
        one.request.type == kind and one.request.kind != message["kind"] for one in fallen
    ):
        raise Violation("dice that fell are evaded", f"{before.seat}: {message}")
    if match is None or match is not at.served.match.match:
        return
    for number, events in list(enumerate(batches(match.log)))[before.count :]:
        _batch(at, message, before, match, number, events)


def said_by_machine(at: House, player: str, since: int) -> None:
    """What a machine did and nobody saw, from so many batches on, the others have agreed to."""
    match, modes = at.served.match.match, at.served.match.modes
    if match is None or "ask" in (modes.moves, modes.questions):
        return
    for events in list(batches(match.log))[since:]:
        if events[0].kind == "action" and events[0].data["player"] == player:
            for event in (e for e in events if e.kind in (SAID, UNMEASURED)):
                _agreed(at, f"{player}, a machine: {events[0].words}", event, player, None)


def _lie_as_they_fell(at: House, before: Before, id: str) -> None:
    """The same deed asks for no die again that has fallen for it, on whichever phone it is done."""
    now = at.served.match.throws.waiting[id]
    for was in before.throws.values():
        same = was.by == now.by and was.request.model_dump(exclude={"key", "dice"}) == now.request.model_dump(
            exclude={"key", "dice"}
        )
        if same and len(now.given) <= len(was.given) and not was.typed.items() <= now.typed.items():
            raise Violation("dice that fell are thrown again", f"{now.by}: {was.typed} and {now.typed}")


def _typed_own(before: Before, message: Mapping[str, Any]) -> None:
    """A phone types its own player's dice; all of them, and takes it back, where it does the deed."""
    throw = before.throws[message["throw"]]
    if before.seat == throw.by:
        return
    said = message["dice"]
    whose = (
        [] if said is None else [w.by for w, one in zip(throw.wanted, said, strict=True) if one is not None]
    )
    if throw.machine:
        # It has no hands: what no person rolls on a phone of their own is for whoever plays.
        whose = [by for by in whose if by in before.seats and by != throw.by]
    if said is None or set(whose) - {before.seat}:
        raise Violation("somebody types the dice of another", f"{before.seat}: {whose}")


def _batch(
    at: House, message: Mapping[str, Any], before: Before, match: Match[Any], number: int,
    events: Sequence[Event],
) -> None:  # fmt: skip
    first, seat = events[0], before.seat
    who = f"{seat or 'a phone without a seat'}, {message['type']}: {first.words}"
    assert seat is not None, who
    told = [e for e in events if e.kind in (SAID, UNMEASURED)]
    if message["type"] == "agree":
        _agreed_to(at, who, before.proposals[message["proposal"]].by, events, told, seat)
        return
    if message["type"] == "rolled":
        # It is the deed of the page that asked for the dice; what that may do is held there.
        throw = before.throws[message["throw"]]
        if throw.who.role == "owner":
            return
        seat = throw.by
    own = first.kind in ("action", "conceded", "sealed") and "salts" not in first.data
    others = [player for _, player in first.data.get("choices", ()) if player != seat]
    if (own and first.data.get("player") != seat) or (first.kind == "withdraw" and others):
        raise Violation("somebody acts for another", who)
    if first.kind == "stays":
        raise Violation("somebody lets a piece stay alone", who)
    if first.kind == "undo":
        undone, *_ = batch = batches(match.log)[first.data["batch"]]
        if any(e.barrier or any(roll.source != "typed" for roll in rolls_of((e,))) for e in batch):
            raise Violation("somebody takes back what has come to light", who)
        # Whoever plays against machines alone takes back what these did since, too.
        persons = {p.name for p in at.served.match.draft.players if p.machine is None}
        if persons != {seat} and undone.data.get("player") != seat:
            raise Violation("somebody takes back what another did", who)
    modes = at.served.match.modes
    if told and "ask" not in (modes.moves, modes.questions):  # else whoever acts says it
        for event in told:
            _agreed(at, who, event, seat, None)
    elif first.kind == "action" and message["type"] == "act" and "salts" not in first.data:
        _rests_on_what_was_seen(at, who, before, match, number, events)


def _agreed_to(
    at: House, who: str, by: str, events: Sequence[Event], told: Sequence[Event], seat: str
) -> None:
    """What comes of a consent tells it."""
    stays = events[0] if events[0].kind == "stays" else None
    if stays is not None:
        owners = {at.served.match.owners.get(key_of(n)) for n in stays.pieces} - {None, by}
        agreed = set(stays.data.get("agreed", ()))
        if stays.data["by"] != by or seat not in agreed or owners - agreed:
            raise Violation("a piece stays without its owner", f"{who}; {agreed}")
    elif not told:
        raise Violation("what was agreed to is not told", who)
    for event in told:
        _agreed(at, who, event, by, seat)


def _agreed(at: House, who: str, event: Event, by: str, last: str | None) -> None:
    """Somebody else than who says it has agreed: all others whose pieces it names."""
    if event.kind == UNMEASURED:
        names = [n.strip() for n in str(event.data["by"]).split(" and ")]
        if set(names) <= {by}:
            raise Violation("a move is accepted by who made it", f"{who}; {event.words}")
        return
    agreed = set(event.data["agreed"])
    owners = at.served.match.owners
    named = {owners.get(key_of(n)) for f in event.data["facts"] for n in f["pieces"]} - {None, by}
    match = at.served.match.match
    assert match is not None
    out = {p.player for p in match.game.status(match.state, Viewer()).order if p.out}
    named -= out
    if not agreed - {by} or (named - agreed and not any("owner" in a for a in agreed)):
        words = f"{who}; {event.words}; it is about {sorted(map(str, named))}"
        raise Violation("a fact is said without those it is about", words)
    if last is not None and last not in agreed:
        raise Violation("who agreed is not told", f"{who}; {event.words}")


def _rests_on_what_was_seen(
    at: House, who: str, before: Before, match: Match[Any], number: int, events: Sequence[Event]
) -> None:
    """The same comes of a deed without what was typed of the table."""
    modes = at.served.match.modes
    if "ask" in (modes.moves, modes.questions) or before.seen.table is None:
        return
    game, state, first = match.game, match.before(number), events[0]
    kind, said = first.data["kind"], dict(first.data["data"])
    said |= {field: move["id"] for field, move in ranges_in(first).items()}
    options = [o for o in before.options if o.kind == kind and o.player in (None, before.seat)]
    asked = {n for o in options for n in (*o.data, *o.form.fields)}
    # Of a piece that is not on the table it is a choice where it goes, and no fact where it went.
    there = {key_of(standing.name) for standing in before.seen.table.standings}
    seen = any(one.kind == kind and key_of(one.piece) in there for one in game.awaits(state))
    told = {one.field for one in game.facts.get(kind, ()) if seen or not one.beside or one.beside in said}
    facts = told | {RULED, RULED_BY}
    # What was settled with *no* is answered so by itself.
    settled = {n for o in options for n in _only_no(o) if said.get(n) == NO}
    # What an offer says itself is chosen by taking it.
    whole = (o.data for o in options if all(said.get(n) == value for n, value in o.data.items()))
    chosen = {n for data in whole for n in data}
    typed = {n for n in said if n in facts or n not in asked} - settled - chosen
    if not typed:
        return
    plain = Action(kind, first.data["player"], {n: v for n, v in said.items() if n not in typed})
    try:
        against = game.check(state, plain, before.seen)
        again = () if against else game.act(state, plain, before.seen, LoggedDice(rolls_of(events)))
    except TableRefError as error:
        raise Violation("a typed fact is done alone", f"{who}: {said}; without it: {error}") from error
    if against:
        words = f"{who}: {said}; without it: {against[0].words}"
        raise Violation("a typed fact is done alone", words)
    one = [e.data for e in again]
    other = [e.data for e in events[1:]][: len(one)]
    if one != other:
        raise Violation("a typed fact changes what comes of it", f"{who}: {said}")


def _only_no(option: Option) -> Iterator[str]:
    """The fields of an offer to which *yes* may not be said, as *no* was settled."""
    for name, field in option.form.fields.items():
        if isinstance(field, Pick) and field.usual == NO:
            yes = next((c for c in field.candidates if c.value == YES), None)
            if yes is not None and any(reason.words.startswith("settled by") for reason in yes.not_now):
                yield name
