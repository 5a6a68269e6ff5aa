"""A game whose actions are rules by name: checked, ruled on, carried out and told in one way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from engine.errors import TableRefError
from engine.game.acting import lawful, reading
from engine.game.acting.play import Play
from engine.game.acting.rules import Rule, announced
from engine.game.contract import NOTHING_SEEN, Option, RuleBook, Seen, reasons_against
from engine.game.dice import Dice, TypedDice
from engine.game.events import Action, Event, Illegal, JsonObject, Reason

State = TypeVar("State")
PlayT = TypeVar("PlayT", bound=Play[Any])


class ByRules(RuleBook[State], ABC, Generic[State, PlayT]):
    """What such games share; `rules` holds their actions by kind."""

    rules: Mapping[str, Rule[PlayT]]

    _asked: tuple[State | None, Seen, tuple[Option, ...]] = (None, NOTHING_SEEN, ())
    """The options of the newest state and sight, which are asked for several times in a row."""

    @abstractmethod
    def offers(self, state: State, seen: Seen) -> tuple[Option, ...]:
        """What may be done now, worked out once for the same state and sight; nothing else may enter it."""

    @abstractmethod
    def play(self, state: State, seen: Seen, dice: Dice) -> PlayT:
        """An action to be carried out on a state."""

    @abstractmethod
    def as_seen(self, state: State, action: Action, seen: Seen) -> tuple[Action, list[Reason]]:
        """The action with what the table says of it, and what the rules have against that."""

    @abstractmethod
    def settle(self, play: PlayT, *, rolling: bool = True) -> None:
        """Goes on until somebody has to do something; without `rolling`, as far as no dice are needed."""

    @abstractmethod
    def give_up(self, play: PlayT, player: str) -> None:
        """The player leaves the game."""

    def options(self, state: State, seen: Seen) -> tuple[Option, ...]:
        """What may be done now."""
        known, sight, found = self._asked
        if known is not state or not _same_sight(sight, seen):
            found = self.offers(state, seen)
            self._asked = (state, seen, found)
        return found

    def announce(self, action: Action) -> tuple[str, str]:
        """An action in words, and where the book allows it; what was sealed is revealed by nobody alone."""
        rule = reading.of_kind(self.rules, action.kind)
        sealed = action.kind in self.about.sealed
        return (rule.words if sealed else announced(action, rule.words)), rule.citation

    def check(self, state: State, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """All reasons against the action; those that the players have ruled on do not stand."""
        try:
            return lawful.settled(self.against(state, action, seen), action)
        except TableRefError as error:
            return (Reason(str(error), self.about.book),)

    def against(self, state: State, action: Action, seen: Seen) -> tuple[Reason, ...]:
        """All reasons against the action, whatever the players have ruled."""
        plain = lawful.without_rulings(action)
        against = reasons_against(self.options(state, seen), plain, self.about.book)
        return against or tuple(self.as_seen(state, action, seen)[1])

    def table_says(self, state: State, action: Action, seen: Seen) -> JsonObject:
        """What the action would say by itself, where nothing of it is open."""
        full, reasons = self.as_seen(state, action, seen)
        return {} if any(reason.fact or reason.question for reason in reasons if reason.open) else full.data

    def act(self, state: State, action: Action, seen: Seen, dice: Dice) -> tuple[Event, ...]:
        """What follows from a lawful action, up to where somebody has to do something."""
        if reasons := self.check(state, action, seen):
            raise Illegal(reasons)
        play = self.play(state, seen, dice)
        lawful.tell_rulings(play, self.against(state, action, seen), action)
        reading.of_kind(self.rules, action.kind).do(play, self.as_seen(state, action, seen)[0])
        self.settle(play)
        return tuple(play.events)

    def follow(self, state: State) -> tuple[Event, ...]:
        """Victory, and turns of those who are no more, as far as no dice are needed."""
        play = self.play(state, NOTHING_SEEN, TypedDice())
        self.settle(play, rolling=False)
        return tuple(play.events)

    def concede(self, state: State, player: str) -> tuple[Event, ...]:
        """What is the player's leaves the game."""
        play = self.play(state, NOTHING_SEEN, TypedDice())
        self.give_up(play, player)
        return tuple(play.events)


def _same_sight(one: Seen, other: Seen) -> bool:
    """Whether the camera knows the same: the same table and moves, not only equal ones."""
    moves = one.moves is other.moves or not (one.moves or other.moves)
    return one.table is other.table and moves and one.board == other.board
