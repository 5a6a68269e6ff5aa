"""A track of hexes laid from modular pieces: straights and bends of 60 degrees, all with the same lanes.

Every piece begins and ends at a line across the track: a row of one hex from each lane, every second one
half a hex further on. Pieces that follow one another make up the lanes, and their lines the track's rungs.

>>> laid = lay(("straight 4", "left", "left", "left") * 2, 3)
>>> [len(lane) for lane in laid.lanes], laid.closed
([20, 26, 32], True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engine.boards.board import BoardError, Cell
from engine.boards.hexes import STEPS, Lanes, Rungs

INSIDE = 2
"""How many hexes the inmost lane is from the hex that a left bend turns about."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A track as it lies. `starts`: the first hex of the inmost lane and the side it faces, of every piece.

    `end` is where the next piece would begin, facing side `heading`; `rungs` says for every piece at which
    place of each lane it begins.
    """

    lanes: Lanes
    rungs: Rungs
    starts: tuple[tuple[Cell, int], ...]
    end: Cell
    heading: int

    @property
    def closed(self) -> bool:
        """Whether the last piece ends where the first begins."""
        return (self.end, self.heading) == self.starts[0]

    def at(self, piece: int, lane: int, place: int) -> tuple[Cell, int]:
        """The hex at a place of a piece in a lane, and the side that the piece begins facing, all from 0."""
        return self.lanes[lane][self.rungs[piece][lane] + place], self.starts[piece][1]


def lay(pieces: Sequence[str], lanes: int = 4, start: Cell = (0, 0), heading: int = 0) -> Laid:
    """Lays pieces one after another from `start`, the first facing that side (0 to 5).

    A piece is "straight N" (N rows), "left" or "right" (60 degrees). Lanes count from the left of the
    direction of travel, which is the inside of a circuit that runs counter-clockwise. Raises `BoardError`
    where a piece is unknown or the track runs over itself.
    """
    if not pieces or not 1 <= lanes <= 20:
        raise BoardError(f"expected pieces to lay and 1 to 20 lanes but got {len(pieces)} and {lanes}")
    built: list[list[Cell]] = [[] for _ in range(lanes)]
    rungs, starts = [], []
    at, side = start, heading % 6
    for piece in pieces:
        rungs.append(tuple(len(lane) for lane in built))
        starts.append((at, side))
        for lane, way in zip(built, _ways(piece, lanes), strict=True):
            lane += [_turned(cell, side, at) for cell in way[:-1]]
        inmost = _ways(piece, lanes)[0]
        at, side = _turned(inmost[-1], side, at), (side + _turn(piece)) % 6
    twice = [cell for cell, n in Counter(c for lane in built for c in lane).items() if n > 1]
    if twice:
        raise BoardError(f"the track runs over itself at hex {twice[0]}: put straights between its bends")
    return Laid(tuple(tuple(lane) for lane in built), tuple(rungs), tuple(starts), at, side)


def _ways(piece: str, lanes: int) -> list[list[Cell]]:
    """By lane the hexes of a piece and the first after it, from (0, 0) of the inmost lane, facing side 0."""
    turn = _turn(piece)
    # The hex about which a bend turns lies on the line that it begins at: so the sum of lanes is even.
    outside = INSIDE + (INSIDE + lanes - 1) % 2
    ways = []
    for lane in range(lanes):
        q = (lane + 1) // 2
        if turn == 0:
            count = before = int(piece.split()[1])
        else:
            count = INSIDE + lane if turn > 0 else outside + lanes - 1 - lane
            before = count // 2
        way = [(q, -lane)]
        for n in range(count):
            step = STEPS[0 if n < before else turn % 6]
            way.append((way[-1][0] + step[0], way[-1][1] + step[1]))
        ways.append(way)
    return ways


def _turn(piece: str) -> int:
    """By how many sides a piece turns, to the left."""
    if piece in ("left", "right"):
        return 1 if piece == "left" else -1
    kind, _, rows = piece.partition(" ")
    if kind != "straight" or not rows.isdecimal() or not 1 <= int(rows) <= 100:
        raise BoardError(f"expected a piece such as 'straight 4', 'left' or 'right' but got {piece!r}")
    return 0


def _turned(cell: Cell, side: int, at: Cell) -> Cell:
    """A hex turned about (0, 0) by so many sides to the left, then moved."""
    q, r = cell
    for _ in range(side):
        q, r = -r, q + r
    return at[0] + q, at[1] + r
