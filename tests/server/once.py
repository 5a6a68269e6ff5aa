"""What FastAPI makes of the types in its routes, made once a process and not once for each application.

An application has some 440 of them, a third of the work of beginning to serve; a thousand tests begin one.
"""

from __future__ import annotations

from typing import Any, get_args

import fastapi._compat.v2 as made_by
from pydantic import TypeAdapter

_made: dict[Any, TypeAdapter[Any]] = {}


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
