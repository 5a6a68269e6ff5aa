"""What FastAPI makes of the types in its routes, made once a process and not once for each application.

An application has some 440 of them, a third of the work of beginning to serve; a thousand tests begin one.
"""

from __future__ import annotations

from copy import copy
from typing import Any, get_args

import fastapi._compat.v2 as made_by
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
