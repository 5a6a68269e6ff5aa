"""A strip with two tags, to prove a table's inches with: a ruler measures from mark to mark."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.prints.paper import Page, PrintError, Sheet
from calibration.prints.sheets import bordered_side, tag_sheets

STRIP_TAGS = (50, 51)
"""The ids of a strip's two tags unless said."""

TICK = 0.16
BELOW = 0.52


@dataclass(frozen=True, slots=True)
class StripPrint:
    """Two tags whose centres are `length` apart, their black squares `size` wide, inches.

    What the printer makes of the length is not known before somebody has measured it.
    """

    tags: tuple[int, int] = STRIP_TAGS
    length: float = 8.0
    size: float = 1.4
    family: str = "tag36h11"

    @property
    def width(self) -> float:
        """Its extent, inches."""
        return self.length + self._side

    @property
    def height(self) -> float:
        """Its extent with the words below the tags, inches."""
        return self._side + BELOW

    @property
    def _side(self) -> float:
        return max(bordered_side(self.family, tag, self.size) for tag in self.tags)

    def draw(self, page: Page, x: float, y: float) -> None:
        """Draws it with its lower left corner at (x, y)."""
        side, low = self._side, y + BELOW
        page.outline(x, y, self.width, self.height)
        for tag, left, out in zip(self.tags, (x, x + self.length), (-0.18, 0.18), strict=True):
            page.tag(self.family, tag, left, low, self.size)
            middle = left + side / 2
            page.line(middle, low, middle, low - TICK, points=0.3)
            page.text(str(tag), middle + out, low - TICK, 0.3, size=0.09)
        # From the one mark to the other, where a ruler is laid.
        page.line(x + side / 2, low - TICK, x + side / 2 + self.length, low - TICK, points=0.3)
        middle, room = x + self.width / 2, self.length - side
        page.text("tableref check strip", middle, low + 0.62 * side, room, size=0.2)
        for n, words in enumerate((
            "Glue it flat on card or wood. Measure from mark to mark with a ruler,",
            "write it here and type it on the page: it measures __________ in.",
        )):  # fmt: skip
            page.text(words, middle, low + 0.62 * side - 0.3 - 0.22 * n, room, size=0.13)
        words = f"drawn {self.length:g} in from mark to mark; only a ruler says what the printer made of it"
        page.text(words, middle, y + 0.12, self.width * 0.9, size=0.1)


def strip_sheet(strip: StripPrint, paper: str = "a4", bar_mm: float = 100.0) -> bytes:
    """A PDF of one strip, on the sheet laid across. Raises `PrintError` if it does not fit."""
    sheet = Sheet(paper, bar_mm, across=True)
    wide, high = sheet.room
    if strip.width > wide and strip.height <= high:
        raise PrintError(
            f"a strip of {strip.length:g} inches is {strip.width:.2f} long with its tags and does not fit on "
            f"the page, which leaves {wide:.2f}: choose a shorter one, or print the tags alone and fix them "
            "farther apart on a ruler"
        )
    return tag_sheets([strip], "Check strip", sheet)
