"""How much of it can be seen: the visible region, the visible share, the closest visible parts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from shapely.geometry import MultiPolygon, Point, Polygon
from shapely.ops import unary_union

from engine.convex import distinct
from engine.errors import TableRefError
from engine.geometry import FloatArray, Pose, Region
from engine.measure import edge_range, reaching_between
from engine.ruling import Belief, Measurement, Witness
from engine.sight import TOUCH, Parts, clearances
from engine.table import Standing
from engine.uncertainty import believe, exact, gradient, poses_of, sd_of


def visible_region(point: ArrayLike, surface: Region, blockers: Sequence[Standing]) -> Region:
    """Everything on the surface that can be seen from a point (2,), past the blockers, as a polygon.

    Blockers that cover the point itself do not count: nobody is blinded by the own body. Raises
    `TableRefError` for a point off the surface.
    """
    eye = np.asarray(point, dtype=np.float64)
    if not surface.polygon.covers(Point(*eye)):
        raise TableRefError(f"expected a point on the surface but got ({eye[0]:.2f}, {eye[1]:.2f})")
    shapes = [s.region.polygon for s in blockers]
    others = unary_union([s for s in shapes if not s.contains(Point(*eye))])
    free = surface.polygon.difference(others)
    if isinstance(free, MultiPolygon):
        free = next((p for p in free.geoms if p.covers(Point(*eye))), surface.polygon)
    rings = [np.array(r.coords) for r in (free.exterior, *free.interiors)]
    start = np.concatenate([r[:-1] for r in rings]) - eye
    end = np.concatenate([r[1:] for r in rings]) - eye
    near = np.hypot(*start.T) > 1e-9
    turn = np.unique(np.arctan2(start[near, 1], start[near, 0]))
    turn = turn[np.diff(turn, append=turn[0] + math.tau) > 1e-12]
    following = np.roll(turn, -1)
    following[-1] += math.tau
    middle = (turn + following) / 2
    wall, open_ = _first_wall(middle, start, end)
    corners = np.stack([_on_wall(t, start[wall], end[wall]) for t in (turn, following)], axis=1)
    # From the very edge there is nothing to see outward: the outline comes back to the eye.
    corners[open_] = 0.0
    outline = corners.reshape(-1, 2) + eye
    keep = np.hypot(*(outline - np.roll(outline, 1, axis=0)).T) > 1e-9
    seen = Polygon(outline[keep])
    if not seen.is_valid:
        # Rounding may fold a spike of no width; what is left is the same region.
        seen = max(getattr(seen.buffer(0), "geoms", [seen.buffer(0)]), key=lambda p: p.area)
    return Region(np.array(seen.exterior.coords)[:-1])


def _first_wall(turn: FloatArray, start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Which segment each ray from the origin meets first, and whether it meets none."""
    ray = np.stack([np.cos(turn), np.sin(turn)], axis=-1)[:, None]
    step = end - start
    across = ray[..., 0] * step[:, 1] - ray[..., 1] * step[:, 0]
    safe = np.where(across == 0.0, 1.0, across)
    far = (start[:, 0] * step[:, 1] - start[:, 1] * step[:, 0]) / safe
    at = (start[:, 0] * ray[..., 1] - start[:, 1] * ray[..., 0]) / safe
    good = (across != 0.0) & (at >= -1e-12) & (at <= 1.0 + 1e-12) & (far > 1e-12)
    far = np.where(good, far, np.inf)
    return np.asarray(far.argmin(axis=1)), np.asarray(np.isinf(far.min(axis=1)))


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
    ray = np.stack([np.cos(turn), np.sin(turn)], axis=-1)[:, None]
    step = np.roll(outline, -1, axis=0) - outline
    across = ray[..., 0] * step[:, 1] - ray[..., 1] * step[:, 0]
    safe = np.where(across == 0.0, 1.0, across)
    far = (outline[:, 0] * step[:, 1] - outline[:, 1] * step[:, 0]) / safe
    at = (outline[:, 0] * ray[..., 1] - outline[:, 1] * ray[..., 0]) / safe
    good = (across != 0.0) & (at >= 0.0) & (at <= 1.0) & (far > 0.0)
    return np.asarray(np.where(good, far, np.inf).min(axis=1))


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
    best: tuple[float, FloatArray, tuple[FloatArray, ...]] | None = None
    shapes = Polygon(a), Polygon(b)
    at_least = np.array([sum(s.distance(Point(*hinge)) for s in shapes) for hinge in corners])
    for k in np.argsort(at_least, kind="stable"):
        if best is not None and at_least[k] >= best[0]:
            break
        hinge = corners[k]
        away = every - hinge
        turn = np.arctan2(away[:, 1], away[:, 0])[np.hypot(*away.T) > 1e-9]
        turn = np.unique(np.mod(np.concatenate([turn, turn + math.pi]), math.tau))
        turn = np.append(turn, turn[0] + math.tau)
        middle = (turn[:-1] + turn[1:]) / 2
        lines = _through(hinge, middle, a, b)
        good = np.flatnonzero(np.isfinite(lines).all(axis=(1, 2)))
        good = good[_clear(lines[good], outlines)]
        if not len(good):
            continue
        at = _golden(hinge, turn[:-1][good], turn[1:][good], a, b)
        lines = _through(hinge, at, a, b)
        length = np.hypot(*(lines[:, 1] - lines[:, 0]).T)
        m = int(np.where(np.isfinite(length), length, np.inf).argmin())
        if best is None or length[m] < best[0]:
            u = np.array([math.cos(at[m]), math.sin(at[m])])
            side = np.abs((every - hinge) @ (-u[1], u[0]))
            hinges = tuple(every[side < 1e-7])
            best = float(length[m]), lines[m], hinges if len(hinges) > 1 else (hinge,)
    return best


def _golden(hinge: FloatArray, low: FloatArray, high: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Where between two directions the segment through `hinge` is shortest, all intervals at once."""
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    inset = (high - low) * 1e-12
    low, high = low + inset, high - inset

    def length(turn: FloatArray) -> FloatArray:
        lines = _through(hinge, turn, a, b)
        return np.asarray(np.hypot(*(lines[:, 1] - lines[:, 0]).T))

    for _ in range(50):
        span = ratio * (high - low)
        left = length(high - span) <= length(low + span)
        low, high = np.where(left, low, high - span), np.where(left, low + span, high)
    return np.asarray((low + high) / 2)


def _through(hinge: FloatArray, turn: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """Segments through a point from A's far side of it to B's, (n, 2, 2); nan where they miss either."""
    behind, ahead = _distances(turn + math.pi, a - hinge), _distances(turn, b - hinge)
    u = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    reach = np.stack([-behind, ahead], axis=-1)
    reach = np.where(np.isfinite(reach).all(axis=-1, keepdims=True), reach, np.nan)
    return np.asarray(hinge + reach[..., None] * u[:, None])


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
