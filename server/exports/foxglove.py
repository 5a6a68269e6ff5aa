"""A table and what happened on it as Foxglove's messages: metres, z up, times since 1970.

The frame `table` has its origin at the table's near-left corner, x to the right, y away. Each piece
has a frame of its own by its name, x toward its nose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from foxglove_schemas_protobuf.Color_pb2 import Color
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.CompressedVideo_pb2 import CompressedVideo
from foxglove_schemas_protobuf.FrameTransform_pb2 import FrameTransform
from foxglove_schemas_protobuf.FrameTransforms_pb2 import FrameTransforms
from foxglove_schemas_protobuf.KeyValuePair_pb2 import KeyValuePair
from foxglove_schemas_protobuf.LinePrimitive_pb2 import LinePrimitive
from foxglove_schemas_protobuf.Log_pb2 import Log
from foxglove_schemas_protobuf.Point3_pb2 import Point3
from foxglove_schemas_protobuf.Pose_pb2 import Pose
from foxglove_schemas_protobuf.Quaternion_pb2 import Quaternion
from foxglove_schemas_protobuf.SceneEntity_pb2 import SceneEntity
from foxglove_schemas_protobuf.SceneEntityDeletion_pb2 import SceneEntityDeletion
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from foxglove_schemas_protobuf.TextPrimitive_pb2 import TextPrimitive
from foxglove_schemas_protobuf.TriangleListPrimitive_pb2 import TriangleListPrimitive
from foxglove_schemas_protobuf.Vector3_pb2 import Vector3
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp
from reportlab.lib.colors import getAllNamedColors

from engine.space.geometry import FloatArray, Region
from engine.space.table import Standing, Status, TableState
from server.table.projection import colour_of, multiples, owners_of

METRES_AN_INCH = 0.0254
TABLE = "table"

GRID_IN = 6.0
LABEL_IN = 1.1
SURFACE_THICK_IN = 0.5
FADED = {Status.STILL: 1.0, Status.MOVING: 1.0, Status.HELD: 0.4, Status.LOST: 0.15}


def _time(nanoseconds: int) -> Timestamp:
    """A time, counted from 1970."""
    return Timestamp(seconds=nanoseconds // 1_000_000_000, nanos=nanoseconds % 1_000_000_000)


def _point(x: float, y: float, z: float) -> Point3:
    """A place, from inches."""
    return Point3(x=x * METRES_AN_INCH, y=y * METRES_AN_INCH, z=z * METRES_AN_INCH)


def _pose(z: float = 0.0) -> Pose:
    """So many inches above a frame's origin, turned as it is."""
    return Pose(position=Vector3(x=0.0, y=0.0, z=z * METRES_AN_INCH), orientation=Quaternion(w=1.0))


def _colour(text: str, alpha: float = 1.0) -> Color:
    """A colour from #rgb, #rrggbb or its name on the web; what is none gives grey."""
    digits = text.removeprefix("#")
    try:
        if not text.startswith("#"):
            r, g, b = getAllNamedColors()[text.casefold()].rgb()
        elif len(digits) == 3:
            r, g, b = (int(d, 16) / 15 for d in digits)
        else:
            r, g, b = (int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4))
    except (KeyError, ValueError):
        r = g = b = 0.5
    return Color(r=r, g=g, b=b, a=alpha)


# Where everything stands


def transforms(table: TableState, at_ns: int) -> FrameTransforms:
    """The frame of every piece that has been seen."""
    return FrameTransforms(
        transforms=[
            FrameTransform(
                timestamp=_time(at_ns),
                parent_frame_id=TABLE,
                child_frame_id=s.name,
                translation=Vector3(x=s.pose.x * METRES_AN_INCH, y=s.pose.y * METRES_AN_INCH, z=0.0),
                rotation=Quaternion(z=math.sin(s.pose.heading / 2), w=math.cos(s.pose.heading / 2)),
            )
            for s in table.standings
        ]
    )


def scene(table: TableState, at_ns: int, gone: Iterable[str] = ()) -> SceneUpdate:
    """The surface and every piece, in the pieces' own frames.

    Each is whole, so that a viewer who jumps anywhere needs only the last one before.
    """
    owners = owners_of(table)
    one = SceneEntityDeletion.MATCHING_ID
    return SceneUpdate(
        deletions=[SceneEntityDeletion(timestamp=_time(at_ns), type=one, id=name) for name in gone],
        entities=[
            _surface(table.surface, at_ns),
            *(_piece(s, colour_of(s, owners), at_ns) for s in table.standings),
        ],
    )


def _surface(surface: Region, at_ns: int) -> SceneEntity:
    x0, y0, x1, y1 = surface.polygon.bounds
    grid = [((x, y0), (x, y1)) for x in multiples(x0, x1, GRID_IN)]
    grid += [((x0, y), (x1, y)) for y in multiples(y0, y1, GRID_IN)]
    ends = [_point(x, y, 0.01) for pair in grid for x, y in pair]
    edge = [_point(x, y, 0.01) for x, y in surface.outline]
    return SceneEntity(
        timestamp=_time(at_ns),
        frame_id=TABLE,
        id=TABLE,
        frame_locked=True,
        lines=[
            _line(LinePrimitive.LINE_LOOP, edge, "#e8ece0", 2.0),
            _line(LinePrimitive.LINE_LIST, ends, "#5d6b61", 1.0),
        ],
        triangles=[_solid([surface.outline], -SURFACE_THICK_IN, 0.0, _colour("#33443b"))],
    )


def _piece(standing: Standing, colour: str, at_ns: int) -> SceneEntity:
    piece, body = standing.piece, standing.piece.body
    label = TextPrimitive(
        pose=_pose(body.height + LABEL_IN),
        billboard=True,
        font_size=LABEL_IN * METRES_AN_INCH,
        color=_colour("#ffffff"),
        text=piece.name,
    )
    lines = []
    if body.tyres is not None:
        ahead = float(body.footprint.outline[:, 0].max())
        nose = [(0.2 * ahead, 0.3 * body.width), (0.9 * ahead, 0.0), (0.2 * ahead, -0.3 * body.width)]
        points = [_point(x, y, body.height + 0.02) for x, y in nose]
        lines = [_line(LinePrimitive.LINE_STRIP, points, "#ffffff", 3.0)]
    known = {"kind": piece.kind, "model": body.model, "owner": piece.owner or "", "status": standing.status}
    shade = _colour(colour, FADED[standing.status])
    return SceneEntity(
        timestamp=_time(at_ns),
        frame_id=piece.name,
        id=piece.name,
        frame_locked=True,
        metadata=[KeyValuePair(key=key, value=str(value)) for key, value in known.items()],
        lines=lines,
        triangles=[_solid(body.footprint.parts, 0.0, max(body.height, 0.05), shade)],
        texts=[label],
    )


def _line(
    kind: LinePrimitive.Type.ValueType, points: list[Point3], colour: str, pixels: float
) -> LinePrimitive:
    return LinePrimitive(
        type=kind,
        pose=_pose(),
        thickness=pixels,
        scale_invariant=True,
        points=points,
        color=_colour(colour),
    )


def _solid(parts: Sequence[FloatArray], low: float, high: float, colour: Color) -> TriangleListPrimitive:
    """Convex outlines, counter-clockwise, raised from one height to another, as triangles."""
    points: list[Point3] = []
    indices: list[int] = []
    for outline in parts:
        n, first = len(outline), len(points)
        ring = np.asarray(outline)
        points += [_point(x, y, z) for z in (low, high) for x, y in ring]
        for k in range(1, n - 1):
            indices += [first + n, first + n + k, first + n + k + 1, first, first + k + 1, first + k]
        for a in range(n):
            b = (a + 1) % n
            indices += [first + a, first + b, first + n + b, first + a, first + n + b, first + n + a]
    return TriangleListPrimitive(pose=_pose(), points=points, color=colour, indices=indices)


# What was ruled

VERDICTS = {"yes": "#1c9c5a", "no": "#d0392b", "too close to call": "#d9a514"}
RULING_SHOWN = Duration(seconds=5)


def witness(data: Mapping[str, Any], at_ns: int) -> SceneUpdate:
    """The lines that decided a ruling (`server.table.records.ruling_record`), for a while."""
    lines = [
        _line(
            LinePrimitive.LINE_STRIP, [_point(x, y, 0.1) for x, y in c["line"]], VERDICTS[c["verdict"]], 4.0
        )
        for c in data["checks"]
        if c["line"] is not None and c["role"] == "condition"
    ]
    entity = SceneEntity(
        timestamp=_time(at_ns),
        frame_id=TABLE,
        id="ruling",
        lifetime=RULING_SHOWN,
        frame_locked=True,
        lines=lines,
    )
    return SceneUpdate(entities=[entity])


# What was seen and what happened


def picture(jpeg: bytes, at_ns: int) -> CompressedImage:
    """A still."""
    return CompressedImage(timestamp=_time(at_ns), frame_id="camera", data=jpeg, format="jpeg")


def video(unit: bytes, at_ns: int) -> CompressedVideo:
    """One picture of an H.264 stream (Annex B)."""
    return CompressedVideo(timestamp=_time(at_ns), frame_id="camera", data=unit, format="h264")


def told(words: str, kind: str, number: int, at_ns: int, level: Log.Level.ValueType = Log.INFO) -> Log:
    """One entry in words; its number stands where a program's line would."""
    return Log(timestamp=_time(at_ns), level=level, message=words, name=kind, line=number)
