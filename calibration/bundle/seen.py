"""What was seen of tags whose place is not stated."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.tag_shape import FLAT, Paper
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
