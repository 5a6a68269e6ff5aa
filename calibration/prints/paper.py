"""Sheets of paper: their room, the pen that draws on them, and the bar that checks the printer.

Inches from the lower left corner of the paper. A printer that shrinks a page to fit is found with
the bar on every sheet and made good by printing again with what the bar measured.
"""

from __future__ import annotations

import io
import locale
import math
import os
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import numpy as np
from anyascii import anyascii
from numpy.typing import NDArray
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas
from shapely import MultiPolygon, Polygon, box, unary_union

from calibration.fiducials import black_modules
from engine.errors import NotUsable

MM = 1 / 25.4
POINT = 1 / 72

PAPERS = {"a4": (210 * MM, 297 * MM), "letter": (8.5, 11.0)}

LETTER_LANDS = frozenset(("US", "CA", "MX", "PR", "PH", "GT", "SV", "NI", "CR", "PA", "CO", "VE", "DO", "CL"))
"""Where printers hold US Letter, by the country in a locale's name; A4 is everywhere else."""

MARGIN = 0.4
HEADER = 0.3
FOOTER = 0.62

BAR_MM = 100.0

GREY = 0.55
FONT = "Helvetica"

SIGNS = {"\N{MINUS SIGN}": "\N{EN DASH}", "″": '"', "→": "->"}
"""What stands for signs of which a font has no letter."""

# How reportlab names the rule that leaves holes white.
EVEN_ODD = 0


def paper_of(locale_name: str) -> Literal["letter", "a4"]:
    """The paper of a locale, by its name on this system.

    >>> paper_of("en_US.UTF-8"), paper_of("English_United States"), paper_of("de_AT")
    ('letter', 'letter', 'a4')
    """
    land = locale_name.partition(".")[0].partition("_")[2]
    return "letter" if land in LETTER_LANDS or land in ("United States", "Canada") else "a4"


def usual_paper() -> Literal["letter", "a4"]:
    """The paper of the locale that this system prints by; A4 where it says none."""
    said = (os.environ.get(name) for name in ("LC_ALL", "LC_PAPER", "LANG"))
    return paper_of(next((name for name in said if name), None) or locale.getlocale()[0] or "")


class PrintError(NotUsable):
    """Something that cannot be printed as asked."""


class Page:
    """The pen: draws in inches from the paper's lower left corner, black unless said."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas

    def squares(self, black: NDArray[np.bool_], x: float, y: float, side: float) -> None:
        """The black cells of a grid (rows, columns), row 0 on top, as one seamless shape."""
        rows, _ = black.shape
        cells = [
            box(x + c * side, y + (rows - 1 - r) * side, x + (c + 1) * side, y + (rows - r) * side)
            for r, c in np.argwhere(black).tolist()
        ]
        self.fill(unary_union(cells))

    def tag(self, family: str, tag: int, x: float, y: float, size: float) -> None:
        """A tag whose white border has its lower left corner at (x, y)."""
        black = black_modules(family, tag)
        module = size / len(black)
        self.squares(black, x + module, y + module, module)

    def fill(self, shape: Polygon | MultiPolygon, grey: float = 0.0) -> None:
        """A filled shape, holes left as they are; `grey` runs from 0, black, to 1, white."""
        path = self._canvas.beginPath()
        for polygon in getattr(shape, "geoms", [shape]):
            for ring in (polygon.exterior, *polygon.interiors):
                (x0, y0), *others = list(ring.coords)[:-1]
                path.moveTo(x0 / POINT, y0 / POINT)
                for x, y in others:
                    path.lineTo(x / POINT, y / POINT)
                path.close()
        self._canvas.setFillGray(grey)
        self._canvas.drawPath(path, stroke=0, fill=1, fillMode=EVEN_ODD)

    def polygon(self, points: Sequence[tuple[float, float]], grey: float = 0.0) -> None:
        """A filled polygon."""
        self.fill(Polygon(points), grey)

    def disc(self, x: float, y: float, radius: float) -> None:
        """A filled disc."""
        self._canvas.setFillGray(0)
        self._canvas.circle(x / POINT, y / POINT, radius / POINT, stroke=0, fill=1)

    @contextmanager
    def window(self, x: float, y: float, width: float, height: float) -> Iterator[None]:
        """What is drawn meanwhile shows in this rectangle alone."""
        self._canvas.saveState()
        path = self._canvas.beginPath()
        path.rect(x / POINT, y / POINT, width / POINT, height / POINT)
        self._canvas.clipPath(path, stroke=0)
        yield
        self._canvas.restoreState()

    @contextmanager
    def placed(self, x: float, y: float, turn: float) -> Iterator[None]:
        """What is drawn meanwhile is drawn about (x, y), turned counter-clockwise by radians."""
        self._canvas.saveState()
        self._canvas.translate(x / POINT, y / POINT)
        self._canvas.rotate(math.degrees(turn))
        yield
        self._canvas.restoreState()

    def polyline(self, points: Sequence[tuple[float, float]], width: float = 0.5) -> None:
        """A black line from point to point, its width in points; closed where it ends as it begins."""
        path = self._canvas.beginPath()
        path.moveTo(points[0][0] / POINT, points[0][1] / POINT)
        for x, y in points[1:]:
            path.lineTo(x / POINT, y / POINT)
        if points[0] == points[-1]:
            path.close()
        self._canvas.setStrokeGray(0)
        self._canvas.setLineWidth(width)
        self._canvas.drawPath(path)

    def dashes(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """A dashed grey line to cut along."""
        self._cut(True)
        self._canvas.line(x0 / POINT, y0 / POINT, x1 / POINT, y1 / POINT)
        self._canvas.setDash()

    def line(self, x0: float, y0: float, x1: float, y1: float, points: float = 0.5) -> None:
        """A black line, its width in points."""
        self._canvas.setStrokeGray(0)
        self._canvas.setLineWidth(points)
        self._canvas.line(x0 / POINT, y0 / POINT, x1 / POINT, y1 / POINT)

    def outline(self, x: float, y: float, width: float, height: float, dashed: bool = False) -> None:
        """A grey cut line round a rectangle."""
        self._cut(dashed)
        self._canvas.rect(x / POINT, y / POINT, width / POINT, height / POINT)
        self._canvas.setDash()

    def circle(self, x: float, y: float, radius: float) -> None:
        """A grey cut line round a disc."""
        self._cut(False)
        self._canvas.circle(x / POINT, y / POINT, radius / POINT)

    def _cut(self, dashed: bool) -> None:
        self._canvas.setStrokeGray(GREY)
        self._canvas.setLineWidth(0.4)
        self._canvas.setDash([2, 2] if dashed else [])

    def text(
        self, words: str, x: float, y: float, room: float, size: float = 0.12, centred: bool = True
    ) -> None:
        """A line of text with its baseline at y, in letters of `size` inches or less to fit `room`."""
        shown = printable(words)
        points = size / POINT
        width = self._canvas.stringWidth(shown, FONT, points)
        points *= min(1.0, room / POINT / max(width, 1e-9))
        self._canvas.setFillGray(0)
        self._canvas.setFont(FONT, points)
        put = self._canvas.drawCentredString if centred else self._canvas.drawString
        put(x / POINT, y / POINT, shown)

    def lines(self, words: str, x: float, y: float, room: float, size: float = 0.12) -> float:
        """Text in lines of `room` inches, the first with its baseline at y; where the next would be."""
        for line in simpleSplit(printable(words), FONT, size / POINT, room / POINT):
            self.text(line, x, y, room, size, centred=False)
            y -= 1.3 * size
        return y


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of paper in a printer whose 100 mm bar measures `bar_mm` when printed plainly.

    Whatever is drawn comes out larger or smaller by as much, so that it is right on the paper.
    """

    paper: str = "a4"
    bar_mm: float = BAR_MM
    across: bool = False

    def __post_init__(self) -> None:
        if self.paper not in PAPERS:
            raise PrintError(f"expected the paper {' or '.join(PAPERS)} but got {self.paper!r}")
        checked_bar(self.bar_mm)

    @property
    def words(self) -> str:
        """The paper as people name it."""
        return {"a4": "A4", "letter": "US Letter"}[self.paper]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height, inches as they come out of the printer."""
        short, long = (side * self.bar_mm / BAR_MM for side in PAPERS[self.paper])
        return (long, short) if self.across else (short, long)

    @property
    def room(self) -> tuple[float, float]:
        """Width and height between the margins, header and footer, inches."""
        width, height = self.size
        return width - 2 * MARGIN, height - 2 * MARGIN - HEADER - FOOTER


def checked_bar(bar_mm: float) -> float:
    """What a bar measured, millimetres; refuses what no printer does."""
    if not 80 <= bar_mm <= 120:
        raise PrintError(
            f"the bar should measure about {BAR_MM:.0f} mm but {bar_mm:g} was given: measure in mm"
        )
    return bar_mm


@dataclass(frozen=True, slots=True)
class Part:
    """Pages that belong together in a document: one drawing each, on such a sheet, under one title."""

    sheet: Sheet
    title: str
    pages: tuple[Callable[[Page], None], ...]


def document(parts: Sequence[Part]) -> bytes:
    """A PDF of all parts, each page with the title of its part and the bar. The same input, the same bytes.

    Raises `PrintError` where there is no page.
    """
    if not any(part.pages for part in parts):
        raise PrintError("nothing to print: name at least one tag")
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1, pageCompression=1)
    canvas.setTitle(printable(next(part.title for part in parts if part.pages)))
    canvas.setCreator("tableref")
    canvas.setViewerPreference("PrintScaling", "None")
    for part in parts:
        _put(canvas, part)
    canvas.save()
    return out.getvalue()


def _put(canvas: Canvas, part: Part) -> None:
    """The pages of a part, counted from one."""
    width, height = part.sheet.size
    scale = BAR_MM / part.sheet.bar_mm
    for number, draw in enumerate(part.pages, start=1):
        canvas.setPageSize((width * scale / POINT, height * scale / POINT))
        canvas.scale(scale, scale)
        page = Page(canvas)
        count = f" · page {number} of {len(part.pages)}" if len(part.pages) > 1 else ""
        page.text(part.title + count, MARGIN, height - MARGIN - 0.12, width - 2 * MARGIN, 0.13, centred=False)
        _bar(page, part.sheet)
        draw(page)
        canvas.showPage()


def _bar(page: Page, sheet: Sheet) -> None:
    """The ruler bar with its line to write on, at the foot of the page."""
    y = MARGIN + 0.22
    end = MARGIN + BAR_MM * MM
    page.polygon([(MARGIN, y), (end, y), (end, y + 0.03), (MARGIN, y + 0.03)])
    half = POINT / 4  # the outer ticks end with the bar, not half a line beyond it
    for mm in range(0, 101, 10):
        x = min(max(MARGIN + mm * MM, MARGIN + half), end - half)
        page.line(x, y, x, y - (0.12 if mm % 50 == 0 else 0.06))
    for quarters in range(17):
        x = MARGIN + max(quarters / 4, half)
        page.line(x, y + 0.03, x, y + 0.03 + (0.12 if quarters % 4 == 0 else 0.06))
    page.text("100 mm", end, MARGIN - 0.02, 0.6, 0.1)
    page.text("4 in", MARGIN + 4, y + 0.17, 0.5, 0.1)
    x = MARGIN + 4.45
    drawn = f" (drawn for a printer whose bar measured {sheet.bar_mm:g} mm)" if sheet.bar_mm != BAR_MM else ""
    left = sheet.size[0] - MARGIN - x
    page.text(f"Print at 100 %, not fitted to the page{drawn}.", x, y + 0.13, left, 0.1, centred=False)
    page.text("The thick bar measures ____________ mm.", x, y - 0.02, left, 0.12, centred=False)
    page.text("Not 100? Tell tableref, or let the camera find out.", x, y - 0.17, left, 0.1, centred=False)


def printable(text: str) -> str:
    """The text in the letters that every PDF reader's own font has.

    >>> printable("Łódź: −2 at 6″ → yes")
    'Lódz: –2 at 6" -> yes'
    """
    return spelled(text, _in_western_letters)


def _in_western_letters(text: str) -> bool:
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return True


def spelled(text: str, has: Callable[[str], bool]) -> str:
    """The text in letters that a font `has`: accents are taken off, other alphabets written in Latin.

    >>> spelled("Zoë, Пётр and 张三", str.isascii)
    'Zoe, Petr and ZhangSan'
    """

    def letter(char: str) -> str:
        sign = char if has(char) else SIGNS.get(char, char)
        if all(map(has, sign)):
            return sign
        bare = "".join(filter(has, unicodedata.normalize("NFKD", char)))
        return bare or "".join(filter(has, anyascii(char))) or "?"

    return "".join(map(letter, unicodedata.normalize("NFC", text)))
