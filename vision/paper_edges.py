"""Finds a sheet of paper that lies flat on the table, and measures its outer edges to parts of a pixel.

White paper on something darker: a bright four-cornered shape is looked for in the picture, then each edge is
measured where the brightness is halfway between paper and ground, in many places along it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile

import cv2
import numpy as np

from engine.space.geometry import FloatArray
from vision.frame import Image

# Grey levels that may divide paper from ground.
LEVELS = range(48, 240, 12)

# A sheet in the picture: pixels of its shortest side, and how much longer its long sides may look.
LEAST_PX, LONGEST = 60.0, 2.0

# Shapes about one middle whose diagonals differ by more than this factor are two.
ALIKE = 1.25

# A sheet's sides in inches, roughly: how far an edge is looked for depends on it.
USUAL_SIDE_IN = 9.75

# How far from the found shape an edge is looked for, and where paper and ground are taken from, inches.
REACH, PLAIN = 0.34, 0.14
PLACES = 96
LEAST_CONTRAST = 18.0
LEAST_SHARE = 0.6

# Neighbouring places of an edge share pixels and ground: so many of them count as one.
TOGETHER = 4

STRAIGHT_IN = 0.05

_SHARE = np.arange(256) / 255
LIGHT: FloatArray = 255 * np.where(_SHARE <= 0.04045, _SHARE / 12.92, ((_SHARE + 0.055) / 1.055) ** 2.4)
"""Light by grey level, by the usual tone curve (sRGB, IEC 61966-2-1), again from 0 to 255."""

Flat = Callable[[FloatArray], FloatArray]
"""Pixels (n, 2) in a plane where straight edges are straight, (n, 2)."""


@dataclass(frozen=True, eq=False)
class PaperSheet:
    """A sheet's corners (4, 2) in the plane that was asked for, in order round it.

    Edge n runs from corner n to corner n + 1. `sd` (4,) is each edge's own deviation across itself; `curve`
    (4,) half of what the camera's tone curve may shift each by, all outward or all inward alike. All in the
    plane's unit.
    """

    corners: FloatArray
    sd: FloatArray
    curve: FloatArray

    def across(self, n: int) -> tuple[float, float]:
        """The way from the middle of edge n to the middle of the opposite one, and its deviation."""
        mids = (self.corners + np.roll(self.corners, -1, axis=0)) / 2
        way = float(np.hypot(*(mids[(n + 2) % 4] - mids[n])))
        own = math.hypot(self.sd[n], self.sd[(n + 2) % 4])
        return way, math.hypot(own, self.curve[n] + self.curve[(n + 2) % 4])


@dataclass(frozen=True, eq=False)
class _Edge:
    """A line a x + b y = c with (a, b) its outward unit normal."""

    normal: FloatArray
    c: float
    sd: float
    curve: float


def find_sheets(grey: Image, flat: Flat) -> list[PaperSheet]:
    """The sheets in the picture, the clearest outline of each."""
    found: list[PaperSheet] = []
    outlines: list[FloatArray] = []
    for quad in _quads(grey):
        if any(_same(quad, other) for other in outlines):
            continue
        # Measured one by one: what lacks a clear edge is no sheet, whatever its others are like.
        measured = (_edge(grey, flat, quad[n], quad[(n + 1) % 4]) for n in range(4))
        clear = [e for e in takewhile(lambda e: e is not None, measured) if e is not None]
        if len(clear) < 4:
            continue
        found.append(_sheet(clear))
        outlines.append(quad)
    return found


def _same(quad: FloatArray, other: FloatArray) -> bool:
    """Whether two shapes are one: a sheet in the middle of a bright table is not the table."""
    apart = float(np.hypot(*(quad.mean(axis=0) - other.mean(axis=0))))
    size, its = (float(np.linalg.norm(q[2] - q[0])) for q in (quad, other))
    return apart < LEAST_PX / 3 and 1 / ALIKE < size / its < ALIKE


def _quads(grey: Image) -> Iterator[FloatArray]:
    """Bright four-cornered shapes: corners (4, 2), pixels, in the same sense round as a picture's own."""
    smaller = max(1.0, grey.shape[1] / 960)
    small = cv2.resize(grey, None, fx=1 / smaller, fy=1 / smaller, interpolation=cv2.INTER_AREA)
    small = cv2.medianBlur(small, 3)
    for level in LEVELS:
        bright = np.asarray(small > level, dtype=np.uint8)
        outlines, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        for outline in outlines:
            if len(outline) < 4 * LEAST_PX / smaller:
                continue
            hull = cv2.convexHull(outline)
            filled = cv2.contourArea(outline) / max(cv2.contourArea(hull), 1.0)
            quad = cv2.approxPolyDP(hull, 0.03 * cv2.arcLength(hull, True), True).reshape(-1, 2)
            if len(quad) != 4 or filled < 0.95:
                continue
            corners = (quad + 0.5) * smaller - 0.5
            sides = np.linalg.norm(corners - np.roll(corners, -1, axis=0), axis=1)
            if sides.min() < LEAST_PX or sides.max() > LONGEST * sides.min():
                continue
            a, b = corners[1] - corners[0], corners[2] - corners[1]
            yield corners if a[0] * b[1] - a[1] * b[0] > 0 else corners[::-1].copy()


def _sheet(edges: list[_Edge]) -> PaperSheet:
    corners = [
        np.linalg.solve(np.stack([edges[n - 1].normal, edges[n].normal]), [edges[n - 1].c, edges[n].c])
        for n in range(4)
    ]
    return PaperSheet(np.array(corners), np.array([e.sd for e in edges]), np.array([e.curve for e in edges]))


def _edge(grey: Image, flat: Flat, a: FloatArray, b: FloatArray) -> _Edge | None:
    """The edge from a to b, pixels, measured in many places; None if it is not one clear line."""
    length = float(np.linalg.norm(b - a))
    per_inch = length / USUAL_SIDE_IN
    along = (b - a) / length
    outward = np.array([along[1], -along[0]])
    shares = np.linspace(0.1, 0.9, PLACES)
    reach, plain = max(REACH * per_inch, 4.0), max(PLAIN * per_inch, 2.0)
    offsets = np.arange(-reach, reach + 0.125, 0.25)
    places = a + shares[:, None] * (b - a)
    at = (places[:, None, :] + offsets[None, :, None] * outward).astype(np.float32)
    shown = cv2.remap(grey, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    inside_picture = (at >= 1).all(axis=(1, 2)) & (at < np.array(grey.shape[::-1]) - 2).all(axis=(1, 2))
    by_eye = crossings(shown.astype(np.float64), offsets, plain)
    good = inside_picture & np.isfinite(by_eye)
    if good.mean() < LEAST_SHARE:
        return None
    by_light = crossings(LIGHT[shown], offsets, plain)
    good &= np.isfinite(by_light)
    if good.mean() < LEAST_SHARE:
        return None
    # Which of both is true depends on the camera's tone curve, which nobody knows.
    shift = abs(float(np.median(by_light[good] - by_eye[good]))) / 2
    between = (by_eye[good] + by_light[good]) / 2
    points = flat(places[good] + between[:, None] * outward)
    ends = flat(np.stack([a, b, (a + b) / 2, (a + b) / 2 + outward]))
    unit = float(np.linalg.norm(ends[1] - ends[0])) / length
    fit = straight_line(points, ends[1] - ends[0], unit, STRAIGHT_IN * per_inch * unit)
    if fit is None:
        return None
    normal, c, sd = fit
    if normal @ (ends[3] - ends[2]) < 0:
        normal, c = -normal, -c
    return _Edge(normal, c, sd, shift * unit)


def straight_line(
    points: FloatArray, along: FloatArray, unit: float, straight: float
) -> tuple[FloatArray, float, float] | None:
    """A straight line through most of the points (n, 2): its unit normal, its distance, and its deviation.

    `along` is about its direction, `unit` a pixel's size, `straight` how far the points may scatter, root
    mean square. None where they are no line.
    """
    direction = along / np.linalg.norm(along)
    normal = np.array([-direction[1], direction[0]])
    t, u = points @ direction, points @ normal
    middle = t.mean()
    t = t - middle
    keep = np.abs(u - np.median(u)) < 4 * straight + 2 * unit
    off = u
    for _ in range(5):
        if keep.sum() < LEAST_SHARE * len(t):
            return None
        slope, start = np.polyfit(t[keep], u[keep], 1)
        off = u - (start + slope * t)
        scatter = 1.4826 * float(np.median(np.abs(off[keep])))
        keep = np.abs(off) < max(3 * scatter, 0.1 * unit)
    rms = float(np.sqrt(np.mean(off[keep] ** 2)))
    if keep.sum() < LEAST_SHARE * len(t) or rms > max(straight, 0.5 * unit):
        return None
    turned = normal - slope * direction
    size = float(np.linalg.norm(turned))
    point = middle * direction + start * normal
    return turned / size, float(turned @ point) / size, rms / math.sqrt(keep.sum() / TOGETHER)


def crossings(
    profiles: FloatArray, offsets: FloatArray, plain: float, least: float = LEAST_CONTRAST
) -> FloatArray:
    """Where each profile (n, m), from paper to ground, falls below halfway; NaN where there is no edge.

    Paper and ground are taken beyond `plain` on either side; they differ by `least` at an edge.
    """
    paper = np.median(profiles[:, offsets <= -plain], axis=1)
    ground = np.median(profiles[:, offsets >= plain], axis=1)
    half = ((paper + ground) / 2)[:, None]
    falls = (profiles[:, :-1] >= half) & (profiles[:, 1:] < half)
    steep = np.where(falls, profiles[:, :-1] - profiles[:, 1:], -np.inf)
    n = np.arange(len(profiles))
    k = np.argmax(steep, axis=1)
    before, after = profiles[n, k], profiles[n, k + 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (before - half[:, 0]) / (before - after)
    found = offsets[k] + share * (offsets[1] - offsets[0])
    clear = falls.any(axis=1) & (paper - ground > least)
    return np.where(clear, found, np.nan)
