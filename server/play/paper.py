"""Record sheets on paper: four to a page, as the game stands or empty to be filled in by hand."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from reportlab.pdfgen.canvas import Canvas

from calibration.prints.paper import PAPERS, POINT
from engine.games.white_line_fever.book.data import BRANDS, HouseRules

MARGIN = 0.4
GAP = 0.25
ACROSS, DOWN = 2, 3
"""Sheets on a page."""

BOX = 0.26
"""Side of an armour box, inches."""

PEN, BOLD = "Helvetica", "Helvetica-Bold"


def blank_sheets(names: Sequence[str], house: HouseRules | None = None) -> list[dict[str, Any]]:
    """Sheets without brand and weapons, for these cars: an empty name leaves a line for it.

    >>> [box["number"] for box in blank_sheets(["Red 1"])[0]["track"] if box["big"]]
    [5, 10, 15]
    """
    rules = house or HouseRules()
    big = set(rules.big_boxes)
    boxes = sum(rules.armour_groups)
    track = [
        {"number": n, "marked": False, "big": n in big, "extra": False, "ends": n in big or n == boxes}
        for n in range(1, boxes + 1)
    ]
    return [
        {
            "name": name,
            "owner": "",
            "brand": "",
            "weapons": [],
            "speed": None,
            "tokens": None,
            "status": "waiting",
            "penalty": rules.big_box_penalty,
            "track": track,
        }
        for name in names
    ]


def sheets_pdf(sheets: Sequence[Mapping[str, Any]], paper: str = "a4") -> bytes:
    """The sheets as a PDF. Without any, a page of empty ones. The same input gives the same bytes."""
    given = list(sheets) or blank_sheets([""] * ACROSS * DOWN)
    width, height = PAPERS[paper]
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(width / POINT, height / POINT), invariant=1, pageCompression=1)
    canvas.setTitle("Record sheets")
    canvas.setCreator("tableref")
    room = (width - 2 * MARGIN - (ACROSS - 1) * GAP) / ACROSS, (height - 2 * MARGIN - (DOWN - 1) * GAP) / DOWN
    for number, one in enumerate(given):
        place = number % (ACROSS * DOWN)
        if number and place == 0:
            canvas.showPage()
        x = MARGIN + (place % ACROSS) * (room[0] + GAP)
        top = height - MARGIN - (place // ACROSS) * (room[1] + GAP)
        _Sheet(canvas, x, top, room).draw(one)
    canvas.save()
    return out.getvalue()


class _Sheet:
    """One sheet in its frame; inches from the frame's upper left corner, y down."""

    def __init__(self, canvas: Canvas, x: float, top: float, room: tuple[float, float]) -> None:
        self._canvas = canvas
        self._x, self._top = x, top
        self._width, self._height = room

    def draw(self, sheet: Mapping[str, Any]) -> None:
        """The whole sheet."""
        canvas = self._canvas
        canvas.setStrokeGray(0.35)
        canvas.setLineWidth(0.8)
        canvas.roundRect(
            self._x / POINT, (self._top - self._height) / POINT, self._width / POINT, self._height / POINT, 6
        )
        pad = 0.18
        self._text(sheet["name"] or "Car", pad, 0.32, 0.22, BOLD, grey=0.0 if sheet["name"] else 0.6)
        self._text(sheet["owner"] or "driven by", self._width / 2 + 0.2, 0.32, 0.14, PEN, grey=0.35)
        if not sheet["owner"]:
            self._line(self._width / 2 + 0.85, 0.36, self._width - pad)
        self._rule(0.44)
        bottom = self._carries(sheet, pad, 0.66)
        bottom = self._speed(sheet, pad, bottom + 0.12)
        self._track(sheet, pad, bottom + 0.18)

    def _carries(self, sheet: Mapping[str, Any], x: float, y: float) -> float:
        if not sheet["weapons"]:
            self._text("Brand", x, y, 0.11, BOLD)
            self._text("  /  ".join(BRANDS), x + 0.75, y, 0.1, PEN)
            for title in ("Primary", "Secondary"):
                y += 0.3
                self._text(title, x, y, 0.11, BOLD)
                self._line(x + 0.75, y + 0.03, self._width - x)
            return y + 0.1
        self._text(sheet["brand"], x, y, 0.12, BOLD)
        self._text(sheet["brand_words"], x + 0.75, y, 0.095, PEN, grey=0.25)
        for weapon in sheet["weapons"]:
            y += 0.24
            spent = " (spent)" if weapon["name"] in sheet.get("spent", ()) else ""
            self._text(weapon["name"] + spent, x, y, 0.12, BOLD)
            y += 0.15
            self._text(weapon["words"], x, y, 0.095, PEN, grey=0.25)
        return y + 0.1

    def _speed(self, sheet: Mapping[str, Any], x: float, y: float) -> float:
        self._text("Speed", x, y + 0.17, 0.11, BOLD)
        for n in range(1, 7):
            self._box(x + 0.65 + (n - 1) * 0.29, y, 0.24, str(n), filled=n == sheet["speed"])
        tokens = sheet["tokens"]
        if tokens is not None and any(w["droppable"] for w in sheet["weapons"]):
            self._text(f"Tokens {tokens}", self._width - x - 0.66, y + 0.17, 0.11, BOLD)
        return y + 0.3

    def _track(self, sheet: Mapping[str, Any], x: float, y: float) -> None:
        self._text("Armour", x, y, 0.11, BOLD)
        words = f"a big box costs {sheet['penalty']} maximum Speed" if sheet["penalty"] else "no penalties"
        self._text(words, x + 0.75, y, 0.09, PEN, grey=0.35)
        y += 0.12
        along, room = 0.0, self._width - 2 * x
        for group in _groups(sheet["track"]):
            width = sum(_side(box) + 0.03 for box in group)
            if along and along + width > room:
                along, y = 0.0, y + BOX + 0.14
            for box in group:
                side = _side(box)
                self._box(x + along, y - (side - BOX) / 2, side, "", filled=box["marked"], heavy=box["big"])
                along += side + 0.03
            along += 0.1

    # The pen

    def _box(
        self, x: float, y: float, side: float, words: str, filled: bool = False, heavy: bool = False
    ) -> None:
        canvas = self._canvas
        canvas.setStrokeGray(0)
        canvas.setLineWidth(1.6 if heavy else 0.7)
        left, low = (self._x + x) / POINT, (self._top - y - side) / POINT
        canvas.rect(left, low, side / POINT, side / POINT)
        if filled:
            pad = side / POINT * 0.16
            canvas.setLineWidth(1.4)
            canvas.line(left + pad, low + pad, left + side / POINT - pad, low + side / POINT - pad)
            canvas.line(left + pad, low + side / POINT - pad, left + side / POINT - pad, low + pad)
        if words:
            canvas.setFillGray(0.55 if filled else 0)
            canvas.setFont(PEN, 9)
            canvas.drawCentredString(left + side / POINT / 2, low + side / POINT / 2 - 3.2, words)

    def _text(self, words: str, x: float, y: float, size: float, font: str, grey: float = 0.0) -> None:
        printable = words.replace("″", '"').encode("cp1252", "replace").decode("cp1252")
        points, room = size / POINT, (self._width - x - 0.1) / POINT
        points *= min(1.0, room / max(self._canvas.stringWidth(printable, font, points), 1e-9))
        self._canvas.setFillGray(grey)
        self._canvas.setFont(font, points)
        self._canvas.drawString((self._x + x) / POINT, (self._top - y) / POINT, printable)

    def _line(self, x0: float, y: float, x1: float) -> None:
        self._canvas.setStrokeGray(0.4)
        self._canvas.setLineWidth(0.5)
        at = (self._top - y) / POINT
        self._canvas.line((self._x + x0) / POINT, at, (self._x + x1) / POINT, at)

    def _rule(self, y: float) -> None:
        self._line(0.0, y, self._width)


def _side(box: Mapping[str, Any]) -> float:
    return BOX + (0.06 if box["big"] else 0.0)


def _groups(track: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """The boxes of an armour track, group by group."""
    groups: list[list[Mapping[str, Any]]] = [[]]
    for box in track:
        groups[-1].append(box)
        if box["ends"]:
            groups.append([])
    return [group for group in groups if group]
