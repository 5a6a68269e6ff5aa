"""A game whose rules are not installed: its record opens to be looked at, and nothing more can be done."""

from __future__ import annotations

from typing import Any

from engine.game.about import About
from engine.game.contract import Game, Seen
from engine.game.events import PLAYERS, Action, Event, Illegal, JsonObject, Reason
from engine.game.kit.events import Events
from engine.game.kit.states import States
from engine.game.showing import Status


class _Words(Events[dict[str, Any]]):
    """Folds nothing: the log with its words is all that is known of a match of it."""

    def apply(self, state: dict[str, Any], event: Event) -> dict[str, Any]:  # noqa: ARG002
        """Still nothing."""
        return state


class UnknownGame(Game[dict[str, Any]]):
    """Such a game: known by its type to whoever opens a record."""


def unknown_game(name: str, version: str = "", why: str = "it is not installed") -> UnknownGame:
    """A game that cannot begin, and in which nothing may be done, for a record of the game of that name."""
    reason = Reason(f"the rules of {name} are not at hand: {why}", PLAYERS)

    def begin(_setup: JsonObject) -> tuple[Event, ...]:
        raise Illegal([reason])

    def objections(_state: dict[str, Any], _action: Action, _seen: Seen) -> tuple[Reason, ...]:
        return (reason,)

    return UnknownGame(
        about=About(name, name, name, version),
        states=States(dict),
        events=_Words(name),
        begin=begin,
        objections=objections,
        status=lambda _state, _viewer: Status(name, reason.words),
    )
