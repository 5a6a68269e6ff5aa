"""A board to scale, over as many sheets as it needs, to cut and glue together; with corner tags if asked.

The map lies on the paper with the board's x to the right. Where a sheet has a neighbour to its right or
above it ends in a strip that the neighbour is glued on, once that is cut along its own dashed line; crosses
on both show where they meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.fiducials import black_modules
from calibration.prints.paper import FOOTER, HEADER, MARGIN, Page, Part, PrintError, Sheet, document
from calibration.surface import CornerTag
from engine.boards.board import Board, Shape
from engine.boards.pictures import Picture
from engine.space.geometry import FloatArray, Pose

# How wide the strips are that sheets share, inches.
OVERLAP = 0.5

# Paper round the outermost line, inches.
ROUND = 0.1

# Lines, in points.
FINE, BOLD = 0.5, 2.0

# Half a registration cross, inches.
CROSS = 0.12


@dataclass(frozen=True, slots=True)
class Tile:
    """What one sheet shows of the map: its place in the grid of sheets, and its window in the board's frame.

    The window reaches from (x, y) by `step` to where its neighbours begin; with neighbours to the right or
    above it shows `OVERLAP` more.
    """

    column: int
    row: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    """A map's sheets: how many across and up, how far apart, each tile in reading order from the top left."""

    sheet: Sheet
    columns: int
    rows: int
    step: tuple[float, float]
    tiles: tuple[Tile, ...]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the whole map, inches."""
        return self.columns * self.step[0], self.rows * self.step[1]

    def number(self, column: int, row: int) -> int:
        """The page of the sheet at that place, from 1; rows count from the bottom."""
        return (self.rows - 1 - row) * self.columns + column + 1

    def shown(self, tile: Tile) -> tuple[float, float]:
        """How much of the map a sheet shows, its strips included."""
        right, above = tile.column < self.columns - 1, tile.row < self.rows - 1
        return self.step[0] + OVERLAP * right, self.step[1] + OVERLAP * above


def map_sheets(
    board: Board | Picture,
    title: str,
    corners: Sequence[CornerTag] = (),
    sheet: Sheet = Sheet(),  # noqa: B008
) -> bytes:
    """A PDF of the board to scale, with these corner tags where they belong on it."""
    return document([map_part(board, title, corners, sheet)])


def map_part(
    board: Board | Picture,
    title: str,
    corners: Sequence[CornerTag] = (),
    sheet: Sheet = Sheet(),  # noqa: B008
) -> Part:
    """The same as a part of a document. Refuses a board without a drawing."""
    shapes, tags = _on_paper(board, corners)
    layout = laid_out(board, corners, sheet)

    def page(tile: Tile) -> Callable[[Page], None]:
        def draw(pen: Page) -> None:
            left, bottom = MARGIN, MARGIN + FOOTER
            with pen.window(left, bottom, *layout.shown(tile)):
                for shape in _shown_on(shapes, layout, tile):
                    _draw(pen, shape, left - tile.x, bottom - tile.y)
                for tag in tags:
                    _draw_tag(pen, tag, left - tile.x, bottom - tile.y)
            _seams(pen, layout, tile)
            _plan(pen, layout, tile)

        return draw

    return Part(layout.sheet, title, tuple(page(tile) for tile in layout.tiles))


def _shown_on(shapes: Sequence[Shape], layout: Layout, tile: Tile) -> list[Shape]:
    """The shapes of which a sheet shows something: the others would only make it slow and large."""
    low = np.array([tile.x, tile.y])
    high = low + layout.shown(tile)

    def shown(shape: Shape) -> bool:
        least, most = _reach(shape)
        return bool((most + ROUND > low).all() and (least - ROUND < high).all())

    return [shape for shape in shapes if shown(shape)]


def laid_out(board: Board | Picture, corners: Sequence[CornerTag], sheet: Sheet) -> Layout:
    """The fewest sheets for a map, upright or across, all alike. Refuses a board without a drawing."""
    shapes, tags = _on_paper(board, corners)
    if not shapes:
        raise PrintError("a free table has no board to print: name one with --board, or in the table file")
    low, high = _extent(shapes, tags)
    size = high - low
    found: list[Layout] = []
    for turned in (replace(sheet, across=False), replace(sheet, across=True)):
        room = np.array(turned.room)
        count = np.where(size <= room, 1.0, np.ceil(size / (room - OVERLAP)))
        columns, rows = (int(n) for n in count)
        step = size / count
        tiles = tuple(
            Tile(c, r, float(low[0] + c * step[0]), float(low[1] + r * step[1]))
            for r in reversed(range(rows))
            for c in range(columns)
        )
        found.append(Layout(turned, columns, rows, (float(step[0]), float(step[1])), tiles))
    return min(found, key=lambda layout: len(layout.tiles))


def _on_paper(board: Board | Picture, corners: Sequence[CornerTag]) -> tuple[list[Shape], list[CornerTag]]:
    """The board's shapes and the tags in the board's frame, every tag's turn stated."""
    frame = board.frame.inverse()
    shapes = []
    for shape in board.drawing():
        points = frame.to_table(shape.points)
        shapes.append(replace(shape, points=tuple((float(x), float(y)) for x, y in points)))
    tags = []
    for tag in corners:
        at = frame.compose(Pose(*tag.at, math.pi / 2 if tag.turn is None else tag.turn))
        tags.append(replace(tag, at=(at.x, at.y), turn=at.heading))
    return shapes, tags


def _side(tag: CornerTag) -> float:
    """A tag's side with its white border, inches."""
    modules = len(black_modules(tag.family, tag.tag))
    return tag.size * (modules + 2) / modules


def _extent(shapes: Sequence[Shape], tags: Sequence[CornerTag]) -> tuple[FloatArray, FloatArray]:
    """The least and the greatest x and y of the map."""
    reach = []
    for shape in shapes:
        reach += [np.array([end]) for end in _reach(shape)]
    for tag in tags:
        wide = _side(tag) / math.sqrt(2)  # enough for any turn
        reach += [np.array([tag.at]) - wide, np.array([tag.at]) + wide]
    every = np.concatenate(reach)
    return every.min(axis=0) - ROUND, every.max(axis=0) + ROUND


def _reach(shape: Shape) -> tuple[FloatArray, FloatArray]:
    """The least and the greatest x and y of a shape, with its words."""
    points = np.array(shape.points)
    round_it = np.array([shape.radius * max(1.0, 0.6 * len(shape.words)), shape.radius])
    return points.min(axis=0) - round_it, points.max(axis=0) + round_it


def _draw(pen: Page, shape: Shape, dx: float, dy: float) -> None:
    """One shape of the board, moved by so many inches."""
    points = [(x + dx, y + dy) for x, y in shape.points]
    if shape.shape == "label":
        (x, y) = points[0]
        pen.text(shape.words, x, y - 0.35 * shape.radius, 100.0, shape.radius)
    elif shape.shape == "disc":
        pen.disc(*points[0], shape.radius)
    else:
        ends = points if shape.shape == "line" else [*points, points[0]]
        pen.polyline(ends, BOLD if shape.bold else FINE)


def _draw_tag(pen: Page, tag: CornerTag, dx: float, dy: float) -> None:
    """A tag on white, moved by so many inches."""
    half = _side(tag) / 2
    with pen.placed(tag.at[0] + dx, tag.at[1] + dy, (tag.turn or 0.0) - math.pi / 2):
        pen.polygon([(-half, -half), (half, -half), (half, half), (-half, half)], grey=1.0)
        pen.tag(tag.family, tag.tag, -half, -half, tag.size)


def _seams(pen: Page, layout: Layout, tile: Tile) -> None:
    """Where to cut this sheet, where to glue its neighbours, and the crosses that must meet."""
    left, bottom = MARGIN, MARGIN + FOOTER
    (wide, high), (across, up) = layout.shown(tile), layout.step
    right, top = left + across, bottom + up
    if tile.column:
        pen.dashes(left, bottom, left, bottom + high)
    if tile.row:
        pen.dashes(left, bottom, left + wide, bottom)
    if tile.column < layout.columns - 1:
        with pen.placed(right + OVERLAP / 2, bottom + high / 2, math.pi / 2):
            _glue(pen, layout.number(tile.column + 1, tile.row))
    if tile.row < layout.rows - 1:
        with pen.placed(left + across / 2, top + OVERLAP / 2, 0.0):
            _glue(pen, layout.number(tile.column, tile.row + 1))
    for x, beside in ((left, tile.column > 0), (right, tile.column < layout.columns - 1)):
        for y, along in ((bottom, tile.row > 0), (top, tile.row < layout.rows - 1)):
            if beside or along:
                pen.line(x - CROSS, y, x + CROSS, y)
                pen.line(x, y - CROSS, x, y + CROSS)


def _glue(pen: Page, number: int) -> None:
    """What to do with the strip, about its middle."""
    pen.polygon([(-1.6, -0.08), (1.6, -0.08), (1.6, 0.1), (-1.6, 0.1)], grey=1.0)
    pen.text(f"glue sheet {number} here, cut along its dashed line", 0.0, -0.03, 3.1, 0.11)


def _plan(pen: Page, layout: Layout, tile: Tile) -> None:
    """Top right, where this sheet lies among all."""
    if len(layout.tiles) == 1:
        return
    width, height = layout.sheet.size
    side = min((HEADER - 0.06) / layout.rows, 1.2 / layout.columns)
    x0, y0 = width - MARGIN - side * layout.columns, height - MARGIN - side * layout.rows + 0.06
    pen.outline(x0, y0, side * layout.columns, side * layout.rows)
    x, y = x0 + side * tile.column, y0 + side * tile.row
    pen.polygon([(x, y), (x + side, y), (x + side, y + side), (x, y + side)])
