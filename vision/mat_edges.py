"""Finds where the mat under the corner tags ends: its four edges, against the table or the floor below it.

Each edge is looked for outward from the rectangle of the corner tags, as the innermost straight line at which
the colour changes for good along most of the side. A line or a stripe on the mat has one colour on both
sides, and a road ends before the side does: neither is an edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.surface import Surface
from engine.space.geometry import FloatArray
from vision.frame import Image
from vision.paper_edges import crossings, straight_line

SIDES = ("near", "right", "far", "left")
"""The edges in order round the table, counter-clockwise."""

REACH_IN = 10.0
"""How far outside the corner tags an edge is looked for."""

STEP_IN = 0.05
ROWS = 128
MOST_TURN_DEG, TURN_STEP_DEG = 4.0, 0.25

GAP_IN, BAND_IN = 0.12, 0.6
"""Colours are taken from bands so wide, so far from the edge on either side."""

BEYOND_IN, LEAST_LASTING = 1.2, 0.4
"""So much further out and in, colours must still differ by this share: a stripe on the mat is narrower."""

LEAST_CHANGE = 7.0
"""The least change of colour across an edge, in units of CIE L*a*b*."""

LEAST_IN_PICTURE, LEAST_SHARE = 0.6, 0.7
"""What share of a side must be in the picture, and along what share of that its edge must be seen."""

WAVES_IN = 0.15
"""How far from a straight line a cloth's edge may run, root mean square."""

OWN_SD_IN = 0.03
"""How well an edge is placed at best: a mat has a thickness, and its rim a shade."""

Flags = NDArray[np.bool_]

NOT_IN_PICTURE = "not in the picture"
NOT_CLEAR = "no clear edge"


@dataclass(frozen=True)
class MatEdge:
    """An edge as a line in the table's frame: `at` inches along the axis across it, at the side's middle.

    `turn` is its angle against the other axis, radians, counter-clockwise. `sd` is the deviation of `at`
    against the corner tags beside it, with what is lost by taking the edge as parallel to the axis; how
    surely the whole table is known comes besides.
    """

    at: float
    turn: float
    sd: float


def find_mat_edges(
    picture: Image, surface: Surface, low: FloatArray, high: FloatArray
) -> list[MatEdge | str]:
    """The near, right, far and left edge of the mat, each an edge or why there is none.

    `picture` is BGR, `low` and `high` (2,) the corners of the rectangle of the corner tags, inches.
    """
    return [_edge(picture, surface, _Side.of(n, low, high)) for n in range(4)]


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of the rectangle of the corner tags: its middle, the way along it and the way outward."""

    middle: FloatArray
    along: FloatArray
    outward: FloatArray
    length: float

    @classmethod
    def of(cls, n: int, low: FloatArray, high: FloatArray) -> _Side:
        outward = np.array([(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)][n])
        along = np.array([-outward[1], outward[0]])
        half = (high - low) / 2
        return cls((low + high) / 2 + half * outward, along, outward, float(2 * np.abs(along) @ half))

    def at(self, s: FloatArray, d: FloatArray) -> FloatArray:
        """Points (..., 2) of the table, `s` inches along the side from its middle, `d` outward from it."""
        points: FloatArray = self.middle + s[..., None] * self.along + d[..., None] * self.outward
        return points


def _edge(picture: Image, surface: Surface, side: _Side) -> MatEdge | str:
    s = np.linspace(-0.5, 0.5, ROWS) * side.length
    d = np.arange(-BAND_IN - GAP_IN - BEYOND_IN, REACH_IN, STEP_IN)
    seen, colour = _sampled(picture, surface, side, s[:, None], d[None, :])
    # What a whole side needs: its rows, and the bands outside and inside the first line that can be found.
    first = int(np.searchsorted(d, 0.0)) + round((GAP_IN + BAND_IN) / STEP_IN)
    rows = seen[:, :first].all(axis=1)
    if rows.mean() < LEAST_IN_PICTURE:
        return NOT_IN_PICTURE
    found = _innermost(colour[rows], seen[rows], s[rows], d)
    if found is None:
        whole = seen.all(axis=1).mean()
        return NOT_CLEAR if whole > LEAST_IN_PICTURE else f"{NOT_CLEAR} up to the picture's rim"
    start, slope, change = found
    line = _measured(picture, surface, side, s[rows], (start, slope), change)
    if line is None:
        return NOT_CLEAR
    at, turn, own = line
    place = float((side.middle + at * side.outward) @ np.abs(side.outward))
    # Taken as parallel to the axis, a turned edge is off by this, root mean square along the side.
    askew = abs(math.tan(turn)) * side.length / math.sqrt(12)
    return MatEdge(place, turn, math.hypot(own, askew))


def _sampled(
    picture: Image, surface: Surface, side: _Side, s: FloatArray, d: FloatArray
) -> tuple[Flags, FloatArray]:
    """Which points, s (n, 1) by d (n or 1, m), are in the picture, and their colours (n, m, 3), L*a*b*."""
    points = side.at(*np.broadcast_arrays(s, d))
    pixels = surface.image_from_table(points.reshape(-1, 2)).reshape(points.shape).astype(np.float32)
    h, w = picture.shape[:2]
    seen = (pixels >= 1).all(axis=2) & (pixels[..., 0] < w - 2) & (pixels[..., 1] < h - 2)
    shown = cv2.remap(
        picture, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    if shown.ndim == 2:
        shown = cv2.cvtColor(shown, cv2.COLOR_GRAY2BGR)
    colour = cv2.cvtColor(shown.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    return np.asarray(seen), np.asarray(colour, dtype=np.float64)


def _innermost(
    colour: FloatArray, seen: Flags, s: FloatArray, d: FloatArray
) -> tuple[float, float, FloatArray] | None:
    """The innermost line d = start + slope s at which the colour changes: start, slope, the change (3,)."""
    gap, band, beyond = (round(inches / STEP_IN) for inches in (GAP_IN, BAND_IN, BEYOND_IN))
    reach = gap + band
    # Of each band the median: a line narrower than half of it does not count.
    level = np.median(np.lib.stride_tricks.sliding_window_view(colour, band, axis=1), axis=-1)
    k = np.arange(reach + beyond, len(d) - reach)
    far = np.minimum(k + gap + beyond, level.shape[1] - 1)
    inside, outside = level[:, k - reach], level[:, k + gap]
    # The change at each place, and the colours of both sides against those further in and out.
    steps = np.stack([outside - inside, outside - level[:, k - reach - beyond], level[:, far] - inside])
    whole = seen[:, k + reach - 1]
    sizes = np.zeros(len(k))
    lines: list[tuple[float, FloatArray] | None] = [None] * len(k)
    for degrees in np.arange(-MOST_TURN_DEG, MOST_TURN_DEG + TURN_STEP_DEG / 2, TURN_STEP_DEG):
        slope = math.tan(math.radians(float(degrees)))
        at = np.arange(len(k))[None, :] + np.rint(slope * s / STEP_IN).astype(int)[:, None]
        there = (at >= 0) & (at < len(k))
        at, rows = np.clip(at, 0, len(k) - 1), np.arange(len(s))[:, None]
        there &= whole[rows, at]
        moved = steps[:, rows, at] * there[..., None]
        count = np.maximum(there.sum(axis=0), 1)
        mean = moved.sum(axis=1) / count[:, None]
        size, *others = np.linalg.norm(mean, axis=2)
        unit = mean[0] / np.maximum(size, 1e-9)[:, None]
        alike = (np.einsum("nkc,kc->nk", moved[0], unit) > size / 2).sum(axis=0) / count
        # What is on both sides of a stripe is alike.
        lasts = np.min(others, axis=0) > size * LEAST_LASTING
        better = (there.mean(axis=0) >= LEAST_IN_PICTURE) & (alike >= LEAST_SHARE) & (size > sizes)
        for n in np.flatnonzero(better & (size >= LEAST_CHANGE)):
            sizes[n], lines[n] = size[n], (slope, mean[0, n]) if lasts[n] else None
    for n in np.flatnonzero(sizes):
        line = lines[n]
        if line is not None and sizes[n] == sizes[max(n - reach, 0) : n + reach + 1].max():
            return float(d[k[n]]), *line
    return None


def _measured(
    picture: Image,
    surface: Surface,
    side: _Side,
    s: FloatArray,
    about: tuple[float, float],
    change: FloatArray,
) -> tuple[float, float, float] | None:
    """The edge near d = start + slope s at the places s (n,): how far outward, its turn, its deviation."""
    offsets = np.arange(-GAP_IN - BAND_IN, GAP_IN + BAND_IN, STEP_IN / 4)
    start = about[0] + about[1] * s
    seen, colour = _sampled(picture, surface, side, s[:, None], start[:, None] + offsets[None, :])
    size = float(np.linalg.norm(change))
    # From high to low, as from paper to ground.
    profiles = -colour @ (change / size)
    off = crossings(profiles, offsets, GAP_IN, size / 3)
    good = seen.all(axis=1) & np.isfinite(off)
    if good.sum() < LEAST_SHARE * LEAST_IN_PICTURE * ROWS:
        return None
    a, b = surface.image_from_table(side.at(np.array([0.0, 1.0]), np.array([0.0, 0.0])))
    line = straight_line(
        np.column_stack([s, start + off])[good],
        np.array([1.0, about[1]]),
        1 / float(np.hypot(*(b - a))),
        WAVES_IN,
    )
    if line is None:
        return None
    (across, out), c, sd = line
    return c / out, math.atan(across / out), math.hypot(sd, OWN_SD_IN)
