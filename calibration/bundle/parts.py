"""One tag's share of the least squares: its state, its points on the table, and what was stated of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from calibration.bundle.seen import SeenTag
from calibration.surface import CornerTag, SeenCorner
from calibration.tag_shape import Paper
from engine.space.geometry import FloatArray

STATE = 3
"""Of a tag's state: x, y in inches and the direction of its printed top in radians."""

# Nothing is stated more exactly than this, inches and radians: it keeps the equations solvable.
LEAST_SD = 1e-5


@dataclass(frozen=True, eq=False)
class Part:
    """A tag's corners in the picture, its state at `column` of the unknowns, and its stated place.

    `stated` is (x, y, turn) with `stated_sd` (infinite where nothing is stated). `own` says which of the tags
    that are seen at several places this is; -1 for none of them.
    """

    key: tuple[str, int]
    size: float
    height: float
    height_sd: float
    paper: Paper
    pixels: FloatArray
    pixel_covariance: FloatArray
    corner: CornerTag | None = None
    seen: SeenTag | None = None
    stated: FloatArray = field(default_factory=lambda: np.zeros(STATE))
    stated_sd: FloatArray = field(default_factory=lambda: np.full(STATE, np.inf))
    column: int = -1
    own: int = -1

    @property
    def raised(self) -> bool:
        """Whether the tag is on a piece and not on the table."""
        return self.corner is None and self.height > 0.0

    def square(self, state: FloatArray) -> FloatArray:
        """The corners about the tag's own centre, (4, 2) inches."""
        tag = CornerTag(*self.key, self.size, (0.0, 0.0), float(state[2]), 0.0)
        return tag.corners_at()

    def world(
        self, state: FloatArray, scale: float, lift: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Points (4, 3), their Jacobian (12, 5) by (x, y, turn, scale, lift) and covariance (12, 12).

        All sizes are taken times 1 + `scale`; `lift` is added to the height of what is raised.
        """
        square = self.square(state)
        height = self.height + (lift if self.raised else 0.0)
        points = np.column_stack([square * (1.0 + scale) + state[:2], np.full(4, height)])
        jacobian = np.zeros((12, 5))
        jacobian[0::3, 0] = jacobian[1::3, 1] = 1.0
        jacobian[0::3, 2], jacobian[1::3, 2] = -square[:, 1], square[:, 0]
        jacobian[0::3, 3], jacobian[1::3, 3] = square[:, 0], square[:, 1]
        jacobian[2::3, 4] = float(self.raised)
        return points, jacobian, self.paper.spread(square, self.height_sd)


def corner_part(seen: SeenCorner) -> Part:
    """A corner tag of stated place."""
    c = seen.corner
    sd = max(c.sd, LEAST_SD)
    # Laying both ends of an edge to within sd turns the tag by sqrt(2) sd / size.
    turn_sd = math.inf if c.turn is None else max(math.sqrt(2) * c.sd / c.size, LEAST_SD)
    return Part(
        (c.family, c.tag), c.size, 0.0, 0.0, c.paper, seen.corners, seen.covariance, corner=c,
        stated=np.array([*c.at, c.turn or 0.0]), stated_sd=np.array([sd, sd, turn_sd]),
    )  # fmt: skip


def tag_part(seen: SeenTag) -> Part:
    """A tag of unknown place."""
    return Part(
        seen.key, seen.size, seen.height, seen.sd_height, seen.paper, seen.corners, seen.covariance, seen=seen
    )
