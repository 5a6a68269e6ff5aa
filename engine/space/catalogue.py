"""What models of car there are, how terrain and tables are made by hand: plausible real sizes, in inches.

A die-cast car of one "scale" is made to fit its box, so a truck is barely longer than a sedan; measure
your own cars where hundredths of an inch matter and write the sizes into the table file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from numpy.typing import ArrayLike

from engine.errors import ShapeError, TableRefError
from engine.space.geometry import Footprint, Pose, Region, as_points
from engine.space.pieces import Body, Piece, PieceKind, car_body
from engine.space.table import PoseUncertainty, Standing, TableState, key_of

# model: length, width, roof height, front axle and rear axle from the middle (front positive)
_SIZES: Mapping[str, tuple[float, float, float, float, float]] = MappingProxyType(
    {
        "compact": (2.55, 1.12, 1.00, 0.77, -0.77),
        "sedan": (2.95, 1.20, 1.00, 0.89, -0.89),
        "muscle": (3.00, 1.25, 0.95, 0.92, -0.88),
        "suv": (2.95, 1.25, 1.20, 0.88, -0.88),
        "pickup": (3.05, 1.22, 1.15, 0.95, -0.90),
        "van": (3.05, 1.20, 1.30, 0.93, -0.90),
        "truck": (3.20, 1.25, 1.50, 1.02, -0.90),
        "buggy": (2.60, 1.30, 1.05, 0.82, -0.82),
        "rig-tractor": (3.40, 1.25, 1.60, 1.25, -0.95),
        "rig-trailer": (6.00, 1.25, 1.70, 0.20, -2.30),
    }
)

_TYRE_INSET = 0.09


def _car(model: str) -> Body:
    length, width, height, front, rear = _SIZES[model]
    track = width - 2 * _TYRE_INSET
    return car_body(model, length=length, width=width, axles=(front, rear), track=track, height=height)


CARS: Mapping[str, Body] = MappingProxyType({model: _car(model) for model in _SIZES})
"""Every shipped car model by its name, in inches."""


def car(model: str) -> Body:
    """The car model of that name; case, spaces, dashes and underscores do not matter.

    >>> car("Rig Tractor").model
    'rig-tractor'
    """
    for name, body in CARS.items():
        if key_of(name) == key_of(model):
            return body
    raise TableRefError(
        f"no car model called {model!r}; expected one of {', '.join(CARS)}, "
        "or give the car's own length, width, axles and track"
    )


def _positive(model: str, **sizes: float) -> None:
    for name, size in sizes.items():
        if not (math.isfinite(size) and size > 0.0):
            raise ShapeError(f"terrain {model}: expected a {name} above 0 inches but got {size}")


def box(length: float, width: float, height: float, model: str = "box") -> Body:
    """A block about its middle, `length` along x; inches."""
    _positive(model, length=length, width=width)
    return Body(model, Footprint.box(length, width), height)


def cylinder(diameter: float, height: float, model: str = "cylinder") -> Body:
    """A mug or tin: a disc about its middle, as a regular polygon of the same area; inches."""
    _positive(model, diameter=diameter)
    return Body(model, Footprint.disc(diameter), height)


def polygon(outline: ArrayLike, height: float, model: str = "polygon") -> Body:
    """Any outline that does not cross itself, shape (n, 2), inches in the body frame; hollows are kept."""
    return Body(model, Footprint(as_points(outline, f"terrain {model}, outline")), height)


Place = tuple[str | Body, float, float] | tuple[str | Body, float, float, float]
"""A car model by its name or any body; x and y in inches; the heading in degrees, 0 along x."""


def table_of(
    pieces: Mapping[str, Place],
    *,
    size: tuple[float, float] = (48.0, 48.0),
    owners: Mapping[str, str] | None = None,
    sd: float = 0.0,
) -> TableState:
    """A table of that `size` in inches with these pieces, known exactly or with `sd` inches of doubt.

    >>> table = table_of({"Red 1": ("sedan", 10, 24), "Blue 1": ("van", 30, 24, 180)})
    >>> [s.name for s in table.standings]
    ['Red 1', 'Blue 1']
    """
    sure = PoseUncertainty.isotropic(sd)
    standings = []
    for name, place in pieces.items():
        if len(place) not in (3, 4):
            raise TableRefError(f"{name}: expected a model, x, y and perhaps degrees but got {place!r}")
        model, x, y, *turn = place
        body = model if isinstance(model, Body) else car(model)
        owner = (owners or {}).get(name)
        kind: PieceKind = "car" if body.tyres is not None or body.model in CARS else "terrain"
        piece = Piece(name, kind, body, owner=owner)
        standings.append(Standing(piece, Pose(x, y, math.radians(turn[0] if turn else 0.0)), sure))
    return TableState.of(Region.rectangle(0.0, 0.0, *size), standings)
