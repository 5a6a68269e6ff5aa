"""What stands on a table: kinds of piece, bodies (outline, tyres, height), where the tag sits on each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from engine.errors import ShapeError
from engine.space.geometry import FloatArray, Footprint, Pose, as_points

ORIGIN = Pose(0.0, 0.0, 0.0)

# How far an unseen trailer may be turned against its tractor: 15 degrees, a house default.
HITCH_SD = math.radians(15.0)

PieceKind = Literal["car", "truck", "trailer", "pedestrian", "marker", "terrain", "token"]
"""The kinds of piece, as the table file names them; `KINDS` says what each is like."""

Look = Literal["car", "terrain", "token"]


@dataclass(frozen=True, slots=True)
class Traits:
    """What a kind of piece is like.

    `driven`: a player drives it; a trailer only follows. `moves`: players move it about, so that its moves
    are told. `solid`: nothing else can stand where
    it stands; what is not lies flat and may be driven over. `blocks_sight`: it hides what is behind it.
    `look` says what it is drawn and shaped like: a car (with tyres), terrain or a token.
    """

    driven: bool
    moves: bool
    solid: bool
    blocks_sight: bool
    look: Look


KINDS: Mapping[PieceKind, Traits] = MappingProxyType(
    {
        "car": Traits(driven=True, moves=True, solid=True, blocks_sight=True, look="car"),
        "truck": Traits(driven=True, moves=True, solid=True, blocks_sight=True, look="car"),
        "trailer": Traits(driven=False, moves=True, solid=True, blocks_sight=True, look="car"),
        "pedestrian": Traits(driven=False, moves=True, solid=False, blocks_sight=False, look="token"),
        "marker": Traits(driven=False, moves=False, solid=False, blocks_sight=False, look="token"),
        "terrain": Traits(driven=False, moves=False, solid=True, blocks_sight=True, look="terrain"),
        "token": Traits(driven=False, moves=False, solid=False, blocks_sight=False, look="token"),
    }
)
"""Every kind of piece; the one place that knows them."""


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
        return self.footprint.extent[0]

    @property
    def width(self) -> float:
        """Extent along the body's y axis, inches."""
        return self.footprint.extent[1]

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
    known: a tag glued on by hand is out by hundredths of an inch and a degree (0.0175 rad). `sd_tilt` is
    how far the tag leans about either axis, radians.
    """

    family: str
    tag: int
    size: float
    height: float
    body_from_tag: Pose = ORIGIN
    sd_at: float = 0.02
    sd_turn: float = 0.0175
    sd_height: float = 0.02
    sd_tilt: float = 0.0


@dataclass(frozen=True, slots=True)
class Hitch:
    """How a body hangs on another: one vehicle of several bodies.

    `to` names the piece that pulls it. `at` is the pin in this body's frame, `on` the same pin in the
    frame of the one that pulls, inches. `sd_turn` is how far the one may be turned against the other where
    that is not seen, radians: one standard deviation about straight.
    """

    to: str
    at: tuple[float, float]
    on: tuple[float, float]
    sd_turn: float = HITCH_SD


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a piece stands that carries no tag, as the camera outlined it, in place of a mount.

    `pose` puts its body on the table; `sd` is how surely each of its edges is known there, `height_sd` how
    surely its height was measured, inches: nought where somebody said it.
    """

    pose: Pose
    sd: float
    height_sd: float = 0.0


@dataclass(frozen=True)
class Piece:
    """One named thing on the table; with a `hitch` it is a further body of the vehicle that pulls it.

    What has a `spot` carries no tag: it is known by its outline, and stands there while the camera sees so.
    Two that say the same of the very same body are equal, as where a game has put in its owner anew.
    """

    name: str
    kind: PieceKind
    body: Body
    mount: TagMount | None = None
    owner: str | None = None
    colour: str | None = None
    hitch: Hitch | None = None
    spot: Spot | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ShapeError(f"{self.name}: expected a {', '.join(KINDS)}, but got {self.kind!r}")

    @property
    def driven(self) -> bool:
        """Whether a player drives it."""
        return KINDS[self.kind].driven

    @property
    def moves(self) -> bool:
        """Whether players move it about."""
        return KINDS[self.kind].moves

    @property
    def solid(self) -> bool:
        """Whether nothing else can stand where it stands."""
        return KINDS[self.kind].solid

    @property
    def blocks_sight(self) -> bool:
        """Whether it hides what is behind it."""
        return KINDS[self.kind].blocks_sight

    @property
    def obstacle(self) -> bool:
        """Whether it lies about on the table: nothing else can stand there, and nobody moves it about."""
        return self.solid and not (self.moves or self.follows)

    @property
    def follows(self) -> bool:
        """Whether it has no tag of its own and stands where what pulls it has it."""
        return self.hitch is not None and self.mount is None

    def hangs_on(self, name: str) -> bool:
        """Whether the piece of that name pulls it."""
        return self.hitch is not None and self.hitch.to == name

    @property
    def look(self) -> Look:
        """What it is drawn like."""
        return KINDS[self.kind].look
