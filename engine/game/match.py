"""The one shape of a game: state + action (+ dice, table) -> events; undo by replay.

A `Game` is a rule book: it says what may be done, refuses with all reasons, and answers an action with
events. A `Match` is one game being played: an append-only log of events and their fold. Whatever is
undone, redone or overruled is an event in the same log, so the log alone gives the match again.
"""

from __future__ import annotations

import copy
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import engine.games
from engine.errors import TableRefError
from engine.game.dice import Dice, LoggedDice, Roll, TypedDice
from engine.space.table import TableState, key_of

JsonObject = Mapping[str, Any]
"""A mapping that holds plain JSON values only; lengths in inches, angles in radians."""

PLAYERS = "house default · The players have the last word"
"""What undo, redo and overrulings rest on."""


@dataclass(frozen=True)
class Event:
    """Something that happened. `words` is a sentence for people, `citation` the rule it rests on."""

    kind: str
    data: JsonObject
    words: str
    citation: str


def event_to_json(event: Event) -> dict[str, Any]:
    """An event as a JSON object."""
    return {"kind": event.kind, "data": event.data, "words": event.words, "citation": event.citation}


def event_from_json(data: JsonObject) -> Event:
    """An event from its JSON object; a clear error for anything else."""
    if not isinstance(data, Mapping) or set(data) != {"kind", "data", "words", "citation"}:
        raise TableRefError(f"expected an event with kind, data, words and citation but got {data!r}")
    texts = (data["kind"], data["words"], data["citation"])
    if not all(isinstance(text, str) for text in texts) or not isinstance(data["data"], Mapping):
        raise TableRefError(f"expected an event of texts with an object as data but got {data!r}")
    return Event(data["kind"], data["data"], data["words"], data["citation"])


@dataclass(frozen=True)
class Action:
    """What somebody wants to do. `player` None is the referee, who may act for everybody."""

    kind: str
    player: str | None = None
    data: JsonObject = field(default_factory=dict)


@dataclass(frozen=True)
class Option:
    """What may be done now, for a button.

    `player` is who may do it (None: anybody). `data` is what the action already says, `wants` the
    names of what it must or may say besides, each with what is expected, in words.
    """

    kind: str
    player: str | None
    words: str
    data: JsonObject = field(default_factory=dict)
    wants: JsonObject = field(default_factory=dict)


@dataclass(frozen=True)
class Reason:
    """Why something may not be done. `open` when the players may settle it (too close to call)."""

    words: str
    citation: str
    open: bool = False


class Illegal(TableRefError):
    """An action against the rules, with every reason."""

    def __init__(self, reasons: Sequence[Reason]) -> None:
        super().__init__("; ".join(f"{r.words} ({r.citation})" for r in reasons))
        self.reasons = tuple(reasons)


State = TypeVar("State")


class Game(Protocol[State]):
    """A rule book that can be played."""

    name: str
    book: str

    def begin(self, setup: JsonObject) -> tuple[Event, ...]:
        """The first events of a match; `TableRefError` names what is wrong with the setup."""
        ...

    def first(self) -> State:
        """The state before any event."""
        ...

    def announce(self, action: Action) -> tuple[str, str]:
        """An action in words for people, and the rule that allows it."""
        ...

    def options(self, state: State) -> tuple[Option, ...]:
        """What may be done now."""
        ...

    def check(self, state: State, action: Action, table: TableState | None) -> tuple[Reason, ...]:
        """All reasons why the action may not be done; empty when it is lawful."""
        ...

    def act(self, state: State, action: Action, table: TableState | None, dice: Dice) -> tuple[Event, ...]:
        """What follows from the action; `Illegal` with all reasons when it may not be done."""
        ...

    def follow(self, state: State) -> tuple[Event, ...]:
        """What follows by itself once the players have set a field of the state by hand."""
        ...

    def apply(self, state: State, event: Event) -> State:
        """The state after an event."""
        ...

    def as_json(self, state: State) -> dict[str, Any]:
        """The state as a JSON object; `from_json` gives the same state again."""
        ...

    def from_json(self, data: JsonObject) -> State:
        """The state of a JSON object; a clear error names the field that is wrong."""
        ...


def game_names() -> tuple[str, ...]:
    """The folders of `engine.games`, one a rule book.

    >>> "white_line_fever" in game_names()
    True
    """
    return tuple(m.name for m in pkgutil.iter_modules(engine.games.__path__) if m.ispkg)


def game_called(name: str) -> Game[Any]:
    """The game in the folder of that name; case, spaces, dashes and underscores do not matter."""
    for folder in game_names():
        if key_of(folder) == key_of(name):
            found: Game[Any] = importlib.import_module(f"engine.games.{folder}.game").GAME
            return found
    raise TableRefError(f"no game called {name!r}; expected one of {', '.join(game_names())}")


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
        table_at: Callable[[int], TableState | None] = lambda _: None,
    ) -> Match[State]:
        """The same actions with the same dice, ruled anew: today's rules may give other events.

        `table_at` gives the table that was seen at a batch, by the batch's number.
        """
        first, *others = batches(events)
        match = cls.replay(game, first)
        for number, batch in enumerate(others, start=1):
            match._append(match.anew(batch, table_at(number)))
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

    def options(self) -> tuple[Option, ...]:
        """What may be done now."""
        return self.game.options(self.state)

    def check(self, action: Action, table: TableState | None = None) -> tuple[Reason, ...]:
        """All reasons why the action may not be done now; empty when it is lawful."""
        return self.game.check(self.state, action, table)

    def do(
        self, action: Action, table: TableState | None = None, dice: Dice | None = None
    ) -> tuple[Event, ...]:
        """Do an action, all of it or nothing: `Illegal` and `NeedDice` leave the match as it was."""
        return self._append(self.propose(action, table, dice))

    def propose(
        self, action: Action, table: TableState | None = None, dice: Dice | None = None
    ) -> tuple[Event, ...]:
        """The events that an action would be, without doing it: `commit` appends them later.

        Between the two lies the time to write them down: what is shown has been kept.
        """
        words, citation = self.game.announce(action)
        data = {"kind": action.kind, "player": action.player, "data": copy.deepcopy(dict(action.data))}
        events = self.game.act(self.state, action, table, dice if dice is not None else TypedDice())
        return (Event("action", data, words, citation), *events)

    def anew(self, batch: Sequence[Event], table: TableState | None = None) -> tuple[Event, ...]:
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
        return self.propose(Action(said["kind"], said["player"], said["data"]), table, LoggedDice(rolls))

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


def batches(events: Iterable[Event]) -> list[list[Event]]:
    """A log in the batches in which it happened, each from its first event on."""
    found: list[list[Event]] = []
    for event in events:
        if event.kind in STARTS or not found:
            found.append([])
        found[-1].append(event)
    return found


STARTS = {"begin", "action", "undo", "redo", "overrule"}
"""The kinds of event with which a batch begins."""


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
