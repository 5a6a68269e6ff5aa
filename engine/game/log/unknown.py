"""A game whose rules are not installed: its record opens to be looked at, and nothing more can be done."""

from __future__ import annotations

from typing import Any

from engine.game.about import About
from engine.game.contract import Option, RuleBook, Seen
from engine.game.dice import Dice
from engine.game.events import PLAYERS, Action, Event, Illegal, JsonObject, Reason
from engine.game.showing import Status, Viewer


class UnknownGame(RuleBook[dict[str, Any]]):
    """Folds nothing: the log with its words is all that is known of a match of it."""

    def __init__(self, name: str, version: str = "", why: str = "it is not installed") -> None:
        self.about = About(name, name, name, version)
        self.why = Reason(f"the rules of {name} are not at hand: {why}", PLAYERS)

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:  # noqa: ARG002
        """Cannot begin."""
        raise Illegal([self.why])

    def first(self) -> dict[str, Any]:
        """Nothing is known."""
        return {}

    def options(self, state: dict[str, Any], seen: Seen) -> tuple[Option, ...]:  # noqa: ARG002
        """None."""
        return ()

    def check(self, state: dict[str, Any], action: Action, seen: Seen) -> tuple[Reason, ...]:  # noqa: ARG002
        """Nothing may be done."""
        return (self.why,)

    def act(
        self, state: dict[str, Any], action: Action, seen: Seen, dice: Dice  # noqa: ARG002
    ) -> tuple[Event, ...]:  # fmt: skip
        """Nothing may be done."""
        raise Illegal([self.why])

    def apply(self, state: dict[str, Any], event: Event) -> dict[str, Any]:  # noqa: ARG002
        """Still nothing."""
        return state

    def as_json(self, state: dict[str, Any]) -> dict[str, Any]:
        """An empty object."""
        return dict(state)

    def from_json(self, data: JsonObject) -> dict[str, Any]:
        """Whatever it is."""
        return dict(data)

    def status(self, state: dict[str, Any], viewer: Viewer) -> Status:  # noqa: ARG002
        """That its rules are missing."""
        return Status(self.about.title, self.why.words)
