"""Typed forms: what an action or a set-up has to be told, as inputs that a page draws and a program can fill.

Every input has a `type` in its JSON, and a page has one renderer a type. `check_answers` says all that is
wrong with what was given; `engine.game.players` fills a form mechanically.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.game.events import JsonObject, Reason
from engine.game.records import is_number
from engine.words import is_one_line


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure that helps to choose: `words` large, `more` small beside it ("75 %", "3+ on a D8")."""

    words: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """A place on the record sheet of a piece: the widget or slot of the sheet that has this `key`.

    `number` is that of a counter, or the box of a track from 1 on; None means all of the widget.
    """

    piece: str
    key: str
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something to pick. `value` goes into the answer; `not_now` says why it may not be picked.

    `leads` says what picking it leads to ("Speed 4, moves in phases 2 and 5"). Candidates with the same
    `group` stand together under it. `at` is where it lies on the table, inches, and `on` where it is on a
    record sheet: there it may be tapped, too. `own` is one's own that would be harmed: it is never usual,
    and picking it does nothing yet.
    """

    value: Any
    words: str
    more: str = ""
    not_now: tuple[Reason, ...] = ()
    facts: tuple[Fact, ...] = ()
    at: tuple[float, float] | None = None
    leads: str = ""
    group: str = ""
    on: SheetPlace | None = None
    own: bool = False

    @property
    def open(self) -> bool:
        """Whether only the players' ruling stands between it and being picked."""
        return all(reason.open for reason in self.not_now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Input:
    """What all inputs have: a label, an explanation, the value that is meant when nothing is given.

    `optional` ones may be left out. `folded` ones are seldom needed and drawn behind a fold.
    """

    words: str
    more: str = ""
    usual: Any = None
    optional: bool = False
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick(_Input):
    """Pick from a list: one value, or with `most` over 1 a list of different values.

    `at_once`: picking as many as may be picked does what the option offers, where nothing else is still to be
    said.
    """

    candidates: tuple[Candidate, ...]
    least: int = 1
    most: int = 1
    at_once: bool = False
    type: Literal["pick"] = "pick"


@dataclass(frozen=True, slots=True, kw_only=True)
class PickPieces(_Input):
    """Pick pieces by name, in the list or on the drawn table: a list of names, in the order picked.

    `ordered`: the order counts, and pages number what was picked. `at_once` is as in `Pick`, with `most` 1.
    """

    candidates: tuple[Candidate, ...]
    least: int = 0
    most: int = 99
    ordered: bool = False
    at_once: bool = False
    type: Literal["pieces"] = "pieces"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(_Input):
    """A number from `low` to `high`; `unit` "in" is inches, "rad" an angle in radians.

    `leads` says of each whole number from `low` on what it leads to: pages show them all to be tapped. `on`
    says of each where it is on a record sheet, or None.
    """

    low: float
    high: float
    whole: bool = True
    unit: Literal["", "in", "rad"] = ""
    leads: tuple[str, ...] = ()
    on: tuple[SheetPlace | None, ...] = ()
    type: Literal["number"] = "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers(_Input):
    """A row of whole numbers from `low` to `high`, such as the groups of a track."""

    low: int
    high: int
    least: int = 1
    most: int = 20
    type: Literal["numbers"] = "numbers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Die(_Input):
    """Dice that somebody rolls on the table: `count` with these `faces`, numbers or icons; `by` rolls."""

    faces: tuple[str, ...]
    count: int = 1
    by: str | None = None
    type: Literal["die"] = "die"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(_Input):
    """Yes or no."""

    type: Literal["flag"] = "flag"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(_Input):
    """A short text, of at most `longest` characters."""

    longest: int = 80
    type: Literal["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoseOnTable(_Input):
    """Where a piece stands: as the camera has it when nothing is given, else x, y (inches), heading (rad)."""

    piece: str
    type: Literal["pose"] = "pose"


@dataclass(frozen=True, slots=True, kw_only=True)
class PathOnTable(_Input):
    """How a piece moved: the id of a move that the camera recognised.

    Never the measured path itself: what was seen stays on the server.
    """

    piece: str
    type: Literal["path"] = "path"


Input = Pick | PickPieces | Number | Numbers | Die | Flag | Text | PoseOnTable | PathOnTable
"""Every type of input."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A whole answer to a form that is often given: one tap gives it. `leads` says what it leads to."""

    words: str
    answers: JsonObject
    leads: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """Inputs by the name of the field that each fills; `note` stays in sight while they are filled.

    `ready` are whole answers that are often given.
    """

    fields: Mapping[str, Input] = field(default_factory=dict)
    note: str = ""
    ready: tuple[Ready, ...] = ()


@dataclass(frozen=True, slots=True)
class SetUpForm:
    """What a game has to know before it begins, asked again after every answer.

    `pieces` is the form of every piece that plays, by name; `game` is asked once; `not_yet` says why it
    cannot begin as answered so far.
    """

    pieces: Mapping[str, Form] = field(default_factory=dict)
    game: Form = field(default_factory=Form)
    not_yet: tuple[Reason, ...] = ()


def check_answers(form: Form, given: JsonObject, citation: str) -> tuple[Reason, ...]:
    """All that is wrong with the answers to a form; empty when they can be used.

    An input is called as people read it; only what was not asked has no other name than its field's.

    >>> form = Form({"speed_1": Number(words="Corner 1", low=-2, high=2)})
    >>> [reason.words for reason in check_answers(form, {"speed_1": 3, "x": 1}, "Book")]
    ['x: nobody asked for it; expected Corner 1', 'Corner 1: expected a whole number from −2 to 2 but got 3']
    """
    asked = _listed([_called(one) for one in form.fields.values()])
    wrong = [
        Reason(f"{name}: nobody asked for it; expected {asked}", citation)
        for name in given
        if name not in form.fields
    ]
    for name, one in form.fields.items():
        value = given.get(name)
        if value is None:
            if not one.optional and one.usual is None:
                wrong.append(Reason(f"{_called(one)}: nothing is chosen yet", citation))
            continue
        expected = _expected(one, value)
        if expected:
            wrong.append(Reason(f"{_called(one)}: expected {expected} but got {in_words(value)}", citation))
        elif isinstance(one, Pick | PickPieces):
            wrong += _not_now(one, value)
    return tuple(wrong)


def picked(one: Pick | PickPieces, value: Any) -> list[Any]:
    """The values that an answer picks, as a list."""
    single = isinstance(one, Pick) and one.most == 1
    return [value] if single else list(value)


def in_words(value: Any) -> str:
    """A value as people read it: no quotes, no brackets, nothing of a programming language.

    >>> in_words(True), in_words(-2), in_words(["Red 1", None]), in_words(1.5), in_words({})
    ('yes', '−2', 'Red 1, nothing', '1.5', 'something else')
    """
    if value is None or value in ("", [], ()):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if is_number(value):
        return f"{value:.6g}".replace("-", "−")
    if isinstance(value, list | tuple):
        return _listed(value)
    return value if isinstance(value, str) else "something else"


def _called(one: Input) -> str:
    """What an input is called before a colon."""
    return one.words.rstrip("?:. ")


def _not_now(one: Pick | PickPieces, value: Any) -> list[Reason]:
    chosen = picked(one, value)
    return [reason for c in one.candidates if c.value in chosen for reason in c.not_now]


def _expected(one: Input, value: Any) -> str:
    """What would be right instead of a value; empty when it is right."""
    right, expected = _judged(one, value)
    return "" if right else expected


def _judged(one: Input, value: Any) -> tuple[bool, str]:
    """Whether a value is right, and what is."""
    several = list(value) if isinstance(value, list | tuple) else []
    match one:
        case Pick(most=1):
            return value in [c.value for c in one.candidates], _offered(one)
        case Pick() | PickPieces():
            known = [c.value for c in one.candidates]
            right = isinstance(value, list | tuple) and all(v in known for v in several)
            right = right and len(set(map(str, several))) == len(several)
            right = right and one.least <= len(several) <= one.most
            most = min(one.most, len(known))
            expected = _offered(one, _from_to(one.least, most))
        case Number():
            right = is_number(value) and (isinstance(value, int) or not one.whole)
            right = right and one.low <= value <= one.high
            expected = f"a {'whole ' * one.whole}number from {in_words(one.low)} to {in_words(one.high)}"
            expected = in_words(one.low) if one.low == one.high else expected
        case Numbers():
            right = one.least <= len(several) <= one.most
            right = right and all(type(v) is int and one.low <= v <= one.high for v in several)
            many = f"{_from_to(one.least, one.most)} whole number{'s' * (one.most != 1)}"
            expected = f"{many} from {in_words(one.low)} to {in_words(one.high)}"
        case Die():
            right = len(several) == one.count and all(str(v) in one.faces for v in several)
            expected = f"{one.count} of the faces {_listed(one.faces)}"
        case Flag():
            right, expected = isinstance(value, bool), "yes or no"
        case Text():
            right = isinstance(value, str) and 0 < len(value.strip()) <= one.longest and is_one_line(value)
            expected = f"a line of at most {one.longest} letters that can be seen"
        case PoseOnTable():
            right = len(several) == 3 and all(map(is_number, several))
            expected = "x and y in inches and a heading in radians"
        case PathOnTable():
            right = isinstance(value, str) and value != ""
            expected = "the id of a move that the camera recognised"
    return right, expected


def _from_to(least: int, most: int) -> str:
    return f"{most}" if least >= most else f"{least} to {most}"


def _offered(one: Pick | PickPieces, many: str = "one") -> str:
    """The candidates in words: those that may be picked, where there are any."""
    known = [c.words for c in one.candidates if c.open] or [c.words for c in one.candidates]
    few = len(known) == 1 and many in ("one", "1")
    listed = ("; " if any("," in words for words in known) else ", ").join(known) or "nothing"
    return listed if few else f"{'one' if many == '1' else many} of {listed}"


def _listed(names: Any) -> str:
    return ", ".join(map(in_words, names)) or "nothing"
