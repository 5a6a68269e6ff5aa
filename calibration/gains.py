"""What would make a table surer: a known length, a calibrated lens, or both; how sure it would be then."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.bundle.common import Common
from calibration.bundle.doubts import judge
from calibration.bundle.parts import SeenTag
from calibration.lens.model import Lens, usual_covariance
from calibration.surface import SeenCorner, Surface, SurfaceError
from engine.space.geometry import FloatArray, Pose
from engine.space.table import PoseUncertainty, Standing, TableState

SPAN_IN = 20.0
"""The distance by which people are told how surely a table is known, inches."""

RULED_SHARE = 0.0015
"""How well a scale is known from a bar or a length that was measured with a ruler: a share of it."""

_CROSS = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))


@dataclass(frozen=True, eq=False)
class Gain:
    """One way to make a table surer, as in "with the lens calibrated", and the table as it would be known."""

    words: str
    surface: Surface

    def applied(self, table: TableState) -> TableState:
        """The table with each place as sure as it would be: the same places, the surface's errors smaller."""
        return replace(table, standings=tuple(map(self._surer, table.standings)))

    def _surer(self, standing: Standing) -> Standing:
        pose, mount = standing.pose, standing.piece.mount
        # A tag's heading is that of the square fitted to it: half of what turns its sides, half its ends.
        points = np.array([pose.xy, *(pose.compose(Pose(*at)).xy for at in _CROSS)])
        _, by_parameters, _ = self.surface.jacobians(points, 0.0 if mount is None else mount.height)
        ahead = np.array([math.cos(pose.heading), math.sin(pose.heading)])
        left = np.array([-ahead[1], ahead[0]])
        turns = left @ (by_parameters[1] - by_parameters[2]) - ahead @ (by_parameters[3] - by_parameters[4])
        shared = np.vstack([by_parameters[0], turns / 4.0]) @ self.surface.loading
        return replace(standing, uncertainty=PoseUncertainty(standing.uncertainty.own, shared))


def gains(
    lens: Lens,
    corners: Sequence[SeenCorner],
    tags: Sequence[SeenTag],
    frame: tuple[tuple[str, int], tuple[str, int]] | None,
    common: Common,
) -> list[Gain]:
    """The ways that are left, from what is seen now; arguments as for `calibration.bundle.doubts.judge`."""
    known = replace(lens, origin="file", covariance=usual_covariance(lens))
    measured = common.scale <= 2 * RULED_SHARE
    ways = []
    if not measured:
        ways.append(("with a known length", lens, RULED_SHARE))
    if lens.guessed:
        ways.append(("with the lens calibrated", known, common.scale))
    if len(ways) == 2:
        ways.append(("with a known length and the lens calibrated", known, RULED_SHARE))
    found = []
    for words, through, scale in ways:
        try:
            surface = judge(through, corners, tags, frame, replace(common, scale=scale)).surface
        except SurfaceError:
            continue
        found.append(Gain(words, surface))
    return found


def sure_of_span(surface: Surface, middle: FloatArray) -> float:
    """How well `SPAN_IN` across the table's middle are known: the larger of along and across, 95 %."""
    worst = 0.0
    for direction in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        ends = middle + np.array([[-0.5], [0.5]]) * SPAN_IN * direction
        _, by_parameters, _ = surface.jacobians(ends, 0.0)
        gradient = direction @ (by_parameters[1] - by_parameters[0])
        worst = max(worst, float(gradient @ surface.covariance @ gradient))
    return 1.96 * math.sqrt(worst)
