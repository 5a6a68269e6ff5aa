"""Words for people that need no numbers: names in a row. Commands that list games load no numpy for them."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """Names in a row.

    >>> listed(["the mug", "RED1", "BLUE2"]), listed(["RED1"]), listed([])
    ('the mug, RED1 and BLUE2', 'RED1', '')
    """
    *others, last = names or ("",)
    return f"{', '.join(others)} and {last}" if others else last
