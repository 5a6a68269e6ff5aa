"""Cards to play from: a table along the top edge and tracks along the others, on which paper clips are moved.

One card a page, with the places beside it where cards are laid. Inches from the paper's lower left corner.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from calibration.prints.paper import FOOTER, MARGIN, Page, Part, PrintError, Sheet, document
from engine.game.showing import Edge, PlayCard, Row, Table

HEIGHT = 6.4
"""A card's height, inches; it is as wide as the page."""

LINE, BOXES = 0.24, 0.36
"""Height of a table's rows of figures and of its rows of boxes, inches."""

LABEL = 1.2
"""Width of what stands before a table's rows, inches."""

STEP = 0.42
"""How far a track reaches into the card, inches; what comes into play stands beside it."""

NOTE = 1.45
"""Room for what comes into play at a step, inches."""

BOTTOM = 0.42
"""Height of the track along the bottom edge, inches."""

PAD = 0.1
SHADE = 0.78
HEAD = 0.9

HOW = "Cut along the line. A paper clip on the edge marks each value: now the grey boxes."


def play_cards_pdf(cards: Sequence[PlayCard], title: str, sheet: Sheet) -> bytes:
    """A PDF of cards, one on a page. The same input gives the same bytes."""
    if not cards:
        raise PrintError("nothing to print: no card was named")
    return document([Part(sheet, title, tuple(_page(card, sheet) for card in cards))])


def _page(card: PlayCard, sheet: Sheet) -> Callable[[Page], None]:
    return partial(_draw, card, sheet)


def _draw(card: PlayCard, sheet: Sheet, page: Page) -> None:
    width, height = sheet.room
    x, low = MARGIN, MARGIN + FOOTER + height - HEIGHT
    page.outline(x, low, width, HEIGHT)
    below = low + HEIGHT - (0.0 if card.table is None else _table(page, card.table, x, low + HEIGHT, width))
    sides = {edge.side: edge for edge in card.edges}
    floor = low + (BOTTOM if "bottom" in sides else 0.0)
    if "bottom" in sides:
        _along(page, sides["bottom"], x, low, width)
    left, right = x, x + width
    for side, edge in sides.items():
        if side != "bottom":
            _up(page, edge, (x, floor), (width, below - floor))
    left += STEP + NOTE if "left" in sides else 0.0
    right -= STEP + NOTE if "right" in sides else 0.0
    _inside(page, card, left + PAD, below - 0.3, right - left - 2 * PAD, floor)
    _places(page, card.places, x, low - 0.15, width)


def _table(page: Page, table: Table, x: float, top: float, width: float) -> float:
    """The table with its upper left corner at (x, top); its height."""
    across = (width - LABEL) / max(len(table.columns), 1)
    boxed = [row for row in table.rows if row.boxes]
    y = top
    for row in boxed:
        y -= BOXES
        _boxes(page, row, table.at, (x, y), across)
    lines = [Row(table.words, table.columns), *(row for row in table.rows if not row.boxes)]
    for number, row in enumerate(lines):
        y -= LINE
        if number == 0:
            page.polygon([(x, y), (x + width, y), (x + width, y + LINE), (x, y + LINE)], HEAD)
        page.text(row.words, x + PAD, y + 0.07, LABEL - PAD, 0.12, centred=False)
        for k, cell in enumerate(row.cells):
            page.text(
                cell, x + LABEL + (k + 0.5) * across, y + 0.06, across - 0.04, 0.15 if number == 0 else 0.13
            )
        page.line(x, y, x + width, y, 0.4)
    for k in range(len(table.columns)):
        page.line(x + LABEL + k * across, y, x + LABEL + k * across, top, 0.8)
    return top - y


def _boxes(page: Page, row: Row, at: float | None, corner: tuple[float, float], across: float) -> None:
    """A row of boxes, the one under the marker shaded."""
    x, y = corner
    page.text(row.words, x + PAD, y + 0.13, LABEL - PAD, 0.12, centred=False)
    for k, count in enumerate(row.boxes):
        for box in range(count):
            left, right = (x + LABEL + (k + part / count) * across for part in (box, box + 1))
            if at is not None and k + box / count <= at < k + (box + 1) / count:
                _shade(page, left, y, right - left, BOXES)
            page.line(left, y, left, y + BOXES, 0.4)
    page.line(x, y, x + LABEL + len(row.boxes) * across, y, 0.4)


def _up(page: Page, edge: Edge, corner: tuple[float, float], size: tuple[float, float]) -> None:
    """A track along the left or right edge of what lies between `corner` and `size`, from its top."""
    (x, low), (width, height) = corner, size
    head = 0.3
    deep = (height - head) / len(edge.steps)
    left = edge.side == "left"
    at = x if left else x + width - STEP
    note = x + STEP + 0.06 if left else x + width - STEP - NOTE
    page.text(
        edge.words,
        (x if left else note) + (PAD if left else 0),
        low + height - 0.2,
        NOTE,
        0.13,
        centred=False,
    )
    for k, step in enumerate(edge.steps):
        y = low + height - head - (k + 1) * deep
        if k == edge.at:
            _shade(page, at, y, STEP, deep)
        page.line(at, y + deep, at + STEP, y + deep, 0.5)
        page.text(step, at + STEP / 2, y + deep / 2 - 0.05, STEP - 0.06, min(0.16, 0.7 * deep))
        words = edge.notes[k] if k < len(edge.notes) else ""
        page.text(words, note, y + deep / 2 - 0.04, NOTE - 0.06, 0.11, centred=False)
    inner = at + STEP if left else at
    page.line(inner, low, inner, low + height - head, 0.5)
    page.line(at, low, at + STEP, low, 0.5)


def _along(page: Page, edge: Edge, x: float, low: float, width: float) -> None:
    """A track along the bottom edge, what it is above it."""
    across = width / len(edge.steps)
    for k, step in enumerate(edge.steps):
        if k == edge.at:
            _shade(page, x + k * across, low, across, BOTTOM)
        page.text(step, x + (k + 0.5) * across, low + BOTTOM / 2 - 0.06, across - 0.06, 0.16)
        if k:
            page.line(x + k * across, low, x + k * across, low + BOTTOM, 0.5)
    page.line(x, low + BOTTOM, x + width, low + BOTTOM, 0.5)


def _inside(page: Page, card: PlayCard, x: float, y: float, room: float, floor: float) -> None:
    """Whose the card is, and its text."""
    page.text(card.title, x, y, room, 0.24, centred=False)
    y -= 0.24
    y = page.lines(" · ".join(w for w in (card.more, card.owner) if w), x, y, room, 0.13) - 0.1
    for line in card.lines:
        y = page.lines(
            f"{line.words}: {line.text}" + (f" ({line.more})" if line.more else ""), x, y, room, 0.13
        )
        y -= 0.08
    for edge in card.edges:
        if edge.side == "bottom":
            page.text(edge.words, x, floor + 0.1, room, 0.12, centred=False)
    page.lines(HOW, x, floor + 0.55, room, 0.1)


def _places(page: Page, places: Sequence[str], x: float, top: float, width: float) -> None:
    """Where cards are laid, beside one another below the card."""
    if not places:
        return
    low = MARGIN + FOOTER
    across = (width - 0.15 * (len(places) - 1)) / len(places)
    for k, words in enumerate(places):
        left = x + k * (across + 0.15)
        page.outline(left, low, across, top - low, dashed=True)
        page.text(words, left + PAD, top - 0.24, across - 2 * PAD, 0.16, centred=False)


def _shade(page: Page, x: float, y: float, width: float, height: float) -> None:
    page.polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], SHADE)
