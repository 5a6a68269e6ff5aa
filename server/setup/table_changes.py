"""What people say of a table, as changes of its file's text."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration.accuracy import ScaleBy
from calibration.gains import RULED_SHARE
from calibration.table_text import block, toml_of, with_field
from calibration.tablefile import TableFile
from engine.errors import TableRefError
from engine.space.catalogue import CARS
from engine.space.geometry import FloatArray
from engine.space.pieces import KINDS
from server.setup.setup_messages import NamePiece

LEAST_SIDE_IN, MOST_SIDE_IN = 6.0, 400.0
"""How wide and deep a table may be, inches."""

COLOURS = {
    "red": "#c8322b", "blue": "#2f6fd0", "green": "#2f8f4e", "yellow": "#d9a514", "black": "#3a3f44",
    "white": "#c9ccd1", "orange": "#d9772b", "purple": "#7d4fb3",
}  # fmt: skip

TURNS = {"nose": 0.0, "left": 90.0, "tail": 180.0, "right": -90.0}
"""The turn of a tag against the nose by where its printed top points, degrees."""


class SetupError(TableRefError):
    """Something that cannot be set up as asked."""


def rescaled(
    table: TableFile, ratio: float, why: str, share: float = RULED_SHARE, by: ScaleBy = "length"
) -> str:
    """The table's text with all printed sizes, and so the whole table, taken `ratio` times as large.

    `share` is how well that is known, a standard deviation; `by` what it was measured by.
    """
    text, data = table.text, toml_of(table.text)
    for kind, size in (("corner", "size_in"), ("piece", "tag_size_in")):
        for n, entry in enumerate(data.get(kind, ())):
            if size in entry:
                text = with_field(text, (kind, n), size, round(entry[size] * ratio, 4))
    text = with_field(text, ("accuracy",), "print_scale", round(share, 4), why)
    text = with_field(text, ("accuracy",), "scale_by", by)
    outline = table.surface.outline
    for name, values in (("size_in", np.ptp(outline, axis=0)), ("near_left_in", outline.min(axis=0))):
        text = with_field(text, ("surface",), name, [round(float(v) * ratio, 2) for v in values])
    return text


def is_rectangle(table: TableFile) -> bool:
    """Whether the table file gives its surface as a rectangle, which can be dragged by its corners."""
    return "size_in" in toml_of(table.text).get("surface", {}) and len(table.surface.outline) == 4


def rectangle(table: TableFile) -> FloatArray:
    """The corners (4, 2) of a table's rectangle, inches, counter-clockwise from the near left one."""
    low, high = table.surface.outline.min(axis=0), table.surface.outline.max(axis=0)
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])])


def corner_moved(table: TableFile, corner: int, at: FloatArray) -> str:
    """The table's text with one corner of its rectangle at (x, y), inches; the opposite one stays.

    Raises `SetupError` where no table would be left, or it is no rectangle.
    """
    if not is_rectangle(table):
        raise SetupError("this table is no rectangle: change [surface] in its file")
    stays = rectangle(table)[(corner + 2) % 4]
    low, high = np.minimum(stays, at), np.maximum(stays, at)
    was = rectangle(table)[corner]
    if (high - low).min() < LEAST_SIDE_IN or ((at - stays) * (was - stays) < 0).any():
        raise SetupError(
            f"a table is at least {LEAST_SIDE_IN:g} inches wide and deep: drag the corner outward"
        )
    return outlined(table, low, high, "its corners were dragged on the picture")


def outlined(table: TableFile, low: FloatArray, high: FloatArray, why: str) -> str:
    """The table's text with the rectangle between two corners (2,), inches, as its outline.

    Raises `SetupError` where that is no size for a table.
    """
    if (high - low).min() < LEAST_SIDE_IN:
        raise SetupError(f"a table is at least {LEAST_SIDE_IN:g} inches wide and deep")
    if (high - low).max() > MOST_SIDE_IN:
        raise SetupError(f"a table is at most {MOST_SIDE_IN:g} inches wide and deep")
    size, near_left = ([round(float(v), 2) for v in values] for values in (high - low, low))
    text = with_field(table.text, ("surface",), "size_in", size, why)
    return with_field(text, ("surface",), "near_left_in", near_left)


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
        if asked.seen_to_in is not None:
            notes["size_in"] = f"as the camera saw it, ±{asked.seen_to_in:.2f} (95 %); a ruler is surer"
    fields |= {
        "tag": asked.tag, "tag_size_in": asked.tag_size_in, "tag_height_in": height,
        "tag_turn_deg": TURNS[asked.top] or None,
        "tag_sd_height_in": None if asked.height_in else 0.1,
    }  # fmt: skip
    notes["tag_sd_height_in"] = "leave this line out once the height is measured"
    return block("[[piece]]", fields, notes)
