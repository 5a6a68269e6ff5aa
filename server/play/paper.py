"""Record sheets on paper, as the game stands or empty to be filled in by hand, and counters to cut out."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from reportlab.pdfgen.canvas import Canvas

from calibration.prints.cards import play_cards_pdf
from calibration.prints.paper import PAPERS, POINT, Part, PrintError, printable
from calibration.prints.paper import Sheet as Paper
from calibration.prints.sheets import cutout_part
from engine.boards.board import Board
from engine.game.about import About
from engine.game.contract import Game
from engine.game.events import Illegal
from engine.game.match import Match
from engine.game.registry import cutouts_of
from engine.game.showing import Box, Cards, Counter, PlayCard, Sheet, Slots, Track, Viewer, Widget, Words
from server.play.drafts import Draft, DraftPiece, DraftPlayer, completed

MARGIN = 0.4
GAP = 0.25
FULL_WIDTH = 3
"""So many sheets on a page, or fewer, are as wide as the page, and written in two columns."""

BOX = 0.26
"""Side of a box of a track, inches."""

ROW = 8
"""Values of a counter that are printed one by one; more are a line to write on."""

LEGIBLE = 0.85
"""Words at a box are drawn so much smaller at the most; else fewer boxes stand in a row."""

PEN, BOLD = "Helvetica", "Helvetica-Bold"


def blank_sheets(game: Game[Any], names: Sequence[str]) -> tuple[Sheet, ...]:
    """The sheets of a game with these pieces as they begin, for whoever plays; no sheets if it has none.

    Two players share them, for a game needs as many; where one takes fewer pieces, several games begin.
    """
    few, _ = game.about.players
    players = [f"Player {k + 1}" for k in range(max(few, 2))]
    draft = Draft(
        game=game.about.id,
        players=[DraftPlayer(name=p, colour="#888888") for p in players],
        pieces=[DraftPiece(name=n, owner=players[k % len(players)]) for k, n in enumerate(names)],
    )
    sheets = set_up_sheets(game, draft)
    if sheets is None:
        half = -(-len(names) // 2)
        if half < len(players):
            return ()
        return blank_sheets(game, names[:half]) + blank_sheets(game, names[half:])
    place = {name: k for k, name in enumerate(names)}
    return tuple(sorted(sheets, key=lambda one: place.get(one.piece or one.title, len(names))))


def set_up_sheets(game: Game[Any], draft: Draft) -> tuple[Sheet, ...] | None:
    """The sheets of a game as it would begin from this set-up; None where it cannot begin yet."""
    try:
        match = Match.begin(game, completed(game, draft))
    except Illegal:
        return None
    return game.sheets(match.state, Viewer())


def counters_part(
    about: About, board: Board | None, paper: Paper, *, spacing: float | None = None
) -> tuple[Part, int]:
    """A game's counters and how many they are, to the scale of the board, or of `spacing` in inches.

    Where neither says how far cells are apart they have the game's usual size. Raises `PrintError` where
    the game brings none.
    """
    made = cutouts_of(about.id)
    if made is None:
        raise PrintError(f"{about.title} brings no counters to print")
    apart = getattr(board, "spacing", None) if spacing is None else spacing
    found = made() if apart is None else made(apart)
    part = cutout_part(found, f"{about.title} · counters", paper)
    return part, sum(one.count for one in found)


def blank_cards(game: Game[Any], names: Sequence[str]) -> tuple[PlayCard, ...]:
    """The cards of a game with these pieces as they begin, nobody's; none if it has none."""
    return game.previews({"players": [], "pieces": [{"name": name} for name in names]})


def cards_title(game: Game[Any]) -> str:
    """What stands over the cards of a game."""
    return f"{game.about.title} · cards to play from"


@dataclass(frozen=True, slots=True)
class Blank:
    """What is filled in on paper of a game before it begins: `words` for what, and how many pages of it."""

    words: str
    count: int
    pages: int
    pdf: Callable[[], bytes]

    @property
    def told(self) -> str:
        """What it is, and how much paper it takes.

        >>> Blank("record sheets", 6, 1, bytes).told
        '6 record sheets, 1 sheet of paper'
        """
        return f"{self.count} {self.words}, {self.pages} sheet{'' if self.pages == 1 else 's'} of paper"


def to_fill_in(game: Game[Any], names: Sequence[str], paper: str) -> Blank | None:
    """A game's cards to play from, else its record sheets to be filled in; None where it has neither."""
    if cards := blank_cards(game, names):
        drawn = partial(play_cards_pdf, cards, cards_title(game), Paper(paper))
        return Blank("cards to play from", len(cards), len(cards), drawn)
    sheets, each = blank_sheets(game, names), game.about.sheets_per_page
    if not sheets:
        return None
    written = partial(sheets_pdf, sheets, paper, per_page=each, blank=True)
    return Blank("record sheets", len(sheets), -(-len(sheets) // each), written)


def unowned(about: About, count: int) -> list[str]:
    """Names for pieces that have none yet."""
    return [f"{about.vehicles.capitalize()} {k}" for k in range(1, count + 1)]


def sheets_pdf(
    sheets: Sequence[Sheet], paper: str = "a4", *, per_page: int = 6, blank: bool = False
) -> bytes:
    """The sheets as a PDF; with `blank` without what stands on them. The same input gives the same bytes."""
    across = 1 if per_page <= FULL_WIDTH else 2
    down = -(-per_page // across)
    width, height = PAPERS[paper]
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(width / POINT, height / POINT), invariant=1, pageCompression=1)
    canvas.setTitle("Record sheets")
    canvas.setCreator("tableref")
    room = (width - 2 * MARGIN - (across - 1) * GAP) / across, (height - 2 * MARGIN - (down - 1) * GAP) / down
    for number, one in enumerate(sheets):
        place = number % per_page
        if number and place == 0:
            canvas.showPage()
        x = MARGIN + (place % across) * (room[0] + GAP)
        top = height - MARGIN - (place // across) * (room[1] + GAP)
        _drawn(canvas, x, top, room, blank, 3 - across, one)
    canvas.save()
    return out.getvalue()


def _drawn(
    canvas: Canvas, x: float, top: float, room: tuple[float, float], blank: bool, columns: int, sheet: Sheet
) -> None:
    """Draws one sheet; what is too tall for its frame is drawn smaller, and stays in it."""
    (width, height), part = room, 1.0
    while (below := _Drawn(Canvas(io.BytesIO()), 0.0, 0.0, room, blank, columns).draw(sheet)) > room[1]:
        part *= max(room[1] / below, 0.5)
        room = (width / part, height / part)
    canvas.saveState()
    canvas.translate(x / POINT, top / POINT)
    canvas.scale(part, part)
    _Drawn(canvas, 0.0, 0.0, room, blank, columns).draw(sheet)
    canvas.restoreState()


def _tall(widget: Widget) -> float:
    """How much room a widget takes below the last one, inches; a track that of one row."""
    match widget:
        case Words() | Cards():
            return 0.26
        case Counter():
            return 0.36
        case Track():
            return 0.4 + BOX
        case Slots():
            return 0.26 + -(-len(widget.slots) // widget.columns) * 0.42


class _Drawn:
    """One sheet in its frame; inches from the frame's upper left corner, y down."""

    def __init__(
        self, canvas: Canvas, x: float, top: float, room: tuple[float, float], blank: bool, columns: int = 1
    ) -> None:
        self._canvas = canvas
        self._x, self._top = x, top
        self._width, self._height = room
        self._blank = blank
        self._columns = columns

    def draw(self, sheet: Sheet) -> float:
        """The whole sheet; how far down it goes, inches."""
        canvas, pad = self._canvas, 0.18
        canvas.setStrokeGray(0.35)
        canvas.setLineWidth(0.8)
        canvas.roundRect(
            self._x / POINT, (self._top - self._height) / POINT, self._width / POINT, self._height / POINT, 6
        )
        owner = "" if self._blank else sheet.owner
        self._text(sheet.title, pad, 0.32, 0.22, BOLD)
        self._text(owner or "played by", self._width / 2 + 0.2, 0.32, 0.14, PEN, grey=0.35)
        if not owner:
            self._line(self._width / 2 + 0.9, 0.36, self._width - pad)
        self._rule(0.44)
        y = 0.62
        if sheet.more:
            self._text(sheet.more, pad, y, 0.1, PEN, grey=0.25)
            y += 0.16
        if self._columns == 1:
            for widget in sheet.widgets:
                y = self._widget(widget, pad, y)
            return y
        left, whole, lowest = self._x, self._width, y
        self._width /= self._columns
        for column in self._in_columns(sheet.widgets, self._height - y):
            below = y
            for widget in column:
                below = self._widget(widget, pad, below)
            self._x += self._width
            lowest = max(lowest, below)
        self._x, self._width = left, whole
        return lowest

    def _in_columns(self, widgets: Sequence[Widget], room: float) -> list[list[Widget]]:
        """What is marked and moved on the left, what is read on the right; what is too tall flows through."""
        lines: list[Widget] = [w for w in widgets if isinstance(w, Words | Cards)]
        marked = [w for w in widgets if w not in lines]
        if sum(map(_tall, marked)) <= room:
            return [marked, lines]
        columns: list[list[Widget]] = [[]]
        for widget in widgets:
            if columns[-1] and sum(map(_tall, columns[-1])) + _tall(widget) > room:
                columns.append([])
            columns[-1].append(widget)
        return columns if len(columns) <= self._columns else [marked, lines]

    def _widget(self, widget: Widget, x: float, y: float) -> float:
        """One widget below `y`; where the next one may begin."""
        match widget:
            case Words():
                return self._words(widget, x, y)
            case Counter():
                return self._counter(widget, x, y)
            case Track():
                return self._track(widget, x, y)
            case Slots():
                return self._slots(widget, x, y)
            case Cards():
                shown = ", ".join((*widget.cards, *(f"{widget.hidden} hidden",) * bool(widget.hidden)))
                return self._words(Words(words=widget.words, text=shown), x, y)

    def _words(self, widget: Words, x: float, y: float) -> float:
        if self._blank and widget.choices and not widget.key:
            # What becomes of it is no line to fill in; what may jam is.
            return y
        self._label(widget, x, y + 0.12)
        if self._blank:
            self._line(x + 0.85, y + 0.15, self._width - x)
            return y + 0.26
        self._text(widget.text + (" (spent)" if widget.used else ""), x + 0.85, y + 0.12, 0.12, PEN)
        if widget.more:
            y += 0.14
            self._text(widget.more, x + 0.85, y + 0.12, 0.095, PEN, grey=0.25)
        return y + 0.2

    def _counter(self, widget: Counter, x: float, y: float) -> float:
        self._label(widget, x, y + 0.18)
        if widget.high - widget.low < ROW:
            for k, n in enumerate(range(widget.low, widget.high + 1)):
                marked = n == widget.value and not self._blank
                self._box(x + 0.85 + k * 0.29, y, 0.24, str(n), filled=marked)
        elif self._blank:
            self._line(x + 0.85, y + 0.2, x + 1.5)
        else:
            self._text(str(widget.value), x + 0.85, y + 0.18, 0.14, BOLD)
        return y + 0.36

    def _track(self, widget: Track, x: float, y: float) -> float:
        self._label(widget, x, y + 0.12)
        costs = "; ".join(f"{k}: {box.words}" for k, box in enumerate(widget.boxes, start=1) if box.words)
        words = "" if self._blank else widget.more or costs
        self._text(words, x + 0.85, y + 0.12, 0.09, PEN, grey=0.35)
        y += 0.24
        along, room = 0.0, self._width - 2 * x
        for group in _groups(widget.boxes):
            width = sum(_side(box) + 0.03 for box in group)
            if along and along + width > room:
                along, y = 0.0, y + BOX + 0.14
            for box in group:
                side = _side(box)
                marked = box.marked and not self._blank
                self._box(x + along, y - (side - BOX) / 2, side, "", filled=marked, heavy=box.big)
                along += side + 0.03
            along += 0.1
        return y + BOX + 0.16

    def _slots(self, widget: Slots, x: float, y: float) -> float:
        self._label(widget, x, y + 0.12, widget.more)
        told = [f"{slot.words}  {'' if self._blank else slot.holds}".strip() for slot in widget.slots]
        widths = (self._canvas.stringWidth(printable(one), PEN, 0.1 / POINT) * POINT for one in told)
        longest, room, columns = max(widths, default=0.0), self._width - 2 * x, max(widget.columns, 1)
        while columns > 1 and LEGIBLE * longest > room / columns - 0.06:
            columns -= 1
        wide = room / columns
        # Words too long to stand beside their box stand below it.
        right, lower, apart = (0.3, 0.17, 0.3) if longest <= wide - 0.36 else (0.0, 0.35, 0.42)
        for k, (slot, words) in enumerate(zip(widget.slots, told, strict=True)):
            left, down = x + (k % columns) * wide, y + 0.18 + (k // columns) * apart
            self._box(left, down, 0.24, "", filled=slot.used and not self._blank)
            self._text(words, left + right, down + lower, 0.1, PEN, room=wide - right - 0.06)
        return y + 0.26 + -(-len(widget.slots) // columns) * apart

    # The pen

    def _label(self, widget: Widget, x: float, y: float, more: str = "") -> None:
        words = f"{widget.words}: {more}" if more else widget.words
        self._text(words[:1].upper() + words[1:], x, y, 0.11, BOLD)

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

    def _text(
        self, words: str, x: float, y: float, size: float, font: str, grey: float = 0.0,
        room: float | None = None,
    ) -> None:  # fmt: skip
        """Words in a line, smaller where they would not fit into the room, inches (to the sheet's edge)."""
        shown, points = printable(words), size / POINT
        most = (self._width - x - 0.1 if room is None else room) / POINT
        points *= min(1.0, most / max(self._canvas.stringWidth(shown, font, points), 1e-9))
        self._canvas.setFillGray(grey)
        self._canvas.setFont(font, points)
        self._canvas.drawString((self._x + x) / POINT, (self._top - y) / POINT, shown)

    def _line(self, x0: float, y: float, x1: float) -> None:
        self._canvas.setStrokeGray(0.4)
        self._canvas.setLineWidth(0.5)
        at = (self._top - y) / POINT
        self._canvas.line((self._x + x0) / POINT, at, (self._x + x1) / POINT, at)

    def _rule(self, y: float) -> None:
        self._line(0.0, y, self._width)


def _side(box: Box) -> float:
    return BOX + (0.06 if box.big else 0.0)


def _groups(boxes: Sequence[Box]) -> list[list[Box]]:
    """The boxes of a track, group by group."""
    groups: list[list[Box]] = [[]]
    for box in boxes:
        groups[-1].append(box)
        if box.ends:
            groups.append([])
    return [group for group in groups if group]
