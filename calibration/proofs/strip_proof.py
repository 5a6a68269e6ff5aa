"""Proof of inches by a strip with two tags a known length apart, laid at several places on the table.

The one length is held against the table as a sheet's sides are (`calibration.proofs.sheet_proof`): the
table's own error is shared by all places, so is that of the ruler which the strip was measured with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.proofs.proof import length_of
from calibration.proofs.sheet_proof import BLURRED, LAID_IN, SheetProof
from engine.space.geometry import FloatArray


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
