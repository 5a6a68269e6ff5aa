"""A contradiction that nobody can settle now: by how much it is off, and a surface that is as unsure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.bundle.common import Common
from calibration.bundle.doubts import FINE, OPTIMISM, PULLED, Judged, fits
from calibration.bundle.parts import SeenTag
from calibration.bundle.solve import solve
from calibration.fiducials import TagKey
from calibration.lens.model import Lens, LensError
from calibration.surface import SeenCorner, Surface, SurfaceError

# Stated deviations are doubled so often at the most, and none counts as smaller than this, inches.
MOST_DOUBLED, LEAST_IN = 9, 0.005
# A corner tag lies elsewhere than stated that is off by more than so many deviations.
ELSEWHERE = 2.0
# A height of which nothing is known has this deviation, inches.
ANY_HEIGHT_IN = 10.0


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What is stated does not fit what is seen, and no one mistake explains it.

    `since` is the source's time, seconds, at which that was found. `times` is by how much more than its
    deviation everything is off together, `corner` which corner tag lies farthest from its stated place and
    `off` how far, inches; None where no place is stated, or all lie where they are stated to be. `gone_on`:
    the owner goes on all the same.
    """

    since: float
    times: float
    corner: int | None
    off: float
    gone_on: bool = False

    @property
    def words(self) -> str:
        """By how much, for people.

        >>> Contradiction(0.0, 4.4, 2, 0.412).words
        'all together is 4.4 times as far off as it may be; corner tag 2 lies 0.41 in from its stated place'
        """
        together = f"all together is {self.times:.1f} times as far off as it may be"
        if self.corner is None:
            return together
        return f"{together}; corner tag {self.corner} lies {self.off:.2f} in from its stated place"


def contradiction(judged: Judged, since: float, *, gone_on: bool) -> Contradiction | None:
    """What cannot be true of what is stated; None where it can."""
    if judged.consistent:
        return None
    corner, off = max(judged.solved.surface.misfits, key=lambda m: m[1], default=(None, 0.0))
    elsewhere = corner is not None and off > ELSEWHERE * max(corner.sd, LEAST_IN)
    named = corner.tag if corner is not None and elsewhere else None
    return Contradiction(since, times_of(judged), named, off if elsewhere else 0.0, gone_on)


def times_of(judged: Judged) -> float:
    """By how much more than its deviation everything is off together, 1 at the least (Birge's ratio)."""
    return max(1.0, math.sqrt(judged.chi_square / OPTIMISM / max(judged.freedom, 1)))


def loosened(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag],
    frame: tuple[TagKey, TagKey] | None,
    common: Common | None,
) -> Surface | None:
    """The surface of a contradiction with every stated deviation grown alike until all fits.

    All together, and each stated number by itself: one that is far off hides among many that are right.
    Where that cannot be, the widest with which all together fits; None where no camera fits even then.
    """
    asked = (lens, corners, tags, frame, common or Common())
    together = None
    for step in range(1, MOST_DOUBLED + 1):
        surface, all_fit = _fitting(*asked, times=2.0**step)
        if all_fit:
            between, fits_too = _fitting(*asked, times=2.0 ** (step - 0.5))
            return between if fits_too else surface
        together = surface or together
    return together


def _fitting(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag],
    frame: tuple[TagKey, TagKey] | None,
    common: Common,
    *,
    times: float,
) -> tuple[Surface | None, bool]:
    """The surface with every stated deviation grown so many times, None unless all together fits.

    Beside it, whether each stated number fits by itself, too.
    """
    laid = [replace(c, corner=replace(c.corner, sd=max(c.corner.sd, LEAST_IN) * times)) for c in corners]
    lifted = [replace(t, sd_height=max(t.sd_height, LEAST_IN) * times) for t in tags]
    wide = replace(lens, covariance=lens.covariance * times**2)
    anyhow = [replace(t, sd_height=ANY_HEIGHT_IN) if t.height > 0.0 else t for t in lifted]
    by = {
        name: getattr(common, name) * times for name in ("scale", "stretch_x", "stretch_y", "lift", "places")
    }
    try:
        loose = replace(common, **by)
        solved = solve(wide, laid, lifted, frame, loose)
        if fits(solved) < FINE:
            return None, False
        # Heights have no pulls of their own: what they cost is what is saved by heights that may be any.
        by_heights = solved.cost - solve(wide, laid, anyhow, frame, loose, solved.estimate).cost
    except (SurfaceError, LensError, np.linalg.LinAlgError):
        return None, False
    each = max(map(abs, solved.pulls.values()), default=0.0) < PULLED
    each &= by_heights <= OPTIMISM * len({t.key for t in tags if t.height > 0.0})
    lift, sd = solved.surface.lift
    return replace(solved.surface, lift=(lift, math.hypot(sd, _heights_more(tags, times)))), each


def _heights_more(tags: Sequence[SeenTag], times: float) -> float:
    """By how much the tags' own heights are less sure so many times over, standard deviation in inches.

    Every piece is taken to be as unsure as the one whose height is known worst: a surface has one lift.
    """
    raised = [t.sd_height for t in tags if t.height > 0.0]
    return max((math.sqrt((max(sd, LEAST_IN) * times) ** 2 - sd**2) for sd in raised), default=0.0)


def grown(judged: Judged, base: Surface, surface: Surface) -> Surface:
    """A surface that came of the judged one, `base`, as unsure as the loosened one, or by `times_of`."""
    loose, times = judged.loosened, times_of(judged)
    if loose is None:
        return replace(surface, covariance=surface.covariance * times**2, lift=_wider(surface.lift, times))
    if surface is base:
        return loose
    more = loose.covariance - judged.surface.covariance
    return replace(surface, covariance=surface.covariance + more, lift=loose.lift)


def _wider(lift: tuple[float, float], times: float) -> tuple[float, float]:
    return lift[0], lift[1] * times
