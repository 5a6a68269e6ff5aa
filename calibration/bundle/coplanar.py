"""Whether all roof tags lie on the table itself: a drawing on a screen, or tags laid beside their cars.

A tag an inch up under a camera 60 inches up looks 1.7 % larger than one on the table, and half an inch
farther from the point below the camera near the table's edge. Tags that all lie in the table's plane show
neither. A *photograph* of a table shows both, as the table itself does: this does not tell it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np

from calibration.bundle.common import Common
from calibration.bundle.doubts import HOPELESS, Judged, fits
from calibration.bundle.parts import SeenTag
from calibration.bundle.solve import solve
from calibration.fiducials import TagKey
from calibration.lens.model import Lens
from calibration.surface import SeenCorner, SurfaceError

# By how much chi-square must be larger with the heights as stated: once in 3000 by chance.
SURELY = 16.0
# One tag alone may have been glued elsewhere; so many are meant by "all".
FEWEST = 2

COPLANAR_WORDS = (
    "all roof tags look as if they lay flat on the table, none as high above it as stated, so "
    "nothing is ruled: if the camera looks at a picture (a screen, a printed page), point it at the table "
    "itself; if the tags lie beside their cars, glue them onto the roofs; if they are meant to lie flat, "
    "state that they are 0 in above it"
)


def all_coplanar(
    judged: Judged,
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag],
    frame: tuple[TagKey, TagKey] | None = None,
    common: Common | None = None,
) -> bool:
    """Whether what contradicts the stated numbers is that every raised tag lies in the table's plane.

    `judged` is what `judge` makes of the same tags. Where nothing is contradicted, nothing is solved.
    """
    if judged.consistent and not judged.doubts:
        return False
    if len({t.key for t in tags if t.height > 0.0}) < FEWEST:
        return False
    common = None if common is None else common.by_lengths(())
    laid = [replace(t, height=0.0) for t in tags]
    with suppress(SurfaceError, np.linalg.LinAlgError, ArithmeticError):
        flat = solve(lens, corners, laid, frame, common)
        surely = judged.stated_chi_square - flat.cost > SURELY
        likelier = flat.evidence < judged.solved.evidence
        return bool(surely and likelier and math.isfinite(flat.cost) and fits(flat) >= HOPELESS)
    return False
