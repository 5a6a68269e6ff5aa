"""The kinds of event of a game, each in one place: what it changes, its tone, the pieces that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

from engine.errors import TableRefError
from engine.game.dice import ROLLED
from engine.game.events import Event, JsonObject, Tone
from engine.game.kit.states import States, changed

State = TypeVar("State")

Data = Mapping[str, Any]
"""What an event holds."""

Fold = Callable[[State, Data], State]
"""The state after an event with such data; pure, and nothing is decided in it."""


@dataclass(frozen=True, slots=True)
class EventKind(Generic[State]):
    """What is known of a kind of event; its tone may depend on what it holds."""

    fold: Fold[State]
    tone: Tone | Callable[[Data], Tone] = "plain"
    measured: Callable[[Data], bool | None] = lambda _data: None


@dataclass(frozen=True, slots=True)
class Said:
    """What an event holds in a field of that name."""

    field: str


class Events(Generic[State]):
    """The kinds of event of the game of that title.

    `pieces` are the fields that name what an event is about, in the order in which it tells of them. A field
    holds a name or a list of names; "contacts.other" is the field `other` of what `contacts` holds, or of
    everything in it. With the `states` of the game it knows what it begins with, as its `begin` tells it.
    What the players rule, and the dice, every game knows.

    >>> EVENTS = Events[int]("Count", pieces=("car", "met.other"))
    >>> @EVENTS.on("gone", tone="move")
    ... def _gone(state: int, data: Data) -> int:
    ...     return state + data["inches"]
    >>> EVENTS.only_told("honked")
    >>> went = EVENTS.told("gone", "it goes", "Book", {"car": "Red", "met": [{"other": "Mug"}], "inches": 3})
    >>> went.pieces, went.tone, EVENTS.apply(1, went), EVENTS.kinds
    (('Red', 'Mug'), 'move', 4, ('ruled', 'gone', 'honked'))
    """

    def __init__(self, title: str, pieces: tuple[str, ...] = (), states: States[State] | None = None) -> None:
        self.title = title
        self.pieces = pieces
        self._paths = tuple(path.split(".") for path in pieces)
        self._kinds: dict[str, EventKind[State]] = {}
        if states is not None:
            self.on("begin", tone="quiet")(lambda _state, data: states.from_json(data["state"]))
        self.only_told("ruled", tone="ruling")

    @property
    def kinds(self) -> tuple[str, ...]:
        """Every kind of event that the game tells."""
        return tuple(self._kinds)

    def on(
        self, *kinds: str, tone: Tone | Callable[[Data], Tone] = "plain"
    ) -> Callable[[Fold[State]], Fold[State]]:
        """Makes a function what events of these kinds change."""

        def known(fold: Fold[State]) -> Fold[State]:
            self._kinds |= {kind: EventKind(fold, tone) for kind in kinds}
            return fold

        return known

    def sets(
        self, kind: str, *same: str, of: str = "", within: str = "", whose: str = "",
        tone: Tone | Callable[[Data], Tone] = "plain", **fields: Any,
    ) -> None:  # fmt: skip
        """Makes a kind of event known that only sets fields of the state.

        Those of the thing by name that the event's field `of` names ("token" is one of the state's `tokens`),
        or of what the state has as `within`, which has to be there; with `whose` only where it has there what
        the event has, and nothing changes else. The fields `same` become what the event holds under their
        names, any other what is given: a value, or what the event has `Said`.

        >>> from dataclasses import make_dataclass
        >>> Race = make_dataclass("Race", [("lap", int, 0), ("first", str, ""), ("flag", bool, True)])
        >>> EVENTS = Events[Any]("Race")
        >>> EVENTS.sets("lap", "lap", first=Said("car"), flag=False)
        >>> EVENTS.apply(Race(), EVENTS.told("lap", "", "", {"lap": 2, "car": "Red"}))
        Race(lap=2, first='Red', flag=False)
        """
        fields |= {name: Said(name) for name in same}

        def fold(state: State, data: Data) -> State:
            changes = {k: _held(data[v.field]) if isinstance(v, Said) else v for k, v in fields.items()}
            if of:
                things = f"{of}s"
                changes = {things: changed(getattr(state, things), (data[of],), **changes)}
            elif within:
                part: Any = getattr(state, within)
                if whose and (part is None or getattr(part, whose) != data[whose]):
                    return state
                if part is None:
                    raise TableRefError(f"the log is out of order: {kind!r} in {self.title}, but no {within}")
                changes = {within: replace(part, **changes)}
            return cast(State, replace(cast(Any, state), **changes))

        self.on(kind, tone=tone)(fold)

    def removes(self, kind: str, named: str, things: str, *, tone: Tone = "plain") -> None:
        """Makes a kind of event known that only takes away the thing that it names, of those of the state."""

        def fold(state: State, data: Data) -> State:
            left = tuple(one for one in getattr(state, things) if one.name != data[named])
            return cast(State, replace(cast(Any, state), **{things: left}))

        self.on(kind, tone=tone)(fold)

    def only_told(
        self, *kinds: str, tone: Tone | Callable[[Data], Tone] = "plain",
        measured: Callable[[Data], bool | None] = lambda _data: None,
    ) -> None:  # fmt: skip
        """Makes kinds of event known that tell something and change nothing; `measured` as `Event` has it."""
        self._kinds |= {kind: EventKind(_nothing, tone, measured) for kind in kinds}

    def apply(self, state: State, event: Event) -> State:
        """The state after an event; an error for a kind that the game does not know."""
        kind = self._kinds.get(event.kind)
        if kind is None and event.kind in ROLLED:
            return state
        if kind is None:
            words = f"no event of kind {event.kind!r} in {self.title}; the log is of another game"
            raise TableRefError(words)
        after = kind.fold(state, event.data)
        if after is None:
            name = getattr(kind.fold, "__name__", "the fold")
            words = f"{name} of {self.title} gives nothing for {event.kind!r}"
            raise TableRefError(f"{words}; expected the state after it, as `return replace(state, …)`")
        return after

    def told(self, kind: str, words: str, citation: str, data: JsonObject) -> Event:
        """An event with the pieces that it is about, and its tone; an error if its kind is not declared."""
        if kind not in self._kinds:
            declared = ", ".join(map(repr, self._kinds))
            how = f"@EVENTS.on({kind!r}) above its fold, or EVENTS.only_told({kind!r}) where nothing changes"
            words = f"{self.title} tells {kind!r}, a kind of event that it does not declare"
            raise TableRefError(f"{words}; expected one of {declared}, or write {how}")
        known = self._kinds[kind]
        said = (path for path in self._paths if path[0] in data)
        names = dict.fromkeys(name for path in said for name in _names(data, path))
        tone = known.tone(data) if callable(known.tone) else known.tone
        return Event(kind, data, words, citation, tuple(names), tone, measured=known.measured(data))


def _nothing(state: State, _data: Data) -> State:
    return state


def _held(value: Any) -> Any:
    """What an event holds as a state does: a list as a tuple."""
    return tuple(value) if isinstance(value, list) else value


def _names(value: Any, path: list[str]) -> Iterator[str]:
    """The names at the end of a path of fields; none where it holds something else."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _names(one, path)
    elif path and isinstance(value, Mapping):
        yield from _names(value.get(path[0]), path[1:])
    elif not path and isinstance(value, str) and value:
        yield value
