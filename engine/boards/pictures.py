"""What is printed of a board besides its lines: facings of a hex, starting places, obstacles."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from engine.boards.board import Board, Cell, Shape, arrow, on_table
from engine.boards.hexes import Hexes
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import ORIGIN

Obstacle = Literal["solid", "loose", "brittle"]
"""What stands in a way, as it is drawn: a cross, waves, or a broken ring."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes to print to scale, inches in `frame`."""

    shapes: tuple[Shape, ...]
    frame: Pose = ORIGIN
    kind: ClassVar[str] = "picture"

    def drawing(self) -> tuple[Shape, ...]:
        """The shapes."""
        return self.shapes


@dataclass(frozen=True, slots=True)
class GameMap:
    """What a game brings to print, in `MAPS` of its module `maps`.

    `drawn` makes it with cells of so many inches from middle to middle; `spacing` is how far apart they are
    where a table says nothing of it. `board` is what is played on there, in the frame of the drawing; None of
    what is only a part of a board.
    """

    id: str
    words: str
    drawn: Callable[[float], Picture]
    spacing: float = 2.0
    board: Callable[[float], Board] | None = None


@dataclass(frozen=True, slots=True)
class LaidCell:
    """A cell of a map that is laid: what a tap on it names, its name and what lies there for people."""

    id: str
    name: str
    words: str
    outline: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A map of one's own as far as it is laid, inches.

    `text` is the map as it is written now, `pieces` are those that it names. `picture` shows what lies and
    `board` is what is played on there, `cells` are those that lie and `free` those about them that may be
    laid. `wrong` is all that is against playing on it, and `notes` are what is worth knowing.
    """

    name: str
    text: str
    pieces: tuple[str, ...] = ()
    picture: Picture | None = None
    board: Board | None = None
    cells: tuple[LaidCell, ...] = ()
    free: tuple[LaidCell, ...] = ()
    wrong: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tap:
    """What a tap on the drawing may do: its id, and words for people; `free`: also where no cell lies."""

    id: str
    words: str
    free: bool = False


@dataclass(frozen=True, slots=True)
class Laying:
    """How maps of one's own are laid, `LAYING` of a game's module `maps`.

    A map is a line of text: its name, a colon, its pieces with commas, and behind semicolons all else. `look`
    lays one with cells of so many inches; `changed` is the text once a tap did what its id says to cells by
    their ids, and a deed without any. The set-up of the game takes the text where it asks for a map, and is
    told those that are kept as `laid`. `beginning` and `empty` are texts to begin with.
    """

    pieces: tuple[str, ...]
    taps: tuple[Tap, ...]
    deeds: tuple[Tap, ...]
    beginning: str
    empty: str
    look: Callable[[str, float], Layout]
    changed: Callable[[str, str, Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Cutout:
    """A counter to cut out, `count` times: a rectangle of `across` by `deep` inches, or a `disc` so wide.

    `lines` stand in its middle, the first one large. With `boxes` it is a card: the first line on top, below
    it the boxes in a row, each with what is printed above it and in it, then the other lines. A game brings
    them by `cutouts(spacing)` of its module `maps`, for a board whose cells are so many inches apart.
    """

    across: float
    deep: float
    lines: tuple[str, ...]
    disc: bool = False
    count: int = 1
    boxes: tuple[tuple[str, str], ...] = ()


def facing_marks(board: Hexes) -> tuple[Shape, ...]:
    """Twelve ticks inside every hex: long ones at the middles of its sides, short ones in its corners."""
    inner = board.spacing / 2
    outer = board.spacing / math.sqrt(3)
    marks = []
    for cell in board.cells:
        for facing in range(12):
            side = facing % 2 == 0
            far, near = (
                (inner, inner - 0.09 * board.spacing) if side else (outer, outer - 0.06 * board.spacing)
            )
            ends = board.pose_of(cell, facing).to_table([(near, 0.0), (far, 0.0)])
            marks.append(Shape("line", on_table(ORIGIN, ends)))
    return tuple(marks)


def starting_place(board: Hexes, cell: Cell, facing: int, words: str) -> tuple[Shape, ...]:
    """A box that is open to the front, an arrow the way that a piece faces, and its number."""
    at, unit = board.pose_of(cell, facing), board.spacing
    box = [(0.3, 0.24), (-0.3, 0.24), (-0.3, -0.24), (0.3, -0.24)]
    middle = at.to_table([(-0.1 * unit, 0.0)])
    return (
        Shape("line", on_table(ORIGIN, at.to_table(np.array(box) * unit)), bold=True),
        *arrow(at, (0.12 * unit, 0.0), 0.0, 0.2 * unit),
        Shape("label", on_table(ORIGIN, middle), words, 0.22 * unit),
    )


def obstacle(board: Hexes, cell: Cell, sort: Obstacle, words: str) -> tuple[Shape, ...]:
    """An obstacle in a hex, with what it is called under it."""
    at, unit = board.pose_of(cell), board.spacing
    shapes = [
        Shape("line" if sort == "loose" else "polygon", on_table(ORIGIN, at.to_table(line * unit)), bold=True)
        for line in _lines(sort)
    ]
    name = on_table(ORIGIN, at.to_table([(0.0, -0.2 * unit)]))
    return (*shapes, Shape("label", name, words, 0.1 * unit))


def _lines(sort: Obstacle) -> list[FloatArray]:
    """The lines of an obstacle about the middle of a hex of spacing 1."""
    along = np.linspace(-0.3, 0.3, 25)
    if sort == "loose":
        return [np.stack([along, y + 0.03 * np.sin(along * 31.4)], axis=1) for y in (0.0, 0.1, 0.2)]
    round_it = math.pi / 2 + np.arange(8) * math.pi / 4
    if sort == "solid":
        ring = np.stack([0.2 * np.cos(round_it + 0.39), 0.1 + 0.2 * np.sin(round_it + 0.39)], axis=1)
        return [ring, ring[[0, 4]], ring[[2, 6]], ring[[1, 5]], ring[[3, 7]]]
    corners = [[(x, y), (x + 0.12, y + 0.03), (x + 0.06, y + 0.13)] for x, y in BROKEN]
    return [np.array(corner) for corner in corners]


BROKEN = ((-0.28, 0.02), (-0.1, 0.12), (0.08, 0.0), (-0.1, -0.08), (0.14, 0.14))
"""Where the shards of a brittle obstacle lie."""
