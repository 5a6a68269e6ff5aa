"""The colours of a ground, as cloth or what is printed on it, under a light that changes slowly over it.

And what is dark, stands alone on it and is no shadow. A shadow begins at what casts it. What is bounded as
sharply as a thing, has an edge all around and touches neither a piece nor anything else that is seen is a
thing with the very colour of its ground.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.background import BLACK
from vision.flat import PER_INCH, Lab, Mask, as_mask, disk, filled, middle_of, parts_of, rim_of

# A colour is not a ground's that is so far from it in Lab's a and b, or lighter by so much, in the ground's
# own scatter and at the least.
SCATTERS, LEAST_CHROMA, LEAST_LIGHTER = 4.5, 7.0, 16.0
# What is darker by so much a share is in a shade, and may be off in a and b by so many times as much.
IN_SHADE, SHADES = 0.7, 2.0
# The light on a ground changes over so many inches, and its colour with it. What it looks like is found out
# on every fourth pixel.
LIGHT_IN, EVERY = 3.0, 4
# What is printed on a cloth is larger than things are, inches across; it is as wide as the second, inches, or
# it is lines from end to end. It is seen a little beyond its edge, inches.
PRINTED_IN, BROAD_IN, LINES_IN = 16.0, 0.5, 0.3
# What has no more than such shares of its ground's light is looked at: a thing is whole at one of them, and
# nearly the same at the next. In the median it is darker than the last.
LEVELS, LIGHTEST = (0.6, 0.7, 0.78, 0.85, 0.9), 0.8
# From one to the next its rim moves by no more than so much, inches. It is no smaller, square inches, fills
# so much of its hull, and has an edge on so much of its rim.
SHARP_IN, LEAST_AREA, COMPACT, EDGED = 0.125, 1.0, 0.7, 0.8
# What nobody named may have sides that are not seen, and casts shadows so far beside what is seen, inches.
UNSEEN_SIDE_IN = 0.7
# What is so much of it within what is dark, and no larger a share of that, is a part of it.
OWN, PART = 0.8, 0.35
# How dark the shadow in a part is tells one of so many hundredths of it.
IN_SHADOW = 25.0


def smoothed(lab: Lab, cloth: NDArray[np.bool_]) -> Lab:
    """Tell a ground's colour as the light on it has it: its mean about each pixel (h, w, 3).

    `lab` is every fourth pixel, `cloth` where it shows the ground.
    """
    weights, step = cloth.astype(np.float32), 2
    h, w = weights.shape
    small = (w // step, h // step)
    share = cv2.resize(weights, small, interpolation=cv2.INTER_AREA)
    sums = cv2.resize(lab * weights[..., None], small, interpolation=cv2.INTER_AREA)
    sigma = LIGHT_IN * PER_INCH / EVERY / step
    share, sums = cv2.GaussianBlur(share, (0, 0), sigma), cv2.GaussianBlur(sums, (0, 0), sigma)
    whole = sums.sum(axis=(0, 1)) / max(float(share.sum()), 1e-6)
    mixed = (sums + 1e-3 * whole) / (share + 1e-3)[..., None]
    return np.asarray(cv2.resize(mixed, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def in_full(few: Lab, shape: tuple[int, ...]) -> Lab:
    """Spread what every fourth pixel tells over all (h, w, 3)."""
    return np.asarray(cv2.resize(few, shape[1::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def off_ground(lab: Lab, local: Lab, broad: float) -> tuple[Lab, Lab, Lab]:
    """Tell how far colours are from a ground's in a and b, how much lighter, and how far all about: (h, w).

    In a shadow its a and b shrink with its light. What is off in the mean of `broad` pixels shows
    colours that its own grain hides.
    """
    # Planes by themselves are gone through in half the time, and in place in less.
    now, *colours = (np.asarray(of, np.float32) for of in cv2.split(lab))
    then, *there = (np.asarray(of, np.float32) for of in cv2.split(local))
    light, dimmed = now - then, now + BLACK
    then += BLACK
    np.minimum(np.divide(dimmed, then, out=dimmed), 1.0, out=dimmed)
    for plane in (*colours, *there):
        np.subtract(plane, 128.0, out=plane)
    for of, was in zip(colours, there, strict=True):
        np.subtract(of, np.multiply(was, dimmed, out=was), out=of)
    a, b = colours
    about = (cv2.GaussianBlur(v, (0, 0), broad) for v in (a, b)) if broad else (a, b)
    return np.asarray(cv2.magnitude(a, b), np.float32), light, np.asarray(cv2.magnitude(*about), np.float32)


@dataclass(frozen=True, eq=False)
class Shades:
    """How dark a picture is where: `share` of its ground's light, the others masks, each (h, w).

    `ground` is where it may be cloth or print in any shade or darkness, `lines` where lines may be, and
    `edges` where colours change. `known` may cast shadows; so may `others`, which are seen less surely.
    """

    share: Lab
    ground: Mask
    lines: Mask
    edges: Mask
    known: Mask
    others: Mask


def dark_alone(shades: Shades) -> list[Mask]:
    """Find what is dark and stands alone, each a mask (h, w): of several in one place the sharpest."""
    found: list[Mask] = []
    for _, mask in sorted(_candidates(shades), key=lambda c: c[0]):
        if not any((mask & other).any() for other in found):
            found.append(mask)
    return found


def cast_by_known(shades: Shades, found: Mask) -> Mask:
    """What of a mask is a shadow of something known: what is half as dark leads from it to that: (h, w)."""
    cast, beside = np.zeros_like(found), np.ones((3, 3), np.uint8)
    count, labels, stats = parts_of(found)
    for k in range(1, count):
        x, y, w, h, _ = stats[k].tolist()
        here = np.s_[y : y + h, x : x + w]
        own = as_mask(labels[here] == k)
        share = float(np.percentile(shades.share[here][own > 0], IN_SHADOW))
        if share >= LIGHTEST:
            continue
        _, around, _ = parts_of(_below(shades, (share + 1.0) / 2.0))
        darker = np.bincount(around[here][own > 0])
        if len(darker) > 1:
            whole = as_mask(around == int(darker[1:].argmax()) + 1)
            if (as_mask(cv2.dilate(whole, beside)) & shades.known).any():
                cast[here] |= own
    return cast


def _candidates(shades: Shades) -> Iterator[tuple[float, Mask]]:
    """What is dark and stands alone at some level, and by how much its rim moves to the next, inches."""
    darker = parts_of(_below(shades, LEVELS[0]))
    for level in LEVELS[1:]:
        (_, labels, stats), darker = darker, parts_of(_below(shades, level))
        large = stats[:, cv2.CC_STAT_AREA] >= LEAST_AREA * PER_INCH**2
        for k in (np.flatnonzero(large[1:]) + 1).tolist():
            x, y, w, h, area = stats[k].tolist()
            if max(w, h) > PRINTED_IN * PER_INCH:
                continue
            here = np.s_[y : y + h, x : x + w]
            own = as_mask(labels[here] == k)
            around = int(darker[1][here][own > 0][0])
            rim = rim_of(own).astype(int)
            moves = float(darker[2][around, cv2.CC_STAT_AREA] - area) / len(rim) / PER_INCH
            if moves > SHARP_IN or not _is_compact(own, rim) or not _is_edged(shades.edges[here], rim):
                continue
            dark = middle_of(shades.share[here][own > 0]) < LIGHTEST
            if dark and not _is_cast(shades, darker[1], around, darker[2][around]):
                mask = np.zeros_like(shades.ground)
                mask[here] = filled(rim.astype(np.int32)[:, None], own.shape)
                yield moves, mask


def _is_cast(shades: Shades, labels: NDArray[np.integer], which: int, stats: NDArray[np.int32]) -> bool:
    """Whether a part touches what may cast a shadow, or lies beside what may do so unseen."""
    x, y, w, h, _ = stats.tolist()
    reach = math.ceil(UNSEEN_SIDE_IN * PER_INCH)
    here = np.s_[max(y - reach, 0) : y + h + reach, max(x - reach, 0) : x + w + reach]
    own = as_mask(labels[here] == which)
    about = as_mask(cv2.dilate(own, disk(UNSEEN_SIDE_IN)))
    # At a print a shadow may be taken for it, and not be seen to begin where it does.
    near = about if (own & shades.lines[here]).any() else as_mask(cv2.dilate(own, np.ones((3, 3), np.uint8)))
    if (near & shades.known[here]).any():
        return True
    whole = filled(rim_of(own).astype(np.int32)[:, None], own.shape)
    return bool((about & _without_own(shades.others[here], whole)).any())


def _without_own(others: Mask, whole: Mask) -> Mask:
    """What of others is no small part of a whole, as a darker side or the head of a figure."""
    _, labels, stats = parts_of(others)
    sizes = stats[:, cv2.CC_STAT_AREA]
    inside = np.bincount(labels[whole > 0], minlength=len(sizes))
    keep = (inside < OWN * sizes) | (sizes > PART * cv2.countNonZero(whole))
    keep[0] = False
    return as_mask(keep[labels])


def _is_edged(edges: Mask, rim: NDArray[np.integer]) -> bool:
    """Whether colours change nearly all along a rim (n, 2)."""
    near = as_mask(cv2.dilate(edges, np.ones((3, 3), np.uint8)))
    return float((near[rim[:, 1], rim[:, 0]] > 0).mean()) >= EDGED


def _below(shades: Shades, level: float) -> Mask:
    """Where it is darker than so much of the ground's light; what is so goes on below lines on it."""
    dark = as_mask(as_mask(shades.share < level) & shades.ground)
    if not shades.lines.any():
        return dark
    joined = as_mask(cv2.morphologyEx(dark, cv2.MORPH_CLOSE, disk(LINES_IN)))
    return as_mask(dark | as_mask(joined & shades.lines))


def _is_compact(own: Mask, rim: NDArray[np.integer]) -> bool:
    """Whether a part is no strip, as the shadow of a fence, and fills most of its hull, as a thing does."""
    wide = min(cv2.minAreaRect(rim.astype(np.int32))[1]) + 1.0
    if wide < BROAD_IN * PER_INCH:
        return False
    hull = np.asarray(cv2.convexHull(rim.astype(np.int32)), np.int32)
    whole = cv2.countNonZero(filled(hull, own.shape))
    inside = cv2.countNonZero(filled(rim.astype(np.int32)[:, None], own.shape))
    return inside > COMPACT * whole
