"""What moved in a recorded game, and the camera's picture of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.jpeg import decode_jpeg
from calibration.surface import Surface
from engine.space.geometry import FloatArray, Pose
from engine.space.table import Standing, Status, TableState, key_of
from server.formats.jpeg import jpeg
from server.recording.reader import Reader
from vision.frame import Image

WORTH_AN_ARROW_IN = 0.5
"""A piece that has gone less far has stood still for a reader."""

PHOTO_QUALITY, PHOTO_WIDTH = 82, 900

WAY_STEP_IN = 0.2


@dataclass(frozen=True, eq=False)
class DrivenPath:
    """How a piece went: points (n, 2) of its reference point on the table, and its pose before."""

    piece: str
    before: Pose
    points: FloatArray

    @property
    def length(self) -> float:
        """Inches along the way."""
        return float(np.hypot(*np.diff(self.points, axis=0).T).sum())


@dataclass(frozen=True)
class Span:
    """A time in which a piece moved, seconds."""

    piece: str
    begins_s: float
    ends_s: float


def vehicles(reader: Reader) -> tuple[str, ...]:
    """The pieces of a record that are driven, by name."""
    return tuple(p.name for p in reader.table.pieces if p.driven)


def at(table: TableState, name: str) -> Standing | None:
    """Where a piece stands, None where nobody saw it."""
    return next((s for s in table.standings if key_of(s.name) == key_of(name)), None)


def ways(reader: Reader, begins_s: float, ends_s: float) -> Iterator[DrivenPath]:
    """How every vehicle went in a time."""
    before = reader.table_at(begins_s)
    for name in vehicles(reader):
        stood = at(before, name)
        poses = [] if stood is None else [stood.pose]
        poses += [s.pose for _, s in reader.track(name, begins_s, ends_s) if s.status is not Status.LOST]
        points = _thinned([(p.x, p.y) for p in poses])
        if len(points) > 1 and float(np.hypot(*(points - points[0]).T).max()) >= WORTH_AN_ARROW_IN:
            yield DrivenPath(name, poses[0], points)


def driven(reader: Reader, name: str, begins_s: float = 0.0, ends_s: float = float("inf")) -> float:
    """Inches that a piece was seen to go in a time."""
    track = reader.track(name, begins_s, ends_s)
    poses = [(s.pose.x, s.pose.y) for _, s in track if s.status is not Status.LOST]
    points = _thinned(poses)
    return float(np.hypot(*np.diff(points, axis=0).T).sum()) if len(points) > 1 else 0.0


def spans(reader: Reader) -> Iterator[Span]:
    """When each vehicle moved, and somewhere: one that is only made out anew has not."""
    for name in vehicles(reader):
        began: tuple[float, Pose] | None = None
        last = Pose(0.0, 0.0)
        for at_s, standing in reader.track(name):
            moving = standing.status is Status.MOVING
            if moving and began is None:
                began = at_s, standing.pose
            elif not moving and began is not None:
                if _apart(began[1], standing.pose) >= WORTH_AN_ARROW_IN:
                    yield Span(name, began[0], at_s)
                began = None
            last = standing.pose
        if began is not None and _apart(began[1], last) >= WORTH_AN_ARROW_IN:
            yield Span(name, began[0], reader.duration)


def photo(reader: Reader, begins_s: float, ends_s: float) -> bytes | None:
    """The last still of a time, else the video's picture at its end: the table alone, as JPEG."""
    stills = [at_s for at_s in reader.stills() if begins_s <= at_s < ends_s]
    still = reader.still_near(stills[-1]) if stills else None
    image = None if still is None else decode_jpeg(still, "BGR")
    image = reader.frame_at(ends_s) if image is None else image
    if image is None:
        return None
    surface = reader.surface_at(ends_s)
    if surface is not None:
        image = _table_in(image, surface, reader.table.surface.outline)
    return jpeg(image, PHOTO_QUALITY, PHOTO_WIDTH)


def _table_in(image: Image, surface: Surface, outline: FloatArray) -> Image:
    """The part of a picture, which may be kept smaller than it was taken, that holds the table."""
    seen = surface.image_from_table(outline) * (image.shape[1] / surface.lens.size[0])
    low, high = seen.min(axis=0), seen.max(axis=0)
    margin = 0.03 * float((high - low).max())
    x0, y0 = np.clip(np.floor(low - margin), 0, None).astype(int)
    x1, y1 = np.ceil(high + margin).astype(int)
    part = image[y0:y1, x0:x1]
    return part if min(part.shape[:2], default=0) > 16 else image


def _thinned(points: Sequence[tuple[float, float]]) -> FloatArray:
    """Without those that are hardly a step from the last one; the end stays."""
    kept: list[tuple[float, float]] = []
    for x, y in points:
        if not kept or np.hypot(x - kept[-1][0], y - kept[-1][1]) >= WAY_STEP_IN:
            kept.append((x, y))
    if points and len(kept) > 1:
        kept[-1] = points[-1]
    return np.array(kept).reshape(-1, 2)


def _apart(one: Pose, other: Pose) -> float:
    return float(np.hypot(one.x - other.x, one.y - other.y))
