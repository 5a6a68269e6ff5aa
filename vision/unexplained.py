"""What a picture shows on the table that neither cloth nor a known piece explains.

The cloth has one colour, under light that changes slowly; what is printed on it in one large piece, as a
road, goes with it. Known pieces hide what their footprints at their heights cover for the camera; a shadow is
cloth that is darker; a hand comes over the edge.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.space.geometry import FloatArray, Region
from vision.background import BLACK, Background, Likeness
from vision.flat import (
    PER_INCH,
    Flat,
    Lab,
    Mask,
    as_mask,
    box_of,
    brightest,
    chosen,
    colours_of,
    disk,
    filled,
    labelled,
    middle_colour,
    middle_level,
    middle_of,
    no_smaller,
    parts_of,
    rim_of,
    spots,
    touching,
)
from vision.frame import Image
from vision.ground import (
    BROAD_IN,
    EVERY,
    IN_SHADE,
    LEAST_CHROMA,
    LEAST_LIGHTER,
    LINES_IN,
    OWN,
    PRINTED_IN,
    SCATTERS,
    SHADES,
    Shades,
    cast_by_known,
    dark_alone,
    in_full,
    off_ground,
    smoothed,
)
from vision.prints import Print, prints_of, uncrossed

# A channel of a picture's colours, of 255, has lost its end, as the cloth's nearly has there; such a colour
# is so many times farther off.
CLIPPED, NEARLY, OFF_CLIPPED = 250, 0.95, 2.5
# A colour is faint that is so far from the cloth's in the mean over so many inches, and no lighter by so
# much; darker by so much a share no shadow is.
FAINT_IN, LEAST_FAINT, IN_GLARE, SHADOW = 0.25, 3.3, 1.12, 0.42
# What is off by so much a share of that may lie on the cloth; its rim is no shorter, in every fourth pixel.
LYING, LEAST_RIM = 0.7, 8
# Cloth is between so many times as bright as the light on it makes it; so many places tell that light.
LIT, FEW_LIT = (0.75, 1.35), 50
# What a piece covers is known no better than this, inches.
ROUND_PIECE_IN = 0.22
# A thing is no smaller, square inches, nor thinner, pixels laid flat; its parts are no farther apart, inches.
LEAST_AREA, THIN, CLOSES_IN = 0.3, 2, 0.3
# Parts as large as this, square inches, that lit cloth is seen between are things of their own.
APART = 1.0
# So are two that a neck joins no wider than twice so much, inches, where what is left of each without so wide
# a rim, square inches, differs in colour by such a step.
NECK_IN, LEAST_CORE, OTHER_COLOUR = 0.35, 0.5, 8.0
# A sliver beside a piece, square inches, is its own edge or shade if so much of its rim lies there; a thin
# one at any size, and where so little of it is more than dark.
SLIVER, BESIDE, THIN_SLIVER_IN, SHADE, AT_PIECE = 2.0, 0.3, 0.45, 0.35, 0.1
# A thing has a clear edge on so much of its rim.
EDGED_RIM = 0.5
# What lies for the most part so near to the table's edge is no more than that edge, inches.
AT_EDGE_IN, MOSTLY = 0.4, 0.6
# What comes over the edge covers so much beside it, square inches, as a finger does.
OVER_EDGE = 0.2
# What there are many of is printed, too.
DASHES = 5
# A thin one is seen together with its shadow: so much of both has a colour of its own, and no part of it,
# square inches, could be seen alone.
THIN_SURE, LEAST_ALONE = (0.15, 0.7), 0.5
# At a thing's rim colours change by so much in Lab's a and b, or so much more in brightness, from what is so
# far inside of a ring to what is in it, inches.
LEAST_STEP, LIGHT_STEP, RING_IN = 2.5, 0.15, (0.15, 0.5)
# An edge is where colours change by so many times what they change by on the cloth, the first where it goes
# on and the second somewhere, and at the least by these in L, a and b a pixel; it is closed over gaps of so
# many pixels. What it frames is no smaller, square inches, and what it is itself has no fewer pixels.
EDGE, LEAST_CHANGES, GAP, LEAST_FRAMED, SHORT = (2.2, 3.5), (1.0, 0.2, 0.2), 5, 0.3, 12
# Where colours change by less than this from pixel to pixel, a video's coding may have smoothed them; its
# blocks differ by so much.
CLEAN, CODED = (0.0, 0.15, 0.15), (1.0, 0.4, 0.4)
# What is found by its edge is so much too large at the most, inches.
EDGE_WIDE_IN = 0.75
# What has the colour of what it lies on is no smaller, and shows its edge on so much of its rim, of which so
# much does not lie beside another colour.
LEAST_EDGED, EDGED, LEAST_TOLD, THICK_IN = 1.0, 0.8, 0.6, 0.4
# It is no shadow of what lies beside it if it is no darker by so much a share, and no shadow at all if no
# more than so much of it is in a shade, or if it is as large, square inches.
DIM, MOST_SHADY, LEAST_DARK = 0.93, 0.25, 4.0
# What casts a shadow that is seen is no smaller, square inches.
LEAST_CASTING = 0.1
# The sides of a thing are lit unevenly: these hundredths of it differ by so much of its light.
FACETS, UNEVEN, MORE_UNEVEN = (10.0, 90.0), 0.12, 1.4
# It is no shadow if it leaves no more of the light, and no more about it is nearly as dark.
DETACHED, DARK_ABOUT = 0.85, 0.3
# A part of what comes over the edge that looks like skin makes a hand of it.
SKIN, SKIN_LIGHT = 0.25, 140.0
# Where shadows are is seen beside pieces, within so many inches; their depth is that of the darkest tenth
# there, and what is darker still by so much a share no shadow is.
SHADED_IN, DARKEST, DARKER_STILL = 0.7, 0.1, 0.8


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
    prints: tuple[Print, ...]
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
    change = _change(lab, free)
    comparable = before is not None and before.cloth.shape == free.shape
    likeness = before.held_against(smooth, lab, free) if before is not None and comparable else None
    clipped = as_mask(cv2.dilate(brightest(smooth), np.ones((3, 3), np.uint8)) >= CLIPPED)
    clear = as_mask(cv2.dilate(as_mask(change > EDGE[1] ** 2), np.ones((GAP, GAP), np.uint8)))
    cloth = _Cloth.of(lab, free, clipped, clear)
    coloured, dark, shady = (
        as_mask(cloth.coloured | _framed(lab, edges := _edges(change), free, cloth)),
        cloth.dark,
        cloth.shady,
    )
    if likeness is not None:
        coloured &= likeness.in_shade ^ 1
        dark &= likeness.bare ^ 1
    foreign = as_mask((coloured | dark) & free)
    prints = _prints(lab, cloth, foreign, free, hidden, likeness)
    for own in prints:
        coloured &= own.coloured | (own.zone ^ 1)
        dark &= own.dark | (own.zone ^ 1)
    foreign = as_mask((coloured | dark) & free)
    prints, over = uncrossed(prints, as_mask(foreign | as_mask(shady & free)), edge)
    printed = np.zeros_like(free)
    for own in prints:
        printed |= own.with_lines(foreign)
        shady |= as_mask(own.shady & own.zone & (foreign ^ 1))
    if likeness is not None:
        printed = as_mask((printed & (likeness.covered ^ 1)) | (likeness.printed & free))
    shares, least = _shares(lab, cloth.share, prints)
    parts = _Parts(smooth, lab, change, foreign, printed, shady, free, hidden, edge, shares)
    edged = _by_edge(parts, likeness)
    coloured, foreign = as_mask(coloured | edged), as_mask(foreign | edged)
    printed &= edged ^ 1
    bare = as_mask(view & ((coloured | dark) ^ 1))
    table, free = free, as_mask(free & (printed ^ 1))
    foreign = as_mask(
        cv2.morphologyEx(as_mask(foreign & free), cv2.MORPH_OPEN, np.ones((THIN, THIN), np.uint8))
    )
    foreign = _parted(_closed(foreign, free, shady), foreign, lab, edge)
    thin = _thin(as_mask((coloured | dark) & free), as_mask(shady & free), foreign, hidden)
    # What is thin, comes over an edge, or has one of its own, was told from a print already.
    told = as_mask(as_mask(cv2.dilate(as_mask(thin | edged), disk(LINES_IN))) | over)
    near = as_mask(printed & (as_mask(cv2.dilate(told, disk(LINES_IN))) ^ 1))
    beside, at_print = (as_mask(cv2.dilate(m, np.ones((5, 5), np.uint8))) for m in (hidden, near))
    seen = _Seen(flat.picture, lab, free, coloured, dark, shady, beside, at_print, clear, edge)
    shades = _shades(parts.shares, (table, printed, as_mask(hidden | edge), coloured, edges), likeness)
    blobs, standing = _with_dark(lab, shades, least, _blobs(seen, as_mask(foreign | thin), edged))
    return Look(
        flat,
        tuple(blobs),
        as_mask(bare & (standing ^ 1)),
        edge,
        as_mask(coloured | dark | standing),
        shady,
        pieces,
        view,
        as_mask(printed & (standing ^ 1)),
        prints,
        lab,
        smooth,
        likeness,
    )


def _shares(lab: Lab, share: Lab, prints: Sequence[Print]) -> tuple[Lab, Lab]:
    """What a picture has of the light of its cloth, of which it has `share`, or of its prints.

    And the same, but where a print may go on the more of both: what is no print there is as dark as one.
    """
    shares = least = share
    for own in prints:
        of_it = cv2.extractChannel(lab, 0) / np.maximum(cv2.extractChannel(own.local, 0), 1.0)
        shares = np.where(own.surely > 0, of_it, shares)
        least = np.where(own.zone > 0, np.maximum(least, of_it), least)
    return shares, least


def _shades(shares: Lab, masks: tuple[Mask, Mask, Mask, Mask, Mask], likeness: Likeness | None) -> Shades:
    """How dark a picture is where, of its ground's light in `shares`.

    Masks: what is free, what is printed, what is known, what is coloured, and where edges are.
    """
    free, printed, known, coloured, edges = masks
    others = as_mask(coloured & free & (printed ^ 1))
    ground = as_mask(free & (others ^ 1))
    if likeness is not None:
        ground &= likeness.in_shade ^ 1
    lines = as_mask(cv2.dilate(printed, disk(LINES_IN)))
    return Shades(shares, ground, lines, edges, known, others)


def _with_dark(lab: Lab, shades: Shades, least: Lab, blobs: list[Mask]) -> tuple[list[Mask], Mask]:
    """Blobs with what is dark and stands alone, without what is a part of that; and where that is: (h, w)."""
    found = as_mask(np.clip(sum(blobs, np.zeros_like(shades.ground)), 0, 1))
    others = as_mask(no_smaller(as_mask(shades.others & (found ^ 1)), LEAST_CASTING) | found)
    dark = dark_alone(replace(shades, share=least, others=others))
    alone = [m for m in dark if not cast_by_known(shades, m).any()]
    standing = as_mask(np.clip(sum(alone, np.zeros_like(found)), 0, 1))
    if not alone:
        return blobs, standing
    left = [b for b in blobs if cv2.countNonZero(b & standing) < OWN * cv2.countNonZero(b)]
    return _without_dashes(lab, [*left, *alone]), standing


def _closed(foreign: Mask, free: Mask, shady: Mask) -> Mask:
    """What is foreign without its small gaps; but over lit cloth no two large things are joined: (h, w)."""
    closed = as_mask(as_mask(cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, disk(CLOSES_IN))) & free)
    large = no_smaller(foreign, APART)
    if not large.any():
        return closed
    # Each pixel goes with the large part that is nearest to it.
    _, nearest = cv2.distanceTransformWithLabels(
        as_mask(large ^ 1), cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_CCOMP
    )
    own, beside = nearest.astype(np.float32), np.ones((3, 3), np.uint8)
    between = as_mask(cv2.dilate(own, beside) != cv2.erode(own, beside))
    return as_mask(closed & (as_mask(between & (as_mask(foreign | shady) ^ 1)) ^ 1))


def _parted(closed: Mask, foreign: Mask, lab: Lab, edge: Mask) -> Mask:
    """What is foreign, its gaps closed, but for necks between large parts of different colours: (h, w).

    What comes over the table's edge is left whole, as an arm is.
    """
    contours, _ = cv2.findContours(foreign, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    solid, beside = np.zeros_like(foreign), np.ones((3, 3), np.uint8)
    cv2.drawContours(solid, contours, -1, 1, cv2.FILLED)
    cores = no_smaller(as_mask(cv2.erode(solid, disk(NECK_IN))), LEAST_CORE)
    count, labels = labelled(cores)
    _, whole = labelled(closed)
    within = [int(np.bincount(whole[labels == k]).argmax()) for k in range(1, count)]
    arms = set(np.unique(whole[(edge & closed) > 0]).tolist())
    pairs = [
        (one + 1, other + 1)
        for one, other in itertools.combinations(range(count - 1), 2)
        if within[one] == within[other] and within[one] not in arms
    ]
    if not pairs:
        return closed
    colours = {k: middle_colour(lab, as_mask(labels == k)) for pair in pairs for k in pair}
    # Each pixel goes with the core that is nearest to it.
    _, nearest = cv2.distanceTransformWithLabels(
        as_mask(cores ^ 1), cv2.DIST_L2, cv2.DIST_MASK_5, labelType=cv2.DIST_LABEL_CCOMP
    )
    parted = closed
    for pair in pairs:
        light, *tint = colours[pair[0]] - colours[pair[1]]
        if float(np.hypot(*tint) + abs(light) * LIGHT_STEP) >= OTHER_COLOUR:
            one, other = (as_mask(nearest == nearest[labels == k][0]) for k in pair)
            parted = as_mask(parted & (as_mask(as_mask(cv2.dilate(one, beside)) & other) ^ 1))
    return parted


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
    at_print: Mask
    clear: Mask
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
    lit = as_mask(seen.free & (as_mask(seen.coloured | seen.dark | seen.shady) ^ 1))
    if _unclear(seen, rim) or _of_piece(seen, contour, rim, blob) or _step(seen.lab, blob, lit) < LEAST_STEP:
        return True
    if cv2.countNonZero(seen.edge & blob) < OVER_EDGE * PER_INCH**2:
        return False
    return float(seen.edge[blob > 0].mean()) > MOSTLY or skin_share(seen.picture[blob > 0]) > SKIN


def _unclear(seen: _Seen, rim: NDArray[np.int32]) -> bool:
    """Whether what has this rim (n, 2) has no edge, as light and a cloth's own clouds have none."""
    told = rim[seen.beside[rim[:, 1], rim[:, 0]] == 0]
    return bool(len(told)) and float((seen.clear[told[:, 1], told[:, 0]] > 0).mean()) < EDGED_RIM


def _of_piece(seen: _Seen, contour: NDArray[np.int32], rim: NDArray[np.int32], blob: Mask) -> bool:
    """Whether a blob is a known piece's own edge or shade, or the edge of a print."""
    area = cv2.contourArea(contour) / PER_INCH**2
    at_piece, at_print = (float((of[rim[:, 1], rim[:, 0]] > 0).mean()) for of in (seen.beside, seen.at_print))
    thick = 2.0 * area * PER_INCH / max(len(rim), 1)
    if (at_piece > BESIDE and area < SLIVER) or (max(at_piece, at_print) > BESIDE and thick < THIN_SLIVER_IN):
        return True
    coloured, dark, shady = (of[blob > 0] for of in (seen.coloured, seen.dark, seen.shady))
    # What is darker than shadows are is a piece's own shade beside it alone.
    black = at_piece < AT_PIECE and float((dark | coloured).mean()) > MOSTLY
    if at_piece > 0.0 and not black and float(coloured.mean()) < SHADE:
        return True
    # What mostly has another colour is no shade, however dark it is.
    return at_piece > AT_PIECE and float(shady.mean()) > MOSTLY and float(coloured.mean()) < MOSTLY


def _blobs(seen: _Seen, foreign: Mask, edged: Mask) -> list[Mask]:
    """What of what is foreign is a thing: each a mask; what is `edged` is one for sure."""
    contours, _ = cv2.findContours(foreign, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    large = [np.asarray(c, np.int32) for c in contours if cv2.contourArea(c) >= LEAST_AREA * PER_INCH**2]
    left = [c for c in large if _mostly(edged, c) or not _explained(seen, c)]
    return _without_dashes(seen.lab, [filled(c, foreign.shape) for c in left])


def _prints(
    lab: Lab, cloth: _Cloth, foreign: Mask, free: Mask, hidden: Mask, likeness: Likeness | None
) -> tuple[Print, ...]:
    """What is printed on a cloth, of what is foreign to it."""
    # Where cloth was seen nothing is printed, as large and straight as a sleeve there may be.
    may = free if likeness is None else as_mask(free & (as_mask(likeness.covered | likeness.in_shade) ^ 1))
    plain = as_mask(foreign & may)
    # On grey cloth a grey road is like a shadow.
    candidates = as_mask(may & (foreign | cloth.shady)) if cloth.grey else plain
    return prints_of(lab, candidates, plain, free, hidden, cloth.black)


def _mostly(mask: Mask, contour: NDArray[np.int32]) -> bool:
    """Whether most of what a contour encloses is in a mask."""
    x, y, w, h = cv2.boundingRect(contour)
    blob = filled(contour - (x, y), (h, w))
    return cv2.countNonZero(mask[y : y + h, x : x + w] & blob) > MOSTLY * cv2.countNonZero(blob)


@dataclass(frozen=True, eq=False)
class _Cloth:
    """What a picture shows beside its cloth, masks (h, w): by colour or brightness, by darkness, in a shade.

    No shadow leaves less of the light than `black`, as a share counted from black on. `grey`: the cloth has
    no colour of its own, by which a print could be told from a shadow. `clipped`: where it is so bright that
    a picture has lost some of its colour.
    """

    coloured: Mask
    dark: Mask
    shady: Mask
    black: float
    grey: bool
    clipped: Mask
    share: Lab

    @staticmethod
    def of(lab: Lab, free: Mask, clipped: Mask, clear: Mask) -> _Cloth:
        """Find the cloth where it may be seen, which is `free`; some colour may be lost that is `clipped`.

        Edges are `clear` where they are.
        """
        nowhere = np.zeros(free.shape, np.uint8)
        nothing = _Cloth(
            nowhere, nowhere, nowhere.copy(), SHADOW, False, nowhere.copy(), np.ones(free.shape, np.float32)
        )
        some, seen = np.ascontiguousarray(lab[::EVERY, ::EVERY]), free[::EVERY, ::EVERY] > 0
        few = some[seen]
        if len(few) < 100:
            return nothing
        a, b = _mode(few[:, 1:])
        cloth = seen & (np.hypot(some[..., 1] - a, some[..., 2] - b) < 2.0 * LEAST_CHROMA)
        cloth &= _lit_alike(some[..., 0], cloth)
        local, far, faint, lighter = some, LEAST_CHROMA, LEAST_FAINT, LEAST_LIGHTER
        for last in (False, True):
            if not cloth.any():
                return nothing
            local = smoothed(some, cloth)
            chroma, light, broad = off_ground(some, local, FAINT_IN * PER_INCH / EVERY)
            faint = max(LEAST_FAINT, SCATTERS * middle_of(broad[cloth]))
            far = max(LEAST_CHROMA, SCATTERS * middle_of(chroma[cloth]))
            lighter = max(LEAST_LIGHTER, SCATTERS * 1.48 * middle_of(np.abs(light[cloth])))
            cloth = seen & (chroma <= far) & (light <= lighter) & (some[..., 0] >= IN_SHADE * local[..., 0])
            if not last:
                cloth &= _lying(as_mask(broad > LYING * faint), as_mask(cloth), clear[::EVERY, ::EVERY]) == 0
        usual = middle_of(local[..., 0].ravel())
        local = in_full(local, lab.shape)
        chroma, light, broad = off_ground(lab, local, FAINT_IN * PER_INCH)
        share = cv2.extractChannel(lab, 0) / np.maximum(cv2.extractChannel(local, 0), 1.0)
        black = min(SHADOW, DARKER_STILL * _depth_of_shade(share, chroma < SHADES * far, free))
        if clipped.any():
            here = box_of(clipped)
            as_seen = brightest(as_mask(cv2.cvtColor(as_mask(local[here]), cv2.COLOR_LAB2BGR)))
            clipped[here] &= as_mask(as_seen >= NEARLY * CLIPPED)
        plain = as_mask((chroma > np.where(clipped > 0, OFF_CLIPPED * far, far)) | (light > lighter))
        # What is faint is seen a little beyond its edge: beside what is plain it must be so in each pixel.
        least = np.where(cv2.dilate(plain, disk(FAINT_IN)) > 0, faint, faint / 2)
        pale = (broad > faint) & (chroma > least) & (share > IN_SHADE) & (share < IN_GLARE) & (clipped == 0)
        shady = (share >= black) & (share < IN_SHADE) & (chroma < SHADES * far)
        return _Cloth(
            as_mask(plain | pale),
            as_mask(share < black),
            as_mask(shady),
            (black * usual + BLACK) / (usual + BLACK),
            math.hypot(a - 128.0, b - 128.0) < SHADES * LEAST_CHROMA,
            clipped,
            np.asarray(share, np.float32),
        )


def _lying(off: Mask, cloth: Mask, clear: Mask) -> Mask:
    """What of what is a little off lies on the cloth: it is of a thing's size, and edges go around it.

    Taken for cloth it would pull the cloth's colour about it to its own. All of these are every fourth pixel.
    """
    lying, near = np.zeros_like(off), np.ones((3, 3), np.uint8)
    others = as_mask(cv2.dilate(as_mask(cloth ^ 1), near))
    whole = as_mask(cv2.morphologyEx(as_mask(off & cloth), cv2.MORPH_CLOSE, near))
    # Half-way from a print to the cloth colours are a little off, too.
    whole = as_mask(cv2.morphologyEx(whole, cv2.MORPH_OPEN, near))
    contours, _ = cv2.findContours(whole, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    for contour in contours:
        x, y = contour[:, 0].T
        few = len(contour) < LEAST_RIM or max(np.ptp(x), np.ptp(y)) * EVERY > PRINTED_IN * PER_INCH
        if not few and float((clear | others)[y, x].mean()) >= EDGED:
            cv2.drawContours(lying, [contour], -1, 1, cv2.FILLED)
    return lying


def _lit_alike(light: Lab, cloth: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where what may be cloth is lit as most of it: log L is a surface of second degree (h, w).

    A large print has another brightness, and would pull a mean over its surroundings with it.
    """
    few = cloth.copy()
    few[1::2] = few[:, 1::2] = False
    if few.sum() < FEW_LIT:
        return cloth
    y, x = (np.linspace(-1.0, 1.0, n) for n in light.shape)
    terms = np.stack(
        [x**i * y[:, None] ** j for i, j in ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))], axis=-1
    )
    logs = np.log(np.maximum(light, 8.0))
    known, told = terms[few], logs[few]
    weights = (np.abs(told - middle_of(told)) < 0.5).astype(float)
    fitted = np.zeros(terms.shape[-1])
    for _ in range(8):
        # With six terms between -1 and 1 the normal equations are as good, and ten times as fast.
        weighed = known * (weights**2)[:, None]
        fitted = np.linalg.lstsq(weighed.T @ known, weighed.T @ told, rcond=None)[0]
        apart = told - known @ fitted
        # Tukey's weights.
        most = 4.0 * max(1.48 * middle_of(np.abs(apart)), 0.04)
        weights = np.clip(1.0 - (apart / most) ** 2, 0.0, None)
    share = np.exp(logs - terms @ fitted)
    return np.asarray((share > LIT[0]) & (share < LIT[1]))


def _change(lab: Lab, free: Mask) -> Lab:
    """How much colours change from pixel to pixel, in squares of what they change by on the cloth: (h, w)."""
    soft = cv2.GaussianBlur(lab, (0, 0), 1.0)
    across, down = (cv2.Sobel(soft, cv2.CV_32F, *way, scale=0.125) for way in ((1, 0), (0, 1)))
    changes = np.asarray(across**2 + down**2, np.float32)
    few = changes[::4, ::4][free[::4, ::4] > 0]
    if len(few) < 100:
        return np.zeros(free.shape, np.float32)
    median = np.array([middle_of(of) for of in few.T])
    least = np.where(median < np.square(CLEAN), np.square(CODED), np.square(LEAST_CHANGES))
    usual = np.maximum(median, least).astype(np.float32)
    return np.asarray(cv2.transform(changes, 1.0 / (3.0 * usual[None])), np.float32)


def _edges(change: Lab) -> Mask:
    """Where colours change more than anywhere on the cloth, as far as they change more than mostly there."""
    several, lines = labelled(as_mask(change > EDGE[0] ** 2))
    clear = np.zeros(several, np.uint8)
    clear[lines[change > EDGE[1] ** 2]] = 1
    clear[0] = 0
    return chosen(clear, lines)


def _framed(lab: Lab, edge: Mask, free: Mask, cloth: _Cloth) -> Mask:
    """What an edge goes all around and whose colour is not that of the cloth outside: (h, w) of ones.

    The cloth's own clouds, and the light on it, hide a faint thing pixel by pixel; but they have no edges. A
    shadow has one, too, and the colour of the cloth in it.
    """
    found = np.zeros(free.shape, np.uint8)
    ground = as_mask(free & (as_mask(cv2.dilate(edge, np.ones((GAP, GAP), np.uint8))) ^ 1))
    bare = as_mask(ground & (as_mask(cloth.coloured | cloth.dark) ^ 1))
    count, labels, stats = parts_of(ground, 4)
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
        ring = as_mask(as_mask(cv2.dilate(own_mask, about_it)) & bare[here] & (own_mask ^ 1))
        if not ring.any():
            continue
        own, about = (middle_colour(lab[here], m).astype(np.float32) for m in (inside, ring))
        off = float(off_ground(own[None, None], about[None, None], 0.0)[0][0, 0])
        # The deeper a shadow is, the more of its colour comes from elsewhere.
        least = LEAST_STEP if own[0] > IN_SHADE * about[0] else LEAST_CHROMA / 2
        glares = own[0] > IN_GLARE * about[0]
        if float(cloth.clipped[here][inside > 0].mean()) > MOSTLY:
            least, glares = OFF_CLIPPED * LEAST_CHROMA, False
        if off > least or glares:
            found[here] |= inside
    return as_mask(found & free)


@dataclass(frozen=True, eq=False)
class _Parts:
    """What is known of a picture before things on its prints are looked for: each (h, w)."""

    picture: Image
    lab: Lab
    change: Lab
    foreign: Mask
    printed: Mask
    shady: Mask
    free: Mask
    hidden: Mask
    edge: Mask
    shares: Lab


def _by_edge(parts: _Parts, likeness: Likeness | None) -> Mask:
    """What has the colour of what it lies on, cloth or print, and is told by its edge: (h, w) of ones."""
    found = _on_cloth(parts)
    if likeness is not None:
        found &= likeness.in_shade ^ 1
    if not parts.printed.any():
        return found
    masks = parts.free, parts.printed, as_mask(parts.hidden | parts.edge), parts.foreign, found
    over = _on_prints(parts)
    return as_mask(found | as_mask(over & (cast_by_known(_shades(parts.shares, masks, None), over) ^ 1)))


def _to_ridge(picture: Image, found: Mask) -> Mask:
    """What was found by its edges as far as the middle of them: (h, w) of ones.

    An edge is seen some pixels wide, and a thing ends where colours change most.
    """
    ends = np.zeros_like(found)
    if not found.any():
        return ends
    inner = as_mask(cv2.erode(found, disk(EDGE_WIDE_IN), borderValue=0))
    count, labels, stats = parts_of(found)
    for k in range(1, count):
        x, y, w, h, _ = stats[k].tolist()
        here = np.s_[max(y - 1, 0) : y + h + 1, max(x - 1, 0) : x + w + 1]
        own = as_mask(labels[here] == k)
        core = as_mask(own & inner[here])
        if not core.any():
            ends[here] |= own
            continue
        markers = np.where(core > 0, 2, np.where(own > 0, 0, 1)).astype(np.int32)
        tones = cv2.GaussianBlur(np.ascontiguousarray(picture[here]), (0, 0), 1.0)
        ends[here] |= as_mask(cv2.watershed(tones, markers) == 2)
    return as_mask(ends)


def _with_ridge(inside: Mask) -> Mask:
    """What is inside of edges with the middle of them, which is a pixel wide: (h, w) of ones."""
    return as_mask(cv2.dilate(inside, np.ones((3, 3), np.uint8)))


def _on_prints(parts: _Parts) -> Mask:
    """What lies on a print and has its colour, or another one on more than a line: (h, w) of ones."""
    printed, free = parts.printed, parts.free
    like = _like_ground(parts.lab, parts.foreign, printed, free)
    beside = as_mask(printed ^ 1)
    others = as_mask(
        cv2.morphologyEx(as_mask(parts.foreign & beside), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    )
    others = no_smaller(others, LEAST_AREA)
    arms = touching(others, parts.edge)
    shade = no_smaller(as_mask(parts.shady & free & beside), LEAST_AREA)
    casting = as_mask(parts.hidden | parts.edge | others | shade)
    edged = _edged(
        parts.lab, parts.change, as_mask(like & printed), as_mask(parts.shady & free), casting, arms
    )
    # Lines are printed on a print; what is wider and has another colour lies on it.
    about = as_mask(cv2.morphologyEx(printed, cv2.MORPH_CLOSE, disk(BROAD_IN)))
    patch = as_mask(
        cv2.morphologyEx(as_mask(about & free & (like ^ 1)), cv2.MORPH_CLOSE, np.ones((THIN, THIN), np.uint8))
    )
    patch = as_mask(as_mask(cv2.morphologyEx(patch, cv2.MORPH_OPEN, disk(THICK_IN))) & about & free)
    patch = no_smaller(patch, LEAST_EDGED)
    edged = as_mask(_with_ridge(_to_ridge(parts.picture, edged)) & free)
    return as_mask(edged | as_mask(patch & (touching(patch, as_mask(cv2.dilate(arms, disk(LINES_IN)))) ^ 1)))


def _on_cloth(parts: _Parts) -> Mask:
    """What lies on the cloth and has its colour in any shade, but an edge of its own: (h, w) of ones."""
    lines = as_mask(cv2.dilate(parts.printed, disk(LINES_IN)))
    like = as_mask(parts.free & (as_mask(parts.foreign | lines) ^ 1))
    others = no_smaller(as_mask(parts.foreign & (lines ^ 1)), LEAST_CASTING)
    casting = as_mask(parts.hidden | parts.edge | others)
    nothing = np.zeros_like(like)
    found = _edged(parts.lab, parts.change, like, nothing, casting, touching(others, parts.edge))
    found = as_mask(_to_ridge(parts.picture, found) & parts.free & (lines ^ 1))
    if not found.any():
        return found
    count, labels, stats = parts_of(found)
    light, reach = parts.lab[..., 0], math.ceil(SHADED_IN * PER_INCH)
    for k in range(1, count):
        x, y, w, h, _ = stats[k].tolist()
        here = np.s_[max(y - reach, 0) : y + h + reach, max(x - reach, 0) : x + w + reach]
        own = as_mask(labels[here] == k)
        beside = as_mask(as_mask(cv2.dilate(own, disk(SHADED_IN))) & (found[here] ^ 1))
        alone = not (beside & (casting | lines)[here]).any()
        about = as_mask(beside & like[here])
        shade = as_mask(cv2.dilate(parts.shady[here], np.ones((GAP, GAP), np.uint8)))
        # About it are its own dark sides as well, which are no cloth.
        apart = any(_is_lit_apart(light[here], own, of) for of in (about, as_mask(about & (shade ^ 1))))
        if not (alone and (apart or _is_detached(light[here], own, about))):
            found[here][own > 0] = 0
    return as_mask(_with_ridge(found) & parts.free & (lines ^ 1))


def _is_lit_apart(light: Lab, own: Mask, about: Mask) -> bool:
    """Whether what has the cloth's colour has another light than it about it, and not the same all over.

    A fold of the cloth has the cloth's own light on both sides, and a shadow takes the same share of it.
    """
    inner = as_mask(cv2.erode(own, np.ones((GAP, GAP), np.uint8)))
    if not about.any() or not inner.any():
        return False
    share = float(np.median(light[inner > 0]) / np.median(light[about > 0]))
    uneven, usual = (_unevenness(light, of) for of in (inner, about))
    return share > 1.0 / DIM or (share < DIM and uneven > max(UNEVEN, MORE_UNEVEN * usual))


def _is_detached(light: Lab, own: Mask, about: Mask) -> bool:
    """Whether what has an edge all around is dark, and most about it is not: nothing casts such a shadow."""
    if not about.any():
        return False
    inside, outside = float(np.median(light[own > 0])), float(np.median(light[about > 0]))
    darker = float((light[about > 0] < (inside + outside) / 2.0).mean())
    return inside < DETACHED * outside and darker < DARK_ABOUT


def _unevenness(light: Lab, where: Mask) -> float:
    """Tell by how much of it the light there differs from place to place, its grain left out."""
    weight = cv2.blur(where.astype(np.float32), (GAP, GAP))
    mean = cv2.blur(light * where, (GAP, GAP)) / np.maximum(weight, 1e-6)
    few = mean[where > 0]
    return float(np.ptp(np.percentile(few, FACETS)) / np.median(few))


def _like_ground(lab: Lab, foreign: Mask, printed: Mask, free: Mask) -> Mask:
    """Where the cloth, or a print in its commonest colour, is in any shade: (h, w) of ones."""
    like = as_mask(free & (as_mask(foreign | printed) ^ 1))
    print_ = as_mask(printed & free)
    some = print_[::4, ::4] > 0
    if some.any():
        few = lab[::4, ::4]
        planes = cv2.split(few)
        off = [np.abs(of - middle_of(of[some])) for of in planes]
        main = some & (off[0] < LEAST_LIGHTER) & (off[1] < LEAST_CHROMA) & (off[2] < LEAST_CHROMA)
        if main.any():
            local = in_full(smoothed(few, main), lab.shape)
            chroma, light, _ = off_ground(lab, local, 0.0)
            like |= as_mask(print_ & as_mask((chroma < LEAST_CHROMA) & (light < LEAST_LIGHTER)))
    return like


def _edged(lab: Lab, change: Lab, like: Mask, shady: Mask, casting: Mask, arms: Mask) -> Mask:
    """What has an edge of its own nearly all around and the colour of what it lies on: (h, w) of ones.

    A box of the cloth's or a print's own colour shows its sides alone. What lies beside something that casts
    shadows is one of them.
    """
    found = np.zeros(like.shape, np.uint8)
    # What has another colour has edges, too.
    others = as_mask(cv2.dilate(like ^ 1, np.ones((GAP + 2, GAP + 2), np.uint8)))
    few = change[as_mask(like & (others ^ 1)) > 0]
    if len(few) < 100:
        return found
    edges = _edges(change / np.float32(max(middle_of(few), 1.0)))
    usual = middle_level(as_mask(cv2.extractChannel(lab, 0)), like)
    # Beside what has another colour noise makes short ones.
    long = no_smaller(as_mask(edges & (others ^ 1)), SHORT / PER_INCH**2)
    thick, around = (as_mask(cv2.dilate(e, np.ones((GAP, GAP), np.uint8))) for e in (long, edges))
    beside = np.ones((2 * GAP - 1, 2 * GAP - 1), np.uint8)
    candidates = [*_boxed(as_mask(like & (around ^ 1)), beside), *_hulls(thick, beside)]
    for (x, y), mask in candidates:
        h, w = mask.shape
        here = np.s_[y : y + h, x : x + w]
        rim = rim_of(mask).astype(int)
        at = thick[here][rim[:, 1], rim[:, 0]] > 0
        told = at | (others[here][rim[:, 1], rim[:, 0]] == 0)
        if at.sum() < EDGED * told.sum() or told.mean() < LEAST_TOLD:
            continue
        near = as_mask(cv2.dilate(as_mask(casting[here] & (mask ^ 1)), beside))
        inside = as_mask(cv2.erode(mask, beside))
        own = lab[here][..., 0][inside > 0]
        if (as_mask(cv2.dilate(arms[here], beside)) & mask).any():
            continue
        small = int(mask.sum()) < LEAST_DARK * PER_INCH**2
        shadow = small and float(shady[here][mask > 0].mean()) > MOST_SHADY
        as_light = bool(len(own)) and float(np.percentile(own, 25)) >= DIM * usual
        if as_light or not (shadow or (near & mask).any()):
            found[here] |= mask
    return as_mask(cv2.morphologyEx(found, cv2.MORPH_CLOSE, disk(BROAD_IN)))


def _boxed(ground: Mask, grown: Mask) -> Iterator[tuple[tuple[int, int], Mask]]:
    """What edges part from the rest of the ground: each mask (h, w) and the pixel (x, y) of its corner."""
    count, labels, stats = parts_of(ground, 4)
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
    count, labels, stats = parts_of(as_mask(cv2.dilate(edge, joining)))
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
    count, labels, stats = parts_of(as_mask(sure | shady))
    beside = as_mask(cv2.dilate(hidden, disk(LINES_IN)))
    _, parts, sizes = parts_of(foreign)
    seen = sizes[:, cv2.CC_STAT_AREA] >= LEAST_ALONE * PER_INCH**2
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
    count, _, stats = parts_of(hidden)
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


def _mode(chroma: Lab) -> tuple[float, float]:
    """The commonest a and b of (n, 2), which are whole."""
    every = chroma.T.astype(np.intp)
    cells = every // 4
    counts = np.bincount(cells[0] * 64 + cells[1], minlength=64 * 64).reshape(64, 64).astype(np.float64)
    commonest = np.unravel_index(int(cv2.GaussianBlur(counts, (3, 3), 0).argmax()), counts.shape)
    low = 4.0 * np.array(commonest)
    a, b = np.abs(every - (low[:, None] + 2.0)) < 6.0
    middle = every[:, a & b].mean(axis=1) if (a & b).any() else low
    return float(middle[0]), float(middle[1])


def _without_dashes(lab: Lab, blobs: Sequence[Mask]) -> list[Mask]:
    """All but what there are many alike of, as the dashes of a printed road."""
    if len(blobs) < DASHES:
        return list(blobs)
    colours = [colours_of(lab[here], b[here]) for b, here in ((b, box_of(b)) for b in blobs)]
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
    inside, beside = (middle_colour(lab, m) for m in (blob, ring))
    return float(np.hypot(*(inside - beside)[1:]) + abs(inside[0] - beside[0]) * LIGHT_STEP)


def skin_share(colours: NDArray[np.uint8]) -> float:
    """The share of pixels (n, 3) BGR that may be skin."""
    # In little light all colours are near to grey.
    scale = SKIN_LIGHT / max(float(np.median(colours.mean(axis=1))), 20.0)
    lit = np.clip(colours.astype(np.float32) * scale, 0, 255).astype(np.uint8)
    tones = cv2.cvtColor(lit[None], cv2.COLOR_BGR2YCrCb)[0]
    skin = (tones[:, 1] > 138) & (tones[:, 1] < 178) & (tones[:, 2] > 80) & (tones[:, 2] < 128)
    return float(skin.mean())
