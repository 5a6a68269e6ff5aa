"""The `[board]` of a table file: its fields by kind of board, and the board that they describe."""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from engine.boards.board import TOLERANCE, Board, BoardError, Free
from engine.boards.hexes import Hexes, as_lanes, oval
from engine.boards.points import Points
from engine.boards.ring import LooseTrack, track_of
from engine.boards.road import Road
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import ORIGIN

Inches = Annotated[float, Field(gt=0.001, le=1200.0)]
Count = Annotated[int, Field(ge=1, le=200)]

EXAMPLES = "points:12x9:2in, hexes:12x9:2in, oval:8x2x4:2in or road:36x8:3x2in"

# How far a board may reach past the surface before that is a mistake, inches.
ROUNDING = 1e-6


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Placed(_Strict):
    origin_in: tuple[float, float] | None = None
    direction_deg: Annotated[float, Field(ge=-360.0, le=360.0)] = 0.0
    tolerance_in: Inches = TOLERANCE

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        try:
            self.at(ORIGIN)
        except BoardError as error:
            raise ValueError(str(error)) from error
        return self

    @abstractmethod
    def at(self, frame: Pose) -> Board:
        """The board in that frame. Raises `BoardError`."""


class FreeFields(_Strict):
    """`kind = "free"`: the table without cells."""

    kind: Literal["free"]


class PointsFields(_Placed):
    """`kind = "points"`."""

    kind: Literal["points"]
    size: tuple[Count, Count]
    spacing_in: Inches = 2.0

    def at(self, frame: Pose) -> Board:
        """The board in that frame."""
        return Points(*self.size, self.spacing_in, frame, self.tolerance_in)


class _Oval(_Strict):
    straight: Count
    inside: Count
    lanes: Count
    clockwise: bool = False


class HexesFields(_Placed):
    """`kind = "hexes"`."""

    kind: Literal["hexes"]
    size: tuple[Count, Count] | None = None
    oval: _Oval | None = None
    lanes: Annotated[list[list[tuple[int, int]]], Field(min_length=1)] | None = None
    line: list[tuple[int, int]] | None = None
    spacing_in: Inches = 2.0

    def at(self, frame: Pose) -> Board:
        """The board in that frame."""
        if sum(given is not None for given in (self.size, self.oval, self.lanes)) != 1:
            raise BoardError(
                "hexes need one of three: size = [columns, rows] for a field, oval = {straight, inside, "
                "lanes} or lanes = [[[q, r], ...], ...] for a track"
            )
        if self.line is not None and self.lanes is None:
            raise BoardError("line is the middle line of a track of loose hexes: give its hexes as lanes")
        if self.size is not None:
            return Hexes.field(*self.size, self.spacing_in, frame, self.tolerance_in)
        if self.line is not None:
            lanes, line = as_lanes(self.lanes or []), tuple(self.line)
            return track_of(lanes, line, self.spacing_in, frame, self.tolerance_in)
        o = self.oval
        lanes = (
            oval(o.straight, o.inside, o.lanes, clockwise=o.clockwise) if o else as_lanes(self.lanes or [])
        )
        return Hexes.track(lanes, self.spacing_in, frame, self.tolerance_in)


class RoadFields(_Placed):
    """`kind = "road"`."""

    kind: Literal["road"]
    size_in: tuple[Inches, Inches]
    section_in: tuple[Inches, Inches] = (3.0, 2.0)

    def at(self, frame: Pose) -> Board:
        """The board in that frame."""
        return Road(*self.size_in, self.section_in, frame, tolerance=self.tolerance_in)


BoardFields = Annotated[FreeFields | PointsFields | HexesFields | RoadFields, Field(discriminator="kind")]

KINDS: dict[str, type[BaseModel]] = {
    "free": FreeFields,
    "points": PointsFields,
    "hexes": HexesFields,
    "road": RoadFields,
}


def board_on(fields: BoardFields | None, surface: Region) -> Board:
    """The board that the fields describe, in the middle of the surface unless they say where."""
    if fields is None or isinstance(fields, FreeFields):
        return Free()
    turned = Pose(0.0, 0.0, math.radians(fields.direction_deg))
    if fields.origin_in is not None:
        return fields.at(Pose(*fields.origin_in, turned.heading))
    middle = middle_of(surface.outline) - middle_of(extent(fields.at(turned)))
    return fields.at(Pose(float(middle[0]), float(middle[1]), turned.heading))


def fields_of(board: Board) -> dict[str, Any] | None:
    """The fields of `[board]` that describe a board where it lies; None of a table without cells.

    >>> fields_of(Points(5, 4, 1.5, Pose(4.0, 3.0, 0.0)))
    {'kind': 'points', 'size': [5, 4], 'spacing_in': 1.5, 'origin_in': [4.0, 3.0]}
    """
    found: dict[str, Any] = {"kind": board.kind}
    if isinstance(board, Points):
        found |= {"size": [board.columns, board.rows], "spacing_in": board.spacing}
    elif isinstance(board, Hexes):
        found |= _hexes(board) | {"spacing_in": board.spacing}
    elif isinstance(board, Road):
        found |= {"size_in": [board.length, board.width], "section_in": list(board.section)}
    else:
        return None
    found["origin_in"] = [round(board.frame.x, 3), round(board.frame.y, 3)]
    if turned := round(math.degrees(board.frame.heading), 2):
        found["direction_deg"] = turned
    if board.tolerance != TOLERANCE:
        found["tolerance_in"] = board.tolerance
    return found


def _hexes(board: Hexes) -> dict[str, Any]:
    """What says which hexes there are. Raises `BoardError` where they are neither a track nor a field."""
    if board.lanes:
        lanes = [[list(cell) for cell in lane] for lane in board.lanes]
        line = [list(cell) for cell in board.line] if isinstance(board, LooseTrack) else None
        return {"lanes": lanes} | ({"line": line} if line else {})
    rows = 1 + max(r for _, r in board.cells)
    columns = sum(r == 0 for _, r in board.cells)
    if not columns or set(board.cells) != set(Hexes.field(columns, rows).cells):
        raise BoardError("these hexes are neither a track nor a field, which a table file can describe")
    return {"size": [columns, rows]}


_BOARD = TypeAdapter[FreeFields | PointsFields | HexesFields | RoadFields](BoardFields)
_WORDS = re.compile(r"(points|hexes|oval|road):([\d.x]+)(?::([\d.x]+)in)?")


def board_in_words(words: str) -> Board:
    """A board as people type it in a command, its origin in the table's. Raises `BoardError`.

    `points:12x9:2in` and `hexes:12x9:2in` have columns and rows and a spacing, `oval:8x2x4:2in` is a circuit
    of hexes (straight, inside, lanes), `road:36x8:3x2in` has length and width, and its sections'.

    >>> board_in_words("points:12x9:1.5in").name_of((11, 8))
    'L9'
    """
    match = _WORDS.fullmatch(words.replace(" ", ""))
    if match is None:
        raise BoardError(f"expected a board such as {EXAMPLES} but got {words!r}")
    kind, size, step = match.groups()
    fields: dict[str, object]
    try:
        if kind == "road":
            fields = {"size_in": _numbers(size)}
            if step:
                fields["section_in"] = _numbers(step)
        else:
            counts = [int(n) for n in size.split("x")]
            fields = {"spacing_in": float(step)} if step else {}
            if kind == "oval":
                straight, inside, lanes = counts
                fields["oval"] = {"straight": straight, "inside": inside, "lanes": lanes}
            else:
                fields["size"] = tuple(counts)
        asked = _BOARD.validate_python({"kind": "hexes" if kind == "oval" else kind, **fields})
    except ValueError as error:
        said = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise BoardError(f"expected a board such as {EXAMPLES} but got {words!r}: {said}") from error
    return Free() if isinstance(asked, FreeFields) else asked.at(ORIGIN)


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(n) for n in text.split("x"))


def extent(board: Board) -> FloatArray:
    """Every place on the table that the board's lines reach, shape (n, 2), inches."""
    drawn = [point for shape in board.drawing() if shape.shape != "label" for point in shape.points]
    return np.array(drawn).reshape(-1, 2)


def past_surface(board: Board, surface: Region) -> str:
    """What to say of a board that reaches past the surface; nothing if it does not."""
    reach = extent(board)
    if not len(reach):
        return ""
    low, high = reach.min(axis=0), reach.max(axis=0)
    near, far = surface.outline.min(axis=0), surface.outline.max(axis=0)
    if (low >= near - ROUNDING).all() and (high <= far + ROUNDING).all():
        return ""
    return (
        f"the board reaches {_from_to(low, high)} inches, the surface {_from_to(near, far)}: "
        "make it smaller or put it elsewhere"
    )


def _from_to(low: FloatArray, high: FloatArray) -> str:
    return f"from {low[0]:.4g}, {low[1]:.4g} to {high[0]:.4g}, {high[1]:.4g}"


def middle_of(points: FloatArray) -> FloatArray:
    """The middle of the rectangle round places (n, 2), inches."""
    return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2)
