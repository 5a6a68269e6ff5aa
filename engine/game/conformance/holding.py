"""What is held after every batch of a game."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from engine.game.conformance.playing import Playing, plain, players_of
from engine.game.contract import Seen
from engine.game.dice import SeededDice
from engine.game.events import RULED, RULED_BY, Action, Event, Illegal, event_from_json, event_to_json
from engine.game.filling import Stuck, filled
from engine.game.forms import Pick, PickPieces, check_answers, picked
from engine.game.match import Match
from engine.game.showing import Counter, Mark, Slots, Track, Viewer, Widget, Words

TAKEN = frozenset({"choices", "salts", RULED, RULED_BY})
"""Names of fields of an action that mean something to the core."""

_BRACES = re.compile(r"\{\w*\}")
"""A place for a word that was not put there."""

READ = frozenset(
    {"words", "more", "heading", "heading_more", "leads", "group", "text", "note", "summary", "what", "who"}
)
"""The fields of what is shown that people read."""

_ONE_OF_MANY = re.compile(
    r"(?:(?P<before>\S+) )?(?<![\d.,])1 (?:dice|spaces|points|turns|zones|hexes|cars|vehicles|warriors|"
    r"cards|tokens|counters|rounds|markers|boxes|players|pieces|reasons|inches|seats|phases)\b"
)
_NO_LANGUAGE = re.compile(r"\{\w*\}|\b(?:True|False|None)\b|\b[a-z]\w*_\w+|\d\.\d{3,}|\(\)|[\[{][\'\"]")


LUCK = "a game rests on its state, the action, the table and the dice, and on no luck or clock of its own"
"""What is said where the same actions with the same dice lead elsewhere."""


def texts(shown: Any) -> Iterator[str]:
    """Everything of what is shown, as JSON, that people read."""
    if isinstance(shown, Mapping):
        for name, value in shown.items():
            said = value if isinstance(value, list) else [value]
            if name in READ:
                yield from (one for one in said if isinstance(one, str))
            if name != "data":
                yield from texts(value)
    elif isinstance(shown, list):
        for one in shown:
            yield from texts(one)


@cache
def not_said(words: str) -> str:
    """What nobody would say, of words that people read; empty where there is nothing.

    >>> not_said("11+ on a D20, 1 dice"), not_said("wreck: True"), not_said("speed_1: 3")
    ('1 dice', 'True', 'speed_1')
    >>> not_said("Ann 1 turns left"), not_said("4 by 1 points"), not_said("2.1 spaces")
    ('', '', '')
    """
    for found in _ONE_OF_MANY.finditer(words):
        before = found["before"] or ""
        # A piece may be called Ann 1, and areas are 4 by 1 points.
        if before != "by" and not (before[:1].isupper() and before.isalnum()):
            return found[0].removeprefix(f"{before} ")
    odd = _NO_LANGUAGE.search(words)
    return "" if odd is None else odd[0]


@cache
def _named_values(kind: type) -> Mapping[str, tuple[Any, ...]]:
    """The fields of a dataclass that hold one of a few values, with those."""
    hints = get_type_hints(kind)
    return {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}


def not_known(shown: Any) -> Iterator[str]:
    """What no page can draw: a field with another value than those that its type names.

    >>> next(not_known((Mark("disc", "reach", ()), Mark("dsic", "reach", ()))))
    "shape of Mark: expected one of polygon, line, disc, label but got 'dsic'"
    """
    if isinstance(shown, tuple | list):
        for one in shown:
            yield from not_known(one)
        return
    kind: type = type(shown)
    if is_dataclass(shown) and kind.__module__ == Mark.__module__:
        for name, known in _named_values(kind).items():
            if (value := getattr(shown, name)) not in known:
                said = ", ".join(known)
                yield f"{name} of {kind.__name__}: expected one of {said} but got {value!r}"
        for one in fields(shown):
            yield from not_known(getattr(shown, one.name))


class Holding(Playing):
    """Options, forms, events, citations, the log told again, decisions and undo."""

    def hold(self, match: Match[Any], chance: random.Random) -> None:
        """Options and their forms are lawful exactly when the check has no reason; all of it is JSON."""
        there = players_of(match)
        assert there, "the order of play in the status names nobody"
        status = self.game.status(match.state, Viewer())
        for what, name in (("player", status.player), ("winner", status.winner)):
            assert name is None or name in there, (
                f"the {what} of the status is {name!r}; expected one of {', '.join(there)}, as its order has"
            )
        for viewer in self.viewers(match):
            self.hold_words(plain(self.shown(match, viewer)))
            self.hold_known(self.game.marks(match.state, None, viewer), self.game.ghosts(match.state, Seen()))
        self.hold_known(self.game.cards(match.state))
        for option in match.options():
            for reason in option.not_now:
                self.hold_citation(reason.citation)
            if option.citation:
                self.hold_citation(option.citation)
            self.hold_spots(match, option)
            self.hold_option(match, option, chance)

    def hold_words(self, shown: Any) -> None:
        """What people read is language: no 1 dice, no True, no names of fields, no long fractions."""
        for words in texts(shown):
            found = not_said(words)
            assert not found, f"{found!r} is nothing to read: {words!r}"

    def hold_known(self, *shown: Any) -> None:
        """What is shown is of a sort that pages draw."""
        for wrong in not_known(shown):
            raise AssertionError(wrong)

    def hold_spots(self, match: Match[Any], option: Any) -> None:
        """A place on a record sheet that may be tapped stands on the sheet that whoever taps it sees."""
        picks = [c.on for f in option.form.fields.values() for c in getattr(f, "candidates", ())]
        numbers = [on for f in option.form.fields.values() for on in getattr(f, "on", ())]
        spots = [spot for spot in (option.on, *picks, *numbers) if spot is not None]
        assert option.on is None or not option.form.fields, f"{option.words}: a tap cannot fill its form"
        if not spots:
            return
        sheets = self.game.sheets(match.state, Viewer(option.player))
        there = {(s.piece, key, n) for s in sheets for w in s.widgets for key, n in _places(w)}
        for spot in spots:
            assert (spot.piece, spot.key, spot.number) in there, f"{option.words}: {spot} is on no sheet"

    def hold_option(self, match: Match[Any], option: Any, chance: random.Random) -> None:
        """An option as its form is filled: told reasons are the check's, and none means that it is done.

        An answer that is ready is lawful where the option is.
        """
        self.hold_labels(option)
        self.hold_own(option)
        for ready in option.form.ready:
            assert check_answers(option.form, ready.answers, "") == (), f"{option.words}: {ready.words}"
            given = Action(option.kind, option.player, {**option.data, **ready.answers})
            refused = [reason.words for reason in self.game.check(match.state, given, Seen())]
            assert option.not_now or not refused, f"{option.words}, {ready.words}: {refused}"
        try:
            action = filled(option, chance)
        except Stuck:
            return
        said = {n: v for n, v in action.data.items() if n not in option.data}
        assert check_answers(option.form, said, "") == (), f"{option.words}: its form refuses {said}"
        reasons = self.game.check(match.state, action, Seen())
        assert bool(reasons) or not [r for r in option.not_now if not r.open], f"{option.words} is lawful"
        for reason in reasons:
            self.hold_citation(reason.citation)
        if option.sealed is not None:
            return
        try:
            self.game.act(match.state, action, Seen(), SeededDice(1))
        except Illegal as illegal:
            assert reasons, f"{option.words} is lawful but refused: {illegal}"
        else:
            assert not reasons, f"{option.words} is done although: {reasons[0].words}"

    def hold_labels(self, option: Any) -> None:
        """Its button, its inputs and what may be picked have words; no field has a name that is taken."""
        assert option.words.strip(), f"an option of kind {option.kind!r} has no words on its button"
        for name, one in option.form.fields.items():
            assert one.words.strip(), f"{option.words}: its input {name!r} has no words"
            bare = [c.value for c in getattr(one, "candidates", ()) if not c.words.strip()]
            assert not bare, f"{option.words}: of {one.words!r} a candidate has no words: {bare}"
        for name in (*option.data, *option.form.fields):
            assert name not in TAKEN, f"{option.words}: {name!r} is the core's, call the field otherwise"
        both = option.data.keys() & option.form.fields.keys()
        assert not both, f"{option.words}: its data say already what its form asks for: {', '.join(both)}"

    def hold_own(self, option: Any) -> None:
        """Nobody's own is what an option harms unless they pick it."""
        for name, one in option.form.fields.items():
            if not isinstance(one, Pick | PickPieces):
                continue
            given = (one.usual, *(ready.answers.get(name) for ready in option.form.ready))
            meant = [value for said in given if said is not None for value in picked(one, said)]
            own = [c.words for c in one.candidates if c.own and c.value in meant]
            assert not own, f"{option.words}: {own} is taken for meant"

    def hold_events(self, events: tuple[Event, ...]) -> None:
        """Events are JSON, say something, and cite the book."""
        for event in events:
            kept = event_from_json(plain(event_to_json(event)))
            wrong = [n for n, value in event.data.items() if kept.data[n] != value]
            assert not wrong, (
                f"{event.kind}: {wrong[0]!r} of its data comes out of JSON as {kept.data[wrong[0]]!r}; "
                f"expected plain values, but got {event.data[wrong[0]]!r}"
            )
            assert kept == event
            assert event.words, f"{event.kind} says nothing"
            assert event.citation, f"{event.kind}, {event.words!r}: it cites no rule"
            if found := _BRACES.search(event.words):
                raise AssertionError(f"{found[0]} is nothing to read: {event.words!r}")
            self.hold_citation(event.citation)

    def hold_citation(self, citation: str) -> None:
        """A citation is of a section of the book, or of a house default."""
        book = self.game.about.book
        if citation.startswith("house default") or citation == book:
            return
        head, dot, section = citation.partition(f"{book} · ")
        assert dot, f"{citation!r} cites neither {book!r} nor a house default"
        assert not head, citation
        known = self.game.about.sections
        assert any(section == s or section.startswith(f"{s} · ") for s in known), f"no section {section!r}"

    def hold_kept(self, match: Match[Any]) -> None:
        """The state through JSON is the same state."""
        kept = self.game.from_json(self.json(match))
        if not is_dataclass(kept):
            assert kept == match.state
            return
        for name in (field.name for field in fields(kept)):
            was, now = getattr(match.state, name), getattr(kept, name)
            assert was == now, (
                f"{name!r} of the state comes out of JSON as {now!r}; expected {was!r}: what an event sets "
                "is of the type that its field says, a tuple and no list"
            )

    def hold_told_again(self, match: Match[Any]) -> None:
        """The log through JSON gives the same match, and so do its actions with the same dice."""
        lines = [plain(event_to_json(event)) for event in match.log]
        events = [event_from_json(line) for line in lines]
        # An event that its fold writes to would be kept with what the fold has written.
        sealed = [replace(event, data=MappingProxyType(event.data)) for event in events]
        replayed = Match.replay(self.game, sealed, match.secrets)
        assert (replayed.state, replayed.log) == (match.state, match.log), "the log replays to another end"
        try:
            again = Match.again(self.game, match.log)
        except Illegal as illegal:
            raise AssertionError(f"the same actions are refused ({illegal}): {LUCK}") from illegal
        assert (again.state, again.log) == (match.state, match.log), f"the same actions end otherwise: {LUCK}"

    def hold_decided(self, match: Match[Any], chance: random.Random) -> None:
        """A decision takes a batch and all after it back, is told again like any other, and can be undone."""
        match = Match.replay(self.game, match.log, match.secrets)
        counted, state = match.counted, match.state
        if len(counted) < 2:
            return
        place = chance.randrange(1, len(counted))
        match.decide("It is taken back", counted[place].number)
        assert match.state == counted[place - 1].state, "a decision leads elsewhere than back"
        self.hold_told_again(match)
        match.undo()
        assert (match.state, len(match.counted)) == (state, len(counted)), (
            "undoing a decision leads elsewhere"
        )

    def hold_undo(self, match: Match[Any]) -> None:
        """Back to the beginning and forward again, the same states are passed."""
        passed = []
        while match.undoable is not None:
            passed.append(match.state)
            match.undo()
            assert self.over(match) is False
        for state in reversed(passed):
            match.redo()
            assert match.state == state, "redo leads elsewhere than undo came from"
        assert match.redoable is None


def _places(widget: Widget) -> Iterator[tuple[str, int | None]]:
    """The places of a widget that may be tapped: by key, and the number of those that have several."""
    match widget:
        case Slots():
            yield from ((slot.key, None) for slot in widget.slots)
        case Track():
            yield from ((widget.key, n) for n in (None, *range(1, len(widget.boxes) + 1)))
        case Counter():
            yield from ((widget.key, n) for n in range(widget.low, widget.high + 1))
        case Words():
            yield (widget.key, None)
