"""What was seen of a tag whose place is not stated, and one tag's share of the least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from calibration.surface import CornerTag, SeenCorner
from calibration.tag_shape import FLAT, Paper, scattered
from engine.space.geometry import FloatArray


@dataclass(frozen=True, eq=False)
class SeenTag:
    """A tag of known size and height but unknown place, as seen.

    `corners` (4, 2) pixels in `CornerTag.corners_at` order, `covariance` (8, 8). `height` is the
    tag's plane above the table, `size` the side of its black square, inches.
    """

    family: str
    tag: int
    size: float
    height: float
    corners: FloatArray
    covariance: FloatArray
    sd_height: float = 0.0
    paper: Paper = FLAT

    @property
    def key(self) -> tuple[str, int]:
        """Family and id."""
        return self.family, self.tag


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


class Tags:
    """All parts of a problem at once, as arrays over the tags: what a step asks of each is the same."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.sizes = np.array([p.size for p in parts])
        self.heights = np.array([p.height for p in parts])
        self.raised = np.array([float(p.raised) for p in parts])
        self.pixels = np.array([p.pixels for p in parts]).reshape(-1, 4, 2)
        self.pixel_covariances = np.array([p.pixel_covariance for p in parts]).reshape(-1, 8, 8)
        self.own = np.array([p.own for p in parts], dtype=np.intp)
        self.at_several_places = np.flatnonzero(self.own >= 0)
        shapes = [(p.paper.size, p.paper.tilt, p.paper.bow, p.paper.rise(p.height_sd)) for p in parts]
        self._shapes = np.array(shapes).reshape(-1, 4).T

    def squares(self, turns: FloatArray) -> FloatArray:
        """The corners (n, 4, 2) of tags whose printed top points along `turns` (n,), about their centres."""
        half = np.empty((2, len(turns), 2))
        up, right = half[0], half[1]
        up[:, 0], up[:, 1] = np.cos(turns), np.sin(turns)
        up *= self.sizes[:, None]
        up /= 2
        right[:, 0], right[:, 1] = up[:, 1], -up[:, 0]
        corners = np.empty((len(turns), 4, 2))
        np.subtract(up, right, out=corners[:, 0])
        np.add(up, right, out=corners[:, 1])
        np.negative(corners[:, 0], out=corners[:, 2])
        np.negative(corners[:, 1], out=corners[:, 3])
        return corners

    def by_state(self, square: FloatArray) -> FloatArray:
        """How corners (n, 4, 2) move, (n, 4, 3, 5), by x, y, turn, the share of all sizes, and the height."""
        by = np.zeros((len(square), 4, 3, STATE + 2))
        by[:, :, 0, 0] = by[:, :, 1, 1] = 1.0
        by[:, :, 0, 2], by[:, :, 1, 2] = -square[:, :, 1], square[:, :, 0]
        by[:, :, :2, 3] = square
        by[:, :, 2, 4] = self.raised[:, None]
        return by

    def scattered(self, square: FloatArray) -> FloatArray:
        """What corners (n, 4, 2) may lie aside by: (n, 4, 3, 6), as `calibration.tag_shape.scattered`."""
        return scattered(square, *self._shapes)


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
    return Part(seen.key, seen.size, seen.height, seen.sd_height, seen.paper, seen.corners, seen.covariance)
