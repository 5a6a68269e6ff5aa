"""The state of a game as JSON and back, with what is told by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from typing import Any, Generic, Protocol, TypeVar, cast, get_args, get_type_hints

from engine.errors import TableRefError
from engine.game import records
from engine.game.kit.house import House
from engine.space.table import key_of

State = TypeVar("State")


class Named(Protocol):
    """What has a name in a game."""

    @property
    def name(self) -> str:
        """As it is written."""


Thing = TypeVar("Thing", bound=Named)


@dataclass(frozen=True)
class States(Generic[State]):
    """The states of a game: a dataclass whose fields all have a default, or what is JSON already, as `dict`.

    `by_name` are its fields that hold a tuple of things with a name; as JSON each is an object by name, so
    that a path into it stays the same whatever becomes of the others. `agree` raises a `TableRefError` where
    a state that was read, and perhaps changed by hand, holds what cannot be. `read` reads fields that an
    older record has otherwise.
    """

    of: type[State]
    by_name: tuple[str, ...] = ()
    agree: Callable[[State], None] = lambda _state: None
    read: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        given = fields(self.of) if is_dataclass(self.of) else ()
        lacking = [f.name for f in given if f.init and f.default is MISSING and f.default_factory is MISSING]
        if lacking:
            name = self.of.__name__
            words = f"a match begins with {name}(), but {', '.join(lacking)} of {name} has no default"
            raise TableRefError(f"{words}; expected one for every field")

    def first(self) -> State:
        """The state with nothing in it."""
        return self.of()

    def as_json(self, state: State) -> dict[str, Any]:
        """The state as a JSON object; `from_json` gives the same state again."""
        plain: dict[str, Any] = records.to_json(state)
        return plain | {key: {one["name"]: one for one in plain[key]} for key in self.by_name}

    def from_json(self, data: Mapping[str, Any]) -> State:
        """The state of a JSON object; a clear error names the field that is wrong."""
        if not is_dataclass(self.of):
            return cast(State, data)
        parts: dict[str, Any] = {name: self._named(name, data[name]) for name in self.by_name}
        parts |= {name: read(data[name]) for name, read in self.read.items()}
        rest = {name: value for name, value in data.items() if name not in parts}
        state = cast(State, replace(cast(Any, records.from_json(self.of, rest)), **parts))
        self.agree(state)
        return state

    def by_hand(self, before: State, data: Mapping[str, Any]) -> State:
        """The state of a JSON object that people changed; its house rules keep to their limits."""
        state = self.from_json(data)
        for one in fields(self.of) if is_dataclass(self.of) else ():
            house = getattr(state, one.name)
            if isinstance(house, House) and house != getattr(before, one.name):
                house.check_limits()
        return state

    def _named(self, key: str, data: Any) -> tuple[Any, ...]:
        kind: Any = get_args(get_type_hints(self.of)[key])[0]
        by_name: Any = dict.__class_getitem__((str, kind))
        found: dict[str, Any] = records.from_json(by_name, data, key)
        for name, one in found.items():
            if one.name != name:
                raise TableRefError(f"{key} · {name}: a name stays, got {one.name!r}")
        return tuple(found.values())


def find(things: Iterable[Thing], name: str) -> Thing | None:
    """The thing of a name as it is written, else of the name as people type it."""
    those = tuple(things)
    for one in those:
        if one.name == name:
            return one
    key = key_of(name)
    return next((one for one in those if key_of(one.name) == key), None)


def called(things: Iterable[Thing], name: str, what: str) -> Thing:
    """The same; a clear error names those there are."""
    those = tuple(things)
    found = find(those, name)
    if found is None:
        known = ", ".join(one.name for one in those) or "none"
        raise TableRefError(f"no {what} called {name!r} is in the game; expected one of {known}")
    return found


def changed(things: tuple[Thing, ...], names: Collection[str], **changes: Any) -> tuple[Thing, ...]:
    """The same things, those of these names with another state."""
    return tuple(
        cast(Thing, replace(cast(Any, one), **changes)) if one.name in names else one for one in things
    )


def between(name: str, value: int, low: int, high: int) -> None:
    """Refuse a number of a state that it cannot be."""
    if not low <= value <= high:
        raise TableRefError(f"{name}: expected {low} to {high} but got {value}")


def one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    """Refuse a word of a state that it cannot be."""
    if value not in known:
        raise TableRefError(f"{name}: expected one of {', '.join(known)} but got {value!r}")
