"""What a picture shows on the table that neither cloth nor a known piece explains.

The cloth has one colour, under light that changes slowly; what is printed on it in one large piece, as a
road, goes with it. Known pieces hide what their footprints at their heights cover for the camera; a shadow is
cloth that is darker; a hand comes over the edge.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.space.geometry import FloatArray, Region
from vision.background import BLACK, Background, Likeness
from vision.flat import PER_INCH, Flat, Lab, Mask, as_mask, box_of, disk, filled, rim_of, spots
from vision.frame import Image

# A colour is not the cloth's that is so far from it in Lab's a and b, or lighter by so much, in the cloth's
# own scatter and at the least; darker by so much a share no shadow is.
FAINT_IN, LEAST_FAINT = 0.25, 3.3
IN_SHADE, IN_GLARE = 0.7, 1.12
SCATTERS, LEAST_CHROMA, LEAST_LIGHTER, SHADOW = 4.5, 7.0, 16.0, 0.42
# The light on the cloth changes over so many inches, and its colour with it.
LIGHT_IN = 3.0
# What a piece covers is known no better than this, inches.
ROUND_PIECE_IN = 0.22
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
# A thin one is seen together with its shadow: so much of both has a colour of its own.
THIN_SURE = 0.15, 0.7
# At a thing's rim colours change by so much in Lab's a and b, or so much more in brightness, from what is so
# far inside of a ring to what is in it, inches.
LEAST_STEP, LIGHT_STEP, RING_IN = 2.5, 0.15, (0.15, 0.5)
# An edge is where colours change by so many times what they change by on the cloth, the first where it goes
# on and the second somewhere, and at the least by these in L, a and b a pixel; it is closed over gaps of so
# many pixels. What it frames is no smaller, square inches.
EDGE, LEAST_CHANGES, GAP, LEAST_FRAMED = (2.2, 3.5), (1.0, 0.2, 0.2), 5, 0.3
# What has the colour of what it lies on is no smaller, and shows its edge on so much of its rim.
LEAST_EDGED, EDGED, THICK_IN = 1.0, 0.8, 0.4
# It is no shadow of what lies beside it if it is no darker by so much a share.
DIM = 0.8
# A part of what comes over the edge that looks like skin makes a hand of it.
SKIN, SKIN_LIGHT = 0.25, 140.0
# Where shadows are is seen beside pieces, within so many inches; their depth is that of the darkest tenth
# there, and what is darker still by so much a share no shadow is.
SHADED_IN, DARKEST, DARKER_STILL = 0.7, 0.1, 0.8
# What is printed is as wide as this, inches, or it is lines from end to end.
BROAD_IN = 0.5
# Below a piece goes on what shows on two sides of it, each no smaller, square inches.
LEAST_JOINED = 2.0


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
    smooth: Image
    likeness: Likeness | None


def look(
    flat: Flat,
    region: Region,
    known: Iterable[FloatArray],
    placed: Iterable[FloatArray] = (),
    before: Background | None = None,
) -> Look:
    """What neither the cloth nor what is known, outlines (n, 2) in inches, explains.

    `placed` is known, too, but by its place alone: `view` and `bare` tell what is seen there. `before` is
    how the bare table looked before.
    """
    h, w = flat.picture.shape[:2]
    table, hidden = np.zeros((h, w), np.uint8), np.zeros((h, w), np.uint8)
    cv2.fillPoly(table, [spots(flat, region.outline)], 1)
    for outline in known:
        cv2.fillPoly(hidden, [spots(flat, outline)], 1)
    view = as_mask(table & (as_mask(cv2.dilate(hidden, disk(ROUND_PIECE_IN))) ^ 1))
    for outline in placed:
        cv2.fillPoly(hidden, [spots(flat, outline)], 1)
    pieces = hidden
    hidden = as_mask(cv2.dilate(hidden, disk(ROUND_PIECE_IN)))
    free = as_mask(table & (hidden ^ 1))
    smooth = np.asarray(cv2.GaussianBlur(flat.picture, (0, 0), 0.7), np.uint8)
    lab = cv2.cvtColor(smooth, cv2.COLOR_BGR2LAB).astype(np.float32)
    edge = as_mask(table ^ as_mask(cv2.erode(table, disk(AT_EDGE_IN), borderValue=0)))
    coloured, dark, shady = _foreign(lab, free)
    change = _change(lab, free)
    framed = _framed(lab, change, free)
    coloured |= framed
    likeness = None
    if before is not None and before.cloth.shape == free.shape:
        likeness = before.held_against(smooth, lab, free)
        coloured &= likeness.in_shade ^ 1
        dark &= likeness.bare ^ 1
    foreign = as_mask((coloured | dark) & free)
    if likeness is None:
        printed = _printed(lab, foreign, hidden)
    else:
        # Where cloth was seen nothing is printed, as large and straight as a sleeve there may be.
        covered = likeness.covered
        printed = as_mask(_printed(lab, as_mask(foreign & (covered ^ 1)), hidden) & (covered ^ 1))
        printed |= likeness.printed & free
    edged = np.zeros_like(printed)
    if printed.any():
        edged = _on_prints(_Parts(lab, change, foreign, printed, shady, free, hidden, edge))
    coloured |= edged
    foreign |= edged
    printed &= edged ^ 1
    bare = as_mask(view & ((coloured | dark) ^ 1))
    free = as_mask(free & (printed ^ 1))
    foreign = as_mask(
        cv2.morphologyEx(as_mask(foreign & free), cv2.MORPH_OPEN, np.ones((THIN, THIN), np.uint8))
    )
    foreign = as_mask(as_mask(cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, disk(CLOSES_IN))) & free)
    thin = _thin(as_mask((coloured | dark) & free), as_mask(shady & free), foreign, hidden)
    foreign |= thin
    # What is thin, or has an edge of its own, was told from a print already.
    told = as_mask(cv2.dilate(as_mask(thin | edged), disk(2.0 * LINES_IN)))
    near = as_mask(printed & (told ^ 1))
    beside = as_mask(cv2.dilate(as_mask(hidden | near), np.ones((5, 5), np.uint8)))
    seen = _Seen(flat.picture, lab, free, coloured, dark, shady, beside, edge)
    contours, _ = cv2.findContours(foreign, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    large = [np.asarray(c, np.int32) for c in contours if cv2.contourArea(c) >= LEAST_AREA * PER_INCH**2]
    left = [c for c in large if _mostly(edged, c) or not _explained(seen, c)]
    blobs = [filled(c, (h, w)) for c in left]
    return Look(
        flat,
        tuple(_without_dashes(lab, blobs)),
        bare,
        edge,
        as_mask(coloured | dark),
        shady,
        pieces,
        view,
        printed,
        lab,
        smooth,
        likeness,
    )


@dataclass(frozen=True, eq=False)
class _Seen:
    """What a picture shows where: colours, and masks (h, w)."""

    picture: Image
    lab: Lab
    free: Mask
    coloured: Mask
    dark: Mask
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
    blob = filled(rim[:, None], seen.free.shape)
    area = cv2.contourArea(contour) / PER_INCH**2
    at_piece = float((seen.beside[rim[:, 1], rim[:, 0]] > 0).mean())
    thick = 2.0 * area * PER_INCH / max(len(rim), 1)
    if at_piece > BESIDE and (area < SLIVER or thick < THIN_SLIVER_IN):
        return True
    # What is darker than shadows are is a piece's own shade beside it alone.
    black = at_piece < AT_PIECE and float(seen.dark[blob > 0].mean()) > MOSTLY
    if at_piece > 0.0 and not black and float(seen.coloured[blob > 0].mean()) < SHADE:
        return True
    if at_piece > AT_PIECE and float(seen.shady[blob > 0].mean()) > MOSTLY:
        return True
    if _step(seen.lab, blob, seen.free) < LEAST_STEP:
        return True
    if not (seen.edge[rim[:, 1], rim[:, 0]] > 0).any():
        return False
    return float(seen.edge[blob > 0].mean()) > MOSTLY or skin_share(seen.picture[blob > 0]) > SKIN


def _mostly(mask: Mask, contour: NDArray[np.int32]) -> bool:
    """Whether most of what a contour encloses is in a mask."""
    x, y, w, h = cv2.boundingRect(contour)
    blob = filled(contour - (x, y), (h, w))
    return cv2.countNonZero(mask[y : y + h, x : x + w] & blob) > MOSTLY * cv2.countNonZero(blob)


def _foreign(lab: Lab, free: Mask) -> tuple[Mask, Mask, Mask]:
    """Where a picture is not the cloth, by its colour or brightness, and where by darkness: (h, w) of ones.

    The third is where a shadow in another light may be. `free` is where the cloth may be seen.
    """
    nowhere = np.zeros(free.shape, np.uint8)
    # What the cloth looks like is found out on every fourth pixel.
    some, seen = np.ascontiguousarray(lab[::4, ::4]), free[::4, ::4] > 0
    few = some[seen]
    if len(few) < 100:
        return nowhere, nowhere, nowhere
    a, b = _mode(few[:, 1:].astype(np.float64))
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
    share = cv2.extractChannel(lab, 0) / np.maximum(cv2.extractChannel(local, 0), 1.0)
    black = min(SHADOW, DARKER_STILL * _depth_of_shade(share, chroma < SHADES * far, free))
    plain = as_mask((chroma > far) | (light > lighter))
    # What is faint is seen a little beyond its edge: beside what is plain it tells nothing new.
    pale = (broad > faint) & (chroma > faint / 2) & (share > IN_SHADE) & (share < IN_GLARE)
    pale &= cv2.dilate(plain, disk(FAINT_IN)) == 0
    shady = (share >= black) & (share < IN_SHADE) & (chroma < SHADES * far)
    return as_mask(plain | pale), as_mask(share < black), as_mask(shady)


def _change(lab: Lab, free: Mask) -> Lab:
    """How much colours change from pixel to pixel, in squares of what they change by on the cloth: (h, w)."""
    soft = cv2.GaussianBlur(lab, (0, 0), 1.0)
    across, down = (cv2.Sobel(soft, cv2.CV_32F, *way, scale=0.125) for way in ((1, 0), (0, 1)))
    changes = np.asarray(across**2 + down**2, np.float32)
    few = changes[::4, ::4][free[::4, ::4] > 0]
    if len(few) < 100:
        return np.zeros(free.shape, np.float32)
    usual = np.maximum(np.median(few, axis=0), np.square(LEAST_CHANGES)).astype(np.float32)
    return np.asarray(cv2.transform(changes, 1.0 / (3.0 * usual[None])), np.float32)


def _edges(change: Lab) -> Mask:
    """Where colours change more than anywhere on the cloth, as far as they change more than mostly there."""
    several, lines = cv2.connectedComponents(as_mask(change > EDGE[0] ** 2), connectivity=8)
    clear = np.zeros(several, np.uint8)
    clear[lines[change > EDGE[1] ** 2]] = 1
    clear[0] = 0
    return as_mask(clear[lines])


def _framed(lab: Lab, change: Lab, free: Mask) -> Mask:
    """What an edge goes all around and whose colour is not that outside: (h, w) of ones.

    The cloth's own clouds, and the light on it, hide a faint thing pixel by pixel; but they have no edges. A
    shadow has one, too, and the colour of the cloth in it.
    """
    found, edge = np.zeros(free.shape, np.uint8), _edges(change)
    ground = as_mask(free & (as_mask(cv2.dilate(edge, np.ones((GAP, GAP), np.uint8))) ^ 1))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ground, connectivity=4)
    # An edge is some pixels wide, and its middle is where the thing ends.
    grown, about_it = (np.ones((2 * n + 1, 2 * n + 1), np.uint8) for n in (GAP - 1, 2 * GAP + 1))
    reach = 2 * GAP + 1
    for k in range(1, count):
        x, y, w, h, area = stats[k].tolist()
        if area < LEAST_FRAMED * PER_INCH**2 or max(w, h) > PRINTED_IN * PER_INCH:
            continue
        here = np.s_[max(y - reach, 0) : y + h + reach, max(x - reach, 0) : x + w + reach]
        own_mask = as_mask(labels[here] == k)
        inside = as_mask(cv2.dilate(own_mask, grown))
        ring = as_mask(as_mask(cv2.dilate(own_mask, about_it)) & ground[here] & (own_mask ^ 1))
        if not ring.any():
            continue
        own, about = (np.median(lab[here][m > 0], axis=0) for m in (inside, ring))
        off = float(_off(own[None, None], about[None, None], 0.0)[0][0, 0])
        # The deeper a shadow is, the more of its colour comes from elsewhere.
        least = LEAST_STEP if own[0] > IN_SHADE * about[0] else LEAST_CHROMA / 2
        if off > least or own[0] > IN_GLARE * about[0]:
            found[here] |= inside
    return as_mask(found & free)


@dataclass(frozen=True, eq=False)
class _Parts:
    """What is known of a picture before things on its prints are looked for: each (h, w)."""

    lab: Lab
    change: Lab
    foreign: Mask
    printed: Mask
    shady: Mask
    free: Mask
    hidden: Mask
    edge: Mask


def _on_prints(parts: _Parts) -> Mask:
    """What lies on a print and has its colour, or another one on more than a line: (h, w) of ones."""
    printed, free = parts.printed, parts.free
    like = _like_ground(parts.lab, parts.foreign, printed, free)
    beside = as_mask(printed ^ 1)
    others = as_mask(
        cv2.morphologyEx(as_mask(parts.foreign & beside), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    )
    others = _no_smaller(others, LEAST_AREA)
    arms = _touching(others, parts.edge)
    shade = _no_smaller(as_mask(parts.shady & free & beside), LEAST_AREA)
    casting = as_mask(parts.hidden | parts.edge | others | shade)
    edged = _edged(parts.lab, parts.change, as_mask(like & printed), free, casting, arms)
    # Lines are printed on a print; what is wider and has another colour lies on it.
    about = as_mask(cv2.morphologyEx(printed, cv2.MORPH_CLOSE, disk(BROAD_IN)))
    patch = as_mask(
        cv2.morphologyEx(as_mask(about & free & (like ^ 1)), cv2.MORPH_CLOSE, np.ones((THIN, THIN), np.uint8))
    )
    patch = as_mask(as_mask(cv2.morphologyEx(patch, cv2.MORPH_OPEN, disk(THICK_IN))) & about & free)
    patch = _no_smaller(patch, LEAST_EDGED)
    return as_mask(edged | as_mask(patch & (_touching(patch, as_mask(cv2.dilate(arms, disk(LINES_IN)))) ^ 1)))


def _like_ground(lab: Lab, foreign: Mask, printed: Mask, free: Mask) -> Mask:
    """Where the cloth, or a print in its commonest colour, is in any shade: (h, w) of ones."""
    like = as_mask(free & (as_mask(foreign | printed) ^ 1))
    print_ = as_mask(printed & free)
    some = print_[::4, ::4] > 0
    if some.any():
        few = lab[::4, ::4]
        middle = np.median(few[some], axis=0)
        main = some & (np.abs(few - middle) < (LEAST_LIGHTER, LEAST_CHROMA, LEAST_CHROMA)).all(axis=2)
        if main.any():
            small = _smoothed(few, main)
            local = np.asarray(
                cv2.resize(small, lab.shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32
            )
            chroma, light, _ = _off(lab, local, 0.0)
            like |= as_mask(print_ & as_mask((chroma < LEAST_CHROMA) & (light < LEAST_LIGHTER)))
    return like


def _edged(lab: Lab, change: Lab, like: Mask, free: Mask, casting: Mask, arms: Mask) -> Mask:
    """What has an edge of its own nearly all around and the colour of what it lies on: (h, w) of ones.

    A box of the cloth's or a print's own colour shows its sides alone. What lies beside something that casts
    shadows is one of them.
    """
    found = np.zeros(free.shape, np.uint8)
    # What has another colour has edges, too.
    others = as_mask(cv2.dilate(like ^ 1, np.ones((GAP + 2, GAP + 2), np.uint8)))
    few = change[as_mask(like & (others ^ 1)) > 0]
    if len(few) < 100:
        return found
    edges, usual = _edges(change / max(float(np.median(few)), 1.0)), float(np.median(lab[..., 0][like > 0]))
    thick, around = (
        as_mask(cv2.dilate(e, np.ones((GAP, GAP), np.uint8))) for e in (edges & (others ^ 1), edges)
    )
    beside = np.ones((2 * GAP - 1, 2 * GAP - 1), np.uint8)
    candidates = [*_boxed(as_mask(like & (around ^ 1)), beside), *_hulls(thick, beside)]
    for (x, y), mask in candidates:
        h, w = mask.shape
        here = np.s_[y : y + h, x : x + w]
        rim = rim_of(mask).astype(int)
        at = thick[here][rim[:, 1], rim[:, 0]] > 0
        told = at | (others[here][rim[:, 1], rim[:, 0]] == 0)
        if at.sum() < EDGED * told.sum() or told.mean() < 0.3:
            continue
        near = as_mask(cv2.dilate(as_mask(casting[here] & (mask ^ 1)), beside))
        inside = as_mask(cv2.erode(mask, beside))
        own = lab[here][..., 0][inside > 0]
        if (as_mask(cv2.dilate(arms[here], beside)) & mask).any():
            continue
        if not (near & mask).any() or (len(own) and np.median(own) >= DIM * usual):
            found[here] |= mask
    return as_mask(as_mask(cv2.morphologyEx(found, cv2.MORPH_CLOSE, disk(BROAD_IN))) & free)


def _touching(mask: Mask, other: Mask) -> Mask:
    """What of a mask is connected and touches another one."""
    count, labels = cv2.connectedComponents(mask, connectivity=8)
    keep = np.zeros(count, np.uint8)
    keep[np.unique(labels[other > 0])] = 1
    keep[0] = 0
    return as_mask(keep[labels])


def _no_smaller(mask: Mask, area: float) -> Mask:
    """What of a mask is connected and no smaller than so many square inches."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    keep = as_mask(stats[:, cv2.CC_STAT_AREA] >= area * PER_INCH**2)
    keep[0] = 0
    return as_mask(keep[labels])


def _boxed(ground: Mask, grown: Mask) -> Iterator[tuple[tuple[int, int], Mask]]:
    """What edges part from the rest of the ground: each mask (h, w) and the pixel (x, y) of its corner."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ground, connectivity=4)
    for k in range(1, count):
        x, y, w, h, area = stats[k].tolist()
        if area < GAP or max(w, h) > PRINTED_IN * PER_INCH:
            continue
        low = max(x - GAP, 0), max(y - GAP, 0)
        mask = as_mask(cv2.dilate(as_mask(labels[low[1] : y + h + GAP, low[0] : x + w + GAP] == k), grown))
        mask = filled(rim_of(mask).astype(np.int32)[:, None], mask.shape)
        if int(mask.sum()) >= LEAST_EDGED * PER_INCH**2:
            yield low, mask


def _hulls(edge: Mask, joining: Mask) -> Iterator[tuple[tuple[int, int], Mask]]:
    """What edges that lie beside each other stand around, in the same way."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        as_mask(cv2.dilate(edge, joining)), connectivity=8
    )
    for k in range(1, count):
        x, y, w, h, _ = stats[k].tolist()
        if max(w, h) > PRINTED_IN * PER_INCH or w * h < LEAST_EDGED * PER_INCH**2:
            continue
        own = as_mask(as_mask(labels[y : y + h, x : x + w] == k) & edge[y : y + h, x : x + w])
        hull = np.asarray(cv2.convexHull(np.argwhere(own)[:, ::-1].astype(np.int32)), np.int32)
        wide = min(cv2.minAreaRect(hull)[1]) / PER_INCH
        if cv2.contourArea(hull) >= LEAST_EDGED * PER_INCH**2 and wide >= BROAD_IN:
            yield (x, y), filled(hull, own.shape)


def _thin(sure: Mask, shady: Mask, foreign: Mask, hidden: Mask) -> Mask:
    """What is too thin to be seen alone, as a fence: a shadow that nothing known casts, and colours in it."""
    found = np.zeros(sure.shape, np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(as_mask(sure | shady), connectivity=8)
    beside = as_mask(cv2.dilate(hidden, disk(LINES_IN)))
    _, parts, sizes, _ = cv2.connectedComponentsWithStats(foreign, connectivity=8)
    seen = sizes[:, cv2.CC_STAT_AREA] >= LEAST_AREA * PER_INCH**2
    seen[0] = False
    for k in range(1, count):
        x, y, w, h, area = stats[k].tolist()
        if area < LEAST_AREA * PER_INCH**2 or max(w, h) > PRINTED_IN * PER_INCH:
            continue
        here = np.s_[y : y + h, x : x + w]
        own = labels[here] == k
        by_itself = bool(seen[parts[here][own]].any())
        of_colour = float(sure[here][own].mean())
        if by_itself or not THIN_SURE[0] <= of_colour <= THIN_SURE[1]:
            continue
        if not (beside[here] & own).any():
            found[here] |= own
    return found


def _depth_of_shade(share: NDArray[np.floating[Any]], like_cloth: NDArray[np.bool_], free: Mask) -> float:
    """How dark shadows are in this light, as a share of the cloth's own: the median beside what is known."""
    hidden = as_mask(free ^ 1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(hidden, connectivity=8)
    reach, depths = math.ceil(SHADED_IN * PER_INCH), []
    about = as_mask(cv2.dilate(hidden, disk(SHADED_IN)))
    for k in range(1, count):
        x, y, w, h, _ = stats[k].tolist()
        if max(w, h) > PRINTED_IN * PER_INCH:
            continue
        here = np.s_[max(y - reach, 0) : y + h + reach, max(x - reach, 0) : x + w + reach]
        beside = (about[here] & free[here] > 0) & like_cloth[here]
        if beside.any():
            shares = np.sort(share[here][beside])
            depths.append(float(np.interp(DARKEST / 2 * (len(shares) - 1), np.arange(len(shares)), shares)))
    return float(np.median(depths)) if depths else 1.0


def _off(lab: Lab, local: Lab, broad: float) -> tuple[Lab, Lab, Lab]:
    """How far colours are from the cloth's in a and b, how much lighter, and how far all about: (h, w).

    In a shadow the cloth's a and b shrink with its light. What is off in the mean of `broad` pixels shows
    colours that the cloth's own grain hides.
    """
    # Planes by themselves are gone through in half the time.
    (now, *colours), (then, *there) = cv2.split(lab), cv2.split(local)
    light, dimmed = now - then, np.minimum((now + BLACK) / (then + BLACK), 1.0)
    a, b = (of - 128.0 - (was - 128.0) * dimmed for of, was in zip(colours, there, strict=True))
    about = (cv2.GaussianBlur(v, (0, 0), broad) for v in (a, b)) if broad else (a, b)
    return np.asarray(cv2.magnitude(a, b), np.float32), light, np.asarray(cv2.magnitude(*about), np.float32)


def _mode(chroma: FloatArray) -> tuple[float, float]:
    """The commonest a and b of (n, 2)."""
    cells = (chroma // 4.0).astype(np.intp)
    counts = np.bincount(cells @ (64, 1), minlength=64 * 64).reshape(64, 64).astype(np.float64)
    commonest = np.unravel_index(int(cv2.GaussianBlur(counts, (3, 3), 0).argmax()), counts.shape)
    low = 4.0 * np.array(commonest)
    near = (np.abs(chroma - (low + 2.0)) < 6.0).all(axis=1)
    middle = chroma[near].mean(axis=0) if near.any() else low
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
    """Where something is printed on the cloth: a few colours, each from end to end larger than things are.

    What is no larger than things are is not printed, whatever it touches, as a book or a fence on a road. A
    print goes on below what is `hidden`, and below what is no larger than things are.
    """
    labels, boxes = _joined(foreign, hidden)
    printed = np.zeros_like(foreign)
    for k, (x, y, w, h) in boxes.items():
        if max(w, h) <= PRINTED_IN * PER_INCH:
            continue
        here = np.s_[y : y + h, x : x + w]
        part = as_mask(labels[here] == k)
        for alike in _common(lab[here], part):
            printed[here] |= _large(as_mask(alike), part, hidden[here])
    return as_mask(cv2.dilate(printed, disk(LINES_IN)))


def _common(lab: Lab, part: Mask) -> list[Mask]:
    """The commonest colours of a part, each with those beside it: masks (h, w)."""
    inside = part > 0
    colours = lab[inside]
    steps, tolerance = np.array([16.0, 8.0, 8.0]), (20.0, 8.0, 8.0)
    codes = (colours // steps).astype(np.int32) @ np.array([1024, 32, 1])
    cells, counts = np.unique(codes, return_counts=True)
    common = cells[counts > COMMON * len(colours)]
    middles = (np.column_stack([common // 1024, common // 32 % 32, common % 32]) + 0.5) * steps
    # Cells that touch are one colour.
    group = np.arange(len(middles))
    for i, j in itertools.combinations(range(len(middles)), 2):
        if (np.abs(middles[i] - middles[j]) < steps * 1.5).all():
            group[group == group[j]] = group[i]
    masks = []
    for which in np.unique(group):
        close = np.zeros(len(colours), bool)
        for middle in middles[group == which]:
            close |= (np.abs(colours - middle) < tolerance).all(axis=1)
        mask = np.zeros(part.shape, np.uint8)
        mask[inside] = close
        masks.append(mask)
    return masks


def _large(alike: Mask, part: Mask, hidden: Mask) -> Mask:
    """What of one colour in a part is printed: from end to end larger than things are, or broken by them."""
    # Lines on it, too.
    alike = as_mask(cv2.morphologyEx(alike, cv2.MORPH_CLOSE, disk(LINES_IN)))
    broad = as_mask(cv2.morphologyEx(as_mask(alike | hidden), cv2.MORPH_OPEN, disk(BROAD_IN)))
    broad = as_mask(alike & as_mask(cv2.dilate(broad, disk(LINES_IN))))
    others = as_mask(cv2.morphologyEx(as_mask(part & (alike ^ 1)), cv2.MORPH_OPEN, disk(LINES_IN)))
    covering = as_mask(hidden | _by_size(others, larger=False))
    joining = as_mask(broad | as_mask(cv2.dilate(covering, disk(LINES_IN))))
    return as_mask(_by_size(broad, joined=joining) | _by_size(as_mask(alike & (broad ^ 1))))


def _by_size(mask: Mask, *, joined: Mask | None = None, larger: bool = True) -> Mask:
    """What of a mask is larger than things are from end to end, or what is not.

    With `joined` what that joins is one.
    """
    count, labels = cv2.connectedComponents(mask if joined is None else joined, connectivity=8)
    labels = labels * mask
    keep = np.zeros(count, np.uint8)
    for n in np.unique(labels[labels > 0]):
        _, _, w, h = cv2.boundingRect(as_mask(labels == n))
        keep[n] = (max(w, h) > PRINTED_IN * PER_INCH) == larger
    return as_mask(keep[labels])


def _joined(foreign: Mask, hidden: Mask) -> tuple[NDArray[np.int32], dict[int, tuple[int, int, int, int]]]:
    """The connected parts of a mask as labels (h, w), and about each the box (x, y, w, h), pixels.

    Two large parts that come out from below the same piece are one.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(foreign, connectivity=8)
    large = [k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= LEAST_JOINED * PER_INCH**2]
    one_of = np.arange(count)
    if len(large) > 1:
        _, below = cv2.connectedComponents(hidden, connectivity=8)
        near = cv2.dilate(below.astype(np.float32), disk(LINES_IN)).astype(np.int32)
        boxes_of = {k: _box(stats[k]) for k in large}
        touched = {k: set(np.unique(near[b][labels[b] == k]).tolist()) - {0} for k, b in boxes_of.items()}
        for a, b in itertools.combinations(large, 2):
            if touched[a] & touched[b]:
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


def _box(stats: NDArray[np.int32]) -> tuple[slice, slice]:
    """The rows and columns of a part of which OpenCV says where it begins and how large it is."""
    x, y, w, h, _ = stats.tolist()
    return slice(y, y + h), slice(x, x + w)


def _without_dashes(lab: Lab, blobs: Sequence[Mask]) -> list[Mask]:
    """All but what there are many alike of, as the dashes of a printed road."""
    if len(blobs) < DASHES:
        return list(blobs)
    colours = [lab[here][b[here] > 0] for b, here in ((b, box_of(b)) for b in blobs)]
    facts = np.array([[6.0 * math.log(len(few)), *(few.mean(axis=0) / 8.0)] for few in colours])
    off = np.abs(facts[:, None] - facts[None])
    dashes = (off.max(axis=2) < 2.0).sum(axis=1) >= DASHES
    if not dashes.any():
        return list(blobs)
    # One that is partly hidden, or joined to another, is one of them, too.
    like = (off[:, dashes, 1:].max(axis=2) < 3.0) & (off[:, dashes, 0] < 6.0)
    return [b for b, same in zip(blobs, like.any(axis=1), strict=True) if not same]


def _step(lab: Lab, blob: Mask, free: Mask) -> float:
    """By how much colours change at a blob's rim: little where the light alone changes."""
    near, far = cv2.dilate(blob, disk(RING_IN[0])), cv2.dilate(blob, disk(RING_IN[1]))
    ring = (far > 0) & (near == 0) & (free > 0)
    if not ring.any():
        return math.inf
    inside, beside = np.median(lab[blob > 0], axis=0), np.median(lab[ring], axis=0)
    return float(np.hypot(*(inside - beside)[1:]) + abs(inside[0] - beside[0]) * LIGHT_STEP)


def skin_share(colours: NDArray[np.uint8]) -> float:
    """The share of pixels (n, 3) BGR that may be skin."""
    # In little light all colours are near to grey.
    scale = SKIN_LIGHT / max(float(np.median(colours.mean(axis=1))), 20.0)
    lit = np.clip(colours.astype(np.float32) * scale, 0, 255).astype(np.uint8)
    tones = cv2.cvtColor(lit[None], cv2.COLOR_BGR2YCrCb)[0]
    skin = (tones[:, 1] > 138) & (tones[:, 1] < 178) & (tones[:, 2] > 80) & (tones[:, 2] < 128)
    return float(skin.mean())
