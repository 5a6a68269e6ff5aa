"""What does a body touch first as it moves, where, and with which side; when does it leave the surface.

A movement is a row of steps: straight runs (which may drift sideways) and turns about a point of the
body. Within one step every corner runs along a straight line or a circle, so the first touch is found in
closed form, corner by edge, both ways round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engine.errors import ShapeError
from engine.measure.sight import gaps, to_table
from engine.measure.uncertainty import believe, farthest_shift
from engine.ruling import Measurement, Witness
from engine.space.geometry import FloatArray, Footprint, Pose, Region, wrap_angle
from engine.space.table import Standing

THE_EDGE = "the edge"
"""What the surface's edge is called where it stands for something that is met."""

_TOUCH = 1e-9
# Inches from an edge within which nothing is sure, however surely the place is known.
_HAIR = 1e-4
# Inches: an overlap from the start; a step on to see whether a touch goes in; how deep it must be then.
_OVERLAP, _LATER, _GRAZE = 1e-6, 1e-4, 1e-9
# So few poses are measured at every corner sooner than it is found out which ones matter.
_FEW = 64

_STRIDE, _STRIDE_TURN = 0.1, math.radians(2.0)
_HALVINGS = 5  # of a stretch at a time


@dataclass(frozen=True, slots=True)
class Straight:
    """A run of `ahead` inches along the heading (negative: backwards), with `left` inches of drift."""

    ahead: float
    left: float = 0.0

    @property
    def size(self) -> float:
        """How far the body moves, inches."""
        return math.hypot(self.ahead, self.left)

    def part(self, share: float) -> Straight:
        """The first `share` of the run, 0 to 1."""
        return Straight(self.ahead * share, self.left * share)

    def after(self, pose: Pose) -> Pose:
        """Where a body stands after the run."""
        return Pose(*pose.place(self.ahead, self.left), pose.heading)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn by `angle` radians, counter-clockwise, about the body's point `pivot` (inches)."""

    angle: float
    pivot: tuple[float, float] = (0.0, 0.0)

    @property
    def size(self) -> float:
        """The angle without its sign, radians."""
        return abs(self.angle)

    def part(self, share: float) -> Turn:
        """The first `share` of the turn, 0 to 1."""
        return Turn(self.angle * share, self.pivot)

    def after(self, pose: Pose) -> Pose:
        """Where a body stands after the turn."""
        x, y = self.pivot
        turned = Pose(*pose.place(x, y), pose.heading + self.angle)
        return Pose(*turned.place(-x, -y), turned.heading)


Step = Straight | Turn


class Side(StrEnum):
    """A side of a body."""

    FRONT = "front"
    REAR = "rear"
    LEFT = "left"
    RIGHT = "right"


def side_of(footprint: Footprint, point_in_body: FloatArray) -> Side:
    """On which side of the footprint's box a point lies; corners belong to front and rear."""
    outline = footprint.outline
    low, high = outline.min(axis=0), outline.max(axis=0)
    x, y = (np.asarray(point_in_body) - (low + high) / 2) / ((high - low) / 2)
    if abs(x) >= abs(y):
        return Side.FRONT if x > 0 else Side.REAR
    return Side.LEFT if y > 0 else Side.RIGHT


@dataclass(frozen=True, eq=False)
class Touch:
    """The first contact of a moving body.

    `other` is the name of what it touches. `step` and `share` say when: the step's index and how much
    of it was done. `travelled` is the straight distance in inches until then, `turned` the angle in
    radians. `pose` is where the mover stands at the touch, `point` where they touch, shape (2,).
    """

    other: str
    step: int
    share: float
    travelled: float
    turned: float
    pose: Pose
    point: FloatArray
    side: Side
    other_side: Side

    @property
    def kind(self) -> str:
        """Head-on, T-bone, shunt, sideswipe: by the sides that meet."""
        ends = {Side.FRONT, Side.REAR}
        mine, theirs = self.side, self.other_side
        if mine in ends and theirs in ends:
            return "head-on" if mine is theirs else "shunt"
        return "T-bone" if mine in ends or theirs in ends else "sideswipe"


def poses_along(start: Pose, steps: Iterable[Step]) -> tuple[Pose, ...]:
    """The pose before the first step and after each."""
    poses = [start]
    for step in steps:
        poses.append(step.after(poses[-1]))
    return tuple(poses)


def way_of(step: Step) -> FloatArray:
    """Shares of a step from 0 to 1, a tenth of an inch or two degrees apart, shape (n,)."""
    stride = _STRIDE_TURN if isinstance(step, Turn) else _STRIDE
    return np.linspace(0.0, 1.0, max(math.ceil(step.size / stride), 1) + 1)


def way_through(start: Pose, steps: Sequence[Step]) -> FloatArray:
    """Poses along steps, (n, 3) as (x, y, heading): a tenth of an inch or two degrees apart."""
    rows = [np.array([(start.x, start.y, start.heading)])]
    for pose, step in zip(poses_along(start, steps), steps, strict=False):
        rows.append(poses_after(step, pose, way_of(step)[1:]))
    return np.concatenate(rows)


def poses_after(step: Step, pose: Pose, shares: FloatArray) -> FloatArray:
    """Where a body stands after these shares of a step from `pose`, (n, 3): of many what `part` tells."""
    cos, sin = math.cos(pose.heading), math.sin(pose.heading)
    if isinstance(step, Straight):
        ahead, left = step.ahead * shares, step.left * shares
        x, y = pose.x + cos * ahead - sin * left, pose.y + sin * ahead + cos * left
        return np.stack([x, y, np.full_like(x, pose.heading)], axis=1)
    (px, py), headings = step.pivot, pose.heading + step.angle * shares
    fixed_x, fixed_y = pose.x + cos * px - sin * py, pose.y + sin * px + cos * py
    x = fixed_x - np.cos(headings) * px + np.sin(headings) * py
    y = fixed_y - np.sin(headings) * px - np.cos(headings) * py
    return np.stack([x, y, [wrap_angle(h) for h in headings.tolist()]], axis=1)


def first_touch(mover: Standing, steps: Sequence[Step], others: Sequence[Standing]) -> Touch | None:
    """What the mover's footprint touches first on its way, or None.

    Touching without going on into the other (sliding along it, leaving it) is no contact. Bodies do not
    stand in one another, so an overlap from the start is an error of the places: it counts as touching, and
    only going deeper than that is a contact.
    """
    found = touches(mover, steps, others)
    return found[0] if found else None


def touches(mover: Standing, steps: Sequence[Step], others: Sequence[Standing]) -> tuple[Touch, ...]:
    """The first contact with each of the others, in the order in which they happen.

    Nothing stops the mover: tokens are passed over, and what lies beyond the first touch is met too.
    """
    poses = poses_along(mover.pose, steps)
    found = []
    for other in others:
        if other.name == mover.name:
            continue
        reach = mover.piece.body.footprint.radius + other.piece.body.footprint.radius
        apart = [math.hypot(p.x - other.pose.x, p.y - other.pose.y) - reach for p in poses]
        stood = max(_depth(mover, mover.pose, other), 0.0) if apart[0] <= 0.0 else 0.0
        for k, step in enumerate(steps):
            if apart[k] > _shifts(step) + _TOUCH:
                continue
            met = _first_of_step(mover, poses[k], step, other, stood)
            if met is not None:
                found.append(_touch(mover, poses[k], steps, k, other, *met))
                break
    return tuple(sorted(found, key=lambda t: (t.step, t.share)))


def _shifts(step: Step) -> float:
    """How far a step takes the body's reference point at most, inches."""
    return step.size * math.hypot(*step.pivot) if isinstance(step, Turn) else step.size


def _touch(
    mover: Standing,
    pose: Pose,
    steps: Sequence[Step],
    k: int,
    other: Standing | None,
    share: float,
    point: FloatArray,
) -> Touch:
    """At so much of step `k`, which begins at `pose`; `other` None is the edge of the surface."""
    done = (*steps[:k], steps[k].part(share))
    there = done[-1].after(pose)
    return Touch(
        other=THE_EDGE if other is None else other.name,
        step=k,
        share=share,
        travelled=sum(s.size for s in done if isinstance(s, Straight)),
        turned=sum(s.angle for s in done if isinstance(s, Turn)),
        pose=there,
        point=point,
        side=side_of(mover.piece.body.footprint, there.to_body(point)),
        other_side=Side.FRONT
        if other is None
        else side_of(other.piece.body.footprint, other.pose.to_body(point)),
    )


def _first_of_step(
    mover: Standing, pose: Pose, step: Step, other: Standing, stood: float
) -> tuple[float, FloatArray] | None:
    """The share of the step at the first contact, and the point (2,) in the table frame.

    `stood` is how deep the two overlapped before the first step, inches.
    """
    if step.size <= _TOUCH:
        return None
    if stood > _OVERLAP:
        share = _deeper(pose, step, lambda rows: gaps_along(mover, rows, other), stood)
        return None if share is None else (share, _overlap(mover, step.part(share).after(pose), other))
    body, still = pose.to_table(mover.piece.body.footprint.outline), other.region.outline
    if isinstance(step, Straight):
        way = pose.rotation @ (step.ahead, step.left)
        mine, theirs = _along_line(body, way, still), _along_line(still, -way, body)
    else:
        pivot = pose.to_table(np.array(step.pivot))
        mine, theirs = (
            _along_circle(body, pivot, step.angle, still),
            _along_circle(still, pivot, -step.angle, body),
        )
    # The mover's corner has come to the edge; or the other's corner is where it always was.
    events = [(share, step.part(share).after(pose).to_table(pose.to_body(corner))) for share, corner in mine]
    events = sorted([*events, *theirs], key=lambda event: event[0])
    for share, _ in events:
        # Two corners that only pass each other are no contact: a little later the bodies must overlap.
        later = step.part(share + _LATER / step.size).after(pose)
        if _depth(mover, later, other) > _GRAZE:
            together = [point for when, point in events if abs(when - share) <= _TOUCH]
            return share, np.mean(together, axis=0)
    return None


def _deeper(pose: Pose, step: Step, apart: Callable[[FloatArray], FloatArray], stood: float) -> float | None:
    """The share of the step from which the gap at poses (n, 3) is less than `stood` inches of overlap."""

    def first_deep(shares: FloatArray) -> int | None:
        deep = np.flatnonzero(apart(poses_after(step, pose, shares)) < -stood - _OVERLAP)
        return int(deep[0]) if len(deep) else None

    shares = way_of(step)
    deep = first_deep(shares)
    while deep and (fine := (shares[deep] - shares[deep - 1]) * step.size / _LATER) > 1.0:
        halved = 2 ** min(math.ceil(math.log2(fine)), _HALVINGS)
        shares = np.linspace(shares[deep - 1], shares[deep], halved + 1)
        # The last of them is deep: it was found to be.
        between = first_deep(shares[1:-1])
        deep = halved if between is None else between + 1
    return None if deep is None else float(shares[max(deep - 1, 0)])


def _overlap(mover: Standing, pose: Pose, other: Standing) -> FloatArray:
    """The middle of what two bodies that overlap have in common, shape (2,)."""
    shared = mover.piece.body.footprint.at(pose).polygon.intersection(other.region.polygon)
    return np.array(shared.centroid.coords[0]) if not shared.is_empty else other.pose.xy


def _depth(mover: Standing, pose: Pose, other: Standing) -> float:
    """How deep the two overlap, inches; negative when apart."""
    return -min(
        float(gaps(pose.to_table(part), other.pose.to_table(there)))
        for part in mover.piece.body.footprint.parts
        for there in other.piece.body.footprint.parts
    )


def gaps_along(mover: Standing, rows: FloatArray, other: Standing) -> FloatArray:
    """How far a mover at poses (n, 3) is from another piece, inches, shape (n,); minus the overlap's depth.

    Beyond half an inch only a lower bound.
    """
    reach = mover.piece.body.footprint.radius + other.piece.body.footprint.radius
    rough = np.hypot(*(rows[:, :2] - other.pose.xy).T) - reach
    near = rough < 0.5
    out = np.maximum(rough, 0.5)
    if near.any():
        each = [
            gaps(to_table(rows[near], part), other.pose.to_table(there))
            for part in mover.piece.body.footprint.parts
            for there in other.piece.body.footprint.parts
        ]
        out[near] = np.min(each, axis=0)
    return np.asarray(out)


def _along_line(corners: FloatArray, way: FloatArray, outline: FloatArray) -> list[tuple[float, FloatArray]]:
    """When corners (n, 2) that move by `way` enter an outline, and which; shares 0 to 1."""
    start, edge = outline, np.roll(outline, -1, axis=0) - outline
    into = edge[:, 0] * way[1] - edge[:, 1] * way[0]
    entering = into > _TOUCH * np.hypot(*edge.T)
    across = np.where(entering, -into, 1.0)
    away = start[None] - corners[:, None]
    share = (away[..., 0] * edge[:, 1] - away[..., 1] * edge[:, 0]) / across
    at = (away[..., 0] * way[1] - away[..., 1] * way[0]) / across
    good = entering & (share >= -_TOUCH) & (share <= 1.0) & (at >= -_TOUCH) & (at <= 1.0 + _TOUCH)
    return [(max(float(share[i, j]), 0.0), corners[i]) for i, j in np.argwhere(good)]


def _along_circle(
    corners: FloatArray, pivot: FloatArray, angle: float, outline: FloatArray
) -> list[tuple[float, FloatArray]]:
    """The same for corners that turn by `angle` radians about `pivot`."""
    spoke = corners - pivot
    radius, phase = np.hypot(*spoke.T), np.arctan2(spoke[:, 1], spoke[:, 0])
    start = outline - pivot
    edge = np.roll(start, -1, axis=0) - start
    a = (edge**2).sum(axis=1)
    b = (start * edge).sum(axis=1)
    root = b**2 - a * ((start**2).sum(axis=1) - radius[:, None] ** 2)
    way = math.copysign(1.0, angle)
    found = []
    for sign in (-1.0, 1.0):
        at = (-b + sign * np.sqrt(np.maximum(root, 0.0))) / a
        place = start + at[..., None] * edge
        turned = (np.arctan2(place[..., 1], place[..., 0]) - phase[:, None]) * way
        turned = np.mod(turned + _TOUCH, math.tau) - _TOUCH
        # Into the outline: the corner's way, at right angles to its spoke, against the edge.
        into = way * (edge[:, 0] * place[..., 0] + edge[:, 1] * place[..., 1])
        good = (root > 0.0) & (at >= -_TOUCH) & (at <= 1.0 + _TOUCH) & (into > 0.0) & (turned <= abs(angle))
        found += [(max(float(turned[i, j]), 0.0) / abs(angle), corners[i]) for i, j in np.argwhere(good)]
    return found


def leaves(mover: Standing, steps: Sequence[Step], surface: Region) -> Touch | None:
    """Where the first part of the mover goes over the edge of the surface, or None while all stays on.

    The surface is taken as convex, as playing surfaces are; `other` is "the edge". A mover that stands over
    the edge already leaves it where it goes farther out.
    """
    poses = poses_along(mover.pose, steps)
    over = max(-surface_margin(mover.region.outline, surface), 0.0)
    # Out through an edge is into the outline walked the other way round.
    rim = surface.outline[::-1]
    for k, step in enumerate(steps):
        pose = poses[k]
        body = pose.to_table(mover.piece.body.footprint.outline)
        if step.size <= _TOUCH:
            continue
        if over > _OVERLAP:
            out = _deeper(pose, step, lambda rows: edge_margins(mover, rows, surface), over)
            there = step.part(out or 0.0).after(pose).to_table(mover.piece.body.footprint.outline)
            met = [] if out is None else [(out, body[_outermost(there, surface)])]
        elif isinstance(step, Straight):
            met = _along_line(body, pose.rotation @ (step.ahead, step.left), rim)
        else:
            met = _along_circle(body, pose.to_table(np.array(step.pivot)), step.angle, rim)
        if met:
            share, corner = min(met, key=lambda event: event[0])
            point = step.part(share).after(pose).to_table(pose.to_body(corner))
            return _touch(mover, pose, steps, k, None, share, point)
    return None


def _edges(surface: Region) -> tuple[FloatArray, ...]:
    """The starts (m, 2), ways (m, 2) and lengths (m,) of a surface's edges, inches."""
    edge = np.roll(surface.outline, -1, axis=0) - surface.outline
    return surface.outline, edge, np.hypot(*edge.T)


def _from_edges(points: FloatArray, edges: tuple[FloatArray, ...]) -> FloatArray:
    """How far points (n, 2) are inside of each edge line, inches (n, m); negative outside."""
    start, edge, length = edges
    away = points[:, None] - start
    return np.asarray((edge[:, 0] * away[..., 1] - edge[:, 1] * away[..., 0]) / length)


def _inside(points: FloatArray, surface: Region) -> FloatArray:
    """How far points (n, 2) are inside a convex surface, inches; negative outside (by edge lines)."""
    return np.asarray(_from_edges(points, _edges(surface)).min(axis=1))


def _outermost(outline: FloatArray, surface: Region) -> int:
    return int(_inside(outline, surface).argmin())


def edge_margin(standing: Standing, surface: Region) -> Measurement:
    """How far a piece stays from the edge of a convex surface, inches; negative when it is over it.

    `at_least(0)` asks whether all of it is on the surface. Drawn, since any corner may be outermost.
    """

    def margin(poses: FloatArray) -> FloatArray:
        return edge_margins(standing, poses[..., 0, :], surface)

    corner = standing.region.outline[_outermost(standing.region.outline, surface)]
    return Measurement(believe(margin, (standing,)), "in", Witness(np.stack([standing.pose.xy, corner])))


def surely_within(standing: Standing, surface: Region) -> bool | None:
    """Whether all of a piece stands on a convex surface, where eight deviations change nothing of that.

    None where they could: `edge_margin` tells how surely. Quick, as nothing is drawn.
    """
    room = surface_margin(standing.region.outline, surface)
    return None if abs(room) <= farthest_shift((standing,)) + _HAIR else room > 0.0


def edge_margins(mover: Standing, rows: FloatArray, surface: Region) -> FloatArray:
    """How far a mover at poses (..., 3) stays from a convex surface's edge: inches (...), minus over it."""
    outline, edges, flat = mover.piece.body.footprint.outline, _edges(surface), rows.reshape(-1, 3)
    if len(flat) > _FEW:
        # A corner moves no farther than its pose is shifted and turned: of most corners and edges none can be
        # the outermost.
        off = flat - flat[0]
        turned = 2.0 * np.abs(np.sin(off[:, 2] / 2.0)).max()
        moves = float(np.hypot(*off[:, :2].T).max() + turned * np.hypot(*outline.T).max())
        away = _from_edges(to_table(flat[:1], outline)[0], edges)
        near = away <= away.min() + 2.0 * moves + _TOUCH
        outline, edges = outline[near.any(axis=1)], tuple(part[near.any(axis=0)] for part in edges)
    corners = to_table(flat, outline)
    inside = _from_edges(corners.reshape(-1, 2), edges).min(axis=1)
    return np.asarray(inside.reshape(len(flat), -1).min(axis=1).reshape(rows.shape[:-1]))


def surface_margin(outline: FloatArray, surface: Region) -> float:
    """How far an outline (n, 2) stays from the edge of a convex surface, inches; negative when over it."""
    if len(outline) < 3:
        raise ShapeError(f"an outline needs at least 3 corners but got {len(outline)}")
    return float(_inside(outline, surface).min())
