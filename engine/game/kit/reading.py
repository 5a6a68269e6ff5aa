"""What an action or a set-up says, field by field: the right type, or a clear error."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from engine.errors import TableRefError
from engine.game.events import PASS, RULED, RULED_BY, Action
from engine.space.table import key_of

Value = TypeVar("Value")

PoseJson = tuple[float, float, float]
"""x and y in inches, heading in radians."""


def text(data: Mapping[str, Any], field: str) -> str:
    """A text that must be there."""
    value = data.get(field)
    if not isinstance(value, str) or not value.strip():
        raise TableRefError(f"{field}: expected a text but got {value!r}")
    return value.strip()


def maybe_text(data: Mapping[str, Any], field: str) -> str | None:
    """A text that may be missing."""
    return None if data.get(field) is None else text(data, field)


def one_of(
    data: Mapping[str, Any], field: str, known: Sequence[str], usual: str | None = None, called: str = ""
) -> str:
    """One of the known words; `usual` when it is missing. `called` is what people read for the field."""
    value = data.get(field, usual)
    if value not in known:
        got = "nothing" if value is None else repr(value)
        listed = " or ".join(map(repr, known))
        raise TableRefError(f"{called or field}: expected {listed} but got {got}")
    return str(value)


def flag(data: Mapping[str, Any], field: str, usual: bool = False) -> bool:
    """True or false; `usual` when it is missing."""
    value = data.get(field, usual)
    if not isinstance(value, bool):
        raise TableRefError(f"{field}: expected true or false but got {value!r}")
    return value


def whole(data: Mapping[str, Any], field: str) -> int:
    """A whole number that must be there."""
    value = data.get(field)
    if isinstance(value, bool) or not isinstance(value, int):
        raise TableRefError(f"{field}: expected a whole number but got {value!r}")
    return value


def number(data: Mapping[str, Any], field: str, usual: float = 0.0) -> float:
    """A finite number; `usual` when it is missing."""
    value = data.get(field, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TableRefError(f"{field}: expected a number but got {value!r}")
    return float(value)


def names(data: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """A list of different names; empty when it is missing."""
    value = data.get(field) or []
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) and v for v in value):
        raise TableRefError(f"{field}: expected a list of names but got {value!r}")
    if len(set(value)) < len(value):
        raise TableRefError(f"{field}: expected every name once but got {', '.join(value)}")
    return tuple(value)


def objects(data: Mapping[str, Any], field: str) -> tuple[Mapping[str, Any], ...]:
    """A list of objects; empty when it is missing."""
    value = data.get(field) or []
    if not isinstance(value, list | tuple) or not all(isinstance(v, Mapping) for v in value):
        raise TableRefError(f"{field}: expected a list of objects but got {value!r}")
    return tuple(value)


def pose(data: Mapping[str, Any], field: str) -> PoseJson | None:
    """A pose of x and y in inches and heading in radians, or None when it is missing."""
    value = data.get(field)
    if value is None:
        return None
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise TableRefError(f"{field}: expected [x, y, heading] but got {value!r}")
    x, y, heading = (number({field: v}, field) for v in value)
    return (x, y, heading)


def only(data: Mapping[str, Any], known: Collection[str], what: str) -> None:
    """Refuse fields that nobody asks for: a misspelt one would be passed over in silence."""
    for field in data:
        if field not in known:
            close = difflib.get_close_matches(field, known, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            listed = ", ".join(known) or "none"
            raise TableRefError(f"{what} has no field {field!r}; expected {listed}{meant}")


def of_kind(known: Mapping[str, Value], kind: str) -> Value:
    """What is known of a kind of action; a clear error for one that nobody knows."""
    if kind not in known:
        raise TableRefError(f"no action {kind!r}; expected one of {', '.join(known)}")
    return known[kind]


def known_name(name: str, known: Collection[str], what: str) -> str:
    """A name as those spell it who know it; a clear error for one that nobody knows.

    >>> known_name("red-1", ["Red 1", "Blue 1"], "contacts")
    'Red 1'
    """
    for one in known:
        if key_of(one) == key_of(name):
            return one
    close = difflib.get_close_matches(name, known, n=1)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    raise TableRefError(f"{what}: nothing is called {name!r}; there are {', '.join(known) or 'none'}{meant}")


def ruled(data: Mapping[str, Any], question: str) -> str | None:
    """What the players ruled on a question, "yes" or "no"; None when they did not.

    The field `ruled` holds one answer for everything that is open, or answers by question.
    """
    value = data.get(RULED)
    if isinstance(value, Mapping):
        value = value.get(question)
    if value is None:
        return None
    if value not in ("yes", "no"):
        raise TableRefError(f"ruled: expected 'yes' or 'no' but got {value!r}")
    return str(value)


def let_pass(data: Mapping[str, Any], words: str) -> bool:
    """Whether the players let pass what is against an action: by its words, or all of it at once."""
    value = data.get(RULED)
    by_words = isinstance(value, Mapping) and words in value
    return ruled(data, words if by_words or not isinstance(value, Mapping) else PASS) == "yes"


def ruler(action: Action) -> str | None:
    """Who ruled on what is open in an action: its player, unless it says who else."""
    by = action.data.get(RULED_BY)
    return action.player if by is None else str(by)


def ruled_by_name(data: Mapping[str, Any], question: str) -> str | None:
    """The same, but only an answer that names the question: it stands even against a sure measurement."""
    return ruled(data, question) if isinstance(data.get(RULED), Mapping) else None
