"""Where the table was under the camera: the lens and the surface, kept each time that they have changed.

What is ruled of a frame is ruled by the newest that is kept: a camera that is moved, zoomed or refocused,
and one that drifts, is solved anew, and each solution is kept.
"""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any

import numpy as np

from calibration.lens.model import Lens, lens_from_dict, lens_to_dict
from calibration.surface import CornerTag, Surface
from calibration.tag_shape import Paper
from engine.errors import TableRefError
from server.recording.blocks import Calibration


class CalibrationWatch:
    """Tells which surfaces are to be kept: every new one. `last` is the number of the newest that is kept."""

    def __init__(self, last: int = 0) -> None:
        self._last = last
        self._surface: object = None

    def look(self, at_s: float, surface: object) -> Calibration | None:
        """What is to be kept of the surface at a moment, None if it is as before or not known."""
        if surface is self._surface or not isinstance(surface, Surface):
            return None
        self._surface = surface
        self._last += 1
        return Calibration(self._last, at_s, pack_surface(surface))


def pack_surface(surface: Surface) -> str:
    """Lens and surface as JSON; `unpack_surface` reads them back exactly."""
    return json.dumps(
        {
            "lens": {**lens_to_dict(surface.lens), "origin": surface.lens.origin},
            "rotation": surface.rotation.tolist(),
            "translation": surface.translation.tolist(),
            "covariance": surface.covariance.tolist(),
            "residual_in": surface.residual,
            "lift_in": surface.lift,
            "note": surface.note,
            "corners": [_pack_corner(corner, off) for corner, off in surface.misfits],
        },
        separators=(",", ":"),
    )


def _pack_corner(corner: CornerTag, misfit: float) -> dict[str, Any]:
    """A corner tag as it was stated, and how far from there it was seen: inches and radians."""
    return {
        "family": corner.family,
        "tag": corner.tag,
        "size_in": corner.size,
        "at_in": list(corner.at),
        "turn": corner.turn,
        "sd_in": corner.sd,
        "paper": astuple(corner.paper),
        "misfit_in": misfit,
    }


def _unpack_corner(kept: dict[str, Any]) -> tuple[CornerTag, float]:
    x, y = kept["at_in"]
    paper = Paper(*kept["paper"])
    corner = CornerTag(
        kept["family"], kept["tag"], kept["size_in"], (x, y), kept["turn"], kept["sd_in"], paper
    )
    return corner, float(kept["misfit_in"])


def unpack_surface(text: str) -> Surface:
    """The surface that was kept, with its lens; a clear error for what is none."""
    try:
        return _unpack(json.loads(text))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise TableRefError(f"expected a kept calibration but got something else: {error}") from error


def _unpack(data: Any) -> Surface:
    lens = lens_from_dict(data["lens"], "a kept calibration")
    if data["lens"]["origin"] == "guess":
        lens = Lens(lens.size, lens.K, lens.dist, "guess", lens.covariance)
    lift = data.get("lift_in", (0.0, 0.0))
    shapes = [np.array(data[name], dtype=np.float64) for name in ("rotation", "translation", "covariance")]
    n = len(shapes[2])
    for found, shape in zip(shapes, ((3, 3), (3,), (n, n)), strict=True):
        if found.shape != shape or not np.isfinite(found).all():
            raise ValueError(f"expected numbers of shape {shape} but got {found.shape}")
    return Surface(
        lens=lens,
        rotation=shapes[0],
        translation=shapes[1],
        covariance=shapes[2],
        residual=float(data["residual_in"]),
        # Older records kept none.
        misfits=tuple(map(_unpack_corner, data.get("corners", ()))),
        lift=(float(lift[0]), float(lift[1])),
    )
