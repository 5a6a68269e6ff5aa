"""Frozen dataclasses to JSON and back, for every game's state, with errors that name the field.

A dataclass is an object with its fields, a tuple a list, a mapping an object. Reading is strict: a text is
never taken for a number, nor a number for true or false, and a number is finite. A field that is missing
takes its default, so that what an older release wrote still opens after a field was added.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from engine.errors import TableRefError

T = TypeVar("T")


def to_json(value: Any) -> Any:
    """A dataclass, or anything that its fields may hold, as plain JSON values.

    >>> from engine.game.forms import Fact
    >>> to_json({"facts": (Fact("75 %", "to hit"),)})
    {'facts': [{'words': '75 %', 'more': 'to hit'}]}
    """
    kind: Any = type(value)
    return _writer(kind)(value)


_AS_IT_IS = frozenset({str, int, float, bool, NoneType})
"""What most values are: found by their type alone, without a call for each."""


@cache
def _writer(kind: Any) -> Callable[[Any], Any]:
    """Writes the values of one type; made once for each."""
    if kind in _AS_IT_IS or issubclass(kind, str | int | float):
        return lambda value: value
    if issubclass(kind, tuple | list):
        return lambda value: [item if type(item) in _AS_IT_IS else to_json(item) for item in value]
    if issubclass(kind, Mapping):
        return _written_items
    names = tuple(_types(kind))
    return lambda value: _written_items({name: getattr(value, name) for name in names})


def _written_items(value: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {key: item if type(item) in _AS_IT_IS else to_json(item) for key, item in value.items()}
    except TableRefError:
        for key, item in value.items():
            try:
                to_json(item)
            except TableRefError as error:
                between = ": " if str(error).startswith("expected") else " · "
                raise TableRefError(f"{key}{between}{error}") from None
        raise


def from_json(kind: type[T], data: Any, name: str = "") -> T:
    """The dataclass `kind` from its JSON object, at every depth; `kind` may also be the type of a field.

    Fields may be `str`, `int`, `float`, `bool`, `Literal`, tuples of any or of a fixed length,
    `Mapping[str, ...]`, dataclasses, unions of these, `None` and `Any`. An error says the path of the field
    below `name`, what was expected and what came.

    >>> from_json(dict[str, tuple[int, int]], {"at": [1, "2"]}, "cells")
    Traceback (most recent call last):
    ...
    engine.errors.TableRefError: cells · at · 1: expected a whole number but got '2'
    """
    known: Any = kind
    value: T = _reader(known)(data, (name,))
    return value


def with_defaults(kind: type[T], given: Mapping[str, Any], name: str = "") -> T:
    """A dataclass whose fields all have defaults, with those that are given as JSON."""
    return from_json(kind, to_json(kind()) | dict(given), name)


Place = tuple[Any, ...]
"""Where a value stands: its own name, and the place that it stands in. Put into words by `_named` alone."""

Reader = Callable[[Any, Place], Any]
"""Reads the value of one type; made once for each."""

_TAKEN = frozenset({str, int, bool})
"""A value of just such a type is what a field of that type holds: most fields, without a call for each."""


def _taken(kind: Any) -> Any:
    """The type whose values a field of that type takes as they come; of others none."""
    return kind if kind in _TAKEN else _Nothing


class _Nothing:
    """The type of no value."""


@cache
def _reader(kind: Any) -> Reader:
    if kind is Any:
        return lambda data, _: data
    if get_origin(kind) is not None:
        return _generic(get_origin(kind), get_args(kind))
    return _plain(kind) if kind in _PLAIN else _record(kind)


def _generic(origin: Any, arguments: tuple[Any, ...]) -> Reader:
    if origin in (Union, UnionType):
        return _either(arguments)
    if origin is tuple:
        return _tuple(arguments)
    if origin is Literal:
        return _literal(arguments)
    item = _reader(arguments[1])

    def read(data: Any, place: Place) -> Any:
        _expect(isinstance(data, Mapping) and all(isinstance(k, str) for k in data), place, "an object", data)
        return {key: item(value, (key, place)) for key, value in data.items()}

    return read


def _literal(known: tuple[Any, ...]) -> Reader:
    words = f"one of {_listed(known)}"

    def read(data: Any, place: Place) -> Any:
        _expect(isinstance(data, str | int) and data in known, place, words, data)
        return data

    return read


def is_number(value: Any) -> bool:
    """Whether it is a finite number, and not true or false."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_PLAIN: dict[type, tuple[str, Callable[[Any], bool]]] = {
    str: ("a text", lambda value: isinstance(value, str)),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    int: ("a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool)),
    float: ("a number", is_number),
    NoneType: ("nothing", lambda value: value is None),
}
"""What is expected of each plain type, in words and as a test."""


def _plain(kind: Any) -> Reader:
    words, fits = _PLAIN[kind]

    def read(data: Any, place: Place) -> Any:
        if type(data) is not kind or kind is float:
            _expect(fits(data), place, words, data)
        return float(data) if kind is float else data

    return read


def _either(kinds: tuple[Any, ...]) -> Reader:
    """The first type of a union that fits; the error of the only one that is not None, if none does."""
    readers = [(kind, _reader(kind)) for kind in kinds]

    def read(data: Any, place: Place) -> Any:
        errors = []
        for kind, reader in readers:
            try:
                return reader(data, place)
            except TableRefError as error:
                errors.append((kind, error))
        known = [error for kind, error in errors if kind is not NoneType]
        raise known[0] if len(known) == 1 else TableRefError("; or ".join(map(str, known)))

    others = [reader for kind, reader in readers if kind is not NoneType]
    of_some = others[0] if len(others) == 1 else read

    def read_or_none(data: Any, place: Place) -> Any:
        return None if data is None else of_some(data, place)

    return read_or_none if NoneType in kinds else read


def _tuple(kinds: tuple[Any, ...]) -> Reader:
    readers = tuple(map(_reader, kinds[:1] if kinds[-1:] == (...,) else kinds))
    taken = _taken(kinds[0]) if kinds else _Nothing

    def read_each(data: Any, place: Place) -> Any:
        _expect(isinstance(data, list | tuple), place, "a list", data)
        one = readers[0]
        return tuple([item if type(item) is taken else one(item, (k, place)) for k, item in enumerate(data)])

    def read_all(data: Any, place: Place) -> Any:
        _expect(isinstance(data, list | tuple), place, "a list", data)
        _expect(len(readers) == len(data), place, f"a list of {len(readers)}", data)
        return tuple(
            reader(item, (k, place)) for k, (reader, item) in enumerate(zip(readers, data, strict=True))
        )

    return read_each if kinds[-1:] == (...,) else read_all


def _record(kind: Any) -> Reader:
    types, needed = _types(kind), _needed(kind)
    readers: dict[str, tuple[Any, Reader]] = {}
    title = kind.__name__.lower()
    words = f"{'an' if title[0] in 'aeiou' else 'a'} {title} with {_listed(types)}"

    def read(data: Any, place: Place) -> Any:
        right = isinstance(data, Mapping) and needed <= data.keys() <= types.keys()
        _expect(right, place, words, data)
        if not readers:
            # The readers of its fields are made late: a record may hold records of its own kind.
            readers.update({field: (_taken(of), _read_as(kind, field, of)) for field, of in types.items()})
        found = {}
        for field, item in data.items():
            taken, reader = readers[field]
            found[field] = item if type(item) is taken else reader(item, (field, place))
        return kind(**found)

    return read


_WHOLE: Mapping[Any, str] = {tuple: "tuple[str, ...]", dict: "Mapping[str, int]", list: "tuple[str, ...]"}
"""How the type of a field says what it holds, where it is written without that."""


@cache
def _types(kind: Any) -> dict[str, Any]:
    """The fields of a dataclass with their types."""
    if not is_dataclass(kind):
        plain = "a text, a number, true or false, None, a list, an object with such, or a dataclass"
        more = f"; write what it holds, as {_WHOLE[kind]}" if kind in _WHOLE else ""
        raise TableRefError(f"expected {plain} but got {kind.__name__}{more}")
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _read_as(kind: Any, field: str, of: Any) -> Reader:
    """The reader of a field; an error names it."""
    try:
        return _reader(of)
    except TableRefError as error:
        raise TableRefError(f"the type of {kind.__name__}.{field}: {error}") from None


@cache
def _needed(kind: Any) -> frozenset[str]:
    """The fields of a dataclass that have no default."""
    return frozenset(
        field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING
    )


def _named(place: Place) -> str:
    """The way to a value in words, from the outside in."""
    names = []
    while place:
        names.append(str(place[0]))
        place = place[1] if len(place) > 1 else ()
    return " · ".join(name for name in reversed(names) if name)


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def _expect(right: bool, place: Place, expected: str, data: Any) -> None:
    if not right:
        raise TableRefError(f"{_named(place)}: expected {expected} but got {data!r}".removeprefix(": "))
