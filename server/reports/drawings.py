"""The drawings of a battle report: a map for each chapter, and the game on a timeline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from engine.drawing.svg import BLOCKED, CLEAR, INK, PALE, PAPER, Drawing
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.table import TableState, key_of
from server.reports.account import Chapter, Report, ReportLine
from server.reports.tracks import DrivenPath, Span
from server.table.projection import PALETTE, TERRAIN_COLOUR, TOKEN_COLOUR

MAP_PIXELS = 560
SOFT = "#8a949b"

ROW_IN, LABEL_IN, WIDE_IN = 0.55, 3.4, 26.0
"""The chart's rows, the room for names and the whole width, in the drawing's own inches."""

CHART_SCALE = 34.0

NO_LETTERS: Mapping[str, str] = MappingProxyType({})


def colours(report: Report) -> dict[str, str]:
    """A colour for each car, its owner's: the one that the game is played in, where that is known."""
    owners = list(dict.fromkeys(t.owner for t in report.tallies))
    usual = {owner: PALETTE[k % len(PALETTE)] for k, owner in enumerate(owners)}
    return {t.name: report.colours.get(t.owner, usual[t.owner]) for t in report.tallies}


def signs(report: Report) -> dict[str, str]:
    """For each car the letters of its player, as the pages of the game have them."""
    found = signs_of(list(report.colours))
    return {t.name: found[t.owner] for t in report.tallies if t.owner in found}


def signs_of(names: Sequence[str]) -> dict[str, str]:
    """As many first letters of each name as tell it from the others.

    >>> signs_of(["Anna", "Ben", "Bert"])
    {'Anna': 'A', 'Ben': 'Ben', 'Bert': 'Ber'}
    """
    found = {}
    for name in names:
        others = [n for n in names if n != name]
        length = next(
            (k for k in range(1, len(name)) if not any(n[:k] == name[:k] for n in others)), len(name)
        )
        found[name] = name[:length]
    return found


def _titled(name: str, letters: Mapping[str, str]) -> str:
    """A car's name after its player's letters."""
    return f"{letters[name]} · {name}" if name in letters else name


# Maps


def map_of(chapter: Chapter, paint: Mapping[str, str], letters: Mapping[str, str] = NO_LETTERS) -> str:
    """The table at the end of a chapter, with the ways that led there and the attacks."""
    table = chapter.table
    low, high = table.surface.outline.min(axis=0), table.surface.outline.max(axis=0)
    scale = MAP_PIXELS / float((high - low).max())
    drawing = Drawing(table.surface, scale, ground=PAPER)
    drawing.polygon(table.surface.outline, fill=PAPER, line=PALE)
    for way in chapter.ways:
        _ghost(drawing, way, table, paint)
    # Cars last, so that terrain never hides one.
    for standing in sorted(table.standings, key=lambda s: s.piece.look == "car"):
        fill = {"terrain": TERRAIN_COLOUR, "token": TOKEN_COLOUR}.get(standing.piece.look)
        drawing.piece(standing, name=False, fill=fill or paint.get(standing.name, SOFT))
    for way in chapter.ways:
        _way(drawing, way)
    for attack in chapter.attacks:
        if attack.line is None:
            continue
        colour = INK if attack.succeeded is None else CLEAR if attack.succeeded else BLOCKED
        drawing.line(attack.line, colour=colour, width=2.5, dashed=attack.succeeded is not True)
        _head(drawing, attack.line[0], attack.line[1], colour, 0.8)
    for standing in table.standings:
        size = 16.0 if standing.piece.look == "car" else 13.0
        below = standing.pose.xy * (1.0, 0.0) + (0.0, standing.region.outline[:, 1].min() - 1.35)
        at = below if standing.piece.look == "car" else standing.pose.xy - (0.0, 0.15)
        drawing.label(at, _titled(standing.name, letters), size=size, halo=PAPER)
    return drawing.text()


def _ghost(drawing: Drawing, way: DrivenPath, table: TableState, paint: Mapping[str, str]) -> None:
    """Where a car came from; nothing of one that is not known any more, as after a restart under a hand."""
    colour = paint.get(way.piece, SOFT)
    body = next((s.piece.body for s in table.standings if key_of(s.name) == key_of(way.piece)), None)
    if body is None:
        return
    drawing.polygon(
        way.before.to_table(body.footprint.outline), fill=colour, opacity=0.18, line=colour, dashed=True
    )


def _way(drawing: Drawing, way: DrivenPath) -> None:
    """The way of a car's reference point, with an arrow's head; over the car, to be seen."""
    drawing.line(way.points, colour=PAPER, width=4.5)
    drawing.line(way.points, colour=INK, width=2.0)
    # The head points along the last inch: a hand's tremble at the end does not turn it.
    back = way.points[np.hypot(*(way.points - way.points[-1]).T) >= min(1.0, way.length / 2)]
    _head(drawing, back[-1] if len(back) else way.points[0], way.points[-1], INK, 0.8)


def _head(drawing: Drawing, start: FloatArray, end: FloatArray, colour: str, size: float) -> None:
    """An arrow's head at the end of a line, `size` inches long."""
    turn = math.atan2(*(end - start)[::-1])
    outline = Pose(float(end[0]), float(end[1]), turn).to_table(
        [(0.0, 0.0), (-size, 0.4 * size), (-size, -0.4 * size)]
    )
    drawing.polygon(outline, fill=colour, line=colour)


# The timeline


def chart_of(report: Report, paint: Mapping[str, str]) -> str:
    """Every car's moves on a timeline, with the turns, attacks and losses."""
    letters = signs(report)
    cars = [t.name for t in report.tallies]
    high = (len(cars) + 1) * ROW_IN + 0.3
    drawing = Drawing(Region.rectangle(0.0, 0.0, WIDE_IN, high), CHART_SCALE, ground=PAPER)
    across = _Across(report.duration_s)
    rows = {car: high - (k + 1.3) * ROW_IN for k, car in enumerate(cars)}
    _turns(drawing, report.marks, across, high)
    for car, y in rows.items():
        drawing.line([(LABEL_IN, y), (WIDE_IN - 0.3, y)], colour=PALE, width=1.0)
        name = _titled(car, letters)
        drawing.label((LABEL_IN - 0.2, y - 0.1), name, size=min(13.0, 200.0 / len(name)), anchor="end")
    for span in report.spans:
        if span.piece in rows:
            _bar(drawing, span, across, rows[span.piece], paint.get(span.piece, SOFT))
    for mark in report.marks:
        for car, y in rows.items():
            if car in mark.harmed:
                _cross(drawing, across(mark.at_s), y)
    for attack in report.attacks:
        for car, y in rows.items():
            if key_of(attack.attacker) == key_of(car):
                _triangle(drawing, across(attack.at_s), y, attack.words)
    _minutes(drawing, report.duration_s, across)
    return drawing.text()


class _Across:
    """Where a time lies on the chart."""

    def __init__(self, duration_s: float) -> None:
        self._scale = (WIDE_IN - LABEL_IN - 0.6) / max(duration_s, 1e-6)

    def __call__(self, at_s: float) -> float:
        return LABEL_IN + at_s * self._scale


def _bar(drawing: Drawing, span: Span, across: _Across, y: float, colour: str) -> None:
    a, b = across(span.begins_s), max(across(span.ends_s), across(span.begins_s) + 0.05)
    drawing.polygon([(a, y - 0.15), (b, y - 0.15), (b, y + 0.15), (a, y + 0.15)], fill=colour, line=colour)


def _triangle(drawing: Drawing, x: float, y: float, words: str) -> None:
    drawing.polygon([(x - 0.13, y - 0.26), (x + 0.13, y - 0.26), (x, y + 0.02)], fill=INK, title=words)


def _cross(drawing: Drawing, x: float, y: float) -> None:
    for slope in (1, -1):
        ends = [(x - 0.13, y - slope * 0.13), (x + 0.13, y + slope * 0.13)]
        drawing.line(ends, colour=BLOCKED, width=3.0)


def _turns(drawing: Drawing, marks: Sequence[ReportLine], across: _Across, high: float) -> None:
    turns = [m for m in marks if m.tone == "turn"]
    told = -math.inf
    for k, mark in enumerate(turns, start=1):
        x = across(mark.at_s)
        drawing.line([(x, 0.35), (x, high - 0.35)], colour=SOFT, width=1.0, dashed=True)
        if x - told > 0.7:
            drawing.label((x, high - 0.28), str(k), size=11, colour=SOFT)
            told = x


def _minutes(drawing: Drawing, duration_s: float, across: _Across) -> None:
    """A scale in seconds, minutes or hours below, with about eight steps."""
    step = next((s for s in (5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600) if duration_s / s <= 9), 7200)
    for k in range(int(duration_s // step) + 1):
        seconds = k * step
        said = f"{seconds} s" if step < 60 else f"{seconds // 60} min"
        drawing.label((across(seconds), 0.05), said, size=11, colour=SOFT)


def left_of(report: Report, paint: Mapping[str, str]) -> str | None:
    """The boxes that were left, piece by piece; None where nobody lost any."""
    if not report.left:
        return None
    most = max(left for row in report.left.values() for _, left in row)
    high = 7.0
    drawing = Drawing(Region.rectangle(0.0, 0.0, WIDE_IN, high), CHART_SCALE, ground=PAPER)
    across = _Across(report.duration_s)

    def up(left: int) -> float:
        return 0.6 + left / max(most, 1) * (high - 1.2)

    for left in range(0, most + 1, 5):
        drawing.line([(LABEL_IN, up(left)), (WIDE_IN - 0.3, up(left))], colour=PALE, width=1.0)
        drawing.label((LABEL_IN - 0.2, up(left) - 0.1), str(left), size=11, anchor="end", colour=SOFT)
    ends: list[float] = []
    for k, (car, row) in enumerate(sorted(report.left.items(), key=lambda item: item[1][-1][1])):
        points: list[tuple[float, float]] = []
        for at_s, left in row:
            if points:
                points.append((across(at_s), points[-1][1]))
            points.append((across(at_s), up(left)))
        points.append((across(report.duration_s), points[-1][1]))
        drawing.line(points, colour=paint.get(car, SOFT), width=2.5, dashed=k % 2 == 1)
        y = max(points[-1][1] + 0.1, ends[-1] + 0.4 if ends else -math.inf)
        ends.append(y)
        drawing.label((WIDE_IN - 0.4, y), f"{car}: {row[-1][1]}", size=12, anchor="end", halo=PAPER)
    _minutes(drawing, report.duration_s, across)
    return drawing.text()
