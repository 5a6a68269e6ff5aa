"""Where and how high a tag sits on its piece, from the piece put on marks that the camera knows.

A tag above the table is seen displaced away from the camera's foot: by a third of an inch where it is an
inch up and two feet out. To see by how much, one must know where it stands. So the piece is put with its
middle on the middle of a flat tag that lies there, square to it: on tags on different sides of the
camera's foot the displacement points different ways, which is the height, and turned about on the spot
the tag's own offset turns with the piece. Mark and tag are seen at nearly the same place in the picture,
so that errors of the lens cancel. What remains is the hand.

A piece that is moved between places that nobody knows tells its height by its apparent size alone: 0.3 %
of a print are 0.2 inch of height under a camera five feet up, and that is left out here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.surface import Surface, diagonal_crossing
from engine.space.geometry import FloatArray, wrap_angle
from engine.space.pieces import TagMount

# How far a hand puts a piece's middle from a mark's (house defaults, standard deviations): by chance each
# time, inches, and always the same way, because an eye looks from its own side. And how far askew, degrees.
HAND_IN, EYE_IN, HAND_TURN_DEG = 0.04, 0.02, 1.5
# A read of a small tag's direction, and what a leaning roof adds to it wherever it stands, degrees.
READ_TURN_DEG, LEAN_TURN_DEG = 1.0, 0.5
# Further askew than this, a piece does not stand square to its mark: its direction is not used.
SQUARE_WITHIN = math.radians(15.0)
# Two measurements of one number differ by more than so many deviations once in a hundred times.
AGREE = 2.6
# Starting deviations where nothing is known: they only keep the equations solvable. Inches.
_OPEN_HEIGHT_IN, _OPEN_AT_IN = 10.0, 1.0


@dataclass(frozen=True, eq=False)
class OnMark:
    """A piece's tag as seen while the piece stands with its middle on a flat tag's, and that flat tag.

    `corners` and `mark` (4, 2) pixels in `CornerTag.corners_at` order, `covariance` (8, 8) of the former.
    """

    corners: FloatArray
    covariance: FloatArray
    mark: FloatArray


@dataclass(frozen=True, slots=True)
class Mounted:
    """A tag's `height` above the table, its place `at` and `turn` in the body's frame, with deviations.

    Inches and radians; `sd_at` is the larger of along and across. From so many `places`; `of_both` says that
    a height known before is in `height` too.
    """

    height: float
    sd_height: float
    at: tuple[float, float]
    sd_at: float
    turn: float
    sd_turn: float
    places: int
    of_both: bool = False


def measure_mount(
    surface: Surface, mount: TagMount, middle: FloatArray, placed: Sequence[OnMark]
) -> Mounted | None:
    """How the tag of `mount` really sits, None without any placement.

    `middle` (2,) is the middle of the piece's outline in its body's frame, the point that was put on the
    marks. What `mount` states is only where the search begins: nothing of it is in the result but the
    quarter turn that its direction is nearest to. Generalised least squares over height and offset.
    """
    if not placed:
        return None
    reads = [_Read(surface, p) for p in placed]
    marks = np.array([r.mark for r in reads])
    headings = np.array([r.heading(mount.height) - mount.body_from_tag.heading for r in reads])
    state = np.array([mount.height, 0.0, 0.0])
    for _ in range(4):
        at, spread, by_height = _seen(surface, reads, marks, float(state[0]))
        cos, sin = np.cos(headings), np.sin(headings)
        J = np.zeros((2 * len(reads), 3))
        J[:, 0] = -by_height
        J[0::2, 1], J[0::2, 2], J[1::2, 1], J[1::2, 2] = cos, -sin, sin, cos
        off = (at - marks).ravel() - J[:, 1:] @ state[1:]
        weighted = np.linalg.solve(spread, J).T
        known = weighted @ J + np.diag([_OPEN_HEIGHT_IN**-2, _OPEN_AT_IN**-2, _OPEN_AT_IN**-2])
        step = np.linalg.solve(known, weighted @ off)
        state = state + step
    covariance = np.asarray(np.linalg.inv(known))
    misfit = off - J @ step
    freedom = 2 * len(reads) - 3
    # A clumsier hand than the usual one shows in how badly its places fit together.
    worse = 1.0 if freedom < 3 else max(1.0, float(misfit @ np.linalg.solve(spread, misfit)) / freedom)
    sds = np.sqrt(np.diag(covariance) * worse)
    turn, sd_turn = _turn(headings, reads)
    return Mounted(
        float(state[0]), float(sds[0]),
        (float(middle[0] + state[1]), float(middle[1] + state[2])), float(sds[1:].max()),
        float(wrap_angle(mount.body_from_tag.heading + turn)), sd_turn, len(reads),
    )  # fmt: skip


def beside(found: Mounted, height: float, sd: float) -> Mounted:
    """What was found, with a `height` that was known before to `sd` inches: the mean by their deviations.

    Where the two contradict each other, what was found is left as it is.
    """
    if sd <= 0.0 or abs(found.height - height) > AGREE * math.hypot(found.sd_height, sd):
        return found
    share = found.sd_height**2 / (found.sd_height**2 + sd**2)
    both = found.height + share * (height - found.height)
    return replace(found, height=both, sd_height=found.sd_height * math.sqrt(1.0 - share), of_both=True)


class _Read:
    """One placement on the table: the mark's middle and direction, the tag's middle with its noise."""

    def __init__(self, surface: Surface, placed: OnMark) -> None:
        self._surface, self._corners = surface, placed.corners
        self.pixel, by_corners = diagonal_crossing(placed.corners)
        self.noise = by_corners @ placed.covariance @ by_corners.T
        self.mark = surface.table_from_image(diagonal_crossing(placed.mark)[0][None, :])[0]
        self.square = _up(surface.table_from_image(placed.mark))

    def heading(self, height: float) -> float:
        """The direction of the tag's printed top on the table, radians."""
        return _up(self._surface.table_from_image(self._corners, height))

    def askew(self, heading: float) -> float:
        """By how much a body of this heading is turned against the mark's nearest edge, radians."""
        return math.remainder(heading - self.square, math.pi / 2)


def _up(corners: FloatArray) -> float:
    up = corners[0] + corners[1] - corners[2] - corners[3]
    return math.atan2(up[1], up[0])


def _seen(
    surface: Surface, reads: Sequence[_Read], marks: FloatArray, height: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Where the tags are if they are so high (n, 2), how all that scatters (2n, 2n), how height moves it."""
    n = len(reads)
    at = surface.table_from_image(np.array([r.pixel for r in reads]), height)
    by_pixel, by_parameters, by_height = surface.jacobians(at, height)
    _, by_parameters_flat, _ = surface.jacobians(marks, 0.0)
    # A wrong camera moves the tag and the mark under it nearly alike.
    shared = (by_parameters - by_parameters_flat).reshape(2 * n, -1)
    spread = shared @ surface.covariance @ shared.T
    spread += HAND_IN**2 * np.eye(2 * n) + EYE_IN**2 * np.tile(np.eye(2), (n, n))
    for k, read in enumerate(reads):
        two = slice(2 * k, 2 * k + 2)
        spread[two, two] += by_pixel[k] @ read.noise @ by_pixel[k].T
    return at, np.asarray(spread), by_height.ravel()


def _turn(headings: FloatArray, reads: Sequence[_Read]) -> tuple[float, float]:
    """How much further than stated the tag is turned on its piece, and how surely, radians."""
    askew = [a for h, r in zip(headings, reads, strict=True) if abs(a := r.askew(float(h))) < SQUARE_WITHIN]
    if not askew:
        return 0.0, math.pi
    each = math.hypot(HAND_TURN_DEG, READ_TURN_DEG) / math.sqrt(len(askew))
    return float(np.mean(askew)), math.radians(math.hypot(each, LEAN_TURN_DEG))
