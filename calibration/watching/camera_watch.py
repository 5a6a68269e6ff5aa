"""Watches the camera by all that stands still: corner tags, flat tags, and pieces that nobody touches.

A camera that creeps, breathes or was touched shifts all of them alike. Corner tags that are covered meanwhile
need not be seen for that, and a piece that is moved does not go along with the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.bundle.parts import SeenTag
from calibration.fiducials import TagKey
from calibration.surface import SeenCorner, Surface
from calibration.watching.averages import RECENT, TagMean, key_of
from calibration.watching.motion import (
    ALONG_PX,
    ALONG_SD,
    NO_MOTION,
    Found,
    Motion,
    Shift,
    apart,
    find_motion,
    in_camera,
    moved_surface,
    refined,
)
from engine.space.geometry import FloatArray

# A camera has moved when that explains this much of chi-square, in the mean of the latest reads or, where
# every frame is looked at alone, in one; and when most tags appear so many pixels elsewhere by it.
GAIN, GAIN_AT_ONCE = 27.0, 45.0
DRIFTED_PX = 0.03
# It is moving still when the newest read and the mean of the latest ones differ by this chi-square.
MOVING = 30.0
# Where the camera is said to be stays until it is this many pixels elsewhere, or that is known as much better
# or worse, a share of the variance: a surface is no surer for trembling.
TREMBLES_PX, SURER = 0.03, 0.5
# So many pieces are believed that the camera was moved, where no tag on the table is seen.
WITNESSES = 3
# A tag whose latest reads lie so many deviations from where the camera's motion puts them has its own way.
OWN_SD = 3.0
# Without any drift most tags lie nearer to their means than so many of their deviations, or this share of
# what is called a drift: then nothing has to be worked out.
CALM_SD, CALM_SD_AT_ONCE, CALM = 1.4, 1.7, 0.6

Read = SeenCorner | SeenTag


@dataclass(frozen=True, eq=False)
class Compared:
    """A frame's tags against their means: the motion that most go along with, and which do not.

    `sudden`: most are elsewhere than the camera's motion up to now puts them. Then `motion` is the new one,
    None where they agree on none. `blind`: none of the tags that were averaged is seen.
    """

    motion: Motion | None
    off: frozenset[TagKey] = frozenset()
    sudden: bool = False
    blind: bool = False


class CameraWatch:
    """The means of all that stands still, and how the camera has moved since they were averaged.

    `flat` are tags on the table itself, `roofs` those of pieces; all means are of one and the same place of
    the camera, and wait while it is elsewhere. `motion` leads from there to where it is now.
    """

    def __init__(self) -> None:
        self.flat: dict[TagKey, TagMean] = {}
        self.roofs: dict[TagKey, TagMean] = {}
        self.motion: Motion = NO_MOTION
        self.late: Motion | None = None
        """The motion by the mean of the latest reads; None where nothing has moved, or too little is seen."""
        self.moving = False

    @property
    def away(self) -> bool:
        """Whether the camera is elsewhere than where the tags were averaged."""
        return self.motion is not NO_MOTION

    def compare(self, surface: Surface | None, reads: Sequence[Read]) -> Compared:
        """A frame's tags against their means, under the surface by which these were solved."""
        known = [(mean, read) for read in reads if (mean := self._mean(read)) is not None]
        if not known:
            return Compared(self.motion, blind=True)
        if surface is not None and self.away:
            shifts = [_shift(surface, mean, read.corners, 1) for mean, read in known]
            return self._judged(surface, known, find_motion(surface.lens, shifts, self.motion))
        off = self._offsets(surface, known)
        along = self._along(known, off)
        if surface is None:
            return self._judged(None, known, None)
        if _agree(known, along):
            noise = _middle([mean.noise(1) for mean, _ in known])
            if _middle(_lengths(off)) <= max(CALM * DRIFTED_PX, CALM_SD_AT_ONCE * noise):
                return Compared(NO_MOTION, _left_out(known, along))
        shifts = [_shift(surface, mean, read.corners, 1) for mean, read in known]
        return self._judged(surface, known, find_motion(surface.lens, shifts, NO_MOTION))

    def take(self, surface: Surface | None, reads: Sequence[Read], compared: Compared) -> None:
        """Takes a frame's tags among the latest reads; begins the means of new ones."""
        for mean in (*self.flat.values(), *self.roofs.values()):
            mean.wait()
        for read in reads:
            mean_of, key = self._means_of(read), key_of(read)
            if key in compared.off and mean_of is self.flat:
                continue
            if key in mean_of and key not in compared.off:
                mean_of[key].see(read)
            else:
                mean_of[key] = TagMean(self._as_before(surface, read, compared.motion))

    def follow(self, surface: Surface, compared: Compared) -> None:
        """Finds out, from the latest reads, where the camera is now: `motion`, `late` and `moving`."""
        now = compared.motion or NO_MOTION
        fresh = [m for m in (*self.flat.values(), *self.roofs.values()) if m.fresh]
        self.late, self.moving = None, False
        if fresh and (self.away or now.gain > GAIN or not _calm(fresh)):
            shifts = [_shift(surface, mean, mean.latest, RECENT) for mean in fresh]
            late = refined(surface.lens, shifts, now)
            if late is not None:
                self._choose(surface, [m for m in fresh if m.missed == 0], now, late)
                return
        self.motion = now if now.gain > GAIN_AT_ONCE and now.size > DRIFTED_PX else NO_MOTION

    def add(self, reads: Iterable[Read], compared: Compared) -> None:
        """Takes a frame's tags into the means: the camera is where it was."""
        for read in reads:
            mean = self._mean(read)
            if mean is not None and mean.missed == 0 and mean.recent and key_of(read) not in compared.off:
                mean.add(read)

    def afresh(self, surface: Surface, late: Motion) -> None:
        """Moves the means on by a motion; what was not read lately is dropped, nobody knows where it is.

        They count as so many reads as the motion was found from. What went elsewhere begins with its own.
        """
        for means in (self.flat, self.roofs):
            for key in [key for key, mean in means.items() if len(mean.recent) < RECENT]:
                del means[key]
            for mean in means.values():
                there = mean.seen.corners + late.displaced(surface.lens, mean.points(surface))[0]
                off = float(np.hypot(*(mean.latest - there).mean(axis=0)))
                strays = mean.fresh and off > OWN_SD * mean.noise(RECENT)
                mean.afresh(mean.latest if strays else there)
        self.motion = self.motion.since(late) if self.moving else NO_MOTION

    def look_again(self, reads: Sequence[Read]) -> None:
        """Lets go of what was read before: a tag is where it is read now, and one that is covered stays."""
        for read in reads:
            key, means = key_of(read), self._means_of(read)
            mean = means.get(key)
            if mean is not None and mean.fresh:
                mean.afresh(mean.latest)
            else:
                means[key] = TagMean(read)

    def go_on(self, motion: Motion) -> None:
        """The camera is at another place all at once, and the latest reads are of before."""
        self.motion = motion
        for mean in (*self.flat.values(), *self.roofs.values()):
            mean.recent.clear()

    def clear(self) -> None:
        """Forgets all."""
        self.flat.clear()
        self.roofs.clear()
        self.motion = NO_MOTION

    def _choose(self, surface: Surface, fresh: Sequence[TagMean], now: Motion, late: Motion) -> None:
        """The newest read where the camera is moving, or else the latest ones, where they show a motion."""
        at_once = now.gain > GAIN_AT_ONCE and now.size > DRIFTED_PX
        if not at_once and not (late.gain > GAIN and late.size > DRIFTED_PX):
            self.motion = NO_MOTION
            return
        shifts = [_shift(surface, mean, mean.recent[-1], 1) for mean in fresh]
        chi_square, size = apart(surface.lens, shifts, now, late)
        self.late, self.moving = late, now is not NO_MOTION and chi_square > MOVING and size > DRIFTED_PX
        newest = now if self.moving else late
        if not self.away or self._is_news(surface, shifts, newest):
            self.motion = newest

    def _is_news(self, surface: Surface, shifts: Sequence[Shift], newest: Motion) -> bool:
        """Whether the camera is elsewhere than was said last, by more than trembling, or as surely."""
        before, now = float(np.trace(self.motion.covariance)), float(np.trace(newest.covariance))
        surer = abs(now - before) > SURER * before
        return surer or apart(surface.lens, shifts, self.motion, newest)[1] > TREMBLES_PX

    def _judged(
        self, surface: Surface | None, known: Sequence[tuple[TagMean, Read]], found: Found | None
    ) -> Compared:
        if found is not None:
            # Two pieces may have been pushed together, as on a hitch: whether they were, nobody knows.
            told = any(mean.flat for mean, _ in known) or sum(found.along) >= WITNESSES
            motion = found.motion if told or not found.sudden else None
            return Compared(motion, _left_out(known, found.along), found.sudden)
        along = self._along(known, self._offsets(surface, known))
        flat = [a for (mean, _), a in zip(known, along, strict=True) if mean.flat]
        sudden = bool(flat) and 2 * sum(flat) < len(flat) and (len(flat) > 1 or len(self.flat) > 1)
        return Compared(None if sudden else self.motion, _left_out(known, along), sudden)

    def _offsets(self, surface: Surface | None, known: Sequence[tuple[TagMean, Read]]) -> FloatArray:
        """How far corners are from where the camera's motion up to now puts them, (n, 4, 2) pixels."""
        off = np.array([read.corners for _, read in known])
        off -= np.array([mean.seen.corners for mean, _ in known])
        if surface is not None and self.away:
            off -= [self.motion.displaced(surface.lens, mean.points(surface))[0] for mean, _ in known]
        return off

    @staticmethod
    def _along(known: Sequence[tuple[TagMean, Read]], off: FloatArray) -> list[bool]:
        """Which tags are where they should be, every corner of them: one that is turned keeps its middle."""
        farthest = np.sqrt((off**2).sum(axis=2).max(axis=1)).tolist()
        return [
            o <= max(ALONG_PX, ALONG_SD * mean.corner_noise(1))
            for o, (mean, _) in zip(farthest, known, strict=True)
        ]

    def _as_before(self, surface: Surface | None, read: Read, motion: Motion | None) -> Read:
        """A read as it would have been from where the camera was when the means were averaged."""
        if surface is None or motion is None or not self.away:
            return read
        height = read.height if isinstance(read, SeenTag) else 0.0
        places = moved_surface(surface, motion).table_from_image(read.corners, height)
        before = surface.image_from_table(places, height)
        unsure = motion.displaced(surface.lens, in_camera(surface, before, height))[1]
        covariance = read.covariance.copy()
        for k, block in enumerate(unsure):
            covariance[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] += block
        return replace(read, corners=before, covariance=covariance)

    def _means_of(self, read: Read) -> dict[TagKey, TagMean]:
        return self.roofs if isinstance(read, SeenTag) and read.height > 0.0 else self.flat

    def _mean(self, read: Read) -> TagMean | None:
        return self._means_of(read).get(key_of(read))


def _shift(surface: Surface, mean: TagMean, now: FloatArray, reads: int) -> Shift:
    return Shift(mean.points(surface), mean.seen.corners, now, mean.scatter(reads), mean.flat)


def _calm(fresh: Sequence[TagMean]) -> bool:
    """Whether the latest reads lie so near to the means that no drift can be in them."""
    latest = np.array([corners for m in fresh for corners in m.recent]).reshape(len(fresh), RECENT, 4, 2)
    drifts = _lengths(latest.mean(axis=1) - np.array([m.seen.corners for m in fresh]))
    noise = _middle([m.noise(RECENT) for m in fresh])
    return _middle(drifts) <= max(CALM * DRIFTED_PX, CALM_SD * noise)


def _lengths(off: FloatArray) -> list[float]:
    """How far off each tag's middle is, pixels, from how far off its corners are, (n, 4, 2)."""
    found: list[float] = np.hypot(*off.mean(axis=1).T).tolist()
    return found


def _middle(values: Sequence[float]) -> float:
    """The median of a few: NumPy's takes longer."""
    return sorted(values)[len(values) // 2]


def _agree(known: Sequence[tuple[TagMean, Read]], along: Sequence[bool]) -> bool:
    """Whether most go along, and of the flat ones as well."""
    flat = [a for (mean, _), a in zip(known, along, strict=True) if mean.flat]
    return 2 * sum(flat) > len(flat) if flat else 2 * sum(along) > len(along)


def _left_out(known: Sequence[tuple[TagMean, Read]], along: Sequence[bool]) -> frozenset[TagKey]:
    return frozenset(key_of(read) for (_, read), a in zip(known, along, strict=True) if not a)
