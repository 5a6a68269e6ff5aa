"""Proof that inches are inches: a strip of known length laid here and there on the table.

Two tags whose centres are a known distance apart are put down at several places. How far the
measured length is off, beyond what the stated deviations explain, is the error of the surface
itself (a bent table, a lens that is not quite as calibrated); rulings count it in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import TableRefError
from engine.space.geometry import FloatArray, Region

ENOUGH = 5
CELLS = 3


class ProofError(TableRefError):
    """A check that cannot be made or written down."""


@dataclass(frozen=True, eq=False)
class StripPlacement:
    """The strip at one place, inches.

    Its `middle` (2,), what it `measured`, that number's stated deviation `sd`, and `scatter`, the
    standard deviation of the single reads of its length.
    """

    middle: FloatArray
    measured: float
    sd: float
    scatter: float


@dataclass(frozen=True, eq=False)
class Proof:
    """All placements of a strip of true `length` on a playing `surface`."""

    length: float
    surface: Region
    placements: tuple[StripPlacement, ...]

    @property
    def errors(self) -> FloatArray:
        """Measured less true, inches, (n,)."""
        return np.array([p.measured - self.length for p in self.placements])

    @property
    def scale(self) -> float:
        """By how much all lengths come out too long (0.01 is one percent)."""
        return float(self.errors.mean() / self.length) if self.placements else 0.0

    @property
    def repeatability(self) -> float:
        """Deviation of a single read of the length, inches."""
        return float(np.sqrt(np.mean([p.scatter**2 for p in self.placements]))) if self.placements else 0.0

    @property
    def figure(self) -> float:
        """The surface's own error of a place, one standard deviation along each axis, inches.

        What is left of the length's error when the stated deviations are taken out, shared between
        the strip's two ends. Raises `ProofError` while the placements are too few.
        """
        if len(self.placements) < ENOUGH:
            raise ProofError(
                f"expected the strip at {ENOUGH} places or more but got {len(self.placements)}: "
                "lay it near each corner and in the middle, along and across"
            )
        stated = float(np.mean([p.sd**2 for p in self.placements]))
        return math.sqrt(max(float(np.mean(self.errors**2)) - stated, 0.0) / 2)

    @property
    def cells(self) -> FloatArray:
        """Root mean square error over a 3 x 3 map of the surface, row 0 the far one; NaN where untried."""
        low, high = self.surface.outline.min(axis=0), self.surface.outline.max(axis=0)
        sums, counts = np.zeros((CELLS, CELLS)), np.zeros((CELLS, CELLS))
        for placement, error in zip(self.placements, self.errors, strict=True):
            column, row = np.clip((placement.middle - low) / (high - low) * CELLS, 0, CELLS - 1).astype(int)
            sums[CELLS - 1 - row, column] += error**2
            counts[CELLS - 1 - row, column] += 1
        return np.where(counts > 0, np.sqrt(sums / np.maximum(counts, 1)), np.nan)


def placement(ends: FloatArray, covariance: FloatArray, reads: Sequence[float]) -> StripPlacement:
    """One placement from the ends' places (2, 2), their joint covariance (4, 4) and single lengths."""
    length, gradient = length_of(ends)
    sd = math.sqrt(max(float(gradient @ covariance @ gradient), 0.0))
    scatter = float(np.std(reads, ddof=1)) if len(reads) > 1 else 0.0
    return StripPlacement(ends.mean(axis=0), length, sd, scatter)


def length_of(ends: FloatArray) -> tuple[float, FloatArray]:
    """How far a strip's two ends (2, 2) are apart, inches, and how that changes with each place, (4,)."""
    along = ends[1] - ends[0]
    length = float(np.hypot(*along))
    return length, np.concatenate([-along, along]) / length


def write_figure(text: str, figure: float) -> str:
    """A table file's text with `checked_in` set under [surface]; all else stays as it is."""
    line = f"checked_in = {figure:.4f}"
    if re.search(r"^checked_in\s*=.*$", text, flags=re.MULTILINE):
        return re.sub(r"^checked_in\s*=.*$", line, text, flags=re.MULTILINE)
    out, count = re.subn(r"^\[surface\][ \t]*$", f"[surface]\n{line}", text, count=1, flags=re.MULTILINE)
    if not count:
        raise ProofError(f"the table file has no [surface] on a line of its own: write {line} there by hand")
    return out
