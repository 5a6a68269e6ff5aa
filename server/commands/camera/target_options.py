"""The options that say which calibration board was printed."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

import typer

from calibration.lens.target import Target, TargetError
from calibration.prints.paper import MM


class TargetKind(StrEnum):
    """The kinds of calibration board."""

    CHARUCO = "charuco"
    CHESSBOARD = "chessboard"


KindOption = Annotated[TargetKind, typer.Option("--kind", help="The kind of board.")]
Squares = Annotated[str, typer.Option("--squares", help="Its columns and rows of squares.")]
SquareOption = Annotated[float, typer.Option("--square-mm", help="The side of a square, millimetres.")]
MarkerOption = Annotated[
    float, typer.Option("--marker-mm", help="The side of a ChArUco board's markers, millimetres.")
]
Dictionary = Annotated[str, typer.Option("--dictionary", help="The dictionary of its markers.")]


def target_of(kind: TargetKind, squares: str, square_mm: float, marker_mm: float, dictionary: str) -> Target:
    """The board that the options describe; refuses what is none.

    >>> target_of(TargetKind.CHESSBOARD, "9 x 6", 25, 0, "").squares
    (9, 6)
    """
    counts = re.fullmatch(r"\s*(\d{1,3})\s*[xX×]\s*(\d{1,3})\s*", squares)
    if counts is None:
        raise TargetError(f"expected columns and rows of squares as 5x7 but got {squares!r}")
    columns, rows = int(counts[1]), int(counts[2])
    if kind is TargetKind.CHESSBOARD:
        return Target("chessboard", (columns, rows), square_mm * MM)
    return Target("charuco", (columns, rows), square_mm * MM, marker_mm * MM, dictionary)
