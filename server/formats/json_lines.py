"""JSON Lines: one record a line, which may go to a terminal."""

from __future__ import annotations

import json
from typing import Any

from server.formats.terminal import is_order


def line(record: dict[str, Any]) -> str:
    r"""One record as one line; what a terminal would obey is written as JSON writes it.

    >>> line({"player": "Zo\x9b2J\u202e"})
    '{"player": "Zo\\\\u009b2J\\\\u202e"}'
    """
    told = json.dumps(record, ensure_ascii=False, allow_nan=False)
    return told if told.isprintable() else "".join(json.dumps(c)[1:-1] if is_order(c) else c for c in told)
