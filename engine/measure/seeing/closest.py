"""The closest parts of two pieces that see each other: the shortest unobstructed segment between outlines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.measure.distances import closest_line, closest_points, edge_range, outline_gaps, reaching_between
from engine.measure.sight import (
    TOUCH,
    IntArray,
    Parts,
    clearances,
    following,
    point_segment,
    ray_distances,
    to_table,
)
from engine.measure.uncertainty import exact, gradient, poses_of, sd_of
from engine.ruling import Belief, Measurement, Witness
from engine.space.geometry import FloatArray
from engine.space.table import Standing

BoolArray = NDArray[np.bool_]

_HINGES = 2, 8
"""So many hinges of each placement are looked at first, and of all; twice as many each time after that."""

_SEGMENTS = 8, 64
"""The same of the segments about them."""

_WALLS = 8
"""So many walls at a time are held against the segments that none before has blocked."""


@dataclass(frozen=True, eq=False)
class Placements:
    """Two convex outlines (m, p, 2) and (m, q, 2), and what may stand between them, inches.

    `walls` are convex parts (m, k, v, 2), `corners` those of the whole pieces (m, c, 2).
    """

    a: FloatArray
    b: FloatArray
    walls: FloatArray
    corners: FloatArray


@dataclass(frozen=True, eq=False)
class Segments:
    """The shortest clear segment of each placement: its length (m,), infinite where there is none, and line.

    `line` is (m, 2, 2) from `a` to `b`; it hangs on `hinge` (m, 2).
    """

    length: FloatArray
    line: FloatArray
    hinge: FloatArray

    @classmethod
    def none(cls, count: int) -> Segments:
        """None found yet."""
        return cls(np.full(count, np.inf), np.zeros((count, 2, 2)), np.zeros((count, 2)))

    def or_shorter(self, other: Segments) -> Segments:
        """The shorter of two for each placement."""
        mine = self.length <= other.length
        return Segments(
            np.where(mine, self.length, other.length),
            np.where(mine[:, None, None], self.line, other.line),
            np.where(mine[:, None], self.hinge, other.hinge),
        )


def clear(lines: FloatArray, walls: FloatArray) -> BoolArray:
    """Which segments (n, 2, 2) run past walls (n, k, v, 2), their own each; touching is clear."""
    free = np.arange(len(lines))
    for k in range(0, walls.shape[1] if len(lines) else 0, _WALLS):
        some = clearances(lines[free, None, 0], lines[free, None, 1], walls[free, k : k + _WALLS])
        free = free[some.min(axis=1) >= -TOUCH]
        if not len(free):
            break
    return np.isin(np.arange(len(lines)), free)


def shortest_hinged(placed: Placements) -> Segments:
    """The shortest clear segment of each placement through an obstacle's corner."""
    best = Segments.none(len(placed.a))
    every = np.concatenate([placed.corners, placed.a, placed.b], axis=1)
    low, width = _both_ways(placed.corners, placed.a, placed.b)
    owner, corner = np.nonzero(width > 0.0)
    hinge, low, width = placed.corners[owner, corner], low[owner, corner], width[owner, corner]
    at_least = _distance(hinge, placed.a[owner]) + _distance(hinge, placed.b[owner])
    for some in _shortest_first(owner, at_least, best.length, _HINGES):
        row, first, last = _intervals(hinge[some], low[some], width[some], every[owner[some]])
        found = _Candidates.of(placed, owner[some][row], hinge[some][row], first, last)
        for few in _shortest_first(found.owner, found.length, best.length, _SEGMENTS):
            free = few[clear(found.through[few], placed.walls[found.owner[few]])]
            won, place = np.unique(found.owner[free], return_index=True)
            chosen = free[place]
            best.length[won], best.hinge[won] = found.length[chosen], found.hinge[chosen]
            best.line[won] = found.line[chosen]
    return best


def _shortest_first(
    owner: IntArray, length: FloatArray, best: FloatArray, first: tuple[int, int]
) -> Iterator[IntArray]:
    """Some of each placement (`owner`) at a time, the shortest first, as long as they are below its `best`.

    That may fall between two steps: what is no longer below it is left out.
    """
    count = max(first[0], first[1] // len(best))
    order = np.lexsort((length, owner))
    order = order[length[order] < best[owner[order]]]
    while len(order):
        mine = owner[order]
        soon = np.arange(len(order)) - np.searchsorted(mine, mine) < count
        yield order[soon]
        order = order[~soon]
        order = order[length[order] < best[owner[order]]]
        count *= 2


def _distance(points: FloatArray, outlines: FloatArray) -> FloatArray:
    """From points (n, 2) to outlines (n, v, 2), one each."""
    each = point_segment(points[:, None], outlines, following(outlines))
    return np.asarray(each.min(axis=1))


def _both_ways(points: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The directions in which a line through each point (m, c, 2) meets `b` ahead and `a` behind.

    The first direction and how far they go on from it, radians, (m, c) each; 0 or less where there is none.
    """
    mine, low_b, high_b = _spread(points, b)
    other, low_a, high_a = _spread(points, a)
    turned = np.mod(other - mine, math.tau)[..., None] + np.array([-3.0, -1.0, 1.0]) * math.pi
    low = np.maximum(low_b[..., None], low_a[..., None] + turned)
    width = np.minimum(high_b[..., None], high_a[..., None] + turned) - low
    # Each outline spans less than half a turn, so only one of the three can be met.
    widest = width.argmax(axis=-1)[..., None]
    low = mine + np.take_along_axis(low, widest, axis=-1)[..., 0]
    width = np.take_along_axis(width, widest, axis=-1)[..., 0]
    inside = np.maximum(high_a - low_a, high_b - low_b) >= math.pi
    return np.where(inside, mine, low), np.where(inside, math.tau, width)


def _spread(points: FloatArray, outline: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The direction from each point to an outline's middle, and how far it reaches to both sides of that."""
    middle = outline.mean(axis=1)[:, None] - points
    axis = np.arctan2(middle[..., 1], middle[..., 0])
    away = outline[:, None] - points[:, :, None]
    turn = np.mod(np.arctan2(away[..., 1], away[..., 0]) - axis[..., None] + math.pi, math.tau) - math.pi
    return axis, np.asarray(turn.min(axis=-1)), np.asarray(turn.max(axis=-1))


def _intervals(
    hinge: FloatArray, low: FloatArray, width: FloatArray, every: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The intervals of direction about hinges (n, 2), between lines through all corners (n, e, 2).

    Which hinge each interval belongs to, and its first and last direction.
    """
    away = every - hinge[:, None]
    turn = np.arctan2(away[..., 1], away[..., 0]) - low[:, None]
    # A line through a corner goes both ways: every half turn, as far as the directions go.
    turn = np.concatenate([np.mod(turn, math.pi) + k * math.pi for k in _halves(width)], axis=1)
    itself = np.tile((np.abs(away) <= 1e-9).all(axis=-1), len(_halves(width)))
    turn = np.where(itself, 0.0, np.minimum(turn, width[:, None]))
    turn = np.sort(np.concatenate([np.zeros((len(turn), 1)), turn, width[:, None]], axis=1), axis=1)
    row, place = np.nonzero(turn[:, 1:] > turn[:, :-1])
    return row, low[row] + turn[row, place], low[row] + turn[row, place + 1]


def _halves(width: FloatArray) -> range:
    return range(math.ceil(float(width.max()) / math.pi))


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The shortest segment of each interval, (n, ...): whose it is, length, line, hinge.

    `through` is the line in the middle of the interval, which tells whether it is clear.
    """

    owner: IntArray
    length: FloatArray
    line: FloatArray
    hinge: FloatArray
    through: FloatArray

    @classmethod
    def of(
        cls, placed: Placements, owner: IntArray, hinge: FloatArray, first: FloatArray, last: FloatArray
    ) -> _Candidates:
        middle = (first + last) / 2.0
        behind = _Met.of(middle + math.pi, placed.a[owner] - hinge[:, None])
        ahead = _Met.of(middle, placed.b[owner] - hinge[:, None])
        good = np.flatnonzero(np.isfinite(behind.far) & np.isfinite(ahead.far))
        hinge, behind, ahead = hinge[good], behind.chosen(good), ahead.chosen(good)
        at = _least(first[good], last[good], behind, ahead)
        back, forth = behind.at(at + math.pi), ahead.at(at)
        line = _lines(hinge, at, back, forth)
        through = _lines(hinge, middle[good], behind.far, ahead.far)
        return cls(owner[good], back + forth, line, hinge, through)


@dataclass(frozen=True, eq=False)
class _Met:
    """Where rays from the origin first meet an outline: how far, and the line of the edge that they meet.

    A ray of direction t meets that line at `gap` / cos(t - `normal`); `normal` in radians, (n,) each.
    """

    far: FloatArray
    gap: FloatArray
    normal: FloatArray

    @classmethod
    def of(cls, turn: FloatArray, outline: FloatArray) -> _Met:
        """Each ray with an outline of its own, (n, v, 2)."""
        far = ray_distances(turn, outline)
        rows, edge = np.arange(len(turn)), far.argmin(axis=1)
        start = outline[rows, edge]
        step = outline[rows, (edge + 1) % outline.shape[1]] - start
        gap = (start[:, 0] * step[:, 1] - start[:, 1] * step[:, 0]) / np.hypot(*step.T)
        sign = np.where(gap < 0.0, -1.0, 1.0)
        return cls(far[rows, edge], np.abs(gap), np.arctan2(-sign * step[:, 0], sign * step[:, 1]))

    def chosen(self, index: IntArray) -> _Met:
        """Only those rays."""
        return _Met(self.far[index], self.gap[index], self.normal[index])

    def at(self, turn: FloatArray) -> FloatArray:
        """How far rays of other directions go until they meet the same lines."""
        return np.asarray(self.gap / np.cos(turn - self.normal))


def _least(low: FloatArray, high: FloatArray, behind: _Met, ahead: _Met) -> FloatArray:
    """Where between two directions the segment is shortest, all intervals at once.

    Within an interval the ends run along two edges, so the length is p / cos u + q / cos v, which is convex:
    it is least at an end from which it rises, or where its slope is 0.
    """
    inset = (high - low) * 1e-12
    low, high = low + inset, high - inset
    rises, falls = (_slope(end, behind, ahead)[0] for end in (low, high))
    at = np.where(rises >= 0.0, low, high)
    inner = np.flatnonzero((rises < 0.0) & (falls > 0.0))
    if len(inner):
        at[inner] = _root(low[inner], high[inner], behind.chosen(inner), ahead.chosen(inner))
    return at


def _slope(turn: FloatArray, behind: _Met, ahead: _Met) -> tuple[FloatArray, FloatArray]:
    """How the length changes with the direction, and how that changes."""
    slope, bend = np.zeros_like(turn), np.zeros_like(turn)
    for met, u in ((behind, turn + math.pi - behind.normal), (ahead, turn - ahead.normal)):
        sin, cos = np.sin(u), np.cos(u)
        slope += met.gap * sin / cos**2
        bend += met.gap * (1.0 + sin**2) / cos**3
    return slope, bend


def _root(low: FloatArray, high: FloatArray, behind: _Met, ahead: _Met) -> FloatArray:
    """Where the slope is 0 between two directions: by Newton's steps, halving where one leads outside."""
    turn = (low + high) / 2.0
    for _ in range(48):
        slope, bend = _slope(turn, behind, ahead)
        low, high = np.where(slope < 0.0, turn, low), np.where(slope < 0.0, high, turn)
        step = turn - slope / bend
        step = np.where((step >= low) & (step <= high), step, (low + high) / 2.0)
        done = np.abs(step - turn).max() < 1e-12
        turn = step
        if done:
            break
    return turn


def _lines(hinge: FloatArray, turn: FloatArray, behind: FloatArray, ahead: FloatArray) -> FloatArray:
    """Segments through points, so far behind each and ahead of it, (n, 2, 2)."""
    u = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    reach = np.stack([-behind, ahead], axis=-1)
    return np.asarray(hinge[:, None] + reach[..., None] * u[:, None])


# The closest parts


def closest_visible(a: Standing, b: Standing, blockers: Sequence[Standing]) -> Measurement | None:
    """The shortest unobstructed segment between the outlines of `a` and `b`, inches; None if there is none.

    If the closest points do not see each other, the shortest clear segment passes an obstacle's corner.
    """
    names = (a.name, b.name)
    others = reaching_between(a, b, [s for s in blockers if s.name not in names])
    everyone = (a, b, *others)
    between, poses = Between.of(everyone), poses_of(everyone)
    if clear(closest_line(a, b)[None], between.walls(poses[None]))[0]:
        return edge_range(a, b)
    found = between.hinged(poses[None])
    length, line = float(found.length[0]), found.line[0]
    if math.isinf(length):
        return None
    belief = Belief(length, 0.0)
    if not exact(everyone):
        belief = Belief(length, _deviation(everyone, between, line, found.hinge[0]))
    return Measurement(belief, "in", Witness(line))


@dataclass(frozen=True, eq=False)
class Between:
    """Two pieces, first of `everyone`, and what may stand between them, wherever they may be placed.

    `corners` (c, 2) are those of all outlines in the body frames, `owner` (c,) whose they are. Poses are
    (m, pieces, 3), inches and radians, in the order of `everyone`.
    """

    everyone: tuple[Standing, ...]
    parts: Parts
    corners: FloatArray
    owner: IntArray

    @classmethod
    def of(cls, everyone: tuple[Standing, ...]) -> Between:
        """The two whose segment is asked for, then all others that could be in the way."""
        outlines = [s.piece.body.footprint.outline for s in everyone]
        owner = np.repeat(np.arange(len(everyone)), [len(o) for o in outlines])
        parts = Parts.of([s.piece.body for s in everyone[2:]])
        return cls(everyone, parts, np.concatenate(outlines), owner)

    def walls(self, poses: FloatArray) -> FloatArray:
        """The convex parts of all others on the table, (m, k, v, 2)."""
        return self.parts.at(poses[:, 2:])

    def corners_at(self, poses: FloatArray) -> FloatArray:
        """All corners on the table, (m, c, 2)."""
        return to_table(poses[:, self.owner], self.corners[:, None])[..., 0, :]

    def hinged(self, poses: FloatArray) -> Segments:
        """The shortest clear segment that passes a corner of the others."""
        walls, corners = self.walls(poses), self.corners_at(poses)[:, self.owner >= 2]
        best = Segments.none(len(poses))
        for p in self.everyone[0].piece.body.footprint.parts:
            for q in self.everyone[1].piece.body.footprint.parts:
                ends = to_table(poses[:, 0], p), to_table(poses[:, 1], q)
                best = best.or_shorter(shortest_hinged(Placements(*ends, walls, corners)))
        return best

    def lengths(self, poses: FloatArray) -> FloatArray:
        """How long the shortest clear segment is, (m,); infinite where there is none."""
        a, b = self.everyone[:2]
        found = np.maximum(outline_gaps(a, b, poses[:, :2]), 0.0)
        ends = [to_table(poses[:, k], s.piece.body.footprint.outline) for k, s in enumerate((a, b))]
        bent = np.flatnonzero(~clear(closest_points(ends[0], ends[1]), self.walls(poses)))
        if len(bent):
            found[bent] = self.hinged(poses[bent]).length
        return found


def _deviation(everyone: Sequence[Standing], between: Between, line: FloatArray, hinge: FloatArray) -> float:
    """First order: the segment turns with the corners it hangs on, or keeps its best direction."""
    u = (line[1] - line[0]) / math.dist(*line)
    held = _corners_on(between, line[0], u, hinge)
    involved = sorted({0, 1, *(int(between.owner[k]) for k in held)})
    on = [(involved.index(int(between.owner[k])), between.corners[k, None]) for k in held]

    def length(poses: FloatArray) -> FloatArray:
        corners = [to_table(poses[:, k], corner)[:, 0] for k, corner in on]
        way = corners[-1] - corners[0] if len(held) > 1 else np.broadcast_to(u, corners[0].shape)
        way = way * np.sign(way @ u)[:, None]
        ends = [
            to_table(poses[:, k], everyone[k].piece.body.footprint.outline) - corners[0][:, None]
            for k in (0, 1)
        ]
        return _first_met(way, ends[1]) + _first_met(-way, ends[0])

    standings = [everyone[k] for k in involved]
    return sd_of(gradient(length, poses_of(standings)), standings)


def _corners_on(between: Between, start: FloatArray, u: FloatArray, hinge: FloatArray) -> list[int]:
    """The first and the last corner on a line through a point; only the hinge where there is but one."""
    corners = between.corners_at(poses_of(between.everyone)[None])[0]
    side = np.abs((corners - start) @ (-u[1], u[0]))
    # Corners of the others come first, and those from left to right.
    order = np.lexsort((corners[:, 1], corners[:, 0], between.owner < 2))
    found = [int(k) for k in order if side[k] < 1e-7]
    if len(found) > 1:
        return [found[0], found[-1]]
    return [int(np.hypot(*(corners - hinge).T).argmin())]


def _first_met(way: FloatArray, outline: FloatArray) -> FloatArray:
    """How far it is from the origin to outlines (n, v, 2) ahead, in directions (n, 2)."""
    u = way / np.hypot(*way.T)[:, None]
    side = outline[..., 1] * u[:, None, 0] - outline[..., 0] * u[:, None, 1]
    along = outline[..., 0] * u[:, None, 0] + outline[..., 1] * u[:, None, 1]
    following, onward = np.roll(side, -1, axis=1), np.roll(along, -1, axis=1)
    met = (side <= 0.0) != (following <= 0.0)
    t = side / np.where(met, side - following, 1.0)
    at = np.where(met, along + t * (onward - along), np.inf).min(axis=1)
    # A line that only just misses, by rounding, ends at the corner nearest to it.
    nearest = np.take_along_axis(along, np.abs(side).argmin(axis=1)[:, None], axis=1)[:, 0]
    return np.where(met.any(axis=1), at, nearest)
