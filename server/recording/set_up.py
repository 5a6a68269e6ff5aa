"""The set-up of a table in a game's record, where it was changed while the game went on.

Such a game goes on in the same record: an entry holds the table file by which it is refereed from then on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from calibration.lens.model import lens_to_dict
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from server.formats.entries import Entry
from server.recording.library.records import table_of

SET_UP = "camera.set_up"
"""The kind of the entries that tell of it."""

WORDS = "The set-up of the table was changed: the game goes on by the new one."


def set_up_entry(table: TableFile, time: float) -> Entry:
    """The table file from this time of the source on, with the lens that it names."""
    lens = None if table.lens is None else lens_to_dict(table.lens)
    return Entry(SET_UP, time, WORDS, {"table_file": table.text, "lens": lens})


def set_up_of(data: Mapping[str, Any]) -> TableFile:
    """The table file that such an entry holds; a clear error for anything else."""
    text, lens = data.get("table_file"), data.get("lens")
    if not isinstance(text, str) or not (lens is None or isinstance(lens, Mapping)):
        raise TableRefError("expected the text of a changed set-up, and the lens that it names")
    return table_of(text, None if lens is None else json.dumps(lens), "a game")
