"""The drawings of a battle report: a map for each chapter, and the game on a timeline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from engine.boards.board import Board
from engine.drawing.svg import BLOCKED, CLEAR, INK, PALE, PAPER, Drawing
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.table import Standing, TableState, key_of
from server.reports.account import Chapter, Report, ReportLine
from server.reports.tracks import DrivenPath, Span
from server.table.projection import PALETTE, TERRAIN_COLOUR, TOKEN_COLOUR

MAP_PIXELS = 560
SOFT = "#8a949b"

ROW_IN, LABEL_IN, WIDE_IN = 0.55, 3.4, 26.0
"""The chart's rows, the room for names and the whole width, in the drawing's own inches."""

CHART_SCALE = 34.0

WIDE_LETTER, LATER = 0.55, 0.15
"""The mean width of a letter as a share of its size, and what a later place of a name costs."""

MISLEADS, CROSSED = 2.0, 0.2
"""What it costs a name to stand as near to another's car, and each half inch of a way under it; what it hides
costs its square inches."""

COUPLED_IN = 1.0
"""Inches between the two ends of a coupling from which on a trailer is decoupled."""

FEW_LINES = 60
"""Lines of a board of which more would hide what stands on it."""

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
    if chapter.board is not None:
        _board(drawing, chapter.board)
    for way in chapter.ways:
        _ghost(drawing, way, table, paint)
    # Cars last, so that terrain never hides one.
    for standing in sorted(table.standings, key=lambda s: s.piece.look == "car"):
        fill = {"terrain": TERRAIN_COLOUR, "token": TOKEN_COLOUR}.get(standing.piece.look)
        drawing.piece(standing, name=False, fill=fill or paint.get(_known_by(standing, table).name, SOFT))
    for way in chapter.ways:
        _way(drawing, way)
    for attack in chapter.attacks:
        if attack.line is None:
            continue
        colour = INK if attack.succeeded is None else CLEAR if attack.succeeded else BLOCKED
        drawing.line(attack.line, colour=colour, width=2.5, dashed=attack.succeeded is not True)
        _head(drawing, attack.line[0], attack.line[1], colour, 0.8)
    _names(drawing, chapter, letters)
    return drawing.text()


def _board(drawing: Drawing, board: Board) -> None:
    """The edges of what is played on, and its other lines where they are few."""
    lines = [shape for shape in board.drawing() if shape.shape in ("line", "polygon")]
    for shape in lines:
        closed = (*shape.points, *(shape.points[:1] if shape.shape == "polygon" else ()))
        if shape.bold:
            drawing.line(closed, colour=SOFT, width=2.0)
        elif len(lines) <= FEW_LINES:
            drawing.line(closed, colour=PALE, width=1.0)


def _known_by(standing: Standing, table: TableState) -> Standing:
    """What pulls a trailer, however many of them, and by whose name and colour it is known."""
    while standing.piece.hitch is not None:
        head = next((s for s in table.standings if s.name == standing.piece.hitch.to), None)
        if head is None:
            break
        standing = head
    return standing


def _hangs(standing: Standing, table: TableState) -> bool:
    """Whether it is a trailer that hangs on what pulls it: decoupled, it stands for itself."""
    hitch = standing.piece.hitch
    head = None if hitch is None else next((s for s in table.standings if s.name == hitch.to), None)
    if hitch is None or head is None:
        return False
    pins = (standing.pose.to_table([hitch.at])[0], head.pose.to_table([hitch.on])[0])
    return math.dist(*pins) <= COUPLED_IN


def _names(drawing: Drawing, chapter: Chapter, letters: Mapping[str, str]) -> None:
    """Every name where it hides neither cars nor ways nor other names, those of the cars first."""
    table = chapter.table
    view = _Box.round(table.surface.outline)
    cars = [s for s in table.standings if s.piece.look == "car"]
    bodies = [(_known_by(s, table).name, _Box.round(s.region.outline)) for s in cars]
    ways = [way.points for way in chapter.ways]
    ways += [attack.line for attack in chapter.attacks if attack.line is not None]
    passed = np.concatenate([np.empty((0, 2)), *map(_along, ways)])
    named: list[_Box] = []
    others = [s for s in table.standings if s.piece.look != "car"]
    for standing in (*(s for s in cars if not _hangs(s, table)), *others):
        car, head = standing.piece.look == "car", _known_by(standing, table).name
        words = f"{letters[head]} · {standing.name}" if head in letters else standing.name
        size = 16.0 if car else 13.0
        wide, high = WIDE_LETTER * size * len(words) / drawing.scale, 1.1 * size / drawing.scale
        mine = _Box.round(standing.region.outline)
        strange = [box for owner, box in bodies if owner != head]

        def cost(
            box: _Box, mine: _Box = mine, strange: Sequence[_Box] = strange, near: float = 0.15 * high
        ) -> float:
            hidden = 10.0 * (box.area - box.shared(view)) + 3.0 * sum(map(box.shared, named))
            hidden += sum(box.shared(body) for _, body in bodies) + CROSSED * box.holds(passed)
            misleads = any(body.apart(box) < mine.apart(box) + near for body in strange)
            return hidden + (MISLEADS if misleads else 0.0)

        boxes = mine.beside(wide, high, inside=not car)
        costs = [cost(box) + LATER * k * high for k, box in enumerate(boxes)]
        best = boxes[costs.index(min(costs))]
        named.append(best)
        drawing.label(((best.x0 + best.x1) / 2, best.y0 + 0.25 * high), words, size=size, halo=PAPER)


def _along(points: FloatArray) -> FloatArray:
    """Points on a way, half an inch from one to the next."""
    legs = []
    for start, end in pairwise(points):
        steps = max(1, round(2.0 * math.dist(start, end)))
        legs.append(start + (end - start) * np.linspace(0.0, 1.0, steps, endpoint=False)[:, None])
    return np.concatenate([*legs, points[-1:]])


@dataclass(frozen=True)
class _Box:
    """A rectangle on the table, inches."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def round(cls, outline: FloatArray) -> _Box:
        """The one round an outline."""
        (x0, y0), (x1, y1) = outline.min(axis=0), outline.max(axis=0)
        return cls(float(x0), float(y0), float(x1), float(y1))

    @property
    def area(self) -> float:
        """Square inches."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def shared(self, other: _Box) -> float:
        """Square inches that both cover."""
        wide = min(self.x1, other.x1) - max(self.x0, other.x0)
        high = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(wide, 0.0) * max(high, 0.0)

    def apart(self, other: _Box) -> float:
        """Inches between both."""
        right = max(self.x0 - other.x1, other.x0 - self.x1, 0.0)
        return math.hypot(right, max(self.y0 - other.y1, other.y0 - self.y1, 0.0))

    def holds(self, points: FloatArray) -> int:
        """How many of some points lie in it."""
        inside = (points >= (self.x0, self.y0)) & (points <= (self.x1, self.y1))
        return int(inside.all(axis=1).sum())

    def beside(self, wide: float, high: float, *, inside: bool) -> list[_Box]:
        """Boxes of a size round it, the best place first: in it, below, above, to the right, to the left."""
        x, y = (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2
        found = [(x, y)] if inside else []
        for away in range(3):
            right = (self.x1 - self.x0 + wide) / 2 + (0.2 + away) * high
            up = (self.y1 - self.y0 + high) / 2 + (0.2 + away) * high
            found += [(x + k * right, y + n * up) for k, n in SIDES]
        return [_Box(cx - wide / 2, cy - high / 2, cx + wide / 2, cy + high / 2) for cx, cy in found]


SIDES = ((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1))


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
    """A line for each turn, numbered; those that lie close together have their numbers as one."""
    close: list[tuple[float, int]] = []

    def told() -> None:
        if close:
            (x, first), (_, last) = close[0], close[-1]
            words = str(first) if first == last else f"{first}–{last}"
            drawing.label((x, high - 0.28), words, size=11, colour=SOFT)
        close.clear()

    for k, mark in enumerate((m for m in marks if m.tone == "turn"), start=1):
        x = across(mark.at_s)
        drawing.line([(x, 0.35), (x, high - 0.35)], colour=SOFT, width=1.0, dashed=True)
        if close and x - close[0][0] > 0.7:
            told()
        close.append((x, k))
    told()


def _minutes(drawing: Drawing, duration_s: float, across: _Across) -> None:
    """A scale in seconds or minutes below, of nine steps at the most."""
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
    words: list[str] = []
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
        words.append(f"{car}: {row[-1][1]}")
    # Above all lines: that of another one may run below a name.
    for y, said in zip(ends, words, strict=True):
        drawing.label((WIDE_IN - 0.4, y), said, size=12, anchor="end", halo=PAPER)
    _minutes(drawing, report.duration_s, across)
    return drawing.text()
