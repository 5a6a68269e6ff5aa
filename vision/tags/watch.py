"""The tags in play through time, in pixels: where each is expected next, and what is searched for.

Nothing here knows of the table; identity comes from reads alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from calibration.fiducials import TagKey
from vision.frame import Detection, Frame
from vision.tags.copies import Copies
from vision.tags.reading import Expected, TagReader
from vision.tags.search import Beside, Now, Wanted

# Seconds between readings of the whole picture while a tag in play is missing, and how long a
# known tag may be unread before the whole picture is searched for it.
SEARCH_EVERY_S = 0.5
SEARCH_AFTER_S = 0.4
# A tag that has never been seen (its piece is still in the box) is looked for less and less often.
PATIENT_EVERY_S = 3.0
PATIENT_AFTER_S = 10.0
# Beside, on another core, the picture is searched for second tags of an id even if none is missing.
COPIES_EVERY_S = 10.0
# A tag not read for so long is expected where it was, not where it was going.
COASTS_S = 0.5
# What a hand may do between two frames: pixels by which a tag strays from where it was going, in
# sides of its square; and, as a share of the way it has just gone, more.
STRAYS = 0.3
SWERVES = 0.6
FARTHEST = 1.5
STILL_PX = 0.3

SideOf = Callable[[TagKey], float | None]


@dataclass(frozen=True, eq=False)
class Last:
    """A tag's last read and how it moved in the picture: pixels and radians a second."""

    detection: Detection
    time: float
    velocity: tuple[float, float] = (0.0, 0.0)
    turning: float = 0.0

    def then(self, detection: Detection, time: float) -> Last:
        """With one read more."""
        span = time - self.time
        if not 0.0 < span < COASTS_S:
            return Last(detection, time)
        # By diagonals: plain numbers, for this runs for every tag of every frame.
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = self.detection.corners.tolist()
        (ex, ey), (fx, fy), (gx, gy), (hx, hy) = detection.corners.tolist()
        velocity = (ex + fx + gx + hx - ax - bx - cx - dx), (ey + fy + gy + hy - ay - by - cy - dy)
        before, after = (bx - dx, by - dy), (fx - hx, fy - hy)
        turned = math.atan2(
            before[0] * after[1] - before[1] * after[0], before[0] * after[0] + before[1] * after[1]
        )
        return Last(detection, time, (velocity[0] / 4 / span, velocity[1] / 4 / span), turned / span)

    def expect(self, time: float) -> Expected:
        """Where the tag ought to be by now."""
        d, span = self.detection, time - self.time
        if span >= COASTS_S:
            return Expected(d.family, d.tag, d.corners, 0.6 * d.side)
        turned = self.turning * span
        gone = math.hypot(*self.velocity) * span + 0.5 * abs(turned) * d.side
        reach = min(STRAYS * d.side + SWERVES * gone, FARTHEST * d.side)
        if gone < STILL_PX:
            return Expected(d.family, d.tag, d.corners, reach)
        centre, moved = d.corners.mean(axis=0), np.array(self.velocity) * span
        cos, sin = math.cos(turned), math.sin(turned)
        corners = (d.corners - centre) @ np.array([[cos, sin], [-sin, cos]]) + centre + moved
        return Expected(d.family, d.tag, corners, reach, still=False)


class Watch:
    """Reads the tags in play from frames in order of time.

    With `beside` whole pictures are searched in a thread of their own and play is never held up;
    without, every search is over within its frame and a recording reads the same on every run.
    `searches` counts the searches begun. `searched` is the time of the newest picture of which a search for
    what is missing was over before the last frame; infinite while nothing is missing.
    """

    def __init__(self, keys: Iterable[TagKey], *, beside: bool = False) -> None:
        self.reader = TagReader.of(keys)
        self._search: Now | Beside = Beside(self.reader) if beside else Now(self.reader)
        self._copies = Copies(self.reader)
        self._beside = beside
        self._last: dict[TagKey, Last] = {}
        self._began: float | None = None
        self._searched_at: float | None = None
        self.searches, self.searched = 0, math.inf

    @property
    def unseen(self) -> frozenset[TagKey]:
        """Tags in play that have never been read."""
        return self.reader.keys - self._last.keys()

    @property
    def doubled(self) -> frozenset[TagKey]:
        """Tags in play that are in view twice: only what continues an old place is read, else neither."""
        return self._copies.doubled

    @property
    def copies(self) -> dict[TagKey, tuple[Detection, ...]]:
        """Where each tag in play was seen that is in view twice and read at none of both places."""
        return self._copies.places

    def restart(self) -> None:
        """Forgets every place: the pictures have become others."""
        self._last.clear()
        self._copies = Copies(self.reader)
        self._began = None

    def close(self) -> None:
        """Ends the search beside, once it is through with its picture."""
        self._search.close()

    def read(self, frame: Frame, side_of: SideOf = lambda _: None) -> list[Detection]:
        """The tags in play that this frame shows: near where they are expected, and elsewhere.

        `side_of` tells the side in pixels that a missing tag's black square ought to have.
        """
        if self._began is None:
            self._began = frame.time
        expected = [last.expect(frame.time) for last in self._last.values()]
        found = {(d.family, d.tag): d for d in self.reader.read_near(frame, expected)}
        if self._search_due(frame.time, found):
            wanted = [Wanted(*k, self._side(k, side_of)) for k in sorted(self.reader.keys - found.keys())]
            thorough = self.searches % 4 == 0
            if self._search.start(frame, wanted, thorough=thorough):
                self._searched_at = frame.time
                self.searches += 1
        before = {key: last.detection for key, last in self._last.items()}
        for d in self._copies.believed(frame.time, self._search.finds(frame, found), found, before):
            found[d.family, d.tag] = d
        for d in self._copies.check(frame, found):
            found[d.family, d.tag] = d
            self.reader.leave((d.family, d.tag))
            del self._last[d.family, d.tag]
        for key, d in found.items():
            last = self._last.get(key)
            self._last[key] = Last(d, frame.time) if last is None else last.then(d, frame.time)
        return list(found.values())

    def _side(self, key: TagKey, side_of: SideOf) -> float | None:
        last = self._last.get(key)
        return last.detection.side if last is not None else side_of(key)

    def _search_due(self, time: float, found: dict[TagKey, Detection]) -> bool:
        late = any(
            key not in found and time - last.time >= SEARCH_AFTER_S for key, last in self._last.items()
        )
        lacks = late or bool(self.unseen)
        self.searched = self._search.over if lacks else math.inf
        if self._searched_at is None:
            return True
        patient = time - (self._began or 0.0) > PATIENT_AFTER_S
        every = SEARCH_EVERY_S if late or not patient else PATIENT_EVERY_S
        if not lacks:
            # Nothing is missing, but a second tag with an id in play may have been put down.
            return self._beside and time - self._searched_at >= COPIES_EVERY_S
        return time - self._searched_at >= every - 1e-9
