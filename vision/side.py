"""How high a thing is, from a photograph from the side in which somebody taps its top where it is nearest.

The photograph's corner tags say where its camera stood. From there the tapped point lies on one ray, and the
thing's foot is what the camera over the table has outlined. A box is tapped above the near edge of its foot,
a cone above the middle: the height is taken between the two, and as unsure. The lower the photograph is
taken from, the nearer they are to one another.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from shapely import LineString, Polygon

from calibration.surface import Surface
from engine.errors import TableRefError
from engine.space.geometry import FloatArray

# A height that is less sure than this share of itself, or than this, is not told, inches.
ROUGH, ROUGH_IN = 0.25, 0.15
# The foot depends on the height, and the height on the foot.
ROUNDS = 4


@dataclass(frozen=True, slots=True)
class SideHeight:
    """The height of a thing's top above the table with its deviation, inches."""

    height: float
    sd: float


def height_from_side(
    side: Surface,
    tapped: tuple[float, float],
    foot: Callable[[float], FloatArray],
    foot_sd: float,
    tap_sd: float,
) -> SideHeight:
    """The height of a thing by one tap on its top, where that is nearest to the camera.

    `side` is the table as the photograph's camera sees it, `tapped` a pixel of that photograph, known to
    `tap_sd` pixels; `foot` gives the outline (n, 2) of what the thing stands on, inches, if it is so high;
    its edges are known to `foot_sd`, inches. Raises a `TableRefError` that says what to do where the tap is
    beside the thing, or the photograph was taken from too far above.
    """
    found = SideHeight(0.0, 0.0)
    for _ in range(ROUNDS):
        found = _above(side, tapped, foot(found.height), foot_sd, tap_sd)
    if found.sd > max(ROUGH * found.height, ROUGH_IN):
        raise TableRefError(
            f"from there it is {found.height:.1f} in high, give or take {1.96 * found.sd:.1f}: "
            "take the photograph from lower down and further to the side"
        )
    return found


def _above(
    side: Surface, tapped: tuple[float, float], foot: FloatArray, foot_sd: float, tap_sd: float
) -> SideHeight:
    """Where the ray through a pixel is above a foot."""
    pixel = np.array([tapped])
    there = np.asarray(side.table_from_image(pixel, 0.0))[0]
    camera = side.camera_position
    run = float(math.hypot(*(camera[:2] - there)))
    slope = float(camera[2]) / max(run, 1e-9)
    reach = Polygon(foot).buffer(2.0 * foot_sd)
    above = LineString([there, camera[:2]]).intersection(reach)
    if above.is_empty or not np.isfinite(there).all() or camera[2] <= 0.0:
        raise TableRefError(
            "the tapped point is not above the thing: tap its top, where it is nearest to you"
        )
    away = [math.dist(there, at) for part in getattr(above, "geoms", [above]) for at in part.coords]
    low, high = slope * (min(away) + max(away)) / 2.0, slope * max(away)
    height = (low + high) / 2.0
    on_table = there + (camera[:2] - there) * (height / float(camera[2]))
    by_pixel, by_parameters, by_height = (a[0] for a in side.jacobians(on_table[None], height))
    along = by_height / max(float(np.linalg.norm(by_height)), 1e-9)
    off = math.hypot(
        tap_sd * float(np.linalg.norm(along @ by_pixel)),
        float(np.linalg.norm(along @ by_parameters @ side.loading)),
        foot_sd,
    )
    return SideHeight(height, math.hypot(slope * off, (high - low) / math.sqrt(12.0)))
