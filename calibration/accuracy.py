"""How exactly a table is made and measured, where its file says nothing of a single number."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from calibration.bundle.problem import Common
from calibration.tag_shape import SIZE_SD, Paper

Share = Annotated[float, Field(strict=True, ge=0.0, le=0.2)]
Deviation = Annotated[float, Field(strict=True, ge=0.0, le=12.0)]
ScaleBy = Literal["sheet", "bar", "length"]

# What hands do, as standard deviations (house defaults, from frames of real paper and cloth).
CORNER_IN = 0.0625
MOUNT_IN, MOUNT_TURN_DEG, MOUNT_HEIGHT_IN, MOUNT_TILT_DEG = 0.04, 1.5, 0.045, 4.0

# Of a share or in inches: nothing on a table is known so well.
NEGLIGIBLE = 1e-9


class Accuracy(BaseModel):
    """The table `[accuracy]` of a table file: standard deviations that many numbers have in common.

    `print_scale` is the share by which a whole print run is too large, `print_size` that by which one tag
    differs from the others; `cloth_in` how far the cloth is from flat; `heights_in` what all stated heights
    have in common. `scale_by` is what the printed sizes were measured by: the edges of a sheet of paper, the
    printed bar, or a length between two tags; None while nobody measured them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    print_scale: Share = 0.01
    print_size: Share = 0.003
    cloth_in: Deviation = 0.04
    heights_in: Deviation = 0.02
    scale_by: ScaleBy | None = None

    @property
    def common(self) -> Common:
        """The errors that all tags share."""
        return Common(scale=_or_none(self.print_scale), lift=_or_none(self.heights_in))

    @property
    def laid(self) -> Paper:
        """A tag that lies on the cloth and leans with it: its shape says little of the camera."""
        return Paper(self._size, tilt=0.5 * self.cloth_in, bow=0.3 * self.cloth_in, height=self.cloth_in)

    def glued(self, tilt: float) -> Paper:
        """A tag on a roof that leans by `tilt` radians (a standard deviation); its height is stated apart."""
        return Paper(self._size, tilt=tilt, bow=0.2 * min(tilt, 0.07))

    @property
    def _size(self) -> float:
        return math.hypot(self.print_size, SIZE_SD)


def _or_none(sd: float) -> float:
    """A deviation too small to be squared means that there is none."""
    return sd if sd > NEGLIGIBLE else 0.0


EXACT = Accuracy(print_scale=0.0, print_size=0.0, cloth_in=0.0, heights_in=0.0)
"""A table that is as it is stated: drawn, or cut by a machine."""
