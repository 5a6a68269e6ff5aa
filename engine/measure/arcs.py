"""In which arc: cones and half-planes at any place of a body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from engine.errors import ShapeError
from engine.space.geometry import FloatArray, Pose
from engine.space.pieces import ORIGIN, Body


class ArcPlacement(StrEnum):
    """Where something lies against an arc or a region."""

    IN = "in"
    OUT = "out"
    STRADDLING = "straddling"


@dataclass(frozen=True, slots=True)
class Arc:
    """A cone of `width` radians about the heading of `body_from_anchor`, whose apex is its place.

    A width of pi is a half-plane, 2 pi everything. Lengths in inches, in the body frame.
    """

    body_from_anchor: Pose = ORIGIN
    width: float = math.pi

    def __post_init__(self) -> None:
        if not 0.0 < self.width <= math.tau:
            raise ShapeError(f"an arc needs a width above 0 and up to 2 pi radians but got {self.width}")

    @classmethod
    def at(cls, body: Body, place: str, facing: float = 0.0, width: float = math.pi) -> Arc:
        """An arc at a named place of a body: nose, tail, left, right, middle, front axle, rear axle.

        `facing` is the direction of the arc's middle against the nose, radians, counter-clockwise.
        """
        x, y = place_of(body, place)
        return cls(Pose(x, y, facing), width)


def place_of(body: Body, place: str) -> tuple[float, float]:
    """A named place in the body frame, inches."""
    outline = body.footprint.outline
    low, high = outline.min(axis=0), outline.max(axis=0)
    middle = (low + high) / 2
    places = {
        "middle": (0.0, 0.0),
        "nose": (high[0], middle[1]),
        "tail": (low[0], middle[1]),
        "left": (middle[0], high[1]),
        "right": (middle[0], low[1]),
    }
    if body.tyres is not None:
        places["front axle"] = tuple(body.front_axle)
        places["rear axle"] = tuple(body.rear_axle)
    if place not in places:
        raise ShapeError(
            f"model {body.model}: no place called {place!r}; expected one of {', '.join(places)}"
        )
    x, y = places[place]
    return float(x), float(y)


def depth_in_arc(points_in_anchor: FloatArray, width: float) -> FloatArray:
    """How deep points (..., 2) lie inside the arc, inches; negative outside, 0 on its boundary.

    The points are in the anchor's frame: apex at the origin, the arc about +x.
    """
    x, y = points_in_anchor[..., 0], points_in_anchor[..., 1]
    if width >= math.tau:
        return np.full(x.shape, np.inf)
    half = width / 2
    cos, sin = math.cos(half), math.sin(half)
    y = np.abs(y)
    along = x * cos + y * sin
    edge = np.where(along > 0.0, np.abs(x * sin - y * cos), np.hypot(x, y))
    inside = np.arctan2(y, x) <= half
    return np.asarray(np.where(inside, edge, -edge))


def deepest(outline_in_anchor: FloatArray, width: float) -> FloatArray:
    """How deep the deepest point of outlines (..., v, 2) lies inside the arc, inches: exact."""
    if width > math.pi:
        return np.asarray(depth_in_arc(outline_in_anchor, width).max(axis=-1))
    start, end = outline_in_anchor, np.roll(outline_in_anchor, -1, axis=-2)
    step = end - start
    square = (step**2).sum(axis=-1)
    to_axis = np.divide(-start[..., 1], step[..., 1], out=np.zeros(square.shape), where=step[..., 1] != 0.0)
    to_apex = np.divide(-(start * step).sum(axis=-1), square, out=np.zeros(square.shape), where=square > 0.0)
    candidates = [start]
    for t in (to_axis, to_apex):
        candidates.append(start + np.clip(t, 0.0, 1.0)[..., None] * step)
    return np.asarray(depth_in_arc(np.concatenate(candidates, axis=-2), width).max(axis=-1))


def shallowest(outline_in_anchor: FloatArray, width: float) -> FloatArray:
    """How deep the least deep point of outlines (..., v, 2) lies inside the arc, inches: exact."""
    if width <= math.pi:
        return np.asarray(depth_in_arc(outline_in_anchor, width).min(axis=-1))
    return -deepest(-outline_in_anchor, math.tau - width)
