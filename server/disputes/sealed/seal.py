"""The seal: one number that stands for a dispute's evidence, and plain text that it is taken over."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from engine.errors import TableRefError

FORMAT = "tableref dispute"
VERSION = 4
KNOWN = (1, 2, 3, 4)
"""The forms of the contents that can be read.

1 knew questions about a weapon and two pieces alone; 2 neither what of a match was disputed, nor who
consented, nor the state and the move that were ruled; 3 neither the record's link nor the key.
"""

MOST_ASKED = 40
"""Questions that may be asked of one frozen table."""

SEAL_DIGITS, DIGITS = 64, 20
"""Digits of a whole seal, and how many of them have to be noted: 80 bits, which nobody meets by trying."""


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


def noted_digits(text: str) -> str:
    """Digits of a seal or key as somebody noted them; spaces and case do not matter.

    >>> noted_digits("279C 9739 6bc7 233d 9861")
    '279c97396bc7233d9861'
    """
    digits = "".join(text.split()).casefold()
    if not DIGITS <= len(digits) <= SEAL_DIGITS or not set(digits) <= set("0123456789abcdef"):
        raise TableRefError(
            f"expected {DIGITS} to {SEAL_DIGITS} digits, 0 to 9 and a to f, but got {text!r}: a forged file "
            "can be made that has the same first few"
        )
    return digits


def in_groups(seal: str) -> str:
    """A seal as people compare it: sixteen groups of four.

    >>> in_groups("0123456789abcdef" * 4)[:14]
    '0123 4567 89ab'
    """
    return " ".join(seal[k : k + 4] for k in range(0, len(seal), 4))
