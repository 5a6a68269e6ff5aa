"""How much of it can be seen: the visible region, the visible share, the closest visible parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from shapely.geometry import Point, Polygon

from engine.errors import ShapeError, TableRefError
from engine.measure.distances import edge_range, reaching_between
from engine.measure.sight import TOUCH, IntArray, Parts, clearances
from engine.measure.uncertainty import believe, exact, gradient, poses_of, sd_of
from engine.ruling import Belief, Measurement, Witness
from engine.space.convex import distinct
from engine.space.geometry import FloatArray, Pose, Region
from engine.space.table import Standing

BoolArray = NDArray[np.bool_]

_AT_ONCE = 8
"""So many corners, or segments, are looked at together before those that cannot be shorter are left out."""


def visible_region(point: ArrayLike, surface: Region, blockers: Sequence[Standing]) -> Region:
    """Everything on the surface that can be seen from a point (2,), past the blockers, as a polygon.

    Blockers that cover the point itself do not count: nobody is blinded by the own body. Raises
    `TableRefError` for a point off the surface.
    """
    eye = np.asarray(point, dtype=np.float64)
    rim = surface.outline - eye
    if not (_holds_origin(rim) or surface.polygon.covers(Point(*eye))):
        raise TableRefError(f"expected a point on the surface but got ({eye[0]:.2f}, {eye[1]:.2f})")
    outlines: list[FloatArray] = [s.pose.to_table(s.piece.body.footprint.outline) - eye for s in blockers]
    outlines = [o for o in outlines if not _holds_origin(o)]
    start = np.concatenate([*outlines, rim])
    end = np.concatenate([np.roll(o, -1, axis=0) for o in (*outlines, rim)])
    # An outline is met first at an edge that faces the eye; the rim is seen from inside.
    turning = start[:, 0] * end[:, 1] - start[:, 1] * end[:, 0]
    turning[: -len(rim)] *= -1.0
    facing = turning > 1e-12
    start, end = start[facing], end[facing]
    crossings = _crossings(outlines, rim)
    first, last = (np.arctan2(e[:, 1], e[:, 0]) for e in (start, end))
    turn = np.unique(np.concatenate([first, last, np.arctan2(crossings[:, 1], crossings[:, 0])]))
    wall, open_ = _first_wall(turn, np.minimum(first, last), np.maximum(first, last), start, end)
    following = np.append(turn[1:], turn[0] + math.tau)
    corners = np.stack([_on_wall(t, start[wall], end[wall]) for t in (turn, following)], axis=1)
    # From the very edge there is nothing to see outward: the outline comes back to the eye.
    corners[open_] = 0.0
    # Along one edge only the first and the last corner count.
    changes = (wall != np.roll(wall, 1)) | (open_ != np.roll(open_, 1))
    outline = corners[np.stack([changes, np.roll(changes, -1)], axis=1)] + eye
    keep = np.hypot(*(outline - np.roll(outline, 1, axis=0)).T) > 1e-9
    try:
        return Region(outline[keep])
    except ShapeError:
        # Rounding may fold a spike of no width; what is left is the same region.
        seen = Polygon(outline[keep]).buffer(0)
        largest = max(getattr(seen, "geoms", [seen]), key=lambda p: p.area)
        return Region(np.array(largest.exterior.coords)[:-1])


def _holds_origin(outline: FloatArray) -> bool:
    """Whether an outline goes round the origin: a ray to the right crosses it an odd number of times."""
    x, y = outline[:, 0], outline[:, 1]
    p, q = np.roll(x, -1), np.roll(y, -1)
    crosses = (y <= 0.0) != (q <= 0.0)
    right = (x * q - y * p) * np.where(q > y, 1.0, -1.0) > 0.0
    return bool((crosses & right).sum() % 2)


def _crossings(outlines: Sequence[FloatArray], rim: FloatArray) -> FloatArray:
    """Where outlines that overlap, or reach over the rim, cross each other, (n, 2)."""
    found = [np.zeros((0, 2))]
    if outlines:
        low = np.array([o.min(axis=0) for o in outlines])
        high = np.array([o.max(axis=0) for o in outlines])
        meet = (low[:, None] <= high[None]).all(axis=-1) & (low[None] <= high[:, None]).all(axis=-1)
        first, second = np.nonzero(np.triu(meet, 1))
        found += [
            _meetings(outlines[i], outlines[j]) for i, j in zip(first.tolist(), second.tolist(), strict=True)
        ]
        # A rim that is a box holds whatever lies between its corners; any other is looked at for each piece.
        near, far = rim.min(axis=0), rim.max(axis=0)
        box = len(rim) == 4 and bool(((rim == near) | (rim == far)).all())
        over = (low <= near).any(axis=1) | (high >= far).any(axis=1) | (not box)
        found += [_meetings(outlines[i], rim) for i in np.flatnonzero(over).tolist()]
    return np.concatenate(found)


def _meetings(a: FloatArray, b: FloatArray) -> FloatArray:
    """The points at which the edges of two outlines cross, (n, 2)."""
    u, v = np.roll(a, -1, axis=0) - a, np.roll(b, -1, axis=0) - b
    cross = u[:, None, 0] * v[:, 1] - u[:, None, 1] * v[:, 0]
    safe = np.where(cross == 0.0, np.inf, cross)
    away = b - a[:, None]
    t = (away[..., 0] * v[:, 1] - away[..., 1] * v[:, 0]) / safe
    s = (away[..., 0] * u[:, None, 1] - away[..., 1] * u[:, None, 0]) / safe
    i, j = np.nonzero((cross != 0.0) & (t >= 0.0) & (t <= 1.0) & (s >= 0.0) & (s <= 1.0))
    return np.asarray(a[i] + t[i, j, None] * u[i])


def _first_wall(
    turn: FloatArray, low: FloatArray, high: FloatArray, start: FloatArray, end: FloatArray
) -> tuple[IntArray, BoolArray]:
    """Which edge is met first between each direction and the next, and whether none is.

    `turn` holds every edge's ends, `low` and `high` (e,), so each edge spans whole steps of it.
    """
    n = len(turn)
    middle = turn + np.diff(turn, append=turn[0] + math.tau) / 2
    i, j = np.searchsorted(turn, low), np.searchsorted(turn, high)
    # An edge spans less than half a turn: the other way round if its ends lie further apart.
    wraps = high - low > math.pi
    i, j = np.where(wraps, j, i), np.where(wraps, i + n, j)
    edge = np.repeat(np.arange(len(i)), j - i)
    step_of = np.arange(len(edge)) - np.repeat(np.cumsum(j - i) - (j - i), j - i) + i[edge]
    ray = np.mod(step_of, n)
    u = np.stack([np.cos(middle), np.sin(middle)], axis=-1)[ray]
    p, way = start[edge], end[edge] - start[edge]
    far = (p[:, 0] * way[:, 1] - p[:, 1] * way[:, 0]) / (u[:, 0] * way[:, 1] - u[:, 1] * way[:, 0])
    order = np.lexsort((far, ray))
    rays, place = np.unique(ray[order], return_index=True)
    wall, none = np.zeros(n, dtype=np.intp), np.ones(n, dtype=bool)
    wall[rays], none[rays] = edge[order][place], False
    return wall, none


def _on_wall(turn: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    """Where rays from the origin meet the lines of segments, one each."""
    ray = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    step = end - start
    across = ray[:, 0] * step[:, 1] - ray[:, 1] * step[:, 0]
    far = (start[:, 0] * step[:, 1] - start[:, 1] * step[:, 0]) / np.where(across == 0.0, 1.0, across)
    return np.asarray(far[:, None] * ray)


def visible_share(a: Standing, point: ArrayLike, b: Standing, blockers: Sequence[Standing]) -> Measurement:
    """How much of `b` a body point (2,) of `a` sees: the unblocked share of its silhouette, 0 to 1.

    By angle, so a car that is half behind a wall counts half. Exact: between two directions to corners
    either all or nothing of it is hidden.
    """
    others = tuple(s for s in blockers if s.name not in (a.name, b.name))
    everyone = (a, b, *others)
    eye_in_body = np.asarray(point, dtype=np.float64)

    def share(poses: FloatArray) -> FloatArray:
        found = []
        for row in poses:
            stood = [Pose(*map(float, p)) for p in row]
            eye = stood[0].to_table(eye_in_body)
            outlines = [
                p.to_table(s.piece.body.footprint.outline) - eye for p, s in zip(stood, everyone, strict=True)
            ]
            found.append(_share(outlines[1], outlines[2:]))
        return np.array(found)

    belief = believe(share, everyone, smooth=True)
    return Measurement(belief, "", Witness(np.stack([a.pose.to_table(eye_in_body), b.pose.xy])))


def _share(target: FloatArray, others: Sequence[FloatArray]) -> float:
    """The share of a target's angle, seen from the origin, in which nothing stands before it."""
    middle = target.mean(axis=0)
    axis = math.atan2(middle[1], middle[0])
    turn = np.mod(np.arctan2(target[:, 1], target[:, 0]) - axis + math.pi, math.tau) - math.pi
    low, high = float(turn.min()), float(turn.max())
    if high - low <= 0.0 or high - low >= math.pi:
        return 1.0
    corners = np.concatenate([target, *others])
    inner = np.mod(np.arctan2(corners[:, 1], corners[:, 0]) - axis + math.pi, math.tau) - math.pi
    turns = np.unique(np.concatenate([[low, high], inner[(inner > low) & (inner < high)]]))
    rays = (turns[:-1] + turns[1:]) / 2 + axis
    distance = _distances(rays, target)
    nearest = np.full(len(rays), np.inf)
    for outline in others:
        nearest = np.minimum(nearest, _distances(rays, outline))
    return float(np.diff(turns)[nearest >= distance].sum() / (high - low))


def _distances(turn: FloatArray, outline: FloatArray) -> FloatArray:
    """How far rays from the origin go until they meet an outline; infinite if they do not."""
    return np.asarray(_each_distance(turn, outline).min(axis=1))


def _each_distance(turn: FloatArray, outline: FloatArray) -> FloatArray:
    """How far rays from the origin go until they meet each edge, (n, v): of one outline, or of one a ray."""
    ray_x, ray_y = np.cos(turn)[:, None], np.sin(turn)[:, None]
    x, y = outline[..., 0], outline[..., 1]
    step_x, step_y = np.roll(x, -1, axis=-1) - x, np.roll(y, -1, axis=-1) - y
    across = ray_x * step_y - ray_y * step_x
    safe = np.where(across == 0.0, 1.0, across)
    far = (x * step_y - y * step_x) / safe
    at = (x * ray_y - y * ray_x) / safe
    good = (across != 0.0) & (at >= 0.0) & (at <= 1.0) & (far > 0.0)
    return np.asarray(np.where(good, far, np.inf))


def closest_visible(a: Standing, b: Standing, blockers: Sequence[Standing]) -> Measurement | None:
    """The shortest unobstructed segment between the outlines of `a` and `b`, inches; None if there is none.

    If the closest points do not see each other, the shortest clear segment passes an obstacle's
    corner. About each corner the segment's length is a convex function of its direction between two
    critical lines, so its least value is found without sampling.
    """
    others = reaching_between(a, b, [s for s in blockers if s.name not in (a.name, b.name)])
    parts = Parts.of([s.piece.body for s in others])
    outlines = parts.at(poses_of(others))
    direct = edge_range(a, b)
    assert direct.witness.line is not None
    if _clear(direct.witness.line[None], outlines)[0]:
        return direct
    ends = Parts.of([a.piece.body, b.piece.body])
    stood = ends.at(poses_of((a, b)))
    best = None
    for p in stood[ends.owner == 0]:
        for q in stood[ends.owner == 1]:
            found = _shortest(distinct(p), distinct(q), outlines)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
    if best is None:
        return None
    length, line, hinges = best
    return Measurement(_length_belief(length, line, hinges, (a, b), others), "in", Witness(line))


def _clear(lines: FloatArray, outlines: FloatArray) -> FloatArray:
    if not len(outlines):
        return np.ones(len(lines), dtype=bool)
    found = clearances(lines[:, None, 0], lines[:, None, 1], outlines[None])
    return np.asarray(found.min(axis=1) >= -TOUCH)


def _shortest(
    a: FloatArray, b: FloatArray, outlines: FloatArray
) -> tuple[float, FloatArray, tuple[FloatArray, ...]] | None:
    """The shortest clear segment through an obstacle's corner: length, line, and the corners on it."""
    corners = np.unique(outlines.reshape(-1, 2), axis=0)
    every = np.concatenate([corners, a, b])
    low, width = _both_ways(corners, a, b)
    hung = width > 0.0
    corners, low, width = corners[hung], low[hung], width[hung]
    spots = shapely.points(corners)
    at_least = sum(shapely.distance(spots, Polygon(shape)) for shape in (a, b))
    order = np.argsort(at_least, kind="stable")
    best, line, hinge, turn = math.inf, np.zeros((2, 2)), np.zeros(2), 0.0
    for k in range(0, len(order), _AT_ONCE):
        some = order[k : k + _AT_ONCE]
        some = some[at_least[some] < best]
        if not len(some):
            break
        hinges, first, last = _intervals(corners[some], low[some], width[some], every)
        middle = (first + last) / 2
        behind, ahead = (
            _met(t, shape - hinges[:, None]) for t, shape in ((middle + math.pi, a), (middle, b))
        )
        good = np.flatnonzero(np.isfinite(behind.far) & np.isfinite(ahead.far))
        at = _least(first[good], last[good], behind.chosen(good), ahead.chosen(good))
        lines = _through(hinges[good], at, a, b)
        length = np.hypot(*(lines[:, 1] - lines[:, 0]).T)
        # Within an interval all segments are clear or none is: its middle tells.
        through = _lines(hinges[good], middle[good], behind.far[good], ahead.far[good])
        m = _first_clear(length, best, through, outlines)
        if m is not None:
            best, line, hinge, turn = float(length[m]), lines[m], hinges[good[m]], float(at[m])
    if math.isinf(best):
        return None
    side = np.abs((every - hinge) @ (-math.sin(turn), math.cos(turn)))
    on_it = tuple(every[side < 1e-7])
    return best, line, on_it if len(on_it) > 1 else (hinge,)


def _intervals(
    corners: FloatArray, low: FloatArray, width: FloatArray, every: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The intervals of direction about each corner, between lines through others: corner, first, last."""
    away = every - corners[:, None]
    turn = np.arctan2(away[..., 1], away[..., 0]) - low[:, None]
    turn = np.mod(np.concatenate([turn, turn + math.pi], axis=1), math.tau)
    itself = np.tile(np.hypot(away[..., 0], away[..., 1]) <= 1e-9, 2)
    turn = np.where(itself, 0.0, np.minimum(turn, width[:, None]))
    turn = np.sort(np.concatenate([np.zeros((len(turn), 1)), turn, width[:, None]], axis=1), axis=1)
    row, place = np.nonzero(turn[:, 1:] > turn[:, :-1])
    return corners[row], low[row] + turn[row, place], low[row] + turn[row, place + 1]


def _first_clear(length: FloatArray, below: float, lines: FloatArray, outlines: FloatArray) -> int | None:
    """Which of the segments shorter than that is the shortest clear one."""
    order = np.argsort(length, kind="stable")
    order = order[length[order] < below]
    for some in (order[k : k + 8 * _AT_ONCE] for k in range(0, len(order), 8 * _AT_ONCE)):
        clear = np.flatnonzero(_clear(lines[some], outlines))
        if len(clear):
            return int(some[clear[0]])
    return None


def _both_ways(points: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The directions in which a line through each point (n, 2) meets `b` ahead and `a` behind.

    The first direction and how far they go on from it, radians, (n,) each; 0 or less where there is none.
    """
    mine, low_b, high_b = _spread(points, b)
    other, low_a, high_a = _spread(points, a)
    turned = np.mod(other - mine, math.tau)[:, None] + np.array([-3.0, -1.0, 1.0]) * math.pi
    low = np.maximum(low_b[:, None], low_a[:, None] + turned)
    width = np.minimum(high_b[:, None], high_a[:, None] + turned) - low
    # Each outline spans less than half a turn, so only one of the three can be met.
    rows, best = np.arange(len(points)), width.argmax(axis=1)
    low, width = mine + low[rows, best], width[rows, best]
    inside = np.maximum(high_a - low_a, high_b - low_b) >= math.pi
    return np.where(inside, mine, low), np.where(inside, math.tau, width)


def _spread(points: FloatArray, outline: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The direction from each point to an outline's middle, and how far it reaches to both sides of that."""
    middle = outline.mean(axis=0) - points
    axis = np.arctan2(middle[:, 1], middle[:, 0])
    away = outline - points[:, None]
    turn = np.mod(np.arctan2(away[..., 1], away[..., 0]) - axis[:, None] + math.pi, math.tau) - math.pi
    return axis, np.asarray(turn.min(axis=1)), np.asarray(turn.max(axis=1))


@dataclass(frozen=True, eq=False)
class _Met:
    """Where rays from the origin first meet an outline: how far, and the line of the edge that they meet.

    A ray of direction t meets that line at `gap` / cos(t - `normal`); `normal` in radians, (n,) each.
    """

    far: FloatArray
    gap: FloatArray
    normal: FloatArray

    def chosen(self, index: IntArray) -> _Met:
        """Only those rays."""
        return _Met(self.far[index], self.gap[index], self.normal[index])


def _met(turn: FloatArray, outline: FloatArray) -> _Met:
    """Each ray with an outline of its own, (n, v, 2)."""
    far = _each_distance(turn, outline)
    rows, edge = np.arange(len(turn)), far.argmin(axis=1)
    start = outline[rows, edge]
    step = outline[rows, (edge + 1) % outline.shape[1]] - start
    gap = (start[:, 0] * step[:, 1] - start[:, 1] * step[:, 0]) / np.hypot(*step.T)
    sign = np.where(gap < 0.0, -1.0, 1.0)
    return _Met(far[rows, edge], np.abs(gap), np.arctan2(-sign * step[:, 0], sign * step[:, 1]))


def _least(low: FloatArray, high: FloatArray, behind: _Met, ahead: _Met) -> FloatArray:
    """Where between two directions the segment is shortest: its slope there is 0, all intervals at once.

    Within an interval the ends run along two edges, so the length is p / cos u + q / cos v, which is convex.
    """
    inset = (high - low) * 1e-12
    low, high = low + inset, high - inset

    def slope(turn: FloatArray) -> FloatArray:
        u, v = turn + math.pi - behind.normal, turn - ahead.normal
        return np.asarray(behind.gap * np.sin(u) / np.cos(u) ** 2 + ahead.gap * np.sin(v) / np.cos(v) ** 2)

    for _ in range(48):
        middle = (low + high) / 2.0
        falls = slope(middle) < 0.0
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    return np.asarray((low + high) / 2.0)


def _lines(hinge: FloatArray, turn: FloatArray, behind: FloatArray, ahead: FloatArray) -> FloatArray:
    """Segments through points, so far behind each and ahead of it, (n, 2, 2)."""
    u = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    reach = np.stack([-behind, ahead], axis=-1)
    return np.asarray(hinge[:, None] + reach[..., None] * u[:, None])


def _through(hinge: FloatArray, turn: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Segments through points from A's far side of each to B's, (n, 2, 2); nan where they miss either."""
    behind, ahead = (_distances(t, s - hinge[:, None]) for t, s in ((turn + math.pi, a), (turn, b)))
    missed = ~(np.isfinite(behind) & np.isfinite(ahead))
    return _lines(hinge, turn, np.where(missed, np.nan, behind), np.where(missed, np.nan, ahead))


def _length_belief(
    length: float,
    line: FloatArray,
    hinges: Sequence[FloatArray],
    pair: tuple[Standing, Standing],
    others: Sequence[Standing],
) -> Belief:
    """First order: the segment turns with the corners it hangs on, or keeps its best direction."""
    everyone = (*pair, *others)
    if exact(everyone):
        return Belief(length, 0.0)
    held = []
    for hinge in (hinges[0], hinges[-1]):
        gaps = [float(s.region.polygon.exterior.distance(Point(*hinge))) for s in everyone]
        k = int(np.argmin(gaps))
        held.append((k, everyone[k].pose.to_body(hinge)))
    u = line[1] - line[0]
    involved = sorted({0, 1, *(k for k, _ in held)})

    def number(poses: FloatArray) -> FloatArray:
        found = []
        for row in poses:
            stood = {k: Pose(*map(float, row[n])) for n, k in enumerate(involved)}
            start = stood[held[0][0]].to_table(held[0][1])
            way = stood[held[1][0]].to_table(held[1][1]) - start if len(hinges) > 1 else u
            way = way if way @ u > 0.0 else -way
            turn = np.array([math.atan2(way[1], way[0])])
            reach = [
                float(
                    _line_meets(
                        turn,
                        stood[k].to_table(everyone[k].piece.body.footprint.outline) - start,
                        line[k] - line[1 - k],
                    )
                )
                for k in (0, 1)
            ]
            found.append(reach[1] - reach[0])
        return np.array(found)

    standings = [everyone[k] for k in involved]
    return Belief(length, sd_of(gradient(number, poses_of(standings)), standings))


def _line_meets(turn: FloatArray, outline: FloatArray, toward: FloatArray) -> float:
    """Where a line through the origin, going the way of `toward`, first meets an outline; along the line.

    For `toward` against the line's own direction: where the line leaves the outline.
    """
    u = np.array([math.cos(turn[0]), math.sin(turn[0])])
    n = np.array([-u[1], u[0]])
    side, along = outline @ n, outline @ u
    following, onward = np.roll(side, -1), np.roll(along, -1)
    met = (side <= 0.0) != (following <= 0.0)
    if not met.any():
        return float(along[np.abs(side).argmin()])
    t = side[met] / (side[met] - following[met])
    at = along[met] + t * (onward[met] - along[met])
    return float(at.min() if toward @ u > 0.0 else at.max())
