"""Where pieces rest on a board of cells: ghosts of those that have to stand there, words for a move."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

from engine.boards.board import Board, Cell, Snap, facing_words, in_words, place_words
from engine.boards.spots import Spot, name_of
from engine.game.contract import Seen
from engine.game.forms import Candidate, Pick
from engine.game.showing import Awaited, Ghost, Progress, Words
from engine.ruling import Verdict, many
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


def which_of(words: str, board: Board, spots: Iterable[Spot], *, tapped: bool = False) -> Pick:
    """Asks which of several places is meant, each with its odds.

    `tapped`: a cell that is named once may be tapped on the drawing.
    """
    found = [spot for spot in spots if spot.cell is not None]
    cells = [spot.cell for spot in found]

    def middle(cell: Cell | None) -> tuple[float, float] | None:
        if cell is None or not tapped or cells.count(cell) > 1:
            return None
        pose = board.pose_of(cell)
        return (round(pose.x, 3), round(pose.y, 3))

    candidates = tuple(
        Candidate(spot.key, name_of(board, spot), f"{100 * spot.probability:.0f} %", at=middle(spot.cell))
        for spot in found
    )
    return Pick(words=words, candidates=candidates, optional=True)


def along(board: Board, start: Cell, cells: Iterable[Cell]) -> float:
    """Inches from cell to cell, as far as they are apart."""
    way = [board.pose_of(cell, 0).xy for cell in (start, *cells)]
    return float(sum(math.dist(one, other) for one, other in itertools.pairwise(way)))


def progress(pitch: float, gone: int, count: int, unit: str) -> Progress:
    """How many of the cells of a move it has gone, with `pitch` inches from one to the next."""
    return Progress(gone * pitch, count * pitch, f"{gone} of {many(count, unit)}")


def left_words(left: int, unit: str) -> str:
    """How many cells of a move are left, below 0 too many.

    >>> left_words(1, "point"), left_words(-2, "point")
    ('1 point to go', '2 points too far')
    """
    return f"{many(left, unit)} to go" if left >= 0 else f"{many(-left, unit)} too far"


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

    @property
    def cell(self) -> Cell | None:
        """The cell that it stands on; None where it stands on none."""

    @property
    def facing(self) -> int:
        """The number of its direction, as `Board.pose_of` takes it."""

    @property
    def here(self) -> bool:
        """Whether it stands on the board, or its wreck does."""


class OnCells(Protocol):
    """The state of a game whose vehicles stand on the cells of a board."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""

    @property
    def board(self) -> Board:
        """The board, where there is one."""

    @property
    def vehicles(self) -> Sequence[OnCell]:
        """The vehicles."""


def ghosts_on(state: OnCells, awaited: Collection[Awaited], seen: Seen, citation: str) -> tuple[Ghost, ...]:
    """Each vehicle and wreck where the game has it, but for those whose move is awaited."""
    here = () if state.over else tuple(v for v in state.vehicles if v.here)
    if not here:
        return ()
    away = {key_of(a.piece) for a in awaited}
    there = {} if seen.table is None else {key_of(s.name): s for s in seen.table.standings}
    return tuple(
        _ghost(state.board, v, v.cell, there.get(key_of(v.name)), citation)
        for v in here
        if v.cell is not None and key_of(v.name) not in away
    )


def _ghost(board: Board, piece: OnCell, cell: Cell, here: Standing | None, citation: str) -> Ghost:
    right = None
    if here is not None and here.seen:
        snap = board.snap(here)
        right = (snap.where, snap.cell, snap.facing) == ("cell", cell, piece.facing)
    pose = board.pose_of(cell, piece.facing)
    words = f"put {piece.name} on {board.name_of(cell)} facing {facing_words(board, piece.facing)}"
    return Ghost(piece.name, (pose.x, pose.y, pose.heading), words, citation, right)
