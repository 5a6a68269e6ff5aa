"""What an action or a set-up says, field by field: the right type, or a clear error."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar, cast

from engine.errors import TableRefError
from engine.game.events import PASS, RULED, RULED_BY, Action
from engine.game.forms import in_words
from engine.space.table import key_of

Key = TypeVar("Key", bound=str)
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
    data: Mapping[str, Any], field: str, known: Sequence[str], usual: str | None = None, called: str = "",
    read: Sequence[str] = (),
) -> str:  # fmt: skip
    """One of the known words; `usual` when it is missing.

    `called` is what people read for the field, and `read` what they read for the words.
    """
    value = data.get(field, usual)
    if value not in known and called:
        raise TableRefError(f"{called}: expected {' or '.join(read or known)} but got {in_words(value)}")
    if value not in known:
        got = "nothing" if value is None else repr(value)
        listed = " or ".join(map(repr, known))
        raise TableRefError(f"{field}: expected {listed} but got {got}")
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


def different(names: Collection[str], what: str) -> None:
    """Refuse names of which two are the same as people type them."""
    if len({key_of(name) for name in names}) < len(names):
        raise TableRefError(f"{what}: expected different names but got {', '.join(names)}")


def seated(so_far: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[Mapping[str, Any], ...]]:
    """The players and the pieces of a set-up that is not done yet, as far as they are right."""
    players = tuple(str(name) for name in so_far.get("players") or ())
    return players, tuple(piece for piece in so_far.get("pieces") or () if isinstance(piece, Mapping))


def players_needed(count: int, most: int) -> str:
    """Why so many players are too few, or too many, for a game of two to `most`.

    >>> players_needed(0, 4), players_needed(1, 4), players_needed(5, 4)
    ('name the players: two to four', 'one more player: two to four can play', 'two to four can play, not 5')
    """
    many = f"two to {_NUMBERS[most]}"
    if count > most:
        return f"{many} can play, not {count}"
    return f"name the players: {many}" if not count else f"one more player: {many} can play"


def not_seated(players: Collection[str], owned: Sequence[tuple[str, str]], most: int, what: str) -> list[str]:
    """Why players cannot begin, two to `most`, with the pieces of these names and owners; `what` one is.

    >>> not_seated(["Ann", "Bob"], [("Mug", "Ann"), ("mug", "Ann")], 4, "car")
    ['two cars are called Mug', 'Bob has no car yet']
    """
    found = []
    if not 2 <= len(players) <= most:
        found.append(players_needed(len(players), most))
    if len({key_of(p) for p in players}) < len(players):
        names = [key_of(player) for player in players]
        found.append(next(f"two players are called {p}" for p in players if names.count(key_of(p)) > 1))
    keys = [key_of(name) for name, _ in owned]
    found += [f"two {what}s are called {name}" for name, _ in owned if keys.count(key_of(name)) > 1][:1]
    found += [f"{name}: {owner} does not play" for name, owner in owned if owner not in players]
    owners = {owner for _, owner in owned}
    return found + [f"{player} has no {what} yet" for player in players if player not in owners]


_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight")


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


def in_book(known: Mapping[Key, Value], name: str, what: str) -> Value:
    """What a book has under a name, in any spelling; a clear error for what it does not have.

    >>> in_book({"Old Oak": 20}, "old-oak", "tree")
    20
    """
    found = known.get(cast(Key, name))
    if found is not None:
        return found
    key = key_of(name)
    for one, value in known.items():
        if key_of(one) == key:
            return value
    raise TableRefError(f"no {what} called {name!r}; expected one of {', '.join(known)}")


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
