"""How much a test tries: a little in the gate, the volume that proves in `make deep`."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

DEEP = os.environ.get("TABLEREF_DEEP") == "1"
"""Whether this is `make deep`."""

Figure = Callable[[str, object], None]
"""What the fixture `figure` gives: it takes the words and the value of what was measured."""

deep = pytest.mark.deep
"""A test that only `make deep` runs."""


def volume(gate: int, deep: int) -> int:
    """Give how many a test tries, of games, kills, examples or draws: `gate` or, in `make deep`, `deep`."""
    return deep if DEEP else gate
