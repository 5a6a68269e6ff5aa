"""What people say of a table, as changes of its file's text."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np

from calibration.table_text import block, with_field
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.space.catalogue import CARS
from engine.space.pieces import KINDS
from server.setup.setup_messages import NamePiece

RULED_SHARE = 0.0015
"""How well a scale is known from a bar or a length that was measured with a ruler: a share of it."""

COLOURS = {
    "red": "#c8322b", "blue": "#2f6fd0", "green": "#2f8f4e", "yellow": "#d9a514", "black": "#3a3f44",
    "white": "#c9ccd1", "orange": "#d9772b", "purple": "#7d4fb3",
}  # fmt: skip

_TURNS = {"nose": 0.0, "left": 90.0, "tail": 180.0, "right": -90.0}


class SetupError(TableRefError):
    """Something that cannot be set up as asked."""


def rescaled(table: TableFile, ratio: float, why: str) -> str:
    """The table's text with all printed sizes, and so the whole table, taken `ratio` times as large."""
    text, data = table.text, tomllib.loads(table.text)
    for kind, size in (("corner", "size_in"), ("piece", "tag_size_in")):
        for n, entry in enumerate(data.get(kind, ())):
            if size in entry:
                text = with_field(text, (kind, n), size, round(entry[size] * ratio, 4))
    text = with_field(text, ("accuracy",), "print_scale", RULED_SHARE, why)
    outline = table.surface.outline
    for name, values in (("size_in", np.ptp(outline, axis=0)), ("near_left_in", outline.min(axis=0))):
        text = with_field(text, ("surface",), name, [round(float(v) * ratio, 2) for v in values])
    return text


def piece_text(asked: NamePiece) -> str:
    """The table of a piece, with comments. Raises `SetupError` for what is missing."""
    fields: dict[str, Any] = {"name": asked.name.strip(), "kind": asked.kind}
    notes: dict[str, str] = {}
    if asked.owner:
        fields["owner"] = asked.owner.strip()
        fields["colour"] = COLOURS.get(asked.owner.strip().casefold())
    if KINDS[asked.kind].look == "car":
        if asked.model is None or asked.model not in CARS:
            raise SetupError(f"choose the model of {asked.name}: one of {', '.join(CARS)}")
        fields["model"] = asked.model
        height = asked.height_in or CARS[asked.model].height
        notes["tag_height_in"] = "measured" if asked.height_in else "the model's; nobody measured it"
    else:
        missing = [n for n in ("length_in", "width_in", "height_in") if getattr(asked, n) is None]
        if missing or asked.height_in is None:
            raise SetupError(f"{asked.name} needs its {', '.join(n[:-3] for n in missing)} in inches")
        fields |= {"shape": "box", "size_in": [asked.length_in, asked.width_in], "height_in": asked.height_in}
        height = asked.height_in
    fields |= {
        "tag": asked.tag, "tag_size_in": asked.tag_size_in, "tag_height_in": height,
        "tag_turn_deg": _TURNS[asked.top] or None,
        "tag_sd_height_in": None if asked.height_in else 0.1,
    }  # fmt: skip
    notes["tag_sd_height_in"] = "leave this line out once the height is measured"
    return block("[[piece]]", fields, notes)
