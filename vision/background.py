"""How the table looks where nothing lies: what was seen of it, kept, and held against later pictures.

Cloth that was seen bare is bare while it looks as it did, whatever the light; and where it was seen, nothing
is printed that was not there. What is printed is so while it looks as it did.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.flat import Lab, Mask, as_mask, disk
from vision.frame import Image

# What is cloth at two looks so far apart is remembered, and what is printed at two so far apart, seconds.
CLOTH_STAYS_S, PRINT_STAYS_S = 2.0, 10.0
# A place looks as it did if its colours, in the mean of so many pixels, are off by so much in L and in a and
# b; and it looks like something else if they are off by so much more.
MEAN_PX, AS_BEFORE, UNLIKE = 2.0, (5.0, 2.0), (16.0, 7.0)
# The light is told by pixels that are neither so dark nor so bright, if there are so many.
TELLING, ENOUGH = (8, 250), 50
# Beside what lies there, inches, nothing is remembered.
BESIDE_IN = 0.5
# What is remembered is begun anew when so little of the cloth in view has looked as it did for so long.
STALE, STALE_S = 0.5, 20.0


@dataclass(frozen=True, eq=False)
class Background:
    """Where cloth was seen bare and where something is printed, (h, w) of ones, and its picture, BGR."""

    cloth: Mask
    printed: Mask
    picture: Image

    def held_against(self, picture: Image, lab: Lab, free: Mask) -> Likeness:
        """How a picture, BGR and in Lab, compares with it where the table may be seen."""
        expected = self.in_the_light_of(picture, free)
        off = np.asarray(lab - cv2.cvtColor(expected, cv2.COLOR_BGR2LAB), np.float32)
        mean = np.asarray(cv2.GaussianBlur(off, (0, 0), MEAN_PX), np.float32)
        return Likeness(self, expected, _within(mean, AS_BEFORE), _within(off, UNLIKE))

    def in_the_light_of(self, picture: Image, free: Mask) -> Image:
        """What it would look like in the light of a picture."""
        some = (self.cloth | self.printed)[::4, ::4] & free[::4, ::4]
        before, now = (p[::4, ::4][some > 0] for p in (self.picture, picture))
        table = np.arange(256.0)
        tables = []
        for k in range(3):
            telling = (now[:, k] < TELLING[1]) & (before[:, k] > TELLING[0]) & (before[:, k] < TELLING[1])
            few = np.s_[:] if telling.sum() < ENOUGH else telling
            gains = now[few, k] / np.maximum(before[few, k], 1.0)
            gain = float(np.median(gains)) if len(gains) else 1.0
            tables.append(np.clip(np.rint(table * gain), 0, 255).astype(np.uint8))
        return np.asarray(cv2.LUT(self.picture, np.stack(tables, axis=1)[None]), np.uint8)


def _within(off: Lab, most: tuple[float, float]) -> Mask:
    """Where L, and a and b, are off by no more than so much: (h, w) of ones."""
    limits = np.array([most[0], most[1], most[1]])
    return as_mask(cv2.inRange(off, -limits, limits) > 0)


@dataclass(frozen=True, eq=False)
class Likeness:
    """A picture held against a background: what that looks like in its light, BGR, and masks (h, w).

    `as_before`: it looks just as it did. `like`: it is not plainly something else.
    """

    background: Background
    expected: Image
    as_before: Mask
    like: Mask

    @property
    def bare(self) -> Mask:
        """Cloth that was seen before and looks as it did."""
        return as_mask(self.background.cloth & self.as_before)

    @property
    def printed(self) -> Mask:
        """What was printed there and may be so still."""
        return as_mask(self.background.printed & self.like)

    @property
    def covered(self) -> Mask:
        """Where cloth was seen and something else is seen now: nothing is printed there."""
        return as_mask(self.background.cloth & (self.like ^ 1))


@dataclass(frozen=True, eq=False)
class _Seen:
    """What a look at some time showed of the table."""

    time: float
    cloth: Mask
    printed: Mask
    picture: Image


class BackgroundMemory:
    """Puts a background together from looks."""

    def __init__(self) -> None:
        self.background: Background | None = None
        self._cloth: _Seen | None = None
        self._print: _Seen | None = None
        self._stale_since: float | None = None

    def forget(self) -> None:
        """The camera hangs elsewhere: everything is seen anew."""
        self.background = self._cloth = self._print = self._stale_since = None

    def take(self, time: float, picture: Image, lab: Lab, cloth: Mask, printed: Mask, beside: Mask) -> None:
        """Takes what a look showed of cloth and prints; `beside` is what lies on it, all (h, w) of ones."""
        if self._cloth is not None and self._cloth.cloth.shape != cloth.shape:
            self.forget()
        if self._cloth is not None and time - self._cloth.time < CLOTH_STAYS_S - 1e-6:
            return
        cloth = as_mask(cloth & (as_mask(cv2.dilate(beside, disk(BESIDE_IN))) ^ 1))
        before, now = self.background, _Seen(time, cloth, printed, picture)
        likeness = None if before is None else before.held_against(picture, lab, cloth)
        if likeness is not None and self._is_stale(now, likeness):
            self.forget()
            return
        learned, printing = np.zeros_like(cloth), np.zeros_like(cloth)
        if self._cloth is not None:
            learned = as_mask(self._cloth.cloth & cloth)
            if likeness is not None:
                # What looks otherwise than it did is in a shadow, or something lies there that nobody sees.
                known = as_mask(likeness.background.cloth | likeness.background.printed)
                learned &= likeness.as_before | (known ^ 1)
        self._cloth = now
        if self._print is None:
            self._print = now
        elif time - self._print.time >= PRINT_STAYS_S - 1e-6:
            both = Background(
                np.zeros_like(cloth), as_mask(self._print.printed & printed), self._print.picture
            )
            printing, self._print = both.held_against(picture, lab, both.printed).printed, now
            learned &= printing ^ 1
        anew = as_mask(learned | printing)
        if likeness is None:
            self.background = Background(learned, printing, picture)
        elif anew.any():
            kept = likeness.expected.copy()
            cv2.copyTo(picture, anew, kept)
            was = likeness.background
            self.background = Background(
                as_mask((was.cloth | learned) & (printing ^ 1)), as_mask(was.printed | printing), kept
            )

    def _is_stale(self, now: _Seen, likeness: Likeness) -> bool:
        """Whether what is remembered is not what is seen, for long."""
        there = int(cv2.countNonZero(likeness.background.cloth & now.cloth))
        if there == 0 or cv2.countNonZero(likeness.bare & now.cloth) >= STALE * there:
            self._stale_since = None
            return False
        self._stale_since = now.time if self._stale_since is None else self._stale_since
        return now.time - self._stale_since >= STALE_S
