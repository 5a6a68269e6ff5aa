"""One action being carried out: what is told of it, and what the players rule on instead of the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine.game.about import house
from engine.game.dice import Dice, Roll, Want, roll_event
from engine.game.events import RULED, RULED_BY, Action, Event, Reason
from engine.game.kit import reading
from engine.game.kit.events import Events

if TYPE_CHECKING:
    from engine.game.contract import Seen

State = TypeVar("State")

SETTLED = house("The players decide what is too close to call")


class Play(Generic[State]):
    """The events of one action so far, and the state, which follows each at once; a game adds to it."""

    def __init__(self, kinds: Events[State], state: State, seen: Seen, dice: Dice) -> None:
        self.state = state
        self.seen = seen
        self.dice = dice
        self.events: list[Event] = []
        self._kinds = kinds

    def tell(self, kind: str, words: str, citation: str, **data: Any) -> None:
        """Something happened."""
        self._told(self._kinds.told(kind, words, citation, data))

    def add_words(self, number: int, words: str) -> None:
        """Say with an event what came of it by the dice after it, where no other event does."""
        event = self.events[number]
        self.events[number] = replace(event, words=f"{event.words}{words}")

    def rolls(self, wants: Sequence[Want], citation: str, pieces: Iterable[str] = ()) -> tuple[Roll, ...]:
        """Dice that count together, told in one event about these pieces."""
        rolls = self.dice.together(wants)
        self._told(roll_event(rolls, citation, tuple(dict.fromkeys(name for name in pieces if name))))
        return rolls

    def roll_off(
        self, names: Sequence[str], why: str, citation: str, *, sides: int = 6,
        of: Mapping[str, str] = MappingProxyType({}), tied: str = " again, {} each",
    ) -> list[str]:  # fmt: skip
        """The names by a die each, the highest first; who ties rolls again among themselves (house default).

        They are players, or pieces `of` players. `tied` says why a die is rolled again, after which number.
        """

        def order(some: Sequence[str], again: str = "") -> list[str]:
            wants = [Want(sides, f"{why}{again}", by=of.get(name, name)) for name in some]
            rolls = self.rolls(wants, citation, some if of else ())
            found: list[str] = []
            for value in range(sides, 0, -1):
                same = [name for name, roll in zip(some, rolls, strict=True) if roll.value == value]
                found += order(same, tied.format(value)) if len(same) > 1 else same
            return found

        return order(names)

    def _told(self, event: Event) -> None:
        self.events.append(event)
        self.state = self._kinds.apply(self.state, event)


def without_rulings(action: Action) -> Action:
    """The action without what the players rule on it: as its option has it."""
    if not isinstance(action.data, Mapping) or action.data.keys().isdisjoint((RULED, RULED_BY)):
        return action
    data = {name: value for name, value in action.data.items() if name not in (RULED, RULED_BY)}
    return Action(action.kind, action.player, data)


@dataclass(frozen=True)
class Rulings:
    """Which reasons fall by what the players rule, and how that is told."""

    def falls(self, action: Action, reason: Reason) -> bool:
        """A question falls with either answer; anything else only when it is accepted."""
        if reason.question:
            return reading.ruled(action.data, reason.question) is not None
        return reading.let_pass(action.data, reason.words)

    def settled(self, reasons: Sequence[Reason], action: Action) -> tuple[Reason, ...]:
        """The reasons that stand: open ones fall when the players have ruled."""
        return tuple(r for r in reasons if not (r.open and self.falls(action, r)))

    def tell(self, play: Play[Any], reasons: Sequence[Reason], action: Action) -> None:
        """What the players decided instead of the table, each as an event of its own."""
        for reason in reasons:
            if reason.open and self.falls(action, reason):
                question, said, words = self.answer(action, reason)
                play.tell(
                    "ruled", words, SETTLED,
                    question=question, verdict=said, rule=reason.citation,
                    by=reading.ruler(action),
                )  # fmt: skip

    def answer(self, action: Action, reason: Reason) -> tuple[str, str, str]:
        """The question, what they answered, yes or no, and that in words."""
        said = str(reading.ruled(action.data, reason.question)) if reason.question else "yes"
        verb = f"answer {said}" if reason.question else "accept"
        return reason.question or reason.words, said, f"the players {verb}: {reason.words}"
