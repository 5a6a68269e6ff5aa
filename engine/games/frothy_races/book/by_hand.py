"""Circuits with hexes laid by hand: which way they run, where a lap begins, and all that is against them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from engine.boards.board import BoardError, Cell
from engine.boards.hexes import STEPS, Hexes
from engine.boards.laying import Laid
from engine.boards.loose import LooseTrack
from engine.boards.ring import MOST, Ring, holes, parts, ring_of
from engine.games.frothy_races.book.written import WAYS, Written, cell_name
from engine.ruling import many

SHORTEST = 12
"""Spaces of a lap at least, as many as the fastest vehicle goes in a round: house default."""

FEWEST, PLACES = 2, 12
"""Start places at least and at most."""

NAMED = 3
"""Hexes that are named where something is said of many."""


def cells_of(written: Written, track: Laid | None) -> frozenset[Cell]:
    """The hexes of the pieces and those that were laid, without those that were taken away."""
    there = frozenset() if track is None else frozenset(c for lane in track.lanes for c in lane)
    return (there | written.added) - written.taken


def way_of(ring: Ring, written: Written, track: Laid | None) -> int:
    """How it is driven, 1 counter-clockwise or -1: as it is written, else as its first piece leads."""
    if written.way:
        return -1 if written.way == WAYS[1] else 1
    for cell, heading in () if track is None else track.starts:
        if cell in ring.cells - ring.aside:
            q, r = STEPS[heading]
            along = ring.current[cell][0] * (q + r / 2) + ring.current[cell][1] * r * np.sqrt(3) / 2
            return 1 if along >= 0.0 else -1
    return 1


def board_of(
    cells: frozenset[Cell], start: Sequence[Cell], written: Written, track: Laid | None, wrong: list[str]
) -> Hexes:
    """The hexes as a track, or without lanes where they are none; what is against that goes to `wrong`."""
    field = Hexes(tuple(sorted(cells)))
    if found := _no_ring(cells):
        wrong += found
        return field
    ring = ring_of(cells)
    if not FEWEST <= len(start) <= PLACES:
        told = many(len(start), "start place") if start else "no start place lies yet"
        wrong.append(f"{told}: expected {FEWEST} to {PLACES}, the best first, for laps begin ahead of them")
    if not start:
        return field
    try:
        board = LooseTrack.behind(start, cells, way_of(ring, written, track))
    except BoardError:
        aside = ", ".join(map(cell_name, start))
        wrong.append(f"no lap can begin ahead of the start places {aside}: the track does not lead on there")
        return field
    wrong += _misplaced(board, start)
    return board


def _no_ring(cells: frozenset[Cell]) -> list[str]:
    """Why the hexes are no circuit."""
    if len(cells) > MOST:
        return [f"{len(cells)} hexes: expected {MOST} at most"]
    apart = parts(cells)
    if len(apart) > 1:
        small = apart[-1]
        others = f" and the {len(small) - 1} that hang with it" if len(small) > 1 else ""
        named = cell_name(min(small))
        return [f"the hexes lie in {len(apart)} parts: lay more between them, or take {named}{others} away"]
    if not holes(cells):
        return ["it does not close: the hexes go round nothing yet, so that no lap can be told"]
    return []


def _misplaced(board: LooseTrack, start: Sequence[Cell]) -> list[str]:
    """What is against the lap and the start places."""
    found = []
    if len(board.line) < SHORTEST:
        least = f"expected {SHORTEST} or more, as far as a vehicle goes in a round"
        found.append(f"a lap is {len(board.line)} spaces: {least}")
    for cell in start:
        if board.progress(cell) < 0.5:
            found.append(f"start place {board.name_of(cell)} is half a lap and more behind the foremost")
        if cell in board.ring.aside:
            found.append(
                f"start place {board.name_of(cell)} lies aside: no direction of travel is clear there"
            )
    return found


def notes_of(board: Hexes) -> list[str]:
    """What is worth knowing of a circuit: its lap, its narrowest place, and where something is ambiguous."""
    if not isinstance(board, LooseTrack):
        return []
    ring = board.ring
    width, where = ring.narrowest
    abreast = f"{width} hexes side by side" if width > 1 else "one hex: nobody can pass there"
    found = [
        f"a lap is {len(board.line)} spaces along the middle, driven {WAYS[board.way < 0]}",
        f"its narrowest place, at {board.name_of(where)}, is {abreast}",
    ]
    for island in ring.islands:
        beside = board.name_of(min(c for c in ring.cells if _touches(c, island)))
        told = many(len(island), "hex", "hexes")
        words = f"the hole of {told} beside {beside} is an island: a lap may pass it on either side"
        if 2 * len(island) > len(ring.hole):
            words += f"; the inside is ambiguous, and taken to be the larger hole, of {len(ring.hole)} hexes"
        found.append(words)
    if ring.aside:
        told = many(len(ring.aside), "hex", "hexes")
        found.append(
            f"on {told} the direction of travel is ambiguous, for the way round does not lead there: "
            f"{_some(board, ring.aside)}; facing and progress are taken from where they join it"
        )
    return found


def _touches(cell: Cell, others: Collection[Cell]) -> bool:
    return any((cell[0] + q, cell[1] + r) in others for q, r in STEPS)


def _some(board: Hexes, cells: Collection[Cell]) -> str:
    names = [board.name_of(c) for c in sorted(cells)]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
