"""What stands on a table: cars (body, tyres, height), terrain, tokens; where the tag sits on each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.errors import ShapeError
from engine.space.geometry import FloatArray, Footprint, Pose, as_points

ORIGIN = Pose(0.0, 0.0, 0.0)

PieceKind = Literal["car", "terrain", "token"]


@dataclass(frozen=True, eq=False)
class Body:
    """The physical shape of a piece, in its body frame (x toward the nose, y to the left).

    `tyres` holds the four tyre contacts in the order front-left, front-right, rear-right,
    rear-left, shape (4, 2), inches; terrain and tokens have none. `height` is the roof or top
    above the table, inches. `rear_axle` is the middle of the rear axle: turns pivot on it.
    """

    model: str
    footprint: Footprint
    height: float
    tyres: FloatArray | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.height) and self.height >= 0.0):
            raise ShapeError(f"model {self.model}: expected a height of 0 inches or more, got {self.height}")
        if self.tyres is not None:
            tyres = as_points(self.tyres, f"model {self.model}, tyres")
            if len(tyres) != 4:
                raise ShapeError(f"model {self.model}: expected four tyres but got {len(tyres)}")
            object.__setattr__(self, "tyres", tyres)

    @property
    def length(self) -> float:
        """Extent along the body's x axis, inches."""
        return float(np.ptp(self.footprint.outline[:, 0]))

    @property
    def width(self) -> float:
        """Extent along the body's y axis, inches."""
        return float(np.ptp(self.footprint.outline[:, 1]))

    @property
    def rear_axle(self) -> FloatArray:
        """The middle between the rear tyres in the body frame, shape (2,)."""
        if self.tyres is None:
            raise ShapeError(f"model {self.model} has no tyres, so it has no rear axle")
        return np.asarray(self.tyres[2:].mean(axis=0))

    @property
    def front_axle(self) -> FloatArray:
        """The middle between the front tyres in the body frame, shape (2,)."""
        if self.tyres is None:
            raise ShapeError(f"model {self.model} has no tyres, so it has no front axle")
        return np.asarray(self.tyres[:2].mean(axis=0))


def car_body(
    model: str, *, length: float, width: float, axles: tuple[float, float], track: float, height: float
) -> Body:
    """A car from its measures, all inches.

    `axles` are the places of the front and rear axle along x from the body's middle (front
    positive), `track` the distance between the left and right tyre contacts.
    """
    front, rear = axles
    if not rear < front:
        raise ShapeError(f"model {model}: the front axle ({front}) must lie ahead of the rear axle ({rear})")
    half = track / 2
    tyres = as_points([(front, half), (front, -half), (rear, -half), (rear, half)])
    return Body(model, Footprint.box(length, width, corner=0.12 * width), height, tyres)


@dataclass(frozen=True, slots=True)
class TagMount:
    """The fiducial on a piece and where it sits.

    `size` is the side of the black square in inches. `body_from_tag` places the tag's centre in
    the body frame; its heading is the direction of the tag's printed top against the nose.
    `height` is the tag's plane above the table, inches. The `sd_` fields say how well each is
    known: a tag glued on by hand is out by hundredths of an inch and a degree (0.0175 rad).
    """

    family: str
    tag: int
    size: float
    height: float
    body_from_tag: Pose = ORIGIN
    sd_at: float = 0.02
    sd_turn: float = 0.0175
    sd_height: float = 0.02


@dataclass(frozen=True, eq=False)
class Piece:
    """One named thing on the table."""

    name: str
    kind: PieceKind
    body: Body
    mount: TagMount | None = None
    owner: str | None = None
    colour: str | None = None
