"""The state after an event: one small change for each kind, nothing decided here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from engine.errors import TableRefError
from engine.game.events import Event

State = TypeVar("State")

Data = Mapping[str, Any]
"""What an event holds."""


def changed(
    changes: Mapping[str, Callable[[State, Data], State]], title: str, state: State, event: Event
) -> State:
    """The state of the game of that title after an event; pure. An error for a kind that it does not know."""
    change = changes.get(event.kind)
    if change is None:
        raise TableRefError(f"no event of kind {event.kind!r} in {title}; the log is of another game")
    return change(state, event.data)


def nothing(state: State, _data: Data) -> State:
    """For events that tell something and change nothing."""
    return state
