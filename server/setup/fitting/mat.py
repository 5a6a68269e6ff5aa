"""The edge of the mat, offered as the table's outline: found in the picture, shown, written when taken."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass

import numpy as np

from calibration.tablefile import TableFile
from engine.space.geometry import FloatArray
from server.setup.corner_choice import carriers
from server.setup.fitting.fit_messages import MatView
from server.setup.fitting.named import in_pixels
from server.setup.printing.last_look import LastLook
from server.setup.surface_setup import outline_in_image
from server.setup.table_changes import SetupError, is_rectangle, outlined, rectangle
from vision.mat_edges import SIDES, MatEdge, find_mat_edges

ASKEW_DEG = 0.5
"""An edge that runs more askew to the corner tags than this is told."""

WHY = "the edge of the mat, as the camera found it"


@dataclass(frozen=True, eq=False)
class _Offer:
    """What was offered: of which table, and the low and high corner of the rectangle, inches."""

    table: TableFile
    low: FloatArray
    high: FloatArray


class MatOutline:
    """Looks for the edge of the mat when asked, and remembers what it offered."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._offer: _Offer | None = None

    def find(self, last: LastLook) -> MatView:
        """The mat's edge in the picture of the last look; nothing is written. Raises `SetupError`."""
        table, frame = last.table, last.frame
        if table is None:
            raise SetupError("keep the table first: its edge is looked for round the corner tags")
        if not is_rectangle(table):
            raise SetupError("this table is no rectangle: change [surface] in its file")
        if frame is None or last.found is None:
            raise SetupError("the table is not found now: its edge cannot be looked for")
        surface, _ = last.found
        others = carriers(table)
        lying = set(table.keys) - set(others)
        flat = [d for d in last.detections if (d.family, d.tag) in lying]
        if len(flat) < 3:
            raise SetupError(
                f"corner tags seen now: {len(flat)}; at least three must be in view, uncovered, to tell "
                "where the mat may end"
            )
        points = surface.table_from_image(np.concatenate([d.corners for d in flat]))
        edges = find_mat_edges(frame.image, surface, points.min(axis=0), points.max(axis=0))
        low, high = (corner.copy() for corner in rectangle(table)[[0, 2]])
        for n, edge in enumerate(edges):
            if isinstance(edge, MatEdge):
                (low, high, high, low)[n][1 - n % 2] = edge.at
        seen = any(isinstance(e, MatEdge) for e in edges)
        with self._lock:
            self._offer = _Offer(table, low, high) if seen else None
        outline = np.array([low, (high[0], low[1]), high, (low[0], high[1])])
        return MatView(
            outline=in_pixels(outline_in_image(surface, outline)) if seen else [],
            words=" ".join(_words(edges, high - low)),
            may_take=seen,
        )

    def text(self, table: TableFile) -> str:
        """The table file's text with what was offered last. Raises `SetupError` where nothing was."""
        with self._lock:
            offer = self._offer
        if offer is None or offer.table.text != table.text:
            raise SetupError("the table has changed since the edge was found: look for it again")
        return outlined(table, offer.low, offer.high, WHY)


def _words(edges: list[MatEdge | str], size: FloatArray) -> list[str]:
    """What was found, for people: sentences."""
    found = {side: e for side, e in zip(SIDES, edges, strict=True) if isinstance(e, MatEdge)}
    if not found:
        return [
            "No edge of the mat is found. It must be in the picture on most of a side, of another colour "
            "than what lies below it, straight, and no more than 10 inches outside the corner tags."
        ]
    sure = 1.96 * max(e.sd for e in found.values())
    which = "on all four sides" if len(found) == 4 else f"on {len(found)} of four sides"
    words = [
        f"The edge is found {which}: {size[0]:.1f} × {size[1]:.1f} in, each side ±{sure:.2f} in against the "
        "corner tags."
    ]
    for side, e in zip(SIDES, edges, strict=True):
        if isinstance(e, str):
            words.append(f"The {side} side stays where it is: {e}.")
        elif abs(math.degrees(e.turn)) > ASKEW_DEG:
            words.append(f"The {side} side runs {abs(math.degrees(e.turn)):.1f}° askew to the corner tags.")
    return words
