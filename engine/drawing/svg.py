"""A table, and what was measured on it, as an SVG text: for documents, exports and disputes.

A `Drawing` is a row of shapes in table inches (x right, y away). Its text is the same byte for byte for
the same shapes, carries no script and names no outside address.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from engine.space.geometry import FloatArray, Region
from engine.space.table import Standing

INK, PALE, PAPER = "#26323a", "#c9d3d8", "#fbfbf8"
COLOURS = {"car": "#d8e6f5", "terrain": "#d9cfbd", "token": "#f3e2a2"}
CLEAR, BLOCKED, NOTE = "#1c7c4a", "#b3362b", "#31568c"


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@dataclass
class Drawing:
    """Shapes over a part of the table; `scale` pixels an inch.

    `title` says in words what it shows, `ground` is the colour below everything, None for a drawing
    that lies over something else.

    >>> drawing = Drawing(Region.rectangle(0, 0, 2, 1), scale=10)
    >>> drawing.label((2, 1), "an inch & more", anchor="end")
    >>> drawing.text().splitlines()[2].split(">", 1)[1]
    'an inch &amp; more</text>'
    """

    view: Region
    scale: float = 24.0
    shapes: list[str] = field(default_factory=list)
    title: str | None = None
    ground: str | None = PAPER

    def _place(self, points: ArrayLike) -> FloatArray:
        low, high = self.view.outline.min(axis=0), self.view.outline.max(axis=0)
        at = np.asarray(points, dtype=np.float64)
        return np.stack([at[..., 0] - low[0], high[1] - at[..., 1]], axis=-1) * self.scale

    def _points(self, points: ArrayLike) -> str:
        return " ".join(f"{_number(x)},{_number(y)}" for x, y in self._place(points))

    def _add(self, tag: str, title: str | None) -> None:
        name = tag.split(" ", 1)[0]
        inner = f"<title>{escape(title)}</title>" if title else ""
        self.shapes.append(f"<{tag}>{inner}</{name}>" if inner else f"<{tag}/>")

    def polygon(
        self,
        outline: ArrayLike,
        *,
        fill: str = "none",
        line: str = INK,
        opacity: float = 1.0,
        width: float = 1.0,
        dashed: bool = False,
        title: str | None = None,
    ) -> None:
        """A closed outline (n, 2); `width` of its line in pixels."""
        more = ' stroke-linejoin="round"' if width > 1.0 else ""
        more += ' stroke-dasharray="5 4"' if dashed else ""
        self._add(
            f'polygon points="{self._points(outline)}" fill="{fill}" fill-opacity="{_number(opacity)}" '
            f'stroke="{line}" stroke-width="{_number(width)}"{more}',
            title,
        )

    def line(
        self,
        points: ArrayLike,
        *,
        colour: str = INK,
        width: float = 1.5,
        dashed: bool = False,
        title: str | None = None,
    ) -> None:
        """An open way through points (n, 2); `width` in pixels."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._add(
            f'polyline points="{self._points(points)}" fill="none" stroke="{colour}" '
            f'stroke-width="{_number(width)}"{dash}',
            title,
        )

    def dot(self, point: ArrayLike, *, radius: float = 0.07, colour: str = INK) -> None:
        """A filled spot; its radius in inches."""
        x, y = self._place(point)
        self._add(
            f'circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius * self.scale)}" fill="{colour}"',
            None,
        )

    def label(
        self,
        point: ArrayLike,
        words: str,
        *,
        colour: str = INK,
        size: float = 12.0,
        anchor: str = "middle",
        halo: str | None = None,
    ) -> None:
        """Words at a place; `size` in pixels, `anchor` start, middle or end, `halo` a rim's colour."""
        x, y = self._place(point)
        rim = f' stroke="{halo}" stroke-width="{_number(size / 4)}" stroke-linejoin="round"' if halo else ""
        rim += ' paint-order="stroke"' if halo else ""
        self.shapes.append(
            f'<text x="{_number(x)}" y="{_number(y)}" font-family="sans-serif" font-size="{_number(size)}" '
            f'text-anchor="{anchor}" fill="{colour}"{rim}>{escape(words)}</text>'
        )

    def piece(self, standing: Standing, *, name: bool = True, fill: str | None = None) -> None:
        """A piece as it stands: outline, nose and tyres of a car, its name."""
        fill = fill or COLOURS[standing.piece.look]
        self.polygon(standing.region.outline, fill=fill, title=standing.name)
        body = standing.piece.body
        if body.tyres is not None:
            front = float(body.footprint.outline[:, 0].max())
            nose = [(front - 0.45, 0.22), (front - 0.12, 0.0), (front - 0.45, -0.22)]
            self.line(standing.pose.to_table(np.array(nose)))
            for tyre in standing.pose.to_table(body.tyres):
                self.dot(tyre)
        if name:
            self.label(standing.pose.xy - (0.0, 0.15), standing.name)

    def text(self) -> str:
        """The whole drawing."""
        low, high = self.view.outline.min(axis=0), self.view.outline.max(axis=0)
        width, height = ((high - low) * self.scale).tolist()
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_number(width)} {_number(height)}" '
            f'width="{_number(width)}" height="{_number(height)}">'
        ]
        if self.title:
            head.append(f"<title>{escape(self.title)}</title>")
        if self.ground:
            head.append(f'<rect width="100%" height="100%" fill="{self.ground}"/>')
        return "\n".join([*head, *self.shapes, "</svg>"]) + "\n"
