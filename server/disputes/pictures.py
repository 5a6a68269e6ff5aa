"""Pictures that prove something: the sharpest frame, a tag as the camera saw it, what was measured."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from engine.boards.board import Board, Shape
from engine.drawing.svg import BLOCKED, CLEAR, INK, NOTE, PAPER, Drawing
from engine.motion.moves import Move
from engine.ruling import Ruling, Verdict
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.pieces import TagMount
from engine.space.table import Standing, TableState
from server.disputes.frame_buffer import FREE, KeptFrame
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

BOARD, BOLD = "#a9b39c", "#6f7a63"
"""A board's lines and points, and those that lead the eye."""


@dataclass(frozen=True, eq=False)
class Exhibit:
    """One picture of the evidence. `about` says what kind it is, `words` what it shows."""

    name: str
    about: Literal["frame", "marks", "plan", "view", "before", "after", "tag"]
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
    _lines(drawing, ruling, dict(labels))
    for standing in table.standings:
        drawing.label(standing.pose.xy - (0.0, 2.6), standing.name, size=21.0, halo=CLOTH)
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


def _lines(drawing: Drawing, ruling: Ruling, labels: dict[str, str]) -> None:
    for check in ruling.checks:
        line = check.witness.line
        if line is None or check.name not in labels:
            continue
        good = _good(check.verdict)
        colour = NOTE if good is None else CLEAR if good else BLOCKED
        drawing.line(line, colour=colour, width=3.0, dashed=good is False)
        for end in line:
            drawing.dot(end, radius=0.18, colour=colour)
        along = 0.35 if check.witness.shows == "sight" else 0.5
        at = line[0] + along * (line[1] - line[0])
        drawing.label(at + np.array([0.0, 0.4]), labels[check.name], colour=colour, size=22.0, halo=PAPER)


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
        bent = surface.image_from_table(densified(np.asarray(line), closed=False))
        drawing.line(bent, colour=colour, width=2.0 * thick, dashed=good is False)
    for standing in shot.table.standings:
        at = surface.image_from_table(standing.pose.xy[None], standing.piece.body.height)[0]
        below = (at[0], at[1] + 2.2 * 14.0 * thick)
        drawing.label(below, standing.name, colour="#ffffff", size=14.0 * thick, halo="#11171a")
    return drawing.text()
