"""The page that says what to do with printed tags: three steps, and what goes where on a car."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shapely import box

from calibration.prints.paper import FOOTER, MARGIN, Page, Part, Sheet
from calibration.prints.sheets import STRIP, bordered_side

TITLE = "What to do with the tags"
LETTERS = 0.125

STEPS = (
    (
        "1. Print at 100 %, on matte paper.",
        "Never fitted to the page. Then measure the thick bar at the foot of a page. Where it is not 100 mm, "
        "tell tableref on its page; or lay a sheet under the camera before you cut it: the camera finds out.",
    ),
    (
        "2. Cut, and glue.",
        "Roof tags: cut along the outer line, or along the dashed one where the roof is short. The white "
        "border stays: without it a tag is not read. Glue it flat on, its arrow toward the nose. On terrain "
        "any direction will do.",
    ),
    (
        "3. Lay the four corner tags, and start.",
        "Flat, anywhere near the corners of the table, any of them at any corner. Hang the camera so that it "
        "sees all four, and type: tableref. Its page does the rest.",
    ),
)

FAMILY, TAG = "tag36h11", 10
USUAL, SMALLER = 0.9, 0.75
"""The black square of a roof tag, inches: of the usual one, and of one for small roofs."""

ROOM = 48.0
"""The table that the figures below are for, inches."""

PIXELS = 1080


@dataclass(frozen=True, slots=True)
class _Car:
    """A car seen from above or from the side, its length and width on paper in inches."""

    length: float = 2.6
    width: float = 1.2

    def above(self, page: Page, x: float, y: float) -> None:
        """Its nose to the right, its tag on the roof with the arrow toward the nose."""
        nose, half = 0.14, self.width / 2
        end, low, high = x + self.length, y - half, y + half
        page.polyline(
            [(x, low + nose), (x + nose, low), (end - nose, low), (end, low + nose), (end, high - nose),
             (end - nose, high), (x + nose, high), (x, high - nose), (x, low + nose)],
            width=1.0,
        )  # fmt: skip
        for at in (0.55, 1.95):
            for side in (-1, 1):
                page.polyline([(x + at - 0.18, y + side * half), (x + at + 0.18, y + side * half)], width=3.0)
        self._tag(page, x + 1.15, y)
        page.line(x + self.length + 0.08, y, x + self.length + 0.4, y, points=1.0)
        tip = x + self.length + 0.5
        page.polygon([(tip, y), (tip - 0.12, y + 0.06), (tip - 0.12, y - 0.06)])
        page.text("nose", tip + 0.08, y - 0.04, 0.5, LETTERS, centred=False)

    def _tag(self, page: Page, x: float, y: float) -> None:
        """A roof tag about (x, y) as it is glued on: a frame, which no camera takes for a tag in play."""
        side = bordered_side(FAMILY, TAG, USUAL)
        with page.placed(x, y, -math.pi / 2):
            page.outline(-side / 2, -side / 2 - STRIP, side, side + 2 * STRIP)
            page.outline(-side / 2, -side / 2, side, side, dashed=True)
            whole = box(-USUAL / 2, -USUAL / 2, USUAL / 2, USUAL / 2)
            page.fill(whole.difference(whole.buffer(-USUAL / 8, join_style="mitre")))
            page.text("the tag", 0.0, -0.04, USUAL / 2, LETTERS)
            top = side / 2 + STRIP - 0.02
            page.polygon([(0.0, top), (-0.08, top - 0.09), (0.08, top - 0.09)])
            page.text("Car · 10", 0.0, -side / 2 - STRIP + 0.04, side, size=0.09)

    def aside(self, page: Page, x: float, y: float, leg: float) -> None:
        """From the side, low and open, with the bridge over it: legs folded down, feet outward."""
        profile = ((0.0, 0.12), (0.1, 0.42), (0.8, 0.5), (0.95, 0.38), (1.55, 0.38), (1.7, 0.5), (2.4, 0.42),
                   (2.6, 0.12), (0.0, 0.12))  # fmt: skip
        page.polyline([(x + dx, y + dy) for dx, dy in profile], width=1.0)
        for at in (0.5, 2.1):
            page.disc(x + at, y + 0.12, 0.14)
        left, right, low = x + 0.7, x + 1.8, y + 0.51
        bridge = (
            (left - 0.26, 0.0),
            (left, 0.0),
            (left, leg),
            (right, leg),
            (right, 0.0),
            (right + 0.26, 0.0),
        )
        page.polyline([(dx, low + dy) for dx, dy in bridge], width=1.6)
        page.text("tag on top", (left + right) / 2, low + leg + 0.06, 1.1, 0.1)
        page.text("leg: folded down", right + 0.06, low + leg / 2, 1.3, 0.1, centred=False)
        page.text("foot: folded outward, glued on", right + 0.32, low - 0.02, 2.0, 0.1, centred=False)


def how_part(sheet: Sheet, found_px: float) -> Part:
    """One page, to be read before the others are cut.

    `found_px` are the pixels of a module below which a tag that nobody has named is found with luck only.
    """
    return Part(sheet, TITLE, (_HowTo(sheet, found_px),))


@dataclass(frozen=True, slots=True)
class _HowTo:
    """Draws the page on such a sheet."""

    sheet: Sheet
    found_px: float

    def __call__(self, page: Page) -> None:
        """From the top: the steps, a car from above, what fits on which roof, a bridge from the side."""
        room, high = self.sheet.room
        y = MARGIN + FOOTER + high - 0.15
        for headline, words in STEPS:
            page.text(headline, MARGIN, y, room, 0.17, centred=False)
            y = page.lines(words, MARGIN + 0.2, y - 0.24, room - 0.2, LETTERS) - 0.16
        y -= 0.65
        car = _Car()
        car.above(page, MARGIN + 0.2, y)
        at = MARGIN + 4.0
        page.text("A roof tag on its car", at, y + 0.45, room - 4.0, 0.15, centred=False)
        below = page.lines(
            "Outer line: cut here, and arrow and name stay. Dashed line: cut here where the roof is short; "
            "remember where the arrow was.",
            at, y + 0.2, room - 4.0, LETTERS,
        )  # fmt: skip
        y = min(y - car.width / 2, below) - 0.45
        page.text("Which roof carries which tag", MARGIN, y, room, 0.17, centred=False)
        y -= 0.26
        for words in roofs(self.found_px):
            y = page.lines(words, MARGIN + 0.2, y, room - 0.2, LETTERS) - 0.08
        y -= 1.35
        car.aside(page, MARGIN + 0.2, y, 0.35)
        at = MARGIN + 4.6
        page.lines(
            "A bridge for a car without a flat roof (--holders 1). Fold the legs down at the dashed lines, "
            "each foot outward at any mark, and glue the feet before and behind the cockpit.",
            at, y + 1.0, room - 4.6, LETTERS,
        )  # fmt: skip


def roofs(found_px: float) -> tuple[str, ...]:
    """What fits on the roof of a car of three inches, and what a smaller tag costs."""
    usual, small = (bordered_side(FAMILY, TAG, size) for size in (USUAL, SMALLER))
    inch = PIXELS / (ROOM + 4)
    many, few = (size / 8 * inch for size in (USUAL, SMALLER))
    return (
        f"With its white border a tag of {USUAL:g} in is {usual:.2f} in wide. Cars of 1:64 are 1.1 to 1.3 in "
        "wide, and their roofs narrower: it lies well on vans, buses and box trucks.",
        "On a narrower roof it may stand over on both sides, as long as it lies flat and no hand bends it. "
        "Stiffen it with a piece of card.",
        f"Or print smaller tags (--size {SMALLER:g}): {small:.2f} in wide. A camera of 1920×1080 over a "
        f"table of {ROOM:.0f} in sees {few:.1f} pixels of each of their small squares, and {many:.1f} of the "
        f"usual ones; below {found_px:g} a new tag is found with luck only.",
        "An open, round or very small roof takes the bridge below.",
    )
