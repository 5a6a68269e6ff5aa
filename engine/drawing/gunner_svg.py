"""The gunner's view as an SVG text: what hides in red, what is seen of the target in green."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
from shapely import unary_union
from shapely.geometry import LineString, Point, Polygon, box
from shapely.geometry.base import BaseGeometry

from engine.drawing.gunner import NEAR, Face, GunnerView, Prism, beyond_near, sound, tyres_at, tyres_hidden
from engine.drawing.svg import BLOCKED, CLEAR, COLOURS, INK, PAPER, Drawing
from engine.space.geometry import FloatArray, Region
from engine.space.table import Standing, TableState
from engine.words import listed

SIZE = (960.0, 540.0)
"""The picture in pixels, unless another is asked for."""

SKY, FLOOR, CLOTH, GRID, GLASS, TYRE = "#e6edf2", "#cbbfae", "#dde5d3", "#b9c4ab", "#dcebf3", "#1d2327"
CAPTION = 64.0
"""Pixels at the foot of the picture for the words."""

HORIZON = 0.56
"""Which share of the picture, from its top, lies above the eye's own height."""

EVERY = 6.0
"""Inches between the lines on the table."""

WHEEL = 0.21
"""The radius of a drawn wheel, inches."""

NAMED = 120.0
"""Square pixels that must be seen of a piece for it to be named."""

Paint = Callable[[Standing], str]
Say = Callable[[str], str]


def plain(standing: Standing) -> str:
    """A piece's own colour, or that of its kind."""
    own = standing.piece.colour or ""
    return own if re.fullmatch(r"#[0-9a-fA-F]{6}", own) else COLOURS[standing.piece.kind]


class _Picture:
    """One view being drawn."""

    def __init__(
        self, table: TableState, view: GunnerView, paint: Paint, say: Say, size: tuple[float, float]
    ) -> None:
        self.table, self.view, self.paint, self.say = table, view, paint, say
        w, (across, down) = view.half_width, size
        scale = across / (2 * w)
        tall = down / scale
        self.foot = CAPTION / scale if across >= SIZE[0] else 0.0
        low = (1.0 - HORIZON) * (tall - self.foot) + self.foot
        self.drawing = Drawing(Region.rectangle(-w, -low, 2 * w, tall), scale)
        self.frame = box(-w, self.foot - low, w, tall - low)
        self.pixel = 1.0 / scale

    def area(self, shape: BaseGeometry, fill: str, line: str | None = None, **how: float | bool) -> None:
        """A shape of the picture plane, cut to the frame."""
        cut = shape.intersection(self.frame)
        for part in getattr(cut, "geoms", [cut]):
            if isinstance(part, Polygon) and not part.is_empty:
                outline = np.asarray(part.exterior.coords)[:-1]
                self.drawing.polygon(outline, fill=fill, line=line or fill, **how)  # type: ignore[arg-type]

    def on_table(self, polygon: FloatArray, fill: str) -> None:
        """An outline (n, 2) of the table."""
        flat = np.column_stack([polygon, np.zeros(len(polygon))])
        self.area(sound(self.view.eye.picture(flat)), fill)

    def line_on_table(self, ends: FloatArray, colour: str, width: float = 1.0, dashed: bool = False) -> None:
        """A straight line (2, 2) on the table, cut to the frame."""
        ahead = beyond_near(self.view.eye.to_eye(np.column_stack([ends, np.zeros(2)])))
        if len(ahead) < 2:
            return
        seen = LineString(ahead[:, :2] / ahead[:, 2:]).intersection(self.frame)
        if not seen.is_empty and isinstance(seen, LineString):
            self.drawing.line(np.asarray(seen.coords), colour=colour, width=width, dashed=dashed)

    def ground(self) -> None:
        """The room, the table and the lines on it."""
        x0, y0, x1, _ = self.frame.bounds
        self.area(self.frame, SKY)
        self.area(box(x0, y0, x1, 0.0), FLOOR)
        surface = self.table.surface.outline
        self.on_table(surface, CLOTH)
        (left, near), (right, far) = surface.min(axis=0), surface.max(axis=0)
        for x in np.arange(math.ceil(left / EVERY) * EVERY, right, EVERY):
            self.line_on_table(np.array([(x, near), (x, far)]), GRID)
        for y in np.arange(math.ceil(near / EVERY) * EVERY, far, EVERY):
            self.line_on_table(np.array([(left, y), (right, y)]), GRID)

    def piece(self, parts: Sequence[Prism]) -> None:
        """The parts of one piece that come together in painter's order."""
        standing = self.table.find(parts[0].name)
        colour = self.paint(standing)
        for prism in parts:
            if prism.around_eye:
                self.area(self.frame, shaded(colour, 0.7))
            for face in prism.faces:
                self.area(sound(face.polygon), shaded(colour, light_on(face)))
        if standing.piece.look == "car":
            self.windows(parts, colour)
            self.wheels(standing)

    def windows(self, parts: Sequence[Prism], colour: str) -> None:
        """A band of glass on the longer sides, so that a car reads as one."""
        for prism in parts:
            following = np.roll(prism.outline, -1, axis=0)
            for a, b in zip(prism.outline, following, strict=True):
                out = np.array([b[1] - a[1], a[0] - b[0]])
                if out @ (self.view.eye.pose.xy - a) <= 0.0 or math.dist(a, b) < 0.5:
                    continue
                p, q = a + 0.14 * (b - a), b + 0.14 * (a - b)
                low, high = 0.56 * prism.height, 0.88 * prism.height
                glass = np.array([(*p, low), (*q, low), (*q, high), (*p, high)])
                self.area(sound(self.view.eye.picture(glass)), GLASS, shaded(colour, 0.5))

    def wheels(self, standing: Standing) -> None:
        """The wheels of the sides that face the eye, at the tyres' places."""
        body, eye = standing.piece.body, self.view.eye
        if body.tyres is None:
            return
        angles = np.arange(20) * (math.tau / 20)
        eye_side = standing.pose.to_body(eye.pose.xy)[1]
        edge = np.abs(body.footprint.outline[:, 1]).max()
        for x, y in body.tyres.tolist():
            if eye_side * y <= 0.0 or abs(eye_side) < edge:
                continue
            rim = np.column_stack([x + WHEEL * np.cos(angles), np.full(20, math.copysign(edge, y))])
            circle = np.column_stack([standing.pose.to_table(rim), WHEEL * (1.0 + np.sin(angles))])
            self.area(sound(eye.picture(circle)), TYRE)

    def tyres(self) -> None:
        """Where the target's tyres touch the table, which is what the book asks for: seen or hidden."""
        target = self.table.find(self.view.target)
        for hiders, at in zip(tyres_hidden(self.table, self.view), tyres_at(target), strict=True):
            x, y, ahead = self.view.eye.to_eye(np.array([[*at, 0.0]]))[0]
            if ahead >= NEAR and self.frame.contains(Point(x / ahead, y / ahead)):
                colour = BLOCKED if hiders else CLEAR
                self.drawing.dot((x / ahead, y / ahead), radius=4.0 * self.pixel, colour=colour)

    def silhouette(self, name: str) -> BaseGeometry:
        """A piece's silhouette, whatever stands before it."""
        return unary_union([p.silhouette for p in self.view.prisms if p.name == name])

    def in_sight(self) -> dict[str, BaseGeometry]:
        """What of each piece nothing drawn later covers, within the frame, the nearest first."""
        free, found = self.frame, dict[str, BaseGeometry]()
        for prism in reversed(self.view.prisms):
            mine = prism.silhouette.intersection(free)
            found[prism.name] = found.get(prism.name, Polygon()).union(mine)
            free = free.difference(prism.silhouette)
        return found

    def outlines(self, blocking: Sequence[str]) -> None:
        """What hides in red, what is seen of the target in green, what is not seen of it dashed."""
        for name in dict.fromkeys([*self.view.hiders, *blocking]):
            self.area(self.silhouette(name), "none", BLOCKED, width=2.5)
        # Dark on light, so that it is seen before whatever stands there.
        self.area(self.view.whole, "none", PAPER, width=3.0)
        self.area(self.view.whole, "none", INK, width=1.5, dashed=True)
        self.area(self.view.seen, CLEAR, CLEAR, opacity=0.22, width=3.0)

    def names(self) -> None:
        """Every piece by its name, over its top; what hides in red."""
        hiders = {*self.view.hiders}
        taken: list[BaseGeometry] = []
        x0, y0, x1, y1 = self.frame.bounds
        for name, seen in self.in_sight().items():
            cut = self.view.whole.intersection(self.frame) if name == self.view.target else seen
            if cut.area < NAMED * self.pixel**2:
                continue
            size = 20.0 if name in hiders or name == self.view.target else 14.0
            half = 0.3 * size * len(name) * self.pixel
            left, _, right, top = cut.bounds
            x = min(max((left + right) / 2, x0 + half + 4 * self.pixel), x1 - half - 4 * self.pixel)
            y = min(top + 8 * self.pixel, y1 - (size + 6) * self.pixel)
            room = box(x - half, y, x + half, y + size * self.pixel)
            while any(room.intersects(t) for t in taken) and y > y0:
                y -= (size + 4) * self.pixel
                room = box(x - half, y, x + half, y + size * self.pixel)
            taken.append(room)
            colour = BLOCKED if name in hiders else INK
            self.drawing.label((x, y), name, colour=colour, size=size, halo=PAPER)

    def inch(self) -> None:
        """A bar as long as an inch looks where the target begins."""
        x0, _, x1, y1 = self.frame.bounds
        long = 1.0 / max(self.view.distance, 0.5)
        units = next((u for u in (1, 2, 3, 6) if u * long > 0.04 * (x1 - x0)), 6)
        y, x = y1 - 34 * self.pixel, x0 + 16 * self.pixel
        bar = np.array([(x, y - 0.01 * (x1 - x0)), (x, y), (x + units * long, y)])
        bar = np.vstack([bar, [(x + units * long, y - 0.01 * (x1 - x0))]])
        self.drawing.line(bar, colour=INK, width=2.0)
        self.drawing.label(
            (x, y + 8 * self.pixel),
            f"{self.say(f'{units} in')} at {self.view.target}",
            size=14.0,
            anchor="start",
            halo=SKY,
        )

    def caption(self, words: Sequence[str]) -> None:
        """The words at the foot, where there is room for them."""
        self.drawing.title = " ".join(words)
        if not self.foot:
            return
        x0, y0, x1, _ = self.frame.bounds
        foot = y0 - self.foot
        self.drawing.polygon([(x0, foot), (x1, foot), (x1, y0), (x0, y0)], fill=PAPER, line=PAPER)
        for k, line in enumerate(words[:2]):
            at = (x0 + 16 * self.pixel, y0 - (26 + 24 * k) * self.pixel)
            self.drawing.label(at, line, size=18.0 if k == 0 else 15.0, anchor="start")


def light_on(face: Face) -> float:
    """How bright a side is: the light stands high over the table's near-left corner."""
    return 1.0 if face.turn is None else 0.80 + 0.12 * math.cos(face.turn - math.radians(230))


def shaded(colour: str, light: float) -> str:
    """A colour #rrggbb, darker.

    >>> shaded("#ff8000", 0.5)
    '#804000'
    """
    parts = [int(colour[k : k + 2], 16) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(min(light * p, 255)):02x}" for p in parts)


def gunner_drawing(
    table: TableState,
    view: GunnerView,
    *,
    paint: Paint = plain,
    line: FloatArray | None = None,
    blocking: Sequence[str] = (),
    say: Say = str,
    size: tuple[float, float] = SIZE,
) -> Drawing:
    """The view, drawn; `line` (2, 2) is the sight line that decided, `blocking` what blocks it by the book.

    `say` turns lengths in inches into those of the reader; `size` is in pixels. The caption is the
    drawing's title, and in a picture of the usual width also at its foot.
    """
    picture = _Picture(table, view, paint, say, size)
    picture.ground()
    together: list[Prism] = []
    for prism in view.prisms:
        if together and together[-1].name != prism.name:
            picture.piece(together)
            together = []
        together.append(prism)
    if together:
        picture.piece(together)
    picture.outlines(blocking)
    if line is not None:
        picture.line_on_table(line, BLOCKED if blocking else CLEAR, width=2.5, dashed=bool(blocking))
    picture.tyres()
    picture.names()
    picture.inch()
    picture.caption(caption_of(view, blocking, say))
    return picture.drawing


def caption_of(view: GunnerView, blocking: Sequence[str], say: Say = str) -> tuple[str, str]:
    """What the view shows, and what the book makes of it where the two differ."""
    seat = "turret" if view.seat == "turret" else f"front {view.seat}"
    height = say(f"{view.eye.height:.2f} in")
    first = f"From {view.shooter}'s {seat}, {height} above the table. {view.words}"
    hidden = [name for name in blocking if name not in view.hiders]
    if hidden:
        return first, f"By the book, {listed(hidden)} blocks the line, however high it is."
    dashed = " The dashed outline is where it stands." if view.share < 0.999 else ""
    return first, f"Drawn to scale from footprints and heights.{dashed}"
