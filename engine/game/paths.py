"""Ways into a JSON value: what a field holds, and a copy with another value in it."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import TableRefError


def at(data: Any, path: Sequence[str | int]) -> Any:
    """What a JSON value holds at the end of a path.

    >>> at({"cars": [{"speed": 3}]}, ["cars", 0, "speed"])
    3
    """
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


def with_value(data: Any, path: Sequence[str | int], value: Any) -> Any:
    """A copy of a JSON value with another one at the end of a path."""
    if not path:
        raise TableRefError("expected a path into the state, such as cars · Red 1 · speed, but got none")
    at(data, path)
    out = copy.deepcopy(data)
    place = at(out, path[:-1])
    place[path[-1]] = copy.deepcopy(value)
    return out


def is_plain(value: Any) -> bool:
    """Whether a value is plain JSON: texts, finite numbers, true, false, none, lists and objects of them."""
    if value is None or isinstance(value, str | bool):
        return True
    if isinstance(value, int | float):
        return math.isfinite(value)
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    return isinstance(value, Mapping) and all(isinstance(k, str) and is_plain(v) for k, v in value.items())
