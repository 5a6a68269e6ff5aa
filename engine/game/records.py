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
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple | list):
        return [to_json(item) for item in value]
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    kind: Any = type(value)
    return {name: to_json(getattr(value, name)) for name in _types(kind)}


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
    value: T = _read(kind, data, name)
    return value


def _read(kind: Any, data: Any, name: str) -> Any:
    if kind is Any:
        return data
    if get_origin(kind) is not None:
        return _generic(get_origin(kind), get_args(kind), data, name)
    if kind not in _PLAIN:
        return _record(kind, data, name)
    words, fits = _PLAIN[kind]
    _expect(fits(data), name, words, data)
    return float(data) if kind is float else data


def _generic(origin: Any, arguments: tuple[Any, ...], data: Any, name: str) -> Any:
    if origin in (Union, UnionType):
        return _either(arguments, data, name)
    if origin is tuple:
        return _tuple(arguments, data, name)
    if origin is Literal:
        _expect(isinstance(data, str | int) and data in arguments, name, f"one of {_listed(arguments)}", data)
        return data
    _expect(isinstance(data, Mapping) and all(isinstance(k, str) for k in data), name, "an object", data)
    return {key: _read(arguments[1], item, _below(name, key)) for key, item in data.items()}


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


def _either(kinds: tuple[Any, ...], data: Any, name: str) -> Any:
    """The first type of a union that fits; the error of the only one that is not None, if none does."""
    errors = []
    for kind in kinds:
        try:
            return _read(kind, data, name)
        except TableRefError as error:
            errors.append((kind, error))
    known = [error for kind, error in errors if kind is not NoneType]
    raise known[0] if len(known) == 1 else TableRefError("; or ".join(map(str, known)))


def _tuple(kinds: tuple[Any, ...], data: Any, name: str) -> tuple[Any, ...]:
    _expect(isinstance(data, list | tuple), name, "a list", data)
    if kinds[-1:] == (...,):
        kinds = kinds[:1] * len(data)
    _expect(len(kinds) == len(data), name, f"a list of {len(kinds)}", data)
    return tuple(
        _read(kind, item, _below(name, str(k)))
        for k, (kind, item) in enumerate(zip(kinds, data, strict=True))
    )


def _record(kind: Any, data: Any, name: str) -> Any:
    types, needed = _types(kind), _needed(kind)
    right = isinstance(data, Mapping) and needed <= set(data) <= set(types)
    title = kind.__name__.lower()
    _expect(right, name, f"{'an' if title[0] in 'aeiou' else 'a'} {title} with {_listed(types)}", data)
    return kind(**{field: _read(types[field], item, _below(name, field)) for field, item in data.items()})


@cache
def _types(kind: Any) -> dict[str, Any]:
    """The fields of a dataclass with their types."""
    if not is_dataclass(kind):
        raise TableRefError(f"expected a dataclass or a plain value but got {kind.__name__}")
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


@cache
def _needed(kind: Any) -> frozenset[str]:
    """The fields of a dataclass that have no default."""
    return frozenset(
        field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING
    )


def _below(name: str, field: str) -> str:
    return f"{name} · {field}" if name else field


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def _expect(right: bool, name: str, expected: str, data: Any) -> None:
    if not right:
        raise TableRefError(f"{name}: expected {expected} but got {data!r}".removeprefix(": "))
