"""What the page draws, worked out: outlines in table inches or projected into the picture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np
from shapely.geometry import MultiPoint, Polygon

from engine.boards.board import Board, Free, place_words
from engine.boards.road import Road
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import Body, Piece
from engine.space.table import PoseUncertainty, Standing, Status, TableState
from server.formats import units
from server.formats.units import LengthUnit
from server.pipeline.referee import Moment, SurfaceView
from server.table import messages
from server.table.questions.ruling_messages import Outline

CHI2_95 = 5.991
"""A plane's normal error lies within this many squared deviations with 95 %."""

PALETTE = ("#d8453e", "#2f7fd6", "#2f9e5b", "#c98a12", "#8b5cc7", "#158f98")
TERRAIN_COLOUR = "#8a8272"
TOKEN_COLOUR = "#6d7480"
PATTERNS: tuple[Literal["plain", "stripes", "dots", "chequer"], ...] = ("plain", "stripes", "dots", "chequer")

STEP = 1.0
"""Straight lines are cut into pieces of this many inches, so that they bend as the lens bends them."""

FREE = Free()

DRAWINGS_KEPT = 512
"""Pieces as they were drawn last: two dozen in both views and units, and what moves meanwhile."""

DOT_SIDES = 12

Part = Literal["cabin", "window", "nose", "light", "tyre"]


class Space(Protocol):
    """Where outlines are wanted."""

    flat: bool
    """Whether height makes no difference."""

    def __hash__(self) -> int:
        """Drawings that do not change are kept by the space that they are in."""
        ...

    def outline(self, points: FloatArray, height: float = 0.0) -> Outline:
        """Table points, (n, 2) inches, at one height, in this space."""
        ...


@dataclass(frozen=True)
class TableSpace:
    """Inches on the table, seen from straight above."""

    flat = True

    def outline(self, points: FloatArray, height: float = 0.0) -> Outline:
        """The same points, to the thousandth of an inch."""
        del height
        return _rounded(points, 3)


@dataclass(frozen=True)
class PictureSpace:
    """Pixels of the camera's picture."""

    surface: SurfaceView
    flat = False

    def outline(self, points: FloatArray, height: float = 0.0) -> Outline:
        """The points as the camera sees them, to the tenth of a pixel."""
        return _rounded(self.surface.image_from_table(np.asarray(points, dtype=np.float64), height), 1)


def _rounded(points: FloatArray, digits: int) -> Outline:
    # Adding zero turns -0.0 into 0.0, so that equal outlines are written alike.
    return list(map(tuple, (np.round(points, digits) + 0.0).tolist()))


def densified(points: FloatArray, closed: bool, step: float = STEP) -> FloatArray:
    """The same line with a point at least every `step` inches."""
    ends = np.roll(points, -1, axis=0) if closed else points[1:]
    starts = points if closed else points[:-1]
    out: list[FloatArray] = []
    for a, b in zip(starts, ends, strict=True):
        n = max(1, math.ceil(float(np.linalg.norm(b - a)) / step))
        out.append(a + (b - a) * (np.arange(n)[:, None] / n))
    if not closed:
        out.append(points[-1:])
    return np.concatenate(out)


def line_in(space: Space, points: FloatArray, *, closed: bool = False) -> Outline:
    """A line on the table, bent by the lens where there is one."""
    return space.outline(points if space.flat else densified(points, closed))


def ellipse(centre: FloatArray, covariance: FloatArray, sides: int = 24) -> FloatArray:
    """What encloses a point on the table with 95 %, shape (sides, 2), at its true width."""
    values, vectors = np.linalg.eigh(covariance)
    radii = np.sqrt(np.maximum(values, 0.0) * CHI2_95)
    return np.asarray(centre + (circle(np.zeros(2), 1.0, sides) * radii) @ vectors.T)


def circle(centre: FloatArray, radius: float, sides: int = 48) -> FloatArray:
    """A circle on the table, shape (sides, 2), inches."""
    angles = np.arange(sides) * (math.tau / sides)
    return np.asarray(centre + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1))


def point_covariance(standing: Standing, point_in_table: FloatArray) -> FloatArray:
    """How surely a point fixed to a piece is known on the table, (2, 2) square inches."""
    jacobian = standing.pose.jacobian(standing.pose.to_body(point_in_table))
    return np.asarray(jacobian @ standing.uncertainty.total @ jacobian.T)


def band(ends: list[tuple[FloatArray, FloatArray]]) -> FloatArray | None:
    """The hull of the 95 % ellipses about points (point, covariance); None where it has no width."""
    hull = MultiPoint(np.concatenate([ellipse(point, cov) for point, cov in ends])).convex_hull
    if not isinstance(hull, Polygon):
        return None
    return np.asarray(hull.exterior.coords)[:-1]


# Pieces


def car_details(body: Body) -> list[tuple[Part, FloatArray, bool]]:
    """The parts of a drawn car in its body frame: part, outline, whether it lies at roof height.

    Proportions follow the length and width of the model; tyres stand where they are measured.
    """
    if body.tyres is None:
        return []
    xs, ys = body.footprint.outline.T
    rear, L = float(xs.min()), body.length
    mid, W = float(ys.min() + ys.max()) / 2, body.width

    def shape(*points: tuple[float, float]) -> FloatArray:
        """Points as shares of length from the rear and of width from the middle."""
        return np.array([(rear + u * L, mid + v * W) for u, v in points])

    long, wide = 0.17 * L, min(0.2 * W, 0.3)
    tyre = np.array(
        [(-long / 2, -wide / 2), (long / 2, -wide / 2), (long / 2, wide / 2), (-long / 2, wide / 2)]
    )
    parts: list[tuple[Part, FloatArray, bool]] = [("tyre", tyre + at, False) for at in body.tyres]
    parts += [
        ("cabin", shape((0.2, -0.37), (0.6, -0.37), (0.66, 0.0), (0.6, 0.37), (0.2, 0.37)), True),
        ("window", shape((0.55, -0.31), (0.66, -0.38), (0.69, 0.0), (0.66, 0.38), (0.55, 0.31)), True),
        ("window", shape((0.25, -0.3), (0.25, 0.3), (0.17, 0.36), (0.17, -0.36)), True),
        ("nose", shape((0.76, -0.2), (0.95, 0.0), (0.76, 0.2)), True),
        ("light", shape((0.93, 0.25), (0.985, 0.22), (0.985, 0.38), (0.93, 0.41)), True),
        ("light", shape((0.93, -0.41), (0.985, -0.38), (0.985, -0.22), (0.93, -0.25)), True),
    ]
    return parts


@dataclass(frozen=True, eq=False)
class _Plan:
    """All that is drawn of a piece, in its body frame: one array for each height, to be cut again.

    `low` holds the outline, the handle, the rear axle and what lies on the table; `high`, at the piece's
    height, the outline, the middle and what lies on the roof.
    """

    low: FloatArray
    low_parts: tuple[tuple[Part, int], ...]
    high: FloatArray
    high_parts: tuple[tuple[Part, int], ...]


@lru_cache(maxsize=128)
def _plan_of(piece: Piece) -> _Plan:
    outline = piece.body.footprint.outline
    ahead = float(outline[:, 0].max()) + 1.2
    rear = (0.0, 0.0) if piece.body.tyres is None else piece.body.rear_axle
    details = car_details(piece.body) if piece.look == "car" else []
    low = [(part, points) for part, points, raised in details if not raised]
    high = [(part, points) for part, points, raised in details if raised]
    return _Plan(
        np.concatenate([outline, [(ahead, 0.0), rear], *(points for _, points in low)]),
        tuple((part, len(points)) for part, points in low),
        np.concatenate([outline, [(0.0, 0.0)], *(points for _, points in high)]),
        tuple((part, len(points)) for part, points in high),
    )


def _details(points: Outline, parts: tuple[tuple[Part, int], ...]) -> Iterator[messages.Detail]:
    begin = 0
    for part, count in parts:
        yield messages.Detail(part=part, outline=points[begin : begin + count])
        begin += count


def shape_of(standing: Standing, space: Space, celled: bool = False) -> messages.Shape:
    """One piece, drawn. Where it stands in a cell of its board (`celled`), it turns about its middle."""
    body, pose, plan = standing.piece.body, standing.pose, _plan_of(standing.piece)
    corners = len(body.footprint.outline)
    low = space.outline(pose.to_table(plan.low))
    high = space.outline(pose.to_table(plan.high), body.height)
    return messages.Shape(
        base=low[:corners],
        top=None if space.flat else high[:corners],
        details=[
            *_details(low[corners + 2 :], plan.low_parts),
            *_details(high[corners + 1 :], plan.high_parts),
        ],
        uncertainty=space.outline(ellipse(pose.xy, standing.uncertainty.total[:2, :2])),
        middle=high[corners],
        handle=low[corners],
        pivot=space.outline(pose.xy[np.newaxis])[0] if celled else low[corners + 1],
    )


def owners_of(table: TableState) -> list[str]:
    """The owners in the order of the table file, each once."""
    return list(dict.fromkeys(s.piece.owner for s in table.standings if s.piece.owner))


def colour_of(standing: Standing, owners: list[str]) -> str:
    """The piece's own colour, or one for its owner or kind."""
    own = standing.piece.colour
    if own and (own.isalpha() or (own.startswith("#") and own[1:].isalnum() and len(own) in (4, 7))):
        return own
    if standing.piece.owner:
        return PALETTE[owners.index(standing.piece.owner) % len(PALETTE)]
    return {"car": PALETTE[-1], "terrain": TERRAIN_COLOUR, "token": TOKEN_COLOUR}[standing.piece.look]


STATUS_WORDS = {
    Status.STILL: "still",
    Status.MOVING: "moving",
    Status.HELD: "covered, held in place",
    Status.LOST: "lost from sight",
}


# A piece seen so short a time ago, seconds, is not covered: it is held because nothing may be ruled now.
IN_VIEW_S = 0.3
HELD_IN_VIEW = "in view, and held: nothing is ruled now"


def status_words(standing: Standing, now: float) -> str:
    """What the camera knows of a piece, for people."""
    age = max(0.0, now - standing.seen_at)
    if standing.status is Status.HELD and age < IN_VIEW_S:
        return HELD_IN_VIEW
    said = STATUS_WORDS[standing.status]
    if standing.status in (Status.HELD, Status.LOST):
        said += f", seen {units.seconds(age)} ago"
    return said


def piece_views(
    table: TableState, space: Space | None, unit: LengthUnit, board: Board = FREE, *, hidden: bool = False
) -> list[messages.PieceView]:
    """Everything that the page shows of the pieces; without a space they have no shapes.

    Where a board has cells, the place of what players drive begins with its cell. What rests is drawn once
    for all pages: the very same view comes again until something changes. Where distances are `hidden` no
    place is told in numbers.
    """
    owners = owners_of(table)
    return [
        _piece_view(
            s.piece,
            s.pose,
            s.uncertainty,
            s.status,
            status_words(s, table.time),
            round(max(0.0, table.time - s.seen_at), 1),
            owners.index(s.piece.owner) if s.piece.owner else None,
            colour_of(s, owners),
            space,
            unit,
            board,
            hidden,
        )
        for s in table.standings
    ]


def thing_views(table: TableState, space: Space | None) -> list[messages.ThingView]:
    """What nobody has named: grey shapes on the table."""
    if space is None:
        return []
    return [
        messages.ThingView(
            name=t.name,
            shape=line_in(space, t.region.outline, closed=True),
            words=f"{t.name} lies there, and nobody has said what it is. Until then what it touches is "
            "too close to call.",
        )
        for t in table.things
    ]


@lru_cache(maxsize=DRAWINGS_KEPT)
def _piece_view(
    piece: Piece,
    pose: Pose,
    uncertainty: PoseUncertainty,
    status: Status,
    said: str,
    age: float,
    owner: int | None,
    colour: str,
    space: Space | None,
    unit: LengthUnit,
    board: Board,
    hidden: bool,
) -> messages.PieceView:
    """One piece; `said` of its status, `owner` its place in the row of owners."""
    total = uncertainty.total
    sd_xy = math.sqrt(max(float(total[0, 0] + total[1, 1]) / 2, 0.0))
    sd_turn = math.sqrt(max(float(total[2, 2]), 0.0))
    at = f"{units.length(pose.x, unit)}, {units.length(pose.y, unit)}, {units.heading(pose.heading)}"
    cell = place_words(board, board.snap(Standing(piece, pose, uncertainty))) if piece.driven else ""
    return messages.PieceView(
        name=piece.name,
        kind=piece.kind,
        driven=piece.driven,
        pulled_by=None if piece.hitch is None else piece.hitch.to,
        look=piece.look,
        owner=piece.owner,
        sign="" if owner is None else chr(ord("A") + owner % 26),
        pattern="plain" if owner is None else PATTERNS[owner % len(PATTERNS)],
        colour=colour,
        model=piece.body.model,
        x=round(pose.x, 3),
        y=round(pose.y, 3),
        heading=round(pose.heading, 4),
        status=status.value,
        status_words=said,
        age=age,
        place_words=cell if hidden else f"{cell} · {at}" if cell else at,
        deviation_words="" if hidden else f"±{units.deviation(sd_xy, unit)}, ±{units.angle(sd_turn)}",
        shape=None if space is None else shape_of(Standing(piece, pose, uncertainty), space, bool(cell)),
    )


# The table


def multiples(low: float, high: float, step: float) -> FloatArray:
    """The multiples of a step between two ends, so that places can be read off the grid.

    >>> multiples(-1.5, 13.0, 6.0).tolist(), multiples(0.0, 12.0, 6.0).tolist()
    ([0.0, 6.0, 12.0], [6.0])
    """
    first = math.floor(low / step + 1e-9) + 1
    last = math.ceil(high / step - 1e-9) - 1
    return np.arange(first, last + 1, dtype=np.float64) * step


@lru_cache(maxsize=8)
def board_view(board: Board, space: Space) -> messages.BoardView | None:
    """The board in a viewer's space; None where there is nothing to draw."""
    view = messages.BoardView(lines=[], bold=[], dots=[], names=[])
    for shape in board.drawing():
        points = np.array(shape.points)
        if shape.shape == "label":
            # Letters lie on the table: as high as a line of that length is long there.
            foot, head = np.array(space.outline(np.stack([points[0], points[0] + (0.0, shape.radius)])))
            size = round(float(np.linalg.norm(head - foot)), 2)
            at = (float(foot[0]), float(foot[1]))
            view.names.append(messages.BoardName(at=at, words=shape.words, height=size))
        elif shape.shape == "disc":
            view.dots.append(space.outline(circle(points[0], shape.radius, DOT_SIDES)))
        else:
            closed = shape.shape == "polygon"
            line = line_in(space, np.concatenate([points, points[:1]]) if closed else points)
            (view.bold if shape.bold else view.lines).append(line)
    return view if view.lines or view.bold or view.dots else None


def road_view(table: TableState, board: Board, unit: LengthUnit) -> messages.RoadView | None:
    """Where each car is on the whole of a road, and how far it has come; None on other boards."""
    if not isinstance(board, Road):
        return None
    owners = owners_of(table)
    pieces = []
    for standing in table.standings:
        if standing.piece.look != "car":
            continue
        covered = board.travelled(standing.pose) if standing.piece.driven else None
        outline = board.frame.to_body(standing.region.outline) + np.array([board.scroll, 0.0])
        pieces.append(
            messages.RoadPiece(
                name=standing.name,
                colour=colour_of(standing, owners),
                outline=[(round(float(x), 2), round(float(y), 2)) for x, y in outline],
                covered=None if covered is None else round(covered, 2),
                words="" if covered is None else units.length(covered, unit, 1),
            )
        )
    pieces.sort(key=lambda p: -math.inf if p.covered is None else p.covered, reverse=True)
    gone = f"{units.length(board.scroll, unit, 1)} of the road have rolled by"
    return messages.RoadView(
        since=round(board.scroll, 3),
        until=round(board.scroll + board.length, 3),
        width=board.width,
        words=gone if board.scroll else "The road has not rolled on yet",
        pieces=pieces,
    )


@lru_cache(maxsize=8)
def table_view(
    surface: Region, space: Space, unit: LengthUnit, board: Board = FREE, *, hidden: bool = False
) -> messages.TableView:
    """The surface with its board or else a grid, and a scale bar, in the viewer's unit.

    Where distances are `hidden` there is nothing to read one off.
    """
    x0, y0, x1, y1 = surface.polygon.bounds
    inch = 1.0 if unit == "in" else 1 / units.CM_PER_INCH
    spacing = (6 if unit == "in" else 20) * inch
    drawn = board_view(board, space)
    grid = [
        line_in(space, np.array(ends))
        for ends in (
            *(((x, y0), (x, y1)) for x in multiples(x0, x1, spacing)),
            *(((x0, y), (x1, y)) for y in multiples(y0, y1, spacing)),
        )
    ]
    bar = spacing if spacing < 0.6 * (x1 - x0) else (x1 - x0) / 2
    side = 0.03 * (x1 - x0)
    scale = messages.Rule(
        line=line_in(space, np.array([(x0 + side, y0 + side), (x0 + side + bar, y0 + side)])),
        words=units.length(bar, unit, 0),
    )
    return messages.TableView(
        outline=line_in(space, surface.outline, closed=True),
        grid=[] if drawn or hidden else grid,
        board=drawn,
        scale=None if hidden else scale,
        size_words=f"{units.length(x1 - x0, unit, 0)} by {units.length(y1 - y0, unit, 0)}",
    )


PICTURE_MARGIN = 0.06
"""How much is shown round the table in the picture, as a share of its size there."""

PICTURE_STEP = 16
"""Pixels to which the shown part of the picture is rounded, so that it does not tremble."""


def bounds_of(moment: Moment, view: messages.View) -> messages.Bounds:
    """What is worth showing: the table with a margin, or the part of the picture that holds it."""
    if view == "table":
        x0, y0, x1, y1 = moment.table.surface.polygon.bounds
        margin = 0.02 * max(x1 - x0, y1 - y0) + 0.25
        return messages.Bounds(
            x=round(x0 - margin, 2),
            y=round(y0 - margin, 2),
            width=round(x1 - x0 + 2 * margin, 2),
            height=round(y1 - y0 + 2 * margin, 2),
        )
    width, height = moment.frame.size
    low, high = np.zeros(2), np.array([width, height])
    if moment.surface is not None:
        edge = moment.surface.image_from_table(densified(moment.table.surface.outline, closed=True))
        least, most = edge.min(axis=0), edge.max(axis=0)
        margin = PICTURE_MARGIN * float((most - least).max())
        low = np.clip(np.floor((least - margin) / PICTURE_STEP) * PICTURE_STEP, low, high)
        high = np.clip(np.ceil((most + margin) / PICTURE_STEP) * PICTURE_STEP, low, high)
    if not (high - low > PICTURE_STEP).all():
        low, high = np.zeros(2), np.array([width, height])
    # Pixel (0, 0) is the centre of the first pixel, so the picture begins half a pixel before it.
    return messages.Bounds(x=low[0] - 0.5, y=low[1] - 0.5, width=high[0] - low[0], height=high[1] - low[1])


def space_for(moment: Moment, view: messages.View) -> Space | None:
    """The space of a view; None for the picture as long as the table has not been found in it."""
    if view == "table":
        return TableSpace()
    return PictureSpace(moment.surface) if moment.surface is not None else None
