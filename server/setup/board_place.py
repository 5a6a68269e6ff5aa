"""A board put on the table in the picture: which one, where it lies, and the `[board]` that says so."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Annotated, Any, Literal, cast

import numpy as np
from fastapi import APIRouter, Request
from pydantic import Field

from calibration.boards import extent, fields_of, middle_of, past_surface
from calibration.surface import Surface
from calibration.table_text import block, lines_of, with_block, without_block
from calibration.tablefile import TableFile
from engine.boards.board import Board, Free
from engine.boards.hexes import Hexes
from engine.boards.pictures import GameMap
from engine.boards.points import Points
from engine.boards.road import Road
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import ORIGIN
from server.setup.cameras.sourcing import only_here
from server.setup.fitting.named import in_pixels
from server.setup.laying import LaidMaps
from server.setup.printing.game_prints import games_to_print, maps_to_print
from server.setup.printing.last_look import LastLook
from server.setup.setup_messages import Px
from server.setup.table_changes import SetupError
from server.table.projection import densified
from server.web.messages import Model, refusals

Side = Annotated[float, Field(ge=1.0, le=600.0)]
Spacing = Annotated[float, Field(ge=0.5, le=6.0)]
Step = Annotated[float, Field(ge=-24.0, le=24.0)]


class BoardOffer(Model):
    """A board that can be put on the table: its `id`, and what it is.

    `sides` are what its two sizes are called (columns and rows, or length and width in inches) with `size`
    to begin with; empty where it has its own. `spacing_in` is how far apart its cells usually are; None
    where that is not asked.
    """

    id: str
    words: str
    sides: tuple[str, str] | None
    size: tuple[float, float] | None
    spacing_in: float | None


class BoardDraft(Model):
    """A board as it would lie: its lines and the two rings that it is dragged by, in the picture.

    Ring 0 moves it, ring 1 turns it about ring 0, and sets how far apart its cells are where `stretches`
    says that it can. `may_keep` says that it lies on the table.
    """

    id: str
    lines: list[list[Px]]
    rings: list[Px]
    words: str
    stretches: bool
    may_keep: bool


class BoardSetupView(Model):
    """The boards that there are, the one that the table file has in words ("" for none), and a draft."""

    offers: list[BoardOffer]
    kept: str
    draft: BoardDraft | None


class ChooseBoard(Model):
    """Put a board in the middle of the table; the id "" takes the draft away, "kept" is the file's."""

    id: Annotated[str, Field(max_length=160)]
    size: tuple[Side, Side] | None = None
    spacing_in: Spacing | None = None


class MoveBoard(Model):
    """Drag a ring of the draft to a place in the picture, or move it by inches; or turn it a quarter.

    `stretch`: ring 1 sets how far apart the cells are, too.
    """

    ring: Literal[0, 1] = 0
    to: Px | None = None
    by_in: tuple[Step, Step] | None = None
    quarter: bool = False
    stretch: bool = False


# Where it lies, and what the file says of it

KEPT = "kept"
"""The id of the board that the table file has."""

NARROWEST_IN, WIDEST_IN = 0.5, 6.0
"""How far apart cells may be set by dragging."""

WHY = "as it was put on the camera picture"


@dataclass(frozen=True, eq=False)
class _Made:
    """A kind of board that is drawn or printed by hand: how it is made of two sizes and a spacing."""

    offer: BoardOffer
    make: Callable[[float, float, float], Board]


def _made(
    id: str,
    words: str,
    sides: tuple[str, str],
    size: tuple[float, float],
    spacing: float | None,
    make: Callable[[float, float, float], Board],
) -> tuple[str, _Made]:
    return id, _Made(BoardOffer(id=id, words=words, sides=sides, size=size, spacing_in=spacing), make)


CELLS = ("Columns", "Rows")
BY_HAND = dict(
    (
        _made("points", "Points of a square grid, drawn or printed", CELLS, (9, 9), 3.0,
              lambda a, b, apart: Points(round(a), round(b), apart)),
        _made("hexes", "Hexes in rows, drawn or printed", CELLS, (9, 9), 2.0,
              lambda a, b, apart: Hexes.field(round(a), round(b), apart)),
        _made("road", "A road that rolls on under the table", ("Length, in", "Width, in"), (36, 8), None,
              lambda a, b, _: Road(a, b)),
    )
)  # fmt: skip


def _maps(laid: LaidMaps) -> dict[str, tuple[str, GameMap]]:
    """The maps of all games that are boards to play on, by their ids, with the title of the game."""
    return {
        f"{about.id}/{one.id}": (about.title, one)
        for about in games_to_print()
        for one in maps_to_print(about.id, laid)
        if one.board is not None
    }


class BoardPlace:
    """The draft of one table's board; it is kept when somebody says so."""

    def __init__(self, laid: LaidMaps) -> None:
        self._laid = laid
        self._lock = threading.Lock()
        self._id, self._of = "", ""
        self._board: Board | None = None
        self._shown: tuple[tuple[Board, TableFile, Surface], BoardDraft] | None = None

    def view(self, last: LastLook) -> BoardSetupView:
        """Everything that the page shows."""
        with self._lock:
            return self._view(last)

    def choose(self, asked: ChooseBoard, last: LastLook) -> BoardSetupView:
        """Begins a draft in the middle of the table. Raises a `TableRefError` where there is no such one."""
        table, _ = _running(last)
        with self._lock:
            if asked.id == "":
                self._board = None
            elif asked.id == KEPT:
                if isinstance(table.board, Free):
                    raise SetupError("this table has no board: choose one")
                self._id, self._board, self._of = KEPT, table.board, table.name
            else:
                board = _in_themiddle_of(self._fresh(asked), table.surface)
                self._id, self._board, self._of = asked.id, board, table.name
            return self._view(last)

    def move(self, asked: MoveBoard, last: LastLook) -> BoardSetupView:
        """Moves or turns the draft. Raises `SetupError` where there is none."""
        table, surface = _running(last)
        size = (math.inf, math.inf) if last.frame is None else last.frame.size
        if asked.to is not None and not all(0.0 <= x <= most for x, most in zip(asked.to, size, strict=True)):
            raise SetupError("drag the ring to a place in the picture")
        with self._lock:
            board = self._draft(table)
            if asked.quarter:
                board = _turned_a_quarter(board)
            else:
                at = _rings(board)[asked.ring] + np.array(asked.by_in or (0.0, 0.0))
                if asked.to is not None:
                    at = surface.table_from_image(np.array([asked.to]))[0]
                board = _dragged(board, asked.ring, at, stretch=asked.stretch)
            self._board = board
            return self._view(last)

    def text(self, table: TableFile) -> str:
        """The table's text with the draft as its board. Raises `SetupError` where it does not lie on it."""
        with self._lock:
            board = self._draft(table)
            if mistake := past_surface(board, table.surface):
                raise SetupError(mistake)
            fields = fields_of(board) or {}
        return with_block(without_board(table.text), block("[board]", fields, {"origin_in": WHY}))

    def forget(self) -> None:
        """Takes the draft away."""
        with self._lock:
            self._board = None

    def _draft(self, table: TableFile) -> Board:
        if self._board is None or self._of != table.name:
            raise SetupError("no board is being put on this table: choose one first")
        return self._board

    def _fresh(self, asked: ChooseBoard) -> Board:
        """The board that is asked for, its origin in the table's."""
        if (made := BY_HAND.get(asked.id)) is not None:
            size = asked.size or made.offer.size or (1.0, 1.0)
            return made.make(*size, asked.spacing_in or made.offer.spacing_in or 1.0)
        titled = _maps(self._laid).get(asked.id)
        if titled is None or titled[1].board is None:
            raise SetupError(f"there is no board {asked.id!r} any more: choose another one")
        return titled[1].board(asked.spacing_in or titled[1].spacing)

    def _view(self, last: LastLook) -> BoardSetupView:
        kept = "" if last.table is None else _words(last.table.board)
        offers = [
            BoardOffer(id=id, words=f"{title}: {one.words}", sides=None, size=None, spacing_in=one.spacing)
            for id, (title, one) in _maps(self._laid).items()
        ]
        return BoardSetupView(
            offers=[*offers, *(made.offer for made in BY_HAND.values())], kept=kept, draft=self._drawn(last)
        )

    def _drawn(self, last: LastLook) -> BoardDraft | None:
        board, table = self._board, last.table
        if board is None or table is None or self._of != table.name or last.found is None:
            return None
        surface = last.found[0]
        if self._shown is not None and all(
            a is b for a, b in zip(self._shown[0], (board, table, surface), strict=True)
        ):
            return self._shown[1]
        wrong = past_surface(board, table.surface)
        draft = BoardDraft(
            id=self._id,
            lines=_lines(board, surface),
            rings=in_pixels(surface.image_from_table(_rings(board))),
            words=f"{_words(board)} {wrong[0].upper()}{wrong[1:]}." if wrong else _words(board),
            stretches=hasattr(board, "spacing"),
            may_keep=not wrong,
        )
        # The page looks every second: as long as nothing has moved it is drawn once.
        self._shown = (board, table, surface), draft
        return draft


def without_board(text: str) -> str:
    """The table's text without its `[board]`."""
    return without_block(text, ("board",)) if ("board",) in lines_of(text) else text


def _running(last: LastLook) -> tuple[TableFile, Surface]:
    if last.table is None:
        raise SetupError("keep the table first: its corner tags say where things lie")
    if last.found is None:
        raise SetupError("the table is not found now: clear its corner tags")
    return last.table, last.found[0]


def _in_themiddle_of(board: Board, surface: Region) -> Board:
    across = middle_of(surface.outline) - middle_of(extent(board))
    return _put(board, Pose(board.frame.x + across[0], board.frame.y + across[1], board.frame.heading))


def _put(board: Board, frame: Pose, **change: Any) -> Board:
    """The same board in another frame. Every board with cells is a dataclass with a frame."""
    return cast(Board, replace(cast(Any, board), frame=frame, **change))


def _rings(board: Board) -> FloatArray:
    """The two corners of the board along its x, (2, 2) inches on the table."""
    (x0, y0), (x1, _) = _own_extent(_put(board, ORIGIN))
    return board.frame.to_table(np.array([(x0, y0), (x1, y0)]))


def _dragged(board: Board, ring: int, at: FloatArray, *, stretch: bool) -> Board:
    """The board with a ring elsewhere: the first one takes it along, the second one turns it."""
    first, second = _rings(board)
    frame = board.frame
    if ring == 0:
        x, y = frame.xy + at - first
        return _put(board, Pose(float(x), float(y), frame.heading))
    before, after = second - first, at - first
    length = float(np.hypot(*after))
    if length < NARROWEST_IN:
        return board
    turn = math.atan2(after[1], after[0]) - math.atan2(before[1], before[0])
    change: dict[str, Any] = {}
    if stretch and (spacing := getattr(board, "spacing", None)) is not None:
        wanted = spacing * length / float(np.hypot(*before))
        change["spacing"] = round(min(WIDEST_IN, max(NARROWEST_IN, wanted)), 3)
    turned = _put(board, Pose(frame.x, frame.y, frame.heading + turn), **change)
    x, y = turned.frame.xy + first - _rings(turned)[0]
    return _put(turned, Pose(float(x), float(y), turned.frame.heading))


def _turned_a_quarter(board: Board) -> Board:
    """About its own middle."""
    before = middle_of(extent(board))
    turned = _put(board, Pose(board.frame.x, board.frame.y, board.frame.heading + math.pi / 2))
    x, y = turned.frame.xy + before - middle_of(extent(turned))
    return _put(turned, Pose(float(x), float(y), turned.frame.heading))


def _lines(board: Board, surface: Surface) -> list[list[Px]]:
    """The board's lines in the picture."""
    lines = [
        densified(
            np.array([*shape.points, shape.points[0]] if shape.shape == "polygon" else shape.points), False
        )
        for shape in board.drawing()
        if shape.shape in ("line", "polygon")
    ]
    # All at once: a call for each of a thousand hexes takes longer than the picture.
    pixels = in_pixels(surface.image_from_table(np.concatenate(lines)))
    ends = list(accumulate(map(len, lines)))
    return [pixels[begin:end] for begin, end in pairwise((0, *ends))]


@lru_cache(maxsize=8)
def _own_extent(board: Board) -> FloatArray:
    """Low and high corner (2, 2) of a board that lies at the origin, inches."""
    reach = extent(board)
    return np.array([reach.min(axis=0), reach.max(axis=0)])


def _words(board: Board) -> str:
    """What a board is and how large, for people; empty of a table without cells.

    >>> _words(Points(9, 5, 3.0))
    '9 × 5 points, 3 in apart: 24 × 12 in.'
    """
    if isinstance(board, Free):
        return ""
    across, deep = np.ptp(_own_extent(_put(board, ORIGIN)), axis=0)
    if isinstance(board, Points):
        what = f"{board.columns} × {board.rows} points, {board.spacing:g} in apart"
    elif isinstance(board, Hexes):
        sort = "a track of" if board.lanes else "a field of"
        what = f"{sort} {len(board.cells)} hexes, {board.spacing:g} in apart"
    else:
        what = "a road"
    return f"{what[0].upper()}{what[1:]}: {across:.0f} × {deep:.0f} in."


# `/api/setup/board`: a board is chosen, put on the table in the picture, and kept with the table


def board_router(
    look: Callable[[], LastLook], change: Callable[[Callable[[TableFile], str]], None]
) -> APIRouter:
    """Putting a board on the table. `look` is what was seen last, `change` writes the file's new text."""
    router, place = APIRouter(), BoardPlace(LaidMaps())
    refused = refusals({403: "Not from here", 409: "Cannot lie there"})

    def answered(request: Request, do: Callable[[], BoardSetupView]) -> BoardSetupView:
        only_here(request)
        return do()

    def written(make: Callable[[TableFile], str]) -> BoardSetupView:
        change(make)
        place.forget()
        return place.view(look())

    @router.get("/api/setup/board", response_model=BoardSetupView)
    def boards() -> BoardSetupView:
        """The boards that there are, and how one would lie that is being put on the table."""
        return place.view(look())

    @router.post("/api/setup/board/choose", response_model=BoardSetupView, responses=refused)
    def choose(request: Request, asked: ChooseBoard) -> BoardSetupView:
        """Begins with a board in the middle of the table; nothing is written."""
        return answered(request, lambda: place.choose(asked, look()))

    @router.post("/api/setup/board/move", response_model=BoardSetupView, responses=refused)
    def move(request: Request, asked: MoveBoard) -> BoardSetupView:
        """Moves or turns it; nothing is written."""
        return answered(request, lambda: place.move(asked, look()))

    @router.post("/api/setup/board/keep", response_model=BoardSetupView, responses=refused)
    def keep(request: Request) -> BoardSetupView:
        """Writes where it lies."""
        return answered(request, lambda: written(place.text))

    @router.post("/api/setup/board/drop", response_model=BoardSetupView, responses=refused)
    def drop(request: Request) -> BoardSetupView:
        """Takes the board out of the table file."""
        return answered(request, lambda: written(lambda table: without_board(table.text)))

    return router
