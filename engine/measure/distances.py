"""How far, in which arc, who sees whom past what: value, margin, uncertainty, witness.

The front door of the measuring. Every question takes pieces as they stand (`engine.space.table.Standing`)
and gives a `Measurement`: the number in inches, its standard deviation from what is known of the
poses (pieces covary through the errors they share), and a witness to draw. Hold it against a limit
with `at_most` or `at_least` to get a margin, a probability and a verdict.

Two rules that a ruler leaves open:

* A sight line that only touches an outline is clear: its clearance is 0. Between whole outlines a gap
  of no width lets nothing through, so the seam of two pieces that touch is closed. With any
  uncertainty both are too close to call.
* The shooter's and the target's own bodies never block their own line.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from shapely import unary_union
from shapely.geometry import LineString

from engine.errors import TableRefError
from engine.measure import uncertainty
from engine.measure.arcs import Arc, ArcPlacement, deepest, depth_in_arc, shallowest
from engine.measure.corridor import Corridor, widest
from engine.measure.sight import (
    TOUCH,
    Heights,
    Parts,
    clearances,
    following,
    gaps,
    inside_outline,
    past,
    to_table,
)
from engine.ruling import Belief, Measurement, Witness
from engine.space.convex import distinct, hull_of
from engine.space.geometry import FloatArray, Pose, as_points
from engine.space.table import Standing

__all__ = [
    "PLENTY",
    "Arc",
    "ArcMeasurement",
    "ArcPlacement",
    "Measurement",
    "arc",
    "contact",
    "edge_range",
    "front_tyres",
    "outline_sight",
    "point_range",
    "sight",
    "tyre_range",
    "tyres",
]

PLENTY = 12.0
"""Inches beyond which the room beside a sight line is not measured any further."""

FOOTPRINT_DRAWS = 500
"""Draws for whole outlines, which cost more than points."""


def tyres(standing: Standing) -> FloatArray:
    """The four tyre contacts in the body frame: front-left, front-right, rear-right, rear-left."""
    if standing.piece.body.tyres is None:
        raise TableRefError(f"{standing.name} has no tyres; measure to its footprint instead")
    return standing.piece.body.tyres


def front_tyres(standing: Standing) -> FloatArray:
    """The two front tyre contacts in the body frame, left then right."""
    return tyres(standing)[:2]


def point_range(a: Standing, points_of_a: ArrayLike, b: Standing, points_of_b: ArrayLike) -> Measurement:
    """The shortest distance between chosen points of two pieces, in inches.

    Points are (n, 2) in the body frames. Where one pair of points is nearest beyond doubt the
    deviation is first-order, else it is drawn.
    """
    pa, pb = as_points(points_of_a, "points of a"), as_points(points_of_b, "points of b")
    pair = (a, b)

    def all_pairs(poses: FloatArray) -> FloatArray:
        there = to_table(poses[..., 1, :], pb)[..., None, :, :]
        away = to_table(poses[..., 0, :], pa)[..., :, None, :] - there
        return np.asarray(np.hypot(away[..., 0], away[..., 1]).reshape(*poses.shape[:-2], -1))

    nominal = all_pairs(uncertainty.poses_of(pair)[None])[0]
    best = int(nominal.argmin())
    one = uncertainty.believe(lambda poses: all_pairs(poses)[..., best], pair, smooth=True)
    belief = one
    # A tie, or two points nearly in one place, bends the number within a few deviations.
    rivals = np.delete(nominal, best)
    room = min(float(rivals.min()) - one.value if len(rivals) else np.inf, one.value)
    if one.sd > 0.0 and room < 8.0 * one.sd:
        belief = uncertainty.believe(lambda poses: all_pairs(poses).min(axis=-1), pair)
    i, j = divmod(best, len(pb))
    return Measurement(
        belief, "in", Witness(np.stack([a.pose.to_table(pa[i]), b.pose.to_table(pb[j])]), shows="range")
    )


def tyre_range(a: Standing, b: Standing, *, front: bool = True) -> Measurement:
    """From a front tyre of `a` (any tyre, unless `front`) to the nearest tyre of `b`, inches."""
    return point_range(a, front_tyres(a) if front else tyres(a), b, tyres(b))


def edge_range(a: Standing, b: Standing) -> Measurement:
    """Between the outlines, edge to edge, inches; 0 when they touch or overlap."""
    measured = contact(a, b)
    belief = measured.belief
    draws = None if belief.draws is None else np.maximum(belief.draws, 0.0)
    return replace(measured, belief=Belief(max(belief.value, 0.0), belief.sd, draws))


def contact(a: Standing, b: Standing) -> Measurement:
    """The gap between two outlines in inches, or minus the depth of their overlap.

    The depth is the shortest shift that would part them (of their deepest convex parts). What was measured
    is kept for pieces that stand the same: several options and questions ask for it, and frame after frame.
    """
    return _contact(_Stands.of(a), _Stands.of(b))


@dataclass(frozen=True)
class _Stands:
    """A piece with all that where it is rests on; when that was seen is no part of it."""

    facts: Hashable
    standing: Standing = field(compare=False)

    @classmethod
    def of(cls, standing: Standing) -> _Stands:
        return cls((standing.piece, standing.pose, standing.uncertainty.facts), standing)


@lru_cache(maxsize=1024)
def _contact(one: _Stands, other: _Stands) -> Measurement:
    a, b = one.standing, other.standing
    belief = uncertainty.believe(lambda poses: outline_gaps(a, b, poses), (a, b), draws=FOOTPRINT_DRAWS)
    return Measurement(belief, "in", Witness(closest_line(a, b)))


def outline_gaps(a: Standing, b: Standing, poses: FloatArray) -> FloatArray:
    """The gaps in inches between two outlines at poses (..., 2, 3); negative is how deep they overlap."""
    parts = Parts.of([s.piece.body for s in (a, b)])
    outlines = parts.at(poses)
    first, second = (outlines[..., parts.owner == k, :, :] for k in (0, 1))
    each = gaps(first[..., :, None, :, :], second[..., None, :, :, :])
    return np.asarray(each.min(axis=(-1, -2)))


def surely_apart(a: Standing, b: Standing) -> bool:
    """Whether two pieces stand so far apart that eight deviations of both do not let them touch.

    Told from their places and radii alone: quick, where `contact` would tell how far.
    """
    radii = a.piece.body.footprint.radius + b.piece.body.footprint.radius
    return bool(
        np.hypot(*(a.pose.xy - b.pose.xy))
        > radii + uncertainty.farthest_shift([a]) + uncertainty.farthest_shift([b])
    )


def closest_line(a: Standing, b: Standing) -> FloatArray:
    """The two closest points of the outlines in the table frame, shape (2, 2)."""
    ends = [s.pose.to_table(s.piece.body.footprint.outline)[None] for s in (a, b)]
    return np.asarray(closest_points(ends[0], ends[1])[0])


def closest_points(a: FloatArray, b: FloatArray) -> FloatArray:
    """The two closest points of outlines (m, p, 2) and (m, q, 2), which lie apart: (m, 2, 2)."""
    one, from_a = _corner_and_foot(a, b)
    other, from_b = _corner_and_foot(b, a)
    return np.where((from_b < from_a)[:, None, None], other[:, ::-1], one)


def _corner_and_foot(corners: FloatArray, outlines: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The corner nearest to another outline, with its foot there (m, 2, 2), and how far it is (m,)."""
    step = following(outlines) - outlines
    t = ((corners[:, :, None] - outlines[:, None]) * step[:, None]).sum(axis=-1)
    t = np.clip(t / (step**2).sum(axis=-1)[:, None], 0.0, 1.0)
    feet = outlines[:, None] + t[..., None] * step[:, None]
    gap = feet - corners[:, :, None]
    away = np.hypot(gap[..., 0], gap[..., 1]).reshape(len(corners), -1)
    rows, best = np.arange(len(corners)), away.argmin(axis=1)
    i, j = np.divmod(best, outlines.shape[1])
    return np.stack([corners[rows, i], feet[rows, i, j]], axis=1), away[rows, best]


@dataclass(frozen=True, eq=False)
class ArcMeasurement(Measurement):
    """How deep the deepest part lies inside the arc (inches), and whether all of it does."""

    placement: ArcPlacement = ArcPlacement.OUT


def arc(
    owner: Standing,
    field: Arc,
    other: Standing,
    by: Literal["tyres", "front tyres", "footprint"] = "tyres",
) -> ArcMeasurement:
    """How deep `other` reaches into an arc of `owner`, inches; 0 is on the boundary.

    The number belongs to the deepest part, so `at_least(0)` asks whether any of it is inside;
    `placement` also tells *straddling* from *in*.
    """
    pair = (owner, other)
    outline = by == "footprint"
    if outline:
        points = other.piece.body.footprint.outline
    else:
        points = tyres(other) if by == "tyres" else front_tyres(other)
    anchor = field.body_from_anchor

    def in_anchor(poses: FloatArray) -> FloatArray:
        apex = to_table(poses[..., 0, :], anchor.xy[None])
        away = to_table(poses[..., 1, :], points) - apex
        turn = poses[..., 0, 2, None] + anchor.heading
        cos, sin = np.cos(turn), np.sin(turn)
        x, y = away[..., 0], away[..., 1]
        return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)

    def most(poses: FloatArray) -> FloatArray:
        there = in_anchor(poses)
        return deepest(there, field.width) if outline else depth_in_arc(there, field.width).max(axis=-1)

    there = in_anchor(uncertainty.poses_of(pair)[None])[0]
    depths = depth_in_arc(there, field.width)
    least = float(shallowest(there, field.width)) if outline else float(depths.min())
    belief = Belief(np.inf, 0.0) if np.isinf(depths).all() else uncertainty.believe(most, pair)
    placement = ArcPlacement.OUT if belief.value < 0.0 else ArcPlacement.STRADDLING
    if least >= 0.0:
        placement = ArcPlacement.IN
    table_from_anchor = owner.pose.compose(anchor)
    line = np.stack([table_from_anchor.xy, other.pose.to_table(points[int(depths.argmax())])])
    return ArcMeasurement(
        belief, "in", Witness(line, edges=sides_of(field, owner, other)), placement=placement,
    )  # fmt: skip


def sides_of(field: Arc, owner: Standing, other: Standing) -> tuple[FloatArray, ...]:
    """The two sides of an arc from its apex to beyond another piece, each (2, 2); none of one all round."""
    if field.width >= math.tau:
        return ()
    apex = owner.pose.compose(field.body_from_anchor)
    reach = max(math.dist(apex.xy, point) for point in other.region.outline.tolist()) + 1.0
    half = field.width / 2
    return tuple(
        apex.to_table(np.array([(0.0, 0.0), (reach * math.cos(turn), reach * math.sin(turn))]))
        for turn in (half, -half)
    )


def sight(
    a: Standing,
    points_of_a: ArrayLike,
    b: Standing,
    points_of_b: ArrayLike,
    blockers: Sequence[Standing],
    *,
    heights: Heights | None = None,
    draws: int = uncertainty.DRAWS // 4,
) -> Measurement:
    """The best line of sight from any of the points of `a` to any of those of `b`, as its clearance.

    Points are (n, 2) in the body frames. The number is in inches: positive is the room beside the
    best line (no more than `PLENTY` is measured), negative how deep that line is blocked. The two
    pieces themselves never block. With `heights` (of muzzle and target above the table, inches) a
    piece blocks only where the line runs below its top. `at_least(0)` asks whether there is a clear
    line. The witness holds the best line and, when it is blocked, every blocker on it, nearest first.
    """
    pa, pb = as_points(points_of_a, "points of a"), as_points(points_of_b, "points of b")
    others = tuple(s for s in blockers if s is not a and s is not b and s.name not in (a.name, b.name))
    ends = np.array([(i, j) for i in range(len(pa)) for j in range(len(pb))])
    start = a.pose.to_table(pa)[ends[:, 0]]
    end = b.pose.to_table(pb)[ends[:, 1]]
    lengths = np.hypot(*(end - start).T)
    if not others:
        best = int(lengths.argmin())
        return Measurement(
            Belief(PLENTY, 0.0), "in", Witness(np.stack([start[best], end[best]]), shows="sight")
        )
    parts = Parts.of([s.piece.body for s in others])
    outlines = parts.at(uncertainty.poses_of(others))
    each = past(start, end, parts, uncertainty.poses_of(others), heights)
    lines = np.minimum(each.min(axis=1), PLENTY)
    best = int(np.lexsort((lengths, -lines))[0])
    line = np.stack([start[best], end[best]])
    names = _in_the_way(line, each[best], parts, others, outlines)
    belief = _sight_belief(
        (a, b, *others), (pa[ends[:, 0]], pb[ends[:, 1]]), each, best, parts, heights, draws
    )
    return Measurement(belief, "in", Witness(line, names, "sight"))


def has_room(line: FloatArray | None, a: Standing, b: Standing) -> bool:
    """Whether anything could stand in a line (2, 2) from `a` to `b`: it leaves their outlines somewhere."""
    if line is None:
        return True
    free = LineString(line).difference(unary_union([a.region.polygon, b.region.polygon]))
    return bool(free.length > TOUCH)


def _in_the_way(
    line: FloatArray, each: FloatArray, parts: Parts, others: Sequence[Standing], outlines: FloatArray
) -> tuple[str, ...]:
    """What blocks the line, by where the line meets it."""
    nearest: dict[str, float] = {}
    for k in np.flatnonzero(each < 0.0):
        name, inside = others[parts.owner[k]].name, inside_outline(line[0], line[1], outlines[k])
        # What is met by less than rounding is met nowhere in particular.
        here = np.inf if inside is None else inside[0]
        nearest[name] = min(here, nearest.get(name, np.inf))
    return tuple(sorted(nearest, key=nearest.__getitem__))


def _sight_belief(
    standings: Sequence[Standing],
    ends: tuple[FloatArray, FloatArray],
    each: FloatArray,
    best: int,
    parts: Parts,
    heights: Heights | None,
    draws: int,
) -> Belief:
    """The clearance with its deviation; `each` holds the nominal clearance by line and part."""
    lines = np.minimum(each.min(axis=1), PLENTY)
    value = float(lines[best])
    if uncertainty.exact(standings):
        return Belief(value, 0.0)
    reach = uncertainty.farthest_shift(standings)
    chosen, part = [best], [int(each[best].argmin())]
    if abs(value) <= reach:
        # Lines that may yet be best, and parts that may yet decide them.
        chosen = list(np.flatnonzero(lines >= value - 2 * reach))
        part = list(np.flatnonzero(each[chosen].min(axis=0) <= max(value, 0.0) + 2 * reach))
    owners = np.unique(parts.owner[part])
    involved = (standings[0], standings[1], *(standings[2 + k] for k in owners))
    near = parts.chosen(np.flatnonzero(np.isin(parts.owner, owners)))
    from_a, to_b = ends[0][chosen], ends[1][chosen]

    def clearance(poses: FloatArray) -> FloatArray:
        start, end = to_table(poses[..., 0, :], from_a), to_table(poses[..., 1, :], to_b)
        found = past(start, end, near, poses[..., 2:, :], heights)
        return np.asarray(np.minimum(found.min(axis=-1), PLENTY).max(axis=-1))

    if abs(value) > reach:
        return Belief(
            value,
            uncertainty.sd_of(uncertainty.gradient(clearance, uncertainty.poses_of(involved)), involved),
        )
    return Belief.drawn(value, clearance(uncertainty.draw_poses(involved, draws)))


def outline_sight(
    a: Standing,
    b: Standing,
    blockers: Sequence[Standing],
    *,
    heights: Heights | None = None,
    draws: int = uncertainty.DRAWS,
) -> Measurement:
    """Whether any part of `a` sees any part of `b`, as the width of the widest clear corridor, inches.

    A corridor is a strip of parallel lines from one outline to the other. A negative width is what
    lacks: how far the shadows overlap that close the last gap. A gap of no width lets nothing
    through. `at_least(0)` asks whether there is a clear line; the witness holds the corridor's
    middle line, and the blockers on it when it is blocked. `PLENTY` when the two touch. A piece that
    overlaps one of the two (by the error of a place) counts as if shifted out the shortest way; one that
    covers it wholly hides it, as deep as it would have to be shifted for a first corner to come out.

    With `heights` (of muzzle and target, inches) pieces no higher than both do not block; one whose
    top lies between the two is taken to block wherever it stands.
    """
    others = tuple(s for s in blockers if s is not a and s is not b and s.name not in (a.name, b.name))
    ends = Parts.of([a.piece.body, b.piece.body])
    from_a, to_b = (ends.at(uncertainty.poses_of((a, b)))[ends.owner == k] for k in (0, 1))
    if heights is not None:
        others = tuple(s for s in others if s.piece.body.height > min(heights))
    near = reaching_between(a, b, others)
    hidden = _inside_another(a, b, near)
    if hidden is not None:
        return hidden
    parts = Parts.of([s.piece.body for s in near])
    outlines = parts.at(uncertainty.poses_of(near))
    groups = [np.flatnonzero(parts.owner == k) for k in range(len(near))]
    siblings = [g for g in groups if len(g) > 1]
    slack = 2.0 * uncertainty.farthest_shift((a, b, *near))
    found = [widest(distinct(p), distinct(q), outlines, siblings, slack) for p in from_a for q in to_b]
    corridors = [c for c in found if c is not None]
    if len(corridors) < len(found):
        return Measurement(Belief(PLENTY, 0.0), "in", Witness(closest_line(a, b)))
    best = max(corridors, key=lambda c: c.width)
    names = tuple(dict.fromkeys(near[parts.owner[k]].name for k in best.blockers))
    # A gap of no width, such as the seam between two pieces that touch, is none.
    width = best.width if abs(best.width) > TOUCH else -TOUCH
    belief = _corridor_belief(width, corridors, (a, b, *near), parts, draws)
    return Measurement(belief, "in", Witness(best.line, names))


def _inside_another(a: Standing, b: Standing, blockers: Sequence[Standing]) -> Measurement | None:
    """That one of the two lies wholly inside a blocker, so that nobody sees it; None where neither does."""
    for end in (a, b):
        for other in blockers:
            if math.dist(end.pose.xy, other.pose.xy) > other.piece.body.footprint.radius:
                continue
            cover, inner = other.region.polygon, end.region.polygon
            if cover.contains(inner) and (depth := float(cover.exterior.distance(inner))) > TOUCH:
                line = np.stack([a.pose.xy, b.pose.xy])
                return Measurement(
                    Belief(-depth, uncertainty.gap_sd(end, other)), "in", Witness(line, (other.name,))
                )
    return None


@lru_cache(maxsize=1024)
def hull_between(a: Standing, b: Standing) -> FloatArray:
    """The convex hull of two outlines on the table, (n, 2), counter-clockwise; kept as `contact` is."""
    return hull_of(np.concatenate([s.pose.to_table(s.piece.body.footprint.outline) for s in (a, b)]))


def reaching_between(
    a: Standing, b: Standing, others: Sequence[Standing], room: FloatArray | float = 0.0
) -> tuple[Standing, ...]:
    """Which pieces may reach into the hull of two outlines; no other matters to their sight.

    Or within so much `room` of it, inches, one for each or for all.
    """
    if not others:
        return ()
    centres = uncertainty.poses_of(others)[:, :2]
    radii = np.array([s.piece.body.footprint.radius for s in others])
    near = clearances(centres, centres, hull_between(a, b)) <= radii + room
    return tuple(s for s, reaches in zip(others, near, strict=True) if reaches)


def _corridor_belief(
    width: float,
    corridors: Sequence[Corridor],
    standings: Sequence[Standing],
    parts: Parts,
    draws: int,
) -> Belief:
    """The widest of several strips, each carried over to first order."""
    if uncertainty.exact(standings):
        return Belief(width, 0.0)
    widths, gradients = [], []
    for corridor in corridors:
        for value, holds in corridor.strips:
            slope = np.zeros((len(standings), 3))
            for hold in holds:
                k = hold.outline + 2 if hold.outline < 0 else 2 + int(parts.owner[hold.outline])
                x, y = hold.corner - standings[k].pose.xy
                turning = float(hold.gradient @ (-y, x))
                slope[k] += (*hold.gradient, turning)
            widths.append(value)
            gradients.append(slope)
    if len(widths) == 1:
        return Belief(width, uncertainty.sd_of(gradients[0], standings))
    shift = uncertainty.draw_poses(standings, draws) - uncertainty.poses_of(standings)
    drawn = np.array(widths)[:, None] + np.einsum("skc,nkc->sn", np.array(gradients), shift)
    return Belief.drawn(width, drawn.max(axis=0))


def table_from_anchor(standing: Standing, field: Arc) -> Pose:
    """Where an arc's apex stands on the table and which way it looks."""
    return standing.pose.compose(field.body_from_anchor)
