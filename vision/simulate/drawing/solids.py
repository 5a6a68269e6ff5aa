"""Cars, terrain, tokens and hands as simple solids: coloured faces in inches, ready to be painted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import Piece

Colour = tuple[float, float, float]
"""Linear reflectance in the order blue, green, red, 0 to 1."""

GLASS: Colour = (0.060, 0.045, 0.035)
RUBBER: Colour = (0.014, 0.013, 0.012)
LAMP: Colour = (0.55, 0.85, 0.90)
BRAKE: Colour = (0.02, 0.02, 0.55)
CHROME: Colour = (0.36, 0.35, 0.34)
PAGES: Colour = (0.55, 0.66, 0.72)
COFFEE: Colour = (0.012, 0.022, 0.045)

PAPER_MODEL = "paper"
"""What a sheet of paper is called: it has no sides and one colour."""


@dataclass(frozen=True, eq=False)
class SolidFace:
    """A flat polygon: corners (n, 3) in inches, and its linear colour as it looks when lit."""

    corners: FloatArray
    colour: Colour


@dataclass(frozen=True, slots=True)
class Sun:
    """Where the light comes from, for shading and shadows.

    `toward` points to the light (x, y, z, unit length); `ambient` is the share of light that
    comes from everywhere.
    """

    toward: tuple[float, float, float] = (-0.36, 0.42, 0.83)
    ambient: float = 0.55

    def on(self, normal: FloatArray) -> float:
        """How brightly a face with this unit normal is lit; 1 for one that lies flat."""
        flat = self.toward[2]
        direct = max(0.0, float(normal @ np.array(self.toward)))
        return self.ambient + (1.0 - self.ambient) * direct / flat


def colour_of(text: str) -> Colour:
    """A colour written as #rrggbb, as linear blue, green, red."""
    red, green, blue = (int(text[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return (linear(blue), linear(green), linear(red))


def linear(encoded: float) -> float:
    """Linear light of a grey level (0 to 1) in the sRGB curve."""
    return encoded / 12.92 if encoded <= 0.04045 else ((encoded + 0.055) / 1.055) ** 2.4


def tinted(colour: Colour, by: float, white: float = 0.0) -> Colour:
    """A colour darkened or brightened by a factor, then mixed with white."""
    return tuple(min(1.0, c * by) * (1 - white) + white for c in colour)  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class _Builder:
    """Collects the faces of one solid that stands at `pose`, as seen by one eye under one sun."""

    pose: Pose
    lift: float
    eye: FloatArray
    sun: Sun
    faces: list[SolidFace]

    def flat(self, outline: FloatArray, z: float, colour: Colour) -> None:
        """A horizontal face."""
        table = self.pose.to_table(outline)
        self.faces.append(SolidFace(np.column_stack([table, np.full(len(table), z + self.lift)]), colour))

    def prism(
        self,
        bottom: FloatArray,
        z0: float,
        z1: float,
        colour: Colour,
        *,
        top: FloatArray | None = None,
        lid: Colour | None = None,
        sides: tuple[Colour, ...] | None = None,
    ) -> None:
        """Sides that face the eye, then the lid. `top` narrows it; `sides` colours edges apart."""
        upper = bottom if top is None else top
        low = np.column_stack([self.pose.to_table(bottom), np.full(len(bottom), z0 + self.lift)])
        high = np.column_stack([self.pose.to_table(upper), np.full(len(upper), z1 + self.lift)])
        normals = np.cross(np.roll(low, -1, axis=0) - low, high - low)
        lengths = np.linalg.norm(normals, axis=1)
        faced = (lengths > 1e-9) & (((self.eye - low) * normals).sum(axis=1) > 0.0)
        for i in np.flatnonzero(faced):
            j = (i + 1) % len(bottom)
            own = colour if sides is None else sides[i]
            shade = self.sun.on(normals[i] / lengths[i])
            self.faces.append(SolidFace(np.array([low[i], low[j], high[j], high[i]]), tinted(own, shade)))
        self.faces.append(SolidFace(high, colour if lid is None else lid))


def _rectangle(x0: float, x1: float, half: float, y: float = 0.0) -> FloatArray:
    """The body-frame rectangle from x0 to x1, `half` to either side of y, counter-clockwise."""
    return np.array([(x0, y - half), (x1, y - half), (x1, y + half), (x0, y + half)])


@dataclass(frozen=True, slots=True)
class _Cut:
    """How a car model is cut, in shares of its length (x, + is front), width and height.

    `cabin` and `roof` are (rear, front) of the glass house at its belt and at the top.
    """

    belt: float
    cabin: tuple[float, float]
    roof: tuple[float, float]
    taper: float = 0.78
    bed: tuple[float, float] | None = None
    stripe: bool = False


_CUTS = {
    "compact": _Cut(0.56, (-0.46, 0.26), (-0.36, 0.13)),
    "sedan": _Cut(0.56, (-0.36, 0.24), (-0.22, 0.10)),
    "muscle": _Cut(0.60, (-0.38, 0.10), (-0.22, -0.01), stripe=True),
    "suv": _Cut(0.52, (-0.47, 0.24), (-0.42, 0.13), 0.84),
    "pickup": _Cut(0.54, (-0.14, 0.24), (-0.09, 0.12), bed=(-0.46, -0.16)),
    "van": _Cut(0.46, (-0.48, 0.38), (-0.46, 0.24), 0.88),
    "truck": _Cut(0.44, (-0.49, 0.44), (-0.48, 0.33), 0.92),
    "buggy": _Cut(0.50, (-0.30, 0.12), (-0.22, 0.04), 0.66),
}
_PLAIN = _CUTS["sedan"]


def _cut_of(model: str) -> _Cut:
    return next((cut for name, cut in _CUTS.items() if name in model.casefold()), _PLAIN)


def _car(piece: Piece, build: _Builder, paint: Colour) -> None:
    """A toy car: tyres, painted body, glass house, lamps on the nose and lights at the tail."""
    body, cut = piece.body, _cut_of(piece.body.model)
    outline = body.footprint.outline
    length, width, height = body.length, body.width, body.height
    mid = float(outline[:, 0].max() + outline[:, 0].min()) / 2
    belt = cut.belt * height
    if body.tyres is not None:
        for x, y in body.tyres:
            outward = math.copysign(0.06 * width, y)
            build.prism(
                _rectangle(x - 0.085 * length, x + 0.085 * length, 0.085 * width, y + outward),
                0.0,
                0.42 * height,
                RUBBER,
            )
    build.prism(outline, 0.10 * height, belt, paint, lid=tinted(paint, 0.94))
    nose, tail, half = mid + length / 2, mid - length / 2, width / 2
    build.flat(
        _rectangle(mid + cut.cabin[1] * length, nose - 0.05 * length, 0.36 * width),
        belt,
        tinted(paint, 1.12, 0.03),
    )
    for side in (-1.0, 1.0):
        build.flat(
            _rectangle(nose - 0.085 * length, nose - 0.030 * length, 0.09 * half, side * 0.62 * half),
            belt,
            LAMP,
        )
        build.flat(
            _rectangle(tail + 0.015 * length, tail + 0.060 * length, 0.13 * half, side * 0.66 * half),
            belt,
            BRAKE,
        )
        if cut.stripe:
            build.flat(
                _rectangle(tail + 0.07 * length, nose - 0.05 * length, 0.06 * width, side * 0.12 * width),
                belt,
                (0.8, 0.8, 0.8),
            )
    build.flat(_rectangle(nose - 0.030 * length, nose - 0.012 * length, 0.42 * half), belt, CHROME)
    if cut.bed is not None:
        build.flat(
            _rectangle(mid + cut.bed[0] * length, mid + cut.bed[1] * length, 0.40 * width),
            belt,
            tinted(paint, 0.16),
        )
    _glass_house(build, cut, mid, length, width, (belt, height), paint)


def _glass_house(
    build: _Builder, cut: _Cut, mid: float, length: float, width: float, z: tuple[float, float], paint: Colour
) -> None:
    """The cabin: dark windows around, a lighter windscreen in front, a painted roof."""
    low = _rectangle(mid + cut.cabin[0] * length, mid + cut.cabin[1] * length, 0.44 * width)
    high = _rectangle(mid + cut.roof[0] * length, mid + cut.roof[1] * length, 0.44 * cut.taper * width)
    screen = tinted(GLASS, 1.9, 0.02)
    build.prism(low, *z, paint, top=high, lid=tinted(paint, 1.05, 0.02), sides=(GLASS, screen, GLASS, GLASS))


def _terrain(piece: Piece, build: _Builder, paint: Colour) -> None:
    """Books, cans, mugs, crates and hills, told apart by the body's model name."""
    outline, height = piece.body.footprint.outline, piece.body.height
    model = piece.body.model.casefold()
    if "book" in model:
        inner = outline * 0.97
        build.prism(inner, 0.06, height - 0.06, PAGES)
        build.prism(outline, height - 0.06, height, paint)
        a, b = np.abs(outline).max(axis=0)
        build.flat(_rectangle(0.62 * a, 0.70 * a, 0.80 * b), height, tinted(paint, 1.0, 0.45))
        build.flat(_rectangle(-0.70 * a, -0.62 * a, 0.80 * b), height, tinted(paint, 1.0, 0.45))
    elif "hill" in model:
        for step, (z0, z1) in enumerate(((0.0, 0.45), (0.45, 0.8), (0.8, 1.0))):
            low, high = outline * (1.0 - 0.13 * step), outline * (1.0 - 0.13 * (step + 0.9))
            build.prism(low, z0 * height, z1 * height, tinted(paint, 0.8 + 0.12 * step), top=high)
    elif "mug" in model:
        build.prism(outline, 0.0, height, paint)
        build.flat(outline * 0.90, height, tinted(paint, 0.45))
        build.flat(outline * 0.86, height, COFFEE)
    elif "crate" in model:
        build.prism(outline, 0.0, height, paint)
        build.flat(outline * 0.80, height, tinted(paint, 0.72))
        build.flat(outline * 0.74, height, tinted(paint, 0.92))
    else:
        build.prism(outline, 0.0, height, tinted(paint, 0.9))
        build.flat(outline * 0.90, height, tinted(paint, 1.1, 0.04))


def faces_of(piece: Piece, pose: Pose, lift: float, eye: FloatArray, sun: Sun) -> list[SolidFace]:
    """The faces of a piece that the eye at `eye` (table inches, (3,)) sees, in painting order."""
    build = _Builder(pose, lift, eye, sun, [])
    paint = colour_of(
        piece.colour or {"car": "#8a8f98", "terrain": "#8b6b45", "token": "#d9b43a"}[piece.look]
    )
    if piece.look == "car":
        _car(piece, build, paint)
    elif piece.look == "terrain":
        _terrain(piece, build, paint)
    elif piece.body.model == PAPER_MODEL:
        build.flat(piece.body.footprint.outline, piece.body.height, paint)
    else:
        outline = piece.body.footprint.outline
        build.prism(outline, 0.0, max(piece.body.height, 0.05), tinted(paint, 0.8))
        build.flat(outline * 0.72, max(piece.body.height, 0.05), tinted(paint, 1.0, 0.2))
    return build.faces


@dataclass(frozen=True, slots=True)
class Hand:
    """A right hand that reaches over the table.

    `pose` is where the fingertips meet and the way they point; `height` the fingertips' height,
    inches. The arm comes from behind.
    """

    pose: Pose
    height: float = 1.4


SKIN: Colour = (0.20, 0.32, 0.58)
SLEEVE: Colour = (0.20, 0.11, 0.07)

# Body frame of a hand: fingertips at the origin, fingers along +x. Each limb is a capsule from
# (x, y, height above the fingertips, radius) to the same.
_LIMBS: tuple[tuple[Colour, tuple[float, ...], tuple[float, ...]], ...] = (
    (SLEEVE, (-34.0, -2.5, 3.5, 2.1), (-8.3, -0.2, 2.0, 1.45)),
    (SKIN, (-8.6, -0.2, 1.8, 1.05), (-6.2, 0.0, 1.6, 1.15)),
    (SKIN, (-5.6, 0.75, 1.4, 1.0), (-4.2, 0.95, 1.3, 0.80)),
    (SKIN, (-5.6, -0.65, 1.4, 1.1), (-4.1, -0.80, 1.3, 0.85)),
    (SKIN, (-4.0, -1.35, 1.1, 0.34), (-1.9, -1.55, 0.3, 0.27)),
    (SKIN, (-4.0, -0.65, 1.2, 0.36), (-1.0, -0.85, 0.3, 0.29)),
    (SKIN, (-4.0, 0.20, 1.2, 0.37), (-0.5, 0.00, 0.2, 0.30)),
    (SKIN, (-4.0, 1.05, 1.1, 0.37), (-0.7, 0.75, 0.1, 0.30)),
    (SKIN, (-5.4, 1.45, 1.1, 0.46), (-2.6, 2.05, 0.3, 0.34)),
)

# From rim to ridge, (share of the radius, brightness): a capsule looks round by rings.
_RINGS = ((1.0, 0.62), (0.82, 0.80), (0.60, 0.94), (0.34, 1.06))


@lru_cache(maxsize=16)
def _capsule(
    a: tuple[float, float], b: tuple[float, float], ra: float, rb: float, sides: int = 10
) -> tuple[tuple[float, float], ...]:
    """The outline of two circles and what lies between them, body frame, counter-clockwise."""
    angle = math.atan2(b[1] - a[1], b[0] - a[0])
    front = angle + np.linspace(-math.pi / 2, math.pi / 2, sides)
    back = front + math.pi
    rim_b = np.column_stack([b[0] + rb * np.cos(front), b[1] + rb * np.sin(front)])
    rim_a = np.column_stack([a[0] + ra * np.cos(back), a[1] + ra * np.sin(back)])
    return tuple((float(x), float(y)) for x, y in np.vstack([rim_b, rim_a]))


def _ring(hand: Hand, limb: int, share: float, brightness: float) -> SolidFace:
    colour, a, b = _LIMBS[limb]
    lit = (1.0 - share) * 0.18
    outline = np.array(
        _capsule((a[0], a[1] + lit * a[3]), (b[0], b[1] + lit * b[3]), a[3] * share, b[3] * share)
    )
    # The first half of the outline rings the tip, the second the root.
    z = hand.height + np.repeat([b[2], a[2]], len(outline) // 2)
    return SolidFace(np.column_stack([hand.pose.to_table(outline), z]), tinted(colour, brightness))


def faces_of_hand(hand: Hand) -> list[SolidFace]:
    """The hand's faces in painting order: the sleeve, then the skin ring by ring.

    Fingers and palm share their rings, so that they grow out of each other.
    """
    sleeve = [n for n, limb in enumerate(_LIMBS) if limb[0] == SLEEVE]
    skin = [n for n, limb in enumerate(_LIMBS) if limb[0] == SKIN]
    return [_ring(hand, n, *ring) for part in (sleeve, skin) for ring in _RINGS for n in part]


def outlines_of_hand(hand: Hand) -> list[FloatArray]:
    """What the hand covers, limb by limb, (n, 3) inches."""
    return [_ring(hand, n, *_RINGS[0]).corners for n in range(len(_LIMBS))]
