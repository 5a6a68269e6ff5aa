"""How the table looks where nothing lies: what was seen of it, kept, and held against later pictures.

Cloth that was seen bare is bare while it looks as it did, whatever the light; and where it was seen, nothing
is printed that was not there. What is printed is so while it looks as it did.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.flat import PER_INCH, Lab, Mask, as_mask, disk, middle_of
from vision.frame import Image

# What is cloth at two looks so far apart is remembered, and what is printed at two so far apart, seconds.
CLOTH_STAYS_S, PRINT_STAYS_S = 2.0, 10.0
# A place looks as it did if its colours, in the mean of so many pixels across, are off by so much in L, a and
# b; and it looks like something else if they are off by so much more.
MEAN_PX, AS_BEFORE, UNLIKE = 7, (5.0, 2.0), (16.0, 7.0)
# The light is told by pixels that are neither so dark nor so bright, if such a share of them is so.
TELLING, MOSTLY_TOLD = (8, 250), 0.5
# Over so many inches light may change: first by such a share, and then what is off by more is something else.
SLOWLY_IN, ALIKE_LIGHT, FAINTLY = 5.0, (0.4, 0.12), 0.01
# Black is as far below nought as this in L, as haze and noise make it.
BLACK = 41.0
# Of what blinds the camera a shade leaves so much at the least, but for so many levels.
LEAST_SHARE, BLINDED = 0.5, 12.0
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
        before, gains = self.picture.astype(np.float32), self._gains(picture, free)
        expected = np.asarray(cv2.multiply(before, gains, dtype=cv2.CV_8U), np.uint8)
        expected_lab = cv2.cvtColor(expected, cv2.COLOR_BGR2LAB).astype(np.float32)
        off = cv2.subtract(lab, expected_lab)
        mean = cv2.blur(off, (MEAN_PX, MEAN_PX))
        same = _within(mean, AS_BEFORE)
        as_before = same.copy()
        # In a shade a and b shrink with the light.
        light, *colours = cv2.split(mean)
        least, *there = cv2.split(expected_lab)
        dimmed = np.minimum(light / (least + BLACK), 0.0)
        shaded = light <= AS_BEFORE[0]
        for was, now in zip(there, colours, strict=True):
            shaded &= np.abs(now - (was - 128.0) * dimmed) <= AS_BEFORE[1]
        blinding = (cv2.inRange(expected, (0, 0, 0), (TELLING[1],) * 3) == 0) & (as_before == 0)
        if blinding.any():
            as_before[blinding] = _in_shade_of(before[blinding] * gains[blinding], picture[blinding])
        in_shade = as_mask(shaded | (as_before > 0))
        return Likeness(self, gains, expected, same, as_before, in_shade, _within(off, UNLIKE))

    def _gains(self, picture: Image, free: Mask) -> Lab:
        """By how much blue, green and red (h, w, 3) of a picture are brighter: slowly changing over it."""
        (h, w), step = free.shape, 4
        known = (self.cloth | self.printed)[::step, ::step] & free[::step, ::step]
        before, now = (p[::step, ::step].astype(np.float32) for p in (self.picture, picture))
        shares = now / np.maximum(before, 1.0)
        telling = (known > 0)[..., None] & (now < TELLING[1]) & (before > TELLING[0]) & (before < TELLING[1])
        light = np.array(
            [middle_of(shares[..., k][telling[..., k]]) if telling[..., k].any() else 1.0 for k in range(3)],
            np.float32,
        )
        local = np.broadcast_to(light, shares.shape)
        for most in ALIKE_LIGHT:
            weights = (telling & (np.abs(shares / local - 1.0) < most)).astype(np.float32)
            sums = cv2.GaussianBlur(
                np.dstack([shares * weights, weights]), (0, 0), SLOWLY_IN * PER_INCH / step
            )
            local = (sums[..., :3] + FAINTLY * light) / (sums[..., 3:] + FAINTLY)
        # What blinds the camera nearly everywhere is as much brighter as the colour that does so least.
        count = telling.sum(axis=(0, 1))
        local[..., count < MOSTLY_TOLD * (known > 0).sum()] = local[..., int(count.argmax()), None]
        return np.asarray(cv2.resize(local, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def _in_shade_of(bright: NDArray[np.float32], colours: NDArray[np.uint8]) -> Mask:
    """Where colours (n, 3) are what blinds the camera, BGR beyond 255, in a shade: (n,) of ones.

    What blinds it has lost its colour, and gets it back in a shade.
    """
    shares = np.where(colours < TELLING[1], colours / np.maximum(bright, 1.0), 0.0).max(axis=1)
    off = np.abs(np.minimum(bright * np.minimum(shares, 1.0)[:, None], 255.0) - colours).max(axis=1)
    return as_mask((shares > LEAST_SHARE) & (off < BLINDED))


def _within(off: Any, most: tuple[float, float]) -> Mask:
    """Where L, and a and b, are off by no more than so much: (h, w) of ones."""
    limits = np.array([most[0], most[1], most[1]])
    return as_mask(cv2.inRange(off, -limits, limits) > 0)


@dataclass(frozen=True, eq=False)
class Likeness:
    """A picture held against a background: what that looks like in its light, BGR, and masks (h, w).

    `gains`: by how much blue, green and red (h, w, 3) of it are brighter.
    `same`: it looks just as it did. `as_before`: or as what blinds the camera does in a shade. `shaded`: or
    in any shade. `like`: not plainly like something else.
    """

    background: Background
    gains: Lab
    expected: Image
    same: Mask
    as_before: Mask
    shaded: Mask
    like: Mask

    @property
    def known(self) -> Mask:
        """Where the table was seen before."""
        return as_mask(self.background.cloth | self.background.printed)

    @property
    def bare(self) -> Mask:
        """Cloth that was seen before and looks as it did."""
        return as_mask(self.background.cloth & self.as_before)

    @property
    def in_shade(self) -> Mask:
        """Cloth that was seen before and looks as it did, or as it would in a shade."""
        return as_mask(self.background.cloth & self.shaded)

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
        # What was learned when the same picture was taken twice.
        self._told: Background | None = None

    def forget(self) -> None:
        """The camera hangs elsewhere: everything is seen anew."""
        self.background = self._cloth = self._print = self._stale_since = self._told = None

    def take(
        self,
        time: float,
        picture: Image,
        lab: Lab,
        masks: tuple[Mask, Mask, Mask],
        likeness: Likeness | None = None,
    ) -> None:
        """Takes a look's picture, BGR and in Lab, and where it showed cloth, prints, and what lies on them.

        `likeness` is how it compares with this background, where that is known.
        """
        if self._cloth is not None and self._cloth.cloth.shape != masks[0].shape:
            self.forget()
        if self._cloth is not None and time - self._cloth.time < CLOTH_STAYS_S - 1e-6:
            return
        last = self._cloth
        if last is None or last.picture is not picture:
            self._told = None
        elif self._is_known(time):
            self._cloth = replace(last, time=time)
            return
        self._learn(time, picture, lab, masks, likeness)
        if last is not None and last.picture is picture:
            self._told = self.background

    def _is_known(self, time: float) -> bool:
        """Whether the picture that was taken twice has nothing more to tell by being so still."""
        due = self._print is None or time - self._print.time >= PRINT_STAYS_S - 1e-6
        told = self._told is not None and self._told is self.background
        return told and not due and self._stale_since is None

    def _learn(
        self,
        time: float,
        picture: Image,
        lab: Lab,
        masks: tuple[Mask, Mask, Mask],
        likeness: Likeness | None,
    ) -> None:
        """What a look that is due adds to the background."""
        cloth, printed, beside = masks
        cloth = as_mask(cloth & (as_mask(cv2.dilate(beside, disk(BESIDE_IN))) ^ 1))
        before, now = self.background, _Seen(time, cloth, printed, picture)
        if before is None:
            likeness = None
        elif likeness is None or likeness.background is not before:
            likeness = before.held_against(picture, lab, cloth)
        if likeness is not None and self._is_stale(now, likeness):
            self.forget()
            return
        learned, printing = np.zeros_like(cloth), np.zeros_like(cloth)
        if self._cloth is not None:
            learned = as_mask(self._cloth.cloth & cloth)
            if likeness is not None:
                # What looks otherwise than it did is in a shadow, or something lies there that nobody sees.
                learned &= likeness.same | (likeness.known ^ 1)
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
        if not anew.any():
            return
        if likeness is None:
            self.background = Background(learned, printing, picture)
        else:
            was = likeness.background
            # It is kept in the light in which it was seen first: what is blinded now was not then, maybe.
            telling = cv2.inRange(picture, (0, 0, 0), (TELLING[1],) * 3) > 0
            fresh = as_mask(anew & as_mask(telling | (likeness.known == 0)))
            kept = was.picture.copy()
            cv2.copyTo(
                np.asarray(cv2.divide(picture, likeness.gains, dtype=cv2.CV_8U), np.uint8), fresh, kept
            )
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
