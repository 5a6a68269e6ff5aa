"""The actions of a game by name: what each does, in which words, by which rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from engine.game.events import OWNER, Action, Reason
from engine.space.table import TableState
from engine.words import listed

PlayT = TypeVar("PlayT")

_ARTICLES = ("the ", "a ", "an ")


class Rule(NamedTuple, Generic[PlayT]):
    """An action: what it does, in which words, by which rule.

    Where its options and their forms do not say all that is against it, `check` does, given the state, the
    action and the table; `fields` are those that its data may have then. `known` is what the state says of
    it besides, for its words.
    """

    do: Callable[[PlayT, Action], None]
    words: str
    citation: str
    check: Callable[[Any, Action, TableState | None], Sequence[Reason]] = lambda _state, _action, _table: ()
    fields: tuple[str, ...] = ()
    known: Callable[[Any], Mapping[str, Any]] = lambda _state: {}


GO_ON = "go on"
"""The action of saying that the game goes on: offered where nothing else is, as after an overruling."""


def going_on(citation: str) -> Rule[Any]:
    """What is done then: what follows by itself follows."""
    return Rule(lambda _play, _action: None, "go on", citation)


def announced(action: Action, words: str, known: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Who does it, and the words with what the action says, and what is `known` of it besides.

    A list is told as words, `the_weapon` is the weapon with its article. What stands in brackets is left out
    where something in it is not said; elsewhere what is not said is a question mark.

    >>> announced(Action("ram", "Red", {"targets": ["Blue 1", "Blue 2"]}), "Ram[ {targets}] with {vehicle}")
    'Red: Ram Blue 1 and Blue 2 with ?'
    >>> announced(Action("ram", "Red", {"vehicle": "Red 1"}), "Ram[ {targets}] with {vehicle}")
    'Red: Ram with Red 1'
    >>> announced(Action("shoot", None, {"weapon": "Laser"}), "shoot with {the_weapon}")
    'the owner of the table: shoot with the Laser'
    """
    data = {name: _listed(value) for name, value in {**known, **action.data}.items()}
    told = []
    # Every second part stood in brackets.
    for k, part in enumerate(re.split(r"\[(.*?)\]", words)):
        said = _Said(data)
        text = part.format_map(said)
        told.append("" if k % 2 and said.lacks else text)
    return f"{action.player or OWNER}: {''.join(told)}"


class _Said(dict[str, Any]):
    """What an action says; `lacks` tells whether something was asked for that it does not say."""

    lacks = False

    def __missing__(self, key: str) -> str:
        if key.startswith("the_"):
            return the(str(self[key.removeprefix("the_")]))
        self.lacks = True
        return "?"


def _listed(value: Any) -> Any:
    return listed(map(str, value)) if isinstance(value, list | tuple) else value


def the(name: str) -> str:
    """A name in a sentence, with its article; one that brings an article keeps its own.

    >>> the("Oak"), the("The Elm")
    ('the Oak', 'The Elm')
    """
    return name if name.casefold().startswith(_ARTICLES) else f"the {name}"


def a_or_an(name: str) -> str:
    """A name as one of its kind, by its first letter.

    >>> a_or_an("Elm"), a_or_an("Birch"), a_or_an("The Oak")
    ('an Elm', 'a Birch', 'The Oak')
    """
    if name.casefold().startswith(_ARTICLES):
        return name
    return f"{'an' if name[:1].casefold() in 'aeiou' else 'a'} {name}"
