"""How exactly a table is made and measured, where its file says nothing of a single number."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from calibration.bundle.common import Common
from calibration.tag_shape import SIZE_SD, Paper

Share = Annotated[float, Field(strict=True, ge=0.0, le=0.2)]
Deviation = Annotated[float, Field(strict=True, ge=0.0, le=12.0)]
ScaleBy = Literal["sheet", "bar", "length"]

# What hands do, as standard deviations (house defaults, from frames of real paper and cloth).
CORNER_IN = 0.0625
MOUNT_IN, MOUNT_TURN_DEG, MOUNT_HEIGHT_IN, MOUNT_TILT_DEG = 0.04, 1.5, 0.045, 4.0

RULED_IN = 0.04
"""How well a ruler or a tape measures between the centres of two tags, inches."""

INK_IN = 0.0015
"""By how much ink widens a black square, at both edges together, inches: about one dot of a printer."""

# Of a share or in inches: nothing on a table is known so well.
NEGLIGIBLE = 1e-9


class Accuracy(BaseModel):
    """The table `[accuracy]` of a table file: standard deviations that many numbers have in common.

    `print_scale` is the share by which a whole print run is too large, `print_size` that by which one tag
    differs from the others, `ink_in` by how much ink makes every black square wider (unless said `INK_IN`, or
    nothing where no tag differs from another); `cloth_in` how far the cloth is from flat; `heights_in` what
    all stated heights have in common. `scale_by` is what the printed sizes were measured by: the edges of a
    sheet of paper, the printed bar, or a length between two tags; None while nobody measured them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    print_scale: Share = 0.01
    print_size: Share = 0.001
    ink_in: Annotated[float, Field(strict=True, ge=0.0, le=0.02)] | None = None
    cloth_in: Deviation = 0.04
    heights_in: Deviation = 0.02
    scale_by: ScaleBy | None = None

    @property
    def common(self) -> Common:
        """The errors that all tags share."""
        return Common(
            scale=_or_none(self.print_scale), lift=_or_none(self.heights_in), ink=_or_none(self._ink)
        )

    @property
    def laid(self) -> Paper:
        """A tag that lies on the cloth and leans with it: its shape says little of the camera."""
        return Paper(
            self._size, tilt=0.5 * self.cloth_in, bow=0.3 * self.cloth_in, height=self.cloth_in, ink=self._ink
        )

    def glued(self, tilt: float) -> Paper:
        """A tag on a roof that leans by `tilt` radians (a standard deviation).

        The cloth lifts its piece; how high it sits on that is stated apart.
        """
        return Paper(self._size, tilt=tilt, bow=0.2 * min(tilt, 0.07), height=self.cloth_in, ink=self._ink)

    def height_on_piece(self, sd_height: float) -> float:
        """How surely a tag's height on its own piece is known, by that of its height above the table."""
        return math.sqrt(max(sd_height**2 - self.cloth_in**2, 0.0))

    @property
    def _ink(self) -> float:
        if self.ink_in is not None:
            return self.ink_in
        return INK_IN if self.print_size > 0.0 else 0.0

    @property
    def _size(self) -> float:
        return math.hypot(self.print_size, SIZE_SD)


def place_sd(at: tuple[float, float], turn: float | None = None) -> float:
    """How surely the place of a corner tag is known whose file does not say so, inches.

    Places are measured from the tag that is stated at 0, 0: that one is there by definition.
    """
    return 0.0 if at == (0.0, 0.0) and turn is None else CORNER_IN


def _or_none(sd: float) -> float:
    """A deviation too small to be squared means that there is none."""
    return sd if sd > NEGLIGIBLE else 0.0


EXACT = Accuracy(print_scale=0.0, print_size=0.0, cloth_in=0.0, heights_in=0.0)
"""A table that is as it is stated: drawn, or cut by a machine."""
