"""The hash chain of a record: each entry holds the link of all before it, so a later change is found.

Link 0 of a game is empty. Link *n* is the SHA-256 of link *n* - 1 and of the text of entry *n*. Whoever
holds one link (each seal does) holds all entries up to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

FIELDS = ("number", "kind", "at_s", "source_s", "wall", "actor", "words", "data")
"""Of a row of the table `entry`, in the order in which they are hashed; `data` is the text of its JSON."""


@dataclass(frozen=True, slots=True)
class Head:
    """The newest link of a record: that of `entries` entries."""

    entries: int = 0
    link: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of checking a record: its head, the first entry that was changed, how many are missing."""

    head: Head
    broken: int | None
    missing: int


def link(before: str, row: Mapping[str, Any]) -> str:
    """The link after an entry, in hexadecimal digits.

    >>> row = dict.fromkeys(FIELDS, "") | {"number": 1, "at_s": 0.5, "source_s": None, "data": "{}"}
    >>> link("", row) == link("", dict(row)), link("", row) == link("", row | {"words": "else"})
    (True, False)
    """
    text = json.dumps([before, *(row[field] for field in FIELDS)], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def check(rows: Iterable[Mapping[str, Any]], at: int | None = None) -> Checked:
    """Checks rows of `entry`, in order, up to the number `at`, or all.

    Numbers that are missing, as choices in secret are in an exported game, cannot be checked.
    """
    head, missing = Head(), 0
    for row in rows:
        if at is not None and row["number"] > at:
            break
        skipped = row["number"] - head.entries - 1
        missing += skipped
        if not skipped and row["before"] != head.link:
            return Checked(head, head.entries or row["number"], missing)
        head = Head(row["number"], link(row["before"], row))
    return Checked(head, None, missing)
