"""The closed codebook: which of the tags in play is this, if any.

A table knows which tags are in play. Comparing a place with just these, drawn with the lens's own
blur, reads what no general reader can: at 15 pixels the bits themselves are blurred away and
only their low tones are left, but two dozen candidates are still far apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.space.geometry import FloatArray
from vision.frame import Image
from vision.tags.pattern import LINEAR, family_patterns, homographies, pattern
from vision.tags.polish import Values

# Samples per module, and how many modules around a tag-like place a tag may lie: the edges of
# what it is glued on pull the place towards them.
_PER_MODULE = 2
_SEARCHED = 7
# So many of the places there that look most like any tag at all are compared with each.
_PEAKS = 4
_BLURS = 0.1
"""Codebooks are kept for blurs that are multiples of this, in modules."""


class Guess(NamedTuple):
    """A tag that may be here: how well it correlates and its corners (4, 2), pixels."""

    score: float
    family: str
    tag: int
    corners: FloatArray


class Agreement(NamedTuple):
    """How the inner modules of a tag agree with the pixels.

    `inner` is their correlation; `lead` by how much that exceeds every other tag in play and every
    other way round, `unique` every other tag of the family, in play or not. Both are negative if a
    rival is better.
    """

    inner: float
    lead: float
    unique: float


class TagLike(NamedTuple):
    """A place that looks like a tag: centre in pixels, one side's direction in radians, strength."""

    x: float
    y: float
    angle: float
    strength: float


@dataclass(frozen=True)
class Codebook:
    """The tags in play of one family."""

    family: str
    tags: tuple[int, ...]

    @cached_property
    def modules(self) -> FloatArray:
        """All tags' modules upright, (k, m, m)."""
        return np.stack([_modules(self.family, t) for t in self.tags]).astype(np.float64)

    @cached_property
    def _rows_in_play(self) -> NDArray[np.intp]:
        return np.array(self.tags)

    def agreement(self, grey: Image, tag: int, corners: FloatArray, blur: float) -> Agreement:
        """How well the inner modules of `tag` correlate here, and by how much better than a rival's.

        The border is left out: every tag has it, so it speaks for none. `blur` in pixels.
        """
        m = self.modules.shape[1]
        u, v = _inner(m)
        H = homographies(corners[None])[0]
        w = H[2, 0] * u + H[2, 1] * v + 1.0
        x = ((H[0, 0] * u + H[0, 1] * v + H[0, 2]) / w).astype(np.float32)
        y = ((H[1, 0] * u + H[1, 1] * v + H[1, 2]) / w).astype(np.float32)
        values = cv2.remap(grey, x, y, cv2.INTER_LINEAR)
        side = math.dist(corners[0].tolist(), corners[1].tolist())
        step = _blur_step(blur * m / max(side, 1.0))
        scores = _centres(self.family, step) @ _normalised(LINEAR[values].reshape(1, -1))[0]
        own = float(scores[4 * tag])
        scores[4 * tag] = -1.0
        in_play = scores.reshape(-1, 4)[self._rows_in_play]
        return Agreement(own, own - float(in_play.max()), own - float(scores.max()))

    def guesses(self, grey: Image, place: TagLike, side: float, blur: float, best: int = 3) -> list[Guess]:
        """The likeliest tags at a place, for a black square of about `side` pixels."""
        m = self.modules.shape[1]
        count = _PER_MODULE * (m + 1)
        size = count + 2 * _PER_MODULE * _SEARCHED
        spacing = side / m / _PER_MODULE
        cos, sin = math.cos(place.angle) * spacing, math.sin(place.angle) * spacing
        middle = (size - 1) / 2
        image_from_grid = np.array(
            [
                [cos, -sin, place.x - (cos - sin) * middle],
                [sin, cos, place.y - (sin + cos) * middle],
            ]
        )
        sampled = cv2.warpAffine(
            grey, image_from_grid, (size, size), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        )
        light = LINEAR[sampled]
        rows = _windows(self, _blur_step(blur * m / side))
        places = _likely(light, rows.mean(axis=0).reshape(count, count))
        windows = np.stack([light[y : y + count, x : x + count].ravel() for x, y in places])
        scores = rows @ _normalised(windows).T
        at = scores.argmax(axis=1)
        peaks = scores[np.arange(len(at)), at]
        square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (m * _PER_MODULE / 2)
        out = []
        for row in np.argsort(-peaks)[:best]:
            grid = np.roll(square, int(row % 4), axis=0) + places[at[row]] + (count - 1) / 2
            corners = grid @ image_from_grid[:, :2].T + image_from_grid[:, 2]
            out.append(Guess(float(peaks[row]), self.family, self.tags[row // 4], corners))
        return out


def _likely(light: Values, any_tag: Values) -> NDArray[np.intp]:
    """Where (x, y) in an upright patch something most like the average of all tags begins, (n, 2)."""
    scores = cv2.matchTemplate(light, any_tag, cv2.TM_CCOEFF_NORMED)
    height, width = scores.shape
    around: list[tuple[int, int]] = []
    for _ in range(_PEAKS):
        x, y = cv2.minMaxLoc(scores)[3]
        around += [
            (u, v)
            for u in range(max(x - 1, 0), min(x + 2, width))
            for v in range(max(y - 1, 0), min(y + 2, height))
        ]
        scores[max(y - 2, 0) : y + 3, max(x - 2, 0) : x + 3] = -1.0
    return np.array(around)


def _modules(family: str, tag: int) -> Values:
    modules = pattern(family, tag)
    assert modules is not None
    return modules


def _blur_step(modules: float) -> int:
    return int(np.clip(round(modules / _BLURS), 1, 12))


@lru_cache(maxsize=64)
def _windows(book: Codebook, step: int) -> Values:
    """Every tag in play four ways round, as the blurred picture shows it and its surroundings."""
    m = book.modules.shape[1]
    return _rows(book.modules, (np.arange(_PER_MODULE * (m + 1)) + 0.5) / _PER_MODULE - 0.5, step)


@lru_cache(maxsize=16)
def _inner(m: int) -> tuple[FloatArray, FloatArray]:
    """The centres of the inner modules of a tag with `m` a side, across and down, in the unit square."""
    at = (np.arange(1, m - 1) + 0.5) / m
    across, down = np.meshgrid(at, at)
    return across, down


@lru_cache(maxsize=16)
def _centres(family: str, step: int) -> Values:
    """Every tag of a family four ways round at the blurred centres of its inner modules."""
    modules = family_patterns(family).astype(np.float64)
    return _rows(modules, np.arange(1, modules.shape[1] - 1) + 0.5, step)


def _rows(modules: FloatArray, at: FloatArray, step: int) -> Values:
    """Tags (k, m, m) four ways round at places `at` (n,) across and down, (4 k, n n), normalised rows."""
    spread = _blurring(at, modules.shape[1], step * _BLURS)
    padded = np.pad(modules, ((0, 0), (1, 1), (1, 1)), constant_values=1.0)
    seen = spread @ padded @ spread.T
    ways = np.stack([np.rot90(seen, k, axes=(1, 2)) for k in range(4)], axis=1)
    return _normalised(ways.reshape(4 * len(seen), -1).astype(np.float32))


def _blurring(at: FloatArray, m: int, sigma: float) -> FloatArray:
    """How much of each module, white ones without end outside, is seen at each place, (n, m + 2)."""
    edges = np.arange(m + 1)
    below = np.array([[0.5 * (1 + math.erf((e - a) / sigma / math.sqrt(2))) for e in edges] for a in at])
    below = np.hstack([np.zeros((len(at), 1)), below, np.ones((len(at), 1))])
    return np.asarray(np.diff(below, axis=1))


def _normalised(rows: Values) -> Values:
    centred = rows - rows.mean(axis=1, keepdims=True)
    size = np.sqrt(np.einsum("ij,ij->i", centred, centred))
    return np.asarray(centred / np.maximum(size, 1e-6)[:, None], dtype=np.float32)


def tag_like(grey: Image, side: float, most: int) -> list[TagLike]:
    """Places where something square-ish and busy of about `side` pixels sits, strongest first.

    Gradients of a tag, and of a square, point four ways at right angles and about as much one way
    as the other; a straight edge has two ways only, cloth and hands have all.
    """
    scale = min(11.0 / side, 1.0)
    small = grey if scale == 1.0 else cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    gx = cv2.Sobel(small, cv2.CV_32F, 1, 0, ksize=3)
    gy = cv2.Sobel(small, cv2.CV_32F, 0, 1, ksize=3)
    along, across = gx * gx - gy * gy, 2.0 * gx * gy
    energy = gx * gx + gy * gy + 1.0
    reach = 2 * int(0.6 * side * scale) + 1

    def around(field: FloatArray | Values) -> Values:
        return np.asarray(cv2.boxFilter(field, -1, (reach, reach)), dtype=np.float32)

    whole = around(energy)
    four_x = around((along * along - across * across) / energy)
    four_y = around(2.0 * along * across / energy)
    one_sided = np.hypot(around(along), around(across)) / whole
    strength = np.hypot(four_x, four_y) * np.clip(1.0 - one_sided, 0.0, 1.0)
    apart = reach // 2 | 1
    peak = cv2.dilate(strength, np.ones((apart, apart), np.uint8))
    ys, xs = np.nonzero((strength >= peak) & (strength > 1.0))
    order = np.argsort(-strength[ys, xs])[:most]
    return [
        TagLike(
            (x + 0.5) / scale - 0.5,
            (y + 0.5) / scale - 0.5,
            math.atan2(float(four_y[y, x]), float(four_x[y, x])) / 4.0,
            float(strength[y, x]),
        )
        for y, x in zip(ys[order].tolist(), xs[order].tolist(), strict=True)
    ]
