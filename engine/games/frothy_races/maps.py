"""What is printed to race on: the circuits, the modular pieces that they are laid from, and obstacles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from engine.boards.board import Cell, Shape
from engine.boards.hexes import Hexes
from engine.boards.pictures import (
    GameMap,
    LaidCell,
    Laying,
    Layout,
    Obstacle,
    Picture,
    Tap,
    facing_marks,
    obstacle,
    starting_place,
)
from engine.boards.ring import beside
from engine.games.frothy_races.book import laying
from engine.games.frothy_races.book.circuits import CIRCUITS, GRID, PIECES, Circuit, cell_name, laid
from engine.games.frothy_races.book.laying import Attempt

SORTS: tuple[tuple[Obstacle, str], ...] = (("loose", "hazard"), ("brittle", "fragile"), ("solid", "solid"))
"""How each kind of obstacle is drawn, and what it is called."""

OF_EACH = 3
"""Obstacles of a kind to cut out."""


AROUND = 2
"""Hexes about a circuit that are offered to be laid."""

SHEET = (24, 13)
"""Columns and rows of the sheet that is laid by hand alone."""

TAPS = (
    Tap(laying.HEX, "a hex, or takes it away", free=True),
    Tap(laying.PLACE, "the next start place"),
    Tap("hazard", "a hazard"),
    Tap("fragile", "a fragile obstacle"),
    Tap("solid", "a solid obstacle"),
    Tap("", "nothing: what lies there goes"),
)


def circuit_picture(circuit: Circuit, spacing: float) -> Picture:
    """A whole circuit with its starting grid and obstacles."""
    lying = (("hazard", circuit.hazards), ("fragile", circuit.fragile), ("solid", circuit.solid))
    obstacles = [(sort, cell) for sort, cells in lying for cell in cells]
    return _picture(circuit.board(spacing), obstacles, circuit.start)


def _picture(
    board: Hexes, obstacles: Iterable[tuple[str, Cell]], start: Sequence[tuple[Cell, int]]
) -> Picture:
    shapes = [*board.drawing(), *facing_marks(board)]
    drawn = {words: sort for sort, words in SORTS}
    for words, cell in obstacles:
        shapes += obstacle(board, cell, drawn[words], words)
    return Picture((*shapes, *_grid(board, start)))


def layout(text: str, spacing: float) -> Layout:
    """A circuit of one's own as far as it is laid; what lies on no hex any more is told and left out."""
    tried = laying.attempt(text)
    gone = tuple(f"left out: {words}" for words in tried.lost)
    if gone:
        tried = laying.attempt(tried.text)
    found = Layout(tried.name, tried.text, tried.pieces, wrong=tried.wrong, notes=(*gone, *tried.notes))
    free = _cells(Hexes(_about(tried), spacing), {})
    if tried.board is None:
        return replace(found, free=free)
    board = replace(tried.board, spacing=spacing)
    lying = {cell: sort for sort, cell in tried.obstacles}
    lying |= {cell: f"{laying.PLACE} {n}" for n, (cell, _) in enumerate(tried.start, start=1)}
    picture = _picture(board, tried.obstacles, tried.start)
    return replace(found, picture=picture, board=board, cells=_cells(board, lying), free=free)


def _about(tried: Attempt) -> tuple[Cell, ...]:
    """The hexes that may be laid: about those that lie, and of the sheet where no piece lies."""
    near, found = set(tried.cells), set[Cell]()
    for _ in range(AROUND):
        near = {other for cell in near for other in beside(cell)} - tried.cells
        found |= near
    if not tried.pieces or not tried.cells:
        found |= set(Hexes.field(*SHEET).cells) - tried.cells
    return tuple(sorted(found))


def _cells(board: Hexes, lying: Mapping[Cell, str]) -> tuple[LaidCell, ...]:
    found = []
    for cell in board.cells:
        corners = board.corners_of(cell)
        found.append(LaidCell(cell_name(cell), board.name_of(cell), lying.get(cell, ""), corners))
    return tuple(found)


LAYING = Laying(
    tuple(PIECES),
    TAPS,
    (Tap(laying.TURN, "Drive it the other way round"),),
    laying.BEGINNING,
    laying.EMPTY,
    layout,
    laying.changed,
)
"""Circuits of one's own, laid from the modular pieces and single hexes."""


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
    *(GameMap(c.id, f"{c.words}, a circuit", partial(circuit_picture, c), board=c.board) for c in CIRCUITS),
    *(
        GameMap(f"{name.replace(' ', '-')}-piece", f"{name}, a piece", partial(piece_picture, name))
        for name in PIECES
    ),
    GameMap("obstacles", f"{OF_EACH} of each kind of obstacle", obstacles_picture),
)
"""Everything that `tableref print map --game frothy_races` prints."""
