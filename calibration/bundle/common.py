"""What all tags of a table are off by alike: print, ink, stated places and heights; lengths beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.bundle.lengths import Length
from calibration.bundle.parts import Part
from engine.space.geometry import FloatArray

SCALE, LIFT, PLACES, INK = 0, 3, 4, 5
"""Where the print's scale, the errors of all heights and of all places, and the ink stand in `Common.sds`."""


@dataclass(frozen=True, slots=True)
class Common:
    """Errors that all tags share, standard deviations.

    `scale` of the print run, a share of every printed size; `stretch` of all stated places along x and
    along y, a share; `lift` of all stated heights, inches; `places`, a share, of all stated places in both
    directions; `ink` inches by which every printed square is wider, whatever its size. Zero takes what is
    stated at its word.

    `lengths` were measured between tags on the table. Beside those that hold, the scale is known only by
    `scale_beside`: what they told of it themselves says nothing more. None: `scale` stands beside them.
    """

    scale: float = 0.0
    stretch_x: float = 0.0
    stretch_y: float = 0.0
    lift: float = 0.0
    places: float = 0.0
    ink: float = 0.0
    lengths: tuple[Length, ...] = ()
    scale_beside: float | None = None

    def by_lengths(self, held: tuple[Length, ...]) -> Common:
        """With those of the lengths alone that hold."""
        if not held or self.scale_beside is None:
            return replace(self, lengths=held, scale_beside=None)
        return replace(self, lengths=held, scale=self.scale_beside, scale_beside=None)

    @property
    def sds(self) -> FloatArray:
        """In the order scale, stretch along x, along y, lift, places, ink."""
        return np.array([self.scale, self.stretch_x, self.stretch_y, self.lift, self.places, self.ink])


def grown(part: Part, common: FloatArray) -> float:
    """By which share a tag is larger than stated by what all prints have in common."""
    return float(common[SCALE] + common[INK] / part.size)
