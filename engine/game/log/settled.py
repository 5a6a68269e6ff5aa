"""A *no* that people settled holds: the same question is not put to them again until a piece has moved.

They settle one by answering *no* to what is too close to call, so that nothing is done, or in a dispute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import TableRefError
from engine.game.contract import NOTHING_SEEN, Game, Option, Question, Seen
from engine.game.events import DECISION, PLAYERS, RULED, RULED_BY, Action, Event, Reason
from engine.game.forms import Pick
from engine.game.log.history import Batch
from engine.game.log.places import Place, in_place, place_of, standing_still
from engine.game.records import from_json, to_json
from engine.space.table import TableState, key_of
from engine.words import listed

SETTLED = "settled"
"""The field of a batch's first event that holds the question that was settled with *no*."""

YES, NO = "yes", "no"


@dataclass(frozen=True)
class Settled:
    """A question that was settled with *no*: by whom, and where the pieces that matter stood then.

    Of a piece that was not seen the place is None.
    """

    kind: str
    pieces: tuple[str, ...]
    data: Mapping[str, Any]
    by: str
    stood: Mapping[str, Place | None]

    def asks(self, question: Question | None) -> bool:
        """Whether that is the same question."""
        return question is not None and (self.kind, self.pieces, dict(self.data)) == (
            question.kind, question.pieces, dict(question.data),
        )  # fmt: skip

    @property
    def reason(self) -> Reason:
        """Why it is not done, and for how long."""
        until = listed(self.stood, "or")
        return Reason(f"settled by {self.by}: no; it holds until {until} has moved", PLAYERS)


def settled_no(
    game: Game[Any], state: Any, question: Question, table: TableState | None, by: str
) -> dict[str, Any]:
    """What an event keeps of a question that was settled with *no* on this table."""
    names = dict.fromkeys((*question.pieces, *_in_the_way(game, state, question, table)))
    stood = {
        name: None if (s := standing_still(name, table)) is None else to_json(place_of(s)) for name in names
    }
    kept = {"kind": question.kind, "pieces": list(question.pieces), "data": dict(question.data)}
    return {**kept, "by": by, "stood": stood}


def _in_the_way(game: Game[Any], state: Any, question: Question, table: TableState | None) -> Iterator[str]:
    """The pieces besides that the answer rests on."""
    if table is None or game.forbidden(state, question) is not None:
        return
    try:
        checks = game.rule(state, question, table).checks
    except TableRefError:
        return
    yield from (name for check in checks for name in check.witness.blockers)


def question_of(game: Game[Any], state: Any, action: Event) -> Question | None:
    """The question of the table that an action rests on: that of the option by which it was done."""
    said, player = action.data.get("data") or {}, action.data.get("player")
    kind = action.data.get("kind")
    if game.rests_on is not None:
        asked = game.rests_on(state, Action(str(kind), player, said))
        if asked is not None:
            return asked
    for option in game.options(state, NOTHING_SEEN):
        fits = option.kind == kind and player in (None, option.player)
        if fits and all(said.get(name) == value for name, value in option.data.items()):
            return option.question if option.question is not None and not option.question.missing else None
    return None


def with_settled(
    game: Game[Any], before: Any, after: Any, events: Sequence[Event], seen: Seen
) -> tuple[Event, ...]:
    """A batch with the question that it settles with *no*: by what was ruled the action came to nothing."""
    first, *rest = events
    said = first.data.get("data") if first.kind == "action" else None
    if not isinstance(said, Mapping) or not _says_no(said.get(RULED)) or before != after:
        return tuple(events)
    question = question_of(game, before, first)
    if question is None:
        return tuple(events)
    by = str(said.get(RULED_BY) or first.data.get("player") or "the players")
    kept = settled_no(game, before, question, seen.table, by)
    return (replace(first, data={**first.data, SETTLED: kept}), *rest)


def _says_no(ruled: Any) -> bool:
    return ruled == NO or (isinstance(ruled, Mapping) and NO in ruled.values())


def held(counted: Sequence[Batch[Any]], table: TableState | None) -> tuple[Settled, ...]:
    """The questions that stay settled with *no*, of the batches that count, as the table stands."""
    moved: set[str] = set()
    found: list[Settled] = []
    for batch in reversed(counted):
        kept = batch.events[0].data.get(SETTLED)
        if kept is not None and batch.events[0].kind in ("action", DECISION):
            one = from_json(Settled, kept)
            if not any(
                key_of(name) in moved or _elsewhere(name, at, table) for name, at in one.stood.items()
            ):
                found.append(one)
        for event in batch.events:
            if event.tone == "move" or event.kind == "stays":
                moved |= {key_of(name) for name in event.pieces}
    return tuple(found)


def _elsewhere(name: str, place: Place | None, table: TableState | None) -> bool:
    if place is None or table is None:
        return False
    standing = standing_still(name, table)
    return _taken_off(name, table) if standing is None else not in_place(place, standing)


def _taken_off(name: str, table: TableState) -> bool:
    """Whether a piece belongs to the table no more: neither seen, nor anywhere where nobody sees it."""
    unseen = (*(p.name for p in table.unplaced), *(h.name for h in table.hideouts), *table.twice)
    return key_of(name) not in map(key_of, (*(s.name for s in table.standings), *unseen))


def holding(options: Sequence[Option], settled: Sequence[Settled]) -> tuple[Option, ...]:
    """What may be done now, where what was settled with *no* is not offered to be answered again.

    Where a player could do nothing else the game waits for the answer: then the offer says so, and where it
    takes an answer, that is *no*.
    """
    if not settled:
        return tuple(options)
    by = {id(o): next((s for s in settled if s.asks(o.question)), None) for o in options}
    free = {o.player for o in options if by[id(o)] is None and not any(not r.open for r in o.not_now)}
    found = []
    for option in options:
        one = by[id(option)]
        if one is None:
            found.append(option)
        elif option.player in free or None in free:
            closed = [reason for reason in option.not_now if not reason.open]
            found.append(replace(option, not_now=(one.reason, *closed)))
        else:
            why = one.reason.words
            more = f"{option.more}. {why[:1].upper()}{why[1:]}" if option.more else why
            found.append(_answered_no(replace(option, more=more), one.reason))
    return tuple(found)


def _answered_no(option: Option, reason: Reason) -> Option:
    """An offer whose *yes* or *no* is *no*: it is what that leads to, and asks the table nothing."""
    fields, leads = dict(option.form.fields), ""
    for name, field in option.form.fields.items():
        if not isinstance(field, Pick) or not {YES, NO} <= {c.value for c in field.candidates}:
            continue
        leads = leads or next(c.leads for c in field.candidates if c.value == NO)
        shut = (replace(c, not_now=(*c.not_now, reason)) if c.value == YES else c for c in field.candidates)
        fields[name] = replace(field, candidates=tuple(shut), usual=NO)
    option = replace(option, form=replace(option.form, fields=fields))
    if not leads:
        return option
    words = leads[:1].upper() + leads[1:]
    return replace(option, words=words, more=reason.words, question=None, facts=(), reckoning=())


def only_no(option: Option, reason: Reason) -> tuple[str, ...]:
    """The fields of an offer that can only be answered with *no*, for this reason."""
    picks = ((name, field) for name, field in option.form.fields.items() if isinstance(field, Pick))
    return tuple(name for name, field in picks if any(reason in c.not_now for c in field.candidates))
