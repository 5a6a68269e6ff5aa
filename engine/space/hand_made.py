"""A table without a camera, made in a line: for trying rules out, for examples and for tests."""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.errors import TableRefError
from engine.space.catalogue import CARS, car
from engine.space.geometry import Pose, Region
from engine.space.pieces import Body, Piece, PieceKind
from engine.space.table import PoseUncertainty, Standing, TableState

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
