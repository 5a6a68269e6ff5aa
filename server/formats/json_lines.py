"""JSON Lines: one record a line."""

from __future__ import annotations

import json
from typing import Any


def line(record: dict[str, Any]) -> str:
    """One record as one line."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False)
