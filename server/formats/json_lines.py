"""JSON Lines: one record a line, which may go to a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO

from server.formats.terminal import is_order


def line(record: dict[str, Any]) -> str:
    r"""One record as one line; what a terminal would obey is written as JSON writes it.

    >>> print(line({"player": "Zo\u202e"}))
    {"player": "Zo\u202e"}
    """
    told = json.dumps(record, ensure_ascii=False, allow_nan=False)
    return told if told.isprintable() else "".join(json.dumps(c)[1:-1] if is_order(c) else c for c in told)


_apart: list[TextIO] = []
"""Where records go while all else goes to the errors."""


@contextmanager
def apart() -> Iterator[TextIO]:
    """Keeps the output for records: what others print within it, as a game might, goes to the errors."""
    _apart.append(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield _apart[-1]
    finally:
        _apart.pop()


def tell(record: dict[str, Any]) -> None:
    """Prints a record as one line, at once."""
    print(line(record), file=_apart[-1] if _apart else sys.stdout, flush=True)
