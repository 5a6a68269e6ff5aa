"""What is printed to race on: the circuits, the modular pieces that they are laid from, and obstacles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.boards.board import Cell, Shape
from engine.boards.hexes import Hexes
from engine.boards.pictures import (
    GameMap,
    Laying,
    Layout,
    Obstacle,
    Picture,
    facing_marks,
    obstacle,
    starting_place,
)
from engine.games.frothy_races.book.circuits import CIRCUITS, GRID, PIECES, Circuit, laid
from engine.games.frothy_races.book.laying import BEGINNING, attempt
from engine.games.frothy_races.book.laying import SORTS as SORTS_LAID

SORTS: tuple[tuple[Obstacle, str], ...] = (("loose", "hazard"), ("brittle", "fragile"), ("solid", "solid"))
"""How each kind of obstacle is drawn, and what it is called."""

OF_EACH = 3
"""Obstacles of a kind to cut out."""


def circuit_picture(circuit: Circuit, spacing: float) -> Picture:
    """A whole circuit with its starting grid and obstacles."""
    board = circuit.board(spacing)
    shapes = [*board.drawing(), *facing_marks(board)]
    for cells, (sort, words) in zip((circuit.hazards, circuit.fragile, circuit.solid), SORTS, strict=True):
        for cell in cells:
            shapes += obstacle(board, cell, sort, words)
    return Picture((*shapes, *_grid(board, circuit.start)))


def layout(text: str, spacing: float) -> Layout:
    """A circuit of one's own as far as it is laid."""
    tried = attempt(text)
    if tried.track is None:
        return Layout(tried.name, tried.pieces, wrong=tried.wrong)
    lanes = tried.track.lanes
    names = Hexes.track(lanes)
    marks = tuple((names.name_of(cell), sort) for sort, cell in tried.obstacles)
    shown = Circuit(
        id=text, words=tried.name, pieces=tried.pieces, lanes=lanes, start=tried.start,
        hazards=tried.on("hazard"), solid=tried.on("solid"), fragile=tried.on("fragile"),
    )  # fmt: skip
    board = shown.board(spacing)
    hexes = [shape.points for shape in board.drawing() if shape.shape == "polygon"]
    cells = tuple(
        (board.name_of(cell), tuple((float(x), float(y)) for x, y in points))
        for cell, points in zip(board.cells, hexes[: len(board.cells)], strict=True)
    )
    return Layout(tried.name, tried.pieces, marks, circuit_picture(shown, spacing), cells, tried.wrong)


LAYING = Laying(tuple(PIECES), SORTS_LAID, BEGINNING, layout)
"""Circuits of one's own, laid from the modular pieces."""


def piece_picture(name: str, spacing: float) -> Picture:
    """A modular piece, its hexes named by lane and place in the piece."""
    track = laid((name,))
    hexes = tuple(cell for lane in track.lanes for cell in lane)
    longer = len(track.lanes[0]) > 1
    board = Hexes.track(track.lanes, spacing) if longer else Hexes(hexes, spacing)
    grid = GRID if name == "start grid" else ()
    start = [track.at(0, lane, row) for row, lane in grid]
    shapes = (*board.drawing(), *facing_marks(board))
    return Picture((*shapes, *_grid(board, [(cell, 2 * side) for cell, side in start])))


def obstacles_picture(spacing: float) -> Picture:
    """Hexes with obstacles, to cut out and lay on the track."""
    board = Hexes.field(OF_EACH, len(SORTS), spacing)
    shapes: list[Shape] = [shape for shape in board.drawing() if shape.shape == "polygon"]
    for cell in board.cells:
        shapes += obstacle(board, cell, *SORTS[cell[1]])
    return Picture(tuple(shapes))


def _grid(board: Hexes, start: Sequence[tuple[Cell, int]]) -> tuple[Shape, ...]:
    places = (starting_place(board, cell, facing, str(n)) for n, (cell, facing) in enumerate(start, start=1))
    return tuple(shape for place in places for shape in place)


MAPS = (
    *(GameMap(c.id, f"{c.words}, a circuit", partial(circuit_picture, c)) for c in CIRCUITS),
    *(
        GameMap(f"{name.replace(' ', '-')}-piece", f"{name}, a piece", partial(piece_picture, name))
        for name in PIECES
    ),
    GameMap("obstacles", f"{OF_EACH} of each kind of obstacle", obstacles_picture),
)
"""Everything that `tableref print map --game frothy_races` prints."""
