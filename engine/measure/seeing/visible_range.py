"""How far is it between the closest parts that see each other: range and line of sight as one question.

`engine.measure.seeing.closest.closest_visible` finds the shortest clear segment of places that are known;
here the places are known only so well, so that a part may be visible or not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.measure.distances import edge_range, hull_between, reaching_between
from engine.measure.seeing.closest import Between, closest_visible
from engine.measure.sight import Parts, clearances, gaps
from engine.measure.uncertainty import draw_poses, exact, poses_of
from engine.ruling import Measurement, Witness
from engine.space.geometry import FloatArray
from engine.space.table import Standing

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
    `hiding` names the pieces that may stand anywhere between the two, as nobody has seen them: with them no
    part is surely seen, and the distance may be longer.
    """

    distance: Measurement | None
    direct: Measurement
    blockers: tuple[str, ...]
    draws: FloatArray
    hiding: tuple[str, ...] = ()

    @property
    def p_seen(self) -> float:
        """How probable it is that a part of each sees one of the other."""
        seen = 0.0 if self.distance is None else 1.0
        if len(self.draws):
            seen = float(np.mean(np.isfinite(self.draws)))
        return min(seen, 0.5) if self.hiding else seen

    def at_most(self, limit: float) -> Measurement:
        """The distance held against a range in inches; what is not seen is beyond any range.

        Where nothing is seen as drawn, the number is the direct distance.
        """
        measured = self.direct if self.distance is None else self.distance
        held = measured.at_most(limit)
        if len(self.draws):
            held = replace(held, p_yes=float(np.mean(self.draws <= limit)))
        elif self.distance is None:
            held = replace(held, p_yes=0.0)
        return held.unless_in_the_way(self.hiding)


def visible_range(
    a: Standing, b: Standing, others: Sequence[Standing], *, hiding: Sequence[str] = ()
) -> VisibleRange:
    """The shortest unobstructed segment between the outlines of `a` and `b`, past all others.

    Only pieces that block sight count, and neither end blocks its own line. `hiding` are names of others
    whose places nobody knows; nothing stands between two that touch.
    """
    names = (a.name, b.name)
    walls = [s for s in others if s.piece.blocks_sight and s.name not in names]
    direct = edge_range(a, b)
    near = reaching_between(a, b, walls)
    across = _across(direct, near)
    found = closest_visible(a, b, near)
    if found is not None:
        found = replace(found, witness=Witness(found.witness.line, across, "range"))
    direct = replace(direct, witness=Witness(direct.witness.line, across, "range"))
    unknown = tuple(hiding) if direct.value > 0.0 else ()
    if exact((a, b, *walls)) or _plain((a, b), walls):
        return VisibleRange(found, direct, across, np.zeros(0), unknown)
    return VisibleRange(found, direct, across, _drawn(a, b, walls), unknown)


def _across(direct: Measurement, walls: Sequence[Standing]) -> tuple[str, ...]:
    """The pieces that the direct line runs through, those nearest to its start first."""
    assert direct.witness.line is not None
    start, end = direct.witness.line
    parts = Parts.of([w.piece.body for w in walls])
    through = clearances(start[None], end[None], parts.at(poses_of(walls))) < 0.0
    crossed = (walls[k] for k in np.unique(parts.owner[through]))
    return tuple(name for _, name in sorted((math.dist(w.pose.xy, start), w.name) for w in crossed))


def _spread(standing: Standing) -> float:
    total, radius = standing.uncertainty.total, standing.piece.body.footprint.radius
    return float(_SPREAD * (np.sqrt(total[0, 0] + total[1, 1]) + radius * np.sqrt(total[2, 2])))


def _plain(pair: tuple[Standing, Standing], walls: Sequence[Standing]) -> bool:
    """Whether the direct line is clear of everything beyond doubt, wherever it may lie.

    It may shift along two sides that face each other: then what lies between them counts.
    """
    room = sum(map(_spread, pair))
    near = reaching_between(*pair, walls, room + np.array([_spread(w) for w in walls]))
    parts = Parts.of([w.piece.body for w in near])
    least = room + np.array([_spread(w) for w in near])
    return bool((gaps(hull_between(*pair), parts.at(poses_of(near))) > least[parts.owner]).all())


def _drawn(a: Standing, b: Standing, walls: Sequence[Standing]) -> FloatArray:
    """The lengths with all places drawn from what is known of them, infinite where nothing is seen."""
    everyone = (a, b, *walls)
    nominal, poses = poses_of(everyone), draw_poses(everyone, DRAWS)
    # No wall matters that never comes near the two: beside what it moves itself they may move towards it.
    shift = np.abs(poses - nominal).max(axis=0)
    reach = np.hypot(shift[:, 0], shift[:, 1])
    reach[:2] += shift[:2, 2] * [s.piece.body.footprint.radius for s in (a, b)]
    near = reaching_between(a, b, walls, reach[2:] + reach[:2].sum())
    index = [k for k, s in enumerate(everyone) if k < 2 or s in near]
    return Between.of((a, b, *near)).lengths(poses[:, index])
