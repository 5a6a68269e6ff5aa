"""What to print: roof tags, corner tags, boards and tokens, each sheet with a bar to check the printer.

Every sheet is a PDF of exact vector squares. Sizes are inches, measured on paper printed at
100 %. A printer that shrinks a page to fit is found with the bar on every sheet and made good by
printing again with what the bar measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.fiducials import black_modules
from calibration.lens.target import Target
from calibration.prints.paper import (
    FOOTER,
    MARGIN,
    MM,
    Page,
    Part,
    PrintError,
    Sheet,
    document,
)
from calibration.surface import CornerTag
from calibration.tablefile import LooseTag
from engine.boards.pictures import Cutout
from engine.space.pieces import Piece

# Between two prints.
GAP = 0.12

# The ticks outside a card's corners; those of two neighbours do not meet.
TICK = 0.05

# The strips before and behind a roof tag, with its arrow and its name.
STRIP = 0.13


ANYWHERE = "flat, anywhere near a corner of the table"
TURNED = "this edge toward the near side of the table"


class Print(Protocol):
    """One thing to cut out; `width` and `height` are its extent on the paper, inches."""

    @property
    def width(self) -> float:
        """Its extent, inches."""
        ...

    @property
    def height(self) -> float:
        """Its extent, inches."""
        ...

    def draw(self, page: Page, x: float, y: float) -> None:
        """Draws it with its lower left corner at (x, y)."""
        ...


class _TagPrint:
    """A tag to cut out, with its white border and two strips; its black square is `size` inches."""

    __slots__ = ()
    tag: int
    size: float
    family: str

    @property
    def width(self) -> float:
        """With its white border, inches."""
        return bordered_side(self.family, self.tag, self.size)

    @property
    def height(self) -> float:
        """With its white border and both strips, inches."""
        return self.width + 2 * STRIP


@dataclass(frozen=True, slots=True)
class RoofPrint(_TagPrint):
    """A tag for a roof: black square of `size` inches, its top toward the nose.

    Cut along the outer line to keep arrow and name, along the inner one where the roof is short.
    """

    name: str
    tag: int
    size: float = 0.9
    family: str = "tag36h11"

    def draw(self, page: Page, x: float, y: float) -> None:
        """Draws it with its lower left corner at (x, y)."""
        page.outline(x, y, self.width, self.height)
        page.outline(x, y + STRIP, self.width, self.width, dashed=True)
        page.tag(self.family, self.tag, x, y + STRIP, self.size)
        middle, top = x + self.width / 2, y + self.height - 0.02
        page.polygon([(middle, top), (middle - 0.08, top - 0.09), (middle + 0.08, top - 0.09)])
        page.text(f"{self.name} · {self.tag}", middle, y + 0.04, self.width * 0.96, size=0.09)


@dataclass(frozen=True, slots=True)
class CornerPrint(_TagPrint):
    """A tag for the table: it lies flat, anywhere near a corner.

    `where` says which corner, for a tag whose place a table file states; where that states its direction too,
    `turned` says so, and both strips are toward the near edge.
    """

    tag: int
    where: str = ""
    size: float = 2.4
    family: str = "tag36h11"
    turned: bool = False

    def draw(self, page: Page, x: float, y: float) -> None:
        """Draws it with its lower left corner at (x, y)."""
        side, low = self.width, y + 2 * STRIP
        page.outline(x, y, side, self.height)
        page.tag(self.family, self.tag, x, low, self.size)
        tick = (side - self.size) / 5
        middle, level = x + side / 2, low + side / 2
        for x0, y0, dx, dy in ((x, level, 1, 0), (x + side, level, -1, 0), (middle, low + side, 0, -1)):
            page.line(x0, y0, x0 + dx * tick, y0 + dy * tick)
        words = f"corner tag {self.tag}" + (f" · {self.where}" if self.where else "")
        page.text(words, middle, y + STRIP + 0.02, side * 0.96, size=0.11)
        page.text(TURNED if self.turned else ANYWHERE, middle, y + 0.05, side * 0.96, size=0.09)


@dataclass(frozen=True, slots=True)
class TokenPrint:
    """Something dropped on the table: a square or a disc, `across` inches, with a tag in its middle.

    `size` is the tag's black square; None makes it as large as leaves its white border whole and
    room for the name.
    """

    name: str
    tag: int
    shape: Literal["square", "disc"] = "square"
    across: float = 3.0
    size: float | None = None
    family: str = "tag36h11"

    @property
    def width(self) -> float:
        """Its extent, inches."""
        return self.across

    @property
    def height(self) -> float:
        """Its extent, inches."""
        return self.across

    @property
    def tag_size(self) -> float:
        """The side of the tag's black square, inches."""
        border = bordered_side(self.family, self.tag, 1.0)
        room = 0.8 if self.shape == "square" else 0.98 / math.sqrt(2)
        size = self.size if self.size is not None else math.floor(100 * room * self.across / border) / 100
        if size * border > (self.across if self.shape == "square" else self.across / math.sqrt(2)):
            raise PrintError(
                f"a tag of {size:.2f} inches with its white border does not fit on {self.name} of "
                f"{self.across:.2f} inches: choose a smaller tag"
            )
        return size

    def draw(self, page: Page, x: float, y: float) -> None:
        """Draws it with its lower left corner at (x, y)."""
        half = self.across / 2
        if self.shape == "disc":
            page.circle(x + half, y + half, half)
        else:
            page.outline(x, y, self.across, self.across)
        bordered = bordered_side(self.family, self.tag, self.tag_size)
        inset = (self.across - bordered) / 2
        page.tag(self.family, self.tag, x + inset, y + inset, self.tag_size)
        letters = min(0.14, inset * 0.45)
        room = (
            bordered if self.shape == "square" else 1.2 * math.sqrt(half**2 - (bordered / 2 + letters) ** 2)
        )
        page.text(self.name, x + half, y + inset + bordered, room, size=letters)
        page.text(str(self.tag), x + half, y + inset - letters, room, size=letters)


@dataclass(frozen=True, slots=True)
class CutoutPrint:
    """A counter that a game brings."""

    cutout: Cutout

    @property
    def width(self) -> float:
        """Its extent, inches."""
        return self.cutout.across

    @property
    def height(self) -> float:
        """Its extent, inches."""
        return self.cutout.deep

    def draw(self, page: Page, x: float, y: float) -> None:
        """Draws it with its lower left corner at (x, y)."""
        across, deep = self.width, self.height
        if self.cutout.boxes:
            _card(page, self.cutout, x, y)
            return
        if self.cutout.disc:
            page.circle(x + across / 2, y + deep / 2, across / 2)
        else:
            page.outline(x, y, across, deep)
        first, *others = self.cutout.lines
        large = min(0.4 * deep, 0.9)
        letters = min(0.18 * deep, 0.14)
        below = 1.4 * letters * len(others)
        page.text(first, x + across / 2, y + (deep - 0.7 * large + below) / 2, 0.86 * across, size=large)
        for k, line in enumerate(others, start=1):
            at = y + (deep - 0.7 * large + below) / 2 - 1.4 * letters * k
            page.text(line, x + across / 2, at, 0.86 * across, size=letters)


def _card(page: Page, card: Cutout, x: float, y: float) -> None:
    """A card with a row of boxes, as large as fit, and a tick outside each corner to cut by."""
    across, deep = card.across, card.deep
    page.outline(x, y, across, deep)
    for left, out in ((x, -TICK), (x + across, TICK)):
        for low, down in ((y, -TICK), (y + deep, TICK)):
            page.line(left + out / 4, low, left + out, low, points=0.3)
            page.line(left, low + down / 4, left, low + down, points=0.3)
    first, *others = card.lines
    letters = min(0.075 * across, 0.165)
    top = y + deep - 0.1 - 1.5 * letters
    page.text(first, x + across / 2, top, 0.88 * across, size=1.5 * letters)
    side = min((0.9 * across) / max(len(card.boxes), 3), 0.5)
    row = top - 2.4 * letters - side
    at = x + (across - side * len(card.boxes)) / 2
    for k, (above, inside) in enumerate(card.boxes):
        corners = [(0.0, 0.0), (side, 0.0), (side, side), (0.0, side), (0.0, 0.0)]
        page.polyline([(at + k * side + dx, row + dy) for dx, dy in corners], width=0.8)
        middle = at + (k + 0.5) * side
        page.text(above, middle, row + side + 0.35 * letters, 0.95 * side, size=letters)
        page.text(inside, middle, row + (side - 0.7 * letters) / 2, 0.9 * side, size=letters)
    for k, line in enumerate(others, start=1):
        page.text(line, x + across / 2, row - 1.45 * letters * k - 0.4 * letters, 0.9 * across, size=letters)


def cutout_part(cutouts: Sequence[Cutout], title: str, sheet: Sheet) -> Part:
    """Counters to cut out, each as often as it says."""
    return tag_part([CutoutPrint(one) for one in cutouts for _ in range(one.count)], title, sheet)


PLAIN = Sheet()


def prints_for(
    corners: Sequence[CornerTag], pieces: Sequence[Piece], loose: Sequence[LooseTag] = ()
) -> list[Print]:
    """Every print that a table file asks for: its corner tags, then a tag for each piece with one.

    The `loose` are corner tags that have no place yet.
    """
    middle = np.mean([c.at for c in corners], axis=0) if corners else np.zeros(2)
    prints: list[Print] = []
    for corner in corners:
        side = "near" if corner.at[1] < middle[1] else "far"
        hand = "left" if corner.at[0] < middle[0] else "right"
        turned = corner.turn is not None
        prints.append(CornerPrint(corner.tag, f"{side} {hand}", corner.size, corner.family, turned))
    prints += [CornerPrint(tag.tag, "", tag.size, tag.family) for tag in loose]
    for piece in pieces:
        if piece.mount is not None:
            prints.append(RoofPrint(piece.name, piece.mount.tag, piece.mount.size, piece.mount.family))
    return prints


def tag_sheets(prints: Sequence[Print], title: str, sheet: Sheet = PLAIN) -> bytes:
    """A PDF with these prints in order, as many pages as they need."""
    return document([tag_part(prints, title, sheet)])


def tag_part(prints: Sequence[Print], title: str, sheet: Sheet = PLAIN) -> Part:
    """These prints in order, on as many pages as they need; without any, no page."""
    return Part(sheet, title, tuple(_pack(prints, sheet)) if prints else ())


def target_sheet(board: Target, sheet: Sheet = PLAIN) -> bytes:
    """A PDF of one calibration board, the sheet upright or across as the board fits."""
    columns, rows = board.squares
    width, height = columns * board.square, rows * board.square
    fitting = [s for s in (sheet, replace(sheet, across=True)) if width <= s.room[0] and height <= s.room[1]]
    if not fitting:
        raise PrintError(
            f"the {board.words} of {board.square / MM:.1f} mm is {width / MM:.0f} x {height / MM:.0f} mm and "
            f"{sheet.words} leaves {sheet.room[0] / MM:.0f} x {sheet.room[1] / MM:.0f} mm: "
            "choose smaller squares"
        )
    room = fitting[0].room
    x = MARGIN + (room[0] - width) / 2
    y = MARGIN + FOOTER + (room[1] - height) / 2

    def draw(page: Page) -> None:
        page.squares(_black_squares(board), x, y, board.square)
        for corners, modules in _target_markers(board):
            side = board.marker / len(modules)
            page.squares(modules, x + corners[0, 0], y + height - corners[2, 1], side)

    marker = f", markers {board.marker / MM:.2f} mm" if board.kind == "charuco" else ""
    title = f"{board.words}, squares {board.square / MM:.2f} mm{marker} · glue it flat on something stiff"
    return document([Part(fitting[0], title, (draw,))])


def bordered_side(family: str, tag: int, size: float) -> float:
    """A tag's side with one white module all round; refuses what cannot be printed."""
    if not 0.2 <= size <= 10:
        raise PrintError(f"expected a tag of 0.2 to 10 inches but got {size:g}")
    modules = len(black_modules(family, tag))
    return size * (modules + 2) / modules


def _black_squares(board: Target) -> NDArray[np.bool_]:
    """Which squares of the board are black, (rows, columns), row 0 on top."""
    columns, rows = board.squares
    if board.kind == "chessboard":
        return np.asarray(np.add.outer(np.arange(rows), np.arange(columns)) % 2 == 0)
    black = np.ones((rows, columns), dtype=bool)
    for corners, _ in _target_markers(board):
        c, r = (corners.mean(axis=0) // board.square).astype(int)
        black[r, c] = False
    return black


def _target_markers(board: Target) -> list[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """Each marker's corners (4, 2), inches from the board's top left with y down, and its modules."""
    if board.kind == "chessboard":
        return []
    opencv = board.charuco()
    ids = np.asarray(opencv.getIds()).ravel().tolist()
    return [
        (np.asarray(points, dtype=np.float64)[:, :2], black_modules(board.dictionary, i))
        for i, points in zip(ids, opencv.getObjPoints(), strict=True)
    ]


def _pack(prints: Sequence[Print], sheet: Sheet) -> list[Callable[[Page], None]]:
    """One drawing a page: prints side by side in rows, in the order given, from the top left."""
    width, height = sheet.room
    pages: list[list[tuple[Print, float, float]]] = [[]]
    x, row, down = 0.0, 0.0, 0.0
    for item in prints:
        if item.width > width or item.height > height:
            raise PrintError(
                f"a print of {item.width:.2f} x {item.height:.2f} inches does not fit on the page, "
                f"which leaves {width:.2f} x {height:.2f}: choose a smaller tag"
            )
        if x + item.width > width:
            x, row, down = 0.0, row + down + GAP, 0.0
        if row + item.height > height:
            pages.append([])
            x, row, down = 0.0, 0.0, 0.0
        bottom = MARGIN + FOOTER + height - row - item.height
        pages[-1].append((item, MARGIN + x, bottom))
        x, down = x + item.width + GAP, max(down, item.height)

    def drawing(places: Sequence[tuple[Print, float, float]]) -> Callable[[Page], None]:
        def draw(page: Page) -> None:
            for item, left, bottom in places:
                item.draw(page, left, bottom)

        return draw

    return [drawing(places) for places in pages]
