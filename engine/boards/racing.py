"""Who is in front on a circuit, and how far each piece has come, from the hexes that they stand on."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from engine.boards.board import Cell
from engine.boards.hexes import Hexes

SAME = 1e-9
"""Laps within which two are level: rounding, no more."""


def on_from(before: float, track: Hexes, cell: Cell) -> float:
    """How far a piece has come now that it stands on `cell`, in laps since the start of the lanes.

    `before` is how far it had come, at most half a lap from there: less than nothing behind the line.

    >>> from engine.boards.hexes import oval
    >>> track = Hexes.track(oval(6, 2, 3))
    >>> on_from(0.98, track, track.lanes[1][0]), on_from(1.0, track, track.lanes[1][-1]) < 1.0
    (1.0, True)
    """
    step = (track.progress(cell) - before + 0.5) % 1.0 - 0.5
    now = before + step
    # A line that was reached is reached, whatever was rounded.
    return round(now) + 0.0 if abs(now - round(now)) < SAME else now


def front_first(track: Hexes, cells: Mapping[str, Cell]) -> tuple[str, ...]:
    """The names of pieces as they stand on a circuit: the one in front first, of level ones the inmost.

    In front is who has the longest empty stretch of track ahead: a piece that is a lap behind but stands just
    ahead of another is in front of it. Of equally long stretches the one that ends nearest the end of the lap
    counts.
    """
    if not cells:
        return ()
    along = {name: track.progress(cell) for name, cell in cells.items()}
    order = sorted(cells, key=lambda name: (-round(along[name], 9), track.lane_of(cells[name])))
    gaps = [(along[ahead] - along[name]) % 1.0 for ahead, name in pairwise((order[-1], *order))]
    gaps = [gap if gap > SAME and gap < 1.0 - SAME else 0.0 for gap in gaps]
    leader = max(range(len(order)), key=lambda n: (round(gaps[n], 9), -n))
    return (*order[leader:], *order[:leader])
