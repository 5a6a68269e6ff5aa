"""A match: one game being played, the append-only log of its events and their fold.

Whatever is undone, redone or overruled is an event in the same log, so the log alone gives the match again.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from engine.errors import TableRefError
from engine.game.contract import NOTHING_SEEN, Game, Option, Seen, State
from engine.game.dice import Dice, LoggedDice, Roll, TypedDice
from engine.game.events import PLAYERS, Action, Event, JsonObject, Reason, batches
from engine.space.table import TableState

Sight = Seen | TableState | None
"""What the camera knows: all of it, only the table, or nothing."""


def seen_of(sight: Sight) -> Seen:
    """What the camera knows, from whatever of it is at hand."""
    if sight is None:
        return NOTHING_SEEN
    return Seen(sight) if isinstance(sight, TableState) else sight


@dataclass(frozen=True)
class Batch(Generic[State]):
    """What happened at once: an action or overruling with all that followed, and the state after it."""

    number: int
    words: str
    state: State


class Match(Generic[State]):
    """One game being played: the log of its events and their fold.

    Every batch starts with an event of kind `begin`, `action` or `overrule`; undoing and redoing are
    batches of one event, `undo` or `redo`, that name the batch they are about.
    """

    def __init__(self, game: Game[State]) -> None:
        self.game = game
        self._log: list[Event] = []
        self._done: list[Batch[State]] = []
        self._undone: list[Batch[State]] = []
        self._batches = 0

    @classmethod
    def begin(cls, game: Game[State], setup: JsonObject) -> Match[State]:
        """A new match; `TableRefError` names what is wrong with the setup."""
        match = cls(game)
        match._append(game.begin(setup))
        return match

    @classmethod
    def replay(cls, game: Game[State], events: Iterable[Event]) -> Match[State]:
        """The match that a log tells, in the identical state."""
        match = cls(game)
        for batch in batches(events):
            match._append(batch)
        return match

    @classmethod
    def again(
        cls,
        game: Game[State],
        events: Iterable[Event],
        seen_at: Callable[[int], Sight] = lambda _: None,
    ) -> Match[State]:
        """The same actions with the same dice, ruled anew: today's rules may give other events.

        `seen_at` gives what was seen at a batch, by the batch's number.
        """
        first, *others = batches(events)
        match = cls.replay(game, first)
        for number, batch in enumerate(others, start=1):
            match._append(match.anew(batch, seen_at(number)))
        return match

    @property
    def log(self) -> tuple[Event, ...]:
        """Everything that was ever said, in order, the undone included."""
        return tuple(self._log)

    @property
    def state(self) -> State:
        """Where the match stands."""
        return self._done[-1].state if self._done else self.game.first()

    @property
    def undoable(self) -> str | None:
        """What `undo` would take back, in words; None when there is nothing."""
        return self._done[-1].words if len(self._done) > 1 else None

    @property
    def redoable(self) -> str | None:
        """What `redo` would bring back, in words; None when there is nothing."""
        return self._undone[-1].words if self._undone else None

    def options(self, sight: Sight = None) -> tuple[Option, ...]:
        """What may be done now."""
        return self.game.options(self.state, seen_of(sight))

    def check(self, action: Action, sight: Sight = None) -> tuple[Reason, ...]:
        """All reasons why the action may not be done now; empty when it is lawful."""
        return self.game.check(self.state, action, seen_of(sight))

    def do(self, action: Action, sight: Sight = None, dice: Dice | None = None) -> tuple[Event, ...]:
        """Do an action, all of it or nothing: `Illegal` and `NeedDice` leave the match as it was."""
        return self._append(self.propose(action, sight, dice))

    def propose(self, action: Action, sight: Sight = None, dice: Dice | None = None) -> tuple[Event, ...]:
        """The events that an action would be, without doing it: `commit` appends them later.

        Between the two lies the time to write them down: what is shown has been kept.
        """
        words, citation = self.game.announce(action)
        data = {"kind": action.kind, "player": action.player, "data": copy.deepcopy(dict(action.data))}
        events = self.game.act(self.state, action, seen_of(sight), dice if dice is not None else TypedDice())
        return (Event("action", data, words, citation), *events)

    def anew(self, batch: Sequence[Event], sight: Sight = None) -> tuple[Event, ...]:
        """A batch ruled by today's rules from where the match stands: the same action with the same dice.

        What the players did to the match itself, such as undo and overrule, stays as it was.
        """
        if batch[0].kind != "action":
            return tuple(batch)
        said = batch[0].data
        rolls = [
            Roll(e.data["sides"], e.data["value"], e.data["why"], e.data["source"])
            for e in batch
            if e.kind == "roll"
        ]
        return self.propose(Action(said["kind"], said["player"], said["data"]), sight, LoggedDice(rolls))

    def commit(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Append one batch of events that was proposed to this very state."""
        return self._append(events)

    def undo(self, by: str | None = None) -> tuple[Event, ...]:
        """Take the last batch back; its events stay in the log."""
        return self._append((self.undo_event(by),))

    def redo(self, by: str | None = None) -> tuple[Event, ...]:
        """Bring back the batch that was undone last."""
        return self._append((self.redo_event(by),))

    def overrule(
        self, path: Sequence[str | int], value: Any, words: str, by: str | None = None
    ) -> tuple[Event, ...]:
        """Set any field of the state, named by its way through the state's JSON, with the reason in words."""
        return self._append(self.overruling(path, value, words, by))

    def undo_event(self, by: str | None = None) -> Event:
        """The event that `undo` appends."""
        if self.undoable is None:
            raise TableRefError("nothing to undo: the match has only just begun")
        last = self._done[-1]
        return Event("undo", {"batch": last.number, "by": by}, f"Undone: {last.words}", PLAYERS)

    def redo_event(self, by: str | None = None) -> Event:
        """The event that `redo` appends."""
        if not self._undone:
            raise TableRefError("nothing to redo: nothing was undone since the last action")
        last = self._undone[-1]
        return Event("redo", {"batch": last.number, "by": by}, f"Done again: {last.words}", PLAYERS)

    def overruling(
        self, path: Sequence[str | int], value: Any, words: str, by: str | None = None
    ) -> tuple[Event, ...]:
        """The events that `overrule` appends: the overruling, and what follows from it by itself."""
        before = self.game.as_json(self.state)
        was = _at(before, path)
        state = self.game.from_json(_with(before, path, value))
        data = {"path": list(path), "value": copy.deepcopy(value), "was": was, "by": by}
        place = " · ".join(str(part) for part in path)
        event = Event("overrule", data, f"{place}: {was} → {value}, {words}", PLAYERS)
        return (event, *self.game.follow(state))

    def _append(self, events: Sequence[Event]) -> tuple[Event, ...]:
        first = events[0]
        if first.kind == "undo":
            self._same(self._done[1:], first)
            self._undone.append(self._done.pop())
        elif first.kind == "redo":
            self._same(self._undone, first)
            self._done.append(self._undone.pop())
        else:
            state = self.state
            for event in events:
                state = self._apply(state, event)
            self._done.append(Batch(self._batches, first.words, state))
            self._undone.clear()
        self._batches += 1
        self._log += events
        return tuple(events)

    def _same(self, batches: Sequence[Batch[State]], event: Event) -> None:
        if not batches or batches[-1].number != event.data["batch"]:
            raise TableRefError(
                f"the log is out of order: {event.kind} of batch {event.data['batch']}, "
                f"but the last one is {batches[-1].number if batches else 'none'}"
            )

    def _apply(self, state: State, event: Event) -> State:
        if event.kind == "overrule":
            patched = _with(self.game.as_json(state), event.data["path"], event.data["value"])
            return self.game.from_json(patched)
        return state if event.kind == "action" else self.game.apply(state, event)


def _at(data: Any, path: Sequence[str | int]) -> Any:
    """What a JSON value holds at the end of a path."""
    for k, part in enumerate(path):
        inside = isinstance(data, Mapping) and part in data
        if isinstance(data, list) and isinstance(part, int):
            inside = 0 <= part < len(data)
        if not inside:
            here = " · ".join(str(p) for p in path[:k]) or "the state"
            known = ", ".join(map(str, data)) if isinstance(data, Mapping) else f"a {type(data).__name__}"
            raise TableRefError(f"{here} has no {part!r}; expected one of {known}")
        data = data[part]
    return data


def _with(data: Any, path: Sequence[str | int], value: Any) -> Any:
    """A copy of a JSON value with another one at the end of a path."""
    if not path:
        raise TableRefError("expected a path into the state, such as cars · Red 1 · speed, but got none")
    _at(data, path)
    out = copy.deepcopy(data)
    place = _at(out, path[:-1])
    place[path[-1]] = copy.deepcopy(value)
    return out
