"""A length that somebody measured with a ruler: the scale of print and table."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.accuracy import RULED_IN, Accuracy, ScaleBy
from calibration.gains import RULED_SHARE
from calibration.surface import Surface
from calibration.table_text import block, with_block, without_block
from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from server.setup.setup_messages import KnownLength
from server.setup.table_changes import SetupError, rescaled
from vision.frame import Detection
from vision.tags.unnamed import USUAL_FAMILY


def with_length(
    asked: KnownLength, table: TableFile, surface: Surface | None, detections: Sequence[Detection]
) -> str:
    """The table's text with a measured length, and with all printed sizes as it says they are.

    `detections` are the tags in view, `surface` the table under the camera. A length between tags counts by
    itself as long as they lie as they lie now; the sizes count when they are laid anew. Raises `SetupError`
    for a length that cannot be meant.
    """
    ratio, why, share, by = _ratio(asked, table, surface, detections)
    text = rescaled(table, ratio, why, share, by)
    if asked.between is None or asked.length_in is None or surface is None:
        return text
    for n, length in reversed(list(enumerate(table.lengths))):
        if {tag for _, tag in length.between} == set(asked.between):
            text = without_block(text, ("length", n))
    corners = {(c.family, c.tag) for c in table.corners} | {(t.family, t.tag) for t in table.loose}
    laid = [_lies(d.tag, surface, d.corners, ratio) for d in detections if (d.family, d.tag) in corners]
    fields = {"between": asked.between, "length_in": asked.length_in, "sd_in": RULED_IN, "laid": laid}
    notes = {
        "between": "measured on the set-up page, from centre to centre",
        "laid": "tag, x, y, turn: how the tags lay then; it counts as long as they lie so",
    }
    return with_block(text, block("[[length]]", fields, notes))


def _lies(tag: int, surface: Surface, corners: FloatArray, ratio: float) -> list[float]:
    """A corner tag's id, where its middle is, inches, and where its printed top points, degrees."""
    on_table = surface.table_from_image(corners)
    up = on_table[0] + on_table[1] - on_table[2] - on_table[3]
    x, y = on_table.mean(axis=0) * ratio
    # What is added makes no zero negative.
    return [
        tag,
        round(float(x), 3) + 0.0,
        round(float(y), 3) + 0.0,
        round(math.degrees(math.atan2(up[1], up[0])), 2),
    ]


def _ratio(
    asked: KnownLength, table: TableFile, surface: Surface | None, detections: Sequence[Detection]
) -> tuple[float, str, float, ScaleBy]:
    """How much larger than stated everything printed is, why in words, how surely, and by what."""
    if asked.bar_mm is not None:
        if table.accuracy.print_scale < Accuracy().print_scale:
            raise SetupError("the printed sizes are measured already: give a length between two tags instead")
        words = f"the bar of 100 mm was measured as {asked.bar_mm:g} mm"
        return asked.bar_mm / 100.0, words, RULED_SHARE, "bar"
    if asked.between is None or asked.length_in is None:
        raise SetupError("say what the printed bar measures, or how far two corner tags are apart")
    centres = {d.tag: d.corners.mean(axis=0) for d in detections if d.family == USUAL_FAMILY}
    missing = [t for t in asked.between if t not in centres]
    if missing or surface is None:
        what = f"tag {missing[0]} is not seen now" if missing else "the table is not found now"
        raise SetupError(f"{what}: clear the corner tags, and try again in a moment")
    a, b = surface.table_from_image(np.array([centres[t] for t in asked.between]))
    seen = float(np.hypot(*(a - b)))
    if seen < 1.0:
        raise SetupError("expected two different tags, some inches apart")
    ratio = asked.length_in / seen
    if not 0.8 <= ratio <= 1.25:
        raise SetupError(
            f"tags {asked.between[0]} and {asked.between[1]} look {seen:.1f} in apart, not "
            f"{asked.length_in:g}: measure from centre to centre, and see which size was printed"
        )
    words = f"tags {asked.between[0]} and {asked.between[1]} were measured {asked.length_in:g} in apart"
    return ratio, words, RULED_IN / asked.length_in, "length"
