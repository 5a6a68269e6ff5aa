"""Words for people that need no numbers: names in a row. Commands that list games load no numpy for them."""

from __future__ import annotations

from collections.abc import Iterable


def listed(names: Iterable[str], joint: str = "and") -> str:
    """Names in a row.

    >>> listed(["the mug", "RED1", "BLUE2"]), listed(["RED1"]), listed([])
    ('the mug, RED1 and BLUE2', 'RED1', '')
    >>> listed(["Ann", "Ben", "Cat"], "or")
    'Ann, Ben or Cat'
    """
    *others, last = tuple(names) or ("",)
    return f"{', '.join(others)} {joint} {last}" if others else last
