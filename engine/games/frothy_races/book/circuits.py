"""Closed circuits to race on, laid from modular track pieces: house defaults (Setup asks for any track).

All run counter-clockwise, so that the inmost lane is the first one, and have four lanes. A circuit's lanes
begin at its finish line; the starting grid lies on the rows before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.boards.board import Cell
from engine.boards.hexes import Hexes, Lanes
from engine.boards.laying import Laid, lay
from engine.boards.loose import LooseTrack, track_of
from engine.space.geometry import Pose
from engine.space.pieces import ORIGIN

LANES = 4

PIECES: Mapping[str, tuple[str, ...]] = {
    "straight": ("straight 4",),
    "short straight": ("straight 1",),
    "left bend": ("left",),
    "right bend": ("right",),
    "chicane": ("right", "left", "left", "right"),
    "start grid": ("straight 6",),
}
"""The modular pieces, each as `engine.boards.laying.lay` takes it."""

GRID = ((5, 0), (5, 1), (5, 2), (5, 3), (3, 0), (3, 1), (3, 2), (3, 3))
"""Row of the start grid and lane of each grid place, from 0: four in front, four behind, a row between."""


@dataclass(frozen=True)
class Circuit:
    """A closed track of hexes.

    `words` is its name for people. `pieces` are the modular pieces in the order of travel, by their names in
    `PIECES`; `lanes` are what they come to, as `Hexes.track` takes them, and `line` the middle line where
    hexes were laid by hand, as `LooseTrack` has it. `start` is the hex and facing (0 to 11) of each grid
    place, the best first. A lap ends where a vehicle comes to place `finish` of
    its lane from the last one. `hazards`, `solid` and `fragile` are the hexes of obstacles.
    """

    id: str
    words: str
    pieces: tuple[str, ...]
    lanes: Lanes
    start: tuple[tuple[Cell, int], ...]
    finish: int = 0
    hazards: tuple[Cell, ...] = ()
    solid: tuple[Cell, ...] = ()
    fragile: tuple[Cell, ...] = ()
    line: tuple[Cell, ...] = ()

    def board(self, spacing: float = 2.0, frame: Pose = ORIGIN) -> Hexes:
        """The track with hexes of `spacing` inches from side to side, hex (0, 0) in `frame`."""
        return track_of(self.lanes, self.line, spacing, frame)

    def lies_as(self, board: Hexes) -> bool:
        """Whether a board is this track, wherever it lies and however large."""
        line = board.line if isinstance(board, LooseTrack) else ()
        return (board.lanes, line) == (self.lanes, self.line)

    def size(self, spacing: float = 2.0) -> tuple[float, float]:
        """Width and depth of the table that it needs, inches."""
        low, high = self._reach
        return float((high[0] - low[0]) * spacing), float((high[1] - low[1]) * spacing)

    def middle(self, spacing: float = 2.0) -> tuple[float, float]:
        """The middle of what it covers, in the frame of its board, inches."""
        low, high = self._reach
        return float((low[0] + high[0]) / 2 * spacing), float((low[1] + high[1]) / 2 * spacing)

    @cached_property
    def _reach(self) -> tuple[tuple[float, float], tuple[float, float]]:
        shapes = self.board(1.0).drawing()
        points = np.concatenate([s.points for s in shapes if s.shape == "polygon"])
        (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
        return (float(x0), float(y0)), (float(x1), float(y1))


def laid(pieces: Sequence[str]) -> Laid:
    """Modular pieces by their names in `PIECES`, laid one after another."""
    return lay([part for name in pieces for part in PIECES[name]], LANES)


def _circuit(
    name: str,
    words: str,
    pieces: Sequence[str],
    hazards: Sequence[tuple[int, int]] = (),
    solid: Sequence[tuple[int, int]] = (),
    fragile: Sequence[tuple[int, int]] = (),
) -> Circuit:
    """A circuit whose last piece is the start grid; obstacles are given as lane and place in it, from 0."""
    track = laid(pieces)
    start = tuple((cell, 2 * side) for cell, side in (track.at(-1, lane, row) for row, lane in GRID))

    def cells(places: Sequence[tuple[int, int]]) -> tuple[Cell, ...]:
        return tuple(track.lanes[lane][place] for lane, place in places)

    return Circuit(
        id=name, words=words, pieces=tuple(pieces), lanes=track.lanes, start=start,
        hazards=cells(hazards), solid=cells(solid), fragile=cells(fragile),
    )  # fmt: skip


TURN = ("left bend", "left bend", "left bend")

CIRCUITS: tuple[Circuit, ...] = (
    _circuit(
        "oval",
        "Oval",
        ("short straight", "short straight", *TURN, "straight", "straight", *TURN, "start grid"),
        hazards=((1, 11), (2, 13)),
        fragile=((0, 10), (3, 17)),
    ),
    _circuit(
        "chicane",
        "Chicane",
        (
            *("straight", "straight", "straight", *TURN),
            *("short straight", "short straight", "short straight", "chicane"),
            *("short straight", "short straight", "short straight", *TURN, "start grid"),
        ),
        hazards=((0, 33), (1, 34)),
        solid=((3, 34),),
        fragile=((1, 22), (2, 25)),
    ),
    _circuit(
        "long",
        "Long circuit",
        (
            *("short straight", "short straight", *TURN),
            *("straight", "short straight", "short straight", "short straight", "right bend"),
            *("short straight", "short straight", "short straight", "left bend", "left bend"),
            *("straight", "short straight", "short straight", "short straight", "left bend", "left bend"),
            *("straight", "straight", "short straight", "short straight", "start grid"),
        ),
        hazards=((0, 12), (1, 13), (2, 30)),
        solid=((3, 27),),
        fragile=((1, 31), (2, 40), (0, 44)),
    ),
)
"""The circuits that come with the game; `CIRCUITS[0]` is the usual one."""
