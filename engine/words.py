"""Words for people that need no numbers: names, also in a row. Commands that list games load no numpy."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_KEPT = "\u200c\u200d"
"""Letters of Persian and pictures of families are joined by these two, and nothing else is changed."""

_ORDERS = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Control, formatting (bidirectional ones among them), half characters, ends of lines and paragraphs."""


def is_order(character: str) -> bool:
    """Whether a terminal or a page would do something else with this character than show it."""
    return unicodedata.category(character) in _ORDERS and character not in _KEPT


def is_one_line(text: str) -> bool:
    r"""Whether a text is one line in which every character is shown.

    >>> is_one_line("Zoë 👨\u200d👧"), is_one_line("Ann\nBen"), is_one_line("\u202eAnn")
    (True, False, False)
    """
    return not any(map(is_order, text))


def listed(names: Iterable[str], joint: str = "and") -> str:
    """Names in a row.

    >>> listed(["the mug", "RED1", "BLUE2"]), listed(["RED1"]), listed([])
    ('the mug, RED1 and BLUE2', 'RED1', '')
    >>> listed(["Ann", "Ben", "Cat"], "or")
    'Ann, Ben or Cat'
    """
    *others, last = tuple(names) or ("",)
    return f"{', '.join(others)} {joint} {last}" if others else last
