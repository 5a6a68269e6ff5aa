"""The board that is played on, as messages carry it."""

from __future__ import annotations

from server.web.messages import Model

_Point = tuple[float, float]


class BoardName(Model):
    """A name on the board: its middle, and how high its letters are there, in the viewer's space."""

    at: _Point
    words: str
    height: float


class BoardView(Model):
    """The board in the viewer's space: thin `lines` and `bold` ones, filled `dots`, and names."""

    lines: list[list[_Point]]
    bold: list[list[_Point]]
    dots: list[list[_Point]]
    names: list[BoardName]


class RoadPiece(Model):
    """A piece on the whole of a road: its outline there, and how far it has come."""

    name: str
    colour: str
    outline: list[_Point]
    covered: float | None
    """Inches along the road from where it began; None for what no player drives."""
    words: str


class RoadView(Model):
    """A rolling road as it lies on the ground, inches: along it from its beginning, across it from its right.

    The table covers what lies between `since` and `until` of it.
    """

    since: float
    until: float
    width: float
    words: str
    pieces: list[RoadPiece]
