"""What is printed on a cloth in large pieces, as a road: grounds of their own, with lines on them.

A print is larger than things are from end to end, and of few colours. It goes on below known pieces and below
what is no larger than things are, and in shadows that lie on it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.background import BLACK
from vision.flat import (
    PER_INCH,
    Lab,
    Mask,
    as_mask,
    chosen,
    colours_of,
    disk,
    labelled,
    middle_level,
    middle_of,
    parts_of,
    touching,
)
from vision.ground import (
    BROAD_IN,
    EVERY,
    IN_SHADE,
    LEAST_CHROMA,
    LEAST_LIGHTER,
    LINES_IN,
    PRINTED_IN,
    SCATTERS,
    SHADES,
    in_full,
    off_ground,
    smoothed,
)

# What is printed has few colours: each is so much of it.
COMMON = 0.08
# Beside a print lines lie no farther than this, inches; what is broader than twice the second is no line, and
# one that is as large, square inches, but no longer than things are, is none.
BESIDE_IN, LINE_IN, LEAST_LYING = 0.5, 0.35, 1.0
# A print goes on into nothing that is no broader than twice so much, inches, as a fence with its shadow.
FENCE_IN = 0.45
# What comes over a print's edge, as a fence does, is beside it so many times as long as broad, and no more of
# its rim is at that edge; from there it goes straight on, no less and no more than so many inches.
SLENDER, AT_IT, ONWARD_IN = 2.5, 0.3, (1.0, 3.0)
# What juts out of a print over the line along its edge, as a telephone across a road's, lies beyond the strip
# that most of it is, and is no smaller, square inches. The print has a line along so much of its edge; what
# juts out has none along more than so much of its own, mostly at the cloth, nor has what joins both.
LEAST_JUT, LINED, UNLINED = 1.0, 0.6, 0.35
# A strip is as broad as most of it to such a share.
AS_BROAD = 0.15
# A line along an edge stands out by so many levels of its light at the least.
LEAST_LINE = 8.0
# Of every fourth pixel so many tell a print; it goes on over gaps of twice so many inches.
FEW, GAPS_IN = 20, 0.8
# What leads from one part of a print to another is no smaller, square inches.
LEAST_STRAIT = 0.1
# Below a piece goes on what shows on two sides of it, each no smaller, square inches.
LEAST_JOINED = 2.0


@dataclass(frozen=True, eq=False)
class Print:
    """A large piece of the table with a colour of its own, as masks (h, w).

    `surely` is where it was found, its gaps filled, and `zone` where it may go on. `coloured` and `dark`:
    where a picture is not it, by colour or brightness, and by darkness. `shady`: where it may be in a shade.
    `local` is its colour as the light on it has it, Lab (h, w, 3).
    """

    surely: Mask
    zone: Mask
    coloured: Mask
    dark: Mask
    shady: Mask
    local: Lab

    @property
    def unlike(self) -> Mask:
        """Where a picture is not it."""
        return as_mask(self.coloured | self.dark)

    def with_lines(self, foreign: Mask) -> Mask:
        """Tell where it is, and what lines are on it of what is `foreign`: neither it nor the cloth."""
        return as_mask(as_mask(self.zone & (self.unlike ^ 1)) | self._lines(_thin(foreign)))

    def _lines(self, thin: Mask) -> Mask:
        """What is thin: beside it, or on it and either small or longer than things are."""
        thin = as_mask(thin & self.zone)
        along = as_mask(thin & as_mask(cv2.dilate(self.surely, disk(BESIDE_IN))) & (self.surely ^ 1))
        _, labels, stats = parts_of(as_mask(thin & self.surely))
        longest = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
        small = stats[:, cv2.CC_STAT_AREA] < LEAST_LYING * PER_INCH**2
        keep = as_mask(small | (longest > PRINTED_IN * PER_INCH))
        keep[0] = 0
        return as_mask(along | chosen(keep, labels))

    def crossing(self, seen: Mask, edge: Mask) -> Mask:
        """Tell what of what is `seen` goes straight on to it from beside it, as a fence over its edge.

        What lies along the table's `edge` is what the cloth ends at, and goes past the print's end.
        """
        found = np.zeros_like(seen)
        beyond = as_mask(seen & (self.zone ^ 1))
        contours, _ = cv2.findContours(beyond, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        near = as_mask(cv2.dilate(self.zone, np.ones((3, 3), np.uint8)))
        for contour in contours:
            if not 0.0 < float((near[contour[:, 0, 1], contour[:, 0, 0]] > 0).mean()) < AT_IT:
                continue
            middle, (w, h), turn = cv2.minAreaRect(contour)
            if max(w, h) < SLENDER * max(min(w, h), LINE_IN * PER_INCH):
                continue
            if float((edge[contour[:, 0, 1], contour[:, 0, 0]] > 0).mean()) > AT_IT:
                continue
            onward = 2.0 * ONWARD_IN[1] * PER_INCH
            longer = (w + onward, h + 2.0) if w > h else (w + 2.0, h + onward)
            strip = np.zeros_like(seen)
            cv2.fillPoly(strip, [np.rint(cv2.boxPoints((middle, longer, turn))).astype(np.int32)], 1)
            # What goes along an edge, as a line does, does not go onto the print.
            if cv2.countNonZero(strip & self.surely) > ONWARD_IN[0] * PER_INCH * min(longer):
                found |= strip
        return touching(as_mask(found & seen), beyond)


def _thin(mask: Mask) -> Mask:
    """What of a mask is no broader than lines are."""
    broad = as_mask(cv2.morphologyEx(mask, cv2.MORPH_OPEN, disk(LINE_IN)))
    return as_mask(mask & (as_mask(cv2.dilate(broad, np.ones((3, 3), np.uint8))) ^ 1))


def prints_of(
    lab: Lab, candidates: Mask, plain: Mask, free: Mask, hidden: Mask, black: float
) -> tuple[Print, ...]:
    """Find what is printed among `candidates`; it goes on in what is `plain`: foreign to the cloth for sure.

    `free` is where the table may be seen, and `hidden` what is below known pieces. No shadow leaves less of
    the light than `black`, as a share counted from black on.
    """
    seeds = _seeds(lab, candidates, hidden)
    bare = as_mask(free & (as_mask(cv2.dilate(as_mask(candidates | hidden), np.ones((3, 3), np.uint8))) ^ 1))
    return tuple(p for seed in seeds if (p := _grown(lab, seed, plain, free, black, bare)) is not None)


def uncrossed(prints: tuple[Print, ...], seen: Mask, edge: Mask) -> tuple[tuple[Print, ...], Mask]:
    """Leave out of prints what comes over their edges, of what is `seen` and is none; and tell it, a mask.

    `edge` is where the table ends.
    """
    over = np.zeros_like(seen)
    for own in prints:
        over |= own.crossing(seen, edge)
    rest = as_mask(over ^ 1)
    left = (replace(p, surely=as_mask(p.surely & rest), zone=as_mask(p.zone & rest)) for p in prints)
    return tuple(left), over


def _grown(lab: Lab, seed: Mask, plain: Mask, free: Mask, black: float, bare: Mask) -> Print | None:
    """The print, with its shadows and gaps, of which `seed` is a part; None if that is too small to tell.

    The cloth is seen where it is `bare`.
    """
    few, some = np.ascontiguousarray(lab[::EVERY, ::EVERY]), seed[::EVERY, ::EVERY] > 0
    if some.sum() < FEW:
        return None
    local = smoothed(few, some)
    chroma, light, _ = off_ground(few, local, 0.0)
    far = max(LEAST_CHROMA, SCATTERS * middle_of(chroma[some]))
    lighter = max(LEAST_LIGHTER, SCATTERS * 1.48 * middle_of(np.abs(light[some])))
    local = in_full(local, lab.shape)
    chroma, light, _ = off_ground(lab, local, 0.0)
    share = (cv2.extractChannel(lab, 0) + BLACK) / (cv2.extractChannel(local, 0) + BLACK)
    coloured, dark = as_mask((chroma > far) | (light > lighter)), as_mask(share < black)
    shady = as_mask((share >= black) & (share < IN_SHADE) & (chroma < SHADES * far))
    alike = as_mask(plain & (as_mask(coloured | dark) ^ 1))
    broad = as_mask(cv2.morphologyEx(alike, cv2.MORPH_OPEN, disk(FENCE_IN)))
    whole = touching(as_mask(broad | seed), seed)
    whole |= _between(as_mask(alike & (whole ^ 1)), whole)
    surely = as_mask(cv2.morphologyEx(whole, cv2.MORPH_CLOSE, disk(GAPS_IN)))
    surely &= _jutting(surely, _drawn(lab), free, bare) ^ 1
    zone = as_mask(as_mask(cv2.dilate(surely, disk(BESIDE_IN))) & free)
    return Print(surely, zone, coloured, dark, shady, local)


def _between(narrow: Mask, whole: Mask) -> Mask:
    """Tell what of what is narrow leads from one part of a print to another, as between a line and a car."""
    found, beside = np.zeros_like(whole), np.ones((3, 3), np.uint8)
    count, labels, stats = parts_of(narrow)
    for k in range(1, count):
        x, y, w, h, area = stats[k].tolist()
        if area < LEAST_STRAIT * PER_INCH**2:
            continue
        here = np.s_[max(y - 1, 0) : y + h + 1, max(x - 1, 0) : x + w + 1]
        part = as_mask(labels[here] == k)
        ends, _ = cv2.connectedComponents(as_mask(as_mask(cv2.dilate(part, beside)) & whole[here]))
        if ends > 2:
            found[here] |= part
    return found


def _jutting(whole: Mask, lines: NDArray[np.uint8], free: Mask, bare: Mask) -> Mask:
    """Tell what of a print juts out over the line along its edge, and is none.

    `lines` is by how much of its light what is thin differs from what is beside it (h, w).
    """
    found = np.zeros_like(whole)
    depth = np.asarray(cv2.distanceTransform(whole, cv2.DIST_L2, cv2.DIST_MASK_5), np.float32)
    core = as_mask(whole & _strip(depth))
    rest = as_mask(cv2.morphologyEx(as_mask(whole & (core ^ 1)), cv2.MORPH_OPEN, disk(LINES_IN)))
    near = as_mask(cv2.dilate(as_mask(lines * (whole ^ 1)), disk(LINES_IN)))
    # What is hidden may have a line, or none.
    seen = as_mask(cv2.erode(free, disk(LINES_IN)))
    edge = as_mask(whole & (as_mask(cv2.erode(whole, np.ones((3, 3), np.uint8))) ^ 1) & seen)
    along = as_mask(edge & (as_mask(cv2.dilate(rest, disk(LINES_IN))) ^ 1))
    if not along.any():
        return found
    # White lines stand out from bright cloth by less than from dark cloth.
    usual = middle_level(near, along)
    lined = as_mask(near > 0.75 * usual)
    if usual < LEAST_LINE or not _share(along, as_mask(near > usual / 2.0)) > LINED:
        return found
    beside, at_cloth = (as_mask(cv2.dilate(m, disk(by))) for m, by in ((core, LINES_IN), (bare, BESIDE_IN)))
    count, labels, stats = parts_of(rest)
    for k in range(1, count):
        _, _, w, h, area = stats[k].tolist()
        if area < LEAST_JUT * PER_INCH**2 or max(w, h) > PRINTED_IN * PER_INCH:
            continue
        part = as_mask(labels == k)
        own = as_mask(edge & as_mask(cv2.dilate(part, np.ones((3, 3), np.uint8))))
        seam = as_mask(beside & as_mask(cv2.dilate(part, np.ones((3, 3), np.uint8))))
        # What joins two parts of a print is one of it, as a road beside a shadow; and beside a thing it is
        # not told whether there is a line.
        rim = as_mask(part & (as_mask(cv2.erode(part, np.ones((3, 3), np.uint8))) ^ 1) & (beside ^ 1))
        told = labelled(seam)[0] == 2 and _share(rim, at_cloth) > LINED
        if told and max(_share(own, lined), _share(seam, lined)) < UNLINED:
            found |= part
    return found


def _strip(depth: NDArray[np.float32]) -> Mask:
    """Tell what of a print is a strip as broad as most of it; `depth` is how far its rim is away (h, w)."""
    ridge = (depth >= cv2.dilate(depth, np.ones((3, 3), np.uint8))) & (depth > 2.0)
    if not ridge.any():
        return as_mask(depth > 0.0)
    half = middle_of(depth[ridge])
    middle = as_mask(ridge & (np.abs(depth / half - 1.0) < AS_BROAD))
    away = cv2.distanceTransform(as_mask(middle ^ 1), cv2.DIST_L2, cv2.DIST_MASK_5)
    strip = as_mask(away[::2, ::2] <= (1.0 + AS_BROAD / 2.0) * half)
    # Where a shadow or a thing beside it makes it broader it goes on: half the size tells that.
    strip = as_mask(cv2.morphologyEx(strip, cv2.MORPH_CLOSE, disk(half / 2.0 / PER_INCH)))
    return as_mask(cv2.resize(strip, depth.shape[::-1], interpolation=cv2.INTER_NEAREST))


def _drawn(lab: Lab) -> NDArray[np.uint8]:
    """Tell by how much what is thin is lighter, or darker, than what is on both of its sides, (h, w)."""
    # Its levels are whole: as bytes they take half the time.
    light, broad = as_mask(cv2.extractChannel(lab, 0)), disk(LINE_IN)
    off = [cv2.morphologyEx(light, way, broad) for way in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT)]
    return as_mask(np.maximum(*off))


def _share(mask: Mask, other: Mask) -> float:
    """Give how much of a mask is in another one, 0 where it is empty."""
    return cv2.countNonZero(mask & other) / max(cv2.countNonZero(mask), 1)


def _seeds(lab: Lab, foreign: Mask, hidden: Mask) -> Iterator[Mask]:
    """Where something is printed on the cloth: a few colours, each from end to end larger than things are.

    What is no larger than things are is not printed, whatever it touches, as a book or a fence on a road. A
    print goes on below what is `hidden`, and below what is no larger than things are.
    """
    labels, boxes = _joined(foreign, hidden)
    for k, (x, y, w, h) in boxes.items():
        if max(w, h) <= PRINTED_IN * PER_INCH:
            continue
        here = np.s_[y : y + h, x : x + w]
        part = as_mask(labels[here] == k)
        for alike in _common(lab[here], part):
            whole = np.zeros_like(foreign)
            whole[here] = _large(as_mask(alike), part, hidden[here])
            yield whole


def _common(lab: Lab, part: Mask) -> list[Mask]:
    """The commonest colours of a part, each with those beside it: masks (h, w)."""
    inside = part > 0
    colours = colours_of(lab, part)
    levels = as_mask(colours)[:, None]
    steps, tolerance = np.array([16.0, 8.0, 8.0]), np.array([20.0, 8.0, 8.0])
    cells = levels[:, 0] >> np.array([4, 3, 3], np.uint8)
    codes = cells.astype(np.int32) @ np.array([1024, 32, 1], np.int32)
    common = np.flatnonzero(np.bincount(codes) > COMMON * len(colours))
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
            # Levels are whole, and so are the middles.
            close |= cv2.inRange(levels, middle - tolerance + 1.0, middle + tolerance - 1.0)[:, 0] > 0
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
    joining = as_mask(broad | as_mask(cv2.dilate(covering, disk(GAPS_IN))))
    return as_mask(_by_size(broad, joined=joining) | _by_size(as_mask(alike & (broad ^ 1))))


def _by_size(mask: Mask, *, joined: Mask | None = None, larger: bool = True) -> Mask:
    """What of a mask is larger than things are from end to end, or what is not.

    With `joined` what that joins is one.
    """
    count, labels = labelled(mask if joined is None else joined)
    labels = labels * mask
    keep = np.zeros(count, np.uint8)
    for n in np.unique(labels[labels > 0]):
        _, _, w, h = cv2.boundingRect(as_mask(labels == n))
        keep[n] = (max(w, h) > PRINTED_IN * PER_INCH) == larger
    return chosen(keep, labels)


def _joined(foreign: Mask, hidden: Mask) -> tuple[NDArray[np.int32], dict[int, tuple[int, int, int, int]]]:
    """The connected parts of a mask as labels (h, w), and about each the box (x, y, w, h), pixels.

    A seam between them is none, and two large parts that come out from below the same piece are one.
    """
    count, labels, stats = parts_of(as_mask(cv2.morphologyEx(foreign, cv2.MORPH_CLOSE, disk(GAPS_IN))))
    labels = np.where(foreign > 0, labels, 0)
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
    return np.take(one_of.astype(np.int32), labels), boxes


def _box(stats: NDArray[np.int32]) -> tuple[slice, slice]:
    """The rows and columns of a part of which OpenCV says where it begins and how large it is."""
    x, y, w, h, _ = stats.tolist()
    return slice(y, y + h), slice(x, x + w)
