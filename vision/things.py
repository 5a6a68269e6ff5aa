"""What lies on the table that nobody has named: what neither cloth nor a known piece explains.

The picture is laid flat on the table, so that everything counts in inches. The cloth has one colour, under
light that changes slowly; what is printed on it in one large piece, as a road, goes with it. Known pieces
hide what their footprints at their heights cover for the camera; a shadow is cloth that is darker; a hand
comes over the edge and goes again. What is left and stays for three seconds is a thing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely import Point, Polygon

from calibration.surface import Surface
from engine.space.geometry import FloatArray, Region
from engine.space.table import Standing, Status, Thing, ThingName
from vision.frame import Frame, Image
from vision.places import PlaceWatch, Verdict

Mask = NDArray[np.uint8]
Lab = NDArray[np.float32]

# Pixels an inch of the picture laid flat, and how far it reaches beyond the table's edge, inches.
PER_INCH, BEYOND_IN = 8, 1.0
# A picture is looked at this often, seconds, and what stays so long is a thing; what is gone so long is none.
LOOK_EVERY_S, STAYS_S, GONE_S = 0.5, 3.0, 1.0
# A colour is not the cloth's that is so far from it in Lab's a and b, or lighter by so much, in the cloth's
# own scatter and at the least; darker by so much a share no shadow is.
FAINT_IN, LEAST_FAINT = 0.25, 3.3
IN_SHADE, IN_GLARE = 0.7, 1.12
SCATTERS, LEAST_CHROMA, LEAST_LIGHTER, SHADOW, BLACK = 4.5, 7.0, 16.0, 0.42, 41.0
# The light on the cloth changes over so many inches, and its colour with it.
LIGHT_IN = 3.0
# What a piece covers is known no better than this, inches; paper is as wide as this beside the black square.
ROUND_PIECE_IN, PAPER = 0.22, 1.3
# A thing is no smaller, square inches, nor thinner, pixels laid flat; its parts are no farther apart, inches.
LEAST_AREA, THIN, CLOSES_IN = 0.3, 2, 0.3
# A sliver beside a piece, square inches, is its own edge or shade if so much of its rim lies there; a thin
# one at any size, and where so little of it is more than dark.
SLIVER, BESIDE, THIN_SLIVER_IN, SHADE, SHADES, AT_PIECE = 2.0, 0.3, 0.45, 0.35, 2.0, 0.1
# What lies for the most part so near to the table's edge is no more than that edge, inches.
AT_EDGE_IN, MOSTLY = 0.4, 0.6
# What is printed on a cloth is larger than things are, inches across, and of few colours; lines on it are
# thin, and what there are many of is printed, too.
PRINTED_IN, COMMON, LINES_IN, DASHES = 16.0, 0.08, 0.3, 5
# Two looks show the same thing if so much of it is the same.
SAME = 0.6
# At a thing's rim colours change by so much in Lab's a and b, or so much more in brightness, from what is so
# far inside of a ring to what is in it, inches.
LEAST_STEP, LIGHT_STEP, RING_IN = 2.5, 0.15, (0.15, 0.5)
# A part of what comes over the edge that looks like skin makes a hand of it.
SKIN = 0.25
# An arm is at least so long and no wider than so much in the mean, inches; it may rest for so many seconds.
ARM_IN, ARM_STAYS_S = (5.0, 6.0), 20.0
# How surely the edge of a thing is found, inches: where only its colour tells, at the best, and at the worst.
EDGE_SD_IN, SHARP_SD_IN, UNSEEN_SD_IN = 0.3, 0.05, 0.5
# The edge is drawn anew in the picture itself, in so many pixels an inch, as far from what was found and with
# so much of it taken for sure, inches; what is thinner than the last is no part of it.
FINE, ABOUT_IN, CORE_IN, HAIR_IN, MARGIN_IN = 16, 0.6, 0.15, 0.06, 1.25
# An edge drawn anew that encloses less or more than so much of what was found is none.
AS_LARGE = (0.6, 3.0)
# Where shadows are is seen beside pieces, within so many inches; their depth is that of the darkest tenth
# there, and what is darker still by so much a share no shadow is.
SHADED_IN, DARKEST, DARKER_STILL = 0.7, 0.1, 0.8
# Two pictures laid flat show the same if no quarter of an inch or so changed by so many levels, and nothing
# that is known went farther than this, inches.
SAME_LEVELS, SAME_IN = 8, 0.04
# What is printed is as wide as this, inches, or it is lines from end to end.
BROAD_IN = 0.5
# Below a piece goes on what shows on two sides of it, each no smaller, square inches.
LEAST_JOINED = 2.0


@dataclass(frozen=True, eq=False)
class Flat:
    """The table laid flat: `picture` (h, w, 3) BGR; pixel (0, 0) lies at `origin`, inches, rows go up."""

    picture: Image
    origin: tuple[float, float]

    def pixels(self, places: FloatArray) -> FloatArray:
        """Table points (n, 2), inches, as pixels (n, 2)."""
        return np.asarray((places - np.array(self.origin)) * PER_INCH)

    def places(self, pixels: FloatArray) -> FloatArray:
        """Pixels (n, 2) as table points (n, 2), inches."""
        return np.asarray(pixels / PER_INCH + np.array(self.origin))


class Flattener:
    """Lays pictures flat on the table; the way from pixel to pixel is worked out once for a surface."""

    def __init__(self) -> None:
        self._for: tuple[Surface, Region] | None = None
        self._maps: tuple[NDArray[np.int16], NDArray[np.uint16]] | None = None
        self._origin = (0.0, 0.0)

    def flat(self, image: Image, surface: Surface, region: Region) -> Flat:
        """A picture (h, w, 3) under a surface, as far as a region and a little beyond."""
        if (
            self._maps is None
            or self._for is None
            or self._for[1] is not region
            or not _same(self._for[0], surface)
        ):
            low, high = region.outline.min(axis=0) - BEYOND_IN, region.outline.max(axis=0) + BEYOND_IN
            w, h = np.ceil((high - low) * PER_INCH).astype(int) + 1
            xs, ys = np.meshgrid(np.arange(w) / PER_INCH + low[0], np.arange(h) / PER_INCH + low[1])
            places = surface.image_from_table(np.column_stack([xs.ravel(), ys.ravel()])).reshape(h, w, 2)
            across, down = (places[..., k].astype(np.float32) for k in (0, 1))
            maps = cv2.convertMaps(across, down, cv2.CV_16SC2)
            self._for = surface, region
            self._maps = np.asarray(maps[0], np.int16), np.asarray(maps[1], np.uint16)
            self._origin = float(low[0]), float(low[1])
        flat = cv2.remap(image, *self._maps, cv2.INTER_LINEAR)
        return Flat(np.asarray(flat, np.uint8), self._origin)


def _same(one: Surface, other: Surface) -> bool:
    """Whether two surfaces put the table at the same pixels, to a fraction of one."""
    if one is other:
        return True
    places = np.array([[0.0, 0.0], [30.0, 0.0], [0.0, 30.0]])
    return float(np.abs(one.image_from_table(places) - other.image_from_table(places)).max()) < 0.3


def covered(standing: Standing, surface: Surface) -> FloatArray:
    """What a piece covers of the table for the camera, (n, 2) inches: it, and what its top hides."""
    body = standing.piece.body
    low = standing.pose.to_table(body.footprint.outline)
    heights = [body.height]
    parts = [low]
    mount = standing.piece.mount
    if mount is not None:
        half = mount.size / 2 * PAPER
        square = np.array([(half, half), (half, -half), (-half, -half), (-half, half)])
        tag = standing.pose.compose(mount.body_from_tag).to_table(square)
        parts.append(surface.table_from_image(surface.image_from_table(tag, mount.height)))
        heights.append(mount.height)
    top = max(heights)
    parts.append(surface.table_from_image(surface.image_from_table(low, top)))
    hull = cv2.convexHull(np.concatenate(parts).astype(np.float32))
    return np.asarray(hull[:, 0], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Look:
    """One picture's parts that nothing explains, its bare cloth, and the table's edge: masks (h, w)."""

    flat: Flat
    blobs: tuple[Mask, ...]
    bare: Mask
    edge: Mask
    sure: Mask
    shady: Mask
    hidden: Mask
    view: Mask
    printed: Mask
    lab: Lab


def look(flat: Flat, region: Region, known: Iterable[FloatArray], placed: Iterable[FloatArray] = ()) -> Look:
    """What neither the cloth nor what is known, outlines (n, 2) in inches, explains.

    `placed` is known, too, but by its place alone: `view` and `bare` tell what is seen there.
    """
    h, w = flat.picture.shape[:2]
    table, hidden = np.zeros((h, w), np.uint8), np.zeros((h, w), np.uint8)
    cv2.fillPoly(table, [_spots(flat, region.outline)], 1)
    for outline in known:
        cv2.fillPoly(hidden, [_spots(flat, outline)], 1)
    view = _mask(table & (_mask(cv2.dilate(hidden, _disk(ROUND_PIECE_IN))) ^ 1))
    for outline in placed:
        cv2.fillPoly(hidden, [_spots(flat, outline)], 1)
    pieces = hidden
    hidden = _mask(cv2.dilate(hidden, _disk(ROUND_PIECE_IN)))
    free = _mask(table & (hidden ^ 1))
    smooth = cv2.GaussianBlur(flat.picture, (0, 0), 0.7)
    lab = cv2.cvtColor(smooth, cv2.COLOR_BGR2LAB).astype(np.float32)
    coloured, dark, shady = _foreign(lab, free)
    foreign = _mask((coloured | dark) & free)
    bare = _mask(view & ((coloured | dark) ^ 1))
    printed = _printed(lab, foreign, hidden)
    free = _mask(free & (printed ^ 1))
    foreign = _mask(cv2.morphologyEx(_mask(foreign & free), cv2.MORPH_OPEN, np.ones((THIN, THIN), np.uint8)))
    foreign = _mask(_mask(cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, _disk(CLOSES_IN))) & free)
    beside = _mask(cv2.dilate(_mask(hidden | printed), np.ones((5, 5), np.uint8)))
    edge = _mask(table ^ _mask(cv2.erode(table, _disk(AT_EDGE_IN), borderValue=0)))
    seen = _Seen(flat.picture, lab, free, coloured, shady, beside, edge)
    contours, _ = cv2.findContours(foreign, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    large = [np.asarray(c, np.int32) for c in contours if cv2.contourArea(c) >= LEAST_AREA * PER_INCH**2]
    blobs = [_filled(c, (h, w)) for c in large if not _explained(seen, c)]
    return Look(
        flat,
        tuple(_without_dashes(lab, blobs)),
        bare,
        edge,
        _mask(coloured | dark),
        shady,
        pieces,
        view,
        printed,
        lab,
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """What a picture shows where: colours, and masks (h, w)."""

    picture: Image
    lab: Lab
    free: Mask
    coloured: Mask
    shady: Mask
    beside: Mask
    edge: Mask

    def part(self, x: int, y: int, w: int, h: int) -> _Seen:
        """A rectangle of it."""
        return _Seen(*(getattr(self, f.name)[y : y + h, x : x + w] for f in fields(self)))


def _explained(whole: _Seen, contour: NDArray[np.int32]) -> bool:
    """Whether what has this contour is a piece's own edge or shade, the table's edge, a glare or a hand."""
    margin = math.ceil(RING_IN[1] * PER_INCH) + 1
    x, y, w, h = cv2.boundingRect(contour)
    x, y, w, h = max(x - margin, 0), max(y - margin, 0), w + 2 * margin, h + 2 * margin
    seen = whole.part(x, y, w, h)
    rim = contour[:, 0] - (x, y)
    blob = _filled(rim[:, None], seen.free.shape)
    area = cv2.contourArea(contour) / PER_INCH**2
    at_piece = float((seen.beside[rim[:, 1], rim[:, 0]] > 0).mean())
    thick = 2.0 * area * PER_INCH / max(len(rim), 1)
    if at_piece > BESIDE and (area < SLIVER or thick < THIN_SLIVER_IN):
        return True
    if at_piece > 0.0 and float(seen.coloured[blob > 0].mean()) < SHADE:
        return True
    if at_piece > AT_PIECE and float(seen.shady[blob > 0].mean()) > MOSTLY:
        return True
    if _step(seen.lab, blob, seen.free) < LEAST_STEP:
        return True
    if not (seen.edge[rim[:, 1], rim[:, 0]] > 0).any():
        return False
    return float(seen.edge[blob > 0].mean()) > MOSTLY or _skin(seen.picture[blob > 0]) > SKIN


def _filled(contour: NDArray[np.int32], shape: tuple[int, ...]) -> Mask:
    """What a contour encloses, as a mask."""
    blob = np.zeros(shape[:2], np.uint8)
    cv2.drawContours(blob, [np.ascontiguousarray(contour, np.int32)], -1, 1, cv2.FILLED)
    return blob


def _mask(image: Any) -> Mask:
    """What OpenCV or NumPy made, as a mask."""
    return np.asarray(image, np.uint8)


def _disk(radius: float) -> Mask:
    """A disk of so many inches for OpenCV's morphology."""
    size = 2 * max(1, round(radius * PER_INCH)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def _spots(flat: Flat, places: FloatArray) -> NDArray[np.int32]:
    return np.rint(flat.pixels(places)).astype(np.int32).reshape(-1, 1, 2)


def _foreign(lab: Lab, free: Mask) -> tuple[Mask, Mask, Mask]:
    """Where a picture is not the cloth, by its colour or brightness, and where by darkness: (h, w) of ones.

    The third is where a shadow in another light may be. `free` is where the cloth may be seen.
    """
    nowhere = np.zeros(free.shape, np.uint8)
    few = lab[::4, ::4][free[::4, ::4] > 0]
    if len(few) < 100:
        return nowhere, nowhere, nowhere
    a, b = _mode(few[:, 1:].astype(np.float64))
    # What the cloth looks like is found out on every fourth pixel.
    some, seen = lab[::4, ::4], free[::4, ::4] > 0
    cloth = seen & (np.hypot(some[..., 1] - a, some[..., 2] - b) < 2.0 * LEAST_CHROMA)
    local, far, faint, lighter = some, LEAST_CHROMA, LEAST_FAINT, LEAST_LIGHTER
    for _ in range(2):
        if not cloth.any():
            return nowhere, nowhere, nowhere
        local = _smoothed(some, cloth)
        chroma, light, broad = _off(some, local, FAINT_IN * PER_INCH / 4)
        faint = max(LEAST_FAINT, SCATTERS * float(np.median(broad[cloth])))
        far = max(LEAST_CHROMA, SCATTERS * float(np.median(chroma[cloth])))
        lighter = max(LEAST_LIGHTER, SCATTERS * 1.48 * float(np.median(np.abs(light[cloth]))))
        cloth = seen & (chroma <= far) & (light <= lighter) & (some[..., 0] >= SHADOW * local[..., 0])
    local = np.asarray(cv2.resize(local, lab.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)
    chroma, light, broad = _off(lab, local, FAINT_IN * PER_INCH)
    share = lab[..., 0] / np.maximum(local[..., 0], 1.0)
    black = min(SHADOW, DARKER_STILL * _depth_of_shade(share, chroma < SHADES * far, free))
    plain = _mask((chroma > far) | (light > lighter))
    # What is faint is seen a little beyond its edge: beside what is plain it tells nothing new.
    pale = (broad > faint) & (chroma > faint / 2) & (share > IN_SHADE) & (share < IN_GLARE)
    pale &= cv2.dilate(plain, _disk(FAINT_IN)) == 0
    shady = (share >= black) & (share < IN_SHADE) & (chroma < SHADES * far)
    return _mask(plain | pale), _mask(share < black), _mask(shady)


def _depth_of_shade(share: NDArray[np.floating[Any]], like_cloth: NDArray[np.bool_], free: Mask) -> float:
    """How dark shadows are in this light, as a share of the cloth's own: the median beside what is known."""
    hidden = _mask(free ^ 1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(hidden, connectivity=8)
    reach, depths = math.ceil(SHADED_IN * PER_INCH), []
    about = _mask(cv2.dilate(hidden, _disk(SHADED_IN)))
    for k in range(1, count):
        x, y, w, h, _ = stats[k].tolist()
        if max(w, h) > PRINTED_IN * PER_INCH:
            continue
        here = np.s_[max(y - reach, 0) : y + h + reach, max(x - reach, 0) : x + w + reach]
        beside = (about[here] & free[here] > 0) & like_cloth[here]
        if beside.any():
            depths.append(float(np.quantile(share[here][beside], DARKEST / 2)))
    return float(np.median(depths)) if depths else 1.0


def _off(lab: Lab, local: Lab, broad: float) -> tuple[Lab, Lab, Lab]:
    """How far colours are from the cloth's in a and b, how much lighter, and how far all about: (h, w).

    In a shadow the cloth's a and b shrink with its light. What is off in the mean of `broad` pixels shows
    colours that the cloth's own grain hides.
    """
    light = lab[..., 0] - local[..., 0]
    dimmed = np.minimum((lab[..., 0] + BLACK) / (local[..., 0] + BLACK), 1.0)
    a, b = (lab[..., k] - 128.0 - (local[..., k] - 128.0) * dimmed for k in (1, 2))
    about = (cv2.GaussianBlur(v, (0, 0), broad) for v in (a, b))
    return np.asarray(cv2.magnitude(a, b), np.float32), light, np.asarray(cv2.magnitude(*about), np.float32)


def _mode(chroma: FloatArray) -> tuple[float, float]:
    """The commonest a and b of (n, 2)."""
    counts, xs, ys = np.histogram2d(chroma[:, 0], chroma[:, 1], bins=64, range=[[0, 256], [0, 256]])
    i, j = np.unravel_index(int(cv2.GaussianBlur(counts, (3, 3), 0).argmax()), counts.shape)
    near = (np.abs(chroma - [xs[i] + 2.0, ys[j] + 2.0]) < 6.0).all(axis=1)
    middle = chroma[near].mean(axis=0) if near.any() else np.array([xs[i], ys[j]])
    return float(middle[0]), float(middle[1])


def _smoothed(lab: Lab, cloth: NDArray[np.bool_]) -> Lab:
    """The cloth's colour as the light on it has it: its mean about each pixel (h, w, 3)."""
    weights, step = cloth.astype(np.float32), 2
    h, w = weights.shape
    small = (w // step, h // step)
    share = cv2.resize(weights, small, interpolation=cv2.INTER_AREA)
    sums = cv2.resize(lab * weights[..., None], small, interpolation=cv2.INTER_AREA)
    sigma = LIGHT_IN * PER_INCH / 4 / step
    share, sums = cv2.GaussianBlur(share, (0, 0), sigma), cv2.GaussianBlur(sums, (0, 0), sigma)
    whole = sums.sum(axis=(0, 1)) / max(float(share.sum()), 1e-6)
    mixed = (sums + 1e-3 * whole) / (share + 1e-3)[..., None]
    return np.asarray(cv2.resize(mixed, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def _printed(lab: Lab, foreign: Mask, hidden: Mask) -> Mask:
    """Where something is printed on the cloth: of the colours of what is far larger than things are.

    What is thin and no larger than things are is not printed, whatever it touches, as a fence at a road. It
    goes on below what is `hidden`.
    """
    labels, boxes = _joined(lab, foreign, hidden)
    printed = np.zeros_like(foreign)
    for k, (x, y, w, h) in boxes.items():
        if max(w, h) <= PRINTED_IN * PER_INCH:
            continue
        part = labels[y : y + h, x : x + w] == k
        colours = lab[y : y + h, x : x + w][part]
        bins = (colours // (16.0, 8.0, 8.0)).astype(np.int32)
        cells, counts = np.unique(bins @ np.array([1024, 32, 1]), return_counts=True)
        close = np.zeros(len(colours), bool)
        for cell in np.flatnonzero(counts > COMMON * len(colours)):
            code = int(cells[cell])
            middle = np.array([code // 1024, code // 32 % 32, code % 32]) * (16.0, 8.0, 8.0) + (8.0, 4.0, 4.0)
            close |= (np.abs(colours - middle) < (20.0, 8.0, 8.0)).all(axis=1)
        alike = np.zeros(part.shape, np.uint8)
        alike[part] = close
        # Lines on it, too.
        alike = _mask(cv2.morphologyEx(alike, cv2.MORPH_CLOSE, _disk(LINES_IN)))
        below = hidden[y : y + h, x : x + w]
        broad = _mask(cv2.morphologyEx(_mask(alike | below), cv2.MORPH_OPEN, _disk(BROAD_IN)))
        rest = _mask(alike & (_mask(cv2.dilate(broad, _disk(LINES_IN))) ^ 1))
        several, parts, sizes, _ = cv2.connectedComponentsWithStats(rest, connectivity=8)
        small = np.zeros(several, np.uint8)
        for n in range(1, several):
            small[n] = max(sizes[n, cv2.CC_STAT_WIDTH], sizes[n, cv2.CC_STAT_HEIGHT]) < PRINTED_IN * PER_INCH
        printed[y : y + h, x : x + w] |= alike & (small[parts] ^ 1)
    return _mask(cv2.dilate(printed, _disk(LINES_IN)))


def _joined(
    lab: Lab, foreign: Mask, hidden: Mask
) -> tuple[NDArray[np.int32], dict[int, tuple[int, int, int, int]]]:
    """The connected parts of a mask as labels (h, w), and about each the box (x, y, w, h), pixels.

    Two large parts of one colour that come out from below the same piece are one.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(foreign, connectivity=8)
    large = [k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= LEAST_JOINED * PER_INCH**2]
    one_of = np.arange(count)
    _, below = cv2.connectedComponents(hidden, connectivity=8)
    near = cv2.dilate(below.astype(np.float32), _disk(LINES_IN)).astype(np.int32)
    touched = {k: set(np.unique(near[labels == k]).tolist()) - {0} for k in large}
    colours = {k: np.median(lab[labels == k], axis=0) for k in large}
    for a, b in itertools.combinations(large, 2):
        alike = (np.abs(colours[a] - colours[b]) < (30.0, 8.0, 8.0)).all()
        if alike and touched[a] & touched[b]:
            one_of[one_of == one_of[b]] = one_of[a]
    boxes: dict[int, tuple[int, int, int, int]] = {}
    for k in range(1, count):
        x, y, w, h, _ = stats[k].tolist()
        to = int(one_of[k])
        if to in boxes:
            x0, y0, w0, h0 = boxes[to]
            low, high = (min(x, x0), min(y, y0)), (max(x + w, x0 + w0), max(y + h, y0 + h0))
            x, y, w, h = *low, high[0] - low[0], high[1] - low[1]
        boxes[to] = x, y, w, h
    return np.asarray(one_of[labels], np.int32), boxes


def _without_dashes(lab: Lab, blobs: Sequence[Mask]) -> list[Mask]:
    """All but what there are many alike of, as the dashes of a printed road."""
    if len(blobs) < DASHES:
        return list(blobs)
    facts = np.array([[*(6.0 * np.log([float(b.sum())])), *(lab[b > 0].mean(axis=0) / 8.0)] for b in blobs])
    off = np.abs(facts[:, None] - facts[None])
    dashes = (off.max(axis=2) < 2.0).sum(axis=1) >= DASHES
    if not dashes.any():
        return list(blobs)
    # One that is partly hidden, or joined to another, is one of them, too.
    like = (off[:, dashes, 1:].max(axis=2) < 3.0) & (off[:, dashes, 0] < 6.0)
    return [b for b, same in zip(blobs, like.any(axis=1), strict=True) if not same]


def _step(lab: Lab, blob: Mask, free: Mask) -> float:
    """By how much colours change at a blob's rim: little where the light alone changes."""
    near, far = cv2.dilate(blob, _disk(RING_IN[0])), cv2.dilate(blob, _disk(RING_IN[1]))
    ring = (far > 0) & (near == 0) & (free > 0)
    if not ring.any():
        return math.inf
    inside, beside = np.median(lab[blob > 0], axis=0), np.median(lab[ring], axis=0)
    return float(np.hypot(*(inside - beside)[1:]) + abs(inside[0] - beside[0]) * LIGHT_STEP)


def _skin(colours: NDArray[np.uint8]) -> float:
    """The share of pixels (n, 3) BGR that may be skin."""
    tones = cv2.cvtColor(colours[None], cv2.COLOR_BGR2YCrCb)[0]
    skin = (tones[:, 1] > 138) & (tones[:, 1] < 178) & (tones[:, 2] > 80) & (tones[:, 2] < 128)
    return float(skin.mean())


@dataclass(frozen=True, eq=False)
class _Seeing:
    """A look, outlines (n, 2), inches, with deviations, of what has stayed long enough, and places."""

    look: Look
    outlines: tuple[tuple[Mask, FloatArray | None, float], ...]
    places: Mapping[str, Verdict]


@dataclass
class _Track:
    """Something that looks have shown: since when, when last, and what it is called once it is a thing."""

    blob: Mask
    since: float
    seen_at: float
    bare_since: float | None = None
    colour: FloatArray | None = None
    thing: Thing | None = None
    answered: bool = False


class ThingWatch:
    """Looks at the table now and then, and keeps what stays on it unexplained.

    With `beside` pictures are looked at in a thread of their own. Answers come from any thread. `places` are
    watched in the same looks; `quiet`: they alone are, and nobody is told of things.
    """

    def __init__(
        self,
        region: Region,
        flat_tags: Iterable[FloatArray] = (),
        *,
        beside: bool = False,
        places: PlaceWatch | None = None,
        quiet: bool = False,
    ) -> None:
        self._region = region
        self.places = PlaceWatch() if places is None else places
        self._quiet = quiet
        self._changed: list[str] = []
        self._settled: set[str] = set()
        self._tags = [paper(corners) for corners in flat_tags]
        self._pool = ThreadPoolExecutor(1, "things") if beside else None
        self._looking: tuple[float, Future[_Seeing]] | None = None
        self._last: tuple[Image, Sequence[FloatArray], Look, Mapping[str, Verdict]] | None = None
        self._flattener = Flattener()
        self._looked_at = -math.inf
        self._tracks: list[_Track] = []
        self._named = 0

    @property
    def things(self) -> tuple[Thing, ...]:
        """What stays on the table unexplained, and that nobody has said to be nothing."""
        if self._quiet:
            return ()
        return tuple(t.thing for t in list(self._tracks) if t.thing is not None and not t.answered)

    def update(
        self, frame: Frame, surface: Surface, standings: Sequence[Standing], laid: Iterable[FloatArray] = ()
    ) -> tuple[Thing, ...]:
        """Takes a frame in which the camera hangs still; `laid` are outlines of what a game laid, inches."""
        if self._looking is not None and self._looking[1].done():
            (time, done), self._looking = self._looking, None
            self._take(time, done.result())
        if self._looking is None and frame.time >= self._looked_at + LOOK_EVERY_S - 1e-6:
            self._looked_at = frame.time
            moving = any(s.status is Status.MOVING for s in standings)
            known = [covered(s, surface) for s in standings if s.status is not Status.LOST]
            old = frame.time - STAYS_S + 1e-6
            ripe = [t.blob for t in self._tracks if t.thing is None and t.since <= old]
            asked = frame, surface, [*known, *self._tags, *laid], ripe
            if self._pool is None:
                self._take(frame.time, self._look(*asked))
            elif not moving:
                with suppress(RuntimeError):
                    self._looking = frame.time, self._pool.submit(self._look, *asked)
        return self.things

    def changes(self) -> list[str]:
        """Names of the pieces without a tag that went from their places, or are there again, since last."""
        changed, self._changed = self._changed, []
        return changed

    def settle(self, name: str) -> bool:
        """A thing is a piece from now on, and watched by its place; False if there is none of that name."""
        found = self.answer(name)
        self._settled.add(name)
        return found

    def answer(self, name: str) -> bool:
        """Somebody says that a thing is in nobody's way; False if there is none of that name."""
        found = [t for t in list(self._tracks) if t.thing is not None and t.thing.name == name]
        for track in found:
            track.answered = True
        return bool(found)

    def forget(self) -> None:
        """The camera hangs elsewhere: nothing is where it was in the picture."""
        self._tracks = []
        self.places.forget()

    def close(self) -> None:
        """Ends what runs beside. May be called twice."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _look(
        self, frame: Frame, surface: Surface, known: Sequence[FloatArray], ripe: Sequence[Mask]
    ) -> _Seeing:
        image = frame.image
        if image.ndim == 2:
            image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
        flat = self._flattener.flat(image, surface, self._region)
        placed = self.places.outlines(surface)
        quarter = (flat.picture.shape[1] // 4, flat.picture.shape[0] // 4)
        small = _mask(cv2.resize(flat.picture, quarter, interpolation=cv2.INTER_AREA))
        last = self._last
        everything = [*known, *placed]
        if last is not None and _alike(last[0], small) and _alike_known(last[1], everything):
            seen, verdicts = last[2:]
        else:
            seen = look(flat, self._region, known, placed)
            spots = {name: _spots(flat, outline) for name, outline in self.places.spots(surface).items()}
            verdicts = self.places.look(flat.picture, spots, seen.sure, seen.view, PER_INCH)
            self._last = small, everything, seen, verdicts
        shown = [b for b in seen.blobs if any(_share(r, b) >= SAME for r in ripe if r.shape == b.shape)]
        shown = [] if self._quiet else shown
        return _Seeing(seen, tuple((b, *outlined(image, surface, seen, b)) for b in shown), verdicts)

    def _take(self, time: float, seeing: _Seeing) -> None:
        seen = seeing.look
        self._changed += self.places.take(time, seeing.places)
        shape = seen.bare.shape
        tracks = [
            t
            for t in self._tracks
            if t.blob.shape == shape and not (t.thing is not None and t.thing.name in self._settled)
        ]
        left = list(seen.blobs)
        for track in tracks:
            best = max(left, key=lambda blob: _share(track.blob, blob), default=None)
            if best is not None and _share(track.blob, best) >= SAME:
                left = [b for b in left if b is not best]
                track.seen_at, track.bare_since = time, None
                stays = ARM_STAYS_S if _is_arm(best, seen.edge) else STAYS_S
                if track.thing is None and time - track.since >= stays - 1e-6:
                    drawn = [(o, sd) for blob, o, sd in seeing.outlines if blob is best and o is not None]
                    if drawn:
                        self._named += 1
                        (outline, sd) = drawn[0]
                        track.thing = Thing(ThingName(f"Thing {self._named}"), Region(outline), sd)
                track.blob, track.colour = best, _colour(seen.lab, best)
            elif _bare_again(seen, track):
                track.bare_since = time if track.bare_since is None else track.bare_since
            else:
                track.bare_since = None
        self._tracks = [t for t in tracks if not self._is_gone(t, time)]
        self._tracks += [_Track(blob, time, time, colour=_colour(seen.lab, blob)) for blob in left]

    @staticmethod
    def _is_gone(track: _Track, time: float) -> bool:
        """A thing goes when its place is seen bare; what is none yet when it is not seen again."""
        if track.thing is None:
            return time - track.seen_at > GONE_S
        return track.bare_since is not None and time - track.bare_since >= GONE_S


def _colour(lab: Lab, blob: Mask) -> FloatArray:
    """The colour of a blob in Lab, the median of each."""
    return np.asarray(np.median(lab[blob > 0], axis=0), dtype=np.float64)


def _bare_again(seen: Look, track: _Track) -> bool:
    """Whether the table shows where something was: the cloth, or what is printed on it, in another colour."""
    inside = track.blob > 0
    bare, printed = seen.bare[inside] > 0, (seen.printed & seen.view)[inside] > 0
    if float(bare.mean()) > SAME:
        return True
    if track.colour is None or float((bare | printed).mean()) <= SAME:
        return False
    off = np.abs(_colour(seen.lab, track.blob) - track.colour)
    return bool(np.hypot(off[1], off[2]) + off[0] * LIGHT_STEP >= 2.0 * LEAST_STEP)


def _is_arm(blob: Mask, edge: Mask) -> bool:
    """Whether it reaches over the table's edge as an arm does: long, and no wider than one."""
    if not (blob & edge).any():
        return False
    (_, size, _) = cv2.minAreaRect(np.argwhere(blob > 0).astype(np.float32))
    long = max(size) / PER_INCH
    return bool(long >= ARM_IN[0] and cv2.countNonZero(blob) / PER_INCH**2 <= ARM_IN[1] * long)


def paper(corners: FloatArray) -> FloatArray:
    """The paper of a tag on the table whose black square has these corners (4, 2), inches."""
    middle = corners.mean(axis=0)
    return np.asarray((corners - middle) * PAPER + middle)


def _share(one: Mask, other: Mask) -> float:
    """How much of two masks is the same: intersection over union."""
    both = int(cv2.countNonZero(one & other))
    return both / max(int(cv2.countNonZero(one | other)), 1)


def _alike(one: Image, other: Image) -> bool:
    """Whether two small pictures show the same."""
    return one.shape == other.shape and int(cv2.absdiff(one, other).max()) <= SAME_LEVELS


def _alike_known(before: Sequence[FloatArray], now: Sequence[FloatArray]) -> bool:
    """Whether what is known covers the same."""
    return len(before) == len(now) and all(
        a.shape == b.shape and float(np.abs(a - b).max()) <= SAME_IN for a, b in zip(before, now, strict=True)
    )


def outlined(image: Image, surface: Surface, seen: Look, blob: Mask) -> tuple[FloatArray | None, float]:
    """The outline of a blob, (n, 2) inches, drawn in the picture itself, and its deviation, inches.

    What surely belongs to it and what lies about it are each taken as a few colours; between them the edge
    goes where colours change (`cv2.grabCut`). How far it goes from where the look had it, and how much of it
    lies beside pieces and shadows, says how clear it is.
    """
    flat = seen.flat
    rough = _polygon(flat.places(_rim(blob)))
    x, y, w, h = cv2.boundingRect(blob)
    corners = np.array([(x, y), (x + w, y + h)], np.float64) + MARGIN_IN * PER_INCH * np.array([[-1], [1]])
    low, high = flat.places(corners)
    w, h = (int(n) + 1 for n in np.ceil((high - low) * FINE))
    xs, ys = np.meshgrid(np.arange(w) / FINE + low[0], np.arange(h) / FINE + low[1])
    places = surface.image_from_table(np.column_stack([xs.ravel(), ys.ravel()])).reshape(h, w, 2)
    crop = cv2.remap(image, places.astype(np.float32), None, cv2.INTER_LINEAR)  # type: ignore[call-overload]
    crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), 0.8), np.uint8)
    scale = FINE / PER_INCH
    move = np.column_stack([np.eye(2) * scale, -corners[0] * scale])

    def fine(mask: Mask) -> Mask:
        return _mask(cv2.warpAffine(mask, move, (w, h), flags=cv2.INTER_NEAREST))

    def disk(radius: float) -> Mask:
        size = 2 * max(1, round(radius * FINE)) + 1
        return _mask(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))

    found, hidden = fine(blob), fine(seen.hidden)
    labels = np.full((h, w), cv2.GC_PR_BGD, np.uint8)
    labels[cv2.dilate(found, disk(ABOUT_IN)) == 0] = cv2.GC_BGD
    labels[found > 0] = cv2.GC_PR_FGD
    core = _mask(_mask(cv2.erode(found, disk(CORE_IN))) & fine(seen.sure))
    labels[(core if core.any() else _mask(found & fine(seen.sure))) > 0] = cv2.GC_FGD
    labels[hidden > 0] = cv2.GC_BGD
    if rough is None or not (labels == cv2.GC_FGD).any() or not (labels == cv2.GC_BGD).any():
        return (None if rough is None else _ring(rough)), EDGE_SD_IN
    # The rectangle is not looked at where there is a mask.
    models = np.zeros((1, 65)), np.zeros((1, 65))
    cv2.grabCut(crop, labels, (0, 0, 1, 1), *models, 3, cv2.GC_INIT_WITH_MASK)
    cut = _mask((labels == cv2.GC_FGD) | (labels == cv2.GC_PR_FGD))
    cut = _mask(cv2.morphologyEx(cut, cv2.MORPH_OPEN, disk(HAIR_IN)))
    if not cut.any():
        return _ring(rough), EDGE_SD_IN
    rim = _rim(cut)
    edge = _polygon(rim / FINE + low)
    if edge is None or not AS_LARGE[0] < edge.area / max(rough.area, 1e-9) < AS_LARGE[1]:
        return _ring(rough), EDGE_SD_IN
    spots = np.rint(rim).astype(int)
    # Beside a piece or a shadow the edge is not seen.
    dim = _mask(cv2.dilate(_mask(hidden | (fine(seen.shady) & (found ^ 1))), disk(CORE_IN)))
    unseen = float((dim[spots[:, 1], spots[:, 0]] > 0).mean())
    line = rough.exterior
    apart = float(np.quantile([line.distance(Point(p)) for p in (rim / FINE + low)[::4]], 0.95))
    return _ring(edge), float(np.clip(max(apart / 2.0, unseen), SHARP_SD_IN, UNSEEN_SD_IN))


def _rim(blob: Mask) -> FloatArray:
    """The contour of a blob's largest part, (n, 2) pixels: through the middles of its outermost pixels."""
    contours, _ = cv2.findContours(blob, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return max(contours, key=cv2.contourArea)[:, 0].astype(np.float64)


def _polygon(outline: FloatArray) -> Polygon | None:
    """A thing's outline with no more corners than it needs; None if it encloses nothing."""
    if len(outline) < 3:
        return None
    polygon = Polygon(outline).buffer(0)
    if not isinstance(polygon, Polygon):
        polygon = max(polygon.geoms, key=lambda p: p.area)
    polygon = polygon.simplify(0.25 / FINE)
    return polygon if isinstance(polygon, Polygon) and polygon.area > 0 else None


def _ring(polygon: Polygon) -> FloatArray:
    return np.array(polygon.exterior.coords)[:-1]
