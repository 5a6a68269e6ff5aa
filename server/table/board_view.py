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
