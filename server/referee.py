"""The way of the data, composed: frame -> detections -> sightings -> tracks -> table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.geometry import FloatArray
from engine.table import TableState
from vision.frame import Frame


class SurfaceView(Protocol):
    """What the page needs to know of the surface calibration."""

    residual: float
    """Root mean square misfit of the corner tags on the table, inches."""

    note: str
    """A sentence for people: where lens and surface come from, and what is only guessed."""

    def image_from_table(self, points: FloatArray, height: float = 0.0) -> FloatArray:
        """Table points (n, 2), inches, at one height above the table, in the image, (n, 2) pixels."""
        ...


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened at the table, as the camera saw it: settled, moving, held, lost, found."""

    time: float
    kind: str
    piece: str | None
    words: str


@dataclass(frozen=True, eq=False)
class Moment:
    """What the referee knows after one frame.

    `surface` is None until the corner tags have been found. `timings` are seconds a step.
    `notices` are sentences for people about the picture or the source.
    """

    index: int
    time: float
    frame: Frame
    table: TableState
    surface: SurfaceView | None
    timings: Mapping[str, float]
    events: tuple[Event, ...] = ()
    notices: tuple[str, ...] = ()
