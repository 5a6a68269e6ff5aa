"""The drawings of `engine.drawing.svg` on a PDF page: the shapes that it draws, and no other SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Literal

from reportlab.lib.colors import Color, HexColor
from reportlab.pdfgen.canvas import Canvas

from engine.errors import TableRefError

_SVG = "{http://www.w3.org/2000/svg}"


Say = Callable[[str], str]


def draw_svg(canvas: Canvas, svg: bytes, width: float, font: str, say: Say = str) -> None:
    """Draws with its lower left corner at the origin, so wide in points; `say` puts words into the font."""
    root = ET.fromstring(svg)
    across, down = float(root.attrib["width"]), float(root.attrib["height"])
    canvas.saveState()
    clip = canvas.beginPath()
    scale = width / across
    clip.rect(0, 0, width, down * scale)
    canvas.clipPath(clip, stroke=0, fill=0)
    canvas.scale(scale, scale)
    for node in root:
        name = node.tag.removeprefix(_SVG)
        if name != "title":
            if name == "text":
                node.text = say(node.text or "")
            _DRAW.get(name, _unknown)(canvas, node, across, down, font)
    canvas.restoreState()


def size_of(svg: bytes) -> tuple[float, float]:
    """Width and height as the drawing states them."""
    root = ET.fromstring(svg)
    return float(root.attrib["width"]), float(root.attrib["height"])


def _colour(text: str, opacity: float = 1.0) -> Color | None:
    if text == "none":
        return None
    colour = HexColor(text)
    return Color(colour.red, colour.green, colour.blue, alpha=opacity)


def _paint(canvas: Canvas, node: ET.Element) -> tuple[int, int]:
    """Sets colours and line; whether there is a line, and a filling."""
    fill = _colour(node.attrib.get("fill", "none"), float(node.attrib.get("fill-opacity", "1")))
    line = _colour(node.attrib.get("stroke", "none"))
    if fill is not None:
        canvas.setFillColor(fill)
    if line is not None:
        canvas.setStrokeColor(line)
        canvas.setLineWidth(float(node.attrib.get("stroke-width", "1")))
        canvas.setLineJoin(1)
        dash = node.attrib.get("stroke-dasharray")
        canvas.setDash([float(v) for v in dash.split()] if dash else [])
    return int(line is not None), int(fill is not None)


def _rect(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del font
    _, fill = _paint(canvas, node)
    canvas.rect(0, 0, across, down, stroke=0, fill=fill)


def _way(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del across, font
    points = [tuple(map(float, pair.split(","))) for pair in node.attrib["points"].split()]
    if len(points) < 2:
        return
    path = canvas.beginPath()
    path.moveTo(points[0][0], down - points[0][1])
    for px, py in points[1:]:
        path.lineTo(px, down - py)
    if node.tag.endswith("polygon"):
        path.close()
    line, fill = _paint(canvas, node)
    canvas.drawPath(path, stroke=line, fill=fill)


def _circle(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del across, font
    _, fill = _paint(canvas, node)
    cx, cy, r = (float(node.attrib[k]) for k in ("cx", "cy", "r"))
    canvas.circle(cx, down - cy, r, stroke=0, fill=fill)


def _text(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del across
    x, y, size = (float(node.attrib[k]) for k in ("x", "y", "font-size"))
    words = node.text or ""
    wide = canvas.stringWidth(words, font, size)
    x -= {"start": 0.0, "middle": wide / 2, "end": wide}[node.attrib.get("text-anchor", "start")]
    # The rim first, then the letters over it.
    passes: list[tuple[str, Literal[0, 1]]] = [(node.attrib["stroke"], 1)] if "stroke" in node.attrib else []
    for colour, mode in [*passes, (node.attrib["fill"], 0)]:
        # What a text object sets lasts beyond it.
        canvas.saveState()
        text = canvas.beginText(x, down - y)
        text.setFont(font, size)
        text.setTextRenderMode(mode)
        text.setFillColor(HexColor(colour))
        text.setStrokeColor(HexColor(colour))
        canvas.setLineWidth(float(node.attrib.get("stroke-width", "1")))
        canvas.setLineJoin(1)
        canvas.setDash([])
        text.textOut(words)
        canvas.drawText(text)
        canvas.restoreState()


def _unknown(canvas: Canvas, node: ET.Element, across: float, down: float, font: str) -> None:
    del canvas, across, down, font
    raise TableRefError(f"a drawing holds <{node.tag}>, which cannot be put on a PDF page")


_DRAW = {"rect": _rect, "polygon": _way, "polyline": _way, "circle": _circle, "text": _text}
