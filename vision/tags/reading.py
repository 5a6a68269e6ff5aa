"""frame -> detections: which tags are in the picture, small and fast.

Known tags are looked for where they are expected: at the very place by one linear step, a little
further by matching their drawing, and in the region around by the closed codebook. The whole
picture is read for what is missing (see `vision.tags.search`). Every read, however it came about, is
confirmed against the codebook of the tags in play and polished (see `vision.tags.polish`): a tag that
is not in play is never reported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from calibration.fiducials import TagKey
from engine.space.geometry import FloatArray
from vision.frame import Detection, Frame, Image
from vision.tags.anchor import Anchors
from vision.tags.codebook import Codebook, Guess, tag_like
from vision.tags.pattern import LINEAR, pattern
from vision.tags.polish import MOST_PIXELS, QUICK, THOROUGH, Pace, Polished, Start, polish_all, side_of
from vision.tags.reader import STOCK_SD, TagRead, read_tags
from vision.tags.seek import seek

How = Literal["full", "region", "place"]

# Correlation of the pixels with the fitted pattern, and its lead over any other tag in play or
# any other way round, below which a read is not believed. A foreign tag of 15 px was once taken
# for one in play at a lead of .04; .06 cured it (measured on drawn frames).
CORRELATION = 0.80
LEAD = 0.06
# A fit started from an expectation alone, with no reader's decoding behind it, must be better.
CORRELATION_UNDECODED = 0.86
# What the inner modules alone must correlate at where no reader has decoded them: a tag that is not in
# play has the same border, and no rival in the codebook is it. Of 4,820 right and 16 wrong reads of drawn
# tags of 15 to 22 px, 99.5 % of the right ones had .967 and more, and no wrong one more than .917. It keeps
# out what is no tag of the family at all; those that are have their likest, below.
INNER_UNDECODED = 0.93
# And by how much better they must correlate than those of any other tag of the family, in play or not: a
# foreign tag is most of all like itself. Of 460 right reads of 15 px under a blur of 1.2 px the least had
# .044, of the foreign tags that came nearest to being believed the best had .018.
UNIQUE = 0.03
# Bits that the general reader may have had to correct.
FLAWS = 2
# How fast the blur of the lens is learned from the fits, and within which bounds, pixels.
LEARNED = 0.02
BLURS = (0.4, 1.6)
# Large tags are polished on this many of their pixels while they are tracked.
PIXELS = 700
# A tag of which that leaves many out is fitted by all of them once it has lain still for so many frames, one
# tag a frame: what the first fit was off by stays for as long as the tag is read at that place.
AT_REST_FRAMES = 2
# A match of the drawing worse than this is not worth fitting.
WORTH_FITTING = 0.45
TINY_PX = 16.0
# The same of the codebook's guesses.
WORTH_GUESSING = 0.5
# Turns that a hand gives a car from one frame to the next, beyond what is expected.
TURNS = tuple(math.radians(a) for a in (9, -9, 18, -18, 27, -27))
# A tag this near to where it was in the last frame has come to rest, pixels.
AT_REST_PX = 0.3
# So many tags a frame are looked for in the whole region around their place; the others wait, and
# one that was not found waits longer each time, up to so many frames.
SEARCHED_A_FRAME = 2
LONGEST_WAIT = 6

_TO_LINEAR_8 = np.clip(LINEAR * 255.0 + 0.5, 0, 255).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class Expected:
    """A tag in play and where its corners (4, 2) ought to be in the picture, pixels.

    `reach` is how far from there it may well be, pixels; `still` whether it did not move before.
    """

    family: str
    tag: int
    corners: FloatArray
    reach: float = 6.0
    still: bool = True

    @property
    def key(self) -> TagKey:
        """Family and id."""
        return self.family, self.tag


@dataclass
class TagReader:
    """Reads the tags in play (`keys`: family and id of each) from frames, in order of time.

    `copies` are what the last reading of a whole picture saw of ids besides what it returned: the same id
    at another place.
    """

    keys: frozenset[TagKey]
    blur: float = 0.8
    copies: tuple[Detection, ...] = ()
    _anchors: Anchors = field(default_factory=Anchors, repr=False)
    _rough: dict[TagKey, int] = field(default_factory=dict, repr=False)
    _due: dict[TagKey, tuple[int, int]] = field(default_factory=dict, repr=False)
    _frames: int = 0

    @classmethod
    def of(cls, keys: Iterable[TagKey]) -> TagReader:
        """A reader for these families and ids."""
        return cls(frozenset(keys))

    def __post_init__(self) -> None:
        tags: dict[str, list[int]] = {}
        for family, tag in sorted(self.keys):
            if pattern(family, tag) is not None:
                tags.setdefault(family, []).append(tag)
        self.codebooks = {family: Codebook(family, tuple(ids)) for family, ids in tags.items()}

    @property
    def families(self) -> list[str]:
        """The families in play, AprilTag's own first."""
        return sorted({family for family, _ in self.keys}, key=lambda f: (f.startswith("DICT_"), f))

    def read_all(self, frame: Frame, *, thorough: bool = True) -> list[Detection]:
        """The whole picture, slowly.

        Read in linear light (a tone curve makes black squares small) and, if `thorough`, also as
        delivered (dark corners of a picture get crushed in linear light).
        """
        grey = frame.grey
        reads = read_tags(_TO_LINEAR_8[grey], self.families)
        if thorough:
            reads += read_tags(grey, self.families)
        seen = self._believable(grey, reads, "full")
        best = {(d.family, d.tag): d for d in _best(seen)}
        self.copies = tuple(_apart(seen, best.values()))
        return list(best.values())

    def read_near(self, frame: Frame, expected: Sequence[Expected]) -> list[Detection]:
        """The tags expected in known places, fast: the tracked path of every frame."""
        grey = frame.grey
        self._frames += 1
        wanted = {e.key: e for e in expected}
        found = self._anchors.read(grey, wanted)
        self._refine(grey, found)
        moved = [e for k, e in wanted.items() if k not in found]
        if moved:
            found |= self._follow(grey, moved)
        missing = [e for e in moved if e.key not in found]
        if missing:
            found |= self._search(grey, missing)
        for key in found.keys() & self._due.keys():
            del self._due[key]
        return list(found.values())

    def leave(self, key: TagKey) -> None:
        """Reads a tag no longer at the very place where it lay: it is followed elsewhere."""
        self._anchors.drop(key)
        self._rough.pop(key, None)

    def _refine(self, grey: Image, found: dict[TagKey, Detection]) -> None:
        """Fits one of the tags that lie still by all its pixels, to read it by that from now on."""
        for key in self._rough.keys() & found.keys():
            self._rough[key] += 1
        due = next(
            (key for key, frames in self._rough.items() if key in found and frames >= AT_REST_FRAMES), None
        )
        if due is None:
            return
        del self._rough[due]
        fit = self._fits(grey, [TagRead(*due, found[due].corners)], THOROUGH, MOST_PIXELS)[0]
        if fit is not None and np.abs(fit.corners - found[due].corners).max() < AT_REST_PX:
            self._anchors.put(grey, due, fit)

    def _follow(self, grey: Image, moved: Sequence[Expected]) -> dict[TagKey, Detection]:
        """Tags that are not quite where they were: their drawings matched, then fitted."""
        starts: list[tuple[Expected, TagRead]] = []
        for e in moved:
            if pattern(e.family, e.tag) is None:
                continue
            match = seek(grey, e.family, e.tag, e.corners, e.reach, (), self.blur)
            if match is not None and match[0] >= WORTH_FITTING:
                starts.append((e, TagRead(e.family, e.tag, match[1])))
            elif e.still and side_of(e.corners) < TINY_PX:
                # So little is left of it inside its margin that the match says nothing.
                starts.append((e, TagRead(e.family, e.tag, e.corners)))
        found: dict[TagKey, Detection] = {}
        fits = self._fits(grey, [r for _, r in starts], QUICK, PIXELS)
        for (e, read), fit in zip(starts, fits, strict=True):
            detection = self._confirmed(grey, read, fit, "region", CORRELATION_UNDECODED)
            if detection is not None and fit is not None:
                found[e.key] = detection
                self._settle(grey, e, fit)
        return found

    def _settle(self, grey: Image, expected: Expected, fit: Polished) -> None:
        """Keeps the fit of a tag that lies where it was expected, to read it there again."""
        if expected.still and np.abs(fit.corners - expected.corners).max() < AT_REST_PX:
            self._anchors.put(grey, expected.key, fit)
            if side_of(fit.corners) ** 2 > PIXELS:
                self._rough[expected.key] = 0

    def _search(self, grey: Image, missing: Sequence[Expected]) -> dict[TagKey, Detection]:
        """The regions around some of the missing tags' places, those first that waited longest."""
        found: dict[TagKey, Detection] = {}
        waiting = [e for e in missing if self._frames >= self._due.get(e.key, (0, 0))[0]]
        waiting.sort(key=lambda e: (self._due.get(e.key, (0, 0)), e.key))
        for e in waiting[:SEARCHED_A_FRAME]:
            region = self.read_region if e.family in self.codebooks else self._read_undrawn
            for detection in region(grey, e):
                found.setdefault((detection.family, detection.tag), detection)
            failed = self._due.get(e.key, (0, 0))[1] + 1
            self._due[e.key] = (self._frames + min(failed, LONGEST_WAIT), failed)
        return found

    def _read_undrawn(self, grey: Image, expected: Expected) -> list[Detection]:
        """The general reader in a region: all there is for a family that nobody here can draw."""
        side = side_of(expected.corners)
        reach = 2.0 * side + expected.reach
        low = np.maximum(np.floor(expected.corners.mean(axis=0) - reach), 0).astype(int)
        high = np.ceil(expected.corners.mean(axis=0) + reach).astype(int) + 1
        region = grey[low[1] : high[1], low[0] : high[0]]
        if min(region.shape) < 1.5 * side:
            return []
        reads = read_tags(region, [expected.family])
        return self.believe(grey, [replace(r, corners=r.corners + low) for r in reads], "region")

    def read_region(self, grey: Image, expected: Expected) -> list[Detection]:
        """Whichever tags of the family lie around an expected place, any way round."""
        e, side = expected, side_of(expected.corners)
        guesses: list[Guess] = []
        turned = seek(grey, e.family, e.tag, e.corners, max(e.reach, 0.5 * side), TURNS, self.blur)
        if turned is not None and turned[0] >= WORTH_FITTING:
            guesses.append(Guess(turned[0], e.family, e.tag, turned[1]))
        centre = e.corners.mean(axis=0)
        reach = max(1.6 * side, side + e.reach)
        low = np.maximum(np.floor(centre - reach), 0).astype(int)
        high = np.minimum(np.ceil(centre + reach) + 1, (grey.shape[1], grey.shape[0])).astype(int)
        if (high - low < 1.5 * side).any():
            return []
        region = grey[low[1] : high[1], low[0] : high[0]]
        for place in tag_like(region, side, 3):
            for guess in self.codebooks[e.family].guesses(region, place, side, self.blur, 2):
                if guess.score >= WORTH_GUESSING:
                    guesses.append(guess._replace(corners=guess.corners + low))
        return self.confirm_guesses(grey, guesses)

    def guess_at(self, grey: Image, place: FloatArray, side: float) -> list[Detection]:
        """Whichever tags in play of about `side` pixels lie around a place (2,), if any do."""
        square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * side + place
        found: list[Detection] = []
        for family, book in self.codebooks.items():
            found += self.read_region(grey, Expected(family, book.tags[0], square))
        return _best(found)

    def confirm_guesses(self, grey: Image, guesses: Sequence[Guess]) -> list[Detection]:
        """Those of the codebook's guesses that the pixels bear out, the best of each tag."""
        reads = [TagRead(g.family, g.tag, g.corners) for g in guesses]
        fits = self._fits(grey, reads, THOROUGH, PIXELS)
        confirmed = [
            self._confirmed(grey, r, f, "region", CORRELATION_UNDECODED)
            for r, f in zip(reads, fits, strict=True)
        ]
        return _best(d for d in confirmed if d is not None)

    def believe(self, grey: Image, reads: Sequence[TagRead], how: How = "full") -> list[Detection]:
        """A general reader's reads as far as the pixels bear them out, the best of each tag."""
        return _best(self._believable(grey, reads, how))

    def _believable(self, grey: Image, reads: Sequence[TagRead], how: How) -> list[Detection]:
        reads = [r for r in reads if (r.family, r.tag) in self.keys and r.flaws <= FLAWS]
        fits = self._fits(grey, reads, THOROUGH, MOST_PIXELS)
        confirmed = [self._confirmed(grey, r, f, how, CORRELATION) for r, f in zip(reads, fits, strict=True)]
        return [d for d in confirmed if d is not None]

    def _fits(self, grey: Image, reads: Sequence[TagRead], pace: Pace, limit: int) -> list[Polished | None]:
        starts = [Start(r.family, r.tag, r.corners, self.blur) for r in reads]
        return polish_all(grey, starts, pace=pace, limit=limit)

    def _confirmed(
        self, grey: Image, read: TagRead, fit: Polished | None, how: How, least: float
    ) -> Detection | None:
        """The polished detection of a read, or None if the pixels do not bear it out."""
        if pattern(read.family, read.tag) is None:
            # Nobody here can draw this family: the reader's word and its corners are all there is.
            noise = np.eye(8) * STOCK_SD**2
            return Detection(read.family, read.tag, read.corners, noise, how) if read.flaws == 0 else None
        if fit is None or fit.correlation < least:
            return None
        drift = np.abs(fit.corners - read.corners).max()
        if drift > 0.2 * side_of(read.corners):
            return None
        book = self.codebooks[read.family]
        agreed = book.agreement(grey, read.tag, fit.corners, fit.blur)
        doubtful = agreed.inner < INNER_UNDECODED or agreed.unique < UNIQUE
        if agreed.lead < LEAD or (doubtful and least >= CORRELATION_UNDECODED):
            return None
        self.blur += LEARNED * (min(max(fit.blur, BLURS[0]), BLURS[1]) - self.blur)
        return Detection(read.family, read.tag, fit.corners, fit.covariance, how)


def elsewhere(a: Detection, b: Detection) -> bool:
    """Whether two reads of one id are of two tags: no two overlap."""
    return math.dist(a.centre, b.centre) > max(a.side, b.side)


def _apart(seen: Iterable[Detection], told: Iterable[Detection]) -> list[Detection]:
    """One detection of each tag besides those that are told, the surest first: an id may be there thrice."""
    known = list(told)
    others: list[Detection] = []
    for d in sorted(seen, key=lambda d: float(np.trace(d.covariance))):
        if all((d.family, d.tag) != (k.family, k.tag) or elsewhere(d, k) for k in (*known, *others)):
            others.append(d)
    return others


def _best(detections: Iterable[Detection]) -> list[Detection]:
    """The surest detection of each tag."""
    best: dict[TagKey, Detection] = {}
    for d in detections:
        other = best.get((d.family, d.tag))
        if other is None or np.trace(d.covariance) < np.trace(other.covariance):
            best[d.family, d.tag] = d
    return list(best.values())
