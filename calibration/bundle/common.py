"""What all tags of a table are off by alike: print, ink, stated places and heights; lengths beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from calibration.bundle.parts import Part
from engine.space.geometry import FloatArray, Pose, wrap_angle

# Tags lie as they lay while their places differ by no more than what a ruler does (root mean square, inches),
# whatever the scale, and none is turned further against the others than this, radians.
SAME_IN, SAME_TURN = 0.04, math.radians(1.5)


@dataclass(frozen=True, slots=True)
class Length:
    """So many inches between the middles of two tags, with a deviation.

    `laid` are where the tags on the table lay when it was measured: x, y in inches, the direction of the
    printed top in radians. Without, it holds however they lie.
    """

    between: tuple[tuple[str, int], tuple[str, int]]
    inches: float
    sd: float
    laid: tuple[tuple[tuple[str, int], Pose], ...] = ()

    @property
    def words_of_old(self) -> str:
        """What to do where the tags were laid anew since."""
        (_, one), (_, other) = self.between
        return (
            f"the corner tags lie elsewhere than when tags {one} and {other} were measured "
            f"{self.inches:g} in apart, so that length no longer counts and the printed sizes do: measure it "
            "again on the set-up page"
        )

    def now(self, places: Mapping[tuple[str, int], Pose]) -> Length | None:
        """The length as surely as it is known where the tags lie so; None where they were laid anew."""
        then = {key: pose for key, pose in self.laid if key in places}
        if len(then) < 2:
            return self
        was = np.array([(p.x, p.y) for p in then.values()])
        is_ = np.array([(places[key].x, places[key].y) for key in then])
        turned, off = _as_it_lay(was, is_)
        turns = [wrap_angle(places[key].heading - pose.heading - turned) for key, pose in then.items()]
        if not (max(map(abs, turns)) <= SAME_TURN and off <= SAME_IN):
            return None
        return Length(self.between, self.inches, math.hypot(self.sd, off), self.laid)


def _as_it_lay(was: FloatArray, now: FloatArray) -> tuple[float, float]:
    """How one shape (n, 2) is turned against another, radians, and what is left, whatever its scale, inches.

    The least squares of a similarity, by complex numbers.
    """
    a, b = (points[:, 0] + 1j * points[:, 1] for points in (was - was.mean(axis=0), now - now.mean(axis=0)))
    size = float(np.vdot(a, a).real)
    if size == 0.0:
        # All at one place: no tags ever lay so.
        return 0.0, math.inf
    by = np.vdot(a, b) / size
    left = b - by * a
    return float(np.angle(by)), float(np.sqrt(np.mean(np.abs(left) ** 2) / 2))


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
