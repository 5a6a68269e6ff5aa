"""What the gunner sees: from a front tyre or the turret toward the target, and what hides how much of it.

A drawn perspective, to scale from footprints and heights. The book may count more or less than the eye
sees, or take no notice of heights at all: the view shows both, and never decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from shapely import unary_union
from shapely.geometry import Polygon
from shapely.geometry.base import BaseGeometry

from engine.errors import NotUsable
from engine.measure.distances import front_tyres
from engine.measure.sight import inside_outline
from engine.ruling import unplaced_words
from engine.space.convex import distinct
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, TableState, key_of
from engine.words import listed

NEAR = 0.05
"""Inches ahead of the eye at which the picture begins: what is nearer has no place in a picture."""


@dataclass(frozen=True, eq=False)
class Eye:
    """Where one looks from, and which way: `height` inches above the table, `pose.heading` level ahead."""

    pose: Pose
    height: float

    def to_eye(self, points: FloatArray) -> FloatArray:
        """Points (n, 3) of the table, their height last, in eye space (n, 3)."""
        ahead, left = self.pose.to_body(points[:, :2]).T
        return np.column_stack([-left, points[:, 2] - self.height, ahead])

    def picture(self, points: FloatArray) -> FloatArray:
        """A flat polygon (n, 3) of the table in the picture plane, cut off at `NEAR`, (m, 2)."""
        ahead = beyond_near(self.to_eye(points))
        return ahead[:, :2] / ahead[:, 2:] if len(ahead) else np.zeros((0, 2))


def beyond_near(polygon: FloatArray) -> FloatArray:
    """What of a flat polygon (n, 3) in eye space lies at least `NEAR` ahead, in order, (m, 3).

    >>> beyond_near(np.array([(0, 0, 1.0), (0, 1, 1), (0, 0, -1)])).shape
    (4, 3)
    """
    out = []
    for here, there in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if here[2] >= NEAR:
            out.append(here)
        if (here[2] >= NEAR) != (there[2] >= NEAR):
            out.append(here + (there - here) * ((NEAR - here[2]) / (there[2] - here[2])))
    return np.array(out).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class Face:
    """One visible side of a prism in the picture plane, (n, 2).

    `turn` is the direction that it faces on the table, radians; None for a top.
    """

    polygon: FloatArray
    turn: float | None


@dataclass(frozen=True, eq=False)
class Prism:
    """A convex part of a piece, upright on the table, as one eye sees it.

    `outline` (n, 2) is counter-clockwise in the table frame, `height` inches above the table.
    """

    name: str
    outline: FloatArray
    height: float
    eye: Eye

    @cached_property
    def around_eye(self) -> bool:
        """Whether the eye is inside, so that it sees nothing else."""
        step = np.roll(self.outline, -1, axis=0) - self.outline
        away = self.eye.pose.xy - self.outline
        inside = (step[:, 0] * away[:, 1] - step[:, 1] * away[:, 0] > 0.0).all()
        return bool(inside) and self.eye.height < self.height

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """The sides that face the eye, and the top if it is seen from above."""
        found = []
        for a, b in zip(self.outline, np.roll(self.outline, -1, axis=0), strict=True):
            out = np.array([b[1] - a[1], a[0] - b[0]])
            if out @ (self.eye.pose.xy - a) > 0.0:
                wall = np.array([(*a, 0.0), (*b, 0.0), (*b, self.height), (*a, self.height)])
                found.append((wall, math.atan2(out[1], out[0])))
        top = np.column_stack([self.outline, np.full(len(self.outline), self.height)])
        seen = [Face(self.eye.picture(wall), turn) for wall, turn in found]
        if self.eye.height > self.height:
            seen.append(Face(self.eye.picture(top), None))
        return tuple(face for face in seen if len(face.polygon) >= 3)

    @cached_property
    def silhouette(self) -> BaseGeometry:
        """All that it covers of the picture plane."""
        return unary_union([sound(face.polygon) for face in self.faces])

    @cached_property
    def bearings(self) -> tuple[float, float] | None:
        """From which bearing to which it lies ahead of the eye, radians to the right; None if it does not."""
        flat = np.column_stack([self.outline, np.zeros(len(self.outline))])
        ahead = beyond_near(self.eye.to_eye(flat))
        if not len(ahead):
            return None
        angles = np.arctan2(ahead[:, 0], ahead[:, 2])
        return float(angles.min()), float(angles.max())

    def distance(self, bearing: float) -> float:
        """How far along a bearing it begins, inches; infinite if it is not met."""
        corners = self.eye.to_eye(np.column_stack([self.outline, np.zeros(len(self.outline))]))[:, (0, 2)]
        step = np.roll(corners, -1, axis=0) - corners
        ray = np.array([math.sin(bearing), math.cos(bearing)])
        across = ray[0] * step[:, 1] - ray[1] * step[:, 0]
        safe = np.where(across == 0.0, np.inf, across)
        far = (corners[:, 0] * step[:, 1] - corners[:, 1] * step[:, 0]) / safe
        at = (corners[:, 0] * ray[1] - corners[:, 1] * ray[0]) / safe
        met = (across != 0.0) & (at >= -1e-9) & (at <= 1.0 + 1e-9)
        return float(np.where(met, far, np.inf).min())

    def before(self, other: Prism) -> bool:
        """Whether it may hide a part of the other: on a bearing that both have it begins earlier.

        Convex parts that stand apart are in one order on all the bearings that they share.
        """
        if self.bearings is None or other.bearings is None:
            return False
        low = max(self.bearings[0], other.bearings[0])
        high = min(self.bearings[1], other.bearings[1])
        if high - low <= 1e-9:
            return False
        middle = (low + high) / 2
        return self.distance(middle) < other.distance(middle)


def sound(polygon: FloatArray) -> BaseGeometry:
    """A polygon (n, 2) as a shape that may be cut and joined; empty where it has no area."""
    shape = Polygon(polygon) if len(polygon) >= 3 else Polygon()
    return shape if shape.is_valid else shape.buffer(0)


def prisms_of(standing: Standing, eye: Eye) -> tuple[Prism, ...]:
    """The convex parts of a piece as it stands."""
    body = standing.piece.body
    return tuple(
        Prism(standing.name, standing.pose.to_table(distinct(part)), body.height, eye)
        for part in body.footprint.parts
    )


def painters_order(prisms: Sequence[Prism]) -> tuple[Prism, ...]:
    """The prisms that are seen, so that each comes after everything that it may hide.

    Prisms that overlap by the error of a place may lie in a ring; the farthest of it then comes first.
    """
    rest = [p for p in prisms if p.bearings is not None]
    hides = {id(p): [q for q in rest if q is not p and p.before(q)] for p in rest}
    far = {id(p): float(np.hypot(*(p.outline - p.eye.pose.xy).T).max()) for p in rest}
    out: list[Prism] = []
    while rest:
        left = {id(p) for p in rest}
        free = [p for p in rest if not any(id(q) in left for q in hides[id(p)])]
        farthest = max(free or rest, key=lambda p: far[id(p)])
        out.append(farthest)
        rest.remove(farthest)
    return tuple(out)


# The view

Seat = Literal["left tyre", "right tyre", "turret"]
SEATS: tuple[Seat, ...] = ("left tyre", "right tyre", "turret")

HUB = 0.2
"""Inches above the table at which one looks from a tyre: the hub of a 1:64 car's wheel."""

OVER_ROOF = 0.15
"""Inches above the roof at which one looks from the turret."""

LEAST_SHARE = 0.002
"""The share of a target that a piece must hide to be named."""

ROOM = 2.6
"""How many times as wide as the target the picture is, within `WIDTHS`."""

WIDTHS = (0.35, 2.2)
"""Half the picture's width in the picture plane: from 39 to 131 degrees across."""

BELOW, ABOVE = 0.40, 0.50
"""The room below and above the eye's own height in the picture, as shares of half its width."""


@dataclass(frozen=True, eq=False)
class GunnerView:
    """One look at a target.

    `prisms` come in painter's order, the farthest first. `whole` and `seen` are the target's silhouette
    and the part of it that nothing hides, in the picture plane; `share` is the one's area of the other.
    `hiders` names what hides some of it, the most first. `half_width` is the picture's, in the picture
    plane; `distance` runs from the eye to the target's nearest part on the table, inches. `unplaced` names
    what nobody has seen: it is not in the picture, and may hide what is shown.
    """

    seat: Seat
    eye: Eye
    shooter: str
    target: str
    prisms: tuple[Prism, ...]
    whole: BaseGeometry
    seen: BaseGeometry
    share: float
    hiders: tuple[str, ...]
    half_width: float
    distance: float
    unplaced: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What is seen, in a sentence; in another one what may be in the way of it unseen."""
        if not self.unplaced or self.share <= 0.001:
            return self._seen_words
        return f"{self._seen_words} But {unplaced_words(self.unplaced)}."

    @property
    def _seen_words(self) -> str:
        by = listed(self.hiders)
        if self.share >= 0.999:
            return f"{self.target} is in full view."
        if self.share <= 0.001:
            return f"Nothing of {self.target} is seen: it is hidden by {by}."
        # Between nothing and all: the last percent is not rounded away.
        percent = min(max(round(100 * self.share), 1), 99)
        return f"{percent} % of {self.target} is seen, the rest is hidden by {by}."


def eye_of(shooter: Standing, seat: Seat, toward: FloatArray) -> Eye:
    """The eye at a seat of a car, looking at a point (2,) of the table."""
    if seat == "turret":
        outline = shooter.piece.body.footprint.outline
        at, height = (outline.min(axis=0) + outline.max(axis=0)) / 2, shooter.piece.body.height + OVER_ROOF
    else:
        at, height = front_tyres(shooter)[0 if seat == "left tyre" else 1], HUB
    x, y = shooter.pose.to_table(at).tolist()
    return Eye(Pose(x, y, math.atan2(toward[1] - y, toward[0] - x)), height)


def seat_of(shooter: Standing, line: FloatArray | None) -> Seat:
    """The front tyre at which a sight line (2, 2) starts; the left one without a line."""
    if line is None:
        return "left tyre"
    away = np.hypot(*(shooter.pose.to_table(front_tyres(shooter)) - line[0]).T)
    return "left tyre" if away[0] <= away[1] else "right tyre"


def gunner_view(table: TableState, shooter: str, target: str, seat: Seat = "left tyre") -> GunnerView:
    """The look from a seat of `shooter` at `target`, past everything else on the table.

    The shooter's own body is not in the picture. Raises `TableRefError` for unknown names, for a
    shooter without tyres, and for a target that stands where the eye is.
    """
    one, other = table.find(shooter), table.find(target)
    if one is other:
        raise NotUsable(f"{one.name} cannot look at itself; name another piece as the target")
    outline = other.region.outline
    eye = eye_of(one, seat, (outline.min(axis=0) + outline.max(axis=0)) / 2)
    mine = prisms_of(other, eye)
    half = _half_width(mine)
    if half is None:
        raise NotUsable(f"{other.name} stands where {one.name} looks from: there is nothing to draw")
    others = [p for s in table.others(one.name, other.name) for p in prisms_of(s, eye)]
    others = [p for p in others if p.bearings is not None and _in_picture(p.bearings, half)]
    whole = unary_union([p.silhouette for p in mine])
    if any(p.around_eye for p in others):
        seen = whole.difference(whole)
    else:
        seen = unary_union([_uncovered(p, others) for p in mine])
    reach = min(p.distance(b) for p in mine for b in _across(p))
    return GunnerView(
        seat=seat,
        eye=eye,
        shooter=one.name,
        target=other.name,
        prisms=painters_order([*others, *mine]),
        whole=whole,
        seen=seen,
        share=min(float(seen.area / whole.area), 1.0),
        hiders=_hiders(mine, others, whole),
        half_width=half,
        distance=reach,
        unplaced=table.hiding_between(one, other),
    )


def _half_width(target: Sequence[Prism]) -> float | None:
    """As wide as shows the target with room beside it; None if it reaches behind or round the eye."""
    wanted = WIDTHS[0]
    for prism in target:
        if prism.bearings is None or prism.around_eye or max(map(abs, prism.bearings)) > math.radians(80):
            return None
        _, low, _, high = prism.silhouette.bounds
        wanted = max(wanted, ROOM * math.tan(max(map(abs, prism.bearings))), -low / BELOW, high / ABOVE)
    return min(wanted, WIDTHS[1])


def _in_picture(bearings: tuple[float, float], half: float) -> bool:
    edge = math.atan(half) * 1.05
    return bearings[0] < edge and bearings[1] > -edge


def _across(prism: Prism) -> FloatArray:
    low, high = prism.bearings or (0.0, 0.0)
    return np.linspace(low, high, 9)[1:-1]


def _uncovered(prism: Prism, others: Sequence[Prism]) -> BaseGeometry:
    return prism.silhouette.difference(unary_union([p.silhouette for p in others if p.before(prism)]))


def _hiders(mine: Sequence[Prism], others: Sequence[Prism], whole: BaseGeometry) -> tuple[str, ...]:
    """The pieces before the target by how much of its silhouette lies behind each, the most first."""
    hidden: dict[str, float] = {}
    for prism in others:
        before = [p for p in mine if prism.around_eye or prism.before(p)]
        taken = 0.0
        for p in before:
            taken += (
                p.silhouette.area if prism.around_eye else p.silhouette.intersection(prism.silhouette).area
            )
        hidden[prism.name] = hidden.get(prism.name, 0.0) + taken
    least = LEAST_SHARE * whole.area
    return tuple(sorted((n for n, a in hidden.items() if a > least), key=lambda n: -hidden[n]))


def tyres_hidden(table: TableState, view: GunnerView) -> tuple[tuple[str, ...], ...]:
    """For each tyre of the target, what hides its point of contact from the eye, nearest first."""
    others = [p for p in view.prisms if key_of(p.name) != key_of(view.target)]
    return tuple(_on_the_way(view.eye, at, others) for at in tyres_at(table.find(view.target)))


def tyres_at(standing: Standing) -> FloatArray:
    """Where its tyres touch the table, (n, 2); none of what has no tyres."""
    tyres = standing.piece.body.tyres
    return np.zeros((0, 2)) if tyres is None else standing.pose.to_table(tyres)


def _on_the_way(eye: Eye, point: FloatArray, prisms: Sequence[Prism]) -> tuple[str, ...]:
    """What the straight line from the eye down to a point (2,) of the table runs through."""
    met: dict[str, float] = {}
    for prism in prisms:
        inside = inside_outline(eye.pose.xy, point, prism.outline)
        # The line sinks toward the table: it is lowest where it leaves the outline.
        if inside is not None and eye.height * (1.0 - inside[1]) < prism.height:
            met[prism.name] = min(inside[0], met.get(prism.name, math.inf))
    return tuple(sorted(met, key=met.__getitem__))
