"""The outline of what lies on the table unnamed, drawn in the picture itself."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from calibration.surface import Surface
from engine.space.geometry import FloatArray
from vision.background import BLACK
from vision.flat import PER_INCH, Lab, Mask, as_mask, colours_of, parts_of, pixels_below, rim_of
from vision.flat import disk as flat_disk
from vision.frame import Image
from vision.segments import Shade, cut, parts
from vision.unexplained import IN_GLARE, SHADOW, Look

# How surely the edge of a thing is found, inches: where only its colour tells, at the best, and at the worst.
EDGE_SD_IN, SHARP_SD_IN, DIM_SD_IN, UNSEEN_SD_IN = 0.3, 0.05, 0.5, 0.5
# The edge is drawn anew in the picture itself, in so many pixels an inch, as far from what was found and with
# so much of it taken for sure, inches. Where no part is most of it, parts are one that lie no farther apart
# than twice the first; what is thinner than the next is no part of it.
FINE, ABOUT_IN, CORE_IN, MARGIN_IN = 16, 0.6, 0.15, 1.25
JOINS_IN, HAIRS_IN, MOST_OF_IT = 0.3, (0.12, 0.06), 0.85
# Where it goes on as far as was looked, which is a strip so wide and so much of it long, inches, it is looked
# once more so far out, inches, unless its edge is as clear as this, and that counts if it is so much clearer.
LIMIT_IN, FARTHER_IN, GROWN_FROM, GROWN_CLEARER = (0.1, 0.2), 1.1, 0.95, 0.025
# What is bare so far from what was found is table; so much more of the second edge must be clear to count.
FAR_IN, CLEARER, CLEAR_ENOUGH, BENT = 0.25, 0.15, 0.8, 0.5
# Shadows lie so near to what casts them, inches, and leave between so much of the light; what they leave
# where none is seen, and at the deepest. So many of a hundred places in shadows are deeper than deep.
SHADED_IN, SHADED_AT, USUAL_SHADE, SHADES, DEEP = 0.7, (0.25, 0.85), (0.54, 0.0, 0.0), (0.3, 0.8), 15.0
# How much their tint may be in full dark, how far apart tints are tried and how far off in Lab a place may
# be; and how many places of that tint make a shadow of one piece.
MOST_TINT, TINT_STEP, ALIKE_TINT, ENOUGH = 24.0, 4.0, 2.5, 40.0
# An edge drawn anew that encloses less or more than so much of what was found is none.
AS_LARGE = (0.5, 3.0)
# Then it is settled in a ribbon along it: so far apart along and across, to so far on each side, inches,
# after it was smoothed by so much.
ALONG_IN, STEP_IN, BAND_IN, SOFT_IN = 0.1, 0.025, 0.6, 0.06
# An edge is a change of colour over so many inches; so much of it is as clear as can be. What it weighs, what
# the colours on both sides weigh, and how far it goes from where it was, inches.
SIDE_IN, CLEAR_STEP, EDGE_WEIGHT, REGION_WEIGHT, NEAR_IN = 0.1, 12.0, 3.0, 0.25, 0.15
# It bends by so many steps at most from place to place, and what one of them costs.
TURN, BEND = 4, 0.25
# So many pixels tell the colours of a thing, and so many colours: those of what lies so far inside, inches.
# So many tell those of lines.
FEW, OWN_COLOURS, INSIDE_IN, LINE_COLOURS = 600, 8, 0.1, 5
# How far colours of one thing differ, in Lab, what shade costs, and how unlike anything may be at most.
COLOUR_SD, SHADE_COSTS, THING_MOST, TABLE_MOST, LIGHT_IN = 5.0, 4.0, 2.0, 5.0, 1.5


def outlined(
    image: Image, surface: Surface, seen: Look, blob: Mask, shadow: Shade | None = None
) -> tuple[FloatArray | None, float]:
    """The outline of a blob, (n, 2) inches, drawn in the picture itself, and its deviation, inches.

    The picture is cut into parts of one colour, each of which is the thing's or the table's
    (`vision.segments`); beside that, what surely belongs to it and what lies about it are each taken as a few
    colours, and between them the edge goes where colours change (`cv2.grabCut`). In a ribbon along each the
    cheapest closed line is taken, by change of colour and by what lies on both sides, and from that to where
    the light is half-way; of both the one that is seen the clearer counts. How far it goes from where the
    look had it, and how much of it lies beside pieces and shadows, says how clear it is. What the look had a
    part of is looked for farther out. `shadow` is what `shadow_of` makes of the look, where that is known.
    """
    shadow = shadow_of(seen) if shadow is None else shadow
    drawn = _drawn(image, surface, seen, blob, blob, shadow)
    if drawn.wider is not None and drawn.clearness < GROWN_FROM:
        farther = _drawn(image, surface, seen, blob, drawn.wider, shadow, FARTHER_IN)
        drawn = farther if farther.clearness > drawn.clearness + GROWN_CLEARER else drawn
    return drawn.outline, drawn.sd


@dataclass(frozen=True, eq=False)
class _Drawn:
    """An outline, (n, 2) inches, its deviation, and how clearly it is seen.

    `wider` is what the thing is for all that is seen, where it goes on to as far as was looked.
    """

    outline: FloatArray | None
    sd: float
    clearness: float
    wider: Mask | None = None


def _drawn(
    image: Image,
    surface: Surface,
    seen: Look,
    blob: Mask,
    found: Mask,
    shadow: Shade,
    reach: float = ABOUT_IN,
) -> _Drawn:
    """The outline of a blob, of which so much was found, no farther from that than it may reach, inches."""
    flat, own = seen.flat, found
    rough = _polygon(flat.places(rim_of(own)))
    x, y, w, h = cv2.boundingRect(own)
    corners = np.array([(x, y), (x + w, y + h)], np.float64) + MARGIN_IN * PER_INCH * np.array([[-1], [1]])
    low, high = flat.places(corners)
    w, h = (int(n) + 1 for n in np.ceil((high - low) * FINE))
    places = pixels_below(surface, low, (w, h), FINE)
    crop = cv2.remap(image, places, None, cv2.INTER_LINEAR)  # type: ignore[call-overload]
    crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), 0.8), np.uint8)
    scale = FINE / PER_INCH
    move = np.column_stack([np.eye(2) * scale, -corners[0] * scale])

    def fine(mask: Mask) -> Mask:
        return as_mask(cv2.warpAffine(mask, move, (w, h), flags=cv2.INTER_NEAREST))

    found, hidden = fine(own), fine(seen.hidden)
    others = fine(as_mask(sum((b for b in seen.blobs if b is not blob), np.zeros_like(blob)) > 0))
    about = as_mask(cv2.dilate(found, _round(reach)))
    never = as_mask((about ^ 1) | hidden | others)
    core = as_mask(as_mask(cv2.erode(found, _round(CORE_IN))) & fine(seen.sure))
    core = as_mask((core if core.any() else as_mask(found & fine(seen.sure))) & (hidden ^ 1))
    if rough is None or not core.any() or not never.any():
        return _Drawn(None if rough is None else _ring(rough), EDGE_SD_IN, -1.0)
    lab = cv2.cvtColor(crop, cv2.COLOR_BGR2LAB).astype(np.float32)
    bare, printed = fine(seen.bare), as_mask(fine(seen.printed) & (hidden ^ 1))
    cloth = _cloth(lab, bare)
    prints = _prints(lab, seen, printed, move)
    if seen.likeness is not None:
        # Where the table was seen before what lies below is known, its clouds and prints and all.
        known = fine(seen.likeness.known)
        before = cv2.warpAffine(seen.likeness.expected, move, (w, h), flags=cv2.INTER_LINEAR)
        cloth = np.where(
            known[..., None] > 0, cv2.cvtColor(before, cv2.COLOR_BGR2LAB).astype(np.float32), cloth
        )
    as_table = _table_costs(lab, cloth, prints)

    def costs(piece: Mask) -> NDArray[np.float32]:
        # What was found may be the lit top alone: what a piece is cut from has its dark sides' colours, too.
        inside = as_mask(core | as_mask(cv2.erode(piece, _round(INSIDE_IN))))
        return _region_costs(lab, as_table, hidden, inside)

    far = as_mask(never | as_mask(bare & (as_mask(cv2.dilate(found, _round(FAR_IN))) ^ 1)))

    first = cut(*parts(crop, cloth, prints, bare, shadow, core, far), core, never)
    wider = _gone_on(first, about, move, own)

    def pieces() -> Iterator[Mask]:
        yield first
        yield _grabbed(crop, found, core, never)

    # A thin one was found with its shadow.
    lit = cv2.countNonZero(as_mask(found & (fine(seen.shady) ^ 1))) / max(cv2.countNonZero(found), 1)
    polygon, drawn, clear, clearness = clearest_of(pieces(), rough, lit, low, crop, costs, hidden)
    if drawn is None or clear is None:
        return _Drawn(_ring(polygon), EDGE_SD_IN, clearness, wider)
    # Beside a piece or a shadow that might be its own dark side the edge is not seen.
    dim = as_mask(cv2.dilate(as_mask(hidden | (fine(seen.shady) & (found ^ 1))), _round(CORE_IN)))
    spots = np.clip(np.rint((drawn - low) * FINE).astype(int), 0, (w - 1, h - 1))
    seen_there = clear & (dim[spots[:, 1], spots[:, 0]] == 0)
    apart = shapely.distance(rough.exterior, shapely.points(drawn)) / 2.0
    sds = np.maximum(np.where(seen_there, SHARP_SD_IN, DIM_SD_IN), apart)
    sd = float(np.clip(_one_sd(sds), SHARP_SD_IN, UNSEEN_SD_IN))
    return _Drawn(_ring(polygon), sd, clearness, wider)


def _prints(lab: Lab, seen: Look, printed: Mask, move: FloatArray) -> list[tuple[Mask, Lab]]:
    """The prints of a crop, to which `move` leads: masks of where each may be, and its colours there."""
    prints, lines, size = [], printed, printed.shape[::-1]
    for of in seen.prints:
        zone, unlike_it = (
            cv2.warpAffine(m, move, size, flags=cv2.INTER_NEAREST) for m in (of.surely, of.unlike)
        )
        if zone.any():
            there = cv2.warpAffine(of.local, move, size, flags=cv2.INTER_LINEAR)
            prints.append((as_mask(zone), np.asarray(there, np.float32)))
            lines = as_mask(lines & (as_mask(unlike_it) | (as_mask(zone) ^ 1)))
    few = _few(lab, lines, LINE_COLOURS)
    return [*prints, *((printed, np.broadcast_to(colour, lab.shape)) for colour in few)]


def _gone_on(piece: Mask, about: Mask, move: FloatArray, found: Mask) -> Mask | None:
    """What was found with a piece of a crop that goes on as far as was looked, which is `about`; None else.

    `move` leads to the crop.
    """
    limit = as_mask(about ^ as_mask(cv2.erode(about, _round(LIMIT_IN[0]))))
    if cv2.countNonZero(limit & piece) <= LIMIT_IN[0] * LIMIT_IN[1] * FINE**2:
        return None
    back = cv2.warpAffine(255 * piece, cv2.invertAffineTransform(move), found.shape[::-1])
    return as_mask(found | as_mask(back > 127))


def clearest_of(
    pieces: Iterable[Mask],
    rough: Polygon,
    lit: float,
    low: FloatArray,
    crop: Image,
    costs: Callable[[Mask], NDArray[np.float32]],
    hidden: Mask,
) -> tuple[Polygon, FloatArray | None, NDArray[np.bool_] | None, float]:
    """The outline, as a polygon and places (n, 2) in inches, that is seen the clearest, where, how clearly.

    The next piece of a crop that begins at `low`, inches, is looked at only if none before was clear enough.
    `costs` tells of a piece by how much each pixel is unlike it more than it is unlike the table.
    """
    clearest, best, drawn, clear = -1.0, rough, None, None
    least, most = (share * rough.area for share in (AS_LARGE[0] * lit, AS_LARGE[1]))
    for whole in pieces:
        piece = without_hairs(in_one(whole))
        about = _polygon(rim_of(piece) / FINE + low) if piece.any() else None
        if about is None or not least < about.area < most:
            continue
        best = about if best is rough else best
        ribbon = _Ribbon.along(about, low)
        if ribbon is None:
            continue
        line, there = ribbon.settled(crop, costs(piece), hidden)
        inside = _polygon(line)
        if inside is None or not least < inside.area < most:
            continue
        # What lies on tables is round or has few corners.
        bent = inside.exterior.length / inside.convex_hull.exterior.length - 1.0
        clearness = float(there.mean()) - BENT * bent
        if clearness > clearest + CLEARER:
            clearest, best, drawn, clear = clearness, inside, line, there
        if clearest > CLEAR_ENOUGH:
            break
    return best, drawn, clear, clearest


def in_one(whole: Mask) -> Mask:
    """Join the parts of a piece that lie a little apart, as what is thin looks over lines: (h, w)."""
    if _mostly_one(whole, cv2.countNonZero(whole)):
        return whole
    return as_mask(cv2.morphologyEx(whole, cv2.MORPH_CLOSE, _round(JOINS_IN)))


def without_hairs(whole: Mask) -> Mask:
    """A piece without what is too thin to be a part of it, as a line beside it; but a fence is all thin."""
    piece, count = whole, cv2.countNonZero(whole)
    for hair in HAIRS_IN:
        piece = as_mask(cv2.morphologyEx(whole, cv2.MORPH_OPEN, _round(hair)))
        if _mostly_one(piece, count):
            break
    return piece


def _mostly_one(piece: Mask, count: int) -> bool:
    """Whether the largest part of a piece has most of so many pixels."""
    _, _, stats = parts_of(piece)
    return bool(stats[1:, cv2.CC_STAT_AREA].max(initial=0) >= MOST_OF_IT * count)


def _round(radius: float) -> Mask:
    """A disk of so many inches in a crop for OpenCV's morphology."""
    size = 2 * max(1, round(radius * FINE)) + 1
    return as_mask(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))


def _grabbed(crop: Image, found: Mask, core: Mask, never: Mask) -> Mask:
    """What of a crop is more like the thing's colours than like those about it, (h, w)."""
    (h, w) = found.shape
    labels = np.full((h, w), cv2.GC_PR_BGD, np.uint8)
    labels[found > 0] = cv2.GC_PR_FGD
    labels[core > 0] = cv2.GC_FGD
    labels[never > 0] = cv2.GC_BGD
    # The ribbon finds the edge to a fraction of a pixel: half the size will do here.
    half = (max(w // 2, 1), max(h // 2, 1))
    labels = as_mask(cv2.resize(labels, half, interpolation=cv2.INTER_NEAREST))
    if not (labels == cv2.GC_FGD).any() or not (labels == cv2.GC_BGD).any():
        return np.zeros_like(found)
    # The rectangle is not looked at where there is a mask.
    models = np.zeros((1, 65)), np.zeros((1, 65))
    small = cv2.resize(crop, half, interpolation=cv2.INTER_AREA)
    cv2.grabCut(small, labels, (0, 0, 1, 1), *models, 3, cv2.GC_INIT_WITH_MASK)
    taken = as_mask((labels == cv2.GC_FGD) | (labels == cv2.GC_PR_FGD))
    return as_mask(cv2.resize(taken * 255, (w, h), interpolation=cv2.INTER_LINEAR) > 127)


def shadow_of(seen: Look) -> Shade:
    """Shadows in a look: what they leave of the cloth's light, and how they tint it.

    What is dark about known pieces and about what is found is mostly shadow, and shadows are alike: what most
    of it has in common is one.
    """
    dark = _dark(seen)
    if len(dark.share) < FEW // 10:
        return USUAL_SHADE
    alike = dark.commonest()
    known = alike & dark.known
    told = known if known.sum() >= FEW // 5 else alike
    if told.sum() < FEW // 10:
        return USUAL_SHADE
    deep = float(np.clip(np.percentile(dark.share[told], DEEP), *SHADES))
    a, b = np.median(dark.tints[told], axis=0) * (1.0 - deep)
    return deep, float(a), float(b)


@dataclass(frozen=True, eq=False)
class _Dark:
    """Dark places (n,) about pieces and things: their share of the cloth's light, and what tints them (n, 2).

    A tint is what a and b would be off by in full dark. `about` numbers what casts them, and `known` is where
    that is a piece.
    """

    share: NDArray[np.float32]
    tints: NDArray[np.float32]
    about: NDArray[np.int32]
    known: NDArray[np.bool_]

    def commonest(self) -> NDArray[np.bool_]:
        """The places of one tint that lie about the most pieces and things."""
        depth = 1.0 - self.share
        most, alike = 0.0, np.zeros(len(self.share), bool)
        each = np.arange(-MOST_TINT, MOST_TINT + 1.0, TINT_STEP)
        off = [[((of - tint) * depth) ** 2 for tint in each.astype(np.float32)] for of in self.tints.T]
        weights = np.where(self.known, 2.0, 1.0)
        for tint, (a, b) in zip(itertools.product(each, each), itertools.product(*off), strict=True):
            near = a + b < ALIKE_TINT**2
            # What casts a shadow has colours of its own: each counts but once.
            counts = np.bincount(self.about[near], weights[near])
            count = float(np.minimum(counts / ENOUGH, 1.0).sum()) - math.hypot(*tint) / MOST_TINT
            if count > most:
                most, alike = count, near
        return alike


def _dark(seen: Look) -> _Dark:
    """Where it is dark about known pieces and what is found."""
    # Every other pixel tells it.
    half = np.s_[::2, ::2]
    lab, found = seen.lab[half], as_mask(sum(seen.blobs, np.zeros_like(seen.bare)))[half]
    casting = as_mask(found | seen.hidden[half])
    lit = as_mask(seen.bare[half] & (seen.shady[half] ^ 1) & (seen.printed[half] ^ 1))
    lit &= as_mask(cv2.dilate(casting, flat_disk(FAR_IN / 2.0))) ^ 1
    weights = lit.astype(np.float32)
    sums = np.dstack([lab * weights[..., None], weights])
    sums = cv2.GaussianBlur(sums, (0, 0), LIGHT_IN * PER_INCH / 2.0)
    cloth = sums[..., :3] / np.maximum(sums[..., 3:], 1e-3)
    share = (lab[..., 0] + BLACK) / (cloth[..., 0] + BLACK)
    about, beside = (as_mask(cv2.dilate(m, flat_disk(SHADED_IN / 2.0))) for m in (casting, seen.hidden[half]))
    dark = (sums[..., 3] > 0.02) & (seen.view[half] > 0) & (seen.printed[half] == 0) & (about > 0)
    dark &= (share < SHADED_AT[1]) & (share > SHADED_AT[0])
    shares = share[dark]
    off = [(lab[..., k][dark] - 128.0) - (cloth[..., k][dark] - 128.0) * shares for k in (1, 2)]
    tints = np.stack(off, axis=1) / (1.0 - shares)[:, None]
    _, which = cv2.connectedComponents(about)
    return _Dark(shares, tints, np.asarray(which[dark], np.int32), beside[dark] > 0)


@dataclass(frozen=True, eq=False)
class _Ribbon:
    """Places across an outline: `pixels` (n, m, 2) of a crop, the m across from inside to outside.

    Its line goes as far as `near` from the outline, inches: less of what is thin.
    """

    places: FloatArray
    across: FloatArray
    pixels: NDArray[np.float32]
    near: float

    @staticmethod
    def along(edge: Polygon, low: FloatArray) -> _Ribbon | None:
        """The ribbon along a polygon in inches, whose crop begins at `low`; None if it is too short."""
        thick = 2.0 * edge.area / edge.length
        rounded = min(SOFT_IN, thick / 6.0)
        soft = edge.buffer(rounded, 4).buffer(-2.0 * rounded, 4).buffer(rounded, 4)
        ring = (soft if isinstance(soft, Polygon) and not soft.is_empty else edge).exterior
        count = round(ring.length / ALONG_IN)
        if count < 16:
            return None
        ats = np.linspace(0.0, ring.length, count, endpoint=False)
        corners = shapely.get_coordinates(ring)
        along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
        places = np.column_stack([np.interp(ats, along, of) for of in corners.T])
        way = np.roll(places, -2, axis=0) - np.roll(places, 2, axis=0)
        across = np.column_stack([way[:, 1], -way[:, 0]])
        across *= np.sign(_turn(places)) / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-9)
        samples = np.arange(-BAND_IN, BAND_IN + 1e-9, STEP_IN)
        pixels = (places[:, None] + samples[None, :, None] * across[:, None] - low) * FINE
        return _Ribbon(places, across, pixels.astype(np.float32), min(NEAR_IN, thick / 4.0))

    def settled(
        self, crop: Image, costs: NDArray[np.float32], hidden: Mask
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """The likeliest closed line in the ribbon, (n, 2) inches, and where an edge is seen along it."""
        lab = cv2.cvtColor(crop, cv2.COLOR_BGR2LAB).astype(np.float32) * np.array([0.5, 1, 1], np.float32)
        # What is half inside and half outside is so in the light, not in what a camera makes of it.
        light = np.power(crop.astype(np.float32) / 255.0, 2.2)
        bands = self._sampled(np.dstack([lab, costs, hidden.astype(np.float32), light]))
        bands = (np.roll(bands, 1, axis=0) + bands + np.roll(bands, -1, axis=0)) / 3.0
        colours, pull, unseen, bright = bands[..., :3], bands[..., 3], bands[..., 4], bands[..., 5:]
        reach = round(SIDE_IN / STEP_IN)
        sums = np.cumsum(colours, axis=1)
        steps = np.zeros(pull.shape)
        inner = (sums[:, reach:-reach] - np.pad(sums, ((0, 0), (1, 0), (0, 0)))[:, : -2 * reach - 1]) / (
            reach + 1
        )
        outer = (sums[:, 2 * reach :] - sums[:, reach:-reach]) / reach
        steps[:, reach:-reach] = np.minimum(np.linalg.norm(outer - inner, axis=2) / CLEAR_STEP, 1.5)
        steps *= 1.0 - np.minimum(unseen, 1.0)
        # What is inside costs what it is unlike the thing, what is outside what it is unlike the table.
        region = np.cumsum(pull, axis=1) * REGION_WEIGHT * (STEP_IN / 0.05)
        offsets = np.arange(pull.shape[1]) - pull.shape[1] // 2
        near = 0.5 * (offsets * STEP_IN / self.near) ** 2
        cost = region - EDGE_WEIGHT * steps + near[None]
        cost[:, : reach + 1] = cost[:, -reach - 1 :] = 1e3
        best = _best(cost)
        fine, clear = _crossing(colours, bright, best)
        return self.places + ((offsets[best] + fine) * STEP_IN)[:, None] * self.across, clear

    def _sampled(self, image: NDArray[np.float32]) -> NDArray[np.float32]:
        maps = self.pixels
        parts = [
            cv2.remap(
                np.ascontiguousarray(image[..., k]),
                maps,
                None,
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_REPLICATE,
            )  # type: ignore[call-overload]
            for k in range(image.shape[2])
        ]
        return np.dstack(parts).astype(np.float32)


def _crossing(
    colours: NDArray[np.float32], light: NDArray[np.float32], best: NDArray[np.intp]
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """How many steps beyond each place the light is half that inside, half that outside; and where clear."""
    n, m, _ = colours.shape
    rows, near, far = np.arange(n)[:, None], round(SIDE_IN * 0.75 / STEP_IN), round(SIDE_IN * 1.75 / STEP_IN)

    def taken(of: NDArray[np.float32], low: int, high: int) -> NDArray[np.float64]:
        return np.asarray(of[rows, np.clip(best[:, None] + np.arange(low, high + 1), 0, m - 1)], np.float64)

    step = taken(colours, -far, -near).mean(axis=1) - taken(colours, near, far).mean(axis=1)
    clear = np.linalg.norm(step, axis=1) > CLEAR_STEP / 2.0
    outside = taken(light, near, far).mean(axis=1)
    way = taken(light, -far, -near).mean(axis=1) - outside
    size = np.maximum((way**2).sum(axis=1), 1e-9)[:, None]
    share = ((taken(light, -near, near) - outside[:, None]) * way[:, None]).sum(axis=2) / size
    fine = np.where(clear, np.clip(share, 0.0, 1.0).sum(axis=1) - near - 0.5, 0.0)
    around = np.stack([np.roll(fine, k) for k in (-2, -1, 0, 1, 2)])
    return np.asarray(np.partition(around, 2, axis=0)[2]), np.asarray(clear)


def _turn(ring: FloatArray) -> float:
    """Twice the area that a ring (n, 2) encloses, positive counter-clockwise."""
    x, y = ring.T
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())


def _best(cost: NDArray[np.float64]) -> NDArray[np.intp]:
    """The offset at each place of the cheapest closed line: twice around, and the middle of it taken."""
    n, m = cost.shape
    bends = BEND * np.abs(np.arange(-TURN, TURN + 1)) ** 1.5
    back = np.zeros((2 * n, m), np.intp)
    padded = np.full(m + 2 * TURN, 1e6)
    sums = padded[TURN : TURN + m]
    sums[:] = cost[0]
    from_where = np.lib.stride_tricks.sliding_window_view(padded, 2 * TURN + 1)
    ways, places = np.empty((m, 2 * TURN + 1)), np.arange(m) * (2 * TURN + 1)
    taken, best, every = np.empty(m, np.intp), np.empty(m), ways.ravel()
    for row, came_from in zip((*cost[1:], *cost), back[1:], strict=True):
        np.add(from_where, bends, out=ways)
        ways.argmin(axis=1, out=came_from)
        np.add(places, came_from, out=taken)
        every.take(taken, out=best, mode="clip")
        np.add(row, best, out=sums)
    came = (np.clip(np.arange(m) + back - TURN, 0, m - 1)).tolist()
    at = int(sums.argmin())
    line = [at]
    for k in range(2 * n - 1, 0, -1):
        at = came[k][at]
        line.append(at)
    line.reverse()
    return np.array([*line[n : n + n // 2], *line[n // 2 : n]], np.intp)


def _one_sd(sds: FloatArray) -> float:
    """One deviation for an outline of places with these: 95 % of all lie within 1.96 of it."""
    low, high = 0.0, 4.0 * float(sds.max())
    # Most have one of two.
    each, counts = np.unique(sds, return_counts=True)
    for _ in range(12):
        middle = (low + high) / 2
        inside = float(np.dot([math.erf(middle / (s * math.sqrt(2.0))) for s in each], counts)) / len(sds)
        low, high = (middle, high) if inside < 0.95 else (low, middle)
    return high / 1.96


def _cloth(lab: Lab, bare: Mask) -> Lab:
    """The cloth's colour about each pixel of a crop, (h, w, 3)."""
    # The light changes slowly: an eighth of the size tells it.
    (h, w), sigma = bare.shape, LIGHT_IN * FINE / 8
    weights = bare.astype(np.float32)
    small = np.dstack([lab * weights[..., None], weights])
    small = cv2.resize(small, (max(w // 8, 1), max(h // 8, 1)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma)
    share = small[..., 3:]
    cloth = np.where(share > 1e-3, small[..., :3] / np.maximum(share, 1e-3), 0.0).astype(np.float32)
    return np.asarray(cv2.resize(cloth, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def _table_costs(lab: Lab, cloth: Lab, prints: Sequence[tuple[Mask, Lab]]) -> NDArray[np.float32]:
    """How unlike the table each pixel of a crop is, no more than at most, (h, w).

    The table is its cloth about there, or what is printed on it, in any shade: masks of where each print may
    be, and its colours there.
    """
    table = _unlike(lab, np.asarray(cloth))
    for zone, colour in prints:
        table = np.where(zone > 0, np.minimum(table, _unlike(lab, colour)), table)
    return np.asarray(np.minimum(table, TABLE_MOST), np.float32)


def _region_costs(lab: Lab, table: NDArray[np.float32], hidden: Mask, inside: Mask) -> NDArray[np.float32]:
    """By how much each pixel of a crop is unlike what is `inside` more than it is the table, (h, w)."""
    thing, planes = np.full(table.shape, THING_MOST, np.float32), cv2.split(lab)
    for colour in _few(lab, inside, OWN_COLOURS):
        off = [(of - at) * weight for of, at, weight in zip(planes, colour, (0.4, 1.0, 1.0), strict=True)]
        thing = np.minimum(thing, sum(of * of for of in off) / (2.0 * COLOUR_SD**2))
    costs = thing - table
    costs[hidden > 0] = 0.0
    return np.asarray(costs, np.float32)


def _few(lab: NDArray[np.float32], mask: Mask, count: int) -> NDArray[np.float32]:
    """A few colours (k, 3) that stand for those of a mask."""
    colours = colours_of(lab, mask)
    colours = np.ascontiguousarray(colours[:: max(len(colours) // FEW, 1)])
    if len(colours) < 30:
        return np.empty((0, 3), np.float32)
    cv2.setRNGSeed(1)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 10, 1.0)
    _, _, middles = cv2.kmeans(colours, count, None, stop, 1, cv2.KMEANS_PP_CENTERS)  # type: ignore[call-overload]
    return np.asarray(middles, dtype=np.float32)


def _unlike(lab: NDArray[np.float32], ground: NDArray[np.float32]) -> NDArray[np.float32]:
    """How unlike the ground in any shade colours are: half the squared deviations."""
    light, *colours = cv2.split(lab)
    below, *there = np.moveaxis(ground, -1, 0)
    dimmed = np.minimum((light + BLACK) / (below + BLACK), 1.0)
    a, b = (of - 128.0 - (was - 128.0) * dimmed for of, was in zip(colours, there, strict=True))
    lighter = np.maximum(light - IN_GLARE * below, 0.0) * 0.4
    darker = np.maximum(SHADOW * below - light, 0.0) * 0.4
    shade = np.clip(1.0 - light / np.maximum(below, 1.0), 0.0, 1.0) * SHADE_COSTS
    return np.asarray((a * a + b * b + lighter**2 + darker**2 + shade**2) / (2.0 * COLOUR_SD**2), np.float32)


def _polygon(outline: FloatArray) -> Polygon | None:
    """A thing's outline with no more corners than it needs; None if it encloses nothing."""
    if len(outline) < 3:
        return None
    polygon = Polygon(outline)
    # To mend one takes longer than to see that it is sound.
    polygon = polygon if polygon.is_valid else polygon.buffer(0)
    if not isinstance(polygon, Polygon):
        polygon = max(polygon.geoms, key=lambda p: p.area)
    polygon = polygon.simplify(0.25 / FINE)
    return polygon if isinstance(polygon, Polygon) and polygon.area > 0 else None


def _ring(polygon: Polygon) -> FloatArray:
    return np.array(polygon.exterior.coords)[:-1]
