"""One action being carried out: what happens is told as events, and the state follows each at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine.game.dice import Dice, Roll, Want, roll_event
from engine.game.events import Event
from engine.game.kit.events import Events

if TYPE_CHECKING:
    from engine.game.contract import Seen

State = TypeVar("State")


class Play(Generic[State]):
    """The events of one action so far, and the state that they lead to; a game adds to it."""

    def __init__(self, kinds: Events[State], state: State, seen: Seen, dice: Dice) -> None:
        self.state = state
        self.seen = seen
        self.dice = dice
        self.events: list[Event] = []
        self._kinds = kinds

    def tell(self, kind: str, words: str, citation: str, **data: Any) -> None:
        """Something happened."""
        self._told(self._kinds.told(kind, words, citation, data))

    def rolls(self, wants: Sequence[Want], citation: str, pieces: Iterable[str] = ()) -> tuple[Roll, ...]:
        """Dice that count together, told in one event about these pieces."""
        rolls = self.dice.together(wants)
        self._told(roll_event(rolls, citation, tuple(dict.fromkeys(name for name in pieces if name))))
        return rolls

    def _told(self, event: Event) -> None:
        self.events.append(event)
        self.state = self._kinds.apply(self.state, event)
