"""A stretch of road with vehicles on it, to measure on: 48 by 24 inches, to the right."""

from __future__ import annotations

import math

from engine.boards.road import Road
from engine.space.catalogue import CARS, box
from engine.space.geometry import Pose, Region
from engine.space.pieces import Hitch, Piece, TagMount
from engine.space.table import PoseUncertainty, Standing, TableState

SURFACE = Region.rectangle(0, 0, 48, 24)
ROAD = Road(48.0, 24.0)


def car(
    name: str, x: float, y: float, degrees: float = 0.0, *, model: str = "sedan", sd: float = 0.0
) -> Standing:
    """A vehicle of one body with its middle there."""
    uncertainty = PoseUncertainty.isotropic(sd, sd / 3)
    return Standing(Piece(name, "car", CARS[model]), Pose(x, y, math.radians(degrees)), uncertainty)


def rig(name: str, x: float, y: float, *, sd: float = 0.0) -> tuple[Standing, Standing]:
    """A tractor with its middle there, and its trailer straight behind, each with a tag."""
    tractor = Piece(name, "truck", CARS["rig-tractor"])
    hitch = Hitch(name, (2.6, 0.0), (-1.2, 0.0))
    mount = TagMount("tag36h11", 77, 0.5, 1.7)
    trailer = Piece(f"{name} trailer", "trailer", CARS["rig-trailer"], mount, hitch=hitch)
    uncertainty = PoseUncertainty.isotropic(sd, sd / 3)
    return (
        Standing(tractor, Pose(x, y), uncertainty),
        Standing(trailer, Pose(x - 3.8, y), uncertainty),
    )


def highway(*standings: Standing | tuple[Standing, ...]) -> TableState:
    """The table with them on it."""
    every = [s for one in standings for s in (one if isinstance(one, tuple) else (one,))]
    return TableState.of(SURFACE, every)


def wall(name: str, x: float, y: float) -> Standing:
    """A wall right across the road."""
    return Standing(Piece(name, "terrain", box(1.0, 12.0, 2.0)), Pose(x, y), PoseUncertainty.exact())
