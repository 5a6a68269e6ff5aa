"""Where pieces rest on a board of cells: ghosts of those that have to stand there, words for a move."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Protocol

from engine.boards.board import Board, Cell, Snap, facing_words, in_words, place_words
from engine.game.contract import Seen
from engine.game.forms import Candidate
from engine.game.showing import Awaited, Ghost, Words
from engine.ruling import Verdict
from engine.space.table import Standing, key_of

HEADLINES: Mapping[Verdict, str] = MappingProxyType(
    {Verdict.YES: "Legal", Verdict.NO: "Not legal", Verdict.TOO_CLOSE: "Between two places"}
)
"""How a move that came to rest on a board is headed."""


def rests_on(board: Board, snap: Snap) -> str:
    """Where a piece rests, with how surely; between several cells with the odds of each."""
    if snap.where != "cell":
        return in_words(board, snap)
    sure = "more than 99.9%" if snap.probability > 0.999 else f"{snap.probability:.1%}"
    return f"{place_words(board, snap)} ({sure})"


def along(board: Board, start: Cell, cells: Iterable[Cell]) -> float:
    """Inches from cell to cell, as far as they are apart."""
    way = [board.pose_of(cell, 0).xy for cell in (start, *cells)]
    return float(sum(math.dist(one, other) for one, other in itertools.pairwise(way)))


def place_by_hand(
    board: Board, cell: Cell | None, facing: int, near: Iterable[Cell], path: tuple[str | int, ...]
) -> tuple[Words, ...]:
    """The cell and the facing of a piece, for the players to overrule: moved to a cell near by, or turned.

    `path` leads to the piece in the state's JSON, which has them as `cell` and `facing`.
    """
    if cell is None:
        return ()
    cells = tuple(Candidate(list(one), board.name_of(one)) for one in (cell, *near))
    ways = tuple(Candidate(k, facing_words(board, k)) for k in range(board.facings))
    return (
        Words(words="Stands on", text=board.name_of(cell), choices=cells, path=(*path, "cell")),
        Words(words="Faces", text=facing_words(board, facing), choices=ways, path=(*path, "facing")),
    )


class OnCell(Protocol):
    """A piece with a name that stands on a cell, facing one of the board's directions."""

    @property
    def name(self) -> str:
        """The piece's name."""
        ...

    @property
    def cell(self) -> Cell | None:
        """The cell that it stands on; None where it stands on none."""
        ...

    @property
    def facing(self) -> int:
        """The number of its direction, as `Board.pose_of` takes it."""
        ...


def ghosts_on(
    board: Board, pieces: Iterable[OnCell], awaited: Collection[Awaited], seen: Seen, citation: str
) -> tuple[Ghost, ...]:
    """Each of the pieces that has a cell, but for those whose move is awaited."""
    away = {key_of(a.piece) for a in awaited}
    there = {} if seen.table is None else {key_of(s.name): s for s in seen.table.standings}
    return tuple(
        _ghost(board, piece, piece.cell, there.get(key_of(piece.name)), citation)
        for piece in pieces
        if piece.cell is not None and key_of(piece.name) not in away
    )


def _ghost(board: Board, piece: OnCell, cell: Cell, here: Standing | None, citation: str) -> Ghost:
    right = None
    if here is not None and here.seen:
        snap = board.snap(here)
        right = (snap.where, snap.cell, snap.facing) == ("cell", cell, piece.facing)
    pose = board.pose_of(cell, piece.facing)
    words = f"put {piece.name} on {board.name_of(cell)} facing {facing_words(board, piece.facing)}"
    return Ghost(piece.name, (pose.x, pose.y, pose.heading), words, citation, right)
