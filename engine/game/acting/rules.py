"""The actions of a game by name: what each does, in which words, by which rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from engine.game.events import Action

PlayT = TypeVar("PlayT")


class Rule(NamedTuple, Generic[PlayT]):
    """An action: what it does, in which words, by which rule."""

    do: Callable[[PlayT, Action], None]
    words: str
    citation: str


def announced(action: Action, words: str, **more: Any) -> str:
    """Who does it, and the words with what the action says and `more`.

    A list is told as words; what is not said is a question mark.

    >>> announced(Action("ram", "Red", {"targets": ["Blue 1", "Blue 2"]}), "Ram {targets} with {vehicle}")
    'Red: Ram Blue 1 and Blue 2 with ?'
    """
    said = {name: _listed(value) for name, value in (dict(action.data) | more).items()}
    return f"{action.player or 'the referee'}: {words.format_map(_Said(said))}"


class _Said(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


def _listed(value: Any) -> Any:
    return " and ".join(map(str, value)) if isinstance(value, list | tuple) else value
