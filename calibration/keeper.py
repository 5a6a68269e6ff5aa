"""Keeps the surface while the camera hangs still: averages corner tags, notices a bump."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from calibration.bundle import SeenTag, misplaced, solve_surface
from calibration.lens.model import Lens
from calibration.surface import SeenCorner, Surface, SurfaceError

# Corner tags that all appear this far from where they were, for so many frames, mean that the
# camera (or the table) has moved; a single one means a hand or a nudged print.
MOVED_PX = 1.2
MOVED_FRAMES = 3
AVERAGED = 60
# The part of a read's variance that stays the same from frame to frame (see vision.polish).
LASTING = 0.4

# Roof tags that help to settle a guessed lens: so many reads, at most one a tag in each square of
# the picture of this side, pixels.
RAISED = 40
CELL_PX = 80

# Corner tags that fit worse than this are looked at one by one for the culprit, inches.
DOUBTFUL_IN = 0.03

Key = tuple[str, int]


@dataclass
class _Mean:
    """A flat tag's running mean in the image."""

    seen: SeenCorner | SeenTag
    count: int = 1

    def offset(self, seen: SeenCorner | SeenTag) -> float:
        """Pixels between where the tag is seen and where it was."""
        return float(np.linalg.norm((seen.corners - self.seen.corners).mean(axis=0)))

    def add(self, seen: SeenCorner | SeenTag) -> None:
        self.count = min(self.count + 1, AVERAGED)
        share = 1.0 / self.count
        self.seen = replace(
            self.seen,
            corners=self.seen.corners + (seen.corners - self.seen.corners) * share,
            covariance=self.seen.covariance + (seen.covariance - self.seen.covariance) * share,
        )

    @property
    def average(self) -> SeenCorner | SeenTag:
        kept = LASTING + (1.0 - LASTING) / self.count
        return replace(self.seen, covariance=self.seen.covariance * kept)


class SurfaceKeeper:
    """The surface of one table under one camera through time.

    `frame` names the two tags that set the table's frame where no places are stated. `problem`
    and `misplaced` are sentences for people, None while all is well.
    """

    def __init__(self, lens: Lens, frame: tuple[Key, Key] | None = None) -> None:
        self.lens = lens
        self.surface: Surface | None = None
        self.problem: str | None = None
        self.misplaced: str | None = None
        self.moved_at: float | None = None
        self._frame = frame
        self._means: dict[Key, _Mean] = {}
        self._raised: dict[tuple[Key, int, int], SeenTag] = {}
        self._suspicious = 0
        self._solved_with = 0

    @property
    def unsteady(self) -> bool:
        """Whether the last frame looked as if the camera were moving: nothing should be ruled from it."""
        return self._suspicious > 0

    def update(
        self,
        time: float,
        corners: Iterable[SeenCorner],
        loose: Iterable[SeenTag] = (),
        raised: Iterable[SeenTag] = (),
    ) -> bool:
        """Takes one frame's tags; True if the camera has been found to have moved.

        `loose` lie flat at unknown places; `raised` are roof tags of known height, which are only
        used while the lens is a guess: each at some different places.
        """
        seen: list[SeenCorner | SeenTag] = [*corners, *loose]
        known = [s for s in seen if _key(s) in self._means]
        off = [s for s in known if self._means[_key(s)].offset(s) > MOVED_PX]
        if len(off) >= 2 and 2 * len(off) > len(known):
            self._suspicious += 1
            if self._suspicious < MOVED_FRAMES:
                return False
            self._means.clear()
            self._raised.clear()
            self._suspicious, self._solved_with, self.moved_at = 0, 0, time
            self._take(seen, raised)
            return True
        self._suspicious = 0
        self._take([s for s in seen if s not in off], raised)
        return False

    def _take(self, seen: Iterable[SeenCorner | SeenTag], raised: Iterable[SeenTag]) -> None:
        for s in seen:
            key = _key(s)
            if key in self._means:
                self._means[key].add(s)
            else:
                self._means[key] = _Mean(s)
        if self.lens.guessed:
            for tag in raised:
                x, y = (tag.corners.mean(axis=0) // CELL_PX).astype(int)
                if len(self._raised) < RAISED:
                    self._raised.setdefault((tag.key, int(x), int(y)), tag)
        # Solving again is worth it as long as there is much to gain: at 1, 2, 4, 8 … reads.
        worth = sum(m.count.bit_length() for m in self._means.values()) + len(self._raised).bit_length()
        if worth != self._solved_with:
            self._solved_with = worth
            self._solve()

    def _solve(self) -> None:
        averages = [m.average for m in self._means.values()]
        corners = [a for a in averages if isinstance(a, SeenCorner)]
        loose = [a for a in averages if isinstance(a, SeenTag)]
        try:
            surface = solve_surface(self.lens, corners, [*loose, *self._raised.values()], self._frame)
        except SurfaceError as error:
            self.problem = str(error)
            return
        self.surface, self.problem = surface, None
        found = misplaced(self.lens, corners) if corners and surface.residual > DOUBTFUL_IN else None
        self.misplaced = found.words if found is not None else None


def _key(seen: SeenCorner | SeenTag) -> Key:
    return (seen.corner.family, seen.corner.tag) if isinstance(seen, SeenCorner) else seen.key
