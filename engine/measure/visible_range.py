"""How far is it between the closest parts that see each other: range and line of sight as one question.

`engine.measure.visible.closest_visible` finds the shortest clear segment of places that are known; here the
places are known only so well, so that a part may be visible or not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.measure.distances import edge_range
from engine.measure.sight import clearances
from engine.measure.uncertainty import SEED, draw_poses, exact
from engine.measure.visible import closest_visible
from engine.ruling import Measurement, Witness
from engine.space.geometry import FloatArray, Pose
from engine.space.table import PoseUncertainty, Standing

DRAWS = 80
"""Draws of all places where it is open which parts see each other."""

_SPREAD = 6.0


@dataclass(frozen=True, eq=False)
class VisibleRange:
    """The shortest clear segment between two pieces past all others.

    `distance` in inches with its deviation and the segment as witness; None where no part of the one sees a
    part of the other as drawn. `draws` are the lengths with places drawn from what is known of them,
    infinite where nothing is seen; empty where the segment is beyond doubt the direct one or places are
    exact. `blockers` are the pieces across the direct line, nearest first; `direct` is its length, inches.
    """

    distance: Measurement | None
    direct: Measurement
    blockers: tuple[str, ...]
    draws: FloatArray

    @property
    def p_seen(self) -> float:
        """How probable it is that a part of each sees one of the other."""
        if len(self.draws):
            return float(np.mean(np.isfinite(self.draws)))
        return 0.0 if self.distance is None else 1.0

    def at_most(self, limit: float) -> Measurement:
        """The distance held against a range in inches; what is not seen is beyond any range.

        Where nothing is seen as drawn, the number is the direct distance.
        """
        measured = self.direct if self.distance is None else self.distance
        held = measured.at_most(limit)
        if len(self.draws):
            return replace(held, p_yes=float(np.mean(self.draws <= limit)))
        return replace(held, p_yes=0.0) if self.distance is None else held


def visible_range(
    a: Standing, b: Standing, others: Sequence[Standing], *, draws: int = DRAWS, seed: int = SEED
) -> VisibleRange:
    """The shortest unobstructed segment between the outlines of `a` and `b`, past all others.

    Only pieces that block sight count, and neither end blocks its own line.
    """
    walls = [s for s in others if s.piece.blocks_sight and s.name not in (a.name, b.name)]
    direct = edge_range(a, b)
    across = _across(direct, walls)
    found = closest_visible(a, b, walls)
    if found is not None:
        found = replace(found, witness=Witness(found.witness.line, across, "range"))
    direct = replace(direct, witness=Witness(direct.witness.line, across, "range"))
    if exact((a, b, *walls)) or _plain((a, b), walls):
        return VisibleRange(found, direct, across, np.zeros(0))
    return VisibleRange(found, direct, across, _drawn(a, b, walls, draws, seed))


def _across(direct: Measurement, walls: Sequence[Standing]) -> tuple[str, ...]:
    """The pieces that the direct line runs through, those nearest to its start first."""
    assert direct.witness.line is not None
    start, end = direct.witness.line
    found = []
    for wall in walls:
        through = [clearances(start[None], end[None], wall.pose.to_table(part)[None])[0]
                   for part in wall.piece.body.footprint.parts]  # fmt: skip
        if min(through) < 0.0:
            found.append((math.dist(wall.pose.xy, start), wall.name))
    return tuple(name for _, name in sorted(found))


def _spread(standing: Standing) -> float:
    total, radius = standing.uncertainty.total, standing.piece.body.footprint.radius
    return float(_SPREAD * (np.sqrt(total[0, 0] + total[1, 1]) + radius * np.sqrt(total[2, 2])))


def _plain(pair: tuple[Standing, Standing], walls: Sequence[Standing]) -> bool:
    """Whether the direct line is clear of everything beyond doubt, wherever it may lie.

    It may shift along two sides that face each other: then what lies between them counts.
    """
    hull = pair[0].region.polygon.union(pair[1].region.polygon).convex_hull
    spread = sum(map(_spread, pair))
    return all(hull.distance(w.region.polygon) > spread + _spread(w) for w in walls)


def _drawn(a: Standing, b: Standing, walls: Sequence[Standing], draws: int, seed: int) -> FloatArray:
    """The lengths with all places drawn from what is known of them, infinite where nothing is seen."""
    everyone = (a, b, *walls)
    lengths = np.full(draws, np.inf)
    for k, poses in enumerate(draw_poses(everyone, draws, seed)):
        stood = [
            replace(s, pose=Pose(*map(float, row)), uncertainty=PoseUncertainty.exact())
            for s, row in zip(everyone, poses, strict=True)
        ]
        one = closest_visible(stood[0], stood[1], stood[2:])
        lengths[k] = np.inf if one is None else one.value
    return lengths
