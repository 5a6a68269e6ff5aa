"""The seal: one number that stands for a dispute's evidence, and plain text that it is taken over."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

FORMAT = "tableref dispute"
VERSION = 3
KNOWN = (1, 2, 3)
"""The forms of the contents that can be read: 1 knew questions about a weapon and two pieces alone, 2 neither
what of a match was disputed, nor who consented, nor the state and the move that were ruled."""


def canonical(contents: Mapping[str, Any]) -> bytes:
    """JSON in its one form: keys sorted, no spaces, UTF-8, numbers as Python writes them shortest.

    >>> canonical({"b": 1.5, "a": "é"}).decode()
    '{"a":"é","b":1.5}'
    """
    text = json.dumps(contents, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def seal_of(contents: bytes) -> str:
    """SHA-256 over the canonical contents, in hexadecimal digits."""
    return hashlib.sha256(contents).hexdigest()


def in_groups(seal: str) -> str:
    """A seal as people compare it: sixteen groups of four.

    >>> in_groups("0123456789abcdef" * 4)[:14]
    '0123 4567 89ab'
    """
    return " ".join(seal[k : k + 4] for k in range(0, len(seal), 4))
