"""Proof of inches by a strip of two tags, or by a sheet of paper at several places on the table.

What the paper measures is held against what it is, all places together: the table's own error, the paper's
and that of its edges in the picture each have their stated deviations, and much of them is shared. A strip of
known length is held against the table in the same way, by its one length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from calibration.proofs.proof import length_of
from calibration.surface import Surface
from engine.ruling import chi_square_above, normal_cdf
from engine.space.geometry import FloatArray

# How exactly paper is cut, each side: the same wherever one sheet lies. How flat it lies: anew each time.
# Together they are the 0.02 inch that a side is taken to be exact to. The angle between the sides likewise.
CUT_IN, LAID_IN = 0.016, 0.012
CUT_RAD, LAID_RAD = 0.0015, 0.001

# A straight line through points along 0.8 of an edge is so much less sure at the edge's ends than across.
TILTED = math.sqrt(12.0) / 0.8

# Whatever fits worse than one good table in twenty does not agree.
TOLD = 0.05

# An edge that may be off by more than this share of a side (95 %) tells nothing that is worth telling.
BLURRED = 0.02

_FREE = 1e3
"""A deviation that leaves a direction open."""

Blame = Literal["none", "scale", "place", "stretch", "uneven"]
"""What explains a misfit: all lengths alike, one place, all places alike but not all directions, nothing."""


@dataclass(frozen=True, eq=False)
class SeenSheet:
    """A sheet of paper as it lies in the picture.

    `corners` (4, 2) are pixels in order round it, the first two those of a short side. `own` (2,) is how
    surely the way across is seen, of the short and of the long side, `curve` (2,) what the camera's tone
    curve may make of it, all ways alike; inches. `tilt` is how surely the angle is seen, radians.
    """

    corners: FloatArray
    own: FloatArray
    curve: FloatArray
    tilt: float


@dataclass(frozen=True, eq=False)
class SheetProof:
    """What sheets with sides of `true` (2,) inches, or strips of one length (1,), say of a table, n times.

    `errors` (n, k) are measured less true: of a sheet short side and long side in inches and the right angle
    in radians, of a strip its length. `covariance` (k n, k n) is that of all of them as it is stated; `paper`
    (k n, k n) the part of it that is not the table's: paper, edges and cloth. `middles` (n, 2) and `along`
    (n, 2), the direction of the short side or the strip, are on the table.
    """

    true: FloatArray
    errors: FloatArray
    covariance: FloatArray
    paper: FloatArray
    middles: FloatArray
    along: FloatArray
    blurred: tuple[bool, ...]

    @property
    def sds(self) -> FloatArray:
        """The stated deviations of the errors, (n, k)."""
        return np.sqrt(np.diag(self.covariance)).reshape(self.errors.shape)

    @property
    def chance(self) -> float:
        """How likely a misfit as large as this one is if everything is as it is stated.

        Two tests share it: all figures together, and the scale alone, which prints have wrong most often.
        """
        u, e = self._alike(), self.errors.ravel()
        weighted = np.linalg.solve(self.covariance, u)
        alike = abs(float(weighted @ e)) / math.sqrt(float(u @ weighted))
        return min(1.0, 2 * min(self._left(np.zeros((e.size, 0))), 2 * normal_cdf(-alike)))

    @property
    def agrees(self) -> bool:
        """Whether all places together agree with the table within the stated deviations."""
        return self.chance >= TOLD

    @property
    def scale(self) -> tuple[float, float]:
        """By which share lengths come out too long by the paper alone, and its standard deviation."""
        u = self._alike()
        weighted = np.linalg.solve(self.paper, u)
        sd = 1.0 / math.sqrt(float(u @ weighted))
        return float(weighted @ self.errors.ravel()) * sd**2, sd

    @property
    def stated_scale(self) -> float:
        """How well the table states that it knows these lengths: a share, one standard deviation."""
        u = self._alike() / float(np.sum(self._alike() ** 2))
        return math.sqrt(max(float(u @ (self.covariance - self.paper) @ u), 0.0))

    @property
    def worst(self) -> int:
        """The place that misfits most by the stated deviations."""
        return int(np.argmax(np.abs(self.errors / self.sds).max(axis=1)))

    @property
    def blame(self) -> tuple[Blame, int]:
        """What would explain the misfit, and the place that is worst."""
        if self.agrees:
            return "none", self.worst
        if self._left(self._alike()[:, None]) >= TOLD:
            return "scale", self.worst
        if len(self.errors) > 1:
            alone = [self._left(self._only(n)) for n in range(len(self.errors))]
            if max(alone) >= TOLD:
                return "place", int(np.argmax(alone))
        return ("stretch" if self._left(self._stretched()) >= TOLD else "uneven"), self.worst

    def _left(self, free: FloatArray) -> float:
        """The probability of what misfits when the directions (k n, m) are left open.

        0 where they leave nothing that could misfit: then they explain nothing.
        """
        e = self.errors.ravel()
        if free.shape[1] >= e.size:
            return 0.0
        spread = self.covariance + _FREE**2 * free @ free.T
        return chi_square_above(float(e @ np.linalg.solve(spread, e)), e.size - free.shape[1])

    def _alike(self) -> FloatArray:
        """What all lengths have too much, where everything is too large by the same share, (k n,)."""
        angles = self.errors.shape[1] - len(self.true)
        return np.tile(np.append(self.true, np.zeros(angles)), len(self.errors))

    def _only(self, place: int) -> FloatArray:
        k = self.errors.shape[1]
        return np.eye(self.errors.size)[:, k * place : k * place + k]

    def _stretched(self) -> FloatArray:
        """A table too long along x, along y, or leaning, everywhere alike, (k n, 3)."""
        rows = []
        for s in self.along:
            rows.append(self.true[0] * np.array([s[0] ** 2, s[1] ** 2, s[0] * s[1]]))
            if len(self.true) < 2:
                continue
            t = np.array([-s[1], s[0]])
            rows.append(self.true[1] * np.array([t[0] ** 2, t[1] ** 2, t[0] * t[1]]))
            rows.append(-np.array([2 * s[0] * t[0], 2 * s[1] * t[1], s[0] * t[1] + s[1] * t[0]]))
        return np.array(rows)


def measures(corners: FloatArray) -> FloatArray:
    """Short side, long side and by how much their angle is more than a right one, of corners (4, 2).

    The first two corners, on the table, are those of a short side. Inches and radians, (3,).

    >>> measures(np.array([(0.0, 0.0), (8.5, 0.0), (8.5, 11.0), (0.0, 11.0)])).tolist()
    [8.5, 11.0, -0.0]
    """
    mids = (corners + np.roll(corners, -1, axis=0)) / 2
    across, up = mids[1] - mids[3], mids[2] - mids[0]
    short, long = float(np.hypot(*across)), float(np.hypot(*up))
    return np.array([short, long, -float(across @ up) / (short * long)])


def proof_of(
    surface: Surface, sheets: Sequence[SeenSheet], true: FloatArray, cloth: float = 0.0, checked: float = 0.0
) -> SheetProof:
    """Holds the sheets, one at each place, against the table.

    `true` (2,) are the paper's short and long side, `cloth` and `checked` the table's deviations from flat
    and of a place, inches.
    """
    n = len(sheets)
    places = [surface.table_from_image(sheet.corners) for sheet in sheets]
    errors = np.array([measures(p) for p in places]) - np.append(true, 0.0)
    by_table = np.zeros((3 * n, surface.covariance.shape[0]))
    paper = np.zeros((3 * n, 3 * n))
    cut = np.tile(np.diag([CUT_IN, CUT_IN, CUT_RAD]), (n, 1))
    curve = np.concatenate([np.append(sheet.curve, 0.0) for sheet in sheets])
    paper += cut @ cut.T + np.outer(curve, curve)
    own_of_table = np.zeros(3 * n)
    for k, (sheet, corners) in enumerate(zip(sheets, places, strict=True)):
        gradient = _gradient(corners)
        _, by_parameters, by_height = surface.jacobians(corners, 0.0)
        rows = slice(3 * k, 3 * k + 3)
        by_table[rows] = gradient @ by_parameters.reshape(8, -1)
        # The cloth is higher or lower under each corner for itself.
        lifted = np.einsum("qij,ij->qi", gradient.reshape(3, 4, 2), by_height) * cloth
        own = np.array([*np.hypot(sheet.own, LAID_IN), math.hypot(sheet.tilt, LAID_RAD)])
        paper[rows, rows] += lifted @ lifted.T + np.diag(own**2)
        apart = checked * math.sqrt(2.0)
        own_of_table[rows] = [apart, apart, apart * math.hypot(1 / true[0], 1 / true[1])]
    covariance = paper + by_table @ surface.covariance @ by_table.T + np.diag(own_of_table**2)
    middles = np.array([p.mean(axis=0) for p in places])
    along = np.array([_direction(p) for p in places])
    blurred = tuple(bool((1.96 * np.hypot(s.own, s.curve) > BLURRED * true).any()) for s in sheets)
    return SheetProof(true, errors, covariance, paper, middles, along, blurred)


def _gradient(corners: FloatArray, step: float = 1e-4) -> FloatArray:
    """How `measures` change with the corners' coordinates, (3, 8)."""
    columns = []
    for n in range(8):
        moved = np.zeros(8)
        moved[n] = step
        shift = moved.reshape(4, 2)
        columns.append((measures(corners + shift) - measures(corners - shift)) / (2 * step))
    return np.array(columns).T


def _direction(corners: FloatArray) -> FloatArray:
    """The unit direction (2,) of the short side."""
    mids = (corners + np.roll(corners, -1, axis=0)) / 2
    across = mids[1] - mids[3]
    return np.asarray(across / np.hypot(*across))


@dataclass(frozen=True, eq=False)
class SeenStrip:
    """A strip as it lies on the table: the centres of its tags, `ends` (2, 2) inches.

    `own` (4, 4) is how surely they are seen, `loading` (4, m) how they move with what all places have in
    common: the camera's pose and the lens, each in its own deviations.
    """

    ends: FloatArray
    own: FloatArray
    loading: FloatArray


def strip_proof(strips: Sequence[SeenStrip], true: tuple[float, float], checked: float = 0.0) -> SheetProof:
    """Holds the strip, as it lay at each place, against the table.

    `true` is the length that somebody measured and its deviation, `checked` the table's deviation of a place,
    inches.
    """
    length, sd = true
    lengths, gradients = zip(*(length_of(s.ends) for s in strips), strict=True)
    by_table = np.array([g @ s.loading for g, s in zip(gradients, strips, strict=True)])
    own = np.array([g @ s.own @ g for g, s in zip(gradients, strips, strict=True)])
    paper = sd**2 + np.diag(own + LAID_IN**2)
    apart = 2 * checked**2 * np.eye(len(strips))
    along = np.array([s.ends[1] - s.ends[0] for s in strips]) / np.array(lengths)[:, None]
    return SheetProof(
        true=np.array([length]),
        errors=np.array(lengths)[:, None] - length,
        covariance=paper + by_table @ by_table.T + apart,
        paper=paper,
        middles=np.array([s.ends.mean(axis=0) for s in strips]),
        along=along,
        blurred=tuple(bool(1.96 * np.sqrt(o) > BLURRED * length) for o in own),
    )
