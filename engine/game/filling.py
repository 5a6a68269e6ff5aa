"""Fills the forms of any game: the usual answers, every answer, answers at random, what somebody means."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from engine.errors import TableRefError
from engine.game.contract import Option
from engine.game.events import Action
from engine.game.forms import (
    Die,
    Flag,
    Form,
    Input,
    Number,
    Numbers,
    PathOnTable,
    Pick,
    PickPieces,
    PoseOnTable,
    Text,
)
from engine.space.table import key_of

T = TypeVar("T")

LISTED = 500
"""How many ways to fill one form are listed at the most."""

_NUMBERS = 12
"""Up to so many numbers of a range are all listed."""


class Chance(Protocol):
    """What chooses at random: a `random.Random` with its seed."""

    def random(self) -> float:
        """From 0 to below 1."""

    def randint(self, a: int, b: int) -> int:
        """From a to b, both included."""

    def choice(self, seq: Sequence[T]) -> T:
        """One of them."""

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """So many different ones."""


class Stuck(TableRefError):
    """A form that cannot be filled without a camera, or with nothing to pick."""


def complete(form: Form, chance: Chance | None = None) -> dict[str, Any]:
    """Answers to a form that it accepts: at random, or without chance the usual ones.

    >>> complete(Form({"speed": Number(words="Speed", low=1, high=6), "loud": Flag(words="Loud")}))
    {'speed': 1, 'loud': False}
    """
    answers = {}
    for name, one in form.fields.items():
        value = _usual(one) if chance is None else _random(one, chance)
        if value is not None:
            answers[name] = value
        elif not one.optional and one.usual is None:
            raise Stuck(f"{name}: nothing can be given for {one.words!r}")
    return answers


def every_answer(form: Form) -> Iterator[dict[str, Any]]:
    """All ways to fill a form as far as they can be listed; of long ranges the usual or the lowest alone."""
    listed = [
        [(name, value) for value in _listed(one)] or [(name, None)] for name, one in form.fields.items()
    ]
    for answers in itertools.islice(itertools.product(*listed), LISTED):
        yield {name: value for name, value in answers if value is not None}


def filled(option: Option, chance: Chance | None = None) -> Action:
    """An option as an action, its form filled."""
    return Action(option.kind, option.player, {**option.data, **complete(option.form, chance)})


def called(options: Sequence[Option], kind: str, player: str | None, said: Mapping[str, Any]) -> Action:
    """The action that somebody means: names in any spelling, what only one option can mean left out."""
    known = ", ".join(dict.fromkeys(o.kind for o in options)) or "nothing"
    same = [o for o in options if key_of(kind) in (key_of(o.kind), key_of(o.words))]
    if not same:
        raise TableRefError(f"{kind!r} is not to be done now; expected one of {known}")
    mine = [o for o in same if player is None or o.player is None or key_of(o.player) == key_of(player)]
    found = {}
    for option in mine:
        answers = {_field(option, name): value for name, value in said.items()}
        data = {name: _meant(option, name, value) for name, value in answers.items()}
        if all(data.get(name, value) == value for name, value in option.data.items()):
            who = option.player or player
            found[repr((who, option.data))] = Action(option.kind, who, {**option.data, **data})
    if len(found) != 1:
        which = "; ".join(f"{o.player or 'anybody'}: {o.words} {dict(o.data) or ''}".strip() for o in same)
        raise TableRefError(f"{kind!r} may mean {'none' if not found else 'several'} of: {which}")
    return next(iter(found.values()))


def _field(option: Option, name: str) -> str:
    return next((n for n in (*option.data, *option.form.fields) if key_of(n) == key_of(name)), name)


def _meant(option: Option, name: str, value: Any) -> Any:
    """A value as the option spells it."""
    if isinstance(value, list | tuple):
        return [_meant(option, name, item) for item in value]
    one = option.form.fields.get(name)
    known = [c.value for c in one.candidates] if isinstance(one, Pick | PickPieces) else []
    known += [option.data[name]] if name in option.data else []
    spelled = [
        k for k in known if isinstance(k, str) and isinstance(value, str) and key_of(k) == key_of(value)
    ]
    return spelled[0] if spelled else value


def _usual(one: Input) -> Any:
    """The usual answer, else the first that is right; None for one that may be left out."""
    if one.usual is not None or one.optional:
        return None if one.optional else one.usual
    return next(iter(_listed(one)), None)


def _listed(one: Input) -> list[Any]:
    """The answers that can be listed, the plainest first; None among them where it may be left out."""
    blank: list[Any] = [None] if one.optional or one.usual is not None else []
    found: list[Any] = []
    match one:
        case Pick(most=1):
            return blank + _free(one)
        case Pick() | PickPieces():
            free = _free(one)
            sizes = range(one.least, min(one.most, len(free), one.least + 2) + 1)
            return blank + [list(pick) for size in sizes for pick in itertools.combinations(free, size)]
        case Flag():
            return [*blank, False, True]
        case Number(whole=True):
            found = list(range(math.ceil(one.low), math.floor(one.high) + 1))[:_NUMBERS]
        case Number():
            found = [one.low]
        case Numbers():
            found = [[one.low] * one.least]
        case Text():
            found = ["a text"[: one.longest]]
        case Die():
            found = [[_as_typed(one.faces[0])] * one.count]
    return blank or found


def _free(one: Pick | PickPieces) -> list[Any]:
    """What may be picked now."""
    return [candidate.value for candidate in one.candidates if not candidate.not_now]


def _random(one: Input, chance: Chance) -> Any:
    """A random right answer; None where it is left out or cannot be given."""
    may_be_left_out = one.optional or one.usual is not None
    if isinstance(one, PathOnTable) or (may_be_left_out and chance.random() < (0.9 if one.folded else 0.5)):
        return None
    if isinstance(one, Pick | PickPieces):
        return _random_pick(one, chance)
    return _random_value(one, chance)


def _random_pick(one: Pick | PickPieces, chance: Chance) -> Any:
    free = _free(one)
    if isinstance(one, Pick) and one.most == 1:
        return chance.choice(free) if free else None
    most = min(one.most, len(free))
    if most < one.least:
        return None
    return chance.sample(free, chance.randint(one.least, min(most, one.least + 2)))


def _random_value(one: Input, chance: Chance) -> Any:
    value: Any = None
    match one:
        case Number(whole=True):
            value = chance.randint(math.ceil(one.low), math.floor(one.high))
        case Number():
            value = one.low + (one.high - one.low) * chance.random()
        case Numbers():
            count = chance.randint(one.least, min(one.most, one.least + 4))
            value = [chance.randint(one.low, one.high) for _ in range(count)]
        case Die():
            value = [_as_typed(chance.choice(one.faces)) for _ in range(one.count)]
        case Flag():
            value = chance.random() < 0.5
        case Text():
            value = f"text {chance.randint(1, 9)}"[: one.longest]
        case PoseOnTable():
            value = [48.0 * chance.random(), 48.0 * chance.random(), math.tau * chance.random()]
    return value


def _as_typed(face: str) -> int | str:
    return int(face) if face.isdigit() else face
