"""Ways into a JSON value: what a field holds and is called, and a copy with another value in it."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine.errors import TableRefError
from engine.game.forms import in_words
from engine.game.records import is_number
from engine.game.showing import Cards, Counter, Sheet, Slots, Track, Words


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


def place_words(sheets: Sequence[Sheet], path: Sequence[str | int]) -> str:
    """What a field is called where it stands on a sheet; elsewhere the parts of its path.

    >>> from engine.game.showing import Counter
    >>> speed = Counter(words="Speed", value=3, path=("cars", "Red 1", "speed"))
    >>> place_words([Sheet("Red 1", "Anna", (speed,))], ["cars", "Red 1", "speed"])
    'Red 1 · Speed'
    >>> place_words([], ["house", "blast_dice"])
    'house · blast dice'
    """
    found = _on_sheet(sheets, path)
    if found is not None:
        return f"{found[0].title} · {found[1].words}"
    return " · ".join(str(part).replace("_", " ") for part in path)


def value_words(sheets: Sequence[Sheet], path: Sequence[str | int], value: Any) -> str:
    """What a field holds, as its sheet says it: a choice by its words, what is marked as marked.

    >>> from engine.game.forms import Candidate
    >>> fate = Words(words="It is", text="in play", choices=(Candidate(True, "a wreck"),), path=("wreck",))
    >>> value_words([Sheet("Red 1", "Anna", (fate,))], ["wreck"], True)
    'a wreck'
    """
    found = _on_sheet(sheets, path)
    widget = None if found is None else found[1]
    match widget:
        case Words():
            chosen = next((c.words for c in widget.choices if c.value == value), None)
            return in_words(value) if chosen is None else chosen
        case Track():
            return f"{in_words(value)} marked"
        case Slots():
            return ", ".join(in_words(item or "empty") for item in value)
    return in_words(value)


def refused_words(sheets: Sequence[Sheet], path: Sequence[str | int], value: Any, why: str) -> str:
    """Say why a field cannot hold a value, by what its sheet calls it; elsewhere as the state says it.

    >>> from engine.game.showing import Counter
    >>> speed = Counter(words="Speed", value=3, low=1, high=8, path=("cars", "Red 1", "speed"))
    >>> why = "cars · Red 1 · speed: expected 1 to 8"
    >>> refused_words([Sheet("Red 1", "Anna", (speed,))], speed.path, 9, why)
    'Red 1 · Speed: expected 1 to 8 but got 9'
    """
    found = _on_sheet(sheets, path)
    if found is None:
        return why
    match found[1]:
        case Counter(low=low, high=high):
            fits, expected = is_number(value) and low <= value <= high, f"{in_words(low)} to {in_words(high)}"
        case Track(boxes=boxes):
            fits, expected = is_number(value) and 0 <= value <= len(boxes), f"0 to {len(boxes)}"
        case Words(choices=choices):
            fits = value in [c.value for c in choices]
            expected = " or ".join(c.words for c in choices)
        case Slots(slots=slots, choices=choices):
            fits = isinstance(value, list | tuple) and len(value) == len(slots)
            fits = fits and all(one is None or one in choices for one in value)
            expected = f"for each place {', '.join(choices)} or nothing"
    told = why.rpartition(": ")[2]
    if fits or not told.startswith("expected"):
        # It may be so by itself: what it does not go with is said after the field of the state.
        return f"{place_words(sheets, path)}: {told}"
    return f"{place_words(sheets, path)}: expected {expected} but got {in_words(value)}"


def _on_sheet(
    sheets: Sequence[Sheet], path: Sequence[str | int]
) -> tuple[Sheet, Track | Slots | Words | Counter] | None:
    """The sheet on which a field stands, with its widget."""
    for sheet in sheets:
        for widget in (*sheet.widgets, *sheet.by_hand):
            if not isinstance(widget, Cards) and widget.path and list(widget.path) == list(path):
                return sheet, widget
    return None


def not_plain(value: Any, name: str = "data") -> str | None:
    """What is not plain JSON in a value, by the name of its field; None when everything is.

    >>> not_plain({"steps": [{"ahead": math.inf}]})
    'ahead: expected a number but got inf'
    """
    if value is None or isinstance(value, str | bool):
        return None
    if isinstance(value, int | float):
        return None if math.isfinite(value) else f"{name}: expected a number but got {value}"
    if isinstance(value, list | tuple):
        inside = [(name, item) for item in value]
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        inside = list(value.items())
    else:
        return f"{name}: expected plain JSON values but got {value!r}"
    return next((odd for field, item in inside if (odd := not_plain(item, field)) is not None), None)
