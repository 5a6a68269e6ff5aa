"""A thing cut out of its picture along its edges: parts of one colour, each of the thing or of the table.

A part's mean colour is known far better than a pixel's: what is a thing's own dark side, and what is a shadow
that it casts, differs by less than the grain of a cloth.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.background import BLACK
from vision.flat import Lab, Mask, as_mask, labelled, middle_of, parts_of
from vision.frame import Image

# A shadow: the share of the light that it leaves, and by how much it changes a and b.
Shade = tuple[float, float, float]

# An edge is where colours change by so many times what they change by on the cloth; a part is no smaller than
# so many pixels, and its colour weighs as that of so many at most.
EDGE, LEAST_PIXELS, MOST_PIXELS = 2.2, 8, 400
# How far the mean colour of a part of the table is off, in Lab's a and b and as shares of its brightness; how
# much lighter than about it it may be; what is more unlike costs no more.
CHROMA_SD, LIGHT_SD, LIGHTER, MOST = 1.6, 0.04, 1.06, 6.0
# A shadow is no darker than those beside known pieces by so much a share.
DEEPER = 0.85
# What a thing costs for being one, and where it was found: to take its shadow for it does less harm than to
# take its side for a shadow; what shade costs, and below which share of the light it begins.
THING, IN_CORE, SHADE, SHADED = 1.5, 0.8, 0.6, 0.92
# Whether parts are one is told by their edge: what a pixel of it costs where it is not seen.
UNSEEN = 0.12
# What is thin is a ridge between two edges: colours change less along it than beside it.
RIDGE = 0.85


def parts(
    crop: Image,
    cloth: Lab,
    prints: Sequence[tuple[Mask, Lab]],
    bare: Mask,
    shadow: Shade,
    core: Mask,
    far: Mask,
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """Labels (h, w) from 1 on of a crop's parts, what each costs as table, and how clear edges are (h, w)."""
    lab = cv2.cvtColor(crop, cv2.COLOR_BGR2LAB).astype(np.float32)
    weighed = lab * np.array([0.6, 1.2, 1.2], np.float32)
    across, down = (cv2.Sobel(weighed, cv2.CV_32F, *way, scale=0.125) for way in ((1, 0), (0, 1)))
    change = np.sqrt(cv2.transform(across**2 + down**2, np.ones((1, 3), np.float32)))
    usual = max(middle_of(change[bare > 0]) if bare.any() else 0.0, 0.6)
    clear = np.clip(change / usual / EDGE - 0.5, 0.0, 1.0).astype(np.float64)
    ground = as_mask(change < EDGE * usual)
    off = unlike(lab, cloth, shadow)
    # Half-way across an edge colours are those of both sides: that is no part.
    ridge = change < RIDGE * cv2.dilate(change, np.ones((5, 5), np.uint8))
    markers = _with_thin(_seeds(ground, core, far), np.where(ridge, off, 0.0))
    labels = _grown(markers, weighed)
    return labels, _costs(labels, ground, lab, cloth, prints, shadow), clear


def _seeds(ground: Mask, core: Mask, far: Mask) -> NDArray[np.int32]:
    """What is of one colour between edges, numbered from 1 on, (h, w): thing or table, not both."""
    _, labels, stats = parts_of(ground, 4)
    small = stats[:, cv2.CC_STAT_AREA] < LEAST_PIXELS
    markers = np.where(small[labels], 0, labels)
    markers[ground == 0] = 0
    markers = _renumbered(markers)
    # Where an edge is not seen the thing runs out into the table: then the clearest way between counts.
    count = int(markers.max()) + 1
    both = (np.bincount(markers[core > 0], minlength=count) > 0) & (
        np.bincount(markers[far > 0], minlength=count) > 0
    )
    both[0] = False
    leaks = both[markers]
    markers[leaks & (core == 0) & (far == 0)] = 0
    markers[leaks & (core > 0)] += count
    return markers


def _with_thin(markers: NDArray[np.int32], off: NDArray[np.float64]) -> NDArray[np.int32]:
    """Markers, and as parts of their own what is all edge, as a handle, where its colour is plain."""
    thin = as_mask((off >= MOST) & (cv2.dilate(as_mask(markers > 0), np.ones((3, 3), np.uint8)) == 0))
    _, more, stats = parts_of(thin)
    keep = stats[:, cv2.CC_STAT_AREA] >= LEAST_PIXELS // 2
    keep[0] = False
    return np.where(keep[more], more + markers.max(), markers).astype(np.int32)


def _grown(markers: NDArray[np.int32], weighed: Lab) -> NDArray[np.int32]:
    """Labels (h, w) from 1 on: markers grown until they meet where colours change most."""
    tones = np.ascontiguousarray(np.clip(weighed - (0, 26, 26), 0, 255).astype(np.uint8))
    tones = cv2.bilateralFilter(tones, 9, 14.0, 3.0)
    labels = cv2.watershed(np.ascontiguousarray(tones), markers.copy())
    # The lines between parts belong to one of them.
    grown = cv2.dilate(np.maximum(labels, 0).astype(np.float32), np.ones((3, 3), np.uint8)).astype(np.int32)
    return _renumbered(np.where(labels < 1, grown, labels)) + 1


def _renumbered(labels: NDArray[np.integer]) -> NDArray[np.int32]:
    """Labels (h, w), none below 0, numbered from 0 on without a gap, in the same order."""
    there = np.bincount(labels.ravel()) > 0
    return np.take(np.cumsum(there, dtype=np.int32) - np.int32(1), labels)


def _costs(
    labels: NDArray[np.int32],
    ground: Mask,
    lab: Lab,
    cloth: Lab,
    prints: Sequence[tuple[Mask, Lab]],
    shadow: Shade,
) -> NDArray[np.float64]:
    """How unlike the cloth below, or what is printed there, the mean colour of each part is.

    `prints` are masks of where each print may be, and its colours there.
    """
    count = int(labels.max()) + 1
    # A part's colour is that of its inside: at its edge others mix in.
    many = np.bincount(labels[ground > 0], minlength=count) >= LEAST_PIXELS
    counted = (ground > 0) | ~np.take(many, labels)
    own = labels[counted]
    n = np.maximum(np.bincount(own, minlength=count), 1)

    def mean(of: Lab) -> NDArray[np.float64]:
        return np.stack([np.bincount(own, plane[counted], count) / n for plane in cv2.split(of)], axis=1)

    colours = mean(lab)
    costs = unlike(colours[None], mean(cloth)[None], shadow)[0]
    for zone, ground_there in prints:
        there = np.bincount(own, zone[counted], count) / n > 0.5
        as_print = unlike(colours[None], mean(ground_there)[None], shadow)[0]
        costs = np.where(there, np.minimum(costs, as_print), costs)
    return np.asarray(costs, np.float64)


def unlike(lab: NDArray[np.floating], ground: NDArray[np.floating], shadow: Shade) -> NDArray[np.float64]:
    """How unlike the ground in any shade colours are, half squared deviations."""
    # In Lab a shade takes the same share of what is above black, however dark the ground is.
    share = (lab[..., 0] + BLACK) / (ground[..., 0] + BLACK)
    dimmed = np.minimum(share, 1.0)
    a, b = (lab[..., k] - 128.0 - (ground[..., k] - 128.0) * dimmed for k in (1, 2))
    # A shadow is lit by what light there is beside the lamp's, which has another colour.
    shade = np.clip((1.0 - share) / max(1.0 - shadow[0], 0.1), 0.0, 1.2)
    a, b = a - shadow[1] * shade, b - shadow[2] * shade
    off = (a * a + b * b) / CHROMA_SD**2
    off = (
        off
        + (np.maximum(share - LIGHTER, 0.0) / LIGHT_SD) ** 2
        + (np.maximum(DEEPER * shadow[0] - share, 0.0) / LIGHT_SD) ** 2
    )
    costs = off / 2.0 + np.where(share < SHADED, SHADE, 0.0)
    return np.asarray(np.minimum(costs, MOST), np.float64)


def cut(
    labels: NDArray[np.int32], costs: NDArray[np.float64], clear: NDArray[np.float64], core: Mask, never: Mask
) -> Mask:
    """What of labelled parts is the thing that `core` is in, (h, w): neither where it may never be."""
    count = len(costs)
    sizes = np.bincount(labels.ravel(), minlength=count)
    weights = np.minimum(sizes, MOST_PIXELS) / 20.0
    out = np.bincount(labels[never > 0], minlength=count) / np.maximum(sizes, 1)
    table = weights * costs
    in_core = np.bincount(labels[core > 0], minlength=count) / np.maximum(sizes, 1)
    # What was found may be its shadow: to lie within that tells no more than a little.
    thing = np.where(out > 0.5, 1e6, weights * np.where(in_core > 0.3, IN_CORE, THING))
    ends, edges = [], []
    for one, other, seen in (
        (labels[:, :-1], labels[:, 1:], np.maximum(clear[:, :-1], clear[:, 1:])),
        (labels[:-1], labels[1:], np.maximum(clear[:-1], clear[1:])),
    ):
        differ = one != other
        ends.append(np.minimum(one, other)[differ] * count + np.maximum(one, other)[differ])
        edges.append(UNSEEN * (1.0 - seen[differ]))
    codes, which = np.unique(np.concatenate(ends), return_inverse=True)
    sums = np.bincount(which, np.concatenate(edges), len(codes))
    pairs = {divmod(int(code), count): float(cost) for code, cost in zip(codes, sums, strict=True)}
    beside: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for (a, b), cost in pairs.items():
        beside[a].append((b, cost))
        beside[b].append((a, cost))
    is_thing = thing < table
    for _ in range(10):
        before = is_thing.copy()
        for k in range(1, count):
            as_thing = thing[k] + sum(c for n, c in beside[k] if not is_thing[n])
            as_table = table[k] + sum(c for n, c in beside[k] if is_thing[n])
            is_thing[k] = as_thing < as_table
        if (before == is_thing).all():
            break
    several, joined = labelled(as_mask(is_thing[labels]))
    keep = np.zeros(several, np.uint8)
    keep[np.unique(joined[core > 0])] = 1
    keep[0] = 0
    return as_mask(keep[joined] & (never ^ 1))
