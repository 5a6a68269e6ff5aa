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

from calibration.surface import Surface, project
from engine.errors import TableRefError
from engine.space.geometry import FloatArray

# A height that is less sure than this share of itself, or than this, is not told, inches.
ROUGH, ROUGH_IN = 0.25, 0.15
# The foot depends on the height, and the height on the foot.
ROUNDS = 4
# Nobody photographs a table from farther away, inches.
FARTHEST_IN = 300.0


@dataclass(frozen=True, slots=True)
class SideHeight:
    """The height of a thing's top above the table with its deviation, inches: nought where it was said."""

    height: float
    sd: float = 0.0


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
    x, y = side.lens.rays(np.array([tapped]))[0]
    ahead = np.array([x, y, 1.0]) @ side.rotation
    run, camera = float(np.hypot(*ahead[:2])), side.camera_position
    there = ahead[:2] / max(run, 1e-9)
    way = LineString([camera[:2], camera[:2] + FARTHEST_IN * there])
    above = way.intersection(Polygon(foot).buffer(2.0 * foot_sd))
    away = [math.dist(camera[:2], at) for part in getattr(above, "geoms", [above]) for at in part.coords]
    steep = float(ahead[2]) / max(run, 1e-9)
    if not away or camera[2] + steep * min(away) <= 0.0:
        raise TableRefError(
            "the tapped point is not above the thing: tap its top, where it is nearest to you"
        )
    # A box is tapped above the near edge of its foot, a cone above the middle of it.
    near, middle = min(away), (min(away) + max(away)) / 2.0
    high, low = (max(float(camera[2]) + steep * at, 0.0) for at in (near, middle))
    height = (high + low) / 2.0
    at = camera[:2] + there * (near + middle) / 2.0
    _, jacobian = project(side.lens, side.rotation, side.translation, np.array([[*at, height]]))
    by_height = (jacobian[0, :, 3:6] @ side.rotation)[:, 2]
    off = math.hypot(
        tap_sd / float(np.linalg.norm(by_height)),
        float(np.linalg.norm(by_height @ jacobian[0] @ side.loading)) / float(by_height @ by_height),
        steep * foot_sd,
        (high - low) / math.sqrt(12.0),
    )
    return SideHeight(height, off)
