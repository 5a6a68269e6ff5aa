"""A match in plain text: where it stands, the record sheets, the table, and what was told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from engine.game.contract import Game, Option, State
from engine.game.events import Event
from engine.game.showing import Cards, Counter, Sheet, Slots, Status, Track, Viewer, Widget, Words
from engine.game.viewing import log_for
from engine.space.table import TableState

LAST = 5
"""Events that are told of a match."""

CELL = 2.0
"""Inches a character of a drawn table is wide; it is twice as high."""


def match_text(game: Game[State], state: State, log: Sequence[Event]) -> str:
    """Where a match stands, its sheets, and the last that was told, for everybody."""
    viewer = Viewer()
    parts = [
        f"{game.about.title} {game.about.version}",
        status_text(game.status(state, viewer)),
        *(sheet_text(sheet) for sheet in game.sheets(state, viewer)),
        log_text(log_for(log, viewer)[-LAST:]),
    ]
    return "\n".join(part for part in parts if part)


def status_text(status: Status) -> str:
    """Whose it is, and the order of play."""
    order = [
        f"{'> ' if p.current else ''}{p.player}{f' ({p.count_words})' if p.count_words else ''}"
        f"{' (out)' if p.out else ''}"
        for p in status.order
    ]
    head = " · ".join(part for part in (status.what, status.who, status.more) if part)
    return "\n".join([head, *([", ".join(order)] if order else [])])


def sheet_text(sheet: Sheet) -> str:
    """A record sheet, a line for each widget."""
    owner = f" ({sheet.owner})" if sheet.owner else ""
    more = ": ".join(["", *(part for part in (sheet.summary or sheet.more, sheet.note) if part)])
    return "\n".join([f"[{sheet.title}{owner}{more}]", *(f"  {_widget(w)}" for w in sheet.widgets)])


def option_text(option: Option) -> str:
    """An option as a line: who may do what, and why not."""
    why = "; ".join(reason.words for reason in option.not_now)
    sealed = " (in secret)" if option.sealed else ""
    return f"{option.player or 'anybody'}: {option.words}{sealed}{f' [not now: {why}]' if why else ''}"


def log_text(events: Iterable[Event]) -> str:
    """What happened, a line for each event with its rule."""
    return "\n".join(
        f"- {event.words}{' [not measured]' if event.measured is False else ''} ({event.citation})"
        for event in events
    )


def table_text(table: TableState) -> str:
    """A table from above, two inches a character, and where each piece stands.

    The first letter of a piece marks its middle, y away from the reader.
    """
    left, near, right, far = table.surface.polygon.bounds
    across, deep = max(1, math.ceil((right - left) / CELL)), max(1, math.ceil((far - near) / CELL / 2))
    rows = [["·"] * across for _ in range(deep)]
    lines = []
    for standing in table.standings:
        x, y = standing.pose.x, standing.pose.y
        column, row = int((x - left) / CELL), int((y - near) / (2 * CELL))
        if 0 <= column < across and 0 <= row < deep:
            rows[row][column] = standing.name[:1]
        turn = f"{math.degrees(standing.pose.heading):.0f}°"
        lines.append(f"{standing.name}: {x:.1f}, {y:.1f} in, {turn}, {standing.status.value}")
    return "\n".join(["".join(row) for row in reversed(rows)] + lines)


def _widget(widget: Widget) -> str:
    match widget:
        case Track():
            boxes = "".join(("x" if b.marked else "O" if b.big else "o") + " " * b.ends for b in widget.boxes)
            text = boxes.strip()
        case Counter():
            text = str(widget.value)
        case Slots():
            text = ", ".join(f"{s.words} {s.holds or '-'}{' (used)' * s.used}".strip() for s in widget.slots)
        case Cards():
            text = (
                ", ".join([*widget.cards, *([f"{widget.hidden} hidden"] if widget.hidden else [])]) or "none"
            )
        case Words():
            text = f"{widget.text}{' (used)' * widget.used}"
    does = f": {widget.more}" if isinstance(widget, Slots) and widget.more else ""
    return f"{widget.words}{does}: {text}"
