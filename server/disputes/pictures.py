"""Pictures that prove something: the sharpest frame, a tag as the camera saw it, what was measured."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import cv2
import numpy as np

from engine.boards.board import Board, Shape
from engine.drawing.svg import BLOCKED, CLEAR, INK, NOTE, PAPER, Drawing
from engine.game.contract import Question
from engine.measure.distances import closest_line
from engine.motion.moves import Move
from engine.ruling import Check, Ruling, Verdict, in_words
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import TagMount
from engine.space.table import Standing, TableState, key_of
from server.disputes.frame_buffer import FREE, KeptFrame
from server.formats.jpeg import jpeg
from server.pipeline.referee import SurfaceView
from server.table.projection import colour_of, densified, multiples, owners_of
from vision.frame import Image

Media = Literal["image/jpeg", "image/png", "image/svg+xml"]

CROP_MARGIN = 0.45
"""How much is shown round a tag, as a share of its side."""

CROP_PIXELS = 240
"""About how large a crop is made: every pixel of the camera becomes a square of several."""

CLOTH, GRID, EVERY = "#eef1e8", "#ccd3c2", 6.0
"""The drawn table: its colours, and inches between its lines."""

EDGE = "#7a4fa3"
"""What is held against: the sides of an arc, the line between two cells."""

ROUND_IN, LEAST_IN = 1.2, 1.75
"""Inches that are shown round what decided, and from its middle at the least."""

LETTER = 0.56
"""How wide a letter is about, of its height."""

CLOSE_QUALITY = 88

BOARD, BOLD = "#a9b39c", "#6f7a63"
"""A board's lines and points, and those that lead the eye."""


@dataclass(frozen=True, eq=False)
class Exhibit:
    """One picture of the evidence. `about` says what kind it is, `words` what it shows."""

    name: str
    about: Literal["frame", "marks", "detail", "plan", "view", "before", "after", "tag"]
    media: Media
    data: bytes
    words: str
    time_s: float | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of its bytes, in hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()


def tag_corners(mount: TagMount, pose: Pose, surface: SurfaceView) -> FloatArray:
    """The corners of a piece's black square in the picture, (4, 2) pixels, top-left first."""
    half = mount.size / 2
    square = np.array([(half, half), (half, -half), (-half, -half), (-half, half)])
    return surface.image_from_table(pose.compose(mount.body_from_tag).to_table(square), mount.height)


def sharpness(grey: Image, corners: FloatArray) -> float | None:
    """How sharp the picture is round a tag, 1 / pixel: the steepest edges against the contrast.

    About 1 over the width in pixels that an edge is smeared over; None where there is no tag to judge.
    """
    around = _box(corners, 0.1, grey.shape)
    if around is None:
        return None
    x0, y0, x1, y1 = around
    patch = cv2.GaussianBlur(grey[y0:y1, x0:x1], (0, 0), 0.6).astype(np.float64)
    contrast = float(np.percentile(patch, 95) - np.percentile(patch, 5))
    if min(patch.shape) < 6 or contrast < 8.0:
        return None
    slope = np.hypot(cv2.Sobel(patch, cv2.CV_64F, 1, 0), cv2.Sobel(patch, cv2.CV_64F, 0, 1)) / 8.0
    return float(np.percentile(slope, 97)) / contrast


def shot_sharpness(shot: KeptFrame, standings: Iterable[Standing]) -> float | None:
    """The median sharpness of the pieces' tags in a shot; None if none can be judged."""
    if shot.surface is None:
        return None
    grey = np.asarray(cv2.cvtColor(shot.decoded(), cv2.COLOR_BGR2GRAY), np.uint8)
    found = []
    for standing in standings:
        if standing.piece.mount is not None:
            value = sharpness(grey, tag_corners(standing.piece.mount, standing.pose, shot.surface))
            found += [] if value is None else [value]
    return float(np.median(found)) if found else None


def _box(corners: FloatArray, margin: float, shape: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    """The pixels x0, y0, x1, y1 round corners with a margin of their extent; None outside the picture."""
    if not np.isfinite(corners).all():
        return None
    low, high = corners.min(axis=0), corners.max(axis=0)
    spare = margin * float((high - low).max())
    x0, y0 = np.floor(low - spare).astype(int).clip(0)
    x1, y1 = np.ceil(high + spare).astype(int) + 1
    x1, y1 = min(x1, shape[1]), min(y1, shape[0])
    return (int(x0), int(y0), int(x1), int(y1)) if x1 - x0 > 3 and y1 - y0 > 3 else None


def crop(image: Image, corners: FloatArray) -> bytes | None:
    """The pixels of the camera round a tag, each as a square of several, as PNG; None outside the picture."""
    around = _box(corners, CROP_MARGIN, image.shape)
    if around is None:
        return None
    x0, y0, x1, y1 = around
    cut = image[y0:y1, x0:x1]
    times = max(1, round(CROP_PIXELS / max(cut.shape[:2])))
    large = cv2.resize(cut, None, fx=times, fy=times, interpolation=cv2.INTER_NEAREST)
    done, data = cv2.imencode(".png", large)
    return bytes(data) if done else None


# What was measured, drawn


def _good(verdict: Verdict) -> bool | None:
    return {Verdict.YES: True, Verdict.NO: False}.get(verdict)


def plan_svg(
    table: TableState,
    ruling: Ruling,
    labels: Sequence[tuple[str, str]],
    board: Board = FREE,
    move: Move | None = None,
    *,
    ruler: bool = True,
) -> str:
    """The table from above with the lines that decided; `labels` pairs a check's name with its words.

    Under the pieces lies the board, where there is one, and the way of the move that is disputed. Without a
    `ruler` there is no grid and no bar to read a distance off.
    """
    x0, y0, x1, y1 = table.surface.polygon.bounds
    margin = 0.03 * max(x1 - x0, y1 - y0)
    view = Region.rectangle(x0 - margin, y0 - margin, x1 - x0 + 2 * margin, y1 - y0 + 2 * margin)
    drawing = Drawing(view, 900.0 / (x1 - x0 + 2 * margin))
    drawing.title = f"The table from above. {ruling.question}"
    drawing.polygon(table.surface.outline, fill=CLOTH, line=INK, width=2.0)
    shapes = board.drawing()
    for x in () if shapes or not ruler else multiples(x0, x1, EVERY):
        drawing.line([(x, y0), (x, y1)], colour=GRID, width=1.0)
    for y in () if shapes or not ruler else multiples(y0, y1, EVERY):
        drawing.line([(x0, y), (x1, y)], colour=GRID, width=1.0)
    _board(drawing, shapes)
    owners = owners_of(table)
    for standing in table.standings:
        drawing.piece(standing, name=False, fill=colour_of(standing, owners))
    if move is not None:
        _way(drawing, move)
    placed = _Labels(drawing)
    _lines(drawing, ruling, dict(labels), placed)
    for standing in table.standings:
        placed.put(standing.pose.xy - (0.0, 2.6), standing.name, size=21.0, halo=CLOTH)
    if not ruler:
        return drawing.text()
    bar = np.array([(x0 + 1, y0 + 0.9), (x0 + 1, y0 + 0.5), (x0 + 7, y0 + 0.5), (x0 + 7, y0 + 0.9)])
    drawing.line(bar, width=2.0)
    drawing.label((x0 + 4, y0 + 0.8), "6 in", size=19.0)
    return drawing.text()


def _board(drawing: Drawing, shapes: Sequence[Shape]) -> None:
    """Where pieces may stand: lines, points and names of the board."""
    for shape in shapes:
        colour, width = (BOLD, 2.0) if shape.bold else (BOARD, 1.2)
        if shape.shape == "label":
            drawing.label(shape.points[0], shape.words, colour=BOLD, size=shape.radius * drawing.scale)
        elif shape.shape == "disc":
            drawing.dot(shape.points[0], radius=shape.radius, colour=BOLD)
        else:
            closed = shape.shape == "polygon"
            points = [*shape.points, shape.points[0]] if closed else shape.points
            drawing.line(points, colour=colour, width=width)


def _way(drawing: Drawing, move: Move) -> None:
    """Where the piece of a move stood before it, and the way of its middle."""
    start = move.start
    drawing.polygon(start.region.outline, line=NOTE, width=2.0, dashed=True)
    middles = [pose.xy for pose in (start.pose, *move.poses, move.after.pose)]
    drawing.line(middles, colour=NOTE, width=3.0)
    drawing.dot(middles[-1], radius=0.18, colour=NOTE)


class _Labels:
    """Words on a drawing, each where none of those before lies: moved up or down by as much as it takes."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._taken: list[tuple[float, float, float, float]] = []

    def put(self, at: FloatArray, words: str, *, size: float, **more: Any) -> None:
        """Words about a place in the drawing's own units, `size` pixels high; they may lie a little off."""
        scale = self._drawing.scale
        wide, high = LETTER * size * len(words) / scale, 1.15 * size / scale
        x, y = float(at[0]), float(at[1])
        for step in range(12):
            down = (step + 1) // 2 * high * (-1 if step % 2 else 1)
            box = (x - wide / 2, y - down, x + wide / 2, y - down + high)
            if not any(_overlap(box, other) for other in self._taken):
                break
        self._taken.append(box)
        self._drawing.label((x, box[1]), words, size=size, **more)


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _sides(drawing: Drawing, check: Check) -> None:
    """What a check's line is held against."""
    for edge in check.witness.edges:
        drawing.line(edge, colour=EDGE, width=3.0, dashed=True)


def _lines(drawing: Drawing, ruling: Ruling, labels: dict[str, str], placed: _Labels) -> None:
    for check in ruling.checks:
        line = check.witness.line
        if line is None or check.name not in labels:
            continue
        good = _good(check.verdict)
        colour = NOTE if good is None else CLEAR if good else BLOCKED
        _sides(drawing, check)
        drawing.line(line, colour=colour, width=3.0, dashed=good is False)
        for end in line:
            drawing.dot(end, radius=0.18, colour=colour)
        along = 0.35 if check.witness.shows == "sight" else 0.5
        at = line[0] + along * (line[1] - line[0])
        placed.put(at + np.array([0.0, 0.4]), labels[check.name], colour=colour, size=22.0, halo=PAPER)


# The few inches that matter


def deciding(ruling: Ruling) -> Check | None:
    """The condition that decided: of a *no* or a close call the first of them, of a *yes* the tightest.

    What was counted, as one turn of one, is met exactly more often than not: that is not tight.
    """
    found = [c for c in ruling.checks if c.role == "condition" and c.verdict is ruling.verdict]
    if ruling.verdict is not Verdict.YES:
        return next(iter(found), None)
    return min(
        [c for c in found if c.sd > 0.0] or found, key=lambda c: c.margin / max(c.sd, 1e-6), default=None
    )


def _measured(check: Check) -> str:
    """What is written beside the line that decided."""
    far = in_words(abs(check.number), check.unit)
    if check.witness.edges:
        return f"{check.name}: {far} {'inside' if check.number >= 0.0 else 'outside'}"
    if check.witness.shows == "sight":
        hidden = ", ".join(check.witness.blockers)
        return f"{check.name}: blocked by {hidden}" if check.number < 0.0 else f"{check.name}: clear"
    if not check.unit:
        return check.words
    return f"{check.name}: {'−' if check.number < 0.0 else ''}{far}"


def _known(table: TableState, name: str) -> bool:
    return any(key_of(s.name) == key_of(name) for s in table.standings)


def shown_line(table: TableState, question: Question, check: Check) -> FloatArray | None:
    """The segment that a check is about, (2, 2): its own, else the closest points of the two pieces."""
    if check.witness.line is not None:
        return check.witness.line
    names = [name for name in (*question.pieces[:1], *check.witness.blockers[:1]) if _known(table, name)]
    return closest_line(*map(table.find, names)) if len(set(names)) == 2 else None


def window_of(table: TableState, question: Question, check: Check, move: Move | None = None) -> Region:
    """The part of the table that matters to a check: about its line, or its end at the edge of an arc.

    What is asked of the whole of a `move` is seen on its whole way.
    """
    line = shown_line(table, question, check)
    if line is None and move is not None:
        way = np.array([pose.xy for pose in move.poses]).reshape(-1, 2)
        points = np.concatenate([move.start.region.outline, way, move.after.region.outline])
    elif line is None:
        outlines = [table.find(name).region.outline for name in question.pieces if _known(table, name)]
        points = np.concatenate(outlines) if outlines else table.surface.outline
    else:
        points = line[1:] if check.witness.edges else line
    low, high = points.min(axis=0), points.max(axis=0)
    half = max(float((high - low).max()) / 2 + ROUND_IN, LEAST_IN)
    x, y = (low + high) / 2
    return Region.rectangle(x - half, y - half, 2 * half, 2 * half)


def detail_svg(
    table: TableState,
    question: Question,
    ruling: Ruling,
    board: Board = FREE,
    move: Move | None = None,
    *,
    ruler: bool = True,
    figures: bool = True,
) -> str | None:
    """The few inches that decided, from above: what was measured, and the arc, piece or cell beside it.

    None where nothing was measured. Without a `ruler` there is no bar to read a distance off, without
    `figures` nothing says what was measured.
    """
    check = deciding(ruling)
    if check is None:
        return None
    view = window_of(table, question, check, move)
    low, high = view.outline.min(axis=0), view.outline.max(axis=0)
    drawing = Drawing(view, 900.0 / float((high - low)[0]))
    drawing.title = f"{check.name}: {check.words}" if figures else check.name
    drawing.ground = CLOTH
    _board(drawing, board.drawing())
    owners = owners_of(table)
    asked = {key_of(name) for name in question.pieces}
    near = [s for s in table.standings if s.region.polygon.intersects(view.polygon)]
    near.sort(key=lambda s: key_of(s.name) in asked)
    for standing in near:
        drawing.piece(standing, name=False, fill=colour_of(standing, owners))
    if move is not None:
        _way(drawing, move)
    border = None if board is FREE else _border(board, table, (move.piece,) if move else question.pieces)
    if border is not None:
        drawing.line(border, colour=EDGE, width=4.0, dashed=True)
    _sides(drawing, check)
    placed = _Labels(drawing)
    good = _good(check.verdict)
    colour = NOTE if good is None else CLEAR if good else BLOCKED
    line = shown_line(table, question, check)
    if line is not None:
        drawing.line(line, colour=colour, width=4.0)
        for end in line:
            drawing.dot(end, radius=7.0 / drawing.scale, colour=colour)
        at = line[1] if check.witness.edges else line.mean(axis=0)
        above = at + np.array([0.0, 14.0 / drawing.scale])
        words = _measured(check) if figures else check.name
        placed.put(above, words, colour=colour, size=26.0, halo=PAPER)
    for standing in near:
        inside = standing.region.polygon.intersection(view.polygon).representative_point()
        placed.put(np.array([inside.x, inside.y]), standing.name, size=24.0, halo=CLOTH)
    if not ruler:
        return drawing.text()
    x0, y0 = low + 0.04 * (high - low)
    drawing.line([(x0, y0 + 0.1), (x0, y0), (x0 + 1.0, y0), (x0 + 1.0, y0 + 0.1)], width=2.0)
    placed.put(np.array([x0 + 0.5, y0 + 8.0 / drawing.scale]), "1 in", size=22.0)
    return drawing.text()


def _border(board: Board, table: TableState, names: Sequence[str]) -> FloatArray | None:
    """The line between the two cells of a board that a piece stands nearest to, (2, 2); None without cells.

    It is drawn only where the board itself tells the two cells apart there.
    """
    found = next((table.find(name) for name in names if _known(table, name)), None)
    if found is None or len(board.cells) < 2:
        return None
    one, other = sorted(board.cells, key=lambda cell: math.dist(board.pose_of(cell).xy, found.pose.xy))[:2]
    a, b = (np.array(board.pose_of(cell).xy) for cell in (one, other))
    middle, across = (a + b) / 2, (b - a) / np.linalg.norm(b - a)
    for cell, side in ((one, -0.05), (other, 0.05)):
        x, y = middle + side * across
        if board.snap(replace(found, pose=Pose(float(x), float(y), found.pose.heading))).cell != cell:
            return None
    along = np.array([-across[1], across[0]]) * float(np.linalg.norm(b - a)) / 2
    return np.array([middle - along, middle + along])


def close_jpeg(shot: KeptFrame, window: Region) -> bytes | None:
    """The same inches in the camera's picture, as JPEG; None where the picture does not show them."""
    if shot.surface is None:
        return None
    around = _box(shot.surface.image_from_table(densified(window.outline, closed=True)), 0.0, shot.size[::-1])
    if around is None:
        return None
    x0, y0, x1, y1 = around
    cut = shot.decoded()[y0:y1, x0:x1]
    times = max(1.0, 900.0 / max(cut.shape[:2]))
    large = cv2.resize(cut, None, fx=times, fy=times, interpolation=cv2.INTER_CUBIC)
    return jpeg(np.asarray(large, np.uint8), CLOSE_QUALITY)


class _OnPicture(Drawing):
    """A drawing in pixels of the camera's picture, y down."""

    def _place(self, points: object) -> FloatArray:
        at = np.asarray(points, dtype=np.float64)
        low = self.view.outline.min(axis=0)
        # Pixel (0, 0) is the middle of the first pixel.
        return np.asarray((at - low + 0.5) * self.scale)


def marks_svg(shot: KeptFrame, ruling: Ruling, labels: Sequence[tuple[str, str]]) -> str | None:
    """What was measured, as it lies over the frame: outlines, names, the lines that decided, no ground."""
    surface = shot.surface
    if surface is None:
        return None
    width, height = shot.size
    drawing = _OnPicture(Region.rectangle(0, 0, width, height), 1.0)
    drawing.ground = None
    drawing.title = "What was measured, over the frame."
    thick = max(width / 960.0, 1.0)
    for standing in shot.table.standings:
        outline = densified(standing.region.outline, closed=True)
        drawing.polygon(surface.image_from_table(outline), line="#ffffff", width=1.2 * thick)
        high = surface.image_from_table(outline, standing.piece.body.height)
        drawing.polygon(high, line="#ffe27a", width=1.2 * thick)
    words = dict(labels)
    for check in ruling.checks:
        line = check.witness.line
        if line is None or check.name not in words:
            continue
        good = _good(check.verdict)
        colour = "#ffd55e" if good is None else "#5cf09a" if good else "#ff8076"
        for edge in check.witness.edges:
            side = surface.image_from_table(densified(np.asarray(edge), closed=False))
            drawing.line(side, colour="#ffd55e", width=1.2 * thick, dashed=True)
        bent = surface.image_from_table(densified(np.asarray(line), closed=False))
        drawing.line(bent, colour=colour, width=2.0 * thick, dashed=good is False)
    placed = _Labels(drawing)
    for standing in shot.table.standings:
        at = surface.image_from_table(standing.pose.xy[None], standing.piece.body.height)[0]
        below = np.array([at[0], at[1] + 2.2 * 14.0 * thick])
        placed.put(below, standing.name, colour="#ffffff", size=14.0 * thick, halo="#11171a")
    return drawing.text()
