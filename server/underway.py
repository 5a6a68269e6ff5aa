"""What the table's page draws of a car on its way, without a game: its path, and what it was so far."""

from __future__ import annotations

import numpy as np

from engine.errors import TableRefError
from server import words
from server.drawing import Space, line_in
from server.driving import Way
from server.protocol import WayView
from server.referee import Moment
from server.words import LengthUnit

EVERY = 3
"""Reads after which a way is recognised anew."""

_known: dict[str, tuple[tuple[float, int, bool], tuple[float, list[str]]]] = {}


def way_views(moment: Moment, space: Space | None, unit: LengthUnit) -> list[WayView]:
    """Every car that has left its rest and was read since."""
    if space is None:
        return []
    found = []
    for car, way in moment.ways.items():
        if not way.reads:
            continue
        try:
            length, steps = _so_far(car, way, moment)
        except TableRefError:
            # It has gone from the table again: its events tell.
            continue
        outline = way.stood.piece.body.footprint.outline
        nose = np.array([float(outline[:, 0].max()), float(outline[:, 1].min() + outline[:, 1].max()) / 2])
        path = np.array([pose.to_table(nose) for pose in (way.stood.pose, *way.poses)])
        found.append(
            WayView(
                car=car,
                path=line_in(space, path),
                start=line_in(space, way.stood.region.outline, closed=True),
                length_words=words.length(length, unit),
                steps=[words.retold(step, unit) for step in steps],
            )
        )
    return found


def _so_far(car: str, way: Way, moment: Moment) -> tuple[float, list[str]]:
    """The inches run and the runs in words, worked out every few reads and once for all pages."""
    now = moment.table.find(car)
    key = (way.since, len(way.reads) // EVERY, now.status.value == "still")
    known = _known.get(car)
    if known is None or known[0] != key:
        seen = way.recognised(now)
        known = _known[car] = (key, (seen.length.value, [d.words for d in seen.runs]))
    return known[1]
