"""One action being carried out: what happens is told as events, and the state follows each at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from engine.game.dice import Dice, Roll, Want
from engine.game.events import Event, JsonObject

State = TypeVar("State")


class Play(Generic[State]):
    """The events of one action so far, and the state that they lead to; a game adds to it."""

    rolled_for = "piece"
    """The field of a roll's data that holds for which piece it was."""

    def __init__(self, apply: Callable[[State, Event], State], state: State, dice: Dice) -> None:
        self.state = state
        self.dice = dice
        self.events: list[Event] = []
        self._apply = apply

    def event(self, kind: str, words: str, citation: str, data: JsonObject) -> Event:
        """Something that happened, as a game tells it: with pieces, a tone, an audience where it has them."""
        return Event(kind, data, words, citation)

    def tell(self, kind: str, words: str, citation: str, **data: Any) -> None:
        """Something happened."""
        self._told(self.event(kind, words, citation, data))

    def roll(self, sides: int, why: str, citation: str, piece: str) -> Roll:
        """A die for a piece, told before anything follows from it."""
        return self.together([(Want(sides, why), piece)], citation)[0]

    def together(self, wants: Sequence[tuple[Want, str]], citation: str) -> tuple[Roll, ...]:
        """Dice for pieces by name, all of them told before anything follows from any.

        A die that was rolled here, not typed, is a barrier: whoever missed cannot take it back.
        """
        rolls = self.dice.together([want for want, _ in wants])
        for roll, (_, piece) in zip(rolls, wants, strict=True):
            data = {"sides": roll.sides, "value": roll.value, "why": roll.why, "source": roll.source}
            words = f"{roll.why}: D{roll.sides} shows {roll.value}"
            event = self.event("roll", words, citation, data | {self.rolled_for: piece})
            self._told(replace(event, barrier=roll.source != "typed"))
        return rolls

    def _told(self, event: Event) -> None:
        self.events.append(event)
        self.state = self._apply(self.state, event)
