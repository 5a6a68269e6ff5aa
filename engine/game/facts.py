"""What an action rests on that was not seen: facts said over the table, or where it leaves them open.

A game declares which fields of an action are facts (`Game.facts`) and what the table says of them
(`Game.table_says`); its open reasons are the questions. Everything else follows here, for every game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.errors import TableRefError
from engine.game import events
from engine.game.contract import Game, Option, Seen, State
from engine.game.events import Action, FactField, JsonObject, Reason, SaidFact
from engine.space.table import key_of
from engine.words import listed

ANSWERS = ("yes", "no")


WITHOUT = "without measuring"
"""The name of the fact that a whole move was made as it is said."""


def said_facts(game: Game[State], state: State, action: Action, seen: Seen) -> tuple[SaidFact, ...]:
    """The facts of an action that are said and not seen, and what the players let pass.

    Without a table nothing is told of fields that are typed: there everything is said.
    """
    action, ruled = settled(game, state, action, seen)
    accepted = action.unmeasured
    if accepted is not None and game.measured(state, action, seen) is not False:
        accepted = None
    found = list(_typed(game, state, action, seen))
    if accepted is not None:
        # Of a move that was not seen nothing is close.
        found = [replace(one, measured=events.NOT_MEASURED) if one.how == "open" else one for one in found]
    found += [_answered(*one) for one in ruled]
    found += _overruled(game, state, action, seen, [reason for reason, _ in ruled])
    if accepted is not None:
        found.append(SaidFact(WITHOUT, accepted.why, "said"))
    if not found:
        return ()
    return tuple(about(game, state, action, seen, fact) for fact in dict.fromkeys(found))


def about(game: Game[State], state: State, action: Action, seen: Seen, fact: SaidFact) -> SaidFact:
    """A fact with the pieces that its action is about, besides those that it names itself."""
    return replace(fact, pieces=tuple(dict.fromkeys((*_about(game, state, action, seen), *fact.pieces))))


def settled(
    game: Game[State], state: State, action: Action, seen: Seen
) -> tuple[Action, list[tuple[Reason, str]]]:
    """The action with its ruling spelled out, an answer for each open reason that it settles; and these.

    One answer for all lets pass what is against an action. Where something is, it answers no question: each
    of them is asked alone. One answer may open the next question.
    """
    said = action.data.get(events.RULED)
    if said is None:
        return action, []
    let: dict[str, Any] = {}
    found: list[tuple[Reason, str]] = []
    passing = False
    while True:
        plain = {
            name: value for name, value in action.data.items() if name not in (events.RULED, events.RULED_BY)
        }
        asked = replace(action, data=plain | ({events.RULED: dict(let)} if let else {}))
        reasons = [reason for reason in _against(game, state, asked, seen) if reason.open]
        passing = passing or any(not reason.question for reason in reasons)
        new = {
            reason.question or reason.words: (reason, answer)
            for reason in reasons
            if (answer := _answer(said, reason, passing=passing)) is not None
        }
        new = {name: one for name, one in new.items() if name not in let}
        if not new:
            break
        let |= {name: answer for name, (_, answer) in new.items()}
        found += new.values()
    if isinstance(said, Mapping):
        # What nobody asks for overrules the table.
        let |= {name: value for name, value in said.items() if name != events.PASS and name not in let}
    elif not let:
        # Nothing is open: there is nothing to rule on.
        return replace(action, data={n: v for n, v in action.data.items() if n != events.RULED}), []
    if not isinstance(said, Mapping) or events.PASS in said:
        passed = {reason.words for reason, _ in found if not reason.question}
        let = {name: answer for name, answer in let.items() if name not in passed}
        let |= {events.PASS: "yes"} if passed else {}
    return replace(action, data={**action.data, events.RULED: let}), found


def as_asked_now(game: Game[State], state: State, action: Action, seen: Seen) -> Action:
    """The action, from a record, with its answers under the names of the questions as they are asked now.

    A record is a little coarser than what was seen: their figures may have another last digit.
    """
    said = action.data.get(events.RULED)
    if not isinstance(said, Mapping):
        return action
    said = dict(said)
    # One answer may open the next question.
    for _ in range(len(said)):
        asked = replace(action, data={**action.data, events.RULED: dict(said)})
        plain = replace(
            asked, data={n: v for n, v in asked.data.items() if n not in (events.RULED, events.RULED_BY)}
        )
        open_now = (*_against(game, state, asked, seen), *_against(game, state, plain, seen))
        before = set(said)
        _as_asked_now(said, [reason.question or reason.words for reason in open_now if reason.open])
        if before == set(said):
            break
    return replace(action, data={**action.data, events.RULED: said})


_FIGURE = re.compile(r"\d+\.\d+")
_FIGURES_WITHIN = 0.05
"""Measured figures in a question, and by how much those of a record may differ."""


def _as_asked_now(said: dict[str, Any], asked: Sequence[str]) -> None:
    """Give answers to what nobody asks any more the name of the one question that is asked like it."""
    for name in asked:
        before = () if name in said else [one for one in said if one not in asked and asked_alike(one, name)]
        if len(before) == 1:
            said[name] = said.pop(before[0])


def asked_alike(one: str, other: str) -> bool:
    """Whether two questions differ in nothing but figures, and in these by little.

    >>> asked_alike("7.92 in of 5 in, 2.92 in too far", "7.93 in of 5 in, 2.93 in too far")
    True
    >>> asked_alike("Red 1: 7.92 in", "Red 2: 7.92 in"), asked_alike("7.92 in", "8.10 in")
    (False, False)
    """
    if _FIGURE.sub("", one) != _FIGURE.sub("", other):
        return False
    pairs = zip(_FIGURE.findall(one), _FIGURE.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= _FIGURES_WITHIN for a, b in pairs)


def as_seen(game: Game[State], state: State, action: Action, seen: Seen) -> Action:
    """The action without what was typed, where the table surely says all of that: it is seen, not said."""
    typed = {one.field for one in game.facts.get(action.kind, ()) if _says(one, action.data)}
    if not typed or seen.table is None or next(_typed(game, state, action, seen), None) is not None:
        return action
    plain = replace(action, data={n: v for n, v in action.data.items() if n not in typed})
    surely = game.measured(state, plain, seen) is True and not _against(game, state, plain, seen)
    return plain if surely else action


def of_its_move(game: Game[State], state: State, action: Action, seen: Seen) -> Action:
    """The action without what is asked only of a move that was seen, where it names none.

    A form asks where a piece came to rest that was seen to move; of a move that is typed, or accepted without
    measuring, that says nothing, and a record in which it stands could not be ruled again.
    """
    loose = {
        one.field
        for one in game.facts.get(action.kind, ())
        if one.beside and action.data.get(one.beside) is None and action.data.get(one.field) is not None
    }
    if not loose or not seen.moves:
        return action
    option = _option_of(game, state, action, replace(seen, moves={}))
    if option is None:
        return action
    left_out = loose - option.form.fields.keys()
    return replace(action, data={n: v for n, v in action.data.items() if n not in left_out})


def _against(game: Game[State], state: State, action: Action, seen: Seen) -> tuple[Reason, ...]:
    """What is against an action; nothing where a game stumbles over it, which is told when it is done."""
    try:
        return tuple(game.check(state, action, seen))
    except Exception:
        return ()


def _answer(said: Any, reason: Reason, *, passing: bool) -> str | None:
    """What a ruling answers to an open reason; None where it says nothing of it."""
    if isinstance(said, Mapping):
        name = reason.question or reason.words
        said = said.get(name, said.get(reason.words, None if reason.question else said.get(events.PASS)))
    elif reason.question and passing:
        return None
    if said not in ANSWERS:
        return None
    return str(said) if reason.question or said == "yes" else None


def _answered(reason: Reason, answer: str) -> SaidFact:
    if not (reason.question or reason.fact or reason.close):
        if not reason.says:
            return SaidFact(reason.words, answer, "waived", pieces=reason.pieces)
        return SaidFact(reason.says, answer, "said", reason.words, reason.pieces)
    pieces = (reason.question, *reason.pieces) if reason.question else reason.pieces
    # That it is too close to call is told of every open fact, in the same words.
    name = reason.says or re.split("[:,] too close to call", reason.words)[0]
    return SaidFact(name, answer, "open", pieces=pieces)


def _overruled(
    game: Game[State], state: State, action: Action, seen: Seen, asked: list[Reason]
) -> list[SaidFact]:
    """Answers to what nobody asked: the table has answered it, and the players say otherwise."""
    said = action.data.get(events.RULED)
    if not isinstance(said, Mapping):
        return []
    known = {events.PASS} | {name for reason in asked for name in (reason.question, reason.words)}
    rest = {name: value for name, value in said.items() if name not in known}
    if not rest:
        return []
    plain = replace(
        action, data={n: v for n, v in action.data.items() if n not in (events.RULED, events.RULED_BY)}
    )
    against = {r.question: r for r in _against(game, state, plain, seen) if r.question}
    return [
        SaidFact(
            name, str(value), "said", against[name].words if name in against else "answered otherwise",
            (name, *(against[name].pieces if name in against else ())),
        )
        for name, value in rest.items()
    ]  # fmt: skip


def _typed(game: Game[State], state: State, action: Action, seen: Seen) -> Iterator[SaidFact]:
    """The fields that say otherwise than the table, or what it does not know."""
    fields = game.facts.get(action.kind, ())
    said = [one for one in fields if _says(one, action.data)]
    if not said or seen.table is None:
        return
    names = {one.field for one in fields}
    kept = {
        n: v for n, v in action.data.items() if n not in names and n not in (events.RULED, events.RULED_BY)
    }
    try:
        table = game.table_says(state, replace(action, data=kept, unmeasured=None), seen)
    except TableRefError:
        table = {}
    option = _option_of(game, state, action, seen)
    for one in said:
        value, known = action.data[one.field], one.field in table
        was = table.get(one.field)
        if known and same(value, was):
            continue
        measured = _called(option, one, was) if known else ""
        yield SaidFact(
            one.words, _called(option, one, value), "said" if known else "open", measured,
            tuple(dict.fromkeys((*names_in(value), *names_in(was)))),
        )  # fmt: skip


def _says(one: FactField, data: JsonObject) -> bool:
    value = data.get(one.field)
    if one.beside and data.get(one.beside) is None:
        return False
    return value is not None and (one.denies or not _empty(value))


def _about(game: Game[State], state: State, action: Action, seen: Seen) -> tuple[str, ...]:
    """The pieces that an action is about: those that it names, and that of the option that it means."""
    found = [name for value in action.data.values() for name in names_in(value)]
    option = _option_of(game, state, action, seen)
    return tuple(dict.fromkeys([*found, option.piece] if option and option.piece is not None else found))


def _option_of(game: Game[State], state: State, action: Action, seen: Seen) -> Option | None:
    """The option that an action means; None where none is offered for it."""
    for option in game.options(state, seen):
        mine = option.player is None or action.player in (None, option.player)
        same_data = all(
            name in action.data and same(action.data[name], value)
            for name, value in option.data.items()
            if name not in {one.field for one in game.facts.get(action.kind, ())}
        )
        if option.kind == action.kind and mine and same_data:
            return option
    return None


def _called(option: Option | None, one: FactField, value: Any) -> str:
    """A value of a field for people: as the form calls it where it offers it, else as its game does."""
    candidates = getattr(option.form.fields.get(one.field), "candidates", ()) if option is not None else ()
    # Of 1 and True only one is meant.
    called = (c.words for c in candidates if type(c.value) is type(value) and c.value == value)
    if words := next(called, ""):
        return words
    try:
        return words_of(value) if one.called is None else one.called(value)
    except (TypeError, ValueError):
        # A phone may send what is no such value at all.
        return words_of(value)


def names_in(value: Any) -> tuple[str, ...]:
    """The names in a value: a text, or a list of texts or of objects with `other`."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple):
        return ()
    names = [one.get("other") if isinstance(one, Mapping) else one for one in value]
    return tuple(name for name in names if isinstance(name, str))


def _empty(value: Any) -> bool:
    return value is False or value in ([], (), "", "none", None)


def same(one: Any, other: Any) -> bool:
    """Whether two values say the same: what is empty says that there is none, the order of names is none.

    >>> same(["Blue 1"], [{"other": "Blue 1", "kind": None}]), same([], None), same([], ["Blue 1"])
    (True, True, False)
    """
    if _empty(one) or _empty(other):
        return _empty(one) and _empty(other)
    if names_in(one) and names_in(other):
        return {key_of(name) for name in names_in(one)} == {key_of(name) for name in names_in(other)}
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) < 1e-9
    listed = isinstance(one, list | tuple) and isinstance(other, list | tuple)
    return list(one) == list(other) if listed else bool(one == other)


def words_of(value: Any) -> str:
    """A value of a fact for people: inches to the hundredth, as they are told everywhere.

    >>> words_of(["Blue 1", "Mug"]), words_of(False), words_of([]), words_of(3), words_of(0.9927)
    ('Blue 1 and Mug', 'no', 'none', '3', '0.99')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if _empty(value):
        return "none"
    if isinstance(value, int | float):
        return _number(value)
    if names_in(value):
        return listed(names_in(value))
    if isinstance(value, list | tuple) and all(isinstance(v, int | float) for v in value):
        return ", ".join(map(_number, value))
    return "as typed"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.2f}"
