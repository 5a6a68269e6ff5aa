"""The whole picture, read for what is missing: at once, or beside on another core.

A search is slow; where play must not wait for it, it runs in a thread of its own on the newest
picture (libapriltag and OpenCV release the interpreter lock), and what it finds is looked for
again at that place in the frame that is current by then. Read offline, a search is over within
its frame, so that a recording gives the same answers on every run.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.fiducials import TagKey
from vision.frame import Detection, Frame, Image
from vision.tags.codebook import Guess, TagLike, tag_like
from vision.tags.reading import WORTH_GUESSING, Expected, TagReader, elsewhere

# Frames averaged at most, and by how many counts a pixel may differ and still be the same still.
AVERAGED = 8
SAME = 16
# Tags with a black square smaller than this need more than a general reader, pixels.
SMALL_PX = 30.0
# Places looked at in one search, and how many in the picture are worth a look at all.
PLACES_A_SEARCH = 40
PLACES = 160
# Sizes tried about the expected one: height and tilt change it across the table.
SIZES = (1.0, 0.94, 1.06)
# Tags of which one is larger than another by no more than this are sought as of one size.
ALIKE = 1.2
# A tag found beside is looked for this far from there in the frame that is current by then, in
# sides of its square.
REACH = 0.5


@dataclass(frozen=True, eq=False)
class Wanted:
    """A missing tag and the side its black square has in the picture, pixels (None: not known)."""

    family: str
    tag: int
    side: float | None = None


class StillPicture:
    """The average of the last frames wherever nothing changes."""

    def __init__(self) -> None:
        self._sum: NDArray[np.float32] | None = None
        self._frames = 0

    def add(self, grey: Image) -> Image:
        """Takes one more frame; returns the average, 8 bits."""
        if self._sum is None or self._sum.shape != grey.shape:
            self._sum, self._frames = grey.astype(np.float32), 1
            return grey
        self._frames = min(self._frames + 1, AVERAGED)
        changed = cv2.absdiff(grey, cv2.convertScaleAbs(self._sum)) > SAME
        cv2.accumulateWeighted(grey, self._sum, 1.0 / self._frames)
        if changed.any():
            wide = cv2.dilate(changed.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
            np.copyto(self._sum, grey, where=wide)
        return np.asarray(cv2.convertScaleAbs(self._sum), dtype=np.uint8)


@dataclass
class Search:
    """Looks for missing tags in whole pictures. A search gives what it saw in that very frame."""

    reader: TagReader
    _still: StillPicture = field(default_factory=StillPicture, repr=False)
    _tried: dict[tuple[int, int, int], int] = field(default_factory=dict, repr=False)

    def look(self, frame: Frame, wanted: Sequence[Wanted], *, thorough: bool) -> list[Detection]:
        """Everything in play that can be read in a frame, with more effort for what is wanted.

        An id that is in view twice is given twice.
        """
        found = {(d.family, d.tag): d for d in self.reader.read_all(frame, thorough=thorough)}
        copies = self.reader.copies
        small = [
            w for w in wanted if (w.family, w.tag) not in found and w.side is not None and w.side < SMALL_PX
        ]
        if small:
            for d in self._look_closely(frame, small, list(found.values())):
                found.setdefault((d.family, d.tag), d)
        return [*found.values(), *copies]

    def look_again(
        self, frame: Frame, wanted: Sequence[Wanted], known: Sequence[Detection]
    ) -> list[Detection]:
        """What is wanted and small, in a single picture: every place worth a look is looked at once.

        For a picture that stands alone and was read before: `known` are its detections.
        """
        found: dict[TagKey, Detection] = {}
        for _ in range(math.ceil(PLACES / PLACES_A_SEARCH)):
            small = [
                w
                for w in wanted
                if (w.family, w.tag) not in found and w.side is not None and w.side < SMALL_PX
            ]
            if not small:
                break
            keys = {(w.family, w.tag) for w in small}
            for d in self._look_closely(frame, small, [*known, *found.values()]):
                if (d.family, d.tag) in keys:
                    found.setdefault((d.family, d.tag), d)
        return list(found.values())

    def _look_closely(
        self, frame: Frame, small: Sequence[Wanted], known: Sequence[Detection]
    ) -> list[Detection]:
        """The closed codebook wherever something tag-like sits, on the average of still frames."""
        grey = frame.grey
        average = self._still.add(grey)
        guesses: list[Guess] = []
        tried: dict[tuple[int, int, int], int] = {}
        for family in sorted({w.family for w in small} & set(self.reader.codebooks)):
            for side in _sizes([w.side for w in small if w.family == family and w.side is not None]):
                for place in self._places(average, side, known, tried):
                    guesses += self._guess(average, family, place, side)
        # Only what is still there is remembered, so that this never grows.
        self._tried = tried
        likely = self.reader.confirm_guesses(average, guesses)
        again = [Guess(1.0, d.family, d.tag, d.corners) for d in likely]
        return self.reader.confirm_guesses(grey, again)

    def _guess(self, grey: Image, family: str, place: TagLike, side: float) -> list[Guess]:
        book = self.reader.codebooks[family]
        tried = [g for s in SIZES for g in book.guesses(grey, place, s * side, self.reader.blur, 1)]
        worth = [g for g in tried if g.score >= WORTH_GUESSING]
        return sorted(worth, key=lambda g: -g.score)[:2]

    def _places(
        self, grey: Image, side: float, known: Sequence[Detection], tried: dict[tuple[int, int, int], int]
    ) -> list[TagLike]:
        """The places to look at this time: the strongest of those that were tried least, told in `tried`."""
        places = [
            p
            for p in tag_like(grey, side, PLACES)
            if all(np.hypot(*(d.centre - (p.x, p.y))) > 0.5 * d.side for d in known)
        ]
        cells = [(round(side), int(p.x // side), int(p.y // side)) for p in places]
        order = sorted(range(len(places)), key=lambda k: (self._tried.get(cells[k], 0), k))
        chosen = order[:PLACES_A_SEARCH]
        tried |= {c: self._tried.get(c, 0) for c in cells if c not in tried}
        for k in chosen:
            tried[cells[k]] += 1
        return [places[k] for k in chosen]


def _sizes(sides: Sequence[float]) -> list[float]:
    """One size for all tags that are about as large, smallest first: a car's is not sought as a rock's."""
    sizes: list[list[float]] = []
    for side in sorted(sides):
        if sizes and side <= ALIKE * sizes[-1][0]:
            sizes[-1].append(side)
        else:
            sizes.append([side])
    return [alike[len(alike) // 2] for alike in sizes]


class Now:
    """Searches at once, in the caller's thread; `over` is the time of the newest frame that was searched."""

    def __init__(self, reader: TagReader) -> None:
        self._search = Search(reader)
        self._found: list[Detection] = []
        self.over = -math.inf

    def start(self, frame: Frame, wanted: Sequence[Wanted], *, thorough: bool) -> bool:
        """Begins a search in `frame`; False if one is still under way."""
        self._found, self.over = self._search.look(frame, wanted, thorough=thorough), frame.time
        return True

    def finds(self, _frame: Frame, _found: Mapping[TagKey, Detection]) -> list[Detection]:
        """What the search just started has found, in its own frame."""
        found, self._found = self._found, []
        return found

    def close(self) -> None:
        """Nothing runs on."""


class Beside:
    """Searches in a thread of its own, one search at a time, on the frame that was newest then.

    `over` is the time of the newest frame of which the search is over.
    """

    def __init__(self, reader: TagReader) -> None:
        self._reader = reader
        # It polishes with the reader's codebooks but keeps no places of its own in it.
        self._search = Search(TagReader(reader.keys, reader.blur))
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="tableref-searches")
        self._running: Future[list[Detection]] | None = None
        self._began = self.over = -math.inf

    def start(self, frame: Frame, wanted: Sequence[Wanted], *, thorough: bool) -> bool:
        """Begins a search in `frame`; False if one is still under way, or all is over."""
        if self._running is not None:
            return False
        try:
            self._running = self._pool.submit(self._search.look, frame, list(wanted), thorough=thorough)
        except RuntimeError:
            # Closed, or the interpreter is shutting down.
            return False
        self._began = frame.time
        return True

    def finds(self, frame: Frame, found: Mapping[TagKey, Detection]) -> list[Detection]:
        """What a search has seen since and `found` lacks, or has elsewhere, as it is in `frame`."""
        if self._running is None or not self._running.done():
            return []
        done, self._running, self.over = self._running, None, self._began
        # What went wrong in a search is told once, with this frame; the next one searches anew.
        seen = done.result()
        times = Counter((d.family, d.tag) for d in seen)
        missing, again = [], []
        for d in seen:
            key = (d.family, d.tag)
            hint = Expected(d.family, d.tag, d.corners, REACH * d.side)
            if key not in found and times[key] == 1:
                missing.append(hint)
            elif key not in found or elsewhere(d, found[key]):
                again.append(hint)
        reads = self._reader.read_near(frame, missing) if missing else []
        # What is in view twice has no one place to be followed at: each is read where it was seen.
        for hint in again:
            if hint.family in self._reader.codebooks:
                near = self._reader.read_region(frame.grey, hint)
                reads += [d for d in near if (d.family, d.tag) == hint.key]
        return reads

    def close(self) -> None:
        """Waits for the search under way and begins no other: nothing of it runs into the process's end."""
        self._pool.shutdown(wait=True, cancel_futures=True)
