"""What is the same in each application, made once a process.

FastAPI looks into the types and functions of some 440 routes, half of the work of beginning to serve; a
thousand tests begin it.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from types import CodeType, FunctionType
from typing import Any, get_args

import fastapi._compat.v2 as made_by
import fastapi.dependencies.models as told_of
import fastapi.dependencies.utils as used
import fastapi.routing as routed
from pydantic import TypeAdapter

_made: dict[Any, TypeAdapter[Any]] = {}
_answers: dict[Any, Any] = {}
_field = routed.create_model_field
_asked: dict[Any, Any] = {}
_read = routed.get_dependant


def _adapter(annotated: Any, config: Any = None) -> TypeAdapter[Any]:
    """Give what validates and writes a type; a type with the same words about it gets the same."""
    kind, *about = get_args(annotated)
    try:
        return _made[kind, repr(about), repr(config)]
    except KeyError:
        return _made.setdefault((kind, repr(about), repr(config)), TypeAdapter(annotated, config=config))
    except TypeError:  # a type that cannot be a key
        return TypeAdapter(annotated, config=config)


vars(made_by)["TypeAdapter"] = _adapter


def _answer(name: str, type_: Any, **about: Any) -> Any:
    """Give what writes an answer: that of a route is the same in every application."""
    if set(about) != {"mode"}:
        return _field(name, type_, **about)
    try:
        return _answers[name, type_, about["mode"]]
    except KeyError:
        return _answers.setdefault((name, type_, about["mode"]), _field(name, type_, **about))
    except TypeError:  # a type that cannot be a key
        return _field(name, type_, **about)


vars(routed)["create_model_field"] = _answer


def _dependant(*, path: str, call: Any, **about: Any) -> Any:
    """Give what a route reads out of a request: the same for each function that is made of the same lines."""
    key = path, getattr(call, "__code__", None), tuple(about.items())
    found = _asked.get(key)
    if found is None or key[1] is None:
        found = _read(path=path, call=call, **about)
        if not found.dependencies and not hasattr(call, "__wrapped__"):
            _asked[key] = found
        return found
    mine = copy(found)
    mine.call, mine.dependencies = call, []
    return mine


vars(routed)["get_dependant"] = _dependant


def _by_its_lines(ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Ask of each function but once: those that are made of the same lines are of one kind."""
    known: dict[CodeType, Any] = {}

    def asked(call: Any) -> Any:
        # What is wrapped or marked carries that with it.
        if not isinstance(call, FunctionType) or vars(call):
            return ask(call)
        code = call.__code__
        if code not in known:
            known[code] = ask(call)
        return known[code]

    return asked


for _name in (
    "_is_gen_callable", "_is_async_gen_callable", "_is_coroutine_callable", "get_typed_return_annotation",
):  # fmt: skip
    _once = _by_its_lines(vars(routed)[_name])
    for _where in (told_of, used, routed):
        if _name in vars(_where):
            vars(_where)[_name] = _once
